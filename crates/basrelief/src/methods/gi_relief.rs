//! # `gi-relief`: Relief for a full metric
//!
//! Generalized I-RELIEF. As in [`irelief`](super::irelief), every row is a neighbor with a probability under the
//! current metric, and the margins determine the next metric. Here the metric is a full matrix instead of one weight
//! per feature. The method is intended for features that matter jointly, for rotated features, and for strong noise.
//!
//! ## Formula
//!
//! With $d_{ij} = \lVert L (x_i - x_j) \rVert^2$, the misses $j$ of row $i$ have the probabilities
//! $\alpha_{ij} \propto e^{-d_{ij}/\sigma}$, and its hits have the probabilities
//! $\beta_{ij} \propto e^{-d_{ij}/\sigma}$; both sum to 1. Then
//!
//! ```math
//! A = \sum_{ij} \alpha_{ij} (x_i - x_j)(x_i - x_j)^\top, \qquad B = \sum_{ij} \beta_{ij} (x_i - x_j)(x_i - x_j)^\top, \qquad A v = s B v, \quad v^\top B v = 1.
//! ```
//!
//! The rows of the next map are the vectors $v$ with $s > 1$, the largest $s$ first. $\sigma$ is the mean squared
//! distance, under the current map, to the K-th nearest row (`--sigma-neighbors`, of any class), plus
//! `--sigma-offset`. The iteration ends when the relative change of the metric is below `--tol`.
//!
//! The iteration may not converge. The report contains `converged`, `last_change` and `iterations`. With
//! `--keep-best yes`, the result is the iterate with the best leave-one-out accuracy of the nearest neighbor
//! (`objective`) in the space of the requested components.
//!
//! - `--init whiten` starts with a map under which the within-class covariance is the identity, `identity` with the
//!   unchanged features. `auto` whitens if the variances of the features differ by more than a factor of ten and the
//!   within-class scatter is not singular. In a kernel space, `auto` never whitens: the coordinates differ in scale by
//!   nature, not because of their units. Whitening would make the smallest of them, of which there are as many as
//!   rows, as large as the first.
//! - `--form accelerated` finds neighbors in the space of the requested components, `direct` in the space of all
//!   directions. `linearised` works in the span of the rows and gives the same map as `direct`. `auto` and `direct`
//!   also work in this span if the features are not fewer than the rows, or if some features depend on others.
//! - If $B$ is singular, `--ridge` times its mean diagonal entry is added to its diagonal. The report contains the
//!   amount (`ridge`) and a warning.
//!
//! ## Cost
//!
//! An iteration takes $4 n^2 c$ multiplications for the distances in the $c$ directions of the map, at most $n^2 p$
//! for the scatters, and $p^3$ for the eigenvectors. Memory grows with $n p + p^2$; each thread also needs 4 MB of
//! distances, or $16 n$ numbers if that is more. No $n \times n$ matrix is stored. With more features than rows, $p$
//! is the number of rows.
//!
//! ## When not to use it
//!
//! - Many more features than rows: $B$ is singular, and the result depends on the ridge. Reduce the features with `pca`
//!   first.
//! - Classes that overlap everywhere: if no direction has farther misses than hits, the map has no components, and a
//!   warning reports it.
//!
//! ## Example
//!
//! ```sh
//! basrelief synth concentric-rings --rows 300 --output rings.csv
//! basrelief fit rings.csv --target class --method gi-relief --components 2 --model rings.basrelief
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.GIRelief(2).fit_transform(X, y)`
//!
//! ## Source
//!
//! C.-C. Chang. Generalized iterative RELIEF for supervised distance metric learning. Pattern
//! Recognition 43, 2010, section 3.

use super::info::{MapMethodInfo, PythonText, build};
use super::learn::{Coordinates, Directions, Frame, Learn};
use super::lfe::FORM;
use super::options::{MAX_ITER, TOL};
use super::page::page;
use super::settings::settings;
use super::shared::{above_zero, at_least_one, refuse_lone_rows_only, warn_of_lone_rows};
use crate::algebra::{Eigen, column_products, nearly_singular, regularized_eigen, row_products};
use crate::data::{Classes, DenseMatrix};
use crate::error::{Error, Result};
use crate::margins::scatter::within_classes;
use crate::objectives::soft_neighbors::SoftRows;
use crate::options::{OptionInfo, OptionKind, choices};
use crate::report::Report;
use crate::run::Run;
use crate::warning::Warning;
use crate::wording::setting;

/// Ratio of the largest to the smallest feature variance above which `auto` whitens.
const UNEVEN: f64 = 10.0;

settings! {
    /// Generalized I-RELIEF (Chang 2010, section 3): a map with large distances to soft misses relative to the
    /// distances to soft hits, where the map itself determines the probabilities of both.
    ///
    /// With `d_ij = ||L (x_i - x_j)||^2`, `alpha_ij` over the rows of other classes and `beta_ij` over
    /// those of the same class are proportional to `exp(-d_ij / sigma)` and sum to 1 for every row i.
    /// The scatters `A = sum_ij alpha_ij (x_i - x_j) (x_i - x_j)'` and `B`, with `beta_ij` instead, determine
    /// the next map: the vectors `v` with `A v = s B v`, `v' B v = 1` and `s > 1`, the largest `s` first.
    /// `sigma` is the mean squared distance in the current space to the K-th nearest row of any class,
    /// plus `sigma_offset`.
    ///
    /// If no `s` exceeds 1, the iteration ends with the current map. If this happens in the first iteration, the map
    /// has no components, and a warning reports it. The iteration may oscillate. With `keep_best`, the map with the
    /// best leave-one-out nearest-neighbor accuracy is returned (the first one of equals). In the report,
    /// `objective` is the accuracy of the returned components.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct GiRelief {
        /// The space in which neighbors are found and scatters are computed.
        pub form: GiForm = FORM_GI_RELIEF,
        /// K, the rank of the neighbor whose distance determines the kernel width, at least 1.
        pub sigma_neighbors: usize = SIGMA_NEIGHBORS,
        /// Added to the kernel width.
        pub sigma_offset: f64 = SIGMA_OFFSET,
        /// The initial map.
        pub init: GiInit = INIT_GI_RELIEF,
        /// Maximum number of iterations.
        pub max_iter: usize = MAX_ITER_GI_RELIEF,
        /// Relative change of the metric `L'L` (Frobenius norms) below which the iteration has converged.
        pub tol: f64 = TOL_GI_RELIEF,
        /// Added to the diagonal of a singular `B`, as a fraction of its mean diagonal entry.
        pub ridge: f64 = RIDGE_GI_RELIEF,
        /// Whether to return the best of all iterates instead of the last one.
        pub keep_best: bool = KEEP_BEST is "yes",
    }
}

/// Chang's forms of generalized I-RELIEF.
///
/// ```
/// use basrelief::methods::{GiRelief, GiForm};
///
/// let method = GiRelief::new().form(GiForm::Accelerated);
/// assert_eq!(method.form, GiForm::Accelerated);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum GiForm {
    /// `Direct`, in the span of the rows if the features are not fewer than the rows.
    #[default]
    Auto,
    /// Neighbors in the space of all directions; the requested components are selected at the end.
    Direct,
    /// Neighbors in the space of the requested components: faster, with a different map.
    Accelerated,
    /// `Direct` in the span of the rows: the map with `L = L~ X` (Chang's eq. 15), which equals that of
    /// `Direct` if the rows span the features.
    Linearized,
}

/// The initial map of generalized I-RELIEF.
///
/// ```
/// use basrelief::methods::{GiRelief, GiInit};
///
/// let method = GiRelief::new().init(GiInit::Identity);
/// assert_eq!(method.init, GiInit::Identity);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum GiInit {
    /// `Whiten` if the variances of the features differ by more than a factor of ten and the within-class
    /// scatter is not singular, otherwise `Identity`; always `Identity` in a kernel space.
    #[default]
    Auto,
    /// The unchanged features.
    Identity,
    /// A map under which the within-class scatter is the identity.
    Whiten,
}

/// An iterate and its leave-one-out accuracy.
struct Best {
    rate: f64,
    map: Eigen,
}

impl Learn for GiRelief {
    fn name(&self) -> &'static str {
        INFO.name
    }

    fn frame(&self) -> Frame {
        match self.form {
            GiForm::Linearized => Frame::Span,
            GiForm::Auto | GiForm::Direct | GiForm::Accelerated => Frame::Either,
        }
    }

    fn learn(
        &self,
        coordinates: &Coordinates<'_>,
        components: usize,
        report: &mut Report,
        run: &Run,
    ) -> Result<Directions> {
        self.validate()?;
        let classes = coordinates.classes()?;
        refuse_lone_rows_only(classes)?;
        warn_of_lone_rows(classes, "has no hits, and only its misses contribute", report);
        let rows = SoftRows::new(coordinates.values(), classes);
        run.progress().start(
            "neighborhoods",
            rows.len().saturating_mul((self.max_iter as u64).saturating_mul(2).saturating_add(1)),
        );
        let map = self.iterate(coordinates, &rows, components, report, run)?;
        run.progress().finish();
        Ok(Directions { matrix: map.vectors, eigenvalues: map.values, discriminant_power: None })
    }
}

impl GiRelief {
    /// Checks the ranges of the fields, which a caller of the typed interface can set freely.
    fn validate(&self) -> Result<()> {
        at_least_one(&SIGMA_NEIGHBORS, self.sigma_neighbors)?;
        at_least_one(&MAX_ITER_GI_RELIEF, self.max_iter)?;
        above_zero(&RIDGE_GI_RELIEF, self.ridge)?;
        above_zero(&TOL_GI_RELIEF, self.tol)?;
        if !(self.sigma_offset >= 0.0 && self.sigma_offset.is_finite()) {
            return Err(Error::option(
                SIGMA_OFFSET.name,
                format!("found {}", self.sigma_offset),
                "use 0 or a positive number",
            ));
        }
        Ok(())
    }

    /// Returns the initial map and the ridge that was added to compute it.
    fn start(
        &self,
        coordinates: &Coordinates<'_>,
        classes: &Classes,
        run: &Run,
    ) -> Result<(DenseMatrix, f64)> {
        let values = coordinates.values();
        let identity = || DenseMatrix::identity(values.columns());
        let even = coordinates.variance_ratio() <= UNEVEN;
        if self.init == GiInit::Identity || (self.init == GiInit::Auto && even) {
            return Ok((identity(), 0.0));
        }
        let within = within_classes(values, classes, run)?;
        if self.init == GiInit::Auto && nearly_singular(&within, run)? {
            return Ok((identity(), 0.0));
        }
        // Any map with the metric W^-1 is suitable; its vectors satisfy v' W v = 1.
        let (found, ridge) = regularized_eigen(&identity(), within, &identity(), self.ridge, run)?;
        Ok((found.vectors, ridge))
    }

    fn iterate(
        &self,
        coordinates: &Coordinates<'_>,
        rows: &SoftRows,
        components: usize,
        report: &mut Report,
        run: &Run,
    ) -> Result<Eigen> {
        let (mut matrix, mut most_ridge) = self.start(coordinates, coordinates.classes()?, run)?;
        let mut best: Option<Best> = None;
        let mut last: Option<Eigen> = None;
        let mut change = f64::INFINITY;
        let mut iterations = 0;
        loop {
            let mut mapped = row_products(rows.values(), &matrix, run)?;
            let stats = rows.neighbor_stats(mapped.clone(), self.sigma_neighbors, run)?;
            if let Some(map) = last.take() {
                // The accuracy of the components that would be returned.
                let right = if map.values.len() > components && self.form != GiForm::Accelerated {
                    let mut cut = map.vectors.clone();
                    cut.truncate(components);
                    rows.neighbor_stats(row_products(rows.values(), &cut, run)?, 1, run)?
                        .nearest_hits
                } else {
                    stats.nearest_hits
                };
                let rate = right / rows.len() as f64;
                if !self.keep_best || best.as_ref().is_none_or(|best| rate > best.rate) {
                    best = Some(Best { rate, map });
                }
            }
            if change < self.tol || iterations == self.max_iter {
                break;
            }
            let sigma = stats.mean_squared_distance + self.sigma_offset;
            if sigma <= 0.0 {
                return Err(Error::data(
                    format!(
                        "every row has {} identical rows, so that the kernel width is 0",
                        self.sigma_neighbors
                    ),
                    format!(
                        "raise {} or {}, or remove duplicate rows",
                        setting("sigma_neighbors", None),
                        setting("sigma_offset", None)
                    ),
                ));
            }
            let scale = 1.0 / sigma.sqrt();
            mapped.values_mut().iter_mut().for_each(|value| *value *= scale);
            let [hits, misses] = rows.hit_and_miss_scatters(mapped, run)?;
            let (mut found, ridge) = regularized_eigen(&misses, hits, &misses, self.ridge, run)?;
            most_ridge = most_ridge.max(ridge);
            iterations += 1;
            let kept = found.values.iter().take_while(|&&value| value > 1.0).count();
            if kept == 0 {
                // The current map stays; the iteration has not converged.
                break;
            }
            found.values.truncate(kept);
            found.vectors.truncate(kept);
            let mut next = found.vectors.clone();
            if self.form == GiForm::Accelerated {
                next.truncate(components);
            }
            change = metric_change(&matrix, &next, run)?;
            report.changes.push(map_change(&matrix, &next));
            matrix = next;
            last = Some(found);
        }
        report.iterations = Some(iterations);
        report.converged = Some(change < self.tol);
        report.last_change = change.is_finite().then_some(change);
        report.ridge = Some(most_ridge);
        if most_ridge > 0.0 {
            report.warnings.push(Warning::new(
                "ridge",
                format!(
                    "the scatter of the hits is singular: {most_ridge:e} was added to its diagonal"
                ),
            ));
        }
        let Some(best) = best else {
            report.warnings.push(Warning::new(
                "no-positive-margin",
                "no direction has farther misses than hits: the map has no components",
            ));
            let vectors = DenseMatrix::zeros(0, matrix.columns());
            return Ok(Eigen { values: Vec::new(), vectors });
        };
        report.objective = Some(best.rate);
        if change >= self.tol {
            let kept = if self.keep_best { "best" } else { "last" };
            report.warnings.push(Warning::new(
                "not-converged",
                format!(
                    "after {iterations} iterations the last change is {change:.3e}, above tol \
                     {:e}: the iteration may oscillate; the {kept} map is returned",
                    self.tol
                ),
            ));
        }
        Ok(best.map)
    }
}

/// Returns `||N'N - M'M|| / ||N'N||` in Frobenius norms.
fn metric_change(before: &DenseMatrix, now: &DenseMatrix, run: &Run) -> Result<f64> {
    let metric = |map: &DenseMatrix| column_products(map, map, run);
    let (before, now) = (metric(before)?, metric(now)?);
    let pairs = now.values().iter().zip(before.values());
    let change: f64 = pairs.map(|(now, before)| (now - before) * (now - before)).sum();
    let size: f64 = now.values().iter().map(|value| value * value).sum();
    Ok((change / size).sqrt())
}

/// Returns `||N - M||` in the Frobenius norm. Every row of `now` has the sign that is nearer to the row of
/// `before`; rows that are missing in one of the maps count as 0.
fn map_change(before: &DenseMatrix, now: &DenseMatrix) -> f64 {
    let squares = |row: &[f64]| row.iter().map(|value| value * value).sum::<f64>();
    let row_change = |row: usize| match (row < before.rows(), row < now.rows()) {
        (true, true) => {
            let (before, now) = (before.row(row), now.row(row));
            let product: f64 = before.iter().zip(now).map(|(a, b)| a * b).sum();
            let sign = if product < 0.0 { -1.0 } else { 1.0 };
            before.iter().zip(now).map(|(a, b)| (a - sign * b) * (a - sign * b)).sum()
        }
        (true, false) => squares(before.row(row)),
        _ => squares(now.row(row)),
    };
    (0..before.rows().max(now.rows())).map(row_change).sum::<f64>().sqrt()
}

choices! {
    GiForm {
        Auto = "auto",
        Direct = "direct",
        Accelerated = "accelerated",
        Linearized = "linearised",
    }
}

/// `form` of `gi-relief`.
static FORM_GI_RELIEF: OptionInfo = OptionInfo {
    kind: OptionKind::Choice(GiForm::WORDS),
    help: "Space of the neighbors: all components (direct), the requested ones (accelerated) or \
           the span of the rows (linearised); auto: direct, in the span for many features",
    ..FORM
};

/// `sigma_neighbors` of `gi-relief`: the neighbor that determines the kernel width.
static SIGMA_NEIGHBORS: OptionInfo = OptionInfo {
    name: "sigma_neighbors",
    flag: "sigma-neighbors",
    kind: OptionKind::Count { least: 1 },
    default: "7",
    help: "The kernel width is the mean squared distance to the neighbor of this rank",
};

/// `sigma_offset` of `gi-relief`: an offset of the kernel width.
static SIGMA_OFFSET: OptionInfo = OptionInfo {
    name: "sigma_offset",
    flag: "sigma-offset",
    kind: OptionKind::Number { least: 0.0, most: 1e300 },
    default: "0",
    help: "Added to the kernel width; a larger offset includes more neighbors",
};

choices! {
    GiInit {
        Auto = "auto",
        Identity = "identity",
        Whiten = "whiten",
    }
}

/// `init` of `gi-relief`: the initial map.
static INIT_GI_RELIEF: OptionInfo = OptionInfo {
    name: "init",
    flag: "init",
    kind: OptionKind::Choice(GiInit::WORDS),
    default: "auto",
    help: "Initial map: the identity, or whitening of the within-class covariance; auto: whiten if \
           the variances of the features differ by more than a factor of ten",
};

/// `max_iter` of `gi-relief`.
static MAX_ITER_GI_RELIEF: OptionInfo = OptionInfo { default: "30", ..MAX_ITER };

/// `tol` of `gi-relief`.
static TOL_GI_RELIEF: OptionInfo = OptionInfo {
    default: "1e-4",
    help: "Relative change of the metric below which the iteration has converged",
    ..TOL
};

/// `ridge` of `gi-relief`: makes a singular matrix invertible.
static RIDGE_GI_RELIEF: OptionInfo = OptionInfo {
    name: "ridge",
    flag: "ridge",
    kind: OptionKind::Positive,
    default: "1e-6",
    help: "Added to the diagonal of a singular matrix, as a fraction of its mean diagonal entry",
};

/// `keep_best` of `gi-relief`.
static KEEP_BEST: OptionInfo = OptionInfo {
    name: "keep_best",
    flag: "keep-best",
    kind: OptionKind::Choice(&["yes", "no"]),
    default: "yes",
    help: "Return the iterate with the best leave-one-out nearest-neighbor accuracy, or the last one",
};

/// Registry entry.
pub(crate) static INFO: MapMethodInfo = MapMethodInfo {
    name: "gi-relief",
    class: "GIRelief",
    supervised: true,
    cost: "n² p + p³ per iteration",
    purpose: "Relief for rotated features and strong noise, with neighbors in the learned space",
    source: "Chang 2010",
    options: &[
        &FORM_GI_RELIEF,
        &SIGMA_NEIGHBORS,
        &SIGMA_OFFSET,
        &INIT_GI_RELIEF,
        &MAX_ITER_GI_RELIEF,
        &TOL_GI_RELIEF,
        &RIDGE_GI_RELIEF,
        &KEEP_BEST,
    ],
    choose: &[&SIGMA_NEIGHBORS],
    documentation: page!("gi_relief.rs"),
    python: Some(&PYTHON),
    build: build::<GiRelief>,
};

/// Docstring of the scikit-learn class.
const PYTHON: PythonText = PythonText {
    summary: "Generalized I-RELIEF: alternates between a metric and the neighbors under it.",
    description: &[
        "Neighbors are soft and found in the space of the map itself. The map consists of the \
         directions in which misses are farther away than hits.",
    ],
    reports: &["n_iter_", "converged_", "objective_", "ridge_"],
    iterations: ", each of which visits all pairs of rows",
    see_also: &[("LFE", "Neighbors in the original space, with a closed-form solution.")],
    references: &[
        "C.-C. Chang. Generalized iterative RELIEF for supervised distance metric learning. \
         Pattern Recognition 43(8), 2971-2981, 2010.",
    ],
    examples: &[
        ">>> from sklearn.datasets import load_wine",
        ">>> from basrelief import GIRelief",
        ">>> X, y = load_wine(return_X_y=True)",
        ">>> GIRelief(2, scale=\"range\").fit_transform(X, y).shape",
        "(178, 2)",
    ],
    ..PythonText::BLANK
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_of_a_map_do_not_count_signs() {
        let before = DenseMatrix::new(vec![3.0, 0.0, 0.0, 1.0], 2, 2);
        let turned = DenseMatrix::new(vec![-3.0, 0.0, 0.0, -1.0], 2, 2);
        assert_eq!(map_change(&before, &turned), 0.0);
        // The second row is removed, and the first one is 4 longer in another direction.
        let cut = DenseMatrix::new(vec![-3.0, 4.0], 1, 2);
        assert_eq!(map_change(&before, &cut), 17.0_f64.sqrt());
        assert_eq!(map_change(&cut, &before), 17.0_f64.sqrt());
    }
}
