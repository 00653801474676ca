//! Helpers for the methods' tests with known answers.

use crate::data::{Classes, Column, Table, Target};
use crate::run::Run;
use crate::warning::Warning;

pub(super) fn assert_weights(found: &[f64], expected: &[f64]) {
    assert!(largest_difference(found, expected) < 1e-14, "{found:?} instead of {expected:?}");
}

pub(super) fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

pub(super) fn classes(codes: &[u32]) -> Target {
    let labels: Vec<String> = codes.iter().map(u32::to_string).collect();
    Target::Classes(Classes::from_labels(&labels))
}

pub(super) fn numeric(name: &str, values: &[f64]) -> Column<'static> {
    Column::from_values(name, values.to_vec()).unwrap()
}

pub(super) fn run(threads: usize) -> Run {
    Run::new(Some(threads)).unwrap()
}

pub(super) fn has_warning(warnings: &[Warning], code: &str) -> bool {
    warnings.iter().any(|warning| warning.code() == code)
}

/// One feature 0, 1, 2, 6, 10 (range 10), classes a a b b c.
pub(super) fn three_classes() -> (Table<'static>, Target) {
    let table = Table::new(vec![numeric("x", &[0.0, 1.0, 2.0, 6.0, 10.0])]).unwrap();
    (table, classes(&[0, 0, 1, 1, 2]))
}
