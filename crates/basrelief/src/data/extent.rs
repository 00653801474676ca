//! From where to where the values of a column reach.

use basrelief_kernels::LANES;

/// The least and the greatest known value, and whether all are known.
///
/// Without a known value the least is infinite and the greatest negatively so.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Extent {
    pub(crate) least: f64,
    pub(crate) greatest: f64,
    pub(crate) complete: bool,
}

impl Default for Extent {
    /// Of no values.
    fn default() -> Self {
        Self { least: f64::INFINITY, greatest: f64::NEG_INFINITY, complete: true }
    }
}

impl Extent {
    /// Of some values; NaN is missing.
    pub(crate) fn of<T: Copy + Into<f64>>(values: &[T]) -> Self {
        // Eight at a time, since one comparison after the other waits for the last.
        let mut extents = Extents::<LANES>::default();
        let (whole, rest) = values.as_chunks::<LANES>();
        extents.add(whole.iter().map(|part| &part[..]));
        extents.add(std::iter::once(rest));
        (0..LANES).map(|lane| extents.get(lane)).fold(Self::default(), Self::merged)
    }

    /// The same, of values that do not lie side by side.
    pub(super) fn of_scattered<T: Copy + Into<f64>>(values: impl Iterator<Item = T>) -> Self {
        let mut extent = Self::default();
        let mut part = [0.0; 64];
        let mut filled = 0;
        for value in values {
            part[filled] = value.into();
            filled += 1;
            if filled == part.len() {
                extent = extent.merged(Self::of(&part));
                filled = 0;
            }
        }
        extent.merged(Self::of(&part[..filled]))
    }

    /// Of this one's values and another's.
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

/// The extents of several columns, whose values come a row at a time.
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
    /// Adds some values of each of the first columns, given row by row.
    pub(super) fn add<'l, T: Copy + Into<f64> + 'l>(
        &mut self,
        mut lines: impl Iterator<Item = &'l [T]>,
    ) {
        // Several rows at once, so that what is known is read and written less often.
        while let Some(first) = lines.next() {
            match [lines.next(), lines.next(), lines.next()] {
                [Some(second), Some(third), Some(fourth)] => {
                    self.add_rows([first, second, third, fourth]);
                }
                others => {
                    self.add_rows([first]);
                    others.into_iter().flatten().for_each(|line| self.add_rows([line]));
                }
            }
        }
    }

    /// Adds a value of each of the first columns from some rows of one length.
    fn add_rows<T: Copy + Into<f64>, const ROWS: usize>(&mut self, lines: [&[T]; ROWS]) {
        let columns = lines[0].len();
        let lines = lines.map(|line| &line[..columns]);
        let least = &mut self.least[..columns];
        let (greatest, missing) = (&mut self.greatest[..columns], &mut self.missing[..columns]);
        for column in 0..columns {
            let values: [f64; ROWS] = lines.map(|line| line[column].into());
            // No comparison with NaN holds; and nothing branches.
            let lower = |least: f64, value: f64| if value < least { value } else { least };
            let upper = |most: f64, value: f64| if value > most { value } else { most };
            least[column] = values.into_iter().fold(least[column], lower);
            greatest[column] = values.into_iter().fold(greatest[column], upper);
            let any = values.into_iter().fold(0, |any, value| any | u64::from(value.is_nan()));
            missing[column] |= any;
        }
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
        assert_eq!(Extent::of(&values), whole);
        assert_eq!(Extent::of_scattered(values.iter().copied()), whole);
        values[77] = f64::NAN;
        values[78] = f64::NEG_INFINITY;
        let infinite = Extent::of_scattered(values.iter().copied());
        assert_eq!(infinite, Extent { least: f64::NEG_INFINITY, complete: false, ..whole });
        assert_eq!(infinite, Extent::of(&values));
        assert!(infinite.is_infinite() && !whole.is_infinite());
        assert!(Extent::of(&[1.0, f64::INFINITY]).is_infinite());
        for columns in [1, 7, 8, 13, 16] {
            let mut several = Extents::<16>::default();
            let lines: Vec<Vec<f64>> = (0..values.len())
                .map(|row| (0..columns).map(|k| values[(row + 7 * k) % 100] * k as f64).collect())
                .collect();
            several.add(lines[..50].iter().map(|line| &line[..]));
            several.add(lines[50..].iter().map(|line| &line[..]));
            for column in 0..columns {
                let expected = Extent::of_scattered(lines.iter().map(|line| line[column]));
                assert_eq!(several.get(column), expected);
            }
        }
        let unknown = Extent::of(&[f64::NAN; 3]);
        assert_eq!(unknown, Extent { complete: false, ..Extent::default() });
        assert!(!unknown.is_infinite() && Extent::of::<f64>(&[]) == Extent::default());
        assert_eq!(Extent::of(&[3_u8, 1, 2]), Extent { least: 1.0, greatest: 3.0, complete: true });
    }
}
