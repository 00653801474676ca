//! Sums of the differences between a row and runs of other rows, a tile of features at a time.
//!
//! A tile's values lie row by row, so that a pair costs two cache lines. A lane is a feature, and
//! rows come in the order given, dealt to two sums so that no addition waits for the one before:
//! instruction sets do not change a bit.

use crate::Level;
use crate::dispatch::{multiversion, one, plus};

/// Features of a tile.
pub const RUN_WIDTH: usize = 16;

/// Sums of a run that are taken side by side.
const PARTS: usize = 2;

/// Replaces every `out[run]` by the sums over its other rows of `|a - b|`, or with `mismatch` of 0
/// if equal and 1 if not, feature by feature.
///
/// `values` are a tile's values row by row; run k is of row `rows[k]` and of the others from
/// `ends[k - 1]` (0 for the first) to `ends[k]`.
///
/// # Panics
/// Slices that do not fit together, rows that are not there, or a `level` that this machine does
/// not have.
pub fn sum_runs(
    level: Level,
    mismatch: bool,
    values: &[[f64; RUN_WIDTH]],
    rows: &[u32],
    ends: &[usize],
    others: &[u32],
    out: &mut [[f64; RUN_WIDTH]],
) {
    assert!(rows.len() == ends.len() && rows.len() == out.len(), "one row and end per run");
    let one = one();
    macro_rules! call {
        ($body:ident) => {
            multiversion!(
                level,
                fn(
                    values: &[[f64; RUN_WIDTH]],
                    rows: &[u32],
                    ends: &[usize],
                    others: &[u32],
                    one: f64,
                    out: &mut [[f64; RUN_WIDTH]],
                ) fused $body
            )
        };
    }
    if mismatch { call!(mismatches) } else { call!(absolute) }
}

#[inline(always)]
fn absolute<const ROWS: usize, const FUSED: bool>(
    values: &[[f64; RUN_WIDTH]],
    rows: &[u32],
    ends: &[usize],
    others: &[u32],
    one: f64,
    out: &mut [[f64; RUN_WIDTH]],
) {
    add_up(values, rows, ends, others, out, |sum, a, b| plus::<FUSED>(sum, (a - b).abs(), one));
}

#[inline(always)]
fn mismatches<const ROWS: usize, const FUSED: bool>(
    values: &[[f64; RUN_WIDTH]],
    rows: &[u32],
    ends: &[usize],
    others: &[u32],
    one: f64,
    out: &mut [[f64; RUN_WIDTH]],
) {
    add_up(values, rows, ends, others, out, |sum, a, b| {
        plus::<FUSED>(sum, f64::from(u8::from(a != b)), one)
    });
}

#[inline(always)]
fn add_up(
    values: &[[f64; RUN_WIDTH]],
    rows: &[u32],
    ends: &[usize],
    others: &[u32],
    out: &mut [[f64; RUN_WIDTH]],
    add: impl Fn(f64, f64, f64) -> f64,
) {
    let mut start = 0;
    for ((&row, &end), out) in rows.iter().zip(ends).zip(out) {
        let own = values[row as usize];
        let add_row = |sums: &mut [f64; RUN_WIDTH], other: u32| {
            let other = &values[other as usize];
            for lane in 0..RUN_WIDTH {
                sums[lane] = add(sums[lane], own[lane], other[lane]);
            }
        };
        let mut parts = [[0.0; RUN_WIDTH]; PARTS];
        let (whole, rest) = others[start..end].as_chunks::<PARTS>();
        for others in whole {
            parts.iter_mut().zip(others).for_each(|(sums, other)| add_row(sums, *other));
        }
        parts.iter_mut().zip(rest).for_each(|(sums, other)| add_row(sums, *other));
        *out = std::array::from_fn(|lane| parts[0][lane] + parts[1][lane]);
        start = end;
    }
}
