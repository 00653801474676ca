//! Linear programs of few unknowns and very many rows, of which few are known at a time.
//!
//! The program is `min c u` over `u >= 0` with `a_k u >= b_k` for every known row k; all costs are at
//! least 0. Only this file depends on the solver, and no result relies on the solver alone:
//! [`Program::multipliers`] computes multipliers independently, from which methods compute a lower
//! bound of the optimum (weak duality).

use std::collections::HashSet;

use microlp::{ComparisonOp, OptimizationDirection, Problem, SolveOptions, Variable};

use super::interior_point;
use super::nonnegative::{least_squares, nonnegative_least_squares};
use crate::error::{Error, Result};
use crate::run::Run;
use crate::thresholds::SIMPLEX_UNKNOWNS;

/// A row counts as violated beyond this, relative to the size of its terms.
pub(crate) const VIOLATED: f64 = 1e-10;

/// A row counts as tight within this, relative to the size of its terms.
pub(crate) const TIGHT: f64 = 1e-8;

/// The known rows of a program.
#[derive(Debug)]
pub(crate) struct Program {
    costs: Vec<f64>,
    coefficients: Vec<f64>,
    bounds: Vec<f64>,
    keys: HashSet<(u32, u32)>,
    /// The working set of the last optimum.
    working: Vec<usize>,
    /// The multipliers of all rows, if the last optimum came with them.
    known: Option<Vec<f64>>,
}

impl Program {
    /// A program without rows.
    pub(crate) fn new(costs: Vec<f64>) -> Self {
        Self {
            costs,
            coefficients: Vec::new(),
            bounds: Vec::new(),
            keys: HashSet::new(),
            working: Vec::new(),
            known: None,
        }
    }

    /// Number of known rows.
    pub(crate) fn len(&self) -> usize {
        self.bounds.len()
    }

    /// Adds a row unless its key is known. Returns whether it was new.
    pub(crate) fn push(&mut self, key: (u32, u32), coefficients: &[f64], bound: f64) -> bool {
        let new = self.keys.insert(key);
        if new {
            self.coefficients.extend_from_slice(coefficients);
            self.bounds.push(bound);
        }
        new
    }

    pub(crate) fn coefficients(&self, row: usize) -> &[f64] {
        &self.coefficients[row * self.costs.len()..][..self.costs.len()]
    }

    pub(crate) fn bound(&self, row: usize) -> f64 {
        self.bounds[row]
    }

    /// The shortfall `b - a u`, and the size of its terms.
    fn shortfall(&self, row: usize, u: &[f64]) -> (f64, f64) {
        let (mut sum, mut size) = (0.0, 0.0);
        for (a, u) in self.coefficients(row).iter().zip(u) {
            sum += a * u;
            size += (a * u).abs();
        }
        (self.bounds[row] - sum, size.max(self.bounds[row].abs()).max(f64::MIN_POSITIVE))
    }

    /// An optimum over the known rows.
    ///
    /// An interior point method solves programs of many unknowns. For others, the solver receives only a working set
    /// of rows. Slack rows are dropped from it whenever the objective has increased, so that the solver's program has
    /// only a few times as many rows as unknowns.
    ///
    /// # Errors
    /// [`Error::Internal`] when the solver fails at every scaling; [`Error::Cancelled`].
    pub(crate) fn optimum(&mut self, start: &[f64], run: &Run) -> Result<Vec<f64>> {
        let width = self.costs.len();
        if width > SIMPLEX_UNKNOWNS {
            let (costs, rows, bounds) = (&self.costs, &self.coefficients, &self.bounds);
            let found = interior_point::solve(costs, rows, bounds, None, run)?;
            self.known = Some(found.multipliers);
            return Ok(found.unknowns);
        }
        let batch = width.max(20);
        let mut working = std::mem::take(&mut self.working);
        let mut inside = vec![false; self.len()];
        working.iter().for_each(|&k| inside[k] = true);
        let mut u = start.to_vec();
        let mut highest = f64::NEG_INFINITY;
        loop {
            run.check()?;
            let mut violated: Vec<(f64, usize)> = (0..self.len())
                .filter(|&k| !inside[k])
                .map(|k| {
                    let (short, size) = self.shortfall(k, &u);
                    (short / size, k)
                })
                .filter(|(short, _)| *short > VIOLATED)
                .collect();
            if violated.is_empty() {
                break;
            }
            violated.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            violated.truncate(batch);
            for &(_, k) in &violated {
                inside[k] = true;
                working.push(k);
            }
            u = self.solve(&working)?;
            let objective: f64 = self.costs.iter().zip(&u).map(|(c, u)| c * u).sum();
            if objective > highest + 1e-9 * highest.abs() {
                highest = objective;
                if working.len() > 2 * batch {
                    working.retain(|&k| {
                        let (short, size) = self.shortfall(k, &u);
                        inside[k] = short > -1e-3 * size;
                        inside[k]
                    });
                }
            }
        }
        self.working = working;
        Ok(u)
    }

    /// Solves the program of some rows, with up to three scalings.
    fn solve(&self, rows: &[usize]) -> Result<Vec<f64>> {
        let mut reason = String::new();
        for scaling in [Scaling::RowsAndColumns, Scaling::Rows, Scaling::Geometric] {
            match self.solve_scaled(rows, scaling) {
                Ok(u) if u.iter().all(|value| value.is_finite()) => return Ok(u),
                Ok(_) => reason = "values that are not finite".to_string(),
                Err(error) => reason = error.to_string(),
            }
        }
        Err(Error::Internal(format!(
            "the linear program of {} constraints and {} unknowns could not be solved ({reason})",
            rows.len(),
            self.costs.len()
        )))
    }

    /// The scale factors of the columns and of some rows.
    fn scales(&self, rows: &[usize], scaling: Scaling) -> (Vec<f64>, Vec<f64>) {
        let width = self.costs.len();
        let mut columns = vec![1.0_f64; width];
        let passes = match scaling {
            Scaling::Rows => 0,
            Scaling::RowsAndColumns => 1,
            Scaling::Geometric => 6,
        };
        let row_scale = |columns: &[f64], k: usize| {
            let largest = self
                .coefficients(k)
                .iter()
                .zip(columns)
                .fold(0.0_f64, |most, (a, scale)| most.max((a * scale).abs()));
            if largest > 0.0 { 1.0 / largest } else { 1.0 }
        };
        for _ in 0..passes {
            let mut largest = vec![0.0_f64; width];
            for &k in rows {
                let scale = row_scale(&columns, k);
                for (most, (a, column)) in
                    largest.iter_mut().zip(self.coefficients(k).iter().zip(&columns))
                {
                    *most = most.max((a * column * scale).abs());
                }
            }
            for (column, most) in columns.iter_mut().zip(largest) {
                if most > 0.0 {
                    *column /= most;
                }
            }
        }
        let scales = rows.iter().map(|&k| row_scale(&columns, k)).collect();
        (columns, scales)
    }

    fn solve_scaled(
        &self,
        rows: &[usize],
        scaling: Scaling,
    ) -> std::result::Result<Vec<f64>, microlp::Error> {
        let (columns, scales) = self.scales(rows, scaling);
        // The unit of u makes the largest bound 1.
        let unit =
            rows.iter().zip(&scales).fold(0.0_f64, |most, (&k, s)| most.max(self.bounds[k] * s));
        let unit = if unit > 0.0 { unit } else { 1.0 };

        let dearest = self.costs.iter().zip(&columns).fold(0.0_f64, |most, (c, s)| most.max(c * s));
        let dearest = if dearest > 0.0 { dearest } else { 1.0 };
        let mut problem = Problem::new(OptimizationDirection::Minimize);
        let unknowns: Vec<Variable> = self
            .costs
            .iter()
            .zip(&columns)
            .map(|(c, s)| problem.add_var(c * s / dearest, (0.0, f64::INFINITY)))
            .collect();
        let mut terms: Vec<(Variable, f64)> = Vec::with_capacity(self.costs.len());
        for (&k, &scale) in rows.iter().zip(&scales) {
            terms.clear();
            for (f, a) in self.coefficients(k).iter().enumerate() {
                let value = a * columns[f] * scale;
                if value != 0.0 {
                    terms.push((unknowns[f], value));
                }
            }
            problem.add_constraint(&terms[..], ComparisonOp::Ge, self.bounds[k] * scale / unit);
        }
        let mut options = SolveOptions::default();
        options.presolve = false;
        options.tolerances.feasibility = 1e-10;
        let outcome = problem.solve_with(options)?;
        let solution = outcome
            .into_solution()
            .map_err(|_| microlp::Error::InternalError("interrupted".to_string()))?;
        Ok(unknowns
            .iter()
            .zip(&columns)
            .map(|(&variable, s)| solution.var_value(variable).max(0.0) * s * unit)
            .collect())
    }

    /// Returns multipliers of the known rows that prove that `u` is optimal, if it is. They are found by
    /// nonnegative least squares on the rows that are tight at `u` (`within` relative to the size of
    /// their terms). Moves `u` to the intersection of those rows if they are equally tight or tighter there.
    pub(crate) fn multipliers(&self, u: &mut Vec<f64>, within: f64) -> Vec<(usize, f64)> {
        if let Some(known) = &self.known {
            let all = known.iter().copied().enumerate();
            return all.filter(|(_, value)| *value > 0.0).collect();
        }
        let width = self.costs.len();
        let largest = u.iter().copied().fold(0.0, f64::max);
        let tight: Vec<usize> = (0..self.len())
            .filter(|&k| {
                let (short, size) = self.shortfall(k, u);
                short.abs() <= within * size
            })
            .collect();
        let free: Vec<usize> = (0..width).filter(|&f| u[f] <= 1e-13 * largest).collect();
        // Solves for the multipliers of the tight rows and the reduced cost of every unknown at 0.
        let mut columns: Vec<Vec<f64>> =
            tight.iter().map(|&k| self.coefficients(k).to_vec()).collect();
        for &f in &free {
            let mut column = vec![0.0; width];
            column[f] = 1.0;
            columns.push(column);
        }
        let solution = nonnegative_least_squares(&columns, &self.costs);
        let multipliers: Vec<(usize, f64)> =
            tight.iter().copied().zip(solution).filter(|(_, value)| *value > 0.0).collect();
        let held: Vec<usize> = multipliers.iter().map(|(k, _)| *k).collect();
        let enough = held.len() >= width - free.len();
        self.polish(if enough { &held } else { &tight }, &free, u);
        multipliers
    }

    /// Moves `u` to the intersection of rows if that is one point and they are equally tight or tighter there.
    fn polish(&self, held: &[usize], free: &[usize], u: &mut Vec<f64>) {
        let support: Vec<usize> = (0..u.len()).filter(|f| !free.contains(f)).collect();
        if held.len() < support.len() {
            return;
        }
        let columns: Vec<Vec<f64>> = support
            .iter()
            .map(|&f| held.iter().map(|&k| self.coefficients(k)[f]).collect())
            .collect();
        let b: Vec<f64> = held.iter().map(|&k| self.bounds[k]).collect();
        let all: Vec<usize> = (0..columns.len()).collect();
        let Some(solution) = least_squares(&columns, &all, &b) else { return };
        let mut moved = vec![0.0; u.len()];
        support.iter().zip(solution).for_each(|(&f, value)| moved[f] = value);
        let worst = |u: &[f64]| {
            held.iter().fold(0.0_f64, |worst, &k| {
                let (short, size) = self.shortfall(k, u);
                worst.max(short.abs() / size)
            })
        };
        if moved.iter().all(|value| *value >= 0.0) && worst(&moved) <= worst(u).max(1e-14) {
            *u = moved;
        }
    }
}

/// How a program is scaled for the solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scaling {
    Rows,
    RowsAndColumns,
    Geometric,
}
