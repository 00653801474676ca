//! Converts blocks of a row-major matrix to genotype codes, column by column.

/// Columns of a block: complete cache lines of a matrix, and few enough that a block stays in the
/// first-level cache.
pub(super) const GROUP: usize = 128;

/// Rows of a block.
pub(super) const ROWS_OF_BLOCK: usize = 64;

/// The genotype codes of a block.
pub(super) struct GenotypeBlock {
    lines: [[u8; GROUP]; ROWS_OF_BLOCK],
    columns: [[u8; ROWS_OF_BLOCK]; GROUP],
    /// Per column, 0 if all numbers have a code, otherwise not 0.
    others: [u64; GROUP],
}

impl GenotypeBlock {
    /// Creates a block in which all codes are 0.
    pub(super) fn new() -> Self {
        Self {
            lines: [[0; GROUP]; ROWS_OF_BLOCK],
            columns: [[0; ROWS_OF_BLOCK]; GROUP],
            others: [0; GROUP],
        }
    }

    /// Replaces the codes by those of up to [`ROWS_OF_BLOCK`] lines of up to [`GROUP`] numbers. `encode` writes the
    /// codes of a line; it sets `others` to a nonzero number for columns where a number has no code.
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

    /// The codes of a column, with a row for every line, and whether all its numbers have a code.
    pub(super) fn column(&self, column: usize) -> (&[u8; ROWS_OF_BLOCK], bool) {
        (&self.columns[column], self.others[column] == 0)
    }
}

/// Encodes a line of numbers; `code_of` returns the code of a number, and whether it has none.
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

/// Transposes a block of codes.
fn turn(codes: &[[u8; GROUP]; ROWS_OF_BLOCK], columns: &mut [[u8; ROWS_OF_BLOCK]; GROUP]) {
    const SIDE: usize = 8;
    for row in (0..ROWS_OF_BLOCK).step_by(SIDE) {
        for column in (0..GROUP).step_by(SIDE) {
            // Transposes eight words of eight bytes by swapping squares of 4, 2 and 1 bytes.
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
