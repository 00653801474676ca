//! The difference of categories: 0 if they are equal, otherwise 1 (Kira & Rendell 1992).

use super::bit_code::BitCode;
use super::difference::{Difference, Form};
use super::expected::{MissingTable, Sorted, expected_categorical, pessimistic};

/// Categories, coded from 0 to the number of levels minus 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Mismatch {
    /// Number of levels.
    pub(crate) levels: usize,
}

impl Mismatch {
    pub(super) fn read(parameters: &[u64]) -> Option<Self> {
        let &[levels] = parameters else { return None };
        Some(Self { levels: usize::try_from(levels).ok()? })
    }
}

impl Difference for Mismatch {
    fn pair(&self, a: f64, b: f64) -> f64 {
        f64::from(u8::from(a != b))
    }

    fn scale(&self, values: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.extend_from_slice(values);
    }

    fn scaled_pair(&self, a: f64, b: f64) -> f64 {
        self.pair(a, b)
    }

    fn form(&self) -> Form {
        Form::Mismatch
    }

    fn bit_code(&self) -> Option<BitCode> {
        match self.levels {
            0..=3 => Some(BitCode::Genotype),
            4 => Some(BitCode::TwoDigits),
            5..=16 => Some(BitCode::FourDigits),
            _ => None,
        }
    }

    fn greatest(&self) -> f64 {
        self.levels as f64
    }

    fn expected<'a>(&self, values: Sorted<'a, '_>) -> MissingTable<'a> {
        expected_categorical(values)
    }

    /// A missing value may always be a different one.
    fn pessimistic<'a>(&self, values: Sorted<'a, '_>) -> MissingTable<'a> {
        pessimistic(values, |_| 1.0, 1.0)
    }

    fn parameters(&self) -> Vec<u64> {
        vec![self.levels as u64]
    }
}
