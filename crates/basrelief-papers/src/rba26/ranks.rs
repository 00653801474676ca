//! The ranks of predictive features, and the measures of the comparison.

use basrelief::maps::{FeatureRanking, RankBy};

/// The ranks of the predictive features of a data set; 1 is the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ranks {
    /// By weights, and by absolute weights.
    by: [Vec<usize>; 2],
    features: usize,
}

impl Ranks {
    /// The places of some features in a ranking, in which equal weights are in column order.
    pub(super) fn new(ranking: &FeatureRanking, predictive: &[String]) -> Self {
        let places = |by: RankBy| {
            let ranking = ranking.clone().ranked_by(by);
            let order = ranking.order();
            let is_wanted =
                |&(_, &feature): &(usize, &usize)| predictive.contains(&ranking.names()[feature]);
            order.iter().enumerate().filter(is_wanted).map(|(place, _)| place + 1).collect()
        };
        Self { by: [RankBy::Weight, RankBy::Absolute].map(places), features: ranking.names().len() }
    }

    /// The ranks, in ascending order.
    pub(super) fn of(&self, is_absolute: bool) -> &[usize] {
        &self.by[usize::from(is_absolute)]
    }

    /// Whether all are among the first `limit`.
    fn are_among(&self, is_absolute: bool, limit: usize) -> bool {
        self.of(is_absolute).last().is_some_and(|last| *last <= limit)
    }
}

/// The number of first ranks among which all predictive features of a data set are to be.
pub(super) type First = fn(&Ranks) -> usize;

/// The number of first ranks that suffices for all predictive features.
pub(super) fn optimal(ranks: &Ranks) -> usize {
    ranks.of(false).len()
}

/// The number of ranks in the first tenth, but not fewer than there are predictive features.
pub(super) fn first_tenth(ranks: &Ranks) -> usize {
    ranks.features.div_ceil(10).max(optimal(ranks))
}

/// The number of data sets in which all predictive features are among the first ones.
pub(super) fn successes(ranks: &[Ranks], is_absolute: bool, first: First) -> usize {
    ranks.iter().filter(|one| one.are_among(is_absolute, first(one))).count()
}

/// The fraction of data sets in which all predictive features are among the first ones.
pub(super) fn power(ranks: &[Ranks], is_absolute: bool, first: First) -> f64 {
    successes(ranks, is_absolute, first) as f64 / ranks.len().max(1) as f64
}

/// All ranks of all data sets, ascending.
pub(super) fn pooled(ranks: &[Ranks], is_absolute: bool) -> Vec<f64> {
    let mut all: Vec<f64> =
        ranks.iter().flat_map(|one| one.of(is_absolute)).map(|&rank| rank as f64).collect();
    all.sort_by(f64::total_cmp);
    all
}

/// The median of sorted values; 0 for none.
pub(super) fn median(sorted: &[f64]) -> f64 {
    let half = sorted.len() / 2;
    match sorted.len() {
        0 => 0.0,
        count if count % 2 == 1 => sorted[half],
        _ => (sorted[half - 1] + sorted[half]) / 2.0,
    }
}

#[cfg(test)]
pub(super) mod fixture {
    use super::Ranks;

    /// Data sets with these ranks by weights and by absolute weights.
    pub(crate) fn ranks(features: usize, by: &[[&[usize]; 2]]) -> Vec<Ranks> {
        let one = |by: &[&[usize]; 2]| Ranks { by: by.map(<[usize]>::to_vec), features };
        by.iter().map(one).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_places_and_equal_weights_do_not_help_the_last_columns() {
        let names = ["a", "b", "P1", "P2"].map(String::from).to_vec();
        let ranking = FeatureRanking::new(names, vec![0.5, -0.2, 0.5, -0.9]);
        let ranks = Ranks::new(&ranking, &["P1".to_string(), "P2".to_string()]);
        assert_eq!(ranks.of(false), [2, 4]);
        assert_eq!(ranks.of(true), [1, 3]);
    }

    #[test]
    fn measures_by_hand() {
        let ranks = fixture::ranks(
            100,
            &[[&[1, 2], &[1, 2]], [&[1, 10], &[1, 2]], [&[2, 11], &[1, 30]], [&[50, 90], &[1, 2]]],
        );
        assert_eq!(power(&ranks, false, optimal), 0.25);
        assert_eq!(power(&ranks, true, optimal), 0.75);
        assert_eq!(power(&ranks, false, first_tenth), 0.5);
        assert_eq!(successes(&ranks, true, first_tenth), 3);
        assert_eq!(pooled(&ranks, false), [1.0, 1.0, 2.0, 2.0, 10.0, 11.0, 50.0, 90.0]);
        assert_eq!(median(&pooled(&ranks, false)), 6.0);
        // A tenth of few features is not less than the number of predictive ones.
        assert_eq!(first_tenth(&fixture::ranks(20, &[[&[1, 2, 3, 4], &[1, 2, 3, 4]]])[0]), 4);
    }
}
