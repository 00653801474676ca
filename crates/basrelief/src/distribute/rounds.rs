//! A fit that is a loop of plans: what is known between two of them.

use std::time::Instant;

use serde_json::{Value, json};

use super::draft::Draft;
use super::parted_method::PartedMethod;
use super::plan::Plan;
use super::stage::Stage;
use super::tasks::{Results, oddities};
use super::wire::{Content, Label, Reader, Weights, Writer, damaged};
use crate::error::{Error, Result};
use crate::maps::FeatureWeights;
use crate::methods::wrappers::Wrapper;
use crate::methods::{
    AfterRound, FeatureElimination, Iteration, Problem, ROUNDS, Reweighting, Settings, WRAPPERS,
    WarningCounter, nobody_near,
};
use crate::report::{Elimination, Fitted, Report};
use crate::run::Run;
use crate::warning::Warning;
use crate::wording;

/// A fit in rounds, each of which is a [`Plan`]: most have one, `turf` weighs again what it keeps, and methods
/// that go round, as `irelief`, have one for every iteration.
///
/// What is known before a round is bytes between machines, as plans are. The weights are those of
/// [`fit_wrapped`](crate::methods::wrappers::fit_wrapped), to the bit.
#[derive(Debug, Clone)]
pub struct Rounds {
    method: PartedMethod,
    settings: Settings,
    seed: u64,
    width: usize,
    state: State,
}

/// What a round leads to.
#[derive(Debug, Clone)]
pub enum Turn<T> {
    /// Another round, which is to be planned.
    Next(Box<Rounds>),
    /// The result, as this was the last round.
    Last(T),
}

#[derive(Debug, Clone)]
enum State {
    /// One round is all.
    Once,
    /// A wrapper drops columns between rounds.
    Dropping(Dropping),
    /// A method goes round: its iterations so far, none before the first one, and how many there are at most.
    Iterating(Option<Iteration>, usize),
}

#[derive(Debug, Clone)]
struct Dropping {
    wrapper: Wrapper,
    elimination: FeatureElimination,
    /// Rounds in which no row was near to another.
    alone: usize,
    /// What is odd about all columns, where parts do not read the table: code and text.
    oddities: Vec<[String; 2]>,
}

/// What the weights of a round lead to.
enum Step {
    Next(Dropping),
    /// Weights of all columns, and what is told of all rounds.
    Last(Vec<f64>, Box<Report>),
}

impl Rounds {
    /// The first round of a fit inside wrappers to so many columns; the run's seed is that of all rounds.
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
        let method = method.into();
        let most_iterations = match method {
            PartedMethod::Weights(info) => info.most_iterations(settings)?,
            PartedMethod::Map(info) if !wrappers.is_empty() => {
                let name = wording::method(info.name);
                let problem = format!("{name} learns a map, and wrappers weigh features");
                return Err(Error::option("wrap", problem, "leave it out"));
            }
            PartedMethod::Map(_) => None,
        };
        let state = match (wrappers, most_iterations) {
            ([], None) => State::Once,
            ([], Some(most)) => State::Iterating(None, most),
            ([wrapper], None) => State::Dropping(Dropping::new(wrapper, width)?),
            ([_], Some(_)) => {
                let method = wording::method(method.name());
                return Err(Error::option(
                    "wrap",
                    format!(
                        "{method} goes round by itself: wrapped it cannot be computed in parts"
                    ),
                    "leave it out, or rank on one machine",
                ));
            }
            _ => {
                return Err(Error::option(
                    "wrap",
                    "a wrapper around a wrapper cannot be computed in parts",
                    "give one, or rank on one machine",
                ));
            }
        };
        Ok(Self { method, settings: settings.clone(), seed: run.seed(), width, state })
    }

    /// The one round of a plan that is all of its fit.
    pub fn once(plan: &Plan) -> Self {
        let (method, settings) = (plan.method(), plan.settings().clone());
        Self { method, settings, seed: plan.seed(), width: plan.width(), state: State::Once }
    }

    /// Whether there is one round, whatever comes out.
    pub fn is_once(&self) -> bool {
        matches!(self.state, State::Once)
    }

    /// The columns that this round weighs, ascending.
    pub fn columns(&self) -> Vec<usize> {
        match &self.state {
            State::Once | State::Iterating(..) => (0..self.width).collect(),
            State::Dropping(own) => own.elimination.left().to_vec(),
        }
    }

    /// Number of this round, from 1 on.
    pub fn number(&self) -> usize {
        match &self.state {
            State::Once => 1,
            State::Dropping(own) => own.done() + 1,
            State::Iterating(own, _) => own.as_ref().map_or(0, Iteration::done) + 1,
        }
    }

    /// How many rounds there are at most, this one and those before it included.
    pub fn at_most(&self) -> usize {
        match &self.state {
            State::Once => 1,
            State::Dropping(own) => own.done() + own.elimination.sizes().len(),
            State::Iterating(_, most) => *most,
        }
    }

    /// Whether there may be fewer rounds than [at most](Self::at_most): whether weights stay before.
    pub fn may_end_before(&self) -> bool {
        matches!(self.state, State::Iterating(..))
    }

    /// Plans this round, as [`Plan::new`] does. `problem` has all columns of the fit.
    ///
    /// # Errors
    /// As of [`Plan::new`]; other columns than before.
    pub fn plan(
        &self,
        problem: &Problem<'_>,
        parts: usize,
        block_rows: Option<usize>,
        run: &Run,
    ) -> Result<Plan> {
        let run = &run.asking_for(&[]).with_seed(self.seed);
        let plan = self.of_round(problem, |problem| {
            Plan::new(self.method, &self.settings, problem, parts, block_rows, run)
        })?;
        Ok(self.plan_again(&plan).unwrap_or(plan))
    }

    /// The plan of this round, from that of another, where only the weights differ under which rows are compared.
    pub fn plan_again(&self, plan: &Plan) -> Option<Plan> {
        match &self.state {
            State::Iterating(Some(own), _) => Some(plan.with_weights(own.weights())),
            State::Iterating(None, _) | State::Once | State::Dropping(_) => None,
        }
    }

    /// The result of a part of this round, as [`Plan::work`] gives it. `problem` has all columns of the fit.
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
        self.of_round(problem, |problem| plan.work(stage, part, problem, earlier, run))
    }

    /// What comes after this round, from the results of all parts of the plan's last stage in their order.
    /// `problem` has all columns of the fit. The report of the last round has the warnings of a fit on one
    /// machine; its seconds are those of this call.
    ///
    /// # Errors
    /// As of [`Plan::merge`]; a plan of another fit.
    pub fn after(
        &self,
        plan: &Plan,
        problem: &Problem<'_>,
        results: Results<'_>,
        run: &Run,
    ) -> Result<Turn<Fitted<FeatureWeights>>> {
        self.check(plan)?;
        let run = &run.asking_for(&[]).with_seed(self.seed);
        let start = Instant::now();
        let dropping = match &self.state {
            State::Once => return plan.merge(problem, results, run).map(Turn::Last),
            State::Iterating(own, most) => {
                let margins = plan.mean_margins(results)?;
                let reweighting = self.of_round(problem, |_| plan.reweighting(problem, run))?;
                return match self.iterated((own.as_ref(), *most), plan, &margins, &reweighting) {
                    Turn::Next(next) => Ok(Turn::Next(next)),
                    Turn::Last(told) => self.fitted(problem, told, start, run).map(Turn::Last),
                };
            }
            State::Dropping(dropping) => dropping,
        };
        let mut told = Report::default();
        let weighed = self.of_round(problem, |problem| {
            plan.steps(problem, &plan.all_columns(), &mut told, run)?;
            plan.weighed(results)
        })?;
        Ok(match dropping.after(&weighed, &told.warnings) {
            Step::Next(next) => Turn::Next(self.with(State::Dropping(next))),
            Step::Last(weights, of_rounds) => {
                Turn::Last(self.fitted(problem, (weights, *of_rounds), start, run)?)
            }
        })
    }

    /// Weights of all columns and what is told of them, as of a fit that began then.
    fn fitted(
        &self,
        problem: &Problem<'_>,
        (weights, told): (Vec<f64>, Report),
        start: Instant,
        run: &Run,
    ) -> Result<Fitted<FeatureWeights>> {
        let mut fitted = self.method.weighing()?.timed(problem, run, |report| {
            *report = told;
            Ok(weights)
        })?;
        fitted.report.seconds = start.elapsed().as_secs_f64();
        Ok(fitted)
    }

    /// What follows from the mean margins under the weights of a plan.
    fn iterated(
        &self,
        (before, most): (Option<&Iteration>, usize),
        plan: &Plan,
        margins: &[f64],
        reweighting: &Reweighting<'_>,
    ) -> Turn<(Vec<f64>, Report)> {
        let first = || {
            let weights = plan.weights_before().unwrap_or_default();
            Iteration::new(weights.to_vec(), Vec::new(), 0.0, None)
        };
        let iteration = before.cloned().unwrap_or_else(first).step(margins);
        if reweighting.goes_on(&iteration) {
            return Turn::Next(self.with(State::Iterating(Some(iteration), most)));
        }
        let iteration = reweighting.ended(iteration);
        Turn::Last((iteration.weights().to_vec(), reweighting.told(&iteration)))
    }

    /// The same where parts are given only the rows and columns that they need: from the draft of this round's
    /// columns, its plan, and the results of its last stage in their order. At last the weights of all columns
    /// and the warnings of a fit on one machine.
    ///
    /// # Errors
    /// As of [`Draft::merge`]; a plan of another fit.
    pub fn after_draft(
        &self,
        draft: &Draft,
        plan: &Plan,
        results: Results<'_>,
        run: &Run,
    ) -> Result<Turn<(Vec<f64>, Vec<Warning>)>> {
        self.check(plan)?;
        draft.demand(plan)?;
        let mut dropping = match &self.state {
            State::Once => return draft.merge(plan, results, run).map(Turn::Last),
            State::Iterating(own, most) => {
                let margins = plan.mean_margins(results)?;
                let turn = draft.with_reweighting(run, |reweighting| {
                    Ok(self.iterated((own.as_ref(), *most), plan, &margins, reweighting))
                })?;
                return match turn {
                    Turn::Next(next) => Ok(Turn::Next(next)),
                    Turn::Last((weights, report)) => {
                        let odd = oddities(&plan.oddities)?;
                        Ok(Turn::Last((weights, [report.warnings, odd].concat())))
                    }
                };
            }
            State::Dropping(dropping) => dropping.clone(),
        };
        if dropping.done() == 0 {
            // What is said of columns is said of all, as they were at first.
            dropping.oddities.clone_from(&plan.oddities);
        }
        let (weighed, warnings) = draft.weighed(plan, results, run)?;
        Ok(match dropping.after(&weighed, &warnings) {
            Step::Next(next) => Turn::Next(self.with(State::Dropping(next))),
            Step::Last(weights, report) => {
                let odd = oddities(&dropping.oddities)?;
                Turn::Last((weights, [report.warnings, odd].concat()))
            }
        })
    }

    fn with(&self, state: State) -> Box<Rounds> {
        Box::new(Self { state, settings: self.settings.clone(), ..*self })
    }

    /// Calls `of` with the columns of this round alone.
    fn of_round<T>(
        &self,
        problem: &Problem<'_>,
        of: impl FnOnce(&Problem<'_>) -> Result<T>,
    ) -> Result<T> {
        let found = problem.table().width();
        if found != self.width {
            return Err(Error::data(
                format!(
                    "{} columns have become {found} since the plan was made: the data have changed",
                    self.width
                ),
                "give the data as they were, or make a new plan",
            ));
        }
        match &self.state {
            State::Dropping(own) if own.elimination.left().len() < found => {
                let table = problem.table().select_columns(own.elimination.left());
                of(&problem.of_columns(&table)?)
            }
            State::Once | State::Dropping(_) | State::Iterating(..) => of(problem),
        }
    }

    /// Refuses the plan of another fit, or of another round.
    fn check(&self, plan: &Plan) -> Result<()> {
        let own = (self.method.name(), &self.settings, self.seed);
        let planned = (plan.method().name(), plan.settings(), plan.seed());
        let same_weights = match &self.state {
            State::Iterating(Some(own), _) => plan.weights_before().is_some_and(|weights| {
                weights.iter().map(|w| w.to_bits()).eq(own.weights().iter().map(|w| w.to_bits()))
            }),
            State::Iterating(None, _) => plan.weights_before().is_some(),
            State::Once | State::Dropping(_) => plan.weights_before().is_none(),
        };
        if own == planned && self.columns().len() == plan.width() && same_weights {
            return Ok(());
        }
        Err(Error::data("the plan is of another fit", "give the plan that was made of this round"))
    }

    /// The round as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let options: Vec<[String; 2]> = self
            .settings
            .iter()
            .map(|(name, value)| [name.to_string(), value.to_string()])
            .collect();
        let (dropping, iterating) = match &self.state {
            State::Once => (None, None),
            State::Dropping(own) => (Some(own.to_json()), None),
            State::Iterating(own, most) => (None, Some(iteration_json(own.as_ref(), *most))),
        };
        let text = json!({
            "method": self.method.name(),
            "options": options,
            "seed": self.seed,
            "width": self.width,
            "dropping": dropping,
            "iterating": iterating,
        });
        let mut writer = Writer::default();
        writer.bytes(text.to_string().as_bytes());
        writer.sealed(Label { plan: 0, content: Content::Round, part: 0 })
    }

    /// Reads a round.
    ///
    /// # Errors
    /// The bytes are none, one of another version, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut reader = Reader::open(bytes, Label { plan: 0, content: Content::Round, part: 0 })?;
        let text: Value =
            serde_json::from_slice(reader.bytes()?).map_err(|_| damaged("it is no JSON"))?;
        reader.end()?;
        Self::of_json(&text).ok_or_else(|| damaged("a part of it does not fit the others"))
    }

    fn of_json(text: &Value) -> Option<Self> {
        let method = PartedMethod::named(text["method"].as_str()?).ok()?;
        let options: Vec<(String, String)> =
            serde_json::from_value(text["options"].clone()).ok()?;
        let width = usize::try_from(text["width"].as_u64()?).ok()?;
        let state = match (&text["dropping"], &text["iterating"]) {
            (Value::Null, Value::Null) => State::Once,
            (own, Value::Null) => State::Dropping(Dropping::of_json(own, width)?),
            (Value::Null, own) => {
                let (iteration, most) = iteration_of_json(own, width)?;
                State::Iterating(iteration, most)
            }
            _ => return None,
        };
        let settings = method.settings(&options).ok()?;
        Some(Self { method, settings, seed: text["seed"].as_u64()?, width, state })
    }
}

impl Dropping {
    fn new(wrapper: &Wrapper, width: usize) -> Result<Self> {
        let elimination = wrapper.rounds(width)?.ok_or_else(|| {
            let able = WRAPPERS.iter().filter(|info| info.has_rounds()).map(|info| info.name);
            Error::option(
                "wrap",
                format!("`{}` cannot be computed in parts", wrapper.info().name),
                format!("these can: {}", able.collect::<Vec<_>>().join(", ")),
            )
        })?;
        Ok(Self { wrapper: wrapper.clone(), elimination, alone: 0, oddities: Vec::new() })
    }

    /// Rounds that are done.
    fn done(&self) -> usize {
        self.elimination.course().features.len()
    }

    /// What follows from the weights of a round, of which the method warns so; of the last, the weights of all
    /// columns and what is told of all rounds.
    fn after(&self, weighed: &Weights, warnings: &[Warning]) -> Step {
        let alone = self.alone + usize::from(weighed.nobody_near);
        match self.elimination.clone().step(&weighed.weights) {
            AfterRound::Next(elimination) => {
                let (wrapper, oddities) = (self.wrapper.clone(), self.oddities.clone());
                Step::Next(Self { wrapper, elimination, alone, oddities })
            }
            AfterRound::Last(weights, course) => {
                Step::Last(weights, Box::new(of_rounds(course, warnings, alone)))
            }
        }
    }

    fn to_json(&self) -> Value {
        let Elimination { features, kept, ranks } = self.elimination.course();
        json!({
            "wrapper": self.wrapper.to_string(),
            "dropped": self.elimination.dropped(),
            "features": features,
            "kept": kept,
            "ranks": ranks,
            "alone": self.alone,
            "oddities": self.oddities,
        })
    }

    fn of_json(text: &Value, width: usize) -> Option<Self> {
        let wrapper = Wrapper::parse(text["wrapper"].as_str()?).ok()?;
        let read = |name: &str| serde_json::from_value(text[name].clone()).ok();
        let course = Elimination {
            features: read("features")?,
            kept: read("kept")?,
            ranks: serde_json::from_value(text["ranks"].clone()).ok()?,
        };
        let elimination = wrapper.rounds(width).ok()??.resumed(read("dropped")?, course)?;
        let alone = usize::try_from(text["alone"].as_u64()?).ok()?;
        let oddities = serde_json::from_value(text["oddities"].clone()).ok()?;
        Some(Self { wrapper, elimination, alone, oddities })
    }
}

fn iteration_json(own: Option<&Iteration>, most: usize) -> Value {
    let all = |numbers: &[f64]| numbers.iter().map(|number| number.to_bits()).collect::<Vec<u64>>();
    let iteration = own.map(|own| {
        let before = own.before().map(|(weights, objective)| {
            json!({ "weights": all(weights), "objective": objective.to_bits() })
        });
        json!({
            "weights": all(own.weights()),
            "changes": all(own.changes()),
            "objective": own.objective().to_bits(),
            "before": before,
        })
    });
    json!({ "most": most, "iteration": iteration })
}

fn iteration_of_json(text: &Value, width: usize) -> Option<(Option<Iteration>, usize)> {
    let most = usize::try_from(text["most"].as_u64()?).ok()?;
    let own = &text["iteration"];
    if own.is_null() {
        return Some((None, most));
    }
    let all = |numbers: &Value| -> Option<Vec<f64>> {
        let bits: Vec<u64> = serde_json::from_value(numbers.clone()).ok()?;
        Some(bits.into_iter().map(f64::from_bits).collect())
    };
    let one = |number: &Value| number.as_u64().map(f64::from_bits);
    let (weights, changes) = (all(&own["weights"])?, all(&own["changes"])?);
    let objective = one(&own["objective"])?;
    let before = (all(&own["before"]["weights"])?, one(&own["before"]["objective"])?);
    let fits = [&weights, &before.0].iter().all(|weights| weights.len() == width)
        && (1..most).contains(&changes.len());
    fits.then(|| (Some(Iteration::new(weights, changes, objective, Some(before))), most))
}

/// What is told of rounds: the method warns of the target and the rows, which are the same in all of them, and in
/// some of rows that are near to no other.
fn of_rounds(course: Elimination, warnings: &[Warning], alone: usize) -> Report {
    let mut counter = WarningCounter::default();
    for round in 0..course.features.len() {
        let near = (round < alone).then(nobody_near);
        counter.add(Report {
            warnings: warnings.iter().cloned().chain(near).collect(),
            ..Report::default()
        });
    }
    let mut report = Report::default();
    counter.tell(ROUNDS, &mut report);
    report.iterations = Some(course.features.len() - 1);
    report.elimination = Some(course);
    report
}
