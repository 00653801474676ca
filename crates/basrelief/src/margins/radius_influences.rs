//! Variances of weights by the infinitesimal jackknife, as in [`influences`](super::influences), where the neighbors
//! of a row in a group have equal weights and every row was sampled independently. Pairs are not listed: both directions
//! of a pair are visited together, twice per tile.

use super::influences::{Memory, OfTile, add, of_tiles, without_doubled};
use super::tiles::{Lanes, WIDTH};
use crate::differences::Space;
use crate::error::Result;
use crate::neighbors::{PairBatch, UndirectedPairs};
use crate::run::Run;

/// Computes the variance of every feature's weight over samples of as many rows.
///
/// `pairs` are those of all rows with their neighbors in so many `groups`. The weight is the sum over all pairs of the
/// difference times `weigh(row, group, neighbor row, neighbor weight)`. The neighbors of a row in a group have equal
/// weights, and which rows are neighbors is assumed not to depend on single rows. Differences must be known for all
/// pairs.
///
/// Source: B. Efron and C. Stein. The jackknife estimate of variance. Annals of Statistics 9, 586-596, 1981.
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub(crate) fn radius_variances(
    space: &Space<'_>,
    pairs: &dyn UndirectedPairs,
    groups: usize,
    weigh: impl Fn(u32, usize, u32, f64) -> f64,
    run: &Run,
) -> Result<Vec<f64>> {
    let mut near = Near { pairs, groups, lists: vec![List::default(); space.rows() * groups] };
    for part in 0..pairs.parts() {
        run.check()?;
        pairs.visit(part, &mut |row, batch| {
            for (at, &other) in batch.others.iter().enumerate() {
                let rows = [(row, other), (other, row)];
                let lists = near.lists_of(row, &batch, at);
                for (direction, ((row, neighbor), list)) in rows.into_iter().zip(lists).enumerate()
                {
                    let (group, weight) = (batch.groups[direction], batch.weights[direction][at]);
                    if weight > 0.0 {
                        let slope = weigh(row, group, neighbor, weight);
                        near.lists[list] = List::new((1.0 / weight).round(), slope);
                    }
                }
            }
        });
    }
    of_tiles(space, &near, run)
}

/// The neighbors of a row in one group.
#[derive(Debug, Clone, Copy, Default)]
struct List {
    /// The factor of every difference in the weight of the feature.
    slope: f64,
    /// As a neighbor, a row replaces the mean of the other neighbors: the factors of its own difference and of the sum
    /// over the list.
    replaces: [f64; 2],
}

impl List {
    /// A list of so many neighbors.
    fn new(size: f64, slope: f64) -> Self {
        // A single neighbor has no others to replace.
        let replaces =
            if size < 2.0 { [0.0; 2] } else { [slope * size / (size - 1.0), 1.0 / (size - 1.0)] };
        Self { slope, replaces }
    }
}

/// The neighbors of all rows.
struct Near<'p> {
    pairs: &'p dyn UndirectedPairs,
    groups: usize,
    /// Per row and group.
    lists: Vec<List>,
}

impl Near<'_> {
    /// The list of the other row of a pair among the neighbors of `row`, and that of `row` among its neighbors.
    #[inline]
    fn lists_of(&self, row: u32, batch: &PairBatch<'_>, at: usize) -> [usize; 2] {
        let list = |row: u32, group: usize| row as usize * self.groups + group;
        [list(row, batch.groups[0]), list(batch.others[at], batch.groups[1])]
    }
}

impl OfTile for Near<'_> {
    fn variances(
        &self,
        memory: &mut Memory,
        difference: impl Fn([usize; 2]) -> Lanes,
        run: &Run,
    ) -> Result<Lanes> {
        let (groups, rows) = (self.groups, self.lists.len() / self.groups);
        let Memory { lists: sums, influences, .. } = memory;
        sums.clear();
        sums.resize(self.lists.len(), [0.0; WIDTH]);
        for part in 0..self.pairs.parts() {
            run.check()?;
            self.pairs.visit(part, &mut |row, batch| {
                for (at, &other) in batch.others.iter().enumerate() {
                    let own = difference([row as usize, other as usize]);
                    for (list, weights) in
                        self.lists_of(row, &batch, at).into_iter().zip(batch.weights)
                    {
                        if weights[at] > 0.0 {
                            add(&mut sums[list], &own, self.lists[list].slope);
                        }
                    }
                }
            });
        }
        influences.clear();
        influences.resize(rows, [0.0; WIDTH]);
        let mut total = [0.0; WIDTH];
        for (influence, sums) in influences.iter_mut().zip(sums.chunks_exact(groups)) {
            sums.iter().for_each(|sum| add(influence, sum, 1.0));
            add(&mut total, influence, 1.0);
        }
        let mut squares = [0.0; WIDTH];
        for part in 0..self.pairs.parts() {
            run.check()?;
            self.pairs.visit(part, &mut |row, batch| {
                for (at, &other) in batch.others.iter().enumerate() {
                    let own = difference([row as usize, other as usize]);
                    // Two rows change the weight by the sum of both directions.
                    let mut both = [0.0; WIDTH];
                    let lists = self.lists_of(row, &batch, at);
                    for (direction, neighbor) in [other, row].into_iter().enumerate() {
                        if batch.weights[direction][at] > 0.0 {
                            let [of_own, of_list] = self.lists[lists[direction]].replaces;
                            let sum = &sums[lists[direction]];
                            let influence = &mut influences[neighbor as usize];
                            for lane in 0..WIDTH {
                                let change = of_own * own[lane] - of_list * sum[lane];
                                influence[lane] += change;
                                both[lane] += change;
                            }
                        }
                    }
                    for lane in 0..WIDTH {
                        squares[lane] += both[lane] * both[lane];
                    }
                }
            });
        }
        let (mut jackknife, count) = ([0.0; WIDTH], rows as f64);
        for influence in influences {
            for lane in 0..WIDTH {
                jackknife[lane] += (influence[lane] - total[lane] / count).powi(2);
            }
        }
        Ok(std::array::from_fn(|lane| without_doubled(jackknife[lane], squares[lane], rows)))
    }
}
