//! NonMonotonic: every relevant column is proportional to a hidden number or to its square root (Prat &
//! Belanche 2006, sec. 4.4.3).
//!
//! With n relevant columns, `r_a` uniform in (0, 1] per column and `r_i` uniform in [0, n) per row,
//! the value is `r_a r_i` in odd rows (counted from 1) and `r_a sqrt(r_i)` in even rows. The class
//! is the integer part of `r_i`. A single relevant column therefore produces a single class. Irrelevant
//! columns are uniform in [0, 1).
//!
//! This is the definition in the paper. With the option `root`, the square root can apply to even columns
//! instead. Every column is then monotonic, and the weights agree with the paper (docs/reproduction.md).

use super::options::{IRRELEVANT, RELEVANT, ROWS, checked_rows, numbered};
use super::random::Random;
use super::{Generated, GeneratorInfo, Truth};
use crate::data::Column;
use crate::error::Result;
use crate::options::{OptionInfo, OptionKind, Settings};
use crate::run::Run;

static GROWING: OptionInfo = OptionInfo {
    help: "Number of columns that depend on the hidden number, and of classes",
    ..RELEVANT
};

/// Where the square root applies.
static ROOT: OptionInfo = OptionInfo {
    name: "root",
    flag: "root",
    kind: OptionKind::Choice(&["rows", "columns"]),
    default: "rows",
    help: "Use the square root of the hidden number in every second row, or in every second column",
};

/// Registry entry.
pub(super) static INFO: GeneratorInfo = GeneratorInfo {
    name: "non-monotonic",
    purpose: "columns proportional to a hidden number or its root; the class is its integer part",
    source: "Prat & Belanche 2006, sec. 4.4.3",
    own_options: &[&ROWS, &GROWING, &IRRELEVANT, &ROOT],
    make,
};

fn make(settings: &Settings, run: &Run) -> Result<Generated> {
    let relevant = settings.count(&RELEVANT)?;
    let irrelevant = settings.count(&IRRELEVANT)?;
    let rows = checked_rows(settings, relevant.saturating_add(irrelevant))?;
    let by_row = settings.text(&ROOT)? == "rows";
    let mut random = Random::new(run.seed());
    let hidden: Vec<f64> = (0..rows).map(|_| random.uniform() * relevant as f64).collect();
    let names = numbered("relevant", relevant);
    let mut columns = Vec::with_capacity(relevant + irrelevant);
    for (column, name) in names.iter().enumerate() {
        run.check()?;
        // A factor of 0 would make a constant column.
        let factor = 1.0 - random.uniform();
        let grown = |(row, &r): (usize, &f64)| {
            let is_even = (if by_row { row } else { column }) % 2 == 1;
            factor * if is_even { r.sqrt() } else { r }
        };
        columns.push(Column::from_values(name, hidden.iter().enumerate().map(grown).collect())?);
    }
    for name in numbered("irrelevant", irrelevant) {
        run.check()?;
        columns.push(Column::from_values(name, (0..rows).map(|_| random.uniform()).collect())?);
    }
    let labels: Vec<String> = hidden.iter().map(|r| (*r as u64).to_string()).collect();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    Generated::classes(columns, &labels, "class", Truth { relevant: names, ..Truth::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_class_is_the_integer_part_of_the_hidden_number() {
        for root in ["rows", "columns"] {
            let given = [("rows", "6000"), ("relevant", "4"), ("irrelevant", "2"), ("root", root)];
            let run = Run::new(Some(1)).unwrap();
            let data = INFO.generate(&INFO.settings(&given).unwrap(), &run).unwrap();
            let classes = data.target.classes("x").unwrap();
            assert_eq!(classes.names(), ["0", "1", "2", "3"]);
            assert!(classes.shares().iter().all(|share| (share - 0.25).abs() < 0.03));
            for (index, column) in data.table.columns()[..4].iter().enumerate() {
                // The largest value is almost the factor times 4, or times 2 if all values are roots.
                let only_roots = root == "columns" && index % 2 == 1;
                let greatest = (0..6000).map(|row| column.value(row)).fold(0.0, f64::max);
                let factor = greatest / if only_roots { 2.0 } else { 4.0 };
                for row in 0..6000 {
                    let part = column.value(row) / factor;
                    let is_root = only_roots || (root == "rows" && row % 2 == 1);
                    let hidden = if is_root { part * part } else { part };
                    let class = f64::from(classes.codes()[row]);
                    assert!(hidden > class - 0.02 && hidden < class + 1.02, "row {row}: {hidden}");
                }
            }
        }
    }

    #[test]
    fn one_relevant_column_makes_one_class() {
        let settings = INFO.settings(&[("relevant", "1")]).unwrap();
        let data = INFO.generate(&settings, &Run::new(Some(1)).unwrap()).unwrap();
        assert_eq!(data.target.classes("x").unwrap().names(), ["0"]);
    }
}
