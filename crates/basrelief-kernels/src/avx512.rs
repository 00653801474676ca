//! Vectors of AVX-512 that several kernels use: eight numbers each.

use std::arch::x86_64::*;

use crate::{LANES, Plain};

/// Turns eight lines of eight.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn turned(lines: [__m512d; LANES]) -> [__m512d; LANES] {
    // Pairs of lines, of their even and their odd numbers; then those of all, two numbers at a time.
    let pairs = [0, 2, 4, 6].map(|line| {
        let (one, two) = (lines[line], lines[line + 1]);
        [_mm512_unpacklo_pd(one, two), _mm512_unpackhi_pd(one, two)]
    });
    let mut turned = lines;
    for odd in 0..2 {
        let [a, b, c, d] = pairs.map(|pair| pair[odd]);
        let (low_ab, low_cd) =
            (_mm512_shuffle_f64x2::<0x88>(a, b), _mm512_shuffle_f64x2::<0x88>(c, d));
        let (high_ab, high_cd) =
            (_mm512_shuffle_f64x2::<0xdd>(a, b), _mm512_shuffle_f64x2::<0xdd>(c, d));
        turned[odd] = _mm512_shuffle_f64x2::<0x88>(low_ab, low_cd);
        turned[2 + odd] = _mm512_shuffle_f64x2::<0x88>(high_ab, high_cd);
        turned[4 + odd] = _mm512_shuffle_f64x2::<0xdd>(low_ab, low_cd);
        turned[6 + odd] = _mm512_shuffle_f64x2::<0xdd>(high_ab, high_cd);
    }
    turned
}

/// Eight numbers as a vector.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn load(values: &[f64; LANES]) -> __m512d {
    // SAFETY: the reference is good for 64 bytes; this load asks for no alignment.
    unsafe { _mm512_loadu_pd(values.as_ptr()) }
}

/// Writes a vector to the first eight numbers.
///
/// # Panics
/// Fewer numbers.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn store(values: __m512d, out: &mut [f64]) {
    let out: &mut [f64; LANES] = out.first_chunk_mut().expect("eight lanes");
    // SAFETY: the reference is good for 64 bytes; this store asks for no alignment.
    unsafe { _mm512_storeu_pd(out.as_mut_ptr(), values) }
}

/// Any 64 bytes of numbers as a vector.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn load_bits<T: Plain, const COUNT: usize>(values: &[T; COUNT]) -> __m512i {
    const { assert!(size_of::<[T; COUNT]>() == size_of::<__m512i>()) };
    // SAFETY: the reference is good for 64 bytes; this load asks for no alignment.
    unsafe { _mm512_loadu_si512(std::ptr::from_ref(values).cast()) }
}

/// Writes a vector over any 64 bytes of numbers.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn store_bits<T: Plain, const COUNT: usize>(bits: __m512i, out: &mut [T; COUNT]) {
    const { assert!(size_of::<[T; COUNT]>() == size_of::<__m512i>()) };
    // SAFETY: the reference is good for 64 bytes; this store asks for no alignment.
    unsafe { _mm512_storeu_si512(std::ptr::from_mut(out).cast(), bits) }
}
