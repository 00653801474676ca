//! Which way nearest rows are sought.

use std::fmt;

use super::nearest::Grouping;
use super::space::{Rule, Space};

/// How nearest rows are found; the rows, and all that follows from them, are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NeighborSearch {
    /// The distances of all pairs of rows.
    AllPairs,
    /// A k-d tree per class: for many rows with few columns, all numeric and without missing
    /// values or a ramp.
    KdTree,
}

impl NeighborSearch {
    /// `all pairs` or `kd-tree`.
    pub fn name(self) -> &'static str {
        match self {
            NeighborSearch::AllPairs => "all pairs",
            NeighborSearch::KdTree => "kd-tree",
        }
    }
}

impl fmt::Display for NeighborSearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Fewer sampled rows than this do not make up for the building of trees.
const LEAST_SAMPLED: usize = 1000;

/// The search that is faster, where trees can search the space: the rule, from measurements.
///
/// A tree leads to a part of a class that grows with the neighbours sought, and fast with the
/// columns; all pairs are all rows of the class.
pub(super) fn faster(
    space: &Space<'_>,
    sampled: usize,
    grouping: Grouping<'_>,
    k: usize,
) -> NeighborSearch {
    let active = space.features().iter().filter(|feature| feature.rule != Rule::Inert).count();
    let per_neighbor = match active {
        0..=4 => 50,
        5 => 500,
        6 => 2500,
        7 => 25_000,
        _ => return NeighborSearch::AllPairs,
    };
    // Each class has a tree of its own.
    let members = space.rows() / grouping.codes().max(1);
    if sampled >= LEAST_SAMPLED && members >= k.saturating_mul(per_neighbor) {
        NeighborSearch::KdTree
    } else {
        NeighborSearch::AllPairs
    }
}
