//! Frozen results: a change of the engine must not change a weight unnoticed.
//!
//! `frozen.txt` contains, per table and method, a fingerprint of all bits of the weights (FNV-1a) and a
//! weighted sum of them. Where the fingerprint differs, the sum shows by how much. The tables are random
//! tables of every kind, those of the generators and, where they are available, the shared data sets.
//!
//! `BASRELIEF_FREEZE=1 cargo test -p basrelief --test frozen` rewrites the file; the change log gives the
//! reason for changed results.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use basrelief::Run;
use basrelief::data::synth::GENERATORS;
use basrelief::data::{
    Categories, Classes, Column, KindOverrides, MISSING_GENOTYPE, RawColumn, RawTable, RawValues,
    Table, Target, TargetKind, build_problem_parts, is_missing_text,
};
use basrelief::methods::{METHODS, MethodInfo, Problem, Task};

/// Methods that compute sums over neighbors once, which are fast enough for all tables.
const FAST: &[&str] = &[
    "relieff",
    "rrelieff",
    "surf",
    "surf*",
    "multisurf",
    "multisurf*",
    "swrf",
    "swrf*",
    "multiswrf",
    "multiswrf*",
    "multiswrfdb",
    "multiswrfdb*",
    "relief",
    "relief-e",
    "relief-margin",
    "myopic",
];

/// Options that lead another way through the engine, for methods that have them.
const VARIANTS: &[&[(&str, &str)]] = &[
    &[],
    &[("metric", "euclidean")],
    &[("missing", "ignore")],
    &[("missing", "pessimistic"), ("ties", "first")],
    &[("ramp", "0.05:0.2"), ("genotype_diff", "categorical")],
    &[("neighbor_weights", "rank:3"), ("n_neighbors", "3")],
    &[("n_samples", "8"), ("genotype_diff", "categorical")],
];

/// A table with its target.
struct Case {
    name: String,
    table: Table<'static>,
    target: Target,
}

/// Numbers in [0, 1) that are the same on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        // xorshift64*, of which the upper 53 bits are a number.
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Columns of one kind, or of all kinds in turn.
fn random_table(kind: &str, rows: usize, columns: usize, missing: f64) -> Case {
    let mut random = Random(rows as u64 * 7919 + columns as u64 * 31 + kind.len() as u64);
    let codes: Vec<usize> =
        (0..rows).map(|row| row % if columns.is_multiple_of(2) { 2 } else { 3 }).collect();
    let kinds = ["numbers", "tenths", "thirds", "texts", "levels", "genotypes"];
    let mut column = |index: usize| {
        let kind = if kind == "mixed" { kinds[index % kinds.len()] } else { kind };
        // The first two columns tell of the classes.
        let mut cell = |row: usize| -> Option<f64> {
            let (u, lost) = (random.next(), random.next() < missing);
            let told = if index < 2 { 0.2 * codes[row] as f64 } else { 0.0 };
            (!lost).then_some(0.6 * u + told)
        };
        let cells: Vec<Option<f64>> = (0..rows).map(&mut cell).collect();
        let name = format!("f{index}");
        let numbers = |number: &dyn Fn(f64) -> f64| {
            let values = cells.iter().map(|cell| cell.map_or(f64::NAN, number)).collect();
            Column::from_values(&name, values).unwrap()
        };
        let texts = |levels: f64| {
            let texts: Vec<Option<String>> = cells
                .iter()
                .map(|cell| cell.map(|u| format!("t{}", (u * levels) as u32)))
                .collect();
            let texts = texts.iter().map(|text| text.as_deref());
            Column::categorical(name.clone(), Categories::from_texts(texts))
        };
        match kind {
            "numbers" => numbers(&|u| u * 3.7 - 1.0),
            "tenths" => numbers(&|u| (u * 40.0).floor() / 10.0),
            "thirds" => numbers(&|u| (u * 9.0).floor() / 3.0),
            "few" => numbers(&|u| (u * 3.0).floor() * 5.0),
            "texts" => texts(3.0),
            "levels" => texts(23.0),
            _ => {
                let copies: Vec<u8> = cells
                    .iter()
                    .map(|cell| cell.map_or(MISSING_GENOTYPE, |u| (u * 3.0) as u8))
                    .collect();
                Column::genotype(name.clone(), copies.into()).unwrap()
            }
        }
    };
    let table = Table::new((0..columns).map(&mut column).collect()).unwrap();
    let labels: Vec<String> = codes.iter().map(|code| format!("c{code}")).collect();
    let target = Target::Classes(Classes::from_labels(&labels));
    Case { name: format!("{kind}-{rows}x{columns}-{missing}"), table, target }
}

fn random_tables() -> Vec<Case> {
    let mut tables = Vec::new();
    for kind in ["numbers", "tenths", "thirds", "few", "texts", "levels", "genotypes", "mixed"] {
        for missing in [0.0, 0.07] {
            tables.push(random_table(kind, 70, 9, missing));
            tables.push(random_table(kind, 300, 20, missing));
        }
    }
    // Where paths switch: a feature alone, trees, more rows than distances are kept of, wide tables.
    for (kind, rows, columns, missing) in [
        ("numbers", 9, 1, 0.0),
        ("numbers", 2100, 3, 0.0),
        ("few", 1200, 2, 0.0),
        ("numbers", 640, 70, 0.0),
        ("numbers", 640, 70, 0.05),
        ("mixed", 640, 80, 0.03),
        ("genotypes", 640, 300, 0.0),
        ("genotypes", 640, 300, 0.05),
        ("numbers", 4200, 4, 0.0),
        ("mixed", 4200, 7, 0.02),
    ] {
        tables.push(random_table(kind, rows, columns, missing));
    }
    // Real targets of the same tables.
    for (kind, missing) in [("numbers", 0.0), ("mixed", 0.07), ("genotypes", 0.0)] {
        let Case { name, table, .. } = random_table(kind, 300, 20, missing);
        let value = |row: usize| table.columns()[0].value(row);
        let values = (0..300).map(|row| {
            let value = value(row);
            if value.is_nan() { 0.1 } else { value + 0.01 * (row % 10) as f64 }
        });
        let target = Target::real(values.collect()).unwrap();
        tables.push(Case { name: format!("{name}-real"), table, target });
    }
    tables
}

fn generated_tables() -> Vec<Case> {
    let run = Run::new(Some(1)).unwrap().with_seed(7);
    let make = |info: &&basrelief::data::synth::GeneratorInfo| {
        let made = info.generate(&info.settings(&[("rows", "200")]).unwrap(), &run).unwrap();
        Case { name: info.name.to_string(), table: made.table, target: made.target }
    };
    GENERATORS.iter().map(make).collect()
}

/// The columns of a CSV file without quotes, as texts.
fn plain_csv(text: &str) -> RawTable {
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<&str>>());
    let names = lines.next().unwrap();
    let rows: Vec<Vec<&str>> = lines.collect();
    let column = |(place, name): (usize, &&str)| {
        let cells = rows.iter().map(|row| Some(row[place]).filter(|cell| !is_missing_text(cell)));
        RawColumn::new(*name, RawValues::Text(Categories::from_texts(cells)), None)
    };
    RawTable { columns: names.iter().enumerate().map(column).collect(), ..RawTable::default() }
}

/// The shared data sets that are available.
fn shared_tables() -> Vec<Case> {
    let given = std::env::var_os("BASRELIEF_DATA").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = given.unwrap_or(beside);
    let mut tables = Vec::new();
    for (file, kind) in [
        ("iris", TargetKind::Classes),
        ("wine", TargetKind::Classes),
        ("glass", TargetKind::Classes),
        ("hepatitis", TargetKind::Classes),
        ("credit_g", TargetKind::Classes),
        ("soybean", TargetKind::Classes),
        ("gametes_2way_missing", TargetKind::Classes),
        ("gametes_2way_mixed", TargetKind::Classes),
        ("hypothyroid", TargetKind::Classes),
        ("auto_mpg", TargetKind::Real),
        ("diabetes_regression", TargetKind::Real),
    ] {
        let path = folder.join(format!("{file}.csv"));
        if !path.is_file() {
            println!("frozen: {file} SKIPPED: it is not in the folder of data sets");
            continue;
        }
        let raw = plain_csv(&std::fs::read_to_string(&path).unwrap());
        let kinds = KindOverrides::default();
        let (table, target, _) = build_problem_parts(raw, "target", kind, &kinds, &[]).unwrap();
        tables.push(Case { name: file.to_string(), table, target });
    }
    tables
}

/// Whether a method takes a problem in reasonable time.
fn takes(method: &MethodInfo, Case { table, target, .. }: &Case) -> bool {
    let has_missing = || {
        let columns = table.columns().iter();
        columns.flat_map(|column| (0..column.len()).map(|row| column.value(row))).any(f64::is_nan)
    };
    let of_target = match (method.task, target) {
        (Task::Survival, _) | (_, Target::Survival(_)) => false,
        (Task::Regression, Target::Classes(_)) => false,
        (Task::Any | Task::Regression, Target::Real(_)) => true,
        (_, Target::Real(_)) => false,
        (Task::TwoClasses, Target::Classes(classes)) => classes.len() == 2,
        _ => true,
    };
    let is_fast = FAST.contains(&method.name);
    of_target
        && (is_fast || table.rows() <= 300 && table.width() <= 20)
        && (table.rows() < 1000 || table.rows() * table.width() <= 120_000)
        && (method.missing || !has_missing())
}

/// FNV-1a of all bits, and a sum in which every weight counts another multiple.
fn told(weights: &[f64]) -> (u64, f64) {
    let bytes = weights.iter().flat_map(|weight| weight.to_bits().to_le_bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    let sum = weights.iter().enumerate().map(|(at, weight)| weight * (1.0 + 0.3 * (at % 7) as f64));
    (hash, sum.sum())
}

/// A table, a method and its options.
type Fit<'t> = (&'t Case, &'static MethodInfo, &'static [(&'static str, &'static str)]);

/// Everything that is frozen: a line per table, method and options.
fn results() -> BTreeMap<String, (u64, f64)> {
    let tables: Vec<Case> =
        [random_tables(), generated_tables(), shared_tables()].into_iter().flatten().collect();
    let fits: Vec<Fit<'_>> = tables
        .iter()
        .flat_map(|problem| METHODS.iter().map(move |method| (problem, *method)))
        .filter(|(problem, method)| takes(method, problem))
        .flat_map(|(problem, method)| {
            let has = |name: &str| method.options.iter().any(|option| option.name == name);
            let is_small = problem.table.rows() <= 300;
            let variants = VARIANTS.iter().enumerate().filter(move |(at, variant)| {
                *at == 0
                    || FAST.contains(&method.name)
                        && is_small
                        && variant.iter().all(|(name, _)| has(name))
            });
            variants.map(move |(_, variant)| (problem, method, *variant))
        })
        .collect();
    let one = |run: &Run, (problem, method, variant): &Fit<'_>| {
        let settings = method.settings(variant).unwrap();
        let of_table = Problem::new(&problem.table, &problem.target).unwrap();
        let options: String =
            variant.iter().map(|(name, value)| format!(" {name}={value}")).collect();
        let name = format!("{} {}{options}", problem.name, method.name);
        let fitted = method.fit(&of_table, &settings, run);
        let fitted = fitted.unwrap_or_else(|error| panic!("{name}: {error}"));
        (name, told(fitted.model.weights()))
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        // On one thread each, because few fits keep all cores busy.
        let of_thread = |_| {
            scope.spawn(|| {
                let run = Run::new(Some(1)).unwrap().with_seed(3);
                let own = std::iter::from_fn(|| fits.get(next.fetch_add(1, Ordering::Relaxed)));
                own.map(|fit| one(&run, fit)).collect::<Vec<_>>()
            })
        };
        let started: Vec<_> = (0..threads).map(of_thread).collect();
        started.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    })
}

#[test]
fn weights_are_what_they_were() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/frozen.txt");
    let found = results();
    if std::env::var_os("BASRELIEF_FREEZE").is_some() {
        let mut text = String::new();
        for (name, (hash, sum)) in &found {
            writeln!(text, "{name}\t{hash:016x}\t{sum:e}").unwrap();
        }
        std::fs::write(&path, text).unwrap();
        return;
    }
    let text = std::fs::read_to_string(&path).unwrap();
    // Bits are those of one system's exponentials and roots; others agree in all digits that count.
    let exact = cfg!(all(target_os = "linux", target_arch = "x86_64"));
    let (mut compared, mut changed, mut most) = (0, Vec::new(), 0.0_f64);
    for line in text.lines() {
        let mut cells = line.split('\t');
        let (name, hash, sum) =
            (cells.next().unwrap(), cells.next().unwrap(), cells.next().unwrap());
        let Some((found_hash, found_sum)) = found.get(name) else {
            // Data sets that are not there were named above.
            continue;
        };
        compared += 1;
        let (hash, sum) = (u64::from_str_radix(hash, 16).unwrap(), sum.parse::<f64>().unwrap());
        let apart = (sum - found_sum).abs() / sum.abs().max(1.0);
        if exact && hash != *found_hash || apart > 1e-9 {
            most = most.max(apart);
            changed.push(format!("{name}: {sum:e} became {found_sum:e}"));
        }
    }
    assert!(compared > 500, "only {compared} results were compared");
    assert!(
        changed.is_empty(),
        "{} of {compared} results changed, by {most:e} at most (BASRELIEF_SIMD is {:?}); if that is \
         meant, write them anew with BASRELIEF_FREEZE=1 and say why in the change log:\n{}",
        changed.len(),
        std::env::var("BASRELIEF_SIMD"),
        changed[..changed.len().min(40)].join("\n")
    );
}
