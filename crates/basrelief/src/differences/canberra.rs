//! The difference of the Canberra metric: the distance of two numbers relative to their size (Lance
//! & Williams 1967). It needs no range: the difference of 1 and 2 equals that of 100 and 200.

use super::difference::{Difference, Form};
use super::expected::{MissingTable, Sorted, expected_of_pairs, pessimistic};

/// `|a - b| / (|a| + |b|)`; 0 where both are 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Canberra {
    /// The minimum and the maximum of the known values.
    pub(crate) least: f64,
    pub(crate) greatest: f64,
}

/// The difference of two numbers.
pub(super) fn canberra(a: f64, b: f64) -> f64 {
    // Large numbers are halved, so that the sum cannot overflow.
    let unit = if a.abs().max(b.abs()) > f64::MAX / 2.0 { 0.5 } else { 1.0 };
    let (a, b) = (a * unit, b * unit);
    let size = a.abs() + b.abs();
    if size == 0.0 { 0.0 } else { ((a - b).abs() / size).min(1.0) }
}

impl Canberra {
    pub(super) fn read(parameters: &[u64]) -> Option<Self> {
        let &[least, greatest] = parameters else { return None };
        Some(Self { least: f64::from_bits(least), greatest: f64::from_bits(greatest) })
    }
}

impl Difference for Canberra {
    fn pair(&self, a: f64, b: f64) -> f64 {
        canberra(a, b)
    }

    fn scale(&self, values: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.extend_from_slice(values);
    }

    fn scaled_pair(&self, a: f64, b: f64) -> f64 {
        self.pair(a, b)
    }

    fn form(&self) -> Form {
        Form::Any
    }

    fn spans_signs(&self) -> bool {
        self.least < 0.0 && self.greatest > 0.0
    }

    fn greatest(&self) -> f64 {
        self.least.abs().max(self.greatest.abs())
    }

    fn expected<'a>(&self, values: Sorted<'a, '_>) -> MissingTable<'a> {
        expected_of_pairs(values, |a, b| self.pair(a, b))
    }

    /// The difference to one of the ends: it increases with the distance, and is 1 between numbers
    /// of different signs.
    fn pessimistic<'a>(&self, values: Sorted<'a, '_>) -> MissingTable<'a> {
        let worst = |value: f64| self.pair(value, self.least).max(self.pair(value, self.greatest));
        pessimistic(values, worst, self.pair(self.least, self.greatest))
    }

    fn parameters(&self) -> Vec<u64> {
        vec![self.least.to_bits(), self.greatest.to_bits()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_by_hand() {
        let canberra = Canberra { least: -1.0, greatest: 9.0 };
        let cases = [
            (1.0, 3.0, 0.5),
            (100.0, 300.0, 0.5),
            (0.0, 0.0, 0.0),
            (0.0, 5e-324, 1.0),
            (-1.0, 3.0, 1.0),
            (-1.0, -3.0, 0.5),
            (f64::MAX, -f64::MAX, 1.0),
            (f64::MAX, f64::MAX / 3.0, 0.5),
        ];
        for (a, b, difference) in cases {
            assert!((canberra.pair(a, b) - difference).abs() < 1e-15, "{a} {b}");
        }
    }
}
