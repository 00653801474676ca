//! The choices that define a space and a neighborhood.

use std::fmt;
use std::str::FromStr;

/// How the features' differences add up to a distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Metric {
    /// Their sum.
    #[default]
    Manhattan,
    /// The root of the sum of their squares.
    Euclidean,
}

/// What the difference to a missing value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum MissingPolicy {
    /// The expected difference, the missing value being drawn from the known values of its row's
    /// class (RELIEF-D; Prat & Belanche 2006, eq. 2.5, and the same principle for numbers).
    #[default]
    Expected,
    /// The feature is left out of the pair; distances are scaled to the full number of features.
    Ignore,
    /// The largest difference that the known value allows: 1 for a category, `max(u, 1 - u)` for a number at
    /// place `u` of its range; 1 if both values are missing.
    Pessimistic,
}

/// What the difference of two genotypes is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum GenotypeDiff {
    /// Half the number of allele copies that differ: 0, 1/2 or 1.
    #[default]
    Additive,
    /// 0 if equal, else 1.
    Categorical,
}

/// Who counts among rows at equal distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Ties {
    /// All of them, sharing the places that are left: the mean over all orders of the rows.
    #[default]
    Share,
    /// Those of smallest row index.
    First,
}

/// Weight of a neighbor by its rank (1 is the nearest), normalized to sum 1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum NeighborWeights {
    /// All alike.
    #[default]
    Uniform,
    /// `exp(-(rank / sigma)^2)` (Robnik-Sikonja & Kononenko 2003).
    Rank {
        /// How fast the weight falls; greater than 0.
        sigma: f64,
    },
}

impl NeighborWeights {
    /// The `sigma` of `rank` where none is given (Robnik-Sikonja & Kononenko 2003).
    pub const DEFAULT_SIGMA: f64 = 20.0;

    /// Weight of the neighbor of rank `rank`, counted from 1, as a multiple of the first one's.
    pub fn raw(self, rank: usize) -> f64 {
        match self {
            // As a multiple, the weights of a tiny sigma do not all vanish.
            NeighborWeights::Rank { sigma } if rank > 1 => {
                let rank = rank as f64;
                (-((rank - 1.0) / sigma) * ((rank + 1.0) / sigma)).exp()
            }
            _ => 1.0,
        }
    }
}

impl FromStr for NeighborWeights {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "uniform" => Ok(NeighborWeights::Uniform),
            None if text == "rank" => Ok(NeighborWeights::Rank { sigma: Self::DEFAULT_SIGMA }),
            Some(("rank", sigma)) => match sigma.parse::<f64>() {
                Ok(sigma) if sigma > 0.0 && sigma.is_finite() => {
                    Ok(NeighborWeights::Rank { sigma })
                }
                _ => Err(format!("the SIGMA of `{text}` is not a number above 0")),
            },
            _ => Err(format!("`{text}` is neither `uniform` nor `rank:SIGMA`")),
        }
    }
}

impl fmt::Display for NeighborWeights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NeighborWeights::Uniform => f.write_str("uniform"),
            NeighborWeights::Rank { sigma } => write!(f, "rank:{sigma}"),
        }
    }
}

/// Hong's ramp: a numeric difference below one threshold counts nothing, above another fully,
/// linear between (Robnik-Sikonja & Kononenko 2003). Thresholds are shares of the range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ramp {
    equal: f64,
    different: f64,
}

impl Ramp {
    /// A ramp from `equal` to `different`, shares of the feature's range with
    /// `0 <= equal < different <= 1`; `None` when they are not.
    pub fn new(equal: f64, different: f64) -> Option<Self> {
        let valid = (0.0..1.0).contains(&equal) && different > equal && different <= 1.0;
        valid.then_some(Self { equal, different })
    }

    /// Up to here rows count as equal.
    pub fn equal(&self) -> f64 {
        self.equal
    }

    /// From here on rows count as different.
    pub fn different(&self) -> f64 {
        self.different
    }

    /// Reads `none` or `T_EQUAL:T_DIFFERENT`.
    ///
    /// # Errors
    /// The reason for refusing the text.
    pub fn parse(text: &str) -> Result<Option<Self>, String> {
        if text == "none" {
            return Ok(None);
        }
        text.split_once(':')
            .and_then(|(equal, different)| {
                Self::new(equal.trim().parse().ok()?, different.trim().parse().ok()?)
            })
            .map(Some)
            .ok_or_else(|| {
                format!("`{text}` is not `none` or two shares of the range, the first smaller")
            })
    }

    /// The ramped value of a range-normalized absolute difference.
    pub fn apply(&self, difference: f64) -> f64 {
        ((difference - self.equal) / (self.different - self.equal)).clamp(0.0, 1.0)
    }
}

/// The choices that define a space: how two rows differ.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SpaceOptions {
    /// How differences add up.
    pub metric: Metric,
    /// What missing values are worth.
    pub missing: MissingPolicy,
    /// Ramp over numeric differences, if any.
    pub ramp: Option<Ramp>,
    /// What two genotypes differ by.
    pub genotype_diff: GenotypeDiff,
}

/// How the radius is chosen: who is near, and who is far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RadiusRule {
    /// Near: nearer than the mean distance of all pairs; far: farther (SURF, SURF*).
    MeanOfPairs,
    /// As `MeanOfPairs`, but the mean is that of the whole matrix of distances, where every row has
    /// the distance 0 to itself (the radius of scikit-rebate).
    MeanOfMatrix,
    /// Near: nearer than the row's mean distance less half its standard deviation; far: farther
    /// than the mean plus half (MultiSURF, MultiSURF*).
    OwnMean,
    /// As `MeanOfPairs`, and a neighbor at distance d counts `|2 / (1 + exp(4 (d - mean) / sd)) -
    /// 1|` with mean and standard deviation of all pairs (SWRF*).
    Sigmoid,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbor_weights_read_back() {
        for text in ["uniform", "rank:2.5", "rank:20"] {
            assert_eq!(text.parse::<NeighborWeights>().unwrap().to_string(), text);
        }
        assert!("rank:0".parse::<NeighborWeights>().is_err());
        assert!("rank:nan".parse::<NeighborWeights>().is_err());
        assert!("ranks".parse::<NeighborWeights>().is_err());
    }

    #[test]
    fn a_tiny_sigma_leaves_the_first_neighbor() {
        let weights = |sigma| [1, 2].map(|rank| NeighborWeights::Rank { sigma }.raw(rank));
        assert_eq!(weights(0.03), [1.0, 0.0]);
        assert_eq!(weights(f64::MIN_POSITIVE), [1.0, 0.0]);
        // By hand: exp(-4 / 4) / exp(-1 / 4).
        assert!((weights(2.0)[1] - (-0.75_f64).exp()).abs() < 1e-16);
    }

    #[test]
    fn a_ramp_is_flat_then_linear_then_flat() {
        let ramp = Ramp::parse("0.04:0.1").unwrap().unwrap();
        assert_eq!(ramp.apply(0.03), 0.0);
        assert!((ramp.apply(0.07) - 0.5).abs() < 1e-15);
        assert_eq!(ramp.apply(0.2), 1.0);
        assert_eq!(Ramp::parse("none"), Ok(None));
        for bad in ["0.1:0.1", "0.1", "-1:0.5", "0:2", "nan:1"] {
            assert!(Ramp::parse(bad).is_err(), "{bad}");
        }
    }
}
