//! Mismatches of category codes.

use crate::dispatch::multiversion;
use crate::{LANES, Level, TILE, check_shapes};

/// A code that equals nothing and differs from nothing.
pub const MISSING_CODE: u32 = u32::MAX;

/// Features per pass over a block.
const CHUNK: usize = 256;

/// Rows of a register tile.
const ROWS: usize = 4;

/// Adds, for every pair of rows, `weight` times the number of features whose codes differ.
///
/// A [`MISSING_CODE`] on either side counts 0. Layout as the crate documentation says.
///
/// # Panics
/// Slices that do not fit together, or a `level` that this machine does not have.
pub fn add_mismatches(
    level: Level,
    a: &[u32],
    b: &[u32],
    features: usize,
    weight: f64,
    out: &mut [f64],
) {
    check_shapes(a, b, features, out);
    multiversion!(level, |a: &[u32], b: &[u32], features: usize, weight: f64, out: &mut [f64]| {
        if features == 0 {
            return;
        }
        let per_panel = features * LANES;
        let b_panels = b.len() / per_panel;
        for first in (0..features).step_by(CHUNK) {
            let part = first * LANES..(first + CHUNK).min(features) * LANES;
            for (i, a_panel) in a.chunks_exact(per_panel).enumerate() {
                for (j, b_panel) in b.chunks_exact(per_panel).enumerate() {
                    let place = (i * b_panels + j) * TILE;
                    let (a_part, b_part) = (&a_panel[part.clone()], &b_panel[part.clone()]);
                    for (group, rows) in
                        out[place..place + TILE].chunks_exact_mut(ROWS * LANES).enumerate()
                    {
                        let counts = tile(a_part, b_part, group * ROWS);
                        for (sum, count) in rows.iter_mut().zip(counts.as_flattened()) {
                            *sum += weight * f64::from(*count);
                        }
                    }
                }
            }
        }
    });
}

#[inline(always)]
fn tile(a: &[u32], b: &[u32], first_row: usize) -> [[u32; LANES]; ROWS] {
    let mut counts = [[0_u32; LANES]; ROWS];
    for (x, y) in a.chunks_exact(LANES).zip(b.chunks_exact(LANES)) {
        // 0 or 1 as numbers rather than truth values: the loops below become vector code.
        let known: [u32; LANES] = std::array::from_fn(|lane| u32::from(y[lane] != MISSING_CODE));
        for row in 0..ROWS {
            let code = x[first_row + row];
            let row_known = u32::from(code != MISSING_CODE);
            for lane in 0..LANES {
                counts[row][lane] += u32::from(code != y[lane]) & known[lane] & row_known;
            }
        }
    }
    counts
}
