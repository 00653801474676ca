//! Selections without redundant features: `--redundancy`.

use serde_json::Value;

use crate::Place;

/// Three informative features, a noisy copy of the first, an exact copy of the second, and noise.
fn place() -> Place {
    let mut state = 7_u64;
    let mut number = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1_u32 << 24)
    };
    let mut text = String::from("a,a2,b,b2,c,n1,n2,n3,class\n");
    for row in 0..120 {
        let class = f64::from(row % 2);
        let [a, b, c] = [1.6, 1.2, 0.9].map(|shift| shift * class + 2.0 * number());
        let noise = [number(), number(), number()];
        let near = a + 0.02 * number();
        text += &format!("{a},{near},{b},{b},{c},{},{},{},{class}\n", noise[0], noise[1], noise[2]);
    }
    let place = Place::new();
    place.file("d.csv", text);
    place
}

#[test]
fn copies_are_represented_and_not_selected() {
    let place = place();
    let select = "select d.csv --target class --neighbors 20 --top 3 --output s.csv --force";
    let header = |place: &Place| place.read("s.csv").lines().next().unwrap().to_string();
    place.line(select).done();
    assert!(header(&place).contains("a,a2"), "{}", header(&place));
    for rule in ["correlation:0.95", "relief"] {
        let run = place.line(&format!("{select} --redundancy {rule}"));
        assert!(run.err.contains("b represents b2 (1.00)"), "{}", run.err);
        assert!(
            run.err.contains("a represents a2 (") || run.err.contains("a2 represents a ("),
            "{}",
            run.err
        );
        run.done();
        let header = header(&place);
        let names: Vec<&str> = header.split(',').collect();
        assert!(names.len() == 4 && names.contains(&"b") && names.contains(&"c"), "{names:?}");
    }
    // All features above a weight, without those that are correlated with a better one.
    let above =
        "select d.csv --target class --neighbors 20 --above 0 --redundancy correlation:0.95";
    let kept = place.line(above).done();
    let kept: Vec<&str> = kept.lines().next().unwrap().split(',').collect();
    assert!(!kept.contains(&"b2"), "{kept:?}");
    assert!(!kept.contains(&"a") || !kept.contains(&"a2"), "{kept:?}");
}

#[test]
fn rankings_pages_and_json_show_what_is_represented() {
    let place = place();
    let rank = "rank d.csv --target class --neighbors 20 --top 3 --redundancy relief";
    let text = place.line(rank).done();
    assert!(text.contains("selected (relief): "), "{text}");
    assert!(text.contains("b represents b2 (1.00)"), "{text}");
    place.line(&format!("{rank} --format json --output r.json --report r.html")).done();
    let found: Value = serde_json::from_str(&place.read("r.json")).unwrap();
    let selection = &found["selection"];
    assert_eq!(selection["redundancy"], "relief");
    let features = selection["features"].as_array().unwrap();
    assert_eq!(features.len(), 3);
    let of_b = features.iter().find(|feature| feature["name"] == "b").unwrap();
    assert_eq!(of_b["represents"][0]["name"], "b2");
    let page = place.read("r.html");
    assert!(page.contains("Selected features") && page.contains("Represents"), "the section");
    // Without the option, nothing is selected.
    let plain = place.line("rank d.csv --target class --format json").done();
    let plain: Value = serde_json::from_str(&plain).unwrap();
    assert!(plain["selection"].is_null());
}

#[test]
fn resamples_and_evaluations_select_without_copies() {
    let place = place();
    let stability =
        "stability d.csv --target class --neighbors 20 --top 3 --resamples 20 --format json";
    let frequency = |line: &str, name: &str| {
        let found: Value = serde_json::from_str(&place.line(line).done()).unwrap();
        let features = found["features"].as_array().unwrap().clone();
        let own = features.iter().find(|feature| feature["name"] == name).unwrap();
        own["frequency"].as_f64().unwrap()
    };
    let all = |line: &str, names: [&str; 2]| -> f64 {
        names.iter().map(|name| frequency(line, name)).sum()
    };
    let (of_a, of_b) = (["a", "a2"], ["b", "b2"]);
    assert!(all(stability, of_a) + all(stability, of_b) > 2.2);
    for rule in ["correlation:0.95", "relief"] {
        let line = format!("{stability} --redundancy {rule}");
        assert!(all(&line, of_a) <= 1.0 && all(&line, of_b) <= 1.0, "{rule}");
        assert!(frequency(&line, "c") > 0.5, "{rule}");
    }
    let evaluate = "evaluate d.csv --target class --methods relieff:neighbors=20 --folds 3 --dimensions 3 --format json";
    let features = |line: &str| {
        let found: Value = serde_json::from_str(&place.line(line).done()).unwrap();
        found["methods"][0]["splits"].as_array().unwrap().clone()
    };
    let has = |split: &Value, name: &str| {
        split["features"].as_array().unwrap().iter().any(|feature| feature == name)
    };
    let line = format!("{evaluate} --redundancy correlation:0.95");
    for split in features(&line) {
        assert!(!(has(&split, "b") && has(&split, "b2")), "{split}");
    }
    assert!(features(evaluate).iter().any(|split| has(split, "a") && has(split, "a2")));
}

#[test]
fn rules_that_cannot_be_applied_are_refused() {
    let place = place();
    let refused = |arguments: &str, expected: &str| {
        let message = place.line(&format!("{arguments} d.csv --target class")).refused();
        assert!(message.contains(expected), "{arguments}: {message}");
    };
    refused(
        "select --top 3 --redundancy correlation:1.5",
        "`1.5` is not a correlation from 0 to 1",
    );
    refused("select --top 3 --redundancy mrmr", "use `none`, `correlation:0.95` or `relief`");
    refused("select --above 0 --redundancy relief", "give the number with --top 20");
    refused("rank --redundancy correlation", "`correlation` is not one of its values");
}

#[test]
fn absolute_rankings_find_large_negative_weights() {
    let place = Place::new();
    // Near rows of the same class differ in the pair: 2 x 2 cells, each with rows of one class only.
    let mut text = String::from("a,b,c,d,class\n");
    for row in 0..160_u32 {
        let [a, b, c, d] = [row % 2, row / 2 % 2, row / 4 % 2, row / 8 % 2];
        text += &format!("{a},{b},{c},{d},{}\n", (a + b) % 2);
    }
    place.file("d.csv", text);
    let ranked = |options: &str| -> Vec<(String, f64, u64)> {
        let line = format!("rank d.csv --target class --method surf* --format json {options}");
        let found: Value = serde_json::from_str(&place.line(&line).done()).unwrap();
        let of = |feature: &Value| {
            let name = feature["name"].as_str().unwrap().to_string();
            (name, feature["weight"].as_f64().unwrap(), feature["rank"].as_u64().unwrap())
        };
        found["features"].as_array().unwrap().iter().map(of).collect()
    };
    let (plain, absolute) = (ranked(""), ranked("--rank absolute"));
    let mut expected = plain.clone();
    expected.sort_by(|one, other| other.1.abs().total_cmp(&one.1.abs()));
    for (found, expected) in absolute.iter().zip(&expected) {
        assert_eq!(found.1.abs(), expected.1.abs());
    }
    assert!(absolute.is_sorted_by_key(|feature| feature.2));
    let text = place.line("rank d.csv --target class --rank absolute --permutations 99").done();
    assert!(text.contains("ranked by absolute weight") && text.contains("two-sided"), "{text}");
    for (arguments, expected) in [
        ("--permutations 99 --sided one", "requires two-sided p-values; use --sided two"),
        ("--wrap turf", "`turf` compares signed weights"),
    ] {
        let line = format!("rank d.csv --target class --rank absolute {arguments}");
        let refused = place.line(&line).refused();
        assert!(refused.contains(expected), "{refused}");
    }
}
