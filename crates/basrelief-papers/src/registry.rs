//! The list of all protocols.

use std::path::Path;

use basrelief::error::nearest_name;
use basrelief::methods::{OptionInfo, Settings};
use basrelief::{Error, Result, Run};
use serde_json::json;

use crate::folder::Folder;
use crate::pb06;

/// What a protocol found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Results {
    /// For people: what was done, and what of the paper holds.
    pub summary: String,
    /// Names and contents of the files: numbers and figures.
    pub files: Vec<(&'static str, String)>,
}

/// A protocol: everything the command line and the documentation know of it.
pub struct ProtocolInfo {
    /// Name on the command line, and of the folder for the results.
    pub name: &'static str,
    /// One line: what the experiment is.
    pub purpose: &'static str,
    /// The paper and its sections.
    pub source: &'static str,
    /// What the quick form leaves out.
    pub quick: &'static str,
    /// Its options, in the order shown.
    pub options: &'static [&'static OptionInfo],
    /// Runs the experiment, whole or in its quick form.
    pub(crate) run: fn(&Settings, bool, &Run) -> Result<Results>,
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
}

/// Every protocol, in the order of the documentation.
pub static PROTOCOLS: &[&ProtocolInfo] = &[&pb06::INFO];

/// The protocol of that name.
///
/// # Errors
/// No such protocol; the nearest name is suggested.
pub fn protocol(name: &str) -> Result<&'static ProtocolInfo> {
    PROTOCOLS.iter().find(|info| info.name == name).copied().ok_or_else(|| {
        let all = PROTOCOLS.iter().map(|info| info.name);
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
/// The folder is made if there is none. Results of the same protocol, version, options and seed
/// are replaced (by the same bits: no result depends on the number of threads).
///
/// # Errors
/// The folder holds anything else, or cannot be written to (found out before the work starts);
/// what the protocol says; [`Error::Cancelled`], and nothing is written.
pub fn reproduce(
    info: &ProtocolInfo,
    settings: &Settings,
    quick: bool,
    directory: &Path,
    run: &Run,
) -> Result<String> {
    let record = json!({
        "basrelief": env!("CARGO_PKG_VERSION"),
        "protocol": info.name,
        "quick": quick,
        "seed": run.seed(),
        "options": settings.to_json(),
    });
    let folder = Folder::open(directory, &record)?;
    let results = (info.run)(settings, quick, run)?;
    run.check()?;
    folder.write(&results)?;
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
