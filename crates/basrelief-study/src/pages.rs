//! The parts that all pages have: the data, the method, the run and its warnings. Also the files of pages.

use std::io::Write;
use std::path::{Path, PathBuf};

use basrelief::data::Target;
use basrelief::methods::Settings;
use basrelief::wording::{setting, thousands};
use basrelief::{Audience, Error, Result, Warning};
use basrelief_io::{AtomicFile, check_writable};
use basrelief_report::data::{Account, RowGroup, TargetSummary};
use serde_json::Value;

use crate::recipe::Recipe;
use crate::subject::{Subject, range};
use crate::text::counted;

/// Rows that are drawn.
const DRAWN: usize = 1500;

/// Bins of a target's histogram.
const BINS: usize = 30;

/// A page that is made and not yet written, and what is behind it as JSON where that is asked for.
#[derive(Debug)]
pub struct Page {
    /// The page.
    pub html: String,
    /// Everything on it, for programs.
    pub json: Option<String>,
}

/// Options of a page.
#[derive(Debug, Clone, Default)]
pub struct PageOptions {
    /// The command, or the line of Python, that repeats the result.
    pub command: Option<String>,
    /// Whether times and threads are on the page; without them, equal input gives the same bytes.
    pub with_time: bool,
    /// Whether what is behind the page is wanted as JSON.
    pub with_json: bool,
}

impl PageOptions {
    /// A page of that text, and what is behind it where that is asked for.
    pub fn page(&self, html: String, behind: impl FnOnce() -> Value) -> Page {
        let json = self.with_json.then(|| {
            let mut all = behind();
            if !self.with_time {
                without_times(&mut all);
            }
            format!("{all:#}\n")
        });
        Page { html, json }
    }
}

/// A file that a page, or what is behind it, is written to.
#[derive(Debug, Clone)]
pub struct PageFile(PathBuf);

impl PageFile {
    /// A file that a page can be written to; with `force` an existing file is replaced.
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

    /// A file that what is behind a page can be written to; as [`new`](Self::new).
    ///
    /// # Errors
    /// As of [`new`](Self::new), for the ending of JSON.
    pub fn of_json(file: PathBuf, force: bool) -> Result<Self> {
        require_ending(&file, &["json"], "it is JSON", "report.json")?;
        check_writable(&file)?;
        refuse_existing(&file, force)?;
        Ok(Self(file))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes the page, or what is behind it, whole or not at all.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, text: &str) -> Result<()> {
        write_file(&self.0, text)
    }
}

/// Writes a file, whole or not at all.
///
/// # Errors
/// It cannot be written.
pub fn write_file(path: &Path, contents: &(impl AsRef<[u8]> + ?Sized)) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(contents.as_ref()).map_err(|cause| Error::File {
        path: path.to_path_buf(),
        action: "write it".to_string(),
        cause: cause.into(),
        help: "is the disk full?".into(),
    })?;
    file.commit()
}

fn require_page_ending(file: &Path) -> Result<()> {
    require_ending(file, &["html", "htm"], "pages are HTML", "report.html")
}

/// Refuses a file that exists, unless `force` is true.
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

/// Refuses a file whose name does not have one of these endings.
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

/// The account of the data and, if there is one, of the command.
pub fn account(subject: &Subject<'_>, command: Option<String>) -> Account {
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
pub fn grouped(count: usize) -> String {
    thousands(count as u64)
}

/// Adds the run to an account: its seed, optionally time and threads, the version and the warnings.
pub fn tell_run(
    account: &mut Account,
    seed: u64,
    time: Option<(String, usize)>,
    (warnings, audience): (&[Warning], &Audience),
) {
    account.tell("Seed", seed.to_string());
    if let Some((time, threads)) = time {
        account.tell("Time", format!("{time}, on {}", counted(threads, "thread")));
    }
    account.tell("Version", format!("basrelief {}", account.version));
    account.warnings.extend(warnings.iter().map(|warning| warning.message(audience)));
}

/// Adds the method to an account, with its options and those of its wrappers.
pub fn tell_recipe(account: &mut Account, recipe: Recipe<'_>, line: &str) {
    account.tell("Method", line.strip_prefix("method ").unwrap_or(line));
    account.options.extend(option_texts(recipe.settings));
    for wrapper in recipe.wrappers {
        let name = wrapper.info().name;
        let own = option_texts(wrapper.settings());
        account.options.extend(own.map(|(option, value)| (format!("{name}: {option}"), value)));
    }
}

/// Names and values of options, as pages list them.
pub fn option_texts(settings: &Settings) -> impl Iterator<Item = (String, String)> {
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

/// Some of these rows, evenly spaced, of every class as many in proportion.
pub fn drawn_rows(rows: &[usize], target: Option<&Target>) -> Vec<usize> {
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
pub fn row_groups(
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
