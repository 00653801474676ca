//! Runs a protocol and keeps its results in a folder.

use std::path::Path;

use basrelief::methods::Settings;
use basrelief::wording::LINE_END;
use basrelief::{Error, Result, Run};
use basrelief_io::ResultsFolder;
use serde_json::{Map, Value, json};

use crate::data::DataFolder;
use crate::protocol::{ProtocolInfo, Results, Work};

/// Runs a protocol and writes its results into a folder, with the options (`options.json`) and the
/// summary (`summary.txt`). Returns the results, in their remarks what data would give more.
///
/// The folder is made if it is missing. Results of the same protocol, version, data, options and seed
/// are replaced; what a killed run had finished is not computed again.
///
/// # Errors
/// The folder holds anything else, or cannot be written to (found out before the work starts);
/// no data set of the experiment is there; the errors of the protocol; [`Error::Cancelled`], after
/// which only finished cells are in the folder.
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
        let problem = format!("no data set of {} is there", info.name);
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
