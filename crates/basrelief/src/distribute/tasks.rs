//! The parts of a plan, and what comes of all.

use basrelief_kernels::Moments;

use super::cut::Cut;
use super::plan::{Plan, parted};
use super::stage::Stage;
use super::wire::{
    Label, Reader, Weights, read_found, read_moments, read_weights, write_found, write_moments,
    write_weights,
};
use crate::error::{Error, Result};
use crate::maps::FeatureWeights;
use crate::margins::UNDIRECTED;
use crate::methods::{Problem, nobody_near};
use crate::report::{Fitted, Report};
use crate::run::Run;

/// The results of a stage, part by part.
type Results<'r> = &'r mut dyn Iterator<Item = Result<Vec<u8>>>;

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
        let cut = self.existing(stage, part)?;
        let items = cut.part(part);
        let run = &run.asking_for(&[]).with_seed(self.seed());
        let columns = if stage == Stage::Sums { items.clone() } else { 0..self.width() };
        let steps = self.steps(problem, columns, &mut Report::default(), run)?;
        let search = parted(&steps);
        let writer = match stage {
            Stage::Measure => {
                let space = steps.space_of(problem.table(), run)?;
                write_moments(&search.measure(&space, items, run)?)
            }
            Stage::Search => {
                let mean = self.mean_of_pairs(earlier)?;
                let space = steps.space_of(problem.table(), run)?;
                write_found(&search.find(&space, items, mean, run)?)
            }
            Stage::Sums => {
                let rows = problem.rows();
                let parts = self.earlier(Stage::Search, earlier);
                let parts =
                    parts.map(|(label, bytes)| read_found(Reader::open(&bytes?, label)?, rows));
                let source = search.source(parts, self.undirected, run)?;
                let selected: Vec<usize> = items.clone().collect();
                let is_whole = problem.table().width() == items.len();
                let table = (!is_whole).then(|| problem.table().select_columns(&selected));
                let space = steps.space_of(table.as_ref().unwrap_or(problem.table()), run)?;
                let routes = if self.more_than_bits { &[UNDIRECTED][..] } else { &[] };
                let found = (steps.weigh)(&space, &*source, &run.asking_for(routes))?;
                write_weights(&Weights { weights: found.weights, nobody_near: found.nobody_near })
            }
        };
        run.check()?;
        Ok(writer.sealed(Label { plan: self.number(), stage, part }))
    }

    /// Whether bytes are the result of a part.
    ///
    /// # Errors
    /// No such part; they are not: of another part, plan or version, or damaged.
    pub fn check(&self, stage: Stage, part: usize, bytes: &[u8]) -> Result<()> {
        self.existing(stage, part)?;
        Reader::open(bytes, Label { plan: self.number(), stage, part }).map(drop)
    }

    /// The fit, from the results of all parts of [`Stage::Sums`] in their order. Its report has the warnings
    /// of a fit on one machine; the seconds are those of the merge.
    ///
    /// # Errors
    /// Other data; a result that is missing, of another version or plan, or damaged; [`Error::Cancelled`].
    pub fn merge(
        &self,
        problem: &Problem<'_>,
        sums: Results<'_>,
        run: &Run,
    ) -> Result<Fitted<FeatureWeights>> {
        let run = &run.asking_for(&[]).with_seed(self.seed());
        let width = self.width();
        self.method().timed(problem, run, |report| {
            self.steps(problem, 0..width, report, run)?;
            let (mut weights, mut is_alone) = (Vec::new(), false);
            for (label, bytes) in self.earlier(Stage::Sums, sums) {
                let part = read_weights(Reader::open(&bytes?, label)?)?;
                weights.extend(part.weights);
                is_alone |= part.nobody_near;
            }
            if weights.len() != width {
                let found = weights.len();
                return Err(Error::Internal(format!("{found} weights of {width} columns")));
            }
            report.warnings.extend(is_alone.then(nobody_near));
            Ok(weights)
        })
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
    fn earlier<'r>(
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
            (Label { plan, stage, part }, results.next().unwrap_or_else(missing))
        })
    }

    /// The mean distance of all pairs, where it is measured or known.
    fn mean_of_pairs(&self, measured: Results<'_>) -> Result<Moments> {
        let mut all = self.mean.unwrap_or_default();
        for (label, bytes) in self.earlier(Stage::Measure, measured) {
            // Pair of blocks by pair of blocks, as on one machine.
            let part = read_moments(Reader::open(&bytes?, label)?)?;
            all = part.into_iter().fold(all, Moments::merged);
        }
        Ok(all)
    }
}
