//! The tasks of a plan whose parts read the table, and the merge of their results.

use std::ops::Range;

use basrelief_kernels::Moments;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::cut::Cut;
use super::fit_spec::SearchSteps;
use super::messages::{BlockMargins, BlockResult, ByBlocks, Comparisons, Weights, by_blocks};
use super::plan::Plan;
use super::stage::Stage;
use super::wire::{Label, contents, damaged, open, seal};
use crate::differences::Space;
use crate::error::{Error, Result};
use crate::margins::UNDIRECTED;
use crate::methods::{Problem, Reweighting, added, mean_margins};
use crate::neighbors::{Found, Measured, SearchJob};
use crate::packed::Packed;
use crate::report::Report;
use crate::run::Run;

/// The results of a stage, part by part.
pub(super) type Results<'r> = &'r mut dyn Iterator<Item = Result<Vec<u8>>>;

impl Plan {
    /// The result of a part, numbered from 0, as bytes.
    ///
    /// `problem` is the one of the plan; its table may have only the columns that the part
    /// [requires](Self::columns_of).
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
        let columns = self.columns_of(stage, part)?;
        if stage == Stage::Permute {
            return self.permute(part, problem, &self.all_sums(earlier)?.weights.0, run);
        }
        let run = &self.data.fit.run(run);
        let procedure = self.procedure(problem, &columns, &mut Report::default(), run)?;
        let table = problem.table();
        let selected = (table.width() != columns.len()).then(|| table.select_columns(&columns));
        let table = selected.as_ref().unwrap_or(table);
        match stage {
            Stage::Measure | Stage::Radii | Stage::Search => {
                let search = procedure.search()?;
                let measured = match self.before(stage) {
                    Some(before) => {
                        let results = by_blocks(self.results(before, earlier), |_| true)?;
                        self.measured(&search.job, before, results)?
                    }
                    None => self.known_distances(),
                };
                procedure.in_searched_space(table, run, |space, _| {
                    self.compare_blocks((stage, part), search, space, &measured, run)
                })
            }
            Stage::Lists => {
                let found = self.results(Stage::Search, earlier);
                self.lists_of_blocks(part, &procedure.search()?.job, found, run)
            }
            Stage::Sums => {
                // Methods that take all columns together take the covariates, too.
                let is_whole = columns.len() == self.width();
                let joined = if is_whole { procedure.with_covariates(table)? } else { None };
                let space = procedure.space_of(joined.as_ref().unwrap_or(table), run)?;
                self.sums_of(procedure.search()?, (&space, columns.len()), (part, earlier), run)
            }
            Stage::Scatter => self.scatter_of(procedure.search()?, (part, table), earlier, run),
            Stage::Margins | Stage::Permute => {
                let reweighting = procedure.iterations()?;
                let space = reweighting.space_of(table, run)?;
                self.margins_of((reweighting, &space, reweighting.order.clone()), part, run)
            }
        }
    }

    /// The columns that a part of a stage requires.
    ///
    /// # Errors
    /// The part does not exist.
    pub fn columns_of(&self, stage: Stage, part: usize) -> Result<Vec<usize>> {
        let items = self.items(stage, part)?;
        Ok(match stage {
            Stage::Sums => items.collect(),
            Stage::Scatter => self.columns_of_scatter(part)?,
            _ => self.all_columns(),
        })
    }

    /// Seals the result of a part, unless the run was cancelled.
    pub(super) fn sealed<T: Serialize>(
        &self,
        (stage, part): (Stage, usize),
        result: &T,
        run: &Run,
    ) -> Result<Vec<u8>> {
        run.check()?;
        Ok(seal(result, &Label::result(self.number(), stage, part)))
    }

    /// The neighbors of the rows of the blocks of a part.
    pub(super) fn lists_of_blocks(
        &self,
        part: usize,
        search: &SearchJob<'_>,
        results: impl Iterator<Item = Result<Comparisons>>,
        run: &Run,
    ) -> Result<Vec<u8>> {
        let blocks = self.items(Stage::Lists, part)?;
        if blocks.end > search.queries() {
            return Err(other_blocks("blocks"));
        }
        let mut results = by_blocks(results, |block| blocks.contains(&block))?;
        let found = blocks.map(|block| {
            run.check()?;
            let parts = (0..search.blocks()).map(|other| {
                take_result(&mut results, Stage::Search, (block, other))?.into_found(self.data.rows)
            });
            search.lists(block, parts, run)
        });
        let all = found.reduce(|all, found| {
            let mut all = all?;
            all.append(found?)?;
            Ok(all)
        });
        let all = all.ok_or_else(|| Error::Internal("a part without blocks".to_string()))??;
        self.sealed((Stage::Lists, part), &BlockResult::from(all), run)
    }

    /// The margins of the blocks of a part, from the space of all rows and their order in it.
    pub(super) fn margins_of(
        &self,
        (reweighting, space, order): (&Reweighting<'_>, &Space<'_>, Vec<u32>),
        part: usize,
        run: &Run,
    ) -> Result<Vec<u8>> {
        let blocks = self.items(Stage::Margins, part)?;
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
        for (part, result) in self.results(Stage::Margins, results).enumerate() {
            let sums: Vec<BlockMargins> = result?;
            if sums.len() != self.items(Stage::Margins, part)?.len() {
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
        search: &SearchSteps<'_>,
        space: &Space<'_>,
        measured: &Measured,
        run: &Run,
    ) -> Result<Vec<u8>> {
        let job = &search.job;
        let pairs = pairs_of(job, stage);
        let mut results = Comparisons::new();
        let items = self.items(stage, part)?;
        let pairs = pairs.get(items).ok_or_else(|| other_blocks("pairs of blocks"))?;
        for &pair in pairs {
            run.check()?;
            let rows = job.rows(pair);
            let (table, features) = space.select_rows(&rows);
            let local = search.space_of_rows(&table, &rows, features);
            results.extend(compare(stage, job, &local, pair, measured, run)?);
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
            let mut own = vec![Moments::default(); search.sampled_of(block)];
            for other in 0..search.blocks() {
                search.merge_own(&mut own, &take(block, other)?, other)?;
            }
            measured.own.extend(own);
        }
        Ok(measured)
    }

    /// The neighbors of all rows, from the results of the lists.
    pub(super) fn neighbors<'r>(
        &self,
        lists: Results<'r>,
    ) -> impl Iterator<Item = Result<Found>> + use<'r> {
        let rows = self.data.rows;
        let lists = self.results::<BlockResult>(Stage::Lists, lists);
        lists.map(move |result| result?.into_found(rows))
    }

    /// The weights of the first `width` columns of a space, from the neighbors of all rows.
    fn sums_of(
        &self,
        SearchSteps { steps, job, .. }: &SearchSteps<'_>,
        (space, width): (&Space<'_>, usize),
        (part, lists): (usize, Results<'_>),
        run: &Run,
    ) -> Result<Vec<u8>> {
        let source = job.source(self.neighbors(lists), self.data.undirected, run)?;
        let routes = if self.data.more_than_bits { &[UNDIRECTED][..] } else { &[] };
        let mut found = (steps.weigh)(space, &*source, &run.asking_for(routes))?;
        found.weights.truncate(width);
        let weights =
            Weights { weights: Packed(found.weights), without_neighbors: found.nobody_near };
        self.sealed((Stage::Sums, part), &weights, run)
    }

    /// Checks that bytes are the result of a part.
    ///
    /// # Errors
    /// The part does not exist; the bytes are of another part, plan or version, or damaged.
    pub fn check(&self, stage: Stage, part: usize, bytes: &[u8]) -> Result<()> {
        self.items(stage, part)?;
        contents(bytes, &Label::result(self.number(), stage, part)).map(drop)
    }

    /// The results of all parts of the sums together.
    pub(super) fn all_sums(&self, sums: Results<'_>) -> Result<Weights> {
        let mut all = Weights::default();
        for result in self.results::<Weights>(Stage::Sums, sums) {
            let part = result?;
            all.weights.0.extend(part.weights.0);
            all.without_neighbors |= part.without_neighbors;
        }
        let (width, found) = (self.width(), all.weights.0.len());
        if found != width {
            return Err(Error::Internal(format!("{found} weights of {width} columns")));
        }
        Ok(all)
    }

    /// The items of a part of a stage, numbered from 0.
    ///
    /// # Errors
    /// The plan lacks the stage, or the stage lacks the part.
    pub fn items(&self, stage: Stage, part: usize) -> Result<Range<usize>> {
        let cut = self.cut(stage).ok_or_else(|| {
            let stages: Vec<&str> = self.stages().iter().map(|own| own.stage.name()).collect();
            Error::option(
                "stage",
                format!("this plan has no stage {}", stage.name()),
                format!("its stages are: {}", stages.join(", ")),
            )
        })?;
        if part < cut.parts() {
            return Ok(cut.part(part));
        }
        Err(Error::option(
            "part",
            format!("there is no part {} of stage {}", part + 1, stage.name()),
            format!("its parts are 1 to {}", cut.parts()),
        ))
    }

    /// The results of all parts of a stage in their order.
    pub(super) fn results<'r, T: DeserializeOwned>(
        &self,
        stage: Stage,
        results: Results<'r>,
    ) -> impl Iterator<Item = Result<T>> + use<'r, T> {
        let parts = self.cut(stage).map_or(0, Cut::parts);
        let plan = self.number();
        (0..parts).map(move |part| {
            let missing = || {
                let what = format!("part {} of stage {} is missing", part + 1, stage.name());
                Err(Error::data(what, "compute it first"))
            };
            let bytes = results.next().unwrap_or_else(missing)?;
            open(&bytes, &Label::result(plan, stage, part))
        })
    }
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
