//! The main track of a record: a category for everybody, which is the copies of ALT (0, 1 or 2), or 3 where the genotype
//! is missing, at two bits a person.

use basrelief::data::PackedGenotypes;

/// What the type of a record says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kind(pub(super) u8);

impl Kind {
    /// Whether the main track lists differences from that of another record.
    pub(super) fn has_base(self) -> bool {
        self.0 & 0b110 == 0b010
    }

    /// Whether a track tells alleles of ALT behind the first.
    pub(super) fn has_alleles(self) -> bool {
        self.0 & 0b1000 != 0
    }

    /// Whether a track tells phases.
    pub(super) fn has_phases(self) -> bool {
        self.0 & 0b1_0000 != 0
    }

    /// Whether tracks tell dosages.
    pub(super) fn has_dosages(self) -> bool {
        self.0 & 0b110_0000 != 0
    }

    /// Whether nothing follows the main track.
    pub(super) fn is_alone(self) -> bool {
        self.0 & !0b111 == 0
    }
}

/// No main track of so many people has more bytes than this: in the longest list everybody differs, by an ID, a
/// category, and a varint whose numbers have no more than the number of people for their sum.
pub(super) fn longest(people: usize) -> u64 {
    2 * people as u64 + 64
}

/// Replaces `out` by the categories of a record, of which these are the bytes, or the first [`longest`] of them; `base`
/// are the categories that the record may differ from.
///
/// # Errors
/// What is wrong with the record.
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
                _ => return Err("its first byte names no two genotypes"),
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
        // Not in the specification, but in PLINK 2's reader: nobody has a copy, and the track has no byte.
        5 => out.fill(0),
        form => {
            // 4, 6 and 7: most have no copy, two copies, or are missing.
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

/// Four categories in PLINK 1's code, A1 being ALT: 00 for two copies, 10 for one, 11 for none, and 01 for missing.
#[inline]
pub(super) fn to_bed(byte: u8) -> u8 {
    let (high, low) = (byte >> 1 & LOW, byte & LOW);
    (high ^ LOW) << 1 | (high ^ low ^ LOW)
}

/// Clears the bits of nobody at the end of packed genotypes.
pub(super) fn clear_behind(people: usize, out: &mut [u8]) {
    if let (Some(last), used @ 1..) = (out.last_mut(), people % 4) {
        *last &= (1 << (2 * used)) - 1;
    }
}

/// Categories of which no copy and two copies have changed places.
#[inline]
fn inverted(byte: u8) -> u8 {
    byte ^ (!byte & LOW) << 1
}

/// Puts one of two categories for everybody: `low`, or that and `step` where a bit is set.
fn spread_pair(bits: &[u8], low: u8, step: u8, out: &mut [u8]) {
    for (out, bits) in out.chunks_mut(2).zip(bits) {
        // A bit for every two: categories are at most 3, so that nothing carries.
        let mut wide = u16::from(*bits);
        wide = (wide | wide << 4) & 0x0f0f;
        wide = (wide | wide << 2) & 0x3333;
        wide = (wide | wide << 1) & 0x5555;
        let categories = wide * u16::from(step) + u16::from(low) * 0x5555;
        out.copy_from_slice(&categories.to_le_bytes()[..out.len()]);
    }
}

/// IDs of people that a group of a list has.
const GROUP: usize = 64;

/// Bytes of an ID among so many people.
fn id_width(people: usize) -> usize {
    match people as u64 {
        ..=0x100 => 1,
        0x101..=0x1_0000 => 2,
        0x1_0001..=0x100_0000 => 3,
        _ => 4,
    }
}

/// What is left of a record.
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

    /// A number of seven bits a byte, the lowest first.
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

    /// Puts the categories of a list in their people's places.
    ///
    /// # Errors
    /// The list is cut short, has more entries than there are people, or its people do not ascend.
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
        // How many bytes the numbers of a group take, for those who look for one person.
        self.take(groups - 1)?;
        let categories = self.take(PackedGenotypes::bytes_of(count))?;
        let (mut person, mut least) = (0, 0);
        for entry in 0..count {
            person = match entry % GROUP {
                0 => little_endian(&firsts[entry / GROUP * width..][..width]),
                _ => person + self.varint()?,
            };
            if !(least..people as u64).contains(&person) {
                return Err("the people of a list do not ascend, or are more than there are");
            }
            least = person + 1;
            let category = categories[entry / 4] >> (2 * (entry % 4)) & 0b11;
            let (byte, shift) = (person as usize / 4, 2 * (person % 4));
            out[byte] = out[byte] & !(0b11 << shift) | category << shift;
        }
        Ok(())
    }
}

/// A whole number of at most eight bytes, the lowest first.
pub(super) fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Categories of people, packed.
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
            // Missing where a bit is set, else one copy; nobody differs.
            (1, &[6, 0b1000_0001, 0b10, 0], [3, 1, 1, 1, 1, 1, 1, 3, 1, 3]),
            // No copy, or one; two differ: person 2 has two copies, person 9 is missing.
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
            // What follows is that of other tracks.
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
