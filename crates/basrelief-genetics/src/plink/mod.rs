//! Genotypes as PLINK 1 stores them: a `.bed` file, with the variants in a `.bim` and the people in a `.fam` file
//! next to it.
//!
//! [`bed::Bed`] reads the genotypes of selected people and variants, packed as in the file. It returns those of a
//! `.pgen` file, a text fileset or a VCF in the same form. [`write_cohort`] writes all three files.

pub(crate) mod bed;
pub(crate) mod fileset;
mod write;

pub use write::{CohortContent, check_cohort_output, cohort_outputs, is_bed, write_cohort};
