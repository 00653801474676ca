//! Survival times: `--time` and `--event`.

use serde_json::Value;

use crate::Place;

const TARGET: &str = "--time time --event event";

fn place() -> Place {
    let place = Place::new();
    place.line("synth survival --rows 300 --features 6 --seed 3 --output d.csv").done();
    place
}

#[test]
fn a_pair_that_changes_the_hazard_is_found_and_selected_with_its_target() {
    let place = place();
    let rank = format!("rank d.csv {TARGET} --genotype all --permutations 99 --seed 1");
    let run = place.line(&format!("{rank} --format json --output r.json --report r.html"));
    assert!(run.err.contains("survival times: using survival-relief"), "{}", run.err);
    run.done();
    let found: Value = serde_json::from_str(&place.read("r.json")).unwrap();
    let features = found["features"].as_array().unwrap();
    let mut best: Vec<&str> =
        features[..2].iter().map(|feature| feature["name"].as_str().unwrap()).collect();
    best.sort_unstable();
    assert_eq!(best, ["P1", "P2"]);
    assert!(features.iter().all(|feature| feature["name"] != "event"));
    let events = place.read("d.csv").lines().skip(1).filter(|line| line.ends_with(",1")).count();
    assert_eq!(found["data"]["target"]["events"].as_u64(), Some(events as u64));
    let page = place.read("r.html");
    assert!(page.contains("Kaplan-Meier estimate of time"), "the curve of all rows");
    assert!(page.contains("groups of rows by both values"), "the curves of the best pair");
    place.line(&format!("select d.csv {TARGET} --genotype all --top 2 --output s.csv")).done();
    let header = place.read("s.csv").lines().next().unwrap().to_string();
    assert!(header.ends_with(",time,event") && header.split(',').count() == 4, "{header}");
    let times = format!("{rank} --method survival-relief --target-difference times");
    assert_ne!(place.line(&times).done(), place.line(&rank).done());
}

#[test]
fn evaluations_report_the_concordance() {
    let place = place();
    let evaluate =
        format!("evaluate d.csv {TARGET} --genotype all --folds 4 --methods euclidean,multisurf");
    let text = place.line(&evaluate).done();
    assert!(text.contains("C (Uno)") && text.contains("Harrell's concordance"), "{text}");
    let line = format!("{evaluate} --format json --report e.html --figure-format svg --output e");
    let found: Value = serde_json::from_str(&place.line(&line).done()).unwrap();
    assert_eq!(found["measure"], "one minus Harrell's concordance");
    let best = &found["methods"][0];
    assert_eq!(best["method"], "multisurf");
    let (harrell, uno) =
        (best["concordance"]["harrell"].as_f64(), best["concordance"]["uno"].as_f64());
    assert_eq!(harrell, Some(1.0 - best["loss"].as_f64().unwrap()));
    assert!(harrell > Some(0.55) && uno > Some(0.5) && uno < Some(1.0), "{best}");
    let page = place.read("e.html");
    assert!(page.contains("has the largest concordance"), "the page");
    let refused = place.line(&evaluate.replace("--folds 4", "--folds loo")).refused();
    assert!(refused.contains("leave-one-out tests one row at a time"), "{refused}");
    assert!(refused.contains("use --folds 10"), "{refused}");
}

#[test]
fn residuals_adjust_times_for_covariates() {
    let place = Place::new();
    // The hazard depends on the dose alone, and the feature follows the dose.
    let mut text = String::from("t,e,dose,marker,noise\n");
    for row in 0..200_u32 {
        let (dose, error) = (f64::from(row * 37 % 41) / 41.0, f64::from(row * row % 29) / 29.0);
        let time = -(f64::from(row * 53 % 101) + 0.5).ln() + 101_f64.ln();
        let time = time * (-3.0 * dose).exp();
        text += &format!(
            "{time},{},{dose},{},{error}\n",
            u8::from(row % 5 > 0),
            dose + 0.3 * f64::from(row * 11 % 13) / 13.0
        );
    }
    place.file("d.csv", text);
    let weights = |options: &str| {
        let line = format!("rank d.csv --time t --event e --format json {options}");
        let found: Value = serde_json::from_str(&place.line(&line).done()).unwrap();
        let features = found["features"].as_array().unwrap().clone();
        let of = |name: &str| {
            let own = features.iter().find(|feature| feature["name"] == name).unwrap();
            own["weight"].as_f64().unwrap()
        };
        (of("marker"), found["data"]["covariates"]["residuals"].clone())
    };
    let (plain, _) = weights("--drop dose");
    let (adjusted, residuals) = weights("--covar-name dose --residuals");
    assert_eq!(residuals, "quantile given proportional hazards");
    assert!(plain > 0.01 && adjusted < plain / 4.0, "{plain} {adjusted}");
    let refused = place
        .line("rank d.csv --time t --event e --covar-name dose --residuals --target-difference times --method survival-relief")
        .refused();
    assert!(refused.contains("times are not adjusted for covariates"), "{refused}");
    assert!(refused.contains("use --target-difference quantiles"), "{refused}");
}

#[test]
fn a_selected_cohort_keeps_times_and_events() {
    let place = Place::new();
    place
        .line("synth cohort --rows 120 --variants 40 --block 5 --main 2 --seed 2 --output c.bed")
        .done();
    let people: Vec<String> = place
        .read("c.fam")
        .lines()
        .map(|line| line.split_whitespace().take(2).collect::<Vec<_>>().join(" "))
        .collect();
    let mut text = String::from("FID IID time event\n");
    for (row, person) in people.iter().enumerate() {
        text += &format!("{person} {} {}\n", 1 + row * 37 % 101, u8::from(row % 3 > 0));
    }
    place.file("p.txt", text);
    place
        .line("select c.bed --pheno p.txt --time time --event event --top 2 --output s.csv")
        .done();
    let header = place.read("s.csv").lines().next().unwrap().to_string();
    assert!(header.ends_with("time,event") && header.split(',').count() == 4, "{header}");
    place.line("rank s.csv --time time --event event --format csv").done();
}

#[test]
fn parts_have_the_weights_of_one_machine() {
    let place = place();
    let fit = format!("{TARGET} --genotype all --method survival-relief --neighbors 20");
    place.line(&format!("plan d.csv {fit} --parts 3 --output job")).done();
    for stage in ["search", "lists", "sums"] {
        place.line(&format!("run job --stage {stage}")).done();
    }
    let merged = place.line("merge job --format csv").done();
    assert_eq!(merged, place.line(&format!("rank d.csv {fit} --format csv")).done());
}

#[test]
fn words_name_events_and_unknown_ones_are_excluded() {
    let place = Place::new();
    let rows = |events: [&str; 6]| -> String {
        let row = |(at, event): (usize, &str)| format!("{}.5,{event},{}\n", at + 1, at * 7 % 5);
        events.into_iter().enumerate().map(row).collect()
    };
    let rank = "rank d.csv --time t --event e --neighbors 3 --method survival-relief --format csv";
    let mut found = Vec::new();
    for events in [
        ["1", "0", "1", "1", "0", "1"],
        ["true", "false", "true", "true", "false", "true"],
        ["dead", "alive", "dead", "dead", "alive", "dead"],
        ["2", "1", "2", "2", "1", "2"],
    ] {
        place.file("d.csv", format!("t,e,a\n{}", rows(events)));
        let run = place.line(rank);
        assert_eq!(run.err.contains("2 is read as an event"), events[0] == "2", "{}", run.err);
        found.push(run.done());
    }
    assert!(found.iter().all(|own| *own == found[0]));
    place.file("d.csv", format!("t,e,a\n{}", rows(["1", "", "1", "1", "0", "1"])));
    let run = place.line(rank);
    assert!(run.err.contains("1 of 6 rows have no value in `e` and were excluded"), "{}", run.err);
    run.done();
}

#[test]
fn targets_that_are_not_survival_times_are_refused() {
    let place = Place::new();
    let table = |rows: &str| place.file("d.csv", format!("t,e,a\n{rows}"));
    let refused = |arguments: &str, expected: &str| {
        let message = place.line(&format!("rank d.csv {arguments}")).refused();
        assert!(message.contains(expected), "{arguments}: {message}");
    };
    let named = "--time t --event e";
    table("1,0,2\n2,0,3\n3,0,1\n");
    refused(named, "no row has an event: all times are censored");
    table("-1,1,2\n2,0,3\n3,1,1\n");
    refused(named, "row 1, column `t`: a survival time must be a finite number of at least 0");
    table("1,0,2\n2,1,3\n3,2,1\n");
    refused(named, "row 3, column `e`: the column of events has another value");
    table("2,1,2\n2,0,3\n2,1,1\n");
    refused(named, "the survival times of all rows are the same");
    table("1,1,2\n2,0,3\n3,1,1\n");
    refused("--time t --event t", "`t` is the target");
    refused("--time t --event x", "`x`");
    refused(&format!("{named} --method relieff"), "has survival times, but relieff needs classes");
    refused(
        &format!("{named} --method survival-relief --intervals"),
        "use relieff, rrelieff, surf",
    );
    refused("--target e --method survival-relief", "name the columns of times and events");
    refused(
        &format!("{named} --method multisurf --compat skrebate"),
        "no rule for a target that has survival times",
    );
}
