//! Conversions from and to arrays of the crate `ndarray`, available with the feature `ndarray`.

use ndarray::{Array2, ArrayView2};

use super::{Column, DenseMatrix, Strided, Table};
use crate::error::{Error, Result};

impl<'a> Table<'a> {
    /// Creates a numeric table from an array of rows by features; NaN is missing. A contiguous array in row-major or
    /// column-major order is borrowed; any other array is copied.
    ///
    /// ```
    /// use basrelief::data::Table;
    /// use ndarray::array;
    ///
    /// let values = array![[41.0, 172.0], [37.0, f64::NAN], [52.0, 165.0]];
    /// let table = Table::from_ndarray(values.view(), &["age", "height"])?;
    /// assert_eq!((table.rows(), table.width()), (3, 2));
    /// # Ok::<(), basrelief::Error>(())
    /// ```
    ///
    /// # Errors
    /// The number of names differs from the number of features, a value is infinite, or two features have the same
    /// name.
    pub fn from_ndarray<N: AsRef<str>>(values: ArrayView2<'a, f64>, names: &[N]) -> Result<Self> {
        let (len, width) = values.dim();
        if names.len() != width {
            return Err(Error::data(
                format!("{} names for {width} columns of the array", names.len()),
                "provide one name per column",
            ));
        }
        let row_major = values.to_slice();
        let column_major = values.reversed_axes().to_slice();
        let columns = names.iter().enumerate().map(|(column, name)| {
            let name = name.as_ref();
            match (row_major, column_major) {
                (Some(data), _) => {
                    Column::numeric(name, Strided { data, start: column, stride: width, len })
                }
                (None, Some(data)) => Column::numeric(name, &data[column * len..][..len]),
                (None, None) => Column::numeric(name, values.column(column).to_vec()),
            }
        });
        Self::new(columns.collect::<Result<_>>()?)
    }
}

impl From<DenseMatrix> for Array2<f64> {
    /// The rows and columns of the matrix, without a copy of its numbers.
    fn from(matrix: DenseMatrix) -> Self {
        let shape = (matrix.rows(), matrix.columns());
        Array2::from_shape_vec(shape, matrix.into_values()).expect("rows times columns numbers")
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, Axis, ShapeBuilder, Slice, array};

    use super::*;

    #[test]
    fn arrays_of_any_layout_give_the_same_table() {
        let rows = array![[1.0, 2.0, 3.0], [4.0, f64::NAN, 6.0]];
        let mut columns = Array2::zeros((2, 3).f());
        columns.assign(&rows);
        let wide = array![[1.0, 0.0, 2.0, 0.0, 3.0], [4.0, 0.0, f64::NAN, 0.0, 6.0]];
        let every_other = wide.slice_axis(Axis(1), Slice::new(0, None, 2));
        for values in [rows.view(), columns.view(), every_other] {
            let table = Table::from_ndarray(values, &["a", "b", "c"]).unwrap();
            let found: Vec<f64> = table.columns().iter().map(|column| column.value(0)).collect();
            assert_eq!(found, [1.0, 2.0, 3.0]);
            assert!(table.columns()[1].value(1).is_nan());
            assert_eq!(table.columns()[2].value(1), 6.0);
        }
        assert!(Table::from_ndarray(rows.view(), &["a"]).is_err());
    }

    #[test]
    fn a_matrix_becomes_an_array() {
        let matrix = DenseMatrix::new(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 2, 3);
        assert_eq!(Array2::from(matrix), array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    }
}
