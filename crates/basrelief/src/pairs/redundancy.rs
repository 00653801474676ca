//! Redundancy of features: their pairwise similarity, and groups of similar features.

use super::chosen::columns_at;
use super::triangle;
use crate::data::Table;
use crate::error::{Error, Result};
use crate::parallel;
use crate::run::Run;
use crate::selection::KnownValues;

/// Default cut-off: groups of features with at least this mean correlation are merged.
pub const CUTOFF: f64 = 0.7;

/// A merge of two groups of features.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Merge {
    /// The group with the earliest feature of the list: a position in the list of features or, from the number of
    /// features on, the result of an earlier merge.
    pub first: usize,
    /// The other group.
    pub second: usize,
    /// The similarity of the groups: the mean correlation between the features of one group and those of the other.
    pub correlation: f64,
    /// The number of features in both groups.
    pub size: usize,
}

/// The pairwise similarity of features, and groups of similar features.
///
/// The correlation of a pair, from 0 to 1, depends on the two kinds, and is that of the rows in which
/// both features are known:
///
/// - `|r|` for numbers and genotypes;
/// - Cramér's V for a category with a category or genotype, corrected for bias (Bergsma 2013): with
///   `f = max(0, chi^2 / n - (k-1)(r-1) / (n-1))`, `k' = k - (k-1)^2 / (n-1)` and the analogous `r'`, it is
///   `sqrt(f / min(k' - 1, r' - 1))`;
/// - the correlation ratio for numbers by `k` categories, corrected for bias (Kelley 1935): the square root of
///   `1 - (within / (n - k)) / (total / (n - 1))` with the sums of squares, or 0 if that is below 0.
///
/// It is 0 if one of the features does not vary, or for fewer than 3 rows.
///
/// The groups grow by average linkage (Sokal & Michener 1958): the two most similar groups are merged repeatedly,
/// where similarity is the mean correlation between their features. Ties go to the groups whose features come first.
///
/// Sources: W. Bergsma. A bias-correction for Cramér's V and Tschuprow's T. Journal of the Korean Statistical Society
/// 42(3), 2013. T. L. Kelley. An unbiased correlation ratio measure. PNAS 21(9), 1935. R. R. Sokal and C. D.
/// Michener. A statistical method for evaluating systematic relationships. University of Kansas Science Bulletin 38,
/// 1958.
#[derive(Debug, Clone, PartialEq)]
pub struct Redundancy {
    /// The features, by their positions in the table.
    pub features: Vec<usize>,
    /// The correlations of all pairs in the order of the upper triangle: 0 with 1, 0 with 2, ..., 1 with 2, ...
    pub correlations: Vec<f64>,
    /// The merges of groups, one fewer than features.
    pub merges: Vec<Merge>,
    /// The positions of the features in an order in which groups are contiguous: the order of a heat map.
    pub order: Vec<usize>,
    /// The cut-off of the groups.
    pub cutoff: f64,
    /// The groups of at least two features at the cut-off, as ascending positions; the group with the first feature
    /// comes first.
    pub groups: Vec<Vec<usize>>,
}

impl Redundancy {
    /// Groups the features at some positions of a table; groups are merged while their similarity is at least the
    /// cut-off.
    ///
    /// # Errors
    /// A position that the table does not have, or that occurs twice; a cut-off that is not from 0 to 1;
    /// [`Error::Cancelled`].
    pub fn new(table: &Table<'_>, features: &[usize], cutoff: f64, run: &Run) -> Result<Self> {
        if !(0.0..=1.0).contains(&cutoff) {
            return Err(Error::data(
                format!("a cut-off of {cutoff} is not an absolute correlation"),
                format!("give a number from 0 to 1, for example {CUTOFF}"),
            ));
        }
        let columns: Vec<KnownValues> =
            columns_at(table, features)?.iter().map(|column| KnownValues::new(column)).collect();
        let size = columns.len();
        let pairs = triangle::pairs(size);
        let one = |&(first, second): &(usize, usize)| {
            run.check()?;
            Ok(columns[first].correlation(&columns[second]))
        };
        let correlations = run.install(|| parallel::try_map(&pairs, one))?;
        let merges = average_linkage(size, &correlations);
        let mut members: Vec<Vec<usize>> = (0..size).map(|feature| vec![feature]).collect();
        let mut groups = members.clone();
        for merge in &merges {
            let joined = [&members[merge.first][..], &members[merge.second]].concat();
            // Rounding errors of a mean must not decide.
            if merge.correlation >= cutoff - 1e-12 {
                groups.retain(|group| !joined.contains(&group[0]));
                groups.push(joined.clone());
            }
            members.push(joined);
        }
        let order = members.pop().unwrap_or_default();
        groups.retain(|group| group.len() > 1);
        groups.iter_mut().for_each(|group| group.sort_unstable());
        groups.sort();
        Ok(Self { features: features.to_vec(), correlations, merges, order, cutoff, groups })
    }

    /// The correlation of the features at two positions in the list, in either order; 1 for equal positions; `None`
    /// if a position does not exist.
    pub fn correlation(&self, one: usize, other: usize) -> Option<f64> {
        if one == other {
            return (one < self.features.len()).then_some(1.0);
        }
        let place = triangle::place(self.features.len(), one, other)?;
        Some(self.correlations[place])
    }
}

/// Merges the two most similar groups until one remains. `correlations` contains all pairs.
fn average_linkage(size: usize, correlations: &[f64]) -> Vec<Merge> {
    /// A group that is not merged yet.
    struct Group {
        /// Its number: a feature's position or, after all features, that of the merge that created it.
        number: usize,
        size: usize,
        /// Its mean correlations with the groups after it.
        alike: Vec<f64>,
    }
    let mut rest = correlations;
    let mut groups: Vec<Group> = Vec::with_capacity(size);
    for number in 0..size {
        let (own, after) = rest.split_at(size - number - 1);
        groups.push(Group { number, size: 1, alike: own.to_vec() });
        rest = after;
    }
    // Groups are in the order of their first features.
    let mut merges: Vec<Merge> = Vec::with_capacity(size.saturating_sub(1));
    while groups.len() > 1 {
        let mut best = (f64::NEG_INFINITY, 0, 0);
        for (one, group) in groups.iter().enumerate() {
            for (step, &alike) in group.alike.iter().enumerate() {
                if alike > best.0 {
                    best = (alike, one, one + 1 + step);
                }
            }
        }
        let (correlation, first, second) = best;
        let gone = groups.remove(second);
        let (kept, added) = (groups[first].size as f64, gone.size as f64);
        let mean = |one: f64, other: f64| (kept * one + added * other) / (kept + added);
        for other in 0..first {
            let alike = &mut groups[other].alike;
            let of_gone = alike.remove(second - other - 1);
            let of_kept = &mut alike[first - other - 1];
            *of_kept = mean(*of_kept, of_gone);
        }
        groups[first].alike.remove(second - first - 1);
        for other in first + 1..groups.len() {
            let of_gone = match other < second {
                true => groups[other].alike.remove(second - other - 1),
                false => gone.alike[other - second],
            };
            let of_kept = &mut groups[first].alike[other - first - 1];
            *of_kept = mean(*of_kept, of_gone);
        }
        let size_of_both = groups[first].size + gone.size;
        let number = groups[first].number;
        merges.push(Merge { first: number, second: gone.number, correlation, size: size_of_both });
        groups[first].number = size + merges.len() - 1;
        groups[first].size = size_of_both;
    }
    merges
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::Column;

    fn near(found: f64, wanted: f64) {
        assert!((found - wanted).abs() < 1e-12, "{found} and not {wanted}");
    }

    fn merge(first: usize, second: usize, correlation: f64, size: usize) -> Merge {
        Merge { first, second, correlation, size }
    }

    #[test]
    fn groups_grow_as_by_hand() {
        // 0-2 are the most similar, then 1-3 (0.5); between the groups: (0.1 + 0.3 + 0.2 + 0.4) / 4.
        let found = average_linkage(4, &[0.1, 0.9, 0.3, 0.2, 0.5, 0.4]);
        assert_eq!(found[..2], [merge(0, 2, 0.9, 2), merge(1, 3, 0.5, 2)]);
        assert_eq!((found[2].first, found[2].second, found[2].size), (4, 5, 4));
        near(found[2].correlation, 0.25);
        // All are equally similar: in the order of the list.
        let found = average_linkage(3, &[0.5; 3]);
        assert_eq!(found, [merge(0, 1, 0.5, 2), merge(3, 2, 0.5, 3)]);
        assert!(average_linkage(1, &[]).is_empty() && average_linkage(0, &[]).is_empty());
    }

    #[test]
    fn copies_stand_together() {
        let (a, b): (Vec<f64>, Vec<f64>) =
            (0..40).map(|row| (f64::from(row * 7 % 40), f64::from(row * row % 37))).unzip();
        let near_a = a.iter().zip(&b).map(|(a, b)| a - 0.1 * b).collect();
        let column = |name: &str, values| Column::from_values(name, values).unwrap();
        let copy = b.iter().map(|value| -2.0 * value).collect();
        let constant = vec![1.0; 40];
        let table = Table::new(vec![
            column("unused", constant.clone()),
            column("a", a),
            column("b", b),
            column("constant", constant),
            column("near a", near_a),
            column("minus b", copy),
        ])
        .unwrap();
        let run = Run::new(Some(2)).unwrap();
        let found = Redundancy::new(&table, &[1, 2, 3, 4, 5], CUTOFF, &run).unwrap();
        assert_eq!(found.groups, [[0, 3], [1, 4]]);
        assert_eq!(found.order, [0, 3, 1, 4, 2]);
        assert_eq!(found.merges.len(), 4);
        near(found.correlation(4, 1).unwrap(), 1.0);
        assert_eq!(found.correlation(2, 0), Some(0.0));
        assert_eq!((found.correlation(2, 2), found.correlation(0, 5)), (Some(1.0), None));
        let strict = Redundancy::new(&table, &[1, 2, 3, 4, 5], 1.0, &run).unwrap();
        assert_eq!(strict.groups, [[1, 4]]);
        let lax = Redundancy::new(&table, &[1, 2, 3, 4, 5], 0.0, &run).unwrap();
        assert_eq!(lax.groups, [[0, 1, 2, 3, 4]]);
        for (features, wanted) in [(&[][..], &[][..]), (&[3], &[0])] {
            let found = Redundancy::new(&table, features, CUTOFF, &run).unwrap();
            assert_eq!(found.order, wanted);
            assert!(found.groups.is_empty() && found.correlations.is_empty());
        }
        assert!(Redundancy::new(&table, &[0], f64::NAN, &run).is_err());
        assert!(Redundancy::new(&table, &[6], CUTOFF, &run).is_err());
    }

    proptest! {
        #[test]
        fn merges_are_those_of_means_over_all_pairs(
            size in 1_usize..9,
            steps in proptest::collection::vec(0_u8..40, 28),
        ) {
            // Coarse values, so that there are ties.
            let correlations: Vec<f64> =
                steps.iter().take(size * (size - 1) / 2).map(|&step| f64::from(step) / 40.0).collect();
            let mut groups: Vec<(usize, Vec<usize>)> =
                (0..size).map(|feature| (feature, vec![feature])).collect();
            for (at, found) in average_linkage(size, &correlations).into_iter().enumerate() {
                let mean = |one: &[usize], other: &[usize]| {
                    let pairs = one.iter().flat_map(|&a| other.iter().map(move |&b| (a, b)));
                    let of = |(a, b)| correlations[triangle::place(size, a, b).unwrap()];
                    pairs.map(of).sum::<f64>() / (one.len() * other.len()) as f64
                };
                let most = triangle::pairs(groups.len())
                    .into_iter()
                    .map(|(a, b)| mean(&groups[a].1, &groups[b].1))
                    .fold(0.0, f64::max);
                let second = groups.iter().position(|group| group.0 == found.second).unwrap();
                let (_, gone) = groups.remove(second);
                let first = groups.iter().position(|group| group.0 == found.first).unwrap();
                prop_assert!(groups[first].1[0] < gone[0]);
                let own = mean(&groups[first].1, &gone);
                prop_assert!((own - most).abs() < 1e-12 && (found.correlation - own).abs() < 1e-12);
                groups[first].1.extend(gone);
                groups[first].0 = size + at;
                prop_assert_eq!(groups[first].1.len(), found.size);
            }
            prop_assert_eq!(groups.len(), 1);
        }
    }
}
