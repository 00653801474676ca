//! Feature weights: a diagonal metric.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::order::descending;

/// One weight per feature.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FeatureRanking {
    names: Vec<String>,
    weights: Vec<f64>,
    rank_by: RankBy,
}

/// The number by which features are ranked.
///
/// Some methods give negative weights to features that interact and have no effect of their own: near rows differ
/// more in them than others, as for methods that subtract far rows, and for interactions of an even number of features with few
/// neighbors. Their absolute values are large (absolute ranking).
///
/// Source: BioData Mining 17, s13040-024-00390-0, 2024.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum RankBy {
    /// The weight: the largest first.
    #[default]
    Weight,
    /// The absolute weight: the largest first.
    Absolute,
}

impl RankBy {
    /// All, with their names.
    pub const ALL: [(&'static str, Self); 2] =
        [("weight", RankBy::Weight), ("absolute", RankBy::Absolute)];

    /// The name: `weight` or `absolute`.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].0
    }

    /// The number by which a feature with this weight is ranked.
    pub fn score(self, weight: f64) -> f64 {
        match self {
            RankBy::Weight => weight,
            RankBy::Absolute => weight.abs(),
        }
    }
}

impl FromStr for RankBy {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|(name, _)| *name == text);
        found.map(|(_, rank_by)| rank_by).ok_or_else(|| {
            let problem = format!("`{text}` is not one of its values");
            Error::option("rank", problem, "use `weight` or `absolute`")
        })
    }
}

/// Weights below this fraction of the largest are rounding errors of sums that cancel out.
const ROUNDING: f64 = 1e-14;

/// Returns 0 for a weight whose absolute value is below 1e-14 times `largest`, the largest absolute
/// value of all weights; otherwise the weight. Weights are displayed and compared with thresholds
/// in this form, and stored unchanged.
pub fn without_rounding(weight: f64, largest: f64) -> f64 {
    if weight.abs() < ROUNDING * largest.abs() { 0.0 } else { weight }
}

/// The largest absolute value of some weights.
pub fn largest_weight(weights: impl IntoIterator<Item = f64>) -> f64 {
    weights.into_iter().fold(0.0, |largest, weight| f64::max(largest, weight.abs()))
}

impl FeatureRanking {
    /// Creates the ranking from weights and the names of their features, both in the table's column
    /// order.
    ///
    /// # Panics
    /// The numbers of names and weights differ.
    pub fn new(names: Vec<String>, weights: Vec<f64>) -> Self {
        assert_eq!(names.len(), weights.len(), "one weight per feature");
        Self { names, weights, rank_by: RankBy::Weight }
    }

    /// The same weights, ranked by them or by their absolute values.
    #[must_use]
    pub fn ranked_by(self, rank_by: RankBy) -> Self {
        Self { rank_by, ..self }
    }

    /// The number by which the features are ranked.
    pub fn rank_by(&self) -> RankBy {
        self.rank_by
    }

    /// The numbers by which the features are ranked, in column order: the weights, or their absolute values.
    pub fn scores(&self) -> Vec<f64> {
        self.weights.iter().map(|&weight| self.rank_by.score(weight)).collect()
    }

    /// The features' names, in column order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The weights, in column order.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Feature indices in descending order of [score](Self::scores); equal scores in column order.
    pub fn order(&self) -> Vec<usize> {
        descending(&self.scores())
    }

    /// Whether each [score](Self::scores) is above a threshold, with rounding errors [treated as
    /// 0](without_rounding); in column order.
    pub fn are_above(&self, threshold: f64) -> Vec<bool> {
        let largest = largest_weight(self.weights.iter().copied());
        let shown = self.scores().into_iter().map(|score| without_rounding(score, largest));
        shown.map(|score| score > threshold).collect()
    }

    /// The rank of every feature, in column order; 1 is the largest [score](Self::scores), and equal scores share
    /// the lowest rank of their group.
    pub fn ranks(&self) -> Vec<usize> {
        ranks_of(&self.scores())
    }
}

/// As [`FeatureRanking::ranks`], for weights without names.
pub(crate) fn ranks_of(weights: &[f64]) -> Vec<usize> {
    let order = descending(weights);
    let mut ranks = vec![0; order.len()];
    let mut rank = 0;
    for (place, &feature) in order.iter().enumerate() {
        if place == 0 || weights[order[place - 1]] != weights[feature] {
            rank = place + 1;
        }
        ranks[feature] = rank;
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_errors_are_zero() {
        let weights = [1.0, 2e-16, -2e-16, 2e-14, -0.5];
        let shown = weights.map(|weight| without_rounding(weight, 1.0));
        assert_eq!(shown, [1.0, 0.0, 0.0, 2e-14, -0.5]);
        let ranking = |weights: &[f64]| {
            FeatureRanking::new(vec![String::new(); weights.len()], weights.to_vec())
        };
        assert_eq!(ranking(&weights).are_above(0.0), [true, false, false, true, false]);
        assert_eq!(ranking(&weights).are_above(-1e-20), [true, true, true, true, false]);
        assert_eq!(ranking(&[0.0, 0.0]).are_above(0.0), [false, false]);
    }

    #[test]
    fn ranks_are_shared_by_equal_weights() {
        let names = ["a", "b", "c", "d"].map(String::from).to_vec();
        let map = FeatureRanking::new(names, vec![0.1, 0.5, 0.1, -0.2]);
        assert_eq!(map.order(), [1, 0, 2, 3]);
        assert_eq!(map.ranks(), [2, 1, 2, 4]);
        let absolute = map.ranked_by(RankBy::Absolute);
        assert_eq!(absolute.order(), [1, 3, 0, 2]);
        assert_eq!(absolute.ranks(), [3, 1, 3, 2]);
        assert_eq!(absolute.are_above(0.15), [false, true, false, true]);
        assert_eq!(absolute.weights(), [0.1, 0.5, 0.1, -0.2]);
    }
}
