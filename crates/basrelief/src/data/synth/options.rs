//! Options that several generators share.

use crate::error::{Error, Result};
use crate::options::{OptionInfo, OptionKind, Settings};

/// `rows`: the number of rows.
pub(super) static ROWS: OptionInfo = OptionInfo {
    name: "rows",
    flag: "rows",
    kind: OptionKind::Count { least: 2 },
    default: "1000",
    help: "Number of rows",
};

/// `relevant`: the number of columns that determine the class.
pub(super) static RELEVANT: OptionInfo = OptionInfo {
    name: "relevant",
    flag: "relevant",
    kind: OptionKind::Count { least: 1 },
    default: "5",
    help: "Number of columns that determine the class",
};

/// `irrelevant`: the number of columns that are unrelated to the class.
pub(super) static IRRELEVANT: OptionInfo = OptionInfo {
    name: "irrelevant",
    flag: "irrelevant",
    kind: OptionKind::Count { least: 0 },
    default: "10",
    help: "Number of columns that are unrelated to the class",
};

/// `classes`: the number of classes.
pub(super) static CLASSES: OptionInfo = OptionInfo {
    name: "classes",
    flag: "classes",
    kind: OptionKind::Count { least: 2 },
    default: "2",
    help: "Number of classes",
};

/// `minor_allele_frequency`: the minor allele frequency of the interacting pair.
pub(super) static FREQUENCY: OptionInfo = OptionInfo {
    name: "minor_allele_frequency",
    flag: "minor-allele-frequency",
    kind: OptionKind::Number { least: 0.01, most: 0.5 },
    default: "0.4",
    help: "Minor allele frequency of the interacting pair",
};

/// `heritability`: the fraction of variance that the interacting pair explains.
pub(super) static HERITABILITY: OptionInfo = OptionInfo {
    name: "heritability",
    flag: "heritability",
    kind: OptionKind::Number { least: 0.0, most: 1.0 },
    default: "0.4",
    help: "Fraction of the variance of the disease that the pair explains",
};

/// `prevalence`: the fraction of cases.
pub(super) static PREVALENCE: OptionInfo = OptionInfo {
    name: "prevalence",
    flag: "prevalence",
    kind: OptionKind::Number { least: 0.001, most: 0.999 },
    default: "0.5",
    help: "Fraction of the population that has the disease",
};

/// `missing`: the fraction of missing values.
pub(super) static MISSING: OptionInfo = OptionInfo {
    name: "missing",
    flag: "missing",
    kind: OptionKind::Number { least: 0.0, most: 0.9 },
    default: "0.05",
    help: "Fraction of missing values, in columns with missing values",
};

/// `noise`: the number of normal columns that are appended to a data set ([`super::with_noise`]).
pub(super) static NOISE: OptionInfo = OptionInfo {
    name: "noise",
    flag: "noise",
    kind: OptionKind::Count { least: 0 },
    default: "0",
    help: "Number of appended columns of standard normal noise",
};

/// The largest number of values of a data set (8 GB).
const MOST_VALUES: u64 = 1_000_000_000;

/// The largest number of genotypes of a data set; four of them need one byte.
const MOST_GENOTYPES: u64 = 32 * MOST_VALUES;

/// Reads the number of rows, and refuses tables with too many values in `columns` columns and the
/// specified noise columns.
pub(super) fn checked_rows(settings: &Settings, columns: usize) -> Result<usize> {
    let rows = settings.count(&ROWS)?;
    checked_size(&ROWS, rows, columns.saturating_add(settings.count(&NOISE)?))?;
    Ok(rows)
}

/// Reads the number of rows, and refuses tables with too many values in `columns` columns of genotypes.
pub(super) fn checked_rows_of_genotypes(settings: &Settings, columns: usize) -> Result<usize> {
    let rows = checked_rows(settings, 1)?;
    checked_within(MOST_GENOTYPES, &ROWS, rows, columns)?;
    Ok(rows)
}

/// Refuses a `count` of items with `columns` values each if there are too many values.
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
        format!("use at most {most} {name}, or fewer columns"),
    ))
}

/// `relevant1`, `relevant2`, …
pub(super) fn numbered(word: &str, count: usize) -> Vec<String> {
    (1..=count).map(|index| format!("{word}{index}")).collect()
}
