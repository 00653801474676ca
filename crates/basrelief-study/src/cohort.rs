//! The choice of people and variants of a cohort of genotypes.

use std::path::Path;

use basrelief::{Result, Run};
use basrelief_genetics::{Cohort, CohortOptions, Genome, QualityFilters};

/// The people, variants and columns of a cohort that are read.
#[derive(Debug, Clone)]
pub struct CohortChoice {
    /// The people, variants, phenotype and covariates that are read.
    pub options: CohortOptions,
    /// Thresholds for the quality of people and variants.
    pub filters: QualityFilters,
}

impl CohortChoice {
    /// Opens the cohort with the people and variants that are chosen.
    ///
    /// # Errors
    /// The errors of [`Cohort::open`] and [`QualityFilters::apply`].
    pub fn open(&self, bed: &Path, run: &Run) -> Result<Cohort> {
        self.filters.apply(Cohort::open(bed, &self.options, run)?, run)
    }

    /// Opens the cohort for variants that are named later: only people are filtered by quality.
    ///
    /// # Errors
    /// The errors of [`open`](Self::open).
    pub fn open_for_names(&self, bed: &Path, run: &Run) -> Result<Cohort> {
        self.filters.of_people().apply(Cohort::open(bed, &self.options, run)?, run)
    }

    /// The numbering of the chromosomes.
    pub fn genome(&self) -> Genome {
        self.options.genome
    }

    /// Reads the variants of all chromosomes, unless chromosomes are named.
    pub fn take_all_chromosomes(&mut self) {
        self.options.all_chromosomes = true;
    }
}
