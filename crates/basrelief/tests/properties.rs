//! What must hold for every method of the registry, present and future.

mod common;

use basrelief::data::{Categories, Column, MISSING_GENOTYPE, Survival, Table, Target, Values};
use basrelief::methods::{METHODS, MethodInfo, Problem, Task};
use basrelief::neighbors::{
    GenotypeDiff, Grouping, Metric, MissingPolicy, NearestOptions, NearestRoute, NeighborWeights,
    Neighborhoods, PairSource, Space, SpaceOptions, Ties,
};
use common::{classes, has_warning, largest_difference, numeric, run};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Every method with every kind of target it takes.
fn cases() -> Vec<(&'static MethodInfo, Task)> {
    METHODS
        .iter()
        .flat_map(|method| match method.task {
            Task::Any => [Task::Classes, Task::Regression, Task::Survival]
                .map(|task| (*method, task))
                .to_vec(),
            task => vec![(*method, task)],
        })
        .collect()
}

/// Whether all weights lie in the range that the registry states for the method.
fn in_range(method: &MethodInfo, weights: &[f64]) -> bool {
    let (least, greatest) = method.range;
    weights.iter().all(|weight| (least..=greatest).contains(weight))
}

/// A mixed table with ties, gaps, and a relevant feature of every kind.
fn mixed(rows: usize, task: Task, seed: u64) -> (Table<'static>, Target) {
    mixed_with_gaps(rows, task, seed, 0.05)
}

/// Methods that weigh a metric by a program over all rows, not a sum over nearest neighbors:
/// the textbook sums do not apply, and rows of different classes must not be identical.
const PROGRAMS: &[&str] = &["mdm", "d-lmnn"];

/// A mixed table that the method takes.
fn suited(method: &MethodInfo, task: Task, rows: usize, seed: u64) -> (Table<'static>, Target) {
    let gaps = if method.missing { 0.05 } else { 0.0 };
    mixed_with_gaps(rows, task, seed, gaps)
}

fn mixed_with_gaps(rows: usize, task: Task, seed: u64, gaps: f64) -> (Table<'static>, Target) {
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    let n_classes = if task == Task::TwoClasses { 2 } else { 3 };
    let codes: Vec<u32> = (0..rows as u32).map(|row| row % n_classes).collect();
    let mut column = |make: &mut dyn FnMut(u32, f64) -> f64| -> Vec<f64> {
        codes
            .iter()
            .map(|&code| {
                let (u, gap): (f64, f64) = (generator.random(), generator.random());
                if gap < gaps { f64::NAN } else { make(code, u) }
            })
            .collect()
    };
    let relevant = column(&mut |code, u| f64::from(code) + 2.0 * u);
    let noise = column(&mut |_, u| u);
    let integer = column(&mut |code, u| (f64::from(code) + 4.0 * u).floor());
    let texts = column(&mut |_, u| (3.0 * u).floor());
    let genotypes = column(&mut |code, u| (f64::from(code) * 0.5 + 2.0 * u).floor().min(2.0));
    let levels = ["a", "b", "c"];
    let table = Table::new(vec![
        numeric("relevant", &relevant),
        numeric("noise", &noise),
        numeric("integer", &integer),
        Column::categorical(
            "text",
            Categories::from_texts(
                texts.iter().map(|v| (!v.is_nan()).then(|| levels[*v as usize])),
            ),
        ),
        Column::genotype(
            "snp",
            genotypes
                .iter()
                .map(|v| if v.is_nan() { 3 } else { *v as u8 })
                .collect::<Vec<u8>>()
                .into(),
        )
        .unwrap(),
    ])
    .unwrap();
    let target = match task {
        Task::Regression => {
            let noise: Vec<f64> = (0..rows).map(|_| generator.random()).collect();
            Target::real(codes.iter().zip(noise).map(|(c, u)| f64::from(*c) + u).collect()).unwrap()
        }
        Task::Survival => {
            let times = codes.iter().map(|c| f64::from(*c) + generator.random::<f64>()).collect();
            let events = codes.iter().map(|_| generator.random::<f64>() < 0.7).collect();
            Survival::new(times, events).unwrap().into()
        }
        _ => classes(&codes),
    };
    (table, target)
}

/// Visit rows one after the other in an order drawn by the seed, so that by definition their
/// weights depend on the order of the rows in the table.
const SEQUENTIAL: &[&str] = &["drelieff", "pdrelieff", "simba"];

/// Weights are the mean difference to nearest misses less that to nearest hits in a fixed space.
const FIXED_SPACE: &[&str] = &["relieff", "relief", "relief-e", "relief-margin"];

fn weights(method: &MethodInfo, table: &Table<'_>, target: &Target, threads: usize) -> Vec<f64> {
    let settings = method.settings::<&str, &str>(&[]).unwrap();
    let problem = Problem::new(table, target).unwrap();
    method.fit(&problem, &settings, &run(threads)).unwrap().model.weights().to_vec()
}

fn permuted(target: &Target, order: &[usize]) -> Target {
    target.select_rows(order).unwrap()
}

#[test]
fn weights_do_not_depend_on_the_order_of_rows_and_columns() {
    for (method, task) in cases() {
        let (table, target) = suited(method, task, 150, 1);
        let before = weights(method, &table, &target, 1);
        // 77 has no factor in common with 150, so this is a permutation.
        let rows: Vec<usize> = (0..150).map(|row| row * 77 % 150).collect();
        let shuffled = table.select_rows(&rows);
        let after = weights(method, &shuffled, &permuted(&target, &rows), 1);
        if !SEQUENTIAL.contains(&method.name) {
            assert!(largest_difference(&before, &after) < 1e-12, "{}", method.name);
        }

        let columns = [3, 0, 4, 2, 1];
        let moved = weights(method, &table.select_columns(&columns), &target, 1);
        let expected: Vec<f64> = columns.iter().map(|&f| before[f]).collect();
        assert!(largest_difference(&expected, &moved) < 1e-12, "{}", method.name);
    }
}

#[test]
fn rescaling_a_numeric_column_changes_nothing() {
    for (method, task) in cases() {
        let (table, target) = suited(method, task, 150, 2);
        let before = weights(method, &table, &target, 1);
        for (scale, offset) in [(0.3, -7.1), (1e6, 0.0), (-1.0 / 7.0, 3.0)] {
            let columns = table
                .columns()
                .iter()
                .map(|column| match column.values() {
                    Values::Numeric(values) => {
                        let scaled: Vec<f64> =
                            (0..values.len()).map(|r| values.get(r) * scale + offset).collect();
                        numeric(column.name(), &scaled)
                    }
                    _ => column.clone(),
                })
                .collect();
            // Reflecting a column turns its equal-frequency bins around.
            if method.name == "myopic" && scale < 0.0 {
                continue;
            }
            let after = weights(method, &Table::new(columns).unwrap(), &target, 1);
            let difference = largest_difference(&before, &after);
            // A program's objective is proven, its weights are a little less sharp.
            let bound = if PROGRAMS.contains(&method.name) { 1e-7 } else { 1e-9 };
            assert!(difference < bound, "{} {scale}: {difference:e}", method.name);
        }
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    for (method, task) in cases() {
        let (table, target) = suited(method, task, 400, 3);
        let one = weights(method, &table, &target, 1);
        for threads in [2, 3, 7] {
            assert_eq!(one, weights(method, &table, &target, threads), "{}", method.name);
        }
    }
}

/// Numbers with missing values in several blocks of rows: continuous ones, and with `grid` some on
/// grids; row 7 knows nothing, and a class knows nothing of the first column.
fn numbers_with_gaps(rows: usize, grid: bool, codes: &[u32]) -> Table<'static> {
    let mut generator = ChaCha8Rng::seed_from_u64(rows as u64);
    let columns = (0..12).map(|feature| {
        let values: Vec<f64> = (0..rows)
            .map(|row| {
                let (u, gap): (f64, f64) = (generator.random(), generator.random());
                let empty = row == 7 || (feature == 0 && codes[row] == 2);
                match gap < 0.1 || empty {
                    true => f64::NAN,
                    // Of 320 values, most are there more than once.
                    false if grid => (u * [5000.0, 320.0][feature % 2]).floor(),
                    false => u * u,
                }
            })
            .collect();
        numeric(&format!("f{feature}"), &values)
    });
    Table::new(columns.collect()).unwrap()
}

/// Genotypes and a category with missing values in several blocks of rows; row 7 knows nothing. Of few
/// columns, many rows are as far from each other.
fn genotypes_with_gaps(rows: usize, columns: usize) -> Table<'static> {
    let mut generator = ChaCha8Rng::seed_from_u64((rows * columns) as u64);
    let mut column = |feature: usize| {
        let copies = (0..rows).map(|row| match (row, generator.random_range(0..30_u32)) {
            (7, _) | (_, 0..3) => MISSING_GENOTYPE,
            (_, draw) => (draw % (feature as u32 % 3 + 4)).min(2) as u8,
        });
        let copies: Vec<u8> = copies.collect();
        if feature > 0 {
            return Column::genotype(format!("f{feature}"), copies.into()).unwrap();
        }
        let texts = copies.iter().map(|&copies| ["a", "b", "c"].get(usize::from(copies)).copied());
        Column::categorical("kind", Categories::from_texts(texts))
    };
    Table::new((0..columns).map(&mut column).collect()).unwrap()
}

/// The pairs of rows and their neighbors, to the bit.
fn pairs(source: &Neighborhoods<'_, '_>) -> Vec<(u32, usize, u32, u64)> {
    let mut pairs = Vec::new();
    source.visit(0..source.len(), &mut |row, group, neighbors| {
        pairs.extend(neighbors.iter().map(|n| (row, group, n.row, n.weight.to_bits())));
    });
    pairs
}

/// Asserts that the search that the library chooses finds some neighbors, and those of the sweep.
fn assert_as_swept(
    space: &Space<'_>,
    sampled: &[u32],
    grouping: Grouping<'_>,
    options: NearestOptions,
    what: &str,
) {
    let found = Neighborhoods::find(space, sampled, grouping, options, &run(2)).unwrap();
    let exact = run(1).with_routes([NearestRoute::Exact.name()]);
    let swept = Neighborhoods::find(space, sampled, grouping, options, &exact).unwrap();
    assert_eq!(swept.plan().route, NearestRoute::Exact.name());
    assert!(!pairs(&found).is_empty());
    assert_eq!(pairs(&found), pairs(&swept), "{what}");
}

#[test]
fn rounded_shares_of_genotypes_find_the_neighbors_of_the_sweep() {
    // Few columns, of which nothing is rounded in the end, since too many rows are tied.
    for (rows, columns, n_classes) in [(300, 40, 2), (700, 70, 5), (530, 6, 3)] {
        let codes: Vec<u32> = (0..rows as u32).map(|row| row * 7 % 13 % n_classes).collect();
        let (codes, n_classes) = (&codes[..], n_classes as usize);
        let table = genotypes_with_gaps(rows, columns);
        for (missing, genotype_diff, metric, k) in [
            (MissingPolicy::Expected, GenotypeDiff::Additive, Metric::Manhattan, 5),
            (MissingPolicy::Expected, GenotypeDiff::Categorical, Metric::Manhattan, 3),
            (MissingPolicy::Pessimistic, GenotypeDiff::Additive, Metric::Euclidean, 20),
        ] {
            let options =
                SpaceOptions { missing, genotype_diff, metric, ..SpaceOptions::default() };
            let space = Space::new(&table, Some((codes, n_classes)), options, &run(2)).unwrap();
            let sampled: Vec<u32> = (0..rows as u32).filter(|row| row % 3 != 1).collect();
            for ties in [Ties::Share, Ties::First] {
                for grouping in [Grouping::HitMiss(codes), Grouping::PerClass(codes, n_classes)] {
                    let options = NearestOptions { k, ties, weights: NeighborWeights::Uniform };
                    let what = format!("{rows} {columns} {missing:?}");
                    assert_as_swept(&space, &sampled, grouping, options, &what);
                }
            }
        }
    }
}

#[test]
fn rounded_numbers_with_gaps_find_the_neighbors_of_the_sweep() {
    // Few classes, and so many that a sweep looks their shares up.
    for (rows, n_classes) in [(300, 3), (700, 3), (600, 6)] {
        let codes: Vec<u32> = (0..rows as u32).map(|row| row * 7 % 13 % n_classes).collect();
        let (codes, n_classes) = (&codes[..], n_classes as usize);
        for (grid, missing, k) in [
            (false, MissingPolicy::Expected, 5),
            (true, MissingPolicy::Expected, 5),
            (false, MissingPolicy::Pessimistic, 20),
            (true, MissingPolicy::Pessimistic, 1),
        ] {
            let table = numbers_with_gaps(rows, grid, codes);
            let options = SpaceOptions { missing, ..SpaceOptions::default() };
            let space = Space::new(&table, Some((codes, n_classes)), options, &run(2)).unwrap();
            let sampled: Vec<u32> = (0..rows as u32).filter(|row| row % 3 != 1).collect();
            for ties in [Ties::Share, Ties::First] {
                for weights in [NeighborWeights::Uniform, NeighborWeights::Rank { sigma: 9.0 }] {
                    let options = NearestOptions { k, ties, weights };
                    let grouping = Grouping::PerClass(codes, n_classes);
                    let what = format!("{rows} {grid} {missing:?} {ties:?}");
                    assert_as_swept(&space, &sampled, grouping, options, &what);
                }
            }
        }
    }
}

#[test]
fn a_constant_or_empty_column_weighs_zero_and_disturbs_nothing() {
    for (method, task) in cases() {
        let (table, target) = suited(method, task, 120, 4);
        let before = weights(method, &table, &target, 2);
        let mut columns = table.into_columns();
        columns.insert(0, numeric("constant", &[2.5; 120]));
        columns.push(numeric("empty", &[f64::NAN; 120]));
        columns.push(Column::categorical("one", Categories::from_texts([Some("x"); 120])));
        let table = Table::new(columns).unwrap();
        let problem = Problem::new(&table, &target).unwrap();
        let settings = method.settings::<&str, &str>(&[]).unwrap();
        let fitted = method.fit(&problem, &settings, &run(2)).unwrap();
        let after = fitted.model.weights();
        assert_eq!((after[0], after[6], after[7]), (0.0, 0.0, 0.0), "{}", method.name);
        assert_eq!(before, after[1..6], "{}", method.name);
        assert!(has_warning(&fitted.report.warnings, "constant-features"));
        assert!(has_warning(&fitted.report.warnings, "empty-features"));
    }
}

#[test]
fn duplicated_columns_are_named_and_weigh_alike() {
    for (method, task) in cases() {
        let (table, target) = suited(method, task, 60, 5);
        let mut columns = table.into_columns();
        let Values::Numeric(values) = columns[0].values().clone() else { panic!("numeric first") };
        columns.push(Column::numeric("copy", values).unwrap());
        let table = Table::new(columns).unwrap();
        let problem = Problem::new(&table, &target).unwrap();
        let settings = method.settings::<&str, &str>(&[]).unwrap();
        let fitted = method.fit(&problem, &settings, &run(1)).unwrap();
        let weights = fitted.model.weights();
        assert_eq!(weights[0], weights[5], "{}", method.name);
        let warning = fitted.report.warnings.iter().find(|w| w.code() == "duplicate-features");
        assert!(warning.unwrap().to_string().contains("copy = relevant"));
    }
}

#[test]
fn weights_stay_within_their_bounds_and_find_the_relevant_features() {
    for (method, task) in cases() {
        let (table, target) = suited(method, task, 300, 6);
        let weights = weights(method, &table, &target, 1);
        assert!(in_range(method, &weights), "{} {weights:?}", method.name);
        // Far rows blur what a feature tells by itself: the starred methods are for interactions, and mu-relief prefers
        // rows at unusual distances, far ones too.
        if !method.name.ends_with('*') && method.name != "mu-relief" {
            assert!(weights[0] > weights[1], "{}: {weights:?}", method.name);
        }
    }
}

/// Few values, many rows: hundreds of rows are tied at the k-th place, more than a list holds.
#[test]
fn masses_of_ties_are_shared_exactly() {
    let rows = 500;
    let classified =
        cases().into_iter().filter(|(_, task)| !matches!(task, Task::Regression | Task::Survival));
    for (method, _) in classified.filter(|(method, _)| !PROGRAMS.contains(&method.name)) {
        let bits =
            |step: usize| -> Vec<f64> { (0..rows).map(|row| ((row / step) % 2) as f64).collect() };
        let table = Table::new(vec![numeric("a", &bits(2)), numeric("b", &bits(4))]).unwrap();
        let codes: Vec<u32> =
            (0..rows as u32).map(|row| (row / 2 + row / 4 + u32::from(row % 8 == 0)) % 2).collect();
        let target = classes(&codes);
        let before = weights(method, &table, &target, 2);
        if FIXED_SPACE.contains(&method.name) {
            let naive = common::Naive::new(
                &table,
                codes.iter().map(|c| *c as usize).collect(),
                Default::default(),
            );
            let k = if method.name == "relieff" { 10 } else { 1 };
            let sampled: Vec<usize> = (0..rows).collect();
            let mut expected = naive.hit_miss(
                &sampled,
                k,
                Default::default(),
                Default::default(),
                method.name != "relieff",
            );
            if method.name == "relief-margin" {
                let norm = expected.iter().map(|z| z.max(0.0).powi(2)).sum::<f64>().sqrt();
                expected.iter_mut().for_each(|z| *z = z.max(0.0) / norm.max(1e-300));
            }
            let difference = largest_difference(&before, &expected);
            assert!(difference < 1e-12, "{}: {before:?} {expected:?}", method.name);
        }
        let reversed: Vec<usize> = (0..rows).rev().collect();
        let after =
            weights(method, &table.select_rows(&reversed), &permuted(&target, &reversed), 1);
        if !SEQUENTIAL.contains(&method.name) {
            assert!(largest_difference(&before, &after) < 1e-12, "{}", method.name);
        }
    }
}

/// No panic, NaN or hang: an error that says something, or finite weights.
#[test]
fn degenerate_input_ends_in_a_clear_error_or_a_finite_result() {
    let x = |n: usize| (0..n).map(|row| row as f64 * 0.37 % 1.0).collect::<Vec<_>>();
    let tables: Vec<(&str, Table<'static>)> = vec![
        ("no column", Table::new(vec![]).unwrap()),
        ("one row", Table::new(vec![numeric("x", &x(1))]).unwrap()),
        ("two rows", Table::new(vec![numeric("x", &x(2))]).unwrap()),
        ("constant", Table::new(vec![numeric("x", &[3.0; 6])]).unwrap()),
        ("constant, more rows than a panel", Table::new(vec![numeric("x", &[3.0; 20])]).unwrap()),
        ("all missing", Table::new(vec![numeric("x", &[f64::NAN; 20])]).unwrap()),
        ("few rows", Table::new(vec![numeric("x", &x(6)), numeric("z", &[1.0; 6])]).unwrap()),
        (
            "rows without a value in common",
            Table::new(vec![
                numeric("x", &[1.0, 2.0, 3.0, f64::NAN, f64::NAN, f64::NAN]),
                numeric("z", &[f64::NAN, f64::NAN, f64::NAN, 1.0, 2.0, 3.0]),
            ])
            .unwrap(),
        ),
        ("huge and tiny", {
            let values = [1e300, -1e300, 0.0, 1e-300, 5e-324, 1.0];
            Table::new(vec![
                numeric("x", &values),
                numeric("z", &[0.0, 5e-324, 0.0, 0.0, 0.0, 0.0]),
            ])
            .unwrap()
        }),
    ];
    for method in METHODS {
        for (name, table) in &tables {
            let rows = table.rows();
            let mut targets = vec![classes(&vec![0; rows])];
            targets.push(classes(&(0..rows as u32).map(|row| row % 2).collect::<Vec<_>>()));
            targets.push(classes(
                &(0..rows as u32).map(|row| u32::from(row == 0)).collect::<Vec<_>>(),
            ));
            targets.push(classes(&(0..rows as u32).collect::<Vec<_>>()));
            targets.push(Target::real(vec![1.0; rows]).unwrap());
            targets.push(Target::real((0..rows).map(|row| row as f64).collect()).unwrap());
            for target in &targets {
                for missing in ["expected", "ignore", "pessimistic"] {
                    let given = [("missing", missing)];
                    let takes = method.options.iter().any(|option| option.name == "missing");
                    let given = if takes { &given[..] } else { &[] };
                    // Not every method takes every policy.
                    let Ok(settings) = method.settings(given) else {
                        assert_eq!(missing, "ignore", "{}", method.name);
                        continue;
                    };
                    let fitted = Problem::new(table, target)
                        .and_then(|problem| method.fit(&problem, &settings, &run(1)));
                    match fitted {
                        Ok(fitted) => assert!(
                            in_range(method, fitted.model.weights()),
                            "{} {name} {:?}",
                            method.name,
                            fitted.model
                        ),
                        Err(error) => {
                            let text = error.to_string();
                            assert!(
                                text.contains("; ") && !text.contains("internal"),
                                "{} {name}: {text}",
                                method.name
                            );
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn missing_values_are_taken_or_refused_as_the_registry_says() {
    for (method, task) in cases() {
        let (table, target) = mixed_with_gaps(60, task, 11, 0.1);
        let problem = Problem::new(&table, &target).unwrap();
        let settings = method.settings::<&str, &str>(&[]).unwrap();
        let fitted = method.fit(&problem, &settings, &run(1));
        match fitted {
            Ok(_) => assert!(method.missing, "{}", method.name),
            Err(error) => {
                assert!(!method.missing, "{}: {error}", method.name);
                assert!(error.to_string().contains("missing"), "{error}");
            }
        }
    }
}

/// Two bits whose parity is the target, and noise.
#[test]
fn interactions_are_found_as_the_registry_says() {
    for (method, task) in cases() {
        let mut generator = ChaCha8Rng::seed_from_u64(12);
        let codes: Vec<u32> = (0..200).map(|_| generator.random_range(0..4)).collect();
        let bit = |place: u32| codes.iter().map(|code| f64::from(code >> place & 1)).collect();
        let (a, b): (Vec<f64>, Vec<f64>) = (bit(0), bit(1));
        let mut columns = vec![numeric("a", &a), numeric("b", &b)];
        for name in ["noise 1", "noise 2", "noise 3"] {
            let noise: Vec<f64> = codes.iter().map(|_| generator.random()).collect();
            columns.push(numeric(name, &noise));
        }
        let parity = |code: &u32| (code & 1) ^ (code >> 1);
        let target = match task {
            Task::Regression => Target::real(codes.iter().map(|c| f64::from(parity(c))).collect()),
            Task::Survival => {
                let times = codes.iter().map(|c| 1.0 + f64::from(parity(c))).collect();
                Survival::new(times, vec![true; codes.len()]).map(Target::from)
            }
            _ => Ok(classes(&codes.iter().map(parity).collect::<Vec<_>>())),
        };
        let (table, target) = (Table::new(columns).unwrap(), target.unwrap());
        // A narrow kernel locks on one of two bits that are worth nothing without each other.
        let given = [("sigma", "3")];
        let given = if method.name == "irelief" { &given[..] } else { &[] };
        let problem = Problem::new(&table, &target).unwrap();
        let settings = method.settings(given).unwrap();
        let fitted = method.fit(&problem, &settings, &run(1)).unwrap();
        let weights = fitted.model.weights();
        let noise = weights[2..].iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let found = weights[0].min(weights[1]) > noise + 0.05;
        assert_eq!(found, method.interactions, "{} {task:?}: {weights:?}", method.name);
    }
}

#[test]
fn the_wrong_target_names_the_right_method() {
    for method in METHODS.iter().filter(|method| method.task != Task::Any) {
        let (table, _) = mixed(30, Task::Classes, 7);
        let wrong = match method.task {
            Task::Regression => classes(&[0, 1, 2].repeat(10)),
            _ => Target::real((0..30).map(f64::from).collect()).unwrap(),
        };
        let settings = method.settings::<&str, &str>(&[]).unwrap();
        let problem = Problem::new(&table, &wrong).unwrap();
        let error = method.fit(&problem, &settings, &run(1)).unwrap_err().to_string();
        let right = match method.task {
            Task::Regression | Task::Survival => "relieff",
            _ => "rrelieff",
        };
        assert!(error.contains(&format!("use {right}")), "{error}");
    }
}

#[test]
fn sampling_is_seeded_and_bounded() {
    let (table, target) = mixed(90, Task::Classes, 8);
    let problem = Problem::new(&table, &target).unwrap();
    let relieff = basrelief::methods::method("relieff").unwrap();
    let fit = |samples: &str, seed: u64, threads: usize| {
        let settings = relieff.settings(&[("samples", samples)])?;
        relieff.fit(&problem, &settings, &run(threads).with_seed(seed))
    };
    let some = fit("40", 1, 1).unwrap();
    assert_eq!(some.model, fit("40", 1, 2).unwrap().model);
    assert_ne!(some.model, fit("40", 2, 1).unwrap().model);
    assert!(has_warning(&some.report.warnings, "sampled-rows"));
    assert_eq!(fit("all", 1, 1).unwrap().model, fit("90", 2, 1).unwrap().model);
    for (samples, part) in [("91", "cannot be sampled from 90"), ("0", "0 is less than 1")] {
        let error = fit(samples, 1, 1).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}

/// Enough values that one row's distances are shared among threads.
#[test]
fn threads_inside_a_row_change_no_bit() {
    let mut generator = ChaCha8Rng::seed_from_u64(10);
    let (rows, width) = (600, 120);
    let columns = (0..width)
        .map(|feature| {
            let gap = if feature % 10 == 0 { 0.05 } else { 0.0 };
            let values: Vec<f64> = (0..rows)
                .map(|_| if generator.random_bool(gap) { f64::NAN } else { generator.random() })
                .collect();
            numeric(&format!("f{feature}"), &values)
        })
        .collect();
    let table = Table::new(columns).unwrap();
    let target = classes(&(0..rows).map(|row| row % 3).collect::<Vec<_>>());
    let problem = Problem::new(&table, &target).unwrap();
    let cases: [(&str, &[(&str, &str)]); 6] = [
        ("multisurf*", &[("compat", "skrebate"), ("missing", "ignore")]),
        ("lmba", &[("max_iter", "2")]),
        ("simba", &[("steps", "60"), ("restarts", "2")]),
        ("drelieff", &[("n_samples", "60")]),
        ("irelief", &[("mode", "online"), ("max_iter", "1")]),
        ("irelief", &[("max_iter", "2"), ("missing", "ignore")]),
    ];
    for (name, given) in cases {
        let method = basrelief::methods::method(name).unwrap();
        let settings = method.settings(given).unwrap();
        let fit = |threads| method.fit(&problem, &settings, &run(threads)).unwrap().model;
        assert_eq!(fit(1), fit(3), "{name}");
    }
}

#[test]
fn a_raised_flag_stops_the_work() {
    for (method, task) in cases() {
        let (table, target) = suited(method, task, 200, 9);
        let flag = basrelief::CancelFlag::new();
        flag.cancel();
        let run = run(2).with_cancel(flag);
        let problem = Problem::new(&table, &target).unwrap();
        let settings = method.settings::<&str, &str>(&[]).unwrap();
        let error = method.fit(&problem, &settings, &run).unwrap_err();
        assert!(matches!(error, basrelief::Error::Cancelled), "{}", method.name);
    }
}
