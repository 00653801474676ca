//! Readers and writers of basrelief: CSV and TSV, ARFF, Parquet, NumPy, and model files.
//!
//! [`read_table`] reads a file into a [`RawTable`](basrelief::data::RawTable);
//! [`basrelief::data::build_problem_parts`] then decides the *kind* of each column (numeric, categorical or genotype).
//! Readers do not panic on any input. Every error reports the file, the line and column if there are any, the value,
//! and what to do.
//!
//! | extension | format | notes |
//! | --- | --- | --- |
//! | `.csv`, `.txt` | [`Format::Csv`] | delimiter detected in the header; quotes, BOM, CRLF |
//! | `.tsv` | [`Format::Tsv`] | like CSV, delimited by tabs |
//! | `.arff` | [`Format::Arff`] | dense and sparse |
//! | `.gct` | [`Format::Gct`] | genes in rows; with 1.3, properties of the samples |
//! | `_series_matrix.txt` | [`Format::SeriesMatrix`] | of GEO: probes in rows, with characteristics of the samples |
//! | `.xlsx` | [`Format::Xlsx`] | one worksheet |
//! | `.parquet` | [`Format::Parquet`] | with the feature `parquet` |
//! | `.npy` | [`Format::Npy`] | a 2-D array; its columns are `x1`, `x2`, … |
//! | `.mtx` | [`Format::MatrixMarket`] | sparse; targets and names of columns in other files |
//! | `.svm`, `.libsvm` | [`Format::Libsvm`] | sparse; the first number of a line is the target |
//! | `.npz` | [`Format::Npz`] | `X` and `y` (and `feature_names`); y becomes the column `target` |
//!
//! [`write_table`] writes CSV, Parquet and `.npy`. [`write_model`] and [`read_model`] write and read fitted maps.
//!
//! With the feature `arrow`, `from_record_batches` and `to_record_batch` convert Arrow tables.
//!
//! The text formats may be gzip compressed (`.csv.gz` and so on); threads decompress what bgzip wrote in parallel.

#![forbid(unsafe_code)]
// An error ends the reading, so its size does not matter.
#![allow(clippy::result_large_err)]

mod arff;
#[cfg(feature = "arrow")]
mod arrow;
mod blocked_gzip;
mod cells;
mod copy;
mod csv;
mod folder;
mod formats;
mod lines;
mod model;
mod npy;
mod npy_header;
mod options;
mod own_file;
#[cfg(feature = "parquet")]
mod parquet;
mod phenotypes;
mod read;
mod records;
mod row_keys;
mod source;
mod sparse;
mod transposed;
mod write;
mod xlsx;

#[cfg(feature = "arrow")]
pub use arrow::{from_record_batches, to_record_batch};
pub use copy::{copy_columns, copy_columns_to};
pub use folder::{RESULTS_FOLDER_FILES, ResultsFolder};
pub use model::{Model, read_model, write_model};
pub use options::{Format, ReadOptions};
pub use own_file::{checksum_of_file, lock_folder, read_own_bytes, read_own_file, write_own_file};
pub use read::{panics_are_caught, read_table};
pub use records::MAX_FIELD_BYTES;
pub use source::{STANDARD_INPUT, Source};
pub use sparse::SPARSE_TARGET;
pub use write::{
    AtomicFile, check_output, check_replaceable, check_writable, is_temporary, remove_abandoned,
    write_csv, write_csv_to, write_table,
};
