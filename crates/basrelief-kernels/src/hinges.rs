//! The slopes of many hinges at once: how far a row's squared distances to other rows are below the limits of either.
//!
//! A lane is a column or one of eight sums that are added up in one order, so that instruction
//! sets do not change a bit; nothing is fused.

use crate::Level;
use crate::dispatch::multiversion;

/// Columns that are looked at together.
const CHUNK: usize = 8;

/// A limit that no squared distance is below.
pub const NO_LIMIT: f64 = -1e300;

/// A squared distance that is below no limit. Its difference to any is finite.
pub const NO_PAIR: f64 = 1e300;

/// What the hinges of a row with others add up to.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct HingeSums {
    /// Sum of the hinges, `max(0, margin)`.
    pub value: f64,
    /// The same, rounded off at their kinks.
    pub smooth: f64,
    /// Sum of the slopes of the rounded ones.
    pub slope: f64,
    /// Columns where a slope is not 0.
    pub columns: usize,
}

/// The limits of columns: the squared distances below which their hinges have a slope.
#[derive(Debug, Clone, Copy)]
pub struct ColumnLimits<'a> {
    /// A line of limits, one for every column, and another for every further limit that a column has;
    /// [`NO_LIMIT`] where it has fewer.
    pub limits: &'a [f64],
    /// From one line to the next, at least the number of columns.
    pub stride: usize,
    /// The greatest limit of every column.
    pub greatest: &'a [f64],
}

/// The slopes of rounded hinges of a row with many columns.
///
/// A hinge of the margin `m = limit - width / 2 - squares[j]` is rounded off over `width` around its kink: its slope is
/// `(limit - squares[j]) / width`, at least 0 and at most 1. A column has a hinge for each of `own` limits of the
/// row, and for each of its own. `slopes[j]` becomes the sum of their slopes. The sum over all columns by each limit
/// of the row is added to `pushed`, and the slopes by the limits of the columns to `columns_pushed`, which
/// is laid out as these are.
///
/// # Panics
/// Slices that do not fit together, or a `level` that this machine does not have.
#[expect(clippy::too_many_arguments, reason = "a kernel knows no structure of its caller's")]
pub fn hinge_slopes(
    level: Level,
    width: f64,
    squares: &[f64],
    own: &[f64],
    columns: ColumnLimits<'_>,
    slopes: &mut [f64],
    pushed: &mut [f64],
    columns_pushed: &mut [f64],
) -> HingeSums {
    let count = squares.len();
    assert_eq!(slopes.len(), count, "a slope per column");
    assert_eq!(columns.greatest.len(), count, "a greatest limit per column");
    assert_eq!(columns.limits.len(), columns_pushed.len(), "a sum per limit");
    assert!(columns.stride >= count.max(1), "lines as long as there are columns");
    assert_eq!(own.len(), pushed.len(), "a sum per limit of the row");
    multiversion!(level, |width: f64,
                          squares: &[f64],
                          own: &[f64],
                          columns: ColumnLimits<'_>,
                          slopes: &mut [f64],
                          pushed: &mut [f64],
                          columns_pushed: &mut [f64]|
     -> HingeSums {
        let count = squares.len();
        let most = own.iter().fold(NO_LIMIT, |most, &limit| most.max(limit));
        let hinges = Hinges { half: width / 2.0, inverse: 1.0 / width };
        let mut sums = LaneSums::default();
        slopes.fill(0.0);
        // The chunks in which there is a slope at all: mostly few.
        let mut near = [0_u32; NEAR];
        let mut first = 0;
        while first < count {
            let last = (first + NEAR * CHUNK).min(count);
            let mut found = 0;
            for start in (first..last).step_by(CHUNK) {
                near[found] = start as u32;
                found += usize::from(is_near(squares, columns.greatest, most, start, last));
            }
            let near = &near[..found];
            for (limit, pushed) in own.iter().zip(pushed.iter_mut()) {
                let mut own = [0.0; CHUNK];
                for &start in near {
                    let limits = [*limit; CHUNK];
                    let squares = load(squares, start, NO_PAIR);
                    let found = hinges.of(&limits, &squares, &mut sums);
                    add(&mut own, &found);
                    add_at(slopes, start, &found);
                }
                *pushed += total(&own);
            }
            let lines = columns.limits.chunks(columns.stride);
            for (line, pushed) in lines.zip(columns_pushed.chunks_mut(columns.stride)) {
                let (line, pushed) = (&line[..count], &mut pushed[..count]);
                for &start in near {
                    let limits = load(line, start, NO_LIMIT);
                    let squares = load(squares, start, NO_PAIR);
                    let found = hinges.of(&limits, &squares, &mut sums);
                    add_at(pushed, start, &found);
                    add_at(slopes, start, &found);
                }
            }
            for &start in near {
                for (lane, slope) in load(slopes, start, 0.0).into_iter().enumerate() {
                    sums.slope[lane] += slope;
                    sums.columns += usize::from(slope > 0.0);
                }
            }
            first = last;
        }
        sums.total()
    })
}

/// Chunks that are looked through before those near are worked on: their squared distances stay in the first cache.
const NEAR: usize = 64;

/// Whether a squared distance of the chunk at `start`, of columns before `last`, is below a limit.
#[inline(always)]
fn is_near(squares: &[f64], greatest: &[f64], most: f64, start: usize, last: usize) -> bool {
    let below = |square: f64, limit: f64| square < if limit > most { limit } else { most };
    if last - start >= CHUNK {
        let (squares, greatest) = (&squares[start..][..CHUNK], &greatest[start..][..CHUNK]);
        let mut any = [0_u64; CHUNK];
        for lane in 0..CHUNK {
            any[lane] = u64::from(below(squares[lane], greatest[lane]));
        }
        any.iter().fold(0, |all, one| all | one) != 0
    } else {
        (start..last).any(|at| below(squares[at], greatest[at]))
    }
}

/// Eight numbers, of which those beyond the end are `beyond`.
#[inline(always)]
fn load(values: &[f64], start: u32, beyond: f64) -> [f64; CHUNK] {
    let values = &values[start as usize..];
    if let Some(values) = values.first_chunk::<CHUNK>() {
        return *values;
    }
    let mut some = [beyond; CHUNK];
    some[..values.len()].copy_from_slice(values);
    some
}

#[inline(always)]
fn add(sums: &mut [f64; CHUNK], more: &[f64; CHUNK]) {
    for lane in 0..CHUNK {
        sums[lane] += more[lane];
    }
}

/// Adds eight numbers, but for those beyond the end.
#[inline(always)]
fn add_at(values: &mut [f64], start: u32, more: &[f64; CHUNK]) {
    let values = &mut values[start as usize..];
    if let Some(values) = values.first_chunk_mut::<CHUNK>() {
        add(values, more);
    } else {
        values.iter_mut().zip(more).for_each(|(value, more)| *value += more);
    }
}

#[inline(always)]
fn total(parts: &[f64; CHUNK]) -> f64 {
    crate::add_parts(*parts)
}

/// Hinges rounded off over a width.
#[derive(Clone, Copy)]
struct Hinges {
    half: f64,
    inverse: f64,
}

impl Hinges {
    /// The slopes at eight columns.
    #[inline(always)]
    fn of(
        self,
        limits: &[f64; CHUNK],
        squares: &[f64; CHUNK],
        sums: &mut LaneSums,
    ) -> [f64; CHUNK] {
        let mut slopes = [0.0; CHUNK];
        for lane in 0..CHUNK {
            let above = limits[lane] - squares[lane];
            let slope = above * self.inverse;
            let slope = if slope > 0.0 { slope } else { 0.0 };
            let slope = if slope < 1.0 { slope } else { 1.0 };
            let margin = above - self.half;
            sums.value[lane] += if margin > 0.0 { margin } else { 0.0 };
            sums.smooth[lane] += slope * (above - self.half * slope);
            slopes[lane] = slope;
        }
        slopes
    }
}

#[derive(Default)]
struct LaneSums {
    value: [f64; CHUNK],
    smooth: [f64; CHUNK],
    slope: [f64; CHUNK],
    columns: usize,
}

impl LaneSums {
    #[inline(always)]
    fn total(&self) -> HingeSums {
        HingeSums {
            value: total(&self.value),
            smooth: total(&self.smooth),
            slope: total(&self.slope),
            columns: self.columns,
        }
    }
}
