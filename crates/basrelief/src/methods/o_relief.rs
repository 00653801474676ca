//! # `o-relief`: Relief weights of the principal axes
//!
//! The rows are rotated to their principal axes, which removes correlations, and Relief computes the weights of the
//! axes.
//!
//! ## Formula
//!
//! With $V$ from [`pca`](super::pca) and the margins $z = \sum_i |V(x_i - \mathrm{NM}_i)| -
//! |V(x_i - \mathrm{NH}_i)|$ over nearest misses and hits, $w = z_+ / \|z_+\|$ and
//! $L = \mathrm{diag}(\sqrt{w}) V$. Axes without a positive weight are excluded.
//!
//! ## Cost
//!
//! One neighbor search and $n p^2 + p^3$. If features are linearly dependent or outnumber the rows, the
//! method works in the span of the rows, without loss.
//!
//! ## When not to use it
//!
//! - Classes that differ along directions other than the principal axes: [`lfe`](super::lfe) estimates the
//!   directions.
//!
//! ## Example
//!
//! ```sh
//! basrelief synth waveform --rows 300 --output waveform.csv
//! basrelief fit waveform.csv --target class --method o-relief --components 2 --model o-relief.basrelief
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.ORelief(2).fit_transform(X, y)`
//!
//! ## Source
//!
//! C.-C. Chang. Generalized iterative RELIEF for supervised distance metric learning. Pattern Recognition
//! 43(8), 2971-2981, 2010, table 1.

use super::info::{MapMethodInfo, PythonText, WeighFeatures, build};
use super::learn::{Coordinates, Directions, Frame, Learn};
use super::options::{METRIC_OF_COORDINATES_EUCLIDEAN, ONE_NEIGHBOR, TIES};
use super::page::page;
use super::settings::settings;
use super::weighted::scaled_axes;
use super::{Problem, ReliefMargin};
use crate::algebra::{product, row_products};
use crate::data::Target;
use crate::differences::Metric;
use crate::error::Result;
use crate::neighbors::Ties;
use crate::report::Report;
use crate::run::Run;

settings! {
    /// O-RELIEF (Chang 2010, table 1): the rows are rotated to their principal axes, Relief computes the
    /// weights of these, and the map scales each axis by the square root of its weight.
    ///
    /// The weights are those of [`ReliefMargin`] in the rotated coordinates, which share one unit: the
    /// positive part of the mean difference to the nearest misses minus that to the nearest hits, scaled
    /// to unit length. They are the map's eigenvalues; axes without a positive weight are excluded.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct ORelief {
        /// Number of nearest hits and of nearest misses of a row, at least 1.
        pub n_neighbors: usize = ONE_NEIGHBOR,
        /// The metric of the neighbor search.
        pub metric: Metric = METRIC_OF_COORDINATES_EUCLIDEAN,
        /// The treatment of rows at equal distance.
        pub ties: Ties = TIES,
    }
}

impl Learn for ORelief {
    fn name(&self) -> &'static str {
        INFO.name
    }

    fn row_metric(&self) -> Metric {
        self.metric
    }

    fn learn(
        &self,
        coordinates: &Coordinates<'_>,
        _components: usize,
        report: &mut Report,
        run: &Run,
    ) -> Result<Directions> {
        let axes = coordinates.principal(run)?.vectors;
        let rotated = row_products(coordinates.values(), &axes, run)?;
        let rotated = Coordinates::new(rotated, Some(coordinates.classes()?));
        let relief = AxisRelief {
            name: INFO.name,
            n_neighbors: self.n_neighbors,
            metric: self.metric,
            ties: self.ties,
        };
        let mut found = relief.directions(&rotated, report, run)?;
        found.matrix = product(&found.matrix, &axes, run)?;
        Ok(found)
    }
}

/// The margin form of Relief on the axes of the given coordinates, which share one unit.
pub(super) struct AxisRelief {
    pub(super) name: &'static str,
    pub(super) n_neighbors: usize,
    pub(super) metric: Metric,
    pub(super) ties: Ties,
}

impl AxisRelief {
    fn directions(
        &self,
        coordinates: &Coordinates<'_>,
        report: &mut Report,
        run: &Run,
    ) -> Result<Directions> {
        let table = coordinates.table()?;
        let target = Target::Classes(coordinates.classes()?.clone());
        let mut relief = ReliefMargin::default();
        relief.nearest.n_neighbors = vec![self.n_neighbors];
        relief.nearest.space.metric = self.metric;
        relief.nearest.ties = self.ties;
        let weights = relief.weigh(&Problem::new(&table, &target)?, report, run)?;
        Ok(scaled_axes(&weights, &vec![1.0; weights.len()]))
    }
}

impl Learn for AxisRelief {
    fn name(&self) -> &'static str {
        self.name
    }

    fn frame(&self) -> Frame {
        // The weights refer to the axes of the basis, which must not be rotated.
        Frame::Features
    }

    fn learn(
        &self,
        coordinates: &Coordinates<'_>,
        _components: usize,
        report: &mut Report,
        run: &Run,
    ) -> Result<Directions> {
        self.directions(coordinates, report, run)
    }
}

/// Registry entry.
pub(crate) static INFO: MapMethodInfo = MapMethodInfo {
    name: "o-relief",
    class: "ORelief",
    supervised: true,
    cost: "n² p + p³",
    purpose: "Relief weights of the principal axes",
    source: "Chang 2010, table 1",
    options: &[&ONE_NEIGHBOR, &METRIC_OF_COORDINATES_EUCLIDEAN, &TIES],
    choose: &[&ONE_NEIGHBOR],
    documentation: page!("o_relief.rs"),
    python: Some(&PYTHON),
    build: build::<ORelief>,
};

/// Docstring of the scikit-learn class.
const PYTHON: PythonText = PythonText {
    summary: "O-RELIEF: Relief weights of the principal axes.",
    references: &[
        "C.-C. Chang. Generalized iterative RELIEF for supervised distance metric learning. \
         Pattern Recognition 43(8), 2971-2981, 2010.",
    ],
    examples: &[
        ">>> from sklearn.datasets import load_wine",
        ">>> from basrelief import ORelief",
        ">>> X, y = load_wine(return_X_y=True)",
        ">>> ORelief(2, scale=\"range\").fit_transform(X, y).shape",
        "(178, 2)",
    ],
    ..PythonText::BLANK
};
