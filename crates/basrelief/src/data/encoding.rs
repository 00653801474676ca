//! Encodes the columns of a table as numbers, for methods that compute only with numbers. The encoding of
//! every column is learned from the rows of a fit and stored with the fitted map.

use std::collections::{HashMap, HashSet};
use std::f64::consts::FRAC_1_SQRT_2;

use super::column::shown_order;
use super::{Categories, Column, ColumnBuffers, DenseMatrix, Lines, TOGETHER};
use super::{Table, Values, list};
use crate::error::{DataError, Error, Result, nearest_name};
use crate::warning::Warning;
use crate::wording::{quoted, setting, ways};

/// A remainder below this fraction of a sum of differences is attributed to rounding.
const ROUNDING: f64 = 1e-12;

/// How the differences of coordinates are combined into the difference of two rows. The scale of
/// encoded categories depends on it, so that a mismatch is 1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Differences {
    /// The sum of their squares, for Euclidean distances.
    #[default]
    Squared,
    /// The sum of their absolute values, for Manhattan distances.
    Absolute,
}

impl Differences {
    /// `squared` or `absolute`.
    pub fn name(self) -> &'static str {
        match self {
            Differences::Squared => "squared",
            Differences::Absolute => "absolute",
        }
    }

    /// The value with a [name](Self::name).
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Squared, Self::Absolute].into_iter().find(|one| one.name() == name)
    }

    /// The number in the column of a row's own category. Rows of different categories differ by this
    /// number in two columns.
    pub fn level(self) -> f64 {
        match self {
            Differences::Squared => FRAC_1_SQRT_2,
            Differences::Absolute => 0.5,
        }
    }

    /// The number in the missing indicator of a row without a value, from the known values and their
    /// mean; 0 if no indicator is needed.
    ///
    /// A missing value is replaced by the mean. With the indicator, its difference to a known value is,
    /// on average over the known values, the mean difference of two known values. For squared
    /// differences, this holds for every known value, on average over the possible missing values.
    fn mark_of_numbers(self, known: &[f64], mean: f64) -> f64 {
        let reach = known.iter().fold(0.0, |most: f64, value| most.max((value - mean).abs()));
        if reach == 0.0 {
            return 0.0;
        }
        let count = known.len() as f64;
        let apart = || known.iter().map(|value| (value - mean) / reach);
        match self {
            Differences::Squared => reach * (apart().map(|d| d * d).sum::<f64>() / count).sqrt(),
            Differences::Absolute => {
                let mut sorted: Vec<f64> = apart().collect();
                sorted.sort_unstable_by(f64::total_cmp);
                // The value at place k is above k others and below the remaining ones.
                let above = |(place, value): (usize, &f64)| {
                    (2.0 * place as f64 + 1.0 - count) * value * 2.0 / count
                };
                let of_two = sorted.iter().enumerate().map(above).sum::<f64>() / count;
                let from_mean = sorted.iter().map(|value| value.abs()).sum::<f64>() / count;
                let rest = of_two - from_mean;
                if rest > ROUNDING * of_two { reach * rest } else { 0.0 }
            }
        }
    }

    /// The number in the missing indicator for categories with these frequencies. A missing value is
    /// replaced by the means of their columns. Absolute differences need no indicator.
    fn mark_of_categories(self, shares: &[f64]) -> f64 {
        match self {
            Differences::Absolute => 0.0,
            Differences::Squared => {
                // Without a known value, there are no differences.
                let rest = match shares {
                    [] => 0.0,
                    _ => 1.0 - shares.iter().map(|share| share * share).sum::<f64>(),
                };
                if rest > ROUNDING { self.level() * rest.sqrt() } else { 0.0 }
            }
        }
    }
}

/// The encoding of a column as numbers.
///
/// - Numbers, including genotypes, are unchanged.
/// - Ordered levels are encoded as their place, as a fraction of the steps from the first to the last level.
/// - Categories are one-hot encoded, with a column per category in the order of their names. The column of
///   the row's own category contains [`Differences::level`] and the others 0, so that rows of different
///   categories differ by 1.
/// - A missing value is replaced by the mean of the known ones. If values were missing in the fit and the
///   known ones differ, an additional column is a missing indicator. Its number is chosen so that the
///   difference to a known value is the expected one; two missing values do not differ.
#[derive(Debug, Clone, PartialEq)]
pub struct EncodedColumn {
    name: String,
    /// The categories of a categorical column.
    levels: Option<Vec<String>>,
    /// The levels of an ordinal column, ascending.
    order: Option<Vec<String>>,
    missing: usize,
    /// The numbers that encode a missing value, one per encoded column.
    fill: Vec<f64>,
}

impl EncodedColumn {
    /// Creates the encoding from the column's name, its categories if it is categorical, the number of
    /// values that were missing in the fit, and the numbers that encode a missing value: one number or
    /// one per category, and one more if there is a missing indicator. Returns `None` if these do not
    /// match.
    pub fn new(
        name: impl Into<String>,
        levels: Option<Vec<String>>,
        missing: usize,
        fill: Vec<f64>,
    ) -> Option<Self> {
        let plain = levels.as_ref().map_or(1, Vec::len);
        let marks = fill.len().checked_sub(plain)?;
        let different: HashSet<&String> = levels.iter().flatten().collect();
        let is_set = different.len() == levels.as_ref().map_or(0, Vec::len);
        let fits = marks == 0 || (marks == 1 && missing > 0);
        let is_finite = fill.iter().all(|number| number.is_finite());
        let name = name.into();
        (fits && is_set && is_finite).then_some(Self { name, levels, order: None, missing, fill })
    }

    /// Creates the encoding of an ordinal column as one number; `order` lists its levels in ascending order.
    pub fn ordinal(
        name: impl Into<String>,
        order: Vec<String>,
        missing: usize,
        fill: Vec<f64>,
    ) -> Option<Self> {
        Categories::ordered(Vec::new(), order.clone()).ok()?;
        Some(Self { order: Some(order), ..Self::new(name, None, missing, fill)? })
    }

    /// Learns the encoding of a column from the rows of a fit.
    fn fit(column: &Column<'_>, differences: Differences, values: &mut Vec<f64>) -> Self {
        let (name, missing) = (column.name().to_string(), column.missing());
        if let Some(categories) = column.categories() {
            return Self::of_categories(name, missing, categories, differences);
        }
        let order = match column.values() {
            Values::Categorical(levels) => Some(levels.levels().to_vec()),
            _ => None,
        };
        let mut fill = vec![0.0];
        if missing > 0 {
            column.copy_values(values);
            values.retain(|value| !value.is_nan());
            if let Some(order) = &order {
                values.iter_mut().for_each(|value| *value = share_of_steps(*value, order));
            }
            fill[0] = mean_of(values);
            fill.push(differences.mark_of_numbers(values, fill[0]));
            fill.truncate(if fill[1] == 0.0 { 1 } else { 2 });
        }
        Self { name, levels: None, order, missing, fill }
    }

    fn of_categories(
        name: String,
        missing: usize,
        categories: &Categories,
        differences: Differences,
    ) -> Self {
        let counts = categories.counts();
        let mut met: Vec<(&String, usize)> =
            categories.levels().iter().zip(counts).filter(|(_, count)| *count > 0).collect();
        met.sort_unstable();
        let known = met.iter().map(|(_, count)| count).sum::<usize>() as f64;
        let shares: Vec<f64> = met.iter().map(|(_, count)| *count as f64 / known).collect();
        let mut fill: Vec<f64> = shares.iter().map(|share| share * differences.level()).collect();
        if missing > 0 {
            fill.extend(Some(differences.mark_of_categories(&shares)).filter(|mark| *mark > 0.0));
        }
        let levels = met.into_iter().map(|(level, _)| level.clone()).collect();
        Self { name, levels: Some(levels), order: None, missing, fill }
    }

    /// The column's name in the table.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The categories, in the order of their columns; `None` for numbers and ordinal columns.
    pub fn levels(&self) -> Option<&[String]> {
        self.levels.as_deref()
    }

    /// The levels of an ordinal column, ascending; `None` for other columns.
    pub fn order(&self) -> Option<&[String]> {
        self.order.as_deref()
    }

    /// The number of values that were missing in the fit.
    pub fn missing(&self) -> usize {
        self.missing
    }

    /// The numbers that encode a missing value, one per encoded column.
    pub fn fill(&self) -> &[f64] {
        &self.fill
    }

    /// Whether there is a missing indicator.
    pub fn has_mark(&self) -> bool {
        self.fill.len() > self.levels.as_ref().map_or(1, Vec::len)
    }

    /// The number of encoded columns.
    pub fn width(&self) -> usize {
        self.fill.len()
    }

    /// The parts of the encoding, one per encoded column.
    fn parts(&self) -> impl Iterator<Item = Part> {
        let (levels, is_number) = (self.levels.as_ref().map_or(0, Vec::len), self.levels.is_none());
        let mark = self.has_mark().then_some(Part::Mark);
        is_number
            .then_some(Part::Number)
            .into_iter()
            .chain((0..levels).map(Part::Level))
            .chain(mark)
    }

    /// The name of an encoded column.
    fn part_name(&self, part: Part) -> String {
        match (part, &self.levels) {
            (Part::Level(level), Some(levels)) => format!("{}={}", self.name, levels[level]),
            (Part::Mark, _) => format!("{} (missing)", self.name),
            _ => self.name.clone(),
        }
    }
}

/// A place in an order as a fraction of the steps from the first to the last level.
fn share_of_steps(place: f64, order: &[String]) -> f64 {
    place / (order.len().saturating_sub(1).max(1)) as f64
}

/// The mean of numbers, clamped to their range; 0 without numbers.
fn mean_of(values: &[f64]) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    let count = values.len() as f64;
    let first = values.iter().sum::<f64>() / count;
    // A second pass corrects the rounding errors in sums of large numbers.
    let mean = first + values.iter().map(|value| value - first).sum::<f64>() / count;
    let ends = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), &value| {
        (least.min(value), most.max(value))
    });
    // The caller refuses sums that overflow.
    if mean.is_nan() { mean } else { mean.clamp(ends.0, ends.1) }
}

/// The role of an encoded column in the encoding of its column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// The number itself.
    Number,
    /// The category with an index.
    Level(usize),
    /// The missing indicator.
    Mark,
}

/// The encoding of the columns of a table as numbers ([`EncodedColumn`]).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Encoding {
    differences: Differences,
    columns: Vec<EncodedColumn>,
}

impl Encoding {
    /// Creates the encoding from its columns.
    pub fn new(differences: Differences, columns: Vec<EncodedColumn>) -> Self {
        Self { differences, columns }
    }

    /// Creates the encoding of numeric columns that were complete in the fit, from their names and means.
    ///
    /// # Panics
    /// The number of means differs from the number of names.
    pub fn of_numbers(names: &[String], means: &[f64]) -> Self {
        assert_eq!(names.len(), means.len(), "one mean per column");
        let column = |(name, mean): (&String, &f64)| EncodedColumn {
            name: name.clone(),
            levels: None,
            order: None,
            missing: 0,
            fill: vec![*mean],
        };
        Self::new(Differences::Squared, names.iter().zip(means).map(column).collect())
    }

    /// Learns the encoding from the rows of a fit. [`settle`](Self::settle) sets the means afterwards.
    pub(crate) fn of_table(table: &Table<'_>, differences: Differences) -> Self {
        let mut values = Vec::new();
        let column = |column: &Column<'_>| EncodedColumn::fit(column, differences, &mut values);
        let found = Self::new(differences, table.columns().iter().map(column).collect());
        // For complete numbers, both values of `Differences` are equivalent.
        if found.is_plain() { Self { differences: Differences::default(), ..found } } else { found }
    }

    /// Sets the means of the encoded columns. They replace values that are missing only in later tables.
    pub(crate) fn settle(&mut self, means: &[f64]) {
        let mut means = means.iter();
        for column in &mut self.columns {
            let own = means.by_ref().take(column.width());
            if column.missing == 0 {
                column.fill.iter_mut().zip(own).for_each(|(fill, mean)| *fill = *mean);
            } else {
                own.for_each(drop);
            }
        }
    }

    /// How differences of coordinates are combined.
    pub fn differences(&self) -> Differences {
        self.differences
    }

    /// The columns of the table, in order.
    pub fn columns(&self) -> &[EncodedColumn] {
        &self.columns
    }

    /// Whether all columns are numbers that were complete in the fit, which are unchanged.
    pub fn is_plain(&self) -> bool {
        let is_plain = |column: &EncodedColumn| {
            column.levels.is_none() && column.order.is_none() && column.missing == 0
        };
        self.columns.iter().all(is_plain)
    }

    /// The number of encoded columns.
    pub fn width(&self) -> usize {
        self.columns.iter().map(EncodedColumn::width).sum()
    }

    /// The encoded columns, in order: for each, the encoding of its column in the table, and its role.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (&EncodedColumn, Part)> {
        self.columns.iter().flat_map(|column| column.parts().map(move |part| (column, part)))
    }

    /// The names of the encoded columns: the name of the column, `column=category`, or
    /// `column (missing)`.
    pub fn part_names(&self) -> Vec<String> {
        self.parts().map(|(column, part)| column.part_name(part)).collect()
    }

    /// Encodes the rows of a table, and returns warnings. Columns are matched by name, in any order; other
    /// columns are ignored.
    ///
    /// A category that was not in the fit is encoded as 0 in all columns, at the same distance from each
    /// category. A value that is missing in a column without missing values in the fit is replaced by the
    /// mean. Warnings report both.
    ///
    /// # Errors
    /// A column is missing from the table, or has another kind than in the fit; a level is not in the order of an
    /// ordinal column (the message names the row).
    pub fn encode(&self, table: &Table<'_>) -> Result<(DenseMatrix, Vec<Warning>)> {
        let places = self.places(table)?;
        let (rows, width) = (table.rows(), self.width());
        let columns: Vec<&Column<'_>> =
            places.iter().map(|&place| &table.columns()[place]).collect();
        for (own, column) in self.columns.iter().zip(&columns) {
            own.check_kind(column)?;
        }
        let mut out = DenseMatrix::zeros(rows, width);
        let mut found = Found::default();
        let mut buffers = ColumnBuffers::default();
        let mut start = 0;
        if self.columns.iter().all(EncodedColumn::is_number)
            && let Some(lines) = Lines::new(&columns)
        {
            self.copy_lines(&lines, &mut out, &mut found);
            return Ok((out, found.warnings()));
        }
        for (part, columns) in self.columns.chunks(TOGETHER).zip(columns.chunks(TOGETHER)) {
            let values = buffers.read(columns);
            if part.iter().all(EncodedColumn::is_number) {
                // Row by row, the order in memory.
                for row in 0..rows {
                    let line = out.row_mut(row)[start..].iter_mut().zip(&values);
                    line.for_each(|(number, values)| *number = values[row]);
                }
                for (place, (own, values)) in (start..).zip(part.iter().zip(&values)) {
                    own.fill_gaps(values, place, &mut out, &mut found);
                }
            } else {
                let mut place = start;
                for ((own, column), values) in part.iter().zip(columns).zip(&values) {
                    own.encode(column, values, self.differences, place, &mut out, &mut found);
                    place += own.width();
                }
            }
            start += part.iter().map(EncodedColumn::width).sum::<usize>();
        }
        Ok((out, found.warnings()))
    }

    /// Copies numbers from a row-major matrix with the same columns, and replaces missing values.
    fn copy_lines(&self, lines: &Lines<'_>, out: &mut DenseMatrix, found: &mut Found) {
        let mut copy = vec![0.0; out.columns()];
        let mut gaps = vec![0; out.columns()];
        for row in 0..out.rows() {
            let line = lines.line(row, copy.len(), &mut copy);
            let own = out.row_mut(row);
            own.copy_from_slice(line);
            // Without an early exit, which would be slower.
            if !own.iter().fold(false, |gap, value| gap | value.is_nan()) {
                continue;
            }
            for ((value, column), gaps) in own.iter_mut().zip(&self.columns).zip(&mut gaps) {
                if value.is_nan() {
                    *value = column.fill[0];
                    *gaps += 1;
                }
            }
        }
        self.columns.iter().zip(gaps).for_each(|(column, gaps)| found.add_gaps(column, gaps));
    }

    /// The indices of the columns in a table.
    fn places(&self, table: &Table<'_>) -> Result<Vec<usize>> {
        let names = || table.columns().iter().map(Column::name);
        let own = || self.columns.iter().map(EncodedColumn::name);
        // In most tables, the columns are in the same order.
        if names().eq(own()) {
            return Ok((0..table.width()).collect());
        }
        let places: HashMap<&str, usize> =
            names().enumerate().map(|(place, name)| (name, place)).collect();
        let missing: Vec<&str> = own().filter(|name| !places.contains_key(name)).collect();
        let Some(first) = missing.first() else {
            return Ok(own().map(|name| places[name]).collect());
        };
        let near = nearest_name(first, names()).map_or_else(String::new, |near| {
            format!("; the table has `{near}`, which is similar to `{first}`")
        });
        let known: HashSet<&str> = own().collect();
        let others: Vec<&str> = names().filter(|name| !known.contains(name)).collect();
        let others = if others.is_empty() {
            String::new()
        } else {
            format!("; columns unknown to the map: {}", list(&others))
        };
        Err(Error::data(
            format!(
                "{} of the {} columns that the map was fitted to are missing: {}{others}",
                missing.len(),
                self.columns.len(),
                list(&missing)
            ),
            format!("provide a table with all of them{near}"),
        ))
    }
}

impl EncodedColumn {
    /// Refuses columns of another kind, and levels that are not in the order.
    fn check_kind(&self, column: &Column<'_>) -> Result<()> {
        if let Some(order) = &self.order {
            return self.check_order(order, column);
        }
        let (problem, help) = match (&self.levels, column.values()) {
            (Some(_), Values::Categorical(_)) => return Ok(()),
            (None, Values::Categorical(_)) => (
                "the map was fitted to numbers, but this column contains categories",
                ways(&[
                    "provide numbers",
                    &format!("use {}", setting("numeric", Some(&self.name))),
                ]),
            ),
            (Some(_), _) => (
                "the map was fitted to categories, but this column contains numbers",
                ways(&[
                    "provide categories",
                    &format!("use {}", setting("categorical", Some(&self.name))),
                ]),
            ),
            (None, _) => return Ok(()),
        };
        Err(DataError::new(problem, help).in_column(&self.name).into())
    }

    fn check_order(&self, order: &[String], column: &Column<'_>) -> Result<()> {
        let levels: Vec<&str> = order.iter().map(String::as_str).collect();
        let shown = shown_order(&levels);
        let Values::Categorical(own) = column.values() else {
            let stated = format!("{}={}", self.name, order.join("<"));
            let help = format!("use {}", setting("ordinal", Some(&stated)));
            let problem = format!(
                "the map was fitted to levels in the order {shown}, but this column contains numbers"
            );
            let help = ways(&["provide these levels", help.as_str()]);
            return Err(DataError::new(problem, help).in_column(&self.name).into());
        };
        let is_new = |code: &u32| {
            own.levels().get(*code as usize).is_some_and(|level| !order.contains(level))
        };
        let Some(row) = own.codes().iter().position(is_new) else { return Ok(()) };
        let level = &own.levels()[own.codes()[row] as usize];
        Err(DataError::new(
            format!("not in the order {shown} of the fitted map"),
            "correct the cell, or leave it empty if the value is unknown",
        )
        .at_row(row as u64 + 1)
        .in_column(&self.name)
        .with_value(level)
        .into())
    }

    /// The encoded number of every level of an ordinal column, by code; empty for other columns.
    fn shares(&self, column: &Column<'_>) -> Vec<f64> {
        let (Some(order), Values::Categorical(own)) = (&self.order, column.values()) else {
            return Vec::new();
        };
        let place = |level: &String| order.iter().position(|other| other == level).unwrap_or(0);
        let places = own.levels().iter().map(place);
        places.map(|place| share_of_steps(place as f64, order)).collect()
    }

    /// Whether the column is an unchanged number, without categories, an order or a missing indicator.
    fn is_number(&self) -> bool {
        self.width() == 1 && self.levels.is_none() && self.order.is_none()
    }

    /// Replaces missing numbers of a column by the mean, and counts them if the column was complete in the fit.
    fn fill_gaps(&self, values: &[f64], place: usize, out: &mut DenseMatrix, found: &mut Found) {
        let mut gaps = 0;
        for (row, _) in values.iter().enumerate().filter(|(_, value)| value.is_nan()) {
            out.row_mut(row)[place] = self.fill[0];
            gaps += 1;
        }
        found.add_gaps(self, gaps);
    }

    /// Writes the encoded numbers of a column, which start at `place` in every row.
    fn encode(
        &self,
        column: &Column<'_>,
        values: &[f64],
        differences: Differences,
        place: usize,
        out: &mut DenseMatrix,
        found: &mut Found,
    ) {
        let own = place..place + self.width();
        let level = differences.level();
        let places: Vec<Option<usize>> = match (&self.levels, column.values()) {
            (Some(levels), Values::Categorical(categories)) => {
                let place_of: HashMap<&str, usize> =
                    levels.iter().enumerate().map(|(at, level)| (level.as_str(), at)).collect();
                let places = categories.levels().iter().map(|name| place_of.get(name.as_str()));
                let places: Vec<Option<usize>> = places.map(Option::<&usize>::copied).collect();
                found.add_new_categories(self, categories, &places);
                places
            }
            _ => Vec::new(),
        };
        let shares = self.shares(column);
        let mut gaps = 0;
        for (row, &value) in values.iter().enumerate() {
            let numbers = &mut out.row_mut(row)[own.clone()];
            if value.is_nan() {
                numbers.copy_from_slice(&self.fill);
                gaps += 1;
            } else if self.order.is_some() {
                numbers[0] = shares[value as usize];
            } else if self.levels.is_none() {
                numbers[0] = value;
            } else if let Some(at) = places[value as usize] {
                numbers[at] = level;
            }
        }
        found.add_gaps(self, gaps);
    }
}

/// Missing values and categories in a table that did not occur in the fit.
#[derive(Debug, Default)]
struct Found {
    /// Columns that were complete in the fit, with the number of missing values.
    gaps: Vec<(String, usize)>,
    /// Columns with new categories, the number of rows that have one, and these categories.
    categories: Vec<(String, usize, Vec<String>)>,
}

impl Found {
    fn add_gaps(&mut self, column: &EncodedColumn, count: usize) {
        if count > 0 && column.missing == 0 {
            self.gaps.push((column.name.clone(), count));
        }
    }

    fn add_new_categories(
        &mut self,
        column: &EncodedColumn,
        categories: &Categories,
        places: &[Option<usize>],
    ) {
        let levels = categories.levels().iter().zip(categories.counts()).zip(places);
        let new = levels.filter(|((_, count), place)| *count > 0 && place.is_none());
        let (new, counts): (Vec<String>, Vec<usize>) =
            new.map(|((level, count), _)| (level.clone(), count)).unzip();
        let rows: usize = counts.iter().sum();
        if rows > 0 {
            self.categories.push((column.name.clone(), rows, new));
        }
    }

    fn warnings(self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        if !self.gaps.is_empty() {
            let text = |(name, count): &(String, usize)| format!("{} ({count})", quoted(name));
            let texts: Vec<String> = self.gaps.iter().map(text).collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            warnings.push(Warning::new(
                "new-gaps",
                format!(
                    "values are missing in columns that were complete when the map was fitted, and are \
                     replaced by the mean: {}",
                    list(&texts)
                ),
            ));
        }
        for (name, rows, new) in &self.categories {
            let new: Vec<String> = new.iter().map(|level| quoted(level)).collect();
            let new: Vec<&str> = new.iter().map(String::as_str).collect();
            let have = if *rows == 1 { "row has a category" } else { "rows have categories" };
            warnings.push(Warning::new(
                "new-categories",
                format!(
                    "column {}: {rows} {have} that did not occur in the fit, at the same distance \
                     from all known ones: {}",
                    quoted(name),
                    list(&new)
                ),
            ));
        }
        warnings
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::MISSING_CODE;

    fn texts(name: &str, cells: &[&str]) -> Column<'static> {
        let cells = cells.iter().map(|text| (*text != "?").then_some(*text));
        Column::categorical(name, Categories::from_texts(cells))
    }

    fn numbers(name: &str, values: &[f64]) -> Column<'static> {
        Column::from_values(name, values.to_vec()).unwrap()
    }

    fn difference(differences: Differences, a: &[f64], b: &[f64]) -> f64 {
        let apart = a.iter().zip(b).map(|(a, b)| (a - b).abs());
        match differences {
            Differences::Absolute => apart.sum(),
            Differences::Squared => apart.map(|d| d * d).sum(),
        }
    }

    #[test]
    fn complete_numbers_stay_as_they_are() {
        let values: Vec<f64> = (0..60).map(|k| f64::from(k) / 7.0).collect();
        let names: Vec<String> = (0..20).map(|column| format!("c{column}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let table = Table::from_row_major(&values, 3, &names).unwrap();
        let encoding = Encoding::of_table(&table, Differences::Squared);
        assert!(encoding.is_plain());
        assert_eq!(encoding.part_names(), names);
        let (encoded, warnings) = encoding.encode(&table).unwrap();
        assert_eq!((encoded.values(), warnings.len()), (&values[..], 0));
        assert_eq!(encoded, DenseMatrix::from_table(&table, "test").unwrap());
    }

    #[test]
    fn a_mismatch_is_one_and_a_gap_is_what_is_expected() {
        let color = ["red", "blue", "red", "?", "green", "red", "?"];
        let table = Table::new(vec![texts("color", &color)]).unwrap();
        for differences in [Differences::Squared, Differences::Absolute] {
            let encoding = Encoding::of_table(&table, differences);
            let rows = encoding.encode(&table).unwrap().0;
            let between = |i: usize, j: usize| difference(differences, rows.row(i), rows.row(j));
            for i in [0, 1, 2, 4, 5] {
                for j in [0, 1, 2, 4, 5] {
                    let mismatch = f64::from(u8::from(color[i] != color[j]));
                    assert!((between(i, j) - mismatch).abs() < 1e-15, "{differences:?} {i} {j}");
                }
                // The fraction of known values in the same category.
                let share = if color[i] == "red" { 0.6 } else { 0.2 };
                assert!((between(i, 3) - (1.0 - share)).abs() < 1e-15, "{differences:?} {i}");
            }
            assert_eq!(between(3, 6), 0.0);
        }
    }

    #[test]
    fn a_missing_number_is_as_far_as_is_expected() {
        let known = [1.0, 2.0, 4.0, 4.0, 9.0];
        let table = Table::new(vec![numbers("x", &[&known[..], &[f64::NAN]].concat())]).unwrap();
        let rows = |differences| Encoding::of_table(&table, differences).encode(&table).unwrap().0;
        let squared = rows(Differences::Squared);
        for (row, value) in known.iter().enumerate() {
            let expected = known.iter().map(|other| (value - other).powi(2)).sum::<f64>() / 5.0;
            let found = difference(Differences::Squared, squared.row(row), squared.row(5));
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
        let absolute = rows(Differences::Absolute);
        let all: f64 = known.iter().flat_map(|a| known.map(|b| (a - b).abs())).sum();
        let found =
            (0..5).map(|row| difference(Differences::Absolute, absolute.row(row), absolute.row(5)));
        assert!((found.sum::<f64>() / 5.0 - all / 25.0).abs() < 1e-12);
    }

    #[test]
    fn codes_and_unused_levels_change_nothing() {
        let levels = |names: [&str; 4]| names.map(String::from).to_vec();
        let first = Categories::new(vec![2, 0, MISSING_CODE, 2], levels(["b", "x", "a", "y"]));
        let second = Categories::new(vec![0, 3, MISSING_CODE, 0], levels(["a", "y", "x", "b"]));
        let [first, second] = [first, second].map(|categories| {
            Table::new(vec![Column::categorical("c", categories.unwrap())]).unwrap()
        });
        let encoding = Encoding::of_table(&first, Differences::Squared);
        assert_eq!(encoding, Encoding::of_table(&second, Differences::Squared));
        assert_eq!(encoding.part_names(), ["c=a", "c=b", "c (missing)"]);
        assert_eq!(encoding.encode(&first).unwrap(), encoding.encode(&second).unwrap());
    }

    fn grades(places: &[u32], levels: [&str; 3]) -> Table<'static> {
        let levels = levels.map(String::from).to_vec();
        let grades = Categories::ordered(places.to_vec(), levels).unwrap();
        Table::new(vec![Column::categorical("grade", grades)]).unwrap()
    }

    #[test]
    fn levels_in_an_order_are_one_number() {
        let fitted = grades(&[0, 1, MISSING_CODE, 0], ["low", "mid", "high"]);
        let encoding = Encoding::of_table(&fitted, Differences::Squared);
        assert!(!encoding.is_plain());
        assert_eq!(encoding.part_names(), ["grade", "grade (missing)"]);
        let rows = encoding.encode(&fitted).unwrap().0;
        assert_eq!((rows.row(0), rows.row(1)), (&[0.0, 0.0][..], &[0.5, 0.0][..]));
        assert!((rows.row(2)[0] - 0.5 / 3.0).abs() < 1e-15);
        // Levels are matched by name.
        let other = grades(&[2, 0], ["low", "high", "mid"]);
        assert_eq!(encoding.encode(&other).unwrap().0.row(0)[0], 0.5);
        let column = &encoding.columns()[0];
        let order = column.order().unwrap().to_vec();
        let read = EncodedColumn::ordinal("grade", order, 1, column.fill().to_vec());
        assert_eq!(read.as_ref(), Some(column));
        let twice = vec!["low".to_string(); 2];
        assert_eq!(EncodedColumn::ordinal("grade", twice, 1, column.fill().to_vec()), None);
        for (table, wanted) in [
            (
                grades(&[0, 2], ["low", "mid", "top"]),
                "row 2, column `grade`: not in the order low < mid < high",
            ),
            (
                Table::new(vec![numbers("grade", &[1.0])]).unwrap(),
                "but this column contains numbers",
            ),
        ] {
            let message = encoding.encode(&table).unwrap_err().to_string();
            assert!(message.contains(wanted), "{message}");
        }
        let complete = grades(&[0, 1, 1, 0], ["low", "mid", "high"]);
        let encoding = Encoding::of_table(&complete, Differences::Squared);
        assert!(!encoding.is_plain());
        assert_eq!(encoding.encode(&complete).unwrap().0.values(), [0.0, 0.5, 0.5, 0.0]);
    }

    #[test]
    fn what_says_nothing_gets_no_mark() {
        let table = Table::new(vec![
            numbers("none", &[f64::NAN; 3]),
            numbers("one", &[0.1, f64::NAN, 0.1]),
            texts("no level", &["?", "?", "?"]),
            texts("one level", &["a", "?", "a"]),
        ])
        .unwrap();
        let encoding = Encoding::of_table(&table, Differences::Squared);
        assert_eq!(encoding.part_names(), ["none", "one", "one level=a"]);
        let rows = encoding.encode(&table).unwrap().0;
        assert!(rows.iter().all(|row| row == rows.row(0)), "{rows:?}");
    }

    #[test]
    fn what_is_new_is_told() {
        let table = Table::new(vec![texts("c", &["a", "b", "a"]), numbers("x", &[1.0, 2.0, 6.0])]);
        let table = table.unwrap();
        let mut encoding = Encoding::of_table(&table, Differences::Squared);
        encoding.settle(&[0.0, 0.0, 3.0]);
        let other = Table::new(vec![
            numbers("x", &[f64::NAN, 4.0]),
            texts("c", &["z", "a"]),
            numbers("extra", &[0.0, 0.0]),
        ]);
        let (rows, warnings) = encoding.encode(&other.unwrap()).unwrap();
        assert_eq!(rows.values(), [0.0, 0.0, 3.0, FRAC_1_SQRT_2, 0.0, 4.0]);
        let told: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        assert!(told[0].ends_with("replaced by the mean: `x` (1)"), "{told:?}");
        assert!(told[1].starts_with("column `c`: 1 row has a category"), "{told:?}");
        assert!(told[1].ends_with(": `z`"), "{told:?}");
        let swapped = Table::new(vec![numbers("c", &[1.0]), texts("x", &["a"])]).unwrap();
        let message = encoding.encode(&swapped).unwrap_err().to_string();
        assert!(message.contains("column `c`: the map was fitted to categories"), "{message}");
    }

    #[test]
    fn parts_that_do_not_fit_are_none() {
        let levels = |names: &[&str]| Some(names.iter().map(|name| (*name).to_string()).collect());
        assert!(EncodedColumn::new("x", None, 0, vec![1.0]).is_some());
        assert!(EncodedColumn::new("x", levels(&["a", "b"]), 1, vec![0.1, 0.2, 0.3]).is_some());
        for (levels, missing, fill) in [
            (None, 0, vec![]),
            (None, 0, vec![1.0, 2.0]),
            (None, 1, vec![1.0; 3]),
            (None, 0, vec![f64::NAN]),
            (levels(&["a", "a"]), 0, vec![0.1, 0.2]),
            (levels(&["a", "b"]), 0, vec![0.1]),
        ] {
            assert!(EncodedColumn::new("x", levels, missing, fill).is_none());
        }
    }
}
