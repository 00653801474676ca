//! Genotypes of a column, stored in one byte or two bits each.

use std::borrow::Cow;

use super::Contiguous;
use crate::error::Result;
use crate::run::Run;

/// The code of a missing genotype. The other codes are 0, 1 and 2 copies.
pub const MISSING_GENOTYPE: u8 = 3;

/// The number of different codes.
const CODES: usize = MISSING_GENOTYPE as usize + 1;

/// The number of packed genotypes per byte.
const IN_BYTE: usize = 4;

/// Genotypes of a column, in row order: 0, 1 or 2 copies of an allele, or [`MISSING_GENOTYPE`].
#[derive(Debug, Clone)]
pub enum Genotypes<'a> {
    /// One byte each.
    Bytes(Contiguous<'a, u8>),
    /// Two bits each.
    Packed(PackedGenotypes),
}

impl Genotypes<'_> {
    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Genotypes::Bytes(codes) => codes.len(),
            Genotypes::Packed(packed) => packed.rows,
        }
    }

    /// Whether the column is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The genotype of a row.
    ///
    /// # Panics
    /// `row >= len()`.
    #[inline]
    pub fn get(&self, row: usize) -> u8 {
        match self {
            Genotypes::Bytes(codes) => codes[row],
            Genotypes::Packed(packed) => packed.get(row),
        }
    }

    /// The genotypes in row order.
    pub fn iter(&self) -> impl Iterator<Item = u8> + '_ {
        (0..self.len()).map(|row| self.get(row))
    }

    /// The genotypes, one byte each. Packed genotypes are unpacked into `memory`, which can be reused.
    pub fn bytes<'b>(&'b self, memory: &'b mut Vec<u8>) -> &'b [u8] {
        match self {
            Genotypes::Bytes(codes) => codes,
            Genotypes::Packed(packed) => {
                packed.unpack(memory);
                memory
            }
        }
    }

    /// Replaces `out` by the genotypes, one byte each.
    pub fn copy_to(&self, out: &mut Vec<u8>) {
        match self {
            Genotypes::Bytes(codes) => {
                out.clear();
                out.extend_from_slice(codes);
            }
            Genotypes::Packed(packed) => packed.unpack(out),
        }
    }

    /// The genotypes, one byte each: borrowed, or unpacked if they are packed.
    pub fn to_bytes(&self) -> Cow<'_, [u8]> {
        match self {
            Genotypes::Bytes(codes) => Cow::Borrowed(codes),
            Genotypes::Packed(packed) => Cow::Owned(packed.to_vec()),
        }
    }

    /// The number of rows with each code.
    pub fn counts(&self) -> [usize; 4] {
        match self {
            Genotypes::Bytes(codes) => counts_of_bytes(codes),
            Genotypes::Packed(packed) => packed.counts(),
        }
    }

    /// Which of 0, 1 and 2 copies and [`MISSING_GENOTYPE`] occur.
    pub(crate) fn seen(&self) -> [bool; 4] {
        match self {
            Genotypes::Bytes(codes) => genotypes_seen(codes),
            Genotypes::Packed(packed) => packed.counts().map(|count| count > 0),
        }
    }

    /// Selects rows, in the order of the list; the storage format remains the same.
    ///
    /// # Panics
    /// A row out of range.
    #[must_use]
    pub fn select_rows(&self, rows: &[usize]) -> Genotypes<'static> {
        match self {
            Genotypes::Bytes(codes) => {
                rows.iter().map(|&row| codes[row]).collect::<Vec<u8>>().into()
            }
            Genotypes::Packed(packed) => {
                let codes = rows.iter().map(|&row| packed.get(row));
                Genotypes::Packed(PackedGenotypes::from_codes(codes))
            }
        }
    }
}

impl From<Vec<u8>> for Genotypes<'_> {
    fn from(codes: Vec<u8>) -> Self {
        Genotypes::Bytes(codes.into())
    }
}

impl<'a> From<Contiguous<'a, u8>> for Genotypes<'a> {
    fn from(codes: Contiguous<'a, u8>) -> Self {
        Genotypes::Bytes(codes)
    }
}

impl From<PackedGenotypes> for Genotypes<'_> {
    fn from(packed: PackedGenotypes) -> Self {
        Genotypes::Packed(packed)
    }
}

/// Genotypes of two bits each. A byte contains four rows, the first one in its lowest bits.
#[derive(Debug, Clone)]
pub struct PackedGenotypes {
    /// The bits after the last row are 0.
    bytes: Contiguous<'static, u8>,
    rows: usize,
}

impl PackedGenotypes {
    /// The number of bytes for the genotypes of `rows` rows.
    pub fn bytes_of(rows: usize) -> usize {
        rows.div_ceil(IN_BYTE)
    }

    /// Creates `width` columns of `rows` genotypes each, in memory or, if they do not fit, in a file.
    ///
    /// `fill` receives the space for all columns, [`bytes_of`](Self::bytes_of) bytes each, column after
    /// column, and writes the genotypes to it. Bits after the last row of a column are ignored.
    ///
    /// # Errors
    /// The errors of `fill`; not enough space for the file.
    pub fn columns(
        rows: usize,
        width: usize,
        run: &Run,
        fill: impl FnOnce(&mut [u8]) -> Result<()>,
    ) -> Result<Vec<Self>> {
        let length = Self::bytes_of(rows);
        let mut all = run.zeros(length * width)?;
        fill(&mut all)?;
        if length == 0 {
            return Ok(vec![Self { bytes: Vec::new().into(), rows }; width]);
        }
        let in_last = rows - (length - 1) * IN_BYTE;
        if in_last < IN_BYTE {
            let mask = (1 << (2 * in_last)) - 1;
            all.iter_mut().skip(length - 1).step_by(length).for_each(|last| *last &= mask);
        }
        Ok(Contiguous::parts_of(all, length)
            .into_iter()
            .map(|bytes| Self { bytes, rows })
            .collect())
    }

    /// Creates genotypes of `rows` rows from [bytes](Self::packed_bytes); `None` if the number of bytes differs.
    pub(crate) fn from_packed_bytes(mut bytes: Vec<u8>, rows: usize) -> Option<Self> {
        if bytes.len() != Self::bytes_of(rows) {
            return None;
        }
        if let (Some(last), in_last @ 1..) = (bytes.last_mut(), rows % IN_BYTE) {
            *last &= (1 << (2 * in_last)) - 1;
        }
        Some(Self { bytes: bytes.into(), rows })
    }

    /// Packs codes, of which only the two lowest bits are used.
    pub fn from_codes(codes: impl Iterator<Item = u8>) -> Self {
        let (mut bytes, mut rows) = (Vec::with_capacity(codes.size_hint().0.div_ceil(IN_BYTE)), 0);
        for code in codes {
            if rows % IN_BYTE == 0 {
                bytes.push(0);
            }
            if let Some(last) = bytes.last_mut() {
                *last |= (code & MISSING_GENOTYPE) << (2 * (rows % IN_BYTE));
            }
            rows += 1;
        }
        Self { bytes: bytes.into(), rows }
    }

    /// Packs codes, of which only the two lowest bits are used, into their [`bytes_of`](Self::bytes_of) bytes.
    pub(super) fn pack(codes: &[u8], out: &mut [u8]) {
        let packed = |four: [u8; IN_BYTE]| {
            let [a, b, c, d] = four.map(|code| code & MISSING_GENOTYPE);
            a | b << 2 | c << 4 | d << 6
        };
        let (fours, rest) = codes.as_chunks();
        let mut last = [0; IN_BYTE];
        last[..rest.len()].copy_from_slice(rest);
        let all = fours.iter().chain((!rest.is_empty()).then_some(&last));
        out.iter_mut().zip(all).for_each(|(out, four)| *out = packed(*four));
    }

    /// The packed genotypes. A byte contains four rows, the first one in its lowest bits; bits after the last row
    /// are 0.
    pub fn packed_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether the column is empty.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The genotype of a row.
    ///
    /// # Panics
    /// `row >= len()`.
    #[inline]
    pub fn get(&self, row: usize) -> u8 {
        assert!(row < self.rows, "row {row} of {}", self.rows);
        self.bytes[row / IN_BYTE] >> (2 * (row % IN_BYTE)) & MISSING_GENOTYPE
    }

    /// The genotypes, one byte each.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut codes = Vec::new();
        self.unpack(&mut codes);
        codes
    }

    /// Replaces `out` by the genotypes, one byte each.
    fn unpack(&self, out: &mut Vec<u8>) {
        // The old contents are overwritten, so that clearing them is not necessary.
        out.resize(IN_BYTE * self.bytes.len(), 0);
        for (four, &byte) in out.as_chunks_mut().0.iter_mut().zip(&*self.bytes) {
            *four = UNPACKED[usize::from(byte)];
        }
        out.truncate(self.rows);
    }

    /// The number of rows with each code.
    pub fn counts(&self) -> [usize; 4] {
        const LOW: u64 = 0x5555_5555_5555_5555;
        let (mut one, mut two, mut missing) = (0, 0, 0);
        let (words, rest) = self.bytes.as_chunks();
        let mut last = [0; size_of::<u64>()];
        last[..rest.len()].copy_from_slice(rest);
        for word in words.iter().chain([&last]) {
            let word = u64::from_le_bytes(*word);
            let (low, high) = (word & LOW, word >> 1 & LOW);
            one += (low & !high).count_ones() as usize;
            two += (high & !low).count_ones() as usize;
            missing += (low & high).count_ones() as usize;
        }
        [self.rows - one - two - missing, one, two, missing]
    }
}

/// The four genotypes in every possible byte.
static UNPACKED: [[u8; IN_BYTE]; 256] = {
    let mut all = [[0; IN_BYTE]; 256];
    let mut byte = 0;
    while byte < all.len() {
        let mut place = 0;
        while place < IN_BYTE {
            all[byte][place] = (byte >> (2 * place)) as u8 & MISSING_GENOTYPE;
            place += 1;
        }
        byte += 1;
    }
    all
};

fn counts_of_bytes(codes: &[u8]) -> [usize; CODES] {
    let mut counts = [0; CODES];
    // Counts of up to 255 codes fit in bytes, which the compiler vectorizes.
    for codes in codes.chunks(u8::MAX.into()) {
        for (code, count) in (0..).zip(&mut counts) {
            *count += usize::from(codes.iter().map(|other| u8::from(*other == code)).sum::<u8>());
        }
    }
    counts
}

/// Which of 0, 1 and 2 copies and [`MISSING_GENOTYPE`] occur.
pub(super) fn genotypes_seen(copies: &[u8]) -> [bool; CODES] {
    let mut seen = [0; CODES];
    for copies in copies {
        for (code, seen) in (0..).zip(&mut seen) {
            *seen |= u8::from(*copies == code);
        }
    }
    seen.map(|seen| seen != 0)
}

/// The number of copies of the allele; NaN is missing.
pub(super) fn genotype_value(code: u8) -> f64 {
    if code == MISSING_GENOTYPE { f64::NAN } else { f64::from(code) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Both storage formats contain the same genotypes.
        #[test]
        fn packed_genotypes_are_those_in_bytes(codes in prop::collection::vec(0..4_u8, 0..300)) {
            let bytes = Genotypes::from(codes.clone());
            let packed = Genotypes::from(PackedGenotypes::from_codes(codes.iter().copied()));
            let mut memory = vec![9; PackedGenotypes::bytes_of(codes.len())];
            PackedGenotypes::pack(&codes, &mut memory);
            if let Genotypes::Packed(packed) = &packed {
                prop_assert_eq!(packed.packed_bytes(), &memory[..]);
            }
            for held in [&bytes, &packed] {
                prop_assert_eq!(held.len(), codes.len());
                prop_assert_eq!(held.is_empty(), codes.is_empty());
                prop_assert!(held.iter().eq(codes.iter().copied()));
                prop_assert_eq!(held.bytes(&mut memory), &codes[..]);
                prop_assert_eq!(&*held.to_bytes(), &codes[..]);
                held.copy_to(&mut memory);
                prop_assert_eq!(&memory, &codes);
                let count = |code| codes.iter().filter(|other| **other == code).count();
                let counts = [0, 1, 2, 3].map(count);
                prop_assert_eq!(held.counts(), counts);
                prop_assert_eq!(held.seen(), counts.map(|count| count > 0));
                let rows: Vec<usize> = (0..codes.len()).rev().step_by(3).collect();
                let selected = held.select_rows(&rows);
                prop_assert!(selected.iter().eq(rows.iter().map(|&row| codes[row])));
            }
        }

        /// Columns are consecutive, with arbitrary bits after their last rows.
        #[test]
        fn packed_columns_lie_one_after_the_other(rows in 0..20_usize, width in 0..5_usize) {
            let run = Run::new(Some(1)).unwrap();
            let length = PackedGenotypes::bytes_of(rows);
            let byte = |place: usize| (place * 89 + 171) as u8;
            let columns = PackedGenotypes::columns(rows, width, &run, |all| {
                assert_eq!(all.len(), length * width);
                (0..).zip(all).for_each(|(place, out)| *out = byte(place));
                Ok(())
            })
            .unwrap();
            prop_assert_eq!(columns.len(), width);
            for (index, column) in columns.into_iter().enumerate() {
                let code = |row: usize| byte(index * length + row / 4) >> (2 * (row % 4)) & 3;
                let wanted = Genotypes::from((0..rows).map(code).collect::<Vec<u8>>());
                let column = Genotypes::from(column);
                prop_assert!(column.iter().eq(wanted.iter()));
                prop_assert_eq!(column.counts(), wanted.counts());
            }
        }
    }

    #[test]
    #[should_panic(expected = "row 5 of 5")]
    fn a_row_behind_the_last_is_refused() {
        PackedGenotypes::from_codes([1; 5].into_iter()).get(5);
    }
}
