//! Runs a protocol and writes its results to a folder.

use std::path::Path;

use basrelief::methods::Settings;
use basrelief::wording::LINE_END;
use basrelief::{Error, Result, Run};
use basrelief_io::ResultsFolder;
use basrelief_report::{FigureStyle, Table};
use serde_json::{Map, Value, json};

use crate::data::{AddedSet, DataFolder};
use crate::protocol::{ProtocolInfo, Results, Work};

/// Runs a protocol on the paper's data sets and on added ones, and writes its results to a folder, with the options
/// (`options.json`) and the summary (`summary.txt`; its tables as `summary.tex` and `summary-1.csv`, `summary-2.csv`, ...).
/// Returns the results. Their remarks list the missing data sets.
///
/// The folder is created if it does not exist. Results for the same protocol, version, data, options and seed are
/// replaced. Cells that an interrupted run finished are not computed again.
///
/// # Errors
/// The folder contains anything else, or cannot be written to (which is checked before the computation); all data sets
/// of the experiment are missing; the errors of the protocol; [`Error::Cancelled`], after which the folder contains
/// only finished cells.
pub fn reproduce(
    info: &ProtocolInfo,
    settings: &Settings,
    quick: bool,
    (data, added): (&DataFolder, &[AddedSet]),
    (directory, figures): (&Path, FigureStyle),
    run: &Run,
) -> Result<Results> {
    let fingerprints = info
        .data
        .iter()
        .map(|set| Ok((set.file.to_string(), Value::from(data.fingerprint(set)?))))
        .collect::<Result<Map<String, Value>>>()?;
    if !added.is_empty() && !info.adds {
        let problem = format!("{} takes no other data sets", info.name);
        return Err(Error::option("add", problem, "omit the option"));
    }
    if !info.has_data(data) && added.is_empty() {
        let problem = format!("all data sets of {} are missing", info.name);
        return Err(Error::option("data", problem, info.advice(data).join(LINE_END.as_ref())));
    }
    let mut record = json!({
        "basrelief": env!("CARGO_PKG_VERSION"),
        "protocol": info.name,
        "quick": quick,
        "seed": run.seed(),
        "options": settings.to_json(),
        "data": fingerprints,
    });
    if !added.is_empty() {
        let sets = added.iter().map(|set| (set.name.clone(), set.fingerprint.clone().into()));
        record["added"] = Value::Object(sets.collect());
    }
    let folder = ResultsFolder::open(directory, &record)?;
    let work = Work { settings, quick, data, added, checkpoints: &folder, run };
    let mut results = (info.run)(&work)?;
    run.check()?;
    results.remarks.extend(info.advice(data));
    folder.write(files(&results, figures)?)?;
    Ok(results)
}

/// Names and contents of the files of results: numbers, figures in a format, and the tables as text, CSV and LaTeX.
fn files(results: &Results, figures: FigureStyle) -> Result<Vec<(String, Vec<u8>)>> {
    let mut files = Vec::new();
    for (name, content) in &results.files {
        files.push(match name.ends_with(".svg") {
            true => (figures.file_name(name), figures.to_file(content)?),
            false => (name.to_string(), content.clone().into_bytes()),
        });
    }
    let summary = results.summary();
    let latex: Vec<String> = results.tables.iter().map(Table::to_latex).collect();
    files.push(("summary.txt".to_string(), summary.into_bytes()));
    if !latex.is_empty() {
        files.push(("summary.tex".to_string(), latex.join("\n").into_bytes()));
    }
    for (number, table) in (1..).zip(&results.tables) {
        files.push((format!("summary-{number}.csv"), table.to_csv().into_bytes()));
    }
    Ok(files)
}
