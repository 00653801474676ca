//! Where a genotype column lies in a genome.

use std::sync::Arc;

/// A variant: where it lies, what it is called, and of which allele its genotypes count the copies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Locus {
    /// The chromosome, as its file calls it.
    pub chromosome: Arc<str>,
    /// The position in base pairs, counted from 1.
    pub position: u64,
    /// The variant's ID, as its file has it; not every variant has one of its own.
    pub id: String,
    /// The allele whose copies are counted (A1 of PLINK).
    pub counted: String,
    /// The other allele (A2 of PLINK).
    pub other: String,
}
