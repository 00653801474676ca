//! Neighbours by distance instead of number: everyone nearer than a radius, and on request
//! everyone farther.
//!
//! The radius comes from the distances themselves: the mean over all pairs (SURF), or the mean
//! and standard deviation of a row's own distances (MultiSURF). Where there are at most 4096 rows
//! and all are sampled, every pair's distance is computed once and kept (half a matrix, 64 MB);
//! else a row's distances are computed when its neighbours are asked for, 8 to 64 rows at a time.
//! Where distances are kept, pairs can be had with both directions at once ([`super::symmetric`]).

mod doubt;

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use basrelief_kernels::{
    LANES, Links, Moments, Side, TILE, count_beside, find_beside, finite_moments, level, panels,
};
use rayon::prelude::*;

use super::memory::{of_radius, sampling};
use super::nearest::{Grouping, Neighbor, PairSource, SymmetricPairs};
use super::options::Metric;
use super::space::Space;
use super::squares::{pairs_of, squares};
use super::sweep::{BLOCK, Scratch, Sweep, tile_place};
use super::symmetric::RadiusPairs;
use crate::error::Result;
use crate::memory::{MemoryUse, PossiblyMapped};
use crate::run::Run;

/// Distances closer to a threshold than this share of it are on it: neither near nor far. It is
/// twice the spacing of rounded distances.
const ON_THRESHOLD: f64 = 3e-11;

/// Rows up to which all distances are kept.
const MOST_KEPT: usize = 4096;

/// Groups, near and far, up to which pairs are shown with both directions at once.
const MOST_LISTS: usize = 64;

/// Rows whose neighbours one task counts.
const ROWS_PER_TASK: usize = 64;

/// Distances that are computed at a time, in bytes, unless eight rows' are more; and panels of rows
/// whose distances are.
const BLOCK_BYTES: usize = 1 << 20;
const MOST_AT_ONCE: usize = 8;

/// Room for the tiled distances of two blocks.
const OF_PAIR: usize = panels(BLOCK) * panels(BLOCK) * TILE;

/// Who is near, and who is far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RadiusRule {
    /// Near: nearer than the mean distance of all pairs; far: farther (SURF, SURF*).
    MeanOfPairs,
    /// As `MeanOfPairs`, but the mean is that of the whole matrix of distances, where every row has
    /// the distance 0 to itself (the radius of scikit-rebate).
    MeanOfMatrix,
    /// Near: nearer than the row's mean distance less half its standard deviation; far: farther
    /// than the mean plus half (MultiSURF, MultiSURF*).
    OwnMean,
    /// As `MeanOfPairs`, and a neighbour at distance d counts `|2 / (1 + exp(4 (d - mean) / sd)) -
    /// 1|` with mean and standard deviation of all pairs (SWRF*).
    Sigmoid,
}

/// Near rows of every sampled row and, on request, far ones.
///
/// Groups 0 to G - 1 are the near rows of the grouping's G groups, groups G to 2G - 1 the far
/// ones where they are wanted. The weights of a group are 1 over its size, times the sigmoid's value where there is one.
pub struct RadiusNeighbors<'s, 'c> {
    pub(super) sweep: Sweep<'s>,
    pub(super) grouping: Grouping<'c>,
    sampled: usize,
    rule: RadiusRule,
    pub(super) with_far: bool,
    euclidean: bool,
    /// Mean and standard deviation of all pairs; not used by `OwnMean`.
    pairs: Moments,
    /// Rows of one code in the sweep's order.
    runs: Vec<(Range<usize>, u32)>,
    /// The tiled distances of all pairs of blocks, the lower block first, where rows are few; else
    /// empty.
    kept: PossiblyMapped<f64>,
    /// What every row decides by, where distances are kept.
    pub(super) own: Vec<Own>,
}

/// What a row decides by, and how it comes out.
pub(super) struct Own {
    /// Below this distance others are near.
    pub(super) near: f64,
    /// Above this one they are far.
    pub(super) far: f64,
    /// The sizes of its groups, near and far.
    pub(super) sizes: Vec<u32>,
    /// Whether rounded distances leave in doubt who is near or far.
    in_doubt: bool,
}

/// Who is sought.
#[derive(Clone, Copy)]
struct Choice<'c> {
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
        let rows = space.rows();
        let keep = sampled.len() == rows && rows <= MOST_KEPT;
        let needed = of_radius(space, grouping.count(), keep, run.memory());
        run.progress().memory(needed);
        run.memory().claim(needed, "the search of neighbours", &sampling())?;
        let order = super::nearest::sampled_first(rows, sampled, grouping);
        let choice = Choice { grouping, rule, with_far };
        if keep && let Some(source) = Self::rounded(space, &order, choice, run)? {
            return Ok(source);
        }
        let mut source = Self::of(Sweep::for_radii(space, order, run)?, sampled.len(), choice);
        source.measure(keep, run)?;
        Ok(source)
    }

    /// Of the first `sampled` rows of a sweep; nothing is measured yet.
    fn of(sweep: Sweep<'s>, sampled: usize, choice: Choice<'c>) -> Self {
        let Choice { grouping, rule, with_far } = choice;
        let mut runs: Vec<(Range<usize>, u32)> = Vec::new();
        for (place, &row) in sweep.order().iter().enumerate() {
            let code = grouping.code(row as usize);
            match runs.last_mut() {
                Some((places, last)) if *last == code => places.end = place + 1,
                _ => runs.push((place..place + 1, code)),
            }
        }
        Self {
            euclidean: sweep.space().options().metric == Metric::Euclidean,
            sweep,
            grouping,
            sampled,
            rule,
            with_far,
            pairs: Moments::default(),
            runs,
            kept: PossiblyMapped::default(),
            own: Vec::new(),
        }
    }

    /// Looks at all pairs, where the rule needs it or distances are kept.
    fn measure(&mut self, keep: bool, run: &Run) -> Result<()> {
        if keep || self.rule != RadiusRule::OwnMean {
            self.look_at_pairs(keep, run)?;
        }
        if keep {
            self.count_all(run)?;
        }
        Ok(())
    }

    /// Keeps the distances of all pairs if wanted, and learns their mean and spread where the rule needs
    /// them and they are not known.
    fn look_at_pairs(&mut self, keep: bool, run: &Run) -> Result<()> {
        let spread;
        (spread, self.kept) = run.install(|| self.all_pairs(keep, run))?;
        if !self.knows_pairs() {
            self.know_pairs(spread);
        }
        Ok(())
    }

    /// Whether mean and spread of all pairs are known, if they are needed.
    fn knows_pairs(&self) -> bool {
        self.rule == RadiusRule::OwnMean || self.pairs.count > 0.0
    }

    fn know_pairs(&mut self, spread: Moments) {
        self.pairs = spread;
        if self.rule == RadiusRule::MeanOfMatrix {
            let cells = 2.0 * spread.count;
            self.pairs.mean *= cells / (cells + self.sweep.rows() as f64);
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
        self.grouping.code(self.sweep.order()[place] as usize)
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

    /// Number of blocks of rows.
    fn blocks(&self) -> usize {
        self.sweep.rows().div_ceil(BLOCK)
    }

    /// All pairs of blocks, the lower one first.
    pub(super) fn pairs_of_blocks(&self) -> Vec<(usize, usize)> {
        let blocks = self.blocks();
        (0..blocks).flat_map(|a| (a..blocks).map(move |b| (a, b))).collect()
    }

    /// The place of two blocks, the lower one first, among all pairs.
    fn pair(&self, a: usize, b: usize) -> usize {
        // Before those of block a there are a * blocks, less the 1 + ... + a that came earlier.
        a * self.blocks() - a * (a + 1) / 2 + b
    }

    /// Whether all distances are kept.
    fn keeps(&self) -> bool {
        !self.kept.is_empty()
    }

    /// The kept distances of two blocks, the lower one first, and whatever is behind them.
    pub(super) fn kept(&self, a: usize, b: usize) -> &[f64] {
        &self.kept[self.pair(a, b) * OF_PAIR..][..OF_PAIR]
    }

    /// The places of a block.
    pub(super) fn span(&self, block: usize) -> Range<usize> {
        block * BLOCK..((block + 1) * BLOCK).min(self.sweep.rows())
    }

    /// Learns what every row decides by.
    fn count_all(&mut self, run: &Run) -> Result<()> {
        let rows = self.sweep.rows();
        let starts: Vec<usize> = (0..rows).step_by(ROWS_PER_TASK).collect();
        let counted = run.install(|| {
            starts
                .par_iter()
                .map_init(Default::default, |(near, line), &start| {
                    run.check()?;
                    let places = start..(start + ROWS_PER_TASK).min(rows);
                    Ok(places.map(|place| self.count(place, near, line)).collect())
                })
                .collect::<Result<Vec<Vec<_>>>>()
        })?;
        self.own = counted.into_iter().flatten().collect();
        Ok(())
    }

    /// What a row decides by; `line` is room for its distances.
    fn count(&self, place: usize, near: &mut Near, line: &mut Vec<f64>) -> Own {
        self.line(place, near, line);
        let (near, far) = self.thresholds(line);
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
        let in_doubt = self.leaves_in_doubt(place, (near, far), line);
        Own { near, far, sizes, in_doubt }
    }

    /// Mean and spread of the distances of all pairs that know a feature in common, for rules that
    /// need it, and with `keep` the tiled distances of all pairs of blocks. Every pair is looked at
    /// once; blocks are merged in a fixed order.
    fn all_pairs(&self, keep: bool, run: &Run) -> Result<(Moments, PossiblyMapped<f64>)> {
        let blocks = self.blocks();
        let mut parts = vec![Moments::default(); blocks * (blocks + 1) / 2];
        let mut kept = PossiblyMapped::in_memory(
            if keep { parts.len() * OF_PAIR } else { 0 },
            MemoryUse::Whole,
        );
        let places: Vec<Mutex<&mut [f64]>> = kept.chunks_mut(OF_PAIR).map(Mutex::new).collect();
        run.progress().start("measuring distances", parts.len() as u64);
        for square in squares(blocks, blocks, self.sweep.bytes(BLOCK), run.memory()) {
            let found = pairs_of(square)
                .map_init(Scratch::default, |scratch, (a, b)| {
                    run.check()?;
                    let (left, right) = (self.span(a), self.span(b));
                    let width = panels(right.len());
                    let of = |rows: &Range<usize>| rows.start / LANES..panels(rows.end);
                    if a == b {
                        self.sweep.square(of(&left), scratch);
                    } else {
                        self.sweep.block(of(&left), of(&right), scratch);
                    }
                    let mut spread = Moments::default();
                    if !self.knows_pairs() {
                        for i in 0..left.len() {
                            let first = if a == b { i + 1 } else { 0 };
                            let once = (first..right.len())
                                .map(|j| self.length(scratch.out[tile_place(i, j, width)]))
                                .filter(|distance| distance.is_finite());
                            spread = spread.merged(moments(once));
                        }
                    }
                    run.progress().advance(1);
                    if keep {
                        // Nobody else wants the place.
                        let mut place =
                            places[self.pair(a, b)].lock().unwrap_or_else(PoisonError::into_inner);
                        place[..scratch.out.len()].copy_from_slice(&scratch.out);
                    }
                    Ok((self.pair(a, b), spread))
                })
                .collect::<Result<Vec<_>>>()?;
            found.into_iter().for_each(|(pair, part)| parts[pair] = part);
        }
        run.progress().finish();
        drop(places);
        let spread = parts.into_iter().fold(Moments::default(), Moments::merged);
        Ok((spread, kept))
    }

    /// The distances of a row to all rows; to itself infinity, which is nobody's neighbour.
    pub(super) fn line(&self, place: usize, near: &mut Near, line: &mut Vec<f64>) {
        let rows = self.sweep.rows();
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
                self.sweep.block(near.computed.clone(), 0..panels(rows), &mut near.scratch);
            }
            let own = place - near.computed.start * LANES;
            add_row(&near.scratch.out, own, panels(rows), rows, line);
        }
        self.lengths(line);
        line[place] = f64::INFINITY;
    }

    /// The kept distances of a panel's rows to all rows, row by row.
    fn kept_lines(&self, panel: usize, lines: &mut Vec<f64>) {
        let rows = self.sweep.rows();
        lines.clear();
        lines.resize(LANES * rows, 0.0);
        let per_block = BLOCK / LANES;
        let (block, own) = (panel / per_block, panel % per_block);
        for other in 0..self.blocks() {
            let (a, b) = (block.min(other), block.max(other));
            let (tiles, width) =
                (self.kept(a, b).as_chunks::<TILE>().0, panels(self.span(b).len()));
            let first = other * BLOCK;
            for (index, start) in (first..self.span(other).end).step_by(LANES).enumerate() {
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
    pub(super) fn thresholds(&self, line: &[f64]) -> (f64, f64) {
        let (near, far) = match self.rule {
            RadiusRule::MeanOfPairs | RadiusRule::MeanOfMatrix | RadiusRule::Sigmoid => {
                (self.pairs.mean, self.pairs.mean)
            }
            RadiusRule::OwnMean => {
                let spread = finite_moments(level(), line);
                let half = spread.deviation() / 2.0;
                (spread.mean - half, spread.mean + half)
            }
        };
        (near - near.abs() * ON_THRESHOLD, far + far.abs() * ON_THRESHOLD)
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

    /// What a neighbour at a distance counts before its group is averaged.
    fn strength(&self, distance: f64) -> f64 {
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

impl PairSource for RadiusNeighbors<'_, '_> {
    fn len(&self) -> usize {
        self.sampled
    }

    fn expected_pairs(&self, _place: usize) -> usize {
        self.sweep.rows()
    }

    fn visit(&self, places: Range<usize>, visit: &mut dyn FnMut(u32, usize, &[Neighbor])) {
        let rows = self.sweep.rows();
        let groups = self.groups();
        let mut near = Near {
            // Several panels at once, as far as the places go, so that the others are read less often:
            // of a file as many as may be.
            at_once: if self.sweep.in_file() {
                MOST_AT_ONCE
            } else {
                let bytes = panels(rows) * TILE * size_of::<f64>();
                (BLOCK_BYTES / bytes).clamp(1, MOST_AT_ONCE)
            },
            end: panels(places.end),
            ..Near::default()
        };
        let mut line = Vec::with_capacity(rows);
        let mut chosen = Vec::new();
        let mut lists: Vec<Vec<Neighbor>> = vec![Vec::new(); self.lists()];
        for place in places {
            self.line(place, &mut near, &mut line);
            let (least, most) = match self.own.get(place) {
                Some(own) => (own.near, own.far),
                None => self.thresholds(&line),
            };
            let row = self.sweep.order()[place];
            let own_code = self.code(place);
            lists.iter_mut().for_each(Vec::clear);
            for (others, code) in &self.runs {
                let group = self.grouping.group(own_code, *code);
                let near = (Side::Near, least);
                self.choose(others, &line, near, &mut chosen, &mut lists[group]);
                if self.with_far {
                    let far = (Side::Far, most);
                    self.choose(others, &line, far, &mut chosen, &mut lists[groups + group]);
                }
            }
            for (group, list) in lists.iter_mut().enumerate() {
                let size = list.len() as f64;
                list.iter_mut().for_each(|neighbor| neighbor.weight /= size);
                visit(row, group, list);
            }
        }
    }

    fn symmetric(&self) -> Option<Box<dyn SymmetricPairs + '_>> {
        // A row's groups have a number each.
        if !self.keeps() || self.lists() > MOST_LISTS {
            return None;
        }
        Some(Box::new(RadiusPairs::new(self)))
    }
}

impl RadiusNeighbors<'_, '_> {
    /// Adds the rows at some places whose distance is on a side of a bound.
    fn choose(
        &self,
        places: &Range<usize>,
        line: &[f64],
        (side, bound): (Side, f64),
        chosen: &mut Vec<u32>,
        list: &mut Vec<Neighbor>,
    ) {
        let distances = &line[places.clone()];
        find_beside(level(), side, distances, bound, chosen);
        list.extend(chosen.iter().map(|&place| Neighbor {
            row: self.sweep.order()[places.start + place as usize],
            weight: self.strength(distances[place as usize]),
        }));
    }
}

/// The distances computed last, for one worker.
#[derive(Default)]
pub(super) struct Near {
    /// Panels whose distances to all rows are in `scratch` or `lines`.
    computed: Range<usize>,
    /// Panels to compute at a time, up to the last that are asked for.
    at_once: usize,
    end: usize,
    scratch: Scratch,
    /// The lines of a panel, where distances are kept.
    lines: Vec<f64>,
}

/// Adds the distances of one row to the first `count` rows of tiles that are `width` panels wide.
pub(super) fn add_row(tiles: &[f64], row: usize, width: usize, count: usize, line: &mut Vec<f64>) {
    let first = tile_place(row, 0, width);
    let before = line.len();
    for tile in tiles[first..].chunks(TILE).take(width) {
        line.extend_from_slice(&tile[..LANES]);
    }
    line.truncate(before + count);
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
