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
    /// The columns with an entry, ascending: the distance of each to the one before it (of the first, to column 0), and
    /// the number of its entries. A distance of more than a byte is divided by columns without entries.
    gaps: Vec<u8>,
    counts: Vec<u8>,
    /// The last column.
    last: u32,
    /// Per entry, its row within the block, and its value.
    places: Vec<u8>,
    values: Vec<f64>,
    /// Per row, the sum of its differences to a row without entries.
    sums: Vec<f64>,
}

impl SparseBlock {
    /// Adds an entry; columns ascend.
    fn push(&mut self, column: u32, place: u8, value: f64) {
        match self.counts.last_mut() {
            Some(count) if self.last == column => *count += 1,
            _ => {
                let mut gap = column - self.last;
                while let Some(rest) = gap.checked_sub(u8::MAX.into()).filter(|rest| *rest > 0) {
                    self.gaps.push(u8::MAX);
                    self.counts.push(0);
                    gap = rest;
                }
                self.gaps.push(gap as u8);
                self.counts.push(1);
                self.last = column;
            }
        }
        self.places.push(place);
        self.values.push(value);
    }
}

/// A walk over the columns of a block.
struct BlockColumns<'b> {
    block: &'b SparseBlock,
    at: usize,
    column: u32,
    /// The first entry of the column.
    first: usize,
}

impl<'b> From<&'b SparseBlock> for BlockColumns<'b> {
    fn from(block: &'b SparseBlock) -> Self {
        let mut columns = Self { block, at: 0, column: 0, first: 0 };
        columns.column = block.gaps.first().copied().unwrap_or_default().into();
        columns
    }
}

impl BlockColumns<'_> {
    /// Whether the walk is at a column.
    fn is_inside(&self) -> bool {
        self.at < self.block.gaps.len()
    }

    /// The entries of the column.
    fn entries(&self) -> Range<usize> {
        self.first..self.first + usize::from(self.block.counts[self.at])
    }

    fn advance(&mut self) {
        self.first = self.entries().end;
        self.at += 1;
        self.column += self.block.gaps.get(self.at).map_or(0, |gap| u32::from(*gap));
    }
}

/// The sizes of a block, counted before it is filled, so that its memory does not grow.
#[derive(Clone, Copy, Default)]
struct BlockSize {
    entries: usize,
    columns: usize,
    /// The number of the last column with an entry, from 1; 0 without any.
    last: usize,
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
        let mut sizes = vec![BlockSize::default(); count];
        let entries = || features.iter().filter_map(|&feature| space.sparse(feature));
        for (column, own) in (1..).zip(entries()) {
            for &row in own.rows() {
                let size = &mut sizes[place_of[row as usize] as usize / ROWS_OF_BLOCK];
                size.entries += 1;
                size.columns += usize::from(size.last != column);
                size.last = column;
            }
        }
        for (block, size) in blocks.iter_mut().zip(sizes) {
            block.gaps.reserve_exact(size.columns);
            block.counts.reserve_exact(size.columns);
            block.places.reserve_exact(size.entries);
            block.values.reserve_exact(size.entries);
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
        let of_block = |block: &SparseBlock| 9 * block.values.len() + 2 * block.gaps.len();
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
        let (mut own, mut theirs) = (BlockColumns::from(left), BlockColumns::from(right));
        while own.is_inside() && theirs.is_inside() {
            let order = own.column.cmp(&theirs.column);
            if order.is_eq() {
                let with = theirs.entries();
                let (places, values) = (&right.places[with.clone()], &right.values[with]);
                for entry in own.entries() {
                    let place = left.places[entry] as usize;
                    if is_part && !rows.contains(&place) {
                        continue;
                    }
                    let line = &mut corrections[place * ROWS_OF_BLOCK..][..ROWS_OF_BLOCK];
                    add_line(self.square, left.values[entry], places, values, line);
                }
            }
            if order.is_le() {
                own.advance();
            }
            if order.is_ge() {
                theirs.advance();
            }
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

    #[test]
    fn columns_far_apart_are_found_again() {
        let wanted = [(0, 2), (1, 1), (255, 1), (256, 3), (600, 1), (1111, 1), (70_000, 2)];
        for start in 0..wanted.len() {
            let (wanted, mut block) = (&wanted[start..], SparseBlock::default());
            for &(column, count) in wanted {
                (0..count).for_each(|place| block.push(column, place, f64::from(column)));
            }
            let (mut columns, mut found) = (BlockColumns::from(&block), Vec::new());
            while columns.is_inside() {
                let entries = columns.entries();
                if !entries.is_empty() {
                    found.push((columns.column, entries.len() as u8));
                    let values = &block.values[entries];
                    assert!(values.iter().all(|value| *value == f64::from(columns.column)));
                }
                columns.advance();
            }
            assert_eq!(found, wanted);
        }
    }
}
