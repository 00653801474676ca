//! # `mu-relief`: the rows whose distances are the most unusual
//!
//! ReliefF with other neighbors: the k rows of every class whose distances deviate most from the
//! mean distance of the class, in either direction. Very near and very far rows count, and rows at
//! average distances do not.
//!
//! ## Formula
//!
//! For row $R$ and class $C$, let $\mu_C(R)$ be the mean distance of $R$ to the other rows of $C$.
//! The neighbors of $R$ in $C$ are the $k$ rows with the largest
//!
//! ```math
//! |d(R, \cdot) - \mu_C(R)|.
//! ```
//!
//! The option `--neighbors` is the number k of these rows, which are not the nearest. The weight is
//! that of [`relieff`](super::relieff#formula) with these neighbors instead of the
//! nearest. For a numeric target, all other rows are one group, and the weight is [RReliefF's
//! ratio](super::rrelieff#formula). Symbols are those of [the overview](super#notation).
//!
//! ## Cost
//!
//! Time $n^2 p$, and $2 n k$ numbers per class in memory. It is slower than
//! [`relieff`](super::relieff), because every distance is computed twice. It cannot be computed in
//! parts, does not take groups, weights or calipers of rows, and is refitted for every permutation.
//!
//! ## When not to use it
//!
//! - In general: far rows say little about a feature that matters near a row, and published
//!   evidence for the method is limited to a few data sets. [`multiswrfdb`](super::multiswrfdb)
//!   weights rows by their distances as well.
//!
//! ## Example
//!
//! ```sh
//! basrelief synth xor --rows 800 --output snps.csv
//! basrelief rank snps.csv --target class --method mu-relief --neighbors 100 --top 4
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.MuRelief(n_neighbors=100).fit(X, y).weights_`
//!
//! ## Source
//!
//! N. Aggarwal, U. Shukla, G. J. Saxena et al. Mean based relief: an improved feature selection
//! method based on ReliefF. Applied Intelligence 53:23004, 2023.

use super::info::{MethodInfo, PythonText, Task, WeighFeatures, WeightScale, weighing};
use super::options::{N_NEIGHBORS, N_SAMPLES};
use super::page::page;
use super::settings::settings;
use super::shared::{NearestSettings, regression_steps, space_options, target_differences};
use super::steps::{Steps, Stepwise};
use super::{Problem, ReliefF};
use crate::error::Result;
use crate::neighbors::most_deviating;
use crate::report::Report;
use crate::run::Run;

settings! {
    /// Mu-Relief (Aggarwal et al. 2023): ReliefF, or RReliefF for a numeric target, with the k rows
    /// of every class as neighbors whose distances deviate most from the mean distance of the row
    /// to that class. Weights are in [-1, 1].
    ///
    /// # Errors
    /// The fit refuses one class, a constant target, roles of rows that affect neighbors, and options out of range;
    /// [`crate::Error::Cancelled`].
    #[derive(Debug, Clone, PartialEq)]
    pub struct MuRelief {
        /// Neighbors, samples, ties and space.
        pub nearest: NearestSettings [
            n_neighbors, n_samples, metric, ties, missing, ramp, genotype_diff
        ],
    }
}

impl MuRelief {
    /// The steps of ReliefF or RReliefF, whose neighbors are replaced.
    fn steps<'p>(
        &self,
        problem: &Problem<'p>,
        report: &mut Report,
        run: &Run,
    ) -> Result<Steps<'p>> {
        let nearest = self.nearest.clone();
        match problem.target().as_classes() {
            Some(_) => ReliefF { nearest }.steps(problem, report, run),
            None => {
                let are_quantiles = problem.roles().adjusted().is_some();
                let differences = target_differences(problem.target(), are_quantiles)?;
                regression_steps(problem, &nearest, differences, report, run)
            }
        }
    }
}

impl WeighFeatures for MuRelief {
    fn weigh(&self, problem: &Problem<'_>, report: &mut Report, run: &Run) -> Result<Vec<f64>> {
        let steps = self.steps(problem, report, run)?;
        let space = steps.space_of(problem.table(), run)?;
        report.warnings.extend(space.warning());
        let options = self.nearest.nearest();
        let found = most_deviating(&space, &steps.sampled, steps.grouping, options, run)?;
        Ok(steps.weighed(&space, &found, report, run)?.told(report))
    }
}

/// Registry entry.
pub(crate) static INFO: MethodInfo = MethodInfo {
    name: "mu-relief",
    class: "MuRelief",
    task: Task::Any,
    scale: WeightScale::Absolute,
    interactions: false,
    missing: true,
    cost: "n² p",
    range: (-1.0, 1.0),
    purpose: "ReliefF with the rows whose distances deviate most from the mean",
    source: "Aggarwal et al. 2023",
    options: space_options![&N_NEIGHBORS, &N_SAMPLES],
    choose: &[&N_NEIGHBORS],
    documentation: page!("mu_relief.rs"),
    python: Some(&PYTHON),
    build: weighing::<MuRelief>,
};

/// The documentation of its scikit-learn class.
const PYTHON: PythonText = PythonText {
    reports: &["plan_"],
    summary: "Mu-Relief: ReliefF with the rows whose distances deviate most from the mean.",
    description: &[
        "The neighbors of a row in a class are the `n_neighbors` rows whose distances deviate most \
         from the mean distance of the row to that class, in either direction. The weight is that \
         of ReliefF, or of RReliefF for a numeric target, with these neighbors.",
    ],
    see_also: &[
        ("ReliefF", "The nearest rows."),
        ("MultiSWRFDB", "All rows within a radius, by their distances."),
    ],
    references: &[
        "N. Aggarwal, U. Shukla, G. J. Saxena et al. Mean based relief: an improved feature \
         selection method based on ReliefF. Applied Intelligence 53:23004, 2023.",
    ],
    examples: &[
        ">>> from sklearn.datasets import load_wine",
        ">>> from basrelief import MuRelief",
        ">>> X, y = load_wine(return_X_y=True)",
        ">>> MuRelief(n_neighbors=20, n_features_to_select=5).fit_transform(X, y).shape",
        "(178, 5)",
    ],
    ..PythonText::BLANK
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Table;
    use crate::methods::testing::{assert_weights, classes, numeric, run};

    #[test]
    fn the_rows_whose_distances_are_unusual_count() {
        // Range 10. From 0, the hits are at 0.1 and 0.5 (mean 0.3: tied), the misses at 0.6, 0.7
        // and 1.0 (mean 0.7667: 1.0 deviates most). Rows one by one, misses minus hits:
        //  0: 1.0 - (0.1 + 0.5) / 2;  1: 0.9 - (0.1 + 0.4) / 2;  5: 0.5 - (0.5 + 0.4) / 2;
        //  6: 0.6, 0.5, 0.1 (mean 0.4: 0.1) - (0.1 + 0.4) / 2;
        //  7: 0.7, 0.6, 0.2 (mean 0.5: 0.2) - (0.1 + 0.3) / 2;
        // 10: 1.0, 0.9, 0.5 (mean 0.8: 0.5) - (0.4 + 0.3) / 2.
        let x = numeric("x", &[0.0, 1.0, 5.0, 6.0, 7.0, 10.0]);
        let table = Table::new(vec![x]).unwrap();
        let target = classes(&[0, 0, 0, 1, 1, 1]);
        let problem = Problem::new(&table, &target).unwrap();
        let nearest = NearestSettings { n_neighbors: vec![1], ..NearestSettings::default() };
        let fitted = MuRelief { nearest }.fit_with(&problem, &run(1)).unwrap();
        let all = [0.7, 0.65, 0.05, -0.15, 0.0, 0.15];
        assert_weights(fitted.model.weights(), &[all.iter().sum::<f64>() / 6.0]);
    }
}
