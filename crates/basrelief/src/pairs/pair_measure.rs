//! What a measure of interaction has to tell of pairs.

/// What was measured of a pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Measured {
    pub(super) strength: f64,
    pub(super) uncorrected: f64,
    pub(super) rows: usize,
}

/// A measure of interaction: what does not depend on the target is computed once for a pair.
pub(super) trait PairMeasure: Sync {
    /// A pair, whatever the target.
    type Pair;
    /// Several permuted targets.
    type Targets: Send + Sync;

    /// The pair of the columns at two positions.
    fn pair(&self, first: usize, second: usize) -> Self::Pair;

    /// The pair with the target as it is.
    fn observed(&self, pair: &Self::Pair) -> Measured;

    /// The target in other orders: for every row, the row whose target it gets.
    fn targets(&self, orders: &[Vec<u32>]) -> Self::Targets;

    /// The strengths of a pair with these targets.
    fn permuted(&self, pair: &Self::Pair, targets: &Self::Targets) -> Vec<f64>;
}
