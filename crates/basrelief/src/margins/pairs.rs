//! Pairs of rows as sums over them need them: a list of weighted pairs per sum.

use std::ops::Range;

use basrelief_kernels::LANES;
use rayon::prelude::*;

use crate::error::Result;
use crate::neighbors::{BATCH, PairSource, SYMMETRIC_BATCH, SymmetricPairs};
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
                .map(|&start| {
                    run.check()?;
                    let places = start..(start + per_task).min(batch.end);
                    Ok(match self {
                        Pairs::ByRow(source) => PairList::of_rows(*source, places, weigh),
                        Pairs::Symmetric(pairs) => PairList::of_part(&**pairs, start, weigh),
                    })
                })
                .collect()
        })
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
    ) -> [Self; SUMS] {
        let mut lists = std::array::from_fn(|_| Self::default());
        source.visit(part, &mut |[row, other], links| {
            let mut weights = [0.0; SUMS];
            for ((own, other), link) in [(row, other), (other, row)].into_iter().zip(links) {
                if let Some((group, weight)) = link {
                    let of_link = weigh(own, group, other, weight);
                    weights.iter_mut().zip(of_link).for_each(|(sum, of_link)| *sum += of_link);
                }
            }
            Self::push(&mut lists, row, other, weights);
        });
        lists
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
