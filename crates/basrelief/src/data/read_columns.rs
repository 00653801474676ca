//! Reads several columns at once.

use std::ops::Range;

use basrelief_kernels::{LANES, level, take_columns};

use super::{Column, Numbers, Strided, Values};

/// Number of columns that are read at once: in a row-major matrix of doubles, those of a cache line.
pub(crate) const TOGETHER: usize = LANES;

/// Number of rows that are read at a time: few enough that their cache lines stay in the first-level cache,
/// for any stride.
const ROWS: usize = 4;

/// The values of up to [`TOGETHER`] columns, in memory that is reused.
#[derive(Debug, Default)]
pub(crate) struct ColumnBuffers {
    values: [Vec<f64>; TOGETHER],
}

impl ColumnBuffers {
    /// Returns the values of some columns, like [`Column::copy_values`]. Contiguous doubles are not
    /// copied.
    ///
    /// [`TOGETHER`] adjacent columns of a row-major matrix are read at once. If they were read one after the
    /// other, every cache line would be fetched once per column.
    ///
    /// # Panics
    /// More than [`TOGETHER`] columns.
    pub(crate) fn read<'b>(&'b mut self, columns: &[&'b Column<'_>]) -> Vec<&'b [f64]> {
        assert!(columns.len() <= TOGETHER, "at most {TOGETHER} columns");
        let values = &mut self.values;
        if columns.len() == TOGETHER
            && let Some(lines) = Lines::new(columns)
        {
            lines.copy(values);
            return values.iter().map(|values| &values[..]).collect();
        }
        let read = |(column, out): (&&'b Column<'_>, &'b mut Vec<f64>)| match column.values() {
            Values::Numeric(Numbers::Contiguous(values)) => &values[..],
            Values::Numeric(Numbers::Strided(Strided { data, start, stride: 1, len })) => {
                &data[*start..][..*len]
            }
            _ => {
                column.copy_values(out);
                &out[..]
            }
        };
        columns.iter().zip(values).map(read).collect()
    }

    /// Reads the columns for which `wanted` holds, by index, among up to [`TOGETHER`] columns. Returns
    /// `None` for the other columns.
    ///
    /// # Panics
    /// More than [`TOGETHER`] columns.
    pub(crate) fn read_wanted<'b>(
        &'b mut self,
        columns: &'b [Column<'_>],
        wanted: impl Fn(usize) -> bool,
    ) -> impl Iterator<Item = Option<&'b [f64]>> {
        let wanted: Vec<bool> = (0..columns.len()).map(wanted).collect();
        let chosen = columns.iter().zip(&wanted).filter(|(_, wanted)| **wanted);
        let chosen: Vec<&Column<'_>> = chosen.map(|(column, _)| column).collect();
        let mut values = self.read(&chosen).into_iter();
        wanted.into_iter().map(move |wanted| if wanted { values.next() } else { None })
    }
}

/// Adjacent columns of a row-major matrix, represented by the first of them.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Lines<'v> {
    Doubles(Strided<'v, f64>),
    Singles(Strided<'v, f32>),
    Bytes(Strided<'v, u8>),
    SignedBytes(Strided<'v, i8>),
}

impl<'v> Lines<'v> {
    /// Creates a view of columns; `None` if they are not adjacent columns of a row-major matrix.
    pub(crate) fn new<'c: 'v>(columns: &[&'v Column<'c>]) -> Option<Self> {
        fn numbers<'v>(column: &'v Column<'_>) -> Option<&'v Numbers<'v>> {
            match column.values() {
                Values::Numeric(numbers) => Some(numbers),
                _ => None,
            }
        }
        macro_rules! of {
            ($view:ident) => {
                side_by_side(columns, |column| match numbers(column)? {
                    Numbers::$view(values) => Some(*values),
                    _ => None,
                })
            };
        }
        match numbers(columns.first()?)? {
            Numbers::Strided(_) => of!(Strided).map(Self::Doubles),
            Numbers::StridedSingle(_) => of!(StridedSingle).map(Self::Singles),
            Numbers::StridedBytes(_) => of!(StridedBytes).map(Self::Bytes),
            Numbers::StridedSignedBytes(_) => of!(StridedSignedBytes).map(Self::SignedBytes),
            _ => None,
        }
    }

    /// The values of the first `width` columns in a row. Numbers other than doubles are converted and stored
    /// in `copy`.
    ///
    /// # Panics
    /// The row or a column does not exist, or `copy` has fewer than `width` numbers.
    pub(crate) fn line<'b>(&self, row: usize, width: usize, copy: &'b mut [f64]) -> &'b [f64]
    where
        'v: 'b,
    {
        fn converted<'b, T: Copy + Into<f64>>(line: &[T], copy: &'b mut [f64]) -> &'b [f64] {
            let copy = &mut copy[..line.len()];
            copy.iter_mut().zip(line).for_each(|(copy, value)| *copy = (*value).into());
            copy
        }
        match self {
            Self::Doubles(first) => first.line(row, width),
            Self::Singles(first) => converted(first.line(row, width), copy),
            Self::Bytes(first) => converted(first.line(row, width), copy),
            Self::SignedBytes(first) => converted(first.line(row, width), copy),
        }
    }

    /// The first `width` columns of some rows, as numbers and the stride between rows. Doubles are borrowed
    /// from the matrix, including all numbers that follow; other numbers are converted and stored in `copy`.
    ///
    /// # Panics
    /// A row or column does not exist.
    pub(crate) fn of_rows<'b>(
        &self,
        rows: Range<usize>,
        width: usize,
        copy: &'b mut Vec<f64>,
    ) -> (&'b [f64], usize)
    where
        'v: 'b,
    {
        if let Self::Doubles(first) = self {
            return (&first.data[first.start + rows.start * first.stride..], first.stride);
        }
        copy.resize(rows.len() * width, 0.0);
        for (row, copy) in rows.zip(copy.chunks_exact_mut(width)) {
            self.line(row, width, copy);
        }
        (copy, width)
    }

    /// Copies [`TOGETHER`] columns.
    fn copy(&self, out: &mut [Vec<f64>; TOGETHER]) {
        match self {
            Self::Doubles(Strided { data, start, stride, len }) => {
                out.iter_mut().for_each(|out| out.resize(*len, 0.0));
                take_columns(level(), &data[*start..], *stride, out.each_mut().map(Vec::as_mut));
            }
            Self::Singles(first) => copy(*first, out),
            Self::Bytes(first) => copy(*first, out),
            Self::SignedBytes(first) => copy(*first, out),
        }
    }
}

/// The first of adjacent columns of a row-major matrix; `None` if the columns are not adjacent columns of one.
fn side_by_side<'v, 'c: 'v, T>(
    columns: &[&'v Column<'c>],
    view: impl Fn(&'v Column<'c>) -> Option<Strided<'v, T>>,
) -> Option<Strided<'v, T>> {
    let first = view(columns.first()?)?;
    let lie_side_by_side = first.stride >= columns.len()
        && (first.start..).zip(columns).all(|(start, column)| {
            view(column).is_some_and(|other| {
                std::ptr::eq(other.data, first.data)
                    && (other.start, other.stride, other.len) == (start, first.stride, first.len)
            })
        });
    lie_side_by_side.then_some(first)
}

/// Copies [`TOGETHER`] adjacent columns, starting with `first`.
fn copy<T: Copy>(first: Strided<'_, T>, out: &mut [Vec<f64>; TOGETHER])
where
    f64: From<T>,
{
    out.iter_mut().for_each(|out| out.resize(first.len, 0.0));
    let line = |row: usize| -> [f64; TOGETHER] {
        let line = first.line(row, TOGETHER);
        std::array::from_fn(|place| f64::from(line[place]))
    };
    let whole = first.len / ROWS * ROWS;
    for row in (0..whole).step_by(ROWS) {
        let lines: [_; ROWS] = std::array::from_fn(|k| line(row + k));
        for (place, out) in out.iter_mut().enumerate() {
            let values: [f64; ROWS] = std::array::from_fn(|k| lines[k][place]);
            out[row..][..ROWS].copy_from_slice(&values);
        }
    }
    for row in whole..first.len {
        out.iter_mut().zip(line(row)).for_each(|(out, value)| out[row] = value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests adjacent columns of matrices of all types, and other columns.
    #[test]
    fn columns_read_together_are_those_read_alone() {
        let (rows, width) = (11, 9);
        let value = |at: usize| if at % 13 == 5 { f64::NAN } else { (at as f64).sin() };
        let doubles: Vec<f64> = (0..rows * width).map(value).collect();
        let others: Vec<f64> = doubles.iter().map(|value| value + 1.0).collect();
        let singles: Vec<f32> = doubles.iter().map(|&value| value as f32).collect();
        let bytes: Vec<u8> = (0..rows * width).map(|at| (at * 7) as u8).collect();
        let signed: Vec<i8> = bytes.iter().map(|&value| value as i8).collect();
        let of_doubles = |data, start| {
            let values = Strided { data, start, stride: width, len: rows };
            Column::numeric("double", Numbers::Strided(values)).unwrap()
        };
        let of_singles = |start| {
            let values = Strided { data: &singles[..], start, stride: width, len: rows };
            Column::numeric("single", Numbers::StridedSingle(values)).unwrap()
        };
        let of_bytes = |start| {
            let values = Strided { data: &bytes[..], start, stride: width, len: rows };
            Column::numeric("bytes", Numbers::StridedBytes(values)).unwrap()
        };
        let of_signed_bytes = |start| {
            let values = Strided { data: &signed[..], start, stride: width, len: rows };
            Column::numeric("signed bytes", Numbers::StridedSignedBytes(values)).unwrap()
        };
        let contiguous = || {
            let values = Numbers::Contiguous(doubles[..rows].into());
            Column::numeric("contiguous", values).unwrap()
        };
        let genotypes = || {
            let codes: Vec<u8> = (0..rows).map(|row| (row % 4) as u8).collect();
            Column::genotype("genotype", codes.into()).unwrap()
        };
        let (doubles, others) = (&doubles[..], &others[..]);
        let eight =
            |first: usize| (first..first + TOGETHER).map(|start| of_doubles(doubles, start));
        let with = |place: usize, column| {
            let mut columns: Vec<Column<'_>> = eight(1).collect();
            columns[place] = column;
            columns
        };
        let groups: Vec<Vec<Column<'_>>> = vec![
            eight(0).collect(),
            eight(1).collect(),
            eight(1).rev().collect(),
            eight(0).take(5).collect(),
            (0..TOGETHER).map(of_singles).collect(),
            (0..TOGETHER).map(of_bytes).collect(),
            (1..=TOGETHER).map(of_signed_bytes).collect(),
            with(3, of_doubles(others, 4)),
            with(7, of_doubles(doubles, 0)),
            with(2, of_singles(3)),
            with(0, genotypes()),
            with(5, genotypes()),
            with(6, contiguous()),
            vec![],
        ];
        let mut buffers = ColumnBuffers::default();
        let mut alone = Vec::new();
        for group in &groups {
            let columns: Vec<&Column<'_>> = group.iter().collect();
            let together = buffers.read(&columns);
            assert_eq!(together.len(), group.len());
            for (column, values) in group.iter().zip(together) {
                column.copy_values(&mut alone);
                let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
                assert_eq!(bits(values), bits(&alone));
            }
        }
    }
}
