//! A simulated clinical table: numbers and categories, missing values, two main effects, two columns that
//! matter only through their interaction, noise, a duplicated column and a constant one.

use super::options::{MISSING, ROWS, checked_rows};
use super::random::Random;
use super::{Generated, GeneratorInfo, Truth};
use crate::data::{Categories, Column};
use crate::error::Result;
use crate::options::{OptionInfo, Settings};
use crate::run::Run;

/// Registry entry.
pub(super) static INFO: GeneratorInfo = GeneratorInfo {
    name: "mixed",
    purpose: "simulated clinical table: numbers, categories, missing values, main effects, an interaction",
    source: "basrelief",
    own_options: &[&OptionInfo { default: "600", ..ROWS }, &MISSING],
    make,
};

const COLUMNS: usize = 14;

fn make(settings: &Settings, run: &Run) -> Result<Generated> {
    let rows = checked_rows(settings, COLUMNS)?;
    run.check()?;
    let mut maker = Maker {
        random: Random::new(run.seed()),
        rows,
        gaps: settings.number(&MISSING)?,
        columns: Vec::with_capacity(COLUMNS),
    };

    // Standard normal scores and codes of the columns that determine the outcome.
    let troponin: Vec<f64> = (0..rows).map(|_| maker.random.normal()).collect();
    let stage: Vec<usize> = (0..rows).map(|_| maker.random.pick(&[0.35, 0.4, 0.25])).collect();
    let drug: Vec<usize> = (0..rows).map(|_| maker.random.below(2) as usize).collect();
    let variant: Vec<usize> = (0..rows).map(|_| maker.random.below(2) as usize).collect();

    let age: Vec<f64> =
        (0..rows).map(|_| (62.0 + 11.0 * maker.random.normal()).clamp(18.0, 98.0)).collect();
    maker.numbers("age", &age, 0, false)?;
    maker.drawn_categories("sex", &["female", "male"], &[0.5, 0.5], false);
    maker.drawn_categories("smoker", &["never", "former", "current"], &[0.5, 0.3, 0.2], true);
    let bmi = maker.normals(27.0, 4.0);
    maker.numbers("bmi", &bmi, 1, true)?;
    let pressure: Vec<f64> =
        age.iter().map(|age| 118.0 + 0.3 * age + 13.0 * maker.random.normal()).collect();
    maker.numbers("systolic_pressure", &pressure, 0, false)?;
    let cholesterol = maker.normals(5.2, 1.0);
    maker.numbers("cholesterol", &cholesterol, 1, true)?;
    let glucose: Vec<f64> = (0..rows).map(|_| 5.6 * (0.18 * maker.random.normal()).exp()).collect();
    maker.numbers("glucose", &glucose, 1, true)?;
    maker.copy("glucose", "glucose_copy")?;
    let measured: Vec<f64> = troponin.iter().map(|score| 14.0 * (0.5 * score).exp()).collect();
    maker.numbers("troponin", &measured, 1, true)?;
    maker.categories("stage", &["I", "II", "III"], &stage, false);
    maker.categories("drug", &["A", "B"], &drug, false);
    maker.categories("variant", &["carrier", "non-carrier"], &variant, true);
    maker.drawn_categories("ward", &["north", "south", "east", "west"], &[1.0; 4], false);
    maker.drawn_categories("study", &["S1"], &[1.0], false);

    let labels: Vec<&str> = (0..rows)
        .map(|row| {
            // Drug A helps carriers and harms others; drug B does the opposite.
            let matched = if drug[row] == variant[row] { 1.0 } else { -1.0 };
            let logit = 2.4 * matched - 2.0 * troponin[row] - 2.4 * (stage[row] as f64 - 0.9);
            let improved = maker.random.chance(1.0 / (1.0 + (-logit).exp()));
            if improved { "improved" } else { "worse" }
        })
        .collect();
    run.check()?;
    let names = |list: &[&str]| list.iter().map(|name| (*name).to_string()).collect::<Vec<_>>();
    let truth = Truth {
        relevant: names(&["troponin", "stage", "drug", "variant"]),
        interacting: vec![names(&["drug", "variant"])],
        copies: vec![["glucose".to_string(), "glucose_copy".to_string()]],
        constant: names(&["study"]),
        ..Truth::default()
    };
    Generated::classes(maker.columns, &labels, "outcome", truth)
}

/// Draws the columns one after the other.
struct Maker {
    random: Random,
    rows: usize,
    gaps: f64,
    columns: Vec<Column<'static>>,
}

impl Maker {
    fn normals(&mut self, mean: f64, deviation: f64) -> Vec<f64> {
        (0..self.rows).map(|_| mean + deviation * self.random.normal()).collect()
    }

    fn is_gap(&mut self, gaps: bool) -> bool {
        gaps && self.random.chance(self.gaps)
    }

    /// Adds a numeric column, rounded to a few decimals like measurements.
    fn numbers(&mut self, name: &str, values: &[f64], decimals: i32, gaps: bool) -> Result<()> {
        let unit = 10f64.powi(decimals);
        let rounded = values
            .iter()
            .map(|value| if self.is_gap(gaps) { f64::NAN } else { (value * unit).round() / unit })
            .collect();
        self.columns.push(Column::from_values(name, rounded)?);
        Ok(())
    }

    fn categories(&mut self, name: &str, levels: &'static [&str], codes: &[usize], gaps: bool) {
        let texts: Vec<Option<&str>> =
            codes.iter().map(|&code| (!self.is_gap(gaps)).then_some(levels[code])).collect();
        self.columns.push(Column::categorical(name, Categories::from_texts(texts)));
    }

    fn drawn_categories(
        &mut self,
        name: &str,
        levels: &'static [&str],
        weights: &[f64],
        gaps: bool,
    ) {
        let codes: Vec<usize> = (0..self.rows).map(|_| self.random.pick(weights)).collect();
        self.categories(name, levels, &codes, gaps);
    }

    fn copy(&mut self, original: &str, name: &str) -> Result<()> {
        let mut values = Vec::new();
        for column in self.columns.iter().filter(|column| column.name() == original) {
            column.copy_values(&mut values);
        }
        self.columns.push(Column::from_values(name, values)?);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::ColumnKind;

    #[test]
    fn the_table_is_as_described() {
        let run = Run::new(Some(1)).unwrap();
        let settings = INFO.settings(&[("rows", "8000")]).unwrap();
        let data = INFO.generate(&settings, &run).unwrap();
        let table = &data.table;
        assert_eq!(table.width(), COLUMNS);
        assert_eq!(table.count(ColumnKind::Numeric), 7);
        assert_eq!(table.count(ColumnKind::Categorical), 7);
        let column = |name: &str| &table.columns()[table.find(name).unwrap()];
        let share = |name: &str, of: &dyn Fn(f64) -> bool| {
            (0..8000).filter(|&row| of(column(name).value(row))).count() as f64 / 8000.0
        };
        assert!((share("bmi", &f64::is_nan) - 0.05).abs() < 0.01);
        assert_eq!(share("age", &f64::is_nan), 0.0);
        assert_eq!(share("study", &|value| value == 0.0), 1.0);
        for row in 0..8000 {
            let pair = [column("glucose").value(row), column("glucose_copy").value(row)];
            assert!(pair[0] == pair[1] || (pair[0].is_nan() && pair[1].is_nan()));
        }

        // Each column of the pair has no effect alone; their interaction has a strong one.
        let classes = data.target.classes("x").unwrap();
        let improved = |keep: &dyn Fn(usize) -> bool| {
            let rows: Vec<usize> = (0..8000).filter(|&row| keep(row)).collect();
            let yes = rows.iter().filter(|&&row| classes.codes()[row] == 0).count();
            yes as f64 / rows.len() as f64
        };
        let category = |name: &str, row: usize, level: &str| match column(name).values() {
            crate::data::Values::Categorical(values) => {
                values.levels().get(values.codes()[row] as usize).is_some_and(|l| l == level)
            }
            _ => false,
        };
        let all = improved(&|_| true);
        assert!((0.4..0.6).contains(&all), "{all}");
        let drug = improved(&|row| category("drug", row, "A"));
        let carrier = improved(&|row| category("variant", row, "carrier"));
        assert!((drug - all).abs() < 0.03 && (carrier - all).abs() < 0.03, "{drug} {carrier}");
        let both =
            improved(&|row| category("drug", row, "A") && category("variant", row, "carrier"));
        assert!(both > all + 0.2, "{both}");
        let late = improved(&|row| category("stage", row, "III"));
        assert!(late < all - 0.1, "{late}");
    }
}
