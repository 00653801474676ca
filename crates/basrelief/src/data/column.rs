//! Columns: the values of one feature.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::genotypes::{genotype_value, genotypes_seen};
use super::names::{Name, Names};
use super::sparse::RowSelection;
use super::{
    Cell, Contiguous, Extent, Genotypes, Locus, MISSING_GENOTYPE, PackedGenotypes, SparseColumn,
};
use crate::error::{DataError, Error, Result};
use crate::wording::quoted;

/// The code of a missing categorical value.
pub const MISSING_CODE: u32 = u32::MAX;

/// The kind of the values of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ColumnKind {
    /// Real numbers; `diff` is the range-normalized absolute difference.
    Numeric,
    /// Unordered categories; `diff` is 0 or 1.
    Categorical,
    /// Ordered levels; `diff` is the number of steps between two levels, as a fraction of all steps.
    Ordinal,
    /// 0, 1 or 2 copies of an allele.
    Genotype,
}

impl ColumnKind {
    /// All kinds, in the order shown to users.
    pub const ALL: [Self; 4] = [Self::Numeric, Self::Categorical, Self::Ordinal, Self::Genotype];

    /// `numeric`, `categorical`, `ordinal` or `genotype`.
    pub fn name(self) -> &'static str {
        match self {
            ColumnKind::Numeric => "numeric",
            ColumnKind::Categorical => "categorical",
            ColumnKind::Ordinal => "ordinal",
            ColumnKind::Genotype => "genotype",
        }
    }

    /// The kind with a [name](Self::name).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Number of bits per value in stored or transmitted columns.
    pub(crate) fn bits(self) -> u64 {
        match self {
            ColumnKind::Numeric => 64,
            ColumnKind::Categorical | ColumnKind::Ordinal => 32,
            ColumnKind::Genotype => 2,
        }
    }
}

/// The values of a numeric column: contiguous, or a strided view of an array, in single or double
/// precision or as small whole numbers; or a column of a sparse matrix.
///
/// NaN is a missing value.
#[derive(Debug, Clone)]
pub enum Numbers<'a> {
    /// Contiguous values.
    Contiguous(Contiguous<'a, f64>),
    /// Contiguous values in single precision.
    Single(Contiguous<'a, f32>),
    /// Contiguous values of one byte each: 0, 1, 2, or [`MISSING_GENOTYPE`].
    Codes(Contiguous<'a, u8>),
    /// Elements of a matrix.
    Strided(Strided<'a, f64>),
    /// Elements of a matrix in single precision.
    StridedSingle(Strided<'a, f32>),
    /// Elements of a matrix of whole numbers from 0 to 255.
    StridedBytes(Strided<'a, u8>),
    /// Elements of a matrix of whole numbers from -128 to 127.
    StridedSignedBytes(Strided<'a, i8>),
    /// A column of a sparse matrix.
    Sparse(SparseColumn),
}

/// A view of `len` elements of an array: every `stride`-th element, starting at `start`.
#[derive(Debug, Clone, Copy)]
pub struct Strided<'a, T> {
    /// The complete array.
    pub data: &'a [T],
    /// Index of the first value.
    pub start: usize,
    /// The distance between consecutive values, in elements.
    pub stride: usize,
    /// Number of values.
    pub len: usize,
}

impl From<Vec<f64>> for Numbers<'_> {
    fn from(values: Vec<f64>) -> Self {
        Numbers::Contiguous(values.into())
    }
}

impl<'a> From<&'a [f64]> for Numbers<'a> {
    fn from(values: &'a [f64]) -> Self {
        Numbers::Contiguous(values.into())
    }
}

impl From<Vec<f32>> for Numbers<'_> {
    fn from(values: Vec<f32>) -> Self {
        Numbers::Single(values.into())
    }
}

impl<'a> From<&'a [f32]> for Numbers<'a> {
    fn from(values: &'a [f32]) -> Self {
        Numbers::Single(values.into())
    }
}

impl<'a> From<Strided<'a, f64>> for Numbers<'a> {
    fn from(values: Strided<'a, f64>) -> Self {
        Numbers::Strided(values)
    }
}

impl<'a, T: Copy> Strided<'a, T> {
    /// The value of `row`.
    ///
    /// # Panics
    /// `row >= len`.
    fn get(&self, row: usize) -> T {
        assert!(row < self.len, "row {row} of {}", self.len);
        self.data[self.start + row * self.stride]
    }

    /// The `width` consecutive elements that start with the value of `row`.
    ///
    /// # Panics
    /// `row >= len`, or the array ends before the last element.
    pub(super) fn line(&self, row: usize, width: usize) -> &'a [T] {
        assert!(row < self.len, "row {row} of {}", self.len);
        &self.data[self.start + row * self.stride..][..width]
    }

    /// The values in row order.
    pub(super) fn iter(&self) -> impl Iterator<Item = T> {
        (0..self.len).map(|row| self.data[self.start + row * self.stride])
    }
}

impl Numbers<'_> {
    /// Number of values.
    pub fn len(&self) -> usize {
        match self {
            Numbers::Contiguous(values) => values.len(),
            Numbers::Single(values) => values.len(),
            Numbers::Codes(codes) => codes.len(),
            Numbers::Strided(values) => values.len,
            Numbers::StridedSingle(values) => values.len,
            Numbers::StridedBytes(values) => values.len,
            Numbers::StridedSignedBytes(values) => values.len,
            Numbers::Sparse(values) => values.len(),
        }
    }

    /// Whether the column is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of `row`; NaN is missing.
    ///
    /// # Panics
    /// `row >= len()`.
    pub fn get(&self, row: usize) -> f64 {
        match self {
            Numbers::Contiguous(values) => values[row],
            Numbers::Single(values) => f64::from(values[row]),
            Numbers::Codes(codes) => genotype_value(codes[row]),
            Numbers::Strided(values) => values.get(row),
            Numbers::StridedSingle(values) => values.get(row).into(),
            Numbers::StridedBytes(values) => values.get(row).into(),
            Numbers::StridedSignedBytes(values) => values.get(row).into(),
            Numbers::Sparse(values) => values.get(row),
        }
    }

    /// Appends all values, in row order, to `out`.
    pub fn append_to(&self, out: &mut Vec<f64>) {
        match self {
            Numbers::Contiguous(values) => out.extend_from_slice(values),
            Numbers::Single(values) => out.extend(values.iter().map(|&value| f64::from(value))),
            Numbers::Codes(codes) => out.extend(codes.iter().map(|&code| genotype_value(code))),
            Numbers::Strided(Strided { data, start, stride: 1, len }) => {
                out.extend_from_slice(&data[*start..start + len]);
            }
            Numbers::Strided(values) => out.extend(values.iter()),
            Numbers::StridedSingle(values) => out.extend(values.iter().map(f64::from)),
            Numbers::StridedBytes(values) => out.extend(values.iter().map(f64::from)),
            Numbers::StridedSignedBytes(values) => out.extend(values.iter().map(f64::from)),
            Numbers::Sparse(values) => values.append_to(out),
        }
    }

    /// The extent of the values.
    fn extent(&self) -> Extent {
        match self {
            Numbers::Contiguous(values) => Extent::new(values),
            Numbers::Single(values) => Extent::new(values),
            Numbers::Codes(codes) => extent_of_genotypes(codes),
            Numbers::Strided(Strided { data, start, stride: 1, len }) => {
                Extent::new(&data[*start..start + len])
            }
            Numbers::Strided(values) => Extent::of_scattered(values.iter()),
            Numbers::StridedSingle(values) => Extent::of_scattered(values.iter()),
            Numbers::StridedBytes(values) => Extent::of_scattered(values.iter()),
            Numbers::StridedSignedBytes(values) => Extent::of_scattered(values.iter()),
            Numbers::Sparse(values) => values.extent(),
        }
    }

    /// The machine epsilon of the stored numbers, in single or double precision.
    pub fn epsilon(&self) -> f64 {
        match self {
            Numbers::Single(_) | Numbers::StridedSingle(_) => f64::from(f32::EPSILON),
            Numbers::Sparse(values) => values.epsilon(),
            _ => f64::EPSILON,
        }
    }
}

/// The values of a categorical or ordinal column: a code per row, and the levels that the codes denote.
#[derive(Debug, Clone, PartialEq)]
pub struct Categories {
    codes: Vec<u32>,
    levels: Vec<String>,
    is_ordered: bool,
}

impl Categories {
    /// Creates categories from codes (indices into `levels`, or [`MISSING_CODE`]) and levels.
    ///
    /// # Errors
    /// A code is neither an index into `levels` nor [`MISSING_CODE`].
    pub fn new(codes: Vec<u32>, levels: Vec<String>) -> Result<Self> {
        for (row, &code) in codes.iter().enumerate() {
            if code != MISSING_CODE && code as usize >= levels.len() {
                return Err(DataError::new(
                    format!("category code without a level ({} levels)", levels.len()),
                    "codes count from 0",
                )
                .at_row(row as u64 + 1)
                .with_value(&code.to_string())
                .into());
            }
        }
        Ok(Self { codes, levels, is_ordered: false })
    }

    /// Creates the values of an ordinal column, whose levels are in ascending order. Some levels may not occur.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new); a level that occurs twice in the order, or a number that occurs twice with
    /// different texts.
    ///
    /// # Examples
    /// ```
    /// use basrelief::data::{Categories, Column, ColumnKind};
    ///
    /// let levels = ["low", "mid", "high"].map(String::from).to_vec();
    /// let grades = Categories::ordered(vec![2, 0, 2], levels)?;
    /// assert_eq!(Column::categorical("grade", grades).kind(), ColumnKind::Ordinal);
    /// # Ok::<(), basrelief::Error>(())
    /// ```
    pub fn ordered(codes: Vec<u32>, levels: Vec<String>) -> Result<Self> {
        let mut seen = HashSet::with_capacity(levels.len());
        if let Some(twice) = levels.iter().find(|level| !seen.insert(LevelKey::new(level))) {
            let texts: Vec<&str> = levels.iter().map(String::as_str).collect();
            return Err(Error::option(
                "ordinal",
                format!("{} occurs twice in the order {}", quoted(twice), shown_order(&texts)),
                "list every level once",
            ));
        }
        Ok(Self { is_ordered: true, ..Self::new(codes, levels)? })
    }

    /// Creates categories from texts; `None` is missing. Levels are in order of first appearance.
    pub fn from_texts<'t>(texts: impl IntoIterator<Item = Option<&'t str>>) -> Self {
        let mut index: HashMap<String, u32> = HashMap::new();
        let mut levels = Vec::new();
        let codes = texts
            .into_iter()
            .map(|text| match text {
                None => MISSING_CODE,
                Some(text) => match index.get(text) {
                    Some(&code) => code,
                    None => {
                        let code = levels.len() as u32;
                        levels.push(text.to_string());
                        index.insert(text.to_string(), code);
                        code
                    }
                },
            })
            .collect();
        Self { codes, levels, is_ordered: false }
    }

    /// Creates categories with the same levels for other rows.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new).
    pub(crate) fn with_codes(&self, codes: Vec<u32>) -> Result<Self> {
        Ok(Self { is_ordered: self.is_ordered, ..Self::new(codes, self.levels.clone())? })
    }

    /// Whether the levels are in ascending order.
    pub fn is_ordered(&self) -> bool {
        self.is_ordered
    }

    /// The number of steps from the first to the last level.
    pub(crate) fn steps(&self) -> u32 {
        self.levels.len().saturating_sub(1) as u32
    }

    /// The code of every row.
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// The names of the levels.
    pub fn levels(&self) -> &[String] {
        &self.levels
    }

    /// The number of rows at every level.
    pub(crate) fn counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.levels.len()];
        for &code in self.codes.iter().filter(|code| **code != MISSING_CODE) {
            counts[code as usize] += 1;
        }
        counts
    }
}

/// Identifies a level: by its number or, if it is not a number, by its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum LevelKey<'t> {
    Number(u64),
    Text(&'t str),
}

impl<'t> LevelKey<'t> {
    pub(super) fn new(level: &'t str) -> Self {
        match Cell::read(level.as_bytes()) {
            // Maps -0.0 to 0.0.
            Cell::Number(number) => Self::Number((number + 0.0).to_bits()),
            _ => Self::Text(level),
        }
    }
}

/// An order of levels as users write it, shortened if there are many.
pub(super) fn shown_order(levels: &[&str]) -> String {
    const ENDS: usize = 4;
    match levels {
        [first @ .., last] if first.len() > 2 * ENDS => {
            format!("{} < … < {last}", first[..ENDS].join(" < "))
        }
        _ => levels.join(" < "),
    }
}

/// The values of a column.
#[derive(Debug, Clone)]
pub enum Values<'a> {
    /// Real numbers; NaN is missing.
    Numeric(Numbers<'a>),
    /// Categories, with or without an order.
    Categorical(Categories),
    /// 0, 1, 2, or [`MISSING_GENOTYPE`].
    Genotype(Genotypes<'a>),
}

/// A named feature.
#[derive(Debug, Clone)]
pub struct Column<'a> {
    name: Name,
    values: Values<'a>,
    /// The extent of the values, and of those outside, if the column is numeric.
    extent: Option<Extent>,
    /// The extent of the values of rows that are not here, but count in the range of the column.
    outside: Option<Box<Extent>>,
    /// The position in a genome, if it is known.
    locus: Option<Arc<Locus>>,
}

impl<'a> Column<'a> {
    /// The rows of this column followed by those of another; `None` if the kinds differ.
    pub(crate) fn with_rows(&self, other: &Column<'_>) -> Option<Column<'static>> {
        let name = self.name().to_string();
        match (self.values(), other.values()) {
            (Values::Genotype(own), Values::Genotype(others)) => {
                let copies = [own.to_bytes(), others.to_bytes()].concat();
                Column::genotype(name, copies.into()).ok()
            }
            (Values::Categorical(own), Values::Categorical(others)) => {
                let codes = [own.codes(), others.codes()].concat();
                Some(Column::categorical(name, own.with_codes(codes).ok()?))
            }
            (Values::Numeric(_), Values::Numeric(_)) => {
                let (mut values, mut more) = (Vec::new(), Vec::new());
                self.copy_values(&mut values);
                other.copy_values(&mut more);
                values.extend(more);
                Column::from_values(name, values).ok()
            }
            _ => None,
        }
    }

    /// Creates a numeric column from a vector (owned), a slice (borrowed) or other [`Numbers`]; NaN is missing.
    ///
    /// ```
    /// use basrelief::data::Column;
    ///
    /// let heights = [172.0, f64::NAN, 165.0];
    /// let borrowed = Column::numeric("height", &heights[..])?;
    /// let owned = Column::numeric("age", vec![41.0, 37.0, 52.0])?;
    /// assert_eq!((borrowed.missing(), owned.len()), (1, 3));
    /// # Ok::<(), basrelief::Error>(())
    /// ```
    ///
    /// # Errors
    /// An infinite value; the message names column, row and value.
    pub fn numeric(name: impl Into<String>, values: impl Into<Numbers<'a>>) -> Result<Self> {
        let values = values.into();
        let (name, extent) = (name.into(), values.extent());
        let infinite = |row: &usize| values.get(*row).is_infinite();
        if extent.is_infinite()
            && let Some(row) = (0..values.len()).find(infinite)
        {
            return Err(DataError::new(
                "infinite value",
                "replace it by a number, or by an empty cell (NaN) if it is unknown",
            )
            .at_row(row as u64 + 1)
            .in_column(name)
            .with_value(&values.get(row).to_string())
            .into());
        }
        Ok(Self::numeric_within(name, values, extent))
    }

    fn new(name: impl Into<String>, values: Values<'a>, extent: Option<Extent>) -> Self {
        Self { name: name.into().into(), values, extent, outside: None, locus: None }
    }

    /// Creates a numeric column with a known, finite extent.
    pub(super) fn numeric_within(
        name: impl Into<String>,
        values: Numbers<'a>,
        extent: Extent,
    ) -> Self {
        Self::new(name, Values::Numeric(values), Some(extent))
    }

    /// Creates a column of valid genotypes.
    pub(super) fn of_genotypes(
        name: impl Into<String>,
        genotypes: impl Into<Genotypes<'a>>,
    ) -> Self {
        Self::new(name, Values::Genotype(genotypes.into()), None)
    }

    /// Creates a column of packed genotypes, which are always valid.
    pub fn packed(name: impl Into<String>, genotypes: PackedGenotypes) -> Self {
        Self::of_genotypes(name, genotypes)
    }

    /// Creates a categorical column, or an ordinal one if the categories are [ordered](Categories::ordered).
    pub fn categorical(name: impl Into<String>, values: Categories) -> Self {
        Self::new(name, Values::Categorical(values), None)
    }

    /// Replaces the values by categories.
    pub(super) fn with_categories(self, values: Categories) -> Self {
        Self { values: Values::Categorical(values), extent: None, ..self }
    }

    /// Creates a genotype column from codes 0, 1, 2 and [`MISSING_GENOTYPE`].
    ///
    /// # Errors
    /// Any other code; the message names column, row and value.
    pub fn genotype(name: impl Into<String>, codes: Contiguous<'a, u8>) -> Result<Self> {
        let name = name.into();
        if let Some(row) = codes.iter().position(|&code| code > MISSING_GENOTYPE) {
            return Err(DataError::new(
                "not a genotype",
                "genotypes are 0, 1 or 2 copies of an allele, or missing",
            )
            .at_row(row as u64 + 1)
            .in_column(name)
            .with_value(&codes[row].to_string())
            .into());
        }
        Ok(Self::of_genotypes(name, codes))
    }

    /// The column's name.
    pub fn name(&self) -> &str {
        self.name.as_str()
    }

    /// Renames the column.
    #[must_use]
    pub fn with_name(self, name: impl Into<String>) -> Self {
        Self { name: name.into().into(), ..self }
    }

    /// Renames the column to the name at a place of a list, whose text it shares.
    ///
    /// # Panics
    /// `place >= names.len()`.
    #[must_use]
    pub fn with_name_of(self, names: &Names, place: usize) -> Self {
        Self { name: names.shared(place), ..self }
    }

    /// Sets the position of the column in a genome.
    #[must_use]
    pub fn with_locus(self, locus: Locus) -> Self {
        Self { locus: Some(Arc::new(locus)), ..self }
    }

    /// The position of the column in a genome, if it is known.
    pub fn locus(&self) -> Option<&Locus> {
        self.locus.as_deref()
    }

    /// The column's values.
    pub fn values(&self) -> &Values<'a> {
        &self.values
    }

    /// The extent of the values of a numeric column; `None` for other kinds.
    pub(crate) fn extent(&self) -> Option<Extent> {
        self.extent
    }

    /// The extent of the values of rows that are not here, but count in the range of the column.
    pub(super) fn outside(&self) -> Option<&Extent> {
        self.outside.as_deref()
    }

    /// The column's kind.
    pub fn kind(&self) -> ColumnKind {
        match &self.values {
            Values::Numeric(_) => ColumnKind::Numeric,
            Values::Categorical(values) if values.is_ordered => ColumnKind::Ordinal,
            Values::Categorical(_) => ColumnKind::Categorical,
            Values::Genotype(_) => ColumnKind::Genotype,
        }
    }

    /// The categories of a column without an order; `None` for other kinds.
    pub(crate) fn categories(&self) -> Option<&Categories> {
        match &self.values {
            Values::Categorical(categories) => Some(categories).filter(|own| !own.is_ordered),
            _ => None,
        }
    }

    /// The smallest possible value and the width of the range, if the kind of the column determines them, not its
    /// values.
    pub(crate) fn declared_range(&self) -> Option<(f64, f64)> {
        match &self.values {
            Values::Genotype(_) => Some((0.0, 2.0)),
            Values::Categorical(own) if own.is_ordered => Some((0.0, own.steps().into())),
            _ => None,
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        match &self.values {
            Values::Numeric(values) => values.len(),
            Values::Categorical(values) => values.codes().len(),
            Values::Genotype(genotypes) => genotypes.len(),
        }
    }

    /// Whether the column is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of `row` as a number: the number itself, the category's code (its place in the order,
    /// from 0, for an ordinal column), or the number of copies of the allele; NaN if it is missing.
    ///
    /// # Panics
    /// `row >= len()`.
    pub fn value(&self, row: usize) -> f64 {
        match &self.values {
            Values::Numeric(values) => values.get(row),
            Values::Categorical(values) => code_value(values.codes()[row]),
            Values::Genotype(genotypes) => genotype_value(genotypes.get(row)),
        }
    }

    /// Replaces `out` by the [`value`](Self::value) of every row.
    pub fn copy_values(&self, out: &mut Vec<f64>) {
        out.clear();
        match &self.values {
            Values::Numeric(values) => values.append_to(out),
            Values::Categorical(values) => {
                out.extend(values.codes().iter().map(|&code| code_value(code)));
            }
            Values::Genotype(genotypes) => {
                out.extend(genotypes.to_bytes().iter().map(|&code| genotype_value(code)));
            }
        }
    }

    /// The number of missing values.
    pub fn missing(&self) -> usize {
        match &self.values {
            Values::Numeric(_) if self.extent.is_some_and(|extent| extent.complete) => 0,
            Values::Numeric(Numbers::Sparse(values)) => values.missing(),
            Values::Numeric(values) => {
                let mut numbers = Vec::with_capacity(values.len());
                values.append_to(&mut numbers);
                numbers.iter().filter(|number| number.is_nan()).count()
            }
            Values::Categorical(values) => {
                values.codes().iter().filter(|code| **code == MISSING_CODE).count()
            }
            Values::Genotype(genotypes) => genotypes.counts()[usize::from(MISSING_GENOTYPE)],
        }
    }

    /// Selects rows, in the order of the list.
    ///
    /// # Panics
    /// A row out of range.
    pub fn select_rows(&self, rows: &[usize]) -> Column<'static> {
        let values = match &self.values {
            Values::Numeric(Numbers::Codes(codes)) => Values::Numeric(Numbers::Codes(
                rows.iter().map(|&row| codes[row]).collect::<Vec<u8>>().into(),
            )),
            Values::Numeric(Numbers::Sparse(values)) => {
                let selection = RowSelection::new(values.len(), rows);
                return self.with_selected(values.select_rows(&selection));
            }
            Values::Numeric(values) => Values::Numeric(Numbers::Contiguous(
                rows.iter().map(|&row| values.get(row)).collect::<Vec<f64>>().into(),
            )),
            Values::Categorical(values) => Values::Categorical(Categories {
                codes: rows.iter().map(|&row| values.codes[row]).collect(),
                levels: values.levels.clone(),
                is_ordered: values.is_ordered,
            }),
            Values::Genotype(genotypes) => Values::Genotype(genotypes.select_rows(rows)),
        };
        let extent = match &values {
            Values::Numeric(values) => Some(values.extent()),
            _ => None,
        };
        self.with_values(values, extent)
    }

    /// The column with the values of other rows.
    fn with_values(&self, values: Values<'static>, extent: Option<Extent>) -> Column<'static> {
        let (name, locus) = (self.name.clone(), self.locus.clone());
        Column { name, values, extent, outside: None, locus }.with_outside(self.outside.clone())
    }

    /// As [`select_rows`](Self::select_rows), but the values of the other rows remain part of the range of a numeric column, also
    /// in selections from the result.
    pub(super) fn select_rows_on_scale(&self, rows: &[usize], others: &[usize]) -> Column<'static> {
        let outside = self.extent.and_then(|_| self.select_rows(others).extent);
        self.select_rows(rows).with_outside(outside.map(Box::new))
    }

    /// Adds the extent of rows that are not here.
    fn with_outside(self, outside: Option<Box<Extent>>) -> Self {
        let extent = self.extent.map(|own| match &outside {
            None => own,
            Some(all) => Extent { complete: own.complete, ..own.merged(**all) },
        });
        Self { extent, outside, ..self }
    }

    /// The column of a sparse matrix, if it is one.
    pub(crate) fn sparse(&self) -> Option<&SparseColumn> {
        match &self.values {
            Values::Numeric(Numbers::Sparse(values)) => Some(values),
            _ => None,
        }
    }

    /// Whether it is a column of a sparse matrix.
    pub fn is_sparse(&self) -> bool {
        self.sparse().is_some()
    }

    /// The column with the entries of other rows.
    pub(super) fn with_selected(&self, values: SparseColumn) -> Column<'static> {
        let extent = Some(values.extent());
        self.with_values(Values::Numeric(Numbers::Sparse(values)), extent)
    }
}

fn code_value(code: u32) -> f64 {
    if code == MISSING_CODE { f64::NAN } else { f64::from(code) }
}

/// The extent of genotype codes as numbers.
pub(super) fn extent_of_genotypes(codes: &[u8]) -> Extent {
    let seen = (0..).zip(genotypes_seen(codes)).filter(|(_, seen)| *seen);
    let values: Vec<f64> = seen.map(|(code, _)| genotype_value(code)).collect();
    Extent::new(&values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_values_are_counted_in_every_kind() {
        let numbers = |values: &[f64]| {
            Column::numeric("a", Numbers::Contiguous(values.to_vec().into())).unwrap()
        };
        let texts = Categories::from_texts([Some("u"), None, Some("v"), None]);
        let columns = [
            (numbers(&[0.5, 1.0]), 0),
            (numbers(&[f64::NAN, 1.0, f64::NAN]), 2),
            (Column::categorical("b", texts), 2),
            (Column::genotype("c", vec![0, MISSING_GENOTYPE, 2].into()).unwrap(), 1),
            (Column::genotype("d", vec![MISSING_GENOTYPE; 700].into()).unwrap(), 700),
            (Column::packed("e", PackedGenotypes::from_codes([3, 0, 3, 1, 3].into_iter())), 3),
        ];
        for (column, wanted) in columns {
            assert_eq!(column.missing(), wanted, "{}", column.name());
        }
    }
}
