//! Neighbours by distance instead of number: everyone nearer than a radius, and on request
//! everyone farther.
//!
//! The radius comes from the distances themselves: the mean over all pairs (SURF), or the mean
//! and standard deviation of a row's own distances (MultiSURF). Where there are at most 4096 rows
//! and all are sampled, every pair's distance is computed once and kept (half a matrix, 64 MB);
//! else a row's distances are computed when its neighbours are asked for, 8 to 64 rows at a time.
//! Where distances are kept, pairs can be had with both directions at once ([`super::symmetric`]).

use std::sync::{Mutex, PoisonError};

use basrelief_kernels::{LANES, MOST_WHOLE, TILE, panels};
use rayon::prelude::*;

use super::memory::of_radius;
use super::nearest::{Grouping, Neighbor, PairSource, SymmetricPairs};
use super::options::Metric;
use super::rounded::defined_distances;
use super::space::Space;
use super::squares::{pairs_of, squares};
use super::sweep::{BLOCK, Scratch, Sweep, tile_place};
use super::symmetric::RadiusPairs;
use crate::error::Result;
use crate::memory::{Room, Used};
use crate::run::Run;

/// Distances closer to a threshold than this share of it are on it: neither near nor far. It is
/// twice the spacing of rounded distances.
const ON_THRESHOLD: f64 = 3e-11;

/// Rows up to which all distances are kept.
const MOST_KEPT: usize = 4096;

/// Groups, near and far, up to which pairs are shown with both directions at once.
const MOST_LISTS: usize = 64;

/// One of so many rows may be left in doubt by rounded numbers: the distances of one cost as much as
/// those of a dozen.
const DOUBTED: usize = 32;

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
    pairs: Spread,
    /// Rows of one code in the sweep's order.
    pub(super) runs: Vec<(std::ops::Range<usize>, u32)>,
    /// The tiled distances of all pairs of blocks, the lower block first, where rows are few; else
    /// empty.
    kept: Room<f64>,
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
        run.progress().memory(of_radius(space, grouping.count(), keep, run.memory()));
        let order = super::nearest::sampled_first(rows, sampled, grouping);
        // The distances of a row decide by themselves only: few can be in doubt.
        if keep && rule == RadiusRule::OwnMean {
            let order = order.clone();
            let found = Self::rounded(space, order, MOST_WHOLE, grouping, with_far, run)?;
            if let Some(source) = found {
                return Ok(source);
            }
        }
        let sweep = Sweep::for_radii(space, order, run)?;
        let mut source = Self::of(sweep, sampled.len(), grouping, rule, with_far);
        source.measure(keep, run)?;
        Ok(source)
    }

    /// All rows by the rule `OwnMean`, from distances of numbers of up to so many steps; `None` where
    /// these are no help.
    fn rounded(
        space: &'s Space<'s>,
        order: Vec<u32>,
        steps: u32,
        grouping: Grouping<'c>,
        with_far: bool,
        run: &Run,
    ) -> Result<Option<Self>> {
        let rows = order.len();
        let Some(sweep) = Sweep::rounded(space, order, steps, run)? else { return Ok(None) };
        let mut source = Self::of(sweep, rows, grouping, RadiusRule::OwnMean, with_far);
        source.measure(true, run)?;
        Ok(source.settle(run)?.then_some(source))
    }

    fn of(
        sweep: Sweep<'s>,
        sampled: usize,
        grouping: Grouping<'c>,
        rule: RadiusRule,
        with_far: bool,
    ) -> Self {
        let mut runs: Vec<(std::ops::Range<usize>, u32)> = Vec::new();
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
            pairs: Spread::default(),
            runs,
            kept: Room::default(),
            own: Vec::new(),
        }
    }

    /// Looks at all pairs, where the rule needs it or distances are kept.
    fn measure(&mut self, keep: bool, run: &Run) -> Result<()> {
        if keep || self.rule != RadiusRule::OwnMean {
            (self.pairs, self.kept) = run.install(|| self.all_pairs(keep, run))?;
        }
        if self.rule == RadiusRule::MeanOfMatrix {
            let cells = 2.0 * self.pairs.count;
            self.pairs.mean *= cells / (cells + self.sweep.rows() as f64);
        }
        if keep {
            self.own = run.install(|| self.count_all(run))?;
        }
        Ok(())
    }

    /// Number of groups among near rows; as many again among far ones where they are wanted.
    pub fn groups(&self) -> usize {
        self.grouping.count()
    }

    /// Groups that are told apart, near and far.
    pub(super) fn lists(&self) -> usize {
        if self.with_far { 2 * self.groups() } else { self.groups() }
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
    pub(super) fn blocks(&self) -> usize {
        self.sweep.rows().div_ceil(BLOCK)
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
    pub(super) fn span(&self, block: usize) -> std::ops::Range<usize> {
        block * BLOCK..((block + 1) * BLOCK).min(self.sweep.rows())
    }

    /// What every row decides by.
    fn count_all(&self, run: &Run) -> Result<Vec<Own>> {
        let rows = self.sweep.rows();
        let starts: Vec<usize> = (0..rows).step_by(ROWS_PER_TASK).collect();
        let counted = starts
            .par_iter()
            .map_init(Vec::new, |line, &start| {
                run.check()?;
                let places = start..(start + ROWS_PER_TASK).min(rows);
                Ok(places.map(|place| self.count(place, line)).collect())
            })
            .collect::<Result<Vec<Vec<_>>>>()?;
        Ok(counted.into_iter().flatten().collect())
    }

    /// What a row decides by; `line` is room for its distances.
    fn count(&self, place: usize, line: &mut Vec<f64>) -> Own {
        self.line(place, &mut Near::default(), line);
        let (near, far) = self.thresholds(line);
        let mut sizes = vec![0; self.lists()];
        let own_code = self.grouping.code(self.sweep.order()[place] as usize);
        for (others, code) in &self.runs {
            let group = self.grouping.group(own_code, *code);
            let others = &line[others.clone()];
            sizes[group] += count(others, |distance| distance < near);
            if self.with_far {
                sizes[self.groups() + group] +=
                    count(others, |distance| (distance > far) & (distance < f64::INFINITY));
            }
        }
        let in_doubt = self.sweep.error(place).is_some_and(|error| {
            // The mean can be wrong by as much as a distance, half the deviation by half of that.
            let band = 2.5 * error;
            let far = if self.with_far { far } else { near };
            line.iter().fold(false, |any, &distance| {
                any | ((distance - near).abs() <= band) | ((distance - far).abs() <= band)
            })
        });
        Own { near, far, sizes, in_doubt }
    }

    /// Puts the distances as they are defined in place of the rounded ones, for rows that these leave
    /// in doubt; `false` where there are too many such rows.
    fn settle(&mut self, run: &Run) -> Result<bool> {
        let places = 0..self.sweep.rows();
        let in_doubt: Vec<usize> =
            places.clone().filter(|&place| self.own[place].in_doubt).collect();
        if in_doubt.len() > places.len().div_ceil(DOUBTED) {
            return Ok(false);
        }
        let others = |place| places.clone().filter(move |&other| other != place);
        let pairs: Vec<(usize, usize)> = in_doubt
            .iter()
            .flat_map(|&place| others(place).map(move |other| (place, other)))
            .collect();
        let order = self.sweep.order();
        let rows: Vec<(u32, u32)> =
            pairs.iter().map(|&(place, other)| (order[place], order[other])).collect();
        let distances = defined_distances(self.sweep.space(), &rows, run)?;
        for ((place, other), distance) in pairs.into_iter().zip(distances) {
            self.keep(place, other, distance);
        }
        let mut line = Vec::new();
        for place in in_doubt {
            self.own[place] = self.count(place, &mut line);
        }
        Ok(true)
    }

    /// Keeps another distance of a pair.
    fn keep(&mut self, place: usize, other: usize, distance: f64) {
        let (low, high) = (place.min(other), place.max(other));
        let (a, b) = (low / BLOCK, high / BLOCK);
        let width = panels(self.span(b).len());
        let first = self.pair(a, b) * OF_PAIR;
        let (row, column) = (low % BLOCK, high % BLOCK);
        self.kept[first + tile_place(row, column, width)] = distance;
        if a == b {
            self.kept[first + tile_place(column, row, width)] = distance;
        }
    }

    /// Mean and spread of the distances of all pairs that know a feature in common, for rules that
    /// need it, and with `keep` the tiled distances of all pairs of blocks. Every pair is looked at
    /// once; blocks are merged in a fixed order.
    fn all_pairs(&self, keep: bool, run: &Run) -> Result<(Spread, Room<f64>)> {
        let blocks = self.blocks();
        let mut parts = vec![Spread::default(); blocks * (blocks + 1) / 2];
        let mut kept = Room::in_memory(if keep { parts.len() * OF_PAIR } else { 0 }, Used::Whole);
        let places: Vec<Mutex<&mut [f64]>> = kept.chunks_mut(OF_PAIR).map(Mutex::new).collect();
        run.progress().start("measuring distances", parts.len() as u64);
        for square in squares(blocks, blocks, self.sweep.bytes(BLOCK), run.memory()) {
            let found = pairs_of(square)
                .map_init(Scratch::default, |scratch, (a, b)| {
                    run.check()?;
                    let (left, right) = (self.span(a), self.span(b));
                    let width = panels(right.len());
                    let of = |rows: &std::ops::Range<usize>| rows.start / LANES..panels(rows.end);
                    if a == b {
                        self.sweep.square(of(&left), scratch);
                    } else {
                        self.sweep.block(of(&left), of(&right), scratch);
                    }
                    let mut spread = Spread::default();
                    if self.rule != RadiusRule::OwnMean {
                        for i in 0..left.len() {
                            let first = if a == b { i + 1 } else { 0 };
                            let once = (first..right.len())
                                .map(|j| self.length(scratch.out[tile_place(i, j, width)]))
                                .filter(|distance| distance.is_finite());
                            spread = spread.merged(Spread::of(once));
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
        let spread = parts.into_iter().fold(Spread::default(), Spread::merged);
        Ok((spread, kept))
    }

    /// The distances of a row to all rows; to itself infinity, which is nobody's neighbour.
    pub(super) fn line(&self, place: usize, near: &mut Near, line: &mut Vec<f64>) {
        let rows = self.sweep.rows();
        line.clear();
        if !self.keeps() {
            let panel = place / LANES;
            if !near.computed.contains(&panel) {
                near.computed = panel..(panel + near.at_once).min(panels(self.sampled));
                self.sweep.block(near.computed.clone(), 0..panels(rows), &mut near.scratch);
            }
            let own = place - near.computed.start * LANES;
            add_row(&near.scratch.out, own, panels(rows), rows, line);
        } else {
            let blocks = self.blocks();
            let (block, own) = (place / BLOCK, place % BLOCK);
            let width = panels(self.span(block).len());
            for other in 0..block {
                let tiles = self.kept(other, block);
                line.extend((0..BLOCK).map(|row| tiles[tile_place(row, own, width)]));
            }
            for other in block..blocks {
                let others = self.span(other).len();
                add_row(self.kept(block, other), own, panels(others), others, line);
            }
        }
        self.lengths(line);
        line[place] = f64::INFINITY;
    }

    /// Below the first distance a row is near, above the second it is far.
    pub(super) fn thresholds(&self, line: &[f64]) -> (f64, f64) {
        let (near, far) = match self.rule {
            RadiusRule::MeanOfPairs | RadiusRule::MeanOfMatrix | RadiusRule::Sigmoid => {
                (self.pairs.mean, self.pairs.mean)
            }
            RadiusRule::OwnMean => {
                let spread = Spread::of_finite(line);
                let half = spread.deviation() / 2.0;
                (spread.mean - half, spread.mean + half)
            }
        };
        (near - near.abs() * ON_THRESHOLD, far + far.abs() * ON_THRESHOLD)
    }

    /// What a neighbour at a distance counts before its group is averaged.
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

impl PairSource for RadiusNeighbors<'_, '_> {
    fn len(&self) -> usize {
        self.sampled
    }

    fn expected_pairs(&self, _place: usize) -> usize {
        self.sweep.rows()
    }

    fn visit(
        &self,
        places: std::ops::Range<usize>,
        visit: &mut dyn FnMut(u32, usize, &[Neighbor]),
    ) {
        let rows = self.sweep.rows();
        let groups = self.groups();
        let mut near = Near {
            // Several panels at once, so that the others are read less often.
            // A file should be read as seldom as may be.
            at_once: if self.sweep.in_file() {
                MOST_AT_ONCE
            } else {
                let bytes = panels(rows) * TILE * size_of::<f64>();
                (BLOCK_BYTES / bytes).clamp(1, MOST_AT_ONCE)
            },
            ..Near::default()
        };
        let mut line = Vec::with_capacity(rows);
        let mut chosen = vec![0_u32; rows];
        let mut lists: Vec<Vec<Neighbor>> = vec![Vec::new(); self.lists()];
        for place in places {
            self.line(place, &mut near, &mut line);
            let (least, most) = match self.own.get(place) {
                Some(own) => (own.near, own.far),
                None => self.thresholds(&line),
            };
            let row = self.sweep.order()[place];
            let own_code = self.grouping.code(row as usize);
            lists.iter_mut().for_each(Vec::clear);
            for (others, code) in &self.runs {
                let group = self.grouping.group(own_code, *code);
                let list = &mut lists[group];
                self.choose(others, &line, |d| d < least, &mut chosen, list);
                if self.with_far {
                    let list = &mut lists[groups + group];
                    self.choose(
                        others,
                        &line,
                        |d| (d > most) & (d < f64::INFINITY),
                        &mut chosen,
                        list,
                    );
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
    /// Adds the rows at some places whose distance is wanted.
    fn choose(
        &self,
        places: &std::ops::Range<usize>,
        line: &[f64],
        wanted: impl Fn(f64) -> bool,
        chosen: &mut [u32],
        list: &mut Vec<Neighbor>,
    ) {
        // Every place is written down and the next overwrites it if it is not wanted: no branch,
        // since none could be foretold.
        let mut count = 0;
        for place in places.clone() {
            chosen[count] = place as u32;
            count += usize::from(wanted(line[place]));
        }
        list.extend(chosen[..count].iter().map(|&place| Neighbor {
            row: self.sweep.order()[place as usize],
            weight: self.strength(line[place as usize]),
        }));
    }
}

/// The distances computed last, for one worker.
#[derive(Default)]
pub(super) struct Near {
    /// Panels whose distances to all rows are in `scratch`.
    computed: std::ops::Range<usize>,
    /// Panels to compute at a time.
    at_once: usize,
    scratch: Scratch,
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

/// Count, mean and sum of squared deviations, mergeable without loss (Chan, Golub & LeVeque 1983).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Spread {
    count: f64,
    mean: f64,
    squares: f64,
}

impl Spread {
    /// Of some numbers, in two passes.
    fn of(values: impl Iterator<Item = f64> + Clone) -> Self {
        let (mut count, mut sum) = (0.0, 0.0);
        for value in values.clone() {
            count += 1.0;
            sum += value;
        }
        if count == 0.0 {
            return Self::default();
        }
        let mean = sum / count;
        let squares = values.map(|value| (value - mean) * (value - mean)).sum();
        Self { count, mean, squares }
    }

    /// Of the finite among some numbers, eight sums side by side.
    fn of_finite(values: &[f64]) -> Self {
        let count = sum_of_finite(values, |_| 1.0);
        if count == 0.0 {
            return Self::default();
        }
        let mean = sum_of_finite(values, |value| value) / count;
        let squares = sum_of_finite(values, |value| (value - mean) * (value - mean));
        Self { count, mean, squares }
    }

    fn merged(self, other: Self) -> Self {
        let count = self.count + other.count;
        if count == 0.0 {
            return self;
        }
        let apart = other.mean - self.mean;
        Self {
            count,
            mean: self.mean + apart * other.count / count,
            squares: self.squares
                + other.squares
                + apart * apart * self.count * other.count / count,
        }
    }

    /// Population standard deviation.
    fn deviation(self) -> f64 {
        if self.count == 0.0 { 0.0 } else { (self.squares / self.count).sqrt() }
    }
}

/// How many distances are wanted.
fn count(distances: &[f64], wanted: impl Fn(f64) -> bool) -> u32 {
    distances.iter().map(|&distance| u32::from(wanted(distance))).sum()
}

/// The sum of a term over the finite among some numbers.
fn sum_of_finite(values: &[f64], term: impl Fn(f64) -> f64) -> f64 {
    let mut sums = [0.0; LANES];
    for part in values.chunks(LANES) {
        for (sum, &value) in sums.iter_mut().zip(part) {
            *sum += if value < f64::INFINITY { term(value) } else { 0.0 };
        }
    }
    sums.into_iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Table};
    use crate::neighbors::SpaceOptions;

    /// Per row and group, whoever is near or far.
    fn shown(source: &RadiusNeighbors<'_, '_>) -> Vec<(u32, usize, Vec<Neighbor>)> {
        let mut shown = Vec::new();
        source.visit(0..source.len(), &mut |row, group, list| {
            shown.push((row, group, list.to_vec()));
        });
        shown
    }

    #[test]
    fn rounded_distances_decide_as_exact_ones() {
        let rows = BLOCK + 37;
        let number = |row: usize, feature: usize| {
            let number = (0.618 * (row * (feature + 3)) as f64 + 0.01 * feature as f64).fract();
            if (row + feature) % 17 == 3 && feature < 3 { f64::NAN } else { number * number }
        };
        let columns = (0..7).map(|feature| {
            let values = (0..rows).map(|row| number(row, feature)).collect();
            Column::from_values(format!("f{feature}"), values).unwrap()
        });
        let table = Table::new(columns.collect()).unwrap();
        let run = Run::new(Some(2)).unwrap();
        let codes: Vec<u32> = (0..rows as u32).map(|row| row * row % 7 % 3).collect();
        let sampled: Vec<u32> = (0..rows as u32).collect();
        let space = Space::new(&table, None, SpaceOptions::default(), &run).unwrap();
        let grouping = Grouping::PerClass(&codes, 3);
        let order = crate::neighbors::nearest::sampled_first(rows, &sampled, grouping);
        for with_far in [false, true] {
            let mut exact = RadiusNeighbors::of(
                Sweep::for_radii(&space, order.clone(), &run).unwrap(),
                rows,
                grouping,
                RadiusRule::OwnMean,
                with_far,
            );
            exact.measure(true, &run).unwrap();
            let expected = shown(&exact);
            let mut doubts = 0;
            // From hardly ever in doubt to always.
            for steps in [MOST_WHOLE, 1 << 22, 1 << 20, 1 << 18, 1 << 17, 1 << 10] {
                let sweep = Sweep::rounded(&space, order.clone(), steps, &run).unwrap().unwrap();
                let rule = RadiusRule::OwnMean;
                let mut source = RadiusNeighbors::of(sweep, rows, grouping, rule, with_far);
                source.measure(true, &run).unwrap();
                let in_doubt = source.own.iter().filter(|own| own.in_doubt).count();
                let settled = source.settle(&run).unwrap();
                assert_eq!(settled, in_doubt <= rows.div_ceil(DOUBTED), "{steps} steps");
                if settled {
                    doubts += in_doubt;
                    assert_eq!(shown(&source), expected, "{steps} steps");
                }
                let found = RadiusNeighbors::rounded(
                    &space,
                    order.clone(),
                    steps,
                    grouping,
                    with_far,
                    &run,
                );
                assert_eq!(found.unwrap().is_some(), settled);
            }
            assert!(doubts > 0, "no row was in doubt");
        }
    }

    #[test]
    fn spreads_merge_to_the_whole() {
        let values = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0];
        let whole = Spread::of(values.into_iter());
        let parts = Spread::of(values[..3].iter().copied())
            .merged(Spread::default())
            .merged(Spread::of(values[3..].iter().copied()));
        assert!((whole.mean - parts.mean).abs() < 1e-15);
        assert!((whole.deviation() - parts.deviation()).abs() < 1e-14);
        let with_gap = [&values[..5], &[f64::INFINITY], &values[5..]].concat();
        let finite = Spread::of_finite(&with_gap);
        assert_eq!((finite.count, finite.mean), (8.0, whole.mean));
        assert!((whole.deviation() - finite.deviation()).abs() < 1e-14);
        assert!((whole.mean - 3.875).abs() < 1e-15);
        assert!((whole.deviation() - (52.875_f64 / 8.0).sqrt()).abs() < 1e-14);
    }
}
