//! The scatter of all pairs, of which every part adds up some tiles, and the map made from it.

use std::collections::BTreeMap;
use std::time::Instant;

use rayon::prelude::*;

use super::cut::Cut;
use super::draft::Draft;
use super::fit_spec::SearchSteps;
use super::panels::{Panel, blocks_of, columns_of_block, panels};
use super::plan::Plan;
use super::stage::Stage;
use super::tasks::Results;
use super::wire::{Packed, damaged};
use crate::data::{DenseMatrix, Table, column_warnings};
use crate::error::{Error, Result};
use crate::maps::{LinearMap, Map};
use crate::margins::scatter::{Scatter, column_blocks};
use crate::methods::{MapSteps, Origin, Problem};
use crate::report::{Fitted, Report};
use crate::run::Run;
use crate::warning::Warning;

impl Plan {
    /// The columns that a part of the scatter requires.
    pub(super) fn columns_of_scatter(&self, part: usize) -> Result<Vec<usize>> {
        let blocks = self.blocks_of_scatter(part)?.into_iter();
        Ok(blocks.flat_map(|block| columns_of_block(block, self.width())).collect())
    }

    fn panels_of(&self, part: usize) -> Result<Vec<Panel>> {
        let items = self.existing(Stage::Scatter, part)?.part(part);
        Ok(panels(self.width(), self.data.facts.columns_together, items))
    }

    fn blocks_of_scatter(&self, part: usize) -> Result<Vec<usize>> {
        let panels = self.panels_of(part)?;
        let mut blocks: Vec<usize> =
            panels.into_iter().flat_map(|panel| panel.left.chain([panel.right])).collect();
        blocks.sort_unstable();
        blocks.dedup();
        Ok(blocks)
    }

    /// The tiles of a part, from a table of the columns that it requires and the neighbors of all rows.
    pub(super) fn scatter_of(
        &self,
        search: &SearchSteps<'_>,
        (part, table): (usize, &Table<'_>),
        lists: Results<'_>,
        run: &Run,
    ) -> Result<Vec<u8>> {
        let map = search.map()?;
        let weights =
            map.pair_weights(&*search.job.source(self.neighbors(lists), false, run)?)?;
        let values = map.scaled(table)?.values;
        let blocks: BTreeMap<usize, DenseMatrix> =
            self.blocks_of_scatter(part)?.into_iter().zip(column_blocks(&values)).collect();
        drop(values);
        let block = |number: usize| {
            let none = || Error::Internal(format!("block {number} of the columns is missing"));
            blocks.get(&number).ok_or_else(none)
        };
        let of_panel = |Panel { left, right }: Panel| {
            run.check()?;
            let left = left.map(block).collect::<Result<Vec<&DenseMatrix>>>()?;
            Ok(weights.tiles(&left, block(right)?))
        };
        let panels = self.panels_of(part)?;
        let tiles: Vec<Vec<DenseMatrix>> =
            run.install(|| panels.into_par_iter().map(of_panel).collect::<Result<_>>())?;
        let tiles: Vec<Packed<f64>> =
            tiles.into_iter().flatten().map(|tile| Packed(tile.into_values())).collect();
        self.sealed((Stage::Scatter, part), &tiles, run)
    }

    /// The complete scatter, from the results of all parts in their order.
    fn scatter(&self, results: Results<'_>) -> Result<DenseMatrix> {
        let mut scatter = Scatter::new(self.width());
        let results = self.results::<Vec<Packed<f64>>>(Stage::Scatter, results);
        for (part, tiles) in results.enumerate() {
            let mut tiles = tiles?.into_iter();
            for Panel { left, right } in self.panels_of(part)? {
                let columns = columns_of_block(right, self.width());
                for rows in left.map(|block| columns_of_block(block, self.width())) {
                    let tile = tiles.next().ok_or_else(|| damaged("a tile is missing"))?;
                    let tile = tile.of_length(rows.len() * columns.len())?;
                    let tile = DenseMatrix::new(tile, rows.len(), columns.len());
                    scatter.put((rows.start, columns.start), tile);
                }
            }
        }
        Ok(scatter.into_matrix())
    }

    /// The map of a method that learns one, from the results of all parts of [`Stage::Scatter`] in their order.
    /// Its report has the warnings of a fit on one machine; the seconds are those of the merge.
    ///
    /// # Errors
    /// The plan is of weights; the data have changed; a result is missing, of another version or plan, or
    /// damaged; [`Error::Cancelled`].
    pub fn merge_map(
        &self,
        problem: &Problem<'_>,
        tiles: Results<'_>,
        run: &Run,
    ) -> Result<Fitted<Map>> {
        let run = &self.data.fit.run(run);
        let start = Instant::now();
        let mut report = Report::default();
        self.data.fit.demand_map()?;
        let procedure = self.procedure(problem, &self.all_columns(), &mut report, run)?;
        let names = problem.table().names();
        let map = self.map_of((procedure.search()?.map()?, names), tiles, &mut report, run)?;
        report.warnings.extend(column_warnings(problem.table(), run)?);
        report.seconds = start.elapsed().as_secs_f64();
        Ok(Fitted { map: Map::Linear(map), report })
    }

    fn map_of(
        &self,
        (steps, names): (&MapSteps<'_>, Vec<String>),
        tiles: Results<'_>,
        report: &mut Report,
        run: &Run,
    ) -> Result<LinearMap> {
        let origin = self.data.facts.origin.clone();
        let origin = origin.ok_or_else(|| Error::Internal("a map without origin".to_string()))?;
        let [Packed(mean), Packed(units)] = origin;
        let origin = Origin { mean, units };
        steps.map(&self.scatter(tiles)?, (names, origin), report, run)
    }
}

impl Draft {
    /// The blocks of columns of every part of [`Stage::Scatter`]: one or two.
    ///
    /// # Errors
    /// A plan of another fit.
    pub fn scatter_pairs(&self, plan: &Plan) -> Result<Vec<(usize, usize)>> {
        self.demand(plan)?;
        Ok((0..plan.cut(Stage::Scatter).map_or(0, Cut::parts)).map(blocks_of).collect())
    }

    /// The map, and the warnings of a fit on one machine, from the results of all parts of [`Stage::Scatter`] in
    /// their order.
    ///
    /// # Errors
    /// Tiles that are missing, damaged or of another plan; [`Error::Cancelled`].
    pub fn merge_map(
        &self,
        plan: &Plan,
        tiles: &mut dyn Iterator<Item = Result<Vec<u8>>>,
        run: &Run,
    ) -> Result<(LinearMap, Vec<Warning>)> {
        self.demand(plan)?;
        let run = &plan.data.fit.run(run);
        let mut report = Report::default();
        let procedure = self.procedure(&mut report, run)?;
        let map = (procedure.search()?.map()?, self.all_named().0);
        let map = plan.map_of(map, tiles, &mut report, run)?;
        Ok((map, [report.warnings, plan.column_warnings()?].concat()))
    }
}
