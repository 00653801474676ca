//! Sums of the differences between a row and runs of other rows, a tile of features at a time.
//!
//! A tile's values lie row by row, so that a pair costs one cache line. A lane is a feature, and
//! rows come in the order given: instruction sets do not change a bit.

use crate::dispatch::multiversion;
use crate::{LANES, Level};

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
    values: &[[f64; LANES]],
    rows: &[u32],
    ends: &[usize],
    others: &[u32],
    out: &mut [[f64; LANES]],
) {
    assert!(rows.len() == ends.len() && rows.len() == out.len(), "one row and end per run");
    macro_rules! call {
        ($body:ident) => {
            multiversion!(
                level,
                fn(
                    values: &[[f64; LANES]],
                    rows: &[u32],
                    ends: &[usize],
                    others: &[u32],
                    out: &mut [[f64; LANES]],
                ) $body
            )
        };
    }
    if mismatch { call!(mismatches) } else { call!(absolute) }
}

#[inline(always)]
fn absolute<const ROWS: usize>(
    values: &[[f64; LANES]],
    rows: &[u32],
    ends: &[usize],
    others: &[u32],
    out: &mut [[f64; LANES]],
) {
    add_up(values, rows, ends, others, out, |a, b| (a - b).abs());
}

#[inline(always)]
fn mismatches<const ROWS: usize>(
    values: &[[f64; LANES]],
    rows: &[u32],
    ends: &[usize],
    others: &[u32],
    out: &mut [[f64; LANES]],
) {
    add_up(values, rows, ends, others, out, |a, b| f64::from(u8::from(a != b)));
}

#[inline(always)]
fn add_up(
    values: &[[f64; LANES]],
    rows: &[u32],
    ends: &[usize],
    others: &[u32],
    out: &mut [[f64; LANES]],
    difference: impl Fn(f64, f64) -> f64,
) {
    let mut start = 0;
    for ((&row, &end), out) in rows.iter().zip(ends).zip(out) {
        let own = values[row as usize];
        let mut sums = [0.0; LANES];
        for &other in &others[start..end] {
            let other = &values[other as usize];
            for lane in 0..LANES {
                sums[lane] += difference(own[lane], other[lane]);
            }
        }
        *out = sums;
        start = end;
    }
}
