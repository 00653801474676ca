//! The main track of a record: a category per person in two bits, which is the number of copies of ALT (0, 1 or 2), or
//! 3 if the genotype is missing.

use basrelief::data::PackedGenotypes;

/// The type of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kind(pub(super) u8);

impl Kind {
    /// Whether the main track lists the differences from that of another record.
    pub(super) fn has_base(self) -> bool {
        self.0 & 0b110 == 0b010
    }

    /// Whether a track contains further ALT alleles.
    pub(super) fn has_alleles(self) -> bool {
        self.0 & 0b1000 != 0
    }

    /// Whether a track contains phases.
    pub(super) fn has_phases(self) -> bool {
        self.0 & 0b1_0000 != 0
    }

    /// Whether tracks contain dosages.
    pub(super) fn has_dosages(self) -> bool {
        self.0 & 0b110_0000 != 0
    }

    /// Whether the main track is the only one.
    pub(super) fn is_alone(self) -> bool {
        self.0 & !0b111 == 0
    }
}

/// An upper bound of the number of bytes of a main track. In the longest list, all people differ, and each of them
/// takes an ID, a category, and a varint, where the sum of these varints is at most the number of people.
pub(super) fn longest(people: usize) -> u64 {
    2 * people as u64 + 64
}

/// Replaces `out` with the categories of a record. `bytes` contains the record, or its first [`longest`] bytes. `base`
/// contains the categories from which the record may differ.
///
/// # Errors
/// The record is invalid; the error is the reason.
pub(super) fn decode(
    kind: Kind,
    bytes: &[u8],
    people: usize,
    base: &[u8],
    out: &mut [u8],
) -> Result<(), &'static str> {
    let mut rest = Bytes(bytes);
    match kind.0 & 0b111 {
        0 => out.copy_from_slice(rest.take(out.len())?),
        1 => {
            let (low, step) = match rest.byte()? {
                pair @ (1 | 2 | 3 | 5 | 6 | 9) => (pair >> 2, pair & 0b11),
                _ => return Err("its first byte is not a pair of genotypes"),
            };
            let bits = rest.take(people.div_ceil(8))?;
            spread_pair(bits, low, step, out);
            rest.patch(people, out)?;
        }
        form @ (2 | 3) => {
            out.copy_from_slice(base);
            rest.patch(people, out)?;
            if form == 3 {
                out.iter_mut().for_each(|byte| *byte = inverted(*byte));
            }
        }
        // Not in the specification, but in PLINK 2's reader: no person has a copy, and the track is empty.
        5 => out.fill(0),
        form => {
            // 4, 6 and 7: most people have no copy, two copies, or a missing genotype.
            out.fill((form & 0b11) * LOW);
            rest.patch(people, out)?;
        }
    }
    if kind.is_alone() && !rest.0.is_empty() {
        return Err("it is longer than its genotypes");
    }
    clear_behind(people, out);
    Ok(())
}

/// The low bits of four categories.
const LOW: u8 = 0b0101_0101;

/// Converts four categories to PLINK 1's code with ALT as A1: 00 for two copies, 10 for one, 11 for none, and 01 for
/// missing.
#[inline]
pub(super) fn to_bed(byte: u8) -> u8 {
    let (high, low) = (byte >> 1 & LOW, byte & LOW);
    (high ^ LOW) << 1 | (high ^ low ^ LOW)
}

/// Clears the unused bits at the end of packed genotypes.
pub(super) fn clear_behind(people: usize, out: &mut [u8]) {
    if let (Some(last), used @ 1..) = (out.last_mut(), people % 4) {
        *last &= (1 << (2 * used)) - 1;
    }
}

/// Exchanges the categories for no copy and for two copies.
#[inline]
fn inverted(byte: u8) -> u8 {
    byte ^ (!byte & LOW) << 1
}

/// Sets each person's category to one of two: `low`, or `low + step` if the person's bit is set.
fn spread_pair(bits: &[u8], low: u8, step: u8, out: &mut [u8]) {
    for (out, bits) in out.chunks_mut(2).zip(bits) {
        // Spreads the bits to every second bit. Categories are at most 3, so there is no carry.
        let mut wide = u16::from(*bits);
        wide = (wide | wide << 4) & 0x0f0f;
        wide = (wide | wide << 2) & 0x3333;
        wide = (wide | wide << 1) & 0x5555;
        let categories = wide * u16::from(step) + u16::from(low) * 0x5555;
        out.copy_from_slice(&categories.to_le_bytes()[..out.len()]);
    }
}

/// The number of people per group of a list.
const GROUP: usize = 64;

/// The number of bytes of an ID, given the number of people.
fn id_width(people: usize) -> usize {
    match people as u64 {
        ..=0x100 => 1,
        0x101..=0x1_0000 => 2,
        0x1_0001..=0x100_0000 => 3,
        _ => 4,
    }
}

/// The remaining bytes of a record.
struct Bytes<'b>(&'b [u8]);

impl<'b> Bytes<'b> {
    fn take(&mut self, count: usize) -> Result<&'b [u8], &'static str> {
        let (taken, rest) =
            self.0.split_at_checked(count).ok_or("it is shorter than its genotypes")?;
        self.0 = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, &'static str> {
        Ok(self.take(1)?[0])
    }

    /// Reads a number with seven bits per byte, the lowest first.
    #[inline]
    fn varint(&mut self) -> Result<u64, &'static str> {
        let mut number = 0;
        for place in 0..5 {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << (7 * place);
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err("a number has more than five bytes")
    }

    /// Sets the categories of the people in a list.
    ///
    /// # Errors
    /// The list is truncated, has more entries than there are people, or its people are out of range or not in
    /// ascending order.
    fn patch(&mut self, people: usize, out: &mut [u8]) -> Result<(), &'static str> {
        let count = self.varint()?;
        if count > people as u64 {
            return Err("a list has more entries than there are people");
        }
        let count = count as usize;
        if count == 0 {
            return Ok(());
        }
        let (groups, width) = (count.div_ceil(GROUP), id_width(people));
        let firsts = self.take(groups * width)?;
        // The sizes of the groups, which are only needed to look up a single person.
        self.take(groups - 1)?;
        let categories = self.take(PackedGenotypes::bytes_of(count))?;
        let (mut person, mut least) = (0, 0);
        for entry in 0..count {
            person = match entry % GROUP {
                0 => little_endian(&firsts[entry / GROUP * width..][..width]),
                _ => person + self.varint()?,
            };
            if !(least..people as u64).contains(&person) {
                return Err("the people of a list are out of range or not in ascending order");
            }
            least = person + 1;
            let category = categories[entry / 4] >> (2 * (entry % 4)) & 0b11;
            let (byte, shift) = (person as usize / 4, 2 * (person % 4));
            out[byte] = out[byte] & !(0b11 << shift) | category << shift;
        }
        Ok(())
    }
}

/// Reads a whole number of at most eight bytes, the lowest first.
pub(super) fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Packs categories.
    fn packed(categories: &[u8]) -> Vec<u8> {
        let byte = |four: &[u8]| four.iter().rev().fold(0, |byte, category| byte << 2 | category);
        categories.chunks(4).map(byte).collect()
    }

    fn decoded(
        kind: u8,
        bytes: &[u8],
        people: usize,
        base: &[u8],
    ) -> Result<Vec<u8>, &'static str> {
        let mut out = vec![0xff; PackedGenotypes::bytes_of(people)];
        decode(Kind(kind), bytes, people, &packed(base), &mut out).map(|()| out)
    }

    #[test]
    fn every_form_is_read() {
        let base = [0, 1, 2, 3, 0, 1, 2, 3, 0, 1];
        let cases: [(u8, &[u8], [u8; 10]); 9] = [
            (0, &[0b11_10_01_00, 0, 0b0001], [0, 1, 2, 3, 0, 0, 0, 0, 1, 0]),
            // Missing if a bit is set, otherwise one copy; no differences.
            (1, &[6, 0b1000_0001, 0b10, 0], [3, 1, 1, 1, 1, 1, 1, 3, 1, 3]),
            // No copy or one copy, with two differences: person 2 has two copies, person 9 is missing.
            (1, &[1, 0b1000_0001, 0b10, 2, 2, 0b1110, 7], [1, 0, 2, 0, 0, 0, 0, 1, 0, 3]),
            (2, &[1, 4, 0b01], [0, 1, 2, 3, 1, 1, 2, 3, 0, 1]),
            (3, &[1, 4, 0b01], [2, 1, 0, 3, 1, 1, 0, 3, 2, 1]),
            (4, &[2, 0, 0b1001, 9], [1, 0, 0, 0, 0, 0, 0, 0, 0, 2]),
            (5, &[], [0; 10]),
            (6, &[0], [2; 10]),
            (7, &[1, 3, 0b00], [3, 3, 3, 0, 3, 3, 3, 3, 3, 3]),
        ];
        for (kind, bytes, wanted) in cases {
            assert_eq!(decoded(kind, bytes, 10, &base), Ok(packed(&wanted)), "{kind} {bytes:?}");
            // The following bytes belong to other tracks.
            let more = [bytes, &[7, 7]].concat();
            assert_eq!(decoded(kind | 0x10, &more, 10, &base), Ok(packed(&wanted)), "{kind}");
            assert!(decoded(kind, &more, 10, &base).is_err(), "{kind}");
            for cut in 0..bytes.len() {
                assert!(decoded(kind, &bytes[..cut], 10, &base).is_err(), "{kind} cut at {cut}");
            }
        }
    }

    /// Two groups, and IDs of two bytes.
    #[test]
    fn lists_have_groups() {
        let people = 1000;
        let mut bytes = vec![66, 5, 0, 0x2c, 1, 0];
        bytes.extend([0xff; 16]);
        bytes.push(0b0110);
        bytes.extend([1; 63]);
        // 500 more than 300.
        bytes.extend([0x80 | (500 & 0x7f) as u8, (500 >> 7) as u8]);
        let mut wanted = vec![0; people];
        wanted[5..69].fill(3);
        (wanted[300], wanted[800]) = (2, 1);
        assert_eq!(decoded(4, &bytes, people, &[]), Ok(packed(&wanted)));
    }

    #[test]
    fn lists_that_cannot_be_are_refused() {
        let cases: [(u8, &[u8]); 8] = [
            (1, &[0, 0, 0, 0]),
            (1, &[4, 0, 0, 0]),
            (1, &[0x11, 0, 0, 0]),
            (4, &[11, 0]),
            (4, &[1, 10, 1]),
            (4, &[2, 5, 0b0101, 0]),
            (4, &[2, 5, 0b0101, 5]),
            (4, &[0x81, 0x80, 0x80, 0x80, 0x80, 0]),
        ];
        for (kind, bytes) in cases {
            assert!(decoded(kind, bytes, 10, &[]).is_err(), "{kind} {bytes:?}");
        }
    }

    #[test]
    fn categories_become_codes_of_plink_1() {
        assert_eq!(to_bed(0b11_10_01_00), 0b01_00_10_11);
        assert_eq!(inverted(0b11_10_01_00), 0b11_00_01_10);
    }
}
