//! `basrelief stability`: the stability of a selection.

use std::ffi::OsString;

use basrelief::Error;
use basrelief::inference::Resampling;
use basrelief_study::Steadiness;
use basrelief_study::resampling::usual_top;
use basrelief_study::text::Format;
use clap::ArgMatches;

use crate::args;
use crate::exit::{Outcome, note, note_warnings, say};
use crate::outputs::Outputs;
use crate::study::{redundancy, study};

/// Runs the verb.
pub(crate) fn run(matches: &ArgMatches, arguments: &[OsString]) -> Outcome {
    let study = study(matches)?;
    let run = args::start_run(matches)?;
    let outputs = Outputs::from_args(matches, arguments, &["json", "csv"])?;
    let quiet = args::quiet(matches);
    let asked = study
        .resampling
        .ok_or_else(|| Error::Internal("the resamples argument has no default".to_string()))?;

    let (method, data) = study.read(&note(quiet), &run)?;
    let stated_top = matches.get_one::<usize>("top").copied();
    let top = stated_top.unwrap_or_else(|| usual_top(data.table.width()));
    let redundancy = redundancy(matches)?.unwrap_or_default();
    let resampling = Resampling { top, redundancy, rank_by: study.rank_by, ..asked };
    let found = study
        .select_on_resamples(&method, &data, (resampling, false), &run)
        .map_err(|error| error.in_file(study.source.name()))?;
    let warnings = [&data.warnings[..], &found.warnings[..]].concat();
    let subject = study.subject(&data);
    let steadiness = Steadiness { subject, found: &found, warnings, kept: None, run: &run };
    let page = outputs.page(|options| steadiness.page(options))?;
    outputs.write(page, &steadiness.text(outputs.format(), outputs.look()))?;
    if !quiet {
        note_warnings(&steadiness.warnings);
        outputs.say_files([]);
        if outputs.format() != Format::Table || outputs.is_file() {
            say(&steadiness.answer());
        }
        say(&format!("ranked {} times in {:.3} s", resampling.resamples, found.seconds));
    }
    outputs.open()
}
