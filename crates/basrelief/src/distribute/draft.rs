//! A fit whose parts are given only the rows and columns that they require.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::cell::{Cell, WrittenFeature};
use super::cut::Cut;
use super::draft_roles::DraftRoles;
use super::fit_spec::{FitSpec, PartedMethod, Procedure};
use super::messages::{BlockResult, Comparisons, by_blocks};
use super::panels::blocks_of;
use super::plan::{Plan, TableFacts};
use super::stage::Stage;
use super::tasks::{compare, pairs_of};
use super::wire::{Label, checksum, damaged, open, seal};
use crate::data::{
    Column, ColumnKind, ColumnLook, Names, Roles, Table, Target, looks_of, warnings_of_looks,
};
use crate::differences::{Feature, give_range, widest_range};
use crate::error::{Error, Result};
use crate::margins::scatter::SCATTER_COLUMNS;
use crate::methods::{Origin, Problem, Settings, check_names};
use crate::neighbors::{Measured, RowBlocks, SearchJob};
use crate::packed::Packed;
use crate::report::Report;
use crate::run::Run;
use crate::wording;

/// The approximate size of a row of the columns that are taken together: sums then read complete lines of
/// memory, and the work that a task does once per neighbor is small in comparison.
const ROW_BYTES: u64 = 512;

/// The largest size of the columns that are taken together, unless [`LEAST_COLUMNS`] are larger.
const MOST_BYTES: u64 = 1 << 27;

/// The smallest number of columns that are taken together. Their number is a multiple of it.
const LEAST_COLUMNS: usize = 8;

/// The label of drafts.
const DRAFT: &str = "a draft";

/// A fit before its columns are known: the method, the target, the roles of the rows, and the names of the columns.
///
/// It travels as bytes and contains the target and every role of the rows, 4 or 8 bytes a row each. Its functions are pure: the same
/// arguments give the same bytes.
#[derive(Debug, Clone)]
pub struct Draft {
    fit: FitSpec,
    target: Target,
    roles: DraftRoles,
    /// One column without information, for methods that look only at the target.
    table: Table<'static>,
    pub(super) names: Vec<String>,
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
    /// The blocks that can be compared as tables; `None` if all blocks require cells.
    pub tables: Option<TableBlocks>,
}

/// The blocks that can be compared as [tables](BlockRows::Table) instead of [cells](Draft::cells), if no value is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableBlocks {
    /// Number of first blocks, which require cells.
    pub first: usize,
    /// The rows of the first blocks, in ascending order.
    pub rows_of_first: Vec<u32>,
    /// The range of rows of every other block, in ascending order. The rows of the first blocks do not belong to it.
    pub ranges: Vec<Range<usize>>,
}

/// All columns of the rows of a block.
#[derive(Debug)]
pub enum BlockRows<'b, B> {
    /// Their cells, in the order of the columns.
    Cells(&'b [B]),
    /// A table of the rows, in the order of the [layout](Draft::layout). It must have the values that the facts were computed
    /// of, which the task cannot check.
    Table(Table<'b>),
}

/// The result of comparing two blocks of rows, for one of them: the two blocks, and the bytes.
pub type PairResult = ((usize, usize), Vec<u8>);

/// The facts about columns that are taken together, which the plan requires.
#[derive(Serialize, Deserialize)]
struct ColumnFacts {
    fingerprints: Packed<u64>,
    looks: Vec<ColumnLook>,
    /// The features, with one row that stands for all rows with missing values.
    features: Vec<WrittenFeature>,
    /// See [`TableFacts::origin`].
    origin: Option<Origin>,
    /// The checksums of the cells, by block of rows, for the first blocks or for all.
    cells: Packed<u64>,
}

impl Draft {
    /// A draft for columns with these names and kinds; the run's seed draws the sampled rows. Rows lie in
    /// blocks of `block_rows`, and `block_columns` are taken together; without a number, the data determine
    /// the size.
    ///
    /// # Errors
    /// A method that cannot be computed in parts, or that refuses the target, the roles or its options; residuals of
    /// classes; two columns of one name, or no column; 0 rows or columns in a block; [`Error::Cancelled`].
    pub fn new(
        method: impl Into<PartedMethod>,
        settings: &Settings,
        (target, roles): (Target, Roles<'_>),
        columns: Vec<(String, ColumnKind)>,
        block_rows: Option<usize>,
        block_columns: Option<usize>,
        run: &Run,
    ) -> Result<Self> {
        let fit = FitSpec::new(method.into(), settings, run);
        let (names, kinds): (Vec<String>, Vec<ColumnKind>) = columns.into_iter().unzip();
        // A table refuses names that occur twice.
        let empty = |name: &String| Column::genotype(name.clone(), vec![0].into());
        let named = Table::new(names.iter().map(empty).collect::<Result<_>>()?)?;
        check_names(&named, roles.covariates())?;
        let (rows, width) = (target.rows(), names.len());
        let asked = fit.block_rows(block_rows, rows, kinds.iter().copied())?;
        let least = if fit.makes_map() { SCATTER_COLUMNS } else { LEAST_COLUMNS };
        let mut together = checked_block_columns(block_columns, rows, &kinds, least)?;
        let table = without_information(rows)?;
        let problem = Problem::new(&table, &target)?.with_roles(roles)?;
        let procedure = fit.procedure(&problem, asked, &mut Report::default(), &fit.run(run))?;
        let blocks = fit.row_blocks(&procedure, block_rows)?;
        if procedure.search().is_ok_and(|search| !search.steps.columns_apart) {
            together = width;
        }
        drop(procedure);
        let roles = DraftRoles::new(roles)?;
        let mut draft =
            Self { fit, target, roles, table, names, kinds, blocks, together, number: 0 };
        draft.number = checksum(&draft.to_bytes());
        Ok(draft)
    }

    /// The draft as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let sizes = [self.blocks.size(), self.blocks.places_of_queries(), self.together];
        let contents = (&self.fit, &self.names, &self.kinds, sizes, &self.target, &self.roles);
        seal(&contents, &Label::new(0, DRAFT))
    }

    /// Reads a draft.
    ///
    /// # Errors
    /// The bytes are not a draft, are of another version, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        type Contents = (FitSpec, Vec<String>, Vec<ColumnKind>, [usize; 3], Target, DraftRoles);
        let (fit, names, kinds, sizes, target, roles): Contents =
            open(bytes, &Label::new(0, DRAFT))?;
        let target = match target {
            Target::Real(values) => Target::real(values)?,
            other => other,
        };
        let [block_rows, queries, together] = sizes;
        let is_cut = !sizes.contains(&0) && queries <= target.rows();
        if !is_cut || names.len() != kinds.len() {
            return Err(damaged("its entries do not fit together"));
        }
        let blocks = RowBlocks::new(target.rows(), queries, block_rows);
        let (table, number) = (without_information(target.rows())?, checksum(bytes));
        Ok(Self { fit, target, roles, table, names, kinds, blocks, together, number })
    }

    /// The target and the roles of the rows, with a table of some columns.
    fn problem<'t>(&'t self, table: &'t Table<'t>) -> Result<Problem<'t>> {
        Problem::new(table, &self.target)?.with_roles(self.roles.roles())
    }

    /// The problem of a plan of this draft, with one column without information: for functions of the plan that
    /// look only at the target.
    ///
    /// # Errors
    /// The plan is of another draft.
    pub fn problem_of(&self, plan: &Plan) -> Result<Problem<'_>> {
        self.demand(plan)?;
        self.problem(&self.table)
    }

    /// The procedure of the method; its warnings about the target go to the report.
    pub(super) fn procedure(&self, report: &mut Report, run: &Run) -> Result<Procedure<'_>> {
        let run = &self.fit.run(run);
        let problem = self.problem(&self.table)?;
        self.fit.procedure(&problem, self.blocks.size(), report, run)
    }

    /// The procedure of a plan of this draft.
    fn planned(&self, plan: &Plan, run: &Run) -> Result<Procedure<'_>> {
        self.demand(plan)?;
        self.procedure(&mut Report::default(), run)
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
            tables: self.table_blocks(&procedure),
        })
    }

    /// The blocks that can be compared as tables.
    fn table_blocks(&self, procedure: &Procedure<'_>) -> Option<TableBlocks> {
        let is_sampled = self.blocks.queries() < self.blocks.count();
        let first = if is_sampled { self.blocks.queries() } else { 0 };
        let of_first = if is_sampled { self.blocks.places_of_queries() } else { 0 };
        let (firsts, others) = procedure.order().split_at(of_first);
        // Codes of categories are those of all rows.
        let has_codes =
            |kind: &ColumnKind| matches!(kind, ColumnKind::Categorical | ColumnKind::Ordinal);
        let has_tables = procedure.search().is_ok_and(|search| search.map.is_none())
            && others.is_sorted()
            && !self.kinds.iter().any(has_codes);
        let range = |block: usize| {
            let places = self.blocks.places(block);
            let row = |place: usize| procedure.order()[place] as usize;
            row(places.start)..row(places.end - 1) + 1
        };
        has_tables.then(|| {
            let mut rows_of_first = firsts.to_vec();
            rows_of_first.sort_unstable();
            let ranges = (first..self.blocks.count()).map(range).collect();
            TableBlocks { first, rows_of_first, ranges }
        })
    }

    fn column_blocks(&self) -> Vec<Range<usize>> {
        let width = self.width();
        let starts = (0..width).step_by(self.together);
        starts.map(|start| start..(start + self.together).min(width)).collect()
    }

    /// The columns of a [block](Layout::columns) of columns.
    ///
    /// # Errors
    /// The block does not exist.
    pub fn columns(&self, number: usize) -> Result<Range<usize>> {
        let all = self.column_blocks();
        all.get(number).cloned().ok_or_else(|| {
            Error::Internal(format!("column block {number} of {} does not exist", all.len()))
        })
    }

    /// Number of columns.
    pub fn width(&self) -> usize {
        self.names.len()
    }

    /// Names and kinds of some columns.
    ///
    /// # Panics
    /// A column does not exist.
    pub fn named(&self, columns: impl Iterator<Item = usize> + Clone) -> (Names, Vec<ColumnKind>) {
        let names = columns.clone().map(|at| &self.names[at]);
        (names.collect(), columns.map(|at| self.kinds[at]).collect())
    }

    /// The label of the facts about a block of columns.
    fn facts_label(&self, number: usize) -> Label {
        Label::new(self.number, format!("the facts about block {} of columns", number + 1))
    }

    /// The label of the cell of a block of columns and a block of rows.
    fn cell_label(&self, number: usize, block: usize) -> Label {
        let (number, block) = (number + 1, block + 1);
        Label::new(
            self.number,
            format!("the cell of block {number} of columns and {block} of rows"),
        )
    }

    /// The facts about a block of columns, which the [plan](Self::plan) requires, its cells, by block of rows, and whether no
    /// value is missing. This number of first blocks get cells; `None` stands for all. `table` has these columns, with all rows.
    ///
    /// # Errors
    /// Columns or rows differ from those of the draft; [`Error::Cancelled`].
    pub fn cells(
        &self,
        number: usize,
        table: &Table<'_>,
        blocks: Option<usize>,
        run: &Run,
    ) -> Result<(Vec<u8>, Vec<Vec<u8>>, bool)> {
        let columns: Vec<usize> = self.columns(number)?.collect();
        self.demand_columns(&columns, self.target.rows(), table)?;
        let blocks = blocks.unwrap_or(usize::MAX).min(self.blocks.count());
        let run = &self.fit.run(run);
        let procedure = self.procedure(&mut Report::default(), run)?;
        let (features, cells, origin) = procedure.in_unit(table, |columns, origin| {
            let space = procedure.space_of(columns, run)?;
            let mut cells = Vec::with_capacity(blocks);
            for block in 0..blocks {
                run.check()?;
                let rows = &procedure.order()[self.blocks.places(block)];
                let (of_rows, features) = space.select_rows(rows);
                let cell = Cell::written(of_rows.columns(), &features);
                cells.push(seal(&cell, &self.cell_label(number, block)));
            }
            // Of the missing values, only whether there are any.
            let of_no_rows = space.features_of(&[]).into_iter().zip(space.features());
            let features: Vec<WrittenFeature> = of_no_rows
                .map(|(feature, own)| {
                    let (rule, _, table) = feature.into_parts();
                    let any = own.missing_rows().iter().take(1).map(|_| 0).collect();
                    WrittenFeature::from(&Feature::new(rule, any, table))
                })
                .collect();
            Ok((features, cells, origin))
        })?;
        let is_complete = features.iter().all(WrittenFeature::is_complete);
        let facts = ColumnFacts {
            fingerprints: Packed(table.fingerprints(run)?),
            looks: looks_of(table, run)?,
            features,
            origin,
            cells: Packed(cells.iter().map(|cell| checksum(cell)).collect()),
        };
        Ok((seal(&facts, &self.facts_label(number)), cells, is_complete))
    }

    /// Refuses a table without these columns or with another number of rows.
    fn demand_columns(&self, columns: &[usize], rows: usize, table: &Table<'_>) -> Result<()> {
        let wrong =
            |what: String| Err(Error::data(what, "give the columns that the fit was planned with"));
        let found = table.rows();
        if found != rows {
            return wrong(format!("there are {found} rows in place of {rows}"));
        }
        let (planned, found) = (columns.len(), table.width());
        if found != planned {
            return wrong(format!("there are {found} columns in place of {planned}"));
        }
        for (own, &at) in table.columns().iter().zip(columns) {
            let (name, kind) = (&self.names[at], self.kinds[at]);
            if own.name() != name || own.kind() != kind {
                let [found, planned] = [own.name(), name].map(wording::quoted);
                let [is, was] = [own.kind(), kind].map(ColumnKind::name);
                return wrong(format!("column {found} ({is}) came in place of {planned} ({was})"));
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
            let range = widest_range(&features);
            give_range(&mut features, range);
        }
        let procedure = self.procedure(&mut Report::default(), run)?;
        if let Some(covariates) = self.covariates_of(&procedure, &[], run)? {
            features.extend(covariates.into_table()?.1);
        }
        let both = (&procedure, &procedure.space_of_features(features));
        Plan::from_facts(self.fit.clone(), facts, both, self.blocks.size(), usize::MAX, run)
    }

    /// The facts about all columns, and their features.
    fn gathered(&self, facts: &[Vec<u8>]) -> Result<(TableFacts, Vec<Feature<'static>>)> {
        let mut all = TableFacts {
            target: self.target.fingerprint(),
            roles: self.roles.roles().fingerprints().map(|(_, number)| number),
            draft: Some(self.number),
            columns_together: self.together,
            origin: self.fit.makes_map().then(Default::default),
            ..TableFacts::default()
        };
        let (mut features, mut looks) = (Vec::new(), Vec::with_capacity(self.names.len()));
        let mut with_cells = None;
        let blocks = self.column_blocks();
        if facts.len() != blocks.len() {
            return Err(damaged("the facts of some columns are missing"));
        }
        for (number, (bytes, columns)) in facts.iter().zip(blocks).enumerate() {
            let own: ColumnFacts = open(bytes, &self.facts_label(number))?;
            let counts = [own.features.len(), own.looks.len()];
            if counts != [columns.len(); 2] || own.origin.is_some() != all.origin.is_some() {
                return Err(damaged("they are of other columns"));
            }
            let blocks = *with_cells.get_or_insert(own.cells.0.len());
            if blocks < self.blocks.count() {
                if !own.features.iter().all(WrittenFeature::is_complete) {
                    return Err(damaged("blocks with missing values have no cells"));
                }
                all.features.extend(own.features.iter().cloned());
            }
            for feature in own.features {
                features.push(feature.read(0)?);
            }
            looks.extend(own.looks);
            all.columns.0.extend(own.fingerprints.of_length(columns.len())?);
            all.cells.0.extend(own.cells.of_length(blocks)?);
            if let (Some(all), Some(own)) = (&mut all.origin, own.origin) {
                all.mean.extend(Packed(own.mean).of_length(columns.len())?);
                all.units.extend(Packed(own.units).of_length(columns.len())?);
            }
        }
        all.blocks_with_cells = with_cells.unwrap_or_default();
        let names = self.names.iter().map(String::as_str);
        let named =
            names.zip(&self.kinds).zip(looks).map(|((name, kind), look)| (name, *kind, look));
        all.column_warnings = warnings_of_looks(&named.collect::<Vec<_>>());
        Ok((all, features))
    }

    /// The pairs of blocks of rows that a stage compares, or of blocks of columns of every part of
    /// [`Stage::Scatter`], two or the same twice. Each is a task, which requires both.
    ///
    /// # Errors
    /// A plan of another draft; [`Error::Cancelled`].
    pub fn pairs(&self, plan: &Plan, stage: Stage, run: &Run) -> Result<Vec<(usize, usize)>> {
        let procedure = self.planned(plan, run)?;
        if stage == Stage::Scatter {
            return Ok((0..plan.cut(stage).map_or(0, Cut::parts)).map(blocks_of).collect());
        }
        Ok(pairs_of(&procedure.search()?.job, stage))
    }

    /// The covariates of some rows, with their features, if they count in distances.
    fn covariates_of(
        &self,
        procedure: &Procedure<'_>,
        rows: &[u32],
        run: &Run,
    ) -> Result<Option<Cell<'static>>> {
        let covariates = self.roles.roles().covariates().filter(|own| own.are_in_distance());
        let Some(covariates) = covariates else { return Ok(None) };
        let space = procedure.space_of(covariates.table(), run)?;
        Ok(Some(Cell::from(space.select_rows(rows))))
    }

    /// Compares two blocks of rows. The second is not used where it is the first one. `measured` are the merged
    /// results of the measuring stages. Each result is of one block.
    ///
    /// # Errors
    /// The pair does not exist; cells are missing, damaged, or not those of the plan; a table has other columns
    /// or another number of rows, or its block requires cells; too little memory; [`Error::Cancelled`].
    pub fn compare<B: AsRef<[u8]>>(
        &self,
        plan: &Plan,
        stage: Stage,
        measured: &[Vec<u8>],
        pair: (usize, usize),
        [first, second]: [BlockRows<'_, B>; 2],
        run: &Run,
    ) -> Result<Vec<(usize, Vec<u8>)>> {
        let procedure = self.planned(plan, run)?;
        let run = &self.fit.run(run);
        let search = procedure.search()?;
        let job = &search.job;
        let label = &Label::result(plan.number(), stage, part_of(job, stage, pair)?);
        let measured = read_measured(plan, measured)?;
        let mut cell = self.block(plan, pair.0, first)?;
        if pair.0 != pair.1 {
            cell = cell.with_rows(self.block(plan, pair.1, second)?)?;
        }
        let rows = job.rows(pair);
        cell.add_columns(self.covariates_of(&procedure, &rows, run)?.unwrap_or_default());
        let (table, mut features) = cell.into_table()?;
        if plan.makes_map() {
            // The unit is that of all columns, which a cell lacks.
            give_range(&mut features, plan.data.range);
        }
        let local = search.space_of_rows(&table, &rows, features);
        let results = compare(stage, job, &local, pair, &measured, run)?.into_iter();
        Ok(results.map(|result| (result.0, seal(&vec![result], label))).collect())
    }

    /// All columns of a block of rows.
    fn block<'b, B: AsRef<[u8]>>(
        &self,
        plan: &Plan,
        block: usize,
        rows: BlockRows<'b, B>,
    ) -> Result<Cell<'b>> {
        match rows {
            BlockRows::Cells(cells) => self.block_of_cells(plan, block, cells),
            BlockRows::Table(table) => {
                let all: Vec<usize> = (0..self.width()).collect();
                let rows = self.blocks.places(block).len();
                self.demand_columns(&all, rows, &table)?;
                let features = plan.data.facts.features.iter().cloned();
                let features: Vec<_> = features.map(|own| own.read(rows)).collect::<Result<_>>()?;
                if features.is_empty() {
                    return Err(damaged("the plan requires cells"));
                }
                Ok(Cell::from((table, features)))
            }
        }
    }

    /// The cells of a block of rows, side by side.
    fn block_of_cells<B: AsRef<[u8]>>(
        &self,
        plan: &Plan,
        block: usize,
        cells: &[B],
    ) -> Result<Cell<'static>> {
        let (columns, with_cells) = (self.column_blocks(), plan.data.facts.blocks_with_cells);
        if cells.len() != columns.len() || block >= with_cells {
            return Err(damaged("a cell is missing"));
        }
        let rows = self.blocks.places(block).len();
        let mut all = Cell::default();
        for (number, (cell, columns)) in cells.iter().zip(columns).enumerate() {
            let bytes = cell.as_ref();
            let cell = open(bytes, &self.cell_label(number, block))?;
            let place = number * with_cells + block;
            if plan.data.facts.cells.0.get(place) != Some(&checksum(bytes)) {
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
        let procedure = self.planned(plan, run)?;
        let job = &procedure.search()?.job;
        let results = by_blocks(comparisons(plan, job, stage, results), |_| true)?;
        let Measured { pairs, own } = plan.measured(job, stage, results)?;
        let both = [vec![pairs], own].map(BlockResult::from);
        Ok(seal(&both, &measured_label(plan, stage)))
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
        let procedure = self.planned(plan, run)?;
        let job = &procedure.search()?.job;
        let results = comparisons(plan, job, Stage::Search, results);
        plan.lists_of_blocks(block, job, results, run)
    }

    /// The problem of a part of a stage that divides columns or permutes the target. `table` has all rows and the
    /// columns that the part [requires](Plan::columns_of).
    ///
    /// # Errors
    /// The plan is of another draft; columns or rows differ from those of the plan.
    pub fn problem_of_part<'t>(
        &'t self,
        plan: &Plan,
        (stage, part): (Stage, usize),
        table: &'t Table<'t>,
    ) -> Result<Problem<'t>> {
        self.demand(plan)?;
        self.demand_columns(&plan.columns_of(stage, part)?, self.target.rows(), table)?;
        self.problem(table)
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
        let procedure = self.planned(plan, run)?;
        plan.items(Stage::Margins, part)?;
        if cells.len() != self.blocks.count() {
            return Err(damaged("the cells of a block are missing"));
        }
        let reweighting = procedure.iterations()?;
        let of_block = |(block, cells): (usize, &Vec<B>)| self.block_of_cells(plan, block, cells);
        let blocks = cells.iter().enumerate().map(of_block);
        let joined = blocks.reduce(|joined, block| joined?.with_rows(block?));
        let (table, features) = joined.ok_or_else(|| damaged("it has no blocks"))??.into_table()?;
        let space = reweighting.space_in_order(&table, features);
        let order = (0..self.target.rows() as u32).collect();
        plan.margins_of((reweighting, &space, order), part, &self.fit.run(run))
    }

    /// Refuses the plan of another draft.
    pub(super) fn demand(&self, plan: &Plan) -> Result<()> {
        if plan.data.facts.draft == Some(self.number) {
            return Ok(());
        }
        Err(Error::data("the plan is of another fit", "give the plan that was made of this one"))
    }
}

/// One column without information.
fn without_information(rows: usize) -> Result<Table<'static>> {
    Table::new(vec![Column::genotype("", vec![0; rows].into())?])
}

/// The label of the merged results of a measuring stage.
fn measured_label(plan: &Plan, stage: Stage) -> Label {
    Label::new(plan.number(), format!("the merged results of stage {}", stage.name()))
}

/// The measured distances, from the [merged results](Draft::measured) of the measuring stages.
fn read_measured(plan: &Plan, measured: &[Vec<u8>]) -> Result<Measured> {
    let mut all = plan.known_distances();
    let stages = [Stage::Measure, Stage::Radii].into_iter();
    let stages = stages.filter(|stage| plan.cut(*stage).is_some());
    for (stage, bytes) in stages.zip(measured) {
        let [pairs, own]: [BlockResult; 2] = open(bytes, &measured_label(plan, stage))?;
        all.pairs = pairs.into_moments()?.first().copied().unwrap_or_default();
        all.own = own.into_moments()?;
    }
    Ok(all)
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
            // The size of values as they travel, in whole bytes.
            let bytes = |kind: &ColumnKind| kind.bits().div_ceil(8);
            let row_bytes = ROW_BYTES.min(MOST_BYTES / (rows as u64).max(1));
            let width = kinds.len() as u64;
            (row_bytes * width / kinds.iter().map(bytes).sum::<u64>().max(1)) as usize
        }
    };
    Ok(together.max(1).next_multiple_of(least))
}

/// The comparisons that results contain.
fn comparisons<'r>(
    plan: &'r Plan,
    search: &'r SearchJob<'_>,
    stage: Stage,
    results: &'r [PairResult],
) -> impl Iterator<Item = Result<Comparisons>> + use<'r> {
    results.iter().map(move |(pair, bytes)| {
        open(bytes, &Label::result(plan.number(), stage, part_of(search, stage, *pair)?))
    })
}
