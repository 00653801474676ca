//! Soft neighbors in both directions at once: exponentials of the squared distances of four rows to
//! a panel of rows, and the sums of both sides over them.
//!
//! A panel contains its rows in chunks of eight, coordinate by coordinate: chunk c of coordinate k
//! is at `k * chunks + c`. Negligible terms are excluded chunk by chunk: a kernel returns a bit for
//! each chunk that is near, and the following kernels process only these chunks.
//!
//! Multiplications are fused with additions if the instruction set supports it, so that results on
//! different instruction sets differ only by rounding.

use crate::Level;
use crate::dispatch::multiversion;
use crate::soft::{exponential, product_added};

/// Rows that meet a panel at a time.
pub const PAIR_ROWS: usize = 4;

/// Rows of a chunk of a panel.
pub const PAIR_LANES: usize = 8;

/// Chunks of a panel at most.
pub const PAIR_CHUNKS: usize = 32;

/// The largest limit of [`pair_exponentials`]: exponentials up to it are normal numbers.
pub const GREATEST_LIMIT: f64 = 700.0;

/// One number for each of a few rows.
pub type OfRows = [f64; PAIR_ROWS];

/// One number for each row of a chunk.
pub type OfChunk = [f64; PAIR_LANES];

/// Numbers of a few rows and a chunk.
pub type OfPairs = [OfChunk; PAIR_ROWS];

/// The coordinates of a few rows.
pub type PairRows<'a> = [&'a [f64]; PAIR_ROWS];

/// A panel with its length in chunks.
#[derive(Debug, Clone, Copy)]
pub struct PairPanel<'a> {
    /// Coordinates, chunk by chunk.
    pub points: &'a [OfChunk],
    /// Chunks, at most [`PAIR_CHUNKS`].
    pub chunks: usize,
}

impl PairPanel<'_> {
    fn assert_fits(self, rows: PairRows<'_>) {
        let width = rows[0].len();
        assert!(rows.iter().all(|row| row.len() == width), "rows of one width");
        assert!(self.chunks <= PAIR_CHUNKS, "at most {PAIR_CHUNKS} chunks");
        assert_eq!(self.points.len(), width * self.chunks, "a chunk per coordinate");
    }
}

/// For every row, the smallest nonzero squared distance to a row of the panel; infinity if there is
/// none.
///
/// # Panics
/// Slices that do not fit together, or a `level` that this machine does not have.
pub fn nearest_apart(level: Level, rows: PairRows<'_>, panel: PairPanel<'_>) -> OfRows {
    panel.assert_fits(rows);
    multiversion!(level, |rows: PairRows<'_>, panel: PairPanel<'_>| -> OfRows {
        let mut nearest = [[f64::INFINITY; PAIR_LANES]; PAIR_ROWS];
        for chunk in 0..panel.chunks {
            let squares = squared_distances::<FUSED>(rows, panel, chunk);
            for (nearest, squares) in nearest.iter_mut().zip(&squares) {
                for (nearest, &square) in nearest.iter_mut().zip(squares) {
                    let is_nearer = square > 0.0 && square < *nearest;
                    *nearest = if is_nearer { square } else { *nearest };
                }
            }
        }
        nearest.map(|lanes| lanes.into_iter().fold(f64::INFINITY, f64::min))
    })
}

/// The exponentials `exp(-d)` of the squared distances d that are at most the limit of either row;
/// 0 above both. Bit c of the result is set if chunk c has a distance within the limits; the
/// `values` of other chunks are not changed.
///
/// Limits are at most [`GREATEST_LIMIT`].
///
/// # Panics
/// Slices that do not fit together, or a `level` that this machine does not have.
pub fn pair_exponentials(
    level: Level,
    rows: PairRows<'_>,
    row_limits: &OfRows,
    panel: PairPanel<'_>,
    limits: &[OfChunk],
    values: &mut [OfPairs],
) -> u32 {
    panel.assert_fits(rows);
    assert_eq!(limits.len(), panel.chunks, "limits for every chunk");
    assert_eq!(values.len(), panel.chunks, "values for every chunk");
    multiversion!(level, |rows: PairRows<'_>,
                          row_limits: &OfRows,
                          panel: PairPanel<'_>,
                          limits: &[OfChunk],
                          values: &mut [OfPairs]|
     -> u32 {
        let mut near = 0;
        for (chunk, (limits, values)) in limits.iter().zip(values).enumerate() {
            let squares = squared_distances::<FUSED>(rows, panel, chunk);
            let mut within = [0_u64; PAIR_ROWS];
            for row in 0..PAIR_ROWS {
                let mut lanes = [0_u64; PAIR_LANES];
                for lane in 0..PAIR_LANES {
                    let limit = greater(row_limits[row], limits[lane]);
                    lanes[lane] = u64::from(squares[row][lane] <= limit);
                }
                within[row] = lanes.iter().fold(0, |any, lane| any | lane);
            }
            if within == [0; PAIR_ROWS] {
                continue;
            }
            near |= 1 << chunk;
            for row in 0..PAIR_ROWS {
                if within[row] == 0 {
                    values[row] = [0.0; PAIR_LANES];
                    continue;
                }
                for lane in 0..PAIR_LANES {
                    let limit = greater(row_limits[row], limits[lane]);
                    let value = exponential::<FUSED>(-squares[row][lane]);
                    values[row][lane] = if squares[row][lane] <= limit { value } else { 0.0 };
                }
            }
        }
        near
    })
}

/// Adds the values of the chunks that are near to the sums of both sides.
///
/// # Panics
/// Slices that do not fit together, or a `level` that this machine does not have.
pub fn add_pairs(
    level: Level,
    near: u32,
    values: &[OfPairs],
    row_sums: &mut OfRows,
    sums: &mut [OfChunk],
) {
    assert_eq!(values.len(), sums.len(), "values for every chunk");
    multiversion!(level, |near: u32,
                          values: &[OfPairs],
                          row_sums: &mut OfRows,
                          sums: &mut [OfChunk]| {
        let mut totals = [[0.0; PAIR_LANES]; PAIR_ROWS];
        each_chunk(near, |chunk| {
            for row in 0..PAIR_ROWS {
                for lane in 0..PAIR_LANES {
                    totals[row][lane] += values[chunk][row][lane];
                    sums[chunk][lane] += values[chunk][row][lane];
                }
            }
        });
        for row in 0..PAIR_ROWS {
            row_sums[row] += total(&totals[row]);
        }
    });
}

/// The weights of pairs and where they move both sides.
#[derive(Debug)]
pub struct PairMoves<'a> {
    /// `sum_j w_ij z_j`, coordinate by coordinate, laid out as the points are.
    pub points: &'a mut [OfChunk],
    /// `sum_j w_ij`.
    pub degrees: &'a mut [OfChunk],
}

/// Moves both sides by the weights `values (row factor + column factor)` of the chunks that are near:
/// the points of one side times their weights are added to the other's, and the weights to the `degrees` of both.
/// The values become the weights.
///
/// # Panics
/// Slices that do not fit together, or a `level` that this machine does not have.
#[expect(clippy::too_many_arguments, reason = "a kernel knows no structure of its caller's")]
pub fn move_pairs(
    level: Level,
    near: u32,
    values: &mut [OfPairs],
    (rows, row_factors): (PairRows<'_>, &OfRows),
    (panel, factors): (PairPanel<'_>, &[OfChunk]),
    row_moves: &mut [OfRows],
    row_degrees: &mut OfRows,
    moved: PairMoves<'_>,
) {
    panel.assert_fits(rows);
    assert_eq!(row_moves.len(), rows[0].len(), "as many moves as coordinates");
    assert_eq!(values.len(), panel.chunks, "values for every chunk");
    assert_eq!(factors.len(), panel.chunks, "factors for every chunk");
    assert_eq!(moved.degrees.len(), panel.chunks, "degrees for every chunk");
    assert_eq!(moved.points.len(), panel.points.len(), "as many moves as points");
    let sides = (rows, row_factors, panel, factors);
    multiversion!(level, |near: u32,
                          values: &mut [OfPairs],
                          sides: (PairRows<'_>, &OfRows, PairPanel<'_>, &[OfChunk]),
                          row_moves: &mut [OfRows],
                          row_degrees: &mut OfRows,
                          moved: PairMoves<'_>| {
        let (rows, row_factors, panel, factors) = sides;
        let mut totals = [[0.0; PAIR_LANES]; PAIR_ROWS];
        each_chunk(near, |chunk| {
            let (factors, mut degrees) = (factors[chunk], moved.degrees[chunk]);
            for row in 0..PAIR_ROWS {
                let (mut weights, own) = (values[chunk][row], row_factors[row]);
                for lane in 0..PAIR_LANES {
                    weights[lane] *= own + factors[lane];
                }
                for lane in 0..PAIR_LANES {
                    totals[row][lane] += weights[lane];
                }
                for lane in 0..PAIR_LANES {
                    degrees[lane] += weights[lane];
                }
                values[chunk][row] = weights;
            }
            moved.degrees[chunk] = degrees;
        });
        for row in 0..PAIR_ROWS {
            row_degrees[row] += total(&totals[row]);
        }
        for (k, row_moves) in row_moves.iter_mut().enumerate() {
            let first = k * panel.chunks;
            let points = &panel.points[first..first + panel.chunks];
            let moves = &mut moved.points[first..first + panel.chunks];
            let own: OfRows = std::array::from_fn(|row| rows[row][k]);
            let mut totals = [[0.0; PAIR_LANES]; PAIR_ROWS];
            each_chunk(near, |chunk| {
                let (points, mut sums) = (points[chunk], moves[chunk]);
                for row in 0..PAIR_ROWS {
                    let weights = values[chunk][row];
                    for lane in 0..PAIR_LANES {
                        totals[row][lane] =
                            product_added::<FUSED>(weights[lane], points[lane], totals[row][lane]);
                    }
                    for lane in 0..PAIR_LANES {
                        sums[lane] = product_added::<FUSED>(weights[lane], own[row], sums[lane]);
                    }
                }
                moves[chunk] = sums;
            });
            for row in 0..PAIR_ROWS {
                row_moves[row] += total(&totals[row]);
            }
        }
    });
}

/// The squared distances of a few rows to those of a chunk.
#[inline(always)]
fn squared_distances<const FUSED: bool>(
    rows: PairRows<'_>,
    panel: PairPanel<'_>,
    chunk: usize,
) -> OfPairs {
    let mut squares = [[0.0; PAIR_LANES]; PAIR_ROWS];
    for (k, points) in panel.points.chunks_exact(panel.chunks).enumerate() {
        let points = &points[chunk];
        for row in 0..PAIR_ROWS {
            let own = rows[row][k];
            for lane in 0..PAIR_LANES {
                let difference = own - points[lane];
                squares[row][lane] =
                    product_added::<FUSED>(difference, difference, squares[row][lane]);
            }
        }
    }
    squares
}

/// The sum of a row's lanes. Inlined, it has the compiler transpose the lanes of several rows in the loops before it.
#[inline(never)]
fn total(lanes: &OfChunk) -> f64 {
    crate::add_parts(*lanes)
}

#[inline(always)]
fn greater(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// Calls `work` with the number of every bit that is set, in order.
#[inline(always)]
fn each_chunk(mut near: u32, mut work: impl FnMut(usize)) {
    while near != 0 {
        work(near.trailing_zeros() as usize);
        near &= near - 1;
    }
}
