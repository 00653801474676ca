//! `methods`, `synth`, `demo`, help and version.

use basrelief::data::synth::GENERATORS;
use basrelief::methods::{MAP_METHODS, METHODS, WRAPPERS};
use serde_json::Value;

use crate::Place;

#[test]
fn help_and_version_go_to_standard_output() {
    let place = Place::new();
    let help = place.line("--help").done();
    for verb in
        ["demo", "export", "fit", "methods", "rank", "reproduce", "stability", "synth", "transform"]
    {
        assert!(help.contains(verb), "{help}");
        assert!(!place.line(&format!("{verb} --help")).done().is_empty());
    }
    let version = place.line("--version").done();
    assert_eq!(version, format!("basrelief {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn the_help_of_rank_lists_options_with_default_and_methods() {
    let help = Place::new().line("rank --help").done();
    let flat = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        flat.contains("--neighbors <N[,N...]> Number of nearest neighbors per class"),
        "{flat}"
    );
    assert!(flat.contains("[default: share]"), "{flat}");
    assert!(flat.contains("--bins <N> Equal-frequency bins"), "{flat}");
    assert!(flat.contains("[default: 10] [for myopic]"), "{flat}");
}

#[test]
fn short_help_is_one_page_and_long_help_lists_all_options() {
    let place = Place::new();
    let top = place.line("-h").done();
    assert_eq!(top, place.line("--help").done());
    assert!(top.find("  rank ").unwrap() < top.find("  fit ").unwrap(), "{top}");
    assert!(top.lines().all(|line| line.len() <= 80), "{top}");
    let verbs = top
        .lines()
        .filter_map(|line| line.strip_prefix("  "))
        .filter(|line| !line.starts_with('-'));
    let verbs: Vec<&str> = verbs.filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(verbs.len(), 19, "{verbs:?}");
    for verb in verbs {
        let short = place.line(&format!("{verb} -h")).done();
        // These list their kinds and papers.
        let most = if ["synth", "reproduce"].contains(&verb) { 40 } else { 25 };
        assert!(short.lines().count() <= most, "{verb}: {} lines\n{short}", short.lines().count());
        assert!(short.lines().all(|line| line.chars().count() <= 100), "{verb}\n{short}");
        let long = place.line(&format!("{verb} --help")).done();
        for line in short.lines().filter_map(|line| line.trim_start().strip_prefix("--")) {
            let option = line.split(' ').next().unwrap();
            assert!(long.contains(&format!("--{option}")), "{verb}: {option}");
        }
    }
    let long = place.line("rank --help").done();
    assert!(long.contains("--ld-prune") && long.contains("--genotype-diff"), "{long}");
}

#[test]
fn methods_lists_the_registry() {
    let place = Place::new();
    let text = place.line("methods").done();
    let json: Value = serde_json::from_str(&place.line("methods --format json").done()).unwrap();
    let listed = |key: &str| -> Vec<String> {
        let entries = json[key].as_array().unwrap().iter();
        entries.map(|entry| entry["name"].as_str().unwrap().to_string()).collect()
    };
    let names: Vec<&str> = METHODS.iter().map(|info| info.name).collect();
    let maps: Vec<&str> = MAP_METHODS.iter().map(|info| info.name).collect();
    let wrappers: Vec<&str> = WRAPPERS.iter().map(|info| info.name).collect();
    for (key, names) in [("methods", names), ("maps", maps), ("wrappers", wrappers)] {
        assert_eq!(listed(key), names);
        for name in names {
            assert!(text.contains(name), "{name}");
        }
    }
    for method in json["methods"].as_array().unwrap() {
        for key in ["task", "purpose", "source"] {
            assert!(!method[key].as_str().unwrap().is_empty(), "{method}");
        }
        for option in method["options"].as_array().unwrap() {
            assert!(option["flag"].as_str().unwrap().starts_with("--"), "{option}");
        }
    }
}

#[test]
fn a_generated_set_is_ranked_as_its_truth_says() {
    let place = Place::new();
    let outcome = place.line("synth xor --rows 1200 --seed 5 --output x.csv --truth t.json");
    assert_eq!((outcome.code, outcome.out.as_str()), (Some(0), ""), "{}", outcome.err);
    assert!(outcome.err.contains("basrelief rank x.csv --target class"), "{}", outcome.err);
    let truth: Value = serde_json::from_str(&place.read("t.json")).unwrap();
    assert_eq!(truth["kind"], "xor");
    assert_eq!(truth["seed"], 5);
    assert_eq!(truth["options"]["heritability"], 0.4);
    assert_eq!(truth["relevant"], serde_json::json!(["P1", "P2"]));
    let csv = place.line("rank x.csv --target class --format csv --top 2 --genotype all").done();
    let mut best: Vec<&str> =
        csv.lines().skip(1).map(|line| line.split(',').nth(1).unwrap()).collect();
    best.sort_unstable();
    assert_eq!(best, ["P1", "P2"]);
}

#[test]
fn the_seed_decides_a_generated_file() {
    let place = Place::new();
    for kind in GENERATORS.iter().map(|info| info.name) {
        for (seed, file) in [("1", "a.csv"), ("1", "b.csv"), ("2", "c.csv")] {
            place.line(&format!("synth {kind} --rows 50 --seed {seed} --output {file}")).done();
        }
        assert_eq!(place.read("a.csv"), place.read("b.csv"), "{kind}");
        assert_ne!(place.read("a.csv"), place.read("c.csv"), "{kind}");
        assert_eq!(place.read("a.csv").lines().count(), 51, "{kind}");
    }
}

#[test]
fn noise_columns_can_be_appended_to_any_kind_and_the_truth_calls_them_irrelevant() {
    let place = Place::new();
    place.line("synth rdg1-categorical --rows 40 --irrelevant 1 --noise 2 --output x.csv --truth t.json").done();
    let header = place.read("x.csv").lines().next().unwrap().to_string();
    assert!(header.ends_with("relevant5,irrelevant1,noise1,noise2,class"), "{header}");
    let truth: Value = serde_json::from_str(&place.read("t.json")).unwrap();
    assert_eq!(truth["irrelevant"], serde_json::json!(["irrelevant1", "noise1", "noise2"]));
    assert_eq!(truth["options"]["noise"], 2);
    assert!(truth["rules"][0].as_str().unwrap().starts_with("0 if relevant"), "{truth}");
}

#[test]
fn generated_data_have_the_format_of_their_name() {
    let place = Place::new();
    let ranking = |file: &str, target: &str| {
        place.line(&format!("synth xor --rows 200 --features 12 --output {file}")).done();
        place.line(&format!("rank {file} --target {target} --format csv")).done()
    };
    let expected = ranking("x.csv", "class");
    for file in ["x.csv.gz", "x.parquet"] {
        assert_eq!(ranking(file, "class"), expected, "{file}");
    }
    // A .npy file has no names.
    let weights = |csv: &str| -> Vec<String> {
        csv.lines().map(|line| line.rsplit(',').next().unwrap().to_string()).collect()
    };
    assert_eq!(weights(&ranking("x.npy", "x13")), weights(&expected));
    let message = place.line("synth xor --output x.tsv").refused();
    assert!(message.contains("x.tsv") && message.contains(".parquet"), "{message}");
    // The file with texts, which .npy cannot hold, is not begun.
    let message = place.line("synth mixed --rows 50 --output m.npy").refused();
    assert!(message.contains("a .npy file contains numbers"), "{message}");
    assert!(!place.names().contains(&"m.npy".to_string()));
}

#[test]
fn options_of_a_generator_are_checked() {
    let place = Place::new();
    for (line, words) in [
        ("synth xor --output x.csv --minor-allele-frequency 0.6", "is not between 0.01 and 0.5"),
        ("synth xor --output x.csv --heritability 0.99", "use at most"),
        ("synth xor --output x.csv --rows 1", "option --rows: 1 is less than 2"),
        ("synth twonorm --output x.csv --rows 999999999999", "values"),
        ("synth xor --output x.csv --noise -1", "option --noise: `-1` is not a whole number"),
        ("synth rbf --output x.csv --centers 2 --classes 3", "at least one center per class"),
        ("synth twonorm --output x.csv --truth x.csv", "also written by --output"),
        ("synth twonorm --output no/x.csv", "no/x.csv"),
    ] {
        let message = place.line(line).refused();
        assert!(message.contains(words), "{line}: {message}");
    }
    assert!(place.names().is_empty());
}

#[test]
fn demo_shows_the_pair_and_writes_what_it_used() {
    let place = Place::new();
    let outcome = place.line("demo --output results");
    assert_eq!(outcome.code, Some(0), "{}", outcome.err);
    let rows: Vec<Vec<&str>> = outcome
        .out
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
        .filter(|words| words.len() > 2 && words[0].parse::<usize>().is_ok())
        .collect();
    let mut pair = [rows[0][1], rows[1][1]];
    pair.sort_unstable();
    assert_eq!(pair, ["P1", "P2"], "{}", outcome.out);
    let mut relevant = [6, 7, 8, 9].map(|row: usize| rows[row][1]);
    relevant.sort_unstable();
    assert_eq!(relevant, ["drug", "stage", "troponin", "variant"], "{}", outcome.out);
    assert!(outcome.err.contains("study") && outcome.err.contains("glucose_copy"));
    let mut names: Vec<String> = std::fs::read_dir(place.path("results"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let of = |scene: &str| {
        [
            format!("{scene}-ranking.csv"),
            format!("{scene}-ranking.json"),
            format!("{scene}-truth.json"),
            format!("{scene}.csv"),
        ]
    };
    assert_eq!(names, [of("epistasis"), of("mixed")].concat());

    // The files give the same ranking as the demo itself did.
    let again = place.line("rank results/mixed.csv --target outcome --format csv --quiet").done();
    assert_eq!(again, place.read("results/mixed-ranking.csv"));
}
