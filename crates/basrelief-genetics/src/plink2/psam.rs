//! The people of a PLINK 2 fileset: the `.psam` file.

use std::collections::HashMap;
use std::path::Path;

use basrelief::wording::quoted;
use basrelief::{DataError, Result, Run};

use crate::metadata::lines::{each_line, kept_of};
use crate::metadata::people::{KEPT, Sample, check_no_header, check_unique, count};
use crate::metadata::phenotype::listed_places;

/// The people of a `.psam` file.
pub(crate) struct Psam {
    /// The people: their IDs, parents and sex, and the selected phenotype.
    pub(crate) people: Vec<Sample>,
    /// The texts of the selected phenotypes of every person, if they are several.
    pub(crate) texts: Vec<Vec<String>>,
    /// The phenotypes in the file.
    pub(crate) phenotype: PsamPhenotype,
}

/// The phenotypes of a `.psam` file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum PsamPhenotype {
    /// No phenotypes.
    #[default]
    None,
    /// The phenotype that is read. Without a header it has no name.
    Chosen(Option<String>),
    /// The phenotypes that are read, if they are several.
    Listed(Vec<String>),
    /// Several phenotypes, none of which is read, and the line that names them.
    Several(Vec<String>, u64),
}

/// Reads the people, with the phenotype called `phenotype`, or those of a list; without a name, with the only phenotype.
///
/// # Errors
/// The file cannot be read; its header has invalid columns or lacks the phenotype; a line has too few fields; a person
/// occurs twice.
pub(crate) fn read_psam(path: &Path, phenotype: Option<&str>, run: &Run) -> Result<Psam> {
    let mut columns: Option<Columns> = None;
    let (mut people, mut texts) = (Vec::new(), Vec::new());
    each_line(path, run, |line, fields| {
        if let Some(first) = fields[0].strip_prefix('#') {
            if columns.is_some() {
                let problem = "this line begins with #, but follows the header or people";
                return Err(DataError::new(problem, "keep one line that begins with #FID or #IID"));
            }
            if ["FID", "IID"].contains(&first) {
                let names = [&[first], &fields[1..]].concat();
                columns = Some(Columns::of_header(&names, phenotype, line)?);
            } else if !first.starts_with('#') && fields.iter().any(|name| names_ids(name)) {
                let help = "begin the header line with #FID IID or #IID";
                return Err(DataError::new("the header line does not begin with the IDs", help)
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
        if columns.chosen.len() > 1 {
            texts.push(columns.chosen.iter().map(|&place| fields[place].to_string()).collect());
        }
        Ok(kept_of(KEPT, &fields[..columns.count]))
    })?;
    check_unique(&people, path)?;
    let phenotype = columns.map(|columns| columns.phenotypes).unwrap_or_default();
    Ok(Psam { people, texts, phenotype })
}

/// Whether a field of a header is `IID`, in upper or lower case.
fn names_ids(name: &str) -> bool {
    name.trim_start_matches('#').eq_ignore_ascii_case("IID")
}

/// The indices of the columns.
struct Columns {
    family: Option<usize>,
    id: usize,
    parents: Option<[usize; 2]>,
    sex: Option<usize>,
    /// The phenotypes that are read.
    chosen: Vec<usize>,
    phenotypes: PsamPhenotype,
    count: usize,
}

/// The columns that are not phenotypes.
const FIXED: [&str; 6] = ["FID", "IID", "SID", "PAT", "MAT", "SEX"];

impl Columns {
    /// Finds the columns by the names in the header, without its `#`, which is on line `line`.
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
                return wrong(problem, "give every column a unique name");
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
                let help = "give both PAT and MAT, with 0 for unknown parents, or neither";
                return wrong("only one of the parents has a column".to_string(), help);
            }
        };
        let places: Vec<usize> =
            (0..names.len()).filter(|&at| !FIXED.contains(&names[at])).collect();
        let phenotypes: Vec<&str> = places.iter().map(|&at| names[at]).collect();
        let chosen: Vec<usize> = match phenotype {
            None if places.len() == 1 => places,
            None => Vec::new(),
            Some(name) => {
                listed_places(name, &phenotypes)?.into_iter().map(|at| places[at]).collect()
            }
        };
        let phenotypes = match chosen.as_slice() {
            [at] => PsamPhenotype::Chosen(Some(names[*at].to_string())),
            [] if phenotypes.is_empty() => PsamPhenotype::None,
            [] => PsamPhenotype::Several(phenotypes.into_iter().map(String::from).collect(), line),
            list => PsamPhenotype::Listed(list.iter().map(|&at| names[at].to_string()).collect()),
        };
        let (sex, count) = (place("SEX"), names.len());
        Ok(Self { family, id, parents, sex, chosen, phenotypes, count })
    }

    /// Returns the columns of a file without a header, which are those of a `.fam` file, given the fields per line.
    fn without_header(
        fields: usize,
        phenotype: Option<&str>,
    ) -> std::result::Result<Self, DataError> {
        const ALL: [&str; 6] = ["FID", "IID", "PAT", "MAT", "SEX", "PHENO1"];
        match fields {
            5 => Self::of_header(&ALL[..5], phenotype, 1),
            // The name PHENO1 is only internal to PLINK, so the phenotype has no name.
            6.. => Ok(Self {
                phenotypes: PsamPhenotype::Chosen(None),
                ..Self::of_header(&ALL, phenotype, 1)?
            }),
            _ => {
                let problem = format!(
                    "no header and {fields} fields, but a person needs five: {}",
                    ALL[..5].join(" ")
                );
                Err(DataError::new(
                    problem,
                    "add a header line that names the columns, such as #FID IID SEX",
                ))
            }
        }
    }

    /// Returns the person of a line.
    fn person(&self, line: u64, fields: &[&str]) -> std::result::Result<Sample, DataError> {
        if fields.len() < self.count {
            let problem = format!("{}, but the header has {}", count(fields), self.count);
            let help = "complete the line; IDs must not contain spaces, and NA is a missing value";
            return Err(DataError::new(problem, help).with_value(&fields.join(" ")));
        }
        if fields[self.id] == "0" {
            let help = "give the person an ID";
            return Err(DataError::new("0 is not a valid ID of a person", help)
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
            phenotype: self.chosen.first().map_or("-9", |&place| fields[place]).to_string(),
            line,
        })
    }
}
