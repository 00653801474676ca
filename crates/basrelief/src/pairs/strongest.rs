//! Finds the strongest of many pairs without storing all of them, and their false discovery rates.

use std::cmp::Ordering;
use std::sync::atomic::{self, AtomicU64};

/// Numbers with equal sign, exponent and leading bits of the fraction are counted together: this many of the lowest
/// bits are ignored.
const UNSEEN_BITS: u32 = 47;

/// Number of bins of the tally, which cover the numbers from 0 to 1.
const PLACES: usize = (1_f64.to_bits() >> UNSEEN_BITS) as usize + 1;

/// One pair that was tested.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Found {
    pub(super) first: u32,
    pub(super) second: u32,
    pub(super) p_value: f64,
    pub(super) statistic: f64,
    pub(super) degrees: u32,
    /// The residual degrees of freedom of an F statistic, otherwise 0.
    pub(super) residual: u32,
    pub(super) rows: u32,
    pub(super) information: f64,
}

impl Found {
    /// The strongest first: by p-value, then by statistic if p-values are too small to differ, then by position.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        (self.p_value.total_cmp(&other.p_value))
            .then(other.statistic.total_cmp(&self.statistic))
            .then((self.first, self.second).cmp(&(other.first, other.second)))
    }
}

/// A p-value shared by all workers. A pair with a larger p-value is not one of the strongest.
#[derive(Debug)]
pub(super) struct Limit(AtomicU64);

impl Limit {
    pub(super) fn new() -> Self {
        Self(AtomicU64::new(1_f64.to_bits()))
    }

    pub(super) fn get(&self) -> f64 {
        f64::from_bits(self.0.load(atomic::Ordering::Relaxed))
    }

    /// Lowers the limit to `p_value` if that is smaller. Nonnegative numbers have the order of their bits.
    fn lower(&self, p_value: f64) {
        self.0.fetch_min(p_value.to_bits(), atomic::Ordering::Relaxed);
    }
}

/// The strongest pairs that one worker has found.
#[derive(Debug)]
pub(super) struct Strongest {
    most: usize,
    found: Vec<Found>,
}

impl Strongest {
    /// Retains at most `most` pairs, but at least one.
    pub(super) fn new(most: usize) -> Self {
        Self { most: most.max(1), found: Vec::new() }
    }

    pub(super) fn add(&mut self, found: Found, limit: &Limit) {
        self.found.push(found);
        if self.found.len() >= self.most.saturating_mul(2) {
            self.prune(limit);
        }
    }

    /// Removes all pairs except the strongest.
    fn prune(&mut self, limit: &Limit) {
        if self.found.len() <= self.most {
            return;
        }
        let (_, last, _) = self.found.select_nth_unstable_by(self.most - 1, Found::order);
        limit.lower(last.p_value);
        self.found.truncate(self.most);
    }

    pub(super) fn merge(mut self, other: Self, limit: &Limit) -> Self {
        self.found.extend(other.found);
        self.prune(limit);
        self
    }

    /// The strongest, in order.
    pub(super) fn into_sorted(mut self, limit: &Limit) -> Vec<Found> {
        self.prune(limit);
        self.found.sort_unstable_by(Found::order);
        self.found
    }
}

/// A histogram of p-values.
#[derive(Debug, Clone)]
pub(super) struct Tally {
    counts: Vec<u64>,
    /// The number of all p-values.
    pub(super) tested: u64,
}

impl Default for Tally {
    fn default() -> Self {
        Self { counts: vec![0; PLACES], tested: 0 }
    }
}

impl Tally {
    /// Counts a p-value, given exactly or by a lower bound.
    pub(super) fn add(&mut self, p_value: f64) {
        let place = (p_value.to_bits() >> UNSEEN_BITS) as usize;
        self.counts[place.min(PLACES - 1)] += 1;
        self.tested += 1;
    }

    pub(super) fn merge(mut self, other: &Self) -> Self {
        self.counts.iter_mut().zip(&other.counts).for_each(|(one, other)| *one += other);
        self.tested += other.tested;
        self
    }

    /// A lower bound of `m p / rank` for all pairs whose p-value is larger than `p_value`; 1 if there are none.
    fn least_beyond(&self, p_value: f64) -> f64 {
        let first = (p_value.to_bits() >> UNSEEN_BITS) as usize;
        let (mut least, mut rank) = (1.0_f64, 0);
        for (place, &count) in self.counts.iter().enumerate() {
            rank += count;
            // Pairs beyond may be counted in earlier bins, because their p-values may be given by lower bounds.
            if place == first || (place > first && count > 0) {
                let lowest = f64::from_bits((place as u64) << UNSEEN_BITS).max(p_value);
                least = least.min(self.tested as f64 * lowest / rank as f64);
            }
        }
        least
    }
}

/// The false discovery rates (Benjamini & Hochberg 1995) among all tested pairs, from the p-values of the strongest
/// pairs in order. Returns the rate of every pair, and the largest rate that is exact; larger ones are upper bounds.
///
/// The rate of a pair is the minimum of `m p / rank` over the pair and all pairs after it. The p-values of the other
/// pairs are in the tally, exactly or as lower bounds, which gives a lower bound of their values.
pub(super) fn q_values(p_values: &[f64], tally: &Tally) -> (Vec<f64>, f64) {
    let known = p_values.len();
    let mut least = 1.0_f64;
    let mut found = vec![1.0; known];
    for place in (0..known).rev() {
        least = least.min(tally.tested as f64 * p_values[place] / (place + 1) as f64);
        found[place] = least;
    }
    let exact = match p_values.last() {
        Some(&last) if (known as u64) < tally.tested => tally.least_beyond(last),
        _ => 1.0,
    };
    (found, exact)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::inference::benjamini_hochberg;

    fn found(number: u32, p_value: f64) -> Found {
        let (first, second) = (number, number + 1);
        Found {
            first,
            second,
            p_value,
            statistic: 0.0,
            degrees: 4,
            residual: 0,
            rows: 9,
            information: 0.0,
        }
    }

    proptest! {
        #[test]
        fn the_strongest_are_those_of_a_sorted_list(
            p_values in proptest::collection::vec(0_u32..50, 1..80),
            most in 1_usize..20,
            parts in 1_usize..5,
        ) {
            let all: Vec<Found> =
                (0..).zip(&p_values).map(|(number, &p)| found(number, f64::from(p) / 50.0)).collect();
            let limit = Limit::new();
            let part = |part: usize| {
                let mut strongest = Strongest::new(most);
                for one in all.iter().skip(part).step_by(parts).filter(|one| one.p_value <= limit.get()) {
                    strongest.add(*one, &limit);
                }
                strongest
            };
            let merged = (0..parts).map(part).reduce(|one, other| one.merge(other, &limit)).unwrap();
            let mut wanted = all.clone();
            wanted.sort_by(Found::order);
            wanted.truncate(most);
            prop_assert_eq!(merged.into_sorted(&limit), wanted);
        }

        #[test]
        fn shares_are_exact_up_to_where_they_say(
            p_values in proptest::collection::vec(0.0_f64..=1.0, 1..60),
            tiny in proptest::collection::vec(1e-8_f64..1e-3, 0..30),
            most in 1_usize..40,
        ) {
            let mut sorted: Vec<f64> = p_values.into_iter().chain(tiny).collect();
            sorted.sort_by(f64::total_cmp);
            let mut tally = Tally::default();
            // Some p-values are given by lower bounds, as for pairs that are not fitted.
            for (place, &p) in sorted.iter().enumerate() {
                tally.add(if place % 3 == 0 { p * 0.9 } else { p });
            }
            let wanted = benjamini_hochberg(&sorted);
            let (shares, exact) = q_values(&sorted[..most.min(sorted.len())], &tally);
            for (found, wanted) in shares.iter().zip(&wanted) {
                prop_assert!(found >= &(wanted - 1e-12));
                if *found <= exact {
                    prop_assert!((found - wanted).abs() <= 1e-12 * wanted, "{found} {wanted}");
                }
            }
        }
    }
}
