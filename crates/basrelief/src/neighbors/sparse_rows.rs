//! Sparse features of packed rows: the entries of blocks of rows, column by column.
//!
//! Values are measured from that of a row without an entry, so that such a row has 0. The difference of two values a
//! and b is |a| + |b| - c, where c is 2 min(|a|, |b|) if both have the same sign, and otherwise 0. A distance is thus
//! the sum of |a| of both rows minus the sum of c over the columns in which both have an entry. Squared differences are
//! a² + b² - 2ab. Two blocks of rows are compared by merging their lists of columns, in ascending order: both sums are
//! then exactly equal for equal rows, whose distance is 0.

use std::ops::Range;

use basrelief_kernels::LANES;

use super::tiles::tile_place;
use crate::differences::{Space, Units};
use crate::error::Result;
use crate::run::Run;

/// Rows of a block; their places within it fit into a byte.
const ROWS_OF_BLOCK: usize = 128;

/// The entries of packed rows in sparse features.
#[derive(Default)]
pub(super) struct SparseRows {
    square: bool,
    blocks: Vec<SparseBlock>,
}

/// The entries of some rows, by column.
#[derive(Default)]
struct SparseBlock {
    /// The columns with an entry, ascending, and the end of the entries of each.
    columns: Vec<u32>,
    ends: Vec<u32>,
    /// Per entry, its row within the block, and its value.
    places: Vec<u8>,
    values: Vec<f64>,
    /// Per row, the sum of its differences to a row without entries.
    sums: Vec<f64>,
}

impl SparseBlock {
    /// The entries of a column at this place among the columns.
    fn entries(&self, column: usize) -> Range<usize> {
        let start = if column == 0 { 0 } else { self.ends[column - 1] };
        start as usize..self.ends[column] as usize
    }

    /// Adds an entry; columns ascend.
    fn push(&mut self, column: u32, place: u8, value: f64) {
        let end = self.values.len() as u32 + 1;
        match self.ends.last_mut() {
            Some(last) if self.columns.last() == Some(&column) => *last = end,
            _ => {
                self.columns.push(column);
                self.ends.push(end);
            }
        }
        self.places.push(place);
        self.values.push(value);
    }
}

/// Reused memory of one worker.
pub(super) type Corrections = Vec<f64>;

impl SparseRows {
    /// Packs some features, in ascending order, of the rows at their places.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(super) fn new(
        space: &Space<'_>,
        place_of: &[u32],
        units: &Units,
        features: &[usize],
        run: &Run,
    ) -> Result<Self> {
        let square = space.options().metric.is_euclidean();
        let count = if features.is_empty() { 0 } else { space.rows().div_ceil(ROWS_OF_BLOCK) };
        let mut blocks: Vec<SparseBlock> = (0..count).map(|_| SparseBlock::default()).collect();
        let mut lengths = vec![0; count];
        let entries = || features.iter().filter_map(|&feature| space.sparse(feature));
        for row in entries().flat_map(|own| own.rows()) {
            lengths[place_of[*row as usize] as usize / ROWS_OF_BLOCK] += 1;
        }
        for (block, length) in blocks.iter_mut().zip(lengths) {
            block.places.reserve_exact(length);
            block.values.reserve_exact(length);
        }
        let (mut values, mut scaled) = (Vec::new(), Vec::new());
        for (&feature, own) in features.iter().zip(entries()) {
            if feature % 4096 == 0 {
                run.check()?;
            }
            // The value of a row without an entry follows the others.
            values.clear();
            values.extend(own.values().chain([0.0]));
            space.scale(feature, &values, &mut scaled);
            units.convert(space, feature, &mut scaled);
            let factor = space.factor(feature);
            let zero = scaled[own.stored()];
            for (&row, &value) in own.rows().iter().zip(&scaled) {
                // A missing value is coded as the smallest number, and corrected later.
                let value = (if value.is_nan() { 0.0 } else { value }) - zero;
                let place = place_of[row as usize] as usize;
                let block = &mut blocks[place / ROWS_OF_BLOCK];
                block.push(feature as u32, (place % ROWS_OF_BLOCK) as u8, value * factor);
            }
        }
        for block in &mut blocks {
            block.columns.shrink_to_fit();
            block.ends.shrink_to_fit();
            // In the order of the columns, as the corrections of pairs.
            block.sums = vec![0.0; ROWS_OF_BLOCK];
            for (&place, &value) in block.places.iter().zip(&block.values) {
                block.sums[place as usize] += if square { value * value } else { value.abs() };
            }
        }
        Ok(Self { square, blocks })
    }

    /// Whether no feature is packed.
    pub(super) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Mean number of bytes of a row.
    pub(super) fn bytes_of_row(&self) -> usize {
        let of_block = |block: &SparseBlock| 9 * block.values.len() + 8 * block.columns.len();
        let bytes: usize = self.blocks.iter().map(of_block).sum();
        bytes / (self.blocks.len() * ROWS_OF_BLOCK).max(1)
    }

    /// Adds the differences of two runs of panels to their tiled distances.
    pub(super) fn add(
        &self,
        (a, b): (&Range<usize>, &Range<usize>),
        out: &mut [f64],
        corrections: &mut Corrections,
    ) {
        if self.is_empty() {
            return;
        }
        let places = |panels: &Range<usize>| panels.start * LANES..panels.end * LANES;
        let (rows, others) = (places(a), places(b));
        for left in blocks_of(&rows) {
            for right in blocks_of(&others) {
                let inside = |block: usize, places: &Range<usize>| {
                    let first = block * ROWS_OF_BLOCK;
                    let start = places.start.max(first) - first;
                    start..places.end.min(first + ROWS_OF_BLOCK) - first
                };
                let own = [inside(left, &rows), inside(right, &others)];
                self.correct([left, right], &own, corrections);
                let sums = [left, right].map(|block| &self.blocks[block].sums);
                for i in own[0].clone() {
                    let line = &corrections[i * ROWS_OF_BLOCK..][..ROWS_OF_BLOCK];
                    let row = left * ROWS_OF_BLOCK + i - rows.start;
                    for j in own[1].clone() {
                        let column = right * ROWS_OF_BLOCK + j - others.start;
                        let difference = (sums[0][i] + sums[1][j] - line[j]).max(0.0);
                        out[tile_place(row, column, b.len())] += difference;
                    }
                }
            }
        }
    }

    /// Replaces `corrections` by the sums of c over the columns in which both rows have an entry, for some rows of two
    /// blocks.
    fn correct(
        &self,
        blocks: [usize; 2],
        [rows, others]: &[Range<usize>; 2],
        corrections: &mut Corrections,
    ) {
        corrections.clear();
        corrections.resize(ROWS_OF_BLOCK * ROWS_OF_BLOCK, 0.0);
        let [left, right] = blocks.map(|block| &self.blocks[block]);
        let is_part = rows.len() < ROWS_OF_BLOCK || others.len() < ROWS_OF_BLOCK;
        let (mut at, mut other) = (0, 0);
        while at < left.columns.len() && other < right.columns.len() {
            let (own, theirs) = (left.columns[at], right.columns[other]);
            if own == theirs {
                let (entries, with) = (left.entries(at), right.entries(other));
                let places = &right.places[with.clone()];
                let values = &right.values[with];
                for entry in entries {
                    let place = left.places[entry] as usize;
                    if is_part && !rows.contains(&place) {
                        continue;
                    }
                    let line = &mut corrections[place * ROWS_OF_BLOCK..][..ROWS_OF_BLOCK];
                    add_line(self.square, left.values[entry], places, values, line);
                }
            }
            at += usize::from(own <= theirs);
            other += usize::from(theirs <= own);
        }
    }
}

/// Adds the corrections of one value with those of other rows.
#[inline]
fn add_line(square: bool, value: f64, places: &[u8], values: &[f64], line: &mut [f64]) {
    for (&place, &other) in places.iter().zip(values) {
        line[place as usize] += if square { 2.0 * value * other } else { common(value, other) };
    }
}

/// |a| + |b| - |a - b|, which is 2 min(|a|, |b|) for numbers of one sign and 0 for others.
#[inline]
pub(crate) fn common(a: f64, b: f64) -> f64 {
    let least = a.abs().min(b.abs());
    if (a > 0.0) == (b > 0.0) { 2.0 * least } else { 0.0 }
}

/// The blocks of some places; the lanes beyond the last row may be in none.
fn blocks_of(places: &Range<usize>) -> Range<usize> {
    places.start / ROWS_OF_BLOCK..places.end.div_ceil(ROWS_OF_BLOCK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_common_part_of_numbers_of_any_sign() {
        for (a, b) in [(2.0, 3.0), (-2.0, -3.0), (-2.0, 3.0), (2.0, -3.0), (0.0, 4.0), (0.0, -4.0)]
        {
            let (a, b): (f64, f64) = (a, b);
            assert_eq!(common(a, b), a.abs() + b.abs() - (a - b).abs(), "{a} {b}");
        }
    }
}
