//! The permutations of a test, of which every part weighs some.

use super::cut::Cut;
use super::draft::Draft;
use super::plan::Plan;
use super::print::of_classes;
use super::stage::{Stage, StagePlan};
use super::tasks::Results;
use super::wire::{Label, Reader, Writer, read_exceedances, write_exceedances};
use crate::data::Table;
use crate::error::{Error, Result};
use crate::inference::{Correction, Draws, PermutationTest, Permutations, Significance};
use crate::methods::Problem;
use crate::methods::wrappers::for_targets;
use crate::report::Report;
use crate::run::Run;
use crate::wording;

/// Bytes that a permutation's result has: its largest weight.
const BYTES_OF_DRAW: u64 = 8;

/// Bytes of the weights of all permutations at a time, at most.
const BYTES_OF_WEIGHTS: u64 = 1 << 27;

impl Plan {
    /// Adds a test of the weights: a last stage with so many permutations of the target, inside of the
    /// [strata](Problem::with_strata) of the problem where it has some, in at most `parts` parts. A part
    /// needs the whole table, and finds the neighbors for itself.
    ///
    /// # Errors
    /// A method that goes round, learns a map, or has weights that cannot be
    /// [tested](crate::methods::MethodInfo::check_test); covariates that choose neighbors; no permutation, or more than 2³² - 1; a target that does not vary.
    pub fn with_permutations(
        mut self,
        problem: &Problem<'_>,
        draws: u64,
        parts: usize,
    ) -> Result<Self> {
        if self.makes_map() {
            let name = wording::method(self.method().name());
            let problem = format!("{name} learns a map, and no weights are there to be tested");
            return Err(Error::option("permutations", problem, "leave it out"));
        }
        self.method().weighing()?.check_test()?;
        if self.weighing() != Stage::Sums {
            return Err(Error::option(
                "permutations",
                format!(
                    "the weights of {}, which goes round, cannot be tested in parts",
                    wording::method(self.method().name())
                ),
                "rank on one machine",
            ));
        }
        self.permutations(problem)?;
        let items = u32::try_from(draws).ok().filter(|draws| *draws > 0).ok_or_else(|| {
            let most = u32::MAX;
            let help = format!("give a whole number from 1 to {most}");
            Error::option("permutations", format!("found {draws}"), help)
        })?;
        self.strata = problem.strata().map(of_classes);
        let cut = Cut::new(items as usize, self.together(Stage::Permute), parts);
        let of_part = 8 * self.width() as u64;
        let of_sums = self.stages().last().map_or(0, |sums| sums.memory_bytes);
        self.add_stage(StagePlan {
            stage: Stage::Permute,
            cut,
            result_bytes: cut.parts() as u64 * of_part + BYTES_OF_DRAW * draws,
            memory_bytes: of_sums + BYTES_OF_WEIGHTS.min(of_part * cut.most() as u64),
        });
        Ok(self)
    }

    /// The test, from the results of all parts of [`Stage::Permute`] in their order: what a test on one
    /// machine finds. With it comes why the method was fitted again for every permutation, if it was.
    ///
    /// # Errors
    /// As of [`PermutationTest::merge`]; other data; a result that is missing, of another version or plan,
    /// or damaged.
    pub fn significance(
        &self,
        problem: &Problem<'_>,
        weights: &[f64],
        (correction, alpha): (Correction, f64),
        permuted: Results<'_>,
    ) -> Result<(Significance, Option<String>)> {
        let draws = self.cut(Stage::Permute).map_or(0, Cut::items) as u64;
        let permutations = &self.permutations(problem)?;
        let test = PermutationTest { permutations, draws: Draws::Fixed(draws), correction, alpha };
        let parts = self.earlier(Stage::Permute, permuted);
        let mut reason = None;
        let parts = parts.map(|(label, bytes)| {
            let part = read_exceedances(Reader::open(&bytes?, label)?)?;
            reason.clone_from(&part.refit_reason);
            Ok(part)
        });
        let found = test.merge(weights, parts)?;
        Ok((found, reason))
    }

    /// Counts the permutations of a part.
    pub(super) fn permute(
        &self,
        (part, problem): (usize, &Problem<'_>),
        weights: &[f64],
        run: &Run,
    ) -> Result<Writer> {
        if problem.strata().map(of_classes) != self.strata {
            return Err(Error::data(
                "the groups inside of which the target is permuted are not those of the plan",
                "give the data as they were, or make a new plan",
            ));
        }
        let numbers = self.existing(Stage::Permute, part)?.part(part);
        let mut method =
            for_targets(self.method().weighing()?, self.settings(), &[], problem, run)?;
        let numbers = numbers.start as u64..numbers.end as u64;
        let found = self.permutations(problem)?.count(&mut *method, weights, numbers, run)?;
        Ok(write_exceedances(&found))
    }

    fn permutations<'p>(&self, problem: &Problem<'p>) -> Result<Permutations<'p>> {
        let (target, strata) = (problem.target(), problem.strata());
        Permutations::new(target, strata, problem.covariates(), self.seed())
    }
}

impl Draft {
    /// Adds a test of the weights to a plan, as [`Plan::with_permutations`] does.
    ///
    /// # Errors
    /// As there; a plan of another fit.
    pub fn with_permutations(&self, plan: Plan, draws: u64, parts: usize) -> Result<Plan> {
        self.demand(&plan)?;
        self.with_target(|problem| plan.with_permutations(problem, draws, parts))
    }

    /// The result of a part of [`Stage::Permute`], from the weights of all columns. `table` has all columns and
    /// rows.
    ///
    /// # Errors
    /// No such part; other columns or rows than those of the plan; too little memory; [`Error::Cancelled`].
    pub fn permute(
        &self,
        plan: &Plan,
        part: usize,
        table: &Table<'_>,
        weights: &[f64],
        run: &Run,
    ) -> Result<Vec<u8>> {
        self.demand(plan)?;
        let columns = plan.all_columns();
        self.demand_columns(&columns, table)?;
        let run = &run.asking_for(&[]).with_seed(plan.seed());
        let problem = Problem::new(table, self.target())?;
        plan.steps(&problem, &columns, &mut Report::default(), run)?;
        let counted = plan.permute((part, &problem), weights, run)?;
        run.check()?;
        Ok(counted.sealed(Label::result(plan.number(), Stage::Permute, part)))
    }

    /// The test of the weights, as [`Plan::significance`] gives it.
    ///
    /// # Errors
    /// As there; a plan of another fit.
    pub fn significance(
        &self,
        plan: &Plan,
        weights: &[f64],
        level: (Correction, f64),
        permuted: Results<'_>,
    ) -> Result<(Significance, Option<String>)> {
        self.demand(plan)?;
        self.with_target(|problem| plan.significance(problem, weights, level, permuted))
    }
}
