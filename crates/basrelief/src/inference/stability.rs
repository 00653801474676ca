//! The stability of selections: the measure of Nogueira, Sechidis & Brown (2018).

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// The 97.5 % quantile of the standard normal distribution.
const NORMAL_QUANTILE: f64 = 1.959_963_984_540_054;

/// The stability of several selections.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Stability {
    /// 1 if all selections are identical, 0 in expectation if features are selected at random; at least
    /// `-1 / (M - 1)` for `M` selections of the same size.
    pub value: f64,
    /// Its standard error over resamples: the square root of the variance in theorem 7 of the paper.
    pub standard_error: f64,
    /// Its 95 % interval, `value ± 1.959964 standard_error` (corollary 9 of the paper), cut at 1, the maximum of the
    /// measure.
    pub interval: (f64, f64),
}

/// The stability of selections of the same features, which may differ in size: for every selection, the indices of its
/// features in ascending order.
///
/// For `d` features and `M` selections, let `p` be the fraction of the selections that contain a feature, and `k`
/// their mean size. With the mean over the features, the stability is
///
/// ```text
/// 1 - mean(M / (M - 1) p (1 - p)) / (k/d (1 - k/d))
/// ```
///
/// Source: S. Nogueira, K. Sechidis and G. Brown. On the stability of feature selection algorithms.
/// Journal of Machine Learning Research 18(174), 2018.
///
/// # Errors
/// Fewer than two selections; none or all of the features selected every time, where the measure is not defined.
pub(crate) fn nogueira(features: usize, selections: &[Vec<u32>]) -> Result<Stability> {
    let count = selections.len();
    if count < 2 {
        return Err(Error::data(
            "fewer than two selections cannot be compared",
            "give two or more selections",
        ));
    }
    let mut times = vec![0_usize; features];
    for &feature in selections.iter().flatten() {
        times[feature as usize] += 1;
    }
    let in_all: usize = times.iter().sum();
    if in_all == 0 || in_all == count * features {
        return Err(Error::data(
            format!(
                "{} feature is selected every time, so that the stability is undefined",
                if in_all == 0 { "no" } else { "every" }
            ),
            "select some of the features",
        ));
    }
    let (m, d) = (count as f64, features as f64);
    let shares: Vec<f64> = times.iter().map(|&times| times as f64 / m).collect();
    let mean_size = in_all as f64 / m;
    let by_chance = mean_size / d * (1.0 - mean_size / d);
    let variance: f64 = shares.iter().map(|share| share * (1.0 - share)).sum::<f64>() / d;
    let value = 1.0 - m / (m - 1.0) * variance / by_chance;

    // The contribution of every selection to the measure, up to a constant.
    let contributions: Vec<f64> = selections
        .iter()
        .map(|selection| {
            let size = selection.len() as f64;
            let shared = selection.iter().fold(0.0, |sum, &feature| sum + shares[feature as usize]);
            let both = size * mean_size / (d * d);
            let sizes = 2.0 * both - size / d - mean_size / d + 1.0;
            (shared / d - both + value / 2.0 * sizes) / by_chance
        })
        .collect();
    let mean = contributions.iter().sum::<f64>() / m;
    let squares: f64 = contributions.iter().map(|one| (one - mean).powi(2)).sum();
    let standard_error = 2.0 / m * squares.sqrt();
    let reach = NORMAL_QUANTILE * standard_error;
    Ok(Stability { value, standard_error, interval: (value - reach, (value + reach).min(1.0)) })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The stability of selections that are written as whether each feature is selected.
    fn nogueira(selections: &[Vec<bool>]) -> Result<Stability> {
        let indices = |selection: &Vec<bool>| {
            let places = (0_u32..).zip(selection).filter(|(_, selected)| **selected);
            places.map(|(place, _)| place).collect()
        };
        let lists: Vec<Vec<u32>> = selections.iter().map(indices).collect();
        super::nogueira(selections.first().map_or(0, Vec::len), &lists)
    }

    /// Selections written as zeros and ones.
    fn read(rows: &[&str]) -> Vec<Vec<bool>> {
        rows.iter().map(|row| row.chars().map(|c| c == '1').collect()).collect()
    }

    /// Selections written as the numbers of the features, from 1.
    fn sets(features: usize, sets: &[&[usize]]) -> Vec<Vec<bool>> {
        let row = |set: &&[usize]| (1..=features).map(|feature| set.contains(&feature)).collect();
        sets.iter().map(row).collect()
    }

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found} and not {expected}");
    }

    /// The values in the demonstration of the authors' Python package (nogueirs/JMLR2018,
    /// `python/stabilityDemo.ipynb`): 1.0, -0.5, and for the third -0.037037037037 with the variance
    /// 0.00516666666667.
    #[test]
    fn the_authors_published_values() {
        let same = nogueira(&read(&["110", "110", "110"])).unwrap();
        assert_eq!(same, Stability { value: 1.0, standard_error: 0.0, interval: (1.0, 1.0) });
        near(nogueira(&read(&["110", "011", "101"])).unwrap().value, -0.5);
        let random = nogueira(&read(&[
            "1111000000",
            "0001011100",
            "0100011100",
            "1100101000",
            "0110110000",
            "0111001000",
            "1001000011",
            "0001011100",
            "0011110000",
            "0000100111",
        ]))
        .unwrap();
        near(random.value, -1.0 / 27.0);
        near(random.standard_error.powi(2), 31.0 / 6000.0);
        near(random.interval.0, -1.0 / 27.0 - 1.959_963_984_540_054 * (31.0_f64 / 6000.0).sqrt());
    }

    /// The sets of the examples of the R package stabm 1.2.2 (vignette, manual, tests), with the exact
    /// fractions that its formula gives for them.
    #[test]
    fn the_examples_of_stabm() {
        for (features, example, value, variance) in [
            (
                10,
                [&[1, 2, 3][..], &[1, 2, 3, 4], &[1, 2, 3, 5, 6, 7]],
                101.0 / 221.0,
                41_900_600.0 / 7_156_329_843.0,
            ),
            (10, [&[1, 2, 3], &[1, 2, 3, 4], &[1, 2, 3, 4, 5]], 13.0 / 18.0, 325.0 / 209_952.0),
            (5, [&[1, 2, 3, 4], &[2, 3, 4], &[2, 3, 4, 5]], 7.0 / 22.0, 46_225.0 / 1_405_536.0),
        ] {
            let found = nogueira(&sets(features, &example)).unwrap();
            near(found.value, value);
            near(found.standard_error.powi(2), variance);
        }
    }

    #[test]
    fn what_is_not_defined_is_refused() {
        for (selections, words) in [
            (&[][..], "fewer than two selections"),
            (&["10"], "fewer than two selections"),
            (&["000", "000"], "no feature is selected every time"),
            (&["11", "11"], "every feature is selected every time"),
        ] {
            let error = nogueira(&read(selections)).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }

    /// For selections of the same size the measure is Fleiss' kappa. Here it is computed from pairs of selections:
    /// the mean over pairs of (overlap - k²/d) / (k - k²/d), Kuncheva's index.
    fn mean_over_pairs(selections: &[Vec<bool>]) -> f64 {
        let d = selections[0].len() as f64;
        let k = selections[0].iter().filter(|&&selected| selected).count() as f64;
        let mut all = Vec::new();
        for (place, one) in selections.iter().enumerate() {
            for other in &selections[..place] {
                let overlap = one.iter().zip(other).filter(|(a, b)| **a && **b).count() as f64;
                all.push((overlap - k * k / d) / (k - k * k / d));
            }
        }
        all.iter().sum::<f64>() / all.len() as f64
    }

    /// The measure for infinitely many selections, each drawn with a probability proportional to its weight.
    fn of_weights(selections: &[Vec<bool>], weights: &[f64]) -> f64 {
        let total: f64 = weights.iter().sum();
        let features = selections[0].len();
        let shares: Vec<f64> = (0..features)
            .map(|feature| {
                let held = selections.iter().zip(weights).filter(|(one, _)| one[feature]);
                held.map(|(_, weight)| weight).sum::<f64>() / total
            })
            .collect();
        let mean = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / features as f64;
        let density = mean(&mut shares.iter().copied());
        let variance = mean(&mut shares.iter().map(|share| share * (1.0 - share)));
        1.0 - variance / (density * (1.0 - density))
    }

    /// The variance by the delta method: the sum of the squared derivatives with respect to the weight of every
    /// selection.
    fn delta_variance(selections: &[Vec<bool>]) -> f64 {
        const STEP: f64 = 1e-5;
        let slope = |place: usize| {
            let at = |step: f64| {
                let mut weights = vec![1.0; selections.len()];
                weights[place] += step;
                of_weights(selections, &weights)
            };
            (at(STEP) - at(-STEP)) / (2.0 * STEP)
        };
        (0..selections.len()).map(|place| slope(place).powi(2)).sum()
    }

    fn any_selections() -> impl Strategy<Value = Vec<Vec<bool>>> {
        (2..12_usize, 2..15_usize)
            .prop_flat_map(|(features, count)| {
                let one = prop::collection::vec(any::<bool>(), features);
                prop::collection::vec(one, count)
            })
            .prop_filter("some but not all are selected", |selections| {
                let selected = selections.iter().flatten().filter(|selected| **selected).count();
                selected > 0 && selected < selections.len() * selections[0].len()
            })
    }

    proptest! {
        #[test]
        fn the_order_of_features_and_of_selections_does_not_matter(selections in any_selections(), by in 0..20_usize) {
            let found = nogueira(&selections).unwrap();
            prop_assert!(found.value <= 1.0 + 1e-12);
            prop_assert!(found.interval.0 <= found.value && found.value <= found.interval.1 + 1e-12);
            let mut turned = selections.clone();
            let count = turned.len();
            turned.rotate_left(by % count);
            for selection in &mut turned {
                let features = selection.len();
                selection.rotate_left(by % features);
                selection.reverse();
            }
            let again = nogueira(&turned).unwrap();
            prop_assert!((found.value - again.value).abs() < 1e-12);
            prop_assert!((found.standard_error - again.standard_error).abs() < 1e-12);
            // The complements of the selections have the same stability.
            let left_out: Vec<Vec<bool>> =
                selections.iter().map(|one| one.iter().map(|selected| !selected).collect()).collect();
            let other = nogueira(&left_out).unwrap();
            prop_assert!((found.value - other.value).abs() < 1e-12);
            prop_assert!((found.standard_error - other.standard_error).abs() < 1e-12);
        }

        #[test]
        fn the_variance_of_many_selections_is_that_of_the_delta_method(selections in any_selections()) {
            // With this number of copies of each, the standard error decreases by the square root of the number.
            const COPIES: usize = 500;
            let all = vec![selections.clone(); COPIES].concat();
            let found = nogueira(&all).unwrap().standard_error * (COPIES as f64).sqrt();
            let expected = delta_variance(&selections).sqrt();
            // The closed form uses the measure with the correction M / (M - 1), the derivatives use it without.
            // The two differ by at most 1 / (M - 1), and the errors by the effect of this on the contributions.
            let selected = all.iter().flatten().filter(|selected| **selected).count();
            let density = selected as f64 / (all.len() * all[0].len()) as f64;
            let root = (selections.len() as f64).sqrt();
            let apart = 1.0 / ((all.len() - 1) as f64 * density * (1.0 - density) * root);
            prop_assert!((found - expected).abs() < apart + 1e-7, "{found} {expected} {apart}");
        }

        #[test]
        fn of_one_size_it_is_the_mean_over_pairs(
            (size, orders) in (3..12_usize).prop_flat_map(|features| {
                let order = Just((0..features).collect::<Vec<_>>()).prop_shuffle();
                (1..features, prop::collection::vec(order, 2..10))
            })
        ) {
            let selections: Vec<Vec<bool>> =
                orders.iter().map(|order| order.iter().map(|&place| place < size).collect()).collect();
            let found = nogueira(&selections).unwrap().value;
            prop_assert!((found - mean_over_pairs(&selections)).abs() < 1e-12);
        }
    }
}
