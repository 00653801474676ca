//! The choices that define a neighborhood.

use std::fmt;
use std::str::FromStr;

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
}
