//! Breiman's waveforms: 21 points of a random mixture of two of three triangular waves, with noise.

use super::options::{ROWS, checked_rows};
use super::random::Random;
use super::{Generated, GeneratorInfo, Truth};
use crate::data::Column;
use crate::error::Result;
use crate::options::{OptionInfo, OptionKind, Settings};
use crate::run::Run;

const WIDTH: usize = 21;

static CLASSES: OptionInfo = OptionInfo {
    name: "classes",
    flag: "classes",
    kind: OptionKind::Choice(&["3", "2"]),
    default: "3",
    help: "The three pairs of waves (0, 1, 2), or Raetsch's two classes: pair 1 and the rest",
};

/// Registry entry.
pub(super) static INFO: GeneratorInfo = GeneratorInfo {
    name: "waveform",
    purpose: "noisy mixtures of two of three triangular waves at 21 points; both ends are noise",
    source: "Breiman et al. 1984; two classes as in Raetsch et al. 2001",
    own_options: &[&ROWS, &CLASSES],
    make,
};

/// The height of wave 0, 1 or 2 at `point` (1 to 21).
fn wave(wave: usize, point: usize) -> f64 {
    let peak = [11.0, 15.0, 7.0][wave];
    (6.0 - (point as f64 - peak).abs()).max(0.0)
}

/// The waves that each class mixes.
const PAIRS: [[usize; 2]; 3] = [[0, 1], [0, 2], [1, 2]];

fn make(settings: &Settings, run: &Run) -> Result<Generated> {
    let rows = checked_rows(settings, WIDTH)?;
    let two_classes = settings.text(&CLASSES)? == "2";
    let mut random = Random::new(run.seed());
    let mixtures: Vec<(usize, f64)> =
        (0..rows).map(|_| (random.below(3) as usize, random.uniform())).collect();
    let mut columns = Vec::with_capacity(WIDTH);
    for point in 1..=WIDTH {
        run.check()?;
        let values = mixtures
            .iter()
            .map(|&(class, share)| {
                let [first, second] = PAIRS[class];
                share * wave(first, point) + (1.0 - share) * wave(second, point) + random.normal()
            })
            .collect();
        columns.push(Column::from_values(format!("x{point}"), values)?);
    }
    let names = if two_classes { ["-1", "1", "-1"] } else { ["0", "1", "2"] };
    let labels: Vec<&str> = mixtures.iter().map(|&(class, _)| names[class]).collect();
    let relevant = (1..=WIDTH)
        .filter(|&point| (0..3).any(|index| wave(index, point) > 0.0))
        .map(|point| format!("x{point}"))
        .collect();
    Generated::classes(columns, &labels, "class", Truth { relevant, ..Truth::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn generated(classes: &str) -> Generated {
        let given = [("rows", "30000"), ("classes", classes)];
        let run = Run::new(Some(1)).unwrap();
        INFO.generate(&INFO.settings(&given).unwrap(), &run).unwrap()
    }

    #[test]
    fn the_mean_of_a_class_is_the_mean_of_its_two_waves() {
        // h1(t) = max(6 - |t - 11|, 0), h2(t) = h1(t - 4), h3(t) = h1(t + 4), as published.
        let h1 = |t: f64| (6.0 - (t - 11.0).abs()).max(0.0);
        let data = generated("3");
        let classes = data.target.classes("x").unwrap();
        assert_eq!(classes.names(), ["0", "1", "2"]);
        for (index, column) in data.table.columns().iter().enumerate() {
            let t = index as f64 + 1.0;
            let (a, b, c) = (h1(t), h1(t - 4.0), h1(t + 4.0));
            for (class, mean) in [(a + b) / 2.0, (a + c) / 2.0, (b + c) / 2.0].iter().enumerate() {
                let rows = || (0..30_000).filter(|&row| classes.codes()[row] as usize == class);
                let found =
                    rows().map(|row| column.value(row)).sum::<f64>() / rows().count() as f64;
                assert!((found - mean).abs() < 0.08, "class {class} point {t}: {found} {mean}");
            }
        }
        assert_eq!(data.truth.relevant.len(), 19);
        assert!(!data.truth.relevant.contains(&"x21".to_string()));
    }

    #[test]
    fn the_two_class_form_merges_two_of_the_three() {
        let (three, two) = (generated("3"), generated("2"));
        let (three, two) = (three.target.classes("x").unwrap(), two.target.classes("x").unwrap());
        assert_eq!(two.names(), ["-1", "1"]);
        assert!(three.codes().iter().zip(two.codes()).all(|(&a, &b)| (a == 1) == (b == 1)));
    }
}
