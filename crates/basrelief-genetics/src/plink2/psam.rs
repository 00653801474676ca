//! The people of a cohort of PLINK 2: the `.psam` file.

use std::collections::HashMap;
use std::path::Path;

use basrelief::wording::quoted;
use basrelief::{DataError, Result, Run};

use crate::metadata::lines::{each_line, kept_of};
use crate::metadata::people::{KEPT, Sample, check_no_header, check_unique, count};
use crate::metadata::phenotype::named_place;

/// The people of a `.psam` file.
pub(crate) struct Psam {
    /// The people, of whom nothing but the chosen phenotype is known besides IDs, parents and sex.
    pub(crate) people: Vec<Sample>,
    /// Which phenotypes the file has.
    pub(crate) phenotype: PsamPhenotype,
}

/// The phenotypes of a `.psam` file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum PsamPhenotype {
    /// It has none.
    #[default]
    None,
    /// The one that is read; without a header it has no name.
    Chosen(Option<String>),
    /// Several, none of which is read, and the line that names them.
    Several(Vec<String>, u64),
}

/// Reads the people, with the phenotype of that name, or the only one.
///
/// # Errors
/// The file cannot be read, its header names columns that cannot be or has no such phenotype, a line has too few fields,
/// or a person stands there twice.
pub(crate) fn read_psam(path: &Path, phenotype: Option<&str>, run: &Run) -> Result<Psam> {
    let mut columns: Option<Columns> = None;
    let mut people = Vec::new();
    each_line(path, run, |line, fields| {
        if let Some(first) = fields[0].strip_prefix('#') {
            if columns.is_some() {
                let problem = "a line with # below the header or below people";
                return Err(DataError::new(problem, "keep one line that begins with #FID or #IID"));
            }
            if ["FID", "IID"].contains(&first) {
                let names = [&[first], &fields[1..]].concat();
                columns = Some(Columns::of_header(&names, phenotype, line)?);
            } else if !first.starts_with('#') && fields.iter().any(|name| names_ids(name)) {
                let help = "let the header line begin with #FID IID or #IID";
                return Err(DataError::new("a header line that begins otherwise", help)
                    .with_value(&fields.join(" ")));
            }
            return Ok(0);
        }
        if columns.is_none() {
            check_no_header(fields)?;
        }
        let columns = match &columns {
            Some(known) => known,
            None => columns.insert(Columns::without_header(fields.len(), phenotype)?),
        };
        people.push(columns.person(line, fields)?);
        Ok(kept_of(KEPT, &fields[..columns.count]))
    })?;
    check_unique(&people, path)?;
    Ok(Psam { people, phenotype: columns.map(|columns| columns.phenotypes).unwrap_or_default() })
}

/// Whether a column of a header is that of IIDs, written in another way than at its start.
fn names_ids(name: &str) -> bool {
    name.trim_start_matches('#').eq_ignore_ascii_case("IID")
}

/// In which column what stands.
struct Columns {
    family: Option<usize>,
    id: usize,
    parents: Option<[usize; 2]>,
    sex: Option<usize>,
    phenotype: Option<usize>,
    phenotypes: PsamPhenotype,
    count: usize,
}

/// Columns that are no phenotypes.
const FIXED: [&str; 6] = ["FID", "IID", "SID", "PAT", "MAT", "SEX"];

impl Columns {
    /// As the header in that line names them, without its `#`.
    fn of_header(
        names: &[&str],
        phenotype: Option<&str>,
        line: u64,
    ) -> std::result::Result<Self, DataError> {
        let wrong = |problem: String, help: &str| {
            Err(DataError::new(problem, help).with_value(&names.join(" ")))
        };
        let mut by_name: HashMap<&str, usize> = HashMap::with_capacity(names.len());
        for (at, name) in names.iter().enumerate() {
            if let Some(first) = by_name.insert(name, at) {
                let problem = format!(
                    "columns {} and {} are both called {}",
                    first + 1,
                    at + 1,
                    quoted(name)
                );
                return wrong(problem, "give every column a name of its own");
            }
        }
        let place = |name: &str| by_name.get(name).copied();
        let family = place("FID");
        let Some(id) = place("IID").filter(|&id| id <= 1 && (id == 1) == family.is_some()) else {
            return wrong(
                "the columns do not begin with #FID and IID, or with #IID".to_string(),
                "move the IDs to the front",
            );
        };
        let parents = match (place("PAT"), place("MAT")) {
            (Some(father), Some(mother)) => Some([father, mother]),
            (None, None) => None,
            _ => {
                let help = "give both PAT and MAT, 0 where one is unknown, or neither";
                return wrong("one parent has a column, the other has none".to_string(), help);
            }
        };
        let places: Vec<usize> =
            (0..names.len()).filter(|&at| !FIXED.contains(&names[at])).collect();
        let phenotypes: Vec<&str> = places.iter().map(|&at| names[at]).collect();
        let chosen = match phenotype {
            None => {
                Some(places.as_slice()).filter(|places| places.len() == 1).map(|places| places[0])
            }
            Some(name) => Some(places[named_place(name, &phenotypes)?]),
        };
        let phenotypes = match chosen {
            Some(at) => PsamPhenotype::Chosen(Some(names[at].to_string())),
            None if phenotypes.is_empty() => PsamPhenotype::None,
            None => {
                PsamPhenotype::Several(phenotypes.into_iter().map(String::from).collect(), line)
            }
        };
        let (sex, count) = (place("SEX"), names.len());
        Ok(Self { family, id, parents, sex, phenotype: chosen, phenotypes, count })
    }

    /// As of a `.fam` file, of which a line has so many fields.
    fn without_header(
        fields: usize,
        phenotype: Option<&str>,
    ) -> std::result::Result<Self, DataError> {
        const ALL: [&str; 6] = ["FID", "IID", "PAT", "MAT", "SEX", "PHENO1"];
        match fields {
            5 => Self::of_header(&ALL[..5], phenotype, 1),
            // Nobody but PLINK calls the last column so.
            6.. => Ok(Self {
                phenotypes: PsamPhenotype::Chosen(None),
                ..Self::of_header(&ALL, phenotype, 1)?
            }),
            _ => {
                let problem = format!(
                    "no header, and {fields} fields where a person has five: {}",
                    ALL[..5].join(" ")
                );
                Err(DataError::new(
                    problem,
                    "add a first line that names the columns, as in #FID IID SEX",
                ))
            }
        }
    }

    /// The person of a line.
    fn person(&self, line: u64, fields: &[&str]) -> std::result::Result<Sample, DataError> {
        if fields.len() < self.count {
            let problem = format!("{} where the header has {}", count(fields), self.count);
            let help = "complete the line; IDs hold no spaces, and NA is missing";
            return Err(DataError::new(problem, help).with_value(&fields.join(" ")));
        }
        if fields[self.id] == "0" {
            let help = "give the person an ID";
            return Err(DataError::new("0 is no ID of a person", help)
                .in_column("IID")
                .with_value("0"));
        }
        let unknown = |place: Option<usize>| place.map_or("0", |place| fields[place]).to_string();
        let [father, mother] = match self.parents {
            Some(places) => places.map(|place| unknown(Some(place))),
            None => [None, None].map(unknown),
        };
        let sex = match self.sex.map(|place| fields[place]) {
            Some("1" | "M" | "m") => "1",
            Some("2" | "F" | "f") => "2",
            _ => "0",
        };
        Ok(Sample {
            family: unknown(self.family),
            id: fields[self.id].to_string(),
            father,
            mother,
            sex: sex.to_string(),
            phenotype: self.phenotype.map_or("-9", |place| fields[place]).to_string(),
            line,
        })
    }
}
