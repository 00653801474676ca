//! Columns in a file: of a matrix that is larger than memory.
//!
//! What is read in parts should lie in one piece each, so a matrix that lies by rows is turned once,
//! on the disk: its columns then lie side by side there, genotypes in one byte each.

use std::ops::Range;

use basrelief_kernels::Plain;
use rayon::prelude::*;

use super::Contiguous;
use super::compact::exact_code;
use crate::error::Result;
use crate::memory::Room;
use crate::run::Run;

/// Columns that one task writes: whole cache lines of a matrix that lies by rows.
const GROUP: usize = 64;

/// A part of a matrix: values of `width` neighbouring columns, row after row.
pub struct Piece<'p, T> {
    /// Its first row.
    pub row: usize,
    /// Its first column.
    pub column: usize,
    /// Its number of columns.
    pub width: usize,
    /// The values, whole rows of them.
    pub values: &'p [T],
}

/// A column that lies in a file.
pub enum Spilled<U: Plain> {
    /// Genotype codes, as [`super::CompactNumbers`] has them.
    Codes(Contiguous<'static, u8>),
    /// Numbers.
    Numbers(Contiguous<'static, U>),
}

/// Puts the columns of a matrix of `rows` by `width` into files, or those of one kind into memory if
/// it turns out to have room for them.
///
/// `pieces` hands the values of a range of columns, each once, to what it is given. It is first
/// asked for all columns, to tell those of nothing but genotypes from others, and then for as many
/// as memory has room for, so that a file is written from its beginning to its end.
///
/// # Errors
/// Those of `pieces`; there is no room for the files; [`crate::Error::Cancelled`].
pub fn spill<T: Copy + Sync, U: Plain + Default + Into<f64>>(
    (rows, width): (usize, usize),
    mut pieces: impl FnMut(Range<usize>, &mut dyn FnMut(Piece<'_, T>) -> Result<()>) -> Result<()>,
    convert: impl Fn(T) -> U + Sync,
    run: &Run,
) -> Result<Vec<Spilled<U>>> {
    let mut plain = vec![true; width];
    pieces(0..width, &mut |piece| {
        run.check()?;
        let columns = &mut plain[piece.column..][..piece.width];
        run.install(|| {
            columns.par_chunks_mut(GROUP).enumerate().for_each(|(group, plain)| {
                for line in piece.values.chunks_exact(piece.width) {
                    for (plain, &value) in plain.iter_mut().zip(&line[group * GROUP..]) {
                        *plain = *plain && exact_code(convert(value).into()).is_some();
                    }
                }
            });
        });
        Ok(())
    })?;

    let count = |wanted: bool| plain.iter().filter(|&&plain| plain == wanted).count();
    let mut codes: Room<u8> = run.room(rows * count(true))?;
    let mut numbers: Room<U> = run.room(rows * count(false))?;
    // Where each column goes.
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
                columns.par_chunks_mut(GROUP).enumerate().for_each(|(group, places)| {
                    for (place, column) in places.iter_mut().zip(group * GROUP..) {
                        place.put(&piece, column, &convert);
                    }
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
            true => codes.next().map(Spilled::Codes),
            false => numbers.next().map(Spilled::Numbers),
        })
        .collect())
}

/// Where a column goes.
enum Place<'f, U> {
    Codes(&'f mut [u8]),
    Numbers(&'f mut [U]),
}

impl<U: Plain + Into<f64>> Place<'_, U> {
    /// Puts one column of a piece where it belongs.
    fn put<T: Copy>(&mut self, piece: &Piece<'_, T>, column: usize, convert: &impl Fn(T) -> U) {
        let values = piece.values[column..].iter().step_by(piece.width);
        match self {
            Place::Codes(codes) => {
                for (code, &value) in codes[piece.row..].iter_mut().zip(values) {
                    // Every value has a code, as was found before.
                    *code = exact_code(convert(value).into()).unwrap_or_default();
                }
            }
            Place::Numbers(numbers) => {
                for (number, &value) in numbers[piece.row..].iter_mut().zip(values) {
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
