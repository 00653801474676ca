//! A fit whose parts are given only the rows and columns that they require.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::cell::{Cell, WrittenFeature};
use super::fingerprints::{column_fingerprints, target_fingerprint};
use super::fit_spec::{FitSpec, Procedure, SearchSteps};
use super::messages::{BlockResult, ByBlocks};
use super::parted_method::PartedMethod;
use super::plan::{Plan, TableFacts, packed_origin};
use super::stage::Stage;
use super::tasks::{Results, add_comparisons, compare, pairs_of};
use super::wire::{Label, Packed, checksum, damaged, open, seal};
use crate::data::{
    Classes, Column, ColumnKind, ColumnLook, Table, Target, looks_of, warnings_of_looks,
};
use crate::differences::{Feature, give_range, widest_range};
use crate::error::{Error, Result};
use crate::margins::scatter::SCATTER_COLUMNS;
use crate::methods::{Problem, ScaledRows, Settings};
use crate::neighbors::{Measured, RowBlocks, SearchJob};
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
        let fit = FitSpec::new(method.into(), settings, run);
        let (names, kinds): (Vec<String>, Vec<ColumnKind>) = columns.into_iter().unzip();
        // A table refuses names that occur twice.
        let empty = |name: &String| Column::genotype(name.clone(), vec![0].into());
        Table::new(names.iter().map(empty).collect::<Result<_>>()?)?;
        let rows = target.rows();
        let asked = fit.block_rows(block_rows, rows, kinds.iter().copied())?;
        let least = if fit.makes_map() { SCATTER_COLUMNS } else { LEAST_COLUMNS };
        let together = checked_block_columns(block_columns, rows, &kinds, least)?;
        let blocks = RowBlocks::new(rows, rows, asked);
        let mut draft = Self::with_blocks(fit, target, (names, kinds), blocks, together)?;
        let procedure = draft.procedure(&mut Report::default(), run)?;
        let blocks = draft.fit.row_blocks(&procedure, block_rows)?;
        let needs_all = procedure.search().is_ok_and(|search| !search.steps.columns_apart);
        drop(procedure);
        draft.blocks = blocks;
        if needs_all {
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
        seal(&contents, &Label::new(0, DRAFT))
    }

    /// Reads a draft.
    ///
    /// # Errors
    /// The bytes are not a draft, are of another version, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        type Contents = (FitSpec, Vec<String>, Vec<ColumnKind>, [usize; 3], WrittenTarget);
        let (fit, names, kinds, sizes, target): Contents = open(bytes, &Label::new(0, DRAFT))?;
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

    /// The problem of the target and one column without information.
    fn problem(&self) -> Result<Problem<'_>> {
        Problem::new(&self.table, &self.target)
    }

    /// The problem of a plan of this draft, with one column without information: for functions of the plan that
    /// look only at the target.
    ///
    /// # Errors
    /// The plan is of another draft.
    pub fn problem_of(&self, plan: &Plan) -> Result<Problem<'_>> {
        self.demand(plan)?;
        self.problem()
    }

    /// The procedure of the method; its warnings about the target go to the report.
    pub(super) fn procedure(&self, report: &mut Report, run: &Run) -> Result<Procedure<'_>> {
        let run = &self.fit.run(run);
        self.fit.procedure(&self.problem()?, self.blocks.size(), report, run)
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
        let procedure = self.procedure(&mut Report::default(), run)?;
        let scaled = procedure.scaled(table)?;
        let in_unit = scaled.as_ref().map(ScaledRows::table).transpose()?;
        let space = procedure.space_of(in_unit.as_ref().unwrap_or(table), run)?;
        let mut cells = Vec::with_capacity(self.blocks.count());
        for block in 0..self.blocks.count() {
            run.check()?;
            let rows = &procedure.order()[self.blocks.places(block)];
            let (of_rows, features) = space.select_rows(rows);
            let cell = Cell::written(of_rows.columns(), &features);
            cells.push(seal(&cell, &self.cell_label(number, block)));
        }
        let has_missing = |feature: &Feature<'_>| !feature.missing_rows.is_empty();
        let facts = ColumnFacts {
            fingerprints: Packed(column_fingerprints(table, run)?),
            looks: looks_of(table, run)?,
            features: space.features_of(&[]).iter().map(WrittenFeature::from).collect(),
            has_missing: space.features().iter().map(has_missing).collect(),
            origin: scaled.as_ref().map(packed_origin),
            cells: Packed(cells.iter().map(|cell| checksum(cell)).collect()),
        };
        Ok((seal(&facts, &self.facts_label(number)), cells))
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
            let range = widest_range(&features);
            give_range(&mut features, range);
        }
        let procedure = self.procedure(&mut Report::default(), run)?;
        let both = (&procedure, &procedure.space_of_features(features));
        Plan::from_facts(self.fit.clone(), facts, both, self.blocks.size(), usize::MAX, run)
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
            let own: ColumnFacts = open(bytes, &self.facts_label(number))?;
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
        let procedure = self.procedure(&mut Report::default(), run)?;
        Ok(pairs_of(&procedure.search()?.job, stage))
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
        let procedure = self.planned(plan, run)?;
        let run = &self.fit.run(run);
        let SearchSteps { steps, job, .. } = procedure.search()?;
        let label = &Label::result(plan.number(), stage, part_of(job, stage, pair)?);
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
        let local = steps.space_of_rows(&table, &job.rows(pair), features);
        let results = compare(stage, job, &local, pair, &measured, run)?.into_iter();
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
            let bytes = cell.as_ref();
            let cell = open(bytes, &self.cell_label(number, block))?;
            let place = number * self.blocks.count() + block;
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
        let results = by_blocks(plan, job, stage, results, &|_| true)?;
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
        plan.existing(Stage::Lists, block)?;
        let job = &procedure.search()?.job;
        let results = by_blocks(plan, job, Stage::Search, results, &|own| own == block)?;
        plan.lists_of_blocks(block, job, results, run)
    }

    /// The result of a part of [`Stage::Sums`] or [`Stage::Scatter`], from the [neighbors](Self::lists) of all
    /// blocks of rows in their order. `table` has all rows and the columns of the part: those of one
    /// [block](Layout::columns), or of the [one or two](Self::scatter_pairs) of a part of the scatter.
    ///
    /// # Errors
    /// Columns or rows differ from those of the plan; neighbors are missing, damaged or of another plan; too
    /// little memory; [`Error::Cancelled`].
    pub fn work(
        &self,
        plan: &Plan,
        (stage, part): (Stage, usize),
        table: &Table<'_>,
        lists: Results<'_>,
        run: &Run,
    ) -> Result<Vec<u8>> {
        self.demand(plan)?;
        self.demand_columns(&plan.columns_of(stage, part)?, table)?;
        plan.work(stage, part, &Problem::new(table, &self.target)?, lists, run)
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
        plan.existing(Stage::Margins, part)?;
        if cells.len() != self.blocks.count() {
            return Err(damaged("the cells of a block are missing"));
        }
        let reweighting = procedure.iterations()?;
        let blocks = cells.iter().enumerate().map(|(block, cells)| self.block(plan, block, cells));
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
        let results = open(bytes, &Label::result(plan.number(), stage, part))?;
        add_comparisons(results, wanted, &mut all);
    }
    Ok(all)
}
