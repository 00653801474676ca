//! Runs of neighbours that weigh the same: their differences are added first and weighed once.

use std::ops::Range;

use basrelief_kernels::MOST_COUNTED;
use rayon::prelude::*;

use super::sums::{Pair, PairList};

/// Below this many neighbours per run, they are better weighed one by one.
const WORTH: usize = 4;

/// Rows whose values of a tile of features stay in the first cache.
const CACHED: u32 = 192;

/// The pairs of some rows in runs, of at most [`MOST_COUNTED`] neighbours each.
pub(super) struct Runs<const SUMS: usize> {
    /// Per run: the row, the end of its neighbours, and what each of these counts in every sum.
    pub(super) rows: Vec<u32>,
    pub(super) ends: Vec<usize>,
    pub(super) weights: Vec<[f64; SUMS]>,
    pub(super) neighbors: Vec<u32>,
}

impl<const SUMS: usize> Runs<SUMS> {
    /// Runs that weigh the same come one after the other.
    pub(super) fn by_weight(list: &PairList<SUMS>) -> Self {
        let mut parts = Self::parts(list);
        parts.sort_by_key(|(_, part)| part[0].weights.map(f64::to_bits));
        Self::of(&parts, list.pairs.len())
    }

    /// Long runs are cut where the neighbours leave a range of [`CACHED`] rows, and those of one
    /// range come one after the other.
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

    /// Ranges of runs that weigh the same, of at most [`MOST_COUNTED`] neighbours together.
    pub(super) fn groups(&self) -> impl Iterator<Item = Range<usize>> {
        let mut start = 0;
        std::iter::from_fn(move || {
            let bits = |weights: &[f64; SUMS]| weights.map(f64::to_bits);
            let weights = bits(self.weights.get(start)?);
            let before = if start == 0 { 0 } else { self.ends[start - 1] };
            let joins = |(end, other): &(&usize, &[f64; SUMS])| {
                **end - before <= MOST_COUNTED && bits(other) == weights
            };
            let runs = self.ends[start..].iter().zip(&self.weights[start..]);
            let group = start..start + runs.take_while(joins).count();
            start = group.end;
            Some(group)
        })
    }
}
