//! Readers and writers of basrelief: CSV and TSV, ARFF, Parquet, NumPy, and model files.
//!
//! [`read_table`] turns a file into a [`RawTable`](basrelief::data::RawTable); what a column *means* (numeric, categorical,
//! genotype) is decided afterwards by [`basrelief::data::build_problem_parts`]. Readers never
//! panic, whatever the bytes, and every error names the file, the line and column where there is
//! one, the value, and what to do.
//!
//! | extension | format | notes |
//! | --- | --- | --- |
//! | `.csv`, `.txt` | [`Format::Csv`] | delimiter sniffed from the header; quotes, BOM, CRLF |
//! | `.tsv` | [`Format::Tsv`] | the same with the tabulator |
//! | `.arff` | [`Format::Arff`] | dense and sparse |
//! | `.parquet` | [`Format::Parquet`] | with the feature `parquet` |
//! | `.npy` | [`Format::Npy`] | a 2-D array; its columns are `x1`, `x2`, … |
//! | `.npz` | [`Format::Npz`] | `X` and `y` (and `feature_names`); y is the column `target` |
//!
//! [`write_table`] writes CSV, Parquet and `.npy`, [`write_model`] and [`read_model`] fitted maps.
//!
//! The text formats may be gzip compressed (`.csv.gz` and so on).

#![forbid(unsafe_code)]
// An error ends the reading, so that its size never matters.
#![allow(clippy::result_large_err)]

mod arff;
mod cells;
mod copy;
mod csv;
mod folder;
mod model;
mod npy;
mod npy_header;
mod options;
#[cfg(feature = "parquet")]
mod parquet;
mod read;
mod records;
mod row_keys;
mod source;
mod write;

pub use copy::{copy_columns, copy_columns_to};
pub use folder::{Fingerprint, ResultsFolder, fingerprint};
pub use model::{Model, read_model, write_model};
pub use options::{Format, ReadOptions};
pub use read::{panics_are_caught, read_table};
pub use records::MAX_FIELD_BYTES;
pub use source::{STANDARD_INPUT, Source};
pub use write::{AtomicFile, check_output, check_writable, write_csv, write_csv_to, write_table};
