//! Minimizes sums of hinge losses over very many nonnegative unknowns, with a proof of optimality, for few rows.
//!
//! The problem is `min c u + p sum_t [1 - a_t u]_+` over `u >= 0`. In a table with few rows and many columns, the
//! classes are nearly separable: few hinges are violated at the optimum, and few unknowns are above 0. Both are
//! generated. An interior point method solves a program of the hinges found violated so far, over the unknowns found
//! useful so far. One pass over all hinges finds those that the solution violates. The multipliers show which of the
//! other unknowns have negative reduced costs. They also give a lower bound of the optimum of the complete program
//! (weak duality).
//!
//! The gain of an unknown f is `sum_t v_t a_tf` at the multipliers `v`; its reduced cost is `c_f` minus its gain.

use std::collections::HashSet;

use super::hinges::{AIM, Hinges, Minimum};
use super::interior_point;
use super::linear_program::VIOLATED;
use super::nonnegative::dot;
use crate::error::{Error, Result};
use crate::parallel;
use crate::run::Run;
use crate::thresholds::GENERATED_ENTRIES;

/// Maximum number of violated hinges per row that the first pass adds to the program; every pass doubles it.
const FIRST_OF_ROW: usize = 4;

/// Maximum number of unknowns added at a time, unless there are more rows: then that many.
const UNKNOWNS: usize = 64;

/// An unknown is added if its gain exceeds its cost by more than this fraction.
const WORTH: f64 = 1e-12;

/// An unknown counts as 0 if its cost's fraction of the value, `c_f u_f / F`, is below this multiple of its reduced
/// cost's fraction of its cost. One of the two is 0 at the optimum (complementary slackness).
const NOTHING: f64 = 1e-3;

/// The rows i, j and l that identify a hinge.
pub(crate) type Name = (u32, u32, u32);

/// Hinges with a common price and the bound 1, which can be looked up by name.
pub(crate) trait NamedHinges: Hinges {
    /// The price of violating a hinge, per unit of its shortfall; above 0.
    fn price(&self) -> f64;

    /// Appends the violated hinges of a row to `found`, with their shortfalls.
    fn violated(&self, row: usize, prepared: &Self::Prepared, found: &mut Vec<(f64, Name)>);

    /// Writes the coefficients of a hinge for all unknowns to `out`.
    fn coefficients(&self, name: Name, out: &mut [f64]);
}

/// Minimizes with at most `max_sweeps` passes over the hinges. Stops without a proof if the program grows too large.
///
/// # Errors
/// [`Error::Cancelled`].
pub(crate) fn minimize(
    hinges: &impl NamedHinges,
    start: Vec<f64>,
    max_sweeps: usize,
    run: &Run,
) -> Result<Minimum> {
    let nothing = vec![0.0; start.len()];
    let found = Minimum { u: nothing, value: f64::INFINITY, bound: f64::NEG_INFINITY, sweeps: 0 };
    let mut search = Search {
        hinges,
        run,
        found,
        known: Vec::new(),
        names: HashSet::new(),
        unknowns: Vec::new(),
        of_row: FIRST_OF_ROW,
    };
    let mut u = start;
    let mut more_unknowns = true;
    loop {
        let more_hinges = search.sweep(&u)?;
        let too_many = search.known.len() * search.unknowns.len().max(UNKNOWNS) > GENERATED_ENTRIES;
        let done = !more_hinges && !more_unknowns;
        if done || too_many || search.is_proven() || search.found.sweeps >= max_sweeps {
            break;
        }
        if search.unknowns.is_empty() {
            let all = vec![hinges.price(); search.known.len()];
            let (brought, _) = search.brought(&all)?;
            // The first unknowns are only a start, because the multipliers are not known yet.
            search.add_unknowns(&brought, 0.0);
            if search.unknowns.is_empty() {
                break;
            }
        }
        let Some((next, multipliers)) = search.solve()? else { break };
        let (brought, total) = search.brought(&multipliers)?;
        search.prove(&brought, total);
        u = search.without_nothing(next, &brought);
        more_unknowns = search.add_unknowns(&brought, 1.0 + WORTH);
    }
    Ok(search.found)
}

struct Search<'h, H> {
    hinges: &'h H,
    run: &'h Run,
    found: Minimum,
    /// The hinges of the program.
    known: Vec<Name>,
    names: HashSet<Name>,
    /// The unknowns of the program, ascending.
    unknowns: Vec<usize>,
    of_row: usize,
}

impl<H: NamedHinges> Search<'_, H> {
    fn is_proven(&self) -> bool {
        self.found.relative_gap() <= AIM
    }

    /// Adds up all hinges at `u`, and adds the most violated hinges of every row to the program. Returns whether
    /// there was a new one.
    fn sweep(&mut self, u: &[f64]) -> Result<bool> {
        let (hinges, run, of_row, names) = (self.hinges, self.run, self.of_row, &self.names);
        self.found.sweeps += 1;
        run.progress().start("weights", hinges.rows() as u64);
        let prepared = hinges.prepare(u);
        let rows = parallel::try_map(0..hinges.rows(), |row| -> Result<(f64, Vec<Name>)> {
            run.check()?;
            let mut found = Vec::new();
            hinges.violated(row, &prepared, &mut found);
            let lacks: f64 = found.iter().map(|(lack, _)| lack).sum();
            // The violated hinges of all rows would need too much memory.
            found.retain(|(lack, name)| *lack > VIOLATED && !names.contains(name));
            found.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            run.progress().advance(1);
            Ok((lacks, found.into_iter().take(of_row).map(|(_, name)| name).collect()))
        })?;
        run.progress().finish();
        let lacks: f64 = rows.iter().map(|(lacks, _)| lacks).sum();
        let value = dot(hinges.costs(), u) + hinges.price() * lacks;
        if value < self.found.value {
            (self.found.value, self.found.u) = (value, u.to_vec());
        }
        let before = self.known.len();
        self.known.extend(rows.into_iter().flat_map(|(_, new)| new));
        self.names.extend(&self.known[before..]);
        self.of_row *= 2;
        Ok(self.known.len() > before)
    }

    /// Solves the program. Returns all unknowns at its optimum and the multipliers, or `None` if it cannot be solved.
    fn solve(&self) -> Result<Option<(Vec<f64>, Vec<f64>)>> {
        let costs = self.hinges.costs();
        let own: Vec<f64> = self.unknowns.iter().map(|&f| costs[f]).collect();
        let mut row = vec![0.0; costs.len()];
        let mut rows = Vec::with_capacity(self.known.len() * own.len());
        for &name in &self.known {
            self.run.check()?;
            self.hinges.coefficients(name, &mut row);
            rows.extend(self.unknowns.iter().map(|&f| row[f]));
        }
        let (bounds, price) = (vec![1.0; self.known.len()], self.hinges.price());
        let found = match interior_point::solve(&own, &rows, &bounds, Some(price), self.run) {
            Ok(found) => found,
            Err(Error::Cancelled) => return Err(Error::Cancelled),
            Err(_) => return Ok(None),
        };
        let mut u = vec![0.0; costs.len()];
        self.unknowns.iter().zip(found.unknowns).for_each(|(&f, value)| u[f] = value.max(0.0));
        let multipliers = found.multipliers.into_iter().map(|value| value.clamp(0.0, price));
        Ok(Some((u, multipliers.collect())))
    }

    /// Returns the gain of every unknown at the multipliers, and the sum of the multipliers.
    fn brought(&self, multipliers: &[f64]) -> Result<(Vec<f64>, f64)> {
        let mut sums = vec![0.0; self.hinges.costs().len()];
        let mut row = sums.clone();
        for (&name, &multiplier) in self.known.iter().zip(multipliers) {
            self.run.check()?;
            self.hinges.coefficients(name, &mut row);
            sums.iter_mut().zip(&row).for_each(|(sum, a)| *sum += multiplier * a);
        }
        Ok((sums, multipliers.iter().sum()))
    }

    /// Raises the lower bound to the one that the multipliers prove, the better of two. Unchanged multipliers prove
    /// their sum minus, for every gain above its cost, the difference times the upper bound of the unknown.
    /// Multipliers scaled down until no gain exceeds its cost prove their sum.
    fn prove(&mut self, brought: &[f64], total: f64) {
        let costs = self.hinges.costs();
        let most = self.hinges.most(self.found.value, &self.found.u);
        let beyond = costs.iter().zip(brought).zip(most);
        let taken: f64 =
            beyond.map(|((cost, brought), most)| (brought - cost).max(0.0) * most).sum();
        let more = costs.iter().zip(brought).filter(|(cost, brought)| brought > cost);
        let share = more.map(|(cost, brought)| cost / brought).fold(1.0, f64::min);
        self.found.bound = self.found.bound.max(total - taken).max(share * total);
    }

    /// Adds the unknowns with the largest ratios of gain to cost, if above `least`. Returns whether there were any.
    fn add_unknowns(&mut self, brought: &[f64], least: f64) -> bool {
        let costs = self.hinges.costs();
        let gain = |f: usize| brought[f] / costs[f].max(f64::MIN_POSITIVE);
        let mut worth: Vec<(f64, usize)> = (0..costs.len())
            .filter(|f| self.unknowns.binary_search(f).is_err() && gain(*f) > least)
            .map(|f| (gain(f), f))
            .collect();
        worth.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        worth.truncate(self.hinges.rows().max(UNKNOWNS));
        self.unknowns.extend(worth.iter().map(|(_, f)| *f));
        self.unknowns.sort_unstable();
        !worth.is_empty()
    }

    /// Sets unknowns to 0 that the interior point method leaves slightly above 0.
    fn without_nothing(&self, mut u: Vec<f64>, brought: &[f64]) -> Vec<f64> {
        let costs = self.hinges.costs();
        let value = self.found.value;
        for f in 0..u.len() {
            let unused = costs[f] - brought[f];
            if u[f] * costs[f] * costs[f] < NOTHING * unused * value {
                u[f] = 0.0;
            }
        }
        u
    }
}
