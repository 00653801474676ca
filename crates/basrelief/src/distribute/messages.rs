//! The results of the stages, as they travel: what a search returns, in arrays that are [`Packed`].

use std::collections::BTreeMap;

use basrelief_kernels::Moments;
use serde::{Deserialize, Serialize};

use super::wire::damaged;
use crate::csr::CsrGroups;
use crate::error::Result;
use crate::margins::MarginSums;
use crate::neighbors::{Entry, Found, Marks};
use crate::packed::Packed;

/// The result for the rows of one block: of a comparison with another block, or of all of them together.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum BlockResult {
    /// Count, mean and sum of squares of distances, one after the other.
    Moments(Packed<f64>),
    /// [`Found::Lists`].
    Lists {
        /// The lengths of the lists.
        lengths: Packed<u32>,
        entries: Packed<Entry>,
    },
    /// [`Found::Marks`].
    Marks { others: usize, sides: Vec<Packed<u64>>, strengths: Packed<f64> },
}

/// Results of comparisons: the block, the block it was compared with, and the result for its rows.
pub(super) type Comparisons = Vec<(usize, usize, BlockResult)>;

/// Results of comparisons, by both blocks.
pub(super) type ByBlocks = BTreeMap<(usize, usize), BlockResult>;

/// The comparisons of wanted blocks.
pub(super) fn by_blocks(
    results: impl Iterator<Item = Result<Comparisons>>,
    wanted: impl Fn(usize) -> bool,
) -> Result<ByBlocks> {
    let mut all = ByBlocks::new();
    for comparisons in results {
        let wanted = comparisons?.into_iter().filter(|(block, ..)| wanted(*block));
        all.extend(wanted.map(|(block, other, result)| ((block, other), result)));
    }
    Ok(all)
}

impl From<Vec<Moments>> for BlockResult {
    fn from(moments: Vec<Moments>) -> Self {
        let numbers = |Moments { count, mean, squares }: Moments| [count, mean, squares];
        Self::Moments(Packed(moments.into_iter().flat_map(numbers).collect()))
    }
}

impl From<Found> for BlockResult {
    fn from(found: Found) -> Self {
        match found {
            Found::Lists(lists) => {
                let (lengths, entries) = lists.into_lengths();
                Self::Lists { lengths: Packed(lengths), entries: Packed(entries) }
            }
            Found::Marks(Marks { others, sides, strengths }) => Self::Marks {
                others,
                sides: sides.into_iter().map(Packed).collect(),
                strengths: Packed(strengths),
            },
        }
    }
}

impl BlockResult {
    /// The moments of distances.
    pub(super) fn into_moments(self) -> Result<Vec<Moments>> {
        let Self::Moments(Packed(numbers)) = self else {
            return Err(damaged("it has no distances"));
        };
        let (numbers, _) = numbers.as_chunks();
        let moments = |&[count, mean, squares]: &[f64; 3]| Moments { count, mean, squares };
        Ok(numbers.iter().map(moments).collect())
    }

    /// The neighbors, which are among `rows` rows.
    pub(super) fn into_found(self, rows: usize) -> Result<Found> {
        let (lengths, entries) = match self {
            Self::Lists { lengths, entries } => (lengths.0, entries.0),
            Self::Marks { others, .. } if others > rows => {
                return Err(damaged("it marks more rows than there are"));
            }
            Self::Marks { others, sides, strengths: Packed(strengths) } => {
                let sides = sides.into_iter().map(|side| side.0).collect();
                return Ok(Found::Marks(Marks { others, sides, strengths }));
            }
            Self::Moments(_) => return Err(damaged("it has no neighbors")),
        };
        if entries.iter().any(|(_, row)| *row as usize >= rows) {
            return Err(damaged("a neighbor is not among the rows"));
        }
        let lists = CsrGroups::from_lengths(&lengths, entries).map(Found::Lists);
        lists.ok_or_else(|| damaged("its lists have other lengths"))
    }
}

/// The weights of some columns.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Weights {
    pub(super) weights: Packed<f64>,
    /// Whether no row has a neighbor, where that is possible.
    pub(super) without_neighbors: bool,
}

/// The summed margins of a block of rows: the weights of all pairs, and per sum and column the differences,
/// and then the weights of the pairs that were excluded.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct BlockMargins {
    totals: [f64; 2],
    sums: [Packed<f64>; 2],
    skipped: [Packed<f64>; 2],
}

impl From<MarginSums<2>> for BlockMargins {
    fn from(margins: MarginSums<2>) -> Self {
        let MarginSums { sums, skipped, totals, .. } = margins;
        Self { totals, sums: sums.map(Packed), skipped: skipped.map(Packed) }
    }
}

impl BlockMargins {
    /// The sums, which must be of `width` columns.
    pub(super) fn into_sums(self, width: usize) -> Result<MarginSums<2>> {
        let mut margins = MarginSums::new(width);
        margins.totals = self.totals;
        let to = margins.sums.iter_mut().chain(&mut margins.skipped);
        for (to, numbers) in to.zip(self.sums.into_iter().chain(self.skipped)) {
            *to = numbers.of_length(width)?;
        }
        Ok(margins)
    }
}
