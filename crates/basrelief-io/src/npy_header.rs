//! The header of a `.npy` array: the type, order and shape of its elements.
//!
//! The format is that of NumPy's NEP 1 (versions 1.0 to 3.0): six magic bytes, two bytes for the version, the length of
//! the header in two or four bytes, and a Python dictionary with three entries, padded with spaces:
//! `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`.

use std::io::{self, Read};

/// A header longer than this is damaged.
const MAX_BYTES: usize = 1 << 16;

/// The first bytes of every array.
const MAGIC: &[u8] = b"\x93NUMPY";

/// The alignment of the first element in bytes.
const ALIGNMENT: usize = 64;

/// The type of the elements of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Float,
    Int,
    Uint,
    Bool,
    /// Texts of four-byte characters, padded with zeros.
    Unicode,
    /// Texts of bytes, padded with zeros.
    Bytes,
    /// Dates or durations.
    Time,
    /// Python objects, which are never loaded.
    Object,
    /// Records with fields.
    Structured,
    /// Anything else: complex numbers, raw bytes.
    Other,
}

/// A header.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Header {
    /// The type in NumPy's notation, with quotes.
    pub(crate) descr: String,
    pub(crate) kind: Kind,
    /// The size of an element in bytes; 0 if the kind has no fixed size.
    pub(crate) size: usize,
    pub(crate) big_endian: bool,
    /// Whether the elements of each column are contiguous, instead of those of each row.
    pub(crate) by_column: bool,
    pub(crate) shape: Vec<u64>,
    /// The number of bytes before the first element.
    pub(crate) length: u64,
}

impl Header {
    /// Reads a header. Afterwards, the reader is at the first element.
    ///
    /// # Errors
    /// The bytes cannot be read or are not a header. The error reports the reason.
    pub(crate) fn read(reader: &mut impl Read) -> io::Result<Self> {
        let mut start = [0; 8];
        reader.read_exact(&mut start)?;
        if !start.starts_with(MAGIC) {
            return Err(wrong("it does not begin like a NumPy array"));
        }
        let mut length = [0; 4];
        let prefix = match start[6] {
            1 => 2,
            2 | 3 => 4,
            _ => return Err(wrong("its version is unknown")),
        };
        reader.read_exact(&mut length[..prefix])?;
        let bytes = u32::from_le_bytes(length) as usize;
        if bytes > MAX_BYTES {
            return Err(wrong("its header is too long"));
        }
        let mut text = vec![0; bytes];
        reader.read_exact(&mut text)?;
        let text = str::from_utf8(&text).map_err(|_| wrong("its header is not text"))?;
        Self::parse(text, (start.len() + prefix + bytes) as u64)
    }

    fn parse(text: &str, length: u64) -> io::Result<Self> {
        let mut parser = Parser { rest: text };
        let (mut descr, mut by_column, mut shape) = (None, None, None);
        parser.expect('{')?;
        while !parser.take('}') {
            let key = parser.text()?;
            parser.expect(':')?;
            match key {
                "descr" => descr = Some(parser.skip_value()?),
                "fortran_order" => by_column = Some(parser.truth()?),
                "shape" => shape = Some(parser.shape()?),
                _ => return Err(wrong("its header has an unknown entry")),
            }
            if !parser.take(',') {
                parser.expect('}')?;
                break;
            }
        }
        if !parser.rest.trim_matches(['\0', ' ', '\n']).is_empty() {
            return Err(wrong("its header has text after the dictionary"));
        }
        let (Some(descr), Some(by_column), Some(shape)) = (descr, by_column, shape) else {
            return Err(wrong("its header lacks descr, fortran_order or shape"));
        };
        let (kind, size, big_endian) = element(descr)?;
        Ok(Self { descr: descr.to_string(), kind, size, big_endian, by_column, shape, length })
    }
}

/// Returns the header of a row-major `f64` matrix, in the byte order of this machine.
pub(crate) fn of_matrix(rows: usize, columns: usize) -> Vec<u8> {
    let order = if cfg!(target_endian = "big") { '>' } else { '<' };
    let dictionary =
        format!("{{'descr': '{order}f8', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
    // Magic, version and length take ten bytes, the line end one.
    let blanks =
        (10 + dictionary.len() + 1).next_multiple_of(ALIGNMENT) - 10 - dictionary.len() - 1;
    let length = (dictionary.len() + blanks + 1) as u16;
    let mut header = MAGIC.to_vec();
    header.extend([1, 0]);
    header.extend(length.to_le_bytes());
    header.extend(dictionary.bytes());
    header.extend(std::iter::repeat_n(b' ', blanks));
    header.push(b'\n');
    header
}

fn wrong(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// Returns kind, size and byte order of a type.
fn element(descr: &str) -> io::Result<(Kind, usize, bool)> {
    let Some(name) =
        descr.strip_prefix(['\'', '"']).and_then(|rest| rest.strip_suffix(['\'', '"']))
    else {
        return Ok((Kind::Structured, 0, false));
    };
    let native = cfg!(target_endian = "big");
    let (big_endian, name) = match name.as_bytes().first() {
        Some(b'<') => (false, &name[1..]),
        Some(b'>') => (true, &name[1..]),
        Some(b'|' | b'=') => (native, &name[1..]),
        _ => (native, name),
    };
    let mut letters = name.chars();
    let letter = letters.next().ok_or_else(|| wrong("its header contains no type"))?;
    let digits = letters.as_str();
    let size = digits.parse::<usize>();
    let kind = match (letter, &size) {
        ('f', Ok(4 | 8)) => Kind::Float,
        ('i', Ok(1 | 2 | 4 | 8)) => Kind::Int,
        ('u', Ok(1 | 2 | 4 | 8)) => Kind::Uint,
        ('b', Ok(1)) => Kind::Bool,
        ('U', Ok(_)) => Kind::Unicode,
        ('S', Ok(_)) => Kind::Bytes,
        ('M' | 'm', _) => Kind::Time,
        ('O', _) => Kind::Object,
        _ => Kind::Other,
    };
    let bytes = size.unwrap_or(0);
    let bytes = if kind == Kind::Unicode { bytes.checked_mul(4) } else { Some(bytes) };
    let bytes = bytes.ok_or_else(|| wrong("its texts are too long"))?;
    Ok((kind, bytes, big_endian))
}

/// Parses a Python literal. It is not recursive, so deep nesting cannot overflow the stack.
struct Parser<'t> {
    rest: &'t str,
}

impl<'t> Parser<'t> {
    /// Consumes white space, then a character if it comes next. Returns whether it does.
    fn take(&mut self, wanted: char) -> bool {
        self.rest = self.rest.trim_start();
        self.rest.strip_prefix(wanted).map(|rest| self.rest = rest).is_some()
    }

    fn expect(&mut self, wanted: char) -> io::Result<()> {
        if self.take(wanted) {
            return Ok(());
        }
        Err(wrong(&format!("its header is damaged: `{wanted}` was expected")))
    }

    /// Parses a quoted text and returns it without quotes. The keys that are looked for contain no escapes.
    fn text(&mut self) -> io::Result<&'t str> {
        let quoted = self.skip_text()?;
        Ok(&quoted[1..quoted.len() - 1])
    }

    /// Parses a quoted text and returns it with its quotes.
    fn skip_text(&mut self) -> io::Result<&'t str> {
        self.rest = self.rest.trim_start();
        let quote = self.rest.chars().next().filter(|c| matches!(c, '\'' | '"'));
        let quote = quote.ok_or_else(|| wrong("its header is damaged: a text was expected"))?;
        let mut escaped = false;
        for (index, character) in self.rest.char_indices().skip(1) {
            if character == quote && !escaped {
                let (text, rest) = self.rest.split_at(index + 1);
                self.rest = rest;
                return Ok(text);
            }
            escaped = character == '\\' && !escaped;
        }
        Err(wrong("its header is damaged: a text does not end"))
    }

    /// Parses a quoted text, or a list with its content, and returns it unchanged.
    fn skip_value(&mut self) -> io::Result<&'t str> {
        self.rest = self.rest.trim_start();
        if !self.rest.starts_with('[') {
            return self.skip_text();
        }
        let begun = self.rest;
        let mut depth = 0_usize;
        loop {
            match self.rest.chars().next() {
                None | Some('{' | '}') => {
                    return Err(wrong("its header is damaged: a list does not end"));
                }
                Some('\'' | '"') => {
                    self.skip_text()?;
                    continue;
                }
                Some('[' | '(') => depth += 1,
                Some(']' | ')') => depth -= 1,
                Some(_) => {}
            }
            let step = self.rest.chars().next().map_or(0, char::len_utf8);
            self.rest = &self.rest[step..];
            if depth == 0 {
                return Ok(&begun[..begun.len() - self.rest.len()]);
            }
        }
    }

    fn truth(&mut self) -> io::Result<bool> {
        self.rest = self.rest.trim_start();
        for (word, value) in [("True", true), ("False", false)] {
            if let Some(rest) = self.rest.strip_prefix(word) {
                self.rest = rest;
                return Ok(value);
            }
        }
        Err(wrong("its header is damaged: True or False was expected"))
    }

    /// Parses a tuple of whole numbers, which end with `L` in files of Python 2.
    fn shape(&mut self) -> io::Result<Vec<u64>> {
        let mut shape = Vec::new();
        self.expect('(')?;
        while !self.take(')') {
            self.rest = self.rest.trim_start();
            let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
            let (digits, rest) = self.rest.split_at(end);
            shape.push(digits.parse().map_err(|_| wrong("its shape is damaged"))?);
            self.rest = rest.strip_prefix('L').unwrap_or(rest);
            if !self.take(',') {
                self.expect(')')?;
                break;
            }
        }
        Ok(shape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Header, String> {
        Header::parse(text, 0).map_err(|error| error.to_string())
    }

    #[test]
    fn every_writer_of_the_format_is_understood() {
        let header =
            parsed("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }   \n").unwrap();
        assert_eq!((header.kind, header.size, header.big_endian), (Kind::Float, 8, false));
        assert_eq!((header.by_column, header.shape), (false, vec![3, 4]));
        // Keys in another order, double quotes, Python 2's long numbers, a vector, a scalar.
        let header = parsed(r#"{"shape": (12L,), "fortran_order": True, "descr": ">i4"}"#).unwrap();
        assert_eq!((header.kind, header.size, header.big_endian), (Kind::Int, 4, true));
        assert_eq!((header.by_column, header.shape), (true, vec![12]));
        let header = parsed("{'descr':'|b1','fortran_order':False,'shape':()}").unwrap();
        assert_eq!((header.kind, header.shape), (Kind::Bool, vec![]));
        for (descr, kind, size) in [
            ("'<U9'", Kind::Unicode, 36),
            ("'|S3'", Kind::Bytes, 3),
            ("'|u1'", Kind::Uint, 1),
            ("'<M8[ns]'", Kind::Time, 0),
            ("'|O'", Kind::Object, 0),
            ("'<c16'", Kind::Other, 16),
            ("'<f2'", Kind::Other, 2),
            ("[('a', '<f8'), ('b)]', '<i4', (2, 2))]", Kind::Structured, 0),
        ] {
            let text = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': (1,), }}");
            let header = parsed(&text).unwrap();
            assert_eq!((header.kind, header.size), (kind, size), "{descr}");
            assert_eq!(header.descr, descr);
        }
    }

    #[test]
    fn damage_is_named() {
        for (text, words) in [
            ("", "`{` was expected"),
            ("{'descr': '<f8'", "`}` was expected"),
            ("{'descr': '<f8', 'fortran_order': False}", "lacks descr"),
            ("{'descr': '<f8', 'fortran_order': 0, 'shape': (1,)}", "True or False"),
            ("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}", "its shape"),
            ("{'descr': '<f8', 'fortran_order': False, 'shape': (1 2)}", "`)` was expected"),
            (
                "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,)}",
                "its shape",
            ),
            ("{'descr': '<f8, }", "does not end"),
            ("{'descr': [('a', '<f8'), }", "does not end"),
            ("{'descr': '', 'fortran_order': False, 'shape': (1,)}", "contains no type"),
            (
                "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)} x",
                "text after the dictionary",
            ),
            ("{'extra': '<f8'}", "unknown entry"),
            (
                "{'descr': '<U9223372036854775807', 'fortran_order': False, 'shape': (1,)}",
                "too long",
            ),
        ] {
            let message = parsed(text).unwrap_err();
            assert!(message.contains(words), "{text}: {message}");
        }
    }

    #[test]
    fn what_is_written_is_read() {
        for (rows, columns) in [(1, 1), (123, 4567), (1_000_000_000, 99_999)] {
            let bytes = of_matrix(rows, columns);
            assert!(bytes.len().is_multiple_of(ALIGNMENT));
            let header = Header::read(&mut bytes.as_slice()).unwrap();
            assert_eq!(header.shape, [rows as u64, columns as u64]);
            assert_eq!(header.length, bytes.len() as u64);
            assert_eq!((header.kind, header.size, header.by_column), (Kind::Float, 8, false));
        }
    }
}
