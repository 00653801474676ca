//! # `klfe`: LFE in a kernel space
//!
//! [`lfe`](super::lfe) in a kernel space, where a linear map can separate classes that surround or interleave each
//! other. Every other map method also accepts a kernel, such as `--kernel rbf`.
//!
//! ## Formula
//!
//! A kernel $k$ is an inner product in a space whose coordinates are never computed directly. A basis of the span of
//! the rows in this space gives coordinates $\tilde x$ such that $\tilde x_i \cdot \tilde x_j$ is the centered kernel.
//! The basis consists of the principal components (`kpca`), $\tilde x = \Gamma^{-1/2} V' \tilde k(x)$ with
//! $\tilde K = V \Gamma V'$, or of rows made orthonormal one by one (`gram-schmidt`), the incomplete Cholesky
//! decomposition of $K$. The kernel values of new rows are centered like those of the fit. LFE in these coordinates
//! depends neither on the basis nor on the centering.
//!
//! The kernels are `rbf`, $\exp(-\lVert a - b \rVert^2 / 2 \rho^2)$; `laplacian`,
//! $\exp(-\lVert a - b \rVert_1 / \rho)$; `polynomial`, $(s\, a \cdot b + c)^d$; `sigmoid`,
//! $\tanh(s\, a \cdot b + c)$; and `linear`. They are applied to centered rows.
//!
//! For `rbf` and `laplacian`, neighbors in the kernel space are found with the distances of the rows themselves, which
//! have the same order. In the kernel space of a narrow kernel, the squared distance $2 - 2 k$ rounds to 2 for nearly
//! all pairs. With `--max-rank` below the rank, neighbors are found in the retained dimensions.
//!
//! $\rho$ is a number; the `median` distance between rows that differ (of 2000 rows drawn by the seed, if there are
//! more); or, with `cv`, one of 1/8, 1/4, 1/2, 1, 2, 4, 8 medians. The latter is the width with the smallest
//! nearest-neighbor error after the map, in 10-fold stratified cross-validation within the rows; among equal errors,
//! the width nearest to the median.
//!
//! ## Cost
//!
//! `kpca` stores the kernel values of all pairs of rows and computes their eigendecomposition. `gram-schmidt` with
//! `--max-rank R` needs $n R$ numbers and $n R^2$ operations, and then LFE in $R$ dimensions. A warning reports the
//! fraction of the squared lengths of the rows in the kernel space that this basis omits. The number of features hardly
//! matters, because the features are read only once.
//!
//! `rho=cv` makes up to 70 fits. The width with the smallest error so far continues first, and the search ends when it
//! has completed all ten folds, because no other width can then have a smaller error. If neither `--max-rank` nor
//! `--rank-tolerance` removes dimensions, these fits use the fastest basis. The final map uses the requested one.
//!
//! ## When not to use it
//!
//! - A linear map separates the classes: [`lfe`](super::lfe) shows which features do so; a kernel map cannot.
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
//! Step 2.3 of its pseudocode is interpreted according to its eqs 58 and 59.

use super::compositions::Named;
use super::info::MapMethodInfo;
use super::lfe;
use super::lfe::FORM;
use super::options::{KERNEL_RBF, METRIC_OF_COORDINATES_EUCLIDEAN, ONE_NEIGHBOR, TIES};
use super::page::page;

/// Registry entry: kernel local feature extraction, that is LFE in a kernel space.
pub(crate) static INFO: MapMethodInfo = MapMethodInfo {
    name: "klfe",
    class: "Kernelized(LFE())",
    supervised: true,
    cost: "n² p + n³",
    purpose: "LFE in a kernel space: margins that no linear map can show",
    source: "Wang, Fan, Li & Wu 2011",
    options: &[&KERNEL_RBF, &ONE_NEIGHBOR, &METRIC_OF_COORDINATES_EUCLIDEAN, &TIES, &FORM],
    choose: &[&KERNEL_RBF, &ONE_NEIGHBOR],
    documentation: page!("klfe.rs"),
    python: None,
    build: |settings| Ok(Box::new(Named { name: "klfe", method: (lfe::INFO.build)(settings)? })),
};
