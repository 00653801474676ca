//! Sets of variants: genes or pathways, given by genomic ranges or by variant IDs, and chromosomes.

use std::collections::HashMap;
use std::path::Path;

use basrelief::data::{FeatureSet, Table};
use basrelief::wording::quoted;
use basrelief::{DataError, Result, Run, Warning};

use crate::metadata::chromosomes::Genome;
use crate::metadata::lines::{each_line, is_comment, kept_of, name_of};

/// Reads sets of the columns of a table from a file. Its lines have one of two forms: `CHROM START END SET`, where both
/// positions are inclusive, as in PLINK's `--make-set`; or `SET ID`, where ID is the name of a column or the ID of its
/// variant. Lines that begin with `#` are comments. The sets are returned in the order of the file. Sets without a
/// variant are excluded, and a warning counts them.
///
/// # Errors
/// The file cannot be read; a line has neither form; the file lists ranges, but the columns have no positions; no set
/// has a variant.
pub fn read_sets(
    path: &Path,
    table: &Table<'_>,
    genome: Genome,
    warnings: &mut Vec<Warning>,
    run: &Run,
) -> Result<Vec<FeatureSet>> {
    let mut sets = Sets::new(table, genome);
    let mut form = None;
    each_line(path, run, |_, fields| {
        if is_comment(fields) {
            return Ok(0);
        }
        let own = *form.get_or_insert(fields.len());
        match fields {
            [chromosome, start, end, name, ..] if own > 2 => {
                let position = |text: &str| {
                    text.parse::<u64>().map_err(|_| {
                        let help = "write lines of CHROM START END SET, or of SET ID";
                        DataError::new("the position is not a whole number", help).with_value(text)
                    })
                };
                let (start, end) = (position(start)?, position(end)?);
                if start > end {
                    let problem = format!("the range ends at {end}, before it begins at {start}");
                    return Err(DataError::new(problem, "write the smaller position first"));
                }
                sets.add_range(name, chromosome, start, end)
            }
            [name, id] if own == 2 => Ok(sets.add_id(name, id)),
            _ => {
                let problem = format!("{} fields", fields.len());
                let help = "write CHROM START END SET on every line, or SET ID on every line";
                Err(DataError::new(problem, help).with_value(&fields.join(" ")))
            }
        }
    })?;
    sets.done(path, warnings)
}

/// Returns one set per chromosome, in the order of the columns.
///
/// # Errors
/// A column has no chromosome and position.
pub fn chromosome_sets(table: &Table<'_>, genome: Genome) -> Result<Vec<FeatureSet>> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut sets: Vec<FeatureSet> = Vec::new();
    for (feature, column) in table.columns().iter().enumerate() {
        let Some(locus) = column.locus() else { return Err(no_places().into()) };
        let name = genome.usual(&locus.chromosome);
        let place = *places.entry(name.clone()).or_insert_with(|| {
            sets.push(FeatureSet { name, features: Vec::new() });
            sets.len() - 1
        });
        sets[place].features.push(feature);
    }
    Ok(sets)
}

fn no_places() -> DataError {
    DataError::new(
        "the features have no chromosome and position",
        "give a .bed, .pgen, .ped or .tped file or a VCF, or write the sets as lines of SET and NAME",
    )
}

/// Memory of a set in bytes, without its name.
const KEPT: u64 = 200;

/// The sets found so far.
struct Sets<'t> {
    table: &'t Table<'t>,
    genome: Genome,
    /// The columns of each chromosome, sorted by position; `None` if a column has no position.
    by_place: Option<HashMap<String, Vec<(u64, usize)>>>,
    by_id: HashMap<&'t str, Vec<usize>>,
    places: HashMap<String, usize>,
    sets: Vec<FeatureSet>,
    strangers: usize,
    first_stranger: Option<String>,
}

impl<'t> Sets<'t> {
    fn new(table: &'t Table<'t>, genome: Genome) -> Self {
        let mut by_place: HashMap<String, Vec<(u64, usize)>> = HashMap::new();
        let mut by_id: HashMap<&str, Vec<usize>> = HashMap::with_capacity(table.width());
        let mut all_are_known = true;
        for (feature, column) in table.columns().iter().enumerate() {
            by_id.entry(column.name()).or_default().push(feature);
            let Some(locus) = column.locus() else {
                all_are_known = false;
                continue;
            };
            if locus.id != column.name() {
                by_id.entry(&locus.id).or_default().push(feature);
            }
            let of_chromosome = by_place.entry(genome.usual(&locus.chromosome)).or_default();
            of_chromosome.push((locus.position, feature));
        }
        by_place.values_mut().for_each(|places| places.sort_unstable());
        Self {
            table,
            genome,
            by_place: all_are_known.then_some(by_place),
            by_id,
            places: HashMap::new(),
            sets: Vec::new(),
            strangers: 0,
            first_stranger: None,
        }
    }

    /// Adds features to the set called `name`, which is created if it is new. Returns the additional memory in bytes.
    fn add(&mut self, name: &str, features: &[usize]) -> u64 {
        let sets = &mut self.sets;
        let mut kept = 0;
        let place = *self.places.entry(name.to_string()).or_insert_with(|| {
            kept = kept_of(KEPT, &[name]);
            sets.push(FeatureSet { name: name.to_string(), features: Vec::new() });
            sets.len() - 1
        });
        let own = &mut sets[place].features;
        own.extend_from_slice(features);
        // Ranges may overlap. This keeps a set to at most about twice as many entries as there are features.
        if own.len() > 2 * self.table.width() {
            own.sort_unstable();
            own.dedup();
            return kept;
        }
        kept + (2 * size_of_val(features)) as u64
    }

    fn add_range(
        &mut self,
        name: &str,
        chromosome: &str,
        start: u64,
        end: u64,
    ) -> std::result::Result<u64, DataError> {
        let Some(by_place) = &self.by_place else { return Err(no_places()) };
        let found: Vec<usize> = match by_place.get(&self.genome.usual(chromosome)) {
            None => Vec::new(),
            Some(places) => {
                let first = places.partition_point(|(position, _)| *position < start);
                let inside = places[first..].iter().take_while(|(position, _)| *position <= end);
                inside.map(|(_, feature)| *feature).collect()
            }
        };
        Ok(self.add(name, &found))
    }

    fn add_id(&mut self, name: &str, id: &str) -> u64 {
        let found = self.by_id.get(id).cloned().unwrap_or_else(|| {
            self.strangers += 1;
            self.first_stranger.get_or_insert_with(|| id.to_string());
            Vec::new()
        });
        self.add(name, &found)
    }

    /// Returns the sets that have variants, each variant once.
    ///
    /// # Errors
    /// No set has a variant.
    fn done(self, path: &Path, warnings: &mut Vec<Warning>) -> Result<Vec<FeatureSet>> {
        let name = name_of(path);
        if let Some(first) = self.first_stranger {
            let text = format!(
                "{} of the variants in {name} are not in the data; the first is {}",
                self.strangers,
                quoted(&first)
            );
            warnings.push(Warning::new("not-in-cohort", text));
        }
        let all = self.sets.len();
        let (mut sets, empty): (Vec<FeatureSet>, Vec<FeatureSet>) =
            self.sets.into_iter().partition(|set| !set.features.is_empty());
        if sets.is_empty() {
            let problem = match all {
                0 => "the file contains no sets".to_string(),
                _ => {
                    format!(
                        "none of its {all} sets contains any of the {} variants",
                        self.table.width()
                    )
                }
            };
            let help = "check that the file belongs to these data";
            return Err(DataError::new(problem, help).in_file(path).into());
        }
        if let Some(first) = empty.first() {
            let text = format!(
                "{} of the {all} sets in {name} have no variant and were excluded; the first is {}",
                empty.len(),
                quoted(&first.name)
            );
            warnings.push(Warning::new("empty-sets", text));
        }
        for set in &mut sets {
            set.features.sort_unstable();
            set.features.dedup();
        }
        Ok(sets)
    }
}

#[cfg(test)]
mod tests {
    use basrelief::data::{Column, Locus};

    use super::*;

    fn table() -> Table<'static> {
        let columns = [("1", 10), ("1", 20), ("chr2", 15), ("X", 5), ("1", 30)];
        let column = |(index, (chromosome, position)): (usize, &(&str, u64))| {
            let locus = Locus {
                chromosome: (*chromosome).into(),
                position: *position,
                id: format!("rs{index}"),
                counted: "A".to_string(),
                other: "G".to_string(),
            };
            let values: Vec<u8> = (0..4).map(|row| (row + index as u8) % 3).collect();
            Column::genotype(format!("rs{index}"), values.into()).unwrap().with_locus(locus)
        };
        Table::new(columns.iter().enumerate().map(column).collect()).unwrap()
    }

    fn read(text: &str) -> (Result<Vec<FeatureSet>>, Vec<Warning>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sets.txt");
        std::fs::write(&path, text).unwrap();
        let mut warnings = Vec::new();
        let run = Run::new(Some(1)).unwrap();
        (read_sets(&path, &table(), Genome::default(), &mut warnings, &run), warnings)
    }

    fn named(sets: &[FeatureSet]) -> Vec<(&str, &[usize])> {
        sets.iter().map(|set| (set.name.as_str(), set.features.as_slice())).collect()
    }

    #[test]
    fn ranges_and_ids_make_sets() {
        let (sets, warnings) =
            read("# genes\nchr1 15 30 B more\n2 1 99 A\n1 5 12 B\n23 1 5 C\n7 1 2 empty\n");
        let expected: [(&str, &[usize]); 3] = [("B", &[0, 1, 4]), ("A", &[2]), ("C", &[3])];
        assert_eq!(named(&sets.unwrap()), expected);
        assert!(warnings.iter().any(|warning| warning.to_string().contains("1 of the 4 sets")));
        let (sets, warnings) = read("p rs4\np rs0\nq rs9\np rs0\n");
        assert_eq!(named(&sets.unwrap()), [("p", &[0, 4][..])]);
        assert_eq!(warnings.len(), 2, "{warnings:?}");
        let by_chromosome = chromosome_sets(&table(), Genome::default()).unwrap();
        let expected: [(&str, &[usize]); 3] = [("1", &[0, 1, 4]), ("2", &[2]), ("X", &[3])];
        assert_eq!(named(&by_chromosome), expected);
    }

    #[test]
    fn what_makes_no_sets_is_refused() {
        for (text, part) in [
            ("# nothing\n", "contains no sets"),
            ("1 x 9 A\n", "not a whole number"),
            ("1 9 3 A\n", "before it begins"),
            ("1 2 3\n", "3 fields"),
            ("p rs1\n1 2 3 A\n", "4 fields"),
            ("1 100 200 A\n", "none of its 1 sets"),
        ] {
            let message = read(text).0.unwrap_err().to_string();
            assert!(message.contains(part), "{text}: {message}");
        }
        let plain = Table::new(vec![Column::from_values("a", vec![0.0, 1.0]).unwrap()]).unwrap();
        assert!(
            chromosome_sets(&plain, Genome::default())
                .unwrap_err()
                .to_string()
                .contains("no chromosome")
        );
    }
}
