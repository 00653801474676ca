//! Comparisons of methods by the error of k-nearest-neighbor prediction after each: what a user specified, how it is
//! carried out, and its outcome as table, JSON, CSV, figure or page.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Instant;

use basrelief::data::{Groups, Roles, Split, Target, TargetKind, folds, leave_one_out};
use basrelief::evaluate::{
    Cell, Checkpoints, ComparisonRow, Dimensions, KnnSettings, NestedCv, NoCheckpoints,
    ParameterGrid, compare, comparison_rows, paired_t_test,
};
use basrelief::inference::Permutations;
use basrelief::methods::Scaling;
use basrelief::selection::RedundancyRule;
use basrelief::wording::setting;
use basrelief::{Audience, Error, FrontEnd, Result, Run, Warning, derived_seed};
use basrelief_io::ResultsFolder;
use basrelief_report::data::Piece;
use basrelief_report::figures::{Curve, Panel, wide_curves};
use basrelief_report::{Block, FigureStyle, Section, SectionsReport, Table};
use serde::Serialize;
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use crate::file_names::FileNames;
use crate::glossary;
use crate::pages::{Page, PageOptions, account, grouped, tell_run};
use crate::permutation_test::cost;
use crate::source::{Data, RowRoles, Source};
use crate::subject::{Subject, contents};
use crate::text::{Format, Look, Notes, counted, csv_cell, cut, wrapped};

/// The methods that are compared if the user names none.
fn usual(target: &Target) -> &'static str {
    match target {
        Target::Classes(_) => "euclidean,relieff,multisurf,lda,lfe",
        Target::Real(_) | Target::Multi(_) => "euclidean,rrelieff,multisurf,pca",
        Target::Survival(_) => "euclidean,survival-relief,multisurf,pca",
    }
}

/// What the loss of an evaluation is, and how it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Measure {
    /// The share of wrong classes, in percent.
    Error,
    /// The mean of squared differences.
    SquaredError,
    /// Harrell's concordance; the loss is one minus it.
    Concordance,
}

impl Measure {
    fn of(target: Option<&Target>) -> Self {
        match target {
            Some(Target::Classes(_)) => Measure::Error,
            Some(Target::Survival(_)) => Measure::Concordance,
            Some(Target::Real(_) | Target::Multi(_)) | None => Measure::SquaredError,
        }
    }

    fn name(self) -> &'static str {
        ["error", "mean squared error", "concordance"][self as usize]
    }

    /// The head of a column, and of one on a page.
    fn heads(self) -> [&'static str; 2] {
        [["error %", "Error %"], ["mse", "Mean squared error"], ["C", "C (Harrell)"]][self as usize]
    }

    fn unit(self) -> &'static str {
        if self == Measure::Error { " %" } else { "" }
    }

    fn article(self) -> &'static str {
        if self == Measure::Error { "an" } else { "a" }
    }

    /// The word for the best, and for a value as good as the observed one.
    fn best(self) -> [&'static str; 2] {
        if self == Measure::Concordance { ["largest", "high"] } else { ["smallest", "low"] }
    }

    /// A loss as a number that is shown.
    fn value(self, loss: f64) -> f64 {
        match self {
            Measure::Error => 100.0 * loss,
            Measure::SquaredError => loss,
            Measure::Concordance => 1.0 - loss,
        }
    }

    /// A loss as text.
    fn text(self, loss: f64) -> String {
        let value = self.value(loss);
        if self == Measure::Error { format!("{value:.2}") } else { format!("{value:.4}") }
    }

    /// The standard error of a loss as text.
    fn error_text(self, error: f64) -> String {
        match self {
            Measure::Error => format!("{:.2}", 100.0 * error),
            Measure::SquaredError | Measure::Concordance => format!("{error:.4}"),
        }
    }
}

/// The files of an evaluation in a folder: JSON, CSV of splits, CSV of curves, the table as text, CSV and LaTeX, and the
/// figure in every format.
pub const FILES: [&str; 9] = [
    "results.json",
    "results.csv",
    "curves.csv",
    "summary.txt",
    "summary.csv",
    "summary.tex",
    "curves.svg",
    "curves.pdf",
    "curves.png",
];

/// An explanation of the columns of survival times.
const CONCORDANCE: &str = "C: Harrell's concordance, the share of pairs of test rows whose predictions have the order of \
                           their times; 0.5 is chance. C (Uno): the same with pairs weighted for censoring. A prediction \
                           is the mean quantile of the neighbors' times";

/// The maximum number of repeats.
const MOST_REPEATS: usize = 1000;

/// The p-value up to which a page calls a method worse.
const WORSE: f64 = 0.05;

/// Methods that a sentence names.
const NAMES: usize = 6;

/// Choices that a page lists of a method.
const CHOICES: usize = 3;

/// The columns of the table of methods that have their numbers of features and their p-values.
const KEPT: usize = 3;
const P: usize = 6;

/// The number of features above which the figure has a logarithmic axis.
const MANY: usize = 100;

/// Rows that leave-one-out is offered for.
const MOST_LEFT_OUT: usize = 3000;

/// How rows are split into training and test rows.
#[derive(Debug, Clone, Copy)]
pub struct Scheme {
    /// The outer splits.
    pub splits: OuterSplits,
    /// Parts of the cross-validation inside of the training rows, by which options are chosen.
    pub inner: usize,
}

/// The outer splits of an evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OuterSplits {
    /// Cross-validation.
    Folds {
        /// The number of parts.
        parts: usize,
        /// Repeats, each with other parts.
        repeats: usize,
    },
    /// Every row is tested once, after a fit to all other rows.
    LeaveOneOut,
    /// This number of random halves, as of [`Split::halves`] for the first data set: the protocol of Hocke & Martinetz
    /// (2013), `basrelief reproduce hm13`.
    Halves(usize),
}

impl Scheme {
    /// Refuses a scheme that fits no table.
    ///
    /// # Errors
    /// More than 1000 repeats; fewer than 2 or more than 1000 halves; fewer than 2 inner folds.
    pub fn check(&self) -> Result<()> {
        let Self { splits, inner } = *self;
        match splits {
            OuterSplits::Folds { repeats, .. } if repeats > MOST_REPEATS => {
                return Err(Error::option(
                    "repeats",
                    format!("{repeats} exceeds the limit of {MOST_REPEATS}"),
                    format!("give at most {MOST_REPEATS}"),
                ));
            }
            OuterSplits::Halves(count) if !(2..=MOST_REPEATS).contains(&count) => {
                return Err(Error::option(
                    "protocol",
                    format!("{count} splits in halves are not possible"),
                    format!("give at least 2 and at most {MOST_REPEATS}; halves:10 is usual"),
                ));
            }
            _ => {}
        }
        if inner < 2 {
            let problem = format!("{inner} folds leave nothing to learn from or to test on");
            return Err(Error::option("inner_folds", problem, "5 is usual"));
        }
        Ok(())
    }

    /// The splits of the rows, which keep groups whole.
    fn splits(&self, target: &Target, groups: Option<&Groups>, run: &Run) -> Result<Vec<Split>> {
        let (parts, repeats) = match self.splits {
            OuterSplits::Folds { parts, repeats } => (parts, repeats),
            OuterSplits::Halves(count) => {
                return Split::halves(target, groups, count, run.seed(), 0);
            }
            OuterSplits::LeaveOneOut if target.as_survival().is_some() => {
                return Err(Error::option(
                    "folds",
                    "leave-one-out tests one row at a time, but concordance compares test rows",
                    format!("use {}", setting("folds", Some("10"))),
                ));
            }
            OuterSplits::LeaveOneOut => return Self::leave_one_out(target, groups),
        };
        let mut splits = Vec::new();
        for repeat in 0..repeats {
            let seed = derived_seed(run.seed(), &[repeat as u64]);
            splits.extend(folds(target, groups, parts, seed)?);
        }
        Ok(splits)
    }

    fn leave_one_out(target: &Target, groups: Option<&Groups>) -> Result<Vec<Split>> {
        let rows = groups.map_or(target.rows(), Groups::len);
        let units = if groups.is_some() { "groups" } else { "rows" };
        if target.rows() < 2 {
            return Err(Error::data("one row cannot be learned from and tested", "give more rows"));
        }
        if rows > MOST_LEFT_OUT {
            return Err(Error::option(
                "folds",
                format!("leave-one-out of {rows} {units} learns each method as often"),
                format!("it is for at most {MOST_LEFT_OUT} {units}: give a number of folds"),
            ));
        }
        Ok(leave_one_out(target.rows(), groups))
    }

    /// The mean number of test rows over the mean number of training rows.
    fn overlap(&self, splits: &[Split]) -> f64 {
        let (tested, learned) = splits.iter().fold((0, 0), |(tested, learned), split| {
            (tested + split.test.len(), learned + split.train.len())
        });
        tested as f64 / learned as f64
    }

    fn words(&self) -> String {
        match self.splits {
            OuterSplits::LeaveOneOut => "leave-one-out".to_string(),
            OuterSplits::Folds { parts, repeats: 1 } => format!("{parts}-fold cross-validation"),
            OuterSplits::Folds { parts, repeats } => {
                format!("{parts}-fold cross-validation, {repeats} times")
            }
            OuterSplits::Halves(count) => {
                format!("{count} random halves (protocol of Hocke & Martinetz 2013)")
            }
        }
    }
}

/// A comparison of methods, as a user specified it.
///
/// # Examples
/// ```
/// use basrelief::Run;
/// use basrelief_study::{Comparison, Source};
/// # let folder = std::env::temp_dir().join("basrelief-comparison-example");
/// # std::fs::create_dir_all(&folder)?;
/// # let file = folder.join("flowers.csv");
/// # let rows: String = (0..40).map(|row| format!("{},{},{}\n", row % 2 * 5 + row % 3, row * 7 % 11, row % 2)).collect();
/// # std::fs::write(&file, format!("width,noise,kind\n{rows}"))?;
///
/// let mut comparison = Comparison::new(Source::new(&file), "kind");
/// comparison.methods = Some("euclidean,relieff".to_string());
/// let run = Run::new(None)?;
/// comparison.check()?;
/// let data = comparison.read(&run)?;
/// let found = comparison.evaluate(&data, None, &run, &|_| ())?;
/// assert_eq!(found.candidates.len(), 2);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Comparison {
    /// The data, and how they are read.
    pub source: Source,
    /// The column of the target; of a cohort the phenotype.
    pub target: String,
    /// The roles of rows. Folds and halves keep groups whole, and methods with a neighbor search consult them.
    pub roles: RowRoles,
    /// The methods with their options, separated by commas ([`ParameterGrid::parse_list`]); without them, the usual
    /// ones for the target that can be fitted to the table.
    pub methods: Option<String>,
    /// How neighbors are found after each method.
    pub knn: KnnSettings,
    /// How rows are split.
    pub scheme: Scheme,
    /// The numbers of neighbors to choose from, ascending.
    pub counts: Vec<usize>,
    /// The numbers of features or components to choose from.
    pub dimensions: Dimensions,
    /// Permutations of the target, after each of which everything is evaluated again.
    pub permutations: Option<usize>,
    /// The folder of results; an evaluation that was interrupted continues from it.
    pub folder: Option<PathBuf>,
    /// The reader of the outcome.
    pub audience: Audience,
}

/// The outcome of a [`Comparison`].
#[derive(Debug, Clone)]
pub struct Evaluated {
    /// The methods that were compared.
    pub candidates: Vec<ParameterGrid>,
    /// The loss of every method and its comparison with the best.
    pub comparison_rows: Vec<ComparisonRow>,
    /// The p-values of permutations, if there were some.
    pub by_chance: Option<Vec<Option<f64>>>,
    /// The results of every method on every split.
    pub cells: Vec<Vec<Cell>>,
    /// Warnings, those about the data first.
    pub warnings: Vec<Warning>,
    /// Wall-clock seconds.
    pub seconds: f64,
}

impl Comparison {
    /// A comparison of the usual methods by 10-fold cross-validation.
    pub fn new(source: Source, target: impl Into<String>) -> Self {
        Self {
            source,
            target: target.into(),
            roles: RowRoles::default(),
            methods: None,
            knn: KnnSettings { scaling: Scaling::Standard, ..KnnSettings::default() },
            scheme: Scheme { splits: OuterSplits::Folds { parts: 10, repeats: 1 }, inner: 5 },
            counts: vec![1, 3, 5, 9, 15, 25],
            dimensions: Dimensions::Spread,
            permutations: None,
            folder: None,
            audience: FrontEnd::Library.into(),
        }
    }

    /// Refuses what can be refused before the data are read.
    ///
    /// # Errors
    /// Unknown methods or options; invalid splits; weights of rows with leave-one-out; a column with a role that is the
    /// target or excluded.
    pub fn check(&self) -> Result<()> {
        self.stated()?;
        self.scheme.check()?;
        if self.roles.weight.is_some() && matches!(self.scheme.splits, OuterSplits::LeaveOneOut) {
            return Err(Error::option(
                "row_weight",
                "leave-one-out counts all rows equally",
                format!("use {} or another number of folds", setting("folds", Some("10"))),
            ));
        }
        self.source.check_roles(&self.roles, &self.target)
    }

    /// The methods that the user states.
    fn stated(&self) -> Result<Option<Vec<ParameterGrid>>> {
        let parse = |text: &String| ParameterGrid::parse_list(text, self.knn.scaling);
        self.methods.as_ref().map(parse).transpose()
    }

    /// Reads the data.
    ///
    /// # Errors
    /// As of [`Source::read`]; several targets, or one with unlabeled rows.
    pub fn read(&self, run: &Run) -> Result<Data<'static>> {
        let data = self.source.read(&self.target, TargetKind::Auto, &self.roles, None, run)?;
        match data.target.as_multi() {
            None => Ok(data),
            Some(_) => Err(Error::option(
                "target",
                format!("k-NN does not predict a target that {}", data.target.phrase()),
                "evaluate one target at a time",
            )
            .in_file(self.source.name())),
        }
    }

    /// The options in JSON, without the permutations.
    fn options(&self, target: &Target) -> Value {
        let numbers =
            |all: &[usize]| all.iter().map(usize::to_string).collect::<Vec<String>>().join(",");
        let mut options = json!({
            "methods": self.methods.as_deref().unwrap_or_else(|| usual(target)),
        });
        match self.scheme.splits {
            OuterSplits::Folds { parts, repeats } => {
                options["folds"] = parts.to_string().into();
                options["repeats"] = repeats.into();
            }
            OuterSplits::LeaveOneOut => {
                options["folds"] = "loo".into();
                options["repeats"] = 1.into();
            }
            OuterSplits::Halves(count) => options["protocol"] = format!("halves:{count}").into(),
        }
        let others = json!({
            "inner_folds": self.scheme.inner,
            "k": self.counts,
            "dimensions": match &self.dimensions {
                Dimensions::All => "all".to_string(),
                Dimensions::Spread => "spread".to_string(),
                Dimensions::Every => "every".to_string(),
                Dimensions::Some(all) => numbers(all),
            },
            "metric": self.knn.metric.name(),
            "scale": self.knn.scaling.name(),
            "weights": self.knn.weight_use.name(),
        });
        if let (Value::Object(options), Value::Object(others)) = (&mut options, others) {
            options.extend(others);
        }
        if self.knn.redundancy != RedundancyRule::None {
            options["redundancy"] = self.knn.redundancy.to_string().into();
        }
        if let Some(within) = &self.roles.within {
            options["within"] = within.as_str().into();
        }
        if let Some(group) = &self.roles.group {
            options["group"] = json!([group.name, group.weight.name()]);
        }
        if let Some(weight) = &self.roles.weight {
            options["row_weight"] = weight.as_str().into();
        }
        options
    }

    /// Opens the folder of results, if there is one.
    ///
    /// # Errors
    /// It is a file, or has the results of something else.
    pub fn open_folder(&self, data: &Data<'_>, run: &Run) -> Result<Option<ResultsFolder>> {
        let Some(path) = &self.folder else { return Ok(None) };
        if path.is_file() {
            return Err(Error::option(
                "output",
                format!("{} is a file", path.display()),
                "name a folder: an evaluation has several results",
            ));
        }
        // The record does not contain the number of permutations, so that it can be raised later.
        let record = json!({
            "basrelief": env!("CARGO_PKG_VERSION"),
            "evaluation": self.options(&data.target),
            "seed": run.seed(),
            "data": contents(&data.table, &data.target, data.roles()),
        });
        ResultsFolder::open(path, &record).map(Some)
    }

    /// Compares the methods on data that are read.
    ///
    /// # Errors
    /// As of [`compare`] and of [`Permutations::new`]; [`Error::Cancelled`].
    pub fn evaluate(
        &self,
        data: &Data<'_>,
        folder: Option<&ResultsFolder>,
        run: &Run,
        notes: &Notes<'_>,
    ) -> Result<Evaluated> {
        self.compared(data, folder, run, notes).map_err(|error| error.in_file(self.source.name()))
    }

    fn compared(
        &self,
        data: &Data<'_>,
        folder: Option<&ResultsFolder>,
        run: &Run,
        notes: &Notes<'_>,
    ) -> Result<Evaluated> {
        let start = Instant::now();
        let (table, target) = (&data.table, &data.target);
        let permutations = match self.permutations {
            None => None,
            Some(count) => Some((data.permutations(run)?, count)),
        };
        let mut warnings = data.warnings.clone();
        warnings.extend(permutations.iter().flat_map(|(drawn, _)| drawn.warnings()).cloned());
        let groups = data.roles().groups();
        let splits = self.scheme.splits(target, groups, run)?;
        let candidates = match self.stated()? {
            Some(stated) => stated,
            None => self.usual_candidates(data, notes)?,
        };
        let finished = folder.map_or(0, ResultsFolder::finished);
        if finished > 0 {
            notes(&format!("{} finished before are not computed again", counted(finished, "cell")));
        }
        let nested_cv = NestedCv {
            table,
            target,
            groups,
            weights: data.roles().weights(),
            knn: self.knn,
            dimensions: self.dimensions.clone(),
            counts: self.counts.clone(),
            folds: self.scheme.inner,
        };
        let checkpoints: &dyn Checkpoints = folder.map_or(&NoCheckpoints, |folder| folder);
        let begun = Instant::now();
        let cells = compare(&nested_cv, &candidates, &splits, "", checkpoints, run)?;
        run.check()?;
        let seconds = begun.elapsed().as_secs_f64();
        warnings.extend(method_warnings(&candidates, &cells));
        warnings.extend(without_roles(&candidates, data.roles()));
        let rows = comparison_rows(&cells, self.scheme.overlap(&splits));
        let mut by_chance = None;
        if let Some((permutations, repetitions)) = &permutations {
            notes(&format!("permuting the target {repetitions} times"));
            // Cells that were finished before do not show how long one takes.
            if finished == 0 {
                let goes_on = "--output DIR goes on";
                let count = *repetitions as u64;
                notes(&cost(count, "evaluation", false, seconds, run.threads(), goes_on));
            }
            let losses: Vec<Option<f64>> = rows.iter().map(|row| row.loss).collect();
            let repetitions = *repetitions;
            let null = Null { permutations, repetitions, scheme: &self.scheme, checkpoints };
            let (found, failed) = null.p_values(&nested_cv, &candidates, &losses, run)?;
            warnings.extend(failed);
            by_chance = Some(found);
        }
        let seconds = start.elapsed().as_secs_f64();
        Ok(Evaluated { candidates, comparison_rows: rows, by_chance, cells, warnings, seconds })
    }

    /// The usual methods that can be fitted to the table; a note lists the others.
    fn usual_candidates(&self, data: &Data<'_>, notes: &Notes<'_>) -> Result<Vec<ParameterGrid>> {
        let (fitting, left_out): (Vec<_>, Vec<_>) =
            ParameterGrid::parse_list(usual(&data.target), self.knn.scaling)?
                .into_iter()
                .partition(|candidate| candidate.obstacle(&data.table).is_none());
        if !left_out.is_empty() {
            let why = |one: &ParameterGrid| {
                format!("{} ({})", one.label(), one.obstacle(&data.table).unwrap_or_default())
            };
            let list: Vec<String> = left_out.iter().map(why).collect();
            notes(&format!("left out of the usual methods: {}", list.join(", ")));
        }
        Ok(fitting)
    }

    /// The outcome, for a terminal, as JSON, CSV, figure or page.
    pub fn evaluation<'e>(
        &'e self,
        data: &'e Data<'e>,
        found: &'e Evaluated,
        run: &'e Run,
    ) -> Evaluation<'e> {
        let target = Some((data.target_name.as_str(), &data.target));
        let file = self.source.name().to_string_lossy();
        let subject = Subject::new(file, &data.table, target, &self.audience);
        let mut options = self.options(&data.target);
        if let Some(permutations) = self.permutations {
            options["permutations"] = permutations.into();
        }
        Evaluation { subject, options, scheme: &self.scheme, found, run }
    }
}

/// The warnings of the methods, each kind once, with the methods that gave it.
fn method_warnings(candidates: &[ParameterGrid], cells: &[Vec<Cell>]) -> Vec<Warning> {
    let mut seen: Vec<(&str, &str, Vec<&str>, usize)> = Vec::new();
    for (candidate, cells) in candidates.iter().zip(cells) {
        let label = candidate.label();
        let warnings = cells.iter().filter_map(Cell::outcome).flat_map(|found| &found.warnings);
        for (code, message) in warnings {
            match seen.iter_mut().find(|(known, _, _, _)| known == code) {
                Some((_, _, labels, count)) => {
                    *count += 1;
                    if labels.last() != Some(&label) {
                        labels.push(label);
                    }
                }
                None => seen.push((code, message, vec![label], 1)),
            }
        }
    }
    let splits = cells.first().map_or(0, Vec::len);
    seen.into_iter()
        .map(|(_, message, labels, count)| {
            let of = labels.len() * splits;
            let labels = labels.join(", ");
            Warning::new("method", format!("{labels}: {message} (on {count} of {of} splits)"))
        })
        .collect()
}

/// Reports the methods that are learned without regard to groups or weights of rows.
fn without_roles(candidates: &[ParameterGrid], roles: Roles<'_>) -> Vec<Warning> {
    let ignores = |candidate: &&ParameterGrid| candidate.ignores_roles();
    let labels: Vec<&str> = candidates.iter().filter(ignores).map(ParameterGrid::label).collect();
    if labels.is_empty() {
        return Vec::new();
    }
    let labels = labels.join(", ");
    let of_groups = roles.groups().map(|_| {
        let text = format!(
            "test rows are of other groups than training rows, but within the training rows, these methods compare \
             rows of the same group: {labels}"
        );
        Warning::new("groups-not-learned", text)
    });
    let of_weights = roles.weights().map(|_| {
        let text = format!(
            "rows count by their weights among neighbors and in errors, but equally when these methods learn: {labels}"
        );
        Warning::new("weights-not-learned", text)
    });
    of_groups.into_iter().chain(of_weights).collect()
}

/// Evaluations of permuted targets: how good a method is by chance.
struct Null<'n> {
    permutations: &'n Permutations<'n>,
    repetitions: usize,
    scheme: &'n Scheme,
    checkpoints: &'n dyn Checkpoints,
}

impl Null<'_> {
    /// For every candidate that was tested `(1 + permutations with at most this loss) / (1 + permutations)`,
    /// and a warning about permutations that failed, which count as such.
    fn p_values(
        &self,
        nested_cv: &NestedCv<'_>,
        candidates: &[ParameterGrid],
        losses: &[Option<f64>],
        run: &Run,
    ) -> Result<(Vec<Option<f64>>, Option<Warning>)> {
        let mut as_good = vec![0; candidates.len()];
        let mut failed = 0;
        run.progress().start("permuting", self.repetitions as u64);
        for number in 0..self.repetitions {
            run.check()?;
            let target = self.permutations.permuted(number as u64);
            let splits = self.scheme.splits(&target, nested_cv.groups, run)?;
            let permuted = NestedCv { target: &target, ..nested_cv.clone() };
            let name = format!("permutation {number}/");
            // Silent, as the progress is that of all permutations; the seed is the same.
            let part = run.part(run.seed());
            let cells = compare(&permuted, candidates, &splits, &name, self.checkpoints, &part)?;
            let rows = comparison_rows(&cells, self.scheme.overlap(&splits));
            for ((count, observed), row) in as_good.iter_mut().zip(losses).zip(rows) {
                let Some(observed) = observed else { continue };
                failed += usize::from(row.loss.is_none());
                // Equal losses are equal whatever they were added up from.
                let bound = observed * (1.0 + 1e-9);
                *count += usize::from(row.loss.is_none_or(|loss| loss <= bound));
            }
            run.progress().advance(1);
        }
        run.progress().finish();
        let p = |(count, loss): (usize, &Option<f64>)| {
            loss.map(|_| (1 + count) as f64 / (1 + self.repetitions) as f64)
        };
        let warning = (failed > 0).then(|| {
            Warning::new(
                "permutation",
                format!("{failed} evaluations of permuted targets failed and count as no worse"),
            )
        });
        Ok((as_good.into_iter().zip(losses).map(p).collect(), warning))
    }
}

/// The mean test loss of a method with a number of features or components.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
struct CurvePoint {
    dimensions: usize,
    loss: f64,
    /// The standard error of the mean over the splits.
    #[serde(rename = "standard_error")]
    error: Option<f64>,
}

/// The mean test loss of a method by number of features or components.
#[derive(Debug, Clone, PartialEq)]
struct LossCurve<'e> {
    label: &'e str,
    /// In ascending order of the numbers.
    points: Vec<CurvePoint>,
}

/// A number of features or components, chosen by the one-standard-error rule (Breiman et al. 1984).
#[derive(Debug, Clone, Copy, PartialEq)]
struct NumberChoice {
    /// The smallest number whose loss is at most the smallest loss plus its standard error.
    keep: CurvePoint,
    /// The number with the smallest loss; of equal losses the smallest number.
    best: CurvePoint,
}

impl<'e> LossCurve<'e> {
    /// The means over the splits; a split with fewer features or components counts with all it has.
    fn new(candidate: &'e ParameterGrid, cells: &[Cell]) -> Self {
        let found: Vec<_> = cells.iter().filter_map(Cell::outcome).collect();
        let mut numbers: Vec<usize> =
            found.iter().flat_map(|found| &found.curve).map(|rate| rate.dimensions).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let point = |dimensions: usize| {
            let losses: Vec<f64> = found.iter().map(|found| found.loss_with(dimensions)).collect();
            let loss = losses.iter().sum::<f64>() / found.len() as f64;
            let error = paired_t_test(&losses, 0.0).map(|test| test.error);
            CurvePoint { dimensions, loss, error }
        };
        Self { label: candidate.label(), points: numbers.into_iter().map(point).collect() }
    }

    /// The choice by the one-standard-error rule; `None` if there is only one number.
    fn choice(&self) -> Option<NumberChoice> {
        let points = Some(&self.points).filter(|points| points.len() > 1)?;
        let best = *points.iter().min_by(|one, other| one.loss.total_cmp(&other.loss))?;
        let bound = best.loss + best.error.unwrap_or(0.0);
        let keep = *points.iter().find(|point| point.loss <= bound)?;
        Some(NumberChoice { keep, best })
    }
}

impl NumberChoice {
    fn json(&self) -> Value {
        json!({
            "dimensions": self.keep.dimensions,
            "loss": self.keep.loss,
            "best_dimensions": self.best.dimensions,
            "best_loss": self.best.loss,
            "best_standard_error": self.best.error,
        })
    }
}

/// A finished evaluation, and everything that is needed to repeat it.
#[derive(Debug)]
pub struct Evaluation<'a> {
    subject: Subject<'a>,
    options: Value,
    scheme: &'a Scheme,
    found: &'a Evaluated,
    run: &'a Run,
}

impl Evaluation<'_> {
    /// The p-values of permutations, if there were some.
    fn by_chance(&self) -> Option<&[Option<f64>]> {
        self.found.by_chance.as_deref()
    }

    /// In a format.
    pub fn text(&self, format: Format, look: Look) -> String {
        match format {
            Format::Table => look.spell(&self.table(look)),
            Format::Json => format!("{:#}\n", self.json()),
            Format::Csv => self.csv(),
        }
    }

    /// Names and contents of the files of a folder; a figure exists only if a curve does.
    ///
    /// # Errors
    /// [`Error::Internal`] only.
    pub fn files(&self, style: FigureStyle) -> Result<Vec<(String, Vec<u8>)>> {
        let table = self.methods_table();
        let texts = [
            format!("{:#}\n", self.json()),
            self.csv(),
            self.curve_csv(),
            self.table(Look::of_file()),
            table.to_csv(),
            table.to_latex(),
        ];
        let texts = texts.into_iter().map(String::into_bytes);
        let mut files: Vec<(String, Vec<u8>)> =
            FILES.into_iter().map(String::from).zip(texts).collect();
        if let Some(svg) = self.figure()? {
            files.push((style.file_name("curves.svg"), style.to_file(&svg)?));
        }
        Ok(files)
    }

    /// The table of methods, for other programs.
    fn methods_table(&self) -> Table {
        let (mut rows, _) = self.rows();
        let head = rows.remove(0).into_iter().enumerate();
        Table {
            caption: format!(
                "{}: k-NN after each method, {}",
                FileNames::default().short(self.subject.file()),
                self.scheme.words()
            ),
            head: head.map(|(place, head)| (head, place > 0)).collect(),
            rows,
            ..Table::default()
        }
    }

    /// The page: the methods with their losses, the curve, and what was chosen.
    ///
    /// # Errors
    /// [`Error::Internal`] only.
    pub fn page(&self, options: &PageOptions) -> Result<Page> {
        let html = self.sections(options)?.to_html()?;
        Ok(options.page(html, || self.json()))
    }

    fn measure(&self) -> Measure {
        Measure::of(self.subject.target().map(|(_, target)| target))
    }

    /// The measure, with its unit.
    fn measure_in_unit(&self) -> String {
        let measure = self.measure();
        format!("{}{}", measure.name(), if measure == Measure::Error { " in %" } else { "" })
    }

    /// Places of the candidates by ascending loss, failed ones last.
    fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.found.candidates.len()).collect();
        let loss = |place: usize| self.found.comparison_rows[place].loss.unwrap_or(f64::INFINITY);
        order.sort_by(|&a, &b| loss(a).total_cmp(&loss(b)));
        order
    }

    fn table(&self, look: Look) -> String {
        let mut text = self.subject.lines(look.width);
        let _ = writeln!(
            text,
            "{}\n",
            wrapped(
                &format!(
                    "k-NN after each method: {}; options are chosen by cross-validation inside the \
                     training rows",
                    self.scheme.words()
                ),
                look.width
            )
        );
        let (rows, failed) = self.rows();
        let mut failures = String::new();
        for line in failed {
            let _ = writeln!(failures, "{}", wrapped(&line, look.width));
        }
        let widths: Vec<usize> = (0..rows[0].len())
            .map(|column| rows.iter().map(|row| row[column].width()).max().unwrap_or(0))
            .collect();
        for (number, row) in rows.iter().enumerate() {
            let mut line = String::new();
            for (place, (cell, &width)) in row.iter().zip(&widths).enumerate() {
                let padding = " ".repeat(width - cell.width());
                line.push_str(&if place == 0 {
                    format!("{cell}{padding}")
                } else {
                    format!("  {padding}{cell}")
                });
            }
            let line = line.trim_end();
            text.push_str(&if number == 0 { look.bold(line) } else { line.to_string() });
            text.push('\n');
        }
        text.push_str(&failures);
        text.push_str(
            "\nse: standard error over the splits; p: paired t-test against the best,\n\
             corrected for training rows that splits share (Nadeau & Bengio) and for the\n\
             number of comparisons (Holm)\n",
        );
        if let Some(line) = self.choice_line() {
            let _ = writeln!(text, "\n{}", wrapped(&line, look.width));
        }
        if self.by_chance().is_some() {
            text.push_str("p (chance): permutations of the target with at most this loss\n");
        }
        if self.measure() == Measure::Concordance {
            let _ = writeln!(text, "{}", wrapped(CONCORDANCE, look.width));
        }
        text
    }

    /// The table: its heads, then a row of cells for every method that has a loss, in ascending order; and why the
    /// others failed.
    fn rows(&self) -> (Vec<Vec<String>>, Vec<String>) {
        let measure = self.measure();
        // For maps, features are components.
        let heads =
            ["method", measure.heads()[0], "± se", "features", "k", "fit s", "p"].map(String::from);
        let mut rows = vec![heads.to_vec()];
        if self.by_chance().is_some() {
            rows[0].push("p (chance)".to_string());
        }
        if measure == Measure::Concordance {
            rows[0].push("C (Uno)".to_string());
        }
        let mut failures = Vec::new();
        for place in self.order() {
            let (candidate, compared) =
                (&self.found.candidates[place], &self.found.comparison_rows[place]);
            let name = cut(candidate.label(), 40);
            let Some(loss) = compared.loss else {
                let why = compared.failure.as_deref().unwrap_or("");
                failures
                    .push(format!("{name} failed: {}", self.subject.audience().spell(&why.into())));
                continue;
            };
            let of = |value: Option<f64>, digits: usize| {
                value.map_or(String::new(), |value| format!("{value:.digits$}"))
            };
            let p = match (compared.test, compared.corrected) {
                (None, _) if rows.len() == 1 => "best".to_string(),
                (_, Some(p)) if p < 0.001 => "< 0.001".to_string(),
                (_, p) => of(p, 3),
            };
            let mut row = vec![
                name,
                measure.text(loss),
                compared.error.map_or(String::new(), |error| measure.error_text(error)),
                compared.dimensions.map_or(String::new(), mean_count),
                self.usual_neighbors(place),
                of(compared.seconds, 3),
                p,
            ];
            row.extend(self.by_chance().map(|found| of(found[place], 4)));
            if measure == Measure::Concordance {
                row.push(of(compared.uno, 4));
            }
            rows.push(row);
        }
        (rows, failures)
    }

    fn sections(&self, options: &PageOptions) -> Result<SectionsReport> {
        let mut account = account(&self.subject, options, &glossary::OF_EVALUATION);
        account.tell("Evaluation", format!("k-NN after each method: {}", self.scheme.words()));
        let time =
            options.with_time.then(|| (format!("{:.1} s", self.found.seconds), self.run.threads()));
        tell_run(
            &mut account,
            self.run.seed(),
            time,
            (&self.found.warnings, self.subject.audience(), &options.files),
        );
        account.options = match &self.options {
            Value::Object(options) => {
                options.iter().map(|(name, value)| (name.clone(), plain_text(value))).collect()
            }
            _ => Vec::new(),
        };
        let mut sections = vec![Section::new("Methods", self.method_blocks(options.with_time))];
        if let Some(svg) = self.figure()? {
            let alt = format!(
                "{} by the number of features or components, one curve for each method",
                self.measure().name()
            );
            let figure = Block::Figure { svg, alt };
            let note = Block::Text(format!(
                "Mean test {} using only the top N features (or first N components). A dotted horizontal line is a method that \
                 always uses all features.{} A number chosen by these curves is chosen by the test rows, so that its {0} \
                 is slightly optimistic; the table of methods has the honest estimate.",
                self.measure().name(),
                if self.has_log_axis() { " The horizontal axis is logarithmic." } else { "" }
            ));
            let mut blocks = vec![note, figure];
            blocks.extend(self.choice_table().map(Block::Table));
            sections.push(Section::new("By the number of features or components", blocks));
        }
        sections.push(Section::new("Selected options", vec![Block::Table(self.choices())]));
        Ok(SectionsReport {
            title: format!("Evaluation of {}", account.data),
            answer: self.answer(),
            account,
            sections,
        })
    }

    /// Which methods are best or not significantly worse, and which are significantly worse.
    fn answer(&self) -> Vec<Piece> {
        let tested: Vec<usize> = self
            .order()
            .into_iter()
            .filter(|&place| self.found.comparison_rows[place].loss.is_some())
            .collect();
        let words = |text: String| Piece::Words(text);
        let Some((&best, others)) = tested.split_first() else {
            return vec![words("Every method failed.".to_string())];
        };
        let measure = self.measure();
        let (unit, article, [best_word, as_good]) =
            (measure.unit(), measure.article(), measure.best());
        let row = |place: usize| &self.found.comparison_rows[place];
        let loss = |place: usize| {
            row(place).loss.map_or(String::new(), |loss| format!("{}{unit}", measure.text(loss)))
        };
        let error = row(best).error.map_or(String::new(), |error| {
            format!(" (standard error {}{unit})", measure.error_text(error))
        });
        let (worse, near): (Vec<usize>, Vec<usize>) =
            others.iter().partition(|&&place| row(place).corrected.is_some_and(|p| p <= WORSE));
        // Methods with the same digits as the best are named with it.
        let is_equal = |&place: &usize| loss(place) == loss(best);
        let (equal, near): (Vec<usize>, Vec<usize>) = near.into_iter().partition(is_equal);
        let leaders: Vec<usize> = [best].into_iter().chain(equal).collect();
        let mut answer = Vec::new();
        self.name_all(&leaders, &mut answer);
        let measure = measure.name();
        let lead = match leaders.len() {
            1 if others.is_empty() => format!(" has {article} {measure} of {}{error}", loss(best)),
            1 => format!(" has the {best_word} {measure}, {}{error}", loss(best)),
            2 => format!(" have the {best_word} {measure}, both {}", loss(best)),
            _ => format!(" have the {best_word} {measure}, all {}", loss(best)),
        };
        answer.push(words(lead));
        if let (Some(&first), Some(&last)) = (near.first(), near.last()) {
            answer.push(words(", but ".to_string()));
            self.name_all(&near, &mut answer);
            let range = match loss(first) == loss(last) {
                true => loss(first),
                false => format!("{} to {}", loss(first), loss(last)),
            };
            let them = if leaders.len() == 1 { "it" } else { "them" };
            let verb = if near.len() == 1 { "is" } else { "are" };
            answer.push(words(format!(
                " ({range}) {verb} not significantly different from {them} (p > {WORSE})"
            )));
        }
        answer.push(words(".".to_string()));
        if !worse.is_empty() {
            answer.push(words(" Significantly worse: ".to_string()));
            self.name_all(&worse, &mut answer);
            answer.push(words(format!(" (p ≤ {WORSE}).")));
        }
        if let Some(p) = self.by_chance().and_then(|found| found[best]) {
            answer.push(words(format!(
                " Permuted targets give as {as_good} {article} {measure} with p = {p:.4}."
            )));
        }
        answer
    }

    /// The names of some candidates as a list in a sentence; of many the first.
    fn name_all(&self, places: &[usize], sentence: &mut Vec<Piece>) {
        let shown = if places.len() > NAMES + 1 { &places[..NAMES] } else { places };
        let more = places.len() - shown.len();
        for (count, &place) in shown.iter().enumerate() {
            let gap = match count {
                0 => "",
                _ if count + 1 == shown.len() && more == 0 => " and ",
                _ => ", ",
            };
            sentence.push(Piece::Words(gap.to_string()));
            sentence.push(Piece::Name(self.found.candidates[place].label().to_string()));
        }
        if more > 0 {
            sentence.push(Piece::Words(format!(" and {more} more")));
        }
    }

    fn method_blocks(&self, with_time: bool) -> Vec<Block> {
        let (mut rows, failed) = self.rows();
        let mut heads = rows.remove(0);
        for (head, page) in heads.iter_mut().zip(["Method", "", "± se", "Used", "k", "Fit s", "p"])
        {
            match page {
                "" => *head = self.measure().heads()[1].to_string(),
                page => *head = page.to_string(),
            }
        }
        for (row, place) in rows.iter_mut().zip(self.order()) {
            let what = match self.found.candidates[place].gives_components() {
                true => "components",
                false => "features",
            };
            row[KEPT] = format!("{} {what}", row[KEPT]);
        }
        let is_told = |place: &usize| with_time || heads[*place] != "Fit s";
        let is_last = |place: &usize| (KEPT..P).contains(place);
        let mut kept: Vec<usize> = (0..heads.len()).filter(is_told).collect();
        // The columns that decide come first.
        kept.sort_by_key(is_last);
        let placed = self.order().into_iter().filter_map(|place| {
            let compared = &self.found.comparison_rows[place];
            let loss = compared.loss?;
            let around = 2.0 * compared.error.unwrap_or(0.0);
            // No loss is below 0.
            let ends = [(loss - around).max(0.0), loss, loss + around];
            let mut ends = ends.map(|loss| self.measure().value(loss));
            ends.sort_by(f64::total_cmp);
            Some(Some(ends))
        });
        let table = Table {
            caption: format!(
                "Methods, the best first. Dots are the {}, with two standard errors to either side",
                self.measure_in_unit()
            ),
            head: kept.iter().map(|&place| (heads[place].clone(), place > 0)).collect(),
            rows: rows
                .iter()
                .map(|row| kept.iter().map(|&place| row[place].clone()).collect())
                .collect(),
            intervals: Some(placed.collect()),
            ..Table::default()
        };
        let mut blocks = vec![Block::Table(table)];
        blocks.extend(failed.into_iter().map(Block::Text));
        blocks.push(Block::Text(
            "± se: standard error over the splits. Used: the mean number of features with a weight above 0, or of components \
             of a map. k: the most frequent number of neighbors. Fit s: seconds of one fit. p: paired t-test against the \
             best method, corrected for training rows that splits share (Nadeau & Bengio) and for the number of comparisons \
             (Holm). Options are selected by cross-validation within the training rows."
                .to_string(),
        ));
        if self.measure() == Measure::Concordance {
            blocks.push(Block::Text(format!("{CONCORDANCE}.")));
        }
        blocks
    }

    /// How often each choice was made, over the splits.
    fn choices(&self) -> Table {
        let mut rows = Vec::new();
        for place in self.order() {
            let mut counts: BTreeMap<String, usize> = BTreeMap::new();
            for found in self.found.cells[place].iter().filter_map(Cell::outcome) {
                let mut words: Vec<String> =
                    found.options.iter().map(|(name, value)| format!("{name} {value}")).collect();
                words.push(format!("k {}", found.neighbors));
                *counts.entry(words.join(", ")).or_default() += 1;
            }
            let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
            // Equally frequent choices stay in the order of their words.
            counts.sort_by_key(|choice| std::cmp::Reverse(choice.1));
            let choices: Vec<String> = counts
                .iter()
                .take(CHOICES)
                .map(|(words, times)| format!("{words} ({})", counted(*times, "split")))
                .collect();
            let more = if counts.len() > CHOICES { "; …" } else { "" };
            rows.push(vec![
                self.found.candidates[place].label().to_string(),
                format!("{}{more}", choices.join("; ")),
            ]);
        }
        Table {
            caption:
                "Options and numbers of neighbors, and the number of splits that selected them"
                    .to_string(),
            head: vec![("Method".to_string(), false), ("Selected".to_string(), false)],
            rows,
            ..Table::default()
        }
    }

    /// The number of neighbors chosen most often.
    fn usual_neighbors(&self, place: usize) -> String {
        let chosen: Vec<usize> = self.found.cells[place]
            .iter()
            .filter_map(Cell::outcome)
            .map(|found| found.neighbors)
            .collect();
        let times = |count: &usize| chosen.iter().filter(|other| *other == count).count();
        let mut distinct = chosen.clone();
        distinct.sort_unstable();
        distinct.dedup();
        // Of equally frequent numbers the smallest.
        let most = distinct.iter().rev().max_by_key(|count| times(count));
        most.map_or(String::new(), usize::to_string)
    }

    fn json(&self) -> Value {
        let methods: Vec<Value> = self
            .order()
            .into_iter()
            .map(|place| {
                let compared = &self.found.comparison_rows[place];
                let mut entry = json!({
                    "method": self.found.candidates[place].label(),
                    "loss": compared.loss,
                    "standard_error": compared.error,
                    "dimensions": compared.dimensions,
                    "fit_seconds": compared.seconds,
                    "difference_to_best": compared.test.map(|test| test.difference),
                    "p_value": compared.test.map(|test| test.p_value),
                    "corrected_p_value": compared.corrected,
                    "failure": compared.failure,
                    "curve": LossCurve::new(
                        &self.found.candidates[place],
                        &self.found.cells[place],
                    ).points,
                    "one_standard_error": self.choice(place).map(|choice| choice.json()),
                    "splits": self.found.cells[place],
                });
                if self.measure() == Measure::Concordance {
                    entry["concordance"] = json!({
                        "harrell": compared.loss.map(|loss| 1.0 - loss),
                        "uno": compared.uno,
                    });
                }
                if let Some(found) = self.by_chance() {
                    entry["permutation_p_value"] = found[place].into();
                }
                entry
            })
            .collect();
        json!({
            "basrelief": env!("CARGO_PKG_VERSION"),
            "measure": match self.measure() {
                Measure::Concordance => "one minus Harrell's concordance",
                other => other.name(),
            },
            "options": self.options,
            "seed": self.run.seed(),
            "threads": self.run.threads(),
            "data": self.subject.json(),
            "methods": methods,
            "warnings": self.subject.warnings_json(&self.found.warnings),
            "seconds": self.found.seconds,
        })
    }

    /// A line per method and split.
    fn csv(&self) -> String {
        let more = if self.by_chance().is_some() { ",permutation_p_value" } else { "" };
        let mut text =
            format!("method,split,loss,dimensions,neighbors,options,fit_seconds{more}\n");
        for (place, (candidate, cells)) in
            self.found.candidates.iter().zip(&self.found.cells).enumerate()
        {
            let p = self.by_chance().and_then(|found| found[place]);
            for (split, found) in cells.iter().enumerate() {
                let Some(found) = found.outcome() else { continue };
                let options: Vec<String> = found
                    .options
                    .iter()
                    .map(|(option, value)| format!("{option}={value}"))
                    .collect();
                let _ = writeln!(
                    text,
                    "{},{split},{},{},{},{},{}{}",
                    csv_cell(candidate.label()),
                    found.loss,
                    found.dimensions,
                    found.neighbors,
                    csv_cell(&options.join(" ")),
                    found.seconds,
                    p.map_or(String::new(), |p| format!(",{p}"))
                );
            }
        }
        text
    }

    /// The curves of all candidates, in their order.
    fn curves(&self) -> Vec<LossCurve<'_>> {
        let candidates = self.found.candidates.iter().zip(&self.found.cells);
        candidates.map(|(candidate, cells)| LossCurve::new(candidate, cells)).collect()
    }

    /// The choice of a number of features by the curve of a candidate; `None` if a split failed or the curve has one
    /// number.
    fn choice(&self, place: usize) -> Option<NumberChoice> {
        self.found.comparison_rows[place].loss?;
        LossCurve::new(&self.found.candidates[place], &self.found.cells[place]).choice()
    }

    /// How many features or components to keep of the best candidate that has a curve, in one line.
    fn choice_line(&self) -> Option<String> {
        let (place, NumberChoice { keep, best }) =
            self.order().into_iter().find_map(|place| Some((place, self.choice(place)?)))?;
        let candidate = &self.found.candidates[place];
        let what = if candidate.gives_components() { "component" } else { "feature" };
        let measure = self.measure();
        let error =
            best.error.map_or(String::new(), |error| format!(" ± {}", measure.error_text(error)));
        let error =
            format!("{} {}{error}{}", measure.name(), measure.text(best.loss), measure.unit());
        let why = match keep.dimensions == best.dimensions {
            true => format!(
                "the best number, and no smaller one is within one standard error ({error})"
            ),
            false => format!(
                "the smallest number within one standard error of the best ({}, {error})",
                counted(best.dimensions, what)
            ),
        };
        let (kept, label) = (counted(keep.dimensions, what), cut(candidate.label(), 40));
        Some(format!("keep {kept} of {label}: {why}"))
    }

    fn curve_csv(&self) -> String {
        let mut text = String::from("method,dimensions,mean_loss,standard_error\n");
        for LossCurve { label, points } in self.curves() {
            for CurvePoint { dimensions, loss, error } in points {
                let error = error.map_or(String::new(), |error| error.to_string());
                let _ = writeln!(text, "{},{dimensions},{loss},{error}", csv_cell(label));
            }
        }
        text
    }

    /// The choice of the number of features or components of every method, as a table of the page.
    fn choice_table(&self) -> Option<Table> {
        let row = |place: usize| {
            let NumberChoice { keep, best } = self.choice(place)?;
            let measure = self.measure();
            let error = |point: CurvePoint| {
                point.error.map_or(String::new(), |error| measure.error_text(error))
            };
            Some(vec![
                self.found.candidates[place].label().to_string(),
                keep.dimensions.to_string(),
                measure.text(keep.loss),
                best.dimensions.to_string(),
                measure.text(best.loss),
                error(best),
            ])
        };
        let rows: Vec<Vec<String>> = self.order().into_iter().filter_map(row).collect();
        let measure = self.measure_in_unit();
        let head = [
            ("method".to_string(), false),
            ("keep".to_string(), true),
            (measure.clone(), true),
            ("best number".to_string(), true),
            (measure, true),
            ("± se".to_string(), true),
        ];
        let caption = "Keep: the smallest number of features or components within one standard error of the best \
                       number"
            .to_string();
        (!rows.is_empty()).then(|| Table { caption, head: head.to_vec(), rows, ..Table::default() })
    }

    /// The loss by the number of features or components; `None` without a curve.
    fn figure(&self) -> Result<Option<String>> {
        let all = self.curves();
        let drawn: Vec<Curve> = all
            .iter()
            .filter(|curve| !curve.points.is_empty())
            .map(|curve| {
                let point = |point: &CurvePoint| {
                    (point.dimensions as f64, self.measure().value(point.loss))
                };
                let points = curve.points.iter().map(point).collect();
                Curve { name: curve.label.to_string(), points }
            })
            .collect();
        if drawn.is_empty() {
            return Ok(None);
        }
        let panel = Panel {
            title: String::new(),
            x_label: "features or components".to_string(),
            y_label: match self.measure() {
                Measure::Error => "error %".to_string(),
                other => other.name().to_string(),
            },
            curves: drawn,
        };
        wide_curves("k-NN after each method", panel, self.has_log_axis()).map(Some)
    }

    /// Whether the curves have so many numbers of features that their axis is logarithmic.
    fn has_log_axis(&self) -> bool {
        self.curves().iter().flat_map(|curve| &curve.points).any(|point| point.dimensions > MANY)
    }
}

/// A mean number of features: `7,129` if it is whole, else with one decimal.
fn mean_count(mean: f64) -> String {
    let tenths = (10.0 * mean).round();
    match tenths % 10.0 == 0.0 {
        true => grouped((tenths / 10.0) as usize),
        false => format!("{mean:.1}"),
    }
}

/// A value of JSON without quotes.
fn plain_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(plain_text).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}
