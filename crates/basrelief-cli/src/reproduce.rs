//! `basrelief reproduce`: the experiments of the papers.

use std::ffi::OsString;
use std::path::Path;
use std::time::Instant;

use basrelief::methods::Settings;
use basrelief::wording::LINE_END;
use basrelief::{Error, Run};
use basrelief_papers::{DataFolder, PROTOCOLS, ProtocolInfo, Results, protocol, reproduce};
use basrelief_report::data::{Account, Piece};
use basrelief_report::{Block, Section, SectionsReport};
use clap::ArgMatches;
use serde_json::Value;

use crate::args;
use crate::exit::{Failure, Outcome, say};
use crate::output::print;
use crate::report::{ReportArgs, command_line};
use crate::text::counted;

/// Runs the verb.
pub(crate) fn run(matches: &ArgMatches, arguments: &[OsString]) -> Outcome {
    let Some((name, matches)) = matches.subcommand() else {
        return Err(Error::Internal("the experiment is missing".to_string()).into());
    };
    let directory = args::path(matches, "output")
        .ok_or_else(|| Error::Internal("the output argument is missing".to_string()))?;
    let data = DataFolder::find(args::path(matches, "data"))?;
    if name != args::EVERYTHING {
        let info = protocol(name)?;
        let settings = info.settings(&args::given(info.options.iter().copied(), matches))?;
        let report = ReportArgs::from_args(matches, None, None)?;
        let run = args::start_run(matches)?;
        let start = Instant::now();
        let results = one(info, &settings, &data, directory, matches, &run)?;
        let Some(report) = report else { return Ok(()) };
        let seconds = report.with_time().then(|| start.elapsed().as_secs_f64());
        let page = page(info, &settings, &results, arguments, &run, seconds);
        report.write(&report.page(page.to_html()?, || Value::Null))?;
        if !args::quiet(matches) {
            report.files().for_each(|file| say(&format!("wrote {}", file.display())));
        }
        return report.open();
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
            Ok(_) => print("\n")?,
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
) -> std::result::Result<Results, Failure> {
    let start = Instant::now();
    let results = reproduce(info, settings, matches.get_flag("quick"), data, directory, run)?;
    print(&results.summary)?;
    if !args::quiet(matches) {
        say(&format!("wrote figures, numbers and this summary to {}", directory.display()));
        say(&format!("done in {:.1} s", start.elapsed().as_secs_f64()));
    }
    Ok(results)
}

/// The page of an experiment: the paper's figures beside its claims.
fn page(
    info: &ProtocolInfo,
    settings: &Settings,
    results: &Results,
    arguments: &[OsString],
    run: &Run,
    seconds: Option<f64>,
) -> SectionsReport {
    let mut account = Account {
        data: info.name.to_string(),
        options: settings.iter().map(|(name, v)| (name.to_string(), v.to_string())).collect(),
        command: Some(command_line(arguments)),
        version: env!("CARGO_PKG_VERSION").to_string(),
        ..Account::default()
    };
    account.tell("Experiment", info.purpose);
    account.tell("Source", info.source);
    account.tell("Seed", run.seed().to_string());
    account.tell("Version", format!("basrelief {}", account.version));
    if let Some(seconds) = seconds {
        account.tell("Time", format!("{seconds:.1} s on {}", counted(run.threads(), "thread")));
    }
    let [holds, fails, open] = results.verdicts();
    let answer = match holds + fails + open {
        0 => format!("{}: the numbers stand beside the paper's.", info.purpose),
        all => format!(
            "Of {} of the paper's claims, {holds} hold here, {fails} do not, {open} are undecided.",
            counted(all, "check")
        ),
    };
    let figures = results.files.iter().filter(|(name, _)| name.ends_with(".svg"));
    let figures: Vec<Block> = figures
        .map(|(name, svg)| Block::Figure {
            svg: svg.clone(),
            alt: format!("{}, {name}; its numbers are in the folder of the results", info.purpose),
        })
        .collect();
    let section = |heading: &str, blocks| Section { heading: heading.to_string(), blocks };
    let mut sections = vec![section("What holds", vec![Block::Lines(results.summary.clone())])];
    if !figures.is_empty() {
        sections.push(section("Figures", figures));
    }
    SectionsReport {
        title: format!("{}: {}", info.name, info.purpose),
        answer: vec![Piece::Words(answer)],
        account,
        sections,
    }
}
