//! Permutations of a target given covariates: their distribution, by enumeration of all orders.

use std::collections::HashMap;

use basrelief::Run;
use basrelief::data::{
    Categories, Classes, Column, Covariates, GroupWeight, Groups, Roles, Table, Target,
};
use basrelief::inference::Permutations;

const ROWS: usize = 16;
const AGES: [f64; ROWS] =
    [1.0, 1.3, 2.0, 2.6, 3.0, 3.5, 4.0, 4.4, 5.0, 5.9, 6.5, 7.0, 7.2, 8.0, 8.5, 9.0];
const DRAWS: u64 = 20_000;

fn seeded(seed: u64) -> Run {
    Run::new(Some(1)).unwrap().with_seed(seed)
}

fn ages(values: &[f64]) -> Covariates<'static> {
    let table = Table::new(vec![Column::from_values("age", values.to_vec()).unwrap()]).unwrap();
    Covariates::new(table).unwrap().with_caliper(1.0, None).unwrap()
}

fn classes(labels: &[&str]) -> Target {
    Target::Classes(Classes::from_labels(labels))
}

/// The value of every row: the code of a class, or the number.
fn values(target: &Target) -> Vec<f64> {
    match target.as_classes() {
        Some(classes) => classes.codes().iter().map(|&code| f64::from(code)).collect(),
        None => target.as_numbers().unwrap().to_vec(),
    }
}

/// All different orders of some values.
fn orders(values: &[f64]) -> Vec<Vec<f64>> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let mut all = vec![sorted.clone()];
    // The next order in lexicographic order.
    while let Some(place) = (1..sorted.len()).rev().find(|&i| sorted[i - 1] < sorted[i]) {
        let other = (place..sorted.len()).rev().find(|&i| sorted[i] > sorted[place - 1]).unwrap();
        sorted.swap(place - 1, other);
        sorted[place..].reverse();
        all.push(sorted.clone());
    }
    all
}

/// Coefficients `a + b x` of the log-odds of `y`, by Newton's method.
fn logistic(x: &[f64], y: &[f64]) -> (f64, f64) {
    let (mut a, mut b) = (0.0, 0.0);
    for _ in 0..50 {
        let (mut g0, mut g1, mut h00, mut h01, mut h11) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for (x, y) in x.iter().zip(y) {
            let p = 1.0 / (1.0 + (-(a + b * x)).exp());
            let w = p * (1.0 - p);
            g0 += y - p;
            g1 += (y - p) * x;
            h00 += w;
            h01 += w * x;
            h11 += w * x * x;
        }
        let determinant = h00 * h11 - h01 * h01;
        a += (h11 * g0 - h01 * g1) / determinant;
        b += (h00 * g1 - h01 * g0) / determinant;
    }
    (a, b)
}

/// The log-odds of every class against class 0, for every row.
fn log_odds(x: &[f64], y: &[f64], classes: usize) -> Vec<Vec<f64>> {
    let of_class = |class: usize| {
        if class == 0 {
            return vec![0.0; x.len()];
        }
        let both = x.iter().zip(y).filter(|(_, y)| **y == 0.0 || **y == class as f64);
        let (x_of_both, y_of_both): (Vec<f64>, Vec<f64>) =
            both.map(|(x, y)| (*x, f64::from(*y > 0.0))).unzip();
        let (a, b) = logistic(&x_of_both, &y_of_both);
        x.iter().map(|x| a + b * x).collect()
    };
    (0..classes).map(of_class).collect()
}

/// The covariate with mean 0 and standard deviation 1.
fn standardized() -> [f64; ROWS] {
    let mean = AGES.iter().sum::<f64>() / ROWS as f64;
    let spread = (AGES.iter().map(|age| (age - mean).powi(2)).sum::<f64>() / ROWS as f64).sqrt();
    AGES.map(|age| (age - mean) / spread)
}

/// The intervals of the sums of products of an order with the standardized covariate, from the standard deviations of
/// these sums: each interval is one standard deviation wide.
fn intervals(order: &[f64], classes: Option<usize>, deviations: &[f64]) -> Vec<i64> {
    let z = standardized();
    let sum_of = |class: Option<usize>| -> f64 {
        let own =
            order.iter().zip(z).filter(|(y, _)| class.is_none_or(|class| **y == class as f64));
        own.map(|(y, z)| z * class.map_or(*y, |_| 1.0)).sum()
    };
    let sums: Vec<f64> = match classes {
        Some(classes) => (0..classes).map(|class| sum_of(Some(class))).collect(),
        None => vec![sum_of(None)],
    };
    sums.iter().zip(deviations).map(|(sum, deviation)| (sum / deviation).round() as i64).collect()
}

/// The standard deviations of these sums, from the variance of every row's contribution.
fn deviation(variances: &[f64]) -> f64 {
    let z = standardized();
    let all: f64 = variances.iter().sum();
    let center = variances.iter().zip(&z).map(|(v, z)| v * z).sum::<f64>() / all;
    variances.iter().zip(&z).map(|(v, z)| v * (z - center).powi(2)).sum::<f64>().sqrt()
}

/// The standard deviations for classes with these log-odds.
fn deviations_of_classes(odds: &[Vec<f64>]) -> Vec<f64> {
    let p = |class: usize, row: usize| {
        odds[class][row].exp() / odds.iter().map(|own| own[row].exp()).sum::<f64>()
    };
    let of_class = |class: usize| {
        let variances: Vec<f64> =
            (0..ROWS).map(|row| p(class, row) * (1.0 - p(class, row))).collect();
        deviation(&variances)
    };
    (0..odds.len()).map(of_class).collect()
}

/// Compares how often every row has every value with the exact probabilities, from the logarithm of the probability of an
/// order, among the orders whose sums are in the same intervals as those of the target.
fn compare(
    permutations: &Permutations<'_>,
    log_probability: impl Fn(&[f64]) -> f64,
    of_order: impl Fn(&[f64]) -> Vec<i64>,
) {
    // Groups have a row in the first half and one in the second.
    let start = values(permutations.target())[..ROWS].to_vec();
    let mut expected: HashMap<(usize, u64), f64> = HashMap::new();
    let mut all = orders(&start);
    all.retain(|order| of_order(order) == of_order(&start));
    assert!(all.len() > 20, "{}", all.len());
    let total: f64 = all.iter().map(|order| log_probability(order).exp()).sum();
    for order in &all {
        for (unit, value) in order.iter().enumerate() {
            *expected.entry((unit, value.to_bits())).or_default() +=
                log_probability(order).exp() / total;
        }
    }
    let mut found: HashMap<(usize, u64), f64> = HashMap::new();
    for number in 0..DRAWS {
        let permuted = values(&permutations.permuted(number));
        for (unit, value) in permuted[..ROWS].iter().enumerate() {
            *found.entry((unit, value.to_bits())).or_default() += 1.0 / DRAWS as f64;
        }
    }
    assert!(expected.values().any(|p| (p - 0.5).abs() > 0.3), "the covariate has an effect");
    for (place, expected) in expected {
        let found = found.get(&place).copied().unwrap_or(0.0);
        // Five standard deviations of a share of so many draws.
        assert!((found - expected).abs() < 0.018, "{place:?}: {found} and not {expected}");
    }
}

/// [`compare`] for classes with these log-odds.
fn compare_classes(permutations: &Permutations<'_>, odds: &[Vec<f64>]) {
    let log_probability = |order: &[f64]| {
        order.iter().enumerate().map(|(row, &class)| odds[class as usize][row]).sum()
    };
    let deviations = deviations_of_classes(odds);
    compare(permutations, log_probability, |order| intervals(order, Some(odds.len()), &deviations));
}

#[test]
fn orders_of_two_classes_are_as_probable_as_the_classes_given_the_covariate() {
    let target =
        classes(&["a", "a", "a", "b", "a", "a", "a", "b", "a", "a", "b", "a", "b", "a", "b", "b"]);
    let own = ages(&AGES);
    let roles = Roles::default().with_covariates(Some(&own));
    let permutations = Permutations::new(&target, roles, &seeded(1)).unwrap();
    assert!(permutations.scheme().unwrap().given_covariates);
    let odds = log_odds(&AGES, &values(&target), 2);
    compare_classes(&permutations, &odds);
    assert_eq!(permutations.order(4), permutations.order(4));
}

#[test]
fn orders_of_three_classes() {
    let target =
        classes(&["a", "a", "b", "a", "a", "c", "a", "a", "b", "a", "c", "a", "b", "a", "a", "c"]);
    let own = ages(&AGES);
    let roles = Roles::default().with_covariates(Some(&own));
    let permutations = Permutations::new(&target, roles, &seeded(2)).unwrap();
    let odds = log_odds(&AGES, &values(&target), 3);
    compare_classes(&permutations, &odds);
}

#[test]
fn orders_of_numbers_are_as_probable_as_normal_residuals() {
    let numbers = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 4.0, 0.0, 1.0, 0.0, 4.0];
    let target = Target::Real(numbers.to_vec());
    let own = ages(&AGES).in_distance();
    let roles = Roles::default().with_covariates(Some(&own));
    let permutations = Permutations::new(&target, roles, &seeded(3)).unwrap();
    let mean = |values: &[f64]| values.iter().sum::<f64>() / ROWS as f64;
    let (x, y) = (mean(&AGES), mean(&numbers));
    let products: f64 = AGES.iter().zip(numbers).map(|(a, b)| (a - x) * (b - y)).sum();
    let squares: f64 = AGES.iter().map(|a| (a - x).powi(2)).sum();
    let slope = products / squares;
    let fitted = AGES.map(|a| y + slope * (a - x));
    let residual = |order: &[f64]| -> f64 {
        order.iter().zip(fitted).map(|(value, fitted)| (value - fitted).powi(2)).sum()
    };
    // Two coefficients.
    let variance = residual(&numbers) / (ROWS - 2) as f64;
    let log_probability = |order: &[f64]| -residual(order) / (2.0 * variance);
    let deviations = [deviation(&[variance; ROWS])];
    compare(&permutations, log_probability, |order| intervals(order, None, &deviations));
}

#[test]
fn a_group_has_the_means_of_its_rows() {
    let labels = ["a", "a", "a", "b", "a", "a", "a", "b", "a", "a", "b", "a", "b", "a", "b", "b"];
    let names: Vec<String> = (0..2 * ROWS).map(|row| format!("g{}", row % ROWS)).collect();
    let groups = Groups::from_labels(&names, GroupWeight::Group);
    let target = classes(&[labels, labels].concat());
    let half = |sign: f64| AGES.map(|age| age + sign);
    let own = ages(&[half(-0.5), half(0.5)].concat());
    let roles = Roles::default().with_covariates(Some(&own)).with_groups(Some(&groups));
    let permutations = Permutations::new(&target, roles, &seeded(4)).unwrap();
    let scheme = permutations.scheme().unwrap();
    assert_eq!((scheme.whole, scheme.within, scheme.given_covariates), (ROWS, 0, true));
    assert_eq!(
        scheme.words("subject"),
        "whole groups of subject are exchanged (16) with the odds of a regression of the target on the covariates"
    );
    let odds = log_odds(&AGES, &values(&classes(&labels)), 2);
    compare_classes(&permutations, &odds);
    let permuted = values(&permutations.permuted(7));
    assert_eq!(permuted[..ROWS], permuted[ROWS..]);
}

/// A covariate that is constant within strata, or within groups that are compared with themselves, changes no odds.
#[test]
fn constant_covariates_change_no_odds() {
    let center = ["n", "s"].repeat(10);
    let by_center: Vec<f64> = center.iter().map(|name| f64::from(u8::from(*name == "n"))).collect();
    let labels: Vec<&str> = (0..20).map(|row| if row % 3 == 0 { "x" } else { "y" }).collect();
    let (target, strata) = (classes(&labels), Classes::from_labels(&center));
    let own = ages(&by_center);
    let groups = Groups::from_labels(&center, GroupWeight::Group);
    for roles in
        [Roles::default().with_strata(Some(&strata)), Roles::default().with_groups(Some(&groups))]
    {
        let without = Permutations::new(&target, roles, &seeded(5)).unwrap();
        let with = roles.with_covariates(Some(&own));
        let with = Permutations::new(&target, with, &seeded(5)).unwrap();
        assert_eq!(with.order(3), without.order(3));
    }
}

/// Strata have intercepts, and rows stay in their stratum.
#[test]
fn strata_and_a_caliper_together() {
    let center: Vec<&str> = (0..40).map(|row| if row % 4 == 0 { "n" } else { "s" }).collect();
    let strata = Classes::from_labels(&center);
    let age: Vec<f64> = (0..40).map(|row| f64::from(row * 17 % 40)).collect();
    let labels: Vec<&str> =
        (0..40).map(|row| if (row * 17 % 40 + row * 7 % 25) > 30 { "x" } else { "y" }).collect();
    let target = classes(&labels);
    let own = ages(&age);
    let roles = Roles::default().with_covariates(Some(&own)).with_strata(Some(&strata));
    let permutations = Permutations::new(&target, roles, &seeded(6)).unwrap();
    let mut together = 0.0;
    for number in 0..200 {
        let order = permutations.order(number);
        for (row, &from) in order.iter().enumerate() {
            assert_eq!(center[row], center[from as usize]);
        }
        let permuted = values(&permutations.permuted(number));
        together += permuted.iter().zip(&age).map(|(y, age)| y * age).sum::<f64>() / 200.0;
    }
    let observed: f64 = values(&target).iter().zip(&age).map(|(y, age)| y * age).sum();
    let ones: f64 = values(&target).iter().sum();
    let independent = ones * 19.5;
    // The target depends on age in the permutations as it does in the data.
    assert!((together - observed).abs() < 0.2 * (observed - independent).abs(), "{together}");
}

#[test]
fn covariates_that_leave_nothing_to_permute_are_refused() {
    let message = |target: &Target, roles: Roles<'_>| {
        Permutations::new(target, roles, &seeded(0)).unwrap_err().to_string()
    };
    let own = ages(&AGES);
    let roles = Roles::default().with_covariates(Some(&own));
    let apart = classes(&[["a"; 8], ["b"; 8]].concat());
    let error = message(&apart, roles);
    assert!(error.contains("separate classes `b` and `a` completely"), "{error}");
    let error = message(&Target::Real(AGES.to_vec()), roles);
    assert!(error.contains("determine the target completely"), "{error}");
    // A category of many levels has a parameter for each.
    let sites = Categories::from_texts(["a", "b", "c", "d"].repeat(4).into_iter().map(Some));
    let table = Table::new(vec![Column::categorical("site", sites)]).unwrap();
    let many = Covariates::new(table).unwrap().in_distance();
    let mixed =
        classes(&["a", "a", "a", "b", "a", "a", "a", "b", "a", "a", "b", "a", "b", "a", "b", "b"]);
    let error = message(&mixed, Roles::default().with_covariates(Some(&many)));
    assert!(error.contains("4 parameters") && error.contains("at least 5 rows"), "{error}");
}

/// Families whose members differ in the target and in the covariate: the order within a family is as probable as by a
/// regression on the covariate and its mean in the family.
#[test]
fn orders_within_groups_by_effects_within_and_between_groups() {
    let families = 40;
    let name: Vec<String> = (0..4 * families).map(|row| format!("f{}", row / 4)).collect();
    let age: Vec<f64> = (0..4 * families)
        .map(|row| f64::from(row / 4 % 7) + f64::from(row * 37 % 41) / 10.0)
        .collect();
    // In every family the oldest two of four are cases, except in a few of them.
    let labels: Vec<&str> = (0..families)
        .flat_map(|family| {
            let own = &age[4 * family as usize..][..4];
            let place = |row: usize| own.iter().filter(|other| **other > own[row]).count();
            (0..4)
                .map(move |row| (place(row) < 2) != (family % 5 == row as i32))
                .collect::<Vec<bool>>()
        })
        .map(|is_case| if is_case { "case" } else { "control" })
        .collect();
    let target = classes(&labels);
    let groups = Groups::from_labels(&name, GroupWeight::Group);
    let own = ages(&age);
    let roles = Roles::default().with_groups(Some(&groups)).with_covariates(Some(&own));
    let permutations = Permutations::new(&target, roles, &seeded(8)).unwrap();
    let scheme = permutations.scheme().unwrap();
    assert!(scheme.within > 30 && scheme.given_covariates, "{scheme:?}");
    let dependence = |values: &[f64]| -> f64 {
        let products = values.chunks(4).zip(age.chunks(4)).map(|(own, age)| {
            let mean = age.iter().sum::<f64>() / 4.0;
            own.iter().zip(age).map(|(value, age)| value * (age - mean)).sum::<f64>()
        });
        products.sum()
    };
    let mut mean = 0.0;
    for number in 0..300 {
        let order = permutations.order(number);
        assert!(order.iter().zip(0..).all(|(from, row)| name[*from as usize] == name[row]));
        mean += dependence(&values(&permutations.permuted(number))) / 300.0;
    }
    let observed = dependence(&values(&target));
    // Without the covariate it would be 0.
    assert!(mean / observed > 0.75 && mean / observed < 1.25, "{mean} {observed}");
}
