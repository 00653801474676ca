//! The options for reading tables.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use basrelief::data::{Cell, ColumnKind, KindOverrides, identifies_rows, name_columns};
use basrelief::error::nearest_name;
use basrelief::{DataError, Error, Result};

use crate::cells::Want;
use basrelief::wording::setting;

/// The maximum number of excluded columns whose rows are still compared.
const KEY_COLUMNS: usize = 64;

/// A file format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Delimited text; the delimiter is detected in the first line unless it is given.
    Csv,
    /// Text delimited by tabs.
    Tsv,
    /// Weka's attribute-relation file format.
    Arff,
    /// Apache Parquet (feature `parquet`).
    Parquet,
    /// A two-dimensional NumPy array.
    Npy,
    /// A zip of NumPy arrays.
    Npz,
    /// GCT 1.2 or 1.3: expression values with genes in rows.
    Gct,
    /// A series matrix of the Gene Expression Omnibus.
    SeriesMatrix,
    /// A worksheet of Excel.
    Xlsx,
    /// A sparse matrix in the coordinate format of Matrix Market.
    MatrixMarket,
    /// Sparse rows with their targets, in the format of LIBSVM.
    Libsvm,
}

impl Format {
    /// The known extensions, for messages.
    pub const EXTENSIONS: &'static str = ".csv, .tsv, .txt, .arff, .gct, _series_matrix.txt, .mtx, .svm (each also with .gz), .xlsx, .parquet, .npy and .npz";

    /// Returns the format for the extension of a file name, in upper or lower case.
    ///
    /// # Errors
    /// The file name has no extension or an unknown one. The message lists the known ones.
    pub fn from_path(path: &Path) -> Result<Self> {
        let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase());
        let name = name.unwrap_or_default();
        let (stem, zipped) = match name.strip_suffix(".gz") {
            Some(stem) => (stem, true),
            None => (name.as_str(), false),
        };
        let extension = stem.rsplit_once('.').map_or("", |(_, extension)| extension);
        match (extension, zipped) {
            ("txt", _) if stem.ends_with("_series_matrix.txt") => Ok(Format::SeriesMatrix),
            ("csv" | "txt", _) => Ok(Format::Csv),
            ("gct", _) => Ok(Format::Gct),
            ("xlsx", false) => Ok(Format::Xlsx),
            ("tsv", _) => Ok(Format::Tsv),
            ("arff", _) => Ok(Format::Arff),
            ("mtx", _) => Ok(Format::MatrixMarket),
            ("svm" | "libsvm", _) => Ok(Format::Libsvm),
            ("parquet", false) => Ok(Format::Parquet),
            ("npy", false) => Ok(Format::Npy),
            ("npz", false) => Ok(Format::Npz),
            _ if path == Path::new(crate::STANDARD_INPUT) => Err(Error::option(
                "input_format",
                "standard input has no file name from which its format could be inferred",
                format!("specify it, for example with {}", setting("input_format", Some("csv"))),
            )),
            _ => Err(Error::File {
                path: path.to_path_buf(),
                action: "determine its format".to_string(),
                cause: if extension.is_empty() {
                    "the name has no extension".into()
                } else {
                    format!("the extension .{} is unknown", name_end(&name, extension)).into()
                },
                help: conversion(extension, path)
                    .unwrap_or_else(|| {
                        format!(
                            "the known extensions are {}; or specify the format",
                            Self::EXTENSIONS
                        )
                    })
                    .into(),
            }),
        }
    }
}

/// How to convert a file of another program.
fn conversion(extension: &str, path: &Path) -> Option<String> {
    let name = basrelief::wording::clean_path(path);
    let quoted = name.replace('\'', "");
    match extension {
        "bgen" => Some(format!(
            "convert it: plink2 --bgen '{quoted}' ref-first --sample FILE.sample --make-pgen --out NAME; then use NAME.pgen"
        )),
        "h5ad" => Some(format!(
            "convert it: python -c \"import scanpy; scanpy.read_h5ad('{quoted}').to_df().to_csv('table.csv')\""
        )),
        "xls" | "xlsb" | "ods" => Some("save it as .xlsx or .csv".to_string()),
        _ => None,
    }
}

/// Returns the extension with `.gz`, if that follows it.
fn name_end<'a>(name: &'a str, extension: &'a str) -> &'a str {
    let gz = if name.ends_with(".gz") { 3 } else { 0 };
    name.get(name.len().saturating_sub(extension.len() + gz)..).unwrap_or(extension)
}

/// The options for reading a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadOptions {
    /// The format; `None` infers it from the extension.
    pub format: Option<Format>,
    /// The delimiter of delimited text, one ASCII character. `None` means the tab for TSV; otherwise the most frequent
    /// of comma, semicolon, tab and vertical bar in the first line, or the space if there is none of these. With the
    /// space as delimiter, a run of spaces is one delimiter.
    pub delimiter: Option<u8>,
    /// Kinds that the user specifies. Categorical and ordinal columns of text files keep their exact texts.
    pub kinds: KindOverrides,
    /// Columns of text files whose cells keep their exact texts: the target. Takes precedence over `kinds`.
    pub keep_text: Vec<String>,
    /// Texts in text files that mean missing values, in addition to the usual ones ([`Cell::is_declared_missing`]).
    pub missing: Vec<String>,
    /// Columns to which `kinds.all` does not apply: the target.
    pub exempt: Vec<String>,
    /// Columns that will be excluded from the features. In delimited text and Parquet files, such a column may have any
    /// content; it becomes a column of numbers, where equal values have equal numbers. If there are more than 64 such
    /// columns, this applies to the first 64 and to those whose names [identify rows](identifies_rows); the other ones
    /// become missing values.
    pub skip: Vec<String>,
    /// Whether the first line of delimited text contains the names of the columns. Otherwise the columns are called
    /// `column_1`, `column_2`, ….
    pub has_header: bool,
    /// Whether features are rows and samples columns: the first column contains the names of the features. GCT files and
    /// series matrices always have this form.
    pub transpose: bool,
    /// A table of properties of the samples, such as phenotypes: its first column contains their names, which are those in
    /// the first column of the data (in the first row, if the data are transposed). The other columns become
    /// [annotations](basrelief::data::RawTable::annotations).
    pub phenotypes: Option<PathBuf>,
    /// The worksheet of a workbook; not needed if there is only one.
    pub sheet: Option<String>,
    /// Whether the first column contains the [names of the rows](basrelief::data::RawTable::row_names), whose exact texts
    /// are kept, and is no feature. Not needed with `phenotypes` or `transpose`.
    pub has_row_names: bool,
    /// The names of the columns of a sparse matrix, one per line; the text after a tab is ignored.
    pub names: Option<PathBuf>,
    /// The targets of the rows of a sparse matrix, one per line; they become the annotation `target`.
    pub target_file: Option<PathBuf>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            format: None,
            delimiter: None,
            kinds: KindOverrides::default(),
            keep_text: Vec::new(),
            missing: Vec::new(),
            exempt: Vec::new(),
            skip: Vec::new(),
            has_header: true,
            transpose: false,
            phenotypes: None,
            sheet: None,
            has_row_names: false,
            names: None,
            target_file: None,
        }
    }
}

impl ReadOptions {
    pub(crate) fn format_of(&self, path: &Path) -> Result<Format> {
        self.format.map_or_else(|| Format::from_path(path), Ok)
    }

    /// Whether the columns of the table are those of the file.
    pub(crate) fn is_plain(&self) -> bool {
        !self.transpose && self.phenotypes.is_none()
    }

    /// Returns the requested interpretation of a column of a text file.
    pub(crate) fn want(&self, name: &str) -> Want {
        if self.skip.iter().any(|skipped| skipped == name) {
            return Want::Keys;
        }
        if self.keep_text.iter().any(|kept| kept == name) {
            return Want::Text;
        }
        if self.exempt.iter().any(|exempt| exempt == name)
            && !self.kinds.names().any(|listed| listed == name)
        {
            return Want::Infer;
        }
        match self.kinds.kind_of(name) {
            // Cells that are not numbers are handled when the column is complete.
            Some(ColumnKind::Numeric | ColumnKind::Genotype) if self.kinds.coerce => Want::Infer,
            Some(ColumnKind::Categorical | ColumnKind::Ordinal) => Want::Text,
            Some(ColumnKind::Numeric) => Want::Numeric,
            Some(ColumnKind::Genotype) => Want::Genotype,
            None => Want::Infer,
        }
    }

    /// Whether a column is not read at all.
    pub(crate) fn is_unread(&self, name: &str) -> bool {
        let place = self.skip.iter().position(|skipped| skipped == name);
        place.is_some_and(|place| place >= KEY_COLUMNS) && !identifies_rows(name)
    }

    /// Whether the user declares this cell missing.
    pub(crate) fn is_missing(&self, cell: &[u8]) -> bool {
        Cell::is_declared_missing(&self.missing, cell)
    }

    /// Checks that every column named in the options exists.
    pub(crate) fn check_names(&self, names: &[String]) -> std::result::Result<(), DataError> {
        let known: HashSet<&str> = names.iter().map(String::as_str).collect();
        let wanted = self.keep_text.iter().map(String::as_str).chain(self.kinds.names());
        for name in wanted {
            if !known.contains(name) {
                let help = match nearest_name(name, names.iter().map(String::as_str)) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => {
                        let shown: Vec<&str> = names.iter().take(10).map(String::as_str).collect();
                        let more = if names.len() > 10 { ", …" } else { "" };
                        format!("the {} columns are {}{more}", names.len(), shown.join(", "))
                    }
                };
                return Err(DataError::new("there is no such column", help).in_column(name));
            }
        }
        Ok(())
    }
}

/// Names unnamed columns `column_N`, and refuses duplicate names.
pub(crate) fn finish_names(names: &mut [String]) -> std::result::Result<(), DataError> {
    name_columns(names);
    let mut seen = std::collections::HashMap::with_capacity(names.len());
    for (index, name) in names.iter().enumerate() {
        if let Some(first) = seen.insert(name.as_str(), index) {
            return Err(DataError::new(
                format!("columns {} and {} have this name", first + 1, index + 1),
                "rename one of them",
            )
            .in_column(name.as_str()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_tells_the_format() {
        let format = |name: &str| Format::from_path(Path::new(name));
        assert_eq!(format("a.csv").ok(), Some(Format::Csv));
        assert_eq!(format("a.b.CSV.GZ").ok(), Some(Format::Csv));
        assert_eq!(format("a.txt").ok(), Some(Format::Csv));
        assert_eq!(format("a.tsv.gz").ok(), Some(Format::Tsv));
        assert_eq!(format("a.arff").ok(), Some(Format::Arff));
        assert_eq!(format("a.mtx.gz").ok(), Some(Format::MatrixMarket));
        assert_eq!(format("a.svm").ok(), Some(Format::Libsvm));
        assert_eq!(format("a.parquet").ok(), Some(Format::Parquet));
        assert_eq!(format("a.npz").ok(), Some(Format::Npz));
        assert_eq!(format("a.GCT.gz").ok(), Some(Format::Gct));
        assert_eq!(format("GSE1_series_matrix.txt.gz").ok(), Some(Format::SeriesMatrix));
        assert_eq!(format("a.xlsx").ok(), Some(Format::Xlsx));
        let message = format("a.xlsm").unwrap_err().to_string();
        assert!(message.contains(".xlsm is unknown") && message.contains(".parquet"), "{message}");
        for (name, command) in
            [("a.bgen", "plink2 --bgen 'a.bgen'"), ("a.h5ad", "read_h5ad('a.h5ad')")]
        {
            let message = format(name).unwrap_err().to_string();
            assert!(message.contains(command), "{message}");
        }
        assert!(format("a.npy.gz").unwrap_err().to_string().contains(".npy.gz is unknown"));
        assert!(format("a").unwrap_err().to_string().contains("no extension"));
    }
}
