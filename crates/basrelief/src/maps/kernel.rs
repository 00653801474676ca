//! Kernel maps: linear maps of a kernel's space.

use super::linear::fix_signs;
use super::tiles::map_in_tiles;
use crate::algebra::block_row_products;
use crate::data::{DenseMatrix, Encoding};
use crate::error::Result;
use crate::run::Run;
use crate::solve::Kernel;

/// A map `z = C k(x) + offset`, where `k(x)` contains the kernel's values between the row x and the
/// basis rows. It is linear and centered in the kernel's space.
///
/// The kernel is applied to `(x - shift) / units`.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelMap {
    encoding: Encoding,
    names: Vec<String>,
    shift: Vec<f64>,
    units: Vec<f64>,
    kernel: Kernel,
    basis: DenseMatrix,
    coefficients: DenseMatrix,
    offset: Vec<f64>,
    eigenvalues: Vec<f64>,
    discriminant_power: Option<f64>,
}

impl KernelMap {
    /// Creates the map from the names of the features, their shift and units, the kernel, the basis
    /// rows (shifted and divided), the coefficients `C` (components x basis rows), the offset, and,
    /// if the method has them, one eigenvalue per component and the discriminant power of all
    /// components before any were dropped.
    ///
    /// The coefficient of largest absolute value in each component is made positive. The features
    /// are numeric; [`Self::with_encoding`] specifies how they are computed from columns.
    ///
    /// # Panics
    /// The sizes are inconsistent.
    pub fn new(
        names: Vec<String>,
        (shift, units): (Vec<f64>, Vec<f64>),
        kernel: Kernel,
        basis: DenseMatrix,
        (mut coefficients, mut offset): (DenseMatrix, Vec<f64>),
        eigenvalues: Vec<f64>,
        discriminant_power: Option<f64>,
    ) -> Self {
        assert_eq!(names.len(), shift.len(), "one shift per feature");
        assert_eq!(names.len(), units.len(), "one unit per feature");
        assert_eq!(names.len(), basis.columns(), "one column of the basis per feature");
        assert_eq!(basis.rows(), coefficients.columns(), "one coefficient per basis row");
        assert_eq!(offset.len(), coefficients.rows(), "one offset per component");
        assert!(
            eigenvalues.is_empty() || eigenvalues.len() == offset.len(),
            "one eigenvalue per component, or none"
        );
        fix_signs(&mut coefficients, |component| offset[component] = -offset[component]);
        let encoding = Encoding::of_numbers(&names, &shift);
        Self {
            encoding,
            names,
            shift,
            units,
            kernel,
            basis,
            coefficients,
            offset,
            eigenvalues,
            discriminant_power,
        }
    }

    /// Returns the map for features that an encoding computes from the columns of a table.
    ///
    /// # Panics
    /// The encoding has a different number of features.
    #[must_use]
    pub fn with_encoding(self, encoding: Encoding) -> Self {
        assert_eq!(encoding.width(), self.shift.len(), "as many columns of numbers as features");
        Self { names: encoding.part_names(), encoding, ..self }
    }

    /// The encoding of the columns of a table as features.
    pub fn encoding(&self) -> &Encoding {
        &self.encoding
    }

    /// The features' names, in the order of the basis's columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The values subtracted from the features: their means over the rows of the fit.
    pub fn shift(&self) -> &[f64] {
        &self.shift
    }

    /// The divisors of the shifted features.
    pub fn units(&self) -> &[f64] {
        &self.units
    }

    /// The kernel.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// The basis rows, shifted and divided: basis rows x features.
    pub fn basis(&self) -> &DenseMatrix {
        &self.basis
    }

    /// `C`, components x basis rows.
    pub fn coefficients(&self) -> &DenseMatrix {
        &self.coefficients
    }

    /// The offset, one number per component.
    pub fn offset(&self) -> &[f64] {
        &self.offset
    }

    /// One eigenvalue per component; empty for methods without eigenvalues.
    pub fn eigenvalues(&self) -> &[f64] {
        &self.eigenvalues
    }

    /// See [`LinearMap::discriminant_power`](super::LinearMap::discriminant_power).
    pub fn discriminant_power(&self) -> Option<f64> {
        self.discriminant_power
    }

    /// Number of components.
    pub fn components(&self) -> usize {
        self.offset.len()
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
        assert_eq!(rows.columns(), self.names.len(), "as many columns as the map has");
        let center = (self.names.as_slice(), self.shift.as_slice());
        map_in_tiles(rows, self.components(), center, run, |tile, out| self.map_tile(tile, out))
    }

    /// Writes the coordinates of a tile's rows, which are shifted and divided in place.
    fn map_tile(&self, tile: &mut DenseMatrix, out: &mut [f64]) {
        for row in 0..tile.rows() {
            let values = tile.row_mut(row).iter_mut().zip(self.shift.iter().zip(&self.units));
            values.for_each(|(value, (shift, unit))| *value = (*value - shift) / unit);
        }
        let kernel = self.kernel.matrix(tile, &self.basis);
        let (coefficients, width) = (self.coefficients.values(), self.coefficients.columns());
        block_row_products(1.0, kernel.values(), coefficients, width, out);
        for values in out.chunks_mut(self.components().max(1)) {
            values.iter_mut().zip(&self.offset).for_each(|(value, offset)| *value += offset);
        }
    }

    /// The Euclidean distance of the mapped rows.
    ///
    /// # Panics
    /// The rows have a different length than the number of features.
    pub fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
        assert!(a.len() == self.names.len() && b.len() == a.len(), "one value per feature");
        let mut tile = DenseMatrix::new([a, b].concat(), 2, self.names.len());
        let mut mapped = vec![0.0; 2 * self.components()];
        self.map_tile(&mut tile, &mut mapped);
        let (a, b) = mapped.split_at(self.components());
        a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
    }
}
