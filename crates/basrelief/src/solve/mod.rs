//! Step four of five, **solve**: turns statistics of pairs into a map if that takes more than a mean.
//! Also contains the kernel functions, in whose feature spaces such maps may lie.

pub(crate) mod basis;
mod cox;
pub(crate) mod generated;
pub(crate) mod hinges;
mod interior_point;
mod kernel_function;
pub(crate) mod lbfgs;
pub(crate) mod leading;
pub(crate) mod linear_program;
pub(crate) mod logistic;
pub(crate) mod metric_program;
mod nonnegative;
pub(crate) mod regression;
mod residuals;
pub(crate) mod scaled_points;

pub use kernel_function::{Kernel, KernelChoice, Width};
pub use residuals::{Adjusted, residuals};
