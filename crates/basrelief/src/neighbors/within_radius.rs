//! All rows of a table within a radius, and on request all beyond it.
//!
//! For most pairs, rounded numbers give the same marks as exact ones, at lower cost. The mean over
//! all pairs (SURF) is known without any distance, from the sorted values of every column. Numbers
//! of 15 bits, at a quarter of the cost, then leave one pair in several hundred ambiguous, for
//! which the exact distance is computed. A row's own mean and deviation (MultiSURF) are only as
//! accurate as its distances. Numbers of 27 bits, at half the cost, then leave one row in several
//! hundred ambiguous, which is marked again with its exact distances.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use basrelief_kernels::{MOST_WHOLE, Moments, finite_moments, level};

use super::block_driver::BlockPairs;
use super::exact_pairs::{exact_distances, exact_lines};
use super::marked::{MarkSource, MarkedNeighbors, Recomputed};
use super::marks::{MARKED_ROWS, Marks, sides};
use super::options::RadiusRule;
use super::packed_rows::PackedRows;
use super::pairs::{Grouping, Neighbor, PairSource, UndirectedPairs, sampled_first};
use super::plan::{Facts, RadiusChoice, RadiusRoute, SearchPlan, plan_radius, sampling};
use super::quantized_rows::{Quantization, mean_of_pairs};
use super::radius::{Radius, RadiusDistances, RowThresholds, Undecided, merge_own};
use crate::differences::Space;
use crate::error::{Error, Result};
use crate::memory::PossiblyMapped;
use crate::parallel;
use crate::run::Run;
use crate::thresholds::{PAIRS_UNDECIDED, ROWS_UNDECIDED};

/// Rows whose exact distances are held in memory at a time.
const LINES_AT_ONCE: usize = 64;

/// Rows whose own means are measured over as many other rows at a time, which limits the number of
/// partial means in memory.
const MEASURED_AT_ONCE: usize = 1 << 14;

/// Near rows of every sampled row and, on request, far ones.
///
/// Groups 0 to G - 1 are the near rows of the grouping's G groups, and groups G to 2G - 1 are the
/// far rows, if requested. The weight of a neighbor is 1 over the size of its group, times the
/// value of the sigmoid if there is one.
pub struct RadiusNeighbors<'s, 'c> {
    found: MarkedNeighbors<'s, 'c>,
    plan: SearchPlan,
}

impl<'s, 'c> RadiusNeighbors<'s, 'c> {
    /// Finds the neighbors of the rows in `sampled` among all rows of the space.
    ///
    /// # Errors
    /// Too little memory; [`Error::Cancelled`].
    pub fn new(
        space: &'s Space<'s>,
        sampled: &[u32],
        grouping: Grouping<'c>,
        rule: RadiusRule,
        with_far: bool,
        run: &Run,
    ) -> Result<Self> {
        let facts = Facts::new(space, sampled.len(), grouping);
        let (choice, plan) = plan_radius(&facts, rule, with_far, run.routes(), run.memory());
        let order = sampled_first(space.rows(), sampled, grouping);
        let quantization = facts.quantization();
        let sampled_rows = sampled.len();
        let search =
            Search { space, sampled: sampled_rows, rule, with_far, choice, quantization, run };
        let (marks, plan) = search.find(&order, plan)?;
        let order = (Cow::Owned(order), sampled.len());
        let masses = space.masses().map(Arc::clone);
        let by_row = MarkedNeighbors::by_row(order, grouping, marks, with_far, masses);
        let found = if choice.undirected { by_row.by_pair(run)? } else { by_row };
        Ok(Self { found, plan })
    }

    /// The plan of the search, and its outcome.
    pub fn plan(&self) -> &SearchPlan {
        &self.plan
    }
}

impl PairSource for RadiusNeighbors<'_, '_> {
    fn len(&self) -> usize {
        self.found.len()
    }

    fn expected_pairs(&self, place: usize) -> usize {
        self.found.expected_pairs(place)
    }

    fn visit(&self, places: Range<usize>, visit: &mut dyn FnMut(u32, usize, &[Neighbor])) {
        self.found.visit(places, visit);
    }

    fn undirected(&self) -> Option<Box<dyn UndirectedPairs + '_>> {
        self.found.undirected()
    }
}

/// Near rows of sampled rows, and far rows on request, regardless of groups.
pub(crate) struct RadiusMarks {
    /// Row of the table at every place, the sampled rows first.
    order: Vec<u32>,
    sampled: usize,
    with_far: bool,
    marks: Marks,
    /// As how many rows each row counts; `None` if all count as one.
    masses: Option<Arc<[f64]>>,
}

impl RadiusMarks {
    /// Maximum number of bytes of the marks.
    pub(crate) fn bytes(rows: usize, sampled: usize, rule: RadiusRule, with_far: bool) -> u64 {
        Marks::bytes(sampled as u64, rows as u64, rule, with_far)
    }

    /// Finds the near rows, and the far rows on request.
    ///
    /// # Errors
    /// [`Error::Cancelled`]; too little memory.
    pub(crate) fn find(
        space: &Space<'_>,
        sampled: &[u32],
        rule: RadiusRule,
        with_far: bool,
        run: &Run,
    ) -> Result<Self> {
        let facts = Facts::new(space, sampled.len(), Grouping::All);
        let (choice, plan) = plan_radius(&facts, rule, with_far, run.routes(), run.memory());
        // The caller has checked that memory holds the marks.
        let choice = RadiusChoice { keep_marks: true, ..choice };
        let order = sampled_first(space.rows(), sampled, Grouping::All);
        let quantization = facts.quantization();
        let sampled_rows = sampled.len();
        let search =
            Search { space, sampled: sampled_rows, rule, with_far, choice, quantization, run };
        match search.find(&order, plan)?.0 {
            MarkSource::Kept(marks) => {
                let marks = marks.into_owned();
                let masses = space.masses().map(Arc::clone);
                Ok(Self { order, sampled: sampled.len(), with_far, marks, masses })
            }
            MarkSource::Recomputed(_) => Err(Error::Internal("marks were not kept".to_string())),
        }
    }

    /// The neighbors under a grouping.
    pub(crate) fn grouped<'g>(&'g self, grouping: Grouping<'g>) -> MarkedNeighbors<'g, 'g> {
        let order = (Cow::Borrowed(&self.order[..]), self.sampled);
        let marks = MarkSource::Kept(Cow::Borrowed(&self.marks));
        MarkedNeighbors::by_row(order, grouping, marks, self.with_far, self.masses.clone())
    }

    /// The sampled rows.
    pub(crate) fn rows(&self) -> &[u32] {
        &self.order[..self.sampled]
    }

    /// The neighbors on a side of the row at a place; the first side is that of near rows.
    pub(crate) fn row(&self, side: usize, place: usize) -> impl Iterator<Item = u32> {
        self.marks.places(side, place).map(|other| self.order[other])
    }

    /// Number of neighbors of every row on every side.
    pub(crate) fn sizes(&self) -> Vec<usize> {
        let size = |(side, place): (usize, usize)| {
            self.marks.row(side, place).iter().map(|word| word.count_ones() as usize).sum()
        };
        let sides = (0..self.sides()).flat_map(|side| (0..self.sampled).map(move |p| (side, p)));
        sides.map(size).collect()
    }

    /// Number of sides.
    pub(crate) fn sides(&self) -> usize {
        sides(self.with_far)
    }

    /// Whether all neighbors on a side have equal weights.
    pub(crate) fn are_even(&self) -> bool {
        self.marks.are_even() && self.masses.is_none()
    }
}

/// A search for the first rows of an order.
#[derive(Clone, Copy)]
struct Search<'s, 'r> {
    space: &'s Space<'s>,
    sampled: usize,
    rule: RadiusRule,
    with_far: bool,
    choice: RadiusChoice,
    /// How numbers are rounded to 15 bits, if they can be.
    quantization: Option<&'r Quantization>,
    run: &'r Run,
}

impl<'s> Search<'s, '_> {
    /// The marks, and the plan with its outcome.
    fn find(&self, order: &[u32], plan: SearchPlan) -> Result<(MarkSource<'s>, SearchPlan)> {
        let run = self.run;
        run.progress().memory(plan.bytes);
        run.memory().claim(plan.bytes, "the search of neighbors", sampling())?;
        let rounded = match self.choice.route {
            RadiusRoute::Exact => None,
            RadiusRoute::Words => Some(self.by_words(order, MOST_WHOLE)?),
            RadiusRoute::Quantized => match self.quantization {
                Some(quantization) if !quantization.is_whole() => {
                    Some(self.by_shorts(order, quantization)?)
                }
                _ => None,
            },
        };
        if let Some(Some((marks, refined))) = rounded {
            let plan = SearchPlan { refined: Some(refined), ..plan };
            return Ok((MarkSource::Kept(Cow::Owned(marks)), plan));
        }
        let given_up = format!("{} were given up: too many are undecided", plan.route);
        let whole = match self.choice.route {
            RadiusRoute::Quantized if rounded.is_none() => self.quantization,
            _ => None,
        };
        let rows = match whole {
            Some(whole) => PackedRows::of_shorts(self.space, whole, order.to_vec(), run)?,
            None => PackedRows::new(self.space, order.to_vec(), run)?,
        };
        let plan = SearchPlan { fallback: rounded.map(|_| given_up), ..plan };
        Ok((self.exactly(RadiusDistances::new(rows))?, plan))
    }

    /// Searches with distances that are not rounded.
    fn exactly(&self, mut distances: RadiusDistances<'s>) -> Result<MarkSource<'s>> {
        let (radius, own) = self.measured(&mut distances, None)?;
        let thresholds = self.thresholds(&radius, &own, None);
        if !self.choice.keep_marks {
            let recomputed = Recomputed { distances, radius, thresholds };
            return Ok(MarkSource::Recomputed(Box::new(recomputed)));
        }
        let marks = self.mark(&distances, &radius, &thresholds, &Undecided::Nothing)?;
        let marks = marks.ok_or_else(|| Error::Internal("exact distances decide".to_string()))?;
        Ok(MarkSource::Kept(Cow::Owned(marks)))
    }

    /// Searches with every row's own mean and deviation, and with numbers of up to `steps` steps;
    /// also returns the number of refined pairs. Returns `None` if too many rows are ambiguous.
    fn by_words(&self, order: &[u32], steps: u32) -> Result<Option<(Marks, u64)>> {
        let count = order.len();
        let rows = PackedRows::of_words(self.space, order.to_vec(), steps, self.run)?;
        let mut distances = RadiusDistances::new(rows);
        let (radius, own) = self.measured(&mut distances, None)?;
        // The error of the mean is at most that of a distance, and that of half the deviation at
        // most half of it.
        let band = |row: usize| 2.5 * distances.rows.error(row).unwrap_or_default();
        let thresholds = self.thresholds(&radius, &own, Some(&band));
        let flags = (0..count).map(|_| AtomicBool::new(false)).collect();
        let undecided = Undecided::Rows(flags);
        let marks = self.mark(&distances, &radius, &thresholds, &undecided)?;
        let (Some(mut marks), Undecided::Rows(flags)) = (marks, undecided) else { return Ok(None) };
        // Rows that are not sampled have no thresholds.
        let flags = flags.into_iter().take(self.sampled).map(AtomicBool::into_inner).enumerate();
        let undecided: Vec<usize> = flags.filter(|flag| flag.1).map(|flag| flag.0).collect();
        if undecided.len() > self.sampled.div_ceil(ROWS_UNDECIDED) {
            return Ok(None);
        }
        for places in undecided.chunks(LINES_AT_ONCE) {
            let rows: Vec<u32> = places.iter().map(|&place| order[place]).collect();
            let lines = exact_lines(self.space, &rows, self.run)?;
            for (&place, of_row) in places.iter().zip(lines.chunks_exact(count)) {
                let mut line: Vec<f64> = order.iter().map(|&row| of_row[row as usize]).collect();
                line[place] = f64::INFINITY;
                let own = moments_of_line(&line);
                let exact = RowThresholds::new(&radius, 1, |_| own, None);
                for side in 0..sides(self.with_far) {
                    marks.set_row(side, place, |other| exact.holds(side, 0, line[other]));
                }
            }
        }
        Ok(Some((marks, (undecided.len() * (count - 1)) as u64)))
    }

    /// Searches with the mean of all pairs, and with numbers of 15 bits; also returns the number of
    /// refined pairs. Returns `None` if too many pairs are ambiguous.
    fn by_shorts(
        &self,
        order: &[u32],
        quantization: &Quantization,
    ) -> Result<Option<(Marks, u64)>> {
        let mean = mean_of_pairs(self.space, quantization, self.run)?;
        let rows = order.len() as f64;
        let spread = Moments { count: rows * (rows - 1.0) / 2.0, mean, squares: 0.0 };
        let packed = PackedRows::of_shorts(self.space, quantization, order.to_vec(), self.run)?;
        let mut distances = RadiusDistances::new(packed);
        let (radius, own) = self.measured(&mut distances, Some(spread))?;
        let band = |row: usize| distances.rows.error(row).unwrap_or_default();
        let thresholds = self.thresholds(&radius, &own, Some(&band));
        let (all, sampled) = (order.len(), self.sampled);
        let pairs = sampled * (all - 1) - sampled * sampled.saturating_sub(1) / 2;
        let most = pairs.div_ceil(PAIRS_UNDECIDED);
        let undecided = Undecided::Pairs(Mutex::default(), most);
        let marks = self.mark(&distances, &radius, &thresholds, &undecided)?;
        let (Some(mut marks), Undecided::Pairs(found, _)) = (marks, undecided) else {
            return Ok(None);
        };
        let mut found = parallel::into_inner(found);
        // A pair may be ambiguous on both sides.
        found.sort_unstable();
        found.dedup();
        if found.len() > most {
            return Ok(None);
        }
        let rows = found.iter().map(|&(i, j)| (order[i as usize], order[j as usize]));
        let exact = exact_distances(self.space, &rows.collect::<Vec<_>>(), self.run)?;
        for (&(i, j), distance) in found.iter().zip(exact) {
            let (i, j) = (i as usize, j as usize);
            for (row, other) in [(i, j), (j, i)].into_iter().filter(|(row, _)| *row < sampled) {
                for side in 0..sides(self.with_far) {
                    marks.set(side, row, other, thresholds.holds(side, row, distance));
                }
            }
        }
        Ok(Some((marks, found.len() as u64)))
    }

    /// The radius, and mean and spread of every sampled row's distances if they determine it.
    /// `known` are those of all pairs, if these are known.
    fn measured(
        &self,
        distances: &mut RadiusDistances<'s>,
        known: Option<Moments>,
    ) -> Result<(Radius, Vec<Moments>)> {
        let rows = distances.rows.rows();
        let radius = |spread| Radius::new(self.rule, self.with_far, spread, rows);
        if let Some(known) = known {
            return Ok((radius(known), Vec::new()));
        }
        let mut kept = match self.choice.keep_distances {
            true => distances.room(),
            false => PossiblyMapped::default(),
        };
        let blocks = distances.blocks();
        if !self.rule.is_per_row() {
            let all = BlockPairs::upper(blocks.count(), blocks);
            let parts = distances.measure_pairs(&all, &mut kept, self.run)?;
            distances.set_kept(kept);
            let spread = parts.into_iter().fold(Moments::default(), Moments::merged);
            return Ok((radius(spread), Vec::new()));
        }
        let mut own = vec![Moments::default(); self.sampled];
        let parts: Vec<Range<usize>> = {
            let of_part = MEASURED_AT_ONCE / MARKED_ROWS;
            let starts = (0..blocks.count()).step_by(of_part);
            starts.map(|start| start..(start + of_part).min(blocks.count())).collect()
        };
        for (at, left) in parts.iter().enumerate() {
            if left.start * MARKED_ROWS >= self.sampled {
                break;
            }
            for right in &parts[at..] {
                let pairs = BlockPairs { left: left.clone(), right: right.clone() };
                let ends = [self.sampled; 2];
                let measured = distances.measure_own(&pairs, ends, &mut kept, self.run)?;
                for (part, (rows, others)) in measured.iter().zip([(left, right), (right, left)]) {
                    let start = (rows.start * MARKED_ROWS).min(self.sampled);
                    merge_own(&mut own[start..], part, others.len());
                }
            }
        }
        distances.set_kept(kept);
        Ok((radius(Moments::default()), own))
    }

    fn thresholds(
        &self,
        radius: &Radius,
        own: &[Moments],
        band: Option<&dyn Fn(usize) -> f64>,
    ) -> RowThresholds {
        let rows = self.space.rows();
        RowThresholds::new(radius, rows, |row| own.get(row).copied().unwrap_or_default(), band)
    }

    /// The marks of the sampled rows; `None` if too many are ambiguous.
    fn mark(
        &self,
        distances: &RadiusDistances<'s>,
        radius: &Radius,
        thresholds: &RowThresholds,
        undecided: &Undecided,
    ) -> Result<Option<Marks>> {
        let queries = self.sampled.div_ceil(MARKED_ROWS);
        let pairs = BlockPairs::upper(queries, distances.blocks());
        let (ends, of) = ([self.sampled; 2], (radius, thresholds));
        Ok(distances.mark(of, &pairs, ends, undecided, self.run)?.map(|[marks, _]| marks))
    }
}

/// Mean and spread of a line of distances, summed in the order of those of [all
/// rows](RadiusDistances::measure_own).
fn moments_of_line(line: &[f64]) -> Moments {
    let parts = line.chunks(MARKED_ROWS).map(|part| finite_moments(level(), part));
    parts.fold(Moments::default(), Moments::merged)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::data::{Column, Numbers, Table};
    use crate::differences::{Metric, MissingPolicy, SpaceOptions};
    use crate::neighbors::block_driver::BlockDistances;
    use crate::neighbors::plan::RECOMPUTED;
    use crate::neighbors::tiles::tile_place;
    use crate::neighbors::{PairBatch, RadiusOf};

    const ROWS: usize = 2 * MARKED_ROWS + 37;

    /// Sampled rows that do not fill the last block of queries.
    const SAMPLED: usize = MARKED_ROWS + 21;

    const MATRIX: RadiusRule = RadiusRule { of: RadiusOf::Matrix, ..RadiusRule::SURF };
    const EVERY: [RadiusRule; 5] = [
        RadiusRule::SURF,
        RadiusRule::MULTISURF,
        RadiusRule::SWRF,
        RadiusRule::MULTISWRF,
        RadiusRule::MULTISWRFDB,
    ];

    fn table(columns: usize, value: impl Fn(usize, usize) -> f64) -> Table<'static> {
        let columns = (0..columns).map(|feature| {
            let values = (0..ROWS).map(|row| value(row, feature)).collect();
            Column::from_values(format!("f{feature}"), values).unwrap()
        });
        Table::new(columns.collect()).unwrap()
    }

    /// Numbers that are not on a common grid.
    fn number(row: usize, feature: usize) -> f64 {
        let number = (0.618 * (row * (feature + 3)) as f64 + 0.01 * feature as f64).fract();
        number * number
    }

    /// Classes of rows, and all rows in their order.
    fn classes() -> (Vec<u32>, Vec<u32>) {
        let codes: Vec<u32> = (0..ROWS as u32).map(|row| row * row % 7 % 3).collect();
        let sampled: Vec<u32> = (0..ROWS as u32).collect();
        let order = sampled_first(ROWS, &sampled, Grouping::PerClass(&codes, 3));
        (codes, order)
    }

    /// A search for the neighbors of all rows by a route.
    fn search<'s, 'r>(
        space: &'s Space<'s>,
        (rule, with_far): (RadiusRule, bool),
        (route, keep_distances): (RadiusRoute, bool),
        run: &'r Run,
    ) -> Search<'s, 'r> {
        let choice = RadiusChoice { route, keep_distances, keep_marks: true, undirected: true };
        Search { space, sampled: ROWS, rule, with_far, choice, quantization: None, run }
    }

    /// The marks of distances in floating point.
    fn expected(search: Search<'_, '_>, order: &[u32]) -> Marks {
        let rows = PackedRows::new(search.space, order.to_vec(), search.run).unwrap();
        marks(search.exactly(RadiusDistances::new(rows)).unwrap())
    }

    fn marks(source: MarkSource<'_>) -> Marks {
        match source {
            MarkSource::Kept(marks) => marks.into_owned(),
            MarkSource::Recomputed(_) => panic!("marks are kept"),
        }
    }

    fn rules(rules: &[RadiusRule]) -> impl Iterator<Item = (RadiusRule, bool)> {
        rules.iter().flat_map(|&rule| [(rule, false), (rule, true)])
    }

    #[test]
    fn own_means_decide_as_with_exact_distances() {
        let gap = |row: usize, feature: usize| (row + feature) % 17 == 3 && feature < 3;
        let table = table(
            7,
            |row, feature| if gap(row, feature) { f64::NAN } else { number(row, feature) },
        );
        let run = Run::new(Some(2)).unwrap();
        let (_, order) = classes();
        let space = Space::new(&table, None, SpaceOptions::default(), &run).unwrap();
        for settings in rules(&[RadiusRule::MULTISURF]) {
            let mut refined = [0, 0];
            // From rarely ambiguous to always ambiguous.
            for steps in [MOST_WHOLE, 1 << 22, 1 << 20, 1 << 18, 1 << 17, 1 << 10] {
                for (sampled, keep) in [(ROWS, true), (ROWS, false), (SAMPLED, false)] {
                    let search = search(&space, settings, (RadiusRoute::Words, keep), &run);
                    let search = Search { sampled, ..search };
                    match search.by_words(&order, steps).unwrap() {
                        Some((marks, pairs)) => {
                            refined[0] += pairs;
                            let what = format!("{steps} steps, {sampled} rows, {keep}");
                            assert!(marks == expected(search, &order), "{what}");
                        }
                        None => refined[1] += 1,
                    }
                }
            }
            assert!(refined[0] > 0, "no row was undecided");
            assert!(refined[1] > 0, "rows were never too many");
        }
    }

    #[test]
    fn means_of_all_pairs_decide_as_with_exact_distances() {
        let table = table(40, number);
        let run = Run::new(Some(2)).unwrap();
        let (_, order) = classes();
        let space = Space::new(&table, None, SpaceOptions::default(), &run).unwrap();
        let quantization = Quantization::new(&space).unwrap();
        for settings in rules(&[RadiusRule::SURF, MATRIX]) {
            for sampled in [ROWS, SAMPLED] {
                let search = search(&space, settings, (RadiusRoute::Quantized, false), &run);
                let search = Search { sampled, ..search };
                let (marks, refined) = search.by_shorts(&order, &quantization).unwrap().unwrap();
                assert!(refined > 0, "no pair was undecided");
                assert!(marks == expected(search, &order), "{sampled} rows");
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
            let mean = mean_of_pairs(&space, &Quantization::new(&space).unwrap(), &run).unwrap();
            let (_, order) = classes();
            let distances = RadiusDistances::new(PackedRows::new(&space, order, &run).unwrap());
            let all = BlockPairs::upper(distances.blocks().count(), distances.blocks());
            let parts = distances.measure_pairs(&all, &mut [], &run).unwrap();
            let spread = parts.into_iter().fold(Moments::default(), Moments::merged);
            let apart = (mean / spread.mean - 1.0).abs();
            assert!(apart < 1e-13, "{mean}: {apart}");
            assert_eq!(spread.count, (ROWS * (ROWS - 1) / 2) as f64);
        }
    }

    #[test]
    fn distances_of_decimals_are_those_of_their_grid() {
        // Decimals in single precision deviate from their grid by more than the rounding of words.
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
        let run = Run::new(Some(1)).unwrap();
        let space = Space::new(&table, None, SpaceOptions::default(), &run).unwrap();
        let (_, order) = classes();
        let unrounded = PackedRows::new(&space, order.clone(), &run).unwrap();
        let rounded = PackedRows::of_words(&space, order, MOST_WHOLE, &run).unwrap();
        let panels = basrelief_kernels::panels(ROWS);
        let (mut exact, mut found) = (Vec::new(), Vec::new());
        unrounded.block(0..panels, 0..panels, &mut exact, &mut Default::default());
        rounded.block(0..panels, 0..panels, &mut found, &mut Default::default());
        for (row, other) in (0..ROWS).flat_map(|row| (0..ROWS).map(move |other| (row, other))) {
            let at = tile_place(row, other, panels);
            let (exact, found, error) = (exact[at], found[at], rounded.error(row).unwrap());
            assert!((exact - found).abs() <= error, "{row} and {other}");
        }
    }

    #[test]
    fn where_most_are_undecided_nothing_is_rounded() {
        // All rows are equally far from each other, up to noise that rounding removes.
        let table = table(ROWS, |row, feature| {
            f64::from(u8::from(row == feature)) + 1e-9 * number(row, feature)
        });
        let run = Run::new(Some(2)).unwrap();
        let (codes, order) = classes();
        let space = Space::new(&table, None, SpaceOptions::default(), &run).unwrap();
        let grouping = Grouping::PerClass(&codes, 3);
        for (rule, far) in rules(&[RadiusRule::SURF, RadiusRule::MULTISURF]) {
            let facts = Facts::new(&space, ROWS, grouping);
            let (choice, plan) = plan_radius(&facts, rule, far, &[], run.memory());
            let search = Search {
                choice,
                quantization: facts.quantization(),
                ..search(&space, (rule, far), (choice.route, false), &run)
            };
            let (found, plan) = search.find(&order, plan).unwrap();
            assert!(plan.fallback.is_some(), "{rule:?}");
            assert!(marks(found) == expected(search, &order));
        }
    }

    #[test]
    fn whole_numbers_are_not_rounded() {
        let table = table(9, |row, feature| (number(row, feature) * 20.0).floor());
        let run = Run::new(Some(2)).unwrap();
        let (_, order) = classes();
        let space = Space::new(&table, None, SpaceOptions::default(), &run).unwrap();
        let quantization = Quantization::new(&space).unwrap();
        assert!(quantization.is_whole());
        for settings in rules(&EVERY) {
            let search = Search {
                quantization: Some(&quantization),
                ..search(&space, settings, (RadiusRoute::Quantized, true), &run)
            };
            let (found, plan) = search.find(&order, SearchPlan::default()).unwrap();
            assert_eq!((plan.refined, plan.fallback), (None, None));
            assert!(marks(found) == expected(search, &order));
        }
    }

    /// A neighbor: row, group, neighbor and weight.
    type One = (u32, usize, u32, f64);

    fn by_row(source: &dyn PairSource) -> Vec<One> {
        let mut found = Vec::new();
        source.visit(0..source.len(), &mut |row, group, neighbors| {
            found.extend(neighbors.iter().map(|n| (row, group, n.row, n.weight)));
        });
        found.sort_by_key(|one| (one.0, one.1, one.2));
        found
    }

    fn by_pair(source: &dyn PairSource, near_groups: usize) -> Vec<One> {
        let pairs = source.undirected().expect("all rows are sampled");
        let (mut found, mut seen) = (Vec::new(), HashSet::new());
        for part in 0..pairs.parts() {
            let mut last = None;
            let mut rows = HashSet::new();
            pairs.visit(part, &mut |a, PairBatch { others, groups, weights }| {
                assert!(last.replace(a) == Some(a) || rows.insert(a), "{a} comes again");
                for (&b, (&to, &from)) in others.iter().zip(weights[0].iter().zip(weights[1])) {
                    let sides = groups.map(|group| group / near_groups);
                    assert_eq!(sides[0], sides[1]);
                    assert!(seen.insert((a.min(b), a.max(b), sides[0])), "{a} and {b} come once");
                    assert!(to != 0.0 || from != 0.0);
                    let directions = [(a, groups[0], b, to), (b, groups[1], a, from)];
                    found.extend(directions.into_iter().filter(|one| one.3 != 0.0));
                }
            });
        }
        found.sort_by_key(|one| (one.0, one.1, one.2));
        found
    }

    /// Neighbors are the same whether marks are kept or computed again, row by row or pair by pair,
    /// and for any sampled rows.
    #[test]
    fn all_forms_show_the_same_neighbors() {
        // Rows with both columns missing are infinitely far from all others.
        let table = |missing_rows: usize, is_whole: bool| {
            table(2, |row, feature| match row % missing_rows {
                1 if !is_whole => f64::NAN,
                _ if is_whole => (row * (feature + 3) % 41) as f64,
                _ => ([0.618, 0.414][feature] * row as f64).fract(),
            })
        };
        let run = Run::new(Some(2)).unwrap();
        let recomputing = Run::new(Some(2)).unwrap().with_routes([RECOMPUTED]);
        let (codes, _) = classes();
        let all: Vec<u32> = (0..ROWS as u32).collect();
        let some: Vec<u32> = all.iter().copied().filter(|row| row % 3 == 1).collect();
        for (missing_rows, is_whole, metric) in [
            (ROWS, false, Metric::Manhattan),
            (5, false, Metric::Manhattan),
            (ROWS, false, Metric::Euclidean),
            (ROWS, true, Metric::Manhattan),
        ] {
            let table = table(missing_rows, is_whole);
            let missing = MissingPolicy::Ignore;
            let options = SpaceOptions { metric, missing, ..SpaceOptions::default() };
            let space = Space::new(&table, None, options, &run).unwrap();
            for grouping in
                [Grouping::All, Grouping::HitMiss(&codes), Grouping::PerClass(&codes, 3)]
            {
                for (rule, far) in rules(&EVERY) {
                    let what = format!("{rule:?} {grouping:?} {far}");
                    let found = |sampled: &[u32], run: &Run| {
                        RadiusNeighbors::new(&space, sampled, grouping, rule, far, run).unwrap()
                    };
                    let (kept, again) = (found(&all, &run), found(&all, &recomputing));
                    let expected = by_row(&kept);
                    assert!(!expected.is_empty() && expected == by_row(&again), "{what}");
                    let pairs = by_pair(&kept, grouping.count());
                    assert!(pairs == by_pair(&again, grouping.count()), "{what}");
                    let apart = |(a, b): &(&One, &One)| {
                        (a.0, a.1, a.2) != (b.0, b.1, b.2) || (a.3 - b.3).abs() > 1e-15
                    };
                    assert_eq!(expected.len(), pairs.len(), "{what}");
                    assert_eq!(expected.iter().zip(&pairs).find(apart), None);
                    let (kept, again) = (found(&some, &run), found(&some, &recomputing));
                    assert!(kept.undirected().is_none());
                    assert!(by_row(&kept) == by_row(&again), "{what}");
                    let of_all: Vec<&One> =
                        expected.iter().filter(|one| some.contains(&one.0)).collect();
                    let of_some = by_row(&kept);
                    assert_eq!(of_all.len(), of_some.len(), "{what}");
                    assert_eq!(of_all.into_iter().zip(&of_some).find(apart), None, "{what}");
                    // Marks that were found without groups show the same neighbors under any
                    // grouping.
                    let marks = RadiusMarks::find(&space, &all, rule, far, &run).unwrap();
                    let grouped = by_row(&marks.grouped(grouping));
                    assert_eq!(expected.iter().zip(&grouped).find(apart), None, "{what}");
                    assert_eq!(grouped.len(), expected.len());
                }
            }
        }
    }
}
