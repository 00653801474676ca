//! The redundancy of two features by their differences between near rows.

use crate::algebra::dot;
use crate::data::{Roles, Table};
use crate::differences::{Space, SpaceOptions};
use crate::error::Result;
use crate::neighbors::{
    BlockFactors, Grouping, NearestOptions, NeighborWeights, Neighborhoods, PairSource, Ties,
    with_blocks,
};
use crate::random::{self, RandomStream};
use crate::run::Run;

/// The number of rows whose neighbors are used, and of neighbors of each.
const ROWS: u32 = 250;
const NEIGHBORS: usize = 10;

/// Pairs of near rows.
pub(super) struct NearDifferences<'s, 't> {
    space: &'s Space<'t>,
    pairs: Vec<(u32, u32)>,
}

/// The differences of a feature between the rows of all pairs, minus their mean, with the sum of squares 1; empty if all are
/// equal.
pub(super) struct Vector(Vec<f64>);

impl<'s, 't> NearDifferences<'s, 't> {
    /// The space of a table in which rows are near.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(super) fn space(table: &'t Table<'t>, roles: Roles<'_>, run: &Run) -> Result<Space<'t>> {
        let options = SpaceOptions::default();
        let factors = BlockFactors::new(table, options, roles, run)?;
        let space = with_blocks(Space::new(table, None, options, run)?, factors.as_ref());
        Ok(space.with_eligible(roles.eligible()))
    }

    /// The nearest rows of a sample of rows.
    ///
    /// # Errors
    /// Too little memory; [`crate::Error::Cancelled`].
    pub(super) fn new(space: &'s Space<'t>, run: &Run) -> Result<Self>
    where
        's: 't,
    {
        let all = space.rows() as u32;
        let mut generator = random::generator(run.seed(), RandomStream::RedundancyRows);
        let sampled = random::sample(all, ROWS.min(all), &mut generator);
        let options =
            NearestOptions { k: NEIGHBORS, ties: Ties::First, weights: NeighborWeights::Uniform };
        let near = Neighborhoods::find(space, &sampled, Grouping::All, options, run)?;
        let mut pairs = Vec::with_capacity(NEIGHBORS * sampled.len());
        near.visit(0..near.len(), &mut |row, _, neighbors| {
            pairs.extend(neighbors.iter().map(|neighbor| (row, neighbor.row)));
        });
        Ok(Self { space, pairs })
    }

    /// The differences of a feature. A pair without a known difference counts as the mean.
    pub(super) fn of(&self, feature: usize) -> Vector {
        let difference = |&(row, other): &(u32, u32)| {
            self.space.difference(feature, row as usize, other as usize)
        };
        let found: Vec<Option<f64>> = self.pairs.iter().map(difference).collect();
        let known = found.iter().flatten().count();
        let mean = found.iter().flatten().sum::<f64>() / known as f64;
        let centered = |difference: &Option<f64>| difference.map_or(0.0, |value| value - mean);
        let mut centered: Vec<f64> = found.iter().map(centered).collect();
        let length = dot(&centered, &centered).sqrt();
        if known == 0 || length <= 1e-12 {
            return Vector(Vec::new());
        }
        centered.iter_mut().for_each(|value| *value /= length);
        Vector(centered)
    }

    /// The correlation of two features' differences if it is positive, otherwise 0.
    pub(super) fn redundancy(one: &Vector, other: &Vector) -> f64 {
        if one.0.len() != other.0.len() { 0.0 } else { dot(&one.0, &other.0).clamp(0.0, 1.0) }
    }
}
