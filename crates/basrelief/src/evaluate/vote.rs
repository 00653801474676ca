//! From neighbours to an answer.

use crate::data::Target;

/// How much each neighbour has to say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Voices {
    /// All the same.
    #[default]
    Uniform,
    /// The inverse of its distance; where there are neighbours at distance 0, only these, all the
    /// same.
    Distance,
}

impl Voices {
    /// What the neighbours at these distances, ascending, have to say.
    fn weight(self, distance: f64, nearest: f64) -> f64 {
        match self {
            Voices::Uniform => 1.0,
            Voices::Distance if nearest > 0.0 => nearest / distance,
            Voices::Distance => f64::from(u8::from(distance == 0.0)),
        }
    }
}

/// Counts the voices of neighbours, one neighbour after the other.
#[derive(Debug, Clone)]
pub(crate) struct Ballot<'a> {
    target: &'a Target,
    voices: Voices,
    votes: Vec<f64>,
    distances: Vec<f64>,
    total: f64,
    sum: f64,
    nearest: f64,
}

impl<'a> Ballot<'a> {
    /// A count for rows of this target.
    pub(crate) fn new(target: &'a Target, voices: Voices) -> Self {
        let classes = match target {
            Target::Classes(classes) => classes.len(),
            Target::Real(_) => 0,
        };
        let (votes, distances) = (vec![0.0; classes], vec![0.0; classes]);
        Self { target, voices, votes, distances, total: 0.0, sum: 0.0, nearest: 0.0 }
    }

    /// Forgets all neighbours.
    pub(crate) fn clear(&mut self) {
        self.votes.fill(0.0);
        self.distances.fill(0.0);
        (self.total, self.sum) = (0.0, 0.0);
    }

    /// Counts the next neighbour, which is not nearer than those before.
    pub(crate) fn add(&mut self, row: usize, distance: f64) {
        if self.total == 0.0 {
            self.nearest = distance;
        }
        let weight = self.voices.weight(distance, self.nearest);
        self.total += weight;
        match self.target {
            Target::Classes(classes) => {
                let code = classes.codes()[row] as usize;
                self.votes[code] += weight;
                if weight > 0.0 {
                    self.distances[code] += distance;
                }
            }
            Target::Real(values) => self.sum += weight * values[row],
        }
    }

    /// The class with most votes: of several that with the smaller sum of distances, then the first.
    pub(crate) fn class(&self) -> u32 {
        let better = |a: usize, b: usize| {
            self.votes[a] > self.votes[b]
                || (self.votes[a] == self.votes[b] && self.distances[a] < self.distances[b])
        };
        (1..self.votes.len()).fold(0, |best, code| if better(code, best) { code } else { best })
            as u32
    }

    /// The votes' shares.
    pub(crate) fn shares(&self) -> impl Iterator<Item = f64> + '_ {
        self.votes.iter().map(|votes| votes / self.total)
    }

    /// The mean of the neighbours' values.
    pub(crate) fn mean(&self) -> f64 {
        self.sum / self.total
    }

    /// What the answer costs where the truth is that of row `row`: 1 for a wrong class, the squared
    /// error of a number.
    pub(crate) fn loss(&self, row: usize) -> f64 {
        match self.target {
            Target::Classes(classes) => f64::from(u8::from(self.class() != classes.codes()[row])),
            Target::Real(values) => (self.mean() - values[row]).powi(2),
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
        let mut ballot = Ballot::new(&target, Voices::Uniform);
        ballot.add(1, 1.0);
        ballot.add(0, 2.0);
        assert_eq!(ballot.class(), 1);
        ballot.clear();
        ballot.add(1, 1.0);
        ballot.add(0, 1.0);
        assert_eq!(ballot.class(), 0);
        ballot.add(2, 5.0);
        assert_eq!(ballot.class(), 1);
        assert_eq!((ballot.loss(0), ballot.loss(1)), (1.0, 0.0));
    }

    #[test]
    fn distance_weighs_and_rows_at_distance_0_decide() {
        let target = Target::Classes(Classes::from_labels(&["a", "b", "b"]));
        let mut ballot = Ballot::new(&target, Voices::Distance);
        for (row, distance) in [(0, 1.0), (1, 2.0), (2, 4.0)] {
            ballot.add(row, distance);
        }
        assert_eq!(ballot.class(), 0);
        assert_eq!(ballot.shares().collect::<Vec<_>>(), [1.0 / 1.75, 0.75 / 1.75]);
        ballot.clear();
        // Far rows do not decide between classes that are tied at distance 0.
        for (row, distance) in [(1, 0.0), (0, 0.0), (2, 1.0)] {
            ballot.add(row, distance);
        }
        assert_eq!(ballot.class(), 0);
        ballot.clear();
        for (row, distance) in [(0, 0.0), (1, 1e-300), (2, 4.0)] {
            ballot.add(row, distance);
        }
        assert_eq!(ballot.shares().collect::<Vec<_>>(), [1.0, 0.0]);

        let real = Target::Real(vec![3.0, 6.0]);
        let mut ballot = Ballot::new(&real, Voices::Distance);
        ballot.add(0, 1.0);
        ballot.add(1, 2.0);
        assert_eq!(ballot.mean(), 4.0);
        assert_eq!(ballot.loss(1), 4.0);
    }
}
