//! Converts the contents of a file to a table and a target. The kinds of columns are inferred unless they
//! are specified; the caller shows the [`crate::data::Column::kind`] of every column.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::path::PathBuf;

use super::check::{distinct_up_to, list};
use super::column::{LevelKey, shown_order};
use super::guesses::guesses;
use super::levels::KnownLevels;
use super::reading::{Levels, Reading, Refused, Role};
use super::repeated_rows::{ColumnRole, repeated_rows};
use super::table::unknown_column;
use super::{
    Categories, Cell, Classes, Column, ColumnKind, CompactNumbers, MISSING_CODE, MISSING_GENOTYPE,
};
use super::{Table, Target, Values, is_missing_number, is_missing_text};
use crate::error::{DataError, Error, Result, nearest_name, shorten};
use crate::warning::Warning;
use crate::wording::{leave_out, quoted, setting, ways};

/// A numeric target is read as classes if it has at most this number of different values, all integers.
const MAX_INTEGER_CLASSES: usize = 20;

/// Largest number of levels that a message lists as an order.
const SHOWN_LEVELS: usize = 8;

/// A target of whole numbers is ambiguous if its number of different values is larger than the first
/// number, but at most the second.
const DOUBTFUL_CLASSES: (usize, usize) = (10, 100);

/// Reports that cells of a column are treated as missing.
fn coerced(name: &str, cells: usize) -> Warning {
    let are = if cells == 1 {
        "cell is not a number and is treated"
    } else {
        "cells are not numbers and are treated"
    };
    Warning::new("coerced", format!("column {}: {cells} {are} as missing", quoted(name)))
}

/// A column from a reader, before its kind is determined.
#[derive(Debug, Clone)]
pub struct RawColumn {
    /// The column's name.
    pub name: String,
    /// The column's values.
    pub values: RawValues,
    /// The kind, if the file declares it (ARFF `nominal`, a Parquet dictionary or boolean).
    pub declared: Option<ColumnKind>,
    /// For texts, the line of the file in which each level appears first, for messages; empty if rows are
    /// not lines of a file.
    pub lines: Vec<u64>,
}

/// The values of a column from a reader.
#[derive(Debug, Clone)]
pub enum RawValues {
    /// Numbers: every known cell is a finite number, and NaN is missing.
    Numbers(CompactNumbers),
    /// Texts, which may all be numbers; missing cells ([`is_missing_text`](super::is_missing_text)) have no
    /// code.
    Text(Categories),
}

/// A table from a reader, before the kinds of its columns are determined.
#[derive(Debug, Clone, Default)]
pub struct RawTable {
    /// The file of the table.
    pub source: Option<PathBuf>,
    /// The columns, including the target.
    pub columns: Vec<RawColumn>,
    /// The names of the rows, if the file has names that are not a column.
    pub row_names: Option<RawColumn>,
    /// Properties of the rows that are not features; see [`with_annotations`](Self::with_annotations).
    pub annotations: Vec<RawColumn>,
    /// Warnings and notes about the file.
    pub warnings: Vec<Warning>,
}

/// A column that the user declares ordinal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OrdinalColumn {
    /// The column's name.
    pub name: String,
    /// The levels in ascending order. If it is empty, the values are in numeric order.
    pub order: Vec<String>,
}

impl OrdinalColumn {
    /// Reads `grade=low<mid<high`, or only the name of a column of numbers. Spaces around levels are ignored.
    ///
    /// # Errors
    /// A level is empty, occurs twice, or is a text that means a missing value in files.
    ///
    /// # Examples
    /// ```
    /// use basrelief::data::OrdinalColumn;
    ///
    /// let column = OrdinalColumn::from_text("grade=low < mid < high")?;
    /// assert_eq!((column.name.as_str(), column.order.len()), ("grade", 3));
    /// assert_eq!(OrdinalColumn::from_text("rooms")?.order, Vec::<String>::new());
    /// # Ok::<(), basrelief::Error>(())
    /// ```
    pub fn from_text(text: &str) -> Result<Self> {
        let Some((name, order)) = text.split_once('=') else {
            return Ok(Self { name: text.to_string(), order: Vec::new() });
        };
        let order: Vec<String> = order.split('<').map(|level| level.trim().to_string()).collect();
        let refuse = |problem: String, help| Err(Error::option("ordinal", problem, help));
        if order.iter().any(String::is_empty) {
            let help = "write the levels in ascending order, as in grade=low<mid<high";
            return refuse(format!("{} has an empty level", quoted(text)), help);
        }
        if let Some(missing) = order.iter().find(|level| is_missing_text(level)) {
            let help = "remove it from the order, or rename it in the file";
            return refuse(format!("{} means a missing value in files", quoted(missing)), help);
        }
        Categories::ordered(Vec::new(), order.clone())?;
        Ok(Self { name: name.to_string(), order })
    }
}

impl fmt::Display for OrdinalColumn {
    /// Writes the text that [`from_text`](OrdinalColumn::from_text) reads.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = if self.order.is_empty() { "" } else { "=" };
        write!(f, "{}{mark}{}", self.name, self.order.join("<"))
    }
}

/// Kinds that the user specifies, by column name. They take precedence over the declarations in a file
/// and over inference.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KindOverrides {
    /// Columns to treat as categorical.
    pub categorical: Vec<String>,
    /// Columns to treat as ordinal, with their orders.
    pub ordinal: Vec<OrdinalColumn>,
    /// Columns to treat as genotypes.
    pub genotype: Vec<String>,
    /// Columns to treat as numeric.
    pub numeric: Vec<String>,
    /// Columns to treat as numeric if the table has them, unless they are in one of the lists.
    pub numeric_if_present: HashSet<String>,
    /// Columns to treat as categorical under the same conditions.
    pub categorical_if_present: HashSet<String>,
    /// Columns to treat as ordinal under the same conditions, with their orders.
    pub ordinal_if_present: HashMap<String, Vec<String>>,
    /// The kind of all other columns.
    pub all: Option<ColumnKind>,
    /// Columns to which `all` does not apply.
    pub exempt: HashSet<String>,
    /// Whether cells in numeric columns that are not numbers are treated as missing instead of being
    /// refused.
    pub coerce: bool,
    /// Which rows are unlabeled; they remain, although their target is unknown. `None`: rows without a target are
    /// excluded.
    pub unlabeled: Option<Unlabeled>,
}

/// Which rows are unlabeled: they can be neighbors, but their pairs do not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unlabeled {
    /// Rows whose target is missing.
    Missing,
    /// Rows whose target is this number or text, and rows whose target is missing.
    Value(String),
}

impl From<&str> for Unlabeled {
    /// `missing` means rows without a target.
    fn from(text: &str) -> Self {
        match text {
            "missing" => Unlabeled::Missing,
            value => Unlabeled::Value(value.to_string()),
        }
    }
}

impl Unlabeled {
    /// Whether a number is the value of an unlabeled row.
    fn is_number(&self, number: f64) -> bool {
        matches!(self, Unlabeled::Value(text) if level_as_number(text) == Some(number))
    }

    /// Whether a text is the value of an unlabeled row.
    fn is_text(&self, text: &str) -> bool {
        let Unlabeled::Value(value) = self else { return false };
        text.trim() == value || level_as_number(text).is_some_and(|number| self.is_number(number))
    }

    /// Replaces the value of unlabeled rows by missing values; also returns whether there are any.
    fn without(&self, mut column: RawColumn) -> Result<(RawColumn, bool)> {
        match &column.values {
            RawValues::Numbers(numbers) if numbers.iter().any(|value| self.is_number(value)) => {
                let mut known = CompactNumbers::with_capacity(numbers.len());
                numbers.iter().for_each(|value| {
                    known.push(if self.is_number(value) { f64::NAN } else { value });
                });
                column.values = RawValues::Numbers(known);
            }
            RawValues::Text(texts) if texts.levels().iter().any(|level| self.is_text(level)) => {
                let (mut levels, mut lines, mut places) = (Vec::new(), Vec::new(), Vec::new());
                for (level, text) in texts.levels().iter().enumerate() {
                    if self.is_text(text) {
                        places.push(MISSING_CODE);
                        continue;
                    }
                    places.push(levels.len() as u32);
                    levels.push(text.clone());
                    lines.extend(column.lines.get(level));
                }
                let place =
                    |&code: &u32| places.get(code as usize).copied().unwrap_or(MISSING_CODE);
                let codes = texts.codes().iter().map(place).collect();
                (column.values, column.lines) =
                    (RawValues::Text(Categories::new(codes, levels)?), lines);
            }
            _ => return Ok((column, false)),
        }
        Ok((column, true))
    }
}

/// The names of the targets that `target` specifies: a column of this name, or otherwise a list of columns, `a,b,c`.
pub fn target_names<'n>(target: &str, mut columns: impl Iterator<Item = &'n str>) -> Vec<String> {
    if columns.any(|name| name == target) || !target.contains(',') {
        return vec![target.to_string()];
    }
    target.split(',').map(|name| name.trim().to_string()).collect()
}

impl KindOverrides {
    /// The kind specified for a column, if any.
    pub fn kind_of(&self, name: &str) -> Option<ColumnKind> {
        let listed = |list: &[String]| list.iter().any(|entry| entry == name);
        if listed(&self.categorical) {
            Some(ColumnKind::Categorical)
        } else if self.ordinal.iter().any(|column| column.name == name) {
            Some(ColumnKind::Ordinal)
        } else if listed(&self.genotype) {
            Some(ColumnKind::Genotype)
        } else if listed(&self.numeric) || self.numeric_if_present.contains(name) {
            Some(ColumnKind::Numeric)
        } else if self.categorical_if_present.contains(name) {
            Some(ColumnKind::Categorical)
        } else if self.ordinal_if_present.contains_key(name) {
            Some(ColumnKind::Ordinal)
        } else {
            self.all.filter(|_| !self.exempt.contains(name))
        }
    }

    /// The column with its values in the specified order, if there is one.
    ///
    /// # Errors
    /// The errors of [`RawColumn::in_order`].
    pub fn in_order(&self, column: RawColumn) -> Result<RawColumn> {
        let listed = self.ordinal.iter().find(|own| own.name == column.name);
        let present = || self.ordinal_if_present.get(&column.name);
        let order = match (self.kind_of(&column.name), listed) {
            (Some(ColumnKind::Ordinal), Some(own)) => Some(&own.order),
            (Some(ColumnKind::Ordinal), None) => present(),
            _ => None,
        };
        match order {
            Some(order) if !order.is_empty() => column.in_order(order),
            _ => Ok(column),
        }
    }

    /// Removes columns with some names from all lists.
    #[must_use]
    pub fn without(mut self, names: &[&str]) -> Self {
        for list in [&mut self.categorical, &mut self.genotype, &mut self.numeric] {
            list.retain(|name| !names.contains(&name.as_str()));
        }
        self.ordinal.retain(|column| !names.contains(&column.name.as_str()));
        self
    }

    /// All listed names, whose columns must exist.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let lists = [&self.categorical, &self.genotype, &self.numeric].into_iter().flatten();
        lists.chain(self.ordinal.iter().map(|column| &column.name)).map(String::as_str)
    }
}

/// How to read the target column.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TargetKind {
    /// Texts are classes. Numbers are classes if there are at most 20 different values, all integers. A
    /// warning reports an ambiguous target.
    #[default]
    Auto,
    /// Like `Auto`, but without the warning: for methods that require classes, which refuse the other
    /// interpretation anyway.
    PreferClasses,
    /// Texts are classes, and all numbers are real: for regression methods.
    PreferReal,
    /// Always classes.
    Classes,
    /// Always real numbers.
    Real,
}

impl TargetKind {
    /// Reads `classes`, `real` or `auto`, which means the kind `usual`.
    ///
    /// # Errors
    /// Any other text.
    pub fn from_text(text: &str, usual: TargetKind) -> Result<Self> {
        match text {
            "auto" => Ok(usual),
            "classes" => Ok(TargetKind::Classes),
            "real" => Ok(TargetKind::Real),
            other => Err(Error::option(
                "target_type",
                format!("{} is not one of its values", quoted(other)),
                "it takes auto, classes or real",
            )),
        }
    }
}

impl TargetKind {
    /// Whether a target of these numbers is read as classes, and a warning if it is ambiguous. NaN is
    /// ignored.
    pub fn takes_as_classes(self, numbers: &[f64]) -> (bool, Option<Warning>) {
        match self {
            TargetKind::Classes => return (true, None),
            TargetKind::Real | TargetKind::PreferReal => return (false, None),
            TargetKind::Auto | TargetKind::PreferClasses => {}
        }
        let known = || numbers.iter().copied().filter(|value| !value.is_nan());
        if known().any(|value| value.fract() != 0.0) {
            return (false, None);
        }
        let (few, many) = DOUBTFUL_CLASSES;
        let count = distinct_up_to(known(), many).map(|seen| seen.len());
        let classes = count.is_some_and(|count| count <= MAX_INTEGER_CLASSES);
        // Numbers with few repetitions are not classes.
        let doubtful = |&count: &usize| count > few && known().count() >= 2 * count;
        let warning = count.filter(doubtful).filter(|_| self == TargetKind::Auto).map(|count| {
            let (read, other, way) = if classes {
                ("classes", "a quantity", setting("target_type", Some("real")))
            } else {
                ("a number", "classes", setting("target_type", Some("classes")))
            };
            Warning::new(
                "target-type",
                format!(
                    "the target has {count} different whole numbers and is read as {read}; if it is \
                     {other}, use {way}"
                ),
            )
        });
        (classes, warning)
    }
}

impl Target {
    /// Creates a target from texts without missing values, by the rules for targets of files, with a warning
    /// if its kind is ambiguous.
    ///
    /// # Errors
    /// The texts are dates, numbers with a decoration such as a unit, or numbers except for a few; a text means
    /// a missing value.
    pub fn of_texts(
        name: &str,
        texts: Categories,
        kind: TargetKind,
    ) -> Result<(Self, Option<Warning>)> {
        let column = RawColumn::new(name, RawValues::Text(texts.clone()), None);
        let (target, kept, total, doubt) = build_target(column, kind, false)?;
        let Some(row) = (0..total).find(|row| kept.get(*row) != Some(row)) else {
            return Ok((target, doubt));
        };
        let error =
            DataError::new("the target is missing", "leave out rows whose target is unknown")
                .at_row(row as u64 + 1)
                .in_column(name);
        Err(match texts.levels().get(texts.codes()[row] as usize) {
            Some(text) => error.with_value(text).into(),
            None => error.into(),
        })
    }
}

impl ColumnKind {
    /// Infers the kind of a column of texts without a declared kind, from its distinct texts, the number of
    /// cells with each, and the row (from 0) in which each appears first.
    ///
    /// # Errors
    /// The errors of [`RawColumn::into_feature`].
    ///
    /// # Panics
    /// The numbers of counts, rows and levels differ.
    pub fn of_texts(
        column: &str,
        levels: &[String],
        counts: &[usize],
        rows: &[usize],
    ) -> Result<Self> {
        if let Some(known) = KnownLevels::new(levels) {
            let mut own = vec![(0, usize::MAX); known.levels.len()];
            for (&place, (&count, &row)) in known.places.iter().zip(counts.iter().zip(rows)) {
                if let Some((cells, first)) = own.get_mut(place as usize) {
                    (*cells, *first) = (*cells + count, row.min(*first));
                }
            }
            let (counts, rows): (Vec<usize>, Vec<usize>) = own.into_iter().unzip();
            return Self::of_texts(column, &known.levels, &counts, &rows);
        }
        let place = |level: usize| format!("row {}", rows[level] + 1);
        match (Levels { texts: levels, counts }).read() {
            Reading::Categories => Ok(ColumnKind::Categorical),
            Reading::Numbers(numbers) => {
                let numbers: CompactNumbers = numbers.into_iter().collect();
                Ok(infer_kind(&RawValues::Numbers(numbers)))
            }
            Reading::Refused(refused) => {
                Err(refused.error((column, Role::Feature), levels, &place).into())
            }
        }
    }

    /// Infers the kind of a column of numbers without a declared kind: genotypes if 0, 1 and 2 all occur
    /// (`seen`), and no other values.
    pub fn of_numbers(seen: [bool; 3], has_others: bool) -> Self {
        if seen == [true; 3] && !has_others { ColumnKind::Genotype } else { ColumnKind::Numeric }
    }
}

/// Splits a raw table into features and target.
///
/// Rows whose target is missing and columns in `drop` are excluded. Returns the features, the target and
/// warnings (excluded rows, likely identifiers, repeated rows).
///
/// # Errors
/// An unknown column name (the message suggests the nearest one), no remaining feature or row, or a value
/// that does not match the specified kind.
pub fn build_problem_parts(
    raw: RawTable,
    target: &str,
    target_kind: TargetKind,
    overrides: &KindOverrides,
    drop: &[String],
) -> Result<(Table<'static>, Target, Vec<Warning>)> {
    let source = raw.source.clone();
    let located = |error: Error| match &source {
        Some(path) => error.in_file(path),
        None => error,
    };
    build(raw, target, target_kind, overrides, drop).map_err(located)
}

fn build(
    raw: RawTable,
    target_name: &str,
    target_kind: TargetKind,
    overrides: &KindOverrides,
    drop: &[String],
) -> Result<(Table<'static>, Target, Vec<Warning>)> {
    let names = target_names(target_name, raw.columns.iter().map(|column| column.name.as_str()));
    let targets = names.iter().map(String::as_str);
    known_columns(
        &raw,
        drop.iter().map(String::as_str).chain(overrides.names()).chain(targets.clone()),
    )?;
    if let Some(name) = targets.clone().find(|target| drop.iter().any(|name| name == target)) {
        return Err(DataError::new("the target cannot be dropped", "drop other columns")
            .in_column(name)
            .into());
    }

    let mut warnings = raw.warnings;
    let mut features = Vec::with_capacity(raw.columns.len());
    let mut dropped = Vec::new();
    let mut target_columns = HashMap::new();
    for column in raw.columns {
        if names.contains(&column.name) {
            let name = column.name.clone();
            if target_columns.insert(name.clone(), column).is_some() {
                let help = "rename the one that is not the target";
                return Err(DataError::new("two columns have the name of the target", help)
                    .in_column(name)
                    .into());
            }
        } else if drop.contains(&column.name) {
            dropped.push(column);
        } else {
            features.push(column);
        }
    }
    if features.is_empty() {
        return Err(Error::data(
            "no feature remains besides the target",
            "the table needs at least one column besides the target",
        ));
    }

    let alike = |column: &RawColumn| names.iter().find_map(|own| like_target(&column.name, own));
    warnings.extend(features.iter().filter_map(alike));
    let (target, kept, total, doubt) =
        build_targets(&names, target_columns, target_kind, overrides)?;
    warnings.extend(doubt);
    if kept.is_empty() {
        return Err(DataError::new(
            "the target is missing in every row",
            "choose another target column",
        )
        .in_column(target_name)
        .into());
    }
    let inferred = inferred_names(&features, overrides);
    let mut columns = into_features(features, overrides, &mut warnings)?;
    if kept.len() < total {
        let left_out = total - kept.len();
        warnings.push(Warning::new(
            "rows-left-out",
            format!(
                "{left_out} of {total} rows have no value in `{target_name}` and were excluded"
            ),
        ));
        let selected = Table::new(columns)?.select_rows(&kept).into_columns();
        columns = selected.into_iter().map(|column| column.in_order_of_appearance()).collect();
    }
    warnings.extend(guesses(&columns, |name| inferred.contains(name)));
    let dropped: Vec<Column<'static>> = dropped
        .into_iter()
        .filter_map(|column| Some(column.unread()?.select_rows(&kept)))
        .collect();
    let others = dropped.iter().map(|column| (column, ColumnRole::Other));
    let roles = columns.iter().map(|column| (column, ColumnRole::Feature)).chain(others);
    warnings.extend(repeated_rows(roles, &target));
    Ok((Table::new(columns)?, target, warnings))
}

/// Warns about a feature whose name differs from that of the target only in capitals and blanks, because
/// it may be a copy of the target.
fn like_target(feature: &str, target: &str) -> Option<Warning> {
    let bare = |name: &str| name.trim().to_lowercase();
    (bare(feature) == bare(target)).then(|| {
        Warning::new(
            "like-target",
            format!(
                "column {} has almost the same name as the target, and is used as a feature: if it \
                 contains the target, {}",
                quoted(feature),
                leave_out(feature)
            ),
        )
    })
}

/// Converts a raw table without a target to features. Columns in `drop` are excluded. Returns the features
/// and warnings (likely identifiers).
///
/// # Errors
/// The errors of [`build_problem_parts`].
pub fn build_table(
    raw: RawTable,
    overrides: &KindOverrides,
    drop: &[String],
) -> Result<(Table<'static>, Vec<Warning>)> {
    let source = raw.source.clone();
    let built = known_columns(&raw, drop.iter().map(String::as_str).chain(overrides.names()))
        .and_then(|()| {
            let kept = raw.columns.into_iter().filter(|column| !drop.contains(&column.name));
            let mut warnings = raw.warnings;
            let kept: Vec<RawColumn> = kept.collect();
            let inferred = inferred_names(&kept, overrides);
            let columns = into_features(kept, overrides, &mut warnings)?;
            if columns.is_empty() {
                return Err(Error::data("no feature remains", "exclude fewer columns"));
            }
            warnings.extend(guesses(&columns, |name| inferred.contains(name)));
            Ok((Table::new(columns)?, warnings))
        });
    built.map_err(|error| match &source {
        Some(path) => error.in_file(path),
        None => error,
    })
}

/// Refuses names that are not columns of the table.
fn known_columns<'n>(raw: &RawTable, named: impl Iterator<Item = &'n str>) -> Result<()> {
    let names = || raw.columns.iter().map(|column| column.name.as_str());
    for name in named {
        if names().any(|known| known == name) {
            continue;
        }
        let is_row = raw.columns.first().is_some_and(|first| match &first.values {
            RawValues::Text(texts) => texts.levels().iter().any(|level| level == name),
            RawValues::Numbers(_) => false,
        });
        if is_row {
            let error = DataError::new(
                "it is a row of the table, not a column",
                ways(&[
                    format!("add {} if features are rows", setting("transpose", None)),
                    "name a column".to_string(),
                ]),
            );
            return Err(error.in_column(name).into());
        }
        return Err(unknown_column(name, names()));
    }
    Ok(())
}

/// The names of the columns whose kind is inferred, that is, neither specified nor declared in the file.
fn inferred_names(columns: &[RawColumn], overrides: &KindOverrides) -> HashSet<String> {
    let is_inferred = |column: &&RawColumn| {
        column.declared.is_none() && overrides.kind_of(&column.name).is_none()
    };
    columns.iter().filter(is_inferred).map(|column| column.name.clone()).collect()
}

fn into_features(
    columns: Vec<RawColumn>,
    overrides: &KindOverrides,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<Column<'static>>> {
    let mut by_numbers = Vec::new();
    let columns: Result<Vec<Column<'static>>> = columns
        .into_iter()
        .map(|column| {
            let stated = overrides.kind_of(&column.name);
            let column = overrides.in_order(column)?;
            let has_order = matches!(&column.values, RawValues::Text(own) if own.is_ordered());
            let (column, lost) = column.feature(stated, overrides.coerce)?;
            if lost > 0 {
                warnings.push(coerced(column.name(), lost));
            }
            if let (Values::Categorical(own), false) = (column.values(), has_order)
                && own.is_ordered()
            {
                let levels: Vec<&str> = own.levels().iter().map(String::as_str).collect();
                by_numbers.push(format!("{} ({})", quoted(column.name()), shown_order(&levels)));
            }
            Ok(column)
        })
        .collect();
    let by_numbers: Vec<&str> = by_numbers.iter().map(String::as_str).collect();
    if !by_numbers.is_empty() {
        warnings.push(Warning::new(
            "numeric-order",
            format!("ordinal in the numeric order of the values: {}", list(&by_numbers)),
        ));
    }
    columns
}

/// A target, the rows where it is known, the total number of rows, and a warning if its kind is
/// ambiguous.
type FoundTarget = (Target, Vec<usize>, usize, Option<Warning>);

/// Reads the columns of one target or of several, and which rows remain: those with a known target, or all if some are
/// [unlabeled](Unlabeled).
fn build_targets(
    names: &[String],
    mut columns: HashMap<String, RawColumn>,
    kind: TargetKind,
    overrides: &KindOverrides,
) -> Result<FoundTarget> {
    // Of several targets, numbers are numbers unless the user specifies classes.
    let kind = match kind {
        TargetKind::Auto | TargetKind::PreferClasses if names.len() > 1 => TargetKind::PreferReal,
        kind => kind,
    };
    let (mut found, mut total, mut are_found) = (Vec::with_capacity(names.len()), 0, false);
    for name in names {
        let mut column = columns.remove(name).ok_or_else(|| {
            // The columns exist, so that only a name that is listed twice is absent.
            let problem = format!("{} is listed twice", quoted(name));
            Error::option("target", problem, "list every target once")
        })?;
        if let Some(unlabeled) = &overrides.unlabeled {
            let (without, is_found) = unlabeled.without(column)?;
            (column, are_found) = (without, are_found || is_found);
        }
        let (target, known, rows, doubt) = build_target(column, kind, overrides.coerce)?;
        total = rows;
        found.push((name.clone(), target, known, doubt));
    }
    if let Some(Unlabeled::Value(value)) = &overrides.unlabeled
        && !are_found
    {
        return Err(Error::option(
            "unlabeled",
            format!("no row has the target {}", quoted(value)),
            format!(
                "name the value of unlabeled rows, use {} for rows without a target, or remove the option",
                setting("unlabeled", Some("missing"))
            ),
        ));
    }
    let is_labeled = {
        let mut is_labeled = vec![false; total];
        found
            .iter()
            .for_each(|(_, _, known, _)| known.iter().for_each(|&row| is_labeled[row] = true));
        is_labeled
    };
    let labeled: Vec<usize> = (0..total).filter(|&row| is_labeled[row]).collect();
    let has_unlabeled = overrides.unlabeled.is_some() && labeled.len() < total;
    if labeled.is_empty() || (found.len() == 1 && !has_unlabeled) {
        let (_, target, known, doubt) = found.swap_remove(0);
        return Ok((target, known, total, doubt));
    }
    let kept = if has_unlabeled { (0..total).collect() } else { labeled };
    let place: HashMap<usize, usize> = kept.iter().copied().zip(0..).collect();
    let doubt = found.iter_mut().find_map(|(.., doubt)| doubt.take());
    let targets = found.into_iter().map(|(name, target, known, _)| {
        (name, target, known.into_iter().map(|row| place[&row]).collect())
    });
    Ok((Target::several(targets.collect(), kept.len())?, kept, total, doubt))
}

/// Reads the target column.
fn build_target(column: RawColumn, kind: TargetKind, coerce: bool) -> Result<FoundTarget> {
    let column = column.with_known_levels();
    let is_declared = column.declared == Some(ColumnKind::Categorical);
    match &column.values {
        RawValues::Numbers(values) => number_target(values, kind, is_declared),
        RawValues::Text(values) if is_declared => text_target(&column.name, values, kind),
        RawValues::Text(values) => {
            let numbers = column.target_numbers(values, kind, coerce)?;
            let Some(numbers) = numbers else { return text_target(&column.name, values, kind) };
            // The rule counts rows, not levels.
            let all = spread(values, &numbers);
            let (classes, doubt) = kind.takes_as_classes(&all);
            // The classes keep the exact texts as names, unless two texts are the same number, such as `1` and `1.0`.
            let distinct = distinct_up_to(numbers.iter().copied(), numbers.len());
            if classes && distinct.is_some_and(|seen| seen.len() == numbers.len()) {
                let (target, kept, total, _) = text_target(&column.name, values, kind)?;
                return Ok((target, kept, total, doubt));
            }
            number_target(&all.into(), kind, false)
        }
    }
}

/// [`build_target`] for numbers; `is_declared` means that the file declares them as categories.
fn number_target(
    values: &CompactNumbers,
    kind: TargetKind,
    is_declared: bool,
) -> Result<FoundTarget> {
    let kept: Vec<usize> = (0..values.len()).filter(|&row| !values.get(row).is_nan()).collect();
    let known: Vec<f64> = kept.iter().map(|&row| values.get(row)).collect();
    let declared_classes = is_declared && !matches!(kind, TargetKind::Classes | TargetKind::Real);
    let (classes, doubt) = kind.takes_as_classes(&known);
    let target = if declared_classes || classes {
        Target::Classes(classes_of_numbers(&known)?)
    } else {
        Target::real(known)?
    };
    Ok((target, kept, values.len(), doubt.filter(|_| !declared_classes)))
}

/// Classes that are named by their numbers, in numeric order; -0.0 is 0.
fn classes_of_numbers(known: &[f64]) -> Result<Classes> {
    let mut values: Vec<f64> = known.iter().map(|value| value + 0.0).collect();
    values.sort_unstable_by(f64::total_cmp);
    values.dedup();
    let code = |value: &f64| values.partition_point(|other| *other < *value) as u32;
    let codes: Vec<u32> = known.iter().map(code).collect();
    let names: Vec<String> = values.iter().map(f64::to_string).collect();
    Classes::from_codes(&codes, &names)
}

/// [`build_target`] for texts that are names of classes.
fn text_target(name: &str, values: &Categories, kind: TargetKind) -> Result<FoundTarget> {
    if kind == TargetKind::Real {
        let text = values.levels().first().cloned().unwrap_or_default();
        return Err(DataError::new(
            "the target was declared real but contains text",
            format!("use {}, or choose another target", setting("target_type", Some("classes"))),
        )
        .in_column(name)
        .with_value(&text)
        .into());
    }
    let codes = values.codes();
    let kept: Vec<usize> = (0..codes.len()).filter(|&row| codes[row] != MISSING_CODE).collect();
    // The classes are sorted; the levels are in order of first appearance.
    let sorted = Classes::from_labels(values.levels());
    let of_level = |&row: &usize| sorted.codes()[codes[row] as usize];
    let of_rows: Vec<u32> = kept.iter().map(of_level).collect();
    let classes = Classes::from_codes(&of_rows, sorted.names())?;
    Ok((Target::Classes(classes), kept, codes.len(), None))
}

/// The levels as numbers, if there is at least one level and all are finite numbers.
fn numeric_levels(values: &Categories) -> Option<Vec<f64>> {
    let numbers: Option<Vec<f64>> =
        values.levels().iter().map(|level| level_as_number(level)).collect();
    numbers.filter(|numbers| !numbers.is_empty() && !numbers.iter().any(|number| number.is_nan()))
}

/// Converts a level to a number, or to NaN if it means a missing value; otherwise `None`.
fn level_as_number(level: &str) -> Option<f64> {
    match Cell::read(level.as_bytes()) {
        Cell::Number(number) => Some(number),
        Cell::Missing | Cell::MissingNumber => Some(f64::NAN),
        Cell::Inexact | Cell::Infinite | Cell::Text => None,
    }
}

impl RawColumn {
    /// Creates a column whose values are not lines of a file.
    pub fn new(name: impl Into<String>, values: RawValues, declared: Option<ColumnKind>) -> Self {
        Self { name: name.into(), values, declared, lines: Vec::new() }
    }

    /// Converts the column to a feature. Its kind is `stated`; if that is `None`, it is the kind that the
    /// file declares or, without a declaration, the kind inferred from the values.
    ///
    /// # Errors
    /// A value that does not match the kind; the message names column, row and value.
    pub fn into_feature(self, stated: Option<ColumnKind>) -> Result<Column<'static>> {
        self.feature(stated, false).map(|(column, _)| column)
    }

    /// Converts the values to levels in this order, including levels that do not occur. Numbers match by value,
    /// not by text.
    ///
    /// # Errors
    /// The order lists a level twice, or does not contain a value; the message names column, row and value.
    pub fn in_order(self, order: &[String]) -> Result<Self> {
        let column = self.with_known_levels();
        let order: Vec<String> = match column.declared {
            Some(_) => order.to_vec(),
            // White space around the levels is ignored, too.
            None => order.iter().map(|level| level.trim().to_string()).collect(),
        };
        column.in_known_order(&order)
    }

    /// [`in_order`](Self::in_order) for a column and an order with known levels.
    fn in_known_order(self, order: &[String]) -> Result<Self> {
        let ordered = Categories::ordered(Vec::new(), order.to_vec())?;
        let values = match self.values {
            RawValues::Text(values) => values,
            RawValues::Numbers(numbers) => numbers_as_categories(&numbers)?,
        };
        let places: HashMap<LevelKey<'_>, u32> =
            (0..).zip(order).map(|(place, level)| (LevelKey::new(level), place)).collect();
        let are_numbers = places.keys().all(|key| matches!(key, LevelKey::Number(_)));
        let counts = values.counts();
        let place_of = |(level, &count): (&String, &usize)| match places.get(&LevelKey::new(level))
        {
            Some(&place) => Ok(place),
            None if count == 0 || (are_numbers && is_missing_number(level)) => Ok(MISSING_CODE),
            None => Err(not_in_order(&self.name, &values, level, order)),
        };
        let places =
            values.levels().iter().zip(&counts).map(place_of).collect::<Result<Vec<u32>>>()?;
        let place = |&code: &u32| if code == MISSING_CODE { code } else { places[code as usize] };
        let codes = values.codes().iter().map(place).collect();
        let values = RawValues::Text(ordered.with_codes(codes)?);
        Ok(Self { values, declared: Some(ColumnKind::Ordinal), lines: Vec::new(), ..self })
    }

    /// Converts texts to levels: white space around a text is ignored, and texts such as `NA` are missing.
    /// Levels that the file declares are unchanged.
    #[must_use]
    fn with_known_levels(mut self) -> Self {
        if let (None, RawValues::Text(values)) = (self.declared, &self.values)
            && let Some(known) = KnownLevels::new(values.levels())
        {
            self.lines = known.firsts(&self.lines);
            let KnownLevels { levels, places } = known;
            self.values = RawValues::Text(values.moved(levels, &places));
        }
        self
    }

    /// Converts the column to a covariate, like [`into_feature`](Self::into_feature), but never infers
    /// genotypes.
    ///
    /// # Errors
    /// The errors of [`into_feature`](Self::into_feature). With `coerce`, cells that are not numbers are missing.
    pub fn into_covariate(
        self,
        stated: Option<ColumnKind>,
        coerce: bool,
    ) -> Result<Column<'static>> {
        let mut column = self.with_known_levels();
        column.make_numbers(stated, coerce)?;
        let inferred = match &column.values {
            RawValues::Numbers(_) => ColumnKind::Numeric,
            RawValues::Text(_) => ColumnKind::Categorical,
        };
        let kind = stated.or(column.declared).unwrap_or(inferred);
        column.feature(Some(kind), coerce).map(|(column, _)| column)
    }

    /// Converts the column without inferring its kind; `None` if its values are not valid.
    fn unread(self) -> Option<Column<'static>> {
        match self.values {
            RawValues::Numbers(values) => Column::numeric(self.name, values.into_numbers()).ok(),
            RawValues::Text(values) => Some(Column::categorical(self.name, values)),
        }
    }

    /// Reads texts without a declared kind.
    fn read_texts(&self, values: &Categories) -> Reading {
        Levels { texts: values.levels(), counts: &values.counts() }.read()
    }

    /// The error for texts that are neither numbers nor categories.
    fn refusal(&self, refused: &Refused, values: &Categories, role: Role) -> Error {
        let place = |level: usize| match self.lines.get(level) {
            Some(line) => format!("line {line}"),
            None => {
                let row = values.codes().iter().position(|&code| code as usize == level);
                format!("row {}", row.unwrap_or(0) + 1)
            }
        };
        refused.error((&self.name, role), values.levels(), &place).into()
    }

    /// The levels of a target as numbers; `None` if they are names of classes.
    fn target_numbers(
        &self,
        values: &Categories,
        kind: TargetKind,
        coerce: bool,
    ) -> Result<Option<Vec<f64>>> {
        // Texts that the user declares as classes do not have to be valid numbers.
        if kind == TargetKind::Classes {
            return Ok(numeric_levels(values));
        }
        let refused = match self.read_texts(values) {
            Reading::Categories => return Ok(None),
            Reading::Numbers(numbers) => return Ok(Some(numbers)),
            Reading::Refused(refused) => refused,
        };
        // A few whole numbers with units, such as `1 week` and `2 weeks`, are names of classes.
        let are_classes = |bare: &[f64]| kind.takes_as_classes(&spread(values, bare)).0;
        if refused.bare_numbers().is_some_and(are_classes) {
            return Ok(None);
        }
        match refused.coerced().filter(|_| coerce) {
            Some((numbers, _)) => Ok(Some(numbers.to_vec())),
            None => Err(self.refusal(&refused, values, Role::Target)),
        }
    }

    /// Converts texts without a specified or declared kind to numbers if they are numbers. Returns the number
    /// of other cells, which are treated as missing if `coerce` is set and refused otherwise.
    fn make_numbers(&mut self, stated: Option<ColumnKind>, coerce: bool) -> Result<usize> {
        let (None, None, RawValues::Text(values)) = (stated, self.declared, &self.values) else {
            return Ok(0);
        };
        let (numbers, lost) = match self.read_texts(values) {
            Reading::Categories => return Ok(0),
            Reading::Numbers(numbers) => (numbers, 0),
            Reading::Refused(refused) => match refused.coerced().filter(|_| coerce) {
                Some((numbers, others)) => (numbers.to_vec(), others),
                None => return Err(self.refusal(&refused, values, Role::Feature)),
            },
        };
        self.values = RawValues::Numbers(spread(values, &numbers).into());
        Ok(lost)
    }

    /// [`RawColumn::into_feature`], which also returns the number of cells that are not numbers and are
    /// treated as missing because `coerce` is set.
    fn feature(self, stated: Option<ColumnKind>, coerce: bool) -> Result<(Column<'static>, usize)> {
        let mut column = self.with_known_levels();
        let mut lost = column.make_numbers(stated, coerce)?;
        let RawColumn { name, values, declared, .. } = column;
        let kind = stated.or(declared).unwrap_or_else(|| infer_kind(&values));
        let column = match (kind, values) {
            (ColumnKind::Numeric, RawValues::Numbers(values)) => {
                Column::numeric(name, values.into_numbers())
            }
            // Booleans and numbers that are stored as categories can still be numbers.
            (ColumnKind::Numeric, RawValues::Text(values)) => {
                let (numbers, others) = texts_as_numbers(&name, &values, kind, coerce)?;
                lost = others;
                Column::from_values(name, numbers)
            }
            (ColumnKind::Categorical, RawValues::Text(values)) => {
                Ok(Column::categorical(name, values.in_order_of_appearance()))
            }
            (ColumnKind::Categorical, RawValues::Numbers(values)) => {
                Ok(Column::categorical(name, numbers_as_categories(&values)?))
            }
            (ColumnKind::Ordinal, RawValues::Text(values)) if values.is_ordered() => {
                Ok(Column::categorical(name, values))
            }
            (ColumnKind::Ordinal, RawValues::Text(values)) => {
                let (ordered, others) = texts_in_numeric_order(&name, &values, coerce)?;
                lost = others;
                Ok(Column::categorical(name, ordered))
            }
            (ColumnKind::Ordinal, RawValues::Numbers(values)) => {
                let values = numbers_as_categories(&values)?;
                Ok(Column::categorical(
                    name.clone(),
                    texts_in_numeric_order(&name, &values, coerce)?.0,
                ))
            }
            (ColumnKind::Genotype, RawValues::Numbers(values)) => genotypes(name, values),
            (ColumnKind::Genotype, RawValues::Text(values)) => {
                let (numbers, others) = texts_as_numbers(&name, &values, kind, coerce)?;
                lost = others;
                genotypes(name, numbers.into())
            }
        };
        Ok((column?, lost))
    }
}

/// Converts texts to a number per row, NaN if it is missing. Also returns the number of cells that are not
/// numbers, which `coerce` treats as missing.
///
/// # Errors
/// Without `coerce`, a text that is not a number, in a column declared `kind`.
fn texts_as_numbers(
    name: &str,
    values: &Categories,
    kind: ColumnKind,
    coerce: bool,
) -> Result<(Vec<f64>, usize)> {
    let numbers: Vec<Option<f64>> =
        values.levels().iter().map(|level| level_as_number(level)).collect();
    if !coerce && numbers.contains(&None) {
        return Err(not_a_number(name, values, kind.name()));
    }
    let is_lost = |&&code: &&u32| code != MISSING_CODE && numbers[code as usize].is_none();
    let lost = values.codes().iter().filter(is_lost).count();
    let numbers: Vec<f64> = numbers.into_iter().map(|level| level.unwrap_or(f64::NAN)).collect();
    Ok((spread(values, &numbers), lost))
}

/// Converts texts that are numbers to levels in numeric order. Also returns the number of cells that are not
/// numbers, which `coerce` treats as missing. Equal numbers are the same level. Levels that a file declares
/// are included even if they do not occur.
///
/// # Errors
/// Without `coerce`, a text that is not a number.
fn texts_in_numeric_order(
    name: &str,
    values: &Categories,
    coerce: bool,
) -> Result<(Categories, usize)> {
    let numbers: Vec<Option<f64>> =
        values.levels().iter().map(|level| level_as_number(level)).collect();
    let counts = values.counts();
    let is_text = |level: &usize| numbers[*level].is_none() && counts[*level] > 0;
    // Without a single number, no cell would remain.
    let has_numbers = numbers.iter().any(Option::is_some);
    let coerce = coerce && has_numbers;
    if !coerce && let Some(level) = (0..numbers.len()).find(is_text) {
        return Err(without_order(name, values, level, has_numbers));
    }
    let lost = (0..numbers.len()).filter(is_text).map(|level| counts[level]).sum();
    let known = |number: &Option<f64>| number.filter(|number| !number.is_nan()).map(|x| x + 0.0);
    let mut order: Vec<f64> = numbers.iter().filter_map(known).collect();
    order.sort_unstable_by(f64::total_cmp);
    order.dedup();
    let place = |number: f64| order.partition_point(|other| *other < number) as u32;
    let of_level: Vec<u32> =
        numbers.iter().map(|number| known(number).map_or(MISSING_CODE, place)).collect();
    let code = |&code: &u32| if code == MISSING_CODE { code } else { of_level[code as usize] };
    let codes = values.codes().iter().map(code).collect();
    Ok((Categories::ordered(codes, order.iter().map(f64::to_string).collect())?, lost))
}

/// The error for a value that is not in a specified order.
fn not_in_order(name: &str, values: &Categories, level: &str, order: &[String]) -> Error {
    let levels: Vec<&str> = order.iter().map(String::as_str).collect();
    let near = nearest_name(level, levels.iter().copied())
        .map_or_else(String::new, |near| format!("did you mean {}? Otherwise ", quoted(near)));
    let help = ways(&[
        "add it to the order (saved models must be fitted again)",
        "correct the cell",
        "leave it empty if the value is unknown",
        &format!("use {}", setting("na", Some(level))),
    ]);
    DataError::new(format!("not in the order {}", shown_order(&levels)), format!("{near}{help}"))
        .at_row(first_row(values, level))
        .in_column(name)
        .with_value(level)
        .into()
}

/// The error for a text in an ordinal column without a specified order.
fn without_order(name: &str, values: &Categories, level: usize, has_numbers: bool) -> Error {
    let level = &values.levels()[level];
    let order = OrdinalColumn { name: name.to_string(), order: values.levels().to_vec() };
    let example = setting("ordinal", Some(&order.to_string()));
    let few = values.levels().len() <= SHOWN_LEVELS;
    let help = if few {
        format!("specify the order of the levels, such as {example} if that is correct")
    } else {
        format!("specify the order of the {} levels", values.levels().len())
    };
    let mut advices = vec![help];
    if has_numbers {
        advices.push("correct the cell".to_string());
        advices.push(format!("use {}", setting("coerce", None)));
    }
    let help = ways(&advices);
    DataError::new("an ordinal column without an order contains a text", help)
        .at_row(first_row(values, level))
        .in_column(name)
        .with_value(level)
        .into()
}

/// The first row, counted from 1, that has a level.
fn first_row(values: &Categories, level: &str) -> u64 {
    let has_level =
        |code: &u32| values.levels().get(*code as usize).is_some_and(|own| own == level);
    values.codes().iter().position(has_level).unwrap_or(0) as u64 + 1
}

/// Converts numbers to categories named by their texts, in order of first appearance; NaN is missing.
fn numbers_as_categories(values: &CompactNumbers) -> Result<Categories> {
    if let Some(values) = values.codes() {
        return genotypes_as_categories(values);
    }
    let mut index: HashMap<u64, u32> = HashMap::new();
    let mut levels = Vec::new();
    let codes = values
        .iter()
        .map(|value| {
            if value.is_nan() {
                return MISSING_CODE;
            }
            // -0.0 and 0.0 are the same value; all other different numbers have different texts.
            let value = value + 0.0;
            *index.entry(value.to_bits()).or_insert_with(|| {
                levels.push(value.to_string());
                (levels.len() - 1) as u32
            })
        })
        .collect();
    Categories::new(codes, levels)
}

/// [`numbers_as_categories`] for numbers that are stored as codes of genotypes.
fn genotypes_as_categories(values: &[u8]) -> Result<Categories> {
    let mut found: Vec<(usize, u8)> = (0..MISSING_GENOTYPE)
        .filter_map(|code| Some((values.iter().position(|own| *own == code)?, code)))
        .collect();
    found.sort_unstable();
    let mut level_of = [MISSING_CODE; 1 + MISSING_GENOTYPE as usize];
    for (level, (_, code)) in (0..).zip(&found) {
        level_of[usize::from(*code)] = level;
    }
    let codes = values.iter().map(|&code| level_of[usize::from(code)]).collect();
    Categories::new(codes, found.iter().map(|(_, code)| code.to_string()).collect())
}

/// Converts categories with numeric levels to a number per row; NaN is missing.
fn spread(values: &Categories, numbers: &[f64]) -> Vec<f64> {
    let number = |code: u32| if code == MISSING_CODE { f64::NAN } else { numbers[code as usize] };
    values.codes().iter().map(|&code| number(code)).collect()
}

/// Infers the kind of values. Numbers are genotypes if the set of known values is exactly 0, 1 and 2. The
/// additive genotype difference then equals the numeric one, so that the inference cannot change a weight.
fn infer_kind(values: &RawValues) -> ColumnKind {
    match values {
        RawValues::Text(_) => ColumnKind::Categorical,
        RawValues::Numbers(values) if values.are_genotypes() => ColumnKind::Genotype,
        RawValues::Numbers(_) => ColumnKind::Numeric,
    }
}

fn genotypes(name: String, values: CompactNumbers) -> Result<Column<'static>> {
    match values.into_genotypes() {
        Ok(genotypes) => Ok(Column::of_genotypes(name, genotypes)),
        Err((row, value)) => Err(DataError::new(
            "not a genotype",
            "genotypes are 0, 1 or 2 copies of an allele, or missing; declare the column \
             numeric or categorical if it is something else",
        )
        .at_row(row as u64 + 1)
        .in_column(name)
        .with_value(&value.to_string())
        .into()),
    }
}

fn not_a_number(name: &str, values: &Categories, kind: &str) -> Error {
    let level = values.levels().iter().position(|level| level_as_number(level).is_none());
    let level = level.unwrap_or(0);
    let row = values.codes().iter().position(|&code| code as usize == level).unwrap_or(0);
    if Cell::read(values.levels()[level].as_bytes()) == Cell::Inexact {
        let cell = format!("{} (row {})", quoted(&shorten(&values.levels()[level], 60)), row + 1);
        return super::reading::inexact(&cell, name).into();
    }
    DataError::new(
        format!("text in a column declared {kind}"),
        ways(&[
            "correct the cell",
            "leave it empty if the value is unknown",
            &format!("use {}", setting("coerce", None)),
            &format!("use {}", setting("categorical", Some(name))),
        ]),
    )
    .at_row(row as u64 + 1)
    .in_column(name)
    .with_value(&shorten(&values.levels()[level], 60))
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::is_missing_text;

    #[test]
    fn a_column_called_as_the_target_is_told_of() {
        let numbers = || RawValues::Numbers(vec![0.0, 1.0, 0.0, 1.0].into());
        let build = |names: &[&str]| {
            let columns = names.iter().map(|name| (*name, numbers())).collect();
            let overrides = KindOverrides::default();
            build_problem_parts(raw(columns), "y", TargetKind::Auto, &overrides, &[])
        };
        let message = build(&["x", "y", "y"]).unwrap_err().to_string();
        assert!(
            message.contains("column `y`: two columns have the name of the target"),
            "{message}"
        );
        let (table, _, warnings) = build(&["x", " Y", "y"]).unwrap();
        assert_eq!(table.names(), ["x", " Y"]);
        assert_eq!((warnings.len(), warnings[0].code()), (1, "like-target"));
        assert_eq!(build(&["x", "yy", "y"]).unwrap().2, []);
    }

    fn raw(columns: Vec<(&str, RawValues)>) -> RawTable {
        let column = |(name, values)| RawColumn::new(name, values, None);
        RawTable { columns: columns.into_iter().map(column).collect(), ..RawTable::default() }
    }

    fn texts(values: &[&str]) -> RawValues {
        RawValues::Text(Categories::from_texts(
            values.iter().map(|text| (!is_missing_text(text)).then_some(*text)),
        ))
    }

    #[test]
    fn kinds_are_inferred_and_overridden() {
        let table = raw(vec![
            ("snp", RawValues::Numbers(vec![0.0, 1.0, 2.0, f64::NAN].into())),
            ("binary", RawValues::Numbers(vec![0.0, 5.0, 5.0, 0.0].into())),
            ("color", texts(&["red", "?", "blue", "red"])),
            ("cylinders", RawValues::Numbers(vec![4.0, 6.0, 8.0, 4.0].into())),
            ("y", texts(&["a", "b", "a", "b"])),
        ]);
        let overrides = KindOverrides {
            categorical: vec!["cylinders".to_string()],
            ..KindOverrides::default()
        };
        let (table, target, warnings) =
            build_problem_parts(table, "y", TargetKind::Auto, &overrides, &[]).unwrap();
        let kinds: Vec<_> = table.columns().iter().map(Column::kind).collect();
        use ColumnKind::{Categorical, Genotype, Numeric};
        assert_eq!(kinds, [Genotype, Numeric, Categorical, Categorical]);
        assert_eq!(target.classes("x").unwrap().names(), ["a", "b"]);
        assert!(warnings.is_empty());
    }

    #[test]
    fn numbers_become_categories_of_their_texts() {
        let all = [
            (vec![-0.0, 1.5, f64::NAN, 0.0, -1e-7, 1e21, 1.5], ["0", "1.5"]),
            // Stored as codes of genotypes.
            (vec![2.0, f64::NAN, 0.0, 0.0, 2.0], ["2", "0"]),
        ];
        for (numbers, first) in all {
            let text = |value: &f64| (!value.is_nan()).then(|| (value + 0.0).to_string());
            let texts: Vec<Option<String>> = numbers.iter().map(text).collect();
            let expected = Categories::from_texts(texts.iter().map(Option::as_deref));
            assert_eq!(expected.levels()[..2], first);
            for numbers in [numbers.clone().into(), numbers.into_iter().collect()] {
                assert_eq!(numbers_as_categories(&numbers).unwrap(), expected);
            }
        }
    }

    #[test]
    fn genotypes_that_lack_a_value_are_pointed_out() {
        let columns = || {
            vec![
                ("snp", RawValues::Numbers(vec![0.0, 1.0, 2.0].into())),
                ("rare", RawValues::Numbers(vec![0.0, 1.0, f64::NAN].into())),
                ("age", RawValues::Numbers(vec![30.0, 40.0, 50.0].into())),
                ("y", texts(&["a", "b", "a"])),
            ]
        };
        let warned = |overrides: &KindOverrides| {
            let parts = build_problem_parts(raw(columns()), "y", TargetKind::Auto, overrides, &[]);
            parts.unwrap().2.iter().map(Warning::to_string).collect::<String>()
        };
        let message = warned(&KindOverrides::default());
        assert!(message.contains("0, 1 and 2 (declare genotypes with `genotype`"));
        assert!(message.ends_with(": rare"), "{message}");
        let numeric = vec!["rare".to_string()];
        assert_eq!(warned(&KindOverrides { numeric, ..KindOverrides::default() }), "");
    }

    #[test]
    fn rows_without_a_target_are_left_out_and_reported() {
        let table = raw(vec![
            ("x", RawValues::Numbers(vec![1.0, 2.0, 3.0].into())),
            ("y", RawValues::Numbers(vec![0.5, f64::NAN, 1.5].into())),
        ]);
        let overrides = KindOverrides::default();
        let (table, target, warnings) =
            build_problem_parts(table, "y", TargetKind::Auto, &overrides, &[]).unwrap();
        assert_eq!(table.rows(), 2);
        assert_eq!(target, Target::Real(vec![0.5, 1.5]));
        assert_eq!(warnings.len(), 1);
    }

    #[test]
    fn a_target_kept_as_text_is_still_a_number_if_all_its_texts_are() {
        let target = |cells: &[&str], kind| {
            let rows = cells.len();
            let raw =
                raw(vec![("x", RawValues::Numbers(vec![0.5; rows].into())), ("y", texts(cells))]);
            build_problem_parts(raw, "y", kind, &KindOverrides::default(), &[]).map(|parts| parts.1)
        };
        use TargetKind::{Auto, Classes, PreferReal, Real};
        let names = |target: Target| target.classes("x").unwrap().names().to_vec();
        // The classes keep the exact texts as names, unless two texts are the same number.
        assert_eq!(names(target(&["01", "2.0", "01"], Auto).unwrap()), ["01", "2.0"]);
        assert_eq!(names(target(&["1", "2", "1.0"], Auto).unwrap()), ["1", "2"]);
        assert_eq!(names(target(&["1.5", "2", "1.5"], Classes).unwrap()), ["1.5", "2"]);
        assert_eq!(target(&["1.5", "?", "2"], Auto).unwrap(), Target::Real(vec![1.5, 2.0]));
        assert_eq!(target(&["1", "2", "3"], PreferReal).unwrap(), Target::Real(vec![1., 2., 3.]));
        assert_eq!(target(&["1", "2"], Real).unwrap(), Target::Real(vec![1.0, 2.0]));
        assert!(target(&["1", "high"], Real).unwrap_err().to_string().contains("contains text"));
    }

    fn ordinal(text: &str) -> KindOverrides {
        let ordinal = vec![OrdinalColumn::from_text(text).unwrap()];
        KindOverrides { ordinal, ..KindOverrides::default() }
    }

    fn codes<'t>(table: &'t Table<'_>) -> (&'t [u32], &'t [String]) {
        match table.columns()[0].values() {
            Values::Categorical(own) if own.is_ordered() => (own.codes(), own.levels()),
            _ => panic!("not ordinal"),
        }
    }

    #[test]
    fn levels_are_in_the_order_that_is_stated() {
        let grades = || raw(vec![("grade", texts(&["mid", "?", "low", "top", "mid"]))]);
        let stated = ordinal("grade= low <mid<high<top");
        let (table, warnings) = build_table(grades(), &stated, &[]).unwrap();
        assert_eq!(codes(&table).0, [1, MISSING_CODE, 0, 3, 1]);
        assert_eq!((codes(&table).1.len(), warnings.len()), (4, 0));
        // Numbers match levels by value, and `-` is missing.
        for values in
            [texts(&["1.0", "3", "-"]), RawValues::Numbers(vec![1.0, 3.0, f64::NAN].into())]
        {
            let table = build_table(raw(vec![("x", values)]), &ordinal("x=3<2<1"), &[]).unwrap().0;
            assert_eq!(codes(&table).0, [2, 0, MISSING_CODE]);
        }
        let error = build_table(grades(), &ordinal("grade=low<mit<high<top"), &[]).unwrap_err();
        let message = error.to_string();
        let wanted = "row 1, column `grade`: not in the order low < mit < high < top (found `mid`); did you mean `mit`? \
                      Otherwise add it to the order";
        assert!(message.starts_with(wanted), "{message}");
        let unknown = build_table(grades(), &ordinal("grad=a<b"), &[]).unwrap_err().to_string();
        assert!(unknown.contains("`grade`"), "{unknown}");
    }

    #[test]
    fn without_an_order_it_is_that_of_the_numbers() {
        let values = || texts(&["10", "2", "", "1e1", "-3"]);
        let (table, warnings) =
            build_table(raw(vec![("x", values())]), &ordinal("x"), &[]).unwrap();
        assert_eq!(codes(&table).0, [2, 1, MISSING_CODE, 2, 0]);
        assert_eq!(codes(&table).1, ["-3", "2", "10"]);
        let told = warnings[0].to_string();
        assert!(told.ends_with("the numeric order of the values: `x` (-3 < 2 < 10)"), "{told}");
        let numbers = RawValues::Numbers(vec![0.5, -1.0, f64::NAN].into());
        let all = KindOverrides { all: Some(ColumnKind::Ordinal), ..KindOverrides::default() };
        let table = build_table(raw(vec![("x", numbers)]), &all, &[]).unwrap().0;
        assert_eq!(
            codes(&table),
            (&[1, 0, MISSING_CODE][..], &["-1", "0.5"].map(String::from)[..])
        );
        // Levels that the file declares are included, even if they do not occur.
        let levels = ["3", "1", "2"].map(String::from).to_vec();
        let declared = RawValues::Text(Categories::new(vec![0, 1], levels).unwrap());
        let column = RawColumn::new("x", declared, Some(ColumnKind::Categorical));
        let column = column.into_feature(Some(ColumnKind::Ordinal)).unwrap();
        assert_eq!((column.value(0), column.declared_range()), (2.0, Some((0.0, 2.0))));
        let error = build_table(raw(vec![("x", texts(&["2", "b", "1"]))]), &ordinal("x"), &[]);
        let message = error.unwrap_err().to_string();
        assert!(
            message.contains("row 2, column `x`: an ordinal column without an order"),
            "{message}"
        );
        assert!(message.contains("`ordinal=x=2<b<1`"), "{message}");
        let coerced = KindOverrides { coerce: true, ..ordinal("x") };
        let table =
            build_table(raw(vec![("x", texts(&["2", "b", "1"]))]), &coerced, &[]).unwrap().0;
        assert_eq!(codes(&table).0, [1, MISSING_CODE, 0]);
    }

    #[test]
    fn orders_that_are_none_are_refused() {
        for (text, wanted) in [
            ("grade=low<mid<low", "`low` occurs twice in the order low < mid < low"),
            ("x=1<2<1.0", "`1.0` occurs twice"),
            ("grade=low<<mid", "has an empty level"),
            ("grade=", "has an empty level"),
            ("grade=None<some", "`None` means a missing value in files"),
        ] {
            let message = OrdinalColumn::from_text(text).unwrap_err().to_string();
            assert!(message.contains(wanted), "{message}");
        }
        assert_eq!(OrdinalColumn::from_text("a=b").unwrap().order, ["b"]);
    }

    #[test]
    fn a_target_near_the_line_between_classes_and_numbers_is_pointed_out() {
        let numbers = |different: usize, rows: usize| -> Vec<f64> {
            (0..rows).map(|row| (row % different) as f64).collect()
        };
        let read = |different, rows, kind: TargetKind| {
            let (classes, warning) = kind.takes_as_classes(&numbers(different, rows));
            (classes, warning.map(|warning| warning.to_string()))
        };
        use TargetKind::{Auto, Classes, PreferClasses, PreferReal, Real};
        assert_eq!(read(10, 400, Auto), (true, None));
        assert_eq!(read(214, 442, Auto), (false, None));
        assert_eq!(read(40, 45, Auto), (false, None), "numbers that hardly repeat");
        let (classes, warning) = read(40, 400, Auto);
        assert!(
            !classes && warning.unwrap().contains("40 different whole numbers and is read as a")
        );
        let (classes, warning) = read(15, 400, Auto);
        assert!(classes && warning.unwrap().contains("read as classes; if it is a quantity"));
        assert_eq!(read(15, 400, PreferClasses), (true, None));
        assert_eq!(read(40, 400, PreferClasses), (false, None));
        assert_eq!(read(2, 400, PreferReal), (false, None));
        assert_eq!(read(400, 400, Classes), (true, None));
        assert_eq!(read(2, 400, Real), (false, None));
        assert_eq!(Auto.takes_as_classes(&[1.0, 2.5, f64::NAN]), (false, None));
    }

    #[test]
    fn a_few_cells_that_are_not_numbers_are_named() {
        let columns = |overrides: &KindOverrides| {
            let table = raw(vec![
                ("dose", texts(&["1", "12 kg", "2", "-", "0.12O", "3"])),
                ("gaps", texts(&["1", "n/a", "2", "-", "3", "4"])),
                ("sign", texts(&["+", "-", "-", "+", "-", "-"])),
                ("y", texts(&["a", "b", "a", "b", "a", "b"])),
            ]);
            build_problem_parts(table, "y", TargetKind::Auto, overrides, &[])
        };
        let message = columns(&KindOverrides::default()).unwrap_err().to_string();
        assert!(
            message.contains("column `dose`: 2 of 5 non-missing cells are not numbers"),
            "{message}"
        );
        assert!(message.contains("`12 kg` (row 2), `0.12O` (row 5);"), "{message}");
        let coerce = KindOverrides { coerce: true, ..KindOverrides::default() };
        let (table, _, warnings) = columns(&coerce).unwrap();
        assert_eq!(warnings.len(), 1);
        assert!(
            warnings[0].to_string().contains("2 cells are not numbers and are treated as missing")
        );
        use ColumnKind::{Categorical as Category, Numeric};
        let kinds: Vec<_> = table.columns().iter().map(Column::kind).collect();
        assert_eq!(kinds, [Numeric, Numeric, Category]);
        let missing: Vec<_> = table.columns().iter().map(Column::missing).collect();
        assert_eq!(missing, [3, 2, 0]);
        let stated =
            KindOverrides { categorical: vec!["dose".to_string()], ..KindOverrides::default() };
        assert_eq!(columns(&stated).unwrap().0.columns()[0].kind(), Category);
    }

    #[test]
    fn an_unknown_target_suggests_the_nearest_name() {
        let table = raw(vec![("diagnosis", texts(&["a"])), ("x", texts(&["b"]))]);
        let error = build_problem_parts(
            table,
            "Diagnosys",
            TargetKind::Auto,
            &KindOverrides::default(),
            &[],
        )
        .unwrap_err();
        assert!(error.to_string().contains("did you mean `diagnosis`?"), "{error}");
    }
}
