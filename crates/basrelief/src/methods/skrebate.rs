//! The rules of scikit-rebate 0.8.4, errors included: the scores of its methods, for programs that
//! need its numbers. The Python package `basrelief.skrebate` offers them under its names.
//!
//! The methods of the registry have the rules of this library instead, which the pages of the
//! methods explain. The differences, with the lines of scikit-rebate's code:
//!
//! - *Distances* are sums of differences. In complete tables with both kinds of features, a mismatch
//!   of categories counts as features / categorical features (`relieff.py`, `_distarray_no_missing`:
//!   a mean is multiplied by the number of all features). A value missing in either row excludes the
//!   feature, and the sum is divided by the number of remaining features (`get_row_missing`).
//! - *Radius of all pairs* (SURF, SWRF): mean and standard deviation of the cells of the distance
//!   matrix, including the zeros on its diagonal. If values are missing, only half of the matrix is
//!   filled (`get_row_missing`), and its zeros halve the radius.
//! - *Differences in scores*: in tables with both kinds of features, a numeric difference above the
//!   standard deviation of the feature counts as 1 (`ramp_vec`).
//! - *Hits* of a numeric target are rows whose target differs by less than its standard deviation
//!   with n - 1 degrees of freedom, and all others are misses (`compute_score`).
//! - *Missing values in scores*: a row whose value is missing contributes 0, and neighbors whose
//!   value is missing are excluded from its means.
//! - *Several classes*: with m misses, of which `m_c` are of class c and have the sum of differences
//!   `S_c`, misses contribute the sum of `S_c (m_c / m) (classes - 1) / m`: classes have no priors, and
//!   scores can leave [-1, 1].
//! - *Few neighbors*: where ReliefF and mu-Relief find fewer than k hits, the row itself is one more
//!   hit (`_find_neighbors` gives it the largest distance, but does not exclude it).
//! - *Far rows* of MultiSURF* and the SWRF family count by their similarities. Where rows have
//!   weights w, numeric features count by `count - sum(w diff)`, and categorical ones by
//!   `sum(w (1 - diff))` (`baseswrf.py`, `compute_score`).

use std::ops::Range;

use basrelief_kernels::{Moments, finite_moments, level};

use crate::data::{Categories, Column, MISSING_CODE, Table};
use crate::differences::{Metric, MissingPolicy, Space, SpaceOptions};
use crate::error::{Error, Result};
use crate::margins::margin_sums;
use crate::neighbors::{self, PairSource, RowLines};
use crate::run::Run;

/// Which rows of scikit-rebate's methods are neighbors, and how much they count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Neighbors {
    /// The k nearest hits and misses; with several classes, the k nearest misses of each (ReliefF).
    Nearest(usize),
    /// As `Nearest`, with the rows whose distances deviate most from the mean of their group (mu-Relief).
    Deviating(usize),
    /// All rows within a radius.
    Radius {
        /// Whether every row has a radius that follows from its own distances.
        per_row: bool,
        /// Whether rows within half a standard deviation of the mean do not count.
        dead_band: bool,
        /// Whether rows count by a sigmoid of their distances.
        sigmoid: bool,
        /// How rows beyond the radius count.
        far: Far,
    },
}

/// How rows beyond the radius count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Far {
    /// They do not count.
    Ignored,
    /// By their differences, with the opposite sign.
    Difference,
    /// By their similarities.
    Similarity,
}

impl Neighbors {
    /// The rule of a method by the name of its class in scikit-rebate; `k` is the number of neighbors of ReliefF and
    /// MuRelief. `None` if there is no such class.
    pub fn of_class(name: &str, k: usize) -> Option<Self> {
        let radius = |per_row: bool, dead_band: bool, sigmoid: bool, far: Far| Self::Radius {
            per_row,
            dead_band,
            sigmoid,
            far,
        };
        Some(match name {
            "ReliefF" => Self::Nearest(k),
            "MuRelief" => Self::Deviating(k),
            "SURF" => radius(false, false, false, Far::Ignored),
            "SURFstar" => radius(false, false, false, Far::Difference),
            "MultiSURF" => radius(true, true, false, Far::Ignored),
            "MultiSURFstar" => radius(true, true, false, Far::Similarity),
            "SWRF" => radius(false, false, true, Far::Ignored),
            "SWRFstar" => radius(false, false, true, Far::Similarity),
            "MultiSWRF" => radius(true, false, true, Far::Ignored),
            "MultiSWRFstar" => radius(true, false, true, Far::Similarity),
            "MultiSWRFDB" => radius(true, true, true, Far::Ignored),
            "MultiSWRFDBstar" => radius(true, true, true, Far::Similarity),
            _ => return None,
        })
    }
}

/// The target of scikit-rebate's methods.
#[derive(Debug, Clone, PartialEq)]
pub enum Labels {
    /// Two classes, by their codes: all misses are in one group.
    Binary(Vec<u32>),
    /// Classes, by their codes, and their number: misses are grouped by class.
    Classes(Vec<u32>, usize),
    /// Numbers: rows whose values differ by less than the bound are hits.
    Numbers(Vec<f64>, f64),
}

impl Labels {
    fn len(&self) -> usize {
        match self {
            Self::Binary(codes) | Self::Classes(codes, _) => codes.len(),
            Self::Numbers(values, _) => values.len(),
        }
    }

    /// Number of groups of neighbors; the first is that of hits.
    fn groups(&self) -> usize {
        match self {
            Self::Classes(_, count) => 1 + count,
            Self::Binary(_) | Self::Numbers(..) => 2,
        }
    }

    /// The group of a row for another: 0 for hits, and 1 or 1 plus the class for misses.
    fn group(&self, row: usize, other: usize) -> usize {
        match self {
            Self::Binary(codes) => usize::from(codes[row] != codes[other]),
            Self::Classes(codes, _) if codes[row] == codes[other] => 0,
            Self::Classes(codes, _) => 1 + codes[other] as usize,
            Self::Numbers(values, bound) => {
                usize::from((values[row] - values[other]).abs() >= *bound)
            }
        }
    }
}

/// A table with the kinds of its features.
struct Features {
    /// Column by column; NaN is missing.
    columns: Vec<Vec<f64>>,
    is_categorical: Vec<bool>,
    /// Per feature, the largest minus the smallest value, and the difference above which a difference counts as 1.
    ranges: Vec<f64>,
    jumps: Vec<f64>,
    any_missing: bool,
}

impl Features {
    fn new(columns: Vec<Vec<f64>>, is_categorical: Vec<bool>) -> Result<Self> {
        let any_missing = columns.iter().flatten().any(|value| value.is_nan());
        let is_mixed = is_categorical.contains(&true) && is_categorical.contains(&false);
        let (mut ranges, mut jumps) = (Vec::new(), Vec::new());
        for (feature, column) in columns.iter().enumerate() {
            let known: Vec<f64> = column.iter().copied().filter(|value| !value.is_nan()).collect();
            let most = known.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let range = most - known.iter().copied().fold(f64::INFINITY, f64::min);
            let is_number = !is_categorical[feature];
            if is_number && !(range > 0.0 && range.is_finite()) {
                return Err(Error::data(
                    format!(
                        "feature {feature} is numeric and does not vary: scikit-rebate divides by its range"
                    ),
                    "remove the feature, or declare it categorical",
                ));
            }
            let mean = known.iter().sum::<f64>() / known.len() as f64;
            let squares = known.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>();
            let deviation = (squares / known.len() as f64).sqrt();
            ranges.push(range);
            jumps.push(if is_mixed && is_number { deviation } else { f64::INFINITY });
        }
        Ok(Self { columns, is_categorical, ranges, jumps, any_missing })
    }

    fn rows(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }

    /// Whether the neighbors of a row are the same for the feature as for all others, and its differences are those of
    /// [`margin_sums`].
    fn is_plain(&self, feature: usize) -> bool {
        self.jumps[feature].is_infinite() && !self.columns[feature].iter().any(|own| own.is_nan())
    }

    /// The features as columns of a table.
    fn table(&self) -> Result<Table<'static>> {
        let column = |(feature, values): (usize, &Vec<f64>)| {
            let name = feature.to_string();
            if !self.is_categorical[feature] {
                return Column::numeric(name, values.clone());
            }
            let mut levels: Vec<f64> = values.iter().copied().filter(|v| !v.is_nan()).collect();
            levels.sort_by(f64::total_cmp);
            levels.dedup();
            let code = |value: &f64| match value.is_nan() {
                true => MISSING_CODE,
                false => levels.partition_point(|level| level < value) as u32,
            };
            let codes = values.iter().map(code).collect();
            let names = (0..levels.len()).map(|level| level.to_string()).collect();
            Ok(Column::categorical(name, Categories::new(codes, names)?))
        };
        Table::new(self.columns.iter().enumerate().map(column).collect::<Result<Vec<_>>>()?)
    }

    /// The factors of the features in distances: those that are given, or those of scikit-rebate for mixed features.
    ///
    /// # Errors
    /// Factors are given for features of both kinds.
    fn factors(&self, given: Option<&[f64]>) -> Result<Option<Vec<f64>>> {
        let categorical = self.is_categorical.iter().filter(|is| **is).count();
        let all = self.is_categorical.len();
        let is_mixed = categorical > 0 && categorical < all;
        match given {
            Some(_) if is_mixed => Err(Error::data(
                "some features are numeric and others categorical: scikit-rebate cannot weight their distances",
                "use features of one kind",
            )),
            Some(given) => Ok(Some(given.to_vec())),
            None if is_mixed && !self.any_missing => {
                let of_category = all as f64 / categorical as f64;
                let factor = |is: &bool| if *is { of_category } else { 1.0 };
                Ok(Some(self.is_categorical.iter().map(factor).collect()))
            }
            None => Ok(None),
        }
    }
}

/// A neighbor of a row.
#[derive(Debug, Clone, Copy)]
struct Neighbor {
    row: usize,
    group: usize,
    weight: f64,
}

/// Neighbors of a row that count in the same way.
struct Part {
    neighbors: Vec<Neighbor>,
    far: Far,
    sign: f64,
}

impl Part {
    /// Per group: number of neighbors, their weights, and 0 for the sum of their differences.
    fn groups(&self, count: usize) -> Vec<[f64; 3]> {
        let mut groups = vec![[0.0; 3]; count];
        for neighbor in &self.neighbors {
            groups[neighbor.group][0] += 1.0;
            groups[neighbor.group][1] += neighbor.weight;
        }
        groups
    }
}

/// Computes scikit-rebate's scores of the features in `columns`, where NaN is missing. `factors`
/// multiply the differences of the features in distances (its parameter `weights`).
///
/// Rows of equal distance are in the order of the table, which scikit-rebate leaves to an unstable
/// sort.
///
/// # Errors
/// A numeric feature without two values, factors for features of both kinds, too little memory;
/// [`Error::Cancelled`].
pub fn scores(
    columns: Vec<Vec<f64>>,
    is_categorical: Vec<bool>,
    labels: &Labels,
    neighbors: Neighbors,
    factors: Option<&[f64]>,
    run: &Run,
) -> Result<Vec<f64>> {
    let features = Features::new(columns, is_categorical)?;
    if features.rows() != labels.len() {
        return Err(Error::data(
            format!("{} rows of features, but {} labels", features.rows(), labels.len()),
            "provide one label per row",
        ));
    }
    let table = features.table()?;
    let options = SpaceOptions {
        metric: Metric::Manhattan,
        missing: MissingPolicy::Ignore,
        ..SpaceOptions::default()
    };
    let own = features.factors(factors)?;
    let space = Space::new(&table, None, options, run)?.with_factors(own.map(Into::into));
    let all: Vec<u32> = (0..features.rows() as u32).collect();
    let lines = RowLines::new(&space, &all, run)?;
    let (by_known, unit) = (factors.is_some(), lines.unit());
    let fit = Fit { features: &features, labels, neighbors, by_known, unit };
    let pairs = match neighbors {
        Neighbors::Radius { per_row: false, .. } => fit.moments_of_matrix(&lines, run)?,
        _ => Moments::default(),
    };
    let (plain, others): (Vec<usize>, Vec<usize>) =
        (0..features.columns.len()).partition(|&feature| features.is_plain(feature));
    let mut scores = vec![0.0; features.columns.len()];
    if !plain.is_empty() {
        let some = (!others.is_empty()).then(|| table.select_columns(&plain));
        let some = some.as_ref().map(|table| Space::new(table, None, options, run)).transpose()?;
        let found = fit.of_plain(some.as_ref().unwrap_or(&space), &plain, &lines, pairs, run)?;
        plain.iter().zip(found).for_each(|(&feature, score)| scores[feature] = score);
    }
    if !others.is_empty() {
        let parts = lines.fold(
            || vec![0.0; others.len()],
            |sums: &mut Vec<f64>, row, line| {
                for part in fit.parts(row as usize, line, pairs) {
                    fit.add(row as usize, &part, &others, sums);
                }
            },
            run,
        )?;
        for (at, &feature) in others.iter().enumerate() {
            scores[feature] = parts.iter().map(|part| part[at]).sum();
        }
    }
    let rows = features.rows() as f64;
    scores.iter_mut().for_each(|score| *score /= rows);
    Ok(scores)
}

/// The neighbors of all rows; their weights are the factors of their differences in the scores of plain features.
struct WeightedNeighbors<'f> {
    fit: &'f Fit<'f>,
    lines: &'f RowLines<'f>,
    pairs: Moments,
}

impl PairSource for WeightedNeighbors<'_> {
    fn len(&self) -> usize {
        self.lines.rows().len()
    }

    fn expected_pairs(&self, _: usize) -> usize {
        match self.fit.neighbors {
            Neighbors::Nearest(k) | Neighbors::Deviating(k) => {
                k.saturating_mul(self.fit.labels.groups()).min(self.len())
            }
            Neighbors::Radius { .. } => self.len(),
        }
    }

    fn visit(
        &self,
        places: Range<usize>,
        visit: &mut dyn FnMut(u32, usize, &[neighbors::Neighbor]),
    ) {
        let mut found = Vec::new();
        self.lines.visit(places, &mut |row, line| {
            found.clear();
            for part in self.fit.parts(row as usize, line, self.pairs) {
                let factors = self.fit.factors(&part.groups(self.fit.labels.groups()));
                let sign = if part.far == Far::Similarity { -part.sign } else { part.sign };
                found.extend(part.neighbors.iter().map(|neighbor| neighbors::Neighbor {
                    row: neighbor.row as u32,
                    weight: sign * factors[neighbor.group] * neighbor.weight,
                }));
            }
            visit(row, 0, &found);
        });
    }
}

/// The rules of one fit.
struct Fit<'f> {
    features: &'f Features,
    labels: &'f Labels,
    neighbors: Neighbors,
    /// Whether distances are divided by the number of features known in both rows, because there are factors.
    by_known: bool,
    /// The unit of the distances of the space.
    unit: f64,
}

impl Fit<'_> {
    /// The distances of a row as scikit-rebate computes them, up to a common factor.
    fn distances(&self, row: usize, line: &[f64]) -> Vec<f64> {
        let mut line = line.to_vec();
        let Features { columns, ranges, any_missing, .. } = self.features;
        let is_constant = |feature: usize| ranges[feature] <= 0.0;
        if !any_missing && !self.by_known && self.features.is_categorical.iter().all(|is| *is) {
            // The fraction of features that differ, as scikit-rebate rounds it: a distance can equal the mean.
            let width = columns.len() as f64;
            line.iter_mut().for_each(|distance| *distance = *distance / self.unit / width);
            return line;
        }
        // The space divides by the number of known features that vary, and with factors by the sum of their factors.
        let any_constant = (0..columns.len()).any(is_constant);
        if *any_missing && (self.by_known || any_constant) {
            for (other, distance) in line.iter_mut().enumerate() {
                let (mut known, mut vary) = (0.0, 0.0);
                for (feature, column) in columns.iter().enumerate() {
                    if !(column[row].is_nan() || column[other].is_nan()) {
                        known += 1.0;
                        vary += f64::from(u8::from(!is_constant(feature)));
                    }
                }
                *distance *= if self.by_known { 1.0 } else { vary } / known;
            }
        }
        line
    }

    /// Mean and spread of the cells of scikit-rebate's distance matrix.
    fn moments_of_matrix(&self, lines: &RowLines<'_>, run: &Run) -> Result<Moments> {
        let of_row =
            |row: u32, line: &[f64]| finite_moments(level(), &self.distances(row as usize, line));
        let both = lines.map(of_row, run)?.into_iter().fold(Moments::default(), Moments::merged);
        let rows = self.features.rows() as f64;
        let zeros = |count: f64| Moments { count, ..Moments::default() };
        Ok(match self.features.any_missing {
            false => both.merged(zeros(rows)),
            true => {
                let half = Moments { count: both.count / 2.0, squares: both.squares / 2.0, ..both };
                half.merged(zeros(rows + rows * (rows - 1.0) / 2.0))
            }
        })
    }

    /// The scores of plain features, times the number of rows: sums of differences over pairs of rows. `space` has these
    /// features only, or all if all are plain.
    fn of_plain(
        &self,
        space: &Space<'_>,
        plain: &[usize],
        lines: &RowLines<'_>,
        pairs: Moments,
        run: &Run,
    ) -> Result<Vec<f64>> {
        let source = WeightedNeighbors { fit: self, lines, pairs };
        let of_pair = |_: u32, _: usize, _: u32, weight: f64| [weight];
        let [mut sums] = margin_sums(space, &source, of_pair, run)?.sums;
        let are_similarities = match self.neighbors {
            Neighbors::Radius { far, .. } => far == Far::Similarity,
            _ => false,
        };
        if are_similarities {
            // Of numeric and of categorical features: the similarities of far rows without their differences.
            let of_row = |row: u32, line: &[f64]| {
                let mut totals = [0.0; 2];
                for part in self.parts(row as usize, line, pairs) {
                    let groups = part.groups(self.labels.groups());
                    let factors = self.factors(&groups);
                    for ([count, weight, _], factor) in groups.iter().zip(factors) {
                        if part.far == Far::Similarity {
                            totals[0] += part.sign * factor * count;
                            totals[1] += part.sign * factor * weight;
                        }
                    }
                }
                totals
            };
            let mut totals = [0.0; 2];
            for own in lines.map(of_row, run)? {
                totals.iter_mut().zip(own).for_each(|(total, own)| *total += own);
            }
            for (sum, &feature) in sums.iter_mut().zip(plain) {
                *sum += totals[usize::from(self.features.is_categorical[feature])];
            }
        }
        Ok(sums)
    }

    /// The neighbors of a row, and how they count.
    fn parts(&self, row: usize, line: &[f64], pairs: Moments) -> Vec<Part> {
        let line = self.distances(row, line);
        let near = |neighbors: Vec<Neighbor>| Part { neighbors, far: Far::Ignored, sign: 1.0 };
        match self.neighbors {
            Neighbors::Nearest(k) => {
                let mut order: Vec<usize> =
                    (0..line.len()).filter(|&j| line[j].is_finite()).collect();
                order.sort_by(|&a, &b| line[a].total_cmp(&line[b]));
                order.push(row);
                order.extend((0..line.len()).filter(|&j| !line[j].is_finite() && j != row));
                vec![near(self.first(row, &order, k))]
            }
            Neighbors::Deviating(k) => {
                let order = self.by_deviation(row, &line);
                vec![near(self.first(row, &order, k))]
            }
            Neighbors::Radius { per_row, dead_band, sigmoid, far } => {
                let of = if per_row { moments_of_row(&line) } else { pairs };
                let deviation = of.deviation();
                let half = if dead_band { deviation / 2.0 } else { 0.0 };
                let weight = |distance: f64, bound: f64| match sigmoid {
                    false => 1.0,
                    true => {
                        let scale = 4.0 / if deviation > 0.0 { deviation } else { 1.0 };
                        2.0 / (1.0 + (-(distance - bound).abs() * scale).exp()) - 1.0
                    }
                };
                let within = |is_near: bool, bound: f64| -> Vec<Neighbor> {
                    let is_inside = |distance: f64| match is_near {
                        true => distance < bound,
                        false => distance > bound && distance.is_finite(),
                    };
                    let of_row = |(other, &distance): (usize, &f64)| Neighbor {
                        row: other,
                        group: self.labels.group(row, other),
                        weight: weight(distance, bound),
                    };
                    line.iter().enumerate().filter(|one| is_inside(*one.1)).map(of_row).collect()
                };
                let mut parts = vec![near(within(true, of.mean - half))];
                if far != Far::Ignored {
                    let sign = if far == Far::Difference { -1.0 } else { 1.0 };
                    parts.push(Part { neighbors: within(false, of.mean + half), far, sign });
                }
                parts
            }
        }
    }

    /// The first k rows of every group in an order.
    fn first(&self, row: usize, order: &[usize], k: usize) -> Vec<Neighbor> {
        let mut taken = vec![0; self.labels.groups()];
        let mut found = Vec::new();
        for &other in order {
            let group = self.labels.group(row, other);
            if taken[group] < k {
                taken[group] += 1;
                found.push(Neighbor { row: other, group, weight: 1.0 });
            }
        }
        found
    }

    /// All rows in descending order of the deviation of their distances from the mean of their group. The row itself has
    /// deviation 0, and rows that cannot be compared come first.
    fn by_deviation(&self, row: usize, line: &[f64]) -> Vec<usize> {
        let mut groups: Vec<Vec<f64>> = vec![Vec::new(); self.labels.groups()];
        for (other, &distance) in line.iter().enumerate().filter(|one| one.1.is_finite()) {
            groups[self.labels.group(row, other)].push(distance);
        }
        let means: Vec<f64> = groups.iter().map(|own| moments_of_row(own).mean).collect();
        let deviation = |other: usize| {
            let mean = means[self.labels.group(row, other)];
            match line[other].is_finite() {
                _ if other == row => 0.0,
                true => (line[other] - mean).abs(),
                false => f64::INFINITY,
            }
        };
        let mut order: Vec<(f64, usize)> = (0..line.len()).map(|j| (deviation(j), j)).collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
        order.into_iter().map(|one| one.1).collect()
    }

    /// Adds the scores of some features from some neighbors of a row.
    fn add(&self, row: usize, part: &Part, features: &[usize], sums: &mut [f64]) {
        // Per group: number of neighbors, their weights, and the sum of weighted differences.
        let mut groups = vec![[0.0_f64; 3]; self.labels.groups()];
        for (&feature, sum) in features.iter().zip(sums) {
            let column = &self.features.columns[feature];
            let own = column[row];
            if own.is_nan() {
                continue;
            }
            groups.fill([0.0; 3]);
            let is_categorical = self.features.is_categorical[feature];
            let (range, jump) = (self.features.ranges[feature], self.features.jumps[feature]);
            for neighbor in &part.neighbors {
                let other = column[neighbor.row];
                if other.is_nan() {
                    continue;
                }
                let raw = (own - other).abs();
                let difference = match is_categorical {
                    true => f64::from(u8::from(raw != 0.0)),
                    false if raw > jump => 1.0,
                    false => raw / range,
                };
                let group = &mut groups[neighbor.group];
                group[0] += 1.0;
                group[1] += neighbor.weight;
                group[2] += neighbor.weight * difference;
            }
            for [count, weight, total] in &mut groups {
                if part.far == Far::Similarity {
                    *total = if is_categorical { *weight } else { *count } - *total;
                }
            }
            let factors = self.factors(&groups);
            let totals = groups.iter().map(|group| group[2]);
            *sum += part.sign * factors.iter().zip(totals).map(|(f, total)| f * total).sum::<f64>();
        }
    }

    /// Per group of the neighbors of a row, the factor of its sum of differences in the score of the row, times the
    /// number of rows.
    fn factors(&self, groups: &[[f64; 3]]) -> Vec<f64> {
        let [hits, misses @ ..] = groups else { return Vec::new() };
        let count: f64 = misses.iter().map(|group| group[0]).sum();
        let of_hits = if hits[0] == 0.0 { 0.0 } else { -1.0 / hits[0] };
        let of_misses = misses.iter().map(|group| match self.labels {
            _ if count == 0.0 => 0.0,
            Labels::Classes(_, classes) => group[0] / count * (*classes as f64 - 1.0) / count,
            Labels::Binary(_) | Labels::Numbers(..) => 1.0 / count,
        });
        std::iter::once(of_hits).chain(of_misses).collect()
    }
}

/// Mean and spread of the finite distances of a row, whose sums are rounded as by numpy: the
/// distance of a neighbor can equal the mean, and then rounding decides.
fn moments_of_row(line: &[f64]) -> Moments {
    let finite: Vec<f64> = line.iter().copied().filter(|distance| distance.is_finite()).collect();
    if finite.is_empty() {
        return Moments::default();
    }
    let count = finite.len() as f64;
    let mean = pairwise_sum(&finite) / count;
    let squares: Vec<f64> = finite.iter().map(|own| (own - mean) * (own - mean)).collect();
    Moments { count, mean, squares: pairwise_sum(&squares) }
}

/// The sum of numbers with the rounding of numpy: halves of more than 128 numbers are summed
/// separately, and the others in eight interleaved sums.
fn pairwise_sum(values: &[f64]) -> f64 {
    const LANES: usize = 8;
    const MOST_AT_ONCE: usize = 128;
    if values.len() > MOST_AT_ONCE {
        let half = values.len() / 2;
        let (first, second) = values.split_at(half - half % LANES);
        return pairwise_sum(first) + pairwise_sum(second);
    }
    let (eights, rest) = values.as_chunks::<LANES>();
    let Some((first, others)) = eights.split_first() else { return rest.iter().sum() };
    let mut sums = *first;
    for eight in others {
        sums.iter_mut().zip(eight).for_each(|(sum, value)| *sum += value);
    }
    let [a, b, c, d, e, f, g, h] = sums;
    let all = ((a + b) + (c + d)) + ((e + f) + (g + h));
    rest.iter().fold(all, |sum, value| sum + value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::testing::run;

    #[test]
    fn misses_count_by_the_frequency_of_their_class() {
        // From 0, ranges are 10: all rows are neighbors of ReliefF with k = 3. Row by row, with C - 1
        // = 2 and m = 2 or 3 misses of one class each or two: sum of S_c m_c 2 / m / m, minus the hits
        // over their number, of which the row itself is one.
        // 0 (class 0): hit 0.1 / 2; misses 0.4 and 1.0: (0.4 + 1.0) 2 / 4 = 0.7; 0.65.
        // 1 (class 0): hit 0.1 / 2; misses 0.3 and 0.9: 0.6; 0.55.
        // 4 (class 1): no hit but itself; misses (0.4 + 0.3) 2 / 9 2 + 0.6 1 2 / 9.
        // 10 (class 2): misses (1.0 + 0.9) 4 / 9 + 0.6 2 / 9.
        let rows = [0.65, 0.55, 0.7 * 4.0 / 9.0 + 1.2 / 9.0, 1.9 * 4.0 / 9.0 + 1.2 / 9.0];
        let labels = Labels::Classes(vec![0, 0, 1, 2], 3);
        let x = vec![vec![0.0, 1.0, 4.0, 10.0]];
        let found = scores(x, vec![false], &labels, Neighbors::Nearest(3), None, &run(1)).unwrap();
        assert!((found[0] - rows.iter().sum::<f64>() / 4.0).abs() < 1e-15);
    }

    #[test]
    fn the_radius_is_that_of_the_matrix() {
        let labels = Labels::Binary(vec![0, 1, 1]);
        let score = |x: [f64; 3]| {
            let surf = Neighbors::of_class("SURF", 0).unwrap();
            let missing = vec![0.0, if x[0] > 0.0 { f64::NAN } else { 0.0 }, 1.0];
            let kinds = vec![false, false];
            scores(vec![x.to_vec(), missing], kinds, &labels, surf, None, &run(1)).unwrap()[0]
        };
        // Distances 0.2, 2.0 and 1.8, with the mean 8/9 over the nine cells of the matrix: the first pair is near.
        assert!((score([0.0, 2.0, 10.0]) - 0.4 / 3.0).abs() < 1e-15);
        // Per known feature 0.2, 1.0 and 0.8: a mean of 2/9, because half of the matrix is 0. The mean
        // over pairs would be 2/3.
        assert!((score([10.0, 8.0, 0.0]) - 0.4 / 3.0).abs() < 1e-15);
    }
}
