//! How many genotypes of everybody are missing.

use basrelief_kernels::{GENOTYPES, Level, genotype_bit, mark_missing_genotypes};

/// Bits of a count that is being made.
const PLANES: usize = 16;

/// Counts of missing genotypes of everybody in a file, in planes of bits: adding a variant takes a few steps for 64 people.
#[derive(Debug)]
pub(super) struct MissingCounts {
    /// Marks of one variant.
    marks: Vec<u64>,
    /// Bit `b` of plane `p` is worth `2^p` in the count of the person of that bit.
    planes: Vec<[u64; PLANES]>,
    /// Variants that the planes hold.
    counted: usize,
    totals: Vec<u32>,
}

impl MissingCounts {
    /// No variant yet, of so many people.
    pub(super) fn new(people: usize) -> Self {
        let words = people.div_ceil(GENOTYPES);
        let (marks, planes) = (vec![0; words], vec![[0; PLANES]; words]);
        Self { marks, planes, counted: 0, totals: vec![0; people] }
    }

    /// Counts a variant more, of which everybody's genotypes are packed.
    pub(super) fn add(&mut self, level: Level, packed: &[u8]) {
        if self.counted == (1 << PLANES) - 1 {
            self.put_planes();
        }
        self.counted += 1;
        mark_missing_genotypes(level, packed, &mut self.marks);
        for (planes, mark) in self.planes.iter_mut().zip(&self.marks) {
            let mut carry = *mark;
            for plane in planes {
                if carry == 0 {
                    break;
                }
                (*plane, carry) = (*plane ^ carry, *plane & carry);
            }
        }
    }

    /// The counts, person by person.
    pub(super) fn into_totals(mut self) -> Vec<u32> {
        self.put_planes();
        self.totals
    }

    /// Puts what the planes hold to the totals.
    fn put_planes(&mut self) {
        for (person, total) in self.totals.iter_mut().enumerate() {
            let (word, bit) = genotype_bit(person);
            let worth = |(plane, bits): (usize, &u64)| u32::from(bits & bit != 0) << plane;
            *total += self.planes[word].iter().enumerate().map(worth).sum::<u32>();
        }
        self.planes.fill([0; PLANES]);
        self.counted = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// More variants than the planes can hold, and people at the end of a word and behind it.
    #[test]
    fn counts_grow_past_the_planes() {
        const PEOPLE: usize = 67;
        let variants = (1 << PLANES) + 1234;
        let mut counts = MissingCounts::new(PEOPLE);
        let mut wanted = [0; PEOPLE];
        for variant in 0..variants {
            let is_missing = |person: usize| person == 64 || (variant * (person + 3)) % 11 == 1;
            let mut packed = [0xff_u8; PEOPLE.div_ceil(4)];
            for person in (0..PEOPLE).filter(|person| is_missing(*person)) {
                wanted[person] += 1;
                packed[person / 4] ^= 0b10 << (2 * (person % 4));
            }
            counts.add(Level::Portable, &packed);
        }
        assert_eq!(counts.into_totals(), wanted);
    }
}
