//! A fit that is a loop of plans: the state between two of them.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::draft::Draft;
use super::fit_spec::{FitSpec, PartedMethod, Procedure};
use super::messages::Weights;
use super::plan::{Plan, changed};
use super::stage::Stage;
use super::tasks::Results;
use super::wire::{Label, damaged, open, seal};
use crate::error::{Error, Result};
use crate::maps::FeatureRanking;
use crate::methods::wrappers::Wrapper;
use crate::methods::{
    AfterRound, FeatureElimination, Iteration, Problem, Settings, WarningCounter, nobody_near,
    report_rounds,
};
use crate::report::{Fitted, Report};
use crate::run::Run;
use crate::warning::Warning;
use crate::wording;

/// The label of the state before a round.
const ROUND: &str = "the state before a round";

/// A fit in rounds, each of which is a [`Plan`]: most have one, `turf` computes weights of the remaining
/// columns again, and iterative methods such as `irelief` have one for every iteration.
///
/// The state before a round travels as bytes, like plans. The weights are those of
/// [`fit_wrapped`](crate::methods::wrappers::fit_wrapped), to the bit.
#[derive(Debug, Clone)]
pub struct Rounds {
    fit: FitSpec,
    width: usize,
    state: State,
}

/// The outcome of a round.
#[derive(Debug, Clone)]
pub enum Turn<T> {
    /// Another round, which is to be planned.
    Next(Box<Rounds>),
    /// The result, as this was the last round.
    Last(T),
}

impl<T> Turn<T> {
    /// Replaces the result of the last round.
    fn map_last<U>(self, last: impl FnOnce(T) -> Result<U>) -> Result<Turn<U>> {
        Ok(match self {
            Self::Next(next) => Turn::Next(next),
            Self::Last(result) => Turn::Last(last(result)?),
        })
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
enum State {
    /// There is one round.
    Once,
    /// A wrapper drops columns between rounds.
    Dropping {
        elimination: FeatureElimination,
        /// The warnings of the rounds so far.
        warnings: WarningCounter,
        /// The warnings about all columns, where parts do not read the table.
        column_warnings: Vec<Warning>,
    },
    /// An iterative method: its iterations so far, `None` before the first, and their largest number.
    Iterating(Option<Iteration>, usize),
}

impl Rounds {
    /// The first round of a fit within wrappers to `width` columns; the run's seed is that of all rounds.
    ///
    /// # Errors
    /// Wrappers that cannot be computed in parts, or not around this method.
    pub fn new(
        method: impl Into<PartedMethod>,
        settings: &Settings,
        wrappers: &[Wrapper],
        width: usize,
        run: &Run,
    ) -> Result<Self> {
        let fit = FitSpec::new(method.into(), settings, run);
        let name = wording::method(fit.method.name());
        let most_iterations = match fit.method {
            PartedMethod::Weights(info) => info.most_iterations(settings)?,
            PartedMethod::Map(_) => None,
        };
        let state = match (wrappers, most_iterations) {
            ([], None) => State::Once,
            ([], Some(most)) => State::Iterating(None, most),
            _ if fit.makes_map() => {
                let problem = format!("{name} learns a map, and wrappers rank features");
                return Err(Error::option("wrap", problem, "leave it out"));
            }
            ([wrapper], None) => State::Dropping {
                elimination: wrapper.elimination(width)?,
                warnings: WarningCounter::default(),
                column_warnings: Vec::new(),
            },
            ([_], Some(_)) => {
                let problem =
                    format!("{name} iterates by itself: wrapped it cannot be computed in parts");
                return Err(Error::option("wrap", problem, "leave it out, or rank on one machine"));
            }
            _ => {
                let problem = "a wrapper around a wrapper cannot be computed in parts";
                return Err(Error::option("wrap", problem, "give one, or rank on one machine"));
            }
        };
        Ok(Self { fit, width, state })
    }

    /// The only round of a plan that is the complete fit.
    pub fn once(plan: &Plan) -> Self {
        Self { fit: plan.data.fit.clone(), width: plan.width(), state: State::Once }
    }

    /// Whether there is one round, whatever its result.
    pub fn is_once(&self) -> bool {
        matches!(self.state, State::Once)
    }

    /// The columns of this round, ascending.
    pub fn columns(&self) -> Vec<usize> {
        match &self.state {
            State::Once | State::Iterating(..) => (0..self.width).collect(),
            State::Dropping { elimination, .. } => elimination.left().to_vec(),
        }
    }

    /// Number of this round, from 1 on.
    pub fn number(&self) -> usize {
        match &self.state {
            State::Once => 1,
            State::Dropping { elimination, .. } => elimination.done() + 1,
            State::Iterating(own, _) => own.as_ref().map_or(0, Iteration::done) + 1,
        }
    }

    /// The largest number of rounds, including this one and those before it.
    pub fn at_most(&self) -> usize {
        match &self.state {
            State::Once => 1,
            State::Dropping { elimination, .. } => elimination.done() + elimination.sizes().len(),
            State::Iterating(_, most) => *most,
        }
    }

    /// Whether there may be fewer rounds than [at most](Self::at_most), because weights converge.
    pub fn may_end_before(&self) -> bool {
        matches!(self.state, State::Iterating(..))
    }

    /// Plans this round, as [`Plan::new`] does. `problem` has all columns of the fit.
    ///
    /// # Errors
    /// As of [`Plan::new`]; columns that differ from those before.
    pub fn plan(
        &self,
        problem: &Problem<'_>,
        parts: usize,
        block_rows: Option<usize>,
        run: &Run,
    ) -> Result<Plan> {
        let FitSpec { method, settings, .. } = &self.fit;
        let plan = self.with_columns(problem, |problem| {
            Plan::new(*method, settings, problem, parts, block_rows, &self.fit.run(run))
        })?;
        Ok(self.plan_again(&plan).unwrap_or(plan))
    }

    /// The plan of this round, from that of another, where only the weights differ under which rows are compared.
    pub fn plan_again(&self, plan: &Plan) -> Option<Plan> {
        let State::Iterating(Some(own), _) = &self.state else { return None };
        Some(plan.with_weights(own.weights()))
    }

    /// The result of a part of this round, as of [`Plan::work`]. `problem` has all columns of the fit.
    ///
    /// # Errors
    /// As of [`Plan::work`]; a plan of another fit.
    pub fn work(
        &self,
        plan: &Plan,
        (stage, part): (Stage, usize),
        problem: &Problem<'_>,
        earlier: Results<'_>,
        run: &Run,
    ) -> Result<Vec<u8>> {
        self.check(plan)?;
        self.with_columns(problem, |problem| plan.work(stage, part, problem, earlier, run))
    }

    /// The outcome of this round, from the results of all parts of the plan's last stage in their order.
    /// `problem` has all columns of the fit. The report of the last round has the warnings of a fit on one
    /// machine; its seconds are those of this call.
    ///
    /// # Errors
    /// The plan is of another fit or of a map; the data have changed; a result is missing, of another version or
    /// plan, or damaged; [`Error::Cancelled`].
    pub fn after(
        &self,
        plan: &Plan,
        problem: &Problem<'_>,
        results: Results<'_>,
        run: &Run,
    ) -> Result<Turn<Fitted<FeatureRanking>>> {
        let run = &self.fit.run(run);
        let start = Instant::now();
        let turn = self.with_columns(problem, |problem| {
            let columns = plan.all_columns();
            self.next(plan, results, |report| plan.procedure(problem, &columns, report, run))
        })?;
        turn.map_last(|(weights, of_rounds)| {
            let mut fitted = self.fit.weighting()?.timed(problem, run, |report| {
                *report = of_rounds;
                Ok(weights)
            })?;
            fitted.report.seconds = start.elapsed().as_secs_f64();
            Ok(fitted)
        })
    }

    /// The outcome of this round where parts are given only the rows and columns that they require: from the
    /// draft of this round's columns, its plan, and the results of its last stage in their order. The result
    /// has the weights of all columns and the warnings of a fit on one machine.
    ///
    /// # Errors
    /// As of [`after`](Self::after).
    pub fn after_draft(
        &self,
        draft: &Draft,
        plan: &Plan,
        results: Results<'_>,
        run: &Run,
    ) -> Result<Turn<(Vec<f64>, Vec<Warning>)>> {
        draft.demand(plan)?;
        let turn = self.next(plan, results, |report| draft.procedure(report, run))?;
        turn.map_last(|(weights, report)| {
            Ok((weights, [&report.warnings, self.column_warnings(plan)].concat()))
        })
    }

    /// The outcome of this round, with the report of the last one.
    fn next<'p>(
        &self,
        plan: &Plan,
        results: Results<'_>,
        procedure: impl FnOnce(&mut Report) -> Result<Procedure<'p>>,
    ) -> Result<Turn<(Vec<f64>, Report)>> {
        self.check(plan)?;
        self.fit.weighting()?;
        let mut report = Report::default();
        let procedure = procedure(&mut report)?;
        let next =
            |state| Turn::Next(Box::new(Self { fit: self.fit.clone(), width: self.width, state }));
        if let State::Iterating(own, most) = &self.state {
            let margins = plan.mean_margins(results)?;
            let reweighting = procedure.iterations()?;
            let first = || {
                let weights = plan.weights_before().unwrap_or_default();
                Iteration::new(weights.to_vec(), Vec::new(), 0.0, None)
            };
            let iteration = own.clone().unwrap_or_else(first).step(&margins);
            if reweighting.goes_on(&iteration) {
                return Ok(next(State::Iterating(Some(iteration), *most)));
            }
            let iteration = reweighting.ended(iteration);
            return Ok(Turn::Last((iteration.weights().to_vec(), reweighting.told(&iteration))));
        }
        let Weights { weights, without_neighbors } = plan.all_sums(results)?;
        report.warnings.extend(without_neighbors.then(nobody_near));
        let State::Dropping { elimination, warnings, .. } = &self.state else {
            return Ok(Turn::Last((weights.0, report)));
        };
        let mut warnings = warnings.clone();
        warnings.add(report);
        Ok(match elimination.clone().step(&weights.0) {
            AfterRound::Next(elimination) => {
                let column_warnings = self.column_warnings(plan).to_vec();
                next(State::Dropping { elimination, warnings, column_warnings })
            }
            AfterRound::Last(weights, rounds) => {
                let mut report = Report::default();
                report_rounds(rounds, warnings, &mut report);
                Turn::Last((weights, report))
            }
        })
    }

    /// The warnings about all columns that there were before the first round.
    fn column_warnings<'w>(&'w self, plan: &'w Plan) -> &'w [Warning] {
        match &self.state {
            State::Dropping { elimination, column_warnings, .. } if elimination.done() > 0 => {
                column_warnings
            }
            _ => &plan.data.facts.column_warnings,
        }
    }

    /// Calls `f` with the columns of this round alone.
    fn with_columns<T>(
        &self,
        problem: &Problem<'_>,
        f: impl FnOnce(&Problem<'_>) -> Result<T>,
    ) -> Result<T> {
        let found = problem.table().width();
        if found != self.width {
            let what = format!("{} columns have become {found}", self.width);
            return Err(changed(&what));
        }
        match &self.state {
            State::Dropping { elimination, .. } if elimination.left().len() < found => {
                let table = problem.table().select_columns(elimination.left());
                f(&problem.of_columns(&table)?)
            }
            _ => f(problem),
        }
    }

    /// Refuses the plan of another fit, or of another round.
    fn check(&self, plan: &Plan) -> Result<()> {
        let same_weights = match &self.state {
            State::Iterating(Some(own), _) => plan.weights_before().is_some_and(|weights| {
                weights.iter().map(|w| w.to_bits()).eq(own.weights().iter().map(|w| w.to_bits()))
            }),
            State::Iterating(None, _) => plan.weights_before().is_some(),
            State::Once | State::Dropping { .. } => plan.weights_before().is_none(),
        };
        if self.fit == plan.data.fit && self.columns().len() == plan.width() && same_weights {
            return Ok(());
        }
        Err(Error::data("the plan is of another fit", "give the plan that was made of this round"))
    }

    /// The state before this round as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let contents = (&self.fit, self.width, &self.state);
        seal(&contents, &Label::new(0, ROUND))
    }

    /// Reads the state before a round.
    ///
    /// # Errors
    /// The bytes are not a round, are of another version, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let (fit, width, state) = open(bytes, &Label::new(0, ROUND))?;
        let fits = match &state {
            State::Once => true,
            State::Dropping { elimination, .. } => elimination.is_consistent(width),
            State::Iterating(own, most) => {
                own.as_ref().is_none_or(|own| own.is_consistent(width) && own.done() < *most)
            }
        };
        if fits {
            Ok(Self { fit, width, state })
        } else {
            Err(damaged("its entries do not fit together"))
        }
    }
}
