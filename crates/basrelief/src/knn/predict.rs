//! The k-nearest-neighbor classifier and regressor.

use super::exact::{ExactKnn, NearestRows};
use super::vote::{Vote, VoteWeights};
use crate::data::{DenseMatrix, Target};
use crate::differences::Metric;
use crate::error::{Error, Result};
use crate::run::Run;

/// Predicts from the k nearest rows, in any coordinates: those of a map, or the features.
///
/// The class with the most neighbors wins. Ties go to the class with the smaller sum of distances,
/// then to the first class. For a numeric target, the prediction is the neighbors' mean.
#[derive(Debug)]
pub struct KNearestNeighbors<'a> {
    index: ExactKnn<'a>,
    target: &'a Target,
}

impl<'a> KNearestNeighbors<'a> {
    /// Creates the predictor from rows without missing values and their target.
    ///
    /// # Errors
    /// No rows, or a target of different length.
    pub fn new(rows: &'a DenseMatrix, target: &'a Target, metric: Metric) -> Result<Self> {
        if rows.rows() == 0 || rows.rows() != target.rows() {
            return Err(Error::data(
                format!("{} rows of coordinates but {} of target", rows.rows(), target.rows()),
                "give at least one row, and one target value per row",
            ));
        }
        Ok(Self { index: ExactKnn::new(rows, metric), target })
    }

    /// The nearest rows of each row.
    ///
    /// # Errors
    /// As [`ExactKnn::nearest`].
    pub fn neighbors(&self, rows: &DenseMatrix, count: usize, run: &Run) -> Result<NearestRows> {
        self.index.nearest(rows, count, run)
    }

    /// The code of the predicted class of each row.
    ///
    /// # Errors
    /// As [`ExactKnn::nearest`]; the target has no classes.
    pub fn classes(
        &self,
        rows: &DenseMatrix,
        count: usize,
        weights: VoteWeights,
        run: &Run,
    ) -> Result<Vec<u32>> {
        self.target.classes("a classifier")?;
        self.answers(rows, count, weights, run, |vote, out| out.push(vote.class()))
    }

    /// The fraction of the neighbors' votes for every class: rows x classes. If the largest
    /// fractions are equal, that of the winning class is replaced by the next larger number, so
    /// that the largest one identifies the predicted class.
    ///
    /// # Errors
    /// As [`KNearestNeighbors::classes`].
    pub fn shares(
        &self,
        rows: &DenseMatrix,
        count: usize,
        weights: VoteWeights,
        run: &Run,
    ) -> Result<DenseMatrix> {
        let classes = self.target.classes("a classifier")?.len();
        let shares = self.answers(rows, count, weights, run, |vote, out| {
            let start = out.len();
            out.extend(vote.shares());
            let own = &mut out[start..];
            let winner = vote.class() as usize;
            if own.iter().filter(|&&share| share == own[winner]).count() > 1 {
                own[winner] = own[winner].next_up();
            }
        })?;
        Ok(DenseMatrix::new(shares, rows.rows(), classes))
    }

    /// The mean target of each row's neighbors.
    ///
    /// # Errors
    /// As [`ExactKnn::nearest`]; the target is not numeric.
    pub fn means(
        &self,
        rows: &DenseMatrix,
        count: usize,
        weights: VoteWeights,
        run: &Run,
    ) -> Result<Vec<f64>> {
        if self.target.as_classes().is_some() {
            return Err(Error::data("classes have no mean", "give a real target"));
        }
        self.answers(rows, count, weights, run, |vote, out| out.push(vote.mean()))
    }

    fn answers<T>(
        &self,
        rows: &DenseMatrix,
        count: usize,
        weights: VoteWeights,
        run: &Run,
        answer: impl Fn(&Vote<'_>, &mut Vec<T>),
    ) -> Result<Vec<T>> {
        let nearest = self.neighbors(rows, count, run)?;
        let mut vote = Vote::new(self.target, weights);
        let mut out = Vec::with_capacity(rows.rows());
        for place in 0..rows.rows() {
            vote.clear();
            let (found, distances) = nearest.neighbors(place);
            for (&row, &distance) in found.iter().zip(distances) {
                vote.add(row as usize, distance);
            }
            answer(&vote, &mut out);
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
        let rows = DenseMatrix::new(vec![0.0, 1.0, 2.0, 10.0, 11.0], 5, 1);
        let run = Run::new(Some(1)).unwrap();
        let queries = DenseMatrix::new(vec![1.4, 9.0], 2, 1);
        let target = Target::Classes(Classes::from_labels(&["a", "b", "b", "a", "a"]));
        let knn = KNearestNeighbors::new(&rows, &target, Metric::Euclidean).unwrap();
        assert_eq!(knn.classes(&queries, 3, VoteWeights::Uniform, &run).unwrap(), [1, 0]);
        let shares = knn.shares(&queries, 3, VoteWeights::Uniform, &run).unwrap();
        assert_eq!(shares.row(0), [1.0 / 3.0, 2.0 / 3.0]);
        let tied = knn.shares(&queries, 2, VoteWeights::Uniform, &run).unwrap();
        // The neighbors 1 and 2 are both in class b, and 10 and 11 are both in a.
        assert_eq!(tied.values(), [0.0, 1.0, 1.0, 0.0]);
        let between = DenseMatrix::new(vec![0.6], 1, 1);
        let tied = knn.shares(&between, 2, VoteWeights::Uniform, &run).unwrap();
        // The row of class b is nearer.
        assert_eq!(tied.values(), [0.5, 0.5_f64.next_up()]);
        assert!(knn.means(&queries, 3, VoteWeights::Uniform, &run).is_err());
        let real = Target::Real(vec![1.0, 2.0, 6.0, 0.0, 4.0]);
        let knn = KNearestNeighbors::new(&rows, &real, Metric::Manhattan).unwrap();
        assert_eq!(knn.means(&queries, 2, VoteWeights::Uniform, &run).unwrap(), [4.0, 2.0]);
        assert!(knn.classes(&queries, 3, VoteWeights::Uniform, &run).is_err());
        assert!(KNearestNeighbors::new(&queries, &real, Metric::Manhattan).is_err());
    }
}
