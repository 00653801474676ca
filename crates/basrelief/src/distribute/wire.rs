//! The binary format of everything that travels between the tasks of a fit, except the plan, which is JSON.
//!
//! [`seal`] writes a header, the contents and a checksum; [`open`] checks all three. The header has a fixed
//! layout, little-endian: [`MAGIC`], [`VERSION`] of this format, the version of basrelief as text with its
//! length, and the [`Label`]; the length of the contents follows. The contents are in the format of
//! [postcard](https://postcard.jamesmunns.com/wire-format), long arrays as bytes ([`Packed`]). The checksum
//! is the first 64 bits of the [`Checksum`] of everything before it. A length that does not fit the bytes is
//! refused before memory is allocated for it.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::stage::Stage;
use crate::checksum::Checksum;
use crate::error::{Error, Result};

/// The first bytes of every result.
const MAGIC: &[u8; 8] = b"BASRPART";

/// The version of the formats of plans and results.
pub(super) const VERSION: u32 = 7;

/// The version of basrelief, which all parts of a plan must have.
pub(super) const BASRELIEF: &str = env!("CARGO_PKG_VERSION");

/// The error for a plan or a result that another version wrote.
pub(super) fn other_version(what: &str, format: u64, basrelief: &str) -> Error {
    let own = format!("basrelief {BASRELIEF} with format {VERSION}");
    Error::data(
        format!(
            "{what} was written by basrelief {} with format {format}, and this is {own}",
            crate::error::shorten(basrelief, 40)
        ),
        "use one version for the plan, all parts and the merge",
    )
}

/// The error for a result that differs from what was written.
pub(super) fn damaged(why: &str) -> Error {
    Error::data(format!("the result of a part is damaged: {why}"), "compute the part again")
}

/// The kinds of contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    /// The result of a part of a stage.
    Result(Stage),
    /// All results of a measuring stage, merged.
    Measured(Stage),
    /// A [`Draft`](super::Draft).
    Draft,
    /// Facts about some columns, which the plan needs.
    Facts,
    /// The values of some columns in a block of rows.
    Cell,
    /// A [`Rounds`](super::Rounds): the state before a round.
    Round,
}

impl Content {
    fn code(self) -> u32 {
        match self {
            Content::Result(stage) => stage as u32,
            Content::Measured(stage) => 16 + stage as u32,
            Content::Draft => 32,
            Content::Facts => 33,
            Content::Cell => 34,
            Content::Round => 35,
        }
    }

    /// A description of the contents for messages, and the advice where other contents were given.
    fn description(self, part: usize) -> (String, &'static str) {
        let part = part + 1;
        match self {
            Content::Result(stage) => {
                (format!("part {part} of stage {}", stage.name()), "compute the part again")
            }
            Content::Measured(stage) => {
                (format!("the merged results of stage {}", stage.name()), "merge them again")
            }
            Content::Draft => ("a fit to be planned".to_string(), "give the draft of the fit"),
            Content::Facts => (format!("the facts of columns {part}"), "make them again"),
            Content::Cell => (format!("the cell {part}"), "make it again"),
            Content::Round => ("the state before a round".to_string(), "make it again"),
        }
    }
}

/// Identifies the contents: the plan, the kind, and the part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Label {
    pub(super) plan: u64,
    pub(super) content: Content,
    pub(super) part: usize,
}

impl Label {
    /// The label of the result of a part of a stage.
    pub(super) fn result(plan: u64, stage: Stage, part: usize) -> Self {
        Self { plan, content: Content::Result(stage), part }
    }

    /// The label of contents that exist before there is a plan.
    pub(super) fn without_plan(content: Content) -> Self {
        Self { plan: 0, content, part: 0 }
    }
}

/// The checksum of sealed bytes, which identifies them.
pub(super) fn checksum(sealed: &[u8]) -> u64 {
    sealed.last_chunk().map_or(0, |last| u64::from_le_bytes(*last))
}

/// Serializes contents, with header and checksum.
pub(super) fn seal<T: Serialize>(contents: &T, label: Label) -> Vec<u8> {
    let mut header = MAGIC.to_vec();
    header.extend(VERSION.to_le_bytes());
    header.extend((BASRELIEF.len() as u32).to_le_bytes());
    header.extend(BASRELIEF.as_bytes());
    header.extend(label.plan.to_le_bytes());
    header.extend(label.content.code().to_le_bytes());
    header.extend((label.part as u32).to_le_bytes());
    let length_at = header.len();
    header.extend([0; 8]);
    let start = header.len();
    // A vector takes all bytes. Should contents fail to be serialized, the reader refuses the empty result.
    let mut bytes = postcard::to_extend(contents, header).unwrap_or_default();
    let length = (bytes.len().saturating_sub(start) as u64).to_le_bytes();
    if let Some(field) = bytes.get_mut(length_at..start) {
        field.copy_from_slice(&length);
    }
    bytes.extend(Checksum::from_bytes(&bytes).number().to_le_bytes());
    bytes
}

/// Reads the contents of sealed bytes, which must have this label.
///
/// # Errors
/// The bytes are foreign, have another label, are of another version, cut short or damaged.
pub(super) fn open<'b, T: Deserialize<'b>>(bytes: &'b [u8], label: Label) -> Result<T> {
    match postcard::take_from_bytes(contents(bytes, label)?) {
        Ok((contents, [])) => Ok(contents),
        Ok(_) => Err(damaged("something follows its contents")),
        Err(_) => Err(damaged("its contents do not fit its kind")),
    }
}

/// The serialized contents of sealed bytes, whose header and checksum are right.
///
/// # Errors
/// As of [`open`].
pub(super) fn contents(bytes: &[u8], label: Label) -> Result<&[u8]> {
    let mut rest = bytes;
    if take(&mut rest, MAGIC.len()).ok() != Some(&MAGIC[..]) {
        return Err(damaged("it does not begin as one"));
    }
    // The versions come first, because everything after them may have changed.
    let format = u32::from_le_bytes(field(&mut rest)?);
    let length = u32::from_le_bytes(field(&mut rest)?);
    let basrelief = String::from_utf8_lossy(take(&mut rest, length as usize)?);
    if format != VERSION || basrelief != BASRELIEF {
        return Err(other_version("the result of a part", format.into(), &basrelief));
    }
    let plan = u64::from_le_bytes(field(&mut rest)?);
    let content = u32::from_le_bytes(field(&mut rest)?);
    let part = u32::from_le_bytes(field(&mut rest)?);
    let length = u64::from_le_bytes(field(&mut rest)?);
    let (contents, sum) = rest.split_last_chunk().ok_or_else(|| damaged("it is cut short"))?;
    if contents.len() as u64 != length {
        return Err(damaged("it has another length than it says"));
    }
    if u64::from_le_bytes(*sum) != Checksum::from_bytes(&bytes[..bytes.len() - 8]).number() {
        return Err(damaged("its checksum is not that of its contents"));
    }
    if plan != label.plan {
        return Err(Error::data(
            "the result of a part is of another plan",
            "compute the part again by this plan",
        ));
    }
    if (content, part) != (label.content.code(), label.part as u32) {
        let (what, help) = label.content.description(label.part);
        return Err(Error::data(format!("the result is of another part than {what}"), help));
    }
    Ok(contents)
}

/// Takes the next bytes.
fn take<'b>(bytes: &mut &'b [u8], count: usize) -> Result<&'b [u8]> {
    let (taken, rest) = bytes.split_at_checked(count).ok_or_else(|| damaged("it is cut short"))?;
    *bytes = rest;
    Ok(taken)
}

/// Takes the next field of the header.
fn field<const BYTES: usize>(bytes: &mut &[u8]) -> Result<[u8; BYTES]> {
    let mut field = [0; BYTES];
    field.copy_from_slice(take(bytes, BYTES)?);
    Ok(field)
}

/// Numbers that are serialized all at once: as bytes, or as hexadecimal digits in JSON. The bytes are
/// big-endian, so that the digits read as numbers do. Floating-point numbers keep all bits.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Packed<T>(pub(super) Vec<T>);

impl<T> Packed<T> {
    /// The numbers, if there are `count`.
    ///
    /// # Errors
    /// There are more or fewer.
    pub(super) fn of_length(self, count: usize) -> Result<Vec<T>> {
        if self.0.len() == count {
            Ok(self.0)
        } else {
            Err(damaged("it has other rows or columns"))
        }
    }
}

/// A number that can be [`Packed`].
pub(super) trait Number: Sized {
    /// The bytes of all numbers.
    fn pack(numbers: &[Self]) -> Vec<u8>;

    /// The numbers of these bytes; `None` where the last one is incomplete.
    fn unpack(bytes: &[u8]) -> Option<Vec<Self>>;
}

macro_rules! numbers {
    ($($number:ty)*) => {$(
        impl Number for $number {
            fn pack(numbers: &[Self]) -> Vec<u8> {
                let mut bytes = vec![0; size_of_val(numbers)];
                let to = bytes.as_chunks_mut().0.iter_mut();
                to.zip(numbers).for_each(|(to, number)| *to = number.to_be_bytes());
                bytes
            }

            fn unpack(bytes: &[u8]) -> Option<Vec<Self>> {
                let (bytes, rest) = bytes.as_chunks();
                let number = |bytes: &[u8; size_of::<Self>()]| Self::from_be_bytes(*bytes);
                rest.is_empty().then(|| bytes.iter().map(number).collect())
            }
        }
    )*};
}
numbers!(u8 u32 u64 f32 f64);

impl<T: Number> Serialize for Packed<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let bytes = T::pack(&self.0);
        if !serializer.is_human_readable() {
            return serializer.serialize_bytes(&bytes);
        }
        let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        let digits = digits.filter_map(|digit| char::from_digit(digit.into(), 16));
        serializer.serialize_str(&digits.collect::<String>())
    }
}

impl<'de, T: Number> Deserialize<'de> for Packed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let incomplete = || D::Error::custom("incomplete numbers");
        if !deserializer.is_human_readable() {
            let bytes = <&[u8]>::deserialize(deserializer)?;
            return T::unpack(bytes).map(Self).ok_or_else(incomplete);
        }
        let text = String::deserialize(deserializer)?;
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        let digit = |digit: u8| char::from(digit).to_digit(16);
        let byte = |[high, low]: &[u8; 2]| Some((digit(*high)? << 4 | digit(*low)?) as u8);
        let bytes = pairs.iter().map(byte).collect::<Option<Vec<u8>>>();
        let bytes = bytes.filter(|_| rest.is_empty()).ok_or_else(incomplete)?;
        T::unpack(&bytes).map(Self).ok_or_else(incomplete)
    }
}
