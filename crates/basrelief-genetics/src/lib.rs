//! Genotypes as geneticists have them, as tables for basrelief.
//!
//! [`Cohort`] is what PLINK 1 keeps in three files, `.bed`, `.bim` and `.fam`, what PLINK 2 keeps in `.pgen`, `.pvar` and
//! `.psam`, or the genotypes of a VCF. [`CohortQuality`] counts their genotypes, and [`QualityFilters`] chooses by these
//! counts and by linkage disequilibrium, as PLINK does. Readers never panic, whatever the bytes,
//! and every error names the file, the line where there is one, the value, and what to do. This crate knows no method.

#![forbid(unsafe_code)]
// An error ends the reading, so that its size never matters.
#![allow(clippy::result_large_err)]

mod cohort;
mod metadata;
mod plink;
mod plink2;
mod quality;
mod seek;
mod sets;
mod vcf;

pub use cohort::{Cohort, CohortOptions, CohortProblem, Exclusion, PHENOTYPE, PhenotypeFile};
pub use metadata::{ChromosomeSet, CovariateFile, Genome, Phenotype, PhenotypeCoding, Sample};
pub use plink::{CohortContent, check_cohort_output, cohort_outputs, is_bed, write_cohort};
pub use plink2::is_pgen;
pub use quality::{
    CohortQuality, GenotypeCounts, LdPruning, QualityFilters, VariantCounts, Window, hardy_weinberg,
};
pub use sets::{chromosome_sets, read_sets};
pub use vcf::is_vcf;
