//! Tests of the readers and writers through the public interface. One binary, because linking
//! takes longer than running.

mod errors;
mod formats;
mod fuzz;
mod model;
mod shared;
mod transposed;
mod write;
mod xlsx;

use std::path::{Path, PathBuf};

use basrelief::data::{RawColumn, RawTable, RawValues};
use basrelief::{Result, Run};
use basrelief_io::{ReadOptions, read_table};
use tempfile::TempDir;

/// A file with that content in a folder of its own.
struct Sample {
    folder: TempDir,
    path: PathBuf,
}

impl Sample {
    fn new(name: &str, bytes: impl AsRef<[u8]>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        Self { folder, path }
    }

    fn read(&self) -> Result<RawTable> {
        self.read_with(&ReadOptions::default())
    }

    fn read_with(&self, options: &ReadOptions) -> Result<RawTable> {
        read_table(&self.path, options, &run())
    }

    /// The message of the error that reading must end in.
    fn message(&self) -> String {
        self.message_with(&ReadOptions::default())
    }

    fn message_with(&self, options: &ReadOptions) -> String {
        let message = self.read_with(options).unwrap_err().to_string();
        // Every message names the file.
        assert!(message.contains(self.path.to_str().unwrap()), "{message}");
        message
    }
}

fn run() -> Run {
    Run::new(Some(1)).unwrap()
}

fn names(table: &RawTable) -> Vec<&str> {
    table.columns.iter().map(|column| column.name.as_str()).collect()
}

fn numbers(column: &RawColumn) -> Vec<f64> {
    match &column.values {
        RawValues::Numbers(values) => values.iter().collect(),
        RawValues::Text(_) => panic!("{} is text", column.name),
    }
}

/// The cells of a text column; missing is `None`.
fn texts(column: &RawColumn) -> Vec<Option<&str>> {
    match &column.values {
        RawValues::Text(values) => values
            .codes()
            .iter()
            .map(|&code| values.levels().get(code as usize).map(String::as_str))
            .collect(),
        RawValues::Numbers(_) => panic!("{} is numbers", column.name),
    }
}

fn rows(column: &RawColumn) -> usize {
    match &column.values {
        RawValues::Numbers(values) => values.len(),
        RawValues::Text(values) => values.codes().len(),
    }
}

fn missing(column: &RawColumn) -> usize {
    match &column.values {
        RawValues::Numbers(values) => values.iter().filter(|value| value.is_nan()).count(),
        RawValues::Text(values) => {
            values.codes().iter().filter(|&&code| code == basrelief::data::MISSING_CODE).count()
        }
    }
}

/// Every part of a message that must be there.
#[track_caller]
fn assert_says(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "`{part}` is not in: {message}");
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Blocked gzip, as bgzip writes it, with at most `length` bytes of text in a block.
fn bgzip(bytes: &[u8], length: usize) -> Vec<u8> {
    use std::io::Write;
    let block = |text: &[u8]| {
        // Another extra field may come first.
        let fields = b"XY\x01\x00zBC\x02\x00\x00\x00".to_vec();
        let builder = flate2::GzBuilder::new().extra(fields);
        let mut encoder = builder.write(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text).unwrap();
        let mut block = encoder.finish().unwrap();
        let size = block.len() as u16 - 1;
        block[21..23].copy_from_slice(&size.to_le_bytes());
        block
    };
    let mut blocks: Vec<u8> = bytes.chunks(length).flat_map(block).collect();
    blocks.extend(BGZIP_END);
    blocks
}

/// The empty block at the end of blocked gzip.
const BGZIP_END: &[u8; 28] =
    b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0\x1b\0\x03\0\0\0\0\0\0\0\0\0";

/// Names of the files in a folder.
fn entries(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
