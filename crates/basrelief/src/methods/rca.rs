//! Relevant component analysis.

use super::learn::{Coordinates, Directions, Learn};
use super::options::RIDGE;
use super::registry::LearnerInfo;
use super::ridge::Ridge;
use crate::algebra::gram;
use crate::error::Result;
use crate::margins::scatter::within_classes;
use crate::report::Report;
use crate::run::Run;

/// Relevant component analysis (Shental et al. 2002; Bar-Hillel et al. 2005) with the classes as
/// chunklets: the metric is the inverse of the mean covariance within the classes (over n), so
/// that directions in which rows of a class differ count little.
///
/// Components are ordered by the total variance along them, in units of that within the classes:
/// these are the eigenvalues, at least 1 without a ridge; the first `n_components` are Bar-Hillel's optimal
/// reduction.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Rca {
    /// What is added to the covariance within the classes.
    pub ridge: Ridge,
}

impl Learn for Rca {
    fn name(&self) -> &'static str {
        INFO.name
    }

    fn learn(
        &self,
        coordinates: &Coordinates<'_>,
        _components: usize,
        report: &mut Report,
        run: &Run,
    ) -> Result<Directions> {
        let values = coordinates.values();
        let mut total = gram(values);
        let mut within = within_classes(values, coordinates.classes()?);
        for scatter in [&mut total, &mut within] {
            scatter.values_mut().iter_mut().for_each(|entry| *entry /= values.rows() as f64);
        }
        let name = "the covariance within the classes";
        let found = self.ridge.eigen(&total, &within, name, report, run)?;
        Ok(Directions {
            matrix: found.vectors,
            eigenvalues: found.values,
            discriminant_power: None,
        })
    }
}

/// Registry entry.
pub(crate) static INFO: LearnerInfo = LearnerInfo {
    name: "rca",
    supervised: true,
    cost: "n p² + p³",
    purpose: "a metric that discounts how rows of a class differ: the whitened spread within classes",
    source: "Bar-Hillel et al. 2005",
    options: &[&RIDGE],
    choose: &[],
    build: |settings| Ok(Box::new(Rca { ridge: Ridge::from_settings(settings)? })),
};
