//! Linear discriminant analysis.

use super::learn::{Coordinates, Directions, Learn};
use super::options::RIDGE;
use super::registry::LearnerInfo;
use super::ridge::Ridge;
use crate::error::{Error, Result};
use crate::margins::scatter::{between_classes, within_classes};
use crate::report::Report;
use crate::run::Run;

/// Linear discriminant analysis (Fisher 1936; Rao 1948), also called FDA: the directions in which
/// the class means lie farthest apart, measured in the spread within the classes.
///
/// In the map's coordinates the pooled covariance within the classes (with n - C degrees of
/// freedom for C classes) is the identity, and the eigenvalues are the scatter of the class means
/// (`sum n_c m_c m_c' / (n - C)`) along the components. There are at most C - 1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Lda {
    /// What is added to the scatter within the classes.
    pub ridge: Ridge,
}

impl Learn for Lda {
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
        let (values, classes) = (coordinates.values(), coordinates.classes()?);
        let degrees = values.rows() - classes.len();
        if degrees == 0 {
            return Err(Error::data(
                "every class has one row",
                "lda measures the spread within the classes: give classes of several rows",
            ));
        }
        let mut between = between_classes(values, classes);
        let mut within = within_classes(values, classes);
        for scatter in [&mut between, &mut within] {
            scatter.values_mut().iter_mut().for_each(|entry| *entry /= degrees as f64);
        }
        let name = "the scatter within the classes";
        let mut found = self.ridge.eigen(&between, &within, name, report, run)?;
        // The other eigenvalues are 0 but for rounding.
        let kept = classes.len() - 1;
        found.vectors.truncate(kept);
        found.values.truncate(kept);
        Ok(Directions {
            matrix: found.vectors,
            eigenvalues: found.values,
            discriminant_power: None,
        })
    }
}

/// Registry entry.
pub(crate) static INFO: LearnerInfo = LearnerInfo {
    name: "lda",
    supervised: true,
    cost: "n p² + p³",
    purpose: "directions that part the class means best, in units of the spread within classes",
    source: "Fisher 1936; Rao 1948",
    options: &[&RIDGE],
    choose: &[],
    build: |settings| Ok(Box::new(Lda { ridge: Ridge::from_settings(settings)? })),
};
