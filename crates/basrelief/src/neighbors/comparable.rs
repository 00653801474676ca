//! Rows whose covariates differ by more than the caliper are not matched: their distance is
//! infinite, so that they are never neighbors.

use std::ops::Range;

use basrelief_kernels::{LANES, TILE, panels};

use crate::data::Calipers;

/// The covariates of packed rows, panel by panel.
pub(super) struct PackedCalipers {
    /// Per covariate, its values at all places, in complete panels.
    columns: Vec<Vec<f64>>,
}

impl PackedCalipers {
    /// Packs the covariates of the rows in a given order.
    pub(super) fn new(calipers: &Calipers, order: &[u32]) -> Self {
        let padded = panels(order.len()) * LANES;
        let packed = |column: &Vec<f64>| {
            let mut packed: Vec<f64> = order.iter().map(|&row| column[row as usize]).collect();
            packed.resize(padded, 0.0);
            packed
        };
        Self { columns: calipers.columns().iter().map(packed).collect() }
    }

    /// Sets the tiled distances of two runs of panels to infinity where rows are not matched.
    pub(super) fn part(&self, a: Range<usize>, b: &Range<usize>, tiles: &mut [f64]) {
        for (left, line) in a.zip(tiles.chunks_exact_mut(b.len() * TILE)) {
            for (right, tile) in b.clone().zip(line.as_chunks_mut::<TILE>().0) {
                self.part_tile(left, right, tile);
            }
        }
    }

    fn part_tile(&self, left: usize, right: usize, tile: &mut [f64; TILE]) {
        for column in &self.columns {
            let of = |panel: usize| column[panel * LANES..].first_chunk::<LANES>();
            let (Some(left), Some(right)) = (of(left), of(right)) else { continue };
            for (own, distances) in left.iter().zip(tile.as_chunks_mut::<LANES>().0) {
                for (other, distance) in right.iter().zip(distances) {
                    *distance = if (own - other).abs() > 1.0 { f64::INFINITY } else { *distance };
                }
            }
        }
    }
}
