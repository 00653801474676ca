//! The k nearest rows per group, streamed with the sweep over all pairs.
//!
//! Every block of distances is computed once and serves both sides. A row keeps, per group, a
//! bounded list; what is kept is decided by distance and row index alone, so the result does not
//! depend on the order of the blocks. Where more rows than fit are tied at the k-th place (a few
//! discrete features make hundreds), only their number is kept, and those rows' distances are
//! computed once more when they are asked for: memory stays bounded without losing a tie.

use std::sync::Mutex;

use basrelief_kernels::{LANES, TILE, panels};
use rayon::prelude::*;

use super::nearest::{Entry, Grouping, NearestOptions, nearer};
use super::options::Ties;
use super::space::Space;
use super::squares::{pairs_of, squares};
use super::sweep::{BLOCK, Scratch, Sweep, tile_place};
use crate::error::{Error, Result};
use crate::run::Run;

/// The lists of one block of rows.
struct BlockLists {
    /// Per row and group: (distance, row of the table) in no order.
    entries: Vec<Vec<Entry>>,
    /// Per row and group: greatest distance that can still be among the nearest.
    limits: Vec<f64>,
    /// Per row and group: rows at the limit that were counted instead of kept; 0 when all are
    /// kept.
    counted: Vec<u32>,
}

/// The nearest rows of every sampled row, by exact distances.
pub(super) struct Swept<'s, 'c> {
    sweep: Sweep<'s>,
    blocks: Vec<BlockLists>,
    capacities: Vec<usize>,
    /// Class code at every place.
    codes: Vec<u32>,
    /// Per panel of places, whether all its rows have the same code.
    uniform: Vec<bool>,
    options: NearestOptions,
    grouping: Grouping<'c>,
}

impl<'s, 'c> Swept<'s, 'c> {
    /// Finds the nearest rows of the first `sampled` rows of an order among all.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(super) fn find(
        space: &'s Space<'s>,
        order: Vec<u32>,
        sampled: usize,
        grouping: Grouping<'c>,
        options: NearestOptions,
        run: &Run,
    ) -> Result<Self> {
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
            options,
            grouping,
            sweep,
        };
        found.blocks = run.install(|| found.search(sampled, run))?;
        Ok(found)
    }

    /// At most how many entries a row has.
    pub(super) fn expected_pairs(&self, place: usize) -> usize {
        let block = &self.blocks[place / BLOCK];
        (0..self.groups())
            .map(|group| place % BLOCK * self.groups() + group)
            .map(|slot| block.entries[slot].len() + block.counted[slot] as usize)
            .sum()
    }

    /// Replaces `entries` by a row's nearest in a group, sorted by distance and row.
    pub(super) fn entries(
        &self,
        place: usize,
        group: usize,
        again: &mut Again,
        entries: &mut Vec<Entry>,
    ) {
        let block = &self.blocks[place / BLOCK];
        let slot = place % BLOCK * self.groups() + group;
        entries.clear();
        entries.extend_from_slice(&block.entries[slot]);
        if block.counted[slot] > 0 {
            self.add_counted(place, group, block.limits[slot], again, entries);
        }
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
        for square in squares(sampled_blocks, n_blocks, self.sweep.bytes(BLOCK), run.memory()) {
            pairs_of(square).try_for_each_init(
                Scratch::default,
                |scratch, (a, b)| -> Result<()> {
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
                },
            )?;
        }
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
    fn push(&self, lists: &mut BlockLists, slot: usize, group: usize, entry: Entry) {
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
        entries: &mut Vec<Entry>,
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

/// Memory for looking at a row's distances again.
#[derive(Default)]
pub(super) struct Again {
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
