//! The choices that define a space.

use super::metric::Metric;
use super::ramp::Ramp;

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
