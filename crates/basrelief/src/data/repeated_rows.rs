//! Detects rows that look like repeated measurements, for example of a patient, a donor or a family. Such rows are not
//! independent.

use std::collections::{HashMap, HashSet};

use super::{Column, ColumnKind, Target};
use crate::warning::Warning;
use crate::wording::{either, quoted, setting};

/// Smallest number of different values of a column whose name identifies rows.
const NAMED_GROUPS: usize = 5;

/// Smallest number of different values of any other column, which must also have at most [`ROWS_PER_GROUP`] rows per
/// value. A batch or a site has many rows, and a code with few values can be the target in another form.
const OTHER_GROUPS: usize = 10;
const ROWS_PER_GROUP: usize = 20;

/// Largest probability that a target independent of the column is constant within the values of the column.
const COINCIDENCE: f64 = 1e-3;

/// Words in the names of columns that identify rows, and the possible endings of these words.
const SUBJECTS: [&str; 5] = ["patient", "subject", "donor", "sample", "family"];
const ENDINGS: [&str; 6] = ["", "s", "id", "ids", "no", "nr"];

/// The name of the column of the family IDs of a cohort.
pub const FAMILY_ID: &str = "family ID";

/// The use of a column, apart from its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnRole {
    /// A feature, which is considered only if its name identifies rows.
    Feature,
    /// Not a feature: an excluded column, the groups of a test, or a covariate.
    Other,
}

/// Warns if rows with the same value in a column look like repeated measurements: at least half of the different values
/// occur twice or more, and the target is constant within every value.
///
/// Features are considered only if their names contain a word that identifies rows (`patient_id`, `SampleID`,
/// `donor`). A column must have at least 5 different values, and at least twice the number of classes. Without such a
/// word in its name, it must have at least 10 different values, and on average at most 20 rows per value. Columns are
/// ignored if the target would be constant by chance with a probability above 0.001.
pub fn repeated_rows<'c>(
    columns: impl IntoIterator<Item = (&'c Column<'c>, ColumnRole)>,
    target: &Target,
) -> Option<Warning> {
    let mut codes = None;
    let (mut names, mut first): (Vec<String>, Option<String>) = (Vec::new(), None);
    for (column, role) in columns {
        let is_named = column.kind() != ColumnKind::Genotype && identifies_rows(column.name());
        if role == ColumnRole::Feature && !is_named {
            continue;
        }
        let target = codes.get_or_insert_with(|| TargetCodes::new(target));
        if target.repeat_by(column, is_named) {
            names.push(quoted(column.name()));
            first.get_or_insert_with(|| column.name().to_string());
        }
    }
    first.map(|first| {
        let option = if first == FAMILY_ID { "fid" } else { first.as_str() };
        let groups = either(
            format!("use {}", setting("group", Some(option))),
            format!("give {} as groups", quoted(&first)),
            format!("set {} as groups", quoted(&first)),
        );
        Warning::new(
            "repeated-rows",
            format!(
                "rows with the same {} look like repeated measurements; p-values assume independent rows: {groups}, or \
                 keep one row of each value",
                names.join(" or the same ")
            ),
        )
    })
}

/// Whether a column's name identifies rows: it contains the word `id`, `patient`, `subject`, `donor`, `sample` or
/// `family`.
pub fn identifies_rows(name: &str) -> bool {
    words(name).any(|word| {
        let word = word.to_lowercase();
        let subject = SUBJECTS.iter().find_map(|subject| word.strip_prefix(subject));
        matches!(&*word, "id" | "ids") || subject.is_some_and(|rest| ENDINGS.contains(&rest))
    })
}

/// The words of a name; those of `patientID2` are patient, ID and 2.
fn words(name: &str) -> impl Iterator<Item = &str> {
    let characters: Vec<(usize, char)> = name.char_indices().collect();
    let mut ends = Vec::new();
    for (place, &(at, character)) in characters.iter().enumerate().skip(1) {
        let before = characters[place - 1].1;
        let next = characters.get(place + 1).map(|(_, next)| *next);
        let is_start = character.is_uppercase()
            && (before.is_lowercase() || next.is_some_and(char::is_lowercase));
        if is_start || character.is_alphabetic() != before.is_alphabetic() {
            ends.push(at);
        }
    }
    ends.push(name.len());
    let mut start = 0;
    ends.into_iter().map(move |end| &name[std::mem::replace(&mut start, end)..end])
}

/// The target as codes, with the number of rows for each code.
struct TargetCodes {
    codes: Vec<u32>,
    counts: Vec<usize>,
    classes: usize,
}

impl TargetCodes {
    fn new(target: &Target) -> Self {
        let codes = target.value_codes().into_owned();
        let mut counts = Vec::new();
        for &code in &codes {
            let code = code as usize;
            counts.resize(counts.len().max(code + 1), 0);
            counts[code] += 1;
        }
        Self { codes, counts, classes: target.as_classes().map_or(0, super::Classes::len) }
    }

    /// Whether rows with the same value in a column look like repeated measurements.
    fn repeat_by(&self, column: &Column<'_>, is_named: bool) -> bool {
        let mut groups: HashMap<u64, (usize, u32)> = HashMap::new();
        let mut known = 0;
        for (row, &code) in self.codes.iter().enumerate() {
            let value = column.value(row);
            if value.is_nan() {
                continue;
            }
            known += 1;
            let group = groups.entry((value + 0.0).to_bits()).or_insert((0, code));
            if group.1 != code {
                return false;
            }
            group.0 += 1;
        }
        let repeated = groups.values().filter(|(rows, _)| *rows > 1).count();
        let fewest = if is_named { NAMED_GROUPS } else { OTHER_GROUPS }.max(2 * self.classes);
        let are_large = known > ROWS_PER_GROUP * groups.len();
        if groups.len() < fewest || 2 * repeated < groups.len() || are_large && !is_named {
            return false;
        }
        // Sorted, so that the sum does not depend on the order of the map.
        let sizes: HashSet<usize> = groups.values().map(|(rows, _)| *rows).collect();
        let of_size = |size: usize| groups.values().filter(|(rows, _)| *rows == size).count();
        let mut sizes: Vec<usize> = sizes.into_iter().collect();
        sizes.sort_unstable();
        let log: f64 =
            sizes.iter().map(|&size| of_size(size) as f64 * self.log_constant(size)).sum();
        log <= COINCIDENCE.ln()
    }

    /// The logarithm of the probability that this number of randomly drawn rows has a single target value.
    fn log_constant(&self, rows: usize) -> f64 {
        let all = self.codes.len() as f64;
        let power = |&count: &usize| (count as f64 / all).powf(rows as f64);
        self.counts.iter().map(power).sum::<f64>().ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Categories, Classes};

    #[test]
    fn names_are_read_word_by_word() {
        for name in [
            "id",
            "ID",
            "Id",
            "patient",
            "patient_id",
            "PatientID",
            "patientId",
            "patientid",
            "subject.no",
            "Subjects",
            "donor 1",
            "DONOR",
            "sample",
            "sampleID",
            "SAMPLE_ID",
            "family",
            "familyid",
            "row-id",
            "ID2",
            "idNumber",
            "der Patient",
        ] {
            assert!(identifies_rows(name), "{name}");
        }
        for name in [
            "width",
            "acid",
            "video",
            "Width",
            "lipid",
            "idea",
            "resample",
            "subjective",
            "sampling",
            "familiar",
            "x",
            "",
            "aid",
            "sid",
            "grid2",
            "hybrid",
            "valid",
            "ACID",
        ] {
            assert!(!identifies_rows(name), "{name}");
        }
    }

    fn texts(name: &str, values: &[String]) -> Column<'static> {
        Column::categorical(name, Categories::from_texts(values.iter().map(|v| Some(v.as_str()))))
    }

    fn classes(labels: &[u32]) -> Target {
        let labels: Vec<String> = labels.iter().map(u32::to_string).collect();
        Target::Classes(Classes::from_labels(&labels))
    }

    fn message(column: &Column<'static>, role: ColumnRole, target: &Target) -> Option<String> {
        repeated_rows([(column, role)], target).map(|warning| warning.to_string())
    }

    /// Twenty patients with five rows each; half of the patients are cases.
    #[test]
    fn rows_of_patients_are_found_by_name_or_role() {
        let patients: Vec<u32> = (0..100).map(|row| row % 20).collect();
        let target = classes(&patients.iter().map(|patient| patient % 2).collect::<Vec<_>>());
        let as_texts: Vec<String> = patients.iter().map(|patient| format!("P{patient}")).collect();
        let numbers = patients.iter().map(|&patient| f64::from(patient)).collect();
        let numbers = |name: &str| Column::from_values(name, Vec::clone(&numbers)).unwrap();
        for column in [texts("patient", &as_texts), numbers("Patient.ID")] {
            let told = message(&column, ColumnRole::Feature, &target).unwrap();
            assert!(told.starts_with(&format!(
                "rows with the same `{}` look like repeated measurements; p-values assume independent",
                column.name()
            )));
        }
        let code = numbers("code");
        assert_eq!(message(&code, ColumnRole::Feature, &target), None);
        assert!(message(&code, ColumnRole::Other, &target).is_some());
        // The target is a number per patient.
        let real = Target::Real(patients.iter().map(|&p| f64::from(p).sin()).collect());
        assert!(message(&code, ColumnRole::Other, &real).is_some());
        // A row without a known patient, and a target that varies within a patient.
        let mut gaps = as_texts.clone();
        gaps[7].clear();
        let column = Column::categorical(
            "patient",
            Categories::from_texts(gaps.iter().map(|v| (!v.is_empty()).then_some(v.as_str()))),
        );
        assert!(message(&column, ColumnRole::Feature, &target).is_some());
        let mut varies: Vec<u32> = patients.iter().map(|patient| patient % 2).collect();
        varies[0] = 1;
        assert_eq!(
            message(&texts("patient", &as_texts), ColumnRole::Feature, &classes(&varies)),
            None
        );
    }

    /// Columns that do not identify rows: copies of the target, few values, one row per value, batches, coincidences.
    #[test]
    fn other_columns_are_not_told_of() {
        let rows = 0..120_u32;
        let half: Vec<u32> = rows.clone().map(|row| row % 2).collect();
        let target = classes(&half);
        let of = |name: &str, code: &dyn Fn(u32) -> u32| {
            texts(name, &rows.clone().map(|row| code(row).to_string()).collect::<Vec<_>>())
        };
        for (column, why) in [
            (of("sample_type", &|row| row % 2), "the target again"),
            (of("sex", &|row| row / 2 % 2), "two values"),
            (of("stage", &|row| row % 4), "four values, each of one class"),
            (of("id", &|row| row), "all different"),
            (of("batch", &|row| row / 30), "the target varies within"),
            (of("case_no", &|row| if row < 20 { row % 2 } else { row }), "most occur once"),
        ] {
            for role in [ColumnRole::Feature, ColumnRole::Other] {
                assert_eq!(message(&column, role, &target), None, "{why}");
            }
        }
        // Pairs of rows with few cases: nearly all pairs have a single class by chance.
        let rare = classes(&rows.clone().map(|row| u32::from(row < 2)).collect::<Vec<_>>());
        assert_eq!(message(&of("patient", &|row| row / 2 % 60), ColumnRole::Feature, &rare), None);
    }
}
