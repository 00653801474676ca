//! # `lfe`: Relief for linear combinations of features
//!
//! Local feature extraction finds the directions in which rows are farther from their nearest rows of other classes
//! than from their nearest rows of the same class. It extends Relief from single features to all linear combinations
//! of features, in closed form.
//!
//! ## Formula
//!
//! With $m$ the differences between row $n$ and its `--neighbors` nearest misses and $h$ those to its nearest hits,
//! $S = \sum_n \overline{m m'} - \overline{h h'}$ has eigenpairs $(s_i, a_i)$. For $s_i > 0$ the
//! components are $\sqrt{s_i / P} \, a_i$ with the discriminant power $P = \sqrt{\sum_{s_i > 0} s_i^2}$: the metric
//! has Frobenius norm 1 and the largest sum of squared margins. Dropping components reduces the discriminant
//! power, which is reported. The order of the rows does not matter, because rows tied at the largest distance get tie
//! weights.
//!
//! ## Cost
//!
//! One neighbor search and $n p^2 + p^3$; with more features than rows $n^2 p$ for the same map (`--form`): 12,600
//! genes of 102 patients take one second.
//!
//! ## When not to use it
//!
//! - Features in different units, because distances are Euclidean: use `--scale standard` or `range`.
//! - Many noise features, because the neighbor search uses all features: [`gi-relief`](super::gi_relief) and
//!   [`nca`](super::nca) find neighbors in the space that they learn.
//! - Classes that overlap everywhere: only directions with farther misses than hits become components, so that the map
//!   can have fewer of them than requested, or none. A warning reports it.
//!
//! ## Example
//!
//! ```sh
//! basrelief synth waveform --rows 300 --output waveform.csv
//! basrelief fit waveform.csv --target class --method lfe --components 2 --model lfe.basrelief
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.LFE(2, n_neighbors=3).fit(X, y).discriminant_power_`
//!
//! ## Source
//!
//! Y. Sun and D. Wu. A RELIEF based feature extraction algorithm. SDM 2008, 188-195.

use super::info::{MapMethodInfo, PythonText, build};
use super::learn::{Coordinates, Directions, Frame, FromScatter, Learn};
use super::options::{METRIC_EUCLIDEAN, ONE_NEIGHBOR, TIES};
use super::page::page;
use super::settings::settings;
use super::shared::{at_least_one, warn_of_small_classes};
use crate::algebra::{Eigen, symmetric_eigen};
use crate::data::{DenseMatrix, Roles};
use crate::differences::Metric;
use crate::error::{Error, Result};
use crate::margins::scatter::PairWeights;
use crate::neighbors::{Grouping, NearestOptions, NeighborWeights, Ties};
use crate::options::{OptionInfo, OptionKind, choices};
use crate::report::Report;
use crate::run::Run;
use crate::warning::Warning;
use crate::wording::setting;

settings! {
    /// Local feature extraction (Sun & Wu 2008, section 3): the directions in which rows are farther
    /// from their nearest misses than from their nearest hits.
    ///
    /// `S` is the sum over rows of the mean outer product of the differences to the nearest misses
    /// (rows of any other class) minus that to the nearest hits. With its eigenpairs `(s_i, a_i)`, row
    /// i of the map is `sqrt(s_i / power) a_i` for every `s_i > 0`, where `power = sqrt(sum s_i^2)` is
    /// the discriminant power: the metric has Frobenius norm 1 and maximizes the margin `sum M S`.
    /// If no eigenvalue is positive, the map has no components, and a warning reports it.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Lfe {
        /// Number of nearest hits and of nearest misses of a row, at least 1.
        pub n_neighbors: usize = ONE_NEIGHBOR,
        /// The metric of the neighbor search.
        pub metric: Metric = METRIC_EUCLIDEAN,
        /// The treatment of rows at equal distance.
        pub ties: Ties = TIES,
        /// The space in which the scatter is computed; it affects the time but not the map.
        pub form: Form = FORM,
    }
}

/// The space in which LFE computes its scatter matrix.
///
/// ```
/// use basrelief::methods::{Lfe, Form};
///
/// let method = Lfe::new().form(Form::Direct);
/// assert_eq!(method.form, Form::Direct);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Form {
    /// In the span of the rows if they are fewer than the features or these are linearly dependent, otherwise
    /// directly.
    #[default]
    Auto,
    /// Over the features, as a features x features matrix.
    Direct,
    /// In the span of the rows (Sun & Wu 2008, section 3.2).
    Fast,
}

impl Lfe {
    /// Returns an error if the form does not support the metric.
    fn check_form(&self) -> Result<()> {
        if self.form == Form::Fast && self.metric != Metric::Euclidean {
            return Err(Error::option(
                FORM.name,
                "fast works in the span of the rows, where only Euclidean distances are defined",
                format!(
                    "use {} or {}",
                    setting(FORM.name, Some("direct")),
                    setting("metric", Some("euclidean"))
                ),
            ));
        }
        Ok(())
    }
}

impl Learn for Lfe {
    fn name(&self) -> &'static str {
        INFO.name
    }

    fn row_metric(&self) -> Metric {
        self.metric
    }

    fn frame(&self) -> Frame {
        match (self.form, self.metric) {
            // A rotation changes Manhattan distances.
            (Form::Direct, _) => Frame::Features,
            (_, metric) if metric != Metric::Euclidean => Frame::Features,
            (Form::Fast, _) => Frame::Span,
            (Form::Auto, _) => Frame::Either,
        }
    }

    fn learn(
        &self,
        coordinates: &Coordinates<'_>,
        _components: usize,
        report: &mut Report,
        run: &Run,
    ) -> Result<Directions> {
        at_least_one(&ONE_NEIGHBOR, self.n_neighbors)?;
        self.check_form()?;
        let values = coordinates.values();
        warn_of_small_classes(coordinates.classes()?, Roles::default(), self.n_neighbors, report);
        let grouping = Grouping::HitMiss(coordinates.classes()?.codes());
        let options = self.neighbors()?;
        let pairs = coordinates.nearest(grouping, self.metric, options, report, run, |found| {
            PairWeights::of_neighbors(values.rows(), found, &self.signs())
        })?;
        run.check()?;
        self.directions(&pairs.scatter(values), report, run)
    }

    fn by_scatter(&self) -> Option<&dyn FromScatter> {
        Some(self)
    }
}

impl FromScatter for Lfe {
    fn check_parts(&self) -> Result<()> {
        self.check_form()?;
        if self.frame() == Frame::Features {
            return Ok(());
        }
        // Detecting linear dependence requires all columns at once.
        let found = if self.form == Form::Fast { "fast" } else { "auto" };
        Err(Error::option(
            FORM.name,
            format!("{found} may use the span of the rows, which cannot be computed in parts"),
            "use direct, which computes the same map over the features",
        ))
    }

    fn metric(&self) -> Metric {
        self.metric
    }

    fn neighbors(&self) -> Result<NearestOptions> {
        at_least_one(&ONE_NEIGHBOR, self.n_neighbors)?;
        let (k, ties) = (self.n_neighbors, self.ties);
        Ok(NearestOptions { k, ties, weights: NeighborWeights::Uniform })
    }

    fn signs(&self) -> [f64; 2] {
        [-1.0, 1.0]
    }

    fn directions(
        &self,
        scatter: &DenseMatrix,
        report: &mut Report,
        run: &Run,
    ) -> Result<Directions> {
        let Eigen { values, vectors } = symmetric_eigen(scatter, run)?;
        Ok(positive_part(values, vectors, report))
    }
}

/// The map of the positive eigenvalues, scaled so that its metric has Frobenius norm 1.
fn positive_part(
    mut eigenvalues: Vec<f64>,
    mut vectors: DenseMatrix,
    report: &mut Report,
) -> Directions {
    // By rounding, the eigenvalues of directions without a margin differ from 0 by a few units in the last place.
    let greatest = eigenvalues.iter().fold(0.0_f64, |most, s| most.max(s.abs()));
    let least = greatest * f64::EPSILON * eigenvalues.len() as f64;
    let kept = eigenvalues.iter().take_while(|&&s| s > least).count();
    if kept == 0 {
        report.warnings.push(Warning::new(
            "no-positive-margin",
            "no direction has a positive margin: the map has no components",
        ));
    }
    eigenvalues.truncate(kept);
    vectors.truncate(kept);
    let power =
        greatest * eigenvalues.iter().map(|s| (s / greatest) * (s / greatest)).sum::<f64>().sqrt();
    for (row, s) in eigenvalues.iter().enumerate() {
        let scale = (s / power).sqrt();
        vectors.row_mut(row).iter_mut().for_each(|entry| *entry *= scale);
    }
    Directions { matrix: vectors, eigenvalues, discriminant_power: Some(power) }
}

choices! {
    Form {
        Auto = "auto",
        Direct = "direct",
        Fast = "fast",
    }
}

/// `form`: the space in which the scatter matrix is computed.
pub(super) static FORM: OptionInfo = OptionInfo {
    name: "form",
    flag: "form",
    kind: OptionKind::Choice(Form::WORDS),
    default: "auto",
    help: "Compute over the features or in the span of the rows; the map is the same",
};

/// Registry entry.
pub(crate) static INFO: MapMethodInfo = MapMethodInfo {
    name: "lfe",
    class: "LFE",
    supervised: true,
    cost: "n² p + p³",
    purpose: "directions of large nearest-neighbor margins: Relief for feature combinations",
    source: "Sun & Wu 2008",
    options: &[&ONE_NEIGHBOR, &METRIC_EUCLIDEAN, &TIES, &FORM],
    choose: &[&ONE_NEIGHBOR],
    documentation: page!("lfe.rs"),
    python: Some(&PYTHON),
    build: build::<Lfe>,
};

/// Docstring of the scikit-learn class.
const PYTHON: PythonText = PythonText {
    summary: "Local feature extraction: directions of large nearest-neighbor margins.",
    description: &[
        "Relief for linear combinations of features: the directions in which rows are farther from \
         their nearest rows of other classes than from their nearest rows of the same class. It is \
         fast with more features than rows.",
    ],
    reports: &["discriminant_power_"],
    references: &[
        "Y. Sun and D. Wu. A RELIEF based feature extraction algorithm. SIAM International \
         Conference on Data Mining, 188-195, 2008.",
    ],
    examples: &[
        ">>> from sklearn.datasets import load_wine",
        ">>> from basrelief import LFE",
        ">>> X, y = load_wine(return_X_y=True)",
        ">>> LFE(2, scale=\"range\").fit_transform(X, y).shape",
        "(178, 2)",
    ],
    ..PythonText::BLANK
};
