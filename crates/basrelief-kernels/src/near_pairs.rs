//! Pairs of rows that may be near: found in single precision, and added up row by row.
//!
//! A panel contains rows in chunks of sixteen, with a chunk's coordinates one after the other:
//! coordinate k of chunk c is at `c * width + k`.

use crate::dispatch::{by_hand, multiversion};
use crate::{Level, add_parts};

/// Rows that meet a panel at a time.
pub const NEAR_ROWS: usize = 4;

/// Rows of a chunk of a panel.
pub const NEAR_LANES: usize = 16;

/// Rows of a panel at most.
pub const NEAR_PANEL: usize = 1024;

/// A number in single precision for each row of a chunk.
pub type NearChunk = [f32; NEAR_LANES];

/// Places in a panel, for each of a few rows.
pub type NearPlaces = [[u16; NEAR_PANEL]; NEAR_ROWS];

/// A few query rows.
#[derive(Debug, Clone, Copy)]
pub struct SoughtRows<'a> {
    /// Their coordinates.
    pub rows: [&'a [f32]; NEAR_ROWS],
    /// Half their squared lengths, so much too small that rounding excludes no pair.
    pub halves: [f32; NEAR_ROWS],
    /// Half the squared distance that is near to them.
    pub reaches: [f32; NEAR_ROWS],
}

/// A panel of reference rows.
#[derive(Debug, Clone, Copy)]
pub struct SoughtPanel<'a> {
    /// Coordinates, chunk by chunk.
    pub points: &'a [NearChunk],
    /// As of the rows.
    pub halves: &'a [NearChunk],
    /// As of the rows.
    pub reaches: &'a [NearChunk],
}

/// For each of a few query rows, the near rows of a panel, in order: those whose half squared
/// distance `h_i + h_j - x_i.x_j` is at most the larger of both reaches. A NaN distance counts as
/// near. A NaN reach of a reference row is ignored; a NaN reach of a query row makes all rows near.
///
/// Returns the number of positions written for every row.
///
/// # Panics
/// Slices that do not fit together, or a `level` that this machine does not have.
pub fn find_near_pairs(
    level: Level,
    sought: SoughtRows<'_>,
    panel: SoughtPanel<'_>,
    found: &mut NearPlaces,
) -> [usize; NEAR_ROWS] {
    let width = sought.rows[0].len();
    let chunks = panel.halves.len();
    assert!(sought.rows.iter().all(|row| row.len() == width), "rows of one width");
    assert!(chunks * NEAR_LANES <= NEAR_PANEL, "at most {NEAR_PANEL} rows in a panel");
    assert_eq!(panel.reaches.len(), chunks, "a reach per row");
    assert_eq!(panel.points.len(), width * chunks, "a chunk per coordinate");
    by_hand!(level, search(sought, panel, found))
}

/// As [`find_near_pairs`].
fn search(
    sought: SoughtRows<'_>,
    panel: SoughtPanel<'_>,
    found: &mut NearPlaces,
) -> [usize; NEAR_ROWS] {
    search_by(sought, panel, found, |points, halves, reaches| {
        let mut near = [0; NEAR_ROWS];
        for (row, near) in near.iter_mut().enumerate() {
            let mut sums = halves.map(|half| -half);
            for (point, coordinate) in points.iter().zip(sought.rows[row]) {
                sums.iter_mut().zip(point).for_each(|(sum, value)| *sum += coordinate * value);
            }
            for (lane, (sum, other)) in sums.iter().zip(reaches).enumerate() {
                let (reach, half) = (sought.reaches[row], sought.halves[row]);
                let reach = if *other > reach { *other } else { reach };
                let is_far = *sum < half - reach;
                *near |= u32::from(!is_far) << lane;
            }
        }
        near
    })
}

/// As [`find_near_pairs`], with a function that returns, from the points, halves and reaches of a
/// chunk, a bit for each row that is near to each of the query rows.
#[inline(always)]
fn search_by(
    sought: SoughtRows<'_>,
    panel: SoughtPanel<'_>,
    found: &mut NearPlaces,
    near: impl Fn(&[NearChunk], &NearChunk, &NearChunk) -> [u32; NEAR_ROWS],
) -> [usize; NEAR_ROWS] {
    let width = sought.rows[0].len();
    let mut counts = [0; NEAR_ROWS];
    for (chunk, (halves, reaches)) in panel.halves.iter().zip(panel.reaches).enumerate() {
        let near = near(&panel.points[chunk * width..][..width], halves, reaches);
        if near == [0; NEAR_ROWS] {
            continue;
        }
        for (row, mut near) in near.into_iter().enumerate() {
            let (count, places) = (&mut counts[row], &mut found[row]);
            while near != 0 {
                // As many as the panel has at most: the rest spares a check.
                places[*count % NEAR_PANEL] =
                    (chunk * NEAR_LANES) as u16 + near.trailing_zeros() as u16;
                *count += 1;
                near &= near - 1;
            }
        }
    }
    counts
}

/// Numbers that are added side by side.
const SIDE: usize = 4;

/// The squared distances of a row to some rows of a panel, from their differences.
///
/// # Panics
/// A place beyond the panel, slices that do not fit together, or a `level` that this machine does not have.
pub fn squared_distances_at(
    level: Level,
    row: &[f64],
    panel: &[f64],
    places: &[u16],
    squares: &mut [f64],
) {
    assert_eq!(places.len(), squares.len(), "a squared distance per place");
    multiversion!(level, |row: &[f64], panel: &[f64], places: &[u16], squares: &mut [f64]| {
        let width = row.len();
        for (square, &place) in squares.iter_mut().zip(places) {
            let other = &panel[usize::from(place) * width..][..width];
            let mut sums = [0.0; SIDE];
            let (own, own_rest) = row.as_chunks::<SIDE>();
            let (others, rest) = other.as_chunks::<SIDE>();
            for (a, b) in own.iter().zip(others) {
                for lane in 0..SIDE {
                    let difference = a[lane] - b[lane];
                    sums[lane] += difference * difference;
                }
            }
            for (lane, (a, b)) in own_rest.iter().zip(rest).enumerate() {
                sums[lane] += (a - b) * (a - b);
            }
            *square = add_parts(sums);
        }
    });
}

/// Adds the rows of pairs to each other's sums: `sum += w b` and `sums_b += w a` for a row a and some rows b of a
/// panel, each with its weight.
///
/// # Panics
/// A place beyond the panel, slices that do not fit together, or a `level` that this machine does not have.
pub fn add_pairs_at(
    level: Level,
    weights: &[f64],
    places: &[u16],
    row: &[f64],
    panel: &[f64],
    sum: &mut [f64],
    sums: &mut [f64],
) {
    assert_eq!(places.len(), weights.len(), "a weight per place");
    assert_eq!(sum.len(), row.len(), "a sum per coordinate");
    multiversion!(level, |weights: &[f64],
                          places: &[u16],
                          row: &[f64],
                          panel: &[f64],
                          sum: &mut [f64],
                          sums: &mut [f64]| {
        let (width, mut from) = (row.len(), 0);
        while from + 8 <= width {
            add_part::<8>(weights, places, (row, sum), (panel, sums), from);
            from += 8;
        }
        if from + 4 <= width {
            add_part::<4>(weights, places, (row, sum), (panel, sums), from);
            from += 4;
        }
        if from + 2 <= width {
            add_part::<2>(weights, places, (row, sum), (panel, sums), from);
            from += 2;
        }
        if from < width {
            add_part::<1>(weights, places, (row, sum), (panel, sums), from);
        }
    });
}

/// Adds a few coordinates.
#[inline(always)]
fn add_part<const COUNT: usize>(
    weights: &[f64],
    places: &[u16],
    (row, sum): (&[f64], &mut [f64]),
    (panel, sums): (&[f64], &mut [f64]),
    from: usize,
) {
    let width = row.len();
    let mut own = [0.0; COUNT];
    own.copy_from_slice(&row[from..from + COUNT]);
    let mut added = [0.0; COUNT];
    for (&weight, &place) in weights.iter().zip(places) {
        let start = usize::from(place) * width + from;
        let (other, theirs) = (&panel[start..][..COUNT], &mut sums[start..][..COUNT]);
        for k in 0..COUNT {
            added[k] += weight * other[k];
            theirs[k] += weight * own[k];
        }
    }
    for (sum, added) in sum[from..from + COUNT].iter_mut().zip(added) {
        *sum += added;
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::{NEAR_ROWS, NearPlaces, SoughtPanel, SoughtRows, search_by};
    use crate::LANES;

    /// As [`super::search`].
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn search(
        sought: SoughtRows<'_>,
        panel: SoughtPanel<'_>,
        found: &mut NearPlaces,
    ) -> [usize; NEAR_ROWS] {
        let [a, b, c, d] = sought.rows;
        search_by(sought, panel, found, |points, halves, reaches| {
            let (halves, reaches) = (halves.as_chunks().0, reaches.as_chunks().0);
            let zero = _mm256_setzero_ps();
            let first = [0, 1].map(|part| _mm256_sub_ps(zero, load(&halves[part])));
            let mut sums = [first; NEAR_ROWS];
            for ((((point, a), b), c), d) in points.iter().zip(a).zip(b).zip(c).zip(d) {
                let point = point.as_chunks().0;
                let point = [load(&point[0]), load(&point[1])];
                for (sums, coordinate) in sums.iter_mut().zip([a, b, c, d]) {
                    let coordinate = _mm256_set1_ps(*coordinate);
                    for part in 0..2 {
                        sums[part] = _mm256_fmadd_ps(coordinate, point[part], sums[part]);
                    }
                }
            }
            let reaches = [load(&reaches[0]), load(&reaches[1])];
            let mut within = [[zero; 2]; NEAR_ROWS];
            let mut any = zero;
            for row in 0..NEAR_ROWS {
                let reach = _mm256_set1_ps(sought.reaches[row]);
                let half = _mm256_set1_ps(sought.halves[row]);
                for part in 0..2 {
                    let limits = _mm256_sub_ps(half, _mm256_max_ps(reaches[part], reach));
                    within[row][part] = _mm256_cmp_ps::<_CMP_NLT_UQ>(sums[row][part], limits);
                    any = _mm256_or_ps(any, within[row][part]);
                }
            }
            // Mostly there is none.
            if _mm256_movemask_ps(any) == 0 {
                return [0; NEAR_ROWS];
            }
            within.map(|[low, high]| {
                let (low, high) = (_mm256_movemask_ps(low), _mm256_movemask_ps(high));
                low as u32 | (high as u32) << LANES
            })
        })
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load(values: &[f32; LANES]) -> __m256 {
        _mm256_castsi256_ps(crate::avx2::load_bits(values))
    }
}

/// Sixteen lanes in one register reduced the time of LMNN by a fifth: too little for a separate
/// version.
#[cfg(target_arch = "x86_64")]
use avx2 as avx512;
