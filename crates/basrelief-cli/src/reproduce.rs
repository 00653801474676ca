//! `basrelief reproduce`: the experiments of the papers.

use std::time::Instant;

use basrelief::Error;
use basrelief_papers::{DataFolder, protocol, reproduce};
use clap::ArgMatches;

use crate::args;
use crate::exit::{Outcome, say};
use crate::output::print;

/// Runs the verb.
pub(crate) fn run(matches: &ArgMatches) -> Outcome {
    let Some((name, matches)) = matches.subcommand() else {
        return Err(Error::Internal("the paper is missing".to_string()).into());
    };
    let info = protocol(name)?;
    let settings = info.settings(&args::given(info.options.iter().copied(), matches))?;
    let directory = args::path(matches, "output")
        .ok_or_else(|| Error::Internal("the output argument is missing".to_string()))?;
    let data = DataFolder::find(args::path(matches, "data"))?;
    let run = args::start_run(matches)?;
    let start = Instant::now();
    let summary = reproduce(info, &settings, matches.get_flag("quick"), &data, directory, &run)?;
    print(&summary)?;
    if !args::quiet(matches) {
        say(&format!("wrote figures, numbers and this summary to {}", directory.display()));
        say(&format!("done in {:.1} s", start.elapsed().as_secs_f64()));
    }
    Ok(())
}
