//! What missing values add to sums over coded values.
//!
//! A missing number is coded as 0, so that the kernels for complete data run over all rows; these
//! then count the distance of 0 to the other row's number. The *share* of a missing value is what
//! must be added to make that the difference of the table ([`super::gaps`]). It depends on the
//! other row alone, so that a row's shares are sums of one line of numbers per missing value. Where
//! both rows miss a feature, each side's share is half of their difference.

use std::ops::Range;

use basrelief_kernels::{CaseLine, FEW_CASES, Level, add_cases, add_lines, level};
use rayon::prelude::*;

use super::gaps::GapTable;
use super::options::Ramp;
use super::space::Space;
use crate::error::Result;
use crate::run::Run;

/// Cases up to which a column's lines are looked up by a byte per row.
const BYTES: usize = 256;

/// Lines up to which a column of many different values has them row by row.
const LINES: usize = 4;

/// Lines that are added at a time.
const WAITING: usize = 16;

/// Features whose lines are added to all rows of a block before those of others, so that they stay
/// in the second cache: where some have numbers by place, and where all have cases.
const NUMBERS_AT_ONCE: usize = 64;
const CASES_AT_ONCE: usize = 256;

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

    /// The shares of a missing value of a class to the rows of every case, from the cases' numbers.
    pub(crate) fn by_case<'l>(
        &'l self,
        table: &'l GapTable,
        class: usize,
        numbers: &'l [f64],
    ) -> impl Iterator<Item = f64> + 'l {
        let cases = table.by_case(class).iter().zip(numbers);
        cases.map(|(difference, number)| self.share(*difference, *number))
    }

    /// The same where there are at most [`FEW_CASES`], 0 behind them.
    pub(crate) fn few(&self, table: &GapTable, class: usize, numbers: &[f64]) -> [f64; FEW_CASES] {
        let mut shares = [0.0; FEW_CASES];
        let by_case = self.by_case(table, class, numbers);
        shares.iter_mut().zip(by_case).for_each(|(out, share)| *out = share);
        shares
    }

    /// The shares of a missing value of a class to some rows of the table; `values` has all rows'.
    pub(crate) fn line<'l>(
        &'l self,
        table: &'l GapTable,
        class: usize,
        values: &'l [f64],
        rows: impl Iterator<Item = u32> + 'l,
    ) -> impl Iterator<Item = f64> + 'l {
        let (cases, differences) = (table.cases(), table.by_case(class));
        rows.map(move |row| {
            let row = row as usize;
            self.share(differences[cases[row] as usize], values[row])
        })
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
/// Memory: a column of at most [`BYTES`] cases (different values, and classes) has a byte per row;
/// one of more has 8 bytes per row and class with missing values, up to [`LINES`] of these classes,
/// else 4 bytes per row. Where rows have bytes or words, there are 8 bytes per case and class as well.
pub(super) struct GapShares {
    level: Level,
    features: Vec<FeatureShares>,
    /// Per place, the features whose value is missing.
    gaps: Vec<Vec<u32>>,
    /// Class at every place.
    classes: Vec<u32>,
}

/// The shares of one feature's missing values.
struct FeatureShares {
    cases: Cases,
    /// Per class (one entry where classes do not matter): its shares, by place or by case; none
    /// where these are few.
    per_class: Vec<Box<[f64]>>,
}

/// Where a class's shares are found.
enum Cases {
    /// By place.
    Places,
    /// By the case at every place.
    Bytes(Box<[u8]>),
    Words(Box<[u32]>),
    /// By the case at every place, of up to [`FEW_CASES`]; with the shares of every class.
    Few(Box<[u8]>, Box<[[f64; FEW_CASES]]>),
}

impl FeatureShares {
    fn new(table: &GapTable, rule: ShareRule, order: &[u32], values: &[f64]) -> Self {
        let cases = table.cases();
        let most = table.n_cases();
        let in_order = || order.iter().map(|&row| cases[row as usize]);
        if most <= FEW_CASES {
            let numbers = table.numbers_by_case(values);
            let shares = (0..table.classes()).map(|class| rule.few(table, class, &numbers));
            let cases = in_order().map(|case| case as u8).collect();
            return Self { cases: Cases::Few(cases, shares.collect()), per_class: Vec::new() };
        }
        let cases = match most {
            most if most <= BYTES => Cases::Bytes(in_order().map(|case| case as u8).collect()),
            _ if table.with_gaps().count() <= LINES => Cases::Places,
            _ => Cases::Words(in_order().collect()),
        };
        let numbers = match cases {
            Cases::Places => Vec::new(),
            _ => table.numbers_by_case(values),
        };
        let per_class = (0..table.classes()).map(|class| {
            if table.by_case(class).is_empty() {
                return Box::default();
            }
            if matches!(cases, Cases::Places) {
                return rule.line(table, class, values, order.iter().copied()).collect();
            }
            rule.by_case(table, class, &numbers).collect()
        });
        Self { per_class: per_class.collect(), cases }
    }
}

impl GapShares {
    /// Lays out the lines of the features that have a table; `rule` gives a feature's rule and
    /// replaces the buffer by its numbers as the kernel has them, row by row, with NaN for missing
    /// ones.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(super) fn new(
        space: &Space<'_>,
        order: &[u32],
        rule: impl Fn(usize, &mut Vec<f64>) -> ShareRule + Sync,
        run: &Run,
    ) -> Result<Self> {
        let with_gaps: Vec<usize> =
            (0..space.width()).filter(|&f| space.features()[f].table.is_some()).collect();
        let features = run.install(|| {
            with_gaps
                .par_iter()
                .filter_map(|&feature| {
                    space.features()[feature].table.as_ref().map(|t| (feature, t))
                })
                .map_init(Vec::new, |values, (feature, table)| {
                    run.check()?;
                    let rule = rule(feature, values);
                    Ok(FeatureShares::new(table, rule, order, values))
                })
                .collect::<Result<Vec<_>>>()
        })?;
        let gaps =
            if features.is_empty() { Vec::new() } else { gaps_by_place(space, order, &with_gaps) };
        let classes = order.iter().map(|&row| space.class(row as usize) as u32).collect();
        Ok(Self { level: level(), features, gaps, classes })
    }

    /// Whether any of some places misses a value.
    pub(super) fn any(&self, places: Range<usize>) -> bool {
        !self.gaps.is_empty()
            && self.gaps[places.start..places.end.min(self.gaps.len())]
                .iter()
                .any(|g| !g.is_empty())
    }

    /// Replaces `lines` by the sums of the shares of some rows' missing values to the rows at other
    /// places, a line per row, in the order of the features.
    pub(super) fn lines(&self, own: Range<usize>, others: Range<usize>, lines: &mut Vec<f64>) {
        let own = own.start..own.end.min(self.gaps.len());
        let others = others.start..others.end.min(self.gaps.len());
        lines.clear();
        lines.resize(own.len() * others.len(), 0.0);
        // Few features at a time, whose lines stay in the second cache for all rows.
        let by_place = self.features.iter().any(|feature| matches!(feature.cases, Cases::Places));
        let at_once = if by_place { NUMBERS_AT_ONCE } else { CASES_AT_ONCE };
        let mut next = vec![0; own.len()];
        for end in (0..self.features.len() + at_once).step_by(at_once).skip(1) {
            let lines = lines.chunks_exact_mut(others.len());
            for ((place, next), line) in own.clone().zip(&mut next).zip(lines) {
                let gaps = &self.gaps[place][*next..];
                let gaps = &gaps[..gaps.iter().take_while(|gap| (**gap as usize) < end).count()];
                *next += gaps.len();
                self.add(place, gaps, others.clone(), line);
            }
        }
    }

    /// Adds the shares of some of a row's missing values to the rows at other places.
    fn add(&self, place: usize, gaps: &[u32], others: Range<usize>, line: &mut [f64]) {
        // Lines wait for others of their kind to be added with them.
        let mut by_place: [&[f64]; WAITING] = [&[]; WAITING];
        let mut by_case: [CaseLine<'_>; WAITING] = [(&[], &[0.0; FEW_CASES]); WAITING];
        let (mut places, mut cases) = (0, 0);
        for &gap in gaps {
            let feature = &self.features[gap as usize];
            let of = |classes: usize| if classes == 1 { 0 } else { self.classes[place] as usize };
            let shares = || &feature.per_class[of(feature.per_class.len())];
            if places == WAITING || places > 0 && !matches!(feature.cases, Cases::Places) {
                add_lines(self.level, &by_place[..places], line);
                places = 0;
            }
            if cases == WAITING || cases > 0 && !matches!(feature.cases, Cases::Few(..)) {
                add_cases(self.level, &by_case[..cases], line);
                cases = 0;
            }
            match &feature.cases {
                Cases::Places => {
                    by_place[places] = &shares()[others.clone()];
                    places += 1;
                }
                Cases::Few(bytes, few) => {
                    by_case[cases] = (&bytes[others.clone()], &few[of(few.len())]);
                    cases += 1;
                }
                Cases::Bytes(bytes) => add_by_case(&bytes[others.clone()], shares(), line),
                Cases::Words(words) => add_by_case(&words[others.clone()], shares(), line),
            }
        }
        if places > 0 {
            add_lines(self.level, &by_place[..places], line);
        }
        if cases > 0 {
            add_cases(self.level, &by_case[..cases], line);
        }
    }
}

fn add_by_case<C: Copy + Into<u32>>(cases: &[C], shares: &[f64], line: &mut [f64]) {
    for (sum, &case) in line.iter_mut().zip(cases) {
        *sum += shares[case.into() as usize];
    }
}
