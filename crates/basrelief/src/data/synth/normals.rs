//! Breiman's twonorm and ringnorm: 20 normal features and two equally likely classes.

use super::options::{ROWS, checked_rows, numbered};
use super::random::Random;
use super::{Generated, GeneratorInfo, Truth};
use crate::data::Column;
use crate::error::Result;
use crate::methods::options::Settings;
use crate::run::Run;

const WIDTH: usize = 20;

/// Registry entry of twonorm.
pub(super) static TWONORM: GeneratorInfo = GeneratorInfo {
    name: "twonorm",
    purpose: "two unit normals in 20 dimensions, means a and -a with a = 2/sqrt(20) everywhere",
    source: "Breiman 1996",
    own_options: &[&ROWS],
    make: |settings, run| {
        let a = shift();
        make(settings, run, |positive, normal| if positive { a + normal } else { normal - a })
    },
};

/// Registry entry of ringnorm.
pub(super) static RINGNORM: GeneratorInfo = GeneratorInfo {
    name: "ringnorm",
    purpose: "a unit normal of mean a = 2/sqrt(20) inside a normal of mean 0 and variance 4",
    source: "Breiman 1996",
    own_options: &[&ROWS],
    make: |settings, run| {
        let a = shift();
        make(settings, run, |positive, normal| if positive { 2.0 * normal } else { a + normal })
    },
};

fn shift() -> f64 {
    2.0 / (WIDTH as f64).sqrt()
}

/// Creates the data set; `feature` converts a standard normal draw to a value of the class 1 (`true`) or -1.
fn make(settings: &Settings, run: &Run, feature: impl Fn(bool, f64) -> f64) -> Result<Generated> {
    let rows = checked_rows(settings, WIDTH)?;
    let mut random = Random::new(run.seed());
    let positive: Vec<bool> = (0..rows).map(|_| random.chance(0.5)).collect();
    let mut columns = Vec::with_capacity(WIDTH);
    let relevant = numbered("x", WIDTH);
    for name in &relevant {
        run.check()?;
        let values = positive.iter().map(|&positive| feature(positive, random.normal())).collect();
        columns.push(Column::from_values(name, values)?);
    }
    let labels: Vec<&str> = positive.iter().map(|&yes| if yes { "1" } else { "-1" }).collect();
    Generated::classes(columns, &labels, "class", Truth { relevant, ..Truth::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean and the variance of every feature in the rows of a class.
    fn moments(data: &Generated, class: &str) -> Vec<(f64, f64)> {
        let classes = data.target.classes("x").unwrap();
        let rows: Vec<usize> = (0..data.table.rows())
            .filter(|&row| classes.names()[classes.codes()[row] as usize] == class)
            .collect();
        let count = rows.len() as f64;
        assert!((count / data.table.rows() as f64 - 0.5).abs() < 0.02);
        data.table
            .columns()
            .iter()
            .map(|column| {
                let mean = rows.iter().map(|&row| column.value(row)).sum::<f64>() / count;
                let square =
                    rows.iter().map(|&row| (column.value(row) - mean).powi(2)).sum::<f64>();
                (mean, square / count)
            })
            .collect()
    }

    fn check(info: &GeneratorInfo, positive: (f64, f64), negative: (f64, f64)) {
        let given = [("rows", "20000"), ("noise", "1")];
        let run = Run::new(Some(1)).unwrap();
        let data = info.generate(&info.settings(&given).unwrap(), &run).unwrap();
        assert_eq!(data.table.width(), 21);
        for (class, expected) in [("1", positive), ("-1", negative)] {
            for (column, found) in moments(&data, class).into_iter().enumerate() {
                let (mean, variance) = if column < 20 { expected } else { (0.0, 1.0) };
                assert!((found.0 - mean).abs() < 0.08, "{} {class} {column}", info.name);
                assert!((found.1 / variance - 1.0).abs() < 0.08, "{} {class} {column}", info.name);
            }
        }
    }

    #[test]
    fn means_and_variances_are_breimans() {
        let a = 2.0 / 20f64.sqrt();
        check(&TWONORM, (a, 1.0), (-a, 1.0));
        check(&RINGNORM, (0.0, 4.0), (a, 1.0));
    }
}
