//! Neighbours within radii from distances of rounded numbers, and of those in doubt from distances as
//! they are defined.
//!
//! A mean of all pairs (SURF) is known without any distance, from every column put in order: numbers
//! of 15 bits, at a quarter of the cost, leave a pair in some hundreds in doubt. A row's own mean and
//! deviation (MultiSURF) are only as right as its distances: then numbers have 27 bits, at half the
//! cost, and leave a row in some hundreds in doubt with all its pairs.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use basrelief_kernels::{MOST_WHOLE, Moments, count_around, level, panels};
use rayon::prelude::*;

use super::{BLOCK, Choice, Near, OF_PAIR, RadiusNeighbors, RadiusRule, add_row};
use crate::error::Result;
use crate::neighbors::defined::{defined_distances, defined_lines};
use crate::neighbors::rounded::{Plan, mean_of_pairs};
use crate::neighbors::space::Space;
use crate::neighbors::sweep::{Sweep, tile_place};
use crate::run::Run;

/// One of so many rows, or of so many pairs, may be left in doubt: a distance as it is defined costs as
/// much as a dozen of the others.
const ROWS_IN_DOUBT: usize = 32;
const PAIRS_IN_DOUBT: usize = 64;

impl<'s, 'c> RadiusNeighbors<'s, 'c> {
    /// The neighbours of all rows; `None` where rounded numbers are no help.
    pub(super) fn rounded(
        space: &'s Space<'s>,
        order: &[u32],
        choice: Choice<'c>,
        run: &Run,
    ) -> Result<Option<Self>> {
        if order.len() < 2 {
            return Ok(None);
        }
        let by_pairs = matches!(choice.rule, RadiusRule::MeanOfPairs | RadiusRule::MeanOfMatrix);
        match Plan::of(space).filter(Plan::is_complete) {
            Some(plan) if plan.is_exact() => {
                let sweep = Sweep::of_shorts(space, order.to_vec(), plan, run)?;
                let mut source = Self::of(sweep, order.len(), choice);
                source.measure(true, run)?;
                Ok(Some(source))
            }
            Some(plan) if by_pairs => Self::by_pairs(space, order, plan, choice, run),
            _ if choice.rule == RadiusRule::OwnMean => {
                Self::by_rows(space, order, MOST_WHOLE, choice, run)
            }
            _ => Ok(None),
        }
    }

    /// By a mean of all pairs, which is computed beforehand.
    fn by_pairs(
        space: &'s Space<'s>,
        order: &[u32],
        plan: Plan,
        choice: Choice<'c>,
        run: &Run,
    ) -> Result<Option<Self>> {
        let rows = order.len() as f64;
        let mean = mean_of_pairs(space, &plan, run)?;
        let sweep = Sweep::of_shorts(space, order.to_vec(), plan, run)?;
        let mut source = Self::of(sweep, order.len(), choice);
        source.know_pairs(Moments { count: rows * (rows - 1.0) / 2.0, mean, squares: 0.0 });
        source.look_at_pairs(true, run)?;
        if !source.settle_pairs(run)? {
            return Ok(None);
        }
        source.count_all(run)?;
        Ok(Some(source))
    }

    /// By every row's own mean and deviation, with numbers of up to so many steps.
    fn by_rows(
        space: &'s Space<'s>,
        order: &[u32],
        steps: u32,
        choice: Choice<'c>,
        run: &Run,
    ) -> Result<Option<Self>> {
        let Some(sweep) = Sweep::of_words(space, order.to_vec(), steps, run)? else {
            return Ok(None);
        };
        let mut source = Self::of(sweep, order.len(), choice);
        source.measure(true, run)?;
        Ok(source.settle_rows(run)?.then_some(source))
    }

    /// Whether the rounded distances of a row leave in doubt who is near or far by its own thresholds.
    pub(super) fn leaves_in_doubt(
        &self,
        place: usize,
        (near, far): (f64, f64),
        line: &[f64],
    ) -> bool {
        let Some(error) = self.sweep.error(place).filter(|_| self.rule == RadiusRule::OwnMean)
        else {
            return false;
        };
        // The mean can be wrong by as much as a distance, half the deviation by half of that.
        let band = 2.5 * error;
        self.any_is_around(line, near, far, band)
    }

    /// Whether a distance is so close to one of the thresholds in use.
    fn is_around(&self, distance: f64, near: f64, far: f64, band: f64) -> bool {
        ((distance - near).abs() <= band) | (self.with_far & ((distance - far).abs() <= band))
    }

    /// Whether any of some distances is.
    fn any_is_around(&self, distances: &[f64], near: f64, far: f64, band: f64) -> bool {
        let around = |threshold| count_around(level(), distances, threshold, band) > 0;
        around(near) || self.with_far && around(far)
    }

    /// Puts distances as they are defined in place of the rounded ones, for rows that these leave in
    /// doubt; `false` where there are too many such rows.
    fn settle_rows(&mut self, run: &Run) -> Result<bool> {
        let places = 0..self.sweep.rows();
        let in_doubt: Vec<usize> =
            places.clone().filter(|&place| self.own[place].in_doubt).collect();
        if in_doubt.len() > places.len().div_ceil(ROWS_IN_DOUBT) {
            return Ok(false);
        }
        let order = self.sweep.order();
        let rows: Vec<u32> = in_doubt.iter().map(|&place| order[place]).collect();
        let lines = defined_lines(self.sweep.space(), &rows, run)?;
        for (&place, line) in in_doubt.iter().zip(lines.chunks_exact(places.len())) {
            for other in places.clone().filter(|&other| other != place) {
                self.keep(place, other, line[self.sweep.order()[other] as usize]);
            }
        }
        let mut line = Vec::new();
        for place in in_doubt {
            self.own[place] = self.count(place, &mut Near::default(), &mut line);
        }
        Ok(true)
    }

    /// The same for pairs, where all rows have one threshold.
    fn settle_pairs(&mut self, run: &Run) -> Result<bool> {
        let rows = self.sweep.rows();
        let most = (rows * (rows - 1) / 2).div_ceil(PAIRS_IN_DOUBT);
        let count = AtomicUsize::new(0);
        let in_doubt = run.install(|| {
            let in_part = |&(a, b): &(usize, usize)| {
                run.check()?;
                // Nobody wants more than so many.
                if count.load(Relaxed) > most {
                    return Ok(Vec::new());
                }
                let found = self.pairs_in_doubt(a, b);
                count.fetch_add(found.len(), Relaxed);
                Ok(found)
            };
            self.pairs_of_blocks().par_iter().map(in_part).collect::<Result<Vec<_>>>()
        })?;
        if count.load(Relaxed) > most {
            return Ok(false);
        }
        let (in_doubt, order) = (in_doubt.concat(), self.sweep.order());
        let rows = in_doubt.iter().map(|&(place, other)| (order[place], order[other]));
        let distances = defined_distances(self.sweep.space(), &rows.collect::<Vec<_>>(), run)?;
        for ((place, other), distance) in in_doubt.into_iter().zip(distances) {
            self.keep(place, other, distance);
        }
        Ok(true)
    }

    /// The pairs of two blocks, the lower one first, that one threshold leaves in doubt.
    fn pairs_in_doubt(&self, a: usize, b: usize) -> Vec<(usize, usize)> {
        let (near, far) = self.thresholds(&[]);
        let (left, right) = (self.span(a), self.span(b));
        let mut line = Vec::with_capacity(BLOCK);
        let mut found = Vec::new();
        for place in left.clone() {
            let Some(error) = self.sweep.error(place) else { continue };
            line.clear();
            let width = panels(right.len());
            add_row(self.kept(a, b), place - left.start, width, right.len(), &mut line);
            // Most lines have none.
            if self.any_is_around(&line, near, far, error) {
                let is_in_doubt = |distance: f64| self.is_around(distance, near, far, error);
                let others =
                    right.clone().zip(&line).filter(|(_, distance)| is_in_doubt(**distance));
                let others = others.map(|(other, _)| other).filter(|&other| other > place);
                found.extend(others.map(|other| (place, other)));
            }
        }
        found
    }

    /// Puts a distance in place of the one kept.
    fn keep(&mut self, place: usize, other: usize, distance: f64) {
        let (low, high) = (place.min(other), place.max(other));
        let (a, b) = (low / BLOCK, high / BLOCK);
        let width = panels(self.span(b).len());
        let (row, column) = (low % BLOCK, high % BLOCK);
        let first = self.pair(a, b) * OF_PAIR;
        self.kept[first + tile_place(row, column, width)] = distance;
        if a == b {
            self.kept[first + tile_place(column, row, width)] = distance;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Numbers, Table};
    use crate::neighbors::{Grouping, Neighbor, PairSource, SpaceOptions};

    const ROWS: usize = 2 * BLOCK + 37;

    fn table(columns: usize, value: impl Fn(usize, usize) -> f64) -> Table<'static> {
        let columns = (0..columns).map(|feature| {
            let values = (0..ROWS).map(|row| value(row, feature)).collect();
            Column::from_values(format!("f{feature}"), values).unwrap()
        });
        Table::new(columns.collect()).unwrap()
    }

    /// Numbers with nothing in common.
    fn number(row: usize, feature: usize) -> f64 {
        let number = (0.618 * (row * (feature + 3)) as f64 + 0.01 * feature as f64).fract();
        number * number
    }

    /// Classes of rows, and all rows in their order.
    fn classes() -> (Vec<u32>, Vec<u32>) {
        let codes: Vec<u32> = (0..ROWS as u32).map(|row| row * row % 7 % 3).collect();
        let sampled: Vec<u32> = (0..ROWS as u32).collect();
        let order =
            crate::neighbors::nearest::sampled_first(ROWS, &sampled, Grouping::PerClass(&codes, 3));
        (codes, order)
    }

    /// Per row and group, whoever is near or far.
    fn shown(source: &RadiusNeighbors<'_, '_>) -> Vec<(u32, usize, Vec<Neighbor>)> {
        let mut shown = Vec::new();
        source.visit(0..source.len(), &mut |row, group, list| {
            shown.push((row, group, list.to_vec()));
        });
        shown
    }

    /// What distances in floating point show.
    fn expected(
        space: &Space<'_>,
        order: &[u32],
        choice: Choice<'_>,
        run: &Run,
    ) -> Vec<(u32, usize, Vec<Neighbor>)> {
        let sweep = Sweep::for_radii(space, order.to_vec(), run).unwrap();
        let mut source = RadiusNeighbors::of(sweep, order.len(), choice);
        source.measure(true, run).unwrap();
        shown(&source)
    }

    fn choices<'c>(codes: &'c [u32], rules: &[RadiusRule]) -> Vec<Choice<'c>> {
        let grouping = Grouping::PerClass(codes, 3);
        let of = |rule| [false, true].map(|with_far| Choice { grouping, rule, with_far });
        rules.iter().flat_map(|&rule| of(rule)).collect()
    }

    #[test]
    fn own_means_decide_as_with_exact_distances() {
        let gap = |row: usize, feature: usize| (row + feature) % 17 == 3 && feature < 3;
        let table = table(
            7,
            |row, feature| if gap(row, feature) { f64::NAN } else { number(row, feature) },
        );
        let run = Run::new(Some(2)).unwrap();
        let (codes, order) = classes();
        let space = Space::new(&table, None, SpaceOptions::default(), &run).unwrap();
        for choice in choices(&codes, &[RadiusRule::OwnMean]) {
            let expected = expected(&space, &order, choice, &run);
            let mut doubts = 0;
            // From hardly ever in doubt to always.
            for steps in [MOST_WHOLE, 1 << 22, 1 << 20, 1 << 18, 1 << 17, 1 << 10] {
                let sweep = Sweep::of_words(&space, order.clone(), steps, &run).unwrap().unwrap();
                let mut source = RadiusNeighbors::of(sweep, ROWS, choice);
                source.measure(true, &run).unwrap();
                let in_doubt = source.own.iter().filter(|own| own.in_doubt).count();
                let found = RadiusNeighbors::by_rows(&space, &order, steps, choice, &run).unwrap();
                let settled = in_doubt <= ROWS.div_ceil(ROWS_IN_DOUBT);
                assert_eq!(found.is_some(), settled, "{steps} steps, {in_doubt} in doubt");
                if let Some(source) = found {
                    doubts += in_doubt;
                    assert_eq!(shown(&source), expected, "{steps} steps");
                }
            }
            assert!(doubts > 0, "no row was in doubt");
        }
    }

    #[test]
    fn means_of_all_pairs_decide_as_with_exact_distances() {
        let table = table(40, number);
        let run = Run::new(Some(2)).unwrap();
        let (codes, order) = classes();
        let space = Space::new(&table, None, SpaceOptions::default(), &run).unwrap();
        for choice in choices(&codes, &[RadiusRule::MeanOfPairs, RadiusRule::MeanOfMatrix]) {
            let source = RadiusNeighbors::rounded(&space, &order, choice, &run).unwrap().unwrap();
            assert_eq!(shown(&source), expected(&space, &order, choice, &run));

            // As it was before doubts were settled.
            let sweep = Sweep::of_shorts(&space, order.clone(), Plan::of(&space).unwrap(), &run);
            let mut rounded = RadiusNeighbors::of(sweep.unwrap(), ROWS, choice);
            rounded.pairs = source.pairs;
            rounded.look_at_pairs(true, &run).unwrap();
            let doubts = rounded.pairs_in_doubt(0, 1);
            assert!(!doubts.is_empty(), "no pair was in doubt");
            for (place, other) in doubts {
                let at = tile_place(place, other - BLOCK, panels(BLOCK));
                assert_ne!(source.kept(0, 1)[at], rounded.kept(0, 1)[at], "{place} and {other}");
            }
        }
    }

    #[test]
    fn the_mean_of_all_pairs_is_known_beforehand() {
        // Zeros of both signs; one value far below all others.
        let signed = |row: usize, feature: usize| match (row + feature) % 5 {
            0 => 0.0,
            1 => -0.0,
            _ => number(row, feature),
        };
        let outlier = |row: usize, feature: usize| match row {
            0 => 0.0,
            _ => 1e6 + number(row, feature),
        };
        for table in [table(5, number), table(5, signed), table(5, outlier)] {
            let run = Run::new(Some(1)).unwrap();
            let space = Space::new(&table, None, SpaceOptions::default(), &run).unwrap();
            let mean = mean_of_pairs(&space, &Plan::of(&space).unwrap(), &run).unwrap();
            let (_, order) = classes();
            let sweep = Sweep::new(&space, order, &run).unwrap();
            let rule = RadiusRule::MeanOfPairs;
            let choice = Choice { grouping: Grouping::All, rule, with_far: false };
            let mut source = RadiusNeighbors::of(sweep, ROWS, choice);
            source.measure(false, &run).unwrap();
            let apart = (mean / source.pairs.mean - 1.0).abs();
            assert!(apart < 1e-13, "{mean}: {apart}");
            assert_eq!(source.pairs.count, (ROWS * (ROWS - 1) / 2) as f64);
        }
    }

    #[test]
    fn distances_of_decimals_are_those_of_their_grid() {
        // Decimals in single precision are off their grid by more than words are rounded.
        let decimal = |row: usize, feature: usize| {
            let tenths = (row * (feature + 3) * 7 % 101) as f32;
            match feature {
                0 if row % 19 == 3 => f64::NAN,
                9 => number(row, feature),
                _ => f64::from(5.0 + tenths / 10.0),
            }
        };
        let columns = (0..10).map(|feature| {
            let values = (0..ROWS).map(|row| decimal(row, feature) as f32).collect::<Vec<f32>>();
            let numbers = Numbers::Single(values.into());
            Column::numeric(format!("f{feature}"), numbers).unwrap()
        });
        let table = Table::new(columns.collect()).unwrap();
        let run = Run::new(Some(2)).unwrap();
        let space = Space::new(&table, None, SpaceOptions::default(), &run).unwrap();
        let (codes, order) = classes();
        let rule = RadiusRule::OwnMean;
        let choice = Choice { grouping: Grouping::PerClass(&codes, 3), rule, with_far: true };
        let defined =
            RadiusNeighbors::of(Sweep::new(&space, order.clone(), &run).unwrap(), ROWS, choice);
        let sweep = Sweep::of_words(&space, order, MOST_WHOLE, &run).unwrap().unwrap();
        let rounded = RadiusNeighbors::of(sweep, ROWS, choice);
        let (mut exact, mut found) = (Vec::new(), Vec::new());
        let near = || Near { at_once: 1, ..Near::default() };
        for place in 0..ROWS {
            let error = rounded.sweep.error(place).unwrap();
            defined.line(place, &mut near(), &mut exact);
            rounded.line(place, &mut near(), &mut found);
            for (other, (exact, found)) in exact.iter().zip(&found).enumerate() {
                assert!(exact == found || (exact - found).abs() <= error, "{place} and {other}");
            }
        }
    }

    #[test]
    fn where_most_are_in_doubt_nothing_is_rounded() {
        // All rows are as far from each other, up to noise that rounding does not see.
        let table = table(ROWS, |row, feature| {
            f64::from(u8::from(row == feature)) + 1e-9 * number(row, feature)
        });
        let run = Run::new(Some(2)).unwrap();
        let (codes, order) = classes();
        let space = Space::new(&table, None, SpaceOptions::default(), &run).unwrap();
        let rules = [RadiusRule::MeanOfPairs, RadiusRule::OwnMean];
        for choice in choices(&codes, &rules) {
            assert!(RadiusNeighbors::rounded(&space, &order, choice, &run).unwrap().is_none());
            let Choice { grouping, rule, with_far } = choice;
            let rows: Vec<u32> = (0..ROWS as u32).collect();
            let source = RadiusNeighbors::new(&space, &rows, grouping, rule, with_far, &run);
            assert_eq!(shown(&source.unwrap()), expected(&space, &order, choice, &run));
        }
    }

    #[test]
    fn whole_numbers_are_not_rounded() {
        let table = table(9, |row, feature| (number(row, feature) * 20.0).floor());
        let run = Run::new(Some(2)).unwrap();
        let (codes, order) = classes();
        let space = Space::new(&table, None, SpaceOptions::default(), &run).unwrap();
        assert!(Plan::of(&space).unwrap().is_exact());
        let rules = [RadiusRule::MeanOfPairs, RadiusRule::OwnMean, RadiusRule::Sigmoid];
        for choice in choices(&codes, &rules) {
            let source = RadiusNeighbors::rounded(&space, &order, choice, &run).unwrap().unwrap();
            assert_eq!(source.sweep.error(0), None);
            assert_eq!(shown(&source), expected(&space, &order, choice, &run));
        }
    }
}
