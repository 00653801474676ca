//! Kernel maps: known answers, the formula one by one, and that KLFE depends on neither basis nor
//! centering.

use basrelief::data::{Classes, DenseMatrix, Table, Target};
use basrelief::maps::Map;
use basrelief::methods::map_method;
use basrelief::solve::Kernel;
use basrelief::{Fitted, Run};

use super::common::{run, target_of};

/// Numbers between -1 and 1 without a pattern.
fn numbers(
    factor: usize,
    start: usize,
    modulus: usize,
    rows: usize,
    columns: usize,
) -> DenseMatrix {
    let half = (modulus / 2) as f64;
    let value = |k: usize| ((k * factor + start) % modulus) as f64 / half - 1.0;
    DenseMatrix::new((0..rows * columns).map(value).collect(), rows, columns)
}

/// Two noisy rings, one around the other, and a column of noise; not centered at 0.
fn rings(rows: usize) -> (DenseMatrix, Target) {
    let noise = numbers(7919, 13, 1009, rows, 3);
    let mut values = DenseMatrix::zeros(rows, 3);
    let mut labels = Vec::new();
    for row in 0..rows {
        let angle = row as f64 * 2.4;
        let radius = if row % 3 == 0 { 0.6 } else { 2.0 };
        let noise = noise.row(row);
        values.row_mut(row).copy_from_slice(&[
            3.0 + radius * angle.cos() + 0.2 * noise[0],
            radius * angle.sin() + 0.2 * noise[1] - 1.0,
            0.5 * noise[2],
        ]);
        labels.push(if row % 3 == 0 { "in" } else { "out" });
    }
    (values, Target::Classes(Classes::from_labels(&labels)))
}

fn names(columns: usize) -> Vec<String> {
    (0..columns).map(|column| format!("f{column}")).collect()
}

fn try_fit(
    method: &str,
    values: &DenseMatrix,
    target: Option<&Target>,
    options: &[(&str, &str)],
    run: &Run,
) -> basrelief::Result<Fitted<Map>> {
    let names = names(values.columns());
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let table = Table::from_row_major(values.values(), values.rows(), &names)?;
    let method = map_method(method)?;
    method.fit(&table, target, &method.settings(options)?, run)
}

fn fit(
    method: &str,
    values: &DenseMatrix,
    target: Option<&Target>,
    options: &[(&str, &str)],
) -> Fitted<Map> {
    try_fit(method, values, target, options, &run(2)).unwrap()
}

fn squared_distances(mapped: &DenseMatrix) -> DenseMatrix {
    let mut distances = DenseMatrix::zeros(mapped.rows(), mapped.rows());
    for i in 0..mapped.rows() {
        for j in 0..mapped.rows() {
            let pairs = mapped.row(i).iter().zip(mapped.row(j));
            distances.row_mut(i)[j] = pairs.map(|(a, b)| (a - b) * (a - b)).sum();
        }
    }
    distances
}

/// Distances under two maps agree to a share of the greatest.
#[track_caller]
fn assert_same_distances(a: &DenseMatrix, b: &DenseMatrix, tolerance: f64) {
    let (a, b) = (squared_distances(a), squared_distances(b));
    let greatest = a.values().iter().copied().fold(0.0, f64::max);
    assert!(greatest > 0.0);
    for (x, y) in a.values().iter().zip(b.values()) {
        assert!((x - y).abs() <= tolerance * greatest, "{x} {y} of {greatest}");
    }
}

/// With a narrow kernel all values between different rows are 0, and all distances in its space the root of 2, to
/// rounding. Neighbors are those of the rows all the same: the margin that the map finds is the margin between them.
#[test]
fn neighbors_under_a_narrow_kernel_are_those_of_the_rows() {
    let (values, target) = rings(60);
    let Target::Classes(classes) = &target else { panic!("classes") };
    let codes = classes.codes();
    for (kernel, manhattan) in [("rbf:rho=0.001", false), ("laplacian:rho=0.0001", true)] {
        let map = fit("klfe", &values, Some(&target), &[("kernel", kernel)]).model;
        let Map::Kernel(map) = map else { panic!("a kernel map") };
        let mapped = squared_distances(&map.transform(&values, &run(1)).unwrap());
        let distance = |i: usize, j: usize| -> f64 {
            let pairs = values.row(i).iter().zip(values.row(j)).map(|(a, b)| (a - b).abs());
            if manhattan { pairs.sum() } else { pairs.map(|d| d * d).sum() }
        };
        let nearest = |i: usize, same: bool| {
            let rows = (0..60).filter(|&j| j != i && (codes[j] == codes[i]) == same);
            rows.min_by(|&a, &b| distance(i, a).total_cmp(&distance(i, b))).unwrap()
        };
        let margin: f64 = (0..60)
            .map(|i| mapped.row(i)[nearest(i, false)] - mapped.row(i)[nearest(i, true)])
            .sum();
        let power = map.discriminant_power().unwrap();
        assert!((margin - power).abs() < 1e-9 * power, "{kernel}: {margin} {power}");
    }
}

/// Numbers from scikit-learn's `KernelPCA`: three components of 8 rows, and two new rows. The rows
/// are centered first, as the kernel sees them here.
#[test]
fn kernel_pca_gives_the_numbers_of_scikit_learn() {
    let rows = numbers(37, 11, 101, 8, 3);
    let new = numbers(53, 5, 97, 2, 3);
    for (kernel, eigenvalues, coordinates) in [
        (
            "rbf:rho=0.8",
            [2.2926874269094433, 1.6935359110320383, 0.6595361369607942],
            [
                [0.22183810950248253, 0.061784713333276974, 0.5221973921014423],
                [0.5207224809165678, 0.3103889484127021, 0.05429545574409428],
            ],
        ),
        (
            "polynomial:degree=2,scale=0.5,constant=1",
            [4.32810413191534, 3.5071827669770683, 0.8023171769726456],
            [
                [0.48381551723556127, 0.21366686549754188, 0.8571969186430284],
                [0.9152624327363486, 0.3896224154866519, 0.2508125107518845],
            ],
        ),
        (
            "laplacian:rho=1.5",
            [1.5988871123610262, 1.3869377211526526, 0.7836478652353868],
            [
                [0.12162181454908978, 0.17073592272637753, 0.25819873729375764],
                [0.37874878309065446, 0.20582869436547963, 0.0017242228671194486],
            ],
        ),
    ] {
        let options = [("kernel", kernel), ("n_components", "3")];
        let fitted = fit("kpca", &rows, None, &options);
        for (found, expected) in fitted.model.eigenvalues().iter().zip(eigenvalues) {
            // Ours are variances, over n - 1.
            assert!((found * 7.0 - expected).abs() < 1e-12, "{kernel}: {found} {expected}");
        }
        for (row, expected) in
            fitted.model.transform(&new, &run(1)).unwrap().iter().zip(coordinates)
        {
            for (found, expected) in row.iter().zip(expected) {
                assert!((found.abs() - expected).abs() < 1e-12, "{kernel}: {found} {expected}");
            }
        }
        assert_eq!(fitted.report.kernel.unwrap().to_string(), kernel);
    }
}

/// Few components of many rows, which are found without the others, are the first of all.
#[test]
fn few_components_are_the_first_of_all() {
    let (rows, _) = rings(400);
    let (new, _) = rings(50);
    for kernel in ["rbf:rho=0.7", "polynomial:degree=2", "laplacian:rho=1", "linear"] {
        let fitted = |options: &[(&str, &str)]| {
            fit("kpca", &rows, None, &[&[("kernel", kernel)][..], options].concat())
        };
        let few = fitted(&[("n_components", "3")]);
        let all = fitted(&[]);
        assert_eq!((few.model.components(), few.report.rank), (3, Some(3)), "{kernel}");
        assert_eq!(few.report.warnings, []);
        for (own, other) in few.model.eigenvalues().iter().zip(all.model.eigenvalues()) {
            assert!((own - other).abs() < 1e-12 * all.model.eigenvalues()[0], "{kernel}");
        }
        for values in [&rows, &new] {
            let (few, all) = (
                few.model.transform(values, &run(1)).unwrap(),
                all.model.transform(values, &run(1)).unwrap(),
            );
            let greatest = all.values().iter().fold(0.0_f64, |most, v| most.max(v.abs()));
            for (few, all) in few.iter().zip(all.iter()) {
                for (own, other) in few.iter().zip(all) {
                    assert!((own - other).abs() < 1e-9 * greatest, "{kernel}: {own} {other}");
                }
            }
        }
        let again = [("kernel", kernel), ("n_components", "3")];
        assert_eq!(try_fit("kpca", &rows, None, &again, &run(3)).unwrap().model, few.model);
    }
    // A kernel that may have a negative part is looked at whole.
    let sigmoid = [("kernel", "sigmoid:scale=2,constant=-1"), ("n_components", "3")];
    assert_eq!(fit("kpca", &rows, None, &sigmoid).report.warnings[0].code(), "kernel-indefinite");
    // Rows that differ in three dimensions have no more, however many are wanted.
    let few = fit("kpca", &rows, None, &[("kernel", "linear"), ("n_components", "9")]);
    assert_eq!((few.model.components(), few.report.rank), (3, Some(3)));
    assert_eq!(few.report.warnings[0].code(), "rank");
}

/// Distances of the rows under kernel PCA with all components are those of the kernel's space,
/// `k(a, a) - 2 k(a, b) + k(b, b)`, for either basis.
#[test]
fn all_components_keep_the_distances_of_the_kernels_space() {
    let (rows, _) = rings(40);
    let kernel = Kernel::Rbf { rho: 1.0 };
    for basis in ["kpca", "gram-schmidt"] {
        let options = [("kernel", "rbf:rho=1"), ("basis", basis), ("rank_tolerance", "1e-12")];
        let map = fit("kpca", &rows, None, &options).model;
        let found = squared_distances(&map.transform(&rows, &run(1)).unwrap());
        for i in 0..40 {
            for j in 0..40 {
                let expected = kernel.squared_distance(rows.row(i), rows.row(j));
                assert!((found.row(i)[j] - expected).abs() < 1e-7, "{basis}");
                let distance = map.distance(rows.row(i), rows.row(j));
                assert!((distance * distance - expected).abs() < 1e-7, "{basis}");
            }
        }
    }
}

/// New rows by the formula of Wang et al. (2011), eqs 54 to 59, with the centering written out.
#[test]
fn new_rows_follow_the_formula_with_explicit_centering() {
    let (rows, _) = rings(30);
    let (new, _) = rings(34);
    let kernel = Kernel::Polynomial { degree: 2, scale: 0.5, constant: 1.0 };
    let fitted =
        fit("kpca", &rows, None, &[("kernel", &kernel.to_string()), ("n_components", "4")]);
    let means = rows.means();
    let centered =
        |row: &[f64]| -> Vec<f64> { row.iter().zip(&means).map(|(v, m)| v - m).collect() };
    let about: Vec<Vec<f64>> = rows.iter().map(centered).collect();
    let count = about.len();
    let mean_with =
        |x: &[f64]| about.iter().map(|row| kernel.value(row, x)).sum::<f64>() / count as f64;
    let total = about.iter().map(|row| mean_with(row)).sum::<f64>() / count as f64;
    let inner = |a: &[f64], b: &[f64]| kernel.value(a, b) - mean_with(a) - mean_with(b) + total;
    // Coordinates of new rows along a component, from those of the rows along it: with
    // z = sqrt(g) v, a new row's is sum_i z_i <x_i, x> / g.
    let own = fitted.model.transform(&rows, &run(1)).unwrap();
    let mapped = fitted.model.transform(&new, &run(1)).unwrap();
    for (row, mapped) in new.iter().zip(mapped.iter()) {
        let row = centered(row);
        for component in 0..4 {
            let z: Vec<f64> = own.iter().map(|own| own[component]).collect();
            let g: f64 = z.iter().map(|z| z * z).sum();
            let expected: f64 =
                z.iter().zip(&about).map(|(z, about)| z * inner(about, &row)).sum::<f64>() / g;
            assert!((mapped[component] - expected).abs() < 1e-9 * (1.0 + expected.abs()));
        }
    }
}

/// With a linear kernel KLFE is LFE with Euclidean neighbors.
#[test]
fn klfe_with_a_linear_kernel_is_lfe() {
    for rows in [50, 9] {
        let (rows, target) = rings(rows);
        // More columns than rows, and columns that depend on others.
        let mut wide = DenseMatrix::zeros(rows.rows(), 12);
        let mix = numbers(29, 3, 71, 3, 12);
        for i in 0..rows.rows() {
            for j in 0..12 {
                wide.row_mut(i)[j] = (0..3).map(|k| rows.row(i)[k] * mix.row(k)[j]).sum();
            }
        }
        for values in [&rows, &wide] {
            let linear = fit("lfe", values, Some(&target), &[("n_neighbors", "2")]);
            for basis in ["kpca", "gram-schmidt"] {
                let options = [("kernel", "linear"), ("basis", basis), ("n_neighbors", "2")];
                let kernel = fit("klfe", values, Some(&target), &options);
                let Map::Linear(_) = &linear.model else { panic!("no linear map") };
                assert_same_distances(
                    &kernel.model.transform(values, &run(1)).unwrap(),
                    &linear.model.transform(values, &run(1)).unwrap(),
                    1e-9,
                );
                assert_eq!(kernel.report.rank, linear.report.rank);
                assert_eq!(kernel.model.components(), linear.model.components());
                for (a, b) in kernel.model.eigenvalues().iter().zip(linear.model.eigenvalues()) {
                    assert!((a - b).abs() < 1e-9 * linear.model.eigenvalues()[0]);
                }
            }
        }
    }
}

#[test]
fn klfe_depends_on_neither_basis_nor_centering_nor_rotation() {
    let (rows, target) = rings(60);
    let new = rings(70).0;
    let fitted = |values: &DenseMatrix, basis: &str, kernel: &str| {
        let options = [("kernel", kernel), ("basis", basis), ("rank_tolerance", "1e-13")];
        fit("klfe", values, Some(&target), &options).model
    };
    let kernel = "rbf:rho=0.7";
    let one = fitted(&rows, "kpca", kernel);
    let other = fitted(&rows, "gram-schmidt", kernel);
    assert_same_distances(
        &one.transform(&rows, &run(1)).unwrap(),
        &other.transform(&rows, &run(1)).unwrap(),
        1e-7,
    );
    assert_same_distances(
        &one.transform(&new, &run(1)).unwrap(),
        &other.transform(&new, &run(1)).unwrap(),
        1e-5,
    );
    // A constant added to a kernel moves its space, which centering takes back.
    let polynomial = |constant: &str| format!("polynomial:degree=1,scale=1,constant={constant}");
    assert_same_distances(
        &fitted(&rows, "kpca", &polynomial("0")).transform(&new, &run(1)).unwrap(),
        &fitted(&rows, "kpca", &polynomial("7")).transform(&new, &run(1)).unwrap(),
        1e-9,
    );
    let turned = |values: &DenseMatrix| {
        let mut turned = values.clone();
        let (sin, cos) = 0.7_f64.sin_cos();
        for row in 0..values.rows() {
            let [a, b, c] = [0, 1, 2].map(|k| values.row(row)[k]);
            turned.row_mut(row).copy_from_slice(&[cos * a - sin * b, sin * a + cos * b, c]);
        }
        turned
    };
    let map = fitted(&turned(&rows), "kpca", "rbf:rho=median");
    let still = fitted(&rows, "kpca", "rbf:rho=median");
    assert_same_distances(
        &map.transform(&turned(&new), &run(1)).unwrap(),
        &still.transform(&new, &run(1)).unwrap(),
        1e-6,
    );
}

/// KLFE parts the rings, which no linear map does.
#[test]
fn klfe_parts_what_no_line_parts() {
    let (rows, target) = rings(120);
    let codes = target.classes("the test").unwrap().codes();
    let wrong = |mapped: &DenseMatrix| {
        // By the best threshold on the first component.
        let mut order: Vec<usize> = (0..120).collect();
        order.sort_by(|&a, &b| mapped.row(a)[0].total_cmp(&mapped.row(b)[0]));
        let ones = codes.iter().filter(|&&code| code == 1).count();
        let mut below = 0_usize;
        let errors = order.iter().enumerate().map(|(place, &row)| {
            below += (codes[row] == 1) as usize;
            let errors = below + (120 - place - 1) - (ones - below);
            errors.min(120 - errors)
        });
        errors.min().unwrap()
    };
    let options = [("n_components", "1"), ("n_neighbors", "3")];
    let kernel = fit("klfe", &rows, Some(&target), &options);
    assert_eq!(wrong(&kernel.model.transform(&rows, &run(1)).unwrap()), 0);
    let linear = fit("lfe", &rows, Some(&target), &options);
    assert!(wrong(&linear.model.transform(&rows, &run(1)).unwrap()) > 10);
}

#[test]
fn results_do_not_depend_on_threads() {
    let (rows, target) = rings(300);
    for options in [
        vec![("kernel", "rbf")],
        vec![("kernel", "laplacian:rho=1"), ("basis", "gram-schmidt"), ("max_rank", "40")],
    ] {
        let fitted =
            |threads| try_fit("klfe", &rows, Some(&target), &options, &run(threads)).unwrap().model;
        assert_eq!(fitted(1), fitted(3));
    }
}

#[test]
fn cross_validation_finds_a_width_by_the_seed_and_says_it() {
    let (rows, target) = rings(60);
    let options = [("kernel", "rbf:rho=cv"), ("n_components", "1")];
    let fitted = fit("klfe", &rows, Some(&target), &options);
    let rho = fitted.report.kernel.unwrap().rho().unwrap();
    let median = fit("klfe", &rows, Some(&target), &[]).report.kernel.unwrap().rho().unwrap();
    let share = rho / median;
    assert!([0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0].contains(&share), "{share}");
    // The same map as with that width given, and the same again with more threads.
    let given = format!("rbf:rho={rho}");
    let same = fit("klfe", &rows, Some(&target), &[("kernel", &given), ("n_components", "1")]);
    assert_eq!(same.model, fitted.model);
    let again = try_fit("klfe", &rows, Some(&target), &options, &run(1)).unwrap();
    assert_eq!(again.model, fitted.model);
    // A method without classes takes those of the target for this.
    let unsupervised = fit("kpca", &rows, Some(&target), &options);
    assert!(unsupervised.report.kernel.unwrap().rho().is_some());
}

/// Rows whose nearest row of the other parts is of another class, after a map fitted to these.
fn errors_of_width(rho: f64, rows: &DenseMatrix, target: &Target, folds: &[usize]) -> usize {
    let Target::Classes(classes) = target else { panic!("no classes") };
    let label = |row: usize| classes.names()[classes.codes()[row] as usize].as_str();
    let kernel = format!("rbf:rho={rho}");
    let parts = folds.iter().max().unwrap() + 1;
    (0..parts)
        .map(|part| {
            let (held, kept): (Vec<usize>, Vec<usize>) =
                (0..rows.rows()).partition(|&row| folds[row] == part);
            let labels: Vec<&str> = kept.iter().map(|&row| label(row)).collect();
            let own = Target::Classes(Classes::from_labels(&labels));
            let known = rows.select_rows(&kept);
            let map = fit("klfe", &known, Some(&own), &[("kernel", &kernel)]).model;
            let (known, sought) = (
                map.transform(&known, &run(1)).unwrap(),
                map.transform(&rows.select_rows(&held), &run(1)).unwrap(),
            );
            let distance = |a: &[f64], b: &[f64]| -> f64 {
                a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
            };
            let is_wrong = |(place, row): (usize, &usize)| {
                let to = |k: usize| distance(sought.row(place), known.row(k));
                let nearest = (0..kept.len()).min_by(|&a, &b| to(a).total_cmp(&to(b))).unwrap();
                label(kept[nearest]) != label(*row)
            };
            held.iter().enumerate().filter(|&case| is_wrong(case)).count()
        })
        .sum()
}

#[test]
fn cross_validation_finds_the_width_that_trying_all_finds() {
    for (count, noise) in [(50, 0.0), (60, 1.5), (70, 3.0)] {
        let (mut rows, target) = rings(count);
        let more = numbers(104_729, 7, 997, count, 3);
        rows.values_mut().iter_mut().zip(more.values()).for_each(|(x, e)| *x += noise * e);
        let width = |options: &[(&str, &str)]| {
            fit("klfe", &rows, Some(&target), options).report.kernel.unwrap().rho().unwrap()
        };
        let median = width(&[]);
        let folds = basrelief::data::deal(&target, None, 10, run(1).seed());
        let shares = [1.0, 2.0, 0.5, 4.0, 0.25, 8.0, 0.125];
        let errors = shares.map(|share| errors_of_width(share * median, &rows, &target, &folds));
        let least = errors.iter().min().unwrap();
        let best = errors.iter().position(|error| error == least).unwrap();
        let found = width(&[("kernel", "rbf:rho=cv")]);
        assert!((found - shares[best] * median).abs() < 1e-12, "{errors:?} {}", found / median);
    }
}

#[test]
fn every_linear_method_takes_a_kernel() {
    let (rows, rings) = rings(40);
    for info in basrelief::methods::MAP_METHODS {
        let target = target_of(info, rings.as_classes().unwrap().codes());
        for basis in ["kpca", "gram-schmidt"] {
            let options = [("kernel", "rbf:rho=2"), ("basis", basis), ("max_rank", "5")];
            let fitted = fit(info.name, &rows, Some(&target), &options);
            assert!(matches!(fitted.model, Map::Kernel(_)), "{}", info.name);
            let mapped = fitted.model.transform(&rows, &run(1)).unwrap();
            assert!(
                fitted.model.components() >= 1 && fitted.model.components() <= 5,
                "{}",
                info.name
            );
            let greatest = mapped.values().iter().fold(0.0_f64, |most, v| most.max(v.abs()));
            for mean in mapped.means() {
                assert!(mean.abs() < 1e-9 * greatest, "{} {basis}: {mean}", info.name);
            }
        }
    }
}

#[test]
fn what_cannot_be_done_is_told() {
    let (rows, _) = rings(20);
    let message = |options: &[(&str, &str)], rows: &DenseMatrix, target: Option<&Target>| {
        try_fit("kpca", rows, target, options, &run(1)).unwrap_err().to_string()
    };
    for (kernel, words) in [
        ("rbf:rho=0", "option kernel: the rho of rbf"),
        ("none", "option kernel: `none` is not a kernel"),
        ("polynomial:degree=99", "from 1 to 20"),
    ] {
        let message = message(&[("kernel", kernel)], &rows, None);
        assert!(message.contains(words), "{message}");
    }
    let cv = [("kernel", "rbf:rho=cv")];
    assert!(message(&cv, &rows, None).contains("rho=cv needs classes"));
    let single = Target::Classes(Classes::from_labels(
        &(0..20).map(|row| if row == 0 { "a" } else { "b" }).collect::<Vec<_>>(),
    ));
    assert!(message(&cv, &rows, Some(&single)).contains("at least two rows of every class"));
    assert!(message(&[], &DenseMatrix::zeros(5, 2), None).contains("no two rows differ"));
    let alike = [("kernel", "rbf:rho=1e12")];
    assert!(message(&alike, &rows, None).contains("identical under the kernel"));
    assert!(message(&[("max_rank", "0")], &rows, None).contains("max_rank"));
    let fitted = fit("kpca", &rows, None, &[("n_components", "25")]);
    assert_eq!((fitted.model.components(), fitted.report.rank), (19, Some(19)));
    assert_eq!(fitted.report.warnings[0].code(), "rank");
}
