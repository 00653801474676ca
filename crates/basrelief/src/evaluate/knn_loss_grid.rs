//! Computes the losses of k-NN for many numbers of coordinates and of neighbors at once.

use super::concordance::ComparablePairs;
use crate::data::{DenseMatrix, Survival, Target};
use crate::differences::Metric;
use crate::error::Result;
use crate::knn::{ExactKnn, Vote, VoteWeights};
use crate::neighbors::{KLeast, RankedDistance, inverse_unit};
use crate::parallel;
use crate::run::Run;

/// Rows that one task tests.
const ROWS_PER_TASK: usize = 16;

/// A metric of coordinates.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WeighedMetric<'w> {
    pub(crate) metric: Metric,
    /// The weight of every coordinate; empty if all have the same weight.
    pub(crate) weights: &'w [f64],
}

/// Coordinates of some of the target's rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowCoordinates<'a> {
    pub(crate) coordinates: &'a DenseMatrix,
    /// The indices of these rows in the target.
    pub(crate) rows: &'a [usize],
}

/// The target, and the weights of its rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WeightedTarget<'a> {
    pub(crate) target: &'a Target,
    /// A row of weight w takes w of the k places among neighbors, and its loss counts w times; `None` if all weights are
    /// 1.
    pub(crate) weights: Option<&'a [f64]>,
    /// The rows from which the weights of pairs of survival times are estimated ([`ComparablePairs`]); without them, all
    /// comparable pairs count equally.
    pub(crate) censoring: Option<&'a Survival>,
}

impl WeightedTarget<'_> {
    /// The pairs of rows over which the losses of survival times are summed; `None` for other targets, whose losses are
    /// sums over rows.
    fn pairs(&self) -> Option<ComparablePairs<'_>> {
        let survival = self.target.as_survival()?;
        Some(ComparablePairs { survival, weights: self.weights, censoring: self.censoring })
    }

    /// What the sums of the losses of rows are divided by to get a mean: their number or weight, or the weight of their
    /// comparable pairs.
    pub(crate) fn total_weight(&self, rows: &[usize]) -> f64 {
        match self.pairs() {
            Some(pairs) => pairs.discordant(rows, &vec![0.0; rows.len()])[1],
            None => rows.iter().map(|&row| self.weights.map_or(1.0, |weights| weights[row])).sum(),
        }
    }

    /// The number of nearest rows among which k places are taken, whichever rows they are.
    fn most_neighbors(&self, known: &[usize], k: usize) -> usize {
        let Some(weights) = self.weights else { return k.min(known.len()) };
        let mut all: Vec<f64> = known.iter().map(|&row| weights[row]).collect();
        all.sort_unstable_by(f64::total_cmp);
        let mut taken = 0.0;
        let is_open = |weight: &f64| {
            let is_open = taken < k as f64;
            taken += weight;
            is_open
        };
        all.into_iter().take_while(is_open).count()
    }

    /// Adds the losses of the predictions from the rows at the first `counts` places; `found` are a row's neighbors,
    /// the nearest first.
    fn add_losses(
        &self,
        vote: &mut Vote<'_>,
        found: impl Iterator<Item = (f64, usize)> + Clone,
        counts: &[usize],
        truth: usize,
        sums: &mut [f64],
    ) {
        let Some(weights) = self.weights else {
            return add(vote, found, counts, truth, sums);
        };
        for (&count, sum) in counts.iter().zip(sums) {
            vote.clear();
            let mut places = count as f64;
            for (distance, row) in found.clone() {
                vote.add_votes(row, distance, weights[row].min(places));
                places -= weights[row];
                if places <= 0.0 {
                    break;
                }
            }
            let weight = if self.pairs().is_some() { 1.0 } else { weights[truth] };
            *sum += weight * vote.loss(truth);
        }
    }
}

/// Returns the sums of the losses of the predictions ([`Vote::loss`]; of survival times the weight of discordant pairs)
/// over the tested rows, for every rung of
/// `columns` (numbers of leading coordinates, ascending) and every number of neighbors in `counts` (ascending, at
/// least one; if larger than the number of known rows, all of these are neighbors). Without any coordinate, all known
/// rows are neighbors. A row of weight w counts as w rows.
///
/// Distances are bitwise equal to those of [`ExactKnn`]: coordinates are added to them one after the other. The
/// difference to a missing coordinate (NaN) is the expected difference ([`Expected`]).
pub(crate) fn losses(
    target: WeightedTarget<'_>,
    known: RowCoordinates<'_>,
    tested: RowCoordinates<'_>,
    columns: &[usize],
    counts: &[usize],
    metric: WeighedMetric<'_>,
    run: &Run,
) -> Result<Vec<f64>> {
    let WeighedMetric { metric, weights } = metric;
    let places: Vec<usize> = (0..tested.coordinates.rows()).collect();
    let pairs = target.pairs();
    // The sums of one row are its predictions where losses are those of pairs.
    let rows_per_task = if pairs.is_some() { 1 } else { ROWS_PER_TASK };
    let blocks: Vec<Vec<f64>> = if let [width] = columns
        && *width == known.coordinates.columns()
        && *width > 0
        && weights.is_empty()
        && !has_gaps(known.coordinates)
        && !has_gaps(tested.coordinates)
    {
        let index = ExactKnn::new(known.coordinates, metric);
        let most = target.most_neighbors(known.rows, counts[counts.len() - 1]);
        let nearest = index.nearest(tested.coordinates, most, &run.part(run.seed()))?;
        let one = |block: &[usize]| {
            let mut sums = vec![0.0; counts.len()];
            let mut vote = Vote::new(target.target, VoteWeights::Uniform);
            for &place in block {
                let (rows, distances) = nearest.neighbors(place);
                let found =
                    distances.iter().zip(rows).map(|(d, &row)| (*d, known.rows[row as usize]));
                target.add_losses(&mut vote, found, counts, tested.rows[place], &mut sums);
            }
            sums
        };
        places.chunks(rows_per_task).map(one).collect()
    } else {
        let turned = known.coordinates.transposed();
        let unit = match metric.is_euclidean() {
            true => inverse_unit(known.coordinates),
            false => 1.0,
        };
        let masses: Option<Vec<f64>> =
            target.weights.map(|all| known.rows.iter().map(|&row| all[row]).collect());
        let gaps = Gaps::new(&turned, tested.coordinates, masses.as_deref(), metric, unit);
        let ladder =
            Ladder { target, known, turned, gaps, tested, columns, counts, metric, weights, unit };
        let one = |block: &[usize]| {
            run.check()?;
            Ok(ladder.climb(block))
        };
        run.install(|| parallel::try_map(places.chunks(rows_per_task), one))?
    };
    if let Some(pairs) = pairs {
        let discordant = |place: usize| {
            let predictions: Vec<f64> = blocks.iter().map(|of_row| of_row[place]).collect();
            pairs.discordant(tested.rows, &predictions)[0]
        };
        return Ok((0..columns.len() * counts.len()).map(discordant).collect());
    }
    let mut sums = vec![0.0; columns.len() * counts.len()];
    for block in blocks {
        sums.iter_mut().zip(block).for_each(|(sum, value)| *sum += value);
    }
    Ok(sums)
}

fn has_gaps(coordinates: &DenseMatrix) -> bool {
    coordinates.values().iter().any(|value| value.is_nan())
}

/// The expected contribution of a coordinate to a distance if it is missing in one or both of two rows: the mean over
/// the known rows in which it is not missing. The mean is over all classes, because the class of a tested row is
/// unknown. For categories, each of which is one coordinate, the sum is the probability of another category.
#[derive(Debug)]
struct Expected {
    /// The known values in the units of the sums, ascending, and the cumulative sums of their weights and of their
    /// weighted values.
    sorted: Vec<f64>,
    weights: Vec<f64>,
    sums: Vec<f64>,
    mean: f64,
    variance: f64,
    metric: Metric,
    /// From every known row to a row in which the coordinate is missing. If it is missing in the known row too, from
    /// one missing value to another.
    to_gap: Vec<f64>,
}

impl Expected {
    /// `masses` are the weights of the rows, or `None` if all are 1.
    fn new(values: &[f64], masses: Option<&[f64]>, metric: Metric, unit: f64) -> Self {
        let mass = |row: usize| masses.map_or(1.0, |masses| masses[row]);
        let known = values.iter().enumerate().filter(|(_, value)| !value.is_nan());
        let mut known: Vec<(f64, f64)> =
            known.map(|(row, value)| (value * unit, mass(row))).collect();
        known.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut weights, mut sums) = (Vec::new(), Vec::new());
        let (mut weight, mut sum) = (0.0, 0.0);
        for (value, mass) in &known {
            weight += mass;
            sum += mass * value;
            weights.push(weight);
            sums.push(sum);
        }
        let count = if known.is_empty() { 1.0 } else { weight };
        let mean = sum / count;
        let square = |(value, mass): &(f64, f64)| mass * (value - mean).powi(2);
        let variance = known.iter().map(square).sum::<f64>() / count;
        let sorted = known.iter().map(|(value, _)| *value).collect();
        let to_gap = Vec::new();
        let mut expected = Self { sorted, weights, sums, mean, variance, metric, to_gap };
        let from_known = |(value, mass): &(f64, f64)| mass * expected.from(*value);
        let between = known.iter().map(from_known).sum::<f64>() / count;
        let of = |value: &f64| if value.is_nan() { between } else { expected.from(value * unit) };
        let to_gap: Vec<f64> = values.iter().map(of).collect();
        expected.to_gap = to_gap;
        expected
    }

    /// From a value, in the units of the sums, to a row in which the coordinate is missing.
    fn from(&self, value: f64) -> f64 {
        let count = self.sorted.len();
        if count == 0 {
            return 0.0;
        }
        if self.metric.is_euclidean() {
            return (value - self.mean).powi(2) + self.variance;
        }
        if self.metric.takes_numbers_as_they_are() {
            // The differences have to be computed one by one.
            let mut differences = vec![0.0; count];
            self.metric.join_coordinates(value, &self.sorted, (1.0, 1.0), &mut differences);
            let mut before = 0.0;
            let weighted = |(difference, weight): (&f64, &f64)| {
                let mass = weight - before;
                before = *weight;
                mass * difference
            };
            let sum: f64 = differences.iter().zip(&self.weights).map(weighted).sum();
            return sum / self.weights[count - 1];
        }
        let below = self.sorted.partition_point(|other| *other <= value);
        let (weight_below, sum_below) = match below {
            0 => (0.0, 0.0),
            below => (self.weights[below - 1], self.sums[below - 1]),
        };
        let (weight, above) = (self.weights[count - 1], self.sums[count - 1] - sum_below);
        let total = value * weight_below - sum_below + above - value * (weight - weight_below);
        total.max(0.0) / weight
    }
}

/// [`Expected`] of every coordinate that is missing in some row.
struct Gaps(Vec<Option<Expected>>);

impl Gaps {
    fn new(
        turned: &DenseMatrix,
        tested: &DenseMatrix,
        masses: Option<&[f64]>,
        metric: Metric,
        unit: f64,
    ) -> Self {
        let lacking = |column: usize| {
            turned.row(column).iter().any(|value| value.is_nan())
                || tested.iter().any(|row| row[column].is_nan())
        };
        let one = |column: usize| {
            lacking(column).then(|| Expected::new(turned.row(column), masses, metric, unit))
        };
        Self((0..turned.rows()).map(one).collect())
    }
}

/// Distances to which coordinates are added one by one.
struct Ladder<'l> {
    target: WeightedTarget<'l>,
    known: RowCoordinates<'l>,
    /// The transposed coordinates of the known rows.
    turned: DenseMatrix,
    gaps: Gaps,
    tested: RowCoordinates<'l>,
    columns: &'l [usize],
    counts: &'l [usize],
    metric: Metric,
    weights: &'l [f64],
    /// The factor of the coordinates.
    unit: f64,
}

impl Ladder<'_> {
    /// The losses of a block of rows.
    fn climb(&self, block: &[usize]) -> Vec<f64> {
        let Self { known, tested, columns, counts, .. } = self;
        let rows = known.coordinates.rows();
        let most = self.target.most_neighbors(known.rows, counts[counts.len() - 1]);
        let mut sums = vec![0.0; columns.len() * counts.len()];
        let mut vote = Vote::new(self.target.target, VoteWeights::Uniform);
        let mut least = KLeast::<RankedDistance>::new(1, most, &[rows]);
        let mut nearest = Vec::with_capacity(most);
        let mut distances = vec![0.0; rows];
        for &place in block {
            distances.fill(0.0);
            let own = tested.coordinates.row(place);
            let mut column = 0;
            for (&width, sums) in columns.iter().zip(sums.chunks_mut(counts.len())) {
                (column..width).for_each(|column| self.join(column, own[column], &mut distances));
                column = column.max(width);
                if width == 0 {
                    let all = known.rows.iter().map(|&row| (0.0, row));
                    let (counts, truth) = (vec![usize::MAX; counts.len()], tested.rows[place]);
                    self.target.add_losses(&mut vote, all, &counts, truth, sums);
                    continue;
                }
                nearest.clear();
                nearest.extend_from_slice(least.line(&distances));
                nearest.sort_unstable_by(RankedDistance::compare);
                let found = nearest.iter().map(|near| {
                    let distance = self.metric.fold().distance(near.distance) / self.unit;
                    (distance, known.rows[near.row as usize])
                });
                self.target.add_losses(&mut vote, found, counts, tested.rows[place], sums);
            }
        }
        sums
    }

    /// Adds a coordinate to the distances to all known rows.
    fn join(&self, column: usize, own: f64, distances: &mut [f64]) {
        let weight = self.weights.get(column).copied().unwrap_or(1.0);
        let values = self.turned.row(column);
        let Some(expected) = &self.gaps.0[column] else {
            return self.metric.join_coordinates(own, values, (self.unit, weight), distances);
        };
        let fold = self.metric.fold();
        if own.is_nan() {
            let lines = distances.iter_mut().zip(&expected.to_gap);
            return lines.for_each(|(total, add)| *total = fold.joined(*total, weight * add));
        }
        let from_own = expected.from(own * self.unit);
        for (total, value) in distances.iter_mut().zip(values) {
            if value.is_nan() {
                *total = fold.joined(*total, weight * from_own);
            } else {
                let (unit, total) = ((self.unit, weight), std::slice::from_mut(total));
                self.metric.join_coordinates(own, &[*value], unit, total);
            }
        }
    }
}

/// Adds the losses of the predictions of the first `counts` neighbors.
fn add(
    vote: &mut Vote<'_>,
    found: impl Iterator<Item = (f64, usize)>,
    counts: &[usize],
    truth: usize,
    sums: &mut [f64],
) {
    vote.clear();
    let mut rung = 0;
    for (neighbors, (distance, row)) in (1..).zip(found) {
        vote.add(row, distance);
        while rung < counts.len() && counts[rung] == neighbors {
            sums[rung] += vote.loss(truth);
            rung += 1;
        }
    }
    sums[rung..].iter_mut().for_each(|sum| *sum += vote.loss(truth));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Classes;

    #[test]
    fn the_expected_difference_is_the_mean_over_the_known_values() {
        let values = [3.0, f64::NAN, -1.0, 4.0, 4.0, f64::NAN];
        let known = [3.0, -1.0, 4.0, 4.0];
        for metric in Metric::ALL {
            let step = |a: f64, b: f64| match metric {
                Metric::Manhattan | Metric::Chebyshev => (a - b).abs(),
                Metric::Euclidean => (a - b) * (a - b),
                Metric::Canberra => (a - b).abs() / (a.abs() + b.abs()).max(1e-300),
            };
            let mean = |value: f64| known.iter().map(|&x| step(value, x)).sum::<f64>() / 4.0;
            let expected = Expected::new(&values, None, metric, 1.0);
            for value in [-2.0, -1.0, 0.5, 4.0, 9.0] {
                assert!((expected.from(value) - mean(value)).abs() < 1e-12, "{metric:?} {value}");
            }
            let between = known.iter().map(|&x| mean(x)).sum::<f64>() / 4.0;
            assert!((expected.to_gap[1] - between).abs() < 1e-12);
            assert!((expected.to_gap[3] - mean(4.0)).abs() < 1e-12);
        }
        let nothing = Expected::new(&[f64::NAN; 2], None, Metric::Manhattan, 1.0);
        assert_eq!((nothing.from(3.0), nothing.to_gap[0]), (0.0, 0.0));
    }

    fn plain(metric: Metric) -> WeighedMetric<'static> {
        WeighedMetric { metric, weights: &[] }
    }

    #[test]
    fn rungs_are_the_searches_one_by_one() {
        let number = |k: usize| ((k * 7919 + 13) % 1009) as f64 / 504.0 - 1.0;
        let known = DenseMatrix::new((0..60 * 4).map(number).collect(), 60, 4);
        let tested = DenseMatrix::new((0..40 * 4).map(|k| number(k + 500)).collect(), 40, 4);
        let run = Run::new(Some(2)).unwrap();
        let labels: Vec<String> = (0..100).map(|row| (row * 7 % 3).to_string()).collect();
        let targets = [
            Target::Classes(Classes::from_labels(&labels)),
            Target::Real((0..100).map(|row| number(row * 3)).collect()),
        ];
        let (own, held): (Vec<usize>, Vec<usize>) = ((0..60).collect(), (60..100).collect());
        for target in &targets {
            let target = WeightedTarget { target, weights: None, censoring: None };
            for metric in Metric::ALL {
                let (columns, counts) = ([0, 1, 3, 4], [1, 4, 60, 99]);
                let all = RowCoordinates { coordinates: &known, rows: &own };
                let test = RowCoordinates { coordinates: &tested, rows: &held };
                let found =
                    losses(target, all, test, &columns, &counts, plain(metric), &run).unwrap();
                // All rows are neighbors for every number of neighbors. Distances decide tied votes of classes.
                if matches!(target.target, Target::Real(_)) {
                    // The values are added in two orders.
                    let same = |loss: &f64| (loss - found[7]).abs() < 1e-12 * found[7];
                    assert!(found[..4].iter().all(same), "{found:?}");
                }
                for (rung, &width) in columns.iter().enumerate().skip(1) {
                    let cut = |rows: &DenseMatrix| {
                        let values = rows.iter().flat_map(|row| row[..width].to_vec()).collect();
                        DenseMatrix::new(values, rows.rows(), width)
                    };
                    let (known, tested) = (cut(&known), cut(&tested));
                    let all = RowCoordinates { coordinates: &known, rows: &own };
                    let test = RowCoordinates { coordinates: &tested, rows: &held };
                    let alone = losses(target, all, test, &[width], &counts, plain(metric), &run);
                    assert_eq!(found[rung * 4..][..4], alone.unwrap(), "{metric:?} {width}");
                }
            }
        }
    }
}
