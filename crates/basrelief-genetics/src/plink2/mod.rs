//! Cohorts as PLINK 2 keeps them: genotypes in a `.pgen` file, its variants in a `.pvar` and its people in a `.psam`
//! beside it.
//!
//! [`Index`] says where the record of every variant lies, and [`Pgen`] reads what is asked for: of a record the main
//! track alone, which has a genotype of four categories for everybody. The formats are those of the
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

/// Whether a file is one of PLINK 2, by its name: `.pgen`.
pub fn is_pgen(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("pgen"))
}
