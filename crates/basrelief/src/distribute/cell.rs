//! Cells: the values of some columns in some rows, with what the differences between these rows require of
//! all rows.

use serde::{Deserialize, Serialize};

use super::wire::damaged;
use crate::data::{Categories, Column, PackedGenotypes, Table, Values};
use crate::differences::{Feature, MissingTable, Rule};
use crate::error::Result;
use crate::packed::Packed;

/// The columns of a cell, as they travel.
pub(super) type CellColumns = Vec<(WrittenFeature, WrittenValues)>;

/// Some columns of some rows.
#[derive(Debug, Default)]
pub(super) struct Cell<'c> {
    columns: Vec<Column<'c>>,
    features: Vec<Feature<'static>>,
}

impl<'c> From<(Table<'c>, Vec<Feature<'static>>)> for Cell<'c> {
    fn from((table, features): (Table<'c>, Vec<Feature<'static>>)) -> Self {
        Self { columns: table.into_columns(), features }
    }
}

impl<'c> Cell<'c> {
    /// Writes columns of some rows, with their features.
    pub(super) fn written(columns: &[Column<'_>], features: &[Feature<'_>]) -> CellColumns {
        let written = |(column, feature): (&Column<'_>, &Feature<'_>)| {
            (WrittenFeature::from(feature), WrittenValues::new(column, feature.rule))
        };
        columns.iter().zip(features).map(written).collect()
    }

    /// Reads a cell of `rows` rows; its columns get these names.
    pub(super) fn read(columns: CellColumns, rows: usize, names: &[String]) -> Result<Self> {
        if columns.len() != names.len() {
            return Err(damaged("it has other columns"));
        }
        let mut cell = Self::default();
        for ((feature, values), name) in columns.into_iter().zip(names) {
            let feature = feature.read(rows)?;
            cell.columns.push(values.read(rows, name, feature.rule)?);
            cell.features.push(feature);
        }
        Ok(cell)
    }

    /// Adds columns of the same rows.
    pub(super) fn add_columns(&mut self, other: Self) {
        self.columns.extend(other.columns);
        self.features.extend(other.features);
    }

    /// These rows, and the same columns of other rows behind them.
    pub(super) fn with_rows(self, other: Cell<'_>) -> Result<Self> {
        let wrong = || damaged("its columns are not those of the other cells");
        let rows = self.columns.first().map_or(0, Column::len) as u32;
        let mut joined = Self::default();
        for (own, others) in self.columns.into_iter().zip(other.columns) {
            joined.columns.push(own.with_rows(&others).ok_or_else(wrong)?);
        }
        for (own, others) in self.features.into_iter().zip(other.features) {
            if own.rule != others.rule {
                return Err(wrong());
            }
            let (rule, mut missing_rows, table) = own.into_parts();
            missing_rows.extend(others.missing_rows().iter().map(|row| row + rows));
            let table = match (table, others.table()) {
                (Some(own), Some(others)) => Some(own.joined(others).ok_or_else(wrong)?),
                (None, None) => None,
                _ => return Err(wrong()),
            };
            joined.features.push(Feature::new(rule, missing_rows, table));
        }
        Ok(joined)
    }

    /// The columns as a table, and their features.
    pub(super) fn into_table(self) -> Result<(Table<'c>, Vec<Feature<'static>>)> {
        Ok((Table::new(self.columns)?, self.features))
    }
}

/// The values of a column.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum WrittenValues {
    /// They never differ and are not written.
    Constant,
    Doubles(Packed<f64>),
    /// Numbers that single precision represents exactly take half the bytes.
    Singles(Packed<f32>),
    /// Two bits each.
    Genotypes(Packed<u8>),
    Categories {
        levels: u32,
        is_ordered: bool,
        codes: Packed<u32>,
    },
}

impl WrittenValues {
    fn new(column: &Column<'_>, rule: Rule) -> Self {
        if rule.is_constant() { Self::Constant } else { Self::of(column) }
    }

    /// The values of a column, whether they differ or not.
    pub(super) fn of(column: &Column<'_>) -> Self {
        match column.values() {
            Values::Genotype(genotypes) => {
                let packed = PackedGenotypes::from_codes(genotypes.iter());
                Self::Genotypes(Packed(packed.packed_bytes().to_vec()))
            }
            Values::Categorical(categories) => Self::Categories {
                levels: categories.levels().len() as u32,
                is_ordered: categories.is_ordered(),
                codes: Packed(categories.codes().to_vec()),
            },
            Values::Numeric(_) => {
                let mut values = Vec::new();
                column.copy_values(&mut values);
                let is_single = |value: &f64| f64::from(*value as f32).to_bits() == value.to_bits();
                if values.iter().all(is_single) {
                    Self::Singles(Packed(values.iter().map(|value| *value as f32).collect()))
                } else {
                    Self::Doubles(Packed(values))
                }
            }
        }
    }

    fn read(self, rows: usize, name: &str, rule: Rule) -> Result<Column<'static>> {
        match self {
            Self::Constant if rule.is_constant() => Column::from_values(name, vec![0.0; rows]),
            values => values.into_column(rows, name),
        }
    }

    /// The column of these values; its categories are numbered.
    pub(super) fn into_column(self, rows: usize, name: &str) -> Result<Column<'static>> {
        let wrong = || damaged("its values are not those of its rows");
        let numeric = |values| Column::from_values(name, values);
        let column = match self {
            Self::Constant => return Err(damaged("its values are missing")),
            Self::Doubles(Packed(values)) => numeric(values)?,
            Self::Singles(Packed(values)) => numeric(values.into_iter().map(f64::from).collect())?,
            Self::Genotypes(Packed(bytes)) => {
                let packed = PackedGenotypes::from_packed_bytes(bytes, rows).ok_or_else(wrong)?;
                Column::genotype(name, packed.to_vec().into())?
            }
            Self::Categories { levels, is_ordered, codes: Packed(codes) } => {
                let levels = (0..levels).map(|level| level.to_string()).collect();
                let make = if is_ordered { Categories::ordered } else { Categories::new };
                Column::categorical(name, make(codes, levels)?)
            }
        };
        if column.len() == rows { Ok(column) } else { Err(wrong()) }
    }
}

/// A feature without the values of its column.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct WrittenFeature {
    /// The name of the rule, and its numbers.
    rule: (String, Vec<u64>),
    missing_rows: Packed<u32>,
    table: Option<WrittenTable>,
}

/// The parts of a [`MissingTable`]; a class without a line has `u32::MAX`.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct WrittenTable {
    cases: Option<Packed<u8>>,
    values: Packed<f64>,
    lines: Packed<u32>,
    differences: Packed<f64>,
}

impl From<&Feature<'_>> for WrittenFeature {
    fn from(feature: &Feature<'_>) -> Self {
        let (name, numbers) = feature.rule.written();
        let table = feature.table().map(|table| {
            let ((cases, values), (lines, differences)) = table.parts();
            WrittenTable {
                cases: cases.map(|cases| Packed(cases.to_vec())),
                values: Packed(values.to_vec()),
                lines: Packed(lines.iter().map(|line| line.unwrap_or(u32::MAX)).collect()),
                differences: Packed(differences.to_vec()),
            }
        });
        let missing_rows = Packed(feature.missing_rows().to_vec());
        Self { rule: (name.to_string(), numbers), missing_rows, table }
    }
}

impl WrittenFeature {
    /// Whether the feature has no missing values, so that it is the same for all rows.
    pub(super) fn is_complete(&self) -> bool {
        self.missing_rows.0.is_empty() && self.table.is_none()
    }

    /// The feature of `rows` rows.
    pub(super) fn read(self, rows: usize) -> Result<Feature<'static>> {
        let rule = Rule::read(&self.rule.0, &self.rule.1);
        let rule = rule.ok_or_else(|| damaged("its rule is unknown"))?;
        let read = |WrittenTable { cases, values, lines, differences }| -> Result<_> {
            let lines = lines.0.into_iter().map(|line| (line != u32::MAX).then_some(line));
            let cases = cases.map(|cases: Packed<u8>| cases.0);
            let (cases, lines) = ((cases, values.0), (lines.collect(), differences.0));
            let table = MissingTable::from_parts(rows, cases, lines);
            table.ok_or_else(|| damaged("its missing values do not fit together"))
        };
        let table = self.table.map(read).transpose()?;
        Ok(Feature::new(rule, self.missing_rows.0, table))
    }
}
