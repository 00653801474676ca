//! The distances of one row to all others, row by row, for neighbors that no other search finds.

use std::ops::Range;

use basrelief_kernels::{LANES, panels};

use super::k_nearest::keep_nearest;
use super::lists::{ListedNeighbors, Lists};
use super::options::RadiusRule;
use super::packed_rows::{PackedRows, Scratch};
use super::pairs::{Entry, Grouping, NearestOptions, PairSource, sampled_first};
use super::plan::{Facts, RadiusRoute, plan_radius, sampling};
use super::radius::RadiusDistances;
use super::tiles::add_row;
use crate::csr::CsrGroups;
use crate::differences::Space;
use crate::error::Result;
use crate::parallel;
use crate::run::Run;

/// Panels of rows whose distances are in memory at a time, per thread.
const PANELS_AT_ONCE: usize = 4;

/// Deviations from a mean that differ by less than this fraction of the mean are equal, so that ties
/// do not depend on rounding.
const STEPS_OF_MEAN: f64 = 1e12;

/// The distances of query rows to all rows of a space, computed on demand.
pub(crate) struct RowLines<'s> {
    distances: RadiusDistances<'s>,
    /// Row of the table at every place, the query rows first.
    order: Vec<u32>,
    sampled: usize,
}

impl<'s> RowLines<'s> {
    /// Packs the rows of a space; `sampled` are the query rows. Where all rows are query rows and there is memory for all
    /// distances, they are computed here, once per pair.
    ///
    /// # Errors
    /// Too little memory; [`crate::Error::Cancelled`].
    pub(crate) fn new(space: &'s Space<'s>, sampled: &[u32], run: &Run) -> Result<Self> {
        let facts = Facts::new(space, sampled.len(), Grouping::All);
        let exact = [RadiusRoute::Exact.name().to_string()];
        let (choice, plan) = plan_radius(&facts, RadiusRule::SURF, false, &exact, run.memory());
        run.progress().memory(plan.bytes);
        run.memory().claim(plan.bytes, "the search of neighbors", sampling())?;
        let order = sampled_first(space.rows(), sampled, Grouping::All);
        let mut distances = RadiusDistances::new(PackedRows::new(space, order.clone(), run)?);
        if choice.keep_distances {
            distances.keep(run)?;
        }
        Ok(Self { distances, order, sampled: sampled.len() })
    }

    /// The unit of the distances: that of a mismatch of categories.
    pub(crate) fn unit(&self) -> f64 {
        self.distances.rows.unit()
    }

    /// The query rows, in the order of their places.
    pub(crate) fn rows(&self) -> &[u32] {
        &self.order[..self.sampled]
    }

    /// Calls `visit` with the query row at each of some places and its distances to all rows of the
    /// table, in their order. The distance to itself, and to rows that cannot be compared with it,
    /// is infinite.
    pub(crate) fn visit(&self, places: Range<usize>, visit: &mut dyn FnMut(u32, &[f64])) {
        let (mut tiles, mut scratch) = (Vec::new(), Scratch::default());
        let (mut line, mut of_rows) = (Vec::new(), vec![0.0; self.order.len()]);
        let (width, are_kept) = (panels(self.order.len()), self.distances.are_kept());
        for panel in places.start / LANES..panels(places.end) {
            if !are_kept {
                self.distances.rows_beside(panel..panel + 1, 0..width, &mut tiles, &mut scratch);
            }
            let first = panel * LANES;
            for place in places.start.max(first)..places.end.min(first + LANES) {
                line.clear();
                match are_kept {
                    true => self.distances.add_kept_row(place, &mut line),
                    false => add_row(&tiles, place - first, width, self.order.len(), &mut line),
                }
                for (&row, &distance) in self.order.iter().zip(&line) {
                    of_rows[row as usize] = distance;
                }
                visit(self.order[place], &of_rows);
            }
        }
    }

    /// Adds up something over all query rows, in parts of rows that do not depend on the number of
    /// threads: each part starts with `start()`, and `add` receives a row with its distances as in
    /// [`visit`](Self::visit). Returns the parts in the order of their rows.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(crate) fn fold<T: Send>(
        &self,
        start: impl Fn() -> T + Sync,
        add: impl Fn(&mut T, u32, &[f64]) + Sync,
        run: &Run,
    ) -> Result<Vec<T>> {
        let size = PANELS_AT_ONCE * LANES;
        let parts = (0..self.sampled).step_by(size);
        run.progress().start("searching neighbors", parts.len() as u64);
        let of_part = |first: usize| {
            run.check()?;
            let mut part = start();
            let places = first..(first + size).min(self.sampled);
            self.visit(places, &mut |row, line| add(&mut part, row, line));
            run.progress().advance(1);
            Ok(part)
        };
        let found = run.install(|| parallel::try_map(parts, of_part))?;
        run.progress().finish();
        Ok(found)
    }

    /// Computes something for every query row from its distances, in the order of the rows.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(crate) fn map<T: Send>(
        &self,
        of_row: impl Fn(u32, &[f64]) -> T + Sync,
        run: &Run,
    ) -> Result<Vec<T>> {
        let add = |part: &mut Vec<T>, row: u32, line: &[f64]| part.push(of_row(row, line));
        Ok(self.fold(Vec::new, add, run)?.into_iter().flatten().collect())
    }
}

/// The k rows of every group whose distances from a query row deviate most from the mean distance
/// of the group from that row.
///
/// # Errors
/// Too little memory; [`crate::Error::Cancelled`].
pub(crate) fn most_deviating<'c>(
    space: &Space<'_>,
    sampled: &[u32],
    grouping: Grouping<'c>,
    options: NearestOptions,
    run: &Run,
) -> Result<impl PairSource + use<'c>> {
    let lines = RowLines::new(space, sampled, run)?;
    let of_row = |row: u32, line: &[f64]| {
        let own = grouping.code(row as usize);
        let mut groups: Vec<Vec<Entry>> = vec![Vec::new(); grouping.count()];
        for (other, &distance) in line.iter().enumerate().filter(|one| one.1.is_finite()) {
            groups[grouping.group(own, grouping.code(other))].push((distance, other as u32));
        }
        for group in &mut groups {
            let sum: f64 = group.iter().map(|entry| entry.0).sum();
            let mean = sum / group.len() as f64;
            let steps = if mean > 0.0 { STEPS_OF_MEAN / mean } else { 0.0 };
            group.iter_mut().for_each(|entry| entry.0 = -((entry.0 - mean).abs() * steps).round());
            keep_nearest(group, options, None);
        }
        groups
    };
    let mut lists = CsrGroups::default();
    for group in lines.map(of_row, run)?.into_iter().flatten() {
        lists.push_group(group);
    }
    let lists = Lists::new(lines.rows().to_vec(), lists, None);
    Ok(ListedNeighbors::new(lists, grouping, options))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Table};
    use crate::differences::SpaceOptions;
    use crate::memory::PossiblyMapped;
    use crate::neighbors::marks::MARKED_ROWS;

    #[test]
    fn kept_distances_are_those_that_are_computed() {
        // Two complete blocks, and one that ends within a panel.
        let rows = 2 * MARKED_ROWS + 5;
        let value = |row: usize| (0.618 * row as f64).fract();
        let numbers = (0..rows).map(value).collect();
        let gaps = (0..rows).map(|row| if row % 7 == 2 { f64::NAN } else { value(3 * row) });
        let table = Table::new(vec![
            Column::from_values("a", numbers).unwrap(),
            Column::from_values("b", gaps.collect()).unwrap(),
        ])
        .unwrap();
        let run = Run::new(Some(1)).unwrap();
        let space = Space::new(&table, None, SpaceOptions::default(), &run).unwrap();
        let all: Vec<u32> = (0..rows as u32).collect();
        let mut lines = RowLines::new(&space, &all, &run).unwrap();
        assert!(lines.distances.are_kept());
        let found = |lines: &RowLines<'_>| {
            let mut found = Vec::new();
            lines.visit(0..rows, &mut |row, line| found.push((row, line.to_vec())));
            found
        };
        let kept = found(&lines);
        lines.distances.set_kept(PossiblyMapped::default());
        assert!(kept == found(&lines));
    }
}
