//! How much two values of a feature differ: what every difference can do.

use std::fmt;

use basrelief_kernels::{LANES, TILE};

use super::bit_code::BitCode;
use super::expected::{MissingTable, Sorted};
use super::number_range::NumberRange;
use super::ramp::Ramp;

/// How much two values of a feature differ.
///
/// The engine has values as [`scale`](Self::scale) gives them, and computes differences by the kernels for the
/// [form](Self::form) of the difference, or by [`tile`](Self::tile) and [`line`](Self::line), which need nothing but
/// [`scaled_pair`](Self::scaled_pair). Each of them is called for many pairs at a time.
pub(crate) trait Difference: fmt::Debug {
    /// Defines the difference of two known raw values: 0 if they are equal, at most 1.
    fn pair(&self, a: f64, b: f64) -> f64;

    /// Replaces `out` by values in the unit in which their differences are computed; NaN is missing.
    fn scale(&self, values: &[f64], out: &mut Vec<f64>);

    /// The difference of two known values in that unit.
    fn scaled_pair(&self, a: f64, b: f64) -> f64;

    /// Returns the form of the difference of scaled values, for which there may be kernels.
    fn form(&self) -> Form;

    /// How scaled values are coded in planes of bits, where they are few enough for that.
    fn bit_code(&self) -> Option<BitCode> {
        None
    }

    /// The range of the numbers that it is of, where their differences are shares of it.
    fn number(&self) -> Option<NumberRange> {
        None
    }

    /// Whether values of different signs differ as much as can be, and there are such.
    fn spans_signs(&self) -> bool {
        false
    }

    /// Returns the largest absolute scaled value.
    fn greatest(&self) -> f64 {
        1.0
    }

    /// The expected differences to missing values, which are drawn from the known values of their class.
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

    /// Replaces `out` by the differences of the scaled values of two panels; NaN where one is missing.
    fn tile(&self, rows: &[f64; LANES], columns: &[f64; LANES], out: &mut [f64; TILE]) {
        for (line, &own) in out.as_chunks_mut::<LANES>().0.iter_mut().zip(rows) {
            for (out, &other) in line.iter_mut().zip(columns) {
                let is_missing = own.is_nan() || other.is_nan();
                *out = if is_missing { f64::NAN } else { self.scaled_pair(own, other) };
            }
        }
    }

    /// Its parameters, from which it can be made again.
    fn parameters(&self) -> Vec<u64>;
}

/// The form of the difference of two scaled values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Form {
    /// 0.
    Nothing,
    /// `|a - b|`.
    Absolute,
    /// The same on a ramp.
    Ramped(Ramp),
    /// 0 if they are equal, else 1.
    Mismatch,
    /// Any other function, without kernels.
    Any,
}
