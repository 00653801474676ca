//! Twin sine and Swiss roll: two classes on curved surfaces in three dimensions, transformed by a
//! random linear map (Wang et al. 2011, sec. 5.2).
//!
//! The map is a matrix of `features` x 3 independent standard normal draws (the paper does not
//! specify the distribution). Every feature mixes all three coordinates, so all are relevant.

use std::f64::consts::PI;

use super::options::{ROWS, checked_rows, numbered};
use super::random::Random;
use super::{Generated, GeneratorInfo, Truth};
use crate::data::Column;
use crate::error::Result;
use crate::options::{OptionInfo, OptionKind, Settings};
use crate::run::Run;

static FEATURES: OptionInfo = OptionInfo {
    name: "features",
    flag: "features",
    kind: OptionKind::Count { least: 3 },
    default: "10",
    help: "Number of columns, which are mixtures of the three coordinates",
};

static DISTANCE: OptionInfo = OptionInfo {
    name: "distance",
    flag: "distance",
    kind: OptionKind::Positive,
    default: "1",
    help: "Distance D between the two surfaces",
};

static SNR: OptionInfo = OptionInfo {
    name: "snr",
    flag: "snr",
    kind: OptionKind::Number { least: -100.0, most: 100.0 },
    default: "0",
    help: "Signal-to-noise ratio in decibels, 20 log10(D / deviation of the noise)",
};

/// Registry entry of the twin sine.
pub(super) static TWIN_SINE: GeneratorInfo = GeneratorInfo {
    name: "twin-sine",
    purpose: "two noisy sine surfaces, one above the other, mixed into many columns",
    source: "Wang et al. 2011, sec. 5.2",
    own_options: &[&ROWS, &FEATURES, &DISTANCE, &SNR],
    make: |settings, run| {
        let distance = settings.number(&DISTANCE)?;
        let deviation = distance / 10f64.powf(settings.number(&SNR)? / 20.0);
        make(settings, run, |random| twin_sine(distance, deviation, random))
    },
};

/// Registry entry of the Swiss roll.
pub(super) static SWISS_ROLL: GeneratorInfo = GeneratorInfo {
    name: "swiss-roll",
    purpose: "a rolled-up sheet: its inner and outer turns are classes, mixed into many columns",
    source: "Wang et al. 2011, sec. 5.2",
    own_options: &[&ROWS, &FEATURES],
    make: |settings, run| make(settings, run, swiss_roll),
};

/// A point in three dimensions, and whether its class is 1 rather than -1.
type Point = ([f64; 3], bool);

/// `x1` uniform in [0, 2 pi), `x2 = sin x1` + noise (+ `distance` in class 1), `x3` uniform in
/// [0, 1).
fn twin_sine(distance: f64, deviation: f64, random: &mut Random) -> Point {
    let upper = random.chance(0.5);
    let x1 = 2.0 * PI * random.uniform();
    let x2 = x1.sin() + if upper { distance } else { 0.0 } + deviation * random.normal();
    ([x1, x2, random.uniform()], upper)
}

/// `(t cos t, t sin t, x3)` with `t` uniform in [0, 4 pi) and `x3` in [0, 2); class 1 is
/// `t > 2 pi`.
fn swiss_roll(random: &mut Random) -> Point {
    let t = 4.0 * PI * random.uniform();
    ([t * t.cos(), t * t.sin(), 2.0 * random.uniform()], t > 2.0 * PI)
}

fn make(settings: &Settings, run: &Run, point: impl Fn(&mut Random) -> Point) -> Result<Generated> {
    let width = settings.count(&FEATURES)?;
    let rows = checked_rows(settings, width)?;
    let mut random = Random::new(run.seed());
    let points: Vec<Point> = (0..rows).map(|_| point(&mut random)).collect();
    let relevant = numbered("x", width);
    let mut columns = Vec::with_capacity(width);
    for name in &relevant {
        run.check()?;
        let factors = [random.normal(), random.normal(), random.normal()];
        let mixed = |(point, _): &Point| {
            factors[0] * point[0] + factors[1] * point[1] + factors[2] * point[2]
        };
        columns.push(Column::from_values(name, points.iter().map(mixed).collect())?);
    }
    let labels: Vec<&str> = points.iter().map(|(_, one)| if *one { "1" } else { "-1" }).collect();
    Generated::classes(columns, &labels, "class", Truth { relevant, ..Truth::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_noise_of_the_twin_sine_has_the_ratio_asked_for() {
        for snr in [-5.0, 0.0, 20.0] {
            let (distance, mut random) = (1.5, Random::new(1));
            let deviation = distance / 10f64.powf(snr / 20.0);
            let points: Vec<Point> =
                (0..40_000).map(|_| twin_sine(distance, deviation, &mut random)).collect();
            let residuals = |upper: bool| {
                let chosen = points.iter().filter(move |point| point.1 == upper);
                chosen.map(|(x, _)| x[1] - x[0].sin()).collect::<Vec<f64>>()
            };
            let (high, low) = (residuals(true), residuals(false));
            let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
            let (above, below) = (mean(&high), mean(&low));
            let squares: f64 = high.iter().map(|value| (value - above).powi(2)).sum::<f64>()
                + low.iter().map(|value| (value - below).powi(2)).sum::<f64>();
            let noise = (squares / 40_000.0).sqrt();
            let found = 20.0 * ((above - below) / noise).log10();
            assert!((found - snr).abs() < 0.3, "{found} instead of {snr}");
        }
    }

    #[test]
    fn the_registry_entry_turns_decibels_into_a_deviation() {
        // At 100 dB and a large distance, the noise is negligible and a plane separates the classes.
        let given = [("rows", "200"), ("distance", "50"), ("snr", "100"), ("features", "3")];
        let run = Run::new(Some(1)).unwrap();
        let data = TWIN_SINE.generate(&TWIN_SINE.settings(&given).unwrap(), &run).unwrap();
        let classes = data.target.classes("x").unwrap();
        assert_eq!(classes.names(), ["-1", "1"]);
        // Every feature is shifted by 50 r in class 1 only, where r is its factor of x2. Therefore, the
        // classes do not overlap in the feature with the largest factor.
        let separated = data.table.columns().iter().any(|column| {
            let of = |class: u32| {
                let rows = (0..200).filter(move |&row| classes.codes()[row] == class);
                rows.map(|row| column.value(row)).collect::<Vec<f64>>()
            };
            let least = |values: &[f64]| values.iter().copied().fold(f64::INFINITY, f64::min);
            let most = |values: &[f64]| values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let (a, b) = (of(0), of(1));
            least(&a) > most(&b) || least(&b) > most(&a)
        });
        assert!(separated);
    }

    #[test]
    fn the_swiss_roll_is_a_helix_whose_radius_is_its_angle() {
        let mut random = Random::new(1);
        for _ in 0..1000 {
            let ([x1, x2, x3], outer) = swiss_roll(&mut random);
            let radius = x1.hypot(x2);
            assert_eq!(outer, radius > 2.0 * PI);
            assert!(radius < 4.0 * PI && (0.0..2.0).contains(&x3));
            let angle = x2.atan2(x1).rem_euclid(2.0 * PI);
            let off = (radius - angle).rem_euclid(2.0 * PI);
            assert!(off.min(2.0 * PI - off) < 1e-9, "{radius} {angle}");
        }
    }

    #[test]
    fn the_columns_are_mixtures_of_three_coordinates() {
        // Any four columns of a map from three dimensions are linearly dependent, so that the Gram
        // matrix of the columns (centered or not) has rank 3.
        let given = [("rows", "50"), ("features", "4")];
        let run = Run::new(Some(1)).unwrap();
        let data = SWISS_ROLL.generate(&SWISS_ROLL.settings(&given).unwrap(), &run).unwrap();
        let columns = data.table.columns();
        let product = |a: usize, b: usize| -> f64 {
            (0..50).map(|row| columns[a].value(row) * columns[b].value(row)).sum()
        };
        let mut gram: Vec<Vec<f64>> =
            (0..4).map(|a| (0..4).map(|b| product(a, b)).collect()).collect();
        let mut pivots = Vec::new();
        for k in 0..4 {
            let pivot = gram[k][k];
            pivots.push(pivot);
            for row in k + 1..4 {
                let factor = gram[row][k] / pivot;
                for column in 0..4 {
                    gram[row][column] -= factor * gram[k][column];
                }
            }
        }
        assert!(pivots[..3].iter().all(|pivot| *pivot > 1e-3), "{pivots:?}");
        assert!(pivots[3].abs() < 1e-9 * pivots[0], "{pivots:?}");
    }
}
