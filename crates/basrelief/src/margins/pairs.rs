//! Pairs of rows as sums over them need them: a list of weighted pairs per sum.

use std::ops::Range;

use basrelief_kernels::LANES;
use rayon::prelude::*;

use crate::error::Result;
use crate::neighbors::{BATCH, Linked, PairSource, SYMMETRIC_BATCH, SymmetricPairs};
use crate::run::Run;

/// Rows whose pairs one task lists, at most, and tasks that a batch makes, at least; neither depends
/// on the number of threads.
const ROWS_PER_TASK: usize = 64;
const LEAST_TASKS: usize = 8;

/// The same pairs in either form.
pub(super) enum Pairs<'p> {
    /// Rows with their neighbours.
    ByRow(&'p dyn PairSource),
    /// Both directions of a pair at once.
    Symmetric(Box<dyn SymmetricPairs + 'p>),
}

impl Pairs<'_> {
    /// Ranges of rows, or parts, with a bounded number of pairs each.
    pub(super) fn batches(&self) -> Vec<Range<usize>> {
        let (len, most) = match self {
            Pairs::ByRow(source) => (source.len(), BATCH),
            Pairs::Symmetric(pairs) => (pairs.parts(), SYMMETRIC_BATCH),
        };
        let mut batches = Vec::new();
        let (mut first, mut pairs) = (0, 0);
        for place in 0..len {
            let expected = match self {
                Pairs::ByRow(source) => source.expected_pairs(place),
                Pairs::Symmetric(pairs) => pairs.most(),
            };
            if pairs + expected > most && place > first {
                batches.push(first..place);
                (first, pairs) = (place, 0);
            }
            pairs += expected;
        }
        batches.push(first..len);
        batches
    }

    /// The pairs of a batch that count, in lists, sum by sum; `weigh(row, group, neighbour row,
    /// neighbour weight)` says what a pair counts in each.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(super) fn list<const SUMS: usize>(
        &self,
        batch: Range<usize>,
        weigh: &(impl Fn(u32, usize, u32, f64) -> [f64; SUMS] + Sync),
        run: &Run,
    ) -> Result<Vec<[PairList; SUMS]>> {
        let per_task = match self {
            // Rows with many pairs make batches of few rows, which should be several tasks all the
            // same.
            Pairs::ByRow(_) => {
                (batch.len() / LEAST_TASKS).next_multiple_of(LANES).clamp(LANES, ROWS_PER_TASK)
            }
            Pairs::Symmetric(_) => 1,
        };
        let starts: Vec<usize> = batch.clone().step_by(per_task).collect();
        run.install(|| {
            starts
                .par_iter()
                .map_init(Drafts::default, |drafts, &start| {
                    run.check()?;
                    let places = start..(start + per_task).min(batch.end);
                    Ok(match self {
                        Pairs::ByRow(source) => PairList::of_rows(*source, places, weigh),
                        Pairs::Symmetric(pairs) => {
                            PairList::of_part(&**pairs, start, weigh, drafts)
                        }
                    })
                })
                .collect()
        })
    }
}

/// What one direction of a pair counts in each sum, if it has a weight.
#[inline]
fn weighed<const SUMS: usize>(weight: f64, weigh: impl Fn(f64) -> [f64; SUMS]) -> [f64; SUMS] {
    weigh(weight).map(|count| if weight == 0.0 { 0.0 } else { count })
}

/// Lists that one worker fills, with room for all pairs of a part.
struct Drafts<const SUMS: usize>([PairList; SUMS]);

impl<const SUMS: usize> Default for Drafts<SUMS> {
    fn default() -> Self {
        Self(std::array::from_fn(|_| PairList::default()))
    }
}

/// Weighted pairs, those of a row one after the other.
#[derive(Debug, Default)]
pub(super) struct PairList {
    /// Rows of the table, and the end of their pairs.
    pub(super) rows: Vec<u32>,
    pub(super) ends: Vec<usize>,
    /// The other row of every pair, and what the pair counts.
    pub(super) neighbors: Vec<u32>,
    pub(super) weights: Vec<f64>,
}

impl PairList {
    /// The pairs of the rows at some places that count, sum by sum.
    fn of_rows<const SUMS: usize>(
        source: &dyn PairSource,
        places: Range<usize>,
        weigh: &impl Fn(u32, usize, u32, f64) -> [f64; SUMS],
    ) -> [Self; SUMS] {
        let mut lists = std::array::from_fn(|_| Self::default());
        source.visit(places, &mut |row, group, neighbors| {
            for neighbor in neighbors {
                let weights = weigh(row, group, neighbor.row, neighbor.weight);
                Self::push(&mut lists, row, neighbor.row, weights);
            }
        });
        lists
    }

    /// The pairs of a part that count, sum by sum, each with what it counts in both directions.
    fn of_part<const SUMS: usize>(
        source: &dyn SymmetricPairs,
        part: usize,
        weigh: &impl Fn(u32, usize, u32, f64) -> [f64; SUMS],
        Drafts(lists): &mut Drafts<SUMS>,
    ) -> [Self; SUMS] {
        for list in &mut *lists {
            list.rows.clear();
            list.ends.clear();
        }
        let mut counts = [0; SUMS];
        source.visit(part, &mut |row, Linked { others, groups, weights }| {
            for (list, &count) in lists.iter_mut().zip(&counts) {
                let room = count + others.len();
                if list.neighbors.len() < room {
                    list.neighbors.resize(room, 0);
                    list.weights.resize(room, 0.0);
                }
            }
            let directions = weights[0].iter().zip(weights[1]);
            for (&other, (&to, &from)) in others.iter().zip(directions) {
                let to = weighed(to, |weight| weigh(row, groups[0], other, weight));
                let from = weighed(from, |weight| weigh(other, groups[1], row, weight));
                // Every pair is written down, and the next overwrites it if it counts nothing: no
                // branch, since in which sums it counts could not be foretold.
                for (sum, list) in lists.iter_mut().enumerate() {
                    let (count, weight) = (&mut counts[sum], to[sum] + from[sum]);
                    list.neighbors[*count] = other;
                    list.weights[*count] = weight;
                    *count += usize::from(weight != 0.0);
                }
            }
            for (list, &count) in lists.iter_mut().zip(&counts) {
                match list.ends.last_mut() {
                    Some(end) if list.rows.last() == Some(&row) => *end = count,
                    end => {
                        if count > end.map_or(0, |end| *end) {
                            list.rows.push(row);
                            list.ends.push(count);
                        }
                    }
                }
            }
        });
        let mut counts = counts.iter();
        lists.each_ref().map(|list| {
            let count = counts.next().copied().unwrap_or(0);
            Self {
                rows: list.rows.clone(),
                ends: list.ends.clone(),
                neighbors: list.neighbors[..count].to_vec(),
                weights: list.weights[..count].to_vec(),
            }
        })
    }

    #[inline]
    fn push<const SUMS: usize>(
        lists: &mut [Self; SUMS],
        row: u32,
        neighbor: u32,
        weights: [f64; SUMS],
    ) {
        for (list, weight) in lists.iter_mut().zip(weights) {
            // Most pairs count in one sum only.
            if weight == 0.0 {
                continue;
            }
            list.neighbors.push(neighbor);
            list.weights.push(weight);
            let end = list.neighbors.len();
            match (list.rows.last(), list.ends.last_mut()) {
                (Some(&last), Some(last_end)) if last == row => *last_end = end,
                _ => {
                    list.rows.push(row);
                    list.ends.push(end);
                }
            }
        }
    }

    /// Every row of the table with its neighbours and what the pairs count.
    pub(super) fn rows(&self) -> impl Iterator<Item = (u32, &[u32], &[f64])> {
        let mut start = 0;
        self.rows.iter().zip(&self.ends).map(move |(&row, &end)| {
            let pairs = start..end;
            start = end;
            (row, &self.neighbors[pairs.clone()], &self.weights[pairs])
        })
    }
}
