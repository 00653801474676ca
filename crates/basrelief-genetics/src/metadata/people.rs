//! The people of a cohort: the `.fam` file, and how other files name them.

use std::collections::HashMap;
use std::path::Path;

use basrelief::wording::quoted;
use basrelief::{DataError, Result, Run, Warning};

use super::lines::{each_line, is_comment, kept_of, name_of};

/// One person: a line of the `.fam` or `.psam` file, or a sample of a VCF.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// Family ID (FID).
    pub family: String,
    /// The person's ID in the family (IID).
    pub id: String,
    /// The father's ID, `0` where he is unknown.
    pub father: String,
    /// The mother's ID, `0` where she is unknown.
    pub mother: String,
    /// `1` is male, `2` female, anything else unknown.
    pub sex: String,
    /// The phenotype as it is written.
    pub phenotype: String,
    /// The line of the file, from 1 on.
    pub line: u64,
}

impl Sample {
    /// The person in words.
    pub(crate) fn named(&self) -> String {
        named(&self.family, &self.id)
    }
}

/// A person in words.
pub(crate) fn named(family: &str, id: &str) -> String {
    format!("FID {} IID {}", quoted(family), quoted(id))
}

/// Bytes in memory of a person besides the texts: the person, and entries in the tables that find people.
pub(crate) const KEPT: u64 = 1000;

/// The people of a `.fam` file. Lines that begin with `#` are skipped, as PLINK does.
///
/// # Errors
/// The file cannot be read, a line does not have six fields or is a header, or a person stands there twice.
pub(crate) fn read_people(path: &Path, run: &Run) -> Result<Vec<Sample>> {
    let mut people: Vec<Sample> = Vec::new();
    each_line(path, run, |line, fields| {
        if is_comment(fields) {
            return Ok(0);
        }
        check_no_header(fields)?;
        let &[family, id, father, mother, sex, phenotype] = fields else {
            return Err(DataError::new(
                format!(
                    "{} where a person has six: FID IID father mother sex phenotype",
                    count(fields)
                ),
                "complete the line; IDs hold no spaces",
            )
            .with_value(&fields.join(" ")));
        };
        let [family, id, father, mother, sex, phenotype] =
            [family, id, father, mother, sex, phenotype].map(str::to_string);
        people.push(Sample { family, id, father, mother, sex, phenotype, line });
        Ok(kept_of(KEPT, fields))
    })?;
    check_unique(&people, path)?;
    Ok(people)
}

/// Refuses a header line without `#`, which would be read as a person.
///
/// # Errors
/// The line names columns.
pub(crate) fn check_no_header(fields: &[&str]) -> std::result::Result<(), DataError> {
    let is = |place: usize, names: &[&str]| {
        fields.get(place).is_some_and(|field| is_one_of(field, names))
    };
    if is(0, FAMILY_NAMES) && is(1, ID_NAMES) || is(4, &["sex", "gender"]) {
        let help = "remove the line, or put # before it, which makes it a comment";
        return Err(DataError::new("a header line where a person should be", help)
            .with_value(&fields.join(" ")));
    }
    Ok(())
}

/// What headers call the columns of IDs, in any case of letters.
const FAMILY_NAMES: &[&str] = &["fid", "family", "familyid", "family_id", "famid"];
const ID_NAMES: &[&str] =
    &["iid", "id", "individual", "individualid", "individual_id", "sampleid", "sample_id"];

fn is_one_of(field: &str, names: &[&str]) -> bool {
    names.iter().any(|name| name.eq_ignore_ascii_case(field))
}

/// Refuses a file in which a person stands twice.
///
/// # Errors
/// Somebody does, with the second line.
pub(crate) fn check_unique(people: &[Sample], path: &Path) -> Result<()> {
    let mut lines: HashMap<(&str, &str), u64> = HashMap::with_capacity(people.len());
    for person in people {
        if let Some(first) = lines.insert((&person.family, &person.id), person.line) {
            let problem = format!("the person {} stands in line {first} too", person.named());
            let help = "give every person a pair of FID and IID of their own";
            return Err(DataError::new(problem, help).in_file(path).at_line(person.line).into());
        }
    }
    Ok(())
}

/// How many fields a line has, in words.
pub(crate) fn count(fields: &[&str]) -> String {
    match fields.len() {
        1 => "1 field".to_string(),
        several => format!("{several} fields"),
    }
}

/// By which columns a file names people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keys {
    /// FID and IID.
    Both,
    /// IID alone.
    IdOnly,
}

impl Keys {
    /// How many columns these are.
    fn width(self) -> usize {
        match self {
            Keys::Both => 2,
            Keys::IdOnly => 1,
        }
    }

    /// As the first line says, and whether that is a header: `FID IID`, `#FID IID`, `IID` or `#IID` in any case of
    /// letters; otherwise the first two columns are FID and IID.
    ///
    /// # Errors
    /// It is a header with other names of these columns.
    fn of_first_line(fields: &[&str]) -> std::result::Result<(Self, bool), DataError> {
        let first = fields[0].strip_prefix('#').unwrap_or(fields[0]);
        let second = fields.get(1).copied().unwrap_or_default();
        if first.eq_ignore_ascii_case("FID") && second.eq_ignore_ascii_case("IID") {
            return Ok((Keys::Both, true));
        }
        if first.eq_ignore_ascii_case("IID") {
            return Ok((Keys::IdOnly, true));
        }
        if is_one_of(first, FAMILY_NAMES) && is_one_of(second, ID_NAMES) {
            let help =
                "let it begin with FID IID, or with IID where people are named by that alone";
            return Err(DataError::new("a header line with other names of the IDs", help)
                .with_value(&fields.join(" ")));
        }
        Ok((Keys::Both, false))
    }
}

/// Finds people by what a file calls them.
pub(crate) struct Finder<'p> {
    by_both: HashMap<(&'p str, &'p str), usize>,
    /// `None` where several people share an IID.
    by_id: HashMap<&'p str, Option<usize>>,
}

/// A line of a file about people.
pub(crate) enum PeopleLine<'l> {
    /// The first one, where it names the columns: what stands behind FID and IID.
    Header(&'l [&'l str]),
    /// Somebody: the index, `None` where the cohort has no such person; the name in words; and what stands
    /// behind FID and IID.
    Person(Option<usize>, &'l dyn Fn() -> String, &'l [&'l str]),
}

impl<'p> Finder<'p> {
    /// Of the people of a `.fam` file.
    pub(crate) fn new(people: &'p [Sample]) -> Self {
        let mut by_both = HashMap::with_capacity(people.len());
        let mut by_id = HashMap::with_capacity(people.len());
        for (index, Sample { family, id, .. }) in people.iter().enumerate() {
            by_both.insert((family.as_str(), id.as_str()), index);
            by_id.entry(id.as_str()).and_modify(|known| *known = None).or_insert(Some(index));
        }
        Self { by_both, by_id }
    }

    /// Hands every line of a file to `take` with its number; `take` returns how many bytes in memory it keeps of the
    /// line. Lines begin with FID and IID, or with IID alone below a first line that begins with `IID` or `#IID`. Other
    /// lines that begin with `#` are comments, unless they begin with the very IDs of a person.
    ///
    /// # Errors
    /// The file cannot be read, a line has too few fields or an IID that several people have; what `take`
    /// refuses.
    pub(crate) fn each_line(
        &self,
        path: &Path,
        run: &Run,
        mut take: impl FnMut(u64, PeopleLine<'_>) -> std::result::Result<u64, DataError>,
    ) -> Result<()> {
        let mut known = None;
        each_line(path, run, |line, fields| {
            let (keys, is_header) = match known {
                Some(keys) => (keys, false),
                None => Keys::of_first_line(fields)?,
            };
            if !is_header && is_comment(fields) && !self.is_named(keys, fields) {
                return Ok(0);
            }
            known = Some(keys);
            let Some((named_by, rest)) = fields.split_at_checked(keys.width()) else {
                let problem = "1 field where a person has two: FID and IID";
                let help = "give both, or a first line that says #IID";
                return Err(DataError::new(problem, help).with_value(&fields.join(" ")));
            };
            if is_header {
                return take(line, PeopleLine::Header(rest));
            }
            let name = || match *named_by {
                [family, id] => named(family, id),
                _ => format!("IID {}", quoted(&named_by.join(" "))),
            };
            take(line, PeopleLine::Person(self.find(named_by)?, &name, rest))
        })
    }

    /// Whether a line begins with the very IDs of a person of the cohort.
    fn is_named(&self, keys: Keys, fields: &[&str]) -> bool {
        match (keys, fields) {
            (Keys::Both, &[family, id, ..]) => self.by_both.contains_key(&(family, id)),
            (Keys::IdOnly, &[id, ..]) => self.by_id.contains_key(id),
            _ => false,
        }
    }

    /// The index of the person of these keys. A family ID of `0` is unknown, in the file and in the cohort: the IID alone
    /// then finds the person.
    fn find(&self, keys: &[&str]) -> std::result::Result<Option<usize>, DataError> {
        match *keys {
            [family, id] => match self.by_both.get(&(family, id)) {
                Some(&found) => Ok(Some(found)),
                None if family == UNKNOWN => self.find_by_id(id),
                None => Ok(self.by_both.get(&(UNKNOWN, id)).copied()),
            },
            [id] => self.find_by_id(id),
            _ => Ok(None),
        }
    }

    /// The index of the only person with an IID.
    fn find_by_id(&self, id: &str) -> std::result::Result<Option<usize>, DataError> {
        match self.by_id.get(id) {
            Some(None) => {
                let problem = "several people of the cohort have this IID";
                Err(DataError::new(problem, "give FID and IID").with_value(id))
            }
            found => Ok(found.copied().flatten()),
        }
    }
}

/// A family ID that is not known.
const UNKNOWN: &str = "0";

/// What a file says of everybody, one line a person.
pub(crate) struct PerPerson<T> {
    values: Vec<Option<T>>,
    strangers: Strangers,
}

impl<T: Clone> PerPerson<T> {
    /// Nothing yet, of so many people.
    pub(crate) fn new(people: usize) -> Self {
        Self { values: vec![None; people], strangers: Strangers::default() }
    }

    /// What a line says of somebody: a place among the people, or `None` for a stranger.
    ///
    /// # Errors
    /// The person has a line before.
    pub(crate) fn add(
        &mut self,
        person: Option<usize>,
        named: &dyn Fn() -> String,
        value: T,
    ) -> std::result::Result<(), DataError> {
        match person {
            None => self.strangers.add(named),
            Some(person) if self.values[person].is_some() => {
                let problem = format!("the person {} has a line before", named());
                return Err(DataError::new(problem, "give every person one line"));
            }
            Some(person) => self.values[person] = Some(value),
        }
        Ok(())
    }

    /// All values, `None` for those without a line; warnings tell how many these are, by `code`, and of strangers.
    ///
    /// # Errors
    /// The file names nobody of the cohort.
    pub(crate) fn done(
        self,
        path: &Path,
        (fam, people): (&Path, &[Sample]),
        code: &'static str,
        warnings: &mut Vec<Warning>,
    ) -> Result<Vec<Option<T>>> {
        let found = self.values.iter().any(Option::is_some);
        self.strangers.tell(path, (fam, "people"), found, warnings)?;
        let mut absent = people.iter().zip(&self.values).filter(|(_, value)| value.is_none());
        if let Some((first, _)) = absent.next() {
            let text = format!(
                "{} of the people in {} are not in {}; the first is {}",
                1 + absent.count(),
                name_of(fam),
                name_of(path),
                first.named()
            );
            warnings.push(Warning::new(code, text));
        }
        Ok(self.values)
    }
}

/// Entries of a file that are not in the cohort: how many, and the first.
#[derive(Debug, Default)]
pub(crate) struct Strangers {
    count: usize,
    first: Option<String>,
}

impl Strangers {
    /// One more, with its name in words.
    pub(crate) fn add(&mut self, name: impl FnOnce() -> String) {
        self.count += 1;
        self.first.get_or_insert_with(name);
    }

    /// Says that a file names nothing else, or how many there are; `what` is `people` or `variants`, and `of` the
    /// file where they should be.
    ///
    /// # Errors
    /// All entries are such ones: `found` is false.
    pub(crate) fn tell(
        self,
        path: &Path,
        (of, what): (&Path, &str),
        found: bool,
        warnings: &mut Vec<Warning>,
    ) -> Result<()> {
        let Some(first) = self.first else {
            let problem = format!("it names no {what}");
            let help = "name another file, or leave it out";
            return if found {
                Ok(())
            } else {
                Err(DataError::new(problem, help).in_file(path).into())
            };
        };
        let (name, of) = (name_of(path), name_of(of));
        if !found {
            let problem = format!("none of its {what} is in {of}; the first is {first}");
            let help = "name a list that belongs to this cohort";
            return Err(DataError::new(problem, help).in_file(path).into());
        }
        warnings.push(Warning::new(
            "not-in-cohort",
            format!("{} of the {what} in {name} are not in {of}; the first is {first}", self.count),
        ));
        Ok(())
    }
}
