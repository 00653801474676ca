//! Compares many methods on many splits.

use serde::{Deserialize, Serialize};

use super::nested_cv::{NestedCv, Outcome};
use super::parameter_grid::ParameterGrid;
use super::significance::{PairedTest, holm, paired_t_test};
use crate::data::Split;
use crate::error::{Error, Result};
use crate::parallel;
use crate::run::{Run, derived_seed};

/// The result of one candidate on one split.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Cell {
    /// The candidate could not be learned, for this reason.
    Failed(#[serde(with = "failure")] String),
    /// The candidate was tested.
    Done(Outcome),
}

/// Serializes the reason of a failure as the field `failed`.
mod failure {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    struct Failure {
        failed: String,
    }

    pub(super) fn serialize<S: Serializer>(reason: &str, to: S) -> Result<S::Ok, S::Error> {
        Failure { failed: reason.to_string() }.serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
        Failure::deserialize(from).map(|failure| failure.failed)
    }
}

impl Cell {
    /// The outcome, if there is one.
    pub fn outcome(&self) -> Option<&Outcome> {
        match self {
            Cell::Done(outcome) => Some(outcome),
            Cell::Failed(_) => None,
        }
    }
}

/// Stores finished cells, so that an interrupted comparison continues where it stopped.
pub trait Checkpoints: Sync {
    /// The cell of this name, if it is finished.
    fn find(&self, name: &str) -> Option<Cell>;
    /// Stores a finished cell.
    ///
    /// # Errors
    /// The cell cannot be written.
    fn keep(&self, name: &str, cell: &Cell) -> Result<()>;
}

/// Checkpoints that store nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoCheckpoints;

impl Checkpoints for NoCheckpoints {
    fn find(&self, _name: &str) -> Option<Cell> {
        None
    }

    fn keep(&self, _name: &str, _cell: &Cell) -> Result<()> {
        Ok(())
    }
}

/// Evaluates every candidate on every split. Returns one row of cells per candidate. The randomness of a cell (the
/// folds of the inner cross-validation) depends on the seed and the split, not on the candidate or on other cells.
///
/// `name` is the prefix of the names of checkpoints.
///
/// # Errors
/// A candidate requires another kind of target (checked before the work starts); [`Error::Cancelled`]; the errors of
/// the checkpoints. A method that does not suit the data gives a failed cell, not an error.
pub fn compare(
    nested_cv: &NestedCv<'_>,
    candidates: &[ParameterGrid],
    splits: &[Split],
    name: &str,
    checkpoints: &dyn Checkpoints,
    run: &Run,
) -> Result<Vec<Vec<Cell>>> {
    for candidate in candidates {
        candidate.check(nested_cv.target)?;
    }
    let cells: Vec<(usize, usize)> = (0..splits.len())
        .flat_map(|split| (0..candidates.len()).map(move |candidate| (candidate, split)))
        .collect();
    let name =
        |candidate: usize, split: usize| format!("{name}{}/{split}", candidates[candidate].label());
    let known: Vec<Option<Cell>> =
        cells.iter().map(|&(candidate, split)| checkpoints.find(&name(candidate, split))).collect();
    let progress = run.progress();
    progress.start("evaluation", known.iter().filter(|cell| cell.is_none()).count() as u64);
    let one = |(&(candidate, split), known): (&(usize, usize), Option<Cell>)| {
        run.check()?;
        if let Some(cell) = known {
            return Ok(cell);
        }
        let part = run.part(derived_seed(run.seed(), &[split as u64]));
        let cell = match nested_cv.evaluate(&candidates[candidate], &splits[split], &part) {
            Ok(outcome) => Cell::Done(outcome),
            Err(error @ (Error::Data(_) | Error::Option { .. })) => Cell::Failed(error.to_string()),
            Err(error) => return Err(error),
        };
        checkpoints.keep(&name(candidate, split), &cell)?;
        progress.advance(1);
        Ok(cell)
    };
    let found = run.install(|| parallel::try_map(cells.iter().zip(known), one))?;
    progress.finish();
    let row = |candidate: usize| {
        found.iter().skip(candidate).step_by(candidates.len()).cloned().collect()
    };
    Ok((0..candidates.len()).map(row).collect())
}

/// The comparison of a candidate with the best one.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparisonRow {
    /// The mean loss over the splits; `None` if a split failed.
    pub loss: Option<f64>,
    /// Its standard error, `s / sqrt(n)`, where `s` is the sample standard deviation over the splits.
    pub error: Option<f64>,
    /// The mean of Uno's concordance; `None` for other targets than survival times.
    pub uno: Option<f64>,
    /// The mean number of features or components chosen.
    pub dimensions: Option<f64>,
    /// The mean number of seconds to learn once.
    pub seconds: Option<f64>,
    /// The comparison with the best; `None` for the best itself.
    pub test: Option<PairedTest>,
    /// Its p-value, corrected for the number of candidates (Holm).
    pub corrected: Option<f64>,
    /// The reason why a split failed, that of the first one.
    pub failure: Option<String>,
}

/// Compares the candidates with the best one, in their order; `overlap` as in [`paired_t_test`].
pub fn comparison_rows(cells: &[Vec<Cell>], overlap: f64) -> Vec<ComparisonRow> {
    let losses: Vec<Option<Vec<f64>>> = cells
        .iter()
        .map(|row| row.iter().map(|cell| cell.outcome().map(|found| found.loss)).collect())
        .collect();
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let means: Vec<Option<f64>> =
        losses.iter().map(|losses| losses.as_ref().map(|losses| mean(losses))).collect();
    let best = (0..cells.len())
        .filter(|&place| means[place].is_some())
        .min_by(|&a, &b| means[a].unwrap_or(f64::NAN).total_cmp(&means[b].unwrap_or(f64::NAN)));
    let tests: Vec<Option<PairedTest>> = losses
        .iter()
        .enumerate()
        .map(|(place, own)| {
            let (own, best_losses) = (own.as_ref()?, losses[best?].as_ref()?);
            if Some(place) == best {
                return None;
            }
            let differences: Vec<f64> = own.iter().zip(best_losses).map(|(a, b)| a - b).collect();
            paired_t_test(&differences, overlap)
        })
        .collect();
    let mut corrected =
        holm(&tests.iter().flatten().map(|test| test.p_value).collect::<Vec<_>>()).into_iter();
    cells
        .iter()
        .zip(losses)
        .zip(means)
        .zip(tests)
        .map(|(((row, losses), loss), test)| {
            let all: Option<Vec<&Outcome>> = row.iter().map(Cell::outcome).collect();
            let of = |value: fn(&Outcome) -> f64| {
                all.as_ref()
                    .map(|all| mean(&all.iter().map(|found| value(found)).collect::<Vec<_>>()))
            };
            ComparisonRow {
                loss,
                error: losses
                    .and_then(|losses| paired_t_test(&losses, 0.0))
                    .map(|against_zero| against_zero.error),
                uno: of(|found| found.uno.unwrap_or(f64::NAN)).filter(|mean| !mean.is_nan()),
                dimensions: of(|found| found.dimensions as f64),
                seconds: of(|found| found.seconds),
                test,
                corrected: test.and_then(|_| corrected.next()),
                failure: row.iter().find_map(|cell| match cell {
                    Cell::Failed(reason) => Some(reason.clone()),
                    Cell::Done(_) => None,
                }),
            }
        })
        .collect()
}
