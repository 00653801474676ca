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
    refused(&format!("{named} --method multisurf --compat skrebate"), "no rule for survival times");
}
