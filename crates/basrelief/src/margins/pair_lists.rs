//! Lists of weighted pairs of rows, one list per sum.

use std::ops::Range;

use basrelief_kernels::LANES;

use crate::error::Result;
use crate::neighbors::{PairBatch, PairList, PairSource, UndirectedPairs};
use crate::parallel;
use crate::run::Run;

/// Largest number of rows whose pairs one task lists, and smallest number of tasks per batch;
/// neither depends on the number of threads.
const ROWS_PER_TASK: usize = 64;
const LEAST_TASKS: usize = 8;

/// The same pairs in either form.
pub(super) enum Pairs<'p> {
    /// Rows with their neighbors.
    ByRow(&'p dyn PairSource),
    /// Both directions of a pair at once.
    Undirected(Box<dyn UndirectedPairs + 'p>),
}

impl Pairs<'_> {
    /// Ranges of rows (of parts, for undirected pairs) of at most `most` pairs each, or single
    /// panels of rows.
    pub(super) fn batches(&self, most: usize) -> Vec<Range<usize>> {
        let len = match self {
            Pairs::ByRow(source) => source.len(),
            Pairs::Undirected(pairs) => pairs.parts(),
        };
        let expected = |place: usize| match self {
            Pairs::ByRow(source) => source.expected_pairs(place),
            Pairs::Undirected(pairs) => pairs.most(),
        };
        // The rows of a panel stay together, because the distances of a panel cost as much as those
        // of one row.
        let together = if matches!(self, Pairs::ByRow(_)) { LANES } else { 1 };
        let mut batches = Vec::new();
        let (mut first, mut pairs) = (0, 0);
        for place in 0..len {
            let of_place = expected(place);
            let end = place / together * together;
            if pairs + of_place > most && end > first {
                batches.push(first..end);
                (first, pairs) = (end, (end..place).map(expected).sum());
            }
            pairs += of_place;
        }
        batches.push(first..len);
        batches
    }

    /// The pairs of a batch with nonzero weight, in lists, per sum; `weigh(row, group, neighbor
    /// row, neighbor weight)` returns the weight of a pair in each.
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
            // Rows with many pairs make batches of few rows, which should be several tasks
            // nevertheless.
            Pairs::ByRow(_) => {
                (batch.len() / LEAST_TASKS).next_multiple_of(LANES).clamp(LANES, ROWS_PER_TASK)
            }
            Pairs::Undirected(_) => 1,
        };
        let starts = batch.clone().step_by(per_task);
        run.install(|| {
            parallel::try_map_with(starts, |drafts: &mut Drafts<SUMS>, start| {
                run.check()?;
                let places = start..(start + per_task).min(batch.end);
                Ok(match self {
                    Pairs::ByRow(source) => drafts.of_rows(*source, places, weigh),
                    Pairs::Undirected(pairs) => drafts.of_part(&**pairs, start, weigh),
                })
            })
        })
    }
}

/// The weights of one direction of a pair in each sum; 0 if the pair has weight 0 in that
/// direction.
#[inline]
fn weighed<const SUMS: usize>(weight: f64, weigh: impl Fn(f64) -> [f64; SUMS]) -> [f64; SUMS] {
    weigh(weight).map(|count| if weight == 0.0 { 0.0 } else { count })
}

/// Lists that one worker fills, in reused memory; the vectors may be longer than their contents.
struct Drafts<const SUMS: usize> {
    lists: [PairList; SUMS],
    /// Number of pairs in each list.
    counts: [usize; SUMS],
}

impl<const SUMS: usize> Default for Drafts<SUMS> {
    fn default() -> Self {
        Self { lists: std::array::from_fn(|_| PairList::default()), counts: [0; SUMS] }
    }
}

impl<const SUMS: usize> Drafts<SUMS> {
    /// The pairs with nonzero weight of the rows at some places, per sum.
    fn of_rows(
        &mut self,
        source: &dyn PairSource,
        places: Range<usize>,
        weigh: &impl Fn(u32, usize, u32, f64) -> [f64; SUMS],
    ) -> [PairList; SUMS] {
        source.visit(places, &mut |row, group, neighbors| {
            let counted = neighbors
                .iter()
                .map(|neighbor| (neighbor.row, weigh(row, group, neighbor.row, neighbor.weight)));
            self.add(row, counted);
        });
        self.take()
    }

    /// The pairs with nonzero weight of a part, per sum; their weights include both directions.
    fn of_part(
        &mut self,
        source: &dyn UndirectedPairs,
        part: usize,
        weigh: &impl Fn(u32, usize, u32, f64) -> [f64; SUMS],
    ) -> [PairList; SUMS] {
        source.visit(part, &mut |row, PairBatch { others, groups, weights }| {
            let directions = weights[0].iter().zip(weights[1]);
            let counted = others.iter().zip(directions).map(|(&other, (&to, &from))| {
                let to = weighed(to, |weight| weigh(row, groups[0], other, weight));
                let from = weighed(from, |weight| weigh(other, groups[1], row, weight));
                (other, std::array::from_fn(|sum| to[sum] + from[sum]))
            });
            self.add(row, counted);
        });
        self.take()
    }

    /// Adds pairs of a row, with their weights.
    #[inline]
    fn add(&mut self, row: u32, pairs: impl ExactSizeIterator<Item = (u32, [f64; SUMS])>) {
        let Self { lists, counts } = self;
        for (list, &count) in lists.iter_mut().zip(&*counts) {
            let room = count + pairs.len();
            if list.neighbors.len() < room {
                list.neighbors.resize(room, 0);
                list.weights.resize(room, 0.0);
            }
        }
        for (other, weights) in pairs {
            // Every pair is written, and the next overwrites it if its weight is 0: a branch would
            // be mispredicted often.
            for ((list, count), weight) in lists.iter_mut().zip(&mut *counts).zip(weights) {
                list.neighbors[*count] = other;
                list.weights[*count] = weight;
                *count += usize::from(weight != 0.0);
            }
        }
        for (list, &count) in lists.iter_mut().zip(&*counts) {
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
    }

    /// Returns the pairs that were added, and starts again.
    fn take(&mut self) -> [PairList; SUMS] {
        let mut counts = std::mem::replace(&mut self.counts, [0; SUMS]).into_iter();
        self.lists.each_mut().map(|list| {
            let count = counts.next().unwrap_or(0);
            PairList {
                rows: std::mem::take(&mut list.rows),
                ends: std::mem::take(&mut list.ends),
                neighbors: list.neighbors[..count].to_vec(),
                weights: list.weights[..count].to_vec(),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::neighbors::Neighbor;
    use crate::thresholds::BATCH;

    /// Rows with equal expected numbers of pairs, except one with many more.
    struct Rows {
        count: usize,
        each: usize,
        long: usize,
    }

    impl PairSource for Rows {
        fn len(&self) -> usize {
            self.count
        }

        fn expected_pairs(&self, place: usize) -> usize {
            if place == self.long { 3 * BATCH } else { self.each }
        }

        fn visit(&self, _: Range<usize>, _: &mut dyn FnMut(u32, usize, &[Neighbor])) {}
    }

    #[test]
    fn batches_are_of_whole_panels_and_have_every_row_once() {
        for (count, each) in [(0, 1), (7, BATCH), (21, BATCH / 4), (100, BATCH / 13), (64, 0)] {
            for long in [0, 7, 8, 19, 1000] {
                let rows = Rows { count, each, long };
                let batches = Pairs::ByRow(&rows).batches(BATCH);
                assert!(batches.iter().cloned().flatten().eq(0..count), "{count} {each} {long}");
                for batch in &batches {
                    assert_eq!(batch.start % LANES, 0, "{count} {each} {long}");
                    let pairs: usize = batch.clone().map(|place| rows.expected_pairs(place)).sum();
                    assert!(pairs <= BATCH || batch.len() <= LANES, "{count} {each} {long}");
                }
            }
        }
        // As many rows as fit together.
        let rows = Rows { count: 100, each: BATCH / 13, long: 1000 };
        assert_eq!(Pairs::ByRow(&rows).batches(BATCH)[0], 0..8);
        let rows = Rows { count: 100, each: BATCH / 17, long: 1000 };
        assert_eq!(Pairs::ByRow(&rows).batches(BATCH)[0], 0..16);
    }
}
