//! Splits of rows into parts for training and testing.

use std::cmp::Reverse;
use std::collections::HashSet;

use super::{Classes, Groups, Target};
use crate::error::{Error, Result};
use crate::random::{RandomStream, generator, shuffle};
use crate::run::derived_seed;

/// Training rows and test rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// The training rows, ascending.
    pub train: Vec<usize>,
    /// The test rows, ascending.
    pub test: Vec<usize>,
}

/// Assigns every row at random to a part from 0 to below `parts`; the seed determines the assignment.
///
/// With classes, the assignment is stratified: the rows of every class are dealt to the parts in turn,
/// and each class continues with the part after the last one. The sizes of the parts therefore differ by
/// at most 1, and so do their numbers of rows of each class. Without classes, all rows are dealt together.
///
/// With groups, the rows of a group are in one part. Groups are assigned in random order, large groups first, each to
/// the part that then has the most equal numbers of rows of each class.
///
/// # Panics
/// `parts` is 0.
pub fn deal(target: &Target, groups: Option<&Groups>, parts: usize, seed: u64) -> Vec<usize> {
    assert!(parts > 0, "there is at least one part");
    let mut generator = generator(seed, RandomStream::Folds);
    let mut dealt = vec![0; target.rows()];
    if let Some(groups) = repeated(groups) {
        let mut members = groups.members();
        shuffle(&mut members, &mut generator);
        members.sort_by_key(|rows| Reverse(rows.len()));
        let (code, totals) = class_codes(target);
        let mut held = vec![vec![0_usize; totals.len()]; parts];
        for rows in members {
            let mut counts = vec![0_usize; totals.len()];
            rows.iter().for_each(|&row| counts[code(row)] += 1);
            // The increase of the sum of squares of the shares of all classes.
            let cost = |part: &usize| -> f64 {
                let classes = counts.iter().zip(&held[*part]).zip(&totals);
                classes
                    .map(|((&own, &held), &total)| {
                        (own * (own + 2 * held)) as f64 / (total * total) as f64
                    })
                    .sum()
            };
            let part = (0..parts).min_by(|a, b| cost(a).total_cmp(&cost(b))).unwrap_or(0);
            held[part].iter_mut().zip(&counts).for_each(|(held, own)| *held += own);
            rows.iter().for_each(|&row| dealt[row as usize] = part);
        }
        return dealt;
    }
    let mut next = 0;
    for mut rows in rows_by_class(target) {
        shuffle(&mut rows, &mut generator);
        for row in rows {
            dealt[row as usize] = next % parts;
            next += 1;
        }
    }
    dealt
}

/// Groups, unless every row is its own group.
fn repeated(groups: Option<&Groups>) -> Option<&Groups> {
    groups.filter(|groups| groups.are_repeated())
}

/// The class of a row, and the number of rows of every class; one class for a numeric target.
fn class_codes(target: &Target) -> (impl Fn(u32) -> usize + '_, Vec<usize>) {
    let balanced = target.balanced();
    let codes = balanced.map(Classes::codes);
    let totals = balanced.map_or_else(|| vec![target.rows()], |own| own.counts().to_vec());
    (move |row: u32| codes.map_or(0, |codes| codes[row as usize] as usize), totals)
}

/// The rows of every class, or all rows.
fn rows_by_class(target: &Target) -> Vec<Vec<u32>> {
    target.balanced().map_or_else(|| vec![(0..target.rows() as u32).collect()], Classes::members)
}

/// What a resample or a random split selects: rows, or whole groups of rows.
pub(crate) struct Units {
    rows: Vec<u32>,
    /// The end of the rows of each unit.
    ends: Vec<u32>,
}

impl Units {
    /// The units of every class, or all. Groups that contain several classes are listed last, if there are any.
    pub(crate) fn of(target: &Target, groups: Option<&Groups>) -> Vec<Self> {
        let Some(groups) = repeated(groups) else {
            let of_rows = |rows: Vec<u32>| Self { ends: (1..=rows.len() as u32).collect(), rows };
            return rows_by_class(target).into_iter().map(of_rows).collect();
        };
        let (code, totals) = class_codes(target);
        let mut units: Vec<Self> =
            (0..=totals.len()).map(|_| Self { rows: Vec::new(), ends: Vec::new() }).collect();
        for rows in groups.members() {
            let own = code(rows[0]);
            let is_mixed = rows.iter().any(|&row| code(row) != own);
            let units = &mut units[if is_mixed { totals.len() } else { own }];
            units.rows.extend(rows);
            units.ends.push(units.rows.len() as u32);
        }
        if units.last().is_some_and(|mixed| mixed.len() == 0) {
            units.pop();
        }
        units
    }

    /// The number of units.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The rows of a unit.
    pub(crate) fn rows(&self, unit: u32) -> &[u32] {
        let start = if unit == 0 { 0 } else { self.ends[unit as usize - 1] };
        &self.rows[start as usize..self.ends[unit as usize] as usize]
    }
}

/// The splits of cross-validation: every part is the test set once, and contains whole groups if rows are in groups.
///
/// # Errors
/// Fewer than 2 parts, more parts than rows or groups, or more parts than rows, or groups, of the smallest class, which
/// the message names.
pub fn folds(
    target: &Target,
    groups: Option<&Groups>,
    parts: usize,
    seed: u64,
) -> Result<Vec<Split>> {
    let refuse = |problem: String, help: String| Err(Error::option("folds", problem, help));
    if parts < 2 {
        return refuse(
            format!("{parts} folds leave no rows for training or testing"),
            "use 2 or more, or `loo`".to_string(),
        );
    }
    let groups = repeated(groups);
    let (units, count) = match groups {
        None => ("rows", target.rows()),
        Some(groups) => ("groups", groups.len()),
    };
    if parts > count {
        return refuse(
            format!("{parts} folds exceed the {count} {units}"),
            format!("use at most {count}, or `loo`"),
        );
    }
    if let Some(classes) = target.balanced() {
        let counts = match groups {
            None => classes.counts().to_vec(),
            Some(groups) => groups_by_class(classes, groups),
        };
        let smallest = classes.names().iter().zip(counts).min_by_key(|(_, count)| *count);
        if let Some((name, count)) = smallest.filter(|(_, count)| *count < parts) {
            let at_most =
                if count < 2 { String::new() } else { format!("at most {count} folds, or ") };
            return refuse(
                format!("class `{name}` has {count} {units}, fewer than {parts} folds"),
                format!("use {at_most}`loo`, or exclude the class"),
            );
        }
    }
    let dealt = deal(target, groups, parts, seed);
    Ok((0..parts).map(|part| Split::new(target.rows(), |row| dealt[row] == part)).collect())
}

/// The number of groups with rows of each class.
fn groups_by_class(classes: &Classes, groups: &Groups) -> Vec<usize> {
    let pairs: HashSet<(u32, u32)> =
        classes.codes().iter().copied().zip(groups.codes().iter().copied()).collect();
    let mut counts = vec![0; classes.len()];
    pairs.into_iter().for_each(|(class, _)| counts[class as usize] += 1);
    counts
}

/// The splits of leave-one-out cross-validation: every row, or every group, is the test set once.
pub fn leave_one_out(rows: usize, groups: Option<&Groups>) -> Vec<Split> {
    match repeated(groups) {
        None => (0..rows).map(|left_out| Split::new(rows, |row| row == left_out)).collect(),
        Some(groups) => {
            let codes = groups.codes();
            let left_out = |group: u32| Split::new(rows, |row| codes[row] == group);
            (0..groups.len() as u32).map(left_out).collect()
        }
    }
}

/// Draws a stratified random split, whose training set has `count(n_c)` of the `n_c` rows of every class,
/// or `count(n)` of all rows without classes. The seed determines the split. If rows are in groups, groups are counted
/// instead of rows, and groups that contain several classes are counted together.
///
/// # Panics
/// A count exceeds the number of rows.
pub fn holdout(
    target: &Target,
    groups: Option<&Groups>,
    seed: u64,
    count: impl Fn(usize) -> usize,
) -> Split {
    let mut generator = generator(seed, RandomStream::Folds);
    let mut train = vec![false; target.rows()];
    for units in Units::of(target, groups) {
        let mut order: Vec<u32> = (0..units.len() as u32).collect();
        shuffle(&mut order, &mut generator);
        for &unit in &order[..count(units.len())] {
            units.rows(unit).iter().for_each(|&row| train[row as usize] = true);
        }
    }
    Split::new(target.rows(), |row| !train[row])
}

/// Draws a random split, whose training set has `count` rows of any class. The seed determines the split.
///
/// # Panics
/// `count` exceeds the number of rows.
pub fn partition(rows: usize, count: usize, seed: u64) -> Split {
    let mut order: Vec<u32> = (0..rows as u32).collect();
    shuffle(&mut order, &mut generator(seed, RandomStream::Folds));
    let mut train = vec![false; rows];
    order[..count].iter().for_each(|&row| train[row as usize] = true);
    Split::new(rows, |row| !train[row])
}

impl Split {
    /// Splits in random halves, as Hocke & Martinetz (2013) draw them: half of the rows of every class, rounded down,
    /// are learned from, or half of all rows of a numeric target. `set` is the number of the data set among those that
    /// share a seed. If rows are in groups, a half contains whole groups.
    ///
    /// # Errors
    /// A class of one row or group, or fewer than two rows or groups.
    pub fn halves(
        target: &Target,
        groups: Option<&Groups>,
        count: usize,
        seed: u64,
        set: u64,
    ) -> Result<Vec<Self>> {
        let groups = repeated(groups);
        let units = if groups.is_some() { "groups" } else { "rows" };
        let single = match target.balanced() {
            Some(classes) => {
                let counts = match groups {
                    None => classes.counts().to_vec(),
                    Some(groups) => groups_by_class(classes, groups),
                };
                let mut sizes = classes.names().iter().zip(counts);
                sizes.find(|(_, count)| *count < 2).map(|(name, _)| format!("class `{name}`"))
            }
            None => {
                let count = groups.map_or(target.rows(), Groups::len);
                (count < 2).then(|| "the table".to_string())
            }
        };
        if let Some(single) = single {
            return Err(Error::data(
                format!("{single} has fewer than two {units}, and cannot be split in halves"),
                "add rows, or remove the class",
            ));
        }
        let split = |number: usize| {
            let seed = derived_seed(seed, &[set, number as u64]);
            holdout(target, groups, seed, |count| count / 2)
        };
        Ok((0..count).map(split).collect())
    }

    fn new(rows: usize, is_test: impl Fn(usize) -> bool) -> Self {
        let (test, train) = (0..rows).partition(|&row| is_test(row));
        Self { train, test }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Classes, GroupWeight};

    fn target(labels: &[&str]) -> Target {
        Target::Classes(Classes::from_labels(labels))
    }

    #[test]
    fn parts_are_of_one_size_and_hold_all_classes_alike() {
        let labels: Vec<&str> = (0..57).map(|row| if row % 3 == 0 { "a" } else { "b" }).collect();
        let target = target(&labels);
        let found = deal(&target, None, 10, 3);
        assert_eq!(found, deal(&target, None, 10, 3));
        assert_ne!(found, deal(&target, None, 10, 4));
        for part in 0..10 {
            let held: Vec<usize> = (0..57).filter(|&row| found[row] == part).collect();
            assert!(held.len() == 5 || held.len() == 6, "{}", held.len());
            let a = held.iter().filter(|&&row| labels[row] == "a").count();
            assert!(a == 1 || a == 2, "{a}");
        }
    }

    #[test]
    fn every_row_is_tested_once_and_never_learned_from_then() {
        let real = Target::Real((0..23).map(f64::from).collect());
        for splits in [folds(&real, None, 4, 1).unwrap(), leave_one_out(23, None)] {
            let mut tested = vec![0; 23];
            for Split { train, test } in splits {
                assert_eq!(train.len() + test.len(), 23);
                assert!(test.iter().all(|row| !train.contains(row)));
                test.iter().for_each(|&row| tested[row] += 1);
            }
            assert_eq!(tested, [1; 23]);
        }
    }

    #[test]
    fn folds_that_cannot_be_are_refused() {
        let target = target(&["a", "a", "a", "b", "b", "a"]);
        let error = |parts| folds(&target, None, parts, 0).unwrap_err().to_string();
        assert!(error(1).contains("leave no rows"));
        assert!(error(7).contains("exceed the 6 rows"));
        let message = error(3);
        assert!(message.contains("class `b` has 2 rows") && message.contains("at most 2 folds"));
        assert!(folds(&target, None, 2, 0).is_ok());
    }

    #[test]
    fn a_holdout_takes_its_share_of_every_class() {
        let target = target(&["a", "b", "a", "b", "a", "b", "a", "a", "a"]);
        let split = holdout(&target, None, 5, |count| count / 2);
        let b = split.train.iter().filter(|&&row| [1, 3, 5].contains(&row)).count();
        assert_eq!((split.train.len(), b, split.test.len()), (4, 1, 5));
        assert_ne!(split, holdout(&target, None, 6, |count| count / 2));
        let split = partition(10, 7, 5);
        assert_eq!((split.train.len(), split.test.len()), (7, 3));
        assert_ne!(split, partition(10, 7, 6));
    }

    /// 12 subjects of class a and 12 of class b, of 1 to 4 rows.
    fn subjects() -> (Target, Groups) {
        let (mut labels, mut names) = (Vec::new(), Vec::new());
        for subject in 0..24 {
            for _ in 0..subject % 4 + 1 {
                labels.push(if subject < 12 { "a" } else { "b" });
                names.push(subject.to_string());
            }
        }
        (target(&labels), Groups::from_labels(&names, GroupWeight::Group))
    }

    fn assert_whole(split: &Split, groups: &Groups) {
        let of = |rows: &[usize]| -> HashSet<u32> {
            rows.iter().map(|&row| groups.codes()[row]).collect()
        };
        assert!(of(&split.train).is_disjoint(&of(&split.test)));
    }

    #[test]
    fn groups_stay_whole_and_parts_have_equal_numbers_of_rows() {
        let (target, groups) = subjects();
        for split in folds(&target, Some(&groups), 4, 3).unwrap() {
            assert_whole(&split, &groups);
            assert!((14..=16).contains(&split.test.len()), "{}", split.test.len());
            let a = split.test.iter().filter(|&&row| row < 30).count();
            assert!((7..=8).contains(&a), "{a}");
        }
        let left_out = leave_one_out(target.rows(), Some(&groups));
        assert_eq!(left_out.len(), 24);
        left_out.iter().for_each(|split| assert_whole(split, &groups));
        for split in Split::halves(&target, Some(&groups), 3, 1, 0).unwrap() {
            assert_whole(&split, &groups);
            let own = groups.select_rows(&split.train);
            assert_eq!(own.len(), 12);
            assert_eq!(
                own.names().iter().filter(|name| name.parse::<u32>().unwrap() < 12).count(),
                6
            );
        }
        let message = folds(&target, Some(&groups), 13, 0).unwrap_err().to_string();
        assert!(message.contains("class `a` has 12 groups, fewer than 13 folds"), "{message}");
        // Groups of one row are the same as none.
        let names: Vec<String> = (0..target.rows()).map(|row| row.to_string()).collect();
        let single = Groups::from_labels(&names, GroupWeight::Group);
        let of = |groups| folds(&target, groups, 4, 3).unwrap();
        assert_eq!(of(Some(&single)), of(None));
    }

    #[test]
    fn groups_of_several_classes_are_units_of_their_own() {
        let target = target(&["a", "b", "a", "b", "a", "a"]);
        let groups = Groups::from_labels(&["1", "1", "2", "3", "2", "4"], GroupWeight::Group);
        let units = Units::of(&target, Some(&groups));
        let rows = |list: &Units| -> Vec<Vec<u32>> {
            (0..list.len() as u32).map(|unit| list.rows(unit).to_vec()).collect()
        };
        let found: Vec<_> = units.iter().map(rows).collect();
        assert_eq!(found, [vec![vec![2, 4], vec![5]], vec![vec![3]], vec![vec![0, 1]]]);
    }
}
