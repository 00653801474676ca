//! Kinship against plain loops over genotypes, for any memory and number of threads; groups of relatives and people
//! without relatives.

use basrelief::{Memory, Run};
use basrelief_genetics::{CohortOptions, KinshipPair, kinship, related_groups, unrelated};

use crate::plink::{Copies, Files, bed};
use crate::run;

/// Numbers that look random.
fn mixed(place: [usize; 4]) -> usize {
    let all = place.iter().fold(7_u64, |all, &number| {
        let z = (all ^ number as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    });
    (all >> 8) as usize
}

/// Sets of parents and two children, with missing genotypes, and one person without any heterozygous genotype. Every
/// ninth variant is on X.
fn cohort(people: usize, variants: usize, missing: usize) -> (Copies, Files) {
    let allele = |variant: usize, person: usize, copy: usize| {
        let founder = |copy: usize| {
            let frequency = 10 + mixed([1, variant, 0, 0]) % 45;
            u8::from(mixed([2, variant, person / 4 * 4 + copy / 2, copy % 2]) % 100 < frequency)
        };
        match person % 4 {
            0 | 1 => founder(2 * (person % 4) + copy),
            _ => founder(2 * copy + mixed([3, variant, person, copy]) % 2),
        }
    };
    let copies: Copies = (0..variants)
        .map(|variant| {
            let one = |person: usize| match mixed([4, variant, person, 0]) % 100 {
                is_missing if is_missing < missing => 3,
                _ if person == 5 => 0,
                _ => allele(variant, person, 0) + allele(variant, person, 1),
            };
            (0..people).map(one).collect()
        })
        .collect();
    let bim = |variant: usize| {
        let chromosome = if is_on_x(variant) { "X".into() } else { (1 + variant % 3).to_string() };
        format!("{chromosome} rs{variant} 0 {} A G\n", variant + 1)
    };
    let fam = (0..people).map(|person| format!("f{} i{person} 0 0 1 -9\n", person / 4));
    let files = Files::new(
        bed(&copies),
        (0..variants).map(bim).collect::<String>(),
        fam.collect::<String>(),
    );
    (copies, files)
}

fn is_on_x(variant: usize) -> bool {
    variant % 9 == 4
}

/// Counts of all pairs of some people, genotype by genotype, and the kinship coefficient by its definition.
fn naive(copies: &Copies, people: &[usize]) -> Vec<(KinshipPair, f64)> {
    let mut all = Vec::new();
    for (place, &one) in people.iter().enumerate() {
        for (other_place, &other) in people[..place].iter().enumerate() {
            let mut pair = KinshipPair {
                people: [place as u32, other_place as u32],
                variants: 0,
                both_heterozygous: 0,
                opposite: 0,
                only_heterozygous: [0; 2],
            };
            let (mut squares, mut heterozygous) = (0.0, [0.0_f64; 2]);
            for (variant, copies) in copies.iter().enumerate() {
                let (a, b) = (copies[one], copies[other]);
                if is_on_x(variant) || a == 3 || b == 3 {
                    continue;
                }
                pair.variants += 1;
                match (a, b) {
                    (1, 1) => pair.both_heterozygous += 1,
                    (1, _) => pair.only_heterozygous[0] += 1,
                    (_, 1) => pair.only_heterozygous[1] += 1,
                    _ => pair.opposite += u32::from(a != b),
                }
                squares += (f64::from(a) - f64::from(b)).powi(2);
                for (count, copies) in heterozygous.iter_mut().zip([a, b]) {
                    *count += f64::from(u8::from(copies == 1));
                }
            }
            let least = heterozygous[0].min(heterozygous[1]);
            all.push((pair, 0.5 - squares / (4.0 * least)));
        }
    }
    all
}

#[test]
fn counts_are_those_of_loops_over_genotypes() {
    for (people, variants, missing) in [(150, 700, 6), (150, 700, 0), (9, 40, 30), (2, 3, 0)] {
        let (copies, files) = cohort(people, variants, missing);
        files.write("out.txt", "f0 i0\nf1 i4\nf30 i122\n");
        let without =
            CohortOptions { remove: Some(files.0.path().join("out.txt")), ..Default::default() };
        let all: Vec<usize> = (0..people).collect();
        let some: Vec<usize> = (0..people).filter(|person| ![0, 4, 122].contains(person)).collect();
        for (options, people) in [(CohortOptions::default(), all), (without, some)] {
            let options = CohortOptions { all_chromosomes: true, ..options };
            let cohort = files.open(&options).unwrap();
            let wanted = naive(&copies, &people);
            let found = kinship(&cohort, None, &run()).unwrap();
            assert_eq!(found.len(), wanted.len());
            for (found, (pair, coefficient)) in found.iter().zip(&wanted) {
                assert_eq!(found, pair);
                let own = found.kinship();
                assert!(own == *coefficient || own.is_nan() && coefficient.is_nan(), "{pair:?}");
            }
            for cutoff in [0.02, 0.0884, 0.177, 0.35] {
                let above: Vec<KinshipPair> =
                    wanted.iter().filter(|(_, own)| *own > cutoff).map(|(pair, _)| *pair).collect();
                for threads in [1, 3] {
                    let folder = files.0.path();
                    let small = Run::new(Some(threads)).unwrap();
                    let small = small.with_memory(Memory::new(1000, folder));
                    let plenty = Run::new(Some(threads)).unwrap();
                    for run in [small, plenty] {
                        assert_eq!(kinship(&cohort, Some(cutoff), &run).unwrap(), above);
                    }
                }
            }
        }
    }
}

/// Parents with children, and children with each other, are relatives of the first degree; other people are not.
#[test]
fn families_are_found() {
    let (_, files) = cohort(60, 4000, 1);
    let cohort = files.open(&CohortOptions::default()).unwrap();
    let pairs = kinship(&cohort, Some(0.177), &run()).unwrap();
    let are_parents = |[one, other]: [u32; 2]| one % 4 == 1 && other % 4 == 0;
    let wanted: Vec<[u32; 2]> = (0..60)
        .flat_map(|one| (one / 4 * 4..one).map(move |other| [one, other]))
        .filter(|pair| !are_parents(*pair) && pair[0] != 5 && pair[1] != 5)
        .collect();
    let found: Vec<[u32; 2]> = pairs.iter().map(|pair| pair.people).collect();
    assert_eq!(found, wanted);
    let groups = related_groups(60, &pairs);
    assert_eq!(groups[..10], [0, 0, 0, 0, 1, 2, 1, 1, 3, 3]);
    let kept = unrelated(60, &pairs);
    assert!(pairs.iter().all(|pair| !pair.people.iter().all(|&person| kept[person as usize])));
    assert_eq!(kept.iter().filter(|is_kept| **is_kept).count(), 2 * 15);
}

#[test]
fn what_cannot_be_computed_is_refused() {
    let (_, files) = cohort(8, 30, 0);
    let cohort = files.open(&CohortOptions::default()).unwrap();
    for cutoff in [0.0, 0.5, -0.1, f64::NAN] {
        let message = kinship(&cohort, Some(cutoff), &run()).unwrap_err().to_string();
        assert!(message.contains("is not between 0 and 0.5"), "{message}");
    }
    let x = basrelief_genetics::ChromosomeSet::parse("X").unwrap();
    let only = files.open(&CohortOptions { chromosomes: Some(x), ..Default::default() }).unwrap();
    let message = kinship(&only, None, &run()).unwrap_err().to_string();
    assert!(message.contains("all selected variants are on X, Y or MT"), "{message}");
    let run = run();
    let cancel = basrelief::CancelFlag::new();
    cancel.cancel();
    let cancelled = kinship(&cohort, None, &run.with_cancel(cancel)).unwrap_err();
    assert!(matches!(cancelled, basrelief::Error::Cancelled));
}
