//! The features themselves as a map.

use super::learn::{Coordinates, Directions, Frame, Learn};
use super::registry::LearnerInfo;
use crate::data::DenseMatrix;
use crate::error::Result;
use crate::report::Report;
use crate::run::Run;
use crate::warning::Warning;

/// The identity: distances are Euclidean, in the units chosen. After a kernel's basis these are
/// the distances of the kernel space (kernel k-NN).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Euclidean;

impl Learn for Euclidean {
    fn name(&self) -> &'static str {
        INFO.name
    }

    fn needs_classes(&self) -> bool {
        false
    }

    fn frame(&self) -> Frame {
        Frame::Features
    }

    fn learn(
        &self,
        coordinates: &Coordinates<'_>,
        components: usize,
        report: &mut Report,
        _run: &Run,
    ) -> Result<Directions> {
        if components < coordinates.values().columns() && coordinates.are_features() {
            report.warnings.push(Warning::new(
                "first-features",
                format!("no feature is more important here: the first {components} are kept"),
            ));
        }
        Ok(Directions {
            matrix: DenseMatrix::identity(coordinates.values().columns()),
            eigenvalues: Vec::new(),
            discriminant_power: None,
        })
    }
}

/// Registry entry.
pub(crate) static INFO: LearnerInfo = LearnerInfo {
    name: "euclidean",
    supervised: false,
    cost: "n p",
    purpose: "the features as they are, scaled if asked: what every metric is compared with",
    source: "the identity",
    options: &[],
    choose: &[],
    build: |_| Ok(Box::new(Euclidean)),
};
