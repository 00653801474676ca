//! Kernel versions of methods: any method that learns from coordinates, in a basis of a kernel space.

use super::learn::{Directions, Frame, Learn, Learned, MapSettings, Order, Supervision, learn};
use super::least_cost::{Trial, least_cost};
use super::options::KERNEL;
use crate::algebra::row_products;
use crate::data::{Classes, DenseMatrix, Target, deal};
use crate::differences::Metric;
use crate::error::{Error, Result};
use crate::knn::ExactKnn;
use crate::maps::KernelMap;
use crate::report::Report;
use crate::run::Run;
use crate::solve::basis::{Basis, Embedding, Limits, embed_anyhow};
use crate::solve::{Kernel, KernelChoice, Width};
use crate::warning::Warning;

/// Kernel widths that cross-validation tries, in multiples of the median distance. Widths nearer to 1 come first, so
/// that among widths of equal error the one nearest to the median is chosen, and among these the larger one.
const GRID: [f64; 7] = [1.0, 2.0, 0.5, 4.0, 0.25, 8.0, 0.125];

/// Number of cross-validation folds.
const FOLDS: usize = 10;

/// Approximate number of matrices (rows x dimensions) that a fit in a kernel space holds in memory.
const FIT_MATRICES: usize = 8;

/// Largest rank tolerance, relative to the largest eigenvalue, for which the space still counts as complete.
const MOST_LEFT_OUT: f64 = 1e-8;

/// The inputs of a map in a kernel space: a method, and centered and scaled rows.
pub(super) struct KernelSpace<'a> {
    pub(super) method: &'a dyn Learn,
    pub(super) rows: &'a DenseMatrix,
    /// The classes that the method needs.
    pub(super) needed: Supervision<'a>,
    /// The classes that cross-validation needs.
    pub(super) classes: Option<&'a Classes>,
}

impl KernelSpace<'_> {
    /// Determines the kernel width and fits the map. `origin` contains the means that were subtracted from the
    /// features, and the units by which these were then divided.
    ///
    /// # Errors
    /// No two rows differ; cross-validation without enough classes; the errors of the method.
    pub(super) fn fit(
        &self,
        choice: KernelChoice,
        names: Vec<String>,
        origin: (Vec<f64>, Vec<f64>),
        settings: &MapSettings,
        report: &mut Report,
        run: &Run,
    ) -> Result<KernelMap> {
        let kernel = match choice.width {
            Width::Given => choice.kernel,
            Width::Median => self.median(choice.kernel, report, run)?,
            Width::CrossValidation => self.cross_validated(choice.kernel, settings, report, run)?,
        };
        report.kernel = Some(kernel);
        let embedding = self.embed(kernel, settings, report, run)?;
        let found = self.learn_in(&embedding, kernel, settings, report, run)?;
        let Directions { matrix, eigenvalues, discriminant_power } = found;
        let basis = self.rows.select_rows(&embedding.rows);
        let linear = embedding.compose(&matrix, run)?;
        Ok(KernelMap::new(names, origin, kernel, basis, linear, eigenvalues, discriminant_power))
    }

    /// Returns the rows in the requested basis.
    fn embed(
        &self,
        kernel: Kernel,
        settings: &MapSettings,
        report: &mut Report,
        run: &Run,
    ) -> Result<Embedding> {
        let limits = Limits { rank: self.rank(settings), tolerance: settings.rank_tolerance };
        settings.basis.embed(kernel, self.rows, limits, &mut report.warnings, run)
    }

    /// The maximum number of dimensions of the kernel space that are needed; `None` for all.
    fn rank(&self, settings: &MapSettings) -> Option<usize> {
        let enough = settings
            .n_components
            .filter(|_| settings.basis == Basis::Kpca && self.method.takes_principal_coordinates());
        settings.max_rank.into_iter().chain(enough).min()
    }

    /// Learns directions in the coordinates of a basis.
    fn learn_in(
        &self,
        embedding: &Embedding,
        kernel: Kernel,
        settings: &MapSettings,
        report: &mut Report,
        run: &Run,
    ) -> Result<Directions> {
        if embedding.offset.is_empty() {
            return Err(Error::data(
                format!("all rows are identical under the kernel {kernel}"),
                "provide rows that differ, or use another kernel or rho",
            ));
        }
        let coordinates = embedding.coordinates.clone();
        let is_whole = self.rank(settings).is_none_or(|rank| coordinates.columns() < rank);
        let metric =
            kernel.metric().filter(|_| is_whole && settings.rank_tolerance <= MOST_LEFT_OUT);
        let order = metric.map(|metric| Order { rows: self.rows, metric });
        let origin = Learned::Kernel { order, independent: embedding.independent };
        learn(self.method, coordinates, origin, self.needed, settings, report, run)
    }

    /// Returns the kernel whose width is the median distance between rows.
    fn median(&self, kernel: Kernel, report: &mut Report, run: &Run) -> Result<Kernel> {
        let found = kernel.median_distance(self.rows, run.seed());
        let (median, sampled) = found.ok_or_else(|| {
            Error::data(
                "no two rows differ, so that the median distance is undefined",
                "provide rows that differ, or set rho to a number",
            )
        })?;
        if sampled < self.rows.rows() {
            report.warnings.push(Warning::new(
                "sampled-median",
                format!(
                    "rho is based on the median distance of {sampled} of the {} rows, drawn by the seed",
                    self.rows.rows()
                ),
            ));
        }
        Ok(kernel.with_rho(median))
    }

    /// Returns the kernel whose width, among the multiples of the median in [`GRID`], has the smallest
    /// nearest-neighbor error after the map, in stratified cross-validation within the rows.
    ///
    /// If the method cannot be fitted with a width in some fold, all rows of that fold count as errors.
    fn cross_validated(
        &self,
        kernel: Kernel,
        settings: &MapSettings,
        report: &mut Report,
        run: &Run,
    ) -> Result<Kernel> {
        let refuse = |problem: &str| {
            Error::option(KERNEL.name, problem, "use rho=median, or set rho to a number")
        };
        let classes = self.classes.ok_or_else(|| refuse("rho=cv needs classes"))?;
        if classes.counts().iter().any(|&count| count < 2) {
            return Err(refuse("rho=cv needs at least two rows of every class"));
        }
        let center = self.median(kernel, report, run)?;
        let median = center.rho().ok_or_else(|| refuse("this kernel has no rho"))?;
        let folds = deal(&Target::Classes(classes.clone()), None, FOLDS, run.seed());
        let parts = folds.iter().max().map_or(0, |last| last + 1);
        let progress = run.progress();
        progress.start("kernel width", (GRID.len() * parts) as u64);
        let inner = run.part(run.seed());
        let candidate = |choice: usize| kernel.with_rho(GRID[choice] * median);
        let at_once = self.at_once(settings, run);
        let best = least_cost((GRID.len(), parts), at_once, progress, |choice, part| {
            run.check()?;
            match self.errors(candidate(choice), classes, &folds, part, settings, &inner) {
                Ok(cost) => Ok(Trial { cost, obstacle: None }),
                Err(error @ (Error::Data(_) | Error::Option { .. })) => {
                    let cost = folds.iter().filter(|&&fold| fold == part).count();
                    Ok(Trial { cost, obstacle: Some(error) })
                }
                Err(error) => Err(error),
            }
        })?;
        progress.finish();
        Ok(candidate(best))
    }

    /// The number of cross-validation fits that run in parallel: at most one per thread, as far as memory allows.
    fn at_once(&self, settings: &MapSettings, run: &Run) -> usize {
        let rows = self.rows.rows();
        let columns = settings.max_rank.map_or(rows, |rank| rank.min(rows));
        let bytes = (8 * FIT_MATRICES * rows * columns) as u64;
        (1..=run.threads())
            .rev()
            .find(|&count| run.memory().holds(count as u64 * bytes))
            .unwrap_or(1)
    }

    /// Whether the nearest rows after the map do not depend on the basis of the kernel space, so that
    /// cross-validation can use the fastest basis.
    fn takes_any_basis(&self, kernel: Kernel, settings: &MapSettings) -> bool {
        self.method.frame() == Frame::Either
            && !self.method.takes_principal_coordinates()
            && settings.max_rank.is_none()
            && settings.rank_tolerance <= MOST_LEFT_OUT
            && kernel.is_semidefinite()
    }

    /// Returns the number of rows of a fold whose nearest row in the other folds, after a map fitted to these, is
    /// of another class.
    fn errors(
        &self,
        kernel: Kernel,
        classes: &Classes,
        folds: &[usize],
        part: usize,
        settings: &MapSettings,
        run: &Run,
    ) -> Result<usize> {
        let (held, kept): (Vec<usize>, Vec<usize>) =
            (0..self.rows.rows()).partition(|&row| folds[row] == part);
        let codes: Vec<u32> = kept.iter().map(|&row| classes.codes()[row]).collect();
        let own = Classes::from_codes(&codes, classes.names())?;
        let rows = self.rows.select_rows(&kept);
        let space = KernelSpace {
            method: self.method,
            rows: &rows,
            // Cross-validation requires classes, so that a method for numbers does not get here.
            needed: match self.needed {
                Supervision::Classes(_) => Supervision::Classes(&own),
                _ => Supervision::Unsupervised,
            },
            classes: None,
        };
        let mut report = Report::default();
        let embedding = if self.takes_any_basis(kernel, settings) {
            embed_anyhow(kernel, &rows, settings.rank_tolerance, &mut Vec::new(), run)?
        } else {
            space.embed(kernel, settings, &mut report, run)?
        };
        let Directions { matrix, .. } =
            space.learn_in(&embedding, kernel, settings, &mut report, run)?;
        // The positions that the composed map would give, without composing it.
        let basis = rows.select_rows(&embedding.rows);
        let placed = embedding.place(&kernel.matrix(&self.rows.select_rows(&held), &basis), run)?;
        let known = row_products(&embedding.coordinates, &matrix, run)?;
        let sought = row_products(&placed, &matrix, run)?;
        let nearest = ExactKnn::new(&known, Metric::Euclidean).nearest(&sought, 1, run)?;
        let is_wrong = |(place, row): &(usize, &usize)| {
            codes[nearest.neighbors(*place).0[0] as usize] != classes.codes()[**row]
        };
        Ok(held.iter().enumerate().filter(is_wrong).count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_prefers_what_is_near_the_median() {
        let away: Vec<f64> = GRID.iter().map(|share| share.log2().abs()).collect();
        assert!(away.is_sorted());
    }
}
