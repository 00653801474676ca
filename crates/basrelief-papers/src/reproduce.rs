//! Runs a protocol and writes its results to a folder.

use std::path::Path;

use basrelief::methods::Settings;
use basrelief::wording::LINE_END;
use basrelief::{Error, Result, Run};
use basrelief_io::ResultsFolder;
use serde_json::{Map, Value, json};

use crate::data::DataFolder;
use crate::protocol::{ProtocolInfo, Results, Work};

/// Runs a protocol and writes its results to a folder, with the options (`options.json`) and the summary
/// (`summary.txt`). Returns the results. Their remarks list the missing data sets.
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
    data: &DataFolder,
    directory: &Path,
    run: &Run,
) -> Result<Results> {
    let fingerprints = info
        .data
        .iter()
        .map(|set| Ok((set.file.to_string(), Value::from(data.fingerprint(set)?))))
        .collect::<Result<Map<String, Value>>>()?;
    if !info.has_data(data) {
        let problem = format!("all data sets of {} are missing", info.name);
        return Err(Error::option("data", problem, info.advice(data).join(LINE_END.as_ref())));
    }
    let record = json!({
        "basrelief": env!("CARGO_PKG_VERSION"),
        "protocol": info.name,
        "quick": quick,
        "seed": run.seed(),
        "options": settings.to_json(),
        "data": fingerprints,
    });
    let folder = ResultsFolder::open(directory, &record)?;
    let mut results = (info.run)(&Work { settings, quick, data, checkpoints: &folder, run })?;
    run.check()?;
    results.remarks.extend(info.advice(data));
    let summary = results.summary();
    let files = results.files.iter().map(|(name, content)| (*name, content.as_str()));
    folder.write(files.chain([("summary.txt", summary.as_str())]))?;
    Ok(results)
}
