//! `basrelief sets`: ranks sets of features, such as genes, pathways or chromosomes, and the features within them.

use std::ffi::OsString;

use basrelief::Error;
use basrelief::wording::setting;
use basrelief_study::sets::SetChoice;
use basrelief_study::text::counted;
use clap::ArgMatches;

use crate::args;
use crate::exit::{Outcome, note, note_warnings, say};
use crate::output::Destination;
use crate::report::Report;
use crate::study::study_without_test;

/// Runs the verb.
pub(crate) fn run(matches: &ArgMatches, arguments: &[OsString]) -> Outcome {
    let study = study_without_test(matches)?;
    let run = args::start_run(matches)?;
    let destination = Destination::from_args(matches, &["json", "csv"])?;
    let report = Report::from_args(matches, arguments)?;
    let choice = match args::path(matches, "sets") {
        Some(file) => SetChoice::File(file.to_path_buf()),
        None if matches.get_flag("by-chromosome") => SetChoice::Chromosomes,
        None => {
            let help = format!("name a file of sets, or use {}", setting("by_chromosome", None));
            return Err(Error::option("sets", "it is not given", help).into());
        }
    };
    let draws = matches.get_one::<usize>("permutations").map(|count| *count as u64);
    if draws.is_some() {
        study.check_test()?;
    }

    let (method, data) = study.read(&note(args::quiet(matches)), &run)?;
    let found = study.weigh_sets(&method, &data, (&choice, draws), &run)?;
    let listing = study.set_listing(&method, &data, &found, &run);
    let top = matches.get_one::<usize>("top").copied();
    let page = report.as_ref().map(|report| listing.page(&report.options)).transpose()?;
    let result = listing.text(destination.format(), top, destination.look());
    if let (Some(report), Some(page)) = (&report, page) {
        report.write(&page)?;
    }
    destination.write(&result)?;
    if !args::quiet(matches) {
        note_warnings(&found.warnings);
        let files = report.iter().flat_map(Report::files);
        for file in destination.file().into_iter().chain(files) {
            say(&format!("wrote {}", file.display()));
        }
        say(&format!("scored {} in {:.3} s", counted(found.sets.len(), "set"), found.seconds));
    }
    report.map_or(Ok(()), |report| report.open())
}
