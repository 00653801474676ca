//! Apache Parquet. This is the only file that depends on the crate `parquet`.

use std::cell::Cell;
use std::collections::HashSet;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_array::{Array, RecordBatchReader};
use basrelief::data::{RawColumn, Table};
use basrelief::{DataError, Error, Result, Run};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::arrow::{ArrowWriter, ProjectionMask};

use crate::arrow::{Column, DAMAGED, to_record_batch};
use crate::options::{ReadOptions, finish_names};
use crate::source::Source;

/// The number of rows decoded at a time, which is limited because batches of wide files are large.
const BATCH_ROWS: usize = 4096;

thread_local! {
    static DECODING: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is inside the decoder, whose panics become errors.
pub(crate) fn is_decoding() -> bool {
    DECODING.get()
}

pub(crate) fn read(source: &Source<'_>, options: &ReadOptions) -> Result<Vec<RawColumn>> {
    if source.held().is_some() {
        return Err(source.file_error(
            "read it as Parquet",
            "it is a pipe",
            "Parquet needs random access: save the data to a file",
        ));
    }
    // The decoder checks its input, but it does not guarantee this for every damaged file.
    DECODING.set(true);
    let read = catch_unwind(AssertUnwindSafe(|| read_file(source, options)));
    DECODING.set(false);
    read.unwrap_or_else(|_| Err(damaged(source, "the decoder failed")))
}

/// Writes a table: numbers as f64, categories as strings, genotypes as bytes, missing values as null. The inner error
/// is that of the writer.
///
/// # Errors
/// [`Error::Cancelled`].
pub(crate) fn write(
    writer: &mut (impl Write + Send),
    table: &Table<'_>,
    run: &Run,
) -> Result<io::Result<()>> {
    let failed = |cause: parquet::errors::ParquetError| io::Error::other(cause.to_string());
    let batch = to_record_batch(table, run)?;
    let written = ArrowWriter::try_new(writer, batch.schema(), None).and_then(|mut out| {
        out.write(&batch)?;
        out.close().map(drop)
    });
    Ok(written.map_err(failed))
}

/// Writes the columns with these names with unchanged types. The inner error is that of the writer.
///
/// # Errors
/// The errors of [`read`].
pub(crate) fn copy(
    source: &Source<'_>,
    names: &HashSet<&str>,
    writer: &mut (impl Write + Send),
) -> Result<io::Result<()>> {
    let failed = |cause: parquet::errors::ParquetError| damaged(source, cause);
    let builder = ParquetRecordBatchReaderBuilder::try_new(source.file()?).map_err(failed)?;
    let fields = builder.schema().fields();
    let wanted = (0..fields.len()).filter(|&k| names.contains(fields[k].name().as_str()));
    let mask = ProjectionMask::roots(builder.parquet_schema(), wanted.collect::<Vec<_>>());
    let reader =
        builder.with_projection(mask).with_batch_size(BATCH_ROWS).build().map_err(failed)?;
    let failed = |cause: parquet::errors::ParquetError| io::Error::other(cause.to_string());
    let mut out = match ArrowWriter::try_new(writer, reader.schema(), None) {
        Ok(out) => out,
        Err(cause) => return Ok(Err(failed(cause))),
    };
    for batch in reader {
        source.run().check()?;
        let batch = batch.map_err(|cause| damaged(source, cause))?;
        if let Err(cause) = out.write(&batch) {
            return Ok(Err(failed(cause)));
        }
    }
    Ok(out.close().map(drop).map_err(failed))
}

fn damaged(source: &Source<'_>, cause: impl ToString) -> Error {
    let text = cause.to_string();
    if text.contains("codec") && text.contains("not supported") {
        return source.file_error(
            "read it as Parquet",
            &text,
            "write it with another compression, such as zstd or snappy",
        );
    }
    source.file_error("read it as Parquet", cause.to_string(), DAMAGED)
}

fn read_file(source: &Source<'_>, options: &ReadOptions) -> Result<Vec<RawColumn>> {
    let failed = |cause: parquet::errors::ParquetError| damaged(source, cause);
    let builder = ParquetRecordBatchReaderBuilder::try_new(source.file()?).map_err(failed)?;
    let mut names: Vec<String> =
        builder.schema().fields().iter().map(|field| field.name().clone()).collect();
    if names.is_empty() {
        return Err(source.data("the file has no columns", "write at least one"));
    }
    finish_names(&mut names).map_err(|error| source.place(error))?;
    options.check_names(&names).map_err(|error| source.place(error))?;
    let total = u64::try_from(builder.metadata().file_metadata().num_rows()).unwrap_or(0);
    let reader = builder.with_batch_size(BATCH_ROWS).build().map_err(failed)?;

    let mut columns: Vec<Column> = names.iter().map(|_| Column::Unknown).collect();
    let mut rows = 0;
    let progress = source.run().progress();
    progress.start(&source.stage(""), total);
    let result = reader.into_iter().try_for_each(|batch| {
        source.run().check()?;
        let batch = batch.map_err(|cause| damaged(source, cause))?;
        if batch.num_columns() != columns.len() {
            return Err(damaged(source, "its batches have different columns"));
        }
        for ((column, array), name) in columns.iter_mut().zip(batch.columns()).zip(&names) {
            let appended = if options.is_unread(name) {
                column.append_numbers(std::iter::repeat_n(f64::NAN, array.len()), rows)
            } else if options.skip.contains(name) {
                column.append_keys(array)
            } else {
                column.append(array, name, rows)
            };
            appended.map_err(|error| source.place(error.in_column(name)))?;
        }
        rows += batch.num_rows();
        progress.advance(batch.num_rows() as u64);
        Ok(())
    });
    progress.finish();
    result?;
    if rows == 0 {
        return Err(source.data("the file has no rows", "write at least one"));
    }
    let finished = columns.into_iter().zip(names).map(|(column, name)| column.finish(name, rows));
    finished.collect::<std::result::Result<_, DataError>>().map_err(|error| source.place(error))
}
