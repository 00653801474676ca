//! What comes after a map: k-NN under it, the choice of its options by cross-validation, and the
//! comparison of methods.
//!
//! [`ParameterGrid`] is a method with alternatives for its options; [`NestedCv::evaluate`] learns it from the
//! training rows of a split, chooses among the alternatives by cross-validation inside them, and
//! tests the choice on the test rows; [`compare`] does so for many candidates and splits.

mod adaptive;
mod compare;
mod knn_loss_grid;
mod model;
mod nested_cv;
mod parameter_grid;
mod significance;

pub(crate) use adaptive::ADAPTIVE_OPTIONS;
pub use adaptive::{ADAPTIVE_NAME, Adaptive};
pub use compare::{Cell, Checkpoints, ComparisonRow, NoCheckpoints, compare, comparison_rows};
pub use model::{KnnSettings, WeightUse};
pub use nested_cv::{Dimensions, NestedCv, Outcome, Rate};
pub use parameter_grid::ParameterGrid;
pub use significance::{
    PairedTest, chi_squared_log10_tail, chi_squared_tail, f_log10_tail, f_tail, holm, paired_t_test,
};
