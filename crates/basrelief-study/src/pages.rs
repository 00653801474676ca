//! The parts that all pages have: the data, the method, the run and its warnings. Also the files of pages.

use std::borrow::Cow;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use basrelief::data::Target;
use basrelief::methods::Settings;
use basrelief::pairs::SurvivalGroup;
use basrelief::wording::thousands;
use basrelief::{Audience, Error, Result, Warning};
use basrelief_io::{AtomicFile, check_replaceable, check_writable};
use basrelief_report::data::{Account, RowGroup, StepCurve, TargetSummary};
use serde_json::Value;

use crate::file_names::FileNames;
use crate::glossary::glossary;
use crate::recipe::Recipe;
use crate::subject::{Subject, range};
use crate::text::counted;

/// The reference to cite for the program, before its version.
const REFERENCE: &str = "The basrelief developers. basrelief: RELIEF-family feature weighting for tabular, gene-expression \
                         and SNP data. Version ";

/// The maximum number of drawn rows.
const DRAWN: usize = 1500;

/// Bins of a target's histogram.
const BINS: usize = 30;

/// A page that is not written yet, and its contents as JSON if that was requested.
#[derive(Debug)]
pub struct Page {
    /// The page.
    pub html: String,
    /// Its contents, for programs.
    pub json: Option<String>,
}

/// Options of a page.
#[derive(Debug, Clone, Default)]
pub struct PageOptions {
    /// The command, or the line of Python, that repeats the result.
    pub command: Option<String>,
    /// Whether the date, times and threads are on the page; without them, equal input results in equal bytes.
    pub with_time: bool,
    /// Whether the contents of the page are also requested as JSON.
    pub with_json: bool,
    /// The names of files on the page.
    pub files: FileNames,
}

impl PageOptions {
    /// A page with the given text, and its contents as JSON if that was requested.
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

/// A file for a page, or for its contents as JSON.
#[derive(Debug, Clone)]
pub struct PageFile(PathBuf);

impl PageFile {
    /// A file that a page can be written to; with `force` an existing file is replaced.
    ///
    /// # Errors
    /// The ending is not that of a page; the file exists and `force` is false; its folder does not exist or is not
    /// writable.
    pub fn new(file: PathBuf, force: bool) -> Result<Self> {
        require_page_ending(&file)?;
        check_writable(&file)?;
        check_replaceable(&file, force)?;
        Ok(Self(file))
    }

    /// A file for the contents of a page as JSON; as [`new`](Self::new).
    ///
    /// # Errors
    /// As of [`new`](Self::new), for the ending of JSON.
    pub fn of_json(file: PathBuf, force: bool) -> Result<Self> {
        require_ending(&file, &["json"], "it is JSON", "report.json")?;
        check_writable(&file)?;
        check_replaceable(&file, force)?;
        Ok(Self(file))
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes the page or its contents, completely or not at all.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, text: &str) -> Result<()> {
        write_file(&self.0, text)
    }
}

/// Writes a file, completely or not at all.
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

/// The reference to cite for the program.
pub fn reference() -> String {
    format!("{REFERENCE}{}.", env!("CARGO_PKG_VERSION"))
}

/// An account of no data, with the command, the version and the reference of the program.
pub fn empty_account(data: String, options: &PageOptions, terms: &[&str]) -> Account {
    let version = env!("CARGO_PKG_VERSION");
    Account {
        data,
        command: options.command.clone(),
        version: version.to_string(),
        references: vec![reference()],
        glossary: glossary(terms),
        ..Account::default()
    }
}

/// The account of the data and, if there is one, of the command, with a glossary of some terms.
pub fn account(subject: &Subject<'_>, options: &PageOptions, terms: &[&str]) -> Account {
    let table = subject.table();
    let cells = (table.rows() * table.width()).max(1) as f64;
    let missing = match subject.missing() {
        0 => "none".to_string(),
        1 => "1 value".to_string(),
        count => {
            format!("{} values ({:.2} %)", grouped(count), 100.0 * count as f64 / cells)
        }
    };
    let file = options.files.short(subject.file());
    let mut account = empty_account(file.clone(), options, terms);
    account.target = subject.target().map(|(name, target)| {
        let label = subject.target_label().unwrap_or_default();
        let before = subject.unadjusted().map(|before| target_summary(name, before, None));
        target_summary(&label, target, before)
    });
    account.tell("Data", file);
    account.tell("Rows", grouped(table.rows()));
    account.tell("Features", format!("{} ({})", grouped(table.width()), subject.kinds(grouped)));
    account.tell("Missing", missing);
    if let Some(words) = subject.covariates_in_words() {
        account.tell("Covariates", words);
    }
    if let Some(words) = subject.weights_in_words() {
        account.tell("Row weights", words);
    }
    if let Some(words) = subject.priors_in_words() {
        account.tell("Priors", words);
    }
    if let Some(words) = subject.blocks_in_words() {
        account.tell("Blocks", words);
    }
    account
}

/// A count as pages show it: `1,600`.
pub fn grouped(count: usize) -> String {
    thousands(count as u64)
}

/// Adds the run to an account: its seed, optionally the date, the time and the threads, the version and the warnings, with
/// short names of files.
pub fn tell_run(
    account: &mut Account,
    seed: u64,
    time: Option<(String, usize)>,
    (warnings, audience, files): (&[Warning], &Audience, &FileNames),
) {
    account.tell("Seed", seed.to_string());
    if let Some((time, threads)) = time {
        account.tell("Time", format!("{time}, on {}", counted(threads, "thread")));
        account.tell("Date", date(SystemTime::now()));
    }
    account.tell("Version", format!("basrelief {}", account.version));
    let messages = warnings.iter().map(|warning| files.text(&warning.message(audience)));
    account.warnings.extend(messages);
}

/// The date of a time in UTC: `2026-11-28`; empty for times before 1970.
///
/// Source: H. Hinnant. chrono-compatible low-level date algorithms, 2013 (`civil_from_days`).
fn date(time: SystemTime) -> String {
    let Ok(since) = time.duration_since(SystemTime::UNIX_EPOCH) else { return String::new() };
    // Days since 0000-03-01, in eras of 400 years, so that a leap day is the last day of a year.
    let days = since.as_secs() / 86_400 + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    format!("{year}-{month:02}-{day:02}")
}

/// Adds the method to an account, with its options and those of its wrappers.
pub fn tell_recipe(account: &mut Account, recipe: Recipe<'_>, line: &str) {
    account.tell("Method", line.strip_prefix("method ").unwrap_or(line));
    account.references.push(recipe.info.papers());
    account.references.extend(recipe.wrappers.iter().map(|wrapper| wrapper.info().papers()));
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

fn target_summary(name: &str, target: &Target, before: Option<TargetSummary>) -> TargetSummary {
    let name = name.to_string();
    match target {
        Target::Classes(classes) => {
            let counts = classes.counts().iter().copied();
            let classes = classes.names().iter().cloned().zip(counts).collect();
            TargetSummary::Classes { name, classes }
        }
        Target::Real(values) => {
            let (least, greatest) = range(values);
            let counts = binned(values, (least, greatest), BINS);
            TargetSummary::Real { name, least, greatest, counts, before: before.map(Box::new) }
        }
        Target::Multi(several) => {
            let part = |at: usize| {
                let (target, _) = several.part(at).ok()?;
                Some(target_summary(&several.names()[at], &target, None))
            };
            let targets = (0..several.count()).filter_map(part).collect();
            TargetSummary::Several { name, targets }
        }
        Target::Survival(survival) => {
            TargetSummary::Survival { name, curve: step_curve(SurvivalGroup::all(survival)) }
        }
    }
}

/// A Kaplan-Meier estimate as pages show it.
pub fn step_curve(group: SurvivalGroup) -> StepCurve {
    let SurvivalGroup { name, rows, events, last, curve } = group;
    let steps = curve.times().iter().copied().zip(curve.survival().iter().copied()).collect();
    StepCurve { name, rows, events, last, steps }
}

/// The number of values in each of `bins` bins of equal width over a range; all are in the first bin if it is empty.
pub fn binned(values: &[f64], (least, greatest): (f64, f64), bins: usize) -> Vec<usize> {
    let mut counts = vec![0; bins];
    let width = (greatest - least) / bins as f64;
    for value in values {
        let bin = if width > 0.0 { ((value - least) / width) as usize } else { 0 };
        counts[bin.min(bins - 1)] += 1;
    }
    counts
}

/// Some of these rows, evenly spaced, in proportion to the sizes of the classes.
pub fn drawn_rows(rows: &[usize], target: Option<&Target>) -> Vec<usize> {
    let share = (DRAWN as f64 / rows.len().max(1) as f64).min(1.0);
    let (codes, classes) = match target.and_then(Target::as_classes) {
        Some(classes) => (Some(classes.codes()), classes.len()),
        None => (None, 1),
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

/// Rows as points, a group for every class and one for unlabeled rows; `place` gives the point of a row.
pub fn row_groups(
    rows: usize,
    target: Option<&Target>,
    place: impl Fn(usize) -> (f64, f64),
) -> Vec<RowGroup> {
    let group = |(class, (name, members)): (usize, (String, Vec<usize>))| RowGroup {
        name,
        class,
        points: members.into_iter().map(&place).collect(),
    };
    named_groups(rows, target).into_iter().enumerate().map(group).collect()
}

/// The names and the rows of every class, and unlabeled rows if there are any; all rows if the target has no classes.
pub fn named_groups(rows: usize, target: Option<&Target>) -> Vec<(String, Vec<usize>)> {
    let all = || vec![("rows".to_string(), (0..rows).collect())];
    let Some(target) = target else { return all() };
    let (labeled, known) = match target.labeled() {
        Some((labeled, known)) => (labeled, Cow::Owned(known)),
        None => ((0..rows).collect(), Cow::Borrowed(target)),
    };
    let Some(classes) = known.as_classes() else { return all() };
    let mut groups: Vec<(String, Vec<usize>)> =
        classes.names().iter().map(|name| (name.clone(), Vec::new())).collect();
    let mut is_labeled = vec![false; rows];
    for (&row, &code) in labeled.iter().zip(classes.codes()) {
        groups[code as usize].1.push(row);
        is_labeled[row] = true;
    }
    if labeled.len() < rows {
        let unlabeled = (0..rows).filter(|&row| !is_labeled[row]).collect();
        groups.push(("unlabeled".to_string(), unlabeled));
    }
    groups
}

/// Removes values that differ between runs.
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_reference_is_that_of_the_citation_file() {
        let file = include_str!("../../../CITATION.cff");
        let title = file.lines().find_map(|line| line.strip_prefix("title: ")).unwrap();
        assert!(REFERENCE.contains(title.trim_matches('"')), "{title}");
        assert!(file.contains(&format!("version: {}\n", env!("CARGO_PKG_VERSION"))));
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (days, text) in [
            (0, "1970-01-01"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (20_785, "2026-11-28"),
            (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
        ] {
            assert_eq!(
                date(SystemTime::UNIX_EPOCH + Duration::from_secs(86_400 * days + 86_399)),
                text
            );
        }
        assert_eq!(date(SystemTime::UNIX_EPOCH - Duration::from_secs(1)), "");
    }
}
