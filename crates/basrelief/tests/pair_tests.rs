//! Tests of pairs: statistics are those of other ways to fit the same models, for every kind of feature and target with
//! missing values; the strongest pairs and what their number makes of them are those of a list of all; and p-values by
//! permutation are those of testing every permuted target.

#[path = "common/numbers.rs"]
mod numbers;

use std::collections::BTreeMap;

use basrelief::data::{
    Categories, Classes, Column, ColumnKind, Covariates, GroupWeight, Groups, Roles, RowWeights,
    Table, Target,
};
use basrelief::inference::Permutations;
use basrelief::pairs::{
    Cells, Interactions, PairStatistic, PairTable, PairTests, Parametric, TestedPair,
    least_p_value, least_p_values,
};
use basrelief::{CancelFlag, Error, Run};
use numbers::Numbers;

fn run(threads: usize) -> Run {
    Run::new(Some(threads)).unwrap()
}

/// Columns of every kind; a share of the values is missing, and some genotypes are rare.
fn table(rows: usize, width: usize, missing: f64, seed: u64) -> Table<'static> {
    let mut numbers = Numbers(seed);
    let columns = (0..width).map(|index| {
        let rare = [0.5, 0.3, 0.1, 0.02][index / 4 % 4];
        let mut value = |known: &mut dyn FnMut(&mut Numbers) -> f64| {
            if numbers.next() < missing { f64::NAN } else { known(&mut numbers) }
        };
        match index % 4 {
            3 => {
                let values = (0..rows).map(|_| value(&mut |n| n.next()));
                Column::from_values(format!("n{index}"), values.collect()).unwrap()
            }
            2 => {
                let values: Vec<f64> =
                    (0..rows).map(|_| value(&mut |n| n.below(4) as f64)).collect();
                let texts = values.iter().map(|value| (!value.is_nan()).then(|| value.to_string()));
                let texts: Vec<Option<String>> = texts.collect();
                let categories = Categories::from_texts(texts.iter().map(Option::as_deref));
                Column::categorical(format!("c{index}"), categories)
            }
            _ => {
                let mut copies =
                    |n: &mut Numbers| (0..2).filter(|_| n.next() < rare).count() as f64;
                let values: Vec<f64> = (0..rows).map(|_| value(&mut copies)).collect();
                let code = |value: &f64| if value.is_nan() { 3 } else { *value as u8 };
                let codes: Vec<u8> = values.iter().map(code).collect();
                Column::genotype(format!("g{index}"), codes.into()).unwrap()
            }
        }
    });
    Table::new(columns.collect()).unwrap()
}

/// Features have effects of their own and two act together.
fn real(table: &Table<'_>, seed: u64) -> Vec<f64> {
    let mut noise = Numbers(seed);
    let value = |column: usize, row: usize| match table.columns()[column].value(row) {
        value if value.is_nan() => 0.0,
        value => value,
    };
    (0..table.rows())
        .map(|row| value(0, row) + value(1, row) * value(5, row) * 2.0 + noise.next() * 3.0)
        .collect()
}

fn classes(table: &Table<'_>, count: usize, seed: u64) -> Target {
    let labels = real(table, seed).into_iter().map(|value| value as usize % count);
    let labels: Vec<String> = labels.map(|label| label.to_string()).collect();
    Target::Classes(Classes::from_labels(&labels))
}

/// Rows of a pair in cells, by class.
fn counts(
    table: &Table<'_>,
    first: usize,
    second: usize,
    target: &Target,
) -> (usize, Vec<Vec<f64>>) {
    let found = PairTable::new(table, first, second, target).unwrap();
    let Cells::Classes { counts, .. } = &found.cells else { panic!("classes") };
    let counts = counts.iter().map(|of_cell| of_cell.iter().map(|&count| count as f64).collect());
    (found.second.len(), counts.collect())
}

/// The likelihood ratio by proportional fitting to the end, with sums gathered by name, and its degrees of freedom.
fn fitted_to_the_end(seconds: usize, counts: &[Vec<f64>]) -> (f64, usize) {
    let cells: Vec<([usize; 3], f64)> = counts
        .iter()
        .enumerate()
        .flat_map(|(cell, of_cell)| {
            let classes = of_cell.iter().enumerate();
            classes.map(move |(class, &count)| ([cell / seconds, cell % seconds, class], count))
        })
        .collect();
    let margin = |values: &[f64], left_out: usize| {
        let mut sums = BTreeMap::new();
        for ((place, _), value) in cells.iter().zip(values) {
            let mut key = *place;
            key[left_out] = usize::MAX;
            *sums.entry(key).or_insert(0.0) += value;
        }
        sums
    };
    let known: Vec<f64> = cells.iter().map(|(_, count)| *count).collect();
    let rows: f64 = known.iter().sum();
    let mut fitted = vec![rows / cells.len() as f64; cells.len()];
    for _ in 0..20_000 {
        let before = fitted.clone();
        for left_out in 0..3 {
            let (wanted, sums) = (margin(&known, left_out), margin(&fitted, left_out));
            for ((place, _), value) in cells.iter().zip(&mut fitted) {
                let mut key = *place;
                key[left_out] = usize::MAX;
                if sums[&key] > 0.0 {
                    *value *= wanted[&key] / sums[&key];
                }
            }
        }
        if fitted.iter().zip(&before).all(|(one, other)| (one - other).abs() < 1e-11) {
            break;
        }
    }
    let term = |(count, fitted): (&f64, &f64)| {
        if *count > 0.0 { count * (count / fitted).ln() } else { 0.0 }
    };
    let used = |axis: usize| {
        let there = cells.iter().filter(|(_, count)| *count > 0.0).map(|(place, _)| place[axis]);
        there.collect::<std::collections::BTreeSet<_>>().len()
    };
    let degrees = (0..3).map(|axis| used(axis).saturating_sub(1)).product();
    (2.0 * known.iter().zip(&fitted).map(term).sum::<f64>(), degrees)
}

/// The deviance of the logistic model of an intercept and the levels of both features but one each, by Newton's method,
/// above that of the saturated model.
fn logistic(seconds: usize, counts: &[Vec<f64>]) -> f64 {
    let firsts = counts.len() / seconds;
    let width = firsts + seconds - 1;
    let design = |cell: usize| -> Vec<f64> {
        let (first, second) = (cell / seconds, cell % seconds);
        let flag = |is: bool| f64::from(u8::from(is));
        let one = std::iter::once(1.0);
        one.chain((1..firsts).map(|level| flag(level == first)))
            .chain((1..seconds).map(|level| flag(level == second)))
            .collect()
    };
    let mut beta = vec![0.0; width];
    for _ in 0..60 {
        let mut system = vec![vec![0.0; width + 1]; width];
        for (cell, of_cell) in counts.iter().enumerate() {
            let x = design(cell);
            let eta: f64 = x.iter().zip(&beta).map(|(x, beta)| x * beta).sum();
            let p = 1.0 / (1.0 + (-eta).exp());
            let all = of_cell[0] + of_cell[1];
            for i in 0..width {
                for j in 0..width {
                    system[i][j] += all * p * (1.0 - p) * x[i] * x[j];
                }
                system[i][width] += (of_cell[1] - all * p) * x[i];
            }
        }
        let step = solve(system);
        beta.iter_mut().zip(&step).for_each(|(beta, step)| *beta += step);
    }
    let part = |count: f64, all: f64, p: f64| {
        if count > 0.0 { count * (count / all / p).ln() } else { 0.0 }
    };
    let deviance = |(cell, of_cell): (usize, &Vec<f64>)| {
        let eta: f64 = design(cell).iter().zip(&beta).map(|(x, beta)| x * beta).sum();
        let (p, all) = (1.0 / (1.0 + (-eta).exp()), of_cell[0] + of_cell[1]);
        2.0 * (part(of_cell[1], all, p) + part(of_cell[0], all, 1.0 - p))
    };
    counts.iter().enumerate().map(deviance).sum()
}

/// Gauss's elimination with the greatest pivots.
fn solve(mut system: Vec<Vec<f64>>) -> Vec<f64> {
    let size = system.len();
    for column in 0..size {
        let pivot = (column..size)
            .max_by(|&a, &b| system[a][column].abs().total_cmp(&system[b][column].abs()))
            .unwrap();
        system.swap(column, pivot);
        for row in (0..size).filter(|row| *row != column) {
            let factor = system[row][column] / system[column][column];
            for place in column..=size {
                system[row][place] -= factor * system[column][place];
            }
        }
    }
    (0..size).map(|row| system[row][size] / system[row][row]).collect()
}

fn all_pairs(tests: &PairTests) -> BTreeMap<(usize, usize), TestedPair> {
    tests.pairs.iter().map(|pair| ((pair.first, pair.second), pair.clone())).collect()
}

fn p_value(pair: &TestedPair) -> f64 {
    pair.parametric.unwrap().p_value
}

fn seeded(seed: u64) -> Run {
    Run::new(Some(1)).unwrap().with_seed(seed)
}

#[test]
fn likelihood_ratios_are_those_of_other_fits() {
    for (missing, class_count, seed) in [(0.0, 2, 1), (0.05, 2, 2), (0.1, 3, 3)] {
        let table = table(400, 14, missing, seed);
        let target = classes(&table, class_count, seed + 10);
        let features: Vec<usize> = (0..table.width()).rev().collect();
        let found =
            PairTests::new(&table, &features, &target, Roles::default(), 1000, &run(2)).unwrap();
        assert_eq!(found.statistic, PairStatistic::LikelihoodRatio);
        let gains = Interactions::measure(&table, &features, &target, &run(2)).unwrap();
        let by_place = all_pairs(&found);
        let mut compared = 0;
        for first in 0..features.len() {
            for second in first + 1..features.len() {
                let (seconds, counts) = counts(&table, features[first], features[second], &target);
                let (statistic, degrees) = fitted_to_the_end(seconds, &counts);
                let Some(pair) = by_place.get(&(first, second)) else {
                    assert_eq!(degrees, 0);
                    continue;
                };
                assert_eq!(pair.degrees, degrees);
                // The fit stops a little before the end, where likelihoods are flat.
                let near = 1e-5 * statistic.max(1.0);
                assert!(
                    pair.statistic > statistic - 1e-9 && pair.statistic < statistic + near,
                    "{first} {second}: {} and not {statistic}",
                    pair.statistic
                );
                let rows: f64 = counts.concat().iter().sum();
                assert_eq!(pair.rows as f64, rows);
                let gain = gains.pair(first, second).unwrap().uncorrected;
                assert!((pair.interaction_information.unwrap() - gain).abs() < 1e-10);
                let is_whole =
                    counts.iter().all(|of_cell| of_cell.iter().all(|count| *count > 0.0));
                if class_count == 2 && is_whole {
                    let deviance = logistic(seconds, &counts);
                    assert!((deviance - statistic).abs() < 1e-6, "{deviance} and not {statistic}");
                    compared += 1;
                }
            }
        }
        assert!(class_count > 2 || compared > 20, "{compared}");
    }
}

#[test]
fn f_of_product_terms_is_that_of_least_squares() {
    let table = table(150, 12, 0.05, 7);
    let values = real(&table, 8);
    let features: Vec<usize> = (0..table.width()).collect();
    let target = Target::Real(values.clone());
    let found =
        PairTests::new(&table, &features, &target, Roles::default(), 1000, &run(2)).unwrap();
    assert_eq!(found.statistic, PairStatistic::ProductTerm);
    let mut compared = 0;
    for pair in &found.pairs {
        let columns = [pair.first, pair.second].map(|place| &table.columns()[place]);
        if columns.iter().any(|column| column.kind() == ColumnKind::Categorical) {
            continue;
        }
        let rows: Vec<usize> = (0..table.rows())
            .filter(|row| columns.iter().all(|column| !column.value(*row).is_nan()))
            .collect();
        let squares = |design: &dyn Fn(usize) -> Vec<f64>| {
            let width = design(rows[0]).len();
            let mut system = vec![vec![0.0; width + 1]; width];
            for &row in &rows {
                let x = design(row);
                for i in 0..width {
                    (0..width).for_each(|j| system[i][j] += x[i] * x[j]);
                    system[i][width] += x[i] * values[row];
                }
            }
            let beta = solve(system);
            let left = |&row: &usize| {
                let fitted: f64 = design(row).iter().zip(&beta).map(|(x, beta)| x * beta).sum();
                (values[row] - fitted).powi(2)
            };
            rows.iter().map(left).sum::<f64>()
        };
        let value = |column: usize, row: usize| columns[column].value(row);
        let main = squares(&|row| vec![1.0, value(0, row), value(1, row)]);
        let full =
            squares(&|row| vec![1.0, value(0, row), value(1, row), value(0, row) * value(1, row)]);
        let residual = rows.len() - 4;
        if pair.residual != Some(residual) {
            // Rare genotypes: a column depends on the others.
            continue;
        }
        let f = (main - full) / (full / residual as f64);
        assert!((pair.statistic - f).abs() < 1e-6 * f.max(1.0), "{} and not {f}", pair.statistic);
        compared += 1;
    }
    assert!(compared > 20, "{compared}");
}

#[test]
fn the_strongest_are_those_of_all_for_any_number_of_threads() {
    let table = table(300, 80, 0.03, 5);
    let features: Vec<usize> = (0..table.width()).collect();
    for target in [classes(&table, 2, 6), Target::Real(real(&table, 6))] {
        let all =
            PairTests::new(&table, &features, &target, Roles::default(), 100_000, &run(1)).unwrap();
        assert_eq!(all.pairs.len() as u64, all.tested);
        assert_eq!(all.tested + all.untested, 80 * 79 / 2);
        assert_eq!(all.exact_q, Some(1.0));
        let p_values: Vec<f64> = all.pairs.iter().map(p_value).collect();
        assert!(p_values.is_sorted());
        // Benjamini & Hochberg: the least of m p / rank from there on.
        let scaled = (1..).zip(&p_values).map(|(rank, p)| p * all.tested as f64 / rank as f64);
        let mut shares: Vec<f64> = scaled.collect();
        (1..shares.len()).rev().for_each(|k| shares[k - 1] = shares[k - 1].min(shares[k]));
        for (pair, share) in all.pairs.iter().zip(shares) {
            let Parametric { p_value, bonferroni, q_value } = pair.parametric.unwrap();
            assert!((q_value - share).abs() < 1e-12);
            assert_eq!(bonferroni, (p_value * all.tested as f64).min(1.0));
        }
        for threads in [1, 3] {
            let found =
                PairTests::new(&table, &features, &target, Roles::default(), 7, &run(threads))
                    .unwrap();
            assert_eq!(found.pairs, all.pairs[..7]);
            let least = least_p_value(&table, &features, &target, &run(threads)).unwrap();
            assert_eq!(least, p_value(&all.pairs[0]));
        }
    }
}

#[test]
fn permutations_test_every_permuted_target() {
    let table = table(120, 9, 0.05, 3);
    let features: Vec<usize> = (0..table.width()).collect();
    let strata = Classes::from_labels(&["a", "b", "b"].repeat(40));
    for target in [classes(&table, 2, 4), Target::Real(real(&table, 4))] {
        let permutations =
            Permutations::new(&target, Roles::default().with_strata(Some(&strata)), &seeded(11))
                .unwrap();
        let least = least_p_values(&table, &features, &permutations, None, 20, &run(2)).unwrap();
        for (number, least) in (0..).zip(&least) {
            let permuted = permutations.permuted(number);
            let wanted = least_p_value(&table, &features, &permuted, &run(1)).unwrap();
            assert!((least - wanted).abs() < 1e-9 * wanted, "{least} and not {wanted}");
        }
        let mut found =
            PairTests::new(&table, &features, &target, Roles::default(), 30, &run(2)).unwrap();
        found.adjust(&least);
        for pair in &found.pairs {
            let as_strong = least.iter().filter(|p| **p <= p_value(pair) * (1.0 + 1e-9)).count();
            assert_eq!(pair.adjusted, Some((1 + as_strong) as f64 / 21.0));
        }
        assert!(least_p_values(&table, &features, &permutations, None, 0, &run(1)).is_err());
    }
}

/// Groups of 1 to 5 rows, and for every row the first row of its group.
fn groups(rows: usize, seed: u64) -> (Groups, Vec<usize>) {
    let mut numbers = Numbers(seed);
    let mut firsts = Vec::new();
    while firsts.len() < rows {
        let first = firsts.len();
        let size = (1 + numbers.below(5)).min(rows - first);
        firsts.extend(vec![first; size]);
    }
    let names: Vec<String> = firsts.iter().map(usize::to_string).collect();
    (Groups::from_labels(&names, GroupWeight::Group), firsts)
}

/// With groups, statistics and order are those of independent rows, there are no p-values of their distributions, and
/// adjusted ones come from testing every permuted target, of groups as a whole or within them, given covariates if there
/// are any.
#[test]
fn groups_have_adjusted_p_values_only() {
    let rows = 150;
    let table = table(rows, 9, 0.05, 3);
    let features: Vec<usize> = (0..table.width()).collect();
    let (groups, firsts) = groups(rows, 8);
    let own = covariates(rows, false, 9);
    for target in [classes(&table, 2, 4), Target::Real(real(&table, 4))] {
        let constant = target.select_rows(&firsts).unwrap();
        for (target, covariates) in
            [(&target, None), (&constant, None), (&target, Some(&own)), (&constant, Some(&own))]
        {
            let plain = Roles::default().with_covariates(covariates);
            let roles = plain.with_groups(Some(&groups));
            let tested =
                |roles| PairTests::new(&table, &features, target, roles, 30, &run(2)).unwrap();
            let (of_rows, mut found) = (tested(plain), tested(roles));
            for (one, other) in found.pairs.iter().zip(&of_rows.pairs) {
                let places = |pair: &TestedPair| (pair.first, pair.second, pair.degrees);
                assert_eq!(places(one), places(other));
                assert_eq!(one.statistic, other.statistic);
                assert_eq!((one.parametric, one.log10_p(), one.adjusted), (None, None, None));
            }
            assert_eq!((found.exact_q, found.significant(1.0)), (None, 0));
            let permutations = PairTests::permutations(target, roles, &seeded(11)).unwrap();
            assert_eq!(permutations.scheme().unwrap().given_covariates, covariates.is_some());
            let least =
                least_p_values(&table, &features, &permutations, covariates, 12, &run(2)).unwrap();
            for (number, least) in (0..).zip(&least) {
                let permuted = permutations.permuted(number);
                let of_all =
                    PairTests::new(&table, &features, &permuted, plain, 1, &run(1)).unwrap();
                let wanted = p_value(&of_all.pairs[0]);
                assert!((least - wanted).abs() < 1e-9 * wanted, "{least} and not {wanted}");
            }
            found.adjust(&least);
            for (pair, of_rows) in found.pairs.iter().zip(&of_rows.pairs) {
                let as_strong =
                    least.iter().filter(|p| **p <= p_value(of_rows) * (1.0 + 1e-9)).count();
                assert_eq!(pair.adjusted, Some((1 + as_strong) as f64 / 13.0));
            }
            let error = PairTests::check(roles, None).unwrap_err().to_string();
            assert!(
                error.contains("independent rows") && error.contains("permutations"),
                "{error}"
            );
            PairTests::check(roles, Some(99)).unwrap();
            PairTests::check(plain, None).unwrap();
        }
    }
    let single: Vec<String> = (0..rows).map(|row| row.to_string()).collect();
    let single = Groups::from_labels(&single, GroupWeight::Group);
    PairTests::check(Roles::default().with_groups(Some(&single)), None).unwrap();
    let weights =
        RowWeights::new("w", (0..rows).map(|row| 1.0 + (row % 2) as f64).collect()).unwrap();
    let roles = Roles::default().with_weights(Some(&weights));
    let target = classes(&table, 2, 4);
    let error = PairTests::new(&table, &features, &target, roles, 9, &run(1)).unwrap_err();
    assert!(error.to_string().contains("all rows count equally"), "{error}");
}

#[test]
fn what_cannot_be_tested_is_counted_or_said() {
    let column = |name: &str, value: fn(usize) -> f64| {
        Column::from_values(name, (0..40).map(value).collect()).unwrap()
    };
    let table = Table::new(vec![
        column("constant", |_| 1.0),
        column("first half", |row| if row < 20 { (row % 7) as f64 } else { f64::NAN }),
        column("second half", |row| if row < 20 { f64::NAN } else { (row % 7) as f64 }),
        column("missing", |_| f64::NAN),
        column("whole", |row| (row % 5) as f64),
    ])
    .unwrap();
    let classes = Target::Classes(Classes::from_labels(&["x", "y"].repeat(20)));
    for target in [classes, Target::Real((0..40).map(f64::from).collect())] {
        let found = PairTests::new(&table, &[0, 1, 2, 3, 4], &target, Roles::default(), 5, &run(1))
            .unwrap();
        // The last with both halves alone.
        assert_eq!((found.tested, found.untested), (2, 8));
        let none = PairTests::new(&table, &[0, 1], &target, Roles::default(), 5, &run(1)).unwrap();
        assert_eq!((none.tested, none.pairs.len()), (0, 0));
        assert_eq!(least_p_value(&table, &[0, 1], &target, &run(1)).unwrap(), 1.0);
        for features in [&[][..], &[4]] {
            let none =
                PairTests::new(&table, features, &target, Roles::default(), 5, &run(1)).unwrap();
            assert_eq!((none.tested, none.untested), (0, 0));
        }
        let error = PairTests::new(&table, &[0, 1], &target, Roles::default(), 0, &run(1))
            .unwrap_err()
            .to_string();
        assert!(error.contains("0 pairs were requested"), "{error}");
        let flag = CancelFlag::new();
        flag.cancel();
        let stopped = run(1).with_cancel(flag);
        let stopped = PairTests::new(&table, &[1, 4], &target, Roles::default(), 5, &stopped);
        assert!(matches!(stopped, Err(Error::Cancelled)));
    }
}

/// Numeric and categorical covariates; `of_few` makes only few combinations of values, so that rows are counted together.
fn covariates(rows: usize, of_few: bool, seed: u64) -> Covariates<'static> {
    let mut numbers = Numbers(seed);
    let values: Vec<f64> = (0..rows)
        .map(|_| if of_few { 10.0 + numbers.below(2) as f64 } else { 50.0 + 9.0 * numbers.next() })
        .collect();
    let texts: Vec<String> = (0..rows).map(|_| format!("p{}", numbers.below(3))).collect();
    let texts = Categories::from_texts(texts.iter().map(|text| Some(text.as_str())));
    // The third column depends on the first and is omitted.
    let twice = values.iter().map(|value| 3.0 - 2.0 * value).collect();
    let columns = vec![
        Column::from_values("age", values).unwrap(),
        Column::categorical("population", texts),
        Column::from_values("twice", twice).unwrap(),
    ];
    Covariates::new(Table::new(columns).unwrap()).unwrap()
}

/// Classes or numbers that depend on the features and on both covariates.
fn confounded(table: &Table<'_>, covariates: &Covariates<'_>, seed: u64) -> Vec<f64> {
    let own = covariates.table().columns();
    let values = real(table, seed);
    let value = |(row, value): (usize, f64)| value + own[0].value(row) / 20.0 + own[1].value(row);
    values.into_iter().enumerate().map(value).collect()
}

/// The design matrix of a pair without and with the products, as an indicator of every level and of every combination of
/// levels; rows with a missing value are left out. Columns may depend on each other.
fn designs(
    codes: [&[Option<usize>]; 2],
    covariates: &Covariates<'_>,
) -> (Vec<usize>, [Vec<Vec<f64>>; 2]) {
    let rows: Vec<usize> = (0..codes[0].len())
        .filter(|&row| codes[0][row].is_some() && codes[1][row].is_some())
        .collect();
    let of_pair = |row: usize| codes.map(|codes| codes[row].unwrap());
    let indicator = |is_it: bool| f64::from(u8::from(is_it));
    let design = |has_products: bool| -> Vec<Vec<f64>> {
        let line = |&row: &usize| {
            let [one, other] = of_pair(row);
            let mut line: Vec<f64> = match has_products {
                true => (0..64).map(|cell| indicator(one * 8 + other == cell)).collect(),
                false => (0..8).map(|level| indicator(one == level)).collect(),
            };
            if !has_products {
                line.extend((1..8).map(|level| indicator(other == level)));
            }
            for column in covariates.table().columns() {
                let value = column.value(row);
                match column.kind() {
                    ColumnKind::Categorical => {
                        line.extend((1..3).map(|level| indicator(value == f64::from(level))));
                    }
                    _ => line.push((value - 50.0) / 20.0),
                }
            }
            line
        };
        rows.iter().map(line).collect()
    };
    let both = [design(false), design(true)];
    (rows, both)
}

/// A solution of symmetric equations by elimination, in which dependent variables are 0; and the rank.
fn solved(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> (Vec<f64>, usize) {
    let size = b.len();
    let scale: Vec<f64> = (0..size).map(|i| a[i][i]).collect();
    let mut is_used = vec![false; size];
    for i in 0..size {
        if a[i][i] <= 1e-10 * scale[i] || a[i][i] < 1e-14 {
            continue;
        }
        is_used[i] = true;
        for k in (0..size).filter(|&k| k != i) {
            let factor = a[k][i] / a[i][i];
            for j in 0..size {
                a[k][j] -= factor * a[i][j];
            }
            b[k] -= factor * b[i];
        }
    }
    let x = (0..size).map(|i| if is_used[i] { b[i] / a[i][i] } else { 0.0 }).collect();
    (x, is_used.into_iter().filter(|used| *used).count())
}

/// The maximum of the log-likelihood of a logistic model, by weighted least squares over all rows.
fn log_likelihood(design: &[Vec<f64>], ones: &[f64]) -> f64 {
    let width = design[0].len();
    let mut coefficients = vec![0.0; width];
    let of = |coefficients: &[f64]| -> f64 {
        let of_row = |(line, y): (&Vec<f64>, &f64)| {
            let score: f64 = line.iter().zip(coefficients).map(|(x, b)| x * b).sum();
            let margin = if *y == 1.0 { score } else { -score };
            -(-margin).exp().ln_1p()
        };
        design.iter().zip(ones).map(of_row).sum()
    };
    for _ in 0..40 {
        let mut a = vec![vec![0.0; width]; width];
        let mut b = vec![0.0; width];
        for (line, y) in design.iter().zip(ones) {
            let score: f64 = line.iter().zip(&coefficients).map(|(x, b)| x * b).sum();
            let p = 1.0 / (1.0 + (-score).exp());
            for i in (0..width).filter(|&i| line[i] != 0.0) {
                b[i] += line[i] * (y - p);
                for j in 0..width {
                    a[i][j] += line[i] * line[j] * p * (1.0 - p);
                }
            }
        }
        let (step, _) = solved(a, b);
        let moved: Vec<f64> = coefficients.iter().zip(&step).map(|(x, step)| x + step).collect();
        if of(&moved) - of(&coefficients) < 1e-13 {
            break;
        }
        coefficients = moved;
    }
    of(&coefficients)
}

/// The levels of a column in every row: those of a table with itself.
fn level_codes(column: &Column<'_>) -> Vec<Option<usize>> {
    let values: Vec<f64> = (0..column.len()).map(|row| column.value(row)).collect();
    let mut known: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
    known.sort_by(f64::total_cmp);
    known.dedup();
    let code = |value: &f64| known.iter().position(|known| known == value);
    values.iter().map(code).collect()
}

/// Likelihood ratios with covariates are those of dense designs, with missing values, rare levels (whose rows may have one
/// class only) and both kinds of covariates.
#[test]
fn ratios_with_covariates_are_those_of_dense_designs() {
    let mut separated = 0;
    for (rows, missing, of_few, seed) in
        [(260, 0.0, false, 1), (300, 0.05, false, 2), (400, 0.05, true, 3), (90, 0.1, false, 4)]
    {
        let table = table(rows, 16, missing, seed);
        // Bins of numbers are left to the tests without covariates.
        let features: Vec<usize> = (0..16).filter(|index| [1, 2].contains(&(index % 4))).collect();
        let covariates = covariates(rows, of_few, seed + 10);
        let values = confounded(&table, &covariates, seed + 20);
        let labels: Vec<&str> =
            values.iter().map(|value| if *value > 4.6 { "case" } else { "control" }).collect();
        let target = Target::Classes(Classes::from_labels(&labels));
        let Target::Classes(classes) = &target else { panic!("classes") };
        let ones: Vec<f64> = classes.codes().iter().map(|&code| f64::from(code)).collect();
        let found = PairTests::new(
            &table,
            &features,
            &target,
            Roles::default().with_covariates(Some(&covariates)),
            1000,
            &run(2),
        )
        .unwrap();
        let plain =
            PairTests::new(&table, &features, &target, Roles::default(), 1000, &run(2)).unwrap();
        let plain = all_pairs(&plain);
        assert_eq!(found.statistic, PairStatistic::LikelihoodRatio);
        assert_eq!(found.tested as usize, plain.len());
        let mut differ = 0;
        for pair in &found.pairs {
            let codes = [pair.first, pair.second]
                .map(|place| level_codes(&table.columns()[features[place]]));
            let (rows, [main, all]) = designs([&codes[0], &codes[1]], &covariates);
            let ones: Vec<f64> = rows.iter().map(|&row| ones[row]).collect();
            let wanted = 2.0 * (log_likelihood(&all, &ones) - log_likelihood(&main, &ones));
            assert!(
                (pair.statistic - wanted).abs() < 1e-8,
                "{seed} {pair:?}: {wanted} {}",
                pair.statistic - wanted
            );
            // Everything that is not the statistic is that of the test without covariates.
            let unadjusted = &plain[&(pair.first, pair.second)];
            assert_eq!((pair.rows, pair.degrees), (unadjusted.rows, unadjusted.degrees));
            assert_eq!(pair.interaction_information, unadjusted.interaction_information);
            differ += usize::from((pair.statistic - unadjusted.statistic).abs() > 0.1);
            let (_, counts) = counts(&table, features[pair.first], features[pair.second], &target);
            separated += usize::from(counts.iter().any(|of_cell| {
                of_cell.len() == 2 && of_cell.iter().sum::<f64>() > 0.0 && of_cell.contains(&0.0)
            }));
        }
        assert!(differ > found.pairs.len() / 2, "{differ}");
    }
    assert!(separated > 20, "{separated}");
}

/// F with covariates is that of dense designs.
#[test]
fn product_terms_with_covariates_are_those_of_dense_designs() {
    for (missing, of_few, seed) in [(0.0, false, 1), (0.06, false, 2), (0.05, true, 3)] {
        let rows = 200;
        let table = table(rows, 8, missing, seed);
        let covariates = covariates(rows, of_few, seed + 10);
        let values = confounded(&table, &covariates, seed + 20);
        let target = Target::Real(values.clone());
        let features: Vec<usize> = (0..8).collect();
        let found = PairTests::new(
            &table,
            &features,
            &target,
            Roles::default().with_covariates(Some(&covariates)),
            1000,
            &run(2),
        )
        .unwrap();
        assert_eq!(found.statistic, PairStatistic::ProductTerm);
        let columns = |index: usize, row: usize| -> Vec<f64> {
            let value = table.columns()[index].value(row);
            match table.columns()[index].kind() {
                ColumnKind::Categorical => {
                    (1..4).map(|level| f64::from(u8::from(value == f64::from(level)))).collect()
                }
                _ => vec![value],
            }
        };
        for pair in &found.pairs {
            let is_known = |&row: &usize| {
                [pair.first, pair.second].iter().all(|&i| !table.columns()[i].value(row).is_nan())
            };
            let known: Vec<usize> = (0..rows).filter(is_known).collect();
            let mut left = [0.0; 2];
            let mut ranks = [0; 2];
            for with in [0, 1] {
                let mut design = Vec::new();
                for &row in &known {
                    let (one, other) = (columns(pair.first, row), columns(pair.second, row));
                    let mut line = vec![1.0];
                    for column in covariates.table().columns() {
                        let value = column.value(row);
                        match column.kind() {
                            ColumnKind::Categorical => line.extend(
                                (1..3).map(|level| f64::from(u8::from(value == f64::from(level)))),
                            ),
                            _ => line.push((value - 30.0) / 20.0),
                        }
                    }
                    line.extend(one.iter().chain(&other));
                    if with == 1 {
                        let product = |a: &f64| other.iter().map(|b| a * b).collect::<Vec<f64>>();
                        line.extend(one.iter().flat_map(product));
                    }
                    design.push(line);
                }
                let width = design[0].len();
                let sum = |i: usize, other: &dyn Fn(usize) -> f64| -> f64 {
                    design.iter().enumerate().map(|(at, line)| line[i] * other(at)).sum()
                };
                let a: Vec<Vec<f64>> = (0..width)
                    .map(|i| (0..width).map(|j| sum(i, &|at| design[at][j])).collect())
                    .collect();
                let b = (0..width).map(|i| sum(i, &|at| values[known[at]])).collect();
                let (x, rank) = solved(a, b);
                ranks[with] = rank;
                left[with] = design
                    .iter()
                    .zip(&known)
                    .map(|(line, &row)| {
                        let fit: f64 = line.iter().zip(&x).map(|(a, b)| a * b).sum();
                        (values[row] - fit).powi(2)
                    })
                    .sum();
            }
            let (degrees, residual) = (ranks[1] - ranks[0], known.len() - ranks[1]);
            let wanted = (left[0] - left[1]) / degrees as f64 / (left[1] / residual as f64);
            assert_eq!((pair.degrees, pair.residual), (degrees, Some(residual)), "{pair:?}");
            assert!((pair.statistic - wanted).abs() < 1e-7 * (1.0 + wanted), "{pair:?} {wanted}");
        }
    }
}

/// A covariate that is independent of everything changes nothing: every row is there with both of its values.
#[test]
fn a_covariate_without_relation_changes_no_statistic() {
    let half = table(300, 8, 0.04, 6);
    let rows: Vec<usize> = (0..300).chain(0..300).collect();
    let labels = classes(&half, 2, 7);
    let (table, target) = (half.select_rows(&rows), labels.select_rows(&rows).unwrap());
    let of_half = (0..600).map(|row| f64::from(u8::from(row < 300))).collect();
    let own = Column::from_values("half", of_half).unwrap();
    let own = Covariates::new(Table::new(vec![own]).unwrap()).unwrap();
    let features: Vec<usize> = (0..8).collect();
    let with = PairTests::new(
        &table,
        &features,
        &target,
        Roles::default().with_covariates(Some(&own)),
        100,
        &run(1),
    )
    .unwrap();
    let without =
        PairTests::new(&table, &features, &target, Roles::default(), 100, &run(1)).unwrap();
    let without = all_pairs(&without);
    assert_eq!(with.pairs.len(), without.len());
    for pair in &with.pairs {
        let other = &without[&(pair.first, pair.second)];
        // Proportional fitting stops early.
        assert!((pair.statistic - other.statistic).abs() < 0.01, "{pair:?} {other:?}");
        assert_eq!((pair.degrees, pair.rows), (other.degrees, other.rows));
    }
}

#[test]
fn results_with_covariates_do_not_depend_on_threads_and_are_refused_where_they_make_no_sense() {
    let table = table(200, 12, 0.03, 8);
    let features: Vec<usize> = (0..12).collect();
    for of_few in [true, false] {
        let own = covariates(200, of_few, 9);
        for target in [classes(&table, 2, 3), Target::Real(real(&table, 3))] {
            let tested = |threads| {
                PairTests::new(
                    &table,
                    &features,
                    &target,
                    Roles::default().with_covariates(Some(&own)),
                    9,
                    &run(threads),
                )
                .unwrap()
            };
            assert_eq!(tested(1), tested(3));
            let permutations = Permutations::new(&target, Roles::default(), &seeded(5)).unwrap();
            let least = |threads| {
                let run = run(threads);
                least_p_values(&table, &features, &permutations, Some(&own), 6, &run).unwrap()
            };
            assert_eq!(least(1), least(3));
            assert!(least(1).iter().all(|p| *p > 0.0 && *p < 1.0));
        }
    }
    let own = covariates(200, false, 9);
    let refused = |target: &Target, own: &Covariates<'_>| {
        PairTests::new(
            &table,
            &features,
            target,
            Roles::default().with_covariates(Some(own)),
            9,
            &run(1),
        )
        .unwrap_err()
        .to_string()
    };
    let three = refused(&classes(&table, 3, 3), &own);
    assert!(three.contains("3 classes") && three.contains("keep two classes"), "{three}");
    let short = refused(&classes(&table, 2, 3), &covariates(150, false, 9));
    assert!(short.contains("150 rows"), "{short}");
    let ages: Vec<f64> = (0..200).map(|row| own.table().columns()[0].value(row)).collect();
    let old: Vec<&str> = ages.iter().map(|age| if *age > 54.0 { "old" } else { "young" }).collect();
    for target in [Target::Classes(Classes::from_labels(&old)), Target::Real(ages)] {
        let error = refused(&target, &own);
        assert!(error.contains("completely"), "{error}");
    }
}

/// With strata, only permutations within them give p-values, and statistics and their order remain.
#[test]
fn strata_have_adjusted_p_values_only() {
    let rows = 150;
    let table = table(rows, 9, 0.05, 3);
    let features: Vec<usize> = (0..table.width()).collect();
    let codes: Vec<u32> = (0..rows as u32).map(|row| row / 50).collect();
    let strata = Classes::from_codes(&codes, &["a", "b", "c"].map(String::from)).unwrap();
    let roles = Roles::default().with_strata(Some(&strata));
    for target in [classes(&table, 2, 4), Target::Real(real(&table, 4))] {
        let tested =
            |roles| PairTests::new(&table, &features, &target, roles, 30, &run(2)).unwrap();
        let (plain, mut found) = (tested(Roles::default()), tested(roles));
        for (one, other) in found.pairs.iter().zip(&plain.pairs) {
            assert_eq!(
                (one.first, one.second, one.statistic),
                (other.first, other.second, other.statistic)
            );
            assert_eq!((one.parametric, one.log10_p(), one.adjusted), (None, None, None));
        }
        assert_eq!(found.exact_q, None);
        let permutations = PairTests::permutations(&target, roles, &seeded(11)).unwrap();
        let least = least_p_values(&table, &features, &permutations, None, 12, &run(2)).unwrap();
        found.adjust(&least);
        assert!(found.pairs.iter().all(|pair| pair.adjusted.is_some()));
        let error = PairTests::check(roles, None).unwrap_err().to_string();
        assert!(error.contains("strata") && error.contains("permutations"), "{error}");
        PairTests::check(roles, Some(99)).unwrap();
    }
}
