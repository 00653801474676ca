//! Weights of unit length that maximize a mean margin: the positive part of the margins, normalized.

use crate::report::Report;
use crate::warning::Warning;

/// Returns `z+ / ||z+||`. If no entry is positive, all weights are 0 and the report gets a warning.
pub(super) fn positive_part_of_unit_norm(mut margins: Vec<f64>, report: &mut Report) -> Vec<f64> {
    // Dividing by the largest entry first prevents underflow of the squares of tiny margins.
    let largest = margins.iter().copied().fold(0.0, f64::max);
    if largest == 0.0 {
        report.warnings.push(no_positive_margin());
        margins.fill(0.0);
        return margins;
    }
    margins.iter_mut().for_each(|margin| *margin = margin.max(0.0) / largest);
    let norm = margins.iter().map(|margin| margin * margin).sum::<f64>().sqrt();
    margins.iter_mut().for_each(|margin| *margin /= norm);
    margins
}

/// Warns that all weights are 0.
pub(super) fn no_positive_margin() -> Warning {
    Warning::new("no-positive-margin", "no feature has a positive margin: every weight is 0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_positive_part_has_unit_norm() {
        let mut report = Report::default();
        let weights = positive_part_of_unit_norm(vec![3e-200, -1.0, 4e-200, 0.0], &mut report);
        assert!((weights[0] - 0.6).abs() < 1e-15 && (weights[2] - 0.8).abs() < 1e-15);
        assert_eq!((weights[1], weights[3]), (0.0, 0.0));
        assert!(report.warnings.is_empty());
        assert_eq!(positive_part_of_unit_norm(vec![-1.0, 0.0], &mut report), [0.0, 0.0]);
        assert_eq!(report.warnings.len(), 1);
    }
}
