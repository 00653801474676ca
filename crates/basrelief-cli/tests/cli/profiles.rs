//! `--neighbors 5,10,20`: the largest weights for several numbers of neighbors.

use serde_json::Value;

use crate::Place;

#[test]
fn a_list_of_neighbors_is_ranked_tested_and_shown() {
    let place = Place::new();
    place.line("synth xor --rows 300 --features 12 --seed 3 --output d.csv").done();
    let rank = "rank d.csv --target class --genotype all --neighbors 5,40,10 --seed 1";
    let text = place.line(&format!("{rank} --format json")).done();
    let found: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(found["options"]["n_neighbors"], serde_json::json!([5, 10, 40]));
    let best = &found["features"][0];
    let weights = best["weights_by_neighbors"].as_array().unwrap();
    assert_eq!(weights.len(), 3);
    let largest =
        weights.iter().map(|one| one["weight"].as_f64().unwrap()).fold(f64::MIN, f64::max);
    assert_eq!(best["weight"].as_f64(), Some(largest));
    let alone =
        place.line("rank d.csv --target class --genotype all --neighbors 10 --format json").done();
    let alone: Value = serde_json::from_str(&alone).unwrap();
    let of = |all: &Value, name: &Value| {
        let mut features = all["features"].as_array().unwrap().iter();
        features.find(|feature| feature["name"] == *name).unwrap().clone()
    };
    let alone = of(&alone, &best["name"])["weight"].as_f64().unwrap();
    assert!((alone - weights[1]["weight"].as_f64().unwrap()).abs() < 1e-14);
    let run = format!("{rank} --permutations 49 --report r.html");
    let shown = place.line(&run).done();
    assert!(shown.contains("the largest for 5, 10, 40 neighbors"), "{shown}");
    let page = place.read("r.html");
    assert!(page.contains("Weights of the best features by the number of neighbors"));
    assert!(page.contains("the p-values take this into account"));
    let csv = place.line(&format!("{rank} --format csv --top 1")).done();
    assert!(
        csv.starts_with("rank,feature,weight,kind,neighbors,weight_5,weight_10,weight_40\n"),
        "{csv}"
    );
    let wrapped = format!("{rank} --wrap turf");
    assert!(!place.line(&wrapped).done().contains("the largest for"));
}

#[test]
fn lists_that_do_not_fit_are_refused() {
    let place = Place::new();
    place.line("synth xor --rows 200 --features 5 --seed 3 --output d.csv").done();
    for (given, words) in [
        ("--neighbors 5,5", "5 is listed twice"),
        ("--neighbors 0,5", "0 is less than 1"),
        ("--neighbors 5,x", "`x` is not a whole number"),
        ("--neighbors 5,10 --intervals", "state one number of neighbors"),
        ("--neighbors 5,10 --blocks prefix:1", "state one number of neighbors"),
        ("--neighbors 5,10 --method drelieff", "`5,10` is not a whole number"),
    ] {
        let refused = place.line(&format!("rank d.csv --target class {given}")).refused();
        assert!(refused.contains(words), "{given}: {refused}");
    }
    let plan = "plan d.csv --target class --neighbors 5,10 --parts 2 --output job";
    let refused = place.line(plan).refused();
    assert!(refused.contains("state one number of neighbors"), "{refused}");
}
