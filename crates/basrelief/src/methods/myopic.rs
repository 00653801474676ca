//! # `myopic`: a univariate reference score
//!
//! The limit of ReliefF when every row is a neighbor of every other row. It scores each feature separately, in closed
//! form, and does not detect interactions. This makes it a reference: a feature with a high rank in ReliefF and a low
//! rank here is relevant through interactions.
//!
//! ## Formula
//!
//! With $P_s = \sum_c P(c)^2$ (the probability that two rows have the same class), $P_v = \sum_v P(v)^2$ (the
//! probability that two rows have the same value of the feature) and the gain
//!
//! ```math
//! G_A = \sum_v \frac{P(v)^2}{P_v} \sum_c P(c \mid v)^2 - P_s, \qquad W_A = \frac{P_v \, G_A}{P_s (1 - P_s)} .
//! ```
//!
//! (The paper prints the denominator without its bracket.) Numeric features are first divided into equal-frequency
//! bins, with equal values in the same bin. Rows with a missing value of a feature are excluded for that feature. The
//! symbols are defined in [the overview](super#notation).
//!
//! ## Cost
//!
//! Time is $n p$ plus sorting of the numeric columns; memory is one column at a time. It is by far the fastest
//! method.
//!
//! ## When not to use it
//!
//! - Interactions: the method does not detect them.
//! - Columns with a different value in every row, such as row numbers or dates: a small number of bins hides this.
//!
//! ## Example
//!
//! P1 and P2, which [`relieff`](super::relieff#example) finds in the same data, do not have high ranks.
//!
//! ```sh
//! basrelief synth xor --rows 800 --output snps.csv
//! basrelief rank snps.csv --target class --method myopic --top 4
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.MyopicReliefF(n_bins=10).fit(X, y).weights_`
//!
//! ## Source
//!
//! G. Prat and L. Belanche. Double Relief with progressive weighting function. 2006, eqs 2.6 to 2.8.

use std::collections::HashMap;

use super::Problem;
use super::info::{MethodInfo, PythonText, Task, WeighFeatures, WeightScale, weighing};
use super::page::page;
use super::settings::settings;
use super::shared::classes;
use crate::data::{Column, ColumnKind};
use crate::error::{Error, Result};
use crate::options::{OptionInfo, OptionKind};
use crate::parallel;
use crate::report::Report;
use crate::run::Run;

settings! {
    /// Myopic ReliefF (Prat & Belanche 2006, eqs 2.6 to 2.8): ReliefF for categories with every row as a
    /// neighbor, sampled with replacement.
    ///
    /// `W'[A] = P_eqval * G / (P_samecl (1 - P_samecl))` with `P_samecl = sum_c P(c)^2`,
    /// `P_eqval = sum_v P(v)^2` and the Gini gain
    /// `G = sum_v P(v)^2 / P_eqval sum_c P(c|v)^2 - P_samecl` (the paper omits the bracket of the
    /// denominator and prints `P_samecl` for `P_eqval`). Numeric columns are divided into equal-frequency
    /// bins; equal values are in the same bin. Rows with a missing value of a feature are excluded for
    /// that feature. The method does not detect interactions, and serves as a reference.
    ///
    /// # Errors
    /// A numeric target, a single class, fewer than 2 bins; [`crate::Error::Cancelled`].
    #[derive(Debug, Clone, PartialEq)]
    pub struct Myopic {
        /// Number of equal-frequency bins per numeric column, at least 2.
        pub n_bins: usize = N_BINS,
    }
}

impl WeighFeatures for Myopic {
    fn weigh(&self, problem: &Problem<'_>, _: &mut Report, run: &Run) -> Result<Vec<f64>> {
        if self.n_bins < 2 {
            return Err(Error::option(N_BINS.name, "fewer than 2 bins", "use at least 2"));
        }
        let classes = classes(problem, INFO.name)?;
        run.install(|| {
            parallel::try_map_with(problem.table().columns(), |values: &mut Vec<f64>, column| {
                run.check()?;
                column.copy_values(values);
                let codes = categories(column, values, self.n_bins);
                Ok(weight(&codes, classes.codes(), classes.len()))
            })
        })
    }
}

/// The category of each row; `None` for a missing value.
fn categories(column: &Column<'_>, values: &[f64], n_bins: usize) -> Vec<Option<usize>> {
    if column.kind() != ColumnKind::Numeric {
        return values.iter().map(|value| (!value.is_nan()).then_some(*value as usize)).collect();
    }
    let mut sorted: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
    sorted.sort_by(f64::total_cmp);
    let bin = |value: f64| {
        let below = sorted.partition_point(|&other| other < value);
        below * n_bins / sorted.len()
    };
    values.iter().map(|&value| (!value.is_nan()).then(|| bin(value))).collect()
}

fn weight(codes: &[Option<usize>], classes: &[u32], n_classes: usize) -> f64 {
    let mut counts: HashMap<usize, Vec<f64>> = HashMap::new();
    let mut class_counts = vec![0.0; n_classes];
    let mut known = 0.0;
    for (code, &class) in codes.iter().zip(classes) {
        if let Some(code) = code {
            counts.entry(*code).or_insert_with(|| vec![0.0; n_classes])[class as usize] += 1.0;
            class_counts[class as usize] += 1.0;
            known += 1.0;
        }
    }
    // A fixed order of the values makes the sums bitwise reproducible.
    let mut levels: Vec<(&usize, &Vec<f64>)> = counts.iter().collect();
    levels.sort_unstable_by_key(|(code, _)| **code);
    let same_class: f64 = class_counts.iter().map(|count| count * count).sum::<f64>();
    let same_class = same_class / (known * known);
    let (mut equal_value, mut equal_both) = (0.0, 0.0);
    for (_, per_class) in levels {
        let total: f64 = per_class.iter().sum();
        equal_value += total * total;
        equal_both += per_class.iter().map(|count| count * count).sum::<f64>();
    }
    let (equal_value, equal_both) = (equal_value / (known * known), equal_both / (known * known));
    // All values missing, a single value or a single class: the weight is 0. (`known` = 0 gives NaN here.)
    if !(same_class < 1.0 && equal_value < 1.0) {
        return 0.0;
    }
    // P_eqval G = sum_{v,c} P(v,c)^2 - P_eqval P_samecl.
    (equal_both - equal_value * same_class) / (same_class * (1.0 - same_class))
}

/// `n_bins`: number of bins per numeric column for a method that requires categories.
static N_BINS: OptionInfo = OptionInfo {
    name: "n_bins",
    flag: "bins",
    kind: OptionKind::Count { least: 2 },
    default: "10",
    help: "Equal-frequency bins per numeric column",
};

/// Registry entry.
pub(crate) static INFO: MethodInfo = MethodInfo {
    name: "myopic",
    class: "MyopicReliefF",
    task: Task::Classes,
    scale: WeightScale::Absolute,
    interactions: false,
    missing: true,
    cost: "n p",
    range: (-1.0, 1.0),
    purpose: "a univariate reference score: each feature separately, without interactions",
    source: "Prat & Belanche 2006, eqs 2.6 to 2.8",
    options: &[&N_BINS],
    choose: &[&N_BINS],
    documentation: page!("myopic.rs"),
    python: Some(&PYTHON),
    build: weighing::<Myopic>,
};

/// Docstring of the scikit-learn class.
const PYTHON: PythonText = PythonText {
    summary: "Myopic ReliefF: the limit of ReliefF when every row is a neighbor, in closed form.",
    description: &[
        "A variant of the Gini gain that scores each feature separately and does not detect \
         interactions. Numeric columns are first divided into equal-frequency bins.",
    ],
    see_also: &[("ReliefF", "Compares only near rows, and therefore detects interactions.")],
    references: &[
        "G. Prat Masramon and L. A. Belanche Munoz. Toward better feature weighting algorithms: a \
         focus on Relief. arXiv, 2006.",
    ],
    examples: &[
        ">>> from basrelief import MyopicReliefF",
        ">>> X = [[\"red\", \"round\"], [\"red\", \"long\"], [\"green\", \"round\"], [\"green\", \"long\"]]",
        ">>> import numpy as np",
        ">>> MyopicReliefF().fit(np.array(X), [0, 0, 1, 1]).ranking_",
        "array([1, 2])",
    ],
    ..PythonText::BLANK
};

#[cfg(test)]
mod tests {
    use super::*;

    /// `P(different value | different class) - P(different value | same class)` over all ordered
    /// pairs of rows, a row with itself included (sampling with replacement).
    fn by_counting(codes: &[Option<usize>], classes: &[u32]) -> f64 {
        let (mut other, mut other_differs, mut same, mut same_differs) = (0.0, 0.0, 0.0, 0.0);
        for (a, c) in codes.iter().zip(classes) {
            for (b, d) in codes.iter().zip(classes) {
                if a.is_none() || b.is_none() {
                    continue;
                }
                let differs = f64::from(u8::from(a != b));
                if c == d {
                    same += 1.0;
                    same_differs += differs;
                } else {
                    other += 1.0;
                    other_differs += differs;
                }
            }
        }
        other_differs / other - same_differs / same
    }

    #[test]
    fn it_is_relieff_with_every_row_as_a_neighbor() {
        let codes = [Some(0), Some(1), Some(2), None, Some(1), Some(0), Some(2), Some(2)];
        let classes = [0, 1, 1, 0, 2, 0, 1, 0];
        let expected = by_counting(&codes, &classes);
        assert!((weight(&codes, &classes, 3) - expected).abs() < 1e-14);
        assert_eq!(weight(&[None, None], &[0, 1], 2), 0.0);
        assert_eq!(weight(&[Some(1), Some(1)], &[0, 1], 2), 0.0);
    }

    #[test]
    fn a_perfect_feature_weighs_one() {
        let codes = [Some(0), Some(0), Some(1), Some(1)];
        assert!((weight(&codes, &[0, 0, 1, 1], 2) - 1.0).abs() < 1e-15);
    }

    #[test]
    fn bins_hold_equal_numbers_and_equal_values_stay_together() {
        let column = Column::from_values("x", vec![5.0, 1.0, 1.0, 2.0, 3.0, f64::NAN]).unwrap();
        let mut values = Vec::new();
        column.copy_values(&mut values);
        let bins = categories(&column, &values, 2);
        assert_eq!(bins, [Some(1), Some(0), Some(0), Some(0), Some(1), None]);
    }
}
