//! # `fskgp`: Relief in a kernel's space, row by row
//!
//! As [`fskpca`](super::fskpca), but the axes are rows made orthonormal one by one (the kernel Gram-Schmidt
//! process, the pivoted incomplete Cholesky factor): only as many kernel values as rows that span enough
//! of the space.
//!
//! ## Formula
//!
//! Rows $b_1, b_2, \ldots$ are chosen by what is left of their squared length in the kernel's space,
//! $k(b, b) - \|t(b)\|^2$, until that is below `--rank-tolerance` of the greatest, or `--max-rank` are
//! chosen. Coordinates are centered, and Relief weighs them as in [`fskpca`](super::fskpca).
//!
//! ## Cost
//!
//! $n r p$ for the kernel and $n r^2$ for the basis of $r$ rows; then one search for nearest rows.
//!
//! ## When not to use it
//!
//! - For few rows: the axes depend on which rows were chosen; [`fskpca`](super::fskpca)'s do not.
//!
//! ## Example
//!
//! ```sh
//! basrelief synth twin-sine --output sine.csv
//! basrelief fit sine.csv --target class --method fskgp --kernel rbf:rho=1 --components 2 --model fskgp.basrelief
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.Kernelized(basrelief.ReliefMargin(), "rbf:rho=1", "gram-schmidt").fit_transform(X, y)`
//!
//! ## Source
//!
//! B. Cao, D. Shen, J.-T. Sun, Q. Yang and Z. Chen. Feature selection in a kernel space. ICML 2007,
//! 121-128.

use super::compositions::axis_relief;
use super::info::MapMethodInfo;
use super::options::{BASIS, KERNEL_RBF, METRIC_OF_COORDINATES, ONE_NEIGHBOR, TIES};
use super::page::page;
use crate::options::OptionInfo;

/// `basis` of `fskgp`.
static BASIS_GRAM_SCHMIDT: OptionInfo = OptionInfo { default: "gram-schmidt", ..BASIS };

/// Registry entry. Feature selection in a kernel's space by Relief, on the axes of Gram-Schmidt.
pub(crate) static INFO: MapMethodInfo = MapMethodInfo {
    name: "fskgp",
    class: "Kernelized(LFE())",
    supervised: true,
    cost: "n² p + n r²",
    purpose: "Relief weights of a kernel's space along rows made orthonormal one by one",
    source: "Cao et al. 2007; Wang, Fan, Li & Wu 2011",
    options: &[&KERNEL_RBF, &BASIS_GRAM_SCHMIDT, &ONE_NEIGHBOR, &METRIC_OF_COORDINATES, &TIES],
    choose: &[&KERNEL_RBF, &ONE_NEIGHBOR],
    documentation: page!("fskgp.rs"),
    python: None,
    build: |settings| axis_relief("fskgp", settings),
};
