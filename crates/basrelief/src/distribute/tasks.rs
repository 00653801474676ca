//! The tasks of a plan whose parts read the table, and the merge of their results.

use std::time::Instant;

use basrelief_kernels::Moments;

use super::cut::Cut;
use super::messages::{BlockMargins, BlockResult, ByBlocks, Comparisons, Weights};
use super::plan::{Plan, search_job};
use super::stage::Stage;
use super::wire::{Label, Packed, contents, damaged, open, seal};
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

impl Plan {
    /// The result of a part, numbered from 0, as bytes.
    ///
    /// `problem` is the one of the plan; for [`Stage::Sums`] the columns of the part are sufficient.
    /// `earlier` are the results of all parts of the [stage before](Self::before), in their order.
    ///
    /// # Errors
    /// The part does not exist; the data have changed; an earlier result is missing, of another version or
    /// plan, or damaged; too little memory; [`Error::Cancelled`].
    pub fn work(
        &self,
        stage: Stage,
        part: usize,
        problem: &Problem<'_>,
        earlier: Results<'_>,
        run: &Run,
    ) -> Result<Vec<u8>> {
        let items = self.existing(stage, part)?.part(part);
        let run = &self.data.fit.run(run);
        if stage == Stage::Margins {
            let reweighting = self.reweighting(problem, run)?;
            let space = reweighting.space_of(problem.table(), run)?;
            let rows = (&reweighting, &space, reweighting.order.clone());
            return self.margins_of(rows, part, run);
        }
        if let Some(map) = self.data.fit.map_steps(problem)? {
            return self.work_of_map(&map, (stage, part), problem, earlier, run);
        }
        let columns = if stage == Stage::Sums { items.clone() } else { 0..self.width() };
        let columns: Vec<usize> = columns.collect();
        let steps = self.steps(problem, &columns, &mut Report::default(), run)?;
        let search = search_job(&steps, self.block_rows());
        match stage {
            Stage::Measure | Stage::Radii | Stage::Search => {
                let measured = match self.before(stage) {
                    Some(before) => {
                        let results = self.by_blocks(before, earlier, |_| true)?;
                        self.measured(&search, before, results)?
                    }
                    None => self.known_distances(),
                };
                self.compare_blocks((stage, part), (&steps, &search), &measured, run)
            }
            Stage::Lists => self.lists_of_blocks(part, &search, earlier, run),
            Stage::Sums => {
                let is_selected = problem.table().width() == columns.len();
                let table = (!is_selected).then(|| problem.table().select_columns(&columns));
                let space = steps.space_of(table.as_ref().unwrap_or(problem.table()), run)?;
                self.sums_of((&steps, &search), &space, (part, earlier), run)
            }
            Stage::Permute => {
                let weights = self.weights(earlier, &mut Report::default())?;
                self.permute((part, problem), &weights, run)
            }
            Stage::Scatter | Stage::Margins => {
                Err(Error::Internal(format!("weights have no stage {}", stage.name())))
            }
        }
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
        self.demand_data(problem, &self.all_columns(), run)?;
        let table = problem.table();
        if stage == Stage::Search {
            let scaled = map.scaled(table)?;
            let in_unit = scaled.table()?;
            let steps = map.search(&in_unit)?;
            let search = search_job(&steps, self.block_rows());
            let measured = self.known_distances();
            return self.compare_blocks((stage, part), (&steps, &search), &measured, run);
        }
        let search = search_job(&map.search(table)?, self.block_rows());
        match stage {
            Stage::Lists => self.lists_of_blocks(part, &search, earlier, run),
            Stage::Scatter => {
                let own = table.select_columns(&self.columns_of_scatter(part)?);
                self.scatter_of((map, &search), (part, &own), earlier, run)
            }
            _ => Err(Error::Internal(format!("a map has no stage {}", stage.name()))),
        }
    }

    /// Seals the result of a part, unless the run was cancelled.
    pub(super) fn sealed<T: serde::Serialize>(
        &self,
        (stage, part): (Stage, usize),
        result: &T,
        run: &Run,
    ) -> Result<Vec<u8>> {
        run.check()?;
        Ok(seal(result, Label::result(self.number(), stage, part)))
    }

    /// The neighbors of the rows of some blocks.
    fn lists_of_blocks(
        &self,
        part: usize,
        search: &SearchJob<'_>,
        found: Results<'_>,
        run: &Run,
    ) -> Result<Vec<u8>> {
        let blocks = self.existing(Stage::Lists, part)?.part(part);
        if blocks.end > search.queries() {
            return Err(other_blocks("blocks"));
        }
        let mut results = self.by_blocks(Stage::Search, found, |block| blocks.contains(&block))?;
        let mut all: Option<Found> = None;
        for block in blocks.clone() {
            run.check()?;
            let found = self.lists_of(search, block, &mut results, run)?;
            match &mut all {
                Some(all) => all.append(found)?,
                None => all = Some(found),
            }
        }
        let all = all.ok_or_else(|| Error::Internal("a part without blocks".to_string()))?;
        self.sealed((Stage::Lists, part), &BlockResult::from(all), run)
    }

    /// The margins of the blocks of a part, from the space of all rows and their order in it.
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
        let sums: Vec<BlockMargins> = sums.into_iter().map(BlockMargins::from).collect();
        self.sealed((Stage::Margins, part), &sums, run)
    }

    /// The mean margins of all rows, from the results of all parts in their order.
    pub(super) fn mean_margins(&self, results: Results<'_>) -> Result<Vec<f64>> {
        let mut blocks = Vec::new();
        for (label, bytes) in self.results(Stage::Margins, results) {
            let sums: Vec<BlockMargins> = open(&bytes?, label)?;
            if sums.len() != self.existing(Stage::Margins, label.part)?.part(label.part).len() {
                return Err(damaged("it has other blocks"));
            }
            for sums in sums {
                blocks.push(sums.into_sums(self.width())?);
            }
        }
        Ok(mean_margins(&added(self.width(), blocks), self.data.rows as f64))
    }

    /// Compares the pairs of blocks of a part.
    fn compare_blocks(
        &self,
        (stage, part): (Stage, usize),
        (steps, search): (&Steps<'_>, &SearchJob<'_>),
        measured: &Measured,
        run: &Run,
    ) -> Result<Vec<u8>> {
        let space = steps.space_of(steps.table, run)?;
        let pairs = pairs_of(search, stage);
        let mut results = Comparisons::new();
        let items = self.existing(stage, part)?.part(part);
        let pairs = pairs.get(items).ok_or_else(|| other_blocks("pairs of blocks"))?;
        for &pair in pairs {
            run.check()?;
            let rows = search.rows(pair);
            let (table, features) = space.select_rows(&rows);
            let local = steps.space_of_rows(&table, &rows, features);
            results.extend(compare(stage, search, &local, pair, measured, run)?);
        }
        self.sealed((stage, part), &results, run)
    }

    /// Merges the results of a measuring stage.
    pub(super) fn measured(
        &self,
        search: &SearchJob<'_>,
        stage: Stage,
        mut results: ByBlocks,
    ) -> Result<Measured> {
        let mut measured = self.known_distances();
        let mut take =
            |block, other| take_result(&mut results, stage, (block, other))?.into_moments();
        if stage == Stage::Measure {
            // In the order of small blocks, as on one machine.
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

    /// The neighbors of a block's rows, from the comparisons with all blocks.
    pub(super) fn lists_of(
        &self,
        search: &SearchJob<'_>,
        block: usize,
        results: &mut ByBlocks,
        run: &Run,
    ) -> Result<Found> {
        let parts = (0..search.blocks()).map(|other| {
            take_result(results, Stage::Search, (block, other))?.into_found(self.data.rows)
        });
        search.lists(block, parts, run)
    }

    /// The neighbors of all rows, from the results of the lists.
    pub(super) fn neighbors<'r>(
        &self,
        lists: Results<'r>,
    ) -> impl Iterator<Item = Result<Found>> + use<'r> {
        let rows = self.data.rows;
        let read = move |(label, bytes): (Label, Result<Vec<u8>>)| {
            open::<BlockResult>(&bytes?, label)?.into_found(rows)
        };
        self.results(Stage::Lists, lists).map(read)
    }

    /// The weights of the columns of a space, from the neighbors of all rows.
    pub(super) fn sums_of(
        &self,
        (steps, search): (&Steps<'_>, &SearchJob<'_>),
        space: &Space<'_>,
        (part, lists): (usize, Results<'_>),
        run: &Run,
    ) -> Result<Vec<u8>> {
        let source = search.source(self.neighbors(lists), self.data.undirected, run)?;
        let routes = if self.data.more_than_bits { &[UNDIRECTED][..] } else { &[] };
        let found = (steps.weigh)(space, &*source, &run.asking_for(routes))?;
        let weights =
            Weights { weights: Packed(found.weights), without_neighbors: found.nobody_near };
        self.sealed((Stage::Sums, part), &weights, run)
    }

    /// Checks that bytes are the result of a part.
    ///
    /// # Errors
    /// The part does not exist; the bytes are of another part, plan or version, or damaged.
    pub fn check(&self, stage: Stage, part: usize, bytes: &[u8]) -> Result<()> {
        self.existing(stage, part)?;
        contents(bytes, Label::result(self.number(), stage, part)).map(drop)
    }

    /// The fit, from the results of all parts of [`Stage::Sums`] in their order. Its report has the warnings
    /// of a fit on one machine; the seconds are those of the merge.
    ///
    /// # Errors
    /// The plan is of an iteration ([`Rounds`](super::Rounds)) or of a map; the data have changed; a result is
    /// missing, of another version or plan, or damaged; [`Error::Cancelled`].
    pub fn merge(
        &self,
        problem: &Problem<'_>,
        sums: Results<'_>,
        run: &Run,
    ) -> Result<Fitted<FeatureWeights>> {
        if self.weights_before().is_some() {
            let help = "give its results to its round, which other rounds may follow";
            return Err(Error::data("the plan is an iteration, not a complete fit", help));
        }
        let run = &self.data.fit.run(run);
        let start = Instant::now();
        // Errors about results must not name columns of the data.
        let mut report = Report::default();
        self.steps(problem, &self.all_columns(), &mut report, run)?;
        let weights = self.weights(sums, &mut report)?;
        self.fitted(problem, (weights, report), start, run)
    }

    /// A fit with these weights and this report, which began at `start`.
    pub(super) fn fitted(
        &self,
        problem: &Problem<'_>,
        (weights, of_weights): (Vec<f64>, Report),
        start: Instant,
        run: &Run,
    ) -> Result<Fitted<FeatureWeights>> {
        let mut fitted = self.data.fit.weighting()?.timed(problem, run, |report| {
            *report = of_weights;
            Ok(weights)
        })?;
        fitted.report.seconds = start.elapsed().as_secs_f64();
        Ok(fitted)
    }

    /// The weights of all columns. The report warns if no row has a neighbor.
    pub(super) fn weights(&self, sums: Results<'_>, report: &mut Report) -> Result<Vec<f64>> {
        let all = self.all_sums(sums)?;
        report.warnings.extend(all.without_neighbors.then(nobody_near));
        Ok(all.weights.0)
    }

    /// The results of all parts of the sums together.
    pub(super) fn all_sums(&self, sums: Results<'_>) -> Result<Weights> {
        let mut all = Weights::default();
        for (label, bytes) in self.results(Stage::Sums, sums) {
            let part: Weights = open(&bytes?, label)?;
            all.weights.0.extend(part.weights.0);
            all.without_neighbors |= part.without_neighbors;
        }
        let (width, found) = (self.width(), all.weights.0.len());
        if found != width {
            return Err(Error::Internal(format!("{found} weights of {width} columns")));
        }
        Ok(all)
    }

    /// The cut of a stage that has this part, numbered from 0.
    ///
    /// # Errors
    /// The plan lacks the stage, or the stage lacks the part.
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

    /// The results of all parts of a stage, each with the label that it must have.
    pub(super) fn results<'r>(
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

    /// The comparisons of wanted blocks.
    fn by_blocks(
        &self,
        stage: Stage,
        results: Results<'_>,
        wanted: impl Fn(usize) -> bool,
    ) -> Result<ByBlocks> {
        let mut all = ByBlocks::new();
        for (label, bytes) in self.results(stage, results) {
            add_comparisons(&bytes?, label, &wanted, &mut all)?;
        }
        Ok(all)
    }

    /// The warnings about the columns, where parts do not read the table.
    ///
    /// # Errors
    /// A warning is unknown.
    pub(super) fn column_warnings(&self) -> Result<Vec<Warning>> {
        read_warnings(&self.data.facts.column_warnings)
    }
}

/// The codes of warnings about columns.
const COLUMN_WARNINGS: [&str; 3] = ["empty-features", "constant-features", "duplicate-features"];

/// The warnings about columns with these codes and texts.
pub(super) fn read_warnings(all: &[(String, String)]) -> Result<Vec<Warning>> {
    let warning = |(code, text): &(String, String)| {
        let known = COLUMN_WARNINGS.into_iter().find(|known| known == code);
        let code = known.ok_or_else(|| damaged("it has an unknown warning"))?;
        Ok(Warning::new(code, text.clone()))
    };
    all.iter().map(warning).collect()
}

/// Adds the comparisons of wanted blocks that a result contains.
pub(super) fn add_comparisons(
    bytes: &[u8],
    label: Label,
    wanted: &dyn Fn(usize) -> bool,
    all: &mut ByBlocks,
) -> Result<()> {
    let results = open::<Comparisons>(bytes, label)?.into_iter();
    let results = results.filter(|(block, ..)| wanted(*block));
    all.extend(results.map(|(block, other, result)| ((block, other), result)));
    Ok(())
}

/// Takes the result for a block of its comparison with another.
fn take_result(
    results: &mut ByBlocks,
    stage: Stage,
    blocks: (usize, usize),
) -> Result<BlockResult> {
    results.remove(&blocks).ok_or_else(|| {
        let (stage, block, other) = (stage.name(), blocks.0 + 1, blocks.1 + 1);
        let what = format!("the result of stage {stage} for blocks {block} and {other} is missing");
        Error::data(what, "compute it first")
    })
}

/// The pairs of blocks that a stage compares.
pub(super) fn pairs_of(search: &SearchJob<'_>, stage: Stage) -> Vec<(usize, usize)> {
    if stage == Stage::Measure { search.all_pairs() } else { search.pairs() }
}

/// Compares two blocks, in the space of their rows alone.
pub(super) fn compare(
    stage: Stage,
    search: &SearchJob<'_>,
    local: &Space<'_>,
    pair: (usize, usize),
    measured: &Measured,
    run: &Run,
) -> Result<Comparisons> {
    let (a, b) = pair;
    let other = |block| if block == a { b } else { a };
    Ok(match stage {
        Stage::Measure => vec![(a, b, search.measure(local, pair, run)?.into())],
        Stage::Radii => {
            let own = search.measure_own(local, pair, run)?.into_iter();
            own.map(|(block, own)| (block, other(block), own.into())).collect()
        }
        _ => {
            let found = search.search(local, pair, measured, run)?.into_iter();
            found.map(|(block, found)| (block, other(block), found.into())).collect()
        }
    })
}

/// The error for a plan with more items than the rows have.
fn other_blocks(what: &str) -> Error {
    Error::data(format!("the plan has more {what} than its rows"), "make the plan again")
}
