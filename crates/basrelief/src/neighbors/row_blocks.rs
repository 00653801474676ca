//! How the rows of a search lie in blocks: a part of a search compares two of them.

use std::ops::Range;

/// The size of all blocks with query rows, except the last, is a multiple of this: complete blocks of every sweep.
pub(crate) const ROWS_OF_BLOCK_UNIT: usize = 256;

/// Rows of a block, at least, where they fit: what a part does once for every row of its blocks, packing it
/// and the exact distances of its nearest, is then little compared with comparing it with all rows of the other block.
const LEAST_ROWS: usize = 1 << 14;

/// Blocks that the rows are cut into, at most, and bytes of a block's values, at most; the latter counts
/// where both cannot be.
const MOST_BLOCKS: usize = 64;
const MOST_BYTES: u64 = 1 << 28;

/// Returns the rows of a block for this number of rows and bytes per row; it does not depend on the machines.
pub(crate) fn rows_of_block(rows: usize, bytes_of_row: u64) -> usize {
    let fit = usize::try_from(MOST_BYTES / bytes_of_row.max(1)).unwrap_or(usize::MAX);
    let wanted = LEAST_ROWS.max(rows.div_ceil(MOST_BLOCKS)).min(fit).max(1);
    wanted.min(rows).next_multiple_of(ROWS_OF_BLOCK_UNIT)
}

/// Rows in the order of a job, cut into blocks: the query rows come first, in blocks of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RowBlocks {
    rows: usize,
    /// Places of the blocks with queries: few queries make a small block, which is sent to many tasks.
    of_queries: usize,
    /// Rows of a block, at most.
    size: usize,
}

impl RowBlocks {
    /// Cuts this number of rows, the first of which are query rows.
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

    /// Places of the blocks with queries.
    pub(crate) fn places_of_queries(self) -> usize {
        self.of_queries
    }

    /// Rows of a block, at most.
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
