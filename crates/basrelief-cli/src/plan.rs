//! `basrelief plan`: a ranking or a map, cut into parts that are computed anywhere.

use std::ffi::OsString;

use basrelief::distribute::{Cut, Plan, Rounds, Stage, StagePlan};
use basrelief::wording::{amount, clean_path, thousands};
use basrelief::{Error, Result};
use basrelief_study::Source;
use basrelief_study::text::counted;
use clap::ArgMatches;

use crate::args;
use crate::exit::{Outcome, note, note_warnings, say};
use crate::job::{NewJob, commands, told_round};
use crate::output::print;
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
    print(&told(&rounds, &plan, &clean_path(folder)))?;
    if !quiet {
        say(&format!("wrote {}", clean_path(&path)));
    }
    Ok(())
}

/// What cannot be computed in parts, or read by every part.
fn refuse(purpose: &Purpose, source: &Source) -> Result<()> {
    if let Purpose::Ranking(study) = purpose
        && let Some(test) = &study.test
    {
        test.check_parts()?;
        if purpose.is_wrapped() {
            return Err(Error::option(
                "permutations",
                "the weights of a wrapped method cannot be tested in parts",
                "rank on one machine, or leave the wrapper out",
            ));
        }
    }
    if !source.is_file() {
        return Err(Error::File {
            path: source.name().to_path_buf(),
            action: "plan parts of it".to_string(),
            cause: "every part reads the data again".into(),
            help: "give a file that all machines see".into(),
        });
    }
    Ok(())
}

/// The stages, and how they are run.
fn told(rounds: &Rounds, plan: &Plan, folder: &str) -> String {
    let rows = thousands(plan.block_rows() as u64);
    let mut text = format!("{}rows lie in blocks of {rows}\n", told_round(rounds));
    for &StagePlan { stage, cut, result_bytes, memory_bytes } in plan.stages() {
        text.push_str(&format!(
            "{:<8} {}, {}; results {}, memory of a part {} beside the data\n",
            stage.name(),
            counted(cut.parts(), "part"),
            items(stage, cut),
            amount(result_bytes),
            amount(memory_bytes)
        ));
    }
    format!("{text}\n{}", commands(plan, folder))
}

/// What a part of a stage takes.
fn items(stage: Stage, cut: Cut) -> String {
    let (all, most) = (thousands(cut.items() as u64), thousands(cut.most() as u64));
    let of = match stage {
        Stage::Measure | Stage::Radii | Stage::Search => "pairs of blocks",
        Stage::Lists | Stage::Margins => "blocks",
        Stage::Sums => "columns",
        Stage::Scatter => "pairs of blocks of columns",
        Stage::Permute => "permutations",
    };
    format!("of up to {most} of {all} {of}")
}
