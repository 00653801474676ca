//! `basrelief sets`: ranks sets of features, such as genes, pathways or chromosomes, and the features within them.

use std::ffi::OsString;

use basrelief::Error;
use basrelief::wording::setting;
use basrelief_study::sets::SetChoice;
use basrelief_study::text::counted;
use clap::ArgMatches;

use crate::args;
use crate::exit::{Outcome, note, note_warnings, say};
use crate::outputs::Outputs;
use crate::study::study_without_test;

/// Runs the verb.
pub(crate) fn run(matches: &ArgMatches, arguments: &[OsString]) -> Outcome {
    let study = study_without_test(matches)?;
    let run = args::start_run(matches)?;
    let outputs = Outputs::from_args(matches, arguments, &["json", "csv"])?;
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
    let page = outputs.page(|options| listing.page(options))?;
    let result = listing.text(outputs.format(), top, outputs.look());
    outputs.write(page, &result)?;
    if !args::quiet(matches) {
        note_warnings(&found.warnings);
        outputs.say_files([]);
        say(&format!("scored {} in {:.3} s", counted(found.sets.len(), "set"), found.seconds));
    }
    outputs.open()
}
