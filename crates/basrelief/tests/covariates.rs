//! Covariates: who is compared, what counts in distances, and that nothing passes them by.

mod common;

use basrelief::Fitted;
use basrelief::data::{Categories, Classes, Column, Covariates, Table, Target};
use basrelief::inference::{Resampling, resampled_rankings};
use basrelief::maps::{FeatureRanking, RankBy};
use basrelief::methods::wrappers::{Wrapper, fit_wrapped, for_targets};
use basrelief::methods::{METHODS, Problem, method};
use basrelief::neighbors::{NeighborWeights, SpaceOptions, Ties};
use basrelief::selection::RedundancyRule;
use common::tables::{KINDS, Random, table};
use common::{Naive, largest_difference, run};

const ROWS: usize = 90;

/// Ages, and sexes.
fn covariates() -> Table<'static> {
    let mut random = Random(7);
    let ages = (0..ROWS).map(|_| 30.0 + 40.0 * random.next()).collect();
    let sexes: Vec<&str> =
        (0..ROWS).map(|_| if random.next() < 0.5 { "female" } else { "male" }).collect();
    Table::new(vec![
        Column::from_values("age", ages).unwrap(),
        Column::categorical("sex", Categories::from_texts(sexes.into_iter().map(Some))),
    ])
    .unwrap()
}

fn codes() -> Vec<usize> {
    let mut random = Random(11);
    (0..ROWS).map(|_| (random.next() * 2.0) as usize).collect()
}

fn target() -> Target {
    let names = ["no", "yes"].map(str::to_string);
    let codes: Vec<u32> = codes().into_iter().map(|code| code as u32).collect();
    Target::Classes(Classes::from_codes(&codes, &names).unwrap())
}

/// Which rows are comparable, from the definition.
fn comparable(covariates: &Table<'_>, caliper: f64) -> Vec<Vec<bool>> {
    let ages: Vec<f64> = (0..ROWS).map(|row| covariates.columns()[0].value(row)).collect();
    let mean = ages.iter().sum::<f64>() / ROWS as f64;
    let squares: f64 = ages.iter().map(|age| (age - mean).powi(2)).sum();
    let deviation = (squares / (ROWS as f64 - 1.0)).sqrt();
    let sex = |row: usize| covariates.columns()[1].value(row);
    let near =
        |i: usize, j: usize| (ages[i] - ages[j]).abs() <= caliper * deviation && sex(i) == sex(j);
    (0..ROWS).map(|i| (0..ROWS).map(|j| near(i, j)).collect()).collect()
}

/// The rows that have a comparable one of each class.
fn matched(comparable: &[Vec<bool>], codes: &[usize]) -> Vec<usize> {
    let has = |row: usize, class: usize| {
        (0..ROWS).any(|other| other != row && comparable[row][other] && codes[other] == class)
    };
    (0..ROWS).filter(|&row| has(row, 0) && has(row, 1)).collect()
}

fn fit(
    name: &str,
    given: &[(&str, &str)],
    table: &Table<'_>,
    target: &Target,
    covariates: Option<&Covariates<'_>>,
) -> basrelief::Result<Fitted<FeatureRanking>> {
    let info = method(name).unwrap();
    let problem = Problem::new(table, target)?.with_covariates(covariates)?;
    info.fit(&problem, &info.settings(given)?, &run(2))
}

#[test]
fn only_comparable_rows_are_compared() {
    let (known, codes, target) = (covariates(), codes(), target());
    let mut left_out = 0;
    for (kind, missing) in KINDS.into_iter().flat_map(|kind| [(kind, 0.0), (kind, 0.1)]) {
        let table = table(kind, ROWS, 7, missing);
        for caliper in [0.15, 0.6, 50.0] {
            let near = comparable(&known, caliper);
            let rows = matched(&near, &codes);
            left_out += ROWS - rows.len();
            let own = Covariates::new(known.clone()).unwrap().with_caliper(caliper, None).unwrap();
            let naive = Naive::new(&table, codes.clone(), SpaceOptions::default())
                .with_comparable(near.clone());
            let told = |name: &str, given: &[(&str, &str)]| {
                let found = fit(name, given, &table, &target, Some(&own)).unwrap();
                let warned = found.report.warnings.iter().any(|one| one.code() == "not-comparable");
                assert_eq!(warned, rows.len() < ROWS, "{name} {caliper}");
                found.model.weights().to_vec()
            };
            let expected = naive.hit_miss(&rows, 3, Ties::Share, NeighborWeights::Uniform, false);
            let found = told("relieff", &[("n_neighbors", "3")]);
            assert!(largest_difference(&found, &expected) < 1e-12, "relieff {kind} {caliper}");
            for name in ["surf", "multisurf", "multisurf*"] {
                let difference =
                    largest_difference(&told(name, &[]), &naive.radius_of(&rows, name, None));
                assert!(difference < 1e-12, "{name} {kind} {missing} {caliper}: {difference}");
            }
        }
    }
    assert!(left_out > 0, "a caliper leaves rows out");
}

/// Strata that are apart are problems of their own: with as many rows of each class everywhere, the weights are
/// the mean of theirs.
#[test]
fn categories_make_problems_of_their_own() {
    let rows = 60;
    let table = table("genotypes", rows, 6, 0.0);
    let labels: Vec<&str> = (0..rows).map(|row| if row % 2 == 0 { "a" } else { "b" }).collect();
    let target = Target::Classes(Classes::from_labels(&labels));
    let strata: Vec<&str> = (0..rows).map(|row| ["x", "y", "z"][row / 20]).collect();
    let column = Column::categorical("batch", Categories::from_texts(strata.into_iter().map(Some)));
    let own = Covariates::new(Table::new(vec![column]).unwrap())
        .unwrap()
        .with_caliper(1.0, None)
        .unwrap();
    let whole = fit("relieff", &[("n_neighbors", "4")], &table, &target, Some(&own)).unwrap();
    let mut mean = vec![0.0; table.width()];
    for stratum in 0..3 {
        let rows: Vec<usize> = (stratum * 20..(stratum + 1) * 20).collect();
        let (part, target) = (table.select_rows(&rows), target.select_rows(&rows).unwrap());
        let found = fit("relieff", &[("n_neighbors", "4")], &part, &target, None).unwrap();
        mean.iter_mut().zip(found.model.weights()).for_each(|(mean, weight)| *mean += weight / 3.0);
    }
    assert!(largest_difference(whole.model.weights(), &mean) < 1e-12);
}

#[test]
fn covariates_in_the_distance_are_not_ranked() {
    let (known, target) = (covariates(), target());
    let own = Covariates::new(known.clone()).unwrap().in_distance();
    for kind in ["mixed", "genotypes"] {
        let table = table(kind, ROWS, 7, 0.05);
        let joined = Table::new(table.columns().iter().chain(known.columns()).cloned().collect());
        let joined = joined.unwrap();
        for name in ["relieff", "multisurf"] {
            let found = fit(name, &[], &table, &target, Some(&own)).unwrap();
            let all = fit(name, &[], &joined, &target, None).unwrap();
            assert_eq!(found.model.weights(), &all.model.weights()[..7], "{name}");
            assert_eq!(found.model.names(), table.names());
        }
    }
}

/// Wrappers, tests and resamples see the covariates too.
#[test]
fn nothing_passes_covariates_by() {
    let (known, target) = (covariates(), target());
    let own = Covariates::new(known).unwrap().with_caliper(0.6, None).unwrap();
    let table = table("genotypes", ROWS, 12, 0.0);
    let info = method("relieff").unwrap();
    let settings = info.settings::<&str, &str>(&[]).unwrap();
    let with = Problem::new(&table, &target).unwrap().with_covariates(Some(&own)).unwrap();
    let without = Problem::new(&table, &target).unwrap();
    for text in ["turf:drop=0.3,keep=4", "vls:size=5,rounds=3"] {
        let wrappers = [Wrapper::parse(text).unwrap()];
        let of = |problem: &Problem<'_>| {
            fit_wrapped(info, &settings, &wrappers, problem, &run(2)).unwrap().model
        };
        assert_ne!(of(&with).weights(), of(&without).weights(), "{text}");
    }
    let weights = info.fit(&with, &settings, &run(2)).unwrap().model.weights().to_vec();
    let mut shared = for_targets(info, &settings, &[], &with, &run(2)).unwrap();
    assert!(shared.refit_reason().is_none());
    let all: Vec<usize> = (0..12).collect();
    let again = shared.weigh(&all, std::slice::from_ref(&target), &run(2)).unwrap();
    assert!(largest_difference(&again[0], &weights) < 1e-14);
    let resampling = Resampling {
        resamples: 5,
        fraction: 0.8,
        top: 3,
        redundancy: RedundancyRule::None,
        rank_by: RankBy::Weight,
    };
    let rankings = |problem: &Problem<'_>| {
        let found = resampled_rankings(info, &settings, &[], problem, &resampling, &run(2));
        let found = found.unwrap().features;
        found.into_iter().map(|feature| feature.mean_weight).collect::<Vec<f64>>()
    };
    assert_ne!(rankings(&with), rankings(&without));
}

/// A method that does not look at covariates says so.
#[test]
fn other_methods_refuse_covariates() {
    let (known, target) = (covariates(), target());
    let table = table("numbers", ROWS, 5, 0.0);
    let own = Covariates::new(known).unwrap().with_caliper(0.6, None).unwrap();
    let mut taken = Vec::new();
    for info in METHODS.iter().filter(|info| !matches!(info.name, "rrelieff" | "ridge")) {
        match fit(info.name, &[], &table, &target, Some(&own)) {
            Ok(_) => taken.push(info.name),
            Err(error) => {
                let error = error.to_string();
                assert!(error.contains("caliper") || error.contains("target"), "{error}");
            }
        }
    }
    let expected = [
        "relief",
        "relief-e",
        "relieff",
        "surf",
        "surf*",
        "multisurf",
        "multisurf*",
        "swrf",
        "swrf*",
        "multiswrf",
        "multiswrf*",
        "multiswrfdb",
        "multiswrfdb*",
    ];
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    taken.sort_unstable();
    assert_eq!(taken, expected);
}

#[test]
fn a_caliper_that_leaves_nobody_is_refused() {
    let (known, target) = (covariates(), target());
    let table = table("numbers", ROWS, 5, 0.0);
    let own = Covariates::new(known).unwrap().with_caliper(1e-9, None).unwrap();
    let error = fit("relieff", &[], &table, &target, Some(&own)).unwrap_err().to_string();
    assert!(error.contains("caliper") && error.contains("no row"), "{error}");
}

/// A permutation may leave no row with comparable rows of every class; the other permutations count as without it.
#[test]
fn without_comparable_rows_of_every_class_weights_of_a_permutation_are_zero() {
    const OF_SITE: usize = 12;
    let rows = 2 * OF_SITE;
    let ages = (0..rows).map(|row| (30 * (row / OF_SITE)) as f64 + row as f64 / 10.0).collect();
    let ages = Table::new(vec![Column::from_values("age", ages).unwrap()]).unwrap();
    let own = Covariates::new(ages).unwrap().with_caliper(0.5, None).unwrap();
    let classes = |class: &dyn Fn(usize) -> usize| {
        let names = ["no", "yes"].map(str::to_string);
        let codes: Vec<u32> = (0..rows).map(|row| class(row) as u32).collect();
        Target::Classes(Classes::from_codes(&codes, &names).unwrap())
    };
    let (mixed, apart) = (classes(&|row| row % 2), classes(&|row| row / OF_SITE));
    let table = table("numbers", rows, 6, 0.0);
    let all: Vec<usize> = (0..6).collect();
    for name in ["relieff", "multisurf"] {
        let info = method(name).unwrap();
        let settings = info.settings::<&str, &str>(&[]).unwrap();
        let problem = |target| Problem::new(&table, target).unwrap().with_covariates(Some(&own));
        let problem_apart = problem(&apart).unwrap();
        assert!(info.fit(&problem_apart, &settings, &run(1)).is_err());
        for wrappers in [vec![], vec![Wrapper::parse("turf:drop=0.5,keep=3").unwrap()]] {
            let mixed_problem = problem(&mixed).unwrap();
            let prepared = for_targets(info, &settings, &wrappers, &mixed_problem, &run(1));
            let mut prepared = prepared.unwrap();
            let alone = prepared.weigh(&all, std::slice::from_ref(&mixed), &run(1)).unwrap();
            let targets = [apart.clone(), mixed.clone()];
            let found = prepared.weigh(&all, &targets, &run(1)).unwrap();
            assert_eq!(found[0], vec![0.0; 6], "{name}");
            assert!(largest_difference(&found[1], &alone[0]) < 1e-14, "{name}");
            assert!(found[1].iter().any(|weight| *weight != 0.0), "{name}");
        }
    }
}
