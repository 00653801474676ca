//! The permutations of a test, of which every part computes some.

use super::cut::Cut;
use super::plan::{Plan, check_parts};
use super::stage::{Stage, StagePlan};
use super::tasks::Results;
use crate::error::{Error, Result};
use crate::inference::{
    Correction, Draws, Exceedances, PermutationTest, Permutations, Sided, Significance,
};
use crate::methods::Problem;
use crate::methods::wrappers::for_targets;
use crate::run::Run;
use crate::wording;

/// The size of a permutation's result: its largest weight.
const BYTES_PER_DRAW: u64 = 8;

/// The largest size of the weights of all permutations computed at a time.
const MOST_WEIGHT_BYTES: u64 = 1 << 27;

impl Plan {
    /// Adds a one- or two-sided test of the weights: a last stage with `draws` permutations of the target, under the
    /// [roles](Problem::with_roles) of the rows, in at most `parts` parts. A part requires the complete table. It finds
    /// the neighbors itself, once or for every permutation, as a test on one machine does.
    ///
    /// # Errors
    /// An iterative method, one that learns a map, or one whose weights cannot be
    /// [tested](crate::methods::MethodInfo::check_test); 0 permutations, or more than
    /// [`MOST_PERMUTATIONS`](crate::inference::MOST_PERMUTATIONS); a target and roles without
    /// [permutations](Permutations::new).
    pub fn with_permutations(
        mut self,
        problem: &Problem<'_>,
        (draws, sided): (u64, Sided),
        parts: usize,
    ) -> Result<Self> {
        if self.weighing() != Stage::Sums {
            let name = wording::method(self.method().name());
            let (problem, help) = if self.makes_map() {
                (format!("{name} learns a map, which has no weights to test"), "leave it out")
            } else {
                let what = "is iterative: its weights cannot be tested in parts";
                (format!("{name} {what}"), "rank on one machine")
            };
            return Err(Error::option("permutations", problem, help));
        }
        self.data.fit.weighting()?.check_test()?;
        check_parts(parts)?;
        self.permutations(problem)?;
        Draws::Fixed(draws).check_count()?;
        if draws == 0 {
            let help = "give a whole number of at least 1";
            return Err(Error::option("permutations", "found 0", help));
        }
        self.data.sided = sided;
        let cut = Cut::new(draws as usize, 1, parts);
        let bytes_per_part = 8 * self.width() as u64;
        let memory_of_sums = self.stages().last().map_or(0, |sums| sums.memory_bytes);
        self.add_stage(StagePlan {
            stage: Stage::Permute,
            cut,
            result_bytes: cut.parts() as u64 * bytes_per_part + BYTES_PER_DRAW * draws,
            memory_bytes: memory_of_sums
                + MOST_WEIGHT_BYTES.min(bytes_per_part * cut.most() as u64),
        });
        Ok(self)
    }

    /// The test, from the results of all parts of [`Stage::Permute`] in their order. It equals a test on one
    /// machine. The text is the reason why the method was refitted for every permutation, if it was.
    ///
    /// # Errors
    /// As of [`PermutationTest::merge`]; the data have changed; a result is missing, of another version or
    /// plan, or damaged.
    pub fn significance(
        &self,
        problem: &Problem<'_>,
        weights: &[f64],
        (correction, alpha): (Correction, f64),
        permuted: Results<'_>,
    ) -> Result<(Significance, Option<String>)> {
        let draws = self.cut(Stage::Permute).map_or(0, Cut::items) as u64;
        let permutations = &self.permutations(problem)?;
        let (draws, sided) = (Draws::Fixed(draws), self.data.sided);
        let test = PermutationTest { permutations, draws, sided, correction, alpha };
        let mut reason = None;
        let parts = self.results(Stage::Permute, permuted).map(|part| {
            let part: Exceedances = part?;
            reason.clone_from(&part.refit_reason);
            Ok(part)
        });
        let found = test.merge(weights, parts)?;
        Ok((found, reason))
    }

    /// The result of a part of [`Stage::Permute`], from the weights of all columns.
    ///
    /// # Errors
    /// The part does not exist; the data have changed; too little memory; [`Error::Cancelled`].
    pub fn permute(
        &self,
        part: usize,
        problem: &Problem<'_>,
        weights: &[f64],
        run: &Run,
    ) -> Result<Vec<u8>> {
        let run = &self.data.fit.run(run);
        self.demand_data(problem, &self.all_columns(), run)?;
        let numbers = self.items(Stage::Permute, part)?;
        let numbers = numbers.start as u64..numbers.end as u64;
        let info = self.data.fit.weighting()?;
        let mut method = for_targets(info, self.settings(), &[], problem, run)?;
        let permutations = self.permutations(problem)?;
        let found = permutations.count(&mut *method, weights, self.data.sided, numbers, run)?;
        self.sealed((Stage::Permute, part), &found, run)
    }

    fn permutations<'p>(&self, problem: &Problem<'p>) -> Result<Permutations<'p>> {
        let run = Run::new(Some(1))?.with_seed(self.seed());
        Permutations::new(problem.target(), problem.roles(), &run)
    }
}
