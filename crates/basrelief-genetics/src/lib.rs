//! Genotype data in the standard formats of genetics, as tables for basrelief.
//!
//! A [`Cohort`] is a PLINK 1 fileset (`.bed`, `.bim` and `.fam`), a PLINK 2 fileset (`.pgen`, `.pvar` and `.psam`), a
//! text fileset of PLINK 1 (`.ped` and `.map`, or `.tped` and `.tfam`), or a VCF. [`CohortQuality`] counts its genotypes, and [`QualityFilters`] selects people and variants by these counts
//! and by linkage disequilibrium, as PLINK does. Readers do not panic on any input. Every error reports the file, the
//! line if there is one, the value, and what to do. This crate contains no feature weighting method.

#![forbid(unsafe_code)]
// An error ends the reading, so its size does not matter.
#![allow(clippy::result_large_err)]

mod cohort;
mod metadata;
mod ped;
mod plink;
mod plink2;
mod quality;
mod seek;
mod sets;
mod stored;
mod vcf;

pub use cohort::{
    Cohort, CohortOptions, CohortProblem, Exclusion, PHENOTYPE, PhenotypeFile, is_cohort,
};
pub use metadata::{ChromosomeSet, CovariateFile, Genome, Phenotype, PhenotypeCoding, Sample};
pub use ped::{is_ped, is_tped};
pub use plink::{CohortContent, check_cohort_output, cohort_outputs, is_bed, write_cohort};
pub use plink2::is_pgen;
pub use quality::{
    CohortQuality, GenotypeCounts, KinshipPair, LdPruning, QualityFilters, Relatives,
    VariantCounts, Window, check_king_cutoff, hardy_weinberg, kinship, related_groups, unrelated,
    write_king_table,
};
pub use sets::{chromosome_sets, read_sets};
pub use vcf::is_vcf;
