//! `basrelief rank`: ranks the features of a table.

use std::ffi::OsString;

use basrelief_study::ranking_page;
use clap::ArgMatches;

use crate::args;
use crate::exit::{Outcome, explain, note, note_warnings, say};
use crate::output::Destination;
use crate::report::Report;
use crate::study::study;

/// Runs the verb.
pub(crate) fn run(matches: &ArgMatches, arguments: &[OsString]) -> Outcome {
    let study = study(matches)?;
    let run = args::start_run(matches)?;
    let destination = Destination::from_args(matches, &["json", "csv"])?;
    let report = Report::from_args(matches, arguments)?;
    let quiet = args::quiet(matches);

    let (data, outcome) = study.rank(&run, &note(quiet))?;
    let ranking = study.ranking(&data, &outcome, &run);
    // Files are written after everything that can fail.
    let strata = data.strata.as_ref();
    let page = report.as_ref().map(|report| ranking_page(&ranking, strata, &report.options, &run));
    let page = page.transpose()?;
    let top = matches.get_one::<usize>("top").copied();
    let result = ranking.text(destination.format(), top, destination.look());
    if let (Some(report), Some(page)) = (&report, page) {
        report.write(&page)?;
    }
    destination.write(&result)?;
    if matches.get_flag("explain") {
        explain(ranking.plan());
    }
    if !quiet {
        note_warnings(ranking.warnings());
        let files = report.iter().flat_map(Report::files);
        for file in destination.file().into_iter().chain(files) {
            say(&format!("wrote {}", file.display()));
        }
        say(&format!(
            "ranked in {:.3} s{}{}",
            ranking.seconds(),
            ranking.search_note(),
            ranking.time_notes()
        ));
    }
    report.map_or(Ok(()), |report| report.open())
}
