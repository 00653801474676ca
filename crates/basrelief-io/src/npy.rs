//! NumPy arrays: `.npy` and `.npz`.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek, Write};
use std::ops::Range;

use basrelief::data::{
    Categories, ColumnKind, CompactNumbers, Piece, RawColumn, RawValues, Table, exact_code,
    exact_number, inexact, is_missing_text, write_columns,
};
use basrelief::error::Cause;
use basrelief::{DataError, Error, Result, Run};
use zip::ZipArchive;

use crate::npy_header::{self, Header, Kind};
use crate::options::{ReadOptions, finish_names};
use crate::source::{Counted, Source};

/// The number of elements after which the cancellation flag is checked again.
const CHECK_ELEMENTS: u64 = 1 << 14;

/// The number of elements read at a time, unless [`BLOCK_ROWS`] rows have more.
const BLOCK_ELEMENTS: usize = 1 << 18;
const BLOCK_ROWS: usize = 64;

/// The memory is at least this many times the size of a block, unless the block has only [`BLOCK_ELEMENTS`] elements.
const ROOM: u64 = 64;

/// The largest compression ratio of deflate.
const MAX_DEFLATE_RATIO: u64 = 1032;

const DAMAGED: &str = "the file is damaged or truncated: save it again with numpy.save or savez";

/// An array of one or two dimensions, stored by columns.
struct Array {
    columns: Vec<RawValues>,
    dimensions: usize,
    rows: u64,
}

pub(crate) fn read_npy(source: &Source<'_>, options: &ReadOptions) -> Result<Vec<RawColumn>> {
    let stage = source.stage("");
    let array = match source.held() {
        Some(bytes) => {
            let size = bytes.len() as u64;
            read_array(source, Counted::new(bytes, source.run(), Some(&stage), size), "", size)?
        }
        None => read_array(source, counted_file(source)?, "", source.size())?,
    };
    if array.dimensions != 2 {
        return Err(source.data(
            "the array has one dimension, not two",
            "save a matrix of rows and columns, or an .npz with X and y",
        ));
    }
    let names = numbered(array.columns.len());
    finish(source, options, names, array.columns)
}

/// Opens the file at its start, and begins a stage of the progress.
fn counted_file<'s>(source: &'s Source<'_>) -> Result<Counted<'s, File>> {
    let stage = source.stage("");
    Ok(Counted::new(source.file()?, source.run(), Some(&stage), source.size()))
}

pub(crate) fn read_npz(source: &Source<'_>, options: &ReadOptions) -> Result<Vec<RawColumn>> {
    match source.held() {
        Some(bytes) => read_zip(source, options, Cursor::new(bytes)),
        None => read_zip(source, options, BufReader::<File>::new(source.file()?)),
    }
}

fn read_zip(
    source: &Source<'_>,
    options: &ReadOptions,
    reader: impl Read + Seek,
) -> Result<Vec<RawColumn>> {
    let damaged = |cause: zip::result::ZipError| damaged(source, "", io::Error::other(cause));
    let mut archive = ZipArchive::new(reader).map_err(damaged)?;
    let mut matrix = None;
    let mut target = None;
    let mut names = None;
    let mut held = Vec::new();
    for index in 0..archive.len() {
        let entry = archive.by_index(index).map_err(damaged)?;
        let file_name = entry.name().map_err(damaged)?.into_owned();
        let Some(name) = file_name.strip_suffix(".npy") else { continue };
        held.push(name.to_string());
        // The size in the directory may be wrong; it is limited by the compression ratio of deflate.
        let size = entry.size().min(source.size().saturating_mul(MAX_DEFLATE_RATIO));
        let stage = source.stage(&format!("{name} of "));
        let mut entry = Counted::new(entry, source.run(), Some(&stage), size);
        let array = read_array(source, &mut entry, name, size)?;
        // The checksum is verified at the end of the entry, which may be after the end of the array.
        io::copy(&mut entry, &mut io::sink())
            .map_err(|cause| self::damaged(source, name, cause))?;
        if name == "feature_names" {
            names = Some(array);
            continue;
        }
        let place = if array.dimensions == 2 { &mut matrix } else { &mut target };
        if place.is_some() {
            return Err(source.data(
                &format!("more than one array of {} dimension(s)", array.dimensions),
                "save one matrix X and one vector y (and feature_names)",
            ));
        }
        *place = Some((name.to_string(), array));
    }
    let Some((matrix_name, matrix)) = matrix else {
        return Err(source.data(
            &format!("no array of two dimensions (the arrays are: {})", held.join(", ")),
            "save one matrix X and one vector y, as numpy.savez(file, X=X, y=y)",
        ));
    };
    let mut column_names = match names {
        None => numbered(matrix.columns.len()),
        Some(names) => feature_names(source, names, matrix.columns.len())?,
    };
    let mut columns = matrix.columns;
    if let Some((name, mut array)) = target {
        if array.rows != matrix.rows {
            return Err(source.data(
                &format!(
                    "{name} has {} values, but {matrix_name} has {} rows",
                    array.rows, matrix.rows
                ),
                "save one target value per row",
            ));
        }
        columns.append(&mut array.columns);
        column_names.push("target".to_string());
    }
    finish(source, options, column_names, columns)
}

fn numbered(count: usize) -> Vec<String> {
    (1..=count).map(|number| format!("x{number}")).collect()
}

fn feature_names(source: &Source<'_>, names: Array, width: usize) -> Result<Vec<String>> {
    let wrong = |problem: &str| {
        source.data(problem, "save one text per column of X, as numpy.array(names, dtype=str)")
    };
    let mut columns = names.columns;
    let Some(RawValues::Text(texts)) = columns.pop().filter(|_| names.dimensions == 1) else {
        return Err(wrong("feature_names is not a vector of texts"));
    };
    let found: Vec<String> = texts
        .codes()
        .iter()
        .map(|&code| texts.levels().get(code as usize).cloned().unwrap_or_default())
        .collect();
    if found.len() != width {
        return Err(wrong(&format!("{} feature_names for {width} columns", found.len())));
    }
    Ok(found)
}

fn finish(
    source: &Source<'_>,
    options: &ReadOptions,
    mut names: Vec<String>,
    values: Vec<RawValues>,
) -> Result<Vec<RawColumn>> {
    finish_names(&mut names).map_err(|error| source.place(error))?;
    options.check_names(&names).map_err(|error| source.place(error))?;
    let mut columns = Vec::with_capacity(names.len());
    for (name, values) in names.into_iter().zip(values) {
        if let RawValues::Numbers(numbers) = &values
            && let Some(row) = numbers.first_infinite()
        {
            let error = DataError::new(
                "infinite value",
                "replace it with a number, or with NaN if it is unknown",
            );
            let value = numbers.get(row).to_string();
            return Err(
                source.place(error.at_row(row as u64 + 1).in_column(name).with_value(&value))
            );
        }
        columns.push(RawColumn::new(name, values, None));
    }
    Ok(columns)
}

/// Writes the columns as a matrix, row by row. The inner error is that of the writer.
///
/// # Errors
/// A column contains categories; [`Error::Cancelled`].
pub(crate) fn write(
    writer: &mut impl Write,
    table: &Table<'_>,
    run: &Run,
) -> Result<io::Result<()>> {
    let has_levels = |kind| matches!(kind, ColumnKind::Categorical | ColumnKind::Ordinal);
    if let Some(column) = table.columns().iter().find(|column| has_levels(column.kind())) {
        let problem = "a .npy file contains numbers, but this column contains categories";
        let error = DataError::new(problem, "exclude it, or write .csv or .parquet");
        return Err(error.in_column(column.name()).into());
    }
    let mut line = npy_header::of_matrix(table.rows(), table.width());
    for row in 0..table.rows() {
        if row % 64 == 0 {
            run.check()?;
        }
        line.extend(table.columns().iter().flat_map(|column| column.value(row).to_ne_bytes()));
        if let Err(cause) = writer.write_all(&line) {
            return Ok(Err(cause));
        }
        line.clear();
    }
    // A table without rows still has a header.
    Ok(writer.write_all(&line))
}

fn damaged(source: &Source<'_>, array: &str, cause: impl Into<Cause>) -> Error {
    if source.run().check().is_err() {
        return Error::Cancelled;
    }
    let action = if array.is_empty() {
        "read it as NumPy arrays".to_string()
    } else {
        format!("read its array {array}")
    };
    source.file_error(&action, cause, DAMAGED)
}

/// Reads one array of `size` bytes, including the header.
fn read_array(source: &Source<'_>, reader: impl Read, name: &str, size: u64) -> Result<Array> {
    let fail = |cause: io::Error| damaged(source, name, cause);
    let mut reader = BufReader::with_capacity(1 << 17, reader);
    let header = Header::read(&mut reader).map_err(fail)?;
    let unsupported = |what: &str, help: &str| {
        let what = if name.is_empty() { what.to_string() } else { format!("{name}: {what}") };
        source.data(&what, help)
    };
    let refused = match header.kind {
        Kind::Object => Some((
            "the array contains Python objects".to_string(),
            "save numbers, or texts with dtype=str; pickled objects are never loaded",
        )),
        Kind::Structured => {
            Some(("the array is structured".to_string(), "save a plain matrix of numbers"))
        }
        Kind::Time => Some((
            format!("the array contains dates or durations ({})", header.descr),
            "save numbers, such as days since a fixed date",
        )),
        Kind::Other => Some((
            format!("arrays of type {} are not supported", header.descr),
            "convert it, for example with .astype('float64')",
        )),
        _ => None,
    };
    if let Some((what, help)) = refused {
        return Err(unsupported(&what, help));
    }
    let (rows, width) = match *header.shape {
        [rows] => (rows, 1),
        [rows, width] => (rows, width),
        ref shape => {
            return Err(unsupported(
                &format!("the array has {} dimensions", shape.len()),
                "save a matrix (two dimensions) or a vector (one)",
            ));
        }
    };
    let dimensions = header.shape.len();
    if rows == 0 || width == 0 {
        return Err(unsupported(
            &format!("the array is empty ({rows} rows, {width} columns)"),
            "save at least one row and one column",
        ));
    }
    // A damaged header must not cause the allocation of more memory than the data need.
    let bytes =
        rows.checked_mul(width).and_then(|count| count.checked_mul(header.size.max(1) as u64));
    if bytes.is_none_or(|bytes| bytes > size.saturating_sub(header.length)) {
        return Err(fail(io::Error::new(
            io::ErrorKind::UnexpectedEof,
            format!("the header declares {rows} x {width} values, but the file is too short"),
        )));
    }
    let layout = Layout {
        rows: rows as usize,
        width: width as usize,
        by_column: header.by_column,
        big_endian: header.big_endian,
        header: header.length,
    };
    // `Header` allows only these sizes for each kind.
    let columns = match (header.kind, header.size) {
        (Kind::Float, 4) => numbers::<f32>(reader, layout, source, name),
        (Kind::Float, _) => numbers::<f64>(reader, layout, source, name),
        (Kind::Int, 1) => numbers::<i8>(reader, layout, source, name),
        (Kind::Int, 2) => numbers::<i16>(reader, layout, source, name),
        (Kind::Int, 4) => numbers::<i32>(reader, layout, source, name),
        (Kind::Int, _) => numbers::<i64>(reader, layout, source, name),
        (Kind::Uint, 1) => numbers::<u8>(reader, layout, source, name),
        (Kind::Uint, 2) => numbers::<u16>(reader, layout, source, name),
        (Kind::Uint, 4) => numbers::<u32>(reader, layout, source, name),
        (Kind::Uint, _) => numbers::<u64>(reader, layout, source, name),
        (Kind::Bool, _) => numbers::<Truth>(reader, layout, source, name),
        (kind, size) => texts(reader, layout, (kind, size), source, name),
    }?;
    Ok(Array { columns, dimensions, rows })
}

/// The layout of the elements of an array.
#[derive(Clone, Copy)]
struct Layout {
    rows: usize,
    width: usize,
    /// Whether the elements of each column are contiguous, instead of those of each row.
    by_column: bool,
    big_endian: bool,
    /// The number of bytes before the first element.
    header: u64,
}

/// A number type of array elements.
trait Element: Copy + Sync {
    /// Decodes bytes and appends the numbers to `out`.
    fn decode(bytes: &[u8], big_endian: bool, out: &mut Vec<Self>);

    /// The number as stored in a column.
    fn number(self) -> f64;

    /// The genotype code of the number, if it is a genotype.
    fn code(self) -> Option<u8>;

    /// The whole number, if its type has numbers that are too large to be exact in a column.
    fn whole(self) -> Option<i128> {
        None
    }
}

macro_rules! element {
    ($($number:ty: $code:expr, $whole:expr);* $(;)?) => {
        $(
            impl Element for $number {
                fn decode(bytes: &[u8], big_endian: bool, out: &mut Vec<Self>) {
                    let bytes = bytes.as_chunks::<{ size_of::<$number>() }>().0.iter();
                    if big_endian {
                        out.extend(bytes.map(|bytes| <$number>::from_be_bytes(*bytes)));
                    } else {
                        out.extend(bytes.map(|bytes| <$number>::from_le_bytes(*bytes)));
                    }
                }

                #[inline]
                fn number(self) -> f64 {
                    self as f64
                }

                #[inline]
                fn code(self) -> Option<u8> {
                    $code(self)
                }

                fn whole(self) -> Option<i128> {
                    $whole(self)
                }
            }
        )*
    };
    (whole $($number:ty),*) => {
        element! { $(
            $number: |number| (0..=2).contains(&number).then_some(number as u8),
                |number| (size_of::<$number>() == 8).then_some(number as i128)
        );* }
    };
}
element!(whole i8, i16, i32, i64, u16, u32, u64);
element!(
    u8: |number| (number <= 2).then_some(number), |_| None;
    f32: |number| exact_code(f64::from(number)), |_| None;
    f64: exact_code, |_| None;
);

/// A boolean: 0, or 1 for any other value of the byte.
#[derive(Clone, Copy)]
struct Truth(u8);

impl Element for Truth {
    fn decode(bytes: &[u8], _: bool, out: &mut Vec<Self>) {
        out.extend(bytes.iter().map(|byte| Self(u8::from(*byte != 0))));
    }

    fn number(self) -> f64 {
        f64::from(self.0)
    }

    fn code(self) -> Option<u8> {
        Some(self.0)
    }
}

/// Calls `take` with the elements of a range of columns, in the order of the file and about `most` at a time. `skip`
/// skips a number of bytes of the reader; it is not called if the range contains all columns.
fn pieces<T: Element, R: Read>(
    reader: &mut R,
    skip: impl Fn(&mut R, u64) -> io::Result<()>,
    layout: Layout,
    columns: Range<usize>,
    most: usize,
    source: &Source<'_>,
    name: &str,
    take: &mut dyn FnMut(Piece<'_, T>) -> Result<()>,
) -> Result<()> {
    let fail = |cause: io::Error| damaged(source, name, cause);
    let Layout { rows, width: all, by_column, .. } = layout;
    let bytes = |elements: usize| (elements * size_of::<T>()) as u64;
    // The lines of the array that are read, the number of steps along a line per piece, and the width of a piece.
    let (firsts, at_once, width) = if by_column {
        (columns, most.clamp(1, rows), 1)
    } else {
        (columns.start..columns.start + 1, (most / columns.len()).clamp(1, rows), columns.len())
    };
    let between = if by_column { 0 } else { bytes(all - width) };
    let before = if by_column { bytes(firsts.start * rows) } else { bytes(firsts.start) };
    if before > 0 {
        skip(reader, before).map_err(fail)?;
    }
    let (mut read, mut values) = (Vec::new(), Vec::new());
    for column in firsts {
        for row in (0..rows).step_by(at_once) {
            source.run().check()?;
            let count = at_once.min(rows - row);
            values.clear();
            // Complete rows are read at once.
            let (parts, length) =
                if between == 0 { (1, bytes(count * width)) } else { (count, bytes(width)) };
            for part in 0..parts {
                read.clear();
                // Memory is allocated as the bytes are read, because the size in a zip directory may be wrong.
                reader.by_ref().take(length).read_to_end(&mut read).map_err(fail)?;
                if (read.len() as u64) < length {
                    return Err(fail(io::ErrorKind::UnexpectedEof.into()));
                }
                T::decode(&read, layout.big_endian, &mut values);
                if between > 0 && row + part + 1 < rows {
                    skip(reader, between).map_err(fail)?;
                }
            }
            let is_rounded = |whole: &i128| exact_number(*whole).is_none();
            let rounded = |(at, value): (usize, &T)| Some((at, value.whole().filter(is_rounded)?));
            if let Some((at, whole)) = values.iter().enumerate().find_map(rounded) {
                let cell = format!("`{whole}` (row {})", row + at / width + 1);
                let name = format!("column {}", column + at % width + 1);
                return Err(source.place(inexact(&cell, &name)));
            }
            take(Piece { row, column, width, values: &values })?;
        }
    }
    Ok(())
}

/// Reads numbers into columns, in memory, or in a temporary file if they do not fit in memory.
fn numbers<T: Element>(
    mut reader: impl Read,
    layout: Layout,
    source: &Source<'_>,
    name: &str,
) -> Result<Vec<RawValues>> {
    let Layout { rows, width, .. } = layout;
    // Complete cache lines per column, even for a very large number of columns, unless memory is small.
    let memory = source.run().memory().bytes() / (ROOM * size_of::<T>() as u64);
    let most_of = |width: usize| BLOCK_ELEMENTS.max((BLOCK_ROWS * width).min(memory as usize));
    let bytes = (rows as u64).saturating_mul(width as u64).saturating_mul(8);
    // An array in a zip or from a pipe cannot be read twice.
    let twice = name.is_empty() && source.held().is_none();
    if twice && !source.run().memory().holds(bytes) {
        let skip = |reader: &mut BufReader<Counted<'_, File>>, bytes: u64| {
            reader.seek_relative(bytes as i64)
        };
        let again = |columns: Range<usize>, take: &mut dyn FnMut(Piece<'_, T>) -> Result<()>| {
            // A small buffer avoids reading more than is needed.
            let mut reader = BufReader::with_capacity(1 << 12, counted_file(source)?);
            let fail = |cause| damaged(source, name, cause);
            skip(&mut reader, layout.header).map_err(fail)?;
            let most = most_of(columns.len());
            pieces(&mut reader, skip, layout, columns, most, source, name, take)
        };
        let columns = write_columns((rows, width), again, T::code, T::number, source.run())?;
        return Ok(columns.into_iter().map(|column| RawValues::Numbers(column.into())).collect());
    }
    // Memory is not allocated before the data are read; see `pieces`.
    let expected = if name.is_empty() { rows } else { 0 };
    let mut columns: Vec<CompactNumbers> =
        (0..width).map(|_| CompactNumbers::with_capacity(expected)).collect();
    let skip = |_: &mut _, _| Ok(());
    let most = most_of(width);
    pieces(&mut reader, skip, layout, 0..width, most, source, name, &mut |piece: Piece<'_, T>| {
        CompactNumbers::extend_all(&mut columns, &piece, T::code, T::number);
        Ok(())
    })?;
    Ok(columns.into_iter().map(RawValues::Numbers).collect())
}

/// Reads texts of `size` bytes each.
fn texts(
    mut reader: impl Read,
    layout: Layout,
    (kind, size): (Kind, usize),
    source: &Source<'_>,
    name: &str,
) -> Result<Vec<RawValues>> {
    let Layout { rows, width, by_column, big_endian, .. } = layout;
    let fail = |cause: io::Error| damaged(source, name, cause);
    let mut columns = vec![Vec::<String>::new(); width];
    let mut bytes = Vec::new();
    for index in 0..rows * width {
        if (index as u64).is_multiple_of(CHECK_ELEMENTS) {
            source.run().check()?;
        }
        bytes.clear();
        reader.by_ref().take(size as u64).read_to_end(&mut bytes).map_err(fail)?;
        if bytes.len() < size {
            return Err(fail(io::ErrorKind::UnexpectedEof.into()));
        }
        let text = text(&bytes, kind, big_endian).ok_or_else(|| {
            let what = format!("text {} is not valid Unicode", index + 1);
            fail(io::Error::new(io::ErrorKind::InvalidData, what))
        })?;
        let column = if by_column { index / rows } else { index % width };
        columns[column].push(text);
    }
    let categories = |column: Vec<String>| {
        let known = |text: &'_ String| !is_missing_text(text);
        Categories::from_texts(column.iter().map(|text| known(text).then_some(text.as_str())))
    };
    Ok(columns.into_iter().map(|column| RawValues::Text(categories(column))).collect())
}

/// Returns the text of an element without the zero padding.
fn text(bytes: &[u8], kind: Kind, big_endian: bool) -> Option<String> {
    if kind == Kind::Bytes {
        let end = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        return str::from_utf8(&bytes[..end]).ok().map(str::to_string);
    }
    let number = if big_endian { u32::from_be_bytes } else { u32::from_le_bytes };
    let characters = bytes.as_chunks().0.iter().map(|&bytes| char::from_u32(number(bytes)));
    let text: String = characters.collect::<Option<_>>()?;
    Some(text.trim_end_matches('\0').to_string())
}
