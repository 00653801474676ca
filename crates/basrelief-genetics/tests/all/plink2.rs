//! Cohorts of PLINK 2, against records that are written here in every form; and no input makes the reader panic.

use basrelief::data::Genotypes;
use basrelief::{Memory, Run};
use basrelief_genetics::{Cohort, CohortOptions, CohortQuality, is_pgen};
use proptest::prelude::*;
use tempfile::TempDir;

use super::plink::Copies;
use super::run;

/// A list of people and their genotypes.
fn list(people: usize, entries: &[(usize, u8)]) -> Vec<u8> {
    let varint = |mut number: usize| {
        let mut bytes = Vec::new();
        while number >= 0x80 {
            bytes.push(0x80 | (number & 0x7f) as u8);
            number >>= 7;
        }
        bytes.push(number as u8);
        bytes
    };
    let mut bytes = varint(entries.len());
    let width = if people <= 256 { 1 } else { 2 };
    let groups: Vec<_> = entries.chunks(64).collect();
    bytes.extend(groups.iter().flat_map(|group| group[0].0.to_le_bytes()[..width].to_vec()));
    let steps = |group: &&[(usize, u8)]| -> Vec<u8> {
        group.windows(2).flat_map(|pair| varint(pair[1].0 - pair[0].0)).collect()
    };
    let steps: Vec<Vec<u8>> = groups.iter().map(steps).collect();
    bytes.extend(
        steps.iter().take(groups.len().saturating_sub(1)).map(|group| (group.len() - 63) as u8),
    );
    bytes.extend(packed(&entries.iter().map(|entry| entry.1).collect::<Vec<_>>()));
    bytes.extend(steps.concat());
    bytes
}

fn packed(genotypes: &[u8]) -> Vec<u8> {
    let byte = |four: &[u8]| four.iter().rev().fold(0, |byte, copies| byte << 2 | copies);
    genotypes.chunks(4).map(byte).collect()
}

/// The record of a variant in a form; `base` is what those of forms 2 and 3 differ from.
fn record(form: u8, variant: &[u8], base: &[u8]) -> Vec<u8> {
    let inverted = |copies: u8| [2, 1, 0, 3][usize::from(copies)];
    let others = |usual: &dyn Fn(usize) -> u8, told: &dyn Fn(u8) -> u8| {
        let all = (0..variant.len()).map(|person| (person, told(variant[person])));
        let entries: Vec<(usize, u8)> =
            all.filter(|(person, copies)| *copies != usual(*person)).collect();
        list(variant.len(), &entries)
    };
    match form {
        0 => packed(variant),
        1 => {
            // One copy and missing are the common ones.
            let bits: Vec<u8> = variant
                .chunks(8)
                .map(|eight| {
                    eight.iter().rev().fold(0, |byte, copies| byte << 1 | u8::from(*copies == 3))
                })
                .collect();
            let entries: Vec<(usize, u8)> =
                variant.iter().copied().enumerate().filter(|(_, copies)| copies % 2 == 0).collect();
            [&[6], &bits[..], &list(variant.len(), &entries)].concat()
        }
        2 => others(&|person| base[person], &|copies| copies),
        3 => others(&|person| base[person], &inverted),
        _ => others(&|_| form & 3, &|copies| copies),
    }
}

/// Three files, whose records have these forms.
struct Files(TempDir);

impl Files {
    fn new(pgen: &[u8], people: usize, variants: usize) -> Self {
        let files = Self(tempfile::tempdir().unwrap());
        files.write("cohort.pgen", pgen);
        let line = |at: usize| format!("1\t{}\tv{at}\tA\tG\n", at + 1);
        let lines: String = (0..variants).map(line).collect();
        files.write("cohort.pvar", format!("#CHROM\tPOS\tID\tREF\tALT\n{lines}").as_bytes());
        let people: String = (0..people).map(|at| format!("p{at}\t{}\n", 1 + at % 2)).collect();
        files.write("cohort.psam", format!("#IID\tX\n{people}").as_bytes());
        files
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.0.path().join(name), bytes).unwrap();
    }

    fn open(&self) -> basrelief::Result<Cohort> {
        Cohort::open(&self.0.path().join("cohort.pgen"), &CohortOptions::default(), &run())
    }
}

/// A `.pgen` file with a record of its own width for every variant.
fn pgen(copies: &Copies, forms: &[u8], length_bytes: usize) -> Vec<u8> {
    let people = copies[0].len();
    let mut base = 0;
    let mut types = Vec::new();
    let records: Vec<Vec<u8>> = (0..copies.len())
        .map(|at| {
            // The first one has no other to differ from.
            let form = if at == 0 && matches!(forms[at], 2 | 3) { 0 } else { forms[at] };
            base = if matches!(form, 2 | 3) { base } else { at };
            types.push(form);
            record(form, &copies[at], &copies[base])
        })
        .collect();
    let mut bytes = vec![0x6c, 0x1b, 0x10];
    bytes.extend((copies.len() as u32).to_le_bytes());
    bytes.extend((people as u32).to_le_bytes());
    bytes.push(0x40 | (length_bytes - 1) as u8);
    let start = 20 + types.len().div_ceil(2) + length_bytes * types.len();
    bytes.extend((start as u64).to_le_bytes());
    bytes.extend(types.chunks(2).map(|pair| pair[0] | pair.get(1).unwrap_or(&0) << 4));
    bytes.extend(
        records.iter().flat_map(|record| record.len().to_le_bytes()[..length_bytes].to_vec()),
    );
    bytes.extend(records.concat());
    bytes
}

fn cohorts() -> impl Strategy<Value = (Copies, Vec<u8>)> {
    let people = prop_oneof![1..14_usize, 250..300_usize];
    (people, 1..40_usize).prop_flat_map(|(people, variants)| {
        let genotype = prop_oneof![3 => 0..2_u8, 1 => 0..4_u8];
        let copies = prop::collection::vec(prop::collection::vec(genotype, people), variants);
        let form = prop::sample::select(vec![0, 1, 2, 2, 3, 3, 4, 6, 7]);
        (copies, prop::collection::vec(form, variants))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn genotypes_are_those_that_were_written((copies, forms) in cohorts(), width in 2..5_usize, bits in any::<u64>()) {
        let (people, variants) = (copies[0].len(), copies.len());
        let files = Files::new(&pgen(&copies, &forms, width), people, variants);
        let cohort = files.open().unwrap();
        let everybody: Vec<u32> = (0..people as u32).collect();
        let all: Vec<u32> = (0..variants as u32).collect();
        let turned: Vec<u32> = all.iter().rev().copied().collect();
        let some: Vec<u32> = all.iter().copied().filter(|place| bits >> (place % 64) & 1 == 1).collect();
        let folder = tempfile::tempdir().unwrap();
        let small = Run::new(Some(2)).unwrap().with_memory(Memory::new(100, folder.path()));
        for run in [&run(), &small] {
            for (people, variants) in [(&everybody, &all), (&everybody[1..].to_vec(), &turned), (&everybody, &some)] {
                let found = cohort.genotypes(people, variants, run).unwrap();
                for (&variant, found) in variants.iter().zip(found) {
                    let wanted = people.iter().map(|&person| copies[variant as usize][person as usize]);
                    prop_assert!(Genotypes::from(found).iter().eq(wanted), "variant {}", variant);
                }
            }
        }
        let missing = |person: usize| copies.iter().filter(|variant| variant[person] == 3).count() as u32;
        let wanted: Vec<u32> = (0..people).map(missing).collect();
        prop_assert_eq!(CohortQuality::of(&cohort, &run()).unwrap().missing, wanted);
    }

    /// All that is asked for is an answer.
    #[test]
    fn damaged_files_are_read_or_refused(
        (copies, forms) in cohorts(),
        which in 0..3_usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let (people, variants) = (copies[0].len(), copies.len());
        let files = Files::new(&pgen(&copies, &forms, 2), people, variants);
        let name = ["cohort.pgen", "cohort.pvar", "cohort.psam"][which];
        let mut bytes = std::fs::read(files.0.path().join(name)).unwrap();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        files.write(name, &bytes);
        if let Ok(cohort) = files.open() {
            let people: Vec<u32> = (0..cohort.samples().len() as u32).collect();
            let variants: Vec<u32> = (0..cohort.loci().len() as u32).collect();
            if let Ok(found) = cohort.genotypes(&people, &variants, &run()) {
                prop_assert_eq!(found.len(), variants.len());
            }
        }
    }
}

#[test]
fn files_are_known_by_their_names() {
    assert!(is_pgen("a.pgen".as_ref()) && is_pgen("folder/A.PGEN".as_ref()));
    assert!(!is_pgen("pgen".as_ref()) && !is_pgen("a.pgen.gz".as_ref()));
}

/// Damage is told with the variant, the first of several for any number of threads.
#[test]
fn damaged_records_are_named() {
    let copies: Copies =
        (0..300).map(|at| (0..9).map(|person| ((at + person) % 4) as u8).collect()).collect();
    let whole = pgen(&copies, &[4; 300], 1);
    let first = 20 + 150 + 300;
    let message = |bytes: &[u8]| {
        let files = Files::new(bytes, 9, 300);
        let all: Vec<u32> = (0..300).collect();
        let run = Run::new(Some(4)).unwrap();
        let read = files.open().and_then(|cohort| cohort.genotypes(&[0, 1], &all, &run).map(drop));
        read.unwrap_err().to_string()
    };
    let with = |changes: &[(usize, u8)]| {
        let mut bytes = whole.clone();
        changes.iter().for_each(|(at, byte)| bytes[*at] = *byte);
        bytes
    };
    // More entries than people, in the second record and in the last.
    let length = |at: usize| usize::from(whole[20 + 150 + at]);
    let last = whole.len() - length(299);
    let found = message(&with(&[(first + length(0), 99), (last, 99)]));
    assert!(
        found.contains("cohort.pgen") && found.contains("the record of variant 2: a list has more"),
        "{found}"
    );
    for (changes, part) in [
        (&[(20, 0x42)][..], "the record of variant 1 refers to an earlier record"),
        (&[(20, 0x4c)][..], "the record of variant 1 has several ALT alleles"),
        (&[(20 + 150, 99)][..], "the record of variant 1 is longer than genotypes can be"),
        (&[(19, 1)][..], "the record of variant 1 ends after the end of the file"),
        (&[(12, 3)][..], "the block of variant 1 overlaps the data before it"),
        (&[(11, 0x4a)][..], "the format of its header"),
    ] {
        let found = message(&with(changes));
        assert!(found.contains(part), "{part}: {found}");
    }
    let found = message(&whole[..whole.len() - 1]);
    assert!(found.contains("the record of variant 300 ends after the end of the file"), "{found}");
    let found = message(&[&whole[..], &[0]].concat());
    assert!(found.contains("but the records of its variants need"), "{found}");
}
