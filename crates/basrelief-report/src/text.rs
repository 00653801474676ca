//! Texts of pages: numbers, names that fit, and lists of names.

use basrelief::wording::thousands;

/// Characters of a name in a figure or a heading.
pub(crate) const SHORT: usize = 28;

/// A number of so many significant digits: `0.01353`, `-1.2e-7`; powers of ten where it is very small
/// or great.
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

/// A number of a scale, without digits that say nothing: `0.5`, `12`, `1.5e6`.
pub(crate) fn plain(value: f64) -> String {
    let text = number(value, 4);
    let (mantissa, exponent) = match text.split_once('e') {
        Some((mantissa, exponent)) => (mantissa, format!("e{exponent}")),
        None => (text.as_str(), String::new()),
    };
    let mantissa = match mantissa.contains('.') {
        true => mantissa.trim_end_matches('0').trim_end_matches('.'),
        false => mantissa,
    };
    format!("{mantissa}{exponent}")
}

/// A share as percent: `12.5 %`.
pub(crate) fn percent(share: f64) -> String {
    format!("{} %", plain((share * 1000.0).round() / 10.0))
}

/// A number with its unit, where it has one: `0.42 bits`.
pub(crate) fn with_unit(number: String, unit: Option<&str>) -> String {
    unit.map_or(number.clone(), |unit| format!("{number} {unit}"))
}

/// A text that is at most so many characters, with an ellipsis where it was longer.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_string(),
        Some(_) => text.chars().take(most - 1).chain(['…']).collect(),
    }
}

/// A whole number with its thousands apart: `500,000`.
pub(crate) fn grouped(count: usize) -> String {
    thousands(count as u64)
}

/// `1 row`, `2,000 rows`.
pub(crate) fn counted(count: usize, what: &str) -> String {
    format!("{} {what}{}", grouped(count), if count == 1 { "" } else { "s" })
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
        assert_eq!([0.5, 12.0, 1.5e6, 0.0].map(plain), ["0.5", "12", "1.5e6", "0"]);
        assert_eq!([0.125, 0.0, 1.0 / 3.0].map(percent), ["12.5 %", "0 %", "33.3 %"]);
    }

    #[test]
    fn long_names_end_in_an_ellipsis() {
        assert_eq!(shortened("日本語", 3), "日本語");
        assert_eq!(shortened("日本語x", 3), "日本…");
    }

    #[test]
    fn thousands_stand_apart() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(counted(1, "row"), "1 row");
        assert_eq!(counted(2000, "row"), "2,000 rows");
    }
}
