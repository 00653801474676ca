//! The k nearest rows per group, whichever search finds them.

use std::ops::ControlFlow;
use std::sync::Mutex;

use basrelief_kernels::{LANES, TILE, panels};

use super::block_driver::{BlockDistances, BlockPairs, BlockSink, Blocks, sweep};
use super::exact_pairs::RoundedDistances;
use super::k_least::{Distance, KLeast, Overflow};
use super::kd_tree::nearest_by_trees;
use super::lists::{FindUnlisted, Lists, OpenList, PanelTiles, Unlisted};
use super::options::{NeighborWeights, Ties};
use super::packed_rows::PackedRows;
use super::pairs::{
    Entry, Grouping, NearestOptions, PlaceCodes, mixed_order, nearer, place_of, sampled_first,
};
use super::plan::{Facts, NearestRoute, SearchPlan, plan_all_pairs, plan_nearest, sampling};
use super::quantized_rows::{Quantization, QuantizedRows, not_roundable};
use super::rounded_corrections::RoundedCorrectionRows;
use super::tiles::{tile_place, turned};
use crate::csr::CsrGroups;
use crate::differences::Space;
use crate::error::{Error, Result};
use crate::parallel;
use crate::run::Run;

/// Rows per block of exact distances, and of rounded ones: 128 KB and 256 KB of results.
const EXACT_BLOCK: usize = 128;
const ROUNDED_BLOCK: usize = 256;

/// Finds the nearest rows of every row in `sampled` in every group, by the first of some routes that can search the space,
/// or the fastest if there are none. Also returns the search and its plan with the outcome.
///
/// # Errors
/// Too little memory; [`Error::Cancelled`].
pub(super) fn nearest_in_groups<'s>(
    routes: &[String],
    space: &'s Space<'s>,
    sampled: &[u32],
    grouping: Grouping<'_>,
    options: NearestOptions,
    run: &Run,
) -> Result<(Lists<'s>, SearchPlan)> {
    let facts = Facts::new(space, sampled.len(), grouping);
    let planned = plan_nearest(&facts, options, routes, run.memory());
    let mut rows = sampled_first(space.rows(), sampled, grouping);
    rows.truncate(sampled.len());
    let quantization = facts.quantization();
    let query =
        Query { space, grouping, options, split: None, distances: false, quantization, run };
    query.find(rows, planned)
}

/// The nearest of some rows among all rows, regardless of groups. A row's list is sorted by
/// distance and contains all rows that are tied with the k-th. Distances are exact if neighbors are
/// weighted by rank. Also returns the plan of the search, with its outcome.
///
/// # Errors
/// Too little memory; [`Error::Cancelled`].
pub(super) fn nearest_lists(
    space: &Space<'_>,
    rows: Vec<u32>,
    options: NearestOptions,
    run: &Run,
) -> Result<(CsrGroups<Entry>, SearchPlan)> {
    let grouping = Grouping::All;
    let facts = Facts::new(space, rows.len(), grouping);
    let planned = plan_nearest(&facts, options, run.routes(), run.memory());
    let quantization = facts.quantization();
    let query =
        Query { space, grouping, options, split: None, distances: false, quantization, run };
    let (lists, plan) = query.find(rows, planned)?;
    Ok((lists.into_whole(grouping), plan))
}

/// The nearest of some rows of a space, with their exact distances: a list per row and group,
/// sorted by distance, with all rows that are tied with the k-th. With a `split`, rows before it
/// have only neighbors from there on, and vice versa. The split is a multiple of
/// [`ROWS_OF_BLOCK_UNIT`](super::row_blocks::ROWS_OF_BLOCK_UNIT).
///
/// # Errors
/// Too little memory; [`Error::Cancelled`].
pub(super) fn nearest_with_distances(
    space: &Space<'_>,
    split: Option<usize>,
    rows: Vec<u32>,
    grouping: Grouping<'_>,
    options: NearestOptions,
    run: &Run,
) -> Result<CsrGroups<Entry>> {
    let options = NearestOptions { ties: Ties::Share, ..options };
    let facts = Facts::new(space, rows.len(), grouping);
    let ranked = NearestOptions { weights: NeighborWeights::Rank { sigma: 1.0 }, ..options };
    let planned = plan_all_pairs(&facts, ranked, run.routes(), run.memory());
    let quantization = facts.quantization();
    let query = Query { space, grouping, options, split, distances: true, quantization, run };
    let lists = query.find(rows, planned)?.0;
    let Some(split) = split else { return Ok(lists.into_whole(grouping)) };
    let rows = lists.rows().to_vec();
    let (whole, mut found) = (lists.into_whole(grouping), CsrGroups::default());
    // Rows that are searched for again may be on either side.
    for (list, entries) in whole.iter().enumerate() {
        let row = rows[list / grouping.count()] as usize;
        let beside = |entry: &&Entry| (row < split) != ((entry.1 as usize) < split);
        found.push_group(entries.iter().filter(beside).copied());
    }
    Ok(found)
}

/// The lists of every block; `None` for a block without query rows.
type BlockLists<D> = Vec<Option<KLeast<D>>>;

/// Parameters of one search.
#[derive(Clone, Copy)]
struct Query<'s, 'c, 'r> {
    space: &'s Space<'s>,
    grouping: Grouping<'c>,
    options: NearestOptions,
    /// Rows before this place are neighbors of rows from there on only, and vice versa.
    split: Option<usize>,
    /// Whether the distances are required, and not only the neighbors.
    distances: bool,
    /// How numbers are rounded to 15 bits, if they can be.
    quantization: Option<&'r Quantization>,
    run: &'r Run,
}

impl<'s> Query<'s, '_, '_> {
    /// Finds the nearest of some rows by the planned route; also returns the plan with its outcome.
    fn find(
        &self,
        rows: Vec<u32>,
        (route, mut plan): (NearestRoute, SearchPlan),
    ) -> Result<(Lists<'s>, SearchPlan)> {
        let (space, run) = (self.space, self.run);
        run.progress().memory(plan.bytes);
        run.memory().claim(plan.bytes, "the search of neighbors", sampling())?;
        let found = match route {
            NearestRoute::KdTree => {
                let lists = nearest_by_trees(space, &rows, self.grouping, self.options, run)?;
                return Ok((lists, plan));
            }
            NearestRoute::Quantized => {
                let order = self.order(&rows, mixed_order);
                let packed = QuantizedRows::new(
                    space,
                    self.quantization.ok_or_else(not_roundable)?,
                    &order,
                    run,
                )?;
                self.rounded(&packed, order, &rows, &mut plan)?
            }
            NearestRoute::RoundedCorrections => {
                let order = self.order(&rows, mixed_order);
                let packed = RoundedCorrectionRows::new(space, &order, run)?;
                self.rounded(&packed, order, &rows, &mut plan)?
            }
            NearestRoute::Exact => None,
        };
        let lists = match found {
            Some(found) => Lists::new(rows, found, None),
            None => self.exact(rows)?,
        };
        Ok((lists, plan))
    }

    /// All rows, query rows first, on either side of a split.
    fn order(
        &self,
        sought: &[u32],
        order: fn(usize, &[u32], Grouping<'_>) -> Vec<u32>,
    ) -> Vec<u32> {
        let rows = self.space.rows();
        let end = self.split.unwrap_or(rows);
        let mut all: Vec<u32> = Vec::with_capacity(rows);
        for run in [0..end, end..rows] {
            let is_here = |row: &&u32| run.contains(&(**row as usize));
            let sought: Vec<u32> =
                sought.iter().filter(is_here).map(|row| row - run.start as u32).collect();
            let own = order(run.len(), &sought, self.grouping.of_rows(run.clone()));
            all.extend(own.iter().map(|row| row + run.start as u32));
        }
        all
    }

    /// Searches with exact distances of all pairs.
    fn exact(&self, sought: Vec<u32>) -> Result<Lists<'s>> {
        let rows = PackedRows::new(self.space, self.order(&sought, sampled_first), self.run)?;
        let codes = PlaceCodes::new(rows.order(), self.grouping);
        let blocks = Blocks { rows: self.space.rows(), size: EXACT_BLOCK };
        let place_of = place_of(rows.order());
        let places: Vec<usize> =
            sought.iter().map(|&row| place_of[row as usize] as usize).collect();
        let bands = vec![0.0; places.iter().max().map_or(0, |last| last + 1)];
        let Some(lists) = self.lists(&rows, blocks, &codes, &bands)? else {
            return Err(Error::Internal("a list of exact distances overflowed".to_string()));
        };
        let groups = self.grouping.count();
        let (mut counts, mut limits) = (Vec::new(), Vec::new());
        let mut found = CsrGroups::default();
        for (&place, group) in
            places.iter().flat_map(|place| (0..groups).map(move |group| (place, group)))
        {
            let Some(lists) = &lists[place / blocks.size] else { continue };
            let list = [place % blocks.size, group];
            let order = rows.order();
            let entries =
                lists.candidates(list).iter().map(|&(d, place)| (d, order[place as usize]));
            let mut entries: Vec<Entry> = entries.collect();
            entries.sort_unstable_by(nearer);
            if self.options.ties == Ties::First && lists.ties(list) == 0 {
                entries.truncate(self.options.k);
            }
            counts.push(lists.ties(list));
            limits.push(lists.kth(list));
            found.push_group(entries);
        }
        let source = Box::new(TiedRows { rows, place_of });
        Ok(Lists::new(sought, found, Some(Unlisted { counts, limits, source })))
    }

    /// Searches with rounded distances of all pairs of rows in an order, and with exact distances
    /// of those that are ambiguous. Returns `None`, with a fallback in the plan, if too many are
    /// ambiguous.
    fn rounded(
        &self,
        rows: &impl RoundedDistances,
        order: Vec<u32>,
        sought: &[u32],
        plan: &mut SearchPlan,
    ) -> Result<Option<CsrGroups<Entry>>> {
        let errors = rows.errors();
        let most = errors.iter().copied().fold(0.0, f64::max);
        // Twice the error of a distance: that of the k-th and that of the candidate.
        let band = |place: usize| match errors.get(place) {
            Some(error) => (2.0 * (error + most)) as u32,
            None => 0,
        };
        let place_of = place_of(&order);
        let places: Vec<usize> =
            sought.iter().map(|&row| place_of[row as usize] as usize).collect();
        let bands: Vec<u32> =
            (0..places.iter().max().map_or(0, |last| last + 1)).map(band).collect();
        let codes = PlaceCodes::new(&order, self.grouping);
        let blocks = Blocks { rows: order.len(), size: ROUNDED_BLOCK };
        let is_exact = errors.is_empty();
        let given_up = |why: &str| format!("{} were given up: {why}", plan.route);
        let Some(lists) = self.lists(rows, blocks, &codes, &bands)? else {
            let why =
                if is_exact { "too many rows are tied" } else { "too many are tied or undecided" };
            plan.fallback = Some(given_up(why));
            return Ok(None);
        };
        // With equal weights, the neighbors need no order.
        let every = self.distances || matches!(self.options.weights, NeighborWeights::Rank { .. });
        let k = self.options.k;
        let candidates = Candidates { blocks, order: &order, bands: &bands, is_exact, every, k };
        let mut found =
            self.run.install(|| candidates.by_list(&lists, &places, self.grouping.count()));
        let groups = self.grouping.count();
        let undecided = |(list, entries): (usize, &Vec<Entry>)| {
            let others = entries.iter().filter(|entry| entry.0.is_nan());
            others.map(|entry| (sought[list / groups], entry.1)).collect::<Vec<(u32, u32)>>()
        };
        let pairs: Vec<(u32, u32)> = found.iter().enumerate().flat_map(undecided).collect();
        plan.refined = Some(pairs.len() as u64);
        if !pairs.is_empty() {
            let Some(distances) = rows.exact(self.space, &pairs, self.run)? else {
                plan.fallback = Some(given_up("too many are undecided"));
                return Ok(None);
            };
            let undecided = found.iter_mut().flatten().filter(|entry| entry.0.is_nan());
            undecided.zip(distances).for_each(|(entry, distance)| entry.0 = distance);
        }
        self.run.install(|| {
            parallel::for_each(&mut found, |list| keep_nearest(list, self.options, None));
        });
        let mut lists = CsrGroups::default();
        found.into_iter().for_each(|list| lists.push_group(list));
        Ok(Some(lists))
    }

    /// The lists of the rows that have a band, which are at the first places, block by block.
    /// Returns `None` if one overflows.
    fn lists<R: BlockDistances<Distance: Distance>>(
        &self,
        rows: &R,
        blocks: Blocks,
        codes: &PlaceCodes,
        bands: &[R::Distance],
    ) -> Result<Option<BlockLists<R::Distance>>> {
        let members = self.grouping.largest(blocks.rows);
        let queries = bands.len().div_ceil(blocks.size);
        let lists = (0..blocks.count()).map(|block| {
            let of_block = bands.len().saturating_sub(block * blocks.size).min(blocks.size);
            let lists = (of_block > 0).then(|| KLeast::new(of_block, self.options.k, &members));
            Mutex::new(lists)
        });
        let lists: Vec<Mutex<Option<KLeast<R::Distance>>>> = lists.collect();
        let first_beside = self.split.map(|split| split / blocks.size);
        let grouping = self.grouping;
        let mut sink = NearestSink { blocks, codes, bands, grouping, lists, first_beside };
        let pairs = match self.split {
            None => BlockPairs::upper(queries, blocks),
            Some(split) => {
                sink.begin_with_nothing()?;
                BlockPairs::between(split / blocks.size, blocks)
            }
        };
        let flow = sweep(rows, blocks, &pairs, "searching neighbors", &sink, self.run)?;
        if flow.is_break() {
            return Ok(None);
        }
        let lists = sink.lists.into_iter().map(|lists| lists.into_inner().map_err(|_| failed()));
        let mut lists = lists.collect::<Result<Vec<_>>>()?;
        let groups = self.grouping.count();
        self.run.install(|| {
            parallel::for_each(lists.iter_mut().enumerate(), |(block, lists)| {
                let Some(lists) = lists else { return };
                for (row, &band) in
                    bands[block * blocks.size..].iter().take(blocks.size).enumerate()
                {
                    for group in 0..groups {
                        // Ambiguous candidates are refined exactly, however many there are.
                        let _ = lists.sift([row, group], band);
                    }
                }
            });
        });
        Ok(Some(lists))
    }
}

/// Keeps the rows at the first k places, of which a row takes as many as its mass (`None`: one), and those tied with the
/// last of them if ties share.
pub(super) fn keep_nearest(
    entries: &mut Vec<Entry>,
    options: NearestOptions,
    masses: Option<&[f64]>,
) {
    entries.sort_unstable_by(nearer);
    let Some(count) = filling(entries, options.k, masses) else { return };
    if let Some(&(last, _)) = entries.get(count.wrapping_sub(1)) {
        let ties = entries[count..].iter();
        let is_tied = |entry: &&Entry| options.ties == Ties::Share && entry.0 == last;
        entries.truncate(count + ties.take_while(is_tied).count());
    }
}

/// The number of sorted rows that take the first k places, of which a row takes as many as its mass (`None`: one);
/// `None` if all rows take fewer.
pub(super) fn filling(entries: &[Entry], k: usize, masses: Option<&[f64]>) -> Option<usize> {
    let Some(masses) = masses else { return (entries.len() >= k).then_some(k) };
    let mut taken = 0.0;
    let last = entries.iter().position(|entry| {
        taken += masses[entry.1 as usize];
        taken >= k as f64
    });
    last.map(|last| last + 1)
}

fn failed() -> Error {
    Error::Internal("a worker failed".to_string())
}

/// Keeps the k nearest of the rows that have a band, which are at the first places.
struct NearestSink<'a, D: Distance> {
    blocks: Blocks,
    codes: &'a PlaceCodes,
    grouping: Grouping<'a>,
    /// By how much a distance may exceed the k-th and still be one of the k smallest.
    bands: &'a [D],
    /// Per block; `None` if it has no row with a band.
    lists: Vec<Mutex<Option<KLeast<D>>>>,
    /// If no block meets itself, the block that the first one meets first: the second begins with
    /// the block after it, and so on.
    first_beside: Option<usize>,
}

/// Reused memory of one worker.
struct NearestBuffers<D> {
    masks: Vec<[u64; 2]>,
    bounds: [Vec<[D; LANES]>; 2],
    /// A block's rows in the order of their codes.
    others: Vec<u32>,
    /// Per group, distances and places.
    parts: Vec<(Vec<D>, Vec<u32>)>,
}

impl<D> Default for NearestBuffers<D> {
    fn default() -> Self {
        Self {
            masks: Vec::new(),
            bounds: [Vec::new(), Vec::new()],
            others: Vec::new(),
            parts: Vec::new(),
        }
    }
}

impl<D: Distance> BlockSink<D> for NearestSink<'_, D> {
    type Buffers = NearestBuffers<D>;

    fn take(
        &self,
        (a, b): (usize, usize),
        tiles: &[[D; TILE]],
        buffers: &mut Self::Buffers,
    ) -> Result<ControlFlow<()>> {
        // The lower block is always locked first, so that no two workers wait for each other.
        let mut left = self.lists[a].lock().map_err(|_| failed())?;
        let kept = if a == b {
            let Some(lists) = left.as_mut() else { return Ok(ControlFlow::Continue(())) };
            self.begin((a, a), tiles, lists, buffers)
        } else {
            let mut right = self.lists[b].lock().map_err(|_| failed())?;
            if Some(b) == self.first_beside.map(|first| first + a) {
                self.begin_both((a, b), tiles, [left.as_mut(), right.as_mut()], buffers)
            } else {
                self.offer((a, b), tiles, [left.as_mut(), right.as_mut()], buffers)
            }
        };
        Ok(match kept {
            Ok(()) => ControlFlow::Continue(()),
            Err(Overflow) => ControlFlow::Break(()),
        })
    }
}

impl<D: Distance> NearestSink<'_, D> {
    /// Begins all lists empty, because no block meets itself and some have no partner to begin
    /// with.
    fn begin_with_nothing(&mut self) -> Result<()> {
        let groups = self.grouping.count();
        for (block, lists) in self.lists.iter_mut().enumerate() {
            let Some(lists) = lists.get_mut().map_err(|_| failed())? else { continue };
            let bands = self.bands[block * self.blocks.size..].iter().take(self.blocks.size);
            for (row, &band) in bands.enumerate() {
                for group in 0..groups {
                    // An empty list does not overflow.
                    let _ = lists.begin([row, group], (&[], &[]), band);
                }
            }
        }
        Ok(())
    }

    /// Begins the lists of two blocks, if they have some, with the candidates in the other block.
    fn begin_both(
        &self,
        (a, b): (usize, usize),
        tiles: &[[D; TILE]],
        [left, right]: [Option<&mut KLeast<D>>; 2],
        buffers: &mut NearestBuffers<D>,
    ) -> std::result::Result<(), Overflow> {
        if let Some(lists) = left {
            self.begin((a, b), tiles, lists, buffers)?;
        }
        if let Some(lists) = right {
            let [rows, columns] = [a, b].map(|block| self.blocks.panels(block).len());
            let places = 0..rows * columns;
            let turned: Vec<[D; TILE]> =
                places.map(|at| turned(&tiles[at % rows * columns + at / rows])).collect();
            self.begin((b, a), &turned, lists, buffers)?;
        }
        Ok(())
    }

    /// Begins a block's lists with the candidates in another block, or in itself. Nearly all later
    /// candidates exceed the resulting bounds.
    fn begin(
        &self,
        (block, beside): (usize, usize),
        tiles: &[[D; TILE]],
        lists: &mut KLeast<D>,
        buffers: &mut NearestBuffers<D>,
    ) -> std::result::Result<(), Overflow> {
        let (places, candidates) = (self.blocks.places(block), self.blocks.places(beside));
        let tiles = tiles.as_flattened();
        let width = self.blocks.panels(beside).len();
        let NearestBuffers { others, parts, .. } = buffers;
        // Sorts the rows by code: rows of one code are all in one group.
        others.clear();
        others.extend(0..candidates.len() as u32);
        let code = |row: u32| self.codes.code(candidates.start + row as usize);
        others.sort_by_key(|&row| code(row));
        let groups = self.grouping.count();
        parts.resize_with(groups.max(parts.len()), Default::default);
        for (row, place) in places.clone().enumerate() {
            let Some(&band) = self.bands.get(place) else { continue };
            let (own, line) = (self.codes.code(place), &tiles[tile_place(row, 0, width)..]);
            parts.iter_mut().for_each(|(distances, places)| {
                distances.clear();
                places.clear();
            });
            for others in others.chunk_by(|&a, &b| code(a) == code(b)) {
                let (distances, of) = &mut parts[self.grouping.group(own, code(others[0]))];
                // No row is its own neighbor.
                let is_itself = |other: u32| block == beside && other as usize == row;
                distances.extend(others.iter().map(|&other| match is_itself(other) {
                    true => D::BEYOND,
                    false => line[tile_place(0, other as usize, 0)],
                }));
                of.extend(others.iter().map(|&other| candidates.start as u32 + other));
            }
            for (group, (distances, places)) in parts[..groups].iter().enumerate() {
                lists.begin([row, group], (distances, places), band)?;
            }
        }
        Ok(())
    }

    /// Offers the distances of two blocks to the lists of both, if they have some.
    fn offer(
        &self,
        (a, b): (usize, usize),
        tiles: &[[D; TILE]],
        mut lists: [Option<&mut KLeast<D>>; 2],
        buffers: &mut NearestBuffers<D>,
    ) -> std::result::Result<(), Overflow> {
        let NearestBuffers { masks, bounds: [own_bounds, other_bounds], .. } = buffers;
        let (a_panels, b_panels) = (self.blocks.panels(a), self.blocks.panels(b));
        let width = b_panels.len();
        other_bounds.clear();
        for (line, tiles) in tiles.chunks_exact(width).enumerate() {
            let panel = a_panels.start + line;
            let [left, right] = &lists;
            own_bounds.clear();
            for other in b_panels.clone() {
                let bounds = match self.codes.alike_before(other, b_panels.start) {
                    Some(before) => own_bounds[before],
                    None => self.bounds(left.as_deref(), panel, other),
                };
                own_bounds.push(bounds);
            }
            // Those of an earlier panel may be larger than those of the lists by now, which compare again.
            match self.codes.alike_before(panel, a_panels.start) {
                Some(before) => {
                    other_bounds.extend_from_within(before * width..(before + 1) * width)
                }
                None => {
                    let others = b_panels.clone();
                    let bounds = |other| self.bounds(right.as_deref(), other, panel);
                    other_bounds.extend(others.map(bounds));
                }
            }
            D::find(tiles, own_bounds, &other_bounds[line * width..], masks);
            for (other_panel, (tile, masks)) in b_panels.clone().zip(tiles.iter().zip(&*masks)) {
                if *masks == [0; 2] {
                    continue;
                }
                for (side, lists) in lists.iter_mut().enumerate() {
                    let (Some(lists), mut mask) = (lists, masks[side]) else { continue };
                    while mask != 0 {
                        let at = mask.trailing_zeros() as usize;
                        mask &= mask - 1;
                        let pair = [panel * LANES + at / LANES, other_panel * LANES + at % LANES];
                        let (own, other) = (pair[side], pair[1 - side]);
                        // Panels may have more lanes than there are rows.
                        let (Some(&band), true) = (self.bands.get(own), other < self.blocks.rows)
                        else {
                            continue;
                        };
                        let group =
                            self.grouping.group(self.codes.code(own), self.codes.code(other));
                        let list = [own % self.blocks.size, group];
                        if lists.offer(list, tile[at], other as u32) {
                            lists.sift(list, band)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// The exclusive upper bounds of the distances of a panel's rows, whose lists are given, to the
    /// rows of another panel.
    fn bounds(&self, lists: Option<&KLeast<D>>, panel: usize, other: usize) -> [D; LANES] {
        let Some(lists) = lists else { return [D::NONE; LANES] };
        let first = panel * LANES % self.blocks.size;
        self.codes.bounds(self.grouping, [panel, other], |group| lists.bounds(first, group))
    }
}

/// The candidates of lists of rounded distances.
struct Candidates<'t> {
    blocks: Blocks,
    order: &'t [u32],
    bands: &'t [u32],
    is_exact: bool,
    /// Whether all distances are required.
    every: bool,
    k: usize,
}

impl Candidates<'_> {
    /// Returns the candidates of the rows at some places, group by group.
    fn by_list(
        &self,
        lists: &[Option<KLeast<u32>>],
        places: &[usize],
        groups: usize,
    ) -> Vec<Vec<Entry>> {
        let of_list = |list: usize| {
            let place = places[list / groups];
            let lists = lists[place / self.blocks.size].as_ref()?;
            let list = [place % self.blocks.size, list % groups];
            Some(self.entries(lists, list, self.bands[place]))
        };
        let all = 0..places.len() * groups;
        parallel::map(all, |list| of_list(list).unwrap_or_default())
    }

    /// Converts candidates into (distance, row). The distance is given if it is exact; it is -1 for
    /// rows that are certainly among the k nearest, and NaN if it has to be computed.
    fn entries(&self, lists: &KLeast<u32>, list: [usize; 2], band: u32) -> Vec<Entry> {
        let candidates = lists.candidates(list);
        let sure = match candidates.len() {
            0 => 0,
            _ if self.every => 0,
            count if count <= self.k => u32::BEYOND,
            _ => lists.kth(list).saturating_sub(band),
        };
        let entry = |&[distance, place]: &[u32; 2]| {
            let told = match distance {
                exact if self.is_exact => f64::from(exact),
                distance if distance < sure => -1.0,
                _ => f64::NAN,
            };
            (told, self.order[place as usize])
        };
        candidates.iter().map(entry).collect()
    }
}

/// Rows tied at the k-th distance that lists did not store. They are found by computing the
/// distances of the query rows again.
struct TiedRows<'s> {
    rows: PackedRows<'s>,
    place_of: Vec<u32>,
}

impl FindUnlisted for TiedRows<'_> {
    fn add(&self, list: OpenList<'_>, memory: &mut PanelTiles, entries: &mut Vec<Entry>) {
        let OpenList { row, group, grouping, limit } = list;
        let place = self.place_of[row as usize] as usize;
        let (panel, rows) = (place / LANES, self.rows.rows());
        // All rows of a panel cost as much as one.
        if memory.panel != Some(panel) {
            memory.panel = Some(panel);
            let all = 0..panels(rows);
            self.rows.block(panel..panel + 1, all, &mut memory.tiles, &mut memory.scratch);
        }
        let own_code = grouping.code(row as usize);
        for (at, &other) in self.rows.order().iter().enumerate() {
            let distance = memory.tiles[tile_place(place % LANES, at, panels(rows))];
            let code = grouping.code(other as usize);
            if distance == limit && other != row && grouping.group(own_code, code) == group {
                entries.push((distance, other));
            }
        }
    }
}
