//! Selections of features by their weights that avoid redundant features.
//!
//! [`select`] takes the weights of any method. A [`RedundancyRule`] states what counts as redundant.
//!
//! ```
//! use basrelief::Run;
//! use basrelief::data::{Column, Roles, Table};
//! use basrelief::selection::{RedundancyRule, select};
//!
//! let a: Vec<f64> = (0..40).map(|row| f64::from(row * 7 % 40)).collect();
//! let copy = a.iter().map(|value| 2.0 * value).collect();
//! let b = (0..40).map(|row| f64::from(row * row % 37)).collect();
//! let table = Table::new(vec![
//!     Column::from_values("a", a)?,
//!     Column::from_values("copy", copy)?,
//!     Column::from_values("b", b)?,
//! ])?;
//! let run = Run::new(Some(1))?;
//! let weights = [0.5, 0.5, 0.2];
//! let order = [0, 1, 2];
//! for rule in [RedundancyRule::Correlation(0.95), RedundancyRule::Relief] {
//!     let found = select(&table, (&weights, &order), Some(2), rule, Roles::default(), &run)?;
//!     assert_eq!(found.features, [0, 2]);
//!     assert_eq!(found.represented[0], [(1, 1.0)]);
//! }
//! # Ok::<(), basrelief::Error>(())
//! ```

mod association;
mod differences;
mod redundancy_rule;

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use serde::{Deserialize, Serialize};

pub(crate) use association::KnownValues;
use differences::NearDifferences;
pub use redundancy_rule::RedundancyRule;

use crate::data::{Roles, Table};
use crate::error::Result;
use crate::parallel;
use crate::run::Run;

/// Features that are compared with the selected ones at a time.
const TOGETHER: usize = 64;

/// A feature whose redundancy is at least one minus this is a copy, up to rounding.
const ROUNDING: f64 = 1e-9;

/// The redundancy from which a feature that is not selected is represented by a selected one.
const REPRESENTED: f64 = 0.5;

/// Selected features, and the features that each of them represents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Selection {
    /// The features in the order of their selection.
    pub features: Vec<usize>,
    /// Of each selected feature, the features that were not selected because they are redundant, with their redundancy, the
    /// largest weight first. Their weight is at least the smallest weight (after the discount) of a selected feature, this
    /// selected feature is the most similar one, and the redundancy is at least 0.5 or above the limit of the rule.
    pub represented: Vec<Vec<(usize, f64)>>,
}

/// Selects features by their weights; the features in `order` are candidates, the best first.
///
/// - [`RedundancyRule::None`]: the first ones.
/// - [`RedundancyRule::Correlation`]: the first ones, without candidates that are correlated with a feature selected before by
///   more than the limit.
/// - [`RedundancyRule::Relief`]: one after the other, the candidate with the largest `w - |w| r`, where `w` is its weight and
///   `r` its largest redundancy with a feature selected before. The redundancy of two features is the correlation,
///   if it is positive, of their differences between near rows: the 10 nearest rows of up to 250 rows. Two features with the same
///   main effect, or whose effects depend on each other, do not differ together, and so are not redundant. A copy is
///   never selected. (The largest redundancy, not the mean: with many selected features, the mean redundancy of a copy of one of them
///   is small.)
///
/// Rows of a group are not compared with each other. Weights of rows are not used.
///
/// Sources: the combination of ReliefF with redundancy is that of Y. Zhang, C. Ding and T. Li. Gene selection algorithm by
/// combining ReliefF and mRMR. BMC Genomics 9 (Suppl 2):S27, 2008.
///
/// # Errors
/// [`crate::Error::Cancelled`].
///
/// # Panics
/// A candidate that the table or the weights do not have.
pub fn select(
    table: &Table<'_>,
    (weights, order): (&[f64], &[usize]),
    count: Option<usize>,
    rule: RedundancyRule,
    roles: Roles<'_>,
    run: &Run,
) -> Result<Selection> {
    let count = count.unwrap_or(order.len()).min(order.len());
    match rule {
        RedundancyRule::None => {
            let features = order[..count].to_vec();
            Ok(Selection { represented: vec![Vec::new(); features.len()], features })
        }
        RedundancyRule::Correlation(most) => {
            let vector = |feature: usize| KnownValues::new(&table.columns()[feature]);
            let rule = |weight: f64, redundancy: f64| {
                (redundancy <= most.min(1.0 - ROUNDING)).then_some(weight)
            };
            let greedy = Greedy { weights, vector, similarity: KnownValues::correlation, rule };
            greedy.select(order, count, run)
        }
        RedundancyRule::Relief => {
            if count < 2 {
                return select(
                    table,
                    (weights, order),
                    Some(count),
                    RedundancyRule::None,
                    roles,
                    run,
                );
            }
            let space = NearDifferences::space(table, roles, run)?;
            let near = NearDifferences::new(&space, run)?;
            let vector = |feature: usize| near.of(feature);
            let rule = |weight: f64, redundancy: f64| {
                let is_copy = redundancy >= 1.0 - ROUNDING;
                (!is_copy).then_some(weight - weight.abs() * redundancy)
            };
            let greedy = Greedy { weights, vector, similarity: NearDifferences::redundancy, rule };
            greedy.select(order, count, run)
        }
    }
}

/// A selection of one feature after the other.
struct Greedy<'w, V, S, R> {
    weights: &'w [f64],
    /// The vector by which a feature is compared.
    vector: V,
    /// The redundancy of two features, from 0 to 1.
    similarity: S,
    /// The score of a feature of a weight and a redundancy with the features selected before; `None` if it is excluded.
    /// A larger redundancy never has a larger score.
    rule: R,
}

/// A candidate, with the largest redundancy found so far.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    /// An upper bound of its score; the score if it is compared with all selected features.
    score: f64,
    /// Its place in the order.
    place: usize,
    feature: usize,
    redundancy: f64,
    /// The place of the most similar selected feature.
    similar: usize,
    /// The number of selected features that it was compared with.
    seen: usize,
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The largest score first, and of equal scores the first place.
impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then(other.place.cmp(&self.place))
    }
}

impl<T, V, S, R> Greedy<'_, V, S, R>
where
    T: Send + Sync,
    V: Fn(usize) -> T + Sync,
    S: Fn(&T, &T) -> f64 + Sync,
    R: Fn(f64, f64) -> Option<f64> + Sync,
{
    /// Selects `count` of the candidates. Only those whose weight could make them the next one are compared with the
    /// selected features, as the redundancy never raises a score.
    fn select(&self, order: &[usize], count: usize, run: &Run) -> Result<Selection> {
        let candidate = |(place, &feature): (usize, &usize)| {
            let score = self.weights[feature];
            Candidate { score, place, feature, redundancy: 0.0, similar: 0, seen: 0 }
        };
        let mut open: BinaryHeap<Candidate> = order.iter().enumerate().map(candidate).collect();
        let mut chosen: Vec<Candidate> = Vec::with_capacity(count);
        let mut vectors: Vec<T> = Vec::with_capacity(count);
        let mut excluded: Vec<Candidate> = Vec::new();
        while chosen.len() < count {
            run.check()?;
            let Some(first) = open.pop() else { break };
            if first.seen == chosen.len() {
                vectors.push((self.vector)(first.feature));
                chosen.push(first);
                continue;
            }
            let mut batch = vec![first];
            while batch.len() < TOGETHER
                && open.peek().is_some_and(|next| next.seen < chosen.len())
                && let Some(next) = open.pop()
            {
                batch.push(next);
            }
            self.compare(&mut batch, &vectors, run)?;
            for candidate in batch {
                match (self.rule)(self.weights[candidate.feature], candidate.redundancy) {
                    Some(score) => open.push(Candidate { score, ..candidate }),
                    None => excluded.push(candidate),
                }
            }
        }
        let least = chosen.iter().map(|candidate| candidate.score).fold(f64::INFINITY, f64::min);
        let mut others: Vec<Candidate> = open.into_iter().chain(excluded).collect();
        others.retain(|candidate| self.weights[candidate.feature] >= least);
        others.sort_by_key(|candidate| candidate.place);
        self.compare(&mut others, &vectors, run)?;
        let mut represented = vec![Vec::new(); chosen.len()];
        for other in others {
            let is_excluded = (self.rule)(1.0, other.redundancy).is_none();
            if is_excluded || other.redundancy >= REPRESENTED {
                // The redundancy of a copy is 1 up to rounding.
                let is_copy = other.redundancy >= 1.0 - ROUNDING;
                let redundancy = if is_copy { 1.0 } else { other.redundancy };
                represented[other.similar].push((other.feature, redundancy));
            }
        }
        let features = chosen.iter().map(|candidate| candidate.feature).collect();
        Ok(Selection { features, represented })
    }

    /// Compares candidates with the selected features that they were not compared with.
    fn compare(&self, candidates: &mut [Candidate], chosen: &[T], run: &Run) -> Result<()> {
        let one = |candidate: &mut Candidate| {
            run.check()?;
            if candidate.seen < chosen.len() {
                let own = (self.vector)(candidate.feature);
                for (place, other) in chosen.iter().enumerate().skip(candidate.seen) {
                    let redundancy = (self.similarity)(&own, other);
                    if redundancy > candidate.redundancy {
                        (candidate.redundancy, candidate.similar) = (redundancy, place);
                    }
                }
                candidate.seen = chosen.len();
            }
            Ok(())
        };
        run.install(|| parallel::try_for_each(candidates, one))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::{Categories, Column};

    fn run() -> Run {
        Run::new(Some(1)).unwrap().with_seed(3)
    }

    /// The selection by the definition: every candidate is compared with every selected feature in every step.
    fn by_definition<T>(
        (weights, order): (&[f64], &[usize]),
        count: usize,
        vector: impl Fn(usize) -> T,
        similarity: impl Fn(&T, &T) -> f64,
        score: impl Fn(f64, f64) -> Option<f64>,
    ) -> Vec<usize> {
        let mut chosen: Vec<usize> = Vec::new();
        while chosen.len() < count {
            let mut best: Option<(f64, usize)> = None;
            for &feature in order.iter().filter(|feature| !chosen.contains(feature)) {
                let own = vector(feature);
                let redundancies = chosen.iter().map(|&other| similarity(&own, &vector(other)));
                let redundancy = redundancies.fold(0.0, f64::max);
                if let Some(score) = score(weights[feature], redundancy)
                    && best.is_none_or(|(most, _)| score > most)
                {
                    best = Some((score, feature));
                }
            }
            let Some((_, feature)) = best else { break };
            chosen.push(feature);
        }
        chosen
    }

    /// A table in which some columns are similar: a few independent ones, and sums of two of them.
    fn table(rows: u32, seeds: &[u8]) -> Table<'static> {
        let base = |seed: u32, row: u32| f64::from((row * row + 3 * row + 1) * (2 * seed + 5) % 31);
        let column = |(place, &seed): (usize, &u8)| {
            let (one, other) = (u32::from(seed) % 4, u32::from(seed) / 4 % 4);
            let share = f64::from(seed / 16) / 16.0;
            let value = |row: u32| base(one, row) + share * base(other, row);
            if place % 5 == 4 {
                let texts: Vec<String> =
                    (0..rows).map(|row| format!("{}", value(row) as i32 / 8)).collect();
                let texts = texts.iter().map(|text| Some(text.as_str()));
                return Column::categorical(format!("x{place}"), Categories::from_texts(texts));
            }
            let missing = |row: u32| place % 5 == 3 && row.is_multiple_of(11);
            let values = (0..rows).map(|row| if missing(row) { f64::NAN } else { value(row) });
            Column::from_values(format!("x{place}"), values.collect()).unwrap()
        };
        Table::new(seeds.iter().enumerate().map(column).collect()).unwrap()
    }

    proptest! {
        #[test]
        fn selections_follow_their_definition(
            features in proptest::collection::vec((0_u8..=255, -20_i32..40), 2..14),
            most in 0.2_f64..1.0,
            count in 1_usize..14,
        ) {
            let (seeds, weights): (Vec<u8>, Vec<i32>) = features.into_iter().unzip();
            let weights: Vec<f64> = weights.into_iter().map(|weight| f64::from(weight) / 64.0).collect();
            let table = table(40, &seeds);
            let mut order: Vec<usize> = (0..weights.len()).collect();
            order.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]));
            let (candidates, count) = ((&weights[..], &order[..]), count.min(order.len()));
            let selected = |rule| {
                select(&table, candidates, Some(count), rule, Roles::default(), &run()).unwrap()
            };
            prop_assert_eq!(selected(RedundancyRule::None).features, &order[..count]);

            let vector = |feature: usize| KnownValues::new(&table.columns()[feature]);
            let score = |weight, r: f64| (r <= most.min(1.0 - ROUNDING)).then_some(weight);
            let expected = by_definition(candidates, count, vector, KnownValues::correlation, score);
            let found = selected(RedundancyRule::Correlation(most));
            prop_assert_eq!(&found.features, &expected);
            // Whatever is represented is too similar to the one that represents it.
            for (&feature, others) in found.features.iter().zip(&found.represented) {
                for &(other, redundancy) in others {
                    let correlation = vector(other).correlation(&vector(feature));
                    prop_assert!(!found.features.contains(&other));
                    prop_assert!((correlation - redundancy).abs() <= ROUNDING);
                    prop_assert!(redundancy > most.min(1.0 - ROUNDING) || redundancy >= REPRESENTED);
                }
            }

            let space = NearDifferences::space(&table, Roles::default(), &run()).unwrap();
            let near = NearDifferences::new(&space, &run()).unwrap();
            let score =
                |weight: f64, r: f64| (r < 1.0 - ROUNDING).then_some(weight - weight.abs() * r);
            let vector = |feature: usize| near.of(feature);
            let expected = by_definition(candidates, count, vector, NearDifferences::redundancy, score);
            let found = selected(RedundancyRule::Relief);
            if count > 1 {
                prop_assert_eq!(&found.features, &expected);
            }
        }
    }

    #[test]
    fn redundancy_is_the_correlation_of_differences() {
        // Six rows with all others as neighbors: the differences of the 30 ordered pairs, in the order of pairs.
        let values = [[0.0, 1.0, 4.0, 2.0, 8.0, 5.0], [3.0, 1.0, 1.0, 0.0, 2.0, 6.0]];
        let columns = values.iter().zip(["a", "b"]);
        let columns =
            columns.map(|(values, name)| Column::from_values(name, values.to_vec()).unwrap());
        let table = Table::new(columns.collect()).unwrap();
        let space = NearDifferences::space(&table, Roles::default(), &run()).unwrap();
        let near = NearDifferences::new(&space, &run()).unwrap();
        let pairs = (0..6).flat_map(|i| (0..6).filter(move |&j| j != i).map(move |j| (i, j)));
        let differences: Vec<[f64; 2]> =
            pairs.map(|(i, j)| [0, 1].map(|k| f64::abs(values[k][i] - values[k][j]))).collect();
        let count = differences.len() as f64;
        let mean = [0, 1].map(|k| differences.iter().map(|pair| pair[k]).sum::<f64>() / count);
        let sum = |a: usize, b: usize| -> f64 {
            differences.iter().map(|pair| (pair[a] - mean[a]) * (pair[b] - mean[b])).sum()
        };
        let expected = (sum(0, 1) / (sum(0, 0) * sum(1, 1)).sqrt()).max(0.0);
        let found = NearDifferences::redundancy(&near.of(0), &near.of(1));
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }

    #[test]
    fn rules_are_read_and_written() {
        for text in ["none", "relief", "correlation:0.95", "correlation:0"] {
            assert_eq!(text.parse::<RedundancyRule>().unwrap().to_string(), text);
        }
        for (text, words) in [
            ("correlation:1.2", "`1.2` is not a correlation from 0 to 1"),
            ("correlation:", "`` is not a correlation"),
            ("correlation", "`correlation` is not one of its values"),
            ("mrmr", "use `none`, `correlation:0.95` or `relief`"),
        ] {
            let error = text.parse::<RedundancyRule>().unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }
}
