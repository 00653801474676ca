//! The textbook version of the Relief family, written from the definitions alone: every
//! difference by a loop over all rows, every pair twice, nothing shared with the library but the
//! types that describe the input.

#![allow(dead_code, unreachable_pub, missing_docs)]

pub mod tables;
pub mod weighted;

use std::cell::OnceCell;

use basrelief::data::{Classes, Column, Table, Target, Values};
use basrelief::neighbors::{
    GenotypeDiff, Metric, MissingPolicy, NeighborWeights, SpaceOptions, Ties,
};
use basrelief::{Run, Warning};

/// Distances closer than this are taken as tied: the data have ties that rounding breaks.
const TIED: f64 = 1e-9;

pub struct Naive<'a> {
    pub table: &'a Table<'a>,
    /// Class code per row; all 0 for a real target.
    pub classes: Vec<usize>,
    pub options: SpaceOptions,
    known: Vec<Vec<(usize, f64)>>,
    ends: Vec<(f64, f64)>,
    all_distances: OnceCell<Vec<Vec<f64>>>,
    /// Which rows are comparable; all where there is nothing.
    comparable: Option<Vec<Vec<bool>>>,
    /// By how much the difference of every feature is multiplied in distances; 1 where there is nothing.
    factors: Option<Vec<f64>>,
}

impl<'a> Naive<'a> {
    pub fn new(table: &'a Table<'a>, classes: Vec<usize>, options: SpaceOptions) -> Self {
        let known: Vec<Vec<(usize, f64)>> = table
            .columns()
            .iter()
            .map(|column| {
                (0..table.rows())
                    .map(|row| (row, column.value(row)))
                    .filter(|(_, value)| !value.is_nan())
                    .collect()
            })
            .collect();
        let end = |known: &Vec<(usize, f64)>| {
            let low = known.iter().map(|v| v.1).fold(f64::INFINITY, f64::min);
            let high = known.iter().map(|v| v.1).fold(f64::NEG_INFINITY, f64::max);
            (low, high)
        };
        let ends = known.iter().map(end).collect();
        let (all_distances, comparable, factors) = (OnceCell::new(), None, None);
        Self { table, classes, options, known, ends, all_distances, comparable, factors }
    }

    /// The same where distances multiply the differences of the features by factors.
    pub fn with_factors(self, factors: Vec<f64>) -> Self {
        Self { factors: Some(factors), ..self }
    }

    /// The same where rows that are not comparable are nobody's neighbors.
    pub fn with_comparable(self, comparable: Vec<Vec<bool>>) -> Self {
        Self { comparable: Some(comparable), ..self }
    }

    fn known(&self, f: usize) -> &[(usize, f64)] {
        &self.known[f]
    }

    fn is_constant(&self, f: usize) -> bool {
        self.ends[f].0 == self.ends[f].1
    }

    /// Difference of two known values.
    fn plain(&self, f: usize, a: f64, b: f64) -> f64 {
        let mismatch = if a == b { 0.0 } else { 1.0 };
        match self.table.columns()[f].values() {
            Values::Categorical(own) if own.is_ordered() => {
                (a - b).abs() / (own.levels().len() - 1) as f64
            }
            Values::Categorical(_) => mismatch,
            Values::Genotype(_) => match self.options.genotype_diff {
                GenotypeDiff::Additive => (a - b).abs() / 2.0,
                GenotypeDiff::Categorical => mismatch,
            },
            Values::Numeric(_) if self.options.metric == Metric::Canberra => {
                if a == b {
                    0.0
                } else {
                    (a - b).abs() / (a.abs() + b.abs())
                }
            }
            Values::Numeric(_) => {
                let (low, high) = self.ends[f];
                let d = (a - b).abs() / (high - low);
                match self.options.ramp {
                    None => d,
                    Some(r) if d <= r.equal() => 0.0,
                    Some(r) if d >= r.different() => 1.0,
                    Some(r) => (d - r.equal()) / (r.different() - r.equal()),
                }
            }
        }
    }

    fn of_class(&self, f: usize, class: usize) -> Vec<f64> {
        let known = self.known(f);
        let own: Vec<f64> =
            known.iter().filter(|(row, _)| self.classes[*row] == class).map(|v| v.1).collect();
        if own.is_empty() { known.iter().map(|v| v.1).collect() } else { own }
    }

    /// `diff`; `None` when the pair does not count for the feature.
    pub fn diff(&self, f: usize, i: usize, j: usize) -> Option<f64> {
        let column = &self.table.columns()[f];
        let (a, b) = (column.value(i), column.value(j));
        if self.known(f).is_empty() || self.is_constant(f) {
            return Some(0.0);
        }
        match (a.is_nan(), b.is_nan(), self.options.missing) {
            (false, false, _) => Some(self.plain(f, a, b)),
            (_, _, MissingPolicy::Ignore) => None,
            (true, true, MissingPolicy::Expected) => {
                let left = self.of_class(f, self.classes[i]);
                let right = self.of_class(f, self.classes[j]);
                let sum: f64 = left
                    .iter()
                    .flat_map(|x| right.iter().map(move |y| (*x, *y)))
                    .map(|(x, y)| self.plain(f, x, y))
                    .sum();
                Some(sum / (left.len() * right.len()) as f64)
            }
            (_, _, MissingPolicy::Expected) => {
                let (missing, value) = if a.is_nan() { (i, b) } else { (j, a) };
                let sample = self.of_class(f, self.classes[missing]);
                let sum: f64 = sample.iter().map(|x| self.plain(f, *x, value)).sum();
                Some(sum / sample.len() as f64)
            }
            (both_a, both_b, MissingPolicy::Pessimistic) => {
                let value = if a.is_nan() { b } else { a };
                Some(match column.values() {
                    Values::Categorical(own) if own.is_ordered() && !(both_a && both_b) => {
                        let last = (own.levels().len() - 1) as f64;
                        self.plain(f, value, 0.0).max(self.plain(f, value, last))
                    }
                    Values::Categorical(_) => 1.0,
                    Values::Genotype(_)
                        if self.options.genotype_diff == GenotypeDiff::Categorical =>
                    {
                        1.0
                    }
                    Values::Numeric(_) if both_a && both_b => {
                        self.plain(f, self.ends[f].0, self.ends[f].1)
                    }
                    _ if both_a && both_b => 1.0,
                    Values::Genotype(_) => self.plain(f, value, 0.0).max(self.plain(f, value, 2.0)),
                    Values::Numeric(_) => {
                        let (low, high) = self.ends[f];
                        self.plain(f, value, low).max(self.plain(f, value, high))
                    }
                })
            }
        }
    }

    pub fn distance(&self, i: usize, j: usize) -> f64 {
        if let Some(factors) = &self.factors {
            return self.weighted_distance(factors, false, i, j);
        }
        let (mut sum, mut count, mut all) = (0.0_f64, 0.0, 0.0);
        for f in 0..self.table.width() {
            if self.known(f).is_empty() || self.is_constant(f) {
                continue;
            }
            all += 1.0;
            if let Some(d) = self.diff(f, i, j) {
                count += 1.0;
                sum = match self.options.metric {
                    Metric::Manhattan | Metric::Canberra => sum + d,
                    Metric::Euclidean => sum + d * d,
                    Metric::Chebyshev => sum.max(d),
                };
            }
        }
        let apart = self.comparable.as_ref().is_some_and(|comparable| !comparable[i][j]);
        match self.options.metric {
            _ if count == 0.0 || apart => f64::INFINITY,
            // The greatest of those that are known.
            Metric::Chebyshev => sum,
            _ => sum / count * all,
        }
    }

    /// All distances, computed once.
    pub fn distances(&self) -> &[Vec<f64>] {
        self.all_distances.get_or_init(|| {
            let n = self.table.rows();
            (0..n).map(|i| (0..n).map(|j| self.distance(i, j)).collect()).collect()
        })
    }

    /// Weighted nearest rows among `members`.
    pub fn nearest(
        &self,
        from: &[f64],
        members: Vec<usize>,
        k: usize,
        ties: Ties,
        weights: NeighborWeights,
    ) -> Vec<(usize, f64)> {
        let mut sorted: Vec<(f64, usize)> =
            members.into_iter().map(|j| (from[j], j)).filter(|(d, _)| d.is_finite()).collect();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let k = k.min(sorted.len());
        let raw = |rank: usize| match weights {
            NeighborWeights::Uniform => 1.0,
            NeighborWeights::Rank { sigma } => (-(rank as f64 / sigma).powi(2)).exp(),
        };
        let total: f64 = (1..=k).map(raw).sum();
        let mut found = Vec::new();
        let mut first = 0;
        while first < k {
            let mut last = first + 1;
            if ties == Ties::Share {
                while last < sorted.len() && sorted[last].0 - sorted[last - 1].0 < TIED {
                    last += 1;
                }
            }
            let places: f64 = (first..last.min(k)).map(|place| raw(place + 1)).sum();
            for entry in &sorted[first..last] {
                found.push((entry.1, places / (last - first) as f64 / total));
            }
            first = last;
        }
        found
    }

    /// ReliefF (`any_other_class` false) or RELIEF-E with k neighbors.
    pub fn hit_miss(
        &self,
        sampled: &[usize],
        k: usize,
        ties: Ties,
        weights: NeighborWeights,
        any_other_class: bool,
    ) -> Vec<f64> {
        let n = self.table.rows();
        let p = self.table.width();
        let n_classes = self.classes.iter().max().unwrap() + 1;
        let share = |c: usize| self.classes.iter().filter(|x| **x == c).count() as f64 / n as f64;
        let distances = self.distances();
        // Per feature: hit sum, hit weight known, miss sum, miss weight known.
        let mut sums = vec![[0.0; 4]; p];
        let (mut all_hits, mut all_misses) = (0.0, 0.0);
        for &i in sampled {
            let own = self.classes[i];
            let mut pairs: Vec<(usize, f64, bool)> = Vec::new();
            let members = |wanted: &dyn Fn(usize) -> bool| -> Vec<usize> {
                (0..n).filter(|&j| j != i && wanted(self.classes[j])).collect()
            };
            let hits = members(&|c| c == own);
            for (j, w) in self.nearest(&distances[i], hits, k, ties, weights) {
                pairs.push((j, w, true));
            }
            if any_other_class {
                let misses = members(&|c| c != own);
                for (j, w) in self.nearest(&distances[i], misses, k, ties, weights) {
                    pairs.push((j, w, false));
                }
            } else {
                for c in (0..n_classes).filter(|&c| c != own) {
                    let misses = members(&|x| x == c);
                    for (j, w) in self.nearest(&distances[i], misses, k, ties, weights) {
                        pairs.push((j, w * share(c) / (1.0 - share(own)), false));
                    }
                }
            }
            for (j, w, hit) in pairs {
                if hit {
                    all_hits += w
                } else {
                    all_misses += w
                }
                for f in 0..p {
                    if let Some(d) = self.diff(f, i, j) {
                        sums[f][if hit { 0 } else { 2 }] += w * d;
                        sums[f][if hit { 1 } else { 3 }] += w;
                    }
                }
            }
        }
        let part = |sum: f64, known: f64, all: f64| {
            if known < 1e-12 { 0.0 } else { sum / known * all }
        };
        sums.iter()
            .map(|s| {
                (part(s[2], s[3], all_misses) - part(s[0], s[1], all_hits)) / sampled.len() as f64
            })
            .collect()
    }

    /// The methods with a radius by name; `y` for a real target.
    pub fn radius(&self, name: &str, y: Option<&[f64]>) -> Vec<f64> {
        let all: Vec<usize> = (0..self.table.rows()).collect();
        self.radius_of(&all, name, y)
    }

    /// The same from the neighbors of some rows.
    pub fn radius_of(&self, sampled: &[usize], name: &str, y: Option<&[f64]>) -> Vec<f64> {
        let (n, p) = (self.table.rows(), self.table.width());
        let euclidean = self.options.metric == Metric::Euclidean;
        let length = |d: &f64| if euclidean { d.sqrt() } else { *d };
        let d: Vec<Vec<f64>> =
            self.distances().iter().map(|row| row.iter().map(length).collect()).collect();
        let moments = |values: Vec<f64>| {
            let count = values.len().max(1) as f64;
            let mean = values.iter().sum::<f64>() / count;
            let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / count;
            (mean, variance.sqrt())
        };
        let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
        let (mean, sd) = moments(pairs.map(|(i, j)| d[i][j]).filter(|d| d.is_finite()).collect());
        let share = |c: usize| self.classes.iter().filter(|x| **x == c).count() as f64 / n as f64;
        let n_classes = self.classes.iter().max().unwrap() + 1;
        // Per feature: sums and known weights of near hits, near misses, far hits, far misses (or
        // of near and far neighbors and their products with the target's difference).
        let mut sums = vec![[[0.0; 2]; 4]; p];
        let mut all = [0.0; 4];
        for &i in sampled {
            let others = || (0..n).filter(|&j| j != i && d[i][j].is_finite());
            let (mean, sd) = match name.starts_with("multi") {
                true => moments(others().map(|j| d[i][j]).collect()),
                false => (mean, sd),
            };
            let band = ["multisurf", "multiswrfdb"].contains(&name.trim_end_matches('*'));
            let half = if band { sd / 2.0 } else { 0.0 };
            let (low, high) = (mean - half, mean + half);
            for far in [false, true] {
                let inside = |j: usize| {
                    if far { d[i][j] > high + TIED } else { d[i][j] < low - TIED }
                };
                let groups = if y.is_some() { 1 } else { n_classes };
                for group in 0..groups {
                    let members: Vec<usize> = others()
                        .filter(|&j| inside(j) && (y.is_some() || self.classes[j] == group))
                        .collect();
                    for &j in &members {
                        let strength = if name.contains("swrf") && sd > 0.0 {
                            let bound = if far { high } else { low };
                            (2.0 / (1.0 + (4.0 * (d[i][j] - bound) / sd).exp()) - 1.0).abs()
                        } else {
                            1.0
                        };
                        let w = strength / members.len() as f64;
                        let own = self.classes[i];
                        let mut parts = [0.0; 4];
                        if let Some(y) = y {
                            let low = y.iter().copied().fold(f64::INFINITY, f64::min);
                            let high = y.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                            parts[2 * usize::from(far)] = w;
                            parts[2 * usize::from(far) + 1] =
                                w * (y[i] - y[j]).abs() / (high - low);
                        } else if group == own {
                            parts[2 * usize::from(far)] = w;
                        } else {
                            parts[2 * usize::from(far) + 1] = w * share(group) / (1.0 - share(own));
                        }
                        for part in 0..4 {
                            all[part] += parts[part];
                        }
                        for (f, sum) in sums.iter_mut().enumerate() {
                            if let Some(difference) = self.diff(f, i, j) {
                                for part in 0..4 {
                                    sum[part][0] += parts[part] * difference;
                                    sum[part][1] += parts[part];
                                }
                            }
                        }
                    }
                }
            }
        }
        let starred = name.ends_with('*');
        let ratio = |a: f64, b: f64| if b < 1e-12 { 0.0 } else { a / b };
        sums.iter()
            .enumerate()
            .map(|(f, sum)| {
                if self.known(f).is_empty() || self.is_constant(f) {
                    return 0.0;
                }
                if y.is_some() {
                    let w = |at: usize| {
                        ratio(sum[at + 1][0], sum[at + 1][1])
                            - ratio(sum[at][0] - sum[at + 1][0], sum[at][1] - sum[at + 1][1])
                    };
                    return w(0) - if starred { w(2) } else { 0.0 };
                }
                let part = |at: usize| ratio(sum[at][0], sum[at][1]) * all[at];
                let far = match name {
                    "multisurf*" => (all[3] - part(3)) - (all[2] - part(2)),
                    _ if starred => part(2) - part(3),
                    _ => 0.0,
                };
                (part(1) - part(0) + far) / sampled.len() as f64
            })
            .collect()
    }

    /// SURF, SURF*, MultiSURF and MultiSURF* by the rules of scikit-rebate, one row and feature
    /// after the other as it does; `y` for a real target. The policy must be to ignore gaps.
    pub fn radius_as_skrebate(&self, name: &str, y: Option<&[f64]>) -> Vec<f64> {
        let (n, p) = (self.table.rows(), self.table.width());
        let d = self.distances();
        let moments = |values: &[f64]| {
            let count = values.len() as f64;
            let mean = values.iter().sum::<f64>() / count;
            let squares = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>();
            (mean, (squares / count).sqrt(), (squares / (count - 1.0)).sqrt())
        };
        // The whole matrix, with its diagonal.
        let cells: Vec<f64> = (0..n)
            .flat_map(|i| (0..n).map(move |j| if i == j { 0.0 } else { d[i][j] }))
            .filter(|d| d.is_finite())
            .collect();
        let is_number = |f: usize| matches!(self.table.columns()[f].values(), Values::Numeric(_));
        let counts = |f: usize| !self.known(f).is_empty() && !self.is_constant(f);
        let mixed =
            (0..p).any(|f| counts(f) && is_number(f)) && (0..p).any(|f| counts(f) && !is_number(f));
        let difference = |f: usize, a: f64, b: f64| {
            let known: Vec<f64> = self.known(f).iter().map(|v| v.1).collect();
            let beyond = is_number(f) && (a - b).abs() > moments(&known).1 * (1.0 + 1e-9);
            if mixed && beyond { 1.0 } else { self.plain(f, a, b) }
        };
        let is_hit = |i: usize, j: usize| match y {
            Some(y) => (y[i] - y[j]).abs() < moments(y).2,
            None => self.classes[i] == self.classes[j],
        };
        let mut weights = vec![0.0; p];
        for i in 0..n {
            let others: Vec<usize> = (0..n).filter(|&j| j != i && d[i][j].is_finite()).collect();
            let own: Vec<f64> = others.iter().map(|&j| d[i][j]).collect();
            let (low, high) = if name.starts_with("multisurf") {
                let (mean, sd, _) = moments(&own);
                (mean - sd / 2.0, mean + sd / 2.0)
            } else {
                (moments(&cells).0, moments(&cells).0)
            };
            for (f, weight) in weights.iter_mut().enumerate().filter(|(f, _)| counts(*f)) {
                let value = |row: usize| self.table.columns()[f].value(row);
                // The mean over the hits or misses of some rows that know the feature.
                let mean = |hits: bool, far: bool, similar: bool| {
                    let pairs: Vec<f64> = others
                        .iter()
                        .filter(
                            |&&j| {
                                if far { d[i][j] > high + TIED } else { d[i][j] < low - TIED }
                            },
                        )
                        .filter(|&&j| is_hit(i, j) == hits)
                        .filter(|&&j| !value(i).is_nan() && !value(j).is_nan())
                        .map(|&j| difference(f, value(i), value(j)))
                        .map(|x| if similar { 1.0 - x } else { x })
                        .collect();
                    if pairs.is_empty() { 0.0 } else { moments(&pairs).0 }
                };
                *weight += mean(false, false, false) - mean(true, false, false);
                *weight += match name {
                    "surf*" => mean(true, true, false) - mean(false, true, false),
                    "multisurf*" => mean(false, true, true) - mean(true, true, true),
                    _ => 0.0,
                };
            }
        }
        weights.iter().map(|w| w / n as f64).collect()
    }

    pub fn rrelieff(&self, y: &[f64], k: usize, ties: Ties, weights: NeighborWeights) -> Vec<f64> {
        let n = self.table.rows();
        let low = y.iter().copied().fold(f64::INFINITY, f64::min);
        let high = y.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let distances = self.distances();
        let mut sums = vec![[0.0; 4]; self.table.width()];
        for i in 0..n {
            let members = (0..n).filter(|&j| j != i).collect();
            for (j, w) in self.nearest(&distances[i], members, k, ties, weights) {
                let dy = (y[i] - y[j]).abs() / (high - low);
                for (f, s) in sums.iter_mut().enumerate() {
                    if let Some(d) = self.diff(f, i, j) {
                        s[0] += w;
                        s[1] += w * dy;
                        s[2] += w * d;
                        s[3] += w * d * dy;
                    }
                }
            }
        }
        let ratio = |a: f64, b: f64| if b < 1e-12 { 0.0 } else { a / b };
        sums.iter().map(|s| ratio(s[3], s[1]) - ratio(s[2] - s[3], s[0] - s[1])).collect()
    }
}

/// Classes `0..` of the codes given.
pub fn classes(codes: &[u32]) -> Target {
    let labels: Vec<String> = codes.iter().map(u32::to_string).collect();
    Target::Classes(Classes::from_labels(&labels))
}

pub fn run(threads: usize) -> Run {
    Run::new(Some(threads)).unwrap()
}

pub fn has_warning(warnings: &[Warning], code: &str) -> bool {
    warnings.iter().any(|warning| warning.code() == code)
}

pub fn numeric(name: &str, values: &[f64]) -> Column<'static> {
    Column::from_values(name, values.to_vec()).unwrap()
}

pub fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}
