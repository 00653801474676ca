//! Phenotypes: what PLINK takes for case and control, for a quantity, and for missing.

use std::path::Path;

use basrelief::data::is_missing_number;
use basrelief::error::nearest_name;
use basrelief::wording::{quoted, setting};
use basrelief::{DataError, Error, Result, Run, Warning};

use super::people::{Finder, PeopleLine, PerPerson, Sample, count};

/// The number that says that a phenotype is missing.
const MISSING: f64 = -9.0;

/// Everybody's phenotype; `None` is missing.
#[derive(Debug, Clone, PartialEq)]
pub enum Phenotype {
    /// Whether somebody is a case: 2 in the file, where 1 is a control.
    CaseControl(Vec<Option<bool>>),
    /// A quantity.
    Quantity(Vec<Option<f64>>),
}

impl Phenotype {
    /// Case and control if all numbers are 1, 2, 0 or -9, of which the last two are missing; else a quantity, of
    /// which -9 is missing.
    fn of_numbers(numbers: &[Option<f64>]) -> Self {
        let known = || numbers.iter().map(|number| number.filter(|&number| number != MISSING));
        if known().flatten().all(|number| [0.0, 1.0, 2.0].contains(&number)) {
            let is_case = |number: f64| (number != 0.0).then_some(number == 2.0);
            Phenotype::CaseControl(known().map(|number| number.and_then(is_case)).collect())
        } else {
            Phenotype::Quantity(known().collect())
        }
    }

    /// Of whom it is known.
    pub(super) fn is_known(&self) -> Vec<bool> {
        match self {
            Phenotype::CaseControl(cases) => cases.iter().map(Option::is_some).collect(),
            Phenotype::Quantity(numbers) => numbers.iter().map(Option::is_some).collect(),
        }
    }

    /// That of the people listed, in that order.
    pub(super) fn of_people(&self, people: &[u32]) -> Self {
        match self {
            Phenotype::CaseControl(all) => {
                Phenotype::CaseControl(people.iter().map(|&person| all[person as usize]).collect())
            }
            Phenotype::Quantity(all) => {
                Phenotype::Quantity(people.iter().map(|&person| all[person as usize]).collect())
            }
        }
    }
}

/// A phenotype as it is written.
///
/// # Errors
/// Neither a finite number nor missing.
fn number(text: &str) -> std::result::Result<Option<f64>, DataError> {
    if is_missing_number(text) {
        return Ok(None);
    }
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(Some(number)),
        _ => Err(DataError::new(
            "the phenotype is no number",
            "write 1 for a control, 2 for a case, a quantity, or -9 or NA where it is missing",
        )
        .with_value(text)),
    }
}

/// The phenotypes of a `.fam` or `.psam` file.
///
/// # Errors
/// One is neither a number nor missing.
pub(super) fn of_people(fam: &Path, people: &[Sample]) -> Result<Phenotype> {
    let numbers = people.iter().map(|person| {
        let located =
            |error: DataError| -> Error { error.in_file(fam).at_line(person.line).into() };
        number(&person.phenotype).map_err(located)
    });
    Ok(Phenotype::of_numbers(&numbers.collect::<Result<Vec<_>>>()?))
}

/// The phenotypes of a file of their own: FID, IID (or IID alone below `#IID`) and one or more columns, which a first
/// line may name. Of several, `name` chooses one.
///
/// # Errors
/// The file cannot be read, has no such column, or names nobody of the cohort; a line has too few fields, or somebody
/// two.
pub(super) fn of_file(
    path: &Path,
    name: Option<&str>,
    (fam, people): (&Path, &[Sample]),
    warnings: &mut Vec<Warning>,
    run: &Run,
) -> Result<Phenotype> {
    let mut place = None;
    let mut numbers = PerPerson::new(people.len());
    Finder::new(people).each_line(path, run, |_, line| {
        let (person, named, fields) = match line {
            PeopleLine::Header(names) => {
                place = Some((place_of(name, Some(names), names.len())?, names.len()));
                return Ok(());
            }
            PeopleLine::Person(person, named, fields) => (person, named, fields),
        };
        let (place, width) = match place {
            Some(known) => known,
            None => *place.insert((place_of(name, None, fields.len())?, fields.len())),
        };
        if fields.len() != width {
            let problem = format!("{} behind the IDs where there should be {width}", count(fields));
            let help = "write every phenotype of every person, NA where it is missing";
            return Err(DataError::new(problem, help));
        }
        numbers.add(person, named, number(fields[place])?)
    })?;
    let numbers = numbers.done(path, (fam, people), "no-phenotype", warnings)?;
    let numbers: Vec<Option<f64>> = numbers.into_iter().map(Option::flatten).collect();
    Ok(Phenotype::of_numbers(&numbers))
}

/// Which of `count` columns is the phenotype called `name`; the only one where no name is given.
fn place_of(
    name: Option<&str>,
    names: Option<&[&str]>,
    count: usize,
) -> std::result::Result<usize, DataError> {
    match (name, names) {
        _ if count == 0 => Err(DataError::new(
            "no phenotype stands behind the IDs",
            "write lines of FID, IID and phenotype",
        )),
        (None, _) if count == 1 => Ok(0),
        (None, names) => {
            let problem = format!("there are {count} phenotypes");
            let help = match names {
                Some(names) => {
                    format!("choose one with {}: {}", setting("pheno_name", None), shown(names))
                }
                None => format!(
                    "name them in a first line (FID IID NAME …), and choose one with {}",
                    setting("pheno_name", None)
                ),
            };
            Err(DataError::new(problem, help))
        }
        (Some(name), None) => Err(DataError::new(
            format!("no first line names its columns, so that none is called {}", quoted(name)),
            "add one, as in FID IID NAME, or do not name the phenotype",
        )),
        (Some(name), Some(names)) => named_place(name, names),
    }
}

/// The place of a phenotype among their names.
///
/// # Errors
/// None is called so.
pub(crate) fn named_place(name: &str, names: &[&str]) -> std::result::Result<usize, DataError> {
    names.iter().position(|other| *other == name).ok_or_else(|| {
        let help = match nearest_name(name, names.iter().copied()) {
            _ if names.is_empty() => "the file has none".to_string(),
            Some(near) => format!("did you mean {}?", quoted(near)),
            None => format!("they are {}", shown(names)),
        };
        DataError::new(format!("no phenotype is called {}", quoted(name)), help)
    })
}

/// The first of some names.
fn shown(names: &[&str]) -> String {
    const SHOWN: usize = 10;
    let more = if names.len() > SHOWN { ", …" } else { "" };
    format!("{}{more}", names[..names.len().min(SHOWN)].join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_cases_and_controls_or_quantities() {
        let of = |numbers: &[f64]| {
            Phenotype::of_numbers(&numbers.iter().map(|&number| Some(number)).collect::<Vec<_>>())
        };
        assert_eq!(
            of(&[1.0, 2.0, 0.0, -9.0]),
            Phenotype::CaseControl(vec![Some(false), Some(true), None, None])
        );
        assert_eq!(
            of(&[1.0, 2.0, 0.0, -9.0, 3.0]),
            Phenotype::Quantity(vec![Some(1.0), Some(2.0), Some(0.0), None, Some(3.0)])
        );
        assert_eq!(Phenotype::of_numbers(&[None]), Phenotype::CaseControl(vec![None]));
        assert_eq!(number("NA").ok(), Some(None));
        for wrong in ["inf", "case", "1,5"] {
            assert!(number(wrong).is_err(), "{wrong}");
        }
    }
}
