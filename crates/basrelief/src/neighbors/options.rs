//! The choices that define a neighborhood.

use std::fmt;
use std::str::FromStr;

/// The treatment of ties, that is, rows at equal distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Ties {
    /// All tied rows count, and share the remaining places: the mean over all orders of the rows.
    #[default]
    Share,
    /// The tied rows of smallest index count.
    First,
}

/// Weight of a neighbor by its rank (1 is the nearest); the weights are normalized to sum to 1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum NeighborWeights {
    /// Equal weights.
    #[default]
    Uniform,
    /// `exp(-(rank / sigma)^2)` (Robnik-Sikonja & Kononenko 2003).
    Rank {
        /// The scale of the ranks: the smaller it is, the faster the weight falls. Must be
        /// positive.
        sigma: f64,
    },
}

impl NeighborWeights {
    /// The default `sigma` of `rank` (Robnik-Sikonja & Kononenko 2003).
    pub const DEFAULT_SIGMA: f64 = 20.0;

    /// Weight of the neighbor of rank `rank`, counted from 1, relative to that of the first.
    pub fn raw(self, rank: usize) -> f64 {
        match self {
            // Relative to the first, the weights of a tiny sigma do not all underflow to 0.
            NeighborWeights::Rank { sigma } if rank > 1 => {
                let rank = rank as f64;
                (-((rank - 1.0) / sigma) * ((rank + 1.0) / sigma)).exp()
            }
            _ => 1.0,
        }
    }
}

impl NeighborWeights {
    /// The total weight of the places between two numbers of places. The place of rank r is between r - 1 and r.
    pub(super) fn of_places(self, from: f64, to: f64) -> f64 {
        let part = |rank: usize| {
            let end = rank as f64;
            self.raw(rank) * (end.min(to) - (end - 1.0).max(from))
        };
        (from as usize + 1..=to.ceil() as usize).map(part).sum()
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

/// The rule that determines the radius, and thus the near and the far rows, and how much they count.
///
/// Let `mean` and `sd` be the mean and the standard deviation of the distances [`of`](Self::of).
/// Near rows are nearer than the mean, and far rows are farther.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RadiusRule {
    /// The distances whose mean and standard deviation determine the radius.
    pub of: RadiusOf,
    /// Whether near rows are nearer than `mean - sd / 2` and far rows farther than `mean + sd / 2`:
    /// rows in the dead band between these bounds are neither.
    pub dead_band: bool,
    /// Whether a neighbor at distance d counts by its deviation from the bound of its side, with
    /// the weight `|2 / (1 + exp(4 (d - bound) / sd)) - 1|`, instead of 1.
    pub sigmoid: bool,
}

/// The distances whose mean and standard deviation determine a radius.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RadiusOf {
    /// Those of all pairs of rows.
    Pairs,
    /// The cells of the complete distance matrix, in which every row has distance 0 to itself.
    Matrix,
    /// A row's own distances to all other rows.
    Row,
}

impl RadiusRule {
    /// One radius for all rows, the mean distance of all pairs (SURF, SURF*).
    pub const SURF: Self = Self { of: RadiusOf::Pairs, dead_band: false, sigmoid: false };
    /// A radius per row, with a dead band (MultiSURF, MultiSURF*).
    pub const MULTISURF: Self = Self { of: RadiusOf::Row, dead_band: true, sigmoid: false };
    /// [`SURF`](Self::SURF) with sigmoid weights (SWRF, SWRF*).
    pub const SWRF: Self = Self { sigmoid: true, ..Self::SURF };
    /// A radius per row, with sigmoid weights and no dead band (MultiSWRF, MultiSWRF*).
    pub const MULTISWRF: Self = Self { of: RadiusOf::Row, ..Self::SWRF };
    /// [`MULTISURF`](Self::MULTISURF) with sigmoid weights (MultiSWRFDB, MultiSWRFDB*).
    pub const MULTISWRFDB: Self = Self { sigmoid: true, ..Self::MULTISURF };

    /// Whether every row has a radius that follows from its own distances.
    pub(crate) fn is_per_row(self) -> bool {
        self.of == RadiusOf::Row
    }
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
