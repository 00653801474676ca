//! # `kpca`: PCA in a kernel space
//!
//! [`pca`](super::pca) in a kernel space: curved directions of large variance.
//!
//! ## Formula
//!
//! Like [`klfe`](super::klfe#formula), with PCA instead of LFE. The eigenvalues are those of the centered kernel
//! matrix divided by $n - 1$.
//!
//! ## Cost
//!
//! The cost of the basis, see [`klfe`](super::klfe#cost).
//!
//! ## When not to use it
//!
//! - There are classes: [`klfe`](super::klfe) uses them.
//! - A linear map is sufficient: [`pca`](super::pca) shows which features its components consist of.
//!
//! ## Example
//!
//! ```sh
//! basrelief synth concentric-rings --rows 200 --output rings.csv
//! basrelief fit rings.csv --method kpca --drop class --components 3 --model rings.basrelief
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.Kernelized(basrelief.PCA(2), "rbf").fit_transform(X)`
//!
//! ## Source
//!
//! B. Schölkopf, A. Smola and K.-R. Müller. Nonlinear component analysis as a kernel eigenvalue problem.
//! Neural Computation 10, 1299-1319, 1998.

use super::compositions::Named;
use super::info::MapMethodInfo;
use super::options::KERNEL_RBF;
use super::page::page;
use super::pca;

/// Registry entry: kernel principal component analysis, that is PCA in a kernel space.
pub(crate) static INFO: MapMethodInfo = MapMethodInfo {
    name: "kpca",
    class: "Kernelized(PCA())",
    supervised: false,
    cost: "n² p + n³",
    purpose: "PCA in a kernel space: curved directions of large variance",
    source: "Schölkopf, Smola & Müller 1998",
    options: &[&KERNEL_RBF],
    choose: &[&KERNEL_RBF],
    documentation: page!("kpca.rs"),
    python: None,
    build: |settings| Ok(Box::new(Named { name: "kpca", method: (pca::INFO.build)(settings)? })),
};
