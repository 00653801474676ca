//! Quality control of a cohort, with the definitions of PLINK 1.9: genotype counts, allele frequencies, missingness,
//! the exact test of Hardy-Weinberg equilibrium, filters by these, and pruning by linkage disequilibrium; and with those
//! of PLINK 2: kinship, and what to do about relatives.
//!
//! [`CohortQuality::of`] counts genotypes, and [`QualityFilters::apply`] filters a cohort. Counting works on the packed
//! bits of the file; no genotype is unpacked.

mod counts;
mod filters;
mod hardy_weinberg;
mod king_table;
mod kinship;
mod missing_counts;
mod prune;
mod relatives;

pub use counts::{CohortQuality, GenotypeCounts, VariantCounts};
pub use filters::QualityFilters;
pub use hardy_weinberg::hardy_weinberg;
pub use king_table::write_king_table;
pub use kinship::{KinshipPair, check_king_cutoff, kinship};
pub use prune::{LdPruning, Window};
pub use relatives::{Relatives, related_groups, unrelated};
