//! Two interlocking crescents with noise, the shape known as banana.
//!
//! Class -1 lies on the upper half of the unit circle around (0, 0), and class 1 on the lower half of the
//! unit circle around (1, 1/2). The angles are uniform, and both columns have normal noise. The `banana` of
//! the IDA benchmark (Raetsch et al. 2001) is a fixed sample from another, unpublished generator. To
//! compare with published errors on it, use its file.

use std::f64::consts::PI;

use super::options::{ROWS, checked_rows, numbered};
use super::random::Random;
use super::{Generated, GeneratorInfo, Truth};
use crate::data::Column;
use crate::error::Result;
use crate::options::{OptionInfo, OptionKind, Settings};
use crate::run::Run;

static DEVIATION: OptionInfo = OptionInfo {
    name: "deviation",
    flag: "deviation",
    kind: OptionKind::Positive,
    default: "0.25",
    help: "Standard deviation of the noise in both columns",
};

/// Registry entry.
pub(super) static INFO: GeneratorInfo = GeneratorInfo {
    name: "banana",
    purpose: "two interlocking crescents (not the sample of the IDA benchmark)",
    source: "basrelief",
    own_options: &[&ROWS, &DEVIATION],
    make,
};

fn make(settings: &Settings, run: &Run) -> Result<Generated> {
    let rows = checked_rows(settings, 2)?;
    let deviation = settings.number(&DEVIATION)?;
    let mut random = Random::new(run.seed());
    let mut values = [Vec::with_capacity(rows), Vec::with_capacity(rows)];
    let mut labels = Vec::with_capacity(rows);
    for _ in 0..rows {
        run.check()?;
        let lower = random.chance(0.5);
        let (sin, cos) = (PI * random.uniform()).sin_cos();
        let point = if lower { [1.0 - cos, 0.5 - sin] } else { [cos, sin] };
        for (column, value) in values.iter_mut().zip(point) {
            column.push(value + deviation * random.normal());
        }
        labels.push(if lower { "1" } else { "-1" });
    }
    let relevant = numbered("x", 2);
    let columns = relevant
        .iter()
        .zip(values)
        .map(|(name, values)| Column::from_values(name, values))
        .collect::<Result<Vec<_>>>()?;
    Generated::classes(columns, &labels, "class", Truth { relevant, ..Truth::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_points_lie_about_two_half_circles() {
        let settings = INFO.settings(&[("rows", "4000"), ("deviation", "0.02")]).unwrap();
        let data = INFO.generate(&settings, &Run::new(Some(1)).unwrap()).unwrap();
        let classes = data.target.classes("x").unwrap();
        let mut squares = 0.0;
        for row in 0..4000 {
            let [x, y] = [0, 1].map(|column| data.table.columns()[column].value(row));
            let upper = classes.names()[classes.codes()[row] as usize] == "-1";
            let off = if upper { x.hypot(y) } else { (x - 1.0).hypot(y - 0.5) } - 1.0;
            assert!(off.abs() < 0.12, "{x} {y}");
            assert!(if upper { y > -0.1 } else { y < 0.6 }, "{x} {y}");
            squares += off * off;
        }
        // Only one direction of the noise affects the distance from the circle.
        assert!(((squares / 4000.0).sqrt() - 0.02).abs() < 0.002, "{squares}");
    }
}
