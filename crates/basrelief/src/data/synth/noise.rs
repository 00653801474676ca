//! Noise columns for any table, generated or provided by the user.

use super::options::numbered;
use super::random::Random;
use crate::data::{Column, Table};
use crate::error::Result;
use crate::random::RandomStream;
use crate::run::Run;

/// Appends `count` columns of independent standard normal draws, `noise1`, `noise2`, … (Sun & Wu
/// 2008 add ten to each of their data sets).
///
/// The draws depend on the seed of the run, but not on the values of the table.
///
/// # Errors
/// The table already has a column with such a name; [`crate::Error::Cancelled`].
pub fn with_noise<'a>(table: Table<'a>, count: usize, run: &Run) -> Result<Table<'a>> {
    let rows = table.rows();
    let mut columns = table.into_columns();
    let mut random = Random::of_stream(run.seed(), RandomStream::NoiseColumns);
    for name in numbered("noise", count) {
        run.check()?;
        columns.push(Column::from_values(name, (0..rows).map(|_| random.normal()).collect())?);
    }
    Table::new(columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_columns_are_standard_normal_and_the_others_stay() {
        let values: Vec<f64> = (0..20_000).map(f64::from).collect();
        let table = Table::from_row_major(&values, 20_000, &["own"]).unwrap();
        let run = Run::new(Some(1)).unwrap();
        let table = with_noise(table, 2, &run).unwrap();
        assert_eq!(table.names(), ["own", "noise1", "noise2"]);
        assert_eq!(table.columns()[0].value(7), 7.0);
        for column in &table.columns()[1..] {
            let draws: Vec<f64> = (0..20_000).map(|row| column.value(row)).collect();
            let mean = draws.iter().sum::<f64>() / 20_000.0;
            let variance = draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / 20_000.0;
            assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.05, "{mean} {variance}");
        }
    }

    #[test]
    fn a_name_that_is_taken_is_refused() {
        let table = Table::from_row_major(&[1.0, 2.0], 2, &["noise1"]).unwrap();
        let error = with_noise(table, 1, &Run::new(Some(1)).unwrap()).unwrap_err();
        assert!(error.to_string().contains("column `noise1`"), "{error}");
    }
}
