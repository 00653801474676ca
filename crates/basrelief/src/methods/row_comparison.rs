//! Two pairs of rows, of which one shall be nearer than the other.

/// Two rows that shall be nearer to each other than two other rows are; of a triplet (anchor, near row, far row) the anchor
/// is the first of both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowComparison {
    /// The places of the rows that shall be near.
    pub near: (u32, u32),
    /// The places of the rows that shall be farther apart; they differ.
    pub far: (u32, u32),
}

impl RowComparison {
    /// `near` shall be nearer to `anchor` than `far` is.
    pub fn of_triplet(anchor: u32, near: u32, far: u32) -> Self {
        Self { near: (anchor, near), far: (anchor, far) }
    }
}
