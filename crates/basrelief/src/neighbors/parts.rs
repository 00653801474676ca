//! A search that is done in parts, on several machines. Rows lie in blocks; a part finds, for two blocks,
//! who in the one is near to whom in the other, from these rows alone. What is found for a block is then
//! put together. All together show the same pairs in the same order as the search of one machine.
//!
//! The k nearest of a row are the k nearest of those that it has in every block. Rows within a radius are
//! told from distances as they are, not rounded ones; the mean and spread that the radius is made of are
//! measured before, of all pairs or of every row's own.

use std::ops::Range;

use basrelief_kernels::{Moments, Side, TILE, find_beside, finite_moments, level};
use rayon::prelude::*;

use super::block_driver::{BlockDistances, Blocks};
use super::k_nearest::{SPLIT, nearest_of_runs};
use super::options::{RadiusRule, Ties};
use super::packed_rows::Scratch;
use super::pairs::{
    Entry, Grouping, NearestOptions, Neighbor, PairBatch, PairSource, UndirectedPairs, nearer,
    place_of, sampled_first, share_places,
};
use super::plan::{Facts, RadiusRoute, plan_nearest, plan_radius, sampling};
use super::quantized_rows::{Quantization, mean_of_pairs};
use super::radius::{BLOCK, RadiusNeighbors};
use super::tiles::{add_row, turned};
use crate::csr::CsrGroups;
use crate::differences::Space;
use crate::error::{Error, Result};
use crate::run::Run;

/// Pairs of blocks that one task measures.
const BLOCKS_PER_TASK: usize = 16;

/// Bits of a word of marks.
const WORD: usize = u64::BITS as usize;

/// Rows of a block, at least, where they fit: what a part does once for every row of its blocks, packing it
/// and the exact distances of its nearest, is then little beside comparing it with all of the other.
const LEAST_ROWS: usize = 1 << 14;

/// Blocks that the rows are cut into, at most, and bytes of a block's values, at most; the latter counts
/// where both cannot be.
const MOST_BLOCKS: usize = 64;
const MOST_BYTES: u64 = 1 << 28;

/// Rows of a block, where a row has so many bytes: whatever the machines are.
pub(crate) fn rows_of_block(rows: usize, bytes_of_row: u64) -> usize {
    let fit = usize::try_from(MOST_BYTES / bytes_of_row.max(1)).unwrap_or(usize::MAX);
    let wanted = LEAST_ROWS.max(rows.div_ceil(MOST_BLOCKS)).min(fit).max(1);
    // Whole blocks of every search.
    wanted.min(rows).next_multiple_of(SPLIT)
}

/// Rows in an order of their own, the first of which are queries, cut into blocks: those of the queries, and
/// then those of the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RowBlocks {
    rows: usize,
    /// Places of the blocks with queries: few queries make a small block, which is sent to many tasks.
    of_queries: usize,
    /// Rows of a block, at most.
    size: usize,
}

impl RowBlocks {
    /// Of so many rows, of which the first are queries.
    pub(crate) fn new(rows: usize, queries: usize, size: usize) -> Self {
        Self { rows, of_queries: queries.next_multiple_of(SPLIT).min(rows), size }
    }

    /// Number of blocks.
    pub(crate) fn count(self) -> usize {
        self.queries() + (self.rows - self.of_queries).div_ceil(self.size)
    }

    /// The first so many blocks have queries.
    pub(crate) fn queries(self) -> usize {
        self.of_queries.div_ceil(self.size)
    }

    /// Places of the blocks with queries.
    pub(crate) fn places_of_queries(self) -> usize {
        self.of_queries
    }

    /// Rows of a block, at most.
    pub(crate) fn size(self) -> usize {
        self.size
    }

    /// The places of a block.
    pub(crate) fn places(self, block: usize) -> Range<usize> {
        let queries = self.queries();
        let (first, end, block) = match block < queries {
            true => (0, self.of_queries, block),
            false => (self.of_queries, self.rows, block - queries),
        };
        let start = |block: usize| (first + block * self.size).min(end);
        start(block)..start(block + 1)
    }
}

/// Which rows are a row's neighbors.
#[derive(Debug, Clone, Copy)]
pub(crate) enum NeighborRule {
    /// The k nearest in every group.
    Nearest(NearestOptions),
    /// All within a radius, and on request all beyond.
    Radius {
        /// How the radius is chosen.
        rule: RadiusRule,
        /// Whether rows beyond it are wanted too.
        with_far: bool,
    },
}

/// What the radius of a search is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum RadiusFrom {
    /// There is none.
    Nothing,
    /// The mean distance of all pairs, which follows from the columns.
    Known(Moments),
    /// The distances of all pairs, which have to be measured.
    AllPairs,
    /// Every row's own distances, which have to be measured.
    OwnPairs,
}

/// What was measured before a search.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Measured {
    /// Mean and spread of the distances of all pairs, where the radius is of them.
    pub(crate) pairs: Moments,
    /// The same of every sampled row's own distances, by place.
    pub(crate) own: Vec<Moments>,
}

/// Whose neighbors are sought, and how.
pub(crate) struct PartedSearch<'c> {
    /// All rows, the sampled ones first; blocks are cut of this order.
    order: Vec<u32>,
    sampled: usize,
    grouping: Grouping<'c>,
    rule: NeighborRule,
    blocks: RowBlocks,
}

/// What two blocks tell of the rows of one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum BlockFound {
    /// Per row and group, the nearest, with their distances.
    Nearest(CsrGroups<Entry>),
    /// Per row near rows, and far ones on request; bits are places in the other block.
    Marks(Marks),
}

/// The neighbors of some rows.
pub(crate) enum FoundPart {
    /// Per row and group, the neighbors with their weights.
    Lists(CsrGroups<Neighbor>),
    /// Per row near rows, and far ones on request.
    Marks(Marks),
}

impl FoundPart {
    /// Adds those of the rows that follow.
    ///
    /// # Errors
    /// They are of another search.
    pub(crate) fn append(&mut self, other: Self) -> Result<()> {
        match (self, other) {
            (Self::Lists(own), Self::Lists(others)) => own.append(others),
            (Self::Marks(own), Self::Marks(others)) => own.append(others),
            _ => return Err(wrong()),
        }
        Ok(())
    }
}

/// Which rows are near to some rows, and which are far.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Marks {
    /// Of near rows, and of far ones: row by row, a bit per place, in whole words.
    pub(crate) sides: Vec<Vec<u64>>,
    /// Row by row, what every place counts if it is marked; empty where all count the same.
    pub(crate) strengths: Vec<f64>,
}

impl Marks {
    /// Of so many rows over so many others, with nothing marked.
    fn empty(sides: usize, rows: usize, others: usize, with_strengths: bool) -> Self {
        let strengths = if with_strengths { rows * others } else { 0 };
        Self {
            sides: vec![vec![0; rows * others.div_ceil(WORD)]; sides],
            strengths: vec![0.0; strengths],
        }
    }

    /// Adds those of the rows that follow.
    fn append(&mut self, other: Self) {
        self.sides.iter_mut().zip(other.sides).for_each(|(all, part)| all.extend(part));
        self.strengths.extend(other.strengths);
    }

    /// Writes the rows of some others over places from `first` on, which begins a word; of `all` places
    /// and `others` in a row.
    fn put(&mut self, marks: &Self, (all, others, first): (usize, usize, usize)) {
        let (words, of_others) = (all.div_ceil(WORD), others.div_ceil(WORD));
        for (side, part) in self.sides.iter_mut().zip(&marks.sides) {
            let rows = side.chunks_exact_mut(words).zip(part.chunks_exact(of_others));
            rows.for_each(|(row, part)| row[first / WORD..][..of_others].copy_from_slice(part));
        }
        let rows = self.strengths.chunks_exact_mut(all).zip(marks.strengths.chunks_exact(others));
        rows.for_each(|(row, part)| row[first..][..others].copy_from_slice(part));
    }
}

impl<'c> PartedSearch<'c> {
    /// For the neighbors of the rows in `sampled` among so many, in blocks of `block_rows`, a multiple of
    /// [`SPLIT`].
    pub(crate) fn new(
        rows: usize,
        sampled: &[u32],
        grouping: Grouping<'c>,
        rule: NeighborRule,
        block_rows: usize,
    ) -> Self {
        debug_assert!(block_rows > 0 && block_rows.is_multiple_of(SPLIT));
        // Rows within a radius come in the order of the search of one machine, which is by group.
        let of_order = match rule {
            NeighborRule::Nearest(_) => Grouping::All,
            NeighborRule::Radius { .. } => grouping,
        };
        let order = sampled_first(rows, sampled, of_order);
        let blocks = RowBlocks::new(rows, sampled.len(), block_rows);
        Self { order, sampled: sampled.len(), grouping, rule, blocks }
    }

    /// All rows in the order that blocks are cut of.
    pub(crate) fn order(&self) -> &[u32] {
        &self.order
    }

    /// How rows lie in blocks; queries are those whose neighbors are sought.
    pub(crate) fn row_blocks(&self) -> RowBlocks {
        self.blocks
    }

    /// Number of blocks.
    pub(crate) fn blocks(&self) -> usize {
        self.blocks.count()
    }

    /// The first so many blocks have rows whose neighbors are sought.
    pub(crate) fn queries(&self) -> usize {
        self.blocks.queries()
    }

    /// Rows whose neighbors are sought.
    pub(crate) fn places_sought(&self) -> usize {
        self.sampled
    }

    /// Pairs of small blocks whose distances are measured.
    pub(crate) fn small_pairs_of_all(&self) -> usize {
        let small = self.small().count();
        small * (small + 1) / 2
    }

    /// The places of a block.
    pub(crate) fn places(&self, block: usize) -> Range<usize> {
        self.blocks.places(block)
    }

    /// Rows of a block whose neighbors are sought: the first ones.
    fn sampled_of(&self, block: usize) -> usize {
        let places = self.places(block);
        self.sampled.saturating_sub(places.start).min(places.len())
    }

    /// The pairs of blocks that tell who is near to whom, the lower first.
    pub(crate) fn pairs(&self) -> Vec<(usize, usize)> {
        let of = |a: usize| (a..self.blocks()).map(move |b| (a, b));
        (0..self.queries()).flat_map(of).collect()
    }

    /// All pairs of blocks, the lower first; [those that tell](Self::pairs) are the first of them.
    pub(crate) fn all_pairs(&self) -> Vec<(usize, usize)> {
        self.large().pairs()
    }

    /// The place of a pair among [all](Self::all_pairs), or among [those that tell](Self::pairs); `None`
    /// where it is none of them.
    pub(crate) fn pair(&self, (a, b): (usize, usize), all: bool) -> Option<usize> {
        let first = if all { self.blocks() } else { self.queries() };
        (a < first && (a..self.blocks()).contains(&b)).then(|| self.large().pair(a, b))
    }

    /// The blocks, as rows that are one each.
    fn large(&self) -> Blocks {
        Blocks { rows: self.blocks(), size: 1 }
    }

    /// The rows of two blocks, those of the lower first.
    pub(crate) fn rows(&self, (a, b): (usize, usize)) -> Vec<u32> {
        let second = if a == b { 0..0 } else { self.places(b) };
        [&self.order[self.places(a)], &self.order[second]].concat()
    }

    /// Bytes of what all pairs of blocks tell, about: ties are more.
    pub(crate) fn bytes_of_pairs(&self) -> u64 {
        let (rows, blocks) = (self.sampled as u64, self.blocks() as u64);
        match self.rule {
            NeighborRule::Nearest(options) => {
                let k = (options.k as u64).min(self.blocks.size().min(self.order.len()) as u64);
                let of_row = blocks * self.grouping.count() as u64 * (12 * k + 4);
                rows.saturating_mul(of_row)
            }
            NeighborRule::Radius { .. } => self.bytes(self.sampled),
        }
    }

    /// Bytes of what is found of so many rows, about: ties are more.
    pub(crate) fn bytes(&self, rows: usize) -> u64 {
        let (rows, all) = (rows as u64, self.order.len() as u64);
        match self.rule {
            NeighborRule::Nearest(options) => {
                let k = (options.k as u64).min(all);
                rows.saturating_mul(self.grouping.count() as u64).saturating_mul(4 * k + 16)
            }
            NeighborRule::Radius { rule, with_far } => {
                let sides = if with_far { 2 } else { 1 };
                let strengths = if rule == RadiusRule::Sigmoid { all } else { 0 };
                rows.saturating_mul(8 * (sides * all.div_ceil(WORD as u64) + strengths))
            }
        }
    }

    /// Bits of a row.
    fn words(&self) -> usize {
        self.order.len().div_ceil(WORD)
    }

    /// What the radius is made of; the search of one machine is refused here if it needs too much memory.
    /// `space` is of all rows; where it has no values of theirs ([`Space::of_features`]), `has_values` is false.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(crate) fn radius_from(
        &self,
        space: &Space<'_>,
        has_values: bool,
        run: &Run,
    ) -> Result<RadiusFrom> {
        let NeighborRule::Radius { rule, with_far } = self.rule else {
            return Ok(RadiusFrom::Nothing);
        };
        if rule == RadiusRule::OwnMean {
            return Ok(RadiusFrom::OwnPairs);
        }
        let facts = Facts::of(space, self.sampled, self.grouping);
        let (choice, _) = plan_radius(&facts, rule, with_far, run.routes(), run.memory());
        match Quantization::of(space) {
            Some(quantization)
                if has_values
                    && choice.route == RadiusRoute::Quantized
                    && !quantization.is_whole() =>
            {
                let mean = mean_of_pairs(space, &quantization, run)?;
                let rows = space.rows() as f64;
                let count = rows * (rows - 1.0) / 2.0;
                Ok(RadiusFrom::Known(Moments { count, mean, squares: 0.0 }))
            }
            _ => Ok(RadiusFrom::AllPairs),
        }
    }

    /// Whether the search of one machine shows pairs once for both directions.
    pub(crate) fn is_undirected(&self, space: &Space<'_>, run: &Run) -> bool {
        let NeighborRule::Radius { rule, with_far } = self.rule else { return false };
        let facts = Facts::of(space, self.sampled, self.grouping);
        plan_radius(&facts, rule, with_far, run.routes(), run.memory()).0.undirected
    }

    /// Bytes that two blocks need beside their values, about.
    pub(crate) fn memory(&self, space: &Space<'_>, run: &Run) -> u64 {
        let rows = (2 * self.blocks.size()).min(self.order.len());
        let facts = Facts::of(space, rows, self.grouping).of_rows(rows);
        let plan = match self.rule {
            NeighborRule::Nearest(options) => {
                plan_nearest(&facts, options, run.routes(), run.memory()).1
            }
            NeighborRule::Radius { rule, with_far } => {
                plan_radius(&facts, rule, with_far, run.routes(), run.memory()).1
            }
        };
        plan.bytes
    }

    /// The distances of the pairs of [small blocks](BLOCK) in two blocks: their number, mean and spread,
    /// each. `local` is of the rows of these blocks alone, as in all that follows.
    ///
    /// # Errors
    /// [`Error::Cancelled`]; too little memory.
    pub(crate) fn measure(
        &self,
        local: &Space<'_>,
        (a, b): (usize, usize),
        run: &Run,
    ) -> Result<Vec<Moments>> {
        let source = self.radius(local, Moments::default(), run)?;
        let pairs: Vec<(usize, usize)> = self.small_pairs((a, b)).collect();
        let (first, second) = self.small_blocks((a, b));
        let here = |block: usize| match second.contains(&block) && a != b {
            true => first.len() + block - second.start,
            false => block - first.start,
        };
        run.install(|| {
            let tasks = pairs.par_chunks(BLOCKS_PER_TASK);
            let of_task = |memory: &mut _, pairs: &[(usize, usize)]| {
                run.check()?;
                let measured: Vec<Moments> = pairs
                    .iter()
                    .map(|&(i, j)| {
                        let blocks = (here(i), here(j));
                        source.moments_of(blocks, source.tiles(blocks, memory))
                    })
                    .collect();
                Ok(measured)
            };
            let measured = tasks.map_init(Default::default, of_task);
            measured.collect::<Result<Vec<_>>>().map(|parts| parts.concat())
        })
    }

    /// The blocks that distances are added up by.
    fn small(&self) -> Blocks {
        Blocks { rows: self.order.len(), size: BLOCK }
    }

    /// The small blocks of two blocks.
    fn small_blocks(&self, (a, b): (usize, usize)) -> (Range<usize>, Range<usize>) {
        let of = |block| {
            let places = self.places(block);
            places.start / BLOCK..places.end.div_ceil(BLOCK)
        };
        (of(a), of(b))
    }

    fn small_pairs(&self, blocks: (usize, usize)) -> impl Iterator<Item = (usize, usize)> {
        let (first, second) = self.small_blocks(blocks);
        first.flat_map(move |i| (second.start.max(i)..second.end).map(move |j| (i, j)))
    }

    /// Mean and spread of all pairs from what was [measured](Self::measure), in the order of
    /// [all pairs](Self::all_pairs): as on one machine, where small blocks are merged in their own order.
    ///
    /// # Errors
    /// The parts are not those of the search.
    pub(crate) fn merged(
        &self,
        parts: impl IntoIterator<Item = Result<Vec<Moments>>>,
    ) -> Result<Moments> {
        let small = self.small();
        let mut all = vec![None; small.count() * (small.count() + 1) / 2];
        let mut parts = parts.into_iter();
        for pair in self.all_pairs() {
            let part = parts.next().ok_or_else(wrong)??;
            if part.len() != self.small_pairs(pair).count() {
                return Err(wrong());
            }
            for ((i, j), moments) in self.small_pairs(pair).zip(part) {
                all[small.pair(i, j)] = Some(moments);
            }
        }
        let all = all.into_iter().collect::<Option<Vec<Moments>>>().ok_or_else(wrong)?;
        Ok(all.into_iter().fold(Moments::default(), Moments::merged))
    }

    /// Mean and spread of the distances of every sampled row of two blocks to those of the other, block by
    /// block; of one block with itself once.
    ///
    /// # Errors
    /// [`Error::Cancelled`]; too little memory.
    pub(crate) fn measure_own(
        &self,
        local: &Space<'_>,
        blocks: (usize, usize),
        run: &Run,
    ) -> Result<Vec<(usize, Vec<Moments>)>> {
        let source = self.radius(local, Moments::default(), run)?;
        let spread = |_: usize, line: &[f64]| finite_moments(level(), line);
        let lines = self.lines(&source, blocks, spread, run)?;
        let merged = |parts: Vec<Vec<Moments>>| {
            parts.into_iter().map(|row| row.into_iter().fold(Moments::default(), Moments::merged))
        };
        Ok(lines.into_iter().map(|(block, parts)| (block, merged(parts).collect())).collect())
    }

    /// What `of_line` makes of the distances of every sampled row of two blocks to the small blocks of the
    /// other; per row, small block by small block.
    fn lines<T: Clone + Default + Send>(
        &self,
        source: &RadiusNeighbors<'_, '_>,
        (a, b): (usize, usize),
        of_line: impl Fn(usize, &[f64]) -> T + Sync,
        run: &Run,
    ) -> Result<Vec<(usize, Vec<Vec<T>>)>> {
        let small = source.blocks();
        let left = 0..self.places(a).len().div_ceil(BLOCK);
        let right = if a == b { left.clone() } else { left.end..small.count() };
        let sampled = [a, b].map(|block| self.sampled_of(block));
        // Of a block with itself every row meets all others as an own one.
        let both = a != b && sampled[1] > 0;
        let split = if a == b { 0 } else { self.places(a).len() };
        let found = run.install(|| {
            let of_block = |memory: &mut LineMemory, x: usize| {
                run.check()?;
                let mut own: Vec<Vec<T>> = Vec::new();
                let mut others: Vec<T> = Vec::new();
                for y in right.clone() {
                    let (rows, columns) = (small.places(x), small.places(y));
                    memory.fill(source, (x, y), both);
                    if own.is_empty() {
                        own.resize_with(
                            sampled[0].saturating_sub(rows.start).min(rows.len()),
                            Vec::new,
                        );
                    }
                    for (row, found) in own.iter_mut().enumerate() {
                        memory.line(source, row, columns.len(), false);
                        if x == y {
                            memory.line[row] = f64::INFINITY;
                        }
                        found.push(of_line(rows.start + row, &memory.line));
                    }
                    if both {
                        let end = columns.end.min(split + sampled[1]);
                        for place in columns.start..end.max(columns.start) {
                            memory.line(source, place - columns.start, rows.len(), true);
                            others.push(of_line(place, &memory.line));
                        }
                    }
                }
                Ok((own, others))
            };
            left.into_par_iter()
                .map_init(LineMemory::default, of_block)
                .collect::<Result<Vec<(Vec<Vec<T>>, Vec<T>)>>>()
        })?;
        let mut of_b: Vec<Vec<T>> = vec![Vec::new(); if both { sampled[1] } else { 0 }];
        let mut of_a = Vec::with_capacity(sampled[0]);
        for (own, others) in found {
            of_a.extend(own);
            of_b.iter_mut().zip(others).for_each(|(row, found)| row.push(found));
        }
        let mut all = vec![(a, of_a)];
        if both {
            all.push((b, of_b));
        }
        Ok(all)
    }

    /// Who in two blocks is near to whom in the other; for every block that has rows whose neighbors are
    /// sought.
    ///
    /// # Errors
    /// [`Error::Cancelled`]; too little memory.
    pub(crate) fn search(
        &self,
        local: &Space<'_>,
        (a, b): (usize, usize),
        measured: &Measured,
        run: &Run,
    ) -> Result<Vec<(usize, BlockFound)>> {
        match self.rule {
            NeighborRule::Nearest(options) => self.nearest(local, (a, b), options, run),
            NeighborRule::Radius { rule, with_far } => {
                let source = self.radius(local, measured.pairs, run)?;
                self.marks(&source, (a, b), (rule, with_far), &measured.own, run)
            }
        }
    }

    fn nearest(
        &self,
        local: &Space<'_>,
        (a, b): (usize, usize),
        options: NearestOptions,
        run: &Run,
    ) -> Result<Vec<(usize, BlockFound)>> {
        let rows = self.rows((a, b));
        let codes: Vec<u32> = rows.iter().map(|&row| self.grouping.code(row as usize)).collect();
        let grouping = match self.grouping {
            Grouping::All => Grouping::All,
            Grouping::HitMiss(_) => Grouping::HitMiss(&codes),
            Grouping::PerClass(_, count) => Grouping::PerClass(&codes, count),
        };
        let split = (a != b).then(|| self.places(a).len());
        let sampled_of_b = if a == b { 0 } else { self.sampled_of(b) };
        let sampled = self.sampled_of(a) + sampled_of_b;
        let found = nearest_of_runs(local, split, sampled, grouping, options, run)?;
        let groups = grouping.count();
        let (first, second) = found.split_at(self.sampled_of(a) * groups);
        let lists = |found: &[Vec<Entry>]| {
            let mut lists = CsrGroups::default();
            for list in found {
                let entry = |&(distance, other): &Entry| (distance, rows[other as usize]);
                lists.push_group(list.iter().map(entry));
            }
            BlockFound::Nearest(lists)
        };
        let mut all = vec![(a, lists(first))];
        if sampled_of_b > 0 {
            all.push((b, lists(second)));
        }
        Ok(all)
    }

    fn marks(
        &self,
        source: &RadiusNeighbors<'_, '_>,
        (a, b): (usize, usize),
        (rule, with_far): (RadiusRule, bool),
        own: &[Moments],
        run: &Run,
    ) -> Result<Vec<(usize, BlockFound)>> {
        let sides = 1 + usize::from(with_far);
        let is_own = rule == RadiusRule::OwnMean;
        if is_own && own.len() != self.sampled {
            return Err(wrong());
        }
        let with_strengths = rule == RadiusRule::Sigmoid;
        let split = if a == b { usize::MAX } else { self.places(a).len() };
        let place_of = |at: usize| match at < split {
            true => self.places(a).start + at,
            false => self.places(b).start + at - split,
        };
        let of_line = |at: usize, line: &[f64]| {
            let spread = if is_own { own[place_of(at)] } else { source.pairs() };
            let (least, most) = source.bounds_of(spread);
            let mut found = LineMarks { count: line.len(), ..LineMarks::default() };
            let mut chosen = Vec::new();
            let bounds = [(Side::Near, least), (Side::Far, most)];
            for (bits, (side, bound)) in found.sides.iter_mut().zip(bounds).take(sides) {
                find_beside(level(), side, line, bound, &mut chosen);
                chosen.iter().for_each(|&other| {
                    bits[other as usize / WORD] |= 1 << (other as usize % WORD);
                });
            }
            if with_strengths {
                found.strengths = line.iter().map(|&distance| source.strength(distance)).collect();
            }
            found
        };
        let lines = self.lines(source, (a, b), of_line, run)?;
        let of_block = |(block, rows): (usize, Vec<Vec<LineMarks>>)| {
            let mut all = Marks::empty(sides, 0, 0, false);
            for LineMarks { sides, count, strengths } in rows.into_iter().flatten() {
                // Side by side, the small blocks of a row are the row.
                let words = count.div_ceil(WORD);
                let sides = all.sides.iter_mut().zip(sides);
                sides.for_each(|(all, bits)| all.extend(&bits[..words]));
                all.strengths.extend(strengths);
            }
            (block, BlockFound::Marks(all))
        };
        Ok(lines.into_iter().map(of_block).collect())
    }

    fn radius<'s>(
        &self,
        local: &'s Space<'s>,
        pairs: Moments,
        run: &Run,
    ) -> Result<RadiusNeighbors<'s, 'static>> {
        let NeighborRule::Radius { rule, with_far } = self.rule else {
            return Err(Error::Internal("the k nearest have no radius".to_string()));
        };
        let facts = Facts::of(local, 1, self.grouping);
        let exact = [RadiusRoute::Exact.name().to_string()];
        let plan = plan_radius(&facts, rule, with_far, &exact, run.memory()).1;
        run.progress().memory(plan.bytes);
        run.memory().claim(plan.bytes, "the search of neighbors", &sampling())?;
        let order = (0..local.rows() as u32).collect();
        let all = (pairs, self.order.len());
        RadiusNeighbors::unmeasured(local, order, (rule, with_far), all, run)
    }

    /// The neighbors of the sampled rows of a block, from what it and every other block tell, in the order
    /// of these.
    ///
    /// # Errors
    /// The parts are not those of the search; too little memory.
    pub(crate) fn lists(
        &self,
        block: usize,
        parts: impl IntoIterator<Item = Result<BlockFound>>,
        run: &Run,
    ) -> Result<FoundPart> {
        let rows = self.sampled_of(block);
        let mut parts = parts.into_iter();
        let mut next = || parts.next().ok_or_else(wrong)?;
        match self.rule {
            NeighborRule::Nearest(options) => {
                let count = rows * self.grouping.count();
                let mut all: Vec<Vec<Entry>> = vec![Vec::new(); count];
                for _ in 0..self.blocks() {
                    let BlockFound::Nearest(lists) = next()? else { return Err(wrong()) };
                    if lists.iter().count() != count {
                        return Err(wrong());
                    }
                    all.iter_mut().zip(lists.iter()).for_each(|(all, list)| all.extend(list));
                }
                let weighed = |entries: &mut Vec<Entry>| {
                    entries.sort_unstable_by(nearer);
                    if let Some(&(kth, _)) = entries.get(options.k.wrapping_sub(1)) {
                        let ties = entries[options.k..].iter();
                        let is_tied =
                            |entry: &&Entry| options.ties == Ties::Share && entry.0 == kth;
                        entries.truncate(options.k + ties.take_while(is_tied).count());
                    }
                    let mut neighbors = Vec::new();
                    share_places(entries, options, &mut neighbors);
                    neighbors
                };
                let lists = run.install(|| all.par_iter_mut().map(weighed).collect::<Vec<_>>());
                let mut all = CsrGroups::default();
                lists.into_iter().for_each(|list| all.push_group(list));
                Ok(FoundPart::Lists(all))
            }
            NeighborRule::Radius { rule, with_far } => {
                let bytes = self.bytes(rows);
                let instead = "take smaller blocks, or fewer rows";
                run.memory().claim(bytes, "the near rows of a block", instead)?;
                let (sides, with_strengths) =
                    (1 + usize::from(with_far), rule == RadiusRule::Sigmoid);
                let mut all = Marks::empty(sides, rows, self.order.len(), with_strengths);
                for other in 0..self.blocks() {
                    let BlockFound::Marks(marks) = next()? else { return Err(wrong()) };
                    let places = self.places(other);
                    let words = rows * places.len().div_ceil(WORD);
                    let strengths = if with_strengths { rows * places.len() } else { 0 };
                    if marks.sides.len() != sides
                        || marks.sides.iter().any(|side| side.len() != words)
                        || marks.strengths.len() != strengths
                    {
                        return Err(wrong());
                    }
                    all.put(&marks, (self.order.len(), places.len(), places.start));
                }
                Ok(FoundPart::Marks(all))
            }
        }
    }

    /// Bytes of all neighbors in memory, about.
    fn memory_of_source(&self) -> u64 {
        let row_of_list = size_of::<Neighbor>() / size_of::<u32>();
        self.bytes(self.sampled).saturating_mul(match self.rule {
            NeighborRule::Nearest(_) => row_of_list as u64,
            NeighborRule::Radius { .. } => 1,
        })
    }

    /// Bytes that sums over all pairs need beside the data, about.
    pub(crate) fn memory_of_sums(&self, space: &Space<'_>, run: &Run) -> u64 {
        let facts = Facts::of(space, self.sampled, self.grouping);
        let rows = self.order.len() as u64;
        let of_row = match self.rule {
            NeighborRule::Nearest(options) => {
                (options.k as u64).min(rows).saturating_mul(self.grouping.count() as u64)
            }
            NeighborRule::Radius { .. } => rows,
        };
        let pairs = facts.bytes_of_pairs(of_row, self.is_undirected(space, run));
        self.memory_of_source().saturating_add(pairs)
    }

    /// The pairs of all parts, in the order of the rows; `undirected` is as told by
    /// [`is_undirected`](Self::is_undirected).
    ///
    /// # Errors
    /// The parts are not of all rows, or of another search; too little memory.
    pub(crate) fn source(
        &self,
        parts: impl IntoIterator<Item = Result<FoundPart>>,
        undirected: bool,
        run: &Run,
    ) -> Result<Box<dyn PairSource + '_>> {
        let instead = "look at fewer rows, or run it where there is more memory";
        run.memory().claim(self.memory_of_source(), "the neighbors of all rows", instead)?;
        match self.rule {
            NeighborRule::Nearest(_) => {
                let mut lists = CsrGroups::default();
                for part in parts {
                    let FoundPart::Lists(part) = part? else { return Err(wrong()) };
                    lists.append(part);
                }
                let groups = self.grouping.count();
                if lists.iter().count() != self.sampled * groups {
                    return Err(wrong());
                }
                Ok(Box::new(ListedNeighbors::new(self, groups, lists)))
            }
            NeighborRule::Radius { rule, with_far } => {
                let count = 1 + usize::from(with_far);
                let mut marks = Marks::empty(count, 0, 0, false);
                for part in parts {
                    let FoundPart::Marks(part) = part? else { return Err(wrong()) };
                    if part.sides.len() != count {
                        return Err(wrong());
                    }
                    marks.append(part);
                }
                let by_strength = rule == RadiusRule::Sigmoid;
                let strengths = if by_strength { self.sampled * self.order.len() } else { 0 };
                let bits = self.sampled * self.words();
                if marks.strengths.len() != strengths
                    || marks.sides.iter().any(|side| side.len() != bits)
                {
                    return Err(wrong());
                }
                Ok(Box::new(MarkedNeighbors::new(self, marks, undirected)))
            }
        }
    }
}

/// The marks of a row over a small block, of near rows and of far ones; and what these count.
#[derive(Clone, Default)]
struct LineMarks {
    sides: [[u64; BLOCK / WORD]; 2],
    count: usize,
    strengths: Vec<f64>,
}

fn wrong() -> Error {
    Error::Internal("the parts are not those of the search".to_string())
}

/// Reused memory of one worker: the distances of two small blocks, as they are and turned, and a line of
/// them.
#[derive(Default)]
struct LineMemory {
    tiles: (Vec<f64>, Scratch),
    turned: Vec<f64>,
    widths: [usize; 2],
    line: Vec<f64>,
}

impl LineMemory {
    /// Computes the distances of two small blocks of the packed rows, in whatever order these are; turned
    /// ones where they are wanted.
    fn fill(&mut self, source: &RadiusNeighbors<'_, '_>, (x, y): (usize, usize), both: bool) {
        let (rows, columns) = (source.blocks().panels(x), source.blocks().panels(y));
        self.widths = [rows.len(), columns.len()];
        let (tiles, scratch) = &mut self.tiles;
        source.rows.block(rows, columns, tiles, scratch);
        if both {
            let [rows, columns] = self.widths;
            self.turned.resize(rows * columns * TILE, 0.0);
            let tiles = tiles.as_chunks::<TILE>().0;
            for (at, tile) in self.turned.as_chunks_mut::<TILE>().0.iter_mut().enumerate() {
                *tile = turned(&tiles[at % rows * columns + at / rows]);
            }
        }
    }

    /// Takes the distances of one row of the first block to so many of the second; or the other way round.
    fn line(
        &mut self,
        source: &RadiusNeighbors<'_, '_>,
        row: usize,
        count: usize,
        of_second: bool,
    ) {
        self.line.clear();
        let (tiles, width) = match of_second {
            false => (&self.tiles.0, self.widths[1]),
            true => (&self.turned, self.widths[0]),
        };
        add_row(tiles, row, width, count, &mut self.line);
        source.lengths(&mut self.line);
    }
}

/// The k nearest, as lists; rows have the order of the search of one machine.
struct ListedNeighbors {
    rows: Vec<u32>,
    /// Per row, where its lists are: one per group.
    starts: Vec<usize>,
    groups: usize,
    lists: CsrGroups<Neighbor>,
}

impl ListedNeighbors {
    /// Of lists in the order of the sampled rows of a search.
    fn new(search: &PartedSearch<'_>, groups: usize, lists: CsrGroups<Neighbor>) -> Self {
        let sampled = &search.order[..search.sampled];
        let mut rows = sampled_first(search.order.len(), sampled, search.grouping);
        rows.truncate(search.sampled);
        let place_of = place_of(&search.order);
        let starts = rows.iter().map(|&row| place_of[row as usize] as usize * groups).collect();
        Self { rows, starts, groups, lists }
    }
}

impl PairSource for ListedNeighbors {
    fn len(&self) -> usize {
        self.rows.len()
    }

    fn expected_pairs(&self, place: usize) -> usize {
        let start = self.starts[place];
        self.lists.range_of(start..start + self.groups).len()
    }

    fn visit(&self, places: Range<usize>, visit: &mut dyn FnMut(u32, usize, &[Neighbor])) {
        for place in places {
            for group in 0..self.groups {
                visit(self.rows[place], group, self.lists.of(self.starts[place] + group));
            }
        }
    }
}

/// Near rows, and far ones on request, as marks.
struct MarkedNeighbors<'o, 'c> {
    search: &'o PartedSearch<'c>,
    /// What the row at every place is told apart by, and runs of places that are alike.
    codes: Vec<u32>,
    runs: Vec<(Range<usize>, u32)>,
    marks: Marks,
    undirected: bool,
    /// Per place and list, those of near rows first: how many there are.
    sizes: Vec<u32>,
}

impl<'o, 'c> MarkedNeighbors<'o, 'c> {
    fn new(search: &'o PartedSearch<'c>, marks: Marks, undirected: bool) -> Self {
        let code = |&row: &u32| search.grouping.code(row as usize);
        let codes: Vec<u32> = search.order.iter().map(code).collect();
        let mut runs: Vec<(Range<usize>, u32)> = Vec::new();
        for run in codes.chunk_by(|a, b| a == b) {
            let start = runs.last().map_or(0, |(places, _)| places.end);
            runs.push((start..start + run.len(), run[0]));
        }
        let sizes = Vec::new();
        let mut source = Self { search, codes, runs, marks, undirected, sizes };
        if undirected {
            source.sizes = (0..source.len()).flat_map(|place| source.sizes_of(place)).collect();
        }
        source
    }

    fn lists(&self) -> usize {
        self.search.grouping.count() * self.marks.sides.len()
    }

    /// The marks of a row on a side.
    fn row(&self, side: usize, place: usize) -> &[u64] {
        let words = self.search.words();
        &self.marks.sides[side][place * words..][..words]
    }

    /// The list of a row of code `own` in which rows of another code are on a side.
    fn list(&self, side: usize, own: u32, other: u32) -> usize {
        side * self.search.grouping.count() + self.search.grouping.group(own, other)
    }

    fn strength(&self, place: usize, other: usize) -> f64 {
        let at = place * self.codes.len() + other;
        self.marks.strengths.get(at).copied().unwrap_or(1.0)
    }

    fn sizes_of(&self, place: usize) -> Vec<u32> {
        let mut sizes = vec![0; self.lists()];
        for (others, code) in &self.runs {
            for side in 0..self.marks.sides.len() {
                let count = marked(self.row(side, place), others.clone()).count();
                sizes[self.list(side, self.codes[place], *code)] += count as u32;
            }
        }
        sizes
    }
}

/// Whether a place is marked.
fn is_marked(bits: &[u64], place: usize) -> bool {
    bits[place / WORD] >> (place % WORD) & 1 == 1
}

/// The places of a range that are marked, ascending.
fn marked(bits: &[u64], places: Range<usize>) -> impl Iterator<Item = usize> + '_ {
    let words = places.start / WORD..places.end.div_ceil(WORD).max(places.start / WORD);
    words.flat_map(move |at| {
        let first = at * WORD;
        let mut word = bits[at];
        if places.start > first {
            word &= !0 << (places.start - first);
        }
        if places.end < first + WORD {
            word &= (1 << (places.end - first)) - 1;
        }
        std::iter::from_fn(move || {
            let next = (word != 0).then(|| first + word.trailing_zeros() as usize);
            word &= word.wrapping_sub(1);
            next
        })
    })
}

impl PairSource for MarkedNeighbors<'_, '_> {
    fn len(&self) -> usize {
        self.search.sampled
    }

    fn expected_pairs(&self, _place: usize) -> usize {
        self.codes.len()
    }

    fn visit(&self, places: Range<usize>, visit: &mut dyn FnMut(u32, usize, &[Neighbor])) {
        let order = &self.search.order;
        let mut lists: Vec<Vec<Neighbor>> = vec![Vec::new(); self.lists()];
        for place in places {
            lists.iter_mut().for_each(Vec::clear);
            for (others, code) in &self.runs {
                for side in 0..self.marks.sides.len() {
                    let list = &mut lists[self.list(side, self.codes[place], *code)];
                    let neighbor = |other: usize| Neighbor {
                        row: order[other],
                        weight: self.strength(place, other),
                    };
                    list.extend(marked(self.row(side, place), others.clone()).map(neighbor));
                }
            }
            for (group, list) in lists.iter_mut().enumerate() {
                let size = list.len() as f64;
                list.iter_mut().for_each(|neighbor| neighbor.weight /= size);
                visit(order[place], group, list);
            }
        }
    }

    fn undirected(&self) -> Option<Box<dyn UndirectedPairs + '_>> {
        let pairs = || MarkedPairs { source: self, parts: self.search.small().pairs() };
        self.undirected.then(|| Box::new(pairs()) as Box<dyn UndirectedPairs>)
    }
}

/// The pairs of all rows, each once; a part is a pair of blocks of rows.
struct MarkedPairs<'m, 'o, 'c> {
    source: &'m MarkedNeighbors<'o, 'c>,
    /// The blocks of every part, the lower first.
    parts: Vec<(usize, usize)>,
}

impl UndirectedPairs for MarkedPairs<'_, '_, '_> {
    fn parts(&self) -> usize {
        self.parts.len()
    }

    fn most(&self) -> usize {
        BLOCK * BLOCK
    }

    fn visit(&self, part: usize, visit: &mut dyn FnMut(u32, PairBatch<'_>)) {
        let source = self.source;
        let (order, blocks, lists) = (&source.search.order, source.search.small(), source.lists());
        let (a, b) = self.parts[part];
        let right = blocks.places(b);
        let weight = |list: usize, place: usize, other: usize| {
            source.strength(place, other) * (1.0 / f64::from(source.sizes[place * lists + list]))
        };
        let mut others = Vec::with_capacity(BLOCK);
        let mut weights: [Vec<f64>; 2] = [Vec::with_capacity(BLOCK), Vec::with_capacity(BLOCK)];
        for place in blocks.places(a) {
            let wanted = (place + 1).max(right.start)..right.end;
            for (run, other_code) in &source.runs {
                let run = run.start.max(wanted.start)..run.end.min(wanted.end);
                if run.is_empty() {
                    continue;
                }
                for side in 0..source.marks.sides.len() {
                    let code = source.codes[place];
                    let groups = [(code, *other_code), (*other_code, code)]
                        .map(|(own, other)| source.list(side, own, other));
                    let own = source.row(side, place);
                    others.clear();
                    weights.iter_mut().for_each(Vec::clear);
                    for other in run.clone() {
                        let to = is_marked(own, other);
                        let from = is_marked(source.row(side, other), place);
                        if !(to || from) {
                            continue;
                        }
                        others.push(order[other]);
                        weights[0].push(if to { weight(groups[0], place, other) } else { 0.0 });
                        weights[1].push(if from { weight(groups[1], other, place) } else { 0.0 });
                    }
                    if !others.is_empty() {
                        let [to, from] = &weights;
                        let weights = [to.as_slice(), from.as_slice()];
                        visit(order[place], PairBatch { others: &others, groups, weights });
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::data::{Column, MISSING_GENOTYPE, Table};
    use crate::differences::SpaceOptions;
    use crate::neighbors::{NeighborWeights, Neighborhoods, Ties};

    /// A row, its group, and every neighbor with the bits of its weight.
    type Shown = (u32, usize, Vec<(u32, u64)>);

    fn by_row(source: &dyn PairSource) -> Vec<Shown> {
        let mut shown = Vec::new();
        source.visit(0..source.len(), &mut |row, group, neighbors| {
            let bits = neighbors.iter().map(|n| (n.row, n.weight.to_bits())).collect();
            shown.push((row, group, bits));
        });
        shown
    }

    /// Part, row, groups, and every other row with the bits of both weights.
    type ShownPairs = (usize, u32, [usize; 2], Vec<(u32, [u64; 2])>);

    fn by_pair(source: &dyn PairSource) -> Vec<ShownPairs> {
        let Some(pairs) = source.undirected() else { return Vec::new() };
        let mut shown = Vec::new();
        for part in 0..pairs.parts() {
            pairs.visit(part, &mut |row, PairBatch { others, groups, weights: [to, from] }| {
                let bits = to.iter().zip(from).map(|(to, from)| [to.to_bits(), from.to_bits()]);
                shown.push((part, row, groups, others.iter().copied().zip(bits).collect()));
            });
        }
        shown
    }

    /// Numbers on a grid and off it, genotypes, and gaps; more rows than a block has, and than two small ones.
    fn table(rows: usize, with_gaps: bool, with_genotypes: bool) -> Table<'static> {
        let gap = |row: usize, step: usize| with_gaps && row % step == 2;
        let number = |row: usize, factor: f64| (row as f64 * factor).fract();
        let numbers = |name: &str, value: &dyn Fn(usize) -> f64| {
            let value = |row| if gap(row, 17) { f64::NAN } else { value(row) };
            Column::from_values(name, (0..rows).map(value).collect()).unwrap()
        };
        let mut columns = vec![
            numbers("a", &|row| number(row, 0.618)),
            numbers("b", &|row| (number(row, 0.414) * 20.0).floor() / 10.0),
        ];
        for (name, step) in [("c", 3), ("d", 5)].into_iter().filter(|_| with_genotypes) {
            let copies = |row: usize| match gap(row, 13 + step) {
                true => MISSING_GENOTYPE,
                false => (row * row / step % 3) as u8,
            };
            let copies: Vec<u8> = (0..rows).map(copies).collect();
            columns.push(Column::genotype(name, copies.into()).unwrap());
        }
        Table::new(columns).unwrap()
    }

    /// The pairs of all blocks, each compared from its own rows.
    fn found_in_parts<'s>(
        search: &'s PartedSearch<'_>,
        space: &Space<'_>,
        codes: &[u32],
        run: &Run,
    ) -> Box<dyn PairSource + 's> {
        let local = |pair: (usize, usize), of: &mut dyn FnMut(&Space<'_>)| {
            let rows = search.rows(pair);
            let own: Vec<u32> = rows.iter().map(|&row| codes[row as usize]).collect();
            let (table, features) = space.select_rows(&rows);
            of(&Space::of_features(&table, Some(&own), *space.options(), features));
        };
        let beside = |(a, b): (usize, usize), block: usize| if block == a { b } else { a };
        let mut measured = Measured::default();
        match search.radius_from(space, true, run).unwrap() {
            RadiusFrom::Nothing => {}
            RadiusFrom::Known(mean) => measured.pairs = mean,
            RadiusFrom::AllPairs => {
                let mut parts = Vec::new();
                for pair in search.all_pairs() {
                    local(pair, &mut |local| parts.push(search.measure(local, pair, run)));
                }
                measured.pairs = search.merged(parts).unwrap();
            }
            RadiusFrom::OwnPairs => {
                let mut parts = BTreeMap::new();
                for pair in search.pairs() {
                    local(pair, &mut |local| {
                        for (block, own) in search.measure_own(local, pair, run).unwrap() {
                            parts.insert((block, beside(pair, block)), own);
                        }
                    });
                }
                measured.own = vec![Moments::default(); search.places_sought()];
                for ((block, _), own) in parts {
                    let all = measured.own[search.places(block).start..].iter_mut();
                    all.zip(own).for_each(|(all, own)| *all = all.merged(own));
                }
            }
        }
        let mut found = BTreeMap::new();
        for pair in search.pairs() {
            local(pair, &mut |local| {
                for (block, told) in search.search(local, pair, &measured, run).unwrap() {
                    found.insert((block, beside(pair, block)), told);
                }
            });
        }
        let lists = (0..search.queries()).map(|block| {
            let of_block = (0..search.blocks()).map(|other| Ok(found[&(block, other)].clone()));
            search.lists(block, of_block, run)
        });
        search.source(lists, search.is_undirected(space, run), run).unwrap()
    }

    #[test]
    fn parts_show_the_pairs_of_one_machine() {
        const ROWS: usize = 2 * BLOCK + 45;
        let run = Run::new(Some(2)).unwrap();
        let codes: Vec<u32> = (0..ROWS as u32).map(|row| row * row % 7 % 3).collect();
        let all: Vec<u32> = (0..ROWS as u32).collect();
        let some: Vec<u32> = (0..ROWS as u32).filter(|row| row % 5 == 1).collect();
        let nearest = |k, ties, weights| NeighborRule::Nearest(NearestOptions { k, ties, weights });
        let radius = |rule, with_far| NeighborRule::Radius { rule, with_far };
        let rules = [
            nearest(5, Ties::Share, NeighborWeights::Uniform),
            nearest(3, Ties::First, NeighborWeights::Rank { sigma: 2.0 }),
            radius(RadiusRule::MeanOfPairs, false),
            radius(RadiusRule::MeanOfMatrix, true),
            radius(RadiusRule::OwnMean, true),
            radius(RadiusRule::Sigmoid, true),
        ];
        let mut undirected = 0;
        for (gaps, genotypes) in [(false, false), (false, true), (true, false), (true, true)] {
            let table = table(ROWS, gaps, genotypes);
            let space =
                Space::new(&table, Some((&codes, 3)), SpaceOptions::default(), &run).unwrap();
            for grouping in
                [Grouping::All, Grouping::HitMiss(&codes), Grouping::PerClass(&codes, 3)]
            {
                for (rule, sampled) in
                    rules.into_iter().flat_map(|rule| [(rule, &all), (rule, &some)])
                {
                    let search = PartedSearch::new(ROWS, sampled, grouping, rule, SPLIT);
                    let parts = found_in_parts(&search, &space, &codes, &run);
                    let what =
                        format!("{rule:?} {grouping:?} {gaps} {genotypes} {}", sampled.len());
                    let compare = |whole: &dyn PairSource| {
                        assert_eq!(whole.len(), parts.len(), "{what}");
                        for place in 0..whole.len() {
                            assert_eq!(whole.expected_pairs(place), parts.expected_pairs(place));
                        }
                        assert!(by_row(whole) == by_row(&*parts), "{what}");
                        let pairs = by_pair(whole);
                        assert!(pairs == by_pair(&*parts), "{what}");
                        pairs.len()
                    };
                    undirected += match rule {
                        NeighborRule::Nearest(options) => compare(
                            &Neighborhoods::find(&space, sampled, grouping, options, &run).unwrap(),
                        ),
                        NeighborRule::Radius { rule, with_far } => compare(
                            &RadiusNeighbors::new(&space, sampled, grouping, rule, with_far, &run)
                                .unwrap(),
                        ),
                    };
                }
            }
        }
        assert!(undirected > 0);
    }

    #[test]
    fn marks_are_read_within_bounds() {
        let bits = [0b1011 | 1 << 63, 1 | 1 << 40];
        let of = |places| marked(&bits, places).collect::<Vec<usize>>();
        assert_eq!(of(0..128), [0, 1, 3, 63, 64, 104]);
        assert_eq!(of(1..64), [1, 3, 63]);
        assert_eq!(of(4..63), [] as [usize; 0]);
        assert_eq!(of(64..65), [64]);
        assert_eq!(of(128..128), [] as [usize; 0]);
        assert!(is_marked(&bits, 104) && !is_marked(&bits, 103));
    }
}
