//! Permutation tests of weights: in how many permutations of the target a feature's weight is as large or larger.

use std::borrow::Cow;
use std::ops::Range;
use std::str::FromStr;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::multiple_testing::{benjamini_hochberg, step_down_min_p, storey};
use super::permutations::Permutations;
use crate::data::{FeatureBlocks, Target};
use crate::error::{Error, Result, shorten};
use crate::methods::WeighTargets;
use crate::order::descending;
use crate::parallel;
use crate::run::Run;
use crate::wording::quoted;

/// Exceedances after which an adaptive test of a feature ends (Besag & Clifford 1991).
pub(crate) const EXCEEDANCES: u64 = 10;

/// Weights that differ by less than this fraction of the largest weight count as equal, so that the order of
/// summation does not matter.
pub(super) const TIED: f64 = 1e-9;

/// Permutations per block: the initial number of an adaptive test, the maximum of every test, and the maximum number
/// of bytes of their weights. Results do not depend on these. A method that needs refits starts with one per thread.
const FIRST_AT_ONCE: u64 = 64;
const MOST_AT_ONCE: u64 = 512;
const BLOCK_BYTES: u64 = 1 << 27;

/// Blocks grow until they take this long, which limits the age of the stored state.
const BLOCK_TIME: Duration = Duration::from_secs(5);

/// The number of permutations drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Draws {
    /// The same number for every feature.
    Fixed(u64),
    /// For every feature, until 10 permutations have given a weight as large or larger, but at most this many. After
    /// these 10, the p-value is 10 divided by the number drawn (Besag & Clifford 1991).
    Adaptive(u64),
}

/// Default maximum number of permutations of an adaptive test.
const ADAPTIVE_MOST: u64 = 1_000_000;

/// The maximum number of permutations of a test that is not adaptive: it stores one number per permutation.
pub const MOST_PERMUTATIONS: u64 = 100_000_000;

impl Draws {
    /// Checks the number of permutations.
    ///
    /// # Errors
    /// More permutations than [`MOST_PERMUTATIONS`], unless the test is adaptive.
    pub fn check_count(self) -> Result<()> {
        match self {
            Draws::Fixed(count) if count > MOST_PERMUTATIONS => Err(Error::option(
                "permutations",
                format!("{count} exceeds the limit of {MOST_PERMUTATIONS}"),
                "give fewer",
            )),
            _ => Ok(()),
        }
    }

    /// The maximum number drawn.
    pub fn most(self) -> u64 {
        match self {
            Draws::Fixed(most) | Draws::Adaptive(most) => most,
        }
    }

    /// Whether the number differs between features.
    pub fn is_adaptive(self) -> bool {
        matches!(self, Draws::Adaptive(_))
    }

    /// Checks that a test could find a significant feature among this number of features.
    ///
    /// # Errors
    /// No permutation, or more than [`MOST_PERMUTATIONS`]; a level that is not above 0 and below 1; fewer
    /// permutations than the level needs; an adaptive test with a correction that needs all permutations.
    pub fn check(self, correction: Correction, alpha: f64, features: usize) -> Result<()> {
        self.check_count()?;
        if !(alpha > 0.0 && alpha < 1.0) {
            return Err(Error::option(
                "alpha",
                format!("found {alpha}"),
                "give a number above 0 and below 1, such as 0.05",
            ));
        }
        let too_few = |least: u64, why: String| {
            Err(Error::option(
                "permutations",
                format!("{} are too few: {why}", self.most()),
                format!("give at least {least}"),
            ))
        };
        // The smallest possible p-value is 1 / (1 + permutations).
        let least = |least_p: f64| ((1.0 / least_p) - 1.0 - 1e-9).ceil().max(1.0) as u64;
        if self.most() < least(alpha) {
            let p = 1.0 / (1.0 + self.most() as f64);
            return too_few(
                least(alpha),
                format!("the smallest possible p-value is {p:.3}, above the level {alpha}"),
            );
        }
        if self.is_adaptive() && correction.needs_all() {
            return Err(Error::option(
                "correction",
                format!("{} needs all permutations of all features", correction.name()),
                "use fdr, storey or none with an adaptive test, or give a number of permutations",
            ));
        }
        let of_all = least(alpha / features.max(1) as f64);
        if correction == Correction::MinP && self.most() < of_all {
            return too_few(
                of_all,
                format!(
                    "with {features} features the smallest possible adjusted p-value is above {alpha}"
                ),
            );
        }
        Ok(())
    }

    /// Checks that a test can also test blocks of features; `is_kept` states whether its progress is stored.
    ///
    /// # Errors
    /// An adaptive test, whose permutations differ between features; a test whose progress is stored.
    pub fn check_blocks(self, is_kept: bool) -> Result<()> {
        if self.is_adaptive() {
            return Err(Error::option(
                "permutations",
                "an adaptive test stops at different permutations for different features, but the weight of a block \
                 requires all of its features in every permutation",
                "give a number of permutations, such as 1000",
            ));
        }
        if is_kept {
            return Err(Error::option(
                "resume",
                "the progress of a test of blocks of features is not stored",
                "omit the option, or rank without blocks",
            ));
        }
        Ok(())
    }

    /// Checks that a test can be computed in parts, each of some of the permutations.
    ///
    /// # Errors
    /// An adaptive test, min-P or studentized max-T: they need all permutations together.
    pub fn check_parts(self, correction: Correction) -> Result<()> {
        if self.is_adaptive() {
            return Err(Error::option(
                "permutations",
                "an adaptive test decides after every permutation whether to continue, so it cannot be \
                 computed in parts",
                "give a number of permutations, such as 1000",
            ));
        }
        if correction.needs_weights() {
            return Err(Error::option(
                "correction",
                format!(
                    "{} needs the weights of all permutations together, so it cannot be computed in parts",
                    correction.name()
                ),
                "use max-t",
            ));
        }
        Ok(())
    }
}

impl FromStr for Draws {
    type Err = Error;

    /// Parses `1000`, `adaptive` or `adaptive:1000000`.
    fn from_str(text: &str) -> Result<Self> {
        let number = |text: &str| text.parse().ok();
        let read = match text.split_once(':') {
            _ if text == "adaptive" => Some(Draws::Adaptive(ADAPTIVE_MOST)),
            Some(("adaptive", most)) => number(most).map(Draws::Adaptive),
            _ => number(text).map(Draws::Fixed),
        };
        read.ok_or_else(|| {
            Error::option(
                "permutations",
                format!("{} is not a number of permutations", quoted(&shorten(text, 40))),
                "give a whole number such as 1000, or adaptive, or adaptive:MOST",
            )
        })
    }
}

/// The correction for multiple testing: which error rate is controlled when features are called significant at a
/// level alpha.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Correction {
    /// The family-wise error rate, the probability of any false selection: p-values adjusted by the largest weight of
    /// all features (Westfall & Young 1993, single-step max-T).
    #[default]
    MaxT,
    /// The family-wise error rate, by the largest studentized weight: the difference of a weight from the mean of its
    /// permutations, divided by their standard deviation. A feature whose weights vary little by chance, such as a
    /// genotype with a rare allele, is compared with its own variation.
    Studentized,
    /// The family-wise error rate, by the smallest p-value of the features that rank no better (step-down min-P).
    MinP,
    /// The false discovery rate: q-values by Benjamini & Hochberg (1995).
    Fdr,
    /// The false discovery rate: q-values by Storey (2002).
    Storey,
    /// No correction: every feature by itself.
    None,
}

impl Correction {
    /// All corrections, by their names.
    pub const ALL: [(&'static str, Self); 6] = [
        ("max-t", Self::MaxT),
        ("studentized", Self::Studentized),
        ("min-p", Self::MinP),
        ("fdr", Self::Fdr),
        ("storey", Self::Storey),
        ("none", Self::None),
    ];

    /// The name: `max-t`, `studentized`, `min-p`, `fdr`, `storey` or `none`.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, one)| *one == self).map_or("", |(name, _)| *name)
    }

    /// Whether it needs the weights of all features in every permutation.
    pub fn needs_all(self) -> bool {
        matches!(self, Self::MaxT | Self::Studentized | Self::MinP)
    }

    /// Whether it needs the weights of all permutations at once, which are kept in memory.
    pub fn needs_weights(self) -> bool {
        matches!(self, Self::Studentized | Self::MinP)
    }
}

impl FromStr for Correction {
    type Err = Error;

    /// Parses one of the names.
    fn from_str(text: &str) -> Result<Self> {
        let found = Self::ALL.iter().find(|(name, _)| *name == text);
        found.map(|(_, correction)| *correction).ok_or_else(|| {
            Error::option(
                "correction",
                format!("{} is not a correction", quoted(&shorten(text, 40))),
                format!("use one of {}", Self::ALL.map(|(name, _)| name).join(", ")),
            )
        })
    }
}

/// The alternative hypothesis of a test: which weights count as evidence of an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
pub enum Sided {
    /// Large weights. The statistic of a feature is its weight.
    #[default]
    One,
    /// Large and small weights. The statistic of a feature is the absolute value of its weight, or the absolute value of its
    /// studentized weight for [`Correction::Studentized`].
    Two,
}

impl Sided {
    /// Both alternatives, by their names.
    pub const ALL: [(&'static str, Self); 2] = [("one", Self::One), ("two", Self::Two)];

    /// The name: `one` or `two`.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, one)| *one == self).map_or("", |(name, _)| *name)
    }

    /// The statistic of a weight.
    fn statistic(self, weight: f64) -> f64 {
        match self {
            Self::One => weight,
            Self::Two => weight.abs(),
        }
    }
}

impl FromStr for Sided {
    type Err = Error;

    /// Parses one of the names.
    fn from_str(text: &str) -> Result<Self> {
        let found = Self::ALL.iter().find(|(name, _)| *name == text);
        found.map(|(_, sided)| *sided).ok_or_else(|| {
            Error::option(
                "sided",
                format!("{} is not an alternative hypothesis", quoted(&shorten(text, 40))),
                format!("use one of {}", Self::ALL.map(|(name, _)| name).join(", ")),
            )
        })
    }
}

/// Stores the progress of a long test.
pub trait TestStore: Sync {
    /// The state stored last.
    fn find(&self) -> Option<Value>;
    /// Whether the store stores anything.
    fn keeps(&self) -> bool {
        true
    }

    /// Stores the state in place of the previous one.
    ///
    /// # Errors
    /// The state cannot be written.
    fn keep(&self, state: &Value) -> Result<()>;
}

/// A store that stores nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoStore;

impl TestStore for NoStore {
    fn find(&self) -> Option<Value> {
        None
    }

    fn keeps(&self) -> bool {
        false
    }

    fn keep(&self, _: &Value) -> Result<()> {
        Ok(())
    }
}

/// A permutation test of every feature's weight.
#[derive(Debug, Clone, Copy)]
pub struct PermutationTest<'t> {
    /// The permutations of the target.
    pub permutations: &'t Permutations<'t>,
    /// The number of permutations drawn.
    pub draws: Draws,
    /// Which weights count as evidence of an effect.
    pub sided: Sided,
    /// The correction for multiple testing.
    pub correction: Correction,
    /// The significance level, above 0 and below 1.
    pub alpha: f64,
}

/// The result of a permutation test. All lists contain one entry per feature, in column order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Significance {
    /// P-values of the [statistic](Sided) of every feature: `(1 + exceedances) / (1 + permutations)`, or 10 divided by the
    /// permutations drawn if an adaptive test stopped early. Above 0.
    pub p_values: Vec<f64>,
    /// P-values that control the family-wise error rate, by max-T, or by studentized max-T or min-P if requested; `None` for an adaptive
    /// test.
    pub adjusted: Option<Vec<f64>>,
    /// False discovery rates, by Benjamini & Hochberg, or by Storey if requested.
    pub q_values: Vec<f64>,
    /// The number of permutations drawn.
    pub draws: Vec<u64>,
    /// The null threshold: in at most a fraction alpha of all orders of the target, including the observed one, the
    /// largest weight of all features, or the largest absolute value of a weight in a two-sided test, exceeds it. `None`
    /// for an adaptive test.
    pub chance_weight: Option<f64>,
    /// Whether a feature is significant at the level after the correction.
    pub selected: Vec<bool>,
    /// Wall-clock seconds.
    pub seconds: f64,
}

impl Significance {
    /// The smallest false discovery rate that this number of permutations allows: the smallest q-value if no permutation
    /// exceeded the best feature, given the p-values of the others. `correction` and `permutations` are those of the test.
    pub fn smallest_q(&self, correction: Correction, permutations: u64) -> f64 {
        let mut p_values = self.p_values.clone();
        if let Some(best) = p_values.iter_mut().min_by(|a, b| a.total_cmp(b)) {
            *best = best.min(1.0 / (1.0 + permutations as f64));
        }
        q_values(&p_values, correction).into_iter().fold(1.0, f64::min)
    }
}

/// The false discovery rates by the procedure of a correction.
fn q_values(p_values: &[f64], correction: Correction) -> Vec<f64> {
    match correction {
        Correction::Storey => storey(p_values),
        _ => benjamini_hochberg(p_values),
    }
}

impl PermutationTest<'_> {
    /// Checks that the test could find a significant feature among this number of features.
    ///
    /// # Errors
    /// See [`Draws::check`].
    pub fn check(&self, features: usize) -> Result<()> {
        self.draws.check(self.correction, self.alpha, features)
    }

    /// Tests the weights of a method that is prepared for the problem's table.
    ///
    /// # Errors
    /// See [`check`](Self::check); the errors of the method for a permuted target; [`Error::Cancelled`]; the errors
    /// of the store; the store contains the state of another test.
    pub fn run(
        &self,
        method: &mut dyn WeighTargets,
        weights: &[f64],
        store: &dyn TestStore,
        run: &Run,
    ) -> Result<Significance> {
        self.run_with_blocks(method, (weights, None), store, run).map(|(found, _)| found)
    }

    /// As [`run`](Self::run), and tests the weights of blocks of features in the same permutations, if there are blocks:
    /// their p-values, and p-values adjusted by the largest weight of all blocks (single-step max-T), whatever the
    /// correction for the features is. The blocks are given with their factors in distances, which the
    /// [report](crate::Report::block_factors) of the fit contains and which do not depend on the target.
    ///
    /// # Errors
    /// As [`run`](Self::run), and the errors of [`check_blocks`](Draws::check_blocks).
    pub fn run_with_blocks(
        &self,
        method: &mut dyn WeighTargets,
        (weights, blocks): (&[f64], Option<(&FeatureBlocks, &[f64])>),
        store: &dyn TestStore,
        run: &Run,
    ) -> Result<(Significance, Option<Significance>)> {
        let start = Instant::now();
        self.check(weights.len())?;
        let most = self.draws.most();
        if blocks.is_some() {
            self.draws.check_blocks(store.keeps())?;
        }
        let of_blocks =
            |weights: &[f64]| blocks.map(|(own, factors)| own.weights(factors, weights));
        let observed = of_blocks(weights);
        let counts = observed.as_deref().map(|own| Counts::new(own, self.sided, None, most));
        let mut block_counts = counts.transpose()?;
        let mut counts = Counts::new(weights, self.sided, store.find(), most)?;
        let mut all = Vec::new();
        let with_weights = self.correction.needs_weights();
        if with_weights {
            let bytes = most.saturating_mul(weights.len() as u64).saturating_mul(8);
            let instead = "use max-t, which needs none";
            run.memory().claim(
                bytes,
                &format!(
                    "{}, which keeps the weights of all permutations,",
                    self.correction.name()
                ),
                instead,
            )?;
            // Ranks need the weights of all permutations.
            counts.done = 0;
        }
        let keep = |counts: &Counts<'_>, found: Vec<Vec<f64>>| {
            for weights in &found {
                if let (Some(counts), Some(weights)) = (&mut block_counts, of_blocks(weights)) {
                    counts.add(&weights, false);
                }
            }
            if with_weights {
                all.extend(found);
            } else if store.keeps() {
                store.keep(&counts.kept()?)?;
            }
            Ok(())
        };
        counts.draw(self.permutations, self.draws, method, keep, run)?;
        let mut found = counts.significance(self);
        if with_weights {
            all.push(weights.to_vec());
            found.adjusted = Some(match self.correction {
                Correction::Studentized => studentized_max_t(all, self.sided),
                _ => {
                    for weight in all.iter_mut().flatten() {
                        *weight = self.sided.statistic(*weight);
                    }
                    step_down_min_p(&ranks(&all))
                }
            });
        }
        found.selected = self.selected(&found);
        found.seconds = start.elapsed().as_secs_f64();
        let by_blocks = Self { correction: Correction::MaxT, ..*self };
        let of_blocks = block_counts.map(|counts| {
            let mut found = counts.significance(&by_blocks);
            found.selected = by_blocks.selected(&found);
            found
        });
        Ok((found, of_blocks))
    }

    /// Combines all parts of a test, which were [counted](Permutations::count) separately, in their order. The result
    /// is that of [`run`](Self::run).
    ///
    /// # Errors
    /// See [`check`](Self::check) and [`Draws::check_parts`]; the parts do not cover all permutations, or are those
    /// of other features.
    pub fn merge(
        &self,
        weights: &[f64],
        parts: impl IntoIterator<Item = Result<Exceedances>>,
    ) -> Result<Significance> {
        let start = Instant::now();
        self.draws.check_parts(self.correction)?;
        self.check(weights.len())?;
        let mut counts = Counts::new(weights, self.sided, None, self.draws.most())?;
        let wrong = || Error::Internal("parts of other permutations or features".to_string());
        for part in parts {
            let part = part?;
            if part.counts.len() != weights.len() {
                return Err(wrong());
            }
            counts.append(part);
        }
        if counts.done != self.draws.most() {
            return Err(wrong());
        }
        let mut found = counts.significance(self);
        found.selected = self.selected(&found);
        found.seconds = start.elapsed().as_secs_f64();
        Ok(found)
    }

    fn selected(&self, found: &Significance) -> Vec<bool> {
        let by = match (self.correction, &found.adjusted) {
            (correction, Some(adjusted)) if correction.needs_all() => adjusted,
            (Correction::None, _) => &found.p_values,
            _ => &found.q_values,
        };
        // A p-value of exactly the level is significant despite rounding.
        by.iter().map(|&p| p <= self.alpha * (1.0 + 1e-12)).collect()
    }
}

/// Counts over some of the permutations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Exceedances {
    /// Per feature, the number of these permutations in which its [statistic](Sided) is as large or larger.
    pub counts: Vec<u64>,
    /// Per permutation, the largest statistic of all features.
    pub largest: Vec<f64>,
    /// Why the method was refitted for every permutation; `None` if its neighbors were found once.
    pub refit_reason: Option<String>,
}

impl Permutations<'_> {
    /// Counts some of the permutations, given by their numbers: one part of a test, which is independent of the other
    /// parts. `weights` are those of the unpermuted target. [`PermutationTest::merge`] requires the same `sided`.
    ///
    /// # Errors
    /// The errors of the method for a permuted target; [`Error::Cancelled`].
    pub fn count(
        &self,
        method: &mut dyn WeighTargets,
        weights: &[f64],
        sided: Sided,
        numbers: Range<u64>,
        run: &Run,
    ) -> Result<Exceedances> {
        let mut counts = Counts::new(weights, sided, None, numbers.end)?;
        counts.done = numbers.start;
        counts.draw(self, Draws::Fixed(numbers.end), method, |_, _| Ok(()), run)?;
        let refit_reason = method.refit_reason().map(str::to_string);
        Ok(Exceedances { counts: counts.exceedances, largest: counts.largest, refit_reason })
    }
}

/// P-values adjusted by the largest studentized weight of each order of the target, or by the largest absolute value of one.
/// All orders are equally probable, and the observed one is the last.
fn studentized_max_t(mut weights: Vec<Vec<f64>>, sided: Sided) -> Vec<f64> {
    let (orders, features) = (weights.len() as f64, weights.first().map_or(0, Vec::len));
    for feature in 0..features {
        let mean = weights.iter().map(|all| all[feature]).sum::<f64>() / orders;
        let squares = weights.iter().map(|all| (all[feature] - mean).powi(2)).sum::<f64>();
        let deviation = (squares / orders).sqrt();
        for all in &mut weights {
            // A weight that never varies is not above its mean.
            let studentized = if deviation > 0.0 { (all[feature] - mean) / deviation } else { 0.0 };
            all[feature] = sided.statistic(studentized);
        }
    }
    let most = |all: &Vec<f64>| all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut largest: Vec<f64> = weights.iter().map(most).collect();
    largest.sort_by(f64::total_cmp);
    let tied = TIED * largest.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    let adjusted = |observed: &f64| {
        let below = largest.partition_point(|value| *value < observed - tied);
        (largest.len() - below) as f64 / orders
    };
    weights.last().map_or(Vec::new(), |observed| observed.iter().map(adjusted).collect())
}

/// Per order of the target and feature, the number of these orders in which the weight is as large or larger.
fn ranks(weights: &[Vec<f64>]) -> Vec<Vec<u32>> {
    let features = weights.first().map_or(0, Vec::len);
    let mut ranks = vec![vec![0; features]; weights.len()];
    for feature in 0..features {
        let of = |at: usize| weights[at][feature];
        let order = descending(&(0..weights.len()).map(of).collect::<Vec<f64>>());
        let greatest = order.first().map_or(0.0, |&first| of(first).abs());
        let mut last = order.len();
        // From the smallest weight on: equal weights have the rank of the last of them.
        for place in (0..order.len()).rev() {
            let tied = place + 1 < order.len()
                && of(order[place]) - of(order[place + 1]) <= TIED * greatest;
            if !tied {
                last = place + 1;
            }
            ranks[order[place]][feature] = last as u32;
        }
    }
    ranks
}

/// The counts so far.
struct Counts<'w> {
    weights: &'w [f64],
    sided: Sided,
    /// Statistics of permutations from this value on count as exceedances.
    bounds: Vec<f64>,
    /// Permutations drawn, in all and per feature while its test continued.
    done: u64,
    draws: Vec<u64>,
    exceedances: Vec<u64>,
    /// Per permutation, the largest statistic of all features.
    largest: Vec<f64>,
    /// Features whose test continues.
    open: Vec<usize>,
}

/// [`Counts`] as a store keeps them.
#[derive(Serialize, Deserialize)]
struct KeptCounts<'c> {
    weights: Cow<'c, [f64]>,
    /// States without it are those of one-sided tests.
    #[serde(default)]
    sided: Sided,
    done: u64,
    draws: Cow<'c, [u64]>,
    exceedances: Cow<'c, [u64]>,
    largest: Cow<'c, [f64]>,
    open: Cow<'c, [usize]>,
}

impl<'w> Counts<'w> {
    fn new(weights: &'w [f64], sided: Sided, kept: Option<Value>, most: u64) -> Result<Self> {
        let greatest = weights.iter().fold(0.0_f64, |most, weight| most.max(weight.abs()));
        let bounds = weights.iter().map(|&weight| sided.statistic(weight) - TIED * greatest);
        let mut counts = Self {
            weights,
            sided,
            bounds: bounds.collect(),
            done: 0,
            draws: vec![0; weights.len()],
            exceedances: vec![0; weights.len()],
            largest: Vec::new(),
            open: (0..weights.len()).collect(),
        };
        if let Some(kept) = kept {
            counts.go_on(&kept, most).ok_or_else(|| {
                Error::option(
                    "resume",
                    "the state stored there belongs to another test, or contains more permutations",
                    "name a new folder",
                )
            })?;
        }
        Ok(counts)
    }

    /// Continues from a stored state. Returns `None` if it belongs to another test or contains more than `most`
    /// permutations.
    fn go_on(&mut self, kept: &Value, most: u64) -> Option<()> {
        let KeptCounts { weights, sided, done, draws, exceedances, largest, open } =
            KeptCounts::deserialize(kept).ok()?;
        let width = self.weights.len();
        let same = weights == self.weights
            && sided == self.sided
            && draws.len() == width
            && exceedances.len() == width
            && open.iter().all(|&feature| feature < width)
            && done <= most;
        same.then(|| {
            (self.done, self.draws) = (done, draws.into_owned());
            (self.exceedances, self.largest) = (exceedances.into_owned(), largest.into_owned());
            self.open = open.into_owned();
        })
    }

    /// The state for a store.
    fn kept(&self) -> Result<Value> {
        let kept = KeptCounts {
            weights: self.weights.into(),
            sided: self.sided,
            done: self.done,
            draws: (&self.draws).into(),
            exceedances: (&self.exceedances).into(),
            largest: (&self.largest).into(),
            open: (&self.open).into(),
        };
        serde_json::to_value(kept).map_err(|cause| Error::Internal(cause.to_string()))
    }

    /// Draws the remaining permutations, and passes the weights of each block of them to `keep`.
    fn draw(
        &mut self,
        permutations: &Permutations<'_>,
        draws: Draws,
        method: &mut dyn WeighTargets,
        mut keep: impl FnMut(&Self, Vec<Vec<f64>>) -> Result<()>,
        run: &Run,
    ) -> Result<()> {
        let (is_adaptive, until) = (draws.is_adaptive(), draws.most());
        run.progress().start("permuting", until - self.done);
        let refits = method.refit_reason().is_some();
        let mut block = match (refits, is_adaptive) {
            (true, _) => run.threads() as u64,
            // After a few permutations, the tests of many features are done.
            (false, true) => FIRST_AT_ONCE,
            // The tables of many permutations together cost as much as those of a few.
            (false, false) => MOST_AT_ONCE,
        };
        while self.done < until && !self.open.is_empty() {
            run.check()?;
            let begun = Instant::now();
            let of_weights = BLOCK_BYTES / (8 * self.open.len() as u64).max(1);
            let size = block.min(of_weights.max(1)).min(until - self.done);
            let numbers = self.done..self.done + size;
            let permuted = |number| permutations.permuted(number);
            let targets: Vec<Target> = run.install(|| parallel::map(numbers, permuted));
            let found = method.weigh(&self.open, &targets, run)?;
            for of_permutation in &found {
                self.add(of_permutation, is_adaptive);
            }
            if is_adaptive {
                self.close();
            }
            keep(self, found)?;
            if begun.elapsed() < BLOCK_TIME {
                block = (2 * block).min(MOST_AT_ONCE);
            }
        }
        run.progress().finish();
        Ok(())
    }

    /// Adds the weights of the open features in the next permutation.
    fn add(&mut self, weights: &[f64], is_adaptive: bool) {
        self.done += 1;
        let sided = self.sided;
        for (&feature, &weight) in self.open.iter().zip(weights) {
            if is_adaptive && self.exceedances[feature] == EXCEEDANCES {
                continue;
            }
            self.draws[feature] += 1;
            self.exceedances[feature] += u64::from(sided.statistic(weight) >= self.bounds[feature]);
        }
        if !is_adaptive {
            let statistics = weights.iter().map(|&weight| sided.statistic(weight));
            self.largest.push(statistics.fold(f64::NEG_INFINITY, f64::max));
        }
    }

    /// Ends the tests of the features that have reached the number of exceedances.
    fn close(&mut self) {
        let exceedances = &self.exceedances;
        self.open.retain(|&feature| exceedances[feature] < EXCEEDANCES);
    }

    /// Adds the counts of the permutations that follow.
    fn append(&mut self, part: Exceedances) {
        let draws = part.largest.len() as u64;
        self.done += draws;
        self.draws.iter_mut().for_each(|own| *own += draws);
        self.exceedances.iter_mut().zip(part.counts).for_each(|(own, more)| *own += more);
        self.largest.extend(part.largest);
    }

    fn significance(self, test: &PermutationTest<'_>) -> Significance {
        let is_adaptive = test.draws.is_adaptive();
        let counted = self.exceedances.iter().zip(&self.draws);
        let p_values: Vec<f64> = counted
            .map(|(&exceedances, &draws)| match is_adaptive && exceedances == EXCEEDANCES {
                true => EXCEEDANCES as f64 / draws as f64,
                false => (1 + exceedances) as f64 / (1 + draws) as f64,
            })
            .collect();
        let mut largest = self.largest;
        largest.sort_by(f64::total_cmp);
        let all = 1.0 + largest.len() as f64;
        let adjusted = (!is_adaptive).then(|| {
            let as_great = |bound: &f64| {
                let below = largest.partition_point(|weight| weight < bound);
                (1.0 + (largest.len() - below) as f64) / all
            };
            self.bounds.iter().map(as_great).collect()
        });
        // In at most a fraction alpha of all orders, including the observed one, the largest statistic exceeds it.
        let chance_weight = (!is_adaptive).then(|| {
            let above = (test.alpha * all * (1.0 + 1e-12)) as usize;
            largest[(largest.len() - above.saturating_sub(1).min(largest.len())).saturating_sub(1)]
        });
        let q_values = q_values(&p_values, test.correction);
        Significance {
            p_values,
            adjusted,
            q_values,
            draws: self.draws,
            chance_weight,
            selected: Vec::new(),
            seconds: 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn studentized_weights_are_compared_with_their_own_variation() {
        // Four orders, the observed one last. The first weight has mean 1 and standard deviation √3, the second 0 and 10:
        // the largest studentized weights are 1, -1/√3, 1 and √3.
        let weights = vec![vec![0.0, 10.0], vec![0.0, -10.0], vec![0.0, 10.0], vec![4.0, -10.0]];
        assert_eq!(studentized_max_t(weights.clone(), Sided::One), [0.25, 1.0]);
        // The absolute values are 1/√3, 1/√3, 1/√3 and √3, and 1 of the second weight.
        assert_eq!(studentized_max_t(weights, Sided::Two), [0.25, 1.0]);
        // A weight that never varies, and equal orders.
        let weights = vec![vec![7.0, 1.0], vec![7.0, 3.0], vec![7.0, 3.0]];
        assert_eq!(studentized_max_t(weights, Sided::One), [1.0, 2.0 / 3.0]);
    }
}
