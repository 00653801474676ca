//! Genotype counts of variants and people.

use basrelief::data::Locus;
use basrelief::{Result, Run};
use basrelief_kernels::{Level, count_packed_genotypes, level};
use rayon::prelude::*;

use super::hardy_weinberg::hardy_weinberg;
use super::missing_counts::MissingCounts;
use crate::cohort::Cohort;
use crate::metadata::people::mask_of;
use crate::metadata::{Phenotype, Sample};
use crate::plink::bed::Bed;

/// The number of people with each genotype of a variant.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GenotypeCounts {
    /// Two copies of A1.
    pub homozygous_a1: u32,
    /// One copy of A1 and one of A2.
    pub heterozygous: u32,
    /// Two copies of A2.
    pub homozygous_a2: u32,
    /// Missing genotypes.
    pub missing: u32,
}

impl GenotypeCounts {
    /// Counts the genotypes of the marked people of a variant, packed as in the file.
    pub(super) fn of(level: Level, packed: &[u8], people: &[u64]) -> Self {
        let [homozygous_a1, heterozygous, homozygous_a2, missing] =
            count_packed_genotypes(level, packed, people);
        Self { homozygous_a1, heterozygous, homozygous_a2, missing }
    }

    /// The number of people whose genotype is known.
    pub fn known(&self) -> u32 {
        self.homozygous_a1 + self.heterozygous + self.homozygous_a2
    }

    /// The fraction of people whose genotype is missing; 0 without people.
    pub fn missingness(&self) -> f64 {
        f64::from(self.missing) / f64::from((self.known() + self.missing).max(1))
    }

    /// The frequency of the rarer allele among the known alleles, from 0 to 0.5; `None` if none is known.
    pub fn minor_allele_frequency(&self) -> Option<f64> {
        let alleles = 2 * u64::from(self.known());
        if alleles == 0 {
            return None;
        }
        // PLINK's frequency is that of A2. Equal fractions have equal floating-point values.
        let second = 2 * u64::from(self.homozygous_a2) + u64::from(self.heterozygous);
        let frequency = second as f64 / alleles as f64;
        Some(if frequency <= 0.5 { frequency } else { 1.0 - frequency })
    }

    /// The p-value of the exact test of Hardy-Weinberg equilibrium ([`hardy_weinberg`]); `None` if no genotype is
    /// known.
    pub fn hardy_weinberg(&self) -> Option<f64> {
        let p = || hardy_weinberg(self.homozygous_a1, self.heterozygous, self.homozygous_a2);
        (self.known() > 0).then(p)
    }
}

/// The genotype counts of a variant in several groups of people.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct VariantCounts {
    /// All people.
    pub all: GenotypeCounts,
    /// The founders: people whose father and mother are unknown. Allele frequencies are computed from them.
    pub founders: GenotypeCounts,
    /// The founders used in the test of Hardy-Weinberg equilibrium: only controls if the phenotype is case and control.
    pub tested: GenotypeCounts,
}

/// The quality of a cohort.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CohortQuality {
    /// The number of missing genotypes of each person.
    pub missing: Vec<u32>,
    /// The counts of each variant.
    pub variants: Vec<VariantCounts>,
}

impl CohortQuality {
    /// Counts the genotypes of a cohort in one pass over the file.
    ///
    /// # Errors
    /// The file cannot be read, or has changed; [`basrelief::Error::Cancelled`].
    pub fn of(cohort: &Cohort, run: &Run) -> Result<Self> {
        let (bed, groups) = (cohort.open_bed(run)?, Groups::of(cohort));
        let mut variants = vec![VariantCounts::default(); cohort.loci().len()];
        let mut missing = vec![0; cohort.people_in_file()];
        bed.each_piece(cohort.variants_of_file(), |first, bytes| {
            count_variants(&bed, bytes, &groups, run, &mut variants[first..]);
            add_missing(&bed, bytes, run, &mut missing);
        })?;
        Ok(Self { missing: of_people(cohort, &missing), variants })
    }

    /// Whether a variant of the cohort has a frequency and a p-value. Variants on X, Y and MT do not, because not all
    /// people have two copies of these chromosomes.
    pub fn has_frequency(cohort: &Cohort, locus: &Locus) -> bool {
        !cohort.genome().is_haploid(&locus.chromosome)
    }
}

/// Counts the missing genotypes of each person in one pass over the file.
///
/// # Errors
/// The errors of [`CohortQuality::of`].
pub(super) fn missing_of_people(cohort: &Cohort, run: &Run) -> Result<Vec<u32>> {
    let bed = cohort.open_bed(run)?;
    let mut missing = vec![0; cohort.people_in_file()];
    bed.each_piece(cohort.variants_of_file(), |_, bytes| {
        add_missing(&bed, bytes, run, &mut missing);
    })?;
    Ok(of_people(cohort, &missing))
}

/// Counts the genotypes of each variant in one pass over the file.
///
/// # Errors
/// The errors of [`CohortQuality::of`].
pub(super) fn counts_of_variants(cohort: &Cohort, run: &Run) -> Result<Vec<VariantCounts>> {
    let (bed, groups) = (cohort.open_bed(run)?, Groups::of(cohort));
    let mut variants = vec![VariantCounts::default(); cohort.loci().len()];
    bed.each_piece(cohort.variants_of_file(), |first, bytes| {
        count_variants(&bed, bytes, &groups, run, &mut variants[first..]);
    })?;
    Ok(variants)
}

/// Selects the values of the people of the cohort from the values of all people in the file.
fn of_people(cohort: &Cohort, everybody: &[u32]) -> Vec<u32> {
    cohort.people_of_file().iter().map(|&person| everybody[person as usize]).collect()
}

/// The approximate number of bytes that a thread processes at a time.
const SHARE: usize = 1 << 16;

/// Counts the genotypes of the variants in a piece of the file.
fn count_variants(
    bed: &Bed<'_>,
    bytes: &[u8],
    groups: &Groups,
    run: &Run,
    out: &mut [VariantCounts],
) {
    let level = level();
    run.install(|| {
        let all = out.par_iter_mut().zip(bytes.par_chunks(bed.stride()));
        all.with_min_len(SHARE.div_ceil(bed.stride()))
            .for_each(|(out, packed)| *out = groups.counts(level, packed));
    });
}

/// Adds the missing genotypes in a piece of the file to the counts of all people.
fn add_missing(bed: &Bed<'_>, bytes: &[u8], run: &Run, missing: &mut [u32]) {
    let level = level();
    let variants = bytes.len() / bed.stride();
    let of_share = variants.div_ceil(run.threads()).max(1) * bed.stride();
    let people = missing.len();
    let counted = |bytes: &[u8]| {
        let mut counts = MissingCounts::new(people);
        bytes.chunks_exact(bed.stride()).for_each(|packed| counts.add(level, packed));
        counts.into_totals()
    };
    let shares: Vec<Vec<u32>> = run.install(|| bytes.par_chunks(of_share).map(counted).collect());
    for share in shares {
        missing.iter_mut().zip(share).for_each(|(all, own)| *all += own);
    }
}

/// The groups of people, as bit masks over the people in the file.
#[derive(Debug)]
pub(super) struct Groups {
    all: Vec<u64>,
    founders: Vec<u64>,
    tested: Vec<u64>,
    /// Whether all people are founders, and whether all founders are tested.
    are_same: [bool; 2],
}

impl Groups {
    pub(super) fn of(cohort: &Cohort) -> Self {
        let founders: Vec<bool> = cohort.samples().iter().map(Sample::is_founder).collect();
        // If no phenotype is known, all founders are tested; of several phenotypes, the controls of all.
        let mut tested = vec![true; founders.len()];
        for (_, phenotype) in cohort.phenotypes() {
            let Phenotype::CaseControl(cases) = phenotype else { continue };
            if cases.iter().any(Option::is_some) {
                let are_controls = cases.iter().map(|is_case| *is_case == Some(false));
                tested.iter_mut().zip(are_controls).for_each(|(own, control)| *own &= control);
            }
        }
        let marks = |is_in: &dyn Fn(usize) -> bool| {
            let people = cohort.people_of_file().iter().enumerate();
            let marked = people.filter(|(person, _)| is_in(*person));
            mask_of(cohort.people_in_file(), marked.map(|(_, &place)| place as usize))
        };
        let tested = marks(&|person| founders[person] && tested[person]);
        let (all, founders) = (marks(&|_| true), marks(&|person| founders[person]));
        let are_same = [founders == all, tested == founders];
        Self { all, founders, tested, are_same }
    }

    /// The bit mask of the founders.
    pub(super) fn founders(&self) -> &[u64] {
        &self.founders
    }

    /// Counts the genotypes of a variant in each group.
    fn counts(&self, level: Level, packed: &[u8]) -> VariantCounts {
        let count = |mask: &[u64]| GenotypeCounts::of(level, packed, mask);
        let all = count(&self.all);
        let [founders_are_all, all_are_tested] = self.are_same;
        let founders = if founders_are_all { all } else { count(&self.founders) };
        let tested = if all_are_tested { founders } else { count(&self.tested) };
        VariantCounts { all, founders, tested }
    }
}
