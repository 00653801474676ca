//! A study of weights: its specification, and its computation.

use basrelief::data::{Target, TargetKind};
use basrelief::inference::{
    ResampledRankings, Resampling, Sided, WeightIntervals, permuted_copies, resampled_rankings,
};
use basrelief::maps::RankBy;
use basrelief::methods::Problem;
use basrelief::methods::wrappers::{Wrapper, fit_wrapped};
use basrelief::wording::{setting, ways};
use basrelief::{Audience, Error, FrontEnd, Result, Run};

use crate::blocks::{BlockPlan, WeighedBlocks};
use crate::covariates::CovariateUse;
use crate::outcome::{MethodChoice, Outcome, Selections};
use crate::permutation_test::{RoleColumns, TestPlan};
use crate::ranking::Ranking;
use crate::recipe::Recipe;
use crate::resampling::{Resampled, stability_curve, usual_top};
use crate::selection::SelectionPlan;
use crate::source::{Data, RowRoles, Source};
use crate::subject::Subject;
use crate::text::Notes;

/// The default method for a target with classes.
pub const FOR_CLASSES: &str = "relieff";
/// The default method for a numeric target.
pub const FOR_NUMBERS: &str = "rrelieff";

/// The default method for survival times.
pub const FOR_SURVIVAL: &str = "survival-relief";

/// The default method for a target.
fn usual_method(target: &Target) -> &'static str {
    match target {
        Target::Classes(_) => FOR_CLASSES,
        Target::Real(_) | Target::Multi(_) => FOR_NUMBERS,
        Target::Survival(_) => FOR_SURVIVAL,
    }
}

/// The method of a study.
#[derive(Debug, Clone)]
pub enum Method {
    /// The method that the user names.
    Named(MethodChoice),
    /// The default method for the target: `relieff` for classes, `rrelieff` for a numeric target, several targets, or a
    /// target with unlabeled rows, `survival-relief` for survival times. The options are
    /// named by their flags.
    ByTarget(Vec<(String, String)>),
}

/// A question about the features of a table: the data, the target, the roles of other columns, the method, and the
/// tests of its weights.
///
/// Every front end builds this value and calls its functions. No data are read before
/// [`check`](Self::check) has passed.
///
/// # Examples
/// ```
/// use basrelief::Run;
/// use basrelief_study::{Source, Study};
///
/// # let folder = std::env::temp_dir().join("basrelief-study-example");
/// # std::fs::create_dir_all(&folder)?;
/// # let file = folder.join("flowers.csv");
/// # std::fs::write(&file, "width,noise,kind\n1,5,a\n2,3,a\n9,4,b\n8,5,b\n1.5,3,a\n9.5,4,b\n")?;
/// let study = Study::new(Source::new(&file), "kind").with_method("relieff", &[("n_neighbors", "2")])?;
/// let run = Run::new(None)?;
/// let (data, outcome) = study.rank(&run, &|_| ())?;
/// let ranking = study.ranking(&data, &outcome, &run);
/// assert_eq!(ranking.features().next().map(|(name, ..)| name), Some("width"));
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Study {
    /// The data, and the options for reading them.
    pub source: Source,
    /// The target column, or the phenotype of a cohort.
    pub target: String,
    /// The method.
    pub method: Method,
    /// The wrappers around the method, the innermost first.
    pub wrappers: Vec<Wrapper>,
    /// The covariates and their uses.
    pub covariates: Option<CovariateUse>,
    /// The roles of rows: strata, groups, weights, and priors of classes.
    pub roles: RowRoles,
    /// The blocks of features, each of which counts as one feature in distances.
    pub blocks: Option<BlockPlan>,
    /// The permutation test of the weights.
    pub test: Option<TestPlan>,
    /// Whether 95 % intervals of the weights are computed.
    pub intervals: bool,
    /// The number by which features are ranked. With absolute weights, the test must be two-sided.
    pub rank_by: RankBy,
    /// The selection of features from the ranking.
    pub selection: Option<SelectionPlan>,
    /// The resampling of the rows; [`Resampling::top`] is set when the features are known.
    pub resampling: Option<Resampling>,
    /// The reader of the outcome; messages mention only settings that this reader has.
    pub audience: Audience,
}

impl Study {
    /// A study of all features of a table, with the default method for its target and without a test.
    pub fn new(source: Source, target: impl Into<String>) -> Self {
        Self {
            source,
            target: target.into(),
            method: Method::ByTarget(Vec::new()),
            wrappers: Vec::new(),
            covariates: None,
            roles: RowRoles::default(),
            blocks: None,
            test: None,
            intervals: false,
            rank_by: RankBy::Weight,
            selection: None,
            resampling: None,
            audience: FrontEnd::Library.into(),
        }
    }

    /// Sets the method, by its name in the registry, and some of its options, by their names.
    ///
    /// # Errors
    /// The errors of [`MethodChoice::new`].
    pub fn with_method(mut self, name: &str, options: &[(&str, &str)]) -> Result<Self> {
        self.method = Method::Named(MethodChoice::new(name, options)?);
        Ok(self)
    }

    /// Adds a permutation test of the weights.
    #[must_use]
    pub fn with_test(self, test: TestPlan) -> Self {
        Self { test: Some(test), ..self }
    }

    /// Reports errors that are known before the data are read.
    ///
    /// # Errors
    /// Covariates without a use; strata that are the target or excluded; a test that cannot find anything, or that is
    /// not valid for the method or the covariates; intervals that the method does not have; an invalid selection or
    /// resampling.
    pub fn check(&self) -> Result<()> {
        if let Some(covariates) = &self.covariates {
            covariates.check(self.roles.columns().next().is_some())?;
        }
        self.source.check_roles(&self.roles, &self.target)?;
        self.method_for(self.usual_before_reading())?;
        if let Some(test) = &self.test {
            test.check()?;
            self.check_test()?;
        }
        self.check_intervals()?;
        self.check_blocks()?;
        self.check_ranking()?;
        self.selection.as_ref().map_or(Ok(()), SelectionPlan::check)?;
        self.resampling.as_ref().map_or(Ok(()), Resampling::check)
    }

    /// Refuses blocks of features with wrappers, with intervals, or with a test that cannot test blocks, before the data
    /// are read.
    ///
    /// # Errors
    /// Wrappers, intervals or such a test.
    pub fn check_blocks(&self) -> Result<()> {
        if self.blocks.is_none() {
            return Ok(());
        }
        let refuse = |problem: String, help: &str| Err(Error::option("blocks", problem, help));
        if let Some(wrapper) = self.wrappers.first() {
            let name = wrapper.info().name;
            return refuse(
                format!(
                    "`{name}` computes weights from some of the features, and blocks consist of all"
                ),
                "rank without the wrapper, or without blocks",
            );
        }
        if self.intervals {
            return refuse(
                "intervals of weights with blocks of features are not known to cover the expected weights".to_string(),
                "rank without intervals, or without blocks",
            );
        }
        let test = self.test.as_ref();
        test.map_or(Ok(()), |test| test.draws.check_blocks(test.resume.is_some()))
    }

    /// Refuses a ranking by absolute weights with a one-sided test, or after rounds that drop features by their signed
    /// weights.
    ///
    /// # Errors
    /// Such a test, or wrappers.
    pub fn check_ranking(&self) -> Result<()> {
        if self.rank_by == RankBy::Weight {
            return Ok(());
        }
        if self.test.as_ref().is_some_and(|test| test.sided == Sided::One) {
            let help = ways(&[
                format!("use {}", setting("sided", Some("two"))),
                "use a two-sided test".to_string(),
            ]);
            let problem = "a ranking by absolute weights requires two-sided p-values";
            return Err(Error::option("rank", problem, help));
        }
        match self.wrappers.first() {
            None => Ok(()),
            Some(wrapper) => Err(Error::option(
                "rank",
                format!("`{}` compares signed weights", wrapper.info().name),
                "rank by absolute weights without a wrapper",
            )),
        }
    }

    /// Refuses intervals of the weights that are not known to cover expected weights, before the data are read.
    ///
    /// # Errors
    /// The errors of [`WeightIntervals::check`].
    pub fn check_intervals(&self) -> Result<()> {
        if !self.intervals {
            return Ok(());
        }
        let method = self.method_for(self.usual_before_reading())?;
        WeightIntervals::check(method.info, &method.settings, &self.wrappers)
    }

    /// Refuses a test of the weights that would not be valid, before the data are read.
    ///
    /// # Errors
    /// The errors of [`check_test`](basrelief::methods::MethodInfo::check_test) of the method.
    pub fn check_test(&self) -> Result<()> {
        self.method_for(self.usual_before_reading())?.info.check_test()
    }

    /// The default method as far as it is known before the data are read.
    pub fn usual_before_reading(&self) -> &'static str {
        let Source { event, target_tree, kinds, .. } = &self.source;
        if event.is_some() {
            FOR_SURVIVAL
        } else if self.target.contains(',') || target_tree.is_some() || kinds.unlabeled.is_some() {
            FOR_NUMBERS
        } else {
            FOR_CLASSES
        }
    }

    /// The method: the one that was named, or the usual one of the target.
    fn method_for(&self, usual: &str) -> Result<MethodChoice> {
        match &self.method {
            Method::Named(method) => Ok(method.clone()),
            Method::ByTarget(options) => MethodChoice::new(usual, options),
        }
    }

    /// A method with the wrappers around it.
    pub fn recipe<'s>(&'s self, method: &'s MethodChoice) -> Recipe<'s> {
        method.with(&self.wrappers)
    }

    /// Reads the data with their roles; `usual` is the kind of the target if the user does not specify it.
    ///
    /// # Errors
    /// The errors of [`Source::read`] and [`BlockPlan::read`].
    pub fn read_as(&self, usual: TargetKind, run: &Run) -> Result<Data<'static>> {
        let covariates = self.covariates.as_ref();
        let mut data = self.source.read(&self.target, usual, &self.roles, covariates, run)?;
        self.add_blocks(&mut data, run)?;
        Ok(data)
    }

    /// Adds the blocks of features to data that were read.
    ///
    /// # Errors
    /// The errors of [`BlockPlan::read`].
    pub fn add_blocks(&self, data: &mut Data<'_>, run: &Run) -> Result<()> {
        let blocks = self.blocks.as_ref().map(|plan| plan.read(&data.table, run));
        data.blocks = blocks.transpose()?;
        Ok(())
    }

    /// The names of the columns of strata and groups.
    pub fn columns(&self) -> RoleColumns<'_> {
        RoleColumns { within: self.roles.within.as_deref(), group: self.roles.group_name() }
    }

    /// The data with their roles, and the method, which may depend on the target.
    ///
    /// # Errors
    /// The errors of [`Source::read`]; options that the method for this target does not accept.
    pub fn read(&self, notes: &Notes<'_>, run: &Run) -> Result<(MethodChoice, Data<'static>)> {
        let usual = match &self.method {
            Method::Named(method) => method.info.task.target_kind(),
            Method::ByTarget(_) => TargetKind::Auto,
        };
        let data = self.read_as(usual, run)?;
        let usual = usual_method(&data.target);
        let method = self.method_for(usual)?;
        if usual != FOR_CLASSES && matches!(self.method, Method::ByTarget(_)) {
            let target = match &data.target {
                Target::Multi(several) if several.is_tree() => "labels in a hierarchy",
                Target::Multi(several) if several.count() > 1 => "several targets",
                Target::Multi(_) => "unlabeled rows",
                Target::Survival(_) => "survival times",
                Target::Real(_) | Target::Classes(_) => "numeric target",
            };
            notes(&format!("{target}: using {}", method.info.name));
        }
        let data = data.for_task(method.info.task)?;
        Ok((method, data))
    }

    /// Runs the study: reads the data, fits the method, computes intervals, tests the weights and resamples the rows.
    ///
    /// # Errors
    /// The errors of [`check`](Self::check), [`read`](Self::read) and [`weigh`](Self::weigh).
    pub fn rank(&self, run: &Run, notes: &Notes<'_>) -> Result<(Data<'static>, Outcome)> {
        self.check()?;
        let (method, data) = self.read(notes, run)?;
        let outcome = self.weigh(&method, &data, notes, run);
        Ok((data, outcome.map_err(|error| error.in_file(self.source.name()))?))
    }

    /// Fits a method to data that were read, tests the weights and resamples the rows.
    ///
    /// # Errors
    /// The errors of the method, the test and the resamples; [`basrelief::Error::Cancelled`].
    pub fn weigh(
        &self,
        method: &MethodChoice,
        data: &Data<'_>,
        notes: &Notes<'_>,
        run: &Run,
    ) -> Result<Outcome> {
        let problem = data.problem()?;
        let recipe = self.recipe(method);
        let prepared = match &self.test {
            Some(test) => Some((test, test.prepare(recipe, &problem, self.columns(), run)?)),
            None => None,
        };
        let MethodChoice { info, settings } = method;
        let (mut fitted, intervals) = if self.intervals {
            WeightIntervals::check(info, settings, &self.wrappers)?;
            let (fitted, intervals) = WeightIntervals::fit(info, settings, &problem, run)?;
            (fitted, Some(intervals))
        } else {
            (fit_wrapped(info, settings, &self.wrappers, &problem, run)?, None)
        };
        fitted.model = fitted.model.ranked_by(self.rank_by);
        let mut tested = None;
        if let Some((test, prepared)) = &prepared {
            let observed = (fitted.model.weights(), &fitted.report);
            let found = test.run(prepared, recipe, &problem, observed, notes, run)?;
            let warnings = prepared.warnings(&found, fitted.model.weights());
            fitted.report.warnings.splice(0..0, warnings);
            tested = Some(found);
        }
        let selection = match &self.selection {
            None => None,
            Some(plan) => {
                let (ranking, tested) = (&fitted.model, tested.as_ref());
                Some(plan.select(&data.table, ranking, tested, data.roles(), run)?)
            }
        };
        // Ctrl-C during the last step still means that nothing is written.
        run.check()?;
        let resampled = match self.resampling {
            Some(resampling) => {
                let (top, rank_by) = (usual_top(data.table.width()), self.rank_by);
                let resampling = Resampling { top, rank_by, ..resampling };
                let found = self.resample(method, &problem, &resampling, run)?;
                Some(Resampled::new(resampling, found))
            }
            None => None,
        };
        let (method, wrappers, seed) = (method.clone(), self.wrappers.clone(), run.seed());
        let factors = fitted.report.block_factors.as_deref();
        let blocks =
            data.blocks.as_ref().zip(factors).map(|(blocks, factors)| {
                WeighedBlocks::new(blocks, factors, fitted.model.weights())
            });
        Ok(Outcome {
            method,
            wrappers,
            seed,
            fitted,
            intervals,
            tested,
            selection,
            resampled,
            blocks,
        })
    }

    /// Selects the `top` best features of each resample of the rows. With copies, a permuted copy of each feature is
    /// ranked too.
    ///
    /// # Errors
    /// The errors of [`resampled_rankings`]; copies and blocks of features.
    pub fn select_on_resamples(
        &self,
        method: &MethodChoice,
        data: &Data<'_>,
        (resampling, with_copies): (Resampling, bool),
        run: &Run,
    ) -> Result<Selections> {
        if with_copies && data.blocks.is_some() {
            return Err(Error::option(
                "blocks",
                "permuted copies of the features are in no block",
                "select without copies, or without blocks",
            ));
        }
        let width = data.table.width();
        let copied = with_copies
            .then(|| permuted_copies(&data.table, data.roles().groups(), run.seed()))
            .transpose()?;
        let problem = data.problem_of(copied.as_ref().unwrap_or(&data.table))?;
        let mut found = self.resample(method, &problem, &resampling, run)?;
        // The stability is that of the features alone, without their copies.
        let copies = found.features.split_off(width);
        let copies = with_copies.then(|| copies.iter().map(|copy| copy.frequency).collect());
        Ok(Selections {
            method: method.clone(),
            wrappers: self.wrappers.clone(),
            seed: run.seed(),
            resampling,
            rows: found.rows,
            stability: found.stability().ok(),
            curve: stability_curve(&found),
            selections: found.selections(found.top).collect(),
            features: found.features,
            copies,
            warnings: found.warnings,
            seconds: found.seconds,
        })
    }

    fn resample(
        &self,
        method: &MethodChoice,
        problem: &Problem<'_>,
        resampling: &Resampling,
        run: &Run,
    ) -> Result<ResampledRankings> {
        let MethodChoice { info, settings } = method;
        let found = resampled_rankings(info, settings, &self.wrappers, problem, resampling, run)?;
        run.check()?;
        Ok(found)
    }

    /// The data, for the lines and entries that describe them.
    pub fn subject<'d>(&self, data: &'d Data<'d>) -> Subject<'d> {
        let target = Some((data.target_name.as_str(), &data.target));
        let in_models = self.covariates.as_ref().is_some_and(|covariates| covariates.in_models);
        Subject::new(self.source.name().to_string_lossy(), &data.table, target, &self.audience)
            .with_covariates(data.covariates.as_ref(), in_models)
            .with_unadjusted(data.unadjusted.as_ref())
            .with_unlabeled(data.unlabeled)
            .with_weights(self.roles.weight.as_deref(), data.weights.as_ref())
            .with_priors(data.priors.as_ref())
            .with_blocks(data.blocks.as_ref())
    }

    /// The outcome as a ranking: for a terminal, as JSON, as CSV, or for a page.
    pub fn ranking<'o>(&self, data: &'o Data<'o>, outcome: &'o Outcome, run: &Run) -> Ranking<'o> {
        Ranking::new(self.subject(data), outcome, data.warnings.clone(), run)
    }
}
