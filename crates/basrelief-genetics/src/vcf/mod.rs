//! Cohorts in VCF: the genotypes (GT) of samples at the variants with two alleles.
//!
//! [`VcfReader`] reads the header, which names the people, and then, in one pass, the records. Genotypes are packed line
//! by line.

mod genotype;
mod header;
mod reader;
mod record;
mod stored;

pub use reader::is_vcf;
pub(crate) use reader::{VcfReader, VcfRecords};
pub(crate) use stored::Stored;
