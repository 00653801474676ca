//! The k nearest rows per group with their weights, whichever search finds them.

use std::ops::{ControlFlow, Range};
use std::sync::Mutex;

use basrelief_kernels::{LANES, TILE, panels};
use rayon::prelude::*;

use super::block_driver::{BlockDistances, BlockPairs, BlockSink, Blocks, sweep};
use super::exact_pairs::RoundedDistances;
use super::k_least::{Distance, KLeast, Overflow};
use super::kd_tree::{Trees, obstacle};
use super::options::{NeighborWeights, Ties};
use super::packed_rows::{PackedRows, Scratch};
use super::pairs::{
    Entry, Grouping, NearestOptions, Neighbor, PairSource, PlaceCodes, mixed_order, nearer,
    place_of, sampled_first, share_places,
};
use super::plan::{
    Facts, NearestRoute, NeighborSearch, SearchPlan, plan_all_pairs, plan_nearest, sampling,
};
use super::quantized_rows::QuantizedRows;
use super::rounded_corrections::RoundedCorrectionRows;
use super::tiles::{tile_place, turned};
use crate::differences::Space;
use crate::error::{Error, Result};
use crate::run::Run;

/// Rows per block of exact distances, and of rounded ones: 128 KB and 256 KB of results.
const EXACT_BLOCK: usize = 128;
const ROUNDED_BLOCK: usize = 256;

/// The k nearest rows of every sampled row in every group.
pub struct Neighborhoods<'s, 'c> {
    /// The sampled rows, ordered by class.
    order: Vec<u32>,
    found: Found<'s, 'c>,
    options: NearestOptions,
    grouping: Grouping<'c>,
    plan: SearchPlan,
}

/// Where the neighbors come from.
enum Found<'s, 'c> {
    /// Per place and group, sorted.
    Lists(Vec<Vec<Entry>>),
    /// The same without rows tied at the k-th distance where these are too many.
    WithTies(Vec<Vec<Entry>>, Box<TiedRows<'s>>),
    /// Trees, which may have to look at a row again.
    Trees(Box<Trees<'c>>),
}

impl<'s, 'c> Neighborhoods<'s, 'c> {
    /// Finds the nearest rows of every row in `sampled` among all rows of the space, by the search
    /// that is faster.
    ///
    /// A row is never its own neighbor; rows at an infinite distance (nothing known in common)
    /// are nobody's. The time is one sweep over the pairs that touch a sampled row, of rounded
    /// numbers where these can tell the nearest; or with trees that of a few leaves per sampled
    /// row, which grow fast with the columns.
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
        Self::find_with(run.routes(), space, sampled, grouping, options, run)
    }

    /// As [`find`](Self::find), by the search given.
    ///
    /// # Errors
    /// [`NeighborSearch::KdTree`] for a space with anything but complete numbers, or with a ramp;
    /// [`Error::Cancelled`].
    pub fn find_by(
        search: NeighborSearch,
        space: &'s Space<'s>,
        sampled: &[u32],
        grouping: Grouping<'c>,
        options: NearestOptions,
        run: &Run,
    ) -> Result<Self> {
        let routes: &[NearestRoute] = match search {
            NeighborSearch::KdTree => {
                if let Some(obstacle) = obstacle(space) {
                    return Err(Error::option(
                        "search",
                        format!("a kd-tree takes complete numbers only, but {obstacle}"),
                        "leave the choice of the search to the library",
                    ));
                }
                &[NearestRoute::KdTree]
            }
            // The fastest of these that can search the space.
            NeighborSearch::AllPairs => &NearestRoute::ALL[1..],
        };
        let names: Vec<String> = routes.iter().map(|route| route.name().to_string()).collect();
        Self::find_with(&names, space, sampled, grouping, options, run)
    }

    fn find_with(
        routes: &[String],
        space: &'s Space<'s>,
        sampled: &[u32],
        grouping: Grouping<'c>,
        options: NearestOptions,
        run: &Run,
    ) -> Result<Self> {
        let facts = Facts::of(space, sampled.len(), grouping);
        let (route, mut plan) = plan_nearest(&facts, options, routes, run.memory());
        run.progress().memory(plan.bytes);
        run.memory().claim(plan.bytes, "the search of neighbors", &sampling())?;
        let order = sampled_first(space.rows(), sampled, grouping);
        let places = order[..sampled.len()].to_vec();
        let query = Query { space, grouping, options, split: None, distances: false, run };
        let found = match route {
            NearestRoute::KdTree => {
                let trees = Trees::find(space, &places, grouping, options, run)?;
                Some(Found::Trees(Box::new(trees)))
            }
            NearestRoute::Quantized => {
                let order = mixed_order(space.rows(), sampled, grouping);
                let rows = QuantizedRows::new(space, &order, run)?;
                query.rounded(&rows, order, &places, &mut plan)?.map(Found::Lists)
            }
            NearestRoute::RoundedCorrections => {
                let order = mixed_order(space.rows(), sampled, grouping);
                let rows = RoundedCorrectionRows::new(space, &order, run)?;
                query.rounded(&rows, order, &places, &mut plan)?.map(Found::Lists)
            }
            NearestRoute::Exact => None,
        };
        let found = match found {
            Some(found) => found,
            None => query.exact(order, sampled.len())?,
        };
        Ok(Self { order: places, found, options, grouping, plan })
    }

    /// How the rows were found.
    pub fn search(&self) -> NeighborSearch {
        match self.found {
            Found::Trees(_) => NeighborSearch::KdTree,
            Found::Lists(_) | Found::WithTies(..) => NeighborSearch::AllPairs,
        }
    }

    /// How the search was planned, and what became of it.
    pub fn plan(&self) -> &SearchPlan {
        &self.plan
    }

    /// The sampled rows, each with its neighbors in the order of their distances; of one group. Distances
    /// are exact where neighbors weigh by their ranks.
    pub(super) fn into_orders(self) -> impl Iterator<Item = (u32, Vec<Entry>)> + 's
    where
        'c: 's,
    {
        let (mut again, mut memory) = (Recomputed::default(), Vec::new());
        (0..self.order.len()).map(move |place| {
            (self.order[place], self.entries(place, 0, &mut again, &mut memory).to_vec())
        })
    }

    /// The nearest in a group of the row at a place, sorted by distance and row; `memory` is used again.
    fn entries<'e>(
        &'e self,
        place: usize,
        group: usize,
        again: &mut Recomputed,
        memory: &'e mut Vec<Entry>,
    ) -> &'e [Entry] {
        let slot = place * self.grouping.count() + group;
        match &self.found {
            Found::WithTies(lists, tied) if tied.counts[slot] > 0 => {
                memory.clone_from(&lists[slot]);
                tied.add(place, group, self.grouping, again, memory);
                memory
            }
            Found::Lists(lists) | Found::WithTies(lists, _) => &lists[slot],
            Found::Trees(trees) => {
                trees.entries(self.order[place], place, group, memory);
                memory
            }
        }
    }
}

/// The nearest rows of the first `sampled` rows of a space: per row and group in the order of their
/// distances, with all that are tied with the k-th. Where there is a `split`, rows before it are neighbors
/// of those from there on alone, and the other way round; it is a multiple of [`ROWS_OF_BLOCK_UNIT`](super::row_blocks::ROWS_OF_BLOCK_UNIT).
///
/// # Errors
/// Too little memory; [`Error::Cancelled`].
pub(super) fn nearest_of_runs(
    space: &Space<'_>,
    split: Option<usize>,
    sampled: usize,
    grouping: Grouping<'_>,
    options: NearestOptions,
    run: &Run,
) -> Result<Vec<Vec<Entry>>> {
    let options = NearestOptions { ties: Ties::Share, ..options };
    let facts = Facts::of(space, sampled, grouping);
    let ranked = NearestOptions { weights: NeighborWeights::Rank { sigma: 1.0 }, ..options };
    let (route, mut plan) = plan_all_pairs(&facts, ranked, run.routes(), run.memory());
    run.progress().memory(plan.bytes);
    run.memory().claim(plan.bytes, "the search of neighbors", &sampling())?;
    let query = Query { space, grouping, options, split, distances: true, run };
    // The sampled rows first, in either run, which whole blocks make up.
    let order_of = |order: fn(usize, &[u32], Grouping<'_>) -> Vec<u32>| {
        let end = split.unwrap_or(space.rows());
        let mut all: Vec<u32> = Vec::with_capacity(space.rows());
        for run in [0..end, end..space.rows()] {
            let sampled = sampled.clamp(run.start, run.end) - run.start;
            let sampled: Vec<u32> = (0..sampled as u32).collect();
            let rows = order(run.len(), &sampled, grouping.of_rows(run.clone()));
            all.extend(rows.iter().map(|row| row + run.start as u32));
        }
        all
    };
    let sampled_rows: Vec<u32> = (0..sampled as u32).collect();
    let rounded = match route {
        NearestRoute::Quantized => {
            let order = order_of(mixed_order);
            let rows = QuantizedRows::new(space, &order, run)?;
            query.rounded(&rows, order, &sampled_rows, &mut plan)?
        }
        NearestRoute::RoundedCorrections => {
            let order = order_of(mixed_order);
            let rows = RoundedCorrectionRows::new(space, &order, run)?;
            query.rounded(&rows, order, &sampled_rows, &mut plan)?
        }
        NearestRoute::KdTree | NearestRoute::Exact => None,
    };
    if let Some(found) = rounded {
        return Ok(found);
    }
    let order = order_of(sampled_first);
    let (by_place, tied) = match query.exact(order.clone(), sampled)? {
        Found::Lists(lists) => (lists, None),
        Found::WithTies(lists, tied) => (lists, Some(tied)),
        Found::Trees(_) => return Err(failed()),
    };
    let groups = grouping.count();
    let mut found = vec![Vec::new(); sampled * groups];
    let mut again = Recomputed::default();
    for (slot, mut entries) in by_place.into_iter().enumerate() {
        let (place, group) = (slot / groups, slot % groups);
        let row = order[place] as usize;
        if let Some(tied) = tied.as_ref().filter(|tied| tied.counts[slot] > 0) {
            tied.add(place, group, grouping, &mut again, &mut entries);
            if let Some(split) = split {
                entries.retain(|&(_, other)| (row < split) != ((other as usize) < split));
            }
        }
        found[row * groups + group] = entries;
    }
    Ok(found)
}

impl PairSource for Neighborhoods<'_, '_> {
    fn len(&self) -> usize {
        self.order.len()
    }

    fn expected_pairs(&self, place: usize) -> usize {
        let groups = self.grouping.count();
        let of_row = place * groups..(place + 1) * groups;
        match &self.found {
            Found::Lists(lists) => lists[of_row].iter().map(Vec::len).sum(),
            Found::WithTies(lists, tied) => {
                let most = match self.options.ties {
                    Ties::First => self.options.k,
                    Ties::Share => usize::MAX,
                };
                let count =
                    |slot: usize| (lists[slot].len() + tied.counts[slot] as usize).min(most);
                of_row.map(count).sum()
            }
            Found::Trees(trees) => trees.expected_pairs(place),
        }
    }

    /// Ranks and ties give the neighbors their weights.
    fn visit(&self, places: Range<usize>, visit: &mut dyn FnMut(u32, usize, &[Neighbor])) {
        let groups = self.grouping.count();
        let mut again = Recomputed::default();
        let mut entries = Vec::new();
        let mut neighbors = Vec::new();
        for place in places {
            for group in 0..groups {
                let entries = self.entries(place, group, &mut again, &mut entries);
                share_places(entries, self.options, &mut neighbors);
                visit(self.order[place], group, &neighbors);
            }
        }
    }
}

/// The lists of every block; none where it has no row whose nearest are sought.
type BlockLists<D> = Vec<Option<KLeast<D>>>;

/// What is sought, and where.
#[derive(Clone, Copy)]
struct Query<'s, 'c, 'r> {
    space: &'s Space<'s>,
    grouping: Grouping<'c>,
    options: NearestOptions,
    /// The first so many rows are neighbors of those from there on alone, and the other way round.
    split: Option<usize>,
    /// Whether distances are wanted, not only who is near.
    distances: bool,
    run: &'r Run,
}

impl<'s> Query<'s, '_, '_> {
    /// By exact distances of all pairs; the first `sampled` rows of the order are those whose nearest are
    /// sought.
    fn exact(&self, order: Vec<u32>, sampled: usize) -> Result<Found<'s, 'static>> {
        let rows = PackedRows::new(self.space, order, self.run)?;
        let codes = PlaceCodes::new(rows.order(), self.grouping);
        let blocks = Blocks { rows: self.space.rows(), size: EXACT_BLOCK };
        let bands = vec![0.0; sampled];
        let Some(lists) = self.lists(&rows, blocks, &codes, &bands)? else {
            return Err(Error::Internal("a list of exact distances overflowed".to_string()));
        };
        let groups = self.grouping.count();
        let mut tied = TiedRows { rows, codes, counts: Vec::new(), limits: Vec::new() };
        let mut found = Vec::with_capacity(sampled * groups);
        for (place, group) in
            (0..sampled).flat_map(|place| (0..groups).map(move |group| (place, group)))
        {
            let Some(lists) = &lists[place / blocks.size] else { continue };
            let list = [place % blocks.size, group];
            let order = tied.rows.order();
            let entries = lists.of(list).iter().map(|&(d, place)| (d, order[place as usize]));
            let mut entries: Vec<Entry> = entries.collect();
            entries.sort_unstable_by(nearer);
            if self.options.ties == Ties::First && lists.ties(list) == 0 {
                entries.truncate(self.options.k);
            }
            tied.counts.push(lists.ties(list));
            tied.limits.push(lists.kth(list));
            found.push(entries);
        }
        Ok(match tied.counts.iter().any(|&count| count > 0) {
            true => Found::WithTies(found, Box::new(tied)),
            false => Found::Lists(found),
        })
    }

    /// By rounded distances of all pairs of rows in an order, and exact ones of those that these leave
    /// undecided; of the rows at `places`. `None`, which the plan then tells, where too many are undecided.
    fn rounded(
        &self,
        rows: &impl RoundedDistances,
        order: Vec<u32>,
        places: &[u32],
        plan: &mut SearchPlan,
    ) -> Result<Option<Vec<Vec<Entry>>>> {
        let errors = rows.errors();
        let most = errors.iter().copied().fold(0.0, f64::max);
        // Twice the error of a distance: the k-th's own and the candidate's.
        let band = |place: usize| match errors.get(place) {
            Some(error) => (2.0 * (error + most)) as u32,
            None => 0,
        };
        let bands: Vec<u32> = (0..places.len()).map(band).collect();
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
        // Equal weights need no order among those who are in.
        let every = self.distances || matches!(self.options.weights, NeighborWeights::Rank { .. });
        let told =
            Told { blocks, order: &order, bands: &bands, is_exact, every, k: self.options.k };
        let mut by_place = self.run.install(|| told.of(lists, self.grouping.count()));
        // From the order of the search to that of the sample.
        let place_of = place_of(&order);
        let groups = self.grouping.count();
        let mut found = Vec::with_capacity(by_place.len());
        for &row in places {
            let first = place_of[row as usize] as usize * groups;
            found.extend((first..first + groups).map(|slot| std::mem::take(&mut by_place[slot])));
        }
        let undecided = |(slot, list): (usize, &Vec<Entry>)| {
            let row = places[slot / groups];
            let others: Vec<(u32, u32)> =
                list.iter().filter(|entry| entry.0.is_nan()).map(|entry| (row, entry.1)).collect();
            others
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
        let keep_ties = self.options.ties == Ties::Share;
        self.run.install(|| {
            found.par_iter_mut().for_each(|list| {
                list.sort_unstable_by(nearer);
                let k = self.options.k;
                if list.len() > k {
                    let kth = list[k - 1].0;
                    let ties = list[k..].iter().take_while(|entry| keep_ties && entry.0 == kth);
                    list.truncate(k + ties.count());
                }
            });
        });
        Ok(Some(found))
    }

    /// The lists of the rows at the first places, which have a band each, block by block; `None` where one
    /// overflows.
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
            lists.par_iter_mut().enumerate().for_each(|(block, lists)| {
                let Some(lists) = lists else { return };
                for (row, &band) in
                    bands[block * blocks.size..].iter().take(blocks.size).enumerate()
                {
                    for group in 0..groups {
                        // Whoever is left undecided, however many, is decided by exact distances.
                        let _ = lists.sift([row, group], band);
                    }
                }
            });
        });
        Ok(Some(lists))
    }
}

fn failed() -> Error {
    Error::Internal("a worker failed".to_string())
}

/// Keeps the k nearest of the rows that have a band, which are at the first places.
struct NearestSink<'a, D: Distance> {
    blocks: Blocks,
    codes: &'a PlaceCodes,
    grouping: Grouping<'a>,
    /// By how much more than the k-th a distance may be and still be one of the k nearest.
    bands: &'a [D],
    /// Per block; none where it has no such row.
    lists: Vec<Mutex<Option<KLeast<D>>>>,
    /// The block that the first one meets first, where no block meets itself: the second meets the one
    /// behind that, and so on.
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
        // Always the lower block first: no two wait for each other.
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
    /// Begins all lists, where no block meets itself and some have no partner to begin with.
    fn begin_with_nothing(&mut self) -> Result<()> {
        let groups = self.grouping.count();
        for (block, lists) in self.lists.iter_mut().enumerate() {
            let Some(lists) = lists.get_mut().map_err(|_| failed())? else { continue };
            let bands = self.bands[block * self.blocks.size..].iter().take(self.blocks.size);
            for (row, &band) in bands.enumerate() {
                for group in 0..groups {
                    // Nothing is not too much.
                    let _ = lists.begin([row, group], (&[], &[]), band);
                }
            }
        }
        Ok(())
    }

    /// Begins the lists of two blocks with the candidates in the other, where they have some.
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

    /// Begins a block's lists with the candidates in another, or in itself: nearly all that follow exceed
    /// the bounds that these give.
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
        // Rows of one code, which are all in one group, side by side.
        others.clear();
        others.extend(0..candidates.len() as u32);
        let code = |row: u32| self.codes.of(candidates.start + row as usize);
        others.sort_by_key(|&row| code(row));
        let groups = self.grouping.count();
        parts.resize_with(groups.max(parts.len()), Default::default);
        for (row, place) in places.clone().enumerate() {
            let Some(&band) = self.bands.get(place) else { continue };
            let (own, line) = (self.codes.of(place), &tiles[tile_place(row, 0, width)..]);
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

    /// Offers the distances of two blocks to the lists of both, where they have some.
    fn offer(
        &self,
        (a, b): (usize, usize),
        tiles: &[[D; TILE]],
        mut lists: [Option<&mut KLeast<D>>; 2],
        buffers: &mut NearestBuffers<D>,
    ) -> std::result::Result<(), Overflow> {
        let NearestBuffers { masks, bounds: [own_bounds, other_bounds], .. } = buffers;
        let (a_panels, b_panels) = (self.blocks.panels(a), self.blocks.panels(b));
        for (panel, tiles) in a_panels.zip(tiles.chunks_exact(b_panels.len())) {
            own_bounds.clear();
            other_bounds.clear();
            for other_panel in b_panels.clone() {
                let [left, right] = &lists;
                own_bounds.push(self.bounds(left.as_deref(), panel, other_panel));
                other_bounds.push(self.bounds(right.as_deref(), other_panel, panel));
            }
            D::find(tiles, own_bounds, other_bounds, masks);
            for (other_panel, (tile, masks)) in b_panels.clone().zip(tiles.iter().zip(&*masks)) {
                for (side, lists) in lists.iter_mut().enumerate() {
                    let (Some(lists), mut mask) = (lists, masks[side]) else { continue };
                    while mask != 0 {
                        let at = mask.trailing_zeros() as usize;
                        mask &= mask - 1;
                        let pair = [panel * LANES + at / LANES, other_panel * LANES + at % LANES];
                        let (own, other) = (pair[side], pair[1 - side]);
                        // Panels may have more rows than there are.
                        let (Some(&band), true) = (self.bands.get(own), other < self.blocks.rows)
                        else {
                            continue;
                        };
                        let group = self.grouping.group(self.codes.of(own), self.codes.of(other));
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

    /// What the distances of a panel's rows, whose lists are given, to those of another must be below to
    /// be of interest.
    fn bounds(&self, lists: Option<&KLeast<D>>, panel: usize, other: usize) -> [D; LANES] {
        let Some(lists) = lists else { return [D::NONE; LANES] };
        let first = panel * LANES % self.blocks.size;
        self.codes.bounds(self.grouping, [panel, other], |group| lists.bounds(first, group))
    }
}

/// What lists of rounded distances tell.
struct Told<'t> {
    blocks: Blocks,
    order: &'t [u32],
    bands: &'t [u32],
    is_exact: bool,
    /// Whether the distances of all are wanted.
    every: bool,
    k: usize,
}

impl Told<'_> {
    /// Row by row and group by group, by place.
    fn of(&self, lists: Vec<Option<KLeast<u32>>>, groups: usize) -> Vec<Vec<Entry>> {
        // A block's lists make room for what they tell.
        let of_blocks = lists.into_par_iter().enumerate().map(|(block, lists)| {
            let Some(lists) = lists else { return Vec::new() };
            let bands = self.bands[block * self.blocks.size..].iter().take(self.blocks.size);
            let rows = bands
                .enumerate()
                .flat_map(|(row, &band)| (0..groups).map(move |group| ([row, group], band)));
            rows.map(|(list, band)| self.entries(&lists, list, band)).collect()
        });
        of_blocks.collect::<Vec<Vec<Vec<Entry>>>>().into_iter().flatten().collect()
    }

    /// Turns candidates into (distance, row): the distance where it is exact, -1 for those who are
    /// among the k nearest whatever it is, NaN where it must be computed.
    fn entries(&self, lists: &KLeast<u32>, list: [usize; 2], band: u32) -> Vec<Entry> {
        let candidates = lists.of(list);
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

/// Rows tied at the k-th distance that lists did not keep: they are found by one more look at the
/// distances of the rows in question.
struct TiedRows<'s> {
    rows: PackedRows<'s>,
    codes: PlaceCodes,
    /// Per place and group, how many there are, and the k-th distance.
    counts: Vec<u32>,
    limits: Vec<f64>,
}

/// The distances of the panel that was looked at last, in memory that is used again.
#[derive(Default)]
struct Recomputed {
    panel: Option<usize>,
    tiles: Vec<f64>,
    scratch: Scratch,
}

impl TiedRows<'_> {
    /// Adds the tied rows of a place in a group, in the order of their rows.
    fn add(
        &self,
        place: usize,
        group: usize,
        grouping: Grouping<'_>,
        again: &mut Recomputed,
        entries: &mut Vec<Entry>,
    ) {
        let (panel, rows) = (place / LANES, self.rows.rows());
        let limit = self.limits[place * grouping.count() + group];
        // All rows of a panel cost as much as one.
        if again.panel != Some(panel) {
            again.panel = Some(panel);
            let all = 0..panels(rows);
            self.rows.block(panel..panel + 1, all, &mut again.tiles, &mut again.scratch);
        }
        let own_code = self.codes.of(place);
        let sorted = entries.len();
        for other in 0..rows {
            let distance = again.tiles[tile_place(place % LANES, other, panels(rows))];
            if distance == limit
                && other != place
                && grouping.group(own_code, self.codes.of(other)) == group
            {
                entries.push((distance, self.rows.order()[other]));
            }
        }
        entries[sorted..].sort_unstable_by_key(|entry| entry.1);
    }
}
