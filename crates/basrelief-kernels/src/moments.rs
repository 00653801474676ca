//! Mean and spread of a line of distances.

use crate::dispatch::multiversion;
use crate::{LANES, Level, add_parts};

/// Parts of a sum, so that not every addition waits for the one before.
const PARTS: usize = 4 * LANES;

/// Number, mean and sum of the squared deviations from it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Moments {
    /// How many numbers.
    pub count: f64,
    /// Their mean; 0 of none.
    pub mean: f64,
    /// The sum of their squared deviations from the mean.
    pub squares: f64,
}

impl Moments {
    /// The moments of the numbers of both, without loss (Chan, Golub & LeVeque 1983).
    pub fn merged(self, other: Self) -> Self {
        let count = self.count + other.count;
        if count == 0.0 {
            return self;
        }
        let apart = other.mean - self.mean;
        Self {
            count,
            mean: self.mean + apart * other.count / count,
            squares: self.squares
                + other.squares
                + apart * apart * self.count * other.count / count,
        }
    }

    /// The population standard deviation; 0 of none.
    pub fn deviation(self) -> f64 {
        if self.count == 0.0 { 0.0 } else { (self.squares / self.count).sqrt() }
    }
}

/// The moments of those numbers that are below infinity, in two passes. Sums are taken in parts, which
/// are added in a fixed order, whatever the instruction set.
///
/// # Panics
/// A `level` that this machine does not have.
pub fn finite_moments(level: Level, values: &[f64]) -> Moments {
    multiversion!(level, |values: &[f64]| -> Moments {
        let count = sum(values, |_| 1.0);
        if count == 0.0 {
            return Moments::default();
        }
        let mean = sum(values, |value| value) / count;
        Moments { count, mean, squares: sum(values, |value| (value - mean) * (value - mean)) }
    })
}

#[inline(always)]
fn sum(values: &[f64], term: impl Fn(f64) -> f64) -> f64 {
    let mut sums = [0.0; PARTS];
    let (whole, rest) = values.as_chunks::<PARTS>();
    for part in whole {
        for lane in 0..PARTS {
            sums[lane] += if part[lane] < f64::INFINITY { term(part[lane]) } else { 0.0 };
        }
    }
    for (sum, &value) in sums.iter_mut().zip(rest) {
        *sum += if value < f64::INFINITY { term(value) } else { 0.0 };
    }
    add_parts(sums)
}
