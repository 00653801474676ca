//! The command line of basrelief: one module per verb, everything about methods and generators
//! taken from their registries.

#![forbid(unsafe_code)]

mod args;
mod demo;
mod evaluate;
mod exit;
mod fit;
mod input;
mod methods;
mod output;
mod progress;
mod rank;
mod reproduce;
mod subject;
mod synth;
mod transform;

use std::process::ExitCode;

fn main() -> ExitCode {
    exit::guard(|| {
        let matches = match args::command().try_get_matches() {
            Ok(matches) => matches,
            Err(error) => return exit::usage(&error),
        };
        let result = match matches.subcommand() {
            Some(("demo", matches)) => demo::run(matches),
            Some(("evaluate", matches)) => evaluate::run(matches),
            Some(("fit", matches)) => fit::run(matches),
            Some(("methods", matches)) => methods::run(matches),
            Some(("rank", matches)) => rank::run(matches),
            Some(("reproduce", matches)) => reproduce::run(matches),
            Some(("synth", matches)) => synth::run(matches),
            Some(("transform", matches)) => transform::run(matches),
            _ => unreachable!("clap demands one of the verbs"),
        };
        match result {
            Ok(()) => ExitCode::SUCCESS,
            Err(failure) => exit::report(failure),
        }
    })
}
