//! The corrections of missing numbers, rounded like the numbers.
//!
//! Lines of corrections are divided into blocks of rows, and the lines of a block are contiguous:
//! all that is read for the pairs of some rows with those of a block stays in the second-level
//! cache. The lines take 2 bytes per row, feature with missing values, and class with missing
//! values of the feature, for an odd number of complete blocks.

use std::ops::Range;

use basrelief_kernels::{LANES, Level, Rounding, TILE, add_rounded_lines, level, round_to_whole};

use super::pairs::place_of;
use super::tiles::turned;
use crate::csr::CsrGroups;
use crate::differences::{CodedValue, CorrectionRule, Feature, MissingTable, Space};
use crate::error::Result;
use crate::memory::PossiblyMapped;
use crate::parallel;
use crate::run::Run;

/// Rows of a block.
const ROWS: usize = 128;

/// Maximum number of features whose corrections one task rounds; even, because numbers are packed
/// in pairs.
const FEATURES: usize = 32;

/// Lines that are added at a time.
const AT_ONCE: usize = 16;

/// Rounded numbers in the order of the places, packed for the kernels.
#[derive(Clone, Copy)]
pub(crate) struct Packed<'v> {
    pub(crate) values: &'v [[i16; 2]],
    /// Pairs of features per row.
    pub(crate) pairs: usize,
}

/// The corrections of missing values to the rows at all places: the amount by which the distance of
/// a row with missing values is too small or too large, because these are packed as 0.
pub(crate) struct RoundedCorrections {
    /// Per task and block of rows, the lines.
    corrections: PossiblyMapped<i16>,
    /// The lines, each for the missing values of a feature and a class.
    lines: Vec<Line>,
    /// Per place, the lines of its missing values.
    missing_rows: CsrGroups<u32>,
}

/// The position of a line.
#[derive(Clone, Copy)]
struct Line {
    /// Its first block.
    first: usize,
    /// The offset from one of its blocks to the next.
    apart: usize,
}

impl Line {
    fn of_block(self, block: usize) -> Range<usize> {
        let start = self.first + block * self.apart;
        start..start + ROWS
    }
}

/// The number of the first of some features, the features, and their corrections.
type Task<'c> = (usize, &'c [usize], &'c mut [i16]);

/// Reused memory of one worker.
#[derive(Default)]
struct Buffers {
    whole: Vec<u32>,
    lost: Vec<f64>,
    /// Per line and case, the correction.
    by_case: Vec<i16>,
    counted: Vec<i16>,
    cases: Vec<u32>,
}

impl RoundedCorrections {
    /// Rounds the corrections to `steps` steps of a difference of 1, and subtracts what the packed
    /// numbers contribute. Missing numbers are packed as 0.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`]; [`crate::Error::File`] if corrections have to lie in a file.
    pub(crate) fn new(
        space: &Space<'_>,
        order: &[u32],
        features: &[usize],
        packed: Packed<'_>,
        steps: f64,
        run: &Run,
    ) -> Result<Self> {
        let table_of = |feature: &usize| space.features()[*feature].table();
        let lines_of = |features: &[usize]| -> usize {
            features.iter().filter_map(table_of).map(|table| table.missing_classes().count()).sum()
        };
        // An odd number, so that the lines of a block do not compete with those of other tasks for
        // the same part of a cache.
        let blocks = order.len().div_ceil(ROWS) | 1;
        let together = run.share_of(features.len(), FEATURES).next_multiple_of(2);
        let mut lines: Vec<Line> = Vec::with_capacity(lines_of(features));
        let mut total = 0;
        for features in features.chunks(together) {
            let count = lines_of(features);
            let of_task = |line| Line { first: total + line * ROWS, apart: count * ROWS };
            lines.extend((0..count).map(of_task));
            total += count * ROWS * blocks;
        }
        let mut corrections = run.zeros(total)?;
        let mut rest = &mut corrections[..];
        let mut tasks: Vec<Task<'_>> = Vec::new();
        for (first, features) in (0..).step_by(together).zip(features.chunks(together)) {
            let (own, others) = rest.split_at_mut(lines_of(features) * ROWS * blocks);
            rest = others;
            tasks.push((first, features, own));
        }
        let fill = |buffers: &mut Buffers, (first, features, corrections): Task<'_>| {
            run.check()?;
            if !corrections.is_empty() {
                let features = features.iter().map(|feature| &space.features()[*feature]);
                let features: Vec<&Feature<'_>> = features.collect();
                buffers.fill((first, &features), order, packed, steps, corrections);
            }
            Ok(())
        };
        run.install(|| parallel::try_for_each_with(tasks, fill))?;
        let place_of = place_of(order);
        let mut of_lines: Vec<(usize, u32)> = Vec::new();
        let mut line = 0;
        for feature in features {
            for class in table_of(feature).into_iter().flat_map(MissingTable::missing_classes) {
                let rows = space.missing_rows_of(*feature, class);
                of_lines.extend(rows.map(|row| (place_of[row as usize] as usize, line)));
                line += 1;
            }
        }
        let missing_rows = CsrGroups::new(order.len(), of_lines.into_iter());
        Ok(Self { corrections, lines, missing_rows })
    }

    /// Number of missing values of every row, place by place.
    pub(crate) fn missing(&self) -> impl Iterator<Item = usize> {
        self.missing_rows.iter().map(|missing_rows| missing_rows.len())
    }

    /// Adds the corrections of all rows at some places to tiled distances: those of `own` to
    /// `others`, and vice versa. Sums are modulo 2^32.
    pub(crate) fn add(&self, own: Range<usize>, others: Range<usize>, out: &mut [u32]) {
        let width = others.len() / LANES;
        let out = out.as_chunks_mut::<TILE>().0;
        self.each_lines(own.clone(), others.clone(), |row, column, lines| {
            add_to(&mut out[row * width + column], lines);
        });
        self.each_lines(others, own, |column, row, lines| {
            add_to(&mut out[row * width + column], &turned(lines));
        });
    }

    /// As [`add`](Self::add), for all pairs of some rows.
    pub(crate) fn add_square(&self, rows: Range<usize>, out: &mut [u32]) {
        let width = rows.len() / LANES;
        let out = out.as_chunks_mut::<TILE>().0;
        self.each_lines(rows.clone(), rows, |row, column, lines| {
            add_to(&mut out[row * width + column], lines);
            add_to(&mut out[column * width + row], &turned(lines));
        });
    }

    /// Calls `take` with the sums of the corrections of some rows' missing values to other rows,
    /// for every pair of panels in which a value is missing. Panels are complete, and their indices
    /// count from the first one.
    fn each_lines(
        &self,
        own: Range<usize>,
        others: Range<usize>,
        mut take: impl FnMut(usize, usize, &[i32; TILE]),
    ) {
        let level = level();
        let mut sums = [[0; ROWS]; LANES];
        let mut start = others.start;
        while start < others.end {
            let block = start / ROWS;
            let end = others.end.min((block + 1) * ROWS);
            let in_block = start - block * ROWS..end - block * ROWS;
            for (number, first) in own.clone().step_by(LANES).enumerate() {
                let mut any = false;
                for (sums, place) in sums.iter_mut().zip(first..) {
                    let sums = &mut sums[..in_block.len()];
                    sums.fill(0);
                    any |= self.add_lines(level, place, block, in_block.clone(), sums);
                }
                if !any {
                    continue;
                }
                for panel in 0..in_block.len() / LANES {
                    let tile =
                        std::array::from_fn(|at| sums[at / LANES][panel * LANES + at % LANES]);
                    take(number, (start - others.start) / LANES + panel, &tile);
                }
            }
            start = end;
        }
    }

    /// Adds the corrections of one row to some rows of a block. Returns `false` if all its values
    /// are known.
    fn add_lines(
        &self,
        level: Level,
        place: usize,
        block: usize,
        in_block: Range<usize>,
        sums: &mut [i32],
    ) -> bool {
        // Panels may have more lanes than there are rows.
        let missing_rows = self.missing_rows.get(place).unwrap_or_default();
        for missing_rows in missing_rows.chunks(AT_ONCE) {
            let mut lines: [&[i16]; AT_ONCE] = [&[]; AT_ONCE];
            for (line, &row) in lines.iter_mut().zip(missing_rows) {
                let of_block = &self.corrections[self.lines[row as usize].of_block(block)];
                *line = &of_block[in_block.clone()];
            }
            add_rounded_lines(level, &lines[..missing_rows.len()], sums);
        }
        !missing_rows.is_empty()
    }
}

impl Buffers {
    /// Fills the lines of some features; `first` is the index of the first one among the packed
    /// features.
    fn fill(
        &mut self,
        (first, features): (usize, &[&Feature<'_>]),
        order: &[u32],
        packed: Packed<'_>,
        steps: f64,
        corrections: &mut [i16],
    ) {
        self.by_case.clear();
        for feature in features {
            let Some(table) = feature.table() else { continue };
            table
                .missing_classes()
                .for_each(|class| self.round((table, feature.missing_rows()), class, steps));
        }
        let tables = || features.iter().map(|feature| feature.table());
        let lines: usize = tables().flatten().map(|table| table.missing_classes().count()).sum();
        let blocks = order.chunks(ROWS).enumerate();
        for (corrections, (block, rows)) in corrections.chunks_exact_mut(lines * ROWS).zip(blocks) {
            let mut lines = corrections.chunks_exact_mut(ROWS);
            let mut by_case = &self.by_case[..];
            for (feature, table) in (first..).zip(tables()) {
                let Some(table) = table else { continue };
                let cases = table.cases(rows, &mut self.cases);
                let values = &packed.values[block * ROWS * packed.pairs + feature / 2 * LANES..];
                self.counted.clear();
                for values in values.chunks(packed.pairs * LANES).take(ROWS / LANES) {
                    self.counted.extend(values[..LANES].iter().map(|pair| pair[feature % 2]));
                }
                for (_, line) in table.missing_classes().zip(&mut lines) {
                    let (of_line, others) = by_case.split_at(table.values().len());
                    by_case = others;
                    let of_rows = cases.iter().zip(&self.counted);
                    for (correction, (case, counted)) in line.iter_mut().zip(of_rows) {
                        *correction = of_line[*case as usize] - counted;
                    }
                }
            }
        }
    }

    /// Appends the rounded corrections of a missing value of a class to the rows of every case. The
    /// packed numbers are not subtracted yet.
    fn round(
        &mut self,
        (table, missing_rows): (&MissingTable<'_>, &[u32]),
        class: usize,
        steps: f64,
    ) {
        let Self { whole, lost, by_case, .. } = self;
        let differences = table.by_case(class);
        whole.resize(differences.len(), 0);
        lost.resize(differences.len(), 0.0);
        let rounding = Rounding { least: 0.0, factor: steps };
        round_to_whole(level(), differences, rounding, whole, lost);
        let first = by_case.len();
        by_case.extend(whole.iter().map(|correction| *correction as i16));
        let rule = CorrectionRule { counted: CodedValue::Nothing, square: false, unit: steps };
        for case in table.missing_cases(missing_rows) {
            by_case[first + case] = (rule.correction(differences[case], f64::NAN) + 0.5) as i16;
        }
    }
}

#[cfg(test)]
impl RoundedCorrections {
    /// All stored values, for comparison.
    pub(crate) fn kept(&self) -> (Vec<i16>, Vec<usize>, Vec<Vec<u32>>) {
        let starts = self.lines.iter().map(|line| line.first).collect();
        (self.corrections.to_vec(), starts, self.missing_rows.iter().map(<[u32]>::to_vec).collect())
    }
}

fn add_to(tile: &mut [u32; TILE], corrections: &[i32; TILE]) {
    for (distance, correction) in tile.iter_mut().zip(corrections) {
        *distance = distance.wrapping_add_signed(*correction);
    }
}
