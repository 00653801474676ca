//! Distances of genotypes and categories from whole numbers, where values are missing.
//!
//! What is known in both rows is counted exactly. A share of a missing value is rounded to 16 bits, and
//! so costs a third of what it costs as it is defined; a distance is wrong by half a step for every
//! missing value of either row.

use std::ops::Range;

use basrelief_kernels::{LANES, TILE};
use rayon::prelude::*;

use super::gaps::GapTable;
use super::options::MissingPolicy;
use super::rounded::MOST;
use super::shares::place_of;
use super::space::{Rule, Space};
use super::sweep::{Scratch, Sweep, tile_place};
use crate::error::Result;
use crate::run::Run;

/// Steps of a difference of 1, at most: half and a quarter of it are whole numbers of steps too.
const STEPS: u32 = 65_532;

/// What else a row's distances can be wrong by, in steps: rounding of sums that are no whole numbers.
const SLACK: f64 = 2.0;

/// Pairs whose distances one task computes as they are defined.
const PAIRS: usize = 64;

/// Rows whose shares are rounded.
pub(super) struct RoundedShares<'s> {
    sweep: Sweep<'s>,
    /// Steps in the unit of the sweep.
    steps: f64,
    /// By how much a row's missing values can change a distance, in steps.
    errors: Vec<f64>,
    /// Rows whose nearest are sought.
    sampled: usize,
    /// The place of every row.
    places: Vec<u32>,
}

/// Reused memory of one worker.
#[derive(Default)]
pub(super) struct ShareBuffers {
    known: Vec<f64>,
    whole: Vec<u32>,
    lines: Vec<u32>,
}

impl<'s> RoundedShares<'s> {
    /// Packs the rows in the order given. `None` where no value is missing or missing ones are left out,
    /// where there are numbers, and where a feature with missing values has many cases. The first
    /// `sampled` rows are those whose nearest are sought.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(super) fn new(
        space: &'s Space<'s>,
        order: &[u32],
        sampled: usize,
        run: &Run,
    ) -> Result<Option<Self>> {
        let features = space.features();
        let active = features.iter().filter(|feature| feature.rule != Rule::Inert).count();
        // Distances with all that rounding adds are below the greatest.
        let most = f64::from(MOST) / active.max(1) as f64 - 2.0 * SLACK;
        let steps = f64::from(STEPS).min((most / 4.0).floor() * 4.0);
        let is_number = |rule: Rule| matches!(rule, Rule::Number { .. });
        if space.options().missing == MissingPolicy::Ignore
            || steps < 4.0
            || features.iter().any(|feature| is_number(feature.rule))
            || features.iter().all(|feature| feature.table.is_none())
            || !features
                .iter()
                .filter_map(|feature| feature.table.as_ref())
                .all(GapTable::has_few_cases)
        {
            return Ok(None);
        }
        let mut sweep = Sweep::new(space, order.to_vec(), run)?;
        debug_assert!(sweep.shares().are_of_few());
        let steps = steps / sweep.unit();
        sweep.shares_mut().round(steps);
        let missing = (0..order.len()).map(|place| sweep.shares().missing(place));
        let errors = missing.map(|missing| 0.5 * missing as f64 + SLACK).collect();
        Ok(Some(Self { sweep, steps, errors, sampled, places: place_of(order) }))
    }

    /// By how much a row's missing values can change a distance, in steps.
    pub(super) fn errors(&self) -> &[f64] {
        &self.errors
    }

    /// Bytes that a row takes.
    pub(super) fn bytes(&self) -> usize {
        self.sweep.bytes(1) as usize
    }

    /// Replaces `out` by the distances of two runs of panels, tiled; rows that are not there are beyond
    /// all others.
    pub(super) fn fill(
        &self,
        a: Range<usize>,
        b: Range<usize>,
        out: &mut [u32],
        buffers: &mut ShareBuffers,
    ) {
        let ShareBuffers { known, whole, lines } = buffers;
        known.clear();
        known.resize(out.len(), 0.0);
        self.sweep.add_known(a.clone(), b.clone(), known, whole);
        for (out, known) in out.iter_mut().zip(known) {
            *out = (*known * self.steps + 0.5) as u32;
        }
        let rows = self.errors.len();
        let places = |panels: &Range<usize>| panels.start * LANES..(panels.end * LANES).min(rows);
        let (left, right) = (places(&a), places(&b));
        self.sweep.shares().rounded_lines(left.clone(), right.clone(), lines);
        for (i, line) in lines.chunks_exact(right.len()).enumerate() {
            for (j, share) in line.iter().enumerate() {
                out[tile_place(i, j, b.len())] += share;
            }
        }
        self.sweep.shares().rounded_lines(right.clone(), left.clone(), lines);
        for (j, line) in lines.chunks_exact(left.len()).enumerate() {
            for (i, share) in line.iter().enumerate() {
                out[tile_place(i, j, b.len())] += share;
            }
        }
        for j in right.len()..b.len() * LANES {
            (0..a.len() * LANES).for_each(|i| out[tile_place(i, j, b.len())] = MOST);
        }
    }

    /// The distances of pairs of rows as they are defined; `None` where these are so many that those of
    /// all pairs should be computed so.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(super) fn defined(&self, pairs: &[(u32, u32)], run: &Run) -> Result<Option<Vec<f64>>> {
        // A pair costs as much as all of two panels.
        if pairs.len() * 4 * TILE > self.sampled * self.errors.len() {
            return Ok(None);
        }
        let distance = |scratch: &mut Scratch, (i, j): (u32, u32)| {
            let [i, j] = [i, j].map(|row| self.places[row as usize] as usize);
            let panel = |place: usize| place / LANES..place / LANES + 1;
            self.sweep.block(panel(i), panel(j), scratch);
            scratch.out[tile_place(i % LANES, j % LANES, 1)]
        };
        let found = run.install(|| {
            let parts = pairs.par_chunks(PAIRS).map_init(Scratch::default, |scratch, pairs| {
                run.check()?;
                Ok(pairs.iter().map(|&pair| distance(scratch, pair)).collect::<Vec<f64>>())
            });
            parts.collect::<Result<Vec<_>>>()
        })?;
        Ok(Some(found.concat()))
    }
}
