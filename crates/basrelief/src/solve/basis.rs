//! Bases of a kernel's feature space: coordinates of the rows whose inner products equal the kernel
//! values. With them, every method that takes coordinates has a kernel form.

use super::kernel_function::Kernel;
use super::leading::{are_few, leading_eigen};
use crate::algebra::{
    CholeskyFactor, Eigen, for_each_row, lower_inverse, product, row_products, symmetric_eigen,
};
use crate::data::DenseMatrix;
use crate::error::{Error, Result};
use crate::parallel;
use crate::run::Run;
use crate::warning::Warning;
use crate::wording::setting;

/// Maximum number of entries of a matrix of kernel values (3.2 GB).
const MOST_ENTRIES: usize = 400_000_000;

/// Memory of a full eigendecomposition, in matrices of the size of the kernel matrix, which is one of
/// them.
const EIGEN_MATRICES: usize = 8;

/// Rows of a column of kernel values that one task processes.
const ROWS_OF_TASK: usize = 1024;

/// A negative part of a kernel is reported if it exceeds this fraction of the largest eigenvalue
/// (kpca) or squared length (gram-schmidt).
const INDEFINITE: f64 = 1e-8;

/// How a basis of the rows' span in a kernel's feature space is constructed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Basis {
    /// Kernel principal components of all rows (Wang et al. 2011, eq. 57). Needs a matrix of rows x
    /// rows.
    #[default]
    Kpca,
    /// Gram-Schmidt orthonormalization; the next row is always the one farthest from the span of the
    /// previous rows. This is an incomplete Cholesky decomposition of the kernel matrix with
    /// pivoting. Only the columns of the chosen rows are computed.
    GramSchmidt,
}

/// When the construction of a basis stops.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Limits {
    /// Maximum number of dimensions; `None` for all.
    pub(crate) rank: Option<usize>,
    /// A dimension must exceed this fraction of the largest eigenvalue (kpca) or squared length
    /// (gram-schmidt).
    pub(crate) tolerance: f64,
}

/// Coordinates in a kernel's feature space. `coordinates` contains those of the rows that the basis
/// was built from. Any row x has the coordinates `coefficients k(x) + offset`, where `k(x)` are its
/// kernel values with the basis rows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Embedding {
    /// The basis rows.
    pub(crate) rows: Vec<usize>,
    /// Rows x dimensions, of mean 0.
    pub(crate) coordinates: DenseMatrix,
    /// Dimensions x basis rows.
    pub(crate) coefficients: DenseMatrix,
    /// One number per dimension, which makes the mean of the coordinates 0.
    pub(crate) offset: Vec<f64>,
    /// Whether the dimensions are certainly linearly independent. If rows are orthonormalized before they are
    /// centered, centering can reduce the rank by one.
    pub(crate) independent: bool,
}

impl Basis {
    /// Computes centered coordinates of rows in the feature space of a kernel. Adds warnings for the
    /// user to `warnings`.
    ///
    /// # Errors
    /// The matrix needed is too large; kernel values are not finite; [`Error::Cancelled`].
    pub(crate) fn embed(
        self,
        kernel: Kernel,
        rows: &DenseMatrix,
        limits: Limits,
        warnings: &mut Vec<Warning>,
        run: &Run,
    ) -> Result<Embedding> {
        match self {
            Basis::Kpca => {
                let (basis, rank) =
                    (setting("basis", Some("gram-schmidt")), setting("max_rank", None));
                let help = format!("use {basis} and limit the rank with {rank}, or use fewer rows");
                check_size(rows.rows(), rows.rows(), &help)?;
                principal(kernel, rows, limits, warnings, run)
            }
            Basis::GramSchmidt => cholesky(kernel, rows, limits, warnings, run),
        }
    }
}

/// Computes centered coordinates of rows in the feature space of a kernel, in the basis of their full span that is
/// cheapest to compute. They equal those of [`Basis::embed`] up to a rotation and the dimensions that `tolerance`
/// excludes.
///
/// # Errors
/// See [`Basis::embed`].
pub(crate) fn embed_anyhow(
    kernel: Kernel,
    rows: &DenseMatrix,
    tolerance: f64,
    warnings: &mut Vec<Warning>,
    run: &Run,
) -> Result<Embedding> {
    let fits = rows.rows() > 1 && check_size(rows.rows(), rows.rows(), "").is_ok();
    let found = if fits { triangular(kernel, rows, tolerance, run)? } else { None };
    match found {
        Some(found) => Ok(found),
        None => cholesky(kernel, rows, Limits { rank: None, tolerance }, warnings, run),
    }
}

/// Orthonormalizes the rows' differences from the first row, in their order. Returns `None` if some difference lies
/// in the span of the previous ones up to `tolerance`, a fraction of the largest squared length.
///
/// The inner products of the differences are `D = L L'`. The rows of `L` are the coordinates of the rows. A row x has
/// the coordinates `L^-1 d(x)`, where `d(x)` contains the inner products of its difference with the others.
fn triangular(
    kernel: Kernel,
    rows: &DenseMatrix,
    tolerance: f64,
    run: &Run,
) -> Result<Option<Embedding>> {
    let count = rows.rows();
    let gram = kernel.gram(rows, run)?;
    let first = gram.row(0);
    let mut products = DenseMatrix::zeros(count - 1, count - 1);
    for_each_row(&mut products, count, &|i, row| {
        let own = gram.row(i + 1);
        let origin = own[0] - first[0];
        let values = row.iter_mut().zip(&own[1..]).zip(&first[1..]);
        values.for_each(|((value, k), other)| *value = k - other - origin);
    });
    let Some(factor) = CholeskyFactor::new(&products, run)? else { return Ok(None) };
    let factor = factor.lower();
    let greatest = (0..count - 1).map(|i| products.row(i)[i]).fold(0.0, f64::max);
    let is_clear = |i: usize| factor.row(i)[i].powi(2) > tolerance * greatest;
    if !(0..count - 1).all(is_clear) {
        return Ok(None);
    }
    let mut coordinates = DenseMatrix::zeros(count, count - 1);
    (1..count).for_each(|i| coordinates.row_mut(i).copy_from_slice(factor.row(i - 1)));
    let means = coordinates.means();
    for row in 0..count {
        let values = coordinates.row_mut(row).iter_mut().zip(&means);
        values.for_each(|(value, mean)| *value -= mean);
    }
    let inverse = lower_inverse(&factor, run)?;
    let mut coefficients = DenseMatrix::zeros(count - 1, count);
    let mut offset = Vec::with_capacity(count - 1);
    for (k, mean) in means.iter().enumerate() {
        let (row, own) = (coefficients.row_mut(k), inverse.row(k));
        row[0] = -own.iter().sum::<f64>();
        row[1..].copy_from_slice(own);
        let shift: f64 = own.iter().zip(&first[1..]).map(|(l, k)| l * (first[0] - k)).sum();
        offset.push(shift - mean);
    }
    let rows = (0..count).collect();
    Ok(Some(Embedding { rows, coordinates, coefficients, offset, independent: true }))
}

/// Rejects matrices with more than `MOST_ENTRIES` entries.
fn check_size(rows: usize, columns: usize, help: &str) -> Result<()> {
    if rows.saturating_mul(columns) <= MOST_ENTRIES {
        return Ok(());
    }
    let problem =
        format!("its basis needs a matrix of {rows} x {columns} kernel values, which is too large");
    Err(Error::option("kernel", problem, help))
}

fn indefinite(kernel: Kernel, share: f64) -> Warning {
    Warning::new(
        "kernel-indefinite",
        format!(
            "the kernel {kernel} is not positive semidefinite on these rows; its negative part ({share:.1e} of the \
             positive part) was excluded"
        ),
    )
}

/// Reports how much a basis excludes that stops at its maximum rank.
fn left_out(rank: usize, share: f64) -> Warning {
    let percent = match 100.0 * share {
        percent if percent < 0.1 => "less than 0.1".to_string(),
        percent => format!("{percent:.1}"),
    };
    let dimensions = if rank == 1 { "dimension" } else { "dimensions" };
    Warning::new(
        "kernel-rank",
        format!(
            "the basis of {rank} {dimensions} excludes {percent} % of the rows' squared lengths in the kernel's \
             feature space ({})",
            setting("max_rank", None)
        ),
    )
}

fn not_finite(kernel: Kernel) -> Error {
    Error::data(
        format!("values of the kernel {kernel} are too large to be finite numbers"),
        format!(
            "rescale the columns ({}), or use other parameters",
            setting("scale", Some("standard"))
        ),
    )
}

/// The centered kernel matrix of rows.
struct Centered {
    matrix: DenseMatrix,
    /// The row means before centering.
    means: Vec<f64>,
    /// The rounding error of centering, which is proportional to the size of the values.
    noise: f64,
}

impl Centered {
    fn new(kernel: Kernel, rows: &DenseMatrix, run: &Run) -> Result<Self> {
        let count = rows.rows();
        let mut matrix = kernel.gram(rows, run)?;
        let size = matrix.values().iter().fold(0.0_f64, |most, value| most.max(value.abs()));
        let means: Vec<f64> =
            matrix.iter().map(|row| row.iter().sum::<f64>() / count as f64).collect();
        let mean = means.iter().sum::<f64>() / count as f64;
        if !mean.is_finite() {
            return Err(not_finite(kernel));
        }
        for_each_row(&mut matrix, count, &|i, row| {
            let own = means[i];
            // The two means are added first, so that the matrix stays exactly symmetric.
            row.iter_mut().zip(&means).for_each(|(value, other)| *value -= (own + other) - mean);
        });
        Ok(Self { matrix, means, noise: f64::EPSILON * count as f64 * size })
    }
}

/// Computes kernel principal components. With the centering matrix `H`, the eigenpairs of `H K H` are
/// `(g_k, v_k)`. Coordinate k of the rows is `sqrt(g_k) v_k`; that of a row x is
/// `v_k' H (k(x) - m) / sqrt(g_k)`, where m contains the rows' mean kernel values.
///
/// Only the leading eigenpairs are computed if few are requested and the kernel cannot have a negative
/// part to report.
fn principal(
    kernel: Kernel,
    rows: &DenseMatrix,
    limits: Limits,
    warnings: &mut Vec<Warning>,
    run: &Run,
) -> Result<Embedding> {
    let count = rows.rows();
    let few = limits.rank.filter(|&rank| kernel.is_semidefinite() && are_few(rank, count));
    let matrices = if few.is_some() { 1 } else { EIGEN_MATRICES };
    run.progress().memory((matrices * 8 * count * count) as u64);
    let Centered { matrix, means, noise } = Centered::new(kernel, rows, run)?;
    run.check()?;
    let found = match few {
        Some(few) => leading_eigen(matrix, few, run)?,
        None => Some(symmetric_eigen(&matrix, run)?),
    };
    let Eigen { values, mut vectors } = match found {
        Some(found) => found,
        // The search for the leading eigenpairs has consumed the matrix.
        None => symmetric_eigen(&Centered::new(kernel, rows, run)?.matrix, run)?,
    };
    run.check()?;
    let greatest = values.first().copied().unwrap_or(0.0);
    let least = noise.max(limits.tolerance * greatest);
    let rank = values.iter().take_while(|&&value| value > least).count();
    // If the smallest eigenvalues were not computed, the kernel has no negative part.
    let negative = -values.last().copied().unwrap_or(0.0);
    if negative > noise.max(INDEFINITE * greatest) {
        warnings.push(indefinite(kernel, negative / greatest.abs()));
    }
    vectors.truncate(limits.rank.map_or(rank, |most| rank.min(most)));
    let mut coordinates = DenseMatrix::zeros(count, vectors.rows());
    for row in 0..count {
        for (k, value) in coordinates.row_mut(row).iter_mut().enumerate() {
            *value = values[k].sqrt() * vectors.row(k)[row];
        }
    }
    for k in 0..vectors.rows() {
        let vector = vectors.row_mut(k);
        let mean = vector.iter().sum::<f64>() / count as f64;
        vector.iter_mut().for_each(|entry| *entry = (*entry - mean) / values[k].sqrt());
    }
    let offset = vectors
        .iter()
        .map(|row| -row.iter().zip(&means).map(|(entry, mean)| entry * mean).sum::<f64>())
        .collect();
    let rows = (0..count).collect();
    Ok(Embedding { rows, coordinates, coefficients: vectors, offset, independent: true })
}

/// Incomplete Cholesky decomposition with pivoting, `K = G G'` up to the excluded part. Centering the
/// columns of `G` gives the coordinates.
fn cholesky(
    kernel: Kernel,
    rows: &DenseMatrix,
    limits: Limits,
    warnings: &mut Vec<Warning>,
    run: &Run,
) -> Result<Embedding> {
    let count = rows.rows();
    let most = limits.rank.map_or(count, |rank| rank.min(count));
    // The remaining squared length of every row.
    let mut left: Vec<f64> = rows.iter().map(|row| kernel.own(row)).collect();
    if left.iter().any(|value| !value.is_finite()) {
        return Err(not_finite(kernel));
    }
    let greatest = left.iter().copied().fold(0.0, f64::max);
    let whole: f64 = left.iter().sum();
    let mut pivots: Vec<usize> = Vec::new();
    let mut columns: Vec<Vec<f64>> = Vec::new();
    let progress = run.progress();
    progress.start("kernel basis", most as u64);
    while pivots.len() < most {
        run.check()?;
        let (pivot, length) = (0..count).fold((0, f64::NEG_INFINITY), |best, row| {
            if left[row] > best.1 { (row, left[row]) } else { best }
        });
        if length <= limits.tolerance * greatest || length <= 0.0 {
            break;
        }
        let help = format!("limit the rank with {}, or use fewer rows", setting("max_rank", None));
        check_size(count, pivots.len() + 1, &help)?;
        let mut column = kernel.matrix(rows, &rows.select_rows(&[pivot])).into_values();
        let root = length.sqrt();
        let blocks = column.chunks_mut(ROWS_OF_TASK).zip(left.chunks_mut(ROWS_OF_TASK));
        parallel::for_each(blocks.enumerate(), |(block, (column, left))| {
            let start = block * ROWS_OF_TASK;
            for earlier in &columns {
                let share = earlier[pivot];
                let part = &earlier[start..start + column.len()];
                column.iter_mut().zip(part).for_each(|(value, e)| *value -= share * e);
            }
            for (value, left) in column.iter_mut().zip(left) {
                *value /= root;
                *left -= *value * *value;
            }
        });
        // Known values replace rounded ones.
        pivots.iter().for_each(|&row| column[row] = 0.0);
        column[pivot] = root;
        pivots.push(pivot);
        pivots.iter().for_each(|&row| left[row] = f64::NEG_INFINITY);
        if column.iter().any(|value| !value.is_finite()) {
            return Err(not_finite(kernel));
        }
        columns.push(column);
        progress.advance(1);
    }
    progress.finish();
    let negative = left.iter().filter(|value| value.is_finite()).fold(0.0_f64, |m, &v| m.max(-v));
    if negative > INDEFINITE * greatest || greatest <= 0.0 {
        warnings.push(indefinite(kernel, negative / greatest.abs()));
    }
    let rank = pivots.len();
    let rest: f64 = left.iter().filter(|value| **value > 0.0).sum();
    if limits.rank == Some(rank) && rest > limits.tolerance * whole {
        warnings.push(left_out(rank, rest / whole));
    }
    let mut coordinates = DenseMatrix::zeros(count, rank);
    for row in 0..count {
        let values = coordinates.row_mut(row).iter_mut().zip(&columns);
        values.for_each(|(value, column)| *value = column[row]);
    }
    drop(columns);
    let means = coordinates.means();
    let coefficients = lower_inverse(&coordinates.select_rows(&pivots), run)?;
    for row in 0..count {
        let values = coordinates.row_mut(row).iter_mut().zip(&means);
        values.for_each(|(value, mean)| *value -= mean);
    }
    let offset = means.iter().map(|mean| -mean).collect();
    Ok(Embedding { rows: pivots, coordinates, coefficients, offset, independent: false })
}

impl Embedding {
    /// Computes the coordinates of other rows from their kernel values with the basis rows.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(crate) fn place(&self, kernel_values: &DenseMatrix, run: &Run) -> Result<DenseMatrix> {
        let mut placed = row_products(kernel_values, &self.coefficients, run)?;
        for row in 0..placed.rows() {
            let values = placed.row_mut(row).iter_mut().zip(&self.offset);
            values.for_each(|(value, offset)| *value += offset);
        }
        Ok(placed)
    }

    /// Returns the map `directions` of the coordinates as a map of kernel values: its coefficients and
    /// its offset.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(crate) fn compose(
        &self,
        directions: &DenseMatrix,
        run: &Run,
    ) -> Result<(DenseMatrix, Vec<f64>)> {
        let offset = DenseMatrix::new(self.offset.clone(), self.offset.len(), 1);
        let coefficients = product(directions, &self.coefficients, run)?;
        Ok((coefficients, product(directions, &offset, run)?.into_values()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(count: usize, columns: usize) -> DenseMatrix {
        let value = |k: usize| ((k * 7919 + 13) % 1009) as f64 / 504.0 - 1.0;
        DenseMatrix::new((0..count * columns).map(value).collect(), count, columns)
    }

    fn run() -> Run {
        Run::new(Some(1)).unwrap()
    }

    const ALL: Limits = Limits { rank: None, tolerance: 1e-12 };

    /// `k(x_i, x_j)` minus row means and column means, plus the total mean, entry by entry.
    fn centered(kernel: Kernel, rows: &DenseMatrix) -> Vec<Vec<f64>> {
        let count = rows.rows();
        let value = |i: usize, j: usize| kernel.value(rows.row(i), rows.row(j));
        let mean = |i: usize| (0..count).map(|j| value(i, j)).sum::<f64>() / count as f64;
        let total = (0..count).map(mean).sum::<f64>() / count as f64;
        (0..count)
            .map(|i| (0..count).map(|j| value(i, j) - mean(i) - mean(j) + total).collect())
            .collect()
    }

    #[test]
    fn inner_products_of_coordinates_are_the_centered_kernel() {
        let rows = rows(30, 4);
        for kernel in [
            Kernel::Linear,
            Kernel::Polynomial { degree: 2, scale: 1.0, constant: 1.0 },
            Kernel::Rbf { rho: 1.0 },
            Kernel::Laplacian { rho: 2.0 },
        ] {
            let expected = centered(kernel, &rows);
            for basis in [Basis::Kpca, Basis::GramSchmidt] {
                let mut warnings = Vec::new();
                let found = basis.embed(kernel, &rows, ALL, &mut warnings, &run()).unwrap();
                assert_eq!(warnings, [], "{kernel} {basis:?}");
                for i in 0..30 {
                    for j in 0..30 {
                        let (a, b) = (found.coordinates.row(i), found.coordinates.row(j));
                        let product: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
                        assert!((product - expected[i][j]).abs() < 1e-9, "{kernel} {basis:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_formula_for_new_rows_gives_the_coordinates_of_old_ones() {
        let rows = rows(40, 3);
        let kernel = Kernel::Rbf { rho: 0.8 };
        for basis in [Basis::Kpca, Basis::GramSchmidt] {
            for rank in [None, Some(7)] {
                let limits = Limits { rank, tolerance: 1e-8 };
                let mut warnings = Vec::new();
                let found = basis.embed(kernel, &rows, limits, &mut warnings, &run()).unwrap();
                assert_eq!(found.coordinates.columns(), rank.unwrap_or(found.offset.len()));
                assert!(found.coordinates.means().iter().all(|mean| mean.abs() < 1e-12));
                let values = kernel.matrix(&rows, &rows.select_rows(&found.rows));
                for (i, value) in values.iter().enumerate() {
                    for (k, coefficients) in found.coefficients.iter().enumerate() {
                        let dot: f64 = coefficients.iter().zip(value).map(|(c, v)| c * v).sum();
                        let error = dot + found.offset[k] - found.coordinates.row(i)[k];
                        assert!(error.abs() < 1e-7, "{basis:?} {error}");
                    }
                }
            }
        }
    }

    #[test]
    fn any_basis_keeps_distances_and_has_a_formula_for_new_rows() {
        let all = rows(40, 3);
        let twice = all.select_rows(&(0..40).map(|row| row % 25).collect::<Vec<_>>());
        // A narrow kernel with nothing excluded, a wide one, and duplicate rows.
        for (rows, rho, is_whole) in
            [(&all, 0.05, true), (&all, 20.0, false), (&twice, 0.05, false)]
        {
            let kernel = Kernel::Rbf { rho };
            assert_eq!(
                triangular(kernel, rows, 1e-10, &run()).unwrap().is_some(),
                is_whole,
                "{rho}"
            );
            let found = embed_anyhow(kernel, rows, 1e-10, &mut Vec::new(), &run()).unwrap();
            assert!(found.coordinates.columns() < 40 && found.coordinates.columns() > 0);
            assert!(found.coordinates.means().iter().all(|mean| mean.abs() < 1e-12));
            let values = kernel.matrix(rows, &rows.select_rows(&found.rows));
            for i in 0..40 {
                for j in 0..i {
                    let pairs = found.coordinates.row(i).iter().zip(found.coordinates.row(j));
                    let distance: f64 = pairs.map(|(a, b)| (a - b) * (a - b)).sum();
                    let expected = kernel.squared_distance(rows.row(i), rows.row(j));
                    assert!((distance - expected).abs() < 1e-8, "{rho} {distance} {expected}");
                }
                for (k, coefficients) in found.coefficients.iter().enumerate() {
                    let pairs = coefficients.iter().zip(values.row(i));
                    let dot: f64 = pairs.map(|(c, v)| c * v).sum();
                    let error = dot + found.offset[k] - found.coordinates.row(i)[k];
                    assert!(error.abs() < 1e-6, "{rho} {error}");
                }
            }
        }
        let one = rows(1, 3);
        let found = embed_anyhow(Kernel::Rbf { rho: 1.0 }, &one, 1e-10, &mut Vec::new(), &run());
        assert!(found.unwrap().offset.len() <= 1);
    }

    #[test]
    fn gram_schmidt_stops_at_the_rank_of_the_rows() {
        // 10 distinct rows of 2 columns, each of them twice, under a linear kernel.
        let half = rows(10, 2);
        let rows = half.select_rows(&(0..20).map(|row| row % 10).collect::<Vec<_>>());
        let mut warnings = Vec::new();
        let embed = |basis: Basis, warnings: &mut Vec<Warning>| {
            basis.embed(Kernel::Linear, &rows, ALL, warnings, &run()).unwrap()
        };
        assert_eq!(embed(Basis::GramSchmidt, &mut warnings).rows.len(), 2);
        assert_eq!(embed(Basis::Kpca, &mut warnings).offset.len(), 2);
    }

    #[test]
    fn what_a_rank_leaves_out_is_told() {
        // The first of the rows (3, 4), (1, 0) and (0, 1) is the longest. A basis of it alone excludes 16/25 and 9/25
        // of the squared lengths of the two others.
        let rows = DenseMatrix::new(vec![3.0, 4.0, 1.0, 0.0, 0.0, 1.0], 3, 2);
        let told = |rank: usize| {
            let mut warnings = Vec::new();
            let limits = Limits { rank: Some(rank), ..ALL };
            Basis::GramSchmidt.embed(Kernel::Linear, &rows, limits, &mut warnings, &run()).unwrap();
            warnings.iter().map(ToString::to_string).collect::<Vec<_>>().join("")
        };
        assert!(told(1).contains("of 1 dimension excludes 3.7 %"), "{}", told(1));
        assert_eq!((told(2), told(3)), (String::new(), String::new()));
    }

    #[test]
    fn what_is_no_inner_product_is_told() {
        let rows = rows(30, 3);
        for basis in [Basis::Kpca, Basis::GramSchmidt] {
            let mut warnings = Vec::new();
            let kernel = Kernel::Sigmoid { scale: 2.0, constant: -1.0 };
            basis.embed(kernel, &rows, ALL, &mut warnings, &run()).unwrap();
            assert_eq!(warnings[0].code(), "kernel-indefinite", "{basis:?}");
            let kernel = Kernel::Polynomial { degree: 20, scale: 1e300, constant: 0.0 };
            let error = basis.embed(kernel, &rows, ALL, &mut warnings, &run()).unwrap_err();
            assert!(error.to_string().contains("too large"), "{error}");
        }
    }

    #[test]
    fn matrices_that_no_machine_holds_are_refused() {
        let rows = DenseMatrix::zeros(30_000, 1);
        let error = Basis::Kpca.embed(Kernel::Linear, &rows, ALL, &mut Vec::new(), &run());
        assert!(error.unwrap_err().to_string().contains("30000 x 30000"));
        // Gram-Schmidt may compute as many columns as the limit allows.
        assert!(check_size(30_000, 13_333, "").is_ok());
        assert!(check_size(30_000, 13_334, "").is_err());
    }
}
