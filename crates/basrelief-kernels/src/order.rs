//! Numbers brought in order.

use crate::dispatch::multiversion;
use crate::{Level, Rounding};

/// Times that all neighbors are compared before it is asked whether numbers are in order, and times that
/// this is asked: a number moves one place at a time.
const COMPARED: usize = 6;
const ASKED: usize = 4;

/// Brings numbers in order, in memory that is used again.
///
/// They are dealt to parts of their range, and so near their places.
#[derive(Debug, Default)]
pub struct NumberOrder {
    /// Per number, its part and its key.
    parts: Vec<u32>,
    keys: Vec<u64>,
    /// Per part, the end of its keys.
    ends: Vec<u32>,
    sorted: Vec<u64>,
}

impl NumberOrder {
    /// Sorts keys of the numbers that are not NaN: larger numbers have larger keys, in the order of
    /// [`f64::total_cmp`]. The last `places` bits of a key contain the position of its number
    /// instead, so that numbers that differ only in their last bits are ordered by position.
    ///
    /// `rounding` is faster the more evenly it spreads the numbers over as many parts.
    ///
    /// # Panics
    /// Places that have more bits, about 2^32 numbers, or a `level` that this machine does not have.
    pub fn sort(
        &mut self,
        level: Level,
        values: &[f64],
        rounding: Rounding,
        places: u32,
    ) -> &mut [u64] {
        let count = values.len();
        assert!(u32::try_from(count + 2).is_ok(), "numbers are counted in 32 bits");
        assert!(places == 0 || places < 64 && count >> places == 0, "bits for every place");
        let Self { parts, keys, ends, sorted } = self;
        parts.resize(count, 0);
        keys.resize(count, 0);
        let (of_numbers, to) = (&mut parts[..], &mut keys[..]);
        multiversion!(level, |values: &[f64],
                              rounding: Rounding,
                              places: u32,
                              of_numbers: &mut [u32],
                              to: &mut [u64]| {
            let count = values.len();
            let most = count as u32;
            let kept = if places == 0 { u64::MAX } else { u64::MAX << places };
            let out = of_numbers[..count].iter_mut().zip(&mut to[..count]);
            for (place, (value, (part, key))) in (0_u64..).zip(values.iter().zip(out)) {
                let (whole, _) = rounding.round(*value);
                *part = if value.is_nan() { most + 1 } else { whole.min(most) };
                let bits = value.to_bits();
                let negative = (bits.cast_signed() >> 63).cast_unsigned();
                *key = (bits ^ (negative | 1 << 63)) & kept | place & !kept;
            }
        });
        // Parts from 0 to the number of numbers, and one for NaN. They are counted one further on, so that
        // the sums are the starts, which grow to be the ends.
        ends.clear();
        ends.resize(count + 3, 0);
        for part in parts.iter() {
            ends[*part as usize + 1] += 1;
        }
        let mut sum = 0;
        for end in ends.iter_mut() {
            sum += *end;
            *end = sum;
        }
        let known = ends[count + 1] as usize;
        sorted.resize(count, 0);
        for (part, key) in parts.iter().zip(keys.iter()) {
            let end = &mut ends[*part as usize];
            sorted[*end as usize] = *key;
            *end += 1;
        }
        let sorted = &mut sorted[..known];
        sort_nearly_sorted(level, sorted);
        sorted
    }

    /// The number that a key without a place is of.
    pub fn number(key: u64) -> f64 {
        let is_positive = key >> 63 == 1;
        f64::from_bits(if is_positive { key ^ 1 << 63 } else { !key })
    }
}

/// Sorts numbers that are a few places from where they belong, by comparing neighbors: nothing branches,
/// while sorts of a few numbers are mostly branches that cannot be foretold. Others are sorted as well, at
/// little more than what that costs.
fn sort_nearly_sorted(level: Level, values: &mut [u64]) {
    for _ in 0..ASKED {
        let numbers = &mut *values;
        let is_sorted = multiversion!(level, |numbers: &mut [u64]| -> bool {
            for time in 0..COMPARED {
                let start = (time % 2).min(numbers.len());
                for pair in numbers[start..].as_chunks_mut::<2>().0 {
                    let [a, b] = *pair;
                    *pair = [a.min(b), a.max(b)];
                }
            }
            let next = numbers.get(1..).unwrap_or_default();
            let wrong = numbers.iter().zip(next).fold(0, |wrong, (a, b)| wrong | u64::from(a > b));
            wrong == 0
        });
        if is_sorted {
            return;
        }
    }
    values.sort_unstable();
}
