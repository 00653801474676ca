//! `basrelief plan`: divides a ranking or a map into parts, which any machine can compute.

use std::ffi::OsString;

use basrelief::wording::clean_path;
use basrelief::{Error, Result};
use basrelief_study::Source;
use clap::ArgMatches;

use crate::args;
use crate::exit::{Outcome, note, note_warnings, say};
use crate::job::NewJob;
use crate::output::print;
use crate::plan_text::{PlanFormat, PlanText};
use crate::purpose::Purpose;

/// Runs the verb.
pub(crate) fn run(matches: &ArgMatches, arguments: &[OsString]) -> Outcome {
    let purpose = Purpose::from_args(matches)?;
    let source = purpose.source();
    refuse(&purpose, source)?;
    let folder = args::path(matches, "output")
        .ok_or_else(|| Error::Internal("the folder is missing".to_string()))?;
    let job = NewJob::prepare(folder)?;
    let path = job.path();
    let run = args::start_run(matches)?;
    let parts = matches.get_one::<usize>("parts").copied().unwrap_or(1);
    let block_rows = matches.get_one::<usize>("block_rows").copied();

    let quiet = args::quiet(matches);
    let read = purpose.read(source, &note(quiet), &run)?;
    let planned = || purpose.plan(&read, (parts, block_rows), &run);
    let (rounds, plan) = planned().map_err(|error: Error| error.in_file(source.name()))?;
    run.check()?;
    job.write((&rounds, &plan), source, arguments)?;
    if !quiet {
        note_warnings(&read.data.warnings);
    }
    let text = PlanText { rounds: &rounds, plan: &plan, folder };
    let all = |stage| (0..plan.cut(stage).map_or(0, |cut| cut.parts())).collect();
    print(&text.text(PlanFormat::from_args(matches), all))?;
    if !quiet {
        say(&format!("wrote {}", clean_path(&path)));
    }
    Ok(())
}

/// Refuses methods and tests that cannot be computed in parts, and data that the parts cannot read.
fn refuse(purpose: &Purpose, source: &Source) -> Result<()> {
    if let Purpose::Ranking(study) = purpose
        && let Some(test) = &study.test
    {
        test.check_parts()?;
        if purpose.is_wrapped() {
            return Err(Error::option(
                "permutations",
                "the weights of a wrapped method cannot be tested in parts",
                "rank on one machine, or omit the wrapper",
            ));
        }
    }
    if !source.is_file() {
        return Err(Error::File {
            path: source.name().to_path_buf(),
            action: "plan parts of it".to_string(),
            cause: "every part reads the data again".into(),
            help: "give a file that all machines can read".into(),
        });
    }
    Ok(())
}
