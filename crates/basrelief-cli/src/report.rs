//! `--report`: where the page of a result goes, and what all pages tell. What a command found becomes the
//! plain data of a page beside the command; how it looks stands in the crate `basrelief-report`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use basrelief::data::Target;
use basrelief::error::Cause;
use basrelief::methods::Settings;
use basrelief::wording::{setting, thousands};
use basrelief::{Error, Result, Warning};
use basrelief_io::check_writable;
use basrelief_report::data::{Account, RowGroup, TargetSummary};
use clap::ArgMatches;
use serde_json::Value;

use crate::args;
use crate::exit::{Outcome, told};
use crate::output::write_file;
use crate::recipe::Recipe;
use crate::subject::{Subject, range};
use crate::text::counted;

/// Rows that are drawn.
const DRAWN: usize = 1500;

/// Bins of a target's histogram.
const BINS: usize = 30;

/// What `--report` asks for.
#[derive(Debug, Clone, Copy)]
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
    /// From the arguments, where they ask for a page; refuses what can be refused before the data are read.
    ///
    /// # Errors
    /// The ending is not that of a page; the file is there, and nobody said to replace it; it cannot be
    /// written.
    pub(crate) fn from_args(matches: &'m ArgMatches) -> Result<Option<Self>> {
        let Some(file) = args::path(matches, "report") else { return Ok(None) };
        // Not every page has numbers of its own behind it.
        let json = matches.try_get_one::<PathBuf>("report-json").ok().flatten();
        let json = json.map(PathBuf::as_path);
        require_page_ending(file)?;
        if let Some(json) = json {
            require_ending(json, &["json"], "it is JSON", "report.json")?;
        }
        for file in [Some(file), json].into_iter().flatten() {
            check_writable(file)?;
            refuse_existing(file, matches.get_flag("force"))?;
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
            Ok(status) => Err(self.cannot_open(opener, status.to_string())),
            Err(cause) => Err(self.cannot_open(opener, cause)),
        }
    }

    fn cannot_open(&self, opener: &str, cause: impl Into<Cause>) -> crate::exit::Failure {
        Error::File {
            path: self.file.to_path_buf(),
            action: format!("open it with {opener}"),
            cause: cause.into(),
            help: "it is written: open it in a browser".into(),
        }
        .into()
    }

    /// Whether the page tells times and threads.
    pub(crate) fn with_time(&self) -> bool {
        self.with_time
    }

    /// A page of that text, and what stands behind it where that is asked for.
    pub(crate) fn page(&self, html: String, behind: impl FnOnce() -> Value) -> Page {
        let json = self.json.map(|_| {
            let mut all = behind();
            if !self.with_time {
                without_times(&mut all);
            }
            format!("{all:#}\n")
        });
        Page { html, json }
    }
}

/// The file of a page that is not asked for by arguments.
#[derive(Debug)]
pub struct PageFile(PathBuf);

impl PageFile {
    /// A file that a page can be written to; `force` says that it may be replaced.
    ///
    /// # Errors
    /// The ending is not that of a page; the file is there, and nobody said to replace it; its folder is
    /// missing or closed.
    pub fn new(file: PathBuf, force: bool) -> Result<Self> {
        require_page_ending(&file)?;
        check_writable(&file)?;
        refuse_existing(&file, force)?;
        Ok(Self(file))
    }

    /// Writes the page, whole or not at all.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, html: &str) -> Result<()> {
        write_file(&self.0, html)
    }
}

fn require_page_ending(file: &Path) -> Result<()> {
    require_ending(file, &["html", "htm"], "pages are HTML", "report.html")
}

/// Refuses a file that is there, unless `force` says to replace it.
fn refuse_existing(file: &Path, force: bool) -> Result<()> {
    if force || !file.exists() {
        return Ok(());
    }
    Err(Error::File {
        path: file.to_path_buf(),
        action: "write the report to it".to_string(),
        cause: "the file exists".into(),
        help: format!("name another file, or replace it with {}", setting("force", None)).into(),
    })
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
        cause: cause.into(),
        help: help.into(),
    })
}

/// What is told of data and command; there is none where no command did it.
pub(crate) fn account(subject: &Subject<'_>, command: Option<String>) -> Account {
    let table = subject.table();
    let cells = (table.rows() * table.width()).max(1) as f64;
    let missing = match subject.missing() {
        0 => "none".to_string(),
        1 => "1 value".to_string(),
        count => {
            format!("{} values ({:.2} %)", grouped(count), 100.0 * count as f64 / cells)
        }
    };
    let mut account = Account {
        data: Path::new(subject.file())
            .file_name()
            .map_or(subject.file().to_string(), |name| name.to_string_lossy().into_owned()),
        target: subject.target().map(|(name, target)| target_summary(name, target)),
        command,
        version: env!("CARGO_PKG_VERSION").to_string(),
        ..Account::default()
    };
    account.tell("Data", subject.file());
    account.tell("Rows", grouped(table.rows()));
    account.tell("Features", format!("{} ({})", grouped(table.width()), subject.kinds(grouped)));
    account.tell("Missing", missing);
    if let Some(words) = subject.covariates_in_words() {
        account.tell("Covariates", words);
    }
    account
}

/// A count as pages show it: `1,600`.
pub(crate) fn grouped(count: usize) -> String {
    thousands(count as u64)
}

/// Ends the account of a run: its seed, the time and the threads that took where they are told, the version,
/// and its warnings.
pub(crate) fn tell_run(
    account: &mut Account,
    seed: u64,
    time: Option<(String, usize)>,
    warnings: &[Warning],
) {
    account.tell("Seed", seed.to_string());
    if let Some((time, threads)) = time {
        account.tell("Time", format!("{time}, on {}", counted(threads, "thread")));
    }
    account.tell("Version", format!("basrelief {}", account.version));
    account.warnings.extend(warnings.iter().map(told));
}

/// Tells the method, as its line says it, and the options of it and of its wrappers.
pub(crate) fn tell_recipe(account: &mut Account, recipe: Recipe<'_>, line: &str) {
    account.tell("Method", line.strip_prefix("method ").unwrap_or(line));
    account.options.extend(option_texts(recipe.settings));
    for wrapper in recipe.wrappers {
        let name = wrapper.info().name;
        let own = option_texts(wrapper.settings());
        account.options.extend(own.map(|(option, value)| (format!("{name}: {option}"), value)));
    }
}

/// Names and values of options, as pages list them.
pub(crate) fn option_texts(settings: &Settings) -> impl Iterator<Item = (String, String)> {
    settings.iter().map(|(name, value)| (name.to_string(), value.to_string()))
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
pub(crate) fn command_line(arguments: &[OsString]) -> String {
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

/// Some of these rows, evenly spaced, of every class as many in proportion.
pub(crate) fn drawn_rows(rows: &[usize], target: Option<&Target>) -> Vec<usize> {
    let share = (DRAWN as f64 / rows.len().max(1) as f64).min(1.0);
    let (codes, classes) = match target {
        Some(Target::Classes(classes)) => (Some(classes.codes()), classes.len()),
        _ => (None, 1),
    };
    let mut seen = vec![0_usize; classes.max(1)];
    let is_drawn = |row: &usize| {
        let count = &mut seen[codes.map_or(0, |codes| codes[*row] as usize)];
        let before = (*count as f64 * share).floor();
        *count += 1;
        (*count as f64 * share).floor() > before
    };
    rows.iter().copied().filter(is_drawn).collect()
}

/// Rows as points, a group for every class; `place` gives the point of a row.
pub(crate) fn row_groups(
    rows: usize,
    target: Option<&Target>,
    place: impl Fn(usize) -> (f64, f64),
) -> Vec<RowGroup> {
    match target {
        Some(Target::Classes(classes)) => (0..classes.len())
            .map(|class| RowGroup {
                name: classes.names()[class].clone(),
                class,
                points: (0..rows)
                    .filter(|&row| classes.codes()[row] as usize == class)
                    .map(&place)
                    .collect(),
            })
            .collect(),
        _ => {
            let points = (0..rows).map(place).collect();
            vec![RowGroup { name: "rows".to_string(), class: 0, points }]
        }
    }
}

/// Takes out what differs from run to run.
fn without_times(all: &mut Value) {
    match all {
        Value::Object(entries) => {
            entries.retain(|name, _| !name.ends_with("seconds") && name != "threads");
            entries.values_mut().for_each(without_times);
        }
        Value::Array(entries) => entries.iter_mut().for_each(without_times),
        _ => {}
    }
}
