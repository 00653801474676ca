//! The table that the arguments name: what the verbs that read one share.

use std::collections::HashSet;
use std::path::Path;

use basrelief::data::{
    Classes, Column, ColumnKind, ColumnRole, Covariates, Encoding, KindOverrides, OrdinalColumn,
    RawTable, Table, Target, TargetKind, as_covariates, build_problem_parts, build_table,
    named_places, repeated_rows,
};
use basrelief::inference::{Permutations, strata};
use basrelief::methods::Problem;
use basrelief::wording::{self, quoted, setting, ways};
use basrelief::{DataError, Error, Result, Run, Warning};
use basrelief_genetics::{CohortProblem, Genome};
use basrelief_io::{
    ReadOptions, copy_columns, copy_columns_to, read_table, write_csv_to, write_table,
};
use clap::ArgMatches;

use crate::args;
use crate::cohort::{self, CohortChoice};
use crate::covariates::{CovariateArgs, check_names};
use crate::names::list;

/// What is read beside features and target.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Beside<'m> {
    /// The column of the groups inside of which a test permutes.
    pub(crate) within: Option<&'m str>,
    /// The covariates.
    pub(crate) covariates: Option<&'m CovariateArgs>,
}

/// Features and target, and what is known of the rows beside them.
pub(crate) struct Given {
    pub(crate) table: Table<'static>,
    /// The target, or what covariates leave of it.
    pub(crate) target: Target,
    /// What the target is called: its column, or the phenotype as the file of a cohort calls it.
    pub(crate) target_name: String,
    /// The groups inside of which a test permutes.
    pub(crate) strata: Option<Classes>,
    pub(crate) covariates: Option<Covariates<'static>>,
    pub(crate) warnings: Vec<Warning>,
}

impl Given {
    /// The permutations of the target that a test draws.
    ///
    /// # Errors
    /// As of [`Permutations::new`].
    pub(crate) fn permutations(&self, seed: u64) -> Result<Permutations<'_>> {
        Permutations::new(&self.target, self.strata.as_ref(), self.covariates.as_ref(), seed)
    }

    /// What a method is fitted to; the target is called `target`.
    ///
    /// # Errors
    /// As of [`Problem::new`] and [`Problem::with_covariates`].
    pub(crate) fn problem<'p>(&'p self, target: &'p str) -> Result<Problem<'p>> {
        let problem = Problem::new(&self.table, &self.target)?.with_target_name(target);
        problem.with_strata(self.strata.as_ref()).with_covariates(self.covariates.as_ref())
    }
}

/// A data file and how it is to be read.
#[derive(Debug)]
pub(crate) struct Input<'m> {
    place: &'m Path,
    path: &'m Path,
    matches: &'m ArgMatches,
    overrides: KindOverrides,
    dropped: Vec<String>,
    missing: Vec<String>,
    /// What is read of a cohort, if the data are one.
    cohort: Option<CohortChoice>,
}

impl<'m> Input<'m> {
    /// From the arguments; nothing is read yet.
    ///
    /// # Errors
    /// A column that is given two kinds.
    pub(crate) fn from_args(matches: &'m ArgMatches) -> Result<Self> {
        let place = cohort::data_path(matches)
            .ok_or_else(|| Error::Internal("the data argument is missing".to_string()))?;
        let dropped = list(matches, "drop")?;
        let missing = list(matches, "na")?;
        let is_input = place == Path::new(basrelief_io::STANDARD_INPUT);
        let path = if is_input { Path::new("standard input") } else { place };
        let cohort = cohort::choice(matches)?;
        Ok(Self { place, path, matches, overrides: overrides(matches)?, dropped, missing, cohort })
    }

    /// The same data in another place.
    #[must_use]
    pub(crate) fn at<'p>(&self, place: &'p Path) -> Input<'p>
    where
        'm: 'p,
    {
        let (overrides, dropped) = (self.overrides.clone(), self.dropped.clone());
        let (missing, cohort) = (self.missing.clone(), self.cohort.clone());
        Input { place, path: place, matches: self.matches, overrides, dropped, missing, cohort }
    }

    /// Takes the variants of all chromosomes, where the data are a cohort and no chromosome is named.
    pub(crate) fn take_all_chromosomes(&mut self) {
        if let Some(cohort) = &mut self.cohort {
            cohort.take_all_chromosomes();
        }
    }

    /// Takes columns as what they were in a fit, where the file has them.
    pub(crate) fn take_as_encoded(&mut self, encoding: &Encoding) {
        let KindOverrides {
            numeric_if_present, categorical_if_present, ordinal_if_present, ..
        } = &mut self.overrides;
        for column in encoding.columns() {
            if let Some(order) = column.order() {
                ordinal_if_present.insert(column.name().to_string(), order.to_vec());
                continue;
            }
            let of_kind = match column.levels() {
                Some(_) => &mut *categorical_if_present,
                None => &mut *numeric_if_present,
            };
            of_kind.insert(column.name().to_string());
        }
    }

    /// How the chromosomes are numbered, where the data are a cohort.
    pub(crate) fn genome(&self) -> Genome {
        self.cohort.as_ref().map(CohortChoice::genome).unwrap_or_default()
    }

    /// The file, or what stands for it in messages.
    pub(crate) fn path(&self) -> &'m Path {
        self.path
    }

    /// Whether the data can be read again.
    pub(crate) fn is_file(&self) -> bool {
        self.place != Path::new(basrelief_io::STANDARD_INPUT)
    }

    /// How the target is to be read, where `usual` is what the method wants.
    fn target_kind(&self, usual: TargetKind) -> Result<TargetKind> {
        let text = self.matches.get_one::<String>("target-type").map_or("auto", String::as_str);
        TargetKind::from_text(text, usual)
    }

    /// Reads features and target.
    pub(crate) fn problem(&self, target: &str, usual: TargetKind, run: &Run) -> Result<Given> {
        let kind = self.target_kind(usual)?;
        if let Some(choice) = &self.cohort {
            let cohort = choice.open(self.place, run)?;
            let CohortProblem { table, target, target_name, warnings, .. } =
                cohort.problem(kind, &self.overrides, &self.dropped, run)?;
            return Ok(Given {
                table,
                target,
                target_name,
                strata: None,
                covariates: None,
                warnings,
            });
        }
        let raw = self.raw(target, kind, true, run)?;
        let target_name = target.to_string();
        let (table, target, warnings) =
            build_problem_parts(raw, target, kind, &self.overrides, &self.dropped)?;
        Ok(Given { table, target, target_name, strata: None, covariates: None, warnings })
    }

    /// Reads a table with its target; `all_alike` says whether what is said of all columns holds for all but the
    /// target.
    fn raw(&self, target: &str, kind: TargetKind, all_alike: bool, run: &Run) -> Result<RawTable> {
        let exempt = vec![target.to_string()];
        // Classes that look like numbers keep their spelling only where the user calls them
        // classes.
        let keep_text =
            if kind == TargetKind::Classes { vec![target.to_string()] } else { Vec::new() };
        let mut options = ReadOptions { keep_text, exempt, ..self.options() };
        options.kinds.all = options.kinds.all.filter(|_| all_alike);
        read_table(self.place, &options, run)
    }

    /// The same, and what is known of the rows beside them: strata and covariates, which are no features.
    ///
    /// # Errors
    /// As [`problem`](Self::problem); a column is not there or has a gap, holds no groups, or says nothing.
    pub(crate) fn given(
        &self,
        target: &str,
        usual: TargetKind,
        beside: Beside<'_>,
        run: &Run,
    ) -> Result<Given> {
        if let Some(covariates) = beside.covariates {
            check_names(covariates, target)?;
        }
        let read = match &self.cohort {
            Some(choice) => self.cohort_beside(choice, usual, beside.within, run)?,
            None => self.table_beside(target, usual, beside, run)?,
        };
        self.sorted_out(read, beside, run).map_err(|error| error.in_file(self.path))
    }

    /// A cohort, and the columns beside its features.
    fn cohort_beside(
        &self,
        choice: &CohortChoice,
        usual: TargetKind,
        within: Option<&str>,
        run: &Run,
    ) -> Result<Read> {
        let cohort = choice.open(self.place, run)?;
        let kind = self.target_kind(usual)?;
        let CohortProblem { table, target, target_name, covariates, people, warnings } =
            cohort.problem(kind, &self.overrides, &self.dropped, run)?;
        if let (Some(within), None) = (within, &covariates) {
            return Err(Error::option(
                "within",
                format!("no file has the groups {}", quoted(within)),
                ways(&[
                    format!("name a file with such a column by {}", setting("covar", None)),
                    "leave the option out".to_string(),
                ]),
            ));
        }
        let beside = covariates.map_or_else(Vec::new, Table::into_columns);
        Ok(Read { table, target, target_name, beside, people: Some(people), warnings })
    }

    /// A table, and the columns that are taken out of it.
    fn table_beside(
        &self,
        target: &str,
        usual: TargetKind,
        Beside { within, covariates }: Beside<'_>,
        run: &Run,
    ) -> Result<Read> {
        let kind = self.target_kind(usual)?;
        // What `all` columns are is said of features.
        let all_alike = covariates.is_none() && within.is_none();
        let raw = self.raw(target, kind, all_alike, run)?;
        let mut overrides = self.overrides.clone();
        let names: Vec<&str> = raw.columns.iter().map(|column| column.name.as_str()).collect();
        let located = |error: DataError| Error::from(error).in_file(self.path);
        let wanted = covariates.map_or(&[][..], CovariateArgs::names);
        let places = named_places(wanted, &names).map_err(located)?;
        let mut beside: HashSet<String> =
            places.into_iter().map(|place| names[place].to_string()).collect();
        overrides.exempt.extend(beside.iter().cloned());
        if let Some(within) = within {
            if overrides.all.is_some() && !overrides.names().any(|stated| stated == within) {
                overrides.categorical.push(within.to_string());
            }
            beside.insert(within.to_string());
        }
        let target_name = target.to_string();
        let (table, target, warnings) =
            build_problem_parts(raw, target, kind, &overrides, &self.dropped)?;
        if let Some(within) = within {
            table.find(within).map_err(|error| error.in_file(self.path))?;
        }
        let (beside, features): (Vec<_>, Vec<_>) =
            table.into_columns().into_iter().partition(|column| beside.contains(column.name()));
        if features.is_empty() {
            let error = Error::data(
                "no feature is left beside the target and the columns that are none",
                "give a table with more columns",
            );
            return Err(error.in_file(self.path));
        }
        let beside = as_covariates(beside, |name| overrides.kind_of(name).is_some())?;
        let table = Table::new(features)?;
        Ok(Read { table, target, target_name, beside, people: None, warnings })
    }

    /// Makes strata and covariates of what stands beside the features.
    fn sorted_out(&self, read: Read, beside: Beside<'_>, run: &Run) -> Result<Given> {
        let Read { mut table, mut target, target_name, beside: columns, people, mut warnings } =
            read;
        let own_names = beside.covariates.map_or(&[][..], CovariateArgs::names);
        let is_group = |column: &Column<'_>| Some(column.name()) == beside.within;
        if let Some(within) = beside.within
            && !columns.iter().any(is_group)
        {
            let names: Vec<&str> = columns.iter().map(Column::name).collect();
            let error = DataError::new(
                format!("there is no column {}", quoted(within)),
                format!("the file of covariates has {}", names.join(", ")),
            );
            return Err(error.into());
        }
        let mut groups = columns.iter().find(|column| is_group(column)).cloned();
        let roles = columns.iter().map(|column| (column, ColumnRole::Other));
        warnings.extend(repeated_rows(roles, &target));
        // The groups are a covariate too where they are named as one.
        let names: Vec<&str> = columns.iter().map(Column::name).collect();
        let named: HashSet<String> = named_places(own_names, &names)?
            .into_iter()
            .map(|place| names[place].to_string())
            .collect();
        let is_covariate = |column: &Column<'_>| !is_group(column) || named.contains(column.name());
        if let (Some(groups), Some(arguments)) = (&groups, beside.covariates)
            && !is_covariate(groups)
        {
            warnings.extend(arguments.without_groups(groups.name()));
        }
        let columns: Vec<Column<'static>> = columns.into_iter().filter(is_covariate).collect();
        let mut used = None;
        if let Some(arguments) = beside.covariates
            && !columns.is_empty()
        {
            let mut known = Table::new(columns)?;
            let row_name = |row: usize| match &people {
                Some(people) => people[row].clone(),
                None => format!("row {}", row + 1),
            };
            if let Some(rows) = arguments.complete_rows(&known, row_name, &mut warnings)? {
                (table, target) = (table.select_rows(&rows), target.select_rows(&rows)?);
                groups = groups.map(|groups| groups.select_rows(&rows));
                known = known.select_rows(&rows);
            }
            let (covariates, residuals) = arguments.used(known, &target, run, &mut warnings)?;
            target = residuals.unwrap_or(target);
            used = covariates;
        }
        let strata = groups.as_ref().map(strata).transpose()?;
        Ok(Given { table, target, target_name, strata, covariates: used, warnings })
    }

    /// Reads features alone.
    pub(crate) fn features(&self, run: &Run) -> Result<(Table<'static>, Vec<Warning>)> {
        if let Some(choice) = &self.cohort {
            let cohort = choice.open(self.place, run)?;
            return cohort.features(&self.overrides, &self.dropped, run);
        }
        build_table(read_table(self.place, &self.options(), run)?, &self.overrides, &self.dropped)
    }

    /// Writes columns of the table, every cell as it is, to a file or as CSV to a writer.
    pub(crate) fn copy(
        &self,
        names: &HashSet<&str>,
        target: &str,
        output: std::result::Result<&Path, &mut Vec<u8>>,
        run: &Run,
    ) -> Result<()> {
        if let Some(choice) = &self.cohort {
            let table = choice.open_for_names(self.place, run)?.columns(names, run)?;
            return match output {
                Ok(file) => write_table(file, &table, run),
                Err(writer) => write_csv_to(writer, &table, None, run),
            };
        }
        let options = ReadOptions { exempt: vec![target.to_string()], ..self.options() };
        match output {
            Ok(file) => copy_columns(self.place, &options, names, file, run),
            Err(writer) => copy_columns_to(self.place, &options, names, writer, run),
        }
    }

    fn options(&self) -> ReadOptions {
        let format = self.matches.get_one::<String>("input-format");
        ReadOptions {
            format: args::INPUT_FORMATS
                .into_iter()
                .find(|(name, _)| Some(*name) == format.map(String::as_str))
                .map(|(_, format)| format),
            delimiter: self.matches.get_one::<u8>("delimiter").copied(),
            kinds: self.overrides.clone(),
            keep_text: Vec::new(),
            exempt: Vec::new(),
            missing: self.missing.clone(),
            skip: self.dropped.clone(),
            has_header: !self.matches.get_flag("no-header"),
        }
    }
}

/// A problem as it is read, with the columns that are no features.
struct Read {
    table: Table<'static>,
    target: Target,
    target_name: String,
    beside: Vec<Column<'static>>,
    /// What the rows of a cohort are called.
    people: Option<Vec<String>>,
    warnings: Vec<Warning>,
}

/// The kinds that the user states.
fn overrides(matches: &ArgMatches) -> Result<KindOverrides> {
    let ordinal = list(matches, "ordinal")?;
    let mut stated = KindOverrides {
        categorical: list(matches, "categorical")?,
        ordinal: ordinal
            .iter()
            .map(|text| OrdinalColumn::from_text(text))
            .collect::<Result<_>>()?,
        genotype: list(matches, "genotype")?,
        numeric: list(matches, "numeric")?,
        coerce: matches.try_get_one::<bool>("coerce").ok().flatten().copied().unwrap_or(false),
        ..KindOverrides::default()
    };
    let mut twice = None;
    if ordinal.iter().any(|text| text == "all") {
        stated.ordinal.retain(|column| column.name != "all");
        stated.all = Some(ColumnKind::Ordinal);
    }
    for (kind, names) in [
        (ColumnKind::Categorical, &mut stated.categorical),
        (ColumnKind::Genotype, &mut stated.genotype),
        (ColumnKind::Numeric, &mut stated.numeric),
    ] {
        let before = names.len();
        names.retain(|name| name != "all");
        if names.len() < before && stated.all.replace(kind).is_some() {
            twice = Some("all".to_string());
        }
    }
    let mut names: Vec<&str> = stated.names().collect();
    names.sort_unstable();
    for pair in names.windows(2) {
        if pair[0] == pair[1] {
            twice = Some(pair[0].to_string());
        }
    }
    match twice {
        None => Ok(stated),
        Some(name) => Err(Error::option(
            ["categorical", "ordinal", "genotype", "numeric"]
                .map(|name| setting(name, None))
                .join(", "),
            format!("{} is given twice", wording::quoted(&name)),
            "give every column one kind",
        )),
    }
}
