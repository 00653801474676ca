//! Principal component analysis.

use super::learn::{Coordinates, Directions, Learn};
use super::registry::LearnerInfo;
use crate::algebra::{gram, symmetric_eigen};
use crate::error::Result;
use crate::report::Report;
use crate::run::Run;

/// Principal component analysis: the directions of greatest variance, orthonormal. The eigenvalues
/// are the variances along them, over n - 1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pca;

impl Learn for Pca {
    fn name(&self) -> &'static str {
        INFO.name
    }

    fn needs_classes(&self) -> bool {
        false
    }

    fn takes_principal_coordinates(&self) -> bool {
        true
    }

    fn learn(
        &self,
        coordinates: &Coordinates<'_>,
        _components: usize,
        _report: &mut Report,
        run: &Run,
    ) -> Result<Directions> {
        let found = symmetric_eigen(&gram(coordinates.values()), run)?;
        let degrees = coordinates.values().rows() as f64 - 1.0;
        let eigenvalues = found.values.iter().map(|value| value.max(0.0) / degrees).collect();
        Ok(Directions { matrix: found.vectors, eigenvalues, discriminant_power: None })
    }
}

/// Registry entry.
pub(crate) static INFO: LearnerInfo = LearnerInfo {
    name: "pca",
    supervised: false,
    cost: "n p² + p³",
    purpose: "the directions of greatest variance, whatever the classes: the baseline",
    source: "Pearson 1901; Hotelling 1933",
    options: &[],
    choose: &[],
    build: |_| Ok(Box::new(Pca)),
};
