//! Solves dense linear programs of many unknowns by an interior point method.
//!
//! The method is Mehrotra's predictor-corrector (1992) on the primal problem, `min c u` over `u >= 0` with
//! `A u >= b`, and its dual, `max b v` over `v >= 0` with `A' v <= c`. If rows may be violated at a price, the
//! shortfall of each row is one more unknown: `min c u + p sum t` with `A u + t >= b`, and `v <= p`. Each of these
//! unknowns occurs in one row only, so that they add only a diagonal. A step costs one product of the matrix with
//! itself, over the smaller of its sides, and one factorization of the result. Callers do not trust the solution:
//! methods compute their own bounds from the multipliers.

use super::nonnegative::dot;
use crate::algebra::{CholeskyFactor, gram};
use crate::data::DenseMatrix;
use crate::error::{Error, Result};
use crate::run::Run;

/// Maximum number of steps; a few dozen suffice.
const MOST_STEPS: usize = 100;

/// Relative residuals and relative gap up to which the program counts as solved.
const SOLVED: f64 = 1e-12;

/// Fraction of the distance to the nearest bound that a step covers.
const SHORT_OF_BOUND: f64 = 0.9995;

/// The search stops when a step is shorter than this.
const LEAST_STEP: f64 = 1e-8;

/// Passes of row and column scaling.
const SCALINGS: usize = 4;

/// The unknowns and the multipliers of the rows.
#[derive(Debug, Clone)]
pub(crate) struct Solution {
    pub(crate) unknowns: Vec<f64>,
    pub(crate) multipliers: Vec<f64>,
}

/// Solves a program to rounding accuracy. `rows` contains the rows of `A`, one after the other. With a `price`, rows
/// may be violated, at that price times their shortfall.
///
/// # Errors
/// No step can be found; [`Error::Cancelled`].
pub(crate) fn solve(
    costs: &[f64],
    rows: &[f64],
    bounds: &[f64],
    price: Option<f64>,
    run: &Run,
) -> Result<Solution> {
    let scaled = Scaled::new(costs, rows, bounds, price);
    let mut point = Point::start(&scaled);
    let mut best: Option<(f64, Point)> = None;
    for _ in 0..MOST_STEPS {
        run.check()?;
        let residuals = Residuals::new(&scaled, &point);
        let error = residuals.error(&scaled, &point);
        if best.as_ref().is_none_or(|(least, _)| error < *least) {
            best = Some((error, point.clone()));
        }
        if error <= SOLVED {
            break;
        }
        let Some(normal) = Normal::new(&scaled, &point, run)? else { break };
        let mean = point.complementarity();
        // The progress of the pure Newton step determines the centering.
        let affine = normal.step(&scaled, &point, &residuals, 0.0, None);
        let reached = point.after(&affine, point.longest(&affine, 1.0)).complementarity();
        let centering = (reached / mean).powi(3).clamp(0.0, 1.0);
        let step = normal.step(&scaled, &point, &residuals, centering * mean, Some(&affine));
        let lengths = point.longest(&step, SHORT_OF_BOUND);
        if !step.is_finite() || lengths.0.max(lengths.1) < LEAST_STEP {
            break;
        }
        point = point.after(&step, lengths);
    }
    let failed = || Error::Internal("an interior point was not found".to_string());
    let (error, point) = best.ok_or_else(failed)?;
    if !error.is_finite() {
        return Err(failed());
    }
    Ok(scaled.unscaled(&point))
}

/// A program whose rows and columns have entries near 1.
struct Scaled {
    /// The matrix with the smaller of its sides as columns: `A`, or its transpose.
    matrix: DenseMatrix,
    /// Whether the columns are those of the unknowns.
    by_unknowns: bool,
    costs: Vec<f64>,
    bounds: Vec<f64>,
    /// One price per row; empty if no row may be violated.
    prices: Vec<f64>,
    row_scales: Vec<f64>,
    column_scales: Vec<f64>,
    /// The divisors of the costs and of the bounds.
    units: (f64, f64),
}

impl Scaled {
    fn new(costs: &[f64], rows: &[f64], bounds: &[f64], price: Option<f64>) -> Self {
        let (width, height) = (costs.len(), bounds.len());
        let mut row_scales = vec![1.0_f64; height];
        let mut column_scales = vec![1.0_f64; width];
        let inverse = |greatest: f64| if greatest > 0.0 { 1.0 / greatest.sqrt() } else { 1.0 };
        for _ in 0..SCALINGS {
            let mut greatest_of_columns = vec![0.0_f64; width];
            for (row, scale) in rows.chunks_exact(width).zip(&mut row_scales) {
                let scaled = || row.iter().zip(&column_scales).map(|(a, c)| (a * c).abs());
                let greatest = scaled().fold(0.0, f64::max) * *scale;
                *scale *= inverse(greatest);
                for (most, value) in greatest_of_columns.iter_mut().zip(scaled()) {
                    *most = most.max(value * *scale);
                }
            }
            let of_columns = column_scales.iter_mut().zip(greatest_of_columns);
            of_columns.for_each(|(scale, greatest)| *scale *= inverse(greatest));
        }
        let by_unknowns = width < height;
        let (lines, columns) = if by_unknowns { (height, width) } else { (width, height) };
        let mut matrix = DenseMatrix::zeros(lines, columns);
        for (k, row) in rows.chunks_exact(width).enumerate() {
            for (f, value) in row.iter().enumerate() {
                let value = value * row_scales[k] * column_scales[f];
                let (line, column) = if by_unknowns { (k, f) } else { (f, k) };
                matrix.row_mut(line)[column] = value;
            }
        }
        let scaled = |values: &[f64], scales: &[f64]| -> (Vec<f64>, f64) {
            let scaled: Vec<f64> = values.iter().zip(scales).map(|(a, b)| a * b).collect();
            let unit = scaled.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
            let unit = if unit > 0.0 { unit } else { 1.0 };
            (scaled.into_iter().map(|value| value / unit).collect(), unit)
        };
        let (costs, of_costs) = scaled(costs, &column_scales);
        let (bounds, of_bounds) = scaled(bounds, &row_scales);
        let units = (of_costs, of_bounds);
        let priced = |price: f64| row_scales.iter().map(|scale| price / scale / of_costs).collect();
        let prices = price.map_or_else(Vec::new, priced);
        Self { matrix, by_unknowns, costs, bounds, prices, row_scales, column_scales, units }
    }

    /// `A u`.
    fn forward(&self, u: &[f64]) -> Vec<f64> {
        if self.by_unknowns { by_lines(&self.matrix, u) } else { by_columns(&self.matrix, u) }
    }

    /// `A' v`.
    fn backward(&self, v: &[f64]) -> Vec<f64> {
        if self.by_unknowns { by_columns(&self.matrix, v) } else { by_lines(&self.matrix, v) }
    }

    fn unscaled(&self, point: &Point) -> Solution {
        let (of_costs, of_bounds) = self.units;
        let times = |values: &[f64], scales: &[f64], unit: f64| {
            values.iter().zip(scales).map(|(a, b)| a * b * unit).collect()
        };
        Solution {
            unknowns: times(&point.u, &self.column_scales, of_bounds),
            multipliers: times(&point.v, &self.row_scales, of_costs),
        }
    }
}

/// The product of a matrix with a vector.
fn by_lines(matrix: &DenseMatrix, x: &[f64]) -> Vec<f64> {
    (0..matrix.rows()).map(|line| dot(matrix.row(line), x)).collect()
}

/// The product of a matrix's transpose with a vector.
fn by_columns(matrix: &DenseMatrix, x: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; matrix.columns()];
    for (line, &factor) in x.iter().enumerate() {
        sums.iter_mut().zip(matrix.row(line)).for_each(|(sum, a)| *sum += factor * a);
    }
    sums
}

/// Unknowns `u` with their reduced costs, `c - A' v`, and multipliers `v` with the excesses of their rows, `A u - b`.
/// If rows have a price, also their shortfalls (`lack`) with the differences between price and multiplier (`spare`).
/// All are positive. A step has the same form.
#[derive(Debug, Clone)]
struct Point {
    u: Vec<f64>,
    reduced: Vec<f64>,
    v: Vec<f64>,
    excess: Vec<f64>,
    lack: Vec<f64>,
    spare: Vec<f64>,
}

impl Point {
    fn start(program: &Scaled) -> Self {
        let (u, v) = (vec![1.0; program.costs.len()], vec![1.0; program.bounds.len()]);
        let beyond =
            |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).max(1.0)).collect();
        let excess = beyond(&program.forward(&u), &program.bounds);
        let reduced = beyond(&program.costs, &program.backward(&v));
        let lack = vec![1.0; program.prices.len()];
        let spare = beyond(&program.prices, &v);
        Self { u, reduced, v, excess, lack, spare }
    }

    /// The mean of the complementarity products, which are 0 at the optimum.
    fn complementarity(&self) -> f64 {
        let sum =
            dot(&self.u, &self.reduced) + dot(&self.v, &self.excess) + dot(&self.lack, &self.spare);
        sum / (self.u.len() + self.v.len() + self.lack.len()) as f64
    }

    /// The lengths of the primal and of the dual step: this fraction of the distance to their bounds, and at most 1.
    fn longest(&self, step: &Self, share: f64) -> (f64, f64) {
        let along = |values: &[f64], steps: &[f64]| {
            let to_bound = values.iter().zip(steps).filter(|(_, step)| **step < 0.0);
            to_bound.map(|(value, step)| -value / step).fold(f64::INFINITY, f64::min)
        };
        let of =
            |bounds: [f64; 3]| (share * bounds.into_iter().fold(f64::INFINITY, f64::min)).min(1.0);
        (
            of([
                along(&self.u, &step.u),
                along(&self.excess, &step.excess),
                along(&self.lack, &step.lack),
            ]),
            of([
                along(&self.v, &step.v),
                along(&self.reduced, &step.reduced),
                along(&self.spare, &step.spare),
            ]),
        )
    }

    fn after(&self, step: &Self, (primal, dual): (f64, f64)) -> Self {
        let moved = |values: &[f64], steps: &[f64], length: f64| {
            values.iter().zip(steps).map(|(value, step)| value + length * step).collect()
        };
        Self {
            u: moved(&self.u, &step.u, primal),
            excess: moved(&self.excess, &step.excess, primal),
            lack: moved(&self.lack, &step.lack, primal),
            v: moved(&self.v, &step.v, dual),
            reduced: moved(&self.reduced, &step.reduced, dual),
            spare: moved(&self.spare, &step.spare, dual),
        }
    }

    fn is_finite(&self) -> bool {
        [&self.u, &self.v, &self.reduced, &self.excess, &self.lack, &self.spare]
            .iter()
            .all(|values| values.iter().all(|value| value.is_finite()))
    }
}

/// The residuals of `A u + lack - excess = b`, `A' v + reduced = c` and `v + spare = p`.
struct Residuals {
    rows: Vec<f64>,
    columns: Vec<f64>,
    prices: Vec<f64>,
}

impl Residuals {
    fn new(program: &Scaled, point: &Point) -> Self {
        let missing = |target: &[f64], product: &[f64], other: &[f64], sign: f64| -> Vec<f64> {
            let parts = target.iter().zip(product).zip(other);
            parts.map(|((target, product), other)| target - product - sign * other).collect()
        };
        let mut rows = missing(&program.bounds, &program.forward(&point.u), &point.excess, -1.0);
        rows.iter_mut().zip(&point.lack).for_each(|(row, lack)| *row -= lack);
        Self {
            rows,
            columns: missing(&program.costs, &program.backward(&point.v), &point.reduced, 1.0),
            prices: missing(&program.prices, &point.v, &point.spare, 1.0),
        }
    }

    /// The largest of the relative residuals and the relative gap.
    fn error(&self, program: &Scaled, point: &Point) -> f64 {
        let greatest =
            |values: &[f64]| values.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
        let sizes = (greatest(&point.u).max(1.0), greatest(&point.v).max(1.0));
        let above = dot(&program.costs, &point.u) + dot(&program.prices, &point.lack);
        let below = dot(&program.bounds, &point.v);
        let gap = (above - below).abs() / above.abs().max(below.abs()).max(f64::MIN_POSITIVE);
        let of_multipliers = greatest(&self.columns).max(greatest(&self.prices));
        (greatest(&self.rows) / sizes.0).max(of_multipliers / sizes.1).max(gap)
    }
}

/// The normal equations at a point.
struct Normal {
    factor: CholeskyFactor,
    /// `u / reduced`.
    of_unknowns: Vec<f64>,
    /// `excess / v + lack / spare`.
    of_rows: Vec<f64>,
}

impl Normal {
    /// Returns `None` if rounding has made them indefinite.
    fn new(program: &Scaled, point: &Point, run: &Run) -> Result<Option<Self>> {
        let ratio =
            |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a / b).collect() };
        let of_unknowns = ratio(&point.u, &point.reduced);
        let mut of_rows = ratio(&point.excess, &point.v);
        let of_lacks = ratio(&point.lack, &point.spare);
        of_rows.iter_mut().zip(of_lacks).for_each(|(row, lack)| *row += lack);
        let inverse =
            |values: &[f64]| -> Vec<f64> { values.iter().map(|value| 1.0 / value).collect() };
        let (weights, diagonal) = match program.by_unknowns {
            true => (inverse(&of_rows), inverse(&of_unknowns)),
            false => (of_unknowns.clone(), of_rows.clone()),
        };
        let mut weighted = program.matrix.clone();
        for (line, weight) in weights.iter().enumerate() {
            let root = weight.sqrt();
            weighted.row_mut(line).iter_mut().for_each(|value| *value *= root);
        }
        let mut normal = gram(&weighted, run)?;
        for (at, value) in diagonal.into_iter().enumerate() {
            normal.row_mut(at)[at] += value;
        }
        let factor = CholeskyFactor::new(&normal, run)?;
        Ok(factor.map(|factor| Self { factor, of_unknowns, of_rows }))
    }

    /// The step towards complementarity products of `mean`. With `second`, it includes the second-order terms of that
    /// step.
    fn step(
        &self,
        program: &Scaled,
        point: &Point,
        residuals: &Residuals,
        mean: f64,
        second: Option<&Point>,
    ) -> Point {
        // The amounts by which the products fall short of the mean.
        let lack = |first: &[f64], other: &[f64], steps: Option<(&[f64], &[f64])>| -> Vec<f64> {
            (0..first.len())
                .map(|at| {
                    let products = steps.map_or(0.0, |(a, b)| a[at] * b[at]);
                    mean - first[at] * other[at] - products
                })
                .collect()
        };
        let of_unknowns =
            lack(&point.u, &point.reduced, second.map(|step| (&step.u[..], &step.reduced[..])));
        let of_rows =
            lack(&point.v, &point.excess, second.map(|step| (&step.v[..], &step.excess[..])));
        let of_lacks =
            lack(&point.lack, &point.spare, second.map(|step| (&step.lack[..], &step.spare[..])));
        // A du + (excess / v + lack / spare) dv = right, and A' dv - (reduced / u) du = left.
        let mut right: Vec<f64> = (0..point.v.len())
            .map(|row| residuals.rows[row] + of_rows[row] / point.v[row])
            .collect();
        for (row, of_lack) in of_lacks.iter().enumerate() {
            right[row] -= (of_lack - point.lack[row] * residuals.prices[row]) / point.spare[row];
        }
        let left: Vec<f64> = (0..point.u.len())
            .map(|unknown| residuals.columns[unknown] - of_unknowns[unknown] / point.u[unknown])
            .collect();
        let weighted = |values: &[f64], weights: &[f64]| -> Vec<f64> {
            values.iter().zip(weights).map(|(value, weight)| value * weight).collect()
        };
        let (u, v): (Vec<f64>, Vec<f64>) = if program.by_unknowns {
            let over: Vec<f64> = right.iter().zip(&self.of_rows).map(|(a, b)| a / b).collect();
            let sums = program.backward(&over);
            let known: Vec<f64> = sums.iter().zip(&left).map(|(sum, left)| sum - left).collect();
            let u = self.factor.solve(&known);
            let product = program.forward(&u);
            let v = (0..right.len()).map(|row| (right[row] - product[row]) / self.of_rows[row]);
            (u, v.collect())
        } else {
            let sums = program.forward(&weighted(&left, &self.of_unknowns));
            let known: Vec<f64> = right.iter().zip(&sums).map(|(right, sum)| right + sum).collect();
            let v = self.factor.solve(&known);
            let product = program.backward(&v);
            let u = (0..left.len()).map(|at| (product[at] - left[at]) * self.of_unknowns[at]);
            (u.collect(), v)
        };
        let reduced = (0..u.len())
            .map(|at| (of_unknowns[at] - point.reduced[at] * u[at]) / point.u[at])
            .collect();
        let excess = (0..v.len())
            .map(|row| (of_rows[row] - point.excess[row] * v[row]) / point.v[row])
            .collect();
        let spare: Vec<f64> = residuals.prices.iter().zip(&v).map(|(price, v)| price - v).collect();
        let lack = (0..spare.len())
            .map(|row| (of_lacks[row] - point.lack[row] * spare[row]) / point.spare[row])
            .collect();
        Point { u, reduced, v, excess, lack, spare }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program with `height` rows and its optimum, built from chosen unknowns and multipliers of which the first
    /// few are positive.
    fn program(width: usize, height: usize, least: f64) -> (Vec<f64>, Vec<f64>, Vec<f64>, f64) {
        let mut state = (width * 1009 + height) as u64;
        let mut random = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let rows: Vec<f64> = (0..width * height).map(|_| random() + least).collect();
        let support = width.min(height) / 2;
        let positive = |at: usize, value: f64| if at < support { value + 0.1 } else { 0.0 };
        let u: Vec<f64> = (0..width).map(|at| positive(at, random())).collect();
        let v: Vec<f64> = (0..height).map(|at| positive(at, random())).collect();
        let slack = |at: usize, value: f64| if at < support { 0.0 } else { value + 0.1 };
        let bounds: Vec<f64> = (0..height)
            .map(|k| dot(&rows[k * width..][..width], &u) - slack(k, random()))
            .collect();
        let costs: Vec<f64> = (0..width)
            .map(|f| {
                (0..height).map(|k| rows[k * width + f] * v[k]).sum::<f64>() + slack(f, random())
            })
            .collect();
        let value = dot(&costs, &u);
        (costs, rows, bounds, value)
    }

    #[test]
    fn optima_that_are_known_beforehand_are_found() {
        let run = Run::new(Some(1)).unwrap();
        for (width, height) in [(4, 9), (30, 80), (90, 25), (60, 60)] {
            let (costs, rows, bounds, value) = program(width, height, -0.3);
            let found = solve(&costs, &rows, &bounds, None, &run).unwrap();
            let (above, below) = (dot(&costs, &found.unknowns), dot(&bounds, &found.multipliers));
            let scale = value.abs().max(1.0);
            assert!((above - value).abs() < 1e-9 * scale, "{width} {height}: {above} {value}");
            assert!((below - value).abs() < 1e-9 * scale, "{width} {height}: {below} {value}");
            for (k, row) in rows.chunks_exact(width).enumerate() {
                assert!(dot(row, &found.unknowns) > bounds[k] - 1e-9 * scale, "row {k}");
            }
            assert!(found.unknowns.iter().chain(&found.multipliers).all(|value| *value >= 0.0));
        }
    }

    /// With a price above all multipliers nothing changes. With a lower price the value is smaller, primal and dual
    /// agree, and no multiplier exceeds the price.
    #[test]
    fn rows_may_be_violated_at_a_price() {
        let run = Run::new(Some(1)).unwrap();
        for (width, height) in [(4, 9), (30, 80), (90, 25)] {
            // All entries are at least 0: otherwise the program may be unbounded at a low price.
            let (costs, rows, bounds, value) = program(width, height, 0.0);
            let mut last = 0.0;
            for price in [0.05, 0.3, 0.8, 2.0] {
                let found = solve(&costs, &rows, &bounds, Some(price), &run).unwrap();
                let lack =
                    |(row, bound): (&[f64], &f64)| (bound - dot(row, &found.unknowns)).max(0.0);
                let lacks: f64 = rows.chunks_exact(width).zip(&bounds).map(lack).sum();
                let above = dot(&costs, &found.unknowns) + price * lacks;
                let below = dot(&bounds, &found.multipliers);
                let scale = value.abs().max(1.0);
                assert!((above - below).abs() < 1e-9 * scale, "{width} {price}: {above} {below}");
                assert!(found.multipliers.iter().all(|v| (0.0..=price + 1e-9).contains(v)));
                assert!(above >= last - 1e-9 * scale, "{width} {price}: {above} {last}");
                last = above;
            }
            // The multipliers that the program was built from are below 1.1.
            assert!((last - value).abs() < 1e-9 * value.abs().max(1.0), "{last} {value}");
        }
    }
}
