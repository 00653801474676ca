//! # `klfe`: LFE in the space of a kernel
//!
//! [`lfe`](super::lfe) in the space of a kernel, where classes that lie around or between one another can be
//! parted by a linear map. Any other map takes a kernel as well: `--kernel rbf`.
//!
//! ## Formula
//!
//! A kernel $k$ is an inner product in a space that is never entered. A basis of the span of the rows
//! there gives coordinates $\tilde x$ with $\tilde x_i \cdot \tilde x_j$ equal to the centered kernel:
//! the principal components (`kpca`), $\tilde x = \Gamma^{-1/2} V' \tilde k(x)$ with
//! $\tilde K = V \Gamma V'$; or rows made orthonormal one by one (`gram-schmidt`), the incomplete
//! Cholesky decomposition of $K$. Kernel values are centered for new rows as for those of the fit. LFE in
//! these coordinates depends neither on the basis nor on the centering.
//!
//! The kernels are `rbf`, $\exp(-\lVert a - b \rVert^2 / 2 \rho^2)$; `laplacian`,
//! $\exp(-\lVert a - b \rVert_1 / \rho)$; `polynomial`, $(s\, a \cdot b + c)^d$; `sigmoid`,
//! $\tanh(s\, a \cdot b + c)$; and `linear`. They see centered rows. Neighbors in the space of `rbf` and `laplacian` are
//! sought among the rows themselves, whose distances have the same order: where the kernel is narrow, $2 - 2 k$ is 2 to
//! rounding for nearly all pairs. With `--max-rank` below the rank, they are those of the dimensions kept. $\rho$ is a number, the `median` of the
//! distances of different rows (of 2000 rows, drawn by the seed, where there are more), or by `cv` one of
//! 1/8, 1/4, 1/2, 1, 2, 4, 8 medians: that with the least error of the nearest neighbor after the map
//! in 10-fold stratified cross-validation inside the rows; of equal ones the nearest to the median.
//!
//! ## Cost
//!
//! `kpca` holds the kernel of all pairs of rows and solves its eigenproblem; `gram-schmidt` with
//! `--max-rank R` needs $n R$ numbers and $n R^2$ steps, and then LFE in $R$ dimensions; a warning tells the share of the
//! rows' squared lengths in the kernel's space that it leaves out. Features cost
//! next to nothing: they are seen once. `rho=cv` fits up to 70 times: the width that is best so far goes on first, and the
//! search ends when it is through all ten parts, as no other can then have a smaller error. Where neither `--max-rank` nor
//! `--rank-tolerance` cuts dimensions off, these fits take whatever basis is quickest; the map itself has the one asked for.
//!
//! ## When not to use it
//!
//! - A linear map parts the classes: [`lfe`](super::lfe) says which features do, a kernel map cannot.
//! - Tens of thousands of rows with the basis `kpca`: use `--basis gram-schmidt --max-rank 500`.
//!
//! ## Example
//!
//! ```sh
//! basrelief synth concentric-rings --rows 200 --output rings.csv
//! basrelief fit rings.csv --target class --method klfe --components 2 --model rings.basrelief
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.Kernelized(basrelief.LFE(), "rbf:rho=1").fit_transform(X, y)`
//!
//! ## Source
//!
//! J. Wang, J. Fan, H. Li and D. Wu. Kernel-based feature extraction under maximum margin criterion. 2011.
//! Of its pseudo-code, step 2.3 is read as its eqs 58 and 59 have it.

use super::compositions::Named;
use super::info::MapMethodInfo;
use super::lfe;
use super::lfe::FORM;
use super::options::{KERNEL_RBF, METRIC_OF_COORDINATES_EUCLIDEAN, ONE_NEIGHBOR, TIES};
use super::page::page;

/// Registry entry. Kernel local feature extraction: LFE in a kernel's space.
pub(crate) static INFO: MapMethodInfo = MapMethodInfo {
    name: "klfe",
    class: "Kernelized(LFE())",
    supervised: true,
    cost: "n² p + n³",
    purpose: "LFE in the space of a kernel: margins that no linear map shows",
    source: "Wang, Fan, Li & Wu 2011",
    options: &[&KERNEL_RBF, &ONE_NEIGHBOR, &METRIC_OF_COORDINATES_EUCLIDEAN, &TIES, &FORM],
    choose: &[&KERNEL_RBF, &ONE_NEIGHBOR],
    documentation: page!("klfe.rs"),
    python: None,
    build: |settings| Ok(Box::new(Named { name: "klfe", method: (lfe::INFO.build)(settings)? })),
};
