//! Collects a column of a text file cell by cell.

use std::collections::HashMap;

use basrelief::DataError;
use basrelief::data::{
    Categories, Cell, ColumnKind, CompactNumbers, MISSING_CODE, RawColumn, RawValues, inexact,
    is_missing_text,
};
use basrelief::error::{nearest_name, shorten};
use basrelief::wording::{quoted, setting, ways};

use crate::row_keys::RowKeys;

/// The requested interpretation of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Want {
    /// Numbers if every non-missing cell is a number, otherwise texts.
    Infer,
    /// The exact texts.
    Text,
    /// Numbers; a text is an error.
    Numeric,
    /// 0, 1 or 2; anything else is an error.
    Genotype,
    /// Only which cells are equal, for a column that is excluded from the features.
    Keys,
}

/// The reason why a cell was refused.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The bytes are not valid UTF-8.
    NotUtf8,
    /// Any other reason; the error has no location yet.
    Because(DataError),
}

/// Texts, stored as codes of levels.
#[derive(Debug, Default)]
struct Texts {
    codes: Vec<u32>,
    levels: Vec<String>,
    index: HashMap<String, u32>,
    /// The line of the first occurrence of each level.
    lines: Vec<u64>,
}

impl Texts {
    fn push(&mut self, text: &str, line: u64) {
        let code = match self.index.get(text) {
            Some(&code) => code,
            None => {
                let code = self.levels.len() as u32;
                self.levels.push(text.to_string());
                self.index.insert(text.to_string(), code);
                self.lines.push(line);
                code
            }
        };
        self.codes.push(code);
    }
}

#[derive(Debug)]
enum Cells {
    /// Only missing cells so far.
    Missing(usize),
    /// Only missing cells so far, some of which are missing only in a column of numbers.
    MissingNumbers(usize),
    Numbers(CompactNumbers),
    // Boxed to keep the columns of a wide table close together in memory.
    Text(Box<Texts>),
    /// Levels that the file declares.
    Nominal(Box<Texts>),
    Keys(Box<RowKeys>),
    /// Numbers followed by a text: the texts of the numbers were not stored, so the column must be read again.
    Lost,
}

/// Builds a column cell by cell.
#[derive(Debug)]
pub(crate) struct Collector {
    name: String,
    want: Want,
    cells: Cells,
}

impl Collector {
    pub(crate) fn new(name: String, want: Want) -> Self {
        let cells = match want {
            Want::Text => Cells::Text(Box::default()),
            Want::Keys => Cells::Keys(Box::default()),
            _ => Cells::Missing(0),
        };
        Self { name, want, cells }
    }

    /// Creates a column whose levels are declared in the file.
    ///
    /// # Errors
    /// A level occurs twice; the error is the level.
    pub(crate) fn nominal(name: String, levels: Vec<String>) -> Result<Self, String> {
        let mut index = HashMap::with_capacity(levels.len());
        for (code, level) in levels.iter().enumerate() {
            if index.insert(level.clone(), code as u32).is_some() {
                return Err(level.clone());
            }
        }
        let texts = Texts { levels, index, ..Texts::default() };
        let cells = Cells::Nominal(Box::new(texts));
        Ok(Self { name, want: Want::Text, cells })
    }

    /// The memory of the values in bytes.
    pub(crate) fn bytes(&self) -> usize {
        match &self.cells {
            Cells::Missing(_) | Cells::MissingNumbers(_) | Cells::Lost => 0,
            Cells::Numbers(values) => values.bytes(),
            Cells::Keys(keys) => keys.bytes(),
            Cells::Text(texts) | Cells::Nominal(texts) => {
                // Every level is stored in the list and in the index.
                4 * texts.codes.len() + 100 * texts.levels.len()
            }
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Whether the column accepts only numbers and this cell is not a number.
    pub(crate) fn is_no_number(&self, cell: &[u8]) -> bool {
        matches!(self.want, Want::Numeric | Want::Genotype) && Cell::read(cell) == Cell::Text
    }

    /// Whether the column contains texts: declared levels, or any.
    pub(crate) fn is_text(&self) -> bool {
        matches!(self.cells, Cells::Text(_) | Cells::Nominal(_))
    }

    /// Whether the column must be read again, as text.
    pub(crate) fn is_lost(&self) -> bool {
        matches!(self.cells, Cells::Lost)
    }

    /// Prepares the column to be read again as text.
    pub(crate) fn restart_as_text(&mut self) {
        self.want = Want::Text;
        self.cells = Cells::Text(Box::default());
    }

    /// Adds a missing cell.
    pub(crate) fn push_missing(&mut self) {
        match &mut self.cells {
            Cells::Missing(count) | Cells::MissingNumbers(count) => *count += 1,
            Cells::Numbers(values) => values.push(f64::NAN),
            Cells::Keys(keys) => keys.push_missing(),
            Cells::Text(texts) | Cells::Nominal(texts) => texts.codes.push(MISSING_CODE),
            Cells::Lost => {}
        }
    }

    /// Adds the value that is omitted in a sparse row: zero, or the first declared level.
    pub(crate) fn push_zero(&mut self) -> Result<(), Refusal> {
        match &mut self.cells {
            Cells::Nominal(texts) if !texts.levels.is_empty() => {
                texts.codes.push(0);
                Ok(())
            }
            _ => self.push(b"0", 0).map(|_| ()),
        }
    }

    /// Adds a cell, which has no white space around it. `line` is the line on which its record begins. Returns whether
    /// this cell turned the column into text.
    pub(crate) fn push(&mut self, cell: &[u8], line: u64) -> Result<bool, Refusal> {
        match &mut self.cells {
            Cells::Lost => Ok(false),
            Cells::Keys(keys) => {
                keys.push(cell);
                Ok(false)
            }
            Cells::Text(texts) => {
                let text = std::str::from_utf8(cell).map_err(|_| Refusal::NotUtf8)?;
                if is_missing_text(text) {
                    texts.codes.push(MISSING_CODE);
                } else {
                    texts.push(text, line);
                }
                Ok(false)
            }
            Cells::Nominal(texts) => {
                let text = std::str::from_utf8(cell).map_err(|_| Refusal::NotUtf8)?;
                // A declared level takes precedence over the markers of missing values.
                if let Some(&code) = texts.index.get(text) {
                    texts.codes.push(code);
                } else if is_missing_text(text) {
                    texts.codes.push(MISSING_CODE);
                } else {
                    let help = match nearest_name(text, texts.levels.iter().map(String::as_str)) {
                        Some(near) => {
                            format!("did you mean `{near}`? Otherwise add it to the declaration")
                        }
                        None => "add it to the declaration, or correct the cell".to_string(),
                    };
                    return Err(Refusal::Because(DataError::new(
                        "the value is not declared",
                        help,
                    )));
                }
                Ok(false)
            }
            Cells::Numbers(_) | Cells::Missing(_) | Cells::MissingNumbers(_) => {
                match Cell::read(cell) {
                    Cell::Missing => {
                        self.push_missing();
                        Ok(false)
                    }
                    Cell::MissingNumber => {
                        if let Cells::Missing(count) = self.cells {
                            self.cells = Cells::MissingNumbers(count);
                        }
                        self.push_missing();
                        Ok(false)
                    }
                    Cell::Number(value) => self.push_number(value).map(|()| false),
                    // The other cells decide whether it is a number or a text.
                    Cell::Infinite if self.want == Want::Infer => {
                        self.push_first_text(cell, line).map(|()| true)
                    }
                    Cell::Infinite => Err(Refusal::Because(DataError::new(
                        "infinite value",
                        ways(&[
                            "replace it with a number",
                            "leave the cell empty if the value is unknown",
                            &format!(
                                "declare the column categorical if it is a text ({})",
                                setting("categorical", None)
                            ),
                        ]),
                    ))),
                    Cell::Inexact | Cell::Text => self.push_first_text(cell, line).map(|()| true),
                }
            }
        }
    }

    fn push_number(&mut self, value: f64) -> Result<(), Refusal> {
        if self.want == Want::Genotype && value != 0.0 && value != 1.0 && value != 2.0 {
            return Err(Refusal::Because(DataError::new(
                "the value is not a genotype",
                "genotypes are 0, 1 or 2 copies of an allele, or missing; declare the column \
                 numeric or categorical if it is something else",
            )));
        }
        match &mut self.cells {
            Cells::Numbers(values) => values.push(value),
            Cells::Missing(count) | Cells::MissingNumbers(count) => {
                let mut values = CompactNumbers::missing(*count);
                values.push(value);
                self.cells = Cells::Numbers(values);
            }
            _ => {}
        }
        Ok(())
    }

    fn push_first_text(&mut self, cell: &[u8], line: u64) -> Result<(), Refusal> {
        let text = std::str::from_utf8(cell).map_err(|_| Refusal::NotUtf8)?;
        let kind = match self.want {
            Want::Numeric => ColumnKind::Numeric,
            Want::Genotype => ColumnKind::Genotype,
            Want::Infer | Want::Text | Want::Keys => {
                self.cells = match self.cells {
                    Cells::Missing(count) => {
                        let mut texts =
                            Texts { codes: vec![MISSING_CODE; count], ..Texts::default() };
                        texts.push(text, line);
                        Cells::Text(Box::new(texts))
                    }
                    _ => Cells::Lost,
                };
                return Ok(());
            }
        };
        if Cell::read(cell) == Cell::Inexact {
            return Err(Refusal::Because(inexact(&quoted(&shorten(text, 40)), &self.name)));
        }
        Err(Refusal::Because(DataError::new(
            format!("text in a column declared {}", kind.name()),
            ways(&[
                "correct the cell",
                "leave it empty if the value is unknown",
                &format!("use {} or {}", setting("na", None), setting("coerce", None)),
                &format!("declare the column categorical ({})", setting("categorical", None)),
            ]),
        )))
    }

    /// Returns the column. A column with only missing cells is a column of missing numbers.
    pub(crate) fn finish(self) -> RawColumn {
        let mut declared = None;
        let mut lines = Vec::new();
        let values = match self.cells {
            Cells::Missing(count) | Cells::MissingNumbers(count) => {
                RawValues::Numbers(CompactNumbers::missing(count))
            }
            Cells::Numbers(values) => RawValues::Numbers(values),
            Cells::Keys(keys) => keys.finish(),
            Cells::Text(mut texts) => {
                lines = std::mem::take(&mut texts.lines);
                // Only a quoted text of ARFF has white space around it, which is part of the text.
                if texts.levels.iter().any(|level| level.trim() != level) {
                    declared = Some(ColumnKind::Categorical);
                }
                RawValues::Text(categories(*texts))
            }
            Cells::Nominal(texts) => {
                declared = Some(ColumnKind::Categorical);
                RawValues::Text(categories(*texts))
            }
            Cells::Lost => RawValues::Text(categories(Texts::default())),
        };
        RawColumn { name: self.name, values, declared, lines }
    }
}

fn categories(texts: Texts) -> Categories {
    // The codes are valid indices by construction, so the fallback is never used.
    Categories::new(texts.codes, texts.levels).unwrap_or_else(|_| Categories::from_texts([]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collect(want: Want, cells: &[&str]) -> RawColumn {
        let mut column = Collector::new("x".to_string(), want);
        for cell in cells {
            column.push(cell.as_bytes(), 1).unwrap();
        }
        assert!(!column.is_lost());
        column.finish()
    }

    #[test]
    fn numbers_and_texts_are_told_apart() {
        let RawValues::Numbers(values) = collect(Want::Infer, &["?", "1", "-2.5e3", "NA"]).values
        else {
            panic!("numbers expected")
        };
        let values: Vec<f64> = values.iter().collect();
        assert!(values[0].is_nan() && values[3].is_nan());
        assert_eq!(values[1..3], [1.0, -2500.0]);

        let RawValues::Text(values) = collect(Want::Infer, &["", "high", "1.0"]).values else {
            panic!("text expected")
        };
        assert_eq!(values.levels(), ["high", "1.0"]);
        assert_eq!(values.codes(), [MISSING_CODE, 0, 1]);

        // A dash is missing among numbers only.
        let RawValues::Numbers(values) = collect(Want::Infer, &["-", "n/a", "1", "--"]).values
        else {
            panic!("numbers expected")
        };
        assert_eq!(values.iter().filter(|value| value.is_nan()).count(), 3);
        let mut column = Collector::new("x".to_string(), Want::Infer);
        column.push(b"-", 2).unwrap();
        assert!(column.push(b"+", 3).unwrap() && column.is_lost());
    }

    #[test]
    fn a_text_after_numbers_asks_for_a_second_reading() {
        let mut column = Collector::new("x".to_string(), Want::Infer);
        assert!(!column.push(b"1.0", 2).unwrap());
        assert!(column.push(b"high", 3).unwrap());
        assert!(column.is_lost());
        column.restart_as_text();
        column.push(b"1.0", 2).unwrap();
        let RawValues::Text(values) = column.finish().values else { panic!("text expected") };
        assert_eq!(values.levels(), ["1.0"]);
    }
}
