//! Cohorts as PLINK 1 keeps them: genotypes in a `.bed` file, its variants in a `.bim` and its people in a `.fam`
//! beside it.
//!
//! [`Cohort::open`] reads the two texts and whatever lists choose people and variants, and finds everybody's
//! phenotype. [`Cohort::genotypes`] then reads of the `.bed` what was chosen, packed as it is there. [`write_cohort`] writes
//! such files.

pub(crate) mod bed;
pub(crate) mod chromosomes;
mod cohort;
mod covariates;
pub(crate) mod lines;
mod lists;
pub(crate) mod people;
pub(crate) mod phenotype;
pub(crate) mod seek;
pub(crate) mod stored;
pub(crate) mod variants;
mod write;

pub use chromosomes::ChromosomeSet;
pub use cohort::{Cohort, CohortOptions, CohortProblem, PHENOTYPE, PhenotypeFile};
pub use covariates::CovariateFile;
pub use people::Sample;
pub use phenotype::Phenotype;
pub use write::{CohortContent, check_cohort_output, cohort_outputs, is_bed, write_cohort};
