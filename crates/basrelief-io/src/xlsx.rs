//! A worksheet of Excel, as comma-separated text with a line per row.

use std::io::Cursor;

use basrelief::error::nearest_name;
use basrelief::wording::{quoted, setting};
use basrelief::{DataError, Error, Result};
use calamine::{DataRef, Reader, Xlsx, XlsxError};

use crate::source::Source;

/// The memory that a byte of an unpacked workbook needs at most while it is read.
const BYTES_PER_BYTE: u64 = 3;

/// The number of cells after which the run is checked again.
const CELLS_AT_ONCE: usize = 1 << 14;

/// The largest number of cells, including empty ones, that the text may have.
const MOST_CELLS: u64 = 1 << 31;

/// Returns the text of a worksheet. Dates become texts such as `2026-11-29`, and errors such as `#N/A` remain.
///
/// # Errors
/// The file is not a workbook; it has several worksheets and none is named; cells are merged; the worksheet is empty.
pub(crate) fn as_text<'r>(source: &Source<'r>, sheet: Option<&str>) -> Result<Source<'r>> {
    let run = source.run();
    let instead = "save the worksheet as .csv";
    run.progress().start(&source.stage(""), 0);
    let mut bytes = Vec::new();
    source.text(None)?.read_to_end(&mut bytes).map_err(|cause| source.read_error(cause))?;
    let damaged = |error: String| {
        source.file_error("read it as a workbook", error, "save it again as .xlsx, or as .csv")
    };
    let unpacked = unpacked_size(&bytes).map_err(|error| damaged(error.to_string()))?;
    run.memory().claim(unpacked.saturating_mul(BYTES_PER_BYTE), "the workbook", instead)?;
    let damaged = |error: XlsxError| damaged(error.to_string());
    let mut book: Xlsx<_> = Xlsx::new(Cursor::new(bytes)).map_err(damaged)?;
    let name = chosen(source, &book.sheet_names(), sheet)?;
    if let Some(merged) = book.merge_cells_by_sheet_name(&name).map_err(damaged)?.first() {
        let problem = format!(
            "the cells {}:{} of the worksheet {} are merged",
            cell_name(merged.start),
            cell_name(merged.end),
            quoted(&name)
        );
        let help = "split merged cells, so that every cell has a value of its own";
        return Err(source.place(DataError::new(problem, help)));
    }
    let mut rows: Vec<Vec<(u32, String)>> = Vec::new();
    let (mut width, mut count) = (0, 0);
    let mut cells = book.worksheet_cells_reader(&name).map_err(damaged)?;
    while let Some(cell) = cells.next_cell().map_err(damaged)? {
        count += 1;
        if count % CELLS_AT_ONCE == 0 {
            run.check()?;
        }
        let (row, column) = cell.get_position();
        let text = text_of(cell.get_value());
        if text.is_empty() {
            continue;
        }
        if rows.len() <= row as usize {
            rows.resize_with(row as usize + 1, Vec::new);
        }
        rows[row as usize].push((column, text));
        width = width.max(column + 1);
    }
    run.progress().finish();
    if rows.is_empty() {
        let problem = format!("the worksheet {} is empty", quoted(&name));
        return Err(source.data(&problem, "name another worksheet, or fill it"));
    }
    let size = rows.len() as u64 * u64::from(width);
    if size > MOST_CELLS {
        let problem = format!("the worksheet has {} rows and {width} columns", rows.len());
        return Err(source.data(&problem, "delete cells far from the table, or save it as .csv"));
    }
    run.memory().claim(size, "the worksheet", instead)?;
    let mut out = Vec::new();
    let mut line = vec![String::new(); width as usize];
    for row in rows {
        run.check()?;
        line.iter_mut().for_each(String::clear);
        let is_blank = row.is_empty();
        row.into_iter().for_each(|(column, text)| line[column as usize] = text);
        if !is_blank {
            // A line per row: line breaks in cells would move the lines that messages name.
            let written: Vec<String> = line.iter().map(|text| escaped(text)).collect();
            out.extend_from_slice(written.join(",").as_bytes());
        }
        out.push(b'\n');
    }
    Ok(source.with_text(out))
}

/// The size of the unpacked files of a workbook in bytes.
fn unpacked_size(bytes: &[u8]) -> zip::result::ZipResult<u64> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes))?;
    (0..archive.len())
        .try_fold(0_u64, |sum, place| Ok(sum.saturating_add(archive.by_index_raw(place)?.size())))
}

/// The worksheet to read.
fn chosen(source: &Source<'_>, names: &[String], sheet: Option<&str>) -> Result<String> {
    let list = || names.iter().map(|name| quoted(name).to_string()).collect::<Vec<_>>().join(", ");
    match (sheet, names) {
        (Some(sheet), _) if names.iter().any(|name| name == sheet) => Ok(sheet.to_string()),
        (Some(sheet), _) => {
            let help = match nearest_name(sheet, names.iter().map(String::as_str)) {
                Some(near) => format!("did you mean {}?", quoted(near)),
                None => format!("the worksheets are {}", list()),
            };
            Err(Error::option("sheet", format!("there is no worksheet {}", quoted(sheet)), help))
        }
        (None, [only]) => Ok(only.clone()),
        (None, []) => Err(source.data("the workbook has no worksheet", "save it again as .xlsx")),
        (None, _) => Err(Error::option(
            "sheet",
            format!("the workbook has {} worksheets: {}", names.len(), list()),
            format!("choose one with {}", setting("sheet", Some(&names[0]))),
        )
        .in_file(source.path())),
    }
}

/// The text of a cell, as CSV would contain it.
fn text_of(value: &DataRef<'_>) -> String {
    match value {
        DataRef::Empty => String::new(),
        DataRef::Int(value) => value.to_string(),
        DataRef::Float(value) => value.to_string(),
        DataRef::String(text) => text.clone(),
        DataRef::SharedString(text) => (*text).to_string(),
        DataRef::Bool(value) => value.to_string(),
        DataRef::DateTime(time) if time.is_duration() => time.as_f64().to_string(),
        DataRef::DateTime(time) => match time.to_ymd_hms_milli() {
            (year, month, day, 0, 0, 0, 0) => format!("{year:04}-{month:02}-{day:02}"),
            (year, month, day, hour, minute, second, _) => {
                format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
            }
        },
        DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => text.clone(),
        DataRef::Error(error) => error.to_string(),
    }
}

/// A field of comma-separated text.
fn escaped(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    match text.contains([',', '"']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text,
    }
}

/// The name of a cell, such as `B2`.
fn cell_name((row, column): (u32, u32)) -> String {
    let mut letters = Vec::new();
    let mut rest = column + 1;
    while rest > 0 {
        letters.push(char::from(b'A' + ((rest - 1) % 26) as u8));
        rest = (rest - 1) / 26;
    }
    format!("{}{}", letters.iter().rev().collect::<String>(), row + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_the_names_of_a_worksheet() {
        assert_eq!(cell_name((0, 0)), "A1");
        assert_eq!(cell_name((9, 25)), "Z10");
        assert_eq!(cell_name((1, 26)), "AA2");
        assert_eq!(cell_name((0, 701)), "ZZ1");
        assert_eq!(cell_name((0, 702)), "AAA1");
    }

    #[test]
    fn texts_are_quoted_where_they_must_be() {
        assert_eq!(escaped("a\nb"), "a b");
        assert_eq!(escaped("a,\"b\""), "\"a,\"\"b\"\"\"");
    }
}
