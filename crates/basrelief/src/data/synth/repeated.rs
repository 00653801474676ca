//! Repeated rows of subjects, to try methods on rows that are not independent.

use super::Generated;
use super::random::Random;
use crate::data::{Categories, Column, ColumnKind, Table};
use crate::error::Result;
use crate::random::RandomStream;

/// The noise of a repeated number, as a fraction of the range of its column.
const NOISE: f64 = 0.05;

/// Repeats every row of generated data: `times` rows in a row of the same subject, with the same target. Numbers get
/// uniform noise of at most 5 % of their range; other values are the same. Returns the data, and a column `subject`,
/// which is not a feature.
///
/// # Errors
/// None for valid data.
pub fn repeated(data: Generated, times: usize, seed: u64) -> Result<(Generated, Column<'static>)> {
    let subjects = data.table.rows();
    let rows: Vec<usize> = (0..subjects).flat_map(|row| std::iter::repeat_n(row, times)).collect();
    let mut noise = Random::of_stream(seed, RandomStream::RepeatedRows);
    let columns = data.table.columns().iter().map(|column| {
        let mut own = column.select_rows(&rows);
        if column.kind() == ColumnKind::Numeric {
            let mut values: Vec<f64> = Vec::new();
            own.copy_values(&mut values);
            let known = || values.iter().copied().filter(|value| !value.is_nan());
            let range = known().fold(f64::MIN, f64::max) - known().fold(f64::MAX, f64::min);
            for value in &mut values {
                *value += NOISE * range.max(0.0) * (2.0 * noise.uniform() - 1.0);
            }
            own = Column::from_values(column.name(), values)?;
        }
        Ok(own)
    });
    let table = Table::new(columns.collect::<Result<_>>()?)?;
    let target = data.target.select_rows(&rows)?;
    let names: Vec<String> = (0..subjects).map(|subject| format!("s{}", subject + 1)).collect();
    let codes = rows.iter().map(|&row| row as u32).collect();
    let subject = Column::categorical("subject", Categories::new(codes, names)?);
    let families = rows.iter().filter_map(|&row| data.families.get(row).copied()).collect();
    Ok((Generated { table, target, families, parents: Vec::new(), ..data }, subject))
}
