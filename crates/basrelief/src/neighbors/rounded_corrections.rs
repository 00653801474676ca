//! Distances of genotypes and categories with missing values. Values known in both rows are counted
//! exactly, and corrections for missing values are rounded to 16 bits.
//!
//! A rounded correction costs a third of an exact one. A distance is wrong by up to half a step for
//! every missing value of either row.

use std::ops::Range;

use basrelief_kernels::{LANES, TILE};

use super::block_driver::BlockDistances;
use super::corrections::UnpackedCases;
use super::exact_pairs::RoundedDistances;
use super::k_least::Distance;
use super::packed_rows::{PackedRows, Scratch};
use super::pairs::place_of;
use super::tiles::tile_place;
use crate::differences::Space;
use crate::error::Result;
use crate::parallel;
use crate::run::Run;
use crate::thresholds::EXACT_PAIR;

/// Maximum number of steps of a difference of 1: half and a quarter of it are whole numbers of
/// steps too.
const STEPS: u32 = 65_532;

/// Further error of a row's distances, in steps: the rounding of sums that are not whole numbers.
const SLACK: f64 = 2.0;

/// Pairs whose exact distances one task computes.
const PAIRS: usize = 64;

/// Packed rows whose corrections are rounded.
pub(super) struct RoundedCorrectionRows<'s> {
    rows: PackedRows<'s>,
    /// Steps in the unit of the packed rows.
    steps: f64,
    /// The error that a row's missing values can add to a distance, in steps.
    errors: Vec<f64>,
    /// The place of every row.
    places: Vec<u32>,
}

/// Reused memory of one worker.
#[derive(Default)]
pub(super) struct RoundedScratch {
    known: Vec<f64>,
    whole: Vec<u32>,
    lines: Vec<u32>,
    cases: UnpackedCases,
}

impl<'s> RoundedCorrectionRows<'s> {
    /// Packs the rows of a space in the given order. The space must not have numbers, and all its
    /// tables of missing values must be small.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`]; [`crate::Error::File`] if packed rows have to lie in a file.
    pub(super) fn new(space: &'s Space<'s>, order: &[u32], run: &Run) -> Result<Self> {
        let features = space.features().iter();
        let active = features.filter(|feature| !feature.rule.is_constant()).count();
        // Distances stay below the maximum, including all that rounding adds.
        let most = f64::from(u32::BEYOND) / active.max(1) as f64 - 2.0 * SLACK;
        let steps = f64::from(STEPS).min((most / 4.0).floor() * 4.0);
        let mut rows = PackedRows::new(space, order.to_vec(), run)?;
        debug_assert!(rows.corrections().are_of_small_tables());
        let steps = steps / rows.unit();
        rows.corrections_mut().round(steps);
        let missing = (0..order.len()).map(|place| rows.corrections().missing(place));
        let errors = missing.map(|missing| 0.5 * missing as f64 + SLACK).collect();
        Ok(Self { rows, steps, errors, places: place_of(order) })
    }
}

impl BlockDistances for RoundedCorrectionRows<'_> {
    type Distance = u32;
    type Scratch = RoundedScratch;

    fn bytes(&self, rows: usize) -> u64 {
        self.rows.bytes(rows)
    }

    fn block(
        &self,
        a: Range<usize>,
        b: Range<usize>,
        out: &mut Vec<u32>,
        scratch: &mut RoundedScratch,
    ) {
        let RoundedScratch { known, whole, lines, cases } = scratch;
        known.clear();
        known.resize(a.len() * b.len() * TILE, 0.0);
        self.rows.add_known(a.clone(), b.clone(), known, whole);
        out.clear();
        out.extend(known.iter().map(|known| (*known * self.steps + 0.5) as u32));
        let rows = self.errors.len();
        let places = |panels: &Range<usize>| panels.start * LANES..(panels.end * LANES).min(rows);
        let (left, right) = (places(&a), places(&b));
        let corrections = self.rows.corrections();
        corrections.rounded_lines(left.clone(), right.clone(), lines, cases);
        for (i, line) in lines.chunks_exact(right.len()).enumerate() {
            for (j, correction) in line.iter().enumerate() {
                out[tile_place(i, j, b.len())] += correction;
            }
        }
        corrections.rounded_lines(right.clone(), left.clone(), lines, cases);
        for (j, line) in lines.chunks_exact(left.len()).enumerate() {
            for (i, correction) in line.iter().enumerate() {
                out[tile_place(i, j, b.len())] += correction;
            }
        }
        for j in right.len()..b.len() * LANES {
            // Lanes without a row are beyond all rows.
            (0..a.len() * LANES).for_each(|i| out[tile_place(i, j, b.len())] = u32::BEYOND);
        }
    }
}

impl RoundedDistances for RoundedCorrectionRows<'_> {
    fn errors(&self) -> &[f64] {
        &self.errors
    }

    fn exact(&self, _: &Space<'_>, pairs: &[(u32, u32)], run: &Run) -> Result<Option<Vec<f64>>> {
        let all = self.errors.len() * self.errors.len();
        if pairs.len() * EXACT_PAIR > all {
            return Ok(None);
        }
        let distance = |(tiles, scratch): &mut (Vec<f64>, Scratch), (i, j): (u32, u32)| {
            let [i, j] = [i, j].map(|row| self.places[row as usize] as usize);
            let panel = |place: usize| place / LANES..place / LANES + 1;
            self.rows.block(panel(i), panel(j), tiles, scratch);
            tiles[tile_place(i % LANES, j % LANES, 1)]
        };
        let found = run.install(|| {
            parallel::try_map_with(pairs.chunks(PAIRS), |state, pairs| {
                run.check()?;
                let distances = pairs.iter().map(|&pair| distance(state, pair));
                Ok(distances.collect::<Vec<f64>>())
            })
        })?;
        Ok(Some(found.concat()))
    }
}
