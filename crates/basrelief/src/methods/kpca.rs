//! # `kpca`: PCA in the space of a kernel
//!
//! [`pca`](super::pca) in the space of a kernel: curved directions of great variance.
//!
//! ## Formula
//!
//! As [`klfe`](super::klfe#formula), with PCA in place of LFE: the eigenvalues are those of the centered
//! kernel matrix over $n - 1$.
//!
//! ## Cost
//!
//! As [`klfe`](super::klfe#cost).
//!
//! ## When not to use it
//!
//! - There are classes: [`klfe`](super::klfe) looks at them.
//! - A linear map does: [`pca`](super::pca) says which features its components are made of.
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

/// Registry entry. Kernel principal component analysis: PCA in a kernel's space.
pub(crate) static INFO: MapMethodInfo = MapMethodInfo {
    name: "kpca",
    class: "Kernelized(PCA())",
    supervised: false,
    cost: "n² p + n³",
    purpose: "PCA in the space of a kernel: curved directions of great variance",
    source: "Schölkopf, Smola & Müller 1998",
    options: &[&KERNEL_RBF],
    choose: &[&KERNEL_RBF],
    documentation: page!("kpca.rs"),
    python: None,
    build: |settings| Ok(Box::new(Named { name: "kpca", method: (pca::INFO.build)(settings)? })),
};
