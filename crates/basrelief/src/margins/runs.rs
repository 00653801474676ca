//! Runs of neighbours that weigh the same: their differences are added first and weighed once.

use basrelief_kernels::MOST_COUNTED;

use super::sums::PairList;

/// Below this many neighbours per run, they are better weighed one by one.
const WORTH: usize = 4;

/// The pairs of some rows in runs, of at most [`MOST_COUNTED`] neighbours each.
pub(super) struct Runs<const SUMS: usize> {
    /// Per run: the row, the end of its neighbours, and what each of these counts in every sum.
    pub(super) rows: Vec<u32>,
    pub(super) ends: Vec<usize>,
    pub(super) weights: Vec<[f64; SUMS]>,
    pub(super) neighbors: Vec<u32>,
}

impl<const SUMS: usize> Runs<SUMS> {
    pub(super) fn new(list: &PairList<SUMS>) -> Self {
        let neighbors = list.pairs.iter().map(|pair| pair.neighbor).collect();
        let mut runs = Self { rows: Vec::new(), ends: Vec::new(), weights: Vec::new(), neighbors };
        let mut end = 0;
        for (row, pairs) in list.rows() {
            for same in pairs.chunk_by(|a, b| a.weights == b.weights) {
                for part in same.chunks(MOST_COUNTED) {
                    end += part.len();
                    runs.rows.push(row);
                    runs.ends.push(end);
                    runs.weights.push(part[0].weights);
                }
            }
        }
        runs
    }

    /// Whether the runs of some lists are long enough.
    pub(super) fn worth(lists: &[Self]) -> bool {
        let pairs: usize = lists.iter().map(|list| list.neighbors.len()).sum();
        let runs: usize = lists.iter().map(|list| list.rows.len()).sum();
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
