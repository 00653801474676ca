//! The choice of people and variants of a cohort of genotypes.

use std::path::Path;

use basrelief::{Result, Run};
use basrelief_genetics::{Cohort, CohortOptions, Genome, QualityFilters, Relatives};

/// The people, variants and columns of a cohort that are read.
#[derive(Debug, Clone)]
pub struct CohortChoice {
    /// The people, variants, phenotype and covariates that are read.
    pub options: CohortOptions,
    /// Thresholds for the quality of people and variants.
    pub filters: QualityFilters,
    /// What to do about relatives; `None` if they are of no interest.
    pub relatives: Option<Relatives>,
}

impl CohortChoice {
    /// Opens the cohort with the people and variants that are chosen.
    ///
    /// # Errors
    /// The errors of [`Cohort::open`], [`QualityFilters::apply`] and [`Cohort::without_relatives`].
    pub fn open(&self, data: &Path, run: &Run) -> Result<Cohort> {
        let cohort = self.filtered(data, run)?;
        match self.excluded_above() {
            Some(cutoff) => cohort.without_relatives(cutoff, run),
            None => Ok(cohort),
        }
    }

    /// Opens the cohort for a fit. If relatives are excluded, people without a phenotype are excluded first, so that
    /// none of them is kept in place of a relative.
    ///
    /// # Errors
    /// The errors of [`open`](Self::open) and [`Cohort::with_known_phenotypes`].
    pub fn open_for_fit(&self, data: &Path, run: &Run) -> Result<Cohort> {
        let cohort = self.filtered(data, run)?;
        match self.excluded_above() {
            Some(cutoff) => cohort.with_known_phenotypes()?.without_relatives(cutoff, run),
            None => Ok(cohort),
        }
    }

    /// Opens the cohort for variants that are named later: only people are filtered by quality. If relatives are
    /// excluded, the people are those of [`open_for_fit`](Self::open_for_fit).
    ///
    /// # Errors
    /// The errors of [`open_for_fit`](Self::open_for_fit).
    pub fn open_for_names(&self, data: &Path, run: &Run) -> Result<Cohort> {
        let cohort =
            self.filters.of_people().apply(Cohort::open(data, &self.options, run)?, run)?;
        match self.excluded_above() {
            Some(_) => Ok(cohort.with_people_of(&self.open_for_fit(data, run)?)),
            None => Ok(cohort),
        }
    }

    fn filtered(&self, data: &Path, run: &Run) -> Result<Cohort> {
        self.filters.apply(Cohort::open(data, &self.options, run)?, run)
    }

    /// The kinship coefficient above which relatives are excluded.
    fn excluded_above(&self) -> Option<f64> {
        self.relatives.filter(|relatives| relatives.are_excluded).map(|relatives| relatives.cutoff)
    }

    /// The kinship coefficient above which relatives form a group.
    pub fn grouped_above(&self) -> Option<f64> {
        self.relatives.filter(|relatives| !relatives.are_excluded).map(|relatives| relatives.cutoff)
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
