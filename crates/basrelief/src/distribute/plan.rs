//! How a fit is cut into stages and parts.

use std::sync::OnceLock;

use basrelief_kernels::{LANES, Moments};
use serde_json::{Map, Value, json};

use super::cut::Cut;
use super::print::{self, Print};
use super::stage::{Stage, StagePlan};
use super::wire::{BASRELIEF, VERSION, other_version};
use crate::error::{Error, Result};
use crate::margins::has_more_than_bits;
use crate::methods::{METHODS, MethodInfo, Problem, Settings, Steps, method};
use crate::neighbors::{PairMean, PartedSearch};
use crate::report::Report;
use crate::run::Run;
use crate::wording;

/// What a plan calls itself.
const FORMAT: &str = "basrelief-plan";

/// Columns that a part of the sums has at least, but the last.
const COLUMNS_TOGETHER: usize = 64;

/// A fit in stages and parts: what is computed of which data, and what of the whole table a part must know.
///
/// Plans are bytes between machines ([`to_bytes`](Self::to_bytes), [`from_bytes`](Self::from_bytes)).
#[derive(Debug, Clone)]
pub struct Plan {
    info: &'static MethodInfo,
    settings: Settings,
    seed: u64,
    rows: usize,
    /// What the columns and the target are known by.
    columns: Vec<u64>,
    target: u64,
    /// The mean distance of all pairs, where it is known from the columns.
    pub(super) mean: Option<Moments>,
    /// Whether pairs are taken once for both directions, and what else than bits is added up.
    pub(super) undirected: bool,
    pub(super) more_than_bits: bool,
    stages: Vec<StagePlan>,
    /// By what results know it, once that was asked for.
    number: OnceLock<u64>,
}

impl Plan {
    /// Plans a fit in at most `parts` parts of every stage; the run's seed draws the sampled rows.
    ///
    /// # Errors
    /// A method that cannot be computed in parts; what the method says of the problem; no parts;
    /// [`Error::Cancelled`].
    pub fn new(
        info: &'static MethodInfo,
        settings: &Settings,
        problem: &Problem<'_>,
        parts: usize,
        run: &Run,
    ) -> Result<Self> {
        if parts == 0 || u32::try_from(parts).is_err() {
            let most = u32::MAX;
            let help = format!("give a whole number from 1 to {most}");
            return Err(Error::option("parts", format!("found {parts}"), help));
        }
        // Whoever merges is told what the method says of the problem.
        let steps = steps(info, settings, problem, &mut Report::default(), run)?;
        let table = problem.table();
        let space = steps.space_of(table, run)?;
        let search = parted(&steps);
        let mean = search.pair_mean(&space, run)?;
        let undirected = search.is_undirected(&space, run);
        let mut plan = Self {
            info,
            settings: settings.clone(),
            seed: run.seed(),
            rows: problem.rows(),
            columns: print::of_columns(table, run)?,
            target: print::of_target(problem.target()),
            mean: match mean {
                PairMean::Known(mean) => Some(mean),
                PairMean::NotNeeded | PairMean::ToMeasure => None,
            },
            undirected,
            more_than_bits: has_more_than_bits(&space, run),
            stages: Vec::new(),
            number: OnceLock::new(),
        };
        let mut add = |stage, cut, result_bytes, memory_bytes| {
            plan.stages.push(StagePlan { stage, cut, result_bytes, memory_bytes });
        };
        let of_rows = Cut::new(search.places(), together(Stage::Search), parts);
        let most = search.memory(&space, of_rows.most(), run);
        if mean == PairMean::ToMeasure {
            let cut = Cut::new(search.block_pairs(), together(Stage::Measure), parts);
            add(Stage::Measure, cut, 24 * cut.items() as u64, most);
        }
        add(Stage::Search, of_rows, search.bytes(search.places()), most);
        let columns = if steps.columns_apart && !table.is_in_one_unit() { parts } else { 1 };
        let of_columns = Cut::new(table.width(), together(Stage::Sums), columns);
        let memory = search.memory_of_sums(&space, run);
        add(Stage::Sums, of_columns, 8 * table.width() as u64, memory);
        Ok(plan)
    }

    /// The method.
    pub fn method(&self) -> &'static MethodInfo {
        self.info
    }

    /// Its options.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The seed of sampled rows.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The stages in their order.
    pub fn stages(&self) -> &[StagePlan] {
        &self.stages
    }

    /// How a stage is cut; `None` where the method has no such stage.
    pub fn cut(&self, stage: Stage) -> Option<Cut> {
        self.stages.iter().find(|own| own.stage == stage).map(|own| own.cut)
    }

    /// The stage whose results one needs.
    pub fn before(&self, stage: Stage) -> Option<Stage> {
        let place = self.stages.iter().position(|own| own.stage == stage)?;
        self.stages[..place].last().map(|own| own.stage)
    }

    /// Number of columns.
    pub(super) fn width(&self) -> usize {
        self.columns.len()
    }

    /// By what results know their plan.
    pub(super) fn number(&self) -> u64 {
        *self.number.get_or_init(|| {
            let mut print = Print::new();
            print.bytes(&self.to_bytes());
            print.number()
        })
    }

    /// The method's steps for the problem, which must be the one that was planned for; of its columns those of
    /// `columns` are enough. What the method says of the problem goes to the report.
    ///
    /// # Errors
    /// The data are others; [`Error::Cancelled`].
    pub(super) fn steps<'p>(
        &self,
        problem: &Problem<'p>,
        columns: std::ops::Range<usize>,
        report: &mut Report,
        run: &Run,
    ) -> Result<Steps<'p>> {
        let (table, help) = (problem.table(), "give the data as they were, or make a new plan");
        let changed = |what: String| {
            Error::data(format!("{what} since the plan was made: the data have changed"), help)
        };
        if table.rows() != self.rows {
            return Err(changed(format!("{} rows have become {}", self.rows, table.rows())));
        }
        let planned = match table.width() {
            width if width == self.columns.len() => &self.columns[..],
            width if width == columns.len() => &self.columns[columns],
            width => {
                let before = self.columns.len();
                return Err(changed(format!("{before} columns have become {width}")));
            }
        };
        let prints = print::of_columns(table, run)?;
        if let Some(place) = prints.iter().zip(planned).position(|(own, planned)| own != planned) {
            let name = wording::quoted(table.columns()[place].name());
            return Err(changed(format!("column {name} is not what it was")));
        }
        if print::of_target(problem.target()) != self.target {
            return Err(changed("the target is not what it was".to_string()));
        }
        steps(self.info, &self.settings, problem, report, run)
    }

    /// The plan as bytes: JSON.
    pub fn to_bytes(&self) -> Vec<u8> {
        let options: Map<String, Value> = self
            .settings
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_string().into()))
            .collect();
        let stages: Vec<Value> = self
            .stages
            .iter()
            .map(|own| {
                json!({
                    "stage": own.stage.name(),
                    "items": own.cut.items(),
                    "parts": own.cut.parts(),
                    "result_bytes": own.result_bytes,
                    "memory_bytes": own.memory_bytes,
                })
            })
            .collect();
        let mean = self.mean.map(|Moments { count, mean, squares }| {
            [count, mean, squares].map(|number| digits(number.to_bits())).concat()
        });
        let columns: Vec<String> = self.columns.iter().map(|print| digits(*print)).collect();
        json!({
            "format": FORMAT,
            "version": VERSION,
            "basrelief": BASRELIEF,
            "method": self.info.name,
            "options": options,
            "seed": self.seed,
            "rows": self.rows,
            "mean_of_pairs": mean,
            "undirected": self.undirected,
            "more_than_bits": self.more_than_bits,
            "stages": stages,
            "target": digits(self.target),
            "columns": columns.concat(),
        })
        .to_string()
        .into_bytes()
    }

    /// Reads a plan.
    ///
    /// # Errors
    /// The bytes are no plan, one of another version, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let value: Value = serde_json::from_slice(bytes).map_err(|_| no_plan("it is no JSON"))?;
        if value["format"] != FORMAT {
            return Err(no_plan("it does not call itself one"));
        }
        // First, because whatever follows may have changed.
        let (format, basrelief) = (value["version"].as_u64(), value["basrelief"].as_str());
        match (format, basrelief) {
            (Some(format), Some(BASRELIEF)) if format == u64::from(VERSION) => {}
            (Some(format), Some(basrelief)) => {
                return Err(other_version("the plan", format, basrelief));
            }
            _ => return Err(no_plan("it has no version")),
        }
        Self::of_json(&value).ok_or_else(|| no_plan("it is damaged"))
    }

    fn of_json(value: &Value) -> Option<Self> {
        let info = method(value["method"].as_str()?).ok()?;
        let given: Option<Vec<(&str, &str)>> = value["options"]
            .as_object()?
            .iter()
            .map(|(name, text)| Some((name.as_str(), text.as_str()?)))
            .collect();
        let count = |value: &Value| usize::try_from(value.as_u64()?).ok();
        let mut stages: Vec<StagePlan> = Vec::new();
        for entry in value["stages"].as_array()? {
            let stage = Stage::ALL.into_iter().find(|stage| entry["stage"] == stage.name())?;
            let (items, parts) = (count(&entry["items"])?, count(&entry["parts"])?);
            let cut = Cut::new(items, together(stage), parts);
            if cut.parts() != parts || stages.last().is_some_and(|last| last.stage >= stage) {
                return None;
            }
            stages.push(StagePlan {
                stage,
                cut,
                result_bytes: entry["result_bytes"].as_u64()?,
                memory_bytes: entry["memory_bytes"].as_u64()?,
            });
        }
        let named: Vec<Stage> = stages.iter().map(|own| own.stage).collect();
        if !named.ends_with(&[Stage::Search, Stage::Sums]) {
            return None;
        }
        let columns = numbers(value["columns"].as_str()?)?;
        if stages.last()?.cut.items() != columns.len() {
            return None;
        }
        let mean = match &value["mean_of_pairs"] {
            Value::Null => None,
            text => match numbers(text.as_str()?)?[..] {
                [count, mean, squares] => {
                    let [count, mean, squares] = [count, mean, squares].map(f64::from_bits);
                    Some(Moments { count, mean, squares })
                }
                _ => return None,
            },
        };
        Some(Self {
            info,
            settings: info.settings(&given?).ok()?,
            seed: value["seed"].as_u64()?,
            rows: count(&value["rows"])?,
            columns,
            target: *numbers(value["target"].as_str()?)?.first()?,
            mean,
            undirected: value["undirected"].as_bool()?,
            more_than_bits: value["more_than_bits"].as_bool()?,
            stages,
            number: OnceLock::new(),
        })
    }
}

/// Items of a stage that stay together in a part.
fn together(stage: Stage) -> usize {
    match stage {
        Stage::Measure => 1,
        Stage::Search => LANES,
        Stage::Sums => COLUMNS_TOGETHER,
    }
}

/// A number in sixteen hexadecimal digits.
fn digits(number: u64) -> String {
    format!("{number:016x}")
}

/// The numbers that a text of [`digits`] holds.
fn numbers(text: &str) -> Option<Vec<u64>> {
    let (parts, rest) = text.as_bytes().as_chunks::<16>();
    let number = |part: &[u8; 16]| u64::from_str_radix(std::str::from_utf8(part).ok()?, 16).ok();
    rest.is_empty().then(|| parts.iter().map(number).collect())?
}

fn no_plan(why: &str) -> Error {
    Error::data(format!("this is no plan of basrelief: {why}"), "make the plan again")
}

/// The steps of a method that has some.
fn steps<'p>(
    info: &'static MethodInfo,
    settings: &Settings,
    problem: &Problem<'p>,
    report: &mut Report,
    run: &Run,
) -> Result<Steps<'p>> {
    info.steps(problem, settings, report, run)?.ok_or_else(|| {
        let able = METHODS.iter().filter(|info| info.has_steps()).map(|info| info.name);
        Error::option(
            "method",
            format!("{} cannot be computed in parts yet", wording::method(info.name)),
            format!("these can: {}", able.collect::<Vec<_>>().join(", ")),
        )
    })
}

/// The search that steps ask for.
pub(super) fn parted<'p>(steps: &Steps<'p>) -> PartedSearch<'p> {
    PartedSearch::new(steps.table.rows(), &steps.sampled, steps.grouping, steps.rule)
}
