//! Two pairs of rows, the first of which should be nearer than the second.

/// Two pairs of rows: the rows of the first should be nearer to each other than those of the
/// second. In a triplet (anchor, near row, far row), the anchor is the first row of both pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowComparison {
    /// The positions of the rows that should be near.
    pub near: (u32, u32),
    /// The positions of the rows that should be farther apart; they differ.
    pub far: (u32, u32),
}

impl RowComparison {
    /// The comparison that `near` should be nearer to `anchor` than `far`.
    pub fn of_triplet(anchor: u32, near: u32, far: u32) -> Self {
        Self { near: (anchor, near), far: (anchor, far) }
    }
}
