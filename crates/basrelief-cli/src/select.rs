//! `basrelief select`: the table with its best features only.

use std::collections::HashSet;

use basrelief::maps::are_above;
use basrelief::wording::setting;
use basrelief::{DataError, Error};
use basrelief_io::check_output;
use clap::ArgMatches;

use crate::args;
use crate::exit::{Outcome, say};
use crate::input::Input;
use crate::output::print;
use crate::rank::{Weighed, Weighing};
use crate::subject::tell_warnings;
use crate::text::counted;

/// Names shown of those chosen.
const SHOWN: usize = 10;

/// Runs the verb.
pub(crate) fn run(matches: &ArgMatches) -> Outcome {
    if matches.contains_id("permutations") && !matches.get_flag("significant") {
        return Err(Error::option(
            "permutations",
            "what they find is not looked at",
            format!("say {} in place of another choice", setting("significant", None)),
        )
        .into());
    }
    let mut weighing = Weighing::from_args(matches)?;
    let input = Input::from_args(matches)?;
    let run = args::start_run(matches)?;
    let output = args::path(matches, "output");
    if let Some(file) = output {
        check_output(file)?;
        input.refuse_overwriting("output", file)?;
    }

    let Weighed { given, fitted, tested } = weighing.weigh(&input, &run)?;
    let map = &fitted.map;
    let best: Vec<usize> = match (matches.get_one::<f64>("above"), &tested) {
        (Some(&least), _) => {
            let is_above = are_above(map.weights(), least);
            map.order().into_iter().filter(|&feature| is_above[feature]).collect()
        }
        (None, Some(tested)) => {
            map.order().into_iter().filter(|&feature| tested.is_selected(feature)).collect()
        }
        (None, None) => {
            let top = matches.get_one::<usize>("top").copied().unwrap_or(usize::MAX);
            map.order().into_iter().take(top).collect()
        }
    };
    if best.is_empty() {
        let greatest = map.weights().iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let error = match tested {
            Some(tested) => DataError::new(
                format!("no feature is significant: {}", tested.criterion()),
                "rank shows how far from it the features are",
            ),
            None => DataError::new(
                "no feature has a weight above the one given",
                format!("the greatest weight is {greatest}"),
            ),
        };
        return Err(Error::from(error).in_file(input.path()).into());
    }
    let names: Vec<&str> = best.iter().map(|&feature| map.names()[feature].as_str()).collect();
    let mut wanted: HashSet<&str> = names.iter().copied().collect();
    wanted.insert(weighing.target());
    match output {
        Some(file) => input.copy(&wanted, weighing.target(), Ok(file), &run)?,
        None => {
            let mut text = Vec::new();
            input.copy(&wanted, weighing.target(), Err(&mut text), &run)?;
            print(&String::from_utf8_lossy(&text))?;
        }
    }
    if !args::quiet(matches) {
        tell_warnings(&given.warnings);
        tell_warnings(&fitted.report.warnings);
        let more = if names.len() > SHOWN { ", …" } else { "" };
        let wrote = output.map_or_else(String::new, |file| format!("wrote {}: ", file.display()));
        say(&format!(
            "{wrote}{} of {}: {}{more}",
            counted(names.len(), "feature"),
            given.table.width(),
            names[..names.len().min(SHOWN)].join(", ")
        ));
    }
    Ok(())
}
