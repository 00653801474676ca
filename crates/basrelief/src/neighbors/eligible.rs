//! Rows that may not be neighbors: rows of one group, and rows whose covariates differ by more than
//! the caliper. Their distance is infinite.

use std::ops::Range;

use basrelief_kernels::{LANES, TILE, panels};

use crate::data::Eligible;

/// The groups and the covariates of packed rows, panel by panel.
pub(super) struct PackedEligible {
    /// Per covariate, its values at all places, in complete panels.
    columns: Vec<Vec<f64>>,
    /// The groups at all places, in complete panels; empty if there are none.
    groups: Vec<u32>,
}

impl PackedEligible {
    /// Packs the groups and the covariates of the rows in a given order.
    pub(super) fn new(eligible: &Eligible, order: &[u32]) -> Self {
        let padded = panels(order.len()) * LANES;
        let columns = eligible.calipers().iter().map(|column| packed(column, order, padded));
        Self {
            columns: columns.collect(),
            groups: eligible.groups().map_or(Vec::new(), |groups| packed(groups, order, padded)),
        }
    }

    /// Sets the tiled distances of two runs of panels to infinity where rows may not be neighbors.
    pub(super) fn part(&self, a: Range<usize>, b: &Range<usize>, tiles: &mut [f64]) {
        for (left, line) in a.zip(tiles.chunks_exact_mut(b.len() * TILE)) {
            for (right, tile) in b.clone().zip(line.as_chunks_mut::<TILE>().0) {
                for column in &self.columns {
                    part_tile(column, left, right, tile, |own, other| (own - other).abs() > 1.0);
                }
                if !self.groups.is_empty() {
                    part_tile(&self.groups, left, right, tile, |own, other| own == other);
                }
            }
        }
    }
}

/// The values of the rows in a given order, and zeros in the remaining places.
fn packed<T: Copy + Default>(values: &[T], order: &[u32], padded: usize) -> Vec<T> {
    let mut packed: Vec<T> = order.iter().map(|&row| values[row as usize]).collect();
    packed.resize(padded, T::default());
    packed
}

/// Sets the distances of two panels to infinity where the values of two rows keep them apart.
#[inline]
fn part_tile<T: Copy>(
    values: &[T],
    left: usize,
    right: usize,
    tile: &mut [f64; TILE],
    are_apart: impl Fn(T, T) -> bool,
) {
    let of = |panel: usize| values[panel * LANES..].first_chunk::<LANES>();
    let (Some(left), Some(right)) = (of(left), of(right)) else { return };
    for (own, distances) in left.iter().zip(tile.as_chunks_mut::<LANES>().0) {
        for (other, distance) in right.iter().zip(distances) {
            *distance = if are_apart(*own, *other) { f64::INFINITY } else { *distance };
        }
    }
}
