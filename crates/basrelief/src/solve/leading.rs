//! Computes the leading eigenpairs of a large symmetric matrix without the others.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::algebra::{
    Eigen, add_block_column_products, is_positive_definite, product, row_products, symmetric_eigen,
};
use crate::data::DenseMatrix;
use crate::error::Result;
use crate::random::{RandomStream, generator};
use crate::run::Run;

/// Number of vectors that the matrix is multiplied with at once.
const VECTORS_AT_ONCE: usize = 4;

/// Dimensions of the search space in addition to two per eigenpair.
const SPARE: usize = 80;

/// Residual `|A v - s v|` at which an eigenpair counts as found, relative to the largest absolute eigenvalue.
const FOUND: f64 = 1e-13;

/// Relative residual allowed when the eigenpairs found are multiplied with the matrix once more.
const CHECKED: f64 = 1e-12;

/// Fraction of the largest eigenvalue by which an eigenvalue that was missed may exceed those found.
const MARGIN: f64 = 1e-10;

/// Maximum number of passes that orthonormalize a block; two or three are usual.
const MOST_ROUNDS: usize = 10;

/// Whether `count` eigenpairs are few enough for [`leading_eigen`] of a matrix of this size.
pub(crate) fn are_few(count: usize, size: usize) -> bool {
    space_of(count).saturating_mul(4) <= size
}

/// Number of dimensions of the search space.
fn space_of(count: usize) -> usize {
    count.saturating_mul(2).saturating_add(SPARE)
}

/// Computes the `count` largest eigenpairs of a symmetric matrix that is stored in full; [`are_few`] must
/// hold. Returns `None` if they were not found, or could not be proven to be the largest.
///
/// The method is block Lanczos with thick restarts and full orthogonalization (Wu & Simon 2000). An
/// orthonormal search space grows by products of the matrix with its newest vectors, and is reduced to
/// its best half when it is full. It always starts with the same random vectors. A further
/// multiplication verifies that the pairs found are eigenpairs. A Cholesky decomposition proves that
/// they are the largest: it exists only if `(s_count + margin) I - A + sum s_k v_k v_k'` is positive
/// definite. Then no other eigenvalue, repeated or not, exceeds the smallest one found by more than
/// 1e-10 of the largest.
///
/// # Errors
/// See [`symmetric_eigen`]; [`Error::Cancelled`](crate::Error::Cancelled).
pub(crate) fn leading_eigen(matrix: DenseMatrix, count: usize, run: &Run) -> Result<Option<Eigen>> {
    let Some(found) = search(&matrix, count, run)? else { return Ok(None) };
    let greatest = size_of(&found.values);
    let images = images(&matrix, &found.vectors, run)?;
    if residual(&found, &images) > CHECKED * greatest {
        return Ok(None);
    }
    Ok(are_greatest(matrix, &found, MARGIN * greatest, run)?.then_some(found))
}

/// The search without the verification.
fn search(matrix: &DenseMatrix, count: usize, run: &Run) -> Result<Option<Eigen>> {
    let size = matrix.rows();
    let space = space_of(count);
    let mut generator = generator(0, RandomStream::Eigenvectors);
    let mut vectors = DenseMatrix::zeros(0, size);
    let mut mapped = DenseMatrix::zeros(0, size);
    let mut next = DenseMatrix::zeros(VECTORS_AT_ONCE, size);
    (0..VECTORS_AT_ONCE).for_each(|row| draw(next.row_mut(row), &mut generator));
    // With more products than this, computing all eigenpairs is cheaper.
    for _ in 0..size / VECTORS_AT_ONCE {
        run.check()?;
        if !make_orthonormal(&mut next, &vectors, &mut generator, run)? {
            return Ok(None);
        }
        let image = images(matrix, &next, run)?;
        append(&mut vectors, &next);
        append(&mut mapped, &image);
        next = image;
        if vectors.rows() + VECTORS_AT_ONCE <= space {
            continue;
        }
        let Eigen { values, vectors: mut turn } =
            symmetric_eigen(&row_products(&mapped, &vectors, run)?, run)?;
        turn.truncate(space / 2);
        mapped = product(&turn, &mapped, run)?;
        let best = product(&turn, &vectors, run)?;
        let mut found = Eigen { values: values[..count].to_vec(), vectors: best.clone() };
        found.vectors.truncate(count);
        if residual(&found, &mapped) <= FOUND * size_of(&values) {
            return Ok(Some(found));
        }
        // The next block is orthogonal to the previous space, not only to its best half.
        if !make_orthonormal(&mut next, &vectors, &mut generator, run)? {
            return Ok(None);
        }
        vectors = best;
    }
    Ok(None)
}

/// The products `A v` of all rows v.
fn images(matrix: &DenseMatrix, vectors: &DenseMatrix, run: &Run) -> Result<DenseMatrix> {
    Ok(product(matrix, &vectors.transposed(), run)?.transposed())
}

fn append(a: &mut DenseMatrix, b: &DenseMatrix) {
    let (rows, columns) = (a.rows() + b.rows(), b.columns());
    let mut values = std::mem::replace(a, DenseMatrix::zeros(0, 0)).into_values();
    values.extend_from_slice(b.values());
    *a = DenseMatrix::new(values, rows, columns);
}

/// The largest absolute value.
fn size_of(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most, value| most.max(value.abs()))
}

/// The largest residual `|A v - s v|`, given the products `A v`.
fn residual(pairs: &Eigen, images: &DenseMatrix) -> f64 {
    let of = |((value, vector), image): ((&f64, &[f64]), &[f64])| {
        image.iter().zip(vector).map(|(a, v)| (a - value * v).powi(2)).sum::<f64>().sqrt()
    };
    pairs.values.iter().zip(pairs.vectors.iter()).zip(images.iter()).map(of).fold(0.0, f64::max)
}

/// Draws a random vector of length 1.
fn draw(vector: &mut [f64], generator: &mut ChaCha8Rng) {
    vector.iter_mut().for_each(|entry| *entry = generator.random::<f64>() - 0.5);
    normalize(vector);
}

/// Scales a vector to length 1. Returns its previous length.
fn normalize(vector: &mut [f64]) -> f64 {
    let length = vector.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|entry| *entry /= length);
    }
    length
}

/// Makes the rows of `block` orthonormal, among themselves and to those of `others`. A row of which
/// nothing remains becomes a random one, so that the search leaves an invariant subspace of the
/// matrix. Returns whether this succeeded.
fn make_orthonormal(
    block: &mut DenseMatrix,
    others: &DenseMatrix,
    generator: &mut ChaCha8Rng,
    run: &Run,
) -> Result<bool> {
    for row in 0..block.rows() {
        normalize(block.row_mut(row));
    }
    for _ in 0..MOST_ROUNDS {
        if others.rows() > 0 {
            let parts = product(&row_products(block, others, run)?, others, run)?;
            let entries = block.values_mut().iter_mut().zip(parts.values());
            entries.for_each(|(entry, part)| *entry -= part);
        }
        let mut settled = true;
        for row in 0..block.rows() {
            let mut own = block.row(row).to_vec();
            for before in 0..row {
                let other = block.row(before);
                let share: f64 = own.iter().zip(other).map(|(a, b)| a * b).sum();
                own.iter_mut().zip(other).for_each(|(entry, other)| *entry -= share * other);
            }
            let left = normalize(&mut own);
            // If most of the row was removed, the remainder has few correct digits.
            settled &= left > 0.5;
            if left < 1e-13 {
                draw(&mut own, generator);
            }
            block.row_mut(row).copy_from_slice(&own);
        }
        if settled {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether no other eigenvalue exceeds the smallest of the `found` by more than `margin`.
fn are_greatest(mut matrix: DenseMatrix, found: &Eigen, margin: f64, run: &Run) -> Result<bool> {
    let Some(least) = found.values.last() else { return Ok(false) };
    let size = matrix.rows();
    let mut scaled = found.vectors.clone();
    for (row, value) in found.values.iter().enumerate() {
        scaled.row_mut(row).iter_mut().for_each(|entry| *entry *= value);
    }
    matrix.values_mut().iter_mut().for_each(|value| *value = -*value);
    add_block_column_products(found.vectors.values(), scaled.values(), size, matrix.values_mut());
    for i in 0..size {
        matrix.row_mut(i)[i] += least + margin;
    }
    is_positive_definite(matrix, || run.check())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::gram;

    fn run(threads: usize) -> Run {
        Run::new(Some(threads)).unwrap()
    }

    /// `Q' diag(values) Q` for a random orthogonal `Q`.
    fn with_values(values: &[f64]) -> DenseMatrix {
        let size = values.len();
        let mut turn = DenseMatrix::zeros(size, size);
        let mut generator = generator(1, RandomStream::GeneratedData);
        turn.values_mut().iter_mut().for_each(|entry| *entry = generator.random::<f64>() - 0.5);
        let turn = symmetric_eigen(&gram(&turn, &run(1)).unwrap(), &Run::new(Some(1)).unwrap())
            .unwrap()
            .vectors;
        let mut scaled = turn.clone();
        for (row, value) in values.iter().enumerate() {
            scaled.row_mut(row).iter_mut().for_each(|entry| *entry *= value);
        }
        let mut matrix = product(&turn.transposed(), &scaled, &run(1)).unwrap();
        for i in 0..size {
            for j in 0..i {
                matrix.row_mut(j)[i] = matrix.row(i)[j];
            }
        }
        matrix
    }

    /// The eigenvalues found, and the largest absolute difference between the entries of
    /// `sum s_k v_k v_k'` and of the same sum for the full decomposition.
    fn compared(matrix: &DenseMatrix, count: usize) -> (Vec<f64>, f64) {
        let rebuilt = |mut pairs: Eigen| {
            pairs.vectors.truncate(count);
            let mut scaled = pairs.vectors.clone();
            for row in 0..count {
                let value = pairs.values[row];
                scaled.row_mut(row).iter_mut().for_each(|entry| *entry *= value);
            }
            product(&pairs.vectors.transposed(), &scaled, &run(1)).unwrap()
        };
        let found = leading_eigen(matrix.clone(), count, &run(1)).unwrap().unwrap();
        let full = symmetric_eigen(matrix, &Run::new(Some(1)).unwrap()).unwrap();
        for (own, other) in found.values.iter().zip(&full.values) {
            assert!((own - other).abs() < 1e-12 * size_of(&full.values), "{own} {other}");
        }
        let products = row_products(&found.vectors, &found.vectors, &run(1)).unwrap();
        for (i, row) in products.iter().enumerate() {
            for (j, &value) in row.iter().enumerate() {
                assert!((value - f64::from(u8::from(i == j))).abs() < 1e-12);
            }
        }
        let values = found.values.clone();
        let (one, other) = (rebuilt(found), rebuilt(full));
        let pairs = one.values().iter().zip(other.values());
        (values, pairs.fold(0.0, |most, (a, b)| most.max((a - b).abs())))
    }

    #[test]
    fn the_greatest_are_those_of_the_full_decomposition() {
        // Slowly decreasing eigenvalues, and a negative one that is larger in size than all others.
        let slow: Vec<f64> = (0..400).map(|k| 2.0 - (f64::from(k) / 400.0).sqrt()).collect();
        let mut mixed: Vec<f64> = (0..400).map(|k| 0.9_f64.powi(k)).collect();
        mixed[399] = -3.0;
        for values in [slow, mixed] {
            let matrix = with_values(&values);
            let (found, error) = compared(&matrix, 6);
            assert!(error < 1e-10, "{error}");
            assert!((found[5] - values[5]).abs() < 1e-12);
        }
    }

    #[test]
    fn repeated_values_are_all_found() {
        // The eigenvalue 3 twice, 2 seven times, which is more than a block, and 1 otherwise.
        let mut values = vec![1.0; 400];
        values[..2].fill(3.0);
        values[2..9].fill(2.0);
        let matrix = with_values(&values);
        // The complete eigenspaces of 3 and 2 are unique; a part of the eigenspace of 1 is not.
        assert!(compared(&matrix, 9).1 < 1e-10);
        assert_eq!(
            compared(&matrix, 11).0.iter().map(|s| s.round()).collect::<Vec<_>>(),
            [3.0, 3.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 1.0, 1.0]
        );
        let (found, _) = compared(&DenseMatrix::identity(400), 5);
        assert!(found.iter().all(|value| (value - 1.0).abs() < 1e-13));
    }

    #[test]
    fn a_rank_below_the_count_leaves_zeros() {
        let mut values = vec![0.0; 400];
        values[..3].copy_from_slice(&[5.0, 5.0, 1e-3]);
        let (found, error) = compared(&with_values(&values), 8);
        assert!(error < 1e-10, "{error}");
        assert!(found[3..].iter().all(|value| value.abs() < 1e-13));
        // The zero matrix has no leading eigenpairs and is left to the full decomposition.
        assert_eq!(leading_eigen(DenseMatrix::zeros(400, 400), 8, &run(1)).unwrap(), None);
    }

    #[test]
    fn a_value_that_was_missed_is_noticed() {
        let values: Vec<f64> = (0..400).map(|k| 0.9_f64.powi(k)).collect();
        let matrix = with_values(&values);
        let found = search(&matrix, 6, &run(1)).unwrap().unwrap();
        let proven = |found: &Eigen| are_greatest(matrix.clone(), found, 1e-10, &run(1)).unwrap();
        assert!(proven(&found));
        for missed in 0..5 {
            let kept: Vec<usize> = (0..6).filter(|&row| row != missed).collect();
            let values = kept.iter().map(|&row| found.values[row]).collect();
            let vectors = found.vectors.select_rows(&kept);
            assert!(!proven(&Eigen { values, vectors }), "{missed}");
        }
    }

    #[test]
    fn threads_do_not_change_a_bit() {
        let matrix = with_values(&(0..400).map(|k| 0.97_f64.powi(k)).collect::<Vec<_>>());
        let found = |threads| {
            let run = run(threads);
            run.install(|| leading_eigen(matrix.clone(), 5, &run)).unwrap().unwrap()
        };
        assert_eq!(found(1), found(3));
    }

    #[test]
    fn it_stops_when_asked() {
        let cancel = crate::CancelFlag::new();
        cancel.cancel();
        let run = run(1).with_cancel(cancel);
        let stopped = leading_eigen(DenseMatrix::identity(400), 5, &run);
        assert!(matches!(stopped, Err(crate::Error::Cancelled)));
    }
}
