//! A ranking as table, JSON or CSV, and where it goes.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use basrelief::data::ColumnKind;
use basrelief::maps::FeatureWeights;
use basrelief::methods::wrappers::Wrapper;
use basrelief::methods::{MethodInfo, Settings};
use basrelief::neighbors::NeighborSearch;
use basrelief::{Error, Fitted, Report, Run, Warning, wording};
use basrelief_io::{AtomicFile, check_writable};
use clap::ArgMatches;
use serde_json::{Value, json};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::args;
use crate::exit::{Failure, Outcome};
use crate::subject::{Subject, add_report, stated_options, warnings_json};

/// A table shows this many features when there are more than [`MOST_SHOWN`] and the user does not
/// say how many.
const SHOWN: usize = 20;

/// A table shows all features up to this number.
const MOST_SHOWN: usize = 30;

/// Columns of text where the terminal's width is not known.
const DEFAULT_WIDTH: usize = 80;

/// How a result is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// For people.
    Table,
    /// For programs, complete.
    Json,
    /// For spreadsheets: the ranking alone.
    Csv,
}

/// Where a result goes, and how it is written.
#[derive(Debug)]
pub(crate) struct Destination {
    file: Option<PathBuf>,
    format: Format,
}

impl Destination {
    /// From `--output` and `--format`; checks at once that the file can be written. `endings` are those
    /// that stand for a format; a table for people has the ending `.txt` or none.
    pub(crate) fn from_args(matches: &ArgMatches, endings: &[&str]) -> basrelief::Result<Self> {
        let file = args::path(matches, "output");
        let ending = file.and_then(Path::extension).map(|ending| ending.to_ascii_lowercase());
        let ending = ending.as_deref().and_then(std::ffi::OsStr::to_str);
        let named = matches.get_one::<String>("format").map(String::as_str);
        let format = match named.or(ending) {
            Some("json") => Format::Json,
            Some("csv") => Format::Csv,
            _ => Format::Table,
        };
        if let Some(file) = file {
            let known = ending.is_none_or(|ending| ending == "txt" || endings.contains(&ending));
            if named.is_none() && !known {
                let list: Vec<String> = endings.iter().map(|ending| format!(".{ending}")).collect();
                return Err(Error::File {
                    path: file.to_path_buf(),
                    action: "write a result to it".to_string(),
                    cause: "the ending of its name tells no format".to_string(),
                    help: format!(
                        "the endings are {} and .txt; or state the format with {}",
                        list.join(", "),
                        wording::setting("format", None)
                    ),
                });
            }
            check_writable(file)?;
        }
        Ok(Self { file: file.map(Path::to_path_buf), format })
    }

    /// How the result is written.
    pub(crate) fn format(&self) -> Format {
        self.format
    }

    /// The file, if the result goes to one.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Width of a table and whether it may have colours.
    pub(crate) fn look(&self) -> Look {
        if self.file.is_some() {
            return Look { width: DEFAULT_WIDTH, colours: false, ascii: false };
        }
        Look::of_standard_output()
    }

    /// Writes the result, whole or not at all.
    pub(crate) fn write(&self, text: &str) -> Outcome {
        match &self.file {
            Some(file) => Ok(write_file(file, text)?),
            None => print(text),
        }
    }
}

/// Writes a file, whole or not at all.
pub(crate) fn write_file(path: &Path, text: &str) -> basrelief::Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(text.as_bytes()).map_err(|cause| Error::File {
        path: path.to_path_buf(),
        action: "write it".to_string(),
        cause: cause.to_string(),
        help: "is the disk full?".to_string(),
    })?;
    file.commit()
}

/// Writes to standard output.
pub(crate) fn print(text: &str) -> Outcome {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Failure::Output)
}

/// What a table may look like.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look {
    /// Columns of text.
    pub(crate) width: usize,
    /// Whether colours are welcome.
    pub(crate) colours: bool,
    /// Whether only ASCII can be shown, as the locale says.
    pub(crate) ascii: bool,
}

impl Look {
    /// What standard output can show.
    pub(crate) fn of_standard_output() -> Self {
        if !io::stdout().is_terminal() {
            return Self { width: DEFAULT_WIDTH, colours: false, ascii: locale_is_ascii() };
        }
        let width =
            terminal_size::terminal_size().map_or(DEFAULT_WIDTH, |(width, _)| width.0.into());
        let set = |name| {
            std::env::var_os(name).is_some_and(|value: std::ffi::OsString| !value.is_empty())
        };
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        Self { width, colours: !set("NO_COLOR") && !dumb, ascii: locale_is_ascii() }
    }

    /// A text with signs of ours that this can show: bars, dots and powers.
    pub(crate) fn spell(self, text: &str) -> String {
        if !self.ascii {
            return text.to_string();
        }
        let mut plain = String::with_capacity(text.len());
        for character in text.chars() {
            plain.push_str(match character {
                '█' | '▉' | '▊' | '▋' | '▌' | '▐' => "#",
                '▍' | '▎' | '▏' | '▕' => "-",
                '│' => "|",
                '…' => "...",
                '–' => "-",
                '×' => "x",
                '²' => "^2",
                '³' => "^3",
                other => {
                    plain.push(other);
                    continue;
                }
            });
        }
        plain
    }

    /// Bold where colours are welcome.
    pub(crate) fn bold(self, text: &str) -> String {
        self.wrap("1", text)
    }

    fn wrap(self, code: &str, text: &str) -> String {
        if self.colours { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
    }
}

/// Whether the locale is one without Unicode. A system that names none (as in a container, or on
/// Windows) is taken to show it.
fn locale_is_ascii() -> bool {
    let set = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(|name| std::env::var_os(name).filter(|value| !value.is_empty()));
    set.is_some_and(|locale| {
        let locale = locale.to_string_lossy().to_ascii_lowercase();
        !locale.contains("utf-8") && !locale.contains("utf8")
    })
}

/// Columns of text that standard error can show.
pub(crate) fn width_of_messages() -> usize {
    let terminal = io::stderr().is_terminal().then(terminal_size::terminal_size).flatten();
    terminal.map_or(DEFAULT_WIDTH, |(width, _)| usize::from(width.0).max(40))
}

/// A line broken at spaces into lines of at most `width` places, those after the first indented by
/// two; a longer word stands alone.
pub(crate) fn wrapped(line: &str, width: usize) -> String {
    let mut text = String::new();
    let mut used = 0;
    for word in line.split(' ') {
        let places = word.width();
        if used == 0 {
            used = places;
        } else if used + 1 + places > width {
            text.truncate(text.trim_end().len());
            text.push_str("\n  ");
            used = 2 + places;
        } else {
            text.push(' ');
            used += 1 + places;
        }
        text.push_str(word);
    }
    text
}

/// One feature of a ranking.
#[derive(Debug)]
struct Ranked {
    rank: usize,
    name: String,
    kind: ColumnKind,
    weight: f64,
}

/// A method with its options and the wrappers around it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Recipe<'a> {
    pub(crate) info: &'static MethodInfo,
    pub(crate) settings: &'a Settings,
    pub(crate) wrappers: &'a [Wrapper],
}

/// A finished ranking and all that is needed to repeat it.
#[derive(Debug)]
pub(crate) struct Ranking<'a> {
    subject: Subject<'a>,
    recipe: Recipe<'a>,
    /// The options that are not the default.
    stated: String,
    report: Report,
    seed: u64,
    threads: usize,
    features: Vec<Ranked>,
    warnings: Vec<Warning>,
}

impl<'a> Ranking<'a> {
    /// From the result of a method's fit; `warnings` are those from before the fit.
    pub(crate) fn new(
        subject: Subject<'a>,
        recipe: Recipe<'a>,
        run: &Run,
        mut warnings: Vec<Warning>,
        fitted: Fitted<FeatureWeights>,
    ) -> Self {
        let ranks = fitted.map.ranks();
        let features = fitted
            .map
            .order()
            .into_iter()
            .map(|feature| Ranked {
                rank: ranks[feature],
                name: fitted.map.names()[feature].clone(),
                kind: subject.table().columns()[feature].kind(),
                // Minus zero would read as a mistake.
                weight: fitted.map.weights()[feature] + 0.0,
            })
            .collect();
        warnings.extend(fitted.report.warnings.iter().cloned());
        Self {
            subject,
            recipe,
            stated: stated_options(recipe.info.options, recipe.settings, run),
            report: fitted.report,
            seed: run.seed(),
            threads: run.threads(),
            features,
            warnings,
        }
    }

    /// Name, rank and weight of every feature, best first.
    pub(crate) fn features(&self) -> impl Iterator<Item = (&str, usize, f64)> {
        self.features.iter().map(|feature| (feature.name.as_str(), feature.rank, feature.weight))
    }

    /// Seconds of the fit.
    pub(crate) fn seconds(&self) -> f64 {
        self.report.seconds
    }

    /// Where a tree found the neighbours, that it did; else nothing.
    pub(crate) fn search_note(&self) -> String {
        match self.report.search {
            Some(search @ NeighborSearch::KdTree) => format!(" (search: {search})"),
            Some(NeighborSearch::AllPairs) | None => String::new(),
        }
    }

    /// In the format asked for; `top` is how many features the user wants to see.
    pub(crate) fn text(&self, format: Format, top: Option<usize>, look: Look) -> String {
        match format {
            Format::Table => self.table(top, look),
            Format::Json => self.json(top),
            Format::Csv => self.csv(top),
        }
    }

    /// The warnings, those from before the fit first.
    pub(crate) fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    fn method_line(&self) -> String {
        let mut name = self.recipe.info.name.to_string();
        for wrapper in self.recipe.wrappers {
            let options: Vec<String> = wrapper
                .settings()
                .iter()
                .map(|(option, value)| format!("{option}={value}"))
                .collect();
            name = format!("{}:{} of {name}", wrapper.info().name, options.join(","));
        }
        format!("method {name}: {}", self.stated)
    }

    fn table(&self, top: Option<usize>, look: Look) -> String {
        let all = self.features.len();
        let shown = match top {
            Some(top) => top.min(all),
            None if all > MOST_SHOWN => SHOWN,
            None => all,
        };
        let features = &self.features[..shown];
        let names: Vec<String> = features.iter().map(|feature| cut(&feature.name, 40)).collect();
        let weights: Vec<String> =
            features.iter().map(|feature| significant(feature.weight)).collect();
        let width_of = |texts: &[String], least: usize| {
            texts.iter().map(|text| text.width()).max().unwrap_or(0).max(least)
        };
        let rank_width = features.last().map_or(4, |last| last.rank.to_string().len()).max(4);
        let name_width = width_of(&names, "feature".len());
        let kind_width =
            features.iter().map(|feature| feature.kind.name().len()).max().unwrap_or(4).max(4);
        let weight_width = width_of(&weights, "weight".len());
        let taken = rank_width + name_width + kind_width + weight_width + 8;
        let bar_width = look.width.saturating_sub(taken + 1).clamp(10, 48);
        let values: Vec<f64> = features.iter().map(|feature| feature.weight).collect();
        let bars = bars(&values, bar_width);

        let method = wrapped(&self.method_line(), look.width);
        let mut text = format!("{}{method}\n\n", self.subject.lines(look.width));
        let header = format!(
            "{:>rank_width$}  {:<name_width$}  {:<kind_width$}  {:<weight_width$}",
            "rank", "feature", "kind", "weight"
        );
        text.push_str(&look.bold(header.trim_end()));
        text.push('\n');
        for (((feature, name), weight), bar) in features.iter().zip(&names).zip(&weights).zip(&bars)
        {
            let bar = look.wrap(if feature.weight < 0.0 { "33" } else { "36" }, bar);
            // `format!` pads to characters, of which some take two places and some none.
            let name = format!("{name}{}", " ".repeat(name_width - name.width()));
            let line = format!(
                "{:>rank_width$}  {name}  {:<kind_width$}  {weight:<weight_width$}  {bar}",
                feature.rank,
                feature.kind.name(),
            );
            text.push_str(line.trim_end());
            text.push('\n');
        }
        if shown < all {
            let hint =
                if top.is_none() { format!(" (--top {all} shows all)") } else { String::new() };
            text.push_str(&format!("… {} not shown{hint}\n", counted(all - shown, "more feature")));
        }
        look.spell(&text)
    }

    fn json(&self, top: Option<usize>) -> String {
        let features: Vec<Value> = self
            .features
            .iter()
            .take(top.unwrap_or(usize::MAX))
            .map(|feature| {
                json!({
                    "name": feature.name,
                    "kind": feature.kind.name(),
                    "weight": feature.weight,
                    "rank": feature.rank,
                })
            })
            .collect();
        let wrappers: Vec<Value> = self
            .recipe
            .wrappers
            .iter()
            .map(|wrapper| {
                json!({"name": wrapper.info().name, "options": wrapper.settings().to_json()})
            })
            .collect();
        let mut all = json!({
            "basrelief": env!("CARGO_PKG_VERSION"),
            "method": self.recipe.info.name,
            "options": self.recipe.settings.to_json(),
            "wrappers": wrappers,
            "seed": self.seed,
            "threads": self.threads,
            "data": self.subject.json(),
            "features": features,
            "warnings": warnings_json(&self.warnings),
            "seconds": self.report.seconds,
        });
        add_report(&mut all, &self.report);
        format!("{all:#}\n")
    }

    fn csv(&self, top: Option<usize>) -> String {
        let mut text = "rank,feature,weight,kind\n".to_string();
        for feature in self.features.iter().take(top.unwrap_or(usize::MAX)) {
            // `{:?}` is the shortest text that reads back as the same number.
            text.push_str(&format!(
                "{},{},{:?},{}\n",
                feature.rank,
                quoted(&feature.name),
                feature.weight,
                feature.kind.name()
            ));
        }
        text
    }
}

/// `1 row`, `2 rows`.
pub(crate) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// A CSV cell.
fn quoted(text: &str) -> String {
    let plain = !text.contains(['"', ',', '\n', '\r']) && text.trim() == text && !text.is_empty();
    if plain { text.to_string() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
}

/// Text from a file, safe for a terminal.
pub(crate) fn printable(text: &str) -> String {
    wording::clean(text).into_owned()
}

/// Printable, and cut to `most` places of a terminal.
pub(crate) fn cut(text: &str, most: usize) -> String {
    let text = printable(text);
    if text.width() <= most {
        return text;
    }
    let mut taken = 0;
    let fits = |c: &char| {
        taken += c.width().unwrap_or(0);
        taken < most
    };
    text.chars().take_while(fits).chain(['…']).collect()
}

/// A signed number of six significant digits, with one digit before the point where it is small.
pub(crate) fn significant(number: f64) -> String {
    rounded(number, 6)
}

/// A signed number of so many significant digits, with one digit before the point where it is
/// small.
pub(crate) fn rounded(number: f64, digits: usize) -> String {
    if number == 0.0 {
        return " 0".to_string();
    }
    let behind = digits - 1;
    // Of the rounded number: 0.9999999 is shown as 1.00000.
    let rounded: f64 = format!("{:.behind$e}", number.abs()).parse().unwrap_or(number.abs());
    let exponent = rounded.log10().floor();
    if (-4.0..digits as f64).contains(&exponent) {
        let decimals = (behind as f64 - exponent) as usize;
        format!("{number:+.decimals$}")
    } else {
        format!("{number:+.behind$e}")
    }
}

/// A bar per value, all of `width` characters with trailing blanks cut: right of a common axis for
/// positive values, left of it for negative ones.
pub(crate) fn bars(values: &[f64], width: usize) -> Vec<String> {
    let greatest = values.iter().copied().fold(0.0, f64::max);
    let least = values.iter().copied().fold(0.0, f64::min);
    if greatest == least {
        return values.iter().map(|_| String::new()).collect();
    }
    // One place is the axis; a side that has any bar has at least one place.
    let places = (width - 1) as f64;
    let share = -least / (greatest - least);
    let left = match (least < 0.0, greatest > 0.0) {
        (false, _) => 0,
        (true, false) => width - 1,
        (true, true) => ((share * places).round() as usize).clamp(1, width - 2),
    };
    let right = width - 1 - left;
    let scale = f64::min(
        if least < 0.0 { left as f64 / -least } else { f64::INFINITY },
        if greatest > 0.0 { right as f64 / greatest } else { f64::INFINITY },
    );
    values
        .iter()
        .map(|&value| {
            let (before, after) = if value < 0.0 {
                (leftward(-value * scale), String::new())
            } else {
                (String::new(), rightward(value * scale))
            };
            format!("{before:>left$}│{after}")
        })
        .collect()
}

/// A bar that grows to the right, in eighths of a place; nothing positive is invisible.
fn rightward(length: f64) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (length * 8.0).round() as usize;
    let eighths = if length > 0.0 { eighths.max(1) } else { 0 };
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

/// A bar that grows to the left; Unicode has only halves for that, and an eighth.
fn leftward(length: f64) -> String {
    let halves = (length * 2.0).round() as usize;
    if halves == 0 {
        return "▕".to_string();
    }
    format!("{}{}", if halves % 2 == 1 { "▐" } else { "" }, "█".repeat(halves / 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_significant_digits() {
        for (number, text) in [
            (0.0, " 0"),
            (0.123456789, "+0.123457"),
            (-0.00123456789, "-0.00123457"),
            (1.0, "+1.00000"),
            (0.999_999_9, "+1.00000"),
            (999_999.99, "+1.00000e6"),
            (1.23e-7, "+1.23000e-7"),
            (-123.456789, "-123.457"),
        ] {
            assert_eq!(significant(number), text);
        }
    }

    #[test]
    fn bars_share_an_axis() {
        let found = bars(&[1.0, 0.5, 0.0, -0.5], 13);
        assert_eq!(found, ["    │████████", "    │████", "    │", "████│"]);
        assert_eq!(bars(&[0.0, 0.0], 13), ["", ""]);
        assert_eq!(bars(&[-1.0, -0.5], 5), ["████│", "  ██│"]);
        assert_eq!(bars(&[1.0, 0.3], 6), ["│█████", "│█▌"]);
        for bar in bars(&[1.0, 1e-9, -1e-9, -0.3], 20) {
            assert!(bar.chars().count() <= 20 && bar.chars().count() > 1, "{bar}");
        }
    }

    #[test]
    fn long_lines_are_broken_at_spaces() {
        assert_eq!(wrapped("one two three", 80), "one two three");
        assert_eq!(wrapped("one two three", 8), "one two\n  three");
        assert_eq!(wrapped("a a-word-that-is-too-long b", 8), "a\n  a-word-that-is-too-long\n  b");
        assert_eq!(wrapped("日本語 日本語 日本語", 13), "日本語 日本語\n  日本語");
        assert_eq!(wrapped("", 8), "");
    }

    #[test]
    fn without_unicode_bars_are_ascii() {
        let look = Look { width: 80, colours: false, ascii: true };
        let bar = bars(&[1.0, 0.5, -0.5], 13).join("\n");
        let plain = look.spell(&bar);
        assert!(plain.is_ascii(), "{plain}");
        assert_eq!(plain.lines().next(), Some("    |########"));
        assert_eq!(look.spell("n² p … x"), "n^2 p ... x");
    }

    #[test]
    fn cells_are_quoted_where_csv_needs_it() {
        assert_eq!(quoted("age"), "age");
        assert_eq!(quoted("a,b"), "\"a,b\"");
        assert_eq!(quoted("say \"x\""), "\"say \"\"x\"\"\"");
        assert_eq!(quoted(" pad"), "\" pad\"");
    }

    #[test]
    fn terminal_codes_in_names_are_harmless() {
        assert_eq!(cut("a\x1b[31m\nb", 20), "a\u{fffd}[31m\u{fffd}b");
        assert_eq!(cut("abcdef", 4), "abc…");
    }

    #[test]
    fn names_are_cut_to_places_not_characters() {
        assert_eq!(cut("日本語", 6), "日本語");
        assert_eq!(cut("日本語", 5), "日本…");
        assert_eq!(cut("日本語", 4), "日…");
        assert_eq!(cut("e\u{301}e\u{301}", 2), "e\u{301}e\u{301}");
    }
}
