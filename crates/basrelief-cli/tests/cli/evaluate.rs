//! `evaluate`: what it prints and writes, that a killed run goes on, and what it refuses.

use serde_json::Value;

use crate::{Place, small_table};

const LINE: &str =
    "evaluate data.csv --target class --drop color --folds 4 --inner-folds 3 --k 1,3";

fn place() -> Place {
    let place = Place::new();
    place.file("data.csv", small_table());
    place
}

/// The results of every split without their seconds.
fn timeless(json: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(json).unwrap();
    let mut found = Vec::new();
    for method in all["methods"].as_array().unwrap() {
        for split in method["splits"].as_array().unwrap() {
            let mut split = split.clone();
            split["seconds"] = Value::Null;
            split["method"] = method["method"].clone();
            found.push(split);
        }
    }
    found
}

#[test]
fn methods_are_ranked_by_their_error_and_the_best_is_named() {
    let place = place();
    let methods = "--methods euclidean,relieff:neighbors=1|3,lda";
    let told = place.line(&format!("{LINE} {methods}")).done();
    for words in [
        "data.csv: 40 rows, 2 features (2 numeric)",
        "4-fold cross-validation; options are chosen by",
        "error %  ± se  features  k  fit s",
        "best\n",
        "Nadeau & Bengio",
    ] {
        assert!(told.contains(words), "no `{words}` in:\n{told}");
    }
    let errors: Vec<f64> = told
        .lines()
        .filter(|line| ["euclidean", "relieff", "lda"].iter().any(|name| line.starts_with(name)))
        .map(|line| line.split_whitespace().nth(1).unwrap().parse().unwrap())
        .collect();
    assert_eq!(errors.len(), 3, "{told}");
    assert!(errors.is_sorted(), "{told}");
    // x1 parts the classes, x2 is noise.
    assert_eq!(errors[0], 0.0, "{told}");

    let one = place.line(&format!("{LINE} {methods} --format json --threads 1")).done();
    let two = place.line(&format!("{LINE} {methods} --format json --threads 2")).done();
    assert_eq!(timeless(&one), timeless(&two));
    let json: Value = serde_json::from_str(&one).unwrap();
    assert_eq!(json["measure"], "error");
    assert_eq!(json["methods"].as_array().unwrap().len(), 3);
    assert_eq!(json["options"]["k"], serde_json::json!([1, 3]));
    let csv = place.line(&format!("{LINE} {methods} --format csv")).done();
    assert_eq!(csv.lines().count(), 1 + 3 * 4);
    assert!(csv.starts_with("method,split,loss,dimensions,neighbors,options,fit_seconds\n"));
    assert_eq!(place.names(), ["data.csv"]);
}

#[test]
fn a_killed_run_goes_on_where_it_ended() {
    let place = place();
    let line = format!("{LINE} --methods euclidean,relieff,lfe --output results");
    let whole = place.line(&line).done();
    let results = place.read("results/results.json");
    let cells = place.read("results/cells.jsonl");
    assert_eq!(cells.lines().count(), 12);
    for name in ["options.json", "results.csv", "curves.csv", "curves.svg", "summary.txt"] {
        assert!(place.path(&format!("results/{name}")).is_file(), "{name}");
    }
    assert_eq!(place.read("results/summary.txt"), whole);

    // What a kill leaves: some cells, and half a line.
    let kept: String = cells.split_inclusive('\n').take(5).collect();
    place.file("results/cells.jsonl", format!("{kept}{{\"cell\": \"lfe"));
    std::fs::remove_file(place.path("results/results.json")).unwrap();
    let outcome = place.line(&line);
    assert!(
        outcome.err.contains("5 cells finished before are not computed again"),
        "{}",
        outcome.err
    );
    outcome.done();
    assert_eq!(timeless(&results), timeless(&place.read("results/results.json")));
    let cells = place.read("results/cells.jsonl");
    assert!(cells.starts_with(kept.lines().next().unwrap()) || cells.lines().count() == 12);

    let message = place.line(&format!("{line} --seed 4")).refused();
    assert!(message.contains("results for other options (seed 0, not 4)"), "{message}");
    place.file("data.csv", small_table().replace("30,", "31,"));
    let message = place.line(&line).refused();
    assert!(message.contains("results for other options (data"), "{message}");
}

#[test]
fn a_number_is_told_by_its_squared_error() {
    let place = Place::new();
    let rows: String = (0..60).map(|row| format!("{row},{},{}.5\n", row * 7 % 11, row)).collect();
    place.file("data.csv", format!("a,b,y\n{rows}"));
    let told = place.line("evaluate data.csv --target y --folds 5 --k 1,3").done();
    assert!(told.contains("mse") && told.contains("rrelieff") && told.contains("pca"), "{told}");
}

#[test]
fn what_cannot_be_evaluated_is_refused() {
    let place = place();
    for (line, words) in [
        ("--methods releiff", "did you mean `relieff`?"),
        ("--methods relieff:neighbors=0", "0 is less than 1"),
        ("--folds 30", "class `no` has 20 rows, fewer than 30 folds"),
        ("--folds 1", "leave no rows"),
        ("--folds many", "neither `loo` nor a whole number"),
        ("--folds loo --repeats 3", "the same every time"),
        ("--repeats 9000000000000000000", "more than anybody waits for"),
        ("--folds 4000000000000000000", "exceed the"),
        ("--inner-folds 1", "1 folds leave nothing"),
        ("--k 0,3", "`0` is no whole number"),
        ("--dimensions few", "`few` is no whole number"),
        ("--output data.csv", "data.csv is a file"),
        ("--methods rrelieff", "needs a numeric target, but the target has classes"),
    ] {
        let message = place.line(&format!("evaluate data.csv --target class {line}")).refused();
        assert!(message.contains(words), "{line}: {message}");
    }
    place.file("gaps.csv", small_table().replacen("30,", ",", 2));
    let line = "evaluate gaps.csv --target class --methods dann-local,relieff --folds 3";
    let told = place.line(line).done();
    assert!(told.contains("dann-local failed") && told.contains("missing in: x1"), "{told}");
    assert!(told.contains("x1; fill"), "{told}");
    // Categories are a column of 0 and 1 each, as to the other methods.
    let line = "evaluate data.csv --target class --methods dann-local,relieff --folds 3";
    assert!(!place.line(line).done().contains("failed"));
    assert_eq!(place.names(), ["data.csv", "gaps.csv"]);
}

#[test]
fn the_usual_methods_are_those_that_fit_the_table() {
    let place = Place::new();
    let table = small_table().replace("blue", "").replacen("30,", ",", 2);
    place.file("data.csv", table);
    let outcome = place.line("evaluate data.csv --target class --folds 4 --inner-folds 3 --k 1,3");
    assert!(!outcome.err.contains("left out of the usual methods"), "{}", outcome.err);
    let told = outcome.done();
    assert!(!told.contains("failed"), "{told}");
    assert!(told.lines().all(|line| line.chars().count() <= 80), "{told}");
    for method in ["euclidean", "relieff", "multisurf", "lda", "lfe"] {
        let line = told.lines().find(|line| line.starts_with(method)).unwrap();
        let error: f64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
        // x1 parts the classes, as far as it is known.
        assert!(error < 30.0, "{told}");
    }
    place.file(
        "gaps.csv",
        small_table()
            .replace(",red,", ",")
            .replace(",green,", ",")
            .replace(",blue,", ",")
            .replace("x1,x2,color", "x1,x2")
            .replacen("30,", ",", 2),
    );
    let outcome = place.line("evaluate gaps.csv --target class --folds 4 --inner-folds 3 --k 1,3");
    let told = outcome.done();
    assert!(told.contains("\nlda ") && !told.contains("failed"), "{told}");
}
