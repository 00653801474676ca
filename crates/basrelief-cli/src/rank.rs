//! `basrelief rank`: from a file to a ranking.

use basrelief::Result;
use basrelief::data::{Target, TargetKind};
use basrelief::methods::wrappers::{Wrapper, fit_wrapped};
use basrelief::methods::{self, MethodInfo, Problem, Settings};
use clap::ArgMatches;

use crate::args;
use crate::exit::{Outcome, say};
use crate::input::Input;
use crate::output::{Destination, Ranking, Recipe};
use crate::subject::{Subject, tell_warnings};

/// The methods where the user names none.
const FOR_CLASSES: &str = "relieff";
const FOR_NUMBERS: &str = "rrelieff";

/// Runs the verb.
pub(crate) fn run(matches: &ArgMatches) -> Outcome {
    // Everything that can be refused is refused before the data are read.
    let text = |name: &str| matches.get_one::<String>(name).map_or("", String::as_str);
    let stated = matches.get_one::<String>("method");
    let mut info = methods::method(stated.map_or(FOR_CLASSES, String::as_str))?;
    let settings_of = |info: &MethodInfo| -> Result<Settings> {
        let given = args::method_options(info.name, info.options, &args::RANKERS, matches)?;
        info.settings(&given)
    };
    let mut settings = settings_of(info)?;
    let wrappers = matches
        .get_many::<String>("wrap")
        .unwrap_or_default()
        .map(|text| Wrapper::parse(text))
        .collect::<Result<Vec<_>>>()?;
    let input = Input::from_args(matches)?;
    let run = args::start_run(matches)?;
    let destination = Destination::from_args(matches)?;
    if let Some(file) = destination.file() {
        input.refuse_overwriting("output", file)?;
    }

    let target_column = text("target");
    let usual = if stated.is_some() { info.task.target_kind() } else { TargetKind::Auto };
    let (table, target, warnings) = input.problem(target_column, usual, &run)?;
    if stated.is_none() && matches!(target, Target::Real(_)) {
        info = methods::method(FOR_NUMBERS)?;
        settings = settings_of(info)?;
        if !args::quiet(matches) {
            say(&format!("the target is a number: ranking with {FOR_NUMBERS}"));
        }
    }
    let fitted = Problem::new(&table, &target)
        .map(|problem| problem.with_target_name(target_column))
        .and_then(|problem| fit_wrapped(info, &settings, &wrappers, &problem, &run))
        .map_err(|error| error.in_file(input.path()))?;
    // Ctrl-C during the last step still means that nothing is written.
    run.check()?;

    let recipe = Recipe { info, settings: &settings, wrappers: &wrappers };
    let subject =
        Subject::new(input.path().to_string_lossy(), &table, Some((target_column, &target)));
    let ranking = Ranking::new(subject, recipe, &run, warnings, fitted);
    let top = matches.get_one::<usize>("top").copied();
    let result = ranking.text(destination.format(), top, destination.look());
    destination.write(&result)?;
    if !args::quiet(matches) {
        tell_warnings(ranking.warnings());
        if let Some(file) = destination.file() {
            say(&format!("wrote {}", file.display()));
        }
        say(&format!("ranked in {:.3} s{}", ranking.seconds(), ranking.search_note()));
    }
    Ok(())
}
