//! # `o-relief`: Relief weights of the principal axes
//!
//! The rows are rotated to their principal axes, which takes correlations out, and Relief weighs the
//! axes.
//!
//! ## Formula
//!
//! With $V$ from [`pca`](super::pca) and the margins $z = \sum_i |V(x_i - \mathrm{NM}_i)| -
//! |V(x_i - \mathrm{NH}_i)|$ over nearest misses and hits, $w = z_+ / \|z_+\|$ and
//! $L = \mathrm{diag}(\sqrt{w}) V$. Axes without a positive weight are left out.
//!
//! ## Cost
//!
//! One search for nearest rows and $n p^2 + p^3$. Features that depend on others, and features beyond the number of rows, are taken out first: the
//! method works in the span of the rows, where nothing is lost.
//!
//! ## When not to use it
//!
//! - Where the axes of the classes are not those of the variance: [`lfe`](super::lfe) chooses its own.
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
    /// O-RELIEF (Chang 2010, table 1): the rows are rotated to their principal axes, Relief weighs
    /// these, and the map scales each by the root of its weight.
    ///
    /// The weights are those of [`ReliefMargin`] in the rotated coordinates, all in one unit: the
    /// positive part of the mean difference to the nearest misses less that to the nearest hits, of
    /// unit length. They are the map's eigenvalues; axes without a positive weight are left out.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct ORelief {
        /// Nearest hits and misses of a row, at least 1.
        pub n_neighbors: usize = ONE_NEIGHBOR,
        /// In which metric rows are near.
        pub metric: Metric = METRIC_OF_COORDINATES_EUCLIDEAN,
        /// Who counts among rows at equal distance.
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

/// The margin form of Relief on the axes of whatever coordinates there are, all in one unit.
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
        relief.nearest.n_neighbors = self.n_neighbors;
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
        // The axes of the basis are what is weighed.
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

/// What its scikit-learn class says of it.
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
