//! Weights for several numbers of neighbors: the largest of those of separate fits.

#[path = "common/numbers.rs"]
mod numbers;

use basrelief::Run;
use basrelief::data::{Column, GroupWeight, Groups, Roles, RowWeights, Survival, Table, Target};
use basrelief::methods::{Problem, method};
use numbers::Numbers;

const ROWS: usize = 60;

fn table(missing: bool) -> Table<'static> {
    let mut numbers = Numbers(9);
    let mut column = |at: usize| {
        let mut values: Vec<f64> = (0..ROWS).map(|_| numbers.below(12) as f64).collect();
        if missing {
            values[at * 7 % ROWS] = f64::NAN;
        }
        Column::from_values(format!("x{at}"), values).unwrap()
    };
    Table::new((0..5).map(&mut column).collect()).unwrap()
}

fn targets() -> [(&'static str, Target); 3] {
    let mut numbers = Numbers(4);
    let values: Vec<f64> = (0..ROWS).map(|_| numbers.below(30) as f64).collect();
    let labels: Vec<String> = (0..ROWS).map(|_| numbers.below(3).to_string()).collect();
    let events = (0..ROWS).map(|row| row % 3 > 0).collect();
    let survival = Survival::new(values.clone(), events).unwrap();
    [
        ("relieff", Target::from_labels(&labels)),
        ("rrelieff", Target::real(values).unwrap()),
        ("survival-relief", survival.into()),
    ]
}

#[test]
fn a_list_of_numbers_gives_the_largest_weights() {
    let groups: Vec<String> = (0..ROWS).map(|row| (row / 3).to_string()).collect();
    let groups = Groups::from_labels(&groups, GroupWeight::Group);
    let weights = (0..ROWS).map(|row| 1.0 + (row % 4) as f64 / 2.0).collect();
    let weights = RowWeights::new("w", weights).unwrap();
    for missing in [false, true] {
        let table = table(missing);
        for roles in [
            Roles::default(),
            Roles::default().with_groups(Some(&groups)),
            Roles::default().with_weights(Some(&weights)),
        ] {
            for (name, target) in targets() {
                let problem = Problem::new(&table, &target).unwrap().with_roles(roles).unwrap();
                let info = method(name).unwrap();
                let fit = |k: &str, threads: usize| {
                    let run = Run::new(Some(threads)).unwrap();
                    info.fit(&problem, &info.settings(&[("n_neighbors", k)]).unwrap(), &run)
                        .unwrap()
                };
                let found = fit("2,5,20", 1);
                let profile = found.report.profile.unwrap();
                assert_eq!(profile.neighbors, [2, 5, 20]);
                for (k, weights) in profile.neighbors.iter().zip(&profile.weights) {
                    let alone = fit(&k.to_string(), 2);
                    assert_eq!(alone.report.profile, None);
                    for (alone, weight) in alone.model.weights().iter().zip(weights) {
                        assert!((alone - weight).abs() < 1e-14, "{name} {k} {missing}");
                    }
                }
                for (feature, weight) in found.model.weights().iter().enumerate() {
                    let largest =
                        profile.of(feature).map(|(_, weight)| weight).fold(f64::MIN, f64::max);
                    assert_eq!(*weight, largest);
                    let best = profile.best(feature);
                    assert!(profile.of(feature).any(|(k, own)| k == best && own == largest));
                }
            }
        }
    }
}

#[test]
fn bad_lists_are_refused() {
    let info = method("relieff").unwrap();
    for (text, words) in [
        ("5,0", "0 is less than 1"),
        ("5,5", "5 is listed twice"),
        ("5,", "`` is not a whole number"),
        ("a", "or a list of them"),
    ] {
        let error = info.settings(&[("n_neighbors", text)]).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
    // The order does not matter, and Python separates the numbers by colons.
    let settings = |text: &str| info.settings(&[("n_neighbors", text)]).unwrap();
    assert_eq!(settings("20:5"), settings("5, 20"));
    assert!(method("drelieff").unwrap().settings(&[("n_neighbors", "5,10")]).is_err());
}
