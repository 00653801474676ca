//! Weights of rows and priors of classes: `--row-weight` and `--priors`.

use serde_json::Value;

use crate::Place;

/// 90 rows with a column of weights, of which every ninth is 0, and the same table without these rows.
fn place() -> Place {
    let place = Place::new();
    let text = place.line("synth xor --rows 90 --features 6 --seed 4").done();
    let mut lines = text.lines();
    let header = format!("{},weight\n", lines.next().unwrap());
    let (mut all, mut positive) = (header.clone(), header);
    for (row, line) in lines.enumerate() {
        let weight = ["0", "1", "2.5", "0.5", "1.25", "3", "1", "0.75", "2"][row % 9];
        all += &format!("{line},{weight}\n");
        if weight != "0" {
            positive += &format!("{line},{weight}\n");
        }
    }
    place.file("d.csv", &all);
    place.file("positive.csv", &positive);
    place
}

#[test]
fn rows_count_by_their_weights_and_rows_of_weight_0_are_excluded() {
    let place = place();
    for verb in ["rank", "stability"] {
        let of = |file: &str, more: &str| {
            place.line(&format!("{verb} {file} --target class --format csv {more}"))
        };
        let run = of("d.csv", "--row-weight weight");
        let warning = "10 of 90 rows have weight 0 in `weight` and were excluded";
        assert!(run.err.contains(warning), "{}", run.err);
        let weighted = run.done();
        assert_eq!(weighted, of("positive.csv", "--row-weight weight").done());
        assert_ne!(weighted, of("positive.csv", "--drop weight").done());
    }
    let rank = "rank d.csv --target class --row-weight weight --permutations 99";
    place.line(&format!("{rank} --format json --output r.json --report r.html")).done();
    let found: Value = serde_json::from_str(&place.read("r.json")).unwrap();
    let weights = &found["data"]["row_weights"];
    assert_eq!(weights["column"], "weight");
    assert_eq!((weights["least"].as_f64(), weights["greatest"].as_f64()), (Some(0.5), Some(3.0)));
    // 10 rows of each of the weights 1, 2.5, 0.5, 1.25, 3, 1, 0.75, 2: their sum is 120, and that of their squares 236.25.
    let effective = weights["effective_rows"].as_f64().unwrap();
    assert!((effective - 120.0 * 120.0 / 236.25).abs() < 1e-9, "{effective}");
    assert_eq!(found["data"]["rows"], 80);
    let scheme = found["permutation_test"]["scheme"].as_str().unwrap();
    assert!(scheme.ends_with("with the odds of a regression of the target on the row weights"));
    let features = found["features"].as_array().unwrap();
    assert!(features.iter().all(|feature| feature["name"] != "weight"));
    let page = place.read("r.html");
    assert!(page.contains("weight: from 0.5 to 3, as precise as 61 rows of equal weight"));
    // Selected columns are those of the ranking.
    place.line("select d.csv --target class --row-weight weight --top 2 --output s.csv").done();
    let first = features[0]["name"].as_str().unwrap();
    assert!(place.read("s.csv").lines().next().unwrap().contains(first));
}

#[test]
fn priors_are_stated_by_class() {
    let place = place();
    let of = |more: &str| {
        place.line(&format!("rank d.csv --target class --drop weight --format csv {more}"))
    };
    let plain = of("").done();
    assert_eq!(of("--priors data").done(), plain);
    let stated = of("--priors 0=0.01,1=0.99").done();
    assert_ne!(stated, plain);
    assert_ne!(of("--priors uniform").done(), stated);
    let json =
        place.line("rank d.csv --target class --drop weight --priors uniform --format json").done();
    let found: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(found["data"]["priors"], "uniform");
    for (priors, words) in [
        ("0=0.5,1=0.6", "the priors sum to 1.1, not to 1"),
        ("0=0.5,2=0.5", "class `1` has no prior"),
        ("0=0.5,1=0.4,2=0.1", "no row has the class 2"),
        ("prevalence", "`prevalence` is unknown"),
    ] {
        let message = of(&format!("--priors {priors}")).refused();
        assert!(message.contains(words) && message.contains("--priors"), "{message}");
    }
    let message = of("--priors uniform --target-type real").refused();
    assert!(message.contains("the target is numeric"), "{message}");
}

#[test]
fn wrong_weights_are_refused() {
    let place = place();
    let rank = "--target class --row-weight weight";
    let table = place.read("positive.csv");
    for (cell, words) in [
        ("12 kg", "row 1, column `weight`: text in a column declared numeric (found `12 kg`)"),
        ("-1", "row 1, column `weight`: the weight of a row is not a finite number of at least 0"),
        ("", "row 1, column `weight`: the weight of a row is missing"),
    ] {
        place.file("bad.csv", table.replacen(",1\n", &format!(",{cell}\n"), 1));
        let message = place.line(&format!("rank bad.csv {rank}")).refused();
        assert!(message.contains(words), "{message}");
    }
    let none: Vec<String> = table
        .lines()
        .enumerate()
        .map(|(row, line)| match (row, line.rsplit_once(',')) {
            (1.., Some((cells, _))) => format!("{cells},0\n"),
            _ => format!("{line}\n"),
        })
        .collect();
    place.file("none.csv", none.concat());
    for (arguments, words) in [
        ("rank none.csv --target class --row-weight weight", "no row remains"),
        ("rank d.csv --target class --row-weight class", "`class` is the target"),
        ("rank d.csv --target class --row-weight weight --drop weight", "`weight` is excluded"),
        ("rank d.csv --target class --row-weight other", "there is no such column"),
        (
            "rank d.csv --target class --row-weight weight --method simba",
            "simba does not use weights of rows; use relieff",
        ),
        (
            "rank d.csv --target class --drop weight --priors uniform --method simba",
            "simba does not use priors of classes; use relieff",
        ),
    ] {
        let message = place.line(arguments).refused();
        assert!(message.contains(words), "{message}");
    }
    // Residuals are those of a weighted regression.
    let residuals = "rank d.csv --target class --covar-name P1 --residuals --method multisurf";
    let weighted = format!("{residuals} --row-weight weight --permutations 99 --format json");
    let found: Value = serde_json::from_str(&place.line(&weighted).done()).unwrap();
    assert_eq!(
        found["permutation_test"]["scheme"],
        "rows are exchanged with the odds of a regression of the target on the covariates and the row weights"
    );
    // Weights of the classes: priors are valid in a test, and weights are not.
    let by_class: String = table
        .lines()
        .enumerate()
        .map(|(row, line)| match (row, line.rsplit_once(',')) {
            (1.., Some((cells, _))) if cells.ends_with('1') => format!("{cells},2\n"),
            (1.., Some((cells, _))) => format!("{cells},1\n"),
            _ => format!("{line}\n"),
        })
        .collect();
    place.file("classes.csv", &by_class);
    let test = "rank classes.csv --target class --permutations 99";
    let message = place.line(&format!("{test} --row-weight weight")).refused();
    assert!(message.contains("priors of the classes instead (--priors)"), "{message}");
    place.line(&format!("{test} --drop weight --priors 0=0.3,1=0.7")).done();
    place.line("rank classes.csv --target class --row-weight weight").done();
}

/// The weights of people come from a covariate file.
#[test]
fn people_of_a_cohort_have_weights() {
    let place = Place::new();
    place.line("synth cohort --rows 120 --variants 60 --main 1 --seed 2 --output c.bed").done();
    let people = place.read("c.fam");
    let mut covariates = "#FID\tIID\tw\n".to_string();
    for (row, line) in people.lines().enumerate() {
        let cells: Vec<&str> = line.split_whitespace().collect();
        covariates += &format!("{}\t{}\t{}\n", cells[0], cells[1], [0.5, 1.0, 2.0, 0.0][row % 4]);
    }
    place.file("w.tsv", &covariates);
    let run = place.line("rank c.bed --covar w.tsv --row-weight w --format json");
    assert!(run.err.contains("30 of 120 rows have weight 0"), "{}", run.err);
    let found: Value = serde_json::from_str(&run.done()).unwrap();
    assert_eq!(found["data"]["row_weights"]["column"], "w");
    assert_eq!(found["data"]["rows"], 90);
    let message = place.line("rank c.bed --row-weight w").refused();
    assert!(message.contains("no file contains the column `w`"), "{message}");
}

#[test]
fn evaluate_counts_rows_by_their_weights() {
    let place = place();
    let evaluate = "evaluate positive.csv --target class --folds 3 --inner-folds 2 --format json";
    let losses = |more: &str| -> Vec<f64> {
        let line = format!("{evaluate} --methods euclidean,multisurf,relieff:neighbors=5 {more}");
        let found: Value = serde_json::from_str(&place.line(&line).done()).unwrap();
        let all = found["methods"].as_array().unwrap().iter();
        all.map(|method| method["loss"].as_f64().unwrap()).collect()
    };
    let (weighted, plain) = (losses("--row-weight weight"), losses("--drop weight"));
    assert!(weighted.iter().zip(&plain).all(|(a, b)| a != b), "{weighted:?} {plain:?}");
    let run = place.line(&format!("{evaluate} --row-weight weight --methods lda,multisurf"));
    assert!(run.err.contains("equally when these methods learn: lda"), "{}", run.err);
    let message =
        place.line(&evaluate.replace("--folds 3", "--folds loo --row-weight weight")).refused();
    assert!(message.contains("leave-one-out counts all rows equally"), "{message}");
}
