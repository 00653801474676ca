//! Residuals of a target after regression on covariates: least squares for a numeric target, logistic regression for
//! two classes, proportional hazards for survival times.

use super::cox::cox;
use super::logistic::CERTAIN;
use super::regression::{Design, covariate_columns, least_squares, logistic, products};
use crate::data::{AdjustedClasses, Covariates, DenseMatrix, RowWeights, Target};
use crate::error::{DataError, Error, Result};
use crate::run::Run;
use crate::warning::Warning;
use crate::wording::{either, setting};

/// A target after adjustment for covariates.
#[derive(Debug, Clone)]
pub struct Adjusted<'a> {
    /// The residuals, one number per row; of survival times the times with quantiles given the covariates.
    pub target: Target,
    /// The covariates. They carry the classes of which the target is the residuals, so that permutations can exchange
    /// the classes and compute the residuals again.
    pub covariates: Covariates<'a>,
    /// Reports that the logistic model nearly separates the classes.
    pub warnings: Vec<Warning>,
}

/// Adjusts a target for covariates: computes its residuals after regression on them, one number per row. Numbers and
/// genotypes enter the model unchanged, categories as one indicator per level except the first.
///
/// The residuals of a numeric target are the target minus its least-squares fit. Those of two classes are the means of
/// the randomized quantile residuals of the logistic model (Dunn & Smyth 1996): `(1 - p) / 2` for the first class
/// and `1 - p / 2` for the second, where `p` is the probability of the second class. Methods for a numeric target
/// compare two such rows by the expected difference of their randomized residuals, whose distribution does not depend on the
/// covariates, and which needs no random numbers.
///
/// Survival times get their expected quantiles given the covariates: those in the distribution that the proportional
/// hazards model of Cox gives rows with the same covariates (with Efron's likelihood of tied events). If the model holds and censoring is independent
/// of the time of the event given the covariates, the expected value of such a quantile is 1/2 for all covariates.
///
/// The residuals of classes may not be exchanged between rows. [`Permutations`](crate::inference::Permutations)
/// exchange the classes instead, given the covariates.
///
/// With weights of rows, the regression is weighted: least squares multiply the squares of a row by its weight, and the
/// logarithm of the likelihood of a row is multiplied by its weight. A weight of 2 gives the residuals of two copies of the
/// row. Multiplying all weights by a number does not change the residuals, up to the precision of the fit.
///
/// A warning reports that the covariates separate the classes in some rows (quasi-complete separation). The
/// coefficients then have no finite estimate, and the residuals of these rows are those of a probability of 0 or 1.
///
/// # Errors
/// The target has more than two classes; a covariate is a linear combination of those before it (the error names the
/// first such covariate); the covariates determine the classes, the numeric target or the order of the events completely;
/// survival times with weights of rows.
pub fn residuals<'a>(
    target: &Target,
    covariates: Covariates<'a>,
    weights: Option<&RowWeights>,
    run: &Run,
) -> Result<Adjusted<'a>> {
    let design = design(&covariates, run)?;
    let weights = weights.filter(|weights| !weights.are_one()).map(RowWeights::values);
    match target {
        Target::Survival(_) if weights.is_some() => Err(Error::option(
            "residuals",
            "residuals of survival times with weights of rows are not available",
            either(
                format!("use {}", setting("caliper", None)),
                "use `caliper`",
                "omit the covariates or the weights",
            ),
        )),
        Target::Multi(_) => Err(Error::option(
            "residuals",
            format!("a target that {} has no residuals", target.phrase()),
            either(
                format!(
                    "adjust the targets one at a time, or use {}",
                    setting("covar_distance", None)
                ),
                "adjust the targets one at a time, or use `covariate_distance`",
                "adjust the targets one at a time",
            ),
        )),
        Target::Survival(survival) => {
            let model = cox(survival, &design, run)?.ok_or_else(nothing_left)?;
            let target = survival.clone().with_adjusted(model.quantiles).into();
            Ok(Adjusted { target, covariates, warnings: Vec::new() })
        }
        Target::Real(values) => {
            let fitted = least_squares(&design, values, weights, run)?.ok_or_else(nothing_left)?;
            let values = values.iter().zip(fitted).map(|(value, fitted)| value - fitted).collect();
            Ok(Adjusted { target: Target::real(values)?, covariates, warnings: Vec::new() })
        }
        Target::Classes(classes) if classes.len() == 2 => {
            let y: Vec<f64> = classes.codes().iter().map(|&code| f64::from(code)).collect();
            let coefficients = logistic(&design, &y, weights, run)?.ok_or_else(nothing_left)?;
            let scores = products(&design, &coefficients);
            let warnings = separated(&scores).into_iter().collect();
            let probabilities = scores.iter().map(|score| 1.0 / (1.0 + (-score).exp())).collect();
            let adjusted = AdjustedClasses::new(classes.clone(), probabilities);
            let target = Target::real(adjusted.means(classes.codes()))?;
            Ok(Adjusted { target, covariates: covariates.with_adjusted(adjusted), warnings })
        }
        Target::Classes(classes) => Err(Error::option(
            "residuals",
            format!(
                "the target has {} classes; residuals require two classes or a numeric target",
                classes.len()
            ),
            either(
                format!("keep two classes, or use {}", setting("caliper", None)),
                "keep two classes, or use `caliper`",
                "keep two classes",
            ),
        )),
    }
}

/// The design matrix of covariates.
///
/// # Errors
/// A covariate is a linear combination of those before it.
fn design(covariates: &Covariates<'_>, run: &Run) -> Result<DenseMatrix> {
    let table = covariates.table();
    let mut design = Design::new(table.rows());
    for column in table.columns() {
        if !design.add(covariate_columns(column), run)? {
            let problem = "the covariate is a linear combination of those before it";
            let error = DataError::new(problem, "leave it out").in_column(column.name());
            return Err(error.into());
        }
    }
    Ok(design.matrix())
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
    use crate::data::{Categories, Classes, Column, Table};
    use crate::run::CancelFlag;

    fn covariates(columns: Vec<Column<'static>>) -> Covariates<'static> {
        Covariates::new(Table::new(columns).unwrap()).unwrap()
    }

    fn run() -> Run {
        Run::new(Some(1)).unwrap()
    }

    fn residuals_of(target: &Target, covariates: &Covariates<'_>) -> Result<Vec<f64>> {
        match residuals(target, covariates.clone(), None, &run())?.target {
            Target::Real(values) => Ok(values),
            _ => panic!("residuals are numbers"),
        }
    }

    fn numbers(name: &str, values: &[f64]) -> Column<'static> {
        Column::from_values(name, values.to_vec()).unwrap()
    }

    /// The line through (0, 1), (1, 2), (2, 6) is 0.5 + 2.5 x.
    #[test]
    fn a_number_less_its_line() {
        let own = covariates(vec![numbers("x", &[0.0, 1.0, 2.0])]);
        let found = residuals_of(&Target::Real(vec![1.0, 2.0, 6.0]), &own).unwrap();
        for (found, expected) in found.iter().zip([0.5, -1.0, 0.5]) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }

    /// With one categorical covariate, the fitted probabilities are the class proportions in its levels: 1/4 and 2/3.
    #[test]
    fn quantiles_by_the_shares_of_classes() {
        let groups = ["a", "a", "a", "a", "b", "b", "b"].map(Some);
        let own = covariates(vec![Column::categorical("g", Categories::from_texts(groups))]);
        let labels = ["0", "1", "0", "0", "1", "0", "1"];
        let target = Target::Classes(Classes::from_labels(&labels));
        let found = residuals_of(&target, &own).unwrap();
        for (row, (found, label)) in found.iter().zip(labels).enumerate() {
            let p: f64 = if row < 4 { 0.25 } else { 2.0 / 3.0 };
            let expected = if label == "1" { 1.0 - p / 2.0 } else { (1.0 - p) / 2.0 };
            assert!((found - expected).abs() < 1e-9, "{row}: {found} {expected}");
        }
    }

    #[test]
    fn covariates_that_say_nothing_new_or_everything_are_refused() {
        let x = [0.0, 1.0, 2.0, 5.0];
        let twice: Vec<f64> = x.iter().map(|x| 3.0 - 2.0 * x).collect();
        let own = covariates(vec![numbers("x", &x), numbers("z", &twice)]);
        let target = Target::Real(vec![1.0, 0.0, 4.0, 2.0]);
        let error = residuals_of(&target, &own).unwrap_err().to_string();
        assert!(error.contains("`z`") && error.contains("combination"), "{error}");
        let own = covariates(vec![numbers("x", &x)]);
        let same = Target::Real(x.iter().map(|x| 7.0 * x + 1.0).collect());
        let apart = Target::Classes(Classes::from_labels(&["a", "a", "b", "b"]));
        for target in [same, apart] {
            let error = residuals_of(&target, &own).unwrap_err().to_string();
            assert!(error.contains("completely"), "{error}");
        }
        let three = Target::Classes(Classes::from_labels(&["a", "b", "c", "a"]));
        assert!(residuals_of(&three, &own).unwrap_err().to_string().contains("3 classes"));
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
            residuals(&target, own.clone(), None, &run).unwrap();
            assert!(flag.polls() >= 24, "{}", flag.polls());
            flag.cancel();
            let stopped = residuals(&target, own.clone(), None, &run);
            assert!(matches!(stopped, Err(Error::Cancelled)));
        }
    }
}
