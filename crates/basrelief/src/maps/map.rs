//! A map of either kind.

use super::linear::discriminant_loss;
use super::{KernelMap, LinearMap};
use crate::data::{DenseMatrix, Table};
use crate::error::{Error, Result, nearest_name};

/// What a map method gives: new coordinates for rows, and a distance.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Map {
    /// A linear map of the features.
    Linear(LinearMap),
    /// A linear map of a kernel's space.
    Kernel(KernelMap),
}

impl Map {
    /// The names of the features that it takes, in order.
    pub fn names(&self) -> &[String] {
        match self {
            Map::Linear(map) => map.names(),
            Map::Kernel(map) => map.names(),
        }
    }

    /// Number of coordinates that it gives.
    pub fn components(&self) -> usize {
        match self {
            Map::Linear(map) => map.components(),
            Map::Kernel(map) => map.components(),
        }
    }

    /// One eigenvalue per component; empty for methods without.
    pub fn eigenvalues(&self) -> &[f64] {
        match self {
            Map::Linear(map) => map.eigenvalues(),
            Map::Kernel(map) => map.eigenvalues(),
        }
    }

    /// See [`LinearMap::discriminant_power`].
    pub fn discriminant_power(&self) -> Option<f64> {
        match self {
            Map::Linear(map) => map.discriminant_power(),
            Map::Kernel(map) => map.discriminant_power(),
        }
    }

    /// See [`LinearMap::discriminant_loss`].
    pub fn discriminant_loss(&self, components: usize) -> Option<f64> {
        discriminant_loss(self.eigenvalues(), self.discriminant_power(), components)
    }

    /// The coordinates of rows: rows x components.
    ///
    /// # Panics
    /// The rows have another number of columns than the map has features.
    pub fn transform(&self, rows: &DenseMatrix) -> DenseMatrix {
        match self {
            Map::Linear(map) => map.transform(rows),
            Map::Kernel(map) => map.transform(rows),
        }
    }

    /// The coordinates of a table's rows. Its columns are found by name; their order does not
    /// matter and others are left out.
    ///
    /// # Errors
    /// A column of the map is not there, holds categories, or has missing values.
    pub fn transform_table(&self, table: &Table<'_>) -> Result<DenseMatrix> {
        let places: std::collections::HashMap<&str, usize> = table
            .columns()
            .iter()
            .enumerate()
            .map(|(place, column)| (column.name(), place))
            .collect();
        let found: Vec<Option<usize>> =
            self.names().iter().map(|name| places.get(name.as_str()).copied()).collect();
        let missing: Vec<&str> = self
            .names()
            .iter()
            .zip(&found)
            .filter(|(_, place)| place.is_none())
            .map(|(name, _)| name.as_str())
            .collect();
        if let Some(first) = missing.first() {
            let near = nearest_name(first, table.columns().iter().map(|column| column.name()));
            let near = near.map_or_else(String::new, |near| {
                format!("; the table has `{near}`, which is near `{first}`")
            });
            let known: std::collections::HashSet<&str> =
                self.names().iter().map(String::as_str).collect();
            let others: Vec<&str> = table
                .columns()
                .iter()
                .map(|column| column.name())
                .filter(|name| !known.contains(name))
                .collect();
            let others = if others.is_empty() {
                String::new()
            } else {
                format!("; columns that the map does not know: {}", crate::data::list(&others))
            };
            return Err(Error::data(
                format!(
                    "{} of the {} columns that the map was fitted to are not there: {}{others}",
                    missing.len(),
                    self.names().len(),
                    crate::data::list(&missing)
                ),
                format!("give a table with all of them{near}"),
            ));
        }
        let places: Vec<usize> = found.into_iter().flatten().collect();
        Ok(self.transform(&DenseMatrix::from_table(&table.select_columns(&places), "a map")?))
    }

    /// The Euclidean distance of two mapped rows.
    ///
    /// # Panics
    /// Rows of another length than the map has features.
    pub fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
        match self {
            Map::Linear(map) => map.distance(a, b),
            Map::Kernel(map) => map.distance(a, b),
        }
    }
}
