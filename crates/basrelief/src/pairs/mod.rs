//! Which features act together, which tell the same, and what each tells alone: what stands behind the best
//! features of a ranking.
//!
//! [`Interactions`] say how much every pair of some features tells of the target beyond what the two tell alone,
//! and a [`PairTable`] shows how. [`Redundancy`] finds features that are alike, and a [`Profile`] describes one
//! feature against the target.
//!
//! Categories and genotypes are taken by their levels, numbers by their values or by bins; every [`Level`] says
//! what it holds.

mod chosen;
mod gain;
mod interactions;
mod levels;
mod pair_measure;
mod pair_table;
mod product_term;
mod profile;
mod redundancy;
mod summaries;
mod triangle;

pub use interactions::{Interaction, Interactions, Measure};
pub use levels::{Level, MOST_LEVELS};
pub use pair_table::{Cells, PairTable};
pub use profile::{BinnedMean, ClassNumbers, DENSITY_POINTS, Distribution, MOST_POINTS, Profile};
pub use redundancy::{Association, CUTOFF, Merge, Redundancy};
pub use summaries::{BoxSummary, TargetSummary};
