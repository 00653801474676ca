//! Comparisons of distances, made from the classes, and the methods that learn from them.

use super::learn::{Coordinates, Directions, Learn};
use super::options::TARGET_NEIGHBORS;
use super::row_comparison::RowComparison;
use super::shared::{at_least_one, warn_of_small_classes};
use super::task::Task;
use crate::data::Roles;
use crate::differences::Metric;
use crate::error::{Error, Result};
use crate::neighbors::{Grouping, NearestOptions, NeighborWeights, PairSource, Ties};
use crate::report::Report;
use crate::run::Run;

/// A method that learns from comparisons of distances.
pub(super) trait LearnFromComparisons: Learn {
    /// As [`Learn::learn`], from the given comparisons.
    fn learn_from(
        &self,
        coordinates: &Coordinates<'_>,
        comparisons: &[RowComparison],
        report: &mut Report,
        run: &Run,
    ) -> Result<Directions>;
}

/// A method with the comparisons from which it learns.
pub(super) struct OfComparisons<M> {
    pub(super) method: M,
    pub(super) comparisons: Vec<RowComparison>,
}

impl<M: LearnFromComparisons> Learn for OfComparisons<M> {
    fn name(&self) -> &'static str {
        self.method.name()
    }

    fn task(&self) -> Option<Task> {
        None
    }

    fn takes_start(&self) -> bool {
        self.method.takes_start()
    }

    fn learn(
        &self,
        coordinates: &Coordinates<'_>,
        _components: usize,
        report: &mut Report,
        run: &Run,
    ) -> Result<Directions> {
        self.method.learn_from(coordinates, &self.comparisons, report, run)
    }
}

/// Returns the comparisons of every row: each of its nearest rows of its class with each of its nearest rows of other
/// classes.
///
/// # Errors
/// No two rows are of the same class; `n_neighbors` is 0; the comparisons do not fit into memory.
pub(super) fn compared(
    coordinates: &Coordinates<'_>,
    n_neighbors: usize,
    report: &mut Report,
    run: &Run,
) -> Result<Vec<RowComparison>> {
    at_least_one(&TARGET_NEIGHBORS, n_neighbors)?;
    let classes = coordinates.classes()?;
    if classes.counts().iter().all(|&count| count <= 1) {
        return Err(Error::data(
            "no two rows are of the same class",
            "the method compares distances within classes: provide more rows of each class",
        ));
    }
    warn_of_small_classes(classes, Roles::default(), n_neighbors, report);
    let rows = classes.codes().len();
    let options = NearestOptions {
        k: n_neighbors.min(rows),
        ties: Ties::First,
        weights: NeighborWeights::Uniform,
    };
    let each = options.k.saturating_mul(options.k).saturating_mul(rows);
    run.memory().claim(
        64 * each as u64,
        &format!("{each} comparisons of distances"),
        "use fewer neighbors",
    )?;
    let grouping = Grouping::HitMiss(classes.codes());
    coordinates.nearest(grouping, Metric::Euclidean, options, report, run, |found| {
        let mut near = vec![[Vec::new(), Vec::new()]; rows];
        found.visit(0..found.len(), &mut |row, group, neighbors| {
            near[row as usize][group] = neighbors.iter().map(|near| near.row).collect();
        });
        let of_row = |(row, [hits, misses]): (u32, &[Vec<u32>; 2])| {
            let pairs = hits.iter().flat_map(|&hit| misses.iter().map(move |&miss| (hit, miss)));
            pairs.map(|(hit, miss)| RowComparison::of_triplet(row, hit, miss)).collect::<Vec<_>>()
        };
        (0..).zip(&near).flat_map(of_row).collect()
    })
}
