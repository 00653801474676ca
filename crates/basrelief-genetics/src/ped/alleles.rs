//! The alleles of a variant in a text fileset: their codes, and which of them is A1.

use basrelief_kernels::{Level, count_packed_genotypes};

use crate::metadata::Sample;
use crate::metadata::chromosomes::Genome;
use crate::metadata::people::mask_of;
use crate::metadata::variants::NO_ALLELE;
use crate::stored::{CODES, MISSING};

/// The maximum number of alleles of a variant, as in PLINK.
pub(super) const MOST_ALLELES: usize = 4;

/// A byte that does not occur in a UTF-8 text.
const NO_LETTER: u8 = 0xff;

/// Memory of an allele or of a genotype in [`Alleles`] in bytes, without the text.
const KEPT_OF_ENTRY: u64 = 64;

/// The first two alleles of a variant if they are single bytes; otherwise, [`NO_LETTER`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Letters([u8; 2]);

impl Default for Letters {
    fn default() -> Self {
        Self([NO_LETTER; 2])
    }
}

impl Letters {
    /// Returns the code of a genotype of two of these alleles, or of two missing alleles, without a look at [`Alleles`];
    /// `None` for any other genotype.
    #[inline]
    pub(super) fn code(self, one: u8, other: u8) -> Option<u8> {
        let [first, second] = self.0;
        if one == other {
            return match one {
                _ if one == first => Some(CODES[0]),
                _ if one == second => Some(CODES[2]),
                b'0' => Some(MISSING),
                _ => None,
            };
        }
        ([one, other] == [first, second] || [other, one] == [first, second]).then_some(CODES[1])
    }
}

/// The alleles of a variant in the order of their first appearance, and its genotypes with other alleles than the first
/// two. The codes treat the first allele as A2 and the second as A1, until [`oriented`](Self::oriented).
#[derive(Debug, Clone, Default)]
pub(super) struct Alleles {
    names: Vec<Box<str>>,
    /// The person, and the indices of the alleles in `names`.
    others: Vec<(u32, [u8; 2])>,
}

/// The reason why a genotype cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Problem {
    /// One allele is missing, the other is not.
    HalfMissing(String, String),
    /// The variant has more than [`MOST_ALLELES`] alleles.
    TooMany(Vec<String>),
}

impl Alleles {
    /// Returns the code of a person's genotype, and the number of bytes retained from it.
    ///
    /// # Errors
    /// One allele is missing, or the variant has too many alleles.
    pub(super) fn code(
        &mut self,
        letters: &mut Letters,
        person: u32,
        [one, other]: [&str; 2],
    ) -> Result<(u8, u64), Problem> {
        match (is_missing(one), is_missing(other)) {
            (true, true) => return Ok((MISSING, 0)),
            (false, false) => {}
            _ => return Err(Problem::HalfMissing(one.to_string(), other.to_string())),
        }
        let mut kept = 0;
        let mut places = [0; 2];
        for (place, name) in places.iter_mut().zip([one, other]) {
            let found = self.names.iter().position(|known| **known == *name);
            *place = match found {
                Some(found) => found,
                None => {
                    self.add(letters, name)?;
                    kept += KEPT_OF_ENTRY + name.len() as u64;
                    self.names.len() - 1
                }
            };
        }
        match places {
            [one @ (0 | 1), other @ (0 | 1)] => Ok((CODES[one + other], kept)),
            _ => {
                self.others.push((person, places.map(|place| place as u8)));
                Ok((MISSING, kept + KEPT_OF_ENTRY))
            }
        }
    }

    /// Adds an allele.
    ///
    /// # Errors
    /// There are too many.
    fn add(&mut self, letters: &mut Letters, name: &str) -> Result<(), Problem> {
        let place = self.names.len();
        if place == MOST_ALLELES {
            let all = self.names.iter().map(|name| name.to_string()).chain([name.to_string()]);
            return Err(Problem::TooMany(all.collect()));
        }
        if let (&[letter], Some(out)) = (name.as_bytes(), letters.0.get_mut(place)) {
            *out = letter;
        }
        self.names.push(name.into());
        Ok(())
    }

    /// Chooses A1 and A2 as `plink1.9 --make-bed` does, and recodes the packed genotypes of all people accordingly.
    ///
    /// Genotypes with other alleles than the two most frequent become missing; of equally frequent alleles, the earlier
    /// ones are used. A1 is then the allele that is rarer among the founders, or, if both are equally frequent there,
    /// among all people; if they are equally frequent among these too, it is the later one.
    pub(super) fn oriented(self, packed: &mut [u8], groups: &Groups, ploidy: Ploidy) -> Oriented {
        let [second_twice, both, first_twice, _] =
            count_packed_genotypes(groups.level, packed, &groups.all);
        let mut counts = [0; MOST_ALLELES];
        counts[0] = 2 * u64::from(first_twice) + u64::from(both);
        counts[1] = 2 * u64::from(second_twice) + u64::from(both);
        for place in self.others.iter().flat_map(|(_, places)| places) {
            counts[usize::from(*place)] += 1;
        }
        let mut order: [usize; MOST_ALLELES] = std::array::from_fn(|place| place);
        // The sort is stable.
        order.sort_by_key(|place| std::cmp::Reverse(counts[*place]));
        let [most, next, ..] = order;
        let mut excluded = self.others.len();
        if most.max(next) > 1 {
            excluded = self.recode(packed, groups.people, [most, next]);
        }
        // The allele that counts as A2 in the codes now.
        let coded = if most.max(next) > 1 { [next, most] } else { [1, 0] };
        let [rarer, other] = groups.copies_in_founders(packed, ploidy);
        let is_swapped = match rarer.cmp(&other) {
            std::cmp::Ordering::Greater => true,
            std::cmp::Ordering::Less => false,
            std::cmp::Ordering::Equal => coded != [next, most],
        };
        let [first, second] = if is_swapped { [coded[1], coded[0]] } else { coded };
        if is_swapped {
            swap(packed, groups.people);
        }
        let name = |place: usize| self.names.get(place).map_or(NO_ALLELE, |name| name).to_string();
        let (a1, a2) = (name(first), name(second));
        let all = if self.names.len() > 2 {
            self.names.into_iter().map(String::from).collect()
        } else {
            Vec::new()
        };
        Oriented { a1, a2, all, excluded }
    }

    /// Recodes all genotypes for two alleles, where not both are among the first two: the first of them is A2. Returns
    /// the number of genotypes that became missing.
    fn recode(&self, packed: &mut [u8], people: usize, [second, first]: [usize; 2]) -> usize {
        let copies = |place: u8| match usize::from(place) {
            place if place == first => Some(1),
            place if place == second => Some(0),
            _ => None,
        };
        let mut others = self.others.iter().peekable();
        let mut excluded = 0;
        for person in 0..people {
            let (byte, shift) = (&mut packed[person / 4], 2 * (person % 4));
            let other = others.next_if(|(own, _)| *own as usize == person).map(|(_, own)| *own);
            let pair = other.or(match *byte >> shift & 0b11 {
                MISSING => None,
                code if code == CODES[0] => Some([0, 0]),
                code if code == CODES[2] => Some([1, 1]),
                _ => Some([0, 1]),
            });
            let code = pair.map(|[one, other]| copies(one).zip(copies(other)));
            excluded += usize::from(code == Some(None));
            let code = code.flatten().map_or(MISSING, |(one, other)| CODES[one + other]);
            *byte = *byte & !(0b11 << shift) | code << shift;
        }
        excluded
    }
}

/// The alleles of a variant whose genotypes have their final codes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Oriented {
    pub(super) a1: String,
    pub(super) a2: String,
    /// All alleles, if there are more than two.
    pub(super) all: Vec<String>,
    /// The number of genotypes that became missing because of further alleles.
    pub(super) excluded: usize,
}

/// Whether an allele is missing: `0`, as in PLINK 1, or `.`, as in PLINK 2.
fn is_missing(allele: &str) -> bool {
    matches!(allele, "0" | ".")
}

/// Exchanges A1 and A2 in packed genotypes. Bits after the last person become 0.
fn swap(packed: &mut [u8], people: usize) {
    const LOW: u8 = 0b0101_0101;
    for byte in packed.iter_mut() {
        // Homozygous genotypes have two equal bits.
        let are_equal = !(*byte ^ *byte >> 1) & LOW;
        *byte ^= are_equal | are_equal << 1;
    }
    if let (Some(last), in_last @ 1..) = (packed.last_mut(), people % 4) {
        *last &= (1 << (2 * in_last)) - 1;
    }
}

/// The copies of a chromosome that people have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ploidy {
    /// Two.
    Diploid,
    /// Males have one, others two.
    X,
    /// Males have one, others none.
    Y,
    /// One.
    Mitochondrial,
}

impl Ploidy {
    /// Returns the ploidy of a chromosome.
    pub(super) fn new(chromosome: &str, genome: Genome) -> Self {
        match genome.usual(chromosome).as_str() {
            "X" => Self::X,
            "Y" => Self::Y,
            "MT" => Self::Mitochondrial,
            _ => Self::Diploid,
        }
    }
}

/// Groups of the people of a file, as bit masks over packed genotypes.
pub(crate) struct Groups {
    people: usize,
    all: Vec<u64>,
    /// The founders who are male, and the other founders.
    males: Vec<u64>,
    others: Vec<u64>,
    level: Level,
}

impl Groups {
    /// Returns the groups of these people.
    pub(crate) fn new(people: &[Sample]) -> Self {
        let mask = |is_in: &dyn Fn(&Sample) -> bool| {
            let places = people.iter().enumerate().filter(|(_, person)| is_in(person));
            mask_of(people.len(), places.map(|(place, _)| place))
        };
        Self {
            people: people.len(),
            all: mask(&|_| true),
            males: mask(&|person| person.is_founder() && person.sex == "1"),
            others: mask(&|person| person.is_founder() && person.sex != "1"),
            level: basrelief_kernels::level(),
        }
    }

    /// The number of people.
    pub(super) fn people(&self) -> usize {
        self.people
    }

    /// The numbers of copies of A1 and of A2 that the founders have. Where people have one copy, a heterozygous
    /// genotype is not counted.
    fn copies_in_founders(&self, packed: &[u8], ploidy: Ploidy) -> [u64; 2] {
        let count = |mask: &[u64], ploidy: u64| -> [u64; 2] {
            let [first, both, second, _] =
                count_packed_genotypes(self.level, packed, mask).map(u64::from);
            [first, second].map(|twice| ploidy * twice + (ploidy - 1) * both)
        };
        let (of_males, of_others) = match ploidy {
            Ploidy::Diploid => (2, 2),
            Ploidy::X => (1, 2),
            Ploidy::Y => return count(&self.males, 1),
            Ploidy::Mitochondrial => (1, 1),
        };
        let [males, others] = [count(&self.males, of_males), count(&self.others, of_others)];
        [males[0] + others[0], males[1] + others[1]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn homozygous_genotypes_are_swapped() {
        // Homozygous in A1, missing, heterozygous, homozygous in A2; the first in the lowest bits.
        let mut packed = [0b11_10_01_00, 0b11_10_01_00];
        swap(&mut packed, 8);
        assert_eq!(packed, [0b00_10_01_11; 2]);
        swap(&mut packed, 5);
        assert_eq!(packed, [0b11_10_01_00, 0b00]);
    }

    #[test]
    fn letters_are_found_without_a_look_at_the_names() {
        let (mut letters, mut alleles) = (Letters::default(), Alleles::default());
        let mut code = |one: &str, other: &str| {
            let known = match (one.as_bytes(), other.as_bytes()) {
                (&[one], &[other]) => letters.code(one, other),
                _ => None,
            };
            let found = alleles.code(&mut letters, 7, [one, other]).unwrap().0;
            assert!(known.is_none_or(|known| known == found), "{one} {other}");
            (known.is_some(), found)
        };
        assert_eq!(code("0", "0"), (true, MISSING));
        assert_eq!(code(".", "."), (false, MISSING));
        assert_eq!(code("C", "C"), (false, CODES[0]));
        assert_eq!(code("C", "C"), (true, CODES[0]));
        assert_eq!(code("A", "C"), (false, CODES[1]));
        assert_eq!(code("C", "A"), (true, CODES[1]));
        assert_eq!(code("A", "A"), (true, CODES[2]));
        assert_eq!(code("A", "AT"), (false, MISSING));
        assert_eq!(code("CC", "C"), (false, MISSING));
        let problem = alleles.code(&mut letters, 8, ["G", "A"]).unwrap_err();
        let all = ["C", "A", "AT", "CC", "G"].map(String::from).into();
        assert_eq!(problem, Problem::TooMany(all));
        assert_eq!(alleles.others, [(7, [1, 2]), (7, [3, 0])]);
    }
}
