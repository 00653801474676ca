//! Minimizes sums of very many hinge losses over few nonnegative unknowns, with a proof of optimality.
//!
//! `min F(u) = c u + sum_t C_t [b_t - a_t u]_+` over `u >= 0` is a linear program with one row per
//! hinge. If the classes overlap, most rows are violated at the optimum, so adding violated rows to a
//! program until none is missing would end with nearly all of them. This module stores no rows. It
//! smooths every hinge over a width around its breakpoint, minimizes the smooth `F` by Newton's
//! method, and shrinks the width until the proof is tight enough. The slope of a smoothed hinge is
//! between 0 and `C_t`. Therefore the slopes at any `u` are multipliers of the linear program, and
//! give a lower bound of its optimum by weak duality.

use std::ops::Range;
use std::sync::Arc;

use super::linear_program::Program;
use super::nonnegative::quadratic_step;
use crate::error::Result;
use crate::order::ascending;
use crate::parallel;
use crate::run::Run;

/// Relative gap up to which an optimum counts as proven.
pub(crate) const PROVEN: f64 = 1e-9;

/// Relative gap at which the search stops.
pub(super) const AIM: f64 = 1e-10;

/// Maximum number of unknowns that one step moves; more would make the Hessian too large.
const FREE: usize = 256;

/// Smallest width of the kinks.
const LEAST_WIDTH: f64 = 1e-13;

/// Maximum number of kinks at a corner of the program.
const KINKS: usize = 1000;

/// Rows whose hinges one task adds up.
const PART: usize = 16;

/// Parts that are added up before they are merged.
const BATCH: usize = 64;

/// Steps without improvement after which the search moves to the next width.
const TRIALS: usize = 25;

/// The hinges of a method, summed in passes over the rows.
pub(crate) trait Hinges: Sync {
    /// Values computed from `u` that all parts share.
    type Prepared: Sync;

    /// The linear costs c, all at least 0.
    fn costs(&self) -> &[f64];

    /// Number of rows. The hinges of different rows are summed independently.
    fn rows(&self) -> usize;

    /// Prepares a pass at `u`.
    fn prepare(&self, u: &[f64]) -> Self::Prepared;

    /// Adds the hinges of some rows to `sums`.
    fn add(&self, rows: Range<usize>, prepared: &Self::Prepared, sums: &mut HingeSums);

    /// Upper bounds of the unknowns at some optimum, given that `F(u)` is `value`.
    fn most(&self, value: f64, u: &[f64]) -> Vec<f64>;
}

/// The position of a hinge relative to its smoothed kink.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Side {
    /// Satisfied.
    Slack,
    /// Violated, so that its multiplier is its price.
    Violated,
    /// Within the width of its kink.
    Breakpoint(Breakpoint),
}

/// A hinge at its breakpoint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Breakpoint {
    multiplier: f64,
    bound: f64,
    price: f64,
}

/// Sums over hinges.
#[derive(Debug)]
pub(crate) struct HingeSums {
    width: f64,
    free: Arc<[usize]>,
    value: f64,
    smooth: f64,
    bounds: f64,
    slope: Vec<f64>,
    /// Lower triangle of the Hessian of the free unknowns.
    curvature: Vec<f64>,
    scratch: Vec<f64>,
    /// The kinks and their rows, if requested and not too many.
    rows: Option<Vec<(Breakpoint, Vec<f64>)>>,
}

impl HingeSums {
    fn new(unknowns: usize, width: f64, free: &Arc<[usize]>) -> Self {
        Self {
            width,
            free: Arc::clone(free),
            value: 0.0,
            smooth: 0.0,
            bounds: 0.0,
            slope: vec![0.0; unknowns],
            curvature: vec![0.0; free.len() * (free.len() + 1) / 2],
            scratch: Vec::new(),
            rows: None,
        }
    }

    /// Width of the kinks. A hinge whose shortfall is below minus this width is satisfied.
    pub(crate) fn width(&self) -> f64 {
        self.width
    }

    /// Adds a hinge with the shortfall `short`. A violated hinge still needs [`HingeSums::slope`], a
    /// hinge at its kink [`HingeSums::breakpoint`].
    pub(crate) fn hinge(&mut self, short: f64, bound: f64, price: f64) -> Side {
        let half = self.width / 2.0;
        self.value += price * short.max(0.0);
        if short <= -half {
            Side::Slack
        } else if short >= half {
            self.smooth += price * short;
            self.bounds += price * bound;
            Side::Violated
        } else {
            let share = (short + half) / self.width;
            self.smooth += price * (short + half) * share / 2.0;
            self.bounds += price * share * bound;
            Side::Breakpoint(Breakpoint { multiplier: price * share, bound, price })
        }
    }

    /// Adds a row times its multiplier to the slope.
    pub(crate) fn slope(&mut self, multiplier: f64, row: &[f64]) {
        self.slope.iter_mut().zip(row).for_each(|(slope, a)| *slope += multiplier * a);
    }

    /// Adds the row of a hinge at its breakpoint.
    pub(crate) fn breakpoint(&mut self, breakpoint: Breakpoint, row: &[f64]) {
        self.slope(breakpoint.multiplier, row);
        self.keep(|| [(breakpoint, row.to_vec())]);
        self.scratch.clear();
        self.scratch.extend(self.free.iter().map(|&f| row[f]));
        let mut triangle = self.curvature.as_mut_slice();
        for (i, &a) in self.scratch.iter().enumerate() {
            let (own, rest) = triangle.split_at_mut(i + 1);
            if a != 0.0 {
                let factor = breakpoint.price / self.width * a;
                own.iter_mut().zip(&self.scratch).for_each(|(sum, b)| *sum += factor * b);
            }
            triangle = rest;
        }
    }

    fn keep<R: IntoIterator<Item = (Breakpoint, Vec<f64>)>>(&mut self, rows: impl FnOnce() -> R) {
        if let Some(kept) = &mut self.rows
            && kept.len() <= KINKS
        {
            kept.extend(rows());
        }
    }

    fn merge(&mut self, other: Self) {
        self.value += other.value;
        self.smooth += other.smooth;
        self.bounds += other.bounds;
        self.slope.iter_mut().zip(&other.slope).for_each(|(sum, value)| *sum += value);
        self.curvature.iter_mut().zip(&other.curvature).for_each(|(sum, value)| *sum += value);
        self.keep(|| other.rows.unwrap_or_default());
    }
}

/// The minimum found.
#[derive(Debug)]
pub(crate) struct Minimum {
    /// The unknowns.
    pub(crate) u: Vec<f64>,
    /// `F(u)`.
    pub(crate) value: f64,
    /// Proven lower bound of the optimum.
    pub(crate) bound: f64,
    /// Number of passes over all hinges.
    pub(crate) sweeps: usize,
}

impl Minimum {
    /// Combines this minimum with that of an earlier search: the better point, the better bound, and
    /// the passes of both.
    pub(crate) fn after(self, first: Self) -> Self {
        let (bound, sweeps) = (self.bound.max(first.bound), self.sweeps + first.sweeps);
        let best = if first.value < self.value { first } else { self };
        Self { bound, sweeps, ..best }
    }

    /// Proven distance to the optimum, relative to the value.
    pub(crate) fn relative_gap(&self) -> f64 {
        if self.value > 0.0 { ((self.value - self.bound) / self.value).max(0.0) } else { 0.0 }
    }
}

/// All sums at a point.
struct Point {
    u: Vec<f64>,
    value: f64,
    smooth: f64,
    gradient: Vec<f64>,
    free: Arc<[usize]>,
    curvature: Vec<f64>,
    /// The part of the gap that exists because `u` is not the minimum of the smooth function.
    unsolved: f64,
    /// The part of the gap that exists because the function is smoothed.
    rounding: f64,
}

/// Minimizes from `start`, with at most about `max_sweeps` passes over the hinges.
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub(crate) fn minimize(
    hinges: &impl Hinges,
    start: Vec<f64>,
    max_sweeps: usize,
    run: &Run,
) -> Result<Minimum> {
    let free: Arc<[usize]> = (0..start.len().min(FREE)).collect();
    let nothing = vec![0.0; start.len()];
    let found =
        Minimum { u: nothing.clone(), value: f64::INFINITY, bound: f64::NEG_INFINITY, sweeps: 0 };
    let proof = (f64::NEG_INFINITY, nothing.clone());
    let mut search = Search { hinges, run, found, width: 1.0, proof };
    search.sweep(nothing.clone(), &free, None)?;
    let value_of_nothing = std::mem::replace(&mut search.found.value, f64::INFINITY);
    search.proof.0 = f64::NEG_INFINITY;
    let mut point = search.sweep(start, &free, None)?;
    let mut damping = 1e-6;
    loop {
        let mut trials = 0;
        while point.unsolved > 0.1 * point.rounding && trials < TRIALS {
            if search.proven() || search.found.sweeps >= max_sweeps {
                break;
            }
            let wanted = most_urgent(&point);
            if wanted != point.free {
                point = search.sweep(point.u, &wanted, None)?;
            }
            let Some((trial, promised)) = newton(&point, damping) else { break };
            let largest = |u: &[f64]| u.iter().copied().fold(0.0, f64::max);
            if largest(&trial) > 10.0 * (largest(&point.u) + 1.0) {
                damping *= 10.0;
                continue;
            }
            let trial = search.sweep(trial, &point.free, None)?;
            let gained = point.smooth - trial.smooth;
            trials = if gained > 0.0 { 0 } else { trials + 1 };
            damping = if gained > 0.5 * promised {
                (damping / 10.0).max(1e-10)
            } else if gained > 0.1 * promised {
                damping
            } else {
                damping * 10.0
            };
            if gained > 0.0 {
                point = trial;
            }
        }
        if search.found.sweeps < max_sweeps {
            search.try_corner(&point)?;
        }
        if search.proven() || search.found.sweeps >= max_sweeps || search.width < LEAST_WIDTH {
            break;
        }
        search.width *= 0.1;
        point = search.sweep(point.u, &point.free, None)?;
    }
    let mut found = search.found;
    if found.value >= value_of_nothing * (1.0 - AIM) {
        (found.u, found.value) = (nothing, value_of_nothing);
    }
    Ok(found)
}

struct Search<'h, H> {
    hinges: &'h H,
    run: &'h Run,
    found: Minimum,
    width: f64,
    /// For the best multipliers found: the sum of multiplier times bound, and the reduced costs.
    proof: (f64, Vec<f64>),
}

impl<H: Hinges> Search<'_, H> {
    fn proven(&self) -> bool {
        self.found.relative_gap() <= AIM
    }

    /// Adds up all hinges at `u`, and keeps the lower bound that they prove. `corner` receives the
    /// hinges at their kinks, and the reduced costs and the bounds of the other hinges.
    fn sweep(
        &mut self,
        u: Vec<f64>,
        free: &Arc<[usize]>,
        corner: Option<&mut Corner>,
    ) -> Result<Point> {
        let (hinges, run, width, found) = (self.hinges, self.run, self.width, &mut self.found);
        found.sweeps += 1;
        let costs = hinges.costs();
        let starts: Vec<usize> = (0..hinges.rows()).step_by(PART).collect();
        run.progress().start("weights", starts.len() as u64);
        let new_sums = || {
            let mut sums = HingeSums::new(costs.len(), width, free);
            sums.rows = corner.is_some().then(Vec::new);
            sums
        };
        let prepared = hinges.prepare(&u);
        let mut sums = new_sums();
        // A Hessian is large, so that few are kept at a time.
        for batch in starts.chunks(BATCH) {
            let added = parallel::try_map(batch, |&start| {
                run.check()?;
                let mut sums = new_sums();
                let rows = start..(start + PART).min(hinges.rows());
                hinges.add(rows, &prepared, &mut sums);
                run.progress().advance(1);
                Ok(sums)
            })?;
            added.into_iter().for_each(|part| sums.merge(part));
        }
        run.progress().finish();

        let linear: f64 = costs.iter().zip(&u).map(|(c, u)| c * u).sum();
        let value = linear + sums.value;
        if value < found.value {
            found.value = value;
            found.u.copy_from_slice(&u);
        }
        let gradient: Vec<f64> =
            costs.iter().zip(&sums.slope).map(|(c, slope)| c - slope).collect();
        let bound = self.prove(sums.bounds, &gradient);
        let unsolved =
            gradient.iter().zip(&u).map(|(g, u)| g * u).sum::<f64>() + sums.bounds - bound;
        if let Some(corner) = corner {
            *corner = Corner {
                rows: sums.rows.unwrap_or_default(),
                costs: gradient.clone(),
                bounds: sums.bounds,
            };
            for (breakpoint, row) in &corner.rows {
                corner.bounds -= breakpoint.multiplier * breakpoint.bound;
                corner.costs.iter_mut().zip(row).for_each(|(c, a)| *c += breakpoint.multiplier * a);
            }
        }
        Ok(Point {
            value,
            smooth: linear + sums.smooth,
            gradient,
            free: Arc::clone(free),
            curvature: sums.curvature,
            unsolved,
            rounding: (value - bound - unsolved).max(0.0),
            u,
        })
    }

    /// Returns the lower bound that multipliers prove. `bounds` is the sum of multiplier times bound.
    /// `costs` contains the reduced costs; those below 0 lower the bound. Keeps the best multipliers.
    fn prove(&mut self, bounds: f64, costs: &[f64]) -> f64 {
        let most = self.hinges.most(self.found.value, &self.found.u);
        let bound = |bounds: f64, costs: &[f64]| {
            bounds + costs.iter().zip(&most).map(|(cost, most)| cost.min(0.0) * most).sum::<f64>()
        };
        let new = bound(bounds, costs);
        // The upper bounds of the unknowns change with the best value, so the old bound is recomputed.
        let old = if self.proof.0.is_finite() {
            bound(self.proof.0, &self.proof.1)
        } else {
            f64::NEG_INFINITY
        };
        if new > old {
            self.proof = (bounds, costs.to_vec());
        }
        self.found.bound = new.max(old);
        new
    }

    /// Treats the hinges at their kinks as the rows that are tight at the optimum. Multipliers of these
    /// rows do not depend on the width and prove a tighter bound. The corner where the rows intersect
    /// may also be a better point.
    fn try_corner(&mut self, point: &Point) -> Result<()> {
        let mut corner = Corner::default();
        let mut u = self.sweep(point.u.clone(), &point.free, Some(&mut corner))?.u;
        if corner.rows.is_empty() || corner.rows.len() > KINKS.min(4 * u.len() + 40) {
            return Ok(());
        }
        let mut program = Program::new(corner.costs.clone());
        for (k, (breakpoint, row)) in corner.rows.iter().enumerate() {
            program.push((k as u32, 0), row, breakpoint.bound);
        }
        let mut bound = corner.bounds;
        let mut left = corner.costs;
        for (k, multiplier) in program.multipliers(&mut u, self.width) {
            let (breakpoint, row) = &corner.rows[k];
            let multiplier = multiplier.min(breakpoint.price);
            bound += multiplier * breakpoint.bound;
            left.iter_mut().zip(row).for_each(|(cost, a)| *cost -= multiplier * a);
        }
        let corner = self.sweep(u, &point.free, None)?;
        // If both are equally good up to rounding, the corner is the exact optimum.
        if corner.value <= self.found.value * (1.0 + 1e-12) {
            (self.found.u, self.found.value) = (corner.u, corner.value);
        }
        self.prove(bound, &left);
        Ok(())
    }
}

/// The program of the hinges at their kinks.
#[derive(Default)]
struct Corner {
    rows: Vec<(Breakpoint, Vec<f64>)>,
    costs: Vec<f64>,
    bounds: f64,
}

/// Selects the unknowns to move: those above 0, then those with the most negative gradients.
fn most_urgent(point: &Point) -> Arc<[usize]> {
    if point.u.len() <= FREE {
        return Arc::clone(&point.free);
    }
    let both = point.u.iter().zip(&point.gradient);
    let urgency = both.map(|(u, gradient)| if *u > 0.0 { f64::NEG_INFINITY } else { *gradient });
    let mut order = ascending(&urgency.collect::<Vec<f64>>());
    order.truncate(FREE);
    order.sort_unstable();
    order.into()
}

/// Minimizes the damped second-order model over nonnegative unknowns. Returns the minimum and the
/// decrease of the model, or `None` if the model does not decrease.
fn newton(point: &Point, damping: f64) -> Option<(Vec<f64>, f64)> {
    let free = &point.free;
    let at = |i: usize, j: usize| point.curvature[i * (i + 1) / 2 + j];
    let size = free.len() as f64;
    let mean = (0..free.len()).map(|i| at(i, i)).sum::<f64>() / size.max(1.0);
    let steepest = free.iter().fold(0.0_f64, |most, &f| most.max(point.gradient[f].abs()));
    let largest = free.iter().fold(0.0_f64, |most, &f| most.max(point.u[f]));
    // If no hinge is at its kink, only this bounds the step.
    let least = (1e-3 * mean).max(steepest / (largest + 1.0));
    let matrix = |i: usize, j: usize| {
        let own = at(i.max(j), i.min(j));
        if i == j { own + damping * (own + least) } else { own }
    };
    let u: Vec<f64> = free.iter().map(|&f| point.u[f]).collect();
    let gradient: Vec<f64> = free.iter().map(|&f| point.gradient[f]).collect();
    let step = quadratic_step(matrix, &gradient, &u);
    let mut promised = 0.0;
    for i in 0..step.len() {
        let curved: f64 = (0..step.len()).map(|j| matrix(i, j) * step[j]).sum();
        promised -= step[i] * (gradient[i] + curved / 2.0);
    }
    let mut moved = point.u.clone();
    for (&f, step) in free.iter().zip(&step) {
        moved[f] = (moved[f] + step).max(0.0);
    }
    (promised > 0.0 && moved != point.u).then_some((moved, promised))
}
