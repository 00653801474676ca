//! `basrelief rank`: from a file to a ranking.

use basrelief::data::{Table, Target, TargetKind};
use basrelief::maps::FeatureWeights;
use basrelief::methods::wrappers::{Wrapper, fit_wrapped};
use basrelief::methods::{self, MethodInfo, Problem, Settings};
use basrelief::{Fitted, Result, Run, Warning};
use clap::ArgMatches;

use crate::args;
use crate::exit::{Outcome, say};
use crate::input::Input;
use crate::output::Destination;
use crate::ranking::Ranking;
use crate::recipe::Recipe;
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
}

/// Features and what was found of them.
pub(crate) struct Weighed {
    pub(crate) table: Table<'static>,
    pub(crate) target: Target,
    pub(crate) warnings: Vec<Warning>,
    pub(crate) fitted: Fitted<FeatureWeights>,
}

impl<'m> Weighing<'m> {
    /// From the arguments; refuses what can be refused before the data are read.
    ///
    /// # Errors
    /// An unknown method or wrapper, an option that is wrong or not the method's.
    pub(crate) fn from_args(matches: &'m ArgMatches) -> Result<Self> {
        let stated = matches.get_one::<String>("method");
        let info = methods::method(stated.map_or(FOR_CLASSES, String::as_str))?;
        let wrappers = matches
            .get_many::<String>("wrap")
            .unwrap_or_default()
            .map(|text| Wrapper::parse(text))
            .collect::<Result<_>>()?;
        let target = matches.get_one::<String>("target").map_or("", String::as_str);
        let settings = settings(info, matches)?;
        Ok(Self { matches, stated: stated.is_some(), info, settings, wrappers, target })
    }

    /// The target's column.
    pub(crate) fn target(&self) -> &'m str {
        self.target
    }

    /// The method with its options; known for certain once the table is read.
    pub(crate) fn recipe(&self) -> Recipe<'_> {
        Recipe { info: self.info, settings: &self.settings, wrappers: &self.wrappers }
    }

    /// Reads the table; where the user names no method, the target decides.
    ///
    /// # Errors
    /// As of [`Input::problem`].
    pub(crate) fn read(
        &mut self,
        input: &Input<'_>,
        run: &Run,
    ) -> Result<(Table<'static>, Target, Vec<Warning>)> {
        let usual = if self.stated { self.info.task.target_kind() } else { TargetKind::Auto };
        let (table, target, warnings) = input.problem(self.target, usual, run)?;
        if !self.stated && matches!(target, Target::Real(_)) {
            self.info = methods::method(FOR_NUMBERS)?;
            self.settings = settings(self.info, self.matches)?;
            if !args::quiet(self.matches) {
                say(&format!("the target is a number: weighing with {FOR_NUMBERS}"));
            }
        }
        Ok((table, target, warnings))
    }

    /// Reads the table and weighs its features.
    ///
    /// # Errors
    /// As of [`Weighing::read`] and the method.
    pub(crate) fn weigh(&mut self, input: &Input<'_>, run: &Run) -> Result<Weighed> {
        let (table, target, warnings) = self.read(input, run)?;
        let fitted = Problem::new(&table, &target)
            .map(|problem| problem.with_target_name(self.target))
            .and_then(|problem| {
                fit_wrapped(self.info, &self.settings, &self.wrappers, &problem, run)
            })
            .map_err(|error| error.in_file(input.path()))?;
        // Ctrl-C during the last step still means that nothing is written.
        run.check()?;
        Ok(Weighed { table, target, warnings, fitted })
    }
}

fn settings(info: &MethodInfo, matches: &ArgMatches) -> Result<Settings> {
    info.settings(&args::method_options(info.name, info.options, &args::RANK_METHODS, matches)?)
}

/// Runs the verb.
pub(crate) fn run(matches: &ArgMatches) -> Outcome {
    let mut weighing = Weighing::from_args(matches)?;
    let input = Input::from_args(matches)?;
    let run = args::start_run(matches)?;
    let destination = Destination::from_args(matches, &["json", "csv"])?;
    if let Some(file) = destination.file() {
        input.refuse_overwriting("output", file)?;
    }

    let Weighed { table, target, warnings, fitted } = weighing.weigh(&input, &run)?;
    let subject =
        Subject::new(input.path().to_string_lossy(), &table, Some((weighing.target, &target)));
    let ranking = Ranking::new(subject, weighing.recipe(), &run, warnings, fitted);
    let top = matches.get_one::<usize>("top").copied();
    let result = ranking.text(destination.format(), top, destination.look());
    destination.write(&result)?;
    if matches.get_flag("explain") {
        explain(ranking.plan());
    }
    if !args::quiet(matches) {
        tell_warnings(ranking.warnings());
        if let Some(file) = destination.file() {
            say(&format!("wrote {}", file.display()));
        }
        say(&format!("ranked in {:.3} s{}", ranking.seconds(), ranking.search_note()));
    }
    Ok(())
}
