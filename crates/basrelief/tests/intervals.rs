//! Intervals of weights against brute force: lists of neighbors without each of their units, and numerical derivatives.

mod common;

use basrelief::Run;
use basrelief::data::{ColumnKind, GroupWeight, Groups, Table, Target};
use basrelief::inference::WeightIntervals;
use basrelief::methods::wrappers::Wrapper;
use basrelief::methods::{METHODS, Problem, method};
use basrelief::neighbors::{NeighborWeights, SpaceOptions, Ties};
use common::tables::{Random, table};
use common::{Naive, classes, largest_difference, run};

const ROWS: usize = 160;
const K: usize = 6;

/// A query row's neighbors of one class, or all of its neighbors: other rows with their weights, and by how much a pair
/// counts in both sums.
struct List {
    row: usize,
    neighbors: Vec<(usize, f64, [f64; 2])>,
}

/// Both sums and their totals.
type Sums = [f64; 4];

impl List {
    /// The contribution to the sums of a feature if a unit is not among the neighbors.
    fn sums(&self, naive: &Naive<'_>, f: usize, unit: Option<usize>, units: &[usize]) -> Sums {
        let remaining = || {
            self.neighbors.iter().filter(|(other, ..)| unit.is_none_or(|own| units[*other] != own))
        };
        let all: f64 = remaining().map(|(_, weight, _)| weight).sum();
        let mut sums = [0.0; 4];
        // A list may be empty.
        for &(other, weight, counts) in remaining() {
            let difference = naive.diff(f, self.row, other).unwrap();
            for sum in 0..2 {
                sums[sum] += weight / all * counts[sum] * difference;
                sums[2 + sum] += weight / all * counts[sum];
            }
        }
        sums
    }
}

fn plus(sums: &mut Sums, more: Sums, times: f64) {
    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += times * more);
}

/// The standard error of a feature's weight; `weight` is a function of the sums over all lists.
fn error(
    naive: &Naive<'_>,
    f: usize,
    lists: &[List],
    units: &[usize],
    weight: impl Fn(Sums) -> f64,
) -> f64 {
    let count = units.iter().max().unwrap() + 1;
    let mut all = [0.0; 4];
    lists.iter().for_each(|list| plus(&mut all, list.sums(naive, f, None, units), 1.0));
    let along = |direction: Sums| {
        let at = |step: f64| {
            let mut sums = all;
            plus(&mut sums, direction, step);
            weight(sums)
        };
        (at(1e-4) - at(-1e-4)) / 2e-4
    };
    let mut influences = vec![[0.0; 4]; count];
    let mut pairs = vec![vec![[0.0; 4]; count]; count];
    for list in lists {
        let own = units[list.row];
        plus(&mut influences[own], list.sums(naive, f, None, units), 1.0);
        let mut others: Vec<usize> =
            list.neighbors.iter().map(|(other, ..)| units[*other]).collect();
        others.sort_unstable();
        others.dedup();
        for &other in &others {
            if others.len() == 1 {
                continue;
            }
            let mut change = list.sums(naive, f, None, units);
            plus(&mut change, list.sums(naive, f, Some(other), units), -1.0);
            plus(&mut influences[other], change, 1.0);
            plus(&mut pairs[own.min(other)][own.max(other)], change, 1.0);
        }
    }
    for &unit in units {
        plus(&mut influences[unit], all, -1.0 / units.len() as f64);
    }
    let squares: f64 = influences.iter().map(|own| along(*own).powi(2)).sum();
    let jackknife = squares * count as f64 / (count as f64 - 1.0);
    let of_pairs: f64 = pairs.iter().flatten().map(|pair| along(*pair).powi(2)).sum();
    let variance = (jackknife - of_pairs).max(jackknife / 2.0);
    (variance + weight(all).powi(2) * range_variance(naive.table, f, units)).sqrt()
}

/// The variance of the range of a feature relative to the squared range, from the ten largest and smallest units.
fn range_variance(table: &Table<'_>, f: usize, units: &[usize]) -> f64 {
    let column = &table.columns()[f];
    if column.kind() != ColumnKind::Numeric {
        return 0.0;
    }
    let known = (0..ROWS).map(|row| (units[row], column.value(row))).filter(|(_, v)| !v.is_nan());
    let known: Vec<(usize, f64)> = known.collect();
    let count = units.iter().max().unwrap() + 1;
    let ends = |sign: f64| {
        let of_unit = |unit: usize| {
            let own = known.iter().filter(|(own, _)| *own == unit).map(|(_, value)| sign * value);
            own.fold(f64::NEG_INFINITY, f64::max)
        };
        let mut ends: Vec<f64> = (0..count).map(of_unit).filter(|end| end.is_finite()).collect();
        ends.sort_by(|a, b| b.total_cmp(a));
        ends
    };
    let (high, low) = (ends(1.0), ends(-1.0));
    let range = high[0] + low[0];
    let variance = |ends: &[f64]| {
        let spacings = (ends.len() / 4).clamp(1, 10);
        let mean = (0..spacings).map(|k| (k + 1) as f64 * (ends[k] - ends[k + 1])).sum::<f64>()
            / spacings as f64;
        (mean / range).powi(2) * std::f64::consts::PI.powi(2) / 6.0
    };
    variance(&high) + variance(&low)
}

/// Groups of 1 to 3 rows.
fn groups() -> Groups {
    let mut random = Random(3);
    let labels: Vec<String> =
        (0..ROWS).map(|_| format!("g{}", (random.next() * 300.0) as usize)).collect();
    Groups::from_labels(&labels, GroupWeight::Rows)
}

fn codes() -> Vec<u32> {
    let mut random = Random(11);
    (0..ROWS).map(|_| (random.next() * 3.0) as u32).collect()
}

fn numbers() -> Vec<f64> {
    let mut random = Random(5);
    (0..ROWS).map(|_| random.next()).collect()
}

fn found(
    name: &str,
    given: &[(&str, &str)],
    (table, target): (&Table<'_>, &Target),
    groups: Option<&Groups>,
    run: &Run,
) -> basrelief::Result<WeightIntervals> {
    let info = method(name).unwrap();
    let problem = Problem::new(table, target)?.with_groups(groups)?;
    Ok(WeightIntervals::fit(info, &info.settings(given)?, &problem, run)?.1)
}

#[test]
fn standard_errors_are_those_of_brute_force() {
    let k = [("n_neighbors", "6")];
    for (kind, missing) in [("numbers", 0.0), ("genotypes", 0.0), ("mixed", 0.0), ("mixed", 0.1)] {
        let table = table(kind, ROWS, 8, missing);
        for groups in [None, Some(groups())] {
            let units: Vec<usize> = match &groups {
                Some(groups) => groups.codes().iter().map(|code| *code as usize).collect(),
                None => (0..ROWS).collect(),
            };
            let comparable: Vec<Vec<bool>> =
                (0..ROWS).map(|i| (0..ROWS).map(|j| units[i] != units[j]).collect()).collect();
            let of = |codes: Vec<usize>| {
                Naive::new(&table, codes, SpaceOptions::default())
                    .with_comparable(comparable.clone())
            };

            let target = classes(&codes());
            let codes: Vec<usize> =
                target.classes("").unwrap().codes().iter().map(|code| *code as usize).collect();
            let naive = of(codes.clone());
            let share =
                |class| codes.iter().filter(|own| **own == class).count() as f64 / ROWS as f64;
            let mut lists = Vec::new();
            for row in 0..ROWS {
                for class in 0..3 {
                    let members = (0..ROWS).filter(|&j| j != row && codes[j] == class).collect();
                    let counts = match class == codes[row] {
                        true => [1.0, 0.0],
                        false => [0.0, share(class) / (1.0 - share(codes[row]))],
                    };
                    let (from, uniform) = (&naive.distances()[row], NeighborWeights::Uniform);
                    let near = naive.nearest(from, members, K, Ties::Share, uniform);
                    let neighbors = near.into_iter().map(|(j, w)| (j, w, counts)).collect();
                    lists.push(List { row, neighbors });
                }
            }
            let mean = |[hits, misses, ..]: Sums| (misses - hits) / ROWS as f64;
            let expected: Vec<f64> =
                (0..8).map(|f| error(&naive, f, &lists, &units, mean)).collect();
            let relieff =
                found("relieff", &k, (&table, &target), groups.as_ref(), &run(2)).unwrap();
            let difference = largest_difference(&relieff.errors, &expected);
            assert!(
                difference < 1e-10,
                "relieff {kind} {missing} {difference:e}\n{:?}\n{expected:?}",
                relieff.errors
            );

            for (name, of_own_row) in [("surf", false), ("multisurf", true)] {
                let lists = near_lists(&naive, of_own_row, &codes, share);
                let expected: Vec<f64> =
                    (0..8).map(|f| error(&naive, f, &lists, &units, mean)).collect();
                match found(name, &[], (&table, &target), groups.as_ref(), &run(2)) {
                    Ok(found) => {
                        let difference = largest_difference(&found.errors, &expected);
                        assert!(difference < 1e-10, "{name} {kind} {missing} {difference:e}");
                    }
                    Err(error) => {
                        assert!(groups.is_some() && error.to_string().contains("use relieff"));
                    }
                }
            }

            let y = numbers();
            let (low, high) = y.iter().fold((1.0_f64, 0.0_f64), |(l, h), &y| (l.min(y), h.max(y)));
            let naive = of(vec![0; ROWS]);
            let list = |row: usize| {
                let members = (0..ROWS).filter(|&j| j != row).collect();
                let (from, by_rank) =
                    (&naive.distances()[row], NeighborWeights::Rank { sigma: 20.0 });
                let near = naive.nearest(from, members, K, Ties::Share, by_rank);
                let difference = |j: usize| (y[row] - y[j]).abs() / (high - low);
                let neighbors =
                    near.into_iter().map(|(j, w)| (j, w, [1.0, difference(j)])).collect();
                List { row, neighbors }
            };
            let lists: Vec<List> = (0..ROWS).map(list).collect();
            let ratio = |[a, c, all, different]: Sums| c / different - (a - c) / (all - different);
            let expected: Vec<f64> =
                (0..8).map(|f| error(&naive, f, &lists, &units, ratio)).collect();
            let target = Target::Real(y.clone());
            let rrelieff =
                found("rrelieff", &k, (&table, &target), groups.as_ref(), &run(2)).unwrap();
            let difference = largest_difference(&rrelieff.errors, &expected);
            assert!(difference < 1e-7, "rrelieff {kind} {missing} {difference:e}");
        }
    }
}

/// Every row's near rows of each class: nearer than the mean distance of all pairs, or than half a standard deviation
/// below the mean of the row's own distances.
fn near_lists(
    naive: &Naive<'_>,
    of_own_row: bool,
    codes: &[usize],
    share: impl Fn(usize) -> f64,
) -> Vec<List> {
    let distances = naive.distances();
    let others = |row: usize| (0..ROWS).filter(move |other| *other != row);
    let moments = |all: &[f64]| {
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        let square = all.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / all.len() as f64;
        (mean, square.sqrt())
    };
    let of = |row: usize| -> Vec<f64> {
        others(row).map(|other| distances[row][other]).filter(|one| one.is_finite()).collect()
    };
    let of_all = moments(&(0..ROWS).flat_map(of).collect::<Vec<f64>>()).0;
    let mut lists = Vec::new();
    for row in 0..ROWS {
        let (mean, deviation) = moments(&of(row));
        let bound = if of_own_row { mean - deviation / 2.0 } else { of_all };
        for class in 0..3 {
            let is_near =
                |other: &usize| codes[*other] == class && distances[row][*other] < bound - 1e-9;
            let near: Vec<usize> = others(row).filter(is_near).collect();
            let counts = match class == codes[row] {
                true => [1.0, 0.0],
                false => [0.0, share(class) / (1.0 - share(codes[row]))],
            };
            let weight = 1.0 / near.len() as f64;
            let neighbors = near.into_iter().map(|other| (other, weight, counts)).collect();
            lists.push(List { row, neighbors });
        }
    }
    lists
}

/// Groups of one row each are rows; groups that count equally have other intervals than their rows.
#[test]
fn groups_of_one_row_each_are_rows() {
    let (table, target) = (table("mixed", ROWS, 7, 0.05), classes(&codes()));
    let labels: Vec<String> = (0..ROWS).rev().map(|row| row.to_string()).collect();
    let name = "relieff";
    let data = (&table, &target);
    let none = found(name, &[], data, None, &run(1)).unwrap();
    let alone = Groups::from_labels(&labels, GroupWeight::Group);
    let single = found(name, &[], data, Some(&alone), &run(2)).unwrap();
    assert_eq!((&none.errors, &none.limits), (&single.errors, &single.limits), "{name}");
    assert_eq!((single.units, single.are_groups), (ROWS, false));
    let of_groups = found(name, &[], data, Some(&groups()), &run(2)).unwrap();
    assert!(of_groups.are_groups && of_groups.units < ROWS);
    assert!(largest_difference(&of_groups.errors, &none.errors) > 1e-4, "{name}");
}

#[test]
fn intervals_do_not_depend_on_the_threads() {
    let (table, y) = (table("mixed", ROWS, 40, 0.1), Target::Real(numbers()));
    let name = "rrelieff";
    let [one, four] =
        [1, 4].map(|threads| found(name, &[], (&table, &y), None, &run(threads)).unwrap());
    let bits = |found: &WeightIntervals| {
        found.errors.iter().map(|error| error.to_bits()).collect::<Vec<_>>()
    };
    assert_eq!(bits(&one), bits(&four), "{name}");
    assert_eq!(one.limits, four.limits);
}

/// The limits are the weight and the standard error times the quantile of t with 159 degrees of freedom.
#[test]
fn limits_follow_from_standard_errors() {
    let (table, target) = (table("numbers", ROWS, 5, 0.0), classes(&codes()));
    let problem = Problem::new(&table, &target).unwrap();
    let info = method("relieff").unwrap();
    let settings = info.settings::<&str, &str>(&[]).unwrap();
    let (fitted, found) = WeightIntervals::fit(info, &settings, &problem, &run(1)).unwrap();
    assert_eq!(fitted.model, info.fit(&problem, &settings, &run(1)).unwrap().model);
    for ((weight, error), (lower, upper)) in
        fitted.model.weights().iter().zip(&found.errors).zip(&found.limits)
    {
        assert!((upper - weight - 1.974_996_2 * error).abs() < 1e-6 * error);
        assert!((weight - lower - 1.974_996_2 * error).abs() < 1e-6 * error);
    }
}

#[test]
fn intervals_that_may_not_cover_are_refused() {
    let (table, target) = (table("mixed", ROWS, 7, 0.1), classes(&codes()));
    let data = (&table, &target);
    let with: Vec<&str> =
        METHODS.iter().filter(|info| info.has_intervals()).map(|info| info.name).collect();
    assert_eq!(with, ["relieff", "rrelieff", "surf", "multisurf"]);
    let refused = |name: &str, given: &[(&str, &str)]| {
        found(name, given, data, None, &run(1)).unwrap_err().to_string()
    };
    for info in METHODS.iter().filter(|info| !info.has_intervals()) {
        let message = refused(info.name, &[]);
        assert!(message.contains("use relieff, rrelieff, surf or multisurf"), "{message}");
    }
    assert!(refused("multisurf", &[("compat", "skrebate")]).contains("no intervals"));
    assert!(refused("relieff", &[("n_neighbors", "4")]).contains("at least 5"));
    assert!(refused("relieff", &[("n_samples", "30")]).contains("some of the rows"));
    assert!(refused("relieff", &[("missing", "ignore")]).contains("ignored"));
    let few = Groups::from_labels(
        &(0..ROWS).map(|row| (row % 19).to_string()).collect::<Vec<_>>(),
        GroupWeight::Group,
    );
    let message = found("relieff", &[], data, Some(&few), &run(1)).unwrap_err().to_string();
    assert!(message.contains("19 groups are too few"), "{message}");

    let info = method("relieff").unwrap();
    let settings = info.settings::<&str, &str>(&[]).unwrap();
    let turf = [Wrapper::parse("turf").unwrap()];
    let message = WeightIntervals::check(info, &settings, &turf).unwrap_err().to_string();
    assert!(message.contains("inside turf"), "{message}");
}
