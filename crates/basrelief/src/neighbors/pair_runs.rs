//! Weighted pairs of rows, and runs of neighbors of equal weight.

use std::ops::Range;

use basrelief_kernels::MOST_COUNTED;

/// Weighted pairs; the pairs of a row are adjacent.
#[derive(Debug, Default)]
pub(crate) struct PairList {
    /// Rows of the table, and the end of the pairs of each.
    pub(crate) rows: Vec<u32>,
    pub(crate) ends: Vec<usize>,
    /// The neighbor in every pair, and the weight of the pair.
    pub(crate) neighbors: Vec<u32>,
    pub(crate) weights: Vec<f64>,
}

impl PairList {
    /// Every row of the table with its neighbors and the weights of the pairs.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (u32, &[u32], &[f64])> {
        let mut start = 0;
        self.rows.iter().zip(&self.ends).map(move |(&row, &end)| {
            let pairs = start..end;
            start = end;
            (row, &self.neighbors[pairs.clone()], &self.weights[pairs])
        })
    }
}

/// The pairs of a list in runs of equal weight, of at most [`MOST_COUNTED`] neighbors each.
pub(crate) struct Runs {
    /// Per run: the row, the end of its neighbors, and the weight of each neighbor.
    pub(crate) rows: Vec<u32>,
    ends: Vec<usize>,
    pub(crate) weights: Vec<f64>,
    neighbors: Vec<u32>,
}

/// A run: the row, the weight of each of its neighbors, and the neighbors.
pub(crate) type Run<'l> = (u32, f64, &'l [u32]);

impl Runs {
    /// Sorts the runs of a list by weight, so that runs of equal weight are adjacent.
    pub(crate) fn new(list: &PairList) -> Self {
        let mut runs: Vec<Run<'_>> = runs_of(list).collect();
        runs.sort_by_key(|(_, weight, _)| weight.to_bits());
        Self::from_runs(&runs)
    }

    fn from_runs(runs: &[Run<'_>]) -> Self {
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

    /// Number of pairs and number of runs in some lists.
    pub(crate) fn count<const SUMS: usize>(lists: &[[PairList; SUMS]]) -> (usize, usize) {
        let lists = || lists.iter().flatten();
        let pairs = lists().map(|list| list.neighbors.len()).sum();
        (pairs, lists().map(|list| runs_of(list).count()).sum())
    }

    /// The rows and the neighbors of some runs; `ends` receives the end of every run in these
    /// neighbors.
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

    /// Ranges of runs of equal weight, with at most [`MOST_COUNTED`] neighbors in total.
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
