//! Quality of cohorts, against plain loops over people.

use basrelief::Run;
use basrelief_genetics::{
    Cohort, CohortOptions, CohortQuality, GenotypeCounts, LdPruning, QualityFilters, hardy_weinberg,
};

use crate::plink::{Copies, Files, bed};

/// A cohort with blocks of variants that go together, and with what a filter finds.
struct Example {
    /// Variant by variant; 3 is missing.
    copies: Copies,
    /// The chromosome and position of every variant.
    loci: Vec<(usize, u64)>,
    are_founders: Vec<bool>,
    /// 1 is a control, 2 a case, -9 unknown.
    phenotypes: Vec<i32>,
}

/// Numbers that look random.
fn mixed(seed: usize, place: [usize; 3]) -> usize {
    let all = place.iter().fold(seed as u64 + 1, |all, &number| {
        let z = (all ^ number as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    });
    (all >> 8) as usize
}

impl Example {
    fn new(seed: usize, people: usize, variants: usize) -> Self {
        let any = |place: [usize; 3], below: usize| mixed(seed, place) % below;
        // Blocks of seven variants; an allele is that of the block, or by chance another.
        let allele = |variant: usize, copy: usize| {
            let block = variant / 7;
            let common = any([1, block, copy], 12) < 1 + any([2, block, 0], 7);
            let changes = any([3, variant, copy], 40) < [0, 1, 2, 6][any([4, variant, 0], 4)];
            u8::from(common != changes)
        };
        let copies = (0..variants)
            .map(|variant| {
                let is_rare = variant % 19 == 5;
                let is_alone = variant % 23 == 9;
                let missing = [0, 1, 4, 12][any([5, variant, 0], 4)];
                (0..people)
                    .map(|person| match any([6, variant, person], 100) {
                        gap if gap < missing || person == 4 && gap < 30 => 3,
                        _ if is_alone => 0,
                        _ if is_rare => u8::from(person % 29 == 1),
                        _ => allele(variant, 2 * person) + allele(variant, 2 * person + 1),
                    })
                    .collect()
            })
            .collect();
        let loci = (0..variants).map(|v| (1 + v * 3 / variants, (v * v * 37) as u64 + 1));
        let are_founders = (0..people).map(|person| person % 11 != 3);
        let phenotypes = (0..people).map(|person| [1, 2, 2, 1, -9][any([7, person, 0], 5)]);
        Self {
            copies,
            loci: loci.collect(),
            are_founders: are_founders.collect(),
            phenotypes: phenotypes.collect(),
        }
    }

    fn files(&self) -> Files {
        let bim = |(variant, (chromosome, position)): (usize, &(usize, u64))| {
            format!("{chromosome} rs{variant} 0 {position} A G\n")
        };
        let fam = |(person, (is_founder, phenotype)): (usize, (&bool, &i32))| {
            let mother = if *is_founder { "0" } else { "m" };
            format!("f{person} i{person} 0 {mother} 1 {phenotype}\n")
        };
        let people = self.are_founders.iter().zip(&self.phenotypes).enumerate();
        Files::new(
            bed(&self.copies),
            self.loci.iter().enumerate().map(bim).collect::<String>(),
            people.map(fam).collect::<String>(),
        )
    }

    fn people(&self) -> usize {
        self.phenotypes.len()
    }

    /// The known copies of a variant of some people.
    fn known(&self, variant: usize, is_in: impl Fn(usize) -> bool) -> Vec<f64> {
        let own = self.copies[variant].iter().enumerate();
        own.filter(|(person, copies)| is_in(*person) && **copies != 3)
            .map(|(_, copies)| f64::from(*copies))
            .collect()
    }

    fn counts(&self, variant: usize, is_in: impl Fn(usize) -> bool) -> GenotypeCounts {
        let count = |wanted: u8| {
            let own = self.copies[variant].iter().enumerate();
            own.filter(|(person, copies)| is_in(*person) && **copies == wanted).count() as u32
        };
        GenotypeCounts {
            homozygous_a1: count(2),
            heterozygous: count(1),
            homozygous_a2: count(0),
            missing: count(3),
        }
    }

    fn frequency(&self, variant: usize, is_in: impl Fn(usize) -> bool) -> f64 {
        let known = self.known(variant, is_in);
        let share = known.iter().sum::<f64>() / (2.0 * known.len() as f64);
        share.min(1.0 - share)
    }

    /// The squared correlation of two variants.
    fn correlation(&self, [a, b]: [usize; 2], is_in: &dyn Fn(usize) -> bool) -> f64 {
        let both: Vec<[f64; 2]> = (0..self.people())
            .filter(|&person| is_in(person))
            .map(|person| [a, b].map(|variant| f64::from(self.copies[variant][person])))
            .filter(|both| !both.contains(&3.0))
            .collect();
        let count = both.len() as f64;
        let mean = [0, 1].map(|of| both.iter().map(|both| both[of]).sum::<f64>() / count);
        let product = |one: usize, other: usize| {
            let deviation = |both: &[f64; 2], of: usize| both[of] - mean[of];
            both.iter().map(|both| deviation(both, one) * deviation(both, other)).sum::<f64>()
        };
        product(0, 1).powi(2) / (product(0, 0) * product(1, 1))
    }

    /// What pruning leaves of some variants: within windows of so many, all pairs from the first on, again and again.
    fn pruned(
        &self,
        variants: &[usize],
        (window, step, threshold): (usize, usize, f64),
        is_in: &dyn Fn(usize) -> bool,
    ) -> Vec<usize> {
        let varies = |variant: usize| {
            let known = self.known(variant, is_in);
            known.iter().any(|copies| *copies != known[0])
        };
        let mut all = Vec::new();
        for of_one in variants.chunk_by(|a, b| self.loci[*a].0 == self.loci[*b].0) {
            let mut kept: Vec<bool> = of_one.iter().map(|variant| varies(*variant)).collect();
            for start in (0..of_one.len()).step_by(step) {
                let end = (start + window).min(of_one.len());
                let mut is_changed = true;
                while is_changed {
                    is_changed = false;
                    for first in start..end {
                        let other = (first + 1..end).find(|&other| {
                            let pair = [of_one[first], of_one[other]];
                            kept[first] && kept[other] && self.correlation(pair, is_in) > threshold
                        });
                        if let Some(other) = other {
                            let rarity =
                                [first, other].map(|place| self.frequency(of_one[place], is_in));
                            let goes = if rarity[0] < rarity[1] - 1e-9 { first } else { other };
                            kept[goes] = false;
                            is_changed = true;
                        }
                    }
                }
            }
            let left = of_one.iter().zip(kept).filter(|(_, is_kept)| *is_kept);
            all.extend(left.map(|(variant, _)| *variant));
        }
        all
    }
}

fn names(variants: &[usize]) -> Vec<String> {
    variants.iter().map(|variant| format!("rs{variant}")).collect()
}

fn filtered(files: &Files, filters: &QualityFilters, threads: usize) -> basrelief::Result<Cohort> {
    filters.apply(files.open(&CohortOptions::default())?, &Run::new(Some(threads))?)
}

#[test]
fn counts_are_those_of_a_loop() {
    for (seed, people, variants) in [(0, 97, 60), (1, 64, 200), (2, 5, 9), (3, 130, 33)] {
        let example = Example::new(seed, people, variants);
        let files = example.files();
        let cohort = files.open(&CohortOptions::default()).unwrap();
        for threads in [1, 3] {
            let found = CohortQuality::of(&cohort, &Run::new(Some(threads)).unwrap()).unwrap();
            let missing = (0..people).map(|person| {
                example.copies.iter().filter(|copies| copies[person] == 3).count() as u32
            });
            assert!(missing.eq(found.missing.iter().copied()), "seed {seed}");
            for (variant, found) in found.variants.iter().enumerate() {
                let is_founder = |person: usize| example.are_founders[person];
                let is_tested =
                    |person: usize| is_founder(person) && example.phenotypes[person] == 1;
                assert_eq!(found.all, example.counts(variant, |_| true));
                assert_eq!(found.founders, example.counts(variant, is_founder));
                assert_eq!(found.tested, example.counts(variant, is_tested));
            }
        }
    }
}

#[test]
fn filters_leave_what_loops_leave() {
    let example = Example::new(5, 203, 300);
    let files = example.files();
    let missing = |person: usize| {
        example.copies.iter().filter(|copies| copies[person] == 3).count() as f64 / 300.0
    };
    let people: Vec<usize> = (0..203).filter(|person| missing(*person) <= 0.06).collect();
    let is_in = |person: usize| people.contains(&person);
    let is_founder = |person: usize| is_in(person) && example.are_founders[person];
    let is_control = |person: usize| is_founder(person) && example.phenotypes[person] == 1;
    let mut variants: Vec<usize> = (0..300).collect();
    let mut filters = QualityFilters { mind: Some(0.06), ..QualityFilters::default() };
    let check = |filters: &QualityFilters, variants: &[usize]| {
        for threads in [1, 3] {
            let found = filtered(&files, filters, threads).unwrap();
            assert_eq!(found.samples().len(), people.len(), "{filters:?}");
            assert_eq!(found.names(), names(variants), "{filters:?}");
        }
        variants.len()
    };
    assert!(people.len() < 203);
    let mut sizes = vec![check(&filters, &variants)];

    variants.retain(|&variant| example.counts(variant, is_in).missingness() <= 0.05 + 1e-12);
    filters.geno = Some(0.05);
    sizes.push(check(&filters, &variants));

    variants.retain(|&variant| {
        let counts = example.counts(variant, is_control);
        hardy_weinberg(counts.homozygous_a1, counts.heterozygous, counts.homozygous_a2) >= 0.05
    });
    filters.hwe = Some(0.05);
    sizes.push(check(&filters, &variants));

    variants.retain(|&variant| example.frequency(variant, is_founder) >= 0.03);
    filters.maf = Some(0.03);
    sizes.push(check(&filters, &variants));

    let kept = example.pruned(&variants, (10, 3, 0.3), &is_founder);
    filters.ld_prune = Some(LdPruning::parse("10:3:0.3").unwrap());
    sizes.push(check(&filters, &kept));
    assert!(sizes.windows(2).all(|pair| pair[1] < pair[0]), "a filter without work: {sizes:?}");
}

#[test]
fn pruning_leaves_what_loops_leave() {
    let everybody = |_: usize| true;
    for seed in 0..6 {
        let mut example = Example::new(10 + seed, 40 + 17 * seed, 150);
        example.are_founders.fill(true);
        let all: Vec<usize> = (0..150).collect();
        let files = example.files();
        for (window, step, threshold) in [(2, 1, 0.1), (9, 4, 0.25), (50, 5, 0.2), (30, 30, 0.6)] {
            let text = format!("{window}:{step}:{threshold}");
            let filters = QualityFilters {
                ld_prune: Some(LdPruning::parse(&text).unwrap()),
                ..QualityFilters::default()
            };
            let wanted = names(&example.pruned(&all, (window, step, threshold), &everybody));
            assert_eq!(filtered(&files, &filters, 2).unwrap().names(), wanted, "{seed} {text}");
        }
        // Windows that reach over all, whatever they count.
        let kept = |text: &str| {
            let ld_prune = Some(LdPruning::parse(text).unwrap());
            filtered(&files, &QualityFilters { ld_prune, ..QualityFilters::default() }, 1).unwrap()
        };
        assert_eq!(kept("1000000kb:1:0.2").names(), kept("150:1:0.2").names());
    }
}

#[test]
fn what_filters_remove_is_told() {
    let files = Example::new(5, 203, 300).files();
    let filters = QualityFilters {
        mind: Some(0.06),
        geno: Some(0.05),
        hwe: Some(0.0),
        maf: Some(0.03),
        ld_prune: Some(LdPruning::parse("10:3:0.3").unwrap()),
    };
    let found = filtered(&files, &filters, 1).unwrap();
    let told: Vec<String> = found.warnings().iter().map(|warning| warning.to_string()).collect();
    // Nobody has a p-value below 0.
    for (told, name) in told.iter().zip(["mind=0.06", "geno=0.05", "maf=0.03", "ld_prune=10:3:0.3"])
    {
        assert!(told.contains(name), "{told}");
    }
    assert_eq!(told.len(), 4, "{told:?}");
    let people =
        filters.of_people().apply(files.open(&CohortOptions::default()).unwrap(), &super::run());
    assert_eq!(people.unwrap().loci().len(), 300);
}

#[test]
fn filters_without_sense_are_refused() {
    let example = Example::new(7, 50, 30);
    let message = |example: &Example, filters: QualityFilters| {
        filtered(&example.files(), &filters, 1).unwrap_err().to_string()
    };
    let none = QualityFilters::default();
    for (filters, problem) in [
        (
            QualityFilters { maf: Some(0.6), ..none },
            "option maf: 0.6 is out of range; give a number from 0 to 0.5",
        ),
        (QualityFilters { geno: Some(-0.1), ..none }, "option geno: -0.1 is out of range"),
        (QualityFilters { mind: Some(f64::NAN), ..none }, "option mind: NaN is out of range"),
        (QualityFilters { hwe: Some(2.0), ..none }, "option hwe: 2 is out of range"),
    ] {
        let found = message(&example, filters);
        assert!(found.contains(problem), "{found}");
    }
    let mut lacking = Example::new(7, 50, 30);
    lacking.copies[0].fill(3);
    let found = message(&lacking, QualityFilters { mind: Some(0.0), ..none });
    assert!(found.contains("option mind: 0 excludes all 50 people"), "{found}");
    lacking.copies.iter_mut().for_each(|copies| copies.fill(2));
    let found = message(&lacking, QualityFilters { maf: Some(0.01), ..none });
    assert!(found.contains("option maf: 0.01 excludes all 30 variants"), "{found}");
    let ld_prune = Some(LdPruning::parse("5:1:0.2").unwrap());
    let prune = QualityFilters { ld_prune, ..none };
    let with = |change: &dyn Fn(&mut Example)| {
        let mut example = Example::new(7, 50, 30);
        change(&mut example);
        example
    };
    for (changed, problem) in [
        (
            with(&|example| example.loci[3].1 = 0),
            "the variant `rs3` at 0 of chromosome `1` comes after `rs2`",
        ),
        (with(&|example| example.loci[29].0 = 1), "variants of chromosome `1` are not contiguous"),
        (with(&|example| example.loci[29].0 = 23), "variants of chromosome 23"),
        (with(&|example| example.are_founders.fill(false)), "there are none"),
        (with(&|example| example.loci.fill((0, 1))), "excludes all 30 variants"),
    ] {
        let options = CohortOptions { all_chromosomes: true, ..CohortOptions::default() };
        let files = changed.files();
        let cohort = files.open(&options).unwrap();
        let found = prune.apply(cohort, &super::run()).unwrap_err().to_string();
        assert!(found.contains(problem), "{found}");
    }
}
