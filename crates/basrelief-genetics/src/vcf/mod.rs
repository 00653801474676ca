//! Cohorts in VCF: the genotypes (GT) of samples at biallelic variants.
//!
//! [`VcfReader`] reads the header, which names the people, and then the records, in one pass. Genotypes are packed line
//! by line.

mod genotype;
mod header;
mod reader;
mod record;

pub use reader::is_vcf;
pub(crate) use reader::{VcfReader, VcfRecords};
