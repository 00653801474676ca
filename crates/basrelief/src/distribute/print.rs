//! Fingerprints of data, by which a plan recognizes them.

use rayon::prelude::*;

use crate::checksum::Checksum;
use crate::data::{Classes, Column, Table, Target, Values};
use crate::error::Result;
use crate::run::Run;

/// The fingerprint of every column: of name, kind and values.
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub(super) fn of_columns(table: &Table<'_>, run: &Run) -> Result<Vec<u64>> {
    let of_column = |memory: &mut Vec<f64>, column: &Column<'_>| {
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
    run.install(|| table.columns().par_iter().map_init(Vec::new, of_column).collect())
}

/// The fingerprint of a target.
pub(super) fn of_target(target: &Target) -> u64 {
    let mut checksum = Checksum::default();
    match target {
        Target::Classes(classes) => add_classes(classes, &mut checksum),
        Target::Real(values) => checksum.add_words(values, f64::to_bits),
    }
    checksum.number()
}

/// The fingerprint of groups of rows.
pub(super) fn of_classes(classes: &Classes) -> u64 {
    let mut checksum = Checksum::default();
    add_classes(classes, &mut checksum);
    checksum.number()
}

fn add_classes(classes: &Classes, checksum: &mut Checksum) {
    classes.names().iter().for_each(|name| checksum.add_item(name.as_bytes()));
    checksum.add_words(classes.codes(), u64::from);
}
