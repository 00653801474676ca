//! The people of a cohort: the `.fam` file, and references to people in other files.

use std::collections::HashMap;
use std::path::Path;

use basrelief::wording::quoted;
use basrelief::{DataError, Result, Run, Warning};
use basrelief_io::Source;
use basrelief_kernels::{GENOTYPES, genotype_bit};

use super::lines::{Lines, each_line, is_comment, kept_of, name_of};

/// One person: a line of the `.fam`, `.psam`, `.ped` or `.tfam` file, or a sample of a VCF.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// Family ID (FID).
    pub family: String,
    /// The person's ID within the family (IID).
    pub id: String,
    /// The father's ID; `0` if unknown.
    pub father: String,
    /// The mother's ID; `0` if unknown.
    pub mother: String,
    /// The sex: `1` is male, `2` is female, anything else is unknown.
    pub sex: String,
    /// The phenotype, as text.
    pub phenotype: String,
    /// The line of the file, counted from 1.
    pub line: u64,
}

impl Sample {
    /// Whether the person may have relatives with the same family ID: it is not 0, and not the person's own ID.
    pub(crate) fn has_family(&self) -> bool {
        self.family != "0" && self.family != self.id
    }

    /// Whether both parents are unknown.
    pub(crate) fn is_founder(&self) -> bool {
        self.father == "0" && self.mother == "0"
    }

    /// Returns the person's IDs, for messages.
    pub(crate) fn named(&self) -> String {
        named(&self.family, &self.id)
    }
}

/// Returns the IDs of a person, for messages.
pub(crate) fn named(family: &str, id: &str) -> String {
    format!("FID {} IID {}", quoted(family), quoted(id))
}

/// Memory of a person in bytes, without the texts: the person, and the entries in lookup tables.
pub(crate) const KEPT: u64 = 1000;

/// Reads the people of a `.fam` file. Lines that begin with `#` are skipped, as in PLINK.
///
/// # Errors
/// The file cannot be read; a line does not have six fields, or is a header; a person occurs twice.
pub(crate) fn read_people(path: &Path, run: &Run) -> Result<Vec<Sample>> {
    let mut people: Vec<Sample> = Vec::new();
    each_line(path, run, |line, fields| add_person(&mut people, line, fields))?;
    check_unique(&people, path)?;
    Ok(people)
}

/// Reads the people of a `.ped` file: the first [`FIELDS`] fields of each line, by the rules of a `.fam` file.
///
/// # Errors
/// The file cannot be read or lists no people; a line has too few fields, or is a header; a person occurs twice.
pub(crate) fn read_ped_people(source: &Source<'_>) -> Result<Vec<Sample>> {
    let mut people = Vec::new();
    let mut lines = Lines::open(source, Some(&source.stage("people of ")))?;
    let mut bytes = Vec::new();
    while let Some(text) = lines.next_text(&mut bytes)? {
        let line = lines.number();
        let fields: Vec<&str> = text.split_ascii_whitespace().take(FIELDS).collect();
        if !fields.is_empty() {
            let kept = add_person(&mut people, line, &fields);
            lines.keep(kept.map_err(|error| lines.located(line, error))?)?;
        }
    }
    check_any(&people, source.path())?;
    check_unique(&people, source.path())?;
    Ok(people)
}

/// The number of fields that describe a person in a `.fam` and a `.ped` file.
pub(crate) const FIELDS: usize = 6;

/// Adds the person of a line. Comments are skipped. Returns the number of bytes retained.
///
/// # Errors
/// The line does not have [`FIELDS`] fields, or is a header.
fn add_person(
    people: &mut Vec<Sample>,
    line: u64,
    fields: &[&str],
) -> std::result::Result<u64, DataError> {
    if is_comment(fields) {
        return Ok(0);
    }
    check_no_header(fields)?;
    let &[family, id, father, mother, sex, phenotype] = fields else {
        return Err(DataError::new(
            format!(
                "{}, but a person needs six: FID IID father mother sex phenotype",
                count(fields)
            ),
            "complete the line; IDs must not contain spaces",
        )
        .with_value(&fields.join(" ")));
    };
    let [family, id, father, mother, sex, phenotype] =
        [family, id, father, mother, sex, phenotype].map(str::to_string);
    people.push(Sample { family, id, father, mother, sex, phenotype, line });
    Ok(kept_of(KEPT, fields))
}

/// Refuses a file without people.
///
/// # Errors
/// There are no people.
pub(crate) fn check_any(people: &[Sample], path: &Path) -> Result<()> {
    if !people.is_empty() {
        return Ok(());
    }
    let help = "write a line for every person; lines that begin with # are comments";
    Err(DataError::new("the file lists no people", help).in_file(path).into())
}

/// Returns a bit mask over the packed genotypes of `people` people, with the bits of some of them set.
///
/// # Panics
/// A place is out of range.
pub(crate) fn mask_of(people: usize, places: impl Iterator<Item = usize>) -> Vec<u64> {
    let mut mask = vec![0; people.div_ceil(GENOTYPES)];
    for place in places {
        let (word, bit) = genotype_bit(place);
        mask[word] |= bit;
    }
    mask
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
        let help = "remove the line, or make it a comment by putting # before it";
        return Err(DataError::new("this is a header line, not a person", help)
            .with_value(&fields.join(" ")));
    }
    Ok(())
}

/// The names of ID columns in headers, in upper or lower case.
const FAMILY_NAMES: &[&str] = &["fid", "family", "familyid", "family_id", "famid"];
const ID_NAMES: &[&str] =
    &["iid", "id", "individual", "individualid", "individual_id", "sampleid", "sample_id"];

fn is_one_of(field: &str, names: &[&str]) -> bool {
    names.iter().any(|name| name.eq_ignore_ascii_case(field))
}

/// Refuses a file in which a person occurs twice.
///
/// # Errors
/// A person occurs twice. The error reports the second line.
pub(crate) fn check_unique(people: &[Sample], path: &Path) -> Result<()> {
    let mut lines: HashMap<(&str, &str), u64> = HashMap::with_capacity(people.len());
    for person in people {
        if let Some(first) = lines.insert((&person.family, &person.id), person.line) {
            let problem = format!("the person {} is also on line {first}", person.named());
            let help = "give every person a unique pair of FID and IID";
            return Err(DataError::new(problem, help).in_file(path).at_line(person.line).into());
        }
    }
    Ok(())
}

/// Returns the number of fields of a line with the noun, such as `2 fields`.
pub(crate) fn count(fields: &[&str]) -> String {
    match fields.len() {
        1 => "1 field".to_string(),
        several => format!("{several} fields"),
    }
}

/// The columns by which a file identifies people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keys {
    /// FID and IID.
    Both,
    /// Only IID.
    IdOnly,
}

impl Keys {
    /// The number of these columns.
    fn width(self) -> usize {
        match self {
            Keys::Both => 2,
            Keys::IdOnly => 1,
        }
    }

    /// Determines the ID columns from the first line, and whether that line is a header. A header begins with `FID
    /// IID`, `#FID IID`, `IID` or `#IID`, in upper or lower case. Without a header, the first two columns are FID and
    /// IID.
    ///
    /// # Errors
    /// The line is a header with other names for these columns.
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
            let help = "begin it with FID IID, or with IID if that alone identifies people";
            return Err(DataError::new("the header line has other names for the IDs", help)
                .with_value(&fields.join(" ")));
        }
        Ok((Keys::Both, false))
    }
}

/// Finds people by the IDs in a file.
pub(crate) struct Finder<'p> {
    by_both: HashMap<(&'p str, &'p str), usize>,
    /// `None` if several people share an IID.
    by_id: HashMap<&'p str, Option<usize>>,
}

/// A line of a file about people.
pub(crate) enum PeopleLine<'l> {
    /// The header line: the names of the columns after FID and IID.
    Header(&'l [&'l str]),
    /// A person: the index, or `None` if the person is not in the cohort; the name for messages; and the fields after
    /// FID and IID.
    Person(Option<usize>, &'l dyn Fn() -> String, &'l [&'l str]),
}

impl<'p> Finder<'p> {
    /// Creates a finder for the people of a `.fam` file.
    pub(crate) fn new(people: &'p [Sample]) -> Self {
        let mut by_both = HashMap::with_capacity(people.len());
        let mut by_id = HashMap::with_capacity(people.len());
        for (index, Sample { family, id, .. }) in people.iter().enumerate() {
            by_both.insert((family.as_str(), id.as_str()), index);
            by_id.entry(id.as_str()).and_modify(|known| *known = None).or_insert(Some(index));
        }
        Self { by_both, by_id }
    }

    /// Calls `take` with the number and the content of each line of a file. `take` returns the number of bytes that it
    /// retains from the line. Lines begin with FID and IID, or with IID alone if the first line begins with `IID` or
    /// `#IID`. Other lines that begin with `#` are comments, unless they begin with the IDs of a person of the cohort.
    ///
    /// # Errors
    /// The file cannot be read; a line has too few fields; several people have the IID of a line; an error of `take`.
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
                let problem = "1 field, but a person needs two: FID and IID";
                let help = "give both IDs, or begin the file with the line #IID";
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

    /// Whether a line begins with the IDs of a person of the cohort.
    fn is_named(&self, keys: Keys, fields: &[&str]) -> bool {
        match (keys, fields) {
            (Keys::Both, &[family, id, ..]) => self.by_both.contains_key(&(family, id)),
            (Keys::IdOnly, &[id, ..]) => self.by_id.contains_key(id),
            _ => false,
        }
    }

    /// Returns the index of the person with these IDs. A family ID of `0` means unknown, in the file and in the cohort;
    /// the person is then identified by the IID alone.
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

    /// Returns the index of the only person with an IID.
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

/// The family ID that means unknown.
const UNKNOWN: &str = "0";

/// The values of a file that has one line per person.
pub(crate) struct PerPerson<T> {
    values: Vec<Option<T>>,
    strangers: Strangers,
}

impl<T: Clone> PerPerson<T> {
    /// Creates an empty collection for a number of people.
    pub(crate) fn new(people: usize) -> Self {
        Self { values: vec![None; people], strangers: Strangers::default() }
    }

    /// Adds the value of a person, given by the index, or by `None` if the person is not in the cohort.
    ///
    /// # Errors
    /// The person already has a value.
    pub(crate) fn add(
        &mut self,
        person: Option<usize>,
        named: &dyn Fn() -> String,
        value: T,
    ) -> std::result::Result<(), DataError> {
        match person {
            None => self.strangers.add(named),
            Some(person) if self.values[person].is_some() => {
                let problem = format!("the person {} is also on an earlier line", named());
                return Err(DataError::new(problem, "give every person one line"));
            }
            Some(person) => self.values[person] = Some(value),
        }
        Ok(())
    }

    /// Returns all values, with `None` for people without a line. Warnings report their number (with the code `code`),
    /// and the people of the file who are not in the cohort.
    ///
    /// # Errors
    /// The file contains no person of the cohort.
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

/// The entries of a file that are not in the cohort: their number, and the first of them.
#[derive(Debug, Default)]
pub(crate) struct Strangers {
    count: usize,
    first: Option<String>,
}

impl Strangers {
    /// Adds an entry, with its name for messages.
    pub(crate) fn add(&mut self, name: impl FnOnce() -> String) {
        self.count += 1;
        self.first.get_or_insert_with(name);
    }

    /// Adds a warning with the number of these entries, if there are any. `what` is `people` or `variants`, `of` is the
    /// file of the cohort, and `found` tells whether any other entry is in it.
    ///
    /// # Errors
    /// `found` is false: the file has no entries, or none of them is in the cohort.
    pub(crate) fn tell(
        self,
        path: &Path,
        (of, what): (&Path, &str),
        found: bool,
        warnings: &mut Vec<Warning>,
    ) -> Result<()> {
        let Some(first) = self.first else {
            let problem = format!("the file lists no {what}");
            let help = "give another file, or omit it";
            return if found {
                Ok(())
            } else {
                Err(DataError::new(problem, help).in_file(path).into())
            };
        };
        let (name, of) = (name_of(path), name_of(of));
        if !found {
            let problem = format!("none of its {what} are in {of}; the first is {first}");
            let help = "check that the file belongs to this cohort";
            return Err(DataError::new(problem, help).in_file(path).into());
        }
        warnings.push(Warning::new(
            "not-in-cohort",
            format!("{} of the {what} in {name} are not in {of}; the first is {first}", self.count),
        ));
        Ok(())
    }
}
