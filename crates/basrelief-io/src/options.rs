//! What to read and how.

use std::collections::HashSet;
use std::path::Path;

use basrelief::data::{ColumnKind, KindOverrides, identifies_rows, name_columns};
use basrelief::error::nearest_name;
use basrelief::{DataError, Error, Result};

use crate::cells::Want;
use basrelief::wording::setting;

/// Columns that are left out and yet compared row by row.
const KEY_COLUMNS: usize = 64;

/// A file format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Delimited text; the delimiter is sniffed from the first line unless it is given.
    Csv,
    /// Text delimited by tabulators.
    Tsv,
    /// Weka's attribute-relation file format.
    Arff,
    /// Apache Parquet (feature `parquet`).
    Parquet,
    /// One NumPy array of two dimensions.
    Npy,
    /// A zip of NumPy arrays.
    Npz,
}

impl Format {
    /// The extensions that are known, for messages.
    pub const EXTENSIONS: &'static str =
        ".csv, .tsv, .txt, .arff (each also with .gz), .parquet, .npy and .npz";

    /// The format that a file name's extension stands for, in any case of letters.
    ///
    /// # Errors
    /// No or an unknown extension; the message lists the known ones.
    pub fn from_path(path: &Path) -> Result<Self> {
        let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase());
        let name = name.unwrap_or_default();
        let (stem, zipped) = match name.strip_suffix(".gz") {
            Some(stem) => (stem, true),
            None => (name.as_str(), false),
        };
        let extension = stem.rsplit_once('.').map_or("", |(_, extension)| extension);
        match (extension, zipped) {
            ("csv" | "txt", _) => Ok(Format::Csv),
            ("tsv", _) => Ok(Format::Tsv),
            ("arff", _) => Ok(Format::Arff),
            ("parquet", false) => Ok(Format::Parquet),
            ("npy", false) => Ok(Format::Npy),
            ("npz", false) => Ok(Format::Npz),
            _ if path == Path::new(crate::STANDARD_INPUT) => Err(Error::option(
                "input_format",
                "standard input has no name to tell its format by",
                format!("state it, as in {}", setting("input_format", Some("csv"))),
            )),
            _ => Err(Error::File {
                path: path.to_path_buf(),
                action: "tell its format".to_string(),
                cause: if extension.is_empty() {
                    "the name has no extension".into()
                } else {
                    format!("the extension .{} is unknown", name_end(&name, extension)).into()
                },
                help: format!("known are {}; or state the format", Self::EXTENSIONS).into(),
            }),
        }
    }
}

/// The extension together with what follows it (`.gz`).
fn name_end<'a>(name: &'a str, extension: &'a str) -> &'a str {
    let gz = if name.ends_with(".gz") { 3 } else { 0 };
    name.get(name.len().saturating_sub(extension.len() + gz)..).unwrap_or(extension)
}

/// How to read a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadOptions {
    /// The format; `None` goes by the extension.
    pub format: Option<Format>,
    /// The delimiter of delimited text, one ASCII character; `None` is the tabulator for TSV and
    /// otherwise the most frequent of comma, semicolon, tabulator and bar in the first line, or
    /// else the space. With the space as delimiter, runs of spaces count as one.
    pub delimiter: Option<u8>,
    /// Kinds that the user states. Columns stated categorical or ordinal keep the exact texts of text files.
    pub kinds: KindOverrides,
    /// Columns whose cells are kept as their exact texts in text files: the target. Wins over
    /// `kinds`.
    pub keep_text: Vec<String>,
    /// Texts that stand for missing values, besides the usual ones, in text files.
    pub missing: Vec<String>,
    /// Columns that `kinds.all` does not cover: the target.
    pub exempt: Vec<String>,
    /// Columns that will be left out anyway. Of delimited text and of Parquet files, whatever these columns
    /// hold, only which of their rows are equal is read: a number per different value. Of more than 64 such
    /// columns this is so of the first 64, and of those whose names [identify rows](identifies_rows); the
    /// others come as missing values.
    pub skip: Vec<String>,
    /// Whether the first line of delimited text names the columns; otherwise they are called
    /// `column_1`, `column_2`, ….
    pub has_header: bool,
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
        }
    }
}

impl ReadOptions {
    pub(crate) fn format_of(&self, path: &Path) -> Result<Format> {
        self.format.map_or_else(|| Format::from_path(path), Ok)
    }

    /// What is wanted of a column of a text file.
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
            // What is no number is sorted out when the column is whole.
            Some(ColumnKind::Numeric | ColumnKind::Genotype) if self.kinds.coerce => Want::Infer,
            Some(ColumnKind::Categorical | ColumnKind::Ordinal) => Want::Text,
            Some(ColumnKind::Numeric) => Want::Numeric,
            Some(ColumnKind::Genotype) => Want::Genotype,
            None => Want::Infer,
        }
    }

    /// Whether nothing is read of a column.
    pub(crate) fn is_unread(&self, name: &str) -> bool {
        let place = self.skip.iter().position(|skipped| skipped == name);
        place.is_some_and(|place| place >= KEY_COLUMNS) && !identifies_rows(name)
    }

    /// Whether the user says that this cell is missing.
    pub(crate) fn is_missing(&self, cell: &[u8]) -> bool {
        self.missing.iter().any(|text| text.as_bytes() == cell)
    }

    /// Checks that every column named in the options is there.
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

/// Gives nameless columns the name `column_N` and refuses a name that stands twice.
pub(crate) fn finish_names(names: &mut [String]) -> std::result::Result<(), DataError> {
    name_columns(names);
    let mut seen = std::collections::HashMap::with_capacity(names.len());
    for (index, name) in names.iter().enumerate() {
        if let Some(first) = seen.insert(name.as_str(), index) {
            return Err(DataError::new(
                format!("the name stands over columns {} and {}", first + 1, index + 1),
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
        assert_eq!(format("a.parquet").ok(), Some(Format::Parquet));
        assert_eq!(format("a.npz").ok(), Some(Format::Npz));
        let message = format("a.xlsx").unwrap_err().to_string();
        assert!(message.contains(".xlsx is unknown") && message.contains(".parquet"), "{message}");
        assert!(format("a.npy.gz").unwrap_err().to_string().contains(".npy.gz is unknown"));
        assert!(format("a").unwrap_err().to_string().contains("no extension"));
    }
}
