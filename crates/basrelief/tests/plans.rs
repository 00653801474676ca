//! Every route of the plans, asked for on tables of every kind that it takes, gives the weights of the
//! textbook version.

mod common;

use std::collections::BTreeMap;

use basrelief::data::{Classes, Column, Table, Target};
use basrelief::methods::{Problem, method};
use basrelief::neighbors::{
    GenotypeDiff, Metric, MissingPolicy, NearestRoute, NeighborWeights, RadiusRoute, Ramp,
    SpaceOptions, Ties,
};
use basrelief::{Plan, Run};
use common::tables::{KINDS, table};
use common::{Naive, largest_difference};

/// Names of routes, as of `Run::with_routes`.
const RECOMPUTED: &str = "recomputed";
const WEIGHED: &str = "weighed bits";
const BY_ROW: &str = "pairs by row";
const LOOKED_UP: &str = "corrections looked up";

/// Options of the space that lead another way.
fn spaces(missing: f64) -> Vec<SpaceOptions> {
    let usual = SpaceOptions::default();
    let mut spaces = vec![
        usual,
        SpaceOptions { metric: Metric::Euclidean, ..usual },
        SpaceOptions { ramp: Ramp::new(0.1, 0.4), ..usual },
        SpaceOptions { genotype_diff: GenotypeDiff::Categorical, ..usual },
    ];
    if missing > 0.0 {
        spaces.push(SpaceOptions { missing: MissingPolicy::Ignore, ..usual });
        spaces.push(SpaceOptions { missing: MissingPolicy::Pessimistic, ..usual });
    }
    spaces
}

/// The options as texts.
fn texts(space: SpaceOptions) -> Vec<(&'static str, String)> {
    let missing = match space.missing {
        MissingPolicy::Expected => "expected",
        MissingPolicy::Ignore => "ignore",
        MissingPolicy::Pessimistic => "pessimistic",
    };
    let metric = if space.metric == Metric::Euclidean { "euclidean" } else { "manhattan" };
    let dosage = space.genotype_diff == GenotypeDiff::Additive;
    let ramp = space
        .ramp
        .map_or("none".to_string(), |ramp| format!("{}:{}", ramp.equal(), ramp.different()));
    vec![
        ("missing", missing.to_string()),
        ("metric", metric.to_string()),
        ("genotype_diff", if dosage { "additive" } else { "categorical" }.to_string()),
        ("ramp", ramp),
    ]
}

/// Weights by a method, with routes that are asked for, and the plan.
fn fit(
    name: &str,
    problem: &Problem<'_>,
    options: &[(&str, String)],
    routes: &[&str],
) -> (Vec<f64>, Plan) {
    let run = Run::new(Some(2)).unwrap().with_routes(routes.iter().copied());
    let info = method(name).unwrap();
    let fitted = info.fit(problem, &info.settings(options).unwrap(), &run).unwrap();
    (fitted.model.weights().to_vec(), fitted.report.plan)
}

/// Small tables, and some around the sizes of blocks; with missing values the textbook version is slow.
const SIZES: [(usize, usize, f64); 5] =
    [(9, 3, 0.0), (127, 6, 0.0), (130, 5, 0.08), (257, 9, 0.0), (264, 4, 0.06)];

/// How often routes were taken, by name.
type Taken = BTreeMap<String, usize>;

fn assert_taken(taken: &Taken, routes: impl IntoIterator<Item = &'static str>) {
    for route in routes {
        assert!(taken.get(route).is_some_and(|count| *count > 1), "{route} in {taken:?}");
    }
}

#[test]
fn the_nearest_rows_are_the_same_by_every_route() {
    let mut taken = Taken::new();
    for kind in KINDS {
        // Of few columns of few values, most rows are tied.
        let wide = [(130, 60, 0.08)].into_iter().filter(|_| ["few", "genotypes"].contains(&kind));
        for (rows, columns, missing) in SIZES.into_iter().chain(wide) {
            let table = table(kind, rows, columns, missing);
            let codes: Vec<usize> = (0..rows).map(|row| row * row % 7 % 3).collect();
            let labels: Vec<String> = codes.iter().map(usize::to_string).collect();
            let target = Target::Classes(Classes::from_labels(&labels));
            let problem = Problem::new(&table, &target).unwrap();
            for space in spaces(missing) {
                let naive = Naive::new(&table, codes.clone(), space);
                let mut options = texts(space);
                options.push(("n_neighbors", "4".to_string()));
                let uniform = NeighborWeights::Uniform;
                let all: Vec<usize> = (0..rows).collect();
                let expected = naive.hit_miss(&all, 4, Ties::Share, uniform, false);
                for route in NearestRoute::ALL {
                    let (weights, plan) = fit("relieff", &problem, &options, &[route.name()]);
                    let apart = largest_difference(&weights, &expected);
                    let what = format!("{kind} {rows} x {columns} {space:?} {}", route.name());
                    assert!(apart < 1e-9, "{what}: {apart}");
                    let search = plan.search.unwrap();
                    assert!(!search.search.is_empty() && search.bytes > 0, "{what}");
                    if search.fallback.is_none() {
                        *taken.entry(search.route.to_string()).or_default() += 1;
                    }
                }
            }
        }
    }
    assert_taken(&taken, NearestRoute::ALL.map(NearestRoute::name));
}

#[test]
fn rows_within_a_radius_are_the_same_by_every_route() {
    let mut taken = Taken::new();
    for kind in KINDS {
        for (rows, columns, missing) in SIZES {
            let table = table(kind, rows, columns, missing);
            let codes: Vec<usize> = (0..rows).map(|row| row * row % 7 % 3).collect();
            let labels: Vec<String> = codes.iter().map(usize::to_string).collect();
            let target = Target::Classes(Classes::from_labels(&labels));
            let problem = Problem::new(&table, &target).unwrap();
            for space in spaces(missing) {
                let naive = Naive::new(&table, codes.clone(), space);
                let options = texts(space);
                for name in ["surf", "multisurf*", "swrf*", "multiswrf", "multiswrfdb*"] {
                    let expected = naive.radius(name, None);
                    for route in RadiusRoute::ALL {
                        for stored in ["", RECOMPUTED] {
                            let routes = [route.name(), stored];
                            let (weights, plan) = fit(name, &problem, &options, &routes);
                            let apart = largest_difference(&weights, &expected);
                            let what =
                                format!("{kind} {rows} x {columns} {space:?} {name} {routes:?}");
                            assert!(apart < 1e-9, "{what}: {apart}");
                            let search = plan.search.unwrap();
                            if search.fallback.is_none() {
                                let of = format!("{} {stored}", search.route);
                                *taken.entry(of.trim().to_string()).or_default() += 1;
                            }
                        }
                    }
                }
            }
        }
    }
    assert_taken(&taken, RadiusRoute::ALL.map(RadiusRoute::name));
    for route in RadiusRoute::ALL {
        let of = format!("{} {RECOMPUTED}", route.name());
        assert!(taken.get(&of).is_some_and(|count| *count > 1), "{of} in {taken:?}");
    }
}

#[test]
fn the_sums_are_the_same_by_every_route() {
    let mut taken = Taken::new();
    for kind in KINDS {
        for (rows, columns, missing) in SIZES {
            let table = table(kind, rows, columns, missing);
            let codes: Vec<usize> = (0..rows).map(|row| row * row % 7 % 2).collect();
            let labels: Vec<String> = codes.iter().map(usize::to_string).collect();
            let target = Target::Classes(Classes::from_labels(&labels));
            let problem = Problem::new(&table, &target).unwrap();
            for space in spaces(missing) {
                let naive = Naive::new(&table, codes.clone(), space);
                let options = texts(space);
                let expected = naive.radius("multisurf", None);
                for routes in [&[][..], &[WEIGHED], &[BY_ROW], &[LOOKED_UP], &[BY_ROW, LOOKED_UP]] {
                    let (weights, plan) = fit("multisurf", &problem, &options, routes);
                    let apart = largest_difference(&weights, &expected);
                    let what = format!("{kind} {rows} x {columns} {space:?} {routes:?}");
                    assert!(apart < 1e-9, "{what}: {apart}");
                    let sums = plan.sums.unwrap();
                    for (way, count) in [
                        ("counted", sums.counted),
                        ("weighed", sums.weighed),
                        ("apart", sums.apart),
                        ("by bits", sums.corrected_by_bits),
                        ("looked up", sums.looked_up),
                        ("undirected", usize::from(sums.undirected)),
                        ("by row", usize::from(!sums.undirected)),
                    ] {
                        *taken.entry(way.to_string()).or_default() += usize::from(count > 0);
                    }
                    assert!(!routes.contains(&WEIGHED) || sums.counted == 0, "{what}");
                    assert!(!routes.contains(&BY_ROW) || !sums.undirected, "{what}");
                    assert!(!routes.contains(&LOOKED_UP) || sums.corrected_by_bits == 0, "{what}");
                }
            }
        }
    }
    let ways = ["counted", "weighed", "apart", "by bits", "looked up", "undirected", "by row"];
    assert_taken(&taken, ways);
}

/// A route that is given up says so, and leaves the neighbors as they are.
#[test]
fn what_was_given_up_is_told() {
    // All rows are tied with many others.
    let column = |feature: usize| {
        let values = (0..300).map(|row| f64::from(u8::from(row % 3 == feature % 3))).collect();
        Column::from_values(format!("f{feature}"), values).unwrap()
    };
    let table = Table::new((0..9).map(column).collect()).unwrap();
    let codes: Vec<usize> = (0..300).map(|row| row % 2).collect();
    let labels: Vec<String> = codes.iter().map(usize::to_string).collect();
    let target = Target::Classes(Classes::from_labels(&labels));
    let problem = Problem::new(&table, &target).unwrap();
    let options = [("n_neighbors", "3".to_string())];
    let (weights, plan) = fit("relieff", &problem, &options, &[]);
    let search = plan.search.as_ref().unwrap();
    assert_eq!(search.route, NearestRoute::Quantized.name());
    assert!(search.fallback.as_ref().is_some_and(|text| text.contains("too many rows are tied")));
    assert!(plan.lines().iter().any(|(of, _)| *of == "fallback"));
    let naive = Naive::new(&table, codes, SpaceOptions::default());
    let all: Vec<usize> = (0..300).collect();
    let expected = naive.hit_miss(&all, 3, Ties::Share, NeighborWeights::Uniform, false);
    assert!(largest_difference(&weights, &expected) < 1e-9);
}
