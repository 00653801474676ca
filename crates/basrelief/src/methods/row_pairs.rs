//! Pairs of rows that should be near each other or far apart, drawn from the classes.

use std::collections::HashSet;
use std::str::FromStr;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::learn::{Coordinates, Directions, Frame, Learn};
use super::row_pair::RowPair;
use super::task::Task;
use crate::algebra::{Eigen, column_products, gram, symmetric_eigen};
use crate::data::{Classes, DenseMatrix};
use crate::differences::Metric;
use crate::error::{Error, Result};
use crate::options::{OptionInfo, OptionKind, choices};
use crate::random::{RandomStream, generator};
use crate::report::Report;
use crate::run::Run;

/// Pairs of each kind per squared number of classes (Davis et al. 2007, section 5).
const PER_SQUARED_CLASSES: usize = 20;

/// `n_constraints`: the number of pairs drawn.
pub(super) static N_CONSTRAINTS: OptionInfo = OptionInfo {
    name: "n_constraints",
    flag: "constraints",
    kind: OptionKind::Text {
        grammar: "auto|all|N",
        check: |text| text.parse::<PairCount>().map(drop),
    },
    default: "auto",
    help: "Number of pairs of rows of the same class, and of different classes, drawn by the seed; \
           auto: 20 times the squared number of classes",
};

choices! {
    Prior {
        Identity = "identity",
        Covariance = "covariance",
    }
}

/// `prior` of `itml` and `sdml`: the metric to which the learned metric stays close.
pub(super) static PRIOR: OptionInfo = OptionInfo {
    name: "prior",
    flag: "prior",
    kind: OptionKind::Choice(Prior::WORDS),
    default: "identity",
    help: "Metric to which the learned one stays close: Euclidean, or the inverse covariance of the rows",
};

/// The metric to which the learned metric stays close.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Prior {
    /// The Euclidean metric.
    #[default]
    Identity,
    /// The Mahalanobis metric: the inverse of the covariance of the rows (over n).
    Covariance,
}

impl Prior {
    /// The inverse of the metric's matrix, for some columns of the coordinates.
    ///
    /// # Errors
    /// A given metric is singular; [`Error::Cancelled`].
    pub(super) fn inverse(
        self,
        values: &DenseMatrix,
        given: Option<&DenseMatrix>,
        run: &Run,
    ) -> Result<DenseMatrix> {
        if let Some(map) = given {
            return inverse_metric(map, run);
        }
        match self {
            Prior::Identity => Ok(DenseMatrix::identity(values.columns())),
            Prior::Covariance => {
                let mut covariance = gram(values, run)?;
                let rows = values.rows() as f64;
                covariance.values_mut().iter_mut().for_each(|entry| *entry /= rows);
                Ok(covariance)
            }
        }
    }

    /// A map whose Euclidean distances are those of the metric: the given one, if there is one. Directions in which
    /// the rows do not differ are excluded from the inverse covariance.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(super) fn map(self, coordinates: &Coordinates<'_>, run: &Run) -> Result<DenseMatrix> {
        match coordinates.start() {
            Some(given) => Ok(given.clone()),
            None => self.map_of(coordinates.values(), run),
        }
    }

    /// As [`map`](Self::map), of rows alone.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(super) fn map_of(self, values: &DenseMatrix, run: &Run) -> Result<DenseMatrix> {
        if self == Prior::Identity {
            return Ok(DenseMatrix::identity(values.columns()));
        }
        let Eigen { values: spreads, mut vectors } =
            symmetric_eigen(&self.inverse(values, None, run)?, run)?;
        let least = spreads.first().map_or(0.0, |most| most * f64::EPSILON * spreads.len() as f64);
        vectors.truncate(spreads.iter().take_while(|&&spread| spread > least).count());
        for (row, spread) in spreads.iter().enumerate().take(vectors.rows()) {
            vectors.row_mut(row).iter_mut().for_each(|entry| *entry /= spread.sqrt());
        }
        Ok(vectors)
    }
}

/// The inverse of the metric of a map.
///
/// # Errors
/// The metric is singular; [`Error::Cancelled`].
fn inverse_metric(map: &DenseMatrix, run: &Run) -> Result<DenseMatrix> {
    let Eigen { values: lengths, vectors } =
        symmetric_eigen(&column_products(map, map, run)?, run)?;
    let least = lengths.first().map_or(0.0, |most| most * f64::EPSILON * lengths.len() as f64);
    if lengths.iter().any(|length| *length <= least) {
        return Err(Error::option(
            "prior",
            "the given metric is singular",
            "provide a positive definite matrix",
        ));
    }
    let mut scaled = vectors.clone();
    for (row, length) in lengths.iter().enumerate() {
        scaled.row_mut(row).iter_mut().for_each(|entry| *entry /= length);
    }
    column_products(&vectors, &scaled, run)
}

/// The number of pairs of each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PairCount {
    /// 20 times the squared number of classes, or all pairs if there are fewer.
    #[default]
    Auto,
    /// All pairs.
    All,
    /// This number, or all pairs if there are fewer.
    Some(usize),
}

impl FromStr for PairCount {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match (text, text.parse::<usize>()) {
            ("auto", _) => Ok(Self::Auto),
            ("all", _) => Ok(Self::All),
            (_, Ok(0)) => Err("at least 1 pair is required".to_string()),
            (_, Ok(count)) => Ok(Self::Some(count)),
            (_, Err(_)) => Err(format!("`{text}` is not `auto`, `all` or a whole number")),
        }
    }
}

/// A method that learns from pairs of rows.
pub(super) trait LearnFromPairs: Learn {
    /// As [`Learn::learn`], from the given pairs.
    fn learn_from(
        &self,
        coordinates: &Coordinates<'_>,
        pairs: &[RowPair],
        report: &mut Report,
        run: &Run,
    ) -> Result<Directions>;
}

/// A method with the pairs from which it learns.
pub(super) struct OfPairs<M> {
    pub(super) method: M,
    pub(super) pairs: Vec<RowPair>,
}

impl<M: LearnFromPairs> Learn for OfPairs<M> {
    fn name(&self) -> &'static str {
        self.method.name()
    }

    fn task(&self) -> Option<Task> {
        None
    }

    fn takes_start(&self) -> bool {
        self.method.takes_start()
    }

    fn frame(&self) -> Frame {
        self.method.frame()
    }

    fn row_metric(&self) -> Metric {
        self.method.row_metric()
    }

    fn learn(
        &self,
        coordinates: &Coordinates<'_>,
        _components: usize,
        report: &mut Report,
        run: &Run,
    ) -> Result<Directions> {
        self.method.learn_from(coordinates, &self.pairs, report, run)
    }
}

/// Draws pairs of rows of the classes of the coordinates ([`draw_pairs`]).
///
/// # Errors
/// The errors of [`draw_pairs`].
pub(super) fn drawn(
    coordinates: &Coordinates<'_>,
    count: PairCount,
    run: &Run,
) -> Result<Vec<RowPair>> {
    draw_pairs(coordinates.classes()?, count, run)
}

/// Draws pairs of rows of the same class (near) and of different classes (far) by the seed of the run, without
/// repetition, sorted by their rows.
///
/// ```
/// use basrelief::Run;
/// use basrelief::data::Classes;
/// use basrelief::methods::{PairCount, draw_pairs};
///
/// let classes = Classes::from_labels(&["a", "b", "a", "b", "a"]);
/// let pairs = draw_pairs(&classes, PairCount::Some(3), &Run::new(None)?)?;
/// assert_eq!(pairs.iter().filter(|pair| pair.alike).count(), 3);
/// # Ok::<(), basrelief::Error>(())
/// ```
///
/// # Errors
/// The pairs do not fit into memory; no class has two rows.
pub fn draw_pairs(classes: &Classes, count: PairCount, run: &Run) -> Result<Vec<RowPair>> {
    let members = classes.members();
    let wanted = match count {
        PairCount::All => usize::MAX,
        PairCount::Some(count) => count,
        PairCount::Auto => PER_SQUARED_CLASSES * classes.len() * classes.len(),
    };
    let mut generator = generator(run.seed(), RandomStream::RowPairs);
    let mut pairs = Vec::new();
    for alike in [true, false] {
        run.check()?;
        let there = count_of(classes, alike);
        let wanted = (wanted as u64).min(there);
        // A pair and its entry in the set of pairs.
        run.memory().claim(
            wanted.saturating_mul(64),
            &format!("{wanted} pairs of rows"),
            "use fewer pairs",
        )?;
        if wanted > there / 2 {
            let mut all = all_pairs(classes, alike);
            for place in 0..wanted as usize {
                let other = generator.random_range(place as u64..all.len() as u64);
                all.swap(place, other as usize);
            }
            all.truncate(wanted as usize);
            pairs.extend(all);
        } else {
            pairs.extend(some_pairs(&members, classes, alike, wanted as usize, &mut generator));
        }
    }
    if !pairs.iter().any(|pair| pair.alike) {
        return Err(Error::data(
            "every class has only one row",
            "provide at least two rows of some class: rows of the same class form the near pairs",
        ));
    }
    pairs.sort_unstable();
    Ok(pairs)
}

/// The number of pairs of rows of the same class, or of different classes.
fn count_of(classes: &Classes, alike: bool) -> u64 {
    let pairs = |count: usize| (count as u64) * (count as u64).saturating_sub(1) / 2;
    let within: u64 = classes.counts().iter().map(|&count| pairs(count)).sum();
    if alike { within } else { pairs(classes.codes().len()) - within }
}

fn all_pairs(classes: &Classes, alike: bool) -> Vec<RowPair> {
    let codes = classes.codes();
    let of_row = |first: usize| {
        let others = first + 1..codes.len();
        others
            .filter(move |&second| (codes[first] == codes[second]) == alike)
            .map(move |second| RowPair { rows: (first as u32, second as u32), alike })
    };
    (0..codes.len()).flat_map(of_row).collect()
}

/// Draws `count` different pairs, at most half of all pairs, with equal probability.
fn some_pairs(
    members: &[Vec<u32>],
    classes: &Classes,
    alike: bool,
    count: usize,
    generator: &mut ChaCha8Rng,
) -> HashSet<RowPair> {
    let rows = classes.codes().len() as u64;
    // The number of pairs that contain a given row, by the size of its class.
    let partners = |own: u64| if alike { own.saturating_sub(1) } else { rows - own };
    let weights = members.iter().map(|own| own.len() as u64 * partners(own.len() as u64));
    let ends: Vec<u64> = weights
        .scan(0, |sum, weight| {
            *sum += weight;
            Some(*sum)
        })
        .collect();
    let total = ends.last().copied().unwrap_or(0);
    let by_class: Vec<u32> = members.iter().flatten().copied().collect();
    let mut found = HashSet::with_capacity(count);
    while found.len() < count {
        let drawn = generator.random_range(0..total);
        let class = ends.partition_point(|&end| end <= drawn);
        let own = &members[class];
        let place = generator.random_range(0..own.len() as u64) as usize;
        let other = generator.random_range(0..partners(own.len() as u64)) as usize;
        let second = if alike {
            own[other + usize::from(other >= place)]
        } else {
            // All rows except those of the class, which are contiguous.
            let start: usize = members[..class].iter().map(Vec::len).sum();
            by_class[if other < start { other } else { other + own.len() }]
        };
        let first = own[place];
        found.insert(RowPair { rows: (first.min(second), first.max(second)), alike });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coordinates(classes: &Classes) -> Coordinates<'_> {
        let rows = classes.codes().len();
        Coordinates::new(DenseMatrix::zeros(rows, 1), Some(classes))
    }

    fn classes(rows: usize) -> Classes {
        let codes: Vec<u32> = (0..rows).map(|row| (row * row % 7 % 3) as u32).collect();
        Classes::from_codes(&codes, &["a", "b", "c"].map(String::from)).unwrap()
    }

    #[test]
    fn pairs_are_different_and_of_their_kind() {
        let (classes, run) = (classes(80), Run::new(Some(1)).unwrap().with_seed(3));
        let (alike, apart) = (count_of(&classes, true), count_of(&classes, false));
        assert_eq!(alike + apart, 80 * 79 / 2);
        for (count, sizes) in [
            (PairCount::Some(7), [7, 7]),
            (PairCount::Auto, [180, 180]),
            (PairCount::Some(alike as usize - 5), [alike as usize - 5; 2]),
            (PairCount::All, [alike as usize, apart as usize]),
        ] {
            let found = drawn(&coordinates(&classes), count, &run).unwrap();
            assert!(found.windows(2).all(|pair| pair[0] < pair[1]), "sorted and different");
            let of_kind = |alike: bool| found.iter().filter(|pair| pair.alike == alike).count();
            assert_eq!([of_kind(true), of_kind(false)], sizes);
            for pair in &found {
                let (first, second) = pair.rows;
                assert!(first < second);
                let code = |row: u32| classes.codes()[row as usize];
                assert_eq!(code(first) == code(second), pair.alike);
            }
            assert_eq!(found, drawn(&coordinates(&classes), count, &run).unwrap());
        }
    }

    #[test]
    fn every_pair_is_drawn_about_as_often() {
        let classes = classes(12);
        let mut counts = std::collections::HashMap::new();
        for seed in 0..2000 {
            let run = Run::new(Some(1)).unwrap().with_seed(seed);
            for pair in drawn(&coordinates(&classes), PairCount::Some(2), &run).unwrap() {
                *counts.entry(pair).or_insert(0) += 1;
            }
        }
        for alike in [true, false] {
            let expected = 4000.0 / count_of(&classes, alike) as f64;
            let own: Vec<i32> =
                counts.iter().filter(|(pair, _)| pair.alike == alike).map(|(_, n)| *n).collect();
            assert_eq!(own.len() as u64, count_of(&classes, alike));
            assert!(
                own.iter()
                    .all(|&count| (f64::from(count) - expected).abs() < 5.0 * expected.sqrt())
            );
        }
    }

    #[test]
    fn a_prior_map_is_its_metric() {
        let number = |k: usize| ((k * 7919 + 13) % 1009) as f64 / 504.0 - 1.0;
        let values = DenseMatrix::new((0..60).map(number).collect(), 20, 3);
        let run = Run::new(Some(1)).unwrap();
        let map = Prior::Covariance.map_of(&values, &run).unwrap();
        let inverse = Prior::Covariance.inverse(&values, None, &run).unwrap();
        // L' L C = I.
        for i in 0..3 {
            for j in 0..3 {
                let metric = |k: usize| (0..3).map(|c| map.row(c)[i] * map.row(c)[k]).sum::<f64>();
                let entry: f64 = (0..3).map(|k| metric(k) * inverse.row(k)[j]).sum();
                assert!((entry - f64::from(u8::from(i == j))).abs() < 1e-12, "{i} {j}: {entry}");
            }
        }
    }
}
