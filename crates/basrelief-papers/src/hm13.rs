//! The experiment of Hocke & Martinetz 2013, section 3: k-NN with the weights of MDM and of other methods.
//!
//! There are four data sets, raw (Table 1) and with every feature standardized to mean 0 and variance 1 (Table 2), and
//! ten random splits into halves. The results are errors of k-NN on the test half, and ranks: the number of weights
//! above 0, or the rank of LMNN's map. Both tables use the same splits, because MDM's errors agree in the paper.
//!
//! The paper leaves some details open. These choices follow from its numbers: k = 3 fits its Euclidean errors; we also
//! use 3 target neighbors in LMNN and D-LMNN. It has 90 test rows of wine, so splits are stratified, with half of every
//! class, rounded down, for training. It has 342 test rows of breast cancer, so only complete rows are used; its 10
//! features include the sample id. These choices are ours: features are standardized with all rows, before the split.
//! Relief treats more than two classes as RELIEF-E does, and visits every row once. Simba has five starts and visits
//! every row once. All methods use the units of the table: features of raw data are not divided by their ranges.

use std::fmt::Write;

use basrelief::Result;
use basrelief::data::{Column, Split, Table};
use basrelief::evaluate::{
    Cell, Dimensions, KnnSettings, NestedCv, PairedTest, ParameterGrid, WeightUse, compare,
    paired_t_test,
};
use basrelief::methods::options::TARGET_NEIGHBORS;
use basrelief::methods::{OptionInfo, OptionKind, Scaling, Settings};
use basrelief::neighbors::Metric;
use basrelief_report::{Table as ShownTable, csv_cell};

use crate::claims::{Claim, Finding, LEVEL, Subject, Verdict};
use crate::data::{AddedSet, BREAST_CANCER, Data, DataSet, IRIS, PIMA, WINE, nothing_for_quick};
use crate::protocol::{ProtocolInfo, Results, Work, numbers_table};
use crate::published::{Compared, Published, csv, picture, table};
use crate::statistics::{deviation, mean};

static RUNS: OptionInfo = OptionInfo {
    name: "runs",
    flag: "runs",
    kind: OptionKind::Count { least: 2 },
    default: "10",
    help: "Number of splits of every data set",
};

static K: OptionInfo = OptionInfo {
    name: "k",
    flag: "k",
    kind: OptionKind::Count { least: 1 },
    default: "3",
    help: "Number of neighbors of k-NN",
};

static STANDARDIZE: OptionInfo = OptionInfo {
    name: "standardize",
    flag: "standardize",
    kind: OptionKind::Choice(&["all", "training"]),
    default: "all",
    help: "Table 2: standardize with the means and variances of all rows, or of the training rows",
};

/// Registry entry.
pub(crate) static INFO: ProtocolInfo = ProtocolInfo {
    name: "hm13",
    aliases: &["hm13-table1", "hm13-table2"],
    purpose: "errors of k-NN with weights and maps: mdm, relief, simba, d-lmnn, lmnn",
    source: "Hocke & Martinetz 2013, section 3, Tables 1 and 2",
    quick: "3 splits of iris and wine",
    options: &[&RUNS, &K, &TARGET_NEIGHBORS, &STANDARDIZE],
    generates: false,
    adds: true,
    data: &[&IRIS, &WINE, &BREAST_CANCER, &PIMA],
    run,
};

/// The numbers of splits and of data sets in the quick form.
const QUICK: (usize, usize) = (3, 2);

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

/// The paper's numbers by table, set and method: error in percent, its standard deviation (called variance in the
/// paper), and rank.
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

/// The results of the runs of one method on one set.
#[derive(Debug, Clone, Default)]
struct Measured {
    /// The errors in percent.
    errors: Vec<f64>,
    ranks: Vec<f64>,
    /// The reason of the first failure, if any run failed.
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

    /// The paired test against the errors of another method on the same splits.
    fn against(&self, other: &Self) -> Option<PairedTest> {
        if self.failure.is_some() || other.failure.is_some() {
            return None;
        }
        let pairs = self.errors.iter().zip(&other.errors);
        paired_t_test(&pairs.map(|(own, other)| own - other).collect::<Vec<_>>(), 0.0)
    }
}

/// The results of one set: both tables, all methods.
struct SetResults {
    /// The index in [`SETS`].
    set: usize,
    tables: [Vec<Measured>; 2],
}

impl SetResults {
    fn compared(&self, table: usize) -> impl Iterator<Item = Compared> + '_ {
        let methods = METHODS.iter().zip(&self.tables[table]).zip(&PUBLISHED[table][self.set]);
        methods.map(|((&method, found), &(mean, deviation, _))| Compared {
            published: Published { set: self.name(), method, mean, deviation },
            runs: if found.failure.is_none() { found.errors.clone() } else { Vec::new() },
        })
    }
}

/// The results of a data set of the user, of which the paper has no numbers.
struct AddedResults {
    name: String,
    tables: [Vec<Measured>; 2],
}

impl AddedResults {
    /// The methods that were measured in a table.
    fn measured(&self, table: usize) -> impl Iterator<Item = (&'static str, &Measured)> {
        let methods = METHODS.into_iter().zip(&self.tables[table]);
        methods.filter(|(_, found)| found.failure.is_none())
    }

    /// Its lines in the CSV of a table.
    fn csv(&self, table: usize) -> String {
        let line = |(method, found): (&str, &Measured)| {
            let (mean, deviation) = (found.mean(), deviation(&found.errors));
            let name = csv_cell(&self.name);
            format!("{name},{method},{mean},{deviation},{},,,,\n", found.errors.len())
        };
        self.measured(table).map(line).collect()
    }

    /// Its rows in a table next to the paper's.
    fn rows(&self, table: usize) -> impl Iterator<Item = Vec<String>> {
        self.measured(table).map(|(method, found)| {
            let here = format!("{:.2} ({:.2})", found.mean(), deviation(&found.errors));
            let cells = [&*self.name, method, "", &here, "", "added"];
            cells.map(String::from).to_vec()
        })
    }
}

/// The names and both tables of all data sets, the paper's first.
fn every_set<'r>(
    all: &'r [SetResults],
    own: &'r [AddedResults],
) -> impl Iterator<Item = (&'r str, &'r [Vec<Measured>; 2])> {
    let published = all.iter().map(|found| (found.name(), &found.tables));
    published.chain(own.iter().map(|found| (&*found.name, &found.tables)))
}

fn run(work: &Work<'_>) -> Result<Results> {
    let Work { settings, quick, data, added, checkpoints, run } = *work;
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
    // Both tables of one data set; `set` is the number by which its splits are drawn.
    let measure = |data: &Data, set: usize, label: &str| -> Result<[Vec<Measured>; 2]> {
        let splits = Split::halves(&data.target, None, runs, run.seed(), set as u64)?;
        let judged = |table: &Table<'_>, scaling: Scaling, name: &str| -> Result<Vec<Measured>> {
            let trial = NestedCv {
                table,
                target: &data.target,
                groups: None,
                weights: None,
                knn: KnnSettings {
                    metric: Metric::Euclidean,
                    scaling,
                    weight_use: WeightUse::Distance,
                    one_unit: true,
                    ..KnnSettings::default()
                },
                dimensions: Dimensions::All,
                counts: vec![settings.count(&K)?],
                folds: 2,
            };
            let candidates: Vec<ParameterGrid> = methods
                .iter()
                .map(|text| ParameterGrid::parse(text, scaling))
                .collect::<Result<_>>()?;
            let name = format!("{name}/{label}/");
            let cells = compare(&trial, &candidates, &splits, &name, checkpoints, run)?;
            Ok(cells.iter().map(|cells| Measured::of_cells(cells)).collect())
        };
        let first = judged(&data.table, Scaling::None, "table1")?;
        let second = match settings.text(&STANDARDIZE)? {
            "all" => judged(&standardized(&data.table)?, Scaling::None, "table2")?,
            _ => judged(&data.table, Scaling::Standard, "table2")?,
        };
        Ok([first, second])
    };
    let mut all = Vec::new();
    for (set, (file, _)) in SETS.iter().enumerate().take(sets) {
        let Some(data) = data.load(file, run)? else { continue };
        all.push(SetResults { set, tables: measure(&data, set, file.file)? });
    }
    if all.is_empty() && added.is_empty() {
        return Err(nothing_for_quick());
    }
    let own = |set: &AddedSet| {
        // Split as the paper's first data set, and as `basrelief evaluate --protocol halves:10` splits.
        let tables = measure(&set.data, 0, &format!("added/{}", set.name))?;
        Ok(AddedResults { name: set.name.clone(), tables })
    };
    let own: Vec<AddedResults> = added.iter().map(own).collect::<Result<_>>()?;
    let compared = |table: usize| -> Vec<Compared> {
        all.iter().flat_map(|found| found.compared(table)).collect()
    };
    let both = [compared(0), compared(1)];
    let mut files: Vec<(&'static str, String)> = Vec::new();
    for (place, [numbers, figure]) in
        [["table1.csv", "table1.svg"], ["table2.csv", "table2.svg"]].into_iter().enumerate()
    {
        let own: String = own.iter().map(|own| own.csv(place)).collect();
        files.push((numbers, csv(&both[place]) + &own));
        // The figure shows our means over the paper's.
        if !all.is_empty() {
            files.push((
                figure,
                picture(&format!("Table {}", place + 1), "mean error in %", &both[place])?,
            ));
        }
    }
    files.push(("runs.csv", every_run(&all, &own)));
    Ok(Results {
        opening: opening(settings, runs, quick, added)?,
        tables: tables(&all, &both, &own),
        note: "",
        basis: basis(runs, all.len()),
        claims: claims(&all),
        remarks: failures(&all, &own),
        files,
    })
}

/// Standardizes every column to mean 0 and variance 1 (with denominator n); constant columns become 0.
fn standardized(table: &Table<'_>) -> Result<Table<'static>> {
    let one = |column: &Column<'_>| {
        let mut values = Vec::new();
        column.copy_values(&mut values);
        let center = mean(&values);
        values.iter_mut().for_each(|value| *value -= center);
        let deviation = mean(&values.iter().map(|value| value * value).collect::<Vec<_>>()).sqrt();
        if deviation > 0.0 {
            values.iter_mut().for_each(|value| *value /= deviation);
        }
        Column::from_values(column.name(), values)
    };
    Table::new(table.columns().iter().map(one).collect::<Result<_>>()?)
}

/// The results of every run of every method, as CSV.
fn every_run(all: &[SetResults], own: &[AddedResults]) -> String {
    let mut text = String::from("table,set,method,run,error_percent,rank\n");
    for (name, tables) in every_set(all, own) {
        let name = csv_cell(name);
        for (table, methods) in tables.iter().enumerate() {
            for (method, measured) in METHODS.iter().zip(methods) {
                for (run, (error, rank)) in measured.errors.iter().zip(&measured.ranks).enumerate()
                {
                    let table = table + 1;
                    let _ = writeln!(text, "{table},{name},{method},{run},{error},{rank}");
                }
            }
        }
    }
    text
}

/// The description of the experiment.
fn opening(settings: &Settings, runs: usize, quick: bool, added: &[AddedSet]) -> Result<String> {
    let mut text = format!(
        "HM13: errors of k-NN with weights and maps\n({})\n\n{runs} stratified splits of every set into \
         halves; k = {}, {} target neighbors; the same\nsplits in both tables; errors in percent.\n",
        INFO.source,
        settings.count(&K)?,
        settings.count(&TARGET_NEIGHBORS)?,
    );
    if quick {
        let _ = writeln!(text, "Quick form: {}.", INFO.quick);
    }
    for AddedSet { name, data, .. } in added {
        let (rows, width) = (data.table.rows(), data.table.width());
        let classes = data.target.classes(name)?.len();
        let _ = writeln!(text, "Added: {name}, {rows} rows, {width} features, {classes} classes.");
    }
    Ok(text)
}

/// The test, the splits and the data sets of the verdicts.
fn basis(runs: usize, sets: usize) -> String {
    format!("paired t-tests, {runs} splits of {sets} of {} data sets", SETS.len())
}

/// The methods that failed, with the reasons.
fn failures(all: &[SetResults], own: &[AddedResults]) -> Vec<String> {
    let mut failures = Vec::new();
    for (name, tables) in every_set(all, own) {
        for (table, methods) in tables.iter().enumerate() {
            for (method, measured) in METHODS.iter().zip(methods) {
                if let Some(failure) = &measured.failure {
                    let table = table + 1;
                    failures.push(format!("Table {table}: {method} failed on {name}: {failure}"));
                }
            }
        }
    }
    failures
}

/// Both tables with the paper's numbers, and the ranks.
fn tables(all: &[SetResults], both: &[Vec<Compared>; 2], own: &[AddedResults]) -> Vec<ShownTable> {
    let titles = ["Table 1, raw data", "Table 2, features standardized to mean 0 and variance 1"];
    let mut tables: Vec<ShownTable> =
        titles.iter().zip(both).map(|(title, compared)| table(title, compared)).collect();
    for (place, table) in tables.iter_mut().enumerate() {
        table.rows.extend(own.iter().flat_map(|own| own.rows(place)));
    }
    let mut rows = Vec::new();
    for found in all {
        for (table, methods) in found.tables.iter().enumerate() {
            let mut row = vec![format!("{}, Table {}", found.name(), table + 1)];
            for (measured, published) in methods.iter().zip(&PUBLISHED[table][found.set]) {
                row.push(format!("{:.1} ({:.1})", mean(&measured.ranks), published.2));
            }
            rows.push(row);
        }
    }
    for found in own {
        for (table, methods) in found.tables.iter().enumerate() {
            let mut row = vec![format!("{}, Table {}", found.name, table + 1)];
            let measured = methods.iter().map(|measured| match measured.failure {
                None => format!("{:.1}", mean(&measured.ranks)),
                Some(_) => String::new(),
            });
            row.extend(measured);
            rows.push(row);
        }
    }
    let heads: Vec<&str> = ["set"].into_iter().chain(METHODS).collect();
    tables.push(numbers_table("Mean ranks, the paper's in brackets".to_string(), &heads, rows));
    tables
}

/// Compares two methods in a table: the paired test, and the evidence as text.
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
            "{} {:.2}, {} {:.2} (paired t-test, {} splits: p = {})",
            METHODS[one],
            methods[one].mean(),
            METHODS[other],
            methods[other].mean(),
            methods[one].errors.len(),
            chance(test.p_value)
        ),
    };
    (test, evidence)
}

/// Formats a p-value.
fn chance(p_value: f64) -> String {
    match p_value {
        0.0 => "0".to_string(),
        small if small < 0.01 => format!("{small:.0e}"),
        other => format!("{other:.2}"),
    }
}

/// Whether the first method is significantly better.
fn is_better(test: &PairedTest) -> bool {
    test.difference < 0.0 && test.p_value < LEVEL
}

fn claims(all: &[SetResults]) -> Vec<Claim> {
    vec![
        Claim::about("Unprocessed: MDM has the smallest error", all, |found| least(found, 0, MDM)),
        Claim::about(
            "Unprocessed: MDM improves significantly on Euclidean distance",
            all,
            |found| {
                let (test, evidence) = beside(found, 0, MDM, EUCLIDEAN);
                verdict(&[test], |tests| is_better(&tests[0])).with(evidence)
            },
        ),
        Claim::about(
            "Unprocessed: Relief and Simba often deteriorate Euclidean k-NN",
            all,
            |found| {
                let tests = [RELIEF, SIMBA].map(|method| beside(found, 0, method, EUCLIDEAN));
                let worse = |tests: &[PairedTest]| tests.iter().any(|test| test.difference > 1e-9);
                verdict(&tests.each_ref().map(|found| found.0), worse)
                    .with(tests.map(|found| found.1).join("; "))
            },
        ),
        Claim::about(
            "The error of MDM is almost the same in both tables",
            all,
            same_in_both_tables,
        ),
        Claim::about(
            "Standardized: except on Pima, weights or a map beat Euclidean distance",
            all,
            |found| {
                let Finding { verdict, evidence } = least(found, 1, EUCLIDEAN);
                if found.set == PIMA_PLACE { verdict } else { verdict.negated() }.with(evidence)
            },
        ),
        Claim::about(
            "Standardized: LMNN is significantly better than all weights on Wine, and only there",
            all,
            |found| {
                let tests = WEIGHTINGS.map(|method| beside(found, 1, LMNN, method));
                let better = |tests: &[PairedTest]| tests.iter().all(is_better);
                let better = verdict(&tests.each_ref().map(|found| found.0), better);
                let verdict = if found.set == WINE_PLACE { better } else { better.negated() };
                verdict.with(tests.map(|found| found.1).join("; "))
            },
        ),
    ]
}

/// The indices in [`SETS`] of the sets in the claims.
const WINE_PLACE: usize = 1;
const PIMA_PLACE: usize = 3;

/// The verdict on tests; undecided if a method was not measured.
fn verdict(tests: &[Option<PairedTest>], holds: impl Fn(&[PairedTest]) -> bool) -> Verdict {
    let tests: Option<Vec<PairedTest>> = tests.iter().copied().collect();
    tests.map_or(Verdict::Open, |tests| Verdict::of_fact(holds(&tests)))
}

/// Whether the mean errors of MDM in both tables differ by at most a tenth of a percentage point.
fn same_in_both_tables(found: &SetResults) -> Finding {
    let (first, second) = (&found.tables[0][MDM], &found.tables[1][MDM]);
    if first.failure.is_some() || second.failure.is_some() {
        return Finding::no_result();
    }
    let same = first.errors.iter().zip(&second.errors).filter(|(a, b)| a == b).count();
    let (means, runs) = ((first.mean(), second.mean()), first.errors.len());
    Verdict::of_fact((means.0 - means.1).abs() <= 0.1)
        .with(format!("{:.2} and {:.2}, equal in {same} of {runs} splits", means.0, means.1))
}

/// Whether a method has the smallest mean error of a table.
fn least(found: &SetResults, table: usize, method: usize) -> Finding {
    let methods = &found.tables[table];
    let known = |&place: &usize| methods[place].failure.is_none();
    let rival = (0..METHODS.len())
        .filter(known)
        .filter(|&place| place != method)
        .min_by(|&a, &b| methods[a].mean().total_cmp(&methods[b].mean()));
    match rival.filter(|_| known(&method)) {
        None => Verdict::Open.with("nothing to compare with"),
        Some(rival) => Verdict::of_fact(methods[method].mean() <= methods[rival].mean())
            .with(beside(found, table, method, rival).1),
    }
}

impl Subject for SetResults {
    fn name(&self) -> &'static str {
        SETS[self.set].1
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

    fn verdicts(found: SetResults) -> Vec<Verdict> {
        claims(&[found]).iter().flat_map(Claim::verdicts).collect()
    }

    #[test]
    fn claims_by_hand() {
        use Verdict::{Fails, Holds, Open};
        // MDM is significantly better than Euclidean distance, no method beats MDM, and LMNN is equal to the other
        // methods.
        let one = || set(0, [5.0, 5.1, 5.2], [10.0; 3]);
        assert_eq!(verdicts(one()), [Holds, Holds, Fails, Holds, Holds, Holds]);
        // LMNN beats all methods; in the paper it is the best only on Wine.
        let better = [1.0, 1.1, 1.2];
        let found = verdicts(set(0, [5.0; 3], better));
        assert_eq!(found, [Fails, Holds, Fails, Holds, Holds, Fails]);
        assert_eq!(verdicts(set(WINE_PLACE, [5.0; 3], better))[5], Holds);
        // A difference that is not significant is not an improvement.
        assert_eq!(verdicts(set(0, [1.0, 30.0, 1.0], better))[1], Fails);
        // Euclidean distance is the best on Pima, and only there.
        let worse = [11.0; 3];
        assert_eq!(verdicts(set(PIMA_PLACE, worse, worse))[4], Holds);
        assert_eq!(verdicts(set(0, worse, worse))[4], Fails);
        // MDM must not change from table to table.
        let mut changed = one();
        changed.tables[1][MDM].errors[0] = 6.0;
        assert_eq!(verdicts(changed)[3], Fails);
        // A method that failed decides nothing.
        let mut failed = one();
        failed.tables[0][MDM].failure = Some("it failed".to_string());
        assert!(beside(&failed, 0, MDM, EUCLIDEAN).1.contains("not both measured"));
        let evidence = beside(&one(), 0, MDM, EUCLIDEAN).1;
        assert!(
            evidence.starts_with("MDM 5.10, Euclidean 10.00 (paired t-test, 3 splits: p = "),
            "{evidence}"
        );
        assert_eq!(basis(3, 2), "paired t-tests, 3 splits of 2 of 4 data sets");
        assert_eq!(verdicts(failed), [Open, Open, Fails, Open, Holds, Holds]);
    }

    #[test]
    fn columns_are_standardized_by_all_rows() {
        let values = [1.0, 7.0, 3.0, 7.0, 5.0, 7.0];
        let table = Table::from_row_major(&values, 3, &["a", "b"]).unwrap();
        let found = standardized(&table).unwrap();
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
