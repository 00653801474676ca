//! # `lfe`: Relief for rotated features
//!
//! Local feature extraction finds the directions in which rows are farther from their nearest rows of
//! other classes than from those of their own. What Relief does for single features, it does for all
//! their combinations, in closed form.
//!
//! ## Formula
//!
//! With $m$ the differences of row $n$ to its `--neighbors` nearest misses and $h$ to its nearest hits,
//! $S = \sum_n \overline{m m'} - \overline{h h'}$ has eigenpairs $(s_i, a_i)$. For $s_i > 0$ the
//! components are $\sqrt{s_i / P} \, a_i$ with the discriminant power $P = \sqrt{\sum_{s_i > 0} s_i^2}$:
//! the metric has Frobenius norm 1 and the greatest sum of squared margins. Cutting components off
//! costs discriminant power, which is reported. The order of the rows does not matter: rows equally far
//! share the last place.
//!
//! ## Cost
//!
//! One search for nearest rows and $n p^2 + p^3$; with more features than rows $n^2 p$, the same map
//! (`--form`): 12,600 genes of 102 patients take a second.
//!
//! ## When not to use it
//!
//! - Features in different units: distances are Euclidean. Use `--scale standard` or `range`.
//! - Many noise features: neighbors are sought with all of them; [`gi-relief`](super::gi_relief) and
//!   [`nca`](super::nca) seek them in the space they learn.
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
use crate::data::DenseMatrix;
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
    /// With `S` the sum over rows of the mean outer product of the differences to the nearest misses
    /// (rows of any other class) less that to the nearest hits, and its eigenpairs `(s_i, a_i)`, row i
    /// of the map is `sqrt(s_i / power) a_i` for every `s_i > 0`, where `power = sqrt(sum s_i^2)` is
    /// the discriminant power: the metric has Frobenius norm 1 and maximizes the margin `sum M S`.
    /// Without a positive eigenvalue the map has no component, which is warned of.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Lfe {
        /// Nearest hits and misses of a row, at least 1.
        pub n_neighbors: usize = ONE_NEIGHBOR,
        /// In which metric rows are near.
        pub metric: Metric = METRIC_EUCLIDEAN,
        /// Who counts among rows at equal distance.
        pub ties: Ties = TIES,
        /// Where the scatter is computed; the map is the same, the time is not.
        pub form: Form = FORM,
    }
}

/// Where LFE computes its scatter matrix.
///
/// ```
/// use basrelief::methods::{Lfe, Form};
///
/// let method = Lfe::new().form(Form::Direct);
/// assert_eq!(method.form, Form::Direct);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Form {
    /// In the span of the rows where they are fewer than the features, else directly.
    #[default]
    Auto,
    /// Over the features: a matrix of features x features.
    Direct,
    /// In the span of the rows (Sun & Wu 2008, section 3.2).
    Fast,
}

impl Lfe {
    /// Refuses a form in which the metric does not exist.
    fn check_form(&self) -> Result<()> {
        if self.form == Form::Fast && self.metric != Metric::Euclidean {
            return Err(Error::option(
                FORM.name,
                "in the span of the rows there are no Manhattan distances",
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
        warn_of_small_classes(coordinates.classes()?, self.n_neighbors, report);
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
        // Whether the columns depend on one another takes all of them to say.
        let found = if self.form == Form::Fast { "fast" } else { "auto" };
        Err(Error::option(
            FORM.name,
            format!("{found} may take the span of the rows, which cannot be computed in parts"),
            "give direct, which finds the same map over the features",
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

/// The map of the positive eigenvalues, of which the metric has Frobenius norm 1.
fn positive_part(
    mut eigenvalues: Vec<f64>,
    mut vectors: DenseMatrix,
    report: &mut Report,
) -> Directions {
    // Rounding leaves directions without a margin at a few units of the last place.
    let greatest = eigenvalues.iter().fold(0.0_f64, |most, s| most.max(s.abs()));
    let least = greatest * f64::EPSILON * eigenvalues.len() as f64;
    let kept = eigenvalues.iter().take_while(|&&s| s > least).count();
    if kept == 0 {
        report.warnings.push(Warning::new(
            "no-positive-margin",
            "no direction has a positive margin: the map has no component",
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

/// `form`: where the scatter matrix is computed.
pub(super) static FORM: OptionInfo = OptionInfo {
    name: "form",
    flag: "form",
    kind: OptionKind::Choice(Form::WORDS),
    default: "auto",
    help: "Compute over the features, or in the span of the rows; the map is the same",
};

/// Registry entry.
pub(crate) static INFO: MapMethodInfo = MapMethodInfo {
    name: "lfe",
    class: "LFE",
    supervised: true,
    cost: "n² p + p³",
    purpose: "directions of large nearest-neighbor margins: Relief for rotated features",
    source: "Sun & Wu 2008",
    options: &[&ONE_NEIGHBOR, &METRIC_EUCLIDEAN, &TIES, &FORM],
    choose: &[&ONE_NEIGHBOR],
    documentation: page!("lfe.rs"),
    python: Some(&PYTHON),
    build: build::<Lfe>,
};

/// What its scikit-learn class says of it.
const PYTHON: PythonText = PythonText {
    summary: "Local feature extraction: directions of large nearest-neighbor margins.",
    description: &[
        "Relief for rotated features: the directions in which rows are farther from their nearest \
         rows of other classes than from those of their own class. More features than rows cost \
         little.",
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
