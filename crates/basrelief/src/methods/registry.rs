//! The list of all methods.

use std::time::Instant;

use super::learn::{Learn, MAP_OPTIONS, MapSettings, fit_map};
use super::weighted::Weighted;
use super::{
    OptionInfo, Problem, Settings, compositions, d_lmnn, dann, drelieff, euclidean, gi_relief,
    irelief, lda, ldm, lfda, lfe, lmba, lmnn, mdm, mfa, multisurf, multisurf_star, myopic, nca,
    o_relief, pca, pdrelieff, rca, relief, relief_e, relief_margin, relieff, rrelieff, simba, surf,
    surf_star, swrf_star,
};
use crate::data::TargetKind;
use crate::data::{Table, Target, column_warnings};
use crate::error::{Error, Result, nearest_name};
use crate::maps::{FeatureWeights, Map};
use crate::report::{Fitted, Report};
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
    /// Two or more classes, or a real number.
    Any,
}

impl Task {
    /// `two classes`, `classes`, `regression` or `classes or regression`.
    pub fn name(self) -> &'static str {
        match self {
            Task::TwoClasses => "two classes",
            Task::Classes => "classes",
            Task::Regression => "regression",
            Task::Any => "classes or regression",
        }
    }

    /// How a target is read where the user does not say.
    pub fn target_kind(self) -> TargetKind {
        match self {
            Task::TwoClasses | Task::Classes => TargetKind::PreferClasses,
            Task::Regression => TargetKind::PreferReal,
            Task::Any => TargetKind::Auto,
        }
    }
}

/// Computes a weight per feature; warnings, iterations and the like go to the report.
pub(crate) type Weigh = fn(&Problem<'_>, &Settings, &mut Report, &Run) -> Result<Vec<f64>>;

/// A method: everything the command line, Python, the documentation and the tests know of it.
pub struct MethodInfo {
    /// Name on the command line and in results.
    pub name: &'static str,
    /// What target it explains.
    pub task: Task,
    /// Whether it finds features that tell of the target only together.
    pub interactions: bool,
    /// Whether it takes missing values.
    pub missing: bool,
    /// How its time grows with the rows n and the features p: `n² p`, or that for each of its
    /// rounds.
    pub cost: &'static str,
    /// One line: what it is for.
    pub purpose: &'static str,
    /// Where it is defined.
    pub source: &'static str,
    /// Its options, in the order shown.
    pub options: &'static [&'static OptionInfo],
    /// Those of its options that a user should think about.
    pub choose: &'static [&'static OptionInfo],
    /// Computes the weights.
    pub(crate) weigh: Weigh,
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

    /// Fits the method to a problem.
    ///
    /// The report holds the warnings of the method and of the table (constant, empty and repeated
    /// columns) and the seconds taken.
    ///
    /// # Errors
    /// What the method's own documentation says; [`Error::Cancelled`].
    pub fn fit(
        &self,
        problem: &Problem<'_>,
        settings: &Settings,
        run: &Run,
    ) -> Result<Fitted<FeatureWeights>> {
        self.timed(problem, run, |report| (self.weigh)(problem, settings, report, run))
    }

    /// Wraps weights into a fitted map with its report.
    pub(crate) fn timed(
        &self,
        problem: &Problem<'_>,
        run: &Run,
        weigh: impl FnOnce(&mut Report) -> Result<Vec<f64>>,
    ) -> Result<Fitted<FeatureWeights>> {
        let start = Instant::now();
        let mut report = Report::default();
        let weights = weigh(&mut report).map_err(|error| problem.locate(error))?;
        if let Some(feature) = weights.iter().position(|weight| !weight.is_finite()) {
            return Err(Error::Internal(format!(
                "{} gave feature {} the weight {}",
                self.name,
                problem.table().columns()[feature].name(),
                weights[feature]
            )));
        }
        report.warnings.extend(column_warnings(problem.table(), run)?);
        report.seconds = start.elapsed().as_secs_f64();
        Ok(Fitted { map: FeatureWeights::new(problem.table().names(), weights), report })
    }
}

/// A method that learns a map: everything the front ends, the documentation and the tests know of
/// it.
pub struct LearnerInfo {
    /// Name on the command line and in results.
    pub name: &'static str,
    /// Whether it needs classes.
    pub supervised: bool,
    /// How its time grows with the rows n, the features p and the components c.
    pub cost: &'static str,
    /// One line: what it is for.
    pub purpose: &'static str,
    /// Where it is defined.
    pub source: &'static str,
    /// Its own options, in the order shown; those of all maps ([`super::MAP_OPTIONS`]) follow.
    pub options: &'static [&'static OptionInfo],
    /// Those of its options that a user should think about.
    pub choose: &'static [&'static OptionInfo],
    /// Makes the method from its options.
    pub(crate) build: fn(&Settings) -> Result<Box<dyn Learn>>,
}

impl std::fmt::Debug for LearnerInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LearnerInfo").field("name", &self.name).finish_non_exhaustive()
    }
}

impl LearnerInfo {
    /// Its own options and those of all maps, of which it may declare some anew.
    pub fn all_options(&self) -> Vec<&'static OptionInfo> {
        let own = |option: &OptionInfo| self.options.iter().any(|own| own.name == option.name);
        let common = MAP_OPTIONS.iter().filter(|option| !own(option));
        self.options.iter().chain(common).copied().collect()
    }

    /// Resolves and checks options given as texts, by option name or flag.
    ///
    /// # Errors
    /// As [`Settings::resolve`].
    pub fn settings<N: AsRef<str>, V: AsRef<str>>(&self, given: &[(N, V)]) -> Result<Settings> {
        Settings::resolve(self.name, &self.all_options(), given)
    }

    /// Fits the method's map; `target` may be left out where no classes are needed.
    ///
    /// # Errors
    /// As [`fit_map`].
    pub fn fit(
        &self,
        table: &Table<'_>,
        target: Option<&Target>,
        settings: &Settings,
        run: &Run,
    ) -> Result<Fitted<Map>> {
        let method = (self.build)(settings)?;
        fit_map(&*method, table, target, &MapSettings::from_settings(settings)?, run)
    }
}

/// Every method that learns a map, in the order of the documentation.
pub static LEARNERS: &[&LearnerInfo] = &[
    &euclidean::INFO,
    &pca::INFO,
    &lda::INFO,
    &rca::INFO,
    &dann::INFO,
    &lfda::INFO,
    &mfa::INFO,
    &lfe::INFO,
    &o_relief::INFO,
    &gi_relief::INFO,
    &nca::INFO,
    &ldm::INFO,
    &lmnn::INFO,
    &compositions::KPCA,
    &compositions::KLFE,
    &compositions::GDA,
    &compositions::FSKPCA,
    &compositions::FSKGP,
];

/// Lists the weighting methods, and what makes a map of each.
macro_rules! weighting_methods {
    ($($module:ident),* $(,)?) => {
        /// Every method that weighs features, in the order of the documentation.
        pub static METHODS: &[&MethodInfo] = &[$(&$module::INFO),*];

        /// The weighting methods as methods that learn a map ([`Weighted`]).
        static WEIGHTINGS: &[LearnerInfo] = &[$(LearnerInfo {
            name: $module::INFO.name,
            supervised: true,
            cost: $module::INFO.cost,
            purpose: $module::INFO.purpose,
            source: $module::INFO.source,
            options: $module::INFO.options,
            choose: $module::INFO.choose,
            build: |settings| Ok(Box::new(Weighted::new(&$module::INFO, settings.clone()))),
        }),*];
    };
}

weighting_methods![
    relieff,
    rrelieff,
    surf,
    surf_star,
    multisurf,
    multisurf_star,
    swrf_star,
    relief,
    relief_e,
    relief_margin,
    myopic,
    drelieff,
    pdrelieff,
    irelief,
    simba,
    lmba,
    mdm,
    d_lmnn,
];

/// The weighting methods that take classes, as methods that learn a map: features, or the
/// coordinates of a kernel's basis, scaled by the roots of their weights.
pub fn weightings() -> impl Iterator<Item = &'static LearnerInfo> {
    let regression = |name: &str| {
        METHODS.iter().any(|method| method.name == name && method.task == Task::Regression)
    };
    WEIGHTINGS.iter().filter(move |method| !regression(method.name))
}

/// The method of that name.
///
/// # Errors
/// No such method; the nearest name is suggested.
pub fn method(name: &str) -> Result<&'static MethodInfo> {
    let found = METHODS.iter().find(|method| method.name == name).copied();
    found.ok_or_else(|| unknown_method(name, METHODS.iter().map(|method| method.name)))
}

/// The method of that name that learns a map, or whose weights make one.
///
/// # Errors
/// No such method; the nearest name is suggested.
pub fn learner(name: &str) -> Result<&'static LearnerInfo> {
    let all = || LEARNERS.iter().copied().chain(weightings());
    let found = all().find(|method| method.name == name);
    found.ok_or_else(|| unknown_method(name, all().map(|method| method.name)))
}

fn unknown_method<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Error {
    if LEARNERS.iter().any(|method| method.name == name) {
        let help = "use it with `basrelief fit`";
        return Error::option("method", format!("`{name}` learns a map and ranks nothing"), help);
    }
    if METHODS.iter().any(|method| method.name == name) {
        let help = "use it with `basrelief rank`";
        return Error::option(
            "method",
            format!("`{name}` explains a real target, no classes"),
            help,
        );
    }
    let help = match nearest_name(name, names) {
        Some(near) => format!("did you mean `{near}`? `basrelief methods` lists all"),
        None => "`basrelief methods` lists all".to_string(),
    };
    Error::option("method", format!("there is no method `{name}`"), help)
}
