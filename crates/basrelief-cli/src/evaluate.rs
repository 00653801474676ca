//! `basrelief evaluate`: which method helps these data?

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use basrelief::data::{Split, Target, TargetKind, folds, leave_one_out};
use basrelief::evaluate::{
    Cell, Checkpoints, ComparisonRow, Dimensions, KnnSettings, NestedCv, NoCheckpoints,
    ParameterGrid, WeightUse, compare, comparison_rows,
};
use basrelief::inference::Permutations;
use basrelief::methods::Scaling;
use basrelief::neighbors::Metric;
use basrelief::{Error, Result, Run, Warning, derived_seed};
use basrelief_io::ResultsFolder;
use basrelief_report::data::Piece;
use basrelief_report::figures::{Curve, Panel, curves};
use basrelief_report::{Block, Section, SectionsReport, Table};
use basrelief_study::pages::{PageOptions, account, tell_run};
use basrelief_study::permutation_test::cost;
use basrelief_study::source::Beside;
use basrelief_study::subject::contents;
use basrelief_study::text::{Look, counted, cut, wrapped};
use basrelief_study::{Data, Subject};
use clap::ArgMatches;
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use crate::args;
use crate::cohort::required_target;
use crate::exit::{Outcome, audience, note_warnings, say, spelled};
use crate::input::source;
use crate::output::{print, print_data};
use crate::report::Report;
use crate::terminal::look_of_standard_output;

/// What is compared unless the user names methods: for classes, and for a number.
const USUAL: [&str; 2] =
    ["euclidean,relieff,multisurf,lda,lfe", "euclidean,rrelieff,multisurf,pca"];

/// The files of results in a folder, besides those that are read back.
pub(crate) const FILES: [&str; 5] =
    ["results.json", "results.csv", "curves.csv", "summary.txt", "curves.svg"];

/// Repeats that are offered.
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

/// Rows that leave-one-out is offered for.
const MOST_LEFT_OUT: usize = 3000;

/// Runs the verb.
pub(crate) fn run(matches: &ArgMatches, arguments: &[OsString]) -> Outcome {
    // Everything that can be refused is refused before the data are read.
    let text = |name: &str| matches.get_one::<String>(name).map_or("", String::as_str);
    let knn = KnnSettings {
        // One of the choices that the argument has.
        metric: text("metric").parse().unwrap_or(Metric::Euclidean),
        scaling: match text("scale") {
            "none" => Scaling::None,
            "range" => Scaling::Range,
            _ => Scaling::Standard,
        },
        weight_use: if text("weights") == "ranking" {
            WeightUse::Ranking
        } else {
            WeightUse::Distance
        },
        one_unit: false,
    };
    let given = matches.get_one::<String>("methods");
    let stated = given.map(|text| ParameterGrid::parse_list(text, knn.scaling)).transpose()?;
    let scheme = Scheme::from_args(matches)?;
    let (counts, dimensions) = (numbers("k", text("k"))?, dimensions(text("dimensions"))?);
    let repetitions = matches.get_one::<usize>("permutations").copied();
    let within = matches.get_one::<String>("within").map(String::as_str);
    let target_column = required_target(matches)?;
    let source = source(matches)?;
    source.check_within(within, target_column)?;
    let directory = args::path(matches, "output");
    let report = Report::from_args(matches, arguments)?;
    let run = args::start_run(matches)?;
    let start = Instant::now();

    let beside = Beside { within, covariates: None };
    let Data { table, target, target_name, strata, mut warnings, .. } =
        source.read(target_column, TargetKind::Auto, beside, &run)?;
    let target_column = target_name.as_str();
    let permutations = match repetitions {
        None => None,
        Some(_) => {
            let permutations = Permutations::new(&target, strata.as_ref(), None, run.seed());
            Some(permutations.map_err(|error| error.in_file(source.name()))?)
        }
    };
    warnings.extend(permutations.iter().flat_map(Permutations::warnings).cloned());
    let splits = scheme.splits(&target, &run).map_err(|error| error.in_file(source.name()))?;
    let usual = USUAL[usize::from(matches!(target, Target::Real(_)))];
    let methods = given.map_or(usual, String::as_str);
    let candidates = match stated {
        Some(stated) => stated,
        None => {
            let (fitting, left_out): (Vec<_>, Vec<_>) =
                ParameterGrid::parse_list(usual, knn.scaling)?
                    .into_iter()
                    .partition(|candidate| candidate.obstacle(&table).is_none());
            if !left_out.is_empty() && !args::quiet(matches) {
                let why = |one: &ParameterGrid| {
                    format!("{} ({})", one.label(), one.obstacle(&table).unwrap_or_default())
                };
                let list: Vec<String> = left_out.iter().map(why).collect();
                say(&format!("left out of the usual methods: {}", list.join(", ")));
            }
            fitting
        }
    };
    let subject = Subject::new(
        source.name().to_string_lossy(),
        &table,
        Some((target_column, &target)),
        audience(),
    );
    let mut options = json!({
        "methods": methods,
        "folds": text("folds"),
        "repeats": scheme.repeats,
        "inner_folds": scheme.inner,
        "k": counts,
        "dimensions": text("dimensions"),
        "metric": text("metric"),
        "scale": text("scale"),
        "weights": text("weights"),
    });
    if let Some(within) = within {
        options["within"] = within.into();
    }
    let record = json!({
        "basrelief": env!("CARGO_PKG_VERSION"),
        "evaluation": options,
        "seed": run.seed(),
        "data": contents(&table, &target, strata.as_ref()),
    });
    // No part of the record: more permutations go on from fewer.
    if let Some(repetitions) = repetitions {
        options["permutations"] = repetitions.into();
    }
    let folder = match directory {
        Some(path) => Some(open(path, &record)?),
        None => None,
    };
    if let Some(folder) = folder.as_ref().filter(|folder| folder.finished() > 0)
        && !args::quiet(matches)
    {
        say(&format!(
            "{} finished before are not computed again",
            counted(folder.finished(), "cell")
        ));
    }
    let nested_cv = NestedCv {
        table: &table,
        target: &target,
        knn,
        dimensions,
        counts: counts.clone(),
        folds: scheme.inner,
    };
    let checkpoints: &dyn Checkpoints = folder.as_ref().map_or(&NoCheckpoints, |folder| folder);
    let begun = Instant::now();
    let is_new = folder.as_ref().is_none_or(|folder| folder.finished() == 0);
    let cells = compare(&nested_cv, &candidates, &splits, "", checkpoints, &run)
        .map_err(|error| error.in_file(source.name()))?;
    run.check()?;
    let seconds = begun.elapsed().as_secs_f64();
    warnings.extend(told(&candidates, &cells));
    let rows = comparison_rows(&cells, scheme.overlap(&splits));
    let by_chance = match (&permutations, repetitions) {
        (Some(permutations), Some(repetitions)) => {
            if !args::quiet(matches) {
                say(&format!("permuting the target {repetitions} times"));
            }
            // What was finished before says nothing of the time.
            if is_new && !args::quiet(matches) {
                let goes_on = "--output DIR goes on";
                let count = repetitions as u64;
                say(&cost(count, "evaluation", false, seconds, run.threads(), goes_on));
            }
            let losses: Vec<Option<f64>> = rows.iter().map(|row| row.loss).collect();
            let null = Null { permutations, repetitions, scheme: &scheme, checkpoints };
            let (found, failed) = null
                .p_values(&nested_cv, &candidates, &losses, &run)
                .map_err(|error| error.in_file(source.name()))?;
            warnings.extend(failed);
            Some(found)
        }
        _ => None,
    };

    let evaluation = Evaluation {
        subject,
        options,
        scheme: &scheme,
        candidates: &candidates,
        comparison_rows: rows,
        by_chance,
        cells: &cells,
        warnings: &warnings,
        seconds: start.elapsed().as_secs_f64(),
        run: &run,
    };
    let shown = match text("format") {
        "json" => format!("{:#}\n", evaluation.json()),
        "csv" => evaluation.csv(),
        _ => {
            let look = look_of_standard_output();
            look.spell(&evaluation.table(look))
        }
    };
    if let (Some(folder), Some(path)) = (folder, directory) {
        let plain = evaluation.table(Look { width: 80, colors: false, ascii: false });
        let json = format!("{:#}\n", evaluation.json());
        let (by_split, by_dimensions) = (evaluation.csv(), evaluation.curve_csv());
        let figure = evaluation.figure()?;
        let texts = [Some(json), Some(by_split), Some(by_dimensions), Some(plain), figure];
        let files = FILES.into_iter().zip(&texts);
        folder.write(files.filter_map(|(name, text)| Some((name, text.as_deref()?))))?;
        if !args::quiet(matches) {
            say(&format!("wrote figures, numbers and this table to {}", path.display()));
        }
    }
    if let Some(report) = &report {
        let page = evaluation.page(&report.options)?.to_html()?;
        report.write(&report.options.page(page, || evaluation.json()))?;
        if !args::quiet(matches) {
            report.files().for_each(|file| say(&format!("wrote {}", file.display())));
        }
    }
    let show = if text("format") == "csv" { print_data } else { print };
    show(&shown)?;
    if !args::quiet(matches) {
        note_warnings(&warnings);
        say(&format!("evaluated in {:.1} s", evaluation.seconds));
    }
    report.map_or(Ok(()), |report| report.open())
}

/// A folder for results.
fn open(path: &Path, record: &Value) -> Result<ResultsFolder> {
    if path.is_file() {
        return Err(Error::option(
            "output",
            format!("{} is a file", path.display()),
            "name a folder: an evaluation has several results",
        ));
    }
    ResultsFolder::open(path, record)
}

/// How rows are split.
#[derive(Debug)]
struct Scheme {
    /// Parts of a cross-validation; `None` for leave-one-out.
    folds: Option<usize>,
    repeats: usize,
    inner: usize,
}

impl Scheme {
    fn from_args(matches: &ArgMatches) -> Result<Self> {
        let text = matches.get_one::<String>("folds").map_or("", String::as_str);
        let folds = match text {
            "loo" => None,
            text => Some(text.parse().map_err(|_| {
                let problem = format!("`{text}` is neither `loo` nor a whole number");
                Error::option("folds", problem, "10 is usual")
            })?),
        };
        let count = |name: &str| matches.get_one::<usize>(name).copied().unwrap_or(1);
        let (repeats, inner) = (count("repeats"), count("inner-folds"));
        if folds.is_none() && repeats > 1 {
            return Err(Error::option(
                "repeats",
                "leave-one-out is the same every time",
                "leave the option out, or give a number of folds",
            ));
        }
        if repeats > MOST_REPEATS {
            return Err(Error::option(
                "repeats",
                format!("{repeats} are more than anybody waits for"),
                format!("give at most {MOST_REPEATS}"),
            ));
        }
        if inner < 2 {
            let problem = format!("{inner} folds leave nothing to learn from or to test on");
            return Err(Error::option("inner_folds", problem, "5 is usual"));
        }
        Ok(Self { folds, repeats, inner })
    }

    fn splits(&self, target: &Target, run: &Run) -> Result<Vec<Split>> {
        let Some(parts) = self.folds else {
            if target.rows() < 2 {
                return Err(Error::data(
                    "one row cannot be learned from and tested",
                    "give more rows",
                ));
            }
            if target.rows() > MOST_LEFT_OUT {
                return Err(Error::option(
                    "folds",
                    format!("leave-one-out of {} rows learns each method as often", target.rows()),
                    format!("it is for at most {MOST_LEFT_OUT} rows: give a number of folds"),
                ));
            }
            return Ok(leave_one_out(target.rows()));
        };
        let mut splits = Vec::new();
        for repeat in 0..self.repeats {
            splits.extend(folds(target, parts, derived_seed(run.seed(), &[repeat as u64]))?);
        }
        Ok(splits)
    }

    /// Rows tested over rows learned from, in the mean.
    fn overlap(&self, splits: &[Split]) -> f64 {
        let (tested, learned) = splits.iter().fold((0, 0), |(tested, learned), split| {
            (tested + split.test.len(), learned + split.train.len())
        });
        tested as f64 / learned as f64
    }

    fn words(&self) -> String {
        match (self.folds, self.repeats) {
            (None, _) => "leave-one-out".to_string(),
            (Some(parts), 1) => format!("{parts}-fold cross-validation"),
            (Some(parts), repeats) => format!("{parts}-fold cross-validation, {repeats} times"),
        }
    }
}

/// Whole numbers of at least 1, ascending.
fn numbers(option: &str, text: &str) -> Result<Vec<usize>> {
    let number = |part: &str| match part.trim().parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err(Error::option(
            option,
            format!("`{part}` is no whole number of at least 1"),
            "write numbers with commas between, as 1,3,5",
        )),
    };
    let mut numbers = text.split(',').map(number).collect::<Result<Vec<usize>>>()?;
    numbers.sort_unstable();
    numbers.dedup();
    Ok(numbers)
}

fn dimensions(text: &str) -> Result<Dimensions> {
    Ok(match text {
        "all" => Dimensions::All,
        "spread" => Dimensions::Spread,
        "every" => Dimensions::Every,
        text => Dimensions::Some(numbers("dimensions", text)?),
    })
}

/// What the methods warned of, each kind of warning once, with those that gave it.
fn told(candidates: &[ParameterGrid], cells: &[Vec<Cell>]) -> Vec<Warning> {
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

/// Evaluations of permuted targets: how good a method is by chance.
struct Null<'n> {
    permutations: &'n Permutations<'n>,
    repetitions: usize,
    scheme: &'n Scheme,
    checkpoints: &'n dyn Checkpoints,
}

impl Null<'_> {
    /// For every candidate that was tested `(1 + permutations whose loss is no greater) / (1 +
    /// permutations)`, and a warning of permutations that failed, which count as no greater.
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
            let splits = self.scheme.splits(&target, run)?;
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

/// A finished evaluation.
struct Evaluation<'a> {
    subject: Subject<'a>,
    options: Value,
    scheme: &'a Scheme,
    candidates: &'a [ParameterGrid],
    comparison_rows: Vec<ComparisonRow>,
    /// The p-values of permutations, where some were asked for.
    by_chance: Option<Vec<Option<f64>>>,
    cells: &'a [Vec<Cell>],
    warnings: &'a [Warning],
    seconds: f64,
    run: &'a Run,
}

impl Evaluation<'_> {
    /// Whether losses are shares of wrong classes.
    fn is_error(&self) -> bool {
        self.subject.has_classes()
    }

    fn measure(&self) -> &'static str {
        if self.is_error() { "error" } else { "mean squared error" }
    }

    /// A loss for people: a share as percent.
    fn loss(&self, value: f64) -> String {
        if self.is_error() { format!("{:.2}", 100.0 * value) } else { format!("{value:.4}") }
    }

    /// Places of the candidates from the least loss to the greatest, failed ones last.
    fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.candidates.len()).collect();
        let loss = |place: usize| self.comparison_rows[place].loss.unwrap_or(f64::INFINITY);
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
                let gap = " ".repeat(width - cell.width());
                line.push_str(&if place == 0 {
                    format!("{cell}{gap}")
                } else {
                    format!("  {gap}{cell}")
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
        if self.by_chance.is_some() {
            text.push_str(
                "p (chance): permutations of the target after which the loss is no greater\n",
            );
        }
        text
    }

    /// The table: its heads, then a row of cells for every method that has a loss, the least first; and why
    /// the others failed.
    fn rows(&self) -> (Vec<Vec<String>>, Vec<String>) {
        let head = if self.is_error() { "error %" } else { "mse" };
        // Of maps, these are components.
        let heads = ["method", head, "± se", "features", "k", "fit s", "p"].map(String::from);
        let mut rows = vec![heads.to_vec()];
        if self.by_chance.is_some() {
            rows[0].push("p (chance)".to_string());
        }
        let mut failures = Vec::new();
        for place in self.order() {
            let (candidate, compared) = (&self.candidates[place], &self.comparison_rows[place]);
            let name = cut(candidate.label(), 40);
            let Some(loss) = compared.loss else {
                let why = compared.failure.as_deref().unwrap_or("");
                failures.push(format!("{name} failed: {}", spelled(why)));
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
                self.loss(loss),
                compared.error.map_or(String::new(), |error| self.loss(error)),
                of(compared.dimensions, 1),
                self.usual_neighbors(place),
                of(compared.seconds, 3),
                p,
            ];
            row.extend(self.by_chance.as_ref().map(|found| of(found[place], 4)));
            rows.push(row);
        }
        (rows, failures)
    }

    /// The page: the methods with their losses, the curve, and what was chosen.
    fn page(&self, options: &PageOptions) -> Result<SectionsReport> {
        let mut account = account(&self.subject, options.command.clone());
        account.tell("Evaluation", format!("k-NN after each method: {}", self.scheme.words()));
        let time =
            options.with_time.then(|| (format!("{:.1} s", self.seconds), self.run.threads()));
        tell_run(&mut account, self.run.seed(), time, (self.warnings, self.subject.audience()));
        account.options = match &self.options {
            Value::Object(options) => {
                options.iter().map(|(name, value)| (name.clone(), plain_text(value))).collect()
            }
            _ => Vec::new(),
        };
        let section = |heading: &str, blocks| Section { heading: heading.to_string(), blocks };
        let mut sections = vec![section("Methods", self.method_blocks(options.with_time))];
        if let Some(svg) = self.figure()? {
            let alt = format!(
                "{} by the number of features or components, a curve for each method",
                self.measure()
            );
            let figure = Block::Figure { svg, alt };
            let told = Block::Text(format!(
                "The mean {} over the test rows when only the best so many features, or the first so many \
                 components of a map, count. A dotted level is a method that always counts all.",
                self.measure()
            ));
            sections.push(section("By the number of features or components", vec![told, figure]));
        }
        sections.push(section("What was chosen", vec![Block::Table(self.choices())]));
        Ok(SectionsReport {
            title: format!("Evaluation of {}", account.data),
            answer: self.answer(),
            account,
            sections,
        })
    }

    /// Which methods are best, as far as they can be told apart, and which are worse.
    fn answer(&self) -> Vec<Piece> {
        let told: Vec<usize> = self
            .order()
            .into_iter()
            .filter(|&place| self.comparison_rows[place].loss.is_some())
            .collect();
        let words = |text: String| Piece::Words(text);
        let Some((&best, others)) = told.split_first() else {
            return vec![words("Every method failed.".to_string())];
        };
        let unit = if self.is_error() { " %" } else { "" };
        let row = |place: usize| &self.comparison_rows[place];
        let loss = |place: usize| {
            row(place).loss.map_or(String::new(), |loss| format!("{}{unit}", self.loss(loss)))
        };
        let error = row(best)
            .error
            .map_or(String::new(), |error| format!(" (standard error {}{unit})", self.loss(error)));
        let (worse, near): (Vec<usize>, Vec<usize>) =
            others.iter().partition(|&&place| row(place).corrected.is_some_and(|p| p <= WORSE));
        // Those as good as the best, to the digit, lead with it.
        let is_equal = |&place: &usize| loss(place) == loss(best);
        let (equal, near): (Vec<usize>, Vec<usize>) = near.into_iter().partition(is_equal);
        let leaders: Vec<usize> = [best].into_iter().chain(equal).collect();
        let mut answer = Vec::new();
        self.name_all(&leaders, &mut answer);
        let measure = self.measure();
        let article = if self.is_error() { "an" } else { "a" };
        let lead = match leaders.len() {
            1 if others.is_empty() => format!(" has {article} {measure} of {}{error}", loss(best)),
            1 => format!(" has the least {measure}, {}{error}", loss(best)),
            2 => format!(" have the least {measure}, both {}", loss(best)),
            _ => format!(" have the least {measure}, all {}", loss(best)),
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
            answer
                .push(words(format!(" ({range}) cannot be told apart from {them} (p > {WORSE})")));
        }
        answer.push(words(".".to_string()));
        if !worse.is_empty() {
            answer.push(words(" Significantly worse: ".to_string()));
            self.name_all(&worse, &mut answer);
            answer.push(words(format!(" (p ≤ {WORSE}).")));
        }
        if let Some(p) = self.by_chance.as_ref().and_then(|found| found[best]) {
            answer.push(words(format!(
                " Permuted targets give as low {article} {measure} with p = {p:.4}."
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
            sentence.push(Piece::Name(self.candidates[place].label().to_string()));
        }
        if more > 0 {
            sentence.push(Piece::Words(format!(" and {more} more")));
        }
    }

    fn method_blocks(&self, with_time: bool) -> Vec<Block> {
        let (mut rows, failed) = self.rows();
        let mut heads = rows.remove(0);
        heads[KEPT] = "kept".to_string();
        for (row, place) in rows.iter_mut().zip(self.order()) {
            let what = match self.candidates[place].gives_components() {
                true => "components",
                false => "features",
            };
            row[KEPT] = format!("{} {what}", row[KEPT]);
        }
        let is_told = |place: &usize| with_time || heads[*place] != "fit s";
        let is_last = |place: &usize| (KEPT..P).contains(place);
        let mut kept: Vec<usize> = (0..heads.len()).filter(is_told).collect();
        // What decides comes first.
        kept.sort_by_key(is_last);
        let placed = self.order().into_iter().filter_map(|place| {
            let compared = &self.comparison_rows[place];
            let loss = compared.loss?;
            let around = 2.0 * compared.error.unwrap_or(0.0);
            let factor = if self.is_error() { 100.0 } else { 1.0 };
            // No loss is below 0.
            let ends = [(loss - around).max(0.0), loss, loss + around];
            Some(Some(ends.map(|value| factor * value)))
        });
        let table = Table {
            caption: format!(
                "Methods, the best first. Dots are the {}{}, with two standard errors to either side",
                self.measure(),
                if self.is_error() { " in %" } else { "" }
            ),
            head: kept.iter().map(|&place| (heads[place].clone(), place > 0)).collect(),
            rows: rows
                .iter()
                .map(|row| kept.iter().map(|&place| row[place].clone()).collect())
                .collect(),
            groups: Vec::new(),
            intervals: Some(placed.collect()),
        };
        let mut blocks = vec![Block::Table(table)];
        blocks.extend(failed.into_iter().map(Block::Text));
        blocks.push(Block::Text(
            "± se: standard error over the splits. Kept: the mean number of features that weigh anything, or of \
             components of a map. k: the number of neighbors chosen most often. fit s: seconds to learn once. p: \
             paired t-test against the best, corrected for training rows that splits share (Nadeau & Bengio) \
             and for the number of comparisons (Holm). All that is chosen is chosen by cross-validation inside the training rows."
                .to_string(),
        ));
        blocks
    }

    /// How often each choice was made, over the splits.
    fn choices(&self) -> Table {
        let mut rows = Vec::new();
        for place in self.order() {
            let mut counts: BTreeMap<String, usize> = BTreeMap::new();
            for found in self.cells[place].iter().filter_map(Cell::outcome) {
                let mut words: Vec<String> =
                    found.options.iter().map(|(name, value)| format!("{name} {value}")).collect();
                words.push(format!("k {}", found.neighbors));
                *counts.entry(words.join(", ")).or_default() += 1;
            }
            let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
            // Those chosen equally often stay in the order of their words.
            counts.sort_by_key(|choice| std::cmp::Reverse(choice.1));
            let told: Vec<String> = counts
                .iter()
                .take(CHOICES)
                .map(|(words, times)| format!("{words} ({})", counted(*times, "split")))
                .collect();
            let more = if counts.len() > CHOICES { "; …" } else { "" };
            rows.push(vec![
                self.candidates[place].label().to_string(),
                format!("{}{more}", told.join("; ")),
            ]);
        }
        Table {
            caption: "Options and numbers of neighbors, by how many splits chose them".to_string(),
            head: vec![("method".to_string(), false), ("chosen".to_string(), false)],
            rows,
            ..Table::default()
        }
    }

    /// The number of neighbors chosen most often.
    fn usual_neighbors(&self, place: usize) -> String {
        let chosen: Vec<usize> = self.cells[place]
            .iter()
            .filter_map(Cell::outcome)
            .map(|found| found.neighbors)
            .collect();
        let times = |count: &usize| chosen.iter().filter(|other| *other == count).count();
        let mut distinct = chosen.clone();
        distinct.sort_unstable();
        distinct.dedup();
        // The least of those chosen equally often.
        let most = distinct.iter().rev().max_by_key(|count| times(count));
        most.map_or(String::new(), usize::to_string)
    }

    fn json(&self) -> Value {
        let methods: Vec<Value> = self
            .order()
            .into_iter()
            .map(|place| {
                let compared = &self.comparison_rows[place];
                let mut entry = json!({
                    "method": self.candidates[place].label(),
                    "loss": compared.loss,
                    "standard_error": compared.error,
                    "dimensions": compared.dimensions,
                    "fit_seconds": compared.seconds,
                    "difference_to_best": compared.test.map(|test| test.difference),
                    "p_value": compared.test.map(|test| test.p_value),
                    "corrected_p_value": compared.corrected,
                    "failure": compared.failure,
                    "splits": self.cells[place].iter().map(Cell::to_json).collect::<Vec<_>>(),
                });
                if let Some(found) = &self.by_chance {
                    entry["permutation_p_value"] = found[place].into();
                }
                entry
            })
            .collect();
        json!({
            "basrelief": env!("CARGO_PKG_VERSION"),
            "measure": self.measure(),
            "options": self.options,
            "seed": self.run.seed(),
            "threads": self.run.threads(),
            "data": self.subject.json(),
            "methods": methods,
            "warnings": self.subject.warnings_json(self.warnings),
            "seconds": self.seconds,
        })
    }

    /// A line per method and split.
    fn csv(&self) -> String {
        let more = if self.by_chance.is_some() { ",permutation_p_value" } else { "" };
        let mut text =
            format!("method,split,loss,dimensions,neighbors,options,fit_seconds{more}\n");
        for (place, (candidate, cells)) in self.candidates.iter().zip(self.cells).enumerate() {
            let p = self.by_chance.as_ref().and_then(|found| found[place]);
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
                    quoted(candidate.label()),
                    found.loss,
                    found.dimensions,
                    found.neighbors,
                    quoted(&options.join(" ")),
                    found.seconds,
                    p.map_or(String::new(), |p| format!(",{p}"))
                );
            }
        }
        text
    }

    /// The mean losses by the number of dimensions, a split with fewer counting with all it has.
    fn curves(&self) -> Vec<(&str, Vec<(usize, f64)>)> {
        let mut all = Vec::new();
        for (candidate, cells) in self.candidates.iter().zip(self.cells) {
            let found: Vec<_> = cells.iter().filter_map(Cell::outcome).collect();
            let mut numbers: Vec<usize> =
                found.iter().flat_map(|found| &found.curve).map(|rate| rate.dimensions).collect();
            numbers.sort_unstable();
            numbers.dedup();
            let mean = |number: usize| {
                let sum: f64 = found.iter().map(|found| found.loss_with(number)).sum();
                (number, sum / found.len() as f64)
            };
            all.push((candidate.label(), numbers.into_iter().map(mean).collect()));
        }
        all
    }

    fn curve_csv(&self) -> String {
        let mut text = String::from("method,dimensions,mean_loss\n");
        for (label, curve) in self.curves() {
            for (dimensions, loss) in curve {
                let _ = writeln!(text, "{},{dimensions},{loss}", quoted(label));
            }
        }
        text
    }

    /// The loss by the number of features or components; `None` where there is no curve.
    fn figure(&self) -> Result<Option<String>> {
        let all = self.curves();
        let factor = if self.is_error() { 100.0 } else { 1.0 };
        let drawn: Vec<Curve> = all
            .iter()
            .filter(|(_, curve)| !curve.is_empty())
            .map(|(label, curve)| {
                let point = |&(dimensions, loss): &(usize, f64)| (dimensions as f64, factor * loss);
                Curve { name: (*label).to_string(), points: curve.iter().map(point).collect() }
            })
            .collect();
        if drawn.is_empty() {
            return Ok(None);
        }
        let panel = Panel {
            title: String::new(),
            x_label: "features or components".to_string(),
            y_label: if self.is_error() {
                "error %".to_string()
            } else {
                self.measure().to_string()
            },
            curves: drawn,
        };
        curves("k-NN after each method", 1, &[panel]).map(Some)
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

/// A field of a CSV file.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_string()
    }
}
