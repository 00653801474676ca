//! The parts of a plan whose parts read the table, and what comes of all.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Instant;

use basrelief_kernels::Moments;

use super::cut::Cut;
use super::plan::{Plan, parted};
use super::stage::Stage;
use super::wire::{
    Label, Reader, Told, Weights, Writer, damaged, read_found, read_margins, read_moments,
    read_told, read_weights, write_found, write_margins, write_moments, write_told, write_weights,
};
use crate::differences::Space;
use crate::error::{Error, Result};
use crate::maps::FeatureWeights;
use crate::margins::UNDIRECTED;
use crate::methods::{MapSteps, Problem, Reweighting, Steps, added, mean_margins, nobody_near};
use crate::neighbors::{Found, Measured, SearchJob};
use crate::report::{Fitted, Report};
use crate::run::Run;
use crate::warning::Warning;

/// The results of a stage, part by part.
pub(super) type Results<'r> = &'r mut dyn Iterator<Item = Result<Vec<u8>>>;

/// What pairs of blocks tell, by block and by the other block.
pub(super) type ByBlocks = BTreeMap<(usize, usize), Vec<u8>>;

impl Plan {
    /// The result of a part, numbered from 0, as bytes.
    ///
    /// `problem` is the one that was planned for; for [`Stage::Sums`] the columns of the part are enough.
    /// `earlier` are the results of all parts of the [stage before](Self::before), in their order.
    ///
    /// # Errors
    /// No such part; other data; an earlier result that is missing, of another version or plan, or damaged;
    /// too little memory; [`Error::Cancelled`].
    pub fn work(
        &self,
        stage: Stage,
        part: usize,
        problem: &Problem<'_>,
        earlier: Results<'_>,
        run: &Run,
    ) -> Result<Vec<u8>> {
        let items = self.existing(stage, part)?.part(part);
        let run = &run.asking_for(&[]).with_seed(self.seed());
        if stage == Stage::Margins {
            let reweighting = self.reweighting(problem, run)?;
            let space = reweighting.space_of(problem.table(), run)?;
            let of = (&reweighting, &space, reweighting.order.clone());
            return self.margins_of(of, part, run);
        }
        if let Some(map) = self.map_steps(problem)? {
            return self.work_of_map(&map, (stage, part), problem, earlier, run);
        }
        let columns = if stage == Stage::Sums { items.clone() } else { 0..self.width() };
        let columns: Vec<usize> = columns.collect();
        let steps = self.steps(problem, &columns, &mut Report::default(), run)?;
        let search = parted(&steps, self.block_rows());
        let writer = match stage {
            Stage::Measure | Stage::Radii | Stage::Search => {
                let measured = match self.before(stage) {
                    Some(before) => self.measured(&search, before, self.told(before, earlier)?)?,
                    None => self.known(),
                };
                self.compare_blocks(stage, items, (&steps, &search), &measured, run)?
            }
            Stage::Lists => self.lists_of_blocks(items, &search, earlier, run)?,
            Stage::Sums => {
                let selected: Vec<usize> = items.clone().collect();
                let is_whole = problem.table().width() == items.len();
                let table = (!is_whole).then(|| problem.table().select_columns(&selected));
                let space = steps.space_of(table.as_ref().unwrap_or(problem.table()), run)?;
                self.sums_of((&steps, &search), &space, earlier, run)?
            }
            Stage::Permute => {
                let weights = self.weights(earlier, &mut Report::default())?;
                self.permute((part, problem), &weights, run)?
            }
            Stage::Scatter | Stage::Margins => {
                let name = stage.name();
                return Err(Error::Internal(format!("weights have no stage {name}")));
            }
        };
        run.check()?;
        Ok(writer.sealed(Label::result(self.number(), stage, part)))
    }

    /// The result of a part of a map.
    fn work_of_map(
        &self,
        map: &MapSteps<'_>,
        (stage, part): (Stage, usize),
        problem: &Problem<'_>,
        earlier: Results<'_>,
        run: &Run,
    ) -> Result<Vec<u8>> {
        let items = self.existing(stage, part)?.part(part);
        self.demand_data(problem, &self.all_columns(), run)?;
        let table = problem.table();
        let writer = match stage {
            Stage::Search => {
                let scaled = map.scaled(table)?;
                let in_unit = scaled.table()?;
                let steps = map.search(&in_unit)?;
                let search = parted(&steps, self.block_rows());
                self.compare_blocks(stage, items, (&steps, &search), &self.known(), run)?
            }
            Stage::Lists => {
                let steps = map.search(table)?;
                let search = parted(&steps, self.block_rows());
                self.lists_of_blocks(items, &search, earlier, run)?
            }
            Stage::Scatter => {
                let steps = map.search(table)?;
                let search = parted(&steps, self.block_rows());
                let own = table.select_columns(&self.columns_of_scatter(part)?);
                return self.scatter_of((map, &search), (part, &own), earlier, run);
            }
            _ => return Err(Error::Internal(format!("a map has no stage {}", stage.name()))),
        };
        run.check()?;
        Ok(writer.sealed(Label::result(self.number(), stage, part)))
    }

    /// The neighbors of the rows of some blocks.
    fn lists_of_blocks(
        &self,
        blocks: Range<usize>,
        search: &SearchJob<'_>,
        found: Results<'_>,
        run: &Run,
    ) -> Result<Writer> {
        if blocks.end > search.queries() {
            return Err(other_blocks("blocks"));
        }
        let wanted = |block| blocks.contains(&block);
        let mut told = self.told_of(Stage::Search, found, wanted)?;
        let mut all: Option<Found> = None;
        for block in blocks.clone() {
            run.check()?;
            let found = self.lists_of(search, block, &mut told, run)?;
            match &mut all {
                Some(all) => all.append(found)?,
                None => all = Some(found),
            }
        }
        let all = all.ok_or_else(|| Error::Internal("a part of nothing".to_string()))?;
        Ok(write_found(&all))
    }

    /// The margins of the blocks of a part, from the space of all rows, which stand there in an order.
    pub(super) fn margins_of(
        &self,
        (reweighting, space, order): (&Reweighting<'_>, &Space<'_>, Vec<u32>),
        part: usize,
        run: &Run,
    ) -> Result<Vec<u8>> {
        let blocks = self.existing(Stage::Margins, part)?.part(part);
        if blocks.end > reweighting.blocks() {
            return Err(other_blocks("blocks"));
        }
        let weights = self.weights_before().unwrap_or_default();
        let sums = (reweighting.sums)(space, order, weights, blocks, run)?;
        run.check()?;
        Ok(write_margins(&sums).sealed(Label::result(self.number(), Stage::Margins, part)))
    }

    /// The mean margins of all rows, from the results of all parts in their order.
    pub(super) fn mean_margins(&self, results: Results<'_>) -> Result<Vec<f64>> {
        let mut blocks = Vec::new();
        for (label, bytes) in self.earlier(Stage::Margins, results) {
            let of_part = self.existing(Stage::Margins, label.part)?.part(label.part).len();
            blocks.extend(read_margins(Reader::open(&bytes?, label)?, of_part, self.width())?);
        }
        Ok(mean_margins(&added(self.width(), blocks), self.rows() as f64))
    }

    /// What some pairs of blocks of a table tell.
    fn compare_blocks(
        &self,
        stage: Stage,
        items: Range<usize>,
        (steps, search): (&Steps<'_>, &SearchJob<'_>),
        measured: &Measured,
        run: &Run,
    ) -> Result<Writer> {
        let space = steps.space_of(steps.table, run)?;
        let pairs = pairs_of(search, stage);
        let mut told = Told::new();
        let pairs = pairs.get(items).ok_or_else(|| other_blocks("pairs of blocks"))?;
        for &pair in pairs {
            run.check()?;
            let rows = search.rows(pair);
            let (table, features) = space.select_rows(&rows);
            let local = steps.space_of_rows(&table, &rows, features);
            told.extend(compare(stage, search, &local, pair, measured, run)?);
        }
        Ok(write_told(told))
    }

    /// What was measured, where nothing has to be.
    pub(super) fn known(&self) -> Measured {
        Measured { pairs: self.mean.unwrap_or_default(), own: Vec::new() }
    }

    /// What a stage measured.
    pub(super) fn measured(
        &self,
        search: &SearchJob<'_>,
        stage: Stage,
        mut told: ByBlocks,
    ) -> Result<Measured> {
        let mut measured = self.known();
        let mut take = |block, other| {
            let bytes = told.remove(&(block, other)).ok_or_else(|| missing(stage, block, other))?;
            read_moments(Reader::of(&bytes))
        };
        if stage == Stage::Measure {
            // Pair of small blocks by pair of small blocks, as on one machine.
            let parts = search.all_pairs().into_iter().map(|(a, b)| take(a, b));
            measured.pairs = search.merged(parts)?;
            return Ok(measured);
        }
        for block in 0..search.queries() {
            let mut own: Option<Vec<Moments>> = None;
            for other in 0..search.blocks() {
                let part = take(block, other)?;
                match &mut own {
                    None => own = Some(part),
                    Some(own) => own.iter_mut().zip(part).for_each(|(own, part)| {
                        *own = own.merged(part);
                    }),
                }
            }
            measured.own.extend(own.unwrap_or_default());
        }
        Ok(measured)
    }

    /// The neighbors of a block's rows, from what it and all others tell.
    pub(super) fn lists_of(
        &self,
        search: &SearchJob<'_>,
        block: usize,
        told: &mut ByBlocks,
        run: &Run,
    ) -> Result<Found> {
        let parts = (0..search.blocks()).map(|other| {
            let bytes = told.remove(&(block, other));
            let bytes = bytes.ok_or_else(|| missing(Stage::Search, block, other))?;
            read_found(Reader::of(&bytes), self.rows())
        });
        search.lists(block, parts, run)
    }

    /// The weights of the columns of a space, from the neighbors of all rows.
    pub(super) fn sums_of(
        &self,
        (steps, search): (&Steps<'_>, &SearchJob<'_>),
        space: &Space<'_>,
        lists: Results<'_>,
        run: &Run,
    ) -> Result<Writer> {
        let rows = self.rows();
        let parts = self.earlier(Stage::Lists, lists);
        let parts = parts.map(|(label, bytes)| read_found(Reader::open(&bytes?, label)?, rows));
        let source = search.source(parts, self.undirected, run)?;
        let routes = if self.more_than_bits { &[UNDIRECTED][..] } else { &[] };
        let found = (steps.weigh)(space, &*source, &run.asking_for(routes))?;
        Ok(write_weights(&Weights { weights: found.weights, nobody_near: found.nobody_near }))
    }

    /// Whether bytes are the result of a part.
    ///
    /// # Errors
    /// No such part; they are not: of another part, plan or version, or damaged.
    pub fn check(&self, stage: Stage, part: usize, bytes: &[u8]) -> Result<()> {
        self.existing(stage, part)?;
        Reader::open(bytes, Label::result(self.number(), stage, part)).map(drop)
    }

    /// The fit, from the results of all parts of [`Stage::Sums`] in their order. Its report has the warnings
    /// of a fit on one machine; the seconds are those of the merge.
    ///
    /// # Errors
    /// A plan of an iteration ([`Rounds`](super::Rounds)) or of a map; other data; a result that is missing, of another
    /// version or plan, or damaged; [`Error::Cancelled`].
    pub fn merge(
        &self,
        problem: &Problem<'_>,
        sums: Results<'_>,
        run: &Run,
    ) -> Result<Fitted<FeatureWeights>> {
        if self.weights_before().is_some() {
            let help =
                "give its results to the round that it is of, which may be followed by others";
            return Err(Error::data("the plan is an iteration and no whole fit", help));
        }
        let run = &run.asking_for(&[]).with_seed(self.seed());
        let start = Instant::now();
        // What is wrong with a result is wrong with no column of the data.
        let mut told = Report::default();
        self.steps(problem, &self.all_columns(), &mut told, run)?;
        let weights = self.weights(sums, &mut told)?;
        let mut fitted = self.method().weighing()?.timed(problem, run, |report| {
            report.warnings = told.warnings;
            Ok(weights)
        })?;
        fitted.report.seconds = start.elapsed().as_secs_f64();
        Ok(fitted)
    }

    /// The weights of all columns.
    pub(super) fn weights(&self, sums: Results<'_>, report: &mut Report) -> Result<Vec<f64>> {
        let Weights { weights, nobody_near: is_alone } = self.weighed(sums)?;
        report.warnings.extend(is_alone.then(nobody_near));
        Ok(weights)
    }

    /// The same, and whether no row is near to another.
    pub(super) fn weighed(&self, sums: Results<'_>) -> Result<Weights> {
        let mut all = Weights { weights: Vec::with_capacity(self.width()), nobody_near: false };
        for (label, bytes) in self.earlier(Stage::Sums, sums) {
            let part = read_weights(Reader::open(&bytes?, label)?)?;
            all.weights.extend(part.weights);
            all.nobody_near |= part.nobody_near;
        }
        let (width, found) = (self.width(), all.weights.len());
        if found != width {
            return Err(Error::Internal(format!("{found} weights of {width} columns")));
        }
        Ok(all)
    }

    /// How a stage is cut that has such a part, numbered from 0.
    ///
    /// # Errors
    /// The plan has no such stage, or this no such part.
    pub fn existing(&self, stage: Stage, part: usize) -> Result<Cut> {
        let cut = self.cut(stage).ok_or_else(|| {
            let stages: Vec<&str> = self.stages().iter().map(|own| own.stage.name()).collect();
            Error::option(
                "stage",
                format!("this plan has no stage {}", stage.name()),
                format!("its stages are: {}", stages.join(", ")),
            )
        })?;
        if part < cut.parts() {
            return Ok(cut);
        }
        Err(Error::option(
            "part",
            format!("there is no part {} of stage {}", part + 1, stage.name()),
            format!("its parts are 1 to {}", cut.parts()),
        ))
    }

    /// The results of all parts of a stage, each with what it must be.
    pub(super) fn earlier<'r>(
        &self,
        stage: Stage,
        results: Results<'r>,
    ) -> impl Iterator<Item = (Label, Result<Vec<u8>>)> + use<'r> {
        let parts = self.cut(stage).map_or(0, Cut::parts);
        let plan = self.number();
        (0..parts).map(move |part| {
            let missing = || {
                let what = format!("part {} of stage {} is missing", part + 1, stage.name());
                Err(Error::data(what, "compute it first"))
            };
            (Label::result(plan, stage, part), results.next().unwrap_or_else(missing))
        })
    }

    fn told(&self, stage: Stage, results: Results<'_>) -> Result<ByBlocks> {
        self.told_of(stage, results, |_| true)
    }

    /// What all pairs of blocks tell of those that are wanted.
    fn told_of(
        &self,
        stage: Stage,
        results: Results<'_>,
        wanted: impl Fn(usize) -> bool,
    ) -> Result<ByBlocks> {
        let mut told = ByBlocks::new();
        for (label, bytes) in self.earlier(stage, results) {
            add_told(&bytes?, label, &wanted, &mut told)?;
        }
        Ok(told)
    }
}

/// What may be odd about columns.
const ODDITIES: [&str; 3] = ["empty-features", "constant-features", "duplicate-features"];

/// Warnings of what is odd about columns, by code and text.
pub(super) fn oddities(all: &[[String; 2]]) -> Result<Vec<Warning>> {
    let warning = |[code, text]: &[String; 2]| {
        let known = ODDITIES.into_iter().find(|known| known == code);
        let code = known.ok_or_else(|| damaged("it warns of what is not known"))?;
        Ok(Warning::new(code, text.clone()))
    };
    all.iter().map(warning).collect()
}

/// Adds what a result tells of wanted blocks.
pub(super) fn add_told(
    bytes: &[u8],
    label: Label,
    wanted: &dyn Fn(usize) -> bool,
    told: &mut ByBlocks,
) -> Result<()> {
    for (block, other, contents) in read_told(Reader::open(bytes, label)?)? {
        if wanted(block) {
            told.insert((block, other), contents.to_vec());
        }
    }
    Ok(())
}

/// The pairs of blocks that a stage compares.
pub(super) fn pairs_of(search: &SearchJob<'_>, stage: Stage) -> Vec<(usize, usize)> {
    if stage == Stage::Measure { search.all_pairs() } else { search.pairs() }
}

/// What a pair of blocks tells, from the space of its rows alone.
pub(super) fn compare(
    stage: Stage,
    search: &SearchJob<'_>,
    local: &Space<'_>,
    pair: (usize, usize),
    measured: &Measured,
    run: &Run,
) -> Result<Told> {
    let (a, b) = pair;
    let beside = |block| if block == a { b } else { a };
    Ok(match stage {
        Stage::Measure => vec![(a, b, write_moments(&search.measure(local, pair, run)?))],
        Stage::Radii => {
            let own = search.measure_own(local, pair, run)?.into_iter();
            own.map(|(block, own)| (block, beside(block), write_moments(&own))).collect()
        }
        _ => {
            let found = search.search(local, pair, measured, run)?.into_iter();
            found.map(|(block, found)| (block, beside(block), write_found(&found))).collect()
        }
    })
}

/// The error of a plan with more items than the rows have.
fn other_blocks(what: &str) -> Error {
    Error::data(format!("the plan has more {what} than its rows"), "make the plan again")
}

fn missing(stage: Stage, block: usize, other: usize) -> Error {
    let (stage, block, other) = (stage.name(), block + 1, other + 1);
    let what = format!("what stage {stage} tells of block {block} beside block {other} is missing");
    Error::data(what, "compute it first")
}
