//! The data of a study: their location, how they are read, and which parts of them are read.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use basrelief::data::{
    ClassPriors, Classes, Column, ColumnRole, Covariates, Encoding, FeatureBlocks, GroupWeight,
    Groups, KindOverrides, LabelTree, MultiTarget, RawTable, Roles, RowWeights, Survival, Table,
    Target, TargetKind, as_covariates, build_problem_parts, build_table, named_places,
    repeated_rows, strata, survival_events, target_names,
};
use basrelief::inference::Permutations;
use basrelief::methods::{Problem, Task};
use basrelief::wording::{quoted, setting, ways};
use basrelief::{DataError, Error, Result, Run, Warning};
use basrelief_genetics::{CohortProblem, Genome, Relatives};
use basrelief_io::{
    Format, ReadOptions, copy_columns, copy_columns_to, read_table, write_csv_to, write_table,
};

use crate::cohort::CohortChoice;
use crate::covariates::{CovariateUse, check_names};
use crate::listed_pairs::ListedPairs;
use crate::relatives::{LARGEST_FAMILY, RELATIVES, RelativeGroups};

/// The roles of rows that the user specifies.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RowRoles {
    /// The column of strata. A test permutes the target within each stratum.
    pub within: Option<String>,
    /// The column of the groups of rows that are not independent. Rows of one group are never neighbors; permutations,
    /// splits and resamples keep groups whole.
    pub group: Option<GroupColumn>,
    /// The column of the weights of rows. Rows of weight 0 are excluded.
    pub weight: Option<String>,
    /// The prior probabilities of the classes; `None` for the proportions in the data.
    pub priors: Option<ClassPriors>,
}

impl RowRoles {
    /// The name of the column of groups.
    pub(crate) fn group_name(&self) -> Option<&str> {
        self.group.as_ref().map(|group| group.name.as_str())
    }

    /// The columns with a role: the name of the option, that of the column, and advice for another choice.
    pub(crate) fn columns(&self) -> impl Iterator<Item = (&'static str, &str, &'static str)> {
        let roles = [
            (
                "within",
                self.within.as_deref(),
                "name a column of groups, such as batches or centers",
            ),
            ("group", self.group_name(), "name a column of subjects, donors or families"),
            ("row_weight", self.weight.as_deref(), "name a column of weights"),
        ];
        roles.into_iter().filter_map(|(option, name, help)| Some((option, name?, help)))
    }
}

/// The column of the groups of rows that are not independent, such as the rows of one subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupColumn {
    /// The name of a column of the table or of the covariates; [`FAMILIES`] for the family IDs of a cohort,
    /// [`RELATIVES`] for groups of relatives.
    pub name: String,
    /// How much the rows of a group count.
    pub weight: GroupWeight,
}

impl GroupColumn {
    /// The groups that a user states: those of the column `name`, or the relatives of a cohort unless they are excluded.
    /// `weight` is the name of a [`GroupWeight`].
    ///
    /// # Errors
    /// Both a column and groups of relatives; a weight without groups, or one that does not exist.
    pub fn stated(
        name: Option<&str>,
        relatives: Option<Relatives>,
        weight: Option<&str>,
    ) -> Result<Option<Self>> {
        let relatives = relatives.filter(|relatives| !relatives.are_excluded);
        let name = match (name, relatives) {
            (Some(_), Some(_)) => {
                return Err(Error::option(
                    "king_cutoff",
                    format!(
                        "it makes groups of relatives, but {} names other groups",
                        setting("group", None)
                    ),
                    ways(&[
                        "omit one of them".to_string(),
                        format!("exclude relatives with {}", setting("relatives", Some("exclude"))),
                    ]),
                ));
            }
            (Some(name), None) => name,
            (None, Some(_)) => RELATIVES,
            (None, None) if weight.is_some() => {
                return Err(Error::option(
                    "group_weight",
                    "there are no groups",
                    format!("name a column of groups with {}", setting("group", None)),
                ));
            }
            (None, None) => return Ok(None),
        };
        let weight = weight.map_or(Ok(GroupWeight::default()), str::parse)?;
        Ok(Some(Self { name: name.to_string(), weight }))
    }
}

/// The name of the family IDs of a cohort as a column of groups.
pub const FAMILIES: &str = "fid";

/// The data that were read: features, target, and columns with other roles.
#[derive(Debug)]
pub struct Data<'t> {
    /// The features.
    pub table: Table<'t>,
    /// The target, or its residuals after an adjustment for covariates.
    pub target: Target,
    /// The target before that adjustment; `None` without one.
    pub unadjusted: Option<Target>,
    /// The name of the target: of its column or columns, or of the phenotype in the file of a cohort. Empty if it has none.
    pub target_name: String,
    /// The columns of the target.
    pub target_columns: Vec<String>,
    /// The groups within which a test permutes the target.
    pub strata: Option<Classes>,
    /// The groups of rows that are not independent.
    pub groups: Option<Groups>,
    /// The weights of the rows.
    pub weights: Option<RowWeights>,
    /// The prior probabilities of the classes; `None` for the proportions in the data.
    pub priors: Option<ClassPriors>,
    /// The covariates: they affect the choice of neighbors or the distances, or the target is adjusted for them.
    pub covariates: Option<Covariates<'t>>,
    /// The blocks of features, each of which counts as one feature in distances.
    pub blocks: Option<FeatureBlocks>,
    /// The number of unlabeled rows that were excluded, except that the features keep their scale.
    pub unlabeled: usize,
    /// Warnings about the data.
    pub warnings: Vec<Warning>,
}

impl<'t> Data<'t> {
    /// Features and target without columns of other roles.
    fn new(table: Table<'t>, target: Target, target_name: String, warnings: Vec<Warning>) -> Self {
        Self {
            table,
            target,
            unadjusted: None,
            target_columns: vec![target_name.clone()],
            target_name,
            strata: None,
            groups: None,
            weights: None,
            priors: None,
            covariates: None,
            blocks: None,
            unlabeled: 0,
            warnings,
        }
    }

    /// The data that a ranking of this task is computed from. If the task is about classes, these are the labeled rows:
    /// unlabeled rows belong to no class, and only determine the scale of the features.
    ///
    /// # Errors
    /// None for data that were read.
    pub fn for_task(self, task: Task) -> Result<Self> {
        if !matches!(task, Task::TwoClasses | Task::Classes) {
            return Ok(self);
        }
        let Some((rows, target)) = self.target.labeled() else { return Ok(self) };
        let unlabeled = self.table.rows() - rows.len();
        let table = self.table.select_rows_on_scale(&rows);
        Ok(Self { unlabeled, ..self.of_rows(&rows, table, target)? })
    }

    /// Selects rows, in the order of the list.
    ///
    /// # Errors
    /// None for rows of these data.
    ///
    /// # Panics
    /// A row out of range.
    pub fn select_rows(&self, rows: &[usize]) -> Result<Data<'static>> {
        self.of_rows(rows, self.table.select_rows(rows), self.target.select_rows(rows)?)
    }

    /// These data with a table and a target of some rows, and the roles of these rows.
    fn of_rows(
        &self,
        rows: &[usize],
        table: Table<'static>,
        target: Target,
    ) -> Result<Data<'static>> {
        let of_strata = |strata: &Classes| {
            let codes: Vec<u32> = rows.iter().map(|&row| strata.codes()[row]).collect();
            Classes::from_codes(&codes, strata.names())
        };
        Ok(Data {
            table,
            target,
            unadjusted: self.unadjusted.as_ref().map(|own| own.select_rows(rows)).transpose()?,
            target_name: self.target_name.clone(),
            target_columns: self.target_columns.clone(),
            strata: self.strata.as_ref().map(of_strata).transpose()?,
            groups: self.groups.as_ref().map(|groups| groups.select_rows(rows)),
            weights: self.weights.as_ref().map(|weights| weights.select_rows(rows)),
            priors: self.priors.clone(),
            covariates: self.covariates.as_ref().map(|own| own.select_rows(rows)),
            blocks: self.blocks.clone(),
            unlabeled: self.unlabeled,
            warnings: self.warnings.clone(),
        })
    }

    /// The roles of the rows, and the blocks of features.
    pub fn roles(&self) -> Roles<'_> {
        Roles::default()
            .with_groups(self.groups.as_ref())
            .with_strata(self.strata.as_ref())
            .with_weights(self.weights.as_ref())
            .with_priors(self.priors.as_ref())
            .with_covariates(self.covariates.as_ref())
            .with_blocks(self.blocks.as_ref())
    }

    /// The permutations of the target that a test draws.
    ///
    /// # Errors
    /// The errors of [`Permutations::new`].
    pub fn permutations(&self, run: &Run) -> Result<Permutations<'_>> {
        Permutations::new(&self.target, self.roles(), run)
    }

    /// The problem that a method is fitted to.
    ///
    /// # Errors
    /// The errors of [`Problem::new`] and [`Problem::with_roles`].
    pub fn problem(&self) -> Result<Problem<'_>> {
        self.problem_of(&self.table)
    }

    /// The problem with another table of the same rows.
    pub(crate) fn problem_of<'p>(&'p self, table: &'p Table<'p>) -> Result<Problem<'p>> {
        let problem = Problem::new(table, &self.target)?;
        let problem = match self.target_name.as_str() {
            "" => problem,
            name => problem.with_target_name(name),
        };
        problem.with_roles(self.roles())
    }
}

/// The data of a study: a file, and the options for reading it.
#[derive(Debug, Clone, Default)]
pub struct Source {
    /// The file, or [`STANDARD_INPUT`](basrelief_io::STANDARD_INPUT); for a table in memory, its name in messages.
    pub path: PathBuf,
    /// A table in memory, instead of that of a file.
    pub table: Option<RawTable>,
    /// Its format; if `None`, the ending of its name decides.
    pub format: Option<Format>,
    /// The character between the cells of a text file; if `None`, the first line decides.
    pub delimiter: Option<u8>,
    /// Whether the first line of a text file contains data instead of names.
    pub no_header: bool,
    /// Whether features are rows of the file, and samples its columns.
    pub transpose: bool,
    /// The file of properties of the samples, found by their names; one of them may be the target.
    pub phenotypes: Option<PathBuf>,
    /// The worksheet of a workbook; not needed if there is only one.
    pub sheet: Option<String>,
    /// The file of the names of the columns of a sparse matrix.
    pub names: Option<PathBuf>,
    /// The file of the targets of the rows of a sparse matrix; their name is [`SPARSE_TARGET`](basrelief_io::SPARSE_TARGET).
    pub target_file: Option<PathBuf>,
    /// The kinds of columns that the user specifies.
    pub kinds: KindOverrides,
    /// Columns that are excluded.
    pub dropped: Vec<String>,
    /// Additional texts that mark a missing value.
    pub missing: Vec<String>,
    /// The kind of the target; if `None`, the method decides.
    pub target_kind: Option<TargetKind>,
    /// The column that is 1 where the event of a survival time occurred; if it is stated, the target is survival times.
    pub event: Option<String>,
    /// The file of a hierarchy of labels, a table with the columns `label` and `parent`: the target is the labels of a row and
    /// their ancestors.
    pub target_tree: Option<PathBuf>,
    /// The choice of people and variants, if the data are a cohort.
    pub cohort: Option<CohortChoice>,
}

impl Source {
    /// A file that is read with default options.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), ..Self::default() }
    }

    /// Refuses a column with a role that is the target or excluded, before the data are read.
    ///
    /// # Errors
    /// The column is the target, or is excluded.
    pub fn check_roles(&self, roles: &RowRoles, target: &str) -> Result<()> {
        let are_relatives = self.cohort.as_ref().is_some_and(|own| own.grouped_above().is_some());
        let event = self.event.iter().map(|name| ("event", name.as_str(), "name another column"));
        for (option, name, help) in roles.columns().chain(event) {
            if option == "group" && are_relatives {
                continue;
            }
            let problem = if name == target {
                "the target"
            } else if self.dropped.iter().any(|dropped| dropped == name) {
                "excluded"
            } else {
                continue;
            };
            return Err(Error::option(option, format!("{} is {problem}", quoted(name)), help));
        }
        if self.cohort.is_some() && self.kinds.unlabeled.is_some() {
            return Err(Error::option(
                "unlabeled",
                "people without a phenotype are excluded",
                "use a table instead of a cohort, or remove the option",
            ));
        }
        Ok(())
    }

    /// Reads the variants of all chromosomes if the data are a cohort, unless chromosomes are named.
    pub fn take_all_chromosomes(&mut self) {
        if let Some(cohort) = &mut self.cohort {
            cohort.take_all_chromosomes();
        }
    }

    /// Reads columns with the kinds that they had in a fit, if the file contains them.
    pub fn take_as_encoded(&mut self, encoding: &Encoding) {
        let KindOverrides {
            numeric_if_present, categorical_if_present, ordinal_if_present, ..
        } = &mut self.kinds;
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

    /// The numbering of the chromosomes, if the data are a cohort.
    pub fn genome(&self) -> Genome {
        self.cohort.as_ref().map(CohortChoice::genome).unwrap_or_default()
    }

    /// The path of the file, the name of the table, or `standard input`, for messages.
    pub fn name(&self) -> &Path {
        if self.is_file() { &self.path } else { Path::new("standard input") }
    }

    /// Whether the data can be read again.
    pub fn is_file(&self) -> bool {
        self.path != Path::new(basrelief_io::STANDARD_INPUT)
    }

    /// The kind of the target; `usual` is the one that the method requires.
    fn target_kind(&self, usual: TargetKind) -> TargetKind {
        match self.event {
            // The times.
            Some(_) => TargetKind::Real,
            None if self.target_tree.is_some() => {
                self.target_kind.unwrap_or(TargetKind::PreferClasses)
            }
            None => self.target_kind.unwrap_or(usual),
        }
    }

    /// Reads features and target.
    pub fn problem(&self, target: &str, usual: TargetKind, run: &Run) -> Result<Data<'static>> {
        let kind = self.target_kind(usual);
        if let Some(choice) = &self.cohort {
            let cohort = choice.open_for_fit(&self.path, run)?;
            let CohortProblem { table, target, target_name, warnings, .. } =
                cohort.problem(kind, &self.kinds, &self.dropped, run)?;
            return Ok(Data::new(table, target, target_name, warnings));
        }
        let raw = self.raw(target, kind, true, run)?;
        let raw = with_named_annotations(raw, target, &[], &[])?;
        let target_name = target.to_string();
        let (table, target, warnings) =
            build_problem_parts(raw, target, kind, &self.kinds, &self.dropped)?;
        target.as_multi().map_or(Ok(()), MultiTarget::check_varies)?;
        Ok(Data::new(table, target, target_name, warnings))
    }

    /// Reads a table with its target. With `all_alike`, a kind that is stated for all columns applies to all except
    /// the target.
    fn raw(&self, target: &str, kind: TargetKind, all_alike: bool, run: &Run) -> Result<RawTable> {
        // Whether the target is a column or a list is known when the names of the columns are.
        let mut targets = target_names(target, std::iter::empty());
        targets.push(target.to_string());
        let exempt = targets.iter().cloned().chain(self.event.clone()).collect();
        // Classes that look like numbers keep their spelling only if the user declares them
        // classes.
        let keep_text = if kind == TargetKind::Classes { targets } else { Vec::new() };
        let mut options = ReadOptions { keep_text, exempt, ..self.options() };
        options.kinds.all = options.kinds.all.filter(|_| all_alike);
        self.table(&options, run)
    }

    /// The table in memory, or that of the file.
    fn table(&self, options: &ReadOptions, run: &Run) -> Result<RawTable> {
        match &self.table {
            Some(table) => Ok(table.clone()),
            None => read_table(&self.path, options, run),
        }
    }

    /// Reads features and target, and the columns of other roles, which are not features.
    ///
    /// # Errors
    /// The errors of [`problem`](Self::problem); a column does not exist, has a missing value, or has only one value;
    /// no row has a weight above 0; priors of other classes.
    pub fn read(
        &self,
        target: &str,
        usual: TargetKind,
        roles: &RowRoles,
        covariates: Option<&CovariateUse>,
        run: &Run,
    ) -> Result<Data<'static>> {
        if let Some(covariates) = covariates {
            check_names(covariates, target)?;
        }
        let read = match &self.cohort {
            Some(choice) => self.cohort_beside(choice, usual, roles, run)?,
            None => self.table_beside(target, usual, (roles, covariates), run)?,
        };
        let data = self.sorted_out(read, (roles, covariates), run);
        data.map_err(|error| error.in_file(self.name()))
    }

    /// Reads a cohort, with its columns of covariates.
    fn cohort_beside(
        &self,
        choice: &CohortChoice,
        usual: TargetKind,
        roles: &RowRoles,
        run: &Run,
    ) -> Result<Read> {
        let mut cohort = choice.open_for_fit(&self.path, run)?;
        let mut related = None;
        if let (Some(cutoff), Some(_)) = (choice.grouped_above(), &roles.group) {
            cohort = cohort.with_known_phenotypes()?;
            related = Some(RelativeGroups::find(&cohort, cutoff, run)?);
        }
        let kind = self.target_kind(usual);
        let problem = cohort.problem(kind, &self.kinds, &self.dropped, run)?;
        let CohortProblem { table, target, target_name, target_columns, .. } = problem;
        let CohortProblem { covariates, people, families, .. } = problem;
        let mut warnings = problem.warnings;
        let group = roles.group_name().filter(|_| related.is_none());
        for (option, name, _) in roles.columns() {
            if option == "group" && group.is_none_or(|name| name == FAMILIES) {
                continue;
            }
            if covariates.is_none() {
                return Err(Error::option(
                    option,
                    format!("no file contains the column {}", quoted(name)),
                    ways(&[
                        format!("use {} to name a file with such a column", setting("covar", None)),
                        "omit the option".to_string(),
                    ]),
                ));
            }
        }
        let mut beside = covariates.map_or_else(Vec::new, Table::into_columns);
        if group == Some(FAMILIES) {
            check_families(&families)?;
            beside.push(families.with_name(FAMILIES));
        }
        if let Some(related) = related {
            warnings.push(related.note());
            beside.push(related.column(&people, &beside)?);
        }
        let people = Some(people);
        Ok(Read { table, target, target_name, target_columns, beside, people, warnings })
    }

    /// Reads a table, and separates the columns that are not features.
    fn table_beside(
        &self,
        target: &str,
        usual: TargetKind,
        (row_roles, covariates): (&RowRoles, Option<&CovariateUse>),
        run: &Run,
    ) -> Result<Read> {
        let kind = self.target_kind(usual);
        // A kind for `all` columns applies to features.
        let roles = row_roles.columns().map(|(_, name, _)| name).chain(self.event.as_deref());
        let roles: Vec<&str> = roles.collect();
        let all_alike = covariates.is_none() && roles.is_empty();
        let raw = self.raw(target, kind, all_alike, run)?;
        let wanted = covariates.map_or(&[][..], |covariates| covariates.names.as_slice());
        let raw = with_named_annotations(raw, target, &roles, wanted)?;
        let mut overrides = self.kinds.clone();
        let names: Vec<&str> = raw.columns.iter().map(|column| column.name.as_str()).collect();
        let located = |error: DataError| Error::from(error).in_file(self.name());
        let places = named_places(wanted, &names).map_err(located)?;
        let target_columns = target_names(target, names.iter().copied());
        let is_target = |name: &str| target_columns.iter().any(|own| own == name);
        for (option, name, help) in row_roles.columns() {
            if is_target(name) {
                let problem = format!("{} is one of the targets", quoted(name));
                return Err(Error::option(option, problem, help));
            }
        }
        let mut beside: HashSet<String> =
            places.into_iter().map(|place| names[place].to_string()).collect();
        overrides.exempt.extend(beside.iter().cloned());
        for &role in &roles {
            let is_stated = overrides.names().any(|stated| stated == role);
            if row_roles.weight.as_deref() == Some(role) {
                // A cell that is not a number is then an error that names the cell.
                if !is_stated {
                    overrides.numeric.push(role.to_string());
                }
            } else if overrides.all.is_some() && !is_stated {
                overrides.categorical.push(role.to_string());
            }
            beside.insert(role.to_string());
        }
        let target_name = target.to_string();
        let (table, target, warnings) =
            build_problem_parts(raw, target, kind, &overrides, &self.dropped)?;
        for role in roles {
            table.find(role).map_err(|error| error.in_file(self.name()))?;
        }
        let (beside, features): (Vec<_>, Vec<_>) =
            table.into_columns().into_iter().partition(|column| beside.contains(column.name()));
        if features.is_empty() {
            let error = Error::data(
                "no feature remains after the target and the excluded columns",
                "give a table with more columns",
            );
            return Err(error.in_file(self.name()));
        }
        let beside = as_covariates(beside, |name| overrides.kind_of(name).is_some())?;
        let table = Table::new(features)?;
        Ok(Read { table, target, target_name, target_columns, beside, people: None, warnings })
    }

    /// Makes strata, groups, weights and covariates of the columns that are not features.
    fn sorted_out(
        &self,
        mut read: Read,
        (roles, arguments): (&RowRoles, Option<&CovariateUse>),
        run: &Run,
    ) -> Result<Data<'static>> {
        if let Some(event) = &self.event {
            read.join_events(event)?;
        }
        if let Some(file) = &self.target_tree {
            read.target = read.target.in_tree(&read_label_tree(file, run)?)?;
        }
        read.target.as_multi().map_or(Ok(()), MultiTarget::check_varies)?;
        let of_rows =
            roles.weight.as_deref().map(|name| read.without_weight_0(name)).transpose()?;
        let Read { mut table, mut target, target_name, .. } = read;
        let Read { target_columns, beside: columns, people, mut warnings, .. } = read;
        let own_names = arguments.map_or(&[][..], |covariates| covariates.names.as_slice());
        let find = |name: Option<&str>| -> Result<Option<Column<'static>>> {
            let Some(name) = name else { return Ok(None) };
            column_of(&columns, name).cloned().map(Some)
        };
        let group_name = roles.group_name();
        let (mut strata_column, mut group_column) =
            (find(roles.within.as_deref())?, find(group_name)?);
        let mut weights = of_rows;
        // The rows of a stated group are known to be repeated.
        let others = columns.iter().filter(|column| Some(column.name()) != group_name);
        warnings.extend(repeated_rows(others.map(|column| (column, ColumnRole::Other)), &target));
        if group_column.is_some() {
            warnings.retain(|warning| warning.code() != "repeated-rows");
        }
        // Strata and groups are covariates too if they are named as such.
        let names: Vec<&str> = columns.iter().map(Column::name).collect();
        let named: HashSet<String> = named_places(own_names, &names)?
            .into_iter()
            .map(|place| names[place].to_string())
            .collect();
        let is_covariate = |column: &Column<'_>| {
            let name = column.name();
            roles.columns().all(|(_, role, _)| role != name) || named.contains(name)
        };
        if let (Some(strata), Some(arguments)) = (&strata_column, arguments)
            && !is_covariate(strata)
        {
            warnings.extend(arguments.without_groups(strata.name()));
        }
        let columns: Vec<Column<'static>> = columns.into_iter().filter(is_covariate).collect();
        let (mut used, mut unadjusted) = (None, None);
        if let Some(arguments) = arguments
            && !columns.is_empty()
        {
            let mut known = Table::new(columns)?;
            let row_name = |row: usize| match &people {
                Some(people) => people[row].clone(),
                None => format!("row {}", row + 1),
            };
            if let Some(rows) = arguments.complete_rows(&known, row_name, &mut warnings)? {
                (table, target) = (table.select_rows(&rows), target.select_rows(&rows)?);
                strata_column = strata_column.map(|column| column.select_rows(&rows));
                group_column = group_column.map(|column| column.select_rows(&rows));
                weights = weights.map(|weights| weights.select_rows(&rows));
                known = known.select_rows(&rows);
            }
            let (covariates, residuals) =
                arguments.used(known, &target, weights.as_ref(), run, &mut warnings)?;
            if let Some(residuals) = residuals {
                unadjusted = Some(std::mem::replace(&mut target, residuals));
            }
            used = covariates;
        }
        let strata = strata_column.as_ref().map(strata).transpose()?;
        let groups = match (&group_column, &roles.group) {
            (Some(column), Some(asked)) => Some(Groups::from_column(column, asked.weight)?),
            _ => None,
        };
        if let (Some(groups), Some(name)) = (&groups, group_name)
            && name != RELATIVES
            && !groups.are_repeated()
        {
            warnings.push(Warning::new(
                "single-rows",
                format!(
                    "every row has another value of {}, so that the groups have no effect",
                    quoted(name)
                ),
            ));
        }
        if let Some(priors) = &roles.priors {
            priors.check(&target)?;
        }
        let priors = roles.priors.clone();
        Ok(Data {
            table,
            target,
            unadjusted,
            target_name,
            target_columns,
            strata,
            groups,
            weights,
            priors,
            covariates: used,
            blocks: None,
            unlabeled: 0,
            warnings,
        })
    }

    /// Reads only the features.
    pub fn features(&self, run: &Run) -> Result<(Table<'static>, Vec<Warning>)> {
        if let Some(choice) = &self.cohort {
            let cohort = choice.open(&self.path, run)?;
            return cohort.features(&self.kinds, &self.dropped, run);
        }
        build_table(self.table(&self.options(), run)?, &self.kinds, &self.dropped)
    }

    /// Writes columns of the table, with all cells unchanged, to a file or as CSV to a writer.
    pub fn copy(
        &self,
        names: &HashSet<&str>,
        target: &str,
        output: std::result::Result<&Path, &mut Vec<u8>>,
        run: &Run,
    ) -> Result<()> {
        if let Some(choice) = &self.cohort {
            let table = choice.open_for_names(&self.path, run)?.columns(names, run)?;
            return match output {
                Ok(file) => write_table(file, &table, run),
                Err(writer) => write_csv_to(writer, &table, None, run),
            };
        }
        let exempt = [Some(target), self.event.as_deref()].into_iter().flatten();
        let exempt = exempt.map(str::to_string).collect();
        let options = ReadOptions { exempt, ..self.options() };
        match output {
            Ok(file) => copy_columns(&self.path, &options, names, file, run),
            Err(writer) => copy_columns_to(&self.path, &options, names, writer, run),
        }
    }

    fn options(&self) -> ReadOptions {
        ReadOptions {
            format: self.format,
            delimiter: self.delimiter,
            kinds: self.kinds.clone(),
            keep_text: Vec::new(),
            exempt: Vec::new(),
            missing: self.missing.clone(),
            skip: self.dropped.clone(),
            has_header: !self.no_header,
            transpose: self.transpose,
            phenotypes: self.phenotypes.clone(),
            sheet: self.sheet.clone(),
            names: self.names.clone(),
            target_file: self.target_file.clone(),
            ..ReadOptions::default()
        }
    }
}

/// Adds the annotations of a table that are a target, have a role or are covariates, whose names may be ranges.
///
/// # Errors
/// The errors of [`RawTable::with_annotations`].
fn with_named_annotations(
    raw: RawTable,
    target: &str,
    roles: &[&str],
    covariates: &[String],
) -> Result<RawTable> {
    let all: Vec<String> =
        raw.columns.iter().chain(&raw.annotations).map(|column| column.name.clone()).collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let targets = target_names(target, all.iter().copied());
    // Unknown names are reported when the covariates are separated.
    let places = named_places(covariates, &all).unwrap_or_default();
    let named = targets.iter().map(String::as_str).chain(roles.iter().copied());
    raw.with_annotations(named.chain(places.into_iter().map(|place| all[place])))
}

/// Refuses family IDs that more people share than a family has.
///
/// # Errors
/// Such an ID, which the message names.
fn check_families(families: &Column<'_>) -> Result<()> {
    let families = strata(families)?;
    let largest = families.counts().iter().zip(families.names()).max_by_key(|(size, _)| **size);
    match largest.filter(|(size, _)| **size > LARGEST_FAMILY) {
        None => Ok(()),
        Some((size, name)) => Err(Error::option(
            "group",
            format!(
                "{size} people have the family ID {}: it looks like a population or a center, not a family",
                quoted(name.strip_prefix("family ").unwrap_or(name))
            ),
            format!(
                "for populations, use {} with a column of a covariate file; for families, correct the family IDs",
                setting("within", Some("COLUMN"))
            ),
        )),
    }
}

/// A problem as it was read, with the columns that are not features.
struct Read {
    table: Table<'static>,
    target: Target,
    target_name: String,
    target_columns: Vec<String>,
    beside: Vec<Column<'static>>,
    /// The names of the rows of a cohort.
    people: Option<Vec<String>>,
    warnings: Vec<Warning>,
}

impl Read {
    /// Excludes rows of weight 0 in the column `name`, and returns the weights of the remaining rows.
    ///
    /// # Errors
    /// An unknown column; texts; a weight that is missing, negative or infinite; no weight above 0.
    fn without_weight_0(&mut self, name: &str) -> Result<RowWeights> {
        let weights = RowWeights::read(column_of(&self.beside, name)?)?;
        let rows = RowWeights::positive_rows(name, &weights)?;
        let excluded = weights.len() - rows.len();
        if excluded > 0 {
            self.warnings.push(Warning::new(
                "rows-of-weight-0",
                format!(
                    "{excluded} of {} rows have weight 0 in {} and were excluded",
                    weights.len(),
                    quoted(name)
                ),
            ));
            self.select_rows(&rows)?;
        }
        RowWeights::new(name, rows.into_iter().map(|row| weights[row]).collect())
    }

    /// Keeps some rows.
    fn select_rows(&mut self, rows: &[usize]) -> Result<()> {
        self.table = self.table.select_rows(rows);
        self.target = self.target.select_rows(rows)?;
        self.beside.iter_mut().for_each(|column| *column = column.select_rows(rows));
        if let Some(people) = &mut self.people {
            *people = rows.iter().map(|&row| std::mem::take(&mut people[row])).collect();
        }
        Ok(())
    }

    /// Makes survival times of the target, which holds the times, and the column of events, which is removed. Rows
    /// without a known event are excluded, with a warning.
    ///
    /// # Errors
    /// An unknown column; values that are not events; negative times; no event.
    fn join_events(&mut self, name: &str) -> Result<()> {
        let (events, doubt) = survival_events(column_of(&self.beside, name)?)?;
        self.warnings.extend(doubt);
        let rows: Vec<usize> = (0..events.len()).filter(|&row| events[row].is_some()).collect();
        if rows.len() < events.len() {
            self.warnings.push(Warning::new(
                "rows-left-out",
                format!(
                    "{} of {} rows have no value in {} and were excluded",
                    events.len() - rows.len(),
                    events.len(),
                    quoted(name)
                ),
            ));
            self.select_rows(&rows)?;
        }
        self.beside.retain(|column| column.name() != name);
        let times = self.target.values("survival")?.to_vec();
        let survival = Survival::new(times, events.into_iter().flatten().collect());
        self.target = survival.map_err(|error| located(error, &self.target_name))?.into();
        Ok(())
    }
}

/// The file of a hierarchy of labels.
const HIERARCHY: ListedPairs = ListedPairs { what: "the hierarchy", columns: ["label", "parent"] };

/// Reads a hierarchy of labels; a label without a parent is at the top.
///
/// # Errors
/// The file cannot be read; a row without a label; the errors of [`LabelTree::new`].
fn read_label_tree(file: &Path, run: &Run) -> Result<LabelTree> {
    let mut pairs = Vec::new();
    for (row, (label, parent)) in HIERARCHY.read(file, run)?.into_iter().enumerate() {
        pairs.push((label.ok_or_else(|| HIERARCHY.missing(row, 0, file))?, parent));
    }
    LabelTree::new(&pairs).map_err(|error| error.in_file(file))
}

/// Adds the name of a column to an error about its values.
fn located(error: Error, column: &str) -> Error {
    match error {
        Error::Data(error) => error.in_column(column).into(),
        other => other,
    }
}

/// The column of a name among those that are not features.
///
/// # Errors
/// None has the name.
fn column_of<'c>(columns: &'c [Column<'static>], name: &str) -> Result<&'c Column<'static>> {
    columns.iter().find(|column| column.name() == name).ok_or_else(|| {
        let names: Vec<&str> = columns.iter().map(Column::name).collect();
        let error = DataError::new(
            format!("unknown column {}", quoted(name)),
            format!("the file of covariates has the columns {}", names.join(", ")),
        );
        error.into()
    })
}
