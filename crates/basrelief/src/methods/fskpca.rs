//! # `fskpca`: Relief in a kernel space, on principal axes
//!
//! Computes Relief weights of the kernel principal components. A component has a large weight if nearest misses
//! differ more along it than nearest hits.
//!
//! ## Formula
//!
//! With the coordinates $t$ of kernel PCA, the margins are
//! $z = \sum_i |t_i - t_{\mathrm{NM}(i)}| - |t_i - t_{\mathrm{NH}(i)}|$, and the weights are $w = z_+ / \|z_+\|$. The
//! map is $\mathrm{diag}(\sqrt{w})\, t$, the largest weight first. Unlike [`klfe`](super::klfe), the result depends on
//! the basis: the axes are weighted, not rotated.
//!
//! ## Cost
//!
//! The cost of the basis. `kpca` needs the kernel values of all pairs of rows ($n^2 p$) and an eigendecomposition
//! ($n^3$). `gram-schmidt` takes $n r p + n r^2$ for the $r$ rows that span the space.
//!
//! ## When not to use it
//!
//! - Feature extraction: use [`klfe`](super::klfe), which is not limited to the axes of the basis.
//!
//! ## Example
//!
//! ```sh
//! basrelief synth twin-sine --output sine.csv
//! basrelief fit sine.csv --target class --method fskpca --kernel rbf:rho=1 --components 2 --model fskpca.basrelief
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.Kernelized(basrelief.ReliefMargin(), "rbf:rho=1").fit_transform(X, y)`
//!
//! ## Source
//!
//! B. Cao, D. Shen, J.-T. Sun, Q. Yang and Z. Chen. Feature selection in a kernel space. ICML 2007,
//! 121-128.

use super::compositions::axis_relief;
use super::info::MapMethodInfo;
use super::options::{KERNEL_RBF, METRIC_OF_COORDINATES, ONE_NEIGHBOR, TIES};
use super::page::page;

/// Registry entry: feature selection in a kernel space by Relief, on the axes of kernel PCA.
pub(crate) static INFO: MapMethodInfo = MapMethodInfo {
    name: "fskpca",
    class: "Kernelized(ReliefMargin())",
    supervised: true,
    cost: "n² p + n³",
    purpose: "Relief weights of the kernel principal components",
    source: "Cao et al. 2007; Wang, Fan, Li & Wu 2011",
    options: &[&KERNEL_RBF, &ONE_NEIGHBOR, &METRIC_OF_COORDINATES, &TIES],
    choose: &[&KERNEL_RBF, &ONE_NEIGHBOR],
    documentation: page!("fskpca.rs"),
    python: None,
    build: |settings| axis_relief("fskpca", settings),
};
