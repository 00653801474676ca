//! Cohorts (PLINK filesets and VCF files) as the data of a verb: the arguments and their values.

use std::path::{Path, PathBuf};

use basrelief::data::TargetKind;
use basrelief::wording::{quoted, setting};
use basrelief::{Error, Result};
use basrelief_genetics::{
    ChromosomeSet, CohortOptions, CovariateFile, Genome, LdPruning, PHENOTYPE, PhenotypeCoding,
    PhenotypeFile, QualityFilters, Relatives, check_king_cutoff, is_vcf,
};
use basrelief_io::{Format, SPARSE_TARGET};
use basrelief_study::{CohortChoice, FAMILIES};
use clap::builder::{PathBufValueParser, PossibleValuesParser, TypedValueParser, ValueParser};
use clap::{Arg, ArgAction, ArgMatches, value_parser};

use crate::covariates::covariates;
use crate::names::list;

const COHORT: &str = "Cohorts: PLINK filesets (.bed, .pgen, .ped, .tped) or VCF";
const QUALITY: &str = "Quality filters of cohorts, with PLINK's definitions and order";

/// The names of the arguments of [`prefix_args`].
pub(crate) const PREFIXES: [&str; 4] = ["bfile", "pfile", "file", "tfile"];

/// Arguments that name a PLINK fileset by its prefix, as in PLINK 1 and PLINK 2, instead of DATA.
pub(crate) fn prefix_args() -> [Arg; 4] {
    let prefix = |name: &'static str, ending: &'static str, help: &'static str| {
        // All other code works with the name of the file.
        let with_ending = move |path: PathBuf| {
            let mut name = path.into_os_string();
            name.push(ending);
            PathBuf::from(name)
        };
        Arg::new(name)
            .long(name)
            .value_name("PREFIX")
            .value_parser(PathBufValueParser::new().map(with_ending))
            .conflicts_with("data")
            .conflicts_with_all(PREFIXES.into_iter().filter(|other| *other != name))
            .help(help)
            .help_heading(COHORT)
    };
    [
        prefix("bfile", ".bed", "Read PREFIX.bed, PREFIX.bim and PREFIX.fam instead of DATA"),
        prefix("pfile", ".pgen", "Read PREFIX.pgen, PREFIX.pvar and PREFIX.psam instead of DATA"),
        prefix("file", ".ped", "Read PREFIX.ped and PREFIX.map instead of DATA"),
        prefix("tfile", ".tped", "Read PREFIX.tped and PREFIX.tfam instead of DATA"),
    ]
}

/// The arguments about a cohort: its prefix, the choice of people and variants, and the quality filters.
pub(crate) fn cohort_args() -> Vec<Arg> {
    prefix_args().into_iter().chain(choice_args()).chain(quality_args()).collect()
}

/// The quality filters of people and variants.
fn quality_args() -> [Arg; 5] {
    let threshold = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name(value)
            .value_parser(value_parser!(f64))
            .help(help)
            .help_heading(QUALITY)
    };
    [
        threshold(
            "mind",
            "SHARE",
            "First, exclude people with a larger share of missing genotypes",
        ),
        threshold(
            "geno",
            "SHARE",
            "Then exclude variants with a larger share of missing genotypes",
        ),
        threshold(
            "hwe",
            "P",
            "Then exclude variants with a p-value below P in the exact test of Hardy-Weinberg equilibrium (in controls, \
             if the phenotype has cases and controls)",
        ),
        threshold(
            "maf",
            "FREQUENCY",
            "Then exclude variants with a smaller minor allele frequency among founders",
        ),
        Arg::new("ld-prune")
            .long("ld-prune")
            .value_name("WINDOW:STEP:R2")
            .value_parser(ValueParser::new(LdPruning::parse))
            .help(
                "Then prune variants by linkage disequilibrium, as plink --indep-pairwise does: in windows of WINDOW \
                 variants (or kb, as in 250kb:1:0.2) that move by STEP, no two remaining variants have an r2 above R2",
            )
            .help_heading(QUALITY),
    ]
}

/// The treatment of relatives.
pub(crate) fn relative_args() -> [Arg; 2] {
    [
        Arg::new("king-cutoff")
            .long("king-cutoff")
            .value_name("KINSHIP")
            .value_parser(value_parser!(f64))
            .allow_negative_numbers(true)
            .help(
                "People with a larger kinship coefficient (KING-robust), and chains of such people, are a group of \
                 relatives, which is treated as a --group; 0.0884 stands for relatives of the second degree",
            ),
        Arg::new("relatives")
            .long("relatives")
            .value_name("TREATMENT")
            .value_parser(PossibleValuesParser::new(["group", EXCLUDE]))
            .requires("king-cutoff")
            .help(
                "What becomes of relatives: they are a group, or people are excluded until no relatives remain, as \
                 plink2 --king-cutoff does [default: group]",
            ),
    ]
    .map(|arg| arg.help_heading(COHORT))
}

/// The value of `--relatives` that excludes relatives.
const EXCLUDE: &str = "exclude";

/// The treatment of relatives that the arguments specify.
///
/// # Errors
/// The cutoff is out of range.
pub(crate) fn relatives(matches: &ArgMatches) -> Result<Option<Relatives>> {
    let Some(&cutoff) = matches.try_get_one("king-cutoff").ok().flatten() else { return Ok(None) };
    check_king_cutoff(cutoff)?;
    let are_excluded = text(matches, "relatives").is_some_and(|treatment| treatment == EXCLUDE);
    Ok(Some(Relatives { cutoff, are_excluded }))
}

/// The choice of people, variants and phenotypes of a cohort.
fn choice_args() -> [Arg; 10] {
    let file = |name: &'static str, flag: &'static str, help: &'static str| {
        Arg::new(name).long(flag).value_name("FILE").value_parser(value_parser!(PathBuf)).help(help)
    };
    [
        file(
            "pheno",
            "pheno",
            "Phenotypes: lines of FID, IID and values; for a VCF, both IDs are the sample's name [default: the last column \
             of the .fam file, the sixth of the .ped file, or the phenotype of the .psam file]. For a table, a table of the \
             samples' properties; the first columns of both contain the names of the samples",
        ),
        Arg::new("pheno-name")
            .long("pheno-name")
            .value_name("NAME[,...]")
            .help(
                "The phenotype, or several: columns of --pheno or of the .psam file, as its first line names them",
            ),
        Arg::new("one-is-case")
            .long("1")
            .action(ArgAction::SetTrue)
            .help("Phenotypes are 0 for controls and 1 for cases, instead of 1 and 2"),
        file("keep-people", "keep", "People to keep: lines of FID and IID"),
        file("remove-people", "remove", "People to exclude: lines of FID and IID"),
        file("extract", "extract", "Variants to keep: their IDs"),
        file("exclude", "exclude", "Variants to exclude: their IDs"),
        Arg::new("chr")
            .long("chr")
            .value_name("CHROMOSOMES")
            .value_parser(ValueParser::new(ChromosomeSet::parse))
            .help("Chromosomes to keep, as in 1-4,22,X [default: all except X, Y, XY and MT]"),
        Arg::new("chr-set")
            .long("chr-set")
            .visible_alias("autosome-num")
            .value_name("N")
            .allow_negative_numbers(true)
            .value_parser(ValueParser::new(Genome::parse))
            .help("Number of autosomes of the species; X, Y, XY and MT have the next numbers [default: 22]"),
        Arg::new("all-chromosomes")
            .long("all-chromosomes")
            .action(ArgAction::SetTrue)
            .conflicts_with("chr")
            .help("Keep X, Y, XY and MT too"),
    ]
    .map(|arg| arg.help_heading(COHORT))
}

/// The data that a verb reads.
pub(crate) fn data_path(matches: &ArgMatches) -> Option<&Path> {
    ["data"].into_iter().chain(PREFIXES).find_map(|name| file(matches, name))
}

/// The file of properties of the samples of a table.
pub(crate) fn phenotypes_of_table(matches: &ArgMatches) -> Option<PathBuf> {
    file(matches, "pheno").filter(|_| !is_cohort(matches)).map(Path::to_path_buf)
}

/// The part of a cohort to read; `None` if the data are a table.
///
/// # Errors
/// An option that applies only to tables if the data are a cohort, or only to cohorts if the data are a table.
pub(crate) fn choice(matches: &ArgMatches) -> Result<Option<CohortChoice>> {
    let is_cohort = is_cohort(matches);
    let others = if is_cohort { FOR_TABLES } else { FOR_COHORTS };
    if let Some((name, option)) = others.iter().find(|(name, _)| is_given(matches, name)) {
        let of_table = format!("name the columns with {}", setting("target", None));
        let covariates = format!(
            "name columns with {}, also of {}, or omit it",
            setting("covar_name", None),
            setting("pheno", None)
        );
        let (problem, help) = match (is_cohort, *name) {
            (true, _) => ("it applies only to tables, but the data are a cohort", "omit it"),
            (false, "pheno-name") => ("it applies only to cohorts", of_table.as_str()),
            (false, "covar") => ("it applies only to cohorts", covariates.as_str()),
            (false, _) => (
                "it applies only to cohorts",
                "give a .bed, .pgen, .ped or .tped file or a VCF as the data, or omit it",
            ),
        };
        return Err(Error::option(*option, problem, help));
    }
    if !is_cohort {
        return Ok(None);
    }
    let own = |name: &str| file(matches, name).map(Path::to_path_buf);
    let name = text(matches, "time").or_else(|| text(matches, "pheno-name"));
    let (phenotype, phenotype_name) = match own("pheno") {
        Some(path) => (Some(PhenotypeFile { path, name }), None),
        None => (None, name),
    };
    let switch = |name: &str| matches.try_get_one(name).ok().flatten() == Some(&true);
    let kind = text(matches, "target-type");
    let column = |name: &str| matches.try_get_one::<String>(name).ok().flatten().cloned();
    let group = column("group").filter(|name| name != FAMILIES);
    let others = ["within", "row-weight", "event"].into_iter().filter_map(column);
    let roles: Vec<String> = others.chain(group).collect();
    let coding = PhenotypeCoding {
        kind: TargetKind::from_text(kind.as_deref().unwrap_or("auto"), TargetKind::Auto)?,
        one_is_case: switch("one-is-case"),
        missing: list(matches, "na")?,
    };
    let options = CohortOptions {
        phenotype,
        covariates: covariates(matches)?.and_then(|own| own.cohort_file(&roles)).or_else(|| {
            // The events may stand beside the times.
            let event = column("event")?;
            Some(CovariateFile { path: own("pheno")?, names: vec![event] })
        }),
        phenotype_name,
        keep: own("keep-people"),
        remove: own("remove-people"),
        extract: own("extract"),
        exclude: own("exclude"),
        chromosomes: matches.try_get_one("chr").ok().flatten().cloned(),
        all_chromosomes: switch("all-chromosomes"),
        genome: matches.try_get_one("chr-set").ok().flatten().copied().unwrap_or_default(),
        coding,
    };
    let number = |name: &str| matches.try_get_one::<f64>(name).ok().flatten().copied();
    let filters = QualityFilters {
        mind: number("mind"),
        geno: number("geno"),
        hwe: number("hwe"),
        maf: number("maf"),
        ld_prune: matches.try_get_one("ld-prune").ok().flatten().copied(),
    };
    Ok(Some(CohortChoice { options, filters, relatives: relatives(matches)? }))
}

/// The target column: the phenotype of a cohort, or the column of a table that the arguments name, if any.
///
/// # Errors
/// The arguments name another target than the phenotype of a cohort.
pub(crate) fn target(matches: &ArgMatches) -> Result<Option<&str>> {
    let of = |name: &str| matches.try_get_one::<String>(name).ok().flatten().map(String::as_str);
    if let Some(time) = of("time") {
        return Ok(Some(time));
    }
    let named = of("target");
    if !is_cohort(matches) {
        return Ok(named.or_else(|| has_own_target(matches).then_some(SPARSE_TARGET)));
    }
    let name = matches.try_get_one::<String>("pheno-name").ok().flatten();
    let name = name.map_or(PHENOTYPE, String::as_str);
    match named {
        Some(other) if other != name => Err(Error::option(
            "target",
            format!("the target of a cohort is its phenotype, here {}", quoted(name)),
            format!(
                "omit it, choose a phenotype with {}, or name a file of phenotypes with {}",
                setting("pheno_name", None),
                setting("pheno", None)
            ),
        )),
        _ => Ok(Some(name)),
    }
}

/// Whether the data are a sparse table with a target that is not one of its columns.
fn has_own_target(matches: &ArgMatches) -> bool {
    let format = matches.try_get_one::<String>("input-format").ok().flatten();
    let is_libsvm = match format {
        Some(name) => name == "libsvm",
        None => data_path(matches)
            .is_some_and(|path| matches!(Format::from_path(path), Ok(Format::Libsvm))),
    };
    is_libsvm || is_given(matches, "target-file")
}

/// The target column, for verbs that require one.
///
/// # Errors
/// The arguments name no column of a table, or no file of phenotypes for a VCF.
pub(crate) fn required_target(matches: &ArgMatches) -> Result<&str> {
    let missing = || {
        Error::option(
            "target",
            "it is not given",
            "name the column to explain (a .bed, .pgen, .ped or .tped file needs none)",
        )
    };
    let target = target(matches)?.ok_or_else(missing)?;
    // This is checked before the genotypes are read, which may take long.
    if !is_given(matches, "pheno") && data_path(matches).is_some_and(is_vcf) {
        return Err(Error::option(
            "pheno",
            "it is not given, and a VCF contains no phenotypes",
            "name a file with lines of FID, IID and a number, where FID and IID are both the sample's name",
        ));
    }
    Ok(target)
}

/// Whether an option is on the command line. Not every verb has every option.
fn is_given(matches: &ArgMatches, name: &str) -> bool {
    matches.ids().any(|id| id == name)
        && matches.value_source(name) == Some(clap::parser::ValueSource::CommandLine)
}

/// Whether the data are a cohort: a PLINK fileset or a VCF.
pub(crate) fn is_cohort(matches: &ArgMatches) -> bool {
    data_path(matches).is_some_and(basrelief_genetics::is_cohort)
}

/// The arguments about the format of a table, with the names of their options in messages.
const FOR_TABLES: &[(&str, &str)] = &[
    ("coerce", "coerce"),
    ("delimiter", "delimiter"),
    ("input-format", "input_format"),
    ("no-header", "no_header"),
    ("transpose", "transpose"),
    ("sheet", "sheet"),
    ("names", "names"),
    ("target-file", "target_file"),
];

/// The arguments about cohorts, with the names of their options in messages.
const FOR_COHORTS: &[(&str, &str)] = &[
    ("pheno-name", "pheno_name"),
    ("covar", "covar"),
    ("keep-people", "keep_people"),
    ("remove-people", "remove_people"),
    ("extract", "extract"),
    ("exclude", "exclude"),
    ("chr", "chr"),
    ("chr-set", "chr_set"),
    ("one-is-case", "one_is_case"),
    ("all-chromosomes", "all_chromosomes"),
    ("mind", "mind"),
    ("geno", "geno"),
    ("hwe", "hwe"),
    ("maf", "maf"),
    ("ld-prune", "ld_prune"),
    ("king-cutoff", "king_cutoff"),
];

fn file<'m>(matches: &'m ArgMatches, name: &str) -> Option<&'m Path> {
    matches.try_get_one::<PathBuf>(name).ok().flatten().map(PathBuf::as_path)
}

fn text(matches: &ArgMatches, name: &str) -> Option<String> {
    matches.try_get_one::<String>(name).ok().flatten().cloned()
}
