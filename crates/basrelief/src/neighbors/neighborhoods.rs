//! The k nearest rows of every group as weighted neighbors, whichever search finds them.

use std::ops::Range;

use super::fixed::NearestOrders;
use super::k_nearest::nearest_in_groups;
use super::kd_tree::obstacle;
use super::lists::ListedNeighbors;
use super::pairs::{Grouping, NearestOptions, Neighbor, PairSource};
use super::plan::{NearestRoute, NeighborSearch, SearchPlan};
use crate::differences::Space;
use crate::error::{Error, Result};
use crate::run::Run;

/// The k nearest rows of every sampled row in every group. If rows have weights, the rows at the first k places, of which
/// a row of weight w takes w.
pub struct Neighborhoods<'s, 'c> {
    found: ListedNeighbors<'s, 'c>,
    search: NeighborSearch,
    plan: SearchPlan,
}

impl<'s, 'c> Neighborhoods<'s, 'c> {
    /// Finds the nearest rows of every row in `sampled` among all rows of the space, by the faster
    /// search.
    ///
    /// A row is never its own neighbor, and rows at an infinite distance (no known value in common)
    /// are never neighbors. A search over all pairs takes one sweep over the pairs that include a
    /// sampled row, with rounded numbers if these can determine the nearest rows. With trees, it
    /// visits a few leaves per sampled row, whose number grows fast with the number of columns.
    ///
    /// # Errors
    /// Too little memory; [`Error::Cancelled`].
    pub fn find(
        space: &'s Space<'s>,
        sampled: &[u32],
        grouping: Grouping<'c>,
        options: NearestOptions,
        run: &Run,
    ) -> Result<Self> {
        Self::find_with(run.routes(), space, sampled, grouping, options, run)
    }

    /// As [`find`](Self::find), with the given search.
    ///
    /// # Errors
    /// [`NeighborSearch::KdTree`] for a space that a tree cannot search, such as one with missing
    /// values or with a ramp; [`Error::Cancelled`].
    pub fn find_by(
        search: NeighborSearch,
        space: &'s Space<'s>,
        sampled: &[u32],
        grouping: Grouping<'c>,
        options: NearestOptions,
        run: &Run,
    ) -> Result<Self> {
        let routes: &[NearestRoute] = match search {
            NeighborSearch::KdTree => {
                if let Some(obstacle) = obstacle(space) {
                    return Err(Error::option(
                        "search",
                        format!("a kd-tree takes complete numbers only, but {obstacle}"),
                        "leave the choice of the search to the library",
                    ));
                }
                &[NearestRoute::KdTree]
            }
            // The fastest of these that can search the space.
            NeighborSearch::AllPairs => &NearestRoute::ALL[1..],
        };
        let names: Vec<String> = routes.iter().map(|route| route.name().to_string()).collect();
        Self::find_with(&names, space, sampled, grouping, options, run)
    }

    fn find_with(
        routes: &[String],
        space: &'s Space<'s>,
        sampled: &[u32],
        grouping: Grouping<'c>,
        options: NearestOptions,
        run: &Run,
    ) -> Result<Self> {
        if space.masses().is_some() {
            return Self::by_mass(space, sampled, grouping, options, run);
        }
        let (lists, plan) = nearest_in_groups(routes, space, sampled, grouping, options, run)?;
        let search = plan.search();
        Ok(Self { found: ListedNeighbors::new(lists, grouping, options), search, plan })
    }

    /// Finds the rows at the first k places of every group, where a row takes as many places as its mass: from lists of
    /// the nearest rows regardless of groups, which are extended until they are long enough.
    fn by_mass(
        space: &Space<'_>,
        sampled: &[u32],
        grouping: Grouping<'c>,
        options: NearestOptions,
        run: &Run,
    ) -> Result<Self> {
        let mut orders = NearestOrders::find(space, sampled, options, grouping.least_share(), run)?;
        orders.extend_in(grouping, space, run)?;
        let mut plan = orders.plan().clone();
        plan.search += ", in lists that are long enough for the weights of rows";
        let search = plan.search();
        // In batches of sums, the number of pairs counts and not the length of these lists.
        Ok(Self { found: orders.grouped(grouping, None).in_groups(), search, plan })
    }

    /// The search that found the rows.
    pub fn search(&self) -> NeighborSearch {
        self.search
    }

    /// The plan of the search, and its outcome.
    pub fn plan(&self) -> &SearchPlan {
        &self.plan
    }
}

impl PairSource for Neighborhoods<'_, '_> {
    fn len(&self) -> usize {
        self.found.len()
    }

    fn expected_pairs(&self, place: usize) -> usize {
        self.found.expected_pairs(place)
    }

    fn visit(&self, places: Range<usize>, visit: &mut dyn FnMut(u32, usize, &[Neighbor])) {
        self.found.visit(places, visit);
    }
}
