//! Chooses how differences are added up, from facts that are known before any sum.
//!
//! The thresholds are in [`crate::thresholds`]. Every choice gives the same sums, up to
//! rounding.

use serde::{Deserialize, Serialize};

use crate::thresholds::{
    FEW_WHOLE_FEATURES, MOST_SUM, PAIRS_PER_RUN, TILES_BYTES, TILES_TOGETHER, WORDS_OF_PAIR,
};
use basrelief_kernels::{MARKS, MOST_LINES};

/// Names that [`Run::with_routes`](crate::Run::with_routes) accepts to force another way: no
/// differences are counted as bits, pairs come row by row, corrections for missing values are
/// looked up pair by pair.
pub(crate) const WEIGHED: &str = "weighed bits";
/// See [`WEIGHED`].
pub(crate) const BY_ROW: &str = "pairs by row";
/// See [`WEIGHED`].
pub(crate) const LOOKED_UP: &str = "corrections looked up";

/// See [`WEIGHED`]: sums for many targets are computed for one target after the other.
pub(crate) const BY_TARGET: &str = "targets one by one";

/// See [`WEIGHED`]: where a source offers pairs once for both directions, they are taken that way
/// even if all features are stored as bits, whose differences are counted row by row. Their total
/// weight then equals that of the pairs of a table that also has other features.
pub(crate) const UNDIRECTED: &str = "pairs once for both directions";

/// The facts that decide how sums for many targets of one table are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TargetFacts<'f> {
    /// Whether every target has two classes.
    pub(super) two_classes: bool,
    /// Whether all neighbors of a group have equal weights for every target; for the k nearest,
    /// every class must have more than k rows.
    pub(super) even: bool,
    /// Whether pairs with a missing value are excluded.
    pub(super) ignored: bool,
    /// The largest sum of integer differences of a row.
    pub(super) greatest: usize,
    /// Whether the neighbors are the k nearest; otherwise they are those within a radius.
    pub(super) nearest: bool,
    /// Number of features, and whether the differences of all are integers.
    pub(super) features: usize,
    pub(super) whole: bool,
    /// Whether a feature is summed by the entries of its sparse column, which many targets do not share.
    pub(super) sparse: bool,
    /// Names of the forced ways.
    pub(super) forced: &'f [String],
}

/// How sums for many targets are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TargetRoute {
    /// Counts of bits, 512 targets at a time.
    Counts,
    /// Tables of the sums of subsets of a row's neighbors.
    Tables,
    /// One target after the other, each as a single target.
    OneByOne,
}

impl TargetFacts<'_> {
    pub(super) fn route(&self) -> TargetRoute {
        let fits = self.two_classes && self.even && !self.ignored && self.greatest <= MOST_SUM;
        if !fits || self.sparse || self.forced.iter().any(|name| name == BY_TARGET) {
            TargetRoute::OneByOne
        } else if self.nearest && self.whole && self.features <= FEW_WHOLE_FEATURES {
            TargetRoute::Counts
        } else {
            TargetRoute::Tables
        }
    }
}

/// The facts that decide how the differences of a feature are added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FeatureFacts {
    /// Whether all its differences are 0.
    pub(super) is_constant: bool,
    /// Whether a kernel computes its differences: `|a - b|`, or 0 and 1.
    pub(super) is_plain: bool,
    /// Whether its values are stored as bits.
    pub(super) is_bits: bool,
    /// Whether its differences follow from the entries of a sparse column.
    pub(super) is_sparse: bool,
    /// Whether values are missing, and pairs with a missing value are excluded.
    pub(super) is_ignored: bool,
    /// Whether values are missing, with an expected difference to each.
    pub(super) has_table: bool,
    /// Whether the table of expected differences is small.
    pub(super) has_small_table: bool,
}

/// How the differences of a feature are added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// Counted as bits, for all pairs of equal weight at once.
    Counted,
    /// Weighted by kernels, sixteen features at a time; missing values are coded, and corrected
    /// afterwards.
    Weighed,
    /// From the entries of sparse columns.
    Sparse,
    /// One by one, for any kind of difference.
    Apart,
}

/// How corrections for the missing values of a feature are added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Corrected {
    /// By counting bits of pairs.
    ByBits,
    /// From a table, pair by pair.
    LookedUp,
}

/// The facts that decide how the differences of all features are added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Facts<'f> {
    /// Rows of the table.
    pub(super) rows: usize,
    /// Number of pairs of the inspected rows, and number of runs of equal weight among them.
    pub(super) pairs: usize,
    pub(super) runs: usize,
    /// Whether a row's mean is added up instead of its pairs.
    pub(super) means: bool,
    /// Names of the forced ways.
    pub(super) forced: &'f [String],
}

impl Facts<'_> {
    fn is_forced(&self, name: &str) -> bool {
        self.forced.iter().any(|forced| forced == name)
    }

    /// Whether the runs of equal weight are long enough to count differences as bits.
    fn in_runs(&self) -> bool {
        !self.is_forced(WEIGHED) && self.pairs >= PAIRS_PER_RUN * self.runs
    }

    /// How a feature's differences are added up, and its missing values corrected; `None` if there
    /// is nothing to add up.
    pub(super) fn way(&self, feature: FeatureFacts) -> Option<(Way, Option<Corrected>)> {
        let way = match feature {
            FeatureFacts { is_constant: true, .. } => return None,
            // A row's mean weights its pairs one by one.
            _ if self.means => Way::Apart,
            FeatureFacts { is_plain: false, .. } | FeatureFacts { is_ignored: true, .. } => {
                Way::Apart
            }
            FeatureFacts { is_sparse: true, .. } => Way::Sparse,
            FeatureFacts { is_bits: true, .. } if self.in_runs() => Way::Counted,
            _ => Way::Weighed,
        };
        let corrected = match way {
            Way::Apart => None,
            _ if !feature.has_table => None,
            Way::Counted
                if feature.has_small_table
                    && self.rows <= MOST_LINES
                    && !self.is_forced(LOOKED_UP) =>
            {
                Some(Corrected::ByBits)
            }
            _ => Some(Corrected::LookedUp),
        };
        Some((way, corrected))
    }

    /// Whether corrections by bits of pairs, of `words` words per row, are less work than looking
    /// up `pairs` pairs in `runs` runs.
    pub(super) fn bits_are_worth(&self, pairs: usize, runs: usize, words: usize) -> bool {
        pairs * WORDS_OF_PAIR >= runs * (words + MARKS)
    }

    /// Whether pairs are taken once for both directions, where a source offers that. Bits are
    /// counted row by row; `others` is whether there are any other features.
    pub(super) fn undirected(&self, others: bool) -> bool {
        (others || self.is_forced(UNDIRECTED)) && !self.means && !self.is_forced(BY_ROW)
    }

    /// Number of tiles that are processed together, for tiles with this number of bytes per row.
    pub(super) fn tiles_together(&self, bytes_per_row: usize) -> usize {
        (TILES_BYTES / (bytes_per_row * self.rows.max(1))).clamp(1, TILES_TOGETHER)
    }
}

/// How differences were added up.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SumPlan {
    /// Columns whose differences were counted as bits.
    pub counted: usize,
    /// Columns whose differences were weighted by kernels.
    pub weighed: usize,
    /// Columns whose differences were computed from their entries.
    pub sparse: usize,
    /// Columns whose differences were computed one by one.
    pub apart: usize,
    /// Columns whose missing values were corrected by counts of bits.
    pub corrected_by_bits: usize,
    /// Columns whose missing values were corrected from a table.
    pub looked_up: usize,
    /// Whether pairs were taken once for both directions.
    pub undirected: bool,
    /// The way that was abandoned, and the reason.
    pub fallback: Option<String>,
}

impl SumPlan {
    /// Counts a column.
    pub(super) fn add(&mut self, way: Way, corrected: Option<Corrected>) {
        *match way {
            Way::Counted => &mut self.counted,
            Way::Weighed => &mut self.weighed,
            Way::Sparse => &mut self.sparse,
            Way::Apart => &mut self.apart,
        } += 1;
        match corrected {
            Some(Corrected::ByBits) => self.corrected_by_bits += 1,
            Some(Corrected::LookedUp) => self.looked_up += 1,
            None => {}
        }
    }

    /// Describes the plan in words.
    pub fn text(&self) -> String {
        let columns = |count: usize| match count {
            1 => "1 column".to_string(),
            count => format!("{count} columns"),
        };
        let ways = [
            (self.counted, "counted as bits, 256 columns at a time"),
            (self.weighed, "weighed differences, tiles of 16 columns"),
            (self.sparse, "entries of sparse columns, equal to dense sums up to 1e-12"),
            (self.apart, "differences one by one"),
        ];
        let several = ways.iter().filter(|(count, _)| *count > 0).count() > 1;
        let mut parts: Vec<String> = ways
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|&(count, text)| match several {
                true => format!("{text} ({})", columns(count)),
                false => text.to_string(),
            })
            .collect();
        if parts.is_empty() {
            parts.push("no column tells rows apart".to_string());
        }
        if self.undirected {
            parts.push("pairs once for both directions".to_string());
        }
        if self.corrected_by_bits > 0 {
            parts.push(format!("{} corrected by bits of pairs", columns(self.corrected_by_bits)));
        }
        if self.looked_up > 0 {
            parts.push(format!("{} corrected from tables", columns(self.looked_up)));
        }
        parts.join("; ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: FeatureFacts = FeatureFacts {
        is_constant: false,
        is_plain: true,
        is_bits: false,
        is_sparse: false,
        is_ignored: false,
        has_table: false,
        has_small_table: false,
    };

    #[test]
    fn every_route_for_many_targets_is_taken() {
        let facts = TargetFacts {
            two_classes: true,
            even: true,
            ignored: false,
            greatest: MOST_SUM,
            nearest: true,
            features: FEW_WHOLE_FEATURES,
            whole: true,
            sparse: false,
            forced: &[],
        };
        let forced = [BY_TARGET.to_string()];
        let cases = [
            (facts, TargetRoute::Counts),
            (TargetFacts { features: FEW_WHOLE_FEATURES + 1, ..facts }, TargetRoute::Tables),
            (TargetFacts { nearest: false, ..facts }, TargetRoute::Tables),
            (TargetFacts { whole: false, ..facts }, TargetRoute::Tables),
            (TargetFacts { two_classes: false, ..facts }, TargetRoute::OneByOne),
            (TargetFacts { even: false, ..facts }, TargetRoute::OneByOne),
            (TargetFacts { ignored: true, ..facts }, TargetRoute::OneByOne),
            (TargetFacts { sparse: true, ..facts }, TargetRoute::OneByOne),
            (TargetFacts { greatest: MOST_SUM + 1, ..facts }, TargetRoute::OneByOne),
            (TargetFacts { forced: &forced, ..facts }, TargetRoute::OneByOne),
        ];
        for (facts, route) in cases {
            assert_eq!(facts.route(), route, "{facts:?}");
        }
    }

    #[test]
    fn every_way_is_taken() {
        let facts = Facts { rows: 100, pairs: 80, runs: 20, means: false, forced: &[] };
        let bits = FeatureFacts { is_bits: true, ..PLAIN };
        let sparse = FeatureFacts { is_sparse: true, ..PLAIN };
        let with_table = FeatureFacts { has_table: true, has_small_table: true, ..bits };
        let looked_up = Some(Corrected::LookedUp);
        let cases = [
            (facts, PLAIN, Some((Way::Weighed, None))),
            (facts, bits, Some((Way::Counted, None))),
            (facts, sparse, Some((Way::Sparse, None))),
            (Facts { means: true, ..facts }, sparse, Some((Way::Apart, None))),
            (Facts { pairs: 79, ..facts }, bits, Some((Way::Weighed, None))),
            (Facts { means: true, ..facts }, bits, Some((Way::Apart, None))),
            (facts, FeatureFacts { is_constant: true, ..bits }, None),
            (facts, FeatureFacts { is_plain: false, ..PLAIN }, Some((Way::Apart, None))),
            (facts, FeatureFacts { is_ignored: true, ..bits }, Some((Way::Apart, None))),
            (facts, with_table, Some((Way::Counted, Some(Corrected::ByBits)))),
            (Facts { rows: MOST_LINES + 1, ..facts }, with_table, Some((Way::Counted, looked_up))),
            (
                facts,
                FeatureFacts { has_small_table: false, ..with_table },
                Some((Way::Counted, looked_up)),
            ),
            (facts, FeatureFacts { has_table: true, ..PLAIN }, Some((Way::Weighed, looked_up))),
        ];
        for (facts, feature, way) in cases {
            assert_eq!(facts.way(feature), way, "{facts:?} {feature:?}");
        }
        let forced = [WEIGHED.to_string()];
        assert_eq!(Facts { forced: &forced, ..facts }.way(bits), Some((Way::Weighed, None)));
        assert!(facts.bits_are_worth(10, 1, 12) && !facts.bits_are_worth(9, 1, 12));
        assert!(facts.undirected(true) && !facts.undirected(false));
        assert_eq!(facts.tiles_together(128), TILES_TOGETHER);
        assert_eq!(Facts { rows: 1 << 20, ..facts }.tiles_together(128), 1);
    }
}
