//! Linear maps: a Mahalanobis metric and its coordinates.

use std::borrow::Cow;
use std::sync::OnceLock;

use super::tiles::map_in_tiles;
use crate::algebra::{block_row_products, unpolled_row_products};
use crate::data::{DenseMatrix, Encoding};
use crate::error::Result;
use crate::run::Run;

/// A linear map `z = L (x - mean)`, with the metric `M = L' L`.
///
/// The rows of `L` are the components, in order of importance; the entry of largest absolute value
/// in each is positive.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearMap {
    encoding: Encoding,
    names: Vec<String>,
    mean: Vec<f64>,
    matrix: Matrix,
    eigenvalues: Vec<f64>,
    discriminant_power: Option<f64>,
}

/// The storage of `L`.
#[derive(Debug, Clone)]
enum Matrix {
    Dense(DenseMatrix),
    /// The diagonal, with one entry per component, and the complete matrix once it has been
    /// requested.
    Diagonal(Vec<f64>, OnceLock<DenseMatrix>),
}

impl PartialEq for Matrix {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Matrix::Dense(own), Matrix::Dense(other)) => own == other,
            (Matrix::Diagonal(own, _), Matrix::Diagonal(other, _)) => own == other,
            _ => false,
        }
    }
}

impl LinearMap {
    /// Creates the map from the names of the features, their means, the matrix `L` (components x
    /// features), and, if the method has them, one eigenvalue per component and the discriminant
    /// power of all components before any were dropped. The features are numeric;
    /// [`Self::with_encoding`] specifies how they are computed from columns.
    ///
    /// # Panics
    /// The sizes are inconsistent.
    pub fn new(
        names: Vec<String>,
        mean: Vec<f64>,
        matrix: DenseMatrix,
        eigenvalues: Vec<f64>,
        discriminant_power: Option<f64>,
    ) -> Self {
        assert_eq!(names.len(), mean.len(), "one mean per feature");
        assert_eq!(names.len(), matrix.columns(), "one column of the matrix per feature");
        assert!(
            eigenvalues.is_empty() || eigenvalues.len() == matrix.rows(),
            "one eigenvalue per component, or none"
        );
        let (encoding, matrix) = (Encoding::of_numbers(&names, &mean), Matrix::Dense(matrix));
        Self { encoding, names, mean, matrix, eigenvalues, discriminant_power }
    }

    /// Creates the map of the first features, each multiplied by an entry of the diagonal, without
    /// eigenvalues. It is stored and applied as a diagonal, because a matrix of thousands of
    /// columns has gigabytes of zeros.
    ///
    /// # Panics
    /// The sizes are inconsistent.
    pub fn from_diagonal(names: Vec<String>, mean: Vec<f64>, diagonal: Vec<f64>) -> Self {
        assert_eq!(names.len(), mean.len(), "one mean per feature");
        assert!(diagonal.len() <= names.len(), "at most as many components as features");
        let encoding = Encoding::of_numbers(&names, &mean);
        let matrix = Matrix::Diagonal(diagonal, OnceLock::new());
        Self { encoding, names, mean, matrix, eigenvalues: Vec::new(), discriminant_power: None }
    }

    /// Returns the map for features that an encoding computes from the columns of a table.
    ///
    /// # Panics
    /// The encoding has a different number of features.
    #[must_use]
    pub fn with_encoding(self, encoding: Encoding) -> Self {
        assert_eq!(encoding.width(), self.mean.len(), "as many columns of numbers as features");
        Self { names: encoding.part_names(), encoding, ..self }
    }

    /// The encoding of the columns of a table as features.
    pub fn encoding(&self) -> &Encoding {
        &self.encoding
    }

    /// The features' names, in the order of the matrix's columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The features' means over the rows of the fit.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// `L`, components x features; for a diagonal map, it is created at the first call and cached.
    pub fn matrix(&self) -> &DenseMatrix {
        match &self.matrix {
            Matrix::Dense(matrix) => matrix,
            Matrix::Diagonal(diagonal, whole) => whole.get_or_init(|| {
                let mut matrix = DenseMatrix::zeros(diagonal.len(), self.mean.len());
                for (k, &entry) in diagonal.iter().enumerate() {
                    matrix.row_mut(k)[k] = entry;
                }
                matrix
            }),
        }
    }

    /// The diagonal of a diagonal map, one entry per component; `None` for other maps.
    pub fn diagonal(&self) -> Option<&[f64]> {
        match &self.matrix {
            Matrix::Dense(_) => None,
            Matrix::Diagonal(diagonal, _) => Some(diagonal),
        }
    }

    /// A row of `L`.
    ///
    /// # Panics
    /// The component does not exist.
    pub fn component(&self, component: usize) -> Cow<'_, [f64]> {
        match &self.matrix {
            Matrix::Dense(matrix) => Cow::Borrowed(matrix.row(component)),
            Matrix::Diagonal(diagonal, _) => {
                let mut row = vec![0.0; self.mean.len()];
                row[component] = diagonal[component];
                Cow::Owned(row)
            }
        }
    }

    /// One eigenvalue per component; empty for methods without eigenvalues.
    pub fn eigenvalues(&self) -> &[f64] {
        &self.eigenvalues
    }

    /// `sqrt(sum s_i^2)` over the positive eigenvalues `s_i` of all components, retained or not
    /// (Sun & Wu 2008, section 3.1); `None` for methods that do not define it.
    pub fn discriminant_power(&self) -> Option<f64> {
        self.discriminant_power
    }

    /// The discriminant power lost if only the first `components` are retained, at least 0; `None`
    /// for methods that do not define it.
    pub fn discriminant_loss(&self, components: usize) -> Option<f64> {
        discriminant_loss(&self.eigenvalues, self.discriminant_power, components)
    }

    /// `M = L' L`, features x features.
    pub fn mahalanobis_matrix(&self) -> DenseMatrix {
        match &self.matrix {
            Matrix::Dense(matrix) => {
                let columns = matrix.transposed();
                unpolled_row_products(&columns, &columns)
            }
            Matrix::Diagonal(diagonal, _) => {
                let mut metric = DenseMatrix::zeros(self.mean.len(), self.mean.len());
                for (k, entry) in diagonal.iter().enumerate() {
                    metric.row_mut(k)[k] = entry * entry;
                }
                metric
            }
        }
    }

    /// Number of components: the rank of the metric, unless components are linearly dependent.
    pub fn components(&self) -> usize {
        match &self.matrix {
            Matrix::Dense(matrix) => matrix.rows(),
            Matrix::Diagonal(diagonal, _) => diagonal.len(),
        }
    }

    /// The coordinates of rows: rows x components. A row has the same coordinates, to the bit,
    /// alone and in any table.
    ///
    /// # Errors
    /// Coordinates that overflow, with the row and the column; [`crate::Error::Cancelled`].
    ///
    /// # Panics
    /// The rows have a different number of columns than the map has features.
    pub fn transform(&self, rows: &DenseMatrix, run: &Run) -> Result<DenseMatrix> {
        assert_eq!(rows.columns(), self.mean.len(), "as many columns as the map has");
        let components = self.components();
        let center = (self.names.as_slice(), self.mean.as_slice());
        map_in_tiles(rows, components, center, run, |tile, out| match &self.matrix {
            Matrix::Dense(matrix) => {
                for row in 0..tile.rows() {
                    let values = tile.row_mut(row).iter_mut().zip(&self.mean);
                    values.for_each(|(value, mean)| *value -= mean);
                }
                block_row_products(1.0, tile.values(), matrix.values(), matrix.columns(), out);
            }
            Matrix::Diagonal(diagonal, _) => {
                for (row, out) in tile.iter().zip(out.chunks_mut(components)) {
                    let values = row.iter().zip(&self.mean).zip(diagonal);
                    let values = values.map(|((value, mean), entry)| (value - mean) * entry);
                    out.iter_mut().zip(values).for_each(|(out, value)| *out = value);
                }
            }
        })
    }

    /// The Euclidean distance of the mapped rows, `sqrt((a - b)' M (a - b))`.
    ///
    /// # Panics
    /// The rows have a different length than the number of features.
    pub fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
        assert!(a.len() == self.mean.len() && b.len() == a.len(), "one value per feature");
        let matrix = match &self.matrix {
            Matrix::Dense(matrix) => matrix,
            Matrix::Diagonal(diagonal, _) => {
                let steps = diagonal.iter().zip(a).zip(b);
                return steps.map(|((entry, a), b)| (entry * (a - b)).powi(2)).sum::<f64>().sqrt();
            }
        };
        let component = |row: &[f64]| {
            row.iter().zip(a).zip(b).map(|((entry, a), b)| entry * (a - b)).sum::<f64>()
        };
        matrix.iter().map(|row| component(row).powi(2)).sum::<f64>().sqrt()
    }
}

/// The discriminant power minus that of the first eigenvalues.
pub(super) fn discriminant_loss(
    eigenvalues: &[f64],
    power: Option<f64>,
    components: usize,
) -> Option<f64> {
    let kept = eigenvalues.iter().take(components).map(|s| s * s).sum::<f64>().sqrt();
    power.map(|power| (power - kept).max(0.0))
}

/// Makes the entry of largest absolute value in every row positive (the first of several), and
/// calls `negated` with each negated row.
pub(crate) fn fix_signs(matrix: &mut DenseMatrix, mut negated: impl FnMut(usize)) {
    for index in 0..matrix.rows() {
        let row = matrix.row_mut(index);
        let greatest = row
            .iter()
            .fold(0.0_f64, |most, entry| if entry.abs() > most.abs() { *entry } else { most });
        if greatest < 0.0 {
            row.iter_mut().for_each(|entry| *entry = -*entry);
            negated(index);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run() -> Run {
        Run::new(Some(1)).unwrap()
    }

    fn map() -> LinearMap {
        let matrix = DenseMatrix::new(vec![2.0, 0.0, 1.0, 0.0, 1.0, -1.0], 2, 3);
        let names = ["a", "b", "c"].map(String::from).to_vec();
        LinearMap::new(names, vec![1.0, 2.0, 3.0], matrix, vec![4.0, 3.0], Some(5.0))
    }

    #[test]
    fn distances_are_those_of_the_metric() {
        let (map, rows) = (map(), DenseMatrix::new(vec![2.0, 3.0, 5.0, 1.0, 2.0, 3.0], 2, 3));
        let mapped = map.transform(&rows, &run()).unwrap();
        assert_eq!(mapped.values(), [4.0, -1.0, 0.0, 0.0]);
        assert_eq!(map.distance(rows.row(0), rows.row(1)), 17.0_f64.sqrt());
        let metric = map.mahalanobis_matrix();
        let step = [1.0, 1.0, 2.0];
        let squared: f64 = (0..9).map(|k| step[k / 3] * metric.values()[k] * step[k % 3]).sum();
        assert_eq!(squared, 17.0);
    }

    #[test]
    fn a_diagonal_map_is_the_map_of_its_matrix() {
        let names = ["a", "b", "c"].map(String::from).to_vec();
        let mean = vec![1.0, 2.0, 3.0];
        let rows = DenseMatrix::new(vec![2.0, 3.5, 5.0, 1.0, 0.25, 3.0], 2, 3);
        for diagonal in [vec![2.0, 0.5, 0.25], vec![2.0, 0.1]] {
            let map = LinearMap::from_diagonal(names.clone(), mean.clone(), diagonal.clone());
            let same = LinearMap::from_diagonal(names.clone(), mean.clone(), diagonal);
            let dense = map.matrix().clone();
            let dense = LinearMap::new(names.clone(), mean.clone(), dense, Vec::new(), None);
            assert_eq!(map, same, "equality does not depend on the cached matrix");
            assert_eq!(map.components(), dense.components());
            assert_eq!(
                map.transform(&rows, &run()).unwrap(),
                dense.transform(&rows, &run()).unwrap()
            );
            let (a, b) = (rows.row(0), rows.row(1));
            assert_eq!(map.distance(a, b), dense.distance(a, b));
            assert_eq!(map.mahalanobis_matrix(), dense.mahalanobis_matrix());
            (0..map.components()).for_each(|k| assert_eq!(map.component(k), dense.component(k)));
            assert!(map.diagonal().is_some() && dense.diagonal().is_none());
        }
    }

    #[test]
    fn cutting_components_off_loses_discriminant_power() {
        let lost: Vec<f64> = (0..4).map(|kept| map().discriminant_loss(kept).unwrap()).collect();
        assert_eq!(lost, [5.0, 1.0, 0.0, 0.0]);
    }

    #[test]
    fn the_greatest_entry_becomes_positive() {
        let mut matrix = DenseMatrix::new(vec![1.0, -2.0, 0.5, 3.0, -3.0, 0.0], 2, 3);
        fix_signs(&mut matrix, |_| {});
        assert_eq!(matrix.values(), [-1.0, 2.0, -0.5, 3.0, -3.0, 0.0]);
    }
}
