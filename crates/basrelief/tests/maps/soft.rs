//! NCA, generalized I-RELIEF and LDM.

use basrelief::data::{Classes, DenseMatrix, Table, Target};
use basrelief::maps::{LinearMap, Map};
use basrelief::methods::{GiForm, GiInit, GiRelief, MAP_METHODS, MapSettings, fit_map};
use basrelief::report::Fitted;
use basrelief::run::Run;
use basrelief::{Error, Result};

use super::common::run;

const METHODS: [&str; 3] = ["nca", "gi-relief", "ldm"];

/// Rows of `classes` overlapping classes that differ in the first columns.
fn example(rows: usize, width: usize, classes: usize) -> (DenseMatrix, Vec<String>) {
    let mut state = 7_u64;
    let mut uniform = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut values = DenseMatrix::zeros(rows, width);
    for row in 0..rows {
        for value in values.row_mut(row) {
            *value = (0..6).map(|_| uniform()).sum::<f64>() - 3.0;
        }
        let class = (row % classes) as f64;
        values.row_mut(row)[0] += class;
        if width > 1 {
            values.row_mut(row)[1] += (2.0 * class).sin() + values.row(row)[0];
        }
    }
    (values, (0..rows).map(|row| format!("c{}", row % classes)).collect())
}

fn fit_by(
    method: &str,
    given: &[(&str, &str)],
    values: &DenseMatrix,
    labels: &[String],
    threads: usize,
) -> Result<Fitted<Map>> {
    let names: Vec<String> = (0..values.columns()).map(|k| format!("x{k}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let table = Table::from_row_major(values.values(), values.rows(), &names)?;
    let target = Target::Classes(Classes::from_labels(labels));
    let method = MAP_METHODS.iter().find(|learner| learner.name == method).unwrap();
    let run = Run::new(Some(threads))?;
    method.fit(&table, Some(&target), &method.settings(given)?, &run)
}

fn linear(fitted: &Fitted<Map>) -> &LinearMap {
    match &fitted.model {
        Map::Linear(map) => map,
        #[allow(unreachable_patterns)]
        other => panic!("{other:?}"),
    }
}

fn has_warning(fitted: &Fitted<Map>, code: &str) -> bool {
    fitted.report.warnings.iter().any(|warning| warning.code() == code)
}

/// Squared distances of the first rows to all under a map.
fn distances(map: &LinearMap, values: &DenseMatrix) -> Vec<f64> {
    let rows = values.rows();
    (0..5)
        .flat_map(|i| (0..rows).map(move |j| (i, j)))
        .map(|(i, j)| map.distance(values.row(i), values.row(j)))
        .collect()
}

fn assert_near(a: &[f64], b: &[f64], tolerance: f64, what: &str) {
    assert_eq!(a.len(), b.len(), "{what}");
    let size = b.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
    for (x, y) in a.iter().zip(b) {
        assert!((x - y).abs() <= tolerance * size, "{what}: {x} {y} of {size}");
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let (values, labels) = example(160, 5, 3);
    for method in METHODS {
        for components in ["all", "2"] {
            let given = [("n_components", components), ("max_iter", "8")];
            let one = fit_by(method, &given, &values, &labels, 1).unwrap();
            let two = fit_by(method, &given, &values, &labels, 2).unwrap();
            assert_eq!(one.model, two.model, "{method}, {components}");
            assert_eq!(one.report.objective, two.report.objective);
        }
    }
}

/// Rotated rows have the same distances in the space of their map.
#[test]
fn rotations_change_no_mapped_distance() {
    let (values, labels) = example(90, 3, 3);
    let (c, s) = (0.6, 0.8);
    let mut turned = values.clone();
    for row in 0..values.rows() {
        let [x, y, z] = values.row(row).try_into().unwrap();
        turned.row_mut(row).copy_from_slice(&[c * x - s * z, y, s * x + c * z]);
    }
    for (method, given) in [
        ("nca", [("max_iter", "5"), ("init", "auto")].as_slice()),
        ("nca", &[("max_iter", "5"), ("objective", "log"), ("n_components", "2")]),
        ("gi-relief", &[("max_iter", "5"), ("init", "identity")]),
        ("gi-relief", &[("max_iter", "5"), ("init", "whiten"), ("form", "linearised")]),
        ("gi-relief", &[("max_iter", "5"), ("form", "accelerated"), ("n_components", "1")]),
        ("ldm", &[("max_iter", "5")]),
    ] {
        let plain = fit_by(method, given, &values, &labels, 1).unwrap();
        let other = fit_by(method, given, &turned, &labels, 1).unwrap();
        let (a, b) = (linear(&plain), linear(&other));
        assert_near(a.eigenvalues(), b.eigenvalues(), 1e-6, method);
        assert_near(&distances(a, &values), &distances(b, &turned), 1e-6, method);
    }
}

/// One step from the identity, by the definition and without a shortcut.
#[test]
fn a_step_of_gi_relief_is_that_of_its_definition() {
    let (values, labels) = example(40, 4, 2);
    let given = [
        ("max_iter", "1"),
        ("init", "identity"),
        ("sigma_neighbors", "3"),
        ("sigma_offset", "0.5"),
    ];
    let fitted = fit_by("gi-relief", &given, &values, &labels, 1).unwrap();
    let rows = values.rows();
    let square = |i: usize, j: usize| -> f64 {
        values.row(i).iter().zip(values.row(j)).map(|(a, b)| (a - b) * (a - b)).sum()
    };
    let mut sigma = 0.5;
    for i in 0..rows {
        let mut near: Vec<f64> = (0..rows).filter(|&j| j != i).map(|j| square(i, j)).collect();
        near.sort_by(f64::total_cmp);
        sigma += near[2] / rows as f64;
    }
    // The scatters of misses and hits, from Laplacians of rows x rows.
    let scatters = [false, true].map(|same| {
        let mut graph = DenseMatrix::zeros(rows, rows);
        for i in 0..rows {
            let others: Vec<usize> =
                (0..rows).filter(|&j| j != i && (labels[i] == labels[j]) == same).collect();
            let near = |j: usize| (-square(i, j) / sigma).exp();
            let sum: f64 = others.iter().map(|&j| near(j)).sum();
            for j in others {
                graph.row_mut(i)[j] += near(j) / sum;
                graph.row_mut(j)[i] += near(j) / sum;
            }
        }
        let mut laplacian = DenseMatrix::zeros(rows, rows);
        for i in 0..rows {
            for j in 0..rows {
                laplacian.row_mut(i)[j] = -graph.row(i)[j];
            }
            laplacian.row_mut(i)[i] += graph.row(i).iter().sum::<f64>();
        }
        let mut scatter = DenseMatrix::zeros(4, 4);
        for a in 0..4 {
            for b in 0..4 {
                for i in 0..rows {
                    for j in 0..rows {
                        scatter.row_mut(a)[b] +=
                            values.row(i)[a] * laplacian.row(i)[j] * values.row(j)[b];
                    }
                }
            }
        }
        scatter
    });
    let form = |matrix: &DenseMatrix, v: &[f64], w: &[f64]| -> f64 {
        (0..4)
            .flat_map(|a| (0..4).map(move |b| (a, b)))
            .map(|(a, b)| v[a] * matrix.row(a)[b] * w[b])
            .sum()
    };
    let map = linear(&fitted);
    assert!(!map.eigenvalues().is_empty() && map.eigenvalues().iter().all(|&value| value > 1.0));
    let [misses, hits] = &scatters;
    for (i, v) in map.matrix().iter().enumerate() {
        for (j, w) in map.matrix().iter().enumerate() {
            let one = f64::from(u8::from(i == j));
            assert!((form(hits, v, w) - one).abs() < 1e-10, "{i} {j}");
            assert!((form(misses, v, w) - one * map.eigenvalues()[i]).abs() < 1e-9, "{i} {j}");
        }
    }
}

#[test]
fn linearized_gi_relief_is_the_direct_one() {
    let (values, labels) = example(80, 6, 3);
    for init in ["identity", "whiten"] {
        for components in ["all", "2"] {
            let fit = |form| {
                let given = [
                    ("form", form),
                    ("init", init),
                    ("n_components", components),
                    ("max_iter", "6"),
                ];
                fit_by("gi-relief", &given, &values, &labels, 1).unwrap()
            };
            let (direct, span) = (fit("direct"), fit("linearised"));
            assert_near(linear(&direct).eigenvalues(), linear(&span).eigenvalues(), 1e-8, init);
            let (a, b) = (linear(&direct).mahalanobis_matrix(), linear(&span).mahalanobis_matrix());
            assert_near(a.values(), b.values(), 1e-8, init);
            let (a, b) = (direct.report.objective.unwrap(), span.report.objective.unwrap());
            assert!((a - b).abs() < 1e-12, "{a} {b}");
        }
    }
}

/// `L = L~ X` with the pair `(G A G, G B G)` of the Gram matrix, more features than rows.
#[test]
fn gi_relief_in_the_span_solves_the_equations_of_the_gram_matrix() {
    let (values, labels) = example(24, 30, 2);
    let given = [("max_iter", "1"), ("init", "identity"), ("ridge", "1e-9")];
    let fitted = fit_by("gi-relief", &given, &values, &labels, 1).unwrap();
    let map = linear(&fitted);
    assert_eq!(fitted.report.rank, Some(23));
    let ridge = fitted.report.ridge.unwrap();
    let rows = values.rows();
    let means = values.means();
    let centered = |i: usize, a: usize| values.row(i)[a] - means[a];
    let square = |i: usize, j: usize| -> f64 {
        values.row(i).iter().zip(values.row(j)).map(|(a, b)| (a - b) * (a - b)).sum()
    };
    let sigma = (0..rows)
        .map(|i| {
            let mut near: Vec<f64> = (0..rows).filter(|&j| j != i).map(|j| square(i, j)).collect();
            near.sort_by(f64::total_cmp);
            near[6] / rows as f64
        })
        .sum::<f64>();
    let apply = |same: bool, m: &[f64]| -> Vec<f64> {
        let mut out = vec![0.0; rows];
        for i in 0..rows {
            let others: Vec<usize> =
                (0..rows).filter(|&j| j != i && (labels[i] == labels[j]) == same).collect();
            let near = |j: usize| (-square(i, j) / sigma).exp();
            let sum: f64 = others.iter().map(|&j| near(j)).sum();
            for j in others {
                out[i] += near(j) / sum * (m[i] - m[j]);
                out[j] += near(j) / sum * (m[j] - m[i]);
            }
        }
        out
    };
    for (v, value) in map.matrix().iter().zip(map.eigenvalues()) {
        // In the span of the rows: orthogonal to nothing of it, so that G l~ = X v.
        let mapped: Vec<f64> =
            (0..rows).map(|i| (0..30).map(|a| centered(i, a) * v[a]).sum()).collect();
        let (of_misses, of_hits) = (apply(false, &mapped), apply(true, &mapped));
        let mut rest = 0.0_f64;
        let mut size = 0.0_f64;
        for i in 0..rows {
            let gram = |u: &[f64]| -> f64 {
                (0..rows)
                    .map(|j| (0..30).map(|a| centered(i, a) * centered(j, a)).sum::<f64>() * u[j])
                    .sum()
            };
            // X v is in the place of G l~, also beside the ridge: hits span a dimension less.
            let hits = gram(&of_hits) + ridge * mapped[i];
            rest = rest.max((gram(&of_misses) - value * hits).abs());
            size = size.max(gram(&of_misses).abs());
        }
        assert!(rest < 1e-5 * size, "{rest} {size}");
    }
}

#[test]
fn hard_input_ends_in_an_error_or_a_map() {
    let (plain, labels) = example(40, 4, 2);
    let mut lone = labels.clone();
    lone[0] = "alone".into();
    let mut collinear = plain.clone();
    let mut constant = plain.clone();
    let mut repeated = plain.clone();
    let mut huge = plain.clone();
    for row in 0..plain.rows() {
        collinear.row_mut(row)[3] = 2.0 * plain.row(row)[0] - plain.row(row)[1];
        constant.row_mut(row)[2] = 5.0;
        // Of the same class.
        let copy = plain.row(if row % 4 < 2 { row } else { row - 2 }).to_vec();
        repeated.row_mut(row).copy_from_slice(&copy);
        huge.row_mut(row).iter_mut().for_each(|value| *value *= 1e100);
    }
    let (wide, wide_labels) = example(12, 30, 3);
    let same = DenseMatrix::new([1.0, 2.0].repeat(40), 40, 2);
    let two_places: Vec<f64> = (0..40).flat_map(|row| [f64::from(row % 2), 1.0]).collect();
    let two_places = DenseMatrix::new(two_places, 40, 2);
    let each: Vec<String> = (0..40).map(|row| row.to_string()).collect();
    let one = vec!["one".to_string(); 40];
    for method in METHODS {
        let fit = |values: &DenseMatrix, labels: &[String], given: &[(&str, &str)]| {
            let fitted = fit_by(method, given, values, labels, 1);
            if let Ok(fitted) = &fitted {
                let map = linear(fitted).matrix();
                assert!(map.values().iter().all(|value| value.is_finite()), "{method}");
            }
            fitted
        };
        let short = &[("max_iter", "10")];
        assert!(has_warning(&fit(&plain, &lone, short).unwrap(), "lone-rows"), "{method}");
        assert_eq!(fit(&collinear, &labels, short).unwrap().report.rank, Some(3), "{method}");
        assert_eq!(fit(&constant, &labels, short).unwrap().report.rank, Some(3), "{method}");
        fit(&repeated, &labels, short).unwrap();
        fit(&wide, &wide_labels, short).unwrap();
        for (values, labels) in [
            (&same, &labels),
            (&plain, &each),
            (&plain, &one),
            (&huge, &labels),
            (&two_places, &labels),
        ] {
            match fit(values, labels, short) {
                Ok(_) | Err(Error::Data(_)) => {}
                Err(other) => panic!("{method}: {other:?}"),
            }
        }
        assert!(matches!(fit(&plain, &each, short), Err(Error::Data(_))), "{method}");
        let many = fit(&plain, &labels, &[("n_components", "9"), ("max_iter", "5")]).unwrap();
        assert!(has_warning(&many, "rank"), "{method}");
    }
}

/// A kernel's coordinates are uneven by nature, which calls for no whitening.
#[test]
fn gi_relief_starts_from_a_kernels_own_distances() {
    let (values, labels) = example(60, 4, 3);
    let fitted = |init: &str| {
        let given = [("init", init), ("kernel", "rbf"), ("max_rank", "6"), ("max_iter", "1")];
        fit_by("gi-relief", &given, &values, &labels, 1).unwrap().model
    };
    assert_eq!(fitted("auto"), fitted("identity"));
    assert_ne!(fitted("auto"), fitted("whiten"));
}

#[test]
fn gi_relief_reports_what_it_did() {
    let (values, labels) = example(60, 4, 3);
    let fitted =
        fit_by("gi-relief", &[("max_iter", "2"), ("tol", "1e-12")], &values, &labels, 1).unwrap();
    assert!(has_warning(&fitted, "not-converged"));
    assert_eq!((fitted.report.iterations, fitted.report.converged), (Some(2), Some(false)));
    assert_eq!(fitted.report.ridge, Some(0.0));
    // Every class in one place but for one direction: hits differ nowhere else.
    let mut flat = DenseMatrix::zeros(30, 3);
    for row in 0..30 {
        let class = row % 3;
        flat.row_mut(row).copy_from_slice(&[
            [0.0, 1.0, 0.0][class],
            [0.0, 0.0, 1.0][class],
            row as f64 / 30.0,
        ]);
    }
    let labels: Vec<String> = (0..30).map(|row| (row % 3).to_string()).collect();
    let fitted = fit_by("gi-relief", &[], &flat, &labels, 1).unwrap();
    assert!(has_warning(&fitted, "ridge") && fitted.report.ridge.unwrap() > 0.0);
    // Every row has a twin of the other class: no direction has farther misses than hits.
    let (twins, _) = example(60, 4, 3);
    let twins = twins.select_rows(&(0..40).map(|row| row / 2).collect::<Vec<_>>());
    let other: Vec<String> = (0..40).map(|row| (row % 2).to_string()).collect();
    let fitted = fit_by("gi-relief", &[], &twins, &other, 1).unwrap();
    assert!(has_warning(&fitted, "no-positive-margin"));
    assert_eq!((fitted.model.components(), fitted.report.iterations), (0, Some(1)));
    assert_eq!((fitted.report.converged, fitted.report.last_change), (Some(false), None));
    assert_eq!(fitted.model.transform(&twins, &run(1)).unwrap(), DenseMatrix::zeros(40, 0));
    // What the typed interface lets through is refused.
    let table = Table::from_row_major(values.values(), 60, &["a", "b", "c", "d"]).unwrap();
    let target = Target::Classes(Classes::from_labels(&["a", "b"].repeat(30)));
    for wrong in [
        GiRelief { sigma_neighbors: 0, ..GiRelief::default() },
        GiRelief { max_iter: 0, form: GiForm::Direct, ..GiRelief::default() },
        GiRelief { ridge: -1.0, init: GiInit::Identity, ..GiRelief::default() },
        GiRelief { sigma_offset: f64::NAN, ..GiRelief::default() },
    ] {
        let run = Run::new(Some(1)).unwrap();
        let ended = fit_map(&wrong, &table, Some(&target), &MapSettings::default(), &run);
        assert!(matches!(ended, Err(Error::Option { .. })), "{ended:?}");
    }
}

#[test]
fn ldm_says_why_it_stopped() {
    let (mut values, labels) = example(60, 2, 2);
    for row in 0..60 {
        values.row_mut(row)[0] += 40.0 * (row % 2) as f64;
    }
    let apart = fit_by("ldm", &[], &values, &labels, 1).unwrap();
    assert!(has_warning(&apart, "separable"), "{:?}", apart.report);
    assert_eq!(apart.report.converged, Some(false));
    let (values, labels) = example(120, 3, 3);
    let mixed = fit_by("ldm", &[], &values, &labels, 1).unwrap();
    assert!(!has_warning(&mixed, "separable") && mixed.report.converged == Some(true));
    assert!(linear(&mixed).eigenvalues().is_sorted_by(|a, b| a >= b));
}

/// More rows draw a neighbor of their class than at the start, for every start and objective.
#[test]
fn nca_climbs_from_any_start() {
    let (values, labels) = example(120, 4, 3);
    for objective in ["sum", "log"] {
        for init in ["auto", "pca", "lda", "identity"] {
            let fit = |iterations| {
                let given = [
                    ("init", init),
                    ("objective", objective),
                    ("n_components", "2"),
                    ("max_iter", iterations),
                ];
                fit_by("nca", &given, &values, &labels, 1).unwrap()
            };
            let (short, long) = (fit("1"), fit("30"));
            assert!(long.report.objective > short.report.objective, "{objective} {init}");
            let map = linear(&long);
            let products = map.matrix().row(0).iter().zip(map.matrix().row(1));
            let dot: f64 = products.map(|(a, b)| a * b).sum();
            assert!(dot.abs() < 1e-10 * map.eigenvalues()[0], "principal axes");
            assert!(map.eigenvalues()[0] >= map.eigenvalues()[1]);
        }
    }
}

/// Where every draw is certain and no small step changes that, the start is returned and it is
/// said.
#[test]
fn nca_says_that_its_start_is_flat() {
    let values = DenseMatrix::new((0..12).map(|row| f64::from(row * row) * 1e3).collect(), 12, 1);
    let labels: Vec<String> = (0..12).map(|row| format!("c{}", row / 6)).collect();
    let fitted = fit_by("nca", &[("init", "identity")], &values, &labels, 1).unwrap();
    let codes: Vec<&str> = fitted.report.warnings.iter().map(|warning| warning.code()).collect();
    assert_eq!(codes, ["flat"]);
}

/// A far row makes neither the first weights vanish nor the search stop where they are 0.
#[test]
fn ldm_is_not_stopped_by_a_far_row() {
    let (values, codes) = super::common::data(60, 3, 2, 51);
    let fit = |values: &DenseMatrix, codes: &[u32]| {
        super::common::try_fit("ldm", &[], values, codes, 1).unwrap().report
    };
    let near: Vec<usize> = (0..60).filter(|row| *row != 7).collect();
    let near_codes: Vec<u32> = near.iter().map(|&row| codes[row]).collect();
    let expected = fit(&values.select_rows(&near), &near_codes).objective.unwrap();
    for exponent in [4, 6, 8] {
        let mut far = values.clone();
        far.row_mut(7)[1] = 10_f64.powi(exponent);
        let report = fit(&far, &codes);
        let found = report.objective.unwrap();
        // The far row itself may be of any class.
        let is_near = found > 1.05 * expected - 2.0;
        assert!(is_near || report.converged == Some(false), "1e{exponent}: {found} {expected}");
    }
}
