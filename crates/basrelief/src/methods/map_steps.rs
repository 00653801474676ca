//! The two steps of a map that comes from a scatter: the neighbor search among the scaled rows, and the computation
//! of the map from the scatter of the pairs found. [`fit_map`](super::fit_map()) runs both; [`crate::distribute`]
//! runs them separately.

use super::Problem;
use super::fit_map::{Origin, center, check_rows, check_settings, linear_map, supervision_of};
use super::learn::{
    FromScatter, Learn, MapSettings, check_numbers, check_spread, cut, in_one_unit, wanted_of,
};
use super::options::KERNEL;
use super::shared::warn_of_small_classes;
use super::steps::Steps;
use crate::data::{Classes, DenseMatrix, Differences, Encoding, Roles, Table};
use crate::differences::SpaceOptions;
use crate::error::{Error, Result};
use crate::maps::LinearMap;
use crate::margins::scatter::PairWeights;
use crate::neighbors::{Grouping, NeighborRule, PairSource};
use crate::report::Report;
use crate::run::Run;
use crate::wording;

/// The separate steps of a method whose map comes from a scatter.
pub(crate) struct MapSteps<'p> {
    method: Box<dyn Learn>,
    settings: MapSettings,
    classes: &'p Classes,
}

/// Centered and scaled rows, with the means and scales of the original columns.
pub(crate) struct ScaledRows {
    pub(crate) values: DenseMatrix,
    pub(crate) origin: Origin,
}

impl ScaledRows {
    /// The rows as a table whose columns share one unit, for the neighbor search.
    ///
    /// # Errors
    /// The errors of [`Table::from_row_major`].
    pub(crate) fn table(&self) -> Result<Table<'_>> {
        in_one_unit(&self.values)
    }
}

impl<'p> MapSteps<'p> {
    /// The steps for a problem, from which only the number of rows and features and the target are used; `None` if
    /// the method's map does not come from a scatter.
    ///
    /// # Errors
    /// Settings or a target that [`fit_map`](super::fit_map()) refuses; a kernel; a form that requires all columns at
    /// once.
    pub(super) fn new(
        method: Box<dyn Learn>,
        problem: &Problem<'p>,
        settings: MapSettings,
    ) -> Result<Option<Self>> {
        let Some(of_scatter) = method.by_scatter() else { return Ok(None) };
        let name = wording::method(method.name());
        if settings.kernel.is_some() {
            return Err(Error::option(
                KERNEL.name,
                format!("{name} in a kernel's space cannot be computed in parts"),
                "omit it, or fit on one machine",
            ));
        }
        check_settings(&settings)?;
        of_scatter.check_parts()?;
        of_scatter.neighbors()?;
        check_rows(&*method, problem.table(), Some(problem.target()))?;
        let supervision = supervision_of(&*method, Some(problem.target()))?;
        let classes = supervision.classes().ok_or_else(|| {
            Error::Internal(format!("{} computes a scatter without classes", method.name()))
        })?;
        Ok(Some(Self { method, settings, classes }))
    }

    fn of_scatter(&self) -> Result<&dyn FromScatter> {
        let none = || Error::Internal(format!("{} does not compute a scatter", self.method.name()));
        self.method.by_scatter().ok_or_else(none)
    }

    /// Centers and scales the columns, each independently of the others.
    ///
    /// # Errors
    /// Categories or missing values, which only a fit on one machine supports; numbers so large that sums overflow.
    /// The error names the column.
    pub(crate) fn scaled(&self, table: &Table<'_>) -> Result<ScaledRows> {
        let of_parts = format!("{} in parts", self.method.name());
        let mut values =
            DenseMatrix::from_table(table, &of_parts).map_err(|error| match error {
                Error::Data(mut data) => {
                    data.help.push(", or fit on one machine, which supports such columns");
                    Error::Data(data)
                }
                other => other,
            })?;
        let encoding = Encoding::of_table(table, Differences::Squared);
        let origin = center(&mut values, &encoding, self.settings.scaling)?;
        Ok(ScaledRows { values, origin })
    }

    /// The neighbor search for all rows of a table.
    ///
    /// # Errors
    /// The method's options are out of range.
    pub(crate) fn search<'t>(&self, table: &'t Table<'t>) -> Result<Steps<'t>>
    where
        'p: 't,
    {
        let of_scatter = self.of_scatter()?;
        let codes: &'t [u32] = self.classes.codes();
        let name = self.method.name();
        Ok(Steps {
            profile: Vec::new(),
            table,
            sampled: (0..table.rows() as u32).collect(),
            conditional: None,
            space: SpaceOptions { metric: of_scatter.metric(), ..SpaceOptions::default() },
            grouping: Grouping::HitMiss(codes),
            rule: NeighborRule::Nearest(of_scatter.neighbors()?),
            search: None,
            columns_apart: true,
            weigh: Box::new(move |_, _, _| {
                Err(Error::Internal(format!("{name} does not compute weights")))
            }),
            two_classes: None,
            variances: None,
        })
    }

    /// The weights of the pairs of a search in the scatter.
    ///
    /// # Errors
    /// [`Error::Internal`] if the method does not compute a scatter.
    pub(crate) fn pair_weights(&self, source: &dyn PairSource) -> Result<PairWeights> {
        let rows = self.classes.codes().len();
        Ok(PairWeights::of_neighbors(rows, source, &self.of_scatter()?.signs()))
    }

    /// Checks that not all columns are constant.
    ///
    /// # Errors
    /// All columns are constant.
    pub(crate) fn check_spread(&self, is_constant: bool) -> Result<()> {
        check_spread(self.method.name(), is_constant)
    }

    /// Computes the map from a scatter over columns with these names. Warnings are added to the report in the same
    /// order as in a fit.
    ///
    /// # Errors
    /// The decomposition does not converge; [`Error::Cancelled`].
    pub(crate) fn map(
        &self,
        scatter: &DenseMatrix,
        (names, origin): (Vec<String>, Origin),
        report: &mut Report,
        run: &Run,
    ) -> Result<LinearMap> {
        let of_scatter = self.of_scatter()?;
        run.install(|| {
            let wanted = wanted_of(&self.settings, scatter.columns(), report);
            warn_of_small_classes(
                self.classes,
                Roles::default(),
                of_scatter.neighbors()?.k,
                report,
            );
            let found = of_scatter.directions(scatter, report, run)?;
            run.check()?;
            let dimensions = scatter.columns();
            let found =
                cut(found, (wanted, dimensions), (self.method.name(), &self.settings), report);
            check_numbers(&found, self.method.name())?;
            Ok(linear_map(found, names, origin))
        })
    }
}
