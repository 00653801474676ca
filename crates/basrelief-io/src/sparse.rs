//! Sparse tables in text files: Matrix Market, and the format of LIBSVM.
//!
//! Source: R. F. Boisvert, R. Pozo and K. A. Remington. The Matrix Market Exchange Formats: Initial Design. NISTIR 5935,
//! 1996. C.-C. Chang and C.-J. Lin. LIBSVM: a library for support vector machines. ACM Transactions on Intelligent
//! Systems and Technology 2(3), 27, 2011.

use std::path::Path;

use basrelief::data::{
    Cell, ColumnKind, CompactNumbers, Compressed, RawColumn, RawTable, RawValues, SparseColumn,
};
use basrelief::error::shorten;
use basrelief::wording::setting;
use basrelief::{DataError, Error, Result};

use crate::cells::{Collector, Refusal, Want};
use crate::lines::Lines;
use crate::options::{ReadOptions, finish_names};
use crate::source::Source;

/// The name of the target of a LIBSVM file, and of a file of targets.
pub const SPARSE_TARGET: &str = "target";

/// The name of the groups of a LIBSVM file.
const QUERY: &str = "qid";

/// The number of entries after which the cancellation flag is checked again.
const CHECK_ENTRIES: usize = 1 << 16;

/// The largest number of rows and of columns.
const MOST: u64 = u32::MAX as u64;

type Parsed<T> = std::result::Result<T, DataError>;

/// The entries of a matrix in any order.
#[derive(Default)]
struct Entries {
    rows: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl Entries {
    fn push(&mut self, row: u32, column: u32, value: f64) {
        self.rows.push(row);
        self.columns.push(column);
        self.values.push(value);
    }

    /// The columns of a matrix of this shape.
    ///
    /// # Errors
    /// Two entries at the same place; too little memory.
    fn into_columns(
        self,
        (rows, columns): (usize, usize),
        names: &[String],
        source: &Source<'_>,
    ) -> Result<Vec<SparseColumn>> {
        let Self { rows: of_rows, columns: of_columns, values: unsorted } = self;
        let bytes = 12 * unsorted.len() as u64 + 8 * columns as u64;
        source.run().memory().claim(bytes, "a sparse table", "give fewer rows or columns")?;
        // Sorted by column, in the order of the file within a column.
        let mut starts = vec![0_usize; columns + 1];
        of_columns.iter().for_each(|&column| starts[column as usize + 1] += 1);
        (0..columns).for_each(|column| starts[column + 1] += starts[column]);
        let mut next = starts.clone();
        let (mut indices, mut values) = (vec![0_usize; unsorted.len()], vec![0.0; unsorted.len()]);
        for ((row, column), value) in of_rows.into_iter().zip(of_columns).zip(unsorted) {
            let place = &mut next[column as usize];
            (indices[*place], values[*place]) = (row as usize, value);
            *place += 1;
        }
        for (column, name) in names.iter().enumerate() {
            let mut own = indices[starts[column]..starts[column + 1]].to_vec();
            own.sort_unstable();
            if let Some(twice) = own.windows(2).find(|pair| pair[0] == pair[1]) {
                let error = DataError::new(
                    "the file has two entries at this place",
                    "keep one of them, or write their sum",
                );
                return Err(
                    source.place(error.at_row(twice[0] as u64 + 1).in_column(name.as_str()))
                );
            }
        }
        let compressed = Compressed {
            by_rows: false,
            rows,
            columns,
            starts: &starts,
            indices: &indices,
            values: &values,
        };
        Ok(compressed.to_matrix(source.run())?.into())
    }
}

/// Reads the value of an entry; NaN is missing.
fn value_of(text: &[u8]) -> Parsed<f64> {
    let (problem, help) = match Cell::read(text) {
        Cell::Number(value) => return Ok(value),
        Cell::Missing | Cell::MissingNumber if !text.is_empty() => return Ok(f64::NAN),
        Cell::Infinite => {
            ("the value is infinite", "replace it by a number, or by nan if it is unknown")
        }
        Cell::Inexact => {
            ("the number is rounded in double precision", "write a number with fewer digits")
        }
        _ => ("the value is not a number", "correct it, or write nan if it is unknown"),
    };
    Err(DataError::new(problem, help).with_value(&String::from_utf8_lossy(text)))
}

/// Reads an index that counts from 1, and returns it from 0.
fn index_of(text: &[u8], most: u64, what: &str) -> Parsed<u32> {
    let shown = || String::from_utf8_lossy(text).into_owned();
    let index = std::str::from_utf8(text).ok().and_then(|text| text.parse::<u64>().ok());
    match index {
        Some(index) if (1..=most).contains(&index) => Ok((index - 1) as u32),
        Some(0) => Err(DataError::new(
            format!("a {what} has the index 0"),
            "count from 1; in Python, write the file with zero_based=False",
        )
        .with_value("0")),
        Some(_) => Err(DataError::new(
            format!("the {what} is beyond the last one, which is {most}"),
            "correct the index, or the size of the matrix",
        )
        .with_value(&shown())),
        None => Err(DataError::new(
            format!("the {what} is not a whole number"),
            "write the index of an entry as a whole number from 1 on",
        )
        .with_value(&shown())),
    }
}

/// The symmetry of a Matrix Market file: the sign of the entry that mirrors another, if there is one.
fn mirror_of(symmetry: &str) -> Option<Option<f64>> {
    match symmetry {
        "general" => Some(None),
        "symmetric" => Some(Some(1.0)),
        "skew-symmetric" => Some(Some(-1.0)),
        _ => None,
    }
}

/// Reads a Matrix Market file.
pub(crate) fn read_matrix_market(source: &Source<'_>, options: &ReadOptions) -> Result<RawTable> {
    let mut lines = Lines::new(source, b'%', "a Matrix Market file")?;
    let not_one = |line: &[u8]| {
        let error = DataError::new(
            "the first line is not that of a Matrix Market file",
            "begin with a line such as `%%MatrixMarket matrix coordinate real general`",
        );
        source.place(error.at_line(1).with_value(&String::from_utf8_lossy(line)))
    };
    let Some((_, first)) = lines.next_of_all()? else { return Err(not_one(b"")) };
    let header = String::from_utf8_lossy(first).to_lowercase();
    let words: Vec<&str> = header.split_ascii_whitespace().collect();
    let &["%%matrixmarket", "matrix", format, field, symmetry] = words.as_slice() else {
        return Err(not_one(first));
    };
    let refuse = |problem: String, help: &str, word: &str| {
        Err(source.place(DataError::new(problem, help).at_line(1).with_value(word)))
    };
    if format != "coordinate" {
        let help = "write the entries with their places (coordinate), or save the matrix as .npy";
        return refuse("the matrix is not sparse".to_string(), help, format);
    }
    let is_pattern = field == "pattern";
    if !is_pattern && !["real", "double", "integer"].contains(&field) {
        let help = "write real numbers (the field real, integer or pattern)";
        return refuse(format!("entries of the type {field} are not real numbers"), help, field);
    }
    let Some(mirror) = mirror_of(symmetry) else {
        let help = "write all entries (general)";
        return refuse(
            format!("a matrix of the type {symmetry} is not one of real numbers"),
            help,
            symmetry,
        );
    };
    let parts_of = |line: &[u8]| -> Vec<Vec<u8>> {
        line.split(u8::is_ascii_whitespace)
            .filter(|part| !part.is_empty())
            .map(<[u8]>::to_vec)
            .collect()
    };
    let Some((at, size)) = lines.next()? else {
        return Err(source.data(
            "the file has no line with the size of the matrix",
            "add rows, columns and entries",
        ));
    };
    let size = parts_of(size);
    let number = |text: &Vec<u8>| std::str::from_utf8(text).ok()?.parse::<u64>().ok();
    let sizes: Option<Vec<u64>> = size.iter().map(number).collect();
    let &[rows, columns, count] = sizes.as_deref().unwrap_or_default() else {
        let error = DataError::new(
            "the size of the matrix is not three whole numbers",
            "write the numbers of rows, of columns and of entries",
        );
        return Err(
            source.place(error.at_line(at).with_value(&String::from_utf8_lossy(&size.join(&b' '))))
        );
    };
    for (count, what) in [(rows, "rows"), (columns, "columns")] {
        if count == 0 || count > MOST {
            let error = DataError::new(
                format!("a matrix of {count} {what} cannot be read"),
                format!("write a matrix of 1 to {MOST} {what}"),
            );
            return Err(source.place(error.at_line(at)));
        }
    }
    if mirror.is_some() && rows != columns {
        let error = DataError::new(
            format!("a {symmetry} matrix of {rows} rows has {columns} columns"),
            "write all entries (general)",
        );
        return Err(source.place(error.at_line(at)));
    }
    let mut entries = Entries::default();
    let mut found = 0_u64;
    while let Some((at, line)) = lines.next()? {
        let parts = line.split(u8::is_ascii_whitespace).filter(|part| !part.is_empty());
        let mut own: [&[u8]; 4] = [b""; 4];
        let mut length = 0;
        for part in parts.take(4) {
            own[length] = part;
            length += 1;
        }
        let entry = || -> Parsed<(u32, u32, f64)> {
            if length != if is_pattern { 2 } else { 3 } {
                let wanted =
                    if is_pattern { "a row and a column" } else { "a row, a column and a value" };
                return Err(DataError::new("the line is not an entry", format!("write {wanted}"))
                    .with_value(&shorten(&String::from_utf8_lossy(line), 60)));
            }
            let (row, column) =
                (index_of(own[0], rows, "row")?, index_of(own[1], columns, "column")?);
            Ok((row, column, if is_pattern { 1.0 } else { value_of(own[2])? }))
        };
        let (row, column, value) = entry().map_err(|error| source.place(error.at_line(at)))?;
        entries.push(row, column, value);
        if let Some(sign) = mirror.filter(|_| row != column) {
            entries.push(column, row, sign * value);
        }
        found += 1;
        if found.is_multiple_of(CHECK_ENTRIES as u64) {
            source.run().check()?;
        }
    }
    if found != count {
        return Err(source.data(
            &format!("the file has {found} entries, but its size says {count}"),
            "the file may be truncated: write it again",
        ));
    }
    let (rows, columns) = if options.transpose {
        std::mem::swap(&mut entries.rows, &mut entries.columns);
        (columns, rows)
    } else {
        (rows, columns)
    };
    table_of(source, options, entries, (rows as usize, columns as usize), Vec::new())
}

/// Reads a file in the format of LIBSVM: per line a target, perhaps `qid:GROUP`, and `INDEX:VALUE` with ascending
/// indices from 1 on.
pub(crate) fn read_libsvm(source: &Source<'_>, options: &ReadOptions) -> Result<RawTable> {
    if options.transpose {
        let help = "save the table as .mtx, or with samples in rows";
        return Err(Error::option("transpose", "rows of a LIBSVM file are samples", help));
    }
    let mut lines = Lines::new(source, b'#', "a LIBSVM file")?;
    let mut target = Collector::new(SPARSE_TARGET.to_string(), options.want(SPARSE_TARGET));
    let mut groups = CompactNumbers::default();
    let (mut entries, mut rows, mut width) = (Entries::default(), 0_usize, 0_u32);
    let mut unchecked = 0;
    while let Some((at, line)) = lines.next()? {
        let place = |error: DataError| source.place(error.at_line(at));
        let line = line.split(|&byte| byte == b'#').next().unwrap_or_default();
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let label = words.next().unwrap_or_default();
        if label.contains(&b':') || label.contains(&b',') {
            let error = DataError::new(
                "the line does not begin with one target",
                "begin every line with one number, the target of the row",
            );
            return Err(place(error.with_value(&String::from_utf8_lossy(label))));
        }
        // Classes keep their texts; other targets are numbers.
        value_of(label).map_err(place)?;
        push(&mut target, label, at).map_err(place)?;
        let mut last: Option<u32> = None;
        let mut group = f64::NAN;
        for word in words {
            let Some(colon) = word.iter().position(|&byte| byte == b':') else {
                let error = DataError::new(
                    "the word is not INDEX:VALUE",
                    "write every entry as INDEX:VALUE",
                );
                return Err(place(error.with_value(&String::from_utf8_lossy(word))));
            };
            let (index, value) = (&word[..colon], &word[colon + 1..]);
            if index == QUERY.as_bytes() && last.is_none() {
                group = value_of(value).map_err(place)?;
                continue;
            }
            let column = index_of(index, MOST, "column").map_err(place)?;
            if last.is_some_and(|last| column <= last) {
                let error = DataError::new(
                    "the indices of the line do not ascend",
                    "sort the entries of every line, and keep one per index",
                );
                return Err(place(error.with_value(&String::from_utf8_lossy(word))));
            }
            last = Some(column);
            width = width.max(column + 1);
            let value = value_of(value)
                .map_err(|error| place(error.in_column(format!("x{}", column + 1))))?;
            entries.push(rows as u32, column, value);
            unchecked += 1;
        }
        groups.push(group);
        rows += 1;
        if unchecked >= CHECK_ENTRIES {
            unchecked = 0;
            source.run().check()?;
        }
    }
    if rows == 0 || width == 0 {
        return Err(source
            .data("the file has no entries", "write one line per row, as TARGET INDEX:VALUE …"));
    }
    let mut beside = vec![target.finish()];
    if groups.iter().any(|group| !group.is_nan()) {
        beside.push(RawColumn::new(QUERY, RawValues::Numbers(groups), None));
    }
    table_of(source, options, entries, (rows, width as usize), beside)
}

/// Adds a cell to a column.
fn push(column: &mut Collector, cell: &[u8], line: u64) -> Parsed<()> {
    let name = column.name().to_string();
    column.push(cell, line).map(drop).map_err(|refusal| match refusal {
        Refusal::NotUtf8 => {
            DataError::new("the text is not UTF-8", "convert the file to UTF-8").in_column(name)
        }
        Refusal::Because(error) => error.in_column(name),
    })
}

/// The table of a sparse matrix with the properties of its rows, with the names and the targets of other files.
fn table_of(
    source: &Source<'_>,
    options: &ReadOptions,
    entries: Entries,
    (rows, columns): (usize, usize),
    mut beside: Vec<RawColumn>,
) -> Result<RawTable> {
    let names = match &options.names {
        None => (1..=columns).map(|column| format!("x{column}")).collect(),
        Some(file) => names_of(file, columns, source)?,
    };
    if let Some(file) = &options.target_file {
        beside.retain(|column| column.name != SPARSE_TARGET);
        beside.insert(0, targets_of(file, rows, source, options)?);
    }
    let all = entries.into_columns((rows, columns), &names, source)?;
    let column = |(name, values): (String, SparseColumn)| {
        RawColumn::new(name, RawValues::Numbers(values.into()), Some(ColumnKind::Numeric))
    };
    Ok(RawTable {
        source: Some(source.path().to_path_buf()),
        columns: names.into_iter().zip(all).map(column).collect(),
        annotations: beside,
        ..RawTable::default()
    })
}

/// The names of the columns in a file: the text of every line before the first tab.
fn names_of(file: &Path, columns: usize, of: &Source<'_>) -> Result<Vec<String>> {
    let source = Source::open(file, of.run())?;
    let mut lines = Lines::new(&source, b'\n', "a file of names")?;
    let mut names = Vec::with_capacity(columns);
    while let Some((at, line)) = lines.next_of_all()? {
        let name = line.split(|&byte| byte == b'\t').next().unwrap_or_default();
        let name = std::str::from_utf8(name).map_err(|_| {
            source.place(
                DataError::new("the text is not UTF-8", "convert the file to UTF-8").at_line(at),
            )
        })?;
        names.push(name.trim().to_string());
    }
    if names.len() != columns {
        return Err(source.data(
            &format!("the file has {} names for {columns} columns", names.len()),
            "write one name per column of the matrix",
        ));
    }
    finish_names(&mut names).map_err(|error| source.place(error))?;
    Ok(names)
}

/// The targets in a file of one value per line.
fn targets_of(
    file: &Path,
    rows: usize,
    of: &Source<'_>,
    options: &ReadOptions,
) -> Result<RawColumn> {
    let source = Source::open(file, of.run())?;
    let read = |want: Want| -> Result<Collector> {
        let mut lines = Lines::new(&source, b'\n', "a file of targets")?;
        let mut target = Collector::new(SPARSE_TARGET.to_string(), want);
        let mut found = 0;
        while let Some((at, line)) = lines.next_of_all()? {
            match options.is_missing(line) {
                true => target.push_missing(),
                false => {
                    push(&mut target, line, at).map_err(|error| source.place(error.at_line(at)))?
                }
            }
            found += 1;
        }
        if found != rows {
            return Err(source.data(
                &format!("the file has {found} values for {rows} rows"),
                "write one value per row of the matrix",
            ));
        }
        Ok(target)
    };
    let mut target = read(options.want(SPARSE_TARGET))?;
    if target.is_lost() {
        target = read(Want::Text)?;
    }
    Ok(target.finish())
}

/// Refuses files of names and targets for other formats.
///
/// # Errors
/// There is such a file.
pub(crate) fn refuse_files(options: &ReadOptions) -> Result<()> {
    let stated = [("names", &options.names), ("target_file", &options.target_file)];
    match stated.into_iter().find(|(_, file)| file.is_some()) {
        None => Ok(()),
        Some((option, _)) => Err(Error::option(
            option,
            "it applies to sparse matrices (.mtx and .svm)",
            format!("remove {}", setting(option, None)),
        )),
    }
}
