//! What missing values add to sums over coded values.
//!
//! A missing number is coded as 0, so that the kernels for complete data run over all rows; these
//! then count the distance of 0 to the other row's number. The *share* of a missing value is what
//! must be added to make that the difference of the table ([`super::gaps`]). It depends on the
//! other row alone, so that a row's shares are sums of one line of numbers per missing value. Where
//! both rows miss a feature, each side's share is half of their difference.

use std::ops::Range;

use basrelief_kernels::{FEW_CASES, Level, add_cases, add_to_rows, level};
use rayon::prelude::*;

use super::gaps::{CaseOfRows, GapTable};
use super::options::Ramp;
use super::space::Space;
use crate::error::Result;
use crate::run::Run;

/// Lines up to which a column of many different values has them row by row.
const LINES: usize = 4;

/// Rows and places whose shares are added at a time.
const LINE: usize = 128;

/// What a kernel counts for a missing value, coded as 0, and a known one.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Counted {
    /// Nothing.
    Nothing,
    /// The number itself, times a scale and ramped if there is a ramp.
    Number(Option<(Ramp, f64)>),
    /// 1 unless it is 0.
    Mismatch,
}

/// How shares follow from the differences of a table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ShareRule {
    pub(crate) counted: Counted,
    /// Whether differences count squared.
    pub(crate) square: bool,
    /// What a difference of 1 counts.
    pub(crate) unit: f64,
}

impl ShareRule {
    /// The share of a missing value whose difference to another row is `difference`; `value` is the
    /// other row's number as the kernel has it, NaN where it is missing too.
    pub(crate) fn share(&self, difference: f64, value: f64) -> f64 {
        let squared = |value: f64| if self.square { value * value } else { value };
        let whole = self.unit * squared(difference);
        if value.is_nan() {
            return 0.5 * whole;
        }
        match self.counted {
            Counted::Nothing => whole,
            Counted::Number(None) => whole - squared(value),
            Counted::Number(Some((ramp, scale))) => whole - squared(ramp.apply(value * scale)),
            Counted::Mismatch => whole - f64::from(u8::from(value != 0.0)),
        }
    }

    /// The shares of a missing value of a class to the rows of every case, from the cases' numbers
    /// as the kernel has them; none where the class misses no value.
    pub(crate) fn by_case(&self, table: &GapTable, class: usize, numbers: &[f64]) -> Box<[f64]> {
        let cases = table.by_case(class).iter().zip(numbers);
        cases.map(|(difference, number)| self.share(*difference, *number)).collect()
    }

    /// The same where there are at most [`FEW_CASES`], 0 behind them.
    pub(crate) fn few(&self, table: &GapTable, class: usize, numbers: &[f64]) -> [f64; FEW_CASES] {
        let mut shares = [0.0; FEW_CASES];
        let by_case = self.by_case(table, class, numbers);
        shares.iter_mut().zip(by_case).for_each(|(out, share)| *out = share);
        shares
    }
}

/// Per place of an order, which of some features are missing, by their index and ascending.
pub(super) fn gaps_by_place(space: &Space<'_>, order: &[u32], features: &[usize]) -> Vec<Vec<u32>> {
    let mut gaps = vec![Vec::new(); order.len()];
    let place_of = place_of(order);
    for (index, &feature) in features.iter().enumerate() {
        for &row in &space.features()[feature].gaps {
            gaps[place_of[row as usize] as usize].push(index as u32);
        }
    }
    gaps
}

/// The place of every row in an order.
pub(super) fn place_of(order: &[u32]) -> Vec<u32> {
    let mut places = vec![0; order.len()];
    for (place, &row) in (0..).zip(order) {
        places[row as usize] = place;
    }
    places
}

/// The shares of all missing values of a table in an order of rows.
///
/// Memory: a column of at most 256 cases (different values, and classes) has a byte per row;
/// one of more has 8 bytes per row and class with missing values, up to [`LINES`] of these classes,
/// else 4 bytes per row. Where rows have bytes or words, there are 8 bytes per case and class as well.
pub(super) struct GapShares {
    level: Level,
    features: Vec<FeatureShares>,
    few: FewShares,
    /// Per place, the features whose value is missing.
    gaps: Vec<Vec<u32>>,
    /// Class at every place.
    classes: Vec<u32>,
}

/// The shares of one feature's missing values.
struct FeatureShares {
    /// Number of classes, or 1 where they do not matter.
    classes: usize,
    cases: Cases,
}

/// Shares of every class, none where a class has no missing value.
type PerClass = Vec<Box<[f64]>>;

/// Where the shares to the rows at all places are found, class by class.
enum Cases {
    /// By place.
    Places(PerClass),
    /// By the case at every place.
    Bytes(Box<[u8]>, PerClass),
    Words(Box<[u32]>, PerClass),
    /// By the case, of which there are at most [`FEW_CASES`]: where the feature stands in
    /// [`FewShares`].
    Few(usize),
}

/// The shares of features of few cases, laid out as they are read: some places of all features, then
/// the next.
#[derive(Default)]
struct FewShares {
    /// Per [`LINE`] places, feature and place: the case.
    cases: Vec<u8>,
    /// Per feature and class.
    shares: Vec<[f64; FEW_CASES]>,
    /// Per feature, where its classes begin.
    starts: Vec<usize>,
}

impl FewShares {
    /// Of features with their rules and numbers by case.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    fn new(
        features: &[(&GapTable, (ShareRule, Vec<f64>))],
        order: &[u32],
        run: &Run,
    ) -> Result<Self> {
        let mut few = Self::default();
        for (table, (rule, numbers)) in features {
            few.starts.push(few.shares.len());
            let classes = 0..table.classes();
            few.shares.extend(classes.map(|class| rule.few(table, class, numbers)));
        }
        few.cases = vec![0; order.len().div_ceil(LINE) * features.len() * LINE];
        if features.is_empty() {
            return Ok(few);
        }
        run.install(|| {
            let lines = few.cases.par_chunks_mut(features.len() * LINE);
            lines.zip(order.par_chunks(LINE)).try_for_each(|(lines, places)| -> Result<()> {
                run.check()?;
                for (line, (table, _)) in lines.chunks_exact_mut(LINE).zip(features) {
                    for (case, &row) in line.iter_mut().zip(places) {
                        *case = table.case(row as usize) as u8;
                    }
                }
                Ok(())
            })
        })?;
        Ok(few)
    }

    /// The cases of a feature from a place on, up to where their line ends.
    fn line(&self, feature: usize, place: usize) -> &[u8] {
        let line = place / LINE * self.starts.len() + feature;
        &self.cases[line * LINE + place % LINE..(line + 1) * LINE]
    }
}

impl FeatureShares {
    fn new(table: &GapTable, rule: ShareRule, order: &[u32], numbers: &[f64]) -> Self {
        let classes = 0..table.classes();
        let shares: PerClass = classes.map(|class| rule.by_case(table, class, numbers)).collect();
        let cases = match table.cases() {
            CaseOfRows::Bytes(cases) => {
                Cases::Bytes(order.iter().map(|&row| cases[row as usize]).collect(), shares)
            }
            CaseOfRows::Words(cases) => {
                let in_order = order.iter().map(|&row| cases[row as usize]);
                if table.with_gaps().count() > LINES {
                    Cases::Words(in_order.collect(), shares)
                } else {
                    let line = |shares: Box<[f64]>| {
                        let places = in_order.clone().filter(|_| !shares.is_empty());
                        places.map(|case| shares[case as usize]).collect()
                    };
                    Cases::Places(shares.into_iter().map(line).collect())
                }
            }
        };
        Self { classes: table.classes(), cases }
    }
}

impl GapShares {
    /// Lays out the lines of the features that have a table; `rule` gives a feature's rule, and turns
    /// the values of its cases into the kernel's numbers.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(super) fn new(
        space: &Space<'_>,
        order: &[u32],
        rule: impl Fn(usize, &mut [f64]) -> ShareRule + Sync,
        run: &Run,
    ) -> Result<Self> {
        let with_gaps: Vec<(usize, &GapTable)> = (0..)
            .zip(space.features())
            .filter_map(|(feature, info)| Some((feature, info.table.as_ref()?)))
            .collect();
        let of_feature = |feature: usize, table: &GapTable| {
            let mut numbers = table.values().to_vec();
            (rule(feature, &mut numbers), numbers)
        };
        let is_few = |table: &GapTable| table.n_cases() <= FEW_CASES;
        let few = with_gaps.iter().filter(|(_, table)| is_few(table));
        let few = few.map(|&(feature, table)| (table, of_feature(feature, table)));
        let few = FewShares::new(&few.collect::<Vec<_>>(), order, run)?;
        let mut next = 0..;
        let places =
            with_gaps.iter().map(|(_, table)| if is_few(table) { next.next() } else { None });
        let places: Vec<Option<usize>> = places.collect();
        let features = run.install(|| {
            with_gaps
                .par_iter()
                .zip(&places)
                .map(|(&(feature, table), place)| {
                    run.check()?;
                    if let Some(place) = place {
                        let (classes, cases) = (table.classes(), Cases::Few(*place));
                        return Ok(FeatureShares { classes, cases });
                    }
                    let (rule, numbers) = of_feature(feature, table);
                    Ok(FeatureShares::new(table, rule, order, &numbers))
                })
                .collect::<Result<Vec<_>>>()
        })?;
        let with_gaps: Vec<usize> = with_gaps.iter().map(|(feature, _)| *feature).collect();
        let gaps =
            if features.is_empty() { Vec::new() } else { gaps_by_place(space, order, &with_gaps) };
        let classes = order.iter().map(|&row| space.class(row as usize) as u32).collect();
        Ok(Self { level: level(), features, few, gaps, classes })
    }

    /// Whether any of some places misses a value.
    pub(super) fn any(&self, places: Range<usize>) -> bool {
        !self.gaps.is_empty()
            && self.gaps[places.start..places.end.min(self.gaps.len())]
                .iter()
                .any(|g| !g.is_empty())
    }

    /// Replaces the lines by the sums of the shares of some rows' missing values to the rows at other
    /// places, a line per row, in the order of the features.
    pub(super) fn lines(&self, own: Range<usize>, others: Range<usize>, found: &mut ShareLines) {
        let own = own.start..own.end.min(self.gaps.len());
        let others = others.start..others.end.min(self.gaps.len());
        found.lines.clear();
        found.lines.resize(own.len() * others.len(), 0.0);
        // Few rows at a time, whose sums stay in the second cache.
        for first in own.clone().step_by(LINE) {
            let rows = first..(first + LINE).min(own.end);
            self.by_feature(rows, &mut found.ends, &mut found.rows);
            let mut start = others.start;
            while start < others.end {
                let end = ((start / LINE + 1) * LINE).min(others.end);
                let at = (first - own.start) * others.len() + start - others.start;
                self.add(first, start..end, others.len(), at, found);
                start = end;
            }
        }
    }

    /// Adds the shares of the missing values listed, of rows from the place `own` on, to the rows at
    /// some places of one line; sums begin `at`, and a row's `width` behind those of the one before.
    ///
    /// A feature's shares are read once for all rows that miss it.
    fn add(
        &self,
        own: usize,
        places: Range<usize>,
        width: usize,
        at: usize,
        found: &mut ShareLines,
    ) {
        let ShareLines { lines, ends, rows, line } = found;
        let lines = &mut lines[at..];
        let mut start = 0;
        for (feature, &end) in self.features.iter().zip(&*ends) {
            let of_feature = &rows[start..end as usize];
            start = end as usize;
            // Where classes do not matter, all rows are of one.
            let class = |row: u32| match feature.classes {
                1 => 0,
                _ => self.classes[own + row as usize] as usize,
            };
            for rows in of_feature.chunk_by(|a, b| class(*a) == class(*b)) {
                let class = class(rows[0]);
                line.clear();
                match &feature.cases {
                    Cases::Few(feature) => {
                        let cases = &self.few.line(*feature, places.start)[..places.len()];
                        let shares = &self.few.shares[self.few.starts[*feature] + class];
                        add_cases(self.level, cases, shares, rows, width, lines);
                        continue;
                    }
                    Cases::Places(shares) => {
                        let line = &shares[class][places.clone()];
                        add_to_rows(self.level, line, rows, width, lines);
                        continue;
                    }
                    Cases::Bytes(cases, shares) => {
                        let cases = cases[places.clone()].iter();
                        line.extend(cases.map(|&case| shares[class][usize::from(case)]));
                    }
                    Cases::Words(cases, shares) => {
                        let cases = cases[places.clone()].iter();
                        line.extend(cases.map(|&case| shares[class][case as usize]));
                    }
                }
                add_to_rows(self.level, line, rows, width, lines);
            }
        }
    }

    /// Replaces `rows` by the numbers, counted from the first, of the rows at some places that miss
    /// each feature, and `ends` by where a feature's end.
    fn by_feature(&self, places: Range<usize>, ends: &mut Vec<u32>, rows: &mut Vec<u32>) {
        // Counted one further on, so that the sums are the starts, which grow to be the ends.
        ends.clear();
        ends.resize(self.features.len() + 1, 0);
        let gaps = &self.gaps[places];
        for &gap in gaps.iter().flatten() {
            ends[gap as usize + 1] += 1;
        }
        let mut sum = 0;
        for end in ends.iter_mut() {
            sum += *end;
            *end = sum;
        }
        rows.clear();
        rows.resize(sum as usize, 0);
        for (row, gaps) in (0..).zip(gaps) {
            for &gap in gaps {
                let end = &mut ends[gap as usize];
                rows[*end as usize] = row;
                *end += 1;
            }
        }
        ends.truncate(self.features.len());
    }
}

/// Sums of shares, and what they are made from: reused memory of one worker.
#[derive(Debug, Default)]
pub(super) struct ShareLines {
    /// A line per row, as long as there are other places.
    pub(super) lines: Vec<f64>,
    /// Per feature, the end of the rows that miss it.
    ends: Vec<u32>,
    rows: Vec<u32>,
    line: Vec<f64>,
}
