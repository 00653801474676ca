//! Vectors of AVX2 that several kernels use.

use std::arch::x86_64::*;

use crate::Plain;

/// Any 32 bytes of numbers as a vector.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn load_bits<T: Plain, const COUNT: usize>(values: &[T; COUNT]) -> __m256i {
    const { assert!(size_of::<[T; COUNT]>() == size_of::<__m256i>()) };
    // SAFETY: the reference is good for 32 bytes; this load asks for no alignment.
    unsafe { _mm256_loadu_si256(std::ptr::from_ref(values).cast()) }
}

/// Writes a vector over any 32 bytes of numbers.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn store_bits<T: Plain, const COUNT: usize>(bits: __m256i, out: &mut [T; COUNT]) {
    const { assert!(size_of::<[T; COUNT]>() == size_of::<__m256i>()) };
    // SAFETY: the reference is good for 32 bytes; this store asks for no alignment.
    unsafe { _mm256_storeu_si256(std::ptr::from_mut(out).cast(), bits) }
}

/// Four numbers as a vector.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn load(values: &[f64; 4]) -> __m256d {
    _mm256_castsi256_pd(load_bits(values))
}

/// Writes a vector to four numbers.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn store(values: __m256d, out: &mut [f64; 4]) {
    store_bits(_mm256_castpd_si256(values), out);
}
