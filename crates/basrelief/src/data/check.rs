//! Warnings about suspicious columns of a table: constant, empty and duplicated columns.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::{
    Column, ColumnBuffers, ColumnKind, MISSING_CODE, MISSING_GENOTYPE, Numbers, TOGETHER, Table,
    Values,
};
use crate::error::Result;
use crate::parallel;
use crate::run::Run;
use crate::warning::Warning;

/// Names shown in one warning.
const SHOWN: usize = 8;

/// Number of sampled rows, which distinguish most columns.
const SAMPLED: usize = 16;

/// Number of sampled rows that are adjacent, because reading adjacent values costs nothing extra.
const SIDE_BY_SIDE: usize = 4;

/// Number of rows that are inspected first, before all rows are.
const FIRST: usize = 64;

/// Warns about constant columns, columns with only missing values, and copies of other columns.
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub(crate) fn column_warnings(table: &Table<'_>, run: &Run) -> Result<Vec<Warning>> {
    let columns = table.columns();
    let looks: Vec<Look> = run.install(|| {
        parallel::try_map(columns, |column| {
            run.check()?;
            Ok(look_at(column))
        })
    })?;
    // Few columns agree in the sampled rows. All rows of those are hashed, and columns with equal hashes are
    // compared value by value.
    let mut agreeing: HashMap<u64, usize> = HashMap::new();
    for look in &looks {
        *agreeing.entry(look.sample).or_default() += 1;
    }
    let doubtful = |look: &Look| look.known == Known::Several && agreeing[&look.sample] > 1;
    let doubtful: Vec<usize> = (0..columns.len()).filter(|&f| doubtful(&looks[f])).collect();
    let hashes: Vec<Vec<u64>> = run.install(|| {
        let groups = doubtful.chunks(run.share_of(doubtful.len(), TOGETHER));
        parallel::try_map_with(groups, |buffers: &mut ColumnBuffers, features| {
            run.check()?;
            Ok(hashes_of(features.iter().map(|&feature| &columns[feature]), buffers))
        })
    })?;
    let mut by_hash: HashMap<u64, Vec<usize>> = HashMap::new();
    let mut copies: Vec<String> = Vec::new();
    for (&feature, hash) in doubtful.iter().zip(hashes.concat()) {
        let same = by_hash.entry(hash).or_default();
        let original = same.iter().copied().find(|&other| {
            if let (Some(a), Some(b)) = (columns[other].sparse(), columns[feature].sparse()) {
                return a == b;
            }
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
    let known = (0..columns.len()).map(|f| (columns[f].name(), looks[f].known));
    Ok(told(&known.collect::<Vec<_>>(), &copies))
}

/// A summary of a column, from which warnings are derived if the columns are not all in one table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ColumnLook {
    /// The number of distinct known values: 0, 1, or 2 for more than one.
    pub(crate) known: u32,
    /// A hash of all values.
    pub(crate) hash: u64,
}

/// Summarizes the columns of a table.
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub(crate) fn looks_of(table: &Table<'_>, run: &Run) -> Result<Vec<ColumnLook>> {
    let mut buffers = ColumnBuffers::default();
    let mut looks = Vec::with_capacity(table.width());
    for columns in table.columns().chunks(TOGETHER) {
        run.check()?;
        let hashes = hashes_of(columns.iter(), &mut buffers);
        let known = columns.iter().map(|column| look_at(column).known as u32);
        looks.extend(known.zip(hashes).map(|(known, hash)| ColumnLook { known, hash }));
    }
    Ok(looks)
}

/// Like [`column_warnings`], from the name, kind and summary of every column. Columns with equal hashes are treated
/// as equal.
pub(crate) fn warnings_of_looks(columns: &[(&str, ColumnKind, ColumnLook)]) -> Vec<Warning> {
    let mut first: HashMap<(ColumnKind, u64), &str> = HashMap::new();
    let mut copies = Vec::new();
    let mut known = Vec::with_capacity(columns.len());
    for &(name, kind, look) in columns {
        known.push((
            name,
            match look.known {
                0 => Known::None,
                1 => Known::One,
                _ => Known::Several,
            },
        ));
        if look.known > 1 {
            match first.get(&(kind, look.hash)) {
                Some(other) => copies.push(format!("{name} = {other}")),
                None => drop(first.insert((kind, look.hash), name)),
            }
        }
    }
    told(&known, &copies)
}

/// The warnings about columns and copies of columns, by name.
fn told(columns: &[(&str, Known)], copies: &[String]) -> Vec<Warning> {
    let names_of = |wanted: Known| -> Vec<&str> {
        columns.iter().filter(|(_, known)| *known == wanted).map(|(name, _)| *name).collect()
    };
    let mut warnings = Vec::new();
    let empty = names_of(Known::None);
    if !empty.is_empty() {
        warnings.push(Warning::new(
            "empty-features",
            format!("{}: {}", have(empty.len(), "only missing values"), list(&empty)),
        ));
    }
    let constant = names_of(Known::One);
    if !constant.is_empty() {
        warnings.push(Warning::new(
            "constant-features",
            format!("{}: {}", have(constant.len(), "only one value"), list(&constant)),
        ));
    }
    if !copies.is_empty() {
        let copies: Vec<&str> = copies.iter().map(String::as_str).collect();
        let verb =
            if copies.len() == 1 { "feature is a copy of" } else { "features are copies of" };
        warnings.push(Warning::new(
            "duplicate-features",
            format!(
                "{} {verb} another feature, which then counts twice in every distance: {}",
                copies.len(),
                list(&copies)
            ),
        ));
    }
    warnings
}

/// The number of distinct known values of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    None,
    One,
    Several,
}

#[derive(Debug, Clone, Copy)]
struct Look {
    known: Known,
    /// A hash of the values in the sampled rows.
    sample: u64,
}

fn look_at(column: &Column<'_>) -> Look {
    let distinct = match column.values() {
        // Without a known value, the minimum is above the maximum.
        Values::Numeric(_) => column.extent().map_or(0, |extent| {
            usize::from(extent.least <= extent.greatest)
                + usize::from(extent.least < extent.greatest)
        }),
        Values::Categorical(categories) => {
            let mut known = categories.codes().iter().filter(|code| **code != MISSING_CODE);
            let first = known.next();
            usize::from(first.is_some()) + usize::from(known.any(|code| Some(code) != first))
        }
        Values::Genotype(genotypes) => {
            let known = |seen: [bool; 4]| {
                seen[..usize::from(MISSING_GENOTYPE)].iter().filter(|seen| **seen).count()
            };
            let mut first = [false; 4];
            genotypes.iter().take(FIRST).for_each(|code| first[usize::from(code)] = true);
            // For most columns, the first rows are enough.
            match known(first) {
                0 | 1 => known(genotypes.seen()),
                several => several,
            }
        }
    };
    let known = match distinct {
        0 => Known::None,
        1 => Known::One,
        _ => Known::Several,
    };
    let rows = column.len();
    let sampled = |k: usize| match rows {
        0..SAMPLED => k,
        _ => k / SIDE_BY_SIDE * rows / (SAMPLED / SIDE_BY_SIDE) + k % SIDE_BY_SIDE,
    };
    let sample = (0..rows.min(SAMPLED)).map(sampled);
    let sample = sample.map(|row| bits(column.value(row)));
    Look { known, sample: sample.fold(0, step) }
}

/// The bits of a value. All NaN have the same bits, and so do -0.0 and 0.0.
fn bits(value: f64) -> u64 {
    (if value.is_nan() { f64::NAN } else { value + 0.0 }).to_bits()
}

/// Hashes of all values of up to [`TOGETHER`] columns.
fn hashes_of<'c>(
    columns: impl Iterator<Item = &'c Column<'c>>,
    buffers: &mut ColumnBuffers,
) -> Vec<u64> {
    let columns: Vec<&Column<'_>> = columns.collect();
    let is_genotype = |column: &Column<'_>| column.kind() == ColumnKind::Genotype;
    let is_other = |column: &&Column<'_>| !is_genotype(column) && !column.is_sparse();
    let others: Vec<&Column<'_>> = columns.iter().copied().filter(is_other).collect();
    let mut numbers = buffers.read(&others).into_iter();
    let hash_of = |column: &&Column<'_>| match column.values() {
        Values::Numeric(Numbers::Sparse(values)) => {
            let entries = values.rows().iter().zip(values.values());
            entries.fold(1, |hash, (row, value)| step(step(hash, u64::from(*row)), bits(value)))
        }
        Values::Genotype(genotypes) => hash_of_genotypes(&genotypes.to_bytes()),
        _ => {
            let values = numbers.next().unwrap_or_default();
            hash(values.chunks(WAYS), |part, way| part.get(way).map_or(0, |v| bits(*v)))
        }
    };
    columns.iter().map(hash_of).collect()
}

fn hash_of_genotypes(copies: &[u8]) -> u64 {
    let word = |part: &[u8], way: usize| match part.get(8 * way..) {
        None => 0,
        Some(bytes) => bytes.first_chunk().map_or_else(
            || bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
            |bytes| u64::from_le_bytes(*bytes),
        ),
    };
    hash(copies.chunks(8 * WAYS), word)
}

/// Number of hashes that are computed in parallel, because every step of a hash depends on the previous one.
const WAYS: usize = 4;

/// The hash of a column from parts of up to [`WAYS`] words.
fn hash<'p, T: 'p>(parts: impl Iterator<Item = &'p [T]>, word: impl Fn(&[T], usize) -> u64) -> u64 {
    let mut ways = [0; WAYS];
    for part in parts {
        for (way, hash) in ways.iter_mut().enumerate() {
            *hash = step(*hash, word(part, way));
        }
    }
    ways.into_iter().fold(0, step)
}

fn step(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(5) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

fn have(count: usize, what: &str) -> String {
    if count == 1 {
        format!("1 feature has {what} and gets weight 0")
    } else {
        format!("{count} features have {what} and get weight 0")
    }
}

/// The distinct values, sorted, if there are at most `limit`. NaN is ignored.
pub(super) fn distinct_up_to(values: impl Iterator<Item = f64>, limit: usize) -> Option<Vec<f64>> {
    let mut seen: Vec<f64> = Vec::with_capacity(limit + 1);
    for value in values.filter(|value| !value.is_nan()) {
        // -0.0 and 0.0 are the same value.
        let value = value + 0.0;
        if let Err(place) = seen.binary_search_by(|probe| probe.total_cmp(&value)) {
            if seen.len() == limit {
                return None;
            }
            seen.insert(place, value);
        }
    }
    Some(seen)
}

/// Lists the first names, and the number of further ones.
pub(crate) fn list(names: &[&str]) -> String {
    let mut text = names.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        text.push_str(&format!(", and {} more", names.len() - SHOWN));
    }
    text
}
