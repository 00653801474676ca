//! Significance tests of differences between methods, and tails of distributions. Only this file depends on the
//! statistics library.

use statrs::distribution::{ContinuousCDF, StudentsT};
use statrs::function::beta::{beta_reg, ln_beta};
use statrs::function::erf::erfc;
use statrs::function::gamma::{gamma_ur, ln_gamma};

use crate::order::ascending;

/// Degrees of freedom up to which chi-squared is summed term by term. This is fast, and a term overflows only if its
/// factor is 0 anyway.
const MOST_TERMS: usize = 64;

/// The result of a paired t-test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairedTest {
    /// The mean difference.
    pub difference: f64,
    /// Its standard error.
    pub error: f64,
    /// Two-tailed p-value; 1 if all differences are 0.
    pub p_value: f64,
}

/// The two-tailed paired t-test of differences.
///
/// `overlap` is the number of test rows divided by the number of training rows if splits share training rows, as in
/// cross-validation. The differences then depend on each other, and the variance of their mean is estimated as
/// `(1/n + overlap) s^2` (Nadeau & Bengio 2003). For independent draws `overlap` is 0.
///
/// Returns `None` for fewer than two differences, which have no variance, or for differences that are not finite.
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

/// The number that a t-distributed variable with `degrees` degrees of freedom (at least 1) exceeds in absolute value with
/// probability 0.05.
pub(crate) fn two_tailed_t(degrees: usize) -> f64 {
    let student = StudentsT::new(0.0, 1.0, degrees as f64);
    // The parameters are valid for at least one degree of freedom.
    student.map_or(f64::INFINITY, |student| student.inverse_cdf(0.975))
}

/// The probability that a chi-squared variable with `degrees` degrees of freedom (at least 1) exceeds a number.
///
/// Uses the closed forms for integer degrees (Abramowitz & Stegun 26.4.4 and 26.4.5): for even degrees `exp(-x/2)`
/// times the first terms of the series of `exp(x/2)`, for odd degrees `erfc(sqrt(x/2))` plus terms of half-integer
/// powers. For many degrees it uses the regularized incomplete gamma function.
pub(crate) fn chi_squared_tail(statistic: f64, degrees: usize) -> f64 {
    let half = statistic.max(0.0) / 2.0;
    if half == 0.0 {
        return 1.0;
    }
    // Neither the terms nor the library handle infinity.
    if half.is_infinite() {
        return 0.0;
    }
    if degrees > MOST_TERMS {
        return gamma_ur(degrees as f64 / 2.0, half).min(1.0);
    }
    let is_odd = degrees % 2 == 1;
    // The terms are half^k / Gamma(k + 1), with k = 0, 1, ... or 1/2, 3/2, ...
    let (start, mut power, mut term) = match is_odd {
        true => (erfc(half.sqrt()), 0.5, (half / std::f64::consts::PI).sqrt() * 2.0),
        false => (0.0, 0.0, 1.0),
    };
    let mut sum = 0.0;
    for _ in 0..degrees / 2 {
        sum += term;
        power += 1.0;
        term *= half / power;
    }
    let terms = match sum.is_finite() {
        // If terms overflow, the exponential is 0.
        false => 0.0,
        // Smaller exponentials lose digits.
        true if half > LARGEST_EXPONENT => (sum.ln() - half).exp(),
        true => (-half).exp() * sum,
    };
    (start + terms).min(1.0)
}

/// The probability that a variable with the F distribution exceeds a number; degrees of freedom are at least 1.
pub(crate) fn f_tail(statistic: f64, degrees: usize, residual: usize) -> f64 {
    if statistic.is_infinite() {
        return 0.0;
    }
    let (degrees, residual) = (degrees as f64, residual as f64);
    let share = residual / (residual + degrees * statistic.max(0.0));
    beta_reg(residual / 2.0, degrees / 2.0, share).min(1.0)
}

/// In double precision, the exponential of minus a larger number loses digits or is 0.
const LARGEST_EXPONENT: f64 = 700.0;

/// In double precision, smaller probabilities lose digits or are 0.
const LEAST_PROBABILITY: f64 = 1e-300;

/// The decimal logarithm of [`chi_squared_tail`], even if that is 0; minus infinity for an infinite statistic.
///
/// Small probabilities are computed by Legendre's continued fraction of the incomplete gamma function (Abramowitz &
/// Stegun 6.5.31).
pub(crate) fn chi_squared_log10_tail(statistic: f64, degrees: usize) -> f64 {
    let probability = chi_squared_tail(statistic, degrees);
    if probability >= LEAST_PROBABILITY || statistic.is_infinite() {
        return probability.log10();
    }
    let (a, x) = (degrees as f64 / 2.0, statistic / 2.0);
    // 1 / (x + 1 - a - 1 (1 - a) / (x + 3 - a - 2 (2 - a) / ...)), which converges with the first terms, as x is far
    // above a.
    let fraction = (1..=FRACTION_TERMS).rev().fold(0.0, |rest, term| {
        let k = f64::from(term);
        k * (k - a) / (x + 2.0 * k + 1.0 - a - rest)
    });
    (a * x.ln() - x - ln_gamma(a) - (x + 1.0 - a - fraction).ln()) / std::f64::consts::LN_10
}

/// The decimal logarithm of [`f_tail`], even if that is 0; minus infinity for an infinite statistic.
///
/// Small probabilities are computed by the continued fraction of the incomplete beta function (Abramowitz & Stegun
/// 26.5.8).
pub(crate) fn f_log10_tail(statistic: f64, degrees: usize, residual: usize) -> f64 {
    let probability = f_tail(statistic, degrees, residual);
    if probability >= LEAST_PROBABILITY || statistic.is_infinite() {
        return probability.log10();
    }
    let (degrees, residual) = (degrees as f64, residual as f64);
    let (a, b) = (residual / 2.0, degrees / 2.0);
    let scaled = degrees * statistic;
    let (ln_share, ln_rest) = (-(scaled / residual).ln_1p(), -(residual / scaled).ln_1p());
    let x = residual / (residual + scaled);
    let fraction = (1..=FRACTION_TERMS).rev().fold(1.0, |rest, term| {
        let m = f64::from(term / 2);
        let coefficient = match term % 2 {
            0 => m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m)),
            _ => -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0)),
        };
        1.0 + coefficient / rest
    });
    let ln = a * ln_share + b * ln_rest - a.ln() - ln_beta(a, b) - fraction.ln();
    ln / std::f64::consts::LN_10
}

/// Number of terms of continued fractions, far more than small probabilities need.
const FRACTION_TERMS: u32 = 500;

/// P-values corrected for multiple testing by the method of Holm (1979), in the given order.
pub(crate) fn holm(p_values: &[f64]) -> Vec<f64> {
    let order = ascending(p_values);
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

    /// The continued fractions extend the closed forms: they agree where both can be computed, and for two degrees of
    /// freedom the logarithm is known.
    #[test]
    fn logarithms_of_small_probabilities_are_known() {
        for degrees in [1, 2, 3, 4, 7, 64, 90] {
            // The probabilities are below 1e-300 but not 0.
            let (mut low, mut high) = (0.0, 2000.0);
            for _ in 0..100 {
                let middle = 0.5 * (low + high);
                if chi_squared_tail(middle, degrees) > 1e-301 {
                    low = middle
                } else {
                    high = middle
                }
            }
            let known = chi_squared_tail(high, degrees).log10();
            let found = chi_squared_log10_tail(high, degrees);
            assert!((found - known).abs() < 1e-9 * known.abs(), "{degrees}: {found} {known}");
        }
        let expected = -2000.0 / std::f64::consts::LN_10;
        assert!((chi_squared_log10_tail(4000.0, 2) - expected).abs() < 1e-9);
        for (degrees, residual) in [(1, 800), (4, 1500), (2, 5000), (9, 2000)] {
            let (mut low, mut high) = (0.0, 1e9);
            for _ in 0..200 {
                let middle = 0.5 * (low + high);
                if f_tail(middle, degrees, residual) > 1e-301 {
                    low = middle
                } else {
                    high = middle
                }
            }
            let known = f_tail(high, degrees, residual).log10();
            let found = f_log10_tail(high, degrees, residual);
            assert!(
                (found - known).abs() < 1e-8 * known.abs(),
                "{degrees} {residual}: {found} {known}"
            );
        }
        // The tail of F with two degrees of freedom is (1 + 2 F / r)^(-r / 2).
        let (statistic, residual) = (1e6_f64, 900.0_f64);
        let expected =
            -0.5 * residual * (2.0 * statistic / residual).ln_1p() / std::f64::consts::LN_10;
        let found = f_log10_tail(statistic, 2, 900);
        assert!((found - expected).abs() < 1e-8 * expected.abs(), "{found} {expected}");
        assert_eq!(chi_squared_log10_tail(0.0, 3), 0.0);
        assert_eq!(f_log10_tail(f64::INFINITY, 1, 5), f64::NEG_INFINITY);
    }

    #[test]
    fn the_t_test_is_that_of_the_tables() {
        // Mean 2, s = 1, n = 4: t = 4 with 3 degrees of freedom, p = 0.0280 in the tables.
        let spread = (1.5_f64).sqrt();
        let differences = [2.0 - spread, 2.0 + spread, 2.0, 2.0];
        let test = paired_t_test(&differences, 0.0).unwrap();
        assert!((test.difference - 2.0).abs() < 1e-12 && (test.error - 0.5).abs() < 1e-12);
        assert!((test.p_value - 0.02801).abs() < 1e-5, "{}", test.p_value);
        // 2.093 is the 97.5 % quantile with 19 degrees of freedom.
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
    fn tails_are_those_of_the_tables() {
        // The 95 % quantiles in the tables, and SciPy's `chi2.sf` in the far tail.
        for (statistic, degrees, wanted, digits) in [
            (3.841_459, 1, 0.05, 1e-6),
            (5.991_465, 2, 0.05, 1e-6),
            (7.814_728, 3, 0.05, 1e-6),
            (9.487_729, 4, 0.05, 1e-6),
            (18.307_04, 10, 0.05, 1e-6),
            (100.0, 1, 1.523_970_604_832_099_5e-23, 1e-10),
            (100.0, 3, 1.554_159_431_389_602_6e-21, 1e-10),
            (100.0, 4, 9.836_624_224_615_988e-21, 1e-12),
            (1000.0, 4, 3.569_412_779_777_369_4e-215, 1e-12),
            (0.0, 1, 1.0, 1e-15),
            (-1e-9, 4, 1.0, 1e-15),
            (40.0, 42, 0.559_092_584_231_325_1, 1e-12),
            // Here sums of terms would overflow.
            (70.0, 65, 0.313_514_774_288_379_1, 1e-10),
            (1500.0, 392, 4.294_984_598_849_239e-129, 1e-8),
            (1600.0, 800, 9.813_974_210_041_916e-56, 1e-8),
            (2499.0, 2499, 0.496_237_966_934_273_97, 1e-8),
            (2965.5, 2499, 2.231_012_456_849_795_3e-10, 1e-8),
        ] {
            let found = chi_squared_tail(statistic, degrees);
            assert!((found / wanted - 1.0).abs() < digits, "{statistic} {degrees}: {found}");
        }
        for degrees in [1, 2, 3, 4, 5, 64, 65, 1000] {
            assert_eq!(chi_squared_tail(0.0, degrees), 1.0);
            assert_eq!(chi_squared_tail(1e300, degrees), 0.0);
            assert_eq!(chi_squared_tail(f64::INFINITY, degrees), 0.0);
        }
        for (statistic, degrees, residual, wanted) in [
            (4.964_603, 1, 10, 0.05),
            (3.587_434, 4, 9, 0.051_599_517_053_635_205),
            (30.0, 4, 500, 2.178_673_777_662_306_7e-22),
        ] {
            let found = f_tail(statistic, degrees, residual);
            assert!((found / wanted - 1.0).abs() < 1e-6, "{statistic} {degrees}: {found}");
        }
        assert_eq!(f_tail(f64::INFINITY, 4, 9), 0.0);
        assert_eq!(f_tail(-1e-12, 1, 9), 1.0);
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
