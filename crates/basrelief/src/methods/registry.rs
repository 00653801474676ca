//! The list of all methods.

use super::{OptionInfo, Problem, Settings, relieff};
use crate::error::{Error, Result, nearest_name};
use crate::maps::FeatureWeights;
use crate::report::Fitted;
use crate::run::Run;

/// What target a method explains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Task {
    /// Exactly two classes.
    TwoClasses,
    /// Two or more classes.
    Classes,
    /// A real number.
    Regression,
}

impl Task {
    /// `two classes`, `classes` or `regression`.
    pub fn name(self) -> &'static str {
        match self {
            Task::TwoClasses => "two classes",
            Task::Classes => "classes",
            Task::Regression => "regression",
        }
    }
}

/// Fits a weighting method to a problem.
pub type FitWeights = fn(&Problem<'_>, &Settings, &Run) -> Result<Fitted<FeatureWeights>>;

/// A method: everything the command line, Python, the documentation and the tests know of it.
pub struct MethodInfo {
    /// Name on the command line and in results.
    pub name: &'static str,
    /// What target it explains.
    pub task: Task,
    /// One line: what it is for.
    pub purpose: &'static str,
    /// Where it is defined.
    pub source: &'static str,
    /// Its options, in the order shown.
    pub options: &'static [&'static OptionInfo],
    /// Fits it.
    pub fit: FitWeights,
}

impl std::fmt::Debug for MethodInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MethodInfo").field("name", &self.name).finish_non_exhaustive()
    }
}

impl MethodInfo {
    /// Resolves and checks options given as texts, by option name or flag.
    ///
    /// # Errors
    /// As [`Settings::resolve`].
    pub fn settings<N: AsRef<str>, V: AsRef<str>>(&self, given: &[(N, V)]) -> Result<Settings> {
        Settings::resolve(self.name, self.options, given)
    }
}

/// Every method, in the order of the documentation.
pub static METHODS: &[&MethodInfo] = &[&relieff::INFO];

/// The method of that name.
///
/// # Errors
/// No such method; the nearest name is suggested.
pub fn method(name: &str) -> Result<&'static MethodInfo> {
    METHODS.iter().find(|method| method.name == name).copied().ok_or_else(|| {
        let help = match nearest_name(name, METHODS.iter().map(|method| method.name)) {
            Some(near) => format!("did you mean `{near}`? `basrelief methods` lists all"),
            None => "`basrelief methods` lists all".to_string(),
        };
        Error::option("method", format!("there is no method `{name}`"), help)
    })
}
