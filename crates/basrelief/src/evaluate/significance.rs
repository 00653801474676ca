//! Whether one method is better than another by more than chance. This is the only file that knows
//! the statistics library.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// The result of a paired t-test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairedTest {
    /// The mean difference.
    pub difference: f64,
    /// Its standard error.
    pub error: f64,
    /// Two-tailed p-value; 1 where all differences are 0.
    pub p_value: f64,
}

/// The two-tailed paired t-test of differences.
///
/// `overlap` is the number of rows tested over the number learned from where splits share training
/// rows, as in cross-validation, which makes differences depend on each other: the variance of their
/// mean is then taken as `(1/n + overlap) s^2` (Nadeau & Bengio 2003). It is 0 for independent draws.
///
/// `None` with fewer than two differences, which say nothing about chance, or differences that are no
/// finite numbers.
pub fn paired_t_test(differences: &[f64], overlap: f64) -> Option<PairedTest> {
    if differences.len() < 2 || !differences.iter().all(|value| value.is_finite()) {
        return None;
    }
    let count = differences.len() as f64;
    let difference = differences.iter().sum::<f64>() / count;
    let squares: f64 = differences.iter().map(|value| (value - difference).powi(2)).sum();
    let error = (squares / (count - 1.0) * (1.0 / count + overlap)).sqrt();
    let p_value = if difference == 0.0 {
        1.0
    } else if error == 0.0 {
        0.0
    } else {
        let student = StudentsT::new(0.0, 1.0, count - 1.0).ok()?;
        (2.0 * student.sf((difference / error).abs())).min(1.0)
    };
    Some(PairedTest { difference, error, p_value })
}

/// P-values corrected for their number by the method of Holm (1979), in the order given.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut corrected = vec![0.0; p_values.len()];
    let mut greatest = 0.0_f64;
    for (place, &test) in order.iter().enumerate() {
        greatest = greatest.max(p_values[test] * (p_values.len() - place) as f64).min(1.0);
        corrected[test] = greatest;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_t_test_is_that_of_the_tables() {
        // Mean 2, s = 1, n = 4: t = 4 with 3 degrees of freedom, p = 0.0280 in the tables.
        let spread = (1.5_f64).sqrt();
        let differences = [2.0 - spread, 2.0 + spread, 2.0, 2.0];
        let test = paired_t_test(&differences, 0.0).unwrap();
        assert!((test.difference - 2.0).abs() < 1e-12 && (test.error - 0.5).abs() < 1e-12);
        assert!((test.p_value - 0.02801).abs() < 1e-5, "{}", test.p_value);
        // 2.093 is the quantile of 97.5 % with 19 degrees of freedom.
        let unit: Vec<f64> = (0..20).map(|k| if k % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let error = (20.0_f64 / 19.0 / 20.0).sqrt();
        let shifted: Vec<f64> = unit.iter().map(|value| value + 2.093_024 * error).collect();
        let test = paired_t_test(&shifted, 0.0).unwrap();
        assert!((test.p_value - 0.05).abs() < 1e-6, "{}", test.p_value);
        // Dependence makes the same difference less certain.
        assert!(paired_t_test(&shifted, 0.1).unwrap().p_value > 0.2);
    }

    #[test]
    fn the_ends_of_the_scale() {
        assert_eq!(paired_t_test(&[1.0], 0.0), None);
        assert_eq!(paired_t_test(&[1.0, f64::INFINITY], 0.0), None);
        assert_eq!(paired_t_test(&[0.0, 0.0], 0.0).unwrap().p_value, 1.0);
        assert_eq!(paired_t_test(&[1.0, 1.0], 0.0).unwrap().p_value, 0.0);
    }

    #[test]
    fn holm_by_hand() {
        let found = holm(&[0.01, 0.04, 0.03, 0.5]);
        for (found, expected) in found.iter().zip([0.04, 0.09, 0.09, 0.5]) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
        assert_eq!(holm(&[]), [0.0; 0]);
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
    }
}
