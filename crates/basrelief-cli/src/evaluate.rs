//! `basrelief evaluate`: compares methods by cross-validated prediction.

use std::ffi::OsString;

use basrelief::evaluate::{Dimensions, KnnSettings, WeightUse};
use basrelief::methods::Scaling;
use basrelief::neighbors::Metric;
use basrelief::{Error, Result};
use basrelief_study::Comparison;
use basrelief_study::evaluation::{OuterSplits, Scheme};
use basrelief_study::text::Format;
use clap::ArgMatches;
use clap::parser::ValueSource;

use crate::args;
use crate::cohort::required_target;
use crate::exit::{Outcome, audience, note, note_warnings, say};
use crate::input::source;
use crate::output::{print, print_data};
use crate::report::Report;
use crate::study::redundancy;
use crate::terminal::look_of_standard_output;

/// Runs the verb.
pub(crate) fn run(matches: &ArgMatches, arguments: &[OsString]) -> Outcome {
    // Everything that can be refused is refused before the data are read.
    let comparison = comparison(matches)?;
    comparison.check()?;
    let report = Report::from_args(matches, arguments)?;
    let figure_style = args::figure_style(matches)?;
    let quiet = args::quiet(matches);
    let run = args::start_run(matches)?;

    let data = comparison.read(&run)?;
    let folder = comparison.open_folder(&data, &run)?;
    let found = comparison.evaluate(&data, folder.as_ref(), &run, &note(quiet))?;
    let evaluation = comparison.evaluation(&data, &found, &run);
    let format = match text(matches, "format") {
        "json" => Format::Json,
        "csv" => Format::Csv,
        _ => Format::Table,
    };
    let shown = evaluation.text(format, look_of_standard_output());
    if let (Some(folder), Some(path)) = (folder, &comparison.folder) {
        let files = evaluation.files(figure_style)?;
        folder.write(files)?;
        if !quiet {
            say(&format!("wrote figures, numbers and this table to {}", path.display()));
        }
    }
    if let Some(report) = &report {
        report.write(&evaluation.page(&report.options)?)?;
        if !quiet {
            report.files().for_each(|file| say(&format!("wrote {}", file.display())));
        }
    }
    let show = if format == Format::Csv { print_data } else { print };
    show(&shown)?;
    if !quiet {
        note_warnings(&found.warnings);
        say(&format!("evaluated in {:.1} s", found.seconds));
    }
    report.map_or(Ok(()), |report| report.open())
}

fn text<'m>(matches: &'m ArgMatches, name: &str) -> &'m str {
    matches.get_one::<String>(name).map_or("", String::as_str)
}

/// The comparison that the arguments specify.
fn comparison(matches: &ArgMatches) -> Result<Comparison> {
    let text = |name: &str| text(matches, name);
    let knn = KnnSettings {
        // One of the choices that the argument has.
        metric: text("metric").parse().unwrap_or(Metric::Euclidean),
        scaling: match text("scale") {
            "none" => Scaling::None,
            "range" => Scaling::Range,
            _ => Scaling::Standard,
        },
        weight_use: if text("weights") == "ranking" {
            WeightUse::Ranking
        } else {
            WeightUse::Distance
        },
        one_unit: false,
        redundancy: redundancy(matches)?.unwrap_or_default(),
    };
    Ok(Comparison {
        roles: args::row_roles(matches)?,
        methods: matches.get_one::<String>("methods").cloned(),
        knn,
        scheme: scheme(matches)?,
        counts: numbers("k", text("k"))?,
        dimensions: dimensions(text("dimensions"))?,
        permutations: matches.get_one::<usize>("permutations").copied(),
        folder: args::path(matches, "output").map(ToOwned::to_owned),
        audience: audience(),
        ..Comparison::new(source(matches)?, required_target(matches)?)
    })
}

fn scheme(matches: &ArgMatches) -> Result<Scheme> {
    let inner = matches.get_one::<usize>("inner-folds").copied().unwrap_or(1);
    Ok(Scheme { splits: outer_splits(matches)?, inner })
}

fn outer_splits(matches: &ArgMatches) -> Result<OuterSplits> {
    let is_given = |name: &str| matches.value_source(name) == Some(ValueSource::CommandLine);
    let repeats = matches.get_one::<usize>("repeats").copied().unwrap_or(1);
    if let Some(protocol) = matches.get_one::<String>("protocol") {
        if let Some(other) = ["folds", "repeats"].into_iter().find(|name| is_given(name)) {
            let problem = format!("it cannot be combined with --{other}");
            let help = format!("omit --{other}, or omit --protocol for a cross-validation");
            return Err(Error::option("protocol", problem, help));
        }
        return match protocol.strip_prefix("halves:").map(str::parse) {
            Some(Ok(count)) => Ok(OuterSplits::Halves(count)),
            _ => {
                let problem = format!("`{protocol}` is not a protocol");
                Err(Error::option("protocol", problem, "halves:10 makes 10 random halves"))
            }
        };
    }
    match text(matches, "folds") {
        "loo" if repeats > 1 => Err(Error::option(
            "repeats",
            "leave-one-out is the same every time",
            "omit the option, or give a number of folds",
        )),
        "loo" => Ok(OuterSplits::LeaveOneOut),
        text => {
            let parts = text.parse().map_err(|_| {
                let problem = format!("`{text}` is neither `loo` nor a whole number");
                Error::option("folds", problem, "10 is usual")
            })?;
            Ok(OuterSplits::Folds { parts, repeats })
        }
    }
}

/// Whole numbers of at least 1, ascending.
fn numbers(option: &str, text: &str) -> Result<Vec<usize>> {
    let number = |part: &str| match part.trim().parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err(Error::option(
            option,
            format!("`{part}` is not a whole number of at least 1"),
            "write numbers with commas between, as 1,3,5",
        )),
    };
    let mut numbers = text.split(',').map(number).collect::<Result<Vec<usize>>>()?;
    numbers.sort_unstable();
    numbers.dedup();
    Ok(numbers)
}

fn dimensions(text: &str) -> Result<Dimensions> {
    Ok(match text {
        "all" => Dimensions::All,
        "spread" => Dimensions::Spread,
        "every" => Dimensions::Every,
        text => Dimensions::Some(numbers("dimensions", text)?),
    })
}
