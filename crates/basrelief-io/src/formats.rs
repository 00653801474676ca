//! Reads a file of any format.

use std::path::Path;

use basrelief::data::RawTable;
use basrelief::{Error, Result, Run};

use crate::options::{Format, ReadOptions};
#[cfg(feature = "parquet")]
use crate::parquet;
use crate::source::Source;
use crate::transposed::Layout;
use crate::{arff, csv, npy, sparse, transposed, xlsx};

/// Reads a table without a file of properties of its samples.
pub(crate) fn read_alone(path: &Path, options: &ReadOptions, run: &Run) -> Result<RawTable> {
    // A missing file is the more helpful error if the extension is unknown, too.
    let mut source = Source::open(path, run)?;
    let format = options.format_of(path)?;
    let mut delimiter = (format != Format::Csv).then_some(b'\t');
    if format == Format::Xlsx {
        source = xlsx::as_text(&source, options.sheet.as_deref())?;
        delimiter = Some(b',');
    } else if options.sheet.is_some() {
        let help = "omit it, or give an .xlsx file";
        return Err(Error::option("sheet", "the data are not a workbook", help));
    }
    if !matches!(format, Format::MatrixMarket | Format::Libsvm) {
        sparse::refuse_files(options)?;
    }
    let columns = match (format, options.transpose) {
        (Format::Csv | Format::Tsv | Format::Xlsx, true) => {
            return transposed::read(&source, delimiter, Layout::Matrix, options);
        }
        (Format::MatrixMarket, _) => return sparse::read_matrix_market(&source, options),
        (Format::Libsvm, _) => return sparse::read_libsvm(&source, options),
        (Format::Gct, _) => return transposed::read(&source, delimiter, Layout::Gct, options),
        (Format::SeriesMatrix, _) => {
            return transposed::read(&source, delimiter, Layout::Series, options);
        }
        (_, true) => {
            return Err(Error::option(
                "transpose",
                "it applies to text files and workbooks",
                "save the table as .csv, or with samples in rows",
            ));
        }
        (Format::Csv | Format::Tsv | Format::Xlsx, false) => {
            csv::read(&source, delimiter, options)?
        }
        (Format::Arff, false) => arff::read(&source, options)?,
        #[cfg(feature = "parquet")]
        (Format::Parquet, false) => parquet::read(&source, options)?,
        #[cfg(not(feature = "parquet"))]
        (Format::Parquet, false) => {
            return Err(source.file_error(
                "read it as Parquet",
                "this basrelief was built without Parquet",
                "build it with `--features parquet`, or convert the file to CSV",
            ));
        }
        (Format::Npy, false) => npy::read_npy(&source, options)?,
        (Format::Npz, false) => npy::read_npz(&source, options)?,
    };
    let source = Some(source.path().to_path_buf());
    let mut columns = columns.into_iter();
    let row_names = if options.has_row_names { columns.next() } else { None };
    Ok(RawTable { source, columns: columns.collect(), row_names, ..RawTable::default() })
}
