//! `basrelief rank`: ranks the features of a table.

use std::ffi::OsString;

use basrelief_study::resampling::USUAL_TOP;
use basrelief_study::{SelectionPlan, Wanted, ranking_page};
use clap::ArgMatches;

use crate::args;
use crate::exit::{Outcome, explain, note, note_warnings, say};
use crate::outputs::Outputs;
use crate::study::{redundancy, study};

/// Runs the verb.
pub(crate) fn run(matches: &ArgMatches, arguments: &[OsString]) -> Outcome {
    let mut study = study(matches)?;
    let top = matches.get_one::<usize>("top").copied();
    if let Some(redundancy) = redundancy(matches)? {
        let wanted = Wanted::Top(top.unwrap_or(USUAL_TOP));
        study.selection = Some(SelectionPlan { wanted, redundancy });
    }
    let run = args::start_run(matches)?;
    let outputs = Outputs::from_args(matches, arguments, &["json", "csv"])?;
    let quiet = args::quiet(matches);

    let (data, outcome) = study.rank(&run, &note(quiet))?;
    let ranking = study.ranking(&data, &outcome, &run);
    // Files are written after everything that can fail.
    let page = outputs.page(|options| ranking_page(&ranking, data.roles(), options, &run))?;
    let result = ranking.text(outputs.format(), top, outputs.look());
    outputs.write(page, &result)?;
    if matches.get_flag("explain") {
        explain(ranking.plan());
    }
    if !quiet {
        note_warnings(ranking.warnings());
        outputs.say_files([]);
        say(&format!(
            "ranked in {:.3} s{}{}",
            ranking.seconds(),
            ranking.search_note(),
            ranking.time_notes()
        ));
    }
    outputs.open()
}
