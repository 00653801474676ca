//! Generators and the data sets that they create.

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
    /// The name of the target column in a file.
    pub target_name: &'static str,
    /// The known truth about the data set.
    pub truth: Truth,
    /// The populations of the rows, if there are several.
    pub ancestry: Option<Ancestry>,
    /// The family of every row, `None` for people without relatives; empty if there are no families.
    pub families: Vec<Option<u32>>,
    /// The rows of the parents of every row, if they are known; empty if there are no families.
    pub parents: Vec<Option<[u32; 2]>>,
}

/// The population and the ancestry coordinates of every row.
#[derive(Debug, Clone, PartialEq)]
pub struct Ancestry {
    /// The population of every row, counted from 0.
    pub population: Vec<u32>,
    /// Coordinates of ancestry: one fewer than populations, each with a value per row. All rows of a population have
    /// the same values. Over the populations, every coordinate has mean 0 and variance 1, and the coordinates are
    /// uncorrelated.
    pub coordinates: Vec<Vec<f64>>,
}

impl Generated {
    pub(super) fn classes(
        columns: Vec<Column<'static>>,
        labels: &[&str],
        target_name: &'static str,
        truth: Truth,
    ) -> Result<Self> {
        let target = Target::Classes(Classes::from_labels(labels));
        Ok(without_roles(Table::new(columns)?, target, target_name, truth))
    }
}

/// Data of independent rows from one population.
pub(super) fn without_roles(
    table: Table<'static>,
    target: Target,
    target_name: &'static str,
    truth: Truth,
) -> Generated {
    Generated {
        table,
        target,
        target_name,
        truth,
        ancestry: None,
        families: Vec::new(),
        parents: Vec::new(),
    }
}

/// Creates the columns, the target and the truth. The run provides the seed and can be cancelled.
pub(super) type Make = fn(&Settings, &Run) -> Result<Generated>;

/// A generator, described as data for the command line, Python and the documentation.
pub struct GeneratorInfo {
    /// The name on the command line.
    pub name: &'static str,
    /// The data that it creates and their use, in one line.
    pub purpose: &'static str,
    /// The source of its definition.
    pub source: &'static str,
    /// The options that are specific to this generator.
    pub(super) own_options: &'static [&'static OptionInfo],
    /// Creates the data, without the noise columns that all generators share.
    pub(super) make: Make,
}

impl std::fmt::Debug for GeneratorInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GeneratorInfo").field("name", &self.name).finish_non_exhaustive()
    }
}

impl GeneratorInfo {
    /// The options in the order shown: those of this generator, then those of all generators.
    pub fn options(&self) -> Vec<&'static OptionInfo> {
        self.own_options.iter().copied().chain([&NOISE]).collect()
    }

    /// Resolves and checks options that are specified as texts, by option name or flag.
    ///
    /// # Errors
    /// The errors of [`Settings::resolve`].
    pub fn settings<N: AsRef<str>, V: AsRef<str>>(&self, given: &[(N, V)]) -> Result<Settings> {
        Settings::resolve(self.name, &self.options(), given)
    }

    /// Creates the data set, with the noise columns that `settings` specify. The run provides the seed.
    ///
    /// # Errors
    /// Too many values (more than 10^9 for most generators); options that contradict each other;
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
