//! # `fskpca`: Relief in a kernel's space, on principal axes
//!
//! Relief weighs the kernel principal components: which directions of the kernel's space are farther
//! apart between nearest misses than between nearest hits.
//!
//! ## Formula
//!
//! With the coordinates $t$ of kernel PCA, the margins
//! $z = \sum_i |t_i - t_{\mathrm{NM}(i)}| - |t_i - t_{\mathrm{NH}(i)}|$, $w = z_+ / \|z_+\|$, and the map
//! $\mathrm{diag}(\sqrt{w})\, t$, the greatest weight first. Unlike [`klfe`](super::klfe) it depends on the
//! basis: it weighs the axes and does not rotate them.
//!
//! ## Cost
//!
//! As the basis: `kpca` needs the kernel's values of all pairs of rows, $n^2 p$, and an eigenproblem,
//! $n^3$; `gram-schmidt` $n r p + n r^2$ for $r$ rows that span enough.
//!
//! ## When not to use it
//!
//! - To extract features: [`klfe`](super::klfe) finds its own directions.
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

/// Registry entry. Feature selection in a kernel's space by Relief, on the axes of kernel PCA.
pub(crate) static INFO: MapMethodInfo = MapMethodInfo {
    name: "fskpca",
    class: "Kernelized(PCA())",
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
