//! Random radial basis functions: clusters around random centers, each of one class (Prat &
//! Belanche 2006, sec. 4.4.2, after WEKA's RandomRBF).
//!
//! Every center has a point that is uniform in the unit cube, and a weight and a standard deviation that
//! are uniform in (0, 1]. The centers are assigned to the classes in turn. For every row, a center is drawn
//! with the weights, a direction as normalized uniform draws from [-1, 1) in every relevant column, and a
//! distance from the normal distribution with the standard deviation of the center. An irrelevant column is
//! normal around a random center, with a random standard deviation.

use super::options::{CLASSES, IRRELEVANT, RELEVANT, ROWS, checked_rows, checked_size, numbered};
use super::random::Random;
use super::{Generated, GeneratorInfo, Truth};
use crate::data::Column;
use crate::error::{Error, Result};
use crate::options::{OptionInfo, OptionKind, Settings};
use crate::run::Run;

static DIMENSIONS: OptionInfo =
    OptionInfo { help: "Number of columns in which the clusters lie", ..RELEVANT };

static CENTERS: OptionInfo = OptionInfo {
    name: "centers",
    flag: "centers",
    kind: OptionKind::Count { least: 2 },
    default: "50",
    help: "Number of clusters, at least one per class",
};

/// Registry entry.
pub(super) static INFO: GeneratorInfo = GeneratorInfo {
    name: "rbf",
    purpose: "clusters of random weight and width around random centers, each of one class",
    source: "Prat & Belanche 2006, sec. 4.4.2",
    own_options: &[&ROWS, &DIMENSIONS, &IRRELEVANT, &CLASSES, &CENTERS],
    make,
};

struct Center {
    point: Vec<f64>,
    deviation: f64,
}

impl Center {
    fn draw(dimensions: usize, random: &mut Random) -> Self {
        let point = (0..dimensions).map(|_| random.uniform()).collect();
        Self { point, deviation: 1.0 - random.uniform() }
    }

    /// Draws a point at a normally distributed distance from the center, in a random direction.
    fn neighbor(&self, random: &mut Random) -> Vec<f64> {
        loop {
            let mut offset: Vec<f64> =
                self.point.iter().map(|_| 2.0 * random.uniform() - 1.0).collect();
            let length = offset.iter().map(|part| part * part).sum::<f64>().sqrt();
            if length > 0.0 {
                let scale = self.deviation * random.normal() / length;
                offset
                    .iter_mut()
                    .zip(&self.point)
                    .for_each(|(part, own)| *part = own + *part * scale);
                return offset;
            }
        }
    }
}

fn make(settings: &Settings, run: &Run) -> Result<Generated> {
    let relevant = settings.count(&RELEVANT)?;
    let irrelevant = settings.count(&IRRELEVANT)?;
    let rows = checked_rows(settings, relevant.saturating_add(irrelevant))?;
    let classes = settings.count(&CLASSES)?;
    let count = settings.count(&CENTERS)?;
    if count < classes {
        return Err(Error::option(
            CENTERS.name,
            format!("{count} centers are fewer than {classes} classes"),
            "use at least one center per class",
        ));
    }
    checked_size(&CENTERS, count, relevant)?;
    let mut random = Random::new(run.seed());
    let centers: Vec<Center> = (0..count).map(|_| Center::draw(relevant, &mut random)).collect();
    // Weights are in (0, 1], so that all are positive.
    let weights: Vec<f64> = (0..count).map(|_| 1.0 - random.uniform()).collect();

    let mut values = vec![Vec::with_capacity(rows); relevant];
    let mut labels = Vec::with_capacity(rows);
    for _ in 0..rows {
        run.check()?;
        let picked = random.pick(&weights);
        labels.push((picked % classes).to_string());
        let point = centers[picked].neighbor(&mut random);
        values.iter_mut().zip(point).for_each(|(column, value)| column.push(value));
    }
    for _ in 0..irrelevant {
        run.check()?;
        let (center, deviation) = (random.uniform(), 1.0 - random.uniform());
        values.push((0..rows).map(|_| center + deviation * random.normal()).collect());
    }

    let names = numbered("relevant", relevant);
    let columns = names
        .iter()
        .cloned()
        .chain(numbered("irrelevant", irrelevant))
        .zip(values)
        .map(|(name, values)| Column::from_values(name, values))
        .collect::<Result<Vec<_>>>()?;
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    Generated::classes(columns, &labels, "class", Truth { relevant: names, ..Truth::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_from_a_center_are_normal_with_its_deviation() {
        let mut random = Random::new(5);
        for dimensions in [1, 7] {
            let mut center = Center::draw(dimensions, &mut random);
            assert!(center.point.iter().all(|part| (0.0..1.0).contains(part)));
            center.deviation = 0.4;
            let mut squares = Vec::new();
            for _ in 0..40_000 {
                let point = center.neighbor(&mut random);
                let parts = point.iter().zip(&center.point);
                squares.push(parts.map(|(a, b)| (a - b).powi(2)).sum::<f64>());
            }
            let mean = |power: i32| {
                squares.iter().map(|square| (square / 0.16).powi(power)).sum::<f64>() / 40_000.0
            };
            // The second and fourth moments of the standard normal distribution.
            assert!((mean(1) - 1.0).abs() < 0.03, "{}", mean(1));
            assert!((mean(2) - 3.0).abs() < 0.2, "{}", mean(2));
        }
    }

    #[test]
    fn the_class_is_in_the_relevant_columns_only() {
        let given = [("rows", "6000"), ("relevant", "2"), ("irrelevant", "2"), ("centers", "2")];
        let run = Run::new(Some(1)).unwrap().with_seed(2);
        let data = INFO.generate(&INFO.settings(&given).unwrap(), &run).unwrap();
        let classes = data.target.classes("x").unwrap();
        assert_eq!(classes.len(), 2);
        // With one center per class, the class means of a relevant column are the centers.
        let gap = |column: usize| {
            let mean = |class: u32| {
                let rows: Vec<usize> =
                    (0..6000).filter(|&row| classes.codes()[row] == class).collect();
                let values = rows.iter().map(|&row| data.table.columns()[column].value(row));
                values.sum::<f64>() / rows.len() as f64
            };
            (mean(0) - mean(1)).abs()
        };
        assert!(gap(0).max(gap(1)) > 0.2, "{} {}", gap(0), gap(1));
        assert!(gap(2) < 0.08 && gap(3) < 0.08, "{} {}", gap(2), gap(3));
    }

    #[test]
    fn every_class_needs_a_center() {
        let given = [("classes", "3"), ("centers", "2")];
        let error = INFO
            .generate(&INFO.settings(&given).unwrap(), &Run::new(Some(1)).unwrap())
            .unwrap_err()
            .to_string();
        assert!(error.contains("2 centers are fewer than 3 classes"), "{error}");
    }
}
