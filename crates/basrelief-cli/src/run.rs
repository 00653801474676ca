//! `basrelief run`: computes parts of a planned ranking or map.

use std::time::Instant;

use basrelief::distribute::{Stage, Turn};
use basrelief::wording::clean_path;
use basrelief::{Result, Run};
use clap::ArgMatches;

use crate::args;
use crate::exit::{Outcome, say};
use crate::job::Job;
use crate::output::print;
use crate::plan_text::PlanFormat;
use crate::purpose::Read;

/// Runs the verb.
pub(crate) fn run(matches: &ArgMatches) -> Outcome {
    let mut job = Job::open(matches)?;
    if matches.get_flag("list") {
        let missing = |stage| job.missing(stage);
        return print(&job.plan_text().text(PlanFormat::from_args(matches), missing));
    }
    let quiet = args::quiet(matches);
    let run = args::start_run(matches)?;
    let is_all = !["stage", "part"].iter().any(|name| matches.contains_id(name));
    let mut data = None;
    loop {
        let wanted = wanted(&job, matches)?;
        let left: Vec<(Stage, usize)> =
            wanted.iter().copied().filter(|&(stage, part)| !job.is_done(stage, part)).collect();
        if !quiet {
            for &(stage, part) in wanted.iter().filter(|part| !left.contains(part)) {
                say(&format!("part {} of stage {} exists", part + 1, stage.name()));
            }
        }
        // Missing results are reported before the data are read.
        if let Some(&(stage, _)) = left.first() {
            demand_before(&job, stage)?;
        }
        // A named stage or part is one of the current iteration.
        let goes_on = is_all && !job.rounds.is_once();
        if left.is_empty() && !goes_on {
            return Ok(());
        }
        let data: &Read = match &mut data {
            Some(data) => data,
            none => none.insert(job.read(&job.purpose()?, &run)?),
        };
        left.into_iter().try_for_each(|part| compute(&job, part, data, quiet, &run))?;
        if !goes_on {
            return Ok(());
        }
        let Turn::Next(rounds) = job.after(data, &run)? else { return Ok(()) };
        job.go_on(*rounds, data, &run)?;
        if !quiet {
            job.plan_text().iteration().lines().for_each(say);
        }
    }
}

/// Computes a part and writes its result.
fn compute(
    job: &Job,
    (stage, part): (Stage, usize),
    data: &Read,
    quiet: bool,
    run: &Run,
) -> Result<()> {
    demand_before(job, stage)?;
    let start = Instant::now();
    let mut earlier = job.results(job.plan.before(stage));
    let bytes = job.rounds.work(&job.plan, (stage, part), &data.data.problem()?, &mut earlier, run);
    job.keep(stage, part, &bytes.map_err(|error| error.in_file(job.data()))?)?;
    if !quiet {
        say(&format!(
            "part {} of stage {} in {:.3} s: wrote {}",
            part + 1,
            stage.name(),
            start.elapsed().as_secs_f64(),
            clean_path(&job.path(stage, part))
        ));
    }
    Ok(())
}

/// The parts that the arguments specify.
fn wanted(job: &Job, matches: &ArgMatches) -> Result<Vec<(Stage, usize)>> {
    let stages = || job.plan.stages().iter().map(|own| own.stage);
    let named = matches.get_one::<String>("stage");
    let named = named.and_then(|name| Stage::from_name(name));
    let part = matches.get_one::<usize>("part").map(|part| part - 1);
    let stage = match named {
        Some(stage) => {
            job.plan.items(stage, part.unwrap_or(0))?;
            Some(stage)
        }
        None => stages().find(|&stage| !job.missing(stage).is_empty()),
    };
    match (stage, part) {
        (Some(stage), Some(part)) => {
            job.plan.items(stage, part)?;
            Ok(vec![(stage, part)])
        }
        // All parts exist; a request for one of them is answered in the same way.
        (None, _) => Ok(all_parts(job, stages())),
        (Some(stage), None) if named.is_some() => Ok(all_parts(job, [stage])),
        (Some(_), None) => Ok(all_parts(job, stages())),
    }
}

fn all_parts(job: &Job, stages: impl IntoIterator<Item = Stage>) -> Vec<(Stage, usize)> {
    let parts = |stage| {
        (0..job.plan.cut(stage).map_or(0, |cut| cut.parts())).map(move |part| (stage, part))
    };
    stages.into_iter().flat_map(parts).collect()
}

/// Checks that the results of the previous stage exist.
fn demand_before(job: &Job, stage: Stage) -> Result<()> {
    let action = format!("run stage {}", stage.name());
    job.plan.before(stage).map_or(Ok(()), |before| job.demand(before, &action))
}
