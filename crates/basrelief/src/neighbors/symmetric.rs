//! Neighbours by distance, both directions of a pair at once, where all distances are kept.
//!
//! What is added up for a pair of rows is the same seen from either, and who is near to whom is
//! nearly mutual: sums over pairs that are shown once cost little more than half of sums over every
//! row's neighbours.

use basrelief_kernels::panels;

use super::nearest::{Link, Linked, SymmetricPairs};
use super::radius::{RadiusNeighbors, add_row};
use super::sweep::BLOCK;

/// The near, and on request far, pairs of all rows; a part is a pair of blocks of rows.
pub(super) struct RadiusPairs<'r, 's, 'c> {
    source: &'r RadiusNeighbors<'s, 'c>,
    /// The blocks of every part, the lower first.
    parts: Vec<(usize, usize)>,
    /// Per place: what a row is told apart by.
    codes: Vec<u32>,
    /// Per place: the distances below and above which others are near and far.
    near: Vec<f64>,
    far: Vec<f64>,
    /// Per place and group: 1 over the size of the group.
    shares: Vec<f64>,
}

impl<'r, 's, 'c> RadiusPairs<'r, 's, 'c> {
    pub(super) fn new(source: &'r RadiusNeighbors<'s, 'c>) -> Self {
        let (order, own) = (source.sweep.order(), &source.own);
        let shares = own.iter().flat_map(|own| &own.sizes).map(|&size| 1.0 / f64::from(size));
        Self {
            source,
            parts: source.pairs_of_blocks(),
            codes: order.iter().map(|&row| source.grouping.code(row as usize)).collect(),
            near: own.iter().map(|own| own.near).collect(),
            far: own.iter().map(|own| own.far).collect(),
            shares: shares.collect(),
        }
    }

    /// How the row at one place has another as its neighbour, if at all. No branch: who is near whom
    /// could not be foretold.
    #[inline]
    fn link(&self, own: usize, other: usize, distance: f64, strength: f64) -> Link {
        let source = self.source;
        let is_near = distance < self.near[own];
        let is_far = source.with_far & (distance > self.far[own]) & (distance < f64::INFINITY);
        let group = source.grouping.group(self.codes[own], self.codes[other]);
        let group = group + if is_far { source.groups() } else { 0 };
        let share = self.shares[own * source.lists() + group];
        let weight = if is_near | is_far { share * strength } else { 0.0 };
        Link { group: group as u32, weight }
    }
}

impl SymmetricPairs for RadiusPairs<'_, '_, '_> {
    fn parts(&self) -> usize {
        self.parts.len()
    }

    fn most(&self) -> usize {
        BLOCK * BLOCK
    }

    fn visit(&self, part: usize, visit: &mut dyn FnMut(u32, &[Linked])) {
        let (a, b) = self.parts[part];
        let (left, right) = (self.source.span(a), self.source.span(b));
        let tiles = self.source.kept(a, b);
        let order = self.source.sweep.order();
        let mut line = Vec::with_capacity(BLOCK);
        let mut chosen = [0; BLOCK];
        let mut linked = Vec::with_capacity(BLOCK);
        for own in left.clone() {
            line.clear();
            add_row(tiles, own - left.start, panels(right.len()), right.len(), &mut line);
            self.source.lengths(&mut line);
            let first = (own + 1).max(right.start) - right.start;
            let (near, far) = (self.near[own], self.far[own]);
            // As when a row's neighbours are chosen: no branch.
            let mut count = 0;
            let others = self.near[right.clone()].iter().zip(&self.far[right.clone()]);
            for (place, (&distance, (&other_near, &other_far))) in
                line.iter().zip(others).enumerate().skip(first)
            {
                chosen[count] = place;
                let is_near = (distance < near) | (distance < other_near);
                let is_far = (distance > far) | (distance > other_far);
                let is_far = self.source.with_far & is_far & (distance < f64::INFINITY);
                count += usize::from(is_near | is_far);
            }
            linked.clear();
            linked.extend(chosen[..count].iter().map(|&place| {
                let (other, distance) = (right.start + place, line[place]);
                let strength = self.source.strength(distance);
                let link = |own, other| self.link(own, other, distance, strength);
                Linked { other: order[other], links: [link(own, other), link(other, own)] }
            }));
            visit(order[own], &linked);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Table};
    use crate::neighbors::{Grouping, Metric, PairSource, RadiusRule, Space, SpaceOptions};
    use crate::run::Run;

    /// A neighbour: row, group, neighbour and weight.
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
        let pairs = source.symmetric().expect("all distances are kept");
        let (mut found, mut seen) = (Vec::new(), std::collections::HashSet::new());
        for part in 0..pairs.parts() {
            pairs.visit(part, &mut |a, linked| {
                for &Linked { other: b, links } in linked {
                    assert!(seen.insert((a.min(b), a.max(b))), "{a} and {b} come once");
                    assert!(links.iter().any(|link| link.weight != 0.0));
                    for ((row, other), link) in [(a, b), (b, a)].into_iter().zip(links) {
                        if link.weight != 0.0 {
                            found.push((row, link.group as usize, other, link.weight));
                        }
                    }
                }
            });
        }
        found.sort_by_key(|one| (one.0, one.1, one.2));
        found
    }

    #[test]
    fn both_forms_show_the_same_neighbours() {
        // More rows than two blocks have; rows that miss both columns are infinitely far from all.
        let rows = 2 * BLOCK + 37;
        let numbers = |step: f64, gaps: usize| {
            let number = |row: usize| (step * row as f64).fract();
            (0..rows).map(|row| if row % gaps == 1 { f64::NAN } else { number(row) }).collect()
        };
        let table = |gaps| {
            Table::new(vec![
                Column::from_values("a", numbers(0.618, gaps)).unwrap(),
                Column::from_values("b", numbers(0.414, gaps)).unwrap(),
            ])
            .unwrap()
        };
        let run = Run::new(Some(2)).unwrap();
        let codes: Vec<u32> = (0..rows as u32).map(|row| row * row % 7 % 3).collect();
        let sampled: Vec<u32> = (0..rows as u32).collect();
        let rules = [RadiusRule::MeanOfPairs, RadiusRule::OwnMean, RadiusRule::Sigmoid];
        for (gaps, metric) in
            [(rows, Metric::Manhattan), (5, Metric::Manhattan), (rows, Metric::Euclidean)]
        {
            let table = table(gaps);
            let missing = crate::neighbors::MissingPolicy::Ignore;
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
    fn a_sample_of_the_rows_has_no_symmetric_pairs() {
        let values = (0..40).map(|row| f64::from(row * 7 % 11)).collect();
        let table = Table::new(vec![Column::from_values("a", values).unwrap()]).unwrap();
        let run = Run::new(Some(1)).unwrap();
        let space = Space::new(&table, None, SpaceOptions::default(), &run).unwrap();
        let rule = RadiusRule::OwnMean;
        let source =
            RadiusNeighbors::new(&space, &[1, 5, 9], Grouping::All, rule, false, &run).unwrap();
        assert!(source.symmetric().is_none());
    }
}
