//! Phenotypes: case and control, quantitative and missing phenotypes, by the rules of PLINK.

use std::path::Path;

use basrelief::data::{Cell, TargetKind, is_missing_text, target_names};
use basrelief::error::nearest_name;
use basrelief::wording::{quoted, setting};
use basrelief::{DataError, Error, Result, Run, Warning};

use super::lines::name_of;
use super::people::{Finder, PeopleLine, PerPerson, Sample, count};

/// The class of people without the disease.
pub(crate) const CONTROL: &str = "control";

/// The class of people with the disease.
pub(crate) const CASE: &str = "case";

/// The number that means a missing phenotype or covariate.
const MISSING: f64 = -9.0;

/// The word that means a missing category.
const MISSING_CATEGORY: &str = "NONE";

/// The coding of phenotypes in files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PhenotypeCoding {
    /// `Real` reads all numbers as a quantitative phenotype. `Classes` also reads words, each of which is a class.
    pub kind: TargetKind,
    /// Whether 0 is a control and 1 a case, as in PLINK's `--1`, instead of 1 and 2.
    pub one_is_case: bool,
    /// Texts that mean missing values in addition to the usual ones, also in covariates.
    pub missing: Vec<String>,
}

impl PhenotypeCoding {
    /// Refuses contradictory declarations.
    ///
    /// # Errors
    /// Both cases and controls and a quantitative phenotype are declared.
    pub(crate) fn check(&self) -> Result<()> {
        if self.one_is_case && self.kind == TargetKind::Real {
            return Err(Error::option(
                "one_is_case",
                "it declares cases and controls, but the target is declared real",
                "omit one of the two",
            ));
        }
        Ok(())
    }

    /// Whether a text means a missing value of a phenotype or covariate: a text with this meaning in all tables, one of
    /// PLINK's texts, or one that the user declares. Numeric columns have further ones ([`Cell::MissingNumber`]).
    pub(crate) fn is_missing(&self, text: &str) -> bool {
        is_missing_text(text)
            || text == MISSING_CATEGORY
            || text.parse::<f64>() == Ok(MISSING)
            || Cell::is_declared_missing(&self.missing, text.as_bytes())
    }
}

/// The phenotype of all people; `None` is missing.
#[derive(Debug, Clone, PartialEq)]
pub enum Phenotype {
    /// Whether a person is a case. In the file, 2 is a case and 1 a control, unless declared otherwise.
    CaseControl(Vec<Option<bool>>),
    /// A quantitative phenotype.
    Quantity(Vec<Option<f64>>),
    /// Classes, by name.
    Classes(Vec<Option<String>>),
    /// Several phenotypes, with their names.
    Several(Vec<(String, Phenotype)>),
}

impl Phenotype {
    /// Returns a phenotype that is missing for all people.
    pub(crate) fn unknown(people: usize) -> Self {
        Phenotype::CaseControl(vec![None; people])
    }

    /// Interprets numbers as case and control if all of them are 1, 2 or 0, where 0 is missing. Otherwise, or if it is
    /// declared so, the phenotype is quantitative.
    ///
    /// # Errors
    /// The index of a number that is neither 0 nor 1, if 0 and 1 are declared as control and case.
    fn of_numbers(
        numbers: Vec<Option<f64>>,
        coding: &PhenotypeCoding,
    ) -> std::result::Result<Self, usize> {
        let all_are = |codes: &[f64]| {
            numbers.iter().position(|number| number.is_some_and(|number| !codes.contains(&number)))
        };
        if coding.one_is_case {
            return match all_are(&[0.0, 1.0]) {
                Some(other) => Err(other),
                None => {
                    let is_case = |number: Option<f64>| number.map(|number| number == 1.0);
                    Ok(Phenotype::CaseControl(numbers.into_iter().map(is_case).collect()))
                }
            };
        }
        if coding.kind != TargetKind::Real && all_are(&[0.0, 1.0, 2.0]).is_none() {
            let is_case = |number: f64| (number != 0.0).then_some(number == 2.0);
            let cases = numbers.into_iter().map(|number| number.and_then(is_case));
            return Ok(Phenotype::CaseControl(cases.collect()));
        }
        Ok(Phenotype::Quantity(numbers))
    }

    /// Returns for each person whether the phenotype is known, or any of several.
    pub(crate) fn is_known(&self) -> Vec<bool> {
        match self {
            Phenotype::CaseControl(cases) => cases.iter().map(Option::is_some).collect(),
            Phenotype::Quantity(numbers) => numbers.iter().map(Option::is_some).collect(),
            Phenotype::Classes(classes) => classes.iter().map(Option::is_some).collect(),
            Phenotype::Several(parts) => {
                let known: Vec<Vec<bool>> = parts.iter().map(|(_, own)| own.is_known()).collect();
                let people = known.first().map_or(0, Vec::len);
                (0..people).map(|person| known.iter().any(|own| own[person])).collect()
            }
        }
    }

    /// The phenotypes with their names, of which `name` is that of a phenotype alone.
    pub(crate) fn parts<'p>(&'p self, name: &'p str) -> Vec<(&'p str, &'p Phenotype)> {
        match self {
            Phenotype::Several(parts) => {
                parts.iter().map(|(name, own)| (name.as_str(), own)).collect()
            }
            alone => vec![(name, alone)],
        }
    }

    /// Returns the phenotype of some people, in the given order.
    pub(crate) fn of_people(&self, people: &[u32]) -> Self {
        fn picked<T: Clone>(all: &[T], people: &[u32]) -> Vec<T> {
            people.iter().map(|&person| all[person as usize].clone()).collect()
        }
        match self {
            Phenotype::CaseControl(all) => Phenotype::CaseControl(picked(all, people)),
            Phenotype::Quantity(all) => Phenotype::Quantity(picked(all, people)),
            Phenotype::Classes(all) => Phenotype::Classes(picked(all, people)),
            Phenotype::Several(parts) => {
                let part =
                    |(name, own): &(String, Phenotype)| (name.clone(), own.of_people(people));
                Phenotype::Several(parts.iter().map(part).collect())
            }
        }
    }
}

/// The phenotypes of a file.
pub(crate) struct FoundPhenotype {
    pub(crate) phenotype: Phenotype,
    /// The name of the phenotype, if the file contains one.
    pub(crate) name: Option<String>,
    /// The reason why no phenotype could be read although the file contains some. It is an error if a target is needed.
    pub(crate) obstacle: Option<DataError>,
    pub(crate) warning: Option<Warning>,
}

impl FoundPhenotype {
    /// Returns missing phenotypes for a number of people, with the reason.
    pub(crate) fn obstructed(obstacle: DataError, people: usize) -> Self {
        let file = obstacle.file.as_deref().map(name_of).unwrap_or_default();
        let text = format!(
            "the phenotypes of {file} were not read and are missing for all people: {}{}",
            obstacle.problem.mention(),
            obstacle.line.map_or(String::new(), |line| format!(" (line {line})"))
        );
        Self {
            phenotype: Phenotype::unknown(people),
            name: None,
            obstacle: Some(obstacle),
            warning: Some(Warning::new("phenotype-not-read", text)),
        }
    }

    /// The phenotypes with these names; the result is that of the phenotype alone if there is one.
    pub(crate) fn named(parts: Vec<(String, Self)>) -> Self {
        let list: Vec<&str> = parts.iter().map(|(name, _)| name.as_str()).collect();
        let (name, is_alone) = (Some(list.join(",")), list.len() == 1);
        let mut phenotypes = Vec::with_capacity(parts.len());
        let mut warning = None;
        for (part, found) in parts {
            if is_alone || found.obstacle.is_some() {
                return Self { name, ..found };
            }
            warning = warning.or(found.warning);
            phenotypes.push((part, found.phenotype));
        }
        Self { phenotype: Phenotype::Several(phenotypes), name, obstacle: None, warning }
    }

    /// Interprets the texts of the phenotypes, given with their lines in the file; `None` for people who are not in the
    /// file.
    fn read(texts: &[Option<(u64, &str)>], coding: &PhenotypeCoding, file: &Path) -> Self {
        let texts: Vec<Option<(u64, &str)>> =
            texts.iter().map(|text| text.filter(|(_, text)| !coding.is_missing(text))).collect();
        let cell = |text: &str| Cell::read(text.as_bytes());
        let number = |text: &str| match cell(text) {
            Cell::Number(number) => Some(number),
            _ => None,
        };
        let obstructed = |place: usize, problem: &str, help: String| {
            let (line, text) = texts[place].unwrap_or_default();
            let error = DataError::new(problem, help).in_file(file).at_line(line).with_value(text);
            Self::obstructed(error, texts.len())
        };
        let is = |text: &Option<(u64, &str)>, is: fn(Cell) -> bool| {
            text.is_some_and(|(_, text)| is(cell(text)))
        };
        let is_rounded = |text: &Option<(u64, &str)>| is(text, |cell| cell == Cell::Inexact);
        let is_word = |text: &Option<(u64, &str)>| {
            is(text, |cell| matches!(cell, Cell::Text | Cell::Infinite))
        };
        let word = texts.iter().position(is_word);
        let phenotype = match word.or_else(|| texts.iter().position(is_rounded)) {
            Some(_) if coding.kind == TargetKind::Classes && !coding.one_is_case => {
                let class = |text: &Option<(u64, &str)>| text.map(|(_, text)| text.to_string());
                Phenotype::Classes(texts.iter().map(class).collect())
            }
            Some(place) if word.is_none() => {
                let problem = "a whole number beyond 2^53 (9007199254740992) loses its last digits";
                let help = "subtract a constant or divide all values before they are read";
                return obstructed(place, problem, help.to_string());
            }
            Some(place) => return obstructed(place, "the phenotype is not a number", words_help()),
            None => {
                let numbers = texts.iter().map(|text| text.and_then(|(_, text)| number(text)));
                match Phenotype::of_numbers(numbers.collect(), coding) {
                    Ok(phenotype) => phenotype,
                    Err(place) => {
                        let problem = "the phenotype is neither 0 (control) nor 1 (case)";
                        let help = format!("correct it, or omit {}", setting("one_is_case", None));
                        return obstructed(place, problem, help);
                    }
                }
            }
        };
        let has_zero = || texts.iter().flatten().any(|(_, text)| number(text) == Some(0.0));
        let warning = match &phenotype {
            Phenotype::CaseControl(cases)
                if cases.contains(&Some(false)) && !cases.contains(&Some(true)) && has_zero() =>
            {
                Some(zero_one(file))
            }
            _ => None,
        };
        Self { phenotype, name: None, obstacle: None, warning }
    }
}

/// The help for words where numbers are expected.
fn words_help() -> String {
    format!(
        "choose another phenotype with {} or {}, read words as classes with {}, declare them missing with {}, or write 1 \
         for a control, 2 for a case, a number for a quantitative phenotype, or NA for a missing value",
        setting("pheno", None),
        setting("pheno_name", None),
        setting("target_type", Some("classes")),
        setting("na_values", None)
    )
}

/// The warning that the phenotypes seem to be coded as 0 and 1.
fn zero_one(file: &Path) -> Warning {
    let text = format!(
        "all phenotypes of {} are 0 or 1: 0 was read as missing and 1 as control; {} reads 0 as control and 1 as case",
        name_of(file),
        setting("one_is_case", None)
    );
    Warning::new("zero-one-phenotypes", text)
}

/// Reads the phenotypes of a `.fam` or `.psam` file.
pub(crate) fn of_people(fam: &Path, people: &[Sample], coding: &PhenotypeCoding) -> FoundPhenotype {
    let texts = people.iter().map(|person| Some((person.line, person.phenotype.as_str())));
    FoundPhenotype::read(&texts.collect::<Vec<_>>(), coding, fam)
}

/// Reads several phenotypes of a `.psam` file: their names, and the texts of every person.
pub(crate) fn of_lists(
    psam: &Path,
    people: &[Sample],
    (names, texts): (Vec<String>, &[Vec<String>]),
    coding: &PhenotypeCoding,
) -> FoundPhenotype {
    let part = |(at, name): (usize, String)| {
        let texts = people.iter().zip(texts).map(|(own, texts)| Some((own.line, &*texts[at])));
        (name, FoundPhenotype::read(&texts.collect::<Vec<_>>(), coding, psam))
    };
    FoundPhenotype::named(names.into_iter().enumerate().map(part).collect())
}

/// Reads the phenotypes of a phenotype file. Its columns are FID, IID (or only IID if the header begins with `#IID`)
/// and one or more phenotypes; a header line may give their names. `name` selects one of several, or is a list of them.
///
/// # Errors
/// The file cannot be read, lacks the requested column, or contains no person of the cohort; a line has the wrong
/// number of fields; a person has two lines.
pub(crate) fn of_file(
    path: &Path,
    name: Option<&str>,
    (fam, people): (&Path, &[Sample]),
    coding: &PhenotypeCoding,
    warnings: &mut Vec<Warning>,
    run: &Run,
) -> Result<FoundPhenotype> {
    let mut places = None;
    let mut own_names: Vec<String> = name.map(str::to_string).into_iter().collect();
    let mut texts = PerPerson::new(people.len());
    Finder::new(people).each_line(path, run, |number, line| {
        let (person, named, fields) = match line {
            PeopleLine::Header(names) => {
                let chosen = places_of(name, Some(names), names.len())?;
                own_names = chosen.iter().map(|&place| names[place].to_string()).collect();
                places = Some((chosen, names.len()));
                return Ok(0);
            }
            PeopleLine::Person(person, named, fields) => (person, named, fields),
        };
        let (places, width) = match &mut places {
            Some(known) => known,
            none => none.insert((places_of(name, None, fields.len())?, fields.len())),
        };
        if fields.len() != *width {
            let problem = format!("{} after the IDs, but {width} expected", count(fields));
            let help = "write every phenotype of every person, with NA for missing values";
            return Err(DataError::new(problem, help));
        }
        let own: Vec<String> = places.iter().map(|&place| fields[place].to_string()).collect();
        let bytes = own.iter().map(String::len).sum::<usize>() as u64;
        texts.add(person, named, (number, own))?;
        Ok(2 * bytes)
    })?;
    let texts = texts.done(path, (fam, people), "no-phenotype", warnings)?;
    let found = |at: usize| {
        let of_person = |texts: &Option<(u64, Vec<String>)>| -> Option<(u64, String)> {
            texts.as_ref().map(|(line, texts)| (*line, texts[at].clone()))
        };
        let texts: Vec<Option<(u64, String)>> = texts.iter().map(of_person).collect();
        let texts = texts.iter().map(|text| text.as_ref().map(|(line, text)| (*line, &**text)));
        FoundPhenotype::read(&texts.collect::<Vec<_>>(), coding, path)
    };
    if own_names.is_empty() {
        return Ok(found(0));
    }
    let parts = own_names.into_iter().enumerate().map(|(at, name)| (name, found(at)));
    Ok(FoundPhenotype::named(parts.collect()))
}

/// Returns the indices of the phenotypes that `name` selects: a phenotype of this name, or otherwise a list of names.
fn places_of(
    name: Option<&str>,
    names: Option<&[&str]>,
    count: usize,
) -> std::result::Result<Vec<usize>, DataError> {
    match (name, names) {
        (Some(name), Some(names)) if count > 0 => named_places(name, names),
        _ => Ok(vec![place_of(name, names, count)?]),
    }
}

/// Returns the indices of the phenotypes of a list, `a,b`, or of the only one of this name.
///
/// # Errors
/// The phenotypes do not contain one of the names, or it is listed twice.
pub(crate) fn named_places(
    name: &str,
    names: &[&str],
) -> std::result::Result<Vec<usize>, DataError> {
    let mut places = Vec::new();
    for name in target_names(name, names.iter().copied()) {
        let place = named_place(&name, names)?;
        if places.contains(&place) {
            let problem = format!("{} is listed twice", quoted(&name));
            return Err(DataError::new(problem, "list every phenotype once"));
        }
        places.push(place);
    }
    Ok(places)
}

/// Returns the index of the phenotype called `name` among `count` columns; without a name, that of the only column.
fn place_of(
    name: Option<&str>,
    names: Option<&[&str]>,
    count: usize,
) -> std::result::Result<usize, DataError> {
    match (name, names) {
        _ if count == 0 => Err(DataError::new(
            "there is no phenotype after the IDs",
            "write lines of FID, IID and phenotype",
        )),
        (None, _) if count == 1 => Ok(0),
        (None, names) => {
            let problem = format!("there are {count} phenotypes");
            let help = match names {
                Some(names) => {
                    format!(
                        "choose one or a list with {}: {}",
                        setting("pheno_name", None),
                        shown(names)
                    )
                }
                None => format!(
                    "name them in a header line (FID IID NAME …), and choose one with {}",
                    setting("pheno_name", None)
                ),
            };
            Err(DataError::new(problem, help))
        }
        (Some(name), None) => Err(DataError::new(
            format!("without a header line, no phenotype is called {}", quoted(name)),
            "add a header line, such as FID IID NAME, or do not give a phenotype name",
        )),
        (Some(name), Some(names)) => named_place(name, names),
    }
}

/// Returns the index of a phenotype in a list of names.
///
/// # Errors
/// The list does not contain the name.
fn named_place(name: &str, names: &[&str]) -> std::result::Result<usize, DataError> {
    names.iter().position(|other| *other == name).ok_or_else(|| {
        let help = match nearest_name(name, names.iter().copied()) {
            _ if names.is_empty() => "the file has no phenotypes".to_string(),
            Some(near) => format!("did you mean {}?", quoted(near)),
            None => format!("the phenotypes are {}", shown(names)),
        };
        DataError::new(format!("no phenotype is called {}", quoted(name)), help)
    })
}

/// The error that there are several phenotypes, and none is selected.
pub(crate) fn several(names: &[String]) -> DataError {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let problem = format!("there are {} phenotypes", names.len());
    let help =
        format!("choose one or a list with {}: {}", setting("pheno_name", None), shown(&names));
    DataError::new(problem, help)
}

/// Returns the first names of a list, for messages.
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
        let read = |texts: &[&str], coding: &PhenotypeCoding| {
            let texts: Vec<Option<(u64, &str)>> =
                (1..).zip(texts.iter().copied()).map(Some).collect();
            FoundPhenotype::read(&texts, coding, Path::new("cohort.fam"))
        };
        let usual = PhenotypeCoding::default();
        let real = PhenotypeCoding { kind: TargetKind::Real, ..usual.clone() };
        let one = PhenotypeCoding { one_is_case: true, ..usual.clone() };
        let classes = PhenotypeCoding { kind: TargetKind::Classes, ..usual.clone() };
        for (texts, coding, wanted) in [
            (
                &["1", "2", "0", "-9", "NA"][..],
                &usual,
                Phenotype::CaseControl(vec![Some(false), Some(true), None, None, None]),
            ),
            (
                &["1", "2", "0", "-9", "3"],
                &usual,
                Phenotype::Quantity(vec![Some(1.0), Some(2.0), Some(0.0), None, Some(3.0)]),
            ),
            (&["1", "0", "-9"], &real, Phenotype::Quantity(vec![Some(1.0), Some(0.0), None])),
            (&["1", "0", "-9"], &one, Phenotype::CaseControl(vec![Some(true), Some(false), None])),
            (
                &["red", "NA", "-9", "blue"],
                &classes,
                Phenotype::Classes(vec![Some("red".into()), None, None, Some("blue".into())]),
            ),
            (&["2", "1"], &classes, Phenotype::CaseControl(vec![Some(true), Some(false)])),
            (&["."], &usual, Phenotype::CaseControl(vec![None])),
        ] {
            let found = read(texts, coding);
            assert_eq!(found.phenotype, wanted, "{texts:?}");
            assert!(found.obstacle.is_none(), "{texts:?}");
        }
        for (texts, coding, line) in [
            (&["1", "inf"][..], &usual, 2),
            (&["case"], &usual, 1),
            (&["1,5"], &real, 1),
            (&["0", "1", "2"], &one, 3),
            (&["red"], &one, 1),
        ] {
            let found = read(texts, coding);
            assert_eq!(found.obstacle.and_then(|error| error.line), Some(line), "{texts:?}");
            assert_eq!(found.phenotype, Phenotype::unknown(texts.len()));
        }
        let declared = PhenotypeCoding { missing: vec!["?!".to_string()], ..usual.clone() };
        assert!(read(&["1", "?!"], &declared).obstacle.is_none());
        assert!(read(&["0", "1"], &usual).warning.is_some());
        assert!(read(&["0", "1"], &one).warning.is_none());
    }
}
