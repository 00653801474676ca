//! The choice of options and the comparison of methods: no leak, the numbers of a plain version, the
//! same bits for any threads, and work that goes on where it was killed.

use std::collections::HashMap;
use std::sync::Mutex;

use basrelief::data::{
    Categories, Classes, Column, DenseMatrix, GroupWeight, Groups, RowWeights, Split, Table,
    Target, deal, folds,
};
use basrelief::evaluate::{
    Cell, Checkpoints, Dimensions, KnnSettings, NestedCv, NoCheckpoints, Outcome, ParameterGrid,
    compare, comparison_rows,
};
use basrelief::methods::Scaling;
use basrelief::neighbors::Metric;
use basrelief::{CancelFlag, Error, Result, Run};

/// Numbers without a pattern, from -1 to 1.
fn number(place: usize) -> f64 {
    let mut z = (place as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(77);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// Rows of which the first column tells the class, as far as `signal` reaches above the noise.
fn problem(rows: usize, columns: usize, signal: f64) -> (Table<'static>, Target) {
    let labels: Vec<String> = (0..rows).map(|row| (row % 2).to_string()).collect();
    let columns = (0..columns)
        .map(|column| {
            let value = |row: usize| {
                let shift = if column == 0 { signal * (row % 2) as f64 } else { 0.0 };
                number(row * 1000 + column) + shift
            };
            Column::from_values(format!("x{column}"), (0..rows).map(value).collect()).unwrap()
        })
        .collect();
    (Table::new(columns).unwrap(), Target::Classes(Classes::from_labels(&labels)))
}

fn nested_cv<'a>(table: &'a Table<'a>, target: &'a Target) -> NestedCv<'a> {
    NestedCv {
        table,
        target,
        groups: None,
        weights: None,
        knn: KnnSettings { metric: Metric::Euclidean, ..KnnSettings::default() },
        dimensions: Dimensions::Spread,
        counts: vec![1, 3, 7],
        folds: 4,
    }
}

fn candidates(text: &str) -> Vec<ParameterGrid> {
    ParameterGrid::parse_list(text, Scaling::None).unwrap()
}

fn run(threads: usize) -> Run {
    Run::new(Some(threads)).unwrap().with_seed(3)
}

/// Outcomes without their seconds.
fn timeless(cells: &[Vec<Cell>]) -> Vec<Vec<Cell>> {
    let without = |cell: &Cell| match cell {
        Cell::Done(found) => Cell::Done(Outcome { seconds: 0.0, ..found.clone() }),
        failed => failed.clone(),
    };
    cells.iter().map(|row| row.iter().map(without).collect()).collect()
}

#[test]
fn labels_that_mean_nothing_are_guessed_at_chance() {
    // Much to choose from, few rows: whatever leaks from the test rows shows.
    let (table, target) = problem(120, 30, 0.0);
    let nested_cv = nested_cv(&table, &target);
    let all =
        candidates("euclidean,relieff:neighbors=1|5|10|20,lfe,lda,nca:components=2,dann-local");
    let mut splits = Vec::new();
    for seed in 0..3 {
        splits.extend(folds(&target, None, 5, seed).unwrap());
    }
    let cells = compare(&nested_cv, &all, &splits, "", &NoCheckpoints, &run(2)).unwrap();
    for (candidate, compared) in all.iter().zip(comparison_rows(&cells, 0.25)) {
        let loss = compared.loss.unwrap();
        // 120 rows three times: 0.026 by chance alone for independent answers.
        assert!((loss - 0.5).abs() < 0.12, "{}: {loss}", candidate.label());
    }
}

#[test]
fn choices_and_errors_are_those_of_a_plain_version() {
    let (table, target) = problem(90, 6, 0.8);
    let nested_cv = NestedCv { dimensions: Dimensions::All, ..nested_cv(&table, &target) };
    let rows = DenseMatrix::from_table(&table, "test").unwrap();
    let Target::Classes(classes) = &target else { panic!() };
    let wrong = |known: &[usize], row: usize, count: usize| {
        let distance = |other: usize| -> f64 {
            rows.row(row).iter().zip(rows.row(other)).map(|(a, b)| (a - b).powi(2)).sum()
        };
        let mut order = known.to_vec();
        order.sort_by(|&a, &b| distance(a).total_cmp(&distance(b)).then(a.cmp(&b)));
        let ones = order[..count].iter().filter(|&&other| classes.codes()[other] == 1).count();
        u32::from(2 * ones > count) != classes.codes()[row]
    };
    for split in folds(&target, None, 3, 8).unwrap() {
        let found = nested_cv.evaluate(&candidates("euclidean")[0], &split, &run(2)).unwrap();
        // Which k has fewest errors in four parts of the training rows, dealt as the library deals.
        let dealt = deal(&target.select_rows(&split.train).unwrap(), None, 4, 3);
        let errors = |count: usize| -> usize {
            let of_part = |part: usize| {
                let (held, kept): (Vec<_>, Vec<_>) = split
                    .train
                    .iter()
                    .copied()
                    .enumerate()
                    .partition(|&(place, _)| dealt[place] == part);
                let kept: Vec<usize> = kept.into_iter().map(|(_, row)| row).collect();
                held.iter().filter(|&&(_, row)| wrong(&kept, row, count)).count()
            };
            (0..4).map(of_part).sum()
        };
        let best = [1, 3, 7].into_iter().min_by_key(|&count| errors(count)).unwrap();
        assert_eq!(found.neighbors, best);
        let errors = split.test.iter().filter(|&&row| wrong(&split.train, row, best)).count();
        assert_eq!(found.loss, errors as f64 / split.test.len() as f64);
        assert_eq!((found.dimensions, found.curve.len()), (6, 1));
    }
}

#[test]
fn cross_validation_finds_the_one_feature_that_tells() {
    let (table, target) = problem(150, 12, 2.0);
    let nested_cv = nested_cv(&table, &target);
    let all = candidates("euclidean,relieff,lda,lfe");
    let splits = folds(&target, None, 5, 1).unwrap();
    let cells = compare(&nested_cv, &all, &splits, "", &NoCheckpoints, &run(2)).unwrap();
    let found = comparison_rows(&cells, 0.25);
    // The classes touch at one point of the first feature.
    assert!(found[1].loss.unwrap() < 0.03 && found[2].loss.unwrap() < 0.08, "{found:?}");
    assert!(found[0].loss.unwrap() > 0.08 && found[0].test.unwrap().p_value < 0.05, "{found:?}");
    assert!(found[1].dimensions.unwrap() < 3.0);
    let best = found.iter().filter(|compared| compared.test.is_none()).count();
    assert_eq!(best, 1);
}

#[test]
fn outcomes_do_not_depend_on_threads_nor_on_who_else_is_compared() {
    let (table, target) = problem(80, 8, 0.7);
    let nested_cv = nested_cv(&table, &target);
    let all = candidates("relieff:neighbors=2|9,dann-local,gi-relief");
    let splits = folds(&target, None, 3, 5).unwrap();
    let one = compare(&nested_cv, &all, &splits, "", &NoCheckpoints, &run(1)).unwrap();
    let three = compare(&nested_cv, &all, &splits, "", &NoCheckpoints, &run(3)).unwrap();
    assert_eq!(timeless(&one), timeless(&three));
    let alone = compare(&nested_cv, &all[1..2], &splits, "", &NoCheckpoints, &run(2)).unwrap();
    assert_eq!(timeless(&one)[1], timeless(&alone)[0]);
}

/// Remembers cells, and raises a flag after some: a user who loses patience.
struct Impatient {
    cells: Mutex<HashMap<String, Cell>>,
    patience: usize,
    flag: CancelFlag,
}

impl Checkpoints for Impatient {
    fn find(&self, name: &str) -> Option<Cell> {
        self.cells.lock().unwrap().get(name).cloned()
    }

    fn keep(&self, name: &str, cell: &Cell) -> Result<()> {
        let mut cells = self.cells.lock().unwrap();
        assert!(cells.insert(name.to_string(), cell.clone()).is_none(), "{name} is computed twice");
        if cells.len() == self.patience {
            self.flag.cancel();
        }
        Ok(())
    }
}

#[test]
fn work_that_was_stopped_goes_on_where_it_ended() {
    let (table, target) = problem(60, 5, 0.6);
    let nested_cv = nested_cv(&table, &target);
    let all = candidates("euclidean,relieff,lfe");
    let splits = folds(&target, None, 5, 2).unwrap();
    let whole = compare(&nested_cv, &all, &splits, "", &NoCheckpoints, &run(2)).unwrap();

    let flag = CancelFlag::new();
    let checkpoints = Impatient { cells: Mutex::default(), patience: 4, flag: flag.clone() };
    let stopped = compare(&nested_cv, &all, &splits, "", &checkpoints, &run(1).with_cancel(flag))
        .unwrap_err();
    assert!(matches!(stopped, Error::Cancelled));
    assert_eq!(checkpoints.cells.lock().unwrap().len(), 4);
    let checkpoints = Impatient { patience: usize::MAX, ..checkpoints };
    let resumed = compare(&nested_cv, &all, &splits, "", &checkpoints, &run(2)).unwrap();
    assert_eq!(timeless(&whole), timeless(&resumed));
    assert_eq!(checkpoints.cells.lock().unwrap().len(), 15);
}

#[test]
fn a_method_that_does_not_suit_the_data_fails_alone() {
    let (table, target) = problem(40, 3, 1.0);
    let mut colors: Vec<Option<&str>> =
        (0..40).map(|row| Some(["red", "blue"][row % 3 % 2])).collect();
    colors[7] = None;
    let mut columns = table.into_columns();
    columns.push(Column::categorical("color", Categories::from_texts(colors)));
    let table = Table::new(columns).unwrap();
    let nested_cv = nested_cv(&table, &target);
    let splits = folds(&target, None, 4, 2).unwrap();
    let all = candidates("dann-local,relieff,euclidean,lda");
    let cells = compare(&nested_cv, &all, &splits, "", &NoCheckpoints, &run(2)).unwrap();
    let found = comparison_rows(&cells, 0.0);
    assert!(found[0].loss.is_none());
    assert!(found[0].failure.as_ref().unwrap().contains("values are missing in: color"));
    assert!(found[1..].iter().all(|one| one.loss.is_some()), "{found:?}");

    let real = Target::Real((0..40).map(number).collect());
    let nested_cv = NestedCv { target: &real, ..nested_cv };
    let all = candidates("lda,relieff,euclidean");
    let error =
        compare(&nested_cv, &all, &splits, "", &NoCheckpoints, &run(2)).unwrap_err().to_string();
    assert!(error.contains("lda needs classes, but the target is numeric"), "{error}");
    let all = candidates("rrelieff:neighbors=5,euclidean");
    let cells =
        compare(&nested_cv, &all, &folds(&real, None, 4, 2).unwrap(), "", &NoCheckpoints, &run(2))
            .unwrap();
    let found = comparison_rows(&cells, 0.0);
    // The mean of some numbers from -1 to 1 for another: about their variance.
    assert!(found.iter().all(|compared| (0.2..0.9).contains(&compared.loss.unwrap())), "{found:?}");
}

#[test]
fn gaps_are_told_with_their_columns() {
    let columns = vec![
        Column::from_values("a", [[1.0, 2.0, f64::NAN, 4.0, 5.0, 6.0]; 3].concat()).unwrap(),
        Column::from_values("b", [[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]; 3].concat()).unwrap(),
    ];
    let table = Table::new(columns).unwrap();
    let target = Target::Classes(Classes::from_labels(&["x", "y"].repeat(9)));
    let nested_cv = NestedCv { counts: vec![1], folds: 2, ..nested_cv(&table, &target) };
    let split = &folds(&target, None, 2, 2).unwrap()[0];
    let judged = nested_cv.evaluate(&candidates("dann-local")[0], split, &run(1));
    let error = judged.unwrap_err().to_string();
    assert!(error.contains("values are missing") && error.contains("in: a"), "{error}");
    // k-NN expects the difference, and so do weights; maps put the mean in their place.
    for method in ["euclidean", "relieff:neighbors=1", "lfe", "pca:kernel=rbf"] {
        let judged = nested_cv.evaluate(&candidates(method)[0], split, &run(1)).unwrap();
        assert!(judged.loss.is_finite(), "{method}");
    }
}

#[test]
fn adaptive_neighborhoods_do_not_depend_on_the_axes_and_ignore_noise() {
    let (table, target) = problem(200, 10, 2.0);
    let turned: Vec<f64> = {
        let rows = DenseMatrix::from_table(&table, "test").unwrap();
        let (sine, cosine) = 0.7_f64.sin_cos();
        rows.iter()
            .flat_map(|row| {
                let mut row = row.to_vec();
                for pair in 1..row.len() {
                    let (a, b) = (row[0], row[pair]);
                    (row[0], row[pair]) = (cosine * a - sine * b, sine * a + cosine * b);
                }
                row
            })
            .collect()
    };
    let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
    let turned = Table::from_row_major(&turned, 200, &names).unwrap();
    let splits = folds(&target, None, 4, 6).unwrap();
    let all = candidates("dann-local,dann-local:rounds=3,euclidean");
    let losses = |table: &Table<'_>| -> Vec<f64> {
        let nested_cv = NestedCv { counts: vec![5], ..nested_cv(table, &target) };
        let cells = compare(&nested_cv, &all, &splits, "", &NoCheckpoints, &run(2)).unwrap();
        comparison_rows(&cells, 0.0).iter().map(|compared| compared.loss.unwrap()).collect()
    };
    let (own, other) = (losses(&table), losses(&turned));
    assert_eq!(own, other);
    assert!(own[1] < own[2], "{own:?}");

    // In one dimension no metric changes who is near.
    let (line, target) = problem(100, 1, 0.5);
    let nested_cv = NestedCv { counts: vec![3], ..nested_cv(&line, &target) };
    let cells = compare(
        &nested_cv,
        &all,
        &folds(&target, None, 4, 6).unwrap(),
        "",
        &NoCheckpoints,
        &run(1),
    );
    let found = comparison_rows(&cells.unwrap(), 0.0);
    assert_eq!(found[0].loss, found[2].loss);
}

/// A weight counts as copies in one group, in the weights of features, their scales, votes and losses; also if values are
/// missing.
#[test]
fn a_weight_counts_as_copies_of_the_row() {
    let (rows, width) = (60, 4);
    let (_, target) = problem(rows, width, 0.5);
    let column = |column: usize| {
        let value = |row: usize| match (row * 7 + column) % 11 {
            0 => f64::NAN,
            _ => number(row * 1000 + column) + if column == 0 { (row % 2) as f64 } else { 0.0 },
        };
        Column::from_values(format!("x{column}"), (0..rows).map(value).collect()).unwrap()
    };
    let table = Table::new((0..width).map(column).collect()).unwrap();
    let counts: Vec<usize> = (0..rows).map(|row| 1 + row % 3).collect();
    let weights = RowWeights::new("w", counts.iter().map(|&count| count as f64).collect()).unwrap();
    let copies: Vec<usize> = (0..rows).flat_map(|row| vec![row; counts[row]]).collect();
    let names: Vec<String> = copies.iter().map(usize::to_string).collect();
    let groups = Groups::from_labels(&names, GroupWeight::Rows);
    let (all, labels) = (table.select_rows(&copies), target.select_rows(&copies).unwrap());
    let is_test = |row: usize| row % 5 == 1;
    let of = |rows: &mut dyn Iterator<Item = usize>, row_of: &dyn Fn(usize) -> usize| {
        let (test, train) = rows.partition(|&place| is_test(row_of(place)));
        Split { train, test }
    };
    let split = of(&mut (0..rows), &|row| row);
    let of_copies = of(&mut (0..copies.len()), &|place| copies[place]);
    for metric in Metric::ALL {
        for (text, k) in [("euclidean", 1), ("relieff:neighbors=3", 5), ("multisurf", 8)] {
            let knn = KnnSettings { metric, scaling: Scaling::Standard, ..KnnSettings::default() };
            let base = NestedCv { knn, counts: vec![k], folds: 0, ..nested_cv(&table, &target) };
            let candidate = &ParameterGrid::parse_list(text, Scaling::Standard).unwrap()[0];
            let weighted = NestedCv { weights: Some(&weights), ..base.clone() };
            let found = weighted.evaluate(candidate, &split, &run(1)).unwrap();
            let copied =
                NestedCv { table: &all, target: &labels, groups: Some(&groups), ..base.clone() };
            let expected = copied.evaluate(candidate, &of_copies, &run(1)).unwrap();
            let curves = found.curve.iter().zip(&expected.curve);
            for (a, b) in curves {
                assert!((a.loss - b.loss).abs() < 1e-12, "{metric:?} {text}: {a:?} {b:?}");
            }
        }
    }
}
