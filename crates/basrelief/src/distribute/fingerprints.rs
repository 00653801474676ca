//! Fingerprints of data, by which a plan recognizes them.

use rayon::prelude::*;

use crate::checksum::Checksum;
use crate::data::{Classes, Column, Table, Target, Values};
use crate::error::Result;
use crate::run::Run;

/// Returns the fingerprint of every column: of name, kind and values.
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub(super) fn column_fingerprints(table: &Table<'_>, run: &Run) -> Result<Vec<u64>> {
    let fingerprint = |memory: &mut Vec<f64>, column: &Column<'_>| {
        run.check()?;
        let mut checksum = Checksum::default();
        checksum.add_item(column.name().as_bytes());
        checksum.add_item(column.kind().name().as_bytes());
        match column.values() {
            Values::Genotype(genotypes) => checksum.add_item(&genotypes.to_bytes()),
            values => {
                if let Values::Categorical(categories) = values {
                    let levels = categories.levels().iter();
                    levels.for_each(|level| checksum.add_item(level.as_bytes()));
                }
                column.copy_values(memory);
                checksum.add_words(memory, f64::to_bits);
            }
        }
        Ok(checksum.number())
    };
    run.install(|| table.columns().par_iter().map_init(Vec::new, fingerprint).collect())
}

/// Returns the fingerprint of a target.
pub(super) fn target_fingerprint(target: &Target) -> u64 {
    match target {
        Target::Classes(classes) => class_fingerprint(classes),
        Target::Real(values) => {
            let mut checksum = Checksum::default();
            checksum.add_words(values, f64::to_bits);
            checksum.number()
        }
    }
}

/// Returns the fingerprint of classes, or of groups of rows.
pub(super) fn class_fingerprint(classes: &Classes) -> u64 {
    let mut checksum = Checksum::default();
    classes.names().iter().for_each(|name| checksum.add_item(name.as_bytes()));
    checksum.add_words(classes.codes(), u64::from);
    checksum.number()
}
