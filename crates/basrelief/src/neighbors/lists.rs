//! The nearest rows of every sampled row, group by group, as lists and as weighted pairs.

use std::ops::Range;
use std::sync::Arc;

use super::options::Ties;
use super::packed_rows::Scratch;
use super::pairs::{Entry, Grouping, NearestOptions, Neighbor, PairSource, share_places};
use crate::csr::CsrGroups;

/// Lists of the nearest rows of some rows in every group, sorted by distance and then by row.
pub(crate) struct Lists<'s> {
    /// The query rows.
    rows: Vec<u32>,
    groups: usize,
    /// One list per place and group, place by place.
    entries: CsrGroups<Entry>,
    unlisted: Option<Unlisted<'s>>,
}

/// Rows that belong to lists but are not stored, because too many are tied at the k-th distance.
/// They are searched for again on every request, so that memory stays bounded and no tie is lost.
pub(super) struct Unlisted<'s> {
    /// Per list, the number of rows that are not stored, and the k-th distance.
    pub(super) counts: Vec<u32>,
    pub(super) limits: Vec<f64>,
    /// Finds these rows again.
    pub(super) source: Box<dyn FindUnlisted + Send + Sync + 's>,
}

/// A list of which some rows are not stored.
#[derive(Clone, Copy)]
pub(super) struct OpenList<'c> {
    pub(super) row: u32,
    pub(super) group: usize,
    pub(super) grouping: Grouping<'c>,
    /// The k-th distance.
    pub(super) limit: f64,
}

/// Finds the rows that lists do not store.
pub(super) trait FindUnlisted {
    /// Appends the rows that a list does not store to `entries`, in any order; `memory` is reused.
    fn add(&self, list: OpenList<'_>, memory: &mut PanelTiles, entries: &mut Vec<Entry>);
}

/// The distances of the rows of one panel to all rows, in reused memory.
#[derive(Default)]
pub(super) struct PanelTiles {
    pub(super) panel: Option<usize>,
    pub(super) tiles: Vec<f64>,
    pub(super) scratch: Scratch,
}

/// Reused memory.
#[derive(Default)]
struct ListMemory {
    tiles: PanelTiles,
    entries: Vec<Entry>,
}

impl<'s> Lists<'s> {
    /// Creates the lists of some rows, one per row and group.
    pub(super) fn new(
        rows: Vec<u32>,
        entries: CsrGroups<Entry>,
        unlisted: Option<Unlisted<'s>>,
    ) -> Self {
        let groups = entries.iter().count().checked_div(rows.len()).unwrap_or(1);
        let unlisted = unlisted.filter(|own| own.counts.iter().any(|&count| count > 0));
        Self { rows, groups, entries, unlisted }
    }

    /// The query rows.
    pub(crate) fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// The query rows, each with its list. Requires a single group and complete lists.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = (u32, &[Entry])> {
        self.rows.iter().enumerate().map(|(place, &row)| (row, self.entries.group(place)))
    }

    /// The list of the row at a place. Requires a single group and complete lists.
    pub(super) fn of_one_group(&self, place: usize) -> &[Entry] {
        self.entries.group(place)
    }

    /// Returns the complete lists with all tied rows, one per row and group.
    pub(super) fn into_whole(self, grouping: Grouping<'_>) -> CsrGroups<Entry> {
        if self.unlisted.is_none() {
            return self.entries;
        }
        let (mut memory, mut whole) = (ListMemory::default(), CsrGroups::default());
        for (place, group) in
            (0..self.rows.len()).flat_map(|place| (0..self.groups).map(move |group| (place, group)))
        {
            let entries = self.entries(place, group, grouping, &mut memory);
            whole.push_group(entries.iter().copied());
        }
        whole
    }

    /// Number of neighbors of the row at a place, counting at most `most` per group.
    fn count(&self, place: usize, most: usize) -> usize {
        let lists = place * self.groups..(place + 1) * self.groups;
        let unlisted = |list: usize| self.unlisted.as_ref().map_or(0, |own| own.counts[list]);
        let count = |list| self.entries.range(list).len() + unlisted(list) as usize;
        lists.map(|list| count(list).min(most)).sum()
    }

    /// The nearest rows in a group of the row at a place, with all that are tied with the last one.
    fn entries<'e>(
        &'e self,
        place: usize,
        group: usize,
        grouping: Grouping<'_>,
        memory: &'e mut ListMemory,
    ) -> &'e [Entry] {
        let list = place * self.groups + group;
        let listed = self.entries.group(list);
        match &self.unlisted {
            Some(unlisted) if unlisted.counts[list] > 0 => {
                let (row, limit) = (self.rows[place], unlisted.limits[list]);
                let open = OpenList { row, group, grouping, limit };
                let ListMemory { tiles, entries } = memory;
                entries.clear();
                entries.extend(listed);
                unlisted.source.add(open, tiles, entries);
                entries.sort_unstable_by(super::pairs::nearer);
                entries
            }
            _ => listed,
        }
    }
}

/// The k nearest rows of every group as weighted pairs: from lists of these groups, or from longer
/// lists of all rows.
pub(crate) struct ListedNeighbors<'s, 'c> {
    lists: Arc<Lists<'s>>,
    grouping: Grouping<'c>,
    options: NearestOptions,
    /// Whether there is a single list per row, which has to be divided into groups.
    is_regrouped: bool,
    /// How many places each row takes; `None` if all take one.
    masses: Option<Arc<[f64]>>,
}

impl<'s, 'c> ListedNeighbors<'s, 'c> {
    /// Takes lists with one list per group.
    pub(super) fn new(lists: Lists<'s>, grouping: Grouping<'c>, options: NearestOptions) -> Self {
        Self { lists: Arc::new(lists), grouping, options, is_regrouped: false, masses: None }
    }

    /// Returns the neighbors of rows that take as many places as their masses; the lists hold the rows at the first k
    /// places.
    pub(super) fn with_masses(self, masses: Option<Arc<[f64]>>) -> Self {
        Self { masses, ..self }
    }

    /// Takes one list per row, which is long enough to contain the rows at the first k places of every group. A row
    /// takes as many places as its mass (`None`: one).
    pub(super) fn regrouped(
        lists: Arc<Lists<'s>>,
        grouping: Grouping<'c>,
        options: NearestOptions,
        masses: Option<Arc<[f64]>>,
    ) -> Self {
        Self { lists, grouping, options, is_regrouped: true, masses }
    }

    /// Returns the same neighbors, with one list per group that holds the rows at the first k places and no others.
    pub(crate) fn in_groups(self) -> Self {
        let mut groups: Vec<Vec<Entry>> = vec![Vec::new(); self.grouping.count()];
        let (mut taken, mut entries) = (Vec::new(), CsrGroups::default());
        for place in 0..self.lists.rows.len() {
            self.parted(place, &mut groups, &mut taken);
            groups.iter().for_each(|group| entries.push_group(group.iter().copied()));
        }
        let lists = Lists::new(self.lists.rows.clone(), entries, None);
        Self::new(lists, self.grouping, self.options).with_masses(self.masses)
    }

    /// Divides the list of the row at a place into `groups`, and keeps the rows at the first k places of each.
    fn parted(&self, place: usize, groups: &mut [Vec<Entry>], taken: &mut Vec<f64>) {
        let own = self.grouping.code(self.lists.rows[place] as usize);
        groups.iter_mut().for_each(Vec::clear);
        taken.clear();
        taken.resize(groups.len(), 0.0);
        let k = self.options.k as f64;
        let mut open = groups.len();
        let mut last = f64::NEG_INFINITY;
        for &(distance, other) in self.lists.entries.group(place) {
            // Rows tied with the last one of a full group may still follow.
            if open == 0 && distance != last {
                break;
            }
            let group = self.grouping.group(own, self.grouping.code(other as usize));
            let (group, taken) = (&mut groups[group], &mut taken[group]);
            let is_full = *taken >= k;
            let tied = || group.last().is_some_and(|kth| kth.0 == distance);
            if !is_full || (self.options.ties == Ties::Share && tied()) {
                group.push((distance, other));
                *taken += self.masses.as_ref().map_or(1.0, |masses| masses[other as usize]);
                open -= usize::from(!is_full && *taken >= k);
            }
            last = distance;
        }
    }
}

impl PairSource for ListedNeighbors<'_, '_> {
    fn len(&self) -> usize {
        self.lists.rows.len()
    }

    fn expected_pairs(&self, place: usize) -> usize {
        let most = match self.options.ties {
            Ties::First if !self.is_regrouped => self.options.k,
            _ => usize::MAX,
        };
        self.lists.count(place, most)
    }

    /// Computes the weights of the neighbors from their ranks and ties.
    fn visit(&self, places: Range<usize>, visit: &mut dyn FnMut(u32, usize, &[Neighbor])) {
        let count = self.grouping.count();
        let (mut memory, mut neighbors, mut taken) =
            (ListMemory::default(), Vec::new(), Vec::new());
        let mut groups: Vec<Vec<Entry>> = vec![Vec::new(); count];
        for place in places {
            if self.is_regrouped {
                self.parted(place, &mut groups, &mut taken);
            }
            for (group, parted) in groups.iter().enumerate() {
                let entries = match self.is_regrouped {
                    true => &parted[..],
                    false => self.lists.entries(place, group, self.grouping, &mut memory),
                };
                share_places(entries, self.options, self.masses.as_deref(), &mut neighbors);
                visit(self.lists.rows[place], group, &neighbors);
            }
        }
    }
}
