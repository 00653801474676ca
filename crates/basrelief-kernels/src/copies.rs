//! Genotypes among numbers.

use crate::Level;
use crate::dispatch::multiversion;

/// Replaces every `codes[j]` by the genotype code of `values[j]`: 0, 1 and 2 copies, and 3 for NaN. Where
/// a number is no genotype, its code means nothing, and `others[j]` is set to all ones.
///
/// # Panics
/// Slices shorter than `values`, or a `level` that this machine does not have.
pub fn genotype_codes(level: Level, values: &[f64], codes: &mut [u8], others: &mut [u64]) {
    let (codes, others) = (&mut codes[..values.len()], &mut others[..values.len()]);
    multiversion!(level, fn(values: &[f64], codes: &mut [u8], others: &mut [u64]) code);
}

#[inline(always)]
fn code(values: &[f64], codes: &mut [u8], others: &mut [u64]) {
    // One plain loop: of chunks, the compiler makes vectors of chunks, gathered lane by lane.
    for ((value, code), others) in values.iter().zip(codes).zip(others) {
        let (found, other) = code_of(*value);
        *code = found as u8;
        *others |= other;
    }
}

/// The code of a number, and all ones if it is no genotype.
#[inline(always)]
fn code_of(value: f64) -> (u64, u64) {
    // The upper two bits of the exponent are 0, 1 and 2 for 0, 1 and 2, and 3 for NaN.
    let code = value.to_bits() >> 61 & 3;
    // Integers rather than truth values, which become vector code.
    let is = |copies: f64| if value == copies { u64::MAX } else { 0 };
    let missing = if value.is_nan() { u64::MAX } else { 0 };
    (code, !(is(0.0) | is(1.0) | is(2.0) | missing))
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
}
