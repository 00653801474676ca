//! What is odd about a table but no error: constant, empty and duplicated columns.

use std::collections::HashMap;

use rayon::prelude::*;

use super::Table;
use crate::error::Result;
use crate::report::Warning;
use crate::run::Run;

/// Names shown in one warning.
const SHOWN: usize = 8;

/// Warns of constant columns, columns without a known value, and columns that repeat another.
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub(crate) fn column_warnings(table: &Table<'_>, run: &Run) -> Result<Vec<Warning>> {
    let columns = table.columns();
    let looks: Vec<Look> = run.install(|| {
        columns
            .par_iter()
            .map_init(Vec::new, |values, column| {
                run.check()?;
                column.copy_values(values);
                Ok(look_at(values))
            })
            .collect::<Result<_>>()
    })?;
    let names_of = |wanted: &dyn Fn(&Look) -> bool| -> Vec<&str> {
        (0..columns.len()).filter(|&f| wanted(&looks[f])).map(|f| columns[f].name()).collect()
    };
    let mut warnings = Vec::new();
    let empty = names_of(&|look| look.known == Known::None);
    if !empty.is_empty() {
        warnings.push(Warning::new(
            "empty-features",
            format!("{} no known value and weigh 0: {}", have(empty.len()), list(&empty)),
        ));
    }
    let constant = names_of(&|look| look.known == Known::One);
    if !constant.is_empty() {
        warnings.push(Warning::new(
            "constant-features",
            format!("{} one value only and weigh 0: {}", have(constant.len()), list(&constant)),
        ));
    }

    // Equal hashes are compared value by value.
    let mut by_hash: HashMap<u64, Vec<usize>> = HashMap::new();
    let mut copies: Vec<String> = Vec::new();
    for (feature, look) in looks.iter().enumerate() {
        if look.known != Known::Several {
            continue;
        }
        let same = by_hash.entry(look.hash).or_default();
        let original = same.iter().copied().find(|&other| {
            columns[other].kind() == columns[feature].kind()
                && (0..table.rows()).all(|row| {
                    let (a, b) = (columns[other].value(row), columns[feature].value(row));
                    a == b || a.is_nan() && b.is_nan()
                })
        });
        match original {
            Some(other) => {
                copies.push(format!("{} = {}", columns[feature].name(), columns[other].name()));
            }
            None => same.push(feature),
        }
    }
    if !copies.is_empty() {
        let copies: Vec<&str> = copies.iter().map(String::as_str).collect();
        let verb = if copies.len() == 1 { "feature repeats" } else { "features repeat" };
        warnings.push(Warning::new(
            "duplicate-features",
            format!(
                "{} {verb} another, which counts twice in every distance: {}",
                copies.len(),
                list(&copies)
            ),
        ));
    }
    Ok(warnings)
}

/// How many different known values a column has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    None,
    One,
    Several,
}

struct Look {
    known: Known,
    hash: u64,
}

fn look_at(values: &[f64]) -> Look {
    let mut known = Known::None;
    let mut first = f64::NAN;
    let mut hash = 0_u64;
    for &value in values {
        // -0.0 and 0.0 are one value, and so are all NaN.
        let value = if value.is_nan() { f64::NAN } else { value + 0.0 };
        hash = (hash.rotate_left(5) ^ value.to_bits()).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        if value.is_nan() {
            continue;
        }
        match known {
            Known::None => (known, first) = (Known::One, value),
            Known::One if value != first => known = Known::Several,
            _ => {}
        }
    }
    Look { known, hash }
}

fn have(count: usize) -> String {
    if count == 1 { "1 feature has".to_string() } else { format!("{count} features have") }
}

/// The first few of some names, and how many more there are.
pub(crate) fn list(names: &[&str]) -> String {
    let mut text = names.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        text.push_str(&format!(", and {} more", names.len() - SHOWN));
    }
    text
}
