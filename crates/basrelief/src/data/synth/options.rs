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

/// The number of rows, when a table of that many rows and `columns` columns, and the noise columns
/// asked for, is not absurd.
pub(super) fn checked_rows(settings: &Settings, columns: usize) -> Result<usize> {
    let rows = settings.count(&ROWS)?;
    checked_size(&ROWS, rows, columns.saturating_add(settings.count(&NOISE)?))?;
    Ok(rows)
}

/// Refuses an absurd `count` of what holds `columns` values each.
pub(super) fn checked_size(option: &OptionInfo, count: usize, columns: usize) -> Result<()> {
    let most = MOST_VALUES / (columns as u64).max(1);
    if count as u64 <= most {
        return Ok(());
    }
    let name = option.name;
    Err(Error::option(
        name,
        format!("{count} {name} of {columns} columns are more than {MOST_VALUES} values"),
        format!("give at most {most} {name}, or fewer columns"),
    ))
}

/// `relevant1`, `relevant2`, …
pub(super) fn numbered(word: &str, count: usize) -> Vec<String> {
    (1..=count).map(|index| format!("{word}{index}")).collect()
}
