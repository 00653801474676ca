//! Neighbors found without the target, which can be grouped by any target. For repeated
//! permutations of the target, distances are thus needed only once.

use std::ops::Range;
use std::sync::Arc;

use super::k_nearest::nearest_lists;
use super::lists::{ListedNeighbors, Lists};
use super::options::{NeighborWeights, Ties};
use super::pairs::{Entry, Grouping, NearestOptions, Neighbor, PairSource};
use super::plan::SearchPlan;
use super::within_radius::RadiusMarks;
use crate::csr::CsrGroups;
use crate::differences::Space;
use crate::error::Result;
use crate::parallel;
use crate::run::Run;
use crate::thresholds::FEW_SEARCHES;

/// Neighbors that do not depend on how rows are grouped.
pub(crate) enum FixedNeighbors {
    /// The order of every row's nearest rows.
    Nearest(NearestOrders),
    /// Every row's near rows, and far ones on request.
    Radius(RadiusMarks),
}

impl FixedNeighbors {
    /// The neighbors of some of the sampled rows, in ascending order, under a grouping. Those of [`NearestOrders`]
    /// must be [long enough](NearestOrders::extend_for) for it; with `k`, which is at most that of the search, they are the k
    /// nearest of every group.
    pub(crate) fn grouped<'g>(
        &'g self,
        grouping: Grouping<'g>,
        rows: &[u32],
        k: Option<usize>,
    ) -> Box<dyn PairSource + 'g> {
        let source: Box<dyn PairSource + 'g> = match self {
            FixedNeighbors::Nearest(orders) => Box::new(orders.grouped(grouping, k)),
            FixedNeighbors::Radius(marks) => Box::new(marks.grouped(grouping)),
        };
        if rows.len() == self.rows() {
            return source;
        }
        let is_wanted = |place: &usize| rows.binary_search(&self.sampled()[*place]).is_ok();
        let places = (0..self.rows()).filter(is_wanted).collect();
        Box::new(SomeRows { source, places })
    }

    /// The sampled rows.
    fn sampled(&self) -> &[u32] {
        match self {
            FixedNeighbors::Nearest(orders) => orders.lists.rows(),
            FixedNeighbors::Radius(marks) => marks.rows(),
        }
    }

    /// Number of sampled rows.
    pub(crate) fn rows(&self) -> usize {
        self.sampled().len()
    }

    /// Makes sure that the neighbors under a grouping are known; `space` creates the space of the
    /// search.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`]; too little memory.
    pub(crate) fn extend_for<'s>(
        &mut self,
        grouping: Grouping<'_>,
        space: &dyn Fn() -> Result<Space<'s>>,
        run: &Run,
    ) -> Result<()> {
        match self {
            FixedNeighbors::Nearest(orders) => orders.extend_for(grouping, space, run),
            FixedNeighbors::Radius(_) => Ok(()),
        }
    }
}

/// Some of the rows of a source.
struct SomeRows<'g> {
    source: Box<dyn PairSource + 'g>,
    /// Their places in the source, ascending.
    places: Vec<usize>,
}

impl PairSource for SomeRows<'_> {
    fn len(&self) -> usize {
        self.places.len()
    }

    fn expected_pairs(&self, place: usize) -> usize {
        self.source.expected_pairs(self.places[place])
    }

    fn visit(&self, places: Range<usize>, visit: &mut dyn FnMut(u32, usize, &[Neighbor])) {
        for run in self.places[places].chunk_by(|place, next| place + 1 == *next) {
            self.source.visit(run[0]..run[0] + run.len(), visit);
        }
    }
}

/// The sorted nearest rows of every sampled row. A list has as many rows as are likely to include
/// the k nearest of every group, and more if they do not.
pub(crate) struct NearestOrders {
    /// Lists of one group, with all ties.
    lists: Arc<Lists<'static>>,
    /// Whether a list holds all rows at a finite distance.
    are_whole: Vec<bool>,
    options: NearestOptions,
    /// How many places each row takes; `None` if all take one.
    masses: Option<Arc<[f64]>>,
    /// The plan of the first search, and its outcome.
    plan: Box<SearchPlan>,
    /// Number of searches for lists that were too short for a permutation.
    searches: usize,
}

impl NearestOrders {
    /// Finds the lists, if every group is likely to have at least a proportion of `least_share` of
    /// the rows. Rows take as many places as their masses in the space.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`]; too little memory.
    pub(crate) fn find(
        space: &Space<'_>,
        sampled: &[u32],
        options: NearestOptions,
        least_share: f64,
        run: &Run,
    ) -> Result<Self> {
        // The likely place of the k-th row of a group, plus four standard deviations of it.
        let masses = space.masses().map(Arc::clone);
        let mean = masses.as_ref().map_or(1.0, |all| all.iter().sum::<f64>() / all.len() as f64);
        let k = options.k as f64 / mean;
        let wanted = match least_share {
            1.0 if masses.is_none() => k,
            share => (k + 4.0 * k.sqrt() + 4.0) / share,
        };
        let mut none = CsrGroups::default();
        sampled.iter().for_each(|_| none.end_group());
        let lists = Arc::new(Lists::new(sampled.to_vec(), none, None));
        let (are_whole, plan) = (vec![false; sampled.len()], Box::default());
        let mut orders = Self { lists, are_whole, options, masses, plan, searches: 0 };
        let all: Vec<usize> = (0..sampled.len()).collect();
        let wanted = wanted.ceil().min(1e9) as usize;
        orders.plan = Box::new(orders.lengthen(&all, wanted, space, run)?);
        Ok(orders)
    }

    /// Replaces the lists at some places, in ascending order, by longer ones of at least `length`
    /// rows; returns the plan of their search, with its outcome.
    fn lengthen(
        &mut self,
        places: &[usize],
        length: usize,
        space: &Space<'_>,
        run: &Run,
    ) -> Result<SearchPlan> {
        let rows: Vec<u32> = places.iter().map(|&place| self.lists.rows()[place]).collect();
        // Lists of most rows are extended to all rows.
        let others = space.rows().saturating_sub(1).max(1);
        let length = if length >= others / 4 * 3 { others } else { length };
        let bytes = list_bytes(rows.len(), length);
        let what = "the order of nearest rows for all permutations";
        run.memory().claim(bytes, what, "sample fewer rows")?;
        // Ranks require exact distances; the weights are not used.
        let weights = NeighborWeights::Rank { sigma: NeighborWeights::DEFAULT_SIGMA };
        let options = NearestOptions { k: length, ties: Ties::Share, weights };
        let (found, plan) = nearest_lists(space, rows, options, run)?;
        let mut longer = found.iter().zip(places).peekable();
        let mut entries = CsrGroups::default();
        for (place, (_, list)) in self.lists.iter().enumerate() {
            match longer.next_if(|(_, at)| **at == place) {
                Some((list, _)) => {
                    self.are_whole[place] = list.len() < length || length == others;
                    entries.push_group(list.iter().copied());
                }
                None => entries.push_group(list.iter().copied()),
            }
        }
        self.lists = Arc::new(Lists::new(self.lists.rows().to_vec(), entries, None));
        Ok(plan)
    }

    /// Makes the orders long enough to hold the k nearest of every group.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`]; too little memory.
    pub(crate) fn extend_for<'s>(
        &mut self,
        grouping: Grouping<'_>,
        space: &dyn Fn() -> Result<Space<'s>>,
        run: &Run,
    ) -> Result<()> {
        if self.short(grouping, run).is_empty() {
            return Ok(());
        }
        self.extend_in(grouping, &space()?, run)
    }

    /// As [`extend_for`](Self::extend_for), in a space that exists.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`]; too little memory.
    pub(crate) fn extend_in(
        &mut self,
        grouping: Grouping<'_>,
        space: &Space<'_>,
        run: &Run,
    ) -> Result<()> {
        loop {
            let short = self.short(grouping, run);
            if short.is_empty() {
                return Ok(());
            }
            self.lengthen(&short, self.double_length(&short), space, run)?;
        }
    }

    /// The places whose lists may not hold the k nearest of every group.
    fn short(&self, grouping: Grouping<'_>, run: &Run) -> Vec<usize> {
        let is_short =
            |place: usize| !self.are_whole[place] && !self.is_long_enough(place, grouping);
        let are_short = run.install(|| parallel::map(0..self.lists.rows().len(), is_short));
        let places = (0..).zip(are_short).filter(|(_, is_short)| *is_short);
        places.map(|(place, _)| place).collect()
    }

    /// The neighbors under a grouping, for which the lists must be long enough: the `k` nearest of every group, by default as
    /// many as were searched for.
    pub(crate) fn grouped<'g>(
        &self,
        grouping: Grouping<'g>,
        k: Option<usize>,
    ) -> ListedNeighbors<'static, 'g> {
        let (lists, masses) = (Arc::clone(&self.lists), self.masses.clone());
        let options = NearestOptions { k: k.unwrap_or(self.options.k), ..self.options };
        ListedNeighbors::regrouped(lists, grouping, options, masses)
    }

    /// The plan of the first search, and its outcome.
    pub(crate) fn plan(&self) -> &SearchPlan {
        &self.plan
    }

    /// Extends the lists at some places, which are too short for a permutation, to twice the length of the longest one. The
    /// next permutations may need more neighbors of any row. Therefore all shorter lists are extended with them after
    /// [`FEW_SEARCHES`] searches.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`]; too little memory.
    pub(crate) fn lengthen_for_permutations(
        &mut self,
        places: &[usize],
        space: &Space<'_>,
        run: &Run,
    ) -> Result<()> {
        self.searches += 1;
        let (all, length) = (0..self.lists.rows().len(), self.double_length(places));
        if self.searches <= FEW_SEARCHES || !run.memory().holds(list_bytes(all.len(), length)) {
            return self.lengthen(places, length, space, run).map(drop);
        }
        let is_shorter = |place: &usize| {
            !self.are_whole[*place] && self.lists.of_one_group(*place).len() < length
        };
        let shorter: Vec<usize> = all.filter(is_shorter).collect();
        self.lengthen(&shorter, length, space, run).map(drop)
    }

    /// Twice the length of the longest of some lists.
    fn double_length(&self, places: &[usize]) -> usize {
        let lengths = places.iter().map(|&place| self.lists.of_one_group(place).len());
        2 * lengths.max().unwrap_or(0)
    }

    fn is_long_enough(&self, place: usize, grouping: Grouping<'_>) -> bool {
        let own = grouping.code(self.lists.rows()[place] as usize);
        let k = self.options.k as f64;
        let mut counts = vec![0.0; grouping.count()];
        let mut open = counts.len();
        for &(_, other) in self.lists.of_one_group(place) {
            let count = &mut counts[grouping.group(own, grouping.code(other as usize))];
            let was_full = *count >= k;
            *count += self.masses.as_ref().map_or(1.0, |masses| masses[other as usize]);
            open -= usize::from(!was_full && *count >= k);
            if open == 0 {
                return true;
            }
        }
        false
    }

    /// Whether the list at any of some places contains all rows at a finite distance.
    pub(crate) fn any_whole(&self, places: &[usize]) -> bool {
        places.iter().any(|&place| self.are_whole[place])
    }

    /// Options of the search.
    pub(crate) fn options(&self) -> NearestOptions {
        self.options
    }

    /// The sampled rows, each with its nearest rows in their order.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = (u32, &[Entry])> {
        self.lists.iter()
    }
}

/// The bytes of lists of this length.
fn list_bytes(rows: usize, length: usize) -> u64 {
    (rows as u64).saturating_mul(length as u64 * size_of::<Entry>() as u64)
}

/// The end of the rows in an order that are tied with the row at `start`, if they share places;
/// otherwise the end of that row.
pub(crate) fn end_of_tied(order: &[Entry], start: usize, ties: Ties) -> usize {
    match ties {
        Ties::First => start + 1,
        Ties::Share => {
            start + order[start..].iter().take_while(|entry| entry.0 == order[start].0).count()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Table};
    use crate::differences::SpaceOptions;

    #[test]
    fn all_lists_are_extended_after_a_few_searches() {
        const ROWS: u32 = 200;
        let column = |factor: u32| {
            let values: Vec<f64> = (0..ROWS).map(|row| f64::from(row * factor % 211)).collect();
            Column::numeric(format!("x{factor}"), values).unwrap()
        };
        let table = Table::new(vec![column(37), column(58)]).unwrap();
        let run = Run::new(Some(1)).unwrap();
        let space = Space::new(&table, None, SpaceOptions::default(), &run).unwrap();
        let options = NearestOptions { k: 3, ties: Ties::Share, weights: NeighborWeights::Uniform };
        let sampled: Vec<u32> = (0..ROWS).collect();
        let mut orders = NearestOrders::find(&space, &sampled, options, 0.5, &run).unwrap();
        let lengths = |orders: &NearestOrders| -> Vec<usize> {
            orders.iter().map(|(_, list)| list.len()).collect()
        };
        let first: Vec<Vec<Entry>> = orders.iter().map(|(_, list)| list.to_vec()).collect();
        for place in 0..FEW_SEARCHES {
            let before = lengths(&orders);
            orders.lengthen_for_permutations(&[place], &space, &run).unwrap();
            let after = lengths(&orders);
            let longer: Vec<usize> =
                (0..after.len()).filter(|&place| after[place] > before[place]).collect();
            assert_eq!(longer, [place]);
        }
        orders.lengthen_for_permutations(&[9], &space, &run).unwrap();
        for ((_, list), first) in orders.iter().zip(&first) {
            assert!(list.len() >= 2 * first.len().min(28) && list.starts_with(first));
        }
        assert!(!orders.any_whole(&[0, 9]));
    }
}
