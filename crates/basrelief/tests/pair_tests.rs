//! Tests of pairs: statistics are those of other ways to fit the same models, for every kind of feature and target with
//! missing values; the strongest pairs and what their number makes of them are those of a list of all; and p-values by
//! permutation are those of testing every permuted target.

#[path = "common/numbers.rs"]
mod numbers;

use std::collections::BTreeMap;

use basrelief::data::{Categories, Classes, Column, ColumnKind, Roles, Table, Target};
use basrelief::inference::Permutations;
use basrelief::pairs::{
    Cells, Interactions, PairStatistic, PairTable, PairTests, TestedPair, least_p_value,
    least_p_values,
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

fn seeded(seed: u64) -> Run {
    Run::new(Some(1)).unwrap().with_seed(seed)
}

#[test]
fn likelihood_ratios_are_those_of_other_fits() {
    for (missing, class_count, seed) in [(0.0, 2, 1), (0.05, 2, 2), (0.1, 3, 3)] {
        let table = table(400, 14, missing, seed);
        let target = classes(&table, class_count, seed + 10);
        let features: Vec<usize> = (0..table.width()).rev().collect();
        let found = PairTests::new(&table, &features, &target, 1000, &run(2)).unwrap();
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
    let found = PairTests::new(&table, &features, &target, 1000, &run(2)).unwrap();
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
        let all = PairTests::new(&table, &features, &target, 100_000, &run(1)).unwrap();
        assert_eq!(all.pairs.len() as u64, all.tested);
        assert_eq!(all.tested + all.untested, 80 * 79 / 2);
        assert_eq!(all.exact_q, 1.0);
        let p_values: Vec<f64> = all.pairs.iter().map(|pair| pair.p_value).collect();
        assert!(p_values.is_sorted());
        // Benjamini & Hochberg: the least of m p / rank from there on.
        let scaled = (1..).zip(&p_values).map(|(rank, p)| p * all.tested as f64 / rank as f64);
        let mut shares: Vec<f64> = scaled.collect();
        (1..shares.len()).rev().for_each(|k| shares[k - 1] = shares[k - 1].min(shares[k]));
        for (pair, share) in all.pairs.iter().zip(shares) {
            assert!((pair.q_value - share).abs() < 1e-12);
            assert_eq!(pair.bonferroni, (pair.p_value * all.tested as f64).min(1.0));
        }
        for threads in [1, 3] {
            let found = PairTests::new(&table, &features, &target, 7, &run(threads)).unwrap();
            assert_eq!(found.pairs, all.pairs[..7]);
            let least = least_p_value(&table, &features, &target, &run(threads)).unwrap();
            assert_eq!(least, all.pairs[0].p_value);
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
        let least = least_p_values(&table, &features, &permutations, 20, &run(2)).unwrap();
        for (number, least) in (0..).zip(&least) {
            let permuted = permutations.permuted(number);
            let wanted = least_p_value(&table, &features, &permuted, &run(1)).unwrap();
            assert!((least - wanted).abs() < 1e-9 * wanted, "{least} and not {wanted}");
        }
        let mut found = PairTests::new(&table, &features, &target, 30, &run(2)).unwrap();
        found.adjust(&least);
        for pair in &found.pairs {
            let as_strong = least.iter().filter(|p| **p <= pair.p_value * (1.0 + 1e-9)).count();
            assert_eq!(pair.adjusted, Some((1 + as_strong) as f64 / 21.0));
        }
        assert!(least_p_values(&table, &features, &permutations, 0, &run(1)).is_err());
    }
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
        let found = PairTests::new(&table, &[0, 1, 2, 3, 4], &target, 5, &run(1)).unwrap();
        // The last with both halves alone.
        assert_eq!((found.tested, found.untested), (2, 8));
        let none = PairTests::new(&table, &[0, 1], &target, 5, &run(1)).unwrap();
        assert_eq!((none.tested, none.pairs.len()), (0, 0));
        assert_eq!(least_p_value(&table, &[0, 1], &target, &run(1)).unwrap(), 1.0);
        for features in [&[][..], &[4]] {
            let none = PairTests::new(&table, features, &target, 5, &run(1)).unwrap();
            assert_eq!((none.tested, none.untested), (0, 0));
        }
        let error = PairTests::new(&table, &[0, 1], &target, 0, &run(1)).unwrap_err().to_string();
        assert!(error.contains("0 pairs were requested"), "{error}");
        let flag = CancelFlag::new();
        flag.cancel();
        let stopped = run(1).with_cancel(flag);
        let stopped = PairTests::new(&table, &[1, 4], &target, 5, &stopped);
        assert!(matches!(stopped, Err(Error::Cancelled)));
    }
}
