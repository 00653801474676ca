//! The list of all protocols.

use std::path::Path;

use basrelief::error::nearest_name;
use basrelief::evaluate::Checkpoints;
use basrelief::methods::{OptionInfo, Settings};
use basrelief::wording::LINE_END;
use basrelief::{Error, Result, Run};
use basrelief_io::ResultsFolder;
use serde_json::{Map, Value, json};

use crate::data::{DataFolder, DataSet};
use crate::{c10, hm13, pb06, sw08, w11};

/// What a protocol found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Results {
    /// For people: what was done, and what of the paper holds.
    pub summary: String,
    /// Names and contents of the files: numbers and figures.
    pub files: Vec<(&'static str, String)>,
}

/// What an experiment is run with.
pub(crate) struct Work<'a> {
    /// Its options.
    pub(crate) settings: &'a Settings,
    /// Whether it shall leave out what its quick form leaves out.
    pub(crate) quick: bool,
    /// Where the data sets are.
    pub(crate) data: &'a DataFolder,
    /// What remembers finished cells.
    pub(crate) checkpoints: &'a dyn Checkpoints,
    /// Threads, seed, progress and cancellation.
    pub(crate) run: &'a Run,
}

/// A protocol: everything the command line and the documentation know of it.
pub struct ProtocolInfo {
    /// Name on the command line, and of the folder for the results.
    pub name: &'static str,
    /// Other names: the figures and tables of the paper that it makes.
    pub aliases: &'static [&'static str],
    /// One line: what the experiment is.
    pub purpose: &'static str,
    /// The paper and its sections.
    pub source: &'static str,
    /// What the quick form leaves out.
    pub quick: &'static str,
    /// Its options, in the order shown.
    pub options: &'static [&'static OptionInfo],
    /// Whether it also, or only, has data that it generates.
    pub generates: bool,
    /// The data sets that it reads; it goes on without those that are not there.
    pub data: &'static [&'static DataSet],
    /// Runs the experiment.
    pub(crate) run: fn(&Work<'_>) -> Result<Results>,
}

impl std::fmt::Debug for ProtocolInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProtocolInfo").field("name", &self.name).finish_non_exhaustive()
    }
}

impl ProtocolInfo {
    /// Resolves and checks options given as texts, by option name or flag.
    ///
    /// # Errors
    /// As [`Settings::resolve`].
    pub fn settings<N: AsRef<str>, V: AsRef<str>>(&self, given: &[(N, V)]) -> Result<Settings> {
        Settings::resolve(self.name, self.options, given)
    }

    /// Whether any of its data sets is there, or it generates some.
    pub fn has_data(&self, data: &DataFolder) -> bool {
        self.generates || self.data.iter().any(|set| data.has(set))
    }

    /// What to do for the data sets that are not there, a line each.
    pub fn advice(&self, data: &DataFolder) -> Vec<String> {
        let missing = self.data.iter().filter(|set| !data.has(set));
        missing.map(|set| data.advice(set)).collect()
    }
}

/// Every protocol, in the order of the documentation.
pub static PROTOCOLS: &[&ProtocolInfo] = &[
    &pb06::INFO,
    &sw08::TABLE2,
    &sw08::TABLE3,
    &sw08::FIGURE3,
    &c10::FIGURE1,
    &c10::FIGURE3,
    &c10::FIGURE4,
    &c10::FIGURE5,
    &w11::FIGURE5,
    &w11::FIGURE6,
    &w11::FIGURE7,
    &w11::FIGURE8,
    &hm13::INFO,
];

/// The protocol of that name.
///
/// # Errors
/// No such protocol; the nearest name is suggested.
pub fn protocol(name: &str) -> Result<&'static ProtocolInfo> {
    PROTOCOLS
        .iter()
        .find(|info| info.name == name || info.aliases.contains(&name))
        .copied()
        .ok_or_else(|| {
            let all =
                PROTOCOLS.iter().flat_map(|info| info.aliases.iter().chain([&info.name]).copied());
            let help = match nearest_name(name, all.clone()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("there are {}", all.collect::<Vec<_>>().join(", ")),
            };
            Error::option("protocol", format!("there is no protocol `{name}`"), help)
        })
}

/// Runs a protocol and writes its results into a folder, beside the options they come from
/// (`options.json`) and the summary (`summary.txt`); gives the summary.
///
/// The folder is made if there is none. Results of the same protocol, version, data, options and seed
/// are replaced; what a killed run had finished is not computed again.
///
/// # Errors
/// The folder holds anything else, or cannot be written to (found out before the work starts);
/// no data set of the experiment is there; what the protocol says; [`Error::Cancelled`], and nothing
/// is written but finished cells.
pub fn reproduce(
    info: &ProtocolInfo,
    settings: &Settings,
    quick: bool,
    data: &DataFolder,
    directory: &Path,
    run: &Run,
) -> Result<String> {
    let prints = info
        .data
        .iter()
        .map(|set| Ok((set.file.to_string(), Value::from(data.fingerprint(set)?))))
        .collect::<Result<Map<String, Value>>>()?;
    if !info.has_data(data) {
        let problem = format!("no data set of {} is there", info.name);
        return Err(Error::option("data", problem, info.advice(data).join(LINE_END)));
    }
    let record = json!({
        "basrelief": env!("CARGO_PKG_VERSION"),
        "protocol": info.name,
        "quick": quick,
        "seed": run.seed(),
        "options": settings.to_json(),
        "data": prints,
    });
    let folder = ResultsFolder::open(directory, &record)?;
    let mut results = (info.run)(&Work { settings, quick, data, checkpoints: &folder, run })?;
    run.check()?;
    for advice in info.advice(data) {
        results.summary.push_str(&format!("\n{advice}\n"));
    }
    let files = results.files.iter().map(|(name, content)| (*name, content.as_str()));
    folder.write(files.chain([("summary.txt", results.summary.as_str())]))?;
    Ok(results.summary)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_protocol_suggests_the_nearest() {
        let error = protocol("pb6").unwrap_err().to_string();
        assert!(error.contains("did you mean `pb06`?"), "{error}");
    }

    #[test]
    fn names_are_folders_and_options_have_valid_defaults() {
        for info in PROTOCOLS {
            assert!(info.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'));
            info.settings::<&str, &str>(&[]).unwrap();
        }
    }
}
