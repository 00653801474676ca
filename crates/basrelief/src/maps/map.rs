//! Linear and kernel maps behind one type.

use super::linear::discriminant_loss;
use super::{KernelMap, LinearMap};
use crate::data::{DenseMatrix, Encoding, Table};
use crate::error::Result;
use crate::run::Run;
use crate::warning::Warning;

/// The result of a method that learns a map: new coordinates for rows, and a distance.
///
/// ```
/// use basrelief::Run;
/// use basrelief::data::{Table, Target};
/// use basrelief::methods::Lda;
///
/// let values = [1.0, 5.0, 1.2, 4.8, 0.9, 5.1, 3.0, 5.2, 3.1, 4.9, 2.9, 5.0];
/// let table = Table::from_row_major(&values, 6, &["length", "width"])?;
/// let target = Target::from_labels(&["a", "a", "a", "b", "b", "b"]);
/// let map = Lda::new().fit(&table, &target)?.model;
///
/// // Rows of other tables with the same columns are mapped alike.
/// let points = map.transform_table(&table, &Run::new(None)?)?;
/// assert_eq!((points.rows(), points.columns()), (6, map.components()));
/// // Distances in the map are the learned metric: small within a class.
/// let row = |row: usize| &values[2 * row..][..2];
/// assert!(map.distance(row(0), row(1)) < map.distance(row(0), row(3)));
/// # Ok::<(), basrelief::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Map {
    /// A linear map of the features.
    Linear(LinearMap),
    /// A linear map of a kernel's space.
    Kernel(KernelMap),
}

impl Map {
    /// The encoding of the columns of a table as the features of the map.
    pub fn encoding(&self) -> &Encoding {
        match self {
            Map::Linear(map) => map.encoding(),
            Map::Kernel(map) => map.encoding(),
        }
    }

    /// Returns the map for features that an encoding computes from the columns of a table.
    ///
    /// # Panics
    /// The encoding has a different number of features.
    #[must_use]
    pub fn with_encoding(self, encoding: Encoding) -> Self {
        match self {
            Map::Linear(map) => Map::Linear(map.with_encoding(encoding)),
            Map::Kernel(map) => Map::Kernel(map.with_encoding(encoding)),
        }
    }

    /// The names of the features, in order. Features are numeric; a column of the table may be
    /// encoded as several.
    pub fn names(&self) -> &[String] {
        match self {
            Map::Linear(map) => map.names(),
            Map::Kernel(map) => map.names(),
        }
    }

    /// Number of coordinates of a mapped row.
    pub fn components(&self) -> usize {
        match self {
            Map::Linear(map) => map.components(),
            Map::Kernel(map) => map.components(),
        }
    }

    /// One eigenvalue per component; empty for methods without eigenvalues.
    pub fn eigenvalues(&self) -> &[f64] {
        match self {
            Map::Linear(map) => map.eigenvalues(),
            Map::Kernel(map) => map.eigenvalues(),
        }
    }

    /// See [`LinearMap::discriminant_power`].
    pub fn discriminant_power(&self) -> Option<f64> {
        match self {
            Map::Linear(map) => map.discriminant_power(),
            Map::Kernel(map) => map.discriminant_power(),
        }
    }

    /// See [`LinearMap::discriminant_loss`].
    pub fn discriminant_loss(&self, components: usize) -> Option<f64> {
        discriminant_loss(self.eigenvalues(), self.discriminant_power(), components)
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
        match self {
            Map::Linear(map) => map.transform(rows, run),
            Map::Kernel(map) => map.transform(rows, run),
        }
    }

    /// The coordinates of a table's rows; see
    /// [`transform_with_warnings`](Self::transform_with_warnings).
    ///
    /// # Errors
    /// The errors of [`transform_with_warnings`](Self::transform_with_warnings).
    pub fn transform_table(&self, table: &Table<'_>, run: &Run) -> Result<DenseMatrix> {
        Ok(self.transform_with_warnings(table, run)?.0)
    }

    /// The coordinates of a table's rows, whose columns [`Encoding::encode`] encodes as numbers,
    /// and the warnings of the encoding.
    ///
    /// # Errors
    /// A column of the map is missing, or contains categories instead of numbers or vice versa; the
    /// errors of [`transform`](Self::transform).
    pub fn transform_with_warnings(
        &self,
        table: &Table<'_>,
        run: &Run,
    ) -> Result<(DenseMatrix, Vec<Warning>)> {
        let (rows, warnings) = self.encoding().encode(table)?;
        Ok((self.transform(&rows, run)?, warnings))
    }

    /// The Euclidean distance of two mapped rows.
    ///
    /// # Panics
    /// The rows have a different length than the number of features.
    pub fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
        match self {
            Map::Linear(map) => map.distance(a, b),
            Map::Kernel(map) => map.distance(a, b),
        }
    }
}
