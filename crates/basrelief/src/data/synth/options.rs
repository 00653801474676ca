//! Options that several generators share.

use crate::error::{Error, Result};
use crate::options::{OptionInfo, OptionKind, Settings};

/// `rows`: how many rows.
pub(super) static ROWS: OptionInfo = OptionInfo {
    name: "rows",
    flag: "rows",
    kind: OptionKind::Count { least: 2 },
    default: "1000",
    help: "Rows",
};

/// `relevant`: columns that decide the class.
pub(super) static RELEVANT: OptionInfo = OptionInfo {
    name: "relevant",
    flag: "relevant",
    kind: OptionKind::Count { least: 1 },
    default: "5",
    help: "Columns that decide the class",
};

/// `irrelevant`: columns that have nothing to do with the class.
pub(super) static IRRELEVANT: OptionInfo = OptionInfo {
    name: "irrelevant",
    flag: "irrelevant",
    kind: OptionKind::Count { least: 0 },
    default: "10",
    help: "Columns that have nothing to do with the class",
};

/// `classes`: how many classes.
pub(super) static CLASSES: OptionInfo = OptionInfo {
    name: "classes",
    flag: "classes",
    kind: OptionKind::Count { least: 2 },
    default: "2",
    help: "Classes",
};

/// `minor_allele_frequency`: of the interacting pair.
pub(super) static FREQUENCY: OptionInfo = OptionInfo {
    name: "minor_allele_frequency",
    flag: "minor-allele-frequency",
    kind: OptionKind::Number { least: 0.01, most: 0.5 },
    default: "0.4",
    help: "Share of the rarer allele in the interacting pair",
};

/// `heritability`: what the interacting pair explains.
pub(super) static HERITABILITY: OptionInfo = OptionInfo {
    name: "heritability",
    flag: "heritability",
    kind: OptionKind::Number { least: 0.0, most: 1.0 },
    default: "0.4",
    help: "Share of the disease's variance that the pair explains",
};

/// `prevalence`: how many are cases.
pub(super) static PREVALENCE: OptionInfo = OptionInfo {
    name: "prevalence",
    flag: "prevalence",
    kind: OptionKind::Number { least: 0.001, most: 0.999 },
    default: "0.5",
    help: "Share of the population that has the disease",
};

/// `missing`: how many values are.
pub(super) static MISSING: OptionInfo = OptionInfo {
    name: "missing",
    flag: "missing",
    kind: OptionKind::Number { least: 0.0, most: 0.9 },
    default: "0.05",
    help: "Share of missing values in the columns that have gaps",
};

/// `noise`: normal columns appended to any set ([`super::with_noise`]).
pub(super) static NOISE: OptionInfo = OptionInfo {
    name: "noise",
    flag: "noise",
    kind: OptionKind::Count { least: 0 },
    default: "0",
    help: "Columns of standard normal noise appended",
};

/// More values than this (8 GB) are refused rather than tried.
const MOST_VALUES: u64 = 1_000_000_000;

/// The same of genotypes, four of which are a byte.
const MOST_GENOTYPES: u64 = 32 * MOST_VALUES;

/// The number of rows, when a table of that many rows and `columns` columns, and the noise columns
/// asked for, is not absurd.
pub(super) fn checked_rows(settings: &Settings, columns: usize) -> Result<usize> {
    let rows = settings.count(&ROWS)?;
    checked_size(&ROWS, rows, columns.saturating_add(settings.count(&NOISE)?))?;
    Ok(rows)
}

/// The same of a table of so many columns of genotypes.
pub(super) fn checked_rows_of_genotypes(settings: &Settings, columns: usize) -> Result<usize> {
    let rows = checked_rows(settings, 1)?;
    checked_within(MOST_GENOTYPES, &ROWS, rows, columns)?;
    Ok(rows)
}

/// Refuses an absurd `count` of what holds `columns` values each.
pub(super) fn checked_size(option: &OptionInfo, count: usize, columns: usize) -> Result<()> {
    checked_within(MOST_VALUES, option, count, columns)
}

/// Refuses more than `limit` values.
fn checked_within(limit: u64, option: &OptionInfo, count: usize, columns: usize) -> Result<()> {
    let most = limit / (columns as u64).max(1);
    if count as u64 <= most {
        return Ok(());
    }
    let name = option.name;
    Err(Error::option(
        name,
        format!("{count} {name} of {columns} columns are more than {limit} values"),
        format!("give at most {most} {name}, or fewer columns"),
    ))
}

/// `relevant1`, `relevant2`, …
pub(super) fn numbered(word: &str, count: usize) -> Vec<String> {
    (1..=count).map(|index| format!("{word}{index}")).collect()
}
