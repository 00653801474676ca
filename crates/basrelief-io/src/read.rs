//! Reads a table from a file of any format.

use std::path::Path;

use basrelief::data::RawTable;
use basrelief::{Result, Run};

use crate::options::{Format, ReadOptions};
#[cfg(feature = "parquet")]
use crate::parquet;
use crate::source::Source;
use crate::{arff, csv, npy};

/// Whether a panic of this thread would be caught and reported as an error about a damaged file. A panic hook need not
/// report it.
pub fn panics_are_caught() -> bool {
    #[cfg(feature = "parquet")]
    let caught = parquet::is_decoding();
    #[cfg(not(feature = "parquet"))]
    let caught = false;
    caught
}

/// Reads a table; the target is one of its columns. The path `-` ([`STANDARD_INPUT`](crate::STANDARD_INPUT)) is
/// standard input, whose format must be specified in `options`.
///
/// The progress of `run` counts the bytes of the file (the compressed bytes of a compressed file). A cancelled run
/// stops within milliseconds.
///
/// # Errors
/// The file cannot be read, is damaged, or is not a rectangular table of numbers and texts; a name in `options` is not
/// a column of the file; a cell does not fit the kind that `options` specifies for its column;
/// [`basrelief::Error::Cancelled`] if the run was cancelled.
///
/// ```
/// # fn main() -> basrelief::Result<()> {
/// use basrelief_io::{ReadOptions, read_table};
/// # let folder = std::env::temp_dir().join(format!("basrelief-doc-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder).unwrap();
/// # let path = folder.join("flowers.csv");
/// std::fs::write(&path, "length,color,species\n1.5,red,a\n,blue,b\n").unwrap();
/// let run = basrelief::Run::new(Some(1))?;
/// let table = read_table(&path, &ReadOptions::default(), &run)?;
/// assert_eq!(table.columns.len(), 3);
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok(())
/// # }
/// ```
pub fn read_table(path: &Path, options: &ReadOptions, run: &Run) -> Result<RawTable> {
    run.check()?;
    // A missing file is the more helpful error if the extension is unknown, too.
    let source = Source::open(path, run)?;
    let columns = match options.format_of(path)? {
        Format::Csv => csv::read(&source, None, options)?,
        Format::Tsv => csv::read(&source, Some(b'\t'), options)?,
        Format::Arff => arff::read(&source, options)?,
        #[cfg(feature = "parquet")]
        Format::Parquet => parquet::read(&source, options)?,
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => {
            return Err(source.file_error(
                "read it as Parquet",
                "this basrelief was built without Parquet",
                "build it with `--features parquet`, or convert the file to CSV",
            ));
        }
        Format::Npy => npy::read_npy(&source, options)?,
        Format::Npz => npy::read_npz(&source, options)?,
    };
    Ok(RawTable { source: Some(source.path().to_path_buf()), columns })
}
