//! The stages of a fit in parts.

/// A stage of the work; every stage needs the results of all parts of the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stage {
    /// The mean distance of all pairs of rows, of which a part measures some.
    Measure,
    /// The neighbors of rows, of which a part takes some.
    Search,
    /// Weights of columns, of which a part takes some.
    Sums,
}

impl Stage {
    /// All, in their order.
    pub const ALL: [Self; 3] = [Self::Measure, Self::Search, Self::Sums];

    /// `measure`, `search` or `sums`.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Measure => "measure",
            Stage::Search => "search",
            Stage::Sums => "sums",
        }
    }

    pub(super) fn code(self) -> u32 {
        match self {
            Stage::Measure => 0,
            Stage::Search => 1,
            Stage::Sums => 2,
        }
    }
}
