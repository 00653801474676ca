//! Kernel forms: any method that learns from coordinates, in a basis of a kernel's space.

use super::learn::{Directions, Frame, Learn, Learned, MapSettings, Order, learn};
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

/// Widths that cross-validation tries, in medians: the nearer to 1 the earlier, so that of equal
/// errors the nearest to the median wins, and of these the greater.
const GRID: [f64; 7] = [1.0, 2.0, 0.5, 4.0, 0.25, 8.0, 0.125];

/// Parts that the rows are dealt into for cross-validation.
const FOLDS: usize = 10;

/// Matrices of rows x dimensions that a fit in a kernel's space holds, roughly.
const FIT_MATRICES: usize = 8;

/// The share of the greatest eigenvalue up to which dimensions may be left out of a space that still counts as whole.
const MOST_LEFT_OUT: f64 = 1e-8;

/// What a map in a kernel's space is learned from: centered and scaled rows.
pub(super) struct KernelSpace<'a> {
    pub(super) method: &'a dyn Learn,
    pub(super) rows: &'a DenseMatrix,
    /// The classes that the method needs.
    pub(super) needed: Option<&'a Classes>,
    /// The classes that cross-validation needs.
    pub(super) classes: Option<&'a Classes>,
}

impl KernelSpace<'_> {
    /// Fits the map, once the kernel's width is found; `origin` is what was subtracted from the
    /// features and what they were then divided by.
    ///
    /// # Errors
    /// No two rows differ, cross-validation without enough classes, or as the method.
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

    /// The rows in the basis that the settings ask for.
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

    /// The most dimensions of the kernel's space that are of use.
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
                format!("all rows are alike to the kernel {kernel}"),
                "give rows that differ, or another kernel or rho",
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

    /// The kernel whose width is the median distance of the rows.
    fn median(&self, kernel: Kernel, report: &mut Report, run: &Run) -> Result<Kernel> {
        let found = kernel.median_distance(self.rows, run.seed());
        let (median, sampled) = found.ok_or_else(|| {
            Error::data(
                "no two rows differ: there is no median distance",
                "give rows that differ, or rho as a number",
            )
        })?;
        if sampled < self.rows.rows() {
            report.warnings.push(Warning::new(
                "sampled-median",
                format!(
                    "rho is from the median distance of {sampled} of the {} rows, drawn by the seed",
                    self.rows.rows()
                ),
            ));
        }
        Ok(kernel.with_rho(median))
    }

    /// The kernel whose width, among some around the median, has the least error of the nearest
    /// neighbor after the map, in stratified cross-validation inside the rows.
    ///
    /// A width with which the method cannot be fitted to some part counts as wrong there.
    fn cross_validated(
        &self,
        kernel: Kernel,
        settings: &MapSettings,
        report: &mut Report,
        run: &Run,
    ) -> Result<Kernel> {
        let refuse = |problem: &str| {
            Error::option(KERNEL.name, problem, "give rho=median or rho as a number")
        };
        let classes = self.classes.ok_or_else(|| refuse("rho=cv needs classes"))?;
        if classes.counts().iter().any(|&count| count < 2) {
            return Err(refuse("rho=cv needs at least two rows of every class"));
        }
        let center = self.median(kernel, report, run)?;
        let median = center.rho().ok_or_else(|| refuse("this kernel has no rho"))?;
        let folds = deal(&Target::Classes(classes.clone()), FOLDS, run.seed());
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

    /// How many fits of cross-validation are made side by side: as many as there are threads, where memory has room.
    fn at_once(&self, settings: &MapSettings, run: &Run) -> usize {
        let rows = self.rows.rows();
        let columns = settings.max_rank.map_or(rows, |rank| rank.min(rows));
        let bytes = (8 * FIT_MATRICES * rows * columns) as u64;
        (1..=run.threads())
            .rev()
            .find(|&count| run.memory().holds(count as u64 * bytes))
            .unwrap_or(1)
    }

    /// Whether any basis of the kernel's space does for a map that only has to tell near rows from far ones.
    fn takes_any_basis(&self, kernel: Kernel, settings: &MapSettings) -> bool {
        self.method.frame() == Frame::Either
            && !self.method.takes_principal_coordinates()
            && settings.max_rank.is_none()
            && settings.rank_tolerance <= MOST_LEFT_OUT
            && kernel.is_semidefinite()
    }

    /// Rows of a part whose nearest row of the other parts, after a map fitted to these, is of
    /// another class.
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
            needed: self.needed.map(|_| &own),
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
        // As the map would place them, without the work of composing it.
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
