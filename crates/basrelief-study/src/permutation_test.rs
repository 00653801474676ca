//! Permutation tests of weights: their specification, their results and their costs.

use std::path::PathBuf;

use basrelief::data::Roles;
use basrelief::distribute::Plan;
use basrelief::inference::{
    Correction, Draws, NoStore, PermutationTest, Permutations, Scheme, Sided, Significance,
    TestStore,
};
use basrelief::methods::Problem;
use basrelief::methods::wrappers::for_targets;
use basrelief::wording::thousands;
use basrelief::{Error, Report, Result, Run, Warning};
use basrelief_io::ResultsFolder;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::recipe::Recipe;
use crate::subject::contents;
use crate::text::{ALWAYS, Notes, TableColumn, counted, cut, duration, printable, unsigned};

/// The default level.
const ALPHA: f64 = 0.05;

/// The number of selected features that are named.
const SHOWN: usize = 10;

/// The time in seconds below which the duration of a test is not announced.
const SHORT: f64 = 60.0;

/// A permutation test of the weights, as a user specified it.
#[derive(Debug, Clone)]
pub struct TestPlan {
    /// The number of permutations of the target.
    pub draws: Draws,
    /// Which weights count as evidence of an effect.
    pub sided: Sided,
    /// The correction for many features.
    pub correction: Correction,
    /// The level, between 0 and 1.
    pub alpha: f64,
    /// The folder that stores the finished permutations.
    pub resume: Option<PathBuf>,
}

impl TestPlan {
    /// A one-sided test with this number of permutations, the default correction (max-T, or FDR if the number is
    /// adaptive) and level 0.05.
    pub fn new(draws: Draws) -> Self {
        let correction = if draws.is_adaptive() { Correction::Fdr } else { Correction::MaxT };
        Self { draws, sided: Sided::One, correction, alpha: ALPHA, resume: None }
    }

    /// Reports errors that are known before the data are read.
    ///
    /// # Errors
    /// Too few permutations for the level; a folder for results that cannot be stored.
    pub fn check(&self) -> Result<()> {
        self.draws.check(self.correction, self.alpha, 1)?;
        // A test in parts stores its permutations in the folder of the job.
        if self.resume.is_some() && self.correction.needs_weights() {
            return Err(Error::option(
                "resume",
                format!(
                    "{} keeps the weights of all permutations in memory and cannot be continued",
                    self.correction.name()
                ),
                "use max-t, or omit the option",
            ));
        }
        Ok(())
    }

    /// Refuses tests that cannot be computed in parts, before the data are read.
    ///
    /// # Errors
    /// The errors of [`Draws::check_parts`].
    pub fn check_parts(&self) -> Result<()> {
        self.draws.check_parts(self.correction)
    }

    /// Adds the test to a plan, in `parts` parts.
    ///
    /// # Errors
    /// Too few permutations for the number of features; a constant target.
    pub fn planned(&self, plan: Plan, problem: &Problem<'_>, parts: usize) -> Result<Plan> {
        self.draws.check(self.correction, self.alpha, problem.table().width())?;
        plan.with_permutations(problem, (self.draws.most(), self.sided), parts)
    }

    /// The test of a plan, from the results of all its parts.
    ///
    /// # Errors
    /// The errors of [`Plan::significance`].
    pub fn merged(
        &self,
        plan: &Plan,
        prepared: &PreparedTest<'_>,
        problem: &Problem<'_>,
        weights: &[f64],
        permuted: &mut dyn Iterator<Item = Result<Vec<u8>>>,
    ) -> Result<Tested> {
        let level = (self.correction, self.alpha);
        let (found, refit_reason) = plan.significance(problem, weights, level, permuted)?;
        let scheme = prepared.permutations.scheme();
        Ok(self.tested(found, (prepared.columns, scheme), refit_reason))
    }

    fn tested(
        &self,
        found: Significance,
        (columns, scheme): (RoleColumns<'_>, Option<Scheme>),
        refit_reason: Option<String>,
    ) -> Tested {
        Tested {
            found,
            draws: self.draws,
            sided: self.sided,
            correction: self.correction,
            alpha: self.alpha,
            within: columns.within.map(str::to_string),
            group: columns.group.map(str::to_string),
            scheme,
            refit_reason,
            blocks: None,
        }
    }

    /// Draws the permutations and opens the folder of results; reports errors that are known before the fit.
    ///
    /// # Errors
    /// Too few permutations for the number of features; a constant target; a folder of another test.
    pub fn prepare<'t>(
        &self,
        recipe: Recipe<'_>,
        problem: &Problem<'t>,
        columns: RoleColumns<'t>,
        run: &Run,
    ) -> Result<PreparedTest<'t>> {
        let (target, roles) = (problem.target(), problem.roles());
        self.draws.check(self.correction, self.alpha, problem.table().width())?;
        let permutations = Permutations::new(target, roles, run)?;
        let folder = match &self.resume {
            None => None,
            Some(path) => {
                let record = json!({
                    "basrelief": env!("CARGO_PKG_VERSION"),
                    "method": recipe.info.name,
                    "options": recipe.settings.to_json(),
                    "wrappers": recipe.wrappers_json(),
                    "permutations": match (self.draws.is_adaptive(), self.sided) {
                        (false, Sided::One) => "fixed",
                        (true, Sided::One) => "adaptive",
                        (false, Sided::Two) => "fixed, two-sided",
                        (true, Sided::Two) => "adaptive, two-sided",
                    },
                    "within": columns.within,
                    "seed": run.seed(),
                    "data": contents(problem.table(), target, roles),
                    "covariates": roles.covariates().map(|covariates| {
                        let data = contents(covariates.table(), target, Roles::default());
                        json!([data, covariates.caliper(), covariates.are_in_distance()])
                    }),
                });
                Some(ResultsFolder::open_for(path, &record, "resume")?)
            }
        };
        Ok(PreparedTest { permutations, folder, columns })
    }

    /// Tests the weights of a fit with this report, and those of blocks of features if there are blocks.
    ///
    /// # Errors
    /// The errors of [`PermutationTest::run_with_blocks`].
    pub fn run(
        &self,
        prepared: &PreparedTest<'_>,
        recipe: Recipe<'_>,
        problem: &Problem<'_>,
        (weights, report): (&[f64], &Report),
        notes: &Notes<'_>,
        run: &Run,
    ) -> Result<Tested> {
        let blocks = problem.roles().blocks().zip(report.block_factors.as_deref());
        let seconds = report.seconds;
        let Recipe { info, settings, wrappers } = recipe;
        let mut method = for_targets(info, settings, wrappers, problem, run)?;
        let refit_reason = method.refit_reason().map(str::to_string);
        let store: &dyn TestStore = prepared.folder.as_ref().map_or(&NoStore, |folder| folder);
        let done = store.find().and_then(|state| state["done"].as_u64()).unwrap_or(0);
        notes(&self.announcement(refit_reason.as_deref(), done, seconds, run.threads()));
        let test = PermutationTest {
            permutations: &prepared.permutations,
            draws: self.draws,
            sided: self.sided,
            correction: self.correction,
            alpha: self.alpha,
        };
        let found = test.run_with_blocks(&mut *method, (weights, blocks), store, run);
        let (found, blocks) = found.inspect_err(|error| {
            if matches!(error, Error::Cancelled) && store.find().is_some() {
                notes(
                    "finished permutations are saved; the same command continues with the others",
                );
            }
        })?;
        let scheme = prepared.permutations.scheme();
        let tested = self.tested(found, (prepared.columns, scheme), refit_reason);
        Ok(Tested { blocks, ..tested })
    }

    /// The announcement of a test: its permutations and its cost.
    fn announcement(
        &self,
        refit_reason: Option<&str>,
        done: u64,
        seconds: f64,
        threads: usize,
    ) -> String {
        let most = self.draws.most();
        let at_most = if self.draws.is_adaptive() { "at most " } else { "" };
        let known = if done > 0 { format!(" ({done} already done)") } else { String::new() };
        let left = most.saturating_sub(done);
        let total = seconds * left as f64;
        let times = format!("{at_most}{most} permutations{known}; ");
        match refit_reason {
            None if total < SHORT => format!("{times}neighbors are searched once"),
            None => {
                let fit = of_a_fit(seconds);
                format!("{times}neighbors are searched once: each takes less than the fit ({fit})")
            }
            Some(reason) => {
                let is_adaptive = self.draws.is_adaptive();
                let cost =
                    cost(left, "fit", is_adaptive, seconds, threads, "--resume DIR continues");
                format!("{times}each needs a full refit: {reason}\n{cost}")
            }
        }
    }
}

/// The seconds of one fit, which may be few.
fn of_a_fit(seconds: f64) -> String {
    let digits = if seconds < 0.1 { 4 } else { 2 };
    format!("{seconds:.digits$} s")
}

/// The cost of `count` repetitions, in words, from the seconds of one.
pub fn cost(
    count: u64,
    what: &str,
    at_most: bool,
    seconds: f64,
    threads: usize,
    goes_on: &str,
) -> String {
    format!(
        "{}{count} {what}s of about {}: {} {} on {}; Ctrl-C stops, {goes_on}",
        if at_most { "at most " } else { "" },
        of_a_fit(seconds),
        if at_most { "at most" } else { "about" },
        duration(count as f64 * seconds),
        counted(threads, "thread")
    )
}

/// The permutations of a test, and its folder.
#[derive(Debug)]
pub struct PreparedTest<'t> {
    permutations: Permutations<'t>,
    folder: Option<ResultsFolder>,
    columns: RoleColumns<'t>,
}

/// The names of the columns of strata and groups.
#[derive(Debug, Clone, Copy, Default)]
pub struct RoleColumns<'c> {
    /// The column of strata.
    pub within: Option<&'c str>,
    /// The column of groups.
    pub group: Option<&'c str>,
}

impl RoleColumns<'_> {
    /// How permutations treat groups of rows; `None` if all rows are independent.
    pub(crate) fn scheme_words(&self, scheme: Option<Scheme>) -> Option<String> {
        let group = self.group.map_or(String::new(), |name| printable(name).to_string());
        scheme.map(|scheme| scheme.words(&group))
    }

    /// The permutations in words: `permutations of the target within center, whole groups of
    /// subject are exchanged (24)`.
    pub(crate) fn permutations(&self, scheme: Option<Scheme>) -> String {
        format!("permutations {}", self.of_target(scheme))
    }

    /// What the permutations exchange: `of the target within center, whole groups of subject are exchanged (24)`.
    pub(crate) fn of_target(&self, scheme: Option<Scheme>) -> String {
        let within =
            self.within.map_or(String::new(), |name| format!(" within {}", printable(name)));
        let scheme = self.scheme_words(scheme).map_or(String::new(), |words| format!(", {words}"));
        format!("of the target{within}{scheme}")
    }
}

impl PreparedTest<'_> {
    /// Warnings about strata and groups, and about the findings of the test; `weights` are the observed weights.
    pub fn warnings(&self, tested: &Tested, weights: &[f64]) -> Vec<Warning> {
        self.permutations.warnings().iter().cloned().chain(tested.warning(weights)).collect()
    }
}

/// The result of a permutation test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tested {
    found: Significance,
    draws: Draws,
    sided: Sided,
    correction: Correction,
    alpha: f64,
    within: Option<String>,
    group: Option<String>,
    scheme: Option<Scheme>,
    refit_reason: Option<String>,
    blocks: Option<Significance>,
}

impl Tested {
    /// The results of all features, in column order.
    pub fn significance(&self) -> &Significance {
        &self.found
    }

    /// The results of all blocks of features, in the order of the blocks, if there are blocks. Their adjusted p-values are
    /// those of max-T over the blocks.
    pub fn blocks(&self) -> Option<&Significance> {
        self.blocks.as_ref()
    }

    /// Whether a feature is significant.
    pub fn is_selected(&self, feature: usize) -> bool {
        self.found.selected[feature]
    }

    /// The null threshold: the 1 - alpha quantile of the maximum weight under permutation, or of the maximum absolute
    /// weight in a two-sided test.
    pub fn chance_weight(&self) -> Option<f64> {
        self.found.chance_weight
    }

    /// Seconds of the test.
    pub fn seconds(&self) -> f64 {
        self.found.seconds
    }

    /// The results of one feature: its p-value, the adjusted p-value if there is one, and the false
    /// discovery rate.
    pub fn found(&self, feature: usize) -> (f64, Option<f64>, f64) {
        (self.found.p_values[feature], self.adjusted(feature), self.found.q_values[feature])
    }

    /// The level.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// Which weights count as evidence of an effect.
    pub fn sided(&self) -> Sided {
        self.sided
    }

    /// A warning that a two-sided test found negative weights next to positive ones, which features without an effect have
    /// too. `weights` are the observed weights.
    fn warning(&self, weights: &[f64]) -> Option<Warning> {
        if self.sided == Sided::One {
            return None;
        }
        let selected = weights.iter().zip(&self.found.selected).filter(|(_, selected)| **selected);
        let (above, below): (Vec<f64>, Vec<f64>) =
            selected.map(|(weight, _)| *weight).partition(|weight| *weight > 0.0);
        (!above.is_empty() && !below.is_empty()).then(|| {
            Warning::new(
                "negative-weights",
                format!(
                    "{} of the significant features have weights below 0, and {} above: if some features have an effect, \
                     the weights of the others are lower than in permutations, so that weights below 0 are no evidence \
                     of an effect here",
                    below.len(),
                    above.len()
                ),
            )
        })
    }

    /// The correction for many features.
    pub fn correction(&self) -> Correction {
        self.correction
    }

    /// The largest number of permutations that the test may draw.
    pub fn most_draws(&self) -> u64 {
        self.draws.most()
    }

    /// A summary of the test, for a page.
    pub fn summary(&self) -> String {
        let at_most = if self.draws.is_adaptive() { "at most " } else { "" };
        format!(
            "{at_most}{} {}; {}",
            thousands(self.draws.most()),
            self.roles().permutations(self.scheme),
            self.criterion().replace("<=", "≤")
        )
    }

    /// The columns of strata and groups.
    fn roles(&self) -> RoleColumns<'_> {
        RoleColumns { within: self.within.as_deref(), group: self.group.as_deref() }
    }

    /// The heading of the false discovery rates.
    pub fn q_name(&self) -> &'static str {
        if self.correction == Correction::Storey { "q (Storey)" } else { "q (FDR)" }
    }

    /// The heading of the adjusted p-values.
    pub fn adjusted_name(&self) -> &'static str {
        match self.correction {
            Correction::MinP => "adjusted (min-P)",
            Correction::Studentized => "adjusted (studentized max-T)",
            _ => "adjusted (max-T)",
        }
    }

    /// The quantity that is compared with the level, and the level.
    pub fn criterion(&self) -> String {
        let what = match self.correction {
            Correction::MaxT => "adjusted p (max-T)",
            Correction::MinP => "adjusted p (min-P)",
            Correction::Studentized => "adjusted p (studentized max-T)",
            Correction::Fdr | Correction::Storey => self.q_name(),
            Correction::None => "p",
        };
        let sided = match self.sided {
            Sided::One => "",
            Sided::Two => "two-sided ",
        };
        format!("{sided}{what} <= {}", self.alpha)
    }

    /// The smallest q-value that the number of permutations allows, as of [`Significance::smallest_q`].
    pub fn smallest_q(&self) -> f64 {
        self.found.smallest_q(self.correction, self.draws.most())
    }

    /// A note on q-values that the number of permutations cannot resolve: no feature can have a q-value of at most the
    /// level, or a feature that is significant by its adjusted p-value has a larger q-value.
    pub fn note(&self) -> Option<String> {
        let smallest = self.smallest_q();
        let level = self.alpha * (1.0 + 1e-12);
        let is_by_adjusted = self.correction.needs_all();
        let selected = self.found.selected.iter().zip(&self.found.q_values);
        let differs = is_by_adjusted && selected.into_iter().any(|(&is, &q)| is && q > level);
        (smallest > level || differs).then(|| {
            let at_most = if self.draws.is_adaptive() { "at most " } else { "" };
            format!(
                "q cannot be below {} with {at_most}{} permutations and {} features",
                probability(smallest),
                thousands(self.draws.most()),
                thousands(self.found.q_values.len() as u64),
            )
        })
    }

    /// The columns of a table for some features.
    pub fn columns(&self, features: &[usize]) -> Vec<TableColumn> {
        let column = |heads: [&'static str; 2], values: &[f64], importance| {
            let cells = features.iter().map(|&feature| probability(values[feature])).collect();
            TableColumn { heads, cells, importance }
        };
        let mut columns = vec![column(["p"; 2], &self.found.p_values, 5)];
        if let Some(adjusted) = &self.found.adjusted {
            columns.push(column([self.adjusted_name(), "adjusted"], adjusted, ALWAYS));
        }
        columns.push(column([self.q_name(), "q"], &self.found.q_values, 6));
        columns
    }

    /// The number and names of the selected features, best first, and the null threshold.
    pub fn lines(&self, best_first: &[(&str, usize)], marked: bool) -> Vec<String> {
        let selected: Vec<String> = best_first
            .iter()
            .filter(|(_, feature)| self.is_selected(*feature))
            .map(|(name, _)| cut(name, 40))
            .collect();
        let are = if selected.len() == 1 { "is" } else { "are" };
        let mut line = format!(
            "{} of {} {are} significant: {}",
            selected.len(),
            counted(best_first.len(), "feature"),
            self.criterion()
        );
        if !selected.is_empty() {
            let more = if selected.len() > SHOWN { ", …" } else { "" };
            let names = selected[..selected.len().min(SHOWN)].join(", ");
            line.push_str(&format!(": {names}{more}"));
        }
        let mut lines = vec![line];
        if let Some(weight) = self.found.chance_weight {
            let percent = 100.0 * self.alpha;
            // 0.07 * 100 is 7.000000000000001.
            let percent = (percent * 1e6).round() / 1e6;
            lines.push(format!(
                "null threshold ({} % quantile of the maximum {}): {}{}",
                100.0 - percent,
                match self.sided {
                    Sided::One => "weight",
                    Sided::Two => "absolute weight",
                },
                unsigned(weight, 4),
                if marked { " (┊)" } else { "" }
            ));
        }
        let scheme = self.roles().scheme_words(self.scheme);
        lines.extend(scheme.map(|words| format!("permutations: {words}")));
        lines.extend(self.note());
        lines
    }

    /// The results of one feature, in JSON.
    pub fn feature_json(&self, feature: usize) -> [(&'static str, Value); 5] {
        [
            ("p_value", json!(self.found.p_values[feature])),
            ("adjusted_p_value", json!(self.adjusted(feature))),
            ("q_value", json!(self.found.q_values[feature])),
            ("selected", json!(self.found.selected[feature])),
            ("permutations", json!(self.found.draws[feature])),
        ]
    }

    /// The specification of the test, in JSON.
    pub fn json(&self) -> Value {
        json!({
            "permutations": self.draws.most(),
            "adaptive": self.draws.is_adaptive(),
            "within": self.within,
            "group": self.group,
            "scheme": self.roles().scheme_words(self.scheme),
            "alpha": self.alpha,
            "correction": self.correction.name(),
            "chance_weight": self.found.chance_weight,
            "refit_reason": self.refit_reason,
            "seconds": self.found.seconds,
            "smallest_attainable_q": self.smallest_q(),
            "sided": self.sided.name(),
        })
    }

    fn adjusted(&self, feature: usize) -> Option<f64> {
        self.found.adjusted.as_ref().map(|adjusted| adjusted[feature])
    }

    /// The head of the columns of CSV.
    pub const CSV_HEAD: &str = ",p_value,adjusted_p_value,q_value,selected,permutations";

    /// The columns of CSV for one feature.
    pub fn csv(&self, feature: usize) -> String {
        format!(
            ",{:?},{},{:?},{},{}",
            self.found.p_values[feature],
            self.adjusted(feature).map_or(String::new(), |adjusted| format!("{adjusted:?}")),
            self.found.q_values[feature],
            self.found.selected[feature],
            self.found.draws[feature]
        )
    }
}

/// A probability with three significant digits.
pub fn probability(p: f64) -> String {
    unsigned(p, 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cost_of_a_test_is_in_words() {
        let text = cost(1000, "fit", false, 0.35, 2, "--resume DIR goes on");
        let wanted = "1000 fits of about 0.35 s: about 5 minutes 50 s on 2 threads; Ctrl-C stops, \
                      --resume DIR goes on";
        assert_eq!(text, wanted);
    }

    #[test]
    fn probabilities_have_three_digits() {
        for (p, text) in [(1.0, "1.00"), (0.05, "0.0500"), (1.0 / 1001.0, "0.000999")] {
            assert_eq!(probability(p), text);
        }
        assert_eq!(probability(1.234e-6), "1.23e-6");
    }
}
