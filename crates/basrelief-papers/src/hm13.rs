//! The experiment of Hocke & Martinetz 2013, section 3: k-NN under the weights of MDM and of others.
//!
//! Four data sets, as they are (Table 1) and with every feature at mean 0 and variance 1 (Table 2);
//! ten splits in halves; errors of k-NN on the test half, and ranks: numbers of weights above 0, or
//! the rank of LMNN's map. Both tables have the same splits, as MDM's figures in the paper agree.
//!
//! What the paper leaves open: k = 3 fits its Euclidean errors, and is taken for the target
//! neighbours of LMNN and D-LMNN too; 90 test rows of wine say that splits are stratified, with
//! half of every class, rounded down, to learn from; 342 of breast cancer say that only complete
//! rows are used, and its 10 features that the sample's id is one of them. The features are
//! standardised by all rows, before they are split. Relief has classes beyond two as RELIEF-E has
//! them, and visits every row once; Simba starts five times and visits every row once. All
//! methods measure in the units of the table: on raw data nothing puts features over their range.

use std::fmt::Write;

use basrelief::data::{Column, Split, Table, holdout};
use basrelief::evaluate::{
    Cell, Dimensions, KnnSettings, NestedCv, PairedTest, ParameterGrid, WeightUse, compare,
    paired_t_test,
};
use basrelief::methods::options::TARGET_NEIGHBORS;
use basrelief::methods::{OptionInfo, OptionKind, Scaling, Settings};
use basrelief::neighbors::Metric;
use basrelief::{Result, derived_seed};

use crate::data::{BREAST_CANCER, DataSet, IRIS, PIMA, WINE, nothing_for_quick};
use crate::published::{CSV_HEADER, Compared, Published, csv, picture, table};
use crate::registry::{ProtocolInfo, Results, Work};
use crate::statistics::mean;

static RUNS: OptionInfo = OptionInfo {
    name: "runs",
    flag: "runs",
    kind: OptionKind::Count { least: 2 },
    default: "10",
    help: "Splits of every data set",
};

static K: OptionInfo = OptionInfo {
    name: "k",
    flag: "k",
    kind: OptionKind::Count { least: 1 },
    default: "3",
    help: "Neighbours that vote",
};

static STANDARDISE: OptionInfo = OptionInfo {
    name: "standardise",
    flag: "standardise",
    kind: OptionKind::Choice(&["all", "training"]),
    default: "all",
    help: "Table 2: means and variances of all rows, or of those learned from",
};

/// Registry entry.
pub(crate) static INFO: ProtocolInfo = ProtocolInfo {
    name: "hm13",
    aliases: &["hm13-table1", "hm13-table2"],
    purpose: "errors of k-NN under weights and maps: mdm, relief, simba, d-lmnn, lmnn",
    source: "Hocke & Martinetz 2013, section 3, Tables 1 and 2",
    quick: "3 splits of iris and wine",
    options: &[&RUNS, &K, &TARGET_NEIGHBORS, &STANDARDISE],
    generates: false,
    data: &[&IRIS, &WINE, &BREAST_CANCER, &PIMA],
    run,
};

/// Splits, and data sets from the first on, of the quick form.
const QUICK: (usize, usize) = (3, 2);

/// Below this p-value a difference is called significant.
const LEVEL: f64 = 0.05;

/// The data sets and their names in the paper.
const SETS: [(&DataSet, &str); 4] =
    [(&IRIS, "Iris"), (&WINE, "Wine"), (&BREAST_CANCER, "Breast Cancer"), (&PIMA, "Pima Diabetes")];

/// The methods by their names in the paper.
const METHODS: [&str; 6] = ["Euclidean", "MDM", "Relief", "Simba", "D-LMNN", "LMNN"];
const EUCLIDEAN: usize = 0;
const MDM: usize = 1;
const RELIEF: usize = 2;
const SIMBA: usize = 3;
const D_LMNN: usize = 4;
const LMNN: usize = 5;
const WEIGHTINGS: [usize; 4] = [MDM, RELIEF, SIMBA, D_LMNN];

/// The paper's figures by table, set and method: percent of wrong classes, its standard deviation
/// (though called variance), and rank.
const PUBLISHED: [[[(f64, f64, f64); 6]; 4]; 2] = [
    [
        [
            (3.33, 1.81, 4.0),
            (2.93, 1.97, 4.0),
            (3.60, 2.18, 4.0),
            (4.40, 1.89, 3.9),
            (3.33, 1.44, 4.0),
            (3.07, 1.89, 4.0),
        ],
        [
            (31.00, 4.52, 13.0),
            (4.00, 2.23, 11.5),
            (34.67, 3.05, 13.0),
            (34.44, 3.05, 12.9),
            (4.33, 1.99, 13.0),
            (5.22, 2.03, 12.3),
        ],
        [
            (39.68, 2.21, 10.0),
            (3.60, 0.69, 9.5),
            (36.05, 11.54, 9.9),
            (39.77, 2.21, 9.9),
            (4.44, 0.99, 10.0),
            (3.80, 0.57, 9.0),
        ],
        [
            (30.78, 1.99, 8.0),
            (28.49, 1.87, 8.0),
            (30.08, 2.19, 7.5),
            (30.86, 1.68, 7.5),
            (29.14, 2.62, 8.0),
            (29.14, 2.33, 8.0),
        ],
    ],
    [
        [
            (3.60, 1.41, 4.0),
            (2.93, 1.97, 4.0),
            (2.53, 1.33, 4.0),
            (3.73, 1.64, 4.0),
            (4.27, 1.38, 4.0),
            (2.67, 1.99, 4.0),
        ],
        [
            (5.56, 1.48, 13.0),
            (4.00, 2.23, 12.7),
            (4.78, 2.10, 13.0),
            (4.56, 2.06, 13.0),
            (4.89, 1.50, 13.0),
            (2.67, 1.90, 13.0),
        ],
        [
            (3.92, 0.63, 10.0),
            (3.54, 0.67, 10.0),
            (3.65, 0.57, 10.0),
            (4.80, 1.29, 9.7),
            (3.30, 0.63, 10.0),
            (3.57, 0.49, 9.7),
        ],
        [
            (27.76, 1.44, 8.0),
            (28.49, 1.87, 8.0),
            (28.20, 1.91, 7.6),
            (29.35, 2.97, 6.6),
            (28.49, 2.08, 8.0),
            (27.92, 1.71, 8.0),
        ],
    ],
];

/// What the runs of one method on one set gave.
#[derive(Debug, Clone, Default)]
struct Measured {
    /// Percent of wrong classes.
    errors: Vec<f64>,
    ranks: Vec<f64>,
    /// Why runs failed, the first of them.
    failure: Option<String>,
}

impl Measured {
    fn of_cells(cells: &[Cell]) -> Self {
        let mut found = Self::default();
        for cell in cells {
            match cell {
                Cell::Done(outcome) => {
                    found.errors.push(100.0 * outcome.loss);
                    found.ranks.push(outcome.rank as f64);
                }
                Cell::Failed(reason) => {
                    found.failure.get_or_insert_with(|| reason.clone());
                }
            }
        }
        found
    }

    fn mean(&self) -> f64 {
        mean(&self.errors)
    }

    /// The paired comparison with other errors of the same splits.
    fn against(&self, other: &Self) -> Option<PairedTest> {
        if self.failure.is_some() || other.failure.is_some() {
            return None;
        }
        let pairs = self.errors.iter().zip(&other.errors);
        paired_t_test(&pairs.map(|(own, other)| own - other).collect::<Vec<_>>(), 0.0)
    }
}

/// What one set gave: both tables, all methods.
struct SetResults {
    /// Its place in [`SETS`].
    set: usize,
    tables: [Vec<Measured>; 2],
}

impl SetResults {
    fn name(&self) -> &'static str {
        SETS[self.set].1
    }

    fn compared(&self, table: usize) -> impl Iterator<Item = Compared> + '_ {
        let methods = METHODS.iter().zip(&self.tables[table]).zip(&PUBLISHED[table][self.set]);
        methods.map(|((&method, found), &(mean, deviation, _))| Compared {
            published: Published { set: self.name(), method, mean, deviation },
            runs: if found.failure.is_none() { found.errors.clone() } else { Vec::new() },
        })
    }
}

fn run(work: &Work<'_>) -> Result<Results> {
    let Work { settings, quick, data, checkpoints, run } = *work;
    let (runs, sets) = match quick {
        true => (settings.count(&RUNS)?.min(QUICK.0), QUICK.1),
        false => (settings.count(&RUNS)?, SETS.len()),
    };
    let targets = settings.count(&TARGET_NEIGHBORS)?;
    let methods = [
        "euclidean".to_string(),
        "mdm".to_string(),
        "relief-e:metric=euclidean".to_string(),
        "simba".to_string(),
        format!("d-lmnn:n_neighbors={targets},mu=1"),
        format!("lmnn:n_neighbors={targets},mu=0.5"),
    ];
    let mut all = Vec::new();
    for (set, (file, _)) in SETS.iter().enumerate().take(sets) {
        let Some(data) = data.load(file, run)? else { continue };
        let seed = |split: usize| derived_seed(run.seed(), &[set as u64, split as u64]);
        let splits: Vec<Split> =
            (0..runs).map(|split| holdout(&data.target, seed(split), |count| count / 2)).collect();
        let judged = |table: &Table<'_>, scaling: Scaling, name: &str| -> Result<Vec<Measured>> {
            let trial = NestedCv {
                table,
                target: &data.target,
                knn: KnnSettings {
                    metric: Metric::Euclidean,
                    scaling,
                    weight_use: WeightUse::Distance,
                    one_unit: true,
                },
                dimensions: Dimensions::All,
                counts: vec![settings.count(&K)?],
                folds: 2,
            };
            let candidates: Vec<ParameterGrid> = methods
                .iter()
                .map(|text| ParameterGrid::parse(text, scaling))
                .collect::<Result<_>>()?;
            let name = format!("{name}/{}/", file.file);
            let cells = compare(&trial, &candidates, &splits, &name, checkpoints, run)?;
            Ok(cells.iter().map(|cells| Measured::of_cells(cells)).collect())
        };
        let first = judged(&data.table, Scaling::None, "table1")?;
        let second = match settings.text(&STANDARDISE)? {
            "all" => judged(&standardised(&data.table)?, Scaling::None, "table2")?,
            _ => judged(&data.table, Scaling::Standard, "table2")?,
        };
        all.push(SetResults { set, tables: [first, second] });
    }
    if all.is_empty() {
        return Err(nothing_for_quick());
    }
    let compared = |table: usize| -> Vec<Compared> {
        all.iter().flat_map(|found| found.compared(table)).collect()
    };
    let both = [compared(0), compared(1)];
    let [first, second] =
        [&both[0], &both[1]].map(|compared| format!("{CSV_HEADER}{}", csv(compared)));
    Ok(Results {
        summary: summary(&all, &both, settings, runs, quick)?,
        files: vec![
            ("table1.csv", first),
            ("table2.csv", second),
            ("table1.svg", picture("Table 1: error %", &both[0])?),
            ("table2.svg", picture("Table 2: error %", &both[1])?),
            ("runs.csv", every_run(&all)),
        ],
    })
}

/// The table with every column at mean 0 and variance 1 (over n rows); constant columns are 0.
fn standardised(table: &Table<'_>) -> Result<Table<'static>> {
    let one = |column: &Column<'_>| {
        let mut values = Vec::new();
        column.copy_values(&mut values);
        let centre = mean(&values);
        values.iter_mut().for_each(|value| *value -= centre);
        let deviation = mean(&values.iter().map(|value| value * value).collect::<Vec<_>>()).sqrt();
        if deviation > 0.0 {
            values.iter_mut().for_each(|value| *value /= deviation);
        }
        Column::from_values(column.name(), values)
    };
    Table::new(table.columns().iter().map(one).collect::<Result<_>>()?)
}

/// Every run of every method as CSV.
fn every_run(all: &[SetResults]) -> String {
    let mut text = String::from("table,set,method,run,error_percent,rank\n");
    for found in all {
        for (table, methods) in found.tables.iter().enumerate() {
            for (method, measured) in METHODS.iter().zip(methods) {
                for (run, (error, rank)) in measured.errors.iter().zip(&measured.ranks).enumerate()
                {
                    let (table, name) = (table + 1, found.name());
                    let _ = writeln!(text, "{table},{name},{method},{run},{error},{rank}");
                }
            }
        }
    }
    text
}

fn summary(
    all: &[SetResults],
    both: &[Vec<Compared>; 2],
    settings: &Settings,
    runs: usize,
    quick: bool,
) -> Result<String> {
    let mut text = format!(
        "HM13: errors of k-NN under weights and maps\n({})\n\n{runs} splits of every set in halves by \
         class; k = {}, {} target neighbours; the same\nsplits in both tables; percent of wrong \
         classes.\n",
        INFO.source,
        settings.count(&K)?,
        settings.count(&TARGET_NEIGHBORS)?,
    );
    if quick {
        let _ = writeln!(text, "Quick form: {}.", INFO.quick);
    }
    for (place, (title, compared)) in
        ["data as they are", "every feature at mean 0 and variance 1"].iter().zip(both).enumerate()
    {
        let _ = writeln!(text, "\nTable {}, {title}:\n", place + 1);
        text.push_str(&table(compared));
    }
    let _ = writeln!(text, "\nMean ranks, ours and (the paper's):\n\n{}", ranks(all));
    let _ = writeln!(
        text,
        "What the paper concludes, and whether it holds here (p of paired t-tests):\n"
    );
    text.push_str(&claims(all));
    for found in all {
        for (table, methods) in found.tables.iter().enumerate() {
            for (method, measured) in METHODS.iter().zip(methods) {
                if let Some(failure) = &measured.failure {
                    let (table, name) = (table + 1, found.name());
                    let _ = writeln!(text, "\nTable {table}: {method} failed on {name}: {failure}");
                }
            }
        }
    }
    Ok(text)
}

fn ranks(all: &[SetResults]) -> String {
    let mut text = format!("{:<22}", "");
    METHODS.iter().for_each(|method| {
        let _ = write!(text, " {method:>13}");
    });
    for found in all {
        for (table, methods) in found.tables.iter().enumerate() {
            let _ = write!(text, "\n{:<13}, Table {}", found.name(), table + 1);
            for (measured, published) in methods.iter().zip(&PUBLISHED[table][found.set]) {
                let shown = format!("{:.1} ({:.1})", mean(&measured.ranks), published.2);
                let _ = write!(text, " {shown:>13}");
            }
        }
    }
    text.push('\n');
    text
}

/// A claim's finding for one set, or for all.
struct Finding {
    holds: bool,
    evidence: String,
}

/// One method beside another in a table.
fn beside(
    found: &SetResults,
    table: usize,
    one: usize,
    other: usize,
) -> (Option<PairedTest>, String) {
    let methods = &found.tables[table];
    let test = methods[one].against(&methods[other]);
    let evidence = match &test {
        None => format!("{} and {}: not both measured", METHODS[one], METHODS[other]),
        Some(test) => format!(
            "{} {:.2}, {} {:.2}, p = {}",
            METHODS[one],
            methods[one].mean(),
            METHODS[other],
            methods[other].mean(),
            chance(test.p_value)
        ),
    };
    (test, evidence)
}

/// A p-value for people.
fn chance(p_value: f64) -> String {
    if p_value < 0.01 { format!("{p_value:.0e}") } else { format!("{p_value:.2}") }
}

/// Whether the first method is better beyond chance.
fn is_better(test: Option<PairedTest>) -> bool {
    test.is_some_and(|test| test.difference < 0.0 && test.p_value < LEVEL)
}

/// The paper's conclusions, set by set.
fn claims(all: &[SetResults]) -> String {
    type Check = fn(&SetResults) -> Finding;
    let list: [(&str, Check); 6] = [
        ("Unprocessed: MDM has the least error", |found| least(found, 0, MDM, true)),
        ("Unprocessed: MDM improves significantly on Euclidean distance", |found| {
            let (test, evidence) = beside(found, 0, MDM, EUCLIDEAN);
            Finding { holds: is_better(test), evidence }
        }),
        ("Unprocessed: Relief and Simba often deteriorate Euclidean k-NN", |found| {
            let tests = [RELIEF, SIMBA].map(|method| beside(found, 0, method, EUCLIDEAN));
            Finding {
                holds: tests.iter().flat_map(|found| found.0).any(|test| test.difference > 1e-9),
                evidence: tests.map(|found| found.1).join("; "),
            }
        }),
        ("MDM is almost the same in both tables", |found| {
            let (first, second) = (&found.tables[0][MDM], &found.tables[1][MDM]);
            let same = first.errors.iter().zip(&second.errors).filter(|(a, b)| a == b).count();
            Finding {
                holds: (first.mean() - second.mean()).abs() <= 0.1,
                evidence: format!(
                    "{:.2} and {:.2}, equal in {same} of {} splits",
                    first.mean(),
                    second.mean(),
                    first.errors.len()
                ),
            }
        }),
        ("Standardised: but for Pima, weights or a map beat Euclidean distance", |found| {
            let beaten = least(found, 1, EUCLIDEAN, false);
            Finding { holds: beaten.holds == (found.set != PIMA_PLACE), ..beaten }
        }),
        (
            "Standardised: LMNN is significantly better than all weights on Wine, and only there",
            |found| {
                let tests = WEIGHTINGS.map(|method| beside(found, 1, LMNN, method));
                let better = tests.iter().all(|found| is_better(found.0));
                Finding {
                    holds: better == (found.set == WINE_PLACE),
                    evidence: tests.map(|found| found.1).join("; "),
                }
            },
        ),
    ];
    let mut text = String::new();
    for (place, (claim, check)) in list.iter().enumerate() {
        let _ = writeln!(text, "{}. {claim}", place + 1);
        for found in all {
            let Finding { holds, evidence } = check(found);
            let verdict = if holds { "holds" } else { "does not hold" };
            let _ = writeln!(text, "   {verdict:<13}  {}: {evidence}", found.name());
        }
    }
    text
}

/// The places in [`SETS`] that claims name.
const WINE_PLACE: usize = 1;
const PIMA_PLACE: usize = 3;

/// Whether a method has the least mean error of a table (or, without `wanted`, has not).
fn least(found: &SetResults, table: usize, method: usize, wanted: bool) -> Finding {
    let methods = &found.tables[table];
    let known = |&place: &usize| methods[place].failure.is_none() && place != method;
    let rival = (0..METHODS.len())
        .filter(known)
        .min_by(|&a, &b| methods[a].mean().total_cmp(&methods[b].mean()));
    match rival {
        None => Finding { holds: false, evidence: "nothing to compare with".to_string() },
        Some(rival) => Finding {
            holds: (methods[method].mean() <= methods[rival].mean()) == wanted,
            evidence: beside(found, table, method, rival).1,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The errors of all methods in both tables: MDM's, LMNN's, and 10 for the others.
    fn set(set: usize, mdm: [f64; 3], lmnn: [f64; 3]) -> SetResults {
        let measured = |errors: [f64; 3]| Measured {
            errors: errors.to_vec(),
            ranks: vec![4.0; 3],
            failure: None,
        };
        let table = || {
            let mut table = vec![measured([10.0; 3]); METHODS.len()];
            table[MDM] = measured(mdm);
            table[LMNN] = measured(lmnn);
            table
        };
        SetResults { set, tables: [table(), table()] }
    }

    fn lines(found: &SetResults) -> Vec<bool> {
        let text = claims(std::slice::from_ref(found));
        let is_verdict = |line: &&str| line.starts_with("   ");
        text.lines().filter(is_verdict).map(|line| line.starts_with("   holds")).collect()
    }

    #[test]
    fn claims_by_hand() {
        // MDM beats Euclidean distance beyond chance, nothing beats MDM, LMNN is level with the rest.
        let one = set(0, [5.0, 5.1, 5.2], [10.0; 3]);
        assert_eq!(lines(&one), [true, true, false, true, true, true]);
        // LMNN beats all but is the best on Wine only in the paper.
        let better = [1.0, 1.1, 1.2];
        assert_eq!(lines(&set(0, [5.0; 3], better)), [false, true, false, true, true, false]);
        assert!(lines(&set(WINE_PLACE, [5.0; 3], better))[5]);
        // What chance explains is no improvement.
        assert!(!lines(&set(0, [1.0, 30.0, 1.0], better))[1]);
        // Euclidean distance is the best on Pima, and only there.
        let (worse, last) = ([11.0; 3], set(PIMA_PLACE, [11.0; 3], [11.0; 3]));
        assert!(lines(&last)[4] && !lines(&set(0, worse, worse))[4]);
        // MDM must not change from table to table.
        let mut changed = one;
        changed.tables[1][MDM].errors[0] = 6.0;
        assert!(!lines(&changed)[3]);
        changed.tables[0][MDM].failure = Some("it failed".to_string());
        assert!(!lines(&changed)[1] && claims(&[changed]).contains("not both measured"));
    }

    #[test]
    fn columns_are_standardised_by_all_rows() {
        let values = [1.0, 7.0, 3.0, 7.0, 5.0, 7.0];
        let table = Table::from_row_major(&values, 3, &["a", "b"]).unwrap();
        let found = standardised(&table).unwrap();
        let column = |place: usize| {
            let mut values = Vec::new();
            found.columns()[place].copy_values(&mut values);
            values
        };
        // Mean 3, variance (4 + 0 + 4) / 3.
        let unit = (8.0_f64 / 3.0).sqrt();
        assert_eq!(column(0), [-2.0 / unit, 0.0, 2.0 / unit]);
        assert_eq!(column(1), [0.0; 3]);
    }

    #[test]
    fn the_papers_figures_are_as_many_as_its_tables_have() {
        for (set, (file, _)) in SETS.iter().enumerate() {
            for table in PUBLISHED {
                assert!(table[set].iter().all(|figure| figure.2 <= file.shape.1 as f64));
                assert_eq!(table[set][EUCLIDEAN].2, file.shape.1 as f64);
            }
        }
    }
}
