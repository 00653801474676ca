//! How a fit is cut into stages and parts.

use std::sync::OnceLock;

use basrelief_kernels::Moments;
use serde_json::{Map, Value, json};

use super::cut::Cut;
use super::panels;
use super::parted_method::{PartedMethod, cannot};
use super::print;
use super::stage::{Stage, StagePlan};
use super::wire::{BASRELIEF, VERSION, other_version};
use crate::checksum::{Checksum, sealed, unsealed};
use crate::data::ColumnKind;
use crate::differences::{Space, widest_range};
use crate::error::{Error, Result};
use crate::margins::has_more_than_bits;
use crate::margins::scatter::SCATTER_COLUMNS;
use crate::methods::{
    Iteration, MapSteps, MethodInfo, Origin, Problem, Reweighting, Settings, Steps,
};
use crate::neighbors::{ROWS_OF_BLOCK_UNIT, RadiusFrom, SearchJob, rows_of_block};
use crate::report::Report;
use crate::run::Run;
use crate::wording;

/// What a plan calls itself.
const FORMAT: &str = "basrelief-plan";

/// The largest number of parts of a stage; every part is a file.
pub(super) const MOST_PARTS: usize = 1_000_000;

/// Columns that a part of the sums has at least, but the last.
const COLUMNS_TOGETHER: usize = 64;

/// A fit in stages and parts: what is computed of which data, and what of the whole table a part must know.
///
/// Plans are bytes between machines ([`to_bytes`](Self::to_bytes), [`from_bytes`](Self::from_bytes)).
#[derive(Debug, Clone)]
pub struct Plan {
    method: PartedMethod,
    settings: Settings,
    seed: u64,
    rows: usize,
    /// Rows of a block.
    block_rows: usize,
    /// What the columns and the target are known by.
    columns: Vec<u64>,
    target: u64,
    /// What the groups are known by inside of which the target is permuted, where there are some.
    pub(super) strata: Option<u64>,
    /// The mean distance of all pairs, where it is known from the columns.
    pub(super) mean: Option<Moments>,
    /// Whether pairs are taken once for both directions, and what else than bits is added up.
    pub(super) undirected: bool,
    pub(super) more_than_bits: bool,
    /// The draft that it was made of, and the cells of its columns: column by column of cells, block by
    /// block. None where parts read the table.
    pub(super) draft: u64,
    pub(super) cells: Vec<u64>,
    /// The weights under which rows are compared, where a method goes round.
    weights: Option<Vec<f64>>,
    /// Where the columns were before they were centered and scaled, and the largest range of the scaled ones,
    /// where a method learns a map.
    origin: Option<Origin>,
    pub(super) range: f64,
    /// Columns that stay together in a part of the sums, or of the scatter.
    columns_together: usize,
    /// What is odd about the columns, where parts do not read the table: code and text.
    pub(super) oddities: Vec<[String; 2]>,
    stages: Vec<StagePlan>,
    /// By what results know it, once that was asked for.
    number: OnceLock<u64>,
}

impl Plan {
    /// Plans a fit in at most `parts` parts of every stage; the run's seed draws the sampled rows. Rows lie
    /// in blocks of `block_rows`, or as many as the data suggest.
    ///
    /// # Errors
    /// A method that cannot be computed in parts; what the method says of the problem; no parts or no rows
    /// in a block; rows of a block where the method has blocks of its own; [`Error::Cancelled`].
    pub fn new(
        method: impl Into<PartedMethod>,
        settings: &Settings,
        problem: &Problem<'_>,
        parts: usize,
        block_rows: Option<usize>,
        run: &Run,
    ) -> Result<Self> {
        check_parts(parts)?;
        let (method, table) = (method.into(), problem.table());
        let known = |origin: Option<Origin>| -> Result<Known> {
            Ok(Known {
                columns: print::of_columns(table, run)?,
                cells: Vec::new(),
                draft: 0,
                target: print::of_target(problem.target()),
                together: if origin.is_some() { SCATTER_COLUMNS } else { COLUMNS_TOGETHER },
                oddities: Vec::new(),
                origin,
            })
        };
        if let Some(map) = method.map_steps(problem, settings)? {
            let scaled = map.scaled(table)?;
            let in_unit = scaled.table()?;
            let steps = map.search(&in_unit)?;
            let space = steps.space_of(&in_unit, run)?;
            let kinds = in_unit.columns().iter().map(|column| column.kind());
            let block_rows = checked_block_rows(block_rows, table.rows(), kinds)?;
            map.check_spread(space.constant_features().count() == space.width())?;
            let (known, of) = (known(Some(scaled.origin.clone()))?, (&steps, &space));
            return Self::assembled(method, settings, of, known, block_rows, [parts, parts], run);
        }
        let info = method.weighing()?;
        if let Some(reweighting) = info.reweighting(problem, settings)? {
            refuse_block_rows(info.name, block_rows)?;
            let space = reweighting.space_of(table, run)?;
            let of = (&reweighting, &space);
            return Ok(Self::of_iteration(info, settings, of, known(None)?, parts, run));
        }
        // Whoever merges is told what the method says of the problem.
        let steps = steps(info, settings, problem, &mut Report::default(), run)?;
        let space = steps.space_of(table, run)?;
        let kinds = table.columns().iter().map(|column| column.kind());
        let block_rows = checked_block_rows(block_rows, table.rows(), kinds)?;
        let columns = if steps.columns_apart && !table.is_in_one_unit() { parts } else { 1 };
        let parts = [parts, columns];
        Self::assembled(method, settings, (&steps, &space), known(None)?, block_rows, parts, run)
    }

    /// Plans the first iteration of a method that goes round, from what is known of all columns.
    pub(super) fn of_iteration(
        info: &'static MethodInfo,
        settings: &Settings,
        (reweighting, space): (&Reweighting<'_>, &Space<'_>),
        known: Known,
        parts: usize,
        run: &Run,
    ) -> Self {
        let (rows, width) = (space.rows() as u64, space.width() as u64);
        let block_rows = reweighting.block_rows;
        let mut plan = Self::blank(info.into(), settings, known, space.rows(), block_rows, run);
        plan.weights = Some(Iteration::start(space).weights().to_vec());
        let cut = Cut::new(reweighting.blocks(), 1, parts);
        let of_sums = 8 * (4 * width + 2);
        // Scaled columns, eight rows' distances of every thread, and the sums of every eight rows.
        let memory_bytes = 8 * rows * width
            + 64 * rows * run.threads() as u64
            + of_sums * (cut.most() * block_rows).div_ceil(8) as u64;
        let result_bytes = of_sums * cut.items() as u64;
        plan.stages.push(StagePlan { stage: Stage::Margins, cut, result_bytes, memory_bytes });
        plan
    }

    /// Without stages yet.
    fn blank(
        method: PartedMethod,
        settings: &Settings,
        known: Known,
        rows: usize,
        block_rows: usize,
        run: &Run,
    ) -> Self {
        Self {
            method,
            settings: settings.clone(),
            seed: run.seed(),
            rows,
            block_rows,
            columns: known.columns,
            target: known.target,
            mean: None,
            undirected: false,
            more_than_bits: false,
            draft: known.draft,
            cells: known.cells,
            weights: None,
            origin: known.origin,
            range: 0.0,
            strata: None,
            columns_together: known.together,
            oddities: known.oddities,
            stages: Vec::new(),
            number: OnceLock::new(),
        }
    }

    /// Plans a fit from what is known of all columns; parts of the rows' stages, and of the columns'.
    pub(super) fn assembled(
        method: PartedMethod,
        settings: &Settings,
        (steps, space): (&Steps<'_>, &Space<'_>),
        known: Known,
        block_rows: usize,
        [parts, of_columns]: [usize; 2],
        run: &Run,
    ) -> Result<Self> {
        let search = parted(steps, block_rows);
        let radius = search.radius_from(space, known.draft == 0, run)?;
        let undirected = search.is_undirected(space, run);
        let mut plan = Self::blank(method, settings, known, space.rows(), block_rows, run);
        plan.mean = match radius {
            RadiusFrom::Known(mean) => Some(mean),
            RadiusFrom::Nothing | RadiusFrom::AllPairs | RadiusFrom::OwnPairs => None,
        };
        plan.undirected = undirected;
        plan.more_than_bits = has_more_than_bits(space, run);
        if plan.origin.is_some() {
            plan.range = widest_range(space.features());
        }
        let of_pair = search.memory(space, run);
        let mut add = |stage, items, parts, result_bytes, memory_bytes| {
            let cut = Cut::new(items, plan.together(stage), parts);
            plan.stages.push(StagePlan { stage, cut, result_bytes, memory_bytes });
        };
        let (pairs, blocks) = (search.pairs().len(), search.blocks() as u64);
        match radius {
            RadiusFrom::Nothing | RadiusFrom::Known(_) => {}
            RadiusFrom::AllPairs => {
                let bytes = 24 * search.small_pairs_of_all() as u64;
                add(Stage::Measure, search.all_pairs().len(), parts, bytes, of_pair);
            }
            RadiusFrom::OwnPairs => {
                let bytes = 24 * search.places_sought() as u64 * blocks;
                add(Stage::Radii, pairs, parts, bytes, of_pair);
            }
        }
        add(Stage::Search, pairs, parts, search.bytes_of_pairs(), of_pair);
        let found = search.bytes(search.places_sought());
        let of_block = search.bytes_of_pairs() / search.queries().max(1) as u64;
        add(Stage::Lists, search.queries(), parts, found, of_block);
        let (width, together) = (space.width(), plan.columns_together);
        if plan.makes_map() {
            // Of a part the columns twice, scaled and in blocks, its tiles, and pairs and weights in both
            // directions.
            let cut = Cut::new(panels::items(width, together), 1, parts);
            let columns = width.min(2 * together * cut.most()) as u64;
            let tiles = (together * together * cut.most()) as u64;
            let memory = 17 * found + 16 * space.rows() as u64 * columns + 8 * tiles;
            let (stage, result_bytes) = (Stage::Scatter, 4 * (width * (width + together)) as u64);
            plan.stages.push(StagePlan { stage, cut, result_bytes, memory_bytes: memory });
        } else {
            let memory = search.memory_of_sums(space, run);
            let cut = Cut::new(width, plan.together(Stage::Sums), of_columns);
            let (stage, result_bytes) = (Stage::Sums, 8 * width as u64);
            plan.stages.push(StagePlan { stage, cut, result_bytes, memory_bytes: memory });
        }
        Ok(plan)
    }

    /// The method.
    pub fn method(&self) -> PartedMethod {
        self.method
    }

    /// Whether its parts make a map, and no weights.
    pub fn makes_map(&self) -> bool {
        self.origin.is_some()
    }

    /// Where the columns of a map were before they were centered and scaled.
    pub(super) fn origin(&self) -> Option<&Origin> {
        self.origin.as_ref()
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

    /// Adds a last stage.
    pub(super) fn add_stage(&mut self, stage: StagePlan) {
        self.stages.push(stage);
        self.number = OnceLock::new();
    }

    /// The last stage.
    pub fn last(&self) -> Stage {
        self.stages.last().map_or(Stage::Sums, |own| own.stage)
    }

    /// The stage whose results make the weights: the last, unless these are tested.
    pub fn weighing(&self) -> Stage {
        match self.last() {
            Stage::Permute => Stage::Sums,
            last => last,
        }
    }

    /// The weights under which rows are compared, where the method goes round.
    pub(super) fn weights_before(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    /// The same of another iteration.
    pub(super) fn with_weights(&self, weights: &[f64]) -> Self {
        Self { weights: Some(weights.to_vec()), number: OnceLock::new(), ..self.clone() }
    }

    /// Number of columns.
    pub(super) fn width(&self) -> usize {
        self.columns.len()
    }

    /// Number of rows.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// All columns.
    pub(super) fn all_columns(&self) -> Vec<usize> {
        (0..self.width()).collect()
    }

    /// Columns that stay together.
    pub(super) fn columns_together(&self) -> usize {
        self.columns_together
    }

    /// Rows of a block.
    pub fn block_rows(&self) -> usize {
        self.block_rows
    }

    /// Items of a stage that stay together in a part.
    pub(super) fn together(&self, stage: Stage) -> usize {
        match stage {
            Stage::Sums => self.columns_together,
            _ => 1,
        }
    }

    /// By what results know their plan.
    pub(super) fn number(&self) -> u64 {
        *self.number.get_or_init(|| {
            // What it may take depends on the machine that plans.
            let same = |own: &StagePlan| StagePlan { result_bytes: 0, memory_bytes: 0, ..*own };
            let stages = self.stages.iter().map(same).collect();
            Checksum::from_bytes(Self { stages, ..self.clone() }.to_json().to_string().as_bytes())
                .number()
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
        columns: &[usize],
        report: &mut Report,
        run: &Run,
    ) -> Result<Steps<'p>> {
        self.demand_data(problem, columns, run)?;
        steps(self.method.weighing()?, &self.settings, problem, report, run)
    }

    /// The steps of a map; `None` of a plan of weights. The problem's target is looked at alone.
    ///
    /// # Errors
    /// What the method says of the target.
    pub(super) fn map_steps<'p>(&self, problem: &Problem<'p>) -> Result<Option<MapSteps<'p>>> {
        self.method.map_steps(problem, &self.settings)
    }

    /// What iterations need of the problem, which must be the one that was planned for.
    ///
    /// # Errors
    /// The data are others; [`Error::Cancelled`].
    pub(super) fn reweighting<'p>(
        &self,
        problem: &Problem<'p>,
        run: &Run,
    ) -> Result<Reweighting<'p>> {
        self.demand_data(problem, &self.all_columns(), run)?;
        reweighting(self.method.weighing()?, &self.settings, problem)
    }

    /// Refuses a problem that is not the one that was planned for.
    pub(super) fn demand_data(
        &self,
        problem: &Problem<'_>,
        columns: &[usize],
        run: &Run,
    ) -> Result<()> {
        let (table, help) = (problem.table(), "give the data as they were, or make a new plan");
        let changed = |what: String| {
            Error::data(format!("{what} since the plan was made: the data have changed"), help)
        };
        if table.rows() != self.rows {
            return Err(changed(format!("{} rows have become {}", self.rows, table.rows())));
        }
        let planned = match table.width() {
            width if width == self.columns.len() => self.columns.clone(),
            width if width == columns.len() => columns.iter().map(|&at| self.columns[at]).collect(),
            width => {
                let before = self.columns.len();
                return Err(changed(format!("{before} columns have become {width}")));
            }
        };
        let prints = print::of_columns(table, run)?;
        if let Some(place) = prints.iter().zip(&planned).position(|(own, planned)| own != planned) {
            let name = wording::quoted(table.columns()[place].name());
            return Err(changed(format!("column {name} is not what it was")));
        }
        if print::of_target(problem.target()) != self.target {
            return Err(changed("the target is not what it was".to_string()));
        }
        Ok(())
    }

    /// The plan as bytes: JSON with a [checksum](sealed).
    pub fn to_bytes(&self) -> Vec<u8> {
        sealed(&self.to_json().to_string(), FORMAT).into_bytes()
    }

    /// The plan as JSON without a checksum, to be part of a file that has one.
    pub fn to_json(&self) -> Value {
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
        let all_digits = |numbers: &[f64]| -> String {
            numbers.iter().map(|number| digits(number.to_bits())).collect()
        };
        let weights = self.weights.as_deref().map(all_digits);
        let origin = self.origin.as_ref().map(|Origin { mean, units }| {
            json!({
                "mean": all_digits(mean),
                "units": all_digits(units),
                "range": digits(self.range.to_bits()),
            })
        });
        json!({
            "format": FORMAT,
            "version": VERSION,
            "basrelief": BASRELIEF,
            "method": self.method.name(),
            "options": options,
            "seed": self.seed,
            "rows": self.rows,
            "block_rows": self.block_rows,
            "columns_together": self.columns_together,
            "draft": digits(self.draft),
            "cells": self.cells.iter().map(|print| digits(*print)).collect::<String>(),
            "oddities": self.oddities,
            "mean_of_pairs": mean,
            "undirected": self.undirected,
            "more_than_bits": self.more_than_bits,
            "weights": weights,
            "origin": origin,
            "stages": stages,
            "target": digits(self.target),
            "strata": self.strata.map(digits),
            "columns": columns.concat(),
        })
    }

    /// Reads a plan.
    ///
    /// # Errors
    /// The bytes are no plan, one of another version, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let value: Value = serde_json::from_slice(bytes).map_err(|_| no_plan("it is no JSON"))?;
        Self::check_version(&value)?;
        let text = std::str::from_utf8(bytes).map_err(|_| no_plan("it is no JSON"))?;
        Self::from_json(&unsealed(text, FORMAT).map_err(no_plan)?)
    }

    /// Reads a plan whose bytes were compared with their checksum.
    ///
    /// # Errors
    /// The value is no plan, one of another version, or its entries do not fit together.
    pub fn from_json(value: &Value) -> Result<Self> {
        Self::check_version(value)?;
        Self::of_json(value).ok_or_else(|| no_plan("its entries do not fit together"))
    }

    /// Refuses a value that is no plan, and a plan of another version.
    ///
    /// # Errors
    /// As said.
    pub fn check_version(value: &Value) -> Result<()> {
        if value["format"] != FORMAT {
            return Err(no_plan("it does not call itself one"));
        }
        // First, because whatever follows may have changed.
        let (format, basrelief) = (value["version"].as_u64(), value["basrelief"].as_str());
        match (format, basrelief) {
            (Some(format), Some(BASRELIEF)) if format == u64::from(VERSION) => Ok(()),
            (Some(format), Some(basrelief)) => Err(other_version("the plan", format, basrelief)),
            _ => Err(no_plan("it has no version")),
        }
    }

    fn of_json(value: &Value) -> Option<Self> {
        let method = PartedMethod::named(value["method"].as_str()?).ok()?;
        let given: Option<Vec<(&str, &str)>> = value["options"]
            .as_object()?
            .iter()
            .map(|(name, text)| Some((name.as_str(), text.as_str()?)))
            .collect();
        let count = |value: &Value| usize::try_from(value.as_u64()?).ok();
        let columns = numbers(value["columns"].as_str()?)?;
        let mut plan = Self {
            method,
            settings: method.settings(&given?).ok()?,
            seed: value["seed"].as_u64()?,
            rows: count(&value["rows"])?,
            block_rows: count(&value["block_rows"]).filter(|rows| *rows > 0)?,
            columns,
            target: *numbers(value["target"].as_str()?)?.first()?,
            strata: match &value["strata"] {
                Value::Null => None,
                text => Some(*numbers(text.as_str()?)?.first()?),
            },
            mean: None,
            undirected: value["undirected"].as_bool()?,
            more_than_bits: value["more_than_bits"].as_bool()?,
            draft: *numbers(value["draft"].as_str()?)?.first()?,
            cells: numbers(value["cells"].as_str()?)?,
            weights: None,
            origin: None,
            range: 0.0,
            columns_together: count(&value["columns_together"]).filter(|count| *count > 0)?,
            oddities: serde_json::from_value(value["oddities"].clone()).ok()?,
            stages: Vec::new(),
            number: OnceLock::new(),
        };
        for entry in value["stages"].as_array()? {
            let stage = Stage::from_name(entry["stage"].as_str()?)?;
            let (items, parts) = (count(&entry["items"])?, count(&entry["parts"])?);
            let cut = Cut::new(items, plan.together(stage), parts);
            if cut.parts() != parts || plan.stages.last().is_some_and(|last| last.stage >= stage) {
                return None;
            }
            plan.stages.push(StagePlan {
                stage,
                cut,
                result_bytes: entry["result_bytes"].as_u64()?,
                memory_bytes: entry["memory_bytes"].as_u64()?,
            });
        }
        let named: Vec<Stage> = plan.stages.iter().map(|own| own.stage).collect();
        if let PartedMethod::Map(_) = plan.method {
            return plan.with_origin(&value["origin"], &named);
        }
        if let Some(text) = value["weights"].as_str() {
            let weights: Vec<f64> = numbers(text)?.into_iter().map(f64::from_bits).collect();
            let fits = named == [Stage::Margins] && weights.len() == plan.columns.len();
            plan.weights = Some(weights).filter(|_| fits);
            return plan.weights.is_some().then_some(plan);
        }
        let fitted = named.strip_suffix(&[Stage::Permute]).unwrap_or(&named);
        if !fitted.ends_with(&[Stage::Search, Stage::Lists, Stage::Sums]) {
            return None;
        }
        if plan.cut(Stage::Sums)?.items() != plan.columns.len() {
            return None;
        }
        plan.mean = match &value["mean_of_pairs"] {
            Value::Null => None,
            text => match numbers(text.as_str()?)?[..] {
                [count, mean, squares] => {
                    let [count, mean, squares] = [count, mean, squares].map(f64::from_bits);
                    Some(Moments { count, mean, squares })
                }
                _ => return None,
            },
        };
        Some(plan)
    }
}

impl Plan {
    /// A plan of a map that was read, with its origin, if all fits together.
    fn with_origin(mut self, origin: &Value, stages: &[Stage]) -> Option<Self> {
        let read = |name: &str| -> Option<Vec<f64>> {
            Some(numbers(origin[name].as_str()?)?.into_iter().map(f64::from_bits).collect())
        };
        let (mean, units) = (read("mean")?, read("units")?);
        let [range] = read("range")?[..] else { return None };
        let width = self.columns.len();
        let together = self.columns_together;
        let fits = stages == [Stage::Search, Stage::Lists, Stage::Scatter]
            && together.is_multiple_of(SCATTER_COLUMNS)
            && self.cut(Stage::Scatter)?.items() == panels::items(width, together)
            && [mean.len(), units.len()] == [width; 2];
        (self.origin, self.range) = (Some(Origin { mean, units }), range);
        fits.then_some(self)
    }
}

/// What is known of the data of a plan.
pub(super) struct Known {
    pub(super) columns: Vec<u64>,
    pub(super) cells: Vec<u64>,
    pub(super) draft: u64,
    pub(super) target: u64,
    /// Columns that stay together.
    pub(super) together: usize,
    /// Code and text of what is odd about the columns.
    pub(super) oddities: Vec<[String; 2]>,
    /// Where the columns of a map were before they were centered and scaled.
    pub(super) origin: Option<Origin>,
}

/// Rows of a block, as asked for or as the data suggest, in whole blocks of the search.
///
/// # Errors
/// None are asked for.
pub(super) fn checked_block_rows(
    asked: Option<usize>,
    rows: usize,
    kinds: impl Iterator<Item = ColumnKind>,
) -> Result<usize> {
    match asked {
        Some(0) => {
            let help = "give a number above 0; it is rounded up to a multiple of 256";
            Err(Error::option("block_rows", "found 0", help))
        }
        Some(asked) => Ok(asked.min(rows).next_multiple_of(ROWS_OF_BLOCK_UNIT)),
        None => Ok(rows_of_block(rows, kinds.map(ColumnKind::bits).sum::<u64>() / 8)),
    }
}

/// Refuses numbers of parts that no plan can have.
///
/// # Errors
/// No part, or more than [`MOST_PARTS`].
pub(super) fn check_parts(parts: usize) -> Result<()> {
    if (1..=MOST_PARTS).contains(&parts) {
        return Ok(());
    }
    let help = format!("give a whole number from 1 to {MOST_PARTS}");
    Err(Error::option("parts", format!("found {parts}"), help))
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
pub(super) fn steps<'p>(
    info: &'static MethodInfo,
    settings: &Settings,
    problem: &Problem<'p>,
    report: &mut Report,
    run: &Run,
) -> Result<Steps<'p>> {
    info.steps(problem, settings, report, run)?.ok_or_else(|| cannot(info.name))
}

/// What the iterations of a method that goes round need.
pub(super) fn reweighting<'p>(
    info: &'static MethodInfo,
    settings: &Settings,
    problem: &Problem<'p>,
) -> Result<Reweighting<'p>> {
    let found = info.reweighting(problem, settings)?;
    found.ok_or_else(|| Error::Internal(format!("{} does not go round", info.name)))
}

/// Refuses rows of a block where the method has blocks of its own.
pub(super) fn refuse_block_rows(name: &str, asked: Option<usize>) -> Result<()> {
    asked.map_or(Ok(()), |asked| {
        let name = wording::method(name);
        let problem = format!("found {asked}, and blocks of {name} follow from the data alone");
        Err(Error::option("block_rows", problem, "leave it out"))
    })
}

/// The search that steps ask for.
pub(super) fn parted<'p>(steps: &Steps<'p>, block_rows: usize) -> SearchJob<'p> {
    SearchJob::new(steps.table.rows(), &steps.sampled, steps.grouping, steps.rule, block_rows)
}
