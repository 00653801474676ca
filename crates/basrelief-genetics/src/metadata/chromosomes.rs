//! Chromosomes: their names and numbers in PLINK, and sets of chromosomes.

use std::collections::BTreeSet;

/// The chromosomes other than autosomes, in the order of PLINK's numbers, which follow the last autosome.
const SEX_AND_MITOCHONDRIAL: [&str; 4] = ["X", "Y", "XY", "MT"];

/// The number of human autosomes.
const HUMAN_AUTOSOMES: u32 = 22;

/// The largest number of autosomes that PLINK supports.
const MOST_AUTOSOMES: i64 = 95;

/// The numbering of the chromosomes of a diploid species: `n` autosomes from 1 on, then X, Y, XY and MT, as in PLINK's
/// `--chr-set` and `--autosome-num`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Genome {
    autosomes: u32,
}

impl Default for Genome {
    /// Returns the human genome, with 22 autosomes.
    fn default() -> Self {
        Self { autosomes: HUMAN_AUTOSOMES }
    }
}

impl Genome {
    /// Returns the genome of a species with `autosomes` autosomes.
    ///
    /// # Errors
    /// The number is not from 1 to 95; a negative number stands for a haploid genome.
    pub fn with_autosomes(autosomes: i64) -> Result<Self, String> {
        if autosomes < 0 {
            return Err(format!(
                "{autosomes} declares a haploid genome, but basrelief supports diploid genotypes only"
            ));
        }
        match autosomes {
            1..=MOST_AUTOSOMES => Ok(Self { autosomes: autosomes as u32 }),
            _ => {
                Err(format!("{autosomes} is not a number of autosomes from 1 to {MOST_AUTOSOMES}"))
            }
        }
    }

    /// Parses the value of an option.
    ///
    /// # Errors
    /// The text is not a whole number; the errors of [`with_autosomes`](Self::with_autosomes).
    pub fn parse(text: &str) -> Result<Self, String> {
        let number = text.trim().parse();
        number
            .map_err(|_| "give the number of autosomes, for example 38 for dogs".to_string())
            .and_then(Self::with_autosomes)
    }

    /// Returns the canonical name of a chromosome: `chr7` becomes `7`, the numbers after the last autosome become `X`,
    /// `Y`, `XY` and `MT`, `M` becomes `MT`, and the pseudo-autosomal regions become `XY`.
    pub(crate) fn usual(self, chromosome: &str) -> String {
        let name = without_prefix(chromosome).to_ascii_uppercase();
        let by_number = |number: u32| {
            let behind = number.checked_sub(self.autosomes + 1).map(|behind| behind as usize);
            let found = behind.and_then(|behind| SEX_AND_MITOCHONDRIAL.get(behind));
            found.map_or_else(|| number.to_string(), |name| (*name).to_string())
        };
        match name.as_str() {
            "M" => "MT".to_string(),
            "PAR1" | "PAR2" => "XY".to_string(),
            _ => name.parse().map_or(name, by_number),
        }
    }

    /// Whether a chromosome is X, Y, XY (the pseudo-autosomal regions), or mitochondrial.
    pub(crate) fn is_sex_or_mitochondrial(self, chromosome: &str) -> bool {
        SEX_AND_MITOCHONDRIAL.contains(&self.usual(chromosome).as_str())
    }

    /// Whether some people have fewer than two copies of a chromosome: X, Y, or mitochondrial.
    pub(crate) fn is_haploid(self, chromosome: &str) -> bool {
        matches!(self.usual(chromosome).as_str(), "X" | "Y" | "MT")
    }

    /// Returns the first and the last of the numbers of X, Y, XY and MT.
    pub(crate) fn numbers_of_others(self) -> (u32, u32) {
        (self.autosomes + 1, self.autosomes + SEX_AND_MITOCHONDRIAL.len() as u32)
    }
}

/// Returns the number of a chromosome, if its name is a number, with or without the prefix `chr`.
pub(crate) fn number_of(chromosome: &str) -> Option<u32> {
    without_prefix(chromosome).parse().ok()
}

fn without_prefix(chromosome: &str) -> &str {
    match chromosome.get(..3) {
        Some(prefix) if prefix.eq_ignore_ascii_case("chr") && chromosome.len() > 3 => {
            &chromosome[3..]
        }
        _ => chromosome,
    }
}

/// Whether a chromosome is 0, which means that the position of its variants is unknown.
pub(crate) fn is_unplaced(chromosome: &str) -> bool {
    number_of(chromosome) == Some(0)
}

/// A set of chromosomes, as in PLINK's `--chr`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChromosomeSet(Vec<Entry>);

/// An entry of a [`ChromosomeSet`].
#[derive(Debug, Clone, PartialEq, Eq)]
enum Entry {
    /// The first and the last number of a range.
    Range(u32, u32),
    Name(String),
}

impl ChromosomeSet {
    /// Parses a comma-separated list of numbers, ranges of numbers and names, as in `1-4,22,X`. X, Y, XY and MT may
    /// also be given by the numbers after the last autosome. Each entry may have the prefix `chr`.
    ///
    /// # Errors
    /// An entry is empty, or a range is empty or too long.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut all = Vec::new();
        for entry in text.split(',').map(str::trim) {
            if entry.is_empty() {
                return Err("an entry is empty: write chromosomes as in 1-4,22,X".to_string());
            }
            let ends = entry
                .split_once('-')
                .and_then(|(first, last)| number_of(first).zip(number_of(last)));
            all.push(match ends {
                Some((first, last)) if first <= last && last <= MOST => Entry::Range(first, last),
                Some(_) => {
                    return Err(format!(
                        "the range {entry} is empty or too long: write it as in 1-4"
                    ));
                }
                None => Entry::Name(entry.to_string()),
            });
        }
        Ok(Self(all))
    }

    /// Returns the canonical names of the chromosomes. In humans, 23 is X.
    pub(crate) fn names(&self, genome: Genome) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        for entry in &self.0 {
            match entry {
                Entry::Range(first, last) => {
                    names.extend((*first..=*last).map(|number| genome.usual(&number.to_string())));
                }
                Entry::Name(name) => drop(names.insert(genome.usual(name))),
            }
        }
        names
    }
}

/// The largest chromosome number in a range.
const MOST: u32 = 10_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_written_as_for_plink() {
        let human = Genome::default();
        let names = |text: &str| ChromosomeSet::parse(text).unwrap().names(human);
        let set = names("1-4, 22,chrX,MT,scaffold-9");
        for inside in ["1", "chr4", "CHR22", "X", "23", "chrM", "26", "Scaffold-9", "02"] {
            assert!(set.contains(&human.usual(inside)), "{inside}");
        }
        for outside in ["5", "Y", "24", "XY", "0", "scaffold"] {
            assert!(!set.contains(&human.usual(outside)), "{outside}");
        }
        assert_eq!(names("X"), names("23"));
        assert_eq!(names("chr22-chr26"), names("22,X,Y,XY,MT"));
        for wrong in ["", "1,,2", "4-1", "1-99999999"] {
            assert!(ChromosomeSet::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn some_chromosomes_are_not_there_twice() {
        let human = Genome::default();
        for name in ["X", "y", "23", "chr25", "PAR1", "M", "chrMT"] {
            assert!(human.is_sex_or_mitochondrial(name), "{name}");
        }
        for name in ["1", "22", "0", "27", "chr", "XX", "ü3é"] {
            assert!(!human.is_sex_or_mitochondrial(name), "{name}");
        }
    }

    /// X, Y, XY and MT follow the last autosome.
    #[test]
    fn genomes_have_as_many_autosomes_as_declared() {
        let dog = Genome::parse("38").unwrap();
        for (name, usual) in [
            ("23", "23"),
            ("chr26", "26"),
            ("38", "38"),
            ("39", "X"),
            ("40", "Y"),
            ("41", "XY"),
            ("chr42", "MT"),
            ("43", "43"),
            ("x", "X"),
        ] {
            assert_eq!(dog.usual(name), usual, "{name}");
        }
        assert!(dog.is_haploid("39") && !dog.is_haploid("23") && !dog.is_haploid("41"));
        let names = ChromosomeSet::parse("37-39").unwrap().names(dog);
        assert_eq!(names, ["37", "38", "X"].map(String::from).into());
        for (wrong, words) in
            [("-38", "haploid"), ("0", "from 1 to 95"), ("96", "from 1 to 95"), ("dog", "number")]
        {
            let problem = Genome::parse(wrong).unwrap_err();
            assert!(problem.contains(words), "{wrong}: {problem}");
        }
    }
}
