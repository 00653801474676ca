//! A cohort: its files, the people and variants selected from them, and the table and target built from these.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use basrelief::data::{
    Categories, Column, ColumnKind, ColumnRole, CompactNumbers, FAMILY_ID, KindOverrides, Locus,
    PackedGenotypes, RawColumn, RawTable, RawValues, Table, Target, TargetKind,
    build_problem_parts, build_table, repeated_rows,
};
use basrelief::wording::setting;
use basrelief::{DataError, Error, Result, Run, Warning};

use crate::metadata::chromosomes::{ChromosomeSet, Genome, number_of};
use crate::metadata::covariates::{self, Covariate, CovariateFile};
use crate::metadata::lines::name_of;
use crate::metadata::lists::{listed_people, listed_variants};
use crate::metadata::people::{Sample, check_any, read_ped_people, read_people};
use crate::metadata::phenotype::{self, CASE, CONTROL, FoundPhenotype, Phenotype, PhenotypeCoding};
use crate::metadata::variants::{Variant, check_names, names_of, read_map, read_variants};
use crate::ped::{Groups, TextGenotypes, is_ped, is_tped, read_ped, read_tped};
use crate::plink::bed::Bed;
use crate::plink::fileset::{beside, text_beside, variants_beside};
use crate::plink::is_bed;
use crate::plink2::{Asked, Index, Pgen, Psam, PsamPhenotype, Pvar, is_pgen, read_psam, read_pvar};
use crate::stored::Stored;
use crate::vcf::{VcfReader, VcfRecords, is_vcf};
use basrelief_io::Source;

/// Whether a file has the genotypes of a cohort, by its name: `.bed`, `.pgen`, `.ped` or `.tped` (also compressed:
/// `.ped.gz`, `.tped.gz`), or a VCF.
///
/// # Examples
/// ```
/// use std::path::Path;
///
/// assert!(basrelief_genetics::is_cohort(Path::new("cohort.tped")));
/// assert!(!basrelief_genetics::is_cohort(Path::new("cohort.csv")));
/// ```
pub fn is_cohort(path: &Path) -> bool {
    is_bed(path) || is_pgen(path) || is_ped(path) || is_tped(path) || is_vcf(path)
}

/// The default name of the target.
pub const PHENOTYPE: &str = "phenotype";

/// A phenotype file, which replaces the phenotypes of the `.fam` file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhenotypeFile {
    /// The file, with lines of FID, IID and phenotypes.
    pub path: PathBuf,
    /// The column, if the header line of the file names several.
    pub name: Option<String>,
}

/// The people, variants, phenotypes and covariates to read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CohortOptions {
    /// A separate phenotype file.
    pub phenotype: Option<PhenotypeFile>,
    /// Without a phenotype file, the name of the phenotype in the `.psam` file. Not needed if the `.psam` file has only
    /// one phenotype.
    pub phenotype_name: Option<String>,
    /// The coding of phenotypes, and the texts that are missing values in phenotypes and covariates.
    pub coding: PhenotypeCoding,
    /// The numbering of the chromosomes.
    pub genome: Genome,
    /// Covariates.
    pub covariates: Option<CovariateFile>,
    /// A file of the people to keep, by FID and IID.
    pub keep: Option<PathBuf>,
    /// A file of the people to exclude.
    pub remove: Option<PathBuf>,
    /// A file of the IDs of the variants to keep.
    pub extract: Option<PathBuf>,
    /// A file of the IDs of the variants to exclude.
    pub exclude: Option<PathBuf>,
    /// The chromosomes to keep.
    pub chromosomes: Option<ChromosomeSet>,
    /// Whether to keep X, Y, XY and MT if `chromosomes` is not given.
    pub all_chromosomes: bool,
}

impl CohortOptions {
    /// All files that are read for a cohort, given the file of its genotypes.
    pub fn files(&self, data: &Path) -> Vec<PathBuf> {
        let beside = match data {
            _ if is_vcf(data) => Vec::new(),
            _ if is_ped(data) => vec![text_beside(data, "map")],
            _ if is_tped(data) => vec![text_beside(data, "tfam")],
            _ if is_pgen(data) => vec![beside(data, "psam"), variants_beside(data)],
            _ => ["fam", "bim"].map(|ending| beside(data, ending)).into(),
        };
        let lists = [&self.keep, &self.remove, &self.extract, &self.exclude].into_iter().flatten();
        let phenotypes = self.phenotype.iter().map(|phenotype| &phenotype.path);
        let covariates = self.covariates.iter().map(|covariates| &covariates.path);
        let all = [data.to_path_buf()].into_iter().chain(beside);
        all.chain(lists.chain(phenotypes).chain(covariates).cloned()).collect()
    }

    /// Refuses the name of a phenotype if there is only one, and contradictory declarations.
    ///
    /// # Errors
    /// A phenotype is named, but there is neither a phenotype file nor a `.psam` file; the errors of
    /// [`PhenotypeCoding::check`].
    fn check_phenotype(&self, data: &Path) -> Result<()> {
        self.coding.check()?;
        if self.phenotype_name.is_none() || (self.phenotype.is_none() && is_pgen(data)) {
            return Ok(());
        }
        Err(Error::option(
            "pheno_name",
            "it selects one of several phenotypes, but there is no phenotype file",
            format!("name the file with {}", setting("pheno", None)),
        ))
    }
}

/// The data of a fit, for the people whose phenotype is known.
#[derive(Debug)]
pub struct CohortProblem {
    /// A column per variant.
    pub table: Table<'static>,
    /// The phenotype, or several.
    pub target: Target,
    /// The name of the target.
    pub target_name: String,
    /// The names of the phenotypes.
    pub target_columns: Vec<String>,
    /// A column per covariate, with the same rows as `table`; `None` without a covariate file.
    pub covariates: Option<Table<'static>>,
    /// The name of each person, for messages.
    pub people: Vec<String>,
    /// The family ID of each person; people without a family (FID 0, or equal to the IID) have a value of their own.
    pub families: Column<'static>,
    /// Warnings about excluded people and variants, and about list entries that are not in the cohort.
    pub warnings: Vec<Warning>,
}

/// The selected people and variants of a cohort, and the file of their genotypes.
#[derive(Debug, Clone)]
pub struct Cohort {
    /// The file of the genotypes.
    data: PathBuf,
    form: Form,
    genome: Genome,
    /// The numbers of people and variants in the files.
    of_files: (usize, usize),
    /// The file that contains the phenotypes, and the name of the target.
    source: PathBuf,
    target: String,
    people: Vec<u32>,
    samples: Vec<Sample>,
    phenotype: Phenotype,
    /// The reason why no phenotype could be read, although the files contain phenotypes.
    obstacle: Option<DataError>,
    covariates: Vec<Covariate>,
    variants: Vec<u32>,
    loci: Vec<Locus>,
    names: Vec<String>,
    warnings: Vec<Warning>,
    exclusions: Vec<Exclusion>,
}

/// The people or variants that a quality filter excluded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exclusion {
    /// The name of the filter's option, for example `maf`.
    pub option: &'static str,
    /// The threshold.
    pub value: String,
    /// `people` or `variants`.
    pub unit: &'static str,
    /// The number that was filtered.
    pub all: usize,
    /// The number that was excluded.
    pub excluded: usize,
}

/// The format of the genotype file, and data that is read when it is opened.
#[derive(Debug, Clone)]
enum Form {
    Bed,
    /// Whether the `.psam` file has a phenotype.
    Pgen(Arc<Index>, bool),
    /// The genotypes.
    Vcf(Arc<Stored>),
    /// The genotypes of a `.ped` or a `.tped` file.
    Text(Arc<Stored>),
}

impl Cohort {
    /// Reads the `.fam` and the `.bim` file of a `.bed` file, or the `.psam` and the `.pvar` file of a `.pgen` file
    /// ([`is_pgen`]), and selects people and variants; genotypes are read on demand. A VCF ([`is_vcf`]), a `.ped` file
    /// with its `.map` file ([`is_ped`]) and a `.tped` file with its `.tfam` file ([`is_tped`]) are read completely, and
    /// their genotypes are stored packed.
    ///
    /// # Errors
    /// A file cannot be read or is damaged; the files do not belong together; a person or a variant occurs twice; no
    /// person or no variant is selected.
    pub fn open(data: &Path, options: &CohortOptions, run: &Run) -> Result<Self> {
        // A pipe can be read only once. A missing file is reported when it is opened.
        if std::fs::metadata(data).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
            let help = match data {
                _ if is_vcf(data) => "name a file",
                _ if is_pgen(data) => "name a file, with .pvar and .psam next to it",
                _ if is_ped(data) => "name a file, with .map next to it",
                _ if is_tped(data) => "name a file, with .tfam next to it",
                _ => "name a file, with .bim and .fam next to it",
            };
            return Err(Error::File {
                path: data.to_path_buf(),
                action: "read it as a cohort".to_string(),
                cause: "it is a pipe or a device, not a file".into(),
                help: help.into(),
            });
        }
        // A missing genotype file is the more helpful error, so it is reported first.
        let source = Source::open(data, run)?;
        options.check_phenotype(data)?;
        if is_vcf(data) {
            Self::open_vcf(&source, options)
        } else if is_pgen(data) {
            Self::open_plink2(source, options)
        } else if is_ped(data) {
            Self::open_ped(&source, options)
        } else if is_tped(data) {
            Self::open_tped(&source, options)
        } else {
            Self::open_plink(data, options, run)
        }
    }

    /// Reads a PLINK 1 fileset.
    ///
    /// # Errors
    /// The errors of [`open`](Self::open).
    fn open_plink(bed: &Path, options: &CohortOptions, run: &Run) -> Result<Self> {
        let (fam, bim) = (beside(bed, "fam"), beside(bed, "bim"));
        let all_people = read_people(&fam, run)?;
        let all_variants = read_variants(&bim, run)?;
        Bed::open(bed, (&fam, all_people.len()), (&bim, all_variants.len()), run)?;
        People::choose(&fam, all_people, OwnPhenotype::Unnamed, options, run)?
            .with_variants((&bim, all_variants), options, run)
            .map(|cohort| Self { data: bed.to_path_buf(), ..cohort })
    }

    /// Reads the `.psam` and `.pvar` files of PLINK 2, and the index of the `.pgen` file.
    ///
    /// # Errors
    /// The errors of [`open`](Self::open).
    fn open_plink2(source: Source<'_>, options: &CohortOptions) -> Result<Self> {
        let (data, run) = (source.path().to_path_buf(), source.run());
        let (psam, pvar) = (beside(&data, "psam"), variants_beside(&data));
        let Psam { people: all_people, texts, phenotype } =
            read_psam(&psam, options.phenotype_name.as_deref(), run)?;
        let has_phenotype = phenotype != PsamPhenotype::None;
        let own = OwnPhenotype::of_psam(phenotype, texts);
        let Pvar { variants, are_kept, warnings } = read_pvar(&pvar, run)?;
        let asked = Asked { people: (&psam, all_people.len()), variants: (&pvar, &are_kept) };
        let (index, more) = Index::read(&source, &asked)?;
        let mut people = People::choose(&psam, all_people, own, options, run)?;
        people.warnings.extend(warnings.into_iter().chain(more));
        let form = Form::Pgen(Arc::new(index), has_phenotype);
        people.with_variants((&pvar, variants), options, run).map(|cohort| Self {
            data,
            form,
            ..cohort
        })
    }

    /// Reads a VCF: people, phenotypes and covariates first, because the genotypes take longest.
    ///
    /// # Errors
    /// The errors of [`open`](Self::open).
    fn open_vcf(source: &Source<'_>, options: &CohortOptions) -> Result<Self> {
        let (path, run) = (source.path(), source.run());
        let reader = VcfReader::open(source, options.genome)?;
        let own = OwnPhenotype::Unnamed;
        let mut people = People::choose(path, reader.people(), own, options, run)?;
        let VcfRecords { variants, genotypes, warnings } = reader.records()?;
        people.warnings.extend(warnings);
        people
            .with_variants((path, variants), options, run)
            .map(|cohort| Self { form: Form::Vcf(Arc::new(genotypes)), ..cohort })
    }

    /// Reads a `.ped` file and its `.map` file: people, phenotypes and covariates first, because the genotypes take
    /// longest.
    ///
    /// # Errors
    /// The errors of [`open`](Self::open).
    fn open_ped(source: &Source<'_>, options: &CohortOptions) -> Result<Self> {
        let (data, run) = (source.path(), source.run());
        let map = text_beside(data, "map");
        let content =
            "a .ped file needs a .map file next to it, with CHROM, ID, CM and POS of every variant";
        check_there(&map, content)?;
        let all_people = read_ped_people(source)?;
        let all_variants = read_map(&map, run)?;
        let groups = Groups::new(&all_people);
        let people = People::choose(data, all_people, OwnPhenotype::Unnamed, options, run)?;
        let genotypes = read_ped(source, &groups, (&map, all_variants), options.genome)?;
        people.with_text(data, (&map, genotypes), options, run)
    }

    /// Reads a `.tped` file and its `.tfam` file.
    ///
    /// # Errors
    /// The errors of [`open`](Self::open).
    fn open_tped(source: &Source<'_>, options: &CohortOptions) -> Result<Self> {
        let (data, run) = (source.path(), source.run());
        let tfam = text_beside(data, "tfam");
        let content = "a .tped file needs a .tfam file next to it, with the people, in the format of a .fam file";
        check_there(&tfam, content)?;
        let all_people = read_people(&tfam, run)?;
        check_any(&all_people, &tfam)?;
        let groups = Groups::new(&all_people);
        let people = People::choose(&tfam, all_people, OwnPhenotype::Unnamed, options, run)?;
        let genotypes = read_tped(source, &groups, &tfam, options.genome)?;
        people.with_text(data, (data, genotypes), options, run)
    }

    /// The selected people.
    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }

    /// The phenotypes of the selected people.
    pub fn phenotype(&self) -> &Phenotype {
        &self.phenotype
    }

    /// The phenotypes of the selected people, one by one with their names.
    pub fn phenotypes(&self) -> Vec<(&str, &Phenotype)> {
        self.phenotype.parts(&self.target)
    }

    /// The selected variants.
    pub fn loci(&self) -> &[Locus] {
        &self.loci
    }

    /// The unique names of the variants: their IDs, or `CHROM:POS:A1:A2` if the ID is missing (`.`) or not unique.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The name of the target.
    pub fn target(&self) -> &str {
        &self.target
    }

    /// The numbering of the chromosomes.
    pub fn genome(&self) -> Genome {
        self.genome
    }

    /// Warnings about excluded people and variants, and about list entries that are not in the cohort.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Reads the genotypes of some of the selected people and variants, given by their indices in any order: the number
    /// of copies of A1, one column per variant.
    ///
    /// # Errors
    /// The file cannot be read, or has changed; memory and disk are too small for the genotypes;
    /// [`basrelief::Error::Cancelled`].
    ///
    /// # Panics
    /// An index is out of range.
    pub fn genotypes(
        &self,
        people: &[u32],
        variants: &[u32],
        run: &Run,
    ) -> Result<Vec<PackedGenotypes>> {
        let bed = self.open_bed(run)?;
        let of = |all: &[u32], chosen: &[u32]| -> Vec<u32> {
            chosen.iter().map(|&place| all[place as usize]).collect()
        };
        bed.read(&of(&self.people, people), &of(&self.variants, variants))
    }

    /// Opens the genotype file again.
    ///
    /// # Errors
    /// The file cannot be read, or has changed.
    pub(crate) fn open_bed<'r>(&self, run: &'r Run) -> Result<Bed<'r>> {
        let (people, variants) = self.of_files;
        match &self.form {
            Form::Bed => {
                let (fam, bim) = (beside(&self.data, "fam"), beside(&self.data, "bim"));
                Bed::open(&self.data, (&fam, people), (&bim, variants), run)
            }
            Form::Pgen(index, _) => {
                let pgen = Pgen::new(Source::open(&self.data, run)?, index)?;
                Ok(Bed::of_pgen(pgen, people, run))
            }
            Form::Vcf(stored) | Form::Text(stored) => Ok(Bed::of_stored(stored, people, run)),
        }
    }

    /// The file that lists the variants: the `.bim`, `.pvar`, `.map` or `.tped` file, or the VCF.
    pub(crate) fn variants_file(&self) -> PathBuf {
        match &self.form {
            Form::Bed => beside(&self.data, "bim"),
            Form::Pgen(..) => variants_beside(&self.data),
            Form::Text(_) if is_ped(&self.data) => text_beside(&self.data, "map"),
            Form::Vcf(_) | Form::Text(_) => self.data.clone(),
        }
    }

    /// The reason why all phenotypes are missing, if the files of the cohort contain none and no phenotype file is
    /// given.
    fn lacks_phenotypes(&self) -> Option<&'static str> {
        let is_own = |file: &Path| self.source == file;
        match &self.form {
            Form::Vcf(_) if is_own(&self.data) => Some("a VCF contains no phenotypes"),
            Form::Pgen(_, false) if is_own(&beside(&self.data, "psam")) => {
                Some("it has no phenotype column")
            }
            _ => None,
        }
    }

    /// Whether the people have family IDs: always in a `.fam`, `.tfam` or `.ped` file, never in a VCF, and in a `.psam`
    /// file if any selected person has one other than 0.
    pub(crate) fn has_families(&self) -> bool {
        match &self.form {
            Form::Bed | Form::Text(_) => true,
            Form::Pgen(..) => self.samples.iter().any(|person| person.family != "0"),
            Form::Vcf(_) => false,
        }
    }

    /// The number of people in the genotype file, selected or not.
    pub(crate) fn people_in_file(&self) -> usize {
        self.of_files.0
    }

    /// The indices of the selected people in the files, ascending.
    pub(crate) fn people_of_file(&self) -> &[u32] {
        &self.people
    }

    /// The indices of the selected variants in the files, ascending.
    pub(crate) fn variants_of_file(&self) -> &[u32] {
        &self.variants
    }

    /// Keeps only some of the people.
    pub(crate) fn with_people(mut self, are_chosen: &[bool]) -> Self {
        let chosen = places(are_chosen);
        self.phenotype = self.phenotype.of_people(&chosen);
        self.covariates = of_people(&self.covariates, &chosen);
        self.people = picked(self.people, &chosen);
        self.samples = picked(self.samples, &chosen);
        self
    }

    /// Keeps only the people that another selection from the same files contains.
    #[must_use]
    pub fn with_people_of(self, other: &Self) -> Self {
        let places: HashSet<u32> = other.people.iter().copied().collect();
        let is_there: Vec<bool> = self.people.iter().map(|place| places.contains(place)).collect();
        self.with_people(&is_there)
    }

    /// Keeps only some of the variants.
    pub(crate) fn with_variants(mut self, are_chosen: &[bool]) -> Self {
        let chosen = places(are_chosen);
        self.variants = picked(self.variants, &chosen);
        self.loci = picked(self.loci, &chosen);
        self.names = picked(self.names, &chosen);
        self
    }

    /// The people and variants that quality filters excluded, in the order of the filters.
    pub fn exclusions(&self) -> &[Exclusion] {
        &self.exclusions
    }

    /// Records the result of a quality filter.
    pub(crate) fn with_exclusion(mut self, exclusion: Exclusion) -> Self {
        self.exclusions.push(exclusion);
        self
    }

    /// Adds a warning.
    pub(crate) fn with_warning(mut self, warning: Warning) -> Self {
        self.warnings.push(warning);
        self
    }

    /// Excludes the people whose phenotype is missing; a warning counts them.
    ///
    /// # Errors
    /// No phenotype is known or could be read, or there are no cases.
    pub fn with_known_phenotypes(mut self) -> Result<Self> {
        if let Some(obstacle) = self.obstacle {
            return Err(obstacle.into());
        }
        let is_known = self.phenotype.is_known();
        let known = places(&is_known);
        let all = self.people.len();
        if let (true, Some(problem)) = (known.is_empty(), self.lacks_phenotypes()) {
            let ids = match &self.form {
                Form::Vcf(_) => ", where FID and IID are the sample's name",
                _ => "",
            };
            let help = format!(
                "give a phenotype file with {}, with lines of FID, IID and a number{ids}",
                setting("pheno", None)
            );
            return Err(DataError::new(problem, help).in_file(&self.source).into());
        }
        if known.is_empty() {
            let problem = format!(
                "the phenotype of all {all} people is missing (-9, NA, or 0 for cases and controls)"
            );
            let help = format!("give a phenotype file with {}", setting("pheno", None));
            return Err(DataError::new(problem, help).in_file(&self.source).into());
        }
        let phenotype = self.phenotype.of_people(&known);
        let lacks_cases = |(_, own): &(&str, &Phenotype)| match own {
            Phenotype::CaseControl(cases) => !cases.contains(&Some(true)),
            _ => false,
        };
        if let Some((name, _)) = phenotype.parts(&self.target).into_iter().find(lacks_cases) {
            let help = format!(
                "write 1 for a control and 2 for a case, where 0 is missing; {} reads 0 as control and 1 as case",
                setting("one_is_case", None)
            );
            let mut error = DataError::new("there are no cases", help).in_file(&self.source);
            if matches!(phenotype, Phenotype::Several(_)) {
                error = error.in_column(name);
            }
            return Err(error.into());
        }
        if known.len() < all {
            let left_out = all - known.len();
            self.warnings.push(Warning::new(
                "rows-left-out",
                format!("{left_out} of {all} people have no phenotype and were excluded"),
            ));
        }
        Ok(self.with_people(&is_known))
    }

    /// Returns features, target and covariates of the people whose phenotype is known. A quantitative phenotype is a
    /// numeric target unless `kind` specifies classes.
    ///
    /// # Errors
    /// The errors of [`with_known_phenotypes`](Self::with_known_phenotypes), [`genotypes`](Self::genotypes) and
    /// [`build_problem_parts`].
    pub fn problem(
        self,
        kind: TargetKind,
        overrides: &KindOverrides,
        drop: &[String],
        run: &Run,
    ) -> Result<CohortProblem> {
        let known = self.with_known_phenotypes()?;
        let kind = match (&known.phenotype, kind) {
            (Phenotype::Quantity(_), TargetKind::Auto | TargetKind::PreferClasses) => {
                TargetKind::PreferReal
            }
            _ => kind,
        };
        let mut columns = known.raw_columns(&known.all_people(), &known.all_variants(), run)?;
        let phenotypes = known.phenotypes();
        columns.extend(phenotypes.iter().map(|(name, own)| target_column(name, own)));
        let target_columns = phenotypes.iter().map(|(name, _)| name.to_string()).collect();
        let raw = RawTable { source: Some(known.data.clone()), columns, ..RawTable::default() };
        let covariates = known.covariate_table(overrides)?;
        // Kinds may also be specified for covariates, which are not columns of the table.
        let names: Vec<&str> = known.covariates.iter().map(Covariate::name).collect();
        let overrides = overrides.clone().without(&names);
        let (table, target, more) =
            build_problem_parts(raw, &known.target, kind, &overrides, drop)?;
        let mut warnings = known.warnings.clone();
        warnings.extend(more);
        let families = known.families(&known.all_people());
        warnings.extend(repeated_rows([(&families, ColumnRole::Other)], &target));
        let people = known.samples.iter().map(Sample::named).collect();
        let families = known.separate_families();
        let target_name = known.target.clone();
        let table = known.located(table)?;
        Ok(CohortProblem {
            table,
            target,
            target_name,
            target_columns,
            covariates,
            people,
            families,
            warnings,
        })
    }

    /// The family IDs, with a value of its own for every person without a family.
    fn separate_families(&self) -> Column<'static> {
        let name = |sample: &Sample| match sample.has_family() {
            true => format!("family {}", sample.family),
            false => format!("person {} {}", sample.family, sample.id),
        };
        let names: Vec<String> = self.samples.iter().map(name).collect();
        let names = names.iter().map(|name| Some(name.as_str()));
        Column::categorical(FAMILY_ID, Categories::from_texts(names))
    }

    /// Returns the features of all selected people.
    ///
    /// # Errors
    /// The errors of [`genotypes`](Self::genotypes) and [`build_table`].
    pub fn features(
        self,
        overrides: &KindOverrides,
        drop: &[String],
        run: &Run,
    ) -> Result<(Table<'static>, Vec<Warning>)> {
        let columns = self.raw_columns(&self.all_people(), &self.all_variants(), run)?;
        let raw = RawTable { source: Some(self.data.clone()), columns, ..RawTable::default() };
        let (table, more) = build_table(raw, overrides, drop)?;
        let mut warnings = self.warnings.clone();
        warnings.extend(more);
        Ok((self.located(table)?, warnings))
    }

    /// Returns the columns with these names for all selected people; the target and covariates may be among them.
    ///
    /// # Errors
    /// The errors of [`genotypes`](Self::genotypes).
    pub fn columns(self, names: &HashSet<&str>, run: &Run) -> Result<Table<'static>> {
        let is_named: Vec<bool> =
            self.names.iter().map(|name| names.contains(name.as_str())).collect();
        let mut columns = self.raw_columns(&self.all_people(), &places(&is_named), run)?;
        let named = self.phenotypes().into_iter().filter(|(name, _)| names.contains(name));
        columns.extend(named.map(|(name, own)| target_column(name, own)));
        let columns = columns.into_iter().map(|column| column.into_feature(None));
        let mut columns = columns.collect::<Result<Vec<_>>>()?;
        for covariate in &self.covariates {
            if names.contains(covariate.name())
                && !self.names.iter().any(|name| name == covariate.name())
            {
                columns.push(covariate.column(&KindOverrides::default())?);
            }
        }
        self.located(Table::new(columns)?)
    }

    /// Returns the covariates of all selected people, if there are any; missing values remain missing. A kind that
    /// `kinds` specifies for a covariate overrides the inferred one.
    ///
    /// # Errors
    /// The errors of [`build_table`].
    pub fn covariate_table(&self, kinds: &KindOverrides) -> Result<Option<Table<'static>>> {
        if self.covariates.is_empty() {
            return Ok(None);
        }
        let columns = self.covariates.iter().map(|covariate| covariate.column(kinds));
        Table::new(columns.collect::<Result<_>>()?).map(Some)
    }

    /// The family IDs of some people. People of the same family are not independent.
    ///
    /// # Panics
    /// An index is out of range.
    pub fn families(&self, people: &[u32]) -> Column<'static> {
        let family = |&person: &u32| Some(self.samples[person as usize].family.as_str());
        Column::categorical(FAMILY_ID, Categories::from_texts(people.iter().map(family)))
    }

    fn all_people(&self) -> Vec<u32> {
        (0..self.people.len() as u32).collect()
    }

    fn all_variants(&self) -> Vec<u32> {
        (0..self.variants.len() as u32).collect()
    }

    fn raw_columns(&self, people: &[u32], variants: &[u32], run: &Run) -> Result<Vec<RawColumn>> {
        let column = |(&variant, genotypes): (&u32, PackedGenotypes)| {
            let values = RawValues::Numbers(CompactNumbers::from(genotypes));
            RawColumn::new(&self.names[variant as usize], values, Some(ColumnKind::Genotype))
        };
        let genotypes = self.genotypes(people, variants, run)?;
        Ok(variants.iter().zip(genotypes).map(column).collect())
    }

    /// Adds the locus of its variant to every column of a table.
    fn located(self, table: Table<'static>) -> Result<Table<'static>> {
        let mut loci: HashMap<String, Locus> = self.names.into_iter().zip(self.loci).collect();
        let columns =
            table.into_columns().into_iter().map(|column| match loci.remove(column.name()) {
                Some(locus) => column.with_locus(locus),
                None => column,
            });
        Table::new(columns.collect::<Vec<Column<'static>>>())
    }
}

/// The people selected from a file, and their phenotypes.
struct People {
    file: PathBuf,
    /// The number of people in the file.
    count: usize,
    chosen: Vec<u32>,
    samples: Vec<Sample>,
    source: PathBuf,
    target: String,
    phenotype: Phenotype,
    obstacle: Option<DataError>,
    covariates: Vec<Covariate>,
    warnings: Vec<Warning>,
}

/// The phenotype in the file that lists the people.
enum OwnPhenotype {
    /// One phenotype without a name, or none.
    Unnamed,
    Named(String),
    /// Several phenotypes that are selected, and their texts of every person.
    Listed(Vec<String>, Vec<Vec<String>>),
    /// Several phenotypes, none of which is selected, and the line that names them.
    Several(Vec<String>, u64),
}

impl OwnPhenotype {
    /// The phenotype of a `.psam` file; `texts` are those of every person, if several are selected.
    fn of_psam(phenotype: PsamPhenotype, texts: Vec<Vec<String>>) -> Self {
        match phenotype {
            PsamPhenotype::None | PsamPhenotype::Chosen(None) => Self::Unnamed,
            PsamPhenotype::Chosen(Some(name)) => Self::Named(name),
            PsamPhenotype::Listed(names) => Self::Listed(names, texts),
            PsamPhenotype::Several(names, line) => Self::Several(names, line),
        }
    }

    /// Reads the phenotypes of the people of a file.
    fn read(self, file: &Path, people: &[Sample], coding: &PhenotypeCoding) -> FoundPhenotype {
        let found = || phenotype::of_people(file, people, coding);
        match self {
            Self::Unnamed => found(),
            Self::Named(name) => FoundPhenotype { name: Some(name), ..found() },
            Self::Listed(names, texts) => {
                phenotype::of_lists(file, people, (names, &texts), coding)
            }
            Self::Several(names, line) => {
                let error = phenotype::several(&names).in_file(file).at_line(line);
                FoundPhenotype::obstructed(error, people.len())
            }
        }
    }
}

impl People {
    /// Selects people from a `.fam` or `.psam` file or a VCF, and reads their phenotypes and covariates.
    ///
    /// # Errors
    /// A list, the phenotype file or the covariate file cannot be read or contains none of these people; no people
    /// remain.
    fn choose(
        file: &Path,
        all: Vec<Sample>,
        own: OwnPhenotype,
        options: &CohortOptions,
        run: &Run,
    ) -> Result<Self> {
        let mut warnings = Vec::new();
        let chosen = chosen_people(file, &all, options, &mut warnings, run)?;
        let (of_all, coding) = ((file, &all[..]), &options.coding);
        let (source, found) = match &options.phenotype {
            None => (file.to_path_buf(), own.read(file, &all, coding)),
            Some(PhenotypeFile { path, name }) => {
                let name = name.as_deref();
                let found = phenotype::of_file(path, name, of_all, coding, &mut warnings, run)?;
                (path.clone(), found)
            }
        };
        let FoundPhenotype { phenotype, name, obstacle, warning } = found;
        warnings.extend(warning);
        let covariates = match &options.covariates {
            None => Vec::new(),
            Some(file) => covariates::of_file(file, of_all, coding, &mut warnings, run)?,
        };
        Ok(Self {
            file: file.to_path_buf(),
            count: all.len(),
            samples: picked(all, &chosen),
            phenotype: phenotype.of_people(&chosen),
            obstacle,
            covariates: of_people(&covariates, &chosen),
            chosen,
            source,
            target: name.unwrap_or_else(|| PHENOTYPE.to_string()),
            warnings,
        })
    }

    /// Builds a cohort from these people and the variants and genotypes of a text fileset. `file` lists the variants.
    ///
    /// # Errors
    /// The errors of [`with_variants`](Self::with_variants).
    fn with_text(
        mut self,
        data: &Path,
        (file, text): (&Path, TextGenotypes),
        options: &CohortOptions,
        run: &Run,
    ) -> Result<Cohort> {
        let TextGenotypes { variants, genotypes, warning } = text;
        self.warnings.extend(warning);
        let form = Form::Text(Arc::new(genotypes));
        let cohort = self.with_variants((file, variants), options, run)?;
        Ok(Cohort { data: data.to_path_buf(), form, ..cohort })
    }

    /// Builds a cohort from these people and the variants of a file. The caller sets the format of the genotypes.
    ///
    /// # Errors
    /// Two variants have the same name; a list cannot be read or contains none of the variants; no variants remain.
    fn with_variants(
        mut self,
        (file, all): (&Path, Vec<Variant>),
        options: &CohortOptions,
        run: &Run,
    ) -> Result<Cohort> {
        let taken = self.phenotype.parts(&self.target).into_iter().map(|(name, _)| name);
        let names = names_of(&all, &taken.chain([self.target.as_str()]).collect::<Vec<_>>());
        let variants = chosen_variants(file, &all, &names, options, &mut self.warnings, run)?;
        check_names(&names, &all, &variants, file)?;
        Ok(Cohort {
            data: self.file,
            form: Form::Bed,
            genome: options.genome,
            of_files: (self.count, all.len()),
            source: self.source,
            target: self.target,
            people: self.chosen,
            samples: self.samples,
            phenotype: self.phenotype,
            obstacle: self.obstacle,
            covariates: self.covariates,
            loci: picked(all, &variants).into_iter().map(|variant| variant.locus).collect(),
            names: picked(names, &variants),
            variants,
            warnings: self.warnings,
            exclusions: Vec::new(),
        })
    }
}

/// Checks that a file that belongs to another one exists. `content` says what it contains.
///
/// # Errors
/// It does not exist.
fn check_there(path: &Path, content: &str) -> Result<()> {
    if path.exists() {
        return Ok(());
    }
    Err(Error::File {
        path: path.to_path_buf(),
        action: "open it for reading".to_string(),
        cause: "there is no such file".into(),
        help: content.into(),
    })
}

/// The covariates of the people listed, in that order.
fn of_people(covariates: &[Covariate], people: &[u32]) -> Vec<Covariate> {
    covariates.iter().map(|covariate| covariate.of_people(people)).collect()
}

/// Returns the indices of the selected entries.
fn places(are_chosen: &[bool]) -> Vec<u32> {
    (0..).zip(are_chosen).filter(|(_, is_chosen)| **is_chosen).map(|(place, _)| place).collect()
}

/// Returns the entries at some indices, which are in ascending order.
fn picked<T>(all: Vec<T>, places: &[u32]) -> Vec<T> {
    let mut places = places.iter().peekable();
    let is_chosen = |(place, _): &(u32, T)| places.next_if_eq(&place).is_some();
    (0..).zip(all).filter(is_chosen).map(|(_, entry)| entry).collect()
}

/// Returns the people that remain after `--keep` and `--remove`.
fn chosen_people(
    fam: &Path,
    people: &[Sample],
    options: &CohortOptions,
    warnings: &mut Vec<Warning>,
    run: &Run,
) -> Result<Vec<u32>> {
    let mut are_chosen = vec![true; people.len()];
    for (list, wanted) in [(&options.keep, true), (&options.remove, false)] {
        if let Some(list) = list {
            let listed = listed_people(list, (fam, people), warnings, run)?;
            restrict(&mut are_chosen, listed.into_iter().map(|is_listed| is_listed == wanted));
        }
    }
    let chosen = places(&are_chosen);
    if chosen.is_empty() {
        let help = "list fewer people to exclude, or more to keep";
        return Err(DataError::new("no people remain", help).in_file(fam).into());
    }
    Ok(chosen)
}

/// Returns the variants that remain after `--extract`, `--exclude` and the selection of chromosomes.
fn chosen_variants(
    bim: &Path,
    variants: &[Variant],
    names: &[String],
    options: &CohortOptions,
    warnings: &mut Vec<Warning>,
    run: &Run,
) -> Result<Vec<u32>> {
    let mut are_chosen: Vec<bool> = variants.iter().map(|variant| !variant.is_disabled).collect();
    let disabled = are_chosen.iter().filter(|is_chosen| !**is_chosen).count();
    if disabled > 0 {
        let text = format!(
            "{disabled} variants of {} have a negative position and were excluded",
            name_of(bim)
        );
        warnings.push(Warning::new("negative-positions", text));
    }
    for (list, wanted) in [(&options.extract, true), (&options.exclude, false)] {
        if let Some(list) = list {
            let listed = listed_variants(list, (bim, variants, names), warnings, run)?;
            restrict(&mut are_chosen, listed.into_iter().map(|is_listed| is_listed == wanted));
        }
    }
    // Many variants share the name of a chromosome, so each name is tested once.
    let mut of_chromosomes: HashMap<&str, bool> = HashMap::new();
    let genome = options.genome;
    let set = options.chromosomes.as_ref().map(|set| set.names(genome));
    let is_kept = |chromosome: &str| match &set {
        Some(set) => set.contains(&genome.usual(chromosome)),
        None => options.all_chromosomes || !genome.is_sex_or_mitochondrial(chromosome),
    };
    let before = places(&are_chosen).len();
    let kept = variants.iter().map(|variant| {
        let chromosome = &*variant.locus.chromosome;
        *of_chromosomes.entry(chromosome).or_insert_with(|| is_kept(chromosome))
    });
    restrict(&mut are_chosen, kept);
    let chosen = places(&are_chosen);
    let left_out = before - chosen.len();
    if left_out > 0 && options.chromosomes.is_none() {
        warnings.push(without_others(left_out, genome, of_chromosomes.keys().copied()));
    }
    if chosen.is_empty() {
        let mut names: Vec<&str> = of_chromosomes.into_keys().collect();
        names.sort_unstable();
        let problem = format!("none of its {} variants remain", variants.len());
        let help = format!("choose among its chromosomes: {}", names.join(", "));
        return Err(DataError::new(problem, help).in_file(bim).into());
    }
    Ok(chosen)
}

/// The warning that variants of X, Y, XY and MT were excluded. It mentions that the data may be of another species if
/// there are chromosomes with larger numbers.
fn without_others<'n>(
    count: usize,
    genome: Genome,
    mut chromosomes: impl Iterator<Item = &'n str>,
) -> Warning {
    let (first, last) = genome.numbers_of_others();
    let species = match chromosomes.find_map(|name| number_of(name).filter(|own| *own > last)) {
        Some(number) => format!(
            "; these are chromosomes {first} to {last}, but the data contain chromosome {number}: give the number of \
             autosomes with {}",
            setting("chr_set", None)
        ),
        None => String::new(),
    };
    let text = format!(
        "{count} variants of X, Y, XY and MT were excluded, because not all people have two copies of these \
         chromosomes; {} keeps them{species}",
        setting("all_chromosomes", None)
    );
    Warning::new("sex-chromosomes", text)
}

/// Deselects the entries that are not wanted.
fn restrict(are_chosen: &mut [bool], are_wanted: impl Iterator<Item = bool>) {
    are_chosen
        .iter_mut()
        .zip(are_wanted)
        .for_each(|(is_chosen, is_wanted)| *is_chosen &= is_wanted);
}

/// A phenotype as a column, as the readers of tables return it.
fn target_column(name: &str, phenotype: &Phenotype) -> RawColumn {
    let class =
        |is_case: &Option<bool>| is_case.map(|is_case| if is_case { CASE } else { CONTROL });
    let (values, declared) = match phenotype {
        Phenotype::CaseControl(cases) => {
            let classes = Categories::from_texts(cases.iter().map(class));
            (RawValues::Text(classes), Some(ColumnKind::Categorical))
        }
        Phenotype::Quantity(numbers) => {
            let numbers = numbers.iter().map(|number| number.unwrap_or(f64::NAN));
            (RawValues::Numbers(numbers.collect()), Some(ColumnKind::Numeric))
        }
        Phenotype::Classes(classes) => {
            let classes = Categories::from_texts(classes.iter().map(Option::as_deref));
            (RawValues::Text(classes), Some(ColumnKind::Categorical))
        }
        // The parts are columns.
        Phenotype::Several(_) => (RawValues::Numbers(std::iter::empty().collect()), None),
    };
    RawColumn::new(name, values, declared)
}
