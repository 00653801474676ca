//! Groups of rows that are not independent: who is compared, how much rows count, and what is permuted.

mod common;

use std::collections::{BTreeMap, BTreeSet};

use basrelief::Fitted;
use basrelief::Run;
use basrelief::data::{Classes, Column, GroupWeight, Groups, Roles, Table, Target};
use basrelief::inference::{
    Correction, Draws, NoStore, PermutationTest, Permutations, Resampling, Scheme, Sided,
    resampled_rankings,
};
use basrelief::maps::{FeatureRanking, RankBy};
use basrelief::methods::wrappers::{Wrapper, fit_wrapped, for_targets};
use basrelief::methods::{METHODS, Problem, method};
use basrelief::neighbors::{NeighborWeights, SpaceOptions, Ties};
use basrelief::selection::RedundancyRule;
use common::tables::{KINDS, Random, table};
use common::{Naive, largest_difference, run};

const ROWS: usize = 90;

/// Groups of 1 to 5 rows, in random places.
fn names() -> Vec<String> {
    let mut random = Random(3);
    (0..ROWS).map(|_| format!("g{}", (random.next() * 32.0) as usize)).collect()
}

fn groups(weight: GroupWeight) -> Groups {
    Groups::from_labels(&names(), weight)
}

fn codes() -> Vec<usize> {
    let mut random = Random(11);
    (0..ROWS).map(|_| (random.next() * 2.0) as usize).collect()
}

fn target() -> Target {
    let labels: Vec<String> = codes().iter().map(usize::to_string).collect();
    Target::Classes(Classes::from_labels(&labels))
}

fn fit(
    name: &str,
    given: &[(&str, &str)],
    (table, target): (&Table<'_>, &Target),
    groups: Option<&Groups>,
) -> basrelief::Result<Fitted<FeatureRanking>> {
    let info = method(name).unwrap();
    let problem = Problem::new(table, target)?.with_groups(groups)?;
    info.fit(&problem, &info.settings(given)?, &run(2))
}

/// Every row contributes by the definition, and the contributions are averaged with the weights of the rows. With two
/// classes, the priors of the classes cancel.
fn seeded(seed: u64) -> Run {
    Run::new(Some(1)).unwrap().with_seed(seed)
}

#[test]
fn rows_of_other_groups_are_compared_and_groups_count_equally() {
    let (codes, target) = (codes(), target());
    for (kind, missing) in KINDS.into_iter().flat_map(|kind| [(kind, 0.0), (kind, 0.1)]) {
        let table = table(kind, ROWS, 7, missing);
        for weight in [GroupWeight::Rows, GroupWeight::Group] {
            let groups = groups(weight);
            let own = groups.codes();
            let near: Vec<Vec<bool>> =
                (0..ROWS).map(|i| (0..ROWS).map(|j| own[i] != own[j]).collect()).collect();
            let naive =
                Naive::new(&table, codes.clone(), SpaceOptions::default()).with_comparable(near);
            let weigh = |row: usize| match weight {
                GroupWeight::Rows => 1.0,
                GroupWeight::Group => 1.0 / groups.sizes()[own[row] as usize] as f64,
            };
            let mean = |of_row: &dyn Fn(usize) -> Vec<f64>| {
                let (mut sums, mut total) = (vec![0.0; table.width()], 0.0);
                for row in 0..ROWS {
                    total += weigh(row);
                    let found = of_row(row);
                    sums.iter_mut().zip(found).for_each(|(sum, one)| *sum += weigh(row) * one);
                }
                sums.into_iter().map(|sum| sum / total).collect::<Vec<f64>>()
            };
            let found = |name: &str, given: &[(&str, &str)]| {
                let fitted = fit(name, given, (&table, &target), Some(&groups)).unwrap();
                fitted.model.weights().to_vec()
            };
            let expected = mean(&|row| {
                naive.hit_miss(&[row], 3, Ties::Share, NeighborWeights::Uniform, false)
            });
            let difference =
                largest_difference(&found("relieff", &[("n_neighbors", "3")]), &expected);
            assert!(difference < 1e-12, "relieff {kind} {missing} {weight:?}: {difference}");
            for name in ["multisurf", "multisurf*"] {
                let expected = mean(&|row| naive.radius_of(&[row], name, None));
                let difference = largest_difference(&found(name, &[]), &expected);
                assert!(difference < 1e-12, "{name} {kind} {missing} {weight:?}: {difference}");
            }
        }
    }
}

/// Groups of equal size count equally in either way, for numeric targets too.
#[test]
fn groups_of_equal_size_count_as_their_rows_do() {
    let table = table("mixed", ROWS, 7, 0.0);
    let mut random = Random(5);
    let numbers = Target::Real((0..ROWS).map(|_| random.next()).collect());
    let labels: Vec<String> = (0..ROWS).map(|row| (row % 30).to_string()).collect();
    for (name, target) in [
        ("rrelieff", &numbers),
        ("surf", &numbers),
        ("swrf*", &target()),
        ("multiswrfdb*", &target()),
    ] {
        let [a, b] = [GroupWeight::Rows, GroupWeight::Group].map(|weight| {
            let groups = Groups::from_labels(&labels, weight);
            fit(name, &[], (&table, target), Some(&groups)).unwrap().model.weights().to_vec()
        });
        assert!(largest_difference(&a, &b) < 1e-12, "{name}");
        let without = fit(name, &[], (&table, target), None).unwrap();
        assert!(largest_difference(&a, without.model.weights()) > 1e-4, "{name}");
    }
}

/// Priors of three classes count groups, not rows: class c is one subject of ten rows.
#[test]
fn priors_count_groups() {
    let labels = [vec!["a"; 10], vec!["b"; 10], vec!["c"; 10]].concat();
    let names: Vec<String> =
        (0..30).map(|row| if row < 20 { row.to_string() } else { "one".to_string() }).collect();
    let target = Target::Classes(Classes::from_labels(&labels));
    let mut random = Random(9);
    let values: Vec<f64> = (0..30).map(|_| random.next()).collect();
    let table = Table::new(vec![Column::from_values("x", values.clone()).unwrap()]).unwrap();
    let groups = Groups::from_labels(&names, GroupWeight::Group);
    let fitted = fit("relieff", &[("n_neighbors", "1")], (&table, &target), Some(&groups)).unwrap();
    // Rows of c have no hit in another group, and are excluded. P(a) = P(b) = 10/21, P(c) = 1/21.
    let spread = values.iter().fold(f64::MIN, |a, &b| a.max(b))
        - values.iter().fold(f64::MAX, |a, &b| a.min(b));
    let nearest = |row: usize, class: usize| {
        let others = (10 * class..10 * class + 10).filter(|&other| other != row);
        others.map(|other| (values[row] - values[other]).abs()).fold(f64::MAX, f64::min) / spread
    };
    let row = |row: usize| {
        let (own, other) = (row / 10, 1 - row / 10);
        10.0 / 11.0 * nearest(row, other) + 1.0 / 11.0 * nearest(row, 2) - nearest(row, own)
    };
    let expected = (0..20).map(row).sum::<f64>() / 20.0;
    assert!((fitted.model.weights()[0] - expected).abs() < 1e-12);
    let warning = fitted.report.warnings.iter().find(|one| one.code() == "not-comparable");
    let warning = warning.unwrap().to_string();
    assert!(warning.contains("10 of 30 rows") && warning.contains("in another group"), "{warning}");
}

#[test]
fn groups_of_one_row_change_no_bit() {
    let labels: Vec<String> = (0..ROWS).map(|row| row.to_string()).collect();
    let groups = Groups::from_labels(&labels, GroupWeight::Group);
    let (table, target) = (table("genotypes", ROWS, 7, 0.02), target());
    for name in ["relieff", "multisurf", "lfe", "turf"] {
        if method(name).is_err() {
            continue;
        }
        let with = fit(name, &[], (&table, &target), Some(&groups)).unwrap();
        let without = fit(name, &[], (&table, &target), None).unwrap();
        assert_eq!(with.model.weights(), without.model.weights(), "{name}");
    }
    let roles = Roles::default().with_groups(Some(&groups));
    let with = Permutations::new(&target, roles, &seeded(3)).unwrap();
    assert_eq!(with.scheme(), None);
    assert_eq!(
        with.order(5),
        Permutations::new(&target, Roles::default(), &seeded(3)).unwrap().order(5)
    );
}

#[test]
fn other_methods_refuse_groups() {
    let groups = groups(GroupWeight::Group);
    let (table, target) = (table("numbers", ROWS, 4, 0.0), target());
    let problem = Problem::new(&table, &target).unwrap().with_groups(Some(&groups)).unwrap();
    let (mut accepted, mut refused) = (0, 0);
    for info in METHODS.iter().filter(|info| !["rrelieff", "survival-relief"].contains(&info.name))
    {
        let settings = info.settings::<&str, &str>(&[]).unwrap();
        match info.fit(&problem, &settings, &run(1)) {
            Ok(_) => accepted += 1,
            Err(error) => {
                let message = error.to_string();
                assert!(
                    message.contains("does not use groups of rows"),
                    "{}: {message}",
                    info.name
                );
                refused += 1;
            }
        }
    }
    assert!(accepted >= 8 && refused >= 8, "{accepted} {refused}");
    let settings = method("multisurf").unwrap().settings(&[("compat", "skrebate")]).unwrap();
    let error = method("multisurf").unwrap().fit(&problem, &settings, &run(1)).unwrap_err();
    assert!(error.to_string().contains("groups of rows"), "{error}");
}

/// Wrappers, tests and resamples consult groups too.
#[test]
fn nothing_passes_groups_by() {
    let groups = groups(GroupWeight::Group);
    let (table, target) = (table("genotypes", ROWS, 12, 0.0), target());
    let info = method("relieff").unwrap();
    let settings = info.settings::<&str, &str>(&[]).unwrap();
    let problem = Problem::new(&table, &target).unwrap();
    let with = problem.with_groups(Some(&groups)).unwrap();
    let run = run(2);
    let wrapped = [Wrapper::parse("turf").unwrap()];
    let weights = |problem: &Problem<'_>| {
        fit_wrapped(info, &settings, &wrapped, problem, &run).unwrap().model.weights().to_vec()
    };
    assert_ne!(weights(&with), weights(&problem));
    let all: Vec<usize> = (0..table.width()).collect();
    let mut method = for_targets(info, &settings, &[], &with, &run).unwrap();
    assert!(method.refit_reason().is_none());
    let found = method.weigh(&all, std::slice::from_ref(&target), &run).unwrap();
    let again = info.fit(&with, &settings, &run).unwrap();
    assert!(largest_difference(&found[0], again.model.weights()) < 1e-14);
    let resampling = Resampling {
        resamples: 3,
        fraction: 0.5,
        top: 3,
        redundancy: RedundancyRule::None,
        rank_by: RankBy::Weight,
    };
    let resampled = |problem: &Problem<'_>| {
        resampled_rankings(info, &settings, &[], problem, &resampling, &run).unwrap()
    };
    assert_ne!(resampled(&with).features, resampled(&problem).features);
}

/// Twelve subjects of three rows with a constant target, and a target that varies within subjects.
fn subjects(varies: impl Fn(usize) -> bool) -> (Target, Vec<String>) {
    let (mut labels, mut names) = (Vec::new(), Vec::new());
    for subject in 0..12 {
        for visit in 0..3 {
            let constant = if subject % 2 == 0 { "case" } else { "control" };
            let changing = if visit == 1 { "case" } else { "control" };
            labels.push(if varies(subject) { changing } else { constant });
            names.push(subject.to_string());
        }
    }
    (Target::Classes(Classes::from_labels(&labels)), names)
}

fn by_group(target: &Target, names: &[String]) -> BTreeMap<String, Vec<u32>> {
    let Target::Classes(classes) = target else { panic!("classes") };
    let mut found = BTreeMap::<String, Vec<u32>>::new();
    for (name, &code) in names.iter().zip(classes.codes()) {
        found.entry(name.clone()).or_default().push(code);
    }
    found.values_mut().for_each(|codes| codes.sort_unstable());
    found
}

#[test]
fn constant_groups_are_exchanged_only_if_no_group_varies() {
    for (varies, scheme) in [
        (0, Scheme { whole: 12, within: 0, unchanged: 0, ..Scheme::default() }),
        (12, Scheme { whole: 0, within: 12, unchanged: 0, ..Scheme::default() }),
        (5, Scheme { whole: 0, within: 5, unchanged: 7, ..Scheme::default() }),
    ] {
        let (target, names) = subjects(|subject| subject < varies);
        let groups = Groups::from_labels(&names, GroupWeight::Group);
        let roles = Roles::default().with_groups(Some(&groups));
        let permutations = Permutations::new(&target, roles, &seeded(1)).unwrap();
        assert_eq!(permutations.scheme(), Some(scheme));
        let is_told = permutations.warnings().iter().any(|one| one.code() == "constant-groups");
        assert_eq!(is_told, scheme.unchanged > 0);
        let before = by_group(&target, &names);
        let mut seen = BTreeSet::new();
        for number in 0..60 {
            let after = by_group(&permutations.permuted(number), &names);
            for (name, codes) in &after {
                let is_constant = codes.iter().all(|code| *code == codes[0]);
                match varies > 0 {
                    true => assert_eq!(*codes, before[name]),
                    false => assert!(is_constant),
                }
            }
            let constant = |found: &BTreeMap<String, Vec<u32>>| {
                let of = |(name, codes): (&String, &Vec<u32>)| {
                    (name.parse::<usize>().unwrap() >= varies).then(|| codes[0])
                };
                let mut codes: Vec<u32> = found.iter().filter_map(of).collect();
                codes.sort_unstable();
                codes
            };
            assert_eq!(constant(&after), constant(&before));
            seen.insert(permutations.order(number));
        }
        assert!(seen.len() > 50, "{}", seen.len());
    }
}

/// Groups of unequal sizes: their targets are reassigned. Groups of one row are exchanged with each other if others vary.
#[test]
fn groups_of_any_size_are_exchanged_and_single_rows_beside_groups_that_vary() {
    let labels = ["a", "a", "a", "b", "b", "a", "b", "b"];
    let names = ["1", "1", "1", "2", "2", "3", "4", "4"];
    let target = Target::Classes(Classes::from_labels(&labels));
    let groups = Groups::from_labels(&names, GroupWeight::Group);
    let roles = Roles::default().with_groups(Some(&groups));
    let permutations = Permutations::new(&target, roles, &seeded(1)).unwrap();
    assert_eq!(
        permutations.scheme(),
        Some(Scheme { whole: 4, within: 0, unchanged: 0, ..Scheme::default() })
    );
    let sizes: BTreeSet<usize> = (0..40)
        .map(|number| permutations.permuted(number).as_classes().unwrap().counts()[0])
        .collect();
    assert_eq!(sizes, BTreeSet::from([3, 4, 5]), "the rows of two of the four groups");
    // Six arrangements.
    let [warning] = permutations.warnings() else { panic!("one warning") };
    assert!(warning.to_string().contains("only 6 different arrangements"), "{warning}");
    let labels = ["a", "a", "b", "b", "b", "a", "b", "b"];
    let target = Target::Classes(Classes::from_labels(&labels));
    let permutations = Permutations::new(&target, roles, &seeded(1)).unwrap();
    assert_eq!(
        permutations.scheme(),
        Some(Scheme { whole: 0, within: 1, unchanged: 3, ..Scheme::default() })
    );
    let warnings: Vec<&str> = permutations.warnings().iter().map(|one| one.code()).collect();
    assert_eq!(warnings, ["constant-groups", "few-arrangements"]);
    let labels = ["a", "b", "a", "b", "b", "b", "a", "a"];
    let names = ["1", "1", "2", "3", "4", "5", "6", "6"];
    let target = Target::Classes(Classes::from_labels(&labels));
    let groups = Groups::from_labels(&names, GroupWeight::Group);
    let roles = Roles::default().with_groups(Some(&groups));
    let permutations = Permutations::new(&target, roles, &seeded(1)).unwrap();
    let scheme = permutations.scheme().unwrap();
    assert_eq!(scheme, Scheme { singles: 4, within: 1, unchanged: 1, ..Scheme::default() });
    assert_eq!(
        scheme.words("litter"),
        "targets are exchanged within groups of litter (1), and those of groups of one row with each other (4); 1 stay \
         unchanged"
    );
    for number in 0..20 {
        let order = permutations.order(number);
        assert!(order[..2].iter().all(|from| *from < 2) && order[6..] == [6, 7]);
    }
}

#[test]
fn strata_contain_the_groups_that_are_exchanged() {
    let (target, names) = subjects(|_| false);
    let groups = Groups::from_labels(&names, GroupWeight::Group);
    let center = |of: &dyn Fn(usize) -> bool| {
        let labels: Vec<&str> = (0..36).map(|row| if of(row) { "n" } else { "s" }).collect();
        Classes::from_labels(&labels)
    };
    let strata = center(&|row| row < 15);
    let roles = Roles::default().with_groups(Some(&groups));
    let permutations =
        Permutations::new(&target, roles.with_strata(Some(&strata)), &seeded(1)).unwrap();
    for number in 0..20 {
        let order = permutations.order(number);
        assert!(order.iter().enumerate().all(|(row, from)| (row < 15) == (*from < 15)));
    }
    // A subject in two centers: refused if the target is constant, and permuted within both otherwise.
    let crossing = center(&|row| row < 16);
    let crossed = roles.with_strata(Some(&crossing));
    let message = Permutations::new(&target, crossed, &seeded(1)).unwrap_err().to_string();
    assert!(message.contains("group `5` are in several strata"), "{message}");
    let (changing, _) = subjects(|_| true);
    let permutations = Permutations::new(&changing, crossed, &seeded(1)).unwrap();
    for number in 0..20 {
        let order = permutations.order(number);
        assert!(order.iter().enumerate().all(|(row, from)| (row < 16) == (*from < 16)));
        assert!(order.iter().enumerate().all(|(row, from)| row / 3 == *from as usize / 3));
    }
    // Beside subjects that vary, those with a constant target may be in two centers.
    let (mixed, _) = subjects(|subject| subject < 3);
    let permutations = Permutations::new(&mixed, crossed, &seeded(1)).unwrap();
    let scheme = Scheme { within: 3, unchanged: 9, ..Scheme::default() };
    assert_eq!(permutations.scheme(), Some(scheme));
    // A subject whose target varies only between centers leaves the others as they are.
    let by_center: Vec<&str> =
        (0..36).map(|row| if row == 15 || row / 3 % 2 == 0 { "case" } else { "control" }).collect();
    let by_center = Target::Classes(Classes::from_labels(&by_center));
    let permutations = Permutations::new(&by_center, crossed, &seeded(1)).unwrap();
    let scheme = Scheme { whole: 11, unchanged: 1, ..Scheme::default() };
    assert_eq!(permutations.scheme(), Some(scheme));
    // One group per class leaves nothing to exchange.
    let two = Groups::from_labels(&[vec!["x"; 18], vec!["y"; 18]].concat(), GroupWeight::Group);
    let halves: Vec<&str> = (0..36).map(|row| if row < 18 { "a" } else { "b" }).collect();
    let by_center = Target::Classes(Classes::from_labels(&halves));
    let roles = Roles::default().with_groups(Some(&two));
    let found = Permutations::new(&by_center, roles, &seeded(1)).unwrap();
    let warning = found.warnings()[0].to_string();
    assert!(warning.contains("only 2 different arrangements"), "{warning}");
    assert!(warning.ends_with("below 0.50"), "{warning}");
    let strata = Classes::from_labels(&halves);
    assert!(Permutations::new(&by_center, roles.with_strata(Some(&strata)), &seeded(1)).is_err());
}

/// Subjects with repeated rows and no effect: permuting rows finds features in nearly every data set, permuting
/// subjects in about 5 of 100.
#[test]
fn repeated_rows_find_nothing_by_chance() {
    let (subjects, repeats, features, data_sets) = (24, 4, 8, 40);
    let info = method("relieff").unwrap();
    let settings = info.settings(&[("n_neighbors", "5")]).unwrap();
    let run = run(2);
    let (mut with, mut without) = (0, 0);
    for seed in 0..data_sets {
        let mut random = Random(1000 + seed);
        let mut columns = vec![Vec::new(); features];
        let (mut labels, mut names) = (Vec::new(), Vec::new());
        for subject in 0..subjects {
            let own: Vec<f64> = (0..features).map(|_| random.next()).collect();
            for _ in 0..repeats {
                for (column, own) in columns.iter_mut().zip(&own) {
                    column.push(own + 0.1 * random.next());
                }
                labels.push(if subject % 2 == 0 { "case" } else { "control" });
                names.push(subject.to_string());
            }
        }
        let columns = (0..).zip(columns).map(|(place, values): (usize, _)| {
            Column::from_values(format!("x{place}"), values).unwrap()
        });
        let table = Table::new(columns.collect()).unwrap();
        let target = Target::Classes(Classes::from_labels(&labels));
        let groups = Groups::from_labels(&names, GroupWeight::Group);
        let found = |groups: Option<&Groups>| {
            let problem = Problem::new(&table, &target).unwrap().with_groups(groups).unwrap();
            let permutations = Permutations::new(&target, problem.roles(), &seeded(seed)).unwrap();
            let observed = info.fit(&problem, &settings, &run).unwrap();
            let mut method = for_targets(info, &settings, &[], &problem, &run).unwrap();
            let test = PermutationTest {
                permutations: &permutations,
                draws: Draws::Fixed(59),
                sided: Sided::One,
                correction: Correction::MaxT,
                alpha: 0.05,
            };
            let found = test.run(&mut *method, observed.model.weights(), &NoStore, &run).unwrap();
            found.selected.contains(&true)
        };
        with += usize::from(found(Some(&groups)));
        without += usize::from(found(None));
    }
    // 99.9 % of binomial counts of 40 at 0.05 are at most 7.
    assert!(with <= 7, "{with} of {data_sets}");
    assert!(without >= 35, "{without} of {data_sets}");
}
