//! Cohorts as PLINK 1 keeps them: genotypes in a `.bed` file, its variants in a `.bim` and its people in a `.fam`
//! beside it.
//!
//! [`Cohort::open`] reads the two texts and whatever lists choose people and variants, and finds everybody's
//! phenotype. [`Cohort::genotypes`] then reads of the `.bed` what was chosen, packed as it is there. [`write_cohort`] writes
//! such files.

pub(crate) mod bed;
pub(crate) mod chromosomes;
mod cohort;
mod lines;
mod lists;
pub(crate) mod people;
mod phenotype;
pub(crate) mod stored;
pub(crate) mod variants;
mod write;

pub use chromosomes::ChromosomeSet;
pub use cohort::{Cohort, CohortOptions, PHENOTYPE, PhenotypeFile};
pub use people::Sample;
pub use phenotype::Phenotype;
pub use write::{CohortContent, check_cohort_output, is_bed, write_cohort};
