//! Writing a cohort: the `.bed`, `.bim` and `.fam` files of PLINK 1, and covariates in a `.cov` file beside them.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use basrelief::data::{Column, Genotypes, Locus, Table, Target, Values};
use basrelief::{DataError, Error, Result, Run};
use basrelief_io::{AtomicFile, check_writable};

use super::bed::{MAGIC, VARIANT_MAJOR, written};
use super::fileset::beside;
use crate::metadata::phenotype::{CASE, CONTROL};

/// What the files of a cohort hold.
#[derive(Debug, Clone, Copy)]
pub struct CohortContent<'c> {
    /// The genotypes: a column per variant, with its place, and a row per person.
    pub table: &'c Table<'c>,
    /// The phenotype: the classes `control` and `case`, or a quantity.
    pub target: &'c Target,
    /// Everybody's family ID (FID), if they have one.
    pub families: Option<&'c [String]>,
    /// Covariates by name, each of everybody; without any, no `.cov` file is written.
    pub covariates: &'c [(String, Vec<f64>)],
}

/// Whether a file of that name is one of PLINK's genotypes, by its ending.
pub fn is_bed(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("bed"))
}

/// Whether the files of a cohort could be written, to be asked before long work starts. Leaves no trace.
///
/// # Errors
/// As [`check_writable`], of any of the files.
pub fn check_cohort_output(bed: &Path) -> Result<()> {
    cohort_outputs(bed).iter().try_for_each(|file| check_writable(file))
}

/// The files that [`write_cohort`] may write.
pub fn cohort_outputs(bed: &Path) -> [PathBuf; 4] {
    ["bed", "bim", "fam", "cov"].map(|ending| file(bed, ending))
}

/// Writes the files of a cohort: the `.bed` file of that name and the others beside it. They appear when all of them are
/// complete, the `.bed` file last.
///
/// People are called `person1`, `person2`, … (IID), and by that name also where they have no family; every other one is
/// a man. The `.cov` file has a first line of names, `FID IID` before those of the covariates.
///
/// # Errors
/// A column that holds no genotypes or has no place, as many values as rows where they are not, other classes than
/// `control` and `case`; a file cannot be written; [`Error::Cancelled`].
pub fn write_cohort(bed: &Path, content: &CohortContent<'_>, run: &Run) -> Result<()> {
    let variants = content.variants()?;
    let phenotypes = content.phenotypes()?;
    let people = content.people()?;
    let fam = complete(&file(bed, "fam"), |out| {
        people.iter().zip((0..).zip(&phenotypes)).try_for_each(
            |((family, id), (row, phenotype))| {
                writeln!(out, "{family}\t{id}\t0\t0\t{}\t{phenotype}", 1 + row % 2)
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
    /// Where each variant lies, and its genotypes.
    ///
    /// # Errors
    /// A column has no genotypes, or no place.
    fn variants(&self) -> Result<Vec<(&Locus, &Genotypes<'_>)>> {
        let refuse = |column: &Column<'_>, problem: String, help: &str| -> Error {
            DataError::new(problem, help).in_column(column.name()).into()
        };
        let columns = self.table.columns().iter().map(|column| {
            let Values::Genotype(genotypes) = column.values() else {
                let problem =
                    format!("a {} column, where a .bed file holds genotypes", column.kind().name());
                return Err(refuse(column, problem, "leave it out, or write a table such as .csv"));
            };
            let problem = "its chromosome and position are not known, which a .bim file holds";
            let help = "write a table such as .csv";
            let locus = column.locus().ok_or_else(|| refuse(column, problem.to_string(), help))?;
            Ok((locus, genotypes))
        });
        columns.collect()
    }

    /// Everybody's phenotype, as it is written.
    ///
    /// # Errors
    /// Classes that a `.fam` file has not; too many or too few.
    fn phenotypes(&self) -> Result<Vec<String>> {
        self.check_rows("phenotypes", self.target.rows())?;
        let classes = match self.target {
            Target::Real(values) => return Ok(values.iter().map(f64::to_string).collect()),
            Target::Classes(classes) => classes,
        };
        let codes = classes.names().iter().map(|name| match name.as_str() {
            CONTROL => Ok("1".to_string()),
            CASE => Ok("2".to_string()),
            _ => Err(Error::from(
                DataError::new(
                    "a class that a .fam file has not",
                    format!("call the classes {CONTROL} and {CASE}, or write a table such as .csv"),
                )
                .with_value(name),
            )),
        });
        let codes: Vec<String> = codes.collect::<Result<_>>()?;
        Ok(classes.codes().iter().map(|&code| codes[code as usize].clone()).collect())
    }

    /// FID and IID of everybody.
    ///
    /// # Errors
    /// Too many or too few families, or values of a covariate.
    fn people(&self) -> Result<Vec<(String, String)>> {
        if let Some(families) = self.families {
            self.check_rows("families", families.len())?;
        }
        for (name, values) in self.covariates {
            self.check_rows(name, values.len())?;
        }
        let person = |row: usize| {
            let id = format!("person{}", row + 1);
            (self.families.map_or_else(|| id.clone(), |families| families[row].clone()), id)
        };
        Ok((0..self.table.rows()).map(person).collect())
    }

    /// # Errors
    /// There are not as many values as rows.
    fn check_rows(&self, name: &str, count: usize) -> Result<()> {
        let rows = self.table.rows();
        if count == rows {
            return Ok(());
        }
        let problem = format!("{count} values of {name} for {rows} people");
        Err(DataError::new(problem, "give one for everybody").into())
    }
}

/// A file of the cohort.
fn file(bed: &Path, ending: &str) -> PathBuf {
    if ending == "bed" { bed.to_path_buf() } else { beside(bed, ending) }
}

/// A file with all that `write` writes, not yet under its name.
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

/// The `.bed` file, not yet under its name.
///
/// # Errors
/// It cannot be written; [`Error::Cancelled`].
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
