//! What the radius methods share: SURF, SURF*, MultiSURF, MultiSURF* and SWRF* differ in who is
//! near and in what far rows count.

use super::Problem;
use super::options::{GENOTYPE_DIFF, METRIC, MISSING, RAMP};
use super::shared::{SampledSpace, classes, regression_range, regression_ratio};
use crate::data::{Column, ColumnKind, Target};
use crate::error::{Error, Result};
use crate::margins::{MarginSums, SumPlan, margin_sums, row_means};
use crate::neighbors::{
    GenotypeDiff, Grouping, Metric, MissingPolicy, RadiusNeighbors, RadiusRule, Space,
};
use crate::options::{OptionInfo, OptionKind, choices};
use crate::report::{Plan, Report};
use crate::run::Run;
use crate::warning::Warning;

choices! {
    Compat {
        None = "none",
        Skrebate = "skrebate",
    }
}

/// `compat`: whose rules a radius method follows.
pub(super) static COMPAT: OptionInfo = OptionInfo {
    name: "compat",
    flag: "compat",
    kind: OptionKind::Choice(Compat::WORDS),
    default: "none",
    help: "Follow the documented rules of scikit-rebate in radius, misses, missing values and mixed \
           data, to compare with it",
};

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

/// Whose rules a radius method follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Compat {
    /// Those of this library.
    #[default]
    None,
    /// Those of scikit-rebate (version 0.8.4), as it documents them:
    ///
    /// - SURF's and SURF*'s radius is the mean over the whole matrix of distances, every row's 0 to
    ///   itself included, so smaller by (n - 1) / n;
    /// - a row's misses of all classes together have equal weight;
    /// - a feature missing in either row is left out of the distance, which is divided by the
    ///   number of features left, and of the row's means, which are over the pairs left; a row
    ///   that misses the feature itself counts 0;
    /// - where numbers and categories are mixed, a number that differs by more than the feature's
    ///   standard deviation counts 1 in the weight (not in the distance);
    /// - for a real target, a hit is a row whose target differs by less than the standard deviation
    ///   (of n - 1 degrees of freedom), everyone else a miss.
    ///
    /// What scikit-rebate computes by mistake is not repeated: half the radius of SURF and SURF*
    /// where a value is missing; a mismatch of categories counting features / categorical features
    /// in the distances of complete mixed data; several classes scaled by the number of other
    /// classes where they have unequal numbers of misses, which leads out of [-1, 1]; a real target
    /// of up to ten values, of which every row is a miss. Columns are what they were declared to be
    /// (it takes columns of up to ten values as categories), and constant ones count nowhere.
    ///
    /// It needs Manhattan distance, no ramp, `missing = ignore` where values are missing and
    /// `genotype_diff = categorical` where columns are genotypes. SWRF* has no such form: its far
    /// part there is one thing for numbers and another for categories.
    Skrebate,
}

/// The options of the radius methods.
pub(crate) static OPTIONS: &[&OptionInfo] =
    &[&super::options::N_SAMPLES, &METRIC, &MISSING, &RAMP, &GENOTYPE_DIFF, &COMPAT];

/// A radius method: who is near, and what far rows count.
pub(crate) struct RadiusMethod {
    /// Name in messages.
    pub(crate) name: &'static str,
    /// Which rows are near.
    pub(crate) rule: RadiusRule,
    /// What rows beyond the radius count.
    pub(crate) far: FarRows,
}

impl RadiusMethod {
    /// The weights of a problem's features, by the rules of `compat`; with the samples and
    /// the space of `settings`.
    ///
    /// # Errors
    /// As [`Fit::weights`].
    pub(crate) fn weights(
        &self,
        problem: &Problem<'_>,
        settings: &SampledSpace,
        compat: Compat,
        report: &mut Report,
        run: &Run,
    ) -> Result<Vec<f64>> {
        let fit =
            Fit { problem, settings, method: self.name, rule: self.rule, far: self.far, compat };
        fit.weights(report, run)
    }
}

/// What a fit is made from.
struct Fit<'f> {
    problem: &'f Problem<'f>,
    settings: &'f SampledSpace,
    method: &'f str,
    rule: RadiusRule,
    far: FarRows,
    compat: Compat,
}

impl Fit<'_> {
    /// Weights for classes or a real target.
    ///
    /// Classes: per row, the mean difference to near misses (per class, weighted by P(C) / (1 -
    /// P(class of the row)); a class without near rows adds 0) less the mean difference to near
    /// hits, and far rows as `far` says; the mean over the sampled rows. A real target: RReliefF's
    /// ratio over the near rows, less that over the far rows. Both otherwise under `compat`.
    ///
    /// # Errors
    /// One class, a constant target, samples out of range, options against `compat`;
    /// [`crate::Error::Cancelled`].
    fn weights(&self, report: &mut Report, run: &Run) -> Result<Vec<f64>> {
        // Far rows have two sums of their own.
        match (self.compat, self.problem.target(), self.far) {
            (Compat::Skrebate, _, FarRows::Ignored) => self.as_skrebate::<2>(report, run),
            (Compat::Skrebate, _, _) => self.as_skrebate::<4>(report, run),
            (Compat::None, Target::Classes(_), FarRows::Ignored) => {
                self.classified::<2>(report, run)
            }
            (Compat::None, Target::Classes(_), _) => self.classified::<4>(report, run),
            (Compat::None, Target::Real(_), FarRows::Ignored) => self.regressed::<2>(report, run),
            (Compat::None, Target::Real(_), _) => self.regressed::<4>(report, run),
        }
    }

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
        let others: Vec<f64> = shares.iter().map(|share| 1.0 / (1.0 - share)).collect();
        let groups = source.groups();
        let weigh = |row: u32, group: usize, _: u32, weight: f64| {
            let own = codes[row as usize] as usize;
            let part = usize::from(group >= groups);
            let class = group - part * groups;
            let mut counts = [0.0; SUMS];
            if class == own {
                counts[2 * part] = weight;
            } else {
                counts[2 * part + 1] = weight * shares[class] * others[own];
            }
            counts
        };
        let sums = margin_sums(&space, &source, weigh, run)?;
        tell_plan(&source, &sums.plan, report);
        warn_of_nobody(sums.totals[0] + sums.totals[1], report);
        let difference = |sum: usize, feature| sums.completed(sum, feature);
        let similarity = |sum: usize, feature| sums.totals[sum] - sums.completed(sum, feature);
        Ok(self.margins(&space, sampled.len(), difference, similarity))
    }

    /// Sums as for classes; hits are told from misses by the rule for the target.
    fn as_skrebate<const SUMS: usize>(&self, report: &mut Report, run: &Run) -> Result<Vec<f64>> {
        self.check_compat()?;
        let sampled = self.settings.sample(self.problem.rows(), run, report)?;
        let is_hit: Box<dyn Fn(u32, u32) -> bool + Sync> = match self.problem.target() {
            Target::Classes(_) => {
                let codes = classes(self.problem, self.method)?.codes();
                Box::new(move |row, other| codes[row as usize] == codes[other as usize])
            }
            Target::Real(target) => {
                // In shares of the range, whose squares cannot overflow.
                let range = regression_range(target)?;
                let y: Vec<f64> = target.iter().map(|y| (y - target[0]) / range).collect();
                let rows = y.len() as f64;
                let bound = deviation(&y) * (rows / (rows - 1.0)).sqrt();
                Box::new(move |row, other| (y[row as usize] - y[other as usize]).abs() < bound)
            }
        };
        let space = Space::new(self.problem.table(), None, self.settings.space, run)?;
        let rule = match self.rule {
            RadiusRule::MeanOfPairs => RadiusRule::MeanOfMatrix,
            rule => rule,
        };
        let with_far = SUMS > 2;
        let source = RadiusNeighbors::new(&space, &sampled, Grouping::All, rule, with_far, run)?;
        let weigh = |row: u32, group: usize, neighbor: u32, _: f64| {
            let mut counts = [0.0; SUMS];
            counts[2 * group + usize::from(!is_hit(row, neighbor))] = 1.0;
            counts
        };
        let sums: MarginSums<SUMS> =
            row_means(&space, &source, &deviations_if_mixed(&space), weigh, run)?;
        tell_plan(&source, &sums.plan, report);
        warn_of_nobody(sums.totals[0] + sums.totals[1], report);
        let difference = |sum: usize, feature: usize| sums.sums[sum][feature];
        let similarity =
            |sum: usize, feature| sums.counted(sum, feature) - difference(sum, feature);
        Ok(self.margins(&space, sampled.len(), difference, similarity))
    }

    /// Weights from the sums of [`Self::classified`]: of differences, and of similarities (one
    /// less the difference in place of the difference).
    fn margins(
        &self,
        space: &Space<'_>,
        sampled: usize,
        difference: impl Fn(usize, usize) -> f64,
        similarity: impl Fn(usize, usize) -> f64,
    ) -> Vec<f64> {
        let weight = |feature: usize| {
            let near = difference(1, feature) - difference(0, feature);
            let beyond = match self.far {
                FarRows::Ignored => 0.0,
                FarRows::Difference => difference(2, feature) - difference(3, feature),
                FarRows::Similarity => similarity(3, feature) - similarity(2, feature),
            };
            (near + beyond) / sampled as f64
        };
        let mut weights: Vec<f64> = (0..space.width()).map(weight).collect();
        // A feature that never differs is fully similar everywhere, which tells nothing.
        for feature in space.constant_features() {
            weights[feature] = 0.0;
        }
        weights
    }

    /// Refuses what scikit-rebate has no rule for.
    fn check_compat(&self) -> Result<()> {
        let refuse = |option: &OptionInfo, problem: &str, help: &str| {
            Err(Error::option(option.name, problem, help))
        };
        let (space, columns) = (&self.settings.space, self.problem.table().columns());
        let any_missing = |column: &Column<'_>| (0..column.len()).any(|r| column.value(r).is_nan());
        if self.rule == RadiusRule::Sigmoid {
            return refuse(
                &COMPAT,
                "swrf* has no form of skrebate's that could be repeated",
                "leave compat out, or use surf, surf*, multisurf or multisurf*",
            );
        }
        if space.metric != Metric::Manhattan {
            return refuse(
                &METRIC,
                "skrebate's distance is manhattan",
                "leave metric out, or compat",
            );
        }
        if space.ramp.is_some() {
            return refuse(&RAMP, "skrebate has no such ramp", "leave ramp out, or compat");
        }
        if space.missing != MissingPolicy::Ignore && columns.iter().any(any_missing) {
            return refuse(
                &MISSING,
                "values are missing, and skrebate leaves them out",
                "add missing = ignore, or leave compat out",
            );
        }
        let is_genotype = |column: &Column<'_>| column.kind() == ColumnKind::Genotype;
        if space.genotype_diff != GenotypeDiff::Categorical && columns.iter().any(is_genotype) {
            return refuse(
                &GENOTYPE_DIFF,
                "columns are genotypes, which are categories to skrebate",
                "add genotype_diff = categorical, or leave compat out",
            );
        }
        Ok(())
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
        tell_plan(&source, &sums.plan, report);
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

/// Population standard deviation.
fn deviation(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    (values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / count).sqrt()
}

/// Per feature, the standard deviation of its known values as a share of their range; empty unless
/// numbers and categories are mixed.
fn deviations_if_mixed(space: &Space<'_>) -> Vec<f64> {
    let columns = space.table().columns();
    let mut varies = vec![true; columns.len()];
    space.constant_features().for_each(|feature| varies[feature] = false);
    let is_number = |feature: usize| columns[feature].kind() == ColumnKind::Numeric;
    let varying = || (0..columns.len()).filter(|&feature| varies[feature]);
    if !(varying().any(is_number) && varying().any(|feature| !is_number(feature))) {
        return Vec::new();
    }
    let mut deviations = vec![f64::INFINITY; columns.len()];
    for feature in varying().filter(|&feature| is_number(feature)) {
        let mut values = Vec::new();
        space.copy_scaled(feature, &mut values);
        values.retain(|value| !value.is_nan());
        // A difference of exactly the deviation is not beyond it, whatever rounding says.
        deviations[feature] = deviation(&values) * (1.0 + 1e-12);
    }
    deviations
}

/// Says in the report how neighbors were sought and differences added up.
fn tell_plan(source: &RadiusNeighbors<'_, '_>, sums: &SumPlan, report: &mut Report) {
    report.plan = Plan { search: Some(source.plan().clone()), sums: Some(sums.clone()) };
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Table;
    use crate::methods::method;
    use crate::methods::testing::{classes, numeric, run};

    /// Options of `compat = skrebate` that it cannot follow, each with what the message says.
    #[test]
    fn compat_refuses_what_skrebate_has_no_rule_for() {
        let x = [0.0, 1.0, 2.0, 6.0];
        let genotypes = Column::genotype("g", vec![0_u8, 1, 2, 0].into()).unwrap();
        let tables = [
            Table::new(vec![numeric("x", &x)]).unwrap(),
            Table::new(vec![numeric("x", &[0.0, f64::NAN, 2.0, 6.0])]).unwrap(),
            Table::new(vec![genotypes]).unwrap(),
        ];
        let target = classes(&[0, 0, 1, 1]);
        let cases = [
            ("swrf*", 0, ("missing", "ignore"), "swrf*"),
            ("surf", 0, ("metric", "euclidean"), "option metric"),
            ("surf", 0, ("ramp", "0:0.5"), "option ramp"),
            ("multisurf", 1, ("missing", "expected"), "add missing = ignore"),
            ("multisurf*", 2, ("genotype_diff", "additive"), "add genotype_diff = categorical"),
        ];
        for (name, table, given, part) in cases {
            let info = method(name).unwrap();
            let given = [given, ("compat", "skrebate")];
            let problem = Problem::new(&tables[table], &target).unwrap();
            let settings = info.settings(&given).unwrap();
            let error = info.fit(&problem, &settings, &run(1)).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
