//! Neighbors by distance instead of number: all rows nearer than a radius, and on request all that
//! are farther.
//!
//! The radius follows from the distances: the mean over all pairs (SURF), or the mean and standard
//! deviation of a row's own distances (MultiSURF). There are two sweeps over the pairs of rows. The
//! first measures the distances, and the second marks on which side of a row's bounds every other
//! row is. The second reuses the distances of the first, if there is memory to keep them.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, OnceLock};

use basrelief_kernels::{LANES, Moments, TILE, finite_moments, level, panels};

use super::block_driver::{BlockDistances, BlockPairs, BlockSink, Blocks, sweep};
use super::marks::{BlockWords, MARKED_ROWS, Marks, MarksDraft, PairWords, SIDES, set_bits, sides};
use super::options::{RadiusOf, RadiusRule};
use super::packed_rows::{PackedRows, Scratch};
use super::tiles::{add_row, tile_place, turned};
use crate::error::Result;
use crate::memory::{MemoryUse, PossiblyMapped};
use crate::parallel;
use crate::run::Run;

/// Distances closer to a threshold than this proportion of it lie on it: they are neither near nor
/// far. The proportion is twice the spacing of rounded distances.
const ON_THRESHOLD: f64 = 3e-11;

/// Room for the tiled distances of two blocks.
const ROOM_OF_PAIR: usize = panels(MARKED_ROWS) * panels(MARKED_ROWS) * TILE;

/// The radius of a search.
#[derive(Debug, Clone, Copy)]
pub(super) struct Radius {
    pub(super) rule: RadiusRule,
    pub(super) with_far: bool,
    /// Mean and spread of the distances of all pairs, as used for the radius; not used by a radius
    /// per row.
    pairs: Moments,
}

impl Radius {
    /// Creates the radius for this number of rows, from mean and spread of the distances of all pairs.
    pub(super) fn new(rule: RadiusRule, with_far: bool, spread: Moments, rows: usize) -> Self {
        let mut pairs = spread;
        if rule.of == RadiusOf::Matrix {
            let both =
                Moments { count: 2.0 * spread.count, squares: 2.0 * spread.squares, ..spread };
            pairs = both.merged(Moments { count: rows as f64, ..Moments::default() });
        }
        Self { rule, with_far, pairs }
    }

    /// The thresholds of a row: near rows are below the first, and far rows above the second. `own`
    /// are the mean and spread of the row's distances.
    fn thresholds(&self, own: Moments) -> (f64, f64) {
        let [near, far] = self.bounds(own);
        (near - near.abs() * ON_THRESHOLD, far + far.abs() * ON_THRESHOLD)
    }

    /// The moments that determine the radius of a row with these own distances.
    fn of_row(&self, own: Moments) -> Moments {
        if self.rule.is_per_row() { own } else { self.pairs }
    }

    /// The bounds of near and of far rows.
    fn bounds(&self, own: Moments) -> [f64; 2] {
        let of = self.of_row(own);
        let half = if self.rule.dead_band { of.deviation() / 2.0 } else { 0.0 };
        [of.mean - half, of.mean + half]
    }

    /// Returns how the strengths of a row's neighbors follow from their distances, unless all are 1.
    fn sigmoid(&self, own: Moments) -> Option<Sigmoid> {
        let Moments { mean, .. } = self.of_row(own);
        let deviation = self.of_row(own).deviation();
        self.rule.sigmoid.then(|| Sigmoid { bounds: self.bounds(own), mean, deviation })
    }
}

/// The strengths of a row's neighbors, which follow from their distances.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sigmoid {
    /// The bounds of near and of far rows.
    bounds: [f64; 2],
    mean: f64,
    deviation: f64,
}

impl Sigmoid {
    /// The strength of a neighbor at a distance.
    pub(super) fn strength(&self, distance: f64) -> f64 {
        if self.deviation == 0.0 {
            return 1.0;
        }
        let bound = self.bounds[usize::from(distance > self.mean)];
        let z = 4.0 * (distance - bound) / self.deviation;
        // 2 / (1 + exp(z)) - 1 is the hyperbolic tangent of -z / 2.
        (z / 2.0).tanh().abs()
    }
}

/// The thresholds of all rows. The last panel may have lanes without a row, for which no distance passes.
pub(super) struct RowThresholds {
    /// Per side, the threshold of every row.
    pub(super) exact: [Vec<f64>; 2],
    /// Per side and panel, the distances beyond which a row certainly is on the side.
    sure: [Vec<[f64; LANES]>; 2],
    /// Per side and panel, the distances beyond which a row may be on the side; empty if distances
    /// are not rounded.
    possible: [Vec<[f64; LANES]>; 2],
    /// How the strengths of every row's neighbors follow from their distances; empty if all are 1.
    sigmoids: Vec<Sigmoid>,
}

impl RowThresholds {
    /// Creates the thresholds of this number of rows from mean and spread of each row's distances.
    /// If distances are rounded, `band` is the maximum error of a distance minus its threshold.
    pub(super) fn new(
        radius: &Radius,
        rows: usize,
        own: impl Fn(usize) -> Moments,
        band: Option<&dyn Fn(usize) -> f64>,
    ) -> Self {
        let exact: (Vec<f64>, Vec<f64>) = (0..rows).map(|row| radius.thresholds(own(row))).unzip();
        let sigmoids = (0..rows).map_while(|row| radius.sigmoid(own(row))).collect();
        let in_panels = |side: usize, outward: f64, exact: &[f64]| {
            // No distance is below negative infinity, or above infinity.
            let nobody = if side == 0 { f64::NEG_INFINITY } else { f64::INFINITY };
            let mut all = vec![[nobody; LANES]; panels(rows)];
            let out = all.as_flattened_mut().iter_mut().zip(exact).enumerate();
            for (row, (out, &threshold)) in out {
                let band = outward * band.map_or(0.0, |band| band(row));
                *out = if side == 0 { threshold - band } else { threshold + band };
            }
            all
        };
        let exact: [Vec<f64>; 2] = exact.into();
        let of_sides = |outward: f64| [0, 1].map(|side| in_panels(side, outward, &exact[side]));
        let (sure, mut possible) = (of_sides(1.0), Default::default());
        if band.is_some() {
            possible = of_sides(-1.0);
            // A distance on the edge of the band is ambiguous.
            possible[0].as_flattened_mut().iter_mut().for_each(|bound| *bound = bound.next_up());
            possible[1].as_flattened_mut().iter_mut().for_each(|bound| *bound = bound.next_down());
        }
        Self { exact, sure, possible, sigmoids }
    }

    /// The distances beyond which the rows of some panels certainly are on a side.
    pub(super) fn in_panels(&self, side: usize, panels: &Range<usize>) -> &[[f64; LANES]] {
        &self.sure[side][panels.clone()]
    }

    /// How the strengths of a row's neighbors follow from their distances; `None` if all are 1.
    pub(super) fn sigmoid(&self, row: usize) -> Option<&Sigmoid> {
        self.sigmoids.get(row)
    }

    /// Whether an exact distance is on a side of a row's threshold.
    pub(super) fn holds(&self, side: usize, row: usize, distance: f64) -> bool {
        let threshold = self.exact[side][row];
        match side {
            0 => distance < threshold,
            _ => distance > threshold && distance < f64::INFINITY,
        }
    }
}

/// The distances of packed rows, in their unit; the distance of a row to itself is infinite.
pub(super) struct RadiusDistances<'s> {
    pub(super) rows: PackedRows<'s>,
    euclidean: bool,
    /// The tiled distances of all pairs of blocks, the lower block first, if kept; otherwise empty.
    kept: PossiblyMapped<f64>,
}

impl<'s> RadiusDistances<'s> {
    /// Takes packed rows.
    pub(super) fn new(rows: PackedRows<'s>) -> Self {
        let euclidean = rows.space().options().metric.is_euclidean();
        Self { rows, euclidean, kept: PossiblyMapped::default() }
    }

    /// The rows in blocks.
    pub(super) fn blocks(&self) -> Blocks {
        Blocks { rows: self.rows.rows(), size: MARKED_ROWS }
    }

    /// Allocates room to keep the distances of all pairs between two sweeps.
    pub(super) fn room(&self) -> PossiblyMapped<f64> {
        let pairs = self.blocks().pairs().len();
        PossiblyMapped::in_memory(pairs * ROOM_OF_PAIR, MemoryUse::Whole)
    }

    /// Sets the distances that were [kept](Keeping), or none.
    pub(super) fn set_kept(&mut self, kept: PossiblyMapped<f64>) {
        self.kept = kept;
    }

    /// Computes the distances of all pairs, and keeps them.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(super) fn keep(&mut self, run: &Run) -> Result<()> {
        let (mut kept, blocks) = (self.room(), self.blocks());
        let all = BlockPairs::upper(blocks.count(), blocks);
        self.measure_pairs(&all, &mut kept, run)?;
        self.kept = kept;
        Ok(())
    }

    /// Whether the distances of all pairs are kept.
    pub(super) fn are_kept(&self) -> bool {
        !self.kept.is_empty()
    }

    /// Appends to `line` the kept distances of the row at a place to all rows. The distance to itself is infinite.
    pub(super) fn add_kept_row(&self, place: usize, line: &mut Vec<f64>) {
        let blocks = self.blocks();
        let own = place / MARKED_ROWS;
        let (row, width) = (place % MARKED_ROWS, panels(blocks.places(own).len()));
        for block in 0..blocks.count() {
            let others = blocks.places(block).len();
            let pair = blocks.pair(own.min(block), own.max(block));
            let tiles = &self.kept[pair * ROOM_OF_PAIR..][..ROOM_OF_PAIR];
            match block < own {
                true => line.extend((0..others).map(|other| tiles[tile_place(other, row, width)])),
                false => add_row(tiles, row, panels(others), others, line),
            }
        }
    }

    fn in_unit(&self, out: &mut [f64]) {
        if self.euclidean {
            out.iter_mut().for_each(|distance| *distance = distance.sqrt());
        }
    }

    /// Measures the number, mean and spread of the distances of every pair of some blocks, in their
    /// order. `kept` is [room](Self::room) to keep the distances, or empty.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(super) fn measure_pairs(
        &self,
        pairs: &BlockPairs,
        kept: &mut [f64],
        run: &Run,
    ) -> Result<Vec<Moments>> {
        let rows = &self.rows;
        let sink = Keeping::new(PairMoments::new(rows, self.blocks(), pairs), self.blocks(), kept);
        let _ = sweep(self, self.blocks(), pairs, "measuring distances", &sink, run)?;
        Ok(sink.sink.into_found().map(|(spread, _)| spread).collect())
    }

    /// Measures mean and spread of the distances of every row of the first blocks to those of each of the
    /// second, row by row, and vice versa if the two are disjoint. Only rows at places below `ends` are
    /// measured. [`merge_own`] merges the moments of a row.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(super) fn measure_own(
        &self,
        pairs: &BlockPairs,
        ends: [usize; 2],
        kept: &mut [f64],
        run: &Run,
    ) -> Result<[Vec<Moments>; 2]> {
        let sink = OwnMoments {
            rows: &self.rows,
            blocks: self.blocks(),
            pairs,
            ends,
            left: pairs.cells(),
            right: if pairs.have_squares() { Vec::new() } else { pairs.cells() },
        };
        let sink = Keeping::new(sink, self.blocks(), kept);
        let _ = sweep(self, self.blocks(), pairs, "measuring distances", &sink, run)?;
        let OwnMoments { left, right, .. } = &sink.sink;
        Ok([by_row(left, pairs.right.len()), by_row(right, pairs.left.len())])
    }

    /// Marks on which side of a row's thresholds every other row is; `ends` as for
    /// [`measure_own`](Self::measure_own). Returns `None` if rounded distances leave too many
    /// ambiguous.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(super) fn mark(
        &self,
        (radius, thresholds): (&Radius, &RowThresholds),
        pairs: &BlockPairs,
        ends: [usize; 2],
        undecided: &Undecided,
        run: &Run,
    ) -> Result<Option<[Marks; 2]>> {
        let (left, right) = (self.places(&pairs.left), self.places(&pairs.right));
        let draft = |own: &Range<usize>, other: &Range<usize>, end: usize| {
            let rows = end.clamp(own.start, own.end) - own.start;
            MarksDraft::new(rows, other.len(), radius.rule, radius.with_far)
        };
        let drafts = match pairs.have_squares() {
            true => [draft(&right, &right, ends[0]), draft(&(0..0), &(0..0), 0)],
            false => [draft(&left, &right, ends[0]), draft(&right, &left, ends[1])],
        };
        let sink = MarkSink { distances: self, radius, thresholds, pairs, ends, drafts, undecided };
        let flow = sweep(self, self.blocks(), pairs, "searching neighbors", &sink, run)?;
        let marks = sink.drafts.map(MarksDraft::into_marks);
        Ok(flow.is_continue().then_some(marks))
    }

    /// Computes the tiled distances of some panels to those of a block.
    pub(super) fn rows_beside(
        &self,
        panels: Range<usize>,
        others: Range<usize>,
        out: &mut Vec<f64>,
        scratch: &mut Scratch,
    ) {
        self.rows.block(panels.clone(), others.clone(), out, scratch);
        self.in_unit(out);
        let places = |panels: &Range<usize>| panels.start * LANES..panels.end * LANES;
        let (rows, columns) = (places(&panels), places(&others));
        for row in rows.clone().filter(|row| columns.contains(row)) {
            out[tile_place(row - rows.start, row - columns.start, others.len())] = f64::INFINITY;
        }
    }

    /// The places of some blocks.
    fn places(&self, blocks: &Range<usize>) -> Range<usize> {
        let end = blocks.end * MARKED_ROWS;
        blocks.start * MARKED_ROWS..end.min(self.rows.rows())
    }
}

impl BlockDistances for RadiusDistances<'_> {
    type Distance = f64;
    type Scratch = Scratch;

    fn bytes(&self, rows: usize) -> u64 {
        self.rows.bytes(rows)
    }

    fn block(&self, a: Range<usize>, b: Range<usize>, out: &mut Vec<f64>, scratch: &mut Scratch) {
        if !self.kept.is_empty() {
            let per_block = MARKED_ROWS / LANES;
            let pair = self.blocks().pair(a.start / per_block, b.start / per_block);
            let tiles = &self.kept[pair * ROOM_OF_PAIR..][..a.len() * b.len() * TILE];
            out.clear();
            out.extend_from_slice(tiles);
            return;
        }
        self.rows.block(a, b, out, scratch);
        self.in_unit(out);
    }

    fn square(&self, run: Range<usize>, out: &mut Vec<f64>, scratch: &mut Scratch) {
        if self.kept.is_empty() {
            self.rows.square(run.clone(), out, scratch);
            self.in_unit(out);
            for row in 0..run.len() * LANES {
                out[tile_place(row, row, run.len())] = f64::INFINITY;
            }
        } else {
            self.block(run.clone(), run, out, scratch);
        }
    }
}

/// Keeps the distances that another sink receives.
struct Keeping<'k, S> {
    sink: S,
    blocks: Blocks,
    /// Per pair of blocks; empty if nothing is kept.
    kept: Vec<Mutex<&'k mut [f64]>>,
}

impl<'k, S> Keeping<'k, S> {
    fn new(sink: S, blocks: Blocks, kept: &'k mut [f64]) -> Self {
        Self { sink, blocks, kept: kept.chunks_mut(ROOM_OF_PAIR).map(Mutex::new).collect() }
    }
}

impl<S: BlockSink<f64>> BlockSink<f64> for Keeping<'_, S> {
    type Buffers = S::Buffers;

    fn take(
        &self,
        (a, b): (usize, usize),
        tiles: &[[f64; TILE]],
        buffers: &mut S::Buffers,
    ) -> Result<ControlFlow<()>> {
        if let Some(kept) = self.kept.get(self.blocks.pair(a, b)) {
            let mut kept = parallel::lock(kept);
            kept[..tiles.len() * TILE].copy_from_slice(tiles.as_flattened());
        }
        self.sink.take((a, b), tiles, buffers)
    }
}

/// Measures the distances of every pair of blocks: number, mean and spread, and the largest one. Pairs of rows without a
/// distance do not count.
pub(super) struct PairMoments<'a, 's> {
    rows: &'a PackedRows<'s>,
    blocks: Blocks,
    pairs: &'a BlockPairs,
    found: Vec<OnceLock<(Moments, f64)>>,
}

impl<'a, 's> PairMoments<'a, 's> {
    /// Measures the pairs of these blocks of rows.
    pub(super) fn new(rows: &'a PackedRows<'s>, blocks: Blocks, pairs: &'a BlockPairs) -> Self {
        Self { rows, blocks, pairs, found: pairs.cells() }
    }

    /// What was measured, in the order of the pairs of blocks.
    pub(super) fn into_found(self) -> impl Iterator<Item = (Moments, f64)> {
        self.found.into_iter().filter_map(OnceLock::into_inner)
    }
}

impl BlockSink<f64> for PairMoments<'_, '_> {
    type Buffers = ();

    fn take(
        &self,
        (a, b): (usize, usize),
        tiles: &[[f64; TILE]],
        _: &mut (),
    ) -> Result<ControlFlow<()>> {
        let (left, right) = (self.blocks.places(a), self.blocks.places(b));
        let (tiles, width) = (tiles.as_flattened(), panels(right.len()));
        let (mut spread, mut largest) = (Moments::default(), 0.0_f64);
        for i in 0..left.len() {
            let first = if a == b { i + 1 } else { 0 };
            let once = (first..right.len())
                .map(|j| (tiles[tile_place(i, j, width)], right.start + j))
                .filter(|(distance, _)| distance.is_finite());
            largest = once.clone().fold(largest, |largest, (distance, _)| largest.max(distance));
            let own = self.rows.mass(left.start + i);
            spread = spread.merged(match self.rows.have_masses() {
                false => moments(once.map(|(distance, _)| (distance, 1.0))),
                true => {
                    moments(once.map(|(distance, place)| (distance, own * self.rows.mass(place))))
                }
            });
        }
        let _ = self.found[self.pairs.cell(a, b)].set((spread, largest));
        Ok(ControlFlow::Continue(()))
    }
}

/// Measures the distances of every row of a block to those of another.
struct OwnMoments<'a, 's> {
    rows: &'a PackedRows<'s>,
    blocks: Blocks,
    pairs: &'a BlockPairs,
    ends: [usize; 2],
    /// For the rows of the first blocks, and of the second blocks if these are different.
    left: Vec<OnceLock<Vec<Moments>>>,
    right: Vec<OnceLock<Vec<Moments>>>,
}

impl BlockSink<f64> for OwnMoments<'_, '_> {
    type Buffers = Vec<f64>;

    fn take(
        &self,
        (a, b): (usize, usize),
        tiles: &[[f64; TILE]],
        line: &mut Vec<f64>,
    ) -> Result<ControlFlow<()>> {
        let mut of_rows = |tiles: &[f64],
                           (rows, others): (Range<usize>, Range<usize>),
                           end: usize| {
            let of_row = |row: usize| {
                line.clear();
                add_row(tiles, row, panels(others.len()), others.len(), line);
                if !self.rows.have_masses() {
                    return finite_moments(level(), line);
                }
                let with_masses = line
                    .iter()
                    .zip(others.clone())
                    .map(|(distance, place)| (*distance, self.rows.mass(place)))
                    .filter(|(distance, _)| distance.is_finite());
                moments(with_masses)
            };
            (0..end.clamp(rows.start, rows.end) - rows.start).map(of_row).collect::<Vec<Moments>>()
        };
        let (left, right) = (self.blocks.places(a), self.blocks.places(b));
        let own = of_rows(tiles.as_flattened(), (left.clone(), right.clone()), self.ends[0]);
        let _ = self.left[self.pairs.cell(a, b)].set(own);
        let (cells, end) = match self.pairs.have_squares() {
            true => (&self.left, self.ends[0]),
            false => (&self.right, self.ends[1]),
        };
        if a != b
            && end > right.start
            && let Some(cell) = self.pairs.cell_of_second(a, b)
        {
            let (rows, columns) = (panels(left.len()), panels(right.len()));
            let places = 0..rows * columns;
            let turned: Vec<[f64; TILE]> =
                places.map(|at| turned(&tiles[at % rows * columns + at / rows])).collect();
            let _ = cells[cell].set(of_rows(turned.as_flattened(), (right, left), end));
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// The moments of the rows of the blocks of some cells, row by row: those of a row for every block of other rows, in order.
fn by_row(cells: &[OnceLock<Vec<Moments>>], columns: usize) -> Vec<Moments> {
    let of_block = |cells: &[OnceLock<Vec<Moments>>]| {
        let parts: Vec<&Vec<Moments>> = cells.iter().filter_map(OnceLock::get).collect();
        let rows = parts.first().map_or(0, |part| part.len());
        let of_row = |row: usize| parts.iter().map(move |part| part[row]);
        (0..rows).flat_map(of_row).collect::<Vec<Moments>>()
    };
    cells.chunks(columns.max(1)).flat_map(of_block).collect()
}

/// Merges moments [by row](RadiusDistances::measure_own) with those of `blocks` blocks of other rows, one block after the
/// other, so that the result does not depend on how many blocks are measured together.
pub(super) fn merge_own(own: &mut [Moments], parts: &[Moments], blocks: usize) {
    for (own, parts) in own.iter_mut().zip(parts.chunks_exact(blocks.max(1))) {
        *own = parts.iter().fold(*own, |own, part| own.merged(*part));
    }
}

/// The pairs or rows that rounded distances leave ambiguous.
pub(super) enum Undecided {
    /// Nothing: distances are not rounded.
    Nothing,
    /// Pairs of places, up to this number.
    Pairs(Mutex<Vec<(u32, u32)>>, usize),
    /// Complete rows, because the thresholds of a row are as inaccurate as its distances.
    Rows(Vec<AtomicBool>),
}

/// Marks on which side of a row's thresholds every other row is.
struct MarkSink<'a, 's> {
    distances: &'a RadiusDistances<'s>,
    radius: &'a Radius,
    thresholds: &'a RowThresholds,
    pairs: &'a BlockPairs,
    ends: [usize; 2],
    /// For the rows of the first blocks, and of the second blocks if these are different.
    drafts: [MarksDraft; 2],
    undecided: &'a Undecided,
}

/// Reused memory of one worker.
#[derive(Default)]
struct MarkBuffers {
    words: [PairWords; 2],
    masks: Vec<[u64; 2]>,
}

impl BlockSink<f64> for MarkSink<'_, '_> {
    type Buffers = MarkBuffers;

    fn take(
        &self,
        (a, b): (usize, usize),
        tiles: &[[f64; TILE]],
        buffers: &mut MarkBuffers,
    ) -> Result<ControlFlow<()>> {
        let MarkBuffers { words: [words, possible], masks } = buffers;
        let panels = [a, b].map(|block| self.distances.blocks().panels(block));
        let counts = [a, b].map(|block| self.distances.blocks().places(block).len());
        for side in 0..sides(self.radius.with_far) {
            let sure = panels.each_ref().map(|panels| self.thresholds.in_panels(side, panels));
            words.fill(SIDES[side], tiles, sure, counts, masks);
            self.put((a, b), side, words);
            let all = &self.thresholds.possible[side];
            if !all.is_empty() {
                let bounds = panels.each_ref().map(|panels| &all[panels.clone()]);
                possible.fill(SIDES[side], tiles, bounds, counts, masks);
                if self.note_undecided((a, b), words, possible) {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        self.put_strengths((a, b), tiles.as_flattened());
        Ok(ControlFlow::Continue(()))
    }
}

impl MarkSink<'_, '_> {
    /// The draft of the marks of the second block's rows, the end of the rows to be marked, and the
    /// place of the draft's first row.
    fn of_second(&self) -> (&MarksDraft, usize, usize) {
        let starts = [&self.pairs.left, &self.pairs.right].map(|blocks| blocks.start * MARKED_ROWS);
        match self.pairs.have_squares() {
            true => (&self.drafts[0], self.ends[0], starts[0]),
            false => (&self.drafts[1], self.ends[1], starts[1]),
        }
    }

    fn put(&self, (a, b): (usize, usize), side: usize, words: &PairWords) {
        let blocks = self.distances.blocks();
        let starts = [&self.pairs.left, &self.pairs.right].map(|blocks| blocks.start * MARKED_ROWS);
        let put = |draft: &MarksDraft,
                   (rows, start, end): (Range<usize>, usize, usize),
                   first,
                   words: &BlockWords| {
            let rows = rows.start.min(end)..rows.end.min(end);
            if !rows.is_empty() {
                draft.put(side, rows.start - start..rows.end - start, first, words);
            }
        };
        let (left, right) = (blocks.places(a), blocks.places(b));
        let own = (left.clone(), starts[0], self.ends[0]);
        put(&self.drafts[0], own, right.start - starts[1], &words.to);
        let (draft, end, start) = self.of_second();
        if a != b && right.start < end {
            put(draft, (right, start, end), left.start - starts[0], &words.of_second());
        }
    }

    fn put_strengths(&self, (a, b): (usize, usize), tiles: &[f64]) {
        if !self.radius.rule.sigmoid {
            return;
        }
        let blocks = self.distances.blocks();
        let starts = [&self.pairs.left, &self.pairs.right].map(|blocks| blocks.start * MARKED_ROWS);
        let (left, right) = (blocks.places(a), blocks.places(b));
        let (second, end, start) = self.of_second();
        let width = panels(right.len());
        let strength = |row: usize, distance: f64| {
            self.thresholds.sigmoid(row).map_or(1.0, |own| own.strength(distance))
        };
        for (i, row) in left.clone().enumerate() {
            for (j, other) in right.clone().enumerate() {
                let distance = tiles[tile_place(i, j, width)];
                if row < self.ends[0] {
                    let strength = strength(row, distance);
                    self.drafts[0].put_strength(row - starts[0], other - starts[1], strength);
                }
                if a != b && other < end {
                    let strength = strength(other, distance);
                    second.put_strength(other - start, row - starts[0], strength);
                }
            }
        }
    }

    /// Notes the pairs or rows between the certain and the possible bounds; `true` if there are too
    /// many.
    fn note_undecided(
        &self,
        (a, b): (usize, usize),
        sure: &PairWords,
        possible: &PairWords,
    ) -> bool {
        let blocks = self.distances.blocks();
        let (left, right) = (blocks.places(a), blocks.places(b));
        let between = |sure: &BlockWords, possible: &BlockWords, row: usize| {
            [0, 1].map(|word| sure[row][word] ^ possible[row][word])
        };
        match self.undecided {
            Undecided::Nothing => false,
            Undecided::Pairs(found, most) => {
                let mut here = Vec::new();
                let end_of_second = self.of_second().1;
                for (row, place) in left.enumerate() {
                    let is_marked = |other: usize| place < self.ends[0] || other < end_of_second;
                    let to = between(&sure.to, &possible.to, row);
                    let from = between(&sure.from, &possible.from, row);
                    for (word, (to, from)) in to.into_iter().zip(from).enumerate() {
                        let others = set_bits(to | from).map(|bit| right.start + word * 64 + bit);
                        let others = others.filter(|&other| other > place && is_marked(other));
                        here.extend(others.map(|other| (place as u32, other as u32)));
                    }
                }
                if here.is_empty() {
                    return false;
                }
                let mut found = parallel::lock(found);
                found.extend(here);
                found.len() > *most
            }
            Undecided::Rows(rows) => {
                for (row, place) in left.enumerate() {
                    if between(&sure.to, &possible.to, row) != [0, 0] {
                        rows[place].store(true, Relaxed);
                    }
                    let from = between(&sure.from, &possible.from, row);
                    for (word, from) in from.into_iter().enumerate() {
                        set_bits(from).for_each(|bit| {
                            rows[right.start + word * 64 + bit].store(true, Relaxed)
                        });
                    }
                }
                false
            }
        }
    }
}

/// The moments of some numbers with masses, in two passes.
fn moments(values: impl Iterator<Item = (f64, f64)> + Clone) -> Moments {
    let (mut count, mut sum) = (0.0, 0.0);
    for (value, mass) in values.clone() {
        count += mass;
        sum += mass * value;
    }
    if count == 0.0 {
        return Moments::default();
    }
    let mean = sum / count;
    let squares = values.map(|(value, mass)| mass * ((value - mean) * (value - mean))).sum();
    Moments { count, mean, squares }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spreads_merge_to_the_whole() {
        let values = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0];
        let moments = |values: &[f64]| moments(values.iter().map(|&value| (value, 1.0)));
        let whole = moments(&values);
        let parts = moments(&values[..3]).merged(Moments::default()).merged(moments(&values[3..]));
        assert!((whole.mean - parts.mean).abs() < 1e-15);
        assert!((whole.deviation() - parts.deviation()).abs() < 1e-14);
        let with_gap = [&values[..5], &[f64::INFINITY], &values[5..]].concat();
        let finite = finite_moments(level(), &with_gap);
        assert_eq!((finite.count, finite.mean), (8.0, whole.mean));
        assert!((whole.deviation() - finite.deviation()).abs() < 1e-14);
        assert!((whole.mean - 3.875).abs() < 1e-15);
        assert!((whole.deviation() - (52.875_f64 / 8.0).sqrt()).abs() < 1e-14);
    }
}
