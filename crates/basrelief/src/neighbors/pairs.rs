//! Rows and their neighbors: groups of rows, orders of rows, and pairs with their weights.

use std::collections::HashMap;

use basrelief_kernels::LANES;

use super::options::{NeighborWeights, Ties};

/// Assigns the possible neighbors of a row to groups; a search finds neighbors in each group.
#[derive(Debug, Clone, Copy)]
pub enum Grouping<'a> {
    /// All other rows are one group.
    All,
    /// Two groups: rows of the same class (0: hits) and of any other class (1: misses).
    HitMiss(&'a [u32]),
    /// One group per class: class codes and the number of classes.
    PerClass(&'a [u32], usize),
}

impl<'a> Grouping<'a> {
    /// The grouping of some rows alone, numbered from 0.
    pub(super) fn of_rows(self, rows: std::ops::Range<usize>) -> Self {
        match self {
            Grouping::All => Grouping::All,
            Grouping::HitMiss(codes) => Grouping::HitMiss(&codes[rows]),
            Grouping::PerClass(codes, count) => Grouping::PerClass(&codes[rows], count),
        }
    }
}

impl Grouping<'_> {
    /// Per code, the groups in which a row of this code has neighbors, that is, the groups with other rows.
    pub(crate) fn groups_of_codes(&self) -> Vec<Vec<usize>> {
        match self {
            Grouping::All | Grouping::HitMiss(_) => {
                vec![(0..self.count()).collect(); self.codes()]
            }
            Grouping::PerClass(codes, count) => {
                let mut sizes = vec![0_usize; *count];
                codes.iter().for_each(|&code| sizes[code as usize] += 1);
                let of_code = |own: usize| {
                    let least = |group: usize| if group == own { 2 } else { 1 };
                    (0..*count).filter(|&group| sizes[group] >= least(group)).collect()
                };
                (0..*count).map(of_code).collect()
            }
        }
    }

    /// The proportion of the rows in the smallest class; 1 without classes.
    pub(crate) fn least_share(&self) -> f64 {
        match self {
            Grouping::All => 1.0,
            Grouping::HitMiss(codes) | Grouping::PerClass(codes, _) => {
                let mut sizes = vec![0_usize; self.codes()];
                codes.iter().for_each(|&code| sizes[code as usize] += 1);
                let least = sizes.into_iter().filter(|&size| size > 0).min();
                least.map_or(1.0, |least| least as f64 / codes.len() as f64)
            }
        }
    }

    /// Number of groups.
    pub fn count(&self) -> usize {
        match self {
            Grouping::All => 1,
            Grouping::HitMiss(_) => 2,
            Grouping::PerClass(_, count) => *count,
        }
    }

    /// All codes are below this.
    pub(super) fn codes(&self) -> usize {
        match self {
            Grouping::All => 1,
            Grouping::HitMiss(codes) => codes.iter().max().map_or(0, |&code| code as usize + 1),
            Grouping::PerClass(_, count) => *count,
        }
    }

    /// The code of a row; rows of equal code are in the same group of any row.
    pub(crate) fn code(&self, row: usize) -> u32 {
        match self {
            Grouping::All => 0,
            Grouping::HitMiss(codes) | Grouping::PerClass(codes, _) => codes[row],
        }
    }

    /// The group of a row of code `other` for a row of code `own`.
    pub(crate) fn group(&self, own: u32, other: u32) -> usize {
        match self {
            Grouping::All => 0,
            Grouping::HitMiss(_) => usize::from(own != other),
            Grouping::PerClass(..) => other as usize,
        }
    }

    /// Maximum number of members of each group for any one of `rows` rows.
    pub(super) fn largest(&self, rows: usize) -> Vec<usize> {
        match self {
            Grouping::All => vec![rows],
            Grouping::HitMiss(_) => vec![rows, rows],
            Grouping::PerClass(codes, count) => {
                let mut sizes = vec![0; *count];
                for &code in *codes {
                    sizes[code as usize] += 1;
                }
                sizes
            }
        }
    }
}

/// The codes of the rows at all places, and those of panels whose rows all have the same code.
pub(super) struct PlaceCodes {
    places: Vec<u32>,
    panels: Vec<Option<u32>>,
    /// Per panel of one code, the nearest panel of this code before it.
    before: Vec<Option<u32>>,
}

impl PlaceCodes {
    /// Looks up the codes of the rows in a given order.
    pub(super) fn new(order: &[u32], grouping: Grouping<'_>) -> Self {
        let places: Vec<u32> = order.iter().map(|&row| grouping.code(row as usize)).collect();
        let panels: Vec<Option<u32>> = places
            .chunks(LANES)
            .map(|codes| codes.iter().all(|code| *code == codes[0]).then_some(codes[0]))
            .collect();
        let mut last = HashMap::new();
        let panels_and_numbers = (0_u32..).zip(&panels);
        let before = panels_and_numbers.map(|(panel, code)| last.insert((*code)?, panel)).collect();
        Self { places, panels, before }
    }

    /// The code of the row at a place.
    pub(super) fn code(&self, place: usize) -> u32 {
        self.places[place]
    }

    /// The nearest panel before this one whose rows all have the code of its rows, counted from `start`; `None` if there is
    /// none from there on.
    pub(super) fn alike_before(&self, panel: usize, start: usize) -> Option<usize> {
        self.before[panel].and_then(|before| (before as usize).checked_sub(start))
    }

    /// The bounds for the rows of one panel with any row of another: those of their group, or, if a
    /// panel has rows of several codes, the largest of all groups.
    pub(super) fn bounds<T: Copy + PartialOrd>(
        &self,
        grouping: Grouping<'_>,
        [own, other]: [usize; 2],
        of_group: impl Fn(usize) -> [T; LANES],
    ) -> [T; LANES] {
        if let (Some(own), Some(other)) = (self.panels[own], self.panels[other]) {
            return of_group(grouping.group(own, other));
        }
        (1..grouping.count()).map(&of_group).fold(of_group(0), |most, bounds| {
            let greater = |lane: usize| {
                if bounds[lane] > most[lane] { bounds[lane] } else { most[lane] }
            };
            std::array::from_fn(greater)
        })
    }
}

/// Options of a k-nearest search.
#[derive(Debug, Clone, Copy)]
pub struct NearestOptions {
    /// Neighbors per row and group.
    pub k: usize,
    /// The treatment of rows at equal distance.
    pub ties: Ties,
    /// Weight of a neighbor by its rank.
    pub weights: NeighborWeights,
}

/// Rows with their weighted neighbors, group by group, over which margins are summed.
///
/// The source orders its rows, numbered from 0. The order and the neighbors do not differ between
/// runs.
pub trait PairSource: Sync {
    /// Number of rows.
    fn len(&self) -> usize;

    /// Whether the source has no rows.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Upper bound on the number of neighbors that a visit of a row shows, for sizing batches.
    fn expected_pairs(&self, place: usize) -> usize;

    /// Calls `visit(row of the table, group, neighbors)` for every group of the rows in a range
    /// of places.
    fn visit(&self, places: std::ops::Range<usize>, visit: &mut dyn FnMut(u32, usize, &[Neighbor]));

    /// The same pairs with both directions at once, if this source can show them in this way and it
    /// makes sums over pairs cheaper.
    fn undirected(&self) -> Option<Box<dyn UndirectedPairs + '_>> {
        None
    }
}

/// Rows that are neighbors of one row, or have it as a neighbor, all in the same groups.
#[derive(Debug, Clone, Copy)]
pub struct PairBatch<'l> {
    /// Rows of the table.
    pub others: &'l [u32],
    /// The group of the others among the row's neighbors, and the group of the row among theirs.
    pub groups: [usize; 2],
    /// Per other row, the weight of either direction, as in [`PairSource::visit`]; 0 if there is
    /// none.
    pub weights: [&'l [f64]; 2],
}

/// Pairs of rows at least one of which is a neighbor of the other. Each is shown once, or twice if
/// it is near in one direction and far in the other.
///
/// Pairs come in parts; the order of the parts and of their pairs does not differ between runs.
pub trait UndirectedPairs: Sync {
    /// Number of parts.
    fn parts(&self) -> usize;

    /// Approximate maximum number of pairs of a part, for sizing batches.
    fn most(&self) -> usize;

    /// Calls `visit` for rows of the table, with pairs of which they are the first row. All calls
    /// for a row in a part are consecutive.
    fn visit(&self, part: usize, visit: &mut dyn FnMut(u32, PairBatch<'_>));
}

/// A neighbor of a row, with its weight in the group's mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbor {
    /// Row of the table.
    pub row: u32,
    /// Its weight; the weights of a row's group sum to 1.
    pub weight: f64,
}

/// A neighbor's distance and its row of the table.
pub(crate) type Entry = (f64, u32);

pub(crate) fn nearer(a: &Entry, b: &Entry) -> std::cmp::Ordering {
    a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
}

/// Returns the sampled rows first and then all others, each part sorted by class: a block then
/// contains few classes, and the pairs that matter are those of blocks of the first part with all
/// blocks.
pub(crate) fn sampled_first(rows: usize, sampled: &[u32], grouping: Grouping<'_>) -> Vec<u32> {
    let mut is_sampled = vec![false; rows];
    for &row in sampled {
        is_sampled[row as usize] = true;
    }
    let mut order: Vec<u32> = (0..rows as u32).collect();
    order.sort_by_key(|&row| (!is_sampled[row as usize], grouping.code(row as usize)));
    order
}

/// Returns the sampled rows first and then all others. Each part consists of panels of one code,
/// and the codes are interleaved, so that any block contains about the same proportion of every
/// code.
pub(super) fn mixed_order(rows: usize, sampled: &[u32], grouping: Grouping<'_>) -> Vec<u32> {
    let sorted = sampled_first(rows, sampled, grouping);
    let (first, second) = sorted.split_at(sampled.len());
    let mut order = Vec::with_capacity(rows);
    for part in [first, second] {
        let mut whole: Vec<(f64, &[u32])> = Vec::new();
        let mut rest: Vec<u32> = Vec::new();
        let of_code = |a: &u32, b: &u32| grouping.code(*a as usize) == grouping.code(*b as usize);
        for rows in part.chunk_by(of_code) {
            let panels = rows.chunks_exact(LANES);
            rest.extend(panels.remainder());
            let count = panels.len() as f64;
            whole.extend(
                panels.enumerate().map(|(index, rows)| ((index as f64 + 0.5) / count, rows)),
            );
        }
        whole.sort_by(|a, b| a.0.total_cmp(&b.0));
        whole.iter().for_each(|(_, rows)| order.extend_from_slice(rows));
        order.extend(rest);
    }
    order
}

/// The place of every row in an order.
pub(crate) fn place_of(order: &[u32]) -> Vec<u32> {
    let mut places = vec![0; order.len()];
    for (place, &row) in (0..).zip(order) {
        places[row as usize] = place;
    }
    places
}

/// Computes the weights of sorted candidates. A row takes as many places as its mass (`None`: one). Tied rows share the
/// rank weights of the places that they take among the first k in proportion to their masses, which is the mean over
/// all tie orders.
pub(crate) fn share_places(
    entries: &[Entry],
    options: NearestOptions,
    masses: Option<&[f64]>,
    out: &mut Vec<Neighbor>,
) {
    out.clear();
    let mass = |entry: &Entry| masses.map_or(1.0, |masses| masses[entry.1 as usize]);
    let mass_of = |entries: &[Entry]| match masses {
        None => entries.len() as f64,
        Some(_) => entries.iter().map(mass).sum(),
    };
    let places = mass_of(entries).min(options.k as f64);
    let total = options.weights.of_places(0.0, places);
    let (mut first, mut taken) = (0, 0.0);
    while first < entries.len() && taken < places {
        let distance = entries[first].0;
        let last = match options.ties {
            Ties::First => first + 1,
            Ties::Share => {
                first + entries[first..].iter().take_while(|entry| entry.0 == distance).count()
            }
        };
        let tied = &entries[first..last];
        let size = mass_of(tied);
        let shared = options.weights.of_places(taken, (taken + size).min(places));
        let neighbor =
            |entry: &Entry| Neighbor { row: entry.1, weight: shared * mass(entry) / size / total };
        out.extend(tied.iter().map(neighbor));
        (first, taken) = (last, taken + size);
    }
    // Equal neighbors come in the same order, whichever search found them.
    out.sort_unstable_by(|a, b| b.weight.total_cmp(&a.weight).then(a.row.cmp(&b.row)));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(k: usize, weights: NeighborWeights) -> NearestOptions {
        NearestOptions { k, ties: Ties::Share, weights }
    }

    #[test]
    fn ties_share_the_places_left() {
        let entries = [(1.0, 4), (2.0, 1), (2.0, 7), (2.0, 9)];
        let mut out = Vec::new();
        share_places(&entries, options(2, NeighborWeights::Uniform), None, &mut out);
        let weights: Vec<f64> = out.iter().map(|neighbor| neighbor.weight).collect();
        assert_eq!(weights.len(), 4);
        assert!((weights[0] - 0.5).abs() < 1e-15);
        assert!(weights[1..].iter().all(|w| (w - 0.5 / 3.0).abs() < 1e-15));
    }

    #[test]
    fn rank_weights_are_the_mean_over_tie_orders() {
        let sigma = 1.5;
        let raw: Vec<f64> = (1..=3).map(|r| (-(f64::from(r) / sigma).powi(2)).exp()).collect();
        let total: f64 = raw.iter().sum();
        let entries = [(1.0, 0), (1.0, 1), (3.0, 2), (4.0, 3)];
        let mut out = Vec::new();
        share_places(&entries, options(3, NeighborWeights::Rank { sigma }), None, &mut out);
        assert_eq!(out.len(), 3);
        assert!((out[0].weight - (raw[0] + raw[1]) / 2.0 / total).abs() < 1e-15);
        assert_eq!(out[0].weight, out[1].weight);
        assert!((out[2].weight - raw[2] / total).abs() < 1e-15);
    }

    #[test]
    fn a_row_takes_as_many_places_as_its_mass() {
        // Row 0 takes places 1 and 2, row 1 half of place 3, and row 2 the other half of place 3 and half of place 4.
        let raw: Vec<f64> =
            (1..=4).map(|rank| NeighborWeights::Rank { sigma: 1.5 }.raw(rank)).collect();
        let entries = [(1.0, 0), (2.0, 1), (3.0, 2), (4.0, 3)];
        let masses = [2.0, 0.5, 1.0, 3.0];
        let mut out = Vec::new();
        for k in [3, 4] {
            let ranked = options(k, NeighborWeights::Rank { sigma: 1.5 });
            share_places(&entries, ranked, Some(&masses), &mut out);
            let third = raw[2] * 0.5 + if k == 4 { raw[3] * 0.5 } else { 0.0 };
            let fourth = if k == 4 { raw[3] * 0.5 } else { 0.0 };
            let total = raw[0] + raw[1] + raw[2] * 0.5 + third + fourth;
            let expected = [(0, raw[0] + raw[1]), (1, raw[2] * 0.5), (2, third), (3, fourth)];
            for (row, weight) in expected {
                let found = out.iter().find(|one| one.row == row).map_or(0.0, |one| one.weight);
                assert!((found - weight / total).abs() < 1e-15, "{k} {row}");
            }
        }
        // Tied rows share places by their masses.
        let tied = [(1.0, 0), (1.0, 1), (1.0, 3)];
        share_places(&tied, options(2, NeighborWeights::Uniform), Some(&masses), &mut out);
        let weights: Vec<(u32, f64)> = out.iter().map(|one| (one.row, one.weight)).collect();
        assert_eq!(weights, [(3, 3.0 / 5.5), (0, 2.0 / 5.5), (1, 0.5 / 5.5)]);
    }
}
