//! Which of many distances are below or above bounds.

use crate::dispatch::by_hand;
use crate::{LANES, Level, TILE};

/// On which side of a bound a distance is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Below.
    Near,
    /// Above, and finite.
    Far,
}

/// Determines for every pair of rows whether its distance is below the bound of the one row, and of
/// the other.
///
/// `tiles` are those of one panel with others; `rows` and `columns` contain the bounds of the
/// panel's rows and of the other panel's rows for every tile. A bit of the first mask, `row * 8 +
/// column`, is set if the distance is below the bound of the row, and one of the second if it is
/// below that of the column.
///
/// # Panics
/// Slices that do not fit together, or a `level` that this machine does not have.
pub fn find_below(
    level: Level,
    tiles: &[[u32; TILE]],
    rows: &[[u32; LANES]],
    columns: &[[u32; LANES]],
    masks: &mut [[u64; 2]],
) {
    by_hand!(level, each_tile(tiles, rows, columns, masks), below(tile, rows, columns));
}

/// Puts down the masks of every tile.
fn each_tile<T, M>(
    tiles: &[[T; TILE]],
    rows: &[[T; LANES]],
    columns: &[[T; LANES]],
    masks: &mut [M],
    masks_of: impl Fn(&[T; TILE], &[T; LANES], &[T; LANES]) -> M,
) {
    assert!(tiles.len() == rows.len() && tiles.len() == columns.len(), "bounds for every tile");
    assert_eq!(tiles.len(), masks.len(), "masks for every tile");
    for (((tile, rows), columns), masks) in tiles.iter().zip(rows).zip(columns).zip(masks) {
        *masks = masks_of(tile, rows, columns);
    }
}

/// The masks of one tile, on any machine.
fn below(tile: &[u32; TILE], rows: &[u32; LANES], columns: &[u32; LANES]) -> [u64; 2] {
    let mut masks = [0; 2];
    for (row, (distances, bound)) in tile.as_chunks::<LANES>().0.iter().zip(rows).enumerate() {
        for (lane, (distance, column)) in distances.iter().zip(columns).enumerate() {
            masks[0] |= u64::from(distance < bound) << (row * LANES + lane);
            masks[1] |= u64::from(distance < column) << (row * LANES + lane);
        }
    }
    masks
}

/// As [`find_below`], of distances in floating point that are on a side of the bound of the one row, and of
/// the other. NaN is on no side.
///
/// # Panics
/// As [`find_below`].
pub fn find_beside(
    level: Level,
    side: Side,
    tiles: &[[f64; TILE]],
    rows: &[[f64; LANES]],
    columns: &[[f64; LANES]],
    masks: &mut [[u64; 2]],
) {
    match side {
        Side::Near => {
            by_hand!(level, each_tile(tiles, rows, columns, masks), near(tile, rows, columns));
        }
        Side::Far => {
            by_hand!(level, each_tile(tiles, rows, columns, masks), far(tile, rows, columns));
        }
    }
}

/// The masks of one tile on any machine, of the distances below the bounds.
fn near(tile: &[f64; TILE], rows: &[f64; LANES], columns: &[f64; LANES]) -> [u64; 2] {
    beside(tile, rows, columns, |distance, bound| distance < bound)
}

/// The masks of one tile on any machine, of the distances above them.
fn far(tile: &[f64; TILE], rows: &[f64; LANES], columns: &[f64; LANES]) -> [u64; 2] {
    beside(tile, rows, columns, |distance, bound| (distance > bound) & (distance < f64::INFINITY))
}

#[inline(always)]
fn beside(
    tile: &[f64; TILE],
    rows: &[f64; LANES],
    columns: &[f64; LANES],
    holds: impl Fn(f64, f64) -> bool,
) -> [u64; 2] {
    let mut masks = [0; 2];
    for (row, (distances, bound)) in tile.as_chunks::<LANES>().0.iter().zip(rows).enumerate() {
        for (lane, (distance, column)) in distances.iter().zip(columns).enumerate() {
            masks[0] |= u64::from(holds(*distance, *bound)) << (row * LANES + lane);
            masks[1] |= u64::from(holds(*distance, *column)) << (row * LANES + lane);
        }
    }
    masks
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use crate::avx2::{load, load_bits};
    use crate::{LANES, TILE};

    /// As [`super::below`].
    #[target_feature(enable = "avx2")]
    pub(super) fn below(
        tile: &[u32; TILE],
        rows: &[u32; LANES],
        columns: &[u32; LANES],
    ) -> [u64; 2] {
        let columns = load_bits(columns);
        // Most tiles have no distance below a bound.
        let mut none = _mm256_set1_epi32(-1);
        for (distances, bound) in tile.as_chunks::<LANES>().0.iter().zip(rows) {
            let greater = _mm256_max_epu32(_mm256_set1_epi32(*bound as i32), columns);
            let distances = load_bits(distances);
            let is_beyond = _mm256_cmpeq_epi32(_mm256_max_epu32(distances, greater), distances);
            none = _mm256_and_si256(none, is_beyond);
        }
        let mut masks = [0; 2];
        if _mm256_movemask_epi8(none) == -1 {
            return masks;
        }
        // With the upper bit turned, signed numbers compare like unsigned ones.
        let turn = _mm256_set1_epi32(i32::MIN);
        let columns = _mm256_xor_si256(columns, turn);
        for (row, (distances, bound)) in tile.as_chunks::<LANES>().0.iter().zip(rows).enumerate() {
            let bound = _mm256_xor_si256(_mm256_set1_epi32(*bound as i32), turn);
            let distances = _mm256_xor_si256(load_bits(distances), turn);
            for (mask, bounds) in masks.iter_mut().zip([bound, columns]) {
                let below = _mm256_castsi256_ps(_mm256_cmpgt_epi32(bounds, distances));
                *mask |= u64::from(_mm256_movemask_ps(below) as u32) << (row * LANES);
            }
        }
        masks
    }

    /// As [`super::near`].
    #[target_feature(enable = "avx2")]
    pub(super) fn near(
        tile: &[f64; TILE],
        rows: &[f64; LANES],
        columns: &[f64; LANES],
    ) -> [u64; 2] {
        beside(tile, rows, columns, |distances, bounds| {
            _mm256_cmp_pd::<_CMP_LT_OQ>(distances, bounds)
        })
    }

    /// As [`super::far`].
    #[target_feature(enable = "avx2")]
    pub(super) fn far(tile: &[f64; TILE], rows: &[f64; LANES], columns: &[f64; LANES]) -> [u64; 2] {
        beside(tile, rows, columns, |distances, bounds| {
            let finite = _mm256_set1_pd(f64::INFINITY);
            _mm256_and_pd(
                _mm256_cmp_pd::<_CMP_GT_OQ>(distances, bounds),
                _mm256_cmp_pd::<_CMP_LT_OQ>(distances, finite),
            )
        })
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn beside(
        tile: &[f64; TILE],
        rows: &[f64; LANES],
        columns: &[f64; LANES],
        holds: impl Fn(__m256d, __m256d) -> __m256d,
    ) -> [u64; 2] {
        let (columns, _) = columns.as_chunks::<4>();
        let mut masks = [0; 2];
        for (row, (distances, bound)) in tile.as_chunks::<LANES>().0.iter().zip(rows).enumerate() {
            let bound = _mm256_set1_pd(*bound);
            let halves = distances.as_chunks::<4>().0.iter().zip(columns).enumerate();
            for (half, (distances, columns)) in halves {
                let distances = load(distances);
                for (mask, bounds) in masks.iter_mut().zip([bound, load(columns)]) {
                    let bits = _mm256_movemask_pd(holds(distances, bounds)) as u32;
                    *mask |= u64::from(bits) << (row * LANES + half * 4);
                }
            }
        }
        masks
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use crate::{LANES, TILE, avx2, avx512};

    /// As [`super::below`].
    #[target_feature(enable = "avx512f")]
    pub(super) fn below(
        tile: &[u32; TILE],
        rows: &[u32; LANES],
        columns: &[u32; LANES],
    ) -> [u64; 2] {
        let columns = avx2::load_bits(columns);
        let columns = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(columns), columns);
        let mut masks = [0; 2];
        let pairs = tile.as_chunks::<{ 2 * LANES }>().0.iter().zip(rows.as_chunks::<2>().0);
        for (pair, (distances, [first, second])) in pairs.enumerate() {
            let distances = avx512::load_bits(distances);
            // The bounds of two rows, each in half of a vector.
            let first = _mm512_set1_epi32(*first as i32);
            let bounds = _mm512_mask_set1_epi32(first, 0xff00, *second as i32);
            for (mask, bounds) in masks.iter_mut().zip([bounds, columns]) {
                let below = _mm512_cmplt_epu32_mask(distances, bounds);
                *mask |= u64::from(below) << (pair * 2 * LANES);
            }
        }
        masks
    }

    /// As [`super::near`].
    #[target_feature(enable = "avx512f")]
    pub(super) fn near(
        tile: &[f64; TILE],
        rows: &[f64; LANES],
        columns: &[f64; LANES],
    ) -> [u64; 2] {
        beside(tile, rows, columns, |distances, bounds| {
            _mm512_cmp_pd_mask::<_CMP_LT_OQ>(distances, bounds)
        })
    }

    /// As [`super::far`].
    #[target_feature(enable = "avx512f")]
    pub(super) fn far(tile: &[f64; TILE], rows: &[f64; LANES], columns: &[f64; LANES]) -> [u64; 2] {
        beside(tile, rows, columns, |distances, bounds| {
            let finite = _mm512_set1_pd(f64::INFINITY);
            _mm512_cmp_pd_mask::<_CMP_GT_OQ>(distances, bounds)
                & _mm512_cmp_pd_mask::<_CMP_LT_OQ>(distances, finite)
        })
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn beside(
        tile: &[f64; TILE],
        rows: &[f64; LANES],
        columns: &[f64; LANES],
        holds: impl Fn(__m512d, __m512d) -> u8,
    ) -> [u64; 2] {
        let columns = avx512::load(columns);
        let mut masks = [0; 2];
        for (row, (distances, bound)) in tile.as_chunks::<LANES>().0.iter().zip(rows).enumerate() {
            let distances = avx512::load(distances);
            for (mask, bounds) in masks.iter_mut().zip([_mm512_set1_pd(*bound), columns]) {
                *mask |= u64::from(holds(distances, bounds)) << (row * LANES);
            }
        }
        masks
    }
}
