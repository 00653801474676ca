//! PLINK 2 filesets: genotypes in a `.pgen` file, variants in a `.pvar` file and people in a `.psam` file next to it.
//!
//! [`Index`] contains the location of the record of every variant, and [`Pgen`] reads the requested records. Only the
//! main track of a record is read, which contains one of four genotype categories per person. The formats follow the
//! [specification](https://github.com/chrchang/plink-ng/tree/master/pgen_spec).

mod genotypes;
mod index;
mod psam;
mod pvar;
mod record;

use std::path::Path;

pub(crate) use genotypes::Pgen;
pub(crate) use index::{Asked, Index};
pub(crate) use psam::{Psam, PsamPhenotype, read_psam};
pub(crate) use pvar::{Pvar, read_pvar};

/// Whether a file is a PLINK 2 genotype file, by its extension `.pgen`.
pub fn is_pgen(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("pgen"))
}
