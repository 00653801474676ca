//! Tiles of distances: the distances of the rows of one panel to those of another lie side by side.

use basrelief_kernels::{LANES, TILE};

/// Where the distance of two rows lies in tiles that are `width` panels wide.
pub(crate) fn tile_place(row: usize, column: usize, width: usize) -> usize {
    (row / LANES * width + column / LANES) * TILE + row % LANES * LANES + column % LANES
}

/// A tile with its rows for columns.
pub(crate) fn turned<T: Copy>(tile: &[T; TILE]) -> [T; TILE] {
    std::array::from_fn(|at| tile[at % LANES * LANES + at / LANES])
}

/// Adds the distances of one row to the first `count` rows of tiles that are `width` panels wide.
pub(super) fn add_row(tiles: &[f64], row: usize, width: usize, count: usize, line: &mut Vec<f64>) {
    let first = tile_place(row, 0, width);
    let before = line.len();
    for tile in tiles[first..].chunks(TILE).take(width) {
        line.extend_from_slice(&tile[..LANES]);
    }
    line.truncate(before + count);
}
