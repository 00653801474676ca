//! The lines of a text file.

use std::io::{BufRead, BufReader, Read};

use basrelief::{DataError, Result};

use crate::source::Source;

/// The maximum length of a line in bytes, so that a damaged file cannot fill the memory.
const MAX_LINE_BYTES: u64 = 1 << 28;

/// The lines of a file, without white space at their ends.
pub(crate) struct Lines<'s> {
    source: &'s Source<'s>,
    reader: BufReader<Box<dyn Read + 's>>,
    bytes: Vec<u8>,
    /// The first character of a comment.
    comment: u8,
    /// The format in words, for messages.
    what: &'static str,
    /// The number of lines read.
    number: u64,
}

impl<'s> Lines<'s> {
    /// Opens a file of a format in which lines that begin with `comment` are comments.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn new(source: &'s Source<'s>, comment: u8, what: &'static str) -> Result<Self> {
        let text = source.text(Some(&source.stage("")))?;
        let reader = BufReader::with_capacity(1 << 17, text);
        Ok(Self { source, reader, bytes: Vec::new(), comment, what, number: 0 })
    }

    /// The file.
    pub(crate) fn source(&self) -> &'s Source<'s> {
        self.source
    }

    /// The next line with its number, from 1, even if it is blank or a comment; `None` after the last line.
    ///
    /// # Errors
    /// The file cannot be read, or the line is too long.
    pub(crate) fn next_of_all(&mut self) -> Result<Option<(u64, &[u8])>> {
        self.bytes.clear();
        let count = (&mut self.reader)
            .take(MAX_LINE_BYTES)
            .read_until(b'\n', &mut self.bytes)
            .map_err(|cause| self.source.read_error(cause))?;
        if count == 0 {
            return Ok(None);
        }
        self.number += 1;
        if count as u64 == MAX_LINE_BYTES {
            let error = DataError::new(
                format!("the line has more than {MAX_LINE_BYTES} bytes"),
                format!("check that this is {} with line ends", self.what),
            );
            return Err(self.source.place(error.at_line(self.number)));
        }
        Ok(Some((self.number, self.bytes.trim_ascii())))
    }

    /// The next line that is neither blank nor a comment, with its number.
    ///
    /// # Errors
    /// The file cannot be read, or the line is too long.
    pub(crate) fn next(&mut self) -> Result<Option<(u64, &[u8])>> {
        let comment = self.comment;
        loop {
            match self.next_of_all()? {
                None => return Ok(None),
                Some((_, line)) if line.is_empty() || line[0] == comment => {}
                Some(_) => break,
            }
        }
        Ok(Some((self.number, self.bytes.trim_ascii())))
    }
}
