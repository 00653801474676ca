//! Genotypes among numbers, and missing ones among genotypes.

use crate::Level;
use crate::dispatch::multiversion;

/// Replaces every `codes[j]` by the genotype code of `values[j]`: 0, 1 and 2 copies, and 3 for NaN.
/// For any other number, the code is unspecified, and `others[j]` is set to all ones.
///
/// # Panics
/// Slices shorter than `values`, or a `level` that this machine does not have.
pub fn genotype_codes(level: Level, values: &[f64], codes: &mut [u8], others: &mut [u64]) {
    let (codes, others) = (&mut codes[..values.len()], &mut others[..values.len()]);
    multiversion!(level, |values: &[f64], codes: &mut [u8], others: &mut [u64]| {
        // One plain loop: of chunks, the compiler makes vectors of chunks, gathered lane by lane.
        for ((value, code), others) in values.iter().zip(codes).zip(others) {
            let (found, other) = code_of(*value);
            *code = found as u8;
            *others |= other;
        }
    });
}

/// The code of a number, and all ones if the number is not a genotype.
#[inline(always)]
fn code_of(value: f64) -> (u64, u64) {
    // The upper two bits of the exponent are 0, 1 and 2 for 0, 1 and 2, and 3 for NaN.
    let code = value.to_bits() >> 61 & 3;
    // Integers rather than truth values, which become vector code.
    let is = |copies: f64| if value == copies { u64::MAX } else { 0 };
    let missing = if value.is_nan() { u64::MAX } else { 0 };
    (code, !(is(0.0) | is(1.0) | is(2.0) | missing))
}

/// Adds to `places` those of the bytes that are `code`, in order.
///
/// # Panics
/// More than 2^32 bytes, or a `level` that this machine does not have.
pub fn find_code(level: Level, codes: &[u8], code: u8, places: &mut Vec<u32>) {
    assert!(u32::try_from(codes.len()).is_ok(), "places are 32 bits");
    let mut first = 0;
    each_word(level, codes, code, |mask| {
        add_places(mask, first, places);
        first += 64;
    });
}

/// Adds the places of the bits that are set, the first of which is at `first`.
#[inline(always)]
pub(crate) fn add_places(mut mask: u64, first: u32, places: &mut Vec<u32>) {
    while mask != 0 {
        places.push(first + mask.trailing_zeros());
        mask &= mask - 1;
    }
}

/// Replaces `marks` by a bit per byte that says whether it is `code`, and 0 behind them.
///
/// # Panics
/// Fewer bits than bytes, or a `level` that this machine does not have.
pub fn mark_code(level: Level, codes: &[u8], code: u8, marks: &mut [u64]) {
    assert!(codes.len() <= 64 * marks.len(), "a bit per byte");
    let mut marked = 0;
    each_word(level, codes, code, |mask| {
        marks[marked] = mask;
        marked += 1;
    });
    marks[marked..].fill(0);
}

/// Replaces the count of every line by the bits that it has in common with `marks`; the lines lie one
/// behind the other.
///
/// # Panics
/// Not a line as long as `marks` per count, or a `level` that this machine does not have.
pub fn count_common(level: Level, marks: &[u64], lines: &[u64], counts: &mut [u32]) {
    assert_eq!(lines.len(), marks.len() * counts.len(), "a line per count");
    multiversion!(level, |marks: &[u64], lines: &[u64], counts: &mut [u32]| {
        counts.fill(0);
        for (line, count) in lines.chunks_exact(marks.len().max(1)).zip(counts) {
            *count = line.iter().zip(marks).map(|(line, mark)| (line & mark).count_ones()).sum();
        }
    });
}

/// Calls `found` with a bit per byte that is `code`, 64 bytes at a time.
#[inline(always)]
fn each_word(level: Level, codes: &[u8], code: u8, mut found: impl FnMut(u64)) {
    level.assert_available();
    let equal = |codes: &[u8; 64]| match level {
        // SAFETY: `assert_available` has just seen that the machine has these instructions.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512::equal(codes, code) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { avx2::equal(codes, code) },
        _ => equal(codes, code),
    };
    let (whole, rest) = codes.as_chunks::<64>();
    whole.iter().for_each(|codes| found(equal(codes)));
    if !rest.is_empty() {
        // Behind them is another code.
        let mut last = [!code; 64];
        last[..rest.len()].copy_from_slice(rest);
        found(equal(&last));
    }
}

/// A bit per byte that is `code`, on any machine.
fn equal(codes: &[u8; 64], code: u8) -> u64 {
    (0..64).fold(0, |mask, place| mask | u64::from(codes[place] == code) << place)
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use crate::avx2::load_bits;

    /// As [`super::equal`].
    #[target_feature(enable = "avx2")]
    pub(super) fn equal(codes: &[u8; 64], code: u8) -> u64 {
        let code = _mm256_set1_epi8(code.cast_signed());
        let mut mask = 0;
        for (half, codes) in codes.as_chunks::<32>().0.iter().enumerate() {
            let equal = _mm256_cmpeq_epi8(load_bits(codes), code);
            let bits = _mm256_movemask_epi8(equal).cast_unsigned();
            mask |= u64::from(bits) << (half * 32);
        }
        mask
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use crate::avx512::load_bits;

    /// As [`super::equal`].
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn equal(codes: &[u8; 64], code: u8) -> u64 {
        _mm512_cmpeq_epi8_mask(load_bits(codes), _mm512_set1_epi8(code.cast_signed()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_the_same_at_every_level_and_in_every_place() {
        let numbers = [0.0, 1.0, 2.0, f64::NAN, -0.0, -f64::NAN, 3.0, 0.5, -1.0, 1e300, 1e-300];
        let infinite = [f64::INFINITY, f64::NEG_INFINITY, 4.0, -2.0, f64::MIN_POSITIVE];
        let numbers: Vec<f64> = numbers.into_iter().chain(infinite).collect();
        let code = |value: f64| match value {
            value if value.is_nan() => Some(3),
            0.0 => Some(0),
            1.0 => Some(1),
            2.0 => Some(2),
            _ => None,
        };
        for level in Level::ALL.into_iter().filter(|level| level.is_available()) {
            for length in 0..40 {
                let values: Vec<f64> =
                    (0..length).map(|at| numbers[(at * 7 + length) % numbers.len()]).collect();
                let (mut codes, mut others) = (vec![9; 40], vec![0; 40]);
                genotype_codes(level, &values, &mut codes, &mut others);
                for (at, &value) in values.iter().enumerate() {
                    let want = code(value);
                    assert_eq!(others[at], if want.is_some() { 0 } else { u64::MAX }, "{value}");
                    want.inspect(|want| assert_eq!(codes[at], *want, "{value}"));
                }
                assert!(codes[length..].iter().all(|&code| code == 9));
                assert!(others[length..].iter().all(|&other| other == 0));
            }
        }
    }

    #[test]
    fn places_of_a_code_are_the_same_at_every_level() {
        for level in Level::ALL.into_iter().filter(|level| level.is_available()) {
            for length in [0, 1, 63, 64, 65, 200] {
                let codes: Vec<u8> = (0..length).map(|at| (at * at % 7 % 4) as u8).collect();
                let mut places = vec![9];
                find_code(level, &codes, 2, &mut places);
                let wanted = (0..length).filter(|&at| codes[at] == 2).map(|at| at as u32);
                assert!(places[1..].iter().copied().eq(wanted), "{} {length}", level.name());
            }
        }
    }
}
