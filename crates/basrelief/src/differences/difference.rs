//! The trait of all differences between two values of a feature.

use std::fmt;

use basrelief_kernels::{LANES, TILE};

use super::bit_code::BitCode;
use super::expected::{MissingTable, Sorted};
use super::number_range::NumberRange;
use super::ramp::Ramp;

/// How much two values of a feature differ.
///
/// The engine stores values as [`scale`](Self::scale) returns them, and computes differences with
/// the kernels for the [form](Self::form) of the difference, or with [`tile`](Self::tile) and
/// [`line`](Self::line), which only require [`scaled_pair`](Self::scaled_pair). Each of them is
/// called for many pairs at a time.
pub(crate) trait Difference: fmt::Debug {
    /// Defines the difference of two known raw values: 0 if they are equal, at most 1.
    fn pair(&self, a: f64, b: f64) -> f64;

    /// Replaces `out` by values in the unit in which their differences are computed; NaN is
    /// missing.
    fn scale(&self, values: &[f64], out: &mut Vec<f64>);

    /// The difference of two known values in that unit.
    fn scaled_pair(&self, a: f64, b: f64) -> f64;

    /// Returns the form of the difference of scaled values, for which there may be kernels.
    fn form(&self) -> Form;

    /// How scaled values are coded in planes of bits; `None` if there are too many of them.
    fn bit_code(&self) -> Option<BitCode> {
        None
    }

    /// The range of the numbers, if their differences are fractions of it.
    fn number(&self) -> Option<NumberRange> {
        None
    }

    /// Whether any two values of different signs have the largest possible difference, and both
    /// signs occur.
    fn spans_signs(&self) -> bool {
        false
    }

    /// Returns the largest absolute scaled value.
    fn greatest(&self) -> f64 {
        1.0
    }

    /// The expected differences to missing values, which are modelled as draws from the known
    /// values of their class.
    fn expected<'a>(&self, values: Sorted<'a, '_>) -> MissingTable<'a>;

    /// Tabulates the largest differences to missing values that the known values allow.
    fn pessimistic<'a>(&self, values: Sorted<'a, '_>) -> MissingTable<'a>;

    /// Replaces `out` by the differences of one scaled value to others; NaN where one is missing.
    fn line(&self, own: f64, others: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.extend(others.iter().map(|&other| match own.is_nan() || other.is_nan() {
            true => f64::NAN,
            false => self.scaled_pair(own, other),
        }));
    }

    /// Replaces `out` by the differences of the scaled values of two panels; NaN where one is
    /// missing.
    fn tile(&self, rows: &[f64; LANES], columns: &[f64; LANES], out: &mut [f64; TILE]) {
        for (line, &own) in out.as_chunks_mut::<LANES>().0.iter_mut().zip(rows) {
            for (out, &other) in line.iter_mut().zip(columns) {
                let is_missing = own.is_nan() || other.is_nan();
                *out = if is_missing { f64::NAN } else { self.scaled_pair(own, other) };
            }
        }
    }

    /// The parameters, from which the difference can be restored.
    fn parameters(&self) -> Vec<u64>;
}

/// The form of the difference of two scaled values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Form {
    /// 0.
    Nothing,
    /// `|a - b|`.
    Absolute,
    /// `|a - b|` on a ramp.
    Ramped(Ramp),
    /// 0 if they are equal, otherwise 1.
    Mismatch,
    /// Any other function, without kernels.
    Any,
}
