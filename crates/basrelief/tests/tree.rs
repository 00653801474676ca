//! The kd-tree finds what the sweep over all pairs finds, to the bit.

mod common;

use std::sync::Arc;

use basrelief::data::{Categories, Column, Table, Target};
use basrelief::methods::{NearestSettings, Problem, RReliefF, ReliefE, ReliefF, ReliefMargin};
use basrelief::neighbors::{
    Grouping, Metric, NearestOptions, Neighbor, NeighborSearch, NeighborWeights, Neighborhoods,
    PairSource, Ramp, Space, SpaceOptions, Ties,
};
use basrelief::{CancelFlag, Error, Progress, Run};
use common::{classes, numeric, run};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const BOTH: [NeighborSearch; 2] = [NeighborSearch::AllPairs, NeighborSearch::KdTree];

#[derive(Debug)]
struct Case {
    columns: Vec<Vec<f64>>,
    codes: Vec<u32>,
    sampled: Vec<u32>,
    options: NearestOptions,
    metric: Metric,
}

/// Values of one column from uniform numbers: continuous, on grids of a few steps, heavy at 0,
/// over hundreds of orders of magnitude, or all equal.
fn value(kind: u8, u: f64) -> f64 {
    match kind {
        0 => 3.7 * u - 1.0,
        1 => (u * 4.0).floor(),
        // Thirds and sevenths, which floating point cannot hold.
        2 => (u * 8.0).floor() * 0.1 + 0.3,
        3 => (u - 0.7).max(0.0),
        4 => 10_f64.powf(600.0 * u - 320.0),
        _ => 4.25,
    }
}

fn cases(rows: std::ops::Range<usize>) -> impl Strategy<Value = Case> {
    let options = (1..40_usize, any::<bool>(), prop::option::of(0.5..20.0_f64)).prop_map(
        |(k, first, sigma)| NearestOptions {
            k,
            ties: if first { Ties::First } else { Ties::Share },
            weights: sigma
                .map_or(NeighborWeights::Uniform, |sigma| NeighborWeights::Rank { sigma }),
        },
    );
    // Rows are drawn from a pool, so that many are repeated where the pool is small.
    (rows, 1..6_usize, options, any::<bool>()).prop_flat_map(|(n, width, options, euclidean)| {
        (
            prop::collection::vec((0..6_u8, prop::collection::vec(0.0..1.0_f64, n)), width),
            prop_oneof![Just(1), Just(3), Just(n), Just(n)],
            prop::collection::vec((0..n, 0..3_u32, 0.0..1.0_f64), n),
            prop_oneof![Just(1.0), 0.05..1.0_f64],
        )
            .prop_map(move |(recipes, pool, draws, share)| {
                let mut columns: Vec<Vec<f64>> = recipes
                    .iter()
                    .map(|(kind, uniform)| {
                        draws.iter().map(|draw| value(*kind, uniform[draw.0 % pool])).collect()
                    })
                    .collect();
                // One column that is not constant: a row apart.
                columns[0][n - 1] = 5.0;
                columns[0][0] = 0.5;
                Case {
                    columns,
                    codes: draws.iter().map(|draw| draw.1).collect(),
                    sampled: (0..n as u32).filter(|&row| draws[row as usize].2 < share).collect(),
                    options,
                    metric: if euclidean { Metric::Euclidean } else { Metric::Manhattan },
                }
            })
    })
}

fn table(columns: &[Vec<f64>]) -> Table<'static> {
    let named = columns.iter().enumerate();
    Table::new(named.map(|(index, values)| numeric(&format!("f{index}"), values)).collect())
        .unwrap()
}

/// Per place: how many neighbors are expected; then every visit.
type Seen = (Vec<usize>, Vec<(u32, usize, Vec<Neighbor>)>);

fn seen(
    case: &Case,
    table: &Table<'_>,
    grouping: Grouping<'_>,
    search: NeighborSearch,
    threads: usize,
) -> Seen {
    let run = run(threads);
    let options = SpaceOptions { metric: case.metric, ..SpaceOptions::default() };
    let space = Space::new(table, Some((&case.codes, 3)), options, &run).unwrap();
    let found = Neighborhoods::find_by(search, &space, &case.sampled, grouping, case.options, &run)
        .unwrap();
    assert_eq!(found.search(), search);
    let mut visits = Vec::new();
    found.visit(0..found.len(), &mut |row, group, neighbors| {
        visits.push((row, group, neighbors.to_vec()));
    });
    ((0..found.len()).map(|place| found.expected_pairs(place)).collect(), visits)
}

fn check(case: &Case) {
    let table = table(&case.columns);
    for grouping in [
        Grouping::All,
        Grouping::HitMiss(&case.codes),
        // The last class has no rows.
        Grouping::PerClass(&case.codes, 4),
    ] {
        let pairs = seen(case, &table, grouping, NeighborSearch::AllPairs, 2);
        for threads in [1, 3] {
            let tree = seen(case, &table, grouping, NeighborSearch::KdTree, threads);
            assert_eq!(tree, pairs, "{grouping:?}");
        }
    }
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(20_261_121),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn both_searches_see_the_same(case in cases(2..70)) {
        check(&case);
    }
}

proptest! {
    #![proptest_config(config(24))]

    /// Several blocks, and trees of several levels.
    #[test]
    fn both_searches_see_the_same_among_many(case in cases(260..900)) {
        check(&case);
    }
}

proptest! {
    #![proptest_config(config(12))]

    #[test]
    fn fits_are_the_same_to_the_bit(case in cases(60..400), threads in 1..4_usize) {
        let table = table(&case.columns);
        let mut codes = case.codes.clone();
        (codes[0], codes[1]) = (0, 1);
        let labels = classes(&codes);
        let target = Target::Real(case.columns[0].clone());
        let both = BOTH.map(|search| {
            let nearest = NearestSettings {
                n_neighbors: vec![case.options.k],
                n_samples: Some(case.sampled.len().max(1)),
                neighbor_weights: case.options.weights,
                ties: case.options.ties,
                space: SpaceOptions { metric: case.metric, ..SpaceOptions::default() },
                search: Some(search),
            };
            let run = run(threads);
            let problem = Problem::new(&table, &labels).unwrap();
            let fits = [
                ReliefF { nearest: nearest.clone() }.fit_with(&problem, &run).unwrap(),
                ReliefE { nearest: nearest.clone() }.fit_with(&problem, &run).unwrap(),
                ReliefMargin { nearest: nearest.clone() }.fit_with(&problem, &run).unwrap(),
                RReliefF { nearest, ..RReliefF::new() }.fit_with(&Problem::new(&table, &target).unwrap(), &run).unwrap(),
            ];
            fits.map(|fitted| {
                assert_eq!(fitted.report.search, Some(search));
                fitted.model.weights().iter().map(|weight| weight.to_bits()).collect::<Vec<_>>()
            })
        });
        prop_assert_eq!(&both[0], &both[1]);
    }
}

/// Leaves hold 32 rows: every number of rows around that, in one class and in three.
#[test]
fn leaves_may_be_full_or_not() {
    for rows in 2..140 {
        let columns = [77, 131].map(|step| {
            (0..rows).map(|row| f64::from((row * step + 5) % 139).sqrt()).collect::<Vec<f64>>()
        });
        check(&Case {
            columns: columns.to_vec(),
            codes: (0..rows as u32).map(|row| row % 7 / 3).collect(),
            sampled: (0..rows as u32).collect(),
            options: NearestOptions { k: 5, ties: Ties::Share, weights: NeighborWeights::Uniform },
            metric: Metric::Manhattan,
        });
    }
}

/// Half of the rows are equal, and the others are where they are in one column only.
#[test]
fn many_equal_rows_are_all_neighbors() {
    let rows = 1200;
    let apart = |row: usize| if row.is_multiple_of(2) { 0.0 } else { (row as f64).sqrt() };
    let mut case = Case {
        columns: vec![(0..rows).map(apart).collect(), vec![1.0; rows]],
        codes: (0..rows as u32).map(|row| row / 3 % 3).collect(),
        sampled: (0..rows as u32).step_by(7).collect(),
        options: NearestOptions { k: 3, ties: Ties::Share, weights: NeighborWeights::Uniform },
        metric: Metric::Manhattan,
    };
    check(&case);
    let (expected, visits) =
        seen(&case, &table(&case.columns), Grouping::All, NeighborSearch::KdTree, 1);
    // By hand: row 0 has 599 other rows at distance 0, which share its three places.
    assert_eq!((expected[0], visits[0].2.len()), (599, 599));
    assert!(visits[0].2.iter().all(|neighbor| neighbor.weight == 1.0 / 599.0));
    case.options.ties = Ties::First;
    check(&case);
}

#[test]
fn a_tree_says_what_it_cannot_search() {
    let numbers = [0.0, 1.0, 3.0, 7.0];
    let refused = |columns: Vec<Column<'static>>, options: SpaceOptions| {
        let table = Table::new(columns).unwrap();
        let space = Space::new(&table, None, options, &run(1)).unwrap();
        let nearest = NearestOptions { k: 1, ties: Ties::Share, weights: NeighborWeights::Uniform };
        let found = Neighborhoods::find(&space, &[0, 1], Grouping::All, nearest, &run(1)).unwrap();
        assert_eq!(found.search(), NeighborSearch::AllPairs);
        let tree = NeighborSearch::KdTree;
        match Neighborhoods::find_by(tree, &space, &[0, 1], Grouping::All, nearest, &run(1)) {
            Ok(_) => panic!("not refused"),
            Err(error) => error.to_string(),
        }
    };
    let plain = SpaceOptions::default();
    let gaps = numeric("holes", &[0.0, f64::NAN, 3.0, 7.0]);
    assert!(refused(vec![numeric("a", &numbers), gaps], plain).contains("`holes` has missing"));
    let texts = Categories::from_texts([Some("a"), Some("b"), None, Some("a")]);
    let texts = Column::categorical("text", texts);
    assert!(refused(vec![numeric("a", &numbers), texts], plain).contains("`text` is not numeric"));
    let genotypes = Column::genotype("snp", vec![0, 1, 2, 1].into()).unwrap();
    assert!(refused(vec![genotypes], plain).contains("`snp` is not numeric"));
    assert!(refused(vec![numeric("a", &[1.0; 4])], plain).contains("no column"));
    let ramp = SpaceOptions { ramp: Ramp::new(0.1, 0.2), ..plain };
    assert!(refused(vec![numeric("a", &numbers)], ramp).contains("ramp"));
}

#[test]
fn the_rule_takes_trees_for_many_rows_with_few_columns() {
    let rows = 1000;
    let values: Vec<f64> = (0..rows).map(|row| f64::from(row).sqrt()).collect();
    let codes: Vec<u32> = (0..rows as u32).map(|row| row % 2).collect();
    let sampled: Vec<u32> = (0..rows as u32).collect();
    let used = |width: usize, sampled: &[u32], grouping: Grouping<'_>, k: usize| {
        // A constant column does not count.
        let mut columns = vec![values.clone(); width];
        columns.push(vec![1.0; values.len()]);
        let table = table(&columns);
        let space = Space::new(&table, None, SpaceOptions::default(), &run(1)).unwrap();
        let options = NearestOptions { k, ties: Ties::Share, weights: NeighborWeights::Uniform };
        Neighborhoods::find(&space, sampled, grouping, options, &run(1)).unwrap().search()
    };
    let classes = Grouping::PerClass(&codes, 2);
    assert_eq!(used(4, &sampled, classes, 10), NeighborSearch::KdTree);
    assert_eq!(used(4, &sampled, Grouping::All, 20), NeighborSearch::KdTree);
    assert_eq!(used(4, &sampled, classes, 11), NeighborSearch::AllPairs);
    let many: Vec<u32> = (0..rows as u32).map(|row| row % 50).collect();
    assert_eq!(used(4, &sampled, Grouping::HitMiss(&many), 1), NeighborSearch::AllPairs);
    assert_eq!(used(5, &sampled, classes, 10), NeighborSearch::AllPairs);
    assert_eq!(used(5, &sampled, classes, 1), NeighborSearch::KdTree);
    assert_eq!(used(8, &sampled, classes, 1), NeighborSearch::AllPairs);
    assert_eq!(used(4, &sampled[1..], classes, 10), NeighborSearch::AllPairs);
}

/// Raises the flag when the search begins.
struct Interrupt(CancelFlag);

impl Progress for Interrupt {
    fn start(&self, stage: &str, _total: u64) {
        if stage == "searching neighbors" {
            self.0.cancel();
        }
    }
    fn advance(&self, _units: u64) {}
    fn finish(&self) {}
}

#[test]
fn the_search_stops_when_cancelled() {
    let flag = CancelFlag::new();
    let interrupted = Run::new(Some(1))
        .unwrap()
        .with_cancel(flag.clone())
        .with_progress(Arc::new(Interrupt(flag)));
    let values: Vec<f64> = (0..500).map(|row| f64::from(row).sqrt()).collect();
    let table = table(&[values]);
    let space = Space::new(&table, None, SpaceOptions::default(), &interrupted).unwrap();
    let rows: Vec<u32> = (0..500).collect();
    let options = NearestOptions { k: 3, ties: Ties::Share, weights: NeighborWeights::Uniform };
    let tree = NeighborSearch::KdTree;
    let found = Neighborhoods::find_by(tree, &space, &rows, Grouping::All, options, &interrupted);
    assert!(matches!(found, Err(Error::Cancelled)));
}
