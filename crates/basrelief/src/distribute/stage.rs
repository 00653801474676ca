//! The stages of a fit in parts.

use super::cut::Cut;

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

/// How a stage is cut, and about what it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StagePlan {
    /// The stage.
    pub stage: Stage,
    /// Its parts: of pairs of blocks of rows, of sampled rows, or of columns.
    pub cut: Cut,
    /// About how many bytes the results of all parts have together.
    pub result_bytes: u64,
    /// How much memory a part takes beside the data, at most: rows tied with the k-th neighbor come on top.
    pub memory_bytes: u64,
}
