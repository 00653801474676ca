//! Random draws for generators, with ChaCha8 and conversions that are defined here. A seed therefore gives
//! the same data with all versions of libraries, except that normal draws use the platform's logarithm, which
//! may differ in the last bit.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::random::{RandomStream, generator, generator_of_part};

/// A seeded source of random draws.
#[derive(Debug, Clone)]
pub(super) struct Random {
    source: ChaCha8Rng,
    spare_normal: Option<f64>,
}

impl Random {
    /// Creates the source for the values of a generated data set.
    pub(super) fn new(seed: u64) -> Self {
        Self::of_stream(seed, RandomStream::GeneratedData)
    }

    /// Creates the source for another stream.
    pub(super) fn of_stream(seed: u64, stream: RandomStream) -> Self {
        Self { source: generator(seed, stream), spare_normal: None }
    }

    /// Creates the source for one of many parts. Its draws do not depend on the order in which parts are generated.
    pub(super) fn of_part(seed: u64, stream: RandomStream, part: u64) -> Self {
        Self { source: generator_of_part(seed, stream, part), spare_normal: None }
    }

    /// Draws a uniform 32-bit number.
    pub(super) fn word(&mut self) -> u32 {
        self.source.next_u32()
    }

    /// Draws a uniform number in [0, 1), a multiple of 2^-53.
    pub(super) fn uniform(&mut self) -> f64 {
        (self.source.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Returns true with a probability.
    pub(super) fn chance(&mut self, probability: f64) -> bool {
        self.uniform() < probability
    }

    /// Draws a uniform number in `0..bound`, without bias (Lemire 2019).
    ///
    /// # Panics
    /// `bound` is 0.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "the bound is above 0");
        let reject_below = bound.wrapping_neg() % bound;
        loop {
            let wide = u128::from(self.source.next_u64()) * u128::from(bound);
            if wide as u64 >= reject_below {
                return (wide >> 64) as u64;
            }
        }
    }

    /// Draws an index with a probability proportional to its weight.
    ///
    /// # Panics
    /// No weight is positive.
    pub(super) fn pick(&mut self, weights: &[f64]) -> usize {
        let mut left = self.uniform() * weights.iter().sum::<f64>();
        for (index, weight) in weights.iter().enumerate() {
            left -= weight;
            if left < 0.0 {
                return index;
            }
        }
        // A remainder due to rounding belongs to the last index with a positive weight.
        weights.iter().rposition(|&weight| weight > 0.0).expect("some weight is positive")
    }

    /// Draws a standard normal number, by Marsaglia's polar method; the second number of a pair is stored.
    pub(super) fn normal(&mut self) -> f64 {
        if let Some(spare) = self.spare_normal.take() {
            return spare;
        }
        loop {
            let u = 2.0 * self.uniform() - 1.0;
            let v = 2.0 * self.uniform() - 1.0;
            let square = u * u + v * v;
            if square > 0.0 && square < 1.0 {
                let factor = (-2.0 * square.ln() / square).sqrt();
                self.spare_normal = Some(v * factor);
                return u * factor;
            }
        }
    }

    /// Draws the number of failures before the next success, which is geometric. `scale` is `1 / ln(1 - rate)`,
    /// where `rate` is the nonzero probability of success.
    pub(super) fn gap(&mut self, scale: f64) -> usize {
        // The argument of the logarithm is uniform in (0, 1]; the conversion rounds down and saturates.
        ((1.0 - self.uniform()).ln() * scale) as usize
    }

    /// Draws a beta-distributed number; both parameters are positive.
    pub(super) fn beta(&mut self, first: f64, second: f64) -> f64 {
        let (one, other) = (self.gamma(first), self.gamma(second));
        one / (one + other)
    }

    /// Draws a gamma-distributed number with scale 1 (Marsaglia & Tsang 2000); `shape` is positive.
    fn gamma(&mut self, shape: f64) -> f64 {
        if shape < 1.0 {
            return self.gamma(shape + 1.0) * (1.0 - self.uniform()).powf(shape.recip());
        }
        let d = shape - 1.0 / 3.0;
        loop {
            let normal = self.normal();
            let cube = (1.0 + normal / (9.0 * d).sqrt()).powi(3);
            let uniform = 1.0 - self.uniform();
            if cube > 0.0 && uniform.ln() < 0.5 * normal * normal + d - d * cube + d * cube.ln() {
                return d * cube;
            }
        }
    }

    /// Shuffles a slice (Fisher-Yates).
    pub(super) fn shuffle<T>(&mut self, values: &mut [T]) {
        for last in (1..values.len()).rev() {
            let other = self.below(last as u64 + 1) as usize;
            values.swap(last, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_draws_of_seed_1_are_pinned() {
        // Computed with another implementation of ChaCha8.
        let mut random = Random::new(1);
        let uniform = [random.uniform(), random.uniform()];
        let below = [random.below(1000), random.below(1000), random.below(1000)];
        let normal = [random.normal(), random.normal()];
        assert_eq!(uniform, [0.8763941225053686, 0.6827408615312758]);
        assert_eq!(below, [336, 511, 961]);
        for (found, pinned) in normal.iter().zip([-0.19652752178719937, -1.2033789804325268]) {
            assert!((found - pinned).abs() < 1e-14, "{found}");
        }
    }

    #[test]
    fn normals_have_the_moments_of_the_normal() {
        let mut random = Random::new(2);
        let draws: Vec<f64> = (0..200_000).map(|_| random.normal()).collect();
        let moment = |power: i32| {
            draws.iter().map(|draw| draw.powi(power)).sum::<f64>() / draws.len() as f64
        };
        assert!(moment(1).abs() < 0.01);
        assert!((moment(2) - 1.0).abs() < 0.015);
        assert!(moment(3).abs() < 0.04);
        assert!((moment(4) - 3.0).abs() < 0.1);
    }

    #[test]
    fn betas_have_the_moments_of_the_beta() {
        let mut random = Random::new(5);
        for (first, second) in [(0.4, 1.7), (1.0, 1.0), (3.0, 12.0)] {
            let draws: Vec<f64> = (0..100_000).map(|_| random.beta(first, second)).collect();
            let mean = draws.iter().sum::<f64>() / draws.len() as f64;
            let squares = draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>();
            let (total, found) = (first + second, squares / draws.len() as f64);
            assert!((mean - first / total).abs() < 0.004, "{mean}");
            let wanted = first * second / (total * total * (total + 1.0));
            assert!((found / wanted - 1.0).abs() < 0.03, "{found} {wanted}");
        }
    }

    #[test]
    fn integers_and_picks_are_fair() {
        let mut random = Random::new(3);
        let mut counts = [0; 7];
        let mut picked = [0; 3];
        for _ in 0..70_000 {
            counts[random.below(7) as usize] += 1;
            picked[random.pick(&[1.0, 0.0, 3.0])] += 1;
        }
        assert!(counts.iter().all(|count| (9_600..10_400).contains(count)), "{counts:?}");
        assert_eq!(picked[1], 0);
        assert!((17_000..18_000).contains(&picked[0]), "{picked:?}");
    }

    #[test]
    fn a_shuffle_keeps_every_value() {
        let mut values: Vec<u32> = (0..100).collect();
        Random::new(4).shuffle(&mut values);
        assert_ne!(values[..10], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        values.sort_unstable();
        assert_eq!(values, (0..100).collect::<Vec<_>>());
    }
}
