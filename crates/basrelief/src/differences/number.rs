//! The difference of numbers: `|a - b|` as a fraction of the range (Kira & Rendell 1992),
//! optionally on a ramp (Robnik-Sikonja & Kononenko 2003).

use std::num::NonZeroU64;

use basrelief_kernels::{level, scale_numbers};

use super::difference::{Difference, Form};
use super::expected::{MissingTable, Sorted, expected_numeric, pessimistic};
use super::number_range::NumberRange;
use super::ramp::Ramp;

/// Numbers within a range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Number {
    /// The range of the known values.
    pub(crate) on: NumberRange,
    /// Ramp over differences, if any.
    pub(crate) ramp: Option<Ramp>,
}

impl Number {
    pub(super) fn read(parameters: &[u64]) -> Option<Self> {
        let &[least, range, steps, ref ramp @ ..] = parameters else { return None };
        let ramp = match *ramp {
            [] => None,
            [equal, different] => {
                Some(Ramp::new(f64::from_bits(equal), f64::from_bits(different))?)
            }
            _ => return None,
        };
        // A grid has at least 1 step; 0 stands for no grid.
        let steps = NonZeroU64::new(steps);
        let on = NumberRange { least: f64::from_bits(least), range: f64::from_bits(range), steps };
        Some(Self { on, ramp })
    }

    fn ramped(&self, difference: f64) -> f64 {
        self.ramp.map_or(difference, |ramp| ramp.apply(difference))
    }
}

impl Difference for Number {
    fn pair(&self, a: f64, b: f64) -> f64 {
        self.ramped((a - b).abs() / self.on.range)
    }

    fn scale(&self, values: &[f64], out: &mut Vec<f64>) {
        out.resize(values.len(), 0.0);
        scale_numbers(level(), values, self.on.least, self.on.range, out);
    }

    fn scaled_pair(&self, a: f64, b: f64) -> f64 {
        self.ramped((a - b).abs())
    }

    fn form(&self) -> Form {
        self.ramp.map_or(Form::Absolute, Form::Ramped)
    }

    fn number(&self) -> Option<NumberRange> {
        Some(self.on)
    }

    fn expected<'a>(&self, values: Sorted<'a, '_>) -> MissingTable<'a> {
        expected_numeric(values, self.ramp)
    }

    /// The difference to the farther end of the range.
    fn pessimistic<'a>(&self, values: Sorted<'a, '_>) -> MissingTable<'a> {
        pessimistic(values, |value| self.ramped(value.max(1.0 - value)), 1.0)
    }

    fn parameters(&self) -> Vec<u64> {
        let ramp = self.ramp.iter().flat_map(|ramp| [ramp.equal(), ramp.different()]);
        let NumberRange { least, range, steps } = self.on;
        let numbers = [least.to_bits(), range.to_bits(), steps.map_or(0, NonZeroU64::get)];
        numbers.into_iter().chain(ramp.map(f64::to_bits)).collect()
    }
}
