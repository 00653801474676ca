//! Nested cross-validation of one method on one split: chooses the options by cross-validation within the training
//! rows, then learns with them and tests the result.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::adaptive::{ADAPTIVE_NAME, Adaptive};
use super::knn_loss_grid::{RowCoordinates, WeighedMetric, WeightedTarget, losses};
use super::model::{KnnSettings, Model, complete};
use super::parameter_grid::{GridPoint, MethodKind, ParameterGrid};
use crate::data::{DenseMatrix, Groups, Roles, RowWeights, Split, Table, Target, deal};
use crate::differences::Metric;
use crate::error::{Error, Result};
use crate::parallel;
use crate::run::Run;
use crate::wording::setting;

/// The reason for a loss that is not finite.
const TOO_LARGE: &str = "the squared errors are too large to be finite numbers";

/// The numbers of features or components that are tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dimensions {
    /// Only the number of all.
    All,
    /// 1 to 10, then steps of about a fifth, then the number of all.
    Spread,
    /// 1, 2, 3 and so on, up to the number of all.
    Every,
    /// These numbers, ascending.
    Some(Vec<usize>),
}

impl Dimensions {
    /// The numbers, up to `most`.
    pub fn up_to(&self, most: usize) -> Vec<usize> {
        let mut found = match self {
            Dimensions::All => Vec::new(),
            Dimensions::Every => (1..most).collect(),
            Dimensions::Spread => {
                let next = |last: &usize| Some(if *last < 10 { last + 1 } else { last * 6 / 5 });
                std::iter::successors(Some(1), next).take_while(|&count| count < most).collect()
            }
            Dimensions::Some(counts) => {
                let mut counts: Vec<usize> = counts.iter().map(|&count| count.min(most)).collect();
                counts.dedup();
                return counts;
            }
        };
        found.push(most);
        found
    }
}

/// Nested cross-validation of methods: the data, and the alternatives among which the inner folds choose.
#[derive(Debug, Clone)]
pub struct NestedCv<'a> {
    /// The features.
    pub table: &'a Table<'a>,
    /// The target.
    pub target: &'a Target,
    /// Groups of rows that are not independent: folds keep them whole, and weights of methods with a neighbor search
    /// consult them.
    pub groups: Option<&'a Groups>,
    /// Weights of rows: a row of weight w counts as w rows in the weights of methods with a neighbor search, in scales of
    /// features, among neighbors, and in losses.
    pub weights: Option<&'a RowWeights>,
    /// How k-NN measures distances.
    pub knn: KnnSettings,
    /// Numbers of features or components to choose from.
    pub dimensions: Dimensions,
    /// Numbers of neighbors to choose from, ascending.
    pub counts: Vec<usize>,
    /// Number of folds of the cross-validation within the training rows; 0 if there is nothing to choose.
    /// Then all dimensions are used, and only one alternative and one number of neighbors are allowed.
    pub folds: usize,
}

/// The mean loss with a number of features or components.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(from = "(usize, f64)", into = "(usize, f64)")]
pub struct Rate {
    /// The number of features or components.
    pub dimensions: usize,
    /// The mean loss over the test rows.
    pub loss: f64,
}

impl From<(usize, f64)> for Rate {
    fn from((dimensions, loss): (usize, f64)) -> Self {
        Self { dimensions, loss }
    }
}

impl From<Rate> for (usize, f64) {
    fn from(Rate { dimensions, loss }: Rate) -> Self {
        (dimensions, loss)
    }
}

/// The result of evaluating a candidate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The error rate, the mean squared error or, of survival times, one minus Harrell's concordance on the test rows.
    pub loss: f64,
    /// The number of features or components chosen.
    pub dimensions: usize,
    /// The rank of the metric before dimensions were excluded: the number of features in it, or the
    /// numerical rank of a map's matrix `L' L`.
    pub rank: usize,
    /// The number of neighbors chosen.
    pub neighbors: usize,
    /// The values chosen for the options with alternatives.
    pub options: Vec<(String, String)>,
    /// The loss on the test rows by the number of features or components, with the chosen options and
    /// number of neighbors. It is meant for figures; no choice depends on it.
    pub curve: Vec<Rate>,
    /// Uno's concordance on the test rows, in which pairs are weighted by the probability to be uncensored in the training
    /// rows; `None` for other targets than survival times, or if no event is earlier than the last training row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uno: Option<f64>,
    /// The names of the features chosen, the best first; `None` for candidates that do not order features.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub features: Option<Vec<String>>,
    /// Wall-clock seconds to learn once with the options chosen, while other work may run in parallel.
    pub seconds: f64,
    /// Warnings: codes and messages.
    pub warnings: Vec<(String, String)>,
}

/// One choice among all.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Choice {
    point: usize,
    dimensions: usize,
    neighbors: usize,
}

impl NestedCv<'_> {
    /// Learns a candidate from the training rows of a split, and tests it on the test rows. Uses the
    /// options, the number of dimensions and the number of neighbors with the smallest loss in a
    /// cross-validation within the training rows. For equal losses, the first alternative is chosen,
    /// then the one with fewer dimensions, then the one with fewer neighbors.
    ///
    /// An alternative that cannot be learned from some fold is not chosen.
    ///
    /// # Errors
    /// The data or the options do not suit the method; [`Error::Cancelled`].
    pub fn evaluate(&self, candidate: &ParameterGrid, split: &Split, run: &Run) -> Result<Outcome> {
        if let MethodKind::Adaptive = candidate.kind() {
            // The covariances of neighborhoods need complete rows.
            complete(self.table)?;
        }
        let train = self.part(&split.train)?;
        let test = self.table.select_rows(&split.test);
        let choice = self.choose(candidate, &split.train, run)?;
        let point = &candidate.points()[choice.point];
        let start = Instant::now();
        let fitted = self.learn(candidate.kind(), point, &train, &split.train, run)?;
        let seconds = start.elapsed().as_secs_f64();
        let held = fitted.model.place(&test, run)?;
        let dimensions = choice.dimensions.min(fitted.model.dimensions());
        let mut rungs = self.rungs(candidate.kind(), fitted.model.dimensions());
        if !rungs.contains(&dimensions) {
            rungs.push(dimensions);
            rungs.sort_unstable();
        }
        let counts = [choice.neighbors];
        let target = self.weighted_target();
        let sums = fitted.losses(target, point, &held, &split.test, &rungs, &counts, run)?;
        let tested = target.total_weight(&split.test);
        let mean = |sum: &f64| if tested > 0.0 { sum / tested } else { *sum };
        let uno = match train.target.as_survival() {
            Some(_) if tested == 0.0 => {
                return Err(Error::data(
                    "the test rows have no two times of which one is known to be later",
                    format!("use fewer folds ({})", setting("folds", Some("5"))),
                ));
            }
            Some(training) => {
                let target = WeightedTarget { censoring: Some(training), ..target };
                let (chosen, tested) = ([dimensions], target.total_weight(&split.test));
                let sums =
                    fitted.losses(target, point, &held, &split.test, &chosen, &counts, run)?;
                (tested > 0.0).then(|| 1.0 - sums[0] / tested)
            }
            None => None,
        };
        let curve: Vec<Rate> = rungs
            .iter()
            .zip(&sums)
            .map(|(&dimensions, sum)| Rate { dimensions, loss: mean(sum) })
            .collect();
        if curve.iter().any(|rate| !rate.loss.is_finite()) {
            return Err(Error::data(TOO_LARGE, "rescale the target"));
        }
        let loss = curve.iter().find(|rate| rate.dimensions == dimensions).map(|rate| rate.loss);
        Ok(Outcome {
            loss: loss.ok_or_else(|| Error::Internal("the choice was not tested".to_string()))?,
            dimensions,
            rank: fitted.model.rank(run)?,
            neighbors: choice.neighbors,
            options: point.chosen.clone(),
            curve,
            uno,
            features: match candidate.kind() {
                MethodKind::Weighting(_) => fitted.model.names(dimensions),
                _ => None,
            },
            seconds,
            warnings: fitted.warnings,
        })
    }

    /// The numbers of dimensions that are tried if there are `most` dimensions.
    fn rungs(&self, kind: MethodKind, most: usize) -> Vec<usize> {
        match kind {
            // The features are not ordered, so there are no first ones.
            MethodKind::Features | MethodKind::Adaptive => vec![most],
            _ if most == 0 => vec![0],
            _ => self.dimensions.up_to(most),
        }
    }

    fn choose(&self, candidate: &ParameterGrid, rows: &[usize], run: &Run) -> Result<Choice> {
        let most_neighbors = *self.counts.last().ok_or_else(|| {
            Error::option("k", "no number of neighbors was given", "give at least one")
        })?;
        let only = Choice { point: 0, dimensions: usize::MAX, neighbors: most_neighbors };
        if self.folds == 0 {
            if candidate.alternatives() * self.counts.len() > 1 {
                return Err(Error::option(
                    "folds",
                    format!(
                        "{} has alternatives, but 0 folds cannot choose one",
                        candidate.label()
                    ),
                    "give at least 2 folds",
                ));
            }
            return Ok(only);
        }
        // An upper bound for the dimensions of any part: the number of features, or of rows.
        let most = self.table.width().max(rows.len());
        let rungs = match candidate.kind() {
            MethodKind::Features | MethodKind::Adaptive => vec![usize::MAX],
            _ => match &self.dimensions {
                Dimensions::All => vec![usize::MAX],
                other => {
                    let mut rungs = other.up_to(most);
                    if !matches!(other, Dimensions::Some(_)) {
                        rungs.pop();
                        rungs.push(usize::MAX);
                    }
                    rungs
                }
            },
        };
        if candidate.alternatives() * rungs.len() * self.counts.len() == 1 {
            return Ok(Choice { dimensions: rungs[0], ..only });
        }
        let target = self.target.select_rows(rows)?;
        let groups = self.groups.map(|groups| groups.select_rows(rows));
        let folds = deal(&target, groups.as_ref(), self.folds.min(rows.len()), run.seed());
        let parts: Vec<(Vec<usize>, Vec<usize>)> = (0..self.folds.min(rows.len()))
            .map(|part| {
                let (held, kept): (Vec<usize>, Vec<usize>) =
                    (0..rows.len()).partition(|&place| folds[place] == part);
                let global = |places: Vec<usize>| places.iter().map(|&place| rows[place]).collect();
                (global(kept), global(held))
            })
            .collect();
        let mut best: Option<(f64, Choice)> = None;
        let mut obstacle = None;
        let sums: Vec<Vec<Result<Vec<f64>>>> = run.install(|| {
            let one = |(kept, held): &(Vec<usize>, Vec<usize>)| {
                self.losses_of_part(candidate, kept, held, &rungs, run)
            };
            parallel::try_map(&parts, one)
        })?;
        for point in 0..candidate.alternatives() {
            let mut total = vec![0.0; rungs.len() * self.counts.len()];
            for part in &sums {
                match &part[point] {
                    Ok(sums) => total.iter_mut().zip(sums).for_each(|(total, sum)| *total += sum),
                    Err(error) => {
                        total.fill(f64::INFINITY);
                        obstacle = Some(error.to_string());
                    }
                }
            }
            for (place, &loss) in total.iter().enumerate() {
                if loss.is_finite() && best.is_none_or(|(least, _)| loss < least) {
                    let (rung, count) = (place / self.counts.len(), place % self.counts.len());
                    let (dimensions, neighbors) = (rungs[rung], self.counts[count]);
                    best = Some((loss, Choice { point, dimensions, neighbors }));
                }
                if loss.is_nan() || (loss.is_infinite() && obstacle.is_none()) {
                    obstacle = Some(TOO_LARGE.to_string());
                }
            }
        }
        match (best, obstacle) {
            (Some((_, choice)), _) => Ok(choice),
            (None, Some(obstacle)) => Err(Error::data(
                format!("no alternative of {} could be learned: {obstacle}", candidate.label()),
                "",
            )),
            (None, None) => {
                Err(Error::Internal("cross-validation tried no alternative".to_string()))
            }
        }
    }

    /// Returns, for every alternative, the sums of the losses of the held-out rows (rungs x counts), or
    /// the reason why it could not be learned.
    fn losses_of_part(
        &self,
        candidate: &ParameterGrid,
        kept: &[usize],
        held: &[usize],
        rungs: &[usize],
        run: &Run,
    ) -> Result<Vec<Result<Vec<f64>>>> {
        let (train, test) = (self.part(kept)?, self.table.select_rows(held));
        let one = |point: &GridPoint| {
            run.check()?;
            let found = self.learn(candidate.kind(), point, &train, kept, run).and_then(|fitted| {
                let placed = fitted.model.place(&test, run)?;
                let most = fitted.model.dimensions();
                let rungs: Vec<usize> = rungs.iter().map(|&rung| rung.min(most)).collect();
                // If there are fewer dimensions than requested, the last rungs are equal.
                let mut distinct = rungs.clone();
                distinct.dedup();
                let counts = &self.counts;
                let target = self.weighted_target();
                let sums = fitted.losses(target, point, &placed, held, &distinct, counts, run)?;
                let of_rung = |rung: &usize| {
                    let place = distinct.partition_point(|other| other < rung) * counts.len();
                    sums[place..place + counts.len()].iter().copied()
                };
                Ok(rungs.iter().flat_map(of_rung).collect::<Vec<f64>>())
            });
            match found {
                Err(error @ (Error::Data(_) | Error::Option { .. })) => Ok(Err(error)),
                Err(error) => Err(error),
                Ok(sums) => Ok(Ok(sums)),
            }
        };
        candidate.points().iter().map(one).collect()
    }

    fn weighted_target(&self) -> WeightedTarget<'_> {
        let weights = self.weights.filter(|weights| !weights.are_one()).map(RowWeights::values);
        WeightedTarget { target: self.target, weights, censoring: None }
    }

    fn part(&self, rows: &[usize]) -> Result<Part> {
        let target = self.target.select_rows(rows)?;
        let groups = self.groups.map(|groups| groups.select_rows(rows));
        let weights = self.weights.map(|weights| weights.select_rows(rows));
        Ok(Part { table: self.table.select_rows(rows), target, groups, weights })
    }

    fn learn<'r>(
        &self,
        kind: MethodKind,
        point: &GridPoint,
        part: &Part,
        rows: &'r [usize],
        run: &Run,
    ) -> Result<Learned<'r>> {
        let quiet = run.part(run.seed());
        let roles =
            Roles::default().with_groups(part.groups.as_ref()).with_weights(part.weights.as_ref());
        let (model, warnings) =
            Model::fit(kind, point, &part.table, (&part.target, roles), self.knn, &quiet)?;
        let known = model.place(&part.table, run)?;
        let text = |warning: &crate::Warning| (warning.code().to_string(), warning.to_string());
        let warnings = warnings.iter().map(text).collect();
        Ok(Learned { kind, metric: self.knn.metric, model, known, rows, warnings })
    }
}

/// The rows from which a candidate is learned.
struct Part {
    table: Table<'static>,
    target: Target,
    groups: Option<Groups>,
    weights: Option<RowWeights>,
}

/// A learned model, with the rows from which it was learned.
struct Learned<'r> {
    kind: MethodKind,
    metric: Metric,
    model: Model,
    known: DenseMatrix,
    rows: &'r [usize],
    warnings: Vec<(String, String)>,
}

impl Learned<'_> {
    /// The sums of the losses of rows, for each number of dimensions (ascending) and of neighbors.
    fn losses(
        &self,
        target: WeightedTarget<'_>,
        point: &GridPoint,
        placed: &DenseMatrix,
        rows: &[usize],
        dimensions: &[usize],
        counts: &[usize],
        run: &Run,
    ) -> Result<Vec<f64>> {
        let known = RowCoordinates { coordinates: &self.known, rows: self.rows };
        let tested = RowCoordinates { coordinates: placed, rows };
        if let MethodKind::Adaptive = self.kind {
            if target.weights.is_some() {
                return Err(Error::option(
                    "row_weight",
                    format!("{ADAPTIVE_NAME} does not use weights of rows"),
                    "compare other methods",
                ));
            }
            let adaptive = Adaptive::from_settings(&point.settings)?;
            return adaptive.losses(target.target, known, tested, counts, run);
        }
        let columns: Vec<usize> =
            dimensions.iter().map(|&dimensions| self.model.columns(dimensions)).collect();
        let of_coordinates = self.model.weights();
        let metric = WeighedMetric { metric: self.metric, weights: &of_coordinates };
        losses(target, known, tested, &columns, counts, metric, run)
    }
}

impl Outcome {
    /// The loss with this number of dimensions, from the curve: the loss at the largest number on the
    /// curve that does not exceed it.
    pub fn loss_with(&self, dimensions: usize) -> f64 {
        let above = self.curve.partition_point(|rate| rate.dimensions <= dimensions);
        self.curve.get(above.saturating_sub(1)).map_or(self.loss, |rate| rate.loss)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_dimensions() {
        assert_eq!(Dimensions::All.up_to(7), [7]);
        assert_eq!(Dimensions::Every.up_to(3), [1, 2, 3]);
        assert_eq!(
            Dimensions::Spread.up_to(20),
            [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 19, 20]
        );
        assert_eq!(Dimensions::Some(vec![2, 5, 9]).up_to(4), [2, 4]);
    }

    #[test]
    fn outcomes_come_back_from_json() {
        let outcome = Outcome {
            loss: 0.1 + 0.2,
            dimensions: 3,
            rank: 4,
            neighbors: 5,
            options: vec![("n_neighbors".into(), "10".into())],
            curve: vec![Rate { dimensions: 1, loss: 1.0 / 3.0 }],
            uno: None,
            features: Some(vec!["a \"b\"".into()]),
            seconds: 0.25,
            warnings: vec![("code".into(), "a \"message\"".into())],
        };
        let text = serde_json::to_string(&outcome).unwrap();
        assert!(text.contains("\"curve\":[[1,0.3333333333333333]]"), "{text}");
        assert_eq!(serde_json::from_str::<Outcome>(&text).unwrap(), outcome);
        assert!(serde_json::from_str::<Outcome>("{\"loss\": 1}").is_err());
    }
}
