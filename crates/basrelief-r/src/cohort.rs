//! Cohorts of genotypes: PLINK filesets and VCF files.

use basrelief::data::TargetKind;
use basrelief::wording::quoted;
use basrelief::{Error, Result, Run};
use basrelief_genetics::{
    ChromosomeSet, CohortOptions, CovariateFile, Genome, LdPruning, Phenotype, PhenotypeCoding,
    PhenotypeFile, QualityFilters, Relatives, Sample, check_king_cutoff, is_vcf,
};
use basrelief_study::{CohortChoice, FAMILIES};

use crate::answer::{Answer, Value};
use crate::arguments::Arguments;

/// The people and variants that the arguments choose.
///
/// # Errors
/// An argument has a wrong value; a VCF without a file of phenotypes.
pub(crate) fn choice(arguments: &Arguments) -> Result<CohortChoice> {
    let name = arguments.text("pheno_name").map(str::to_string);
    let (phenotype, phenotype_name) = match arguments.path("pheno") {
        Some(path) => (Some(PhenotypeFile { path, name }), None),
        None => (None, name),
    };
    if phenotype.is_none() && arguments.path("path").is_some_and(|path| is_vcf(&path)) {
        return Err(Error::option(
            "pheno",
            "it is not given, and a VCF contains no phenotypes",
            "name a file with lines of FID, IID and a number, where FID and IID are both the sample's name",
        ));
    }
    let chromosomes = arguments.text("chr").map(ChromosomeSet::parse).transpose();
    let chromosomes = chromosomes.map_err(|problem| {
        Error::option("chr", problem, "use numbers, ranges and names, such as \"1-4,22,X\"")
    })?;
    let genome = arguments.number("chr_set", "chr_set")?.map(Genome::with_autosomes).transpose();
    let genome = genome.map_err(|problem| {
        let help = "use the number of autosomes of a diploid species, such as 38 for dogs";
        Error::option("chr_set", problem, help)
    })?;
    let ld_prune = arguments.text("ld_prune").map(LdPruning::parse).transpose();
    let ld_prune = ld_prune.map_err(|problem| {
        Error::option("ld_prune", problem, "use WINDOW:STEP:R2, such as \"50:5:0.2\"")
    })?;
    // Columns with a role are in the file of the covariates.
    let roles = ["strata", "groups", "weights"].into_iter().filter_map(|role| arguments.text(role));
    let roles = roles.filter(|name| *name != FAMILIES).map(str::to_string);
    let mut names = arguments.list("covariates").to_vec();
    if !names.is_empty() {
        names.extend(roles);
    }
    let kind = arguments.text("target_type").unwrap_or("auto");
    let options = CohortOptions {
        phenotype,
        phenotype_name,
        coding: PhenotypeCoding {
            kind: TargetKind::from_text(kind, TargetKind::Auto)?,
            one_is_case: arguments.switch("one_is_case"),
            missing: arguments.list("na").to_vec(),
        },
        genome: genome.unwrap_or_default(),
        covariates: arguments.path("covar").map(|path| CovariateFile { path, names }),
        keep: arguments.path("keep"),
        remove: arguments.path("remove"),
        extract: arguments.path("extract"),
        exclude: arguments.path("exclude"),
        chromosomes,
        all_chromosomes: arguments.switch("all_chromosomes"),
    };
    let filters = QualityFilters {
        mind: arguments.number("mind", "mind")?,
        geno: arguments.number("geno", "geno")?,
        hwe: arguments.number("hwe", "hwe")?,
        maf: arguments.number("maf", "maf")?,
        ld_prune,
    };
    Ok(CohortChoice { options, filters, relatives: relatives(arguments)? })
}

/// What becomes of relatives.
///
/// # Errors
/// A cutoff out of range; another treatment.
pub(crate) fn relatives(arguments: &Arguments) -> Result<Option<Relatives>> {
    let Some(cutoff) = arguments.number("king_cutoff", "king_cutoff")? else { return Ok(None) };
    check_king_cutoff(cutoff)?;
    match arguments.text("relatives").unwrap_or("group") {
        "group" => Ok(Some(Relatives { cutoff, are_excluded: false })),
        "exclude" => Ok(Some(Relatives { cutoff, are_excluded: true })),
        other => Err(Error::option(
            "relatives",
            format!("{} is not a treatment of relatives", quoted(other)),
            "use \"group\" or \"exclude\"",
        )),
    }
}

/// The people and variants of a cohort after the filters: `read_plink()`. Returns `samples` with the columns `FID`,
/// `IID`, `father`, `mother`, `sex` and `phenotype`, and `variants` with `name`, `CHROM`, `POS`, `ID`, `A1` and `A2`.
///
/// # Errors
/// The files cannot be read; an argument has a wrong value.
pub fn people(arguments: &Arguments, run: &Run) -> Result<Answer> {
    let path = arguments.path("path").unwrap_or_default();
    let cohort = choice(arguments)?.open_for_fit(&path, run)?;
    let column = |field: fn(&Sample) -> &String| {
        Value::texts(cohort.samples().iter().map(|sample| field(sample).as_str()))
    };
    let samples = Answer::default()
        .with("FID", column(|sample| &sample.family))
        .with("IID", column(|sample| &sample.id))
        .with("father", column(|sample| &sample.father))
        .with("mother", column(|sample| &sample.mother))
        .with("sex", column(|sample| &sample.sex))
        .with("phenotype", phenotype(cohort.phenotype()));
    let loci = || cohort.loci().iter();
    let variants = Answer::default()
        .with("name", Value::texts(cohort.names().iter().cloned()))
        .with("CHROM", Value::texts(loci().map(|locus| &*locus.chromosome)))
        .with("POS", Value::Numbers(loci().map(|locus| locus.position as f64).collect()))
        .with("ID", Value::texts(loci().map(|locus| locus.id.as_str())))
        .with("A1", Value::texts(loci().map(|locus| locus.counted.as_str())))
        .with("A2", Value::texts(loci().map(|locus| locus.other.as_str())));
    Ok(Answer::default()
        .with("samples", Value::List(samples))
        .with("variants", Value::List(variants))
        .with("target", Value::text(cohort.target()))
        .with_warnings(cohort.warnings()))
}

/// The phenotype of every person: numbers, or texts, in which cases are `case` and others `control`.
fn phenotype(phenotype: &Phenotype) -> Value {
    match phenotype {
        Phenotype::Quantity(numbers) => {
            Value::Numbers(numbers.iter().map(|number| number.unwrap_or(f64::NAN)).collect())
        }
        Phenotype::Classes(classes) => Value::Texts(classes.clone()),
        Phenotype::CaseControl(cases) => {
            let name = |is_case: bool| if is_case { "case" } else { "control" }.to_string();
            Value::Texts(cases.iter().map(|case| case.map(name)).collect())
        }
        Phenotype::Several(parts) => {
            let mut all = Answer::default();
            for (name, own) in parts {
                all = all.with(name, self::phenotype(own));
            }
            Value::List(all)
        }
    }
}
