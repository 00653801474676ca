//! Data and plain linear algebra for the tests of maps.

use basrelief::data::{Classes, DenseMatrix, Table, Target};
use basrelief::maps::{LinearMap, Map};
use basrelief::methods::{MAP_METHODS, MapMethodInfo, Task};
use basrelief::{Fitted, Result, Run};

/// A run on so many threads.
pub(crate) fn run(threads: usize) -> Run {
    Run::new(Some(threads)).unwrap()
}

/// Numbers in [-1, 1] without a pattern (a linear congruential generator).
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Self {
        let mut numbers = Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(1));
        (0..10).for_each(|_| {
            numbers.next();
        });
        numbers
    }

    pub(crate) fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

/// Rows whose first columns tell the classes apart, with class codes.
pub(crate) fn data(
    rows: usize,
    columns: usize,
    classes: usize,
    seed: u64,
) -> (DenseMatrix, Vec<u32>) {
    let mut numbers = Numbers::new(seed);
    let codes: Vec<u32> = (0..rows).map(|row| (row * 7 % 11 % classes) as u32).collect();
    let mut values = Vec::new();
    for &code in &codes {
        for column in 0..columns {
            let shift = if column % 3 == 0 { f64::from(code) * 0.8 } else { 0.0 };
            values.push(numbers.next() + shift + column as f64);
        }
    }
    (DenseMatrix::new(values, rows, columns), codes)
}

pub(crate) fn target(codes: &[u32]) -> Target {
    let most = codes.iter().max().map_or(0, |&code| code + 1);
    let names: Vec<String> = (0..most).map(|code| format!("c{code}")).collect();
    Target::Classes(Classes::from_codes(codes, &names).unwrap())
}

pub(crate) fn table(values: &DenseMatrix) -> Table<'_> {
    let names: Vec<String> = (0..values.columns()).map(|column| format!("f{column}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Table::from_row_major(values.values(), values.rows(), &names).unwrap()
}

pub(crate) fn try_fit(
    name: &str,
    options: &[(&str, &str)],
    values: &DenseMatrix,
    codes: &[u32],
    threads: usize,
) -> Result<Fitted<Map>> {
    let info = MAP_METHODS.iter().find(|info| info.name == name).unwrap();
    let settings = info.settings(options)?;
    info.fit(&table(values), Some(&target_of(info, codes)), &settings, &Run::new(Some(threads))?)
}

/// The codes as the kind of target that a method needs.
pub(crate) fn target_of(info: &MapMethodInfo, codes: &[u32]) -> Target {
    match info.task() {
        Some(Task::Regression) => {
            Target::real(codes.iter().map(|&code| f64::from(code)).collect()).unwrap()
        }
        _ => target(codes),
    }
}

pub(crate) fn fit(
    name: &str,
    options: &[(&str, &str)],
    values: &DenseMatrix,
    codes: &[u32],
) -> (LinearMap, basrelief::Report) {
    let fitted = try_fit(name, options, values, codes, 1).unwrap();
    match fitted.model {
        Map::Linear(map) => (map, fitted.report),
        other => panic!("{other:?}"),
    }
}

pub(crate) fn product(a: &DenseMatrix, b: &DenseMatrix) -> DenseMatrix {
    let mut out = DenseMatrix::zeros(a.rows(), b.columns());
    for i in 0..a.rows() {
        for j in 0..b.columns() {
            out.row_mut(i)[j] = (0..a.columns()).map(|k| a.row(i)[k] * b.row(k)[j]).sum();
        }
    }
    out
}

/// Adds `weight d d'` to a matrix.
pub(crate) fn add_outer(sum: &mut DenseMatrix, weight: f64, d: &[f64]) {
    for (i, a) in d.iter().enumerate() {
        for (j, b) in d.iter().enumerate() {
            sum.row_mut(i)[j] += weight * a * b;
        }
    }
}

pub(crate) fn minus(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

pub(crate) fn squared(a: &[f64], b: &[f64]) -> f64 {
    minus(a, b).iter().map(|d| d * d).sum()
}

/// Rows in order of their Euclidean distance to a row, those that `takes` accepts.
pub(crate) fn nearest(
    values: &DenseMatrix,
    row: usize,
    takes: impl Fn(usize) -> bool,
) -> Vec<usize> {
    let mut others: Vec<usize> = (0..values.rows()).filter(|&j| j != row && takes(j)).collect();
    let distance = |j: usize| squared(values.row(row), values.row(j));
    others.sort_by(|&a, &b| distance(a).total_cmp(&distance(b)));
    others
}

/// Eigenvalues, descending, and eigenvectors (a row each) of a symmetric matrix, by Jacobi's
/// rotations.
pub(crate) fn eigen(matrix: &DenseMatrix) -> (Vec<f64>, DenseMatrix) {
    let size = matrix.rows();
    let (mut a, mut v) = (matrix.clone(), DenseMatrix::identity(size));
    for _ in 0..100 {
        for p in 0..size {
            for q in p + 1..size {
                if a.row(p)[q].abs() < 1e-300 {
                    continue;
                }
                let theta = (a.row(q)[q] - a.row(p)[p]) / (2.0 * a.row(p)[q]);
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let t = if theta == 0.0 { 1.0 } else { t };
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                for k in 0..size {
                    let (x, y) = (a.row(k)[p], a.row(k)[q]);
                    (a.row_mut(k)[p], a.row_mut(k)[q]) = (c * x - s * y, s * x + c * y);
                }
                for k in 0..size {
                    let (x, y) = (a.row(p)[k], a.row(q)[k]);
                    (a.row_mut(p)[k], a.row_mut(q)[k]) = (c * x - s * y, s * x + c * y);
                    let (x, y) = (v.row(p)[k], v.row(q)[k]);
                    (v.row_mut(p)[k], v.row_mut(q)[k]) = (c * x - s * y, s * x + c * y);
                }
            }
        }
    }
    let mut order: Vec<usize> = (0..size).collect();
    order.sort_by(|&i, &j| a.row(j)[j].total_cmp(&a.row(i)[i]));
    (order.iter().map(|&i| a.row(i)[i]).collect(), v.select_rows(&order))
}

/// Checks `A v = s B v` and `v' B v = norm(s)` for all rows v of a matrix.
pub(crate) fn assert_eigenpairs(
    map: &DenseMatrix,
    eigenvalues: &[f64],
    a: &DenseMatrix,
    b: &DenseMatrix,
    norm: impl Fn(f64) -> f64,
) {
    let (left, right) = (product(map, a), product(map, b));
    let scale = eigenvalues[0].abs();
    for (i, &s) in eigenvalues.iter().enumerate() {
        let size = map.row(i).iter().map(|x| x * x).sum::<f64>().sqrt();
        let own: f64 = right.row(i).iter().zip(map.row(i)).map(|(x, y)| x * y).sum();
        assert!((own - norm(s)).abs() < 1e-8 * (1.0 + norm(s)), "length {own} of {s}");
        for (x, y) in left.row(i).iter().zip(right.row(i)) {
            assert!((x - s * y).abs() < 1e-8 * scale * (1.0 + size), "{x} is not {s} times {y}");
        }
    }
}

pub(crate) fn assert_near(a: &DenseMatrix, b: &DenseMatrix, tolerance: f64) {
    assert_eq!((a.rows(), a.columns()), (b.rows(), b.columns()));
    let scale = b.values().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    for (x, y) in a.values().iter().zip(b.values()) {
        assert!((x - y).abs() <= tolerance * scale, "{x} is not {y} (scale {scale})");
    }
}

/// A rotation: Gram-Schmidt on numbers without a pattern.
pub(crate) fn rotation(size: usize, seed: u64) -> DenseMatrix {
    let mut numbers = Numbers::new(seed);
    let mut basis: Vec<Vec<f64>> = Vec::new();
    while basis.len() < size {
        let mut v: Vec<f64> = (0..size).map(|_| numbers.next()).collect();
        for _ in 0..2 {
            for b in &basis {
                let along: f64 = v.iter().zip(b).map(|(x, y)| x * y).sum();
                v.iter_mut().zip(b).for_each(|(x, y)| *x -= along * y);
            }
        }
        let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        basis.push(v.iter().map(|x| x / length).collect());
    }
    DenseMatrix::new(basis.concat(), size, size)
}

/// All distances between mapped rows.
pub(crate) fn distances(map: &Map, rows: &DenseMatrix) -> DenseMatrix {
    let mapped = map.transform(rows, &run(1)).unwrap();
    let mut out = DenseMatrix::zeros(rows.rows(), rows.rows());
    for i in 0..rows.rows() {
        for j in 0..rows.rows() {
            out.row_mut(i)[j] = squared(mapped.row(i), mapped.row(j)).sqrt();
        }
    }
    out
}
