//! Sums of the differences between a row and runs of other rows, a tile of features at a time.
//!
//! A tile's values lie row by row, so that a pair costs two cache lines. A lane is a feature, and the
//! others of a run are dealt to two sums in turn, so that not every addition waits for the one before:
//! instruction sets do not change a bit.

use crate::dispatch::multiversion;
use crate::{LANES, Level};

/// Features of a tile.
pub const RUN_WIDTH: usize = 16;

/// A row's values of a tile of features: two whole cache lines.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(64))]
pub struct RowTile(pub [f64; RUN_WIDTH]);

/// Adds to the sum of every pair of rows its differences `|a - b|`, feature by feature in their order.
///
/// # Panics
/// Not one sum per pair, rows that are not there, or a `level` that this machine does not have.
pub fn add_pair_differences(
    level: Level,
    values: &[RowTile],
    pairs: &[(u32, u32)],
    sums: &mut [f64],
) {
    assert_eq!(pairs.len(), sums.len(), "one sum per pair");
    level.assert_available();
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => {
            let ((eights, rest), (of_eights, of_rest)) =
                (pairs.as_chunks(), sums.as_chunks_mut::<LANES>());
            for (pairs, sums) in eights.iter().zip(of_eights) {
                // SAFETY: `assert_available` has just seen that the machine has AVX-512.
                unsafe { avx512::add_eight(values, pairs, sums) }
            }
            of_pairs(values, rest, of_rest);
        }
        _ => of_pairs(values, pairs, sums),
    }
}

fn of_pairs(values: &[RowTile], pairs: &[(u32, u32)], sums: &mut [f64]) {
    for (sum, &(i, j)) in sums.iter_mut().zip(pairs) {
        let (a, b) = (&values[i as usize].0, &values[j as usize].0);
        for lane in 0..RUN_WIDTH {
            *sum += (a[lane] - b[lane]).abs();
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use super::{LANES, RowTile};
    use crate::avx512::{load, store, turned};

    /// Adds the differences of eight pairs: those of a feature are in one vector, once they are turned.
    #[target_feature(enable = "avx512f")]
    pub(super) fn add_eight(
        values: &[RowTile],
        pairs: &[(u32, u32); LANES],
        sums: &mut [f64; LANES],
    ) {
        let rows = pairs.map(|(i, j)| [&values[i as usize].0, &values[j as usize].0]);
        let mut sum = load(sums);
        for half in 0..2 {
            let part = |row: &[f64; super::RUN_WIDTH]| load(&row.as_chunks().0[half]);
            let apart = rows.map(|[a, b]| _mm512_abs_pd(_mm512_sub_pd(part(a), part(b))));
            for differences in turned(apart) {
                sum = _mm512_add_pd(sum, differences);
            }
        }
        store(sum, sums);
    }
}

/// The quantity that is weighted for two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weighed {
    /// `|a - b|`.
    Difference,
    /// 0 if equal, else 1.
    Mismatch,
}

/// Adds to the sums of every tile, feature by feature, the weight times what is weighed for every pair
/// of a row and another; `weights` has one per element of `others`.
///
/// `tiles` have their values row by row; run k is of row `rows[k]` and of the others from `ends[k - 1]`
/// (0 for the first) to `ends[k]`.
///
/// Products are not rounded before they are added (`f64::mul_add`), which instruction sets without
/// fused multiplication imitate slowly.
///
/// # Panics
/// Slices that do not fit together, rows that are not there, or a `level` that this machine does not
/// have.
pub fn add_weighted_runs(
    level: Level,
    weighed: Weighed,
    tiles: &[&[RowTile]],
    rows: &[u32],
    ends: &[usize],
    others: &[u32],
    weights: &[f64],
    sums: &mut [[f64; RUN_WIDTH]],
) {
    assert!(rows.len() == ends.len(), "one end per run");
    assert!(others.len() == weights.len(), "one weight per other row");
    assert!(tiles.len() == sums.len(), "sums for every tile");
    // Where there are registers for it, two tiles go through the pairs together.
    let in_twos = level == Level::Avx512;
    multiversion!(level, |weighed: Weighed,
                          tiles: &[&[RowTile]],
                          rows: &[u32],
                          ends: &[usize],
                          others: &[u32],
                          weights: &[f64],
                          sums: &mut [[f64; RUN_WIDTH]],
                          in_twos: bool| {
        let pairs = WeightedRuns { rows, ends, others, weights };
        match weighed {
            Weighed::Difference => pairs.add_to(tiles, sums, in_twos, |sum, weight, a, b| {
                weight.mul_add((a - b).abs(), sum)
            }),
            Weighed::Mismatch => pairs.add_to(tiles, sums, in_twos, |sum, weight, a, b| {
                sum + if a != b { weight } else { 0.0 }
            }),
        }
    });
}

/// Runs whose pairs have a weight each.
#[derive(Clone, Copy)]
struct WeightedRuns<'r> {
    rows: &'r [u32],
    ends: &'r [usize],
    others: &'r [u32],
    weights: &'r [f64],
}

impl WeightedRuns<'_> {
    #[inline(always)]
    fn add_to(
        self,
        tiles: &[&[RowTile]],
        sums: &mut [[f64; RUN_WIDTH]],
        in_twos: bool,
        add: impl Fn(f64, f64, f64, f64) -> f64 + Copy,
    ) {
        let twos = if in_twos { tiles.len() / 2 * 2 } else { 0 };
        let (of_twos, of_ones) = sums.split_at_mut(twos);
        let (in_twos, in_ones) = tiles.split_at(twos);
        for (tiles, sums) in in_twos.as_chunks::<2>().0.iter().zip(of_twos.as_chunks_mut::<2>().0) {
            self.add(tiles, sums, add);
        }
        for (tile, sum) in in_ones.iter().zip(of_ones) {
            self.add(std::array::from_ref(tile), std::array::from_mut(sum), add);
        }
    }

    #[inline(always)]
    fn add<const TILES: usize>(
        self,
        tiles: &[&[RowTile]; TILES],
        sums: &mut [[f64; RUN_WIDTH]; TILES],
        add: impl Fn(f64, f64, f64, f64) -> f64 + Copy,
    ) {
        let mut start = 0;
        let (mut even, mut odd) = ([[0.0; RUN_WIDTH]; TILES], [[0.0; RUN_WIDTH]; TILES]);
        for (&row, &end) in self.rows.iter().zip(self.ends) {
            let own: [_; TILES] = std::array::from_fn(|tile| tiles[tile][row as usize].0);
            let (whole, rest) = self.others[start..end].as_chunks::<2>();
            let (pairs, last) = self.weights[start..end].as_chunks::<2>();
            for (others, weights) in whole.iter().zip(pairs) {
                add_pair(&mut even, &own, tiles, others[0], weights[0], add);
                add_pair(&mut odd, &own, tiles, others[1], weights[1], add);
            }
            if let ([other], [weight]) = (rest, last) {
                add_pair(&mut even, &own, tiles, *other, *weight, add);
            }
            start = end;
        }
        for (sums, (even, odd)) in sums.iter_mut().zip(even.into_iter().zip(odd)) {
            for (sum, (even, odd)) in sums.iter_mut().zip(even.into_iter().zip(odd)) {
                *sum += even + odd;
            }
        }
    }
}

/// Adds one weighted pair, tile by tile. Inlined always, unlike a closure that is called in two places:
/// what is not inlined into its caller is not compiled for the caller's instruction set.
#[inline(always)]
fn add_pair<const TILES: usize>(
    sums: &mut [[f64; RUN_WIDTH]; TILES],
    own: &[[f64; RUN_WIDTH]; TILES],
    tiles: &[&[RowTile]; TILES],
    other: u32,
    weight: f64,
    add: impl Fn(f64, f64, f64, f64) -> f64 + Copy,
) {
    for tile in 0..TILES {
        let other = &tiles[tile][other as usize].0;
        for lane in 0..RUN_WIDTH {
            sums[tile][lane] = add(sums[tile][lane], weight, own[tile][lane], other[lane]);
        }
    }
}
