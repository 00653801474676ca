//! Methods that can be computed in parts, the specification of a fit (method, options and seed), and the procedure
//! that follows from it.

use serde::{Deserialize, Serialize};

use crate::data::{ColumnKind, Table};
use crate::differences::{Feature, Space};
use crate::error::{Error, Result};
use crate::methods::{
    MAP_METHODS, METHODS, MapMethodInfo, MapSteps, MethodInfo, Origin, Problem, Reweighting,
    Settings, Steps, joined,
};
use crate::neighbors::{ROWS_OF_BLOCK_UNIT, RowBlocks, SearchJob, rows_of_block};
use crate::report::Report;
use crate::run::Run;
use crate::wording;

/// A method of a fit in parts.
#[derive(Debug, Clone, Copy)]
pub enum PartedMethod {
    /// It computes a weight of every feature.
    Weights(&'static MethodInfo),
    /// It learns a map.
    Map(&'static MapMethodInfo),
}

impl From<&'static MethodInfo> for PartedMethod {
    fn from(info: &'static MethodInfo) -> Self {
        Self::Weights(info)
    }
}

impl From<&'static MapMethodInfo> for PartedMethod {
    fn from(info: &'static MapMethodInfo) -> Self {
        Self::Map(info)
    }
}

impl PartedMethod {
    /// The method of that name, which computes feature weights or whose map can be learned in parts.
    ///
    /// # Errors
    /// There is none.
    pub fn named(name: &str) -> Result<Self> {
        let map = MAP_METHODS.iter().find(|info| info.name == name && info.in_parts());
        match map {
            Some(info) => Ok(Self::Map(info)),
            None => crate::methods::method(name).map(Self::Weights),
        }
    }

    /// Its name on the command line and in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Weights(info) => info.name,
            Self::Map(info) => info.name,
        }
    }

    /// Resolves and checks options given as texts, by option name or flag.
    ///
    /// # Errors
    /// As [`Settings::resolve`].
    pub fn settings<N: AsRef<str>, V: AsRef<str>>(self, given: &[(N, V)]) -> Result<Settings> {
        match self {
            Self::Weights(info) => info.settings(given),
            Self::Map(info) => info.settings(given),
        }
    }
}

/// The method of a fit with its options, and the seed, which draws the sampled rows.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "WrittenFit", into = "WrittenFit")]
pub(super) struct FitSpec {
    pub(super) method: PartedMethod,
    pub(super) settings: Settings,
    pub(super) seed: u64,
}

/// A [`FitSpec`] as it is written.
#[derive(Serialize, Deserialize)]
struct WrittenFit {
    method: String,
    options: Vec<(String, String)>,
    seed: u64,
}

impl From<FitSpec> for WrittenFit {
    fn from(fit: FitSpec) -> Self {
        let options =
            fit.settings.iter().map(|(name, value)| (name.to_string(), value.to_string()));
        let (method, seed) = (fit.method.name().to_string(), fit.seed);
        Self { method, options: options.collect(), seed }
    }
}

impl TryFrom<WrittenFit> for FitSpec {
    type Error = Error;

    fn try_from(text: WrittenFit) -> Result<Self> {
        let method = PartedMethod::named(&text.method)?;
        Ok(Self { method, settings: method.settings(&text.options)?, seed: text.seed })
    }
}

impl PartialEq for FitSpec {
    fn eq(&self, other: &Self) -> bool {
        let key = |fit: &Self| (fit.method.name(), fit.seed);
        key(self) == key(other) && self.settings == other.settings
    }
}

impl FitSpec {
    pub(super) fn new(method: PartedMethod, settings: &Settings, run: &Run) -> Self {
        Self { method, settings: settings.clone(), seed: run.seed() }
    }

    /// Whether the method learns a map.
    pub(super) fn makes_map(&self) -> bool {
        matches!(self.method, PartedMethod::Map(_))
    }

    /// The run, with the seed of the fit.
    pub(super) fn run(&self, run: &Run) -> Run {
        run.asking_for(&[]).with_seed(self.seed)
    }

    /// The method, which must compute feature weights.
    pub(super) fn weighting(&self) -> Result<&'static MethodInfo> {
        match self.method {
            PartedMethod::Weights(info) => Ok(info),
            PartedMethod::Map(info) => Err(Error::option(
                "method",
                format!("{} learns a map and ranks nothing", wording::method(info.name)),
                "merge its parts to a map",
            )),
        }
    }

    /// The map that the method learns from the pairs of a search.
    pub(super) fn map<'s, 'p>(&self, search: &'s SearchSteps<'p>) -> Result<&'s MapSteps<'p>> {
        search.map.as_ref().ok_or_else(|| {
            let what = format!("the plan is of {}, which computes weights", self.method.name());
            Error::data(what, "merge its parts to weights")
        })
    }

    /// Rows of a block, as requested or determined by the data, a multiple of the unit of the search.
    pub(super) fn block_rows(
        &self,
        asked: Option<usize>,
        rows: usize,
        kinds: impl Iterator<Item = ColumnKind>,
    ) -> Result<usize> {
        // The scaled rows of a map are numbers, whatever their columns are.
        let kind = |kind| if self.makes_map() { ColumnKind::Numeric } else { kind };
        match asked {
            Some(0) => {
                let help = "give a number above 0; it is rounded up to a multiple of 256";
                Err(Error::option("block_rows", "found 0", help))
            }
            Some(asked) => Ok(asked.min(rows).next_multiple_of(ROWS_OF_BLOCK_UNIT)),
            None => Ok(rows_of_block(rows, kinds.map(|own| kind(own).bits()).sum::<u64>() / 8)),
        }
    }

    /// The procedure for a problem, in blocks of `block_rows`. The warnings of the method about the problem
    /// go to the report.
    pub(super) fn procedure<'p>(
        &self,
        problem: &Problem<'p>,
        block_rows: usize,
        report: &mut Report,
        run: &Run,
    ) -> Result<Procedure<'p>> {
        let (name, roles) = (self.method.name(), problem.roles());
        let refused = || cannot(name);
        let (mut steps, map) = match self.method {
            PartedMethod::Map(info) => {
                roles.refuse(name)?;
                let map = info.steps(problem, &self.settings)?.ok_or_else(refused)?;
                (map.search(problem.table())?, Some(map))
            }
            PartedMethod::Weights(info) => {
                if let Some(reweighting) = info.reweighting(problem, &self.settings)? {
                    roles.refuse(name)?;
                    return Ok(Procedure::Iterations(reweighting));
                }
                (info.steps(problem, &self.settings, report, run)?.ok_or_else(refused)?, None)
            }
        };
        if !steps.profile.is_empty() {
            return Err(Error::option(
                "n_neighbors",
                "weights for several numbers of neighbors are not computed in parts",
                "state one number of neighbors",
            ));
        }
        let query = steps.query_rows(roles.eligible().as_ref(), report, run);
        steps.sampled = query.map_err(|error| problem.locate(error))?.into_owned();
        let rows = problem.table().rows();
        let job = SearchJob::new(rows, &steps.sampled, steps.grouping, steps.rule, block_rows);
        let job = job.with_masses(roles.masses());
        Ok(Procedure::Search(Box::new(SearchSteps { steps, job, map, problem: *problem })))
    }

    /// The blocks of rows of a procedure.
    pub(super) fn row_blocks(
        &self,
        procedure: &Procedure<'_>,
        asked: Option<usize>,
    ) -> Result<RowBlocks> {
        match (procedure, asked) {
            (Procedure::Search(search), _) => Ok(search.job.row_blocks()),
            (Procedure::Iterations(own), None) => {
                Ok(RowBlocks::new(own.order.len(), own.order.len(), own.block_rows))
            }
            (Procedure::Iterations(_), Some(asked)) => {
                let name = wording::method(self.method.name());
                let problem =
                    format!("found {asked}, and blocks of {name} follow from the data alone");
                Err(Error::option("block_rows", problem, "leave it out"))
            }
        }
    }
}

/// The computation of a fit in parts.
pub(super) enum Procedure<'p> {
    /// One search for neighbors, and sums or a scatter over their pairs.
    Search(Box<SearchSteps<'p>>),
    /// Sums again and again, under weights that follow from those before.
    Iterations(Reweighting<'p>),
}

/// A search, and the computations before and after it.
pub(super) struct SearchSteps<'p> {
    pub(super) steps: Steps<'p>,
    pub(super) job: SearchJob<'p>,
    /// The map that is made from the pairs, if the method learns one.
    pub(super) map: Option<MapSteps<'p>>,
    /// The target and the roles of the rows.
    problem: Problem<'p>,
}

impl<'p> SearchSteps<'p> {
    /// The space of some rows, as of [`Steps::space_of_rows`].
    pub(super) fn space_of_rows<'t>(
        &self,
        table: &'t Table<'t>,
        rows: &[u32],
        features: Vec<Feature<'t>>,
    ) -> Space<'t> {
        self.steps.space_of_rows(table, rows, features, self.problem.roles())
    }
}

impl<'p> Procedure<'p> {
    /// The search of a method that has one.
    pub(super) fn search(&self) -> Result<&SearchSteps<'p>> {
        match self {
            Self::Search(search) => Ok(search),
            Self::Iterations(_) => Err(Error::Internal("iterations have no search".to_string())),
        }
    }

    /// The iterations of an iterative method.
    pub(super) fn iterations(&self) -> Result<&Reweighting<'p>> {
        match self {
            Self::Iterations(reweighting) => Ok(reweighting),
            Self::Search(_) => Err(Error::Internal("the method is not iterative".to_string())),
        }
    }

    /// All rows in the order that blocks are cut from.
    pub(super) fn order(&self) -> &[u32] {
        match self {
            Self::Search(search) => search.job.order(),
            Self::Iterations(reweighting) => &reweighting.order,
        }
    }

    /// Passes on the columns that the rows are compared by, without covariates: the centered and scaled ones
    /// and their origin if the method learns a map, and otherwise the table itself.
    pub(super) fn in_unit<R>(
        &self,
        table: &Table<'_>,
        then: impl FnOnce(&Table<'_>, Option<Origin>) -> Result<R>,
    ) -> Result<R> {
        match self {
            Self::Search(search) if let Some(map) = &search.map => {
                let scaled = map.scaled(table)?;
                then(&scaled.table()?, Some(scaled.origin.clone()))
            }
            _ => then(table, None),
        }
    }

    /// Passes on the space that a search compares rows in: that of [`in_unit`](Self::in_unit), with the covariates
    /// that count in distances.
    pub(super) fn in_searched_space<R>(
        &self,
        table: &Table<'_>,
        run: &Run,
        then: impl FnOnce(&Space<'_>, Option<Origin>) -> Result<R>,
    ) -> Result<R> {
        self.in_unit(table, |columns, origin| {
            let joined = self.with_covariates(columns)?;
            then(&self.space_of(joined.as_ref().unwrap_or(columns), run)?, origin)
        })
    }

    /// A table of all features beside the covariates that count in distances, if there are any.
    pub(super) fn with_covariates<'t>(&self, table: &Table<'t>) -> Result<Option<Table<'t>>>
    where
        'p: 't,
    {
        match self {
            Self::Search(search) => joined(table, &search.problem.roles()),
            Self::Iterations(_) => Ok(None),
        }
    }

    /// The space of a table that has some of the columns, or all.
    pub(super) fn space_of<'t>(&self, table: &'t Table<'t>, run: &Run) -> Result<Space<'t>> {
        match self {
            Self::Search(search) => {
                let SearchSteps { steps, problem, .. } = &**search;
                steps.space_with_roles(table, (&steps.sampled, problem), run)
            }
            Self::Iterations(own) => Space::new(table, Some(own.conditional), own.space, run),
        }
    }

    /// The space of features without the values of their columns.
    pub(super) fn space_of_features(&self, features: Vec<Feature<'p>>) -> Space<'p> {
        match self {
            Self::Search(search) => {
                let rows: Vec<u32> = (0..search.job.order().len() as u32).collect();
                search.space_of_rows(search.steps.table, &rows, features)
            }
            Self::Iterations(own) => {
                Space::of_features(own.table, Some(own.conditional.0), own.space, features)
            }
        }
    }
}

/// The error for a method that cannot be computed in parts; it lists those that can.
fn cannot(name: &str) -> Error {
    let weighting = METHODS.iter().filter(|info| info.in_parts()).map(|info| info.name);
    let maps = MAP_METHODS.iter().filter(|info| info.in_parts()).map(|info| info.name);
    Error::option(
        "method",
        format!("{} cannot be computed in parts yet", wording::method(name)),
        format!("these can: {}", weighting.chain(maps).collect::<Vec<_>>().join(", ")),
    )
}
