//! TuRF, VLS and Iter around any method, and around each other.

mod common;

use basrelief::data::{Table, Target};
use basrelief::maps::FeatureRanking;
use basrelief::methods::wrappers::{Wrapper, fit_wrapped};
use basrelief::methods::{Problem, method};
use basrelief::{Fitted, Warning};
use common::{classes, numeric, run};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The class is whether the first two columns agree; the others are noise.
fn agreement(rows: usize, width: usize) -> (Table<'static>, Target) {
    let mut generator = ChaCha8Rng::seed_from_u64(5);
    let columns: Vec<Vec<f64>> = (0..width)
        .map(|_| (0..rows).map(|_| f64::from(generator.random_range(0..3_u32))).collect())
        .collect();
    let codes: Vec<u32> =
        (0..rows).map(|row| u32::from(columns[0][row] == columns[1][row])).collect();
    let named = columns.iter().enumerate().map(|(f, values)| numeric(&format!("f{f}"), values));
    (Table::new(named.collect()).unwrap(), classes(&codes))
}

fn fit(name: &str, wrappers: &[&str], table: &Table<'_>, target: &Target) -> Vec<f64> {
    fitted(name, wrappers, table, target).model.weights().to_vec()
}

fn fitted(
    name: &str,
    wrappers: &[&str],
    table: &Table<'_>,
    target: &Target,
) -> Fitted<FeatureRanking> {
    let info = method(name).unwrap();
    let wrappers: Vec<Wrapper> =
        wrappers.iter().map(|text| Wrapper::parse(text).unwrap()).collect();
    let problem = Problem::new(table, target).unwrap();
    let settings = info.settings::<&str, &str>(&[]).unwrap();
    fit_wrapped(info, &settings, &wrappers, &problem, &run(2)).unwrap()
}

fn order(weights: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]).then(a.cmp(&b)));
    order
}

#[test]
fn turf_is_the_method_on_what_is_left_and_ranks_the_dropped_by_their_round() {
    let (table, target) = agreement(150, 30);
    for name in ["relieff", "multisurf", "myopic"] {
        let Fitted { model: map, report } =
            fitted(name, &["turf:drop=0.3,keep=7"], &table, &target);
        let found = map.weights();
        // The same by hand: 30, then 9, 6, 4, 3 and 1 are dropped.
        let mut left: Vec<usize> = (0..30).collect();
        let mut dropped = Vec::new();
        let mut weights = fit(name, &[], &table, &target);
        let mut course = vec![(left.clone(), weights.clone())];
        for count in [9, 6, 4, 3, 1] {
            let worst: Vec<usize> =
                order(&weights).iter().rev().take(count).map(|&place| left[place]).collect();
            left.retain(|feature| !worst.contains(feature));
            dropped.extend(worst);
            weights = fit(name, &[], &table.select_columns(&left), &target);
            course.push((left.clone(), weights.clone()));
        }
        assert_eq!(left.len(), 7);
        let told = report.elimination.unwrap();
        assert_eq!(told.features, [30, 21, 15, 11, 8, 7]);
        assert_eq!(told.kept, left);
        for (feature, ranks) in left.iter().zip(&told.ranks) {
            let by_hand: Vec<usize> = course
                .iter()
                .map(|(features, weights)| {
                    let own = weights[features.iter().position(|one| one == feature).unwrap()];
                    1 + weights.iter().filter(|weight| **weight > own).count()
                })
                .collect();
            assert_eq!(*ranks, by_hand, "{name}");
        }
        for (feature, weight) in left.iter().zip(&weights) {
            assert_eq!(found[*feature], *weight, "{name}");
        }
        let mut expected: Vec<usize> = order(&weights).iter().map(|&place| left[place]).collect();
        expected.extend(dropped.iter().rev());
        assert_eq!(order(found), expected, "{name}");
    }
}

#[test]
fn vls_of_one_subset_is_the_method_itself() {
    let (table, target) = agreement(120, 20);
    let plain = fit("relieff", &[], &table, &target);
    assert_eq!(fit("relieff", &["vls:size=20,rounds=1"], &table, &target), plain);
    let mean = fit("relieff", &["vls:size=50,rounds=4,take=mean"], &table, &target);
    assert!(common::largest_difference(&mean, &plain) < 1e-15);
}

#[test]
fn vls_takes_the_best_or_the_mean_of_every_features_rounds() {
    let (table, target) = agreement(120, 20);
    let best = fit("relieff", &["vls:size=6,rounds=9"], &table, &target);
    let mean = fit("relieff", &["vls:size=6,rounds=9,take=mean"], &table, &target);
    assert!(best.iter().zip(&mean).all(|(best, mean)| best.is_finite() && best > mean));
    assert_eq!(best, fit("relieff", &["vls:size=6,rounds=9"], &table, &target));
    // One round deals every feature once, so that both are the same.
    let once = |take: &str| {
        fit("relieff", &[&format!("vls:size=6,rounds=1,take={take}")], &table, &target)
    };
    assert_eq!(once("best"), once("mean"));
}

#[test]
fn wrappers_compose_and_find_the_pair_among_noise() {
    let (table, target) = agreement(400, 150);
    for wrappers in
        [&["turf"][..], &["vls:size=60,rounds=12"], &["turf:keep=10", "vls:size=75,rounds=6"]]
    {
        let found = order(&fit("relieff", wrappers, &table, &target));
        let mut best = found[..2].to_vec();
        best.sort_unstable();
        assert_eq!(best, [0, 1], "{wrappers:?}");
    }
}

/// Warnings with a code.
fn told(warnings: &[Warning], code: &str) -> Vec<String> {
    warnings.iter().filter(|warning| warning.code() == code).map(Warning::to_string).collect()
}

#[test]
fn warnings_are_told_once_and_say_how_many_fits_gave_them() {
    let (table, target) = agreement(60, 12);
    // Four rounds: 12, 9, 7, 5 and 4 features. What a round's own fit reports is not the whole's.
    let report = fitted("irelief", &["turf:drop=0.3,keep=4"], &table, &target).report;
    assert_eq!(report.iterations, Some(4));
    assert_eq!((report.converged, report.objective, report.last_change), (None, None, None));
    // Among random pairs of noise columns some have no positive margin, others do.
    let report = fitted("relief-margin", &["vls:size=2,rounds=5"], &table, &target).report;
    assert_eq!(report.iterations, Some(5));
    let warnings = told(&report.warnings, "no-positive-margin");
    assert_eq!(warnings.len(), 1, "{:?}", report.warnings);
    let (count, rest) = warnings[0].strip_prefix("in ").unwrap().split_once(' ').unwrap();
    assert!((1..30).contains(&count.parse::<usize>().unwrap()), "{warnings:?}");
    assert!(rest.starts_with("of 30 subsets: "), "{warnings:?}");
    // What all fits say is said as they say it.
    let (table, target) = agreement(15, 12);
    let plain = fitted("relieff", &[], &table, &target).report;
    let wrappers = ["turf:keep=4", "vls:size=6,rounds=2"];
    let wrapped = fitted("relieff", &wrappers, &table, &target).report;
    let few = told(&plain.warnings, "few-neighbors");
    assert_eq!(few.len(), 1);
    assert_eq!(few, told(&wrapped.warnings, "few-neighbors"));
}

#[test]
fn a_wrong_wrapper_says_what_would_be_right() {
    for (text, part) in [
        ("truf", "did you mean `turf`?"),
        ("turf:drop=2", "drop"),
        ("turf:keep", "OPTION=VALUE"),
        ("vls:drop=0.1", "vls does not take it"),
        ("vls:size=1", "1 is less than 2"),
    ] {
        let error = Wrapper::parse(text).unwrap_err().to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
}

/// ReliefF of two classes with k neighbors, where the differences of features are multiplied by factors in distances.
fn relieff_with_factors(x: &[Vec<f64>], codes: &[u32], factors: &[f64], k: usize) -> Vec<f64> {
    let rows = codes.len();
    let ranges: Vec<f64> = x
        .iter()
        .map(|column| {
            let most = column.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            most - column.iter().copied().fold(f64::INFINITY, f64::min)
        })
        .collect();
    let diff = |feature: usize, i: usize, j: usize| {
        (x[feature][i] - x[feature][j]).abs() / ranges[feature]
    };
    let mut weights = vec![0.0; x.len()];
    for row in 0..rows {
        for is_hit in [true, false] {
            let others = (0..rows).filter(|&j| j != row && (codes[j] == codes[row]) == is_hit);
            let distance = |j: usize| -> f64 {
                (0..x.len()).map(|feature| factors[feature] * diff(feature, row, j)).sum()
            };
            let mut near: Vec<(f64, usize)> = others.map(|j| (distance(j), j)).collect();
            near.sort_by(|a, b| a.0.total_cmp(&b.0));
            let sign = if is_hit { -1.0 } else { 1.0 } / (k * rows) as f64;
            for &(_, j) in &near[..k] {
                weights.iter_mut().enumerate().for_each(|(f, w)| *w += sign * diff(f, row, j));
            }
        }
    }
    weights
}

#[test]
fn iter_weighs_distances_by_the_weights_before() {
    let (rows, width) = (60, 5);
    let mut generator = ChaCha8Rng::seed_from_u64(8);
    let x: Vec<Vec<f64>> =
        (0..width).map(|_| (0..rows).map(|_| generator.random::<f64>()).collect()).collect();
    let codes: Vec<u32> = (0..rows).map(|row| u32::from(x[0][row] + x[1][row] > 1.0)).collect();
    let named = x.iter().enumerate().map(|(f, values)| numeric(&format!("f{f}"), values));
    let (table, target) = (Table::new(named.collect()).unwrap(), classes(&codes));
    let relative = |weights: &[f64]| -> Vec<f64> {
        let most = weights.iter().copied().fold(0.0, f64::max);
        weights.iter().map(|weight| weight.max(0.0) / most).collect()
    };
    let by_hand = |factors: &[f64]| relieff_with_factors(&x, &codes, factors, 10);
    let first = by_hand(&[1.0; 5]);
    let v = relative(&first);
    assert!(v.contains(&0.0), "a feature without a weight does not count in distances: {v:?}");
    let second = by_hand(&v);
    let v: Vec<f64> = v.iter().zip(relative(&second)).map(|(v, w)| v + 0.5 * (w - v)).collect();
    let third = by_hand(&v);
    for (rounds, expected) in [(1, &first), (2, &second), (3, &third)] {
        let text = format!("iter:max_iter={rounds},tol=1e-9,rate=0.5");
        let Fitted { model, report } = fitted("relieff", &[&text], &table, &target);
        let apart = model.weights().iter().zip(expected).map(|(a, b)| (a - b).abs());
        assert!(apart.fold(0.0, f64::max) < 1e-12, "{rounds} rounds");
        assert_eq!(report.iterations, Some(rounds));
        let warned = report.warnings.iter().any(|warning| warning.code() == "not-converged");
        assert_eq!(warned, rounds > 1);
    }
    // Every change is below 2.
    let Fitted { report, .. } = fitted("relieff", &["iter:tol=2"], &table, &target);
    assert_eq!((report.iterations, report.warnings.len()), (Some(2), 0));
    // Around subsets of the features, each has its own rounds.
    let vls = fit("relieff", &["iter:max_iter=2", "vls:size=5,rounds=1"], &table, &target);
    assert_eq!(vls, fit("relieff", &["iter:max_iter=2"], &table, &target));
}

#[test]
fn iter_refuses_what_has_no_single_search_of_all_features() {
    let (table, target) = agreement(40, 6);
    let problem = Problem::new(&table, &target).unwrap();
    for (name, wrappers, part) in [
        ("mdm", &["iter"][..], "takes a method with a single neighbor search"),
        ("mu-relief", &["iter"], "takes a method with a single neighbor search"),
        ("relieff", &["turf:keep=3", "iter"], "takes a method that ranks all features"),
    ] {
        let info = method(name).unwrap();
        let wrappers: Vec<Wrapper> =
            wrappers.iter().map(|text| Wrapper::parse(text).unwrap()).collect();
        let settings = info.settings::<&str, &str>(&[]).unwrap();
        let error = fit_wrapped(info, &settings, &wrappers, &problem, &run(2)).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
    }
}
