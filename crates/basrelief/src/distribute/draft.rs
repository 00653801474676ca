//! A fit whose parts are given only the rows and columns that they need.

use std::ops::Range;

use basrelief_kernels::Moments;
use serde_json::{Value, json};

use super::cell::{Cell, read_features, write_features};
use super::parted_method::PartedMethod;
use super::plan::{Known, Plan, checked_block_rows, parted, refuse_block_rows, steps};
use super::print;
use super::stage::Stage;
use super::tasks::{ByBlocks, Results, add_told, compare, oddities, pairs_of};
use super::wire::{
    Content, Label, Reader, Weights, Writer, checksum, damaged, read_moments, write_found,
    write_moments, write_told,
};
use crate::data::{
    Classes, Column, ColumnKind, ColumnLook, Table, Target, looks_of, warnings_of_looks,
};
use crate::differences::{Feature, Space, give_range, widest_range};
use crate::error::{Error, Result};
use crate::margins::scatter::SCATTER_COLUMNS;
use crate::methods::{
    MapSteps, Origin, Problem, Reweighting, ScaledRows, Settings, Steps, nobody_near,
};
use crate::neighbors::{Measured, RowBlocks, SearchJob};
use crate::report::Report;
use crate::run::Run;
use crate::warning::Warning;
use crate::wording;

/// Bytes that columns that are taken together have in a row, about: sums then read whole lines of memory,
/// and what a task does once for every neighbor is little beside them.
const BYTES_OF_ROW: u64 = 512;

/// Bytes that they have at most, unless [`COLUMNS_AT_LEAST`] are more.
const BYTES_TOGETHER: u64 = 1 << 27;

/// Columns that are taken together, at least; their number is a multiple of it.
const COLUMNS_AT_LEAST: usize = 8;

/// A fit before its columns are known: the method, the target, and what the columns are called.
///
/// It is bytes between machines, and holds the target, of 4 or 8 bytes a row. Its functions are pure: given
/// the same, they give the same bytes.
#[derive(Debug, Clone)]
pub struct Draft {
    method: PartedMethod,
    settings: Settings,
    seed: u64,
    target: Target,
    names: Vec<String>,
    kinds: Vec<ColumnKind>,
    blocks: RowBlocks,
    /// Columns that are taken together.
    together: usize,
    /// By what all that is made for it knows it.
    number: u64,
}

/// How rows and columns are cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// Per row, its place: blocks of rows are cut of the places.
    pub places: Vec<u32>,
    /// Rows of a block; the last has fewer.
    pub block_rows: usize,
    /// Number of blocks.
    pub blocks: usize,
    /// The first so many blocks have rows whose neighbors are sought.
    pub queries: usize,
    /// The columns that are taken together.
    pub columns: Vec<Range<usize>>,
}

/// What two blocks of rows tell of one: which two, and the bytes.
pub type PairResult = ((usize, usize), Vec<u8>);

impl Draft {
    /// Of columns with these names and kinds; the run's seed draws the sampled rows. Rows lie in blocks of
    /// `block_rows`, and `block_columns` are taken together, or as many as the data suggest.
    ///
    /// # Errors
    /// A method that cannot be computed in parts; what the method says of the target and its options; two
    /// columns of one name, or none; no rows or columns in a block; [`Error::Cancelled`].
    pub fn new(
        method: impl Into<PartedMethod>,
        settings: &Settings,
        target: Target,
        columns: Vec<(String, ColumnKind)>,
        block_rows: Option<usize>,
        block_columns: Option<usize>,
        run: &Run,
    ) -> Result<Self> {
        let method = method.into();
        let (names, kinds): (Vec<String>, Vec<ColumnKind>) = columns.into_iter().unzip();
        // What a table says of its columns' names.
        let empty = |name: &String| Column::genotype(name.clone(), vec![0].into());
        Table::new(names.iter().map(empty).collect::<Result<_>>()?)?;
        let rows = target.rows();
        let is_map = matches!(method, PartedMethod::Map(_));
        // Of a map the rows are numbers, whatever they were.
        let packed = |kind: &ColumnKind| if is_map { ColumnKind::Numeric } else { *kind };
        let asked = checked_block_rows(block_rows, rows, kinds.iter().map(packed))?;
        let least = if is_map { SCATTER_COLUMNS } else { COLUMNS_AT_LEAST };
        let together = checked_block_columns(block_columns, rows, &kinds, least)?;
        let mut draft = Self {
            method,
            settings: settings.clone(),
            seed: run.seed(),
            target,
            names,
            kinds,
            blocks: RowBlocks::new(rows, rows, asked),
            together,
            number: 0,
        };
        let (apart, blocks) = draft.with_course(run, |course| match course {
            Course::Steps(steps, search) => Ok((steps.columns_apart, search.row_blocks())),
            Course::Reweighting(own) => {
                refuse_block_rows(method.name(), block_rows)?;
                Ok((true, RowBlocks::new(rows, rows, own.block_rows)))
            }
        })?;
        draft.blocks = blocks;
        if !apart {
            draft.together = draft.names.len();
        }
        draft.number = checksum(&draft.to_bytes());
        Ok(draft)
    }

    /// Calls `of` with what the method does. It knows the target and no column.
    fn with_course<T>(&self, run: &Run, of: impl FnOnce(&Course<'_>) -> Result<T>) -> Result<T> {
        self.with_told_course(&mut Report::default(), run, of)
    }

    /// The same; what the method warns of goes to the report.
    fn with_told_course<T>(
        &self,
        report: &mut Report,
        run: &Run,
        of: impl FnOnce(&Course<'_>) -> Result<T>,
    ) -> Result<T> {
        // What the method says of a problem is said of its target and its rows.
        self.with_target(|problem| {
            let run = run.asking_for(&[]).with_seed(self.seed);
            if let Some(map) = self.method.map_steps(problem, &self.settings)? {
                let steps = map.search(problem.table())?;
                let search = parted(&steps, self.blocks.size());
                return of(&Course::Steps(steps, search));
            }
            let info = self.method.weighing()?;
            if let Some(own) = info.reweighting(problem, &self.settings)? {
                return of(&Course::Reweighting(own));
            }
            let steps = steps(info, &self.settings, problem, report, &run)?;
            let search = parted(&steps, self.blocks.size());
            of(&Course::Steps(steps, search))
        })
    }

    /// Calls `of` with a problem of the target, and of one column that tells nothing.
    pub(super) fn with_target<T>(&self, of: impl FnOnce(&Problem<'_>) -> Result<T>) -> Result<T> {
        let copies = vec![0; self.target.rows()];
        let table = Table::new(vec![Column::genotype("", copies.into())?])?;
        of(&Problem::new(&table, &self.target)?)
    }

    /// Calls `of` with the steps of the map that the method learns.
    pub(super) fn with_map<T>(&self, of: impl FnOnce(&MapSteps<'_>) -> Result<T>) -> Result<T> {
        self.with_target(|problem| match self.method.map_steps(problem, &self.settings)? {
            Some(map) => of(&map),
            None => Err(Error::Internal(format!("{} learns no map", self.method.name()))),
        })
    }

    /// Some columns, centered and scaled, where a map is learned of them.
    fn scaled(&self, table: &Table<'_>) -> Result<Option<ScaledRows>> {
        match self.method {
            PartedMethod::Weights(_) => Ok(None),
            PartedMethod::Map(_) => self.with_map(|map| map.scaled(table).map(Some)),
        }
    }

    /// The target.
    pub(super) fn target(&self) -> &Target {
        &self.target
    }

    /// Calls `of` with the method's steps and the search that they ask for.
    fn with_steps<T>(
        &self,
        report: &mut Report,
        run: &Run,
        of: impl FnOnce(&Steps<'_>, &SearchJob<'_>) -> Result<T>,
    ) -> Result<T> {
        self.with_told_course(report, run, |course| match course {
            Course::Steps(steps, search) => of(steps, search),
            Course::Reweighting(_) => {
                Err(Error::Internal(format!("{} searches no neighbors", self.method.name())))
            }
        })
    }

    /// Calls `of` with what the iterations of the method need.
    pub(super) fn with_reweighting<T>(
        &self,
        run: &Run,
        of: impl FnOnce(&Reweighting<'_>) -> Result<T>,
    ) -> Result<T> {
        self.with_course(run, |course| match course {
            Course::Reweighting(own) => of(own),
            Course::Steps(..) => {
                Err(Error::Internal(format!("{} does not go round", self.method.name())))
            }
        })
    }

    fn written(&self) -> Writer {
        let options: Vec<[String; 2]> = self
            .settings
            .iter()
            .map(|(name, value)| [name.to_string(), value.to_string()])
            .collect();
        let kinds: Vec<&str> = self.kinds.iter().map(|kind| kind.name()).collect();
        let classes = match &self.target {
            Target::Classes(classes) => Some(classes.names()),
            Target::Real(_) => None,
        };
        let text = json!({
            "method": self.method.name(),
            "options": options,
            "seed": self.seed,
            "names": self.names,
            "kinds": kinds,
            "classes": classes,
            "block_rows": self.blocks.size(),
            "places_of_queries": self.blocks.places_of_queries(),
            "columns_together": self.together,
        });
        let mut writer = Writer::default();
        writer.bytes(text.to_string().as_bytes());
        match &self.target {
            Target::Classes(classes) => writer.u32s(classes.codes()),
            Target::Real(values) => writer.f64s(values),
        }
        writer
    }

    /// The draft as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.written().sealed(Label { plan: 0, content: Content::Draft, part: 0 })
    }

    /// Reads a draft.
    ///
    /// # Errors
    /// The bytes are none, one of another version, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let label = Label { plan: 0, content: Content::Draft, part: 0 };
        let mut reader = Reader::open(bytes, label)?;
        let text: Value =
            serde_json::from_slice(reader.bytes()?).map_err(|_| damaged("it is no JSON"))?;
        let target = match text["classes"].as_array() {
            Some(names) => {
                let names: Option<Vec<String>> =
                    names.iter().map(|name| Some(name.as_str()?.to_string())).collect();
                let names = names.ok_or_else(|| damaged("a class has no name"))?;
                Target::Classes(Classes::from_codes(&reader.u32s()?, &names)?)
            }
            None => Target::real(reader.f64s()?)?,
        };
        reader.end()?;
        Self::of_json(&text, target, checksum(bytes))
            .ok_or_else(|| damaged("a part of it is not there"))
    }

    fn of_json(text: &Value, target: Target, number: u64) -> Option<Self> {
        let method = PartedMethod::named(text["method"].as_str()?).ok()?;
        let texts = |value: &Value| -> Option<Vec<String>> {
            value.as_array()?.iter().map(|text| Some(text.as_str()?.to_string())).collect()
        };
        let options: Option<Vec<(String, String)>> = text["options"]
            .as_array()?
            .iter()
            .map(|pair| Some((pair[0].as_str()?.to_string(), pair[1].as_str()?.to_string())))
            .collect();
        let count = |value: &Value| usize::try_from(value.as_u64()?).ok().filter(|n| *n > 0);
        let kinds = texts(&text["kinds"])?;
        let kinds = kinds.iter().map(|kind| ColumnKind::from_name(kind)).collect::<Option<_>>()?;
        let (queries, block_rows) =
            (count(&text["places_of_queries"])?, count(&text["block_rows"])?);
        let blocks = RowBlocks::new(target.rows(), queries, block_rows);
        Some(Self {
            method,
            settings: method.settings(&options?).ok()?,
            seed: text["seed"].as_u64()?,
            target,
            names: texts(&text["names"])?,
            kinds,
            blocks,
            together: count(&text["columns_together"])?,
            number,
        })
    }

    /// How rows and columns are cut.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn layout(&self, run: &Run) -> Result<Layout> {
        self.with_course(run, |course| {
            let mut places = vec![0; self.target.rows()];
            (0..).zip(course.order()).for_each(|(place, &row)| places[row as usize] = place);
            Ok(Layout {
                places,
                block_rows: self.blocks.size(),
                blocks: self.blocks.count(),
                queries: self.blocks.queries(),
                columns: self.columns_together(),
            })
        })
    }

    fn is_map(&self) -> bool {
        matches!(self.method, PartedMethod::Map(_))
    }

    fn columns_together(&self) -> Vec<Range<usize>> {
        let width = self.names.len();
        let starts = (0..width).step_by(self.together);
        starts.map(|start| start..(start + self.together).min(width)).collect()
    }

    /// The columns that are taken together with that number.
    fn columns(&self, number: usize) -> Result<Range<usize>> {
        let all = self.columns_together();
        all.get(number).cloned().ok_or_else(|| {
            Error::Internal(format!("there are no columns {number} of {}", all.len()))
        })
    }

    /// Names and kinds of the columns that are taken together with that number.
    ///
    /// # Errors
    /// There are none.
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

    /// What is known of the columns that are taken together with that number, and, for every block, the
    /// cell of its rows. `table` has these columns, with all rows.
    ///
    /// # Errors
    /// Other columns or rows than the draft has; [`Error::Cancelled`].
    pub fn cells(
        &self,
        number: usize,
        table: &Table<'_>,
        run: &Run,
    ) -> Result<(Vec<u8>, Vec<Vec<u8>>)> {
        let columns: Vec<usize> = self.columns(number)?.collect();
        self.demand_columns(&columns, table)?;
        let run = &run.asking_for(&[]).with_seed(self.seed);
        let scaled = self.scaled(table)?;
        let in_unit = scaled.as_ref().map(ScaledRows::table).transpose()?;
        self.with_course(run, |course| {
            let space = course.space_of(in_unit.as_ref().unwrap_or(table), run)?;
            let mut facts = Writer::default();
            facts.u64s(&print::of_columns(table, run)?);
            let has_missing = |feature: &Feature<'_>| u32::from(!feature.missing_rows.is_empty());
            facts.u32s(&space.features().iter().map(has_missing).collect::<Vec<u32>>());
            let looks = looks_of(table, run)?;
            facts.u32s(&looks.iter().map(|look| look.known).collect::<Vec<u32>>());
            facts.u64s(&looks.iter().map(|look| look.hash).collect::<Vec<u64>>());
            let mut of_features = Writer::default();
            write_features(&space.features_of(&[]), &mut of_features);
            facts.bytes(&of_features.into_bytes());
            let Origin { mean, units } =
                scaled.as_ref().map(|scaled| scaled.origin.clone()).unwrap_or_default();
            facts.f64s(&mean);
            facts.f64s(&units);
            let mut prints = Vec::with_capacity(self.blocks.count());
            let mut cells = Vec::with_capacity(self.blocks.count());
            for block in 0..self.blocks.count() {
                run.check()?;
                let rows = &course.order()[self.blocks.places(block)];
                let (of_rows, features) = space.select_rows(rows);
                let part = number * self.blocks.count() + block;
                let label = Label { plan: self.number, content: Content::Cell, part };
                let cell = Cell::write(of_rows.columns(), &features).sealed(label);
                prints.push(checksum(&cell));
                cells.push(cell);
            }
            facts.u64s(&prints);
            let label = Label { plan: self.number, content: Content::Facts, part: number };
            Ok((facts.sealed(label), cells))
        })
    }

    /// Refuses a table that has not these columns, with all rows.
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

    /// The plan, from what is known of all columns.
    ///
    /// # Errors
    /// Facts that are missing, damaged or of another draft; [`Error::Cancelled`].
    pub fn plan(&self, facts: &[Vec<u8>], run: &Run) -> Result<Plan> {
        let run = &run.asking_for(&[]).with_seed(self.seed);
        let mut known = Known {
            columns: Vec::new(),
            cells: Vec::new(),
            draft: self.number,
            target: print::of_target(&self.target),
            together: self.together,
            oddities: Vec::new(),
            origin: None,
        };
        let mut origin = Origin::default();
        let mut looks = Vec::with_capacity(self.names.len());
        let mut features = Vec::new();
        let parts = self.columns_together();
        if facts.len() != parts.len() {
            return Err(damaged("the facts of some columns are missing"));
        }
        for (number, (bytes, columns)) in facts.iter().zip(&parts).enumerate() {
            let label = Label { plan: self.number, content: Content::Facts, part: number };
            let mut reader = Reader::open(bytes, label)?;
            let prints = reader.u64s()?;
            let has_missing = reader.u32s()?;
            let (known_values, hashes) = (reader.u32s()?, reader.u64s()?);
            let mut of_features = Reader::of(reader.bytes()?);
            let mut some = read_features(&mut of_features, 0)?;
            of_features.end()?;
            let (mean, units) = (reader.f64s()?, reader.f64s()?);
            let of_map = if self.is_map() { columns.len() } else { 0 };
            if [mean.len(), units.len()] != [of_map; 2] {
                return Err(damaged("they are of other columns"));
            }
            origin.mean.extend(mean);
            origin.units.extend(units);
            known.cells.extend(reader.u64s()?);
            reader.end()?;
            let counts =
                [prints.len(), has_missing.len(), some.len(), known_values.len(), hashes.len()];
            if counts != [columns.len(); 5] {
                return Err(damaged("they are of other columns"));
            }
            let found = known_values.into_iter().zip(hashes);
            looks.extend(found.map(|(known, hash)| ColumnLook { known, hash }));
            for (feature, has_missing) in some.iter_mut().zip(has_missing) {
                // Which rows miss a value does not matter; whether there are some does.
                feature.missing_rows = vec![0; has_missing.min(1) as usize];
            }
            known.columns.extend(prints);
            features.extend(some);
        }
        let named = self.names.iter().zip(&self.kinds).zip(looks);
        let named: Vec<_> =
            named.map(|((name, kind), look)| (name.as_str(), *kind, look)).collect();
        let odd = warnings_of_looks(&named);
        known.oddities = odd
            .iter()
            .map(|warning| [warning.code().to_string(), warning.marked().to_string()])
            .collect();
        if known.cells.len() != parts.len() * self.blocks.count() {
            return Err(damaged("they are of other cells"));
        }
        if self.is_map() {
            let is_constant = |feature: &Feature<'_>| feature.rule.is_constant();
            self.with_map(|map| map.check_spread(features.iter().all(is_constant)))?;
            let range = widest_range(&features);
            give_range(&mut features, range);
            known.origin = Some(origin);
        }
        let (method, settings) = (self.method, &self.settings);
        self.with_course(run, |course| match course {
            Course::Steps(steps, _) => {
                let codes = steps.conditional.map(|(codes, _)| codes);
                let space = Space::of_features(steps.table, codes, steps.space, features);
                let parts = [usize::MAX, usize::MAX];
                Plan::assembled(
                    method,
                    settings,
                    (steps, &space),
                    known,
                    self.blocks.size(),
                    parts,
                    run,
                )
            }
            Course::Reweighting(own) => {
                let codes = Some(own.conditional.0);
                let space = Space::of_features(own.table, codes, own.space, features);
                let info = method.weighing()?;
                Ok(Plan::of_iteration(info, settings, (own, &space), known, usize::MAX, run))
            }
        })
    }

    /// The pairs of blocks that a stage compares: each is a task, which needs the cells of both.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn pairs(&self, stage: Stage, run: &Run) -> Result<Vec<(usize, usize)>> {
        self.with_steps(&mut Report::default(), run, |_, search| Ok(pairs_of(search, stage)))
    }

    /// What two blocks of rows tell, from their cells in the order of the columns; those of the second are
    /// none where it is the first. `measured` is what earlier stages did. The results are of one block each.
    ///
    /// # Errors
    /// No such pair; cells that are missing, damaged, or not those of the plan; too little memory;
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
        let run = &run.asking_for(&[]).with_seed(self.seed);
        self.with_steps(&mut Report::default(), run, |steps, search| {
            let part = part_of(search, stage, pair)?;
            let measured = self.read_measured(plan, measured)?;
            let mut cell = self.block(plan, pair.0, first)?;
            if pair.0 != pair.1 {
                cell = cell.with_rows(self.block(plan, pair.1, second)?)?;
            }
            let (table, mut features) = cell.into_table()?;
            if plan.makes_map() {
                // The unit is that of all columns, which no cell has alone.
                give_range(&mut features, plan.range);
            }
            let local = steps.space_of_rows(&table, &search.rows(pair), features);
            let told = compare(stage, search, &local, pair, &measured, run)?;
            let label = Label::result(plan.number(), stage, part);
            let alone =
                |told: (usize, usize, Writer)| (told.0, write_told(vec![told]).sealed(label));
            Ok(told.into_iter().map(alone).collect())
        })
    }

    /// The cells of a block, side by side.
    fn block<B: AsRef<[u8]>>(&self, plan: &Plan, block: usize, cells: &[B]) -> Result<Cell> {
        let columns = self.columns_together();
        if cells.len() != columns.len() {
            return Err(damaged("a cell is missing"));
        }
        let mut all = Cell::default();
        for (number, (cell, columns)) in cells.iter().zip(columns).enumerate() {
            let bytes = cell.as_ref();
            let part = number * self.blocks.count() + block;
            let label = Label { plan: self.number, content: Content::Cell, part };
            let reader = Reader::open(bytes, label)?;
            if plan.cells.get(part) != Some(&checksum(bytes)) {
                return Err(Error::data(
                    "rows have changed since the fit was planned: they come out otherwise each time \
                     that they are computed",
                    "keep the data as they are, in a file or in memory",
                ));
            }
            all.add_columns(Cell::read(
                reader,
                self.blocks.places(block).len(),
                &self.names[columns],
            )?);
        }
        Ok(all)
    }

    /// What all results of a stage that measures make together; they may come in any order.
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
        self.with_steps(&mut Report::default(), run, |_, search| {
            let told = told_by(plan, search, stage, results, &|_| true)?;
            let Measured { pairs, own } = plan.measured(search, stage, told)?;
            let mut writer = Writer::default();
            writer.bytes(&write_moments(&[pairs]).into_bytes());
            writer.bytes(&write_moments(&own).into_bytes());
            let content = Content::Measured(stage);
            Ok(writer.sealed(Label { plan: plan.number(), content, part: 0 }))
        })
    }

    fn read_measured(&self, plan: &Plan, measured: &[Vec<u8>]) -> Result<Measured> {
        let mut all = plan.known();
        let stages = [Stage::Measure, Stage::Radii].into_iter();
        let stages = stages.filter(|stage| plan.cut(*stage).is_some());
        for (stage, bytes) in stages.zip(measured) {
            let content = Content::Measured(stage);
            let label = Label { plan: plan.number(), content, part: 0 };
            let mut reader = Reader::open(bytes, label)?;
            let pairs: Vec<Moments> = read_moments(Reader::of(reader.bytes()?))?;
            all.pairs = pairs.first().copied().unwrap_or_default();
            all.own = read_moments(Reader::of(reader.bytes()?))?;
            reader.end()?;
        }
        Ok(all)
    }

    /// The neighbors of the rows of a block, from all that it and another tell; they may come in any order.
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
        self.with_steps(&mut Report::default(), run, |_, search| {
            let mut told = told_by(plan, search, Stage::Search, results, &|own| own == block)?;
            let found = plan.lists_of(search, block, &mut told, run)?;
            Ok(write_found(&found).sealed(Label::result(plan.number(), Stage::Lists, block)))
        })
    }

    /// The weights of the columns that are taken together with that number, from the
    /// [neighbors](Self::lists) of all blocks in their order. `table` has these columns, with all rows.
    ///
    /// # Errors
    /// Other columns or rows than those of the plan; neighbors that are missing, damaged or of another plan;
    /// too little memory; [`Error::Cancelled`].
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
        let run = &run.asking_for(&[]).with_seed(self.seed);
        let problem = Problem::new(table, &self.target)?;
        let steps = plan.steps(&problem, &columns, &mut Report::default(), run)?;
        let search = parted(&steps, self.blocks.size());
        let space = steps.space_of(table, run)?;
        let weights = plan.sums_of((&steps, &search), &space, lists, run)?;
        Ok(weights.sealed(Label::result(plan.number(), Stage::Sums, number)))
    }

    /// The weights of all columns in their order, and the warnings of a fit on one machine.
    ///
    /// # Errors
    /// Sums that are missing, damaged or of another plan; [`Error::Cancelled`].
    pub fn merge(
        &self,
        plan: &Plan,
        sums: &mut dyn Iterator<Item = Result<Vec<u8>>>,
        run: &Run,
    ) -> Result<(Vec<f64>, Vec<Warning>)> {
        let (Weights { weights, nobody_near: is_alone }, mut warnings) =
            self.weighed(plan, sums, run)?;
        warnings.extend(is_alone.then(nobody_near));
        warnings.extend(oddities(&plan.oddities)?);
        Ok((weights, warnings))
    }

    /// The weights, and what the method warns of before it looks for neighbors.
    pub(super) fn weighed(
        &self,
        plan: &Plan,
        sums: Results<'_>,
        run: &Run,
    ) -> Result<(Weights, Vec<Warning>)> {
        self.demand(plan)?;
        let mut report = Report::default();
        self.with_steps(&mut report, run, |_, _| Ok(()))?;
        Ok((plan.weighed(sums)?, report.warnings))
    }

    /// The margins of the blocks of a part, from the cells of all blocks, of each in the order of the columns.
    ///
    /// # Errors
    /// No such part; cells that are missing, damaged, or not those of the plan; [`Error::Cancelled`].
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
        let run = &run.asking_for(&[]).with_seed(self.seed);
        self.with_reweighting(run, |own| {
            let of_block = |(block, cells): (usize, &Vec<B>)| self.block(plan, block, cells);
            let blocks = cells.iter().enumerate().map(of_block).collect::<Result<Vec<Cell>>>()?;
            let (table, features) = joined(blocks)?.into_table()?;
            let space = own.space_in_order(&table, features);
            let order = (0..self.target.rows() as u32).collect();
            plan.margins_of((own, &space, order), part, run)
        })
    }

    /// Refuses a plan that was not made of this draft.
    pub(super) fn demand(&self, plan: &Plan) -> Result<()> {
        if plan.draft == self.number {
            return Ok(());
        }
        Err(Error::data("the plan is of another fit", "give the plan that was made of this one"))
    }
}

/// What a method does in parts.
enum Course<'p> {
    /// A search and sums.
    Steps(Steps<'p>, SearchJob<'p>),
    /// Sums again and again, under weights that follow from those before.
    Reweighting(Reweighting<'p>),
}

impl Course<'_> {
    /// All rows in the order that blocks are cut of.
    fn order(&self) -> &[u32] {
        match self {
            Self::Steps(_, search) => search.order(),
            Self::Reweighting(own) => &own.order,
        }
    }

    /// The space of a table that has some of the columns, or all.
    fn space_of<'t>(&self, table: &'t Table<'t>, run: &Run) -> Result<Space<'t>> {
        match self {
            Self::Steps(steps, _) => steps.space_of(table, run),
            Self::Reweighting(own) => own.space_of(table, run),
        }
    }
}

/// The rows of all blocks, one block behind the other.
fn joined(mut blocks: Vec<Cell>) -> Result<Cell> {
    // Two and two, so that no row is copied often.
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
    blocks.pop().ok_or_else(|| damaged("there is no block"))
}

/// Which part of a stage a pair of blocks is.
fn part_of(search: &SearchJob<'_>, stage: Stage, pair: (usize, usize)) -> Result<usize> {
    let all = stage == Stage::Measure;
    search.pair(pair, all).filter(|_| stage.is_of_pairs()).ok_or_else(|| {
        let ((a, b), stage) = (pair, stage.name());
        Error::Internal(format!("stage {stage} does not compare blocks {a} and {b}"))
    })
}

/// Columns that are taken together, as asked for or as the data suggest: a multiple of `least`.
///
/// # Errors
/// None are asked for.
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
            // As they go from task to task, in whole bytes.
            let bytes = |kind: &ColumnKind| kind.bits().div_ceil(8);
            let of_row = BYTES_OF_ROW.min(BYTES_TOGETHER / (rows as u64).max(1));
            let width = kinds.len() as u64;
            (of_row * width / kinds.iter().map(bytes).sum::<u64>().max(1)) as usize
        }
    };
    Ok(together.max(1).next_multiple_of(least))
}

/// What results tell of wanted blocks.
fn told_by(
    plan: &Plan,
    search: &SearchJob<'_>,
    stage: Stage,
    results: &[PairResult],
    wanted: &dyn Fn(usize) -> bool,
) -> Result<ByBlocks> {
    let mut told = ByBlocks::new();
    for (pair, bytes) in results {
        let part = part_of(search, stage, *pair)?;
        add_told(bytes, Label::result(plan.number(), stage, part), wanted, &mut told)?;
    }
    Ok(told)
}
