//! The hinges of pairs of rows: how far their squared distances are below the limits of either.
//!
//! A lane is one of four limits of a row, or one of four sums that are added up in one order, so that instruction
//! sets do not change a bit; nothing is fused.

use crate::dispatch::by_hand;
use crate::{Level, add_parts};

/// Limits that are looked at together.
pub const HINGE_LANES: usize = 4;

/// Limits of a row, or sums of the slopes by these.
pub type OfLimits = [f64; HINGE_LANES];

/// A limit that no squared distance is below.
pub const NO_LIMIT: f64 = -1e300;

/// Sums over the hinges of a row with other rows.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct HingeSums {
    /// Sum of the hinges, `max(0, margin)`.
    pub value: f64,
    /// The same, rounded off at their kinks.
    pub smooth: f64,
    /// Sum of the slopes of the rounded ones.
    pub slope: f64,
}

impl HingeSums {
    /// Adds those of other hinges.
    pub fn add(&mut self, more: Self) {
        self.value += more.value;
        self.smooth += more.smooth;
        self.slope += more.slope;
    }
}

/// A row, or the rows of a panel, with the limits of their hinges: the squared distances below which they have a slope.
#[derive(Debug)]
pub struct HingeSide<'a> {
    /// As many for every row, [`NO_LIMIT`] where it has fewer.
    pub limits: &'a [OfLimits],
    /// Sums of the slopes by these, to be added to.
    pub pushed: &'a mut [OfLimits],
}

/// Pairs of a row with some rows of a panel, and their hinges.
#[derive(Debug)]
pub struct HingePairs<'a> {
    /// Over how much around their kinks the hinges are rounded off.
    pub width: f64,
    /// Squared distances of the pairs.
    pub squares: &'a [f64],
    /// Their rows in the panel.
    pub places: &'a [u16],
    /// The row.
    pub row: HingeSide<'a>,
    /// All rows of the panel.
    pub panel: HingeSide<'a>,
    /// Become the sums of the slopes, by pair.
    pub slopes: &'a mut [f64],
}

/// The slopes of rounded hinges of pairs, and what these add up to.
///
/// A hinge of the margin `m = limit - width / 2 - square` is rounded off over `width` around its kink: its slope is
/// `(limit - square) / width`, at least 0 and at most 1. A pair has a hinge for each limit of the row and for each of
/// the other. The slopes by the limits are added to what was pushed on either side.
///
/// # Panics
/// A place beyond the panel, slices that do not fit together, or a `level` that this machine does not have.
pub fn hinge_slopes(level: Level, pairs: HingePairs<'_>) -> HingeSums {
    assert_eq!(pairs.squares.len(), pairs.places.len(), "a squared distance per place");
    assert_eq!(pairs.slopes.len(), pairs.places.len(), "a slope per place");
    for side in [&pairs.row, &pairs.panel] {
        assert_eq!(side.limits.len(), side.pushed.len(), "a sum per limit");
    }
    by_hand!(level, slopes_of(pairs))
}

/// As [`hinge_slopes`].
fn slopes_of(pairs: HingePairs<'_>) -> HingeSums {
    let HingePairs { width, squares, places, row, panel, slopes } = pairs;
    let (half, inverse) = (width / 2.0, 1.0 / width);
    let [mut value, mut smooth, mut slope] = [[0.0; HINGE_LANES]; 3];
    let mut add = |limits: &OfLimits, square: f64, pushed: &mut OfLimits, pair: &mut OfLimits| {
        for (lane, limit) in limits.iter().enumerate() {
            let above = limit - square;
            let slope = greater(above * inverse, 0.0);
            let slope = if slope < 1.0 { slope } else { 1.0 };
            value[lane] += greater(above - half, 0.0);
            smooth[lane] += slope * (above - half * slope);
            pushed[lane] += slope;
            pair[lane] += slope;
        }
    };
    let fours = row.limits.len();
    for ((&square, &place), sum) in squares.iter().zip(places).zip(slopes) {
        let others = usize::from(place) * fours..(usize::from(place) + 1) * fours;
        let mut pair = [0.0; HINGE_LANES];
        for (limits, pushed) in row.limits.iter().zip(&mut *row.pushed) {
            add(limits, square, pushed, &mut pair);
        }
        for (limits, pushed) in panel.limits[others.clone()].iter().zip(&mut panel.pushed[others]) {
            add(limits, square, pushed, &mut pair);
        }
        *sum = add_parts(pair);
        slope.iter_mut().zip(pair).for_each(|(sum, more)| *sum += more);
    }
    HingeSums { value: add_parts(value), smooth: add_parts(smooth), slope: add_parts(slope) }
}

fn greater(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::{HingePairs, HingeSums, OfLimits};
    use crate::add_parts;
    use crate::avx2::{load, store};

    /// As [`super::slopes_of`].
    #[target_feature(enable = "avx2")]
    pub(super) fn slopes_of(pairs: HingePairs<'_>) -> HingeSums {
        let HingePairs { width, squares, places, row, panel, slopes } = pairs;
        let (half, inverse) = (_mm256_set1_pd(width / 2.0), _mm256_set1_pd(1.0 / width));
        let (zero, one) = (_mm256_setzero_pd(), _mm256_set1_pd(1.0));
        let [mut value, mut smooth, mut slope] = [zero; 3];
        let mut add = |limits: &OfLimits, square: __m256d, pushed: &mut OfLimits| {
            let above = _mm256_sub_pd(load(limits), square);
            let slope = _mm256_max_pd(_mm256_mul_pd(above, inverse), zero);
            let slope = _mm256_min_pd(slope, one);
            value = _mm256_add_pd(value, _mm256_max_pd(_mm256_sub_pd(above, half), zero));
            let rounded = _mm256_sub_pd(above, _mm256_mul_pd(half, slope));
            smooth = _mm256_add_pd(smooth, _mm256_mul_pd(slope, rounded));
            store(_mm256_add_pd(load(pushed), slope), pushed);
            slope
        };
        let fours = row.limits.len();
        for ((&square, &place), sum) in squares.iter().zip(places).zip(slopes) {
            let square = _mm256_set1_pd(square);
            let others = usize::from(place) * fours..(usize::from(place) + 1) * fours;
            let mut pair = zero;
            for (limits, pushed) in row.limits.iter().zip(&mut *row.pushed) {
                pair = _mm256_add_pd(pair, add(limits, square, pushed));
            }
            let (limits, pushed) = (&panel.limits[others.clone()], &mut panel.pushed[others]);
            for (limits, pushed) in limits.iter().zip(pushed) {
                pair = _mm256_add_pd(pair, add(limits, square, pushed));
            }
            *sum = total(pair);
            slope = _mm256_add_pd(slope, pair);
        }
        HingeSums { value: total(value), smooth: total(smooth), slope: total(slope) }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn total(parts: __m256d) -> f64 {
        let mut lanes = [0.0; 4];
        store(parts, &mut lanes);
        add_parts(lanes)
    }
}

/// Four lanes gain nothing from AVX-512.
#[cfg(target_arch = "x86_64")]
use avx2 as avx512;
