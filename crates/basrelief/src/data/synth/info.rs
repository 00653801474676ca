//! What a generator is, and what it makes.

use std::collections::HashSet;

use super::options::NOISE;
use super::{Truth, with_noise};
use crate::data::{Classes, Column, Table, Target};
use crate::error::Result;
use crate::options::{OptionInfo, Settings};
use crate::run::Run;

/// A generated data set.
#[derive(Debug, Clone)]
pub struct Generated {
    /// The features.
    pub table: Table<'static>,
    /// The target.
    pub target: Target,
    /// Name of the target column in a file.
    pub target_name: &'static str,
    /// What is known of it.
    pub truth: Truth,
    /// Where the rows come from, if from several populations.
    pub ancestry: Option<Ancestry>,
}

/// From which population every row comes.
#[derive(Debug, Clone, PartialEq)]
pub struct Ancestry {
    /// Every row's population, counted from 0.
    pub population: Vec<u32>,
    /// Coordinates of ancestry, one fewer than populations, each of every row. All rows of a population have the same.
    /// Over the populations every coordinate has mean 0 and variance 1, and no two of them are correlated.
    pub coordinates: Vec<Vec<f64>>,
}

impl Generated {
    pub(super) fn classes(
        columns: Vec<Column<'static>>,
        labels: &[&str],
        target_name: &'static str,
        truth: Truth,
    ) -> Result<Self> {
        Ok(Self {
            table: Table::new(columns)?,
            target: Target::Classes(Classes::from_labels(labels)),
            target_name,
            truth,
            ancestry: None,
        })
    }
}

/// Makes the columns, the target and the truth; the run gives the seed and may be cancelled.
pub(super) type Make = fn(&Settings, &Run) -> Result<Generated>;

/// A generator: everything the command line, Python and the documentation know of it.
pub struct GeneratorInfo {
    /// Name on the command line.
    pub name: &'static str,
    /// One line: what data it makes and what they are good for.
    pub purpose: &'static str,
    /// Where it is defined.
    pub source: &'static str,
    /// The options that are its own.
    pub(super) own_options: &'static [&'static OptionInfo],
    /// Makes the data without what is common to all generators.
    pub(super) make: Make,
}

impl std::fmt::Debug for GeneratorInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GeneratorInfo").field("name", &self.name).finish_non_exhaustive()
    }
}

impl GeneratorInfo {
    /// Its options, in the order shown: its own, and those of every generator.
    pub fn options(&self) -> Vec<&'static OptionInfo> {
        self.own_options.iter().copied().chain([&NOISE]).collect()
    }

    /// Resolves and checks options given as texts, by option name or flag.
    ///
    /// # Errors
    /// As [`Settings::resolve`].
    pub fn settings<N: AsRef<str>, V: AsRef<str>>(&self, given: &[(N, V)]) -> Result<Settings> {
        Settings::resolve(self.name, &self.options(), given)
    }

    /// Makes the data set, with the noise columns that `settings` ask for; the run gives the seed.
    ///
    /// # Errors
    /// More than a thousand million values, options that contradict each other;
    /// [`crate::Error::Cancelled`].
    pub fn generate(&self, settings: &Settings, run: &Run) -> Result<Generated> {
        let mut data = (self.make)(settings, run)?;
        data.table = with_noise(data.table, settings.count(&NOISE)?, run)?;
        let relevant: HashSet<&String> = data.truth.relevant.iter().collect();
        let names = data.table.names().into_iter();
        data.truth.irrelevant = names.filter(|name| !relevant.contains(name)).collect();
        Ok(data)
    }
}
