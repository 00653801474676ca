//! The interface of measures of interaction.

use std::ops::Range;

use crate::inference::Permutations;

/// The measured interaction of a pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Measured {
    pub(super) strength: f64,
    pub(super) uncorrected: f64,
    pub(super) rows: usize,
}

/// A measure of interaction. The part that does not depend on the target is computed once per pair.
pub(super) trait PairMeasure: Sync {
    /// A pair, independent of the target.
    type Pair;
    /// Several permuted targets.
    type Targets: Send + Sync;

    /// Prepares the pair of the columns at two positions.
    fn pair(&self, first: usize, second: usize) -> Self::Pair;

    /// Measures a pair with the unpermuted target.
    fn observed(&self, pair: &Self::Pair) -> Measured;

    /// The targets of some permutations, computed on all threads of the current pool.
    fn targets(&self, permutations: &Permutations<'_>, numbers: Range<u64>) -> Self::Targets;

    /// The strengths of a pair with permuted targets.
    fn permuted(&self, pair: &Self::Pair, targets: &Self::Targets) -> Vec<f64>;
}
