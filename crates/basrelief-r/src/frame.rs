//! Data frames of R as tables whose kinds of columns are not determined yet, as those of files.

use basrelief::data::{Categories, ColumnKind, MISSING_CODE, RawColumn, RawTable, RawValues};
use basrelief::{DataError, Result};

/// A column of a data frame.
#[derive(Debug)]
pub struct FrameColumn<'a> {
    /// The name of the column.
    pub name: &'a str,
    /// Its values.
    pub values: FrameValues<'a>,
}

/// The values of a column.
#[derive(Debug)]
pub enum FrameValues<'a> {
    /// Numbers; NaN is missing.
    Numbers(&'a [f64]),
    /// The levels of a factor or the distinct texts, and for every row the number of its level, from 1; `NA` is missing.
    Levels {
        /// The number of the level of every row.
        codes: &'a [i32],
        /// The levels.
        levels: Vec<String>,
        /// Where the levels come from.
        kind: LevelKind,
    },
}

/// The type of a column with levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LevelKind {
    /// Texts, whose kind is inferred.
    Texts,
    /// A factor: categories.
    Factor,
    /// An ordered factor: its levels in ascending order.
    Ordered,
}

impl FrameColumn<'_> {
    fn raw(&self) -> Result<RawColumn> {
        Ok(match &self.values {
            FrameValues::Numbers(numbers) => {
                if let Some(row) = numbers.iter().position(|number| number.is_infinite()) {
                    let error = DataError::new(
                        "it is infinite",
                        "replace it by a number, or by NA if it is unknown",
                    );
                    let error = error.at_row(row as u64 + 1).in_column(self.name);
                    return Err(error.with_value(&numbers[row].to_string()).into());
                }
                RawColumn::new(
                    self.name,
                    RawValues::Numbers(numbers.iter().copied().collect()),
                    None,
                )
            }
            FrameValues::Levels { codes, levels, kind } => {
                let code = |&code: &i32| u32::try_from(i64::from(code) - 1).unwrap_or(MISSING_CODE);
                let codes = codes.iter().map(code).collect();
                let categories = Categories::new(codes, levels.clone())?;
                let declared = (*kind != LevelKind::Texts).then_some(ColumnKind::Categorical);
                let column = RawColumn::new(self.name, RawValues::Text(categories), declared);
                match kind {
                    LevelKind::Ordered => column.in_order(levels)?,
                    LevelKind::Texts | LevelKind::Factor => column,
                }
            }
        })
    }
}

/// The table of a data frame.
///
/// # Errors
/// An infinite number; a level that occurs twice.
pub fn raw_table(columns: &[FrameColumn<'_>]) -> Result<RawTable> {
    let columns = columns.iter().map(FrameColumn::raw).collect::<Result<_>>()?;
    Ok(RawTable { columns, ..RawTable::default() })
}
