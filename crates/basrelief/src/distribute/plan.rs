//! The plan of a fit: its stages, and how each is cut into parts.

use std::sync::OnceLock;

use basrelief_kernels::Moments;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::cell::WrittenFeature;
use super::cut::Cut;
use super::fit_spec::{FitSpec, PartedMethod, Procedure};
use super::panels;
use super::stage::{Stage, StagePlan};
use super::wire::{BASRELIEF, VERSION, other_version};
use crate::checksum::{Checksum, sealed, unsealed};
use crate::differences::{Space, widest_range};
use crate::error::{Error, Result};
use crate::inference::Sided;
use crate::margins::has_more_than_bits;
use crate::margins::scatter::SCATTER_COLUMNS;
use crate::methods::{Iteration, Origin, Problem, Reweighting, Settings};
use crate::neighbors::{Measured, RadiusFrom, SearchJob};
use crate::packed::Packed;
use crate::report::Report;
use crate::run::Run;
use crate::warning::Warning;
use crate::wording;

/// The format that a plan's JSON names.
const FORMAT: &str = "basrelief-plan";

/// The largest number of parts of a stage; every part is a file.
pub(super) const MOST_PARTS: usize = 1_000_000;

/// Columns that a part of the sums has at least, except the last part.
const COLUMNS_TOGETHER: usize = 64;

/// A fit in stages and parts: the computation, the data it is for, and the facts of the complete table that
/// a part must know.
///
/// Plans travel as bytes ([`to_bytes`](Self::to_bytes), [`from_bytes`](Self::from_bytes)).
#[derive(Debug, Clone)]
pub struct Plan {
    pub(super) data: PlanData,
    /// Identifies the plan in its results; computed on demand.
    number: OnceLock<u64>,
}

/// The contents of a [`Plan`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct PlanData {
    pub(super) fit: FitSpec,
    pub(super) rows: usize,
    /// Rows of a block.
    pub(super) block_rows: usize,
    pub(super) facts: TableFacts,
    /// Which weights the test of the weights counts as evidence, if there is one.
    pub(super) sided: Sided,
    /// Count, mean and sum of squares of the distances of all pairs, where they follow from the columns.
    mean_of_pairs: Option<[f64; 3]>,
    /// Whether pairs are taken once for both directions, and whether more than bits is added up.
    pub(super) undirected: bool,
    pub(super) more_than_bits: bool,
    /// The weights under which an iterative method compares rows in this iteration.
    pub(super) weights: Option<Packed<f64>>,
    /// The largest range of the scaled columns, where a method learns a map.
    pub(super) range: f64,
    pub(super) stages: Vec<StagePlan>,
}

/// Properties of the complete table at the time a fit is planned.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct TableFacts {
    /// Fingerprints of the columns and of the target.
    pub(super) columns: Packed<u64>,
    pub(super) target: u64,
    /// Fingerprints of the [roles](crate::data::Roles::fingerprints) of the rows.
    pub(super) roles: [Option<u64>; 5],
    /// The number of the draft; `None` where parts read the table.
    pub(super) draft: Option<u64>,
    /// The checksums of the cells: block of columns by block of columns, in each by block of rows.
    pub(super) cells: Packed<u64>,
    /// Number of first blocks of rows that have cells.
    pub(super) blocks_with_cells: usize,
    /// The features, where blocks without cells are compared.
    pub(super) features: Vec<WrittenFeature>,
    /// Columns that stay together in a part of the sums or of the scatter.
    pub(super) columns_together: usize,
    /// The warnings about the columns, where parts do not read the table.
    pub(super) column_warnings: Vec<Warning>,
    /// The means and units of the columns before they were centered and scaled, where a method learns a map.
    pub(super) origin: Option<Origin>,
}

impl Plan {
    /// Plans a fit in at most `parts` parts of every stage; the run's seed draws the sampled rows. Rows lie
    /// in blocks of `block_rows`; without a number, the data determine the size.
    ///
    /// # Errors
    /// A method that cannot be computed in parts, or that refuses the problem; no parts or no rows in a
    /// block; `block_rows` for an iterative method, whose blocks follow from the data;
    /// [`Error::Cancelled`].
    pub fn new(
        method: impl Into<PartedMethod>,
        settings: &Settings,
        problem: &Problem<'_>,
        parts: usize,
        block_rows: Option<usize>,
        run: &Run,
    ) -> Result<Self> {
        check_parts(parts)?;
        let table = problem.table();
        let fit = FitSpec::new(method.into(), settings, run);
        let kinds = table.columns().iter().map(|column| column.kind());
        let asked = fit.block_rows(block_rows, table.rows(), kinds)?;
        // The merge reports the warnings of the method about the problem.
        let procedure = fit.procedure(problem, asked, &mut Report::default(), run)?;
        let block_rows = fit.row_blocks(&procedure, block_rows)?.size();
        let columns_together = match &procedure {
            Procedure::Search(search) if search.map.is_some() => SCATTER_COLUMNS,
            Procedure::Search(search) if !search.steps.columns_apart || table.is_in_one_unit() => {
                table.width()
            }
            _ => COLUMNS_TOGETHER,
        };
        let fingerprints = table.fingerprints(run)?;
        procedure.in_searched_space(table, run, |space, origin| {
            let facts = TableFacts {
                columns: Packed(fingerprints),
                target: problem.target().fingerprint(),
                roles: problem.roles().fingerprints().map(|(_, number)| number),
                columns_together,
                origin,
                ..TableFacts::default()
            };
            Self::from_facts(fit, facts, (&procedure, space), block_rows, parts, run)
        })
    }

    /// Plans a fit in at most `parts` parts of every stage, from facts about all columns and the space of all
    /// rows, which may lack values where there is a draft. The space has the covariates that count in distances, too.
    pub(super) fn from_facts(
        fit: FitSpec,
        facts: TableFacts,
        (procedure, space): (&Procedure<'_>, &Space<'_>),
        block_rows: usize,
        parts: usize,
        run: &Run,
    ) -> Result<Self> {
        let data = PlanData {
            fit,
            rows: space.rows(),
            block_rows,
            facts,
            sided: Sided::One,
            mean_of_pairs: None,
            undirected: false,
            more_than_bits: false,
            weights: None,
            range: 0.0,
            stages: Vec::new(),
        };
        let mut plan = Self { data, number: OnceLock::new() };
        let search = match procedure {
            Procedure::Search(search) => search,
            Procedure::Iterations(reweighting) => {
                plan.add_iteration(reweighting, space, parts, run);
                return Ok(plan);
            }
        };
        if let Some(map) = &search.map {
            map.check_spread(space.constant_features().count() == space.width())?;
            plan.data.range = widest_range(space.features());
        }
        plan.data.undirected = search.job.is_undirected(space, run);
        plan.data.more_than_bits = has_more_than_bits(space, run);
        plan.add_search(&search.job, space, parts, run)?;
        if search.map.is_some() {
            plan.add_scatter(&search.job, parts);
        } else {
            let cut = Cut::new(plan.width(), plan.data.together(Stage::Sums), parts);
            let memory_bytes = search.job.memory_of_sums(space, run);
            let result_bytes = 8 * plan.width() as u64;
            plan.add_stage(StagePlan { stage: Stage::Sums, cut, result_bytes, memory_bytes });
        }
        Ok(plan)
    }

    /// Adds the margins of the first iteration of an iterative method.
    fn add_iteration(
        &mut self,
        reweighting: &Reweighting<'_>,
        space: &Space<'_>,
        parts: usize,
        run: &Run,
    ) {
        let (rows, width) = (space.rows() as u64, space.width() as u64);
        self.data.weights = Some(Packed(Iteration::start(space).weights().to_vec()));
        let cut = Cut::new(reweighting.blocks(), 1, parts);
        let sum_bytes = 8 * (4 * width + 2);
        // Scaled columns, the distances of eight rows in every thread, and the sums of every eight rows.
        let memory_bytes = 8 * rows * width
            + 64 * rows * run.threads() as u64
            + sum_bytes * (cut.most() * reweighting.block_rows).div_ceil(8) as u64;
        let result_bytes = sum_bytes * cut.items() as u64;
        self.add_stage(StagePlan { stage: Stage::Margins, cut, result_bytes, memory_bytes });
    }

    /// Adds the stages that find the neighbors of all rows.
    fn add_search(
        &mut self,
        search: &SearchJob<'_>,
        space: &Space<'_>,
        parts: usize,
        run: &Run,
    ) -> Result<()> {
        let radius = search.radius_from(space, self.data.facts.draft.is_none(), run)?;
        if let RadiusFrom::Known(Moments { count, mean, squares }) = radius {
            self.data.mean_of_pairs = Some([count, mean, squares]);
        }
        let pair_memory = search.memory(space, run);
        let mut add = |stage, items, result_bytes, memory_bytes| {
            let cut = Cut::new(items, 1, parts);
            self.add_stage(StagePlan { stage, cut, result_bytes, memory_bytes });
        };
        let pairs = search.pairs().len();
        match radius {
            RadiusFrom::Nothing | RadiusFrom::Known(_) => {}
            RadiusFrom::AllPairs => {
                let bytes = 24 * search.small_pairs_of_all() as u64;
                add(Stage::Measure, search.all_pairs().len(), bytes, pair_memory);
            }
            RadiusFrom::OwnPairs => {
                let bytes = 24 * (search.places_sought() * search.blocks()) as u64;
                add(Stage::Radii, pairs, bytes, pair_memory);
            }
        }
        let pair_bytes = search.bytes_of_pairs();
        add(Stage::Search, pairs, pair_bytes, pair_memory);
        let queries = search.queries();
        let bytes = search.bytes(search.places_sought());
        add(Stage::Lists, queries, bytes, pair_bytes / queries.max(1) as u64);
        Ok(())
    }

    /// Adds the scatter of a map.
    fn add_scatter(&mut self, search: &SearchJob<'_>, parts: usize) {
        let (width, together) = (self.width(), self.data.facts.columns_together);
        let cut = Cut::new(panels::items(width, together), 1, parts);
        // A part has its columns twice, scaled and in blocks, its tiles, and the pairs and their weights in
        // both directions.
        let columns = width.min(2 * together * cut.most()) as u64;
        let tiles = (together * together * cut.most()) as u64;
        let found = search.bytes(search.places_sought());
        let memory_bytes = 17 * found + 16 * self.data.rows as u64 * columns + 8 * tiles;
        let result_bytes = 4 * (width * (width + together)) as u64;
        self.add_stage(StagePlan { stage: Stage::Scatter, cut, result_bytes, memory_bytes });
    }

    /// The method.
    pub fn method(&self) -> PartedMethod {
        self.data.fit.method
    }

    /// Whether the fit learns a map instead of computing weights.
    pub fn makes_map(&self) -> bool {
        self.data.fit.makes_map()
    }

    /// The options of the method.
    pub fn settings(&self) -> &Settings {
        &self.data.fit.settings
    }

    /// The seed of sampled rows.
    pub fn seed(&self) -> u64 {
        self.data.fit.seed
    }

    /// The stages in their order.
    pub fn stages(&self) -> &[StagePlan] {
        &self.data.stages
    }

    /// Numeric differences per second and core in the search of pairs of blocks (docs/cluster.md), for estimates of time.
    pub const DIFFERENCES_PER_SECOND: f64 = 1.7e10;

    /// An estimate of the seconds that one core needs for all parts of a stage, without reading the data: the
    /// differences of values between rows, at the rate of numbers (genotypes take about a quarter). The stages that
    /// compare no rows are negligible and count 0.
    pub fn seconds(&self, stage: Stage) -> f64 {
        let (rows, block_rows) = (self.data.rows as f64, self.block_rows() as f64);
        let of_pairs =
            |stage| self.cut(stage).map_or(0, |cut| cut.items()) as f64 * block_rows * block_rows;
        let compared = match stage {
            Stage::Measure | Stage::Radii | Stage::Search => of_pairs(stage).min(rows * rows / 2.0),
            Stage::Margins => 2.0 * rows * rows,
            // Each part searches the neighbors again.
            Stage::Permute => {
                let searches = self.cut(stage).map_or(0, Cut::parts) as f64;
                searches * of_pairs(Stage::Search).min(rows * rows / 2.0)
            }
            Stage::Lists | Stage::Sums | Stage::Scatter => 0.0,
        };
        compared * self.width() as f64 / Self::DIFFERENCES_PER_SECOND
    }

    /// How a stage is cut; `None` where the method lacks the stage.
    pub fn cut(&self, stage: Stage) -> Option<Cut> {
        self.stages().iter().find(|own| own.stage == stage).map(|own| own.cut)
    }

    /// The stage whose results a stage requires.
    pub fn before(&self, stage: Stage) -> Option<Stage> {
        let place = self.stages().iter().position(|own| own.stage == stage)?;
        self.stages()[..place].last().map(|own| own.stage)
    }

    /// Adds a last stage.
    pub(super) fn add_stage(&mut self, stage: StagePlan) {
        self.data.stages.push(stage);
        self.number = OnceLock::new();
    }

    /// The last stage.
    pub fn last(&self) -> Stage {
        self.stages().last().map_or(Stage::Sums, |own| own.stage)
    }

    /// The stage whose results contain the weights: the last one, unless the weights are tested.
    pub fn weighing(&self) -> Stage {
        if self.last() == Stage::Permute { Stage::Sums } else { self.last() }
    }

    /// The weights under which an iterative method compares rows.
    pub(super) fn weights_before(&self) -> Option<&[f64]> {
        self.data.weights.as_ref().map(|weights| weights.0.as_slice())
    }

    /// The plan of another iteration, which compares rows under these weights.
    pub(super) fn with_weights(&self, weights: &[f64]) -> Self {
        let weights = Some(Packed(weights.to_vec()));
        Self { data: PlanData { weights, ..self.data.clone() }, number: OnceLock::new() }
    }

    /// Number of columns.
    pub(super) fn width(&self) -> usize {
        self.data.facts.columns.0.len()
    }

    /// The places of all columns.
    pub(super) fn all_columns(&self) -> Vec<usize> {
        (0..self.width()).collect()
    }

    /// Rows of a block.
    pub fn block_rows(&self) -> usize {
        self.data.block_rows
    }

    /// The measured distances, where they follow from the columns.
    pub(super) fn known_distances(&self) -> Measured {
        let moments = |[count, mean, squares]: [f64; 3]| Moments { count, mean, squares };
        let pairs = self.data.mean_of_pairs.map(moments).unwrap_or_default();
        Measured { pairs, own: Vec::new() }
    }

    /// Identifies the plan in its results. The estimates of memory do not count, because they depend on the
    /// machine that plans.
    pub(super) fn number(&self) -> u64 {
        *self.number.get_or_init(|| {
            let mut plan = self.clone();
            for own in &mut plan.data.stages {
                (own.result_bytes, own.memory_bytes) = (0, 0);
            }
            Checksum::from_bytes(plan.to_json().to_string().as_bytes()).number()
        })
    }

    /// The procedure for the problem of the plan, whose table has all columns or `columns`. The warnings of the
    /// method about the problem go to the report.
    pub(super) fn procedure<'p>(
        &self,
        problem: &Problem<'p>,
        columns: &[usize],
        report: &mut Report,
        run: &Run,
    ) -> Result<Procedure<'p>> {
        self.demand_data(problem, columns, run)?;
        self.data.fit.procedure(problem, self.block_rows(), report, run)
    }

    /// Refuses a problem whose data differ from those of the plan; its columns are all, or `columns`.
    pub(super) fn demand_data(
        &self,
        problem: &Problem<'_>,
        columns: &[usize],
        run: &Run,
    ) -> Result<()> {
        let facts = &self.data.facts;
        let (table, planned) = (problem.table(), &facts.columns.0);
        if table.rows() != self.data.rows {
            let what = format!("{} rows have become {}", self.data.rows, table.rows());
            return Err(changed(&what));
        }
        let (width, all) = (table.width(), self.width());
        if width != all && width != columns.len() {
            return Err(changed(&format!("{all} columns have become {width}")));
        }
        let place_in_plan = |at: usize| if width == all { at } else { columns[at] };
        let found = table.fingerprints(run)?;
        if let Some(place) = (0..width).find(|&at| found[at] != planned[place_in_plan(at)]) {
            let name = wording::quoted(table.columns()[place].name());
            return Err(changed(&format!("column {name} is not what it was")));
        }
        if problem.target().fingerprint() != facts.target {
            return Err(changed("the target is not what it was"));
        }
        let roles = problem.roles().fingerprints().into_iter().zip(facts.roles);
        if let Some(((name, _), _)) = roles.into_iter().find(|((_, own), was)| own != was) {
            return Err(changed(&format!("the {name} are not what they were")));
        }
        Ok(())
    }

    /// The plan as bytes: JSON with a [checksum](sealed).
    pub fn to_bytes(&self) -> Vec<u8> {
        sealed(&self.to_json().to_string(), FORMAT).into_bytes()
    }

    /// The plan as JSON without a checksum, to be part of a file that has one.
    pub fn to_json(&self) -> Value {
        let mut all = json!({ "format": FORMAT, "version": VERSION, "basrelief": BASRELIEF });
        let data = serde_json::to_value(&self.data).unwrap_or_default();
        if let (Value::Object(all), Value::Object(data)) = (&mut all, data) {
            all.extend(data);
        }
        all
    }

    /// Reads a plan.
    ///
    /// # Errors
    /// The bytes are not a plan, are of another version, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let value: Value = serde_json::from_slice(bytes).map_err(|_| no_plan("it is not JSON"))?;
        Self::check_version(&value)?;
        let text = std::str::from_utf8(bytes).map_err(|_| no_plan("it is not JSON"))?;
        Self::from_json(&unsealed(text, FORMAT).map_err(no_plan)?)
    }

    /// Reads a plan whose checksum was compared.
    ///
    /// # Errors
    /// The value is not a plan, is of another version, or its entries do not fit together.
    pub fn from_json(value: &Value) -> Result<Self> {
        Self::check_version(value)?;
        match PlanData::deserialize(value) {
            Ok(data) if data.is_consistent() => Ok(Self { data, number: OnceLock::new() }),
            _ => Err(no_plan("its entries do not fit together")),
        }
    }

    /// Checks that a value is a plan of this version.
    ///
    /// # Errors
    /// It is not.
    pub fn check_version(value: &Value) -> Result<()> {
        if value["format"] != FORMAT {
            return Err(no_plan("its format is not that of a plan"));
        }
        // The versions come first, because everything after them may have changed.
        let (format, basrelief) = (value["version"].as_u64(), value["basrelief"].as_str());
        match (format, basrelief) {
            (Some(format), Some(BASRELIEF)) if format == u64::from(VERSION) => Ok(()),
            (Some(format), Some(basrelief)) => Err(other_version("the plan", format, basrelief)),
            _ => Err(no_plan("it has no version")),
        }
    }
}

impl PlanData {
    /// Items of a stage that stay together in a part.
    fn together(&self, stage: Stage) -> usize {
        if stage == Stage::Sums { self.facts.columns_together } else { 1 }
    }

    /// Whether the entries of a plan that was read fit together.
    fn is_consistent(&self) -> bool {
        let TableFacts { columns, columns_together, origin, .. } = &self.facts;
        let (width, together) = (columns.0.len(), *columns_together);
        let is_cut = |StagePlan { stage, cut, .. }: &StagePlan| {
            *cut == Cut::new(cut.items(), self.together(*stage), cut.parts())
        };
        let stages: Vec<Stage> = self.stages.iter().map(|own| own.stage).collect();
        let is_ordered = stages.windows(2).all(|pair| pair[0] < pair[1]);
        if self.block_rows == 0 || together == 0 || !is_ordered || !self.stages.iter().all(is_cut) {
            return false;
        }
        let items =
            |stage| self.stages.iter().find(|own| own.stage == stage).map(|own| own.cut.items());
        match (origin, &self.weights) {
            (Some(origin), None) => {
                self.fit.makes_map()
                    && stages == [Stage::Search, Stage::Lists, Stage::Scatter]
                    && together.is_multiple_of(SCATTER_COLUMNS)
                    && items(Stage::Scatter) == Some(panels::items(width, together))
                    && [origin.mean.len(), origin.units.len()] == [width; 2]
            }
            (None, Some(weights)) => stages == [Stage::Margins] && weights.0.len() == width,
            (None, None) => {
                let fitted = stages.strip_suffix(&[Stage::Permute]).unwrap_or(&stages);
                !self.fit.makes_map()
                    && fitted.ends_with(&[Stage::Search, Stage::Lists, Stage::Sums])
                    && items(Stage::Sums) == Some(width)
            }
            (Some(_), Some(_)) => false,
        }
    }
}

/// Refuses numbers of parts that a plan cannot have.
pub(super) fn check_parts(parts: usize) -> Result<()> {
    if (1..=MOST_PARTS).contains(&parts) {
        return Ok(());
    }
    let help = format!("give a whole number from 1 to {MOST_PARTS}");
    Err(Error::option("parts", format!("found {parts}"), help))
}

/// The error for data that differ from those of the plan.
pub(super) fn changed(what: &str) -> Error {
    let what = format!("{what} since the plan was made: the data have changed");
    Error::data(what, "give the data as they were, or make a new plan")
}

fn no_plan(why: &str) -> Error {
    Error::data(format!("this is not a plan of basrelief: {why}"), "make the plan again")
}
