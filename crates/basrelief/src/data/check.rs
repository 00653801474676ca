//! What is odd about a table but no error: constant, empty and duplicated columns.

use std::collections::HashMap;

use rayon::prelude::*;

use super::{ColumnBuffers, ColumnKind, MISSING_GENOTYPE, TOGETHER, Table, Values, genotypes_seen};
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
    let looks = run.install(|| {
        columns
            .par_chunks(run.share_of(columns.len(), TOGETHER))
            .map_init(ColumnBuffers::default, |buffers, columns| {
                run.check()?;
                let numbers =
                    buffers.read_wanted(columns, |at| columns[at].kind() != ColumnKind::Genotype);
                let looks =
                    columns.iter().zip(numbers).map(|(column, numbers)| match column.values() {
                        Values::Genotype(copies) => look_at_genotypes(copies),
                        _ => look_at(numbers.unwrap_or_default()),
                    });
                Ok(looks.collect())
            })
            .collect::<Result<Vec<Vec<Look>>>>()
    })?;
    let looks = looks.concat();
    let names_of = |wanted: &dyn Fn(&Look) -> bool| -> Vec<&str> {
        (0..columns.len()).filter(|&f| wanted(&looks[f])).map(|f| columns[f].name()).collect()
    };
    let mut warnings = Vec::new();
    let empty = names_of(&|look| look.known == Known::None);
    if !empty.is_empty() {
        warnings.push(Warning::new(
            "empty-features",
            format!("{}: {}", have(empty.len(), "no known value"), list(&empty)),
        ));
    }
    let constant = names_of(&|look| look.known == Known::One);
    if !constant.is_empty() {
        warnings.push(Warning::new(
            "constant-features",
            format!("{}: {}", have(constant.len(), "one value only"), list(&constant)),
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

#[derive(Debug, Clone, Copy)]
struct Look {
    known: Known,
    hash: u64,
}

fn look_at(values: &[f64]) -> Look {
    let first = values.iter().copied().find(|value| !value.is_nan());
    let known = match first {
        None => Known::None,
        Some(first) => {
            let differ = |value: &f64| !value.is_nan() & (*value != first);
            if values.iter().any(differ) { Known::Several } else { Known::One }
        }
    };
    // -0.0 and 0.0 are one value, and so are all NaN.
    let bits = |value: f64| (if value.is_nan() { f64::NAN } else { value + 0.0 }).to_bits();
    Look {
        known,
        hash: hash(values.chunks(WAYS), |part, way| part.get(way).map_or(0, |v| bits(*v))),
    }
}

fn look_at_genotypes(copies: &[u8]) -> Look {
    let seen = genotypes_seen(copies);
    let known = match seen[..usize::from(MISSING_GENOTYPE)].iter().filter(|seen| **seen).count() {
        0 => Known::None,
        1 => Known::One,
        _ => Known::Several,
    };
    let word = |part: &[u8], way: usize| match part.get(8 * way..) {
        None => 0,
        Some(bytes) => bytes.first_chunk().map_or_else(
            || bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
            |bytes| u64::from_le_bytes(*bytes),
        ),
    };
    Look { known, hash: hash(copies.chunks(8 * WAYS), word) }
}

/// Hashes that are taken side by side, since each waits for the one before.
const WAYS: usize = 4;

/// The hash of a column from parts of several words.
fn hash<'p, T: 'p>(parts: impl Iterator<Item = &'p [T]>, word: impl Fn(&[T], usize) -> u64) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let step = |hash: u64, word: u64| (hash.rotate_left(5) ^ word).wrapping_mul(FACTOR);
    let mut ways = [0; WAYS];
    for part in parts {
        for (way, hash) in ways.iter_mut().enumerate() {
            *hash = step(*hash, word(part, way));
        }
    }
    ways.into_iter().fold(0, step)
}

fn have(count: usize, what: &str) -> String {
    if count == 1 {
        format!("1 feature has {what} and weighs 0")
    } else {
        format!("{count} features have {what} and weigh 0")
    }
}

/// The first few of some names, and how many more there are.
pub(crate) fn list(names: &[&str]) -> String {
    let mut text = names.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        text.push_str(&format!(", and {} more", names.len() - SHOWN));
    }
    text
}
