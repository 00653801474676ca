//! The number of missing genotypes of each person.

use basrelief_kernels::{GENOTYPES, Level, genotype_bit, mark_missing_genotypes};

/// The number of bits of a count in the planes.
const PLANES: usize = 16;

/// Counts of missing genotypes of all people in a file, in bit planes: adding a variant takes a few operations per 64
/// people.
#[derive(Debug)]
pub(super) struct MissingCounts {
    /// The missing genotypes of one variant, one bit per person.
    marks: Vec<u64>,
    /// Bit `b` of plane `p` contributes `2^p` to the count of the person of bit `b`.
    planes: Vec<[u64; PLANES]>,
    /// The number of variants counted in the planes.
    counted: usize,
    totals: Vec<u32>,
}

impl MissingCounts {
    /// Creates counts of zero for a number of people.
    pub(super) fn new(people: usize) -> Self {
        let words = people.div_ceil(GENOTYPES);
        let (marks, planes) = (vec![0; words], vec![[0; PLANES]; words]);
        Self { marks, planes, counted: 0, totals: vec![0; people] }
    }

    /// Adds the packed genotypes of a variant.
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

    /// Returns the count of each person.
    pub(super) fn into_totals(mut self) -> Vec<u32> {
        self.put_planes();
        self.totals
    }

    /// Adds the counts in the planes to the totals, and clears the planes.
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

    /// More variants than the planes can count, with people at the end of a word and after it.
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
