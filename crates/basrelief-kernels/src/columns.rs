//! Columns of numbers: from where to where they reach, in which units they are, and how they come to lie
//! by rows.

use crate::dispatch::multiversion;
use crate::runs::RowTile;
use crate::{LANES, Level};

/// The least and the greatest known values of some columns, and whether any value is missing: not 0.
#[derive(Debug)]
pub struct Reaches<'r> {
    /// Per column; infinite where no value is known.
    pub least: &'r mut [f64],
    /// Per column; negatively infinite where no value is known.
    pub greatest: &'r mut [f64],
    /// Per column.
    pub missing: &'r mut [u64],
}

/// Numbers of columns; NaN is missing.
pub trait Reaching: Copy + Into<f64> {
    /// Adds the values of rows that begin every `stride` numbers, each with one of every column.
    ///
    /// # Panics
    /// Fewer numbers than that, reaches of several lengths, or a `level` that this machine does not
    /// have.
    fn add_reaches(
        level: Level,
        values: &[Self],
        stride: usize,
        rows: usize,
        reaches: &mut Reaches<'_>,
    );
}

macro_rules! reaching {
    ($($number:ty),*) => {$(
        impl Reaching for $number {
            fn add_reaches(
                level: Level,
                values: &[Self],
                stride: usize,
                rows: usize,
                reaches: &mut Reaches<'_>,
            ) {
                multiversion!(
                    level,
                    fn(
                        values: &[$number],
                        stride: usize,
                        rows: usize,
                        reaches: &mut Reaches<'_>,
                    ) reach
                );
            }
        }
    )*};
}
reaching!(f64, f32, u8, i8);

/// Rows that are looked at together, so that what is known of a column is read and written less often:
/// few, since memory is fastest where it is read in one go.
const ROWS: usize = 4;

#[inline(always)]
fn reach<T: Reaching>(values: &[T], stride: usize, rows: usize, reaches: &mut Reaches<'_>) {
    let columns = reaches.least.len();
    let line = |row: usize| &values[row * stride..][..columns];
    let whole = rows / ROWS * ROWS;
    for row in (0..whole).step_by(ROWS) {
        reach_rows([line(row), line(row + 1), line(row + 2), line(row + 3)], reaches);
    }
    (whole..rows).for_each(|row| reach_rows([line(row)], reaches));
}

/// The same of a few rows.
#[inline(always)]
fn reach_rows<T: Reaching, const COUNT: usize>(lines: [&[T]; COUNT], reaches: &mut Reaches<'_>) {
    let columns = lines[0].len();
    let lines = lines.map(|line| &line[..columns]);
    let (least, greatest) = (&mut reaches.least[..columns], &mut reaches.greatest[..columns]);
    let missing = &mut reaches.missing[..columns];
    for column in 0..columns {
        let values: [f64; COUNT] = lines.map(|line| line[column].into());
        // No comparison with NaN holds; and nothing branches.
        let lower = |least: f64, value: f64| if value < least { value } else { least };
        let upper = |most: f64, value: f64| if value > most { value } else { most };
        least[column] = values.into_iter().fold(least[column], lower);
        greatest[column] = values.into_iter().fold(greatest[column], upper);
        let any = values.into_iter().fold(0, |any, value| any | u64::from(value.is_nan()));
        missing[column] |= any;
    }
}

/// Puts `(value - least) / range` of every value; NaN stays NaN.
///
/// # Panics
/// `out` is shorter than `values`, or the machine has no such `level`.
pub fn scale_numbers(level: Level, values: &[f64], least: f64, range: f64, out: &mut [f64]) {
    multiversion!(level, fn(values: &[f64], least: f64, range: f64, out: &mut [f64]) scaled);
}

#[inline(always)]
fn scaled(values: &[f64], least: f64, range: f64, out: &mut [f64]) {
    let out = &mut out[..values.len()];
    out.iter_mut().zip(values).for_each(|(out, value)| *out = (value - least) / range);
}

/// Puts eight columns into the lanes from `first` on, row by row.
///
/// # Panics
/// Columns shorter than there are rows, lanes that are not there, or a `level` that this machine does not
/// have.
pub fn put_columns(level: Level, columns: [&[f64]; LANES], first: usize, rows: &mut [RowTile]) {
    let columns = columns.map(|column| &column[..rows.len()]);
    let (whole, rest) = rows.as_chunks_mut::<LANES>();
    level.assert_available();
    for (part, rows) in whole.iter_mut().enumerate() {
        let lines = columns.map(|column| &column.as_chunks::<LANES>().0[part]);
        match level {
            // SAFETY: `assert_available` has just seen that the machine has AVX-512.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => unsafe { avx512::put(lines, first, rows) },
            _ => {
                for (lane, line) in (first..).zip(lines) {
                    rows.iter_mut().zip(line).for_each(|(row, value)| row.0[lane] = *value);
                }
            }
        }
    }
    let start = whole.len() * LANES;
    for (lane, column) in (first..).zip(columns) {
        rest.iter_mut().zip(&column[start..]).for_each(|(row, value)| row.0[lane] = *value);
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use super::{LANES, RowTile};

    /// Turns eight lines of eight.
    #[target_feature(enable = "avx512f")]
    pub(super) fn put(lines: [&[f64; LANES]; LANES], first: usize, rows: &mut [RowTile; LANES]) {
        let lines = lines.map(|line| load(line));
        // Pairs of lines, of their even and their odd numbers; then those of all, two numbers at a time.
        let pairs = [0, 2, 4, 6].map(|line| {
            let (one, two) = (lines[line], lines[line + 1]);
            [_mm512_unpacklo_pd(one, two), _mm512_unpackhi_pd(one, two)]
        });
        for odd in 0..2 {
            let [a, b, c, d] = pairs.map(|pair| pair[odd]);
            let (low_ab, low_cd) =
                (_mm512_shuffle_f64x2::<0x88>(a, b), _mm512_shuffle_f64x2::<0x88>(c, d));
            let (high_ab, high_cd) =
                (_mm512_shuffle_f64x2::<0xdd>(a, b), _mm512_shuffle_f64x2::<0xdd>(c, d));
            let turned = [
                _mm512_shuffle_f64x2::<0x88>(low_ab, low_cd),
                _mm512_shuffle_f64x2::<0x88>(high_ab, high_cd),
                _mm512_shuffle_f64x2::<0xdd>(low_ab, low_cd),
                _mm512_shuffle_f64x2::<0xdd>(high_ab, high_cd),
            ];
            for (at, values) in turned.into_iter().enumerate() {
                store(values, &mut rows[2 * at + odd].0[first..]);
            }
        }
    }

    #[target_feature(enable = "avx512f")]
    fn load(values: &[f64; LANES]) -> __m512d {
        // SAFETY: the reference is good for 64 bytes; this load asks for no alignment.
        unsafe { _mm512_loadu_pd(values.as_ptr()) }
    }

    #[target_feature(enable = "avx512f")]
    fn store(values: __m512d, out: &mut [f64]) {
        let out: &mut [f64; LANES] = out.first_chunk_mut().expect("eight lanes");
        // SAFETY: the reference is good for 64 bytes; this store asks for no alignment.
        unsafe { _mm512_storeu_pd(out.as_mut_ptr(), values) }
    }
}
