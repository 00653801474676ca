//! The table that the arguments name: what the verbs that read one share.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use basrelief::data::{
    Classes, ColumnKind, KindOverrides, Table, Target, TargetKind, build_problem_parts, build_table,
};
use basrelief::inference::strata;
use basrelief::wording::{self, setting};
use basrelief::{Error, Result, Run, Warning};
use basrelief_io::{
    ReadOptions, copy_columns, copy_columns_to, read_table, write_csv_to, write_table,
};
use clap::ArgMatches;

use crate::args;
use crate::cohort::{self, CohortChoice};

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

    /// Takes columns as numeric where the file has them.
    pub(crate) fn take_as_numeric(&mut self, names: &[String]) {
        self.overrides.numeric_if_present.extend(names.iter().cloned());
    }

    /// The file, or what stands for it in messages.
    pub(crate) fn path(&self) -> &'m Path {
        self.path
    }

    /// Whether the data can be read again.
    pub(crate) fn is_file(&self) -> bool {
        self.place != Path::new(basrelief_io::STANDARD_INPUT)
    }

    /// Writing a result over the data would destroy them.
    ///
    /// # Errors
    /// `output`, the value of the option of that name, is the data file, or one of them.
    pub(crate) fn refuse_overwriting(&self, option: &str, output: &Path) -> Result<()> {
        let refuse = |file: &Path| refuse_same((file, "data"), (output, option));
        match &self.cohort {
            None => refuse(self.place),
            Some(cohort) => cohort.files(self.place).iter().try_for_each(|file| refuse(file)),
        }
    }

    /// How the target is to be read, where `usual` is what the method wants.
    fn target_kind(&self, usual: TargetKind) -> Result<TargetKind> {
        let text = self.matches.get_one::<String>("target-type").map_or("auto", String::as_str);
        TargetKind::from_text(text, usual)
    }

    /// Reads features and target.
    pub(crate) fn problem(
        &self,
        target: &str,
        usual: TargetKind,
        run: &Run,
    ) -> Result<(Table<'static>, Target, Vec<Warning>)> {
        let kind = self.target_kind(usual)?;
        if let Some(choice) = &self.cohort {
            let cohort = choice.open(self.place, run)?;
            return cohort.problem(kind, &self.overrides, &self.dropped, run);
        }
        let exempt = vec![target.to_string()];
        // Classes that look like numbers keep their spelling only where the user calls them
        // classes.
        let keep_text =
            if kind == TargetKind::Classes { vec![target.to_string()] } else { Vec::new() };
        build_problem_parts(
            read_table(self.place, &ReadOptions { keep_text, exempt, ..self.options() }, run)?,
            target,
            kind,
            &self.overrides,
            &self.dropped,
        )
    }

    /// The same, and the strata that a column names, which is then no feature.
    ///
    /// # Errors
    /// As [`problem`](Self::problem); the column is not there, has a gap, or holds no groups.
    pub(crate) fn problem_within(
        &self,
        target: &str,
        usual: TargetKind,
        within: Option<&str>,
        run: &Run,
    ) -> Result<(Table<'static>, Target, Option<Classes>, Vec<Warning>)> {
        let Some(within) = within else {
            let (table, target, warnings) = self.problem(target, usual, run)?;
            return Ok((table, target, None, warnings));
        };
        // What `all` columns are is said of features.
        let mut overrides = self.overrides.clone();
        if overrides.all.is_some() && !overrides.names().any(|name| name == within) {
            overrides.categorical.push(within.to_string());
        }
        let input = Input { path: self.path, overrides, ..self.at(self.place) };
        let (table, target, warnings) = input.problem(target, usual, run)?;
        let taken_out = || {
            let place = table.find(within)?;
            let strata = strata(&table.columns()[place])?;
            let mut columns = table.into_columns();
            columns.remove(place);
            if columns.is_empty() {
                return Err(Error::data(
                    "no feature is left beside the target and the groups",
                    "give a table with more columns",
                ));
            }
            Ok((Table::new(columns)?, strata))
        };
        let (table, strata) = taken_out().map_err(|error| error.in_file(self.path))?;
        Ok((table, target, Some(strata), warnings))
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

/// Refuses two paths, given with what they are, that lead to one file.
pub(crate) fn refuse_same(first: (&Path, &str), second: (&Path, &str)) -> Result<()> {
    match (place(first.0), place(second.0)) {
        (Some(one), Some(other)) if one == other => Err(Error::option(
            second.1,
            format!("{} is the {} file itself", wording::clean_path(second.0), first.1),
            "name another file",
        )),
        _ => Ok(()),
    }
}

/// Where a path leads, the file being there or not.
fn place(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok().or_else(|| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
        Some(folder.join(path.file_name()?))
    })
}

/// The entries of a list argument, where the verb has it: separated by commas, and quoted as in CSV
/// where they hold a comma or a quote.
///
/// # Errors
/// A text that is no such list.
pub(crate) fn list(matches: &ArgMatches, name: &str) -> Result<Vec<String>> {
    let texts = matches.try_get_many::<String>(name).ok().flatten();
    let mut entries = Vec::new();
    for text in texts.into_iter().flatten() {
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .from_reader(text.as_bytes());
        for record in reader.records() {
            let record = record.map_err(|cause| {
                let name = if name == "keep" { "keep_columns" } else { name };
                Error::option(name, cause.to_string(), "give names with commas between them")
            })?;
            entries.extend(record.iter().map(str::to_string));
        }
    }
    Ok(entries)
}

/// The kinds that the user states.
fn overrides(matches: &ArgMatches) -> Result<KindOverrides> {
    let mut stated = KindOverrides {
        categorical: list(matches, "categorical")?,
        genotype: list(matches, "genotype")?,
        numeric: list(matches, "numeric")?,
        coerce: matches.try_get_one::<bool>("coerce").ok().flatten().copied().unwrap_or(false),
        ..KindOverrides::default()
    };
    let mut twice = None;
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
            ["categorical", "genotype", "numeric"].map(|name| setting(name, None)).join(", "),
            format!("{} is given twice", wording::quoted(&name)),
            "give every column one kind",
        )),
    }
}
