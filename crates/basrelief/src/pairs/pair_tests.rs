//! Interaction tests of all pairs of many features; the strongest pairs are retained.

use super::adjusted_ratio::{AdjustedRatio, ClassesAndCovariates, nothing_to_test};
use super::chosen::chosen;
use super::class_planes::{ClassPlanes, LevelColumns, PairTables};
use super::covariate_columns::CovariateColumns;
use super::likelihood_ratio::{LikelihoodRatio, TableFacts, logarithms};
use super::pair_measure::PairMeasure;
use super::product_term::ProductTerm;
use super::scan::{FEATURES_OF_BLOCK, FEATURES_OF_SMALL_BLOCK, scan};
use super::strongest::{Found, Tally, q_values};
use crate::data::{Classes, Covariates, Roles, Table, Target};
use crate::error::{Error, Result};
use crate::evaluate::{chi_squared_log10_tail, chi_squared_tail, f_log10_tail, f_tail};
use crate::inference::Permutations;
use crate::parallel;
use crate::run::Run;
use crate::wording::{setting, ways};

/// The number of strongest pairs whose p-values are retained for the false discovery rates if fewer pairs are
/// requested.
const KNOWN_PAIRS: usize = 100_000;

/// Maximum number of permutations of a numeric target per block, and of bytes of these targets.
const MOST_PERMUTATIONS: u64 = 128;
const BLOCK_BYTES: u64 = 1 << 26;

/// The name of the test in messages.
const TEST: &str = "the test of pairs";

/// P-values with a smaller relative difference count as equal, so that the order of summation does not matter.
const TIED: f64 = 1e-9;

/// The statistic by which a pair is tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairStatistic {
    /// For classes: the likelihood ratio, chi-squared.
    LikelihoodRatio,
    /// For a numeric target: F of the product term.
    ProductTerm,
}

impl PairStatistic {
    /// The name: `likelihood ratio` or `F of the product term`.
    pub fn name(self) -> &'static str {
        match self {
            PairStatistic::LikelihoodRatio => "likelihood ratio",
            PairStatistic::ProductTerm => "F of the product term",
        }
    }
}

/// The test of one pair of features.
#[derive(Debug, Clone, PartialEq)]
pub struct TestedPair {
    /// Position of the first feature in [`PairTests::features`].
    pub first: usize,
    /// Position of the second feature, larger than that of the first.
    pub second: usize,
    /// The statistic, chi-squared or F.
    pub statistic: f64,
    /// Its degrees of freedom.
    pub degrees: usize,
    /// For F, the residual degrees of freedom.
    pub residual: Option<usize>,
    /// The probability of such a statistic if the features do not interact, by the distribution of the statistic for
    /// independent rows, so that it is valid only for these.
    nominal: f64,
    /// The p-values that assume independent and comparable rows; `None` with groups of rows or strata.
    pub parametric: Option<Parametric>,
    /// The fraction of permutations of the target, including the observed order, in which the strongest of all pairs
    /// is as strong or stronger; `None` before [`adjust`](PairTests::adjust).
    pub adjusted: Option<f64>,
    /// For classes, the interaction information in bits, from the raw counts, without correction. It is not adjusted for
    /// covariates.
    pub interaction_information: Option<f64>,
    /// The number of rows in which both features are known; others are excluded.
    pub rows: usize,
}

impl TestedPair {
    /// The decimal logarithm of the p-value, even if the p-value underflows to 0 in double precision; minus infinity
    /// for an infinite statistic. `None` with groups of rows or strata.
    pub fn log10_p(&self) -> Option<f64> {
        self.parametric?;
        Some(match self.residual {
            Some(residual) => f_log10_tail(self.statistic, self.degrees, residual),
            None => chi_squared_log10_tail(self.statistic, self.degrees),
        })
    }
}

/// P-values of a pair by the distribution of the statistic (chi-squared or F), which assumes independent rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parametric {
    /// The probability of such a statistic if the features do not interact.
    pub p_value: f64,
    /// The p-value times the number of pairs that were tested, at most 1.
    pub bonferroni: f64,
    /// The expected false discovery rate among all tested pairs whose p-value is at most this one (Benjamini &
    /// Hochberg 1995); exact up to [`PairTests::exact_q`].
    pub q_value: f64,
}

/// Tests of all pairs of some features; the strongest pairs are retained.
///
/// **Classes**: the likelihood ratio of the table of both features and the class against the model with all two-way
/// interactions but without the three-way interaction, which is the logistic model of the two main effects (BOOST,
/// Wan et al. 2010),
///
/// ```text
/// 2 sum over cells of n ln(n / fitted n)
/// ```
///
/// of features as levels: genotypes, categories (rare ones are pooled if there are many) and bins of numbers, as in
/// [`Interactions`](super::Interactions). The model is fitted by iterative proportional fitting, until all expected
/// counts together change by at most 0.001 in an iteration, as in BOOST and PLINK. The statistic is compared with the
/// chi-squared distribution with `(a - 1) (b - 1) (c - 1)` degrees of freedom, where `a`, `b` and `c` are the numbers
/// of levels and classes that occur in the rows in which both features are known: 4 for two genotypes and two
/// classes, 2 or 1 if a genotype does not occur in one or both. An empty cell does not reduce the degrees of freedom,
/// so that p-values of sparse tables are too large or too small: see [`adjust`](Self::adjust). A pair without degrees
/// of freedom is not tested.
///
/// All tables are counted. A model is fitted only if Kirkwood's approximation, whose statistic is an upper bound,
/// does not exclude the pair from the strongest.
///
/// **Numeric target**: F of the product term, `(R^2 / q) / ((1 - R^2) / r)`, for the partial R^2 of `q` products in a
/// model with `r` residual degrees of freedom, as in [`Interactions`](super::Interactions). For two genotypes or
/// numbers it is the square of t.
///
/// **Covariates** are in both models of every test, as numbers or as an indicator per category except the first; columns
/// that depend on others are omitted. For two classes, both models are logistic regressions on the covariates: one with a
/// constant for every level of each feature, one with a constant for every combination of levels. The statistic is twice the
/// difference of their log-likelihoods, each fitted by Newton's method until a step raises it by at most 1e-10. Where a
/// level or a combination has rows of one class only, its constant is infinite and the log-likelihood is that of the limit.
/// Degrees of freedom are those of the test without covariates, also if combinations of levels do not occur or have one
/// class, so that p-values of sparse tables are too large or too small in the same way. With covariates that are
/// unrelated to the class and the features, the statistic tends to the one without them. All pairs are fitted. For a numeric target,
/// the covariates are in the linear model of F, whose residual degrees of freedom they reduce.
///
/// **Groups and strata**: rows of one group are not independent, and rows of different strata differ for other reasons than
/// the features, so that the statistics do not have these distributions, and there are no [`Parametric`] p-values.
/// Permutations that keep the groups, or exchange the target within strata, give [adjusted](Self::adjust) p-values, which are valid
/// under the hypothesis that the target is independent of all features (given the covariates), as the groups are exchanged.
/// The p-value of the distribution remains as the scale on which pairs with different degrees of freedom are compared. All
/// rows count equally.
///
/// Sources: X. Wan, C. Yang, Q. Yang, H. Xue, X. Fan, N. Tang, W. Yu. BOOST: a fast approach to detecting gene-gene
/// interactions in genome-wide case-control studies. American Journal of Human Genetics 87(3), 2010. Y. Benjamini and
/// Y. Hochberg. Controlling the false discovery rate. Journal of the Royal Statistical Society B 57(1), 1995.
#[derive(Debug, Clone, PartialEq)]
pub struct PairTests {
    /// The features, by their positions in the table.
    pub features: Vec<usize>,
    /// The statistic of the tests.
    pub statistic: PairStatistic,
    /// The number of pairs tested.
    pub tested: u64,
    /// The number of pairs that could not be tested: a feature has one level, or all its rows are missing in the
    /// other feature.
    pub untested: u64,
    /// Q-values up to this one are exact; larger ones are upper bounds. `None` with groups of rows or strata.
    pub exact_q: Option<f64>,
    /// The strongest pairs, with the smallest p-values first; for equal p-values, the larger statistic comes first.
    pub pairs: Vec<TestedPair>,
    /// Nominal p-values and q-values of at least these pairs, the smallest first.
    known: Vec<(f64, f64)>,
    /// Per permutation the smallest p-value of all pairs, ascending; `None` before [`adjust`](Self::adjust).
    permuted: Option<Vec<f64>>,
}

impl PairTests {
    /// Whether the statistics have their distributions: the rows are independent, and comparable across strata.
    fn have_distributions(roles: Roles<'_>) -> bool {
        roles.groups().is_none() && roles.strata().is_none()
    }

    /// Checks that the statistics have their distributions, or that permutations give p-values.
    ///
    /// # Errors
    /// Groups of rows or strata without permutations.
    pub fn check(roles: Roles<'_>, permutations: Option<u64>) -> Result<()> {
        if permutations.is_some() || Self::have_distributions(roles) {
            return Ok(());
        }
        let test = setting("permutations", Some("1000"));
        Err(match roles.groups() {
            Some(_) => Error::option(
                "group",
                "the p-values of pairs assume independent rows, and q-values too",
                format!("add {test}, which adjusts p-values by permutations that keep the groups"),
            ),
            None => Error::option(
                "within",
                "the p-values of pairs assume that rows of all strata are comparable, and q-values too",
                ways(&[
                    format!("add {test}, which adjusts p-values by permutations within strata"),
                    format!(
                        "use {} instead, so that the models of the tests contain the column",
                        setting("covar_name", None)
                    ),
                ]),
            ),
        })
    }

    /// Tests the features at some positions of a table, and retains at most `keep` pairs. Covariates are in both models
    /// of every test; a caliper or their use in distances has no effect here. With groups of rows, pairs have no
    /// p-values before [`adjust`](Self::adjust), nor with strata, within which [`permutations`](Self::permutations) exchange
    /// the target.
    ///
    /// # Errors
    /// A position that the table does not have, or that occurs twice; a target or roles with another number of rows;
    /// `keep` is 0; covariates with more than two classes; covariates that determine the target completely; weights of
    /// rows or priors of classes; the bit planes do not fit into memory; [`Error::Cancelled`].
    pub fn new(
        table: &Table<'_>,
        features: &[usize],
        target: &Target,
        roles: Roles<'_>,
        keep: usize,
        run: &Run,
    ) -> Result<Self> {
        Self::with_known_pairs(table, features, (target, roles), (keep, KNOWN_PAIRS), run)
    }

    /// Permutations of the target for [`least_p_values`] with the same roles.
    ///
    /// With groups and covariates, orders of the target are as probable as the target given the covariates. Without groups,
    /// the covariates have no effect on the permutations, because the models of the tests contain them.
    ///
    /// # Errors
    /// The errors of [`Permutations::new`].
    pub fn permutations<'t>(
        target: &'t Target,
        roles: Roles<'_>,
        run: &Run,
    ) -> Result<Permutations<'t>> {
        let covariates = roles.covariates().filter(|_| roles.groups().is_some());
        Permutations::given_covariates(target, roles.with_covariates(covariates), run)
    }

    /// Like [`new`](Self::new), with the p-values of at least `known` pairs for the false discovery rates.
    fn with_known_pairs(
        table: &Table<'_>,
        features: &[usize],
        (target, roles): (&Target, Roles<'_>),
        (keep, known): (usize, usize),
        run: &Run,
    ) -> Result<Self> {
        refuse_weights(roles)?;
        roles.check_rows(target.rows())?;
        if keep == 0 {
            return Err(Error::option(
                "pairs",
                "0 pairs were requested",
                "give at least 1, for example 20",
            ));
        }
        let columns = chosen(table, features, target)?;
        let covariates = covariate_columns(target, roles.covariates())?;
        let covariates = covariates.as_ref();
        let have_distributions = Self::have_distributions(roles);
        let statistic = match target.as_classes() {
            Some(_) => PairStatistic::LikelihoodRatio,
            None => PairStatistic::ProductTerm,
        };
        let all = features.len() as u64 * (features.len() as u64).saturating_sub(1) / 2;
        run.progress().start("pairs", all);
        let (most, tallied) = (keep.max(known), true);
        let (strongest, tally) = match target.as_classes() {
            Some(classes) => {
                let levels = LevelColumns::new(&columns, run);
                scan_levels(&levels, classes, covariates, most, tallied, run)?
            }
            None => {
                let values = target.values(TEST)?;
                let product = ProductTerm::new(&columns, values, covariates);
                if covariates.is_some() && !product.varies() {
                    return Err(nothing_to_test());
                }
                scan_real(&product, columns.len(), most, tallied, run)?
            }
        };
        run.progress().finish();
        let tally = tally.unwrap_or_default();
        let p_values: Vec<f64> = strongest.iter().map(|found| found.p_value).collect();
        let (shares, exact_q) = q_values(&p_values, &tally);
        let tested = tally.tested;
        let pair = |(found, q_value): (Found, f64)| TestedPair {
            first: found.first as usize,
            second: found.second as usize,
            statistic: found.statistic,
            degrees: found.degrees as usize,
            residual: (statistic == PairStatistic::ProductTerm).then_some(found.residual as usize),
            nominal: found.p_value,
            parametric: have_distributions.then(|| Parametric {
                p_value: found.p_value,
                bonferroni: (found.p_value * tested as f64).min(1.0),
                q_value,
            }),
            adjusted: None,
            interaction_information: (statistic == PairStatistic::LikelihoodRatio)
                .then_some(found.information),
            rows: found.rows as usize,
        };
        let known = p_values.iter().copied().zip(shares.iter().copied()).collect();
        let pairs = strongest.into_iter().zip(shares).take(keep).map(pair).collect();
        Ok(Self {
            features: features.to_vec(),
            statistic,
            tested,
            untested: all - tested,
            exact_q: have_distributions.then_some(exact_q),
            pairs,
            known,
            permuted: None,
        })
    }

    /// Adjusts p-values by the smallest p-value of all pairs in every permutation (max-T of Westfall & Young 1993, on
    /// the scale of p-values, because degrees of freedom differ). This controls the family-wise error rate, also for
    /// sparse tables. If the features were selected without these rows, `least` comes from [`least_p_values`].
    /// Otherwise it must come from permutations that repeat the selection.
    pub fn adjust(&mut self, least: &[f64]) {
        let mut least = least.to_vec();
        least.sort_by(f64::total_cmp);
        for pair in &mut self.pairs {
            pair.adjusted = Some(adjusted(pair.nominal, &least));
        }
        self.permuted = Some(least);
    }

    /// The number of significant pairs, also of those that are not among [`pairs`](Self::pairs): adjusted p-values of at
    /// most `alpha` if they are known, otherwise q-values of at most `alpha`, or none with groups of rows or strata. At most 100,000 are counted, or as many as
    /// are among [`pairs`](Self::pairs).
    pub fn significant(&self, alpha: f64) -> usize {
        // A value that equals the level counts as significant, rounding errors aside.
        let level = alpha * (1.0 + 1e-12);
        let is_significant = |&(p, q): &(f64, f64)| match &self.permuted {
            Some(least) => adjusted(p, least) <= level,
            None => self.exact_q.is_some() && q <= level,
        };
        self.known.iter().filter(|pair| is_significant(pair)).count()
    }
}

/// The adjusted p-value, from the smallest p-values of permutations in ascending order.
fn adjusted(p_value: f64, least: &[f64]) -> f64 {
    let as_strong = least.partition_point(|p| *p <= p_value * (1.0 + TIED));
    (1.0 + as_strong as f64) / (1.0 + least.len() as f64)
}

/// Checks that the rows have no weights and the classes no priors, which the tests do not use.
///
/// # Errors
/// Weights of rows, or priors of classes.
fn refuse_weights(roles: Roles<'_>) -> Result<()> {
    let stated = [("row_weight", roles.weights().is_some()), ("priors", roles.priors().is_some())];
    match stated.into_iter().find(|(_, is_stated)| *is_stated) {
        None => Ok(()),
        Some((name, _)) => {
            Err(Error::option(name, "in the tests of pairs, all rows count equally", "omit it"))
        }
    }
}

/// Reads covariates as columns of the models.
///
/// # Errors
/// They have another number of rows than the target; the target has more than two classes.
fn covariate_columns(
    target: &Target,
    covariates: Option<&Covariates<'_>>,
) -> Result<Option<CovariateColumns>> {
    let Some(covariates) = covariates else { return Ok(None) };
    let rows = covariates.table().rows();
    if rows != target.rows() {
        return Err(Error::data(
            format!("the covariates have {rows} rows, but the target has {}", target.rows()),
            "give covariates for every row",
        ));
    }
    if let Some(classes) = target.as_classes()
        && classes.len() > 2
    {
        return Err(Error::data(
            format!(
                "the target has {} classes, but the test of a pair with covariates is a logistic regression of two classes",
                classes.len()
            ),
            ways(&[
                "keep two classes".to_string(),
                format!(
                    "omit the covariates and use {} with {} to permute within groups of them",
                    setting("permutations", Some("1000")),
                    setting("within", Some("COLUMN"))
                ),
            ]),
        ));
    }
    Ok(Some(CovariateColumns::new(covariates)))
}

/// Returns the smallest p-value of all pairs of some features, or 1 if no pair can be tested. It is that of
/// [`PairTests`] without covariates.
///
/// # Errors
/// See [`PairTests::new`].
pub fn least_p_value(
    table: &Table<'_>,
    features: &[usize],
    target: &Target,
    run: &Run,
) -> Result<f64> {
    let columns = chosen(table, features, target)?;
    match target.as_classes() {
        Some(classes) => least_of_classes(&LevelColumns::new(&columns, run), classes, None, run),
        None => {
            let product = ProductTerm::new(&columns, target.values(TEST)?, None);
            Ok(least(&scan_real(&product, columns.len(), 1, false, run)?.0))
        }
    }
}

/// Returns, per permutation of the target, the smallest p-value of all pairs of some features, or 1 if no pair can be
/// tested. `covariates` are in both models of every test, as in [`PairTests::new`].
///
/// With covariates, a numeric target is replaced by its residuals after a linear regression on them, so that permutations
/// retain the effects of the covariates (ter Braak 1992). Classes are permuted themselves, unrelated to the covariates; this is
/// valid in large samples, because the distribution of the likelihood ratio then does not depend on the effects of the covariates.
/// With groups of rows this does not hold; [`PairTests::permutations`] then permutes the target given the covariates.
///
/// # Errors
/// See [`PairTests::new`]; the number of permutations is 0.
///
/// Source: C. J. F. ter Braak. Permutation versus bootstrap significance tests in multiple regression and ANOVA. In:
/// Bootstrapping and Related Techniques, Springer, 1992.
pub fn least_p_values(
    table: &Table<'_>,
    features: &[usize],
    permutations: &Permutations<'_>,
    covariates: Option<&Covariates<'_>>,
    draws: u64,
    run: &Run,
) -> Result<Vec<f64>> {
    if draws == 0 {
        return Err(Error::option(
            "permutations",
            "0 permutations do not give p-values",
            "give at least 1, for example 1000",
        ));
    }
    let columns = chosen(table, features, permutations.target())?;
    let covariates = covariate_columns(permutations.target(), covariates)?;
    let covariates = covariates.as_ref();
    run.progress().start("permuting", draws);
    let silent = run.part(run.seed());
    let found = match permutations.target().as_classes() {
        Some(_) => {
            let levels = LevelColumns::new(&columns, run);
            let one = |number| {
                let target = permutations.permuted(number);
                let classes = target.classes(TEST)?;
                let found = least_of_classes(&levels, classes, covariates, &silent)?;
                run.progress().advance(1);
                Ok(found)
            };
            (0..draws).map(one).collect::<Result<_>>()?
        }
        None => least_of_products(
            &ProductTerm::new(&columns, permutations.target().values(TEST)?, covariates),
            columns.len(),
            permutations,
            draws,
            run,
        )?,
    };
    run.progress().finish();
    Ok(found)
}

/// The p-value of the strongest pair.
fn least(strongest: &[Found]) -> f64 {
    strongest.first().map_or(1.0, |found| found.p_value)
}

fn least_of_classes(
    columns: &LevelColumns<'_>,
    classes: &Classes,
    covariates: Option<&CovariateColumns>,
    run: &Run,
) -> Result<f64> {
    Ok(least(&scan_levels(columns, classes, covariates, 1, false, run)?.0))
}

/// Computes the likelihood ratios of all pairs, with the covariates in both models.
fn scan_levels(
    columns: &LevelColumns<'_>,
    classes: &Classes,
    covariates: Option<&CovariateColumns>,
    most: usize,
    tallied: bool,
    run: &Run,
) -> Result<(Vec<Found>, Option<Tally>)> {
    let rows = classes.codes().len();
    match covariates {
        None => scan_classes(&ClassPlanes::new(columns, classes, run)?, rows, most, tallied, run),
        Some(covariates) => {
            let model = ClassesAndCovariates::new(columns, covariates, classes, run)?;
            scan_adjusted(&model, rows, most, tallied, run)
        }
    }
}

/// Computes the likelihood ratios of all pairs with covariates.
fn scan_adjusted(
    model: &ClassesAndCovariates<'_>,
    rows: usize,
    most: usize,
    tallied: bool,
    run: &Run,
) -> Result<(Vec<Found>, Option<Tally>)> {
    let terms = logarithms(rows);
    let worker = || AdjustedRatio::new(model, &terms);
    let features = (model.len(), FEATURES_OF_SMALL_BLOCK);
    scan(features, most, tallied, run, worker, |test, first, others, seen| {
        test.read_first(first);
        for second in others {
            let Some(facts) = test.facts(first, second) else { continue };
            let statistic = test.statistic(run)?;
            let p_value = chi_squared_tail(statistic, facts.degrees);
            if seen.may_count(p_value) {
                seen.add(ratio(first, second, statistic, facts));
            }
        }
        Ok(())
    })
}

/// A likelihood ratio as a result.
fn ratio(first: usize, second: usize, statistic: f64, facts: TableFacts) -> Found {
    Found {
        first: first as u32,
        second: second as u32,
        p_value: chi_squared_tail(statistic, facts.degrees),
        statistic,
        degrees: facts.degrees as u32,
        residual: 0,
        rows: facts.rows as u32,
        information: facts.information,
    }
}

/// Computes the likelihood ratios of all pairs.
fn scan_classes(
    planes: &ClassPlanes,
    rows: usize,
    most: usize,
    tallied: bool,
    run: &Run,
) -> Result<(Vec<Found>, Option<Tally>)> {
    let terms = logarithms(rows);
    let worker = || (PairTables::default(), LikelihoodRatio::new(&terms));
    let features = (planes.len(), FEATURES_OF_BLOCK);
    scan(features, most, tallied, run, worker, |(tables, test), first, others, seen| {
        if !planes.varies(first) {
            return Ok(());
        }
        tables.count(planes, first, others.clone());
        for second in others.filter(|second| planes.varies(*second)) {
            let table = tables.table(planes, second);
            let Some(facts) = test.facts(table) else { continue };
            if seen.may_count(chi_squared_tail(facts.bound, facts.degrees)) {
                seen.add(ratio(first, second, test.statistic(table), facts));
            }
        }
        Ok(())
    })
}

/// Tests the product terms of all pairs.
fn scan_real(
    product: &ProductTerm<'_>,
    features: usize,
    most: usize,
    tallied: bool,
    run: &Run,
) -> Result<(Vec<Found>, Option<Tally>)> {
    scan(
        (features, FEATURES_OF_BLOCK),
        most,
        tallied,
        run,
        || (),
        |(), first, others, seen| {
            for second in others {
                let pair = product.pair(first, second);
                let Some((degrees, residual)) = pair.degrees() else { continue };
                let measured = product.observed(&pair);
                let statistic = f_statistic(measured.uncorrected, degrees, residual);
                let p_value = f_tail(statistic, degrees, residual);
                if seen.may_count(p_value) {
                    seen.add(Found {
                        first: first as u32,
                        second: second as u32,
                        p_value,
                        statistic,
                        degrees: degrees as u32,
                        residual: residual as u32,
                        rows: measured.rows as u32,
                        information: 0.0,
                    });
                }
            }
            Ok(())
        },
    )
}

/// F of a partial R^2; finite even if the model explains everything.
fn f_statistic(partial: f64, degrees: usize, residual: usize) -> f64 {
    let partial = partial.min(1.0 - f64::EPSILON);
    partial / degrees as f64 / ((1.0 - partial) / residual as f64)
}

/// Returns, per permutation, the smallest p-value of the product terms. The part that depends only on the features is
/// computed once per pair for many permutations.
fn least_of_products(
    product: &ProductTerm<'_>,
    features: usize,
    permutations: &Permutations<'_>,
    draws: u64,
    run: &Run,
) -> Result<Vec<f64>> {
    let bytes = size_of::<f64>() as u64 * permutations.target().rows().max(1) as u64;
    let size = (BLOCK_BYTES / bytes).clamp(1, MOST_PERMUTATIONS);
    let mut found = Vec::new();
    for start in (0..draws).step_by(size as usize) {
        let numbers = start..draws.min(start + size);
        let count = numbers.end - numbers.start;
        let of_block = run.install(|| {
            let targets = product.targets(permutations, numbers);
            let none = || vec![1.0; count as usize];
            let of_first = |least: &mut Vec<f64>, first: usize| {
                for second in first + 1..features {
                    run.check()?;
                    let pair = product.pair(first, second);
                    let Some((degrees, residual)) = pair.degrees() else { continue };
                    let strengths = product.permuted(&pair, &targets);
                    for (least, strength) in least.iter_mut().zip(strengths) {
                        // No variation was left to explain.
                        if strength == 0.0 {
                            continue;
                        }
                        // The strength is adjusted for the number of terms.
                        let left = residual as f64 / (residual + degrees) as f64;
                        let partial = 1.0 - (1.0 - strength) * left;
                        let statistic = f_statistic(partial, degrees, residual);
                        *least = least.min(f_tail(statistic, degrees, residual));
                    }
                }
                Ok(())
            };
            parallel::try_fold(0..features, none, of_first, |mut least, part| {
                least.iter_mut().zip(part).for_each(|(least, other)| *least = least.min(other));
                least
            })
        });
        found.extend(of_block?);
        run.progress().advance(count);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Column;

    fn problem(features: usize, rows: usize) -> (Table<'static>, Target) {
        let mut state = 1_u64;
        let mut next = |most: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % most
        };
        let columns = (0..features).map(|feature| {
            let copies: Vec<u8> = (0..rows).map(|_| next(3) as u8).collect();
            Column::genotype(feature.to_string(), copies.into()).unwrap()
        });
        let table = Table::new(columns.collect()).unwrap();
        let labels: Vec<String> = (0..rows).map(|_| next(2).to_string()).collect();
        (table, Target::Classes(Classes::from_labels(&labels)))
    }

    /// Pairs that a bound excludes are still counted.
    #[test]
    fn what_is_left_out_changes_nothing() {
        let (table, target) = problem(40, 300);
        let features: Vec<usize> = (0..40).collect();
        let run = Run::new(Some(2)).unwrap();
        let strongest = |keep| {
            let tested = (&target, Roles::default());
            PairTests::with_known_pairs(&table, &features, tested, (keep, 50), &run).unwrap()
        };
        let (all, few) = (strongest(780), strongest(7));
        assert_eq!((all.pairs.len(), few.pairs.len()), (780, 7));
        assert_eq!((all.tested, few.tested), (780, 780));
        assert!(few.exact_q < all.exact_q);
        for (one, other) in few.pairs.iter().zip(&all.pairs) {
            assert_eq!(
                (one.first, one.second, one.statistic),
                (other.first, other.second, other.statistic)
            );
            let [one, other] = [one, other].map(|pair| pair.parametric.unwrap().q_value);
            assert!(one >= other - 1e-12);
            if Some(one) <= few.exact_q {
                assert!((one - other).abs() <= 1e-12);
            }
        }
    }
}
