//! Methods that are others under a name of their own: a basis of a kernel's space, then a method
//! there. A name is a registry entry; its options are those of the method, and a kernel by default.

use super::learn::{Coordinates, Directions, Frame, Learn};
use super::options::{FORM, KERNEL_RBF, METRIC_EUCLIDEAN, ONE_NEIGHBOR, TIES};
use super::registry::LearnerInfo;
use super::{lfe, pca};
use crate::error::Result;
use crate::report::Report;
use crate::run::Run;

/// A method under another name.
struct Named {
    name: &'static str,
    method: Box<dyn Learn>,
}

impl Learn for Named {
    fn name(&self) -> &'static str {
        self.name
    }

    fn needs_classes(&self) -> bool {
        self.method.needs_classes()
    }

    fn frame(&self) -> Frame {
        self.method.frame()
    }

    fn learn(
        &self,
        coordinates: &Coordinates<'_>,
        components: usize,
        report: &mut Report,
        run: &Run,
    ) -> Result<Directions> {
        self.method.learn(coordinates, components, report, run)
    }
}

/// Kernel local feature extraction: LFE in a kernel's space.
pub(crate) static KLFE: LearnerInfo = LearnerInfo {
    name: "klfe",
    cost: "n² p + n³",
    purpose: "LFE in the space of a kernel: margins that no linear map shows",
    source: "Wang, Fan, Li & Wu 2011",
    options: &[&KERNEL_RBF, &ONE_NEIGHBOR, &METRIC_EUCLIDEAN, &TIES, &FORM],
    choose: &[&KERNEL_RBF, &ONE_NEIGHBOR],
    build: |settings| Ok(Box::new(Named { name: "klfe", method: (lfe::INFO.build)(settings)? })),
    ..lfe::INFO
};

/// Kernel principal component analysis: PCA in a kernel's space.
pub(crate) static KPCA: LearnerInfo = LearnerInfo {
    name: "kpca",
    cost: "n² p + n³",
    purpose: "PCA in the space of a kernel: curved directions of great variance",
    source: "Schölkopf, Smola & Müller 1998",
    options: &[&KERNEL_RBF],
    choose: &[&KERNEL_RBF],
    build: |settings| Ok(Box::new(Named { name: "kpca", method: (pca::INFO.build)(settings)? })),
    ..pca::INFO
};
