//! Pairs of rows as sums over them need them: a list of weighted pairs per sum.

use crate::neighbors::{PairSource, SymmetricPairs};

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
    pub(super) fn of_rows<const SUMS: usize>(
        source: &dyn PairSource,
        places: std::ops::Range<usize>,
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
    pub(super) fn symmetric<const SUMS: usize>(
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
