//! Delimited text, read as a stream. A second pass is needed only for columns that begin with numbers and turn out to
//! be text.

use std::collections::HashSet;
use std::io::{self, Read, Write};

use basrelief::data::{CompactNumbers, RawColumn, RawValues};
use basrelief::error::shorten;
use basrelief::{DataError, Error, Result};

use crate::cells::{Collector, Refusal, Want};
use crate::options::{Format, ReadOptions, finish_names};
use crate::records::{Fault, MAX_FIELDS, Record, Records};
use crate::source::{EMPTY_HELP, Source};
use basrelief::wording::{quoted, setting, ways};

/// The delimiters that are detected, in order of preference; the space is the last resort.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// The number of bytes of the first line that are searched for the delimiter.
const SNIFF_BYTES: u64 = 1 << 20;

/// The maximum numbers of cells, bytes and rows of a block that is added to the columns at once. Blocks help because a
/// wide table has more columns than fit in the caches.
const BLOCK_CELLS: usize = 1 << 16;
const BLOCK_BYTES: usize = 1 << 18;
const BLOCK_ROWS: usize = 16;

/// Memory of a column in bytes, in addition to its values, here and in the resulting table.
pub(crate) const COLUMN_BYTES: u64 = 600;

/// Memory of a row in bytes, in addition to its values: its class or number, and its entry in the list of rows with a
/// target.
const ROW_BYTES: u64 = 40;

/// The number of cells after which the memory of the columns is checked again.
const CLAIMED_CELLS: usize = 1 << 23;

/// Reads a table with samples in rows, and the names of the rows if `options` require them.
pub(crate) fn read(
    source: &Source<'_>,
    usual: Option<u8>,
    options: &ReadOptions,
) -> Result<Vec<RawColumn>> {
    open(source, usual, options)?.read()
}

/// Prepares the reading of a text file: checks its start, and detects the delimiter.
pub(crate) fn open<'s>(
    source: &'s Source<'s>,
    usual: Option<u8>,
    options: &'s ReadOptions,
) -> Result<CsvReader<'s>> {
    let delimiter = match options.delimiter {
        Some(delimiter) if !delimiter.is_ascii() || matches!(delimiter, b'"' | b'\n' | b'\r') => {
            return Err(Error::option(
                "delimiter",
                format!("{:?} cannot delimit fields", char::from(delimiter)),
                "give one ASCII character other than a quote or a line end",
            ));
        }
        given => given.or(usual),
    };
    let first_line = first_line(source)?;
    refuse_delimiter_line(source, &first_line)?;
    Ok(CsvReader {
        source,
        options,
        delimiter: delimiter.unwrap_or_else(|| sniff(&first_line)),
        sniffed: delimiter.is_none(),
        begins_with_comment: first_line.starts_with(COMMENT),
    })
}

/// Writes the columns with these names as CSV, with unchanged texts. The inner error is that of the writer.
pub(crate) fn copy(
    source: &Source<'_>,
    format: Format,
    options: &ReadOptions,
    names: &HashSet<&str>,
    writer: &mut dyn Write,
) -> Result<io::Result<()>> {
    let usual = (format == Format::Tsv).then_some(b'\t');
    let delimiter = match options.delimiter.or(usual) {
        Some(delimiter) => delimiter,
        None => sniff(&first_line(source)?),
    };
    // The file was read before, so all records have the same number of fields.
    let table =
        CsvReader { source, options, delimiter, sniffed: false, begins_with_comment: false };
    let mut records = Records::new(source.text(Some(&source.stage("")))?, delimiter);
    let mut record = Record::default();
    let mut out = csv::Writer::from_writer(writer);
    let mut columns = Vec::new();
    let mut wanted: Vec<usize> = Vec::new();
    let mut header = true;
    while records
        .read(&mut record, usize::MAX)
        .map_err(|fault| table.unreadable(fault, &columns))?
    {
        if header {
            columns = table.header(&record)?;
            wanted = (0..columns.len()).filter(|&k| names.contains(columns[k].name())).collect();
            if let Err(cause) = out.write_record(wanted.iter().map(|&k| columns[k].name())) {
                return Ok(Err(io::Error::other(cause)));
            }
        } else if record.fields != columns.len() {
            return Err(table.ragged(&record, columns.len()));
        }
        if !header || !options.has_header {
            if let Err(cause) = out.write_record(wanted.iter().map(|&k| record.field(k))) {
                return Ok(Err(io::Error::other(cause)));
            }
            source.run().check()?;
        }
        header = false;
    }
    Ok(out.flush())
}

/// The start of comment lines of other programs.
const COMMENT: &[u8] = b"#";

/// Refuses a line such as `sep=;`, which declares the delimiter for spreadsheets and is not part of the table.
fn refuse_delimiter_line(source: &Source<'_>, line: &[u8]) -> Result<()> {
    let text = String::from_utf8_lossy(line).to_ascii_lowercase();
    let text = text.trim().trim_matches('"');
    let states_delimiter = text.strip_prefix("sep=").is_some_and(|rest| {
        let rest = rest.trim_matches('"');
        rest.chars().count() <= 1 && !rest.contains(char::is_alphanumeric)
    });
    if !states_delimiter {
        return Ok(());
    }
    let problem = format!("{} declares the delimiter for spreadsheets", quoted(text));
    Err(source.place(DataError::new(problem, "delete the line").at_line(1)))
}

/// Returns the first non-blank line, at most [`SNIFF_BYTES`] of it.
fn first_line(source: &Source<'_>) -> Result<Vec<u8>> {
    let mut start = Vec::new();
    let mut text = source.text(None)?.take(SNIFF_BYTES);
    let mut block = [0; 8192];
    let blank = |byte: &u8| byte.is_ascii_whitespace();
    let mut line = 0;
    loop {
        let count = text.read(&mut block).map_err(|cause| source.read_error(cause))?;
        let from = start.len();
        start.extend_from_slice(&block[..count]);
        if from == 0 && (start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff")) {
            return Err(source.data(
                "the text is UTF-16",
                "convert it, for example with `iconv -f UTF-16 -t UTF-8 IN > OUT`",
            ));
        }
        if start[from..].contains(&0) {
            return Err(source.data(
                "the file contains NUL bytes: it is not text",
                "export it as CSV, or specify its format",
            ));
        }
        line += start[line.min(start.len())..].iter().take_while(|byte| blank(byte)).count();
        let rest = &start[line.min(start.len())..];
        let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        if end.is_some() || count == 0 {
            if rest.is_empty() && text.limit() > 0 {
                return Err(source.data("the file is empty (only blank lines)", EMPTY_HELP));
            }
            return Ok(rest[..end.unwrap_or(rest.len())].to_vec());
        }
    }
}

fn sniff(line: &[u8]) -> u8 {
    let mut quoted = false;
    let mut counts = [0; DELIMITERS.len()];
    for &byte in line {
        quoted ^= byte == b'"';
        if let Some(which) = DELIMITERS.iter().position(|&delimiter| delimiter == byte)
            && !quoted
        {
            counts[which] += 1;
        }
    }
    // Ties are won by the first delimiter.
    let best = (0..DELIMITERS.len()).rev().max_by_key(|&which| counts[which]).unwrap_or(0);
    if counts[best] > 0 {
        DELIMITERS[best]
    } else if line.contains(&b' ') {
        b' '
    } else {
        b','
    }
}

fn delimiter_name(delimiter: u8) -> String {
    match delimiter {
        b'\t' => "the tab".to_string(),
        b' ' => "the space".to_string(),
        other => format!("`{}`", char::from(other)),
    }
}

pub(crate) struct CsvReader<'s> {
    pub(crate) source: &'s Source<'s>,
    pub(crate) options: &'s ReadOptions,
    pub(crate) delimiter: u8,
    sniffed: bool,
    /// Whether the first line begins like a comment; it may still be a header.
    begins_with_comment: bool,
}

impl CsvReader<'_> {
    fn read(&self) -> Result<Vec<RawColumn>> {
        let mut columns = Vec::new();
        let rows = self.pass("", &mut columns)?;
        if columns.is_empty() {
            return Err(self.source.data("the file is empty (only blank lines)", EMPTY_HELP));
        }
        if rows == 0 {
            return Err(self.source.data(
                "the file has no data rows after the header",
                &format!(
                    "add data, or use {} if the first line is data",
                    setting("no_header", None)
                ),
            ));
        }
        if columns.iter().any(Collector::is_lost) {
            let again = self.pass("text columns of ", &mut columns)?;
            if again != rows {
                return Err(self.source.file_error(
                    "read it",
                    format!("it changed while it was read ({rows} rows, then {again})"),
                    "wait until the file is complete",
                ));
            }
        }
        let finished = |column: Collector| {
            if self.options.is_unread(column.name()) {
                let name = column.name().to_string();
                let values = RawValues::Numbers(CompactNumbers::missing(rows as usize));
                return RawColumn::new(name, values, None);
            }
            column.finish()
        };
        Ok(columns.into_iter().map(finished).collect())
    }

    /// Reads the file: all columns in the first pass, otherwise those that must be read again. Returns the number of
    /// rows.
    fn pass(&self, what: &str, columns: &mut Vec<Collector>) -> Result<u64> {
        let run = self.source.run();
        // In the first pass, the first record determines the columns.
        let mut active: Vec<usize> =
            (0..columns.len()).filter(|&index| columns[index].is_lost()).collect();
        for &index in &active {
            columns[index].restart_as_text();
        }
        let text = self.source.text(Some(&self.source.stage(what)))?;
        let mut records = Records::new(text, self.delimiter);
        let mut block: Vec<Record> = Vec::new();
        block.resize_with(BLOCK_ROWS, Record::default);
        let (mut filled, mut bytes, mut unclaimed) = (0, 0, 0);
        let mut rows = 0;
        let mut header = self.options.has_header;
        loop {
            let (before, rest) = block.split_at_mut(filled);
            let record = &mut rest[0];
            let keep = if columns.is_empty() { usize::MAX } else { columns.len() };
            let read = records.read(record, keep);
            if !matches!(read, Ok(true)) {
                self.push_block(before, columns, &active)?;
                return read.map(|_| rows).map_err(|fault| self.unreadable(fault, columns));
            }
            if columns.is_empty() {
                *columns = self.header(record)?;
                self.claim(columns.len() as u64 * COLUMN_BYTES)?;
                let looked_at = |&index: &usize| !self.options.is_unread(columns[index].name());
                active = (0..columns.len()).filter(looked_at).collect();
            }
            if header {
                header = false;
                continue;
            }
            rows += 1;
            if record.fields != columns.len() {
                self.push_block(before, columns, &active)?;
                return Err(self.ragged(record, columns.len()));
            }
            filled += 1;
            bytes += record.size();
            if filled == BLOCK_ROWS || filled * columns.len() >= BLOCK_CELLS || bytes >= BLOCK_BYTES
            {
                self.push_block(&block[..filled], columns, &active)?;
                unclaimed += filled * active.len();
                (filled, bytes) = (0, 0);
                run.check()?;
                if unclaimed >= CLAIMED_CELLS {
                    unclaimed = 0;
                    let held: usize = columns.iter().map(Collector::bytes).sum();
                    // A column that grows is copied to twice its size.
                    let table = columns.len() as u64 * COLUMN_BYTES + 3 * held as u64;
                    self.claim(table + rows * ROW_BYTES)?;
                }
            }
        }
    }

    /// Refuses a table that does not fit in memory.
    pub(crate) fn claim(&self, bytes: u64) -> Result<()> {
        let instead = "exclude columns, or save the table as .npy, which need not fit in memory";
        self.source.run().memory().claim(bytes, "the table", instead)
    }

    /// Adds a block of records to the active columns, column by column. If several cells are refused, the first one in
    /// the file is reported.
    fn push_block(
        &self,
        block: &[Record],
        columns: &mut [Collector],
        active: &[usize],
    ) -> Result<()> {
        let mut rows = block.len();
        let mut first = Ok(());
        for &index in active {
            let column = &mut columns[index];
            for (row, record) in block[..rows].iter().enumerate() {
                let pushed = self.push(column, record, record.field(index));
                if pushed.is_err() {
                    (rows, first) = (row, pushed);
                    break;
                }
            }
        }
        first
    }

    pub(crate) fn push(&self, column: &mut Collector, record: &Record, cell: &[u8]) -> Result<()> {
        if self.options.is_missing(cell) {
            column.push_missing();
            return Ok(());
        }
        let became_text = column
            .push(cell, record.line)
            .map_err(|refusal| self.refused(refusal, column.name(), record, cell))?;
        if became_text && self.delimiter != b',' {
            self.refuse_decimal_comma(column.name(), record, cell)?;
        }
        Ok(())
    }

    /// Creates the columns from the first record.
    fn header(&self, record: &Record) -> Result<Vec<Collector>> {
        let mut names = vec![String::new(); record.fields];
        if self.options.has_header {
            for (index, field) in record.iter().enumerate() {
                names[index] = std::str::from_utf8(field)
                    .map_err(|_| {
                        let name = format!("column_{}", index + 1);
                        self.refused(Refusal::NotUtf8, &name, record, field)
                    })?
                    .to_string();
            }
        }
        finish_names(&mut names).map_err(|mut error| {
            let no_header = setting("no_header", None);
            error.help.push(format!(", or use {no_header} if the first line is data"));
            self.source.place(error.at_line(record.line))
        })?;
        self.options.check_names(&names).map_err(|error| self.source.place(error))?;
        Ok(names
            .into_iter()
            .enumerate()
            .map(|(place, name)| {
                let want = match place {
                    0 if self.options.has_row_names => Want::Text,
                    _ => self.options.want(&name),
                };
                Collector::new(name, want)
            })
            .collect())
    }

    pub(crate) fn refused(
        &self,
        refusal: Refusal,
        column: &str,
        record: &Record,
        cell: &[u8],
    ) -> Error {
        let error = match refusal {
            Refusal::Because(error) => error,
            Refusal::NotUtf8 => DataError::new(
                format!(
                    "the text is not UTF-8 (on the line that begins at byte {} of the text)",
                    record.offset
                ),
                "convert the file, for example with `iconv -f WINDOWS-1252 -t UTF-8 IN > OUT`",
            ),
        };
        self.source.place(
            error.at_line(record.line).in_column(column).with_value(&String::from_utf8_lossy(cell)),
        )
    }

    /// Refuses numbers with a decimal comma. With a delimiter other than the comma, `3,14` is a number in a European
    /// export; as a text, it would silently become a category.
    fn refuse_decimal_comma(&self, column: &str, record: &Record, cell: &[u8]) -> Result<()> {
        let text = String::from_utf8_lossy(cell);
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let number =
            text.trim_start_matches(['-', '+']).split_once(',').is_some_and(|(whole, fraction)| {
                digits(whole) && !fraction.is_empty() && digits(fraction)
            });
        if !number || self.options.want(column) != Want::Infer {
            return Ok(());
        }
        let error = DataError::new(
            "the number has a decimal comma",
            ways(&[
                "write decimal points",
                &format!("use {} if it is a text", setting("categorical", Some(column))),
            ]),
        );
        Err(self.refused(Refusal::Because(error), column, record, cell))
    }

    fn ragged(&self, record: &Record, expected: usize) -> Error {
        let found = record.fields;
        let fields = if found == 1 { "field" } else { "fields" };
        let whose = if self.options.has_header { "the header" } else { "the first line" };
        let counts = format!("{found} {fields}, but {whose} has {expected}");
        let comment = match record.field(0) {
            field if field.starts_with(COMMENT) => "the line",
            _ if self.begins_with_comment => whose,
            _ => "",
        };
        if !comment.is_empty() {
            let problem = format!("{counts}, and {comment} begins with `#`");
            let help = "delete comment lines, for example with `grep -v '^#' IN > OUT`";
            return self.source.place(DataError::new(problem, help).at_line(record.line));
        }
        let mut help = "correct the line, or quote fields that contain the delimiter".to_string();
        if found == expected + 1 {
            help.push_str(
                " (if every line has a row name without a header field, as in files written by R, add a \
                 header field for it)",
            );
        }
        if self.sniffed {
            help.push_str(&format!(
                "; the detected delimiter is {}: specify another one with {}",
                delimiter_name(self.delimiter),
                setting("delimiter", None)
            ));
        }
        self.source.place(DataError::new(counts, help).at_line(record.line))
    }

    pub(crate) fn unreadable(&self, fault: Fault, columns: &[Collector]) -> Error {
        let name = |field: usize| match columns.get(field) {
            Some(column) => column.name().to_string(),
            None => format!("column_{}", field + 1),
        };
        match fault {
            Fault::Read(cause) => self.source.read_error(cause),
            Fault::OpenQuote { line, field } => self.source.place(
                DataError::new(
                    "a quote opens here and is never closed",
                    "close it, or double it if it belongs to the text",
                )
                .at_line(line)
                .in_column(name(field)),
            ),
            Fault::ManyFields { line } => self.source.place(
                DataError::new(
                    format!("more than {MAX_FIELDS} fields in a line"),
                    format!(
                        "check that the delimiter is {}, and that the file has one line per row",
                        delimiter_name(self.delimiter)
                    ),
                )
                .at_line(line),
            ),
            Fault::LongField { line, field, start } => self.source.place(
                DataError::new(
                    format!(
                        "a field has more than {} characters; it begins with `{}`",
                        crate::MAX_FIELD_BYTES,
                        shorten(&start, 40)
                    ),
                    "look for a missing quote or delimiter",
                )
                .at_line(line)
                .in_column(name(field)),
            ),
        }
    }
}
