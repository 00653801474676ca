//! Sparse tables have the weights of the same tables made dense.

mod common;

use basrelief::data::{
    ClassPriors, Classes, Column, Compressed, GroupWeight, Groups, Roles, RowWeights, Survival,
    Table, Target,
};
use basrelief::methods::{METHODS, MapSettings, Pca, Problem, fit_map, method};
use basrelief::{Fitted, maps::FeatureRanking};
use common::tables::Random;
use common::{largest_difference, run};

/// More rows than one block of entries, and not a multiple of its panels.
const ROWS: usize = 149;

/// How the values of a table look.
const LOOKS: [&str; 7] =
    ["ones", "counts", "positive", "signed", "signed counts", "missing", "all"];

/// A cell of a table of this look; 0 has no entry.
fn cell(look: &str, random: &mut Random, share: f64, column: usize) -> f64 {
    let (there, u, missing) = (random.next() < share, random.next(), random.next() < 0.05);
    let look = if look == "all" { LOOKS[column % 6] } else { look };
    if look == "missing" && missing {
        return f64::NAN;
    }
    match look {
        _ if !there => 0.0,
        "ones" => 1.0,
        "counts" => 1.0 + (u * 4.0).floor(),
        "signed counts" => (u * 7.0).floor() - 3.0,
        "signed" => u * 3.0 - 1.7,
        _ => u + 0.01,
    }
}

/// The values of a table, row by row, with empty rows and columns, and columns of every share of entries.
fn cells(look: &str, columns: usize) -> Vec<Vec<f64>> {
    let mut random = Random(look.len() as u64 * 31 + columns as u64);
    let shares = [0.02, 0.1, 0.0, 0.2, 0.6, 0.05, 1.0, 0.15];
    (0..ROWS)
        .map(|row| {
            let share =
                |column: usize| if row % 17 == 3 { 0.0 } else { shares[column % shares.len()] };
            (0..columns).map(|column| cell(look, &mut random, share(column), column)).collect()
        })
        .collect()
}

fn names(columns: usize) -> Vec<String> {
    (0..columns).map(|column| format!("x{column}")).collect()
}

/// The same table sparse and dense. The sparse matrix has repeated, unsorted and zero entries.
fn tables(cells: &[Vec<f64>], is_single: bool) -> [Table<'static>; 2] {
    let columns = cells[0].len();
    let (mut starts, mut indices, mut values) = (vec![0_i64], Vec::new(), Vec::new());
    for (row, line) in cells.iter().enumerate() {
        for (column, &value) in line.iter().enumerate().rev() {
            let value = if is_single { f64::from(value as f32) } else { value };
            if value != 0.0 {
                // A sum that is exact.
                let parts = if row % 5 == 0 { [value * 0.5, value * 0.5] } else { [0.0, value] };
                indices.extend([column as i64; 2]);
                values.extend(parts);
            } else if (row + column) % 7 == 0 {
                indices.push(column as i64);
                values.push(0.0);
            }
        }
        starts.push(indices.len() as i64);
    }
    let (rows, run) = (cells.len(), run(2));
    let singles: Vec<f32> = values.iter().map(|&value| value as f32).collect();
    let matrix = if is_single {
        let all = Compressed {
            by_rows: true,
            rows,
            columns,
            starts: &starts,
            indices: &indices,
            values: &singles,
        };
        all.to_matrix(&run)
    } else {
        let all = Compressed {
            by_rows: true,
            rows,
            columns,
            starts: &starts,
            indices: &indices,
            values: &values,
        };
        all.to_matrix(&run)
    };
    let names = names(columns);
    let sparse =
        matrix.unwrap().into_features(&names.iter().collect(), &vec![None; columns], &run).unwrap();
    let dense = names.iter().enumerate().map(|(column, name)| {
        let values = cells.iter().map(|line| line[column]);
        if is_single {
            let values: Vec<f32> = values.map(|value| value as f32).collect();
            Column::numeric(name, values)
        } else {
            Column::from_values(name, values.collect())
        }
    });
    [Table::new(sparse).unwrap(), Table::new(dense.collect::<Result<_, _>>().unwrap()).unwrap()]
}

/// Classes that depend on some columns, numbers, and survival times.
fn targets(cells: &[Vec<f64>]) -> [Target; 3] {
    let mut random = Random(3);
    let known = |value: f64| if value.is_nan() { 0.0 } else { value };
    let score: Vec<f64> =
        cells.iter().map(|line| known(line[1]) + known(line[3]) + random.next()).collect();
    let labels: Vec<&str> =
        score.iter().map(|&score| ["a", "b", "c"][(score.abs() * 1.7) as usize % 3]).collect();
    let times = score.iter().map(|score| score.abs() + 0.5).collect();
    let events = (0..cells.len()).map(|row| row % 3 != 0).collect();
    [
        Target::Classes(Classes::from_labels(&labels)),
        Target::Real(score),
        Target::Survival(Survival::new(times, events).unwrap()),
    ]
}

type Choice = (&'static str, &'static [(&'static str, &'static str)]);

const OF_CLASSES: [Choice; 16] = [
    ("relieff", &[("n_neighbors", "4")]),
    ("relieff", &[("n_neighbors", "5"), ("neighbor_weights", "rank:3")]),
    ("relieff", &[("n_neighbors", "3,9")]),
    ("relieff", &[("n_neighbors", "3"), ("missing", "ignore")]),
    ("relieff", &[("n_neighbors", "3"), ("missing", "pessimistic"), ("n_samples", "40")]),
    ("relieff", &[("metric", "euclidean"), ("ties", "first")]),
    ("relief", &[]),
    ("relief-e", &[]),
    ("surf", &[]),
    ("surf*", &[]),
    ("multisurf", &[]),
    ("multisurf", &[("metric", "euclidean")]),
    ("multisurf*", &[]),
    ("swrf*", &[]),
    ("multiswrf", &[]),
    ("multiswrfdb", &[]),
];

const OF_NUMBERS: [Choice; 4] = [
    ("rrelieff", &[("n_neighbors", "6")]),
    ("rrelieff", &[("metric", "euclidean"), ("missing", "ignore")]),
    ("multisurf", &[]),
    ("surf*", &[]),
];

const OF_TIMES: [Choice; 1] = [("survival-relief", &[])];

fn fit(
    (name, given): Choice,
    (table, target): (&Table<'_>, &Target),
    roles: Roles<'_>,
    threads: usize,
) -> Fitted<FeatureRanking> {
    let info = method(name).unwrap_or_else(|_| panic!("{name}"));
    let problem = Problem::new(table, target).unwrap().with_roles(roles).unwrap();
    info.fit(&problem, &info.settings(given).unwrap(), &run(threads))
        .unwrap_or_else(|error| panic!("{name} {given:?}: {error}"))
}

fn choices(targets: &[Target; 3]) -> Vec<(Choice, &Target)> {
    let classes = targets[0].as_classes().unwrap();
    let two = |name: &str| {
        METHODS.iter().any(|info| info.name == name && format!("{:?}", info.task).contains("Two"))
    };
    OF_CLASSES
        .into_iter()
        .filter(|choice| classes.len() == 2 || !two(choice.0))
        .map(|choice| (choice, &targets[0]))
        .chain(OF_NUMBERS.map(|choice| (choice, &targets[1])))
        .chain(OF_TIMES.map(|choice| (choice, &targets[2])))
        .collect()
}

#[test]
fn weights_are_those_of_the_dense_table() {
    for look in LOOKS {
        for is_single in [false, true] {
            let cells = cells(look, 37);
            let [sparse, dense] = tables(&cells, is_single);
            assert!(sparse.has_sparse() && !dense.has_sparse());
            let targets = targets(&cells);
            for (choice, target) in choices(&targets) {
                let found = fit(choice, (&sparse, target), Roles::default(), 1);
                let wanted = fit(choice, (&dense, target), Roles::default(), 2);
                let most = largest_difference(found.model.weights(), wanted.model.weights());
                assert!(most <= 1e-12, "{look} {is_single} {choice:?}: {most}");
                let again = fit(choice, (&sparse, target), Roles::default(), 3);
                assert_eq!(found.model.weights(), again.model.weights(), "{look} {choice:?}");
                let texts = |fitted: &Fitted<FeatureRanking>| {
                    fitted.report.warnings.iter().map(ToString::to_string).collect::<Vec<_>>()
                };
                assert_eq!(texts(&found), texts(&wanted), "{look} {choice:?}");
            }
        }
    }
}

#[test]
fn distances_of_whole_numbers_are_exact() {
    for look in ["ones", "counts", "signed counts"] {
        let cells = cells(look, 29);
        let [sparse, dense] = tables(&cells, false);
        // Ties are broken as in the dense table only if no distance is rounded.
        let labels: Vec<&str> = (0..ROWS).map(|row| ["a", "b"][row * row / 5 % 2]).collect();
        let target = &Target::Classes(Classes::from_labels(&labels));
        let cases: [Choice; 3] = [
            ("relieff", &[("ties", "first")]),
            ("relieff", &[("ties", "first"), ("metric", "euclidean"), ("n_neighbors", "3")]),
            ("relief-e", &[("ties", "first")]),
        ];
        for choice in cases {
            let found = fit(choice, (&sparse, target), Roles::default(), 2);
            let wanted = fit(choice, (&dense, target), Roles::default(), 2);
            let search = found.report.plan.search.as_ref().unwrap();
            assert!(search.search.contains(" sparse"), "{}", search.search);
            let sums = found.report.plan.sums.as_ref().unwrap();
            assert!(sums.sparse > 0 && sums.text().contains("1e-12"), "{}", sums.text());
            let most = largest_difference(found.model.weights(), wanted.model.weights());
            assert!(most <= 1e-14, "{look} {choice:?}: {most}");
        }
    }
}

#[test]
fn roles_of_rows_count_as_in_the_dense_table() {
    let cells = cells("all", 23);
    let [sparse, dense] = tables(&cells, false);
    let targets = targets(&cells);
    let labels: Vec<String> = (0..ROWS).map(|row| (row / 2).to_string()).collect();
    let groups = Groups::from_labels(&labels, GroupWeight::Group);
    let weights =
        RowWeights::new("w", (0..ROWS).map(|row| 1.0 + (row % 3) as f64).collect()).unwrap();
    let priors: ClassPriors = "uniform".parse().unwrap();
    for roles in [
        Roles::default().with_groups(Some(&groups)),
        Roles::default().with_weights(Some(&weights)),
        Roles::default().with_priors(Some(&priors)),
    ] {
        for choice in [OF_CLASSES[0], OF_CLASSES[10]] {
            let found = fit(choice, (&sparse, &targets[0]), roles, 2);
            let wanted = fit(choice, (&dense, &targets[0]), roles, 2);
            let most = largest_difference(found.model.weights(), wanted.model.weights());
            assert!(most <= 1e-12, "{choice:?}: {most}");
        }
    }
}

#[test]
fn equal_rows_are_at_distance_0() {
    // Continuous values, and every row twice: the other copy is the nearest, with difference 0.
    let once = cells("signed", 31);
    let twice: Vec<Vec<f64>> = once.iter().flat_map(|line| [line.clone(), line.clone()]).collect();
    let [sparse, _] = tables(&twice, false);
    let labels: Vec<&str> = (0..2 * ROWS).map(|row| ["a", "b", "b", "a"][row % 4]).collect();
    let target = Target::Classes(Classes::from_labels(&labels));
    let found = fit(("relieff", &[("n_neighbors", "1")]), (&sparse, &target), Roles::default(), 2);
    // The nearest miss of every row is its copy.
    assert!(found.model.weights().iter().all(|weight| *weight <= 0.0));
}

#[test]
fn other_methods_and_differences_refuse_sparse_tables() {
    let cells = cells("counts", 9);
    let [sparse, _] = tables(&cells, false);
    let [classes, numbers, times] = targets(&cells);
    let run = run(1);
    let mut refused = 0;
    for info in METHODS.iter().filter(|info| !info.in_one_search()) {
        for target in [&classes, &numbers, &times] {
            let problem = Problem::new(&sparse, target).unwrap();
            let given: [(&str, &str); 0] = [];
            let error = info.fit(&problem, &info.settings(&given).unwrap(), &run).unwrap_err();
            refused +=
                usize::from(error.to_string().contains("does not support sparse tables; use"));
        }
    }
    assert!(refused > 0);
    let problem = Problem::new(&sparse, &classes).unwrap();
    for (option, value, part) in [
        ("metric", "canberra", "the Canberra metric has no form for sparse tables; use"),
        ("metric", "chebyshev", "the Chebyshev metric has no form for sparse tables; use"),
        ("ramp", "0.1:0.4", "a ramp has no form for sparse tables; leave"),
    ] {
        let info = method("relieff").unwrap();
        let settings = info.settings(&[(option, value)]).unwrap();
        let message = info.fit(&problem, &settings, &run).unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    }
    let message =
        fit_map(&Pca::new(), &sparse, None, &MapSettings::new(), &run).unwrap_err().to_string();
    assert!(message.contains("maps do not support sparse tables"), "{message}");
}
