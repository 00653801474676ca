//! Metrics that are close to a prior and have a small convex loss of distances: `itml` and `lsml`.
//!
//! For rows whose prior metric is the identity, the metric $M$ minimizes the LogDet divergence
//! $\mathrm{tr}(M) - \log\det M - p$ plus a convex loss of the squared distances under $M$. The objective is smooth in
//! the map $L$ with $M = L^\top L$, and every local minimum over square maps is the minimum. With the gradient $H$ of the
//! loss, $I + H$ is a feasible point of the dual problem if it is positive definite, which bounds the distance to the
//! optimum.

use std::cell::Cell;

use super::learn::{Coordinates, Directions};
use super::row_pairs::Prior;
use crate::algebra::{
    Eigen, column_products, principal_axes, product, row_products, symmetric_eigen,
};
use crate::data::DenseMatrix;
use crate::error::Result;
use crate::report::Report;
use crate::run::Run;
use crate::solve::lbfgs::{Objective, Stop, minimize};
use crate::warning::Warning;
use crate::wording::setting;

/// A convex loss of squared distances.
pub(super) trait DistanceLoss {
    /// Adds the gradient with respect to the metric of a map to `gradient`, and returns the loss.
    fn add(&self, map: &DenseMatrix, gradient: &mut DenseMatrix) -> Loss;
}

/// A loss at a metric.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Loss {
    /// The value.
    pub(super) value: f64,
    /// The value minus the part of the dual objective that belongs to the loss.
    pub(super) beyond_dual: f64,
}

/// When the search stops.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Maximum number of iterations.
    pub(super) max_iter: usize,
    /// Relative duality gap.
    pub(super) tol: f64,
}

/// Learns the metric of a loss, which `loss` creates from the rows in the space where the prior is the identity, and
/// returns its map. The report contains the objective and the gap.
///
/// # Errors
/// The errors of `loss`; [`crate::Error::Cancelled`].
pub(super) fn directions<L: DistanceLoss>(
    coordinates: &Coordinates<'_>,
    prior: Prior,
    loss: impl FnOnce(DenseMatrix, &mut Report) -> Result<L>,
    limits: Limits,
    report: &mut Report,
    run: &Run,
) -> Result<Directions> {
    let map = prior.map(coordinates, run)?;
    let rows = row_products(coordinates.values(), &map, run)?;
    let size = rows.columns();
    let loss = loss(rows, report)?;
    let found = nearest_metric(&loss, size, limits, report, run)?;
    let Eigen { values, mut vectors } = symmetric_eigen(&found, run)?;
    for (row, value) in values.iter().enumerate() {
        let root = value.max(0.0).sqrt();
        vectors.row_mut(row).iter_mut().for_each(|entry| *entry *= root);
    }
    let matrix = product(&vectors, &map, run)?;
    let (matrix, eigenvalues) = match (prior, coordinates.start()) {
        (Prior::Identity, None) => (matrix, values),
        // The principal axes of the metric in the coordinates.
        _ => {
            let axes = principal_axes(&matrix, run)?;
            let length = |row: &[f64]| row.iter().map(|entry| entry * entry).sum();
            let lengths = axes.iter().map(length).collect();
            (axes, lengths)
        }
    };
    Ok(Directions { matrix, eigenvalues, discriminant_power: None })
}

/// Returns the metric that minimizes the divergence from the identity plus the loss.
fn nearest_metric(
    loss: &impl DistanceLoss,
    size: usize,
    limits: Limits,
    report: &mut Report,
    run: &Run,
) -> Result<DenseMatrix> {
    let last = Cell::new((f64::NAN, f64::INFINITY));
    let problem = Divergence { loss, size, tol: limits.tol, last, run };
    // The duality gap decides; otherwise stop only when nothing changes.
    let stop = Stop {
        max_iter: limits.max_iter,
        change: f64::EPSILON,
        gradient: 0.0,
        steepness: f64::INFINITY,
    };
    let found = minimize(&problem, DenseMatrix::identity(size).into_values(), stop, run)?;
    let gap = problem.relative_gap(&found.point, found.value)?;
    let converged = gap <= limits.tol;
    if !converged {
        report.warnings.push(Warning::new(
            "not-converged",
            format!(
                "after {} iterations the relative duality gap is {gap:.1e}: raise {} for a better map",
                found.iterations,
                setting("max_iter", None)
            ),
        ));
    }
    (report.iterations, report.converged) = (Some(found.iterations), Some(converged));
    (report.objective, report.relative_gap) = (Some(found.value), Some(gap));
    let map = DenseMatrix::new(found.point, size, size);
    column_products(&map, &map, run)
}

/// The objective as a function of the map.
struct Divergence<'a, L> {
    loss: &'a L,
    size: usize,
    tol: f64,
    /// The value and the relative gap of the last evaluated point.
    last: Cell<(f64, f64)>,
    run: &'a Run,
}

impl<L: DistanceLoss> Divergence<'_, L> {
    fn relative_gap(&self, point: &[f64], value: f64) -> Result<f64> {
        if self.last.get().0 != value {
            self.evaluate(point)?;
        }
        Ok(self.last.get().1)
    }
}

impl<L: DistanceLoss> Objective for Divergence<'_, L> {
    fn evaluate(&self, point: &[f64]) -> Result<(f64, Vec<f64>)> {
        self.run.check()?;
        let map = DenseMatrix::new(point.to_vec(), self.size, self.size);
        let metric = column_products(&map, &map, self.run)?;
        // The inverse metric that the loss requires.
        let mut asked = DenseMatrix::identity(self.size);
        let loss = self.loss.add(&map, &mut asked);
        let Eigen { values: lengths, vectors } = symmetric_eigen(&metric, self.run)?;
        let divergence: f64 = lengths.iter().map(|length| length - length.ln() - 1.0).sum();
        let value = divergence + loss.value;
        // The dual objective at the multipliers that correspond to the loss.
        let of_dual = symmetric_eigen(&asked, self.run)?.values;
        let gap = if of_dual.iter().all(|length| *length > 0.0) {
            let both =
                lengths.iter().zip(&of_dual).map(|(own, dual)| own - 1.0 - (own * dual).ln());
            (both.sum::<f64>() + loss.beyond_dual).max(0.0)
        } else {
            f64::INFINITY
        };
        self.last.set((value, if gap == 0.0 { 0.0 } else { gap / value.max(f64::MIN_POSITIVE) }));
        let mut scaled = vectors.clone();
        for (row, length) in lengths.iter().enumerate() {
            scaled.row_mut(row).iter_mut().for_each(|entry| *entry /= length);
        }
        let inverse = product(&vectors.transposed(), &scaled, self.run)?;
        let entries = asked.values_mut().iter_mut().zip(inverse.values());
        entries.for_each(|(entry, own)| *entry = 2.0 * (*entry - own));
        Ok((value, product(&map, &asked, self.run)?.into_values()))
    }

    fn is_enough(&self, point: &[f64], value: f64) -> bool {
        self.relative_gap(point, value).is_ok_and(|gap| gap <= self.tol)
    }
}

/// The squared length of a difference under a map.
pub(super) fn squared_length(map: &DenseMatrix, difference: &[f64]) -> f64 {
    let inner = |row: &[f64]| row.iter().zip(difference).map(|(a, b)| a * b).sum::<f64>();
    map.iter().map(|row| inner(row).powi(2)).sum()
}

/// Checks the slopes of the objective at a map against finite differences.
#[cfg(test)]
pub(super) fn assert_slopes(loss: &impl DistanceLoss, size: usize, point: &[f64]) {
    let run = Run::new(Some(1)).unwrap();
    let last = Cell::new((f64::NAN, f64::INFINITY));
    let problem = Divergence { loss, size, tol: 1e-9, last, run: &run };
    let (_, slopes) = problem.evaluate(point).unwrap();
    for (place, slope) in slopes.iter().enumerate() {
        let at = |step: f64| {
            let mut moved = point.to_vec();
            moved[place] += step;
            problem.evaluate(&moved).unwrap().0
        };
        let expected = (at(1e-5) - at(-1e-5)) / 2e-5;
        assert!((slope - expected).abs() < 1e-5 * (1.0 + slope.abs()), "{slope} {expected}");
    }
}
