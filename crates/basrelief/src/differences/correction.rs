//! Corrections for missing values in sums that kernels compute over coded values.
//!
//! Kernels process all rows, with a missing value coded as 0 or in such a way that it adds nothing.
//! The correction of a missing value is the amount to add to the kernel's result, so that it
//! becomes the expected difference to the other row.

use basrelief_kernels::FEW_CASES;

use super::expected::MissingTable;
use super::ramp::Ramp;

/// The value that a kernel computes for a missing value, coded as 0, and a known one.
#[derive(Debug, Clone, Copy)]
pub(crate) enum CodedValue {
    /// 0.
    Nothing,
    /// The number itself, times a scale and ramped if there is a ramp.
    Number(Option<(Ramp, f64)>),
    /// 1 unless the known value is 0.
    Mismatch,
}

/// How corrections follow from the differences of a table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CorrectionRule {
    pub(crate) counted: CodedValue,
    /// Whether differences are squared.
    pub(crate) square: bool,
    /// The value of a difference of 1.
    pub(crate) unit: f64,
}

impl CorrectionRule {
    /// The correction of a missing value whose difference to another row is `difference`; `value`
    /// is the other row's number in the units of the kernel, NaN if it is missing too.
    #[inline]
    pub(crate) fn correction(&self, difference: f64, value: f64) -> f64 {
        let squared = |value: f64| if self.square { value * value } else { value };
        let whole = self.unit * squared(difference);
        if value.is_nan() {
            return 0.5 * whole;
        }
        match self.counted {
            CodedValue::Nothing => whole,
            CodedValue::Number(None) => whole - squared(value),
            CodedValue::Number(Some((ramp, scale))) => whole - squared(ramp.apply(value * scale)),
            CodedValue::Mismatch => whole - f64::from(u8::from(value != 0.0)),
        }
    }

    /// Replaces `out` by the corrections of a missing value of a class to the rows of every case,
    /// from the cases' numbers in the units of the kernel; leaves it empty if the class has no
    /// missing value.
    pub(crate) fn fill(
        &self,
        table: &MissingTable<'_>,
        class: usize,
        numbers: &[f64],
        out: &mut Vec<f64>,
    ) {
        let cases = table.by_case(class).iter().zip(numbers);
        out.clear();
        let corrections = |rule: Self| {
            let correction = cases.map(move |(d, number)| rule.correction(*d, *number));
            out.extend(correction);
        };
        // The rules of most features, as constants known to the compiler.
        match self.counted {
            CodedValue::Nothing => corrections(Self { counted: CodedValue::Nothing, ..*self }),
            CodedValue::Number(None) => {
                corrections(Self { counted: CodedValue::Number(None), ..*self })
            }
            _ => corrections(*self),
        }
    }

    /// As [`fill`](Self::fill) for at most [`FEW_CASES`] cases, padded with 0.
    pub(crate) fn few(
        &self,
        table: &MissingTable<'_>,
        class: usize,
        numbers: &[f64],
    ) -> [f64; FEW_CASES] {
        let mut corrections = [0.0; FEW_CASES];
        let cases = table.by_case(class).iter().zip(numbers);
        corrections
            .iter_mut()
            .zip(cases)
            .for_each(|(out, (d, number))| *out = self.correction(*d, *number));
        corrections
    }
}
