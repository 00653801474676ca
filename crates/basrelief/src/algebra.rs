//! Dense linear algebra. Only this file depends on the underlying library, faer.
//!
//! The library runs on one thread. Products are split into blocks of rows, whose size does not
//! depend on the number of threads, so that neither do the bits of the results.

use std::ops::Range;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::Builder;
use std::time::Duration;

use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::linalg::solvers::{Llt, Solve};
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::linalg::triangular_solve::solve_upper_triangular_in_place;
use faer::{Accum, Mat, MatMut, MatRef, Par, Side};

use crate::data::DenseMatrix;
use crate::error::{Error, Result};
use crate::order::descending;
use crate::parallel;
use crate::run::Run;

/// Rows of a product that one task computes.
const ROWS_OF_PRODUCT: usize = 128;

/// Minimum number of operations of a task that treats some rows of a matrix.
const OPERATIONS: usize = 1 << 13;

/// Eigenvalues and eigenvectors.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Eigen {
    /// The eigenvalues, descending.
    pub(crate) values: Vec<f64>,
    /// The eigenvectors, one per row.
    pub(crate) vectors: DenseMatrix,
}

/// A thin singular value decomposition, `left diag(values) right`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Singular {
    /// Left singular vectors, one per column: rows x size.
    pub(crate) left: DenseMatrix,
    /// The singular values, descending and nonnegative.
    pub(crate) values: Vec<f64>,
    /// Right singular vectors, one per row: size x columns.
    pub(crate) right: DenseMatrix,
}

fn view(a: &DenseMatrix) -> MatRef<'_, f64> {
    MatRef::from_row_major_slice(a.values(), a.rows(), a.columns())
}

fn copy(a: MatRef<'_, f64>) -> DenseMatrix {
    let mut out = DenseMatrix::zeros(a.nrows(), a.ncols());
    for i in 0..a.nrows() {
        out.row_mut(i).iter_mut().enumerate().for_each(|(j, value)| *value = a[(i, j)]);
    }
    out
}

/// Calls `one` for every row and its number, on all threads. `operations` is the approximate number of operations per row.
pub(crate) fn for_each_row(
    matrix: &mut DenseMatrix,
    operations: usize,
    one: &(dyn Fn(usize, &mut [f64]) + Sync),
) {
    let columns = matrix.columns();
    if columns == 0 {
        return;
    }
    let together = OPERATIONS.div_ceil(operations.max(1));
    let parts = matrix.values_mut().chunks_mut(together * columns);
    parallel::for_each(parts.enumerate(), |(part, rows)| {
        (part * together..)
            .zip(rows.chunks_mut(columns))
            .for_each(|(row, values)| one(row, values));
    });
}

/// Computes a product in blocks of rows; each block polls the cancel flag.
fn multiply(left: MatRef<'_, f64>, right: MatRef<'_, f64>, run: &Run) -> Result<DenseMatrix> {
    let mut out = DenseMatrix::zeros(left.nrows(), right.ncols());
    let columns = right.ncols();
    if columns > 0 {
        let blocks = out.values_mut().chunks_mut(ROWS_OF_PRODUCT * columns).enumerate();
        parallel::try_for_each(blocks, |(block, values)| {
            run.check()?;
            let rows = values.len() / columns;
            let part = left.subrows(block * ROWS_OF_PRODUCT, rows);
            let values = MatMut::from_row_major_slice_mut(values, rows, columns);
            matmul(values, Accum::Replace, part, right, 1.0, Par::Seq);
            Ok(())
        })?;
    }
    Ok(out)
}

/// `A B`.
///
/// # Errors
/// [`Error::Cancelled`]. This also applies to the other products.
pub(crate) fn product(a: &DenseMatrix, b: &DenseMatrix, run: &Run) -> Result<DenseMatrix> {
    multiply(view(a), view(b), run)
}

/// `A B'`: the dot products of the rows of `a` with those of `b`.
pub(crate) fn row_products(a: &DenseMatrix, b: &DenseMatrix, run: &Run) -> Result<DenseMatrix> {
    multiply(view(a), view(b).transpose(), run)
}

/// Computes [`row_products`] without polling the cancel flag, so that no error can occur.
pub(crate) fn unpolled_row_products(a: &DenseMatrix, b: &DenseMatrix) -> DenseMatrix {
    let mut out = DenseMatrix::zeros(a.rows(), b.rows());
    let (width, columns) = (a.columns(), b.rows());
    if columns > 0 && width > 0 {
        let blocks = out.values_mut().chunks_mut(ROWS_OF_PRODUCT * columns);
        let own = a.values().chunks(ROWS_OF_PRODUCT * width);
        parallel::for_each(blocks.zip(own), |(out, own)| {
            block_row_products(1.0, own, b.values(), width, out);
        });
    }
    out
}

/// `A' B`: the dot products of the columns of `a` with those of `b`.
pub(crate) fn column_products(a: &DenseMatrix, b: &DenseMatrix, run: &Run) -> Result<DenseMatrix> {
    multiply(view(a).transpose(), view(b), run)
}

/// `A' A`, exactly symmetric.
pub(crate) fn gram(a: &DenseMatrix, run: &Run) -> Result<DenseMatrix> {
    let whole = view(a);
    mirrored(a.columns(), run, |range, rows| {
        let part = whole.subcols(range.start, range.len());
        let rows = MatMut::from_row_major_slice_mut(rows, range.len(), whole.ncols());
        let (before, rest) = rows.split_at_col_mut(range.start);
        let own = rest.subcols_mut(0, range.len());
        let (turned, earlier) = (part.transpose(), whole.subcols(0, range.start));
        matmul(before, Accum::Replace, turned, earlier, 1.0, Par::Seq);
        let full = BlockStructure::Rectangular;
        let lower = BlockStructure::TriangularLower;
        triangular::matmul(own, lower, Accum::Replace, turned, full, part, full, 1.0, Par::Seq);
    })
}

/// Builds a symmetric matrix. `fill` receives a range of rows and writes their entries up to the
/// diagonal; entries above the diagonal are ignored. Every block of rows polls the cancel flag.
///
/// # Errors
/// [`Error::Cancelled`].
pub(crate) fn mirrored(
    size: usize,
    run: &Run,
    fill: impl Fn(Range<usize>, &mut [f64]) + Sync,
) -> Result<DenseMatrix> {
    let mut out = DenseMatrix::zeros(size, size);
    if size > 0 {
        let blocks = out.values_mut().chunks_mut(ROWS_OF_PRODUCT * size).enumerate();
        parallel::try_for_each(blocks, |(block, rows)| {
            run.check()?;
            let start = block * ROWS_OF_PRODUCT;
            fill(start..start + rows.len() / size, rows);
            Ok(())
        })?;
    }
    mirror(&mut out);
    Ok(out)
}

/// Copies the part below the diagonal to the part above.
fn mirror(a: &mut DenseMatrix) {
    // Numbers in a cache line.
    const STRIPE: usize = 8;
    let size = a.rows();
    let mut rest = a.values_mut();
    for start in (0..size).step_by(STRIPE) {
        let count = STRIPE.min(size - start);
        let (own, below) = rest.split_at_mut(count * size);
        for i in 0..count {
            for j in 0..i {
                own[j * size + start + i] = own[i * size + start + j];
            }
        }
        for (row, line) in below.chunks(size).enumerate() {
            let column = start + count + row;
            for (j, &value) in line[start..start + count].iter().enumerate() {
                own[j * size + column] = value;
            }
        }
        rest = below;
    }
}

/// Number of entries of a matrix from which a decomposition runs on a separate thread. It cannot be stopped,
/// and takes too long to wait for when the run is cancelled.
const LONG: usize = 500 * 500;

/// Interval at which the cancel flag is polled during a decomposition.
const POLL: Duration = Duration::from_millis(50);

/// Runs work that cannot be stopped, and returns its result. If a matrix is large, the work runs on copies on
/// another thread. When the run is cancelled, that thread finishes by itself and its result is discarded.
///
/// # Errors
/// [`Error::Cancelled`].
fn unstoppable<T: Send + 'static, const COUNT: usize>(
    matrices: [&DenseMatrix; COUNT],
    run: &Run,
    work: fn([&DenseMatrix; COUNT]) -> T,
) -> Result<T> {
    run.check()?;
    if matrices.iter().all(|a| a.values().len() < LONG) {
        return Ok(work(matrices));
    }
    let (send, receive) = channel();
    let own = matrices.map(DenseMatrix::clone);
    let spawned =
        Builder::new().name("decomposition".to_string()).stack_size(8 << 20).spawn(move || {
            // The receiver no longer exists if the run was cancelled.
            let _ = send.send(work(own.each_ref()));
        });
    if spawned.is_err() {
        return Ok(work(matrices));
    }
    loop {
        match receive.recv_timeout(POLL) {
            Ok(found) => return Ok(found),
            Err(RecvTimeoutError::Timeout) => run.check()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Error::Internal("a decomposition ended without a result".to_string()));
            }
        }
    }
}

/// Computes the eigenpairs of a symmetric matrix. Only the lower triangle is read.
///
/// # Errors
/// A value that is not finite, or no convergence; [`Error::Cancelled`].
pub(crate) fn symmetric_eigen(a: &DenseMatrix, run: &Run) -> Result<Eigen> {
    finite(a)?;
    unstoppable([a], run, eigen)?
}

fn eigen([a]: [&DenseMatrix; 1]) -> Result<Eigen> {
    let size = a.rows();
    let found = view(a).self_adjoint_eigen(Side::Lower).map_err(|_| stuck("eigenvalues"))?;
    let values: Vec<f64> = found.S().column_vector().iter().copied().collect();
    let vectors = found.U();
    let order = descending(&values);
    let mut sorted = DenseMatrix::zeros(size, size);
    for (place, &k) in order.iter().enumerate() {
        sorted.row_mut(place).iter_mut().enumerate().for_each(|(i, v)| *v = vectors[(i, k)]);
    }
    Ok(Eigen { values: order.iter().map(|&k| values[k]).collect(), vectors: sorted })
}

/// Whether a symmetric matrix is positive definite. Only the lower triangle is read, and it is
/// overwritten. An error from `check` stops the work.
///
/// # Errors
/// The errors of `check`.
pub(crate) fn is_positive_definite(
    mut a: DenseMatrix,
    check: impl Fn() -> Result<()>,
) -> Result<bool> {
    let size = a.rows();
    for start in (0..size).step_by(ROWS_OF_PRODUCT) {
        check()?;
        let end = size.min(start + ROWS_OF_PRODUCT);
        let width = end - start;
        let corner =
            MatRef::from_row_major_slice(&a.values()[start * size..end * size], width, size)
                .subcols(start, width);
        let Ok(factor) = corner.llt(Side::Lower) else { return Ok(false) };
        let below = &mut a.values_mut()[end * size..];
        let mut panel = DenseMatrix::zeros(size - end, width);
        let panels = panel.values_mut().chunks_mut(ROWS_OF_PRODUCT * width);
        let blocks = below.chunks(ROWS_OF_PRODUCT * size).zip(panels);
        parallel::for_each(blocks, |(rows, panel)| {
            let count = rows.len() / size;
            let rows = MatRef::from_row_major_slice(rows, count, size).subcols(start, width);
            let mut panel = MatMut::from_row_major_slice_mut(panel, count, width);
            panel.copy_from(rows);
            solve_lower_triangular_in_place(factor.L(), panel.transpose_mut(), Par::Seq);
        });
        let panel = view(&panel);
        let blocks = below.chunks_mut(ROWS_OF_PRODUCT * size).enumerate();
        parallel::for_each(blocks, |(block, rows)| {
            let (first, count) = (block * ROWS_OF_PRODUCT, rows.len() / size);
            // Only up to the diagonal block.
            let rows = MatMut::from_row_major_slice_mut(rows, count, size);
            let rows = rows.subcols_mut(end, first + count);
            let (own, others) = (panel.subrows(first, count), panel.subrows(0, first + count));
            matmul(rows, Accum::Add, own, others.transpose(), -1.0, Par::Seq);
        });
    }
    Ok(true)
}

/// Computes the eigenpairs of `A v = s B v` for symmetric `A` and `B`, with `v' B v = 1`. Returns
/// `None` if `B` is not numerically positive definite.
///
/// # Errors
/// The errors of [`symmetric_eigen`].
pub(crate) fn generalized_eigen(
    a: &DenseMatrix,
    b: &DenseMatrix,
    run: &Run,
) -> Result<Option<Eigen>> {
    finite(a)?;
    finite(b)?;
    let Some((reduced, lower)) = unstoppable([a, b], run, reduced)? else { return Ok(None) };
    if reduced.values().iter().any(|value| !value.is_finite()) {
        return Ok(None);
    }
    let mut found = symmetric_eigen(&reduced, run)?;
    found.vectors = unstoppable([&lower, &found.vectors], run, solved_by_transpose)?;
    let finite = found.vectors.values().iter().all(|value| value.is_finite());
    Ok(finite.then_some(found))
}

/// `L^-1 A L^-T` and the Cholesky factor `L` of `B`; `None` if `B` is not numerically positive definite.
fn reduced([a, b]: [&DenseMatrix; 2]) -> Option<(DenseMatrix, DenseMatrix)> {
    let factor = view(b).llt(Side::Lower).ok()?;
    let lower = factor.L();
    let mut reduced = Mat::from_fn(a.rows(), a.rows(), |i, j| a.row(i.max(j))[i.min(j)]);
    solve_lower_triangular_in_place(lower, reduced.as_mut(), Par::Seq);
    solve_lower_triangular_in_place(lower, reduced.as_mut().transpose_mut(), Par::Seq);
    let mut reduced = copy(reduced.as_ref());
    // Rounding makes it slightly asymmetric.
    for i in 0..reduced.rows() {
        for j in 0..i {
            let mean = (reduced.row(i)[j] + reduced.row(j)[i]) / 2.0;
            reduced.row_mut(i)[j] = mean;
        }
    }
    mirror(&mut reduced);
    Some((reduced, copy(lower)))
}

/// Replaces every row `v` by `L^-T v`, for a lower triangular `L`.
fn solved_by_transpose([lower, rows]: [&DenseMatrix; 2]) -> DenseMatrix {
    let mut solved = rows.clone();
    let (count, columns) = (solved.rows(), solved.columns());
    let vectors = MatMut::from_row_major_slice_mut(solved.values_mut(), count, columns);
    solve_upper_triangular_in_place(view(lower).transpose(), vectors.transpose_mut(), Par::Seq);
    solved
}

/// Computes the eigenpairs of `A v = s (B + r I) v` and returns them with the ridge `r`. The ridge
/// is 0 unless `B` is singular; then it is `share` times the mean of the diagonal of `B`, or of
/// `scale` if `B` is 0.
///
/// # Errors
/// The errors of [`symmetric_eigen`]; the matrix is singular even with the ridge.
pub(crate) fn regularized_eigen(
    a: &DenseMatrix,
    mut b: DenseMatrix,
    scale: &DenseMatrix,
    share: f64,
    run: &Run,
) -> Result<(Eigen, f64)> {
    if !nearly_singular(&b, run)?
        && let Some(found) = generalized_eigen(a, &b, run)?
    {
        return Ok((found, 0.0));
    }
    let mean =
        |a: &DenseMatrix| (0..a.rows()).map(|i| a.row(i)[i]).sum::<f64>() / a.rows().max(1) as f64;
    // A mean that is only rounding error around 0 is not a scale.
    let own = mean(&b);
    let ridge = share * if own > 1e-12 * mean(scale) { own } else { mean(scale) };
    for i in 0..b.rows() {
        b.row_mut(i)[i] += ridge;
    }
    match generalized_eigen(a, &b, run)? {
        Some(found) => Ok((found, ridge)),
        None => Err(Error::data(
            format!("a matrix is singular, even with {ridge:e} added to its diagonal"),
            "rescale the columns, or increase the ridge if the method has one",
        )),
    }
}

/// Computes the thin singular value decomposition.
///
/// # Errors
/// A value that is not finite, or no convergence; [`Error::Cancelled`].
pub(crate) fn singular(a: &DenseMatrix, run: &Run) -> Result<Singular> {
    finite(a)?;
    unstoppable([a], run, thin)?
}

fn thin([a]: [&DenseMatrix; 1]) -> Result<Singular> {
    let found = view(a).thin_svd().map_err(|_| stuck("singular values"))?;
    let values = found.S().column_vector();
    Ok(Singular {
        left: copy(found.U()),
        values: (0..values.nrows()).map(|k| values[k].max(0.0)).collect(),
        right: copy(found.V().transpose()),
    })
}

/// Replaces `out` by `factor A B'`, where `a` and `b` contain rows of `width` numbers; `out` has one
/// row per row of `a`. Like the next two functions, it runs on the calling thread, for callers that
/// already work in blocks.
///
/// # Panics
/// The lengths of the slices do not match.
pub(crate) fn block_row_products(factor: f64, a: &[f64], b: &[f64], width: usize, out: &mut [f64]) {
    if width == 0 || out.is_empty() {
        return out.fill(0.0);
    }
    let (rows, others) = (a.len() / width, b.len() / width);
    let a = MatRef::from_row_major_slice(a, rows, width);
    let b = MatRef::from_row_major_slice(b, others, width);
    let out = MatMut::from_row_major_slice_mut(out, rows, others);
    matmul(out, Accum::Replace, a, b.transpose(), factor, Par::Seq);
}

/// Writes the dot products of the rows `range` of `a` with all rows before `range.end` to `out`. Each
/// row of `out` has one entry per row of `a`; entries from `range.end` on remain unchanged.
pub(crate) fn lower_row_products(a: &DenseMatrix, range: Range<usize>, out: &mut [f64]) {
    let (size, whole) = (a.rows(), view(a));
    let out = MatMut::from_row_major_slice_mut(out, range.len(), size).subcols_mut(0, range.end);
    let own = whole.subrows(range.start, range.len());
    matmul(out, Accum::Replace, own, whole.subrows(0, range.end).transpose(), 1.0, Par::Seq);
}

/// Adds `A[.., range] B[range, ..]` to `out`, where each row of `a` has one entry per row of `b`.
pub(crate) fn add_block_product(a: &[f64], b: &DenseMatrix, range: Range<usize>, out: &mut [f64]) {
    let (size, columns) = (b.rows(), b.columns());
    if columns == 0 || range.is_empty() {
        return;
    }
    let rows = a.len() / size;
    let a = MatRef::from_row_major_slice(a, rows, size).subcols(range.start, range.len());
    let b = view(b).subrows(range.start, range.len());
    let out = MatMut::from_row_major_slice_mut(out, rows, columns);
    matmul(out, Accum::Add, a, b, 1.0, Par::Seq);
}

/// Adds `A' B` to `out`, where `a` and `b` have the same number of rows, and those of `b` have
/// `columns` entries.
pub(crate) fn add_block_column_products(a: &[f64], b: &[f64], columns: usize, out: &mut [f64]) {
    if columns == 0 || b.is_empty() {
        return;
    }
    let rows = b.len() / columns;
    let size = a.len() / rows;
    let a = MatRef::from_row_major_slice(a, rows, size);
    let b = MatRef::from_row_major_slice(b, rows, columns);
    let out = MatMut::from_row_major_slice_mut(out, size, columns);
    matmul(out, Accum::Add, a.transpose(), b, 1.0, Par::Seq);
}

/// Adds `weight` times the outer product of a vector with itself to a matrix.
pub(crate) fn add_outer(matrix: &mut DenseMatrix, vector: &[f64], weight: f64) {
    for (i, value) in vector.iter().enumerate() {
        let entries = matrix.row_mut(i).iter_mut().zip(vector);
        entries.for_each(|(entry, other)| *entry += weight * value * other);
    }
}

/// The principal axes of a map: `diag(s) V'` for `L = U diag(s) V'`. This leaves `L'L` unchanged;
/// the rows are orthogonal, and the longest comes first. There is one row per row of `L`, but not
/// more than `L` has columns.
///
/// # Errors
/// The errors of [`singular`].
pub(crate) fn principal_axes(matrix: &DenseMatrix, run: &Run) -> Result<DenseMatrix> {
    let Singular { values, right: mut axes, .. } = singular(matrix, run)?;
    for (k, value) in values.iter().enumerate() {
        axes.row_mut(k).iter_mut().for_each(|entry| *entry *= value);
    }
    Ok(axes)
}

/// Whether a column of a centered matrix is a linear combination of others, that is, whether less
/// than 1e-12 of its squared norm remains after projecting out others.
///
/// # Errors
/// [`Error::Cancelled`].
pub(crate) fn depend_on_others(a: &DenseMatrix, run: &Run) -> Result<bool> {
    nearly_singular(&gram(a, run)?, run)
}

/// Whether a positive semidefinite matrix is numerically singular, that is, whether less than 1e-12
/// of a diagonal entry remains after eliminating other rows.
///
/// # Errors
/// [`Error::Cancelled`].
pub(crate) fn nearly_singular(a: &DenseMatrix, run: &Run) -> Result<bool> {
    unstoppable([a], run, loses_a_diagonal_entry)
}

fn loses_a_diagonal_entry([a]: [&DenseMatrix; 1]) -> bool {
    let mut scaled = a.clone();
    let lengths: Vec<f64> = (0..a.rows()).map(|i| a.row(i)[i].sqrt()).collect();
    if lengths.iter().any(|&length| length == 0.0 || !length.is_finite()) {
        return true;
    }
    for i in 0..scaled.rows() {
        let row = scaled.row_mut(i);
        row.iter_mut().zip(&lengths).for_each(|(value, length)| *value /= length * lengths[i]);
    }
    match view(&scaled).llt(Side::Lower) {
        Ok(factor) => (0..lengths.len()).any(|i| factor.L()[(i, i)].powi(2) < 1e-12),
        Err(_) => true,
    }
}

/// Inverts a lower triangular matrix. Entries above the diagonal are not read.
///
/// # Errors
/// [`Error::Cancelled`].
pub(crate) fn lower_inverse(a: &DenseMatrix, run: &Run) -> Result<DenseMatrix> {
    unstoppable([a], run, inverse_of_lower)
}

fn inverse_of_lower([a]: [&DenseMatrix; 1]) -> DenseMatrix {
    let mut inverse = DenseMatrix::identity(a.rows());
    let size = a.rows();
    let values = MatMut::from_row_major_slice_mut(inverse.values_mut(), size, size);
    solve_lower_triangular_in_place(view(a), values, Par::Seq);
    inverse
}

fn finite(a: &DenseMatrix) -> Result<()> {
    if a.values().iter().all(|value| value.is_finite()) {
        return Ok(());
    }
    Err(Error::data(
        "the values are so large or so small that their products are not finite",
        "rescale the columns",
    ))
}

fn stuck(what: &str) -> Error {
    Error::Internal(format!("the {what} of a finite matrix could not be computed"))
}

/// The Cholesky factor of a symmetric positive definite matrix.
pub(crate) struct CholeskyFactor(Llt<f64>);

impl CholeskyFactor {
    /// Factorizes a matrix. Returns `None` if it is not numerically positive definite.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(crate) fn new(a: &DenseMatrix, run: &Run) -> Result<Option<Self>> {
        unstoppable([a], run, |[a]| view(a).llt(Side::Lower).ok().map(Self))
    }

    /// The lower triangular `L` of `A = L L'`.
    pub(crate) fn lower(&self) -> DenseMatrix {
        let (factor, size) = (self.0.L(), self.0.L().nrows());
        let mut lower = DenseMatrix::zeros(size, size);
        for i in 0..size {
            let row = lower.row_mut(i)[..=i].iter_mut().enumerate();
            row.for_each(|(j, value)| *value = factor[(i, j)]);
        }
        lower
    }

    /// Solves `A x = b`.
    pub(crate) fn solve(&self, b: &[f64]) -> Vec<f64> {
        let x = self.0.solve(Mat::from_fn(b.len(), 1, |i, _| b[i]));
        (0..b.len()).map(|i| x[(i, 0)]).collect()
    }
}

/// Solves `A x = b` for a symmetric positive definite `A`, whose entries are `lower(i, j)` with
/// `i >= j`. Returns `None` if `A` is not numerically positive definite.
pub(crate) fn solve_positive_definite(
    lower: impl Fn(usize, usize) -> f64,
    b: &[f64],
) -> Option<Vec<f64>> {
    let size = b.len();
    let matrix = Mat::from_fn(size, size, |i, j| lower(i.max(j), i.min(j)));
    let factor = matrix.llt(Side::Lower).ok()?;
    let x = factor.solve(Mat::from_fn(size, 1, |i, _| b[i]));
    let x: Vec<f64> = (0..size).map(|i| x[(i, 0)]).collect();
    x.iter().all(|value| value.is_finite()).then_some(x)
}

/// The scalar product of two lists, with independent sums that the compiler can vectorize.
pub(crate) fn dot(one: &[f64], other: &[f64]) -> f64 {
    const SIDE: usize = 8;
    let mut sums = [0.0; SIDE];
    let (left, right) = (one.chunks_exact(SIDE), other.chunks_exact(SIDE));
    let rest = left.remainder().iter().zip(right.remainder());
    let rest: f64 = rest.map(|(a, b)| a * b).sum();
    for (a, b) in left.zip(right) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    sums.iter().sum::<f64>() + rest
}

/// The sum of a list, with independent sums as in [`dot`].
pub(crate) fn sum(values: &[f64]) -> f64 {
    const SIDE: usize = 8;
    let mut sums = [0.0; SIDE];
    let chunks = values.chunks_exact(SIDE);
    let rest: f64 = chunks.remainder().iter().sum();
    for chunk in chunks {
        sums.iter_mut().zip(chunk).for_each(|(sum, value)| *sum += value);
    }
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::CancelFlag;
    use std::time::Instant;

    fn run() -> Run {
        Run::new(Some(1)).unwrap()
    }

    #[test]
    fn a_long_decomposition_is_left_when_the_run_is_cancelled() {
        let size = 1500;
        let mut a = DenseMatrix::zeros(size, size);
        for (place, value) in a.values_mut().iter_mut().enumerate() {
            let (i, j) = (place / size, place % size);
            *value = ((i * j + i + j) as f64).sin();
        }
        let flag = CancelFlag::new();
        let run = run().with_cancel(flag.clone());
        let start = Instant::now();
        let whole = symmetric_eigen(&a, &self::run()).unwrap();
        let whole_time = start.elapsed();
        assert_eq!(whole.values.len(), size);
        let stopper = std::thread::spawn(move || {
            std::thread::sleep(whole_time / 10);
            flag.cancel();
        });
        assert!(matches!(symmetric_eigen(&a, &run), Err(Error::Cancelled)));
        stopper.join().unwrap();
        assert!(matches!(singular(&a, &run), Err(Error::Cancelled)));
    }

    /// Numbers without a pattern.
    fn numbers(rows: usize, columns: usize) -> DenseMatrix {
        let value = |k: usize| ((k * 7919 + 13) % 1009) as f64 / 1009.0 - 0.4;
        DenseMatrix::new((0..rows * columns).map(value).collect(), rows, columns)
    }

    fn naive(a: &DenseMatrix, b: &DenseMatrix) -> DenseMatrix {
        let mut out = DenseMatrix::zeros(a.rows(), b.columns());
        for i in 0..a.rows() {
            for j in 0..b.columns() {
                out.row_mut(i)[j] = (0..a.columns()).map(|k| a.row(i)[k] * b.row(k)[j]).sum();
            }
        }
        out
    }

    fn assert_near(a: &DenseMatrix, b: &DenseMatrix) {
        assert_eq!((a.rows(), a.columns()), (b.rows(), b.columns()));
        for (x, y) in a.values().iter().zip(b.values()) {
            assert!((x - y).abs() < 1e-11, "{x} {y}");
        }
    }

    #[test]
    fn products_are_those_of_the_definition() {
        let (a, b) = (numbers(300, 17), numbers(17, 5));
        assert_near(&product(&a, &b, &run()).unwrap(), &naive(&a, &b));
        assert_near(&row_products(&a, &b.transposed(), &run()).unwrap(), &naive(&a, &b));
        assert_near(&column_products(&a.transposed(), &b, &run()).unwrap(), &naive(&a, &b));
        let wide = numbers(20, 150);
        assert_near(&gram(&wide, &run()).unwrap(), &naive(&wide.transposed(), &wide));
        assert_eq!(
            product(&DenseMatrix::zeros(3, 0), &DenseMatrix::zeros(0, 2), &run()).unwrap(),
            DenseMatrix::zeros(3, 2)
        );
        assert!(gram(&DenseMatrix::zeros(3, 0), &run()).unwrap().values().is_empty());
        let own = mirrored(300, &run(), |range, rows| lower_row_products(&a, range, rows)).unwrap();
        assert_near(&own, &naive(&a, &a.transposed()));
        assert_eq!(own, own.transposed());
    }

    #[test]
    fn eigenpairs_solve_their_equations() {
        let (half, other) = (numbers(40, 6), numbers(30, 6));
        let mut a = gram(&half, &run()).unwrap();
        let b = gram(&other, &run()).unwrap();
        a.row_mut(0)[0] -= 50.0;
        let found = symmetric_eigen(&a, &run()).unwrap();
        let general = generalized_eigen(&a, &b, &run()).unwrap().unwrap();
        for (pairs, metric) in [(&found, &DenseMatrix::identity(6)), (&general, &b)] {
            let left = product(&pairs.vectors, &a, &run()).unwrap();
            let mut right = product(&pairs.vectors, metric, &run()).unwrap();
            assert_near(
                &row_products(&right, &pairs.vectors, &run()).unwrap(),
                &DenseMatrix::identity(6),
            );
            for (i, value) in pairs.values.iter().enumerate() {
                right.row_mut(i).iter_mut().for_each(|entry| *entry *= value);
            }
            assert_near(&left, &right);
            assert!(pairs.values.is_sorted_by(|x, y| x >= y) && pairs.values[5] < 0.0);
        }
        assert!(generalized_eigen(&a, &DenseMatrix::zeros(6, 6), &run()).unwrap().is_none());
    }

    #[test]
    fn definite_matrices_are_told_from_others() {
        let free = || Ok(());
        for size in [1, 5, 128, 300] {
            let half = numbers(size, size);
            let mut a = gram(&half, &run()).unwrap();
            (0..size).for_each(|i| a.row_mut(i)[i] += 0.01);
            assert!(is_positive_definite(a.clone(), free).unwrap());
            let least = symmetric_eigen(&a, &run()).unwrap().values[size - 1];
            // Entries above the diagonal are not read.
            (0..size).for_each(|i| a.row_mut(i)[i + 1..].fill(f64::NAN));
            for (moved, expected) in [(0.99, true), (1.01, false)] {
                let mut moved_down = a.clone();
                (0..size).for_each(|i| moved_down.row_mut(i)[i] -= moved * least);
                assert_eq!(is_positive_definite(moved_down, free).unwrap(), expected, "{size}");
            }
        }
        let stopped = is_positive_definite(DenseMatrix::identity(2), || Err(Error::Cancelled));
        assert!(matches!(stopped, Err(Error::Cancelled)));
    }

    #[test]
    fn singular_values_rebuild_the_matrix() {
        for (rows, columns) in [(30, 4), (4, 30)] {
            let a = numbers(rows, columns);
            let mut found = singular(&a, &run()).unwrap();
            assert_near(
                &row_products(&found.right, &found.right, &run()).unwrap(),
                &DenseMatrix::identity(4),
            );
            for (k, value) in found.values.iter().enumerate() {
                found.right.row_mut(k).iter_mut().for_each(|entry| *entry *= value);
            }
            assert_near(&product(&found.left, &found.right, &run()).unwrap(), &a);
            assert!(found.values.is_sorted_by(|x, y| x >= y));
        }
    }

    #[test]
    fn products_of_blocks_are_those_of_the_whole() {
        let (a, b, wide) = (numbers(7, 11), numbers(11, 3), numbers(7, 4));
        let mut out = DenseMatrix::zeros(7, 11);
        block_row_products(-2.0, wide.values(), numbers(11, 4).values(), 4, out.values_mut());
        let mut expected = naive(&wide, &numbers(11, 4).transposed());
        expected.values_mut().iter_mut().for_each(|value| *value *= -2.0);
        assert_near(&out, &expected);
        let mut out = DenseMatrix::zeros(7, 3);
        for range in [0..4, 4..4, 4..11] {
            add_block_product(a.values(), &b, range, out.values_mut());
        }
        assert_near(&out, &naive(&a, &b));
        let mut out = DenseMatrix::zeros(11, 4);
        add_block_column_products(a.values(), wide.values(), 4, out.values_mut());
        assert_near(&out, &naive(&a.transposed(), &wide));
    }

    #[test]
    fn principal_axes_keep_the_metric() {
        let map = numbers(3, 5);
        let axes = principal_axes(&map, &run()).unwrap();
        assert_near(&gram(&axes, &run()).unwrap(), &gram(&map, &run()).unwrap());
        let products = row_products(&axes, &axes, &run()).unwrap();
        let length = |k: usize| products.row(k)[k];
        assert!(length(0) > length(1) && length(1) > length(2));
        assert!(products.row(0)[1].abs() < 1e-13 && products.row(1)[2].abs() < 1e-13);
    }

    #[test]
    fn a_lower_inverse_is_one() {
        let mut lower = numbers(6, 6);
        for i in 0..6 {
            lower.row_mut(i)[i] += 1.0;
            lower.row_mut(i)[i + 1..].fill(0.0);
        }
        assert_near(
            &product(&lower_inverse(&lower, &run()).unwrap(), &lower, &run()).unwrap(),
            &DenseMatrix::identity(6),
        );
    }

    #[test]
    fn solves_and_says_when_it_cannot() {
        let x = solve_positive_definite(|i, j| [[4.0, 0.0], [2.0, 3.0]][i][j], &[8.0, 7.0]);
        let x = x.unwrap();
        assert!((x[0] - 1.25).abs() < 1e-15 && (x[1] - 1.5).abs() < 1e-15, "{x:?}");
        assert!(solve_positive_definite(|_, _| 1.0, &[1.0, 1.0]).is_none());
    }
}
