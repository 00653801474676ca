//! Values whose squares overflow or vanish, rows alone and among others, and how often the cancel flag is
//! polled, for all methods of the registry.

use basrelief::data::{DenseMatrix, Survival, Target};
use basrelief::methods::{MAP_METHODS, METHODS, MapMethodInfo, Problem, Task};
use basrelief::{CancelFlag, Error, Run};

use super::common::*;

/// Options of every method, in the space of the features and in that of every kernel that it takes.
fn forms(info: &MapMethodInfo) -> Vec<Vec<(&'static str, &'static str)>> {
    let kernels = ["none", "linear", "polynomial", "rbf", "laplacian", "sigmoid"];
    let kernels = kernels.into_iter().map(|kernel| vec![("kernel", kernel)]);
    kernels.filter(|options| info.settings(options).is_ok()).chain([Vec::new()]).collect()
}

/// The data with column `f1` multiplied, or with one value of it replaced.
fn with_magnitude(size: f64, sentinel: bool) -> (DenseMatrix, Vec<u32>) {
    let (mut values, codes) = data(40, 3, 2, 41);
    for row in 0..40 {
        let value = &mut values.row_mut(row)[1];
        *value = match sentinel {
            true if row == 7 => size,
            true => *value,
            false => *value * size,
        };
    }
    (values, codes)
}

#[test]
fn values_whose_squares_overflow_name_their_column() {
    for info in MAP_METHODS {
        for options in forms(info) {
            for size in [1e154, 1e160, 1e200, -1e200, 1e300] {
                for sentinel in [false, true] {
                    let (values, codes) = with_magnitude(size, sentinel);
                    let found = try_fit(info.name, &options, &values, &codes, 1);
                    let case = format!("{} {options:?} {size:e} {sentinel}", info.name);
                    let error = found.expect_err(&case);
                    assert!(matches!(error, Error::Data(_)), "{case}: {error:?}");
                    let message = error.to_string();
                    assert!(message.contains("column `f1`"), "{case}: {message}");
                    assert!(!message.contains("differ:"), "{case}: {message}");
                }
            }
            let (values, codes) = with_magnitude(1.79e308, true);
            let message = try_fit(info.name, &options, &values, &codes, 1).unwrap_err().to_string();
            assert!(message.contains("column `f1`"), "{}: {message}", info.name);
        }
    }
}

/// Below the limit a method may still need powers that overflow; then it says so, too.
#[test]
fn values_of_any_magnitude_give_a_map_or_name_their_column() {
    for info in MAP_METHODS {
        for options in forms(info) {
            for exponent in [-149, -140, -120, -100, -80, -60, -40, 40, 60, 80, 100, 120, 140, 149]
            {
                let size = 10_f64.powi(exponent);
                let (mut values, codes) = data(40, 3, 2, 41);
                let all = values.values_mut().iter_mut().enumerate();
                all.filter(|(at, _)| exponent < 0 || at % 3 == 1)
                    .for_each(|(_, value)| *value *= size);
                (0..40).for_each(|row| values.row_mut(row)[1] *= 4.0);
                let case = format!("{} {options:?} {size:e}", info.name);
                match try_fit(info.name, &options, &values, &codes, 1) {
                    Ok(found) => {
                        let mapped = found.model.transform(&values, &run(1)).expect(&case);
                        let finite = mapped.values().iter().all(|value| value.is_finite());
                        assert!(finite, "{case}");
                    }
                    Err(error) => {
                        assert!(matches!(error, Error::Data(_)), "{case}: {error:?}");
                        assert!(error.to_string().contains("column `f1`"), "{case}: {error}");
                    }
                }
            }
        }
    }
}

/// What the message advises: a scale of standard deviations.
#[test]
fn a_standard_scale_takes_values_of_any_magnitude() {
    for info in MAP_METHODS.iter().filter(|info| info.settings(&[("scale", "standard")]).is_ok()) {
        for size in [1e154, 1e200, 1e300, 1e-200, 1e-280] {
            for sentinel in [false, true] {
                let (mut values, codes) = with_magnitude(size, sentinel);
                if size < 1.0 {
                    let all = values.values_mut().iter_mut().enumerate();
                    all.for_each(|(at, value)| *value *= if at % 3 == 1 { 1.0 } else { size });
                }
                let case = format!("{} {size:e} {sentinel}", info.name);
                let found = try_fit(info.name, &[("scale", "standard")], &values, &codes, 1);
                let mapped = found.expect(&case).model.transform(&values, &run(1)).expect(&case);
                assert!(mapped.values().iter().all(|value| value.is_finite()), "{case}");
            }
        }
    }
}

#[test]
fn tables_whose_squares_are_zero_name_their_column() {
    for info in MAP_METHODS {
        for options in forms(info) {
            for size in [1e-160, 1e-200, 1e-300] {
                let (mut values, codes) = data(40, 3, 2, 41);
                values.values_mut().iter_mut().for_each(|value| *value *= size);
                (0..40).for_each(|row| values.row_mut(row)[1] *= 4.0);
                let found = try_fit(info.name, &options, &values, &codes, 1);
                let case = format!("{} {options:?} {size:e}", info.name);
                let message = found.expect_err(&case).to_string();
                assert!(message.contains("column `f1`"), "{case}: {message}");
            }
        }
    }
}

/// A column whose squares are 0 beside others is negligible; it is no fault.
#[test]
fn one_tiny_column_is_no_fault() {
    for info in MAP_METHODS {
        for options in forms(info) {
            let (values, codes) = with_magnitude(1e-200, false);
            let case = format!("{} {options:?}", info.name);
            let found = try_fit(info.name, &options, &values, &codes, 1).expect(&case);
            let mapped = found.model.transform(&values, &run(1)).expect(&case);
            assert!(mapped.values().iter().all(|value| value.is_finite()), "{case}");
        }
    }
}

#[test]
fn weightings_take_or_refuse_values_of_any_magnitude() {
    for info in METHODS {
        for size in [1e154, 1e200, 1e300, -1e300, 1.79e308, 1e-200, 1e-300] {
            for sentinel in [false, true] {
                let (values, codes) = with_magnitude(size, sentinel);
                if values.values().iter().any(|value| !value.is_finite()) {
                    continue;
                }
                let table = table(&values);
                let real: Vec<f64> = codes.iter().map(|code| f64::from(*code)).collect();
                let target = match info.task {
                    Task::Regression => Target::real(real).unwrap(),
                    Task::Survival => {
                        let events = vec![true; real.len()];
                        Survival::new(real, events).unwrap().into()
                    }
                    _ => target(&codes),
                };
                let problem = Problem::new(&table, &target).unwrap();
                let settings = info.settings::<&str, &str>(&[]).unwrap();
                let case = format!("{} {size:e} {sentinel}", info.name);
                match info.fit(&problem, &settings, &run(1)) {
                    Ok(fitted) => {
                        let weights = fitted.model.weights();
                        assert!(weights.iter().all(|weight| weight.is_finite()), "{case}");
                    }
                    Err(error) => {
                        let message = error.to_string();
                        assert!(matches!(error, Error::Data(_)), "{case}: {error:?}");
                        assert!(message.contains("column `f1`"), "{case}: {message}");
                    }
                }
            }
        }
    }
}

#[test]
fn coordinates_that_overflow_name_row_and_column() {
    for info in MAP_METHODS {
        for options in forms(info) {
            let (values, codes) = data(40, 3, 2, 41);
            let map = try_fit(info.name, &options, &values, &codes, 1).unwrap().model;
            for size in [1e308, -1e308, 1e200] {
                let mut wide = values.clone();
                wide.row_mut(33)[1] = size;
                let case = format!("{} {options:?} {size:e}", info.name);
                match map.transform_table(&table(&wide), &run(1)) {
                    Ok(mapped) => {
                        assert!(mapped.values().iter().all(|value| value.is_finite()), "{case}");
                    }
                    Err(error) => {
                        let message = error.to_string();
                        let place = message.contains("row 34") && message.contains("column `f1`");
                        assert!(place && message.contains("e"), "{case}: {message}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_row_alone_has_the_coordinates_that_it_has_among_others() {
    for info in MAP_METHODS {
        for options in forms(info) {
            for (rows, columns) in [(70, 5), (41, 30)] {
                let (values, codes) = data(rows, columns, 3, 43);
                let map = try_fit(info.name, &options, &values, &codes, 2).unwrap().model;
                let whole = map.transform(&values, &run(2)).unwrap();
                for size in [1, 7, 33] {
                    let places: Vec<usize> = (0..rows).collect();
                    for batch in places.chunks(size) {
                        let part = map.transform(&values.select_rows(batch), &run(1)).unwrap();
                        for (own, &row) in part.iter().zip(batch) {
                            let bits = |row: &[f64]| -> Vec<u64> {
                                row.iter().map(|value| value.to_bits()).collect()
                            };
                            let case = format!("{} {options:?} {size} {row}", info.name);
                            assert_eq!(bits(own), bits(whole.row(row)), "{case}");
                        }
                    }
                }
            }
        }
    }
}

/// A row of many features and of many components, whose products the library adds up in other orders.
#[test]
fn a_row_alone_of_many_features_is_the_same_too() {
    for (name, options) in [
        ("pca", vec![]),
        ("pca", vec![("n_components", "1")]),
        ("pca", vec![("n_components", "3")]),
        ("euclidean", vec![("kernel", "rbf")]),
        ("kpca", vec![("kernel", "polynomial")]),
    ] {
        let (values, codes) = data(90, 1100, 2, 44);
        let map = try_fit(name, &options, &values, &codes, 1).unwrap().model;
        let whole = map.transform(&values, &run(2)).unwrap();
        for row in 0..90 {
            let alone = map.transform(&values.select_rows(&[row]), &run(1)).unwrap();
            assert_eq!(alone.values(), whole.row(row), "{name} {options:?} {row}");
        }
    }
}

/// How often work of a method polls the cancel flag.
fn polls(work: impl Fn(&Run)) -> u64 {
    let flag = CancelFlag::new();
    work(&run(1).with_cancel(flag.clone()));
    flag.polls()
}

#[test]
fn transforms_poll_for_every_few_rows() {
    for (name, options) in
        [("lda", vec![]), ("euclidean", vec![]), ("kpca", vec![("kernel", "rbf")])]
    {
        let (values, codes) = data(60, 4, 3, 45);
        let map = try_fit(name, &options, &values, &codes, 1).unwrap().model;
        let many = values.select_rows(&(0..6000).map(|row| row % 60).collect::<Vec<_>>());
        let count = polls(|run| drop(map.transform(&many, run).unwrap()));
        assert!(count >= 100, "{name} {options:?}: {count}");
        let flag = CancelFlag::new();
        flag.cancel();
        let stopped = map.transform(&many, &run(1).with_cancel(flag));
        assert!(matches!(stopped, Err(Error::Cancelled)), "{name}");
    }
}

/// Products of many columns poll block by block: a fit to twice as many blocks polls more often.
#[test]
fn fits_to_many_columns_poll_within_their_products() {
    for name in ["lda", "pca", "rca"] {
        let info = MAP_METHODS.iter().find(|info| info.name == name).unwrap();
        let count = |columns: usize| {
            let (values, codes) = data(columns + 60, columns, 2, 46);
            let settings = info.settings::<&str, &str>(&[]).unwrap();
            let fit = |run: &Run| {
                drop(info.fit(&table(&values), Some(&target(&codes)), &settings, run).unwrap());
            };
            polls(fit)
        };
        let (few, many) = (count(40), count(400));
        assert!(many >= few + 3, "{name}: {few} {many}");
    }
}
