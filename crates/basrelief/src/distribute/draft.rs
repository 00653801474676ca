//! A fit whose parts are given only the rows and columns that they require.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::cell::{Cell, WrittenFeature};
use super::fingerprints::{column_fingerprints, target_fingerprint};
use super::messages::{BlockResult, ByBlocks};
use super::parted_method::{FitSpec, PartedMethod};
use super::plan::{Plan, TableFacts, checked_block_rows, refuse_block_rows, search_job};
use super::stage::Stage;
use super::tasks::{Results, add_comparisons, compare, pairs_of};
use super::wire::{Content, Label, Packed, checksum, damaged, open, seal};
use crate::data::{
    Classes, Column, ColumnKind, ColumnLook, Table, Target, looks_of, warnings_of_looks,
};
use crate::differences::{Feature, Rule, Space, give_range, widest_range};
use crate::error::{Error, Result};
use crate::margins::scatter::SCATTER_COLUMNS;
use crate::methods::{MapSteps, Origin, Problem, Reweighting, ScaledRows, Settings, Steps};
use crate::neighbors::{Measured, RowBlocks, SearchJob};
use crate::report::Report;
use crate::run::Run;
use crate::warning::Warning;
use crate::wording;

/// The approximate size of a row of the columns that are taken together: sums then read complete lines of
/// memory, and the work that a task does once per neighbor is small in comparison.
const ROW_BYTES: u64 = 512;

/// The largest size of the columns that are taken together, unless [`LEAST_COLUMNS`] are larger.
const MOST_BYTES: u64 = 1 << 27;

/// The smallest number of columns that are taken together. Their number is a multiple of it.
const LEAST_COLUMNS: usize = 8;

/// A fit before its columns are known: the method, the target, and the names of the columns.
///
/// It travels as bytes and contains the target, 4 or 8 bytes a row. Its functions are pure: the same
/// arguments give the same bytes.
#[derive(Debug, Clone)]
pub struct Draft {
    fit: FitSpec,
    pub(super) target: Target,
    /// One column without information, for methods that look only at the target.
    table: Table<'static>,
    names: Vec<String>,
    kinds: Vec<ColumnKind>,
    blocks: RowBlocks,
    /// Columns that are taken together.
    together: usize,
    /// Identifies the draft in its plan, facts and cells.
    number: u64,
}

/// The blocks of rows and columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// The place of every row in the order that blocks are cut from.
    pub places: Vec<u32>,
    /// Rows of a block; the last has fewer.
    pub block_rows: usize,
    /// Number of blocks.
    pub blocks: usize,
    /// Number of blocks with query rows, which come first.
    pub queries: usize,
    /// The columns that are taken together.
    pub columns: Vec<Range<usize>>,
}

/// The result of comparing two blocks of rows, for one of them: the two blocks, and the bytes.
pub type PairResult = ((usize, usize), Vec<u8>);

/// The facts about columns that are taken together, which the plan requires.
#[derive(Serialize, Deserialize)]
struct ColumnFacts {
    fingerprints: Packed<u64>,
    looks: Vec<ColumnLook>,
    /// The features, without rows.
    features: Vec<WrittenFeature>,
    has_missing: Vec<bool>,
    /// See [`TableFacts::origin`].
    origin: Option<[Packed<f64>; 2]>,
    /// The checksums of the cells, by block of rows.
    cells: Packed<u64>,
}

/// A target as it is written.
#[derive(Serialize, Deserialize)]
enum WrittenTarget {
    Classes(Packed<u32>, Vec<String>),
    Real(Packed<f64>),
}

/// The computation of a method in parts.
enum Procedure<'p> {
    /// One search for neighbors, and sums or a scatter over their pairs.
    Search(Steps<'p>, SearchJob<'p>),
    /// Sums again and again, under weights that follow from those before.
    Iterations(Reweighting<'p>),
}

impl Procedure<'_> {
    /// All rows in the order that blocks are cut from.
    fn order(&self) -> &[u32] {
        match self {
            Self::Search(_, search) => search.order(),
            Self::Iterations(reweighting) => &reweighting.order,
        }
    }

    /// The space of a table that has some of the columns, or all.
    fn space_of<'t>(&self, table: &'t Table<'t>, run: &Run) -> Result<Space<'t>> {
        match self {
            Self::Search(steps, _) => steps.space_of(table, run),
            Self::Iterations(reweighting) => reweighting.space_of(table, run),
        }
    }
}

impl Draft {
    /// A draft for columns with these names and kinds; the run's seed draws the sampled rows. Rows lie in
    /// blocks of `block_rows`, and `block_columns` are taken together; without a number, the data determine
    /// the size.
    ///
    /// # Errors
    /// A method that cannot be computed in parts, or that refuses the target or its options; two columns of
    /// one name, or no column; 0 rows or columns in a block; [`Error::Cancelled`].
    pub fn new(
        method: impl Into<PartedMethod>,
        settings: &Settings,
        target: Target,
        columns: Vec<(String, ColumnKind)>,
        block_rows: Option<usize>,
        block_columns: Option<usize>,
        run: &Run,
    ) -> Result<Self> {
        let fit = FitSpec { method: method.into(), settings: settings.clone(), seed: run.seed() };
        let (names, kinds): (Vec<String>, Vec<ColumnKind>) = columns.into_iter().unzip();
        // A table refuses names that occur twice.
        let empty = |name: &String| Column::genotype(name.clone(), vec![0].into());
        Table::new(names.iter().map(empty).collect::<Result<_>>()?)?;
        let (rows, is_map) = (target.rows(), fit.makes_map());
        // The scaled rows of a map are numbers, whatever their columns are.
        let packed = |kind: &ColumnKind| if is_map { ColumnKind::Numeric } else { *kind };
        let asked = checked_block_rows(block_rows, rows, kinds.iter().map(packed))?;
        let least = if is_map { SCATTER_COLUMNS } else { LEAST_COLUMNS };
        let together = checked_block_columns(block_columns, rows, &kinds, least)?;
        let blocks = RowBlocks::new(rows, rows, asked);
        let mut draft = Self::with_blocks(fit, target, (names, kinds), blocks, together)?;
        let (are_apart, blocks) = match draft.procedure(&mut Report::default(), run)? {
            Procedure::Search(steps, search) => (steps.columns_apart, search.row_blocks()),
            Procedure::Iterations(reweighting) => {
                refuse_block_rows(draft.fit.method.name(), block_rows)?;
                (true, RowBlocks::new(rows, rows, reweighting.block_rows))
            }
        };
        draft.blocks = blocks;
        if !are_apart {
            draft.together = draft.names.len();
        }
        draft.number = checksum(&draft.to_bytes());
        Ok(draft)
    }

    /// A draft without a number.
    fn with_blocks(
        fit: FitSpec,
        target: Target,
        (names, kinds): (Vec<String>, Vec<ColumnKind>),
        blocks: RowBlocks,
        together: usize,
    ) -> Result<Self> {
        let copies = vec![0; target.rows()];
        let table = Table::new(vec![Column::genotype("", copies.into())?])?;
        Ok(Self { fit, target, table, names, kinds, blocks, together, number: 0 })
    }

    /// The draft as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let target = match &self.target {
            Target::Classes(classes) => {
                WrittenTarget::Classes(Packed(classes.codes().to_vec()), classes.names().to_vec())
            }
            Target::Real(values) => WrittenTarget::Real(Packed(values.to_vec())),
        };
        let sizes = [self.blocks.size(), self.blocks.places_of_queries(), self.together];
        let contents = (&self.fit, &self.names, &self.kinds, sizes, target);
        seal(&contents, Label::without_plan(Content::Draft))
    }

    /// Reads a draft.
    ///
    /// # Errors
    /// The bytes are not a draft, are of another version, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        type Contents = (FitSpec, Vec<String>, Vec<ColumnKind>, [usize; 3], WrittenTarget);
        let (fit, names, kinds, sizes, target): Contents =
            open(bytes, Label::without_plan(Content::Draft))?;
        let target = match target {
            WrittenTarget::Classes(codes, names) => {
                Target::Classes(Classes::from_codes(&codes.0, &names)?)
            }
            WrittenTarget::Real(Packed(values)) => Target::real(values)?,
        };
        let [block_rows, queries, together] = sizes;
        if sizes.contains(&0) || names.len() != kinds.len() {
            return Err(damaged("its entries do not fit together"));
        }
        let blocks = RowBlocks::new(target.rows(), queries, block_rows);
        let draft = Self::with_blocks(fit, target, (names, kinds), blocks, together)?;
        Ok(Self { number: checksum(bytes), ..draft })
    }

    /// A problem of the target and one column without information.
    pub(super) fn problem(&self) -> Result<Problem<'_>> {
        Problem::new(&self.table, &self.target)
    }

    /// The procedure of the method; its warnings about the target go to the report.
    fn procedure(&self, report: &mut Report, run: &Run) -> Result<Procedure<'_>> {
        let problem = &self.problem()?;
        if let Some(reweighting) = self.fit.reweighting(problem)? {
            return Ok(Procedure::Iterations(reweighting));
        }
        let steps = match self.fit.map_steps(problem)? {
            Some(map) => map.search(&self.table)?,
            None => self.fit.steps(problem, report, &self.fit.run(run))?,
        };
        let search = search_job(&steps, self.blocks.size());
        Ok(Procedure::Search(steps, search))
    }

    /// The method's steps and their search; its warnings about the target go to the report.
    fn search(&self, report: &mut Report, run: &Run) -> Result<(Steps<'_>, SearchJob<'_>)> {
        match self.procedure(report, run)? {
            Procedure::Search(steps, search) => Ok((steps, search)),
            Procedure::Iterations(_) => Err(self.lacks("search")),
        }
    }

    /// The iterations of the method.
    pub(super) fn reweighting(&self) -> Result<Reweighting<'_>> {
        self.fit.reweighting(&self.problem()?)?.ok_or_else(|| self.lacks("iterations"))
    }

    /// The steps of the map that the method learns.
    pub(super) fn map_steps(&self) -> Result<MapSteps<'_>> {
        self.fit.map_steps(&self.problem()?)?.ok_or_else(|| self.lacks("map"))
    }

    fn lacks(&self, what: &str) -> Error {
        Error::Internal(format!("{} has no {what}", self.fit.method.name()))
    }

    /// The warnings of the method about the target.
    pub(super) fn warnings(&self, run: &Run) -> Result<Vec<Warning>> {
        let mut report = Report::default();
        self.search(&mut report, run)?;
        Ok(report.warnings)
    }

    /// The blocks of rows and columns.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn layout(&self, run: &Run) -> Result<Layout> {
        let mut places = vec![0; self.target.rows()];
        let procedure = self.procedure(&mut Report::default(), run)?;
        (0..).zip(procedure.order()).for_each(|(place, &row)| places[row as usize] = place);
        Ok(Layout {
            places,
            block_rows: self.blocks.size(),
            blocks: self.blocks.count(),
            queries: self.blocks.queries(),
            columns: self.column_blocks(),
        })
    }

    fn column_blocks(&self) -> Vec<Range<usize>> {
        let width = self.names.len();
        let starts = (0..width).step_by(self.together);
        starts.map(|start| start..(start + self.together).min(width)).collect()
    }

    /// The columns of a block of columns.
    fn columns(&self, number: usize) -> Result<Range<usize>> {
        let all = self.column_blocks();
        all.get(number).cloned().ok_or_else(|| {
            Error::Internal(format!("there are no columns {number} of {}", all.len()))
        })
    }

    /// Names and kinds of the columns of a block of columns.
    ///
    /// # Errors
    /// The block does not exist.
    pub fn named(&self, number: usize) -> Result<(Vec<String>, Vec<String>)> {
        let columns = self.columns(number)?;
        let kinds = self.kinds[columns.clone()].iter().map(|kind| kind.name().to_string());
        Ok((self.names[columns].to_vec(), kinds.collect()))
    }

    /// Names and kinds of all columns.
    pub fn all_named(&self) -> (Vec<String>, Vec<String>) {
        let kinds = self.kinds.iter().map(|kind| kind.name().to_string());
        (self.names.clone(), kinds.collect())
    }

    /// The label of the facts about a block of columns.
    fn facts_label(&self, number: usize) -> Label {
        Label { plan: self.number, content: Content::Facts, part: number }
    }

    /// The label of the cell of a block of columns and a block of rows.
    fn cell_label(&self, number: usize, block: usize) -> Label {
        let part = number * self.blocks.count() + block;
        Label { plan: self.number, content: Content::Cell, part }
    }

    /// The facts about a block of columns, and its cells, by block of rows. `table` has these columns, with
    /// all rows.
    ///
    /// # Errors
    /// Columns or rows differ from those of the draft; [`Error::Cancelled`].
    pub fn cells(
        &self,
        number: usize,
        table: &Table<'_>,
        run: &Run,
    ) -> Result<(Vec<u8>, Vec<Vec<u8>>)> {
        let columns: Vec<usize> = self.columns(number)?.collect();
        self.demand_columns(&columns, table)?;
        let run = &self.fit.run(run);
        let scaled =
            if self.fit.makes_map() { Some(self.map_steps()?.scaled(table)?) } else { None };
        let in_unit = scaled.as_ref().map(ScaledRows::table).transpose()?;
        let procedure = self.procedure(&mut Report::default(), run)?;
        let space = procedure.space_of(in_unit.as_ref().unwrap_or(table), run)?;
        let mut cells = Vec::with_capacity(self.blocks.count());
        for block in 0..self.blocks.count() {
            run.check()?;
            let rows = &procedure.order()[self.blocks.places(block)];
            let (of_rows, features) = space.select_rows(rows);
            let cell = Cell::written(of_rows.columns(), &features);
            cells.push(seal(&cell, self.cell_label(number, block)));
        }
        let origin = scaled.as_ref().map(|scaled| scaled.origin.clone());
        let has_missing = |feature: &Feature<'_>| !feature.missing_rows.is_empty();
        let facts = ColumnFacts {
            fingerprints: Packed(column_fingerprints(table, run)?),
            looks: looks_of(table, run)?,
            features: space.features_of(&[]).iter().map(WrittenFeature::from).collect(),
            has_missing: space.features().iter().map(has_missing).collect(),
            origin: origin.map(|Origin { mean, units }| [mean, units].map(Packed)),
            cells: Packed(cells.iter().map(|cell| checksum(cell)).collect()),
        };
        Ok((seal(&facts, self.facts_label(number)), cells))
    }

    /// Refuses a table without these columns or without all rows.
    pub(super) fn demand_columns(&self, columns: &[usize], table: &Table<'_>) -> Result<()> {
        let help = "give the columns that the fit was planned with";
        let rows = self.target.rows();
        if table.rows() != rows {
            let found = table.rows();
            return Err(Error::data(format!("there are {found} rows, and {rows} labels"), help));
        }
        if table.width() != columns.len() {
            let (found, planned) = (table.width(), columns.len());
            return Err(Error::data(
                format!("there are {found} columns in place of {planned}"),
                help,
            ));
        }
        for (own, &at) in table.columns().iter().zip(columns) {
            let (name, kind) = (&self.names[at], self.kinds[at]);
            if own.name() != name || own.kind() != kind {
                let [found, planned] = [own.name(), name].map(wording::quoted);
                let [is, was] = [own.kind(), kind].map(ColumnKind::name);
                let what = format!("column {found} ({is}) came in place of {planned} ({was})");
                return Err(Error::data(what, help));
            }
        }
        Ok(())
    }

    /// The plan, from the [facts](Self::cells) about all columns.
    ///
    /// # Errors
    /// Facts that are missing, damaged or of another draft; [`Error::Cancelled`].
    pub fn plan(&self, facts: &[Vec<u8>], run: &Run) -> Result<Plan> {
        let run = &self.fit.run(run);
        let (facts, mut features) = self.gathered(facts)?;
        if self.fit.makes_map() {
            let is_constant = |feature: &Feature<'_>| feature.rule == Rule::Constant;
            self.map_steps()?.check_spread(features.iter().all(is_constant))?;
            let range = widest_range(&features);
            give_range(&mut features, range);
        }
        let fit = self.fit.clone();
        match self.procedure(&mut Report::default(), run)? {
            Procedure::Search(steps, _) => {
                let codes = steps.conditional.map(|(codes, _)| codes);
                let space = Space::of_features(steps.table, codes, steps.space, features);
                let (both, parts) = ((&steps, &space), [usize::MAX; 2]);
                Plan::of_search(fit, facts, both, self.blocks.size(), parts, run)
            }
            Procedure::Iterations(own) => {
                let codes = Some(own.conditional.0);
                let space = Space::of_features(own.table, codes, own.space, features);
                Ok(Plan::of_iteration(fit, facts, (&own, &space), usize::MAX, run))
            }
        }
    }

    /// The facts about all columns, and their features.
    fn gathered(&self, facts: &[Vec<u8>]) -> Result<(TableFacts, Vec<Feature<'static>>)> {
        let mut all = TableFacts {
            target: target_fingerprint(&self.target),
            draft: Some(self.number),
            columns_together: self.together,
            origin: self.fit.makes_map().then(Default::default),
            ..TableFacts::default()
        };
        let (mut features, mut looks) = (Vec::new(), Vec::with_capacity(self.names.len()));
        let blocks = self.column_blocks();
        if facts.len() != blocks.len() {
            return Err(damaged("the facts of some columns are missing"));
        }
        let wrong = || damaged("they are of other columns");
        for (number, (bytes, columns)) in facts.iter().zip(blocks).enumerate() {
            let own: ColumnFacts = open(bytes, self.facts_label(number))?;
            let counts = [own.features.len(), own.has_missing.len(), own.looks.len()];
            let has_origin = own.origin.is_some() == all.origin.is_some();
            if counts != [columns.len(); 3] || !has_origin {
                return Err(wrong());
            }
            for (feature, has_missing) in own.features.into_iter().zip(own.has_missing) {
                // Only whether rows with missing values exist matters.
                let missing_rows = vec![0; has_missing.into()];
                features.push(Feature { missing_rows, ..feature.read(0)? });
            }
            looks.extend(own.looks);
            all.columns.0.extend(own.fingerprints.of_length(columns.len())?);
            all.cells.0.extend(own.cells.of_length(self.blocks.count())?);
            let origin = all.origin.iter_mut().flatten().zip(own.origin.into_iter().flatten());
            for (all, own) in origin {
                all.0.extend(own.of_length(columns.len())?);
            }
        }
        let names = self.names.iter().map(String::as_str);
        let named =
            names.zip(&self.kinds).zip(looks).map(|((name, kind), look)| (name, *kind, look));
        let warnings = warnings_of_looks(&named.collect::<Vec<_>>()).into_iter();
        let texts = warnings.map(|own| (own.code().to_string(), own.marked().to_string()));
        all.column_warnings = texts.collect();
        Ok((all, features))
    }

    /// The pairs of blocks that a stage compares: each is a task, which requires the cells of both.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn pairs(&self, stage: Stage, run: &Run) -> Result<Vec<(usize, usize)>> {
        Ok(pairs_of(&self.search(&mut Report::default(), run)?.1, stage))
    }

    /// Compares two blocks of rows, from their cells in the order of the columns. The second block has no
    /// cells where it is the first one. `measured` are the merged results of the measuring stages. Each
    /// result is of one block.
    ///
    /// # Errors
    /// The pair does not exist; cells are missing, damaged, or not those of the plan; too little memory;
    /// [`Error::Cancelled`].
    pub fn compare<B: AsRef<[u8]>>(
        &self,
        plan: &Plan,
        stage: Stage,
        measured: &[Vec<u8>],
        pair: (usize, usize),
        [first, second]: [&[B]; 2],
        run: &Run,
    ) -> Result<Vec<(usize, Vec<u8>)>> {
        self.demand(plan)?;
        let run = &self.fit.run(run);
        let (steps, search) = self.search(&mut Report::default(), run)?;
        let label = Label::result(plan.number(), stage, part_of(&search, stage, pair)?);
        let measured = read_measured(plan, measured)?;
        let mut cell = self.block(plan, pair.0, first)?;
        if pair.0 != pair.1 {
            cell = cell.with_rows(self.block(plan, pair.1, second)?)?;
        }
        let (table, mut features) = cell.into_table()?;
        if plan.makes_map() {
            // The unit is that of all columns, which a cell lacks.
            give_range(&mut features, plan.data.range);
        }
        let local = steps.space_of_rows(&table, &search.rows(pair), features);
        let results = compare(stage, &search, &local, pair, &measured, run)?.into_iter();
        Ok(results.map(|result| (result.0, seal(&vec![result], label))).collect())
    }

    /// The cells of a block of rows, side by side.
    fn block<B: AsRef<[u8]>>(&self, plan: &Plan, block: usize, cells: &[B]) -> Result<Cell> {
        let columns = self.column_blocks();
        if cells.len() != columns.len() {
            return Err(damaged("a cell is missing"));
        }
        let rows = self.blocks.places(block).len();
        let mut all = Cell::default();
        for (number, (cell, columns)) in cells.iter().zip(columns).enumerate() {
            let (bytes, label) = (cell.as_ref(), self.cell_label(number, block));
            let cell = open(bytes, label)?;
            if plan.data.facts.cells.0.get(label.part) != Some(&checksum(bytes)) {
                return Err(Error::data(
                    "rows have changed since the fit was planned: they differ each time that they are \
                     computed",
                    "keep the data unchanged, in a file or in memory",
                ));
            }
            all.add_columns(Cell::read(cell, rows, &self.names[columns])?);
        }
        Ok(all)
    }

    /// Merges all results of a measuring stage, which may come in any order.
    ///
    /// # Errors
    /// A result that is missing, damaged or of another plan; [`Error::Cancelled`].
    pub fn measured(
        &self,
        plan: &Plan,
        stage: Stage,
        results: &[PairResult],
        run: &Run,
    ) -> Result<Vec<u8>> {
        self.demand(plan)?;
        let (_, search) = self.search(&mut Report::default(), run)?;
        let results = by_blocks(plan, &search, stage, results, &|_| true)?;
        let Measured { pairs, own } = plan.measured(&search, stage, results)?;
        let both = [vec![pairs], own].map(BlockResult::from);
        Ok(seal(&both, measured_label(plan, stage)))
    }

    /// The neighbors of the rows of a block, from its comparisons with all blocks, which may come in any
    /// order.
    ///
    /// # Errors
    /// A result that is missing, damaged or of another plan; too little memory; [`Error::Cancelled`].
    pub fn lists(
        &self,
        plan: &Plan,
        block: usize,
        results: &[PairResult],
        run: &Run,
    ) -> Result<Vec<u8>> {
        self.demand(plan)?;
        plan.existing(Stage::Lists, block)?;
        let (_, search) = self.search(&mut Report::default(), run)?;
        let mut results = by_blocks(plan, &search, Stage::Search, results, &|own| own == block)?;
        let found = plan.lists_of(&search, block, &mut results, run)?;
        plan.sealed((Stage::Lists, block), &BlockResult::from(found), run)
    }

    /// The weights of a block of columns, from the [neighbors](Self::lists) of all blocks of rows in their
    /// order. `table` has these columns, with all rows.
    ///
    /// # Errors
    /// Columns or rows differ from those of the plan; neighbors are missing, damaged or of another plan; too
    /// little memory; [`Error::Cancelled`].
    pub fn sums(
        &self,
        plan: &Plan,
        number: usize,
        table: &Table<'_>,
        lists: &mut dyn Iterator<Item = Result<Vec<u8>>>,
        run: &Run,
    ) -> Result<Vec<u8>> {
        self.demand(plan)?;
        let columns: Vec<usize> = self.columns(number)?.collect();
        self.demand_columns(&columns, table)?;
        let run = &self.fit.run(run);
        let problem = Problem::new(table, &self.target)?;
        let steps = plan.steps(&problem, &columns, &mut Report::default(), run)?;
        let search = search_job(&steps, self.blocks.size());
        let space = steps.space_of(table, run)?;
        plan.sums_of((&steps, &search), &space, (number, lists), run)
    }

    /// The weights of all columns in their order, and the warnings of a fit on one machine.
    ///
    /// # Errors
    /// Sums that are missing, damaged or of another plan; [`Error::Cancelled`].
    pub fn merge(
        &self,
        plan: &Plan,
        sums: Results<'_>,
        run: &Run,
    ) -> Result<(Vec<f64>, Vec<Warning>)> {
        self.demand(plan)?;
        let mut report = Report { warnings: self.warnings(run)?, ..Report::default() };
        let weights = plan.weights(sums, &mut report)?;
        Ok((weights, [report.warnings, plan.column_warnings()?].concat()))
    }

    /// The margins of the blocks of a part, from the cells of all blocks of rows, each in the order of the
    /// columns.
    ///
    /// # Errors
    /// The part does not exist; cells are missing, damaged, or not those of the plan; [`Error::Cancelled`].
    pub fn margins<B: AsRef<[u8]>>(
        &self,
        plan: &Plan,
        part: usize,
        cells: &[Vec<B>],
        run: &Run,
    ) -> Result<Vec<u8>> {
        self.demand(plan)?;
        plan.existing(Stage::Margins, part)?;
        if cells.len() != self.blocks.count() {
            return Err(damaged("the cells of a block are missing"));
        }
        let reweighting = self.reweighting()?;
        let block = |(block, cells): (usize, &Vec<B>)| self.block(plan, block, cells);
        let blocks = cells.iter().enumerate().map(block).collect::<Result<Vec<Cell>>>()?;
        let (table, features) = joined(blocks)?.into_table()?;
        let space = reweighting.space_in_order(&table, features);
        let order = (0..self.target.rows() as u32).collect();
        plan.margins_of((&reweighting, &space, order), part, &self.fit.run(run))
    }

    /// Refuses the plan of another draft.
    pub(super) fn demand(&self, plan: &Plan) -> Result<()> {
        if plan.data.facts.draft == Some(self.number) {
            return Ok(());
        }
        Err(Error::data("the plan is of another fit", "give the plan that was made of this one"))
    }
}

/// The label of the merged results of a measuring stage.
fn measured_label(plan: &Plan, stage: Stage) -> Label {
    Label { plan: plan.number(), content: Content::Measured(stage), part: 0 }
}

/// The measured distances, from the [merged results](Draft::measured) of the measuring stages.
fn read_measured(plan: &Plan, measured: &[Vec<u8>]) -> Result<Measured> {
    let mut all = plan.known_distances();
    let stages = [Stage::Measure, Stage::Radii].into_iter();
    let stages = stages.filter(|stage| plan.cut(*stage).is_some());
    for (stage, bytes) in stages.zip(measured) {
        let [pairs, own]: [BlockResult; 2] = open(bytes, measured_label(plan, stage))?;
        all.pairs = pairs.into_moments()?.first().copied().unwrap_or_default();
        all.own = own.into_moments()?;
    }
    Ok(all)
}

/// Joins the rows of all blocks.
fn joined(mut blocks: Vec<Cell>) -> Result<Cell> {
    // In pairs, so that every row is copied only a few times.
    while blocks.len() > 1 {
        let mut left = blocks.into_iter();
        let mut pairs = Vec::new();
        while let Some(first) = left.next() {
            pairs.push(match left.next() {
                Some(second) => first.with_rows(second)?,
                None => first,
            });
        }
        blocks = pairs;
    }
    blocks.pop().ok_or_else(|| damaged("it has no blocks"))
}

/// The part of a stage that compares a pair of blocks.
fn part_of(search: &SearchJob<'_>, stage: Stage, pair: (usize, usize)) -> Result<usize> {
    search.pair(pair, stage == Stage::Measure).filter(|_| stage.is_of_pairs()).ok_or_else(|| {
        let ((a, b), stage) = (pair, stage.name());
        Error::Internal(format!("stage {stage} does not compare blocks {a} and {b}"))
    })
}

/// The number of columns that are taken together, as requested or determined by the data: a multiple of
/// `least`.
///
/// # Errors
/// 0 are requested.
fn checked_block_columns(
    asked: Option<usize>,
    rows: usize,
    kinds: &[ColumnKind],
    least: usize,
) -> Result<usize> {
    let together = match asked {
        Some(0) => {
            let help = format!("give a number above 0; it is rounded up to a multiple of {least}");
            return Err(Error::option("block_columns", "found 0", help));
        }
        Some(asked) => asked.min(kinds.len()),
        None => {
            // The size of values as they travel.
            let bytes = |kind: &ColumnKind| match kind {
                ColumnKind::Numeric => 8,
                ColumnKind::Categorical => 4,
                ColumnKind::Genotype => 1,
            };
            let row_bytes = ROW_BYTES.min(MOST_BYTES / (rows as u64).max(1));
            let width = kinds.len() as u64;
            (row_bytes * width / kinds.iter().map(bytes).sum::<u64>().max(1)) as usize
        }
    };
    Ok(together.max(1).next_multiple_of(least))
}

/// The comparisons of wanted blocks.
fn by_blocks(
    plan: &Plan,
    search: &SearchJob<'_>,
    stage: Stage,
    results: &[PairResult],
    wanted: &dyn Fn(usize) -> bool,
) -> Result<ByBlocks> {
    let mut all = ByBlocks::new();
    for (pair, bytes) in results {
        let part = part_of(search, stage, *pair)?;
        add_comparisons(bytes, Label::result(plan.number(), stage, part), wanted, &mut all)?;
    }
    Ok(all)
}
