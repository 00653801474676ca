//! The tiles of a scatter that a part of the stage adds up.
//!
//! Columns lie in large blocks. An item of the stage is a pair of large blocks, the lower first; items are
//! sorted by the second block and then by the first. Large blocks are cut into blocks of [`SCATTER_COLUMNS`],
//! and a tile belongs to two of these, so that it has the same bits as on one machine.

use std::ops::Range;

use crate::margins::scatter::SCATTER_COLUMNS;

/// Tiles that share their second block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Panel {
    pub(super) left: Range<usize>,
    pub(super) right: usize,
}

/// The number of pairs of large blocks, each of `together` columns.
pub(super) fn items(columns: usize, together: usize) -> usize {
    let blocks = columns.div_ceil(together);
    blocks * (blocks + 1) / 2
}

/// The two blocks of an item.
pub(super) fn blocks_of(item: usize) -> (usize, usize) {
    let mut second = 0;
    while (second + 1) * (second + 2) / 2 <= item {
        second += 1;
    }
    (item - second * (second + 1) / 2, second)
}

/// The tiles of some items, in their order; large blocks have `together` columns.
pub(super) fn panels(columns: usize, together: usize, items: Range<usize>) -> Vec<Panel> {
    let (all, size) = (columns.div_ceil(SCATTER_COLUMNS), together / SCATTER_COLUMNS);
    let pairs: Vec<(usize, usize)> = items.map(blocks_of).collect();
    let of_second = |pairs: &[(usize, usize)]| {
        let (first, second) = (pairs[0].0 * size, pairs[0].1 * size);
        let end = (pairs[pairs.len() - 1].0 + 1) * size;
        let panel = move |right: usize| Panel { left: first..end.min(right + 1), right };
        (second..(second + size).min(all)).map(panel)
    };
    pairs.chunk_by(|a, b| a.1 == b.1).flat_map(of_second).collect()
}

/// The columns of a block of a scatter.
pub(super) fn columns_of_block(block: usize, columns: usize) -> Range<usize> {
    let start = block * SCATTER_COLUMNS;
    start..(start + SCATTER_COLUMNS).min(columns)
}

#[cfg(test)]
mod tests {
    use super::super::cut::Cut;
    use super::*;

    /// Whatever the parts, every tile on the diagonal and above is of one panel.
    #[test]
    fn panels_cover_all_tiles_once() {
        for columns in [1, 64, 65, 300, 641] {
            for together in [64, 128, 192, 1024] {
                let (count, all) = (items(columns, together), columns.div_ceil(SCATTER_COLUMNS));
                assert_eq!(blocks_of(count - 1).1, columns.div_ceil(together) - 1);
                for parts in [1, 2, 7, count] {
                    let cut = Cut::new(count, 1, parts);
                    let mut found: Vec<(usize, usize)> = (0..cut.parts())
                        .flat_map(|part| panels(columns, together, cut.part(part)))
                        .flat_map(|Panel { left, right }| left.map(move |left| (left, right)))
                        .collect();
                    found.sort_unstable();
                    let expected: Vec<(usize, usize)> =
                        (0..all).flat_map(|a| (a..all).map(move |b| (a, b))).collect();
                    assert_eq!(found, expected, "{columns} {together} {parts}");
                }
            }
        }
    }
}
