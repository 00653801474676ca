//! `--report`: the page of a result. What a command found becomes the plain data of a page here; how it
//! looks stands in the crate `basrelief-report`.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

use basrelief::data::{ColumnKind, Table, Target};
use basrelief::inference::Correction;
use basrelief::methods::map_method;
use basrelief::wording::setting;
use basrelief::{Error, FrontEnd, Result, Run};
use basrelief_io::check_writable;
use basrelief_report::RankingReport;
use basrelief_report::data::{
    Account, DecidedBy, FeatureTest, RankedFeature, RowMap, Shown, TargetSummary, TestSummary,
};
use clap::ArgMatches;
use serde_json::{Value, json};

use crate::args;
use crate::exit::Outcome;
use crate::input::{Input, refuse_same};
use crate::output::write_file;
use crate::ranking::Ranking;
use crate::subject::{Subject, range};
use crate::text::counted;

/// Features that are shown one by one, and of which the rows are mapped.
const BEST: usize = 12;

/// Rows that are mapped.
const MAPPED: usize = 1500;

/// Bins of a target's histogram.
const BINS: usize = 30;

/// What `--report` asks for.
#[derive(Debug)]
pub(crate) struct ReportArgs<'m> {
    file: &'m Path,
    json: Option<&'m Path>,
    open: bool,
    with_time: bool,
}

/// A page that is made and not yet written.
#[derive(Debug)]
pub(crate) struct Page {
    html: String,
    json: Option<String>,
}

impl<'m> ReportArgs<'m> {
    /// From the arguments, where they ask for a page; refuses what can be refused before the data are
    /// read. `output` is the file of the command's other result.
    ///
    /// # Errors
    /// The ending is not that of a page; the file is there, and nobody said to replace it; it cannot be
    /// written; it is the file of something else.
    pub(crate) fn from_args(
        matches: &'m ArgMatches,
        input: &Input<'_>,
        output: Option<&Path>,
    ) -> Result<Option<Self>> {
        let Some(file) = args::path(matches, "report") else { return Ok(None) };
        let json = args::path(matches, "report-json");
        require_ending(file, &["html", "htm"], "pages are HTML", "report.html")?;
        if let Some(json) = json {
            require_ending(json, &["json"], "it is JSON", "report.json")?;
        }
        for (file, option) in [(Some(file), "report"), (json, "report_json")] {
            let Some(file) = file else { continue };
            check_writable(file)?;
            input.refuse_overwriting(option, file)?;
            if let Some(output) = output {
                refuse_same((output, "output"), (file, option))?;
            }
            if file.exists() && !matches.get_flag("force") {
                return Err(Error::File {
                    path: file.to_path_buf(),
                    action: "write the report to it".to_string(),
                    cause: "the file exists".to_string(),
                    help: format!(
                        "name another file, or replace it with {}",
                        setting("force", None)
                    ),
                });
            }
        }
        if let Some(json) = json {
            refuse_same((file, "report"), (json, "report_json"))?;
        }
        let (open, with_time) = (matches.get_flag("open"), !matches.get_flag("no-time"));
        Ok(Some(Self { file, json, open, with_time }))
    }

    /// The files that are written.
    pub(crate) fn files(&self) -> impl Iterator<Item = &'m Path> {
        [Some(self.file), self.json].into_iter().flatten()
    }

    /// Writes the page, and what stands behind it, each whole or not at all.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(crate) fn write(&self, page: &Page) -> Result<()> {
        write_file(self.file, &page.html)?;
        match (self.json, &page.json) {
            (Some(file), Some(text)) => write_file(file, text),
            _ => Ok(()),
        }
    }

    /// Opens the page with the system's program for it, where that was asked for.
    ///
    /// # Errors
    /// There is no such program.
    pub(crate) fn open(&self) -> Outcome {
        if !self.open {
            return Ok(());
        }
        let opener = match std::env::consts::OS {
            "macos" => "open",
            "windows" => "explorer",
            _ => "xdg-open",
        };
        let started = Command::new(opener)
            .arg(self.file)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        match started {
            // The Explorer of Windows ends with 1 when all is well.
            Ok(status) if status.success() || opener == "explorer" => Ok(()),
            Ok(status) => Err(self.cannot_open(opener, &status.to_string())),
            Err(cause) => Err(self.cannot_open(opener, &cause.to_string())),
        }
    }

    fn cannot_open(&self, opener: &str, cause: &str) -> crate::exit::Failure {
        Error::File {
            path: self.file.to_path_buf(),
            action: format!("open it with {opener}"),
            cause: cause.to_string(),
            help: "it is written: open it in a browser".to_string(),
        }
        .into()
    }

    /// The page of a ranking.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(crate) fn ranking(
        &self,
        ranking: &Ranking<'_>,
        arguments: &[OsString],
        run: &Run,
    ) -> Result<Page> {
        let account = self.account_of_ranking(ranking, arguments);
        let report = ranking_report(ranking, account, run)?;
        let html = report.to_html()?;
        let json = self.json.map(|_| {
            let mut all = ranking.value(None);
            all["report"] = behind(&report);
            if !self.with_time {
                without_times(&mut all);
            }
            format!("{all:#}\n")
        });
        Ok(Page { html, json })
    }

    fn account_of_ranking(&self, ranking: &Ranking<'_>, arguments: &[OsString]) -> Account {
        let mut account = account(ranking.subject(), arguments);
        let fact = |label: &str, text: String| (label.to_string(), text);
        let method = ranking.method_line();
        let method = method.strip_prefix("method ").unwrap_or(method).to_string();
        account.facts.push(fact("Method", method));
        account.facts.extend(
            ranking.tested().map(|tested| fact("Test", tested.summary().replace("<=", "≤"))),
        );
        let (seed, threads) = ranking.run();
        account.facts.push(fact("Seed", seed.to_string()));
        if self.with_time {
            account.facts.push(fact(
                "Time",
                format!(
                    "{:.3} s{} on {}",
                    ranking.seconds(),
                    ranking.test_note(),
                    counted(threads, "thread")
                ),
            ));
        }
        account.facts.push(fact("Version", format!("basrelief {}", account.version)));
        let recipe = ranking.recipe();
        let own = recipe.settings.iter().map(|(name, value)| (name.to_string(), value.to_string()));
        account.options.extend(own);
        for wrapper in recipe.wrappers {
            let name = wrapper.info().name;
            let own = wrapper.settings().iter();
            account
                .options
                .extend(own.map(|(o, value)| (format!("{name}: {o}"), value.to_string())));
        }
        let warnings = ranking.warnings().iter();
        account.warnings.extend(warnings.map(|warning| warning.message(FrontEnd::CommandLine)));
        account
    }
}

/// Refuses a file whose name does not end so.
fn require_ending(file: &Path, endings: &[&str], what: &str, example: &str) -> Result<()> {
    let ending = file.extension().map(|ending| ending.to_ascii_lowercase());
    if ending.is_some_and(|ending| endings.iter().any(|known| ending == *known)) {
        return Ok(());
    }
    let list: Vec<String> = endings.iter().map(|ending| format!(".{ending}")).collect();
    let cause = format!("the ending of its name is not {}", list.join(" or "));
    let mut help = format!("{what}: give a name as {example}");
    if file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("pdf")) {
        help.push_str("; a browser prints the page to PDF");
    }
    Err(Error::File {
        path: file.to_path_buf(),
        action: "write the report to it".to_string(),
        cause,
        help,
    })
}

/// What is told of data and command.
fn account(subject: &Subject<'_>, arguments: &[OsString]) -> Account {
    let fact = |label: &str, text: String| (label.to_string(), text);
    let table = subject.table();
    let cells = (table.rows() * table.width()).max(1) as f64;
    let missing = match subject.missing() {
        0 => "none".to_string(),
        count => format!("{} ({:.2} %)", counted(count, "value"), 100.0 * count as f64 / cells),
    };
    Account {
        data: Path::new(subject.file())
            .file_name()
            .map_or(subject.file().to_string(), |name| name.to_string_lossy().into_owned()),
        facts: vec![
            fact("Data", subject.file().to_string()),
            fact("Rows", table.rows().to_string()),
            fact("Features", format!("{} ({})", table.width(), subject.kinds())),
            fact("Missing", missing),
        ],
        options: Vec::new(),
        target: subject.target().map(|(name, target)| target_summary(name, target)),
        warnings: Vec::new(),
        command: Some(command_line(arguments)),
        version: env!("CARGO_PKG_VERSION").to_string(),
    }
}

fn target_summary(name: &str, target: &Target) -> TargetSummary {
    let name = name.to_string();
    match target {
        Target::Classes(classes) => {
            let counts = classes.counts().iter().copied();
            let classes = classes.names().iter().cloned().zip(counts).collect();
            TargetSummary::Classes { name, classes }
        }
        Target::Real(values) => {
            let (least, greatest) = range(values);
            let mut counts = vec![0; BINS];
            let width = (greatest - least) / BINS as f64;
            for value in values {
                let bin = if width > 0.0 { ((value - least) / width) as usize } else { 0 };
                counts[bin.min(BINS - 1)] += 1;
            }
            TargetSummary::Real { name, least, greatest, counts }
        }
    }
}

/// The command, quoted for a shell.
fn command_line(arguments: &[OsString]) -> String {
    let mut words = vec!["basrelief".to_string()];
    for argument in arguments.iter().skip(1) {
        let text = argument.to_string_lossy();
        // Only a zero byte cannot be quoted, and no argument holds one.
        words.push(
            shlex::try_quote(&text).map_or_else(|_| text.to_string(), |word| word.into_owned()),
        );
    }
    words.join(" ")
}

/// The plain data of the page of a ranking.
fn ranking_report(ranking: &Ranking<'_>, account: Account, run: &Run) -> Result<RankingReport> {
    let subject = ranking.subject();
    let table = subject.table();
    let tested = ranking.tested();
    let order: Vec<usize> = ranking.order().collect();
    let features: Vec<RankedFeature> = ranking
        .features()
        .zip(&order)
        .map(|((name, rank, weight), &column)| RankedFeature {
            name: name.to_string(),
            kind: table.columns()[column].kind().name(),
            weight,
            rank,
            missing: table.columns()[column].missing() as f64 / table.rows().max(1) as f64,
            test: tested.map(|tested| {
                let (p, adjusted, q) = tested.found(column);
                FeatureTest { p, adjusted, q, selected: tested.is_selected(column) }
            }),
        })
        .collect();
    let test = tested.map(|tested| TestSummary {
        criterion: tested.criterion().replace("<=", "≤"),
        adjusted_name: tested.adjusted_name().to_string(),
        q_name: tested.q_name().to_string(),
        chance_weight: tested.chance_weight(),
        alpha: tested.alpha(),
        chance_decides: tested.correction() == Correction::MaxT,
        decided_by: match tested.correction() {
            Correction::MaxT | Correction::MinP => DecidedBy::Adjusted,
            Correction::Fdr | Correction::Storey => DecidedBy::Q,
            Correction::None => DecidedBy::P,
        },
    });
    let best = &order[..order.len().min(BEST)];
    let map = match subject.target() {
        Some((_, Target::Classes(_))) => row_map(table, subject.target(), best, run)?,
        _ => None,
    };
    Ok(RankingReport {
        account,
        features,
        test,
        how_to_test: "--permutations 1000".to_string(),
        profiles: Vec::new(),
        interactions: None,
        redundancy: None,
        map,
        where_all: "--report-json FILE".to_string(),
    })
}

/// The rows in the two best dimensions of LFE on the columns of these features, or why not.
fn row_map(
    table: &Table<'_>,
    target: Option<(&str, &Target)>,
    best: &[usize],
    run: &Run,
) -> Result<Option<Shown<RowMap>>> {
    let Some((_, target @ Target::Classes(classes))) = target else { return Ok(None) };
    let is_number = |&column: &usize| table.columns()[column].kind() != ColumnKind::Categorical;
    let columns: Vec<usize> = best.iter().copied().filter(is_number).collect();
    let left_out =
        |why: &str| Ok(Some(Shown::No(format!("A map of the rows is left out: {why}."))));
    if columns.len() < 2 {
        return left_out("it takes two of the best features that are numbers or genotypes");
    }
    let table = table.select_columns(&columns);
    let is_whole = |row: &usize| table.columns().iter().all(|column| !column.value(*row).is_nan());
    let whole: Vec<usize> = (0..table.rows()).filter(is_whole).collect();
    // Of every class as many in proportion, evenly spaced.
    let share = (MAPPED as f64 / whole.len().max(1) as f64).min(1.0);
    let mut seen = vec![0_usize; classes.len()];
    let rows: Vec<usize> = whole
        .iter()
        .copied()
        .filter(|&row| {
            let count = &mut seen[classes.codes()[row] as usize];
            let before = (*count as f64 * share).floor();
            *count += 1;
            (*count as f64 * share).floor() > before
        })
        .collect();
    if rows.len() < 3 {
        return left_out("hardly any row is complete in the best features");
    }
    let (table, target) = (table.select_rows(&rows), target.select_rows(&rows)?);
    let info = map_method("lfe")?;
    let settings = info.settings(&[("components", "2"), ("scale", "standard")])?;
    let fitted = match info.fit(&table, Some(&target), &settings, &run.part(run.seed())) {
        Ok(fitted) => fitted,
        Err(Error::Cancelled) => return Err(Error::Cancelled),
        Err(error) => {
            let why = FrontEnd::CommandLine.spell(&error.marked());
            return left_out(&why);
        }
    };
    let mapped = run.install(|| fitted.map.transform_table(&table))?;
    if mapped.columns() < 2 {
        return left_out("the best features have one dimension only");
    }
    let Target::Classes(classes) = &target else { return Ok(None) };
    let all_names = classes.names();
    let group = |code: usize| {
        let of_class = |row: &usize| classes.codes()[*row] as usize == code;
        let points = (0..mapped.rows()).filter(of_class).map(|row| {
            let row = mapped.row(row);
            (row[0], row[1])
        });
        (all_names[code].clone(), code, points.collect())
    };
    let names: Vec<&str> = table.columns().iter().map(|column| column.name()).take(4).collect();
    let more = if columns.len() > names.len() { ", …" } else { "" };
    let of_all = match rows.len() == classes_rows(&seen) {
        true => String::new(),
        false => format!(" Of the rows, {} are drawn.", rows.len()),
    };
    let how = format!(
        "Rows in the two best dimensions that LFE, a linear map, finds of the best {} features ({}{more}), in \
         standard deviations. The map was made of the same rows, which flatters it.{of_all}",
        columns.len(),
        names.join(", ")
    );
    Ok(Some(Shown::Yes(RowMap {
        how,
        axes: ("first dimension".to_string(), "second dimension".to_string()),
        groups: (0..classes.len()).map(group).collect(),
    })))
}

fn classes_rows(seen: &[usize]) -> usize {
    seen.iter().sum()
}

/// What the page shows beyond the ranking, in JSON.
fn behind(report: &RankingReport) -> Value {
    let map = match &report.map {
        Some(Shown::Yes(map)) => {
            let groups: Vec<Value> = map
                .groups
                .iter()
                .map(|(name, _, points)| json!({"name": name, "points": points}))
                .collect();
            json!({"how": map.how, "groups": groups})
        }
        Some(Shown::No(why)) => json!({"left_out": why}),
        None => Value::Null,
    };
    json!({
        "answer": report.answer(),
        "command": report.account.command,
        "options_of_the_method": report.account.options.iter().cloned().collect::<std::collections::BTreeMap<_, _>>(),
        "missing": report.features.iter().map(|feature| feature.missing).collect::<Vec<_>>(),
        "map": map,
    })
}

/// Takes out what differs from run to run.
fn without_times(all: &mut Value) {
    match all {
        Value::Object(entries) => {
            entries.retain(|name, _| name != "seconds" && name != "threads");
            entries.values_mut().for_each(without_times);
        }
        Value::Array(entries) => entries.iter_mut().for_each(without_times),
        _ => {}
    }
}
