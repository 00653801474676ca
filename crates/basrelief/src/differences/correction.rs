//! Corrections for missing values in sums that kernels take over coded values.
//!
//! Kernels run over all rows, with a missing value coded as 0 or so that it adds nothing. The correction of a
//! missing value is what must be added to make their result its expected difference to the other row.

use basrelief_kernels::FEW_CASES;

use super::expected::MissingTable;
use super::ramp::Ramp;

/// What a kernel counts for a missing value, coded as 0, and a known one.
#[derive(Debug, Clone, Copy)]
pub(crate) enum CodedValue {
    /// Nothing.
    Nothing,
    /// The number itself, times a scale and ramped if there is a ramp.
    Number(Option<(Ramp, f64)>),
    /// 1 unless it is 0.
    Mismatch,
}

/// How corrections follow from the differences of a table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CorrectionRule {
    pub(crate) counted: CodedValue,
    /// Whether differences count squared.
    pub(crate) square: bool,
    /// What a difference of 1 counts.
    pub(crate) unit: f64,
}

impl CorrectionRule {
    /// The correction of a missing value whose difference to another row is `difference`; `value` is the
    /// other row's number as the kernel has it, NaN where it is missing too.
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

    /// Replaces `out` by the corrections of a missing value of a class to the rows of every case, from the
    /// cases' numbers as the kernel has them; none where the class misses no value.
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
        // The rules of most features, known to the compiler.
        match self.counted {
            CodedValue::Nothing => corrections(Self { counted: CodedValue::Nothing, ..*self }),
            CodedValue::Number(None) => {
                corrections(Self { counted: CodedValue::Number(None), ..*self })
            }
            _ => corrections(*self),
        }
    }

    /// The same where there are at most [`FEW_CASES`], 0 behind them.
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
