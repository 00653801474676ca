//! The k nearest rows per group, streamed with the sweep over all pairs.
//!
//! Every block of distances is computed once and serves both sides. A row keeps, per group, a
//! bounded list; what is kept is decided by distance and row index alone, so the result does not
//! depend on the order of the blocks. Where more rows than fit are tied at the k-th place (a few
//! discrete features make hundreds), only their number is kept, and those rows' distances are
//! computed once more when they are asked for: memory stays bounded without losing a tie.

use std::sync::Mutex;

use basrelief_kernels::{LANES, TILE, find_within, level, panels};
use rayon::prelude::*;

use super::nearest::{Entry, Grouping, NearestOptions, PlaceCodes, nearer};
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
    codes: PlaceCodes,
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
        let codes = PlaceCodes::new(sweep.order(), grouping);
        let capacities: Vec<usize> = grouping
            .largest(space.rows())
            .into_iter()
            .map(|members| members.min(options.k.saturating_mul(2).saturating_add(16)))
            .collect();
        let mut found = Self { blocks: Vec::new(), capacities, codes, options, grouping, sweep };
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
                || (Scratch::default(), Vec::new()),
                |(scratch, masks), (a, b)| -> Result<()> {
                    run.check()?;
                    let panels_of = |block: usize| {
                        let last = ((block + 1) * BLOCK).min(rows);
                        block * BLOCK / LANES..panels(last)
                    };
                    let (a_panels, b_panels) = (panels_of(a), panels_of(b));
                    self.sweep.block(a_panels.clone(), b_panels.clone(), scratch);
                    let poisoned = |_| Error::Internal("a worker failed".to_string());
                    let tiles = scratch.out.as_chunks::<TILE>().0;
                    // Always the lower block first: no two wait for each other.
                    let mut left = lists[a].lock().map_err(poisoned)?;
                    if a != b && b < sampled_blocks {
                        let mut right = lists[b].lock().map_err(poisoned)?;
                        self.offer((a, b), tiles, &mut left, Some(&mut right), masks);
                    } else {
                        self.offer((a, b), tiles, &mut left, None, masks);
                    }
                    drop(left);
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

    /// Offers the distances of two blocks to the lists of the first, and to those of the second where it
    /// has some; of a block and itself to its own.
    fn offer(
        &self,
        (a, b): (usize, usize),
        tiles: &[[f64; TILE]],
        left: &mut BlockLists,
        mut right: Option<&mut BlockLists>,
        masks: &mut Vec<u64>,
    ) {
        let (first, other_first) = (a * BLOCK, b * BLOCK);
        let width = panels((self.sweep.rows() - other_first).min(BLOCK));
        let mut own_bounds = Vec::with_capacity(width);
        let mut other_bounds = Vec::with_capacity(width);
        for (panel, tiles) in tiles.chunks_exact(width).enumerate() {
            own_bounds.clear();
            other_bounds.clear();
            for other_panel in 0..width {
                let (own, other) = (first / LANES + panel, other_first / LANES + other_panel);
                own_bounds.push(self.limits(Some(left), own, other));
                other_bounds.push(self.limits(right.as_deref(), other, own));
            }
            masks.resize(width, 0);
            find_within(level(), tiles, &own_bounds, &other_bounds, masks);
            for (other_panel, (tile, &mask)) in tiles.iter().zip(&*masks).enumerate() {
                let mut mask = mask;
                while mask != 0 {
                    let at = mask.trailing_zeros() as usize;
                    mask &= mask - 1;
                    let (row, column) =
                        (panel * LANES + at / LANES, other_panel * LANES + at % LANES);
                    let (place, other) = (first + row, other_first + column);
                    if place == other || place.max(other) >= self.sweep.rows() {
                        continue;
                    }
                    self.push(left, row, [place, other], tile[at]);
                    if let Some(right) = &mut right {
                        self.push(right, column, [other, place], tile[at]);
                    }
                }
            }
        }
    }

    /// What the distances of a panel's rows to those of another must be at most to be of interest; of
    /// rows without lists none is.
    fn limits(&self, lists: Option<&BlockLists>, panel: usize, other: usize) -> [f64; LANES] {
        let Some(lists) = lists else { return [f64::NEG_INFINITY; LANES] };
        self.codes.bounds(self.grouping, [panel, other], |group| {
            let first = panel * LANES % BLOCK;
            std::array::from_fn(|lane| {
                let slot = (first + lane) * self.groups() + group;
                lists.limits.get(slot).copied().unwrap_or(f64::NEG_INFINITY)
            })
        })
    }

    /// Offers one distance to the row of a block that is at the first place.
    fn push(&self, lists: &mut BlockLists, row: usize, [place, other]: [usize; 2], distance: f64) {
        let group = self.grouping.group(self.codes.of(place), self.codes.of(other));
        let slot = row * self.groups() + group;
        if lists.limits.get(slot).is_some_and(|limit| distance <= *limit) {
            self.keep(lists, slot, group, (distance, self.sweep.order()[other]));
        }
    }

    /// Keeps a candidate whose distance is within the limit.
    fn keep(&self, lists: &mut BlockLists, slot: usize, group: usize, entry: Entry) {
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
        let own_code = self.codes.of(place);
        let sorted = entries.len();
        for other in 0..rows {
            let distance = again.scratch.out[tile_place(place % LANES, other, panels(rows))];
            if distance == limit
                && other != place
                && grouping.group(own_code, self.codes.of(other)) == group
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
