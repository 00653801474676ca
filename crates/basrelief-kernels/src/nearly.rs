//! Numbers that are almost in order.

use crate::Level;
use crate::dispatch::multiversion;

/// Times that all neighbours are compared before it is asked whether numbers are in order, and times that
/// this is asked: a number moves one place at a time.
const COMPARED: usize = 6;
const ASKED: usize = 4;

/// Sorts numbers that are a few places from where they belong, by comparing neighbours: nothing branches,
/// while sorts of a few numbers are mostly branches that cannot be foretold. Others are sorted as well, at
/// little more than what that costs.
///
/// # Panics
/// The machine has no such `level`.
pub fn sort_nearly_sorted(level: Level, values: &mut [u64]) {
    for _ in 0..ASKED {
        let mut is_sorted = false;
        let (numbers, found) = (&mut *values, &mut is_sorted);
        multiversion!(level, fn(numbers: &mut [u64], found: &mut bool) compare);
        if is_sorted {
            return;
        }
    }
    values.sort_unstable();
}

#[inline(always)]
fn compare(numbers: &mut [u64], found: &mut bool) {
    for time in 0..COMPARED {
        let start = (time % 2).min(numbers.len());
        for pair in numbers[start..].as_chunks_mut::<2>().0 {
            let [a, b] = *pair;
            *pair = [a.min(b), a.max(b)];
        }
    }
    let next = numbers.get(1..).unwrap_or_default();
    let wrong = numbers.iter().zip(next).fold(0, |wrong, (a, b)| wrong | u64::from(a > b));
    *found = wrong == 0;
}
