//! Blocks of features, which count as one feature each in distances: against the textbook version, and their tests.

mod common;

use basrelief::data::{
    BlockScale, Categories, Classes, Column, FeatureBlocks, GroupWeight, Groups, Roles, RowWeights,
    Table, Target,
};
use basrelief::inference::{
    Correction, Draws, NoStore, PermutationTest, Permutations, Resampling, Sided, WeightIntervals,
    resampled_rankings,
};
use basrelief::maps::{FeatureRanking, RankBy};
use basrelief::methods::wrappers::{Wrapper, fit_wrapped, for_targets};
use basrelief::methods::{METHODS, Problem, method};
use basrelief::neighbors::{MissingPolicy, NeighborWeights, SpaceOptions, Ties};
use basrelief::selection::RedundancyRule;
use basrelief::{Fitted, Result, Run};
use common::tables::{KINDS, Random, table};
use common::{Naive, largest_difference, run};

const ROWS: usize = 70;
const SCALES: [BlockScale; 3] = [BlockScale::Size, BlockScale::Variance, BlockScale::Max];
const POLICIES: [(MissingPolicy, &str); 3] = [
    (MissingPolicy::Expected, "expected"),
    (MissingPolicy::Ignore, "ignore"),
    (MissingPolicy::Pessimistic, "pessimistic"),
];

fn codes(rows: usize) -> Vec<usize> {
    let mut random = Random(11);
    (0..rows).map(|_| (random.next() * 2.0) as usize).collect()
}

fn classes(rows: usize) -> Target {
    let labels: Vec<String> = codes(rows).iter().map(usize::to_string).collect();
    Target::Classes(Classes::from_labels(&labels))
}

fn numbers(rows: usize) -> Target {
    let mut random = Random(23);
    Target::Real((0..rows).map(|_| random.next()).collect())
}

/// Two blocks of the columns `f0`, `f1`, …; the others are in no block.
fn blocks(table: &Table<'_>, scale: BlockScale) -> FeatureBlocks {
    let named = |columns: &[usize]| columns.iter().map(|column| format!("f{column}")).collect();
    let blocks = vec![("a".to_string(), named(&[0, 3, 4])), ("b".to_string(), named(&[1, 6]))];
    FeatureBlocks::named(blocks, scale, table).unwrap()
}

fn fit(
    name: &str,
    given: &[(&str, &str)],
    (table, target): (&Table<'_>, &Target),
    roles: Roles<'_>,
    run: &Run,
) -> Result<Fitted<FeatureRanking>> {
    let info = method(name).unwrap();
    let problem = Problem::new(table, target)?.with_roles(roles)?;
    info.fit(&problem, &info.settings(given)?, run)
}

/// The factors of the blocks by their definition: missing values are expected over all rows.
fn factors(blocks: &FeatureBlocks, table: &Table<'_>, options: SpaceOptions) -> Vec<f64> {
    let of_set = |features: &[usize]| {
        let mut own = vec![0.0; table.width()];
        features.iter().for_each(|&feature| own[feature] = 1.0);
        let own = Naive::new(table, vec![0; table.rows()], options).with_factors(own);
        let rows = table.rows();
        let pairs = (0..rows).flat_map(|i| (i + 1..rows).map(move |j| (i, j)));
        let sums: Vec<f64> = pairs.map(|(i, j)| own.distance(i, j)).collect();
        let sums: Vec<f64> = sums.into_iter().filter(|sum| sum.is_finite()).collect();
        let mean = sums.iter().sum::<f64>() / sums.len() as f64;
        match blocks.scale() {
            BlockScale::Size => features.len() as f64,
            BlockScale::Variance => {
                sums.iter().map(|sum| (sum - mean).powi(2)).sum::<f64>() / sums.len() as f64
            }
            BlockScale::Max => sums.iter().copied().fold(0.0, f64::max),
        }
    };
    blocks.sets().iter().map(|set| 1.0 / of_set(&set.features)).collect()
}

/// The factor of every feature.
fn of_features(blocks: &FeatureBlocks, factors: &[f64], width: usize) -> Vec<f64> {
    let mut all = vec![1.0; width];
    for (set, &factor) in blocks.sets().iter().zip(factors) {
        set.features.iter().for_each(|&feature| all[feature] = factor);
    }
    all
}

#[test]
fn distances_are_those_of_the_definition() {
    let (codes, target, y) = (codes(ROWS), classes(ROWS), numbers(ROWS));
    for (kind, missing) in KINDS.into_iter().flat_map(|kind| [(kind, 0.0), (kind, 0.1)]) {
        let table = table(kind, ROWS, 8, missing);
        for (policy, word) in POLICIES.into_iter().take(if missing > 0.0 { 3 } else { 1 }) {
            let options = SpaceOptions { missing: policy, ..SpaceOptions::default() };
            for scale in SCALES {
                let blocks = blocks(&table, scale);
                let roles = Roles::default().with_blocks(Some(&blocks));
                let expected_factors = factors(&blocks, &table, options);
                let of_features = of_features(&blocks, &expected_factors, table.width());
                let context = format!("{kind} {missing} {word} {scale:?}");
                let found = |name: &str, given: &[(&str, &str)], target: &Target| {
                    let given = [given, &[("missing", word)]].concat();
                    let fitted = fit(name, &given, (&table, target), roles, &run(2)).unwrap();
                    let own = fitted.report.block_factors.unwrap();
                    for (own, expected) in own.iter().zip(&expected_factors) {
                        let error = (own / expected - 1.0).abs();
                        assert!(error < 1e-12, "{context}: factor {own} instead of {expected}");
                    }
                    fitted.model.weights().to_vec()
                };
                let naive =
                    Naive::new(&table, codes.clone(), options).with_factors(of_features.clone());
                let rows: Vec<usize> = (0..ROWS).collect();
                let uniform = NeighborWeights::Uniform;
                let expected = naive.hit_miss(&rows, 3, Ties::Share, uniform, false);
                let own = found("relieff", &[("n_neighbors", "3")], &target);
                let difference = largest_difference(&own, &expected);
                assert!(difference < 1e-12, "relieff {context}: {difference}");
                let plain = Naive::new(&table, codes.clone(), options);
                let plain = plain.hit_miss(&rows, 3, Ties::Share, uniform, false);
                assert!(largest_difference(&own, &plain) > 1e-4, "{context}");
                for name in ["surf", "surf*", "multisurf"] {
                    let expected = naive.radius_of(&rows, name, None);
                    let difference = largest_difference(&found(name, &[], &target), &expected);
                    assert!(difference < 1e-12, "{name} {context}: {difference}");
                }
                let of_numbers =
                    Naive::new(&table, vec![0; ROWS], options).with_factors(of_features);
                let expected = of_numbers.radius_of(&rows, "multisurf", y.as_numbers());
                let difference = largest_difference(&found("multisurf", &[], &y), &expected);
                assert!(difference < 1e-12, "multisurf of numbers {context}: {difference}");
            }
        }
    }
}

/// Indicators of the levels of a categorical column.
fn one_hot(column: &Column<'_>, name: &str, levels: usize) -> Vec<Column<'static>> {
    let indicator = |level: usize| {
        let is = |row: usize| f64::from(u8::from(column.value(row) as usize == level));
        let values = (0..column.len()).map(is).collect();
        Column::from_values(format!("{name}_{level}"), values).unwrap()
    };
    (0..levels).map(indicator).collect()
}

#[test]
fn indicators_scaled_by_their_largest_difference_equal_the_categorical_column() {
    let rows = 90;
    let mut random = Random(4);
    let others = table("mixed", rows, 6, 0.0);
    for levels in [3_usize, 5, 20] {
        let texts: Vec<String> =
            (0..rows).map(|_| format!("{:02}", (random.next() * levels as f64) as u32)).collect();
        let texts = texts.iter().map(|text| Some(text.as_str()));
        let column = Column::categorical("c", Categories::from_texts(texts));
        let whole = Table::new([others.columns(), std::slice::from_ref(&column)].concat()).unwrap();
        let indicators = one_hot(&column, "c", levels);
        let split = Table::new([others.columns(), &indicators[..]].concat()).unwrap();
        let blocks = FeatureBlocks::by_prefix("_", BlockScale::Max, &split).unwrap();
        let roles = Roles::default().with_blocks(Some(&blocks));
        for (name, target) in [
            ("relieff", classes(rows)),
            ("relief", classes(rows)),
            ("surf", classes(rows)),
            ("surf*", classes(rows)),
            ("swrf*", classes(rows)),
            ("multiswrf*", classes(rows)),
            ("multiswrfdb", classes(rows)),
            ("multisurf", classes(rows)),
            ("rrelieff", numbers(rows)),
            ("multisurf", numbers(rows)),
        ] {
            let categorical = fit(name, &[], (&whole, &target), Roles::default(), &run(2)).unwrap();
            let fitted = fit(name, &[], (&split, &target), roles, &run(2)).unwrap();
            let factors = fitted.report.block_factors.unwrap();
            assert_eq!(factors, [0.5]);
            let mut weights = fitted.model.weights()[..others.width()].to_vec();
            weights.extend(blocks.weights(&factors, fitted.model.weights()));
            let difference = largest_difference(&weights, categorical.model.weights());
            assert!(difference < 1e-12, "{name} with {levels} levels: {difference}");
        }
    }
}

#[test]
fn blocks_of_one_feature_change_nothing() {
    for missing in [0.0, 0.1] {
        let table = table("mixed", ROWS, 8, missing);
        let named = (0..8).map(|feature| (format!("b{feature}"), vec![format!("f{feature}")]));
        let blocks = FeatureBlocks::named(named.collect(), BlockScale::Size, &table).unwrap();
        for (name, target) in [
            ("relieff", classes(ROWS)),
            ("multisurf", classes(ROWS)),
            ("surf*", numbers(ROWS)),
            ("rrelieff", numbers(ROWS)),
        ] {
            let fitted = |blocks: Option<&FeatureBlocks>| {
                let roles = Roles::default().with_blocks(blocks);
                fit(name, &[], (&table, &target), roles, &run(2)).unwrap()
            };
            let (with, without) = (fitted(Some(&blocks)), fitted(None));
            assert_eq!(with.model.weights(), without.model.weights(), "{name}");
            assert_eq!(with.report.plan, without.report.plan);
            let factors = with.report.block_factors.unwrap();
            assert_eq!(blocks.weights(&factors, with.model.weights()), with.model.weights());
        }
    }
}

#[test]
fn weights_do_not_depend_on_the_threads() {
    for missing in [0.0, 0.1] {
        let table = table("mixed", 300, 12, missing);
        for scale in SCALES {
            let blocks = blocks(&table, scale);
            let roles = Roles::default().with_blocks(Some(&blocks));
            for (name, target) in [("relieff", classes(300)), ("multisurf", numbers(300))] {
                let fitted =
                    |threads| fit(name, &[], (&table, &target), roles, &run(threads)).unwrap();
                let [one, three] = [1, 3].map(fitted);
                assert_eq!(one.model.weights(), three.model.weights(), "{name} {scale:?}");
                assert_eq!(one.report.block_factors, three.report.block_factors);
            }
        }
    }
}

/// Weights of rows are those of repeated rows, in the scales too.
#[test]
fn rows_count_by_their_weights() {
    let rows = 60;
    let table = table("mixed", rows, 8, 0.0);
    let counts: Vec<usize> = (0..rows).map(|row| 1 + row % 3).collect();
    let repeated: Vec<usize> =
        (0..rows).flat_map(|row| std::iter::repeat_n(row, counts[row])).collect();
    let names: Vec<String> = repeated.iter().map(usize::to_string).collect();
    let target = classes(rows);
    let weights = RowWeights::new("w", counts.iter().map(|count| *count as f64).collect()).unwrap();
    let blocks = blocks(&table, BlockScale::Max);
    let roles = Roles::default().with_blocks(Some(&blocks)).with_weights(Some(&weights));
    let given = [("n_neighbors", "5")];
    let weighted = fit("relieff", &given, (&table, &target), roles, &run(1)).unwrap();
    // Copies of a row are not its neighbors.
    let groups = Groups::from_labels(&names, GroupWeight::Rows);
    let (table, target) = (table.select_rows(&repeated), target.select_rows(&repeated).unwrap());
    let roles = Roles::default().with_blocks(Some(&blocks)).with_groups(Some(&groups));
    let copied = fit("relieff", &given, (&table, &target), roles, &run(1)).unwrap();
    let difference = largest_difference(weighted.model.weights(), copied.model.weights());
    assert!(difference < 1e-12, "{difference}");
}

#[test]
fn blocks_are_tested_in_the_same_permutations() {
    let most = 39;
    for (missing, scale) in
        [(0.0, BlockScale::Max), (0.0, BlockScale::Size), (0.1, BlockScale::Variance)]
    {
        let table = table("mixed", ROWS, 8, missing);
        let blocks = blocks(&table, scale);
        let roles = Roles::default().with_blocks(Some(&blocks));
        for (name, target) in
            [("relieff", classes(ROWS)), ("multisurf", classes(ROWS)), ("rrelieff", numbers(ROWS))]
        {
            let (info, run) = (method(name).unwrap(), run(2));
            let settings = info.settings::<&str, &str>(&[]).unwrap();
            let problem = Problem::new(&table, &target).unwrap().with_roles(roles).unwrap();
            let fitted = info.fit(&problem, &settings, &run).unwrap();
            let factors = fitted.report.block_factors.clone().unwrap();
            let permutations = Permutations::new(&target, roles, &run).unwrap();
            let observed = blocks.weights(&factors, fitted.model.weights());
            // Every permutation by a separate fit.
            let permuted = (0..most).map(|number| {
                let target = permutations.permuted(number);
                let fitted = fit(name, &[], (&table, &target), roles, &run).unwrap();
                assert_eq!(fitted.report.block_factors.as_ref(), Some(&factors));
                blocks.weights(&factors, fitted.model.weights())
            });
            let permuted: Vec<Vec<f64>> = permuted.collect();
            for sided in [Sided::One, Sided::Two] {
                let test = PermutationTest {
                    permutations: &permutations,
                    draws: Draws::Fixed(most),
                    sided,
                    correction: Correction::Fdr,
                    alpha: 0.05,
                };
                let mut prepared = for_targets(info, &settings, &[], &problem, &run).unwrap();
                let weights = (fitted.model.weights(), Some((&blocks, &factors[..])));
                let (features, found) =
                    test.run_with_blocks(&mut *prepared, weights, &NoStore, &run).unwrap();
                let found = found.unwrap();
                let statistic = |weight: f64| match sided {
                    Sided::One => weight,
                    Sided::Two => weight.abs(),
                };
                for (block, &own) in observed.iter().enumerate() {
                    let own = statistic(own) - 1e-12;
                    let alone = permuted.iter().filter(|all| statistic(all[block]) >= own).count();
                    let is_exceeded =
                        |all: &&Vec<f64>| all.iter().any(|&other| statistic(other) >= own);
                    let all = permuted.iter().filter(is_exceeded).count();
                    let p = |count: usize| (1 + count) as f64 / (1 + most) as f64;
                    assert_eq!(found.p_values[block], p(alone), "{name} {scale:?}");
                    assert_eq!(found.adjusted.as_ref().unwrap()[block], p(all), "{name} {scale:?}");
                }
                // The test of the features is that without the blocks' tests.
                let mut prepared = for_targets(info, &settings, &[], &problem, &run).unwrap();
                let alone = test.run(&mut *prepared, weights.0, &NoStore, &run).unwrap();
                assert_eq!(alone.p_values, features.p_values);
            }
        }
    }
}

#[test]
fn resamples_have_the_blocks() {
    let table = table("mixed", ROWS, 8, 0.0);
    let (blocks, target) = (blocks(&table, BlockScale::Max), classes(ROWS));
    let info = method("relieff").unwrap();
    let settings = info.settings::<&str, &str>(&[]).unwrap();
    let resampling = Resampling {
        resamples: 5,
        fraction: 0.7,
        top: 3,
        redundancy: RedundancyRule::Relief,
        rank_by: RankBy::Weight,
    };
    let found = |blocks: Option<&FeatureBlocks>| {
        let roles = Roles::default().with_blocks(blocks);
        let problem = Problem::new(&table, &target).unwrap().with_roles(roles).unwrap();
        resampled_rankings(info, &settings, &[], &problem, &resampling, &run(2)).unwrap().features
    };
    assert_ne!(found(Some(&blocks)), found(None));
}

#[test]
fn what_does_not_support_blocks_is_refused() {
    let table = table("mixed", ROWS, 8, 0.0);
    let blocks = blocks(&table, BlockScale::Size);
    let roles = Roles::default().with_blocks(Some(&blocks));
    let run = run(1);
    let mut supported = Vec::new();
    let targets = [classes(ROWS), numbers(ROWS)];
    for info in METHODS {
        let settings = info.settings::<&str, &str>(&[]).unwrap();
        let fits = targets.iter().map(|target| {
            let problem = Problem::new(&table, target).unwrap().with_roles(roles).unwrap();
            info.fit(&problem, &settings, &run).map(drop).map_err(|error| error.to_string())
        });
        let fits: Vec<std::result::Result<(), String>> = fits.collect();
        if fits.iter().any(std::result::Result::is_ok) {
            supported.push(info.name);
        } else if info.name != "survival-relief" {
            let messages: Vec<String> =
                fits.into_iter().filter_map(std::result::Result::err).collect();
            let is_told = messages.iter().any(|message| message.contains("option blocks"));
            assert!(is_told, "{}: {messages:?}", info.name);
        }
    }
    let expected = [
        "relief",
        "relief-e",
        "relieff",
        "rrelieff",
        "surf",
        "surf*",
        "multisurf",
        "swrf",
        "swrf*",
        "multiswrf",
        "multiswrf*",
        "multiswrfdb",
        "multiswrfdb*",
    ];
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    supported.sort_unstable();
    assert_eq!(supported, expected);

    let target = classes(ROWS);
    let refused = |name: &str, given: &[(&str, &str)]| {
        fit(name, given, (&table, &target), roles, &run).unwrap_err().to_string()
    };
    for metric in ["euclidean", "chebyshev"] {
        let message = refused("relieff", &[("metric", metric)]);
        assert!(message.contains("are not sums of differences"), "{message}");
    }
    let message = refused("surf", &[("compat", "skrebate"), ("genotype_diff", "categorical")]);
    assert!(message.contains("does not use blocks of features"), "{message}");
    let info = method("relieff").unwrap();
    let settings = info.settings::<&str, &str>(&[]).unwrap();
    let problem = Problem::new(&table, &target).unwrap().with_roles(roles).unwrap();
    let wrappers = [Wrapper::parse("turf").unwrap()];
    let message = fit_wrapped(info, &settings, &wrappers, &problem, &run).unwrap_err().to_string();
    assert!(message.contains("turf does not use blocks of features"), "{message}");
    let message = WeightIntervals::fit(info, &settings, &problem, &run).unwrap_err().to_string();
    assert!(message.contains("intervals of weights with blocks"), "{message}");
    // Every two rows differ by the same amount.
    let names: Vec<String> = (0..ROWS).map(|row| row.to_string()).collect();
    let names = names.iter().map(|name| Some(name.as_str()));
    let own = Table::new(vec![
        Column::categorical("id", Categories::from_texts(names)),
        table.columns()[0].clone(),
    ])
    .unwrap();
    let ids = vec![("ids".to_string(), vec!["id".to_string()])];
    let ids = FeatureBlocks::named(ids, BlockScale::Variance, &own).unwrap();
    let roles = Roles::default().with_blocks(Some(&ids));
    let message = fit("relieff", &[], (&own, &target), roles, &run).unwrap_err().to_string();
    assert!(message.contains("any two rows differ by the same amount in block `ids`"), "{message}");
    // The blocks of another table.
    let problem = Problem::new(&own, &target).unwrap();
    let roles = Roles::default().with_blocks(Some(&blocks));
    let message = problem.with_roles(roles).unwrap_err().to_string();
    assert!(message.contains("the blocks are those of 8 features, but there are 2"), "{message}");
}
