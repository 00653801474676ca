//! Covariates: a file of further variables of the people, such as age, sex or the principal components that `--pca`
//! writes.

use std::path::{Path, PathBuf};

use basrelief::data::{
    Categories, Column, KindOverrides, MISSING_CODE, RawColumn, RawValues, named_places,
};
use basrelief::wording::{Text, either, setting};
use basrelief::{DataError, Error, Result, Run, Warning};

use super::people::{Finder, PeopleLine, PerPerson, Sample, count};
use super::phenotype::PhenotypeCoding;

/// Memory of a value in bytes, without its text, when it is read and when it is returned.
const KEPT_OF_VALUE: usize = 100;

/// A covariate file, and the covariates to read from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CovariateFile {
    /// The file, with lines of FID, IID and covariates.
    pub path: PathBuf,
    /// The names of covariates, or ranges of adjacent columns such as `PC1-PC10`. If empty, all covariates are read.
    pub names: Vec<String>,
}

/// One covariate of all people.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Covariate {
    name: String,
    /// The values as text; `None` if missing.
    values: Vec<Option<String>>,
    /// The line of each person in the file; 0 for people who are not in the file.
    lines: Vec<u64>,
    file: PathBuf,
}

impl Covariate {
    /// Returns the covariate of some people, in the given order.
    pub(crate) fn of_people(&self, people: &[u32]) -> Self {
        let values = people.iter().map(|&person| self.values[person as usize].clone()).collect();
        let lines = people.iter().map(|&person| self.lines[person as usize]).collect();
        Self { name: self.name.clone(), values, lines, file: self.file.clone() }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the covariate as a column. Its kind is the one that `kinds` specifies for its name; otherwise it is
    /// inferred by the same rule as in all readers.
    ///
    /// # Errors
    /// A value does not fit the kind, or no kind can be inferred. The error reports the file and the lines.
    pub(crate) fn column(&self, kinds: &KindOverrides) -> Result<Column<'static>> {
        let texts = Categories::from_texts(self.values.iter().map(|value| value.as_deref()));
        let mut column = RawColumn::new(&self.name, RawValues::Text(texts), None);
        if let RawValues::Text(texts) = &column.values {
            let mut first = vec![0; texts.levels().len()];
            for (&code, &line) in texts.codes().iter().zip(&self.lines).rev() {
                if code != MISSING_CODE {
                    first[code as usize] = line;
                }
            }
            column.lines = first;
        }
        let is_listed = kinds.names().any(|name| name == self.name);
        let stated = kinds.kind_of(&self.name).filter(|_| is_listed);
        let in_file = |error: Error| error.in_file(&self.file);
        let column = if is_listed { kinds.in_order(column).map_err(in_file)? } else { column };
        column.into_covariate(stated, kinds.coerce).map_err(|error| match error {
            Error::Data(data) => {
                DataError { help: self.ways_out(), ..*data }.in_file(&self.file).into()
            }
            other => other,
        })
    }

    fn ways_out(&self) -> Text {
        let command_line = format!(
            "correct the cells, declare them missing with {}, or use {} if these are categories",
            setting("na", None),
            setting("categorical", Some(&self.name))
        );
        let elsewhere = "correct the cells of the file, or declare them missing with na_values";
        let here = "correct the cells of the file, or declare them missing";
        either(command_line, elsewhere, here).into()
    }
}

/// Reads the covariates of a file. Its columns are FID, IID (or only IID if the header begins with `#IID`) and one or
/// more covariates. The header line gives their names; without a header they are called `COV1`, `COV2` and so on.
///
/// # Errors
/// The file cannot be read, lacks a requested column, or contains no person of the cohort; a line has the wrong number
/// of fields; a person has two lines.
pub(crate) fn of_file(
    file: &CovariateFile,
    (fam, people): (&Path, &[Sample]),
    coding: &PhenotypeCoding,
    warnings: &mut Vec<Warning>,
    run: &Run,
) -> Result<Vec<Covariate>> {
    let path = &file.path;
    let mut chosen: Option<(Vec<(usize, String)>, usize)> = None;
    let mut found = PerPerson::new(people.len());
    Finder::new(people).each_line(path, run, |number, line| {
        let (person, named, fields) = match line {
            PeopleLine::Header(names) => {
                chosen = Some((places_of(&file.names, names)?, names.len()));
                return Ok(0);
            }
            PeopleLine::Person(person, named, fields) => (person, named, fields),
        };
        if chosen.is_none() {
            let names: Vec<String> = (1..=fields.len()).map(|one| format!("COV{one}")).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            chosen = Some((places_of(&file.names, &names)?, fields.len()));
        }
        let (chosen, width) = chosen.as_ref().map_or((&[][..], 0), |(all, width)| (all, *width));
        if fields.len() != width {
            let problem = format!("{} after the IDs, but {width} expected", count(fields));
            let help = "write every covariate of every person, with NA for missing values";
            return Err(DataError::new(problem, help));
        }
        let known = |&(place, _): &(usize, String)| {
            Some(fields[place]).filter(|text| !coding.is_missing(text)).map(str::to_string)
        };
        let values: Vec<Option<String>> = chosen.iter().map(known).collect();
        let texts: usize = values.iter().flatten().map(String::len).sum();
        found.add(person, named, (values, number))?;
        Ok((KEPT_OF_VALUE * chosen.len() + 2 * texts) as u64)
    })?;
    let found = found.done(path, (fam, people), "no-covariates", warnings)?;
    let names = chosen.map(|(chosen, _)| chosen).unwrap_or_default();
    let of_place = |(place, (_, name)): (usize, (usize, String))| Covariate {
        name,
        values: found
            .iter()
            .map(|found| found.as_ref().and_then(|(values, _)| values[place].clone()))
            .collect(),
        lines: found.iter().map(|found| found.as_ref().map_or(0, |(_, line)| *line)).collect(),
        file: path.clone(),
    };
    Ok(names.into_iter().enumerate().map(of_place).collect())
}

/// Returns the indices and names of the requested covariates, in the order of the file; all of them if `wanted` is
/// empty.
///
/// # Errors
/// The file has no covariates, or a requested name does not exist.
fn places_of(
    wanted: &[String],
    names: &[&str],
) -> std::result::Result<Vec<(usize, String)>, DataError> {
    if names.is_empty() {
        let help = "write lines of FID, IID and covariates";
        return Err(DataError::new("there are no covariates after the IDs", help));
    }
    let places = match wanted {
        [] => (0..names.len()).collect(),
        wanted => named_places(wanted, names)?,
    };
    Ok(places.into_iter().map(|place| (place, names[place].to_string())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_ranges_choose_covariates() {
        let names = ["age", "PC1", "PC2", "PC3", "a-b"];
        let of = |wanted: &[&str]| {
            let wanted: Vec<String> = wanted.iter().map(|name| (*name).to_string()).collect();
            let places = places_of(&wanted, &names);
            places.map(|places| places.into_iter().map(|(place, _)| place).collect::<Vec<_>>())
        };
        assert_eq!(of(&[]).ok(), Some(vec![0, 1, 2, 3, 4]));
        assert_eq!(of(&["PC1-PC3", "age"]).ok(), Some(vec![0, 1, 2, 3]));
        assert_eq!(of(&["a-b"]).ok(), Some(vec![4]));
        assert_eq!(of(&["PC2-a-b"]).ok(), Some(vec![2, 3, 4]));
        for wrong in ["PC4", "PC3-PC1", "-"] {
            assert!(of(&[wrong]).is_err(), "{wrong}");
        }
    }
}
