//! `--intervals`: 95 % intervals of the weights in all formats and on the page, and what is refused.

use serde_json::Value;

use crate::{Place, small_table};

const LINE: &str = "rank data.csv --target class --neighbors 5 --intervals";

fn place() -> Place {
    let place = Place::new();
    place.line("synth xor --rows 160 --features 7 --seed 3 --output data.csv").done();
    place
}

#[test]
fn intervals_are_in_every_format() {
    let place = place();
    let found: Value = serde_json::from_str(
        &place.line(&format!("{LINE} --format json --report p.html --report-json p.json")).done(),
    )
    .unwrap();
    let rows = found["data"]["rows"].as_u64().unwrap();
    assert_eq!(found["intervals"]["level"], 0.95);
    assert_eq!(
        (&found["intervals"]["count"], &found["intervals"]["of"]),
        (&rows.into(), &"rows".into())
    );
    let plain: Value = serde_json::from_str(
        &place.line(&format!("{} --format json", LINE.replace(" --intervals", ""))).done(),
    )
    .unwrap();
    assert_eq!(plain.get("intervals"), None);
    let (all, without) =
        (found["features"].as_array().unwrap(), plain["features"].as_array().unwrap());
    for (feature, plain) in all.iter().zip(without) {
        assert_eq!(feature["weight"], plain["weight"]);
        let names: Vec<&String> = feature.as_object().unwrap().keys().collect();
        assert_eq!(names, ["name", "kind", "weight", "rank", "standard_error", "weight_interval"]);
        let number = |value: &Value| value.as_f64().unwrap();
        let (lower, upper) =
            (number(&feature["weight_interval"][0]), number(&feature["weight_interval"][1]));
        let weight = number(&feature["weight"]);
        assert!(lower < weight && weight < upper, "{feature}");
        assert!(((upper + lower) / 2.0 - weight).abs() < 1e-12, "{feature}");
        assert!(upper - lower > 3.9 * number(&feature["standard_error"]), "{feature}");
    }

    let csv = place.line(&format!("{LINE} --format csv")).done();
    assert!(csv.starts_with("rank,feature,weight,kind,standard_error,lower_limit,upper_limit\n"));
    for (row, feature) in csv.lines().skip(1).zip(all) {
        let interval = &feature["weight_interval"];
        let end = format!(",{},{},{}", feature["standard_error"], interval[0], interval[1]);
        assert!(row.ends_with(&end), "{row} {end}");
    }

    let table = place.line(LINE).done();
    assert!(table.contains("95 % interval") && table.contains(" to +"), "{table}");
    assert!(
        table.ends_with(&format!(
            "\n\n95 % interval: of the mean weight over samples of {rows} rows (infinitesimal\n  jackknife)\n"
        )),
        "{table}"
    );
    let tested = place.line(&format!("{LINE} --permutations 99 --resamples 10")).done();
    assert!(tested.lines().all(|line| line.chars().count() <= 80), "{tested}");
    assert!(tested.contains("null threshold") && tested.contains("95 % of ranks"), "{tested}");

    let page = place.read("p.html");
    assert_eq!(page.matches("class=\"limits\"").count(), 3 * all.len());
    assert!(page.contains("The expected weight also depends on the number of rows"));
    let behind: Value = serde_json::from_str(&place.read("p.json")).unwrap();
    assert_eq!(behind["features"][0]["weight_interval"], all[0]["weight_interval"]);
}

#[test]
fn groups_are_the_units() {
    let place = Place::new();
    let row = |row: usize| {
        let value = (row * 7 % 13) as f64 + if row % 4 < 2 { 4.0 } else { 0.0 };
        format!("s{},{value},{},{}\n", row / 2, row * 11 % 17, if row % 4 < 2 { "a" } else { "b" })
    };
    let rows: String = (0..240).map(row).collect();
    place.file("visits.csv", format!("subject,x,noise,class\n{rows}"));
    let table = place
        .line("rank visits.csv --target class --group subject --intervals --neighbors 5")
        .done();
    assert!(table.contains("the mean weight over samples of 120 groups"), "{table}");
}

#[test]
fn intervals_that_may_not_cover_are_refused() {
    let place = place();
    for (line, part) in [
        (
            "--method multisurf*",
            "intervals of the weights of multisurf* are not known to cover the expected weights; use relieff, rrelieff, surf or multisurf",
        ),
        (
            "--method multisurf --target-type real",
            "intervals of the weights of multisurf are known for classes only; use rrelieff for a numeric target",
        ),
        ("--wrap turf", "inside turf, a weight depends on which features are eliminated"),
        ("--neighbors 3", "3 neighbors are too few for intervals of the weights"),
        ("--samples 20", "use all rows, or remove --intervals"),
        ("--priors uniform", "depend on weights of rows or on priors are not known to cover"),
        ("--row-weight N1", "depend on weights of rows or on priors"),
    ] {
        let outcome = place.line(&format!("rank data.csv --target class --intervals {line}"));
        assert_eq!(outcome.code, Some(2), "{}", outcome.err);
        assert!(outcome.err.contains(part), "{}", outcome.err);
    }
    place.file("small.csv", small_table());
    let outcome = place.line("rank small.csv --target class --intervals");
    assert!(outcome.err.contains("too few for intervals of the weights"), "{}", outcome.err);
    assert!(outcome.err.contains("provide at least 150"), "{}", outcome.err);
}
