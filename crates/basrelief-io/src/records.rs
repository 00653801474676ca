//! Splits delimited text into records.
//!
//! The `csv` crate does this, too (a test compares the two). However, it does not report an unclosed quote, starts a
//! record at the blank lines before it, and does not limit the size of a field. In these cases a user needs an exact
//! message.

use std::io::{self, Read};

/// The maximum size of a field of a text file in bytes; a longer one is a sign of a missing quote.
pub const MAX_FIELD_BYTES: usize = 1 << 20;

/// The maximum number of fields of a record; more fields are a sign of a wrong delimiter.
pub(crate) const MAX_FIELDS: usize = 1 << 24;

const BUFFER_BYTES: usize = 1 << 18;

/// A record: its fields without quotes.
#[derive(Debug, Default)]
pub(crate) struct Record {
    bytes: Vec<u8>,
    ends: Vec<u32>,
    /// The number of fields found, including those that are not stored.
    pub(crate) fields: usize,
    /// The line on which it begins, counted from 1.
    pub(crate) line: u64,
    /// The byte of the (decompressed) text at which it begins, counted from 0.
    pub(crate) offset: u64,
}

impl Record {
    /// Returns a field without the white space around it.
    pub(crate) fn field(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        self.bytes[start as usize..self.ends[index] as usize].trim_ascii()
    }

    /// Returns all stored fields without the white space around them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let field = &self.bytes[start as usize..end as usize];
            start = end;
            field.trim_ascii()
        })
    }

    /// The number of bytes of the stored fields.
    pub(crate) fn size(&self) -> usize {
        self.bytes.len()
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.fields = 0;
    }

    /// The start of the field that is being read.
    fn open(&self) -> usize {
        self.ends.last().map_or(0, |&end| end as usize)
    }

    fn close(&mut self, keep: usize) {
        if self.fields < keep {
            self.ends.push(self.bytes.len() as u32);
        } else {
            self.bytes.truncate(self.open());
        }
        self.fields += 1;
    }
}

/// The reason why a record could not be read.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The reader failed.
    Read(io::Error),
    /// The quote that opens this field on this line is never closed.
    OpenQuote { line: u64, field: usize },
    /// The record has more than [`MAX_FIELDS`] fields, or fields of about 4 GiB.
    ManyFields { line: u64 },
    /// A field is longer than [`MAX_FIELD_BYTES`].
    LongField { line: u64, field: usize, start: String },
}

fn refuse_more(record: &Record) -> Result<(), Fault> {
    if record.fields >= MAX_FIELDS || record.bytes.len() + MAX_FIELD_BYTES >= u32::MAX as usize {
        return Err(Fault::ManyFields { line: record.line });
    }
    Ok(())
}

enum State {
    /// Before the first byte of a field.
    Start,
    Plain,
    Quoted,
    /// After a quote inside a quoted field: the end of the field, or the first of two quotes.
    Quote,
}

/// Reads records from text.
pub(crate) struct Records<R> {
    reader: R,
    delimiter: u8,
    buffer: Vec<u8>,
    at: usize,
    len: usize,
    line: u64,
    offset: u64,
    /// Whether the last byte was a carriage return, so that a line feed belongs to the same line break.
    after_return: bool,
}

impl<R: Read> Records<R> {
    pub(crate) fn new(reader: R, delimiter: u8) -> Self {
        Self {
            reader,
            delimiter,
            buffer: vec![0; BUFFER_BYTES],
            at: 0,
            len: 0,
            line: 1,
            offset: 0,
            after_return: false,
        }
    }

    /// Reads the next non-blank record, and stores its first `keep` fields. Returns `false` at the end of the text.
    pub(crate) fn read(&mut self, record: &mut Record, keep: usize) -> Result<bool, Fault> {
        record.clear();
        (record.line, record.offset) = (self.line, self.offset);
        let mut state = State::Start;
        let mut quote_line = self.line;
        loop {
            if self.at == self.len && !self.fill().map_err(Fault::Read)? {
                return match state {
                    State::Quoted => {
                        Err(Fault::OpenQuote { line: quote_line, field: record.fields })
                    }
                    State::Start if record.fields == 0 => Ok(false),
                    State::Start if self.delimiter == b' ' => Ok(true),
                    _ => {
                        record.close(keep);
                        Ok(true)
                    }
                };
            }
            let byte = self.buffer[self.at];
            match state {
                State::Start => {
                    let second = self.after_return && byte == b'\n';
                    self.after_return = false;
                    if second || (byte != self.delimiter && matches!(byte, b'\n' | b'\r')) {
                        if second {
                            self.skip(1);
                        } else {
                            self.line_break(byte);
                        }
                        if record.fields == 0 {
                            (record.line, record.offset) = (self.line, self.offset);
                            continue;
                        }
                        if self.delimiter != b' ' {
                            record.close(keep);
                        }
                        return Ok(true);
                    } else if byte == self.delimiter && byte != b' ' {
                        self.skip(1);
                        record.close(keep);
                        refuse_more(record)?;
                    } else if matches!(byte, b' ' | b'\t') {
                        self.skip(1);
                    } else if byte == b'"' {
                        self.skip(1);
                        quote_line = self.line;
                        state = State::Quoted;
                    } else {
                        state = State::Plain;
                    }
                }
                State::Plain => {
                    let delimiter = self.delimiter;
                    let rest = &self.buffer[self.at..self.len];
                    let run = rest
                        .iter()
                        .position(|&b| b == delimiter || b == b'\n' || b == b'\r')
                        .unwrap_or(rest.len());
                    let stop = rest.get(run).copied();
                    self.take(record, run)?;
                    match stop {
                        None => {}
                        Some(byte) if byte == delimiter => {
                            self.skip(1);
                            record.close(keep);
                            refuse_more(record)?;
                            state = State::Start;
                        }
                        Some(byte) => {
                            self.line_break(byte);
                            record.close(keep);
                            return Ok(true);
                        }
                    }
                }
                State::Quoted => {
                    let rest = &self.buffer[self.at..self.len];
                    let run = rest.iter().position(|&b| b == b'"').unwrap_or(rest.len());
                    let closed = run < rest.len();
                    let breaks = rest[..run].iter().filter(|&&b| b == b'\n').count();
                    self.take(record, run)?;
                    self.line += breaks as u64;
                    if closed {
                        self.skip(1);
                        state = State::Quote;
                    }
                }
                State::Quote => {
                    if byte == b'"' {
                        self.take(record, 1)?;
                        state = State::Quoted;
                    } else {
                        state = State::Plain;
                    }
                }
            }
        }
    }

    fn skip(&mut self, count: usize) {
        self.at += count;
        self.offset += count as u64;
    }

    /// Appends bytes to the field that is being read.
    fn take(&mut self, record: &mut Record, count: usize) -> Result<(), Fault> {
        match self.buffer[self.at..self.at + count] {
            // The most common cell of a wide table; pushing a byte is faster than copying a slice.
            [byte] => record.bytes.push(byte),
            ref bytes => record.bytes.extend_from_slice(bytes),
        }
        self.skip(count);
        if record.bytes.len() - record.open() > MAX_FIELD_BYTES {
            let field = &record.bytes[record.open()..];
            let start = String::from_utf8_lossy(&field[..40]).into_owned();
            return Err(Fault::LongField { line: record.line, field: record.fields, start });
        }
        Ok(())
    }

    fn line_break(&mut self, byte: u8) {
        self.skip(1);
        self.line += 1;
        self.after_return = byte == b'\r';
    }

    fn fill(&mut self) -> io::Result<bool> {
        self.at = 0;
        self.len = 0;
        loop {
            match self.reader.read(&mut self.buffer) {
                Ok(count) => {
                    self.len = count;
                    return Ok(count > 0);
                }
                Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
                Err(cause) => return Err(cause),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str, delimiter: u8) -> Vec<(u64, Vec<String>)> {
        let mut records = Records::new(text.as_bytes(), delimiter);
        let mut record = Record::default();
        let mut all = Vec::new();
        while records.read(&mut record, usize::MAX).unwrap() {
            let fields = record.iter().map(|f| String::from_utf8(f.to_vec()).unwrap()).collect();
            all.push((record.line, fields));
        }
        all
    }

    fn line(number: u64, fields: &[&str]) -> (u64, Vec<String>) {
        (number, fields.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn quotes_blank_lines_and_line_ends_are_understood() {
        let text = "a, \"b \"\"c\"\"\" ,\r\n\r\n \n1,\"x\ny\",2\r3,,\n\n4,5,6";
        assert_eq!(
            split(text, b','),
            [
                line(1, &["a", "b \"c\"", ""]),
                line(4, &["1", "x\ny", "2"]),
                line(6, &["3", "", ""]),
                line(8, &["4", "5", "6"]),
            ]
        );
    }

    #[test]
    fn runs_of_spaces_are_one_delimiter() {
        assert_eq!(
            split("  a  b \n 1   \"x y\"  \n\n2 3", b' '),
            [line(1, &["a", "b"]), line(2, &["1", "x y"]), line(4, &["2", "3"])]
        );
        assert_eq!(split("a\t\t \n", b'\t'), [line(1, &["a", "", ""])]);
    }

    #[test]
    fn an_open_quote_and_a_long_field_are_located() {
        let read = |text: &str| {
            let mut records = Records::new(text.as_bytes(), b',');
            let mut record = Record::default();
            loop {
                match records.read(&mut record, 9) {
                    Ok(true) => {}
                    Ok(false) => return None,
                    Err(fault) => return Some(fault),
                }
            }
        };
        let fault = read("a,b\n1,\"2\n3,4\n");
        assert!(matches!(fault, Some(Fault::OpenQuote { line: 2, field: 1 })), "{fault:?}");
        let fault = read(&format!("a,b\n1,2\n{},4\n", "7".repeat(MAX_FIELD_BYTES + 1)));
        assert!(matches!(fault, Some(Fault::LongField { line: 3, field: 0, .. })), "{fault:?}");
        assert!(read(&format!("a,b\n{},4\n", "7".repeat(MAX_FIELD_BYTES))).is_none());
    }
}
