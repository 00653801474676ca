//! Runs of neighbours that weigh the same: their differences are added first and weighed once.

use basrelief_kernels::MOST_COUNTED;
use rayon::prelude::*;

use super::sums::{Pair, PairList};

/// Below this many neighbours per run, they are better weighed one by one.
const WORTH: usize = 4;

/// Rows whose values of a tile of features stay in the first cache.
const CACHED: u32 = 192;

/// The pairs of some rows in runs, of at most [`MOST_COUNTED`] neighbours each.
///
pub(super) struct Runs<const SUMS: usize> {
    /// Per run: the row, the end of its neighbours, and what each of these counts in every sum.
    pub(super) rows: Vec<u32>,
    pub(super) ends: Vec<usize>,
    pub(super) weights: Vec<[f64; SUMS]>,
    pub(super) neighbors: Vec<u32>,
}

impl<const SUMS: usize> Runs<SUMS> {
    pub(super) fn new(list: &PairList<SUMS>) -> Self {
        Self::of(&Self::parts(list), list.pairs.len())
    }

    /// As [`new`](Self::new), but long runs are cut where the neighbours leave a range of
    /// [`CACHED`] rows, and those of one range come one after the other.
    pub(super) fn cut(list: &PairList<SUMS>) -> Self {
        let mut parts = Self::parts(list);
        let range = |pair: &Pair<SUMS>| pair.neighbor / CACHED;
        let ranges = list.pairs.iter().map(range).max().unwrap_or(0) as usize + 1;
        if ranges > 2 && list.pairs.len() >= WORTH * ranges * parts.len() {
            parts = parts
                .iter()
                .flat_map(|(row, part)| {
                    let cut = part.chunk_by(|a, b| range(a) == range(b));
                    cut.map(|part| (*row, part))
                })
                .collect();
            parts.sort_by_key(|(_, part)| range(&part[0]));
        }
        Self::of(&parts, list.pairs.len())
    }

    /// The rows with their runs.
    fn parts(list: &PairList<SUMS>) -> Vec<(u32, &[Pair<SUMS>])> {
        list.rows()
            .flat_map(|(row, pairs)| {
                let same = pairs.chunk_by(|a, b| a.weights == b.weights);
                same.flat_map(move |same| same.chunks(MOST_COUNTED).map(move |part| (row, part)))
            })
            .collect()
    }

    fn of(parts: &[(u32, &[Pair<SUMS>])], pairs: usize) -> Self {
        let mut runs = Self {
            rows: parts.iter().map(|(row, _)| *row).collect(),
            ends: Vec::with_capacity(parts.len()),
            weights: parts.iter().map(|(_, part)| part[0].weights).collect(),
            neighbors: Vec::with_capacity(pairs),
        };
        for (_, part) in parts {
            runs.neighbors.extend(part.iter().map(|pair| pair.neighbor));
            runs.ends.push(runs.neighbors.len());
        }
        runs
    }

    /// Whether the runs of some lists are long enough.
    pub(super) fn worth(lists: &[PairList<SUMS>]) -> bool {
        let pairs: usize = lists.iter().map(|list| list.pairs.len()).sum();
        let runs: usize = lists.par_iter().map(|list| Self::parts(list).len()).sum();
        pairs >= WORTH * runs
    }

    /// Every run: its row, the neighbours, and what each counts.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &[u32], [f64; SUMS])> {
        (0..self.rows.len()).map(|run| {
            let start = if run == 0 { 0 } else { self.ends[run - 1] };
            (self.rows[run], &self.neighbors[start..self.ends[run]], self.weights[run])
        })
    }
}
