//! Columns of numbers: from where to where they reach, in which units they are, and how they come to lie
//! by rows.

use crate::bits::gather;
use crate::dispatch::multiversion;
use crate::genotype_codes::add_places;
use crate::runs::{RUN_WIDTH, RowTile};
use crate::{LANES, Level};

/// The smallest and the largest known values of some columns, and whether any value is missing (not
/// 0).
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
                multiversion!(level, |values: &[$number],
                                      stride: usize,
                                      rows: usize,
                                      reaches: &mut Reaches<'_>| {
                    reach(values, stride, rows, reaches);
                });
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

/// Updates the reaches with a few rows.
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

/// Adds to the sums of columns, line after line, how far the numbers are above the origin of their column.
///
/// # Panics
/// Lines that are not as long as the origin, not a sum per column, or a `level` that this machine does not have.
pub fn add_deviations(level: Level, lines: &[f64], origin: &[f64], sums: &mut [f64]) {
    let columns = origin.len();
    assert_eq!(sums.len(), columns, "a sum per column");
    if columns == 0 {
        assert!(lines.is_empty(), "lines of no column");
        return;
    }
    assert_eq!(lines.len() % columns, 0, "a number per column in every line");
    multiversion!(level, |lines: &[f64], origin: &[f64], sums: &mut [f64]| {
        let columns = origin.len();
        let mut groups = lines.chunks_exact(ROWS * columns);
        for group in &mut groups {
            let line = |row: usize| &group[row * columns..][..columns];
            add_lines([line(0), line(1), line(2), line(3)], origin, sums);
        }
        for line in groups.remainder().chunks_exact(columns) {
            add_lines([line], origin, sums);
        }
    });
}

/// Adds a few lines to the sums.
#[inline(always)]
fn add_lines<const COUNT: usize>(lines: [&[f64]; COUNT], origin: &[f64], sums: &mut [f64]) {
    let columns = origin.len();
    let (lines, sums) = (lines.map(|line| &line[..columns]), &mut sums[..columns]);
    for column in 0..columns {
        let deviations = lines.map(|line| line[column] - origin[column]);
        sums[column] = deviations.into_iter().fold(sums[column], |sum, value| sum + value);
    }
}

/// Adds to `places` those of the values that are NaN, in order.
///
/// # Panics
/// 2^32 values or more, or a `level` that this machine does not have.
pub fn find_missing(level: Level, values: &[f64], places: &mut Vec<u32>) {
    assert!(u32::try_from(values.len()).is_ok(), "places are 32 bits");
    multiversion!(level, |values: &[f64], places: &mut Vec<u32>| {
        for (first, values) in (0..).step_by(64).zip(values.chunks(64)) {
            let mut marks = [0_u8; 64];
            for (mark, value) in marks.iter_mut().zip(values) {
                *mark = u8::from(value.is_nan());
            }
            let mut mask = 0;
            for (word, eight) in marks.as_chunks().0.iter().enumerate() {
                mask |= gather(u64::from_le_bytes(*eight)) << (8 * word);
            }
            add_places(mask, first, places);
        }
    });
}

/// Puts `(value - least) / range` of every value; NaN stays NaN.
///
/// # Panics
/// `out` is shorter than `values`, or the machine has no such `level`.
pub fn scale_numbers(level: Level, values: &[f64], least: f64, range: f64, out: &mut [f64]) {
    multiversion!(level, |values: &[f64], least: f64, range: f64, out: &mut [f64]| {
        let out = &mut out[..values.len()];
        out.iter_mut().zip(values).for_each(|(out, value)| *out = (value - least) / range);
    });
}

/// The smallest values and the ranges by which the lanes of a tile are scaled.
#[derive(Debug, Clone, Copy)]
pub struct Scales {
    /// Per lane, what becomes 0.
    pub least: [f64; RUN_WIDTH],
    /// Per lane, what becomes 1 above that.
    pub ranges: [f64; RUN_WIDTH],
}

/// Puts lines of `width` numbers, which begin every `stride` numbers, into the first lanes of rows, as
/// they are or scaled: `(value - least) / range`, where NaN stays NaN. The other lanes are 0.
///
/// The lines behind them, as far as there are numbers, are fetched in advance.
///
/// # Panics
/// Fewer numbers than that, more than the lanes of a tile, or a `level` that this machine does not have.
pub fn put_lines(
    level: Level,
    lines: &[f64],
    stride: usize,
    width: usize,
    scales: Option<&Scales>,
    rows: &mut [RowTile],
) {
    multiversion!(level, |lines: &[f64],
                          stride: usize,
                          width: usize,
                          scales: Option<&Scales>,
                          rows: &mut [RowTile]| {
        let count = rows.len();
        for (at, row) in rows.iter_mut().enumerate() {
            let line = &lines[at * stride..][..width];
            fetch(lines, (at + count) * stride);
            // The compiler knows the length of a complete tile. It is written directly: on the way
            // over the stack, values may cross cache lines there.
            match (<&[f64; RUN_WIDTH]>::try_from(line), scales) {
                (Ok(line), None) => row.0 = *line,
                (Ok(line), Some(Scales { least, ranges })) => {
                    for lane in 0..RUN_WIDTH {
                        row.0[lane] = (line[lane] - least[lane]) / ranges[lane];
                    }
                }
                (Err(_), scales) => {
                    row.0 = [0.0; RUN_WIDTH];
                    put_line(line, scales, &mut row.0[..width]);
                }
            }
        }
    });
}

/// Puts eight columns, whose numbers lie side by side in lines that begin every `stride` numbers, each
/// where it lies in one piece: what [`put_columns`] does the other way round.
///
/// # Panics
/// Fewer lines than numbers in the columns, columns of several lengths, or a `level` that this machine
/// does not have.
pub fn take_columns(level: Level, lines: &[f64], stride: usize, mut columns: [&mut [f64]; LANES]) {
    /// Rows whose lines are asked for in advance.
    const AHEAD: usize = 32;
    level.assert_available();
    let rows = columns[0].len();
    assert!(columns.iter().all(|column| column.len() == rows), "columns of one length");
    let line = |row: usize| -> &[f64; LANES] {
        lines[row * stride..].first_chunk().expect("eight numbers in every line")
    };
    let whole = rows / LANES * LANES;
    for first in (0..whole).step_by(LANES) {
        let block = std::array::from_fn(|row| line(first + row));
        (0..LANES).for_each(|row| fetch(lines, (first + row + AHEAD) * stride));
        let places: [&mut [f64; LANES]; LANES] = columns
            .each_mut()
            .map(|column| column[first..].first_chunk_mut().expect("as many rows as are whole"));
        match level {
            // SAFETY: `assert_available` has just seen that the machine has AVX-512.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => unsafe { avx512::take(block, places) },
            _ => {
                for (at, place) in places.into_iter().enumerate() {
                    *place = block.map(|line| line[at]);
                }
            }
        }
    }
    for row in whole..rows {
        columns.iter_mut().zip(line(row)).for_each(|(column, value)| column[row] = *value);
    }
}

#[inline(always)]
fn put_line(line: &[f64], scales: Option<&Scales>, out: &mut [f64]) {
    out.copy_from_slice(line);
    if let Some(Scales { least, ranges }) = scales {
        for (value, (least, range)) in out.iter_mut().zip(least.iter().zip(ranges)) {
            *value = (*value - least) / range;
        }
    }
}

/// Asks for the two lines of the cache from a number on, if there is one.
#[inline(always)]
fn fetch(numbers: &[f64], first: usize) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if let Some(two) = numbers.get(first..).and_then(|rest| rest.first_chunk::<RUN_WIDTH>()) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every machine of the architecture has the instruction, and the places are there.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>((&raw const two[0]).cast());
            _mm_prefetch::<_MM_HINT_T0>((&raw const two[LANES]).cast());
        }
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = (numbers, first);
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
    use super::{LANES, RowTile};
    use crate::avx512::{load, store, turned};

    /// Puts eight lines of eight where they are columns.
    #[target_feature(enable = "avx512f")]
    pub(super) fn put(lines: [&[f64; LANES]; LANES], first: usize, rows: &mut [RowTile; LANES]) {
        for (row, values) in rows.iter_mut().zip(turned(lines.map(|line| load(line)))) {
            store(values, &mut row.0[first..]);
        }
    }

    /// Puts eight lines of eight where they are pieces of columns.
    #[target_feature(enable = "avx512f")]
    pub(super) fn take(lines: [&[f64; LANES]; LANES], places: [&mut [f64; LANES]; LANES]) {
        for (place, values) in places.into_iter().zip(turned(lines.map(|line| load(line)))) {
            store(values, place);
        }
    }
}
