//! Near rows, and far ones on request, as pairs: row by row, or both directions of a pair at once.
//!
//! The terms of a pair of rows are equal in both directions, and being near is nearly mutual. Sums
//! over pairs that are shown once therefore cost little more than half of the sums over every row's
//! neighbors.

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use basrelief_kernels::{LANES, TILE, panels};

use super::block_driver::{BlockDistances, BlockPairs, BlockSink, Blocks, sweep};
use super::marks::{
    BlockWords, MARKED_ROWS, Marks, PairWords, SIDES, WORD, places_before, set_bits, sides, turned,
};
use super::packed_rows::Scratch;
use super::pairs::{Grouping, Neighbor, PairBatch, PairSource, UndirectedPairs};
use super::radius::{Radius, RadiusDistances, RowThresholds};
use crate::error::Result;
use crate::run::Run;

/// Near rows of every sampled row and, on request, far ones.
///
/// Groups 0 to G - 1 are the near rows of the grouping's G groups, and groups G to 2G - 1 are the
/// far rows, if requested. The weight of a neighbor is its mass (1 without masses) over that of its
/// group, times the strength of the neighbor if strengths differ.
pub(crate) struct MarkedNeighbors<'m, 'c> {
    /// Row of the table at every place, the sampled rows first; marks refer to places.
    order: Cow<'m, [u32]>,
    sampled: usize,
    grouping: Grouping<'c>,
    with_far: bool,
    marks: MarkSource<'m>,
    /// The code of the row at every place.
    codes: Vec<u32>,
    /// Per code, the places of its rows as bits.
    places_of_codes: Vec<Vec<u64>>,
    /// Per place and group, the number of rows; empty if pairs are shown row by row.
    sizes: Vec<u32>,
    /// As how many rows each row counts; `None` if all count as one.
    masses: Option<Arc<[f64]>>,
}

/// The source of the marks.
pub(super) enum MarkSource<'m> {
    /// Marks that are kept.
    Kept(Cow<'m, Marks>),
    /// Marks that are computed on request, because memory cannot hold all of them.
    Recomputed(Box<Recomputed<'m>>),
}

/// Distances that are marked on request.
pub(super) struct Recomputed<'s> {
    pub(super) distances: RadiusDistances<'s>,
    pub(super) radius: Radius,
    pub(super) thresholds: RowThresholds,
}

/// Reused memory of one worker.
#[derive(Default)]
pub(super) struct MarkMemory {
    tiles: Vec<f64>,
    scratch: Scratch,
    masks: Vec<[u64; 2]>,
    words: PairWords,
}

impl Recomputed<'_> {
    /// Computes the tiled distances of two blocks, the lower one first.
    fn compute(&self, (a, b): (usize, usize), memory: &mut MarkMemory) {
        let (distances, blocks) = (&self.distances, self.distances.blocks());
        let MarkMemory { tiles, scratch, .. } = memory;
        match a == b {
            true => distances.square(blocks.panels(a), tiles, scratch),
            false => distances.block(blocks.panels(a), blocks.panels(b), tiles, scratch),
        }
    }

    /// The marks of the rows at some places, which are in one block, over all other rows.
    fn rows(&self, places: &Range<usize>, memory: &mut MarkMemory) -> Marks {
        let blocks = self.distances.blocks();
        let of_rows = places.start / LANES..panels(places.end);
        let mut marks = Marks::empty(0, self.radius.with_far);
        for block in 0..blocks.count() {
            let MarkMemory { tiles, scratch, masks, words } = memory;
            let others = blocks.panels(block);
            self.distances.rows_beside(of_rows.clone(), others.clone(), tiles, scratch);
            let mut part = Marks::empty(blocks.places(block).len(), self.radius.with_far);
            let (first, part_others) = (of_rows.start * LANES, part.others);
            for (side, part) in part.sides.iter_mut().enumerate() {
                let bounds =
                    [&of_rows, &others].map(|panels| self.thresholds.in_panels(side, panels));
                let counts = [places.end - first, part_others];
                words.fill(SIDES[side], tiles.as_chunks().0, bounds, counts, masks);
                let width = blocks.places(block).len().div_ceil(WORD);
                for place in places.clone() {
                    part.extend(&words.to[place - first][..width]);
                }
            }
            for place in places.clone() {
                let Some(sigmoid) = self.thresholds.sigmoid(place) else { break };
                let line = &mut part.strengths;
                let before = line.len();
                super::tiles::add_row(tiles, place - first, others.len(), part.others, line);
                line[before..].iter_mut().for_each(|value| *value = sigmoid.strength(*value));
            }
            marks = marks.append_others(part);
        }
        marks
    }
}

impl<'m, 'c> MarkedNeighbors<'m, 'c> {
    /// Shows the neighbors of the first `sampled` rows of an order, row by row.
    pub(super) fn by_row(
        (order, sampled): (Cow<'m, [u32]>, usize),
        grouping: Grouping<'c>,
        marks: MarkSource<'m>,
        with_far: bool,
        masses: Option<Arc<[f64]>>,
    ) -> Self {
        let codes: Vec<u32> = order.iter().map(|&row| grouping.code(row as usize)).collect();
        let words = order.len().div_ceil(WORD);
        let mut places_of_codes = vec![vec![0; words]; grouping.codes()];
        for (place, &code) in codes.iter().enumerate() {
            places_of_codes[code as usize][place / WORD] |= 1 << (place % WORD);
        }
        let sizes = Vec::new();
        Self { order, sampled, grouping, with_far, marks, codes, places_of_codes, sizes, masses }
    }

    /// Also shows both directions of a pair at once; all rows must be sampled.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(super) fn by_pair(mut self, run: &Run) -> Result<Self> {
        if self.sizes.is_empty() {
            self.sizes = self.count(run)?;
        }
        Ok(self)
    }

    /// Number of groups, near and far.
    fn lists(&self) -> usize {
        self.grouping.count() * sides(self.with_far)
    }

    /// The places of a word that are in a group of a row of code `own`.
    fn in_group(&self, own: u32, group: usize, word: usize) -> u64 {
        match self.grouping {
            Grouping::All => u64::MAX,
            Grouping::HitMiss(_) => {
                let hits = self.places_of_codes[own as usize][word];
                if group == 0 { hits } else { !hits }
            }
            Grouping::PerClass(..) => self.places_of_codes[group][word],
        }
    }

    /// Per place and group, the number of rows.
    fn count(&self, run: &Run) -> Result<Vec<u32>> {
        let groups = self.grouping.count();
        match &self.marks {
            MarkSource::Kept(marks) => {
                let of_list = |(place, list): (usize, usize)| {
                    let (side, group) = (list / groups, list % groups);
                    let row = marks.row(side, place).iter().enumerate();
                    let own = self.codes[place];
                    row.map(|(at, word)| (word & self.in_group(own, group, at)).count_ones()).sum()
                };
                let lists = self.lists();
                let places =
                    (0..self.sampled).flat_map(|place| (0..lists).map(move |l| (place, l)));
                Ok(places.map(of_list).collect())
            }
            MarkSource::Recomputed(recomputed) => {
                let zeros = (0..self.sampled * self.lists()).map(|_| AtomicU32::new(0));
                let sink = CountSink { neighbors: self, recomputed, sizes: zeros.collect() };
                let (distances, blocks) = (&recomputed.distances, recomputed.distances.blocks());
                let all = BlockPairs::upper(blocks.count(), blocks);
                let _ = sweep(distances, blocks, &all, "searching neighbors", &sink, run)?;
                Ok(sink.sizes.into_iter().map(AtomicU32::into_inner).collect())
            }
        }
    }

    /// The blocks whose pairs are shown together.
    fn blocks(&self) -> Blocks {
        Blocks { rows: self.order.len(), size: MARKED_ROWS }
    }

    /// The runs of rows of one code in a block, with their places in the block as bits.
    fn runs(&self, places: Range<usize>) -> Vec<(u32, [u64; 2])> {
        let mut runs: Vec<(u32, [u64; 2])> = Vec::new();
        for (at, &code) in self.codes[places].iter().enumerate() {
            if runs.last().is_none_or(|run| run.0 != code) {
                runs.push((code, [0; 2]));
            }
            if let Some((_, bits)) = runs.last_mut() {
                bits[at / WORD] |= 1 << (at % WORD);
            }
        }
        runs
    }
}

impl PairSource for MarkedNeighbors<'_, '_> {
    fn len(&self) -> usize {
        self.sampled
    }

    fn expected_pairs(&self, _place: usize) -> usize {
        self.order.len()
    }

    fn visit(&self, places: Range<usize>, visit: &mut dyn FnMut(u32, usize, &[Neighbor])) {
        let mut memory = MarkMemory::default();
        let mut neighbors = Vec::with_capacity(self.order.len());
        let mut start = places.start;
        while start < places.end {
            // Up to the end of a block, because marks may have to be computed by blocks.
            let end = ((start / MARKED_ROWS + 1) * MARKED_ROWS).min(places.end);
            let (of_rows, first);
            let marks = match &self.marks {
                MarkSource::Kept(marks) => {
                    first = 0;
                    &**marks
                }
                MarkSource::Recomputed(recomputed) => {
                    (of_rows, first) = (recomputed.rows(&(start..end), &mut memory), start);
                    &of_rows
                }
            };
            for place in start..end {
                self.visit_row(marks, place, place - first, &mut neighbors, visit);
            }
            start = end;
        }
    }

    fn undirected(&self) -> Option<Box<dyn UndirectedPairs + '_>> {
        if self.sizes.is_empty() {
            return None;
        }
        let weights = self.sizes.iter().map(|&size| 1.0 / f64::from(size)).collect();
        Some(Box::new(MarkedPairs { neighbors: self, parts: self.blocks().pairs(), weights }))
    }
}

impl MarkedNeighbors<'_, '_> {
    /// Shows the neighbors of the row at a place, whose marks are those of row `row` in `marks`.
    fn visit_row(
        &self,
        marks: &Marks,
        place: usize,
        row: usize,
        neighbors: &mut Vec<Neighbor>,
        visit: &mut dyn FnMut(u32, usize, &[Neighbor]),
    ) {
        let (own, groups) = (self.codes[place], self.grouping.count());
        for list in 0..self.lists() {
            let (side, group) = (list / groups, list % groups);
            neighbors.clear();
            for (at, word) in marks.row(side, row).iter().enumerate() {
                for bit in set_bits(word & self.in_group(own, group, at)) {
                    let other = at * WORD + bit;
                    let weight = marks.strength(row, other);
                    neighbors.push(Neighbor { row: self.order[other], weight });
                }
            }
            let mass = |row: u32| self.masses.as_ref().map_or(1.0, |masses| masses[row as usize]);
            let size: f64 = match self.masses {
                None => neighbors.len() as f64,
                Some(_) => neighbors.iter().map(|neighbor| mass(neighbor.row)).sum(),
            };
            let scaled = |one: &mut Neighbor| one.weight = one.weight * mass(one.row) / size;
            neighbors.iter_mut().for_each(scaled);
            visit(self.order[place], list, neighbors);
        }
    }
}

/// Counts the rows of every group of every row.
struct CountSink<'a, 'm, 'c> {
    neighbors: &'a MarkedNeighbors<'m, 'c>,
    recomputed: &'a Recomputed<'m>,
    sizes: Vec<AtomicU32>,
}

impl BlockSink<f64> for CountSink<'_, '_, '_> {
    type Buffers = MarkMemory;

    fn take(
        &self,
        (a, b): (usize, usize),
        tiles: &[[f64; TILE]],
        memory: &mut MarkMemory,
    ) -> Result<ControlFlow<()>> {
        let (neighbors, blocks) = (self.neighbors, self.neighbors.blocks());
        let (groups, lists) = (neighbors.grouping.count(), neighbors.lists());
        let count = |side: usize, rows: Range<usize>, others: usize, words: &BlockWords| {
            let runs = neighbors.runs(blocks.places(others));
            for (place, words) in rows.zip(words) {
                for (code, bits) in &runs {
                    let marked =
                        words.iter().zip(bits).map(|(word, bits)| (word & bits).count_ones());
                    let group = neighbors.grouping.group(neighbors.codes[place], *code);
                    let size = &self.sizes[place * lists + side * groups + group];
                    size.fetch_add(marked.sum(), Relaxed);
                }
            }
        };
        let panels = [a, b].map(|block| blocks.panels(block));
        let counts = [a, b].map(|block| blocks.places(block).len());
        let MarkMemory { masks, words, .. } = memory;
        for side in 0..sides(neighbors.with_far) {
            let bounds =
                panels.each_ref().map(|panels| self.recomputed.thresholds.in_panels(side, panels));
            words.fill(SIDES[side], tiles, bounds, counts, masks);
            count(side, blocks.places(a), b, &words.to);
            if a != b {
                count(side, blocks.places(b), a, &words.of_second());
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// The pairs of all rows, each once; a part is a pair of blocks of rows.
struct MarkedPairs<'n, 'm, 'c> {
    neighbors: &'n MarkedNeighbors<'m, 'c>,
    /// The blocks of every part, the lower first.
    parts: Vec<(usize, usize)>,
    /// Per place and group: 1 over the size of the group.
    weights: Vec<f64>,
}

impl MarkedPairs<'_, '_, '_> {
    /// Returns the marks of two blocks for every side; `memory` receives their tiled distances if
    /// marks are recomputed.
    fn words(&self, (a, b): (usize, usize), memory: &mut MarkMemory) -> Vec<PairWords> {
        let (neighbors, blocks) = (self.neighbors, self.neighbors.blocks());
        let all = 0..sides(neighbors.with_far);
        match &neighbors.marks {
            MarkSource::Kept(marks) => {
                let of_block = |side: usize, rows: Range<usize>, others: Range<usize>| {
                    let mut words = BlockWords::from([[0; 2]; MARKED_ROWS]);
                    for (words, place) in words.iter_mut().zip(rows) {
                        let row = &marks.row(side, place)[others.start / WORD..];
                        words.iter_mut().zip(row).for_each(|(word, bits)| *word = *bits);
                    }
                    words
                };
                let of_side = |side: usize| PairWords {
                    to: of_block(side, blocks.places(a), blocks.places(b)),
                    from: turned(&of_block(side, blocks.places(b), blocks.places(a))),
                };
                all.map(of_side).collect()
            }
            MarkSource::Recomputed(recomputed) => {
                recomputed.compute((a, b), memory);
                let panels = [a, b].map(|block| blocks.panels(block));
                let counts = [a, b].map(|block| blocks.places(block).len());
                let of_side = |side: usize| {
                    let mut words = PairWords::default();
                    let bounds = panels
                        .each_ref()
                        .map(|panels| recomputed.thresholds.in_panels(side, panels));
                    let tiles = memory.tiles.as_chunks::<TILE>().0;
                    words.fill(SIDES[side], tiles, bounds, counts, &mut memory.masks);
                    words
                };
                all.map(of_side).collect()
            }
        }
    }

    /// Replaces the lines by the strengths of the rows of the second block for a row, and of the row for them; empty if
    /// all are 1.
    fn strengths(&self, place: usize, b: usize, memory: &MarkMemory, lines: &mut [Vec<f64>; 2]) {
        let blocks = self.neighbors.blocks();
        let right = blocks.places(b);
        lines.iter_mut().for_each(Vec::clear);
        let [to, from] = lines;
        match &self.neighbors.marks {
            MarkSource::Kept(marks) if marks.are_even() => {}
            MarkSource::Kept(marks) => {
                to.extend(right.clone().map(|other| marks.strength(place, other)));
                from.extend(right.map(|other| marks.strength(other, place)));
            }
            MarkSource::Recomputed(recomputed) => {
                let sigmoid = |place: usize| recomputed.thresholds.sigmoid(place);
                let Some(own) = sigmoid(place) else { return };
                let width = blocks.panels(b).len();
                super::tiles::add_row(&memory.tiles, place % MARKED_ROWS, width, right.len(), to);
                let distances = to.iter().zip(right).filter_map(|(distance, other)| {
                    sigmoid(other).map(|sigmoid| sigmoid.strength(*distance))
                });
                from.extend(distances);
                to.iter_mut().for_each(|distance| *distance = own.strength(*distance));
            }
        }
    }
}

impl UndirectedPairs for MarkedPairs<'_, '_, '_> {
    fn parts(&self) -> usize {
        self.parts.len()
    }

    fn most(&self) -> usize {
        MARKED_ROWS * MARKED_ROWS
    }

    fn visit(&self, part: usize, visit: &mut dyn FnMut(u32, PairBatch<'_>)) {
        let (a, b) = self.parts[part];
        let mut memory = MarkMemory::default();
        let words = self.words((a, b), &mut memory);
        let (neighbors, groups) = (self.neighbors, self.neighbors.grouping.count());
        let (order, blocks, lists) = (&neighbors.order, neighbors.blocks(), neighbors.lists());
        let right = blocks.places(b);
        let runs = neighbors.runs(right.clone());
        let mut others = Vec::with_capacity(MARKED_ROWS);
        let mut weights = [Vec::with_capacity(MARKED_ROWS), Vec::with_capacity(MARKED_ROWS)];
        let mut strengths = [Vec::new(), Vec::new()];
        for (row, place) in blocks.places(a).enumerate() {
            let own_code = neighbors.codes[place];
            // Every pair of a block with itself is shown once.
            let wanted =
                if a == b { places_before(row + 1).map(|bits| !bits) } else { [u64::MAX; 2] };
            self.strengths(place, b, &memory, &mut strengths);
            for (code, places) in &runs {
                for (side, words) in words.iter().enumerate() {
                    let list = |own, other| side * groups + neighbors.grouping.group(own, other);
                    let of_pair = [list(own_code, *code), list(*code, own_code)];
                    let to_weight = self.weights[place * lists + of_pair[0]];
                    others.clear();
                    weights.iter_mut().for_each(Vec::clear);
                    for word in 0..2 {
                        let mask = places[word] & wanted[word];
                        let (to, from) = (words.to[row][word] & mask, words.from[row][word] & mask);
                        for bit in set_bits(to | from) {
                            let other = right.start + word * WORD + bit;
                            let from_weight = self.weights[other * lists + of_pair[1]];
                            let weight = |direction: usize, bits: u64, weight: f64| {
                                let strength = strengths[direction].get(word * WORD + bit);
                                let strength = strength.copied().unwrap_or(1.0);
                                if bits >> bit & 1 == 1 { strength * weight } else { 0.0 }
                            };
                            others.push(order[other]);
                            weights[0].push(weight(0, to, to_weight));
                            weights[1].push(weight(1, from, from_weight));
                        }
                    }
                    if !others.is_empty() {
                        let weights = weights.each_ref().map(Vec::as_slice);
                        visit(
                            order[place],
                            PairBatch { others: &others, groups: of_pair, weights },
                        );
                    }
                }
            }
        }
    }
}
