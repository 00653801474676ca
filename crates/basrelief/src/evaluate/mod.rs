//! Evaluation of maps and weights: k-NN under them, tuning of their options by cross-validation, and comparison of
//! methods.
//!
//! [`ParameterGrid`] is a method with alternatives for its options. [`NestedCv::evaluate`] chooses among the
//! alternatives by cross-validation within the training rows of a split, learns the choice from these rows, and tests
//! it on the test rows. [`compare`] does so for many candidates and splits.
//!
//! ```
//! use basrelief::Run;
//! use basrelief::data::{folds, synth::generator};
//! use basrelief::evaluate::{
//!     Dimensions, KnnSettings, NestedCv, NoCheckpoints, ParameterGrid, compare, comparison_rows,
//! };
//! use basrelief::methods::Scaling;
//!
//! let run = Run::new(None)?.with_seed(1);
//! let kind = generator("waveform")?;
//! let data = kind.generate(&kind.settings(&[("rows", "120")])?, &run)?;
//!
//! // ReliefF with 5 or 20 neighbors, compared with no weights.
//! let candidates = ParameterGrid::parse_list("relieff:neighbors=5|20,euclidean", Scaling::None)?;
//! let nested_cv = NestedCv {
//!     table: &data.table,
//!     target: &data.target,
//!     groups: None,
//!     weights: None,
//!     knn: KnnSettings::default(),
//!     dimensions: Dimensions::Spread,
//!     counts: vec![5],
//!     folds: 3,
//! };
//! let splits = folds(&data.target, None, 3, run.seed())?;
//! let cells = compare(&nested_cv, &candidates, &splits, "", &NoCheckpoints, &run)?;
//!
//! // The test against the best method accounts for the overlap of the training rows.
//! let rows = comparison_rows(&cells, 1.0 / 2.0);
//! assert!(rows.iter().all(|row| row.loss.is_some_and(|loss| loss < 0.5)));
//! assert_eq!(rows.iter().filter(|row| row.test.is_none()).count(), 1);
//! # Ok::<(), basrelief::Error>(())
//! ```

mod adaptive;
mod compare;
mod concordance;
mod knn_loss_grid;
mod model;
mod nested_cv;
mod parameter_grid;
mod significance;

pub(crate) use adaptive::ADAPTIVE_OPTIONS;
pub use adaptive::Adaptive;
pub use compare::{Cell, Checkpoints, ComparisonRow, NoCheckpoints, compare, comparison_rows};
pub use model::{KnnSettings, WeightUse};
pub use nested_cv::{Dimensions, NestedCv, Outcome, Rate};
pub use parameter_grid::ParameterGrid;
pub use significance::{PairedTest, paired_t_test};
pub(crate) use significance::{
    chi_squared_log10_tail, chi_squared_tail, f_log10_tail, f_tail, two_tailed_t,
};
