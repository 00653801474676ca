//! Detects whether a column's values lie on a grid, so that distances can be exact integers.
//!
//! On discrete data ties are common, and sums of thirds in floating point break them at random. A
//! column that holds integers, decimals of a fixed number of places, or an affine image of either
//! (a z-scored count) lies on `first + step * integer` up to the rounding of its stored values.
//! Differences over the range are then fractions with one denominator, and scaling all columns to a
//! common denominator makes every distance an exact integer.

/// Largest number of steps in a column's range for which the column counts as a grid.
const MAX_STEPS: f64 = 1_048_576.0;

/// Distances stay exact while they are integers up to this value: 2^36, the precision that rounded
/// distances retain.
pub(crate) const EXACT: f64 = 68_719_476_736.0;

/// The number of steps from the smallest to the largest value, if all values lie on a grid.
///
/// `values` may contain NaN; `epsilon` is the relative spacing of the numbers in their stored
/// precision. The two bounds are the extremes of the known values, and must differ.
pub(crate) fn steps(values: &[f64], least: f64, greatest: f64, epsilon: f64) -> Option<u64> {
    let known = || values.iter().copied().filter(|value| !value.is_nan());
    let (step, noise) = step_of(known(), least, greatest, epsilon)?;
    let range = greatest - least;
    // The common step of noisy numbers is itself noisy; the range contains an integer number of
    // steps.
    let count = (range / step).round();
    let step = range / count;
    let on_grid = |value: f64| {
        let place = (value - least) / step;
        (place - place.round()).abs() * step <= 2.0 * noise
    };
    (known().all(on_grid) && noise < step * 1e-3).then_some(count as u64)
}

/// Whether a few of a column's known values suffice to show that the column does not lie on a grid;
/// the other arguments are those of [`steps`].
pub(crate) fn are_off_grid(
    some: impl Iterator<Item = f64>,
    least: f64,
    greatest: f64,
    epsilon: f64,
) -> bool {
    step_of(some, least, greatest, epsilon).is_none()
}

/// The common step of some values and the range, and the largest error of each value; `None` if
/// all common steps are too fine.
fn step_of(
    values: impl Iterator<Item = f64>,
    least: f64,
    greatest: f64,
    epsilon: f64,
) -> Option<(f64, f64)> {
    let range = greatest - least;
    // Twice the rounding error of the larger end, for each of the operations that produced the
    // value.
    let noise = 16.0 * epsilon * least.abs().max(greatest.abs()).max(range);
    if noise * 4096.0 > range {
        return None;
    }
    let mut step = range;
    for value in values {
        step = common_step(step, value - least, noise)?;
        if range / step > MAX_STEPS {
            return None;
        }
    }
    Some((step, noise))
}

/// Greatest common divisor of two lengths that are known up to `noise`.
///
/// The remainder's noise increases with the quotient, so the bound does too. `None` if the
/// remainders fall below the noise before a common step appears.
fn common_step(a: f64, b: f64, noise: f64) -> Option<f64> {
    let (mut long, mut short) = if a >= b { (a, b) } else { (b, a) };
    let mut bound = 4.0 * noise;
    while short > bound {
        let quotient = (long / short).round();
        let rest = (long - quotient * short).abs();
        bound = 4.0 * noise * (1.0 + quotient.max(bound / (4.0 * noise)));
        if bound > short * 0.25 {
            return None;
        }
        (long, short) = (short, rest);
    }
    Some(long)
}

/// Least common multiple of the columns' steps (and of `at_least`), if `features` differences
/// of that size, squared if `square`, still sum to an exact integer.
pub(crate) fn common_denominator(
    steps: impl Iterator<Item = u64>,
    at_least: u64,
    features: usize,
    square: bool,
) -> Option<f64> {
    let mut multiple = at_least;
    for count in steps {
        multiple = multiple.checked_mul(count / greatest_common_divisor(multiple, count))?;
        let size = multiple as f64;
        let largest = if square { size * size } else { size } * features as f64;
        if largest > EXACT {
            return None;
        }
    }
    Some(multiple as f64)
}

fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps_of(values: &[f64]) -> Option<u64> {
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let greatest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        steps(values, least, greatest, f64::EPSILON)
    }

    #[test]
    fn integers_decimals_and_their_affine_images_are_grids() {
        assert_eq!(steps_of(&[3.0, 4.0, 9.0]), Some(6));
        assert_eq!(steps_of(&[4.3, 5.1, f64::NAN, 7.9, 4.9]), Some(18)); // all multiples of 0.2 apart
        assert_eq!(steps_of(&[4.3, 5.1, 7.9, 5.0]), Some(36));
        let scored: Vec<f64> = [0.0, 1.0, 2.0, 5.0].iter().map(|v| (v - 0.7) / 0.437).collect();
        assert_eq!(steps_of(&scored), Some(5));
        assert_eq!(steps_of(&[1e6, 1e6 + 1.0, 1e6 + 7.0]), Some(7));
    }

    #[test]
    fn continuous_values_are_not() {
        let values: Vec<f64> = (1..50).map(|i| f64::from(i).sqrt().fract()).collect();
        assert_eq!(steps_of(&values), None);
        assert_eq!(steps_of(&[0.0, std::f64::consts::FRAC_1_PI, 1.0]), None);
    }

    #[test]
    fn the_common_denominator_is_bounded() {
        assert_eq!(common_denominator([36, 24, 59].into_iter(), 2, 4, false), Some(4248.0));
        let primes = [999_983, 999_979, 999_961];
        assert_eq!(common_denominator(primes.into_iter(), 1, 4, false), None);
    }
}
