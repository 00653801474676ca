//! Interprets the text of one cell as a number, a missing value, a decorated number, a date, or other text.

/// Whether a cell's text means a missing value in any column: empty, `?`, `NA`, `N/A`, `NaN`,
/// `null`, `None` and their usual spellings.
pub fn is_missing_text(text: &str) -> bool {
    matches!(
        text,
        "" | "?"
            | "NA"
            | "N/A"
            | "n/a"
            | "#N/A"
            | "#NA"
            | "<NA>"
            | "NaN"
            | "nan"
            | "NAN"
            | "-nan"
            | "-NaN"
            | "null"
            | "NULL"
            | "Null"
            | "None"
    )
}

/// Whether a cell's text means a missing value in a numeric column, where `-`, `--`, `.`, `na` and `none` also mean
/// one.
pub(crate) fn is_missing_number(text: &str) -> bool {
    is_missing_text(text)
        || matches!(text, "-" | "--" | "." | "na" | "Na" | "none" | "NONE" | "NIL" | "nil")
}

fn is_same_number(one: Cell, other: Cell) -> bool {
    matches!((one, other), (Cell::Number(one), Cell::Number(other)) if one == other)
}

/// The content of a text cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell {
    /// A missing value in any column ([`is_missing_text`]).
    Missing,
    /// A missing value, but only in a numeric column.
    MissingNumber,
    /// A finite number.
    Number(f64),
    /// A whole number beyond 2^53 that has no exact double-precision representation.
    Inexact,
    /// An infinite number.
    Infinite,
    /// Any other text.
    Text,
}

impl Cell {
    /// Whether a cell is one of the texts that the user declares to mean a missing value. A number among them also declares its
    /// other spellings: `-99` is also `-99.0`.
    ///
    /// # Examples
    /// ```
    /// use basrelief::data::Cell;
    ///
    /// let declared = ["-99".to_string(), "unknown".to_string()];
    /// assert!(Cell::is_declared_missing(&declared, b"-99.0"));
    /// assert!(Cell::is_declared_missing(&declared, b"unknown"));
    /// assert!(!Cell::is_declared_missing(&declared, b"99"));
    /// ```
    pub fn is_declared_missing(declared: &[String], cell: &[u8]) -> bool {
        if declared.is_empty() {
            return false;
        }
        let value = Self::read(cell);
        let is_cell = |text: &[u8]| text == cell || is_same_number(Self::read(text), value);
        declared.iter().any(|text| is_cell(text.as_bytes()))
    }

    /// Reads a cell. White space around the text, including no-break spaces, is ignored.
    ///
    /// # Examples
    /// ```
    /// use basrelief::data::Cell;
    ///
    /// assert_eq!(Cell::read(b"-1.5"), Cell::Number(-1.5));
    /// assert_eq!(Cell::read(b"NA"), Cell::Missing);
    /// assert_eq!(Cell::read(b"--"), Cell::MissingNumber);
    /// assert_eq!(Cell::read(b"9007199254740993"), Cell::Inexact);
    /// assert_eq!(Cell::read(b"12 kg"), Cell::Text);
    /// ```
    pub fn read(cell: &[u8]) -> Self {
        let Some(&first) = cell.first() else { return Cell::Missing };
        if cell.len() == 1 && first.is_ascii_digit() {
            return Cell::Number(f64::from(first - b'0'));
        }
        if let Some(value) = plain_decimal(cell) {
            return Cell::Number(value);
        }
        let Ok(text) = std::str::from_utf8(cell) else { return Cell::Text };
        let text = text.trim();
        if is_missing_text(text) {
            return Cell::Missing;
        }
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() && loses_digits(text, value) => Cell::Inexact,
            Ok(value) if value.is_finite() => Cell::Number(value),
            Ok(value) if value.is_infinite() => Cell::Infinite,
            Ok(_) => Cell::Missing,
            Err(_) if is_missing_number(text) => Cell::MissingNumber,
            Err(_) => Cell::Text,
        }
    }
}

/// Converts a whole number to double precision. Returns `None` if it would be rounded
/// ([`inexact`](super::inexact) is the error).
///
/// # Examples
/// ```
/// use basrelief::data::exact_number;
///
/// assert_eq!(exact_number(7), Some(7.0));
/// assert_eq!(exact_number((1 << 53) + 1), None);
/// ```
pub fn exact_number(whole: i128) -> Option<f64> {
    let number = whole as f64;
    (number as i128 == whole).then_some(number)
}

/// Whether a text is a whole number, written without a point or an exponent, that differs from the
/// number parsed from it.
fn loses_digits(text: &str, value: f64) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if value.abs() < 9_007_199_254_740_992.0 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return false;
    }
    // The exact digits of the parsed number, or its shortest representation padded with zeros.
    let digits = digits.trim_start_matches('0');
    format!("{:.0}", value.abs()) != digits && value.abs().to_string() != digits
}

/// Parses a plain decimal of at most 15 digits without an exponent, the most frequent kind of cell. The
/// digits and the power of ten are then exact numbers, so that their quotient is the correctly rounded
/// value that `str::parse` returns.
fn plain_decimal(cell: &[u8]) -> Option<f64> {
    const POWERS: [f64; 16] =
        [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
    let (negative, rest) = match cell {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, cell),
    };
    if rest.is_empty() || rest.len() > 16 {
        return None;
    }
    let (mut digits, mut count, mut point) = (0_u64, 0_usize, None);
    for &byte in rest {
        match byte {
            b'0'..=b'9' => {
                digits = digits * 10 + u64::from(byte - b'0');
                count += 1;
            }
            b'.' if point.is_none() => point = Some(count),
            _ => return None,
        }
    }
    if count == 0 || count > 15 {
        return None;
    }
    let value = digits as f64 / POWERS[count - point.unwrap_or(count)];
    Some(if negative { -value } else { value })
}

/// The text around the digits of a [`DecoratedNumber`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Decoration<'t> {
    /// A comparison sign: `<500`.
    Comparison,
    /// A currency: `$5`, `5 EUR`.
    Currency,
    /// A percent sign: `5%`.
    Percent,
    /// A minus sign other than `-`, or accounting parentheses.
    Minus,
    /// A thousands separator or a decimal comma: `1,234`, `1,5`.
    Separator,
    /// A unit in the list of units: `12 kg`.
    Unit,
    /// Any other text after the number. It is a unit only if the other cells share it.
    Suffix(&'t str),
}

impl Decoration<'_> {
    /// The name of the decoration in messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Decoration::Comparison => "a comparison sign",
            Decoration::Currency => "a currency",
            Decoration::Percent => "a percent sign",
            Decoration::Minus => "a minus sign that is not `-`",
            Decoration::Separator => "a thousands separator or decimal comma",
            Decoration::Unit | Decoration::Suffix(_) => "a unit",
        }
    }
}

/// A number with other characters around it, such as `12 kg`, `1,234`, `$5`, `<0.1` or `−3`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct DecoratedNumber<'t> {
    /// The number without its decoration. A comma is a decimal comma unless exactly three digits follow it.
    pub(super) value: f64,
    /// The first decoration.
    pub(super) decoration: Decoration<'t>,
}

const COMPARISONS: [&str; 8] = ["<=", ">=", "<", ">", "≤", "≥", "~", "≈"];
const CURRENCIES: [&str; 22] = [
    "US$", "R$", "$", "€", "£", "¥", "₹", "₽", "₩", "₺", "₪", "¢", "EUR", "USD", "GBP", "CHF",
    "JPY", "CNY", "INR", "Rs.", "Rs", "kr",
];
const MINUS_SIGNS: [char; 5] = ['−', '–', '—', '‐', '﹣'];

/// Units that are always recognized after a number, in lower case. Other suffixes are units only if most
/// cells of the column share one.
const UNITS: &[&str] = &[
    "kg", "mg", "µg", "μg", "ug", "ng", "pg", "gram", "grams", "lb", "lbs", "oz", "cm", "mm", "km",
    "µm", "μm", "um", "nm", "inch", "inches", "ft", "feet", "yd", "mile", "miles", "mi", "meter",
    "meters", "metre", "metres", "sec", "secs", "second", "seconds", "min", "mins", "minute",
    "minutes", "hr", "hrs", "hour", "hours", "day", "days", "wk", "wks", "week", "weeks", "mo",
    "mos", "month", "months", "yr", "yrs", "year", "years", "y/o", "ms", "ml", "dl", "cl", "µl",
    "μl", "ul", "liter", "liters", "litre", "litres", "°", "°c", "°f", "deg", "degrees", "mv",
    "kv", "ma", "kw", "mw", "kwh", "hz", "khz", "mhz", "ghz", "kb", "mb", "gb", "tb", "bp", "mol",
    "mmol", "µmol", "μmol", "mm hg", "mmhg", "mmol/l", "mg/dl", "g/dl", "g/l", "mg/l", "ng/ml",
    "kpa", "hpa", "pa", "bar", "psi", "atm", "kj", "cal", "kcal", "rpm", "bpm", "iu", "mph", "mpg",
    "km/h", "kg/m2", "kg/m²", "cc", "hp",
];

/// Characters that separate groups of digits, in addition to the point and the comma.
const GROUP_SEPARATORS: [char; 7] = [' ', '\u{a0}', '\u{202f}', '\u{2009}', '\'', '’', '_'];

impl<'t> DecoratedNumber<'t> {
    /// Reads a text that is not a number itself.
    pub(super) fn read(text: &'t str) -> Option<Self> {
        let mut first = None;
        let mut rest = text.trim();
        if let Some(inner) = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
            (first, rest) = (Some(Decoration::Minus), inner.trim());
        }
        if let Some(quoted) = rest.strip_prefix('\'') {
            // Spreadsheets mark text with a leading apostrophe.
            (first, rest) = (first.or(Some(Decoration::Separator)), quoted.trim_start());
        }
        let mut take = |signs: &[&str], decoration: Decoration<'t>, rest: &mut &'t str| {
            if let Some(after) = signs.iter().find_map(|sign| rest.strip_prefix(sign)) {
                first = first.or(Some(decoration));
                *rest = after.trim_start();
            }
        };
        take(&COMPARISONS, Decoration::Comparison, &mut rest);
        take(&CURRENCIES, Decoration::Currency, &mut rest);
        let before_sign = rest;
        rest = rest.strip_prefix(['-', '+']).unwrap_or(rest);
        if let Some(after) = rest.strip_prefix(MINUS_SIGNS) {
            (first, rest) = (first.or(Some(Decoration::Minus)), after);
        }
        let is_negative = before_sign.len() > rest.len() && !before_sign.starts_with('+');
        rest = rest.trim_start();
        if let Some(after) = CURRENCIES.iter().find_map(|sign| rest.strip_prefix(sign)) {
            (first, rest) = (first.or(Some(Decoration::Currency)), after.trim_start());
        }
        let (value, is_separated, suffix) = leading_number(rest)?;
        let suffix = suffix.trim();
        if is_separated {
            first = first.or(Some(Decoration::Separator));
        }
        if !suffix.is_empty() {
            first = first.or(Some(decoration_of(suffix)?));
            decoration_of(suffix)?;
        }
        let value = if is_negative { -value } else { value };
        first.map(|decoration| Self { value, decoration })
    }
}

/// Classifies a text after a number; `None` if it cannot be a unit.
fn decoration_of(suffix: &str) -> Option<Decoration<'_>> {
    if matches!(suffix, "%" | "‰" | "percent" | "pct") {
        return Some(Decoration::Percent);
    }
    if CURRENCIES.contains(&suffix) {
        return Some(Decoration::Currency);
    }
    if UNITS.contains(&suffix.to_lowercase().as_str()) {
        return Some(Decoration::Unit);
    }
    // Ordinal numbers (1st, 2nd) are categories.
    let is_ordinal = matches!(suffix, "st" | "nd" | "rd" | "th" | "º" | "ª");
    let has_digits = suffix.chars().any(|mark| mark.is_ascii_digit());
    let begins_well =
        suffix.starts_with(|mark: char| mark.is_alphabetic() || mark == '*' || mark == '°');
    let is_short = suffix.chars().count() <= 12;
    (!is_ordinal && !has_digits && begins_well && is_short).then_some(Decoration::Suffix(suffix))
}

/// The number at the start of a text, whether its digits contain separators, and the rest of the text.
fn leading_number(text: &str) -> Option<(f64, bool, &str)> {
    let mut marks = text.char_indices().peekable();
    let mut groups = vec![String::new()];
    let mut separators = Vec::new();
    let mut end = 0;
    while let Some((at, mark)) = marks.next() {
        if mark.is_ascii_digit() {
            groups.last_mut()?.push(mark);
            end = at + 1;
        } else {
            let is_separator = matches!(mark, '.' | ',') || GROUP_SEPARATORS.contains(&mark);
            let before_digit = marks.peek().is_some_and(|(_, next)| next.is_ascii_digit());
            if !is_separator || !before_digit {
                break;
            }
            separators.push(mark);
            groups.push(String::new());
        }
    }
    let (digits, is_separated) = joined(&groups, &separators)?;
    let mut rest = &text[end..];
    let mut digits = digits;
    // An exponent.
    if let Some(after) = rest.strip_prefix(['e', 'E']) {
        let unsigned = after.strip_prefix(['-', '+']).unwrap_or(after);
        let length = unsigned.bytes().take_while(u8::is_ascii_digit).count();
        if length > 0 {
            let length = after.len() - unsigned.len() + length;
            digits.push('e');
            digits.push_str(&after[..length]);
            rest = &after[length..];
        }
    }
    Some((digits.parse().ok()?, is_separated, rest))
}

/// Joins groups of digits into one number with a decimal point, and returns whether there are thousands
/// separators or a decimal comma. Returns `None` if the groups are not those of one number, as in `1.2.3`.
fn joined(groups: &[String], separators: &[char]) -> Option<(String, bool)> {
    let (whole, last) = (&groups[..groups.len() - 1], groups.last()?);
    if whole.is_empty() {
        return (!last.is_empty()).then(|| (last.clone(), false));
    }
    let is_point = |separator: char| matches!(separator, '.' | ',');
    let final_one = *separators.last()?;
    let others = &separators[..separators.len() - 1];
    let are_alike = |all: &[char]| all.windows(2).all(|pair| pair[0] == pair[1]);
    let are_groups = |groups: &[String]| {
        let [first, rest @ .., last] = groups else { return true };
        // Groups of two digits are used for lakhs.
        (1..=3).contains(&first.len())
            && last.len() == 3
            && rest.iter().all(|group| group.len() == 2 || group.len() == 3)
    };
    let ends_with_fraction = is_point(final_one)
        && !others.contains(&final_one)
        && !(final_one == ',' && last.len() == 3 && others.is_empty());
    if ends_with_fraction {
        if !are_alike(others) || !are_groups(whole) {
            return None;
        }
        // With `.` as the only separator, the text is already a number.
        let is_separated = final_one == ',' || !others.is_empty();
        return Some((format!("{}.{last}", whole.concat()), is_separated));
    }
    (are_alike(separators) && are_groups(groups)).then(|| (groups.concat(), true))
}

/// Whether a text is a date, a time of day, or both.
pub(super) fn is_date(text: &str) -> bool {
    let text = text.trim();
    if text.len() > 40 || !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return false;
    }
    let (date, time) = match text.split_once(['T', ' ']) {
        Some((date, time)) if is_numeric_date(date) => (date, Some(time)),
        _ => (text, None),
    };
    if is_numeric_date(date) {
        return time.is_none_or(is_time);
    }
    is_time(text) || is_named_date(text)
}

/// `2024-01-31`, `31.01.2024`, `1/31/24`, `2024/01`.
fn is_numeric_date(text: &str) -> bool {
    let Some(separator) = text.chars().find(|mark| matches!(mark, '-' | '/' | '.')) else {
        return false;
    };
    let parts: Vec<&str> = text.trim_end_matches('.').split(separator).collect();
    let number = |part: &&str| {
        let is_short =
            (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
        is_short.then(|| part.parse::<u32>().ok()).flatten()
    };
    let Some(numbers) = parts.iter().map(number).collect::<Option<Vec<u32>>>() else {
        return false;
    };
    let is_year = |place: usize| parts[place].len() == 4 && (1000..=2999).contains(&numbers[place]);
    let is_day = |place: usize| parts[place].len() <= 2 && (1..=31).contains(&numbers[place]);
    let is_month = |place: usize| parts[place].len() <= 2 && (1..=12).contains(&numbers[place]);
    match numbers.len() {
        // Two parts separated by a point are a decimal number.
        2 if separator != '.' => {
            is_year(0) && is_month(1) && parts[1].len() == 2 || is_month(0) && is_year(1)
        }
        3 => {
            let ends = (is_day(0) && is_month(1)) || (is_month(0) && is_day(1));
            (is_year(0) && is_month(1) && is_day(2))
                || (ends && (is_year(2) || parts[2].len() == 2))
        }
        _ => false,
    }
}

/// `12:30`, `12:30:45.5`, `1:05 PM`, with `Z` or an offset.
fn is_time(text: &str) -> bool {
    let upper = text.trim().to_ascii_uppercase();
    let bare = upper
        .trim_end_matches("AM")
        .trim_end_matches("PM")
        .trim_end_matches("UTC")
        .trim_end_matches('Z');
    let bare = bare.trim();
    let bare = match bare.rfind(['+', '-']) {
        Some(at) if at > 0 => &bare[..at],
        _ => bare,
    };
    let parts: Vec<&str> = bare.trim().split(':').collect();
    let below = |part: &str, limit: f64| {
        part.starts_with(|mark: char| mark.is_ascii_digit())
            && part.split('.').next().is_some_and(|whole| whole.len() <= 2)
            && part.parse::<f64>().is_ok_and(|number| number < limit)
    };
    match parts.as_slice() {
        [hour, minute] => below(hour, 24.0) && minute.len() == 2 && below(minute, 60.0),
        [hour, minute, second] => below(hour, 24.0) && below(minute, 60.0) && below(second, 61.0),
        _ => false,
    }
}

/// `31 Jan 2024`, `January 31, 2024`, `Jan-24`, `31-JAN-2024 12:30`.
fn is_named_date(text: &str) -> bool {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    const NAMES: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
    let lower = text.to_lowercase();
    let words =
        lower.split(|mark: char| mark.is_whitespace() || matches!(mark, ',' | '-' | '/' | '.'));
    let (mut months, mut numbers) = (0, 0);
    for word in words.filter(|word| !word.is_empty()) {
        let bare = word
            .trim_end_matches("st")
            .trim_end_matches("nd")
            .trim_end_matches("rd")
            .trim_end_matches("th");
        if MONTHS.contains(&word) || NAMES.contains(&word) || word == "sept" {
            months += 1;
        } else if (1..=4).contains(&bare.len()) && bare.bytes().all(|byte| byte.is_ascii_digit()) {
            numbers += 1;
        } else if !is_time(word) && !DAYS.contains(&word.get(..3).unwrap_or(word)) {
            return false;
        }
    }
    months == 1 && (1..=2).contains(&numbers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn plain_numbers_are_those_of_the_standard_library(text in "[+-]?[0-9]{0,17}[.]?[0-9]{0,17}") {
            if let Some(value) = plain_decimal(text.as_bytes()) {
                prop_assert_eq!(text.parse::<f64>().map(f64::to_bits), Ok(value.to_bits()));
            }
        }

        #[test]
        fn whole_numbers_are_exact_or_reported(number in any::<i64>()) {
            let cell = Cell::read(number.to_string().as_bytes());
            // The digits that are written for a number are also read as this number.
            let is_written = (number as f64).to_string() == number.to_string();
            let is_number = is_written || exact_number(i128::from(number)).is_some();
            let expected = if is_number { Cell::Number(number as f64) } else { Cell::Inexact };
            prop_assert_eq!(cell, expected);
        }
    }

    #[test]
    fn cells_are_numbers_missing_values_or_texts() {
        for (text, cell) in [
            ("", Cell::Missing),
            (" NA ", Cell::Missing),
            ("+nan", Cell::Missing),
            ("-", Cell::MissingNumber),
            ("\u{a0}10", Cell::Number(10.0)),
            (" 10 ", Cell::Number(10.0)),
            ("1e300", Cell::Number(1e300)),
            ("inf", Cell::Infinite),
            ("1e999", Cell::Infinite),
            ("9007199254740992", Cell::Number(9_007_199_254_740_992.0)),
            ("9007199254740993", Cell::Inexact),
            ("-9007199254740993", Cell::Inexact),
            ("0009007199254740994", Cell::Number(9_007_199_254_740_994.0)),
            ("100000000000000000000000", Cell::Number(1e23)),
            ("9007199254740993.0", Cell::Number(9_007_199_254_740_992.0)),
            ("1_000", Cell::Text),
            ("0x10", Cell::Text),
        ] {
            assert_eq!(Cell::read(text.as_bytes()), cell, "{text:?}");
        }
    }

    #[test]
    fn numbers_are_found_within_their_decoration() {
        for (text, value, name) in [
            ("12 kg", 12.0, "a unit"),
            ("12kg", 12.0, "a unit"),
            ("1.5 mg/dL", 1.5, "a unit"),
            ("27.3 kg/m2", 27.3, "a unit"),
            ("36.6°C", 36.6, "a unit"),
            ("23.4 kmpl", 23.4, "a unit"),
            ("1,234", 1234.0, "a thousands separator or decimal comma"),
            ("1.234.567", 1_234_567.0, "a thousands separator or decimal comma"),
            ("1'234.5", 1234.5, "a thousands separator or decimal comma"),
            ("1 234,56", 1234.56, "a thousands separator or decimal comma"),
            ("12,34,567", 1_234_567.0, "a thousands separator or decimal comma"),
            ("1_000", 1000.0, "a thousands separator or decimal comma"),
            ("10,4", 10.4, "a thousands separator or decimal comma"),
            ("-0,75", -0.75, "a thousands separator or decimal comma"),
            ("1,5e3", 1500.0, "a thousands separator or decimal comma"),
            ("50%", 50.0, "a percent sign"),
            ("50 %", 50.0, "a percent sign"),
            ("$5", 5.0, "a currency"),
            ("-$5.20", -5.2, "a currency"),
            ("1040 EUR", 1040.0, "a currency"),
            ("€ 1.040,50", 1040.5, "a currency"),
            ("<500", 500.0, "a comparison sign"),
            (">= 0.5", 0.5, "a comparison sign"),
            ("−50", -50.0, "a minus sign that is not `-`"),
            ("–3.5", -3.5, "a minus sign that is not `-`"),
            ("(5)", 5.0, "a minus sign that is not `-`"),
        ] {
            let found = DecoratedNumber::read(text);
            let found = found.map(|number| (number.value, number.decoration.name()));
            assert_eq!(found, Some((value, name)), "{text}");
        }
        for text in [
            "1st",
            "2nd",
            "kg",
            "",
            "-",
            "A1",
            "chr1",
            "T2N0",
            "1.2.3",
            "192.168.1.1",
            "18-24",
            "65-",
            "02:01",
            "2024-01-31",
            "1/2",
            "12 kg 5",
            "5,",
            "one",
            "1,23",
            "C85",
        ] {
            let found = DecoratedNumber::read(text);
            let is_decimal_comma = text == "1,23";
            assert_eq!(found.is_some(), is_decimal_comma, "{text}: {found:?}");
        }
    }

    #[test]
    fn dates_and_times_are_recognized() {
        for text in [
            "2024-01-31",
            "2024/1/31",
            "31.01.2024",
            "1/31/2024",
            "31/1/24",
            "2024-01",
            "01/2024",
            "2024-01-31 12:30",
            "2024-01-31T12:30:45Z",
            "2024-01-31T12:30:45.123+02:00",
            "12:30",
            "12:30:45",
            "1:05 PM",
            "31 Jan 2024",
            "January 31, 2024",
            "31-JAN-2024",
            "Jan 2024",
            "Wed, 31 Jan 2024 12:30:00",
        ] {
            assert!(is_date(text), "{text}");
        }
        for text in [
            "2024",
            "1-2",
            "10-12",
            "18-24",
            "3.14",
            "1.2.3",
            "99/99/99",
            "24:02",
            "mar",
            "may be",
            "2024-13",
            "555-1234",
            "A*02:01",
            "",
            "12",
            "march 5 apples",
        ] {
            assert!(!is_date(text), "{text}");
        }
    }
}
