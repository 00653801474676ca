//! The stages of a fit in parts.

use super::cut::Cut;

/// A stage of the work; every stage needs the results of all parts of the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stage {
    /// The mean distance of all pairs of rows, of which a part measures those of some pairs of blocks.
    Measure,
    /// The mean distance of every row to all others, of which a part measures those of some pairs of blocks.
    Radii,
    /// Who is near to whom, of which a part takes some pairs of blocks.
    Search,
    /// The neighbors of all rows, of which a part takes those of some blocks.
    Lists,
    /// Weights of columns, of which a part takes some.
    Sums,
    /// The scatter of all pairs, of which a part adds up what pairs of blocks of columns have; of methods that
    /// learn a map.
    Scatter,
    /// Weights under permutations of the target, of which a part draws some.
    Permute,
    /// The margins of all rows under the weights before, of which a part adds up those of some blocks; of
    /// methods that go round.
    Margins,
}

impl Stage {
    /// All, in their order.
    pub const ALL: [Self; 8] = [
        Self::Measure,
        Self::Radii,
        Self::Search,
        Self::Lists,
        Self::Sums,
        Self::Scatter,
        Self::Permute,
        Self::Margins,
    ];

    /// `measure`, `radii`, `search`, `lists`, `sums`, `scatter`, `permute` or `margins`.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Measure => "measure",
            Stage::Radii => "radii",
            Stage::Search => "search",
            Stage::Lists => "lists",
            Stage::Sums => "sums",
            Stage::Scatter => "scatter",
            Stage::Permute => "permute",
            Stage::Margins => "margins",
        }
    }

    /// The stage of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stage| stage.name() == name)
    }

    /// Whether a part compares the rows of pairs of blocks.
    pub fn is_of_pairs(self) -> bool {
        matches!(self, Stage::Measure | Stage::Radii | Stage::Search)
    }
}

/// How a stage is cut, and about what it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StagePlan {
    /// The stage.
    pub stage: Stage,
    /// Its parts: of pairs of blocks of rows, of blocks, of columns, of pairs of blocks of columns, or of
    /// permutations.
    pub cut: Cut,
    /// About how many bytes the results of all parts have together.
    pub result_bytes: u64,
    /// How much memory a part takes beside the data, at most: rows tied with the k-th neighbor come on top.
    pub memory_bytes: u64,
}
