//! The stages of a fit in parts.

use serde::{Deserialize, Serialize};

use super::cut::Cut;

/// A stage of the work; every stage requires the results of all parts of the stage before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// The mean distance of all pairs of rows. A part measures some pairs of blocks.
    Measure,
    /// The mean distance of every row to all other rows. A part measures some pairs of blocks.
    Radii,
    /// Neighbor candidates between two blocks. A part searches some pairs of blocks.
    Search,
    /// The neighbors of all rows. A part merges the candidates of some blocks.
    Lists,
    /// Weights of columns. A part computes those of some columns.
    Sums,
    /// The scatter of all pairs, where a method learns a map. A part computes some pairs of blocks of columns.
    Scatter,
    /// Weights under permutations of the target. A part computes some permutations.
    Permute,
    /// The margins of all rows in an iteration of an iterative method. A part adds up those of some blocks.
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

/// The cut of a stage, and estimates of what it requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StagePlan {
    /// The stage.
    pub stage: Stage,
    /// Its parts. The items are pairs of blocks of rows, blocks of rows, columns, pairs of blocks of columns,
    /// or permutations.
    #[serde(flatten)]
    pub cut: Cut,
    /// The approximate size of the results of all parts together.
    pub result_bytes: u64,
    /// The memory that a part takes at most, besides the data and the rows tied with the k-th neighbor.
    pub memory_bytes: u64,
}
