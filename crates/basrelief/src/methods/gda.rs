//! # `gda`: discriminant analysis in a kernel's space
//!
//! [`lda`](super::lda) in the space of a kernel: class means are parted along curves. It is the composition
//! of the two (see docs/one-picture.md) with a ridge by default.
//!
//! ## Formula
//!
//! In coordinates $t(x)$ of an orthonormal basis of the kernel's centered space, the generalized
//! eigenvectors of $S_b v = \lambda (S_w + r I) v$, where $r$ is `--ridge` times the mean of $S_w$'s
//! diagonal. Without a ridge the classes of the training rows become points, and new rows are mapped by
//! nothing but noise.
//!
//! ## Cost
//!
//! As the basis: `kpca` needs the kernel's values of all pairs of rows, $n^2 p$, and an eigenproblem,
//! $n^3$; `gram-schmidt` $n r p + n r^2$ for $r$ rows that span enough.
//!
//! ## When not to use it
//!
//! - Thousands of rows with `--basis kpca`: use `gram-schmidt` with `--max-rank`.
//! - Without a look at `--ridge` and the kernel's `rho`: both decide how much is learned by heart.
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

/// `ridge` of `gda`, which would otherwise take every row for its class's center.
static RIDGE_GDA: OptionInfo = OptionInfo { default: "1e-3", ..RIDGE };

/// Registry entry. Generalized discriminant analysis: LDA in a kernel's space, with a ridge.
pub(crate) static INFO: MapMethodInfo = MapMethodInfo {
    name: "gda",
    class: "Kernelized(LDA())",
    supervised: true,
    cost: "n² p + n³",
    purpose: "LDA in the space of a kernel: class means apart where no plane parts the classes",
    source: "Baudat & Anouar 2000",
    options: &[&KERNEL_RBF, &RIDGE_GDA],
    choose: &[&KERNEL_RBF, &RIDGE_GDA],
    documentation: page!("gda.rs"),
    python: None,
    build: |settings| Ok(Box::new(Named { name: "gda", method: (lda::INFO.build)(settings)? })),
};
