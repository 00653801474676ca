//! Collects a column of a text file cell by cell.

use std::collections::HashMap;

use basrelief::DataError;
use basrelief::data::{
    Categories, ColumnKind, CompactNumbers, MISSING_CODE, RawColumn, RawValues, Reading,
    SHOWN_CELLS, almost_numbers, is_missing_number, is_missing_text,
};
use basrelief::error::{nearest_name, shorten};
use basrelief::wording::{setting, ways};

/// What is wanted of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Want {
    /// Numbers as long as every known cell is one, otherwise text.
    Infer,
    /// The exact texts.
    Text,
    /// Numbers; a text is an error.
    Numeric,
    /// 0, 1 or 2; anything else is an error.
    Genotype,
}

/// Why a cell was refused.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// Its bytes are no UTF-8.
    NotUtf8,
    /// Anything else, without the place.
    Because(DataError),
}

/// Texts as codes.
#[derive(Debug, Default)]
struct Texts {
    codes: Vec<u32>,
    levels: Vec<String>,
    index: HashMap<String, u32>,
    /// Lines and codes of the first cells that are neither numbers nor missing.
    odd: Vec<(u64, u32)>,
}

impl Texts {
    fn push(&mut self, text: &str, line: u64) {
        let code = match self.index.get(text) {
            Some(&code) => code,
            None => {
                let code = self.levels.len() as u32;
                self.levels.push(text.to_string());
                self.index.insert(text.to_string(), code);
                code
            }
        };
        self.codes.push(code);
        if self.odd.len() < SHOWN_CELLS && matches!(parse(text.as_bytes()), Parsed::Text) {
            self.odd.push((line, code));
        }
    }

    /// Cells that are numbers, and those that are neither numbers nor missing.
    fn count(&self) -> (usize, usize) {
        let mut counts = vec![0_usize; self.levels.len()];
        for &code in self.codes.iter().filter(|&&code| code != MISSING_CODE) {
            counts[code as usize] += 1;
        }
        let (mut numbers, mut others) = (0, 0);
        for (level, count) in self.levels.iter().zip(counts) {
            match parse(level.as_bytes()) {
                Parsed::Number(_) => numbers += count,
                Parsed::Text | Parsed::Infinite => others += count,
                Parsed::Missing | Parsed::MissingNumber => {}
            }
        }
        (numbers, others)
    }
}

#[derive(Debug)]
enum Cells {
    /// Only missing cells so far.
    Missing(usize),
    /// The same, some of them missing only if this is a column of numbers.
    MissingNumbers(usize),
    Numbers(CompactNumbers),
    // Boxed, so that the many columns of a wide table lie close together.
    Text(Box<Texts>),
    /// Levels that the file declares.
    Nominal(Box<Texts>),
    /// Numbers first, then a text: the texts of the numbers are gone and must be read again.
    Lost,
}

/// A column in the making.
#[derive(Debug)]
pub(crate) struct Collector {
    name: String,
    want: Want,
    /// Whether nobody says that the column is text.
    inferred: bool,
    cells: Cells,
}

impl Collector {
    pub(crate) fn new(name: String, want: Want) -> Self {
        let cells = match want {
            Want::Text => Cells::Text(Box::default()),
            _ => Cells::Missing(0),
        };
        Self { name, want, inferred: want == Want::Infer, cells }
    }

    /// A column whose levels the file declares; returns the level that stands twice, if any.
    pub(crate) fn nominal(name: String, levels: Vec<String>) -> Result<Self, String> {
        let mut index = HashMap::with_capacity(levels.len());
        for (code, level) in levels.iter().enumerate() {
            if index.insert(level.clone(), code as u32).is_some() {
                return Err(level.clone());
            }
        }
        let texts = Texts { levels, index, ..Texts::default() };
        let cells = Cells::Nominal(Box::new(texts));
        Ok(Self { name, want: Want::Text, inferred: false, cells })
    }

    /// Bytes that the values take.
    pub(crate) fn bytes(&self) -> usize {
        match &self.cells {
            Cells::Missing(_) | Cells::MissingNumbers(_) | Cells::Lost => 0,
            Cells::Numbers(values) => values.bytes(),
            Cells::Text(texts) | Cells::Nominal(texts) => {
                // Every level stands in the list and in the index.
                4 * texts.codes.len() + 100 * texts.levels.len()
            }
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Whether the column takes numbers only and this cell is none.
    pub(crate) fn is_no_number(&self, cell: &[u8]) -> bool {
        matches!(self.want, Want::Numeric | Want::Genotype) && matches!(parse(cell), Parsed::Text)
    }

    /// Whether the column must be read again, as text.
    pub(crate) fn is_lost(&self) -> bool {
        matches!(self.cells, Cells::Lost)
    }

    /// Makes the column ready to be read again.
    pub(crate) fn restart_as_text(&mut self) {
        self.want = Want::Text;
        self.cells = Cells::Text(Box::default());
    }

    /// Adds a missing cell.
    pub(crate) fn push_missing(&mut self) {
        match &mut self.cells {
            Cells::Missing(count) | Cells::MissingNumbers(count) => *count += 1,
            Cells::Numbers(values) => values.push(f64::NAN),
            Cells::Text(texts) | Cells::Nominal(texts) => texts.codes.push(MISSING_CODE),
            Cells::Lost => {}
        }
    }

    /// Adds the value that a sparse row leaves out: zero or the first declared level.
    pub(crate) fn push_zero(&mut self) -> Result<(), Refusal> {
        match &mut self.cells {
            Cells::Nominal(texts) if !texts.levels.is_empty() => {
                texts.codes.push(0);
                Ok(())
            }
            _ => self.push(b"0", 0).map(|_| ()),
        }
    }

    /// What is wrong with a column of numbers but for a few cells.
    pub(crate) fn almost_numbers(&self) -> Option<DataError> {
        let Cells::Text(texts) = &self.cells else { return None };
        if !self.inferred {
            return None;
        }
        let (numbers, others) = texts.count();
        if Reading::of(numbers, others) != Reading::AlmostNumbers {
            return None;
        }
        let shown = |&(line, code): &(u64, u32)| {
            (format!("line {line}"), shorten(&texts.levels[code as usize], 40))
        };
        let first: Vec<(String, String)> = texts.odd.iter().map(shown).collect();
        Some(almost_numbers(&self.name, &first, others, numbers + others))
    }

    /// Adds a cell without white space around it, of a record that begins in this line. Returns true
    /// when the column is text from this cell on and was none before.
    pub(crate) fn push(&mut self, cell: &[u8], line: u64) -> Result<bool, Refusal> {
        match &mut self.cells {
            Cells::Lost => Ok(false),
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
                // A declared level wins over the markers of missing values.
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
                        "a value that is not declared",
                        help,
                    )));
                }
                Ok(false)
            }
            Cells::Numbers(_) | Cells::Missing(_) | Cells::MissingNumbers(_) => match parse(cell) {
                Parsed::Missing => {
                    self.push_missing();
                    Ok(false)
                }
                Parsed::MissingNumber => {
                    if let Cells::Missing(count) = self.cells {
                        self.cells = Cells::MissingNumbers(count);
                    }
                    self.push_missing();
                    Ok(false)
                }
                Parsed::Number(value) => self.push_number(value).map(|()| false),
                Parsed::Infinite => Err(Refusal::Because(DataError::new(
                    "infinite value",
                    ways(&[
                        "replace it by a number",
                        "leave the cell empty if the value is unknown",
                        &format!(
                            "declare the column categorical if it is a text ({})",
                            setting("categorical", None)
                        ),
                    ]),
                ))),
                Parsed::Text => self.push_first_text(cell, line).map(|()| true),
            },
        }
    }

    fn push_number(&mut self, value: f64) -> Result<(), Refusal> {
        if self.want == Want::Genotype && value != 0.0 && value != 1.0 && value != 2.0 {
            return Err(Refusal::Because(DataError::new(
                "not a genotype",
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
            Want::Infer | Want::Text => {
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

    /// The column; columns without any known cell are numbers, all missing.
    pub(crate) fn finish(self) -> RawColumn {
        let mut declared = None;
        let values = match self.cells {
            Cells::Missing(count) | Cells::MissingNumbers(count) => {
                RawValues::Numbers(CompactNumbers::missing(count))
            }
            Cells::Numbers(values) => RawValues::Numbers(values),
            Cells::Text(texts) => RawValues::Text(categories(*texts)),
            Cells::Nominal(texts) => {
                declared = Some(ColumnKind::Categorical);
                RawValues::Text(categories(*texts))
            }
            Cells::Lost => RawValues::Text(categories(Texts::default())),
        };
        RawColumn { name: self.name, values, declared }
    }
}

fn categories(texts: Texts) -> Categories {
    // The codes are indices by construction, so that the fallback is never taken.
    Categories::new(texts.codes, texts.levels).unwrap_or_else(|_| Categories::from_texts([]))
}

enum Parsed {
    Missing,
    /// Missing in a column of numbers.
    MissingNumber,
    Number(f64),
    Infinite,
    Text,
}

fn parse(cell: &[u8]) -> Parsed {
    let Some(&first) = cell.first() else { return Parsed::Missing };
    if cell.len() == 1 && first.is_ascii_digit() {
        return Parsed::Number(f64::from(first - b'0'));
    }
    if let Some(value) = parse_plain(cell) {
        return Parsed::Number(value);
    }
    let Ok(text) = std::str::from_utf8(cell) else { return Parsed::Text };
    if is_missing_text(text) {
        return Parsed::Missing;
    }
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Parsed::Number(value),
        Ok(value) if value.is_infinite() => Parsed::Infinite,
        Ok(_) => Parsed::Missing,
        Err(_) if is_missing_number(text) => Parsed::MissingNumber,
        Err(_) => Parsed::Text,
    }
}

/// Plain decimals of at most 15 digits, without exponent: the commonest cells. Digits and power of
/// ten are then exact numbers, so that their quotient is the correctly rounded value, as
/// `str::parse` gives it.
fn parse_plain(cell: &[u8]) -> Option<f64> {
    const POWERS: [f64; 16] =
        [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
    let (negative, rest) = match cell {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, cell),
    };
    if rest.is_empty() || rest.len() > 16 {
        return None;
    }
    let (mut digits, mut count, mut point) = (0_u64, 0_usize, None);
    for &byte in rest {
        match byte {
            b'0'..=b'9' => {
                digits = digits * 10 + u64::from(byte - b'0');
                count += 1;
            }
            b'.' if point.is_none() => point = Some(count),
            _ => return None,
        }
    }
    if count == 0 || count > 15 {
        return None;
    }
    let value = digits as f64 / POWERS[count - point.unwrap_or(count)];
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn plain_numbers_are_those_of_the_standard_library(text in "[+-]?[0-9]{0,17}[.]?[0-9]{0,17}") {
            if let Some(value) = parse_plain(text.as_bytes()) {
                prop_assert_eq!(text.parse::<f64>().map(f64::to_bits), Ok(value.to_bits()));
            }
        }
    }

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
