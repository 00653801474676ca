//! The binary format of everything that travels between the tasks of a fit, except the plan, which is JSON: a
//! [`SealedFormat`] whose header holds a [`Label`]. Long arrays are written as bytes ([`Packed`]).

use serde::{Deserialize, Serialize};

use super::stage::Stage;
use crate::error::{Error, Result};
use crate::packed::Packed;
pub(super) use crate::sealed::BASRELIEF;
use crate::sealed::{Opened, SealedFormat};

/// The version of the formats of plans and results.
pub(super) const VERSION: u32 = 11;

/// The format of results. All parts of a plan must be of one version of basrelief.
const PART: SealedFormat = SealedFormat {
    magic: b"BASRPART",
    version: VERSION,
    same_release: true,
    what: "the result of a part",
    other_version: "use one version for the plan, all parts and the merge",
    damaged: "compute the part again",
};

/// The error for a plan or a result that another version wrote.
pub(super) fn other_version(what: &str, format: u64, basrelief: &str) -> Error {
    PART.other_version(what, format, basrelief)
}

/// The error for a result that differs from what was written.
pub(super) fn damaged(why: &str) -> Error {
    PART.damage(why)
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
    PART.seal(contents, label.plan, &label.contents)
}

/// Reads the contents of sealed bytes, which must have this label.
///
/// # Errors
/// The bytes are foreign, have another label, are of another version, cut short or damaged.
pub(super) fn open<'b, T: Deserialize<'b>>(bytes: &'b [u8], label: &Label) -> Result<T> {
    labelled(bytes, label)?.contents()
}

/// The serialized contents of sealed bytes, whose header and checksum are right.
///
/// # Errors
/// As of [`open`].
pub(super) fn contents<'b>(bytes: &'b [u8], label: &Label) -> Result<&'b [u8]> {
    Ok(labelled(bytes, label)?.bytes())
}

fn labelled<'b>(bytes: &'b [u8], label: &Label) -> Result<Opened<'b>> {
    let opened = PART.open(bytes)?;
    if opened.number != label.plan {
        return Err(Error::data(
            "the result of a part is of another plan",
            "compute the part again by this plan",
        ));
    }
    let found = opened.description;
    if found != label.contents {
        let what = format!("the result is of another part than {}: it is {found}", label.contents);
        return Err(Error::data(what, "give the right one, or compute it again"));
    }
    Ok(opened)
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
