//! # `gda`: discriminant analysis in a kernel space
//!
//! [`lda`](super::lda) in a kernel space: class means are separated along curved directions. The method is the
//! composition of the two (see docs/one-picture.md), with a ridge by default.
//!
//! ## Formula
//!
//! In the coordinates $t(x)$ of an orthonormal basis of the centered kernel space, the components are the generalized
//! eigenvectors of $S_b v = \lambda (S_w + r I) v$, where $r$ is `--ridge` times the mean diagonal entry of $S_w$.
//! Without a ridge, every class of the training rows collapses to a point, and the positions of new rows are noise.
//!
//! ## Cost
//!
//! The cost of the basis. `kpca` needs the kernel values of all pairs of rows ($n^2 p$) and an eigendecomposition
//! ($n^3$). `gram-schmidt` takes $n r p + n r^2$ for the $r$ rows that span the space.
//!
//! ## When not to use it
//!
//! - Thousands of rows with `--basis kpca`: use `gram-schmidt` with `--max-rank`.
//! - Untuned `--ridge` and kernel width `rho`: both control how strongly the map overfits.
//!
//! ## Example
//!
//! ```sh
//! basrelief synth concentric-rings --rows 300 --output rings.csv
//! basrelief fit rings.csv --target class --method gda --kernel rbf:rho=1 --components 2 --model gda.basrelief
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.Kernelized(basrelief.LDA(ridge=1e-3), "rbf:rho=1").fit_transform(X, y)`
//!
//! ## Source
//!
//! G. Baudat and F. Anouar. Generalized discriminant analysis using a kernel approach. Neural Computation
//! 12(10), 2385-2404, 2000.

use super::compositions::Named;
use super::info::MapMethodInfo;
use super::lda;
use super::options::KERNEL_RBF;
use super::page::page;
use super::ridge::RIDGE;
use crate::options::OptionInfo;

/// `ridge` of `gda`; without a ridge, every training row would be mapped to the center of its class.
static RIDGE_GDA: OptionInfo = OptionInfo { default: "1e-3", ..RIDGE };

/// Registry entry: generalized discriminant analysis, that is LDA in a kernel space with a ridge.
pub(crate) static INFO: MapMethodInfo = MapMethodInfo {
    name: "gda",
    class: "Kernelized(LDA())",
    supervised: true,
    cost: "n² p + n³",
    purpose: "LDA in a kernel space: separates classes that are not linearly separable",
    source: "Baudat & Anouar 2000",
    options: &[&KERNEL_RBF, &RIDGE_GDA],
    choose: &[&KERNEL_RBF, &RIDGE_GDA],
    documentation: page!("gda.rs"),
    python: None,
    build: |settings| Ok(Box::new(Named { name: "gda", method: (lda::INFO.build)(settings)? })),
};
