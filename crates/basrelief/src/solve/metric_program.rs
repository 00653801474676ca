//! Semidefinite programs: finds the best metric for many hinge losses by an interior point method.
//!
//! The primal problem is `min <C, M> + p sum_t lack_t` over positive semidefinite `M` and `lack >= 0`, with
//! `<A_t, M> + lack_t >= 1` for every triple t of rows i, j, l: `<A_t, M>` is the squared distance of i and l minus
//! that of i and j under `M`. The dual is `max sum_t v_t` over `0 <= v <= p` with `Z = C - sum_t v_t A_t` positive
//! semidefinite. The method is Mehrotra's predictor-corrector along the directions of Nesterov and Todd (K. C. Toh,
//! M. J. Todd and R. H. Tutuncu, Optimization Methods and Software 11, 1999). A step is computed in coordinates in
//! which `M` and `Z` are the same diagonal matrix. It costs one product of the triples' matrix there with itself,
//! over the smaller of its sides, and one factorization of the result. Callers do not trust the solution: they
//! compute their own bounds from the multipliers.

use super::nonnegative::dot;
use crate::algebra::{
    CholeskyFactor, Singular, column_products, gram, product, row_products, singular,
    symmetric_eigen,
};
use crate::data::{DenseMatrix, squared_distance};
use crate::error::Result;
use crate::margins::scatter::symmetric;
use crate::parallel;
use crate::run::Run;

/// Maximum number of steps; a few dozen suffice.
const MOST_STEPS: usize = 80;

/// Fraction of the distance to the nearest bound that a step covers.
const SHORT_OF_BOUND: f64 = 0.99;

/// The search stops when a step is shorter than this.
const LEAST_STEP: f64 = 1e-6;

/// Fractions by which the diagonal of the normal equations is raised, tried in order until the equations are positive
/// definite despite rounding. Iterative refinement corrects the effect.
const RAISED: [f64; 4] = [1e-15, 1e-13, 1e-11, 1e-9];

/// Number of iterative refinements of the solution of the normal equations.
const CORRECTIONS: usize = 3;

/// Triples whose entries one task computes.
const PART: usize = 64;

/// Rows i, j and l.
pub(crate) type Triple = (u32, u32, u32);

/// The program to minimize.
pub(crate) struct MetricProgram<'p> {
    /// The rows of the table.
    pub(crate) rows: &'p DenseMatrix,
    pub(crate) triples: &'p [Triple],
    /// `C`.
    pub(crate) costs: &'p DenseMatrix,
    /// The price of violating a triple, per unit of its shortfall; above 0.
    pub(crate) price: f64,
    /// The size of the complete objective, of which this program may be a part.
    pub(crate) scale: f64,
    /// Gap up to which the program counts as solved, as a fraction of the scale.
    pub(crate) tolerance: f64,
}

/// The best metric found, and the multipliers of the triples, each between 0 and the price.
pub(crate) struct Solution {
    pub(crate) metric: DenseMatrix,
    pub(crate) multipliers: Vec<f64>,
    pub(crate) steps: usize,
}

impl MetricProgram<'_> {
    /// Solves the program. `size` is the approximate size of the metric's eigenvalues. Returns `None` if no step can
    /// be found.
    ///
    /// # Errors
    /// [`crate::error::Error::Cancelled`]; values that are not finite.
    pub(crate) fn solve(&self, size: f64, run: &Run) -> Result<Option<Solution>> {
        let mut point = self.start(size, run)?;
        let mut best: Option<(f64, DenseMatrix, Vec<f64>)> = None;
        let mut steps = 0;
        while steps < MOST_STEPS {
            run.check()?;
            let Some(factor) = CholeskyFactor::new(&point.metric, run)? else { break };
            let lower = factor.lower();
            let residuals = self.residuals(&point, &lower, run)?;
            let error = self.error(&point, &residuals);
            if best.as_ref().is_none_or(|(least, ..)| error < *least) {
                best = Some((error, point.metric.clone(), point.multipliers.clone()));
            }
            if error <= self.tolerance {
                break;
            }
            let Some(frame) = Frame::new(self, &point, &lower, run)? else { break };
            steps += 1;
            let mean = point.mean(&frame);
            let affine = frame.step(&point, &residuals, (0.0, None), run)?;
            let lengths = point.longest(&affine, &frame, 1.0, run)?;
            let reached = point.mean_after(&affine, &frame, lengths);
            let centering = (reached / mean).powi(3).clamp(0.0, 1.0);
            let step = frame.step(&point, &residuals, (centering * mean, Some(&affine)), run)?;
            if !step.is_finite() {
                break;
            }
            let lengths = point.longest(&step, &frame, SHORT_OF_BOUND, run)?;
            if lengths.0.max(lengths.1) < LEAST_STEP {
                break;
            }
            point.take(self, &step, (&frame, &residuals), lengths, run)?;
        }
        Ok(best.map(|(_, metric, multipliers)| Solution { metric, multipliers, steps }))
    }

    /// The starting point: a multiple of the identity, with the shortfalls and excesses of the triples there.
    fn start(&self, size: f64, run: &Run) -> Result<Point> {
        let dimensions = self.rows.columns();
        let mut metric = DenseMatrix::identity(dimensions);
        metric.values_mut().iter_mut().for_each(|entry| *entry *= size);
        let mut lower = DenseMatrix::identity(dimensions);
        lower.values_mut().iter_mut().for_each(|entry| *entry *= size.sqrt());
        let margins = self.margins(&lower, run)?;
        let multipliers = vec![self.price / 2.0; self.triples.len()];
        let slopes = self.slopes(&multipliers, run)?;
        let left = dot(slopes.values(), slopes.values()).sqrt() / (dimensions as f64).sqrt();
        let mut reduced = DenseMatrix::identity(dimensions);
        let unit = left.max(self.price / size);
        reduced.values_mut().iter_mut().for_each(|entry| *entry *= unit);
        Ok(Point {
            metric,
            reduced,
            excess: margins.iter().map(|margin| (margin - 1.0).max(0.0) + 1.0).collect(),
            lack: margins.iter().map(|margin| (1.0 - margin).max(0.0) + 1.0).collect(),
            spare: multipliers.clone(),
            multipliers,
        })
    }

    /// `<A_t, M>` for `M = L L'`.
    fn margins(&self, lower: &DenseMatrix, run: &Run) -> Result<Vec<f64>> {
        let mapped = product(self.rows, lower, run)?;
        let square =
            |i: u32, j: u32| squared_distance(mapped.row(i as usize), mapped.row(j as usize));
        Ok(self.triples.iter().map(|&(i, j, l)| square(i, l) - square(i, j)).collect())
    }

    /// `sum_t v_t A_t`.
    ///
    /// # Errors
    /// [`crate::error::Error::Cancelled`].
    pub(crate) fn sum(&self, multipliers: &[f64], run: &Run) -> Result<DenseMatrix> {
        let mut moved = DenseMatrix::zeros(self.rows.rows(), self.rows.columns());
        let mut add = |i: u32, j: u32, factor: f64| {
            let (own, other) = (self.rows.row(i as usize), self.rows.row(j as usize));
            let difference: Vec<f64> =
                own.iter().zip(other).map(|(a, b)| factor * (a - b)).collect();
            let of_own = moved.row_mut(i as usize).iter_mut().zip(&difference);
            of_own.for_each(|(sum, value)| *sum += value);
            let of_other = moved.row_mut(j as usize).iter_mut().zip(&difference);
            of_other.for_each(|(sum, value)| *sum -= value);
        };
        for (&(i, j, l), &multiplier) in self.triples.iter().zip(multipliers) {
            add(i, l, multiplier);
            add(i, j, -multiplier);
        }
        Ok(symmetric(column_products(&moved, self.rows, run)?))
    }

    /// `C - sum_t v_t A_t`.
    ///
    /// # Errors
    /// [`crate::error::Error::Cancelled`].
    pub(crate) fn slopes(&self, multipliers: &[f64], run: &Run) -> Result<DenseMatrix> {
        Ok(difference(self.costs, &self.sum(multipliers, run)?))
    }

    fn residuals(&self, point: &Point, lower: &DenseMatrix, run: &Run) -> Result<Residuals> {
        let margins = self.margins(lower, run)?;
        let rows = (0..margins.len())
            .map(|t| 1.0 - margins[t] - point.lack[t] + point.excess[t])
            .collect();
        let spares = point.multipliers.iter().zip(&point.spare);
        Ok(Residuals {
            rows,
            costs: difference(&self.slopes(&point.multipliers, run)?, &point.reduced),
            prices: spares.map(|(v, spare)| self.price - v - spare).collect(),
        })
    }

    /// The gap plus the possible effect of the residuals on it, as a fraction of the scale.
    fn error(&self, point: &Point, residuals: &Residuals) -> f64 {
        let linear = dot(self.costs.values(), point.metric.values());
        let above = linear + self.price * point.lack.iter().sum::<f64>();
        let below: f64 = point.multipliers.iter().sum();
        let sum = |values: &[f64]| values.iter().map(|value| value.abs()).sum::<f64>();
        let of_rows = self.price * sum(&residuals.rows);
        let of_costs = dot(residuals.costs.values(), residuals.costs.values()).sqrt()
            * dot(point.metric.values(), point.metric.values()).sqrt();
        ((above - below).abs() + of_rows + of_costs) / self.scale
    }
}

/// A metric with its reduced costs `Z`, the multipliers with the differences between price and multiplier (`spare`),
/// and the amounts by which the triples exceed 1 (`excess`) or fall short of it (`lack`). All are positive.
struct Point {
    metric: DenseMatrix,
    reduced: DenseMatrix,
    multipliers: Vec<f64>,
    excess: Vec<f64>,
    lack: Vec<f64>,
    spare: Vec<f64>,
}

/// A step. Those of the metric and of the reduced costs are in the coordinates of a frame.
struct Step {
    metric: DenseMatrix,
    reduced: DenseMatrix,
    multipliers: Vec<f64>,
    excess: Vec<f64>,
    lack: Vec<f64>,
    spare: Vec<f64>,
}

impl Step {
    fn is_finite(&self) -> bool {
        let vectors = [&self.multipliers, &self.excess, &self.lack, &self.spare];
        let finite = |values: &[f64]| values.iter().all(|value| value.is_finite());
        vectors.into_iter().all(|values| finite(values))
            && finite(self.metric.values())
            && finite(self.reduced.values())
    }
}

/// The residuals of `<A_t, M> + lack - excess = 1`, `C - sum_t v_t A_t = Z` and `v + spare = p`.
struct Residuals {
    rows: Vec<f64>,
    costs: DenseMatrix,
    prices: Vec<f64>,
}

/// Coordinates in which the metric and the reduced costs are the same diagonal matrix, and the normal equations in
/// these coordinates.
struct Frame {
    /// The diagonal.
    values: Vec<f64>,
    /// The metric is `G D G'`, and `G' Z G` is `D`.
    into: DenseMatrix,
    /// The triples' matrices in these coordinates, each as the vector of its lower triangle, scaled so that scalar
    /// products are preserved.
    entries: DenseMatrix,
    /// `excess / v + lack / spare`.
    of_rows: Vec<f64>,
    factor: CholeskyFactor,
    /// Whether the unknowns of the normal equations are the metric's entries, not the triples' multipliers.
    by_metric: bool,
}

impl Frame {
    /// Returns `None` if rounding has made a matrix indefinite.
    fn new(
        program: &MetricProgram<'_>,
        point: &Point,
        lower: &DenseMatrix,
        run: &Run,
    ) -> Result<Option<Self>> {
        let Some(factor) = CholeskyFactor::new(&point.reduced, run)? else { return Ok(None) };
        let other = factor.lower();
        let Singular { values, right, .. } = singular(&column_products(&other, lower, run)?, run)?;
        if values.last().is_none_or(|&least| least <= 0.0) {
            return Ok(None);
        }
        // Rows of `right` are the right singular vectors.
        let mut into = row_products(lower, &right, run)?;
        for row in 0..into.rows() {
            let entries = into.row_mut(row).iter_mut().zip(&values);
            entries.for_each(|(entry, value)| *entry /= value.sqrt());
        }
        let entries = entries(&product(program.rows, &into, run)?, program.triples);
        let of_rows: Vec<f64> = (0..point.multipliers.len())
            .map(|t| point.excess[t] / point.multipliers[t] + point.lack[t] / point.spare[t])
            .collect();
        let by_metric = entries.columns() <= entries.rows();
        let normal = if by_metric {
            let mut weighted = entries.clone();
            for (t, of_row) in of_rows.iter().enumerate() {
                let root = of_row.sqrt();
                weighted.row_mut(t).iter_mut().for_each(|entry| *entry /= root);
            }
            with_diagonal(gram(&weighted, run)?, |_| 1.0)
        } else {
            with_diagonal(row_products(&entries, &entries, run)?, |t| of_rows[t])
        };
        for share in RAISED {
            let raised = with_diagonal(normal.clone(), |at| share * normal.row(at)[at]);
            if let Some(factor) = CholeskyFactor::new(&raised, run)? {
                return Ok(Some(Self { values, into, entries, of_rows, factor, by_metric }));
            }
        }
        Ok(None)
    }

    /// The step towards complementarity products of `mean`. With `second`, it includes the second-order terms of that
    /// step.
    fn step(
        &self,
        point: &Point,
        residuals: &Residuals,
        (mean, second): (f64, Option<&Step>),
        run: &Run,
    ) -> Result<Step> {
        let count = point.multipliers.len();
        let size = self.values.len();
        // The amount by which the matrix products fall short: half of `D X + X D` for the sum X of both steps.
        let mut sum = DenseMatrix::zeros(size, size);
        let products = match second {
            None => None,
            Some(step) => Some(symmetric(product(&step.metric, &step.reduced, run)?)),
        };
        for i in 0..size {
            for j in 0..size {
                let own = if i == j { mean - self.values[i] * self.values[i] } else { 0.0 };
                let lack = own - products.as_ref().map_or(0.0, |products| products.row(i)[j]);
                sum.row_mut(i)[j] = 2.0 * lack / (self.values[i] + self.values[j]);
            }
        }
        let costs = product(&column_products(&self.into, &residuals.costs, run)?, &self.into, run)?;
        let known = vector(&symmetric(difference(&sum, &costs)));
        let lack = |first: &[f64], other: &[f64], steps: Option<(&[f64], &[f64])>| -> Vec<f64> {
            (0..first.len())
                .map(|at| {
                    let products = steps.map_or(0.0, |(a, b)| a[at] * b[at]);
                    mean - first[at] * other[at] - products
                })
                .collect()
        };
        let (v, spare) = (&point.multipliers, &point.spare);
        let of_rows =
            lack(v, &point.excess, second.map(|step| (&step.multipliers[..], &step.excess[..])));
        let of_lacks =
            lack(&point.lack, spare, second.map(|step| (&step.lack[..], &step.spare[..])));
        // A dM + (excess / v + lack / spare) dv = right, and dM - A' dv = known.
        let right: Vec<f64> = (0..count)
            .map(|t| {
                residuals.rows[t] + of_rows[t] / v[t]
                    - (of_lacks[t] - point.lack[t] * residuals.prices[t]) / spare[t]
            })
            .collect();
        let (metric, multipliers) = self.solve(&known, &right);
        let metric = matrix(&metric, size);
        let reduced = difference(&sum, &metric);
        let of_spare: Vec<f64> =
            residuals.prices.iter().zip(&multipliers).map(|(price, v)| price - v).collect();
        let excess =
            (0..count).map(|t| (of_rows[t] - point.excess[t] * multipliers[t]) / v[t]).collect();
        let lack =
            (0..count).map(|t| (of_lacks[t] - point.lack[t] * of_spare[t]) / spare[t]).collect();
        Ok(Step { metric, reduced, multipliers, excess, lack, spare: of_spare })
    }

    /// Solves for the steps of the metric and of the multipliers: `A dM + D dv = right` and `dM - A' dv = known`.
    fn solve(&self, known: &[f64], right: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (mut metric, mut multipliers) = self.solve_once(known, right);
        for _ in 0..CORRECTIONS {
            let (product, sums) = (self.forward(&metric), self.backward(&multipliers));
            let of_metric: Vec<f64> =
                (0..known.len()).map(|at| known[at] - metric[at] + sums[at]).collect();
            let of_rows: Vec<f64> = (0..right.len())
                .map(|t| right[t] - product[t] - self.of_rows[t] * multipliers[t])
                .collect();
            let (more, more_multipliers) = self.solve_once(&of_metric, &of_rows);
            metric.iter_mut().zip(more).for_each(|(value, more)| *value += more);
            multipliers.iter_mut().zip(more_multipliers).for_each(|(value, more)| *value += more);
        }
        (metric, multipliers)
    }

    fn forward(&self, x: &[f64]) -> Vec<f64> {
        (0..self.entries.rows()).map(|t| dot(self.entries.row(t), x)).collect()
    }

    fn backward(&self, y: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.entries.columns()];
        for (t, &factor) in y.iter().enumerate() {
            let entries = sums.iter_mut().zip(self.entries.row(t));
            entries.for_each(|(sum, entry)| *sum += factor * entry);
        }
        sums
    }

    fn solve_once(&self, known: &[f64], right: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let plus =
            |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a + b).collect() };
        if self.by_metric {
            let over: Vec<f64> = right.iter().zip(&self.of_rows).map(|(a, b)| a / b).collect();
            let metric = self.factor.solve(&plus(known, &self.backward(&over)));
            let product = self.forward(&metric);
            let multipliers =
                (0..right.len()).map(|t| (right[t] - product[t]) / self.of_rows[t]).collect();
            (metric, multipliers)
        } else {
            let product = self.forward(known);
            let left: Vec<f64> = right.iter().zip(&product).map(|(a, b)| a - b).collect();
            let multipliers = self.factor.solve(&left);
            (plus(known, &self.backward(&multipliers)), multipliers)
        }
    }
}

impl Point {
    /// The mean of the complementarity products, which are 0 at the optimum.
    fn mean(&self, frame: &Frame) -> f64 {
        let sum = dot(&frame.values, &frame.values)
            + dot(&self.multipliers, &self.excess)
            + dot(&self.lack, &self.spare);
        sum / (frame.values.len() + 2 * self.multipliers.len()) as f64
    }

    /// The same mean after a step.
    fn mean_after(&self, step: &Step, frame: &Frame, (primal, dual): (f64, f64)) -> f64 {
        let diagonal = |matrix: &DenseMatrix| -> f64 {
            (0..frame.values.len()).map(|i| frame.values[i] * matrix.row(i)[i]).sum()
        };
        let products = |a: &[f64], da: &[f64], x: f64, b: &[f64], db: &[f64], y: f64| -> f64 {
            (0..a.len()).map(|at| (a[at] + x * da[at]) * (b[at] + y * db[at])).sum()
        };
        let sum = dot(&frame.values, &frame.values)
            + primal * diagonal(&step.metric)
            + dual * diagonal(&step.reduced)
            + primal * dual * dot(step.metric.values(), step.reduced.values())
            + products(
                &self.excess,
                &step.excess,
                primal,
                &self.multipliers,
                &step.multipliers,
                dual,
            )
            + products(&self.lack, &step.lack, primal, &self.spare, &step.spare, dual);
        sum / (frame.values.len() + 2 * self.multipliers.len()) as f64
    }

    /// The lengths of the primal and of the dual step: this fraction of the distance to their bounds, and at most 1.
    fn longest(&self, step: &Step, frame: &Frame, share: f64, run: &Run) -> Result<(f64, f64)> {
        let along = |values: &[f64], steps: &[f64]| {
            let to_bound = values.iter().zip(steps).filter(|(_, step)| **step < 0.0);
            to_bound.map(|(value, step)| -value / step).fold(f64::INFINITY, f64::min)
        };
        // The length at which the diagonal plus the step becomes indefinite.
        let of_matrix = |matrix: &DenseMatrix| -> Result<f64> {
            let mut relative = matrix.clone();
            for i in 0..relative.rows() {
                for (j, entry) in relative.row_mut(i).iter_mut().enumerate() {
                    *entry /= (frame.values[i] * frame.values[j]).sqrt();
                }
            }
            if relative.values().iter().any(|entry| !entry.is_finite()) {
                return Ok(0.0);
            }
            let least = symmetric_eigen(&relative, run)?.values.last().copied().unwrap_or(0.0);
            Ok(if least < 0.0 { -1.0 / least } else { f64::INFINITY })
        };
        let of =
            |bounds: [f64; 3]| (share * bounds.into_iter().fold(f64::INFINITY, f64::min)).min(1.0);
        Ok((
            of([
                of_matrix(&step.metric)?,
                along(&self.excess, &step.excess),
                along(&self.lack, &step.lack),
            ]),
            of([
                of_matrix(&step.reduced)?,
                along(&self.multipliers, &step.multipliers),
                along(&self.spare, &step.spare),
            ]),
        ))
    }

    fn take(
        &mut self,
        program: &MetricProgram<'_>,
        step: &Step,
        (frame, residuals): (&Frame, &Residuals),
        (primal, dual): (f64, f64),
        run: &Run,
    ) -> Result<()> {
        let moved = |values: &mut [f64], steps: &[f64], length: f64| {
            values.iter_mut().zip(steps).for_each(|(value, step)| *value += length * step);
        };
        let mut metric = step.metric.clone();
        metric.values_mut().iter_mut().for_each(|entry| *entry *= primal);
        for (i, value) in frame.values.iter().enumerate() {
            metric.row_mut(i)[i] += value;
        }
        self.metric =
            symmetric(row_products(&product(&frame.into, &metric, run)?, &frame.into, run)?);
        // Computed in the rows' own coordinates, which avoids the rounding errors of a transformation back.
        let reduced = difference(&residuals.costs, &program.sum(&step.multipliers, run)?);
        moved(self.reduced.values_mut(), reduced.values(), dual);
        moved(&mut self.excess, &step.excess, primal);
        moved(&mut self.lack, &step.lack, primal);
        moved(&mut self.multipliers, &step.multipliers, dual);
        moved(&mut self.spare, &step.spare, dual);
        Ok(())
    }
}

/// The lower triangles of the triples' matrices, one row per triple, with off-diagonal entries times the square root
/// of 2.
fn entries(rows: &DenseMatrix, triples: &[Triple]) -> DenseMatrix {
    let size = rows.columns();
    let length = size * (size + 1) / 2;
    let mut out = DenseMatrix::zeros(triples.len(), length);
    let parts = out.values_mut().chunks_mut(PART * length.max(1)).zip(triples.chunks(PART));
    parallel::for_each(parts, |(lines, triples)| {
        let difference = |i: u32, j: u32| -> Vec<f64> {
            let pairs = rows.row(i as usize).iter().zip(rows.row(j as usize));
            pairs.map(|(a, b)| a - b).collect()
        };
        for (line, &(i, j, l)) in lines.chunks_exact_mut(length).zip(triples) {
            let (far, near) = (difference(i, l), difference(i, j));
            let mut at = 0;
            for a in 0..size {
                let (of_far, of_near) = (far[a] * BESIDE, near[a] * BESIDE);
                let columns = line[at..at + a].iter_mut().zip(far.iter().zip(&near));
                columns.for_each(|(entry, (far, near))| *entry = of_far * far - of_near * near);
                line[at + a] = far[a] * far[a] - near[a] * near[a];
                at += a + 1;
            }
        }
    });
    out
}

/// The factor of off-diagonal entries in a vector, which makes scalar products of vectors equal those of the
/// matrices.
const BESIDE: f64 = std::f64::consts::SQRT_2;

fn vector(matrix: &DenseMatrix) -> Vec<f64> {
    let row = |i: usize| {
        let row = matrix.row(i);
        row[..i].iter().map(|entry| entry * BESIDE).chain([row[i]])
    };
    (0..matrix.rows()).flat_map(row).collect()
}

fn matrix(vector: &[f64], size: usize) -> DenseMatrix {
    let mut out = DenseMatrix::zeros(size, size);
    let mut at = 0;
    for i in 0..size {
        for j in 0..i {
            let value = vector[at + j] / BESIDE;
            (out.row_mut(i)[j], out.row_mut(j)[i]) = (value, value);
        }
        out.row_mut(i)[i] = vector[at + i];
        at += i + 1;
    }
    out
}

fn difference(a: &DenseMatrix, b: &DenseMatrix) -> DenseMatrix {
    let values = a.values().iter().zip(b.values()).map(|(a, b)| a - b).collect();
    DenseMatrix::new(values, a.rows(), a.columns())
}

fn with_diagonal(mut matrix: DenseMatrix, value: impl Fn(usize) -> f64) -> DenseMatrix {
    for i in 0..matrix.rows() {
        matrix.row_mut(i)[i] += value(i);
    }
    matrix
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pseudorandom rows, some triples of them, and a small multiple of their scatter matrix as costs.
    fn program(
        count: usize,
        size: usize,
        triples: usize,
    ) -> (DenseMatrix, Vec<Triple>, DenseMatrix) {
        let number = |k: usize| ((k * 7919 + 13) % 1009) as f64 / 1009.0 - 0.4;
        let rows = DenseMatrix::new((0..count * size).map(number).collect(), count, size);
        let triples = (0..triples)
            .map(|t| {
                let (i, j, l) = (t % count, (t * 7 + 1) % count, (t * 11 + 5) % count);
                (i as u32, j as u32, l as u32)
            })
            .collect();
        let mut costs = gram(&rows, &Run::new(Some(1)).unwrap()).unwrap();
        costs.values_mut().iter_mut().for_each(|cost| *cost *= 0.01);
        (rows, triples, costs)
    }

    #[test]
    fn both_sides_meet_whatever_is_larger() {
        let run = Run::new(Some(1)).unwrap();
        for (count, size, triples) in [(20, 3, 60), (20, 8, 20), (30, 5, 200)] {
            let (rows, triples, costs) = program(count, size, triples);
            for price in [0.2, 2.0] {
                let program = MetricProgram {
                    rows: &rows,
                    triples: &triples,
                    costs: &costs,
                    price,
                    scale: 1.0,
                    tolerance: 1e-10,
                };
                let found = program.solve(1.0, &run).unwrap().unwrap();
                let lower = CholeskyFactor::new(&found.metric, &run).unwrap().unwrap().lower();
                let lacks: f64 = program
                    .margins(&lower, &run)
                    .unwrap()
                    .iter()
                    .map(|margin| (1.0 - margin).max(0.0))
                    .sum();
                let above = dot(costs.values(), found.metric.values()) + price * lacks;
                let below: f64 = found.multipliers.iter().sum();
                assert!((above - below).abs() < 1e-7 * above, "{size} {price}: {above} {below}");
                assert!(above < price * triples.len() as f64 * (1.0 - 1e-3), "nothing was learned");
                assert!(found.multipliers.iter().all(|v| (0.0..=price + 1e-12).contains(v)));
                let slopes = program.slopes(&found.multipliers, &run).unwrap();
                let least = *symmetric_eigen(&slopes, &run).unwrap().values.last().unwrap();
                // As accurate as the gap.
                assert!(least > -1e-7, "{least}");
            }
        }
    }
}
