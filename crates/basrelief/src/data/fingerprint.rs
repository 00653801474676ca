//! Fingerprints of data, with which plans and saved results identify them.

use super::{ClassPriors, Classes, Column, Covariates, Groups, Numbers, RowWeights, Table, Values};
use crate::checksum::Checksum;
use crate::error::Result;
use crate::parallel;
use crate::run::Run;

impl Column<'_> {
    /// The fingerprint of the column's name, kind and values, and of the range of the values of other rows that determine its
    /// scale.
    pub fn fingerprint(&self) -> u64 {
        let mut checksum = Checksum::default();
        checksum.add_item(self.name().as_bytes());
        checksum.add_item(self.kind().name().as_bytes());
        match self.values() {
            Values::Genotype(genotypes) => checksum.add_item(&genotypes.to_bytes()),
            Values::Numeric(Numbers::Sparse(values)) => {
                checksum.add_words(&[values.len() as u64], |number| number);
                checksum.add_words(values.rows(), u64::from);
                let values: Vec<f64> = values.values().collect();
                checksum.add_words(&values, f64::to_bits);
            }
            values => {
                if let Values::Categorical(categories) = values {
                    let levels = categories.levels().iter();
                    levels.for_each(|level| checksum.add_item(level.as_bytes()));
                }
                let mut values = Vec::new();
                self.copy_values(&mut values);
                checksum.add_words(&values, f64::to_bits);
            }
        }
        if let Some(outside) = self.outside() {
            checksum.add_words(&[outside.least, outside.greatest], f64::to_bits);
        }
        checksum.number()
    }
}

impl Table<'_> {
    /// The [fingerprint](Column::fingerprint) of every column.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub fn fingerprints(&self, run: &Run) -> Result<Vec<u64>> {
        let fingerprint = |column: &Column<'_>| run.check().map(|()| column.fingerprint());
        run.install(|| parallel::try_map(self.columns(), fingerprint))
    }
}

impl Classes {
    /// The fingerprint of the class names and codes.
    pub fn fingerprint(&self) -> u64 {
        let mut checksum = Checksum::default();
        self.names().iter().for_each(|name| checksum.add_item(name.as_bytes()));
        checksum.add_words(self.codes(), u64::from);
        checksum.number()
    }
}

impl Groups {
    /// The fingerprint of the groups and of how much their rows count.
    pub fn fingerprint(&self) -> u64 {
        let mut checksum = Checksum::default();
        self.names().iter().for_each(|name| checksum.add_item(name.as_bytes()));
        checksum.add_item(self.weight().name().as_bytes());
        checksum.add_words(self.codes(), u64::from);
        checksum.number()
    }
}

impl RowWeights {
    /// The fingerprint of the weights.
    pub fn fingerprint(&self) -> u64 {
        let mut checksum = Checksum::default();
        checksum.add_words(self.values(), f64::to_bits);
        checksum.number()
    }
}

impl Covariates<'_> {
    /// The fingerprint of the columns and of their uses.
    pub(crate) fn fingerprint(&self) -> u64 {
        let mut checksum = Checksum::default();
        let columns = self.table().columns().iter().map(Column::fingerprint);
        checksum.add_words(&columns.collect::<Vec<u64>>(), |number| number);
        checksum.add_words(&[self.caliper().unwrap_or_default()], f64::to_bits);
        checksum.add_words(&[u32::from(self.are_in_distance())], u64::from);
        checksum.number()
    }
}

impl ClassPriors {
    /// The fingerprint of the priors.
    pub fn fingerprint(&self) -> u64 {
        let mut checksum = Checksum::default();
        checksum.add_item(self.words().as_bytes());
        checksum.number()
    }
}
