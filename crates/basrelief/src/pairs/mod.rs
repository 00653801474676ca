//! Interactions, redundancy and marginal effects of features, which explain the top features of a ranking.
//!
//! [`Interactions`] measure how much every pair of some features explains of the target beyond the two features
//! alone, and a [`PairTable`] shows the pattern. [`Redundancy`] finds similar features, and a [`Profile`] describes
//! one feature and the target.
//!
//! [`PairTests`] test every pair of thousands of features, such as the top features of a cohort, and retain the
//! strongest pairs.
//!
//! Categories and genotypes enter by their levels, numbers by their values or in bins; every [`Level`] describes its
//! content.
//!
//! ```
//! use basrelief::Run;
//! use basrelief::data::{Categories, Classes, Column, Table, Target};
//! use basrelief::data::Roles;
//! use basrelief::inference::Permutations;
//! use basrelief::pairs::{Interactions, PairTable};
//!
//! // The class is whether `switch` is on and `level` is high, or neither.
//! let switch = ["on", "on", "off", "off"].repeat(8);
//! let level = ["high", "low", "high", "low"].repeat(8);
//! let column = |name: &str, texts: &[&'static str]| {
//!     Column::categorical(name, Categories::from_texts(texts.iter().map(|text| Some(*text))))
//! };
//! let table = Table::new(vec![column("switch", &switch), column("level", &level)])?;
//! let target = Target::Classes(Classes::from_labels(&["same", "other", "other", "same"].repeat(8)));
//!
//! let run = Run::new(None)?;
//! let permutations = Permutations::new(&target, Roles::default(), &run)?;
//! let found = Interactions::test(&table, &[0, 1], &permutations, 999, &run)?;
//! let strongest = found.strongest(1)[0];
//! assert_eq!(strongest.uncorrected, 1.0); // one bit: the complete information
//! assert_eq!(strongest.adjusted, Some(0.001));
//!
//! let cells = PairTable::new(&table, 0, 1, &target)?;
//! assert_eq!((cells.first[0].name.as_str(), cells.second[1].name.as_str()), ("on", "low"));
//! # Ok::<(), basrelief::Error>(())
//! ```

mod adjusted_ratio;
mod basis;
mod chosen;
mod class_planes;
mod covariate_columns;
mod gain;
mod interactions;
mod levels;
mod likelihood_ratio;
mod pair_measure;
mod pair_table;
mod pair_tests;
mod product_term;
mod profile;
mod redundancy;
mod scan;
mod strongest;
mod summaries;
mod survival_groups;
mod table_margins;
mod triangle;

pub use interactions::{Interaction, Interactions, Measure};
pub use levels::Level;
pub use pair_table::{Cells, PairTable};
pub use pair_tests::{
    PairStatistic, PairTests, Parametric, TestedPair, least_p_value, least_p_values,
};
pub use profile::{BinnedMean, ClassNumbers, Distribution, Profile};
pub use redundancy::{CUTOFF, Merge, Redundancy};
pub use summaries::{BoxSummary, TargetSummary};
pub use survival_groups::SurvivalGroup;
