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
    for name in [
        "options.json",
        "results.csv",
        "curves.csv",
        "curves.svg",
        "summary.txt",
        "summary.csv",
        "summary.tex",
    ] {
        assert!(place.path(&format!("results/{name}")).is_file(), "{name}");
    }
    assert_eq!(place.read("results/summary.txt"), whole);
    let (csv, latex) = (place.read("results/summary.csv"), place.read("results/summary.tex"));
    assert_eq!(csv.lines().count(), 1 + 3, "{csv}");
    assert!(csv.starts_with("method,error %,± se,features,k,fit s,p\n"), "{csv}");
    assert!(latex.starts_with("% data.csv: k-NN after each method, 4-fold cross-validation\n"));
    assert!(
        latex.contains("\nmethod & error \\% & $\\pm$ se & features & k & fit s & p \\\\\n"),
        "{latex}"
    );
    assert!(latex.contains("\\begin{tabular}{lrrrrrr}"), "{latex}");

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

    // The format of figures is not an option of the evaluation: the cells are used again.
    let outcome = place.line(&format!("{line} --figure-format png --width 300"));
    assert!(outcome.err.contains("12 cells finished before"), "{}", outcome.err);
    outcome.done();
    let png = std::fs::read(place.path("results/curves.png")).unwrap();
    assert_eq!(png[16..20], 300_u32.to_be_bytes());
    let message = place.line("evaluate data.csv --target class --figure-format png").refused();
    assert!(message.contains("--output"), "{message}");

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
        ("--repeats 9000000000000000000", "exceeds the limit of 1000"),
        ("--folds 4000000000000000000", "exceed the"),
        ("--inner-folds 1", "1 folds leave nothing"),
        ("--protocol halves:5 --folds 4", "--protocol: it cannot be combined with --folds"),
        ("--protocol halves:5 --repeats 2", "omit --repeats"),
        ("--protocol thirds:5", "`thirds:5` is not a protocol; halves:10 makes"),
        ("--protocol halves:1", "give at least 2"),
        ("--k 0,3", "`0` is not a whole number"),
        ("--dimensions few", "`few` is not a whole number"),
        ("--output data.csv", "data.csv is a file"),
        ("--methods rrelieff", "needs a numeric target, but the target has classes"),
    ] {
        let message = place.line(&format!("evaluate data.csv --target class {line}")).refused();
        assert!(message.contains(words), "{line}: {message}");
    }
    place.file("gaps.csv", small_table().replacen("30,", ",", 2));
    let line = "evaluate gaps.csv --target class --methods dann-local,relieff --folds 3";
    let told = place.line(line).done();
    assert!(
        told.contains("dann-local failed") && told.replace("\n  ", " ").contains("missing in: x1"),
        "{told}"
    );
    assert!(told.replace("\n  ", " ").contains("x1; fill"), "{told}");
    // Categories are a column of 0 and 1 each, as to the other methods.
    let line = "evaluate data.csv --target class --methods dann-local,relieff --folds 3";
    assert!(!place.line(line).done().contains("failed"));
    assert_eq!(place.names(), ["data.csv", "gaps.csv"]);
}

/// The error for a number of features in an entry of a method.
fn loss_with(split: &Value, dimensions: u64) -> f64 {
    let curve = split["curve"].as_array().unwrap();
    let fitting = curve.iter().rev().find(|point| point[0].as_u64().unwrap() <= dimensions);
    fitting.unwrap_or(&curve[0])[1].as_f64().unwrap()
}

#[test]
fn the_curve_and_the_one_standard_error_rule_are_those_of_the_splits() {
    let place = Place::new();
    place.line("synth waveform --rows 200 --noise 5 --output w.csv").done();
    let line = "evaluate w.csv --target class --methods relieff,euclidean,lda --folds 5 --k 5,15 \
                --scale range";
    let json: Value =
        serde_json::from_str(&place.line(&format!("{line} --format json")).done()).unwrap();
    let methods = json["methods"].as_array().unwrap();
    let of = |name: &str| methods.iter().find(|one| one["method"] == name).unwrap();
    for name in ["relieff", "lda"] {
        let (method, mut bound, mut keep) = (of(name), f64::NAN, None);
        let splits = method["splits"].as_array().unwrap();
        let curve = method["curve"].as_array().unwrap();
        assert!(curve.len() > 1, "{curve:?}");
        for point in curve {
            let number = point["dimensions"].as_u64().unwrap();
            let losses: Vec<f64> = splits.iter().map(|one| loss_with(one, number)).collect();
            let mean = losses.iter().sum::<f64>() / 5.0;
            let squares: f64 = losses.iter().map(|loss| (loss - mean).powi(2)).sum();
            let error = (squares / 4.0 / 5.0).sqrt();
            assert!((point["loss"].as_f64().unwrap() - mean).abs() < 1e-12, "{point}");
            assert!((point["standard_error"].as_f64().unwrap() - error).abs() < 1e-12, "{point}");
            if number == method["one_standard_error"]["best_dimensions"].as_u64().unwrap() {
                bound = mean + error;
            }
        }
        for point in curve {
            let loss = point["loss"].as_f64().unwrap();
            if loss <= bound && keep.is_none() {
                keep = Some(point["dimensions"].clone());
            }
        }
        let choice = &method["one_standard_error"];
        assert_eq!(Some(&choice["dimensions"]), keep.as_ref());
        let smallest = curve.iter().map(|point| point["loss"].as_f64().unwrap());
        assert_eq!(choice["best_loss"], smallest.fold(f64::INFINITY, f64::min));
    }
    // A ranking has the names of the features that each split selected, a map and all features have none.
    for split in of("relieff")["splits"].as_array().unwrap() {
        let names = split["features"].as_array().unwrap();
        assert_eq!(names.len() as u64, split["dimensions"].as_u64().unwrap());
        assert!(
            names.iter().all(|name| name.as_str().unwrap().starts_with(['x', 'n'])),
            "{names:?}"
        );
    }
    assert!(of("lda")["splits"][0]["features"].is_null());
    assert!(of("euclidean")["one_standard_error"].is_null());
    assert_eq!(of("euclidean")["curve"].as_array().unwrap().len(), 1);

    let told = place.line(line).done();
    let best = methods.iter().find(|one| !one["one_standard_error"].is_null()).unwrap();
    let (name, choice) = (best["method"].as_str().unwrap(), &best["one_standard_error"]);
    let one_line = told.split_whitespace().collect::<Vec<_>>().join(" ");
    let words = format!("keep {} ", choice["dimensions"]);
    assert!(one_line.contains(&words) && one_line.contains(&format!(" of {name}: ")), "{told}");
    assert!(one_line.contains("within one standard error"), "{told}");
    assert!(told.lines().all(|line| line.chars().count() <= 80), "{told}");
}

#[test]
fn halves_are_those_of_the_protocol_for_the_same_seed() {
    let place = Place::new();
    place.line("synth waveform --rows 90 --noise 0 --output w.csv").done();
    let line =
        "evaluate w.csv --target class --methods euclidean --protocol halves:3 --k 3 --seed 5";
    let told = place.line(line).done();
    assert!(told.contains("3 random halves (protocol of Hocke & Martinetz 2013)"), "{told}");
    let json: Value =
        serde_json::from_str(&place.line(&format!("{line} --format json")).done()).unwrap();
    assert_eq!(json["options"]["protocol"], "halves:3");
    assert!(json["options"]["folds"].is_null() && json["options"]["repeats"].is_null());
    assert_eq!(json["methods"][0]["splits"].as_array().unwrap().len(), 3);
    place.line(&format!("{line} --report page.html")).done();
    let page = place.read("page.html");
    assert!(page.contains("3 random halves (protocol of Hocke") && page.contains("halves:3"));
    place.file("rare.csv", "x,y\n1,a\n2,a\n3,b\n4,b\n5,c\n");
    let message = place.line("evaluate rare.csv --target y --protocol halves:3").refused();
    assert!(message.contains("class `c` has fewer than two rows"), "{message}");
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
