//! Weighted pairs of rows, and runs of neighbors that weigh the same.

use std::ops::Range;

use basrelief_kernels::MOST_COUNTED;

/// Weighted pairs, those of a row one after the other.
#[derive(Debug, Default)]
pub(crate) struct PairList {
    /// Rows of the table, and the end of their pairs.
    pub(crate) rows: Vec<u32>,
    pub(crate) ends: Vec<usize>,
    /// The other row of every pair, and what the pair counts.
    pub(crate) neighbors: Vec<u32>,
    pub(crate) weights: Vec<f64>,
}

impl PairList {
    /// Every row of the table with its neighbors and what the pairs count.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (u32, &[u32], &[f64])> {
        let mut start = 0;
        self.rows.iter().zip(&self.ends).map(move |(&row, &end)| {
            let pairs = start..end;
            start = end;
            (row, &self.neighbors[pairs.clone()], &self.weights[pairs])
        })
    }
}

/// The pairs of a list in runs, of at most [`MOST_COUNTED`] neighbors each.
pub(crate) struct Runs {
    /// Per run: the row, the end of its neighbors, and what each of these counts.
    pub(crate) rows: Vec<u32>,
    ends: Vec<usize>,
    pub(crate) weights: Vec<f64>,
    neighbors: Vec<u32>,
}

/// A run: the row, what each of its neighbors counts, and these.
pub(crate) type Run<'l> = (u32, f64, &'l [u32]);

impl Runs {
    /// Runs that weigh the same come one after the other.
    pub(crate) fn new(list: &PairList) -> Self {
        let mut runs: Vec<Run<'_>> = runs_of(list).collect();
        runs.sort_by_key(|(_, weight, _)| weight.to_bits());
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
    pub(crate) fn iter(&self) -> impl Iterator<Item = Run<'_>> {
        let mut start = 0;
        let runs = self.rows.iter().zip(&self.weights).zip(&self.ends);
        runs.map(move |((&row, &weight), &end)| {
            let neighbors = &self.neighbors[start..end];
            start = end;
            (row, weight, neighbors)
        })
    }

    /// How many pairs there are in some lists, and how many runs.
    pub(crate) fn count<const SUMS: usize>(lists: &[[PairList; SUMS]]) -> (usize, usize) {
        let lists = || lists.iter().flatten();
        let pairs = lists().map(|list| list.neighbors.len()).sum();
        (pairs, lists().map(|list| runs_of(list).count()).sum())
    }

    /// The rows and the neighbors of some runs, and in `ends` the ends of theirs among these.
    pub(crate) fn part(&self, runs: Range<usize>, ends: &mut Vec<usize>) -> (&[u32], &[u32]) {
        let start = self.start(runs.start);
        ends.clear();
        ends.extend(self.ends[runs.clone()].iter().map(|end| end - start));
        let end = start + ends.last().copied().unwrap_or(0);
        (&self.rows[runs], &self.neighbors[start..end])
    }

    /// Where the neighbors of a run begin.
    fn start(&self, run: usize) -> usize {
        if run == 0 { 0 } else { self.ends[run - 1] }
    }

    /// Ranges of runs that weigh the same, of at most [`MOST_COUNTED`] neighbors together.
    pub(crate) fn groups(&self) -> impl Iterator<Item = Range<usize>> {
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
