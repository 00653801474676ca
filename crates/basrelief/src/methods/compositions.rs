//! Methods that are others under a name of their own: a basis of a kernel's space, then a method
//! there. A name is a registry entry; its options are those of the method, and a kernel by default.

use super::learn::{Coordinates, Directions, Frame, Learn};
use super::o_relief::AxisRelief;
use super::options::{
    BASIS_GRAM_SCHMIDT, FORM, KERNEL_RBF, METRIC, METRIC_EUCLIDEAN, ONE_NEIGHBOR, RIDGE_GDA, TIES,
};
use super::registry::LearnerInfo;
use super::shared::{metric_from_settings, ties_from_settings};
use super::{Settings, lda, lfe, pca};
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

    fn takes_principal_coordinates(&self) -> bool {
        self.method.takes_principal_coordinates()
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

/// Generalised discriminant analysis: LDA in a kernel's space, with a ridge.
pub(crate) static GDA: LearnerInfo = LearnerInfo {
    name: "gda",
    cost: "n² p + n³",
    purpose: "LDA in the space of a kernel: class means apart where no plane parts the classes",
    source: "Baudat & Anouar 2000",
    options: &[&KERNEL_RBF, &RIDGE_GDA],
    choose: &[&KERNEL_RBF, &RIDGE_GDA],
    build: |settings| Ok(Box::new(Named { name: "gda", method: (lda::INFO.build)(settings)? })),
    ..lda::INFO
};

/// Feature selection in a kernel's space by Relief, on the axes of kernel PCA.
pub(crate) static FSKPCA: LearnerInfo = LearnerInfo {
    name: "fskpca",
    supervised: true,
    cost: "n² p + n³",
    purpose: "Relief weights of the kernel principal components",
    source: "Cao et al. 2007; Wang, Fan, Li & Wu 2011",
    options: &[&KERNEL_RBF, &ONE_NEIGHBOR, &METRIC, &TIES],
    choose: &[&KERNEL_RBF, &ONE_NEIGHBOR],
    build: |settings| axis_relief("fskpca", settings),
};

/// Feature selection in a kernel's space by Relief, on the axes of Gram-Schmidt.
pub(crate) static FSKGP: LearnerInfo = LearnerInfo {
    name: "fskgp",
    cost: "n² p + n r²",
    purpose: "Relief weights of a kernel's space along rows made orthonormal one by one",
    options: &[&KERNEL_RBF, &BASIS_GRAM_SCHMIDT, &ONE_NEIGHBOR, &METRIC, &TIES],
    build: |settings| axis_relief("fskgp", settings),
    ..FSKPCA
};

fn axis_relief(name: &'static str, settings: &Settings) -> Result<Box<dyn Learn>> {
    Ok(Box::new(AxisRelief {
        name,
        n_neighbors: settings.count(&ONE_NEIGHBOR)?,
        metric: metric_from_settings(settings)?,
        ties: ties_from_settings(settings)?,
    }))
}
