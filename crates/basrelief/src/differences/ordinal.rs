//! The difference of ordered levels: the number of steps between them, as a fraction of the steps
//! from the first to the last declared level (Gower 1971). Levels that do not occur count like any
//! other.

use std::num::NonZeroU64;

use basrelief_kernels::{level, scale_numbers};

use super::difference::{Difference, Form};
use super::expected::{MissingTable, Sorted, expected_numeric, pessimistic};
use super::number_range::NumberRange;

/// Ordered levels, as positions that start at 0. No ramp applies to them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Ordinal {
    /// Steps from the first to the last declared level; above 0.
    pub(crate) steps: u32,
}

impl Ordinal {
    pub(super) fn read(parameters: &[u64]) -> Option<Self> {
        let &[steps] = parameters else { return None };
        Some(Self { steps: u32::try_from(steps).ok().filter(|steps| *steps > 0)? })
    }
}

impl Difference for Ordinal {
    fn pair(&self, a: f64, b: f64) -> f64 {
        (a - b).abs() / f64::from(self.steps)
    }

    fn scale(&self, values: &[f64], out: &mut Vec<f64>) {
        out.resize(values.len(), 0.0);
        scale_numbers(level(), values, 0.0, f64::from(self.steps), out);
    }

    fn scaled_pair(&self, a: f64, b: f64) -> f64 {
        (a - b).abs()
    }

    fn form(&self) -> Form {
        Form::Absolute
    }

    /// Positions are integers, so that everything that holds for numbers on a grid holds for them.
    fn number(&self) -> Option<NumberRange> {
        let steps = NonZeroU64::new(self.steps.into());
        Some(NumberRange { least: 0.0, range: self.steps.into(), steps })
    }

    fn expected<'a>(&self, values: Sorted<'a, '_>) -> MissingTable<'a> {
        expected_numeric(values, None)
    }

    /// The difference to the farther end of the order.
    fn pessimistic<'a>(&self, values: Sorted<'a, '_>) -> MissingTable<'a> {
        pessimistic(values, |value| value.max(1.0 - value), 1.0)
    }

    fn parameters(&self) -> Vec<u64> {
        vec![self.steps.into()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_by_hand() {
        let ordinal = Ordinal { steps: 4 };
        for (a, b, difference) in [(0.0, 4.0, 1.0), (1.0, 2.0, 0.25), (3.0, 3.0, 0.0)] {
            assert_eq!(ordinal.pair(a, b), difference);
        }
        assert_eq!(Ordinal { steps: 1 }.pair(1.0, 0.0), 1.0);
        assert_eq!(Ordinal::read(&[0]), None);
    }
}
