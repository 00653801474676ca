//! Concentric rings: the classes are rings around one center in the first two columns. The third column is
//! noise of larger variance, so that the first principal component is noise (Chang 2010).
//!
//! The paper does not specify sizes. Here, ring c has uniform radii in [c - 1/4, c + 1/4) and uniform
//! angles, and the noise is normal. Five rings have an average variance of 5.5 in both columns.

use std::f64::consts::PI;

use super::options::{CLASSES, ROWS, checked_rows, numbered};
use super::random::Random;
use super::{Generated, GeneratorInfo, Truth};
use crate::data::Column;
use crate::error::Result;
use crate::options::{OptionInfo, OptionKind, Settings};
use crate::run::Run;

static RINGS: OptionInfo = OptionInfo {
    default: "5",
    help: "Number of rings; each is a class, and all are equally likely",
    ..CLASSES
};

static DEVIATION: OptionInfo = OptionInfo {
    name: "deviation",
    flag: "deviation",
    kind: OptionKind::Positive,
    default: "5",
    help: "Standard deviation of the noise in the third column",
};

/// Registry entry.
pub(super) static INFO: GeneratorInfo = GeneratorInfo {
    name: "concentric-rings",
    purpose: "ring-shaped classes in two columns, noise of larger variance in the third",
    source: "after Chang 2010, which does not specify sizes",
    own_options: &[&ROWS, &RINGS, &DEVIATION],
    make,
};

fn make(settings: &Settings, run: &Run) -> Result<Generated> {
    let rows = checked_rows(settings, 3)?;
    let rings = settings.count(&CLASSES)? as u64;
    let deviation = settings.number(&DEVIATION)?;
    let mut random = Random::new(run.seed());
    let mut values = [Vec::with_capacity(rows), Vec::with_capacity(rows), Vec::with_capacity(rows)];
    let mut labels = Vec::with_capacity(rows);
    for _ in 0..rows {
        run.check()?;
        let ring = 1 + random.below(rings);
        let radius = ring as f64 - 0.25 + 0.5 * random.uniform();
        let angle = 2.0 * PI * random.uniform();
        let point = [radius * angle.cos(), radius * angle.sin(), deviation * random.normal()];
        values.iter_mut().zip(point).for_each(|(column, value)| column.push(value));
        labels.push(ring.to_string());
    }
    let names = numbered("x", 3);
    let columns = names
        .iter()
        .zip(values)
        .map(|(name, values)| Column::from_values(name, values))
        .collect::<Result<Vec<_>>>()?;
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    let truth = Truth { relevant: names[..2].to_vec(), ..Truth::default() };
    Generated::classes(columns, &labels, "class", truth)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_class_is_the_rounded_radius_and_the_noise_is_the_widest_column() {
        let settings = INFO.settings(&[("rows", "8000")]).unwrap();
        let data = INFO.generate(&settings, &Run::new(Some(1)).unwrap()).unwrap();
        let classes = data.target.classes("x").unwrap();
        assert_eq!(classes.names(), ["1", "2", "3", "4", "5"]);
        assert!(classes.shares().iter().all(|share| (share - 0.2).abs() < 0.02));
        let value = |column: usize, row: usize| data.table.columns()[column].value(row);
        for row in 0..8000 {
            let radius = value(0, row).hypot(value(1, row));
            assert_eq!(radius.round() as u32, classes.codes()[row] + 1);
        }
        let variance = |column: usize| {
            let mean = (0..8000).map(|row| value(column, row)).sum::<f64>() / 8000.0;
            (0..8000).map(|row| (value(column, row) - mean).powi(2)).sum::<f64>() / 8000.0
        };
        assert!((variance(0) - 5.5).abs() < 0.3 && (variance(1) - 5.5).abs() < 0.3);
        assert!((variance(2) - 25.0).abs() < 1.5, "{}", variance(2));
        assert_eq!(data.truth.irrelevant, ["x3"]);
    }
}
