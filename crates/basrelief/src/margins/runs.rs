//! Runs of neighbours that weigh the same: their differences are added first and weighed once.

use std::ops::Range;

use basrelief_kernels::MOST_COUNTED;

use super::pairs::PairList;

/// Below this many neighbours per run, they are better weighed one by one.
const WORTH: usize = 4;

/// Rows whose values of a tile of features stay in the first cache.
const CACHED: u32 = 192;

/// The pairs of a list in runs, of at most [`MOST_COUNTED`] neighbours each.
pub(super) struct Runs {
    /// Per run: the row, the end of its neighbours, and what each of these counts.
    pub(super) rows: Vec<u32>,
    ends: Vec<usize>,
    pub(super) weights: Vec<f64>,
    neighbors: Vec<u32>,
}

/// A run: the row, what each of its neighbours counts, and these.
pub(super) type Run<'l> = (u32, f64, &'l [u32]);

impl Runs {
    /// Runs that weigh the same come one after the other.
    pub(super) fn by_weight(list: &PairList) -> Self {
        let mut runs: Vec<Run<'_>> = runs_of(list).collect();
        runs.sort_by_key(|(_, weight, _)| weight.to_bits());
        Self::of(&runs)
    }

    /// Long runs are cut where the neighbours leave a range of [`CACHED`] rows, and those of one
    /// range come one after the other.
    pub(super) fn cut(list: &PairList) -> Self {
        let mut runs: Vec<Run<'_>> = runs_of(list).collect();
        let range = |neighbor: &u32| neighbor / CACHED;
        let ranges = list.neighbors.iter().map(range).max().unwrap_or(0) as usize + 1;
        if ranges > 2 && list.neighbors.len() >= WORTH * ranges * runs.len() {
            runs = runs
                .iter()
                .flat_map(|&(row, weight, neighbors)| {
                    let cut = neighbors.chunk_by(|a, b| range(a) == range(b));
                    cut.map(move |part| (row, weight, part))
                })
                .collect();
            runs.sort_by_key(|(_, _, neighbors)| range(&neighbors[0]));
        }
        Self::of(&runs)
    }

    fn of(runs: &[Run<'_>]) -> Self {
        let mut neighbors = Vec::new();
        let ends = runs.iter().map(|(_, _, others)| {
            neighbors.extend_from_slice(others);
            neighbors.len()
        });
        Self {
            ends: ends.collect(),
            rows: runs.iter().map(|(row, ..)| *row).collect(),
            weights: runs.iter().map(|(_, weight, _)| *weight).collect(),
            neighbors,
        }
    }

    /// The runs in their order.
    pub(super) fn iter(&self) -> impl Iterator<Item = Run<'_>> {
        let mut start = 0;
        let runs = self.rows.iter().zip(&self.weights).zip(&self.ends);
        runs.map(move |((&row, &weight), &end)| {
            let neighbors = &self.neighbors[start..end];
            start = end;
            (row, weight, neighbors)
        })
    }

    /// Whether the runs of some lists are long enough.
    pub(super) fn worth<const SUMS: usize>(lists: &[[PairList; SUMS]]) -> bool {
        let pairs: usize = lists.iter().flatten().map(|list| list.neighbors.len()).sum();
        let runs: usize = lists.iter().flatten().map(|list| runs_of(list).count()).sum();
        pairs >= WORTH * runs
    }

    /// The rows and the neighbours of some runs, and in `ends` the ends of theirs among these.
    pub(super) fn part(&self, runs: Range<usize>, ends: &mut Vec<usize>) -> (&[u32], &[u32]) {
        let start = self.start(runs.start);
        ends.clear();
        ends.extend(self.ends[runs.clone()].iter().map(|end| end - start));
        let end = start + ends.last().copied().unwrap_or(0);
        (&self.rows[runs], &self.neighbors[start..end])
    }

    /// Where the neighbours of a run begin.
    fn start(&self, run: usize) -> usize {
        if run == 0 { 0 } else { self.ends[run - 1] }
    }

    /// Ranges of runs that weigh the same, of at most [`MOST_COUNTED`] neighbours together.
    pub(super) fn groups(&self) -> impl Iterator<Item = Range<usize>> {
        let mut start = 0;
        std::iter::from_fn(move || {
            let weight = self.weights.get(start)?.to_bits();
            let before = self.start(start);
            let joins = |(end, other): &(&usize, &f64)| {
                **end - before <= MOST_COUNTED && other.to_bits() == weight
            };
            let runs = self.ends[start..].iter().zip(&self.weights[start..]);
            let group = start..start + runs.take_while(joins).count();
            start = group.end;
            Some(group)
        })
    }
}

/// The runs of a list.
fn runs_of(list: &PairList) -> impl Iterator<Item = Run<'_>> {
    list.rows().flat_map(|(row, neighbors, weights)| {
        let mut start = 0;
        weights.chunk_by(|a, b| a == b).flat_map(move |same| {
            let neighbors = &neighbors[start..start + same.len()];
            start += same.len();
            neighbors.chunks(MOST_COUNTED).map(move |part| (row, same[0], part))
        })
    })
}
