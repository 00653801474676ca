//! `basrelief select`: writes a table with only its best features.

use std::collections::HashSet;

use basrelief::wording::setting;
use basrelief::{DataError, Error};
use basrelief_io::check_output;
use basrelief_study::text::counted;
use basrelief_study::{SelectionPlan, Wanted};
use clap::ArgMatches;

use crate::args;
use crate::exit::{Outcome, note, note_warnings, say};
use crate::output::print_data;
use crate::study::{redundancy, study};

/// The number of selected names that are shown.
const SHOWN: usize = 10;

/// Runs the verb.
pub(crate) fn run(matches: &ArgMatches) -> Outcome {
    if matches.contains_id("permutations") && !matches.get_flag("significant") {
        return Err(Error::option(
            "permutations",
            "the result of the test is not used",
            format!("select the significant features with {}", setting("significant", None)),
        )
        .into());
    }
    let mut study = study(matches)?;
    let wanted = match matches.get_one::<f64>("above") {
        Some(&least) => Wanted::Above(least),
        None if matches.get_flag("significant") => Wanted::Significant,
        None => Wanted::Top(matches.get_one::<usize>("top").copied().unwrap_or(usize::MAX)),
    };
    let plan = SelectionPlan { wanted, redundancy: redundancy(matches)?.unwrap_or_default() };
    study.selection = Some(plan);
    let run = args::start_run(matches)?;
    let output = args::path(matches, "output");
    if let Some(file) = output {
        check_output(file)?;
    }

    let (data, basrelief_study::Outcome { fitted, tested, selection, .. }) =
        study.rank(&run, &note(args::quiet(matches)))?;
    let map = &fitted.model;
    let selected = selection.ok_or_else(|| Error::Internal("nothing was selected".to_string()))?;
    let best = &selected.selection.features;
    if best.is_empty() {
        let greatest = map.weights().iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let error = match tested {
            Some(tested) => DataError::new(
                format!("no feature is significant: {}", tested.criterion()),
                "`basrelief rank` shows the p-values of all features",
            ),
            None => DataError::new(
                "no feature has a weight above the given number",
                format!("the largest weight is {greatest}"),
            ),
        };
        return Err(Error::from(error).in_file(study.source.name()).into());
    }
    let names: Vec<&str> = best.iter().map(|&feature| map.names()[feature].as_str()).collect();
    let mut wanted: HashSet<&str> = names.iter().copied().collect();
    wanted.extend(data.target_columns.iter().map(String::as_str));
    wanted.extend(study.source.event.as_deref());
    match output {
        Some(file) => study.source.copy(&wanted, &data.target_name, Ok(file), &run)?,
        None => {
            let mut text = Vec::new();
            study.source.copy(&wanted, &data.target_name, Err(&mut text), &run)?;
            print_data(&String::from_utf8_lossy(&text))?;
        }
    }
    if !args::quiet(matches) {
        note_warnings(&data.warnings);
        note_warnings(&fitted.report.warnings);
        let more = if names.len() > SHOWN { ", …" } else { "" };
        let wrote = output.map_or_else(String::new, |file| format!("wrote {}: ", file.display()));
        say(&format!(
            "{wrote}{} of {}: {}{more}",
            counted(names.len(), "feature"),
            data.table.width(),
            names[..names.len().min(SHOWN)].join(", ")
        ));
        let represented = selected.represented_lines(map.names(), SHOWN, usize::MAX);
        represented.lines().for_each(say);
    }
    Ok(())
}
