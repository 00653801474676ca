//! Arrow tables. This is the only file that depends on Arrow arrays.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, Float64Array, RecordBatch, StringArray, UInt8Array};
use basrelief::data::{
    Categories, ColumnKind, CompactNumbers, MISSING_CODE, MISSING_GENOTYPE, RawColumn, RawTable,
    RawValues, Table, Values, exact_number, inexact, is_missing_text,
};
use basrelief::{DataError, Error, Result, Run};

use crate::options::finish_names;
use crate::row_keys::RowKeys;

pub(crate) const DAMAGED: &str = "the file is damaged or truncated: write it again";

/// Converts record batches to columns, by the same rules as Parquet files: numbers, booleans, strings and dictionaries
/// of strings, with nulls for missing values. [`basrelief::data::build_problem_parts`] decides their kinds.
///
/// ```
/// use std::sync::Arc;
///
/// use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
/// use basrelief::data::{KindOverrides, TargetKind, build_problem_parts};
///
/// let width: ArrayRef = Arc::new(Float64Array::from(vec![Some(1.0), None, Some(9.0)]));
/// let kind: ArrayRef = Arc::new(StringArray::from(vec!["a", "a", "b"]));
/// let batch = RecordBatch::try_from_iter([("width", width), ("kind", kind)])?;
/// let raw = basrelief_io::from_record_batches(&[batch])?;
/// assert_eq!(raw.columns.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The batches have no columns or no rows; batches have different columns; a type is not a number, boolean or string; a
/// number is infinite; a whole number would be rounded.
pub fn from_record_batches(batches: &[RecordBatch]) -> Result<RawTable> {
    let Some(first) = batches.first().filter(|batch| batch.num_columns() > 0) else {
        return Err(Error::data("the batches have no columns", "give batches with at least one"));
    };
    let mut names: Vec<String> =
        first.schema().fields().iter().map(|field| field.name().clone()).collect();
    finish_names(&mut names)?;
    let mut columns: Vec<Column> = names.iter().map(|_| Column::Unknown).collect();
    let mut rows = 0;
    for batch in batches {
        if batch.schema().fields() != first.schema().fields() {
            return Err(Error::data("batches have different columns", "give batches of one table"));
        }
        for ((column, array), name) in columns.iter_mut().zip(batch.columns()).zip(&names) {
            column.append(array, name, rows).map_err(|error| error.in_column(name))?;
        }
        rows += batch.num_rows();
    }
    if rows == 0 {
        return Err(Error::data("the batches have no rows", "give at least one"));
    }
    let finished = columns.into_iter().zip(names).map(|(column, name)| column.finish(name, rows));
    let finished: std::result::Result<Vec<RawColumn>, DataError> = finished.collect();
    Ok(RawTable { columns: finished?, ..RawTable::default() })
}

/// Converts a table to one batch: numbers as f64, categories and levels as strings, genotypes as bytes, missing values
/// as null.
///
/// # Errors
/// [`Error::Cancelled`].
pub fn to_record_batch(table: &Table<'_>, run: &Run) -> Result<RecordBatch> {
    let mut arrays: Vec<(&str, ArrayRef, bool)> = Vec::with_capacity(table.width());
    for column in table.columns() {
        run.check()?;
        let array: ArrayRef = match column.values() {
            Values::Numeric(values) => {
                let known = |row| Some(values.get(row)).filter(|value| !value.is_nan());
                Arc::new((0..table.rows()).map(known).collect::<Float64Array>())
            }
            Values::Categorical(values) => {
                let text = |&code: &u32| values.levels().get(code as usize).map(String::as_str);
                Arc::new(values.codes().iter().map(text).collect::<StringArray>())
            }
            Values::Genotype(genotypes) => {
                let known = |code: u8| Some(code).filter(|&code| code != MISSING_GENOTYPE);
                Arc::new(genotypes.iter().map(known).collect::<UInt8Array>())
            }
        };
        arrays.push((column.name(), array, true));
    }
    RecordBatch::try_from_iter_with_nullable(arrays)
        .map_err(|cause| Error::Internal(format!("the table is not a valid Arrow table: {cause}")))
}

/// A column to which batches are appended.
pub(crate) enum Column {
    Unknown,
    Numbers(CompactNumbers),
    Text { texts: Texts, declared: bool },
    Keys(RowKeys),
}

#[derive(Default)]
pub(crate) struct Texts {
    codes: Vec<u32>,
    levels: Vec<String>,
    index: std::collections::HashMap<String, u32>,
}

impl Texts {
    /// Returns the code of a text. Texts such as `NA` are missing unless the column is a dictionary.
    fn code(&mut self, text: &str, declared: bool) -> u32 {
        if !declared && is_missing_text(text.trim()) {
            return MISSING_CODE;
        }
        if let Some(&code) = self.index.get(text) {
            return code;
        }
        let code = self.levels.len() as u32;
        self.levels.push(text.to_string());
        self.index.insert(text.to_string(), code);
        code
    }
}

type Appended = std::result::Result<(), DataError>;

impl Column {
    /// Appends the values of an array; `row` is the number of rows before it.
    pub(crate) fn append(&mut self, array: &ArrayRef, name: &str, row: usize) -> Appended {
        if let Some(values) = array.as_any_dictionary_opt() {
            let keys = if values.values().is_empty() {
                vec![0; array.len()]
            } else {
                values.normalized_keys()
            };
            let texts = texts_of(values.values()).ok_or_else(|| unsupported(array))?;
            return self.append_texts(
                true,
                (0..array.len())
                    .map(|at| if array.is_null(at) { None } else { *texts.get(keys[at])? }),
            );
        }
        if let Some(values) = array.as_boolean_opt() {
            // The names of the values in Python and Spark.
            let name = |value: bool| if value { "True" } else { "False" };
            return self.append_texts(true, values.iter().map(|value| value.map(name)));
        }
        if let Some(texts) = texts_of(array) {
            return self.append_texts(false, texts.into_iter());
        }
        if array.null_count() == array.len() && array.data_type().to_string() == "Null" {
            return self.append_numbers(std::iter::repeat_n(f64::NAN, array.len()), row);
        }
        let whole = |value: i128, at: usize| {
            let cell = || format!("`{value}` (row {})", row + at + 1);
            exact_number(value).ok_or_else(|| inexact(&cell(), name))
        };
        let numbers = numbers_of(array, &whole).ok_or_else(|| unsupported(array))??;
        self.append_numbers(numbers.into_iter(), row)
    }

    /// Appends keys that tell which values of an array are equal. Values of a type that cannot be compared are missing.
    pub(crate) fn append_keys(&mut self, array: &ArrayRef) -> Appended {
        if let Column::Unknown = self {
            *self = Column::Keys(RowKeys::default());
        }
        let Column::Keys(keys) = self else { return Err(changed()) };
        let mut push = |texts: Option<Vec<Option<&str>>>, place: &dyn Fn(usize) -> usize| {
            for row in 0..array.len() {
                let text = texts.as_ref().and_then(|texts| *texts.get(place(row))?);
                match text.filter(|_| !array.is_null(row)) {
                    Some(text) => keys.push(text.as_bytes()),
                    None => keys.push_missing(),
                }
            }
        };
        if let Some(values) = array.as_any_dictionary_opt() {
            let places = match values.values().is_empty() {
                true => vec![0; array.len()],
                false => values.normalized_keys(),
            };
            push(texts_of(values.values()), &|row| places[row]);
        } else if let Some(numbers) = numbers_of(array, &|value, _| Ok(value as f64)) {
            for number in numbers? {
                match number.is_nan() {
                    true => keys.push_missing(),
                    false => keys.push(&(number + 0.0).to_le_bytes()),
                }
            }
        } else {
            push(texts_of(array), &|row| row);
        }
        Ok(())
    }

    pub(crate) fn append_numbers(
        &mut self,
        values: impl Iterator<Item = f64>,
        row: usize,
    ) -> Appended {
        if let Column::Unknown = self {
            *self = Column::Numbers(CompactNumbers::default());
        }
        let Column::Numbers(numbers) = self else { return Err(changed()) };
        for (at, value) in values.enumerate() {
            if value.is_infinite() {
                return Err(DataError::new(
                    "infinite value",
                    "replace it with a number, or with null if it is unknown",
                )
                .at_row((row + at) as u64 + 1)
                .with_value(&value.to_string()));
            }
            numbers.push(value);
        }
        Ok(())
    }

    fn append_texts<'t>(
        &mut self,
        categories: bool,
        values: impl Iterator<Item = Option<&'t str>>,
    ) -> Appended {
        if let Column::Unknown = self {
            *self = Column::Text { texts: Texts::default(), declared: categories };
        }
        let Column::Text { texts, .. } = self else { return Err(changed()) };
        for value in values {
            let code = value.map_or(MISSING_CODE, |text| texts.code(text, categories));
            texts.codes.push(code);
        }
        Ok(())
    }

    pub(crate) fn finish(
        self,
        name: String,
        rows: usize,
    ) -> std::result::Result<RawColumn, DataError> {
        let (values, declared) = match self {
            Column::Unknown => (RawValues::Numbers(CompactNumbers::missing(rows)), None),
            Column::Numbers(values) => (RawValues::Numbers(values), None),
            Column::Keys(keys) => (keys.finish(), None),
            Column::Text { texts, declared } => {
                let categories = Categories::new(texts.codes, texts.levels)
                    .map_err(|cause| DataError::new(cause.to_string(), DAMAGED))?;
                (RawValues::Text(categories), declared.then_some(ColumnKind::Categorical))
            }
        };
        Ok(RawColumn::new(name, values, declared))
    }
}

fn unsupported(array: &ArrayRef) -> DataError {
    DataError::new(
        format!("columns of type {} are not supported", array.data_type()),
        "write it as numbers, booleans or strings (one column per part of a nested value), or \
         exclude it",
    )
}

fn changed() -> DataError {
    DataError::new("the column changes its type", DAMAGED)
}

fn texts_of(array: &ArrayRef) -> Option<Vec<Option<&str>>> {
    if let Some(texts) = array.as_string_opt::<i32>() {
        Some(texts.iter().collect())
    } else if let Some(texts) = array.as_string_opt::<i64>() {
        Some(texts.iter().collect())
    } else {
        array.as_string_view_opt().map(|texts| texts.iter().collect())
    }
}

/// Converts a whole number of an array to a number of a column; the second argument is its row in the array.
type FromWhole<'f> = &'f dyn Fn(i128, usize) -> std::result::Result<f64, DataError>;

/// Returns the numbers of an array; `None` if it does not contain numbers.
///
/// # Errors
/// The errors of `whole`, which converts integers of 64 bits and more.
fn numbers_of(
    array: &ArrayRef,
    whole: FromWhole<'_>,
) -> Option<std::result::Result<Vec<f64>, DataError>> {
    fn of<T: ArrowPrimitiveType>(
        array: &ArrayRef,
        convert: impl Fn(T::Native, usize) -> std::result::Result<f64, DataError>,
    ) -> Option<std::result::Result<Vec<f64>, DataError>> {
        let values = array.as_primitive_opt::<T>()?;
        let number = |(at, value): (usize, Option<T::Native>)| match value {
            Some(value) => convert(value, at),
            None => Ok(f64::NAN),
        };
        Some(values.iter().enumerate().map(number).collect())
    }
    let decimal = || {
        let scale = array.as_primitive_opt::<Decimal128Type>()?.scale();
        of::<Decimal128Type>(array, |value, at| match scale {
            0 => whole(value, at),
            _ => Ok(value as f64 / 10_f64.powi(i32::from(scale))),
        })
    };
    of::<Float64Type>(array, |value, _| Ok(value))
        .or_else(|| of::<Float32Type>(array, |value, _| Ok(value.into())))
        .or_else(|| of::<Int64Type>(array, |value, at| whole(value.into(), at)))
        .or_else(|| of::<Int32Type>(array, |value, _| Ok(value.into())))
        .or_else(|| of::<Int16Type>(array, |value, _| Ok(value.into())))
        .or_else(|| of::<Int8Type>(array, |value, _| Ok(value.into())))
        .or_else(|| of::<UInt64Type>(array, |value, at| whole(value.into(), at)))
        .or_else(|| of::<UInt32Type>(array, |value, _| Ok(value.into())))
        .or_else(|| of::<UInt16Type>(array, |value, _| Ok(value.into())))
        .or_else(|| of::<UInt8Type>(array, |value, _| Ok(value.into())))
        .or_else(decimal)
}
