//! Sums that run along numbers in order, and what they tell: how far every number is from those of a
//! sample.

use crate::Level;
use crate::dispatch::multiversion;

/// Values that are added up at a time, in the same order for every instruction set.
const AT_ONCE: usize = 4;

/// Puts, for every one of some values and for their end, how many of a sample lie before it, and the sum
/// of these; `counts` has how often each value is in the sample.
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
    multiversion!(level, |values: &[f64], counts: &[f64], before: &mut [f64], sums: &mut [f64]| {
        let count = values.len();
        let (before, sums) = (&mut before[..=count], &mut sums[..=count]);
        (before[0], sums[0]) = (0.0, 0.0);
        let (mut counted, mut sum) = (0.0, 0.0);
        let (values, rest) = values.as_chunks::<AT_ONCE>();
        let (counts, counts_of_rest) = counts.as_chunks::<AT_ONCE>();
        let (before, before_rest) = before[1..].as_chunks_mut::<AT_ONCE>();
        let (sums, sums_of_rest) = sums[1..].as_chunks_mut::<AT_ONCE>();
        for ((values, counts), (before, sums)) in
            values.iter().zip(counts).zip(before.iter_mut().zip(sums))
        {
            let terms: [f64; AT_ONCE] = std::array::from_fn(|at| counts[at] * values[at]);
            *before = added_up(counted, *counts);
            *sums = added_up(sum, terms);
            (counted, sum) = (before[AT_ONCE - 1], sums[AT_ONCE - 1]);
        }
        let of_rest = rest.iter().zip(counts_of_rest);
        for ((value, count), (before, out)) in of_rest.zip(before_rest.iter_mut().zip(sums_of_rest))
        {
            counted += count;
            sum += count * value;
            (*before, *out) = (counted, sum);
        }
    });
}

/// The sums of a number, and of those that come one after the other: the next sum waits for one addition.
#[inline(always)]
fn added_up(sum: f64, [a, b, c, d]: [f64; AT_ONCE]) -> [f64; AT_ONCE] {
    let two = a + b;
    [sum + a, sum + two, sum + (two + c), sum + (two + (c + d))]
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
    multiversion!(level, |values: &[f64], before: &[f64], sums: &[f64], out: &mut [f64]| {
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
    });
}
