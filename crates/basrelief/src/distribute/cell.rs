//! Columns of some rows as bytes: their values, and what differences between these rows need of the others.

use super::wire::{Reader, Writer, damaged};
use crate::data::{Categories, Column, MISSING_GENOTYPE, Numbers, Table, Values};
use crate::differences::{Feature, MissingTable, Rule};
use crate::error::Result;

/// How the values of a column are written.
const NOTHING: u32 = 0;
const DOUBLES: u32 = 1;
const SINGLES: u32 = 2;
const GENOTYPES: u32 = 3;
const CODES: u32 = 4;
const PLACES: u32 = 5;

/// Genotypes in a byte.
const IN_BYTE: usize = 4;

/// How rules are written.

/// Some columns of some rows.
#[derive(Debug, Default)]
pub(super) struct Cell {
    columns: Vec<Column<'static>>,
    features: Vec<Feature<'static>>,
}

impl Cell {
    /// Writes columns of some rows, with their features.
    pub(super) fn write(columns: &[Column<'_>], features: &[Feature<'_>]) -> Writer {
        let mut writer = Writer::default();
        writer.u64(columns.len() as u64);
        for (column, feature) in columns.iter().zip(features) {
            write_feature(feature, &mut writer);
            write_values(column, feature.rule, &mut writer);
        }
        writer
    }

    /// So many rows; columns are named anew.
    pub(super) fn read(mut reader: Reader<'_>, rows: usize, names: &[String]) -> Result<Self> {
        if reader.count(8)? != names.len() {
            return Err(damaged("it has other columns"));
        }
        let mut cell = Self::default();
        for name in names {
            let feature = read_feature(&mut reader, rows)?;
            cell.columns.push(read_values(&mut reader, rows, name, feature.rule)?);
            cell.features.push(feature);
        }
        reader.end()?;
        Ok(cell)
    }

    /// Adds columns of the same rows.
    pub(super) fn add_columns(&mut self, other: Self) {
        self.columns.extend(other.columns);
        self.features.extend(other.features);
    }

    /// These rows, and the same columns of others behind them.
    pub(super) fn with_rows(self, other: Self) -> Result<Self> {
        let wrong = || damaged("its columns are not those of the other cells");
        let rows = self.columns.first().map_or(0, Column::len) as u32;
        let mut joined = Self::default();
        for (own, others) in self.columns.into_iter().zip(other.columns) {
            joined.columns.push(joined_columns(own, &others).ok_or_else(wrong)?);
        }
        for (own, others) in self.features.into_iter().zip(other.features) {
            if own.rule != others.rule {
                return Err(wrong());
            }
            let mut missing_rows = own.missing_rows;
            missing_rows.extend(others.missing_rows.iter().map(|row| row + rows));
            let table = match (own.table, others.table) {
                (Some(own), Some(others)) => Some(own.joined(&others).ok_or_else(wrong)?),
                (None, None) => None,
                _ => return Err(wrong()),
            };
            joined.features.push(Feature { rule: own.rule, missing_rows, table });
        }
        Ok(joined)
    }

    /// The columns as a table, and their features.
    pub(super) fn into_table(self) -> Result<(Table<'static>, Vec<Feature<'static>>)> {
        Ok((Table::new(self.columns)?, self.features))
    }
}

fn write_values(column: &Column<'_>, rule: Rule, writer: &mut Writer) {
    match column.values() {
        _ if rule.is_constant() => writer.u32(NOTHING),
        Values::Genotype(genotypes) => {
            let copies = genotypes.to_bytes();
            writer.u32(GENOTYPES);
            let packed = |four: &[u8]| {
                four.iter().zip(0..).fold(0, |byte, (copies, at)| byte | copies << (2 * at))
            };
            writer.bytes(&copies.chunks(IN_BYTE).map(packed).collect::<Vec<u8>>());
        }
        Values::Categorical(categories) => {
            writer.u32(if categories.is_ordered() { PLACES } else { CODES });
            writer.u64(categories.levels().len() as u64);
            writer.u32s(categories.codes());
        }
        Values::Numeric(_) => {
            let mut values = Vec::new();
            column.copy_values(&mut values);
            // Half the bytes where nothing is lost.
            let is_single = |value: &f64| f64::from(*value as f32).to_bits() == value.to_bits();
            if values.iter().all(is_single) {
                let single = |value: &f64| (*value as f32).to_bits();
                writer.u32(SINGLES);
                writer.u32s(&values.iter().map(single).collect::<Vec<u32>>());
            } else {
                writer.u32(DOUBLES);
                writer.f64s(&values);
            }
        }
    }
}

fn read_values(
    reader: &mut Reader<'_>,
    rows: usize,
    name: &str,
    rule: Rule,
) -> Result<Column<'static>> {
    let wrong = || damaged("its values are not those of its rows");
    let column = match reader.u32()? {
        NOTHING if rule.is_constant() => {
            Column::numeric(name, Numbers::Contiguous(vec![0.0; rows].into()))?
        }
        DOUBLES => Column::numeric(name, Numbers::Contiguous(reader.f64s()?.into()))?,
        SINGLES => {
            let values = reader.u32s()?.into_iter().map(|bits| f64::from(f32::from_bits(bits)));
            Column::numeric(name, Numbers::Contiguous(values.collect::<Vec<f64>>().into()))?
        }
        GENOTYPES => {
            let packed = reader.bytes()?;
            let copies =
                packed.iter().flat_map(|byte| (0..IN_BYTE).map(move |at| byte >> (2 * at) & 3));
            let copies: Vec<u8> = copies.take(rows).collect();
            Column::genotype(name, copies.into())?
        }
        form @ (CODES | PLACES) => {
            let levels = reader.u64()?;
            if u32::try_from(levels).is_err() {
                return Err(wrong());
            }
            let codes = reader.u32s()?;
            let levels = (0..levels).map(|level| level.to_string()).collect();
            let make = if form == PLACES { Categories::ordered } else { Categories::new };
            Column::categorical(name, make(codes, levels)?)
        }
        _ => return Err(wrong()),
    };
    if column.len() == rows { Ok(column) } else { Err(wrong()) }
}

fn joined_columns(own: Column<'static>, others: &Column<'_>) -> Option<Column<'static>> {
    let name = own.name().to_string();
    match (own.values(), others.values()) {
        (Values::Genotype(own), Values::Genotype(others)) => {
            let copies = [own.to_bytes(), others.to_bytes()].concat();
            debug_assert!(copies.iter().all(|copies| *copies <= MISSING_GENOTYPE));
            Column::genotype(name, copies.into()).ok()
        }
        (Values::Categorical(own), Values::Categorical(others)) => {
            let codes = [own.codes(), others.codes()].concat();
            Some(Column::categorical(name, own.with_codes(codes).ok()?))
        }
        (Values::Numeric(_), Values::Numeric(_)) => {
            let mut values = Vec::with_capacity(own.len() + others.len());
            let mut more = Vec::new();
            own.copy_values(&mut values);
            others.copy_values(&mut more);
            values.extend(more);
            Column::numeric(name, Numbers::Contiguous(values.into())).ok()
        }
        _ => None,
    }
}

/// Writes features without values of their columns.
pub(super) fn write_features(features: &[Feature<'_>], writer: &mut Writer) {
    writer.u64(features.len() as u64);
    features.iter().for_each(|feature| write_feature(feature, writer));
}

/// Features of so many rows.
pub(super) fn read_features(reader: &mut Reader<'_>, rows: usize) -> Result<Vec<Feature<'static>>> {
    let count = reader.count(8)?;
    (0..count).map(|_| read_feature(reader, rows)).collect()
}

fn write_feature(Feature { rule, missing_rows, table }: &Feature<'_>, writer: &mut Writer) {
    let (name, parameters) = rule.written();
    writer.bytes(name.as_bytes());
    writer.u64s(&parameters);
    writer.u32s(missing_rows);
    writer.u32(table.is_some().into());
    if let Some(table) = table {
        let ((cases, values), (lines, differences)) = table.parts();
        writer.u32(cases.is_some().into());
        if let Some(cases) = cases {
            writer.bytes(cases);
        }
        writer.f64s(values);
        // No line is that far.
        let lines: Vec<u32> = lines.iter().map(|line| line.unwrap_or(u32::MAX)).collect();
        writer.u32s(&lines);
        writer.f64s(differences);
    }
}

fn read_feature(reader: &mut Reader<'_>, rows: usize) -> Result<Feature<'static>> {
    let (name, parameters) = (reader.bytes()?, reader.u64s()?);
    let rule = std::str::from_utf8(name).ok().and_then(|name| Rule::read(name, &parameters));
    let rule = rule.ok_or_else(|| damaged("it has a rule that is not known"))?;
    let missing_rows = reader.u32s()?;
    let mut table = None;
    if reader.u32()? != 0 {
        let cases = if reader.u32()? != 0 { Some(reader.bytes()?.to_vec()) } else { None };
        let values = reader.f64s()?;
        let lines = reader.u32s()?.into_iter().map(|line| (line != u32::MAX).then_some(line));
        let lines = lines.collect();
        let differences = reader.f64s()?;
        let read = MissingTable::from_parts(rows, (cases, values), (lines, differences));
        table = Some(read.ok_or_else(|| damaged("its missing values do not fit together"))?);
    }
    Ok(Feature { rule, missing_rows, table })
}
