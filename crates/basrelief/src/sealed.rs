//! Binary files and messages with a header and a checksum.
//!
//! [`SealedFormat::seal`] writes a header, the contents and a checksum; [`SealedFormat::open`] checks all three. The
//! header contains, little-endian, the eight magic bytes of the format, its version, the version of basrelief, a number
//! and a description of the contents, and the length of the contents. A text is preceded by its length. The contents
//! are in the format of [postcard](https://postcard.jamesmunns.com/wire-format). The checksum is the first 64 bits of
//! the [`Checksum`] of everything before it. A length that does not match the bytes is refused before memory is
//! allocated for it.

use serde::{Deserialize, Serialize};

use crate::checksum::Checksum;
use crate::error::{Error, Result, shorten};

/// The version of this basrelief, which is written to headers.
pub(crate) const BASRELIEF: &str = env!("CARGO_PKG_VERSION");

/// A binary format, and the texts of its errors.
#[derive(Debug, Clone, Copy)]
pub struct SealedFormat {
    /// The first bytes.
    pub magic: &'static [u8; 8],
    /// The version of the format, which changes when the form of the contents changes.
    pub version: u32,
    /// Whether bytes from another version of basrelief are refused even if their format has the same version.
    pub same_release: bool,
    /// A name for the bytes in messages, for example "the result of a part".
    pub what: &'static str,
    /// The advice for bytes from another version.
    pub other_version: &'static str,
    /// The advice for damaged bytes.
    pub damaged: &'static str,
}

/// Bytes whose header and checksum are valid.
#[derive(Debug, Clone, Copy)]
pub struct Opened<'b> {
    /// The number in the header.
    pub number: u64,
    /// The description in the header.
    pub description: &'b str,
    bytes: &'b [u8],
    format: SealedFormat,
}

impl SealedFormat {
    /// Serializes contents, with header and checksum.
    pub fn seal<T: Serialize>(&self, contents: &T, number: u64, description: &str) -> Vec<u8> {
        let mut header = self.magic.to_vec();
        header.extend(self.version.to_le_bytes());
        add_text(&mut header, BASRELIEF);
        header.extend(number.to_le_bytes());
        add_text(&mut header, description);
        let length_at = header.len();
        header.extend([0; 8]);
        let start = header.len();
        // Writing to a vector cannot fail. If the contents cannot be serialized, the reader refuses the empty result.
        let mut bytes = postcard::to_extend(contents, header).unwrap_or_default();
        let length = (bytes.len().saturating_sub(start) as u64).to_le_bytes();
        if let Some(field) = bytes.get_mut(length_at..start) {
            field.copy_from_slice(&length);
        }
        bytes.extend(Checksum::from_bytes(&bytes).number().to_le_bytes());
        bytes
    }

    /// Checks header and checksum.
    ///
    /// # Errors
    /// The bytes have another format or another version, or are cut short or damaged.
    pub fn open<'b>(&self, bytes: &'b [u8]) -> Result<Opened<'b>> {
        let mut rest = bytes;
        if self.take(&mut rest, self.magic.len()).ok() != Some(&self.magic[..]) {
            return Err(self.damage("it does not start with the expected header"));
        }
        // The versions come first, because everything after them may have changed.
        let format = u32::from_le_bytes(self.field(&mut rest)?);
        let basrelief = self.take_text(&mut rest)?;
        if format != self.version || (self.same_release && basrelief != BASRELIEF) {
            return Err(self.other_version(self.what, format.into(), basrelief));
        }
        let number = u64::from_le_bytes(self.field(&mut rest)?);
        let description = self.take_text(&mut rest)?;
        let length = u64::from_le_bytes(self.field(&mut rest)?);
        let (contents, sum) =
            rest.split_last_chunk().ok_or_else(|| self.damage("it is cut short"))?;
        if contents.len() as u64 != length {
            return Err(self.damage("its length is not the one in its header"));
        }
        if u64::from_le_bytes(*sum) != Checksum::from_bytes(&bytes[..bytes.len() - 8]).number() {
            return Err(self.damage("its checksum does not match its contents"));
        }
        Ok(Opened { number, description, bytes: contents, format: *self })
    }

    /// The error for bytes that another version wrote.
    pub(crate) fn other_version(&self, what: &str, format: u64, basrelief: &str) -> Error {
        let own = format!("basrelief {BASRELIEF} with format {}", self.version);
        let other = shorten(basrelief, 40);
        Error::data(
            format!(
                "{what} was written by basrelief {other} with format {format}, but this is {own}"
            ),
            self.other_version,
        )
    }

    /// The error for bytes that differ from what was written.
    pub(crate) fn damage(&self, why: &str) -> Error {
        Error::data(format!("{} is damaged: {why}", self.what), self.damaged)
    }

    /// Takes the next bytes.
    fn take<'b>(&self, bytes: &mut &'b [u8], count: usize) -> Result<&'b [u8]> {
        let (taken, rest) =
            bytes.split_at_checked(count).ok_or_else(|| self.damage("it is cut short"))?;
        *bytes = rest;
        Ok(taken)
    }

    /// Takes a text of the header.
    fn take_text<'b>(&self, bytes: &mut &'b [u8]) -> Result<&'b str> {
        let length = u32::from_le_bytes(self.field(bytes)?);
        let text = std::str::from_utf8(self.take(bytes, length as usize)?);
        text.map_err(|_| self.damage("its header contains an invalid text"))
    }

    /// Takes a field of the header.
    fn field<const BYTES: usize>(&self, bytes: &mut &[u8]) -> Result<[u8; BYTES]> {
        let mut field = [0; BYTES];
        field.copy_from_slice(self.take(bytes, BYTES)?);
        Ok(field)
    }
}

impl<'b> Opened<'b> {
    /// The serialized contents.
    pub(crate) fn bytes(&self) -> &'b [u8] {
        self.bytes
    }

    /// The contents.
    ///
    /// # Errors
    /// The contents are not of this type.
    pub fn contents<T: Deserialize<'b>>(&self) -> Result<T> {
        match postcard::take_from_bytes(self.bytes) {
            Ok((contents, [])) => Ok(contents),
            Ok(_) => Err(self.format.damage("there are additional bytes after its contents")),
            Err(_) => Err(self.format.damage("its contents have an unexpected form")),
        }
    }
}

/// Adds the length of a text and the text to a header.
fn add_text(header: &mut Vec<u8>, text: &str) {
    header.extend((text.len() as u32).to_le_bytes());
    header.extend(text.as_bytes());
}
