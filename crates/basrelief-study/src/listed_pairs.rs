//! Files that list pairs of names: blocks and their columns, labels and their parents.

use std::path::Path;

use basrelief::data::{Categories, ColumnKind, KindOverrides, RawTable, RawValues};
use basrelief::wording::quoted;
use basrelief::{DataError, Error, Result, Run};
use basrelief_io::{ReadOptions, read_table};

use crate::text::cut;

/// A file of pairs: what it lists, and the names of its two columns.
pub(crate) struct ListedPairs {
    /// The list, for messages: `the file of blocks`.
    pub(crate) what: &'static str,
    /// The names of the columns.
    pub(crate) columns: [&'static str; 2],
}

/// The texts of a row; `None` where a cell is missing.
pub(crate) type Pair = (Option<String>, Option<String>);

impl ListedPairs {
    /// Reads the pairs of all rows. Names that look like numbers keep their spelling.
    ///
    /// # Errors
    /// The file cannot be read, or does not have both columns; the message names the file.
    pub(crate) fn read(&self, file: &Path, run: &Run) -> Result<Vec<Pair>> {
        let kinds =
            KindOverrides { all: Some(ColumnKind::Categorical), ..KindOverrides::default() };
        let options = ReadOptions { kinds, ..ReadOptions::default() };
        let table = read_table(file, &options, run)?;
        let texts = self.columns.map(|name| self.column(&table, name));
        let [first, second] = texts.map(|found| found.map_err(|error| error.in_file(file)));
        let (first, second) = (first?, second?);
        let text = |texts: &Categories, row: usize| -> Option<String> {
            texts.levels().get(texts.codes()[row] as usize).map(|text| text.trim().to_string())
        };
        let rows = 0..first.codes().len();
        Ok(rows.map(|row| (text(first, row), text(second, row))).collect())
    }

    /// The error of a row in which a cell is missing.
    pub(crate) fn missing(&self, row: usize, column: usize, file: &Path) -> Error {
        let [first, second] = self.columns;
        let help = format!("write a {first} and a {second} in every row, or remove the row");
        let name = self.columns[column];
        let error = DataError::new(format!("the {name} is missing"), help);
        Error::from(error.at_row(row as u64 + 1).in_column(name).in_file(file))
    }

    fn column<'t>(&self, table: &'t RawTable, wanted: &str) -> Result<&'t Categories> {
        let [first, second] = self.columns;
        let found = table.columns.iter().find(|column| column.name == wanted);
        match found.map(|column| &column.values) {
            Some(RawValues::Text(texts)) => Ok(texts),
            Some(RawValues::Numbers(_)) => {
                let help = format!("write the {first} and the {second} as texts");
                Err(DataError::new("the column contains numbers", help).in_column(wanted).into())
            }
            None => {
                let names: Vec<&str> = table.columns.iter().map(|own| own.name.as_str()).collect();
                let names = cut(&names.join(", "), 60);
                let problem = format!(
                    "{} has no column {} (its columns: {names})",
                    self.what,
                    quoted(wanted)
                );
                let help = format!("write a table with the columns `{first}` and `{second}`");
                Err(DataError::new(problem, help).into())
            }
        }
    }
}
