//! Maps of tables with categories and missing values, beside one-hot columns made by hand.

use basrelief::data::{Categories, Column, DenseMatrix, Differences, MISSING_CODE, Table, Values};
use basrelief::maps::Map;
use basrelief::methods::MAP_METHODS;
use basrelief::{Fitted, Run};

use super::common::*;

const ROWS: usize = 60;

/// Columns of numbers, columns of categories, and the classes of the rows.
type Columns = (Vec<Vec<f64>>, Vec<Vec<Option<usize>>>, Vec<u32>);

/// Two columns of numbers and three of categories, of which the first of each has missing values where
/// `gaps` says so; the classes show in the first of each.
fn columns(gaps: bool, seed: u64) -> Columns {
    let mut random = Numbers::new(seed);
    let codes: Vec<u32> = (0..ROWS).map(|row| (row * 7 % 11 % 2) as u32).collect();
    let mut is_known = |column: usize| !gaps || column > 0 || random.next() > -0.7;
    let known: Vec<[bool; 3]> =
        (0..ROWS).map(|_| [is_known(0), is_known(1), is_known(0)]).collect();
    let mut random = Numbers::new(seed + 1000);
    let numbers = (0..2).map(|column| {
        let mut value = |row: usize| {
            let value = random.next() * 3.0 + if column == 0 { f64::from(codes[row]) } else { 5.0 };
            if known[row][column] { value } else { f64::NAN }
        };
        (0..ROWS).map(&mut value).collect()
    });
    let numbers: Vec<Vec<f64>> = numbers.collect();
    let categories = (0..3).map(|column| {
        let mut value = |row: usize| {
            let drawn = ((random.next() + 1.0) * (column as f64 + 2.0) / 2.0) as usize;
            let level = if column == 0 && drawn == 0 { codes[row] as usize } else { drawn };
            (column > 0 || known[row][2]).then_some(level)
        };
        (0..ROWS).map(&mut value).collect()
    });
    let categories = categories.collect();
    (numbers, categories, codes)
}

/// The table, whose categories have codes in this order of their levels.
fn table_of(
    numbers: &[Vec<f64>],
    categories: &[Vec<Option<usize>>],
    order: &[usize],
) -> Table<'static> {
    let name = |level: usize| ["red", "blue", "green", "amber", "white"][level].to_string();
    let levels: Vec<String> = order.iter().map(|&level| name(level)).collect();
    let code = |level: usize| order.iter().position(|other| *other == level).unwrap() as u32;
    let of_numbers = numbers
        .iter()
        .enumerate()
        .map(|(place, values)| Column::from_values(format!("x{place}"), values.clone()).unwrap());
    let of_categories = categories.iter().enumerate().map(|(place, values)| {
        let codes = values.iter().map(|value| value.map_or(MISSING_CODE, code)).collect();
        let values = Categories::new(codes, levels.clone()).unwrap();
        Column::categorical(format!("c{place}"), values)
    });
    Table::new(of_numbers.chain(of_categories).collect()).unwrap()
}

fn fit_table(
    name: &str,
    options: &[(&str, &str)],
    table: &Table<'_>,
    codes: &[u32],
) -> Fitted<Map> {
    let info = MAP_METHODS.iter().find(|info| info.name == name).unwrap();
    let settings = info.settings(options).unwrap();
    info.fit(table, Some(&target_of(info, codes)), &settings, &Run::new(Some(1)).unwrap()).unwrap()
}

/// The columns of numbers, by the definition: means, shares and marks of missing values.
fn by_hand(table: &Table<'_>, differences: Differences, standard: bool) -> DenseMatrix {
    let rows = table.rows();
    let mut made: Vec<Vec<f64>> = Vec::new();
    let level = if differences == Differences::Squared { 0.5_f64.sqrt() } else { 0.5 };
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    for column in table.columns() {
        let value = |row: usize| Some(column.value(row)).filter(|value| !value.is_nan());
        let is_gap: Vec<bool> = (0..rows).map(|row| value(row).is_none()).collect();
        let gap = |mark: f64| is_gap.iter().map(move |&is| if is { mark } else { 0.0 });
        let has_gaps = is_gap.contains(&true);
        if let Values::Categorical(categories) = column.values() {
            let known: Vec<f64> = (0..rows).filter_map(value).collect();
            let mut alike = 0.0;
            let mut levels: Vec<usize> = (0..categories.levels().len())
                .filter(|&code| known.contains(&(code as f64)))
                .collect();
            levels.sort_by_key(|&code| &categories.levels()[code]);
            for code in levels {
                let is = |value: f64| if value == code as f64 { level } else { 0.0 };
                let share = mean(&known.iter().map(|&value| is(value)).collect::<Vec<f64>>());
                alike += (share / level).powi(2);
                made.push((0..rows).map(|row| value(row).map_or(share, is)).collect());
            }
            if has_gaps && differences == Differences::Squared {
                made.push(gap((0.5 * (1.0 - alike)).sqrt()).collect());
            }
        } else {
            let known: Vec<f64> = (0..rows).filter_map(value).collect();
            let center = mean(&known);
            let squares: Vec<f64> = known.iter().map(|value| (value - center).powi(2)).collect();
            let spread = mean(&squares).sqrt();
            let unit = if standard { spread } else { 1.0 };
            made.push((0..rows).map(|row| value(row).unwrap_or(center) / unit).collect());
            if has_gaps {
                let mark = match differences {
                    Differences::Squared => spread,
                    Differences::Absolute => {
                        let sizes: Vec<f64> =
                            known.iter().map(|value| (value - center).abs()).collect();
                        let pairs: Vec<f64> = known
                            .iter()
                            .flat_map(|a| known.iter().map(move |b| (a - b).abs()))
                            .collect();
                        mean(&pairs) - mean(&sizes)
                    }
                };
                made.push(gap(mark / unit).collect());
            }
        }
    }
    let values = (0..rows).flat_map(|row| made.iter().map(move |column| column[row])).collect();
    DenseMatrix::new(values, rows, made.len())
}

fn between(rows: &DenseMatrix) -> DenseMatrix {
    let mut all = DenseMatrix::zeros(rows.rows(), rows.rows());
    for i in 0..rows.rows() {
        for j in 0..rows.rows() {
            all.row_mut(i)[j] = squared(rows.row(i), rows.row(j)).sqrt();
        }
    }
    all
}

#[test]
fn categories_and_gaps_are_columns_made_by_hand() {
    use Differences::{Absolute, Squared};
    for (name, options, differences) in [
        ("lfe", &[][..], Squared),
        ("lfe", &[("metric", "manhattan")], Absolute),
        ("lfe", &[("scale", "standard"), ("n_neighbors", "3")], Squared),
        ("o-relief", &[("metric", "manhattan"), ("scale", "standard")], Absolute),
        ("pca", &[("scale", "standard")], Squared),
        ("lda", &[], Squared),
        ("euclidean", &[("scale", "standard")], Squared),
        ("pca", &[("kernel", "laplacian:rho=2"), ("scale", "standard")], Absolute),
        ("klfe", &[("kernel", "rbf:rho=3")], Squared),
    ] {
        for gaps in [false, true] {
            let (numbers, categories, codes) = columns(gaps, 40);
            let table = table_of(&numbers, &categories, &[0, 1, 2, 3, 4]);
            let standard = options.contains(&("scale", "standard"));
            let made = by_hand(&table, differences, standard);
            let own: Vec<(&str, &str)> =
                options.iter().copied().filter(|(name, _)| *name != "scale").collect();
            let expected = try_fit(name, &own, &made, &codes, 1).unwrap().model;
            let found = fit_table(name, options, &table, &codes).model;
            assert_eq!(found.encoding().width(), made.columns(), "{name}");
            let mapped = found.transform_table(&table, &run(1)).unwrap();
            assert_near(
                &between(&mapped),
                &between(&expected.transform(&made, &run(1)).unwrap()),
                1e-9,
            );
        }
    }
}

#[test]
fn the_codes_of_categories_do_not_matter() {
    for info in MAP_METHODS {
        let (numbers, categories, codes) = columns(true, 41);
        let first = table_of(&numbers, &categories, &[0, 1, 2, 3, 4]);
        let second = table_of(&numbers, &categories, &[3, 4, 0, 2, 1]);
        let found = fit_table(info.name, &[], &first, &codes);
        let other = fit_table(info.name, &[], &second, &codes);
        assert_eq!(found.model, other.model, "{}", info.name);
        let mapped = found.model.transform_table(&first, &run(1)).unwrap();
        assert_eq!(mapped, other.model.transform_table(&second, &run(1)).unwrap(), "{}", info.name);
        assert!(mapped.values().iter().all(|value| value.is_finite()), "{}", info.name);
        assert!(mapped.columns() > 0, "{}", info.name);
    }
}

#[test]
fn distances_of_categories_count_their_mismatches() {
    let (_, categories, codes) = columns(false, 42);
    let table = table_of(&[], &categories, &[0, 1, 2, 3, 4]);
    for scale in ["none", "range", "standard"] {
        let map = fit_table("euclidean", &[("scale", scale)], &table, &codes).model;
        let mapped = map.transform_table(&table, &run(1)).unwrap();
        for i in 0..ROWS {
            for j in 0..ROWS {
                let mismatches = categories.iter().filter(|column| column[i] != column[j]).count();
                let found = squared(mapped.row(i), mapped.row(j));
                assert!((found - mismatches as f64).abs() < 1e-12, "{scale} {i} {j}: {found}");
            }
        }
    }
}

#[test]
fn complete_numbers_are_taken_as_they_are() {
    for info in MAP_METHODS {
        let (values, codes) = data(30, 3, 2, 43);
        let map = try_fit(info.name, &[], &values, &codes, 1).unwrap().model;
        assert!(map.encoding().is_plain(), "{}", info.name);
        assert_eq!(map.encoding().differences(), Differences::Squared);
        let (mapped, warnings) = map.transform_with_warnings(&table(&values), &run(1)).unwrap();
        assert_eq!(
            (mapped, warnings.len()),
            (map.transform(&values, &run(1)).unwrap(), 0),
            "{}",
            info.name
        );
        // A value that is missing only now stands at the mean.
        let mut gap = values.select_rows(&[4]);
        gap.row_mut(0)[1] = f64::NAN;
        let (mapped, warnings) = map.transform_with_warnings(&table(&gap), &run(1)).unwrap();
        let means = match &map {
            Map::Linear(map) => map.mean(),
            Map::Kernel(map) => map.shift(),
            other => panic!("{other:?}"),
        };
        gap.row_mut(0)[1] = means[1];
        assert_eq!(mapped, map.transform(&gap, &run(1)).unwrap(), "{}", info.name);
        assert_eq!(warnings[0].code(), "new-gaps");
    }
}

#[test]
fn columns_that_say_nothing_are_no_obstacle() {
    let (numbers, categories, codes) = columns(true, 44);
    let mut columns = table_of(&numbers, &categories, &[0, 1, 2, 3, 4]).into_columns();
    let texts = |text: Option<&'static str>| Categories::from_texts((0..ROWS).map(|_| text));
    columns.push(Column::categorical("one", texts(Some("same"))));
    columns.push(Column::categorical("none", texts(None)));
    columns.push(Column::from_values("unknown", vec![f64::NAN; ROWS]).unwrap());
    let table = Table::new(columns).unwrap();
    for info in MAP_METHODS {
        for scale in ["none", "standard", "range"] {
            let fitted = fit_table(info.name, &[("scale", scale)], &table, &codes);
            let mapped = fitted.model.transform_table(&table, &run(1)).unwrap();
            assert!(mapped.values().iter().all(|value| value.is_finite()), "{}", info.name);
            let codes: Vec<&str> =
                fitted.report.warnings.iter().map(basrelief::Warning::code).collect();
            for code in ["constant-features", "empty-features"] {
                assert!(codes.contains(&code), "{}: {codes:?}", info.name);
            }
        }
    }
    let nothing = Table::new(vec![Column::categorical("none", texts(None))]).unwrap();
    for name in ["euclidean", "lda", "klfe"] {
        let info = MAP_METHODS.iter().find(|info| info.name == name).unwrap();
        let settings = info.settings::<&str, &str>(&[]).unwrap();
        let run = Run::new(Some(1)).unwrap();
        let error = info.fit(&nothing, Some(&target(&codes)), &settings, &run).unwrap_err();
        let said = error.to_string();
        assert!(said.contains("constant") || said.contains("no two rows differ"), "{said}");
    }
}

#[test]
fn too_many_categories_for_the_memory_are_refused() {
    let names: Vec<String> = (0..10_000).map(|row| format!("r{row}")).collect();
    let names = Categories::from_texts(names.iter().map(|name| Some(name.as_str())));
    let table = Table::new(vec![Column::categorical("name", names)]).unwrap();
    let memory = basrelief::Memory::new(1 << 29, "/var/tmp");
    let run = Run::new(Some(1)).unwrap().with_memory(memory);
    let info = MAP_METHODS.iter().find(|info| info.name == "pca").unwrap();
    let settings = info.settings::<&str, &str>(&[]).unwrap();
    let said = info.fit(&table, None, &settings, &run).unwrap_err().to_string();
    assert!(said.contains("`name`") && said.contains("10000 categories"), "{said}");
}
