//! Which few of many numbers are small.

use crate::dispatch::multiversion;
use crate::{LANES, Level, TILE};

/// Numbers that are looked at together: most groups hold none.
const GROUP: usize = 32;

/// Adds to `found` the places of the numbers that are at most `limit`, in order. NaN is not.
///
/// # Panics
/// More than 2^32 numbers, or a `level` that this machine does not have.
pub fn find_at_most(level: Level, values: &[f32], limit: f32, found: &mut Vec<u32>) {
    assert!(u32::try_from(values.len()).is_ok(), "places are 32 bits");
    multiversion!(level, fn(values: &[f32], limit: f32, found: &mut Vec<u32>) at_most);
}

#[inline(always)]
fn at_most(values: &[f32], limit: f32, found: &mut Vec<u32>) {
    let (groups, rest) = values.as_chunks::<GROUP>();
    for (group, values) in groups.iter().enumerate() {
        let mut any = [0_u32; 8];
        for part in values.as_chunks::<8>().0 {
            for lane in 0..8 {
                any[lane] |= u32::from(part[lane] <= limit);
            }
        }
        if any.iter().any(|&lane| lane != 0) {
            take(values, limit, group * GROUP, found);
        }
    }
    take(rest, limit, groups.len() * GROUP, found);
}

#[inline(always)]
fn take(values: &[f32], limit: f32, start: usize, found: &mut Vec<u32>) {
    for (place, value) in values.iter().enumerate() {
        if *value <= limit {
            found.push((start + place) as u32);
        }
    }
}

/// Says of every pair of rows whether its distance is below the bound of the one row, and of the other.
///
/// `tiles` are those of one panel with others; `rows` and `columns` have the bounds of the panel's
/// rows and of the other panel's for every tile. A bit of the first mask, `row * 8 + column`, is set where
/// the distance is below that of the row, and of the second where it is below that of the column.
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
    level.assert_available();
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => each_tile(tiles, rows, columns, masks, |tile, rows, columns| {
            // SAFETY: `assert_available` has just seen that the machine has AVX-512.
            unsafe { avx512::below(tile, rows, columns) }
        }),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => each_tile(tiles, rows, columns, masks, |tile, rows, columns| {
            // SAFETY: `assert_available` has just seen that the machine has AVX2.
            unsafe { avx2::below(tile, rows, columns) }
        }),
        _ => each_tile(tiles, rows, columns, masks, below),
    }
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

/// As [`find_below`], of distances in floating point that are at most the bound of either row.
///
/// NaN is not.
///
/// # Panics
/// As [`find_below`].
pub fn find_within(
    level: Level,
    tiles: &[[f64; TILE]],
    rows: &[[f64; LANES]],
    columns: &[[f64; LANES]],
    masks: &mut [u64],
) {
    level.assert_available();
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => each_tile(tiles, rows, columns, masks, |tile, rows, columns| {
            // SAFETY: `assert_available` has just seen that the machine has AVX-512.
            unsafe { avx512::within(tile, rows, columns) }
        }),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => each_tile(tiles, rows, columns, masks, |tile, rows, columns| {
            // SAFETY: `assert_available` has just seen that the machine has AVX2.
            unsafe { avx2::within(tile, rows, columns) }
        }),
        _ => each_tile(tiles, rows, columns, masks, within),
    }
}

/// The mask of one tile, on any machine.
fn within(tile: &[f64; TILE], rows: &[f64; LANES], columns: &[f64; LANES]) -> u64 {
    let mut mask = 0;
    for (row, (distances, bound)) in tile.as_chunks::<LANES>().0.iter().zip(rows).enumerate() {
        for (lane, (distance, column)) in distances.iter().zip(columns).enumerate() {
            let is_within = (distance <= bound) | (distance <= column);
            mask |= u64::from(is_within) << (row * LANES + lane);
        }
    }
    mask
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use crate::{LANES, TILE};

    /// As [`super::below`].
    #[target_feature(enable = "avx2")]
    pub(super) fn below(
        tile: &[u32; TILE],
        rows: &[u32; LANES],
        columns: &[u32; LANES],
    ) -> [u64; 2] {
        // With the upper bit turned, signed numbers compare like unsigned ones.
        let turn = _mm256_set1_epi32(i32::MIN);
        let columns = _mm256_xor_si256(load_words(columns), turn);
        let mut masks = [0; 2];
        for (row, (distances, bound)) in tile.as_chunks::<LANES>().0.iter().zip(rows).enumerate() {
            let bound = _mm256_xor_si256(_mm256_set1_epi32(*bound as i32), turn);
            let distances = _mm256_xor_si256(load_words(distances), turn);
            for (mask, bounds) in masks.iter_mut().zip([bound, columns]) {
                let below = _mm256_castsi256_ps(_mm256_cmpgt_epi32(bounds, distances));
                *mask |= u64::from(_mm256_movemask_ps(below) as u32) << (row * LANES);
            }
        }
        masks
    }

    /// As [`super::within`].
    #[target_feature(enable = "avx2")]
    pub(super) fn within(tile: &[f64; TILE], rows: &[f64; LANES], columns: &[f64; LANES]) -> u64 {
        let (columns, _) = columns.as_chunks::<4>();
        let mut mask = 0;
        for (row, (distances, bound)) in tile.as_chunks::<LANES>().0.iter().zip(rows).enumerate() {
            let bound = _mm256_set1_pd(*bound);
            let halves = distances.as_chunks::<4>().0.iter().zip(columns).enumerate();
            for (half, (distances, columns)) in halves {
                let distances = load(distances);
                let own = _mm256_cmp_pd::<_CMP_LE_OQ>(distances, bound);
                let other = _mm256_cmp_pd::<_CMP_LE_OQ>(distances, load(columns));
                let bits = _mm256_movemask_pd(_mm256_or_pd(own, other)) as u32;
                mask |= u64::from(bits) << (row * LANES + half * 4);
            }
        }
        mask
    }

    #[target_feature(enable = "avx2")]
    fn load_words(values: &[u32; LANES]) -> __m256i {
        // SAFETY: the reference is good for 32 bytes; this load asks for no alignment.
        unsafe { _mm256_loadu_si256(std::ptr::from_ref(values).cast()) }
    }

    #[target_feature(enable = "avx2")]
    fn load(values: &[f64; 4]) -> __m256d {
        // SAFETY: the reference is good for 32 bytes; this load asks for no alignment.
        unsafe { _mm256_loadu_pd(values.as_ptr()) }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use crate::{LANES, TILE};

    /// As [`super::below`].
    #[target_feature(enable = "avx512f")]
    pub(super) fn below(
        tile: &[u32; TILE],
        rows: &[u32; LANES],
        columns: &[u32; LANES],
    ) -> [u64; 2] {
        let columns = load_words(columns);
        let columns = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(columns), columns);
        let mut masks = [0; 2];
        let pairs = tile.as_chunks::<{ 2 * LANES }>().0.iter().zip(rows.as_chunks::<2>().0);
        for (pair, (distances, [first, second])) in pairs.enumerate() {
            let distances = load_pair(distances);
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

    #[target_feature(enable = "avx512f")]
    fn load_words(values: &[u32; LANES]) -> __m256i {
        // SAFETY: the reference is good for 32 bytes; this load asks for no alignment.
        unsafe { _mm256_loadu_si256(std::ptr::from_ref(values).cast()) }
    }

    #[target_feature(enable = "avx512f")]
    fn load_pair(values: &[u32; 2 * LANES]) -> __m512i {
        // SAFETY: the reference is good for 64 bytes; this load asks for no alignment.
        unsafe { _mm512_loadu_si512(std::ptr::from_ref(values).cast()) }
    }

    /// As [`super::within`].
    #[target_feature(enable = "avx512f")]
    pub(super) fn within(tile: &[f64; TILE], rows: &[f64; LANES], columns: &[f64; LANES]) -> u64 {
        let columns = load(columns);
        let mut mask = 0;
        for (row, (distances, bound)) in tile.as_chunks::<LANES>().0.iter().zip(rows).enumerate() {
            let distances = load(distances);
            let own = _mm512_cmp_pd_mask::<_CMP_LE_OQ>(distances, _mm512_set1_pd(*bound));
            let other = _mm512_cmp_pd_mask::<_CMP_LE_OQ>(distances, columns);
            mask |= u64::from(own | other) << (row * LANES);
        }
        mask
    }

    #[target_feature(enable = "avx512f")]
    fn load(values: &[f64; LANES]) -> __m512d {
        // SAFETY: the reference is good for 64 bytes; this load asks for no alignment.
        unsafe { _mm512_loadu_pd(values.as_ptr()) }
    }
}
