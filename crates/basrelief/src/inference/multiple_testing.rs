//! Corrections of the p-values of many features for multiple testing.

use crate::order::descending;

/// The false discovery rate among all features whose p-value is at most that of the feature: q-values by
/// Benjamini & Hochberg (1995), in the given order.
pub(crate) fn benjamini_hochberg(p_values: &[f64]) -> Vec<f64> {
    scaled(p_values, 1.0)
}

/// The q-values by Storey (2002), in the given order: those by Benjamini & Hochberg times the fraction of features
/// without an effect, which is estimated from the p-values above 1/2 as `(1 + #{p > 1/2}) / (m / 2)`, at most 1.
pub fn storey(p_values: &[f64]) -> Vec<f64> {
    let above = p_values.iter().filter(|p| **p > 0.5).count();
    scaled(p_values, ((1.0 + above as f64) / (p_values.len() as f64 / 2.0)).min(1.0))
}

/// `min over p_j >= p_i of share m p_j / rank(p_j)`, at most 1.
fn scaled(p_values: &[f64], share: f64) -> Vec<f64> {
    let order = descending(p_values);
    let mut q_values = vec![0.0; p_values.len()];
    let mut least = 1.0_f64;
    for (above, &feature) in order.iter().enumerate() {
        let rank = (order.len() - above) as f64;
        least = least.min(share * p_values[feature] * order.len() as f64 / rank);
        q_values[feature] = least;
    }
    q_values
}

/// P-values corrected for multiple testing by the step-down min-P procedure of Westfall & Young (1993), with the
/// algorithm of Ge, Dudoit & Speed (2003): the fraction of all orders in which the smallest p-value of the features
/// that rank no better is at most that of the feature.
///
/// `ranks` has one row per order of the target; all orders are equally probable, and the observed one is the last. It
/// contains, per feature, the number of these orders (including this one) in which the weight is as large or larger.
/// Divided by the number of orders, this is the p-value of the order.
pub(super) fn step_down_min_p(ranks: &[Vec<u32>]) -> Vec<f64> {
    let Some(observed) = ranks.last() else { return Vec::new() };
    let mut order: Vec<usize> = (0..observed.len()).collect();
    order.sort_by_key(|&feature| (observed[feature], feature));
    let mut least = vec![u32::MAX; ranks.len()];
    let mut adjusted = vec![0.0; observed.len()];
    for &feature in order.iter().rev() {
        let mut count = 0;
        for (least, of_order) in least.iter_mut().zip(ranks) {
            *least = (*least).min(of_order[feature]);
            count += usize::from(*least <= observed[feature]);
        }
        adjusted[feature] = count as f64 / ranks.len() as f64;
    }
    let mut greatest = 0.0_f64;
    for &feature in &order {
        greatest = greatest.max(adjusted[feature]);
        adjusted[feature] = greatest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn q_values_are_those_of_the_definition() {
        // By hand: 5 p_i / rank, made monotone from the largest down.
        let p = [0.01, 0.04, 0.03, 0.5, 0.02];
        let q = benjamini_hochberg(&p);
        let wanted = [0.05, 0.05, 0.05, 0.5, 0.05];
        for (q, wanted) in q.iter().zip(wanted) {
            assert!((q - wanted).abs() < 1e-15, "{q} {wanted}");
        }
        // No p-value is above 1/2: the factor is (1 + 0) / 2.5.
        for (q, wanted) in storey(&p).iter().zip(wanted) {
            assert!((q - 0.4 * wanted).abs() < 1e-15);
        }
        assert_eq!(benjamini_hochberg(&[]), Vec::<f64>::new());
        assert_eq!(storey(&[0.9, 0.9]), [0.9, 0.9]);
    }

    #[test]
    fn min_p_steps_down() {
        // Two features and four orders, the observed one last.
        let ranks = |observed: [u32; 2], others: [[u32; 2]; 3]| {
            let all = others.into_iter().chain([observed]);
            all.map(|ranks| ranks.to_vec()).collect::<Vec<_>>()
        };
        // No other order has rank 1 in any feature.
        assert_eq!(step_down_min_p(&ranks([1, 1], [[2, 4], [3, 2], [4, 3]])), [0.25, 0.25]);
        // The second alone: ranks 2 and 3 are at most 3, so 3 of 4. The first: the smaller of both is
        // 1, 2, 3, so that two others are at most 2.
        assert_eq!(step_down_min_p(&ranks([2, 3], [[1, 4], [3, 2], [4, 3]])), [0.75, 0.75]);
        // The first alone: 2 of 1, 2, 4 are at most 3. The second before it: none of the others.
        assert_eq!(step_down_min_p(&ranks([3, 1], [[1, 4], [2, 2], [4, 3]])), [0.75, 0.5]);
    }
}
