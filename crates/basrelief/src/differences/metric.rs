//! The metrics: each consists of a difference of numbers and a fold.

use std::str::FromStr;

use super::canberra::{Canberra, canberra};
use super::fold::{Fold, RootOfSquares, Sum, SumOf};
use super::maximum::Maximum;
use super::number::Number;
use super::number_range::NumberRange;
use super::rule::Rule;

/// How two rows differ: the difference of two numbers, and how the features' differences are
/// combined into a distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Metric {
    /// The sum of the features' differences; for numbers, they are fractions of the range.
    #[default]
    Manhattan,
    /// The square root of the sum of their squares.
    Euclidean,
    /// The sum of the features' differences; for numbers, they are `|a - b| / (|a| + |b|)` of the
    /// raw values, and 0 where both are 0 (Lance & Williams 1967).
    Canberra,
    /// The largest of the features' differences; for numbers, they are fractions of the range.
    Chebyshev,
}

impl Metric {
    /// All metrics, in the order shown to users.
    pub const ALL: [Self; 4] = [Self::Manhattan, Self::Euclidean, Self::Canberra, Self::Chebyshev];

    /// Their names as values of an option, in the order of [`ALL`](Self::ALL).
    pub const NAMES: [&'static str; 4] = ["manhattan", "euclidean", "canberra", "chebyshev"];

    /// How differences are combined into a distance.
    pub(crate) fn fold(self) -> &'static dyn Fold {
        match self {
            Self::Manhattan | Self::Canberra => &Sum,
            Self::Euclidean => &RootOfSquares,
            Self::Chebyshev => &Maximum,
        }
    }

    /// Returns the difference of numbers with this range, grid and ramp.
    pub(crate) fn of_numbers(self, number: Number) -> Rule {
        match self {
            Self::Manhattan | Self::Euclidean | Self::Chebyshev => number.into(),
            Self::Canberra => {
                let NumberRange { least, range, .. } = number.on;
                Canberra { least, greatest: least + range }.into()
            }
        }
    }

    /// Whether a distance is the square root of a sum of squares.
    pub(crate) fn is_euclidean(self) -> bool {
        self.fold().sum() == Some(SumOf::Squares)
    }

    /// Whether numbers differ relative to their sizes and not as fractions of a range. A change of
    /// units then has no effect, but a shift of the origin does.
    pub(crate) fn takes_numbers_as_they_are(self) -> bool {
        self == Self::Canberra
    }

    /// Whether it is a sum of differences that all have kernels: features can then have weights in
    /// it, and k-d trees support it.
    pub(crate) fn has_kernels(self) -> bool {
        self.fold().sum().is_some() && !self.takes_numbers_as_they_are()
    }

    /// Adds the contribution of one coordinate to the totals of the distances between a point and
    /// others. Coordinates are multiplied by `unit`, and the contribution by `weight`.
    pub(crate) fn join_coordinates(
        self,
        own: f64,
        others: &[f64],
        (unit, weight): (f64, f64),
        totals: &mut [f64],
    ) {
        let own = own * unit;
        let pairs = totals.iter_mut().zip(others.iter().map(|other| other * unit));
        match self {
            Self::Manhattan => pairs.for_each(|(sum, other)| *sum += weight * (own - other).abs()),
            Self::Euclidean => pairs.for_each(|(sum, other)| {
                *sum += weight * ((own - other) * (own - other));
            }),
            Self::Canberra => pairs.for_each(|(sum, other)| *sum += weight * canberra(own, other)),
            Self::Chebyshev => pairs.for_each(|(greatest, other)| {
                *greatest = greatest.max(weight * (own - other).abs());
            }),
        }
    }

    /// Its name as a value of an option.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// Its name in a sentence.
    pub(crate) fn title(self) -> String {
        let (first, rest) = self.name().split_at(1);
        first.to_uppercase() + rest
    }
}

impl FromStr for Metric {
    type Err = String;

    /// Reads a [name](Metric::name).
    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|metric| metric.name() == text);
        found.ok_or_else(|| format!("`{text}` is none of {}", Self::NAMES.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_are_read() {
        for metric in Metric::ALL {
            assert_eq!(metric.name().parse(), Ok(metric));
        }
        assert_eq!(Metric::Chebyshev.title(), "Chebyshev");
        assert!("minkowski".parse::<Metric>().unwrap_err().contains("canberra"));
    }

    proptest! {
        /// A distance increases with every difference, and does not depend on their order.
        #[test]
        fn folds_are_monotone(
            differences in prop::collection::vec(0.0..1.0, 1..6),
            at in 0_usize..6,
            more in 0.0..0.5,
        ) {
            for metric in Metric::ALL {
                let fold = metric.fold();
                let distance = |differences: &mut dyn Iterator<Item = &f64>| {
                    let total = differences.fold(0.0, |total, &d| fold.joined(total, fold.term(d)));
                    fold.distance(total)
                };
                let before = distance(&mut differences.iter());
                let mut greater = differences.clone();
                greater[at % differences.len()] += more;
                prop_assert!(distance(&mut greater.iter()) >= before, "{:?}", metric);
                let turned = distance(&mut differences.iter().rev());
                prop_assert!((turned - before).abs() < 1e-12, "{:?}", metric);
                prop_assert!(before >= differences.iter().copied().fold(0.0, f64::max) - 1e-15);
            }
        }
    }
}
