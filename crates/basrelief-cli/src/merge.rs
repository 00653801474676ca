//! `basrelief merge`: combines the parts of a job into the ranking or the map, or plans its next iteration.

use std::ffi::OsString;

use basrelief::Error;
use basrelief::distribute::{Stage, Turn};
use basrelief_study::{Subject, ranking_page};
use clap::ArgMatches;

use crate::args;
use crate::exit::{Outcome, audience, note_warnings, say};
use crate::files::Files;
use crate::fit::{Learned, Outlets};
use crate::job::Job;
use crate::outputs::Outputs;
use crate::purpose::Purpose;

/// Runs the verb.
pub(crate) fn run(matches: &ArgMatches, arguments: &[OsString]) -> Outcome {
    let job = Job::open(matches)?;
    let mut files = Files::from_args("merge", matches);
    job.check_files(&mut files)?;
    files.check_existing("merge", matches)?;
    if job.plan.makes_map() {
        map(&job, matches, arguments)
    } else {
        ranking(job, matches, arguments)
    }
}

/// The map of a job.
fn map(job: &Job, matches: &ArgMatches, arguments: &[OsString]) -> Outcome {
    let name = job.plan.method().name();
    if matches.contains_id("top") {
        let problem = format!("{name} learns a map, not a ranking");
        return Err(Error::option("top", problem, "omit it").into());
    }
    if matches.get_one::<String>("format").is_some_and(|format| format == "csv") {
        let problem = format!("{name} learns a map, and CSV is only for rankings");
        return Err(Error::option("format", problem, "use table or json").into());
    }
    if !matches.contains_id("model") {
        let problem = format!("it is not given, and {name} learns a map");
        return Err(Error::option("model", problem, "name the file for the model").into());
    }
    let outlets = Outlets::from_args(matches, arguments)?;
    let run = args::start_run(matches)?.with_seed(job.plan.seed());
    job.demand(job.plan.last(), "merge its parts")?;
    let purpose = job.purpose()?;
    let data = job.read(&purpose, &run)?.data;
    let Purpose::Map(mapping) = purpose else {
        return Err(Error::Internal("a map without its method".to_string()).into());
    };
    let mut tiles = job.results(Some(job.plan.weighing()));
    let fitted = job.plan.merge_map(&data.problem()?, &mut tiles, &run);
    let fitted = fitted.map_err(|error| error.in_file(job.data()))?;
    run.check()?;
    let warnings = [&data.warnings[..], &fitted.report.warnings[..]].concat();
    let target = Some((data.target_name.as_str(), &data.target));
    let subject = Subject::new(job.named(), &data.table, target, audience());
    let (info, settings) = (mapping.info, &mapping.settings);
    let learned = Learned { info, settings, subject, fitted, warnings };
    outlets.take(&learned, "merged", &run)
}

/// The ranking of a job, or the plan of its next iteration.
fn ranking(mut job: Job, matches: &ArgMatches, arguments: &[OsString]) -> Outcome {
    for name in ["model", "figure"] {
        if matches.contains_id(name) {
            let method = job.plan.method().name();
            let problem = format!("{method} computes a ranking, not a map");
            return Err(Error::option(name, problem, "omit it").into());
        }
    }
    let outputs = Outputs::from_args(matches, arguments, &["json", "csv"])?;
    let run = args::start_run(matches)?.with_seed(job.plan.seed());
    job.demand(job.plan.last(), "merge its parts")?;
    let purpose = job.purpose()?;
    let read = job.read(&purpose, &run)?;
    let (Purpose::Ranking(study), Some(method)) = (purpose, &read.method) else {
        return Err(Error::Internal("weights without their method".to_string()).into());
    };
    let mut fitted = match job.after(&read, &run)? {
        Turn::Last(fitted) => fitted,
        Turn::Next(rounds) => {
            job.go_on(*rounds, &read, &run)?;
            if !args::quiet(matches) {
                job.plan_text().next().lines().for_each(say);
            }
            return Ok(());
        }
    };

    let data = &read.data;
    let columns = study.columns();
    let tested = match &study.test {
        Some(test) => {
            let (recipe, problem) = (study.recipe(method), data.problem()?);
            let prepared = test.prepare(recipe, &problem, columns, &run)?;
            let mut permuted = job.results(Some(Stage::Permute));
            let weights = fitted.model.weights();
            let tested = test.merged(&job.plan, &prepared, &problem, weights, &mut permuted);
            let tested = tested.map_err(|error| error.in_file(job.data()))?;
            let warnings = prepared.warnings(&tested, fitted.model.weights());
            fitted.report.warnings.splice(0..0, warnings);
            Some(tested)
        }
        None => None,
    };

    let of_fit = basrelief_study::Outcome::of_fit(method.clone(), run.seed(), fitted);
    let outcome = basrelief_study::Outcome { wrappers: study.wrappers.clone(), tested, ..of_fit };
    let ranking = study.ranking(data, &outcome, &run);
    // Files are written after everything that can fail.
    let page = outputs.page(|options| ranking_page(&ranking, data.roles(), options, &run))?;
    let top = matches.get_one::<usize>("top").copied();
    let result = ranking.text(outputs.format(), top, outputs.look());
    outputs.write(page, &result)?;
    if !args::quiet(matches) {
        note_warnings(ranking.warnings());
        outputs.say_files([]);
        say(&format!("merged in {:.3} s", ranking.seconds()));
    }
    outputs.open()
}
