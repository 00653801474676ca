//! `basrelief rank`: from a file to a ranking.

use std::ffi::OsString;

use basrelief::data::{Classes, Table, Target, TargetKind};
use basrelief::inference::{ResampledRankings, Resampling, resampled_rankings};
use basrelief::maps::FeatureWeights;
use basrelief::methods::wrappers::{Wrapper, fit_wrapped};
use basrelief::methods::{self, MethodInfo, Problem, Settings};
use basrelief::{Fitted, Result, Run, Warning};
use clap::ArgMatches;

use crate::args;
use crate::cohort::required_target;
use crate::exit::{Outcome, say};
use crate::input::Input;
use crate::output::Destination;
use crate::ranking::Ranking;
use crate::ranking_report::ranking_page;
use crate::recipe::Recipe;
use crate::report::ReportArgs;
use crate::resampling::{Resampled, resampling, usual_top};
use crate::significance::{TestArgs, Tested};
use crate::subject::{Subject, explain, tell_warnings};

/// The methods where the user names none.
const FOR_CLASSES: &str = "relieff";
const FOR_NUMBERS: &str = "rrelieff";

/// How features are to be weighed: what `rank`, `select` and `stability` share.
pub(crate) struct Weighing<'m> {
    matches: &'m ArgMatches,
    stated: bool,
    info: &'static MethodInfo,
    settings: Settings,
    wrappers: Vec<Wrapper>,
    target: &'m str,
    test: Option<TestArgs<'m>>,
}

/// Features and what was found of them.
pub(crate) struct Weighed {
    pub(crate) table: Table<'static>,
    pub(crate) target: Target,
    /// The groups inside of which a test permutes.
    pub(crate) strata: Option<Classes>,
    pub(crate) warnings: Vec<Warning>,
    pub(crate) fitted: Fitted<FeatureWeights>,
    pub(crate) tested: Option<Tested>,
}

impl<'m> Weighing<'m> {
    /// From the arguments; refuses what can be refused before the data are read.
    ///
    /// # Errors
    /// An unknown method or wrapper, an option that is wrong or not the method's, a test that could not
    /// find anything.
    pub(crate) fn from_args(matches: &'m ArgMatches) -> Result<Self> {
        Ok(Self { test: TestArgs::from_args(matches)?, ..Self::without_test(matches)? })
    }

    /// The same without a test of the weights, whatever permutations are for.
    ///
    /// # Errors
    /// As of [`Weighing::from_args`], but for those of a test.
    pub(crate) fn without_test(matches: &'m ArgMatches) -> Result<Self> {
        let stated = matches.get_one::<String>("method");
        let info = methods::method(stated.map_or(FOR_CLASSES, String::as_str))?;
        let wrappers = matches
            .get_many::<String>("wrap")
            .unwrap_or_default()
            .map(|text| Wrapper::parse(text))
            .collect::<Result<_>>()?;
        let target = required_target(matches)?;
        let settings = settings(info, matches)?;
        Ok(Self { matches, stated: stated.is_some(), info, settings, wrappers, target, test: None })
    }

    /// Whether there are wrappers around the method.
    pub(crate) fn is_wrapped(&self) -> bool {
        !self.wrappers.is_empty()
    }

    /// The test of the weights, where one was asked for.
    pub(crate) fn test(&self) -> Option<&TestArgs<'m>> {
        self.test.as_ref()
    }

    /// The target's column.
    pub(crate) fn target(&self) -> &'m str {
        self.target
    }

    /// The method with its options; known for certain once the table is read.
    pub(crate) fn recipe(&self) -> Recipe<'_> {
        Recipe { info: self.info, settings: &self.settings, wrappers: &self.wrappers }
    }

    /// Reads the table, and the strata of a test; where the user names no method, the target decides.
    ///
    /// # Errors
    /// As of [`Input::problem_within`].
    pub(crate) fn read(
        &mut self,
        input: &Input<'_>,
        run: &Run,
    ) -> Result<(Table<'static>, Target, Option<Classes>, Vec<Warning>)> {
        let within = self.test.as_ref().and_then(TestArgs::within);
        self.read_within(input, within, run)
    }

    /// The same with the strata that a column names.
    ///
    /// # Errors
    /// As of [`Input::problem_within`].
    pub(crate) fn read_within(
        &mut self,
        input: &Input<'_>,
        within: Option<&str>,
        run: &Run,
    ) -> Result<(Table<'static>, Target, Option<Classes>, Vec<Warning>)> {
        let usual = if self.stated { self.info.task.target_kind() } else { TargetKind::Auto };
        let (table, target, strata, warnings) =
            input.problem_within(self.target, usual, within, run)?;
        if !self.stated && matches!(target, Target::Real(_)) {
            self.info = methods::method(FOR_NUMBERS)?;
            self.settings = settings(self.info, self.matches)?;
            if !args::quiet(self.matches) {
                say(&format!("the target is a number: weighing with {FOR_NUMBERS}"));
            }
        }
        Ok((table, target, strata, warnings))
    }

    /// Reads the table, weighs its features, and tests the weights where that was asked for.
    ///
    /// # Errors
    /// As of [`Weighing::read`], the method and the test.
    pub(crate) fn weigh(&mut self, input: &Input<'_>, run: &Run) -> Result<Weighed> {
        let (table, target, strata, mut warnings) = self.read(input, run)?;
        let (fitted, tested) = self
            .fit(&table, &target, strata.as_ref(), &mut warnings, run)
            .map_err(|error| error.in_file(input.path()))?;
        // Ctrl-C during the last step still means that nothing is written.
        run.check()?;
        Ok(Weighed { table, target, strata, warnings, fitted, tested })
    }

    /// Ranks the features by resamples of the rows.
    ///
    /// # Errors
    /// As of [`resampled_rankings`].
    pub(crate) fn resample(
        &self,
        input: &Input<'_>,
        table: &Table<'_>,
        target: &Target,
        resampling: &Resampling,
        run: &Run,
    ) -> Result<ResampledRankings> {
        let Recipe { info, settings, wrappers } = self.recipe();
        let found = Problem::new(table, target)
            .map(|problem| problem.with_target_name(self.target))
            .and_then(|problem| {
                resampled_rankings(info, settings, wrappers, &problem, resampling, run)
            })
            .map_err(|error| error.in_file(input.path()))?;
        // Ctrl-C during the last step still means that nothing is written.
        run.check()?;
        Ok(found)
    }

    fn fit(
        &self,
        table: &Table<'_>,
        target: &Target,
        strata: Option<&Classes>,
        warnings: &mut Vec<Warning>,
        run: &Run,
    ) -> Result<(Fitted<FeatureWeights>, Option<Tested>)> {
        let problem = Problem::new(table, target)?.with_target_name(self.target);
        let recipe = self.recipe();
        let weigh = || fit_wrapped(self.info, &self.settings, &self.wrappers, &problem, run);
        let Some(test) = &self.test else { return Ok((weigh()?, None)) };
        let prepared = test.prepare(recipe, &problem, target, strata, run)?;
        warnings.extend(prepared.warnings().iter().cloned());
        let fitted = weigh()?;
        let observed = (fitted.map.weights(), fitted.report.seconds);
        let tested = test.test(&prepared, recipe, &problem, observed, run)?;
        Ok((fitted, Some(tested)))
    }
}

fn settings(info: &MethodInfo, matches: &ArgMatches) -> Result<Settings> {
    info.settings(&args::method_options(info.name, info.options, &args::PLAN_METHODS, matches)?)
}

/// Runs the verb.
pub(crate) fn run(matches: &ArgMatches, arguments: &[OsString]) -> Outcome {
    let mut weighing = Weighing::from_args(matches)?;
    let input = Input::from_args(matches)?;
    let run = args::start_run(matches)?;
    let destination = Destination::from_args(matches, &["json", "csv"])?;
    if let Some(file) = destination.file() {
        input.refuse_overwriting("output", file)?;
    }
    let report = ReportArgs::from_args(matches, Some(&input), destination.file())?;
    let resampling = resampling(matches)?;

    let Weighed { table, target, strata, warnings, fitted, tested } =
        weighing.weigh(&input, &run)?;
    let subject =
        Subject::new(input.path().to_string_lossy(), &table, Some((weighing.target, &target)));
    let ranking = Ranking::new(subject, weighing.recipe(), &run, warnings, fitted);
    let ranking = match tested {
        Some(tested) => ranking.with_test(tested),
        None => ranking,
    };
    let ranking = match resampling {
        Some(resampling) => {
            let resampling = Resampling { top: usual_top(table.width()), ..resampling };
            let found = weighing.resample(&input, &table, &target, &resampling, &run)?;
            ranking.with_resampled(Resampled::new(resampling, found))
        }
        None => ranking,
    };
    // What is written is written after all that can fail.
    let page = match &report {
        Some(report) => Some(ranking_page(report, &ranking, strata.as_ref(), arguments, &run)?),
        None => None,
    };
    let top = matches.get_one::<usize>("top").copied();
    let result = ranking.text(destination.format(), top, destination.look());
    if let (Some(report), Some(page)) = (&report, page) {
        report.write(&page)?;
    }
    destination.write(&result)?;
    if matches.get_flag("explain") {
        explain(ranking.plan());
    }
    if !args::quiet(matches) {
        tell_warnings(ranking.warnings());
        let files = report.iter().flat_map(ReportArgs::files);
        for file in destination.file().into_iter().chain(files) {
            say(&format!("wrote {}", file.display()));
        }
        say(&format!(
            "ranked in {:.3} s{}{}",
            ranking.seconds(),
            ranking.search_note(),
            ranking.time_notes()
        ));
    }
    report.map_or(Ok(()), |report| report.open())
}
