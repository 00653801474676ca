//! What holds for every method that learns a map.

use basrelief::Run;
use basrelief::data::{DenseMatrix, Table};
use basrelief::maps::Map;
use basrelief::methods::{MAP_METHODS, Task};

use super::common::*;

fn names() -> Vec<&'static str> {
    MAP_METHODS.iter().map(|info| info.name).collect()
}

/// Methods that learn from the features, without a kernel of their own.
fn without_kernel() -> Vec<&'static str> {
    let has_kernel = |name: &str| ["kpca", "klfe", "gda", "fskpca", "fskgp"].contains(&name);
    names().into_iter().filter(|name| !has_kernel(name)).collect()
}

fn shuffled(values: &DenseMatrix, codes: &[u32]) -> (DenseMatrix, Vec<u32>) {
    let rows: Vec<usize> = (0..values.rows()).map(|row| row * 13 % values.rows()).collect();
    (values.select_rows(&rows), rows.iter().map(|&row| codes[row]).collect())
}

#[test]
fn the_order_of_rows_does_not_matter() {
    // These draw pairs or comparisons of rows by their places.
    let drawn = |name: &&str| ["itml", "sdml", "mmc", "lsml", "scml"].contains(name);
    for name in names().into_iter().filter(|name| !drawn(name)) {
        let (values, codes) = data(47, 4, 3, 20);
        let (other, other_codes) = shuffled(&values, &codes);
        let first = try_fit(name, &[], &values, &codes, 1).unwrap().model;
        let second = try_fit(name, &[], &other, &other_codes, 1).unwrap().model;
        assert_near(&distances(&second, &values), &distances(&first, &values), 1e-5);
    }
}

#[test]
fn the_order_of_rows_does_not_matter_where_distances_are_equal() {
    for name in ["lfe", "mfa", "dann", "o-relief"] {
        let (values, codes) = data(47, 3, 2, 21);
        // A grid: many rows at the same distance.
        let grid = values.values().iter().map(|value| value.round()).collect();
        let values = DenseMatrix::new(grid, 47, 3);
        let (other, other_codes) = shuffled(&values, &codes);
        let first = try_fit(name, &[], &values, &codes, 1).unwrap().model;
        let second = try_fit(name, &[], &other, &other_codes, 1).unwrap().model;
        assert_near(&distances(&second, &values), &distances(&first, &values), 1e-8);
    }
}

#[test]
fn rotating_the_rows_leaves_the_mapped_distances() {
    // The entries of a sparse metric are between features.
    for name in names().into_iter().filter(|name| !["euclidean", "sdml"].contains(name)) {
        let (values, codes) = data(53, 4, 3, 22);
        let rotated = product(&values, &rotation(4, 5));
        let first = try_fit(name, &[], &values, &codes, 1).unwrap().model;
        let second = try_fit(name, &[], &rotated, &codes, 1).unwrap().model;
        let searched = [
            "nca",
            "mlkr",
            "lmnn",
            "ldm",
            "gi-relief",
            "itml",
            "mmc",
            "frobmetric",
            "lsml",
            "scml",
        ];
        let tolerance = if searched.contains(&name) { 1e-3 } else { 1e-8 };
        assert_near(&distances(&second, &rotated), &distances(&first, &values), tolerance);
    }
}

#[test]
fn threads_change_no_bit() {
    for name in names() {
        for (rows, columns) in [(150, 6), (20, 40)] {
            let (values, codes) = data(rows, columns, 3, 23);
            let one = try_fit(name, &[], &values, &codes, 1).unwrap();
            let two = try_fit(name, &[], &values, &codes, 2).unwrap();
            assert_eq!(one.model, two.model, "{name}");
        }
    }
}

#[test]
fn columns_that_depend_on_others_are_no_obstacle() {
    for name in names() {
        let (values, codes) = data(60, 4, 3, 24);
        // A constant column, a copy, and a sum of two.
        let mut wide = Vec::new();
        for row in values.iter() {
            wide.extend([row[0], row[1], 5.0, row[1], row[2], row[3], row[0] + row[2]]);
        }
        let wide = DenseMatrix::new(wide, 60, 7);
        let fitted = try_fit(name, &[], &wide, &codes, 1).unwrap();
        assert!(fitted.model.components() >= 1, "{name}");
        let codes_of: Vec<&str> =
            fitted.report.warnings.iter().map(basrelief::Warning::code).collect();
        assert!(codes_of.contains(&"constant-features"), "{name}: {codes_of:?}");
        let mapped = fitted.model.transform(&wide, &run(1)).unwrap();
        assert!(mapped.values().iter().all(|value| value.is_finite()), "{name}");
        if !["euclidean", "sdml"].contains(&name) && without_kernel().contains(&name) {
            assert_eq!(fitted.report.rank, Some(4), "{name}");
        }
    }
}

#[test]
fn more_features_than_rows_and_small_classes() {
    for name in names() {
        let (values, _) = data(12, 30, 2, 25);
        let mut codes = vec![0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1];
        for alone in [false, true] {
            if alone {
                // A class of one row.
                codes[0] = 2;
            }
            let fitted = try_fit(name, &[], &values, &codes, 1).unwrap();
            let mapped = fitted.model.transform(&values, &run(1)).unwrap();
            assert!(mapped.values().iter().all(|value| value.is_finite()), "{name}");
        }
    }
}

#[test]
fn equal_rows_of_different_classes_are_no_obstacle() {
    for name in names() {
        let (values, codes) = data(40, 3, 2, 26);
        let twice: Vec<usize> = (0..80).map(|row| row % 40).collect();
        let codes: Vec<u32> =
            (0..80).map(|row| if row == 45 { 1 - codes[5] } else { codes[row % 40] }).collect();
        let fitted = try_fit(name, &[], &values.select_rows(&twice), &codes, 1).unwrap();
        let mapped = fitted.model.transform(&values, &run(1)).unwrap();
        assert!(mapped.values().iter().all(|value| value.is_finite()), "{name}");
    }
}

#[test]
fn too_many_components_are_said_and_not_given() {
    for name in without_kernel() {
        let (values, codes) = data(40, 4, 3, 27);
        let fitted = try_fit(name, &[("n_components", "9")], &values, &codes, 1).unwrap();
        assert!(fitted.model.components() <= 4, "{name}");
        let said = fitted.report.warnings.iter().any(|warning| {
            warning.code() == "rank" && warning.to_string().contains("span only 4 dimensions")
        });
        assert!(said, "{name}: {:?}", fitted.report.warnings);
        let two = try_fit(name, &[("n_components", "2")], &values, &codes, 1).unwrap();
        assert!(two.model.components() <= 2, "{name}");
    }
}

#[test]
fn what_cannot_be_mapped_is_said() {
    let run = Run::new(Some(1)).unwrap();
    for info in MAP_METHODS {
        let message = |values: &DenseMatrix, codes: &[u32]| {
            try_fit(info.name, &[], values, codes, 1).unwrap_err().to_string()
        };
        let (values, codes) = data(20, 3, 2, 28);
        if let Some(task) = info.task() {
            if task == Task::Classes {
                assert!(message(&values, &[0; 20]).contains("same class, `c0`"), "{}", info.name);
            }
            let settings = info.settings::<&str, &str>(&[]).unwrap();
            let error = info.fit(&table(&values), None, &settings, &run).unwrap_err();
            assert!(error.to_string().contains(&format!("needs {}", task.needs())), "{error}");
        }
        let flat = DenseMatrix::new(vec![3.0; 60], 20, 3);
        let said = message(&flat, &codes);
        let alike = said.contains("no two rows differ") && !without_kernel().contains(&info.name);
        assert!(said.contains("all columns are constant") || alike, "{}: {said}", info.name);
        let one = DenseMatrix::new(vec![3.0, 1.0], 1, 2);
        assert!(message(&one, &[0]).contains("at least two rows"), "{}", info.name);
    }
}

#[test]
fn units_are_taken_out_where_asked() {
    for name in ["pca", "lfe", "lda"] {
        for scale in ["standard", "range"] {
            let (values, codes) = data(50, 3, 2, 29);
            let mut wide = values.clone();
            (0..50).for_each(|row| wide.row_mut(row)[1] *= 1000.0);
            let first = try_fit(name, &[("scale", scale)], &values, &codes, 1).unwrap().model;
            let second = try_fit(name, &[("scale", scale)], &wide, &codes, 1).unwrap().model;
            assert_near(&distances(&second, &wide), &distances(&first, &values), 1e-8);
        }
    }
}

#[test]
fn a_map_finds_its_columns_by_name() {
    let (values, codes) = data(30, 3, 2, 30);
    let map = try_fit("lda", &[], &values, &codes, 1).unwrap().model;
    let swapped: Vec<f64> = values.iter().flat_map(|row| [9.0, row[2], row[0], row[1]]).collect();
    let table = Table::from_row_major(&swapped, 30, &["extra", "f2", "f0", "f1"]).unwrap();
    assert_eq!(
        map.transform_table(&table, &run(1)).unwrap(),
        map.transform(&values, &run(1)).unwrap()
    );
    let other = Table::from_row_major(&swapped, 30, &["F1", "f2", "f0", "g"]).unwrap();
    let error = map.transform_table(&other, &run(1)).unwrap_err().to_string();
    assert!(error.starts_with("1 of the 3 columns that the map was fitted to are missing: f1;"));
    assert!(error.contains("the table has `F1`"), "{error}");
    let Map::Linear(map) = map else { panic!("a linear map") };
    assert_eq!(map.names(), ["f0", "f1", "f2"]);
}

#[test]
fn without_a_positive_margin_there_is_no_component() {
    // Every row's nearest row is of the other class.
    let values: Vec<f64> =
        (0..20).map(|row| f64::from(row / 2) * 10.0 + f64::from(row % 2)).collect();
    let values = DenseMatrix::new(values, 20, 1);
    let codes: Vec<u32> = (0..20).map(|row| row % 2).collect();
    for name in ["lfe", "o-relief"] {
        let fitted = try_fit(name, &[], &values, &codes, 1).unwrap();
        assert_eq!(fitted.model.components(), 0);
        let warnings = &fitted.report.warnings;
        assert!(warnings.iter().any(|w| w.code() == "no-positive-margin"), "{warnings:?}");
        assert_eq!(fitted.model.transform(&values, &run(1)).unwrap(), DenseMatrix::zeros(20, 0));
        assert_eq!(fitted.model.distance(values.row(0), values.row(9)), 0.0);
    }
}

#[test]
fn values_beyond_all_sums_are_said_and_large_ones_are_scaled() {
    let (values, codes) = data(40, 3, 2, 31);
    let mut wide = values.clone();
    (0..40).for_each(|row| wide.row_mut(row)[1] *= 1e160);
    let plain = try_fit("lda", &[("scale", "standard")], &values, &codes, 1).unwrap().model;
    let scaled = try_fit("lda", &[("scale", "standard")], &wide, &codes, 1).unwrap().model;
    assert_near(&distances(&scaled, &wide), &distances(&plain, &values), 1e-8);
    (0..40).for_each(|row| wide.row_mut(row)[1] = 1.7e308 * (row % 2) as f64);
    let error = try_fit("lda", &[], &wide, &codes, 1).unwrap_err().to_string();
    assert!(error.contains("column `f1`: the values are so large"), "{error}");
}

#[test]
fn features_too_small_to_matter_are_counted() {
    let (values, codes) = data(40, 3, 2, 32);
    let mut wide = values.clone();
    for row in 0..40 {
        // The last is a copy, so that the span of the rows is taken.
        let line = wide.row_mut(row);
        (line[0], line[1]) = (line[0] * 1e9, line[1] * 1e-9);
        line[2] = line[0];
    }
    let fitted = try_fit("pca", &[], &wide, &codes, 1).unwrap();
    let said = fitted.report.warnings.iter().find(|warning| warning.code() == "lost-features");
    assert!(said.unwrap().to_string().contains("of 1 features"), "{said:?}");
}
