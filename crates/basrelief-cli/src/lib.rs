//! The command line of basrelief, with one module per verb. Everything about methods and generators
//! comes from their registries. The program `basrelief` and the command of the same name in the Python
//! package both call [`run`].

#![forbid(unsafe_code)]

mod args;
mod cohort;
mod covariates;
mod demo;
mod evaluate;
mod exit;
mod export;
mod files;
mod fit;
mod input;
mod job;
mod merge;
mod methods;
mod names;
mod output;
mod outputs;
mod pairs;
mod plan;
mod plan_text;
mod progress;
mod purpose;
mod quality;
mod rank;
mod report;
mod reproduce;
mod run;
mod select;
mod sets;
mod shell;
mod significance;
mod stability;
mod study;
mod synth;
mod terminal;
mod transform;
mod verbs;

use std::ffi::OsString;

/// Runs the program with its arguments, the first of which is its name, and returns its exit code: 0 for
/// success, 2 for an error in the input or the options, 130 after an interruption, 1 for any other failure.
///
/// Results go to standard output, messages to standard error. A handler for Ctrl-C is set for the
/// whole process; a second Ctrl-C ends the process at once.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    exit::guard(|| {
        let arguments: Vec<OsString> = arguments.into_iter().collect();
        let mut command = verbs::command_for(&arguments);
        let matches = match command.try_get_matches_from_mut(&arguments) {
            Ok(matches) => matches,
            Err(error) => return exit::usage(error),
        };
        if let Some((verb, matches)) = matches.subcommand()
            && let Err(error) = files::check(verb, matches)
        {
            return exit::report(error.into());
        }
        exit::speaking_to(args::audience(&command, &matches), || ended(verb(&matches, &arguments)))
    })
}

/// The exit code of a verb. Reports its failure, if any.
fn ended(outcome: exit::Outcome) -> u8 {
    match outcome {
        Ok(()) => exit::SUCCESS,
        Err(failure) => exit::report(failure),
    }
}

/// Runs the verb that the arguments name.
fn verb(matches: &clap::ArgMatches, arguments: &[OsString]) -> exit::Outcome {
    match matches.subcommand() {
        Some(("completions", matches)) => shell::completions(matches),
        Some(("demo", matches)) => demo::run(matches),
        Some(("evaluate", matches)) => evaluate::run(matches, arguments),
        Some(("export", matches)) => export::run(matches),
        Some(("fit", matches)) => fit::run(matches, arguments),
        Some(("man", matches)) => shell::man(matches),
        Some(("merge", matches)) => merge::run(matches, arguments),
        Some(("methods", matches)) => methods::run(matches),
        Some(("pairs", matches)) => pairs::run(matches, arguments),
        Some(("sets", matches)) => sets::run(matches, arguments),
        Some(("plan", matches)) => plan::run(matches, arguments),
        Some(("quality", matches)) => quality::run(matches, arguments),
        Some(("rank", matches)) => rank::run(matches, arguments),
        Some(("reproduce", matches)) => reproduce::run(matches, arguments),
        Some(("run", matches)) => run::run(matches),
        Some(("select", matches)) => select::run(matches),
        Some(("stability", matches)) => stability::run(matches, arguments),
        Some(("synth", matches)) => synth::run(matches),
        Some(("transform", matches)) => transform::run(matches),
        _ => unreachable!("clap requires one of the verbs"),
    }
}
