//! Blocks of a matrix that lies by rows, as genotype codes by columns.

/// Columns of a block: whole cache lines of a matrix, and few enough that a block stays in the
/// nearest cache.
pub(super) const GROUP: usize = 128;

/// Rows of a block.
pub(super) const ROWS_OF_BLOCK: usize = 64;

/// The genotype codes of a block.
pub(super) struct GenotypeBlock {
    lines: [[u8; GROUP]; ROWS_OF_BLOCK],
    columns: [[u8; ROWS_OF_BLOCK]; GROUP],
    /// Per column 0, or what is not 0 if a number has no code.
    others: [u64; GROUP],
}

impl GenotypeBlock {
    /// All codes 0.
    pub(super) fn new() -> Self {
        Self {
            lines: [[0; GROUP]; ROWS_OF_BLOCK],
            columns: [[0; ROWS_OF_BLOCK]; GROUP],
            others: [0; GROUP],
        }
    }

    /// Replaces the codes by those of some lines, up to [`ROWS_OF_BLOCK`] of up to [`GROUP`] numbers. `encode`
    /// gives those of a line; where a number has none, `others` must no longer be 0.
    pub(super) fn fill<'l, T: 'l>(
        &mut self,
        lines: impl Iterator<Item = &'l [T]>,
        encode: impl Fn(&[T], &mut [u8; GROUP], &mut [u64; GROUP]),
    ) {
        let Self { lines: codes, columns, others } = self;
        *others = [0; GROUP];
        lines.zip(&mut *codes).for_each(|(line, codes)| encode(line, codes, others));
        turn(codes, columns);
    }

    /// The codes of a column, of as many rows as there were lines, and whether all its numbers have
    /// one.
    pub(super) fn column(&self, column: usize) -> (&[u8; ROWS_OF_BLOCK], bool) {
        (&self.columns[column], self.others[column] == 0)
    }
}

/// The codes of a line of numbers, from that of one and whether it has none.
#[inline(always)]
pub(super) fn encode<T: Copy>(
    line: &[T],
    codes: &mut [u8; GROUP],
    others: &mut [u64; GROUP],
    code_of: impl Fn(T) -> (u8, bool),
) {
    for ((&value, code), other) in line.iter().zip(codes).zip(others) {
        let (shown, none) = code_of(value);
        *code = shown;
        *other |= u64::from(none);
    }
}

/// Turns a block of codes: rows become columns.
fn turn(codes: &[[u8; GROUP]; ROWS_OF_BLOCK], columns: &mut [[u8; ROWS_OF_BLOCK]; GROUP]) {
    const SIDE: usize = 8;
    for row in (0..ROWS_OF_BLOCK).step_by(SIDE) {
        for column in (0..GROUP).step_by(SIDE) {
            // Eight words of eight bytes: squares of four bytes, of two and of one change places.
            let mut words: [u64; SIDE] = std::array::from_fn(|k| {
                codes[row + k][column..].first_chunk().map_or(0, |eight| u64::from_le_bytes(*eight))
            });
            for (width, mask) in
                [(4, 0x0000_0000_ffff_ffff), (2, 0x0000_ffff_0000_ffff), (1, 0x00ff_00ff_00ff_00ff)]
            {
                for first in (0..SIDE).filter(|first| first & width == 0) {
                    let shift = 8 * width as u32;
                    let swapped = (words[first] >> shift ^ words[first + width]) & mask;
                    words[first] ^= swapped << shift;
                    words[first + width] ^= swapped;
                }
            }
            for (k, word) in words.into_iter().enumerate() {
                columns[column + k][row..row + SIDE].copy_from_slice(&word.to_le_bytes());
            }
        }
    }
}
