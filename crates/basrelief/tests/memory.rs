//! Little memory changes where packed rows lie and in which order they are visited, not a bit of a
//! result.

use basrelief::data::{Classes, Column, ColumnKind, InputMatrix, Table, Target};
use basrelief::methods::{self, Problem};
use basrelief::{Memory, Run};

/// Rows of a matrix, several blocks of them, the last one not full.
const ROWS: usize = 700;

/// Repeatable noise in 0 to 1.
fn noise(row: usize, column: usize) -> f64 {
    let x = (row * 7919 + column * 104_729 + 17) as f64;
    (x.sin() * 43_758.545_3).rem_euclid(1.0)
}

/// A matrix by rows: numbers, counts of 0 to 2, and both of which some are missing.
fn matrix() -> (Vec<f64>, usize) {
    let width = 24;
    let value = |row: usize, column: usize| match column % 4 {
        0 if column == 8 && noise(column, row) < 0.03 => f64::NAN,
        0 => (3.0 * noise(row, column)).floor(),
        1 if noise(column, row) < 0.02 => f64::NAN,
        _ => noise(row, column) * if column.is_multiple_of(3) { 1e-3 } else { 7.0 },
    };
    let rows = (0..ROWS).flat_map(|row| (0..width).map(move |column| value(row, column)));
    (rows.collect(), width)
}

fn names(width: usize) -> Vec<String> {
    (1..=width).map(|number| format!("x{number}")).collect()
}

fn weights(method: &str, options: &[(&str, &str)], memory: Option<u64>, gaps: bool) -> Vec<u64> {
    let run = Run::new(Some(2)).unwrap();
    let run = match memory {
        Some(bytes) => run.with_memory(Memory::new(bytes, std::env::temp_dir())),
        None => run,
    };
    let (mut values, width) = matrix();
    if !gaps {
        for (place, value) in values.iter_mut().enumerate().filter(|(_, value)| value.is_nan()) {
            *value = if place % width == 8 { 1.0 } else { 0.5 };
        }
    }
    let matrix = InputMatrix::new(&values, ROWS, width, true).unwrap();
    let columns = matrix.columns(&names(width).iter().collect(), &vec![None; width], &run).unwrap();
    assert_eq!(columns.iter().filter(|c| c.kind() == ColumnKind::Genotype).count(), 6);
    let categories = (0..ROWS).map(|row| Some(["a", "b", "c"][row * row % 3]));
    let mut columns: Vec<Column<'_>> = columns;
    columns.push(Column::categorical("kind", basrelief::data::Categories::from_texts(categories)));
    let table = Table::new(columns).unwrap();
    let target = if method == "rrelieff" {
        Target::real((0..ROWS).map(|row| noise(row, 2) + noise(row, 3)).collect()).unwrap()
    } else {
        let label = |row: usize| if noise(row, 2) > 0.6 { "high" } else { "low" };
        Target::Classes(Classes::from_labels(&(0..ROWS).map(label).collect::<Vec<_>>()))
    };
    let method = methods::method(method).unwrap();
    let options: Vec<(String, String)> =
        options.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    let settings = method.settings(&options).unwrap();
    let problem = Problem::new(&table, &target).unwrap();
    let fitted = method.fit(&problem, &settings, &run).unwrap();
    fitted.model.weights().iter().map(|weight| weight.to_bits()).collect()
}

#[test]
fn no_bit_of_a_weight_depends_on_the_memory() {
    let cases: [(&str, &[(&str, &str)]); 6] = [
        ("relieff", &[]),
        ("relieff", &[("metric", "euclidean")]),
        ("relieff", &[("missing", "ignore"), ("n_samples", "300")]),
        ("rrelieff", &[]),
        ("surf", &[("genotype_diff", "categorical")]),
        ("multisurf", &[]),
    ];
    for (method, options) in cases {
        for gaps in [false, true] {
            let expected = weights(method, options, None, gaps);
            // Everything in files, and squares of one and of a few blocks.
            for bytes in [0, 1 << 17, 1 << 19] {
                let found = weights(method, options, Some(bytes), gaps);
                assert_eq!(found, expected, "{method} {options:?} {bytes} {gaps}");
            }
        }
    }
}

/// Numbers alone, whose search is that of rounded numbers.
#[test]
fn nor_where_numbers_are_rounded() {
    // Six blocks: squares of four and of all.
    let (rows, width) = (1500, 30);
    let values: Vec<f64> =
        (0..rows * width).map(|place| noise(place / width, place % width)).collect();
    let fit = |memory: Option<u64>| {
        let run = Run::new(Some(2)).unwrap();
        let run = match memory {
            Some(bytes) => run.with_memory(Memory::new(bytes, std::env::temp_dir())),
            None => run,
        };
        let matrix = InputMatrix::new(&values, rows, width, true).unwrap();
        let columns =
            matrix.columns(&names(width).iter().collect(), &vec![None; width], &run).unwrap();
        let table = Table::new(columns).unwrap();
        let label = |row: usize| if values[row * width] > 0.5 { "high" } else { "low" };
        let labels: Vec<&str> = (0..rows).map(label).collect();
        let target = Target::Classes(Classes::from_labels(&labels));
        let problem = Problem::new(&table, &target).unwrap();
        let relieff = methods::method("relieff").unwrap();
        let fitted =
            relieff.fit(&problem, &relieff.settings::<&str, &str>(&[]).unwrap(), &run).unwrap();
        fitted.model.weights().iter().map(|weight| weight.to_bits()).collect::<Vec<u64>>()
    };
    let expected = fit(None);
    for bytes in [0, 1 << 17, 600_000] {
        assert_eq!(fit(Some(bytes)), expected, "{bytes}");
    }
}
