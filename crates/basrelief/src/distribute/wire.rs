//! The binary format of everything that travels between the tasks of a fit, except the plan, which is JSON.
//!
//! [`seal`] writes a header, the contents and a checksum; [`open`] checks all three. The header contains, little-
//! endian, [`MAGIC`], [`VERSION`] of this format, the version of basrelief, the [`Label`], and the length of the
//! contents; texts follow their lengths. The contents are in the format of
//! [postcard](https://postcard.jamesmunns.com/wire-format), long arrays as bytes ([`Packed`]). The checksum
//! is the first 64 bits of the [`Checksum`] of everything before it. A length that does not fit the bytes is
//! refused before memory is allocated for it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::stage::Stage;
use crate::checksum::Checksum;
use crate::error::{Error, Result};
use crate::packed::Packed;

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

/// Identifies the contents: the number of the plan or the draft, and a description.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Label {
    plan: u64,
    contents: String,
}

impl Label {
    pub(super) fn new(plan: u64, contents: impl Into<String>) -> Self {
        Self { plan, contents: contents.into() }
    }

    /// The label of the result of a part of a stage.
    pub(super) fn result(plan: u64, stage: Stage, part: usize) -> Self {
        Self::new(plan, format!("part {} of stage {}", part + 1, stage.name()))
    }
}

/// The checksum of sealed bytes, which identifies them.
pub(super) fn checksum(sealed: &[u8]) -> u64 {
    sealed.last_chunk().map_or(0, |last| u64::from_le_bytes(*last))
}

/// Serializes contents, with header and checksum.
pub(super) fn seal<T: Serialize>(contents: &T, label: &Label) -> Vec<u8> {
    let mut header = MAGIC.to_vec();
    header.extend(VERSION.to_le_bytes());
    add_text(&mut header, BASRELIEF);
    header.extend(label.plan.to_le_bytes());
    add_text(&mut header, &label.contents);
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
pub(super) fn open<'b, T: Deserialize<'b>>(bytes: &'b [u8], label: &Label) -> Result<T> {
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
pub(super) fn contents<'b>(bytes: &'b [u8], label: &Label) -> Result<&'b [u8]> {
    let mut rest = bytes;
    if take(&mut rest, MAGIC.len()).ok() != Some(&MAGIC[..]) {
        return Err(damaged("it does not begin as one"));
    }
    // The versions come first, because everything after them may have changed.
    let format = u32::from_le_bytes(field(&mut rest)?);
    let basrelief = take_text(&mut rest)?;
    if format != VERSION || basrelief != BASRELIEF {
        return Err(other_version("the result of a part", format.into(), &basrelief));
    }
    let plan = u64::from_le_bytes(field(&mut rest)?);
    let found = take_text(&mut rest)?;
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
    if found != label.contents {
        let what = format!("the result is of another part than {}: it is {found}", label.contents);
        return Err(Error::data(what, "give the right one, or compute it again"));
    }
    Ok(contents)
}

/// Takes the next bytes.
fn take<'b>(bytes: &mut &'b [u8], count: usize) -> Result<&'b [u8]> {
    let (taken, rest) = bytes.split_at_checked(count).ok_or_else(|| damaged("it is cut short"))?;
    *bytes = rest;
    Ok(taken)
}

/// Adds a text with its length to a header.
fn add_text(header: &mut Vec<u8>, text: &str) {
    header.extend((text.len() as u32).to_le_bytes());
    header.extend(text.as_bytes());
}

/// Takes a text of the header.
fn take_text<'b>(bytes: &mut &'b [u8]) -> Result<Cow<'b, str>> {
    let length = u32::from_le_bytes(field(bytes)?);
    Ok(String::from_utf8_lossy(take(bytes, length as usize)?))
}

/// Takes a field of the header.
fn field<const BYTES: usize>(bytes: &mut &[u8]) -> Result<[u8; BYTES]> {
    let mut field = [0; BYTES];
    field.copy_from_slice(take(bytes, BYTES)?);
    Ok(field)
}

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
