//! Corrections for missing values in sums over coded values.
//!
//! A missing number is coded as 0, so that the kernels for complete data can process all rows; they
//! then count the distance of 0 to the other row's number. The *correction* of a missing value is
//! the amount to be added to obtain the difference of the table ([`crate::differences`]). It
//! depends only on the other row, so that a row's corrections are sums of one line of numbers per
//! missing value. If both rows miss a feature, the correction of either side is half of their
//! difference.

use std::ops::Range;

use basrelief_kernels::{
    CASE_PLANES, CASE_ROWS, CaseBlock, FEW_CASES, Level, RoundedCases, add_cases,
    add_rounded_cases, add_to_rows, level, unpack_cases,
};

use super::pairs::place_of;
use crate::csr::CsrGroups;
use crate::differences::{CorrectionRule, MissingTable, Space};
use crate::error::Result;
use crate::memory::PossiblyMapped;
use crate::parallel;
use crate::run::Run;
use crate::thresholds::{LINE_CLASSES, SMALL_TOGETHER};

/// Rows and places whose corrections of many different values are added at a time.
const LINE: usize = 128;

/// The corrections of all missing values of a table in an order of rows.
///
/// A row's corrections of features with few cases and those of other features are summed
/// separately, each in the order of the features, and then added.
///
/// Memory: a column of at most [`FEW_CASES`] cases (different values, and classes) takes
/// [`CASE_PLANES`] bits per row, and one of at most 256 cases takes a byte. One of more cases takes
/// 8 bytes per row and class with missing values, for up to [`LINE_CLASSES`] of these classes, and
/// otherwise 4 bytes per row. Columns with bytes or 4-byte words also take 8 bytes per case and
/// class.
pub(crate) struct MissingCorrections {
    level: Level,
    few: Vec<SmallTableCorrections>,
    /// The packed cases of the features with few cases. They are read again for every block of
    /// rows, and memory is slower than unpacking them.
    planes: PossiblyMapped<u64>,
    others: Vec<FeatureCorrections>,
    /// Per place, the other features with a missing value.
    missing_rows: CsrGroups<u32>,
    /// Class at every place.
    classes: Vec<u32>,
    /// Whether a place misses any value.
    any: Vec<bool>,
}

/// A feature with missing values.
#[derive(Clone, Copy)]
struct FeatureWithMissing<'s> {
    feature: usize,
    missing_rows: &'s [u32],
    table: &'s MissingTable<'s>,
}

impl FeatureWithMissing<'_> {
    /// Its rule, and the kernel's numbers of all cases.
    fn rule(
        &self,
        rule: impl Fn(usize, &mut [f64]) -> CorrectionRule,
    ) -> (CorrectionRule, Vec<f64>) {
        let mut numbers = self.table.values().to_vec();
        (rule(self.feature, &mut numbers), numbers)
    }
}

/// The corrections of one feature's missing values.
struct FeatureCorrections {
    /// Number of classes, or 1 if classes do not matter.
    classes: usize,
    cases: Cases,
}

/// The corrections of every class; empty for a class without missing values.
type PerClass = Vec<Vec<f64>>;

/// The corrections to the rows at all places, class by class.
enum Cases {
    /// By place.
    Places(PerClass),
    /// By the case at every place.
    Bytes(Box<[u8]>, PerClass),
    Words(Box<[u32]>, PerClass),
}

/// The corrections of some features with few cases, in the order in which they are read.
struct SmallTableCorrections {
    features: usize,
    /// Index of their first packed cases, which are stored per [`CASE_ROWS`] places, feature by
    /// feature.
    first_plane: usize,
    /// Per class, which is the first if classes do not matter, and feature.
    corrections: Vec<[f64; FEW_CASES]>,
    /// The corrections in whole steps, if requested.
    rounded: Vec<RoundedCases>,
    /// Number of classes, or 1 if classes do not matter.
    classes: usize,
    /// Per place, the features with a missing value.
    missing_rows: CsrGroups<u32>,
}

impl SmallTableCorrections {
    /// Computes the corrections of some features, and packs the cases of all rows into `planes`.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    fn new(
        features: &[FeatureWithMissing<'_>],
        (order, place_of): (&[u32], &[u32]),
        (first_plane, planes): (usize, &mut [u64]),
        rule: impl Fn(usize, &mut [f64]) -> CorrectionRule,
        run: &Run,
    ) -> Result<Self> {
        let (planes, _) = planes.as_chunks_mut::<CASE_PLANES>();
        // All tables of a space have the same number of classes.
        let classes = features.first().map_or(1, |feature| feature.table.classes());
        let mut corrections = vec![[0.0; FEW_CASES]; classes * features.len()];
        let mut memory = Vec::new();
        for (index, feature) in features.iter().enumerate() {
            run.check()?;
            let of_rows = feature.table.small_cases(feature.missing_rows, &mut memory);
            let of_feature = planes[index..].iter_mut().step_by(features.len());
            for (planes, rows) in of_feature.zip(order.chunks(CASE_ROWS)) {
                *planes = CaseBlock::padded(rows, |row| of_rows[row as usize]).planes();
            }
            let (rule, numbers) = feature.rule(&rule);
            let corrections = corrections[index..].iter_mut().step_by(features.len());
            for (class, corrections) in corrections.enumerate() {
                *corrections = rule.few(feature.table, class, &numbers);
            }
        }
        let missing_rows = missing_by_place(features.iter(), place_of);
        let (features, rounded) = (features.len(), Vec::new());
        Ok(Self { features, first_plane, corrections, rounded, classes, missing_rows })
    }

    /// Returns, for a row of a class at a place, the range of the features' corrections, and the
    /// features with a missing value.
    fn part(&self, (place, class): (usize, u32)) -> (Range<usize>, &[u32]) {
        let class = if self.classes == 1 { 0 } else { class as usize };
        let corrections = class * self.features..(class + 1) * self.features;
        (corrections, self.missing_rows.group(place))
    }
}

/// The cases of a block of rows, for the features that some query rows miss: reused memory of one
/// worker.
#[derive(Debug, Default)]
pub(crate) struct UnpackedCases {
    /// A bit per feature: whether any of the rows misses it.
    missed: Vec<u64>,
    /// The features that any of the rows misses.
    features: Vec<u32>,
    /// Per feature; meaningless for features that no row misses.
    cases: Vec<CaseBlock>,
}

impl UnpackedCases {
    /// Finds the features that any of some rows misses.
    fn find(&mut self, few: &SmallTableCorrections, own: Range<usize>) {
        self.missed.clear();
        self.missed.resize(few.features.div_ceil(64), 0);
        for &feature in own.flat_map(|place| few.missing_rows.group(place)) {
            self.missed[feature as usize / 64] |= 1 << (feature % 64);
        }
        self.features.clear();
        for (first, &missed) in (0..).step_by(64).zip(&self.missed) {
            let mut missed = missed;
            while missed != 0 {
                self.features.push(first + missed.trailing_zeros());
                missed &= missed - 1;
            }
        }
        self.cases.resize(few.features.max(self.cases.len()), CaseBlock::ZERO);
    }

    /// Unpacks the cases of the features that were [found](Self::find), for a block of rows.
    fn unpack(&mut self, few: &SmallTableCorrections, planes: &[u64], block: usize) {
        let (planes, _) = planes[few.first_plane..].as_chunks::<CASE_PLANES>();
        let planes = &planes[block * few.features..][..few.features];
        unpack_cases(level(), planes, &self.features, &mut self.cases);
    }
}

/// Per place, the features with a missing value, in their order.
fn missing_by_place<'f>(
    features: impl Iterator<Item = &'f FeatureWithMissing<'f>> + Clone,
    place_of: &[u32],
) -> CsrGroups<u32> {
    let missing_rows = (0..).zip(features).flat_map(|(index, feature)| {
        feature.missing_rows.iter().map(move |&row| (place_of[row as usize] as usize, index))
    });
    CsrGroups::new(place_of.len(), missing_rows)
}

impl FeatureCorrections {
    fn new(
        table: &MissingTable<'_>,
        (rule, numbers): (CorrectionRule, Vec<f64>),
        order: &[u32],
    ) -> Self {
        let mut corrections: PerClass = vec![Vec::new(); table.classes()];
        for (class, corrections) in corrections.iter_mut().enumerate() {
            rule.fill(table, class, &numbers, corrections);
        }
        let mut memory = Vec::new();
        let in_order = table.cases(order, &mut memory);
        let cases = if table.values().len() <= 256 {
            Cases::Bytes(in_order.iter().map(|case| *case as u8).collect(), corrections)
        } else {
            Self::of_words(table, corrections, in_order)
        };
        Self { classes: table.classes(), cases }
    }

    /// Stores the cases, given the corrections by case and the case at every place.
    fn of_words(table: &MissingTable<'_>, corrections: PerClass, in_order: &[u32]) -> Cases {
        if table.missing_classes().count() > LINE_CLASSES {
            return Cases::Words(in_order.into(), corrections);
        }
        let line = |corrections: Vec<f64>| match corrections.is_empty() {
            true => corrections,
            false => in_order.iter().map(|case| corrections[*case as usize]).collect(),
        };
        Cases::Places(corrections.into_iter().map(line).collect())
    }
}

impl MissingCorrections {
    /// Lays out the features that have a table and are to be corrected. `rule` returns a feature's
    /// rule, and converts the values of its cases into the kernel's numbers.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(crate) fn new(
        space: &Space<'_>,
        order: &[u32],
        is_corrected: impl Fn(usize) -> bool,
        rule: impl Fn(usize, &mut [f64]) -> CorrectionRule + Sync,
        run: &Run,
    ) -> Result<Self> {
        let mut any = Vec::new();
        let place_of = place_of(order);
        let (mut few, mut others) = (Vec::new(), Vec::new());
        for (feature, own) in space.features().iter().enumerate() {
            let Some(table) = own.table().filter(|_| is_corrected(feature)) else { continue };
            let missing_rows = own.missing_rows();
            let of_feature = FeatureWithMissing { feature, missing_rows, table };
            let of_its_kind = if table.is_small() { &mut few } else { &mut others };
            of_its_kind.push(of_feature);
            any.resize(order.len(), false);
            missing_rows.iter().for_each(|&row| any[place_of[row as usize] as usize] = true);
        }
        let classes = order.iter().map(|&row| space.class(row as usize) as u32).collect();
        let missing_rows = missing_by_place(others.iter(), &place_of);
        let of_feature = order.len().div_ceil(CASE_ROWS) * CASE_PLANES;
        let mut planes: PossiblyMapped<u64> = run.zeros(few.len() * of_feature)?;
        let (mut rest, mut first_plane) = (&mut planes[..], 0);
        let mut tasks = Vec::new();
        for features in few.chunks(run.share_of(few.len(), SMALL_TOGETHER)) {
            let count = features.len() * of_feature;
            let (own, others) = rest.split_at_mut(count);
            rest = others;
            tasks.push((features, (first_plane, own)));
            first_plane += count;
        }
        let (few, others) = run.install(|| -> Result<_> {
            let few = parallel::try_map(tasks, |(features, planes)| {
                SmallTableCorrections::new(features, (order, &place_of), planes, &rule, run)
            })?;
            let others = parallel::try_map(others, |feature| {
                run.check()?;
                Ok(FeatureCorrections::new(feature.table, feature.rule(&rule), order))
            })?;
            Ok((few, others))
        })?;
        Ok(Self { level: level(), few, planes, others, missing_rows, classes, any })
    }

    /// Whether any of some places misses a value.
    pub(crate) fn any(&self, places: Range<usize>) -> bool {
        !self.any.is_empty()
            && self.any[places.start..places.end.min(self.any.len())].contains(&true)
    }

    /// Replaces the lines by the sums of the corrections of some rows' missing values to the rows at other
    /// places, a line per row.
    pub(crate) fn lines(
        &self,
        own: Range<usize>,
        others: Range<usize>,
        found: &mut CorrectionLines,
    ) {
        let own = own.start..own.end.min(self.any.len());
        let others = others.start..others.end.min(self.any.len());
        let size = own.len() * others.len();
        let zeros = |lines: &mut Vec<f64>| {
            lines.clear();
            lines.resize(size, 0.0);
        };
        zeros(&mut found.lines);
        if !self.others.is_empty() {
            self.add_others(own.clone(), others.clone(), found);
        }
        match (self.few.is_empty(), self.others.is_empty()) {
            (true, _) => {}
            (false, true) => self.add_few(own, others, &mut found.lines, &mut found.cases),
            (false, false) => {
                zeros(&mut found.of_few);
                self.add_few(own, others, &mut found.of_few, &mut found.cases);
                found.lines.iter_mut().zip(&found.of_few).for_each(|(sum, few)| *sum += few);
            }
        }
    }

    /// Adds the corrections of features with few cases to the lines of some rows.
    fn add_few(
        &self,
        own: Range<usize>,
        others: Range<usize>,
        lines: &mut [f64],
        cases: &mut UnpackedCases,
    ) {
        self.each_few(own, others, lines, cases, |few, of_row, cases, sums| {
            let (corrections, missing_rows) = few.part(of_row);
            add_cases(self.level, cases, &few.corrections[corrections], missing_rows, sums);
        });
    }

    /// Whether all features with missing values have few cases, and there are some.
    pub(crate) fn are_of_small_tables(&self) -> bool {
        self.others.is_empty() && !self.few.is_empty()
    }

    /// Rounds the corrections of features with few cases to whole steps, where `steps` is the
    /// number of steps in the unit of the corrections. None may exceed 65,535 steps.
    pub(crate) fn round(&mut self, steps: f64) {
        for few in &mut self.few {
            let rounded = |correction: f64| (correction * steps).round() as u16;
            few.rounded =
                few.corrections.iter().map(|s| RoundedCases::new(s.map(rounded))).collect();
        }
    }

    /// Number of features with few cases that a place misses.
    pub(crate) fn missing(&self, place: usize) -> usize {
        self.few.iter().map(|few| few.missing_rows.group(place).len()).sum()
    }

    /// As [`lines`](Self::lines), with the rounded corrections of features with few cases.
    pub(crate) fn rounded_lines(
        &self,
        own: Range<usize>,
        others: Range<usize>,
        lines: &mut Vec<u32>,
        cases: &mut UnpackedCases,
    ) {
        lines.clear();
        lines.resize(own.len() * others.len(), 0);
        self.each_few(own, others, lines, cases, |few, of_row, cases, sums| {
            let (corrections, missing_rows) = few.part(of_row);
            add_rounded_cases(self.level, cases, &few.rounded[corrections], missing_rows, sums);
        });
    }

    /// Calls `add` for features with few cases, for every row that misses one of them and every
    /// block of other rows: with the row's place and class, the cases of the block, and the sums of
    /// the row's line.
    fn each_few<T: Copy + Default>(
        &self,
        own: Range<usize>,
        others: Range<usize>,
        lines: &mut [T],
        unpacked: &mut UnpackedCases,
        add: impl Fn(&SmallTableCorrections, (usize, u32), &[CaseBlock], &mut [T; CASE_ROWS]),
    ) {
        let blocks = others.start / CASE_ROWS..others.end.div_ceil(CASE_ROWS);
        for few in &self.few {
            unpacked.find(few, own.clone());
            if unpacked.features.is_empty() {
                continue;
            }
            for block in blocks.clone() {
                let first = block * CASE_ROWS;
                let places = first.max(others.start)..(first + CASE_ROWS).min(others.end);
                let of_block = places.start - first..places.end - first;
                let of_line = places.start - others.start..places.end - others.start;
                unpacked.unpack(few, &self.planes, block);
                let cases = &unpacked.cases[..];
                for (place, line) in own.clone().zip(lines.chunks_exact_mut(others.len())) {
                    if few.missing_rows.group(place).is_empty() {
                        continue;
                    }
                    let line = &mut line[of_line.clone()];
                    if let Ok(sums) = line.try_into() {
                        add(few, (place, self.classes[place]), cases, sums);
                        continue;
                    }
                    let mut sums = [T::default(); CASE_ROWS];
                    sums[of_block.clone()].copy_from_slice(line);
                    add(few, (place, self.classes[place]), cases, &mut sums);
                    line.copy_from_slice(&sums[of_block.clone()]);
                }
            }
        }
    }

    /// Adds the corrections of all other features to the lines of some rows.
    fn add_others(&self, own: Range<usize>, others: Range<usize>, found: &mut CorrectionLines) {
        // Few rows at a time, so that their sums stay in the second-level cache.
        for first in own.clone().step_by(LINE) {
            let rows = first..(first + LINE).min(own.end);
            let missing_rows = (0..).zip(rows).flat_map(|(row, place)| {
                self.missing_rows.group(place).iter().map(move |&feature| (feature as usize, row))
            });
            found.rows.fill(self.others.len(), missing_rows);
            for start in others.clone().step_by(LINE) {
                let places = start..(start + LINE).min(others.end);
                let at = (first - own.start) * others.len() + start - others.start;
                self.add_places(first, places, others.len(), at, found);
            }
        }
    }

    /// Adds the corrections of the listed missing values, of rows from place `own` on, to the rows
    /// at some places. The sums begin at index `at`, and those of the next row `width` later.
    ///
    /// A feature's corrections are read once for all rows that miss it.
    fn add_places(
        &self,
        own: usize,
        places: Range<usize>,
        width: usize,
        at: usize,
        found: &mut CorrectionLines,
    ) {
        let CorrectionLines { lines, rows, line, .. } = found;
        let lines = &mut lines[at..];
        for (feature, of_feature) in self.others.iter().zip(rows.iter()) {
            // If classes do not matter, all rows belong to one.
            let class = |row: u32| match feature.classes {
                1 => 0,
                _ => self.classes[own + row as usize] as usize,
            };
            for rows in of_feature.chunk_by(|a, b| class(*a) == class(*b)) {
                let class = class(rows[0]);
                line.clear();
                match &feature.cases {
                    Cases::Places(corrections) => {
                        let line = &corrections[class][places.clone()];
                        add_to_rows(self.level, line, rows, width, lines);
                        continue;
                    }
                    Cases::Bytes(cases, corrections) => {
                        let cases = cases[places.clone()].iter();
                        line.extend(cases.map(|&case| corrections[class][usize::from(case)]));
                    }
                    Cases::Words(cases, corrections) => {
                        let cases = cases[places.clone()].iter();
                        line.extend(cases.map(|&case| corrections[class][case as usize]));
                    }
                }
                add_to_rows(self.level, line, rows, width, lines);
            }
        }
    }
}

/// Sums of corrections and intermediate results: reused memory of one worker.
#[derive(Debug, Default)]
pub(crate) struct CorrectionLines {
    /// A line per row, with a sum for every other place.
    pub(crate) lines: Vec<f64>,
    /// The lines of features with few cases, if there are other features.
    of_few: Vec<f64>,
    cases: UnpackedCases,
    /// Per other feature, the rows that miss it.
    rows: CsrGroups<u32>,
    line: Vec<f64>,
}
