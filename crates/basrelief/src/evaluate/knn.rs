//! The k-nearest-neighbour classifier and regressor.

use super::vote::{Ballot, Voices};
use crate::data::{Dense, Target};
use crate::error::{Error, Result};
use crate::neighbors::{KnownRows, Metric, NearestRows};
use crate::run::Run;

/// Answers by the k nearest rows, in any coordinates: those that a map gives, or the features.
///
/// The class with most neighbours wins; of several that with the smaller summed distance, then the
/// first. A number is the neighbours' mean.
#[derive(Debug)]
pub struct KNearestNeighbors<'a> {
    index: KnownRows<'a>,
    target: &'a Target,
}

impl<'a> KNearestNeighbors<'a> {
    /// From rows without missing values and their target.
    ///
    /// # Errors
    /// No row, or a target of other rows.
    pub fn new(rows: &'a Dense, target: &'a Target, metric: Metric) -> Result<Self> {
        if rows.rows() == 0 || rows.rows() != target.rows() {
            return Err(Error::data(
                format!("{} rows of coordinates but {} of target", rows.rows(), target.rows()),
                "give at least one row, and one target value per row",
            ));
        }
        Ok(Self { index: KnownRows::new(rows, metric), target })
    }

    /// The nearest rows of each row.
    ///
    /// # Errors
    /// As [`KnownRows::nearest`].
    pub fn neighbors(&self, rows: &Dense, count: usize, run: &Run) -> Result<NearestRows> {
        self.index.nearest(rows, count, run)
    }

    /// The code of the class of each row.
    ///
    /// # Errors
    /// As [`KnownRows::nearest`]; the target has no classes.
    pub fn classes(
        &self,
        rows: &Dense,
        count: usize,
        voices: Voices,
        run: &Run,
    ) -> Result<Vec<u32>> {
        self.target.classes("a classifier")?;
        self.answers(rows, count, voices, run, |ballot, out| out.push(ballot.class()))
    }

    /// The share of every class in the neighbours' votes: rows x classes. Of equal greatest shares
    /// that of the class that wins is the next greater number, so that the greatest tells the class.
    ///
    /// # Errors
    /// As [`KNearestNeighbors::classes`].
    pub fn shares(&self, rows: &Dense, count: usize, voices: Voices, run: &Run) -> Result<Dense> {
        let classes = self.target.classes("a classifier")?.len();
        let shares = self.answers(rows, count, voices, run, |ballot, out| {
            let start = out.len();
            out.extend(ballot.shares());
            let own = &mut out[start..];
            let winner = ballot.class() as usize;
            if own.iter().filter(|&&share| share == own[winner]).count() > 1 {
                own[winner] = own[winner].next_up();
            }
        })?;
        Ok(Dense::new(shares, rows.rows(), classes))
    }

    /// The number that each row's neighbours have in the mean.
    ///
    /// # Errors
    /// As [`KnownRows::nearest`]; the target is no number.
    pub fn means(&self, rows: &Dense, count: usize, voices: Voices, run: &Run) -> Result<Vec<f64>> {
        if matches!(self.target, Target::Classes(_)) {
            return Err(Error::data("classes have no mean", "give a real target"));
        }
        self.answers(rows, count, voices, run, |ballot, out| out.push(ballot.mean()))
    }

    fn answers<T>(
        &self,
        rows: &Dense,
        count: usize,
        voices: Voices,
        run: &Run,
        answer: impl Fn(&Ballot<'_>, &mut Vec<T>),
    ) -> Result<Vec<T>> {
        let nearest = self.neighbors(rows, count, run)?;
        let mut ballot = Ballot::new(self.target, voices);
        let mut out = Vec::with_capacity(rows.rows());
        for place in 0..rows.rows() {
            ballot.clear();
            let (found, distances) = nearest.of(place);
            for (&row, &distance) in found.iter().zip(distances) {
                ballot.add(row as usize, distance);
            }
            answer(&ballot, &mut out);
        }
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Classes;

    #[test]
    fn a_line_of_rows_by_hand() {
        let rows = Dense::new(vec![0.0, 1.0, 2.0, 10.0, 11.0], 5, 1);
        let run = Run::new(Some(1)).unwrap();
        let sought = Dense::new(vec![1.4, 9.0], 2, 1);
        let target = Target::Classes(Classes::from_labels(&["a", "b", "b", "a", "a"]));
        let knn = KNearestNeighbors::new(&rows, &target, Metric::Euclidean).unwrap();
        assert_eq!(knn.classes(&sought, 3, Voices::Uniform, &run).unwrap(), [1, 0]);
        let shares = knn.shares(&sought, 3, Voices::Uniform, &run).unwrap();
        assert_eq!(shares.row(0), [1.0 / 3.0, 2.0 / 3.0]);
        let tied = knn.shares(&sought, 2, Voices::Uniform, &run).unwrap();
        // 1 and 2 are both of b; of 10 and 11, both are of a.
        assert_eq!(tied.values(), [0.0, 1.0, 1.0, 0.0]);
        let between = Dense::new(vec![0.6], 1, 1);
        let tied = knn.shares(&between, 2, Voices::Uniform, &run).unwrap();
        // The row of b is the nearer.
        assert_eq!(tied.values(), [0.5, 0.5_f64.next_up()]);
        assert!(knn.means(&sought, 3, Voices::Uniform, &run).is_err());
        let real = Target::Real(vec![1.0, 2.0, 6.0, 0.0, 4.0]);
        let knn = KNearestNeighbors::new(&rows, &real, Metric::Manhattan).unwrap();
        assert_eq!(knn.means(&sought, 2, Voices::Uniform, &run).unwrap(), [4.0, 2.0]);
        assert!(knn.classes(&sought, 3, Voices::Uniform, &run).is_err());
        assert!(KNearestNeighbors::new(&sought, &real, Metric::Manhattan).is_err());
    }
}
