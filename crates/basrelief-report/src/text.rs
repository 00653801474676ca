//! Texts of pages: numbers, names that fit, and lists of names.

use basrelief::wording::thousands;

/// Characters of a name in a figure or a heading.
pub(crate) const SHORT: usize = 28;

/// A number with the given count of significant digits: `0.01353`, `-1.2e-7`; in scientific notation if it is very
/// small or large.
pub(crate) fn number(value: f64, digits: usize) -> String {
    if value == 0.0 {
        return "0".to_string();
    }
    let behind = digits - 1;
    let text = format!("{value:.behind$e}");
    let exponent: i32 =
        text.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0);
    if (-4..digits as i32).contains(&exponent) {
        let decimals = (behind as i32 - exponent) as usize;
        format!("{value:.decimals$}")
    } else {
        text
    }
}

/// A number of a scale in its shortest form: `0.5`, `12`, `15,000`, `1.5e6`.
pub(crate) fn plain(value: f64) -> String {
    trimmed(value, value.abs() >= LARGE || (value != 0.0 && value.abs() < SMALL))
}

/// The numbers of one axis in the same notation: all in scientific notation if the largest or the smallest needs it.
pub(crate) fn plain_all(values: &[f64]) -> Vec<String> {
    let largest = values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    let is_scientific = largest >= LARGE || (largest > 0.0 && largest < SMALL);
    values.iter().map(|&value| trimmed(value, is_scientific)).collect()
}

/// Numbers from here on, and numbers below [`SMALL`], are in scientific notation.
const LARGE: f64 = 1e6;
const SMALL: f64 = 1e-4;

/// A number with at most four significant digits, without trailing zeros.
fn trimmed(value: f64, is_scientific: bool) -> String {
    // The rounding decides about the digits: 999.96 has four before the point.
    let text = format!("{value:.3e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let without_zeros = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text.to_string(),
    };
    let rounded: f64 = text.parse().unwrap_or(value);
    match exponent.parse::<i32>().unwrap_or(0) {
        _ if rounded == 0.0 => "0".to_string(),
        0 if is_scientific => without_zeros(mantissa),
        exponent if is_scientific => format!("{}e{exponent}", without_zeros(mantissa)),
        exponent if exponent < 3 => {
            without_zeros(&format!("{rounded:.decimals$}", decimals = (3 - exponent) as usize))
        }
        _ if rounded < 0.0 => format!("-{}", grouped(-rounded as usize)),
        _ => grouped(rounded as usize),
    }
}

/// A share as percent: `12.5 %`.
pub(crate) fn percent(share: f64) -> String {
    format!("{} %", plain((share * 1000.0).round() / 10.0))
}

/// A number with its unit, if it has one: `0.42 bits`.
pub(crate) fn with_unit(number: String, unit: Option<&str>) -> String {
    unit.map_or(number.clone(), |unit| format!("{number} {unit}"))
}

/// A text of at most `most` characters, which ends with an ellipsis if it was longer.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_string(),
        Some(_) => text.chars().take(most - 1).chain(['…']).collect(),
    }
}

/// A whole number with separated thousands: `500,000`.
pub(crate) fn grouped(count: usize) -> String {
    thousands(count as u64)
}

/// `1 row`, `2,000 rows`.
pub(crate) fn counted(count: usize, what: &str) -> String {
    format!("{} {what}{}", grouped(count), if count == 1 { "" } else { "s" })
}

/// A text in parts, each with whether it must stay on one line: a number with an exponent or a percent sign, or a comparison
/// such as `p < 1e-16`.
pub(crate) fn parts(text: &str) -> Vec<(bool, &str)> {
    let mut parts = Vec::new();
    let (mut start, mut at) = (0, 0);
    while at < text.len() {
        let length = comparison(&text[at..]).or_else(|| exponential(&text[at..]));
        if let Some(length) = length {
            if start < at {
                parts.push((false, &text[start..at]));
            }
            parts.push((true, &text[at..at + length]));
            at += length;
            start = at;
        }
        // To the next word.
        at = text[at..].find([' ', '(']).map_or(text.len(), |space| at + space + 1);
    }
    if start < text.len() {
        parts.push((false, &text[start..]));
    }
    parts
}

/// The length of a comparison such as `p < 1e-16` or `q = 0.41` at the start of a text.
fn comparison(text: &str) -> Option<usize> {
    let rest = text.strip_prefix(['p', 'q'])?.strip_prefix(' ')?;
    let rest = ["= ", "< ", "≤ ", "<= "].iter().find_map(|sign| rest.strip_prefix(sign))?;
    let number = digits(rest);
    (number > 0).then(|| text.len() - rest.len() + number)
}

/// The length of a number with an exponent or a percent sign at the start of a text.
fn exponential(text: &str) -> Option<usize> {
    let length = digits(text);
    if length > 0 && text[length..].starts_with(" %") {
        return Some(length + " %".len());
    }
    text[..length].contains('e').then_some(length)
}

/// The length of a number at the start of a text, 0 if there is none.
fn digits(text: &str) -> usize {
    let is_part = |c: char| c.is_ascii_digit() || ['.', ',', 'e', '-', '+'].contains(&c);
    let word = &text[..text.find(|c| !is_part(c)).unwrap_or(text.len())];
    let word = word.trim_end_matches(['.', ',']);
    let is_number = word.trim_start_matches(['-', '+']).starts_with(|c: char| c.is_ascii_digit());
    if is_number { word.len() } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_digits_asked_for() {
        for (value, text) in [
            (0.0, "0"),
            (0.0135315, "0.01353"),
            (-0.00123456, "-0.001235"),
            (0.99996, "1.000"),
            (123_456.0, "1.235e5"),
            (-1.23e-7, "-1.230e-7"),
            (9999.6, "1.000e4"),
        ] {
            assert_eq!(number(value, 4), text);
        }
        let numbers = [0.5, 12.0, 1.5e6, 0.0, 39_601.5, 1000.0, -12_345.0, 2.5e-5, 999_950.0];
        let texts =
            ["0.5", "12", "1.5e6", "0", "39,600", "1,000", "-12,340", "2.5e-5", "1,000,000"];
        assert_eq!(numbers.map(plain), texts);
        assert_eq!([0.125, 0.0, 1.0 / 3.0].map(percent), ["12.5 %", "0 %", "33.3 %"]);
    }

    #[test]
    fn the_numbers_of_an_axis_have_one_notation() {
        assert_eq!(plain_all(&[5e3, 1e4, 1.5e4]), ["5,000", "10,000", "15,000"]);
        assert_eq!(plain_all(&[0.0, 5e5, 1e6]), ["0", "5e5", "1e6"]);
        assert_eq!(plain_all(&[0.0, 5e-5, 1e-4]), ["0", "0.00005", "0.0001"]);
    }

    #[test]
    fn numbers_and_comparisons_stay_on_one_line() {
        let whole = |text: &str| -> Vec<String> {
            let all = parts(text);
            assert_eq!(all.iter().map(|(_, part)| *part).collect::<String>(), text);
            all.iter().filter(|(whole, _)| *whole).map(|(_, part)| (*part).to_string()).collect()
        };
        assert_eq!(whole("a and b: p < 1e-16, q (FDR) 9.19e-200."), ["p < 1e-16", "9.19e-200"]);
        assert_eq!(whole("(smallest q = 0.41)"), ["q = 0.41"]);
        assert_eq!(whole("3 of 1,000 pairs, p here"), Vec::<String>::new());
        assert_eq!(whole("日本 1e-5"), ["1e-5"]);
        assert_eq!(whole("from 2.5 % to 97.5 %."), ["2.5 %", "97.5 %"]);
    }

    #[test]
    fn long_names_end_in_an_ellipsis() {
        assert_eq!(shortened("日本語", 3), "日本語");
        assert_eq!(shortened("日本語x", 3), "日本…");
    }

    #[test]
    fn thousands_are_separated() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(counted(1, "row"), "1 row");
        assert_eq!(counted(2000, "row"), "2,000 rows");
    }
}
