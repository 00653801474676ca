//! The k nearest rows per group, streamed with the sweep over all pairs.
//!
//! Every block of distances is computed once and serves both sides. A row keeps, per group, a
//! bounded list; what is kept is decided by distance and row index alone, so the result does not
//! depend on the order of the blocks. Where more rows than fit are tied at the k-th place (a few
//! discrete features make hundreds), only their number is kept and a visit
//! computes those rows' distances once more: memory stays bounded without losing a tie.

use std::sync::Mutex;

use basrelief_kernels::{LANES, TILE, panels};
use rayon::prelude::*;

use super::options::{NeighborWeights, Ties};
use super::space::Space;
use super::sweep::{BLOCK, Scratch, Sweep, tile_place};
use crate::error::{Error, Result};
use crate::run::Run;

/// Into which groups a row's possible neighbours fall; neighbours are sought in each.
#[derive(Debug, Clone, Copy)]
pub enum Grouping<'a> {
    /// All other rows are one group.
    All,
    /// Two groups: rows of the same class (0: hits) and of any other class (1: misses).
    HitMiss(&'a [u32]),
    /// One group per class: class codes and the number of classes.
    PerClass(&'a [u32], usize),
}

impl Grouping<'_> {
    /// Number of groups.
    pub fn count(&self) -> usize {
        match self {
            Grouping::All => 1,
            Grouping::HitMiss(_) => 2,
            Grouping::PerClass(_, count) => *count,
        }
    }

    /// What the rows are told apart by; rows alike fall into the same group of any row.
    pub(super) fn code(&self, row: usize) -> u32 {
        match self {
            Grouping::All => 0,
            Grouping::HitMiss(codes) | Grouping::PerClass(codes, _) => codes[row],
        }
    }

    /// The group of a row of code `other` for a row of code `own`.
    pub(super) fn group(&self, own: u32, other: u32) -> usize {
        match self {
            Grouping::All => 0,
            Grouping::HitMiss(_) => usize::from(own != other),
            Grouping::PerClass(..) => other as usize,
        }
    }

    /// The most members that each group can have for any one row of `rows`.
    fn largest(&self, rows: usize) -> Vec<usize> {
        match self {
            Grouping::All => vec![rows],
            Grouping::HitMiss(_) => vec![rows, rows],
            Grouping::PerClass(codes, count) => {
                let mut sizes = vec![0; *count];
                for &code in *codes {
                    sizes[code as usize] += 1;
                }
                sizes
            }
        }
    }
}

/// Who is to be found for whom.
#[derive(Debug, Clone, Copy)]
pub struct NearestOptions {
    /// Neighbours per row and group.
    pub k: usize,
    /// Who counts among rows at equal distance.
    pub ties: Ties,
    /// Weight of a neighbour by its rank.
    pub weights: NeighborWeights,
}

/// Rows with their weighted neighbours, group by group: what margins are added up over.
///
/// Rows are in an order of their own, numbered from 0; the order and the neighbours are the same
/// in every run.
pub trait PairSource: Sync {
    /// Number of rows.
    fn len(&self) -> usize;

    /// Whether there are no rows.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// At most how many neighbours a visit of a row shows, for sizing batches.
    fn expected_pairs(&self, place: usize) -> usize;

    /// Calls `visit(row of the table, group, neighbours)` for every group of the rows in a range
    /// of places.
    fn visit(&self, places: std::ops::Range<usize>, visit: &mut dyn FnMut(u32, usize, &[Neighbor]));
}

/// One neighbour of a row with its share in the group's mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbor {
    /// Row of the table.
    pub row: u32,
    /// Its weight; the weights of a row's group sum to 1.
    pub weight: f64,
}

/// The lists of one block of rows.
struct BlockLists {
    /// Per row and group: (distance, row of the table) in no order.
    entries: Vec<Vec<(f64, u32)>>,
    /// Per row and group: greatest distance that can still be among the nearest.
    limits: Vec<f64>,
    /// Per row and group: rows at the limit that were counted instead of kept; 0 when all are
    /// kept.
    counted: Vec<u32>,
}

/// The k nearest rows of every sampled row in every group.
pub struct Neighborhoods<'s, 'c> {
    sweep: Sweep<'s>,
    blocks: Vec<BlockLists>,
    capacities: Vec<usize>,
    /// Class code at every place.
    codes: Vec<u32>,
    /// Per panel of places, whether all its rows have the same code.
    uniform: Vec<bool>,
    /// Number of sampled rows; they have the first places.
    sampled: usize,
    options: NearestOptions,
    grouping: Grouping<'c>,
}

impl<'s, 'c> Neighborhoods<'s, 'c> {
    /// Finds the nearest rows of every row in `sampled` among all rows of the space.
    ///
    /// A row is never its own neighbour; rows at an infinite distance (nothing known in common)
    /// are nobody's. The time is one sweep over the pairs that touch a sampled row.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn find(
        space: &'s Space<'s>,
        sampled: &[u32],
        grouping: Grouping<'c>,
        options: NearestOptions,
        run: &Run,
    ) -> Result<Self> {
        let order = sampled_first(space.rows(), sampled, grouping);
        let sweep = Sweep::new(space, order, run)?;
        let codes: Vec<u32> =
            sweep.order().iter().map(|&row| grouping.code(row as usize)).collect();
        let capacities: Vec<usize> = grouping
            .largest(space.rows())
            .into_iter()
            .map(|members| members.min(options.k.saturating_mul(2).saturating_add(16)))
            .collect();
        let mut found = Self {
            blocks: Vec::new(),
            capacities,
            uniform: codes
                .chunks(LANES)
                .map(|panel| panel.iter().all(|c| *c == panel[0]))
                .collect(),
            codes,
            sampled: sampled.len(),
            options,
            grouping,
            sweep,
        };
        found.blocks = run.install(|| found.search(sampled.len(), run))?;
        Ok(found)
    }

    fn groups(&self) -> usize {
        self.capacities.len()
    }

    /// Sweeps all pairs of blocks that touch a sampled row; sampled rows come first.
    fn search(&self, sampled: usize, run: &Run) -> Result<Vec<BlockLists>> {
        let rows = self.sweep.rows();
        let n_blocks = rows.div_ceil(BLOCK);
        let sampled_blocks = sampled.div_ceil(BLOCK);
        let lists: Vec<Mutex<BlockLists>> = (0..sampled_blocks)
            .map(|block| {
                let count = (sampled - block * BLOCK).min(BLOCK) * self.groups();
                Mutex::new(BlockLists {
                    entries: vec![Vec::new(); count],
                    limits: vec![f64::MAX; count],
                    counted: vec![0; count],
                })
            })
            .collect();
        let count: usize = (0..sampled_blocks).map(|a| n_blocks - a).sum();
        run.progress().start("searching neighbours", count as u64);
        let pairs = (0..sampled_blocks)
            .into_par_iter()
            .flat_map(|a| (a..n_blocks).into_par_iter().map(move |b| (a, b)));
        pairs.try_for_each_init(Scratch::default, |scratch, (a, b)| -> Result<()> {
            run.check()?;
            let panels_of = |block: usize| {
                let last = ((block + 1) * BLOCK).min(rows);
                block * BLOCK / LANES..panels(last)
            };
            let (a_panels, b_panels) = (panels_of(a), panels_of(b));
            self.sweep.block(a_panels.clone(), b_panels.clone(), scratch);
            let poisoned = |_| Error::Internal("a worker failed".to_string());
            let tiles = Tiles { out: &scratch.out, columns: b_panels.len() };
            let mut own = lists[a].lock().map_err(poisoned)?;
            self.offer(&mut own, a * BLOCK, b * BLOCK, &tiles, false);
            drop(own);
            if a != b && b < sampled_blocks {
                let mut other = lists[b].lock().map_err(poisoned)?;
                self.offer(&mut other, b * BLOCK, a * BLOCK, &tiles, true);
            }
            run.progress().advance(1);
            Ok(())
        })?;
        run.progress().finish();

        lists
            .into_par_iter()
            .map(|lists| {
                let mut lists = lists
                    .into_inner()
                    .map_err(|_| Error::Internal("a worker failed".to_string()))?;
                for slot in 0..lists.entries.len() {
                    self.compact(&mut lists, slot, 0);
                    lists.entries[slot].sort_unstable_by(nearer);
                }
                Ok(lists)
            })
            .collect()
    }

    /// Offers all distances of a block to the lists of its rows (of its columns when `across`).
    fn offer(
        &self,
        lists: &mut BlockLists,
        first_row: usize,
        first_column: usize,
        tiles: &Tiles<'_>,
        across: bool,
    ) {
        let rows = lists.entries.len() / self.groups();
        let columns = (self.sweep.rows() - first_column).min(BLOCK);
        let grouping = self.grouping;
        for row in 0..rows {
            let own = first_row + row;
            let own_code = self.codes[own];
            for start in (0..columns).step_by(LANES) {
                let count = (columns - start).min(LANES);
                let distances = tiles.line(row, start / LANES, across);
                let others = first_column + start..first_column + start + count;
                // Rows are ordered by class, so that most lines fall into one group.
                if self.uniform[others.start / LANES] {
                    let group = grouping.group(own_code, self.codes[others.start]);
                    let limit = lists.limits[row * self.groups() + group];
                    if !distances[..count].iter().fold(false, |any, d| any | (*d <= limit)) {
                        continue;
                    }
                }
                for (offset, other) in others.enumerate() {
                    if other == own {
                        continue;
                    }
                    let group = grouping.group(own_code, self.codes[other]);
                    let slot = row * self.groups() + group;
                    if distances[offset] <= lists.limits[slot] {
                        let entry = (distances[offset], self.sweep.order()[other]);
                        self.push(lists, slot, group, entry);
                    }
                }
            }
        }
    }

    /// Keeps a candidate whose distance is within the limit.
    fn push(&self, lists: &mut BlockLists, slot: usize, group: usize, entry: (f64, u32)) {
        let counted = lists.counted[slot];
        if counted > 0 && entry.0 == lists.limits[slot] {
            lists.counted[slot] = counted + 1;
            return;
        }
        let list = &mut lists.entries[slot];
        if list.is_empty() {
            list.reserve_exact(self.capacities[group]);
        }
        list.push(entry);
        if counted > 0 {
            // All kept entries are below the limit; with k of them the limit moves down.
            let list = &lists.entries[slot];
            if list.len() >= self.options.k {
                lists.limits[slot] = list.iter().fold(0.0, |most, entry| entry.0.max(most));
                lists.counted[slot] = 0;
            }
        } else if lists.entries[slot].len() >= self.capacities[group] {
            self.compact(lists, slot, self.capacities[group] * 3 / 4);
        }
    }

    /// Drops what cannot be among the k nearest. When more than `most` (0: any number) entries
    /// are left because of ties, those at the limit are counted instead of kept.
    fn compact(&self, lists: &mut BlockLists, slot: usize, most: usize) {
        let k = self.options.k;
        let list = &mut lists.entries[slot];
        if lists.counted[slot] > 0 || list.len() < k {
            return;
        }
        let (_, kth, _) = list.select_nth_unstable_by(k - 1, nearer);
        let limit = kth.0;
        lists.limits[slot] = limit;
        match self.options.ties {
            Ties::First => list.truncate(k),
            Ties::Share => {
                list.retain(|entry| entry.0 <= limit);
                if most > 0 && list.len() > most.max(k) {
                    let before = list.len();
                    list.retain(|entry| entry.0 < limit);
                    lists.counted[slot] = (before - list.len()) as u32;
                }
            }
        }
    }

    /// Finds the rows that were counted at the limit, by one more look at the row's distances.
    fn add_counted(
        &self,
        place: usize,
        group: usize,
        limit: f64,
        again: &mut Again,
        entries: &mut Vec<(f64, u32)>,
    ) {
        let panel = place / LANES;
        let rows = self.sweep.rows();
        // All rows of a panel cost as much as one.
        if again.panel != Some(panel) {
            again.panel = Some(panel);
            self.sweep.block(panel..panel + 1, 0..panels(rows), &mut again.scratch);
        }
        let grouping = self.grouping;
        let own_code = self.codes[place];
        let sorted = entries.len();
        for other in 0..rows {
            let distance = again.scratch.out[tile_place(place % LANES, other, panels(rows))];
            if distance == limit
                && other != place
                && grouping.group(own_code, self.codes[other]) == group
            {
                entries.push((distance, self.sweep.order()[other]));
            }
        }
        entries[sorted..].sort_unstable_by_key(|entry| entry.1);
    }
}

impl PairSource for Neighborhoods<'_, '_> {
    fn len(&self) -> usize {
        self.sampled
    }

    fn expected_pairs(&self, place: usize) -> usize {
        let block = &self.blocks[place / BLOCK];
        (0..self.groups())
            .map(|group| place % BLOCK * self.groups() + group)
            .map(|slot| block.entries[slot].len() + block.counted[slot] as usize)
            .sum()
    }

    /// Neighbours are sorted by distance and row; ranks and ties give their weights.
    fn visit(
        &self,
        places: std::ops::Range<usize>,
        visit: &mut dyn FnMut(u32, usize, &[Neighbor]),
    ) {
        let mut again = Again::default();
        let mut entries = Vec::new();
        let mut neighbors = Vec::new();
        for place in places {
            let row = self.sweep.order()[place];
            let block = &self.blocks[place / BLOCK];
            for group in 0..self.groups() {
                let slot = place % BLOCK * self.groups() + group;
                entries.clear();
                entries.extend_from_slice(&block.entries[slot]);
                if block.counted[slot] > 0 {
                    self.add_counted(place, group, block.limits[slot], &mut again, &mut entries);
                }
                share(&entries, self.options, &mut neighbors);
                visit(row, group, &neighbors);
            }
        }
    }
}

/// Memory for looking at a row's distances again.
#[derive(Default)]
struct Again {
    panel: Option<usize>,
    scratch: Scratch,
}

/// The tiled distances of a block.
struct Tiles<'d> {
    out: &'d [f64],
    columns: usize,
}

impl Tiles<'_> {
    /// The distances of one row to the eight rows of a panel, or of one column when `across`.
    fn line(&self, row: usize, panel: usize, across: bool) -> [f64; LANES] {
        if across {
            let at = (panel * self.columns + row / LANES) * TILE + row % LANES;
            std::array::from_fn(|lane| self.out[at + lane * LANES])
        } else {
            let at = (row / LANES * self.columns + panel) * TILE + row % LANES * LANES;
            std::array::from_fn(|lane| self.out[at + lane])
        }
    }
}

pub(crate) fn nearer(a: &(f64, u32), b: &(f64, u32)) -> std::cmp::Ordering {
    a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
}

/// The sampled rows first, each part ordered by class: then a block has few classes, and the
/// pairs that matter are the blocks of the first part with all.
pub(crate) fn sampled_first(rows: usize, sampled: &[u32], grouping: Grouping<'_>) -> Vec<u32> {
    let mut is_sampled = vec![false; rows];
    for &row in sampled {
        is_sampled[row as usize] = true;
    }
    let mut order: Vec<u32> = (0..rows as u32).collect();
    order.sort_by_key(|&row| (!is_sampled[row as usize], grouping.code(row as usize)));
    order
}

/// Weights of sorted candidates: the rank weights of the places that a group of tied rows takes
/// among the first k are shared evenly in the group, which is their mean over all tie orders.
pub(crate) fn share(entries: &[(f64, u32)], options: NearestOptions, out: &mut Vec<Neighbor>) {
    out.clear();
    let places = options.k.min(entries.len());
    if places == 0 {
        return;
    }
    let total: f64 = (1..=places).map(|rank| options.weights.raw(rank)).sum();
    let mut first = 0;
    while first < places {
        let distance = entries[first].0;
        let last = match options.ties {
            Ties::First => first + 1,
            Ties::Share => {
                first + entries[first..].iter().take_while(|entry| entry.0 == distance).count()
            }
        };
        let shared: f64 =
            (first + 1..=last.min(places)).map(|rank| options.weights.raw(rank)).sum();
        let weight = shared / (last - first) as f64 / total;
        out.extend(entries[first..last].iter().map(|entry| Neighbor { row: entry.1, weight }));
        first = last;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(k: usize, weights: NeighborWeights) -> NearestOptions {
        NearestOptions { k, ties: Ties::Share, weights }
    }

    #[test]
    fn ties_share_the_places_left() {
        let entries = [(1.0, 4), (2.0, 1), (2.0, 7), (2.0, 9)];
        let mut out = Vec::new();
        share(&entries, options(2, NeighborWeights::Uniform), &mut out);
        let weights: Vec<f64> = out.iter().map(|neighbor| neighbor.weight).collect();
        assert_eq!(weights.len(), 4);
        assert!((weights[0] - 0.5).abs() < 1e-15);
        assert!(weights[1..].iter().all(|w| (w - 0.5 / 3.0).abs() < 1e-15));
    }

    #[test]
    fn rank_weights_are_the_mean_over_tie_orders() {
        let sigma = 1.5;
        let raw: Vec<f64> = (1..=3).map(|r| (-(f64::from(r) / sigma).powi(2)).exp()).collect();
        let total: f64 = raw.iter().sum();
        let entries = [(1.0, 0), (1.0, 1), (3.0, 2), (4.0, 3)];
        let mut out = Vec::new();
        share(&entries, options(3, NeighborWeights::Rank { sigma }), &mut out);
        assert_eq!(out.len(), 3);
        assert!((out[0].weight - (raw[0] + raw[1]) / 2.0 / total).abs() < 1e-15);
        assert_eq!(out[0].weight, out[1].weight);
        assert!((out[2].weight - raw[2] / total).abs() < 1e-15);
    }
}
