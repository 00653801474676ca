//! MajorityN: the class is the majority of the relevant bits (Prat & Belanche 2006, sec. 4.4).

use super::options::{IRRELEVANT, RELEVANT, ROWS, checked_rows, numbered};
use super::random::Random;
use super::{Generated, GeneratorInfo, Truth};
use crate::data::Column;
use crate::error::Result;
use crate::options::{OptionInfo, Settings};
use crate::run::Run;

static VOTERS: OptionInfo = OptionInfo { help: "Bits that vote on the class", ..RELEVANT };

/// Registry entry.
pub(super) static INFO: GeneratorInfo = GeneratorInfo {
    name: "majority",
    purpose: "random bits; the class is 1 if more than half of the relevant bits are 1",
    source: "Prat & Belanche 2006, sec. 4.4",
    own_options: &[&ROWS, &VOTERS, &IRRELEVANT],
    make,
};

fn make(settings: &Settings, run: &Run) -> Result<Generated> {
    let relevant = settings.count(&RELEVANT)?;
    let irrelevant = settings.count(&IRRELEVANT)?;
    let rows = checked_rows(settings, relevant.saturating_add(irrelevant))?;
    let mut random = Random::new(run.seed());
    let names = numbered("relevant", relevant);
    let mut columns = Vec::with_capacity(relevant + irrelevant);
    let mut ones = vec![0usize; rows];
    for name in names.iter().cloned().chain(numbered("irrelevant", irrelevant)) {
        run.check()?;
        let bits: Vec<f64> = (0..rows).map(|_| random.below(2) as f64).collect();
        if columns.len() < relevant {
            for (ones, &bit) in ones.iter_mut().zip(&bits) {
                *ones += bit as usize;
            }
        }
        columns.push(Column::from_values(name, bits)?);
    }
    let labels: Vec<&str> =
        ones.iter().map(|&ones| if 2 * ones > relevant { "1" } else { "0" }).collect();
    let truth = Truth { relevant: names, ..Truth::default() };
    Generated::classes(columns, &labels, "class", truth)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_class_is_the_majority_of_the_relevant_bits() {
        for relevant in ["1", "4", "5"] {
            let given = [("rows", "500"), ("relevant", relevant), ("irrelevant", "3")];
            let run = Run::new(Some(1)).unwrap();
            let data = INFO.generate(&INFO.settings(&given).unwrap(), &run).unwrap();
            let voters: usize = relevant.parse().unwrap();
            assert_eq!(data.table.width(), voters + 3);
            let classes = data.target.classes("x").unwrap();
            for row in 0..500 {
                let ones: f64 =
                    data.table.columns()[..voters].iter().map(|column| column.value(row)).sum();
                let majority = ones > voters as f64 / 2.0;
                assert_eq!(classes.names()[classes.codes()[row] as usize] == "1", majority);
            }
        }
    }
}
