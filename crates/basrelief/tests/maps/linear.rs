//! Each method against its definition in plain loops.

use basrelief::data::{Categories, Classes, Column, DenseMatrix, Table, Target};
use basrelief::maps::Map;
use basrelief::methods::{METHODS, Problem, map_method};
use basrelief::{Run, methods};

use super::common::*;

/// Rows less their mean.
fn centered(values: &DenseMatrix) -> DenseMatrix {
    let mut out = values.clone();
    for column in 0..values.columns() {
        let mean = values.iter().map(|row| row[column]).sum::<f64>() / values.rows() as f64;
        (0..values.rows()).for_each(|row| out.row_mut(row)[column] -= mean);
    }
    out
}

/// Scatters within and between the classes.
fn scatters(values: &DenseMatrix, codes: &[u32]) -> (DenseMatrix, DenseMatrix) {
    let (values, width) = (centered(values), values.columns());
    let (mut within, mut between) =
        (DenseMatrix::zeros(width, width), DenseMatrix::zeros(width, width));
    for code in 0..=*codes.iter().max().unwrap() {
        let rows: Vec<usize> = (0..codes.len()).filter(|&i| codes[i] == code).collect();
        let own = values.select_rows(&rows);
        let mean: Vec<f64> = (0..width)
            .map(|column| own.iter().map(|row| row[column]).sum::<f64>() / rows.len() as f64)
            .collect();
        own.iter().for_each(|row| add_outer(&mut within, 1.0, &minus(row, &mean)));
        add_outer(&mut between, rows.len() as f64, &mean);
    }
    (within, between)
}

fn times(matrix: &DenseMatrix, factor: f64) -> DenseMatrix {
    let values = matrix.values().iter().map(|value| value * factor).collect();
    DenseMatrix::new(values, matrix.rows(), matrix.columns())
}

fn margins(values: &DenseMatrix, codes: &[u32], k: usize) -> DenseMatrix {
    let mut sum = DenseMatrix::zeros(values.columns(), values.columns());
    for i in 0..values.rows() {
        for (sign, same) in [(1.0, false), (-1.0, true)] {
            let near = nearest(values, i, |j| (codes[j] == codes[i]) == same);
            let near = &near[..k.min(near.len())];
            for &j in near {
                add_outer(&mut sum, sign / near.len() as f64, &minus(values.row(i), values.row(j)));
            }
        }
    }
    sum
}

#[test]
fn lfe_is_the_positive_part_of_the_margins_scatter() {
    for (rows, columns, k) in [(40, 5, 1), (60, 8, 3)] {
        let (values, codes) = data(rows, columns, 3, 1);
        let (s, vectors) = eigen(&margins(&values, &codes, k));
        let power = s.iter().filter(|s| **s > 0.0).map(|s| s * s).sum::<f64>().sqrt();
        let mut metric = DenseMatrix::zeros(columns, columns);
        for (s, vector) in s.iter().zip(vectors.iter()).filter(|(s, _)| **s > 0.0) {
            add_outer(&mut metric, s / power, vector);
        }
        let (map, report) = fit("lfe", &[("n_neighbors", &k.to_string())], &values, &codes);
        assert_near(&map.mahalanobis_matrix(), &metric, 1e-10);
        assert!((map.discriminant_power().unwrap() / power - 1.0).abs() < 1e-12);
        for (found, s) in map.eigenvalues().iter().zip(&s) {
            assert!((found / s - 1.0).abs() < 1e-10);
        }
        let norm = map.mahalanobis_matrix().values().iter().map(|m| m * m).sum::<f64>().sqrt();
        assert!((norm - 1.0).abs() < 1e-12);
        assert_eq!(report.rank, Some(columns));
        // Fewer components: the first ones, with what is lost.
        let (cut, _) =
            fit("lfe", &[("n_neighbors", &k.to_string()), ("components", "1")], &values, &codes);
        assert_eq!(cut.matrix().row(0), map.matrix().row(0));
        let lost = cut.discriminant_loss(1).unwrap();
        assert!((lost - (power - s[0])).abs() < 1e-10 * power);
    }
}

#[test]
fn lfe_of_the_rows_span_is_lfe() {
    for (rows, columns) in [(30, 8), (20, 60)] {
        let (values, codes) = data(rows, columns, 2, 4);
        let (fast, _) = fit("lfe", &[("form", "fast")], &values, &codes);
        let (direct, _) = fit("lfe", &[("form", "direct")], &values, &codes);
        assert_near(&fast.mahalanobis_matrix(), &direct.mahalanobis_matrix(), 1e-8);
        let (auto, report) = fit("lfe", &[], &values, &codes);
        let same = if columns > rows { &fast } else { &direct };
        assert_eq!(auto.matrix(), same.matrix());
        assert_eq!(report.rank, Some(columns.min(rows - 1)));
    }
    let (values, codes) = data(20, 30, 2, 4);
    let error = try_fit("lfe", &[("form", "fast"), ("metric", "manhattan")], &values, &codes, 1);
    assert!(error.unwrap_err().to_string().contains("only Euclidean distances"));
}

#[test]
fn pca_keeps_the_variance() {
    let (values, codes) = data(50, 6, 2, 2);
    let (within, between) = scatters(&values, &codes);
    let mut covariance = within;
    covariance
        .values_mut()
        .iter_mut()
        .zip(between.values())
        .for_each(|(w, b)| *w = (*w + b) / 49.0);
    let (map, _) = fit("pca", &[], &values, &codes);
    assert_eigenpairs(
        map.matrix(),
        map.eigenvalues(),
        &covariance,
        &DenseMatrix::identity(6),
        |_| 1.0,
    );
}

#[test]
fn lda_parts_the_means_in_units_of_the_spread() {
    let (values, codes) = data(70, 5, 3, 3);
    let (within, between) = scatters(&values, &codes);
    let (map, report) = fit("lda", &[], &values, &codes);
    let (within, between) = (times(&within, 1.0 / 67.0), times(&between, 1.0 / 67.0));
    assert_eq!((map.components(), report.ridge), (2, Some(0.0)));
    assert_eigenpairs(map.matrix(), map.eigenvalues(), &between, &within, |_| 1.0);
}

#[test]
fn rca_inverts_the_covariance_within() {
    let (values, codes) = data(70, 5, 3, 5);
    let (within, between) = scatters(&values, &codes);
    let (map, _) = fit("rca", &[], &values, &codes);
    let back = product(&map.mahalanobis_matrix(), &times(&within, 1.0 / 70.0));
    assert_near(&back, &DenseMatrix::identity(5), 1e-10);
    let mut total = within.clone();
    total.values_mut().iter_mut().zip(between.values()).for_each(|(w, b)| *w += b);
    assert_eigenpairs(map.matrix(), map.eigenvalues(), &total, &within, |_| 1.0 / (1.0 / 70.0));
}

#[test]
fn lfda_is_sugiyamas() {
    let (values, codes) = data(50, 4, 3, 6);
    let n = codes.len();
    let count = |i: usize| codes.iter().filter(|code| **code == codes[i]).count();
    let scale: Vec<f64> = (0..n)
        .map(|i| {
            let own = nearest(&values, i, |j| codes[j] == codes[i]);
            squared(values.row(i), values.row(own[own.len().min(3) - 1])).sqrt()
        })
        .collect();
    let (mut within, mut between) = (DenseMatrix::zeros(4, 4), DenseMatrix::zeros(4, 4));
    for i in 0..n {
        for j in 0..n {
            let d = minus(values.row(i), values.row(j));
            let affinity = (-squared(values.row(i), values.row(j)) / (scale[i] * scale[j])).exp();
            let (mut w, mut b) = (0.0, 1.0 / n as f64);
            if codes[i] == codes[j] {
                w = affinity / count(i) as f64;
                b = affinity * (1.0 / n as f64 - 1.0 / count(i) as f64);
            }
            add_outer(&mut within, w / 2.0, &d);
            add_outer(&mut between, b / 2.0, &d);
        }
    }
    let (map, _) = fit("lfda", &[("n_neighbors", "3")], &values, &codes);
    assert_eigenpairs(map.matrix(), map.eigenvalues(), &between, &within, |s| s);
    let (plain, _) = fit("lfda", &[("n_neighbors", "3"), ("embedding", "plain")], &values, &codes);
    assert_eigenpairs(plain.matrix(), plain.eigenvalues(), &between, &within, |_| 1.0);
    let options = [("n_neighbors", "3"), ("embedding", "orthonormal"), ("components", "2")];
    let (flat, _) = fit("lfda", &options, &values, &codes);
    assert_near(
        &product(flat.matrix(), &flat.matrix().transposed()),
        &DenseMatrix::identity(2),
        1e-10,
    );
    // It spans what the first two components span: these are their own projections on it.
    let first = plain.matrix().select_rows(&[0, 1]);
    let along = product(&product(&first, &flat.matrix().transposed()), flat.matrix());
    assert_near(&along, &first, 1e-8);
}

#[test]
fn mfa_ties_near_rows_and_parts_the_borders() {
    let (values, codes) = data(45, 4, 3, 7);
    let n = codes.len();
    let (k, pairs) = (3, 6);
    let mut intrinsic = DenseMatrix::zeros(4, 4);
    let own: Vec<Vec<usize>> =
        (0..n).map(|i| nearest(&values, i, |j| codes[j] == codes[i])[..k].to_vec()).collect();
    for i in 0..n {
        for j in i + 1..n {
            if own[i].contains(&j) || own[j].contains(&i) {
                add_outer(&mut intrinsic, 1.0, &minus(values.row(i), values.row(j)));
            }
        }
    }
    let mut border = std::collections::BTreeSet::new();
    for class in 0..3 {
        let mut crossing: Vec<(f64, usize, usize)> = (0..n)
            .flat_map(|i| (i + 1..n).map(move |j| (i, j)))
            .filter(|&(i, j)| (codes[i] == class) != (codes[j] == class))
            .map(|(i, j)| (squared(values.row(i), values.row(j)), i, j))
            .collect();
        crossing.sort_by(|a, b| a.0.total_cmp(&b.0));
        border.extend(crossing[..pairs].iter().map(|&(_, i, j)| (i, j)));
    }
    let mut penalty = DenseMatrix::zeros(4, 4);
    for (i, j) in border {
        add_outer(&mut penalty, 1.0, &minus(values.row(i), values.row(j)));
    }
    let (map, _) = fit("mfa", &[("n_neighbors", "3"), ("n_pairs", "6")], &values, &codes);
    assert_eigenpairs(map.matrix(), map.eigenvalues(), &penalty, &intrinsic, |_| 1.0);
}

#[test]
fn dann_looks_at_class_means_in_neighborhoods() {
    let (values, codes) = data(60, 4, 3, 8);
    let (within, _) = scatters(&values, &codes);
    let within = times(&within, 1.0 / 57.0);
    let (s, v) = eigen(&within);
    let mut sphere = v;
    for (row, s) in s.iter().enumerate() {
        sphere.row_mut(row).iter_mut().for_each(|x| *x /= s.sqrt());
    }
    let sphered = product(&values, &sphere.transposed());
    let size = 12;
    let mut between = DenseMatrix::zeros(4, 4);
    for i in 0..60 {
        let mut hood = nearest(&sphered, i, |_| true)[..size - 1].to_vec();
        hood.push(i);
        let mean = |rows: &[usize]| -> Vec<f64> {
            (0..4)
                .map(|c| rows.iter().map(|&r| sphered.row(r)[c]).sum::<f64>() / rows.len() as f64)
                .collect()
        };
        for class in 0..3 {
            let own: Vec<usize> = hood.iter().copied().filter(|&r| codes[r] == class).collect();
            if !own.is_empty() {
                let share = own.len() as f64 / size as f64;
                add_outer(&mut between, share / 60.0, &minus(&mean(&own), &mean(&hood)));
            }
        }
    }
    let (s, v) = eigen(&between);
    let (map, _) = fit("dann", &[("n_neighbors", "12")], &values, &codes);
    for (found, s) in map.eigenvalues().iter().zip(&s) {
        assert!((found - s).abs() < 1e-10);
    }
    let first = product(&v.select_rows(&[0, 1]), &sphere);
    let (two, _) = fit("dann", &[("n_neighbors", "12"), ("n_components", "2")], &values, &codes);
    let metric = product(&first.transposed(), &first);
    assert_near(&two.mahalanobis_matrix(), &metric, 1e-8);
}

#[test]
fn o_relief_weighs_the_principal_axes() {
    let (values, codes) = data(50, 5, 3, 9);
    let (pca, _) = fit("pca", &[], &values, &codes);
    let rotated = product(&centered(&values), &pca.matrix().transposed());
    let mut z = [0.0; 5];
    for i in 0..50 {
        let hit = nearest(&rotated, i, |j| codes[j] == codes[i])[0];
        let miss = nearest(&rotated, i, |j| codes[j] != codes[i])[0];
        for (axis, z) in z.iter_mut().enumerate() {
            let apart = |j: usize| (rotated.row(i)[axis] - rotated.row(j)[axis]).abs();
            *z += apart(miss) - apart(hit);
        }
    }
    let norm = z.iter().map(|z| z.max(0.0).powi(2)).sum::<f64>().sqrt();
    let mut metric = DenseMatrix::zeros(5, 5);
    for (z, axis) in z.iter().zip(pca.matrix().iter()) {
        add_outer(&mut metric, z.max(0.0) / norm, axis);
    }
    let (map, _) = fit("o-relief", &[], &values, &codes);
    assert_near(&map.mahalanobis_matrix(), &metric, 1e-9);
    assert!(map.eigenvalues().is_sorted_by(|a, b| a >= b));
}

#[test]
fn a_weighting_method_is_a_diagonal_map() {
    let (values, codes) = data(60, 6, 2, 10);
    let (table, target) = (table(&values), target(&codes));
    let run = Run::new(Some(1)).unwrap();
    let info = METHODS.iter().find(|info| info.name == "relieff").unwrap();
    let settings = info.settings::<&str, &str>(&[]).unwrap();
    let weights = info.fit(&Problem::new(&table, &target).unwrap(), &settings, &run).unwrap().model;
    let method = methods::Weighted::new(info, settings);
    let options = methods::MapSettings::default();
    let map = methods::fit_map(&method, &table, Some(&target), &options, &run).unwrap().model;
    let mut expected = DenseMatrix::zeros(6, 6);
    for (feature, &weight) in weights.weights().iter().enumerate() {
        let column =
            |best: fn(f64, f64) -> f64| values.iter().map(|row| row[feature]).reduce(best).unwrap();
        let range = column(f64::max) - column(f64::min);
        expected.row_mut(feature)[feature] = weight.max(0.0) / (range * range);
    }
    let basrelief::maps::Map::Linear(map) = map else { panic!("a linear map") };
    assert_near(&map.mahalanobis_matrix(), &expected, 1e-12);
    assert_eq!(map.matrix().rows(), weights.weights().iter().filter(|w| **w > 0.0).count());

    let real = Target::real(vec![1.0; 60]).unwrap();
    let error = methods::fit_map(&method, &table, Some(&real), &options, &run).unwrap_err();
    assert!(error.to_string().contains("needs classes"), "{error}");
}

/// LFE whose neighbors are those of the Canberra metric: of the numbers as they were before they were centered, and of
/// categories that differ by 1.
#[test]
fn lfe_takes_the_neighbors_of_the_table_itself() {
    let rows = 30;
    let number = |row: usize, step: usize| (row * step % 31) as f64 + 1.0;
    let values: Vec<[f64; 2]> =
        (0..rows).map(|row| [number(row, 7), 100.0 * number(row, 11)]).collect();
    let codes: Vec<u32> = values.iter().map(|row| u32::from(row[1] > 1600.0)).collect();
    let column = |at: usize| values.iter().map(|row| row[at]).collect::<Vec<f64>>();
    let columns = [("a", column(0)), ("b", column(1))];
    let table = columns.map(|(name, values)| Column::from_values(name, values).unwrap());
    let table = Table::new(table.to_vec()).unwrap();
    let canberra = |a: usize, b: usize| -> f64 {
        let terms = values[a].iter().zip(values[b]).map(|(a, b)| (a - b).abs() / (a + b));
        terms.sum()
    };
    // Scatter of the nearest misses less that of the nearest hits, and the direction of its greatest eigenvalue.
    let mut scatter = [0.0; 3];
    for row in 0..rows {
        for (sign, is_hit) in [(-1.0, true), (1.0, false)] {
            let others =
                (0..rows).filter(|&other| other != row && (codes[other] == codes[row]) == is_hit);
            let nearest =
                others.min_by(|&a, &b| canberra(row, a).total_cmp(&canberra(row, b))).unwrap();
            let [x, y] = [0, 1].map(|at| values[row][at] - values[nearest][at]);
            scatter.iter_mut().zip([x * x, x * y, y * y]).for_each(|(sum, add)| *sum += sign * add);
        }
    }
    let [xx, xy, yy] = scatter;
    let angle = 0.5 * (2.0 * xy).atan2(xx - yy);
    let info = map_method("lfe").unwrap();
    let labels: Vec<String> = codes.iter().map(u32::to_string).collect();
    let target = Target::Classes(Classes::from_labels(&labels));
    let run = Run::new(Some(2)).unwrap();
    let fit = |table: &Table<'_>| {
        let settings = info.settings(&[("metric", "canberra")]).unwrap();
        info.fit(table, Some(&target), &settings, &run).unwrap().model
    };
    let Map::Linear(map) = fit(&table) else { panic!("a linear map") };
    let first = map.matrix().row(0);
    let found = first[1].atan2(first[0]);
    assert!((found - angle).sin().abs() < 1e-10, "{found} {angle}");
    // A category with them, which is no number.
    let texts = (0..rows).map(|row| Some(["x", "y", "z"][row * row % 3]));
    let category = Column::categorical("c", Categories::from_texts(texts));
    let mixed = [table.columns()[0].clone(), table.columns()[1].clone(), category];
    assert!(fit(&Table::new(mixed.to_vec()).unwrap()).components() > 0);
}
