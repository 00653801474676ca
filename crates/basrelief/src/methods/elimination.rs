//! Recursive feature elimination: computes the features of the next round from the weights of the current one.
//! A fit on one machine runs all rounds in sequence; [`crate::distribute`] runs each step when the parts of a
//! round are finished.

use serde::{Deserialize, Serialize};

use super::warning_counter::WarningCounter;
use crate::maps::ranks_of;
use crate::report::{Elimination, Report};

/// Distance between the weights of consecutive dropped features, as a fraction of the spread of the
/// weights of the last round.
const STEP: f64 = 0.01;

/// State of an elimination.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct FeatureElimination {
    /// Fraction of the remaining features that each round drops.
    drop: f64,
    /// Number of features at which the elimination stops, at least 1.
    keep: usize,
    /// Dropped columns, in the order in which they were dropped.
    dropped: Vec<usize>,
    /// The completed rounds; the remaining columns, ascending; and the ranks of these columns in the completed
    /// rounds.
    course: Elimination,
}

/// Outcome of a round.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum AfterRound {
    /// Another round follows, with fewer columns.
    Next(FeatureElimination),
    /// This was the last round: the weights of all columns, and the report on the rounds.
    Last(Vec<f64>, Elimination),
}

/// Adds all rounds and the warnings of their fits to the report.
pub(crate) fn report_rounds(rounds: Elimination, warnings: WarningCounter, report: &mut Report) {
    warnings.tell("rounds", report);
    report.iterations = Some(rounds.features.len() - 1);
    report.elimination = Some(rounds);
}

impl FeatureElimination {
    /// Returns the state before the first round, with `width` columns. Each round drops the fraction `drop` of the
    /// remaining columns, at least one, until `keep` columns remain.
    pub(crate) fn new(drop: f64, keep: usize, width: usize) -> Self {
        let course = Elimination {
            features: Vec::new(),
            kept: (0..width).collect(),
            ranks: vec![Vec::new(); width],
        };
        Self { drop, keep: keep.max(1), dropped: Vec::new(), course }
    }

    /// Whether the entries of an elimination of `width` columns are consistent with each other.
    pub(crate) fn is_consistent(&self, width: usize) -> bool {
        let Elimination { features, kept, ranks } = &self.course;
        let mut all: Vec<usize> = kept.iter().chain(&self.dropped).copied().collect();
        all.sort_unstable();
        let is_whole = kept.is_sorted() && all.into_iter().eq(0..width);
        let are_ranked = ranks.len() == kept.len()
            && ranks.iter().all(|of_rounds| of_rounds.len() == features.len());
        if self.keep == 0 || !is_whole || !are_ranked {
            return false;
        }
        // The number of columns of each round follows from that of the round before.
        let planned = Self::new(self.drop, self.keep, width).sizes();
        planned.starts_with(features) && planned.get(features.len()) == Some(&kept.len())
    }

    /// The remaining columns, ascending; the next round scores these.
    pub(crate) fn left(&self) -> &[usize] {
        &self.course.kept
    }

    /// The number of completed rounds.
    pub(crate) fn done(&self) -> usize {
        self.course.features.len()
    }

    /// The number of columns in each round, starting with the current one.
    pub(crate) fn sizes(&self) -> Vec<usize> {
        std::iter::successors(Some(self.left().len()), |&left| {
            let count = self.count_to_drop(left);
            (count > 0).then(|| left - count)
        })
        .collect()
    }

    /// The number of columns that a round with `left` columns drops; 0 for the last round.
    fn count_to_drop(&self, left: usize) -> usize {
        let wanted = ((left as f64 * self.drop).floor() as usize).max(1);
        wanted.min(left.saturating_sub(self.keep))
    }

    /// Completes the round, given the weights of the [remaining columns](Self::left) in their order.
    ///
    /// # Panics
    /// Panics if the number of weights differs from the number of remaining columns.
    pub(crate) fn step(mut self, weights: &[f64]) -> AfterRound {
        assert_eq!(weights.len(), self.left().len(), "one weight per remaining column");
        self.course.features.push(weights.len());
        for (ranks, rank) in self.course.ranks.iter_mut().zip(ranks_of(weights)) {
            ranks.push(rank);
        }
        match self.count_to_drop(weights.len()) {
            0 => {
                let all = self.weights_of_all(weights);
                AfterRound::Last(all, self.course)
            }
            count => AfterRound::Next(self.without_worst(count, weights)),
        }
    }

    /// Drops the `count` columns with the smallest weights.
    fn without_worst(mut self, count: usize, weights: &[f64]) -> Self {
        // Smallest weight first; among equal weights, the last column first.
        let mut order: Vec<usize> = (0..weights.len()).collect();
        order.sort_by(|&a, &b| weights[a].total_cmp(&weights[b]).then(b.cmp(&a)));
        let (worst, rest) = order.split_at(count);
        let Elimination { features, kept, mut ranks } = self.course;
        self.dropped.extend(worst.iter().map(|&place| kept[place]));
        let mut rest = rest.to_vec();
        rest.sort_unstable();
        self.course = Elimination {
            features,
            kept: rest.iter().map(|&place| kept[place]).collect(),
            ranks: rest.iter().map(|&place| std::mem::take(&mut ranks[place])).collect(),
        };
        self
    }

    /// Returns the weights of the last round and, below them, weights of the dropped columns in the order in which
    /// they were dropped.
    fn weights_of_all(&self, weights: &[f64]) -> Vec<f64> {
        let greatest = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let least = weights.iter().copied().fold(f64::INFINITY, f64::min);
        let spread = if greatest > least { greatest - least } else { 1.0 };
        let mut all = vec![0.0; weights.len() + self.dropped.len()];
        for (&column, &weight) in self.left().iter().zip(weights) {
            all[column] = weight;
        }
        for (step, &column) in self.dropped.iter().rev().enumerate() {
            all[column] = least - STEP * spread * (step + 1) as f64;
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_go_first_and_rank_below_what_stays() {
        // Half of five columns, rounded down to two, then one of three.
        let start = FeatureElimination::new(0.5, 2, 5);
        assert_eq!(start.sizes(), [5, 3, 2]);
        let AfterRound::Next(second) = start.step(&[0.5, 0.1, 0.3, 0.1, 0.9]) else {
            panic!("five columns are too many");
        };
        // Among equal weights, the last column is dropped first.
        assert_eq!((second.left(), &second.dropped[..]), (&[0, 2, 4][..], &[3, 1][..]));
        let AfterRound::Next(third) = second.step(&[0.2, 0.4, 0.6]) else {
            panic!("three columns are too many");
        };
        assert_eq!((third.left(), &third.dropped[..]), (&[2, 4][..], &[3, 1, 0][..]));
        assert!(third.is_consistent(5));
        let AfterRound::Last(weights, course) = third.step(&[1.0, 3.0]) else {
            panic!("two columns remain");
        };
        assert_eq!(weights, [1.0 - 0.02, 1.0 - 0.04, 1.0, 1.0 - 0.06, 3.0]);
        assert_eq!(course.features, [5, 3, 2]);
        assert_eq!((course.kept, course.ranks), (vec![2, 4], vec![vec![3, 2, 2], vec![1, 1, 1]]));
    }

    #[test]
    fn entries_that_do_not_fit_together_are_found() {
        let AfterRound::Next(second) =
            FeatureElimination::new(0.5, 2, 5).step(&[0.5, 0.1, 0.3, 0.1, 0.9])
        else {
            panic!("five columns are too many");
        };
        assert!(second.is_consistent(5) && !second.is_consistent(6));
        let is_consistent = |change: &dyn Fn(&mut FeatureElimination)| {
            let mut changed = second.clone();
            change(&mut changed);
            changed.is_consistent(5)
        };
        assert!(!is_consistent(&|own| own.dropped[0] = 1));
        assert!(!is_consistent(&|own| own.dropped.push(5)));
        assert!(!is_consistent(&|own| own.course.kept.swap(0, 1)));
        assert!(!is_consistent(&|own| own.course.features[0] = 4));
        assert!(!is_consistent(&|own| own.course.features.push(3)));
        assert!(!is_consistent(&|own| own.course.ranks[1].clear()));
        assert!(!is_consistent(&|own| own.keep = 0));
    }
}
