//! Warnings about columns that may have been misinterpreted.

use std::collections::BTreeMap;

use super::check::{distinct_up_to, list};
use super::{Cell, Column, ColumnKind, Target, Values};
use crate::warning::Warning;
use crate::wording::{first_way, leave_out, quoted, setting};

/// From this number of rows on, a column whose values are all different, or count upward, is reported as
/// a likely identifier.
pub(crate) const IDENTIFIER_MIN_ROWS: usize = 20;

/// Names, and endings of names, of the first column in tables whose rows are features, in lower case.
const FEATURES: [&str; 13] = [
    "gene",
    "symbol",
    "probe",
    "probeset",
    "transcript",
    "protein",
    "ensembl",
    "id_ref",
    "snp",
    "cpg",
    "otu",
    "taxon",
    "metabolite",
];
const ENDINGS_OF_FEATURES: [&str; 7] = ["", "s", "id", "ids", "name", "names", "symbol"];

/// Numbers that often encode missing values, at the upper end of a column and at its lower end.
const HIGH_CODES: [f64; 5] = [9.0, 99.0, 999.0, 9999.0, 99999.0];
const LOW_CODES: [f64; 6] = [-1.0, -9.0, -99.0, -999.0, -9999.0, -99999.0];

/// Levels with a natural order, from low to high, in lower case. A column may contain only some of them.
const ORDERS: [&[&str]; 13] = [
    &[
        "none",
        "very low",
        "low",
        "lower",
        "medium",
        "mid",
        "middle",
        "moderate",
        "average",
        "normal",
        "higher",
        "high",
        "very high",
    ],
    &["none", "mild", "moderate", "severe", "very severe", "critical"],
    &["never", "rarely", "seldom", "sometimes", "occasionally", "often", "usually", "always"],
    &["very poor", "poor", "fair", "average", "good", "very good", "excellent"],
    &["strongly disagree", "disagree", "neutral", "agree", "strongly agree"],
    &["very dissatisfied", "dissatisfied", "neutral", "satisfied", "very satisfied"],
    &["tiny", "small", "medium", "large", "huge"],
    &["xxs", "xs", "s", "m", "l", "xl", "xxl", "xxxl"],
    &["i", "ii", "iii", "iv", "v", "vi"],
    &["1st", "2nd", "3rd", "4th", "5th", "6th"],
    &["first", "second", "third", "fourth", "fifth"],
    &["none", "primary", "secondary", "tertiary"],
    &["bronze", "silver", "gold", "platinum"],
];

/// Smallest number of levels that are reported as ordered: the difference of two levels does not depend on an order.
const ORDERED_LEVELS: usize = 3;

/// Warns about columns that may have been misinterpreted: row numbers, row names, codes of missing values,
/// ordered levels, genotypes in which a value does not occur, and categories that are mostly numbers.
///
/// `is_guessed` returns whether the kind of the column with a name was inferred rather than declared.
pub fn guesses(columns: &[Column<'_>], is_guessed: impl Fn(&str) -> bool) -> Vec<Warning> {
    let guessed: Vec<&Column<'_>> =
        columns.iter().filter(|column| is_guessed(column.name())).collect();
    let mut warnings: Vec<Warning> = likely_genotypes(&guessed).into_iter().collect();
    warnings.extend(unnamed_first(columns));
    warnings.extend(columns.iter().filter_map(counts_upward));
    warnings.extend(columns.iter().filter_map(names_rows));
    warnings.extend(missing_codes(&guessed));
    warnings.extend(mixed_texts(&guessed));
    warnings.extend(ordered_levels(&guessed));
    warnings
}

/// Reports a first column without a name, which contains row names in tables written by pandas and R.
fn unnamed_first(columns: &[Column<'_>]) -> Option<Warning> {
    let is_unnamed = |name: &str, place: usize| {
        name.is_empty()
            || name == format!("column_{place}")
            || name == format!("Unnamed: {}", place - 1)
            || name == format!("...{place}")
    };
    let [first, second, ..] = columns else { return None };
    // In a table without a header, no column has a name.
    (is_unnamed(first.name(), 1) && !is_unnamed(second.name(), 2) && !is_counting(first)).then(|| {
        Warning::new(
            "unnamed-column",
            format!(
                "the first column has no name in the header and is used as a feature ({}): if it \
                 contains row names, {}",
                quoted(first.name()),
                leave_out(first.name())
            ),
        )
    })
}

fn counts_upward(column: &Column<'_>) -> Option<Warning> {
    is_counting(column).then(|| {
        Warning::new(
            "row-numbers",
            format!(
                "column {} counts upward from row to row: if it contains row numbers, {}",
                quoted(column.name()),
                leave_out(column.name())
            ),
        )
    })
}

/// Whether all values are whole numbers, each larger than the previous one.
fn is_counting(column: &Column<'_>) -> bool {
    let rows = column.len();
    column.kind() == ColumnKind::Numeric
        && rows >= IDENTIFIER_MIN_ROWS
        && column.value(0).fract() == 0.0
        && (1..rows).all(|row| {
            let value = column.value(row);
            value > column.value(row - 1) && value.fract() == 0.0
        })
}

fn names_rows(column: &Column<'_>) -> Option<Warning> {
    let Values::Categorical(values) = column.values() else { return None };
    let rows = column.len();
    let name = column.name().to_lowercase();
    let names_features = FEATURES.iter().any(|feature| {
        let rest = name.strip_prefix(feature).map(|rest| rest.trim_start_matches(['_', ' ', '.']));
        rest.is_some_and(|rest| ENDINGS_OF_FEATURES.contains(&rest))
    });
    let transposed = match names_features {
        true => format!(
            "if rows are features and columns samples, add {}; ",
            setting("transpose", None)
        ),
        false => String::new(),
    };
    (rows >= IDENTIFIER_MIN_ROWS && values.levels().len() == rows).then(|| {
        Warning::new(
            "identifier",
            format!(
                "column {} has a different text in every row: {transposed}if it contains row names, {}",
                quoted(column.name()),
                leave_out(column.name())
            ),
        )
    })
}

/// Reports numeric columns with exactly two of the values 0, 1 and 2, if the table contains inferred genotypes.
/// They may be genotypes too, with a larger range and therefore other differences.
fn likely_genotypes(guessed: &[&Column<'_>]) -> Option<Warning> {
    guessed.iter().find(|column| column.kind() == ColumnKind::Genotype)?;
    let has_two = |column: &&&Column<'_>| {
        let values = (0..column.len()).map(|row| column.value(row));
        distinct_up_to(values, 2).is_some_and(|seen| {
            seen.len() == 2 && seen.iter().all(|value| [0.0, 1.0, 2.0].contains(value))
        })
    };
    let numeric = guessed.iter().filter(|column| column.kind() == ColumnKind::Numeric);
    let names: Vec<&str> = numeric.filter(has_two).map(|column| column.name()).collect();
    (!names.is_empty()).then(|| {
        Warning::new(
            "likely-genotypes",
            format!(
                "read as numeric, but perhaps genotypes like other columns, without one of the \
                 values 0, 1 and 2 (declare genotypes with {}): {}",
                setting("genotype", None),
                list(&names)
            ),
        )
    })
}

/// Reports numbers such as 99 or -9 that lie far from all other values of a column.
fn missing_codes(guessed: &[&Column<'_>]) -> Vec<Warning> {
    let mut found: Vec<(f64, Vec<&str>)> = Vec::new();
    for column in guessed.iter().filter(|column| column.kind() == ColumnKind::Numeric) {
        for code in codes_of(column) {
            match found.iter_mut().find(|(other, _)| *other == code) {
                Some((_, names)) => names.push(column.name()),
                None => found.push((code, vec![column.name()])),
            }
        }
    }
    let warn = |(code, names): (f64, Vec<&str>)| {
        let are = if names.len() == 1 { "a column" } else { "columns" };
        Warning::new(
            "missing-codes",
            format!(
                "{code} lies far from all other values of {are} and is read as a number; if it \
                 means a missing value, use {}: {}",
                setting("na", Some(&code.to_string())),
                list(&names)
            ),
        )
    };
    found.into_iter().map(warn).collect()
}

/// The extreme values of a column that are likely codes of missing values.
fn codes_of(column: &Column<'_>) -> Vec<f64> {
    let Some(extent) = column.extent() else { return Vec::new() };
    let (least, greatest) = (extent.least, extent.greatest);
    let (is_low, is_high) = (LOW_CODES.contains(&least), HIGH_CODES.contains(&greatest));
    if !is_low && !is_high {
        return Vec::new();
    }
    let (mut low, mut high, mut are_whole) = (f64::INFINITY, f64::NEG_INFINITY, true);
    for value in (0..column.len()).map(|row| column.value(row)) {
        let is_end = (is_low && value == least) || (is_high && value == greatest);
        if !is_end && !value.is_nan() {
            (low, high) = (low.min(value), high.max(value));
            are_whole &= value.fract() == 0.0;
        }
    }
    let mut codes = Vec::new();
    // -1 is an ordinary value next to 0 and 1.
    if is_low && low >= 0.0 && (least != -1.0 || (are_whole && high >= 2.0)) {
        codes.push(least);
    }
    if is_high && low < high && greatest - high >= high - low {
        codes.push(greatest);
    }
    codes
}

/// Reports categorical columns in which at least half of the distinct values or of the cells are numbers.
fn mixed_texts(guessed: &[&Column<'_>]) -> Option<Warning> {
    let mut described = Vec::new();
    for column in guessed {
        let Values::Categorical(values) = column.values() else { continue };
        let counts = values.counts();
        let is_number: Vec<bool> = values
            .levels()
            .iter()
            .map(|level| matches!(Cell::read(level.as_bytes()), Cell::Number(_) | Cell::Inexact))
            .collect();
        let numbers = is_number.iter().filter(|is| **is).count();
        let others = (0..counts.len()).filter(|&level| !is_number[level]);
        let Some(commonest) =
            others.clone().max_by_key(|&level| (counts[level], usize::MAX - level))
        else {
            continue;
        };
        let other_cells: usize = others.map(|level| counts[level]).sum();
        let all_cells: usize = counts.iter().sum();
        if numbers > 0 && (2 * numbers >= counts.len() || 2 * other_cells <= all_cells) {
            described.push(format!(
                "{} ({} in {} of {all_cells} cells)",
                quoted(column.name()),
                quoted(&crate::error::shorten(&values.levels()[commonest], 40)),
                counts[commonest]
            ));
        }
    }
    let shown: Vec<&str> = described.iter().map(String::as_str).collect();
    (!described.is_empty()).then(|| {
        Warning::new(
            "mixed-texts",
            format!(
                "read as categories because of some texts, although many cells are numbers: {}; if \
                 these texts mean missing values, use {}",
                list(&shown),
                setting("na", None)
            ),
        )
    })
}

/// Reports levels with a natural order, which unordered categories ignore.
fn ordered_levels(guessed: &[&Column<'_>]) -> Option<Warning> {
    let mut first = None;
    let mut order_of = |column: &&&Column<'_>| {
        let Values::Categorical(values) = column.values() else { return None };
        let levels: Vec<String> =
            values.levels().iter().map(|level| level.trim().to_lowercase()).collect();
        if !(ORDERED_LEVELS..=ORDERS[0].len()).contains(&levels.len()) {
            return None;
        }
        let place = |order: &[&str], level: &String| order.iter().position(|own| own == level);
        let ordered = ORDERS.iter().find_map(|order| {
            let places: Option<Vec<usize>> =
                levels.iter().map(|level| place(order, level)).collect();
            let mut sorted: Vec<(usize, &String)> =
                places?.into_iter().zip(values.levels()).collect();
            sorted.sort_unstable();
            Some(sorted.into_iter().map(|(_, level)| level.clone()).collect::<Vec<String>>())
        })?;
        let described = format!("{} ({})", quoted(column.name()), ordered.join(" < "));
        first.get_or_insert(format!("{}={}", column.name(), ordered.join("<")));
        Some(described)
    };
    let described: Vec<String> = guessed.iter().filter_map(|column| order_of(&column)).collect();
    let shown: Vec<&str> = described.iter().map(String::as_str).collect();
    let first = first?;
    let way = first_way(&[
        format!("use {}", setting("ordinal", Some(&first))).as_str(),
        "replace the levels with numbers",
    ]);
    Some(Warning::new(
        "ordered-levels",
        format!(
            "read as categories without an order, although the levels seem to have one: {}; to use \
             the order, {way}",
            list(&shown)
        ),
    ))
}

/// Warns about classes whose names differ only in capitals or spaces.
pub(crate) fn similar_classes(target: &Target) -> Option<Warning> {
    let classes = target.as_classes()?;
    let mut alike: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for name in classes.names() {
        let key: String = name.split_whitespace().collect::<String>().to_lowercase();
        alike.entry(key).or_default().push(quoted(name));
    }
    let pairs: Vec<String> = alike
        .into_values()
        .filter(|names| names.len() > 1)
        .map(|names| names.join(" and "))
        .collect();
    let shown: Vec<&str> = pairs.iter().map(String::as_str).collect();
    (!pairs.is_empty()).then(|| {
        Warning::new(
            "similar-classes",
            format!(
                "classes of the target differ only in capitals or spaces, but are different classes: \
                 {}; correct the labels if they mean the same",
                list(&shown)
            ),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Categories;

    fn codes(columns: Vec<Column<'_>>) -> Vec<String> {
        guesses(&columns, |_| true).iter().map(|warning| warning.code().to_string()).collect()
    }

    fn numeric(name: &str, values: Vec<f64>) -> Column<'static> {
        Column::from_values(name, values).unwrap()
    }

    fn texts(name: &str, values: &[&str]) -> Column<'static> {
        Column::categorical(name, Categories::from_texts(values.iter().map(|text| Some(*text))))
    }

    #[test]
    fn row_numbers_and_unnamed_first_columns_are_reported() {
        let counting = |rows: i32| (1..=rows).map(f64::from).collect::<Vec<_>>();
        let x = || numeric("x", (0..20).map(|row| f64::from(row * 7 % 20) + 0.5).collect());
        assert_eq!(codes(vec![numeric("id", counting(20))]), ["row-numbers"]);
        assert_eq!(codes(vec![numeric("Unnamed: 0", counting(20)), x()]), ["row-numbers"]);
        assert_eq!(
            codes(vec![x(), numeric("t", (0..20).map(|row| f64::from(3 * row)).collect())]),
            ["row-numbers"]
        );
        assert!(codes(vec![numeric("id", counting(19))]).is_empty());
        assert!(codes(vec![x()]).is_empty());
        assert_eq!(codes(vec![x().with_name("column_1"), x()]), ["unnamed-column"]);
        assert!(codes(vec![x().with_name("column_1"), x().with_name("column_2")]).is_empty());
    }

    #[test]
    fn codes_of_missing_values_are_reported() {
        let found = |values: &[f64]| codes_of(&numeric("x", values.to_vec()));
        assert_eq!(found(&[0.0, 1.0, 2.0, 9.0]), [9.0]);
        assert_eq!(found(&[0.0, 1.0, 2.0, -9.0, f64::NAN]), [-9.0]);
        assert_eq!(found(&[0.0, 1.0, 2.0, -1.0]), [-1.0]);
        assert_eq!(found(&[18.0, 85.5, 999.0, -99.0]), [-99.0, 999.0]);
        assert!(found(&[0.0, 1.0, -1.0]).is_empty());
        assert!(found(&[1.0, 5.0, 8.0, 9.0]).is_empty());
        assert!(found(&[-9.0, -3.0, 4.0]).is_empty());
        assert!(found(&[20.0, 70.0, 99.0]).is_empty());
        let message = guesses(&[numeric("dose", vec![0.0, 1.0, 2.0, 9.0])], |_| true);
        assert!(message[0].to_string().ends_with("use `na=9`: dose"), "{}", message[0]);
    }

    #[test]
    fn classes_that_differ_in_capitals_or_spaces_are_reported() {
        let target = |labels: &[&str]| Target::Classes(crate::data::Classes::from_labels(labels));
        let warning = similar_classes(&target(&["Case", "case ", "control"])).unwrap().to_string();
        assert!(warning.contains("`Case` and `case `"), "{warning}");
        assert_eq!(similar_classes(&target(&["case", "control"])), None);
    }

    #[test]
    fn ordered_levels_and_mixed_texts_are_reported() {
        let grade = texts("grade", &["low", "High", "medium", "low"]);
        let warnings = guesses(std::slice::from_ref(&grade), |_| true);
        assert!(
            warnings[0].to_string().contains("`grade` (low < medium < High)"),
            "{}",
            warnings[0]
        );
        assert!(guesses(&[grade], |_| false).is_empty());
        assert!(codes(vec![texts("c", &["red", "low", "high"])]).is_empty());
        let snp = texts("snp", &["0", "1", "2", "./.", "./.", "0"]);
        let warnings = guesses(&[snp], |_| true);
        let message = warnings[0].to_string();
        assert!(message.contains("`snp` (`./.` in 2 of 6 cells)"), "{message}");
    }
}
