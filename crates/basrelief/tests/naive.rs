//! The engine against the textbook version on random mixed data with missing values.

mod common;

use basrelief::data::{Categories, Column, MISSING_CODE, Numbers, Table, Target};
use basrelief::methods::{
    DReliefF, IRelief, Lmba, NearestSettings, PDReliefF, Problem, RReliefF, Relief, ReliefE,
    ReliefF, ReliefMargin, Simba, Utility, method,
};
use basrelief::neighbors::{
    GenotypeDiff, Grouping, Metric, MissingPolicy, NearestOptions, NeighborWeights, Neighborhoods,
    PairSource, Ramp, Space, SpaceOptions, Ties,
};
use common::weighted::{visiting_order, visiting_orders};
use common::{Naive, classes, largest_difference, run};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// One column: its kind and a seed per row from which its values are made.
#[derive(Debug, Clone)]
struct Recipe {
    kind: u8,
    cells: Vec<(bool, f64)>,
}

fn column(index: usize, recipe: &Recipe) -> Column<'static> {
    let name = format!("f{index}");
    let number = |scale: f64, offset: f64, levels: Option<f64>| -> Column<'static> {
        let values: Vec<f64> = recipe
            .cells
            .iter()
            .map(|(missing, u)| match (missing, levels) {
                (true, _) => f64::NAN,
                (false, Some(levels)) => (u * levels).floor() * scale + offset,
                (false, None) => u * scale + offset,
            })
            .collect();
        Column::numeric(name.clone(), Numbers::Contiguous(values.into())).unwrap()
    };
    match recipe.kind {
        0 => number(3.7, -1.0, None),
        1 => number(1.0, 5.0, Some(4.0)),
        // Thirds and sevenths, which floating point cannot hold.
        2 => number(0.1, 0.3, Some(8.0)),
        // Half of the texts have an order.
        3 if recipe.cells[0].1 < 0.5 => {
            // The fourth of five levels does not occur.
            let place = |u: f64| [0, 1, 2, 4][(u * 4.0) as usize];
            let codes = recipe.cells.iter().map(
                |&(missing, u)| {
                    if missing { MISSING_CODE } else { place(u) }
                },
            );
            let levels = ["none", "low", "mid", "high", "top"].map(String::from).to_vec();
            Column::categorical(name, Categories::ordered(codes.collect(), levels).unwrap())
        }
        3 => {
            let codes = recipe.cells.iter().map(|(missing, u)| {
                let level = ["a", "b", "c"][(u * 3.0) as usize];
                (!missing).then_some(level)
            });
            Column::categorical(name, Categories::from_texts(codes))
        }
        _ => {
            let codes: Vec<u8> = recipe
                .cells
                .iter()
                .map(|(missing, u)| if *missing { 3 } else { (u * 3.0) as u8 })
                .collect();
            Column::genotype(name, codes.into()).unwrap()
        }
    }
}

#[derive(Debug)]
struct Case {
    table: Table<'static>,
    codes: Vec<u32>,
    y: Vec<f64>,
    settings: NearestSettings,
}

fn cases(rows: std::ops::Range<usize>) -> impl Strategy<Value = Case> {
    cases_of(rows, 1..9)
}

fn cases_of(
    rows: std::ops::Range<usize>,
    columns: std::ops::Range<usize>,
) -> impl Strategy<Value = Case> {
    cases_with(rows, columns, prop::sample::select(Metric::ALL.to_vec()))
}

/// Cases with metrics in which features can be weighed.
fn sums(
    rows: std::ops::Range<usize>,
    columns: std::ops::Range<usize>,
) -> impl Strategy<Value = Case> {
    let metric = any::<bool>()
        .prop_map(|euclidean| if euclidean { Metric::Euclidean } else { Metric::Manhattan });
    cases_with(rows, columns, metric)
}

fn cases_with(
    rows: std::ops::Range<usize>,
    columns: std::ops::Range<usize>,
    metrics: impl Strategy<Value = Metric>,
) -> impl Strategy<Value = Case> {
    let space = (metrics, 0..3_u8, prop::option::of((0.0..0.4_f64, 0.1..0.6_f64)), any::<bool>())
        .prop_map(|(metric, missing, ramp, categorical)| SpaceOptions {
            metric,
            missing: [MissingPolicy::Expected, MissingPolicy::Ignore, MissingPolicy::Pessimistic]
                [missing as usize],
            // A ramp is over shares of a range.
            ramp: ramp
                .filter(|_| metric != Metric::Canberra)
                .and_then(|(equal, width)| Ramp::new(equal, equal + width)),
            genotype_diff: if categorical {
                GenotypeDiff::Categorical
            } else {
                GenotypeDiff::Additive
            },
        });
    let nearest = (1..9_usize, any::<bool>(), prop::option::of(0.5..20.0_f64), space).prop_map(
        |(n_neighbors, first, sigma, space)| NearestSettings {
            n_neighbors: vec![n_neighbors],
            n_samples: None,
            neighbor_weights: sigma
                .map_or(NeighborWeights::Uniform, |sigma| NeighborWeights::Rank { sigma }),
            ties: if first { Ties::First } else { Ties::Share },
            space,
            search: None,
        },
    );
    (rows, prop_oneof![Just(0.0), Just(0.15)], nearest).prop_flat_map(
        move |(n, missing, settings)| {
            let cell = (prop::bool::weighted(missing), 0.0..1.0_f64);
            let recipe = (0..5_u8, prop::collection::vec(cell, n))
                .prop_map(|(kind, cells)| Recipe { kind, cells });
            (
                prop::collection::vec(recipe, columns.clone()),
                prop::collection::vec(0..3_u32, n),
                prop::collection::vec(-2.0..2.0_f64, n),
                Just(settings),
            )
                .prop_map(|(recipes, mut codes, mut y, settings)| {
                    (codes[0], codes[1]) = (0, 1);
                    (y[0], y[1]) = (-2.0, 2.0);
                    let columns =
                        recipes.iter().enumerate().map(|(i, recipe)| column(i, recipe)).collect();
                    let table = Table::new(columns).unwrap();
                    Case { table, codes, y, settings }
                })
        },
    )
}

/// `ties = first` breaks ties that rounding may or may not have broken before, so that two right
/// programs can differ: it is compared on data without discrete columns only.
fn comparable(case: &Case) -> bool {
    // A maximum may be that of another column, and numbers of two signs all have the same Canberra distance.
    case.settings.ties == Ties::Share
        || case.table.columns().iter().any(is_fine)
            && ![Metric::Chebyshev, Metric::Canberra].contains(&case.settings.space.metric)
            && case.settings.space.ramp.is_none()
            && case.settings.space.missing == MissingPolicy::Expected
}

/// Whether a column has complete numbers on no grid of a few decimals, so that sums of differences are not tied.
fn is_fine(column: &Column<'_>) -> bool {
    column.kind() == basrelief::data::ColumnKind::Numeric
        && (0..column.len()).all(|row| (column.value(row) * 1000.0).fract().abs() > 1e-6)
}

/// The same cases in every run: distances that rounding alone tells apart (about one tie in ten
/// thousand where a ramp or missing values are in play) would make this test fail now and then.
fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(20_261_121),
        failure_persistence: None,
        max_global_rejects: 8192,
        ..ProptestConfig::default()
    }
}

/// A space in the words of the command line, which every method reads.
fn space_as_texts(space: &SpaceOptions) -> Vec<(&'static str, String)> {
    let ramp = space
        .ramp
        .map_or("none".to_string(), |ramp| format!("{}:{}", ramp.equal(), ramp.different()));
    vec![
        ("metric", format!("{:?}", space.metric).to_lowercase()),
        ("missing", format!("{:?}", space.missing).to_lowercase()),
        ("genotype_diff", format!("{:?}", space.genotype_diff).to_lowercase()),
        ("ramp", ramp),
    ]
}

fn check(case: &Case) -> Result<(), TestCaseError> {
    let target = classes(&case.codes);
    let codes = target.as_classes().unwrap().codes().iter().map(|c| *c as usize).collect();
    let naive = Naive::new(&case.table, codes, case.settings.space);
    let sampled: Vec<usize> = (0..case.table.rows()).collect();
    let problem = Problem::new(&case.table, &target).unwrap();
    let NearestSettings { ties, neighbor_weights, .. } = case.settings;
    let k = case.settings.n_neighbors[0];

    let relieff = ReliefF { nearest: case.settings.clone() }.fit_with(&problem, &run(2)).unwrap();
    let expected = naive.hit_miss(&sampled, k, ties, neighbor_weights, false);
    let difference = largest_difference(relieff.model.weights(), &expected);
    prop_assert!(difference < 1e-12, "relieff {difference:e}\n{:?}\n{expected:?}", relieff.model);

    let one = NearestSettings { n_neighbors: vec![1], ..case.settings.clone() };
    let relief_e = ReliefE { nearest: one.clone() }.fit_with(&problem, &run(2)).unwrap();
    let expected = naive.hit_miss(&sampled, 1, ties, neighbor_weights, true);
    let difference = largest_difference(relief_e.model.weights(), &expected);
    prop_assert!(difference < 1e-12, "relief-e {difference:e}");

    let margin =
        ReliefMargin { nearest: case.settings.clone() }.fit_with(&problem, &run(1)).unwrap();
    let z = naive.hit_miss(&sampled, k, ties, neighbor_weights, true);
    let norm = z.iter().map(|z| z.max(0.0).powi(2)).sum::<f64>().sqrt();
    if norm > 1e-6 {
        let expected: Vec<f64> = z.iter().map(|z| z.max(0.0) / norm).collect();
        let difference = largest_difference(margin.model.weights(), &expected);
        prop_assert!(difference < 1e-10, "relief-margin {difference:e}");
    }

    if problem.target().classes("").unwrap().len() == 2 {
        let relief = Relief { nearest: one }.fit_with(&problem, &run(1)).unwrap();
        let expected = naive.hit_miss(&sampled, 1, ties, neighbor_weights, false);
        prop_assert!(largest_difference(relief.model.weights(), &expected) < 1e-12);
    }

    let target = Target::Real(case.y.clone());
    let problem = Problem::new(&case.table, &target).unwrap();
    let rrelieff = RReliefF { nearest: case.settings.clone(), ..RReliefF::new() }
        .fit_with(&problem, &run(2))
        .unwrap();
    let naive_classes = naive;
    let naive = Naive::new(&case.table, vec![0; case.table.rows()], case.settings.space);
    for name in [
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
    ] {
        let info = method(name).unwrap();
        let given = space_as_texts(&case.settings.space);
        let settings = info.settings(&given).unwrap();
        for (target, expected) in [
            (classes(&case.codes), naive_classes.radius(name, None)),
            (target.clone(), naive.radius(name, Some(&case.y))),
        ] {
            let problem = Problem::new(&case.table, &target).unwrap();
            let fitted = info.fit(&problem, &settings, &run(2)).unwrap();
            let difference = largest_difference(fitted.model.weights(), &expected);
            prop_assert!(difference < 1e-10, "{name} {difference:e}");
        }
    }
    let expected = naive.rrelieff(&case.y, k, ties, neighbor_weights);
    let difference = largest_difference(rrelieff.model.weights(), &expected);
    prop_assert!(difference < 1e-12, "rrelieff {difference:e}");
    Ok(())
}

proptest! {
    #![proptest_config(config(40))]

    /// Some rows sampled: the neighbors of those, and nobody else's.
    #[test]
    fn sampled_rows_find_the_textbook_neighbors(
        case in cases(20..290),
        share in 0.05..1.0_f64,
        seed: u64,
        per_class: bool,
    ) {
        prop_assume!(comparable(&case));
        let rows = case.table.rows() as u32;
        let draw = |row: u32| (u64::from(row + 1).wrapping_mul(seed | 1) >> 40) as f64;
        let sampled: Vec<u32> =
            (0..rows).filter(|&row| draw(row) < share * f64::from(1 << 24)).collect();
        let NearestSettings { ties, neighbor_weights, space, .. } = case.settings;
        let k = case.settings.n_neighbors[0];
        let space = Space::new(&case.table, Some((&case.codes, 3)), space, &run(2)).unwrap();
        let grouping = if per_class {
            Grouping::PerClass(&case.codes, 3)
        } else {
            Grouping::HitMiss(&case.codes)
        };
        let options = NearestOptions { k, ties, weights: neighbor_weights };
        let found =
            Neighborhoods::find(&space, &sampled, grouping, options, &run(2)).unwrap();

        let classes: Vec<usize> = case.codes.iter().map(|code| *code as usize).collect();
        let naive = Naive::new(&case.table, classes.clone(), case.settings.space);
        let mut seen = Vec::new();
        found.visit(0..found.len(), &mut |row, group, neighbors| {
            let own = row as usize;
            let from = &naive.distances()[own];
            let in_group = |other: usize| {
                let class = if per_class {
                    classes[other]
                } else {
                    usize::from(classes[other] != classes[own])
                };
                other != own && class == group
            };
            let members = (0..rows as usize).filter(|&other| in_group(other)).collect();
            let mut expected = naive.nearest(from, members, k, ties, neighbor_weights);
            let mut got: Vec<(usize, f64)> =
                neighbors.iter().map(|n| (n.row as usize, n.weight)).collect();
            expected.sort_by_key(|neighbor| neighbor.0);
            got.sort_by_key(|neighbor| neighbor.0);
            assert_eq!(expected.len(), got.len(), "row {row} group {group}");
            for (want, have) in expected.iter().zip(&got) {
                assert!(want.0 == have.0 && (want.1 - have.1).abs() < 1e-14);
            }
            if group == 0 {
                seen.push(row);
            }
        });
        seen.sort_unstable();
        prop_assert_eq!(seen, sampled);
    }
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn the_engine_equals_the_textbook(case in cases(4..32)) {
        prop_assume!(comparable(&case));
        check(&case)?;
    }
}

proptest! {
    #![proptest_config(config(6))]

    /// More rows than a block holds.
    #[test]
    fn the_engine_equals_the_textbook_over_several_blocks(case in cases(140..300)) {
        prop_assume!(comparable(&case));
        check(&case)?;
    }

    /// As many columns as have pairs added up in other ways: several tiles of each kind.
    #[test]
    fn the_engine_equals_the_textbook_on_many_columns(case in cases_of(30..80, 140..160)) {
        prop_assume!(comparable(&case));
        check(&case)?;
    }
}

proptest! {
    #![proptest_config(config(150))]

    #[test]
    fn compat_equals_the_textbook_of_skrebate(case in cases(4..32), real: bool) {
        let space = SpaceOptions {
            missing: MissingPolicy::Ignore,
            genotype_diff: GenotypeDiff::Categorical,
            ..SpaceOptions::default()
        };
        let target = if real { Target::Real(case.y.clone()) } else { classes(&case.codes) };
        let codes = if real { vec![0; case.codes.len()] } else { codes_of(&target) };
        let naive = Naive::new(&case.table, codes, space);
        let problem = Problem::new(&case.table, &target).unwrap();
        for name in ["surf", "surf*", "multisurf", "multisurf*"] {
            let info = method(name).unwrap();
            let mut given = space_as_texts(&space);
            given.push(("compat", "skrebate".to_string()));
            let settings = info.settings(&given).unwrap();
            let fitted = info.fit(&problem, &settings, &run(2)).unwrap();
            let expected = naive.radius_as_skrebate(name, real.then_some(&case.y[..]));
            let difference = largest_difference(fitted.model.weights(), &expected);
            prop_assert!(difference < 1e-10, "{name} {difference:e} {:?}\n{expected:?}", fitted.model);
        }
    }
}

proptest! {
    #![proptest_config(config(60))]

    /// Missing genotypes of up to five classes are looked up as few cases; those of more are not, and of
    /// more than eight they are counted otherwise.
    #[test]
    fn the_engine_equals_the_textbook_with_many_classes(
        case in cases(30..90),
        count in prop::sample::select(vec![4, 5, 6, 8, 11_u32]),
    ) {
        prop_assume!(comparable(&case));
        let codes = (0..case.codes.len() as u32).map(|row| (row * 7 + row / 5) % count).collect();
        check(&Case { codes, ..case })?;
    }
}

/// Tables of missing values have another form where a column has more than 256 different values, and
/// again another where most of its values are different.
#[test]
fn numbers_of_many_values_with_gaps_equal_the_textbook() {
    const ROWS: usize = 620;
    let noise = |row: usize, column: usize| {
        let at = (row * 5 + column) as f64;
        (at.sqrt() * 917.3 + at * 0.618_033_988_749).fract()
    };
    let columns = (0..3).map(|feature| {
        let value = |row: usize| match noise(row, feature) {
            _ if noise(row, feature + 40) < 0.02 => f64::NAN,
            u if feature % 2 == 0 => (u * 315.0).floor(),
            u => u,
        };
        let values: Vec<f64> = (0..ROWS).map(value).collect();
        Column::numeric(format!("f{feature}"), Numbers::Contiguous(values.into())).unwrap()
    });
    let table = Table::new(columns.collect()).unwrap();
    let different = |column: &Column<'_>| {
        let values = (0..ROWS).map(|row| column.value(row)).filter(|value| !value.is_nan());
        values.map(f64::to_bits).collect::<std::collections::HashSet<u64>>().len()
    };
    let [of_some, of_all] = [0, 1].map(|at| different(&table.columns()[at]));
    assert!((254..307).contains(&of_some) && of_all > 500, "{of_some} {of_all}");
    let settings = NearestSettings { n_neighbors: vec![7], ..NearestSettings::default() };
    let codes = (0..ROWS).map(|row| (row * row / 7 % 3) as u32).collect();
    let y = (0..ROWS).map(|row| 4.0 * noise(row, 9) - 2.0).collect();
    check(&Case { table, codes, y, settings }).unwrap();
}

/// Categories of 2 to 16 values are bits of two codes, and those of 17 are not: with and without missing
/// values, more columns than a word and than a tile of bits has, and rows in part of a panel.
#[test]
fn categories_in_bits_and_beyond_equal_the_textbook() {
    let noise = |row: usize, column: usize| {
        let at = (row * 311 + column) as f64;
        (at.sqrt() * 917.3 + at * 0.618_033_988_749).fract()
    };
    let check_levels =
        |levels: &[usize], (rows, columns): (usize, usize), space: SpaceOptions, missing: f64| {
            let column = |feature: usize| {
                let levels = levels[feature % levels.len()];
                let texts: Vec<Option<String>> = (0..rows)
                    .map(|row| match row {
                        // Every value is there.
                        _ if row < levels => Some(format!("L{row}")),
                        _ if noise(row, feature + 1000) < missing => None,
                        _ => Some(format!("L{}", (noise(row, feature) * levels as f64) as usize)),
                    })
                    .collect();
                let texts = texts.iter().map(|text| text.as_deref());
                Column::categorical(format!("f{feature}"), Categories::from_texts(texts))
            };
            let table = Table::new((0..columns).map(column).collect()).unwrap();
            let nearest = NearestSettings {
                n_neighbors: vec![7],
                ties: Ties::Share,
                space,
                ..NearestSettings::default()
            };
            let codes = (0..rows).map(|row| (row * row / 7 % 3) as u32).collect();
            let y = (0..rows).map(|row| 4.0 * noise(row, 9) - 2.0).collect();
            check(&Case { table, codes, y, settings: nearest }).unwrap();
        };
    let mixed = [2, 4, 5, 16, 17];
    for size in [(70, 70), (130, 20), (270, 5)] {
        check_levels(&mixed, size, SpaceOptions::default(), 0.0);
    }
    for (missing, metric) in [
        (MissingPolicy::Expected, Metric::Manhattan),
        (MissingPolicy::Ignore, Metric::Euclidean),
        (MissingPolicy::Pessimistic, Metric::Manhattan),
    ] {
        let space = SpaceOptions { missing, metric, ..SpaceOptions::default() };
        check_levels(&mixed, (70, 20), space, 0.1);
    }
    for levels in [4, 16] {
        check_levels(&[levels], (40, 66), SpaceOptions::default(), 0.1);
    }
}

fn codes_of(target: &Target) -> Vec<usize> {
    target.classes("").unwrap().codes().iter().map(|code| *code as usize).collect()
}

/// The methods that feed their weights back into the distances.
fn check_feedback(case: &Case, seed: u64) -> Result<(), TestCaseError> {
    let target = classes(&case.codes);
    let problem = Problem::new(&case.table, &target).unwrap();
    let naive = Naive::new(&case.table, codes_of(&target), case.settings.space);
    let order = visiting_order(case.table.rows(), seed);
    let nearest = case.settings.clone();

    let expected = naive.feedback(&order, &nearest, |t| if t > 0.0 { 1.0 } else { 0.0 });
    let method = DReliefF { nearest: nearest.clone() };
    let fitted = method.fit_with(&problem, &run(2).with_seed(seed)).unwrap();
    let difference = largest_difference(fitted.model.weights(), &expected);
    prop_assert!(difference < 1e-10, "drelieff {difference:e}\n{:?}\n{expected:?}", fitted.model);

    let s = 0.063_365_7;
    let expected = naive.feedback(&order, &nearest, |t| t * t / (t * t + s));
    let method = PDReliefF { nearest: nearest.clone(), ..PDReliefF::default() };
    let fitted = method.fit_with(&problem, &run(2).with_seed(seed)).unwrap();
    let difference = largest_difference(fitted.model.weights(), &expected);
    prop_assert!(difference < 1e-10, "pdrelieff {difference:e}");

    // The ends of the scale.
    let plain = ReliefF { nearest: nearest.clone() }.fit_with(&problem, &run(1)).unwrap();
    let never = PDReliefF { nearest, area_share: 1.0, exponent: 0.7 };
    let never = never.fit_with(&problem, &run(1)).unwrap();
    let difference = largest_difference(plain.model.weights(), never.model.weights());
    prop_assert!(difference < 1e-10, "pdrelieff as relieff {difference:e}");
    Ok(())
}

proptest! {
    #![proptest_config(config(150))]

    #[test]
    fn feedback_methods_equal_the_textbook(case in sums(4..32, 1..9), seed: u64) {
        prop_assume!(comparable(&case));
        check_feedback(&case, seed)?;
    }
}

proptest! {
    #![proptest_config(config(4))]

    /// More rows than one call of a kernel looks at.
    #[test]
    fn feedback_methods_equal_the_textbook_over_several_chunks(
        case in sums(257..300, 1..9),
        seed: u64,
    ) {
        prop_assume!(comparable(&case));
        check_feedback(&case, seed)?;
    }
}

/// I-RELIEF in all its forms.
fn check_irelief(case: &Case, method: IRelief, seed: u64) -> Result<(), TestCaseError> {
    let target = classes(&case.codes);
    let problem = Problem::new(&case.table, &target).unwrap();
    let method = IRelief { space: case.settings.space, ..method };
    let naive = Naive::new(&case.table, codes_of(&target), method.space);
    let rows = case.table.rows();
    let order = if method.online { visiting_order(rows, seed) } else { (0..rows).collect() };
    let (expected, iterations) = naive.irelief(&method, &order);
    let fitted = method.fit_with(&problem, &run(2).with_seed(seed)).unwrap();
    // A margin that is 0 but for rounding decides the direction of all weights where it is the
    // only positive one, and how many iterations are left where the change is near `tol`.
    prop_assume!(fitted.report.objective.unwrap() > 1e-6 || expected.iter().all(|w| *w == 0.0));
    let difference = largest_difference(fitted.model.weights(), &expected);
    prop_assert!(difference < 1e-10, "irelief {difference:e}\n{:?}\n{expected:?}", fitted.model);
    prop_assert_eq!(fitted.report.iterations, Some(iterations));
    Ok(())
}

proptest! {
    #![proptest_config(config(150))]

    #[test]
    fn irelief_equals_the_textbook(
        case in sums(4..32, 1..9),
        sigma in 0.05..5.0_f64,
        online: bool,
        outliers: bool,
        squared: bool,
        seed: u64,
    ) {
        let method = IRelief {
            sigma, online, outliers, squared, max_iter: 8, tol: 1e-4, ..IRelief::default()
        };
        check_irelief(&case, method, seed)?;
    }
}

proptest! {
    #![proptest_config(config(4))]

    #[test]
    fn irelief_equals_the_textbook_over_several_chunks(
        case in sums(257..300, 1..9),
        online: bool,
        outliers: bool,
    ) {
        let method = IRelief { online, outliers, max_iter: 2, ..IRelief::default() };
        check_irelief(&case, method, 5)?;
    }
}

proptest! {
    #![proptest_config(config(12))]

    /// More columns of one kind than are read for several rows at once.
    #[test]
    fn irelief_equals_the_textbook_over_several_blocks_of_columns(
        case in sums(9..20, 600..700),
        online: bool,
        squared: bool,
    ) {
        let method = IRelief { online, squared, max_iter: 3, ..IRelief::default() };
        check_irelief(&case, method, 5)?;
    }
}

/// A continuous complete column: nearest rows are not tied, but for identical ones.
fn is_continuous(case: &Case) -> bool {
    case.settings.space.ramp.is_none()
        && case.settings.space.missing != MissingPolicy::Ignore
        && case.table.columns().iter().any(is_fine)
}

proptest! {
    #![proptest_config(config(150))]

    #[test]
    fn simba_equals_the_textbook(
        case in sums(4..32, 1..9),
        beta in prop::option::of(0.1..30.0_f64),
        steps in prop::option::of(1..60_usize),
        restarts in 1..4_usize,
        seed: u64,
    ) {
        prop_assume!(is_continuous(&case));
        let target = classes(&case.codes);
        let problem = Problem::new(&case.table, &target).unwrap();
        let utility = beta.map_or(Utility::Linear, |beta| Utility::Sigmoid { beta });
        let method = Simba { utility, steps, restarts, space: case.settings.space };
        let naive = Naive::new(&case.table, codes_of(&target), method.space);
        let orders = visiting_orders(case.table.rows(), seed, restarts);
        let (expected, objective) = naive.simba(&method, &orders);
        let fitted = method.fit_with(&problem, &run(2).with_seed(seed)).unwrap();
        let difference = largest_difference(fitted.model.weights(), &expected);
        let allowed = SIMBA_ROUNDING * naive.simba_magnification(&method, &orders).max(1.0);
        prop_assert!(difference < allowed, "simba {difference:e}\n{:?}\n{expected:?}", fitted.model);
        prop_assert!((fitted.report.objective.unwrap() - objective).abs() < allowed);
    }
}

/// How far two ways to add up `simba` may differ, but for what magnifies it: weights that come near to 0.
const SIMBA_ROUNDING: f64 = 1e-10;

/// Many steps over few rows can shrink all weights to near 0, by which rounding is magnified. Neighbors have no part in it:
/// among these rows nobody is nearly as far as another.
#[test]
fn simba_magnifies_rounding_where_its_weights_shrink() {
    let number = |k: usize| ((k * 7919 + 13) % 10_007) as f64 / 10_007.0;
    let mut most = 0.0_f64;
    for case in 0..1500 {
        let rows = 4 + case % 4;
        let values: Vec<f64> = (0..2 * rows).map(|k| number(case * 31 + k * k * 17 + k)).collect();
        let table = Table::from_row_major(&values, rows, &["a", "b"]).unwrap();
        let codes: Vec<u32> = (0..rows as u32).map(|row| row % 2).collect();
        let target = classes(&codes);
        let problem = Problem::new(&table, &target).unwrap();
        let method = Simba { steps: Some(60), restarts: 1, ..Simba::default() };
        let naive = Naive::new(&table, codes_of(&target), method.space);
        let orders = visiting_orders(rows, case as u64, 1);
        let (expected, _) = naive.simba(&method, &orders);
        let fitted = method.fit_with(&problem, &run(1).with_seed(case as u64)).unwrap();
        let difference = largest_difference(fitted.model.weights(), &expected);
        let magnification = naive.simba_magnification(&method, &orders);
        let allowed = SIMBA_ROUNDING * magnification.max(1.0);
        assert!(difference < allowed, "{difference:e} {magnification:e}");
        most = most.max(magnification);
    }
    assert!(most > 100.0, "{most:e}");
}

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn lmba_equals_the_textbook(case in sums(4..32, 1..9), c in 0.1..10.0_f64, max_iter in 1..5_usize) {
        prop_assume!(is_continuous(&case));
        let target = classes(&case.codes);
        let problem = Problem::new(&case.table, &target).unwrap();
        let method = Lmba { c, max_iter, tol: 1e-300, space: case.settings.space };
        let naive = Naive::new(&case.table, codes_of(&target), method.space);
        let (expected, objective) = naive.lmba(c, max_iter);
        let fitted = method.fit_with(&problem, &run(2)).unwrap();
        let difference = largest_difference(fitted.model.weights(), &expected);
        prop_assert!(difference < 1e-10, "lmba {difference:e}\n{:?}\n{expected:?}", fitted.model);
        prop_assert!((fitted.report.objective.unwrap() - objective).abs() < 1e-10);
    }
}
