//! `basrelief reproduce`: the experiments of the papers.

use std::path::Path;
use std::time::Instant;

use basrelief::methods::Settings;
use basrelief::wording::LINE_END;
use basrelief::{Error, Run};
use basrelief_papers::{DataFolder, PROTOCOLS, ProtocolInfo, protocol, reproduce};
use clap::ArgMatches;

use crate::args;
use crate::exit::{Failure, Outcome, say};
use crate::output::print;

/// Runs the verb.
pub(crate) fn run(matches: &ArgMatches) -> Outcome {
    let Some((name, matches)) = matches.subcommand() else {
        return Err(Error::Internal("the experiment is missing".to_string()).into());
    };
    let directory = args::path(matches, "output")
        .ok_or_else(|| Error::Internal("the output argument is missing".to_string()))?;
    let data = DataFolder::find(args::path(matches, "data"))?;
    if name != args::EVERYTHING {
        let info = protocol(name)?;
        let settings = info.settings(&args::given(info.options.iter().copied(), matches))?;
        let run = args::start_run(matches)?;
        return one(info, &settings, &data, directory, matches, &run);
    }
    let run = args::start_run(matches)?;
    let mut first = Ok(());
    for info in PROTOCOLS {
        if !info.has_data(&data) {
            let advice = info.advice(&data).join(LINE_END);
            say(&format!("{} is left out:{LINE_END}{advice}", info.name));
            continue;
        }
        let settings = info.settings::<&str, &str>(&[])?;
        match one(info, &settings, &data, &directory.join(info.name), matches, &run) {
            Ok(()) => print("\n")?,
            Err(Failure::Error(
                error @ (Error::Data(_) | Error::Option { .. } | Error::File { .. }),
            )) => {
                // The others may succeed; the first error is returned at the end.
                say(&format!("{} failed: {}", info.name, error.marked()));
                first = first.and(Err(Failure::Error(error)));
            }
            Err(other) => return Err(other),
        }
    }
    first
}

fn one(
    info: &ProtocolInfo,
    settings: &Settings,
    data: &DataFolder,
    directory: &Path,
    matches: &ArgMatches,
    run: &Run,
) -> Outcome {
    let start = Instant::now();
    let summary = reproduce(info, settings, matches.get_flag("quick"), data, directory, run)?;
    print(&summary)?;
    if !args::quiet(matches) {
        say(&format!("wrote figures, numbers and this summary to {}", directory.display()));
        say(&format!("done in {:.1} s", start.elapsed().as_secs_f64()));
    }
    Ok(())
}
