//! Splits of rows into parts for training and testing.

use super::Target;
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
/// # Panics
/// `parts` is 0.
pub fn deal(target: &Target, parts: usize, seed: u64) -> Vec<usize> {
    assert!(parts > 0, "there is at least one part");
    let mut generator = generator(seed, RandomStream::Folds);
    let mut dealt = vec![0; target.rows()];
    let mut next = 0;
    for mut rows in groups(target) {
        shuffle(&mut rows, &mut generator);
        for row in rows {
            dealt[row as usize] = next % parts;
            next += 1;
        }
    }
    dealt
}

/// The rows of every class, or all rows.
pub(crate) fn groups(target: &Target) -> Vec<Vec<u32>> {
    match target {
        Target::Classes(classes) => {
            let mut groups = vec![Vec::new(); classes.len()];
            for (row, &code) in classes.codes().iter().enumerate() {
                groups[code as usize].push(row as u32);
            }
            groups
        }
        Target::Real(values) => vec![(0..values.len() as u32).collect()],
    }
}

/// The splits of cross-validation: every part is the test set once.
///
/// # Errors
/// Fewer than 2 parts, more parts than rows, or more parts than rows of the smallest class, which the
/// message names.
pub fn folds(target: &Target, parts: usize, seed: u64) -> Result<Vec<Split>> {
    let refuse = |problem: String, help: String| Err(Error::option("folds", problem, help));
    if parts < 2 {
        return refuse(
            format!("{parts} folds leave no rows for training or testing"),
            "use 2 or more, or `loo`".to_string(),
        );
    }
    if parts > target.rows() {
        let rows = target.rows();
        return refuse(
            format!("{parts} folds exceed the {rows} rows"),
            format!("use at most {rows}, or `loo`"),
        );
    }
    if let Target::Classes(classes) = target {
        let smallest =
            classes.names().iter().zip(classes.counts()).min_by_key(|(_, count)| **count);
        if let Some((name, &count)) = smallest.filter(|(_, count)| **count < parts) {
            let at_most =
                if count < 2 { String::new() } else { format!("at most {count} folds, or ") };
            return refuse(
                format!("class `{name}` has {count} rows, fewer than {parts} folds"),
                format!("use {at_most}`loo`, or exclude the class"),
            );
        }
    }
    let dealt = deal(target, parts, seed);
    Ok((0..parts).map(|part| Split::new(target.rows(), |row| dealt[row] == part)).collect())
}

/// The splits of leave-one-out cross-validation: every row is the test set once.
pub fn leave_one_out(rows: usize) -> Vec<Split> {
    (0..rows).map(|left_out| Split::new(rows, |row| row == left_out)).collect()
}

/// Draws a stratified random split, whose training set has `count(n_c)` of the `n_c` rows of every class,
/// or `count(n)` of all rows without classes. The seed determines the split.
///
/// # Panics
/// A count exceeds the number of rows.
pub fn holdout(target: &Target, seed: u64, count: impl Fn(usize) -> usize) -> Split {
    let mut generator = generator(seed, RandomStream::Folds);
    let mut train = vec![false; target.rows()];
    for mut rows in groups(target) {
        shuffle(&mut rows, &mut generator);
        rows[..count(rows.len())].iter().for_each(|&row| train[row as usize] = true);
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
    /// share a seed.
    ///
    /// # Errors
    /// A class of one row, or fewer than two rows.
    pub fn halves(target: &Target, count: usize, seed: u64, set: u64) -> Result<Vec<Self>> {
        let single = match target {
            Target::Classes(classes) => {
                let mut sizes = classes.names().iter().zip(classes.counts());
                sizes.find(|(_, count)| **count < 2).map(|(name, _)| format!("class `{name}`"))
            }
            Target::Real(values) => (values.len() < 2).then(|| "the table".to_string()),
        };
        if let Some(single) = single {
            return Err(Error::data(
                format!("{single} has fewer than two rows, and cannot be split in halves"),
                "add rows, or remove the class",
            ));
        }
        let split = |number: usize| {
            holdout(target, derived_seed(seed, &[set, number as u64]), |count| count / 2)
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
    use crate::data::Classes;

    fn target(labels: &[&str]) -> Target {
        Target::Classes(Classes::from_labels(labels))
    }

    #[test]
    fn parts_are_of_one_size_and_hold_all_classes_alike() {
        let labels: Vec<&str> = (0..57).map(|row| if row % 3 == 0 { "a" } else { "b" }).collect();
        let target = target(&labels);
        let found = deal(&target, 10, 3);
        assert_eq!(found, deal(&target, 10, 3));
        assert_ne!(found, deal(&target, 10, 4));
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
        for splits in [folds(&real, 4, 1).unwrap(), leave_one_out(23)] {
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
        let error = |parts| folds(&target, parts, 0).unwrap_err().to_string();
        assert!(error(1).contains("leave no rows"));
        assert!(error(7).contains("exceed the 6 rows"));
        let message = error(3);
        assert!(message.contains("class `b` has 2 rows") && message.contains("at most 2 folds"));
        assert!(folds(&target, 2, 0).is_ok());
    }

    #[test]
    fn a_holdout_takes_its_share_of_every_class() {
        let target = target(&["a", "b", "a", "b", "a", "b", "a", "a", "a"]);
        let split = holdout(&target, 5, |count| count / 2);
        let b = split.train.iter().filter(|&&row| [1, 3, 5].contains(&row)).count();
        assert_eq!((split.train.len(), b, split.test.len()), (4, 1, 5));
        assert_ne!(split, holdout(&target, 6, |count| count / 2));
        let split = partition(10, 7, 5);
        assert_eq!((split.train.len(), split.test.len()), (7, 3));
        assert_ne!(split, partition(10, 7, 6));
    }
}
