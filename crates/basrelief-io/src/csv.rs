//! Delimited text, read as a stream: once for the numbers, and a second time only for columns
//! that turn out to be text after having begun with numbers.

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

/// Delimiters that are sniffed, in order of preference; the space is the last resort.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// Bytes of the first line that are looked at for the delimiter.
const SNIFF_BYTES: u64 = 1 << 20;

/// Cells, bytes and rows of a block that is moved into the columns at once: a wide table has more
/// columns than the caches can hold open.
const BLOCK_CELLS: usize = 1 << 16;
const BLOCK_BYTES: usize = 1 << 18;
const BLOCK_ROWS: usize = 16;

/// Bytes that a column takes beside its values, here and in the table made of it.
const COLUMN_BYTES: u64 = 600;

/// Bytes that a row takes beside its values: its class or number, and the list of those that have one.
const ROW_BYTES: u64 = 40;

/// Cells between two looks at the memory that the columns take.
const CLAIMED_CELLS: usize = 1 << 23;

pub(crate) fn read(
    source: &Source<'_>,
    usual: Option<u8>,
    options: &ReadOptions,
) -> Result<Vec<RawColumn>> {
    let delimiter = match options.delimiter {
        Some(delimiter) if !delimiter.is_ascii() || matches!(delimiter, b'"' | b'\n' | b'\r') => {
            return Err(Error::option(
                "delimiter",
                format!("{:?} cannot delimit fields", char::from(delimiter)),
                "give one ASCII character that is no quote and no line end",
            ));
        }
        given => given.or(usual),
    };
    let first_line = first_line(source)?;
    refuse_delimiter_line(source, &first_line)?;
    let table = CsvReader {
        source,
        options,
        delimiter: delimiter.unwrap_or_else(|| sniff(&first_line)),
        sniffed: delimiter.is_none(),
        begins_with_comment: first_line.starts_with(COMMENT),
    };
    table.read()
}

/// Writes the columns of these names as CSV, with the texts of all cells. The inner error is the
/// writer's.
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
    // The file was read before, so that it has the same number of fields everywhere.
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

/// What comment lines of other programs begin with.
const COMMENT: &[u8] = b"#";

/// Refuses a line as `sep=;`, by which spreadsheets state the delimiter and which is no part of the
/// table.
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
    let problem = format!("{} states the delimiter for spreadsheets", quoted(text));
    Err(source.place(DataError::new(problem, "delete the line").at_line(1)))
}

/// The first line that is not blank, as far as it is needed to see its delimiter.
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
                "the file holds NUL bytes: it is no text",
                "export it as CSV, or state its format",
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
    // The first of equals wins.
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
        b'\t' => "the tabulator".to_string(),
        b' ' => "the space".to_string(),
        other => format!("`{}`", char::from(other)),
    }
}

struct CsvReader<'s> {
    source: &'s Source<'s>,
    options: &'s ReadOptions,
    delimiter: u8,
    sniffed: bool,
    /// Whether the first line begins as comments do; it may be a header all the same.
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
                "there is a header but no data row below it",
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
                    format!("it changed meanwhile ({rows} rows, then {again})"),
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

    /// Reads the file: all columns if there are none yet, else those lost. Returns the rows.
    fn pass(&self, what: &str, columns: &mut Vec<Collector>) -> Result<u64> {
        let run = self.source.run();
        // In the first pass all columns, which the first record tells.
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
                    // A column that grows is copied to twice the room.
                    let table = columns.len() as u64 * COLUMN_BYTES + 3 * held as u64;
                    self.claim(table + rows * ROW_BYTES)?;
                }
            }
        }
    }

    /// Refuses a table that does not fit into memory.
    fn claim(&self, bytes: u64) -> Result<()> {
        let instead = "leave columns out, or save the table as .npy, which may lie in a file";
        self.source.run().memory().claim(bytes, "the table", instead)
    }

    /// Adds a block of records to the columns listed, column by column; of the cells refused the
    /// first in the order of the file is reported.
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

    fn push(&self, column: &mut Collector, record: &Record, cell: &[u8]) -> Result<()> {
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

    /// The columns, from the first record.
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
            .map(|name| {
                let want = self.options.want(&name);
                Collector::new(name, want)
            })
            .collect())
    }

    fn refused(&self, refusal: Refusal, column: &str, record: &Record, cell: &[u8]) -> Error {
        let error = match refusal {
            Refusal::Because(error) => error,
            Refusal::NotUtf8 => DataError::new(
                format!(
                    "the text is not UTF-8 (in the line that begins at byte {} of the text)",
                    record.offset
                ),
                "convert the file, for example with `iconv -f WINDOWS-1252 -t UTF-8 IN > OUT`",
            ),
        };
        self.source.place(
            error.at_line(record.line).in_column(column).with_value(&String::from_utf8_lossy(cell)),
        )
    }

    /// With another delimiter, `3,14` is a number of a European export: as a text it would
    /// silently become a category.
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
            "a number with a decimal comma",
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
        let counts = format!("{found} {fields} where {whose} has {expected}");
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
        let mut help = "correct the line, or quote fields that hold the delimiter".to_string();
        if found == expected + 1 {
            help.push_str(
                " (if every line has a row name that the header lacks, as R writes it, add a \
                 header field for it)",
            );
        }
        if self.sniffed {
            help.push_str(&format!(
                "; the delimiter was taken to be {}: state it by {} if it is another",
                delimiter_name(self.delimiter),
                setting("delimiter", None)
            ));
        }
        self.source.place(DataError::new(counts, help).at_line(record.line))
    }

    fn unreadable(&self, fault: Fault, columns: &[Collector]) -> Error {
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
                        "is the delimiter {}? A table of rows has one line per row",
                        delimiter_name(self.delimiter)
                    ),
                )
                .at_line(line),
            ),
            Fault::LongField { line, field, start } => self.source.place(
                DataError::new(
                    format!(
                        "a field of more than {} characters that begins with `{}`",
                        crate::MAX_FIELD_BYTES,
                        shorten(&start, 40)
                    ),
                    "look for a lost quote or delimiter",
                )
                .at_line(line)
                .in_column(name(field)),
            ),
        }
    }
}
