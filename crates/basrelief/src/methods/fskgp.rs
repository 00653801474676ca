//! # `fskgp`: Relief in a kernel space, on a Gram-Schmidt basis
//!
//! Like [`fskpca`](super::fskpca), but with axes from the kernel Gram-Schmidt process (a pivoted incomplete Cholesky
//! factorization), which makes individual rows orthonormal one by one. Kernel values are computed only for the rows
//! that are needed to span the space.
//!
//! ## Formula
//!
//! The rows $b_1, b_2, \ldots$ are chosen in turn by the largest residual squared length in the kernel space,
//! $k(b, b) - \|t(b)\|^2$. The process stops when this length is below `--rank-tolerance` times the largest one, or
//! when `--max-rank` rows are chosen. The coordinates are centered, and the axes get Relief weights as in
//! [`fskpca`](super::fskpca).
//!
//! ## Cost
//!
//! $n r p$ operations for the kernel and $n r^2$ for the basis of $r$ rows, then one neighbor search.
//!
//! ## When not to use it
//!
//! - Few rows: the axes depend on which rows were chosen. The axes of [`fskpca`](super::fskpca) do not.
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

/// Registry entry: feature selection in a kernel space by Relief, on the axes of a Gram-Schmidt basis.
pub(crate) static INFO: MapMethodInfo = MapMethodInfo {
    name: "fskgp",
    class: "Kernelized(ReliefMargin(), basis=\"gram-schmidt\")",
    supervised: true,
    cost: "n² p + n r²",
    purpose: "Relief weights of the axes of a Gram-Schmidt basis of a kernel space",
    source: "Cao et al. 2007; Wang, Fan, Li & Wu 2011",
    options: &[&KERNEL_RBF, &BASIS_GRAM_SCHMIDT, &ONE_NEIGHBOR, &METRIC_OF_COORDINATES, &TIES],
    choose: &[&KERNEL_RBF, &ONE_NEIGHBOR],
    documentation: page!("fskgp.rs"),
    python: None,
    build: |settings| axis_relief("fskgp", settings),
};
