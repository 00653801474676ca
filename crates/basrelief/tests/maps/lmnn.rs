//! Large-margin nearest neighbors against their definition.

use basrelief::data::{Classes, DenseMatrix, Table, Target};
use basrelief::maps::{LinearMap, Map};
use basrelief::methods::{DLmnn, Lmnn, MapSettings, Problem, Scaling, Solver, Start, fit_map};
use basrelief::{Error, Fitted, Report, Run};

/// Rows of classes that overlap a little.
fn rows(count: usize, width: usize, classes: usize) -> (DenseMatrix, Vec<String>) {
    let mut state = 12345_u64;
    let mut number = || {
        let mut sum = 0.0;
        for _ in 0..4 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            sum += (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5;
        }
        sum
    };
    let mut values = DenseMatrix::zeros(count, width);
    let mut labels = Vec::new();
    for i in 0..count {
        let class = i % classes;
        for (k, value) in values.row_mut(i).iter_mut().enumerate() {
            *value = number() * (1.0 + k as f64) + if k == class { 1.0 } else { 0.0 };
        }
        labels.push(class.to_string());
    }
    (values, labels)
}

fn try_fit(
    lmnn: Lmnn,
    values: &DenseMatrix,
    labels: &[String],
    settings: &MapSettings,
    threads: usize,
) -> Result<(LinearMap, Report), Error> {
    let names: Vec<String> = (0..values.columns()).map(|k| format!("c{k}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let table = Table::from_row_major(values.values(), values.rows(), &names).unwrap();
    let target = Target::Classes(Classes::from_labels(labels));
    let run = Run::new(Some(threads)).unwrap();
    let Fitted { model: map, report } = fit_map(&lmnn, &table, Some(&target), settings, &run)?;
    match map {
        Map::Linear(map) => Ok((map, report)),
        _ => panic!("a linear map"),
    }
}

fn fit(lmnn: Lmnn, values: &DenseMatrix, labels: &[String]) -> (LinearMap, Report) {
    try_fit(lmnn, values, labels, &MapSettings::default(), 1).unwrap()
}

/// The objective from its definition: every triple.
fn objective(values: &DenseMatrix, labels: &[String], k: usize, mu: f64, map: &LinearMap) -> f64 {
    let plain = |i: usize, j: usize| -> f64 {
        values.row(i).iter().zip(values.row(j)).map(|(a, b)| (a - b) * (a - b)).sum()
    };
    let mapped = |i: usize, j: usize| map.distance(values.row(i), values.row(j)).powi(2);
    let mut sum = 0.0;
    for i in 0..values.rows() {
        let mut near: Vec<usize> =
            (0..values.rows()).filter(|&j| j != i && labels[j] == labels[i]).collect();
        near.sort_by(|&a, &b| plain(i, a).total_cmp(&plain(i, b)));
        for &j in near.iter().take(k) {
            sum += (1.0 - mu) * mapped(i, j);
            for l in (0..values.rows()).filter(|&l| labels[l] != labels[i]) {
                sum += mu * (1.0 + mapped(i, j) - mapped(i, l)).max(0.0);
            }
        }
    }
    sum
}

#[test]
fn the_objective_reported_is_that_of_all_triples() {
    for (count, width, classes, components) in [(40, 3, 2, 3), (90, 5, 4, 2), (150, 4, 3, 1)] {
        let (values, labels) = rows(count, width, classes);
        for (k, mu) in [(1, 0.5), (3, 0.2), (5, 0.9)] {
            let lmnn = Lmnn { n_neighbors: k, mu, ..Lmnn::default() };
            let settings = MapSettings { n_components: Some(components), ..MapSettings::default() };
            let (map, report) = try_fit(lmnn, &values, &labels, &settings, 1).unwrap();
            let (found, naive) =
                (report.objective.unwrap(), objective(&values, &labels, k, mu, &map));
            assert!((found - naive).abs() < 1e-9 * naive, "{found} {naive}");
            assert_eq!(report.converged, Some(true));
            assert_eq!(map.components(), components);
        }
    }
}

#[test]
fn no_small_change_of_the_map_is_better() {
    let (values, labels) = rows(60, 3, 3);
    let lmnn = Lmnn { tol: 1e-8, ..Lmnn::default() };
    let (map, report) = fit(lmnn, &values, &labels);
    let least = report.objective.unwrap();
    for entry in 0..9 {
        for step in [-1e-3, 1e-3] {
            let mut matrix = map.matrix().clone();
            matrix.values_mut()[entry] += step;
            let other =
                LinearMap::new(map.names().to_vec(), map.mean().to_vec(), matrix, vec![], None);
            let there = objective(&values, &labels, 3, 0.5, &other);
            assert!(there > least * (1.0 - 1e-8), "{there} {least}");
        }
    }
}

#[test]
fn both_solvers_find_the_proven_optimum() {
    for (count, width, classes) in [(50, 3, 2), (70, 4, 3)] {
        let (values, labels) = rows(count, width, classes);
        let lmnn = Lmnn { tol: 1e-7, ..Lmnn::default() };
        let (_, low_rank) = fit(lmnn, &values, &labels);
        let convex = Lmnn { solver: Solver::Convex, tol: 1e-5, max_iter: 10_000, ..lmnn };
        let (map, convex) = fit(convex, &values, &labels);
        assert!(convex.relative_gap.unwrap() < 1e-5 && convex.relative_gap.unwrap() > -1e-12);
        let found = convex.objective.unwrap();
        let naive = objective(&values, &labels, 3, 0.5, &map);
        assert!((found - naive).abs() < 1e-9 * naive, "{found} {naive}");
        let bound = found * (1.0 - convex.relative_gap.unwrap());
        let low_rank = low_rank.objective.unwrap();
        assert!(low_rank >= bound && low_rank < found * (1.0 + 1e-6), "{low_rank} {found}");
    }
}

/// With hinges at their kinks taken for what they are the proof does not end where rounding them off does; the map is
/// the optimum's, whether the optimum has all dimensions or not.
#[test]
fn the_convex_solver_proves_as_much_as_is_asked_for() {
    for (count, width, classes) in [(80, 2, 2), (120, 6, 3), (60, 12, 2)] {
        let (values, labels) = rows(count, width, classes);
        let lmnn = Lmnn { solver: Solver::Convex, tol: 1e-7, ..Lmnn::default() };
        let (map, report) = fit(lmnn, &values, &labels);
        let gap = report.relative_gap.unwrap();
        assert!(report.converged == Some(true) && gap.abs() <= 1e-7, "{width}: {report:?}");
        let (found, naive) = (report.objective.unwrap(), objective(&values, &labels, 3, 0.5, &map));
        assert!((found - naive).abs() < 1e-9 * naive, "{found} {naive}");
        // No direction, added to the metric or taken off it, makes it better than the proof has it.
        for k in 0..width {
            let mut matrix = map.matrix().clone();
            matrix.row_mut(k % map.components())[k] += 0.01;
            let other =
                LinearMap::new(map.names().to_vec(), map.mean().to_vec(), matrix, vec![], None);
            let there = objective(&values, &labels, 3, 0.5, &other);
            assert!(there >= found * (1.0 - gap.max(1e-12)), "{there} {found}");
        }
    }
}

/// Rows of two classes, one or two of them far from all others.
fn with_far_rows(distance: f64, along: usize) -> (DenseMatrix, Vec<String>) {
    let (mut values, labels) = rows(40, 4, 2);
    match along {
        0 => values.row_mut(7).iter_mut().for_each(|value| *value += distance),
        1 => values.row_mut(7)[1] = distance,
        _ => {
            values.row_mut(7)[0] = distance;
            values.row_mut(12)[2] = -3.0 * distance;
        }
    }
    (values, labels)
}

/// The optimum is that of the best of several searches; both solvers find it, or do not claim to.
#[test]
fn a_far_row_neither_hides_the_optimum_nor_breaks_the_bound() {
    for along in 0..3 {
        for exponent in [2, 4, 5, 6, 8, 9, 12, 15] {
            let (values, labels) = with_far_rows(10_f64.powi(exponent), along);
            let solvers = [Solver::LowRank, Solver::Convex];
            let found = solvers.map(|solver| {
                let (map, report) = fit(Lmnn { solver, ..Lmnn::default() }, &values, &labels);
                let own = objective(&values, &labels, 3, 0.5, &map);
                (report, own)
            });
            let case = format!("{along} 1e{exponent}");
            // What differences of so unequal sizes leave of double precision.
            let rounding = if exponent > 8 { 1e-6 } else { 1e-9 };
            let least = found.iter().map(|(_, own)| *own).fold(f64::INFINITY, f64::min);
            for (report, own) in &found {
                let converged = report.converged.unwrap();
                assert!(converged || exponent > 8, "{case}: {report:?}");
                if converged {
                    assert!((own / report.objective.unwrap() - 1.0).abs() < 1e-3, "{case} {own}");
                    assert!(*own < 1.01 * least && *own < 700.0, "{case}: {own} {least}");
                }
                if let Some(gap) = report.relative_gap {
                    assert!((0.0..=1.0).contains(&gap), "{case}: {gap}");
                    let bound = report.objective.unwrap() * (1.0 - gap);
                    assert!(
                        !converged || bound <= least * (1.0 + rounding),
                        "{case}: {bound} {least}"
                    );
                }
                let said = report.warnings.iter().any(|warning| warning.code() == "not-converged");
                assert_eq!(said, !converged, "{case}");
            }
        }
    }
}

#[test]
fn a_full_metric_is_at_least_as_good_as_a_diagonal_one() {
    let (values, labels) = rows(60, 4, 3);
    let names = ["a", "b", "c", "d"];
    let table = Table::from_row_major(values.values(), values.rows(), &names).unwrap();
    let target = Target::Classes(Classes::from_labels(&labels));
    let run = Run::new(Some(1)).unwrap();
    let problem = Problem::new(&table, &target).unwrap();
    let diagonal = DLmnn::default().fit_with(&problem, &run).unwrap().report.objective.unwrap();
    let settings = MapSettings { scaling: Scaling::Range, ..MapSettings::default() };
    let (_, full) = try_fit(Lmnn::default(), &values, &labels, &settings, 1).unwrap();
    assert!(full.objective.unwrap() < diagonal, "{:?} {diagonal}", full.objective);
}

#[test]
fn a_rotation_rotates_the_map() {
    let (values, labels) = rows(60, 3, 3);
    let lmnn = Lmnn { tol: 1e-8, ..Lmnn::default() };
    let (map, _) = fit(lmnn, &values, &labels);
    let (c, s) = (0.6, 0.8);
    let turned: Vec<f64> =
        values.iter().flat_map(|r| [c * r[0] - s * r[2], r[1], s * r[0] + c * r[2]]).collect();
    let turned = DenseMatrix::new(turned, 60, 3);
    let (other, _) = fit(lmnn, &turned, &labels);
    for i in 1..60 {
        let a = map.distance(values.row(0), values.row(i));
        let b = other.distance(turned.row(0), turned.row(i));
        assert!((a - b).abs() < 1e-3 * a.max(1.0), "{a} {b}");
    }
}

#[test]
fn threads_change_no_bit() {
    let (values, labels) = rows(200, 6, 3);
    for solver in [Solver::LowRank, Solver::Convex] {
        let lmnn = Lmnn { solver, max_iter: 40, ..Lmnn::default() };
        let fit = |threads| {
            let (map, report) =
                try_fit(lmnn, &values, &labels, &MapSettings::default(), threads).unwrap();
            (map, report.objective, report.iterations, report.relative_gap)
        };
        assert_eq!(fit(1), fit(2));
    }
}

#[test]
fn hard_input_is_an_error_or_a_finite_map() {
    // A class of one row, a constant and a repeated column, more neighbors than rows.
    let (mut values, mut labels) = rows(30, 4, 2);
    labels[7] = "alone".into();
    for i in 0..30 {
        let row = values.row_mut(i);
        (row[1], row[3]) = (5.0, row[2] * 2.0);
    }
    // Identical rows of different classes.
    let copy = values.row(0).to_vec();
    values.row_mut(1).copy_from_slice(&copy);
    for (k, mu) in [(3, 0.5), (1000, 0.5), (3, 0.0), (3, 1.0)] {
        for solver in [Solver::LowRank, Solver::Convex] {
            let lmnn = Lmnn { n_neighbors: k, mu, solver, max_iter: 200, ..Lmnn::default() };
            let (map, report) = fit(lmnn, &values, &labels);
            assert!(map.matrix().values().iter().all(|entry| entry.is_finite()));
            let naive = objective(&values, &labels, k, mu, &map);
            let found = report.objective.unwrap();
            assert!((found - naive).abs() <= 1e-7 * naive.max(1e-3), "{k} {mu} {found} {naive}");
        }
    }
    // More columns than rows.
    let (wide, labels) = rows(12, 40, 3);
    for init in [Start::Auto, Start::Identity, Start::Pca] {
        let settings = MapSettings { n_components: Some(2), ..MapSettings::default() };
        let lmnn = Lmnn { init, ..Lmnn::default() };
        let (map, report) = try_fit(lmnn, &wide, &labels, &settings, 1).unwrap();
        let naive = objective(&wide, &labels, 3, 0.5, &map);
        assert!((report.objective.unwrap() - naive).abs() < 1e-7 * naive.max(1e-3));
    }
}

#[test]
fn what_cannot_be_done_is_said() {
    let (values, labels) = rows(20, 3, 2);
    let fails = |lmnn: Lmnn, labels: &[String]| {
        try_fit(lmnn, &values, labels, &MapSettings::default(), 1).unwrap_err().to_string()
    };
    let lmnn = Lmnn::default();
    assert!(fails(Lmnn { n_neighbors: 0, ..lmnn }, &labels).contains("n_neighbors"));
    assert!(fails(Lmnn { mu: 1.5, ..lmnn }, &labels).contains("mu"));
    assert!(fails(Lmnn { max_iter: 0, ..lmnn }, &labels).contains("max_iter"));
    assert!(fails(Lmnn { tol: f64::NAN, ..lmnn }, &labels).contains("tol"));
    assert!(fails(Lmnn { init: Start::Lda, ..lmnn }, &labels).contains("lda"));
    let apart: Vec<String> = (0..20).map(|row| row.to_string()).collect();
    assert!(fails(lmnn, &apart).contains("no class of the target has two rows"));
    let (_, report) = fit(Lmnn { max_iter: 2, ..lmnn }, &values, &labels);
    assert_eq!(report.converged, Some(false));
    assert!(report.warnings.iter().any(|warning| warning.code() == "not-converged"));
}
