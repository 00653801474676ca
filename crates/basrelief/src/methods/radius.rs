//! What the radius methods share: SURF, SURF*, MultiSURF, MultiSURF* and SWRF* differ in who is
//! near and in what far rows count.

use super::shared::{NearestSettings, classes, regression_range, regression_ratio};
use super::{OptionInfo, Problem};
use crate::data::Target;
use crate::error::Result;
use crate::margins::margin_sums;
use crate::neighbors::{Grouping, RadiusNeighbors, RadiusRule, Space};
use crate::report::{Report, Warning};
use crate::run::Run;

/// What rows beyond the radius count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FarRows {
    /// Nothing.
    Ignored,
    /// Their differences, with the opposite sign of near rows.
    Difference,
    /// Their similarities, one less the difference: far misses add, far hits subtract.
    Similarity,
}

/// Declares a radius method: its options struct, `fit`, and its registry entry `INFO`.
macro_rules! radius_method {
    (
        $(#[$doc:meta])*
        $method:ident {
            name: $name:literal,
            near: $rule:ident,
            far: $far:ident,
            purpose: $purpose:literal,
            source: $source:literal,
        }
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Default, PartialEq)]
        pub struct $method {
            /// Samples and space; neighbours are chosen by distance, so the rest has no effect.
            pub nearest: $crate::methods::NearestSettings,
        }

        impl $method {
            /// Fits the weights.
            ///
            /// # Errors
            /// One class, a target with one value only, options out of range;
            /// [`crate::Error::Cancelled`].
            pub fn fit(
                &self,
                problem: &$crate::methods::Problem<'_>,
                run: &$crate::Run,
            ) -> $crate::Result<$crate::Fitted<$crate::maps::FeatureWeights>> {
                INFO.timed(problem, run, |report| self.weights(problem, report, run))
            }

            fn weights(
                &self,
                problem: &$crate::methods::Problem<'_>,
                report: &mut $crate::Report,
                run: &$crate::Run,
            ) -> $crate::Result<Vec<f64>> {
                let rule = $crate::neighbors::RadiusRule::$rule;
                let far = $crate::methods::radius::FarRows::$far;
                $crate::methods::radius::weights(
                    problem, &self.nearest, $name, rule, far, report, run,
                )
            }
        }

        /// Registry entry.
        pub(crate) static INFO: $crate::methods::MethodInfo = $crate::methods::MethodInfo {
            name: $name,
            task: $crate::methods::Task::Any,
            purpose: $purpose,
            source: $source,
            options: $crate::methods::radius::OPTIONS,
            weigh: |problem, settings, report, run| {
                let defaults = $crate::methods::NearestSettings::default();
                let nearest = $crate::methods::NearestSettings::from_settings(settings, defaults)?;
                $method { nearest }.weights(problem, report, run)
            },
        };
    };
}
pub(crate) use radius_method;

/// The options of the radius methods.
pub(crate) static OPTIONS: &[&OptionInfo] = &[
    &super::options::N_SAMPLES,
    &super::options::METRIC,
    &super::options::MISSING,
    &super::options::RAMP,
    &super::options::GENOTYPE_DIFF,
];

/// Weights for classes or a real target.
///
/// Classes: per row, the mean difference to near misses (per class, weighted by P(C) / (1 -
/// P(class of the row)); a class without near rows adds 0) less the mean difference to near hits,
/// and far rows as `far` says; the mean over the sampled rows. A real target: RReliefF's ratio
/// over the near rows, less that over the far rows.
///
/// # Errors
/// One class, a constant target, samples out of range; [`crate::Error::Cancelled`].
pub(crate) fn weights(
    problem: &Problem<'_>,
    settings: &NearestSettings,
    method: &str,
    rule: RadiusRule,
    far: FarRows,
    report: &mut Report,
    run: &Run,
) -> Result<Vec<f64>> {
    let fit = Fit { problem, settings, method, rule, far };
    // Far rows have two sums of their own.
    match (problem.target(), far) {
        (Target::Classes(_), FarRows::Ignored) => fit.classified::<2>(report, run),
        (Target::Classes(_), _) => fit.classified::<4>(report, run),
        (Target::Real(_), FarRows::Ignored) => fit.regressed::<2>(report, run),
        (Target::Real(_), _) => fit.regressed::<4>(report, run),
    }
}

/// What a fit is made from.
struct Fit<'f> {
    problem: &'f Problem<'f>,
    settings: &'f NearestSettings,
    method: &'f str,
    rule: RadiusRule,
    far: FarRows,
}

impl Fit<'_> {
    /// Sums: near hits, near misses, and where far rows count far hits, far misses.
    fn classified<const SUMS: usize>(&self, report: &mut Report, run: &Run) -> Result<Vec<f64>> {
        let classes = classes(self.problem, self.method)?;
        let sampled = self.settings.sample(self.problem.rows(), run, report)?;
        let codes = classes.codes();
        let conditional = Some((codes, classes.len()));
        let space = Space::new(self.problem.table(), conditional, self.settings.space, run)?;
        let grouping = Grouping::PerClass(codes, classes.len());
        let with_far = SUMS > 2;
        let source = RadiusNeighbors::new(&space, &sampled, grouping, self.rule, with_far, run)?;
        let shares = classes.shares();
        let groups = source.groups();
        let weigh = |row: u32, group: usize, _: u32, weight: f64| {
            let own = codes[row as usize] as usize;
            let (part, class) = (group / groups, group % groups);
            let mut counts = [0.0; SUMS];
            if class == own {
                counts[2 * part] = weight;
            } else {
                counts[2 * part + 1] = weight * shares[class] / (1.0 - shares[own]);
            }
            counts
        };
        let sums = margin_sums(&space, &source, weigh, run)?;
        warn_of_nobody(sums.totals[0] + sums.totals[1], report);
        // One less the difference in place of the difference.
        let similarity = |sum: usize, feature| sums.totals[sum] - sums.completed(sum, feature);
        let weight = |feature: usize| {
            let near = sums.completed(1, feature) - sums.completed(0, feature);
            let beyond = match self.far {
                FarRows::Ignored => 0.0,
                FarRows::Difference => sums.completed(2, feature) - sums.completed(3, feature),
                FarRows::Similarity => similarity(3, feature) - similarity(2, feature),
            };
            (near + beyond) / sampled.len() as f64
        };
        let mut weights: Vec<f64> = (0..space.width()).map(weight).collect();
        // A feature that never differs is fully similar everywhere, which tells nothing.
        for feature in space.inert() {
            weights[feature] = 0.0;
        }
        Ok(weights)
    }

    /// Sums: near rows, near rows times the target's difference, and the same of far rows.
    fn regressed<const SUMS: usize>(&self, report: &mut Report, run: &Run) -> Result<Vec<f64>> {
        let target = self.problem.target().values(self.method)?;
        let range = regression_range(target)?;
        let sampled = self.settings.sample(self.problem.rows(), run, report)?;
        let space = Space::new(self.problem.table(), None, self.settings.space, run)?;
        let with_far = SUMS > 2;
        let source =
            RadiusNeighbors::new(&space, &sampled, Grouping::All, self.rule, with_far, run)?;
        let weigh = |row: u32, group: usize, neighbor: u32, weight: f64| {
            let difference = (target[row as usize] - target[neighbor as usize]).abs() / range;
            let mut counts = [0.0; SUMS];
            counts[2 * group] = weight;
            counts[2 * group + 1] = weight * difference;
            counts
        };
        let sums = margin_sums(&space, &source, weigh, run)?;
        warn_of_nobody(sums.totals[0], report);
        // One less the difference in place of the difference only turns the sign of the ratio,
        // so that both treatments of far rows are one for a real target.
        let weight = |feature: usize| {
            let near = regression_ratio(&sums, 0, feature);
            if with_far { near - regression_ratio(&sums, 2, feature) } else { near }
        };
        Ok((0..space.width()).map(weight).collect())
    }
}

fn warn_of_nobody(near: f64, report: &mut Report) {
    if near == 0.0 {
        report.warnings.push(Warning::new(
            "no-near-rows",
            "no row has another within its radius (all distances are equal): near rows count \
             nothing",
        ));
    }
}
