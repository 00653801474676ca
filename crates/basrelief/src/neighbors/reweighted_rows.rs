//! Distances in the space of weights that change while a method runs.
//!
//! [`super::Neighborhoods`] computes every pair once in a fixed space. Methods that feed their
//! weights back repeatedly need the distances of one row to all rows. The columns are therefore
//! stored in full and scaled, in an order that the caller chooses, and a row is compared with a
//! line of rows at a time. The distance of a pair is a sum over the features in a fixed order, and
//! the sum of a feature over pairs is computed chunk by chunk, so that results do not depend on the
//! number of threads. A value takes 8 bytes.

use std::ops::Range;

use basrelief_kernels::{
    Level, LineRule, RampRule, add_difference_products, add_weighted_differences, level,
};

use super::pairs::{NearestOptions, Neighbor, nearer, share_places};
use crate::data::TOGETHER;
use crate::differences::{Form, MissingPolicy, Ramp, Rule, ScaledBuffers, Space, round};
use crate::error::{Error, Result};
use crate::parallel;
use crate::run::Run;

/// Rows that one call of a kernel processes.
pub(crate) const CHUNK: usize = 256;

/// Columns that are read for several rows before the next columns are: a chunk of them stays in the
/// cache.
const COLUMNS: usize = 128;

/// Number of values from which several threads compute one row's distances.
const PARALLEL: usize = 1 << 16;

/// Scaled columns of a space in an order of rows, ready for any weights.
pub(crate) struct ReweightedRows<'s> {
    space: &'s Space<'s>,
    /// Row of the table at every place.
    order: Vec<u32>,
    /// Columns without missing values, by rule.
    complete: Vec<CompleteColumns>,
    with_missing: Vec<MissingColumn>,
    square: bool,
    level: Level,
}

/// Columns of one rule without missing values.
struct CompleteColumns {
    rule: LineRule,
    features: Vec<usize>,
    values: Vec<Vec<f64>>,
}

/// A column with missing values.
struct MissingColumn {
    rule: LineRule,
    feature: usize,
    values: Vec<f64>,
    /// Places whose value is missing, ascending.
    missing_rows: Vec<u32>,
}

/// Weights arranged for [`ReweightedRows::distances`]; features of weight 0 are excluded.
pub(crate) struct Weighting<'w> {
    complete: Vec<WeightedColumns<'w>>,
    with_missing: Vec<(&'w MissingColumn, f64)>,
    /// Weight of the complete columns, and of all.
    complete_weight: f64,
    total: f64,
}

/// Columns of one rule and their weights.
struct WeightedColumns<'w> {
    rule: LineRule,
    columns: Vec<&'w [f64]>,
    weights: Vec<f64>,
}

/// Sums per feature of coefficients times differences.
#[derive(Debug, Clone)]
pub(crate) struct DifferenceSums {
    /// Per feature of the table.
    pub(crate) sums: Vec<f64>,
    /// Per feature, the coefficients of the pairs that the policy `ignore` excludes.
    pub(crate) skipped: Vec<f64>,
}

/// A row, a line of other rows, and the coefficients of their differences.
pub(crate) struct WeightedLine<'c> {
    /// Place of the row.
    pub(crate) own: usize,
    /// Place of the first of the other rows.
    pub(crate) first: usize,
    /// Coefficients of the other rows; at most [`CHUNK`].
    pub(crate) coefficients: &'c [f64],
    /// Index of the sums to which the differences are added.
    pub(crate) sums: usize,
}

impl DifferenceSums {
    pub(crate) fn new(width: usize) -> Self {
        Self { sums: vec![0.0; width], skipped: vec![0.0; width] }
    }
}

/// Reused memory of one worker.
#[derive(Debug, Default)]
pub(crate) struct LineScratch {
    line: Vec<f64>,
    known: Vec<f64>,
}

impl<'s> ReweightedRows<'s> {
    /// Scales the columns; differences are squared if `square`, regardless of the space's metric.
    ///
    /// # Errors
    /// The metric has no kernels for lines; [`crate::Error::Cancelled`].
    pub(crate) fn new(
        space: &'s Space<'s>,
        order: Vec<u32>,
        square: bool,
        run: &Run,
    ) -> Result<Self> {
        let metric = space.options().metric;
        if !metric.has_kernels() {
            let title = metric.title();
            return Err(Error::Internal(format!("the {title} metric does not weigh features")));
        }
        let mut rows = Self {
            space,
            order,
            complete: Vec::new(),
            with_missing: Vec::new(),
            square,
            level: level(),
        };
        let mut buffers = ScaledBuffers::default();
        let features: Vec<usize> = (0..space.width()).collect();
        for features in features.chunks(TOGETHER) {
            run.check()?;
            let columns = space.copy_scaled_together(features, &mut buffers);
            features.iter().zip(columns).for_each(|(&feature, column)| rows.add(feature, column));
        }
        // The rules have a fixed order, regardless of where in the table each appears first.
        rows.complete.sort_by_key(|columns| match columns.rule {
            LineRule::Ramp(_) | LineRule::RampSquare(_) => 0,
            LineRule::Absolute | LineRule::Square => 1,
            LineRule::Mismatch => 2,
        });
        Ok(rows)
    }

    /// Adds a feature with its scaled values by row of the table.
    fn add(&mut self, index: usize, column: &[f64]) {
        let feature = &self.space.features()[index];
        let Some(rule) = line_rule(feature.rule, self.square) else { return };
        let values: Vec<f64> = self.order.iter().map(|&row| column[row as usize]).collect();
        if !feature.missing_rows().is_empty() {
            let missing_rows = (0..values.len() as u32).filter(|&at| values[at as usize].is_nan());
            let missing_rows = missing_rows.collect();
            self.with_missing.push(MissingColumn { rule, feature: index, values, missing_rows });
            return;
        }
        let at = self.complete.iter().position(|columns| columns.rule == rule);
        let at = at.unwrap_or_else(|| {
            let (features, values) = (Vec::new(), Vec::new());
            self.complete.push(CompleteColumns { rule, features, values });
            self.complete.len() - 1
        });
        self.complete[at].features.push(index);
        self.complete[at].values.push(values);
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.order.len()
    }

    /// Row of the table at every place.
    pub(crate) fn order(&self) -> &[u32] {
        &self.order
    }

    /// Number of features of the table.
    pub(crate) fn width(&self) -> usize {
        self.space.width()
    }

    fn ignores_gaps(&self) -> bool {
        !self.with_missing.is_empty() && self.space.options().missing == MissingPolicy::Ignore
    }

    /// Arranges non-negative weights, one per feature of the table.
    pub(crate) fn weighting(&self, weights: &[f64]) -> Weighting<'_> {
        let mut complete_weight = 0.0;
        let complete = self
            .complete
            .iter()
            .map(|columns| {
                let (mut used, mut used_weights) = (Vec::new(), Vec::new());
                for (&feature, values) in columns.features.iter().zip(&columns.values) {
                    if weights[feature] > 0.0 {
                        used.push(values.as_slice());
                        used_weights.push(weights[feature]);
                        complete_weight += weights[feature];
                    }
                }
                WeightedColumns { rule: columns.rule, columns: used, weights: used_weights }
            })
            .collect();
        let with_missing: Vec<_> = self
            .with_missing
            .iter()
            .map(|column| (column, weights[column.feature]))
            .filter(|(_, weight)| *weight > 0.0)
            .collect();
        let total = with_missing.iter().fold(complete_weight, |sum, (_, weight)| sum + weight);
        Weighting { complete, with_missing, complete_weight, total }
    }

    /// Replaces every line by the weighted sums of differences from one row to the rows from place
    /// `first` on, one per element and at most [`CHUNK`]. The first line is for the row at place
    /// `own`, the next for the row after it, and so on.
    ///
    /// Under the policy `ignore`, a sum over the features known in both rows is scaled to the
    /// weight of all features; rows without a known weighted feature in common are infinitely far.
    pub(crate) fn distances(
        &self,
        weighting: &Weighting<'_>,
        own: usize,
        first: usize,
        scratch: &mut LineScratch,
        lines: &mut [&mut [f64]],
    ) {
        lines.iter_mut().for_each(|out| out.fill(0.0));
        for WeightedColumns { rule, columns, weights } in &weighting.complete {
            for (columns, weights) in columns.chunks(COLUMNS).zip(weights.chunks(COLUMNS)) {
                for (own, out) in (own..).zip(lines.iter_mut()) {
                    add_weighted_differences(self.level, *rule, columns, weights, own, first, out);
                }
            }
        }
        if !self.with_missing.is_empty() {
            for (own, out) in (own..).zip(lines.iter_mut()) {
                self.add_gappy_distances(weighting, own, first, scratch, out);
            }
        }
    }

    /// Replaces `lines` by the [distances](Self::distances) of `count` rows, from place `first` on, to the rows at the first
    /// `others` places: a line of this length for each.
    pub(crate) fn distances_of_rows(
        &self,
        weighting: &Weighting<'_>,
        (first, count): (usize, usize),
        others: usize,
        scratch: &mut LineScratch,
        lines: &mut Vec<f64>,
    ) {
        lines.resize(count * others, 0.0);
        for chunk in (0..others).step_by(CHUNK) {
            let end = (chunk + CHUNK).min(others);
            let mut parts: Vec<&mut [f64]> =
                lines.chunks_mut(others).map(|line| &mut line[chunk..end]).collect();
            self.distances(weighting, first, chunk, scratch, &mut parts);
        }
    }

    /// Adds the contributions of the columns with missing values to one line of distances, and
    /// scales the line under the policy `ignore`.
    fn add_gappy_distances(
        &self,
        weighting: &Weighting<'_>,
        own: usize,
        first: usize,
        scratch: &mut LineScratch,
        out: &mut [f64],
    ) {
        let places = first..first + out.len();
        let ignore = self.ignores_gaps();
        if ignore {
            scratch.known.clear();
            scratch.known.resize(out.len(), weighting.complete_weight);
        }
        for &(column, weight) in &weighting.with_missing {
            if !self.gappy_line(column, own, places.clone(), &mut scratch.line) {
                continue;
            }
            for (sum, difference) in out.iter_mut().zip(&scratch.line) {
                *sum += weight * difference;
            }
            if ignore {
                let values = &column.values[places.clone()];
                for (known, value) in scratch.known.iter_mut().zip(values) {
                    *known += if value.is_nan() { 0.0 } else { weight };
                }
            }
        }
        if ignore {
            for (sum, &known) in out.iter_mut().zip(&scratch.known) {
                let scaled = *sum / known * weighting.total;
                *sum = if known > 0.0 { scaled } else { f64::INFINITY };
            }
        }
    }

    /// Adds, for every feature, the coefficients times the differences of every line to the line's
    /// sums, one line after the other.
    pub(crate) fn add_differences(
        &self,
        lines: &[WeightedLine<'_>],
        scratch: &mut LineScratch,
        sums: &mut [DifferenceSums],
    ) {
        let counts = |line: &&WeightedLine<'_>| line.coefficients.iter().any(|value| *value != 0.0);
        let lines: Vec<_> = lines.iter().filter(counts).collect();
        for CompleteColumns { rule, features, values } in &self.complete {
            for (features, values) in features.chunks(COLUMNS).zip(values.chunks(COLUMNS)) {
                let columns: Vec<&[f64]> = values.iter().map(Vec::as_slice).collect();
                for &&WeightedLine { own, first, coefficients, sums: place } in &lines {
                    let mut own_sums = [0.0; COLUMNS];
                    let own_sums = &mut own_sums[..columns.len()];
                    let (level, rule) = (self.level, *rule);
                    add_difference_products(
                        level,
                        rule,
                        &columns,
                        coefficients,
                        own,
                        first,
                        own_sums,
                    );
                    for (&feature, sum) in features.iter().zip(own_sums) {
                        sums[place].sums[feature] += *sum;
                    }
                }
            }
        }
        for line in lines {
            self.add_gappy_differences(line, scratch, &mut sums[line.sums]);
        }
    }

    /// Adds the coefficients times the differences of one line in the columns with missing values.
    fn add_gappy_differences(
        &self,
        line: &WeightedLine<'_>,
        scratch: &mut LineScratch,
        sums: &mut DifferenceSums,
    ) {
        let &WeightedLine { own, first, coefficients, .. } = line;
        let places = first..first + coefficients.len();
        let ignore = self.ignores_gaps();
        for column in &self.with_missing {
            if !self.gappy_line(column, own, places.clone(), &mut scratch.line) {
                sums.skipped[column.feature] += coefficients.iter().sum::<f64>();
                continue;
            }
            let pairs = coefficients.iter().zip(&scratch.line);
            sums.sums[column.feature] += pairs.map(|(c, d)| c * d).sum::<f64>();
            if ignore {
                let skipped = gaps_within(&column.missing_rows, places.clone())
                    .iter()
                    .map(|&gap| coefficients[gap as usize - first]);
                sums.skipped[column.feature] += skipped.sum::<f64>();
            }
        }
    }

    /// Computes the differences of one feature with missing values; 0 for an excluded pair. Returns
    /// `false` if all pairs are excluded, because the row's own value is missing and the policy is
    /// to ignore it.
    fn gappy_line(
        &self,
        column: &MissingColumn,
        own: usize,
        places: Range<usize>,
        line: &mut Vec<f64>,
    ) -> bool {
        line.clear();
        line.resize(places.len(), 0.0);
        let squared = |value: f64| match column.rule {
            LineRule::Square | LineRule::RampSquare(_) => value * value,
            // An expected mismatch is a probability, so that its square may differ from it.
            LineRule::Mismatch if self.square => value * value,
            _ => value,
        };
        let table = self.space.features()[column.feature].table();
        let row = self.order[own] as usize;
        if column.values[own].is_nan() {
            let Some(table) = table else { return false };
            let differences = table.by_case(self.space.class(row));
            for (value, place) in line.iter_mut().zip(places) {
                *value = squared(differences[table.case(self.order[place] as usize)]);
            }
            return true;
        }
        let values: &[f64] = &column.values;
        add_weighted_differences(
            self.level,
            column.rule,
            &[values],
            &[1.0],
            own,
            places.start,
            line,
        );
        for &gap in gaps_within(&column.missing_rows, places.clone()) {
            let class = self.space.class(self.order[gap as usize] as usize);
            line[gap as usize - places.start] =
                table.map_or(0.0, |table| squared(table.difference(class, row)));
        }
        true
    }

    /// Whether several threads should compute one row's distances.
    pub(crate) fn is_large(&self) -> bool {
        self.len() * self.width() >= PARALLEL
    }

    /// Replaces `out` by the distances from the row at place `own` to all rows, itself included.
    ///
    /// The threads of the current pool share the work if there are many values.
    pub(crate) fn line(
        &self,
        weighting: &Weighting<'_>,
        own: usize,
        scratch: &mut LineScratch,
        out: &mut Vec<f64>,
    ) {
        out.resize(self.len(), 0.0);
        let fill = |scratch: &mut LineScratch, (index, part): (usize, &mut [f64])| {
            self.distances(weighting, own, index * CHUNK, scratch, &mut [part]);
        };
        if self.is_large() {
            parallel::for_each_with(out.chunks_mut(CHUNK).enumerate(), fill);
        } else {
            out.chunks_mut(CHUNK).enumerate().for_each(|part| fill(scratch, part));
        }
    }

    /// As [`ReweightedRows::line`], rounded so that sums that differ only by rounding are tied.
    pub(crate) fn tied_distances(
        &self,
        weighting: &Weighting<'_>,
        own: usize,
        scratch: &mut LineScratch,
        out: &mut Vec<f64>,
    ) {
        self.line(weighting, own, scratch, out);
        out.iter_mut().for_each(|distance| *distance = round(*distance));
    }

    /// Replaces `found` by the weighted nearest of the rows at `places`, given the distances of all
    /// rows from the row at place `own`, which is excluded.
    pub(crate) fn nearest(
        &self,
        distances: &[f64],
        own: usize,
        places: impl Iterator<Item = usize>,
        options: NearestOptions,
        candidates: &mut Vec<(f64, u32)>,
        found: &mut Vec<Neighbor>,
    ) {
        candidates.clear();
        candidates.extend(
            places
                .filter(|&place| place != own && distances[place].is_finite())
                .map(|place| (distances[place], self.order[place])),
        );
        if candidates.len() > options.k {
            candidates.select_nth_unstable_by(options.k - 1, nearer);
            let limit = candidates[options.k - 1].0;
            candidates.retain(|candidate| candidate.0 <= limit);
        }
        candidates.sort_unstable_by(nearer);
        share_places(candidates, options, None, found);
    }
}

/// The places with missing values among some places.
fn gaps_within(missing_rows: &[u32], places: Range<usize>) -> &[u32] {
    let from = missing_rows.partition_point(|&gap| (gap as usize) < places.start);
    let to = missing_rows.partition_point(|&gap| (gap as usize) < places.end);
    &missing_rows[from..to]
}

/// The kernel of a difference, squared or not; `None` if rows do not differ or no kernel exists.
fn line_rule(rule: Rule, square: bool) -> Option<LineRule> {
    let on_ramp = |ramp: Ramp| RampRule { equal: ramp.equal(), different: ramp.different() };
    Some(match (rule.form(), square) {
        (Form::Nothing | Form::Any, _) => return None,
        (Form::Mismatch, _) => LineRule::Mismatch,
        (Form::Ramped(ramp), false) => LineRule::Ramp(on_ramp(ramp)),
        (Form::Ramped(ramp), true) => LineRule::RampSquare(on_ramp(ramp)),
        (Form::Absolute, false) => LineRule::Absolute,
        (Form::Absolute, true) => LineRule::Square,
    })
}
