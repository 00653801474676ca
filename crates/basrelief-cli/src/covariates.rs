//! Covariates: what is known of the rows beside the features, and what it is for.

use std::path::PathBuf;

use basrelief::data::{Column, Covariates, Table, Target};
use basrelief::inference::check_p_values;
use basrelief::solve::{ClassResiduals, residuals};
use basrelief::wording::{quoted, setting};
use basrelief::{DataError, Error, Result, Run, Warning};
use basrelief_genetics::CovariateFile;
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, value_parser};
use serde_json::{Value, json};

use crate::names::list;
use crate::text::{counted, printable};

const COVARIATES: &str = "Covariates";

/// Arguments of the verbs that look at covariates.
pub(crate) fn covariate_args() -> [Arg; 6] {
    let switch = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
    };
    [
        Arg::new("covar").long("covar").value_name("FILE").value_parser(value_parser!(PathBuf)).help(
            "Covariates of a cohort: lines of FID, IID and values, below a line that names them",
        ),
        Arg::new("covar-name").long("covar-name").value_name("NAME,...").action(ArgAction::Append).help(
            "Covariates, of --covar or else of the table: names, or PC1-PC10 for those from one to another \
             [default: all of --covar]",
        ),
        Arg::new("residuals")
            .long("residuals")
            .value_name("KIND")
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("quantile")
            .value_parser(PossibleValuesParser::new(ClassResiduals::ALL.map(|(name, _)| name)))
            .help(
                "Explain what the covariates leave of the target: of a number the residuals of least squares, of two \
                 classes those of logistic regression, randomized quantiles or deviance residuals [KIND: quantile]",
            ),
        Arg::new("caliper").long("caliper").value_name("SD").value_parser(value_parser!(f64)).help(
            "Compare rows only if no covariate differs by more than so many standard deviations, and no category",
        ),
        switch("covar-distance", "Let the covariates count in distances as features do"),
        switch("drop-missing-covar", "Leave out the rows whose covariates are missing"),
    ]
    .map(|arg| arg.help_heading(COVARIATES))
}

/// Which covariates there are, and what they are for.
#[derive(Debug, Clone)]
pub(crate) struct CovariateArgs {
    file: Option<PathBuf>,
    names: Vec<String>,
    /// The column of strata, which may stand among them.
    within: Option<String>,
    residuals: Option<ClassResiduals>,
    caliper: Option<f64>,
    in_distance: bool,
    drop_missing: bool,
}

impl CovariateArgs {
    /// From the arguments of a verb, where they name covariates.
    ///
    /// # Errors
    /// Covariates that are for nothing, or a use without covariates.
    pub(crate) fn from_args(matches: &ArgMatches) -> Result<Option<Self>> {
        // A switch has a value wherever there is one. Not every verb has these; optimized programs do not tell an
        // unknown option from one that is not given.
        let switch = |name: &str| matches.try_get_one::<bool>(name).ok().flatten().copied();
        let (Some(in_distance), Some(drop_missing)) =
            (switch("covar-distance"), switch("drop-missing-covar"))
        else {
            return Ok(None);
        };
        let own = Self {
            file: matches.get_one::<PathBuf>("covar").cloned(),
            names: list(matches, "covar-name")?,
            within: matches.try_get_one::<String>("within").ok().flatten().cloned(),
            residuals: matches
                .get_one::<String>("residuals")
                .map(|kind| kind.parse())
                .transpose()?,
            caliper: matches.get_one::<f64>("caliper").copied(),
            in_distance,
            drop_missing,
        };
        let are_there = own.file.is_some() || !own.names.is_empty();
        let uses = [
            ("residuals", own.residuals.is_some()),
            ("caliper", own.caliper.is_some()),
            ("covar_distance", own.in_distance),
            ("drop_missing_covar", own.drop_missing),
        ];
        if let Some((name, _)) = uses.iter().find(|(_, is_used)| *is_used && !are_there) {
            let (file, names) = (setting("covar", None), setting("covar_name", None));
            return Err(Error::option(
                *name,
                "there are no covariates",
                format!("name a file of them with {file}, or columns of the table with {names}"),
            ));
        }
        let are_used = uses[..3].iter().any(|(_, is_used)| *is_used);
        if are_there && !are_used && (own.within.is_none() || !own.names.is_empty()) {
            let option = if own.file.is_some() { "covar" } else { "covar_name" };
            return Err(Error::option(
                option,
                "nothing says what the covariates are for",
                format!(
                    "add {} (what they leave of the target), {} (compare only rows that are alike) or {} (they count \
                     in distances)",
                    setting("residuals", None),
                    setting("caliper", None),
                    setting("covar_distance", None)
                ),
            ));
        }
        Ok(are_there.then_some(own))
    }

    /// Refuses p-values where the covariates choose neighbors, before the data are read.
    ///
    /// # Errors
    /// As of [`check_p_values`].
    pub(crate) fn check_p_values(&self) -> Result<()> {
        check_p_values(self.caliper.is_some(), self.in_distance)
    }

    /// Warns that the column of strata, one of all those of the file, is not one of the covariates.
    pub(crate) fn without_groups(&self, name: &str) -> Option<Warning> {
        (self.are_used() && self.names.is_empty()).then(|| {
            Warning::new(
                "groups-not-adjusted",
                format!(
                    "{} has the groups of {} and is not one of the covariates; name all covariates with {} to adjust \
                     the target for it too",
                    quoted(name),
                    setting("within", None),
                    setting("covar_name", None)
                ),
            )
        })
    }

    /// Whether anything but strata is asked for.
    fn are_used(&self) -> bool {
        self.residuals.is_some() || self.caliper.is_some() || self.in_distance
    }

    /// The names that the user gives.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// The file that is read of a cohort, with the column of strata if it is not among those named.
    pub(crate) fn file(self) -> Option<CovariateFile> {
        let mut names = self.names;
        if !names.is_empty() {
            names.extend(self.within);
        }
        self.file.map(|path| CovariateFile { path, names })
    }

    /// What the covariates are for: rows without a value of one are refused or left out before, by
    /// [`complete_rows`](Self::complete_rows).
    ///
    /// # Errors
    /// As of [`Covariates::new`], [`Covariates::with_caliper`] and [`residuals`].
    pub(crate) fn used(
        &self,
        table: Table<'static>,
        target: &Target,
        run: &Run,
        warnings: &mut Vec<Warning>,
    ) -> Result<(Option<Covariates<'static>>, Option<Target>)> {
        if !self.are_used() {
            return Ok((None, None));
        }
        let covariates = Covariates::new(table)?;
        let target = match self.residuals {
            Some(kind) => {
                let found = residuals(target, &covariates, kind, run.seed(), run)?;
                warnings.extend(found.warnings);
                Some(Target::real(found.values)?)
            }
            None => None,
        };
        let covariates = match self.caliper {
            Some(caliper) => covariates.with_caliper(caliper)?,
            None => covariates,
        };
        Ok((Some(if self.in_distance { covariates.in_distance() } else { covariates }), target))
    }

    /// The rows whose covariates are all known, where others are to be left out; `None` where there are no others.
    /// `row_name` says what a row is called.
    ///
    /// # Errors
    /// A value is missing, and nothing says that its row shall be left out; no row is left.
    pub(crate) fn complete_rows(
        &self,
        table: &Table<'_>,
        row_name: impl Fn(usize) -> String,
        warnings: &mut Vec<Warning>,
    ) -> Result<Option<Vec<usize>>> {
        let gap = |row: usize| {
            table.columns().iter().find(|column: &&Column<'_>| column.value(row).is_nan())
        };
        let incomplete: Vec<usize> = (0..table.rows()).filter(|&row| gap(row).is_some()).collect();
        let Some(&first) = incomplete.first() else { return Ok(None) };
        let all = table.rows();
        let count = incomplete.len();
        if !self.drop_missing || count == all {
            let problem = format!(
                "covariates of {count} of {} are missing; the first is {}",
                counted(all, "row"),
                row_name(first)
            );
            let help = match count == all {
                true => "name other covariates".to_string(),
                false => format!(
                    "leave such rows out with {}, or name other covariates",
                    setting("drop_missing_covar", None)
                ),
            };
            let error = DataError::new(problem, help);
            let column = gap(first).map_or("", |column| column.name());
            return Err(error.in_column(column).into());
        }
        warnings.push(Warning::new(
            "rows-left-out",
            format!("{count} of {} have missing covariates and were left out", counted(all, "row")),
        ));
        Ok(Some((0..all).filter(|row| incomplete.binary_search(row).is_err()).collect()))
    }

    /// Which residuals of the target are explained, where some are.
    pub(crate) fn residuals(&self) -> Option<ClassResiduals> {
        self.residuals
    }
}

/// The covariates and what they are for, in words.
pub(crate) fn covariates_in_words(
    covariates: &Covariates<'_>,
    residuals: Option<ClassResiduals>,
) -> String {
    const MOST: usize = 6;
    let columns = covariates.table().columns();
    let mut names: Vec<String> =
        columns.iter().take(MOST).map(|column| printable(column.name()).to_string()).collect();
    if columns.len() > MOST {
        names.push(format!("{} more", columns.len() - MOST));
    }
    let caliper =
        covariates.caliper().map(|caliper| format!("rows are compared within {caliper} SD"));
    let uses = [
        residuals.map(|_| "the target is what they leave of it".to_string()),
        caliper,
        covariates.are_in_distance().then(|| "they count in distances".to_string()),
    ];
    let uses: Vec<String> = uses.into_iter().flatten().collect();
    format!("{}: {}", names.join(", "), uses.join(", "))
}

/// The same in JSON.
pub(crate) fn covariates_json(
    covariates: &Covariates<'_>,
    residuals: Option<ClassResiduals>,
) -> Value {
    let kinds = covariates.table().columns().iter().map(|column| column.kind().name());
    json!({
        "names": covariates.table().names(),
        "kinds": kinds.collect::<Vec<_>>(),
        "residuals": residuals.map(ClassResiduals::name),
        "caliper": covariates.caliper(),
        "in_distance": covariates.are_in_distance(),
    })
}

/// Refuses a covariate that is the target.
///
/// # Errors
/// One of those named is.
pub(crate) fn check_names(covariates: &CovariateArgs, target: &str) -> Result<()> {
    match covariates.names().iter().find(|name| *name == target) {
        Some(name) => Err(Error::option(
            "covar_name",
            format!("{} is the target", quoted(name)),
            "name columns of what else is known of the rows",
        )),
        None => Ok(()),
    }
}
