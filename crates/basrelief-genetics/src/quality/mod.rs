//! The quality of a cohort, as PLINK 1.9 judges it: counts of genotypes, allele frequencies, missingness, the exact test
//! of Hardy-Weinberg equilibrium, filters by them, and pruning by linkage disequilibrium.
//!
//! [`CohortQuality::of`] counts, and [`QualityFilters::apply`] chooses. Bits are counted as they lie in the file; no
//! genotype is unpacked.

mod counts;
mod filters;
mod hardy_weinberg;
mod missing_counts;
mod prune;

pub use counts::{CohortQuality, GenotypeCounts, VariantCounts};
pub use filters::QualityFilters;
pub use hardy_weinberg::hardy_weinberg;
pub use prune::{LdPruning, Window};
