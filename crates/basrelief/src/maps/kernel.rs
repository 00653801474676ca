//! Kernel maps: linear maps of a kernel's space.

use super::linear::fix_signs;
use super::tiles::map_in_tiles;
use crate::algebra::block_row_products;
use crate::data::{DenseMatrix, Encoding};
use crate::error::Result;
use crate::run::Run;
use crate::solve::Kernel;

/// A map `z = C k(x) + offset`, where `k(x)` are the kernel's values of the row x with the basis
/// rows: linear in the kernel's space, centered there.
///
/// The kernel sees `(x - shift) / units`.
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
    /// From the features' names, what is subtracted from them and what they are then divided by,
    /// the kernel, the basis rows (shifted and divided), the coefficients `C` (components x basis
    /// rows), the offset, and, where the method has them, one eigenvalue per component and the
    /// discriminant power of all components there were before some were cut off.
    ///
    /// The coefficient of greatest size of each component is made positive. The features are numbers;
    /// [`Self::with_encoding`] says of what columns they are made.
    ///
    /// # Panics
    /// The sizes do not fit together.
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

    /// The same map of features that are made of the columns of a table.
    ///
    /// # Panics
    /// The columns become another number of features.
    #[must_use]
    pub fn with_encoding(self, encoding: Encoding) -> Self {
        assert_eq!(encoding.width(), self.shift.len(), "as many columns of numbers as features");
        Self { names: encoding.part_names(), encoding, ..self }
    }

    /// How the columns of a table become the features.
    pub fn encoding(&self) -> &Encoding {
        &self.encoding
    }

    /// The features' names, in the order of the basis's columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// What is subtracted from the features: their means over the rows of the fit.
    pub fn shift(&self) -> &[f64] {
        &self.shift
    }

    /// What the features are then divided by.
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

    /// One number per component.
    pub fn offset(&self) -> &[f64] {
        &self.offset
    }

    /// One eigenvalue per component; empty for methods without.
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

    /// The coordinates of rows: rows x components. A row has the same coordinates, to the bit, alone and
    /// among any others.
    ///
    /// # Errors
    /// Coordinates that overflow: the row and the column are named; [`crate::Error::Cancelled`].
    ///
    /// # Panics
    /// The rows have another number of columns than the map.
    pub fn transform(&self, rows: &DenseMatrix, run: &Run) -> Result<DenseMatrix> {
        assert_eq!(rows.columns(), self.names.len(), "as many columns as the map has");
        let center = (self.names.as_slice(), self.shift.as_slice());
        map_in_tiles(rows, self.components(), center, run, |tile, out| self.map_tile(tile, out))
    }

    /// Writes the coordinates of a tile's rows, which become shifted and divided.
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
    /// Rows of another length than the map has features.
    pub fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
        assert!(a.len() == self.names.len() && b.len() == a.len(), "one value per feature");
        let mut tile = DenseMatrix::new([a, b].concat(), 2, self.names.len());
        let mut mapped = vec![0.0; 2 * self.components()];
        self.map_tile(&mut tile, &mut mapped);
        let (a, b) = mapped.split_at(self.components());
        a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
    }
}
