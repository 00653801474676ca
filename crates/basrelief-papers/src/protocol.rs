//! What a protocol is: an experiment of a paper, what it is run with and what it gives.

use basrelief::evaluate::Checkpoints;
use basrelief::methods::{OptionInfo, Settings};
use basrelief::{Result, Run};
use rayon::prelude::*;

use crate::claims;
use crate::data::{DataFolder, DataSet};

/// The results of a protocol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Results {
    /// Text for people: what was done, and which claims of the paper hold.
    pub summary: String,
    /// Names and contents of the files: numbers and figures.
    pub files: Vec<(&'static str, String)>,
}

impl Results {
    /// How many checks of the paper's claims hold, do not hold and are undecided.
    pub fn verdicts(&self) -> [usize; 3] {
        claims::counts(&self.summary)
    }
}

/// What an experiment is run with.
pub(crate) struct Work<'a> {
    /// Its options.
    pub(crate) settings: &'a Settings,
    /// Whether to run the quick form.
    pub(crate) quick: bool,
    /// Where the data sets are.
    pub(crate) data: &'a DataFolder,
    /// Keeps finished cells, so that a killed run need not repeat them.
    pub(crate) checkpoints: &'a dyn Checkpoints,
    /// Threads, seed, progress and cancellation.
    pub(crate) run: &'a Run,
}

impl Work<'_> {
    /// Does `one` for every unit on the threads of the run; the results are in the order of the
    /// units, whatever the number of threads.
    ///
    /// # Errors
    /// The first of `one`; [`Error::Cancelled`](basrelief::Error::Cancelled).
    pub(crate) fn in_parallel<U: Sync, T: Send>(
        &self,
        units: &[U],
        one: impl Fn(&U) -> Result<T> + Send + Sync,
    ) -> Result<Vec<T>> {
        let checked = |unit: &U| {
            self.run.check()?;
            one(unit)
        };
        self.run.install(|| units.par_iter().with_max_len(1).map(checked).collect())
    }
}

/// A protocol as the command line and the documentation see it.
pub struct ProtocolInfo {
    /// Name on the command line, and of the folder for the results.
    pub name: &'static str,
    /// Other names: the figures and tables of the paper that it repeats.
    pub aliases: &'static [&'static str],
    /// One line: what the experiment is.
    pub purpose: &'static str,
    /// The paper and its sections.
    pub source: &'static str,
    /// What the quick form leaves out.
    pub quick: &'static str,
    /// Its options, in the order shown.
    pub options: &'static [&'static OptionInfo],
    /// Whether it generates some or all of its data.
    pub generates: bool,
    /// The data sets that it reads; it goes on without missing ones.
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

    /// Whether it generates data or any of its data sets is there.
    pub fn has_data(&self, data: &DataFolder) -> bool {
        self.generates || self.data.iter().any(|set| data.has(set))
    }

    /// What to do about the missing data sets, a line each.
    pub fn advice(&self, data: &DataFolder) -> Vec<String> {
        let missing = self.data.iter().filter(|set| !data.has(set));
        missing.map(|set| data.advice(set)).collect()
    }
}
