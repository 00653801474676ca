//! The difference of a column with at most one distinct known value: 0.

use super::difference::{Difference, Form};
use super::expected::{MissingTable, Sorted, pessimistic};

/// A column with at most one distinct known value: rows do not differ in it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Constant;

impl Constant {
    pub(super) fn read(parameters: &[u64]) -> Option<Self> {
        parameters.is_empty().then_some(Self)
    }
}

impl Difference for Constant {
    fn pair(&self, _: f64, _: f64) -> f64 {
        0.0
    }

    fn scale(&self, values: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.resize(values.len(), 0.0);
    }

    fn scaled_pair(&self, _: f64, _: f64) -> f64 {
        0.0
    }

    fn form(&self) -> Form {
        Form::Nothing
    }

    fn expected<'a>(&self, values: Sorted<'a, '_>) -> MissingTable<'a> {
        pessimistic(values, |_| 0.0, 0.0)
    }

    fn pessimistic<'a>(&self, values: Sorted<'a, '_>) -> MissingTable<'a> {
        pessimistic(values, |_| 0.0, 0.0)
    }

    fn parameters(&self) -> Vec<u64> {
        Vec::new()
    }
}
