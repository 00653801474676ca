//! `basrelief evaluate`: which method helps these data?

use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use basrelief::data::{Split, Table, Target, TargetKind, Values, folds, leave_one_out};
use basrelief::evaluate::{
    Cell, ComparisonRow, Dimensions, KnnSettings, NestedCv, NoCheckpoints, ParameterGrid,
    WeightUse, compare, comparison_rows,
};
use basrelief::methods::Scaling;
use basrelief::neighbors::Metric;
use basrelief::{Error, FrontEnd, Result, Run, Warning, derived_seed};
use basrelief_io::{Fingerprint, ResultsFolder};
use basrelief_report::figures::{Curve, Panel, curves};
use clap::ArgMatches;
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use crate::args;
use crate::exit::{Outcome, say};
use crate::input::Input;
use crate::output::print;
use crate::subject::{Subject, tell_warnings, warnings_json};
use crate::text::{Look, counted, cut, wrapped};

/// What is compared unless the user names methods: for classes, and for a number.
const USUAL: [&str; 2] =
    ["euclidean,relieff,multisurf,lda,lfe", "euclidean,rrelieff,multisurf,pca"];

/// Repeats that are offered.
const MOST_REPEATS: usize = 1000;

/// Rows that leave-one-out is offered for.
const MOST_LEFT_OUT: usize = 3000;

/// Runs the verb.
pub(crate) fn run(matches: &ArgMatches) -> Outcome {
    // Everything that can be refused is refused before the data are read.
    let text = |name: &str| matches.get_one::<String>(name).map_or("", String::as_str);
    let knn = KnnSettings {
        metric: if text("metric") == "manhattan" { Metric::Manhattan } else { Metric::Euclidean },
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
    let input = Input::from_args(matches)?;
    let directory = args::path(matches, "output");
    let run = args::start_run(matches)?;
    let start = Instant::now();

    let target_column = text("target");
    let (table, target, mut warnings) = input.problem(target_column, TargetKind::Auto, &run)?;
    let splits = scheme.splits(&target, &run).map_err(|error| error.in_file(input.path()))?;
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
    let subject =
        Subject::new(input.path().to_string_lossy(), &table, Some((target_column, &target)));
    let options = json!({
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
    let record = json!({
        "basrelief": env!("CARGO_PKG_VERSION"),
        "evaluation": options,
        "seed": run.seed(),
        "data": contents(&table, &target),
    });
    let folder = match directory {
        Some(path) => Some(open(path, &input, &record)?),
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
    let cells = match &folder {
        Some(folder) => compare(&nested_cv, &candidates, &splits, "", folder, &run),
        None => compare(&nested_cv, &candidates, &splits, "", &NoCheckpoints, &run),
    };
    let cells = cells.map_err(|error| error.in_file(input.path()))?;
    run.check()?;
    warnings.extend(told(&candidates, &cells));

    let evaluation = Evaluation {
        subject,
        options,
        scheme: &scheme,
        candidates: &candidates,
        comparison_rows: comparison_rows(&cells, scheme.overlap(&splits)),
        cells: &cells,
        warnings: &warnings,
        seconds: start.elapsed().as_secs_f64(),
        run: &run,
    };
    let shown = match text("format") {
        "json" => format!("{:#}\n", evaluation.json()),
        "csv" => evaluation.csv(),
        _ => {
            let look = Look::of_standard_output();
            look.spell(&evaluation.table(look))
        }
    };
    if let (Some(folder), Some(path)) = (folder, directory) {
        let plain = evaluation.table(Look { width: 80, colors: false, ascii: false });
        let json = format!("{:#}\n", evaluation.json());
        let (by_split, by_dimensions) = (evaluation.csv(), evaluation.curve_csv());
        let mut files = vec![
            ("results.json", json.as_str()),
            ("results.csv", by_split.as_str()),
            ("curves.csv", by_dimensions.as_str()),
            ("summary.txt", plain.as_str()),
        ];
        let figure = evaluation.figure()?;
        files.extend(figure.as_ref().map(|figure| ("curves.svg", figure.as_str())));
        folder.write(files)?;
        if !args::quiet(matches) {
            say(&format!("wrote figures, numbers and this table to {}", path.display()));
        }
    }
    print(&shown)?;
    if !args::quiet(matches) {
        tell_warnings(&warnings);
        say(&format!("evaluated in {:.1} s", evaluation.seconds));
    }
    Ok(())
}

/// A folder for results, which is not that of the data themselves.
fn open(path: &Path, input: &Input<'_>, record: &Value) -> Result<ResultsFolder> {
    if path.is_file() {
        return Err(Error::option(
            "output",
            format!("{} is a file", path.display()),
            "name a folder: an evaluation has several results",
        ));
    }
    input.refuse_overwriting("output", path)?;
    ResultsFolder::open(path, record)
}

/// What tells these data from others: names, kinds and values of all columns, and the target.
fn contents(table: &Table<'_>, target: &Target) -> String {
    let mut print = Fingerprint::default();
    let mut values = Vec::new();
    for column in table.columns() {
        print.add(column.name().as_bytes());
        print.add(column.kind().name().as_bytes());
        if let Values::Categorical(categories) = column.values() {
            categories.levels().iter().for_each(|level| print.add(level.as_bytes()));
        }
        column.copy_values(&mut values);
        values.iter().for_each(|value| print.add(&value.to_le_bytes()));
    }
    match target {
        Target::Classes(classes) => {
            classes.names().iter().for_each(|name| print.add(name.as_bytes()));
            classes.codes().iter().for_each(|code| print.add(&code.to_le_bytes()));
        }
        Target::Real(values) => values.iter().for_each(|value| print.add(&value.to_le_bytes())),
    }
    print.to_string()
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

/// A finished evaluation.
struct Evaluation<'a> {
    subject: Subject<'a>,
    options: Value,
    scheme: &'a Scheme,
    candidates: &'a [ParameterGrid],
    comparison_rows: Vec<ComparisonRow>,
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
                    "k-NN after each method: {}; what is chosen is chosen inside the rows learned \
                     from",
                    self.scheme.words()
                ),
                look.width
            )
        );
        let head = if self.is_error() { "error %" } else { "mse" };
        let mut rows =
            vec![["method", head, "± se", "features", "k", "fit s", "p"].map(String::from)];
        let mut failures = String::new();
        for place in self.order() {
            let (candidate, compared) = (&self.candidates[place], &self.comparison_rows[place]);
            let name = cut(candidate.label(), 40);
            let Some(loss) = compared.loss else {
                let why = compared.failure.as_deref().unwrap_or("");
                let line = format!("{name} failed: {}", FrontEnd::MethodList.spell(why));
                let _ = writeln!(failures, "{}", wrapped(&line, look.width));
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
            rows.push([
                name,
                self.loss(loss),
                compared.error.map_or(String::new(), |error| self.loss(error)),
                of(compared.dimensions, 1),
                self.usual_neighbors(place),
                of(compared.seconds, 3),
                p,
            ]);
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
             corrected for rows learned from again and again (Nadeau & Bengio) and for\n\
             many comparisons (Holm)\n",
        );
        text
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
                json!({
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
                })
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
            "warnings": warnings_json(self.warnings),
            "seconds": self.seconds,
        })
    }

    /// A line per method and split.
    fn csv(&self) -> String {
        let mut text = String::from("method,split,loss,dimensions,neighbors,options,fit_seconds\n");
        for (candidate, cells) in self.candidates.iter().zip(self.cells) {
            for (split, found) in cells.iter().enumerate() {
                let Some(found) = found.outcome() else { continue };
                let options: Vec<String> = found
                    .options
                    .iter()
                    .map(|(option, value)| format!("{option}={value}"))
                    .collect();
                let _ = writeln!(
                    text,
                    "{},{split},{},{},{},{},{}",
                    quoted(candidate.label()),
                    found.loss,
                    found.dimensions,
                    found.neighbors,
                    quoted(&options.join(" ")),
                    found.seconds
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
        let most = all.iter().flat_map(|(_, curve)| curve.iter().map(|point| point.0)).max();
        let factor = if self.is_error() { 100.0 } else { 1.0 };
        let drawn: Vec<Curve> = all
            .iter()
            .filter(|(_, curve)| !curve.is_empty())
            .map(|(label, curve)| {
                let point = |&(dimensions, loss): &(usize, f64)| (dimensions as f64, factor * loss);
                let mut points: Vec<(f64, f64)> = curve.iter().map(point).collect();
                // What has no order of its dimensions is a level line.
                if let ([only], Some(most)) = (points.as_slice(), most) {
                    points = vec![(1.0, only.1), (most.max(2) as f64, only.1)];
                }
                Curve { name: (*label).to_string(), points }
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

/// A field of a CSV file.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_string()
    }
}
