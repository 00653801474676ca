//! The k-th least of a few distances.

use crate::Level;
use crate::dispatch::{by_hand, multiversion};

/// Candidates that [`kth_least`] looks at together.
pub const KTH_WIDTH: usize = 16;

/// Vectors whose numbers are all compared with each other: beyond, sorting halves is faster.
const MOST: usize = 8;

/// Numbers of a lane whose least stands for them, at least.
const PER_LANE: usize = 4;

/// Candidates: a number, which they are compared by, and what it belongs to.
type Vector = [[u32; 2]; KTH_WIDTH];

/// The `k`-th smallest number of the first `count` candidates (1 is the smallest), counting
/// duplicates. A candidate is a number and its owner, which is ignored, as are further candidates.
///
/// # Panics
/// If `k` is 0 or larger than `count`, `count` is larger than the number of candidates, or the
/// machine does not support `level`.
pub fn kth_least(
    level: Level,
    candidates: &[[[u32; 2]; KTH_WIDTH]],
    count: usize,
    k: usize,
) -> u32 {
    assert!((1..=count).contains(&k), "the k-th least of {count} with k = {k}");
    level.assert_available();
    let needed = count.div_ceil(KTH_WIDTH);
    // Without vectors sorting halves is faster for any number.
    if needed > MOST || level == Level::Portable {
        return select(&candidates.as_flattened()[..count], k);
    }
    let vectors = &candidates[..needed];
    // A separate loop for each number of vectors, whose counts stay in registers.
    match needed {
        1 => find::<1>(level, vectors, count, k),
        2 => find::<2>(level, vectors, count, k),
        3 => find::<3>(level, vectors, count, k),
        4 => find::<4>(level, vectors, count, k),
        5 => find::<5>(level, vectors, count, k),
        6 => find::<6>(level, vectors, count, k),
        7 => find::<7>(level, vectors, count, k),
        _ => find::<MOST>(level, vectors, count, k),
    }
}

/// A bound that at least `k` of the numbers, and not many more, do not exceed. For many numbers it
/// costs a fraction of [`kth_least`]. It is the `k`-th smallest of the minima of several lanes.
///
/// # Panics
/// If `k` is 0 or larger than the number of values, or the machine does not support `level`.
pub fn bound_of_least(level: Level, values: &[u32], k: usize) -> u32 {
    assert!((1..=values.len()).contains(&k), "the k-th least of {} with k = {k}", values.len());
    level.assert_available();
    let lanes = k.div_ceil(KTH_WIDTH);
    if lanes > MOST || values.len() < lanes * KTH_WIDTH * PER_LANE {
        return *values.to_vec().select_nth_unstable(k - 1).1;
    }
    let mut least = [[u32::MAX; KTH_WIDTH]; MOST];
    let found = &mut least[..lanes];
    // Computes the minimum of every lane; vectors are assigned to lanes in turn.
    multiversion!(level, |values: &[u32], found: &mut [[u32; KTH_WIDTH]]| {
        let (whole, rest) = values.as_chunks::<KTH_WIDTH>();
        for vectors in whole.chunks(found.len()) {
            for (least, vector) in found.iter_mut().zip(vectors) {
                for lane in 0..KTH_WIDTH {
                    least[lane] = least[lane].min(vector[lane]);
                }
            }
        }
        for (least, value) in found[0].iter_mut().zip(rest) {
            *least = (*least).min(*value);
        }
    });
    let candidates = least.map(|least| least.map(|number| [number, 0]));
    kth_least(level, &candidates[..lanes], lanes * KTH_WIDTH, k)
}

/// The `k`-th smallest of the first `count` candidates, which include all vectors except part of
/// the last: the largest candidate for which fewer than `k` are smaller.
fn find<const VECTORS: usize>(level: Level, vectors: &[Vector], count: usize, k: usize) -> u32 {
    let vectors = vectors.first_chunk::<VECTORS>().expect("as many vectors as there are");
    by_hand!(level, find_in(vectors, count, k))
}

/// As [`find`], on any machine.
fn find_in<const VECTORS: usize>(vectors: &[Vector; VECTORS], count: usize, k: usize) -> u32 {
    select(&vectors.as_flattened()[..count], k)
}

/// The `k`-th least number of all candidates, on any machine.
fn select(candidates: &[[u32; 2]], k: usize) -> u32 {
    let mut numbers: Vec<u32> = candidates.iter().map(|[number, _]| *number).collect();
    *numbers.select_nth_unstable(k - 1).1
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::{KTH_WIDTH, Vector};
    use crate::avx2::load_bits;

    /// As [`super::find`].
    #[target_feature(enable = "avx2")]
    pub(super) fn find_in<const VECTORS: usize>(
        vectors: &[Vector; VECTORS],
        count: usize,
        k: usize,
    ) -> u32 {
        // With the upper bit turned, signed numbers compare like unsigned ones.
        let turn = _mm256_set1_epi32(i32::MIN);
        let halves = vectors.each_ref().map(|vector| {
            let (halves, _) = vector.as_chunks::<{ KTH_WIDTH / 2 }>();
            [0, 1].map(|half| _mm256_xor_si256(load(&halves[half]), turn))
        });
        let mut less = [[_mm256_setzero_si256(); 2]; VECTORS];
        let candidates = &vectors.as_flattened()[..count];
        for &[number, _] in candidates {
            let number = _mm256_xor_si256(_mm256_set1_epi32(number as i32), turn);
            for (less, half) in less.as_flattened_mut().iter_mut().zip(halves.as_flattened()) {
                *less = _mm256_sub_epi32(*less, _mm256_cmpgt_epi32(*half, number));
            }
        }
        // SAFETY: both are integers of 32 bits and of one length.
        let less =
            less.map(|less| unsafe { std::mem::transmute::<[__m256i; 2], [u32; KTH_WIDTH]>(less) });
        let with_less = candidates.iter().zip(less.as_flattened());
        let few = with_less.filter(|(_, less)| (**less as usize) < k);
        few.fold(0, |greatest, ([number, _], _)| greatest.max(*number))
    }

    /// The numbers of eight candidates.
    #[target_feature(enable = "avx2")]
    fn load(candidates: &[[u32; 2]; KTH_WIDTH / 2]) -> __m256i {
        let (halves, _) = candidates.as_chunks::<{ KTH_WIDTH / 4 }>();
        let [first, second] = [0, 1].map(|half| _mm256_castsi256_ps(load_bits(&halves[half])));
        // The lower halves come first, then the upper ones.
        let numbers = _mm256_castps_pd(_mm256_shuffle_ps::<0b10_00_10_00>(first, second));
        _mm256_castpd_si256(_mm256_permute4x64_pd::<0b11_01_10_00>(numbers))
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use super::{KTH_WIDTH, Vector};
    use crate::avx512::load_bits;

    /// As [`super::find`].
    #[target_feature(enable = "avx512f")]
    pub(super) fn find_in<const VECTORS: usize>(
        vectors: &[Vector; VECTORS],
        count: usize,
        k: usize,
    ) -> u32 {
        let numbers = vectors.each_ref().map(|vector| load(vector));
        let mut less = [_mm512_setzero_si512(); VECTORS];
        let one = _mm512_set1_epi32(1);
        for &[number, _] in &vectors.as_flattened()[..count] {
            let number = _mm512_set1_epi32(number as i32);
            for (less, numbers) in less.iter_mut().zip(&numbers) {
                let is_less = _mm512_cmplt_epu32_mask(number, *numbers);
                *less = _mm512_mask_add_epi32(*less, is_less, *less, one);
            }
        }
        let mut greatest = _mm512_setzero_si512();
        for (at, (less, numbers)) in less.into_iter().zip(numbers).enumerate() {
            let those = u16::MAX >> (KTH_WIDTH - (count - at * KTH_WIDTH).min(KTH_WIDTH));
            let few = _mm512_mask_cmplt_epu32_mask(those, less, _mm512_set1_epi32(k as i32));
            greatest = _mm512_mask_max_epu32(greatest, few, greatest, numbers);
        }
        _mm512_reduce_max_epu32(greatest)
    }

    /// The numbers of sixteen candidates.
    #[target_feature(enable = "avx512f")]
    fn load(candidates: &Vector) -> __m512i {
        let (halves, _) = candidates.as_chunks::<{ KTH_WIDTH / 2 }>();
        let [first, second] = [0, 1].map(|half| load_bits(&halves[half]));
        let even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
        _mm512_permutex2var_epi32(first, even, second)
    }
}
