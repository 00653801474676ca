//! Several columns read at once.

use super::{Column, Numbers, Strided, Values};

/// Columns that are read at once: where rows of doubles lie side by side, those of a cache line.
pub(crate) const TOGETHER: usize = 8;

/// Rows read at a time: few enough that their lines stay in the first cache, whatever lies between
/// two rows.
const ROWS: usize = 4;

/// The values of up to [`TOGETHER`] columns, in memory that is used again.
#[derive(Debug, Default)]
pub(crate) struct ColumnBuffers {
    values: [Vec<f64>; TOGETHER],
}

impl ColumnBuffers {
    /// The values of some columns, as [`Column::copy_values`] has them; those that lie side by side as
    /// doubles are not copied.
    ///
    /// [`TOGETHER`] neighbouring columns of a matrix that lies by rows are read side by side: one
    /// after the other, every cache line would be fetched once for each.
    ///
    /// # Panics
    /// More than [`TOGETHER`] columns.
    pub(crate) fn read<'b>(&'b mut self, columns: &[&'b Column<'_>]) -> Vec<&'b [f64]> {
        assert!(columns.len() <= TOGETHER, "at most {TOGETHER} columns");
        let values = &mut self.values;
        if let Some(strip) = strip_of(columns, double) {
            copy(strip, values);
        } else if let Some(strip) = strip_of(columns, single) {
            copy(strip, values);
        } else if let Some(strip) = strip_of(columns, bytes) {
            copy(strip, values);
        } else if let Some(strip) = strip_of(columns, signed_bytes) {
            copy(strip, values);
        } else {
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
            return columns.iter().zip(values).map(read).collect();
        }
        values.iter().map(|values| &values[..]).collect()
    }

    /// The same for those of up to [`TOGETHER`] columns that are wanted, by their index; `None` in the
    /// places of others.
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

fn double<'v>(column: &'v Column<'_>) -> Option<Strided<'v, f64>> {
    match *column.values() {
        Values::Numeric(Numbers::Strided(values)) => Some(values),
        _ => None,
    }
}

fn single<'v>(column: &'v Column<'_>) -> Option<Strided<'v, f32>> {
    match *column.values() {
        Values::Numeric(Numbers::StridedSingle(values)) => Some(values),
        _ => None,
    }
}

fn bytes<'v>(column: &'v Column<'_>) -> Option<Strided<'v, u8>> {
    match *column.values() {
        Values::Numeric(Numbers::StridedBytes(values)) => Some(values),
        _ => None,
    }
}

fn signed_bytes<'v>(column: &'v Column<'_>) -> Option<Strided<'v, i8>> {
    match *column.values() {
        Values::Numeric(Numbers::StridedSignedBytes(values)) => Some(values),
        _ => None,
    }
}

/// The first of [`TOGETHER`] neighbouring columns of a matrix that lies by rows; `None` where the
/// columns are anything else.
fn strip_of<'v, 'c: 'v, T>(
    columns: &[&'v Column<'c>],
    view: impl Fn(&'v Column<'c>) -> Option<Strided<'v, T>>,
) -> Option<Strided<'v, T>> {
    let first = view(columns.first()?)?;
    let lie_side_by_side = columns.len() == TOGETHER
        && first.stride >= TOGETHER
        && (first.start..).zip(columns).all(|(start, column)| {
            view(column).is_some_and(|other| {
                std::ptr::eq(other.data, first.data)
                    && (other.start, other.stride, other.len) == (start, first.stride, first.len)
            })
        });
    lie_side_by_side.then_some(first)
}

/// Copies [`TOGETHER`] neighbouring columns, of which the first is given.
fn copy<T: Copy>(first: Strided<'_, T>, out: &mut [Vec<f64>; TOGETHER])
where
    f64: From<T>,
{
    out.iter_mut().for_each(|out| out.resize(first.len, 0.0));
    turn_columns(first, out.each_mut().map(|out| &mut out[..]));
}

/// Copies [`TOGETHER`] neighbouring columns, of which the first is given, to where each lies in one
/// piece.
pub(super) fn turn_columns<T: Copy, U: Copy + From<T>>(
    first: Strided<'_, T>,
    mut out: [&mut [U]; TOGETHER],
) {
    let Strided { data, start, stride, len: rows } = first;
    out.iter_mut().for_each(|out| *out = &mut std::mem::take(out)[..rows]);
    let line = |row: usize| -> [U; TOGETHER] {
        let line = &data[start + row * stride..][..TOGETHER];
        std::array::from_fn(|place| U::from(line[place]))
    };
    let whole = rows / ROWS * ROWS;
    for row in (0..whole).step_by(ROWS) {
        let lines: [_; ROWS] = std::array::from_fn(|k| line(row + k));
        for (place, out) in out.iter_mut().enumerate() {
            let values: [U; ROWS] = std::array::from_fn(|k| lines[k][place]);
            out[row..][..ROWS].copy_from_slice(&values);
        }
    }
    for row in whole..rows {
        out.iter_mut().zip(line(row)).for_each(|(out, value)| out[row] = value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Neighbouring columns of a matrix and of one in single precision, and others.
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
