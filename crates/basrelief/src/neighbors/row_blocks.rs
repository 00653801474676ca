//! Divides the rows of a search into blocks; a part of a search compares two blocks.

use std::ops::Range;

/// The size of all blocks with query rows, except the last, is a multiple of this, so that they
/// consist of complete blocks of every sweep.
pub(crate) const ROWS_OF_BLOCK_UNIT: usize = 256;

/// Minimum number of rows of a block, if they fit. A part packs every row of its blocks and
/// computes the exact distances of its nearest rows; with blocks of this size, that costs little
/// compared with the distances to all rows of the other block.
const LEAST_ROWS: usize = 1 << 14;

/// Maximum number of blocks, and maximum number of bytes of the values of a block. The latter takes
/// precedence if both cannot be met.
const MOST_BLOCKS: usize = 64;
const MOST_BYTES: u64 = 1 << 28;

/// Returns the rows of a block for this number of rows and bytes per row; it does not depend on the machines.
pub(crate) fn rows_of_block(rows: usize, bytes_of_row: u64) -> usize {
    let fit = usize::try_from(MOST_BYTES / bytes_of_row.max(1)).unwrap_or(usize::MAX);
    let wanted = LEAST_ROWS.max(rows.div_ceil(MOST_BLOCKS)).min(fit).max(1);
    wanted.min(rows).next_multiple_of(ROWS_OF_BLOCK_UNIT)
}

/// The rows in the order of a job, cut into blocks. The query rows come first, in separate blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RowBlocks {
    rows: usize,
    /// Number of places in the blocks with query rows. Few queries make a small block, which is
    /// sent to many tasks.
    of_queries: usize,
    /// Maximum number of rows of a block.
    size: usize,
}

impl RowBlocks {
    /// Cuts `rows` rows, the first `queries` of which are query rows, into blocks of up to `size`
    /// rows.
    pub(crate) fn new(rows: usize, queries: usize, size: usize) -> Self {
        let of_queries = queries.next_multiple_of(ROWS_OF_BLOCK_UNIT).min(rows);
        Self { rows, of_queries, size }
    }

    /// Number of blocks.
    pub(crate) fn count(self) -> usize {
        self.queries() + (self.rows - self.of_queries).div_ceil(self.size)
    }

    /// Number of blocks with query rows; these come first.
    pub(crate) fn queries(self) -> usize {
        self.of_queries.div_ceil(self.size)
    }

    /// Number of places in the blocks with query rows.
    pub(crate) fn places_of_queries(self) -> usize {
        self.of_queries
    }

    /// Maximum number of rows of a block.
    pub(crate) fn size(self) -> usize {
        self.size
    }

    /// The places of a block.
    pub(crate) fn places(self, block: usize) -> Range<usize> {
        let queries = self.queries();
        let (first, end, block) = match block < queries {
            true => (0, self.of_queries, block),
            false => (self.of_queries, self.rows, block - queries),
        };
        let start = |block: usize| (first + block * self.size).min(end);
        start(block)..start(block + 1)
    }
}
