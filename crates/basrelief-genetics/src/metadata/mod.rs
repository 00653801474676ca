//! Text files about the people and variants of a cohort: `.fam` and `.bim` files, phenotypes, covariates, lists of
//! people and variants, and the names of chromosomes.

pub(crate) mod chromosomes;
pub(crate) mod covariates;
pub(crate) mod lines;
pub(crate) mod lists;
pub(crate) mod people;
pub(crate) mod phenotype;
pub(crate) mod variants;

pub use chromosomes::{ChromosomeSet, Genome};
pub use covariates::CovariateFile;
pub use people::Sample;
pub use phenotype::{Phenotype, PhenotypeCoding};
