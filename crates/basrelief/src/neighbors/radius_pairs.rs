//! Neighbors by distance as pairs: row by row, or both directions of a pair at once.
//!
//! What is added up for a pair of rows is the same seen from either, and who is near to whom is
//! nearly mutual: sums over pairs that are shown once cost little more than half of sums over every
//! row's neighbors.

use std::ops::Range;

use basrelief_kernels::{Links, RowBounds, Side, find_beside, find_links, level, panels};

use super::pairs::{Neighbor, PairBatch, PairSource, UndirectedPairs};
use super::radius::{BLOCK, RadiusNeighbors};
use super::tiles::add_row;

impl PairSource for RadiusNeighbors<'_, '_> {
    fn len(&self) -> usize {
        self.sampled
    }

    fn expected_pairs(&self, _place: usize) -> usize {
        self.rows.rows()
    }

    fn visit(&self, places: Range<usize>, visit: &mut dyn FnMut(u32, usize, &[Neighbor])) {
        let rows = self.rows.rows();
        let groups = self.groups();
        let mut near = self.near(&places);
        let mut line = Vec::with_capacity(rows);
        let mut chosen = Vec::new();
        let mut lists: Vec<Vec<Neighbor>> = vec![Vec::new(); self.lists()];
        for place in places {
            self.line(place, &mut near, &mut line);
            let (least, most) = match self.thresholds.get(place) {
                Some(own) => (own.near, own.far),
                None => self.bounds(&line),
            };
            let row = self.rows.order()[place];
            let own_code = self.code(place);
            lists.iter_mut().for_each(Vec::clear);
            for (others, code) in &self.runs {
                let group = self.grouping.group(own_code, *code);
                let near = (Side::Near, least);
                self.choose(others, &line, near, &mut chosen, &mut lists[group]);
                if self.with_far {
                    let far = (Side::Far, most);
                    self.choose(others, &line, far, &mut chosen, &mut lists[groups + group]);
                }
            }
            for (group, list) in lists.iter_mut().enumerate() {
                let size = list.len() as f64;
                list.iter_mut().for_each(|neighbor| neighbor.weight /= size);
                visit(row, group, list);
            }
        }
    }

    fn undirected(&self) -> Option<Box<dyn UndirectedPairs + '_>> {
        if self.thresholds.is_empty() {
            return None;
        }
        Some(Box::new(UndirectedRadiusPairs::new(self)))
    }
}

impl RadiusNeighbors<'_, '_> {
    /// Adds the rows at some places whose distance is on a side of a bound.
    fn choose(
        &self,
        places: &Range<usize>,
        line: &[f64],
        (side, bound): (Side, f64),
        chosen: &mut Vec<u32>,
        list: &mut Vec<Neighbor>,
    ) {
        let distances = &line[places.clone()];
        find_beside(level(), side, distances, bound, chosen);
        list.extend(chosen.iter().map(|&place| Neighbor {
            row: self.rows.order()[places.start + place as usize],
            weight: self.strength(distances[place as usize]),
        }));
    }
}

/// The near, and on request far, pairs of all rows; a part is a pair of blocks of rows.
pub(super) struct UndirectedRadiusPairs<'r, 's, 'c> {
    source: &'r RadiusNeighbors<'s, 'c>,
    /// The blocks of every part, the lower first.
    parts: Vec<(usize, usize)>,
    /// Per side and place: the distance below or above which others are wanted.
    sides: Vec<(Side, Vec<f64>)>,
    /// Per group and place: 1 over the size of the group.
    weights_of_groups: Vec<Vec<f64>>,
}

impl<'r, 's, 'c> UndirectedRadiusPairs<'r, 's, 'c> {
    pub(super) fn new(source: &'r RadiusNeighbors<'s, 'c>) -> Self {
        let own = &source.thresholds;
        let mut sides = vec![(Side::Near, own.iter().map(|own| own.near).collect())];
        if source.with_far {
            sides.push((Side::Far, own.iter().map(|own| own.far).collect()));
        }
        let weight = |group| own.iter().map(move |own| 1.0 / f64::from(own.sizes[group]));
        Self {
            source,
            parts: source.blocks().pairs(),
            sides,
            weights_of_groups: (0..source.lists()).map(|group| weight(group).collect()).collect(),
        }
    }
}

impl UndirectedPairs for UndirectedRadiusPairs<'_, '_, '_> {
    fn parts(&self) -> usize {
        self.parts.len()
    }

    fn most(&self) -> usize {
        BLOCK * BLOCK
    }

    fn visit(&self, part: usize, visit: &mut dyn FnMut(u32, PairBatch<'_>)) {
        let source = self.source;
        let (a, b) = self.parts[part];
        let (left, right) = (source.blocks().places(a), source.blocks().places(b));
        let mut memory = Default::default();
        let tiles = source.tiles((a, b), &mut memory);
        let order = source.rows.order();
        let mut line = Vec::with_capacity(BLOCK);
        let mut links = Links::default();
        let mut rows = Vec::with_capacity(BLOCK);
        for place in left.clone() {
            line.clear();
            add_row(tiles, place - left.start, panels(right.len()), right.len(), &mut line);
            source.lengths(&mut line);
            let code = source.code(place);
            for (others, other_code) in source.runs_among((place + 1).max(right.start)..right.end) {
                let distances = &line[others.start - right.start..others.end - right.start];
                for (side, (wanted, bounds)) in self.sides.iter().enumerate() {
                    let groups = [(code, other_code), (other_code, code)].map(|(own, other)| {
                        side * source.groups() + source.grouping.group(own, other)
                    });
                    let [to, from] = groups.map(|group| &self.weights_of_groups[group]);
                    let of_others = RowBounds {
                        bounds: &bounds[others.clone()],
                        weights: &from[others.clone()],
                    };
                    let own = (bounds[place], to[place]);
                    find_links(level(), *wanted, distances, own, of_others, &mut links);
                    if links.places().is_empty() {
                        continue;
                    }
                    source.strengthen(distances, &mut links);
                    rows.clear();
                    rows.extend(links.places().iter().map(|&at| order[others.start + at as usize]));
                    let weights = links.weights();
                    visit(order[place], PairBatch { others: &rows, groups, weights });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::data::{Column, Table};
    use crate::differences::{Metric, Space, SpaceOptions};
    use crate::neighbors::{Grouping, PairSource, RadiusRule};
    use crate::run::Run;

    /// A neighbor: row, group, neighbor and weight.
    type One = (u32, usize, u32, f64);

    fn by_row(source: &RadiusNeighbors<'_, '_>) -> Vec<One> {
        let mut found = Vec::new();
        source.visit(0..source.len(), &mut |row, group, neighbors| {
            found.extend(neighbors.iter().map(|n| (row, group, n.row, n.weight)));
        });
        found.sort_by_key(|one| (one.0, one.1, one.2));
        found
    }

    fn by_pair(source: &RadiusNeighbors<'_, '_>) -> Vec<One> {
        let pairs = source.undirected().expect("all distances are kept");
        let near_groups = source.groups();
        let (mut found, mut seen) = (Vec::new(), HashSet::new());
        for part in 0..pairs.parts() {
            let mut last = None;
            let mut rows = HashSet::new();
            pairs.visit(part, &mut |a, PairBatch { others, groups, weights }| {
                assert!(last.replace(a) == Some(a) || rows.insert(a), "{a} comes again");
                for (&b, (&to, &from)) in others.iter().zip(weights[0].iter().zip(weights[1])) {
                    let sides = groups.map(|group| group / near_groups);
                    assert_eq!(sides[0], sides[1]);
                    assert!(seen.insert((a.min(b), a.max(b), sides[0])), "{a} and {b} come once");
                    assert!(to != 0.0 || from != 0.0);
                    let directions = [(a, groups[0], b, to), (b, groups[1], a, from)];
                    found.extend(directions.into_iter().filter(|one| one.3 != 0.0));
                }
            });
        }
        found.sort_by_key(|one| (one.0, one.1, one.2));
        found
    }

    #[test]
    fn both_forms_show_the_same_neighbors() {
        // More rows than two blocks have; rows that miss both columns are infinitely far from all.
        let rows = 2 * BLOCK + 37;
        let numbers = |step: f64, missing_rows: usize| {
            let number = |row: usize| (step * row as f64).fract();
            (0..rows)
                .map(|row| if row % missing_rows == 1 { f64::NAN } else { number(row) })
                .collect()
        };
        let table = |missing_rows| {
            Table::new(vec![
                Column::from_values("a", numbers(0.618, missing_rows)).unwrap(),
                Column::from_values("b", numbers(0.414, missing_rows)).unwrap(),
            ])
            .unwrap()
        };
        let run = Run::new(Some(2)).unwrap();
        let codes: Vec<u32> = (0..rows as u32).map(|row| row * row % 7 % 3).collect();
        let sampled: Vec<u32> = (0..rows as u32).collect();
        let rules = [RadiusRule::MeanOfPairs, RadiusRule::OwnMean, RadiusRule::Sigmoid];
        for (missing_rows, metric) in
            [(rows, Metric::Manhattan), (5, Metric::Manhattan), (rows, Metric::Euclidean)]
        {
            let table = table(missing_rows);
            let missing = crate::differences::MissingPolicy::Ignore;
            let options = SpaceOptions { metric, missing, ..SpaceOptions::default() };
            let space = Space::new(&table, None, options, &run).unwrap();
            for grouping in
                [Grouping::All, Grouping::HitMiss(&codes), Grouping::PerClass(&codes, 3)]
            {
                for (rule, far) in rules.into_iter().flat_map(|rule| [(rule, false), (rule, true)])
                {
                    let source =
                        RadiusNeighbors::new(&space, &sampled, grouping, rule, far, &run).unwrap();
                    let (expected, found) = (by_row(&source), by_pair(&source));
                    let apart = |(a, b): &(&One, &One)| {
                        (a.0, a.1, a.2) != (b.0, b.1, b.2) || (a.3 - b.3).abs() > 1e-15
                    };
                    assert_eq!(expected.len(), found.len(), "{rule:?} {grouping:?} {far}");
                    assert!(!expected.is_empty());
                    assert_eq!(expected.iter().zip(&found).find(apart), None);
                }
            }
        }
    }

    #[test]
    fn a_sample_of_the_rows_has_no_undirected_pairs() {
        let values = (0..40).map(|row| f64::from(row * 7 % 11)).collect();
        let table = Table::new(vec![Column::from_values("a", values).unwrap()]).unwrap();
        let run = Run::new(Some(1)).unwrap();
        let space = Space::new(&table, None, SpaceOptions::default(), &run).unwrap();
        let rule = RadiusRule::OwnMean;
        let source =
            RadiusNeighbors::new(&space, &[1, 5, 9], Grouping::All, rule, false, &run).unwrap();
        assert!(source.undirected().is_none());
    }
}
