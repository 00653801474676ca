//! Columns in a file, for a matrix that is larger than memory.
//!
//! Columns that are read one by one should be contiguous. A matrix in row-major order is therefore transposed
//! once, on the disk. Genotypes are then stored in one byte each.

use std::ops::Range;

use basrelief_kernels::Plain;

use super::Contiguous;
use super::genotype_blocks::{GROUP, GenotypeBlock, ROWS_OF_BLOCK, encode};
use crate::error::Result;
use crate::memory::PossiblyMapped;
use crate::parallel;
use crate::run::Run;

/// A part of a matrix: values of `width` neighboring columns, row after row.
pub struct Piece<'p, T> {
    /// The first row.
    pub row: usize,
    /// The first column.
    pub column: usize,
    /// The number of columns.
    pub width: usize,
    /// The values, in complete rows.
    pub values: &'p [T],
}

impl<T: Copy> Piece<'_, T> {
    /// Whether the piece has so many columns that transposing blocks is faster than reading columns one by
    /// one.
    pub(super) fn is_wide(&self) -> bool {
        self.width >= 8
    }

    /// Passes the codes of some columns to `take`, block by block, with the rows of the piece that the block
    /// covers.
    pub(super) fn each_block(
        &self,
        columns: Range<usize>,
        code: impl Fn(T) -> Option<u8>,
        mut take: impl FnMut(Range<usize>, &GenotypeBlock),
    ) {
        let mut block = GenotypeBlock::new();
        for (first, lines) in
            (0..).step_by(ROWS_OF_BLOCK).zip(self.values.chunks(ROWS_OF_BLOCK * self.width))
        {
            let of_lines = lines.chunks_exact(self.width).map(|line| &line[columns.clone()]);
            block.fill(of_lines, |line, codes, others| {
                encode(line, codes, others, |value| {
                    let code = code(value);
                    (code.unwrap_or_default(), code.is_none())
                });
            });
            take(first..first + lines.len() / self.width, &block);
        }
    }

    /// The values of some rows in a column.
    pub(super) fn column(&self, column: usize, rows: Range<usize>) -> impl Iterator<Item = T> {
        let lines = &self.values[rows.start * self.width..rows.end * self.width];
        lines.iter().skip(column).step_by(self.width).copied()
    }

    /// The number of rows.
    pub(super) fn rows(&self) -> usize {
        self.values.len() / self.width
    }
}

/// A column in a file.
pub enum DiskColumn<U: Plain> {
    /// Genotype codes, as in [`super::CompactNumbers`].
    Codes(Contiguous<'static, u8>),
    /// Numbers.
    Numbers(Contiguous<'static, U>),
}

/// Writes the columns of a matrix of `rows` by `width` to files. Columns of one kind (codes or numbers)
/// are stored in memory if they fit.
///
/// `pieces` passes each value of a range of columns exactly once to its second argument. The first call
/// requests all columns, to find those whose values all have a `code`, like genotypes. The following
/// calls request as many columns as fit in memory, so that a file is written from its beginning to its
/// end.
///
/// # Errors
/// The errors of `pieces`; not enough space for the files; [`crate::Error::Cancelled`].
pub fn write_columns<T: Copy + Sync, U: Plain + Default>(
    (rows, width): (usize, usize),
    mut pieces: impl FnMut(Range<usize>, &mut dyn FnMut(Piece<'_, T>) -> Result<()>) -> Result<()>,
    code: impl Fn(T) -> Option<u8> + Sync,
    convert: impl Fn(T) -> U + Sync,
    run: &Run,
) -> Result<Vec<DiskColumn<U>>> {
    let mut plain = vec![true; width];
    pieces(0..width, &mut |piece| {
        run.check()?;
        let columns = &mut plain[piece.column..][..piece.width];
        run.install(|| {
            parallel::for_each(columns.chunks_mut(GROUP).enumerate(), |(group, plain)| {
                for line in piece.values.chunks_exact(piece.width) {
                    for (plain, &value) in plain.iter_mut().zip(&line[group * GROUP..]) {
                        // Without a branch, so that the compiler can vectorize the loop.
                        *plain &= code(value).is_some();
                    }
                }
            });
        });
        Ok(())
    })?;

    let count = |wanted: bool| plain.iter().filter(|&&plain| plain == wanted).count();
    let mut codes: PossiblyMapped<u8> = run.zeros(rows * count(true))?;
    let mut numbers: PossiblyMapped<U> = run.zeros(rows * count(false))?;
    // The destination of every column.
    let (mut next_codes, mut next_numbers) = (&mut codes[..], &mut numbers[..]);
    let mut places: Vec<Place<'_, U>> = Vec::with_capacity(width);
    for &plain in &plain {
        places.push(if plain {
            Place::Codes(split_off(&mut next_codes, rows))
        } else {
            Place::Numbers(split_off(&mut next_numbers, rows))
        });
    }
    let column_bytes = |plain: bool| (rows * if plain { 1 } else { size_of::<U>() }) as u64;
    let mut first = 0;
    while first < width {
        let (mut last, mut bytes) = (first, 0);
        while last < width && (last - first < GROUP || bytes <= run.memory().part() / 2) {
            bytes += column_bytes(plain[last]);
            last += 1;
        }
        let wanted = first..last;
        first = last;
        pieces(wanted, &mut |piece| {
            run.check()?;
            let columns = &mut places[piece.column..][..piece.width];
            run.install(|| {
                parallel::for_each(columns.chunks_mut(GROUP).enumerate(), |(group, places)| {
                    put(places, &piece, group * GROUP, &code, &convert);
                });
            });
            Ok(())
        })?;
    }

    let mut codes = Contiguous::parts_of(codes, rows).into_iter();
    let mut numbers = Contiguous::parts_of(numbers, rows).into_iter();
    Ok(plain
        .iter()
        .filter_map(|&plain| match plain {
            true => codes.next().map(DiskColumn::Codes),
            false => numbers.next().map(DiskColumn::Numbers),
        })
        .collect())
}

/// The destination of a column.
enum Place<'f, U> {
    Codes(&'f mut [u8]),
    Numbers(&'f mut [U]),
}

/// Writes columns of a piece, from column `first` on, to their destinations.
fn put<T: Copy, U: Plain>(
    places: &mut [Place<'_, U>],
    piece: &Piece<'_, T>,
    first: usize,
    code: &impl Fn(T) -> Option<u8>,
    convert: &impl Fn(T) -> U,
) {
    let all = || 0..piece.rows();
    let is_codes = |place: &Place<'_, U>| matches!(place, Place::Codes(_));
    let in_blocks = piece.is_wide() && places.iter().any(is_codes);
    if in_blocks {
        piece.each_block(first..first + places.len(), code, |rows, block| {
            for (column, place) in places.iter_mut().enumerate() {
                if let Place::Codes(codes) = place {
                    // The first pass showed that all numbers have a code.
                    let (found, _) = block.column(column);
                    codes[piece.row..][rows.clone()].copy_from_slice(&found[..rows.len()]);
                }
            }
        });
    }
    for (place, column) in places.iter_mut().zip(first..) {
        match place {
            Place::Codes(_) if in_blocks => {}
            Place::Codes(codes) => {
                for (out, value) in codes[piece.row..].iter_mut().zip(piece.column(column, all())) {
                    *out = code(value).unwrap_or_default();
                }
            }
            Place::Numbers(numbers) => {
                let values = piece.column(column, all());
                for (number, value) in numbers[piece.row..].iter_mut().zip(values) {
                    *number = convert(value);
                }
            }
        }
    }
}

fn split_off<'f, T>(rest: &mut &'f mut [T], length: usize) -> &'f mut [T] {
    let (first, others) = std::mem::take(rest).split_at_mut(length);
    *rest = others;
    first
}
