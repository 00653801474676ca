//! Weights of rows and priors of classes: a row of weight w counts as w rows, and a class counts by its prior.

mod common;

use basrelief::data::{
    ClassPriors, Classes, Column, Covariates, GroupWeight, Groups, Roles, RowWeights, Table, Target,
};
use basrelief::methods::{METHODS, Problem, method};
use basrelief::neighbors::SpaceOptions;
use basrelief::solve::residuals;
use basrelief::{Fitted, maps::FeatureRanking};
use common::tables::{KINDS, Random, table};
use common::{Naive, has_warning, largest_difference, run};

const ROWS: usize = 60;

const METHODS_OF_CLASSES: [(&str, &[(&str, &str)]); 12] = [
    ("relieff", &[("n_neighbors", "4")]),
    ("relieff", &[("n_neighbors", "5"), ("neighbor_weights", "rank:3")]),
    ("relieff", &[("n_neighbors", "3"), ("missing", "ignore")]),
    ("relief-e", &[("metric", "euclidean"), ("ties", "first")]),
    ("relief-e", &[]),
    ("surf", &[]),
    ("multisurf", &[]),
    ("multisurf*", &[]),
    ("swrf", &[]),
    ("swrf*", &[]),
    ("multiswrf*", &[]),
    ("multiswrfdb", &[]),
];

const METHODS_OF_NUMBERS: [(&str, &[(&str, &str)]); 5] = [
    ("rrelieff", &[("n_neighbors", "6")]),
    ("rrelieff", &[("n_neighbors", "6"), ("metric", "euclidean")]),
    ("surf*", &[]),
    ("multisurf", &[]),
    ("multiswrfdb*", &[]),
];

fn labels(rows: usize) -> Vec<&'static str> {
    let mut random = Random(11);
    (0..rows).map(|_| ["a", "b", "c"][(random.next() * random.next() * 3.0) as usize]).collect()
}

fn targets() -> [Target; 2] {
    let mut random = Random(7);
    [
        Target::Classes(Classes::from_labels(&labels(ROWS))),
        Target::Real((0..ROWS).map(|_| random.next()).collect()),
    ]
}

fn fit(
    (name, given): (&str, &[(&str, &str)]),
    (table, target): (&Table<'_>, &Target),
    roles: Roles<'_>,
) -> Fitted<FeatureRanking> {
    let info = method(name).unwrap();
    let problem = Problem::new(table, target).unwrap().with_roles(roles).unwrap();
    info.fit(&problem, &info.settings(given).unwrap(), &run(2)).unwrap()
}

/// Weights of 1, 2 and 3.
fn counts() -> Vec<usize> {
    let mut random = Random(5);
    (0..ROWS).map(|_| 1 + (random.next() * 3.0) as usize).collect()
}

fn weights(of: impl Fn(usize) -> f64) -> RowWeights {
    RowWeights::new("w", counts().into_iter().map(of).collect()).unwrap()
}

#[test]
fn a_weight_counts_as_copies_in_one_group() {
    let counts = counts();
    let copies: Vec<usize> = (0..ROWS).flat_map(|row| vec![row; counts[row]]).collect();
    let own = weights(|count| count as f64);
    let name = |row: &usize| row.to_string();
    let pairs = |row: &usize| (row / 2).to_string();
    let names: [Vec<String>; 2] =
        [copies.iter().map(name).collect(), copies.iter().map(pairs).collect()];
    let of_rows: Vec<String> = (0..ROWS).map(|row| pairs(&row)).collect();
    for (kind, missing) in KINDS.into_iter().flat_map(|kind| [(kind, 0.0), (kind, 0.1)]) {
        let table = table(kind, ROWS, 7, missing);
        let repeated = table.select_rows(&copies);
        let [classes, numbers] = targets();
        let of_classes = METHODS_OF_CLASSES.map(|method| (method, &classes));
        let of_numbers = METHODS_OF_NUMBERS.map(|method| (method, &numbers));
        for (method, target) in of_classes.into_iter().chain(of_numbers) {
            let of_copies = target.select_rows(&copies).unwrap();
            // Every row alone, and groups of two rows that count equally.
            for (names, groups) in names.iter().zip([None, Some(&of_rows)]) {
                let weight = [GroupWeight::Rows, GroupWeight::Group][usize::from(groups.is_some())];
                let groups = groups.map(|labels| Groups::from_labels(labels, weight));
                let roles = Roles::default().with_groups(groups.as_ref()).with_weights(Some(&own));
                let found = fit(method, (&table, target), roles);
                let copied = Groups::from_labels(names, weight);
                let roles = Roles::default().with_groups(Some(&copied));
                let expected = fit(method, (&repeated, &of_copies), roles);
                let difference =
                    largest_difference(found.model.weights(), expected.model.weights());
                assert!(difference < 1e-12, "{method:?} {kind} {missing} {weight:?}: {difference}");
                let unweighted = fit(method, (&table, target), Roles::default());
                let effect = largest_difference(found.model.weights(), unweighted.model.weights());
                assert!(effect > 1e-5, "{method:?} {kind}");
            }
        }
    }
}

/// A caliper is in standard deviations of the weighted rows, and matched rows take places by their weights.
#[test]
fn calipers_count_rows_by_their_weights() {
    let counts = counts();
    let copies: Vec<usize> = (0..ROWS).flat_map(|row| vec![row; counts[row]]).collect();
    let mut random = Random(13);
    let ages: Vec<f64> = (0..ROWS).map(|_| random.next()).collect();
    let of_ages = |ages: Vec<f64>| {
        let column = Column::from_values("age", ages).unwrap();
        Covariates::new(Table::new(vec![column]).unwrap()).unwrap()
    };
    let own = weights(|count| count as f64);
    let matched = of_ages(ages.clone()).with_caliper(0.7, Some(&own)).unwrap();
    let of_copies = copies.iter().map(|&row| ages[row]).collect();
    let copied = of_ages(of_copies).with_caliper(0.7, None).unwrap();
    let names: Vec<String> = copies.iter().map(usize::to_string).collect();
    let groups = Groups::from_labels(&names, GroupWeight::Rows);
    let table = table("numbers", ROWS, 7, 0.0);
    let repeated = table.select_rows(&copies);
    let labels: Vec<&str> =
        labels(ROWS).into_iter().map(|label| if label == "a" { "a" } else { "b" }).collect();
    let target = Target::from_labels(&labels);
    let of_copies = target.select_rows(&copies).unwrap();
    for method in [METHODS_OF_CLASSES[0], ("multisurf", &[])] {
        let roles = Roles::default().with_covariates(Some(&matched)).with_weights(Some(&own));
        let found = fit(method, (&table, &target), roles);
        let roles = Roles::default().with_covariates(Some(&copied)).with_groups(Some(&groups));
        let expected = fit(method, (&repeated, &of_copies), roles);
        let difference = largest_difference(found.model.weights(), expected.model.weights());
        assert!(difference < 1e-12, "{method:?}: {difference}");
    }
    // The unit of small weights does not matter.
    let [a, b] = [0.1, 0.01].map(|unit| {
        let small = weights(|count| unit * count as f64);
        let matched = of_ages(ages.clone()).with_caliper(0.7, Some(&small)).unwrap();
        let roles = Roles::default().with_covariates(Some(&matched)).with_weights(Some(&small));
        fit(("multisurf", &[]), (&table, &target), roles).model.weights().to_vec()
    });
    assert!(largest_difference(&a, &b) < 1e-14);
}

/// Weights that are multiples of 1/2 take half of the places.
#[test]
fn fractions_of_weights_take_fractions_of_places() {
    let (whole, half) = (weights(|count| count as f64), weights(|count| count as f64 / 2.0));
    let [target, _] = targets();
    for kind in KINDS {
        let table = table(kind, ROWS, 7, 0.0);
        let found = |k: &str, weights| {
            let roles = Roles::default().with_weights(Some(weights));
            fit(("relieff", &[("n_neighbors", k)]), (&table, &target), roles)
        };
        let (a, b) = (found("7", &whole), found("14", &whole));
        assert!(largest_difference(a.model.weights(), b.model.weights()) > 1e-5);
        let b = found("7", &half);
        let expected = found("14", &whole);
        assert!(largest_difference(expected.model.weights(), b.model.weights()) < 1e-14, "{kind}");
        // A radius does not depend on the unit of the weights.
        let radius = |weights| {
            let roles = Roles::default().with_weights(Some(weights));
            fit(("multisurf", &[]), (&table, &target), roles).model.weights().to_vec()
        };
        assert!(largest_difference(&radius(&whole), &radius(&half)) < 1e-14, "{kind}");
    }
}

#[test]
fn weights_of_one_change_no_bit() {
    let one = weights(|_| 1.0);
    let [target, _] = targets();
    let table = table("genotypes", ROWS, 7, 0.02);
    for method in METHODS_OF_CLASSES {
        let with = fit(method, (&table, &target), Roles::default().with_weights(Some(&one)));
        let without = fit(method, (&table, &target), Roles::default());
        assert_eq!(with.model.weights(), without.model.weights());
    }
}

#[test]
fn results_do_not_depend_on_threads() {
    let own = weights(|count| 0.3 * count as f64);
    let table = table("mixed", ROWS, 7, 0.1);
    let [target, _] = targets();
    for (name, given) in METHODS_OF_CLASSES {
        let info = method(name).unwrap();
        let roles = Roles::default().with_weights(Some(&own));
        let problem = Problem::new(&table, &target).unwrap().with_roles(roles).unwrap();
        let settings = info.settings(given).unwrap();
        let [a, b] =
            [1, 3].map(|threads| info.fit(&problem, &settings, &run(threads)).unwrap().model);
        assert_eq!(a.weights(), b.weights(), "{name}");
    }
}

/// Every row contributes by the definition. The contributions of a class have the mean that its prior states, and the
/// misses of each class count by its prior.
#[test]
fn priors_weigh_misses_and_rows() {
    let [target, _] = targets();
    let Target::Classes(classes) = &target else { panic!("classes") };
    let codes: Vec<usize> = classes.codes().iter().map(|&code| code as usize).collect();
    let table = table("mixed", ROWS, 7, 0.0);
    let naive = Naive::new(&table, codes.clone(), SpaceOptions::default());
    for (text, priors) in [("uniform", [1.0 / 3.0; 3]), ("a=0.05,b=0.15,c=0.8", [0.05, 0.15, 0.8])]
    {
        let priors_of = ClassPriors::parse(text).unwrap().unwrap();
        let roles = Roles::default().with_priors(Some(&priors_of));
        let found = fit(("relieff", &[("n_neighbors", "1")]), (&table, &target), roles);
        let mut expected = vec![0.0; table.width()];
        for row in 0..ROWS {
            let own = codes[row];
            let near = |class: usize| {
                let others: Vec<usize> =
                    (0..ROWS).filter(|&j| j != row && codes[j] == class).collect();
                let least = others.iter().map(|&j| naive.distance(row, j)).fold(f64::MAX, f64::min);
                let nearest: Vec<usize> = others
                    .into_iter()
                    .filter(|&j| naive.distance(row, j) <= least * (1.0 + 1e-12))
                    .collect();
                nearest
            };
            let share = priors[own] / codes.iter().filter(|&&code| code == own).count() as f64;
            for (f, sum) in expected.iter_mut().enumerate() {
                let mean = |class: usize| {
                    let near = near(class);
                    let size = near.len() as f64;
                    near.iter().map(|&j| naive.diff(f, row, j).unwrap()).sum::<f64>() / size
                };
                let misses = (0..3).filter(|&class| class != own);
                let misses: f64 =
                    misses.map(|class| priors[class] / (1.0 - priors[own]) * mean(class)).sum();
                *sum += share * (misses - mean(own));
            }
        }
        let difference = largest_difference(found.model.weights(), &expected);
        assert!(difference < 1e-12, "{text}: {difference}");
    }
}

/// Priors that equal the proportions in the data change nothing but rounding.
#[test]
fn priors_of_the_data_are_the_default() {
    let [target, _] = targets();
    let Target::Classes(classes) = &target else { panic!("classes") };
    let table = table("genotypes", ROWS, 7, 0.0);
    let stated = classes.names().iter().zip(classes.shares());
    let stated = ClassPriors::stated(stated.map(|(name, p)| (name.clone(), p)).collect()).unwrap();
    for method in [METHODS_OF_CLASSES[0], ("multisurf*", &[])] {
        let with = fit(method, (&table, &target), Roles::default().with_priors(Some(&stated)));
        let without = fit(method, (&table, &target), Roles::default());
        assert!(largest_difference(with.model.weights(), without.model.weights()) < 1e-14);
    }
}

#[test]
fn what_cannot_be_used_is_refused_or_reported() {
    let own = weights(|count| count as f64 / 100.0);
    let [target, numbers] = targets();
    let table = table("numbers", ROWS, 4, 0.0);
    let roles = Roles::default().with_weights(Some(&own));
    let small = fit(("relieff", &[]), (&table, &target), roles);
    let message = small.report.warnings.iter().find(|one| one.code() == "few-neighbors");
    let message = message.unwrap().to_string();
    assert!(message.contains("smaller total weight"), "{message}");
    let small = fit(("rrelieff", &[]), (&table, &numbers), roles);
    let two: Vec<&str> =
        labels(ROWS).into_iter().map(|label| if label == "a" { "a" } else { "b" }).collect();
    let two = Target::from_labels(&two);
    assert!(has_warning(&small.report.warnings, "few-neighbors"));
    let priors = ClassPriors::Uniform;
    for (roles, words) in [
        (roles, "does not use weights of rows"),
        (Roles::default().with_priors(Some(&priors)), "does not use priors of classes"),
    ] {
        let problem = Problem::new(&table, &two).unwrap().with_roles(roles).unwrap();
        let (mut accepted, mut refused) = (0, 0);
        for info in
            METHODS.iter().filter(|info| !["rrelieff", "survival-relief"].contains(&info.name))
        {
            let settings = info.settings::<&str, &str>(&[]).unwrap();
            match info.fit(&problem, &settings, &run(1)) {
                Ok(_) => accepted += 1,
                Err(error) => {
                    let message = error.to_string();
                    assert!(message.contains(words), "{}: {message}", info.name);
                    refused += 1;
                }
            }
        }
        assert!(accepted >= 8 && refused >= 8, "{accepted} {refused}");
        let settings = method("multisurf").unwrap().settings(&[("compat", "skrebate")]).unwrap();
        let error = method("multisurf").unwrap().fit(&problem, &settings, &run(1)).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    }
    let numeric = Problem::new(&table, &numbers).unwrap();
    let error = numeric.with_roles(Roles::default().with_priors(Some(&priors))).unwrap_err();
    assert!(error.to_string().contains("numeric"), "{error}");
}

/// Weights are numbers of copies. In another unit, a logistic regression stops at another step.
#[test]
fn weights_of_residuals_are_copies() {
    let value = |row: usize, column: usize| ((row * 37 + column * column * 11) % 29) as f64;
    let counts: Vec<usize> = (0..40).map(|row| 1 + row * row % 4).collect();
    let copies: Vec<usize> =
        counts.iter().enumerate().flat_map(|(row, &count)| vec![row; count]).collect();
    let numbers = |name: &str, column: usize| {
        Column::from_values(name, (0..40).map(|row| value(row, column)).collect()).unwrap()
    };
    let residuals_of =
        |target: &Target, own: &Covariates<'_>, weights: Option<&RowWeights>| -> Vec<f64> {
            let found = residuals(target, own.clone(), weights, &run(1)).unwrap();
            found.target.as_numbers().unwrap().to_vec()
        };
    let own = Covariates::new(Table::new(vec![numbers("x", 1), numbers("z", 3)]).unwrap()).unwrap();
    let copied = own.select_rows(&copies);
    let labels: Vec<String> = (0..40).map(|row| (row * row % 7 % 2).to_string()).collect();
    for target in [
        Target::Real((0..40).map(|row| value(row, 7) + value(row, 1)).collect()),
        Target::Classes(Classes::from_labels(&labels)),
    ] {
        let plain = residuals_of(&target, &own, None);
        let expected = residuals_of(&target.select_rows(&copies).unwrap(), &copied, None);
        for unit in [1.0, 1e-6, 1e5] {
            let weights = counts.iter().map(|&count| count as f64 * unit).collect();
            let weights = RowWeights::new("w", weights).unwrap();
            let found = residuals_of(&target, &own, Some(&weights));
            for (&row, expected) in copies.iter().zip(&expected) {
                let difference = (found[row] - expected).abs();
                let most = if unit == 1.0 { 1e-12 } else { 1e-9 };
                assert!(difference < most, "{row} {unit}: {difference}");
            }
            assert!(found.iter().zip(&plain).any(|(one, other)| (one - other).abs() > 0.01));
        }
    }
}

/// Residuals of WLS and of GLM with `freq_weights` of statsmodels 0.15.
#[test]
fn weighted_residuals_are_those_of_another_program() {
    let x = Column::from_values("x", (0..8).map(f64::from).collect()).unwrap();
    let own = Covariates::new(Table::new(vec![x]).unwrap()).unwrap();
    let weights = vec![0.5, 2.0, 1.25, 3.0, 0.75, 1.0, 4.0, 0.2];
    let weights = RowWeights::new("w", weights).unwrap();
    let numbers = Target::Real(vec![1.0, 0.0, 4.0, 2.0, 7.0, 3.0, 5.0, 9.0]);
    let classes = Target::Classes(Classes::from_labels(&["0", "1", "0", "0", "1", "0", "1", "1"]));
    let of_numbers = [
        0.817044327459,
        -1.019340810254,
        2.144274052033,
        -0.692111085679,
        3.471503776608,
        -1.364881361105,
        -0.201266498817,
        2.962348363470,
    ];
    let of_classes = [
        0.390085667821,
        0.851879135521,
        0.306963932400,
        0.257803370994,
        0.708031221817,
        0.161462204777,
        0.620997712078,
        0.588036985579,
    ];
    for (target, expected) in [(numbers, of_numbers), (classes, of_classes)] {
        let found = residuals(&target, own.clone(), Some(&weights), &run(1)).unwrap().target;
        let Target::Real(found) = found else { panic!("residuals are numbers") };
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-8, "{found} {expected}");
        }
    }
}
