//! # `pdrelieff`: ReliefF with gradual feedback of the estimates
//!
//! Progressively weighted double ReliefF: like [`drelieff`](super::drelieff), but the influence of the estimates on
//! the distance increases gradually, so that early estimates, which are based on few rows, do little harm. It is the
//! more stable of the two methods.
//!
//! ## Formula
//!
//! After $t$ of $m$ rows the weight of a feature in the distance is not $w = \max(W_A^{(t)}, 0)$ but
//!
//! ```math
//! f = (w - 1)\,\frac{c}{c + s} + 1, \qquad c = (t/m)^a,
//! ```
//!
//! which changes from 1 (unweighted distance) towards $w$; a large $s$ keeps $f$ near 1 (the paper states the
//! opposite). $s$ depends only on the exponent $a$ and on `--area-share`, not on the number of rows: it solves
//! $\int_0^1 s/(x^a + s)\,dx$ = `--area-share`, the limit of equation 3.5 for many rows, in which the weights
//! cancel. For the exponent $a = 2$ and the area share $1/3$, $s = 0.0633657$. With few rows, the mean of $s/(c + s)$
//! over the visits differs slightly from the area share. An area share of 0 gives [`drelieff`](super::drelieff), and
//! an area share of 1 gives [`relieff`](super::relieff). Weights lie in $[-1, 1]$. The symbols are defined in
//! [the overview](super#notation).
//!
//! ## Cost
//!
//! The time is $n^2 p$ (with `--samples m`: $m n p$). Rows are visited one after the other; threads share the work
//! within a row. Memory is 8 bytes per value, in addition to the table.
//!
//! ## When not to use it
//!
//! - Few irrelevant features: the method has no advantage over [`relieff`](super::relieff), which does not depend on
//!   a seed.
//! - P-values of single features: neighbors depend on the weights of all features, so that next to strong effects, features
//!   without an effect can be significant. Test [`multisurf`](super::multisurf) or [`relieff`](super::relieff).
//!
//! ## Example
//!
//! ```sh
//! basrelief synth xor --rows 800 --output snps.csv
//! basrelief rank snps.csv --target class --method pdrelieff --neighbors 20 --top 4
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.PDReliefF(n_neighbors=20, random_state=0).fit(X, y).weights_`
//!
//! ## Source
//!
//! G. Prat and L. Belanche. Double Relief with progressive weighting function. 2006, section 3.1.

use super::Problem;
use super::drelieff::feedback_weights;
use super::info::{MethodInfo, PythonText, Task, WeighFeatures, WeightScale, weighing};
use super::options::{
    GENOTYPE_DIFF, METRIC_OF_WEIGHTS, MISSING, N_NEIGHBORS, N_SAMPLES, NEIGHBOR_WEIGHTS, RAMP, TIES,
};
use super::page::page;
use super::settings::settings;
use super::shared::NearestSettings;
use crate::error::{Error, Result};
use crate::options::{OptionInfo, OptionKind};
use crate::report::Report;
use crate::run::Run;

settings! {
    /// Progressively weighted double ReliefF (Prat & Belanche 2006, sec. 3.1): [`super::DReliefF`] with
    /// a gradually increasing influence of the estimates on the distance.
    ///
    /// After `t` of `m` rows, the weight of feature A in the distance is
    /// `f = (max(W_t[A], 0) - 1) c/(c + s) + 1`, with `c = (t/m)^exponent`. `s` is chosen so that the area
    /// between `f` and `W` is the fraction `area_share` of the area between 1 and `W` (eq. 3.5 in the limit
    /// of many rows, where `W` cancels): the mean of `s/(c + s)` over `t/m` in (0, 1) is `area_share`. A
    /// large `s` keeps `f` near 1 (the paper states the opposite). For the defaults, exponent 2 and area
    /// share 1/3, `s` solves `sqrt(s) atan(1/sqrt(s)) = 1/3`: 0.0633657. An area share of 0 gives
    /// [`super::DReliefF`], and an area share of 1 gives ReliefF. Weights are in [-1, 1] and depend on the
    /// order of the visits, which is drawn by the seed.
    ///
    /// # Errors
    /// A numeric target, a single class, options out of range; [`crate::Error::Cancelled`].
    #[derive(Debug, Clone, PartialEq)]
    pub struct PDReliefF {
        /// Neighbors, sampled rows, ties, and the differences between rows.
        pub nearest: NearestSettings [
            n_neighbors, n_samples, neighbor_weights, metric, ties, missing, ramp, genotype_diff
        ],
        /// Exponent of the influence of the estimates, above 0; a larger exponent delays their influence.
        pub exponent: f64 = EXPONENT,
        /// Position between double ReliefF (0) and ReliefF (1).
        pub area_share: f64 = AREA_SHARE,
    }
}

impl WeighFeatures for PDReliefF {
    fn weigh(&self, problem: &Problem<'_>, report: &mut Report, run: &Run) -> Result<Vec<f64>> {
        let steepness = self.steepness()?;
        let blend = |seen: f64| {
            let c = seen.powf(self.exponent);
            // Before the first row the estimates have no influence, even if `s` is 0.
            if c > 0.0 { c / (c + steepness) } else { 0.0 }
        };
        feedback_weights(problem, &self.nearest, INFO.name, blend, report, run)
    }
}

impl PDReliefF {
    /// The `s` determined by `exponent` and `area_share`; infinite for an area share of 1.
    ///
    /// # Errors
    /// An exponent that is not a finite number above 0, or an area share outside [0, 1].
    pub fn steepness(&self) -> Result<f64> {
        if !(self.exponent > 0.0 && self.exponent.is_finite()) {
            return Err(Error::option(
                EXPONENT.name,
                format!("{} is not a number above 0", self.exponent),
                "use a number above 0 (default 2)",
            ));
        }
        if !(0.0..=1.0).contains(&self.area_share) {
            return Err(Error::option(
                AREA_SHARE.name,
                format!("{} is not between 0 and 1", self.area_share),
                "use a number from 0 to 1 (default 1/3)",
            ));
        }
        Ok(steepness(self.exponent, self.area_share))
    }
}

/// The root `s` of `mean over x in (0, 1) of s/(x^exponent + s) = area_share`, by bisection of
/// its logarithm; the mean increases with `s`.
fn steepness(exponent: f64, area_share: f64) -> f64 {
    // Outside the search interval the mean is 0 or 1 in double precision for common exponents.
    const LOGARITHM: f64 = 700.0;
    if area_share == 0.0 {
        return 0.0;
    }
    if area_share == 1.0 {
        return f64::INFINITY;
    }
    let (mut low, mut high) = (-LOGARITHM, LOGARITHM);
    if mean_share(exponent, low) > area_share {
        return 0.0;
    }
    if mean_share(exponent, high) < area_share {
        return f64::INFINITY;
    }
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if mean_share(exponent, middle) < area_share { low = middle } else { high = middle }
    }
    (0.5 * (low + high)).exp()
}

/// Mean of `s/(x^exponent + s)` over `x` in (0, 1), given `log s`.
///
/// Gauss-Legendre over pieces on which both `x` and `x^exponent / s` change by a small factor.
fn mean_share(exponent: f64, log_s: f64) -> f64 {
    let value = |x: f64| 1.0 / (1.0 + (exponent * x.ln() - log_s).exp());
    // Outside e^-45 to e^45 the value is 1 or 0; pieces below 2^-60 are negligible.
    let mut edges: Vec<f64> = (0..=60).map(|power| 0.5_f64.powi(power)).collect();
    edges.extend((-45..=45).map(|step| ((f64::from(step) + log_s) / exponent).exp()));
    edges.retain(|edge| *edge <= 1.0);
    edges.push(0.0);
    edges.sort_by(f64::total_cmp);
    edges.windows(2).map(|ends| integral(ends[0], ends[1], value)).sum()
}

/// The integral by the eight-point Gauss-Legendre rule.
fn integral(from: f64, to: f64, value: impl Fn(f64) -> f64) -> f64 {
    const NODES: [(f64, f64); 4] = [
        (0.183_434_642_495_649_8, 0.362_683_783_378_362),
        (0.525_532_409_916_329, 0.313_706_645_877_887_3),
        (0.796_666_477_413_626_7, 0.222_381_034_453_374_5),
        (0.960_289_856_497_536_3, 0.101_228_536_290_376_3),
    ];
    let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
    let pair = |node: f64| value(middle - half * node) + value(middle + half * node);
    half * NODES.iter().map(|(node, weight)| weight * pair(*node)).sum::<f64>()
}

/// `exponent` of `pdrelieff`: how late the estimates influence the distance.
static EXPONENT: OptionInfo = OptionInfo {
    name: "exponent",
    flag: "exponent",
    kind: OptionKind::Positive,
    default: "2",
    help: "How late the estimates influence the distance; larger is later",
};

/// `area_share` of `pdrelieff`: the position between `drelieff` and `relieff`.
static AREA_SHARE: OptionInfo = OptionInfo {
    name: "area_share",
    flag: "area-share",
    kind: OptionKind::Number { least: 0.0, most: 1.0 },
    default: "0.3333333333333333",
    help: "Mean share of the unweighted distance over all visits: 0 is drelieff, 1 is relieff",
};

/// Registry entry.
pub(crate) static INFO: MethodInfo = MethodInfo {
    name: "pdrelieff",
    class: "PDReliefF",
    task: Task::Classes,
    scale: WeightScale::Absolute,
    interactions: true,
    missing: true,
    cost: "n² p",
    range: (-1.0, 1.0),
    purpose: "drelieff with gradual feedback of its estimates: more stable with few rows",
    source: "Prat & Belanche 2006, section 3.1",
    options: &[
        &N_NEIGHBORS,
        &N_SAMPLES,
        &NEIGHBOR_WEIGHTS,
        &EXPONENT,
        &AREA_SHARE,
        &METRIC_OF_WEIGHTS,
        &TIES,
        &MISSING,
        &RAMP,
        &GENOTYPE_DIFF,
    ],
    choose: &[&N_NEIGHBORS],
    documentation: page!("pdrelieff.rs"),
    python: Some(&PYTHON),
    build: weighing::<PDReliefF>,
};

/// Docstring of the scikit-learn class.
const PYTHON: PythonText = PythonText {
    summary: "Progressive double ReliefF: the estimates influence the distances gradually.",
    description: &[
        "Starts as :class:`ReliefF` and approaches :class:`DReliefF`; `area_share` is the mean share \
         of the unweighted distance over all visits.",
    ],
    see_also: &[("DReliefF", "Gives the estimates full influence from the first row on.")],
    references: &[
        "G. Prat and L. A. Belanche. Double Relief with progressive weighting function. Technical \
         report, Technical University of Catalonia, 2006.",
    ],
    examples: &[
        ">>> from sklearn.datasets import load_wine",
        ">>> from basrelief import PDReliefF",
        ">>> X, y = load_wine(return_X_y=True)",
        ">>> PDReliefF(n_features_to_select=5, random_state=0).fit_transform(X, y).shape",
        "(178, 5)",
    ],
    ..PythonText::BLANK
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Table;
    use crate::methods::method;
    use crate::methods::testing::{assert_weights, classes, numeric, run};

    #[test]
    fn the_steepness_of_the_paper() {
        let s = PDReliefF::default().steepness().unwrap();
        assert!((s - 0.063_365_7).abs() < 5e-8, "{s}");
        assert!((s.sqrt() * (1.0 / s.sqrt()).atan() - 1.0 / 3.0).abs() < 1e-13);
    }

    #[test]
    fn the_steepness_solves_the_closed_forms() {
        for share in [1e-6, 0.1, 1.0 / 3.0, 0.5, 0.9, 1.0 - 1e-6] {
            let s = steepness(1.0, share);
            assert!((s * (1.0 / s).ln_1p() - share).abs() < 1e-12, "{share} {s}");
            let s = steepness(2.0, share);
            assert!((s.sqrt() * (1.0 / s.sqrt()).atan() - share).abs() < 1e-12, "{share} {s}");
            // exponent 1/2: 2 s - 2 s^2 log(1 + 1/s)
            let s = steepness(0.5, share);
            if s < 10.0 {
                let mean = 2.0 * s - 2.0 * s * s * (1.0 / s).ln_1p();
                assert!((mean - share).abs() < 1e-12, "{share} {s}");
            }
        }
        assert_eq!(steepness(2.0, 0.0), 0.0);
        assert_eq!(steepness(2.0, 1.0), f64::INFINITY);
        for exponent in [1e-300, 1e-3, 50.0, 1e6, 1e300] {
            assert!(!steepness(exponent, 0.4).is_nan(), "{exponent}");
        }
    }

    #[test]
    fn progressively_a_feature_always_keeps_a_part() {
        // As in the test of drelieff with known weights, but no ties occur.
        let table = Table::new(vec![
            numeric("x", &[0.0, 0.0, 1.0, 1.0]),
            numeric("y", &[0.0, 1.0, 1.0, 0.0]),
        ])
        .unwrap();
        let target = classes(&[0, 0, 1, 1]);
        let problem = Problem::new(&table, &target).unwrap();
        let nearest = NearestSettings { n_neighbors: vec![1], ..NearestSettings::default() };
        for seed in 0..5 {
            let method = PDReliefF { nearest: nearest.clone(), ..PDReliefF::default() };
            let fitted = method.fit_with(&problem, &run(1).with_seed(seed)).unwrap();
            assert_weights(fitted.model.weights(), &[1.0, -1.0]);
        }
        let bad = PDReliefF { exponent: 0.0, ..PDReliefF::default() }.fit_with(&problem, &run(1));
        assert!(bad.unwrap_err().to_string().contains("0 is not a number above 0"));
        let bad =
            PDReliefF { area_share: f64::NAN, ..PDReliefF::default() }.fit_with(&problem, &run(1));
        assert!(bad.unwrap_err().to_string().contains("area_share"));
        let pdrelieff = method("pdrelieff").unwrap();
        let message = pdrelieff.settings(&[("exponent", "0")]).unwrap_err().to_string();
        assert!(message.contains("0 is not above 0"), "{message}");
    }
}
