//! Neighbors within radii from distances of rounded numbers, and exact distances where these leave
//! undecided who is near or far.
//!
//! A mean of all pairs (SURF) is known without any distance, from every column put in order: numbers
//! of 15 bits, at a quarter of the cost, leave a pair in some hundreds undecided. A row's own mean and
//! deviation (MultiSURF) are only as right as its distances: then numbers have 27 bits, at half the
//! cost, and leave a row in some hundreds undecided with all its pairs.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use basrelief_kernels::{MOST_WHOLE, Moments, count_around, level, panels};
use rayon::prelude::*;

use super::{BLOCK, OF_PAIR, RadiusNeighbors, RadiusSettings, add_row, tile_place};
use crate::csr::CsrGroups;
use crate::differences::Space;
use crate::error::Result;
use crate::neighbors::RadiusRule;
use crate::neighbors::exact_pairs::{exact_distances, exact_lines};
use crate::neighbors::packed_rows::PackedRows;
use crate::neighbors::plan::{PAIRS_UNDECIDED, ROWS_UNDECIDED, RadiusChoice, RadiusRoute};
use crate::neighbors::quantized_rows::{Quantization, mean_of_pairs};
use crate::run::Run;

/// Rows whose exact distances are in memory at a time.
const LINES_AT_ONCE: usize = 64;

/// A pair of places with its exact distance.
type Refined = (usize, usize, f64);

impl<'s, 'c> RadiusNeighbors<'s, 'c> {
    /// The neighbors of all rows by rounded numbers; `None` where these leave too many undecided.
    pub(super) fn rounded(
        space: &'s Space<'s>,
        order: &[u32],
        settings: RadiusSettings<'c>,
        choice: RadiusChoice,
        run: &Run,
    ) -> Result<Option<Self>> {
        let order = order.to_vec();
        let count = order.len();
        if choice.route == RadiusRoute::Words {
            return Self::by_words(space, order, MOST_WHOLE, settings, choice, run);
        }
        let Some(quantization) = Quantization::of(space) else { return Ok(None) };
        if quantization.is_whole() {
            let mut source = Self::of(PackedRows::of_shorts(space, order, run)?, count, settings);
            source.measure(choice, run)?;
            return Ok(Some(source));
        }
        let mean = mean_of_pairs(space, &quantization, run)?;
        let mut source = Self::of(PackedRows::of_shorts(space, order, run)?, count, settings);
        let rows = count as f64;
        source.know_pairs(Moments { count: rows * (rows - 1.0) / 2.0, mean, squares: 0.0 }, count);
        if choice.keep {
            source.look_at_pairs(true, run)?;
        }
        if !source.refine_pairs(run)? {
            return Ok(None);
        }
        source.count_all(run)?;
        Ok(Some(source))
    }

    /// By every row's own mean and deviation, with numbers of up to so many steps.
    fn by_words(
        space: &'s Space<'s>,
        order: Vec<u32>,
        steps: u32,
        settings: RadiusSettings<'c>,
        choice: RadiusChoice,
        run: &Run,
    ) -> Result<Option<Self>> {
        let count = order.len();
        let mut source = Self::of(PackedRows::of_words(space, order, steps, run)?, count, settings);
        source.measure(choice, run)?;
        Ok(source.refine_rows(run)?.then_some(source))
    }

    /// Whether the rounded distances of a row leave undecided who is near or far by its own thresholds.
    pub(super) fn leaves_undecided(
        &self,
        place: usize,
        (near, far): (f64, f64),
        line: &[f64],
    ) -> bool {
        let Some(error) = self.rows.error(place).filter(|_| self.rule == RadiusRule::OwnMean)
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

    /// Computes the exact distances of rows that rounded ones leave undecided, for their thresholds and for
    /// the pairs near to these; `false` where there are too many such rows.
    fn refine_rows(&mut self, run: &Run) -> Result<bool> {
        let count = self.rows.rows();
        let undecided: Vec<usize> =
            (0..count).filter(|&place| self.thresholds[place].undecided).collect();
        if undecided.len() > count.div_ceil(ROWS_UNDECIDED) {
            return Ok(false);
        }
        let order = self.rows.order();
        let mut refined: Vec<Refined> = Vec::new();
        let mut thresholds = Vec::new();
        for places in undecided.chunks(LINES_AT_ONCE) {
            let rows: Vec<u32> = places.iter().map(|&place| order[place]).collect();
            let lines = exact_lines(self.rows.space(), &rows, run)?;
            for (&place, of_row) in places.iter().zip(lines.chunks_exact(count)) {
                let mut line: Vec<f64> = order.iter().map(|&row| of_row[row as usize]).collect();
                line[place] = f64::INFINITY;
                let of_place = self.decided(place, &line);
                let error = self.rows.error(place).unwrap_or_default();
                let (near, far) = (of_place.near, of_place.far);
                refined.extend(
                    (0..count)
                        .filter(|&other| self.is_around(line[other], near, far, 2.0 * error))
                        .map(|other| (place, other, line[other])),
                );
                thresholds.push((place, of_place));
            }
        }
        self.plan.refined = Some((undecided.len() * (count - 1)) as u64);
        thresholds.into_iter().for_each(|(place, own)| self.thresholds[place] = own);
        self.put(refined);
        Ok(true)
    }

    /// Puts exact distances in place of rounded ones, for pairs that one threshold of all rows leaves
    /// undecided; `false` where there are too many.
    fn refine_pairs(&mut self, run: &Run) -> Result<bool> {
        let rows = self.rows.rows();
        let most = (rows * (rows - 1) / 2).div_ceil(PAIRS_UNDECIDED);
        let count = AtomicUsize::new(0);
        let undecided = run.install(|| {
            let pairs = self.blocks().pairs().into_par_iter();
            let in_part = |memory: &mut (Vec<f64>, _), blocks: (usize, usize)| {
                run.check()?;
                // Nobody wants more than so many.
                if count.load(Relaxed) > most {
                    return Ok(Vec::new());
                }
                let found = self.undecided_pairs(self.tiles(blocks, memory), blocks);
                count.fetch_add(found.len(), Relaxed);
                Ok(found)
            };
            pairs.map_init(Default::default, in_part).collect::<Result<Vec<_>>>()
        })?;
        if count.load(Relaxed) > most {
            return Ok(false);
        }
        let (undecided, order) = (undecided.concat(), self.rows.order());
        let rows = undecided.iter().map(|&(place, other)| (order[place], order[other]));
        let distances = exact_distances(self.rows.space(), &rows.collect::<Vec<_>>(), run)?;
        self.plan.refined = Some(undecided.len() as u64);
        let refined = undecided.into_iter().zip(distances);
        self.put(refined.map(|((place, other), distance)| (place, other, distance)).collect());
        Ok(true)
    }

    /// The pairs of two blocks, the lower one first, that one threshold leaves undecided.
    fn undecided_pairs(&self, tiles: &[f64], (a, b): (usize, usize)) -> Vec<(usize, usize)> {
        let (near, far) = self.bounds(&[]);
        let (left, right) = (self.blocks().places(a), self.blocks().places(b));
        let mut line = Vec::with_capacity(BLOCK);
        let mut found = Vec::new();
        for place in left.clone() {
            let Some(error) = self.rows.error(place) else { continue };
            line.clear();
            add_row(tiles, place - left.start, panels(right.len()), right.len(), &mut line);
            // Most lines have none.
            if self.any_is_around(&line, near, far, error) {
                let is_undecided = |distance: f64| self.is_around(distance, near, far, error);
                let others =
                    right.clone().zip(&line).filter(|(_, distance)| is_undecided(**distance));
                let others = others.map(|(other, _)| other).filter(|&other| other > place);
                found.extend(others.map(|other| (place, other)));
            }
        }
        found
    }

    /// Puts exact distances in the place of rounded ones, seen from either row.
    fn put(&mut self, refined: Vec<Refined>) {
        if self.kept.is_empty() {
            let both = refined.iter().flat_map(|&(place, other, distance)| {
                [(place, (other as u32, distance)), (other, (place as u32, distance))]
            });
            let mut refined = CsrGroups::new(self.rows.rows(), both);
            (0..self.rows.rows()).for_each(|place| {
                refined.of_mut(place).sort_unstable_by_key(|(other, _)| *other);
            });
            self.refined = refined;
            return;
        }
        for (place, other, distance) in refined {
            let (low, high) = (place.min(other), place.max(other));
            let (a, b) = (low / BLOCK, high / BLOCK);
            let width = self.blocks().panels(b).len();
            let (row, column) = (low % BLOCK, high % BLOCK);
            let first = self.blocks().pair(a, b) * OF_PAIR;
            self.kept[first + tile_place(row, column, width)] = distance;
            if a == b {
                self.kept[first + tile_place(column, row, width)] = distance;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Near;
    use super::*;
    use crate::data::{Column, Numbers, Table};
    use crate::differences::SpaceOptions;
    use crate::neighbors::{Grouping, Neighbor, PairSource};

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
            crate::neighbors::pairs::sampled_first(ROWS, &sampled, Grouping::PerClass(&codes, 3));
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

    /// A route for all rows, with distances that are kept or not.
    fn choice(route: RadiusRoute, keep: bool) -> RadiusChoice {
        RadiusChoice { route, keep, undirected: true }
    }

    /// What distances in floating point show.
    fn expected(
        space: &Space<'_>,
        order: &[u32],
        settings: RadiusSettings<'_>,
        run: &Run,
    ) -> Vec<(u32, usize, Vec<Neighbor>)> {
        let rows = PackedRows::new(space, order.to_vec(), run).unwrap();
        let mut source = RadiusNeighbors::of(rows, order.len(), settings);
        source.measure(choice(RadiusRoute::Exact, true), run).unwrap();
        shown(&source)
    }

    fn choices<'c>(codes: &'c [u32], rules: &[RadiusRule]) -> Vec<RadiusSettings<'c>> {
        let grouping = Grouping::PerClass(codes, 3);
        let of = |rule| [false, true].map(|with_far| RadiusSettings { grouping, rule, with_far });
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
        for settings in choices(&codes, &[RadiusRule::OwnMean]) {
            let expected = expected(&space, &order, settings, &run);
            let mut refined = 0;
            // From hardly ever undecided to always.
            for steps in [MOST_WHOLE, 1 << 22, 1 << 20, 1 << 18, 1 << 17, 1 << 10] {
                for keep in [true, false] {
                    let choice = choice(RadiusRoute::Words, keep);
                    let rows = PackedRows::of_words(&space, order.clone(), steps, &run).unwrap();
                    let mut source = RadiusNeighbors::of(rows, ROWS, settings);
                    source.measure(choice, &run).unwrap();
                    let undecided = source.thresholds.iter().filter(|own| own.undecided).count();
                    let found = RadiusNeighbors::by_words(
                        &space,
                        order.clone(),
                        steps,
                        settings,
                        choice,
                        &run,
                    );
                    let found = found.unwrap();
                    let few = undecided <= ROWS.div_ceil(ROWS_UNDECIDED);
                    assert_eq!(found.is_some(), few, "{steps} steps, {undecided} undecided");
                    if let Some(source) = found {
                        refined += undecided;
                        assert_eq!(shown(&source), expected, "{steps} steps, {keep}");
                    }
                }
            }
            assert!(refined > 0, "no row was undecided");
        }
    }

    #[test]
    fn means_of_all_pairs_decide_as_with_exact_distances() {
        let table = table(40, number);
        let run = Run::new(Some(2)).unwrap();
        let (codes, order) = classes();
        let space = Space::new(&table, None, SpaceOptions::default(), &run).unwrap();
        let rules = [RadiusRule::MeanOfPairs, RadiusRule::MeanOfMatrix];
        for (settings, keep) in
            choices(&codes, &rules).into_iter().flat_map(|one| [(one, true), (one, false)])
        {
            let choice = choice(RadiusRoute::Quantized, keep);
            let source = RadiusNeighbors::rounded(&space, &order, settings, choice, &run);
            let source = source.unwrap().unwrap();
            assert_eq!(shown(&source), expected(&space, &order, settings, &run));

            // As it was before pairs were refined.
            let rows = PackedRows::of_shorts(&space, order.clone(), &run).unwrap();
            let mut rounded = RadiusNeighbors::of(rows, ROWS, settings);
            rounded.pairs = source.pairs;
            rounded.look_at_pairs(true, &run).unwrap();
            let (mut memory, mut other_memory) = (Default::default(), Default::default());
            let before = rounded.tiles((0, 1), &mut memory);
            let undecided = rounded.undecided_pairs(before, (0, 1));
            assert!(!undecided.is_empty(), "no pair was undecided");
            let after = source.tiles((0, 1), &mut other_memory);
            for (place, other) in undecided {
                let at = tile_place(place, other - BLOCK, panels(BLOCK));
                assert_ne!(before[at], after[at], "{place} and {other}");
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
            let mean = mean_of_pairs(&space, &Quantization::of(&space).unwrap(), &run).unwrap();
            let (_, order) = classes();
            let rows = PackedRows::new(&space, order, &run).unwrap();
            let rule = RadiusRule::MeanOfPairs;
            let settings = RadiusSettings { grouping: Grouping::All, rule, with_far: false };
            let mut source = RadiusNeighbors::of(rows, ROWS, settings);
            source.look_at_pairs(false, &run).unwrap();
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
        let grouping = Grouping::PerClass(&codes, 3);
        let settings = RadiusSettings { grouping, rule, with_far: true };
        let rows = PackedRows::new(&space, order.clone(), &run).unwrap();
        let unrounded = RadiusNeighbors::of(rows, ROWS, settings);
        let rows = PackedRows::of_words(&space, order, MOST_WHOLE, &run).unwrap();
        let rounded = RadiusNeighbors::of(rows, ROWS, settings);
        let (mut exact, mut found) = (Vec::new(), Vec::new());
        let near = || Near { at_once: 1, ..Near::default() };
        for place in 0..ROWS {
            let error = rounded.rows.error(place).unwrap();
            unrounded.line(place, &mut near(), &mut exact);
            rounded.line(place, &mut near(), &mut found);
            for (other, (exact, found)) in exact.iter().zip(&found).enumerate() {
                assert!(exact == found || (exact - found).abs() <= error, "{place} and {other}");
            }
        }
    }

    #[test]
    fn where_most_are_undecided_nothing_is_rounded() {
        // All rows are as far from each other, up to noise that rounding does not see.
        let table = table(ROWS, |row, feature| {
            f64::from(u8::from(row == feature)) + 1e-9 * number(row, feature)
        });
        let run = Run::new(Some(2)).unwrap();
        let (codes, order) = classes();
        let space = Space::new(&table, None, SpaceOptions::default(), &run).unwrap();
        let rules = [RadiusRule::MeanOfPairs, RadiusRule::OwnMean];
        for settings in choices(&codes, &rules) {
            let RadiusSettings { grouping, rule, with_far } = settings;
            let rows: Vec<u32> = (0..ROWS as u32).collect();
            let source = RadiusNeighbors::new(&space, &rows, grouping, rule, with_far, &run);
            let source = source.unwrap();
            assert_eq!(shown(&source), expected(&space, &order, settings, &run));
            assert!(source.plan().fallback.is_some(), "{rule:?}");
        }
    }

    #[test]
    fn whole_numbers_are_not_rounded() {
        let table = table(9, |row, feature| (number(row, feature) * 20.0).floor());
        let run = Run::new(Some(2)).unwrap();
        let (codes, order) = classes();
        let space = Space::new(&table, None, SpaceOptions::default(), &run).unwrap();
        assert!(Quantization::of(&space).unwrap().is_whole());
        let rules = [RadiusRule::MeanOfPairs, RadiusRule::OwnMean, RadiusRule::Sigmoid];
        for settings in choices(&codes, &rules) {
            let choice = choice(RadiusRoute::Quantized, true);
            let source = RadiusNeighbors::rounded(&space, &order, settings, choice, &run);
            let source = source.unwrap().unwrap();
            assert_eq!(source.rows.error(0), None);
            assert_eq!(shown(&source), expected(&space, &order, settings, &run));
        }
    }
}
