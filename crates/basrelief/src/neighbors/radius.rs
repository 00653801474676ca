//! Neighbors by distance instead of number: everyone nearer than a radius, and on request
//! everyone farther.
//!
//! The radius comes from the distances themselves: the mean over all pairs (SURF), or the mean
//! and standard deviation of a row's own distances (MultiSURF). Distances of all pairs are kept where rows
//! are few, and else computed when they are asked for ([`super::plan`] decides it). Where all rows are
//! looked at, every row's radius is known beforehand, and pairs can be had once for both directions
//! ([`super::radius_pairs`]).

mod refine;

use std::ops::{ControlFlow, Range};
use std::sync::{Mutex, PoisonError};

use basrelief_kernels::{
    LANES, Links, Moments, Side, TILE, count_beside, finite_moments, level, panels,
};
use rayon::prelude::*;

use super::block_driver::{BlockDistances, BlockPairs, BlockSink, Blocks, sweep};
use super::options::RadiusRule;
use super::packed_rows::{PackedRows, Scratch};
use super::pairs::{Grouping, sampled_first};
use super::plan::{Facts, RadiusChoice, RadiusRoute, SearchPlan, plan_radius, sampling};
use super::tiles::{add_row, tile_place};
use crate::csr::CsrGroups;
use crate::differences::{Metric, Space};
use crate::error::Result;
use crate::memory::{MemoryUse, PossiblyMapped};
use crate::run::Run;

/// Distances closer to a threshold than this share of it are on it: neither near nor far. It is
/// twice the spacing of rounded distances.
const ON_THRESHOLD: f64 = 3e-11;

/// Rows of a block: a block of distances is 128 KB and stays in the second cache.
pub(super) const BLOCK: usize = 128;

/// Rows whose neighbors one task counts.
const ROWS_PER_TASK: usize = 64;

/// Distances that are computed at a time, in bytes, unless eight rows' are more; and panels of rows
/// whose distances are.
const BLOCK_BYTES: usize = 1 << 20;
const MOST_AT_ONCE: usize = 8;

/// Room for the tiled distances of two blocks.
const OF_PAIR: usize = panels(BLOCK) * panels(BLOCK) * TILE;

/// Near rows of every sampled row and, on request, far ones.
///
/// Groups 0 to G - 1 are the near rows of the grouping's G groups, groups G to 2G - 1 the far
/// ones where they are wanted. The weights of a group are 1 over its size, times the sigmoid's value where there is one.
pub struct RadiusNeighbors<'s, 'c> {
    pub(super) rows: PackedRows<'s>,
    pub(super) grouping: Grouping<'c>,
    pub(super) sampled: usize,
    rule: RadiusRule,
    pub(super) with_far: bool,
    euclidean: bool,
    /// Mean and standard deviation of all pairs; not used by `OwnMean`.
    pairs: Moments,
    /// Rows of one code in the order of the packed rows.
    pub(super) runs: Vec<(Range<usize>, u32)>,
    /// The tiled distances of all pairs of blocks, the lower block first, where they are kept; else empty.
    kept: PossiblyMapped<f64>,
    /// Exact distances that take the place of rounded ones: per place the other place, ascending, and the
    /// distance; of all pairs that are kept, they are in their place.
    refined: CsrGroups<(u32, f64)>,
    /// What every row decides by, where pairs can be had once for both directions.
    pub(super) thresholds: Vec<RowThresholds>,
    plan: SearchPlan,
}

/// What a row decides by, and how it comes out.
pub(super) struct RowThresholds {
    /// Below this distance others are near.
    pub(super) near: f64,
    /// Above this one they are far.
    pub(super) far: f64,
    /// The sizes of its groups, near and far.
    pub(super) sizes: Vec<u32>,
    /// Whether rounded distances leave undecided who is near or far.
    undecided: bool,
}

/// Options of a search within a radius.
#[derive(Clone, Copy)]
struct RadiusSettings<'c> {
    grouping: Grouping<'c>,
    rule: RadiusRule,
    with_far: bool,
}

impl<'s, 'c> RadiusNeighbors<'s, 'c> {
    /// Prepares the search; rules that need it look at all pairs once.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub fn new(
        space: &'s Space<'s>,
        sampled: &[u32],
        grouping: Grouping<'c>,
        rule: RadiusRule,
        with_far: bool,
        run: &Run,
    ) -> Result<Self> {
        let facts = Facts::of(space, sampled.len(), grouping);
        let (choice, plan) = plan_radius(&facts, rule, with_far, run.routes(), run.memory());
        run.progress().memory(plan.bytes);
        run.memory().claim(plan.bytes, "the search of neighbors", &sampling())?;
        let order = sampled_first(space.rows(), sampled, grouping);
        let settings = RadiusSettings { grouping, rule, with_far };
        let (mut source, mut fallback) = (None, None);
        if choice.route != RadiusRoute::Exact {
            source = Self::rounded(space, &order, settings, choice, run)?;
            if source.is_none() {
                fallback = Some(format!("{} were given up: too many are undecided", plan.route));
            }
        }
        let mut source = match source {
            Some(source) => source,
            None => {
                let rows = PackedRows::new(space, order, run)?;
                let mut source = Self::of(rows, sampled.len(), settings);
                source.measure(choice, run)?;
                source
            }
        };
        let refined = source.plan.refined;
        source.plan = SearchPlan { fallback, refined, ..plan };
        Ok(source)
    }

    /// Rows in that order with their distances as they are, and nothing measured: the distances of all
    /// `rows` have that mean and spread, where the radius is of them.
    pub(super) fn unmeasured(
        space: &'s Space<'s>,
        order: Vec<u32>,
        (rule, with_far): (RadiusRule, bool),
        (spread, rows): (Moments, usize),
        run: &Run,
    ) -> Result<Self> {
        let packed = PackedRows::new(space, order, run)?;
        let settings = RadiusSettings { grouping: Grouping::All, rule, with_far };
        let mut source = Self::of(packed, space.rows(), settings);
        source.know_pairs(spread, rows);
        Ok(source)
    }

    /// Of the first `sampled` packed rows; nothing is measured yet.
    fn of(rows: PackedRows<'s>, sampled: usize, settings: RadiusSettings<'c>) -> Self {
        let RadiusSettings { grouping, rule, with_far } = settings;
        let mut runs: Vec<(Range<usize>, u32)> = Vec::new();
        for (place, &row) in rows.order().iter().enumerate() {
            let code = grouping.code(row as usize);
            match runs.last_mut() {
                Some((places, last)) if *last == code => places.end = place + 1,
                _ => runs.push((place..place + 1, code)),
            }
        }
        Self {
            euclidean: rows.space().options().metric == Metric::Euclidean,
            rows,
            grouping,
            sampled,
            rule,
            with_far,
            pairs: Moments::default(),
            runs,
            kept: PossiblyMapped::default(),
            refined: CsrGroups::default(),
            thresholds: Vec::new(),
            plan: SearchPlan::default(),
        }
    }

    /// Looks at all pairs, where the rule needs it or distances are kept, and learns what every row decides
    /// by, where pairs are to be had once for both directions.
    fn measure(&mut self, choice: RadiusChoice, run: &Run) -> Result<()> {
        if choice.keep || !self.knows_pairs() {
            self.look_at_pairs(choice.keep, run)?;
        }
        if choice.undirected {
            self.count_all(run)?;
        }
        Ok(())
    }

    /// Keeps the distances of all pairs if wanted, and learns their mean and spread where the rule needs
    /// them and they are not known.
    fn look_at_pairs(&mut self, keep: bool, run: &Run) -> Result<()> {
        let spread;
        (spread, self.kept) = self.all_pairs(keep, run)?;
        if !self.knows_pairs() {
            self.know_pairs(spread, self.rows.rows());
        }
        Ok(())
    }

    /// Whether mean and spread of all pairs are known, if they are needed.
    fn knows_pairs(&self) -> bool {
        self.rule == RadiusRule::OwnMean || self.pairs.count > 0.0
    }

    fn know_pairs(&mut self, spread: Moments, rows: usize) {
        self.pairs = spread;
        if self.rule == RadiusRule::MeanOfMatrix {
            let cells = 2.0 * spread.count;
            self.pairs.mean *= cells / (cells + rows as f64);
        }
    }

    /// Number of groups among near rows; as many again among far ones where they are wanted.
    pub fn groups(&self) -> usize {
        self.grouping.count()
    }

    /// Groups that are told apart, near and far.
    pub(super) fn lists(&self) -> usize {
        if self.with_far { 2 * self.groups() } else { self.groups() }
    }

    /// What the row at a place is told apart by.
    pub(super) fn code(&self, place: usize) -> u32 {
        self.grouping.code(self.rows.order()[place] as usize)
    }

    /// Some places, cut where rows are of another code, with these codes.
    pub(super) fn runs_among(
        &self,
        places: Range<usize>,
    ) -> impl Iterator<Item = (Range<usize>, u32)> + '_ {
        let cut = move |(run, code): &(Range<usize>, u32)| {
            (run.start.max(places.start)..run.end.min(places.end), *code)
        };
        self.runs.iter().map(cut).filter(|(run, _)| !run.is_empty())
    }

    /// The distance that a sweep's number stands for, in its unit.
    fn length(&self, distance: f64) -> f64 {
        if self.euclidean { distance.sqrt() } else { distance }
    }

    /// The same of some distances.
    pub(super) fn lengths(&self, distances: &mut [f64]) {
        if self.euclidean {
            distances.iter_mut().for_each(|distance| *distance = distance.sqrt());
        }
    }

    /// The rows in blocks.
    pub(super) fn blocks(&self) -> Blocks {
        Blocks { rows: self.rows.rows(), size: BLOCK }
    }

    /// Whether all distances are kept.
    fn keeps(&self) -> bool {
        !self.kept.is_empty()
    }

    /// How the search was planned, and what became of it.
    pub fn plan(&self) -> &SearchPlan {
        &self.plan
    }

    /// The tiled distances of two blocks, the lower one first, and whatever is behind them; `memory` is
    /// used again.
    pub(super) fn tiles<'t>(
        &'t self,
        (a, b): (usize, usize),
        memory: &'t mut (Vec<f64>, Scratch),
    ) -> &'t [f64] {
        let blocks = self.blocks();
        if self.keeps() {
            return &self.kept[blocks.pair(a, b) * OF_PAIR..][..OF_PAIR];
        }
        let (tiles, scratch) = memory;
        if a == b {
            self.rows.square(blocks.panels(a), tiles, scratch);
        } else {
            self.rows.block(blocks.panels(a), blocks.panels(b), tiles, scratch);
        }
        let (right, width) = (blocks.places(b), blocks.panels(b).len());
        for place in blocks.places(a) {
            for &(other, distance) in self.refined_among(place, &right) {
                let at = tile_place(place % BLOCK, other as usize - right.start, width);
                tiles[at] = distance;
            }
        }
        tiles
    }

    /// The exact distances of a row to some places that take the place of rounded ones.
    fn refined_among(&self, place: usize, others: &Range<usize>) -> &[(u32, f64)] {
        let refined = self.refined.get(place).unwrap_or_default();
        let before = |end: usize| refined.partition_point(|(other, _)| (*other as usize) < end);
        &refined[before(others.start)..before(others.end)]
    }

    /// Learns what every row decides by.
    fn count_all(&mut self, run: &Run) -> Result<()> {
        let rows = self.rows.rows();
        let starts: Vec<usize> = (0..rows).step_by(ROWS_PER_TASK).collect();
        let counted = run.install(|| {
            starts
                .par_iter()
                .map_init(Vec::new, |line, &start| {
                    run.check()?;
                    let places = start..(start + ROWS_PER_TASK).min(rows);
                    let mut near = self.near(&places);
                    Ok(places.map(|place| self.count(place, &mut near, line)).collect())
                })
                .collect::<Result<Vec<Vec<_>>>>()
        })?;
        self.thresholds = counted.into_iter().flatten().collect();
        Ok(())
    }

    /// What a row decides by; `line` is memory for its distances.
    fn count(&self, place: usize, near: &mut Near, line: &mut Vec<f64>) -> RowThresholds {
        self.line(place, near, line);
        let mut own = self.decided(place, line);
        own.undecided = self.leaves_undecided(place, (own.near, own.far), line);
        own
    }

    /// What a row decides by, from its distances.
    fn decided(&self, place: usize, line: &[f64]) -> RowThresholds {
        let (near, far) = self.bounds(line);
        let mut sizes = vec![0; self.lists()];
        let own_code = self.code(place);
        for (others, code) in &self.runs {
            let group = self.grouping.group(own_code, *code);
            let others = &line[others.clone()];
            sizes[group] += count_beside(level(), Side::Near, others, near);
            if self.with_far {
                sizes[self.groups() + group] += count_beside(level(), Side::Far, others, far);
            }
        }
        RowThresholds { near, far, sizes, undecided: false }
    }

    /// Mean and spread of the distances of all pairs that know a feature in common, for rules that
    /// need it, and with `keep` the tiled distances of all pairs of blocks. Every pair is looked at
    /// once; blocks are merged in a fixed order.
    fn all_pairs(&self, keep: bool, run: &Run) -> Result<(Moments, PossiblyMapped<f64>)> {
        let blocks = self.blocks();
        let pairs = blocks.pairs().len();
        let mut kept =
            PossiblyMapped::in_memory(if keep { pairs * OF_PAIR } else { 0 }, MemoryUse::Whole);
        let sink = AllPairs {
            source: self,
            parts: (0..pairs).map(|_| Mutex::default()).collect(),
            kept: kept.chunks_mut(OF_PAIR).map(Mutex::new).collect(),
        };
        let all = BlockPairs::Upper(blocks.count());
        let _ = sweep(&self.rows, blocks, all, "measuring distances", &sink, run)?;
        let parts = sink.parts.into_iter();
        let parts = parts.map(|part| part.into_inner().unwrap_or_else(PoisonError::into_inner));
        let spread = parts.fold(Moments::default(), Moments::merged);
        drop(sink.kept);
        Ok((spread, kept))
    }

    /// Number, mean and spread of the distances of two blocks, tiled.
    pub(super) fn moments_of(&self, (a, b): (usize, usize), tiles: &[f64]) -> Moments {
        let (left, right) = (self.blocks().places(a), self.blocks().places(b));
        let width = panels(right.len());
        let mut spread = Moments::default();
        for i in 0..left.len() {
            let first = if a == b { i + 1 } else { 0 };
            let once = (first..right.len())
                .map(|j| self.length(tiles[tile_place(i, j, width)]))
                .filter(|distance| distance.is_finite());
            spread = spread.merged(moments(once));
        }
        spread
    }

    /// Memory for the distances of the rows at some places.
    pub(super) fn near(&self, places: &Range<usize>) -> Near {
        // Several panels at once, as far as the places go, so that the others are read less often: of a
        // file as many as may be.
        let at_once = if self.rows.in_file() {
            MOST_AT_ONCE
        } else {
            let bytes = panels(self.rows.rows()) * TILE * size_of::<f64>();
            (BLOCK_BYTES / bytes).clamp(1, MOST_AT_ONCE)
        };
        Near { at_once, end: panels(places.end), ..Near::default() }
    }

    /// The distances of a row to all rows; to itself infinity, which is nobody's neighbor.
    pub(super) fn line(&self, place: usize, near: &mut Near, line: &mut Vec<f64>) {
        let rows = self.rows.rows();
        let panel = place / LANES;
        let is_new = !near.computed.contains(&panel);
        line.clear();
        if self.keeps() {
            if is_new {
                near.computed = panel..panel + 1;
                self.kept_lines(panel, &mut near.lines);
            }
            line.extend_from_slice(&near.lines[place % LANES * rows..][..rows]);
        } else {
            if is_new {
                let end = (panel + near.at_once).min(near.end).max(panel + 1);
                near.computed = panel..end;
                let (computed, all) = (near.computed.clone(), 0..panels(rows));
                self.rows.block(computed, all, &mut near.tiles, &mut near.scratch);
            }
            let own = place - near.computed.start * LANES;
            add_row(&near.tiles, own, panels(rows), rows, line);
            for &(other, distance) in self.refined_among(place, &(0..rows)) {
                line[other as usize] = distance;
            }
        }
        self.lengths(line);
        line[place] = f64::INFINITY;
    }

    /// The kept distances of a panel's rows to all rows, row by row.
    fn kept_lines(&self, panel: usize, lines: &mut Vec<f64>) {
        let rows = self.rows.rows();
        lines.clear();
        lines.resize(LANES * rows, 0.0);
        let per_block = BLOCK / LANES;
        let (block, own) = (panel / per_block, panel % per_block);
        let (blocks, mut none) = (self.blocks(), Default::default());
        for other in 0..blocks.count() {
            let (a, b) = (block.min(other), block.max(other));
            let tiles = self.tiles((a, b), &mut none).as_chunks::<TILE>().0;
            let width = blocks.panels(b).len();
            let first = other * BLOCK;
            for (index, start) in (first..blocks.places(other).end).step_by(LANES).enumerate() {
                let others = start..(start + LANES).min(rows);
                // Blocks above are seen from the other side.
                let square: [[f64; LANES]; LANES] = if other < block {
                    let tile = tiles[index * width + own];
                    std::array::from_fn(|i| std::array::from_fn(|k| tile[k * LANES + i]))
                } else {
                    let tile = tiles[own * width + index];
                    std::array::from_fn(|i| std::array::from_fn(|k| tile[i * LANES + k]))
                };
                for (distances, line) in square.iter().zip(lines.chunks_exact_mut(rows)) {
                    line[others.clone()].copy_from_slice(&distances[..others.len()]);
                }
            }
        }
    }

    /// Below the first distance a row is near, above the second it is far.
    pub(super) fn bounds(&self, line: &[f64]) -> (f64, f64) {
        self.bounds_of(match self.rule {
            RadiusRule::MeanOfPairs | RadiusRule::MeanOfMatrix | RadiusRule::Sigmoid => self.pairs,
            RadiusRule::OwnMean => finite_moments(level(), line),
        })
    }

    /// The same where the distances that the radius is of have that mean and spread.
    pub(super) fn bounds_of(&self, spread: Moments) -> (f64, f64) {
        let half = match self.rule {
            RadiusRule::MeanOfPairs | RadiusRule::MeanOfMatrix | RadiusRule::Sigmoid => 0.0,
            RadiusRule::OwnMean => spread.deviation() / 2.0,
        };
        let (near, far) = (spread.mean - half, spread.mean + half);
        (near - near.abs() * ON_THRESHOLD, far + far.abs() * ON_THRESHOLD)
    }

    /// Mean and spread of the distances of all pairs, as the radius is of them.
    pub(super) fn pairs(&self) -> Moments {
        self.pairs
    }

    /// Multiplies the weights of some pairs by what their distances count.
    pub(super) fn strengthen(&self, distances: &[f64], links: &mut Links) {
        if self.rule != RadiusRule::Sigmoid {
            return;
        }
        let (places, [to, from]) = links.parts_mut();
        for (&place, (to, from)) in places.iter().zip(to.iter_mut().zip(from)) {
            let strength = self.strength(distances[place as usize]);
            *to *= strength;
            *from *= strength;
        }
    }

    /// What a neighbor at a distance counts before its group is averaged.
    pub(super) fn strength(&self, distance: f64) -> f64 {
        if self.rule != RadiusRule::Sigmoid {
            return 1.0;
        }
        let deviation = self.pairs.deviation();
        if deviation == 0.0 {
            return 1.0;
        }
        let z = 4.0 * (distance - self.pairs.mean) / deviation;
        // 2 / (1 + exp(z)) - 1 is the hyperbolic tangent of -z / 2.
        (z / 2.0).tanh().abs()
    }
}

/// Adds up the distances of all pairs, and keeps them where there is room.
struct AllPairs<'a, 's, 'c> {
    source: &'a RadiusNeighbors<'s, 'c>,
    /// Per pair of blocks.
    parts: Vec<Mutex<Moments>>,
    kept: Vec<Mutex<&'a mut [f64]>>,
}

impl BlockSink<f64> for AllPairs<'_, '_, '_> {
    type Buffers = ();

    fn take(
        &self,
        (a, b): (usize, usize),
        tiles: &[[f64; TILE]],
        _: &mut (),
    ) -> Result<ControlFlow<()>> {
        let (source, blocks, tiles) = (self.source, self.source.blocks(), tiles.as_flattened());
        let pair = blocks.pair(a, b);
        if !source.knows_pairs() {
            let spread = source.moments_of((a, b), tiles);
            *self.parts[pair].lock().unwrap_or_else(PoisonError::into_inner) = spread;
        }
        if let Some(kept) = self.kept.get(pair) {
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept[..tiles.len()].copy_from_slice(tiles);
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// The distances computed last, for one worker.
#[derive(Default)]
pub(super) struct Near {
    /// Panels whose distances to all rows are in `tiles` or `lines`.
    computed: Range<usize>,
    /// Panels to compute at a time, up to the last that are asked for.
    at_once: usize,
    end: usize,
    tiles: Vec<f64>,
    scratch: Scratch,
    /// The lines of a panel, where distances are kept.
    lines: Vec<f64>,
}

/// The moments of some numbers, in two passes.
fn moments(values: impl Iterator<Item = f64> + Clone) -> Moments {
    let (mut count, mut sum) = (0.0, 0.0);
    for value in values.clone() {
        count += 1.0;
        sum += value;
    }
    if count == 0.0 {
        return Moments::default();
    }
    let mean = sum / count;
    let squares = values.map(|value| (value - mean) * (value - mean)).sum();
    Moments { count, mean, squares }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spreads_merge_to_the_whole() {
        let values = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0];
        let whole = moments(values.into_iter());
        let parts = moments(values[..3].iter().copied())
            .merged(Moments::default())
            .merged(moments(values[3..].iter().copied()));
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
