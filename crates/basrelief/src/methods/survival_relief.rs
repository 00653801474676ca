//! # `survival-relief`: RReliefF for survival times
//!
//! The target is the time to an event, which is censored in some rows: it is only known that the event had not
//! occurred by then. Among near rows, a relevant feature differs where the times of the event differ.
//!
//! ## Formula
//!
//! The weight is that of [`rrelieff`](super::rrelieff#formula) with another difference $\delta$ of the targets of two rows.
//! Let $S$ be the Kaplan-Meier estimate of all rows. Every row has the expected quantile of its event time,
//!
//! ```math
//! q_i = 1 - \tfrac12 \left( S(t_i-) + S(t_i) \right) \text{ for an event at } t_i,
//! \qquad q_i = 1 - \tfrac12 S(t_i) \text{ if censored at } t_i ,
//! ```
//!
//! and with $c_i = (q_i - \bar q) / \max_j |q_j - \bar q|$,
//!
//! ```math
//! \delta_{ij} = \tfrac12 (1 - c_i c_j) .
//! ```
//!
//! Two rows at the same end of the distribution have a difference near 0, rows at opposite ends near 1, and a row in the
//! middle differs from all others by 1/2. The product does not contain how extreme each single row is. This is why it finds
//! interactions that the absolute difference of times loses (`docs/survival.md` has a table). A censored row is nearer to the middle
//! than a row with an event, and so counts less.
//!
//! `--target-difference times` compares the times themselves, $\delta_{ij} = |\tilde t_i - \tilde t_j| / \mathrm{range}$, where
//! a censored time is replaced by its Kaplan-Meier expectation
//! $\tilde t_i = t_i + \int_{t_i}^{t_{max}} S(u)\,du / S(t_i)$. Without censored rows, this is `rrelieff` of the times, bit for
//! bit.
//!
//! By default the 100 nearest rows count equally: a survival time says less about a row than a class does.
//!
//! ## Cost
//!
//! That of [`rrelieff`](super::rrelieff#cost).
//!
//! ## When not to use it
//!
//! - Censoring that depends on the features, such as patients who leave a study because they are ill: the estimate of
//!   Kaplan and Meier is then biased.
//! - Several kinds of events that exclude each other: treat the other kinds as censored only if they are independent of
//!   the one of interest.
//!
//! ## Example
//!
//! The hazard is higher where exactly one of the first two variants has an alternative allele.
//!
//! ```sh
//! basrelief synth survival --rows 600 --features 20 --output patients.csv
//! basrelief rank patients.csv --time time --event event --genotype all --top 4
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.SurvivalRelief().fit(X, y).weights_`, where `y` is a structured array with a boolean field and a field of times, as in scikit-survival.
//!
//! ## Source
//!
//! The form of the weight: M. Robnik-Sikonja and I. Kononenko. Theoretical and empirical analysis of ReliefF and RReliefF.
//! Machine Learning 53, 23-69, 2003. The quantiles: E. L. Kaplan and P. Meier. Nonparametric estimation from incomplete
//! observations. Journal of the American Statistical Association 53, 457-481, 1958.

use super::Problem;
use super::info::{MethodInfo, PythonText, Task, WeighFeatures, WeightScale, weighing};
use super::options::{N_SAMPLES, NEIGHBOR_COUNTS, NEIGHBOR_WEIGHTS};
use super::page::page;
use super::settings::settings;
use super::shared::{NearestSettings, regression_steps, space_options};
use super::steps::{Steps, Stepwise};
use crate::error::Result;
use crate::options::{OptionInfo, OptionKind, choices};
use crate::report::Report;
use crate::run::Run;

choices! {
    SurvivalDifference {
        Quantiles = "quantiles",
        Times = "times",
    }
}

/// How the survival times of two rows are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SurvivalDifference {
    /// By the product of their centered expected quantiles.
    #[default]
    Quantiles,
    /// By the absolute difference of the times, in which censored times are replaced by their expectation.
    Times,
}

/// `target_difference`: how the survival times of two rows are compared.
static TARGET_DIFFERENCE: OptionInfo = OptionInfo {
    name: "target_difference",
    flag: "target-difference",
    kind: OptionKind::Choice(SurvivalDifference::WORDS),
    default: "quantiles",
    help: "Compare two rows by the product of their centered quantiles, or by the absolute difference of their times",
};

settings! {
    /// RReliefF's weight for survival times, in [-1, 1]: how much more a feature differs between near rows whose times to
    /// the event differ than between near rows with similar times.
    ///
    /// # Errors
    /// The fit refuses other targets, times that are all the same, a single row, and options out of range;
    /// [`crate::Error::Cancelled`].
    #[derive(Debug, Clone, PartialEq)]
    pub struct SurvivalRelief {
        /// Neighbors, samples, ties and space.
        pub nearest: NearestSettings [
            n_neighbors, n_samples, neighbor_weights, metric, ties, missing, ramp, genotype_diff
        ],
        /// How the times of two rows are compared.
        pub target_difference: SurvivalDifference = TARGET_DIFFERENCE,
    }
}

impl Stepwise for SurvivalRelief {
    fn steps<'p>(
        &self,
        problem: &Problem<'p>,
        report: &mut Report,
        run: &Run,
    ) -> Result<Steps<'p>> {
        let survival = problem.target().survival(INFO.name)?;
        let differences = match self.target_difference {
            SurvivalDifference::Quantiles => problem.target().differences()?,
            SurvivalDifference::Times => survival.time_differences()?,
        };
        let steps = regression_steps(problem, &self.nearest, differences, report, run)?;
        // The quantiles are estimates from all rows, whose error the intervals of numbers do not contain.
        Ok(Steps { variances: None, ..steps })
    }
}

impl WeighFeatures for SurvivalRelief {
    fn weigh(&self, problem: &Problem<'_>, report: &mut Report, run: &Run) -> Result<Vec<f64>> {
        self.steps(problem, report, run)?.fit(problem, report, run)
    }

    fn stepwise(&self) -> Option<&dyn Stepwise> {
        Some(self)
    }
}

/// `n_neighbors` with default 100.
static MORE_NEIGHBORS: OptionInfo = OptionInfo { default: "100", ..NEIGHBOR_COUNTS };

/// Registry entry.
pub(crate) static INFO: MethodInfo = MethodInfo {
    name: "survival-relief",
    class: "SurvivalRelief",
    task: Task::Survival,
    scale: WeightScale::Absolute,
    interactions: true,
    missing: true,
    cost: "n² p",
    range: (-1.0, 1.0),
    purpose: "for censored survival times: features that differ where the times to the event differ, among near rows",
    source: "form of Robnik-Sikonja & Kononenko 2003; quantiles of Kaplan & Meier 1958",
    options: space_options![&MORE_NEIGHBORS, &N_SAMPLES, &NEIGHBOR_WEIGHTS, &TARGET_DIFFERENCE],
    choose: &[&MORE_NEIGHBORS],
    documentation: page!("survival_relief.rs"),
    python: Some(&PYTHON),
    build: weighing::<SurvivalRelief>,
};

/// The documentation of its scikit-learn class.
const PYTHON: PythonText = PythonText {
    summary: "RReliefF for survival times: features that differ where the times to an event differ.",
    description: &[
        "The target is the time to an event, or the time at which a row was censored: `y` is a structured array with a \
         boolean field (whether the event occurred) and a field of times, as in scikit-survival, or an array of two \
         columns, times and events (1 or 0).",
        "Two rows are compared by the product of their expected quantiles in the Kaplan-Meier estimate, centered.",
    ],
    reports: &["neighbor_search_", "plan_"],
    see_also: &[(
        "MultiSURF",
        "Neighbors within a separate radius for each row; it accepts survival times too.",
    )],
    references: &[
        "M. Robnik-Sikonja and I. Kononenko. Theoretical and empirical analysis of ReliefF and \
         RReliefF. Machine Learning 53, 23-69, 2003.",
    ],
    examples: &[
        ">>> import numpy as np",
        ">>> from basrelief import SurvivalRelief",
        ">>> rng = np.random.default_rng(0)",
        ">>> X = rng.uniform(size=(300, 5))",
        ">>> times = rng.exponential(np.exp(-3 * X[:, 1]))",
        ">>> censored = rng.exponential(0.5, size=300)",
        ">>> y = np.zeros(300, dtype=[(\"event\", bool), (\"time\", float)])",
        ">>> y[\"event\"], y[\"time\"] = times <= censored, np.minimum(times, censored)",
        ">>> int(SurvivalRelief().fit(X, y).ranking_.argmin())",
        "1",
    ],
    ..PythonText::BLANK
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Survival, Table, Target};
    use crate::methods::RReliefF;
    use crate::methods::testing::{assert_weights, numeric, run};
    use crate::neighbors::NeighborWeights;

    fn table() -> Table<'static> {
        let values = |seed: u64| -> Vec<f64> {
            (0..40).map(|row| ((row * row + 3 * row) * seed % 97) as f64 / 97.0).collect()
        };
        Table::new(vec![numeric("a", &values(5)), numeric("b", &values(11))]).unwrap()
    }

    #[test]
    fn survival_relief_on_three_rows() {
        // Times 1, 2 and 4, uncensored: quantiles 1/6, 1/2 and 5/6, centered and divided by 1/3: c = -1, 0, 1.
        // x = 0, 1, 1 with both other rows as neighbors, each of weight 1/2, so that every pair counts once in all.
        // d is 1/2, 1 and 1/2 for the pairs 01, 02, 12: N_dC = 2, N_dA = 2, N_dCdA = 1.5 and W = 1.5/2 - 0.5/1.
        let table = Table::new(vec![numeric("x", &[0.0, 1.0, 1.0])]).unwrap();
        let target = Survival::new(vec![1.0, 2.0, 4.0], vec![true; 3]).unwrap().into();
        let problem = Problem::new(&table, &target).unwrap();
        let nearest = NearestSettings {
            n_neighbors: vec![2],
            neighbor_weights: NeighborWeights::Uniform,
            ..NearestSettings::default()
        };
        let method = SurvivalRelief { nearest, ..SurvivalRelief::new() };
        let fitted = method.fit_with(&problem, &run(1)).unwrap();
        assert_weights(fitted.model.weights(), &[0.25]);
    }

    #[test]
    fn without_censoring_times_equal_rrelieff() {
        let table = table();
        let times: Vec<f64> = (0..40).map(|row| f64::from(row * 7 % 40) + 1.0).collect();
        let method = SurvivalRelief::new().target_difference(SurvivalDifference::Times);
        let numbers = RReliefF { nearest: method.nearest.clone(), ..RReliefF::new() };
        let of_numbers = numbers.fit(&table, &Target::real(times.clone()).unwrap()).unwrap();
        let target = Survival::new(times, vec![true; 40]).unwrap().into();
        let found = method.fit(&table, &target).unwrap();
        assert_eq!(found.model.weights(), of_numbers.model.weights());
    }

    #[test]
    fn two_times_equal_rrelieff_of_two_values() {
        let table = table();
        let values: Vec<f64> = (0..40).map(|row| f64::from(row % 2)).collect();
        let times: Vec<f64> = values.iter().map(|value| 3.0 + 4.0 * value).collect();
        let numbers = RReliefF { nearest: SurvivalRelief::new().nearest, ..RReliefF::new() };
        let of_numbers = numbers.fit(&table, &Target::real(values).unwrap()).unwrap();
        let target = Survival::new(times, vec![true; 40]).unwrap().into();
        for difference in [SurvivalDifference::Quantiles, SurvivalDifference::Times] {
            let method = SurvivalRelief::new().target_difference(difference);
            let found = method.fit(&table, &target).unwrap();
            assert_eq!(found.model.weights(), of_numbers.model.weights());
        }
    }
}
