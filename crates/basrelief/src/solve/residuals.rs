//! Residuals of a target after regression on covariates: least squares for a numeric target, logistic regression for
//! two classes.

use std::fmt;
use std::str::FromStr;

use rand::RngExt;

use super::logistic::{CERTAIN, logistic, loss, scores};
use super::nonnegative::dot;
use crate::algebra::{column_products, depend_on_others, solve_positive_definite};
use crate::data::{Column, ColumnKind, Covariates, DenseMatrix, Target, Values};
use crate::error::{DataError, Error, Result};
use crate::random::{RandomStream, generator};
use crate::run::Run;
use crate::warning::Warning;
use crate::wording::{either, quoted, setting};

/// Types of residuals for two classes; `p` is the probability of the second class under the logistic model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ClassResiduals {
    /// A random number that is uniform in [0, 1 - p] for the first class and in [1 - p, 1] for the second class: the
    /// randomized quantile residual of Dunn & Smyth (1996) as a probability. If the model is correct, it is uniform
    /// in [0, 1] for all values of the covariates, so that not even its spread depends on them.
    #[default]
    Quantile,
    /// The signed deviance residual `sign(y - p) sqrt(-2 log P(y))`. Its mean hardly depends on the covariates, but
    /// its distribution does: differences between two rows, which Relief compares, still depend on them. A permutation
    /// test of such residuals is not valid.
    Deviance,
}

impl ClassResiduals {
    /// All types, by their names.
    pub const ALL: [(&'static str, Self); 2] =
        [("quantile", Self::Quantile), ("deviance", Self::Deviance)];

    /// The name: `quantile` or `deviance`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Quantile => "quantile",
            Self::Deviance => "deviance",
        }
    }
}

impl fmt::Display for ClassResiduals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ClassResiduals {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|(name, _)| *name == text);
        found.map(|(_, kind)| kind).ok_or_else(|| {
            let problem = format!("{} is not a type of residuals", quoted(text));
            Error::option("residuals", problem, "use quantile or deviance")
        })
    }
}

/// Residuals, one number per row, with warnings about them.
#[derive(Debug, Clone, PartialEq)]
pub struct Residuals {
    /// The residuals, row by row.
    pub values: Vec<f64>,
    /// Report that residuals are drawn at random, and that the logistic model nearly separates the classes.
    pub warnings: Vec<Warning>,
}

/// Computes the residuals of the target after regression on the covariates, one number per row: the target minus its
/// least-squares fit or, for two classes, the residuals of type `kind` of the logistic model. Numbers and genotypes
/// enter the model unchanged, categories as one indicator per level except the first. `seed` is the seed of random
/// residuals.
///
/// A warning reports residuals that are random numbers, because another seed gives another ranking. Another warning
/// reports that the covariates separate the classes in some rows (quasi-complete separation). The coefficients then
/// have no finite estimate, and the residuals of these rows are those of a probability of 0 or 1.
///
/// # Errors
/// The target has more than two classes; a covariate is a linear combination of those before it (the error names the
/// first such covariate); the covariates determine the classes, or the numeric target, completely.
pub fn residuals(
    target: &Target,
    covariates: &Covariates<'_>,
    kind: ClassResiduals,
    seed: u64,
    run: &Run,
) -> Result<Residuals> {
    let design = design(covariates, run)?;
    match target {
        Target::Real(values) => {
            let values = least_squares(&design, values, run)?;
            Ok(Residuals { values, warnings: Vec::new() })
        }
        Target::Classes(classes) if classes.len() == 2 => {
            let y: Vec<f64> = classes.codes().iter().map(|&code| f64::from(code)).collect();
            let scores = log_odds(&design, &y, run)?;
            let mut warnings: Vec<Warning> = separated(&scores).into_iter().collect();
            let rows = scores.into_iter().zip(y);
            let values = match kind {
                ClassResiduals::Quantile => {
                    warnings.push(drawn_at_random(seed));
                    quantiles(rows, seed)
                }
                ClassResiduals::Deviance => rows.map(deviance).collect(),
            };
            Ok(Residuals { values, warnings })
        }
        Target::Classes(classes) => Err(Error::option(
            "residuals",
            format!(
                "the target has {} classes; residuals require two classes or a numeric target",
                classes.len()
            ),
            either(
                format!("keep two classes, or use {}", setting("caliper", None)),
                "keep two classes",
                "keep two classes",
            ),
        )),
    }
}

/// The design matrix: a column of ones, and the columns of the covariates with mean 0 and standard deviation 1.
///
/// # Errors
/// A covariate is a linear combination of those before it.
fn design(covariates: &Covariates<'_>, run: &Run) -> Result<DenseMatrix> {
    let table = covariates.table();
    let rows = table.rows();
    let mut columns = vec![vec![1.0; rows]];
    for column in table.columns() {
        columns.extend(indicators(column).into_iter().map(standardized));
        let so_far = matrix(&columns, rows);
        // With fewer rows than columns, some column is a linear combination of others.
        if columns.len() > rows || depend_on_others(&so_far, run)? {
            let problem = "the covariate is a linear combination of those before it";
            let error = DataError::new(problem, "leave it out").in_column(column.name());
            return Err(error.into());
        }
    }
    Ok(matrix(&columns, rows))
}

/// The columns of a covariate in a design matrix: its values, or an indicator per category except the first.
pub(crate) fn indicators(column: &Column<'_>) -> Vec<Vec<f64>> {
    let values: Vec<f64> = (0..column.len()).map(|row| column.value(row)).collect();
    match (column.kind(), column.values()) {
        (ColumnKind::Categorical, Values::Categorical(categories)) => {
            let of_level = |level: usize| -> Vec<f64> {
                values.iter().map(|&value| f64::from(u8::from(value == level as f64))).collect()
            };
            let is_there = |one: &Vec<f64>| one.contains(&1.0);
            (0..categories.levels().len()).map(of_level).filter(is_there).skip(1).collect()
        }
        _ => vec![values],
    }
}

fn standardized(mut values: Vec<f64>) -> Vec<f64> {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    values.iter_mut().for_each(|value| *value -= mean);
    let deviation = (values.iter().map(|value| value * value).sum::<f64>() / count).sqrt();
    values.iter_mut().for_each(|value| *value /= deviation);
    values
}

fn matrix(columns: &[Vec<f64>], rows: usize) -> DenseMatrix {
    let mut out = DenseMatrix::zeros(rows, columns.len());
    for row in 0..rows {
        out.row_mut(row).iter_mut().zip(columns).for_each(|(cell, column)| *cell = column[row]);
    }
    out
}

/// The residuals `target - X b` of the least-squares fit.
///
/// # Errors
/// All residuals are 0 up to rounding.
fn least_squares(design: &DenseMatrix, target: &[f64], run: &Run) -> Result<Vec<f64>> {
    let gram = column_products(design, design, run)?;
    let right: Vec<f64> = (0..design.columns())
        .map(|column| (0..design.rows()).map(|row| design.row(row)[column] * target[row]).sum())
        .collect();
    let coefficients =
        solve_positive_definite(|i, j| gram.row(i)[j], &right).ok_or_else(nothing_left)?;
    let left: Vec<f64> =
        (0..design.rows()).map(|row| target[row] - dot(design.row(row), &coefficients)).collect();
    let spread = |values: &[f64]| {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>()
    };
    // Only rounding errors remain.
    if spread(&left) <= 1e-20 * spread(target) {
        return Err(nothing_left());
    }
    Ok(left)
}

fn drawn_at_random(seed: u64) -> Warning {
    Warning::new(
        "random-residuals",
        format!(
            "residuals are drawn at random ({} {seed}); rankings differ between seeds",
            either("seed", "random_state", "seed")
        ),
    )
}

/// Warns about rows whose class the logistic model predicts with certainty.
fn separated(scores: &[f64]) -> Option<Warning> {
    let certain = scores.iter().filter(|score| (-score.abs()).exp() < CERTAIN).count();
    (certain > 0).then(|| {
        Warning::new(
            "separated-classes",
            format!(
                "the covariates predict the class of {certain} of {} rows with certainty (quasi-complete separation): \
                 their residuals carry no information about the features; pool rare levels of a covariate, or exclude it",
                scores.len()
            ),
        )
    })
}

/// Draws the quantile residuals of rows, given as log-odds and class; they are uniform if the log-odds are correct.
fn quantiles(rows: impl Iterator<Item = (f64, f64)>, seed: u64) -> Vec<f64> {
    let mut generator = generator(seed, RandomStream::Residuals);
    let quantile = |(score, y): (f64, f64)| {
        let drawn: f64 = generator.random();
        let (first, second) = (1.0 / (1.0 + score.exp()), 1.0 / (1.0 + (-score).exp()));
        if y == 1.0 { first + drawn * second } else { drawn * first }
    };
    rows.map(quantile).collect()
}

/// The signed deviance residual of a row, from the log-odds of 1 and the class.
fn deviance((score, y): (f64, f64)) -> f64 {
    (2.0 * y - 1.0) * (2.0 * loss(score, y)).sqrt()
}

/// The log-odds of class 1 in every row, under the logistic model of the design matrix.
///
/// # Errors
/// The covariates separate the classes completely.
fn log_odds(design: &DenseMatrix, y: &[f64], run: &Run) -> Result<Vec<f64>> {
    let column = |column| (0..design.rows()).map(|row| design.row(row)[column]).collect();
    // The first column is the constant.
    let columns: Vec<Vec<f64>> = (1..design.columns()).map(column).collect();
    let found = logistic(&columns, y, run)?.ok_or_else(nothing_left)?;
    Ok(scores(&found, &columns, design.rows()))
}

fn nothing_left() -> Error {
    Error::option(
        "residuals",
        "the covariates determine the target completely: no residual variation remains",
        "exclude the covariate that is the target in another form",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Categories, Classes, Table};
    use crate::run::CancelFlag;

    fn covariates(columns: Vec<Column<'static>>) -> Covariates<'static> {
        Covariates::new(Table::new(columns).unwrap()).unwrap()
    }

    fn run() -> Run {
        Run::new(Some(1)).unwrap()
    }

    fn deviance_residuals(target: &Target, covariates: &Covariates<'_>) -> Result<Vec<f64>> {
        Ok(residuals(target, covariates, ClassResiduals::Deviance, 0, &run())?.values)
    }

    fn numbers(name: &str, values: &[f64]) -> Column<'static> {
        Column::from_values(name, values.to_vec()).unwrap()
    }

    /// The line through (0, 1), (1, 2), (2, 6) is 0.5 + 2.5 x.
    #[test]
    fn a_number_less_its_line() {
        let own = covariates(vec![numbers("x", &[0.0, 1.0, 2.0])]);
        let found = deviance_residuals(&Target::Real(vec![1.0, 2.0, 6.0]), &own).unwrap();
        for (found, expected) in found.iter().zip([0.5, -1.0, 0.5]) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }

    /// With one categorical covariate, the fitted probabilities are the class proportions in its levels: 1/4 and 2/3.
    #[test]
    fn classes_less_their_shares_in_groups() {
        let groups = ["a", "a", "a", "a", "b", "b", "b"].map(Some);
        let own = covariates(vec![Column::categorical("g", Categories::from_texts(groups))]);
        let labels = ["0", "1", "0", "0", "1", "0", "1"];
        let target = Target::Classes(Classes::from_labels(&labels));
        let found = deviance_residuals(&target, &own).unwrap();
        let residual = |is_one: bool, p: f64| {
            let share: f64 = if is_one { p } else { 1.0 - p };
            (if is_one { 1.0 } else { -1.0 }) * (-2.0 * share.ln()).sqrt()
        };
        for (row, (found, label)) in found.iter().zip(labels).enumerate() {
            let expected = residual(label == "1", if row < 4 { 0.25 } else { 2.0 / 3.0 });
            assert!((found - expected).abs() < 1e-9, "{row}: {found} {expected}");
        }
    }

    /// Residuals have the same distribution in a group with few and in one with many cases; cases have the larger
    /// ones.
    #[test]
    fn quantiles_are_uniform_whatever_the_covariate_is() {
        let rows = 4000;
        let group: Vec<f64> = (0..rows).map(|row| f64::from(row % 2)).collect();
        // A tenth of the even rows, and seven tenths of the odd ones.
        let is_case = |row: u32| row / 2 % 10 < if row.is_multiple_of(2) { 1 } else { 7 };
        let labels: Vec<String> = (0..rows).map(|row| u8::from(is_case(row)).to_string()).collect();
        let target = Target::Classes(Classes::from_labels(&labels));
        let own = covariates(vec![numbers("group", &group)]);
        let all = residuals(&target, &own, ClassResiduals::Quantile, 3, &run()).unwrap();
        assert_eq!(all, residuals(&target, &own, ClassResiduals::Quantile, 3, &run()).unwrap());
        let Residuals { values: found, warnings } = all;
        let told: Vec<String> = warnings.iter().map(Warning::to_string).collect();
        assert_eq!(told, ["residuals are drawn at random (seed 3); rankings differ between seeds"]);
        for parity in [0, 1] {
            let of_group = (0..rows).filter(|row| row % 2 == parity);
            let mut of_group: Vec<f64> = of_group.map(|row| found[row as usize]).collect();
            of_group.sort_by(f64::total_cmp);
            let size = of_group.len() as f64;
            let gap = |(rank, value): (usize, &f64)| (value - (rank as f64 + 0.5) / size).abs();
            let greatest = of_group.iter().enumerate().map(gap).fold(0.0, f64::max);
            // The Kolmogorov-Smirnov bound at 0.001.
            assert!(greatest < 1.95 / size.sqrt(), "{greatest}");
            let least_of_cases = if parity == 0 { 0.9 } else { 0.3 };
            for row in (0..rows).filter(|row| row % 2 == parity) {
                let residual = found[row as usize];
                assert_eq!(is_case(row), residual > least_of_cases - 1e-9, "{row} {residual}");
            }
        }
    }

    #[test]
    fn covariates_that_say_nothing_new_or_everything_are_refused() {
        let x = [0.0, 1.0, 2.0, 5.0];
        let twice: Vec<f64> = x.iter().map(|x| 3.0 - 2.0 * x).collect();
        let own = covariates(vec![numbers("x", &x), numbers("z", &twice)]);
        let target = Target::Real(vec![1.0, 0.0, 4.0, 2.0]);
        let error = deviance_residuals(&target, &own).unwrap_err().to_string();
        assert!(error.contains("`z`") && error.contains("combination"), "{error}");
        let own = covariates(vec![numbers("x", &x)]);
        let same = Target::Real(x.iter().map(|x| 7.0 * x + 1.0).collect());
        let apart = Target::Classes(Classes::from_labels(&["a", "a", "b", "b"]));
        for target in [same, apart] {
            let error = deviance_residuals(&target, &own).unwrap_err().to_string();
            assert!(error.contains("completely"), "{error}");
        }
        let three = Target::Classes(Classes::from_labels(&["a", "b", "c", "a"]));
        assert!(deviance_residuals(&three, &own).unwrap_err().to_string().contains("3 classes"));
    }

    /// Every covariate needs a decomposition, and each decomposition polls the cancel flag.
    #[test]
    fn every_covariate_polls_the_cancel_flag() {
        let value = |row: usize, column: usize| ((row * 31 + column * column * 17) % 101) as f64;
        let column = |column: usize| {
            let values: Vec<f64> = (0..60).map(|row| value(row, column)).collect();
            numbers(&format!("c{column}"), &values)
        };
        let own = covariates((1..13).map(column).collect());
        let labels: Vec<String> = (0..60).map(|row| (row * row % 7 % 2).to_string()).collect();
        for target in [
            Target::Real((0..60).map(|row| value(row, 20)).collect()),
            Target::Classes(Classes::from_labels(&labels)),
        ] {
            let flag = CancelFlag::new();
            let run = run().with_cancel(flag.clone());
            residuals(&target, &own, ClassResiduals::Quantile, 0, &run).unwrap();
            assert!(flag.polls() >= 24, "{}", flag.polls());
            flag.cancel();
            let stopped = residuals(&target, &own, ClassResiduals::Quantile, 0, &run);
            assert!(matches!(stopped, Err(Error::Cancelled)));
        }
    }
}
