//! Texts for people: the capabilities of a terminal, lines, numbers and bars.

use basrelief::wording;
pub use basrelief_report::csv_cell;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The width of text, in columns, if that of the terminal is unknown.
pub const DEFAULT_WIDTH: usize = 80;

/// Receives notes about a long computation while it runs, for example the expected duration of a permutation test. A
/// note may have several lines.
pub type Notes<'n> = dyn Fn(&str) + 'n;

/// The format of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A table for people.
    Table,
    /// Complete results for programs.
    Json,
    /// Only the ranking, for spreadsheets.
    Csv,
}

/// The look of a table: its width, and the characters that may be used.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// The width in columns.
    pub width: usize,
    /// Whether colors are allowed.
    pub colors: bool,
    /// Whether only ASCII can be shown, according to the locale.
    pub ascii: bool,
}

impl Look {
    /// The look of a table in a file.
    pub fn of_file() -> Self {
        Self { width: DEFAULT_WIDTH, colors: false, ascii: false }
    }

    /// A text whose bars, ellipses and powers are replaced by ASCII if only ASCII can be shown.
    pub fn spell(self, text: &str) -> String {
        if !self.ascii {
            return text.to_string();
        }
        let mut plain = String::with_capacity(text.len());
        for character in text.chars() {
            plain.push_str(match character {
                '█' | '▉' | '▊' | '▋' | '▌' | '▐' => "#",
                '▍' | '▎' | '▏' | '▕' => "-",
                '│' => "|",
                '┊' => ":",
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

    /// Bold text if colors are allowed.
    pub fn bold(self, text: &str) -> String {
        self.style("1", text)
    }

    /// Text in a style, given by its terminal code, if colors are allowed.
    pub fn style(self, code: &str, text: &str) -> String {
        if self.colors { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
    }
}

/// Wraps a line at spaces into lines of at most `width` columns; those after the first are indented by
/// two. A longer word is alone on its line.
pub fn wrapped(line: &str, width: usize) -> String {
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

/// `1 row`, `2 rows`.
pub fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// A time in words: `5.2 s`, `5 minutes 50 s`, `3 hours 20 minutes`, `2 days 3 hours`.
pub fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    let two = |size: u64, unit: &str, small: u64, rest: &str| {
        let (large, left) = (whole / size, whole % size / small);
        let rest = match left {
            0 => String::new(),
            _ if rest == "s" => format!(" {left} s"),
            left => format!(" {}", counted(left as usize, rest)),
        };
        format!("{}{rest}", counted(large as usize, unit))
    };
    match whole {
        0..60 => format!("{seconds:.1} s"),
        60..3600 => two(60, "minute", 1, "s"),
        3600..86400 => two(3600, "hour", 60, "minute"),
        _ => two(86400, "day", 3600, "hour"),
    }
}

/// Text from a file, safe for a terminal.
pub fn printable(text: &str) -> String {
    wording::clean(text).into_owned()
}

/// Printable text, cut to `most` columns of a terminal.
pub fn cut(text: &str, most: usize) -> String {
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

/// A signed number with six significant digits.
pub fn significant(number: f64) -> String {
    rounded(number, 6)
}

/// A signed number with `digits` significant digits; in scientific notation below 1e-4 and from `10^digits` on.
pub fn rounded(number: f64, digits: usize) -> String {
    if number == 0.0 {
        return " 0".to_string();
    }
    let behind = digits - 1;
    // The exponent of the rounded number: 0.9999999 is shown as 1.00000.
    let rounded: f64 = format!("{:.behind$e}", number.abs()).parse().unwrap_or(number.abs());
    let exponent = rounded.log10().floor();
    if (-4.0..digits as f64).contains(&exponent) {
        let decimals = (behind as f64 - exponent) as usize;
        format!("{number:+.decimals$}")
    } else {
        format!("{number:+.behind$e}")
    }
}

/// A number as of [`rounded`], without a plus sign or the space in its place.
pub fn unsigned(number: f64, digits: usize) -> String {
    rounded(number, digits).trim_start_matches([' ', '+']).to_string()
}

/// A share in percent: `97.3 %`.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// A bar per value, all of `width` characters with trailing blanks cut: right of a common axis for
/// positive values, left of it for negative ones.
pub fn bars(values: &[f64], width: usize) -> Vec<String> {
    marked_bars(values, width, &[])
}

/// As [`bars`], with a mark at the position of another value, unless a bar covers it.
pub fn marked_bars(values: &[f64], width: usize, marks: &[f64]) -> Vec<String> {
    let greatest = values.iter().chain(marks).copied().fold(0.0, f64::max);
    let least = values.iter().chain(marks).copied().fold(0.0, f64::min);
    if greatest == least {
        return values.iter().map(|_| String::new()).collect();
    }
    // One column is the axis; a side with bars has at least one column.
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
    let place = |mark: &f64| {
        let far = (mark.abs() * scale) as usize;
        match *mark < 0.0 {
            true => left.saturating_sub(1 + far),
            false => (left + 1 + far).min(width - 1),
        }
    };
    let marks: Vec<usize> = marks.iter().map(place).collect();
    values
        .iter()
        .map(|&value| {
            let (before, after) = if value < 0.0 {
                (leftward(-value * scale), String::new())
            } else {
                (String::new(), rightward(value * scale))
            };
            let mut bar: Vec<char> = format!("{before:>left$}│{after}").chars().collect();
            for &mark in &marks {
                bar.resize(bar.len().max(mark + 1), ' ');
                if bar[mark] == ' ' {
                    bar[mark] = '┊';
                }
            }
            bar.into_iter().collect()
        })
        .collect()
}

/// A bar that grows to the right, in eighths of a column. Every positive length is visible.
fn rightward(length: f64) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (length * 8.0).round() as usize;
    let eighths = if length > 0.0 { eighths.max(1) } else { 0 };
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

/// A bar that grows to the left. In this direction Unicode has only half blocks and one eighth block.
fn leftward(length: f64) -> String {
    let halves = (length * 2.0).round() as usize;
    if halves == 0 {
        return "▕".to_string();
    }
    format!("{}{}", if halves % 2 == 1 { "▐" } else { "" }, "█".repeat(halves / 2))
}

/// Rows of cells in aligned columns; the first row is the heading. Columns for which `is_text` is true are aligned to
/// the left, the others to the right.
pub fn aligned(rows: &[Vec<String>], is_text: impl Fn(usize) -> bool, look: Look) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let widths: Vec<usize> = (0..columns)
        .map(|column| rows.iter().map(|row| row[column].width()).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for (number, row) in rows.iter().enumerate() {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
            let blank = " ".repeat(width - cell.width());
            if is_text(column) { format!("{cell}{blank}") } else { format!("{blank}{cell}") }
        });
        let line = cells.collect::<Vec<String>>().join("  ");
        let line = line.trim_end();
        text.push_str(&if number == 0 { look.bold(line) } else { line.to_string() });
        text.push('\n');
    }
    text
}

/// A heading of a terminal's table as it is on pages: `adjusted p (max-T)` for `adjusted (max-T)`.
pub fn page_head(head: &str) -> String {
    head.replacen("adjusted (", "adjusted p (", 1)
}

/// An additional column of a table.
#[derive(Debug)]
pub struct TableColumn {
    /// Its heading, and a shorter one for narrow tables.
    pub heads: [&'static str; 2],
    /// Its cells.
    pub cells: Vec<String>,
    /// The importance of the column. If a table does not fit, the columns with the smallest importance are omitted.
    /// Columns of importance [`ALWAYS`] remain.
    pub importance: u8,
}

/// The [importance](TableColumn::importance) of a column that is never omitted.
pub const ALWAYS: u8 = u8::MAX;

/// The width of names below which columns are omitted instead: an rsID has up to 12 characters.
const NAME_WIDTH: usize = 12;

/// The layout of a table that fits its width.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// The largest width of a name.
    pub names: usize,
    /// Which of the two headings of each column fits.
    pub head: usize,
    /// The headings of the omitted columns.
    pub omitted: Vec<&'static str>,
}

impl Layout {
    /// The layout of a table of `width` characters with `count` columns of names, the longest of which has `longest`
    /// characters, and with additional columns, some of which may be removed. `taken` is the width of everything
    /// else, including spaces, and `bars` that of the bars.
    pub fn new(
        columns: &mut Vec<TableColumn>,
        (count, longest): (usize, usize),
        (taken, bars): (usize, usize),
        width: usize,
    ) -> Self {
        let longest = longest.max("feature".len());
        let mut omitted = Vec::new();
        loop {
            let total = |head: usize| -> usize {
                columns.iter().map(|column| column.width(head) + 2).sum::<usize>() + taken
            };
            let head = usize::from(count * longest + total(0) + bars > width);
            let room = width.saturating_sub(total(head)) / count;
            let least = columns.iter().map(|column| column.importance).min().unwrap_or(ALWAYS);
            if room >= longest.min(NAME_WIDTH) || least == ALWAYS {
                return Self { names: longest.min(room.max("feature".len())), head, omitted };
            }
            if let Some(place) = columns.iter().position(|column| column.importance == least) {
                omitted.push(columns.remove(place).heads[0]);
            }
        }
    }

    /// A line about the omitted columns, if there are any.
    pub fn note(&self) -> Option<String> {
        let are = if self.omitted.len() == 1 { "column is" } else { "columns are" };
        (!self.omitted.is_empty()).then(|| {
            let names = self.omitted.join(", ");
            format!("… the {are} omitted to fit the width: {names}; --format json has all")
        })
    }
}

impl TableColumn {
    /// The width of the column with one of its headings.
    pub fn width(&self, head: usize) -> usize {
        self.cells.iter().map(|cell| cell.len()).max().unwrap_or(0).max(self.heads[head].len())
    }
}

/// A number with four significant digits, without trailing zeros.
pub fn four_digits(number: f64) -> String {
    let size = number.abs();
    if size != 0.0 && !(1e-4..1e7).contains(&size) {
        return format!("{number:.3e}");
    }
    let decimals = if size == 0.0 { 0 } else { (3.0 - size.log10().floor()).max(0.0) as usize };
    let text = format!("{number:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_for_people() {
        for (seconds, text) in [
            (3.21, "3.2 s"),
            (60.0, "1 minute"),
            (350.0, "5 minutes 50 s"),
            (3600.0, "1 hour"),
            (12_345.0, "3 hours 25 minutes"),
            (90_000.0, "1 day 1 hour"),
            (350_000.0, "4 days 1 hour"),
        ] {
            assert_eq!(duration(seconds), text);
        }
    }

    #[test]
    fn columns_are_omitted_where_names_would_be_cut() {
        let column = |head: &'static str, importance| TableColumn {
            heads: [head, "h"],
            cells: vec!["x".repeat(10)],
            importance,
        };
        let columns = || vec![column("first", 2), column("second", ALWAYS), column("third", 1)];
        let layout = |width| {
            let mut columns = columns();
            let layout = Layout::new(&mut columns, (1, 12), (10, 0), width);
            let left = columns.iter().map(|column| column.width(layout.head) + 2).sum::<usize>();
            assert!(left + layout.names + 10 <= width, "{layout:?}");
            layout
        };
        assert_eq!(layout(58), Layout { names: 12, head: 0, omitted: vec![] });
        assert_eq!(layout(57).omitted, ["third"]);
        assert_eq!(layout(40).omitted, ["third", "first"]);
        assert_eq!(
            layout(57).note().unwrap(),
            "… the column is omitted to fit the width: third; --format json has all"
        );
        // Next to a column that is never omitted, names have their smallest width.
        let mut one = vec![column("second", ALWAYS)];
        assert_eq!(Layout::new(&mut one, (2, 40), (10, 0), 30).names, 7);
    }

    #[test]
    fn numbers_have_four_digits() {
        for (number, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (0.009603914619590861, "0.009604"),
            (-12345.678, "-12346"),
            (0.25, "0.25"),
            (1234.5, "1234"),
            (1.5e-7, "1.500e-7"),
            (20_000_000.0, "2.000e7"),
        ] {
            assert_eq!(four_digits(number), text);
        }
    }

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
    fn a_mark_stands_where_no_bar_does() {
        let found = marked_bars(&[1.0, 0.5, 0.0, -0.5], 13, &[0.75]);
        assert_eq!(found, ["    │████████", "    │████  ┊", "    │      ┊", "████│      ┊"]);
        assert_eq!(marked_bars(&[0.5, 0.0], 11, &[1.0]), ["│█████    ┊", "│         ┊"]);
        assert_eq!(marked_bars(&[-1.0, -0.1], 5, &[-0.5]), ["████│", " ┊ ▐│"]);
        assert_eq!(marked_bars(&[0.0, 0.0], 5, &[0.0]), ["", ""]);
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
        let look = Look { width: 80, colors: false, ascii: true };
        let bar = bars(&[1.0, 0.5, -0.5], 13).join("\n");
        let plain = look.spell(&bar);
        assert!(plain.is_ascii(), "{plain}");
        assert_eq!(plain.lines().next(), Some("    |########"));
        assert_eq!(look.spell("n² p … x"), "n^2 p ... x");
    }

    #[test]
    fn cells_are_quoted_where_csv_needs_it() {
        assert_eq!(csv_cell("age"), "age");
        assert_eq!(csv_cell("a,b"), "\"a,b\"");
        assert_eq!(csv_cell("say \"x\""), "\"say \"\"x\"\"\"");
        assert_eq!(csv_cell(" pad"), "\" pad\"");
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
