//! Permutation tests: what shares neighbors is what a fit of every permuted target gives, for every method
//! and kind of table; and p-values are those of the definition.

#[path = "common/numbers.rs"]
mod numbers;

use basrelief::data::{
    Categories, ClassPriors, Classes, Column, Covariates, GroupWeight, Groups, Roles, RowWeights,
    Survival, Table, Target,
};
use basrelief::inference::{
    Correction, Draws, NoStore, PermutationTest, Permutations, Sided, Significance,
};
use basrelief::methods::wrappers::{fit_wrapped, for_targets};
use basrelief::methods::{METHODS, MethodInfo, Problem, Settings, Task, WeighTargets, WeightScale};
use basrelief::{Error, Result, Run};
use numbers::Numbers;

/// The route of sums that are computed for one target after the other.
const BY_TARGET: &str = "targets one by one";

/// Columns of a kind, or of all kinds; a share of the values is missing.
fn table(kind: &str, rows: usize, columns: usize, missing: f64, seed: u64) -> Table<'static> {
    let mut numbers = Numbers(seed);
    let all = (0..columns).map(|index| {
        let kind = match kind {
            "mixed" => ["numbers", "steps", "categories", "genotypes"][index % 4],
            kind => kind,
        };
        let name = format!("{kind}{index}");
        let gap = |numbers: &mut Numbers| numbers.next() < missing;
        match kind {
            "genotypes" => {
                let copies: Vec<u8> = (0..rows)
                    .map(|_| if gap(&mut numbers) { 3 } else { numbers.below(3) as u8 })
                    .collect();
                Column::genotype(&name, copies.into()).unwrap()
            }
            "categories" => {
                let cells: Vec<Option<&str>> = (0..rows)
                    .map(|_| (!gap(&mut numbers)).then(|| ["a", "b", "c", "d"][numbers.below(4)]))
                    .collect();
                Column::categorical(&name, Categories::from_texts(cells))
            }
            kind => {
                let values = (0..rows).map(|_| match gap(&mut numbers) {
                    true => f64::NAN,
                    false if kind == "steps" => (numbers.next() * 5.0).floor(),
                    false if kind == "few" => 1.7 - 0.3 * numbers.below(2 + index % 2) as f64,
                    false => numbers.next(),
                });
                Column::from_values(&name, values.collect()).unwrap()
            }
        }
    });
    Table::new(all.collect()).unwrap()
}

fn classes(rows: usize, count: usize, seed: u64) -> Target {
    let mut numbers = Numbers(seed);
    // The first class is the largest.
    let label = |numbers: &mut Numbers| numbers.below(count).min(numbers.below(count)).to_string();
    let labels: Vec<String> = (0..rows)
        .map(|row| if row < 2 * count { (row % count).to_string() } else { label(&mut numbers) })
        .collect();
    Target::Classes(Classes::from_labels(&labels))
}

fn real(rows: usize, seed: u64) -> Target {
    let mut numbers = Numbers(seed);
    Target::Real((0..rows).map(|_| numbers.next()).collect())
}

/// A method that is fitted for every target, whatever it could share.
struct Brute<'b> {
    info: &'b MethodInfo,
    settings: &'b Settings,
    table: &'b Table<'b>,
    roles: Roles<'b>,
}

impl WeighTargets for Brute<'_> {
    fn weigh(
        &mut self,
        features: &[usize],
        targets: &[Target],
        run: &Run,
    ) -> Result<Vec<Vec<f64>>> {
        let one = |target: &Target| {
            let problem = Problem::new(self.table, target)?.with_roles(self.roles)?;
            let weights = self.info.fit(&problem, self.settings, run)?.model.weights().to_vec();
            Ok(features.iter().map(|&feature| weights[feature]).collect())
        };
        targets.iter().map(one).collect()
    }

    fn refit_reason(&self) -> Option<&str> {
        Some("it shall")
    }
}

fn run(threads: usize) -> Run {
    Run::new(Some(threads)).unwrap().with_seed(3)
}

fn test<'t>(
    permutations: &'t Permutations<'t>,
    draws: Draws,
    correction: Correction,
) -> PermutationTest<'t> {
    PermutationTest { permutations, draws, sided: Sided::One, correction, alpha: 0.05 }
}

/// The options of a method, those among `given` that it has.
fn settings(info: &MethodInfo, given: &[(&str, &str)]) -> Settings {
    let own: Vec<(&str, &str)> = given
        .iter()
        .copied()
        .filter(|(name, _)| info.options.iter().any(|option| option.name == *name))
        .collect();
    info.settings(&own).unwrap()
}

/// Compares a method that may share neighbors with one that is fitted again; whether it shared.
fn compare(
    info: &MethodInfo,
    given: &[(&str, &str)],
    (table, target): (&Table<'_>, &Target),
    roles: Roles<'_>,
    draws: u64,
    what: &str,
) -> bool {
    let run = run(2);
    let settings = settings(info, given);
    let problem = Problem::new(table, target).unwrap().with_roles(roles).unwrap();
    let strata: Vec<&str> = (0..table.rows()).map(|row| ["n", "s"][row % 5 / 3]).collect();
    let strata = Classes::from_labels(&strata);
    let permutations =
        Permutations::new(target, Roles::default().with_strata(Some(&strata)), &seeded(11))
            .unwrap();
    let mut shared = for_targets(info, &settings, &[], &problem, &run).unwrap();
    let mut brute = Brute { info, settings: &settings, table, roles };
    let all: Vec<usize> = (0..table.width()).collect();
    let targets: Vec<Target> = (0..3).map(|number| permutations.permuted(number)).collect();
    let found = shared.weigh(&all, &targets, &run).unwrap();
    let expected = brute.weigh(&all, &targets, &run).unwrap();
    for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
        assert!((found - expected).abs() < 1e-12, "{what}: {found} for {expected}");
    }
    let some = [1, table.width() - 2];
    for (few, all) in shared.weigh(&some, &targets, &run).unwrap().iter().zip(&expected) {
        for (weight, &feature) in few.iter().zip(&some) {
            assert!((weight - all[feature]).abs() < 1e-12, "{what}: {weight} for {}", all[feature]);
        }
    }
    let weights = info.fit(&problem, &settings, &run).unwrap().model.weights().to_vec();
    let test = PermutationTest {
        alpha: 0.2,
        ..test(&permutations, Draws::Fixed(draws), Correction::MaxT)
    };
    let tested = |method: &mut dyn WeighTargets, run: &Run| -> Significance {
        let found = test.run(method, &weights, &NoStore, run).unwrap();
        Significance { seconds: 0.0, chance_weight: None, ..found }
    };
    let expected = tested(&mut brute, &run);
    assert_eq!(tested(&mut *shared, &run), expected, "{what}");
    let mut again = for_targets(info, &settings, &[], &problem, &run).unwrap();
    let one = Run::new(Some(1)).unwrap().with_seed(3);
    assert_eq!(tested(&mut *again, &one), expected, "{what}: one thread");
    let by_target = one.with_routes([BY_TARGET]);
    assert_eq!(tested(&mut *again, &by_target), expected, "{what}: {BY_TARGET}");
    shared.refit_reason().is_none()
}

fn target_of(info: &MethodInfo, rows: usize, seed: u64) -> Vec<Target> {
    match info.task {
        Task::TwoClasses => vec![classes(rows, 2, seed)],
        Task::Classes => vec![classes(rows, 2, seed), classes(rows, 3, seed)],
        Task::Regression => vec![real(rows, seed), several(rows, seed)],
        Task::Survival => vec![survival(rows, seed)],
        Task::Any => vec![
            classes(rows, 2, seed),
            classes(rows, 3, seed),
            real(rows, seed),
            survival(rows, seed),
            several(rows, seed),
        ],
    }
}

/// A number and a class, both unknown in some rows; every seventh row is unlabeled.
fn several(rows: usize, seed: u64) -> Target {
    let mut numbers = Numbers(seed);
    let known = |other: usize| -> Vec<usize> {
        (0..rows).filter(|row| row % 7 > 0 && row % other > 0).collect()
    };
    let sizes: Vec<f64> = known(5).iter().map(|_| numbers.below(30) as f64).collect();
    let labels: Vec<String> = known(4).iter().map(|_| numbers.below(2).to_string()).collect();
    let parts = vec![
        ("size".to_string(), Target::real(sizes).unwrap(), known(5)),
        ("label".to_string(), Target::from_labels(&labels), known(4)),
    ];
    Target::several(parts, rows).unwrap()
}

/// Tied times of which a third is censored.
fn survival(rows: usize, seed: u64) -> Target {
    let mut numbers = Numbers(seed);
    let times = (0..rows).map(|_| numbers.below(20) as f64).collect();
    let events = (0..rows).map(|row| row % 3 > 0).collect();
    Survival::new(times, events).unwrap().into()
}

fn seeded(seed: u64) -> Run {
    Run::new(Some(1)).unwrap().with_seed(seed)
}

#[test]
fn every_method_gives_the_p_values_of_fits_of_every_permuted_target() {
    let mut shared = Vec::new();
    for info in METHODS {
        for kind in ["numbers", "steps", "categories", "genotypes", "mixed"] {
            let table = table(kind, 30, 6, 0.0, 5);
            for (index, target) in target_of(info, 30, 17).iter().enumerate() {
                let given = [("n_neighbors", "3"), ("n_restarts", "1")];
                let what = format!("{} {kind} target {index}", info.name);
                if compare(info, &given, (&table, target), Roles::default(), 9, &what) {
                    shared.push(info.name);
                }
            }
        }
    }
    shared.dedup();
    // All whose neighbors are those of the original distances.
    let wanted = [
        "relieff",
        "rrelieff",
        "survival-relief",
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
    ];
    assert_eq!(shared, wanted);
}

#[test]
fn options_and_missing_values_change_nothing_of_that() {
    let cases: &[(&str, &[(&str, &str)])] = &[
        ("relieff", &[("n_neighbors", "4"), ("ties", "first")]),
        ("relieff", &[("n_neighbors", "4"), ("neighbor_weights", "rank:2")]),
        ("relieff", &[("n_neighbors", "2"), ("metric", "euclidean"), ("n_samples", "17")]),
        ("relieff", &[("n_neighbors", "25"), ("ramp", "0.05:0.3")]),
        ("relieff", &[("n_neighbors", "4"), ("genotype_diff", "categorical")]),
        ("rrelieff", &[("n_neighbors", "5")]),
        ("relieff", &[("n_neighbors", "2,5,9")]),
        ("rrelieff", &[("n_neighbors", "3,12"), ("n_samples", "30")]),
        ("survival-relief", &[("n_neighbors", "5")]),
        ("survival-relief", &[("n_neighbors", "9"), ("target_difference", "times")]),
        (
            "surf",
            &[("compat", "skrebate"), ("genotype_diff", "categorical"), ("missing", "ignore")],
        ),
        (
            "multisurf*",
            &[("compat", "skrebate"), ("genotype_diff", "categorical"), ("missing", "ignore")],
        ),
        ("surf*", &[("n_samples", "20")]),
        ("multisurf*", &[("metric", "euclidean")]),
        ("relief-margin", &[("n_neighbors", "2")]),
    ];
    for (name, given) in cases {
        let info = basrelief::methods::method(name).unwrap();
        for kind in ["numbers", "genotypes", "mixed"] {
            for (missing, policy) in
                [(0.0, "expected"), (0.15, "ignore"), (0.15, "pessimistic"), (0.15, "expected")]
            {
                let table = table(kind, 40, 7, missing, 23);
                let mut given = given.to_vec();
                if given.iter().all(|(name, _)| *name != "missing") {
                    given.push(("missing", policy));
                }
                for (index, target) in target_of(info, 40, 29).iter().enumerate() {
                    let has_rule = target.as_classes().is_some() || target.as_numbers().is_some();
                    if !has_rule && given[0].0 == "compat" {
                        continue;
                    }
                    let what = format!("{name} {given:?} {kind} missing {missing} target {index}");
                    let shared =
                        compare(info, &given, (&table, target), Roles::default(), 9, &what);
                    let by_class = missing > 0.0
                        && given.contains(&("missing", "expected"))
                        && matches!(target, Target::Classes(_));
                    assert_eq!(shared, !by_class, "{what}");
                }
            }
        }
    }
}

/// Groups of equal and unequal sizes, weights of rows, priors, calipers and covariates in distances do not depend on the
/// target, so that neighbors are found once.
#[test]
fn roles_of_rows_change_nothing_of_that() {
    const ROWS: usize = 48;
    let names = |of: fn(usize) -> usize| -> Vec<String> {
        (0..ROWS).map(|row| of(row).to_string()).collect()
    };
    let threes = names(|row| row / 3);
    let unequal = names(|row| if row < 9 { 0 } else { row / 2 });
    let [equal, giant] = [&threes, &unequal].map(|of| Groups::from_labels(of, GroupWeight::Group));
    let by_rows = Groups::from_labels(&unequal, GroupWeight::Rows);
    let mut numbers = Numbers(3);
    let masses = (0..ROWS).map(|_| 1.0 + numbers.below(3) as f64).collect();
    let weights = RowWeights::new("w", masses).unwrap();
    let ages: Vec<f64> = (0..ROWS).map(|_| numbers.next()).collect();
    let covariates = || {
        let age = Column::from_values("age", ages.clone()).unwrap();
        Covariates::new(Table::new(vec![age]).unwrap()).unwrap()
    };
    let caliper = covariates().with_caliper(1.2, None).unwrap();
    let narrow = covariates().with_caliper(0.2, None).unwrap();
    let beside = covariates().in_distance();
    let priors = ClassPriors::Uniform;
    let none = Roles::default();
    let cases = [
        ("equal groups", none.with_groups(Some(&equal))),
        ("unequal groups", none.with_groups(Some(&giant))),
        ("groups of rows", none.with_groups(Some(&by_rows))),
        ("weights", none.with_weights(Some(&weights))),
        ("caliper", none.with_covariates(Some(&caliper))),
        // Some rows have no eligible row of every class; which ones depends on the target.
        ("narrow caliper", none.with_covariates(Some(&narrow))),
        ("distance", none.with_covariates(Some(&beside))),
        ("groups in a caliper", none.with_groups(Some(&giant)).with_covariates(Some(&caliper))),
        ("weights in groups", none.with_groups(Some(&giant)).with_weights(Some(&weights))),
    ];
    let methods: [(&str, &[(&str, &str)]); 11] = [
        ("relieff", &[("n_neighbors", "4")]),
        ("relieff", &[("n_neighbors", "30"), ("neighbor_weights", "rank:5")]),
        ("relieff", &[("n_neighbors", "2"), ("ties", "first"), ("n_samples", "31")]),
        ("relief-e", &[]),
        ("swrf*", &[]),
        ("multiswrf*", &[]),
        ("multiswrfdb", &[("n_samples", "31")]),
        ("rrelieff", &[("n_neighbors", "5")]),
        ("surf", &[]),
        ("multisurf", &[("n_samples", "31")]),
        ("multisurf*", &[]),
    ];
    for (name, given) in methods {
        let info = basrelief::methods::method(name).unwrap();
        for (kind, missing) in [("genotypes", 0.0), ("steps", 0.0), ("mixed", 0.1)] {
            let table = table(kind, ROWS, 7, missing, 23);
            let given = [given, &[("missing", "ignore")]].concat();
            for (index, target) in target_of(info, ROWS, 29).iter().enumerate() {
                let with_priors = matches!(target, Target::Classes(_))
                    .then(|| ("priors", none.with_priors(Some(&priors))));
                for (role, roles) in cases.into_iter().chain(with_priors) {
                    let what = format!("{name} {given:?} {kind} target {index}, {role}");
                    let data = (&table, target);
                    assert!(compare(info, &given, data, roles, 9, &what), "{what}");
                }
            }
        }
    }
}

/// A rare class, whose members are far down in the order of the nearest rows.
#[test]
fn orders_that_are_too_short_are_made_longer() {
    let info = basrelief::methods::method("relieff").unwrap();
    for (rows, rare) in [(150, 12), (300, 9)] {
        let table = table("numbers", rows, 5, 0.0, 31);
        let labels: Vec<&str> = (0..rows).map(|row| if row < rare { "x" } else { "y" }).collect();
        let target = Target::Classes(Classes::from_labels(&labels));
        for k in ["3", "10"] {
            let what = format!("{rows} rows, {rare} of a class, k = {k}");
            let data = (&table, &target);
            assert!(compare(info, &[("n_neighbors", k)], data, Roles::default(), 19, &what));
        }
    }
}

/// Many permutations, rows, tied rows and columns: several words, tables, tiles, and sums that are taken
/// before they overflow.
#[test]
fn permutations_together_are_those_one_by_one() {
    let (run, alone) = (run(2), run(2).with_routes([BY_TARGET]));
    for (kind, rows, columns, missing) in [
        ("genotypes", 300, 140, 0.0),
        ("categories", 130, 40, 0.0),
        ("mixed", 140, 50, 0.05),
        ("steps", 150, 9, 0.0),
        ("few", 150, 140, 0.0),
        ("few", 140, 9, 0.05),
    ] {
        let table = table(kind, rows, columns, missing, 41);
        let target = classes(rows, 2, 43);
        let problem = Problem::new(&table, &target).unwrap();
        let permutations = Permutations::new(&target, Roles::default(), &seeded(5)).unwrap();
        let targets: Vec<Target> = (0..130).map(|number| permutations.permuted(number)).collect();
        let all: Vec<usize> = (0..columns).collect();
        for (name, k) in [
            ("relieff", "1"),
            ("relieff", "7"),
            ("relieff", "70"),
            ("relief-e", "1"),
            ("surf*", ""),
            ("multisurf", ""),
            ("multisurf*", ""),
        ] {
            if k == "70" && rows < 300 {
                continue;
            }
            let info = basrelief::methods::method(name).unwrap();
            let settings = settings(
                info,
                &[("n_neighbors", k), ("missing", "pessimistic")]
                    .into_iter()
                    .filter(|(_, value)| !value.is_empty())
                    .collect::<Vec<_>>(),
            );
            let weigh = |run: &Run| {
                let mut method = for_targets(info, &settings, &[], &problem, run).unwrap();
                assert!(method.refit_reason().is_none());
                method.weigh(&all, &targets, run).unwrap()
            };
            let (together, one_by_one) = (weigh(&run), weigh(&alone));
            for (a, b) in together.iter().flatten().zip(one_by_one.iter().flatten()) {
                assert!((a - b).abs() < 1e-13, "{kind} {name} {k}: {a} for {b}");
            }
            assert_eq!(weigh(&Run::new(Some(1)).unwrap().with_seed(3)), together);
            // Few features have a way of their own.
            let few: Vec<usize> = all.iter().copied().step_by(5).collect();
            let mut method = for_targets(info, &settings, &[], &problem, &run).unwrap();
            let found = method.weigh(&few, &targets, &run).unwrap();
            for (found, all) in found.iter().zip(&one_by_one) {
                for (weight, &feature) in found.iter().zip(&few) {
                    assert!((weight - all[feature]).abs() < 1e-13, "{kind} {name} {k} few");
                }
            }
        }
    }
}

#[test]
fn p_values_are_those_of_the_definition() {
    /// Weights that are the number of a permutation's target in the first row.
    struct First;
    impl WeighTargets for First {
        fn weigh(
            &mut self,
            features: &[usize],
            targets: &[Target],
            _: &Run,
        ) -> Result<Vec<Vec<f64>>> {
            let first = |target: &Target| target.as_numbers().map_or(f64::NAN, |own| own[0]);
            // Of three features, the last never weighs anything.
            let one = |target| {
                features.iter().map(|&f| [first(target), -first(target), 0.0][f]).collect()
            };
            Ok(targets.iter().map(one).collect())
        }
        fn refit_reason(&self) -> Option<&str> {
            None
        }
    }
    let target = Target::Real((0..50).map(f64::from).collect());
    let permutations = Permutations::new(&target, Roles::default(), &seeded(1)).unwrap();
    let firsts: Vec<f64> =
        (0..700).map(|number| f64::from(permutations.order(number)[0])).collect();
    let run = run(1);
    let weights = [47.0, -3.0, 0.0];
    let found = test(&permutations, Draws::Fixed(700), Correction::MaxT)
        .run(&mut First, &weights, &NoStore, &run)
        .unwrap();
    let count = |of: &dyn Fn(f64) -> bool| firsts.iter().filter(|first| of(**first)).count() as f64;
    let p = [count(&|first| first >= 47.0), count(&|first| first <= 3.0), 700.0];
    assert_eq!(found.p_values, p.map(|count| (1.0 + count) / 701.0));
    let largest = [47.0, -3.0, 0.0].map(|bound| count(&|first| first.max(0.0) >= bound));
    assert_eq!(found.adjusted.unwrap(), largest.map(|count| (1.0 + count) / 701.0));
    assert_eq!(found.draws, [700; 3]);
    // By chance the largest is above it in at most 5 %.
    let chance = found.chance_weight.unwrap();
    assert!((1.0 + count(&|first| first > chance)) / 701.0 <= 0.05);
    assert!((1.0 + count(&|first| first >= chance)) / 701.0 > 0.05);
    // An adaptive test ends with the tenth exceedance, or goes to the end.
    let adaptive = test(&permutations, Draws::Adaptive(700), Correction::Fdr)
        .run(&mut First, &[47.0, -3.0, 0.0], &NoStore, &run)
        .unwrap();
    let tenth = |of: &dyn Fn(f64) -> bool| {
        firsts
            .iter()
            .enumerate()
            .filter(|(_, first)| of(**first))
            .nth(9)
            .map(|(at, _)| at as u64 + 1)
    };
    let draws = [tenth(&|first| first >= 47.0), tenth(&|first| first <= 3.0), Some(10)];
    assert_eq!(adaptive.draws, draws.map(|draws| draws.unwrap_or(700)));
    let p = draws.map(|draws| 10.0 / draws.unwrap() as f64);
    assert_eq!(adaptive.p_values, p);
    assert!(adaptive.adjusted.is_none() && adaptive.chance_weight.is_none());
}

/// P-values, max-T, studentized max-T and the null threshold of a one- or two-sided test, counted from the weights of the
/// observed target and of all permutations, as in the documentation.
fn counted(observed: &[f64], null: &[Vec<f64>], two: bool, alpha: f64) -> [Vec<f64>; 4] {
    let size = |weight: f64| if two { weight.abs() } else { weight };
    let orders = 1.0 + null.len() as f64;
    let largest = |all: &[f64]| all.iter().copied().map(size).fold(f64::MIN, f64::max);
    // Equal weights differ by rounding.
    let close = 1e-9 * observed.iter().fold(0.0_f64, |most, weight| most.max(weight.abs()));
    let share = |exceeds: &dyn Fn(&Vec<f64>) -> bool| {
        (1.0 + null.iter().filter(|all| exceeds(all)).count() as f64) / orders
    };
    let features = 0..observed.len();
    let p = features.clone().map(|f| share(&|all| size(all[f]) >= size(observed[f]) - close));
    let max_t = features.clone().map(|f| share(&|all| largest(all) >= size(observed[f]) - close));
    let everything = || null.iter().map(Vec::as_slice).chain([observed]);
    let moments: Vec<(f64, f64)> = features
        .clone()
        .map(|f| {
            let mean = everything().map(|all| all[f]).sum::<f64>() / orders;
            let square = everything().map(|all| (all[f] - mean).powi(2)).sum::<f64>() / orders;
            (mean, square.sqrt())
        })
        .collect();
    let studentized = |all: &[f64]| -> Vec<f64> {
        all.iter().zip(&moments).map(|(weight, (mean, sd))| (weight - mean) / sd).collect()
    };
    let own = studentized(observed);
    let by_studentized = features.clone().map(|f| {
        share(&|all| largest(&studentized(all)) >= size(own[f]) - 1e-9 * size(own[f]).abs())
    });
    // The threshold: the smallest of the largest statistics that at most a fraction alpha of all orders exceeds, if the
    // observed order exceeds it.
    let mut all: Vec<f64> = null.iter().map(|all| largest(all)).collect();
    all.sort_by(f64::total_cmp);
    let exceeds = |at: f64| 1.0 + all.iter().filter(|&&one| one > at).count() as f64;
    let threshold = all.iter().copied().find(|&at| exceeds(at) <= alpha * orders * (1.0 + 1e-12));
    [p.collect(), max_t.collect(), by_studentized.collect(), vec![threshold.unwrap()]]
}

#[test]
fn one_and_two_sided_tests_are_counts_of_stored_weights() {
    let run = run(2);
    let mut small = 0;
    // A method whose weights are far from 0 in both directions, and one without main effects.
    for (name, alpha) in [("relieff", 0.05), ("multisurf", 0.1), ("surf*", 0.05)] {
        let info = basrelief::methods::method(name).unwrap();
        let (settings, table) = (settings(info, &[]), table("mixed", 50, 8, 0.0, 9));
        let target = classes(50, 2, 4);
        let permutations = Permutations::new(&target, Roles::default(), &seeded(2)).unwrap();
        let mut brute = Brute { info, settings: &settings, table: &table, roles: Roles::default() };
        let targets: Vec<Target> = (0..199).map(|number| permutations.permuted(number)).collect();
        let features: Vec<usize> = (0..8).collect();
        let null = brute.weigh(&features, &targets, &run).unwrap();
        let observed = brute.weigh(&features, std::slice::from_ref(&target), &run).unwrap();
        let observed = &observed[0];
        for sided in Sided::ALL.map(|(_, sided)| sided) {
            let wanted = counted(observed, &null, sided == Sided::Two, alpha);
            let [p, max_t, studentized, threshold] = wanted;
            let found = |correction| {
                let draws = Draws::Fixed(199);
                let test = PermutationTest {
                    permutations: &permutations,
                    draws,
                    sided,
                    correction,
                    alpha,
                };
                test.run(&mut Brute { ..brute }, observed, &NoStore, &run).unwrap()
            };
            let by_max_t = found(Correction::MaxT);
            assert_eq!(by_max_t.p_values, p, "{name} {sided:?}");
            assert_eq!(by_max_t.adjusted.as_ref(), Some(&max_t), "{name} {sided:?}");
            assert_eq!(by_max_t.chance_weight, Some(threshold[0]), "{name} {sided:?}");
            let selected: Vec<bool> = max_t.iter().map(|&p| p <= alpha + 1e-12).collect();
            assert_eq!(by_max_t.selected, selected, "{name} {sided:?}");
            let by_studentized = found(Correction::Studentized);
            assert_eq!(by_studentized.p_values, p, "{name} {sided:?}");
            for (own, wanted) in by_studentized.adjusted.unwrap().iter().zip(&studentized) {
                assert!((own - wanted).abs() < 1e-12, "{name} {sided:?}: {own} for {wanted}");
            }
            // Min-P of the feature with the smallest p-value is at least its p-value, and at most 8 of them.
            let by_min_p = found(Correction::MinP).adjusted.unwrap();
            for (own, p) in by_min_p.iter().zip(&p) {
                assert!(*own >= p - 1e-12 && *own <= (8.0 * p).min(1.0) + 1e-12, "{own} {p}");
            }
            let is_small = |(p, weight): (&f64, &f64)| *p <= 0.2 && *weight < 0.0;
            small += p.iter().zip(observed).filter(|pair| is_small(*pair)).count();
        }
    }
    // Only two-sided tests count small weights as evidence.
    assert!(small > 0);
}

#[test]
fn min_p_is_no_less_than_p_and_no_more_than_bonferroni() {
    let info = basrelief::methods::method("relieff").unwrap();
    let table = table("numbers", 60, 4, 0.0, 3);
    // The class is told by the first column.
    let labels: Vec<&str> =
        (0..60).map(|row| if table.columns()[0].value(row) > 0.5 { "x" } else { "y" }).collect();
    let target = Target::Classes(Classes::from_labels(&labels));
    let settings = settings(info, &[]);
    let problem = Problem::new(&table, &target).unwrap();
    let run = run(2);
    let weights =
        fit_wrapped(info, &settings, &[], &problem, &run).unwrap().model.weights().to_vec();
    let permutations = Permutations::new(&target, Roles::default(), &seeded(1)).unwrap();
    let mut method = for_targets(info, &settings, &[], &problem, &run).unwrap();
    let found = test(&permutations, Draws::Fixed(199), Correction::MinP)
        .run(&mut *method, &weights, &NoStore, &run)
        .unwrap();
    let adjusted = found.adjusted.clone().unwrap();
    for (p, adjusted) in found.p_values.iter().zip(&adjusted) {
        assert!(
            *adjusted >= *p - 1e-12 && *adjusted <= (p * 4.0).min(1.0) + 1e-12,
            "{p} {adjusted}"
        );
    }
    assert_eq!(found.p_values[0], 1.0 / 200.0);
    assert_eq!(found.selected, [true, false, false, false]);
}

#[test]
fn draws_and_corrections_are_read() {
    let draws = |text: &str| text.parse::<Draws>().ok();
    assert_eq!(draws("1000"), Some(Draws::Fixed(1000)));
    assert_eq!(draws("adaptive"), Some(Draws::Adaptive(1_000_000)));
    assert_eq!(draws("adaptive:5000"), Some(Draws::Adaptive(5000)));
    for text in ["", "-1", "1e3", "many", "many:3", "adaptive:", "adaptive:-2", "1000:2"] {
        let error = text.parse::<Draws>().unwrap_err().to_string();
        assert!(error.contains("is not a number of permutations"), "{error}");
    }
    for (name, correction) in Correction::ALL {
        assert_eq!(name.parse::<Correction>().unwrap(), correction);
        assert_eq!(correction.name(), name);
    }
    let error = "bonferroni".parse::<Correction>().unwrap_err().to_string();
    assert!(error.contains("max-t, studentized, min-p, fdr, storey, none"), "{error}");
}

/// What is kept of a part of a test gives the rest of it, in blocks of any size.
#[test]
fn a_test_that_is_kept_goes_on() {
    struct Kept(std::sync::Mutex<Option<serde_json::Value>>);
    impl basrelief::inference::TestStore for Kept {
        fn find(&self) -> Option<serde_json::Value> {
            self.0.lock().unwrap().clone()
        }
        fn keep(&self, state: &serde_json::Value) -> Result<()> {
            // As a file keeps it.
            *self.0.lock().unwrap() = Some(serde_json::from_str(&state.to_string()).unwrap());
            Ok(())
        }
    }
    let info = basrelief::methods::method("relieff").unwrap();
    let (settings, table) = (settings(info, &[]), table("numbers", 40, 5, 0.0, 3));
    // The first column tells the class, so that its test never ends early.
    let labels: Vec<&str> =
        (0..40).map(|row| if table.columns()[0].value(row) > 0.5 { "x" } else { "y" }).collect();
    let target = Target::Classes(Classes::from_labels(&labels));
    let permutations = Permutations::new(&target, Roles::default(), &seeded(1)).unwrap();
    let run = run(2);
    let mut brute = Brute { info, settings: &settings, table: &table, roles: Roles::default() };
    let weights = brute.weigh(&[0, 1, 2, 3, 4], std::slice::from_ref(&target), &run).unwrap();
    for (part, whole, correction, sided) in [
        (Draws::Fixed(77), Draws::Fixed(200), Correction::MaxT, Sided::One),
        (Draws::Fixed(77), Draws::Fixed(200), Correction::MaxT, Sided::Two),
        (Draws::Adaptive(77), Draws::Adaptive(400), Correction::Fdr, Sided::One),
        (Draws::Adaptive(77), Draws::Adaptive(400), Correction::Fdr, Sided::Two),
    ] {
        let store = Kept(std::sync::Mutex::default());
        let mut tested = |draws, store: &dyn basrelief::inference::TestStore| {
            let test = PermutationTest { sided, ..test(&permutations, draws, correction) };
            let found = test.run(&mut brute, &weights[0], store, &run).unwrap();
            Significance { seconds: 0.0, ..found }
        };
        tested(part, &store);
        let gone_on = tested(whole, &store);
        assert_eq!(gone_on, tested(whole, &NoStore));
        // Fewer than were kept are no part of that test.
        let test = PermutationTest { sided, ..test(&permutations, part, correction) };
        let error = test.run(&mut brute, &weights[0], &store, &run).unwrap_err().to_string();
        assert!(error.contains("contains more permutations"), "{error}");
        // The counts of one-sided tests are not those of two-sided tests.
        let other = if sided == Sided::One { Sided::Two } else { Sided::One };
        let test = PermutationTest { sided: other, draws: whole, ..test };
        let error = test.run(&mut brute, &weights[0], &store, &run).unwrap_err().to_string();
        assert!(error.contains("belongs to another test"), "{error}");
    }
}

#[test]
fn tests_that_cannot_find_anything_are_refused() {
    let target = classes(20, 2, 1);
    let permutations = Permutations::new(&target, Roles::default(), &seeded(1)).unwrap();
    let of = |draws, correction, alpha| {
        let test = PermutationTest { alpha, ..test(&permutations, draws, correction) };
        test.check(10).err().map(|error| error.to_string())
    };
    let refused = |draws, correction, alpha, part: &str| {
        let error = of(draws, correction, alpha).unwrap_or_default();
        assert!(error.contains(part), "{error} without {part}");
    };
    refused(Draws::Fixed(0), Correction::MaxT, 0.05, "at least 19");
    refused(Draws::Fixed(18), Correction::MaxT, 0.05, "at least 19");
    refused(Draws::Fixed(98), Correction::None, 0.01, "at least 99");
    refused(Draws::Fixed(100), Correction::MinP, 0.05, "at least 199");
    refused(Draws::Fixed(100), Correction::MinP, 1.5, "alpha");
    refused(Draws::Adaptive(1000), Correction::MaxT, 0.05, "fdr, storey or none");
    assert_eq!(of(Draws::Fixed(19), Correction::MaxT, 0.05), None);
    assert_eq!(of(Draws::Fixed(199), Correction::MinP, 0.05), None);
    assert_eq!(of(Draws::Adaptive(1000), Correction::Fdr, 0.05), None);
    let cancelled = basrelief::CancelFlag::new();
    cancelled.cancel();
    let run = run(1).with_cancel(cancelled);
    let info = basrelief::methods::method("myopic").unwrap();
    let (settings, table) = (settings(info, &[]), table("numbers", 20, 2, 0.0, 3));
    let mut method = Brute { info, settings: &settings, table: &table, roles: Roles::default() };
    let outcome = test(&permutations, Draws::Fixed(19), Correction::MaxT).run(
        &mut method,
        &[0.0, 0.0],
        &NoStore,
        &run,
    );
    assert!(matches!(outcome, Err(Error::Cancelled)));
}

/// Five columns of noise, and in front of them what explains the target: a column that classes differ in by four
/// standard deviations (or that is the target), or two columns that do so only together.
fn planted(rows: usize, together: bool, of_numbers: bool, seed: u64) -> (Table<'static>, Target) {
    let mut numbers = Numbers(seed);
    let mut normal = || (0..12).map(|_| numbers.next()).sum::<f64>() - 6.0;
    let noise: Vec<Vec<f64>> = (0..6).map(|_| (0..rows).map(|_| normal()).collect()).collect();
    let sign = |value: f64| if value > 0.0 { 1.0 } else { -1.0 };
    let labels: Vec<f64> = match together {
        true => (0..rows).map(|row| sign(noise[0][row] * noise[1][row])).collect(),
        false => (0..rows).map(|row| if row % 2 == 0 { 1.0 } else { -1.0 }).collect(),
    };
    let column = |(index, values): (usize, &Vec<f64>)| {
        let shifted = values.iter().zip(&labels);
        let values = match (index, together) {
            (0, false) => shifted.map(|(value, label)| value + 2.0 * label).collect(),
            (0 | 1, true) => values.iter().map(|value| sign(*value)).collect(),
            _ => values.clone(),
        };
        Column::from_values(format!("f{index}"), values).unwrap()
    };
    let columns: Vec<Column<'static>> = noise.iter().enumerate().map(column).collect();
    let target = match of_numbers {
        true => Target::Real((0..rows).map(|row| columns[0].value(row)).collect()),
        false => Target::Classes(Classes::from_labels(
            &labels.iter().map(f64::to_string).collect::<Vec<_>>(),
        )),
    };
    (Table::new(columns).unwrap(), target)
}

/// Max-T of the first column, by permutations.
fn max_t(info: &MethodInfo, (table, target): &(Table<'static>, Target)) -> f64 {
    let settings = settings(info, &[]);
    let problem = Problem::new(table, target).unwrap();
    let permutations = Permutations::new(target, Roles::default(), &seeded(1)).unwrap();
    let weights = info.fit(&problem, &settings, &run(2)).unwrap().model.weights().to_vec();
    let mut method = for_targets(info, &settings, &[], &problem, &run(2)).unwrap();
    let test = test(&permutations, Draws::Fixed(39), Correction::MaxT);
    let found = test.run(&mut *method, &weights, &NoStore, &run(2)).unwrap();
    found.adjusted.unwrap()[0]
}

/// Every method whose weights can be tested finds an effect that it is made for; the others have weights of the scale
/// that the registry says, and are refused with the methods to take instead.
#[test]
fn tests_of_every_method_find_strong_effects_or_are_refused() {
    let mut refused = Vec::new();
    for info in METHODS {
        let of_numbers = matches!(info.task, Task::Regression | Task::Survival);
        let mut planted = [false, true].map(|both| planted(80, both, of_numbers, 7));
        if info.task == Task::Survival {
            for (_, target) in &mut planted {
                let least = target.as_numbers().unwrap().iter().copied().fold(0.0, f64::min);
                let times = target.as_numbers().unwrap().iter().map(|y| y - least).collect();
                *target = Survival::new(times, vec![true; 80]).unwrap().into();
            }
        }
        let [alone, together] = planted;
        let problem = Problem::new(&alone.0, &alone.1).unwrap();
        let weights = info.fit(&problem, &settings(info, &[]), &run(2)).unwrap().model;
        let largest = weights.weights().iter().fold(0.0, |most: f64, one| most.max(one.abs()));
        let length = weights.weights().iter().map(|one| one * one).sum::<f64>().sqrt();
        let is_one = |number: f64| (number - 1.0).abs() < 1e-9;
        let scale = match (is_one(largest), is_one(length)) {
            (_, true) => WeightScale::LengthIsOne,
            (true, _) => WeightScale::LargestIsOne,
            _ => WeightScale::Absolute,
        };
        // A length of 1 can also have a largest weight of 1.
        assert_eq!(
            scale == WeightScale::Absolute,
            info.scale == WeightScale::Absolute,
            "{}",
            info.name
        );
        match info.check_test() {
            Ok(()) => {
                let found = [&alone, &together].map(|data| max_t(info, data));
                assert!(found.iter().any(|p| *p <= 0.05), "{}: {found:?}", info.name);
            }
            Err(error) => {
                let text = error.to_string();
                assert!(text.contains(info.name) && text.contains("multisurf"), "{text}");
                refused.push(info.name);
            }
        }
    }
    refused.sort_unstable();
    assert_eq!(refused, ["d-lmnn", "irelief", "lmba", "mdm", "relief-margin", "simba"]);
}
