//! Sums that run along numbers in order, and what they tell: how far every number is from those of a
//! sample.

use crate::dispatch::multiversion;
use crate::{LANES, Level};

/// Puts, for every one of some values and for their end, how many of a sample lie before it, and the sum
/// of these; `counts` has how often each value is in the sample.
///
/// Eight values are added up at a time, in the same order for every instruction set.
///
/// # Panics
/// Not as many counts as values, room for fewer than one more than these, or a `level` that this machine
/// does not have.
pub fn running_sums(
    level: Level,
    values: &[f64],
    counts: &[f64],
    before: &mut [f64],
    sums: &mut [f64],
) {
    assert_eq!(values.len(), counts.len(), "a count per value");
    multiversion!(
        level,
        fn(values: &[f64], counts: &[f64], before: &mut [f64], sums: &mut [f64]) running
    );
}

#[inline(always)]
fn running(values: &[f64], counts: &[f64], before: &mut [f64], sums: &mut [f64]) {
    let count = values.len();
    let (before, sums) = (&mut before[..=count], &mut sums[..=count]);
    (before[0], sums[0]) = (0.0, 0.0);
    let (mut counted, mut sum) = (0.0, 0.0);
    let mut first = 0;
    while first + LANES <= count {
        let some = |numbers: &[f64]| -> [f64; LANES] {
            std::array::from_fn(|lane| numbers[first..first + LANES][lane])
        };
        let (values, counts) = (some(values), some(counts));
        let terms = std::array::from_fn(|lane| counts[lane] * values[lane]);
        let (counts, terms) = (added_up(counts), added_up(terms));
        for lane in 0..LANES {
            before[first + 1..][lane] = counted + counts[lane];
            sums[first + 1..][lane] = sum + terms[lane];
        }
        counted += counts[LANES - 1];
        sum += terms[LANES - 1];
        first += LANES;
    }
    for at in first..count {
        counted += counts[at];
        sum += counts[at] * values[at];
        (before[at + 1], sums[at + 1]) = (counted, sum);
    }
}

/// The sum of every number and those before it.
#[inline(always)]
fn added_up(numbers: [f64; LANES]) -> [f64; LANES] {
    let plus = |numbers: [f64; LANES], apart: usize| -> [f64; LANES] {
        std::array::from_fn(|lane| {
            numbers[lane] + if lane < apart { 0.0 } else { numbers[lane - apart] }
        })
    };
    plus(plus(plus(numbers, 1), 2), 4)
}

/// Puts the mean over a sample of how far it is from each of some values, which are ascending, at most 1;
/// `before` and `sums` are its [`running_sums`].
///
/// # Panics
/// Fewer sums than one more than there are values, fewer places than values, or a `level` that this
/// machine does not have.
pub fn mean_differences(
    level: Level,
    values: &[f64],
    before: &[f64],
    sums: &[f64],
    out: &mut [f64],
) {
    multiversion!(
        level,
        fn(values: &[f64], before: &[f64], sums: &[f64], out: &mut [f64]) means
    );
}

#[inline(always)]
fn means(values: &[f64], before: &[f64], sums: &[f64], out: &mut [f64]) {
    let count = values.len();
    let (size, total) = (before[count], sums[count]);
    let (before, up_to) = (&before[..count], &before[1..=count]);
    let (sums, sums_up_to) = (&sums[..count], &sums[1..=count]);
    let out = &mut out[..count];
    for at in 0..count {
        let value = values[at];
        let below = before[at] * value - sums[at];
        let above = (total - sums_up_to[at]) - (size - up_to[at]) * value;
        // Rounding of the sums must not lead out of [0, 1].
        out[at] = ((below + above) / size).clamp(0.0, 1.0);
    }
}
