//! The common part of the radius methods. SURF, SURF*, MultiSURF, MultiSURF* and SWRF* differ in
//! which rows are near and in how far rows count.

use super::Problem;
use super::options::{GENOTYPE_DIFF, METRIC, MISSING, RAMP};
use super::relieff::pair_weights;
use super::shared::{
    MeanMarginSlopes, SampledSpace, classes, regression_ratio, regression_terms, target_differences,
};
use super::steps::{Steps, Variances, WeighedPairs};
use crate::data::{Classes, Column, ColumnKind, Table, Target, target_range};
use crate::differences::{GenotypeDiff, Metric, MissingPolicy, Space, SpaceOptions};
use crate::error::{Error, Result};
use crate::margins::{
    Far, Influencing, MarginSums, SumPlan, influence_variances, margin_sums, row_means,
};
use crate::neighbors::{Grouping, NeighborRule, PairSource, RadiusOf, RadiusRule};
use crate::options::{OptionInfo, OptionKind, choices};
use crate::report::Report;
use crate::run::Run;
use crate::wording::{self, setting};

choices! {
    Compat {
        None = "none",
        Skrebate = "skrebate",
    }
}

/// `compat`: the implementation whose rules a radius method follows.
pub(super) static COMPAT: OptionInfo = OptionInfo {
    name: "compat",
    flag: "compat",
    kind: OptionKind::Choice(Compat::WORDS),
    default: "none",
    help: "Follow scikit-rebate's documented rules for the radius, misses, missing values and mixed \
           data, for comparison",
};

/// How rows beyond the radius count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FarRows {
    /// They do not count.
    Ignored,
    /// By their differences, with the opposite sign of near rows.
    Difference,
    /// By their similarities (one minus the difference): far misses add, far hits subtract.
    Similarity,
}

/// The implementation whose rules a radius method follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Compat {
    /// The rules of this library.
    #[default]
    None,
    /// The documented rules of scikit-rebate (version 0.8.4):
    ///
    /// - The radius of SURF and SURF* is the mean of the complete distance matrix, including the
    ///   distance 0 of every row to itself. It is smaller by a factor of (n - 1) / n.
    /// - All misses of a row have equal weight, whatever their class.
    /// - A feature missing in either row is excluded from the distance, which is divided by the
    ///   number of remaining features. It is also excluded from the row's means, which are taken
    ///   over the remaining pairs. A row in which the feature itself is missing counts as 0.
    /// - If numeric and categorical features are mixed, a numeric difference above the feature's
    ///   standard deviation counts as 1 in the weight (not in the distance).
    /// - For a numeric target, a hit is a row whose target differs by less than the standard
    ///   deviation (with n - 1 degrees of freedom); every other row is a miss.
    ///
    /// Errors of scikit-rebate are not reproduced. Its radius of SURF and SURF* is half as large if
    /// values are missing. In the distances of complete mixed data, a mismatch of categories counts
    /// as features / categorical features. With several classes that have unequal numbers of
    /// misses, it scales by the number of other classes, which gives weights outside [-1, 1]. For a
    /// numeric target of up to ten values, it treats every row as a miss. Columns have their
    /// declared kinds (scikit-rebate treats columns of up to ten values as categorical), and
    /// constant columns count nowhere.
    ///
    /// This mode requires Manhattan distance, no ramp, `missing = ignore` if values are missing,
    /// and `genotype_diff = categorical` if columns are genotypes. SWRF* does not offer it: the far
    /// part of scikit-rebate's SWRF* has one rule for numeric and another for categorical features.
    Skrebate,
}

/// The options of the radius methods.
pub(crate) static OPTIONS: &[&OptionInfo] =
    &[&super::options::N_SAMPLES, &METRIC, &MISSING, &RAMP, &GENOTYPE_DIFF, &COMPAT];

/// The options of a radius method without a scikit-rebate mode: [`OPTIONS`] without [`COMPAT`].
pub(crate) static OWN_OPTIONS: &[&OptionInfo] =
    &[&super::options::N_SAMPLES, &METRIC, &MISSING, &RAMP, &GENOTYPE_DIFF];

/// A radius method: which rows are near, and how far rows count.
pub(crate) struct RadiusMethod {
    /// Name in messages.
    pub(crate) name: &'static str,
    /// The rule for near rows.
    pub(crate) rule: RadiusRule,
    /// How rows beyond the radius count.
    pub(crate) far: FarRows,
}

impl RadiusMethod {
    /// The steps to the weights of a problem's features under the rules of `compat`, with the
    /// samples and the space of `settings`.
    ///
    /// # Errors
    /// One class, a constant target, a number of samples out of range, options in conflict with
    /// `compat`, blocks of features if far rows count by their similarities; [`crate::Error::Cancelled`].
    pub(crate) fn steps<'p>(
        &self,
        problem: &Problem<'p>,
        settings: &SampledSpace,
        compat: Compat,
        report: &mut Report,
        run: &Run,
    ) -> Result<Steps<'p>> {
        let fit = self.fit(problem, settings, compat);
        fit.check(problem)?;
        let sampled = settings.sample(problem.rows(), run, report)?;
        let (target, roles) = (problem.target(), problem.roles());
        if compat == Compat::Skrebate {
            roles.with_covariates(None).refuse(setting("compat", Some("skrebate")))?;
            if target.as_classes().is_none() && target.as_numbers().is_none() {
                return Err(Error::option(
                    COMPAT.name,
                    format!("scikit-rebate has no rule for a target that {}", target.phrase()),
                    format!("remove {}", setting(COMPAT.name, None)),
                ));
            }
            if roles.adjusted().is_some() {
                return Err(Error::option(
                    COMPAT.name,
                    "scikit-rebate has no rule for residuals of classes",
                    format!("remove {}", setting(COMPAT.name, None)),
                ));
            }
        }
        if self.far == FarRows::Similarity && roles.blocks().is_some() {
            return Err(Error::option(
                "blocks",
                format!(
                    "{} counts far rows by their similarities, from which the weight of a block does not follow",
                    wording::method(self.name)
                ),
                format!("use {}", wording::method("multisurf")),
            ));
        }
        let shares = match target.as_classes() {
            Some(classes) => roles.class_priors(classes)?,
            None => Vec::new(),
        };
        let (conditional, grouping) = match target.as_classes() {
            Some(classes) if compat == Compat::None => {
                let (codes, count) = (classes.codes(), classes.len());
                (Some((codes, count)), Grouping::PerClass(codes, count))
            }
            _ => (None, Grouping::All),
        };
        Ok(Steps {
            profile: Vec::new(),
            table: problem.table(),
            sampled,
            conditional,
            space: settings.space,
            grouping,
            rule: NeighborRule::Radius { rule: fit.rule, with_far: fit.with_far() },
            search: None,
            // Under `skrebate`, a weight depends on whether numeric and categorical features are
            // mixed, and so on all columns.
            columns_apart: compat == Compat::None,
            weigh: Box::new(move |space, source, run| {
                let Found { weights, near, plan } =
                    fit.weights(space, source, (target, &shares), run)?;
                Ok(WeighedPairs { weights, nobody_near: near == 0.0, plan })
            }),
            two_classes: (compat == Compat::None).then_some(match self.far {
                FarRows::Similarity => Far::Similarity,
                FarRows::Difference | FarRows::Ignored => Far::Difference,
            }),
            variances: (self.far == FarRows::Ignored).then(|| -> Variances<'_> {
                Box::new(move |space, neighbors, units, run| {
                    let classes = target.as_classes().ok_or_else(no_variances)?;
                    let shares = roles.class_priors(classes)?;
                    let weigh = pair_weights(classes.codes(), &shares);
                    let slopes = MeanMarginSlopes { rows: neighbors.len() };
                    let units = (units, Influencing::Sample);
                    influence_variances(space, neighbors, units, weigh, &slopes, run)
                })
            }),
        })
    }

    /// Refuses problems and options for which intervals of the weights were not shown to cover expected weights.
    ///
    /// # Errors
    /// A numeric target; groups of rows; a mode of `compat`.
    pub(crate) fn check_intervals(&self, problem: &Problem<'_>, compat: Compat) -> Result<()> {
        let own = wording::method(self.name);
        let refuse = |what: String, help: String| Err(Error::option("intervals", what, help));
        if problem.target().as_classes().is_none() {
            return refuse(
                format!("intervals of the weights of {own} are known for classes only"),
                match problem.target().as_numbers() {
                    Some(_) => format!("use {} for a numeric target", wording::method("rrelieff")),
                    None => format!("remove {}", setting("intervals", None)),
                },
            );
        }
        if problem.roles().groups().is_some() {
            return refuse(
                format!("intervals of the weights of {own} are known for independent rows only"),
                format!("use {} for groups of rows", wording::method("relieff")),
            );
        }
        if compat != Compat::None {
            return refuse(
                "scikit-rebate has no intervals".to_string(),
                format!("remove {}", setting(COMPAT.name, None)),
            );
        }
        Ok(())
    }

    fn fit(&self, problem: &Problem<'_>, settings: &SampledSpace, compat: Compat) -> Fit {
        let are_quantiles = problem.roles().adjusted().is_some();
        let rule = match self.rule {
            rule if compat == Compat::Skrebate && rule.of == RadiusOf::Pairs => {
                RadiusRule { of: RadiusOf::Matrix, ..rule }
            }
            rule => rule,
        };
        Fit { method: self.name, rule, far: self.far, compat, space: settings.space, are_quantiles }
    }
}

/// A method with its options.
#[derive(Debug, Clone, Copy)]
struct Fit {
    method: &'static str,
    rule: RadiusRule,
    far: FarRows,
    compat: Compat,
    space: SpaceOptions,
    /// Whether the values of a numeric target are the means of quantile residuals.
    are_quantiles: bool,
}

/// Weights, and how they were computed.
struct Found {
    weights: Vec<f64>,
    /// The total weight of the near pairs.
    near: f64,
    plan: SumPlan,
}

impl Fit {
    /// Refuses problems that the method, or the rules of `compat`, do not support.
    fn check(&self, problem: &Problem<'_>) -> Result<()> {
        if self.compat == Compat::Skrebate {
            self.check_compat(problem.table())?;
        }
        match problem.target().as_classes() {
            Some(_) => classes(problem, self.method).map(drop),
            None => target_differences(problem.target(), self.are_quantiles).map(drop),
        }
    }

    fn with_far(&self) -> bool {
        self.far != FarRows::Ignored
    }

    /// Weights for classes or a numeric target, from the neighbors of the sampled rows; `shares` are the priors of the
    /// classes.
    ///
    /// For classes, a row contributes the mean difference to near misses (per class, weighted by
    /// P(C) / (1 - P(class of the row)); a class without near rows adds 0) minus the mean
    /// difference to near hits, and its far rows as specified by `far`. The weight is the mean over
    /// the sampled rows. For a numeric target, it is RReliefF's ratio over the near rows minus that
    /// over the far rows. Both differ under `compat`, where all neighbors are in one group, as for
    /// a numeric target.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    fn weights(
        &self,
        space: &Space<'_>,
        source: &dyn PairSource,
        (target, shares): (&Target, &[f64]),
        run: &Run,
    ) -> Result<Found> {
        // Far rows need two more sums.
        match (self.compat, target.as_classes(), self.with_far()) {
            (Compat::Skrebate, _, false) => self.as_skrebate::<2>(space, source, target, run),
            (Compat::Skrebate, _, true) => self.as_skrebate::<4>(space, source, target, run),
            (Compat::None, Some(classes), false) => {
                self.classified::<2>(space, source, (classes, shares), run)
            }
            (Compat::None, Some(classes), true) => {
                self.classified::<4>(space, source, (classes, shares), run)
            }
            (Compat::None, None, false) => self.regressed::<2>(space, source, target, run),
            (Compat::None, None, true) => self.regressed::<4>(space, source, target, run),
        }
    }

    /// Sums: near hits and near misses; if far rows count, also far hits and far misses.
    fn classified<const SUMS: usize>(
        &self,
        space: &Space<'_>,
        source: &dyn PairSource,
        (classes, shares): (&Classes, &[f64]),
        run: &Run,
    ) -> Result<Found> {
        let (codes, groups) = (classes.codes(), classes.len());
        let others: Vec<f64> = shares.iter().map(|share| 1.0 / (1.0 - share)).collect();
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
        let sums = margin_sums(space, source, weigh, run)?;
        let difference = |sum: usize, feature| sums.completed(sum, feature);
        let similarity = |sum: usize, feature| sums.totals[sum] - sums.completed(sum, feature);
        let weights = self.margins(space, source.len(), difference, similarity);
        Ok(Found { weights, near: sums.totals[0] + sums.totals[1], plan: sums.plan })
    }

    /// Sums as in `classified`; the rule for the target separates hits from misses.
    fn as_skrebate<const SUMS: usize>(
        &self,
        space: &Space<'_>,
        source: &dyn PairSource,
        target: &Target,
        run: &Run,
    ) -> Result<Found> {
        let is_hit: Box<dyn Fn(u32, u32) -> bool + Sync> = match target.as_classes() {
            Some(classes) => {
                let codes = classes.codes();
                Box::new(move |row, other| codes[row as usize] == codes[other as usize])
            }
            None => {
                let target = target.values("scikit-rebate")?;
                // As fractions of the range, so that the squares cannot overflow.
                let range = target_range(target)?;
                let y: Vec<f64> = target.iter().map(|y| (y - target[0]) / range).collect();
                let rows = y.len() as f64;
                let bound = deviation(&y) * (rows / (rows - 1.0)).sqrt();
                Box::new(move |row, other| (y[row as usize] - y[other as usize]).abs() < bound)
            }
        };
        let weigh = |row: u32, group: usize, neighbor: u32, _: f64| {
            let mut counts = [0.0; SUMS];
            counts[2 * group + usize::from(!is_hit(row, neighbor))] = 1.0;
            counts
        };
        let sums: MarginSums<SUMS> =
            row_means(space, source, &deviations_if_mixed(space), weigh, run)?;
        let difference = |sum: usize, feature: usize| sums.sums[sum][feature];
        let similarity =
            |sum: usize, feature| sums.counted(sum, feature) - difference(sum, feature);
        let weights = self.margins(space, source.len(), difference, similarity);
        Ok(Found { weights, near: sums.totals[0] + sums.totals[1], plan: sums.plan })
    }

    /// Weights from the sums of `classified`: sums of differences, and of similarities (one minus
    /// the difference).
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
        // A constant feature is fully similar everywhere, which carries no information.
        for feature in space.constant_features() {
            weights[feature] = 0.0;
        }
        weights
    }

    /// Refuses options and data for which scikit-rebate has no rule.
    fn check_compat(&self, table: &Table<'_>) -> Result<()> {
        let refuse = |option: &OptionInfo, problem: &str, help: String| {
            Err(Error::option(option.name, problem, help))
        };
        let [compat, metric, ramp] = [&COMPAT, &METRIC, &RAMP].map(|own| setting(own.name, None));
        let (space, columns) = (&self.space, table.columns());
        let any_missing = |column: &Column<'_>| (0..column.len()).any(|r| column.value(r).is_nan());
        if space.metric != Metric::Manhattan {
            return refuse(
                &METRIC,
                "scikit-rebate supports only the Manhattan distance",
                format!("remove {metric} or {compat}"),
            );
        }
        if space.ramp.is_some() {
            return refuse(
                &RAMP,
                "scikit-rebate does not support a ramp",
                format!("remove {ramp} or {compat}"),
            );
        }
        if space.missing != MissingPolicy::Ignore && columns.iter().any(any_missing) {
            return refuse(
                &MISSING,
                "values are missing, which scikit-rebate always ignores",
                format!("add {}, or remove {compat}", setting(MISSING.name, Some("ignore"))),
            );
        }
        let is_genotype = |column: &Column<'_>| column.kind() == ColumnKind::Genotype;
        if space.genotype_diff != GenotypeDiff::Categorical && columns.iter().any(is_genotype) {
            return refuse(
                &GENOTYPE_DIFF,
                "columns are genotypes, which scikit-rebate treats as categories",
                format!(
                    "add {}, or remove {compat}",
                    setting(GENOTYPE_DIFF.name, Some("categorical"))
                ),
            );
        }
        Ok(())
    }

    /// Sums: near rows, near rows times the target's difference, and both again for far rows.
    fn regressed<const SUMS: usize>(
        &self,
        space: &Space<'_>,
        source: &dyn PairSource,
        target: &Target,
        run: &Run,
    ) -> Result<Found> {
        let differences = target_differences(target, self.are_quantiles)?;
        let weigh = |row: u32, group: usize, neighbor: u32, weight: f64| {
            let mut counts = [0.0; SUMS];
            counts[2 * group..2 * group + 2]
                .copy_from_slice(&regression_terms(weight, differences.of(row, neighbor)));
            counts
        };
        let sums: MarginSums<SUMS> = margin_sums(space, source, weigh, run)?;
        // Replacing the difference by one minus the difference only changes the sign of the ratio,
        // so both treatments of far rows coincide for a numeric target.
        let weight = |feature: usize| {
            let near = regression_ratio(&sums, 0, feature);
            if SUMS > 2 { near - regression_ratio(&sums, 2, feature) } else { near }
        };
        let weights = (0..space.width()).map(weight).collect();
        Ok(Found { weights, near: sums.totals[0], plan: sums.plan })
    }
}

fn no_variances() -> Error {
    Error::Internal("the neighbors have no variances of weights".to_string())
}

/// Population standard deviation.
fn deviation(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    (values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / count).sqrt()
}

/// Per feature, the standard deviation of its non-missing values as a fraction of their range;
/// empty unless numeric and categorical features are mixed.
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
        // A difference equal to the deviation is not above it, despite rounding.
        deviations[feature] = deviation(&values) * (1.0 + 1e-12);
    }
    deviations
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Table;
    use crate::methods::method;
    use crate::methods::testing::{classes, numeric, run};

    /// Options in conflict with `compat = skrebate`, each with a part of the message.
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
            ("surf", 0, ("metric", "euclidean"), "option metric"),
            ("surf", 0, ("ramp", "0:0.5"), "option ramp"),
            ("multisurf", 1, ("missing", "expected"), "add `missing=ignore`"),
            ("multisurf*", 2, ("genotype_diff", "additive"), "add `genotype_diff=categorical`"),
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
