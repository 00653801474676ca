//! The difference of genotypes as counts of allele copies: half the number of copies that differ.

use super::bit_code::BitCode;
use super::difference::{Difference, Form};
use super::expected::{MissingTable, Sorted, expected_numeric, pessimistic};

/// `|a - b| / 2` of 0, 1 and 2 copies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Dosage;

impl Dosage {
    pub(super) fn read(parameters: &[u64]) -> Option<Self> {
        parameters.is_empty().then_some(Self)
    }
}

impl Difference for Dosage {
    fn pair(&self, a: f64, b: f64) -> f64 {
        (a - b).abs() / 2.0
    }

    fn scale(&self, values: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.extend(values.iter().map(|value| value * 0.5));
    }

    fn scaled_pair(&self, a: f64, b: f64) -> f64 {
        (a - b).abs()
    }

    fn form(&self) -> Form {
        Form::Absolute
    }

    fn bit_code(&self) -> Option<BitCode> {
        Some(BitCode::Dosage)
    }

    fn expected<'a>(&self, values: Sorted<'a, '_>) -> MissingTable<'a> {
        expected_numeric(values, None)
    }

    /// The difference to the farther end of the range.
    fn pessimistic<'a>(&self, values: Sorted<'a, '_>) -> MissingTable<'a> {
        pessimistic(values, |value| value.max(1.0 - value), 1.0)
    }

    fn parameters(&self) -> Vec<u64> {
        Vec::new()
    }
}
