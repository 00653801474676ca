//! Blocks of features: `--blocks` and `--block-scale`.

use serde_json::Value;

use crate::Place;

/// A class of three colors, their indicators, two numbers and noise.
fn place() -> Place {
    let mut state = 3_u64;
    let mut number = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1_u32 << 24)
    };
    let mut split = String::from("color_red,color_blue,color_green,age,n_1,n_2,class\n");
    let mut whole = String::from("age,n_1,n_2,color,class\n");
    for _ in 0..120 {
        let color = (number() * 3.0) as usize;
        let (age, first, second) = (number(), number(), number());
        let class = if number() < 0.1 { color % 2 } else { usize::from(color == 0) };
        let is = |own: usize| usize::from(color == own);
        split += &format!("{},{},{},{age},{first},{second},{class}\n", is(0), is(1), is(2));
        whole += &format!("{age},{first},{second},{},{class}\n", ["red", "blue", "green"][color]);
    }
    let place = Place::new();
    place.file("split.csv", split);
    place.file("whole.csv", whole);
    let columns = ["red", "blue", "green"].map(|color| format!("color,color_{color}\n"));
    place.file("blocks.csv", format!("block,column\n{}", columns.concat()));
    place
}

fn json(place: &Place, line: &str) -> Value {
    let text = place.line(&format!("{line} --format json --quiet")).done();
    serde_json::from_str(&text).unwrap()
}

fn weight(found: &Value, list: &str, name: &str) -> f64 {
    let all = found[list].as_array().unwrap();
    all.iter().find(|own| own["name"] == name).unwrap()["weight"].as_f64().unwrap()
}

#[test]
fn indicators_equal_the_categorical_column() {
    let place = place();
    for method in ["relieff", "multisurf"] {
        let of =
            |rest: &str| json(&place, &format!("rank {rest} --target class --method {method}"));
        let whole = of("whole.csv");
        for blocks in ["blocks.csv", "prefix:_ --drop n_1,n_2"] {
            let split = of(&format!("split.csv --blocks {blocks} --block-scale max"));
            if blocks == "blocks.csv" {
                for name in ["age", "n_1", "n_2"] {
                    let (a, b) =
                        (weight(&split, "features", name), weight(&whole, "features", name));
                    assert!((a - b).abs() < 1e-12, "{method} {name}: {a} {b}");
                }
                let (a, b) =
                    (weight(&split, "blocks", "color"), weight(&whole, "features", "color"));
                assert!((a - b).abs() < 1e-12, "{method}: {a} {b}");
            }
            assert_eq!(split["data"]["blocks"]["count"], 1);
            assert_eq!(split["data"]["blocks"]["features"], 3);
            assert_eq!(split["data"]["blocks"]["scale"], "max");
            assert_eq!(split["blocks"][0]["factor"], 0.5);
        }
        assert!(whole["blocks"].is_null());
    }
}

#[test]
fn blocks_are_in_tables_and_on_pages() {
    let place = place();
    let rank = "rank split.csv --target class --blocks prefix:_ --permutations 99 --seed 1";
    let text = place.line(rank).done();
    assert!(
        text.contains("blocks 2 (5 of 6 features), each divided by its number of features"),
        "{text}"
    );
    let lines: Vec<&str> = text.lines().collect();
    let head = lines.iter().position(|line| line.starts_with("block ")).unwrap();
    let words: Vec<&str> = lines[head].split_whitespace().collect();
    assert_eq!(words, ["block", "features", "weight", "p", "adjusted", "(max-T)"]);
    let first: Vec<&str> = lines[head + 1].split_whitespace().collect();
    assert_eq!(
        (first[0], first[1], first[3], first[4]),
        ("color", "3", "0.0100", "0.0100"),
        "{text}"
    );
    let second: Vec<&str> = lines[head + 2].split_whitespace().collect();
    assert_eq!((second[0], second[1]), ("n", "2"), "{text}");
    place.line(&format!("{rank} --format json --output r.json --report r.html")).done();
    let found: Value = serde_json::from_str(&place.read("r.json")).unwrap();
    let color = &found["blocks"][0];
    assert_eq!(color["features"], serde_json::json!(["color_red", "color_blue", "color_green"]));
    assert_eq!(
        (color["p_value"].as_f64(), color["adjusted_p_value"].as_f64()),
        (Some(0.01), Some(0.01))
    );
    let sum: f64 = ["color_red", "color_blue", "color_green"]
        .map(|name| weight(&found, "features", name))
        .iter()
        .sum();
    assert!((sum / 3.0 - color["weight"].as_f64().unwrap()).abs() < 1e-15);
    let page = place.read("r.html");
    assert!(
        page.contains("Blocks of features") && page.contains("number of features"),
        "the section"
    );
    // Without a test there are no p-values.
    let text =
        place.line("rank split.csv --target class --blocks prefix:_ --block-scale variance").done();
    let is_head = |line: &str| line.split_whitespace().eq(["block", "features", "weight"]);
    assert!(text.lines().any(is_head), "{text}");
    let explained = place.line("rank split.csv --target class --blocks blocks.csv --explain");
    assert!(explained.err.contains("blocks of features"), "{}", explained.err);
}

#[test]
fn selections_and_their_stability_have_blocks() {
    let place = place();
    let blocks = "--target class --blocks blocks.csv --block-scale max";
    place.line(&format!("select split.csv {blocks} --top 2 --output s.csv")).done();
    assert!(place.read("s.csv").starts_with("color_red,"), "{}", place.read("s.csv"));
    let with = json(&place, &format!("stability split.csv {blocks} --top 2 --resamples 5"));
    let without = json(&place, "stability split.csv --target class --top 2 --resamples 5");
    assert_ne!(with["features"], without["features"]);
    assert_eq!(with["data"]["blocks"]["count"], 1);
}

#[test]
fn wrong_blocks_are_refused() {
    let place = place();
    place.file("empty.csv", "block,column\na,\nb,age\n");
    place.file("twice.csv", "block,column\na,age\nb,n_1\nb,age\n");
    place.file("unknown.csv", "block,column\na,agee\n");
    place.file("target.csv", "block,column\na,class\n");
    place.file("others.csv", "set,column\na,age\n");
    place.file("one.csv", "block\na\n");
    place.file("gap.csv", "block,column\na,age\n,n_1\n");
    place.file("cut.csv", "block,column\na,age\na,\n");
    place.file("none.csv", "block,column\n");
    for (rest, words) in [
        ("--blocks empty.csv", "block `a` is empty"),
        ("--blocks twice.csv", "column `age` is in two blocks, `a` and `b`"),
        (
            "--blocks unknown.csv",
            "column `agee` of block `a` is not a feature of the table; did you mean `age`?",
        ),
        ("--blocks target.csv", "column `class` of block `a` is not a feature of the table"),
        ("--blocks blocks.csv --drop color_red", "column `color_red` of block `color`"),
        (
            "--blocks others.csv",
            "the file of blocks has no column `block` (its columns: set, column)",
        ),
        ("--blocks one.csv", "the file of blocks has no column `column`"),
        ("--blocks gap.csv", "row 2, column `block`: the block is missing"),
        ("--blocks cut.csv", "row 2, column `column`: the column is missing"),
        ("--blocks none.csv", "none.csv"),
        ("--blocks nowhere.csv", "nowhere.csv"),
        ("--blocks prefix:", "the separator after the prefix is empty"),
        ("--blocks prefix:=", "no column has a prefix that ends before `=`"),
        ("--block-scale max", "there are no blocks of features; specify the blocks with --blocks"),
        (
            "--blocks blocks.csv --method irelief",
            "irelief does not use blocks of features; use relieff",
        ),
        ("--blocks blocks.csv --method multisurf*", "use multisurf"),
        ("--blocks blocks.csv --metric euclidean", "are not sums of differences"),
        ("--blocks blocks.csv --wrap turf", "`turf` computes weights from some of the features"),
        ("--blocks blocks.csv --intervals", "intervals of weights with blocks"),
        ("--blocks blocks.csv --permutations adaptive", "an adaptive test stops"),
        ("--blocks blocks.csv --permutations 99 --resume f", "is not stored"),
    ] {
        let message = place.line(&format!("rank split.csv --target class {rest}")).refused();
        assert!(message.contains(words), "{rest}: {message}");
    }
    // Verbs that compute no ranking of all features on one machine do not have the option.
    for verb in [
        "sets split.csv --sets blocks.csv",
        "evaluate split.csv",
        "pairs split.csv",
        "plan split.csv",
    ] {
        let message = place.line(&format!("{verb} --target class --blocks blocks.csv")).refused();
        assert!(message.contains("--blocks"), "{verb}: {message}");
    }
}
