//! Missing values: the difference between a missing value and everything else, tabulated.
//!
//! Policy `expected`: a missing value is a draw from the known values of its row's class (of all
//! rows where the class has none), so its difference to a known value is the mean difference to
//! those (Prat & Belanche 2006, eq. 2.5, for categories; the same principle for numbers). Sorting
//! once and prefix sums make that a few operations per value and class. Policy `pessimistic`: the
//! largest difference that the known value allows.

use basrelief_kernels::{FEW_CASES, Rounding, level, round_to_whole, sort_nearly_sorted};

use super::grouped::Grouped;
use super::options::Ramp;
use crate::data::{Extent, MISSING_GENOTYPE};

/// Differences to missing values of one feature that has some.
///
/// A difference depends on the other row's value, not on the row: rows are sorted into cases (one
/// per different value, and one per class for values that are missing themselves), so that the
/// tables of a column with few values are small.
#[derive(Debug)]
pub(crate) struct GapTable {
    /// Case of every row: the known values' first, then the missing ones'.
    cases: CaseOfRows,
    /// The value of every case, ascending; NaN where it is missing.
    values: Box<[f64]>,
    /// Per class (one entry for a policy that does not look at classes): for every case, the
    /// difference to a missing value in a row of that class. Classes without a missing value
    /// have none.
    per_class: Vec<Option<Box<[f64]>>>,
}

/// The case of every row, in a byte where there are at most 256 cases.
#[derive(Debug)]
pub(crate) enum CaseOfRows {
    Bytes(Box<[u8]>),
    Words(Box<[u32]>),
}

impl CaseOfRows {
    /// `count` is the number of cases.
    fn new(cases: impl Iterator<Item = u32>, count: usize) -> Self {
        if count <= 256 {
            CaseOfRows::Bytes(cases.map(|case| case as u8).collect())
        } else {
            CaseOfRows::Words(cases.collect())
        }
    }
}

impl GapTable {
    /// Difference between a missing value of class `class` and row `j`, whose value may be
    /// missing too.
    pub(crate) fn difference(&self, class: usize, j: usize) -> f64 {
        self.by_case(class)[self.case(j)]
    }

    /// Case of a row.
    #[inline]
    pub(crate) fn case(&self, row: usize) -> usize {
        match &self.cases {
            CaseOfRows::Bytes(cases) => usize::from(cases[row]),
            CaseOfRows::Words(cases) => cases[row] as usize,
        }
    }

    /// Appends what some rows' cases have.
    pub(crate) fn look_up<T: Copy>(
        &self,
        by_case: &[T],
        rows: impl Iterator<Item = usize>,
        out: &mut Vec<T>,
    ) {
        match &self.cases {
            CaseOfRows::Bytes(cases) => {
                out.extend(rows.map(|row| by_case[usize::from(cases[row])]))
            }
            CaseOfRows::Words(cases) => out.extend(rows.map(|row| by_case[cases[row] as usize])),
        }
    }

    /// Case of every row.
    pub(crate) fn cases(&self) -> &CaseOfRows {
        &self.cases
    }

    /// Number of classes, or 1 where they do not matter.
    pub(crate) fn classes(&self) -> usize {
        self.per_class.len()
    }

    /// Classes with a missing value, or class 0 where they do not matter.
    pub(crate) fn with_gaps(&self) -> impl Iterator<Item = usize> {
        (0..self.classes()).filter(|&class| self.per_class[class].is_some())
    }

    /// Differences to a missing value of class `class`, case by case; none where the class has no
    /// missing value.
    pub(crate) fn by_case(&self, class: usize) -> &[f64] {
        let class = if self.per_class.len() == 1 { 0 } else { class };
        self.per_class[class].as_deref().unwrap_or(&[])
    }

    /// Case of every row, where there are so few cases that kernels look their numbers up.
    pub(crate) fn few_cases(&self) -> Option<&[u8]> {
        match &self.cases {
            CaseOfRows::Bytes(cases) if self.values.len() <= FEW_CASES => Some(cases),
            _ => None,
        }
    }

    /// The value of every case, in the units of the feature's rule; NaN where it is missing.
    pub(crate) fn values(&self) -> &[f64] {
        &self.values
    }
}

/// Different values up to which a value's case is found by looking at all of them.
const FEW: usize = 8;

/// The values of a feature, sorted into cases; a missing value's case is behind those of the known
/// ones, by its row's class.
pub(crate) struct Sorted {
    /// The different known values, ascending.
    known: Vec<f64>,
    cases: CaseOfRows,
    /// Per class and known value, its rows.
    counts: Vec<u32>,
    /// Per class, whether it misses a value.
    with_gaps: Vec<bool>,
}

impl Sorted {
    /// `values` are range-normalised numbers or codes, with NaN for missing ones.
    pub(crate) fn of_values(values: &[f64], classes: &[u32], n_classes: usize) -> Self {
        let mut known: Vec<f64> = Vec::new();
        for &value in values {
            if !value.is_nan() && !known.contains(&value) {
                known.push(value);
                if known.len() > FEW {
                    break;
                }
            }
        }
        let mut cases = vec![0; values.len()];
        if known.len() <= FEW {
            known.sort_unstable_by(f64::total_cmp);
            for (case, value) in cases.iter_mut().zip(values) {
                *case = known.iter().map(|other| u32::from(other < value)).sum();
            }
        } else {
            known.clear();
            known.reserve(values.len());
            in_order(values, |row| {
                let value = values[row];
                if known.last() != Some(&value) {
                    known.push(value);
                }
                cases[row] = known.len() as u32 - 1;
            });
        }
        known.shrink_to_fit();
        let mut counts = vec![0_u32; known.len() * n_classes];
        let mut with_gaps = vec![false; n_classes];
        for ((case, value), &class) in cases.iter_mut().zip(values).zip(classes) {
            if value.is_nan() {
                *case = known.len() as u32 + class;
                with_gaps[class as usize] = true;
            } else {
                counts[class as usize * known.len() + *case as usize] += 1;
            }
        }
        let cases = CaseOfRows::new(cases.into_iter(), known.len() + n_classes);
        Self { known, cases, counts, with_gaps }
    }

    /// `copies` are genotypes, and `values` what 0, 1 and 2 copies count.
    pub(crate) fn of_genotypes(
        copies: &[u8],
        values: [f64; 3],
        classes: &[u32],
        n_classes: usize,
    ) -> Self {
        const COPIES: usize = MISSING_GENOTYPE as usize + 1;
        // Rows are counted in four places in turn, since the next row is often of the same.
        const TURNS: usize = 4;
        let mut seen = vec![[0_u32; TURNS]; COPIES * n_classes];
        let place = |copies: u8, class: u32| class as usize * COPIES + usize::from(copies);
        let (whole, rest) = copies.as_chunks::<TURNS>();
        let (classes_of_whole, classes_of_rest) = classes.as_chunks::<TURNS>();
        for (copies, classes) in whole.iter().zip(classes_of_whole) {
            for turn in 0..TURNS {
                seen[place(copies[turn], classes[turn])][turn] += 1;
            }
        }
        for (&copies, &class) in rest.iter().zip(classes_of_rest) {
            seen[place(copies, class)][0] += 1;
        }
        let seen: Vec<u32> = seen.iter().map(|turns| turns.iter().sum()).collect();
        let of_classes = || seen.as_chunks::<COPIES>().0.iter();
        let known: Vec<usize> =
            (0..values.len()).filter(|&copies| of_classes().any(|seen| seen[copies] > 0)).collect();
        // Per number of copies, and of those that are missing the first class's.
        let mut case_of = [known.len(); COPIES];
        known.iter().enumerate().for_each(|(case, &copies)| case_of[copies] = case);
        let count = known.len() + n_classes;
        let cases = if count <= 256 {
            // Without a branch or a look-up, so that many are told at once.
            let case_of = case_of.map(|case| case as u8);
            let case = |(&copies, &class): (&u8, &u32)| {
                let is = |code: u8| u8::from(copies == code).wrapping_neg();
                let of_missing = case_of[3].wrapping_add(class as u8);
                is(0) & case_of[0] | is(1) & case_of[1] | is(2) & case_of[2] | is(3) & of_missing
            };
            CaseOfRows::Bytes(copies.iter().zip(classes).map(case).collect())
        } else {
            let case = |(&copies, &class): (&u8, &u32)| match copies {
                MISSING_GENOTYPE => known.len() as u32 + class,
                _ => case_of[usize::from(copies)] as u32,
            };
            CaseOfRows::Words(copies.iter().zip(classes).map(case).collect())
        };
        Self {
            cases,
            counts: of_classes()
                .flat_map(|seen| known.iter().map(|&copies| seen[copies]))
                .collect(),
            with_gaps: of_classes().map(|seen| seen[COPIES - 1] > 0).collect(),
            known: known.iter().map(|&copies| values[copies]).collect(),
        }
    }

    fn table(self, n_classes: usize, per_class: Vec<Option<Box<[f64]>>>) -> GapTable {
        let missing = std::iter::repeat_n(f64::NAN, n_classes);
        let values = self.known.into_iter().chain(missing).collect();
        GapTable { cases: self.cases, values, per_class }
    }
}

/// Calls `found` with the rows whose values are known, in the order of these.
fn in_order(values: &[f64], mut found: impl FnMut(usize)) {
    // What is sorted is a number's bits, the last of which make room for the row.
    let rows = usize::BITS - values.len().leading_zeros();
    let row_of = |packed: u64| (packed & ((1 << rows) - 1)) as usize;
    // Dealt to parts of their range first, and so near their places.
    let Extent { least, greatest, .. } = Extent::of(values);
    let count = values.len();
    let rounding = Rounding { least, factor: count as f64 / (greatest - least) };
    let (mut parts, mut lost) = (vec![0; count], vec![0.0; count]);
    round_to_whole(level(), values, rounding, &mut parts, &mut lost);
    let packed = |row: u64, value: f64| key(value) >> rows << rows | row;
    let known = (0_u64..).zip(values).zip(&parts).filter(|((_, value), _)| !value.is_nan());
    let dealt =
        known.map(|((row, value), part)| ((*part as usize).min(count), packed(row, *value)));
    let mut dealt = Grouped::new(count + 1, dealt);
    let sorted = dealt.items_mut();
    sort_nearly_sorted(level(), sorted);
    for equal in sorted.chunk_by_mut(|a, b| a >> rows == b >> rows) {
        if equal.len() > 1 {
            equal.sort_by(|&a, &b| values[row_of(a)].total_cmp(&values[row_of(b)]));
        }
        equal.iter().for_each(|&packed| found(row_of(packed)));
    }
}

/// A whole number that is greater for a greater number, as [`f64::total_cmp`] has it: numbers are
/// sorted faster by it.
fn key(value: f64) -> u64 {
    let bits = value.to_bits();
    if value.is_sign_negative() { !bits } else { bits | 1 << 63 }
}

/// The known values of a class, or of all rows where the class has none, counted by case.
struct Sample {
    counts: Vec<f64>,
    /// Per case, and once more for all: how many values lie in the cases before it.
    before: Vec<f64>,
}

impl Sample {
    fn new(counts: impl Iterator<Item = u32>) -> Self {
        let mut sum = 0;
        let mut before = Vec::with_capacity(counts.size_hint().0 + 1);
        before.push(0.0);
        let counts = counts.map(|count| {
            // Whole numbers are added up faster.
            sum += count;
            before.push(f64::from(sum));
            f64::from(count)
        });
        Self { counts: counts.collect(), before }
    }

    /// Number of values; above 0.
    fn size(&self) -> f64 {
        self.before[self.counts.len()]
    }

    /// The sum over the sample of a number per case, in parts, so that additions need not wait for
    /// each other.
    fn sum(&self, numbers: &[f64]) -> f64 {
        const PARTS: usize = 8;
        let mut parts = [0.0; PARTS];
        let counts = self.counts.chunks(PARTS);
        for (numbers, counts) in numbers.chunks(PARTS).zip(counts) {
            for ((part, number), count) in parts.iter_mut().zip(numbers).zip(counts) {
                *part += number * count;
            }
        }
        parts.into_iter().sum()
    }

    /// Adds to every `out[k]` `factor` times the sum over the sample of how far `|V - values[k]|`
    /// exceeds `threshold`; `values` are those of the cases, and `sums` like `before` their sums.
    fn add_excess(
        &self,
        values: &[f64],
        sums: &[f64],
        threshold: f64,
        factor: f64,
        out: &mut [f64],
    ) {
        let n = values.len();
        let excess =
            |value: f64, (before_low, before_high): (&f64, &f64), (low, high): (&f64, &f64)| {
                let below = before_low * (value - threshold) - low;
                let above = (sums[n] - high) - (self.size() - before_high) * (value + threshold);
                factor * (below + above)
            };
        if threshold == 0.0 {
            // Below lie the cases before, and above those behind.
            let before = self.before.iter().zip(&self.before[1..]);
            let sums = sums.iter().zip(&sums[1..]);
            for ((out, &value), (before, sums)) in out.iter_mut().zip(values).zip(before.zip(sums))
            {
                *out += excess(value, before, sums);
            }
            return;
        }
        let (mut below, mut above) = (0, 0);
        for (out, &value) in out.iter_mut().zip(values) {
            while below < n && values[below] < value - threshold {
                below += 1;
            }
            while above < n && values[above] <= value + threshold {
                above += 1;
            }
            let before = (&self.before[below], &self.before[above]);
            *out += excess(value, before, (&sums[below], &sums[above]));
        }
    }

    /// Puts the mean over the sample of `|V - value|`, ramped, for the value of every case where
    /// there are zeros. A ramp is the difference of two excesses.
    fn mean_differences(&self, values: &[f64], ramp: Option<Ramp>, totals: &mut [f64]) {
        let terms = values.iter().zip(&self.counts).map(|(value, count)| count * value);
        let sums = sums_before(terms, values.len());
        match ramp {
            None => self.add_excess(values, &sums, 0.0, 1.0, totals),
            Some(ramp) => {
                let slope = 1.0 / (ramp.different() - ramp.equal());
                self.add_excess(values, &sums, ramp.equal(), slope, totals);
                self.add_excess(values, &sums, ramp.different(), -slope, totals);
            }
        }
        // Rounding of the sums must not lead out of [0, 1].
        totals.iter_mut().for_each(|total| *total = (*total / self.size()).clamp(0.0, 1.0));
    }
}

/// The sum of the terms before each of `count` terms, and of all.
fn sums_before(terms: impl Iterator<Item = f64>, count: usize) -> Vec<f64> {
    let mut sums = Vec::with_capacity(count + 1);
    let mut sum = 0.0;
    sums.push(sum);
    for term in terms {
        sum += term;
        sums.push(sum);
    }
    sums
}

/// Tabulates expected differences from two rules: of a class's sample to the value of every case,
/// and, given these, to another class's sample.
fn expected(
    sorted: Sorted,
    n_classes: usize,
    to_known: impl Fn(&[f64], &Sample, &mut [f64]),
    to_missing: impl Fn(&Sample, &[f64], &Sample) -> f64,
) -> GapTable {
    let known = sorted.known.len();
    let Sorted { counts, with_gaps, .. } = &sorted;
    let rows: Vec<Option<(Sample, Box<[f64]>)>> = (0..n_classes)
        .map(|class| {
            with_gaps[class].then(|| {
                let own = &counts[class * known..][..known];
                let sample = if own.iter().all(|count| *count == 0) {
                    let of_all = |case: usize| counts[case..].iter().step_by(known).sum();
                    Sample::new((0..known).map(of_all))
                } else {
                    Sample::new(own.iter().copied())
                };
                let mut differences = vec![0.0; known + n_classes].into_boxed_slice();
                to_known(&sorted.known, &sample, &mut differences[..known]);
                (sample, differences)
            })
        })
        .collect();
    let mut both = vec![0.0; n_classes * n_classes];
    for (c, first) in rows.iter().enumerate() {
        for (d, second) in rows.iter().enumerate().skip(c) {
            if let (Some((sample, differences)), Some((other, _))) = (first, second) {
                let value = to_missing(sample, &differences[..known], other);
                both[c * n_classes + d] = value;
                both[d * n_classes + c] = value;
            }
        }
    }
    let per_class = rows.into_iter().enumerate().map(|(class, row)| {
        row.map(|(_, mut differences)| {
            let both = &both[class * n_classes..(class + 1) * n_classes];
            differences[known..].copy_from_slice(both);
            differences
        })
    });
    let per_class = per_class.collect();
    sorted.table(n_classes, per_class)
}

/// Expected differences of a numeric feature with range-normalised values.
pub(crate) fn expected_numeric(values: Sorted, n_classes: usize, ramp: Option<Ramp>) -> GapTable {
    expected(
        values,
        n_classes,
        |values, sample, out| sample.mean_differences(values, ramp, out),
        |_, differences, other| (other.sum(differences) / other.size()).min(1.0),
    )
}

/// Expected differences of a categorical feature with codes as values.
pub(crate) fn expected_categorical(values: Sorted, n_classes: usize) -> GapTable {
    expected(
        values,
        n_classes,
        |_, sample, out| {
            let shares = sample.counts.iter().map(|count| 1.0 - count / sample.size());
            out.iter_mut().zip(shares).for_each(|(out, share)| *out = share);
        },
        |sample, _, other| {
            // Counts add up without rounding, so that the order of the levels does not matter.
            let equal: f64 = sample.counts.iter().zip(&other.counts).map(|(p, q)| p * q).sum();
            1.0 - equal / (sample.size() * other.size())
        },
    )
}

/// Pessimistic differences of a numeric feature: the farther end of the range. Classes do not
/// matter: the values are sorted as if there were one.
pub(crate) fn pessimistic_numeric(values: Sorted, ramp: Option<Ramp>) -> GapTable {
    let worst = |value: f64| {
        let difference = value.max(1.0 - value);
        ramp.map_or(difference, |ramp| ramp.apply(difference))
    };
    pessimistic(values, worst, 1.0)
}

/// Pessimistic differences of a categorical feature of `levels` levels; as for numbers.
pub(crate) fn pessimistic_categorical(values: Sorted, levels: usize) -> GapTable {
    let worst = 1.0 - 1.0 / levels.max(1) as f64;
    pessimistic(values, |_| worst, worst)
}

fn pessimistic(values: Sorted, known: impl Fn(f64) -> f64, missing: f64) -> GapTable {
    let by_case = values.known.iter().map(|value| known(*value)).chain([missing]).collect();
    values.table(1, vec![Some(by_case)])
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Also where most are equal, or one is far from all others.
        #[test]
        fn known_values_are_found_in_their_order(
            mut values in vec(prop_oneof![
                6 => -1.0..1.0,
                2 => prop::sample::select(vec![0.0, -0.0, 0.5, f64::NAN]),
                1 => prop::sample::select(vec![1e300, -1e-300, 3e-310]),
            ], 0..200),
            outlier in any::<bool>(),
        ) {
            if outlier {
                values.push(1e9);
            }
            let mut found = Vec::new();
            in_order(&values, |row| found.push(row));
            let mut wanted: Vec<usize> = (0..values.len()).filter(|&r| !values[r].is_nan()).collect();
            wanted.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
            prop_assert_eq!(found, wanted);
        }
    }

    #[test]
    fn prefix_sums_equal_the_direct_mean() {
        // More different values than are looked at one by one, some of them twice; the last row is
        // of a class that knows the first five rows' values only.
        let known = [0.1, 0.4, 0.4, 0.9, 0.0, 0.2, 0.3, 0.55, 0.6, 0.7, 1.0, 0.95];
        let values = [&known[..], &[f64::NAN]].concat();
        let classes: Vec<u32> = (0..13).map(|row| u32::from((5..12).contains(&row))).collect();
        for ramp in [None, Ramp::new(0.1, 0.5)] {
            let sorted = Sorted::of_values(&values, &classes, 2);
            let table = expected_numeric(sorted, 2, ramp);
            let to = |value: f64| -> f64 {
                let one = |v: &f64| {
                    let d = (v - value).abs();
                    ramp.map_or(d, |ramp: Ramp| ramp.apply(d))
                };
                known[..5].iter().map(one).sum::<f64>() / 5.0
            };
            for (row, &value) in known.iter().enumerate() {
                assert!((table.difference(0, row) - to(value)).abs() < 1e-14);
            }
            let both = known[..5].iter().map(|&value| to(value)).sum::<f64>() / 5.0;
            assert!((table.difference(0, 12) - both).abs() < 1e-14);
            assert!(table.by_case(1).is_empty());
        }
    }

    #[test]
    fn values_that_differ_in_their_last_bits_are_told_apart() {
        let half = 0.5_f64;
        let last = [half.next_up().next_up(), half, half.next_up(), half, half.next_down()];
        let values = [&[0.9, 0.1, f64::NAN, 0.8, 0.2, 0.7, 0.3][..], &last].concat();
        let sorted = Sorted::of_values(&values, &[0; 12], 1);
        let mut known: Vec<f64> = values.iter().copied().filter(|v| !v.is_nan()).collect();
        known.sort_by(f64::total_cmp);
        known.dedup();
        assert_eq!(sorted.known, known);
        let table = expected_numeric(sorted, 1, None);
        for (row, value) in values.iter().enumerate() {
            assert_eq!(table.values()[table.case(row)].to_bits(), value.to_bits());
        }
    }

    #[test]
    fn categories_follow_relief_d() {
        // Class 0 has values 0, 0, 1 and a gap; class 1 has 1 and a gap.
        let values = [0.0, 0.0, 1.0, f64::NAN, 1.0, f64::NAN];
        let classes = [0, 0, 0, 0, 1, 1];
        let table = expected_categorical(Sorted::of_values(&values, &classes, 2), 2);
        assert!((table.difference(0, 4) - (1.0 - 1.0 / 3.0)).abs() < 1e-15);
        assert!((table.difference(1, 0) - 1.0).abs() < 1e-15);
        // Both missing: 1 - (2/3 * 0 + 1/3 * 1).
        assert!((table.difference(0, 5) - 2.0 / 3.0).abs() < 1e-15);
        assert_eq!(table.difference(0, 5), table.difference(1, 3));
    }

    #[test]
    fn the_order_of_the_levels_changes_no_bit() {
        // Shares of thirteenths: their products round differently in another order.
        let sizes = [1, 2, 3, 7];
        let coded = |codes: [f64; 4]| -> Vec<f64> {
            let mut values: Vec<f64> =
                codes.iter().zip(sizes).flat_map(|(&code, size)| vec![code; size]).collect();
            values.push(f64::NAN);
            values
        };
        let both = |codes| {
            let values = coded(codes);
            let sorted = Sorted::of_values(&values, &[0; 14], 1);
            expected_categorical(sorted, 1).difference(0, 13).to_bits()
        };
        let orders = [[0.0, 1.0, 2.0, 3.0], [3.0, 2.0, 1.0, 0.0], [1.0, 3.0, 0.0, 2.0]];
        assert!(orders.iter().all(|&codes| both(codes) == both(orders[0])));
        assert_eq!(f64::from_bits(both(orders[0])), 1.0 - 63.0 / 169.0);
    }

    #[test]
    fn a_class_without_known_values_uses_all() {
        let values = [0.0, 1.0, f64::NAN];
        let sorted = Sorted::of_values(&values, &[0, 0, 1], 2);
        let table = expected_numeric(sorted, 2, None);
        assert!((table.difference(1, 0) - 0.5).abs() < 1e-15);
    }

    #[test]
    fn genotypes_are_sorted_as_their_numbers_are() {
        let classes = [0, 1, 0, 1, 0, 1, 2];
        for copies in [[0, 1, 2, 3, 3, 0, 3], [2, 2, 0, 0, 3, 2, 3], [1, 3, 2, 3, 1, 2, 2]] {
            for unit in [0.5, 1.0] {
                let values: Vec<f64> = copies
                    .iter()
                    .map(|&copies| if copies == 3 { f64::NAN } else { f64::from(copies) * unit })
                    .collect();
                let counted = [0.0, unit, 2.0 * unit];
                let tables = [
                    Sorted::of_values(&values, &classes, 3),
                    Sorted::of_genotypes(&copies, counted, &classes, 3),
                ]
                .map(|sorted| expected_numeric(sorted, 3, None));
                let [a, b] = &tables;
                assert_eq!(a.values().len(), b.values().len());
                for row in 0..copies.len() {
                    assert_eq!(a.case(row), b.case(row));
                    assert_eq!(a.values()[a.case(row)].to_bits(), values[row].to_bits());
                    for class in a.with_gaps() {
                        assert_eq!(a.difference(class, row), b.difference(class, row));
                    }
                }
                assert!(a.with_gaps().eq(b.with_gaps()));
            }
        }
    }

    #[test]
    fn genotypes_of_many_classes_have_cases_of_bytes_or_words() {
        let copies: Vec<u8> = (0..700).map(|row| ((row * 7 + row / 5) % 4) as u8).collect();
        let value = |copies: &u8| if *copies == 3 { f64::NAN } else { f64::from(*copies) };
        let values: Vec<f64> = copies.iter().map(value).collect();
        for n_classes in [1, 253, 254, 300] {
            let classes: Vec<u32> = (0..700).map(|row| row * 11 % n_classes).collect();
            let n_classes = n_classes as usize;
            let by_value = Sorted::of_values(&values, &classes, n_classes);
            let found = Sorted::of_genotypes(&copies, [0.0, 1.0, 2.0], &classes, n_classes);
            assert_eq!(matches!(found.cases, CaseOfRows::Bytes(_)), n_classes <= 253);
            let [wanted, found] =
                [by_value, found].map(|sorted| expected_numeric(sorted, n_classes, None));
            assert!((0..700).all(|row| wanted.case(row) == found.case(row)), "{n_classes}");
        }
    }
}
