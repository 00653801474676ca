//! Missing values: the difference between a missing value and everything else, tabulated.
//!
//! Policy `expected`: a missing value is a draw from the known values of its row's class (of all
//! rows where the class has none), so its difference to a known value is the mean difference to
//! those (Prat & Belanche 2006, eq. 2.5, for categories; the same principle for numbers). Sorting
//! once and prefix sums make that O(log n) per value. Policy `pessimistic`: the largest
//! difference that the known value allows.

use super::options::Ramp;

/// Differences to missing values of one feature that has some.
///
/// A difference depends on the other row's value, not on the row: rows are sorted into cases (one
/// per different value, and one per class for values that are missing themselves), so that the
/// tables of a column with few values are small.
#[derive(Debug)]
pub(crate) struct GapTable {
    /// Case of every row.
    cases: Vec<u32>,
    /// Cases below this are known values, the others missing ones.
    known: u32,
    /// Per class (one entry for a policy that does not look at classes): for every case, the
    /// difference to a missing value in a row of that class. Classes without a missing value
    /// have none.
    per_class: Vec<Option<Box<[f64]>>>,
}

impl GapTable {
    /// Difference between a missing value of class `class` and row `j`, whose value may be
    /// missing too.
    pub(crate) fn difference(&self, class: usize, j: usize) -> f64 {
        self.by_case(class)[self.cases[j] as usize]
    }

    /// Case of every row.
    pub(crate) fn cases(&self) -> &[u32] {
        &self.cases
    }

    /// Whether a case is a known value.
    pub(crate) fn is_known(&self, case: u32) -> bool {
        case < self.known
    }

    /// Differences to a missing value of class `class`, case by case.
    pub(crate) fn by_case(&self, class: usize) -> &[f64] {
        let class = if self.per_class.len() == 1 { 0 } else { class };
        self.per_class[class].as_deref().unwrap_or(&[])
    }
}

/// Sorts rows into cases; returns the different known values and the case of every row. A missing
/// value's case is behind those, by its row's class.
fn sort_into_cases(values: &[f64], classes: impl Fn(usize) -> usize) -> (Vec<f64>, Vec<u32>) {
    let mut known: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
    known.sort_by(f64::total_cmp);
    known.dedup();
    let case = |row: usize| {
        if values[row].is_nan() {
            known.len() + classes(row)
        } else {
            known.partition_point(|&other| other < values[row])
        }
    };
    let cases = (0..values.len()).map(|row| case(row) as u32).collect();
    (known, cases)
}

/// The known values of a feature, class by class.
struct ByClass<'v> {
    values: &'v [f64],
    classes: &'v [u32],
    n_classes: usize,
}

impl ByClass<'_> {
    /// Known values of a class, or of all rows where the class has none.
    fn sample(&self, class: usize) -> Vec<f64> {
        let of = |wanted: Option<usize>| -> Vec<f64> {
            self.values
                .iter()
                .zip(self.classes)
                .filter(|(value, code)| {
                    !value.is_nan() && wanted.is_none_or(|class| **code as usize == class)
                })
                .map(|(value, _)| *value)
                .collect()
        };
        let own = of(Some(class));
        if own.is_empty() { of(None) } else { own }
    }

    /// Classes that have a missing value.
    fn with_gaps(&self) -> Vec<bool> {
        let mut flags = vec![false; self.n_classes];
        for (value, &code) in self.values.iter().zip(self.classes) {
            flags[code as usize] |= value.is_nan();
        }
        flags
    }

    /// Fills the tables from the two rules: a missing value of a class against a known value,
    /// and against a missing value of another class.
    fn tabulate(
        &self,
        known: impl Fn(usize, f64) -> f64,
        missing: impl Fn(usize, usize) -> f64,
    ) -> GapTable {
        let with_gaps = self.with_gaps();
        let mut both = vec![0.0; self.n_classes * self.n_classes];
        for c in 0..self.n_classes {
            for d in c..self.n_classes {
                if with_gaps[c] && with_gaps[d] {
                    let value = missing(c, d);
                    both[c * self.n_classes + d] = value;
                    both[d * self.n_classes + c] = value;
                }
            }
        }
        let (values, cases) = sort_into_cases(self.values, |row| self.classes[row] as usize);
        let per_class = (0..self.n_classes)
            .map(|class| {
                with_gaps[class].then(|| {
                    let to_known = values.iter().map(|&value| known(class, value));
                    let to_missing = &both[class * self.n_classes..(class + 1) * self.n_classes];
                    to_known.chain(to_missing.iter().copied()).collect()
                })
            })
            .collect();
        GapTable { cases, known: values.len() as u32, per_class }
    }
}

/// Expected differences of a numeric feature with range-normalised `values` (NaN is missing).
pub(crate) fn expected_numeric(
    values: &[f64],
    classes: &[u32],
    n_classes: usize,
    ramp: Option<Ramp>,
) -> GapTable {
    let rows = ByClass { values, classes, n_classes };
    let samples: Vec<SortedSample> =
        (0..n_classes).map(|class| SortedSample::new(rows.sample(class))).collect();
    rows.tabulate(
        |class, value| samples[class].mean_difference(value, ramp),
        |c, d| {
            let total: f64 = samples[d]
                .sorted
                .iter()
                .map(|&value| samples[c].mean_difference(value, ramp))
                .sum();
            total / samples[d].sorted.len() as f64
        },
    )
}

/// Expected differences of a categorical feature with codes as `values` (NaN is missing).
pub(crate) fn expected_categorical(values: &[f64], classes: &[u32], n_classes: usize) -> GapTable {
    let rows = ByClass { values, classes, n_classes };
    let levels =
        values.iter().filter(|value| !value.is_nan()).fold(0.0_f64, |most, &value| most.max(value));
    let samples: Vec<(Vec<f64>, f64)> = (0..n_classes)
        .map(|class| {
            let sample = rows.sample(class);
            let mut counts = vec![0.0; levels as usize + 1];
            for value in &sample {
                counts[*value as usize] += 1.0;
            }
            (counts, sample.len() as f64)
        })
        .collect();
    rows.tabulate(
        |class, value| {
            let (counts, size) = &samples[class];
            1.0 - counts[value as usize] / size
        },
        |c, d| {
            let ((p, p_size), (q, q_size)) = (&samples[c], &samples[d]);
            // Counts add up without rounding, so that the order of the levels does not matter.
            let equal: f64 = p.iter().zip(q).map(|(p, q)| p * q).sum();
            1.0 - equal / (p_size * q_size)
        },
    )
}

/// Pessimistic differences of a numeric feature: the farther end of the range.
pub(crate) fn pessimistic_numeric(values: &[f64], ramp: Option<Ramp>) -> GapTable {
    let worst = |value: f64| {
        let difference = value.max(1.0 - value);
        ramp.map_or(difference, |ramp| ramp.apply(difference))
    };
    pessimistic(values, worst, 1.0)
}

/// Pessimistic differences of a categorical feature of `levels` levels.
pub(crate) fn pessimistic_categorical(values: &[f64], levels: usize) -> GapTable {
    let worst = 1.0 - 1.0 / levels.max(1) as f64;
    pessimistic(values, |_| worst, worst)
}

fn pessimistic(values: &[f64], known: impl Fn(f64) -> f64, missing: f64) -> GapTable {
    let (different, cases) = sort_into_cases(values, |_| 0);
    let n_known = different.len() as u32;
    let by_case = different.into_iter().map(known).chain([missing]).collect();
    GapTable { cases, known: n_known, per_class: vec![Some(by_case)] }
}

/// Sorted values with prefix sums.
struct SortedSample {
    sorted: Vec<f64>,
    /// `sums[i]` is the sum of the first `i` values.
    sums: Vec<f64>,
}

impl SortedSample {
    fn new(mut sorted: Vec<f64>) -> Self {
        sorted.sort_by(f64::total_cmp);
        let mut sums = Vec::with_capacity(sorted.len() + 1);
        let mut sum = 0.0;
        sums.push(sum);
        for value in &sorted {
            sum += value;
            sums.push(sum);
        }
        Self { sorted, sums }
    }

    /// Sum over the sample of how far `|V - value|` exceeds `threshold`.
    fn excess(&self, value: f64, threshold: f64) -> f64 {
        let below = self.sorted.partition_point(|&v| v < value - threshold);
        let above = self.sorted.partition_point(|&v| v <= value + threshold);
        let n = self.sorted.len();
        let low = below as f64 * (value - threshold) - self.sums[below];
        let high = (self.sums[n] - self.sums[above]) - (n - above) as f64 * (value + threshold);
        low + high
    }

    /// Mean of `|V - value|`, ramped. A ramp is the difference of two excesses.
    fn mean_difference(&self, value: f64, ramp: Option<Ramp>) -> f64 {
        let total = match ramp {
            None => self.excess(value, 0.0),
            Some(ramp) => {
                (self.excess(value, ramp.equal()) - self.excess(value, ramp.different()))
                    / (ramp.different() - ramp.equal())
            }
        };
        // Rounding of the prefix sums must not lead out of [0, 1].
        (total / self.sorted.len() as f64).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefix_sums_equal_the_direct_mean() {
        let sample = vec![0.1, 0.4, 0.4, 0.9, 0.0];
        let sorted = SortedSample::new(sample.clone());
        for ramp in [None, Ramp::new(0.1, 0.5)] {
            for value in [0.0, 0.25, 0.4, 1.0] {
                let direct: f64 = sample
                    .iter()
                    .map(|v| {
                        let d = (v - value).abs();
                        ramp.map_or(d, |ramp: Ramp| ramp.apply(d))
                    })
                    .sum::<f64>()
                    / 5.0;
                assert!((sorted.mean_difference(value, ramp) - direct).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn categories_follow_relief_d() {
        // Class 0 has values 0, 0, 1 and a gap; class 1 has 1 and a gap.
        let values = [0.0, 0.0, 1.0, f64::NAN, 1.0, f64::NAN];
        let classes = [0, 0, 0, 0, 1, 1];
        let table = expected_categorical(&values, &classes, 2);
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
            expected_categorical(&values, &[0; 14], 1).difference(0, 13).to_bits()
        };
        let orders = [[0.0, 1.0, 2.0, 3.0], [3.0, 2.0, 1.0, 0.0], [1.0, 3.0, 0.0, 2.0]];
        assert!(orders.iter().all(|&codes| both(codes) == both(orders[0])));
        assert_eq!(f64::from_bits(both(orders[0])), 1.0 - 63.0 / 169.0);
    }

    #[test]
    fn a_class_without_known_values_uses_all() {
        let values = [0.0, 1.0, f64::NAN];
        let table = expected_numeric(&values, &[0, 0, 1], 2, None);
        assert!((table.difference(1, 0) - 0.5).abs() < 1e-15);
    }
}
