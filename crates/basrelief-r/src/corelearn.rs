//! Weights by the rules of CORElearn.

use basrelief::data::{Classes, RawTable, Table, Target, TargetKind};
use basrelief::methods::corelearn::{self, Estimator, Parameters};
use basrelief::wording::quoted;
use basrelief::{Error, Result, Run, Warning};

use crate::answer::{Answer, Value};
use crate::arguments::Arguments;
use crate::study::source;

/// Computes the weights of an estimator of CORElearn: `attrEval()`. Returns the names of the features as `feature`, and
/// the weights as `weight`.
///
/// # Errors
/// An unknown estimator; a parameter out of range; costs that are not those of all classes; a target of another kind; no
/// feature with a value; equal scores where the estimator divides by their range.
pub fn attr_eval(table: RawTable, arguments: &Arguments, run: &Run) -> Result<Answer> {
    let estimator = Estimator::from_name(arguments.text("estimator").unwrap_or_default())?;
    let usual = Parameters::default();
    let source = source(arguments, Some(table))?;
    let kind = if estimator.is_regression() { TargetKind::Real } else { TargetKind::Classes };
    let target = arguments.text("target").unwrap_or_default();
    let data = source.problem(target, kind, run)?;
    let count = |name: &'static str, usual: usize| -> Result<usize> {
        Ok(arguments.number(name, name)?.unwrap_or(usual))
    };
    let number = |name: &'static str, usual: f64| -> Result<f64> {
        Ok(arguments.number(name, name)?.unwrap_or(usual))
    };
    let parameters = Parameters {
        k_nearest_equal: count("kNearestEqual", usual.k_nearest_equal)?,
        k_nearest_exp_rank: count("kNearestExpRank", usual.k_nearest_exp_rank)?,
        quotient_exp_rank_distance: number(
            "quotientExpRankDistance",
            usual.quotient_exp_rank_distance,
        )?,
        num_attr_proportion_equal: number(
            "numAttrProportionEqual",
            usual.num_attr_proportion_equal,
        )?,
        num_attr_proportion_different: number(
            "numAttrProportionDifferent",
            usual.num_attr_proportion_different,
        )?,
        costs: costs(arguments, &data.target)?,
    };
    let mut warnings = data.warnings;
    let table = with_values(&data.table, &mut warnings)?;
    let weights = corelearn::attr_eval(&table, &data.target, estimator, &parameters, run)?;
    if weights.iter().any(|weight| weight.is_nan()) {
        return Err(Error::option(
            "estimator",
            format!("{} divides by the range of the scores, which are all equal", estimator.name()),
            "use \"RReliefFexpRank\"",
        ));
    }
    let names = table.columns().iter().map(|column| column.name());
    Ok(Answer::default()
        .with("feature", Value::texts(names))
        .with("weight", Value::Numbers(weights))
        .with_warnings(&warnings))
}

/// The features that have a value in some row, as in CORElearn; a warning names the others.
fn with_values<'t>(table: &'t Table<'t>, warnings: &mut Vec<Warning>) -> Result<Table<'t>> {
    let is_known = |&place: &usize| table.columns()[place].missing() < table.rows();
    let (known, others): (Vec<usize>, Vec<usize>) = (0..table.width()).partition(is_known);
    if known.is_empty() {
        return Err(Error::data("no feature has a value", "give a table with values"));
    }
    if !others.is_empty() {
        let names = others.iter().map(|&place| quoted(table.columns()[place].name()).to_string());
        let names = names.collect::<Vec<_>>().join(", ");
        warnings.push(Warning::new(
            "no-values",
            format!("features that have only missing values are left out: {names}"),
        ));
    }
    Ok(table.select_columns(&known))
}

/// The costs of errors in the order of the classes. The argument has one row per level of the target, in the order of
/// `costMatrix.classes`.
fn costs(arguments: &Arguments, target: &Target) -> Result<Option<Vec<f64>>> {
    let (costs, levels) = (arguments.list("costMatrix"), arguments.list("costMatrix.classes"));
    let Some(classes) = target.as_classes().filter(|_| !costs.is_empty()) else { return Ok(None) };
    let wrong = |problem: String| {
        Error::option(
            "costMatrix",
            problem,
            "give one row and one column per class, in their order",
        )
    };
    if costs.len() != levels.len() * levels.len() {
        let (costs, levels) = (costs.len(), levels.len());
        return Err(wrong(format!("it has {costs} numbers for {levels} classes")));
    }
    let places = |classes: &Classes| -> Result<Vec<usize>> {
        let place = |name: &String| {
            let found = levels.iter().position(|level| level == name);
            found.ok_or_else(|| wrong(format!("it has no row of class {}", quoted(name))))
        };
        classes.names().iter().map(place).collect()
    };
    let places = places(classes)?;
    let mut ordered = Vec::with_capacity(places.len() * places.len());
    for row in &places {
        for column in &places {
            let cost = &costs[row * levels.len() + column];
            let number =
                cost.parse().map_err(|_| wrong(format!("{} is not a cost", quoted(cost))))?;
            ordered.push(number);
        }
    }
    Ok(Some(ordered))
}
