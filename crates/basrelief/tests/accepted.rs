//! Help lists values of options, and a fit accepts every one that it lists.

mod common;

use basrelief::data::{Column, Survival, Table, Target};
use basrelief::methods::wrappers::{Wrapper, fit_wrapped};
use basrelief::methods::{MAP_METHODS, METHODS, Problem, Task, WRAPPERS, method};
use basrelief::options::{OptionInfo, OptionKind};
use basrelief::{FrontEnd, Result};

use common::{classes, run};

/// Three complete columns of numbers, which classes shift.
fn table(rows: usize) -> Table<'static> {
    let column = |name: &str, shift: usize| {
        let value = |row: usize| ((row * 37 + shift * 11) % 101) as f64 + (row % 3 * shift) as f64;
        Column::from_values(name, (0..rows).map(value).collect()).unwrap()
    };
    Table::new(vec![column("a", 5), column("b", 1), column("c", 9)]).unwrap()
}

/// Values that the help of an option lists, or that lie inside of what it states.
fn listed(option: &OptionInfo) -> Vec<String> {
    match option.kind {
        OptionKind::Count { least } => vec![least.to_string(), (least + 1).to_string()],
        OptionKind::Counts { least } => vec![least.to_string(), format!("{least},{}", least + 4)],
        OptionKind::CountOrAll => vec!["all".to_string(), "2".to_string()],
        OptionKind::Number { .. } | OptionKind::Positive => vec![option.default.to_string()],
        OptionKind::Choice(words) | OptionKind::ChoiceOfFewer { words, .. } => {
            words.iter().map(|word| (*word).to_string()).collect()
        }
        OptionKind::Text { grammar, check } => {
            let words = grammar.split(['|', '[', ']']).filter(|word| check(word).is_ok());
            words.map(str::to_string).chain([option.default.to_string()]).collect()
        }
        _ => Vec::new(),
    }
}

/// Reports a value that help lists and that a fit refuses.
fn check(name: &str, option: &OptionInfo, value: &str, outcome: Result<()>) {
    if let Err(error) = outcome {
        let message = error.message(FrontEnd::CommandLine);
        panic!("{name} --{} {value}: {message}", option.flag);
    }
}

#[test]
fn weightings_accept_what_their_help_lists() {
    let rows = 60;
    let table = table(rows);
    let label = |at: usize| {
        let values = (0..rows).map(|row| (row % at % 2) as f64).collect();
        (at.to_string(), Target::real(values).unwrap(), (0..rows).collect())
    };
    let labels = Target::several(vec![label(3), label(5)], rows).unwrap();
    let mut tried = 0;
    for info in METHODS {
        let target = match info.task {
            Task::Regression => {
                Target::real((0..rows).map(|row| (row % 7) as f64).collect()).unwrap()
            }
            Task::Survival => {
                let times = (0..rows).map(|row| (row % 7) as f64).collect();
                let events = (0..rows).map(|row| row % 3 > 0).collect();
                Survival::new(times, events).unwrap().into()
            }
            _ => classes(&(0..rows as u32).map(|row| row % 2).collect::<Vec<_>>()),
        };
        for option in info.options {
            // Distances of targets compare several.
            let target = if option.name == "target_distance" { &labels } else { &target };
            let problem = Problem::new(&table, target).unwrap();
            for value in listed(option) {
                let settings = info.settings(&[(option.name, &value)]).unwrap();
                let fitted = info.fit(&problem, &settings, &run(1));
                check(info.name, option, &value, fitted.map(drop));
                tried += 1;
            }
        }
    }
    assert!(tried > 100, "{tried}");
}

#[test]
fn maps_accept_what_their_help_lists() {
    let rows = 60;
    let table = table(rows);
    let of_classes = classes(&(0..rows as u32).map(|row| row % 3).collect::<Vec<_>>());
    let numbers = Target::real((0..rows).map(|row| (row % 7) as f64).collect()).unwrap();
    let mut tried = 0;
    for info in MAP_METHODS {
        let target = if info.task() == Some(Task::Regression) { &numbers } else { &of_classes };
        for option in info.all_options() {
            for value in listed(option) {
                // Two components: three classes separate no more.
                let mut given = vec![(option.name, value.as_str())];
                if option.name != "n_components" {
                    given.push(("n_components", "2"));
                }
                let settings = info.settings(&given).unwrap();
                let fitted = info.fit(&table, Some(target), &settings, &run(1));
                check(info.name, option, &value, fitted.map(drop));
                tried += 1;
            }
        }
    }
    assert!(tried > 200, "{tried}");
}

#[test]
fn wrappers_accept_what_their_help_lists() {
    let table = table(60);
    let target = classes(&(0..60).map(|row| row % 2).collect::<Vec<_>>());
    let problem = Problem::new(&table, &target).unwrap();
    let relieff = method("relieff").unwrap();
    let settings = relieff.settings::<&str, &str>(&[]).unwrap();
    for info in WRAPPERS {
        for option in info.options {
            for value in listed(option) {
                let wrapper = Wrapper::parse(&format!("{}:{}={value}", info.name, option.flag));
                let fitted = wrapper.and_then(|wrapper| {
                    fit_wrapped(relieff, &settings, &[wrapper], &problem, &run(1))
                });
                check(info.name, option, &value, fitted.map(drop));
            }
        }
    }
}

/// The message of a refused word lists exactly the methods that take it.
#[test]
fn a_refused_word_names_the_methods_that_take_it() {
    let all: Vec<(&str, &[&'static OptionInfo])> = METHODS
        .iter()
        .map(|info| (info.name, info.options))
        .chain(MAP_METHODS.iter().map(|info| (info.name, info.options)))
        .collect();
    let mut seen = 0;
    for option in all.iter().flat_map(|(_, options)| *options) {
        let OptionKind::ChoiceOfFewer { elsewhere, .. } = option.kind else { continue };
        for (word, methods) in elsewhere {
            let takes = |own: &&&'static OptionInfo| own.name == option.name;
            let takers = all.iter().filter(|(_, options)| {
                options.iter().find(takes).is_some_and(|own| own.parse(word).is_ok())
            });
            let takers: Vec<&str> = takers.map(|(name, _)| *name).collect();
            let listed: Vec<&str> =
                methods.split(", ").flat_map(|part| part.split(" and ")).collect();
            assert_eq!(listed, takers, "{word}");
            let message = option.parse(word).unwrap_err().message(FrontEnd::CommandLine);
            assert!(message.contains(methods), "{message}");
            seen += 1;
        }
    }
    assert!(seen >= 8, "{seen}");
}
