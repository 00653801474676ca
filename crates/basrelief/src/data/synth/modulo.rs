//! ModuloP: the class is the sum of the relevant integers modulo p (Prat & Belanche 2006,
//! sec. 4.4). No proper subset of the relevant features is informative.

use super::options::{IRRELEVANT, RELEVANT, ROWS, checked_rows, numbered};
use super::random::Random;
use super::{Generated, GeneratorInfo, Truth};
use crate::data::Column;
use crate::error::Result;
use crate::options::{OptionInfo, OptionKind, Settings};
use crate::run::Run;

static ADDENDS: OptionInfo =
    OptionInfo { default: "2", help: "Number of integers that are added", ..RELEVANT };

static MODULUS: OptionInfo = OptionInfo {
    name: "modulus",
    flag: "modulus",
    kind: OptionKind::Count { least: 2 },
    default: "2",
    help: "p: values and classes range from 0 to p - 1",
};

/// Registry entry.
pub(super) static INFO: GeneratorInfo = GeneratorInfo {
    name: "modulo-p",
    purpose: "integers below p; the class is the sum of the relevant ones modulo p (parity if p = 2)",
    source: "Prat & Belanche 2006, sec. 4.4",
    own_options: &[&ROWS, &ADDENDS, &IRRELEVANT, &MODULUS],
    make,
};

fn make(settings: &Settings, run: &Run) -> Result<Generated> {
    let relevant = settings.count(&RELEVANT)?;
    let irrelevant = settings.count(&IRRELEVANT)?;
    let modulus = settings.count(&MODULUS)? as u64;
    let rows = checked_rows(settings, relevant.saturating_add(irrelevant))?;
    let mut random = Random::new(run.seed());
    let names = numbered("relevant", relevant);
    let mut columns = Vec::with_capacity(relevant + irrelevant);
    let mut sums = vec![0u64; rows];
    for name in names.iter().cloned().chain(numbered("irrelevant", irrelevant)) {
        run.check()?;
        let values: Vec<u64> = (0..rows).map(|_| random.below(modulus)).collect();
        if columns.len() < relevant {
            for (sum, &value) in sums.iter_mut().zip(&values) {
                *sum = ((u128::from(*sum) + u128::from(value)) % u128::from(modulus)) as u64;
            }
        }
        let values = values.into_iter().map(|value| value as f64).collect();
        columns.push(Column::from_values(name, values)?);
    }
    let labels: Vec<String> = sums.iter().map(u64::to_string).collect();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    let interacting = if relevant > 1 { vec![names.clone()] } else { Vec::new() };
    let truth = Truth { relevant: names, interacting, ..Truth::default() };
    Generated::classes(columns, &labels, "class", truth)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_class_is_the_sum_modulo_p() {
        let given = [("rows", "400"), ("relevant", "3"), ("irrelevant", "2"), ("modulus", "5")];
        let run = Run::new(Some(1)).unwrap();
        let data = INFO.generate(&INFO.settings(&given).unwrap(), &run).unwrap();
        let classes = data.target.classes("x").unwrap();
        assert_eq!(classes.names(), ["0", "1", "2", "3", "4"]);
        for row in 0..400 {
            let sum: f64 = data.table.columns()[..3].iter().map(|column| column.value(row)).sum();
            assert_eq!(f64::from(classes.codes()[row]), sum % 5.0);
        }
    }
}
