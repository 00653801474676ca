//! What is known of a method: the types of the registry's entries.

use std::time::Instant;

use super::Problem;
use super::elimination::FeatureElimination;
use super::fit_map::fit_map;
use super::learn::{Learn, MAP_OPTIONS, MapSettings};
use super::map_steps::MapSteps;
use super::page;
use super::reweighting::{Reweigh, Reweighting};
use super::row_comparison::RowComparison;
use super::row_pair::RowPair;
use super::steps::{Steps, Stepwise};
use super::targets::Sharing;
use crate::data::{Table, Target, TargetKind, column_warnings, similar_classes};
use crate::error::{Error, Result};
use crate::maps::{FeatureRanking, Map};
use crate::options::{FromSettings, OptionInfo, Settings};
use crate::report::{Fitted, Report};
use crate::run::Run;
use crate::wording::{self, method};

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

/// What the weights of a fit are divided by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WeightScale {
    /// Nothing that depends on the other weights: fits to several targets can be compared.
    Absolute,
    /// The largest weight, which is then 1 whatever the target is.
    LargestIsOne,
    /// The Euclidean length of the weights, which is then 1 whatever the target is.
    LengthIsOne,
}

/// A method: everything the command line, Python, the documentation and the tests know of it.
pub struct MethodInfo {
    /// Name on the command line and in results.
    pub name: &'static str,
    /// Its scikit-learn class, as it is named in the Python package.
    pub class: &'static str,
    /// What target it explains.
    pub task: Task,
    /// What its weights are divided by, which decides whether they can be tested.
    pub scale: WeightScale,
    /// Whether it finds features that tell of the target only together.
    pub interactions: bool,
    /// Whether it takes missing values.
    pub missing: bool,
    /// How its time grows with the rows n and the features p: `n² p`, or that for each of its
    /// rounds.
    pub cost: &'static str,
    /// The least and the greatest weight that it can give a feature.
    pub range: (f64, f64),
    /// One line: what it is for.
    pub purpose: &'static str,
    /// Where it is defined.
    pub source: &'static str,
    /// Its options, in the order shown.
    pub options: &'static [&'static OptionInfo],
    /// Those of its options that a user should think about.
    pub choose: &'static [&'static OptionInfo],
    /// The page on it in Markdown: what it is for, and the sections Formula, Cost, When not to use
    /// it, Example, In Python and Source. Tables of its options and the output of its example come
    /// from the program: the former belong before the first section, the latter into the empty
    /// `text` block of the example. Links to other pages name their modules: `super::lmnn`.
    pub documentation: &'static str,
    /// What its scikit-learn class says of it; `None` where it has no class of its own.
    pub python: Option<&'static PythonText>,
    /// Makes the method from its options.
    pub(crate) build: fn(&Settings) -> Result<Box<dyn WeighFeatures>>,
}

impl std::fmt::Debug for MethodInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MethodInfo").field("name", &self.name).finish_non_exhaustive()
    }
}

impl MethodInfo {
    /// The papers that define it, in full: the section Source of its [`documentation`](Self::documentation), on one line.
    pub fn papers(&self) -> String {
        page::papers(self.documentation)
    }

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
    ) -> Result<Fitted<FeatureRanking>> {
        let method = (self.build)(settings)?;
        self.check_covariates(&*method, problem)?;
        self.timed(problem, run, |report| method.weigh(problem, report, run))
    }

    /// Refuses a permutation test of weights that every fit scales anew: under permuted targets the largest weight is as
    /// large as under the observed one, so that the test finds nothing, whatever the effects are.
    ///
    /// # Errors
    /// The weights are scaled so.
    pub fn check_test(&self) -> Result<()> {
        let what = match self.scale {
            WeightScale::Absolute => return Ok(()),
            WeightScale::LargestIsOne => "the largest is 1",
            WeightScale::LengthIsOne => "their length is 1",
        };
        let name = |name: &str| wording::method(name);
        Err(Error::option(
            "permutations",
            format!(
                "the weights of {} are scaled in every fit so that {what}, for permuted targets too: permutations \
                 cannot show that a weight is large",
                name(self.name)
            ),
            format!(
                "test another method: {}, {} or {}",
                name("multisurf"),
                name("relieff"),
                name("pdrelieff")
            ),
        ))
    }

    /// Refuses covariates that neighbors are sought by, where the method is not one search for neighbors.
    pub(crate) fn check_covariates(
        &self,
        method: &dyn WeighFeatures,
        problem: &Problem<'_>,
    ) -> Result<()> {
        match method.stepwise() {
            Some(_) => Ok(()),
            None => problem.refuse_covariates(self.name),
        }
    }

    /// Whether the method can be computed in parts ([`crate::distribute`]).
    pub fn in_parts(&self) -> bool {
        let settings = self.settings::<&str, &str>(&[]);
        settings
            .and_then(|settings| (self.build)(&settings))
            .is_ok_and(|method| method.stepwise().is_some() || method.reweigh().is_some())
    }

    /// How many iterations the method takes at most, where it goes round in parts.
    ///
    /// # Errors
    /// Options that are none of its own.
    pub(crate) fn most_iterations(&self, settings: &Settings) -> Result<Option<usize>> {
        Ok((self.build)(settings)?.reweigh().map(Reweigh::most_iterations))
    }

    /// What the iterations of the method need of a problem; `None` where it has none in parts.
    ///
    /// # Errors
    /// What the method says of its options and of the target.
    pub(crate) fn reweighting<'p>(
        &self,
        problem: &Problem<'p>,
        settings: &Settings,
    ) -> Result<Option<Reweighting<'p>>> {
        let method = (self.build)(settings)?;
        let reweighting = method.reweigh().map(|method| method.reweighting(problem));
        reweighting.transpose().map_err(|error| problem.locate(error))
    }

    /// The steps of the method for a problem; `None` where it has no such steps.
    ///
    /// # Errors
    /// What the method says of the problem before it looks for neighbors.
    pub(crate) fn steps<'p>(
        &self,
        problem: &Problem<'p>,
        settings: &Settings,
        report: &mut Report,
        run: &Run,
    ) -> Result<Option<Steps<'p>>> {
        problem.refuse_covariates("a fit in parts")?;
        let method = (self.build)(settings)?;
        let steps = method.stepwise().map(|method| method.steps(problem, report, run));
        steps.transpose().map_err(|error| problem.locate(error))
    }

    /// Wraps weights into a fitted map with its report.
    pub(crate) fn timed(
        &self,
        problem: &Problem<'_>,
        run: &Run,
        weigh: impl FnOnce(&mut Report) -> Result<Vec<f64>>,
    ) -> Result<Fitted<FeatureRanking>> {
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
        report.warnings.extend(similar_classes(problem.target()));
        report.seconds = start.elapsed().as_secs_f64();
        Ok(Fitted { model: FeatureRanking::new(problem.table().names(), weights), report })
    }
}

/// A method that learns a map: everything the front ends, the documentation and the tests know of
/// it.
pub struct MapMethodInfo {
    /// Name on the command line and in results.
    pub name: &'static str,
    /// Its scikit-learn class, as it is named in the Python package, or an expression
    /// that makes it: `Kernelized(LFE())`.
    pub class: &'static str,
    /// Whether it needs classes.
    pub supervised: bool,
    /// How its time grows with the rows n, the features p and the components c.
    pub cost: &'static str,
    /// One line: what it is for.
    pub purpose: &'static str,
    /// Where it is defined.
    pub source: &'static str,
    /// Its own options, in the order shown; those of all maps follow ([`all_options`](Self::all_options)).
    pub options: &'static [&'static OptionInfo],
    /// Those of its options that a user should think about.
    pub choose: &'static [&'static OptionInfo],
    /// The page on it in Markdown: what it is for, and the sections Formula, Cost, When not to use
    /// it, Example, In Python and Source. Tables of its options and the output of its example come
    /// from the program: the former belong before the first section, the latter into the empty
    /// `text` block of the example.
    pub documentation: &'static str,
    /// What its scikit-learn class says of it; `None` where it has no class of its own.
    pub python: Option<&'static PythonText>,
    /// Makes the method from its options.
    pub(crate) build: fn(&Settings) -> Result<Box<dyn Learn>>,
}

impl std::fmt::Debug for MapMethodInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MapMethodInfo").field("name", &self.name).finish_non_exhaustive()
    }
}

impl MapMethodInfo {
    /// The papers that define it, in full: the section Source of its [`documentation`](Self::documentation), on one line.
    pub fn papers(&self) -> String {
        page::papers(self.documentation)
    }

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

    /// Whether something holds of the method with its defaults.
    fn can(&self, holds: impl Fn(&dyn Learn) -> bool) -> bool {
        let settings = self.settings::<&str, &str>(&[]);
        let method = settings.and_then(|settings| (self.build)(&settings));
        method.is_ok_and(|method| holds(&*method))
    }

    /// Whether the method learns from pairs of rows, which can be given instead of classes.
    pub fn takes_pairs(&self) -> bool {
        self.can(|method| method.with_pairs(Vec::new()).is_some())
    }

    /// Fits the method's map to pairs of rows that shall be near each other or far apart.
    ///
    /// # Errors
    /// A method that needs more than pairs; no pair, or one of rows that are not there or are the same;
    /// else as [`fit_map`].
    pub fn fit_pairs(
        &self,
        table: &Table<'_>,
        pairs: Vec<RowPair>,
        settings: &Settings,
        run: &Run,
    ) -> Result<Fitted<Map>> {
        if pairs.is_empty() {
            return Err(Error::data("there is no pair of rows", "give at least one"));
        }
        let is_wrong = |pair: &RowPair| {
            let (first, second) = (pair.rows.0 as usize, pair.rows.1 as usize);
            first == second || first.max(second) >= table.rows()
        };
        if let Some(place) = pairs.iter().position(is_wrong) {
            let (first, second) = pairs[place].rows;
            return Err(Error::data(
                format!(
                    "pair {} is of the rows {first} and {second}, but a pair is of two different rows \
                     of {}",
                    place + 1,
                    table.rows()
                ),
                "rows count from 0",
            ));
        }
        let method = (self.build)(settings)?.with_pairs(pairs).ok_or_else(|| {
            Error::data(
                format!("{} does not learn from pairs of rows", self.name),
                format!("give classes, or use a method that does, such as {}", method("itml")),
            )
        })?;
        fit_map(&*method, table, None, &MapSettings::from_settings(settings)?, run)
    }

    /// Whether all that the method takes from classes is which rows are alike, so that chunks of rows do as well.
    pub fn takes_chunks(&self) -> bool {
        self.can(|method| method.takes_chunks())
    }

    /// Whether the method learns from comparisons of distances, which can be given instead of classes.
    pub fn takes_comparisons(&self) -> bool {
        self.can(|method| method.with_comparisons(Vec::new()).is_some())
    }

    /// Fits the method's map to comparisons: pairs of rows that shall be nearer than others.
    ///
    /// # Errors
    /// A method that needs more than comparisons; no comparison, or one of rows that are not there or whose far
    /// rows are the same; else as [`fit_map`].
    pub fn fit_comparisons(
        &self,
        table: &Table<'_>,
        comparisons: Vec<RowComparison>,
        settings: &Settings,
        run: &Run,
    ) -> Result<Fitted<Map>> {
        if comparisons.is_empty() {
            return Err(Error::data("there is no comparison of distances", "give at least one"));
        }
        let is_wrong = |comparison: &RowComparison| {
            let RowComparison { near, far } = *comparison;
            let last = near.0.max(near.1).max(far.0).max(far.1) as usize;
            far.0 == far.1 || last >= table.rows()
        };
        if let Some(place) = comparisons.iter().position(is_wrong) {
            let RowComparison { near, far } = comparisons[place];
            return Err(Error::data(
                format!(
                    "comparison {} is of the rows {} and {}, which shall be nearer than {} and {}, but it takes \
                     rows of {}, of which the last two differ",
                    place + 1,
                    near.0,
                    near.1,
                    far.0,
                    far.1,
                    table.rows()
                ),
                "rows count from 0",
            ));
        }
        let method = (self.build)(settings)?.with_comparisons(comparisons).ok_or_else(|| {
            Error::data(
                format!("{} does not learn from comparisons of distances", self.name),
                format!("give classes, or use a method that does: {}", method("frobmetric")),
            )
        })?;
        fit_map(&*method, table, None, &MapSettings::from_settings(settings)?, run)
    }

    /// Whether the method can be computed in parts ([`crate::distribute`]), with some of its options at least.
    pub fn in_parts(&self) -> bool {
        self.can(|method| method.by_scatter().is_some())
    }

    /// The steps of the method for a problem, whose target alone is looked at; `None` where it has no such
    /// steps.
    ///
    /// # Errors
    /// What the method says of its options and of the target, and what cannot be computed in parts.
    pub(crate) fn steps<'p>(
        &self,
        problem: &Problem<'p>,
        settings: &Settings,
    ) -> Result<Option<MapSteps<'p>>> {
        let method = (self.build)(settings)?;
        let steps = MapSteps::new(method, problem, MapSettings::from_settings(settings)?);
        steps.map_err(|error| problem.locate(error))
    }
}

/// What a method's scikit-learn class says of it, beyond what its options and the other facts of its
/// entry tell: the parts of a docstring in the order of numpydoc.
///
/// Texts are paragraphs without line breaks, in reStructuredText.
#[derive(Debug, Clone, Copy)]
pub struct PythonText {
    /// One line that ends with a full stop.
    pub summary: &'static str,
    /// Paragraphs on what it computes.
    pub description: &'static [&'static str],
    /// What follows the range of the weights ([`MethodInfo::range`]), such as `, the greatest 1`. Maps have
    /// no weights.
    pub weights: &'static str,
    /// The attributes that say how the fit went, by their names: `n_iter_`, `converged_`.
    pub reports: &'static [&'static str],
    /// What follows "Iterations done": what an iteration is.
    pub iterations: &'static str,
    /// Other classes, and what of them.
    pub see_also: &'static [(&'static str, &'static str)],
    /// Paragraphs of notes.
    pub notes: &'static [&'static str],
    /// The papers, one a paragraph.
    pub references: &'static [&'static str],
    /// A session of the interpreter, line by line; it is run as a test.
    pub examples: &'static [&'static str],
}

impl PythonText {
    /// Everything empty.
    pub(crate) const BLANK: PythonText = PythonText {
        summary: "",
        description: &[],
        weights: "",
        reports: &[],
        iterations: "",
        see_also: &[],
        notes: &[],
        references: &[],
        examples: &[],
    };
}

/// Whatever gives every feature of a problem a weight: a method with its options, or a wrapper
/// around one.
pub trait WeighFeatures: Sync {
    /// A weight per feature, in column order; warnings go to the report.
    ///
    /// # Errors
    /// What the method says; [`Error::Cancelled`].
    fn weigh(&self, problem: &Problem<'_>, report: &mut Report, run: &Run) -> Result<Vec<f64>>;

    /// The method prepared for many targets of the problem's table, where its neighbors do not depend on
    /// the target; else the reason why they do.
    ///
    /// # Errors
    /// As [`weigh`](Self::weigh).
    fn share<'p>(&self, _: &Problem<'p>, _: &Run) -> Result<Sharing<'p>> {
        Ok(Sharing::FitForEachTarget("its neighbors depend on the target"))
    }

    /// The method as iterations, where its weights come from margins under the weights before.
    fn reweigh(&self) -> Option<&dyn Reweigh> {
        None
    }

    /// The method as two steps, where it is no more than these: a search for neighbors and sums over them.
    fn stepwise(&self) -> Option<&dyn Stepwise> {
        None
    }
}

/// A wrapper: everything the front ends, the documentation and the tests know of it.
pub struct WrapperInfo {
    /// Name on the command line and in results.
    pub name: &'static str,
    /// Its scikit-learn class, as it is named in the Python package.
    pub class: &'static str,
    /// One line: what it is for.
    pub purpose: &'static str,
    /// Where it is defined.
    pub source: &'static str,
    /// Its options, in the order shown.
    pub options: &'static [&'static OptionInfo],
    /// The page on it in Markdown: what it is for, and the sections Formula, Cost, When not to use
    /// it, Example, In Python and Source. Tables of its options and the output of its example come
    /// from the program: the former belong before the first section, the latter into the empty
    /// `text` block of the example.
    pub documentation: &'static str,
    /// What its scikit-learn class says of it; `None` where it has no class of its own.
    pub python: Option<&'static PythonText>,
    /// Weighs the features by way of the wrapped method.
    pub(crate) weigh: WeighBy,
    /// Where it weighs ever fewer features: the rounds before the first one, of so many columns. Such a
    /// wrapper can be computed in parts ([`crate::distribute`]).
    pub(crate) rounds: Option<fn(&Settings, usize) -> Result<FeatureElimination>>,
}

impl WrapperInfo {
    /// The papers that define it, in full: the section Source of its [`documentation`](Self::documentation), on one line.
    pub fn papers(&self) -> String {
        page::papers(self.documentation)
    }

    /// Whether the wrapper can be computed in parts, around a method that can ([`crate::distribute`]).
    pub fn has_rounds(&self) -> bool {
        self.rounds.is_some()
    }

    /// An error of [`Settings::resolve`], of an option of this wrapper and not of a method.
    pub(super) fn own_option(&self, error: Error) -> Error {
        match error {
            Error::Option { option, problem, help } => {
                let option = format!("{}:{}", self.name, option.mention());
                Error::Option { option: option.into(), problem, help }
            }
            other => other,
        }
    }
}

/// Weighs the features by way of another method.
pub(crate) type WeighBy =
    fn(&Settings, &dyn WeighFeatures, &Problem<'_>, &mut Report, &Run) -> Result<Vec<f64>>;

impl std::fmt::Debug for WrapperInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WrapperInfo").field("name", &self.name).finish_non_exhaustive()
    }
}

/// [`MethodInfo::build`] of a method that is read from its options.
pub(crate) fn weighing<M: FromSettings + WeighFeatures + 'static>(
    settings: &Settings,
) -> Result<Box<dyn WeighFeatures>> {
    Ok(Box::new(M::from_settings(settings)?))
}

/// [`MapMethodInfo::build`] of a method that is read from its options.
pub(crate) fn build<M: FromSettings + Learn + 'static>(
    settings: &Settings,
) -> Result<Box<dyn Learn>> {
    Ok(Box::new(M::from_settings(settings)?))
}
