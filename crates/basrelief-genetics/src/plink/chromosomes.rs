//! Chromosomes: the names that PLINK takes for one, and sets of them.

use std::collections::BTreeSet;

/// The chromosomes that are not there twice in everybody, by PLINK's numbers.
const SEX_AND_MITOCHONDRIAL: [(&str, u32); 4] = [("X", 23), ("Y", 24), ("XY", 25), ("MT", 26)];

/// The one name for a chromosome: `chr7` is `7`, `23` is `X`, `M` and `26` are `MT`, and the pseudo-autosomal regions
/// are `XY`.
pub(crate) fn usual(chromosome: &str) -> String {
    let name = without_prefix(chromosome).to_ascii_uppercase();
    let by_number = |number: u32| {
        let found = SEX_AND_MITOCHONDRIAL.iter().find(|(_, code)| *code == number);
        found.map_or_else(|| number.to_string(), |(name, _)| (*name).to_string())
    };
    match name.as_str() {
        "M" => "MT".to_string(),
        "PAR1" | "PAR2" => "XY".to_string(),
        _ => name.parse().map_or(name, by_number),
    }
}

fn without_prefix(chromosome: &str) -> &str {
    match chromosome.get(..3) {
        Some(prefix) if prefix.eq_ignore_ascii_case("chr") && chromosome.len() > 3 => {
            &chromosome[3..]
        }
        _ => chromosome,
    }
}

/// Whether a chromosome is X, Y, their shared part, or mitochondrial.
pub(super) fn is_sex_or_mitochondrial(chromosome: &str) -> bool {
    let name = usual(chromosome);
    SEX_AND_MITOCHONDRIAL.iter().any(|(other, _)| *other == name)
}

/// Whether not everybody has two copies of a chromosome: X, Y, or mitochondrial.
pub(crate) fn is_haploid(chromosome: &str) -> bool {
    matches!(usual(chromosome).as_str(), "X" | "Y" | "MT")
}

/// Whether a chromosome is 0, that of variants without a place.
pub(crate) fn is_unplaced(chromosome: &str) -> bool {
    usual(chromosome) == "0"
}

/// Chromosomes, as PLINK's `--chr` names them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChromosomeSet(BTreeSet<String>);

impl ChromosomeSet {
    /// From numbers, ranges of numbers and names with commas between them, as in `1-4,22,X`. X, Y, XY and MT are
    /// also 23 to 26, and `chr` may stand before each.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut all = BTreeSet::new();
        for entry in text.split(',').map(str::trim) {
            if entry.is_empty() {
                return Err("an entry is empty: give chromosomes as in 1-4,22,X".to_string());
            }
            // As they are written: 23 is a number here, and X in the set.
            let number = |text: &str| without_prefix(text).parse::<u32>().ok();
            let ends =
                entry.split_once('-').and_then(|(first, last)| number(first).zip(number(last)));
            match ends {
                Some((first, last)) if first <= last && last <= MOST => {
                    all.extend((first..=last).map(|number| usual(&number.to_string())));
                }
                Some(_) => {
                    return Err(format!(
                        "the range {entry} is empty or too long: give it as in 1-4"
                    ));
                }
                None => drop(all.insert(usual(entry))),
            }
        }
        Ok(Self(all))
    }

    /// Whether a chromosome is one of them.
    pub(super) fn contains(&self, chromosome: &str) -> bool {
        self.0.contains(&usual(chromosome))
    }
}

/// The greatest number of a chromosome in a range.
const MOST: u32 = 10_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_written_as_for_plink() {
        let set = ChromosomeSet::parse("1-4, 22,chrX,MT,scaffold-9").unwrap();
        for inside in ["1", "chr4", "CHR22", "X", "23", "chrM", "26", "Scaffold-9", "02"] {
            assert!(set.contains(inside), "{inside}");
        }
        for outside in ["5", "Y", "24", "XY", "0", "scaffold"] {
            assert!(!set.contains(outside), "{outside}");
        }
        assert_eq!(ChromosomeSet::parse("X"), ChromosomeSet::parse("23"));
        assert_eq!(ChromosomeSet::parse("chr22-chr26"), ChromosomeSet::parse("22,X,Y,XY,MT"));
        for wrong in ["", "1,,2", "4-1", "1-99999999"] {
            assert!(ChromosomeSet::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn some_chromosomes_are_not_there_twice() {
        for name in ["X", "y", "23", "chr25", "PAR1", "M", "chrMT"] {
            assert!(is_sex_or_mitochondrial(name), "{name}");
        }
        for name in ["1", "22", "0", "27", "chr", "XX", "ü3é"] {
            assert!(!is_sex_or_mitochondrial(name), "{name}");
        }
    }
}
