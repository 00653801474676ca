//! Several targets, labels in a hierarchy, and unlabeled rows, compared with definitions.

#[path = "common/numbers.rs"]
mod numbers;

use basrelief::Run;
use basrelief::data::{
    Column, KindOverrides, LabelTree, RawColumn, RawTable, RawValues, Roles, Table, Target,
    TargetDistance, TargetKind, build_problem_parts,
};
use basrelief::inference::Permutations;
use basrelief::maps::Map;
use basrelief::methods::{
    MAP_METHODS, Problem, RReliefF, ReliefF, Task, map_method, method, weightings,
};
use numbers::Numbers;

const ROWS: usize = 36;

fn run() -> Run {
    Run::new(Some(2)).unwrap()
}

/// Columns of distinct numbers from 0 to 1.
fn columns(width: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut numbers = Numbers(seed);
    let mut column =
        || (0..ROWS).map(|_| numbers.below(1 << 30) as f64 / 2.0_f64.powi(30)).collect();
    (0..width).map(|_| column()).collect()
}

fn table(columns: &[Vec<f64>]) -> Table<'static> {
    let named = columns.iter().enumerate();
    let column = |(at, values): (usize, &Vec<f64>)| {
        Column::from_values(format!("x{at}"), values.clone()).unwrap()
    };
    Table::new(named.map(column).collect()).unwrap()
}

/// Two numbers, a label and three classes, each unknown in some rows; rows 0, 9, 18 and 27 are unlabeled.
fn parts(seed: u64) -> Vec<Vec<f64>> {
    let mut numbers = Numbers(seed);
    (0..4)
        .map(|at| {
            let value = |row: usize, number: u64| match at {
                _ if row.is_multiple_of(9) || row % (at + 4) == 1 => f64::NAN,
                0 | 1 => number as f64,
                2 => (number % 2) as f64,
                _ => (number % 3) as f64,
            };
            (0..ROWS).map(|row| value(row, numbers.below(20) as u64)).collect()
        })
        .collect()
}

fn target(parts: &[Vec<f64>]) -> Target {
    let part = |(at, values): (usize, &Vec<f64>)| {
        let known: Vec<usize> = (0..ROWS).filter(|&row| !values[row].is_nan()).collect();
        let own: Vec<f64> = known.iter().map(|&row| values[row]).collect();
        let target = match at {
            3 => Target::from_labels(&own.iter().map(f64::to_string).collect::<Vec<_>>()),
            _ => Target::real(own).unwrap(),
        };
        (format!("y{at}"), target, known)
    };
    Target::several(parts.iter().enumerate().map(part).collect(), ROWS).unwrap()
}

/// The difference of two rows by the definition; `None` if no target is known in both.
fn difference(parts: &[Vec<f64>], distance: TargetDistance, i: usize, j: usize) -> Option<f64> {
    let mut of_known = Vec::new();
    for (at, values) in parts.iter().enumerate() {
        let known = || values.iter().copied().filter(|value| !value.is_nan());
        let range = known().fold(f64::MIN, f64::max) - known().fold(f64::MAX, f64::min);
        let (a, b) = (values[i], values[j]);
        if a.is_nan() || b.is_nan() {
            continue;
        }
        of_known.push(match (distance, at) {
            (TargetDistance::Mean, 0..3) => (a - b).abs() / range,
            _ => f64::from(u8::from(a != b)),
        });
    }
    let count = of_known.len();
    (count > 0).then(|| of_known.into_iter().sum::<f64>() / count as f64)
}

/// The distances of a row to all others, nearest first.
fn ordered(columns: &[Vec<f64>], row: usize) -> Vec<(f64, usize)> {
    let range = |values: &Vec<f64>| {
        let greatest = values.iter().copied().fold(f64::MIN, f64::max);
        greatest - values.iter().copied().fold(f64::MAX, f64::min)
    };
    let distance = |other: usize| -> f64 {
        columns.iter().map(|own| (own[row] - own[other]).abs() / range(own)).sum()
    };
    let mut found: Vec<(f64, usize)> =
        (0..ROWS).filter(|&other| other != row).map(|other| (distance(other), other)).collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found
}

/// RReliefF's weights from pairs of rows with a weight each.
fn ratios(
    columns: &[Vec<f64>],
    pairs: &[(usize, usize, f64)],
    difference: impl Fn(usize, usize) -> Option<f64>,
) -> Vec<f64> {
    let weight = |values: &Vec<f64>| {
        let greatest = values.iter().copied().fold(f64::MIN, f64::max);
        let range = greatest - values.iter().copied().fold(f64::MAX, f64::min);
        let (mut n_da, mut n_dc, mut n_dcda, mut all) = (0.0, 0.0, 0.0, 0.0);
        for &(i, j, weight) in pairs {
            let Some(of_target) = difference(i, j) else { continue };
            let of_feature = (values[i] - values[j]).abs() / range;
            all += weight;
            n_da += weight * of_feature;
            n_dc += weight * of_target;
            n_dcda += weight * of_target * of_feature;
        }
        n_dcda / n_dc - (n_da - n_dcda) / (all - n_dc)
    };
    columns.iter().map(weight).collect()
}

fn assert_near(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }
}

#[test]
fn rrelieff_and_multisurf_follow_the_definition() {
    for seed in 1..6 {
        let (columns, parts) = (columns(5, seed), parts(seed + 50));
        let (table, target) = (table(&columns), target(&parts));
        let problem = Problem::new(&table, &target).unwrap();
        for distance in [TargetDistance::Mean, TargetDistance::Hamming] {
            let of = |i: usize, j: usize| difference(&parts, distance, i, j);
            // Ten neighbors with weights by rank.
            let by_rank = |rank: usize| (-((rank + 1) as f64 / 20.0).powi(2)).exp();
            let total: f64 = (0..10).map(by_rank).sum();
            let nearest = |row: usize| {
                let others = ordered(&columns, row).into_iter().take(10).enumerate();
                others.map(move |(rank, (_, other))| (row, other, by_rank(rank) / total))
            };
            let pairs: Vec<_> = (0..ROWS).flat_map(nearest).collect();
            let found =
                RReliefF::new().target_distance(distance).fit_with(&problem, &run()).unwrap();
            assert_near(found.model.weights(), &ratios(&columns, &pairs, of));
        }
        let of = |i: usize, j: usize| difference(&parts, TargetDistance::Mean, i, j);
        let near = |row: usize| {
            let all = ordered(&columns, row);
            let count = all.len() as f64;
            let mean = all.iter().map(|one| one.0).sum::<f64>() / count;
            let variance = all.iter().map(|one| (one.0 - mean).powi(2)).sum::<f64>() / count;
            let radius = mean - variance.sqrt() / 2.0;
            let near: Vec<usize> =
                all.into_iter().filter(|one| one.0 < radius).map(|one| one.1).collect();
            let weight = 1.0 / near.len() as f64;
            near.into_iter().map(move |other| (row, other, weight)).collect::<Vec<_>>()
        };
        let pairs: Vec<_> = (0..ROWS).flat_map(near).collect();
        let info = method("multisurf").unwrap();
        let settings = info.settings::<&str, &str>(&[]).unwrap();
        let found = info.fit(&problem, &settings, &run()).unwrap();
        assert_near(found.model.weights(), &ratios(&columns, &pairs, of));
    }
}

/// One number, or one label, that is known in all rows has the weights of the numeric target, bit for bit.
#[test]
fn one_target_equals_the_numeric_target() {
    let columns = columns(4, 3);
    let table = table(&columns);
    let rows: Vec<usize> = (0..ROWS).collect();
    let numbers: Vec<f64> = parts(8)[0].iter().map(|value| value.max(0.0)).collect();
    let labels: Vec<f64> = numbers.iter().map(|value| value % 2.0).collect();
    let as_classes = Target::from_labels(&labels.iter().map(f64::to_string).collect::<Vec<_>>());
    let real = |values: &[f64]| Target::real(values.to_vec()).unwrap();
    for (alone, part) in [
        (real(&numbers), real(&numbers)),
        (real(&labels), real(&labels)),
        (real(&labels), as_classes),
    ] {
        let several = Target::several(vec![("y".to_string(), part, rows.clone())], ROWS).unwrap();
        for name in ["rrelieff", "surf", "surf*", "multisurf", "multisurf*", "swrf*", "multiswrfdb"]
        {
            let info = method(name).unwrap();
            let settings = info.settings::<&str, &str>(&[]).unwrap();
            let weights = |target: &Target| {
                let problem = Problem::new(&table, target).unwrap();
                info.fit(&problem, &settings, &run()).unwrap().model.weights().to_vec()
            };
            assert_eq!(weights(&alone), weights(&several), "{name}");
        }
    }
}

/// A hierarchy of one level compares rows as classes do.
#[test]
fn a_flat_hierarchy_equals_classes() {
    let columns = columns(4, 5);
    let table = table(&columns);
    let labels: Vec<String> =
        (0..ROWS).map(|row| ["a", "b", "c"][row * 7 % 3].to_string()).collect();
    let classes = Target::from_labels(&labels);
    let top = |label: &str| (label.to_string(), None);
    let tree = LabelTree::new(&[top("a"), top("b"), top("c")]).unwrap();
    let rows = (0..ROWS).collect();
    let alone = Target::several(vec![("y".to_string(), classes.clone(), rows)], ROWS).unwrap();
    let weights = |target: &Target| {
        let problem = Problem::new(&table, target).unwrap();
        RReliefF::new().fit_with(&problem, &run()).unwrap().model.weights().to_vec()
    };
    assert_eq!(weights(&classes.in_tree(&tree).unwrap()), weights(&alone));
}

/// Permutations exchange complete rows of targets, and unlabeled rows stay unlabeled.
#[test]
fn permutations_keep_rows_together() {
    let parts = parts(4);
    let target = target(&parts);
    let run = run().with_seed(5);
    let permutations = Permutations::new(&target, Roles::default(), &run).unwrap();
    let several = target.as_multi().unwrap();
    for number in 0..20 {
        let order = permutations.order(number);
        assert_ne!(order, (0..ROWS as u32).collect::<Vec<_>>());
        for (row, &other) in order.iter().enumerate() {
            assert_eq!(several.is_labeled(row), several.is_labeled(other as usize));
        }
    }
}

fn raw() -> RawTable {
    let texts = |name: &str, values: &[Option<&str>]| {
        let values = basrelief::data::Categories::from_texts(values.iter().copied());
        RawColumn::new(name, RawValues::Text(values), None)
    };
    let x: Vec<String> = (0..6).map(|row| (row * row).to_string()).collect();
    let columns = vec![
        texts("x", &x.iter().map(|text| Some(text.as_str())).collect::<Vec<_>>()),
        texts("a", &[Some("1"), Some("0"), None, Some("1"), None, Some("-1")]),
        texts("b", &[Some("u"), Some("v"), Some("u"), None, None, Some("w")]),
    ];
    RawTable { columns, ..RawTable::default() }
}

#[test]
fn lists_of_targets_and_unlabeled_rows_are_read() {
    let read = |target: &str, unlabeled: Option<&str>| {
        let overrides =
            KindOverrides { unlabeled: unlabeled.map(Into::into), ..KindOverrides::default() };
        build_problem_parts(raw(), target, TargetKind::Auto, &overrides, &[])
    };
    let (table, target, warnings) = read("a, b", None).unwrap();
    assert_eq!((table.names(), table.rows()), (vec!["x".to_string()], 5));
    let several = target.as_multi().unwrap();
    assert_eq!(several.names(), ["a", "b"]);
    assert_eq!(
        several.part(0).unwrap(),
        (Target::real(vec![1.0, 0.0, 1.0, -1.0]).unwrap(), vec![0, 1, 3, 4])
    );
    assert!(warnings.iter().any(|warning| warning.code() == "rows-left-out"));
    // A row without any target remains, and -1 is unknown.
    let (table, target, _) = read("a", Some("-1")).unwrap();
    let several = target.as_multi().unwrap();
    assert_eq!(table.rows(), 6);
    let labeled: Vec<bool> = (0..6).map(|row| several.is_labeled(row)).collect();
    assert_eq!(labeled, [true, true, false, true, false, false]);
    // Without unlabeled rows, the target is an ordinary one.
    let (table, target, _) = read("a", None).unwrap();
    assert_eq!((table.rows(), target.as_classes().unwrap().names().len()), (4, 3));
    let refused = |target: &str, unlabeled| read(target, unlabeled).unwrap_err().to_string();
    assert!(refused("a", Some("7")).contains("no row has the target `7`"));
    assert!(refused("a,zz", None).contains("zz"));
    assert!(refused("a,b,a", None).contains("listed twice"));
}

/// Three classes of which every fourth row is unknown, and their codes; NaN is unknown.
fn some_classes(seed: u64) -> (Target, Vec<f64>) {
    let mut numbers = Numbers(seed);
    let codes: Vec<f64> = (0..ROWS)
        .map(|row| if row % 4 == 1 { f64::NAN } else { numbers.below(3) as f64 })
        .collect();
    let known: Vec<usize> = (0..ROWS).filter(|&row| !codes[row].is_nan()).collect();
    let labels: Vec<String> = known.iter().map(|&row| codes[row].to_string()).collect();
    let part = ("y".to_string(), Target::from_labels(&labels), known);
    (Target::several(vec![part], ROWS).unwrap(), codes)
}

/// ReliefF with three neighbors by the definition: neighbors are labeled rows, and ranges those of `ranged`.
fn hits_and_misses(columns: &[Vec<f64>], ranged: &[Vec<f64>], codes: &[f64]) -> Vec<f64> {
    let range = |at: usize| {
        let greatest = ranged[at].iter().copied().fold(f64::MIN, f64::max);
        greatest - ranged[at].iter().copied().fold(f64::MAX, f64::min)
    };
    let known: Vec<usize> = (0..codes.len()).filter(|&row| !codes[row].is_nan()).collect();
    let apart = |at: usize, i: usize, j: usize| (columns[at][i] - columns[at][j]).abs() / range(at);
    let share = |class: f64| {
        known.iter().filter(|&&row| codes[row] == class).count() as f64 / known.len() as f64
    };
    let mut weights = vec![0.0; columns.len()];
    for &row in &known {
        for class in [0.0, 1.0, 2.0] {
            let mut others: Vec<(f64, usize)> = known
                .iter()
                .filter(|&&other| other != row && codes[other] == class)
                .map(|&other| ((0..columns.len()).map(|at| apart(at, row, other)).sum(), other))
                .collect();
            others.sort_by(|a, b| a.0.total_cmp(&b.0));
            let factor = match class == codes[row] {
                true => -1.0,
                false => share(class) / (1.0 - share(codes[row])),
            };
            // A class with fewer rows contributes all of them.
            let near = &others[..others.len().min(3)];
            for &(_, other) in near {
                for (at, weight) in weights.iter_mut().enumerate() {
                    *weight += factor * apart(at, row, other) / (near.len() * known.len()) as f64;
                }
            }
        }
    }
    weights
}

/// Unlabeled rows determine the ranges of the features, in selections of rows too, and nothing else.
#[test]
fn relieff_of_labeled_rows_follows_the_definition() {
    for seed in 1..6 {
        let mut columns = columns(5, seed);
        // Outside of the range of labeled rows.
        (columns[0][1], columns[3][5]) = (2.5, -4.0);
        let (target, codes) = some_classes(seed + 20);
        let (rows, labeled) = target.labeled().unwrap();
        let relieff = ReliefF::new().n_neighbors(3);
        let on_scale = table(&columns).select_rows_on_scale(&rows);
        let found = relieff.fit(&on_scale, &labeled).unwrap();
        assert_near(found.model.weights(), &hits_and_misses(&columns, &columns, &codes));
        let alone = relieff.fit(&table(&columns).select_rows(&rows), &labeled).unwrap();
        assert!((found.model.weights()[0] - alone.model.weights()[0]).abs() > 1e-3);

        // A resample, as of the stability of a selection.
        let part: Vec<usize> = (0..rows.len()).filter(|place| place % 5 != 2).collect();
        let mut of_part = codes.clone();
        (0..rows.len())
            .filter(|place| place % 5 == 2)
            .for_each(|place| of_part[rows[place]] = f64::NAN);
        let is_ranged = |row: usize| codes[row].is_nan() || !of_part[row].is_nan();
        let ranged: Vec<Vec<f64>> = columns
            .iter()
            .map(|own| (0..ROWS).filter(|&row| is_ranged(row)).map(|row| own[row]).collect())
            .collect();
        let found = relieff
            .fit(&on_scale.select_rows(&part), &labeled.select_rows(&part).unwrap())
            .unwrap();
        assert_near(found.model.weights(), &hits_and_misses(&columns, &ranged, &of_part));
    }
}

/// A method for classes refuses unlabeled rows itself, and only a target alone has labeled rows.
#[test]
fn only_one_target_has_labeled_rows() {
    let table = table(&columns(5, 2));
    let (target, _) = some_classes(1);
    let message = ReliefF::new().fit(&table, &target).unwrap_err().to_string();
    assert!(message.contains("exclude the rows whose target is unknown"), "{message}");
    assert!(self::target(&parts(3)).labeled().is_none());
    assert!(Target::real(vec![1.0, 2.0]).unwrap().labeled().is_none());
    let (rows, labeled) = target.labeled().unwrap();
    assert_eq!((rows.len(), labeled.rows()), (27, 27));
    assert!(rows.iter().all(|row| row % 4 != 1));
}

/// The distances of all rows in a map.
fn distances(map: &Map, table: &Table<'_>) -> Vec<f64> {
    let rows = map.transform_table(table, &run()).unwrap();
    let apart = |i: usize, j: usize| {
        let pairs = rows.row(i).iter().zip(rows.row(j));
        pairs.map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
    };
    (0..rows.rows()).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| apart(i, j)).collect()
}

/// A map of all rows, of which some are unlabeled, is that of the labeled rows, if these have the same scale; a method
/// without a target uses all rows.
#[test]
fn maps_are_learned_from_labeled_rows() {
    let mut columns = columns(4, 9);
    let (target, codes) = some_classes(4);
    for (own, code) in columns[0].iter_mut().zip(&codes) {
        *own += if code.is_nan() { 0.0 } else { *code };
    }
    // Unlabeled rows repeat labeled ones, so that ranges are the same.
    for own in &mut columns {
        (1..ROWS).step_by(4).for_each(|row| own[row] = own[row - 1]);
    }
    let table = table(&columns);
    let (rows, labeled) = target.labeled().unwrap();
    let part = table.select_rows(&rows);
    let names = MAP_METHODS.iter().map(|info| info.name);
    let names = names.chain(weightings().map(|info| info.name));
    let mut compared = 0;
    for name in names {
        let info = map_method(name).unwrap();
        let Some(task @ (Task::Classes | Task::Any)) = info.task() else { continue };
        let settings = info.settings(&[("components", "2")]).unwrap();
        let Ok(alone) = info.fit(&part, Some(&labeled), &settings, &run()) else { continue };
        let found = info.fit(&table, Some(&target), &settings, &run()).unwrap();
        let (found, alone) = (distances(&found.model, &table), distances(&alone.model, &table));
        for (own, other) in found.iter().zip(&alone) {
            assert!((own - other).abs() < 1e-5 * (1.0 + other), "{name} {task:?}: {own} {other}");
        }
        compared += 1;
    }
    assert!(compared > 25, "{compared}");
    let pca = map_method("pca").unwrap();
    let settings = pca.settings::<&str, &str>(&[]).unwrap();
    let all = pca.fit(&table, None, &settings, &run()).unwrap().model;
    assert_eq!(pca.fit(&table, Some(&target), &settings, &run()).unwrap().model, all);
}

/// The features are scaled by the standard deviations and the ranges of all rows.
#[test]
fn maps_scale_features_by_all_rows() {
    let mut columns = columns(4, 12);
    let (target, _) = some_classes(6);
    (columns[0][1], columns[2][5]) = (3.0, -2.0);
    let (rows, labeled) = target.labeled().unwrap();
    for (scale, name) in [("standard", "lfe"), ("range", "lda"), ("none", "relieff")] {
        let units: Vec<f64> = columns
            .iter()
            .map(|own| {
                let mean = own.iter().sum::<f64>() / ROWS as f64;
                let squares = own.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
                let greatest = own.iter().copied().fold(f64::MIN, f64::max);
                match scale {
                    "standard" => (squares / ROWS as f64).sqrt(),
                    _ => greatest - own.iter().copied().fold(f64::MAX, f64::min),
                }
            })
            .collect();
        let info = map_method(name).unwrap();
        let settings = info.settings(&[("scale", scale)]).unwrap();
        let found = info.fit(&table(&columns), Some(&target), &settings, &run()).unwrap().model;
        let found = distances(&found, &table(&columns));
        if name == "relieff" {
            // Features are scaled by the roots of their weights, which are those of the ranking.
            let labeled_rows = table(&columns).select_rows_on_scale(&rows);
            let weights = ReliefF::new().fit(&labeled_rows, &labeled).unwrap().model;
            let factor = |at: usize| weights.weights()[at].max(0.0).sqrt() / units[at];
            let apart = |i: usize, j: usize| {
                let of = |at: usize| (factor(at) * (columns[at][i] - columns[at][j])).powi(2);
                (0..4).map(of).sum::<f64>().sqrt()
            };
            let expected: Vec<f64> = (0..ROWS)
                .flat_map(|i| (0..i).map(move |j| (i, j)))
                .map(|(i, j)| apart(i, j))
                .collect();
            assert_near(&found, &expected);
            continue;
        }
        let scaled: Vec<Vec<f64>> = columns
            .iter()
            .zip(&units)
            .map(|(own, unit)| own.iter().map(|value| value / unit).collect())
            .collect();
        let settings = info.settings(&[("scale", "none")]).unwrap();
        let part = table(&scaled).select_rows(&rows);
        let alone = info.fit(&part, Some(&labeled), &settings, &run()).unwrap().model;
        for (own, other) in found.iter().zip(distances(&alone, &table(&scaled))) {
            assert!((own - other).abs() < 1e-8 * (1.0 + other), "{name}: {own} {other}");
        }
    }
}
