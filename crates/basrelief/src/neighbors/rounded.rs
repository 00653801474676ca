//! The k nearest rows per group from distances of rounded numbers.
//!
//! Numbers rounded to 15 bits give distances that are wrong by no more than the two rows' rounding
//! errors, at a quarter of the cost. They narrow every row's candidates down to the k nearest and
//! the few that the error leaves in doubt, whose distances are then computed as they are defined.
//! Where all columns lie on a common grid of at most 32,767 steps nothing is rounded at all.
//!
//! A missing number is coded as 0, and what makes that its difference to the other row (its share,
//! see [`super::shares`]) is rounded on its own ([`super::number_shares`]): half a unit per missing value
//! is all that is lost.
//!
//! Pairs are computed once, in blocks that serve both sides. A row's first block gives a bound that
//! all but a few of the other rows exceed, since every block holds rows of all groups.

use std::ops::Range;
use std::sync::Mutex;

use basrelief_kernels::{
    LANES, Level, MOST_ROUNDED, NumberOrder, Rounding, TILE, find_below, level, panels, round_rows,
    rounded_distances,
};
use rayon::prelude::*;

use super::candidates::{Candidate, CandidateLists, TooMany};
use super::defined::defined_distances;
use super::nearest::{Entry, Grouping, NearestOptions, PlaceCodes, nearer};
use super::number_shares::{NumberShares, Packed, turned};
use super::options::{Metric, NeighborWeights};
use super::rounded_shares::{RoundedShares, ShareBuffers};
use super::shares::place_of;
use super::space::{Rule, ScaledBuffers, Space};
use super::squares::{pairs_of, squares};
use super::strips::each_strip;
use super::sweep::{Units, tile_place};
use crate::data::TOGETHER;
use crate::error::{Error, Result};
use crate::memory::PossiblyMapped;
use crate::run::Run;

/// Rows per block: a block of results is 256 KB.
const BLOCK: usize = 256;

/// Distances of rounded numbers are kept below this, and rows that are not there are beyond it.
pub(super) const MOST: u32 = 1 << 31;

/// Ranges that are greater than this can be cut into any number of steps.
const LEAST_RANGE: f64 = 1e-290;

/// Classes with missing values of a feature, up to which its shares are rounded: each has a line of
/// its own.
const CLASSES: usize = 8;

/// How the numbers of a space are rounded to 15 bits.
pub(super) struct Plan {
    features: Vec<usize>,
    units: Units,
    /// Steps in the unit of a scaled number.
    scale: f64,
    with_gaps: bool,
    /// Whether numbers are whole already.
    whole: bool,
}

impl Plan {
    /// `None` where distances are not sums of absolute differences of numbers, or missing ones are
    /// left out.
    pub(super) fn of(space: &Space<'_>) -> Option<Self> {
        let options = space.options();
        let mut features = Vec::new();
        let mut with_gaps = false;
        for (index, feature) in space.features().iter().enumerate() {
            match (feature.rule, &feature.table) {
                (Rule::Inert, _) => {}
                (rule, _) if !is_roundable(rule) => return None,
                (Rule::Number { .. }, None) if feature.gaps.is_empty() => features.push(index),
                (Rule::Number { .. }, Some(table)) if table.with_gaps().count() <= CLASSES => {
                    features.push(index);
                    with_gaps = true;
                }
                _ => return None,
            }
        }
        let width = features.len();
        if width == 0 || options.metric != Metric::Manhattan || options.ramp.is_some() {
            return None;
        }
        let most = (f64::from(MOST - 1) / width as f64).min(f64::from(MOST_ROUNDED)).floor();
        // A difference to a missing value may be rounded up by half a unit from both sides.
        let most = if with_gaps { most - 1.0 } else { most };
        if most < 1.0 {
            return None;
        }
        let units = Units::of(space, &features, width);
        // A column on a grid alone is a multiple of the unit; others are rounded.
        let whole = units.all_on_grid && units.unit <= most;
        let scale = match (whole, with_gaps) {
            (true, false) => units.unit,
            // Numbers stay whole, and shares are as fine as can be.
            (true, true) => (most / units.unit).floor() * units.unit,
            _ => most,
        };
        Some(Self { features, units, scale, with_gaps, whole })
    }

    /// Whether nothing is rounded.
    pub(super) fn is_exact(&self) -> bool {
        self.whole && !self.with_gaps
    }

    /// Whether no value is missing.
    pub(super) fn is_complete(&self) -> bool {
        !self.with_gaps
    }
}

/// Whether the differences of a feature are those of numbers that can be rounded.
pub(super) fn is_roundable(rule: Rule) -> bool {
    matches!(rule, Rule::Number { range, .. } if range > LEAST_RANGE)
}

/// What floating point can add to a distance of so many features in which numbers differ by up to
/// `unit`: sums of up to four times its terms where values are missing, and the rounding of distances.
pub(super) fn slack(width: usize, unit: f64) -> f64 {
    let width = width as f64;
    width * unit * (2e-11 + 4.0 * width * f64::EPSILON)
}

/// Rows of rounded numbers, packed for the kernels.
pub(super) struct RoundedRows {
    level: Level,
    /// Pairs of features per row.
    pairs: usize,
    values: PossiblyMapped<[i16; 2]>,
    /// Sum of every row's numbers.
    sums: Vec<u32>,
    /// By how much a row's rounding can change a distance, in rounded units.
    errors: Vec<f64>,
    /// What missing values add, where there are some.
    shares: Option<NumberShares>,
    /// Whether nothing was rounded.
    exact: bool,
    /// A rounded unit in the units of distances as they are defined.
    step: f64,
}

impl RoundedRows {
    /// Rounds the features of a space, with rows in the order given.
    pub(super) fn new(space: &Space<'_>, order: &[u32], plan: &Plan, run: &Run) -> Result<Self> {
        let &Plan { ref features, ref units, scale, with_gaps, .. } = plan;
        let width = features.len();
        let padded = panels(order.len()) * LANES;
        let mut rows = Self {
            level: level(),
            pairs: width.div_ceil(2),
            values: run.zeros(padded * width.div_ceil(2))?,
            sums: Vec::new(),
            errors: Vec::new(),
            shares: None,
            exact: plan.is_exact(),
            step: units.unit / scale,
        };
        let (mut sums, mut errors) = (vec![0; padded], vec![0.0; padded]);
        let per_panel = rows.pairs * LANES;
        let in_file = rows.is_in_file();
        let values = &mut *rows.values;
        each_strip(space, units, features, scale, in_file, run, |start, strip| {
            let (sums, errors) = (sums.as_chunks_mut().0, errors.as_chunks_mut().0);
            run.install(|| {
                let panels = values.par_chunks_mut(per_panel).zip(sums).zip(errors);
                panels.zip(order.par_chunks(LANES)).for_each_init(
                    Vec::new,
                    |copy, (((values, sums), errors), rows)| {
                        strip.panel(rows, copy, |first, lines, roundings| {
                            let out = &mut values[(start + first) / 2 * LANES..];
                            round_rows(level(), lines, roundings, out, sums, errors);
                        });
                    },
                );
            });
        })?;
        if with_gaps {
            let packed = Packed { values, pairs: width.div_ceil(2) };
            rows.shares = Some(NumberShares::new(space, order, features, packed, scale, run)?);
        }
        rows.sums = sums;
        // Rows that are not there are far from all others.
        rows.sums[order.len()..].fill(MOST);
        rows.errors = errors;
        rows.errors.truncate(order.len());
        let missing = rows.shares.iter().flat_map(NumberShares::missing);
        for (missing, error) in missing.zip(&mut rows.errors) {
            *error += 0.5 * missing as f64;
        }
        let slack = slack(width, scale);
        rows.errors.iter_mut().for_each(|error| *error += slack);
        Ok(rows)
    }

    /// A rounded unit in the units of distances as they are defined.
    pub(super) fn step(&self) -> f64 {
        self.step
    }

    /// By how much a row's rounding can change a distance, in rounded units; of all rows, none where
    /// nothing was rounded.
    pub(super) fn errors(&self) -> &[f64] {
        if self.exact { &[] } else { &self.errors }
    }

    /// Bytes that a row takes.
    pub(super) fn bytes(&self) -> usize {
        self.pairs * size_of::<[i16; 2]>()
    }

    /// Whether rows lie in a file.
    pub(super) fn is_in_file(&self) -> bool {
        matches!(self.values, PossiblyMapped::InFile(_))
    }

    /// Replaces `out` by the distances of two runs of panels, tiled.
    pub(super) fn fill(&self, a: Range<usize>, b: Range<usize>, out: &mut [u32]) {
        self.fill_packed(a.clone(), b.clone(), out);
        let rows = |range: Range<usize>| range.start * LANES..range.end * LANES;
        if let Some(shares) = &self.shares {
            shares.add(rows(a), rows(b), out);
        }
    }

    /// The same of a run of panels with itself.
    fn fill_square(&self, panels: Range<usize>, out: &mut [u32]) {
        let width = panels.len();
        // Panels before a row's own are those seen from the other side.
        for (index, tiles) in out.chunks_exact_mut(width * TILE).enumerate() {
            let panel = panels.start + index;
            self.fill_packed(panel..panel + 1, panel..panels.end, &mut tiles[index * TILE..]);
        }
        let tiles = out.as_chunks_mut::<TILE>().0;
        for row in 1..width {
            for column in 0..row {
                tiles[row * width + column] = turned(&tiles[column * width + row]);
            }
        }
        if let Some(shares) = &self.shares {
            shares.add_square(panels.start * LANES..panels.end * LANES, out);
        }
    }

    /// Replaces `out` by the distances of what is packed, where missing numbers are 0.
    fn fill_packed(&self, a: Range<usize>, b: Range<usize>, out: &mut [u32]) {
        let rows = |range: &Range<usize>| range.start * LANES..range.end * LANES;
        let values = |range: &Range<usize>| {
            &self.values[range.start * LANES * self.pairs..range.end * LANES * self.pairs]
        };
        rounded_distances(
            self.level,
            values(&a),
            values(&b),
            self.pairs,
            &self.sums[rows(&a)],
            &self.sums[rows(&b)],
            out,
        );
    }
}

/// What distances are computed of.
enum Rows<'s> {
    Numbers(Box<RoundedRows>),
    Shares(Box<RoundedShares<'s>>),
}

impl Rows<'_> {
    /// Replaces `out` by the distances of two runs of panels, tiled.
    fn fill(&self, a: Range<usize>, b: Range<usize>, out: &mut [u32], buffers: &mut ShareBuffers) {
        match self {
            Self::Numbers(rows) => rows.fill(a, b, out),
            Self::Shares(rows) => rows.fill(a, b, out, buffers),
        }
    }

    /// The same of a run of panels with itself.
    fn fill_square(&self, panels: Range<usize>, out: &mut [u32], buffers: &mut ShareBuffers) {
        match self {
            Self::Numbers(rows) => rows.fill_square(panels, out),
            // Shares are added to whole blocks of rows.
            Self::Shares(rows) => rows.fill(panels.clone(), panels, out, buffers),
        }
    }

    /// By how much a row's rounding can change a distance, in rounded units.
    fn errors(&self) -> &[f64] {
        match self {
            Self::Numbers(rows) => &rows.errors,
            Self::Shares(rows) => rows.errors(),
        }
    }

    /// Whether nothing was rounded.
    fn is_exact(&self) -> bool {
        matches!(self, Self::Numbers(rows) if rows.exact)
    }

    /// Bytes that a row takes.
    fn bytes(&self) -> usize {
        match self {
            Self::Numbers(rows) => rows.bytes(),
            Self::Shares(rows) => rows.bytes(),
        }
    }

    /// The distances of pairs of rows as they are defined; `None` where pairs are too many.
    fn defined(
        &self,
        space: &Space<'_>,
        pairs: &[(u32, u32)],
        run: &Run,
    ) -> Result<Option<Vec<f64>>> {
        match self {
            Self::Numbers(_) => defined_distances(space, pairs, run).map(Some),
            Self::Shares(rows) => rows.defined(pairs, run),
        }
    }

    /// Candidates whose distance exceeds a row's k-th least by more than this are farther than
    /// the k-th nearest; `most` is the greatest error of any row.
    fn band(&self, place: usize, most: f64) -> u32 {
        // Twice the error of a distance: the k-th's own and the candidate's.
        (2.0 * (self.errors()[place] + most)) as u32
    }
}

/// What lists kept, or that one would have to keep too many.
type Kept<T> = std::result::Result<T, TooMany>;

/// Reused memory of one worker that begins blocks.
#[derive(Default)]
struct BeginBuffers {
    out: Vec<u32>,
    shares: ShareBuffers,
    /// A block's rows in the order of their codes.
    others: Vec<u32>,
    /// Per group, distances and places.
    parts: Vec<(Vec<u32>, Vec<u32>)>,
}

/// The search for all rows.
struct Search<'s, 'c> {
    rows: Rows<'s>,
    order: Vec<u32>,
    /// Class code at every place.
    codes: PlaceCodes,
    /// Per place, see [`Rows::band`]; rows without lists have none.
    bands: Vec<Option<u32>>,
    space: &'s Space<'s>,
    grouping: Grouping<'c>,
    /// The most candidates that a row can have in every group.
    members: Vec<usize>,
    options: NearestOptions,
}

/// The nearest rows of every sampled row: per sampled row and group, sorted, where
/// distances that decide nothing may stand for others. `None` where rounded numbers are no help:
/// see [`Plan::of`] and [`RoundedShares::new`], and where the error leaves too many in doubt.
///
/// # Errors
/// [`Error::Cancelled`].
pub(super) fn search<'s>(
    space: &'s Space<'s>,
    sampled: &[u32],
    grouping: Grouping<'_>,
    options: NearestOptions,
    run: &Run,
) -> Result<Option<Vec<Vec<Entry>>>> {
    let order = mixed_order(space.rows(), sampled, grouping);
    let rows = match Plan::of(space) {
        Some(plan) => Rows::Numbers(Box::new(RoundedRows::new(space, &order, &plan, run)?)),
        // Ranks need the distances of all candidates, which cost more than a look at all rows.
        None if matches!(options.weights, NeighborWeights::Rank { .. }) => return Ok(None),
        None => match RoundedShares::new(space, &order, sampled.len(), run)? {
            Some(rows) => Rows::Shares(Box::new(rows)),
            None => return Ok(None),
        },
    };
    let mut wanted = vec![false; space.rows()];
    sampled.iter().for_each(|&row| wanted[row as usize] = true);
    let most = rows.errors().iter().copied().fold(0.0, f64::max);
    let bands = (0..order.len())
        .map(|place| wanted[order[place] as usize].then(|| rows.band(place, most)))
        .collect();
    let codes = PlaceCodes::new(&order, grouping);
    let members = grouping.largest(space.rows());
    let search = Search { rows, order, codes, bands, space, grouping, members, options };
    let Some(lists) = run.install(|| search.sweep(sampled.len(), run))? else {
        return Ok(None);
    };
    search.decide(lists, sampled, run)
}

impl Search<'_, '_> {
    fn groups(&self) -> usize {
        self.grouping.count()
    }

    /// Sweeps all pairs of blocks that touch a sampled row. `None` as soon as a list keeps too many.
    fn sweep(&self, sampled: usize, run: &Run) -> Result<Option<Vec<Option<CandidateLists>>>> {
        let blocks = self.order.len().div_ceil(BLOCK);
        let sampled_blocks = sampled.div_ceil(BLOCK);
        let failed = || Error::Internal("a worker failed".to_string());
        let count: usize = (0..sampled_blocks).map(|a| blocks - a).sum();
        run.progress().start("searching neighbours", count as u64);
        let first: Vec<Kept<Option<CandidateLists>>> = (0..blocks)
            .into_par_iter()
            .map_init(BeginBuffers::default, |buffers, block| {
                run.check()?;
                let begun = self.begin(block, buffers);
                run.progress().advance(u64::from(block < sampled_blocks));
                Ok(begun)
            })
            .collect::<Result<_>>()?;
        let Ok(first) = first.into_iter().collect::<Kept<Vec<_>>>() else {
            run.progress().finish();
            return Ok(None);
        };
        let lists: Vec<Mutex<Option<CandidateLists>>> = first.into_iter().map(Mutex::new).collect();
        let bytes = (BLOCK * self.rows.bytes()) as u64;
        let mut kept = Ok(());
        for square in squares(sampled_blocks, blocks, bytes, run.memory()) {
            kept = pairs_of(square)
                .filter(|(a, b)| a != b)
                .map_init(
                    || (Vec::new(), Vec::new(), ShareBuffers::default()),
                    |(out, masks, buffers), (a, b)| -> Result<Kept<()>> {
                        run.check()?;
                        let (left, right) = (self.panels_of(a), self.panels_of(b));
                        out.resize(left.len() * right.len() * TILE, 0);
                        self.rows.fill(left, right, out, buffers);
                        // Always the lower block first: no two wait for each other.
                        let mut left = lists[a].lock().map_err(|_| failed())?;
                        let mut right = lists[b].lock().map_err(|_| failed())?;
                        let kept = self.offer((a, b), out, [left.as_mut(), right.as_mut()], masks);
                        drop((left, right));
                        run.progress().advance(1);
                        Ok(kept)
                    },
                )
                .try_for_each(|kept| match kept {
                    Ok(Ok(())) => Ok(()),
                    Ok(Err(TooMany)) => Err(None),
                    Err(error) => Err(Some(error)),
                });
            if kept.is_err() {
                break;
            }
        }
        run.progress().finish();
        match kept {
            Err(Some(error)) => Err(error),
            Err(None) => Ok(None),
            Ok(_) => lists
                .into_iter()
                .map(|lists| lists.into_inner().map_err(|_| failed()))
                .collect::<Result<_>>()
                .map(Some),
        }
    }

    fn panels_of(&self, block: usize) -> Range<usize> {
        let last = ((block + 1) * BLOCK).min(self.order.len());
        block * BLOCK / LANES..panels(last)
    }

    /// A block's lists with the candidates among its own rows.
    fn begin(&self, block: usize, buffers: &mut BeginBuffers) -> Kept<Option<CandidateLists>> {
        let places = block * BLOCK..((block + 1) * BLOCK).min(self.order.len());
        // Sampled rows come first.
        let with_lists = self.bands[places.clone()].iter().take_while(|band| band.is_some());
        let rows = with_lists.count();
        if rows == 0 {
            return Ok(None);
        }
        let groups = self.groups();
        let mut lists = CandidateLists::new(rows, self.options.k, &self.members);
        let BeginBuffers { out, shares, others, parts } = buffers;
        let panels = self.panels_of(block);
        let width = panels.len();
        out.resize(width * width * TILE, 0);
        self.rows.fill_square(panels, out, shares);
        // Rows of one code, which are all in one group, side by side.
        others.clear();
        others.extend(0..places.len() as u32);
        let code = |row: u32| self.codes.of(places.start + row as usize);
        others.sort_by_key(|&row| code(row));
        parts.resize_with(groups.max(parts.len()), Default::default);
        for (row, place) in places.clone().enumerate() {
            let Some(band) = self.bands[place] else { continue };
            // No row is its own neighbour.
            out[tile_place(row, row, width)] = MOST;
            let (own, line) = (self.codes.of(place), &out[tile_place(row, 0, width)..]);
            parts.iter_mut().for_each(|(distances, places)| {
                distances.clear();
                places.clear();
            });
            for others in others.chunk_by(|&a, &b| code(a) == code(b)) {
                let group = self.grouping.group(own, code(others[0]));
                let (distances, of) = &mut parts[group];
                distances
                    .extend(others.iter().map(|&other| line[tile_place(0, other as usize, 0)]));
                of.extend(others.iter().map(|&other| places.start as u32 + other));
            }
            for (group, (distances, places)) in parts[..groups].iter().enumerate() {
                lists.begin([row, group], (distances, places), MOST, band)?;
            }
        }
        Ok(Some(lists))
    }

    /// Offers the distances of two blocks to the lists of both, where they have some.
    fn offer(
        &self,
        (a, b): (usize, usize),
        tiles: &[u32],
        mut lists: [Option<&mut CandidateLists>; 2],
        masks: &mut Vec<[u64; 2]>,
    ) -> Kept<()> {
        let (a_panels, b_panels) = (self.panels_of(a), self.panels_of(b));
        let tiles = tiles.as_chunks::<TILE>().0;
        let mut own_bounds = Vec::with_capacity(b_panels.len());
        let mut other_bounds = Vec::with_capacity(b_panels.len());
        for (panel, tiles) in a_panels.zip(tiles.chunks_exact(b_panels.len())) {
            own_bounds.clear();
            other_bounds.clear();
            for other_panel in b_panels.clone() {
                let [left, right] = &lists;
                own_bounds.push(self.bounds(left.as_deref(), panel, other_panel));
                other_bounds.push(self.bounds(right.as_deref(), other_panel, panel));
            }
            masks.resize(tiles.len(), [0; 2]);
            find_below(level(), tiles, &own_bounds, &other_bounds, masks);
            for (other_panel, (tile, masks)) in b_panels.clone().zip(tiles.iter().zip(&*masks)) {
                for (side, lists) in lists.iter_mut().enumerate() {
                    let (Some(lists), mut mask) = (lists, masks[side]) else { continue };
                    while mask != 0 {
                        let at = mask.trailing_zeros() as usize;
                        mask &= mask - 1;
                        let pair = [panel * LANES + at / LANES, other_panel * LANES + at % LANES];
                        let (own, other) = (pair[side], pair[1 - side]);
                        let group = self.grouping.group(self.codes.of(own), self.codes.of(other));
                        let list = [own % BLOCK, group];
                        if lists.offer(list, [tile[at], other as u32]) {
                            lists.sift(list, self.bands[own].unwrap_or(0))?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// What the distances of a panel's rows, whose lists are given, to those of another must be below to
    /// be of interest.
    fn bounds(&self, lists: Option<&CandidateLists>, panel: usize, other: usize) -> [u32; LANES] {
        let Some(lists) = lists else { return [0; LANES] };
        let first = panel * LANES % BLOCK;
        self.codes.bounds(self.grouping, [panel, other], |group| lists.bounds(first, group))
    }

    /// Decides who is nearest: by the rounded distances where they tell, else by those defined. `None`
    /// where these are too many.
    fn decide(
        &self,
        lists: Vec<Option<CandidateLists>>,
        sampled: &[u32],
        run: &Run,
    ) -> Result<Option<Vec<Vec<Entry>>>> {
        let groups = self.groups();
        // A block's lists make room for what they tell.
        let told: Vec<Vec<Vec<Entry>>> = run.install(|| {
            let blocks = lists.into_par_iter().enumerate();
            blocks.map(|(block, lists)| self.told(block, lists)).collect()
        });
        // Sampled rows are at the first places.
        let mut by_place: Vec<Vec<Entry>> = told.into_iter().flatten().collect();
        let place_of = place_of(&self.order);
        let slots: Vec<(usize, usize)> = sampled
            .iter()
            .flat_map(|&row| (0..groups).map(move |group| (row, group)))
            .map(|(row, group)| (place_of[row as usize] as usize, group))
            .collect();
        let of_slot = |&(place, group): &(usize, usize)| {
            std::mem::take(&mut by_place[place * groups + group])
        };
        let mut found: Vec<Vec<Entry>> = slots.iter().map(of_slot).collect();
        let pairs: Vec<(u32, u32)> = slots
            .iter()
            .zip(&found)
            .flat_map(|(&(place, _), list)| {
                let in_doubt = list.iter().filter(|entry| entry.0.is_nan());
                in_doubt.map(move |entry| (self.order[place], entry.1))
            })
            .collect();
        if !pairs.is_empty() {
            let Some(distances) = self.rows.defined(self.space, &pairs, run)? else {
                return Ok(None);
            };
            let in_doubt = found.iter_mut().flatten().filter(|entry| entry.0.is_nan());
            in_doubt.zip(distances).for_each(|(entry, distance)| entry.0 = distance);
        }
        let keep_ties = self.options.ties == super::Ties::Share;
        run.install(|| {
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

    /// What a block's lists tell, row by row and group by group.
    fn told(&self, block: usize, lists: Option<CandidateLists>) -> Vec<Vec<Entry>> {
        let Some(mut lists) = lists else { return Vec::new() };
        let places = (block * BLOCK..self.order.len()).take(BLOCK).enumerate();
        let with_bands = places.map_while(|(row, place)| Some((row, self.bands[place]?)));
        let mut told = Vec::new();
        for (row, band) in with_bands {
            for group in 0..self.groups() {
                // Who is left in doubt, however many, is decided below.
                let _ = lists.sift([row, group], band);
                told.push(self.entries(&lists, [row, group], band));
            }
        }
        told
    }

    /// Turns candidates into (distance, row): the distance where it is exact, -1 for those who are
    /// among the k nearest whatever it is, NaN where it must be computed.
    fn entries(&self, lists: &CandidateLists, list: [usize; 2], band: u32) -> Vec<Entry> {
        let candidates = lists.of(list);
        let k = self.options.k;
        // Equal weights need no order among those who are in.
        let by_rank = matches!(self.options.weights, NeighborWeights::Rank { .. });
        let sure = match candidates.len() {
            0 => 0,
            _ if by_rank => 0,
            count if count <= k => MOST,
            _ => lists.kth(list).saturating_sub(band),
        };
        let is_exact = self.rows.is_exact();
        let entry = |&[distance, place]: &Candidate| {
            let told = match distance {
                exact if is_exact => f64::from(exact),
                distance if distance < sure => -1.0,
                _ => f64::NAN,
            };
            (told, self.order[place as usize])
        };
        candidates.iter().map(entry).collect()
    }
}

/// The mean of the distances of all pairs of rows as they are defined, of complete numbers: from every
/// feature's values in their order, where the k-th from either end is apart from all between.
pub(super) fn mean_of_pairs(space: &Space<'_>, plan: &Plan, run: &Run) -> Result<f64> {
    let rows = space.rows();
    // Into as many parts of the range as there are numbers.
    let rounding = Rounding { least: 0.0, factor: rows as f64 / plan.units.unit };
    let sums = run.install(|| {
        plan.features
            .par_chunks(TOGETHER)
            .map_init(
                || (ScaledBuffers::default(), NumberOrder::default()),
                |(buffers, order), features| {
                    run.check()?;
                    let columns = space.copy_scaled_together(features, buffers);
                    let sums = features.iter().zip(columns).map(|(&feature, column)| {
                        plan.units.convert(space, feature, column);
                        let sorted = order.sort(level(), column, rounding, 0);
                        let ends = sorted[..rows / 2].iter().zip(sorted.iter().rev()).enumerate();
                        let apart = |(k, (&low, &high)): (usize, (&u64, &u64))| {
                            let [low, high] = [low, high].map(NumberOrder::number);
                            (high - low) * (rows - 1 - 2 * k) as f64
                        };
                        ends.map(apart).sum::<f64>()
                    });
                    Ok(sums.sum::<f64>())
                },
            )
            .collect::<Result<Vec<f64>>>()
    })?;
    let rows = rows as f64;
    Ok(sums.into_iter().sum::<f64>() / (rows * (rows - 1.0) / 2.0))
}

/// The sampled rows first; in each part panels of one code, those of the codes in turn, so that
/// any block holds about the same share of every code.
fn mixed_order(rows: usize, sampled: &[u32], grouping: Grouping<'_>) -> Vec<u32> {
    let sorted = super::nearest::sampled_first(rows, sampled, grouping);
    let (first, second) = sorted.split_at(sampled.len());
    let mut order = Vec::with_capacity(rows);
    for part in [first, second] {
        let mut whole: Vec<(f64, &[u32])> = Vec::new();
        let mut rest: Vec<u32> = Vec::new();
        let of_code = |a: &u32, b: &u32| grouping.code(*a as usize) == grouping.code(*b as usize);
        for rows in part.chunk_by(of_code) {
            let panels = rows.chunks_exact(LANES);
            rest.extend(panels.remainder());
            let count = panels.len() as f64;
            whole.extend(
                panels.enumerate().map(|(index, rows)| ((index as f64 + 0.5) / count, rows)),
            );
        }
        whole.sort_by(|a, b| a.0.total_cmp(&b.0));
        whole.iter().for_each(|(_, rows)| order.extend_from_slice(rows));
        order.extend(rest);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, InputMatrix, MISSING_GENOTYPE, Numbers, Table};
    use crate::neighbors::defined::defined_lines;
    use crate::neighbors::{
        GenotypeDiff, MissingPolicy, Neighborhoods, PairSource, SpaceOptions, Ties,
    };

    /// How the tests of the engine, which compare this search with the sweep, are known to run it.
    #[test]
    fn numbers_with_gaps_are_rounded_unless_gaps_are_ignored() {
        let columns = (0..6_u32).map(|feature| {
            let value = |row: u32| match (row * 7 + feature) % 11 {
                0 => f64::NAN,
                _ => f64::from(row * 13 + feature * 29).sin(),
            };
            let numbers = Numbers::Contiguous((0..60).map(value).collect::<Vec<f64>>().into());
            Column::numeric(format!("f{feature}"), numbers).unwrap()
        });
        let table = Table::new(columns.collect()).unwrap();
        let classes: Vec<u32> = (0..60).map(|row| row % 2).collect();
        let sampled: Vec<u32> = (0..60).collect();
        let run = Run::new(Some(1)).unwrap();
        let weights = NeighborWeights::Uniform;
        let nearest = NearestOptions { k: 3, ties: Ties::Share, weights };
        for (missing, rounded) in [
            (MissingPolicy::Expected, true),
            (MissingPolicy::Pessimistic, true),
            (MissingPolicy::Ignore, false),
        ] {
            let options = SpaceOptions { missing, ..SpaceOptions::default() };
            let space = Space::new(&table, Some((&classes, 2)), options, &run).unwrap();
            let grouping = Grouping::HitMiss(&classes);
            let found = search(&space, &sampled, grouping, nearest, &run).unwrap();
            assert_eq!(found.is_some(), rounded, "{missing:?}");
        }
    }

    /// Strips of 1024 features and of a few tiles, odd widths, features that are not like the others,
    /// and a last panel that is short: rows are the same however they lie.
    #[test]
    fn rows_are_rounded_the_same_however_they_lie() {
        const ROWS: usize = 13;
        const WIDTH: usize = 1024 + 64 + 17;
        let run = Run::new(Some(2)).unwrap();
        let in_file = Run::new(Some(2)).unwrap();
        let in_file = in_file.with_memory(crate::Memory::new(0, std::env::temp_dir()));
        // Of one feature: nothing, constant, whole numbers, a gap; one of them at either end of a strip.
        for (odd_one, at) in [(0, 0), (1, 5), (2, 1023), (3, 1024), (3, 1025), (2, 40), (1, 1100)] {
            let value = |row: usize, feature: usize| match (odd_one, feature == at) {
                (1, true) => 7.0,
                (2, true) => (row % 5) as f32,
                (3, true) if row == 4 => f32::NAN,
                _ => ((row * 131 + feature * 29) as f32).sin(),
            };
            let names: Vec<String> = (0..WIDTH).map(|feature| format!("f{feature}")).collect();
            let kinds = vec![Some(crate::data::ColumnKind::Numeric); WIDTH];
            let by_rows = |at: usize| value(at / WIDTH, at % WIDTH);
            let by_columns = |at: usize| value(at % ROWS, at / ROWS);
            let singles: [Vec<f32>; 2] = [
                (0..ROWS * WIDTH).map(by_rows).collect(),
                (0..ROWS * WIDTH).map(by_columns).collect(),
            ];
            let doubles = singles.each_ref().map(|v| v.iter().map(|&v| f64::from(v)).collect());
            let doubles: [Vec<f64>; 2] = doubles;
            let order: Vec<u32> = (0..ROWS as u32).map(|row| (row * 5) % ROWS as u32).collect();
            let pairs: Vec<(u32, u32)> = (0..12).flat_map(|i| [(i, 12), (i + 1, i / 2)]).collect();
            let seen = |columns: Vec<Column<'_>>, run: &Run| {
                let table = Table::new(columns).unwrap();
                let space = Space::new(&table, None, SpaceOptions::default(), run).unwrap();
                let plan = Plan::of(&space).unwrap();
                let rows = RoundedRows::new(&space, &order, &plan, run).unwrap();
                let bits =
                    |numbers: &[f64]| numbers.iter().map(|n| n.to_bits()).collect::<Vec<_>>();
                let of_pairs = defined_distances(&space, &pairs, run).unwrap();
                let lines = defined_lines(&space, &order, run).unwrap();
                let for_order = order.iter().flat_map(|&i| (0..ROWS as u32).map(move |j| (i, j)));
                let for_order: Vec<(u32, u32)> = for_order.collect();
                let also = defined_distances(&space, &for_order, run).unwrap();
                assert_eq!(bits(&lines), bits(&also));
                let units = Units::of(&space, &plan.features, plan.features.len());
                let words = super::super::words::RoundedWords::new(
                    &space,
                    &units,
                    &plan.features,
                    &order,
                    1 << 27,
                    run,
                );
                let words = super::super::words::RoundedNumbers::words(words.unwrap(), units.unit);
                let count = panels(ROWS);
                let (mut out, mut whole) = (vec![0.0; count * count * TILE], Vec::new());
                words.fill(level(), 0..count, 0..count, &mut out, &mut whole);
                let values: Vec<[i16; 2]> = rows.values.to_vec();
                let found = (values, rows.sums.clone(), rows.shares.map(|shares| shares.kept()));
                (found, bits(&of_pairs), bits(&out), rows.errors)
            };
            let wanted = {
                let columns = (0..WIDTH).map(|feature| {
                    let numbers: Vec<f64> =
                        (0..ROWS).map(|row| f64::from(value(row, feature))).collect();
                    let numbers = Numbers::Contiguous(numbers.into());
                    Column::numeric(names[feature].clone(), numbers).unwrap()
                });
                seen(columns.collect(), &run)
            };
            // Numbers of single precision may lie on a grid where doubles do not.
            let alone = seen(
                InputMatrix::new(&singles[1], ROWS, WIDTH, false)
                    .unwrap()
                    .columns(&names, &kinds, &run)
                    .unwrap(),
                &run,
            );
            for (lie_by_rows, run) in [(true, &run), (false, &run), (true, &in_file)] {
                let which = usize::from(!lie_by_rows);
                let doubles = InputMatrix::new(&doubles[which], ROWS, WIDTH, lie_by_rows).unwrap();
                let singles = InputMatrix::new(&singles[which], ROWS, WIDTH, lie_by_rows).unwrap();
                let doubles = seen(doubles.columns(&names, &kinds, run).unwrap(), run);
                let singles = seen(singles.columns(&names, &kinds, run).unwrap(), run);
                for (found, wanted) in [(doubles, &wanted), (singles, &alone)] {
                    assert_eq!(found.0, wanted.0, "{odd_one} at {at}, {lie_by_rows}");
                    assert_eq!(found.1, wanted.1, "{odd_one} at {at}, {lie_by_rows}");
                    assert_eq!(found.2, wanted.2, "{odd_one} at {at}, {lie_by_rows}");
                    for (error, wanted) in found.3.iter().zip(&wanted.3) {
                        assert!((error - wanted).abs() <= 1e-9 * wanted, "{odd_one} at {at}");
                    }
                }
            }
        }
    }

    /// Random genotypes, of which a tenth is missing if `gaps`.
    fn genotypes(rows: u32, features: u32, gaps: bool) -> Table<'static> {
        let columns = (0..features).map(|feature| {
            let mixed = |row: u32| (row << 8 ^ feature).wrapping_mul(2_654_435_769) >> 11;
            let copies = (0..rows).map(|row| match mixed(row) % 23 {
                0..2 if gaps => MISSING_GENOTYPE,
                draw => (draw % 3) as u8,
            });
            let copies: Vec<u8> = copies.collect();
            Column::genotype(format!("f{feature}"), copies.into()).unwrap()
        });
        Table::new(columns.collect()).unwrap()
    }

    #[test]
    fn shares_of_genotypes_are_rounded_where_ranks_do_not_matter() {
        let run = Run::new(Some(1)).unwrap();
        let (uniform, rank) = (NeighborWeights::Uniform, NeighborWeights::Rank { sigma: 3.0 });
        let (expected, ignore) = (MissingPolicy::Expected, MissingPolicy::Ignore);
        for (rows, features, gaps, weights, missing, rounded) in [
            (90, 50, true, uniform, expected, true),
            // Several blocks, the last of which is short.
            (600, 150, true, uniform, expected, true),
            (90, 50, true, uniform, ignore, false),
            (90, 50, true, rank, expected, false),
            (90, 50, false, uniform, expected, false),
            // Most rows are tied.
            (90, 2, true, uniform, expected, false),
        ] {
            for (genotype_diff, metric) in [
                (GenotypeDiff::Additive, Metric::Manhattan),
                (GenotypeDiff::Categorical, Metric::Manhattan),
                (GenotypeDiff::Additive, Metric::Euclidean),
            ] {
                let table = genotypes(rows, features, gaps);
                let classes: Vec<u32> = (0..rows).map(|row| row % 2).collect();
                let sampled: Vec<u32> = (0..rows).filter(|row| row % 5 != 3).collect();
                let options = SpaceOptions { missing, genotype_diff, metric, ..Default::default() };
                let space = Space::new(&table, Some((&classes, 2)), options, &run).unwrap();
                let nearest = NearestOptions { k: 3, ties: Ties::Share, weights };
                let grouping = Grouping::HitMiss(&classes);
                let places =
                    super::super::nearest::sampled_first(rows as usize, &sampled, grouping);
                let places = &places[..sampled.len()];
                let found = search(&space, places, grouping, nearest, &run).unwrap();
                let what =
                    format!("{rows} {features} {gaps} {missing:?} {genotype_diff:?} {metric:?}");
                assert_eq!(found.is_some(), rounded, "{what}");
                let Some(found) = found else { continue };
                let swept = Neighborhoods::find_by_sweep(&space, &sampled, grouping, nearest, &run)
                    .unwrap();
                let mut lists = found.into_iter();
                swept.visit(0..sampled.len(), &mut |_, _, neighbors| {
                    let rows = |mut rows: Vec<u32>| {
                        rows.sort_unstable();
                        rows
                    };
                    let list = lists.next().unwrap().iter().map(|entry| entry.1).collect();
                    let wanted = neighbors.iter().map(|neighbor| neighbor.row).collect();
                    assert_eq!(rows(list), rows(wanted), "{what}");
                });
                assert!(lists.next().is_none());
            }
        }
    }
}
