//! Predictions from the nearest rows: a class by vote, or a mean.

use std::borrow::Cow;

use crate::data::{Classes, Target};

/// The weight of each neighbor's vote.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum VoteWeights {
    /// Equal weights.
    #[default]
    Uniform,
    /// The inverse of its distance; if there are neighbors at distance 0, only these count, with
    /// equal weights.
    Distance,
}

impl VoteWeights {
    /// The weight of a neighbor at a distance, given the smallest distance of all neighbors.
    fn weight(self, distance: f64, nearest: f64) -> f64 {
        match self {
            VoteWeights::Uniform => 1.0,
            VoteWeights::Distance if nearest > 0.0 => nearest / distance,
            VoteWeights::Distance => f64::from(u8::from(distance == 0.0)),
        }
    }
}

/// A weighted vote (classes) or weighted mean (numeric target) of neighbors, added one after the
/// other.
#[derive(Debug, Clone)]
pub(crate) struct Vote<'a> {
    target: &'a Target,
    /// The classes; `None` for another target, whose `values` are averaged.
    classes: Option<&'a Classes>,
    values: Cow<'a, [f64]>,
    weights: VoteWeights,
    votes: Vec<f64>,
    distances: Vec<f64>,
    total: f64,
    sum: f64,
    nearest: f64,
}

impl<'a> Vote<'a> {
    /// A count without neighbors, for rows of this target.
    pub(crate) fn new(target: &'a Target, weights: VoteWeights) -> Self {
        let classes = target.as_classes();
        let values = target.regression_values().unwrap_or_default();
        let count = classes.map_or(0, Classes::len);
        let (votes, distances) = (vec![0.0; count], vec![0.0; count]);
        Self {
            target,
            classes,
            values,
            weights,
            votes,
            distances,
            total: 0.0,
            sum: 0.0,
            nearest: 0.0,
        }
    }

    /// Removes all neighbors.
    pub(crate) fn clear(&mut self) {
        self.votes.fill(0.0);
        self.distances.fill(0.0);
        (self.total, self.sum) = (0.0, 0.0);
    }

    /// Adds the next neighbor, which must not be nearer than the previous ones, with one vote.
    pub(crate) fn add(&mut self, row: usize, distance: f64) {
        self.add_votes(row, distance, 1.0);
    }

    /// Adds the next neighbor, which must not be nearer than the previous ones, with a number of votes.
    pub(crate) fn add_votes(&mut self, row: usize, distance: f64, votes: f64) {
        if self.total == 0.0 {
            self.nearest = distance;
        }
        let weight = votes * self.weights.weight(distance, self.nearest);
        self.total += weight;
        match self.classes {
            Some(classes) => {
                let code = classes.codes()[row] as usize;
                self.votes[code] += weight;
                if weight > 0.0 {
                    self.distances[code] += votes * distance;
                }
            }
            None => self.sum += weight * self.values[row],
        }
    }

    /// The class with the most votes. Ties go to the class with the smaller sum of distances, then
    /// to the first class.
    pub(crate) fn class(&self) -> u32 {
        let better = |a: usize, b: usize| {
            self.votes[a] > self.votes[b]
                || (self.votes[a] == self.votes[b] && self.distances[a] < self.distances[b])
        };
        (1..self.votes.len()).fold(0, |best, code| if better(code, best) { code } else { best })
            as u32
    }

    /// The fraction of the votes for every class.
    pub(crate) fn shares(&self) -> impl Iterator<Item = f64> + '_ {
        self.votes.iter().map(|votes| votes / self.total)
    }

    /// The mean of the neighbors' values.
    pub(crate) fn mean(&self) -> f64 {
        self.sum / self.total
    }

    /// The loss of the prediction against the true target of row `row`: 1 for a wrong class, the
    /// squared error for a number. Of survival times it is the prediction, as their losses are those of pairs of rows.
    pub(crate) fn loss(&self, row: usize) -> f64 {
        match self.target {
            Target::Classes(classes) => f64::from(u8::from(self.class() != classes.codes()[row])),
            Target::Real(values) => (self.mean() - values[row]).powi(2),
            Target::Survival(_) | Target::Multi(_) => self.mean(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Classes;

    #[test]
    fn ties_go_to_the_nearer_class_and_then_to_the_first() {
        let target = Target::Classes(Classes::from_labels(&["a", "b", "b", "a"]));
        let mut vote = Vote::new(&target, VoteWeights::Uniform);
        vote.add(1, 1.0);
        vote.add(0, 2.0);
        assert_eq!(vote.class(), 1);
        vote.clear();
        vote.add(1, 1.0);
        vote.add(0, 1.0);
        assert_eq!(vote.class(), 0);
        vote.add(2, 5.0);
        assert_eq!(vote.class(), 1);
        assert_eq!((vote.loss(0), vote.loss(1)), (1.0, 0.0));
    }

    #[test]
    fn distance_weighs_and_rows_at_distance_0_decide() {
        let target = Target::Classes(Classes::from_labels(&["a", "b", "b"]));
        let mut vote = Vote::new(&target, VoteWeights::Distance);
        for (row, distance) in [(0, 1.0), (1, 2.0), (2, 4.0)] {
            vote.add(row, distance);
        }
        assert_eq!(vote.class(), 0);
        assert_eq!(vote.shares().collect::<Vec<_>>(), [1.0 / 1.75, 0.75 / 1.75]);
        vote.clear();
        // Rows farther away do not decide between classes that are tied at distance 0.
        for (row, distance) in [(1, 0.0), (0, 0.0), (2, 1.0)] {
            vote.add(row, distance);
        }
        assert_eq!(vote.class(), 0);
        vote.clear();
        for (row, distance) in [(0, 0.0), (1, 1e-300), (2, 4.0)] {
            vote.add(row, distance);
        }
        assert_eq!(vote.shares().collect::<Vec<_>>(), [1.0, 0.0]);

        let real = Target::Real(vec![3.0, 6.0]);
        let mut vote = Vote::new(&real, VoteWeights::Distance);
        vote.add(0, 1.0);
        vote.add(1, 2.0);
        assert_eq!(vote.mean(), 4.0);
        assert_eq!(vote.loss(1), 4.0);
    }
}
