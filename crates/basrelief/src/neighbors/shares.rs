//! What missing values add to sums over coded values.
//!
//! A missing number is coded as 0, so that the kernels for complete data run over all rows; these
//! then count the distance of 0 to the other row's number. The *share* of a missing value is what
//! must be added to make that the difference of the table ([`super::gaps`]). It depends on the
//! other row alone, so that a row's shares are sums of one line of numbers per missing value. Where
//! both rows miss a feature, each side's share is half of their difference.

use basrelief_kernels::{FEW_CASES, Level, add_cases, add_lines, level};
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
    /// Per class (one entry where classes do not matter): its shares, by place or by case.
    per_class: Vec<Box<[f64]>>,
}

/// Where a class's shares are found.
enum Cases {
    /// By place.
    Places,
    /// By the case at every place.
    Bytes(Box<[u8]>),
    Words(Box<[u32]>),
}

impl FeatureShares {
    fn new(table: &GapTable, rule: ShareRule, order: &[u32], values: &[f64]) -> Self {
        let cases = table.cases();
        let most = table.with_gaps().map(|class| table.by_case(class).len()).max().unwrap_or(0);
        let in_order = || order.iter().map(|&row| cases[row as usize]);
        let cases = match most {
            most if most <= BYTES => Cases::Bytes(in_order().map(|case| case as u8).collect()),
            _ if table.with_gaps().count() <= LINES => Cases::Places,
            _ => Cases::Words(in_order().collect()),
        };
        let per_class = (0..table.classes()).map(|class| {
            if table.by_case(class).is_empty() {
                return Box::default();
            }
            let shares = rule.line(table, class, values, order.iter().copied());
            if matches!(cases, Cases::Places) {
                return shares.collect();
            }
            let mut by_case = vec![0.0; most.max(FEW_CASES)];
            for (&row, share) in order.iter().zip(shares) {
                by_case[table.cases()[row as usize] as usize] = share;
            }
            by_case.into_boxed_slice()
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
    pub(super) fn any(&self, places: std::ops::Range<usize>) -> bool {
        !self.gaps.is_empty()
            && self.gaps[places.start..places.end.min(self.gaps.len())]
                .iter()
                .any(|g| !g.is_empty())
    }

    /// Replaces `line` by the sums of the shares of one row's missing values to the rows at some
    /// places, in the order of the features; `false` when it has none.
    pub(super) fn line(
        &self,
        place: usize,
        places: std::ops::Range<usize>,
        line: &mut Vec<f64>,
    ) -> bool {
        let Some(gaps) = self.gaps.get(place).filter(|gaps| !gaps.is_empty()) else {
            return false;
        };
        let places = places.start..places.end.min(self.gaps.len());
        line.clear();
        line.resize(places.len(), 0.0);
        // Lines by place wait for others to be added with them.
        let mut waiting: [&[f64]; 8] = [&[]; 8];
        let mut count = 0;
        for &feature in gaps {
            let feature = &self.features[feature as usize];
            let one = feature.per_class.len() == 1;
            let shares = &feature.per_class[if one { 0 } else { self.classes[place] as usize }];
            let by_place = matches!(feature.cases, Cases::Places);
            if count == waiting.len() || !by_place {
                add_lines(self.level, &waiting[..count], line);
                count = 0;
            }
            match &feature.cases {
                Cases::Places => {
                    waiting[count] = &shares[places.clone()];
                    count += 1;
                }
                Cases::Bytes(cases) if shares.len() == FEW_CASES => {
                    let mut few = [0.0; FEW_CASES];
                    few.copy_from_slice(shares);
                    add_cases(self.level, &cases[places.clone()], &few, line);
                }
                Cases::Bytes(cases) => add_by_case(&cases[places.clone()], shares, line),
                Cases::Words(cases) => add_by_case(&cases[places.clone()], shares, line),
            }
        }
        add_lines(self.level, &waiting[..count], line);
        true
    }
}

fn add_by_case<C: Copy + Into<u32>>(cases: &[C], shares: &[f64], line: &mut [f64]) {
    for (sum, &case) in line.iter_mut().zip(cases) {
        *sum += shares[case.into() as usize];
    }
}
