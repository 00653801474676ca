//! Weights found by linear programs: against the full program, the optimality conditions, and
//! what the definitions promise.

mod common;

use std::path::PathBuf;

use basrelief::data::{Categories, Column, Table};
use basrelief::methods::{DLmnn, Lmba, Mdm, Problem};
use basrelief::{CancelFlag, Error};
use common::{classes, has_warning, largest_difference, numeric, run};
use microlp::{ComparisonOp, OptimizationDirection};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Columns of noise of which the first two follow the class.
fn noisy(rows: usize, width: usize, n_classes: u32, seed: u64) -> (Vec<Vec<f64>>, Vec<u32>) {
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    let codes: Vec<u32> = (0..rows as u32).map(|row| row % n_classes).collect();
    let columns = (0..width)
        .map(|f| {
            let shift = if f < 2 { 1.5 } else { 0.0 };
            codes
                .iter()
                .map(|&code| {
                    let u: f64 = (0..3).map(|_| generator.random::<f64>()).sum();
                    (1.0 + f as f64) * (u + shift * f64::from(code))
                })
                .collect()
        })
        .collect();
    (columns, codes)
}

fn table(columns: &[Vec<f64>]) -> Table<'static> {
    let named = columns.iter().enumerate().map(|(f, values)| numeric(&format!("f{f}"), values));
    Table::new(named.collect()).unwrap()
}

/// Squared differences over the ranges.
fn squares(columns: &[Vec<f64>], i: usize, j: usize) -> Vec<f64> {
    let square = |values: &Vec<f64>| {
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        ((values[i] - values[j]) / (high - low)).powi(2)
    };
    columns.iter().map(square).collect()
}

/// The optimum of the program over all pairs.
fn full_program(columns: &[Vec<f64>], codes: &[u32], slack: Option<f64>) -> f64 {
    let mut problem = microlp::Problem::new(OptimizationDirection::Minimize);
    let weights: Vec<_> =
        columns.iter().map(|_| problem.add_var(0.0, (0.0, f64::INFINITY))).collect();
    let r = problem.add_var(1.0, (0.0, f64::INFINITY));
    for i in 0..codes.len() {
        for j in 0..i {
            let mut terms: Vec<_> = weights.iter().copied().zip(squares(columns, i, j)).collect();
            if codes[i] == codes[j] {
                terms.push((r, -1.0));
                problem.add_constraint(&terms[..], ComparisonOp::Le, 0.0);
            } else {
                if let Some(price) = slack {
                    terms.push((problem.add_var(price, (0.0, f64::INFINITY)), 1.0));
                }
                problem.add_constraint(&terms[..], ComparisonOp::Ge, 1.0);
            }
        }
    }
    problem.solve().unwrap().into_solution().unwrap().objective()
}

fn distance(weights: &[f64], squares: &[f64]) -> f64 {
    weights.iter().zip(squares).map(|(w, d)| w * d).sum()
}

/// Greatest squared distance within a class over the least between classes.
fn ratio(columns: &[Vec<f64>], codes: &[u32], weights: &[f64]) -> f64 {
    let (mut within, mut between) = (0.0_f64, f64::INFINITY);
    for i in 0..codes.len() {
        for j in 0..i {
            let d = distance(weights, &squares(columns, i, j));
            if codes[i] == codes[j] { within = within.max(d) } else { between = between.min(d) }
        }
    }
    within / between
}

#[test]
fn mdm_by_hand() {
    // Ranges 4 and 2. Within: (1/16, 1), (1/16, 1); between: the nearest are 1-2 at (1/4, 0) and
    // 0-3 at (1, 0), 0-2 and 1-3 at (9/16, 1). With w on the first alone r = (1/16) / (1/4).
    let columns = [vec![0.0, 1.0, 3.0, 4.0], vec![0.0, 2.0, 2.0, 0.0]];
    let (table, target) = (table(&columns), classes(&[0, 0, 1, 1]));
    let fitted = Mdm::default().fit_with(&Problem::new(&table, &target).unwrap(), &run(1)).unwrap();
    assert_eq!(fitted.model.weights(), [1.0, 0.0]);
    assert!((fitted.report.objective.unwrap() - 0.25).abs() < 1e-12);
    assert_eq!(fitted.report.converged, Some(true));
}

#[test]
fn mdm_is_the_optimum_of_the_full_program() {
    for (rows, width, n_classes, seed) in
        [(12, 2, 2, 1), (40, 6, 2, 2), (60, 10, 3, 3), (45, 20, 4, 4), (30, 40, 2, 5)]
    {
        let (columns, codes) = noisy(rows, width, n_classes, seed);
        let (table, target) = (table(&columns), classes(&codes));
        let full = full_program(&columns, &codes, None);
        assert!(full < 1000.0);
        // Nobody pays a price above the optimum.
        for mdm in [Mdm { slack: None }, Mdm::default()] {
            let fitted = mdm.fit_with(&Problem::new(&table, &target).unwrap(), &run(2)).unwrap();
            let report = &fitted.report;
            let found = report.objective.unwrap();
            assert!((found - full).abs() <= 1e-9 * full, "{found} {full}");
            assert!(report.relative_gap.unwrap() <= 1e-9, "{report:?}");
            assert_eq!(report.converged, Some(true));
            let reached = ratio(&columns, &codes, fitted.model.weights());
            assert!((reached - full).abs() <= 1e-9 * full, "{reached} {full}");
            assert!(report.constraints.unwrap() < rows * (rows - 1) / 2);
        }
    }
}

#[test]
fn mdm_with_slack_is_the_optimum_of_the_full_program() {
    for (slack, seed) in [(0.02, 1), (0.3, 2), (5.0, 3), (1e4, 4)] {
        let (columns, codes) = noisy(30, 5, 2, seed);
        let (table, target) = (table(&columns), classes(&codes));
        let mdm = Mdm { slack: Some(slack) };
        let fitted = mdm.fit_with(&Problem::new(&table, &target).unwrap(), &run(2)).unwrap();
        let full = full_program(&columns, &codes, Some(slack));
        let found = fitted.report.objective.unwrap();
        assert!((found - full).abs() <= 1e-9 * full, "{slack}: {found} {full}");
        assert!(fitted.report.relative_gap.unwrap() <= 1e-9, "{slack}: {:?}", fitted.report);
    }
}

/// More columns than rows, of which there are more than the simplex method takes: the interior point's optimum, its
/// proof, and that a price is never worse than none.
#[test]
fn mdm_of_many_columns_is_the_optimum_of_the_full_program() {
    for (rows, width, seed) in [(14, 130, 1), (24, 110, 2)] {
        let (columns, codes) = noisy(rows, width, 2, seed);
        let (table, target) = (table(&columns), classes(&codes));
        let problem = Problem::new(&table, &target).unwrap();
        let found = Mdm { slack: None }.fit_with(&problem, &run(2)).unwrap();
        let objective = found.report.objective.unwrap();
        let expected = full_program(&columns, &codes, None);
        assert!((objective - expected).abs() < 1e-8 * expected, "{objective} {expected}");
        assert!(found.report.relative_gap.unwrap() <= 1e-9, "{:?}", found.report.relative_gap);
        assert_eq!(found.report.converged, Some(true));
        let reached = ratio(&columns, &codes, found.model.weights());
        assert!((reached - objective).abs() < 1e-9 * objective, "{reached} {objective}");
        let priced = Mdm { slack: Some(objective / 3.0) }.fit_with(&problem, &run(2)).unwrap();
        assert!(priced.report.objective.unwrap() <= objective * (1.0 + 1e-12));
    }
}

#[test]
fn mdm_does_not_depend_on_scales() {
    let (columns, codes) = noisy(80, 6, 3, 7);
    let target = classes(&codes);
    let fit = |columns: &[Vec<f64>]| {
        let table = table(columns);
        Mdm::default().fit_with(&Problem::new(&table, &target).unwrap(), &run(1)).unwrap()
    };
    let before = fit(&columns);
    let scales = [1e-6, 3.0, -0.7, 1e5, 12.0, 1.0];
    let scaled: Vec<Vec<f64>> =
        columns.iter().zip(scales).map(|(c, s)| c.iter().map(|v| v * s + 0.3).collect()).collect();
    let after = fit(&scaled);
    assert!(largest_difference(before.model.weights(), after.model.weights()) < 1e-9);
    for (i, j) in [(0, 1), (5, 50), (20, 77)] {
        let old = distance(before.model.weights(), &squares(&columns, i, j));
        let new = distance(after.model.weights(), &squares(&scaled, i, j));
        assert!((old - new).abs() < 1e-9 * old, "{old} {new}");
    }
}

#[test]
fn mdm_lists_contradictory_rows() {
    let (mut columns, codes) = noisy(40, 3, 2, 8);
    for column in &mut columns {
        column[5] = column[2];
    }
    let fit = |columns: &[Vec<f64>], slack: Option<f64>| {
        let (table, target) = (table(columns), classes(&codes));
        Mdm { slack }.fit_with(&Problem::new(&table, &target).unwrap(), &run(2))
    };
    let error = fit(&columns, None).unwrap_err().to_string();
    assert!(error.contains("1 pair of rows") && error.contains("rows 3 and 6;"), "{error}");
    for price in [10.0, 1000.0] {
        let report = fit(&columns, Some(price)).unwrap().report;
        let full = full_program(&columns, &codes, Some(price));
        assert!((report.objective.unwrap() - full).abs() <= 1e-9 * full);
        let warning = report.warnings.iter().find(|w| w.code() == "contradictory-rows").unwrap();
        assert!(warning.to_string().contains("rows 3 and 6 (each adds"), "{warning}");
    }
    // Eight identical rows, four of each class: 16 pairs.
    for column in &mut columns {
        for row in 10..18 {
            column[row] = column[10];
        }
    }
    let error = fit(&columns, None).unwrap_err().to_string();
    assert!(error.contains("17 pairs") && error.contains("3 and 6, 11 and 12, "), "{error}");
    assert_eq!(error.matches(" and ").count(), 10, "{error}");
}

#[test]
fn mdm_takes_categories_and_genotypes_and_merges_copies() {
    let (columns, codes) = noisy(60, 4, 2, 9);
    let texts: Vec<Option<&str>> =
        (0..60).map(|row| Some(["a", "b", "c"][(row * 7 / 3) % 3])).collect();
    let copies: Vec<u8> = (0..60).map(|row| ((row * 5 / 7) % 3) as u8).collect();
    let levels: Vec<f64> = texts.iter().map(|t| f64::from(t.unwrap().as_bytes()[0])).collect();
    let mut all: Vec<Column<'static>> = table(&columns).into_columns();
    all.push(Column::categorical("text", Categories::from_texts(texts)));
    all.push(Column::genotype("snp", copies.clone().into()).unwrap());
    all.push(numeric("twin", &columns[0]));
    let (table, target) = (Table::new(all).unwrap(), classes(&codes));
    let fitted = Mdm::default().fit_with(&Problem::new(&table, &target).unwrap(), &run(1)).unwrap();
    let weights = fitted.model.weights();
    assert_eq!(weights[0], weights[6]);
    let (mut within, mut between) = (0.0_f64, f64::INFINITY);
    for i in 0..60 {
        for j in 0..i {
            let mut d = distance(&weights[..4], &squares(&columns, i, j));
            d += weights[4] * f64::from(u8::from(levels[i] != levels[j]));
            d += weights[5] * ((f64::from(copies[i]) - f64::from(copies[j])) / 2.0).powi(2);
            d += weights[6] * squares(&columns[..1], i, j)[0];
            if codes[i] == codes[j] { within = within.max(d) } else { between = between.min(d) }
        }
    }
    let found = fitted.report.objective.unwrap();
    assert!((within / between - found).abs() < 1e-9 * found);
    assert!(has_warning(&fitted.report.warnings, "duplicate-features"));
}

#[test]
fn mdm_says_what_it_cannot_use() {
    let (mut columns, codes) = noisy(20, 3, 2, 10);
    columns[1][3] = f64::NAN;
    let gaps = table(&columns);
    let message = |table: &Table<'_>, codes: &[u32], mdm: Mdm| {
        let target = classes(codes);
        let problem = Problem::new(table, &target).unwrap();
        mdm.fit_with(&problem, &run(1)).unwrap_err().to_string()
    };
    let error = message(&gaps, &codes, Mdm::default());
    assert!(error.contains("missing (NaN) in: f1;"), "{error}");
    let complete = gaps.select_columns(&[0, 2]);
    let alone: Vec<u32> = (0..20).collect();
    assert!(
        message(&complete, &alone, Mdm::default()).contains("no class of the target has two rows")
    );
    assert!(message(&complete, &[0; 20], Mdm::default()).contains("same class"));
    for price in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(message(&complete, &codes, Mdm { slack: Some(price) }).contains("slack"));
    }
    // A price so small that no distance is worth it.
    let target = classes(&codes);
    let problem = Problem::new(&complete, &target).unwrap();
    let fitted = Mdm { slack: Some(1e-9) }.fit_with(&problem, &run(1)).unwrap();
    assert_eq!(fitted.model.weights(), [0.0, 0.0]);
    assert!(has_warning(&fitted.report.warnings, "no-weight"));
}

#[test]
fn mdm_parts_classes_without_spread_perfectly() {
    let x: Vec<f64> = (0..12).map(|row| f64::from(row % 2)).collect();
    let noise: Vec<f64> = (0..12).map(|row| f64::from(row * 5 % 7)).collect();
    let (table, target) =
        (table(&[noise, x]), classes(&(0..12).map(|row| row % 2).collect::<Vec<_>>()));
    let fitted = Mdm::default().fit_with(&Problem::new(&table, &target).unwrap(), &run(1)).unwrap();
    assert_eq!(fitted.model.weights(), [0.0, 1.0]);
    assert_eq!(fitted.report.objective, Some(0.0));
    assert_eq!(fitted.report.converged, Some(true));
}

/// Every row's `k` nearest rows of its class, all features alike.
fn targets(columns: &[Vec<f64>], codes: &[u32], k: usize) -> Vec<Vec<usize>> {
    (0..codes.len())
        .map(|i| {
            let mut near: Vec<(f64, usize)> = (0..codes.len())
                .filter(|&j| j != i && codes[j] == codes[i])
                .map(|j| (squares(columns, i, j).iter().sum(), j))
                .collect();
            near.sort_by(|a, b| a.partial_cmp(b).unwrap());
            near.into_iter().take(k).map(|(_, j)| j).collect()
        })
        .collect()
}

/// The optimum of D-LMNN's program over all triples.
fn full_triples(columns: &[Vec<f64>], codes: &[u32], k: usize, mu: f64) -> f64 {
    let mut problem = microlp::Problem::new(OptimizationDirection::Minimize);
    let targets = targets(columns, codes, k);
    let mut costs = vec![0.0; columns.len()];
    for (i, near) in targets.iter().enumerate() {
        for &j in near {
            let d = squares(columns, i, j);
            costs.iter_mut().zip(d).for_each(|(cost, d)| *cost += (1.0 - mu) * d);
        }
    }
    let weights: Vec<_> =
        costs.iter().map(|&cost| problem.add_var(cost, (0.0, f64::INFINITY))).collect();
    for (i, near) in targets.iter().enumerate() {
        for &j in near {
            for l in (0..codes.len()).filter(|&l| codes[l] != codes[i]) {
                let pairs = squares(columns, i, l).into_iter().zip(squares(columns, i, j));
                let terms = weights.iter().copied().zip(pairs.map(|(far, near)| far - near));
                let slack = problem.add_var(mu, (0.0, f64::INFINITY));
                let terms: Vec<_> = terms.chain([(slack, 1.0)]).collect();
                problem.add_constraint(&terms[..], ComparisonOp::Ge, 1.0);
            }
        }
    }
    problem.solve().unwrap().into_solution().unwrap().objective()
}

#[test]
fn d_lmnn_is_the_optimum_of_the_full_program() {
    for (rows, width, n_classes, k, mu, seed) in [
        (12, 2, 2, 1, 0.5, 1),
        (40, 6, 2, 3, 0.5, 2),
        (30, 10, 3, 2, 0.2, 3),
        (40, 20, 4, 3, 0.9, 4),
        (24, 40, 2, 3, 0.5, 5),
        (40, 3, 2, 3, 1.0, 6),
    ] {
        let (columns, codes) = noisy(rows, width, n_classes, seed);
        let (table, target) = (table(&columns), classes(&codes));
        let d_lmnn = DLmnn { n_neighbors: k, mu, ..DLmnn::default() };
        let fitted = d_lmnn.fit_with(&Problem::new(&table, &target).unwrap(), &run(2)).unwrap();
        let report = &fitted.report;
        let full = full_triples(&columns, &codes, k, mu);
        let found = report.objective.unwrap();
        assert!((found - full).abs() <= 1e-9 * full, "{found} {full}");
        assert!(report.relative_gap.unwrap() <= 1e-9, "{report:?}");
        assert_eq!(report.converged, Some(true));
    }
}

/// More columns than rows: hinges and unknowns are generated.
#[test]
fn d_lmnn_of_many_columns_is_the_optimum_of_the_full_program() {
    for (rows, width, n_classes, k, mu, seed) in
        [(14, 130, 2, 3, 0.5, 1), (24, 110, 3, 2, 0.2, 2), (40, 102, 2, 3, 0.9, 3)]
    {
        let (mut columns, codes) = noisy(rows, width, n_classes, seed);
        // The last is the same for all rows of a class: it costs nothing.
        if seed == 2 {
            columns[width - 1] = codes.iter().map(|&code| f64::from(code)).collect();
        }
        let (table, target) = (table(&columns), classes(&codes));
        let d_lmnn = DLmnn { n_neighbors: k, mu, ..DLmnn::default() };
        let fitted = d_lmnn.fit_with(&Problem::new(&table, &target).unwrap(), &run(2)).unwrap();
        let report = &fitted.report;
        let full = full_triples(&columns, &codes, k, mu);
        let found = report.objective.unwrap();
        assert!((found - full).abs() <= 1e-9 * full.max(1e-3), "{found} {full}");
        assert!(report.relative_gap.unwrap() <= 1e-9, "{report:?}");
        assert_eq!(report.converged, Some(true));
    }
}

/// Thousands of columns are decided in a few passes: without generated hinges and unknowns the time grows with the
/// fourth power of the columns, and this does not end within hours.
#[test]
fn d_lmnn_takes_thousands_of_columns() {
    let (columns, codes) = noisy(40, 3000, 2, 5);
    let (table, target) = (table(&columns), classes(&codes));
    let problem = Problem::new(&table, &target).unwrap();
    let fitted = DLmnn::default().fit_with(&problem, &run(2)).unwrap();
    assert!(fitted.report.relative_gap.unwrap() <= 1e-9, "{:?}", fitted.report);
    assert!(fitted.report.iterations.unwrap() < 100, "{:?}", fitted.report);
    let kept = fitted.model.weights().iter().filter(|weight| **weight > 0.0).count();
    assert!((1..200).contains(&kept), "{kept}");
    let again = DLmnn::default().fit_with(&problem, &run(1)).unwrap();
    assert_eq!(fitted.model.weights(), again.model.weights());
}

#[test]
fn d_lmnn_by_hand() {
    // Ranges 4 and 1. Targets 0-1 and 2-3 at (1/16, 0); misses 0-2 (9/16, 0), 0-3 (1, 1), 1-2
    // (1/4, 0), 1-3 (9/16, 1): the second feature costs nothing and helps nobody enough.
    let columns = [vec![0.0, 1.0, 3.0, 4.0], vec![0.0, 0.0, 0.0, 1.0]];
    let (table, target) = (table(&columns), classes(&[0, 0, 1, 1]));
    let problem = Problem::new(&table, &target).unwrap();
    let fitted = DLmnn { n_neighbors: 1, ..DLmnn::default() }.fit_with(&problem, &run(1)).unwrap();
    // On the first alone: the pull is 4 w / 16, and of the pairs between only 1-2 is short at
    // w = 16/3, from both sides: 1 + w/16 - w/4 = 0 there.
    assert!((fitted.model.weights()[0] - 1.0).abs() < 1e-9);
    assert!((fitted.report.objective.unwrap() - 0.5 * 4.0 / 3.0).abs() < 1e-9);
}

/// With one row in the other class and every row's twin as its neighbor, the nearest miss is the
/// only one and the neighbors do not depend on the weights: both minimize the same function.
#[test]
fn d_lmnn_of_one_neighbor_is_lmba() {
    let (mut columns, _) = noisy(41, 4, 1, 12);
    for (f, column) in columns.iter_mut().enumerate() {
        for row in (0..40).step_by(2) {
            column[row + 1] = column[row] + 0.01 * (1.0 + ((row * (f + 3)) % 7) as f64);
        }
    }
    let codes: Vec<u32> = (0..41).map(|row| u32::from(row == 40)).collect();
    let (table, target) = (table(&columns), classes(&codes));
    let problem = Problem::new(&table, &target).unwrap();
    let d_lmnn = DLmnn { n_neighbors: 1, ..DLmnn::default() }.fit_with(&problem, &run(1)).unwrap();
    // lmba's objective is a mean over the rows with a hit, without the factor 1/2.
    let optimum = 2.0 * d_lmnn.report.objective.unwrap() / 40.0;
    let lmba = |scale: f64| -> f64 {
        let weights: Vec<f64> = d_lmnn.model.weights().iter().map(|w| w * scale).collect();
        let row = |i: usize| {
            let hits = (0..40).filter(|&j| j != i);
            let hit = hits.map(|j| distance(&weights, &squares(&columns, i, j)));
            let hit = hit.fold(f64::INFINITY, f64::min);
            hit + (1.0 + hit - distance(&weights, &squares(&columns, i, 40))).max(0.0)
        };
        (0..40).map(row).sum::<f64>() / 40.0
    };
    // The scale is not kept: the best one, by thirds, since the function is convex in it.
    let (mut low, mut high) = (0.0, 1e6);
    for _ in 0..200 {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if lmba(a) < lmba(b) { high = b } else { low = a }
    }
    assert!((lmba(low) - optimum).abs() <= 1e-9 * optimum, "{} {optimum}", lmba(low));
    // lmba itself goes down by gradients, which may end in an edge above the optimum.
    let found = Lmba { max_iter: 5000, ..Lmba::default() }.fit_with(&problem, &run(1)).unwrap();
    let found = found.report.objective.unwrap();
    assert!(found >= optimum * (1.0 - 1e-9) && found <= optimum * 1.5, "{found} {optimum}");
}

#[test]
fn d_lmnn_says_what_it_cannot_use() {
    let (mut columns, codes) = noisy(20, 3, 2, 10);
    let message = |columns: &[Vec<f64>], codes: &[u32], d_lmnn: DLmnn| {
        let (table, target) = (table(columns), classes(codes));
        let problem = Problem::new(&table, &target).unwrap();
        d_lmnn.fit_with(&problem, &run(1)).unwrap_err().to_string()
    };
    let with = |n_neighbors, mu, max_iter| DLmnn { n_neighbors, mu, max_iter };
    assert!(message(&columns, &codes, with(0, 0.5, 9)).contains("n_neighbors"));
    assert!(message(&columns, &codes, with(3, 1.5, 9)).contains("mu"));
    assert!(message(&columns, &codes, with(3, f64::NAN, 9)).contains("mu"));
    assert!(message(&columns, &codes, with(3, 0.5, 0)).contains("max_iter"));
    assert!(message(&columns, &(0..20).collect::<Vec<_>>(), with(3, 0.5, 9)).contains("no class"));
    // Too few passes: a warning says how far the proof goes.
    let (table_, target) = (table(&columns), classes(&codes));
    let fitted =
        with(3, 0.5, 2).fit_with(&Problem::new(&table_, &target).unwrap(), &run(1)).unwrap();
    assert!(has_warning(&fitted.report.warnings, "not-converged"));
    assert_eq!(fitted.report.converged, Some(false));
    // Nothing is worth pulling for.
    let fitted =
        with(3, 0.0, 99).fit_with(&Problem::new(&table_, &target).unwrap(), &run(1)).unwrap();
    assert_eq!(fitted.model.weights(), [0.0; 3]);
    assert!(has_warning(&fitted.report.warnings, "no-weight"));
    columns[1][3] = f64::NAN;
    assert!(message(&columns, &codes, DLmnn::default()).contains("missing (NaN) in: f1;"));
}

/// Raises the flag when the first stage is over.
struct CancelLater(CancelFlag);

impl basrelief::Progress for CancelLater {
    fn start(&self, _: &str, _: u64) {}
    fn advance(&self, _: u64) {}
    fn finish(&self) {
        self.0.cancel();
    }
}

#[test]
fn cancelling_between_rounds_stops_the_work() {
    let (columns, codes) = noisy(200, 5, 2, 11);
    let (table, target) = (table(&columns), classes(&codes));
    let flag = CancelFlag::new();
    let run =
        run(2).with_progress(std::sync::Arc::new(CancelLater(flag.clone()))).with_cancel(flag);
    let problem = Problem::new(&table, &target).unwrap();
    assert!(matches!(Mdm::default().fit_with(&problem, &run).unwrap_err(), Error::Cancelled));
}

/// A shared data set, raw, with its ten splits.
struct Shared {
    columns: Vec<Vec<f64>>,
    codes: Vec<u32>,
    /// Training rows.
    splits: Vec<Vec<usize>>,
}

/// `None` when the data are not there.
fn shared(name: &str, target: &str) -> Option<Shared> {
    let folder = std::env::var_os("BASRELIEF_DATA").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
        PathBuf::from,
    );
    let text = std::fs::read_to_string(folder.join(format!("{name}.csv"))).ok()?;
    let training = std::fs::read_to_string(folder.join(format!("splits/hm13_{name}.csv"))).ok()?;
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next()?.split(',').collect();
    let at = header.iter().position(|column| *column == target).unwrap();
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    let mut names: Vec<&str> = rows.iter().map(|row| row[at]).collect();
    names.sort_unstable();
    names.dedup();
    let codes = rows.iter().map(|row| names.binary_search(&row[at]).unwrap() as u32).collect();
    let columns = (0..header.len())
        .filter(|f| *f != at)
        .map(|f| rows.iter().map(|row| row[f].parse().unwrap()).collect())
        .collect();
    let mut splits: Vec<Vec<usize>> = vec![Vec::new(); 10];
    for line in training.lines().skip(1) {
        let (run, row) = line.split_once(',').unwrap();
        let run: usize = run.parse().unwrap();
        splits[run % 10].push(row.parse().unwrap());
    }
    Some(Shared { columns, codes, splits })
}

/// Mean test error of 3-NN over the ten splits, in percent, under weights fitted to the training
/// rows; `None` when the data are not there.
fn mean_error(name: &str, fit: impl Fn(&Problem<'_>) -> Vec<f64>) -> Option<f64> {
    let Some(Shared { columns, codes, splits }) = shared(name, "target") else {
        eprintln!("skipped: the shared data are not there (set BASRELIEF_DATA)");
        return None;
    };
    let mut errors = Vec::new();
    for train in splits.iter() {
        let part: Vec<Vec<f64>> =
            columns.iter().map(|c| train.iter().map(|&row| c[row]).collect()).collect();
        let own: Vec<u32> = train.iter().map(|&row| codes[row]).collect();
        let (table, target) = (table(&part), classes(&own));
        let weights = fit(&Problem::new(&table, &target).unwrap());
        let ranges: Vec<f64> = part
            .iter()
            .map(|c| {
                let high = c.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                high - c.iter().copied().fold(f64::INFINITY, f64::min)
            })
            .collect();
        let test: Vec<usize> = (0..codes.len()).filter(|row| !train.contains(row)).collect();
        let wrong = test.iter().filter(|&&row| {
            let mut near: Vec<(f64, u32)> = (0..train.len())
                .map(|t| {
                    let d = (0..columns.len())
                        .map(|f| weights[f] * ((columns[f][row] - part[f][t]) / ranges[f]).powi(2))
                        .sum();
                    (d, own[t])
                })
                .collect();
            near.sort_by(|a, b| a.0.total_cmp(&b.0));
            let votes = |class: u32| near[..3].iter().filter(|(_, c)| *c == class).count();
            // A majority of two, else the nearest.
            let vote = near[..3].iter().map(|v| v.1).find(|&c| votes(c) > 1).unwrap_or(near[0].1);
            vote != codes[row]
        });
        errors.push(100.0 * wrong.count() as f64 / test.len() as f64);
    }
    Some(errors.iter().sum::<f64>() / errors.len() as f64)
}

/// Hocke & Martinetz 2013 report 2.93 % (iris) and 4.00 % (wine) over ten splits of their own;
/// the full program solved elsewhere gives 4.8 % and 3.8 % on the splits used here.
#[test]
fn mdm_errors_are_the_papers() {
    for (name, expected) in [("iris", 4.8), ("wine", 3.8)] {
        let fit = |problem: &Problem<'_>| {
            let fitted = Mdm::default().fit_with(problem, &run(2)).unwrap();
            assert!(fitted.report.relative_gap.unwrap() <= 1e-9);
            fitted.model.weights().to_vec()
        };
        if let Some(error) = mean_error(name, fit) {
            println!("mdm on {name}: {error:.2} %");
            assert!((error - expected).abs() < 0.1, "{name}: {error}");
        }
    }
}
