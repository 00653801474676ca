//! The scatter of all pairs, of which every part adds up some tiles, and the map made from it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use super::draft::Draft;
use super::fit_spec::SearchSteps;
use super::panels::{columns_of_block, tiles};
use super::plan::Plan;
use super::stage::Stage;
use super::tasks::Results;
use super::wire::damaged;
use crate::data::{DenseMatrix, Table, column_warnings};
use crate::error::{Error, Result};
use crate::maps::{LinearMap, Map};
use crate::margins::scatter::{Scatter, column_blocks};
use crate::methods::Problem;
use crate::packed::Packed;
use crate::parallel;
use crate::report::{Fitted, Report};
use crate::run::Run;
use crate::warning::Warning;

impl Plan {
    /// The columns that a part of the scatter requires.
    pub(super) fn columns_of_scatter(&self, part: usize) -> Result<Vec<usize>> {
        let blocks = blocks_of_tiles(&self.tiles_of(part)?);
        Ok(blocks.into_iter().flat_map(|block| columns_of_block(block, self.width())).collect())
    }

    fn tiles_of(&self, part: usize) -> Result<Vec<(usize, usize)>> {
        let items = self.items(Stage::Scatter, part)?;
        Ok(tiles(self.width(), self.data.facts.columns_together, items))
    }

    /// The tiles of a part, from a table of the columns that it requires and the neighbors of all rows.
    pub(super) fn scatter_of(
        &self,
        search: &SearchSteps<'_>,
        (part, table): (usize, &Table<'_>),
        lists: Results<'_>,
        run: &Run,
    ) -> Result<Vec<u8>> {
        let map = self.data.fit.map(search)?;
        let weights =
            map.pair_weights(&*search.job.source(self.neighbors(lists), false, run)?)?;
        let values = map.scaled(table)?.values;
        let tiles = self.tiles_of(part)?;
        let numbers = blocks_of_tiles(&tiles).into_iter();
        let blocks: BTreeMap<usize, DenseMatrix> = numbers.zip(column_blocks(&values)).collect();
        drop(values);
        let sharing: Vec<&[(usize, usize)]> = tiles.chunk_by(|a, b| a.1 == b.1).collect();
        let computed = |tiles: &[(usize, usize)]| {
            run.check()?;
            let left: Vec<&DenseMatrix> = tiles.iter().map(|(left, _)| &blocks[left]).collect();
            Ok(weights.tiles(&left, &blocks[&tiles[0].1]))
        };
        let tiles = run.install(|| parallel::try_map(sharing, computed))?;
        let tiles: Vec<Packed<f64>> =
            tiles.into_iter().flatten().map(|tile| Packed(tile.into_values())).collect();
        self.sealed((Stage::Scatter, part), &tiles, run)
    }

    /// The complete scatter, from the results of all parts in their order.
    fn scatter(&self, results: Results<'_>) -> Result<DenseMatrix> {
        let mut scatter = Scatter::new(self.width());
        let results = self.results::<Vec<Packed<f64>>>(Stage::Scatter, results);
        for (part, values) in results.enumerate() {
            let (tiles, values) = (self.tiles_of(part)?, values?);
            if values.len() != tiles.len() {
                return Err(damaged("it has other tiles"));
            }
            for ((left, right), values) in tiles.into_iter().zip(values) {
                let [rows, columns] =
                    [left, right].map(|block| columns_of_block(block, self.width()));
                let values = values.of_length(rows.len() * columns.len())?;
                let tile = DenseMatrix::new(values, rows.len(), columns.len());
                scatter.put((rows.start, columns.start), tile);
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
        let procedure = self.procedure(problem, &self.all_columns(), &mut report, run)?;
        let names = problem.table().names();
        let map = self.map_of(procedure.search()?, names, tiles, &mut report, run)?;
        report.warnings.extend(column_warnings(problem.table(), run)?);
        report.seconds = start.elapsed().as_secs_f64();
        Ok(Fitted { model: Map::Linear(map), report })
    }

    fn map_of(
        &self,
        search: &SearchSteps<'_>,
        names: Vec<String>,
        tiles: Results<'_>,
        report: &mut Report,
        run: &Run,
    ) -> Result<LinearMap> {
        let map = self.data.fit.map(search)?;
        let origin = self.data.facts.origin.clone();
        let origin = origin.ok_or_else(|| Error::Internal("a map without origin".to_string()))?;
        map.map(&self.scatter(tiles)?, (names, origin), report, run)
    }
}

impl Draft {
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
        let names = self.names.clone();
        let map = plan.map_of(procedure.search()?, names, tiles, &mut report, run)?;
        Ok((map, [report.warnings, plan.data.facts.column_warnings.clone()].concat()))
    }
}

/// The blocks of some tiles, ascending.
fn blocks_of_tiles(tiles: &[(usize, usize)]) -> BTreeSet<usize> {
    tiles.iter().flat_map(|(left, right)| [*left, *right]).collect()
}
