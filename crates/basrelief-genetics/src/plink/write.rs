//! Writes a cohort: the `.bed`, `.bim` and `.fam` files of PLINK 1, and covariates in a `.cov` file next to them.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use basrelief::data::{Column, Genotypes, Locus, Table, Target, Values};
use basrelief::{DataError, Error, Result, Run};
use basrelief_io::{AtomicFile, check_writable};

use super::bed::{MAGIC, VARIANT_MAJOR, written};
use super::fileset::beside;
use crate::metadata::phenotype::{CASE, CONTROL};

/// The content of the files of a cohort.
#[derive(Debug, Clone, Copy)]
pub struct CohortContent<'c> {
    /// The genotypes, with one column per variant, with its locus, and one row per person.
    pub table: &'c Table<'c>,
    /// The phenotype: the classes `control` and `case`, or a quantitative phenotype.
    pub target: &'c Target,
    /// The family ID (FID) of each person, if there are families.
    pub families: Option<&'c [String]>,
    /// The rows of the parents of each person, if they are known; empty if nobody has known parents.
    pub parents: &'c [Option<[u32; 2]>],
    /// Covariates: name, and a value per person. If there are none, no `.cov` file is written.
    pub covariates: &'c [(String, Vec<String>)],
}

/// Whether a file is a PLINK 1 genotype file, by its extension `.bed`.
pub fn is_bed(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("bed"))
}

/// Checks that the files of a cohort can be written, for use before a long computation. Does not change any file.
///
/// # Errors
/// The errors of [`check_writable`], for any of the files.
pub fn check_cohort_output(bed: &Path) -> Result<()> {
    cohort_outputs(bed).iter().try_for_each(|file| check_writable(file))
}

/// The files that [`write_cohort`] may write.
pub fn cohort_outputs(bed: &Path) -> [PathBuf; 4] {
    ["bed", "bim", "fam", "cov"].map(|ending| file(bed, ending))
}

/// Writes the files of a cohort: `bed` and the other files next to it. They appear under their names when all of them
/// are complete, the `.bed` file last.
///
/// The IIDs are `person1`, `person2`, …; without families, the FIDs are equal to the IIDs. Odd rows are male, even rows
/// are female; of two parents, the one in an odd row is the father. The `.cov` file has a header line: `FID IID`, then the names of the covariates.
///
/// # Errors
/// A column does not contain genotypes or has no locus; the number of phenotypes, families or covariate values differs
/// from the number of rows; there are other classes than `control` and `case`; a file cannot be written;
/// [`Error::Cancelled`].
pub fn write_cohort(bed: &Path, content: &CohortContent<'_>, run: &Run) -> Result<()> {
    let variants = content.variants()?;
    let phenotypes = content.phenotypes()?;
    let people = content.people()?;
    let fam = complete(&file(bed, "fam"), |out| {
        people.iter().zip((0..).zip(&phenotypes)).try_for_each(
            |((family, id), (row, phenotype))| {
                let [father, mother] = content.parents_of(row);
                let sex = 1 + row % 2;
                writeln!(out, "{family}\t{id}\t{father}\t{mother}\t{sex}\t{phenotype}")
            },
        )
    })?;
    let bim = complete(&file(bed, "bim"), |out| {
        variants.iter().try_for_each(|(locus, _)| {
            let Locus { chromosome, position, id, counted, other } = locus;
            writeln!(out, "{chromosome}\t{id}\t0\t{position}\t{counted}\t{other}")
        })
    })?;
    let cov = if content.covariates.is_empty() {
        None
    } else {
        let of_person = |(row, (family, id)): (usize, &(String, String))| {
            let values = content.covariates.iter().map(|(_, values)| format!("\t{}", values[row]));
            format!("{family}\t{id}{}\n", values.collect::<String>())
        };
        let names = content.covariates.iter().map(|(name, _)| format!("\t{name}"));
        Some(complete(&file(bed, "cov"), |out| {
            writeln!(out, "FID\tIID{}", names.collect::<String>())?;
            let mut lines = people.iter().enumerate().map(of_person);
            lines.try_for_each(|line| out.write_all(line.as_bytes()))
        })?)
    };
    let genotypes = genotypes_file(bed, &variants, run)?;
    for file in [Some(fam), Some(bim), cov, Some(genotypes)].into_iter().flatten() {
        file.commit()?;
    }
    Ok(())
}

impl CohortContent<'_> {
    /// Returns the IIDs of the father and the mother of the person in a row; `0` if they are unknown.
    fn parents_of(&self, row: usize) -> [String; 2] {
        let Some(Some([one, other])) = self.parents.get(row) else {
            return ["0".to_string(), "0".to_string()];
        };
        // Rows are counted from 0 here, and people from 1.
        let (father, mother) = if one % 2 == 0 { (one, other) } else { (other, one) };
        [father, mother].map(|row| id_of(*row as usize))
    }

    /// Returns the locus and the genotypes of each variant.
    ///
    /// # Errors
    /// A column does not contain genotypes, or has no locus.
    fn variants(&self) -> Result<Vec<(&Locus, &Genotypes<'_>)>> {
        let refuse = |column: &Column<'_>, problem: String, help: &str| -> Error {
            DataError::new(problem, help).in_column(column.name()).into()
        };
        let columns = self.table.columns().iter().map(|column| {
            let Values::Genotype(genotypes) = column.values() else {
                let problem = format!(
                    "it is a {} column, but a .bed file contains genotypes",
                    column.kind().name()
                );
                return Err(refuse(column, problem, "exclude it, or write a table such as .csv"));
            };
            let problem = "its chromosome and position are unknown, but a .bim file needs them";
            let help = "write a table such as .csv";
            let locus = column.locus().ok_or_else(|| refuse(column, problem.to_string(), help))?;
            Ok((locus, genotypes))
        });
        columns.collect()
    }

    /// Returns the phenotype of each person, as text.
    ///
    /// # Errors
    /// There are other classes than `control` and `case`, or the number of phenotypes differs from the number of rows.
    fn phenotypes(&self) -> Result<Vec<String>> {
        self.check_rows("phenotypes", self.target.rows())?;
        let Some(classes) = self.target.as_classes() else {
            let values = self.target.values("a .fam file")?;
            return Ok(values.iter().map(f64::to_string).collect());
        };
        let codes = classes.names().iter().map(|name| match name.as_str() {
            CONTROL => Ok("1".to_string()),
            CASE => Ok("2".to_string()),
            _ => Err(Error::from(
                DataError::new(
                    "a .fam file cannot contain this class",
                    format!("name the classes {CONTROL} and {CASE}, or write a table such as .csv"),
                )
                .with_value(name),
            )),
        });
        let codes: Vec<String> = codes.collect::<Result<_>>()?;
        Ok(classes.codes().iter().map(|&code| codes[code as usize].clone()).collect())
    }

    /// Returns FID and IID of each person.
    ///
    /// # Errors
    /// The number of families or of values of a covariate differs from the number of rows.
    fn people(&self) -> Result<Vec<(String, String)>> {
        if let Some(families) = self.families {
            self.check_rows("families", families.len())?;
        }
        for (name, values) in self.covariates {
            self.check_rows(name, values.len())?;
        }
        let person = |row: usize| {
            let id = id_of(row);
            (self.families.map_or_else(|| id.clone(), |families| families[row].clone()), id)
        };
        Ok((0..self.table.rows()).map(person).collect())
    }

    /// Checks that there is one value per row.
    ///
    /// # Errors
    /// The number of values differs from the number of rows.
    fn check_rows(&self, name: &str, count: usize) -> Result<()> {
        let rows = self.table.rows();
        if count == rows {
            return Ok(());
        }
        let problem = format!("{count} values of {name} for {rows} people");
        Err(DataError::new(problem, "give one value per person").into())
    }
}

/// The IID of the person in a row.
fn id_of(row: usize) -> String {
    format!("person{}", row + 1)
}

/// The path of a file of the cohort.
fn file(bed: &Path, ending: &str) -> PathBuf {
    if ending == "bed" { bed.to_path_buf() } else { beside(bed, ending) }
}

/// Creates a file with the content that `write` writes. It does not have its final name yet.
fn complete(
    path: &Path,
    write: impl FnOnce(&mut AtomicFile) -> io::Result<()>,
) -> Result<AtomicFile> {
    let mut file = AtomicFile::create(path)?;
    write(&mut file).map_err(|cause| failed(path, cause))?;
    Ok(file)
}

fn failed(path: &Path, cause: io::Error) -> Error {
    Error::File {
        path: path.to_path_buf(),
        action: "write it".to_string(),
        cause: cause.into(),
        help: "check the space left on the disk and the permissions".into(),
    }
}

/// Writes the `.bed` file. It does not have its final name yet.
///
/// # Errors
/// The file cannot be written; [`Error::Cancelled`].
fn genotypes_file(
    path: &Path,
    variants: &[(&Locus, &Genotypes<'_>)],
    run: &Run,
) -> Result<AtomicFile> {
    let mut file = complete(path, |out| out.write_all(&[MAGIC[0], MAGIC[1], VARIANT_MAJOR]))?;
    let mut bytes = Vec::new();
    run.progress().start("writing genotypes", variants.len() as u64);
    let all = variants.iter().try_for_each(|(_, genotypes)| {
        run.check()?;
        written(genotypes, &mut bytes);
        run.progress().advance(1);
        file.write_all(&bytes).map_err(|cause| failed(path, cause))
    });
    run.progress().finish();
    all.map(|()| file)
}
