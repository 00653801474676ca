//! Messages speak the command line's language: its options, and nothing that a terminal would obey.

use std::path::Path;

use basrelief::data::synth::GENERATORS;
use basrelief::front_end::is_known;
use basrelief::methods::WRAPPERS;
use basrelief::methods::{MAP_METHODS, METHODS};
use basrelief::{Error, FrontEnd};
use basrelief_papers::PROTOCOLS;

use crate::{Place, small_table};

/// All Rust files of the workspace's crates, tests aside.
fn sources() -> Vec<String> {
    fn gather(folder: &Path, into: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                gather(&path, into);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                let tests = text.find("#[cfg(test)]").unwrap_or(text.len());
                into.push(text[..tests].to_string());
            }
        }
    }
    let mut all = Vec::new();
    for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()).unwrap()
    {
        let folder = entry.unwrap().path().join("src");
        if folder.is_dir() {
            gather(&folder, &mut all);
        }
    }
    all
}

/// The text in quotes that is the first argument of every call of a function.
fn first_arguments<'s>(source: &'s str, function: &str) -> Vec<&'s str> {
    source
        .match_indices(function)
        .filter_map(|(place, _)| {
            let inside = source[place + function.len()..].trim_start().strip_prefix('"')?;
            inside.split('"').next()
        })
        .collect()
}

#[test]
fn every_setting_that_a_message_mentions_is_known() {
    let mut count = 0;
    for source in sources() {
        for function in ["setting(", "Error::option("] {
            for name in first_arguments(&source, function) {
                assert!(is_known(name), "a message mentions `{name}`, which is no setting");
                count += 1;
            }
        }
    }
    assert!(count > 20, "{count} mentions are too few: does this test still find them?");
}

#[test]
fn options_of_experiments_are_spelled_as_they_are_typed() {
    for option in PROTOCOLS.iter().flat_map(|info| info.options.iter()) {
        let message = Error::option(option.name, "", "").message(FrontEnd::CommandLine);
        assert!(message.starts_with(&format!("option --{}:", option.flag)), "{message}");
    }
}

/// Names that are Python's alone: with an underscore, or another word than the flag.
fn python_names() -> Vec<String> {
    let methods = METHODS.iter().flat_map(|info| info.options.iter().copied());
    let learners = MAP_METHODS.iter().flat_map(|info| info.all_options());
    let generators = GENERATORS.iter().flat_map(|info| info.options());
    let wrappers = WRAPPERS.iter().flat_map(|info| info.options.iter().copied());
    let mut names: Vec<String> = methods
        .chain(learners)
        .chain(generators)
        .chain(wrappers)
        .map(|info| info.name)
        .filter(|name| name.contains('_'))
        .map(str::to_string)
        .collect();
    for name in
        ["target_type", "categorical_features", "genotype_features", "random_state", "n_jobs"]
    {
        names.push(name.to_string());
    }
    names.push("ReliefF".to_string());
    names
}

#[test]
fn options_are_called_as_they_are_typed() {
    let place = Place::new();
    place.file("data.csv", small_table());
    place.file("three.csv", "a,b,class\n1,2,x\n2,1,y\n3,5,z\n4,4,x\n6,5,y\n7,7,z\n");
    let real: String = (0..30).map(|row| format!("{},{row}.25\n", row * 7 % 11)).collect();
    place.file("real.csv", format!("a,class\n{real}"));
    let names = python_names();
    for (line, words) in [
        ("rank data.csv --target class --neighbors 0", "option --neighbors: 0 is less than 1"),
        (
            "rank data.csv --target class --method surf --neighbors 3",
            "option --neighbors: surf does not take it; surf takes --samples,",
        ),
        (
            "rank data.csv --target class --wrap turf:keep=0",
            "option --wrap turf:keep: 0 is less than 1",
        ),
        (
            "rank data.csv --target class --wrap turf:kep=1",
            "option --wrap turf:kep: turf does not take it; turf takes --wrap turf:drop, --wrap turf:keep",
        ),
        (
            "rank data.csv --target class --memory lots",
            "option --memory: `lots` is not an amount of memory",
        ),
        ("rank data.csv --target class --threads 0", "option --threads"),
        (
            "rank data.csv --target class --categorical x1 --numeric x1",
            "option --categorical, --ordinal, --genotype, --numeric: `x1` is given twice",
        ),
    ] {
        let message = place.line(line).refused();
        assert!(message.contains(words), "no `{words}` in: {message}");
        for name in &names {
            assert!(!message.contains(name.as_str()), "`{name}` in: {message}");
        }
    }
}

#[test]
fn a_variable_of_the_environment_is_no_option() {
    let place = Place::new();
    place.file("data.csv", small_table());
    for variable in ["BASRELIEF_MEMORY", "BASRELIEF_SIMD"] {
        let mut command = place.command(&["rank", "data.csv", "--target", "class"]);
        let output = command.env(variable, "lots").output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(
            message.starts_with(&format!("error: environment variable {variable}: `lots`")),
            "{message}"
        );
    }
}

/// What a terminal might obey, and what hides from its reader.
const HARMFUL: [&str; 3] = ["\u{1b}[31mred", "\u{202e}gpj", "\u{9b}2J"];

#[test]
fn names_from_files_and_arguments_are_cleaned() {
    let place = Place::new();
    for name in HARMFUL {
        let first = name.chars().next().unwrap();
        let table = small_table().replacen("x1", name, 1);
        place.file("data.csv", &table);
        let file = format!("{name}.csv");
        place.file(&file, &table);
        let unknown = format!("{name}1");
        let absent = format!("no{name}.csv");
        let broken =
            small_table().replacen("x1", name, 1).replacen("30,0", &format!("{name},0"), 1);
        place.file("broken.csv", broken);
        for arguments in [
            &["rank", "data.csv", "--target", &unknown][..],
            &["rank", "data.csv", "--target", "class", "--drop", &unknown],
            &["rank", &file, "--target", "none"],
            &["rank", &absent, "--target", "class"],
            &["rank", "broken.csv", "--target", "class", "--numeric", name],
            &["rank", "data.csv", "--target", "class", "--method", name],
            &["rank", "data.csv", "--target", "class", "--wrap", name],
            &["rank", "data.csv", "--target", "class", "--memory", name],
            // What clap refuses.
            &["rank", "data.csv", "--target", "class", name],
            &["rank", "data.csv", "--target", "class", "--threads", name],
            &["rank", "data.csv", "--target", "class", "--format", name],
            &["rank", "data.csv", "--target", "class", &format!("--{name}")],
            &[name],
        ] {
            let message = place.run(arguments).refused();
            assert!(!message.contains(first), "{arguments:?}: {message:?}");
            assert!(
                message.contains(&name.replacen(first, "\u{fffd}", 1)),
                "{arguments:?}: {message:?}"
            );
        }
        // What it says when all is well.
        let outcome =
            place.run(&["rank", &file, "--target", "class", "--output", &format!("{name}.txt")]);
        assert_eq!(outcome.code, Some(0), "{}", outcome.err);
        assert!(!outcome.err.contains(first), "{:?}", outcome.err);
        assert!(!place.read(&format!("{name}.txt")).contains(first));
    }
}
