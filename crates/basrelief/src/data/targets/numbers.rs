//! Numeric targets: a real number per row.

use std::borrow::Cow;
use std::collections::HashMap;

use super::super::Column;
use super::values::{TargetDifferences, TargetValues};
use crate::checksum::Checksum;
use crate::error::{Error, Result};

impl TargetValues for Vec<f64> {
    fn rows(&self) -> usize {
        self.len()
    }

    fn select_rows(&self, rows: &[usize]) -> Result<Self> {
        Ok(rows.iter().map(|&row| self[row]).collect())
    }

    fn reordered(&self, order: &[u32]) -> Self {
        order.iter().map(|&row| self[row as usize]).collect()
    }

    fn is_same(&self, row: usize, other: usize) -> bool {
        self[row] == self[other]
    }

    fn value_codes(&self) -> Cow<'_, [u32]> {
        Cow::Owned(codes_of_equal(self.iter().map(|value| (value + 0.0).to_bits())))
    }

    fn phrase(&self) -> &'static str {
        "is numeric"
    }

    fn columns(&self, name: &str) -> Result<Vec<Column<'static>>> {
        Ok(vec![Column::from_values(name, self.clone())?])
    }

    fn fingerprint(&self) -> u64 {
        let mut checksum = Checksum::default();
        checksum.add_words(self, f64::to_bits);
        checksum.number()
    }

    fn regression_values(&self) -> Option<Cow<'_, [f64]>> {
        Some(Cow::Borrowed(self))
    }

    fn differences(&self) -> Result<Box<dyn TargetDifferences + '_>> {
        absolute_differences(Cow::Borrowed(self))
    }
}

/// The absolute difference of two numbers, divided by the range of all.
///
/// # Errors
/// As of [`target_range`].
pub(super) fn absolute_differences(
    values: Cow<'_, [f64]>,
) -> Result<Box<dyn TargetDifferences + '_>> {
    let range = target_range(&values)?;
    Ok(Box::new(AbsoluteDifferences { values, range }))
}

/// A code per key, in order of first appearance; equal keys have the same code.
pub(super) fn codes_of_equal<K: Eq + std::hash::Hash>(keys: impl Iterator<Item = K>) -> Vec<u32> {
    let mut known = HashMap::new();
    let code = |key| {
        let next = known.len() as u32;
        *known.entry(key).or_insert(next)
    };
    keys.map(code).collect()
}

/// See [`absolute_differences`].
struct AbsoluteDifferences<'v> {
    values: Cow<'v, [f64]>,
    range: f64,
}

impl TargetDifferences for AbsoluteDifferences<'_> {
    fn of(&self, row: u32, other: u32) -> f64 {
        (self.values[row as usize] - self.values[other as usize]).abs() / self.range
    }
}

/// The range of numbers: the largest minus the smallest.
///
/// # Errors
/// All numbers are equal, or their range overflows.
pub(crate) fn target_range(values: &[f64]) -> Result<f64> {
    let smallest = values.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let range = largest - smallest;
    if range == 0.0 {
        return Err(Error::data(
            format!("the target is {smallest} in every row"),
            "weights require a target that varies: provide rows with different values",
        ));
    }
    if range.is_infinite() {
        return Err(Error::data(
            format!(
                "the target ranges from {smallest:e} to {largest:e}, and the difference overflows"
            ),
            "rescale the target",
        ));
    }
    Ok(range)
}
