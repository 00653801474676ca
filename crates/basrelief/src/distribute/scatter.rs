//! The scatter of all pairs, of which every part adds up some tiles, and the map that follows.

use std::collections::BTreeMap;
use std::time::Instant;

use rayon::prelude::*;

use super::cut::Cut;
use super::draft::Draft;
use super::panels::{Panel, blocks_of, columns_of_block, panels};
use super::plan::{Plan, parted};
use super::stage::Stage;
use super::tasks::{Results, oddities};
use super::wire::{Label, Reader, Writer, damaged, read_found};
use crate::data::{DenseMatrix, Table, column_warnings};
use crate::error::{Error, Result};
use crate::maps::{LinearMap, Map};
use crate::margins::scatter::{Scatter, column_blocks};
use crate::methods::{MapSteps, Problem};
use crate::neighbors::SearchJob;
use crate::report::{Fitted, Report};
use crate::run::Run;
use crate::warning::Warning;

impl Plan {
    /// The columns that a part of the scatter needs.
    pub(super) fn columns_of_scatter(&self, part: usize) -> Result<Vec<usize>> {
        let blocks = self.blocks_of_scatter(part)?;
        let of_block = |block| columns_of_block(block, self.width());
        Ok(blocks.into_iter().flat_map(of_block).collect())
    }

    fn panels_of(&self, part: usize) -> Result<Vec<Panel>> {
        let items = self.existing(Stage::Scatter, part)?.part(part);
        Ok(panels(self.width(), self.columns_together(), items))
    }

    fn blocks_of_scatter(&self, part: usize) -> Result<Vec<usize>> {
        let panels = self.panels_of(part)?;
        let mut blocks: Vec<usize> =
            panels.into_iter().flat_map(|panel| panel.left.chain([panel.right])).collect();
        blocks.sort_unstable();
        blocks.dedup();
        Ok(blocks)
    }

    /// The tiles of a part, from a table of the columns that it needs and the neighbors of all rows.
    pub(super) fn scatter_of(
        &self,
        (map, search): (&MapSteps<'_>, &SearchJob<'_>),
        (part, table): (usize, &Table<'_>),
        lists: Results<'_>,
        run: &Run,
    ) -> Result<Vec<u8>> {
        let parts = self.earlier(Stage::Lists, lists);
        let parts =
            parts.map(|(label, bytes)| read_found(Reader::open(&bytes?, label)?, self.rows()));
        let weights = map.pair_weights(&*search.source(parts, false, run)?)?;
        let values = map.scaled(table)?.values;
        let blocks: BTreeMap<usize, DenseMatrix> =
            self.blocks_of_scatter(part)?.into_iter().zip(column_blocks(&values)).collect();
        drop(values);
        let block = |number: usize| {
            let none = || Error::Internal(format!("block {number} of the columns is not there"));
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
        run.check()?;
        let mut writer = Writer::default();
        tiles.iter().flatten().for_each(|tile| writer.f64s(tile.values()));
        Ok(writer.sealed(Label::result(self.number(), Stage::Scatter, part)))
    }

    /// The whole scatter, from the results of all parts in their order.
    fn scatter(&self, results: Results<'_>) -> Result<DenseMatrix> {
        let mut scatter = Scatter::new(self.width());
        for (label, bytes) in self.earlier(Stage::Scatter, results) {
            let bytes = bytes?;
            let mut reader = Reader::open(&bytes, label)?;
            for Panel { left, right } in self.panels_of(label.part)? {
                let columns = columns_of_block(right, self.width());
                for rows in left.map(|block| columns_of_block(block, self.width())) {
                    let numbers = reader.f64s()?;
                    if numbers.len() != rows.len() * columns.len() {
                        return Err(damaged("it has other columns"));
                    }
                    let tile = DenseMatrix::new(numbers, rows.len(), columns.len());
                    scatter.put((rows.start, columns.start), tile);
                }
            }
            reader.end()?;
        }
        Ok(scatter.into_matrix())
    }

    /// The map of a method that learns one, from the results of all parts of [`Stage::Scatter`] in their order.
    /// Its report has the warnings of a fit on one machine; the seconds are those of the merge.
    ///
    /// # Errors
    /// A plan of weights; other data; a result that is missing, of another version or plan, or damaged;
    /// [`Error::Cancelled`].
    pub fn merge_map(
        &self,
        problem: &Problem<'_>,
        tiles: Results<'_>,
        run: &Run,
    ) -> Result<Fitted<Map>> {
        let run = &run.asking_for(&[]).with_seed(self.seed());
        let start = Instant::now();
        let mut report = Report::default();
        let steps = self.demanded_map(problem, run)?;
        let names = problem.table().names();
        let map = self.map_of((&steps, names), tiles, &mut report, run)?;
        report.warnings.extend(column_warnings(problem.table(), run)?);
        report.seconds = start.elapsed().as_secs_f64();
        Ok(Fitted { map: Map::Linear(map), report })
    }

    /// The steps of a map, for the problem that was planned for, of which all columns are there.
    fn demanded_map<'p>(&self, problem: &Problem<'p>, run: &Run) -> Result<MapSteps<'p>> {
        let steps = self.method().map_steps(problem, self.settings())?;
        let steps = steps.ok_or_else(|| {
            let name = self.method().name();
            Error::data(format!("the plan is of {name}, which makes weights"), "merge it to these")
        })?;
        self.demand_data(problem, &self.all_columns(), run)?;
        Ok(steps)
    }

    fn map_of(
        &self,
        (steps, names): (&MapSteps<'_>, Vec<String>),
        tiles: Results<'_>,
        report: &mut Report,
        run: &Run,
    ) -> Result<LinearMap> {
        let origin = self.origin().cloned();
        let origin = origin.ok_or_else(|| Error::Internal("a map without origin".to_string()))?;
        steps.map(&self.scatter(tiles)?, (names, origin), report, run)
    }
}

impl Draft {
    /// The blocks of columns that are taken together of every part of [`Stage::Scatter`]: one or two.
    ///
    /// # Errors
    /// A plan of another fit.
    pub fn scatter_pairs(&self, plan: &Plan) -> Result<Vec<(usize, usize)>> {
        self.demand(plan)?;
        Ok((0..plan.cut(Stage::Scatter).map_or(0, Cut::parts)).map(blocks_of).collect())
    }

    /// The tiles of a part of the scatter, from the [neighbors](Self::lists) of all blocks in their order.
    /// `table` has the columns of the [two blocks](Self::scatter_pairs), or of the one, with all rows.
    ///
    /// # Errors
    /// Other columns or rows than those of the plan; neighbors that are missing, damaged or of another plan;
    /// too little memory; [`Error::Cancelled`].
    pub fn scatter(
        &self,
        plan: &Plan,
        part: usize,
        table: &Table<'_>,
        lists: &mut dyn Iterator<Item = Result<Vec<u8>>>,
        run: &Run,
    ) -> Result<Vec<u8>> {
        self.demand(plan)?;
        let columns = plan.columns_of_scatter(part)?;
        self.demand_columns(&columns, table)?;
        let run = &run.asking_for(&[]).with_seed(plan.seed());
        let problem = Problem::new(table, self.target())?;
        plan.demand_data(&problem, &columns, run)?;
        self.with_map(|map| {
            let steps = map.search(table)?;
            let search = parted(&steps, plan.block_rows());
            plan.scatter_of((map, &search), (part, table), lists, run)
        })
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
        let run = &run.asking_for(&[]).with_seed(plan.seed());
        let mut report = Report::default();
        let names = self.all_named().0;
        let map = self.with_map(|map| plan.map_of((map, names), tiles, &mut report, run))?;
        Ok((map, [report.warnings, oddities(&plan.oddities)?].concat()))
    }
}
