//! Small examples computed by hand of what all methods share; those of a method stand in its file.

mod common;

use basrelief::data::{Categories, Column, MISSING_CODE, MISSING_GENOTYPE, Table};
use basrelief::methods::{NearestSettings, Problem, Relief, ReliefF, method};
use basrelief::neighbors::{
    GenotypeDiff, MissingPolicy, NeighborWeights, Ramp, SpaceOptions, Ties,
};
use common::{classes, largest_difference, numeric, run};

fn assert_weights(found: &[f64], expected: &[f64]) {
    assert!(largest_difference(found, expected) < 1e-14, "{found:?} instead of {expected:?}");
}

fn ordinal(name: &str, places: &[u32], levels: &[&str]) -> Column<'static> {
    let levels = levels.iter().map(ToString::to_string).collect();
    Column::categorical(name, Categories::ordered(places.to_vec(), levels).unwrap())
}

#[test]
fn levels_differ_by_their_share_of_all_declared_steps() {
    // Class 0: a, b; class 1: d, c. Nobody has e, but it is a step.
    let columns = vec![ordinal("grade", &[0, 1, 3, 2], &["a", "b", "c", "d", "e"])];
    let table = Table::new(columns).unwrap();
    let target = classes(&[0, 0, 1, 1]);
    let problem = Problem::new(&table, &target).unwrap();
    // Hits are a step apart; nearest misses 2, 1, 2 and 1. A ramp changes nothing.
    let expected = ((2.0 + 1.0 + 2.0 + 1.0) - 4.0) / 4.0 / 4.0;
    for ramp in [None, Ramp::new(0.3, 0.6)] {
        let space = SpaceOptions { ramp, ..SpaceOptions::default() };
        let nearest = NearestSettings { n_neighbors: vec![1], space, ..NearestSettings::default() };
        let fitted = ReliefF { nearest }.fit_with(&problem, &run(1)).unwrap();
        assert_weights(fitted.model.weights(), &[expected]);
    }
}

/// Two levels differ as categories do, and a single one that occurs has weight 0.
#[test]
fn orders_of_two_levels_and_of_one() {
    let target = classes(&[0, 0, 1, 1]);
    let weights = |column| {
        let table = Table::new(vec![column]).unwrap();
        let problem = Problem::new(&table, &target).unwrap();
        let nearest = NearestSettings { n_neighbors: vec![1], ..NearestSettings::default() };
        ReliefF { nearest }.fit_with(&problem, &run(1)).unwrap().model.weights().to_vec()
    };
    let texts = Categories::from_texts(["no", "yes", "yes", "yes"].map(Some));
    let of_categories = weights(Column::categorical("a", texts));
    assert_weights(&weights(ordinal("a", &[0, 1, 1, 1], &["no", "yes"])), &of_categories);
    assert_eq!(weights(ordinal("a", &[0; 4], &["only"])), [0.0]);
    assert_eq!(weights(ordinal("a", &[1; 4], &["low", "mid", "high"])), [0.0]);
}

#[test]
fn a_missing_category_differs_by_its_class() {
    // Class 0: red, red, blue, missing; class 1: blue, green, blue. For the row that misses the
    // color, P(red) = 2/3 and P(blue) = 1/3 in its class.
    let colors =
        [Some("red"), Some("red"), Some("blue"), None, Some("blue"), Some("green"), Some("blue")];
    let table = Table::new(vec![
        Column::categorical("color", Categories::from_texts(colors)),
        numeric("place", &[0.0, 10.0, 20.0, 1.0, 2.0, 30.0, 40.0]),
    ])
    .unwrap();
    let target = classes(&[0, 0, 0, 0, 1, 1, 1]);
    let problem = Problem::new(&table, &target).unwrap();
    // Nearest hit and nearest miss of every row, at distance color + place / 40:
    // row 0: 1 (0 + 10), 4 (1 + 2)         row 4: 6 (0 + 38),  2 (0 + 18)
    // row 1: 0 (0 + 10), 4 (1 + 8)         row 5: 6 (1 + 10),  2 (1 + 10)
    // row 2: 3 (2/3 + 19), 4 (0 + 18)      row 6: 4 (0 + 38),  2 (0 + 20)
    // row 3: 0 (1/3 + 1), 4 (2/3 + 1)
    let hits = (2.0 / 3.0 + 1.0 / 3.0 + 1.0, 10.0 + 10.0 + 19.0 + 1.0 + 38.0 + 10.0 + 38.0);
    let misses = (1.0 + 1.0 + 2.0 / 3.0 + 1.0, 2.0 + 8.0 + 18.0 + 1.0 + 18.0 + 10.0 + 20.0);
    let color = misses.0 - hits.0;
    let place = misses.1 - hits.1;
    let fitted = Relief::default().fit_with(&problem, &run(1)).unwrap();
    assert_weights(fitted.model.weights(), &[color / 7.0, place / 40.0 / 7.0]);
}

/// Rows `x, x | z, missing` of two classes, in every kind of column. The values are as different as values
/// can be, so all kinds have the same weights.
#[test]
fn every_policy_for_missing_values_in_every_kind_of_column() {
    let columns = || {
        let copies = vec![0, 0, 2, MISSING_GENOTYPE];
        [
            Column::categorical(
                "a",
                Categories::from_texts([Some("x"), Some("x"), Some("z"), None]),
            ),
            numeric("a", &[1.0, 1.0, 7.0, f64::NAN]),
            Column::genotype("a", copies.into()).unwrap(),
            ordinal("a", &[0, 0, 2, MISSING_CODE], &["x", "y", "z"]),
        ]
    };
    let target = classes(&[0, 0, 1, 1]);
    for (missing, expected) in [
        // The missing value is z. Hits differ by 0, misses by 1, in all four rows.
        (MissingPolicy::Expected, 1.0),
        // The last row is nobody's neighbor and has none. Hits 0, of two rows; misses 1, of three.
        (MissingPolicy::Ignore, 3.0 / 4.0),
        // The missing value differs by 1 from all. Misses 1 in all rows; hits 1 in the last two.
        (MissingPolicy::Pessimistic, 4.0 / 4.0 - 2.0 / 4.0),
    ] {
        for genotype_diff in [GenotypeDiff::Additive, GenotypeDiff::Categorical] {
            for column in columns() {
                let kind = column.kind();
                let table = Table::new(vec![column]).unwrap();
                let problem = Problem::new(&table, &target).unwrap();
                let space = SpaceOptions { missing, genotype_diff, ..SpaceOptions::default() };
                let nearest =
                    NearestSettings { n_neighbors: vec![1], space, ..NearestSettings::default() };
                let fitted = ReliefF { nearest }.fit_with(&problem, &run(1)).unwrap();
                let found = fitted.model.weights();
                assert!(
                    (found[0] - expected).abs() < 1e-14,
                    "{missing:?} {kind:?} {genotype_diff:?}: {found:?} instead of {expected}"
                );
            }
        }
    }
}

#[test]
fn ignored_gaps_scale_the_sums_and_the_distances() {
    // The second row of class 0 does not know x: its distances are those of y times 2.
    let table = Table::new(vec![
        numeric("x", &[0.0, f64::NAN, 1.0, 0.5]),
        numeric("y", &[0.0, 1.0, 0.25, 0.75]),
    ])
    .unwrap();
    let target = classes(&[0, 0, 1, 1]);
    let problem = Problem::new(&table, &target).unwrap();
    let space = SpaceOptions { missing: MissingPolicy::Ignore, ..SpaceOptions::default() };
    let nearest = NearestSettings { n_neighbors: vec![1], space, ..NearestSettings::default() };
    // Hits are 0-1 and 2-3. Misses: row 0 has 2 at 1.25 and 3 at 1.25: shared; row 1 has 3 (0.25
    // doubled); row 2 has 0 at 1.25 and 1 at 1.5: 0; row 3 has 1 at 0.5, 0 at 1.25: 1.
    // x: hits 0.5 + 0.5 of two known in four; misses (1 + 0.5)/2 + 1 of two known in four.
    let x = (0.75 + 1.0) / 2.0 - (0.5 + 0.5) / 2.0;
    let y = (0.5 + 0.25 + 0.25 + 0.25) / 4.0 - (1.0 + 1.0 + 0.5 + 0.5) / 4.0;
    let fitted = ReliefF { nearest }.fit_with(&problem, &run(1)).unwrap();
    assert_weights(fitted.model.weights(), &[x, y]);
}

#[test]
fn a_ramp_flattens_small_differences() {
    let table = Table::new(vec![numeric("x", &[0.0, 0.1, 0.6, 1.0])]).unwrap();
    let target = classes(&[0, 0, 1, 1]);
    let problem = Problem::new(&table, &target).unwrap();
    let space = SpaceOptions { ramp: Ramp::new(0.1, 0.5), ..SpaceOptions::default() };
    let nearest = NearestSettings { n_neighbors: vec![1], space, ..NearestSettings::default() };
    // Ramped: 0-1 is 0, 2-3 is 0.75, all misses 1.
    let fitted = ReliefF { nearest }.fit_with(&problem, &run(1)).unwrap();
    assert_weights(fitted.model.weights(), &[(2.0 - 1.5) / 4.0 + 2.0 / 4.0]);
}

/// All orders of the rows, `ties = first`, averaged: what `ties = share` promises.
#[test]
fn shared_ties_are_the_mean_over_all_row_orders() {
    let x = [0.0, 1.0, 1.0, 2.0, 0.0, 2.0, 1.0];
    let z = [1.0, 1.0, 0.0, 0.0, 2.0, 1.0, 2.0];
    let codes = [0, 0, 0, 0, 1, 1, 1];
    let fit = |order: &[usize], ties: Ties| {
        let pick = |values: &[f64]| order.iter().map(|&row| values[row]).collect::<Vec<_>>();
        let table = Table::new(vec![numeric("x", &pick(&x)), numeric("z", &pick(&z))]).unwrap();
        let target = classes(&order.iter().map(|&row| codes[row]).collect::<Vec<_>>());
        let problem = Problem::new(&table, &target).unwrap();
        let nearest = NearestSettings {
            n_neighbors: vec![2],
            neighbor_weights: NeighborWeights::Rank { sigma: 1.5 },
            ties,
            ..NearestSettings::default()
        };
        ReliefF { nearest }.fit_with(&problem, &run(1)).unwrap().model.weights().to_vec()
    };
    let mut mean = [0.0; 2];
    let mut orders = 0.0;
    let mut order: Vec<usize> = (0..7).collect();
    permute(&mut order, 0, &mut |order| {
        let weights = fit(order, Ties::First);
        mean.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += weight);
        orders += 1.0;
    });
    mean.iter_mut().for_each(|sum| *sum /= orders);
    assert_eq!(orders, 5040.0);
    assert!(largest_difference(&fit(&[0, 1, 2, 3, 4, 5, 6], Ties::Share), &mean) < 1e-12);
}

fn permute(order: &mut Vec<usize>, first: usize, visit: &mut impl FnMut(&[usize])) {
    if first == order.len() {
        visit(order);
        return;
    }
    for other in first..order.len() {
        order.swap(first, other);
        permute(order, first + 1, visit);
        order.swap(first, other);
    }
}

#[test]
fn options_are_read_by_name_or_flag_and_checked() {
    let relieff = method("relieff").unwrap();
    let settings = relieff.settings(&[("neighbors", "7"), ("ties", "first")]).unwrap();
    assert_eq!(settings.to_json()["n_neighbors"], 7);
    assert_eq!(settings.to_json()["n_samples"], "all");
    let message = |given: &[(&str, &str)]| relieff.settings(given).unwrap_err().to_string();
    assert!(message(&[("neighbors", "0")]).contains("0 is less than 1"));
    assert!(message(&[("ties", "frist")]).contains("did you mean `first`?"));
    assert!(message(&[("bins", "3")]).contains("relieff does not take it"));
    assert!(message(&[("ramp", "0.5")]).contains("none|T_EQUAL:T_DIFFERENT"));
    assert!(method("relief-f").unwrap_err().to_string().contains("did you mean `relieff`?"));
}
