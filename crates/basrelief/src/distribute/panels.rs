//! The tiles of a scatter that a part of the stage adds up.
//!
//! Columns lie in large blocks. An item of the stage is a pair of large blocks, the lower first; items are
//! sorted by the second block and then by the first. Large blocks are cut into blocks of [`SCATTER_COLUMNS`],
//! and a tile belongs to two of these, so that it has the same bits as on one machine.

use std::ops::Range;

use crate::margins::scatter::SCATTER_COLUMNS;

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

/// The two blocks of every tile of some items, where large blocks have `together` columns. Tiles that share their
/// second block are neighbors.
pub(super) fn tiles(columns: usize, together: usize, items: Range<usize>) -> Vec<(usize, usize)> {
    let (all, size) = (columns.div_ceil(SCATTER_COLUMNS), together / SCATTER_COLUMNS);
    let blocks = |large: usize| large * size..((large + 1) * size).min(all);
    let pairs: Vec<(usize, usize)> = items.map(blocks_of).collect();
    let mut tiles = Vec::new();
    for pairs in pairs.chunk_by(|a, b| a.1 == b.1) {
        for right in blocks(pairs[0].1) {
            let lefts = pairs.iter().flat_map(|pair| blocks(pair.0));
            tiles.extend(lefts.filter(|left| *left <= right).map(|left| (left, right)));
        }
    }
    tiles
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

    /// Whatever the parts, every tile on the diagonal and above is of one part.
    #[test]
    fn parts_cover_all_tiles_once() {
        for columns in [1, 64, 65, 300, 641] {
            for together in [64, 128, 192, 1024] {
                let (count, all) = (items(columns, together), columns.div_ceil(SCATTER_COLUMNS));
                assert_eq!(blocks_of(count - 1).1, columns.div_ceil(together) - 1);
                for parts in [1, 2, 7, count] {
                    let cut = Cut::new(count, 1, parts);
                    let mut found: Vec<(usize, usize)> = (0..cut.parts())
                        .flat_map(|part| tiles(columns, together, cut.part(part)))
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
