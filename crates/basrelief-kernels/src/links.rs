//! Which pairs of one row with others are within the bounds of either, and what they weigh.

use crate::{LANES, Level};

/// On which side of its bounds a distance is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Below.
    Near,
    /// Above, and finite.
    Far,
}

impl Side {
    #[inline(always)]
    pub(crate) fn holds(self, distance: f64, bound: f64) -> bool {
        match self {
            Side::Near => distance < bound,
            Side::Far => (distance > bound) & (distance < f64::INFINITY),
        }
    }
}

/// Bounds of rows, and what a pair weighs for a row by whose bound it is wanted.
#[derive(Debug, Clone, Copy)]
pub struct RowBounds<'b> {
    /// The bounds.
    pub bounds: &'b [f64],
    /// The weights.
    pub weights: &'b [f64],
}

/// Pairs that were found: as many elements of each as there are pairs, and room for more.
#[derive(Debug, Default)]
pub struct Links {
    places: Vec<u32>,
    weights: [Vec<f64>; 2],
    count: usize,
}

impl Links {
    /// Which of the others every pair is with, in order.
    pub fn places(&self) -> &[u32] {
        &self.places[..self.count]
    }

    /// What pairs weigh for the one row, and for the others: 0 where a bound does not hold.
    pub fn weights(&self) -> [&[f64]; 2] {
        self.weights.each_ref().map(|weights| &weights[..self.count])
    }

    /// The places, and the weights to be changed.
    pub fn parts_mut(&mut self) -> (&[u32], [&mut [f64]; 2]) {
        let Self { places, weights, count } = self;
        (&places[..*count], weights.each_mut().map(|weights| &mut weights[..*count]))
    }

    /// Room for so many pairs, and a whole vector behind them.
    fn clear(&mut self, most: usize) {
        let room = most + LANES;
        if self.places.len() < room {
            self.places.resize(room, 0);
            self.weights.iter_mut().for_each(|weights| weights.resize(room, 0.0));
        }
        self.count = 0;
    }
}

/// Replaces `places` by those of the distances on a side of a bound, in order. NaN is on none.
///
/// # Panics
/// More than 2^32 distances, or a `level` that this machine does not have.
pub fn find_beside(level: Level, side: Side, distances: &[f64], bound: f64, places: &mut Vec<u32>) {
    assert!(u32::try_from(distances.len()).is_ok(), "places are 32 bits");
    level.assert_available();
    // Room for all, and a whole vector behind them.
    places.resize(distances.len() + LANES, 0);
    let count = match level {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: `assert_available` has just seen that the machine has AVX-512.
        Level::Avx512 => unsafe { avx512::beside(side, distances, bound, places) },
        _ => {
            let mut count = 0;
            // No branch, as in `find`.
            for (place, &distance) in distances.iter().enumerate() {
                places[count] = place as u32;
                count += usize::from(side.holds(distance, bound));
            }
            count
        }
    };
    places.truncate(count);
}

/// Puts in `links` the pairs of one row with those others whose distance is on the side wanted of its
/// bound or of theirs.
///
/// `own` are the bound and the weight of the one row, `others` those of as many rows as there are
/// distances. NaN is on no side of anything.
///
/// # Panics
/// Slices that do not fit together, more than 2^32 distances, or a `level` that this machine does not
/// have.
pub fn find_links(
    level: Level,
    side: Side,
    distances: &[f64],
    own: (f64, f64),
    others: RowBounds<'_>,
    links: &mut Links,
) {
    assert_eq!(distances.len(), others.bounds.len(), "a bound for every other row");
    assert_eq!(distances.len(), others.weights.len(), "a weight for every other row");
    assert!(u32::try_from(distances.len()).is_ok(), "places are 32 bits");
    level.assert_available();
    links.clear(distances.len());
    match level {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: `assert_available` has just seen that the machine has AVX-512.
        Level::Avx512 => unsafe { avx512::find(side, distances, own, others, links) },
        _ => find(side, distances, own, others, links),
    }
}

/// Every pair is written down, and the next overwrites it if it is not wanted: no branch, since none
/// could be foretold.
fn find(
    side: Side,
    distances: &[f64],
    (bound, weight): (f64, f64),
    others: RowBounds<'_>,
    links: &mut Links,
) {
    let Links { places, weights: [to, from], count } = links;
    let others = others.bounds.iter().zip(others.weights);
    for (place, (&distance, (&other_bound, &other_weight))) in
        distances.iter().zip(others).enumerate()
    {
        let (is_own, is_other) = (side.holds(distance, bound), side.holds(distance, other_bound));
        places[*count] = place as u32;
        to[*count] = if is_own { weight } else { 0.0 };
        from[*count] = if is_other { other_weight } else { 0.0 };
        *count += usize::from(is_own | is_other);
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use super::{Links, RowBounds, Side};
    use crate::LANES;
    use crate::avx2::store_bits;
    use crate::avx512::store;

    /// As [`super::find`], eight at a time.
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,popcnt")]
    pub(super) fn find(
        side: Side,
        distances: &[f64],
        (bound, weight): (f64, f64),
        others: RowBounds<'_>,
        links: &mut Links,
    ) {
        let Links { places, weights: [to, from], count } = links;
        let (bound, weight) = (_mm512_set1_pd(bound), _mm512_set1_pd(weight));
        let mut at = first_places();
        let parts = distances.chunks(LANES);
        let others = others.bounds.chunks(LANES).zip(others.weights.chunks(LANES));
        for (distances, (bounds, weights)) in parts.zip(others) {
            let distances = load(distances);
            let is_own = holds(side, distances, bound);
            let is_other = holds(side, distances, load(bounds));
            let either = is_own | is_other;
            let own = _mm512_maskz_mov_pd(is_own, weight);
            let other = _mm512_maskz_mov_pd(is_other, load(weights));
            store(_mm512_maskz_compress_pd(either, own), &mut to[*count..]);
            store(_mm512_maskz_compress_pd(either, other), &mut from[*count..]);
            store_places(_mm256_maskz_compress_epi32(either, at), &mut places[*count..]);
            at = _mm256_add_epi32(at, _mm256_set1_epi32(LANES as i32));
            *count += either.count_ones() as usize;
        }
    }

    /// As [`super::find_beside`], with room for a vector behind all places; how many there are.
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,popcnt")]
    pub(super) fn beside(side: Side, distances: &[f64], bound: f64, places: &mut [u32]) -> usize {
        let bound = _mm512_set1_pd(bound);
        let mut at = first_places();
        let mut count = 0;
        for distances in distances.chunks(LANES) {
            let wanted = holds(side, load(distances), bound);
            store_places(_mm256_maskz_compress_epi32(wanted, at), &mut places[count..]);
            at = _mm256_add_epi32(at, _mm256_set1_epi32(LANES as i32));
            count += wanted.count_ones() as usize;
        }
        count
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl")]
    fn first_places() -> __m256i {
        _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl")]
    fn store_places(places: __m256i, out: &mut [u32]) {
        store_bits(places, out.first_chunk_mut::<LANES>().expect("room for a vector"));
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl")]
    fn holds(side: Side, distances: __m512d, bounds: __m512d) -> u8 {
        match side {
            Side::Near => _mm512_cmp_pd_mask::<_CMP_LT_OQ>(distances, bounds),
            Side::Far => {
                let finite = _mm512_set1_pd(f64::INFINITY);
                _mm512_cmp_pd_mask::<_CMP_GT_OQ>(distances, bounds)
                    & _mm512_cmp_pd_mask::<_CMP_LT_OQ>(distances, finite)
            }
        }
    }

    /// Up to eight numbers, and NaN after them.
    #[target_feature(enable = "avx512f,avx512dq,avx512vl")]
    fn load(values: &[f64]) -> __m512d {
        let mask = (0xff_u32 >> (LANES - values.len().min(LANES))) as u8;
        // SAFETY: only the lanes of the mask are read, all of which are in the slice.
        unsafe { _mm512_mask_loadu_pd(_mm512_set1_pd(f64::NAN), mask, values.as_ptr()) }
    }
}
