//! Weights of rows, and prior probabilities of classes.

use std::collections::BTreeSet;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::data::{Categories, Classes, Column, ColumnKind, Target, list};
use crate::error::{DataError, Error, Result, shorten};
use crate::wording::{quoted, setting};

/// Weights of rows, such as sampling weights or numbers of identical observations. All are above 0.
///
/// A row of weight w takes w of the k places among the nearest neighbors, and counts w times in means and standard
/// deviations of distances, in class priors, and in sums over rows.
#[derive(Debug, Clone, PartialEq)]
pub struct RowWeights {
    values: Arc<[f64]>,
}

impl RowWeights {
    /// Takes a weight above 0 per row; `name` is that of the weights in messages.
    ///
    /// # Errors
    /// A weight that is negative, 0, infinite or not a number; the message names the row. Rows of weight 0 are
    /// excluded with [`positive_rows`](Self::positive_rows).
    pub fn new(name: &str, values: Vec<f64>) -> Result<Self> {
        let positive = Self::positive_rows(name, &values)?;
        if positive.len() < values.len() {
            let row = (0..).zip(&positive).find(|(place, row)| place != *row);
            let row = row.map_or(positive.len(), |(place, _)| place);
            let error = DataError::new("the weight of a row is 0", "exclude the row");
            return Err(error.at_row(row as u64 + 1).in_column(name).into());
        }
        Ok(Self { values: values.into() })
    }

    /// The weight of every row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Whether all weights are 1, so that they have no effect.
    pub fn are_one(&self) -> bool {
        self.values.iter().all(|&weight| weight == 1.0)
    }

    /// Selects rows, in the order of the list.
    ///
    /// # Panics
    /// A row out of range.
    #[must_use]
    pub fn select_rows(&self, rows: &[usize]) -> Self {
        Self { values: rows.iter().map(|&row| self.values[row]).collect() }
    }

    /// The rows whose weight is above 0, ascending; `name` is that of the weights in messages.
    ///
    /// # Errors
    /// A weight that is missing, negative or infinite (the message names the row); no weight above 0.
    pub fn positive_rows(name: &str, weights: &[f64]) -> Result<Vec<usize>> {
        let wrong = |weight: &f64| !(0.0..f64::INFINITY).contains(weight);
        if let Some(row) = weights.iter().position(wrong) {
            let weight = weights[row];
            let (problem, help) = match weight.is_nan() {
                true => ("the weight of a row is missing", "fill it in, or exclude the row"),
                false => (
                    "the weight of a row is not a finite number of at least 0",
                    "correct it, or exclude the row",
                ),
            };
            let mut error = DataError::new(problem, help).at_row(row as u64 + 1).in_column(name);
            if !weight.is_nan() {
                error = error.with_value(&weight.to_string());
            }
            return Err(error.into());
        }
        let rows: Vec<usize> = (0..weights.len()).filter(|&row| weights[row] > 0.0).collect();
        if rows.is_empty() {
            let error = DataError::new(
                "the weights of all rows are zero, so that no row remains",
                "give weights above 0",
            );
            return Err(error.in_column(name).into());
        }
        Ok(rows)
    }

    /// The weights of a numeric column, in which a missing value is not a number.
    ///
    /// # Errors
    /// The column contains texts.
    pub fn read(column: &Column<'_>) -> Result<Vec<f64>> {
        if column.kind() == ColumnKind::Categorical {
            let error = DataError::new(
                "the weights of rows must be numbers",
                "name a numeric column; check its values for texts",
            );
            return Err(error.in_column(column.name()).into());
        }
        Ok((0..column.len()).map(|row| column.value(row)).collect())
    }

    /// Refuses weights that are equal in all rows of a class: they determine the class, so that nothing can be permuted
    /// given the weights.
    ///
    /// # Errors
    /// Such weights.
    pub(crate) fn refuse_weights_of_classes(&self, target: &Target) -> Result<()> {
        let Some(classes) = target.as_classes() else { return Ok(()) };
        let mut of_class = vec![None; classes.len()];
        let is_constant = |(&code, &weight): (&u32, &f64)| {
            *of_class[code as usize].get_or_insert(weight) == weight
        };
        if !classes.codes().iter().zip(&*self.values).all(is_constant) {
            return Ok(());
        }
        Err(Error::option(
            "row_weight",
            "all rows of a class have the same weight, so that there is nothing to permute given the weights",
            format!("state priors of the classes instead ({})", setting("priors", None)),
        ))
    }

    /// The weights as a covariate of a regression: few distinct weights as categories, and others by their logarithms.
    ///
    /// # Errors
    /// None: the logarithms are finite.
    pub(crate) fn covariate(&self) -> Result<Column<'static>> {
        const FEW: usize = 5;
        const NAME: &str = "weight of the row";
        let distinct: BTreeSet<u64> = self.values.iter().map(|weight| weight.to_bits()).collect();
        if distinct.len() <= FEW {
            let texts: Vec<String> = self.values.iter().map(f64::to_string).collect();
            let texts = texts.iter().map(|text| Some(text.as_str()));
            return Ok(Column::categorical(NAME, Categories::from_texts(texts)));
        }
        let logarithms: Vec<f64> = self.values.iter().map(|weight| weight.ln()).collect();
        Column::from_values(NAME, logarithms)
    }

    /// The weights, shared with the space in which neighbors are searched.
    pub(super) fn shared(&self) -> &Arc<[f64]> {
        &self.values
    }
}

/// Prior probabilities of classes, in place of the proportions of the classes in the data. In a case-control study,
/// these are the prevalences in the population.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ClassPriors {
    /// All classes have the same prior.
    Uniform,
    /// The prior of every class, by name. The sum is 1.
    Stated(Vec<(String, f64)>),
}

/// The largest error of the sum of stated priors.
const SUM_ERROR: f64 = 1e-6;

impl ClassPriors {
    /// Parses `uniform`, or priors such as `case=0.01,control=0.99`; `data` is `None`, the proportions in the data.
    ///
    /// # Errors
    /// A text in another form; a prior that is not above 0; a sum other than 1; a class named twice.
    pub fn parse(text: &str) -> Result<Option<Self>> {
        if text == "data" {
            return Ok(None);
        }
        text.parse().map(Some)
    }

    /// Checks stated priors.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub fn stated(priors: Vec<(String, f64)>) -> Result<Self> {
        let refused = |problem: String| Error::option("priors", problem, Self::FORM);
        if let Some((name, prior)) = priors.iter().find(|(_, p)| !(*p > 0.0 && p.is_finite())) {
            return Err(refused(format!(
                "the prior of class {} is {prior}, not a number above 0",
                quoted(&shorten(name, 40))
            )));
        }
        let repeated = |place: usize| priors[..place].iter().any(|own| own.0 == priors[place].0);
        if let Some(place) = (1..priors.len()).find(|&place| repeated(place)) {
            let name = quoted(&shorten(&priors[place].0, 40));
            return Err(refused(format!("class {name} has two priors")));
        }
        let sum: f64 = priors.iter().map(|(_, prior)| prior).sum();
        if (sum - 1.0).abs() > SUM_ERROR {
            return Err(refused(format!("the priors sum to {sum}, not to 1")));
        }
        Ok(Self::Stated(priors))
    }

    const FORM: &'static str =
        "use data, uniform, or a prior for every class, such as case=0.01,control=0.99";

    /// The priors of these classes, in the order of their codes. Those of a selection of the classes are scaled to sum
    /// 1.
    ///
    /// # Errors
    /// A class without a prior.
    pub(crate) fn of(&self, classes: &Classes) -> Result<Vec<f64>> {
        match self {
            Self::Uniform => Ok(vec![1.0 / classes.len() as f64; classes.len()]),
            Self::Stated(priors) => {
                let prior = |name: &String| {
                    let found = priors.iter().find(|(own, _)| own == name);
                    found.map(|(_, prior)| *prior).ok_or_else(|| {
                        let name = quoted(&shorten(name, 40));
                        let problem = format!("class {name} has no prior");
                        Error::option("priors", problem, Self::FORM)
                    })
                };
                let found = classes.names().iter().map(prior).collect::<Result<Vec<f64>>>()?;
                let sum: f64 = found.iter().sum();
                Ok(found.into_iter().map(|prior| prior / sum).collect())
            }
        }
    }

    /// The classes of a target, each of which has a prior.
    ///
    /// # Errors
    /// A numeric target; a class without a prior.
    pub(crate) fn covers<'t>(&self, target: &'t Target) -> Result<&'t Classes> {
        let Some(classes) = target.as_classes() else {
            return Err(Error::option(
                "priors",
                format!("the target {}, and priors are those of classes", target.phrase()),
                "remove the option",
            ));
        };
        self.of(classes)?;
        Ok(classes)
    }

    /// Checks the priors against a target, of which some rows may be unlabeled.
    ///
    /// # Errors
    /// A numeric target; a class without a prior; a prior of a class that no row has.
    pub fn check(&self, target: &Target) -> Result<()> {
        let labeled = target.labeled();
        let classes = self.covers(labeled.as_ref().map_or(target, |(_, known)| known))?;
        let Self::Stated(priors) = self else { return Ok(()) };
        let is_unknown = |name: &&str| !classes.names().iter().any(|own| own == name);
        let unknown: Vec<&str> =
            priors.iter().map(|(name, _)| name.as_str()).filter(is_unknown).collect();
        if unknown.is_empty() {
            return Ok(());
        }
        let names: Vec<&str> = classes.names().iter().map(String::as_str).collect();
        Err(Error::option(
            "priors",
            format!("no row has the class {}", list(&unknown)),
            format!("the classes are {}", list(&names)),
        ))
    }

    /// The option's value that states these priors.
    pub fn words(&self) -> String {
        match self {
            Self::Uniform => "uniform".to_string(),
            Self::Stated(priors) => {
                let stated: Vec<String> =
                    priors.iter().map(|(name, prior)| format!("{name}={prior}")).collect();
                stated.join(",")
            }
        }
    }
}

impl FromStr for ClassPriors {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text == "uniform" {
            return Ok(Self::Uniform);
        }
        let parse = |part: &str| {
            let (name, prior) = part.rsplit_once('=')?;
            Some((name.to_string(), prior.trim().parse().ok()?))
        };
        let priors: Option<Vec<(String, f64)>> = text.split(',').map(parse).collect();
        let problem = || format!("{} is unknown", quoted(&shorten(text, 40)));
        Self::stated(priors.ok_or_else(|| Error::option("priors", problem(), Self::FORM))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_of_rows_are_checked() {
        let of = |values: &[f64]| RowWeights::new("w", values.to_vec());
        assert_eq!(of(&[1.0, 0.5]).unwrap().values(), [1.0, 0.5]);
        assert!(of(&[1.0, 1.0]).unwrap().are_one());
        assert_eq!(of(&[1.0, 2.0, 3.0]).unwrap().select_rows(&[2, 0]).values(), [3.0, 1.0]);
        for (weights, row, words) in [
            ([1.0, -2.0, 0.0], "row 2", "at least 0"),
            ([1.0, f64::NAN, 1.0], "row 2", "missing"),
            ([1.0, 1.0, f64::INFINITY], "row 3", "finite"),
            ([1.0, 0.0, 2.0], "row 2", "is 0"),
            ([1.0, 2.0, 0.0], "row 3", "is 0"),
        ] {
            let message = of(&weights).unwrap_err().to_string();
            assert!(message.contains(row) && message.contains(words), "{message}");
        }
        assert_eq!(RowWeights::positive_rows("w", &[0.0, 2.0, 0.0, 1.0]).unwrap(), [1, 3]);
        let none = RowWeights::positive_rows("w", &[0.0, 0.0]).unwrap_err().to_string();
        assert!(none.contains("no row remains"), "{none}");
    }

    #[test]
    fn priors_are_read_and_checked() {
        let classes = Classes::from_labels(&["case", "control", "case"]);
        let of = |text: &str| ClassPriors::parse(text).map(Option::unwrap);
        assert_eq!(ClassPriors::parse("data").unwrap(), None);
        assert_eq!(of("uniform").unwrap().of(&classes).unwrap(), [0.5, 0.5]);
        let stated = of("control=0.99,case=0.01").unwrap();
        assert_eq!(stated.of(&classes).unwrap(), [0.01, 0.99]);
        assert_eq!(stated.words(), "control=0.99,case=0.01");
        let target = Target::Classes(classes);
        assert!(stated.check(&target).is_ok());
        let message = |text: &str| {
            let found = of(text).and_then(|priors| priors.check(&target));
            found.unwrap_err().to_string()
        };
        for (text, words) in [
            ("case=0.2,control=0.7", "sum to 0.8999"),
            ("case=0.2,control=0.7,other=0.1", "no row has the class other"),
            ("case=1", "class `control` has no prior"),
            ("case=0,control=1", "not a number above 0"),
            ("case=0.5,case=0.5", "two priors"),
            ("even", "`even` is unknown"),
        ] {
            let found = message(text);
            assert!(found.contains(words), "{found}");
        }
        let numbers = Target::Real(vec![1.0, 2.0]);
        assert!(ClassPriors::Uniform.check(&numbers).unwrap_err().to_string().contains("numeric"));
    }
}
