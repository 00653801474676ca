//! Genotypes as geneticists have them, as tables for basrelief.
//!
//! [`Cohort`] is what PLINK 1 keeps in three files, `.bed`, `.bim` and `.fam`. Readers never panic, whatever the bytes,
//! and every error names the file, the line where there is one, the value, and what to do. This crate knows no method.

#![forbid(unsafe_code)]
// An error ends the reading, so that its size never matters.
#![allow(clippy::result_large_err)]

mod plink;

pub use plink::{
    ChromosomeSet, Cohort, CohortOptions, PHENOTYPE, Phenotype, PhenotypeFile, Sample,
};
