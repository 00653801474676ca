//! The range of the values of a column.

use basrelief_kernels::{LANES, Reaches, Reaching, level};

/// The smallest and the largest known value, and whether all values are known.
///
/// Without a known value, the smallest is infinity and the largest is negative infinity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Extent {
    pub(crate) least: f64,
    pub(crate) greatest: f64,
    pub(crate) complete: bool,
}

impl Default for Extent {
    /// The extent of an empty set of values.
    fn default() -> Self {
        Self { least: f64::INFINITY, greatest: f64::NEG_INFINITY, complete: true }
    }
}

impl Extent {
    /// Computes the extent of values; NaN is missing.
    pub(crate) fn new<T: Reaching>(values: &[T]) -> Self {
        // Eight lanes at a time, because every comparison in a single lane waits for the previous one.
        let mut extents = Extents::<LANES>::default();
        let (whole, rest) = values.as_chunks::<LANES>();
        extents.add(whole.as_flattened(), LANES, LANES);
        if !rest.is_empty() {
            extents.add(rest, rest.len(), rest.len());
        }
        (0..LANES).map(|lane| extents.get(lane)).fold(Self::default(), Self::merged)
    }

    /// Computes the extent of values that are not contiguous.
    pub(super) fn of_scattered<T: Into<f64>>(values: impl Iterator<Item = T>) -> Self {
        let mut extent = Self::default();
        let mut part = [0.0; 64];
        let mut filled = 0;
        for value in values {
            part[filled] = value.into();
            filled += 1;
            if filled == part.len() {
                extent = extent.merged(Self::new(&part));
                filled = 0;
            }
        }
        extent.merged(Self::new(&part[..filled]))
    }

    /// The extent of the values of both extents.
    pub(super) fn merged(self, other: Self) -> Self {
        Self {
            least: if other.least < self.least { other.least } else { self.least },
            greatest: if other.greatest > self.greatest { other.greatest } else { self.greatest },
            complete: self.complete && other.complete,
        }
    }

    /// Whether a value is infinite.
    pub(super) fn is_infinite(self) -> bool {
        self.least == f64::NEG_INFINITY || self.greatest == f64::INFINITY
    }
}

/// The extents of several columns, whose values are added row by row.
pub(super) struct Extents<const WIDTH: usize> {
    least: [f64; WIDTH],
    greatest: [f64; WIDTH],
    missing: [u64; WIDTH],
}

impl<const WIDTH: usize> Default for Extents<WIDTH> {
    fn default() -> Self {
        let Extent { least, greatest, .. } = Extent::default();
        Self { least: [least; WIDTH], greatest: [greatest; WIDTH], missing: [0; WIDTH] }
    }
}

impl<const WIDTH: usize> Extents<WIDTH> {
    /// Adds the values of rows that begin every `stride` numbers and contain a value for each of the first
    /// `columns` columns. The last row may end after these columns.
    pub(super) fn add<T: Reaching>(&mut self, values: &[T], stride: usize, columns: usize) {
        let reaches = &mut Reaches {
            least: &mut self.least[..columns],
            greatest: &mut self.greatest[..columns],
            missing: &mut self.missing[..columns],
        };
        T::add_reaches(level(), values, stride, values.len().div_ceil(stride), reaches);
    }

    /// The extent of one column.
    pub(super) fn get(&self, column: usize) -> Extent {
        Extent {
            least: self.least[column],
            greatest: self.greatest[column],
            complete: self.missing[column] == 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_by_hand() {
        let mut values: Vec<f64> = (0..100).map(|k| f64::from(k * 37 % 100) - 50.0).collect();
        let whole = Extent { least: -50.0, greatest: 49.0, complete: true };
        assert_eq!(Extent::new(&values), whole);
        assert_eq!(Extent::of_scattered(values.iter().copied()), whole);
        values[77] = f64::NAN;
        values[78] = f64::NEG_INFINITY;
        let infinite = Extent::of_scattered(values.iter().copied());
        assert_eq!(infinite, Extent { least: f64::NEG_INFINITY, complete: false, ..whole });
        assert_eq!(infinite, Extent::new(&values));
        assert!(infinite.is_infinite() && !whole.is_infinite());
        assert!(Extent::new(&[1.0, f64::INFINITY]).is_infinite());
        for columns in [1, 7, 8, 13, 16] {
            let mut several = Extents::<16>::default();
            let lines: Vec<Vec<f64>> = (0..values.len())
                .map(|row| (0..columns).map(|k| values[(row + 7 * k) % 100] * k as f64).collect())
                .collect();
            several.add(&lines[..50].concat(), columns, columns);
            let mut others = lines[50..].concat();
            others.extend([f64::NAN; 3]);
            let stride = columns + 3;
            for (row, line) in lines[50..].iter().enumerate() {
                others.resize((row + 1) * stride - 3, f64::NAN);
                others[row * stride..].copy_from_slice(line);
            }
            several.add(&others[..50 * stride - 3], stride, columns);
            for column in 0..columns {
                let expected = Extent::of_scattered(lines.iter().map(|line| line[column]));
                assert_eq!(several.get(column), expected);
            }
        }
        let unknown = Extent::new(&[f64::NAN; 3]);
        assert_eq!(unknown, Extent { complete: false, ..Extent::default() });
        assert!(!unknown.is_infinite() && Extent::new::<f64>(&[]) == Extent::default());
        assert_eq!(
            Extent::new(&[3_u8, 1, 2]),
            Extent { least: 1.0, greatest: 3.0, complete: true }
        );
    }
}
