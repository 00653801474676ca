//! The choices that define a space.

use super::metric::Metric;
use super::ramp::Ramp;

/// How the difference to a missing value is defined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum MissingPolicy {
    /// The expected difference, the missing value being drawn from the known values of its row's
    /// class (RELIEF-D; Prat & Belanche 2006, eq. 2.5, and the same principle for numbers).
    #[default]
    Expected,
    /// The feature is excluded from the pair; distances are scaled to the full number of features.
    Ignore,
    /// The largest difference that the known value allows: 1 for a category, `max(u, 1 - u)` for a
    /// number at position `u` in its range; 1 if both values are missing.
    Pessimistic,
}

/// How the difference of two genotypes is defined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum GenotypeDiff {
    /// Half the number of allele copies that differ: 0, 1/2 or 1.
    #[default]
    Additive,
    /// 0 if equal, otherwise 1.
    Categorical,
}

/// The choices that define a space: how two rows differ.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SpaceOptions {
    /// How differences are combined into a distance.
    pub metric: Metric,
    /// How the difference to a missing value is defined.
    pub missing: MissingPolicy,
    /// Ramp over numeric differences, if any.
    pub ramp: Option<Ramp>,
    /// How the difference of two genotypes is defined.
    pub genotype_diff: GenotypeDiff,
}
