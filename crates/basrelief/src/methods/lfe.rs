//! Local feature extraction.

use super::learn::{Coordinates, Directions, Frame, Learn};
use super::options::{FORM, METRIC_EUCLIDEAN, ONE_NEIGHBOR, TIES};
use super::registry::LearnerInfo;
use super::shared::{
    at_least_one, metric_from_settings, ties_from_settings, warn_of_small_classes,
};
use crate::algebra::{Eigen, symmetric_eigen};
use crate::data::DenseMatrix;
use crate::error::{Error, Result};
use crate::margins::scatter::PairWeights;
use crate::neighbors::{Grouping, Metric, NearestOptions, NeighborWeights, Ties};
use crate::report::Report;
use crate::run::Run;
use crate::warning::Warning;

/// Local feature extraction (Sun & Wu 2008, section 3): the directions in which rows are farther
/// from their nearest misses than from their nearest hits.
///
/// With `S` the sum over rows of the mean outer product of the differences to the nearest misses
/// (rows of any other class) less that to the nearest hits, and its eigenpairs `(s_i, a_i)`, row i
/// of the map is `sqrt(s_i / power) a_i` for every `s_i > 0`, where `power = sqrt(sum s_i^2)` is
/// the discriminant power: the metric has Frobenius norm 1 and maximises the margin `sum M S`.
/// Without a positive eigenvalue the map has no component, which is warned of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lfe {
    /// Nearest hits and misses of a row, at least 1.
    pub n_neighbors: usize,
    /// In which metric rows are near.
    pub metric: Metric,
    /// Who counts among rows at equal distance.
    pub ties: Ties,
    /// Where the scatter is computed; the map is the same, the time is not.
    pub form: Form,
}

/// Where LFE computes its scatter matrix.
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

impl Default for Lfe {
    fn default() -> Self {
        Self { n_neighbors: 1, metric: Metric::Euclidean, ties: Ties::Share, form: Form::Auto }
    }
}

impl Learn for Lfe {
    fn name(&self) -> &'static str {
        INFO.name
    }

    fn frame(&self) -> Frame {
        match (self.form, self.metric) {
            // A rotation changes Manhattan distances.
            (Form::Direct, _) | (_, Metric::Manhattan) => Frame::Features,
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
        if self.form == Form::Fast && self.metric == Metric::Manhattan {
            return Err(Error::option(
                FORM.name,
                "in the span of the rows there are no Manhattan distances",
                "use the direct form or the Euclidean metric",
            ));
        }
        let values = coordinates.values();
        warn_of_small_classes(coordinates.classes()?, self.n_neighbors, report);
        let grouping = Grouping::HitMiss(coordinates.classes()?.codes());
        let options = NearestOptions {
            k: self.n_neighbors,
            ties: self.ties,
            weights: NeighborWeights::Uniform,
        };
        let pairs = coordinates.nearest(grouping, self.metric, options, report, run, |found| {
            PairWeights::of_neighbors(values.rows(), found, &[-1.0, 1.0])
        })?;
        run.check()?;
        let Eigen { values: eigenvalues, vectors } = symmetric_eigen(&pairs.scatter(values), run)?;
        Ok(positive_part(eigenvalues, vectors, report))
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

/// Registry entry.
pub(crate) static INFO: LearnerInfo = LearnerInfo {
    name: "lfe",
    supervised: true,
    cost: "n² p + p³",
    purpose: "directions of large nearest-neighbour margins: Relief for rotated features",
    source: "Sun & Wu 2008",
    options: &[&ONE_NEIGHBOR, &METRIC_EUCLIDEAN, &TIES, &FORM],
    choose: &[&ONE_NEIGHBOR],
    build: |settings| {
        Ok(Box::new(Lfe {
            n_neighbors: settings.count(&ONE_NEIGHBOR)?,
            metric: metric_from_settings(settings)?,
            ties: ties_from_settings(settings)?,
            form: match settings.text(&FORM)? {
                "direct" => Form::Direct,
                "fast" => Form::Fast,
                _ => Form::Auto,
            },
        }))
    },
};
