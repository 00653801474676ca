//! A search for neighbors as a job. Rows are divided into blocks, and a part of the job finds, for
//! two blocks, the neighbors that the rows of each have in the other, from these rows alone. The
//! results for a block are then merged. All parts together show the same pairs in the same order as
//! a search on one machine.
//!
//! The k nearest of a row are the k nearest of those found in every block. Rows within a radius are
//! found from unrounded distances; the mean and the spread that determine the radius are measured
//! beforehand, over all pairs or over every row's own distances.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use basrelief_kernels::Moments;

use super::block_driver::{BlockPairs, Blocks};
use super::k_nearest::{filling, keep_nearest, nearest_with_distances};
use super::lists::{ListedNeighbors, Lists};
use super::marked::{MarkSource, MarkedNeighbors};
use super::marks::{MARKED_ROWS, Marks};
use super::options::{RadiusRule, Ties};
use super::packed_rows::PackedRows;
use super::pairs::{Entry, Grouping, NearestOptions, PairSource, place_of, sampled_first};
use super::plan::{Facts, RadiusRoute, plan_nearest, plan_radius, sampling};
use super::quantized_rows::mean_of_pairs;
use super::radius::{Radius, RadiusDistances, RowThresholds, Undecided, merge_own};
use super::row_blocks::{ROWS_OF_BLOCK_UNIT, RowBlocks};
use crate::csr::CsrGroups;
use crate::differences::Space;
use crate::error::{Error, Result};
use crate::run::Run;

/// Which rows are a row's neighbors.
#[derive(Debug, Clone, Copy)]
pub(crate) enum NeighborRule {
    /// The k nearest in every group.
    Nearest(NearestOptions),
    /// All rows within a radius, and on request all beyond it.
    Radius {
        /// How the radius is chosen.
        rule: RadiusRule,
        /// Whether rows beyond it are requested too.
        with_far: bool,
    },
}

/// The source of the radius of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum RadiusFrom {
    /// The search does not use a radius.
    Nothing,
    /// The mean distance of all pairs, which follows from the columns.
    Known(Moments),
    /// The distances of all pairs, which have to be measured.
    AllPairs,
    /// Every row's own distances, which have to be measured.
    OwnPairs,
}

/// Measurements before a search.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Measured {
    /// Mean and spread of the distances of all pairs, if they determine the radius.
    pub(crate) pairs: Moments,
    /// Mean and spread of every query row's own distances, by place.
    pub(crate) own: Vec<Moments>,
}

/// A search for the neighbors of query rows, in blocks.
pub(crate) struct SearchJob<'c> {
    /// All rows, the sampled rows first; blocks are cut from this order.
    order: Vec<u32>,
    sampled: usize,
    grouping: Grouping<'c>,
    rule: NeighborRule,
    blocks: RowBlocks,
    /// As how many rows each row counts among neighbors; `None` if all count as one.
    masses: Option<Arc<[f64]>>,
}

/// The neighbors of some rows: among the rows of a block, or among all.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Found {
    /// Per row and group, the nearest rows with their distances.
    Lists(CsrGroups<Entry>),
    /// Per row, the near rows, and the far rows on request; a bit stands for a place.
    Marks(Marks),
}

impl Found {
    /// Appends the neighbors of the rows that follow.
    ///
    /// # Errors
    /// `other` belongs to another search.
    pub(crate) fn append(&mut self, other: Self) -> Result<()> {
        match (self, other) {
            (Self::Lists(own), Self::Lists(others)) => own.append(others),
            (Self::Marks(own), Self::Marks(others)) => own.append(others),
            _ => return Err(wrong()),
        }
        Ok(())
    }
}

impl<'c> SearchJob<'c> {
    /// Searches the neighbors of the rows in `sampled` among all `rows`, in blocks of `block_rows`, a multiple of
    /// [`ROWS_OF_BLOCK_UNIT`].
    pub(crate) fn new(
        rows: usize,
        sampled: &[u32],
        grouping: Grouping<'c>,
        rule: NeighborRule,
        block_rows: usize,
    ) -> Self {
        debug_assert!(block_rows > 0 && block_rows.is_multiple_of(ROWS_OF_BLOCK_UNIT));
        // Rows within a radius are in the order of a search on one machine, which is by group.
        let of_order = match rule {
            NeighborRule::Nearest(_) => Grouping::All,
            NeighborRule::Radius { .. } => grouping,
        };
        let order = sampled_first(rows, sampled, of_order);
        let blocks = RowBlocks::new(rows, sampled.len(), block_rows);
        Self { order, sampled: sampled.len(), grouping, rule, blocks, masses: None }
    }

    /// Returns the search for rows of which each counts as this number of rows among neighbors. The spaces that it
    /// searches have these masses too.
    #[must_use]
    pub(crate) fn with_masses(self, masses: Option<Arc<[f64]>>) -> Self {
        Self { masses, ..self }
    }

    /// The likely number of rows at the first k places of a group.
    fn likely_length(&self, k: usize) -> usize {
        match &self.masses {
            None => k,
            Some(all) => first_length(k, all),
        }
    }

    /// All rows, in the order from which blocks are cut.
    pub(crate) fn order(&self) -> &[u32] {
        &self.order
    }

    /// The blocks of rows.
    pub(crate) fn row_blocks(&self) -> RowBlocks {
        self.blocks
    }

    /// Number of blocks.
    pub(crate) fn blocks(&self) -> usize {
        self.blocks.count()
    }

    /// Number of blocks with query rows; these come first.
    pub(crate) fn queries(&self) -> usize {
        self.blocks.queries()
    }

    /// Number of query rows.
    pub(crate) fn places_sought(&self) -> usize {
        self.sampled
    }

    /// Number of pairs of small blocks whose distances are measured.
    pub(crate) fn small_pairs_of_all(&self) -> usize {
        let small = self.small().count();
        small * (small + 1) / 2
    }

    /// The places of a block.
    pub(crate) fn places(&self, block: usize) -> Range<usize> {
        self.blocks.places(block)
    }

    /// Number of query rows of a block; they are its first rows.
    pub(crate) fn sampled_of(&self, block: usize) -> usize {
        let places = self.places(block);
        self.sampled.saturating_sub(places.start).min(places.len())
    }

    /// The pairs of blocks to be searched, the lower block first.
    pub(crate) fn pairs(&self) -> Vec<(usize, usize)> {
        let of = |a: usize| (a..self.blocks()).map(move |b| (a, b));
        (0..self.queries()).flat_map(of).collect()
    }

    /// All pairs of blocks, the lower block first; those to be [searched](Self::pairs) come first.
    pub(crate) fn all_pairs(&self) -> Vec<(usize, usize)> {
        self.large().pairs()
    }

    /// The index of a pair among [all pairs](Self::all_pairs), or among those to be
    /// [searched](Self::pairs); `None` if it is not one of them.
    pub(crate) fn pair(&self, (a, b): (usize, usize), all: bool) -> Option<usize> {
        let first = if all { self.blocks() } else { self.queries() };
        (a < first && (a..self.blocks()).contains(&b)).then(|| self.large().pair(a, b))
    }

    /// The blocks of the job, as blocks of one row each.
    fn large(&self) -> Blocks {
        Blocks { rows: self.blocks(), size: 1 }
    }

    /// The rows of two blocks, those of the lower block first.
    pub(crate) fn rows(&self, (a, b): (usize, usize)) -> Vec<u32> {
        let second = if a == b { 0..0 } else { self.places(b) };
        [&self.order[self.places(a)], &self.order[second]].concat()
    }

    /// Estimates the bytes of the results of all pairs of blocks, without ties.
    pub(crate) fn bytes_of_pairs(&self) -> u64 {
        let (rows, blocks) = (self.sampled as u64, self.blocks() as u64);
        match self.rule {
            NeighborRule::Nearest(options) => {
                let k = self.likely_length(options.k).min(self.blocks.size()).min(self.order.len());
                let k = k as u64;
                let of_row = blocks * self.grouping.count() as u64 * (12 * k + 4);
                rows.saturating_mul(of_row)
            }
            NeighborRule::Radius { .. } => self.bytes(self.sampled),
        }
    }

    /// Estimates the bytes of the neighbors of this number of rows, without ties.
    pub(crate) fn bytes(&self, rows: usize) -> u64 {
        let (rows, all) = (rows as u64, self.order.len() as u64);
        match self.rule {
            NeighborRule::Nearest(options) => {
                let k = (self.likely_length(options.k) as u64).min(all);
                let of_list = size_of::<Entry>() as u64 * k + size_of::<usize>() as u64;
                rows.saturating_mul(self.grouping.count() as u64).saturating_mul(of_list)
            }
            NeighborRule::Radius { rule, with_far } => Marks::bytes(rows, all, rule, with_far),
        }
    }

    /// Returns the source of the radius. `space` contains all rows; `has_values` is false if it
    /// does not contain their values ([`Space::of_features`]).
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
        if rule.is_per_row() {
            return Ok(RadiusFrom::OwnPairs);
        }
        let facts = Facts::new(space, self.sampled, self.grouping);
        let (choice, _) = plan_radius(&facts, rule, with_far, run.routes(), run.memory());
        match facts.quantization() {
            Some(quantization)
                if has_values
                    && choice.route == RadiusRoute::Quantized
                    && !quantization.is_whole() =>
            {
                let mean = mean_of_pairs(space, quantization, run)?;
                let rows = space.rows() as f64;
                let count = rows * (rows - 1.0) / 2.0;
                Ok(RadiusFrom::Known(Moments { count, mean, squares: 0.0 }))
            }
            _ => Ok(RadiusFrom::AllPairs),
        }
    }

    /// Whether a search on one machine shows every pair once for both directions.
    pub(crate) fn is_undirected(&self, space: &Space<'_>, run: &Run) -> bool {
        let NeighborRule::Radius { rule, with_far } = self.rule else { return false };
        let facts = Facts::new(space, self.sampled, self.grouping);
        plan_radius(&facts, rule, with_far, run.routes(), run.memory()).0.undirected
    }

    /// Estimates the bytes that two blocks need in addition to their values.
    pub(crate) fn memory(&self, space: &Space<'_>, run: &Run) -> u64 {
        let rows = (2 * self.blocks.size()).min(self.order.len());
        let facts = Facts::new(space, rows, self.grouping).of_rows(rows);
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

    /// The blocks by which distances are summed.
    fn small(&self) -> Blocks {
        Blocks { rows: self.order.len(), size: MARKED_ROWS }
    }

    /// The ranges of small blocks in two blocks.
    fn small_blocks(&self, (a, b): (usize, usize)) -> BlockPairs {
        let of = |block| {
            let places = self.places(block);
            places.start / MARKED_ROWS..places.end.div_ceil(MARKED_ROWS)
        };
        BlockPairs { left: of(a), right: of(b) }
    }

    fn small_pairs(&self, blocks: (usize, usize)) -> impl Iterator<Item = (usize, usize)> {
        let BlockPairs { left, right } = self.small_blocks(blocks);
        left.flat_map(move |i| (right.start.max(i)..right.end).map(move |j| (i, j)))
    }

    /// Returns the small blocks of two blocks as places among the rows of these two, and the ends of their query rows.
    fn local_blocks(&self, (a, b): (usize, usize)) -> (BlockPairs, [usize; 2]) {
        let (first, sampled) = (self.places(a).len(), self.sampled_of(a));
        let left = 0..first.div_ceil(MARKED_ROWS);
        if a == b {
            return (BlockPairs { left: left.clone(), right: left }, [sampled; 2]);
        }
        let right = left.end..left.end + self.places(b).len().div_ceil(MARKED_ROWS);
        (BlockPairs { left, right }, [sampled, first + self.sampled_of(b)])
    }

    /// Pairs the results with their blocks: the first block, and the second one if it is different
    /// and has query rows.
    fn of_blocks<T>(&self, (a, b): (usize, usize), [first, second]: [T; 2]) -> Vec<(usize, T)> {
        let mut all = vec![(a, first)];
        if a != b && self.sampled_of(b) > 0 {
            all.push((b, second));
        }
        all
    }

    /// Measures the number, mean and spread of the distances of every pair of [small
    /// blocks](MARKED_ROWS) in two blocks. `local` contains the rows of these two blocks only, here
    /// and below.
    ///
    /// # Errors
    /// [`Error::Cancelled`]; too little memory.
    pub(crate) fn measure(
        &self,
        local: &Space<'_>,
        blocks: (usize, usize),
        run: &Run,
    ) -> Result<Vec<Moments>> {
        let pairs = self.local_blocks(blocks).0;
        self.distances(local, run)?.measure_pairs(&pairs, &mut [], run)
    }

    /// Merges what was [measured](Self::measure), in the order of [all pairs](Self::all_pairs),
    /// into mean and spread of all pairs. Small blocks are merged in their order, so that the
    /// result is that of one machine.
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

    /// Measures mean and spread of the distances of every sampled row of two blocks to each small block of
    /// the other block, row by row; only once for a block with itself. [`merge_own`](Self::merge_own) merges them.
    ///
    /// # Errors
    /// [`Error::Cancelled`]; too little memory.
    pub(crate) fn measure_own(
        &self,
        local: &Space<'_>,
        blocks: (usize, usize),
        run: &Run,
    ) -> Result<Vec<(usize, Vec<Moments>)>> {
        let (pairs, ends) = self.local_blocks(blocks);
        let own = self.distances(local, run)?.measure_own(&pairs, ends, &mut [], run)?;
        Ok(self.of_blocks(blocks, own))
    }

    /// Merges the moments that were [measured](Self::measure_own) of the rows of a block beside another one. Blocks must be
    /// merged in their order: the result is then that of one machine.
    ///
    /// # Errors
    /// The parts are not those of the search.
    pub(crate) fn merge_own(
        &self,
        own: &mut [Moments],
        parts: &[Moments],
        other: usize,
    ) -> Result<()> {
        let blocks = self.places(other).len().div_ceil(MARKED_ROWS);
        if parts.len() != own.len() * blocks {
            return Err(wrong());
        }
        merge_own(own, parts, blocks);
        Ok(())
    }

    /// Searches each of two blocks for neighbors of the other's rows; returns the neighbors for
    /// every block with query rows.
    ///
    /// # Errors
    /// [`Error::Cancelled`]; too little memory.
    pub(crate) fn search(
        &self,
        local: &Space<'_>,
        blocks: (usize, usize),
        measured: &Measured,
        run: &Run,
    ) -> Result<Vec<(usize, Found)>> {
        let found = match self.rule {
            NeighborRule::Nearest(options) => {
                self.nearest(local, blocks, options, run)?.map(Found::Lists)
            }
            NeighborRule::Radius { rule, with_far } => {
                let radius = Radius::new(rule, with_far, measured.pairs, self.order.len());
                self.marks(local, blocks, (radius, &measured.own), run)?.map(Found::Marks)
            }
        };
        Ok(self.of_blocks(blocks, found))
    }

    fn nearest(
        &self,
        local: &Space<'_>,
        (a, b): (usize, usize),
        options: NearestOptions,
        run: &Run,
    ) -> Result<[CsrGroups<Entry>; 2]> {
        let rows = self.rows((a, b));
        let codes: Vec<u32> = rows.iter().map(|&row| self.grouping.code(row as usize)).collect();
        let grouping = match self.grouping {
            Grouping::All => Grouping::All,
            Grouping::HitMiss(_) => Grouping::HitMiss(&codes),
            Grouping::PerClass(_, count) => Grouping::PerClass(&codes, count),
        };
        let first = self.places(a).len();
        let split = (a != b).then_some(first);
        let sampled_of_b = if a == b { 0 } else { self.sampled_of(b) };
        let sought = (0..self.sampled_of(a)).chain(first..first + sampled_of_b);
        let sought = sought.map(|row| row as u32).collect();
        let found = match local.masses() {
            None => nearest_with_distances(local, split, sought, grouping, options, run)?,
            Some(masses) => {
                let found = |rows: Vec<u32>, k: usize| {
                    let options = NearestOptions { k, ..options };
                    nearest_with_distances(local, split, rows, grouping, options, run)
                };
                nearest_by_mass((sought, grouping.count()), options, masses, found)?
            }
        };
        let (mut first, mut second) = (CsrGroups::default(), CsrGroups::default());
        for (list, entries) in found.iter().enumerate() {
            let is_of_first = list < self.sampled_of(a) * grouping.count();
            let lists = if is_of_first { &mut first } else { &mut second };
            lists.push_group(entries.iter().map(|&(d, other)| (d, rows[other as usize])));
        }
        Ok([first, second])
    }

    fn marks(
        &self,
        local: &Space<'_>,
        (a, b): (usize, usize),
        (radius, own): (Radius, &[Moments]),
        run: &Run,
    ) -> Result<[Marks; 2]> {
        if radius.rule.is_per_row() && own.len() != self.sampled {
            return Err(wrong());
        }
        let distances = self.distances(local, run)?;
        let split = if a == b { usize::MAX } else { self.places(a).len() };
        let place_of = |at: usize| match at < split {
            true => self.places(a).start + at,
            false => self.places(b).start + at - split,
        };
        let own = |at: usize| own.get(place_of(at)).copied().unwrap_or_default();
        let thresholds = RowThresholds::new(&radius, local.rows(), own, None);
        let (pairs, ends) = self.local_blocks((a, b));
        let of = (&radius, &thresholds);
        distances.mark(of, &pairs, ends, &Undecided::Nothing, run)?.ok_or_else(wrong)
    }

    /// The distances of the rows of two blocks, in their order.
    fn distances<'s>(&self, local: &'s Space<'s>, run: &Run) -> Result<RadiusDistances<'s>> {
        let NeighborRule::Radius { rule, with_far } = self.rule else {
            return Err(Error::Internal("the k nearest have no radius".to_string()));
        };
        let facts = Facts::new(local, 1, self.grouping);
        let exact = [RadiusRoute::Exact.name().to_string()];
        let plan = plan_radius(&facts, rule, with_far, &exact, run.memory()).1;
        run.progress().memory(plan.bytes);
        run.memory().claim(plan.bytes, "the search of neighbors", sampling())?;
        let order = (0..local.rows() as u32).collect();
        Ok(RadiusDistances::new(PackedRows::new(local, order, run)?))
    }

    /// Merges what was found for a block in every block, itself included and in their order, into
    /// the neighbors of its sampled rows.
    ///
    /// # Errors
    /// The parts are not those of the search; too little memory.
    pub(crate) fn lists(
        &self,
        block: usize,
        parts: impl IntoIterator<Item = Result<Found>>,
        run: &Run,
    ) -> Result<Found> {
        let rows = self.sampled_of(block);
        let mut parts = parts.into_iter();
        let mut next = || parts.next().ok_or_else(wrong)?;
        match self.rule {
            NeighborRule::Nearest(options) => {
                let count = rows * self.grouping.count();
                let mut all: Vec<Vec<Entry>> = vec![Vec::new(); count];
                for _ in 0..self.blocks() {
                    let Found::Lists(lists) = next()? else { return Err(wrong()) };
                    if lists.iter().count() != count {
                        return Err(wrong());
                    }
                    all.iter_mut().zip(lists.iter()).for_each(|(all, list)| all.extend(list));
                }
                let mut lists = CsrGroups::default();
                for mut entries in all {
                    keep_nearest(&mut entries, options, self.masses.as_deref());
                    lists.push_group(entries);
                }
                Ok(Found::Lists(lists))
            }
            NeighborRule::Radius { rule, with_far } => {
                let bytes = self.bytes(rows);
                let instead = "take smaller blocks, or fewer rows";
                run.memory().claim(bytes, "the near rows of a block", instead)?;
                let mut all = Marks::empty(0, with_far);
                for other in 0..self.blocks() {
                    let Found::Marks(marks) = next()? else { return Err(wrong()) };
                    let others = self.places(other).len();
                    if marks.others != others || !marks.are_of(rows, with_far, rule.sigmoid) {
                        return Err(wrong());
                    }
                    all = all.append_others(marks);
                }
                Ok(Found::Marks(all))
            }
        }
    }

    /// The lists of the sampled rows, in the order of a search on one machine.
    fn in_order_of_groups(&self, lists: &CsrGroups<Entry>) -> Lists<'static> {
        let sampled = &self.order[..self.sampled];
        let of_order = if self.masses.is_some() { Grouping::All } else { self.grouping };
        let mut rows = sampled_first(self.order.len(), sampled, of_order);
        rows.truncate(self.sampled);
        let (place_of, groups) = (place_of(&self.order), self.grouping.count());
        let mut ordered = CsrGroups::default();
        for first in rows.iter().map(|&row| place_of[row as usize] as usize * groups) {
            for list in first..first + groups {
                ordered.push_group(lists.group(list).iter().copied());
            }
        }
        Lists::new(rows, ordered, None)
    }

    /// Estimates the bytes that sums over all pairs need in addition to the data.
    pub(crate) fn memory_of_sums(&self, space: &Space<'_>, run: &Run) -> u64 {
        let facts = Facts::new(space, self.sampled, self.grouping);
        let rows = self.order.len() as u64;
        let of_row = match self.rule {
            NeighborRule::Nearest(options) => {
                let k = (self.likely_length(options.k) as u64).min(rows);
                k.saturating_mul(self.grouping.count() as u64)
            }
            NeighborRule::Radius { .. } => rows,
        };
        let pairs = facts.bytes_of_pairs(of_row, self.is_undirected(space, run));
        self.bytes(self.sampled).saturating_add(pairs)
    }

    /// Assembles the pairs of all parts, in the order of the rows; `undirected` is the result of
    /// [`is_undirected`](Self::is_undirected).
    ///
    /// # Errors
    /// The parts do not contain all rows, or belong to another search; too little memory;
    /// [`Error::Cancelled`].
    pub(crate) fn source(
        &self,
        parts: impl IntoIterator<Item = Result<Found>>,
        undirected: bool,
        run: &Run,
    ) -> Result<Box<dyn PairSource + '_>> {
        let instead = "look at fewer rows, or run it where there is more memory";
        run.memory().claim(self.bytes(self.sampled), "the neighbors of all rows", instead)?;
        let mut parts = parts.into_iter();
        let mut all = match self.rule {
            NeighborRule::Nearest(_) => Found::Lists(CsrGroups::default()),
            NeighborRule::Radius { with_far, .. } => {
                Found::Marks(Marks::empty(self.order.len(), with_far))
            }
        };
        parts.try_for_each(|part| all.append(part?))?;
        match (all, self.rule) {
            (Found::Lists(lists), NeighborRule::Nearest(options)) => {
                if lists.iter().count() != self.sampled * self.grouping.count() {
                    return Err(wrong());
                }
                let lists = self.in_order_of_groups(&lists);
                let found = ListedNeighbors::new(lists, self.grouping, options);
                Ok(Box::new(found.with_masses(self.masses.clone())))
            }
            (Found::Marks(marks), NeighborRule::Radius { rule, with_far }) => {
                if !marks.are_of(self.sampled, with_far, rule.sigmoid) {
                    return Err(wrong());
                }
                let order = (Cow::Borrowed(&self.order[..]), self.sampled);
                let marks = MarkSource::Kept(Cow::Owned(marks));
                let masses = self.masses.clone();
                let by_row = MarkedNeighbors::by_row(order, self.grouping, marks, with_far, masses);
                Ok(Box::new(if undirected { by_row.by_pair(run)? } else { by_row }))
            }
            _ => Err(wrong()),
        }
    }
}

/// The first length of lists of rows with these masses: the likely number of rows at the first k places.
fn first_length(k: usize, masses: &[f64]) -> usize {
    let mean = masses.iter().sum::<f64>() / masses.len().max(1) as f64;
    (k as f64 / mean).ceil().clamp(1.0, masses.len().max(1) as f64) as usize
}

/// The rows at the first k places of every group, for some rows: from lists of the nearest rows, which are doubled in
/// length until they are long enough. `find` returns the lists of rows, one per group, sorted, with all rows tied with
/// the last one.
fn nearest_by_mass(
    (sought, groups): (Vec<u32>, usize),
    options: NearestOptions,
    masses: &[f64],
    mut find: impl FnMut(Vec<u32>, usize) -> Result<CsrGroups<Entry>>,
) -> Result<CsrGroups<Entry>> {
    let mut length = first_length(options.k, masses);
    let mut all: Vec<Vec<Entry>> = vec![Vec::new(); sought.len() * groups];
    let mut short: Vec<usize> = (0..sought.len()).collect();
    while !short.is_empty() {
        let lists = find(short.iter().map(|&place| sought[place]).collect(), length)?;
        let places = short.iter().flat_map(|place| (0..groups).map(move |group| (*place, group)));
        let mut still: Vec<usize> = Vec::new();
        for ((place, group), list) in places.zip(lists.iter()) {
            // A list that is not full holds all rows of its group.
            let is_whole = list.len() < length || length >= masses.len();
            if !is_whole && filling(list, options.k, Some(masses)).is_none() {
                still.push(place);
            }
            all[place * groups + group] = list.to_vec();
        }
        still.dedup();
        (short, length) = (still, length.saturating_mul(2));
    }
    let mut found = CsrGroups::default();
    for mut entries in all {
        keep_nearest(&mut entries, NearestOptions { ties: Ties::Share, ..options }, Some(masses));
        found.push_group(entries);
    }
    Ok(found)
}

fn wrong() -> Error {
    Error::Internal("the parts are not those of the search".to_string())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::data::{Column, MISSING_GENOTYPE, Table};
    use crate::differences::SpaceOptions;
    use crate::neighbors::{NeighborWeights, Neighborhoods, PairBatch, RadiusNeighbors, RadiusOf};

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

    /// Numbers on a grid and off it, genotypes, and missing values, with more rows than a block and
    /// than two small blocks.
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

    /// The pairs of all blocks; each pair of blocks is compared from its rows alone.
    fn found_in_parts<'s>(
        search: &'s SearchJob<'_>,
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
                for ((block, other), own) in parts {
                    let start = search.places(block).start;
                    let rows = start..start + search.sampled_of(block);
                    search.merge_own(&mut measured.own[rows], &own, other).unwrap();
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
        const ROWS: usize = 2 * MARKED_ROWS + 45;
        let run = Run::new(Some(2)).unwrap();
        let codes: Vec<u32> = (0..ROWS as u32).map(|row| row * row % 7 % 3).collect();
        let all: Vec<u32> = (0..ROWS as u32).collect();
        let some: Vec<u32> = (0..ROWS as u32).filter(|row| row % 5 == 1).collect();
        let nearest = |k, ties, weights| NeighborRule::Nearest(NearestOptions { k, ties, weights });
        let radius = |rule, with_far| NeighborRule::Radius { rule, with_far };
        let rules = [
            nearest(5, Ties::Share, NeighborWeights::Uniform),
            nearest(3, Ties::First, NeighborWeights::Rank { sigma: 2.0 }),
            radius(RadiusRule::SURF, false),
            radius(RadiusRule { of: RadiusOf::Matrix, ..RadiusRule::SURF }, true),
            radius(RadiusRule::MULTISURF, true),
            radius(RadiusRule::SWRF, true),
            radius(RadiusRule::MULTISWRF, true),
            radius(RadiusRule::MULTISWRFDB, false),
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
                    let search = SearchJob::new(ROWS, sampled, grouping, rule, ROWS_OF_BLOCK_UNIT);
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
}
