//! # `simba`: gradient ascent on the margin
//!
//! Stochastic gradient ascent on the margin of every row, whose nearest hit and nearest miss are
//! found under the current weights. The ascent is repeated for several orders of the rows. The
//! weights concentrate on few features.
//!
//! ## Formula
//!
//! With the norm $\lVert z \rVert_w = \sqrt{\sum_A w_A^2 z_A^2}$, the margin of a row is
//! $\theta = \tfrac12 (\lVert x - M \rVert_w - \lVert x - H \rVert_w)$, where $M$ is the nearest
//! row of another class and $H$ the nearest row of the same class. Starting from $w = 1$, a step
//! visits one row and adds to $w_A$
//!
//! ```math
//! \Delta_A = \frac{u'(\theta)}{2} \left( \frac{\mathrm{diff}_A(x, M)^2}{\lVert x - M \rVert_w} - \frac{\mathrm{diff}_A(x, H)^2}{\lVert x - H \rVert_w} \right) w_A .
//! ```
//!
//! $u$ is the utility of a margin: the margin itself, or $1/(1 + e^{-\beta\theta})$ with
//! `--utility sigmoid:BETA`, which reduces the influence of rows far from the class boundary. Of
//! `--restarts` orders, the one with the largest mean utility is used. The result is
//! $w^2 / \max w^2 \in [0, 1]$. Symbols are those of [the overview](super#notation).
//!
//! ## Cost
//!
//! Time $n p$ per step, so $n^2 p$ per restart with the default number of steps; memory 8 bytes per
//! value.
//!
//! ## When not to use it
//!
//! - To rank all features: the weights of features that the margin does not need go to 0.
//! - Results that must not depend on a seed.
//! - Weights that must be reproducible to the last digit, with more steps than rows. The increment
//!   of a weight does not shrink with the weight, so all weights may approach 0, and rounding
//!   errors are then amplified, in rare random cases a million times (to 1e-10). Ties of distances
//!   are not a cause.
//! - `--missing ignore`: refused, because the steps need every difference.
//! - For p-values: the largest weight is 1 in every fit, for permuted targets too. Permutation
//!   tests would find nothing and are refused. Test [`multisurf`](super::multisurf) or
//!   [`relieff`](super::relieff) instead.
//!
//! ## Example
//!
//! The class is the sum of two features modulo 5.
//!
//! ```sh
//! basrelief synth modulo-p --rows 400 --modulus 5 --output sums.csv
//! basrelief rank sums.csv --target class --method simba --top 4
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.Simba(random_state=0).fit(X, y).weights_`
//!
//! ## Source
//!
//! R. Gilad-Bachrach, A. Navot and N. Tishby. Margin based feature selection: theory and algorithms.
//! ICML 2004.

use std::fmt;
use std::str::FromStr;

use super::Problem;
use super::info::{MethodInfo, PythonText, Task, WeighFeatures, WeightScale, weighing};
use super::options::{GENOTYPE_DIFF, MISSING, MISSING_COUNTED, RAMP};
use super::page::page;
use super::settings::settings;
use super::shared::{classes, warn_of_lone_rows};
use crate::differences::{MissingPolicy, Space, SpaceOptions, round};
use crate::error::{Error, Result};
use crate::neighbors::{LineScratch, ReweightedRows};
use crate::options::{OptionInfo, OptionKind};
use crate::random::{self, RandomStream};
use crate::report::Report;
use crate::run::Run;
use crate::warning::Warning;

/// The utility of a margin.
///
/// ```
/// use basrelief::methods::{Simba, Utility};
///
/// let method = Simba::new().utility(Utility::Sigmoid { beta: 2.0 });
/// assert_eq!(method.utility, Utility::Sigmoid { beta: 2.0 });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Utility {
    /// The margin itself.
    #[default]
    Linear,
    /// `1 / (1 + exp(-beta margin))`: rows with margins far from 0 have little influence.
    Sigmoid {
        /// The steepness at 0; above 0, at most 1e6.
        beta: f64,
    },
}

impl Utility {
    fn value(self, margin: f64) -> f64 {
        match self {
            Utility::Linear => margin,
            Utility::Sigmoid { beta } => 1.0 / (1.0 + (-beta * margin).exp()),
        }
    }

    fn slope(self, margin: f64) -> f64 {
        match self {
            Utility::Linear => 1.0,
            Utility::Sigmoid { beta } => {
                // The slope is an even function; the exponential of a negative number cannot
                // overflow.
                let small = (-beta * margin.abs()).exp();
                beta * small / ((1.0 + small) * (1.0 + small))
            }
        }
    }

    fn is_valid(self) -> bool {
        match self {
            Utility::Linear => true,
            Utility::Sigmoid { beta } => beta > 0.0 && beta <= 1e6,
        }
    }
}

impl FromStr for Utility {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let utility = match text.split_once(':') {
            None if text == "linear" => Some(Utility::Linear),
            Some(("sigmoid", beta)) => beta.parse().ok().map(|beta| Utility::Sigmoid { beta }),
            _ => None,
        };
        utility.filter(|utility| utility.is_valid()).ok_or_else(|| {
            format!("`{text}` is neither `linear` nor `sigmoid:BETA` with BETA above 0, up to 1e6")
        })
    }
}

impl fmt::Display for Utility {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Utility::Linear => f.write_str("linear"),
            Utility::Sigmoid { beta } => write!(f, "sigmoid:{beta}"),
        }
    }
}

settings! {
    /// Simba (Gilad-Bachrach, Navot & Tishby 2004): stochastic gradient ascent on the utility of
    /// the margin `theta = (||x - miss||_w - ||x - hit||_w) / 2`, with
    /// `||z||_w = sqrt(sum_A w_A^2 z_A^2)`, `z_A = diff(A)`, and the nearest hit and miss (of any
    /// other class) under the current `w`.
    ///
    /// Starting from `w = 1`, a step visits a row and adds `delta_A = u'(theta) / 2 (miss_A^2 /
    /// ||miss||_w - hit_A^2 / ||hit||_w) w_A`; a norm of 0 contributes nothing. Rows are visited in
    /// an order drawn by the seed, repeatedly in the same order if there are more steps than rows.
    /// Of rows at equal distance, the first in that order is the neighbor. The weights are
    /// `w^2 / max(w^2)`, in [0, 1]. Every restart uses a different order. The result is the one
    /// with the largest mean utility over all rows, which is the reported objective.
    ///
    /// A row that is alone in its class has no margin. Missing values count by their expected or
    /// worst-case difference; `ignore` is refused, because a norm over different features for every
    /// pair has no gradient in `w`. A step takes the time of one row's distances to all rows, and a
    /// restart additionally that of all pairs.
    ///
    /// # Errors
    /// The fit refuses a numeric target, one class, options out of range, and the policy `ignore`
    /// for missing values; [`crate::Error::Cancelled`].
    #[derive(Debug, Clone, PartialEq)]
    pub struct Simba {
        /// The utility of a margin.
        pub utility: Utility = UTILITY by str::parse,
        /// Steps per restart; `None` for the number of rows.
        pub steps: Option<usize> = STEPS,
        /// Number of orders that are tried, at least 1.
        pub restarts: usize = RESTARTS,
        /// How two rows differ; the metric is not used.
        pub space: SpaceOptions [
            missing, ramp, genotype_diff
        ],
    }
}

impl WeighFeatures for Simba {
    fn weigh(&self, problem: &Problem<'_>, report: &mut Report, run: &Run) -> Result<Vec<f64>> {
        if !self.utility.is_valid() {
            let problem = format!("BETA of {} is not above 0, up to 1e6", self.utility);
            return Err(Error::option(UTILITY.name, problem, "use linear or sigmoid:BETA"));
        }
        for (option, value) in [(&RESTARTS, self.restarts), (&STEPS, self.steps.unwrap_or(1))] {
            if value == 0 {
                return Err(Error::option(option.name, "0 is less than 1", "give at least 1"));
            }
        }
        refuse_ignored_gaps(INFO.name, self.space)?;
        let classes = classes(problem, INFO.name)?;
        let codes = classes.codes();
        let space = Space::new(problem.table(), Some((codes, classes.len())), self.space, run)?;
        let mut generator = random::generator(run.seed(), RandomStream::VisitingOrder);
        let mut order: Vec<u32> = (0..problem.rows() as u32).collect();
        let mut best: Option<(f64, Vec<f64>)> = None;
        for _ in 0..self.restarts {
            random::shuffle(&mut order, &mut generator);
            // Rows are stored in visiting order, so that the first of tied rows is used.
            let rows = ReweightedRows::new(&space, order.clone(), true, run)?;
            let ascent = Ascent { utility: self.utility, rows, codes, space: &space };
            let (utility, weights) = run.install(|| -> Result<_> {
                let weights = ascent.climb(self.steps.unwrap_or(order.len()), run)?;
                Ok((ascent.mean_utility(&weights, run)?, weights))
            })?;
            // NaN is never used; of equal utilities, the first is.
            if best.as_ref().is_none_or(|(highest, _)| utility > *highest) {
                best = Some((utility, weights));
            }
        }
        let (utility, weights) =
            best.ok_or_else(|| Error::Internal("no restart was done".to_string()))?;
        report.iterations = Some(self.steps.unwrap_or(order.len()));
        report.objective = Some(utility);
        warn_of_lone_rows(classes, "has no hit and hence no margin, and does not count", report);
        if weights.iter().all(|weight| *weight == 0.0) {
            report.warnings.push(Warning::new(
                "no-positive-margin",
                "no feature differs between rows, or the steps canceled out: every weight is 0",
            ));
        }
        Ok(weights)
    }
}

/// Refuses the policy `ignore` for a method that needs every difference.
pub(crate) fn refuse_ignored_gaps(method: &str, space: SpaceOptions) -> Result<()> {
    if space.missing == MissingPolicy::Ignore {
        return Err(Error::option(
            MISSING.name,
            format!("{method} needs every difference and cannot ignore missing values"),
            "use `expected` or `pessimistic`",
        ));
    }
    Ok(())
}

/// The ascent for one order of the rows.
struct Ascent<'a> {
    utility: Utility,
    rows: ReweightedRows<'a>,
    codes: &'a [u32],
    space: &'a Space<'a>,
}

/// A row's nearest hit and miss: positions and norms.
struct Nearest {
    hit: (usize, f64),
    miss: (usize, f64),
}

impl Nearest {
    fn margin(&self) -> f64 {
        0.5 * (self.miss.1 - self.hit.1)
    }
}

impl Ascent<'_> {
    /// Nearest hit and miss, given the squared distances; `None` if either does not exist. Of rows
    /// whose distances differ only by rounding, the first is used.
    fn nearest(&self, own: usize, distances: &[f64]) -> Option<Nearest> {
        let order = self.rows.order();
        let class = self.codes[order[own] as usize];
        let mut least = [(usize::MAX, f64::INFINITY); 2];
        let mut found = [0.0; 2];
        for (place, &distance) in distances.iter().enumerate() {
            let side = usize::from(self.codes[order[place] as usize] != class);
            let rounded = round(distance);
            if rounded < least[side].1 && place != own {
                least[side] = (place, rounded);
                found[side] = distance;
            }
        }
        let [hit, miss] = [0, 1].map(|side| (least[side].0, f64::sqrt(found[side])));
        (hit.0 != usize::MAX && miss.0 != usize::MAX).then_some(Nearest { hit, miss })
    }

    /// `w^2 / max(w^2)` after `steps` steps.
    fn climb(&self, steps: usize, run: &Run) -> Result<Vec<f64>> {
        let mut w = vec![1.0; self.rows.width()];
        for feature in self.space.constant_features() {
            w[feature] = 0.0;
        }
        let (mut scratch, mut distances) = (LineScratch::default(), Vec::new());
        run.progress().start("gradient ascent", steps as u64);
        for step in 0..steps {
            run.check()?;
            let own = step % self.rows.len();
            let squares: Vec<f64> = w.iter().map(|w| w * w).collect();
            let weighting = self.rows.weighting(&squares);
            self.rows.line(&weighting, own, &mut scratch, &mut distances);
            if let Some(nearest) = self.nearest(own, &distances) {
                self.step(own, &nearest, &mut w);
            }
            run.progress().advance(1);
        }
        run.progress().finish();
        let largest = w.iter().fold(0.0, |most, w| f64::max(most, w.abs()));
        if largest > 0.0 {
            w.iter_mut().for_each(|w| *w = (*w / largest) * (*w / largest));
        }
        Ok(w)
    }

    fn step(&self, own: usize, nearest: &Nearest, w: &mut [f64]) {
        let order = self.rows.order();
        let row = order[own] as usize;
        let scale = 0.5 * self.utility.slope(nearest.margin());
        for (feature, w) in w.iter_mut().enumerate() {
            let part = |(place, norm): (usize, f64)| {
                let other = order[place] as usize;
                let difference = self.space.difference(feature, row, other).unwrap_or(0.0);
                if norm > 0.0 { difference * difference / norm } else { 0.0 }
            };
            *w += scale * (part(nearest.miss) - part(nearest.hit)) * *w;
        }
    }

    /// Mean utility of the margins of all rows that have one, with `weights` = `w^2`; 0 if no row
    /// has a margin.
    fn mean_utility(&self, weights: &[f64], run: &Run) -> Result<f64> {
        let weighting = self.rows.weighting(weights);
        let (mut scratch, mut distances) = (LineScratch::default(), Vec::new());
        let (mut sum, mut count) = (0.0, 0.0);
        for own in 0..self.rows.len() {
            run.check()?;
            self.rows.line(&weighting, own, &mut scratch, &mut distances);
            if let Some(nearest) = self.nearest(own, &distances) {
                sum += self.utility.value(nearest.margin());
                count += 1.0;
            }
        }
        Ok(if count > 0.0 { sum / count } else { 0.0 })
    }
}

/// `utility`: the utility of a margin in simba.
static UTILITY: OptionInfo = OptionInfo {
    name: "utility",
    flag: "utility",
    kind: OptionKind::Text {
        grammar: "linear|sigmoid:BETA",
        check: |text| text.parse::<Utility>().map(drop),
    },
    default: "linear",
    help: "Utility of a margin: the margin itself, or 1/(1 + exp(-BETA margin))",
};

/// `steps`: steps of a gradient ascent with one row per step.
static STEPS: OptionInfo = OptionInfo {
    name: "steps",
    flag: "steps",
    kind: OptionKind::CountOrAll,
    default: "all",
    help: "Steps of the ascent, one row per step; all: the number of rows",
};

/// `restarts`: the number of row orders that are tried.
static RESTARTS: OptionInfo = OptionInfo {
    name: "restarts",
    flag: "restarts",
    kind: OptionKind::Count { least: 1 },
    default: "5",
    help: "Number of row orders that are tried; the one with the largest mean utility is used",
};

/// Registry entry.
pub(crate) static INFO: MethodInfo = MethodInfo {
    name: "simba",
    class: "Simba",
    task: Task::Classes,
    scale: WeightScale::LargestIsOne,
    interactions: true,
    missing: true,
    cost: "n² p a round",
    range: (0.0, 1.0),
    purpose: "gradient ascent on the margin of the nearest neighbors under the current weights",
    source: "Gilad-Bachrach, Navot & Tishby 2004",
    options: &[&UTILITY, &STEPS, &RESTARTS, &MISSING_COUNTED, &RAMP, &GENOTYPE_DIFF],
    choose: &[&RESTARTS],
    documentation: page!("simba.rs"),
    python: Some(&PYTHON),
    build: weighing::<Simba>,
};

/// The documentation of its scikit-learn class.
const PYTHON: PythonText = PythonText {
    summary: "Simba: gradient ascent on the margin under the current weights.",
    description: &[
        "A stochastic gradient ascent with one row per step, repeated for several orders of the \
         rows. The order with the largest mean utility of the margins is used.",
    ],
    weights: ", scaled so that the largest is 1",
    reports: &["n_iter_", "converged_", "objective_"],
    see_also: &[("IRelief", "All rows at once, with probabilities instead of nearest rows.")],
    references: &[
        "R. Gilad-Bachrach, A. Navot and N. Tishby. Margin based feature selection - theory and \
         algorithms. International Conference on Machine Learning, 2004.",
    ],
    examples: &[
        ">>> from sklearn.datasets import load_wine",
        ">>> from basrelief import Simba",
        ">>> X, y = load_wine(return_X_y=True)",
        ">>> Simba(n_features_to_select=5, random_state=0).fit_transform(X, y).shape",
        "(178, 5)",
    ],
    ..PythonText::BLANK
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Table;
    use crate::methods::method;
    use crate::methods::testing::{
        assert_weights, classes, has_warning, largest_difference, numeric, run,
    };

    #[test]
    fn simba_takes_a_step() {
        // Rows (0, 0) (0, 1) of class 0 and (1, 0) of class 1, which is alone and has no margin. For
        // row 0, the hit differs by (0, 1), the miss by (1, 0), both norms are 1 and the margin 0: w
        // becomes (1 + u'/2, 1 - u'/2). For row 1, the miss differs by (1, 1), norm sqrt(2) = r.
        let table =
            Table::new(vec![numeric("x", &[0.0, 0.0, 1.0]), numeric("y", &[0.0, 1.0, 0.0])])
                .unwrap();
        let target = classes(&[0, 0, 1]);
        let problem = Problem::new(&table, &target).unwrap();
        let r = std::f64::consts::SQRT_2;
        let ratio = |w: [f64; 2]| [1.0, (w[1] / w[0]).powi(2)];
        let first = [1.5, 0.5];
        let second = [1.0 + 0.5 / r, 1.0 + 0.5 * (1.0 / r - 1.0)];
        let mut seen = [false; 3];
        for seed in 0..20 {
            let method = Simba { steps: Some(1), restarts: 1, ..Simba::default() };
            let fitted = method.fit_with(&problem, &run(1).with_seed(seed)).unwrap();
            let cases = [ratio(first), ratio(second), [1.0, 1.0]];
            let place = cases
                .iter()
                .position(|case| largest_difference(case, fitted.model.weights()) < 1e-14)
                .unwrap_or_else(|| panic!("{:?} {cases:?}", fitted.model));
            seen[place] = true;
            assert!(has_warning(&fitted.report.warnings, "lone-rows"));
            // At margin 0 the sigmoid's slope is beta / 4.
            let utility = Utility::Sigmoid { beta: 2.0 };
            let fitted =
                Simba { utility, ..method }.fit_with(&problem, &run(1).with_seed(seed)).unwrap();
            if place == 0 {
                assert_weights(fitted.model.weights(), &ratio([1.25, 0.75]));
            }
        }
        assert_eq!(seen, [true; 3]);

        let simba = method("simba").unwrap();
        for bad in ["sigmoid", "sigmoid:0", "sigmoid:nan", "sigmoid:1e9", "cubic"] {
            let message = simba.settings(&[("utility", bad)]).unwrap_err().to_string();
            assert!(message.contains("linear|sigmoid:BETA"), "{message}");
        }
        let error = simba.settings(&[("missing", "ignore")]).unwrap_err().to_string();
        assert!(error.contains("it takes expected|pessimistic"), "{error}");
    }
}
