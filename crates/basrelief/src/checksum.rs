//! Checksums, which identify data and files and detect damage to files.

use std::fmt;

use serde_json::Value;
use twox_hash::XxHash3_128;

/// The XXH3 checksum of 128 bits of the bytes that were added, in order. It detects damage and accidental changes; it does not
/// protect against somebody who constructs other bytes with the same checksum.
///
/// ```
/// use basrelief::Checksum;
///
/// let mut checksum = Checksum::default();
/// checksum.add(b"ab");
/// checksum.add(b"c");
/// assert_eq!(checksum.to_string(), Checksum::from_bytes(b"abc").to_string());
/// assert_eq!(checksum.to_string(), "06b05ab6733a618578af5f94892f3950");
/// ```
#[derive(Clone, Default)]
pub struct Checksum(XxHash3_128);

impl fmt::Debug for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Checksum({self})")
    }
}

impl Checksum {
    /// Computes the checksum of some bytes.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let mut checksum = Self::default();
        checksum.add(bytes);
        checksum
    }

    /// Adds bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    /// Adds the length of an item and its bytes, so that the boundaries between items count.
    pub fn add_item(&mut self, bytes: &[u8]) {
        self.add(&(bytes.len() as u64).to_le_bytes());
        self.add(bytes);
    }

    /// Adds the number of items, and every item as 64 bits.
    pub fn add_words<T: Copy>(&mut self, items: &[T], word: impl Fn(T) -> u64) {
        const WORDS: usize = 512;
        self.add(&(items.len() as u64).to_le_bytes());
        let mut buffer = [0; 8 * WORDS];
        for chunk in items.chunks(WORDS) {
            let words = buffer.as_chunks_mut::<8>().0;
            words.iter_mut().zip(chunk).for_each(|(to, item)| *to = word(*item).to_le_bytes());
            self.add(&buffer[..8 * chunk.len()]);
        }
    }

    /// The low 64 bits.
    pub fn number(&self) -> u64 {
        self.0.finish_128() as u64
    }
}

impl fmt::Display for Checksum {
    /// Writes 32 hexadecimal digits, the highest first.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0.finish_128())
    }
}

/// Adds a last member, `checksum`, to the text of a JSON object: the [`Checksum`] of `context` and of all text before
/// that member. An object on one line stays on one line. [`unsealed`] reads the result.
///
/// `context` names the object's owner; [`unsealed`] refuses an object that was sealed in another context. It also
/// refuses the result for a text that is not an object.
pub fn sealed(object: &str, context: &str) -> String {
    let text = object.trim_end();
    let body = text.strip_suffix('}').unwrap_or(text).trim_end();
    format!("{body}{}", seal(body, context))
}

/// Reads the text of an object that [`sealed`] wrote in the same context. A text with any changed byte is refused.
///
/// # Errors
/// The reason, as a clause about the text.
pub fn unsealed(text: &str, context: &str) -> std::result::Result<Value, &'static str> {
    const NONE: &str =
        "it has no checksum: it is cut short, or was written by an earlier version of basrelief";
    const OTHER: &str = "its checksum does not match its contents: it was changed, is damaged, or was written by an \
                         earlier version of basrelief";
    let end = text.rfind(MEMBER).ok_or(NONE)?;
    let body = text[..end].trim_end().strip_suffix(',').ok_or(NONE)?;
    if text[body.len()..] != seal(body, context) {
        return Err(OTHER);
    }
    serde_json::from_str(&format!("{body}}}")).map_err(|_| OTHER)
}

const MEMBER: &str = "\"checksum\":";

/// The end of a sealed text, which follows an object without its closing brace.
fn seal(body: &str, context: &str) -> String {
    let mut checksum = Checksum::default();
    checksum.add_item(context.as_bytes());
    checksum.add_item(body.as_bytes());
    match body.contains('\n') {
        true => format!(",\n  {MEMBER} \"{checksum}\"\n}}\n"),
        false => format!(",{MEMBER}\"{checksum}\"}}\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_checksum_is_that_of_the_standard() {
        // The 128-bit XXH3 of nothing and of "abc", by the reference implementation.
        let none = Checksum::default().to_string();
        assert_eq!(none, "99aa06d3014798d86001c324468d497f");
        assert_eq!(Checksum::from_bytes(b"abc").to_string(), "06b05ab6733a618578af5f94892f3950");
        assert_eq!(Checksum::from_bytes(b"abc").number(), 0x78af_5f94_892f_3950);
        let words: Vec<u32> = (0..1000).collect();
        let mut by_words = Checksum::default();
        by_words.add_words(&words, u64::from);
        let bytes: Vec<u8> = words.iter().flat_map(|word| u64::from(*word).to_le_bytes()).collect();
        let mut by_bytes = Checksum::from_bytes(&1000_u64.to_le_bytes());
        by_bytes.add(&bytes);
        assert_eq!(by_words.to_string(), by_bytes.to_string());
    }

    #[test]
    fn every_changed_byte_of_a_sealed_text_is_found() {
        let value = json!({"name": "ä", "list": [1.5, null], "checksum": "of the user"});
        for text in [value.to_string(), format!("{value:#}")] {
            let whole = sealed(&text, "here");
            let read = unsealed(&whole, "here").unwrap();
            assert_eq!(read, value);
            let more = usize::from(text.contains('\n'));
            assert_eq!(whole.lines().count(), text.lines().count() + more);
            assert!(unsealed(&whole, "there").is_err());
            assert!(unsealed(&text, "here").is_err());
            for place in 0..whole.len() {
                for mask in [1, 2, 4, 7, 0x20, 0x2a, 0x40] {
                    let mut bytes = whole.clone().into_bytes();
                    bytes[place] ^= mask;
                    let changed = String::from_utf8(bytes);
                    assert!(changed.is_err() || unsealed(&changed.unwrap(), "here").is_err());
                }
                if whole.is_char_boundary(place) {
                    assert!(unsealed(&whole[..place], "here").is_err(), "{place}");
                }
            }
        }
        for text in ["[1]", "1", ""] {
            assert!(unsealed(&sealed(text, ""), "").is_err(), "{text}");
        }
    }
}
