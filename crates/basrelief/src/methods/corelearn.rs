//! The rules of CORElearn 1.57.3.1: the scores of its Relief estimators, for programs that need the
//! numbers of its R function `attrEval`.
//!
//! The methods of the registry have the rules of this library instead, which the pages of the
//! methods explain. The form of the scores is that of M. Robnik-Sikonja and I. Kononenko,
//! Theoretical and empirical analysis of ReliefF and RReliefF, Machine Learning 53, 2003: figures 1
//! (Relief), 2 (ReliefF) and 3 (RReliefF). The differences, with the functions of CORElearn:
//!
//! - *Differences of numbers* are on a ramp, in distances and in scores: 0 up to 4 % of the range,
//!   1 from 10 % on, and linear in between (`estCommon.cpp`, `CARamp`). A numeric target has the same
//!   ramp (`rrelieff.cpp`, `CAdiff`). This library has a ramp on request, and none for the target.
//! - *Ordinal columns* are numbers: the places of the levels in their order, with the range of the
//!   levels that occur (`util.R`, `prepare.Data`). Genotypes are numbers as well, the copies of an
//!   allele. A declared range is ignored.
//! - *Missing values* differ from a value by 1 minus its probability, in the class of the row whose
//!   value is missing. If both are missing, the difference is 1 minus the probability that two
//!   values are equal in the class of the query row. The probabilities have a Laplace correction
//!   over all levels of a category, or over five intervals of a number (n / 5 intervals, but at least
//!   two, of fewer than 25 rows): `estCommon.cpp`, `initialize`. With a numeric target, all rows are
//!   one class (`rrelieff.cpp`, `estimationReg`).
//! - *Identical rows*: rows at distance 0 from the query row are neither hits nor misses
//!   (`estCommon.cpp`, `prepareDistanceFactors`), except in `Relief` and `ReliefKukar`. With a numeric
//!   target they are neighbors.
//! - *Equal distances*: neighbors are in the order of a heap sort (`contain.h`, `sortKsmallest`), and
//!   at the k-th place the heap decides. This module has the same heap and sums the differences in
//!   the same order: first those of categories, then those of numbers. So the neighbors are the same,
//!   but they depend on the order of the rows.
//! - *Rank weights* are those of `exp(-(rank / sigma)^2)`, where the first neighbor has rank 0, and
//!   neighbors at equal distances have the weight of the first of them. In the methods of this
//!   library, the first neighbor has rank 1.
//! - *The query row among its neighbors*: with a numeric target, the nearest row takes the place
//!   of the query row in the order of all rows (`rrelieff.cpp`, `prepareDistanceFactors`). The query row
//!   is usually the nearest row itself. But a query row with missing values has a distance from
//!   itself. Then its neighbors can be out of order, and if it is not among the k + 1 nearest rows, the
//!   nearest row is lost.
//! - *Small sums*: if the weighted differences of the neighbors of one class sum to at most 1e-7,
//!   they do not count (`relieff.cpp`, `ReliefF`).
//! - *Best k*: `ReliefFbestK` returns the largest score over all k, feature by feature. Classes with
//!   fewer than k neighbors count with those they have. `RReliefFbestK` is at least -1.
//! - *Classes of one row* contribute misses. `Relief` and `ReliefKukar` read memory without a value
//!   for their hits (`relieff.cpp`, `findHitMiss`), which this module refuses.
//! - *Classes without rows* do not count here. In CORElearn, levels of the target without rows change
//!   the scores of `ReliefFavgC`, `ReliefFpa` and `ReliefKukar`, which average over all levels.
//!
//! Every row is a query row, which is CORElearn's default (`ReliefIterations = 0` and
//! `attrEvaluationInstances = 0`). Other values draw rows at random and are not offered, nor is
//! `ReliefFsmp`, which always draws rows. Scores differ from those of CORElearn by rounding only:
//! its threads add them in any order.

use std::ops::Range;

use crate::data::{Classes, Column, Table, Target};
use crate::error::{Error, Result};
use crate::parallel;
use crate::run::Run;
use crate::wording::quoted;

/// A Relief estimator of CORElearn.
///
/// Variants that start with `RRelief` need a numeric target, all others classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Estimator {
    /// `ReliefFequalK`: the k nearest hits, and the k nearest misses of each class, all of the same weight.
    ReliefFEqualK,
    /// `ReliefFexpRank`: weights decrease with the rank of a neighbor, by `exp(-(rank / sigma)^2)`.
    ReliefFExpRank,
    /// `ReliefFbestK`: the largest score of a feature over all k, with equal weights.
    ReliefFBestK,
    /// `Relief`: the nearest hit and the nearest miss.
    Relief,
    /// `ReliefFmerit`: as `ReliefFexpRank`, with the differences of two rows divided by their sum.
    ReliefFMerit,
    /// `ReliefFdistance`: the weight of a neighbor is 1 / distance.
    ReliefFDistance,
    /// `ReliefFsqrDistance`: the weight of a neighbor is 1 / distance².
    ReliefFSqrDistance,
    /// `ReliefFexpC`: as `ReliefFexpRank`; misses count by the cost of the error, hits by the expected cost.
    ReliefFExpC,
    /// `ReliefFavgC`: as `ReliefFexpC`, with means over the other classes instead of expectations.
    ReliefFAvgC,
    /// `ReliefFpe`: as `ReliefFexpRank`, with class priors proportional to prior times expected cost.
    ReliefFPe,
    /// `ReliefFpa`: as `ReliefFexpRank`, with class priors proportional to the mean cost.
    ReliefFPa,
    /// `ReliefKukar`: as `Relief`; misses count by the expected cost of the class of the query row.
    ReliefKukar,
    /// `RReliefFequalK`: the k nearest rows, all of the same weight.
    RReliefFEqualK,
    /// `RReliefFexpRank`: weights decrease with the rank of a neighbor, by `exp(-(rank / sigma)^2)`.
    RReliefFExpRank,
    /// `RReliefFbestK`: the largest score of a feature over all k, with equal weights.
    RReliefFBestK,
    /// `RReliefFwithMSE`: the score of `RReliefFexpRank` and the reduction of the squared error by the
    /// best split of the feature in two, both scaled to [0, 1] over the features, and averaged.
    RReliefFWithMse,
    /// `RReliefFdistance`: the weight of a neighbor is 1 / distance.
    RReliefFDistance,
    /// `RReliefFsqrDistance`: the weight of a neighbor is 1 / distance².
    RReliefFSqrDistance,
}

impl Estimator {
    /// All estimators, in CORElearn's order.
    pub const ALL: [Self; 18] = [
        Self::ReliefFEqualK,
        Self::ReliefFExpRank,
        Self::ReliefFBestK,
        Self::Relief,
        Self::ReliefFMerit,
        Self::ReliefFDistance,
        Self::ReliefFSqrDistance,
        Self::ReliefFExpC,
        Self::ReliefFAvgC,
        Self::ReliefFPe,
        Self::ReliefFPa,
        Self::ReliefKukar,
        Self::RReliefFEqualK,
        Self::RReliefFExpRank,
        Self::RReliefFBestK,
        Self::RReliefFWithMse,
        Self::RReliefFDistance,
        Self::RReliefFSqrDistance,
    ];

    /// The names of all estimators, in the order of [`ALL`](Self::ALL).
    pub const NAMES: [&'static str; Self::ALL.len()] = {
        let mut names = [""; Self::ALL.len()];
        let mut at = 0;
        while at < names.len() {
            names[at] = Self::ALL[at].name();
            at += 1;
        }
        names
    };

    /// CORElearn's name of the estimator.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ReliefFEqualK => "ReliefFequalK",
            Self::ReliefFExpRank => "ReliefFexpRank",
            Self::ReliefFBestK => "ReliefFbestK",
            Self::Relief => "Relief",
            Self::ReliefFMerit => "ReliefFmerit",
            Self::ReliefFDistance => "ReliefFdistance",
            Self::ReliefFSqrDistance => "ReliefFsqrDistance",
            Self::ReliefFExpC => "ReliefFexpC",
            Self::ReliefFAvgC => "ReliefFavgC",
            Self::ReliefFPe => "ReliefFpe",
            Self::ReliefFPa => "ReliefFpa",
            Self::ReliefKukar => "ReliefKukar",
            Self::RReliefFEqualK => "RReliefFequalK",
            Self::RReliefFExpRank => "RReliefFexpRank",
            Self::RReliefFBestK => "RReliefFbestK",
            Self::RReliefFWithMse => "RReliefFwithMSE",
            Self::RReliefFDistance => "RReliefFdistance",
            Self::RReliefFSqrDistance => "RReliefFsqrDistance",
        }
    }

    /// The estimator with a [name](Self::name).
    ///
    /// # Errors
    /// Another name; the message lists the names.
    pub fn from_name(name: &str) -> Result<Self> {
        if let Some(found) = Self::ALL.into_iter().find(|one| one.name() == name) {
            return Ok(found);
        }
        let names = Self::NAMES.join(", ");
        if name == "ReliefFsmp" {
            return Err(Error::option(
                "estimator",
                "`ReliefFsmp` draws rows at random, which is not offered",
                format!("use `ReliefFexpC` or another one of: {names}"),
            ));
        }
        Err(Error::option(
            "estimator",
            format!("{} is not a Relief estimator of CORElearn", quoted(name)),
            format!("use one of: {names}"),
        ))
    }

    /// Whether the estimator needs a numeric target; all others need classes.
    pub fn is_regression(self) -> bool {
        matches!(
            self,
            Self::RReliefFEqualK
                | Self::RReliefFExpRank
                | Self::RReliefFBestK
                | Self::RReliefFWithMse
                | Self::RReliefFDistance
                | Self::RReliefFSqrDistance
        )
    }

    /// Whether the estimator tries all numbers of neighbors.
    fn is_best(self) -> bool {
        matches!(self, Self::ReliefFBestK | Self::RReliefFBestK)
    }

    /// Whether only the nearest hit and the nearest miss count.
    fn is_of_two(self) -> bool {
        matches!(self, Self::Relief | Self::ReliefKukar)
    }

    /// Weights of neighbors.
    fn weighting(self) -> Weighting {
        match self {
            Self::ReliefFEqualK
            | Self::ReliefFBestK
            | Self::Relief
            | Self::ReliefKukar
            | Self::RReliefFEqualK
            | Self::RReliefFBestK => Weighting::Equal,
            Self::ReliefFDistance | Self::RReliefFDistance => Weighting::Distance,
            Self::ReliefFSqrDistance | Self::RReliefFSqrDistance => Weighting::SquaredDistance,
            _ => Weighting::Rank,
        }
    }
}

/// The weight of a neighbor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Weighting {
    Equal,
    Rank,
    Distance,
    SquaredDistance,
}

/// The parameters of the estimators, under CORElearn's names.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameters {
    /// `kNearestEqual`: the number of neighbors of `ReliefFequalK` and `RReliefFequalK`; 0 for all rows.
    pub k_nearest_equal: usize,
    /// `kNearestExpRank`: the number of neighbors of all estimators whose neighbors differ in weight; 0 for
    /// all rows.
    pub k_nearest_exp_rank: usize,
    /// `quotientExpRankDistance`: the `sigma` of rank weights, above 0.
    pub quotient_exp_rank_distance: f64,
    /// `numAttrProportionEqual`: the fraction of the range up to which numbers do not differ, in [0, 1].
    pub num_attr_proportion_equal: f64,
    /// `numAttrProportionDifferent`: the fraction of the range from which numbers differ by 1, in [0, 1].
    pub num_attr_proportion_different: f64,
    /// The costs of errors for `ReliefFexpC`, `ReliefFavgC`, `ReliefFpe`, `ReliefFpa` and `ReliefKukar`: that
    /// of the prediction `j` for class `i` at `i * classes + j`. `None`: every error has cost 1.
    pub costs: Option<Vec<f64>>,
}

impl Default for Parameters {
    /// CORElearn's defaults.
    fn default() -> Self {
        Self {
            k_nearest_equal: 10,
            k_nearest_exp_rank: 70,
            quotient_exp_rank_distance: 20.0,
            num_attr_proportion_equal: 0.04,
            num_attr_proportion_different: 0.1,
            costs: None,
        }
    }
}

impl Parameters {
    fn check(&self) -> Result<()> {
        let sigma = self.quotient_exp_rank_distance;
        if !(sigma > 0.0 && sigma.is_finite()) {
            return Err(Error::option(
                "quotientExpRankDistance",
                format!("{sigma} is not a number above 0"),
                "use 20, or another number above 0",
            ));
        }
        let proportions = [
            ("numAttrProportionEqual", self.num_attr_proportion_equal),
            ("numAttrProportionDifferent", self.num_attr_proportion_different),
        ];
        for (name, proportion) in proportions {
            if !(0.0..=1.0).contains(&proportion) {
                return Err(Error::option(
                    name,
                    format!("{proportion} is not a fraction of the range"),
                    "use a number from 0 to 1",
                ));
            }
        }
        Ok(())
    }

    /// The cost of predicting each class (second index) for each class, with zeros on the diagonal.
    fn costs_of(&self, classes: usize) -> Result<Vec<Vec<f64>>> {
        let Some(costs) = &self.costs else {
            let cost = |own: usize, other: usize| f64::from(u8::from(own != other));
            return Ok(square(classes, cost));
        };
        let is_square = costs.len() == classes * classes;
        if !is_square || costs.iter().any(|cost| !(0.0..f64::INFINITY).contains(cost)) {
            return Err(Error::option(
                "costMatrix",
                format!("the costs are not {classes} times {classes} numbers from 0 on"),
                "give one row and one column per class that occurs",
            ));
        }
        let off_diagonal = |own: usize, other: usize| match own == other {
            true => 0.0,
            false => costs[own * classes + other],
        };
        Ok(square(classes, off_diagonal))
    }
}

fn square(size: usize, value: impl Fn(usize, usize) -> f64) -> Vec<Vec<f64>> {
    (0..size).map(|row| (0..size).map(|column| value(row, column)).collect()).collect()
}

/// A feature, or a numeric target.
struct Feature {
    /// The value of every row; NaN is missing, and a category is its code.
    values: Vec<f64>,
    /// The ramp of a number; `None` for categories.
    ramp: Option<Ramp>,
    any_missing: bool,
    /// Per row, 0 if its value is missing, otherwise 1 plus its level or interval.
    slots: Vec<u32>,
    /// Per class and slot, the difference between a missing value of a row of the class and the slot.
    expected: Vec<Vec<f64>>,
}

/// Differences up to `equal` are 0, those from `different` on are 1.
#[derive(Debug, Clone, Copy)]
struct Ramp {
    equal: f64,
    different: f64,
    slope: f64,
}

impl Ramp {
    #[inline]
    fn apply(self, distance: f64) -> f64 {
        if distance >= self.different {
            1.0
        } else if distance <= self.equal {
            0.0
        } else {
            (distance - self.equal) * self.slope
        }
    }
}

impl Feature {
    /// A column; `classes` contains the class of every row, of `count` classes. `None` if all values
    /// are missing.
    fn new(
        column: &Column<'_>,
        classes: &[u32],
        count: usize,
        parameters: &Parameters,
    ) -> Option<Self> {
        let mut values = Vec::new();
        column.copy_values(&mut values);
        match column.categories() {
            None => Self::numeric(values, classes, count, parameters),
            Some(_) if values.iter().all(|value| value.is_nan()) => None,
            Some(categories) => {
                let slot = |value: &f64| if value.is_nan() { 0 } else { *value as u32 + 1 };
                let slots = values.iter().map(slot).collect();
                Some(Self::with_slots(
                    values,
                    None,
                    slots,
                    categories.levels().len(),
                    classes,
                    count,
                ))
            }
        }
    }

    /// Numbers; NaN is missing.
    fn numeric(
        values: Vec<f64>,
        classes: &[u32],
        count: usize,
        parameters: &Parameters,
    ) -> Option<Self> {
        // The range of constant features.
        const SMALL_RANGE: f64 = 1e-7;
        // Widens intervals so that rounding cannot put the maximum in another one.
        const WIDENING: f64 = 1.000_001;
        const MOST_INTERVALS: usize = 5;
        const ROWS_PER_INTERVAL: usize = 5;
        let known = || values.iter().copied().filter(|value| !value.is_nan());
        let least = known().reduce(f64::min)?;
        let most = known().reduce(f64::max)?;
        let range = if most > least { most - least } else { SMALL_RANGE };
        let (equal, different) = (
            range * parameters.num_attr_proportion_equal,
            range * parameters.num_attr_proportion_different,
        );
        let ramp = Ramp { equal, different, slope: 1.0 / (different - equal) };
        let intervals = (values.len() / ROWS_PER_INTERVAL).clamp(2, MOST_INTERVALS);
        let step = range / intervals as f64 * WIDENING;
        let slot = |value: &f64| match value.is_nan() {
            true => 0,
            false => 1 + (((value - least) / step) as u32).min(intervals as u32 - 1),
        };
        let slots = values.iter().map(slot).collect();
        Some(Self::with_slots(values, Some(ramp), slots, intervals, classes, count))
    }

    fn with_slots(
        values: Vec<f64>,
        ramp: Option<Ramp>,
        slots: Vec<u32>,
        levels: usize,
        classes: &[u32],
        count: usize,
    ) -> Self {
        let mut expected = vec![vec![0.0; levels + 1]; count];
        for (&slot, &class) in slots.iter().zip(classes) {
            expected[class as usize][slot as usize] += 1.0;
        }
        for of_class in &mut expected {
            let Some((both, each)) = of_class.split_first_mut() else { continue };
            // The Laplace correction adds one row per level.
            let rows = levels as f64 + each.iter().sum::<f64>();
            let mut equal = 0.0;
            for one in each {
                let probability = (*one + 1.0) / rows;
                *one = 1.0 - probability;
                equal += probability * probability;
            }
            *both = 1.0 - equal;
        }
        let any_missing = slots.contains(&0);
        Self { values, ramp, any_missing, slots, expected }
    }

    /// The difference between a query row and another row. `classes` contains the class of every row.
    #[inline]
    fn difference(&self, row: usize, other: usize, classes: &[u32]) -> f64 {
        if self.slots[row] == 0 {
            return self.expected[classes[row] as usize][self.slots[other] as usize];
        }
        if self.slots[other] == 0 {
            return self.expected[classes[other] as usize][self.slots[row] as usize];
        }
        let (a, b) = (self.values[row], self.values[other]);
        match self.ramp {
            Some(ramp) => ramp.apply((b - a).abs()),
            None => f64::from(u8::from(a != b)),
        }
    }

    /// Adds the differences between a query row and every row to its distances.
    fn add_differences(&self, row: usize, classes: &[u32], distances: &mut [f64]) {
        if self.any_missing {
            for (other, distance) in distances.iter_mut().enumerate() {
                *distance += self.difference(row, other, classes);
            }
            return;
        }
        let own = self.values[row];
        let pairs = distances.iter_mut().zip(&self.values);
        match self.ramp {
            Some(ramp) => pairs.for_each(|(sum, value)| *sum += ramp.apply((value - own).abs())),
            None => pairs.for_each(|(sum, value)| *sum += f64::from(u8::from(*value != own))),
        }
    }
}

/// A distance, and the row that is at this distance.
type Candidate = (f64, u32);

/// A heap sort (Williams 1964, with Floyd's construction of the heap) that stops after `count` steps:
/// the `count` nearest candidates are at the end, the nearest one last. The order of the others is
/// that of the remaining heap.
fn sort_nearest(candidates: &mut [Candidate], count: usize) {
    let len = candidates.len();
    for root in (0..len / 2).rev() {
        sift_down(candidates, root);
    }
    for end in (len.saturating_sub(count).max(1)..len).rev() {
        candidates.swap(0, end);
        sift_down(&mut candidates[..end], 0);
    }
}

/// Moves the candidate at `root` down in a heap whose smallest distance is at the top. The left one
/// of two equal children goes up.
fn sift_down(heap: &mut [Candidate], mut root: usize) {
    loop {
        let mut child = 2 * root + 1;
        if child >= heap.len() {
            return;
        }
        if child + 1 < heap.len() && heap[child].0 > heap[child + 1].0 {
            child += 1;
        }
        if heap[root].0 <= heap[child].0 {
            return;
        }
        heap.swap(root, child);
        root = child;
    }
}

/// A neighbor of a query row.
#[derive(Debug, Clone, Copy)]
struct Neighbor {
    row: u32,
    weight: f64,
    /// The difference of the numeric targets; 0 for classes.
    target: f64,
}

/// The neighbors of a query row of one class, the nearest first; with a numeric target all neighbors.
#[derive(Debug, Clone)]
struct Group {
    /// The factor of the mean difference in the score, negative for hits.
    factor: f64,
    /// The sum of the weights.
    total: f64,
    neighbors: Vec<Neighbor>,
}

/// Sums over the query rows, per number of neighbors or, unless that is varied, only one: the
/// differences of a feature, and their products with the differences of the target.
type Sums = Vec<[f64; 2]>;

/// The rules of one fit.
struct Fit<'f> {
    estimator: Estimator,
    parameters: &'f Parameters,
    features: &'f [Feature],
    /// The features in the order in which their differences are summed.
    order: &'f [usize],
    /// The class of every row; 0 with a numeric target.
    classes: &'f [u32],
    /// Per class of the query row (first index), the factor of the neighbors of each class.
    factors: &'f [Vec<f64>],
    target: Option<&'f Feature>,
}

/// Computes CORElearn's scores of the features: the result of
/// `attrEval(target ~ ., data, estimator, ...)`, in the order of the columns.
///
/// Scores are in [-1, 1], except those that depend on costs, and `RReliefFwithMSE`, which is in [0, 1].
/// The score of a feature without any known value is NaN; CORElearn excludes it. `RReliefFwithMSE` is
/// NaN if all features have equal scores, as in a table of one feature.
///
/// # Errors
/// A target of the wrong kind, one class, fewer than two rows, another number of rows than the target,
/// parameters out of range; for `Relief` and `ReliefKukar`, a class of one row; too little memory;
/// [`Error::Cancelled`].
pub fn attr_eval(
    table: &Table<'_>,
    target: &Target,
    estimator: Estimator,
    parameters: &Parameters,
    run: &Run,
) -> Result<Vec<f64>> {
    parameters.check()?;
    let rows = table.rows();
    if rows != target.rows() {
        return Err(Error::data(
            format!("{rows} rows of features, but {} of the target", target.rows()),
            "provide one value of the target per row",
        ));
    }
    if rows < 2 {
        return Err(Error::data("fewer than 2 rows, which have no neighbors", "add rows"));
    }
    let one_class = vec![0; rows];
    let (classes, factors, numbers) = match estimator.is_regression() {
        true => (&one_class[..], vec![vec![1.0]], Some(target.values(estimator.name())?)),
        false => {
            let classes = target.classes(estimator.name())?;
            let factors = factors(classes, estimator, parameters)?;
            (classes.codes(), factors, None)
        }
    };
    let largest = match target.as_classes() {
        Some(classes) => classes.counts().iter().copied().max().unwrap_or(0),
        None => rows - 1,
    };
    let lengths = if estimator.is_best() { largest } else { 1 };
    let of_feature = rows * (size_of::<f64>() + size_of::<u32>()) + lengths * size_of::<[f64; 2]>();
    let of_row = rows * (size_of::<Neighbor>() + size_of::<Candidate>());
    let bytes = (table.width() + 1).saturating_mul(of_feature) + ROWS_AT_ONCE * of_row;
    run.progress().memory(bytes as u64);
    run.memory().claim(bytes as u64, estimator.name(), "use fewer rows")?;

    let feature = |column| Feature::new(column, classes, factors.len(), parameters);
    let found: Vec<Option<Feature>> = run.install(|| parallel::map(table.columns(), feature));
    let places: Vec<usize> = (0..found.len()).filter(|&place| found[place].is_some()).collect();
    let features: Vec<Feature> = found.into_iter().flatten().collect();
    let mut order: Vec<usize> = (0..features.len()).collect();
    order.sort_by_key(|&feature| features[feature].ramp.is_some());
    let difference =
        numbers.and_then(|numbers| Feature::numeric(numbers.to_vec(), classes, 1, parameters));
    let fit = Fit {
        estimator,
        parameters,
        features: &features,
        order: &order,
        classes,
        factors: &factors,
        target: difference.as_ref(),
    };
    let sums = fit.sums(lengths, run)?;
    let mut own = fit.scores(&sums);
    if let (Estimator::RReliefFWithMse, Some(numbers)) = (estimator, numbers) {
        let errors: Vec<f64> =
            features.iter().map(|feature| -error_of_split(feature, numbers)).collect();
        own = combined(&own, &errors, rows);
    }
    let mut scores = vec![f64::NAN; table.width()];
    places.iter().zip(own).for_each(|(&place, score)| scores[place] = score);
    Ok(scores)
}

/// Per class of the query row (first index), the factor of the mean difference of its neighbors in
/// each class. The probabilities are the frequencies of the classes, in `ReliefKukar` with a Laplace
/// correction.
fn factors(
    classes: &Classes,
    estimator: Estimator,
    parameters: &Parameters,
) -> Result<Vec<Vec<f64>>> {
    let count = classes.len();
    if count < 2 {
        return Err(Error::data(
            "all rows have the same class, so that none has misses",
            "use a target with two or more classes",
        ));
    }
    if estimator.is_of_two()
        && let Some(alone) = classes.counts().iter().position(|&rows| rows < 2)
    {
        let class = quoted(&classes.names()[alone]);
        return Err(Error::data(
            format!("class {class} has one row, which has no hit"),
            format!("exclude the row, or use `{}`", Estimator::ReliefFExpRank.name()),
        ));
    }
    let costs = parameters.costs_of(count)?;
    let rows = classes.codes().len() as f64;
    let share = |rows_of_class: &usize| match estimator {
        Estimator::ReliefKukar => (*rows_of_class as f64 + 1.0) / (rows + count as f64),
        _ => *rows_of_class as f64 / rows,
    };
    let shares: Vec<f64> = classes.counts().iter().map(share).collect();
    let expected = |own: usize| {
        let sum: f64 = shares.iter().zip(&costs[own]).map(|(share, cost)| share * cost).sum();
        sum / (1.0 - shares[own])
    };
    let mean = |own: usize| costs[own].iter().sum::<f64>() / (count as f64 - 1.0);
    // The priors of the classes if misses count by them.
    let normalized = |values: Vec<f64>| {
        let sum: f64 = values.iter().sum();
        values.into_iter().map(|value| value / sum).collect::<Vec<f64>>()
    };
    let priors = match estimator {
        Estimator::ReliefFPe => {
            normalized((0..count).map(|own| shares[own] * expected(own)).collect())
        }
        Estimator::ReliefFPa => normalized((0..count).map(mean).collect()),
        _ => shares.clone(),
    };
    let all: f64 = (0..count).map(|own| shares[own] * expected(own)).sum();
    let factor = |own: usize, other: usize| match estimator {
        Estimator::ReliefFExpC if own == other => -expected(own),
        Estimator::ReliefFExpC => shares[other] * costs[own][other] / (1.0 - shares[own]),
        Estimator::ReliefFAvgC if own == other => -mean(own),
        Estimator::ReliefFAvgC => costs[own][other] / (count as f64 - 1.0),
        _ if own == other => -1.0,
        Estimator::Relief => 1.0,
        Estimator::ReliefKukar => expected(own) / all,
        _ => priors[other] / (1.0 - priors[own]),
    };
    let factors = square(count, factor);
    if factors.iter().flatten().any(|factor| !factor.is_finite()) {
        return Err(Error::option(
            "costMatrix",
            format!("the costs of errors sum to 0, by which {} divides", estimator.name()),
            "give errors a cost above 0",
        ));
    }
    Ok(factors)
}

/// The number of query rows whose neighbors are in memory at the same time.
const ROWS_AT_ONCE: usize = 256;

impl Fit<'_> {
    /// The sums of every feature, and of a numeric target after them.
    ///
    /// The neighbors of some rows are searched row by row, then added feature by feature in the order
    /// of the rows. So the sums do not depend on the number of threads.
    fn sums(&self, lengths: usize, run: &Run) -> Result<Vec<Sums>> {
        let rows = self.classes.len();
        let measured: Vec<&Feature> = self.features.iter().chain(self.target).collect();
        let mut sums: Vec<Sums> = vec![vec![[0.0; 2]; lengths]; measured.len()];
        run.progress().start("searching neighbors", rows.div_ceil(ROWS_AT_ONCE) as u64);
        for first in (0..rows).step_by(ROWS_AT_ONCE) {
            let places: Range<usize> = first..(first + ROWS_AT_ONCE).min(rows);
            let of_row = |distances: &mut Vec<f64>, row: usize| {
                run.check()?;
                Ok(self.groups(row, distances))
            };
            run.install(|| {
                let groups: Vec<Vec<Group>> = parallel::try_map_with(places.clone(), of_row)?;
                parallel::try_for_each(sums.iter_mut().zip(&measured), |(sums, feature)| {
                    run.check()?;
                    for (row, groups) in places.clone().zip(&groups) {
                        groups.iter().for_each(|group| self.add(feature, row, group, sums));
                    }
                    Ok(())
                })
            })?;
            run.progress().advance(1);
        }
        run.progress().finish();
        Ok(sums)
    }

    /// The neighbors of a query row.
    fn groups(&self, row: usize, distances: &mut Vec<f64>) -> Vec<Group> {
        distances.clear();
        distances.resize(self.classes.len(), 0.0);
        for &feature in self.order {
            self.features[feature].add_differences(row, self.classes, distances);
        }
        match self.target {
            Some(target) => vec![self.nearest(row, target, distances)],
            None if self.estimator.is_of_two() => self.nearest_two(row, distances),
            None => self.nearest_of_classes(row, distances),
        }
    }

    /// The nearest hit and the nearest miss; the first one of several at the same distance.
    fn nearest_two(&self, row: usize, distances: &[f64]) -> Vec<Group> {
        let own = self.classes[row];
        let factors = &self.factors[own as usize];
        let mut nearest: [Option<Candidate>; 2] = [None; 2];
        for (other, &distance) in distances.iter().enumerate().filter(|one| one.0 != row) {
            let place = &mut nearest[usize::from(self.classes[other] != own)];
            if place.is_none_or(|found| distance < found.0) {
                *place = Some((distance, other as u32));
            }
        }
        // All misses have the same factor.
        let other = usize::from(own == 0);
        let group = |(found, factor): (Option<Candidate>, f64)| {
            found.map(|(_, row)| Group {
                factor,
                total: 1.0,
                neighbors: vec![Neighbor { row, weight: 1.0, target: 0.0 }],
            })
        };
        nearest.into_iter().zip([factors[own as usize], factors[other]]).filter_map(group).collect()
    }

    /// The nearest rows of every class that are not identical to the query row.
    fn nearest_of_classes(&self, row: usize, distances: &[f64]) -> Vec<Group> {
        let factors = &self.factors[self.classes[row] as usize];
        let mut candidates: Vec<Vec<Candidate>> = vec![Vec::new(); factors.len()];
        for (other, &distance) in distances.iter().enumerate() {
            if other != row && distance != 0.0 {
                candidates[self.classes[other] as usize].push((distance, other as u32));
            }
        }
        let mut groups = Vec::with_capacity(factors.len());
        for (mut of_class, &factor) in candidates.into_iter().zip(factors) {
            let k = self.most_neighbors().min(of_class.len());
            if k == 0 {
                continue;
            }
            sort_nearest(&mut of_class, k);
            let nearest: Vec<Candidate> = of_class.into_iter().rev().take(k).collect();
            let weights = self.weights(&nearest, nearest[0].0);
            let total = weights.iter().sum();
            let neighbor = |(&(distance, row), weight): (&Candidate, f64)| {
                let is_merit = self.estimator == Estimator::ReliefFMerit;
                let weight = if is_merit { weight / distance } else { weight };
                Neighbor { row, weight, target: 0.0 }
            };
            let neighbors = nearest.iter().zip(weights).map(neighbor).collect();
            groups.push(Group { factor, total, neighbors });
        }
        groups
    }

    /// The nearest rows, whatever their target.
    fn nearest(&self, row: usize, target: &Feature, distances: &[f64]) -> Group {
        let mut candidates: Vec<Candidate> = distances.iter().copied().zip(0..).collect();
        let k = self.most_neighbors();
        sort_nearest(&mut candidates, k + 1);
        // The nearest row takes the place of the query row, even if that is far from itself.
        if let Some(place) = candidates.iter().rposition(|one| one.1 as usize == row) {
            candidates.swap_remove(place);
        }
        candidates.reverse();
        let least = candidates.iter().find(|one| one.0 > 0.0).map_or(1.0, |one| one.0);
        candidates.truncate(k);
        let weights = self.weights(&candidates, least);
        let total = weights.iter().sum();
        let neighbor = |(&(_, other), weight): (&Candidate, f64)| Neighbor {
            row: other,
            weight,
            target: target.difference(row, other as usize, self.classes),
        };
        let neighbors = candidates.iter().zip(weights).map(neighbor).collect();
        Group { factor: 1.0, total, neighbors }
    }

    /// The largest number of neighbors in a group.
    fn most_neighbors(&self) -> usize {
        let others = self.classes.len() - 1;
        let k = match self.estimator.weighting() {
            Weighting::Equal if self.estimator.is_best() => 0,
            Weighting::Equal => self.parameters.k_nearest_equal,
            _ => self.parameters.k_nearest_exp_rank,
        };
        if k == 0 { others } else { k.min(others) }
    }

    /// The weights of neighbors, the nearest first. Those at distance 0 have twice the weight of
    /// `least`, the smallest other distance.
    fn weights(&self, nearest: &[Candidate], least: f64) -> Vec<f64> {
        let variance = self.parameters.quotient_exp_rank_distance.powi(2);
        let inverse = |distance: f64, power: i32| match distance > 0.0 {
            true => 1.0 / distance.powi(power),
            false => 2.0 / least.powi(power),
        };
        let mut last = 1.0;
        let weight = |(rank, &(distance, _)): (usize, &Candidate)| match self.estimator.weighting()
        {
            Weighting::Equal => 1.0,
            Weighting::Distance => inverse(distance, 1),
            Weighting::SquaredDistance => inverse(distance, 2),
            Weighting::Rank => {
                if rank > 0 && distance != nearest[rank - 1].0 {
                    last = (-(rank as f64).powi(2) / variance).exp();
                }
                last
            }
        };
        nearest.iter().enumerate().map(weight).collect()
    }

    /// Adds the mean differences of a feature between a query row and a group of its neighbors.
    fn add(&self, feature: &Feature, row: usize, group: &Group, sums: &mut Sums) {
        // Smaller sums do not count if the target has classes, except in `Relief` and `ReliefKukar`.
        const SMALL_SUM: f64 = 1e-7;
        let mut own = [0.0; 2];
        let differences = |own: &mut [f64; 2], neighbor: &Neighbor| {
            let difference = feature.difference(row, neighbor.row as usize, self.classes);
            let weighted = neighbor.weight * difference;
            own[0] += weighted;
            own[1] += weighted * neighbor.target;
        };
        let add_to = |sums: &mut [f64; 2], own: [f64; 2], total: f64| {
            sums[0] += group.factor * own[0] / total;
            sums[1] += group.factor * own[1] / total;
        };
        if self.estimator.is_best() {
            let counts = 1..=group.neighbors.len();
            for ((neighbor, count), sums) in group.neighbors.iter().zip(counts).zip(&mut *sums) {
                differences(&mut own, neighbor);
                add_to(sums, own, count as f64);
            }
            for sums in sums.iter_mut().skip(group.neighbors.len()) {
                add_to(sums, own, group.total);
            }
            return;
        }
        group.neighbors.iter().for_each(|neighbor| differences(&mut own, neighbor));
        let counts_all = self.target.is_some() || self.estimator.is_of_two();
        if counts_all || own[0] > SMALL_SUM {
            add_to(&mut sums[0], own, group.total);
        }
    }

    /// The scores of the features from their [sums](Self::sums).
    fn scores(&self, sums: &[Sums]) -> Vec<f64> {
        let rows = self.classes.len() as f64;
        let (own, target) = sums.split_at(self.features.len());
        let Some(target) = target.first() else {
            let largest = |sums: &Sums| {
                let scores = sums.iter().map(|sum| sum[0] / rows);
                scores.fold(f64::NEG_INFINITY, f64::max)
            };
            return own.iter().map(largest).collect();
        };
        let score = |sum: &[f64; 2], differences: f64| {
            sum[1] / differences - (sum[0] - sum[1]) / (rows - differences)
        };
        if self.estimator.is_best() {
            let best = |sums: &Sums| {
                let scores = sums.iter().zip(target).map(|(sum, of)| score(sum, of[0]));
                // `max` ignores NaN, the score of a k where no neighbor differs in its target.
                scores.fold(-1.0, f64::max)
            };
            return own.iter().map(best).collect();
        }
        // Keeps both denominators above 0.
        const MARGIN: f64 = 1e-7;
        let differences = target[0][0].max(MARGIN);
        let differences = if differences + MARGIN > rows { rows - MARGIN } else { differences };
        own.iter().map(|sums| score(&sums[0], differences)).collect()
    }
}

/// The mean squared error of a numeric target after the best split of a feature in two: numbers by a
/// threshold, categories by the mean targets of their levels (`estimatorReg.cpp`, `MSE`). Rows with a
/// missing value are excluded. The largest number if the feature cannot be split.
fn error_of_split(feature: &Feature, target: &[f64]) -> f64 {
    // Count, sum and sum of squares of the rows of a step.
    let moment = |row: usize| [1.0, target[row], target[row] * target[row]];
    let known = || (0..target.len()).filter(|&row| feature.slots[row] != 0);
    let add = |sum: &mut [f64; 3], more: [f64; 3], sign: f64| {
        sum.iter_mut().zip(more).for_each(|(own, one)| *own += sign * one);
    };
    // The steps in their order, and whether a split may follow each.
    let mut steps: Vec<([f64; 3], bool)> = Vec::new();
    let mut right = [0.0; 3];
    if feature.ramp.is_some() {
        let mut rows: Vec<usize> = known().collect();
        rows.iter().for_each(|&row| add(&mut right, moment(row), 1.0));
        rows.sort_by(|&a, &b| feature.values[a].total_cmp(&feature.values[b]));
        let value = |place: usize| rows.get(place).map(|&row| feature.values[row]);
        let step = |(place, &row): (usize, &usize)| {
            (moment(row), value(place + 1).is_some_and(|next| value(place) != Some(next)))
        };
        steps.extend(rows.iter().enumerate().map(step));
    } else {
        let levels = feature.slots.iter().max().map_or(0, |most| *most as usize);
        let mut of_levels = vec![[0.0; 3]; levels + 1];
        known().for_each(|row| add(&mut of_levels[feature.slots[row] as usize], moment(row), 1.0));
        of_levels.retain(|own| own[0] > 0.0);
        of_levels.iter().for_each(|&own| add(&mut right, own, 1.0));
        of_levels.sort_by(|a, b| (a[1] / a[0]).total_cmp(&(b[1] / b[0])));
        let last = of_levels.len().saturating_sub(1);
        steps.extend(of_levels.into_iter().enumerate().map(|(place, own)| (own, place < last)));
    }
    let all = right[0];
    let variance = |[count, sum, squares]: [f64; 3]| {
        (squares / count - (sum / count) * (sum / count)).max(0.0)
    };
    let (mut left, mut least) = ([0.0; 3], f64::MAX);
    for (step, is_split) in steps {
        add(&mut left, step, 1.0);
        add(&mut right, step, -1.0);
        if is_split {
            let share = left[0] / all;
            least = (share * variance(left) + (1.0 - share) * variance(right)).min(least);
        }
    }
    least
}

/// The combination of two scores by `RReliefFwithMSE` (`estimatorReg.cpp`, `Combination`): both are
/// scaled to [0, 1], and the first has the weight `exp(-(50 / rows)^2)`.
fn combined(scores: &[f64], errors: &[f64], rows: usize) -> Vec<f64> {
    const ENOUGH_ROWS: f64 = 50.0;
    let weight = (-1.0 / (rows as f64 / ENOUGH_ROWS).powi(2)).exp();
    let scaled = |values: &[f64]| {
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let range = values.iter().copied().fold(f64::NEG_INFINITY, f64::max) - least;
        values.iter().map(|value| (value - least) / range).collect::<Vec<f64>>()
    };
    let both = scaled(scores).into_iter().zip(scaled(errors));
    both.map(|(score, error)| weight * score + (1.0 - weight) * error).collect()
}

#[cfg(test)]
mod tests {
    //! The expected scores are those of CORElearn 1.57.3.1 in R 4.2.2 on one thread, printed with 12
    //! decimals: `attrEval(y ~ ., data, estimator = name, ...)`, where `data` are the columns of
    //! [`table`] and `y` is [`class`] or [`number`].

    use super::*;
    use crate::data::{Categories, MISSING_CODE};
    use crate::methods::testing::{classes, largest_difference, run};

    /// Whole numbers from 0 to 100 without an evident order.
    fn value(row: usize, feature: usize) -> usize {
        let i = row + 1;
        (i * i * (7 * feature + 3) + 13 * i * (feature + 2)) % 101
    }

    /// A table of 40 rows, of which those from `distinct` on repeat the first ones. Its features are
    /// numbers (`n`), categories (`c`) or ordered levels (`o`). Feature f has the values
    /// `value(i, f)` or the categories `value(i, f) % (f + 2)`. With `is_missing`, the value is missing if
    /// `(3 i + 5 f) % 7` is 0.
    fn table(kinds: &str, distinct: usize, is_missing: bool) -> Table<'static> {
        let column = |(feature, kind): (usize, char)| {
            let levels = feature + 2;
            let cell = |row: usize| {
                let i = row % distinct;
                let is_known = !is_missing || !(3 * i + 5 * feature).is_multiple_of(7);
                is_known.then(|| value(i, feature))
            };
            let name = format!("x{feature}");
            if kind == 'n' {
                let number = |row: usize| cell(row).map_or(f64::NAN, |known| known as f64);
                return Column::numeric(name, (0..40).map(number).collect::<Vec<f64>>()).unwrap();
            }
            let code = |row: usize| cell(row).map_or(MISSING_CODE, |known| (known % levels) as u32);
            let codes = (0..40).map(code).collect();
            let names = (0..levels).map(|level| level.to_string()).collect();
            let categories = match kind {
                'o' => Categories::ordered(codes, names),
                _ => Categories::new(codes, names),
            };
            Column::categorical(name, categories.unwrap())
        };
        Table::new(kinds.chars().enumerate().map(column).collect()).unwrap()
    }

    fn sum(row: usize) -> usize {
        value(row, 0) + value(row, 1)
    }

    /// The number of bounds below [`sum`].
    fn class(bounds: &[usize]) -> Target {
        let code = |row| bounds.iter().filter(|bound| sum(row) > **bound).count() as u32;
        classes(&(0..40).map(code).collect::<Vec<u32>>())
    }

    /// [`sum`], minus a value that no feature has.
    fn number() -> Target {
        let number = |row| sum(row) as f64 - value(row, 5) as f64;
        Target::real((0..40).map(number).collect()).unwrap()
    }

    /// Compares the scores with lines of a name and one score per feature, on one and three threads.
    fn assert_scores(
        table: &Table<'_>,
        target: &Target,
        parameters: &Parameters,
        expected: &'static str,
    ) {
        for line in expected.trim().lines() {
            let mut words = line.split_whitespace();
            let estimator = Estimator::from_name(words.next().unwrap()).unwrap();
            let expected: Vec<f64> = words.map(|word| word.parse().unwrap()).collect();
            let found = attr_eval(table, target, estimator, parameters, &run(1)).unwrap();
            let gap = largest_difference(&found, &expected);
            assert!(gap < 1e-12, "{estimator:?}: {found:?} instead of {expected:?}");
            let again = attr_eval(table, target, estimator, parameters, &run(3)).unwrap();
            let bits = |scores: &[f64]| scores.iter().map(|own| own.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&found), bits(&again), "{estimator:?}");
        }
    }

    #[test]
    fn numbers_and_two_classes() {
        let expected = "
        ReliefFequalK 0.071219931271 0.162061403509 0.083906250000 -0.077570921986
        ReliefFexpRank 0.055223502930 0.116409020704 0.064703045256 -0.024875169515
        ReliefFbestK 0.071849942726 0.230263157895 0.383506944444 -0.001773049645
        Relief 0.102920962199 0.282017543860 0.504687500000 -0.018617021277
        ReliefFmerit -0.002233898264 0.023434081627 0.008108030812 -0.029308214175
        ReliefFdistance 0.065091235392 0.143953853568 0.094327343834 -0.015078821248
        ReliefFsqrDistance 0.094283156958 0.208936354613 0.163243971526 0.007150211446
        ReliefFexpC 0.055223502930 0.116409020704 0.064703045256 -0.024875169515
        ReliefFavgC 0.055223502930 0.116409020704 0.064703045256 -0.024875169515
        ReliefFpe 0.055223502930 0.116409020704 0.064703045256 -0.024875169515
        ReliefFpa 0.055223502930 0.116409020704 0.064703045256 -0.024875169515
        ReliefKukar 0.102920962199 0.282017543860 0.504687500000 -0.018617021277
        ";
        let table = table("nnnn", 40, false);
        assert_scores(&table, &class(&[100]), &Parameters::default(), expected);
    }

    /// `costMatrix = matrix(c(0, 1, 4, 2, 0, 1, 3, 5, 0), 3, byrow = TRUE)`.
    #[test]
    fn missing_values_of_all_kinds_three_classes_and_costs() {
        let expected = "
        ReliefFequalK 0.103672687591 0.118401056184 0.042541473765 -0.027738694402 -0.027470095769
        ReliefFexpRank 0.084778509625 0.087545955651 0.043527631652 -0.025636043169 -0.026116551886
        ReliefFbestK 0.241930379609 0.173452742305 0.098717666079 -0.022216929326 -0.020041226615
        Relief 0.193380245408 0.139521888191 -0.047222222222 -0.195213997684 -0.232072594924
        ReliefFmerit 0.016146818734 0.015326832934 0.005147001658 -0.018083199864 -0.018537453462
        ReliefFdistance 0.094699773859 0.088323274364 0.048386190822 -0.029213043247 -0.030062552795
        ReliefFsqrDistance 0.112159140779 0.098170099158 0.053383222944 -0.039848475509 -0.038763168713
        ReliefFexpC 0.223435200431 0.147886513585 0.026486367020 -0.066026921890 -0.077302033835
        ReliefFavgC 0.252183678097 0.187975583561 0.036971163082 -0.055522995700 -0.079302403765
        ReliefFpe 0.088345725291 0.083922466564 0.037991824413 -0.021185867316 -0.022637046654
        ReliefFpa 0.095082617070 0.088144709513 0.035027004046 -0.019260524687 -0.020452499754
        ReliefKukar 0.196063977510 0.132464725801 -0.068033408286 -0.188429140992 -0.234020828377
        ";
        let costs = Some(vec![0.0, 1.0, 4.0, 2.0, 0.0, 1.0, 3.0, 5.0, 0.0]);
        let parameters = Parameters { costs, ..Parameters::default() };
        assert_scores(&table("nncoc", 40, true), &class(&[70, 130]), &parameters, expected);
    }

    /// `kNearestEqual = 3, kNearestExpRank = 5, quotientExpRankDistance = 2`: at the k-th place, many rows
    /// have equal distances, and identical rows have different classes.
    #[test]
    fn equal_distances_and_identical_rows() {
        let expected = "
        ReliefFequalK -0.117372134039 -0.038722167108 0.004150132275 0.051817405203
        ReliefFexpRank -0.116006241947 -0.065182956970 0.014369140250 0.063118491503
        ReliefFbestK -0.037044328990 0.015476190476 0.004150132275 0.172412367725
        Relief -0.025000000000 0.025000000000 -0.075000000000 0.125000000000
        ReliefFmerit -0.073483010170 -0.029440709180 0.002634843006 0.100288876345
        ReliefFdistance -0.109469390398 -0.092299001287 -0.002796684983 0.063564848405
        ReliefFsqrDistance -0.115099256195 -0.059622472975 0.001953515398 0.062820939603
        ReliefFexpC -0.116006241947 -0.065182956970 0.014369140250 0.063118491503
        ReliefFavgC -0.115182917641 -0.056546227973 0.051903274183 0.072703736095
        ReliefFpe -0.116006241947 -0.065182956970 0.014369140250 0.063118491503
        ReliefFpa -0.115182917641 -0.056546227973 0.051903274183 0.072703736095
        ReliefKukar -0.025000000000 0.025000000000 -0.075000000000 0.125000000000
        ";
        let parameters = Parameters {
            k_nearest_equal: 3,
            k_nearest_exp_rank: 5,
            quotient_exp_rank_distance: 2.0,
            ..Parameters::default()
        };
        assert_scores(&table("cccc", 16, false), &class(&[70, 130]), &parameters, expected);
    }

    #[test]
    fn numbers_and_a_numeric_target() {
        let expected = "
        RReliefFequalK 0.151927782787 0.061654323122 -0.008118678677 -0.037307654907
        RReliefFexpRank 0.109972890157 0.036811246010 0.003386376932 -0.039577893443
        RReliefFbestK 0.551604145796 0.263285759773 0.288286975795 -0.015901511435
        RReliefFwithMSE 1.000000000000 0.497774407672 0.216717520907 0.000000000000
        RReliefFdistance 0.129209184495 0.063773154159 0.045933731001 -0.005401663175
        RReliefFsqrDistance 0.205958219819 0.121923973378 0.103384046859 -0.002593560998
        ";
        let table = table("nnnn", 40, false);
        assert_scores(&table, &number(), &Parameters::default(), expected);
    }

    /// `kNearestEqual = 4, kNearestExpRank = 9, quotientExpRankDistance = 4, numAttrProportionEqual = 0,
    /// numAttrProportionDifferent = 1`.
    #[test]
    fn missing_values_and_identical_rows_with_a_numeric_target() {
        let expected = "
        RReliefFequalK 0.077536073427 0.055724705567 -0.077045572516 -0.019155464097 -0.098149559159
        RReliefFexpRank 0.070465142709 0.059471133945 -0.068063140751 -0.011274219393 -0.098294804628
        RReliefFbestK 0.084951723993 0.112332360462 0.015098467091 0.038202330096 -0.010661610559
        RReliefFwithMSE 1.000000000000 0.825657672522 0.145966403516 0.108085513593 0.044102793834
        RReliefFdistance 0.056948453535 0.045166289920 -0.056457287076 -0.007578073876 -0.083555185098
        RReliefFsqrDistance 0.046566511909 0.049605973002 -0.063762293186 -0.006094279140 -0.092011515598
        ";
        let parameters = Parameters {
            k_nearest_equal: 4,
            k_nearest_exp_rank: 9,
            quotient_exp_rank_distance: 4.0,
            num_attr_proportion_equal: 0.0,
            num_attr_proportion_different: 1.0,
            costs: None,
        };
        assert_scores(&table("nncoc", 32, true), &number(), &parameters, expected);
    }

    fn refused(target: &Target, name: &str, parameters: &Parameters) -> String {
        let table = table("nn", 40, false);
        let scores = Estimator::from_name(name)
            .and_then(|estimator| attr_eval(&table, target, estimator, parameters, &run(1)));
        scores.unwrap_err().to_string()
    }

    #[test]
    fn refusals_name_the_problem_and_a_way_forward() {
        let usual = Parameters::default();
        let two = class(&[100]);
        let unknown = refused(&two, "MDL", &usual);
        assert!(Estimator::NAMES.iter().all(|name| unknown.contains(name)), "{unknown}");
        assert!(refused(&two, "ReliefFsmp", &usual).contains("use `ReliefFexpC`"));
        assert!(refused(&two, "RReliefFequalK", &usual).contains("numeric target"));
        assert!(refused(&number(), "Relief", &usual).contains("needs classes"));
        assert!(refused(&class(&[]), "ReliefFequalK", &usual).contains("the same class"));
        // The two largest sums are 170 and 176.
        let alone = class(&[170]);
        assert!(refused(&alone, "Relief", &usual).contains("class `1` has one row"));
        let costs = Parameters { costs: Some(vec![0.0; 3]), ..usual.clone() };
        assert!(refused(&two, "ReliefFpe", &costs).contains("2 times 2 numbers"));
        let free = Parameters { costs: Some(vec![0.0; 4]), ..usual.clone() };
        assert!(refused(&two, "ReliefFpe", &free).contains("sum to 0"));
        let proportion = Parameters { num_attr_proportion_equal: 4.0, ..usual.clone() };
        assert!(refused(&two, "Relief", &proportion).contains("from 0 to 1"));
        let sigma = Parameters { quotient_exp_rank_distance: 0.0, ..usual };
        assert!(refused(&two, "ReliefFexpRank", &sigma).contains("above 0"));
    }

    #[test]
    fn a_feature_without_known_values_has_no_score_and_no_effect() {
        let known = table("nn", 40, false);
        let unknown = Column::numeric("x9", vec![f64::NAN; 40]).unwrap();
        let columns = [&known.columns()[..1], &[unknown], &known.columns()[1..]].concat();
        let with_unknown = Table::new(columns).unwrap();
        let scores = |table: &Table<'_>| {
            let (estimator, parameters) = (Estimator::ReliefFExpRank, Parameters::default());
            attr_eval(table, &class(&[100]), estimator, &parameters, &run(1)).unwrap()
        };
        let (of_known, of_all) = (scores(&known), scores(&with_unknown));
        assert!(of_all[1].is_nan());
        assert_eq!([of_all[0], of_all[2]], of_known[..]);
    }

    #[test]
    fn a_cancelled_run_stops() {
        let cancel = crate::run::CancelFlag::new();
        cancel.cancel();
        let run = run(1).with_cancel(cancel);
        let (table, target) = (table("nn", 40, false), class(&[100]));
        let scores = attr_eval(&table, &target, Estimator::Relief, &Parameters::default(), &run);
        assert!(matches!(scores, Err(Error::Cancelled)));
    }
}
