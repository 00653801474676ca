//! The position of a genotype column in a genome.

use std::sync::Arc;

/// A variant: its position, its ID and its alleles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Locus {
    /// The chromosome, as named in the file.
    pub chromosome: Arc<str>,
    /// The position in base pairs, counted from 1.
    pub position: u64,
    /// The variant's ID in the file; IDs need not be unique.
    pub id: String,
    /// The allele whose copies the genotypes count (A1 of PLINK).
    pub counted: String,
    /// The other allele (A2 of PLINK).
    pub other: String,
}
