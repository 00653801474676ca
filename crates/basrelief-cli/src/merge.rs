//! `basrelief merge`: the ranking of a job whose parts are all there, or the plan of its next round.

use std::ffi::OsString;

use basrelief::distribute::{Stage, Turn};
use basrelief::wording::clean_path;
use clap::ArgMatches;

use crate::args;
use crate::exit::{Outcome, say};
use crate::job::Job;
use crate::output::Destination;
use crate::ranking::Ranking;
use crate::ranking_report::ranking_page;
use crate::report::ReportArgs;
use crate::subject::{Subject, tell_warnings};

/// Runs the verb.
pub(crate) fn run(matches: &ArgMatches, arguments: &[OsString]) -> Outcome {
    let mut job = Job::open(matches)?;
    let destination = Destination::from_args(matches, &["json", "csv"])?;
    let input = job.input()?;
    if let Some(file) = destination.file() {
        input.refuse_overwriting("output", file)?;
    }
    let report = ReportArgs::from_args(matches, Some(&input), destination.file())?;
    let run = args::start_run(matches)?.with_seed(job.plan.seed());
    job.demand(job.plan.last(), "merge its parts")?;
    let mut weighing = job.weighing()?;
    let mut data = job.read(&mut weighing, &run)?;
    let fitted = match job.after(&data, &run)? {
        Turn::Last(fitted) => fitted,
        Turn::Next(rounds) => {
            job.go_on(*rounds, &data, &run)?;
            if !args::quiet(matches) {
                job.told().lines().for_each(say);
            }
            return Ok(());
        }
    };

    let tested = match weighing.test() {
        Some(test) => {
            let (recipe, problem) = (weighing.recipe(), data.problem()?);
            let prepared =
                test.prepare(recipe, &problem, &data.target, data.strata.as_ref(), &run)?;
            let mut permuted = job.results(Some(Stage::Permute));
            let weights = fitted.map.weights();
            let tested = test.merged(&job.plan, &problem, weights, &mut permuted);
            data.warnings.extend(prepared.warnings().iter().cloned());
            Some(tested.map_err(|error| error.in_file(job.data()))?)
        }
        None => None,
    };

    let target = Some((weighing.target(), &data.target));
    let subject = Subject::new(job.named(), &data.table, target);
    let ranking = Ranking::new(subject, weighing.recipe(), &run, data.warnings, fitted);
    let ranking = match tested {
        Some(tested) => ranking.with_test(tested),
        None => ranking,
    };
    // What is written is written after all that can fail.
    let page = match &report {
        Some(report) => {
            Some(ranking_page(report, &ranking, data.strata.as_ref(), arguments, &run)?)
        }
        None => None,
    };
    let top = matches.get_one::<usize>("top").copied();
    let result = ranking.text(destination.format(), top, destination.look());
    if let (Some(report), Some(page)) = (&report, page) {
        report.write(&page)?;
    }
    destination.write(&result)?;
    if !args::quiet(matches) {
        tell_warnings(ranking.warnings());
        let files = report.iter().flat_map(ReportArgs::files);
        for file in destination.file().into_iter().chain(files) {
            say(&format!("wrote {}", clean_path(file)));
        }
        say(&format!("merged in {:.3} s", ranking.seconds()));
    }
    report.map_or(Ok(()), |report| report.open())
}
