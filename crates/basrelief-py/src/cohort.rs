//! PLINK and VCF cohorts for Python: their people and variants as columns, and genotypes as features or arrays.

use std::path::PathBuf;

use basrelief::data::{
    Column, ColumnKind, CompactNumbers, KindOverrides, MISSING_GENOTYPE, Names, PackedGenotypes,
    RawColumn, RawValues, TargetKind, Values,
};
use basrelief::{Error, Result, Run};
use basrelief_genetics::{
    ChromosomeSet, Cohort, CohortOptions, CovariateFile, Genome, LdPruning, Phenotype,
    PhenotypeCoding, PhenotypeFile, QualityFilters, Sample, is_vcf,
};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{to_python, told};
use crate::threads::run_on;
use crate::watch;

/// A cohort with selected people and variants; its genotypes are read when they are needed.
#[pyclass(frozen, name = "Cohort", module = "basrelief._native")]
pub(crate) struct PlinkCohort {
    cohort: Cohort,
}

/// Opens a cohort; see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (path, *, pheno=None, pheno_name=None, target_type="auto", one_is_case=false, na_values=vec![],
                    covar=None, covar_name=None, keep=None, remove=None, extract=None, exclude=None, chromosomes=None,
                    all_chromosomes=false, chr_set=None, mind=None, geno=None, hwe=None, maf=None, ld_prune=None,
                    keep_missing=false))]
#[expect(clippy::too_many_arguments, reason = "they are keywords")]
pub(crate) fn open_cohort(
    py: Python<'_>,
    path: PathBuf,
    pheno: Option<PathBuf>,
    pheno_name: Option<String>,
    target_type: &str,
    one_is_case: bool,
    na_values: Vec<String>,
    covar: Option<PathBuf>,
    covar_name: Option<&str>,
    keep: Option<PathBuf>,
    remove: Option<PathBuf>,
    extract: Option<PathBuf>,
    exclude: Option<PathBuf>,
    chromosomes: Option<&str>,
    all_chromosomes: bool,
    chr_set: Option<i64>,
    mind: Option<f64>,
    geno: Option<f64>,
    hwe: Option<f64>,
    maf: Option<f64>,
    ld_prune: Option<&str>,
    keep_missing: bool,
) -> PyResult<PlinkCohort> {
    let chromosomes = chromosomes.map(ChromosomeSet::parse).transpose().map_err(|problem| {
        to_python(Error::option("chr", problem, "use numbers, ranges and names, such as 1-4,22,X"))
    })?;
    let genome = chr_set.map(Genome::with_autosomes).transpose().map_err(|problem| {
        let help = "use the number of autosomes of a diploid species, such as 38 for dogs";
        to_python(Error::option("chr_set", problem, help))
    })?;
    let coding = PhenotypeCoding {
        kind: TargetKind::from_text(target_type, TargetKind::Auto).map_err(to_python)?,
        one_is_case,
        missing: na_values,
    };
    if is_vcf(&path) && pheno.is_none() && !keep_missing {
        // Checked before the genotypes are read, which can take long.
        return Err(to_python(Error::option(
            "pheno",
            "it is not given, and a VCF contains no phenotypes",
            "specify a file with lines of FID, IID and a number, where FID and IID are both the name of the sample, or \
             keep all people with keep_missing=True",
        )));
    }
    let (phenotype, phenotype_name) = match pheno {
        Some(path) => (Some(PhenotypeFile { path, name: pheno_name }), None),
        None => (None, pheno_name),
    };
    let names = covar_name.into_iter().flat_map(|names| names.split(','));
    let names: Vec<String> = names.map(|name| name.trim().to_string()).collect();
    if covar.is_none() && !names.is_empty() {
        return Err(to_python(Error::option(
            "covar_name",
            "there is no covariate file",
            "specify the file with covar",
        )));
    }
    let options = CohortOptions {
        phenotype,
        phenotype_name,
        coding,
        genome: genome.unwrap_or_default(),
        covariates: covar.map(|path| CovariateFile { path, names }),
        keep,
        remove,
        extract,
        exclude,
        chromosomes,
        all_chromosomes,
    };
    let ld_prune = ld_prune.map(LdPruning::parse).transpose().map_err(|problem| {
        to_python(Error::option("ld_prune", problem, "use WINDOW:STEP:R2, such as 50:5:0.2"))
    })?;
    let filters = QualityFilters { mind, geno, hwe, maf, ld_prune };
    // Only filters use more than one thread.
    let threads = if filters == QualityFilters::default() { Some(1) } else { None };
    let run = run_on(py, threads)?;
    let cohort = watch::interruptible(py, run, None, |run| {
        let cohort = filters.apply(Cohort::open(&path, &options, run)?, run)?;
        if keep_missing { Ok(cohort) } else { cohort.with_known_phenotypes() }
    })?;
    Ok(PlinkCohort { cohort })
}

#[pymethods]
impl PlinkCohort {
    /// Returns the people, column by column.
    fn samples<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let column = |field: fn(&Sample) -> &String| -> Vec<&str> {
            self.cohort.samples().iter().map(|sample| field(sample).as_str()).collect()
        };
        let all = PyDict::new(py);
        all.set_item("FID", column(|sample| &sample.family))?;
        all.set_item("IID", column(|sample| &sample.id))?;
        all.set_item("father", column(|sample| &sample.father))?;
        all.set_item("mother", column(|sample| &sample.mother))?;
        all.set_item("sex", column(|sample| &sample.sex))?;
        Ok(all)
    }

    /// Returns the variants, column by column.
    fn variants<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let loci = self.cohort.loci();
        let positions: Vec<u64> = loci.iter().map(|locus| locus.position).collect();
        let all = PyDict::new(py);
        all.set_item("name", self.cohort.names())?;
        let chromosomes: Vec<&str> = loci.iter().map(|locus| &*locus.chromosome).collect();
        all.set_item("CHROM", chromosomes)?;
        all.set_item("POS", positions.into_pyarray(py))?;
        all.set_item("ID", loci.iter().map(|locus| locus.id.as_str()).collect::<Vec<_>>())?;
        all.set_item("A1", loci.iter().map(|locus| locus.counted.as_str()).collect::<Vec<_>>())?;
        all.set_item("A2", loci.iter().map(|locus| locus.other.as_str()).collect::<Vec<_>>())?;
        Ok(all)
    }

    /// Returns the covariates of all people, column by column: numbers, with NaN for missing values, or texts, with
    /// `None` for missing values. Returns `None` if there is no covariate file.
    fn covariates<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(table) =
            self.cohort.covariate_table(&KindOverrides::default()).map_err(to_python)?
        else {
            return Ok(None);
        };
        let all = PyDict::new(py);
        for column in table.columns() {
            if let Values::Categorical(categories) = column.values() {
                let level =
                    |&code: &u32| categories.levels().get(code as usize).map(String::as_str);
                let texts: Vec<Option<&str>> = categories.codes().iter().map(level).collect();
                all.set_item(column.name(), texts)?;
            } else {
                let mut numbers = Vec::new();
                column.copy_values(&mut numbers);
                all.set_item(column.name(), numbers.into_pyarray(py))?;
            }
        }
        Ok(Some(all))
    }

    /// Returns the name of the phenotype.
    fn target(&self) -> &str {
        self.cohort.target()
    }

    /// Returns the names of the phenotypes.
    fn phenotypes(&self) -> Vec<String> {
        self.cohort.phenotypes().into_iter().map(|(name, _)| name.to_string()).collect()
    }

    /// Returns whether each person is a case, or `None` if this phenotype is not case/control.
    fn cases(&self, at: usize) -> Option<Vec<Option<bool>>> {
        match self.cohort.phenotypes()[at].1 {
            Phenotype::CaseControl(cases) => Some(cases.clone()),
            _ => None,
        }
    }

    /// Returns the class of each person, or `None` if this phenotype does not have named classes.
    fn classes(&self, at: usize) -> Option<Vec<Option<String>>> {
        match self.cohort.phenotypes()[at].1 {
            Phenotype::Classes(classes) => Some(classes.clone()),
            _ => None,
        }
    }

    /// Returns a quantitative phenotype, with NaN for missing values; otherwise `None`.
    fn quantity<'py>(&self, py: Python<'py>, at: usize) -> Option<Bound<'py, PyArray1<f64>>> {
        match self.cohort.phenotypes()[at].1 {
            Phenotype::Quantity(numbers) => {
                let numbers = numbers.iter().map(|number| number.unwrap_or(f64::NAN));
                Some(numbers.collect::<Vec<f64>>().into_pyarray(py))
            }
            _ => None,
        }
    }

    /// Returns warnings about excluded people and variants, and about unknown IDs in lists.
    fn warnings(&self) -> Vec<String> {
        let warnings = self.cohort.warnings().iter();
        warnings.map(told).collect()
    }

    /// Returns the copies of A1 of some people and variants, variant by variant, with `missing` for missing genotypes.
    #[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
    fn genotypes<'py>(
        &self,
        py: Python<'py>,
        people: PyReadonlyArray1<'py, u32>,
        variants: PyReadonlyArray1<'py, u32>,
        missing: i8,
    ) -> PyResult<Bound<'py, PyArray2<i8>>> {
        let chosen = Chosen::new(&self.cohort, &people, &variants)?;
        let run = run_on(py, Some(1))?;
        let values = watch::interruptible(py, run, None, |run| {
            let mut values = Vec::with_capacity(chosen.people.len() * chosen.variants.len());
            for part in chosen.variants.chunks(VARIANTS) {
                run.check()?;
                for column in self.cohort.genotypes(chosen.people, part, run)? {
                    values.extend(column.to_vec().into_iter().map(|code| match code {
                        MISSING_GENOTYPE => missing,
                        copies => copies as i8,
                    }));
                }
            }
            Ok(values)
        })?;
        values.into_pyarray(py).reshape([chosen.variants.len(), chosen.people.len()])
    }
}

/// Number of variants that are unpacked at a time.
const VARIANTS: usize = 1024;

/// Selected people and variants of a cohort, which all exist.
#[derive(Clone, Copy)]
pub(crate) struct Chosen<'a> {
    cohort: &'a Cohort,
    people: &'a [u32],
    variants: &'a [u32],
}

impl<'a> Chosen<'a> {
    fn new(
        cohort: &'a Cohort,
        people: &'a PyReadonlyArray1<'_, u32>,
        variants: &'a PyReadonlyArray1<'_, u32>,
    ) -> PyResult<Self> {
        let (people, variants) = (people.as_slice()?, variants.as_slice()?);
        let are_there =
            |places: &[u32], count| places.iter().all(|&place| (place as usize) < count);
        if are_there(people, cohort.samples().len()) && are_there(variants, cohort.loci().len()) {
            return Ok(Self { cohort, people, variants });
        }
        Err(PyIndexError::new_err("a person or variant is not in the cohort"))
    }

    /// Creates the selection from the arguments of Python.
    pub(crate) fn of(
        (cohort, people, variants): &'a (
            Bound<'_, PlinkCohort>,
            PyReadonlyArray1<'_, u32>,
            PyReadonlyArray1<'_, u32>,
        ),
    ) -> PyResult<Self> {
        Self::new(&cohort.get().cohort, people, variants)
    }

    /// The family IDs of all people.
    pub(crate) fn families(&self) -> Column<'static> {
        self.cohort.families(self.people)
    }

    /// Reads the columns, as packed genotypes unless `kinds` specifies another kind.
    pub(crate) fn columns(
        &self,
        names: &Names,
        kinds: &[Option<ColumnKind>],
        run: &Run,
    ) -> Result<Vec<Column<'static>>> {
        let width = self.variants.len();
        if names.len() != width || kinds.len() != width {
            let (names, kinds) = (names.len(), kinds.len());
            return Err(Error::Internal(format!(
                "{names} names and {kinds} kinds for {width} columns"
            )));
        }
        let column = |(index, genotypes): (usize, PackedGenotypes)| {
            let values = RawValues::Numbers(CompactNumbers::from(genotypes));
            let raw = RawColumn::new(names.get(index), values, Some(ColumnKind::Genotype));
            let column = raw.into_feature(kinds[index])?.with_name_of(names, index);
            let variant = self.variants[index] as usize;
            Ok(column.with_locus(self.cohort.loci()[variant].clone()))
        };
        let genotypes = self.cohort.genotypes(self.people, self.variants, run)?;
        genotypes.into_iter().enumerate().map(column).collect()
    }
}
