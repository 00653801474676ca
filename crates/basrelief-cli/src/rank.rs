//! `basrelief rank`: from a file to a ranking.

use std::ffi::OsString;

use basrelief::data::{Target, TargetKind};
use basrelief::inference::{ResampledRankings, Resampling, resampled_rankings};
use basrelief::maps::FeatureWeights;
use basrelief::methods::wrappers::{Wrapper, fit_wrapped};
use basrelief::methods::{self, MethodInfo, Settings};
use basrelief::{Fitted, Result, Run, Warning};
use clap::ArgMatches;

use crate::args;
use crate::cohort::required_target;
use crate::covariates::CovariateArgs;
use crate::exit::{Outcome, say};
use crate::input::{Beside, Given, Input};
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
    covariates: Option<CovariateArgs>,
    test: Option<TestArgs<'m>>,
}

/// Features and what was found of them.
pub(crate) struct Weighed {
    pub(crate) given: Given,
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
        let (stated, covariates) = (stated.is_some(), CovariateArgs::from_args(matches)?);
        Ok(Self { matches, stated, info, settings, wrappers, target, covariates, test: None })
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
    /// As of [`Input::given`].
    pub(crate) fn read(&mut self, input: &Input<'_>, run: &Run) -> Result<Given> {
        let within = self.test.as_ref().and_then(TestArgs::within);
        self.read_within(input, within, run)
    }

    /// The same with the strata that a column names.
    ///
    /// # Errors
    /// As of [`Input::given`].
    pub(crate) fn read_within(
        &mut self,
        input: &Input<'_>,
        within: Option<&str>,
        run: &Run,
    ) -> Result<Given> {
        let usual = if self.stated { self.info.task.target_kind() } else { TargetKind::Auto };
        let given = self.read_as(input, usual, within, run)?;
        if !self.stated && matches!(given.target, Target::Real(_)) {
            self.info = methods::method(FOR_NUMBERS)?;
            self.settings = settings(self.info, self.matches)?;
            if !args::quiet(self.matches) {
                say(&format!("the target is a number: weighing with {FOR_NUMBERS}"));
            }
        }
        Ok(given)
    }

    /// The same with the target read as `usual` says, whatever the method wants.
    ///
    /// # Errors
    /// As of [`Input::given`].
    pub(crate) fn read_as(
        &self,
        input: &Input<'_>,
        usual: TargetKind,
        within: Option<&str>,
        run: &Run,
    ) -> Result<Given> {
        let beside = Beside { within, covariates: self.covariates.as_ref() };
        input.given(self.target, usual, beside, run)
    }

    /// The data, for what is told of them.
    pub(crate) fn subject<'g>(&self, input: &Input<'_>, given: &'g Given) -> Subject<'g>
    where
        'm: 'g,
    {
        let target = Some((self.target, &given.target));
        let residuals = self.covariates.as_ref().and_then(CovariateArgs::residuals);
        Subject::new(input.path().to_string_lossy(), &given.table, target)
            .with_covariates(given.covariates.as_ref(), residuals)
    }

    /// Reads the table, weighs its features, and tests the weights where that was asked for.
    ///
    /// # Errors
    /// As of [`Weighing::read`], the method and the test.
    pub(crate) fn weigh(&mut self, input: &Input<'_>, run: &Run) -> Result<Weighed> {
        let given = self.read(input, run)?;
        let mut warnings = Vec::new();
        let fitted = self.fit(&given, &mut warnings, run);
        let (fitted, tested) = fitted.map_err(|error| error.in_file(input.path()))?;
        let given = Given { warnings: [given.warnings, warnings].concat(), ..given };
        // Ctrl-C during the last step still means that nothing is written.
        run.check()?;
        Ok(Weighed { given, fitted, tested })
    }

    /// Ranks the features by resamples of the rows.
    ///
    /// # Errors
    /// As of [`resampled_rankings`].
    pub(crate) fn resample(
        &self,
        input: &Input<'_>,
        given: &Given,
        resampling: &Resampling,
        run: &Run,
    ) -> Result<ResampledRankings> {
        let Recipe { info, settings, wrappers } = self.recipe();
        let found = given
            .problem(self.target)
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
        given: &Given,
        warnings: &mut Vec<Warning>,
        run: &Run,
    ) -> Result<(Fitted<FeatureWeights>, Option<Tested>)> {
        let problem = given.problem(self.target)?;
        let recipe = self.recipe();
        let weigh = || fit_wrapped(self.info, &self.settings, &self.wrappers, &problem, run);
        let Some(test) = &self.test else { return Ok((weigh()?, None)) };
        let prepared = test.prepare(recipe, &problem, run)?;
        warnings.extend(prepared.warnings().iter().cloned());
        let fitted = weigh()?;
        let observed = (fitted.map.weights(), fitted.report.seconds);
        let tested = test.test(&prepared, recipe, &problem, observed, run)?;
        Ok((fitted, Some(tested)))
    }
}

fn settings(info: &MethodInfo, matches: &ArgMatches) -> Result<Settings> {
    info.settings(&args::method_options(
        info.name,
        info.options,
        &args::PLANNED_OR_RANKED,
        matches,
    )?)
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

    let Weighed { given, fitted, tested } = weighing.weigh(&input, &run)?;
    let subject = weighing.subject(&input, &given);
    let ranking = Ranking::new(subject, weighing.recipe(), &run, given.warnings.clone(), fitted);
    let ranking = match tested {
        Some(tested) => ranking.with_test(tested),
        None => ranking,
    };
    let ranking = match resampling {
        Some(resampling) => {
            let resampling = Resampling { top: usual_top(given.table.width()), ..resampling };
            let found = weighing.resample(&input, &given, &resampling, &run)?;
            ranking.with_resampled(Resampled::new(resampling, found))
        }
        None => ranking,
    };
    // What is written is written after all that can fail.
    let page = match &report {
        Some(report) => {
            Some(ranking_page(report, &ranking, given.strata.as_ref(), arguments, &run)?)
        }
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
