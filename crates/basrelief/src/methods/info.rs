//! The registry entries of methods and wrappers.

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
use super::steps::{ForTargets, Steps, Stepwise};
pub(super) use super::task::Task;
use crate::data::{DenseMatrix, Table, Target, column_warnings, similar_classes};
use crate::error::{Error, Result};
use crate::maps::{FeatureRanking, Map};
use crate::margins::Units;
use crate::options::{FromSettings, OptionInfo, Settings};
use crate::report::{Fitted, Report};
use crate::run::Run;
use crate::wording::{self, method, setting, ways};

/// How the weights of a fit are scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WeightScale {
    /// A weight does not depend on the other weights: fits to different targets are comparable.
    Absolute,
    /// Weights are divided by the largest weight, which is therefore 1 for every target.
    LargestIsOne,
    /// Weights are divided by their Euclidean norm, which is therefore 1 for every target.
    LengthIsOne,
}

/// The registry entry of a weighting method, used by the command line, Python, the documentation and the tests.
pub struct MethodInfo {
    /// Name on the command line and in results.
    pub name: &'static str,
    /// Name of the scikit-learn class in the Python package.
    pub class: &'static str,
    /// The kind of target that the method supports.
    pub task: Task,
    /// How the weights are scaled; determines whether they can be tested.
    pub scale: WeightScale,
    /// Whether the method finds features that are informative only in combination.
    pub interactions: bool,
    /// Whether the method accepts missing values.
    pub missing: bool,
    /// How the time grows with the number of rows n and of features p, in total (`n² p`) or per iteration.
    pub cost: &'static str,
    /// The smallest and the largest possible weight of a feature.
    pub range: (f64, f64),
    /// The purpose, in one line.
    pub purpose: &'static str,
    /// The publication that defines the method.
    pub source: &'static str,
    /// The options, in the order shown.
    pub options: &'static [&'static OptionInfo],
    /// The options that a user should consider.
    pub choose: &'static [&'static OptionInfo],
    /// The page of the method in Markdown: an introduction, and the sections Formula, Cost, When not to use
    /// it, Example, In Python and Source. The program inserts the table of options before the first section, and the
    /// output of the example into its empty `text` block. Links to other pages name their modules: `super::lmnn`.
    pub documentation: &'static str,
    /// The docstring of the scikit-learn class; `None` for a method without a separate class.
    pub python: Option<&'static PythonText>,
    /// Builds the method from its options.
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

    /// Resolves and checks options given as text, by option name or flag.
    ///
    /// # Errors
    /// The errors of [`Settings::resolve`].
    pub fn settings<N: AsRef<str>, V: AsRef<str>>(&self, given: &[(N, V)]) -> Result<Settings> {
        Settings::resolve(self.name, self.options, given)
    }

    /// Fits the method to a problem.
    ///
    /// The report contains the warnings about the fit and the table (constant, empty and repeated
    /// columns) and the elapsed seconds.
    ///
    /// # Errors
    /// The errors listed in the documentation of the method; [`Error::Cancelled`].
    pub fn fit(
        &self,
        problem: &Problem<'_>,
        settings: &Settings,
        run: &Run,
    ) -> Result<Fitted<FeatureRanking>> {
        let method = (self.build)(settings)?;
        self.check_roles(&*method, problem)?;
        self.timed(problem, run, |report| method.weigh(problem, report, run))
    }

    /// Refuses a permutation test of weights that every fit rescales: the largest weight is as large for permuted
    /// targets as for the observed one, so that the test finds nothing, regardless of the effects.
    ///
    /// # Errors
    /// The method rescales its weights.
    pub fn check_test(&self) -> Result<()> {
        let what = match self.scale {
            WeightScale::Absolute => return Ok(()),
            WeightScale::LargestIsOne => "the largest is 1",
            WeightScale::LengthIsOne => "their norm is 1",
        };
        let name = |name: &str| wording::method(name);
        Err(Error::option(
            "permutations",
            format!(
                "the weights of {} are scaled in every fit so that {what}, for permuted targets too: a permutation \
                 test cannot show that a weight is large",
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

    /// Whether the intervals of its weights were shown to cover expected weights
    /// ([`WeightIntervals`](crate::inference::WeightIntervals)).
    pub fn has_intervals(&self) -> bool {
        let settings = self.settings::<&str, &str>(&[]);
        settings
            .and_then(|settings| (self.build)(&settings))
            .is_ok_and(|method| method.stepwise().is_some_and(Stepwise::has_intervals))
    }

    /// Computes weights and their standard errors; `units` are the rows or groups that were sampled independently.
    ///
    /// # Errors
    /// A method without intervals; a fit to some of the rows; the errors of [`fit`](Self::fit).
    pub(crate) fn weigh_with_errors(
        &self,
        problem: &Problem<'_>,
        settings: &Settings,
        units: Units<'_>,
        report: &mut Report,
        run: &Run,
    ) -> Result<(Vec<f64>, Vec<f64>)> {
        let method = (self.build)(settings)?;
        let method = method.stepwise().ok_or_else(|| {
            Error::Internal(format!("{} does not compute variances of weights", self.name))
        })?;
        method.check_intervals(problem)?;
        let steps = method.steps(problem, report, run)?;
        if steps.sampled.len() < problem.rows() {
            return Err(Error::option(
                "n_samples",
                "intervals of weights that are based on some of the rows are not known to cover the expected weights",
                format!("use all rows, or remove {}", setting("intervals", None)),
            ));
        }
        steps.fit_with(Some(units), problem, report, run)
    }

    /// Refuses groups and covariates that restrict the neighbors, unless the method is a single neighbor search.
    pub(crate) fn check_roles(
        &self,
        method: &dyn WeighFeatures,
        problem: &Problem<'_>,
    ) -> Result<()> {
        match method.stepwise() {
            Some(_) => Ok(()),
            None => {
                self.refuse_sparse(problem.table())?;
                problem.roles().refuse(self.name)
            }
        }
    }

    /// Refuses sparse tables, unless the method is a single neighbor search.
    fn refuse_sparse(&self, table: &Table<'_>) -> Result<()> {
        if !table.has_sparse() {
            return Ok(());
        }
        Err(Error::data(
            format!("{} does not support sparse tables", method(self.name)),
            ways(&[
                format!("use {} or {}", method("multisurf"), method("relieff")),
                "make the table dense if it is small".to_string(),
            ]),
        ))
    }

    /// Whether the method is a single neighbor search, which consults the roles of rows.
    pub fn in_one_search(&self) -> bool {
        let settings = self.settings::<&str, &str>(&[]);
        settings
            .and_then(|settings| (self.build)(&settings))
            .is_ok_and(|method| method.stepwise().is_some())
    }

    /// Whether the method can be computed in parts ([`crate::distribute`]).
    pub fn in_parts(&self) -> bool {
        let settings = self.settings::<&str, &str>(&[]);
        settings
            .and_then(|settings| (self.build)(&settings))
            .is_ok_and(|method| method.stepwise().is_some() || method.reweigh().is_some())
    }

    /// The maximum number of iterations, if the method is iterative and can be computed in parts.
    ///
    /// # Errors
    /// Settings of another method.
    pub(crate) fn most_iterations(&self, settings: &Settings) -> Result<Option<usize>> {
        Ok((self.build)(settings)?.reweigh().map(Reweigh::most_iterations))
    }

    /// Returns the inputs of the iterations of the method for a problem; `None` if the method is not iterative or
    /// cannot be computed in parts.
    ///
    /// # Errors
    /// Options or a target that the method refuses.
    pub(crate) fn reweighting<'p>(
        &self,
        problem: &Problem<'p>,
        settings: &Settings,
    ) -> Result<Option<Reweighting<'p>>> {
        let method = (self.build)(settings)?;
        let Some(iterative) = method.reweigh() else { return Ok(None) };
        self.refuse_sparse(problem.table())?;
        iterative.reweighting(problem).map(Some).map_err(|error| problem.locate(error))
    }

    /// Returns the steps of the method for a problem; `None` if the method does not consist of such steps.
    ///
    /// # Errors
    /// Blocks of features; a problem that the method refuses before the neighbor search.
    pub(crate) fn steps<'p>(
        &self,
        problem: &Problem<'p>,
        settings: &Settings,
        report: &mut Report,
        run: &Run,
    ) -> Result<Option<Steps<'p>>> {
        problem.roles().refuse_blocks("a fit in parts", "rank on one machine")?;
        if problem.table().has_sparse() {
            let help = "rank on one machine, or make the table dense if it is small";
            return Err(Error::data("a fit in parts does not support sparse tables", help));
        }
        let method = (self.build)(settings)?;
        let steps = method.stepwise().map(|method| method.steps(problem, report, run));
        steps.transpose().map_err(|error| problem.locate(error))
    }

    /// Computes weights, checks that they are finite, and returns them as a fitted ranking with its report.
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
                "{} returned the weight {} for feature {}",
                self.name,
                weights[feature],
                problem.table().columns()[feature].name()
            )));
        }
        report.warnings.extend(column_warnings(problem.table(), run)?);
        report.warnings.extend(similar_classes(problem.target()));
        report.seconds = start.elapsed().as_secs_f64();
        Ok(Fitted { model: FeatureRanking::new(problem.table().names(), weights), report })
    }
}

/// The supervision that a map is learned from.
#[derive(Debug, Clone)]
pub enum Lesson<'a> {
    /// A target, or none for a method that needs none.
    Target(Option<&'a Target>),
    /// Pairs of rows that should be near each other or far apart.
    Pairs(Vec<RowPair>),
    /// Pairs of rows that should be nearer than other pairs.
    Comparisons(Vec<RowComparison>),
    /// Comparisons with a weight above 0 for each, for methods that have a use for weights.
    WeightedComparisons(Vec<RowComparison>, Vec<f64>),
}

/// The registry entry of a map method, used by the front ends, the documentation and the tests.
pub struct MapMethodInfo {
    /// Name on the command line and in results.
    pub name: &'static str,
    /// Name of the scikit-learn class in the Python package, or an expression that builds the
    /// estimator: `Kernelized(LFE())`.
    pub class: &'static str,
    /// Whether the method needs a target, of the kind [`task`](Self::task).
    pub supervised: bool,
    /// How the time grows with the number of rows n, of features p and of components c.
    pub cost: &'static str,
    /// The purpose, in one line.
    pub purpose: &'static str,
    /// The publication that defines the method.
    pub source: &'static str,
    /// The options of the method, in the order shown; those of all maps follow ([`all_options`](Self::all_options)).
    pub options: &'static [&'static OptionInfo],
    /// The options that a user should consider.
    pub choose: &'static [&'static OptionInfo],
    /// The page of the method in Markdown: an introduction, and the sections Formula, Cost, When not to use
    /// it, Example, In Python and Source. The program inserts the table of options before the first section, and the
    /// output of the example into its empty `text` block.
    pub documentation: &'static str,
    /// The docstring of the scikit-learn class; `None` for a method without a separate class.
    pub python: Option<&'static PythonText>,
    /// Builds the method from its options.
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

    /// Returns the options of the method and those of all maps. An option of the method replaces the common option of
    /// the same name.
    pub fn all_options(&self) -> Vec<&'static OptionInfo> {
        let own = |option: &OptionInfo| self.options.iter().any(|own| own.name == option.name);
        let common = MAP_OPTIONS.iter().filter(|option| !own(option));
        self.options.iter().chain(common).copied().collect()
    }

    /// Resolves and checks options given as text, by option name or flag.
    ///
    /// # Errors
    /// The errors of [`Settings::resolve`].
    pub fn settings<N: AsRef<str>, V: AsRef<str>>(&self, given: &[(N, V)]) -> Result<Settings> {
        Settings::resolve(self.name, &self.all_options(), given)
    }

    /// Fits the map of the method; `target` may be `None` if the method needs none.
    ///
    /// # Errors
    /// The errors of [`fit_map`].
    pub fn fit(
        &self,
        table: &Table<'_>,
        target: Option<&Target>,
        settings: &Settings,
        run: &Run,
    ) -> Result<Fitted<Map>> {
        self.fit_from(table, Lesson::Target(target), None, settings, run)
    }

    /// Fits the map of the method, from a target, pairs or comparisons, with a given start or prior
    /// ([`MapSettings::start`]).
    ///
    /// # Errors
    /// A start for a method that accepts none; the errors of [`fit`](Self::fit), [`fit_pairs`](Self::fit_pairs) and
    /// [`fit_comparisons`](Self::fit_comparisons).
    pub fn fit_from(
        &self,
        table: &Table<'_>,
        lesson: Lesson<'_>,
        start: Option<DenseMatrix>,
        settings: &Settings,
        run: &Run,
    ) -> Result<Fitted<Map>> {
        let (method, target) = match lesson {
            Lesson::Target(target) => ((self.build)(settings)?, target),
            Lesson::Pairs(pairs) => (self.of_pairs(table, pairs, settings)?, None),
            Lesson::Comparisons(comparisons) => {
                (self.of_comparisons(table, comparisons, None, settings)?, None)
            }
            Lesson::WeightedComparisons(comparisons, weights) => {
                (self.of_comparisons(table, comparisons, Some(weights), settings)?, None)
            }
        };
        let settings = MapSettings { start, ..MapSettings::from_settings(settings)? };
        fit_map(&*method, table, target, &settings, run)
    }

    /// The kind of target that the method needs; `None` if it uses none.
    pub fn task(&self) -> Option<Task> {
        let settings = self.settings::<&str, &str>(&[]);
        let method = settings.and_then(|settings| (self.build)(&settings));
        method.ok().and_then(|method| method.task())
    }

    /// Whether a property holds for the method with its default options.
    fn can(&self, holds: impl Fn(&dyn Learn) -> bool) -> bool {
        let settings = self.settings::<&str, &str>(&[]);
        let method = settings.and_then(|settings| (self.build)(&settings));
        method.is_ok_and(|method| holds(&*method))
    }

    /// Whether the method learns from pairs of rows, which can replace the classes.
    pub fn takes_pairs(&self) -> bool {
        self.can(|method| method.with_pairs(Vec::new()).is_some())
    }

    /// Fits the map of the method to pairs of rows that should be near each other or far apart.
    ///
    /// # Errors
    /// A method that needs more than pairs; no pairs; a pair of equal or nonexistent row numbers; the errors of
    /// [`fit_map`].
    pub fn fit_pairs(
        &self,
        table: &Table<'_>,
        pairs: Vec<RowPair>,
        settings: &Settings,
        run: &Run,
    ) -> Result<Fitted<Map>> {
        self.fit_from(table, Lesson::Pairs(pairs), None, settings, run)
    }

    /// Returns the method with its pairs.
    fn of_pairs(
        &self,
        table: &Table<'_>,
        pairs: Vec<RowPair>,
        settings: &Settings,
    ) -> Result<Box<dyn Learn>> {
        if pairs.is_empty() {
            return Err(Error::data("no pairs of rows were given", "provide at least one"));
        }
        let is_wrong = |pair: &RowPair| {
            let (first, second) = (pair.rows.0 as usize, pair.rows.1 as usize);
            first == second || first.max(second) >= table.rows()
        };
        if let Some(place) = pairs.iter().position(is_wrong) {
            let (first, second) = pairs[place].rows;
            return Err(Error::data(
                format!(
                    "pair {} consists of the rows {first} and {second}, but a pair needs two different \
                     rows, and the table has {} rows",
                    place + 1,
                    table.rows()
                ),
                "rows are numbered from 0",
            ));
        }
        (self.build)(settings)?.with_pairs(pairs).ok_or_else(|| {
            Error::data(
                format!("{} does not learn from pairs of rows", self.name),
                format!("provide classes, or use a method that does, such as {}", method("itml")),
            )
        })
    }

    /// Whether the method uses classes only to determine which rows are similar, so that chunks of rows suffice.
    pub fn takes_chunks(&self) -> bool {
        self.can(|method| method.takes_chunks())
    }

    /// Whether the method learns from comparisons of distances, which can replace the classes.
    pub fn takes_comparisons(&self) -> bool {
        self.can(|method| method.with_comparisons(Vec::new()).is_some())
    }

    /// Fits the map of the method to comparisons: pairs of rows that should be nearer than other pairs.
    ///
    /// # Errors
    /// A method that needs more than comparisons; no comparisons; a comparison with nonexistent row numbers or with
    /// equal far rows; the errors of [`fit_map`].
    pub fn fit_comparisons(
        &self,
        table: &Table<'_>,
        comparisons: Vec<RowComparison>,
        settings: &Settings,
        run: &Run,
    ) -> Result<Fitted<Map>> {
        self.fit_from(table, Lesson::Comparisons(comparisons), None, settings, run)
    }

    /// Returns the method with its comparisons.
    fn of_comparisons(
        &self,
        table: &Table<'_>,
        comparisons: Vec<RowComparison>,
        weights: Option<Vec<f64>>,
        settings: &Settings,
    ) -> Result<Box<dyn Learn>> {
        if comparisons.is_empty() {
            return Err(Error::data(
                "no comparisons of distances were given",
                "provide at least one",
            ));
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
                    "comparison {} requires the rows {} and {} to be nearer than {} and {}, but the table has {} \
                     rows, and the last two must differ",
                    place + 1,
                    near.0,
                    near.1,
                    far.0,
                    far.1,
                    table.rows()
                ),
                "rows are numbered from 0",
            ));
        }
        let method = (self.build)(settings)?;
        if let Some(weights) = weights {
            let is_right = |weight: &f64| *weight > 0.0 && weight.is_finite();
            if weights.len() != comparisons.len() || !weights.iter().all(is_right) {
                return Err(Error::data(
                    format!(
                        "there are {} weights of {} comparisons",
                        weights.len(),
                        comparisons.len()
                    ),
                    "provide one finite weight above 0 for each comparison",
                ));
            }
            return method.with_weighted_comparisons(comparisons, weights).ok_or_else(|| {
                Error::data(
                    format!("{} has no weights of comparisons", self.name),
                    "omit the weights",
                )
            });
        }
        method.with_comparisons(comparisons).ok_or_else(|| {
            Error::data(
                format!("{} does not learn from comparisons of distances", self.name),
                format!(
                    "provide classes, or use a method that does: {}",
                    wording::method("frobmetric")
                ),
            )
        })
    }

    /// Whether the method can be computed in parts ([`crate::distribute`]), at least with some of its options.
    pub fn in_parts(&self) -> bool {
        self.can(|method| method.by_scatter().is_some())
    }

    /// Returns the steps of the method for a problem, of which only the target is used; `None` if the method does not
    /// consist of such steps.
    ///
    /// # Errors
    /// Options or a target that the method refuses; options that cannot be computed in parts.
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

/// The docstring of the scikit-learn class of a method, in the order of numpydoc. The description of the options and
/// other facts of the registry entry are added to it.
///
/// Texts are paragraphs without line breaks, in reStructuredText.
#[derive(Debug, Clone, Copy)]
pub struct PythonText {
    /// One line that ends with a full stop.
    pub summary: &'static str,
    /// Paragraphs that describe the method.
    pub description: &'static [&'static str],
    /// Text after the range of the weights ([`MethodInfo::range`]), such as `, scaled so that the largest is 1`. Maps
    /// have no weights.
    pub weights: &'static str,
    /// The names of the attributes that report on the fit: `n_iter_`, `converged_`.
    pub reports: &'static [&'static str],
    /// Text after "Iterations done" that explains what an iteration is.
    pub iterations: &'static str,
    /// Related classes, with a description of each.
    pub see_also: &'static [(&'static str, &'static str)],
    /// Paragraphs of notes.
    pub notes: &'static [&'static str],
    /// The papers, one per paragraph.
    pub references: &'static [&'static str],
    /// An interpreter session, line by line; it is run as a test.
    pub examples: &'static [&'static str],
}

impl PythonText {
    /// A docstring whose parts are all empty.
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

/// Computes the weight of every feature of a problem: a method with its options, or a wrapper around one.
pub trait WeighFeatures: Sync {
    /// Returns one weight per feature, in column order, and adds warnings to the report.
    ///
    /// # Errors
    /// The errors of the method; [`Error::Cancelled`].
    fn weigh(&self, problem: &Problem<'_>, report: &mut Report, run: &Run) -> Result<Vec<f64>>;

    /// Returns the method as steps whose neighbors do not depend on the target, if they do not.
    fn for_targets(&self) -> Option<ForTargets<'_>> {
        self.stepwise().map(|steps| ForTargets { steps, finish: None })
    }

    /// Returns the method as an iteration, if each weight vector is computed from the margins under the previous one.
    fn reweigh(&self) -> Option<&dyn Reweigh> {
        None
    }

    /// Returns the method as two steps, if it consists only of a neighbor search and sums over the neighbors.
    fn stepwise(&self) -> Option<&dyn Stepwise> {
        None
    }
}

/// The registry entry of a wrapper, used by the front ends, the documentation and the tests.
pub struct WrapperInfo {
    /// Name on the command line and in results.
    pub name: &'static str,
    /// Name of the scikit-learn class in the Python package.
    pub class: &'static str,
    /// The purpose, in one line.
    pub purpose: &'static str,
    /// The publication that defines the wrapper.
    pub source: &'static str,
    /// The options, in the order shown.
    pub options: &'static [&'static OptionInfo],
    /// The page of the wrapper in Markdown: an introduction, and the sections Formula, Cost, When not to use
    /// it, Example, In Python and Source. The program inserts the table of options before the first section, and the
    /// output of the example into its empty `text` block.
    pub documentation: &'static str,
    /// The docstring of the scikit-learn class; `None` for a wrapper without a separate class.
    pub python: Option<&'static PythonText>,
    /// Computes the weights with the wrapped method.
    pub(crate) weigh: WeighBy,
    /// Returns the state before the first round, given the number of columns; `None` if the wrapper does not eliminate
    /// features in rounds. A wrapper with rounds can be computed in parts ([`crate::distribute`]).
    pub(crate) rounds: Option<fn(&Settings, usize) -> Result<FeatureElimination>>,
}

impl WrapperInfo {
    /// The papers that define it, in full: the section Source of its [`documentation`](Self::documentation), on one line.
    pub fn papers(&self) -> String {
        page::papers(self.documentation)
    }

    /// Whether the wrapper can be computed in parts ([`crate::distribute`]) around a method that supports this.
    pub fn has_rounds(&self) -> bool {
        self.rounds.is_some()
    }

    /// Adds the name of this wrapper to the option in an error of [`Settings::resolve`].
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

/// Computes the weights of the features with another method.
pub(crate) type WeighBy =
    fn(&Settings, &dyn WeighFeatures, &Problem<'_>, &mut Report, &Run) -> Result<Vec<f64>>;

impl std::fmt::Debug for WrapperInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WrapperInfo").field("name", &self.name).finish_non_exhaustive()
    }
}

/// [`MethodInfo::build`] of a method that is built from its options.
pub(crate) fn weighing<M: FromSettings + WeighFeatures + 'static>(
    settings: &Settings,
) -> Result<Box<dyn WeighFeatures>> {
    Ok(Box::new(M::from_settings(settings)?))
}

/// [`MapMethodInfo::build`] of a method that is built from its options.
pub(crate) fn build<M: FromSettings + Learn + 'static>(
    settings: &Settings,
) -> Result<Box<dyn Learn>> {
    Ok(Box::new(M::from_settings(settings)?))
}
