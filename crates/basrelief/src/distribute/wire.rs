//! Results as bytes: a header that says what they are, the contents, and a checksum.
//!
//! Everything is little-endian. The header holds [`MAGIC`], [`VERSION`] of this format, the version of
//! basrelief as text, the plan's number, what it is and which part of that; then come the length of the contents, these, and
//! the first 64 bits of the [`Checksum`] of all before.

use basrelief_kernels::Moments;

use super::stage::Stage;
use crate::checksum::Checksum;
use crate::csr::CsrGroups;
use crate::error::{Error, Result};
use crate::inference::Exceedances;
use crate::margins::MarginSums;
use crate::neighbors::{Found, Marks};

/// How results begin.
const MAGIC: &[u8; 8] = b"BASRPART";

/// The version of the formats of plans and results.
pub(super) const VERSION: u32 = 6;

/// The version of basrelief, which all parts of a plan must have.
pub(super) const BASRELIEF: &str = env!("CARGO_PKG_VERSION");

/// What was written by another version.
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

/// That bytes are not as they were written.
pub(super) fn damaged(why: &str) -> Error {
    Error::data(format!("the result of a part is damaged: {why}"), "compute the part again")
}

/// What bytes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    /// The result of a part of a stage.
    Result(Stage),
    /// What all results of a stage that measures make together.
    Measured(Stage),
    /// A fit before its columns are known.
    Draft,
    /// What is known of some columns.
    Facts,
    /// The values of some columns in a block of rows.
    Cell,
    /// What is known before a round.
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

    /// What is meant, and what to do where something else came.
    fn told(self, part: usize) -> (String, &'static str) {
        let part = part + 1;
        match self {
            Content::Result(stage) => {
                (format!("part {part} of stage {}", stage.name()), "compute the part again")
            }
            Content::Measured(stage) => {
                (format!("what stage {} measured", stage.name()), "gather it again")
            }
            Content::Draft => ("a fit to be planned".to_string(), "give what was made for it"),
            Content::Facts => (format!("the facts of columns {part}"), "make them again"),
            Content::Cell => (format!("the cell {part}"), "make it again"),
            Content::Round => ("what is known before a round".to_string(), "make it again"),
        }
    }
}

/// Which bytes are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Label {
    pub(super) plan: u64,
    pub(super) content: Content,
    pub(super) part: usize,
}

impl Label {
    /// The result of a part of a stage.
    pub(super) fn result(plan: u64, stage: Stage, part: usize) -> Self {
        Self { plan, content: Content::Result(stage), part }
    }
}

/// By what sealed bytes are known again: their checksum.
pub(super) fn checksum(sealed: &[u8]) -> u64 {
    sealed.last_chunk().map_or(0, |last| u64::from_le_bytes(*last))
}

/// Bytes before the contents: mark, versions, what they are, and their number.
const HEADER: usize = MAGIC.len() + 4 + 4 + BASRELIEF.len() + 8 + 4 + 4 + 8;

/// Bytes being written, behind room for their header.
pub(super) struct Writer(Vec<u8>);

impl Default for Writer {
    fn default() -> Self {
        Self(vec![0; HEADER])
    }
}

impl Writer {
    pub(super) fn u32(&mut self, number: u32) {
        self.0.extend(number.to_le_bytes());
    }

    pub(super) fn u64(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    pub(super) fn f64(&mut self, number: f64) {
        self.0.extend(number.to_le_bytes());
    }

    /// Bytes, and before them how many.
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.u64(bytes.len() as u64);
        self.0.extend(bytes);
    }

    /// Numbers, and before them how many.
    pub(super) fn f64s(&mut self, numbers: &[f64]) {
        self.items(numbers, f64::to_le_bytes);
    }

    /// The same of whole numbers.
    pub(super) fn u32s(&mut self, numbers: &[u32]) {
        self.items(numbers, u32::to_le_bytes);
    }

    /// The same of longer ones.
    pub(super) fn u64s(&mut self, numbers: &[u64]) {
        self.items(numbers, u64::to_le_bytes);
    }

    /// Items of as many bytes each, and before them how many.
    fn items<T: Copy, const BYTES: usize>(
        &mut self,
        items: &[T],
        bytes: impl Fn(T) -> [u8; BYTES],
    ) {
        self.u64(items.len() as u64);
        let start = self.0.len();
        self.0.resize(start + items.len() * BYTES, 0);
        let written = self.0[start..].as_chunks_mut::<BYTES>().0;
        written.iter_mut().zip(items).for_each(|(written, item)| *written = bytes(*item));
    }

    /// The contents alone.
    pub(super) fn into_bytes(mut self) -> Vec<u8> {
        self.0.drain(..HEADER);
        self.0
    }

    /// The contents with header and checksum.
    pub(super) fn sealed(mut self, label: Label) -> Vec<u8> {
        let mut header = Self(Vec::with_capacity(HEADER));
        header.0.extend(MAGIC);
        header.u32(VERSION);
        header.u32(BASRELIEF.len() as u32);
        header.0.extend(BASRELIEF.as_bytes());
        header.u64(label.plan);
        header.u32(label.content.code());
        header.u32(label.part as u32);
        header.u64((self.0.len() - HEADER) as u64);
        self.0[..HEADER].copy_from_slice(&header.0);
        let checksum = Checksum::from_bytes(&self.0).number();
        self.u64(checksum);
        self.0
    }
}

/// Bytes being read.
#[derive(Clone, Copy)]
pub(super) struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    /// Bytes without a header, that come from contents that have one.
    pub(super) fn of(bytes: &'b [u8]) -> Self {
        Self(bytes)
    }

    /// The contents of a result, which must be the one that is meant.
    ///
    /// # Errors
    /// It is no result, another one, of another version, cut short or damaged.
    pub(super) fn open(bytes: &'b [u8], label: Label) -> Result<Self> {
        let mut all = Self(bytes);
        if all.take(MAGIC.len()).ok() != Some(&MAGIC[..]) {
            return Err(damaged("it does not begin as one"));
        }
        // First, because whatever follows may have changed.
        let (format, length) = (all.u32()?, all.u32()?);
        let basrelief = String::from_utf8_lossy(all.take(length as usize)?).into_owned();
        if format != VERSION || basrelief != BASRELIEF {
            return Err(other_version("the result of a part", format.into(), &basrelief));
        }
        let (plan, content, part) = (all.u64()?, all.u32()?, all.u32()?);
        let length = usize::try_from(all.u64()?).map_err(|_| damaged("it is cut short"))?;
        if all.0.len() != length.saturating_add(8) {
            return Err(damaged("it has another length than it says"));
        }
        let contents = Self(all.take(length)?);
        if all.u64()? != Checksum::from_bytes(&bytes[..bytes.len() - 8]).number() {
            return Err(damaged("its checksum is not that of its contents"));
        }
        let (what, help) = label.content.told(label.part);
        if plan != label.plan {
            return Err(Error::data(
                "the result of a part is of another plan",
                "compute the part again by this plan",
            ));
        }
        if (content, part) != (label.content.code(), label.part as u32) {
            return Err(Error::data(format!("the result is of another part than {what}"), help));
        }
        Ok(contents)
    }

    fn take(&mut self, count: usize) -> Result<&'b [u8]> {
        let (taken, rest) =
            self.0.split_at_checked(count).ok_or_else(|| damaged("it is cut short"))?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const COUNT: usize>(&mut self) -> Result<[u8; COUNT]> {
        let mut array = [0; COUNT];
        array.copy_from_slice(self.take(COUNT)?);
        Ok(array)
    }

    pub(super) fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(super) fn u64(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    pub(super) fn f64(&mut self) -> Result<f64> {
        Ok(f64::from_le_bytes(self.array()?))
    }

    /// A count of items of so many bytes, all of which are there.
    pub(super) fn count(&mut self, bytes: usize) -> Result<usize> {
        let count = usize::try_from(self.u64()?).ok();
        let fits = |count: &usize| count.checked_mul(bytes).is_some_and(|all| all <= self.0.len());
        count.filter(fits).ok_or_else(|| damaged("it is cut short"))
    }

    pub(super) fn bytes(&mut self) -> Result<&'b [u8]> {
        let count = self.count(1)?;
        self.take(count)
    }

    pub(super) fn f64s(&mut self) -> Result<Vec<f64>> {
        self.items(f64::from_le_bytes)
    }

    pub(super) fn u32s(&mut self) -> Result<Vec<u32>> {
        self.items(u32::from_le_bytes)
    }

    pub(super) fn u64s(&mut self) -> Result<Vec<u64>> {
        self.items(u64::from_le_bytes)
    }

    fn items<T, const BYTES: usize>(&mut self, item: impl Fn([u8; BYTES]) -> T) -> Result<Vec<T>> {
        let count = self.count(BYTES)?;
        let bytes = self.take(count * BYTES)?.as_chunks::<BYTES>().0;
        Ok(bytes.iter().map(|bytes| item(*bytes)).collect())
    }

    pub(super) fn end(self) -> Result<()> {
        if self.0.is_empty() { Ok(()) } else { Err(damaged("something follows its contents")) }
    }
}

pub(super) fn write_moments(moments: &[Moments]) -> Writer {
    let mut writer = Writer::default();
    writer.u64(moments.len() as u64);
    for Moments { count, mean, squares } in moments {
        [count, mean, squares].into_iter().for_each(|number| writer.f64(*number));
    }
    writer
}

pub(super) fn read_moments(mut reader: Reader<'_>) -> Result<Vec<Moments>> {
    let count = reader.count(24)?;
    let mut moments = Vec::with_capacity(count);
    for _ in 0..count {
        let (count, mean, squares) = (reader.f64()?, reader.f64()?, reader.f64()?);
        moments.push(Moments { count, mean, squares });
    }
    reader.end()?;
    Ok(moments)
}

/// What found neighbors are.
const LISTS: u32 = 0;
const MARKS: u32 = 1;

fn write_marks(Marks { others, sides, strengths }: &Marks, writer: &mut Writer) {
    writer.u64(*others as u64);
    writer.u64(sides.len() as u64);
    sides.iter().for_each(|side| writer.u64s(side));
    writer.f64s(strengths);
}

fn read_marks(reader: &mut Reader<'_>) -> Result<Marks> {
    let others = reader.u64()? as usize;
    let count = reader.count(8)?;
    let sides = (0..count).map(|_| reader.u64s()).collect::<Result<_>>()?;
    Ok(Marks { others, sides, strengths: reader.f64s()? })
}

pub(super) fn write_found(found: &Found) -> Writer {
    let mut writer = Writer::default();
    match found {
        Found::Lists(lists) => {
            writer.u32(LISTS);
            writer.u64(lists.iter().count() as u64);
            for list in lists.iter() {
                writer.u32(list.len() as u32);
                for (distance, row) in list {
                    writer.f64(*distance);
                    writer.u32(*row);
                }
            }
        }
        Found::Marks(marks) => {
            writer.u32(MARKS);
            write_marks(marks, &mut writer);
        }
    }
    writer
}

pub(super) fn read_found(mut reader: Reader<'_>, rows: usize) -> Result<Found> {
    let found = match reader.u32()? {
        LISTS => {
            let mut lists = CsrGroups::default();
            for _ in 0..reader.count(4)? {
                for _ in 0..reader.u32()? {
                    let (distance, row) = (reader.f64()?, reader.u32()?);
                    if row as usize >= rows {
                        return Err(damaged("it names a row that there is not"));
                    }
                    lists.push((distance, row));
                }
                lists.end_group();
            }
            Found::Lists(lists)
        }
        MARKS => Found::Marks(read_marks(&mut reader)?),
        _ => return Err(damaged("its contents are of no known kind")),
    };
    reader.end()?;
    Ok(found)
}

/// What pairs of blocks tell: of which block, beside which other, and what.
pub(super) type Told = Vec<(usize, usize, Writer)>;

pub(super) fn write_told(told: Told) -> Writer {
    let mut writer = Writer::default();
    writer.u64(told.len() as u64);
    for (block, other, contents) in told {
        writer.u64(block as u64);
        writer.u64(other as u64);
        writer.bytes(&contents.into_bytes());
    }
    writer
}

pub(super) fn read_told(mut reader: Reader<'_>) -> Result<Vec<(usize, usize, &[u8])>> {
    let mut told = Vec::new();
    for _ in 0..reader.count(24)? {
        told.push((reader.u64()? as usize, reader.u64()? as usize, reader.bytes()?));
    }
    reader.end()?;
    Ok(told)
}

/// The weights of some columns, and whether no row is near to another.
pub(super) struct Weights {
    pub(super) weights: Vec<f64>,
    pub(super) nobody_near: bool,
}

pub(super) fn write_weights(weights: &Weights) -> Writer {
    let mut writer = Writer::default();
    writer.u32(weights.nobody_near.into());
    writer.u64(weights.weights.len() as u64);
    weights.weights.iter().for_each(|weight| writer.f64(*weight));
    writer
}

pub(super) fn read_weights(mut reader: Reader<'_>) -> Result<Weights> {
    let nobody_near = reader.u32()? != 0;
    let count = reader.count(8)?;
    let weights = (0..count).map(|_| reader.f64()).collect::<Result<_>>()?;
    reader.end()?;
    Ok(Weights { weights, nobody_near })
}

pub(super) fn write_exceedances(found: &Exceedances) -> Writer {
    let mut writer = Writer::default();
    writer.u64s(&found.counts);
    writer.f64s(&found.largest);
    writer.bytes(found.refit_reason.as_deref().unwrap_or_default().as_bytes());
    writer
}

pub(super) fn read_exceedances(mut reader: Reader<'_>) -> Result<Exceedances> {
    let (counts, largest) = (reader.u64s()?, reader.f64s()?);
    let reason = String::from_utf8_lossy(reader.bytes()?).into_owned();
    reader.end()?;
    let refit_reason = (!reason.is_empty()).then_some(reason);
    Ok(Exceedances { counts, largest, refit_reason })
}

/// The summed margins of some blocks of rows.
pub(super) fn write_margins(blocks: &[MarginSums<2>]) -> Writer {
    let mut writer = Writer::default();
    writer.u64(blocks.len() as u64);
    for MarginSums { sums, skipped, totals, .. } in blocks {
        totals.iter().for_each(|total| writer.f64(*total));
        sums.iter().chain(skipped).for_each(|numbers| writer.f64s(numbers));
    }
    writer
}

/// Those of so many blocks and columns.
pub(super) fn read_margins(
    mut reader: Reader<'_>,
    blocks: usize,
    width: usize,
) -> Result<Vec<MarginSums<2>>> {
    if reader.count(16)? != blocks {
        return Err(damaged("it has other blocks"));
    }
    let mut found = Vec::with_capacity(blocks);
    for _ in 0..blocks {
        let mut margins = MarginSums::new(width);
        margins.totals = [reader.f64()?, reader.f64()?];
        for numbers in margins.sums.iter_mut().chain(&mut margins.skipped) {
            *numbers = reader.f64s()?;
            if numbers.len() != width {
                return Err(damaged("it has other columns"));
            }
        }
        found.push(margins);
    }
    reader.end()?;
    Ok(found)
}
