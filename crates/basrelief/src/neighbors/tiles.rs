//! Tiles of distances: a tile stores the distances between the rows of two panels contiguously.

use std::ops::Range;

use basrelief_kernels::{LANES, NumberRule, TILE, add_numbers, level, panels};

/// Index of the distance of two rows in tiles that are `width` panels wide.
pub(crate) fn tile_place(row: usize, column: usize, width: usize) -> usize {
    (row / LANES * width + column / LANES) * TILE + row % LANES * LANES + column % LANES
}

/// Transposes a tile.
pub(crate) fn turned<T: Copy>(tile: &[T; TILE]) -> [T; TILE] {
    std::array::from_fn(|at| tile[at % LANES * LANES + at / LANES])
}

/// Appends to `line` the distances of one row to the first `count` rows of tiles that are `width`
/// panels wide.
pub(super) fn add_row(tiles: &[f64], row: usize, width: usize, count: usize, line: &mut Vec<f64>) {
    let first = tile_place(row, 0, width);
    let before = line.len();
    for tile in tiles[first..].chunks(TILE).take(width) {
        line.extend_from_slice(&tile[..LANES]);
    }
    line.truncate(before + count);
}

/// Points of equal dimension, in panels. Lanes without a point are 0.
#[derive(Debug)]
pub(crate) struct PointPanels {
    width: usize,
    values: Vec<f64>,
}

impl PointPanels {
    /// Packs points.
    pub(crate) fn new<'r>(rows: impl ExactSizeIterator<Item = &'r [f64]>, width: usize) -> Self {
        // Points without coordinates all lie at 0.
        let width = width.max(1);
        let mut values = vec![0.0; panels(rows.len()) * LANES * width];
        for (place, row) in rows.enumerate() {
            let start = place / LANES * LANES * width + place % LANES;
            for (column, &value) in row.iter().enumerate() {
                values[start + column * LANES] = value;
            }
        }
        Self { width, values }
    }

    /// Replaces `tiles` by the distances of some panels to some panels of other points of equal
    /// dimension.
    pub(crate) fn distances(
        &self,
        own: Range<usize>,
        others: &Self,
        theirs: Range<usize>,
        rule: NumberRule,
        tiles: &mut Vec<[f64; TILE]>,
    ) {
        let (width, size) = (self.width, self.width * LANES);
        tiles.clear();
        tiles.resize(own.len() * theirs.len(), [0.0; TILE]);
        let a = &self.values[own.start * size..own.end * size];
        let b = &others.values[theirs.start * size..theirs.end * size];
        add_numbers(level(), rule, a, b, width, &[], tiles.as_flattened_mut());
    }
}
