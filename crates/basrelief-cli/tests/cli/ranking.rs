//! The outputs of `rank`.

use serde_json::Value;

use crate::{Place, small_table};

fn place() -> Place {
    let place = Place::new();
    place.file("data.csv", small_table());
    place
}

#[test]
fn the_table_says_what_was_read_and_ranks_with_bars() {
    let outcome = place().line("rank data.csv --target class --neighbors 5");
    assert_eq!(outcome.code, Some(0), "{}", outcome.err);
    let lines: Vec<&str> = outcome.out.lines().collect();
    assert_eq!(lines[0], "data.csv: 40 rows, 3 features (2 numeric, 1 categorical)");
    assert_eq!(lines[1], "target class: 2 classes (no: 20, yes: 20)");
    assert_eq!(lines[2], "method relieff (neighbors = 5, other options at their defaults)");
    assert_eq!(lines[3], "");
    assert_eq!(lines[4], "rank  feature  kind         weight");
    assert!(lines[5].starts_with("   1  x1       numeric      +0."), "{}", lines[5]);
    assert!(lines[5].contains("│███"), "{}", lines[5]);
    assert_eq!(lines.len(), 8);
    assert!(lines.iter().all(|line| line.chars().count() <= 80), "{}", outcome.out);
    assert!(!outcome.out.contains('\x1b'), "colors without a terminal");
    assert!(outcome.err.lines().last().unwrap().starts_with("ranked in "), "{}", outcome.err);
}

#[test]
fn a_missing_category_is_at_the_largest_difference() {
    let place = Place::new();
    place.file("gap.csv", "a,y\nx,u\nx,u\nz,v\n,v\n");
    let line = "rank gap.csv --target y --method relieff --neighbors 1 --missing pessimistic";
    let outcome = place.line(&format!("{line} --categorical a --format json")).done();
    let found: Value = serde_json::from_str(&outcome).unwrap();
    assert_eq!(found["features"][0]["weight"], 0.5, "{found}");
}

#[test]
fn the_search_is_told() {
    let place = place();
    let json = |line: &str| -> Value {
        serde_json::from_str(&place.line(&format!("{line} --format json")).done()).unwrap()
    };
    assert_eq!(json("rank data.csv --target class")["search"], "all pairs");
    assert_eq!(json("rank data.csv --target class --method surf").get("search"), None);
    let mut many = "x,class\n".to_string();
    for row in 0..1000 {
        many.push_str(&format!("{},{}\n", f64::from(row).sqrt(), ["a", "b"][row as usize / 7 % 2]));
    }
    place.file("many.csv", many);
    assert_eq!(json("rank many.csv --target class")["search"], "kd-tree");
    let outcome = place.line("rank many.csv --target class");
    assert!(outcome.err.trim_end().ends_with(" s (search: kd-tree)"), "{}", outcome.err);
}

#[test]
fn a_plan_is_explained() {
    let place = place();
    let outcome = place.line("rank data.csv --target class --explain --quiet");
    for line in ["search ", "sums ", "memory ", "not used k-d tree: "] {
        assert!(outcome.err.contains(line), "no `{line}` in {}", outcome.err);
    }
    assert!(!outcome.out.contains("k-d tree"), "{}", outcome.out);
    let json: Value =
        serde_json::from_str(&place.line("rank data.csv --target class --format json").done())
            .unwrap();
    let plan = json["plan"].as_object().unwrap();
    assert!(plan["search"].as_str().unwrap().contains("of all pairs"), "{json}");
    assert!(plan["sums"].is_string() && plan["bytes"].as_u64().unwrap() > 0, "{json}");
    assert!(!plan["not_used"].as_array().unwrap().is_empty(), "{json}");
    let outcome = place.line("rank data.csv --target class --explain --method mdm");
    assert!(outcome.err.contains("does not plan a neighbor search"), "{}", outcome.err);
}

#[test]
fn json_tells_how_far_an_optimum_is_proven() {
    let place = place();
    let line = "rank data.csv --target class --format json --method mdm";
    let json: Value = serde_json::from_str(&place.line(line).done()).unwrap();
    assert!(json["relative_gap"].as_f64().unwrap() <= 1e-9, "{json}");
    assert_eq!(json["converged"], true);
    assert!(json["objective"].as_f64().unwrap() >= 0.0);
}

#[test]
fn json_holds_all_that_is_needed_to_repeat_the_result() {
    let place = place();
    let line = "rank data.csv --target class --format json --neighbors 3 --seed 7 --threads 2";
    let text = place.line(line).done();
    let json: Value = serde_json::from_str(&text).unwrap();
    let keys: Vec<&String> = json.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "basrelief",
            "method",
            "options",
            "wrappers",
            "seed",
            "threads",
            "data",
            "features",
            "warnings",
            "seconds",
            "search",
            "plan"
        ]
    );
    assert_eq!(json["basrelief"], env!("CARGO_PKG_VERSION"));
    assert_eq!(json["method"], "relieff");
    assert_eq!(json["options"]["n_neighbors"], 3);
    assert_eq!(json["options"]["n_samples"], "all");
    assert_eq!(json["options"]["ties"], "share");
    assert_eq!((&json["seed"], &json["threads"]), (&7.into(), &2.into()));
    assert_eq!(json["data"]["file"], "data.csv");
    assert_eq!(json["data"]["rows"], 40);
    assert_eq!(json["data"]["features"], 3);
    assert_eq!(json["data"]["target_column"], "class");
    assert_eq!(json["data"]["classes"]["yes"], 20);
    let features = json["features"].as_array().unwrap();
    assert_eq!(features.len(), 3);
    assert_eq!(features[0]["name"], "x1");
    assert_eq!(features[0]["rank"], 1);
    assert_eq!(features[0]["kind"], "numeric");
    assert!(json["seconds"].as_f64().unwrap() >= 0.0);
}

#[test]
fn csv_and_json_hold_the_same_numbers_to_the_last_bit() {
    let place = place();
    let json = place.line("rank data.csv --target class --format json").done();
    let json: Value = serde_json::from_str(&json).unwrap();
    let csv = place.line("rank data.csv --target class --format csv").done();
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("rank,feature,weight,kind"));
    for (line, feature) in lines.zip(json["features"].as_array().unwrap()) {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(cells[1], feature["name"]);
        let weight: f64 = cells[2].parse().unwrap();
        assert_eq!(weight.to_bits(), feature["weight"].as_f64().unwrap().to_bits());
    }
}

#[test]
fn an_output_file_takes_the_format_of_its_ending_and_leaves_standard_output_empty() {
    let place = place();
    assert_eq!(place.line("rank data.csv --target class --output r.csv").done(), "");
    assert!(place.read("r.csv").starts_with("rank,feature,weight,kind\n1,x1,"));
    assert_eq!(place.line("rank data.csv --target class --output r.json").done(), "");
    assert!(serde_json::from_str::<Value>(&place.read("r.json")).is_ok());
    place.line("rank data.csv --target class --output r.json --format csv").done();
    assert!(place.read("r.json").starts_with("rank,"));
    place.line("rank data.csv --target class --output r.txt").done();
    assert!(place.read("r.txt").starts_with("data.csv: 40 rows"));
    assert_eq!(place.names(), ["data.csv", "r.csv", "r.json", "r.txt"]);
}

#[test]
fn quiet_says_nothing() {
    let outcome = place().line("rank data.csv --target class --neighbors 1000 --quiet");
    assert_eq!((outcome.code, outcome.err.as_str()), (Some(0), ""));
}

#[test]
fn top_cuts_the_output() {
    let place = place();
    let table = place.line("rank data.csv --target class --top 1").done();
    assert!(table.ends_with("… 2 more features not shown\n"), "{table}");
    assert_eq!(
        place.line("rank data.csv --target class --top 2 --format csv").done().lines().count(),
        3
    );
    place.line("synth majority --rows 100 --irrelevant 40 --output m.csv").done();
    let table = place.line("rank m.csv --target class").done();
    assert!(table.ends_with("… 25 more features not shown (--top 45 shows all)\n"), "{table}");
    assert_eq!(place.line("rank m.csv --target class --format csv").done().lines().count(), 46);
}

#[test]
fn memory_does_not_change_the_result() {
    let place = Place::new();
    place.line("synth xor --rows 400 --features 60 --seed 2 --output x.npy").done();
    for method in ["relieff", "multisurf"] {
        let rank = |memory: &str| {
            place.line(&format!("rank x.npy --target x61 --method {method} {memory}")).done()
        };
        let expected = rank("");
        for memory in ["--memory 1", "--memory 64K", "--memory 1.5G"] {
            assert_eq!(rank(memory), expected, "{method} {memory}");
        }
    }
    let message = place.line("rank x.npy --target x61 --memory 8X").refused();
    assert!(message.contains("`8X` is not an amount of memory"), "{message}");
    let outcome = place
        .command(&["rank", "x.npy", "--target", "x61", "--memory", "1"])
        .env("TMPDIR", place.path("nowhere"))
        .output()
        .unwrap();
    assert_eq!(outcome.status.code(), Some(2));
    let message = String::from_utf8(outcome.stderr).unwrap();
    assert!(message.contains("nowhere") && message.contains("TMPDIR"), "{message}");
}

#[test]
fn threads_do_not_change_the_result() {
    let place = Place::new();
    place.line("synth mixed --rows 700 --output m.csv").done();
    let outcomes = ["1", "4"].map(|threads| {
        let args = |format| {
            format!("rank m.csv --target outcome --samples 500 --seed 3 --threads {threads} --format {format}")
        };
        let mut json: Value = serde_json::from_str(&place.line(&args("json")).done()).unwrap();
        assert_eq!(json["threads"].to_string(), threads);
        json["seconds"] = Value::Null;
        json["threads"] = Value::Null;
        let texts = ["table", "csv"].map(|format| place.line(&args(format)).done());
        (json.to_string(), texts)
    });
    assert_eq!(outcomes[0], outcomes[1]);
}

#[test]
fn kinds_are_shown_and_can_be_stated() {
    let place = place();
    let table = place.line("rank data.csv --target class --categorical x2 --drop color").done();
    assert!(table.contains("2 features (1 numeric, 1 categorical)"), "{table}");
    let table = place.line("rank data.csv --target class --categorical all --numeric x1").done();
    assert!(table.contains("3 features (1 numeric, 2 categorical)"), "{table}");
}

#[test]
fn other_delimiters() {
    let place = Place::new();
    place.file("d.txt", small_table().replace(',', "|"));
    let table = place.run(&["rank", "d.txt", "--target", "class", "--delimiter", "|"]).done();
    assert!(table.contains("3 features"), "{table}");
    place.file("d.tsv", small_table().replace(',', "\t"));
    let table = place.line("rank d.tsv --target class --delimiter tab").done();
    assert!(table.contains("3 features"), "{table}");
}

#[test]
fn names_that_need_quotes_are_quoted() {
    let place = Place::new();
    place.file("data.csv", small_table().replacen("x1", "\"x, \"\"one\"\"\"", 1));
    let csv = place.line("rank data.csv --target class --format csv").done();
    assert!(csv.contains("\n1,\"x, \"\"one\"\"\","), "{csv}");
}

#[test]
fn wide_and_combining_characters_keep_the_columns_aligned() {
    let place = Place::new();
    place.file("data.csv", "日本語,e\u{301},class\n1,4,u\n2,3,v\n3,2,u\n4,1,v\n");
    let text = place.line("rank data.csv --target class --quiet").done();
    assert!(text.contains("  日本語   numeric  "), "{text}");
    assert!(text.contains("  e\u{301}        numeric  "), "{text}");
}

#[test]
fn a_regression_method_reads_whole_numbers_as_a_real_target() {
    let place = Place::new();
    let rows: String =
        (0..60).map(|row| format!("{},{},{}\n", row % 12, row * 7 % 13, row % 12)).collect();
    place.file("cars.csv", format!("a,b,mpg\n{rows}"));
    let text = place.line("rank cars.csv --target mpg --method rrelieff --format json").done();
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["data"]["target"]["least"], 0.0);
    assert_eq!(json["data"]["target"]["greatest"], 11.0);
    assert_eq!(json["features"][0]["name"], "a");
    let classes = place.line("rank cars.csv --target mpg --neighbors 3").done();
    assert!(classes.contains("12 classes (0: 5, 1: 5"), "{classes}");
    assert!(classes.contains("7: 5, 4 more)"), "{classes}");
    place.line("rank cars.csv --target mpg --method rrelieff --target-type classes").refused();
}

#[test]
fn the_method_follows_the_target_where_none_is_named() {
    let place = Place::new();
    let rows: String = (0..60).map(|row| format!("{}.5,{},{}\n", row, row * 7 % 13, row)).collect();
    place.file("cars.csv", format!("a,b,mpg\n{rows}"));
    let ran = place.line("rank cars.csv --target mpg --format json");
    assert!(ran.err.contains("numeric target: using rrelieff"), "{}", ran.err);
    let json: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(json["method"], "rrelieff");
    assert_eq!(json["options"]["neighbor_weights"], "rank");
    let rows: String = (0..120).map(|row| format!("{},{}\n", row * 7 % 13, row % 40)).collect();
    place.file("faces.csv", format!("a,face\n{rows}"));
    let ran = place.line("rank faces.csv --target face");
    let told = "the target has 40 different whole numbers and is read as a number; if it is \
                classes, use --target-type classes";
    assert!(ran.err.contains(told), "{}", ran.err);
    let ran = place.line("rank faces.csv --target face --target-type classes");
    assert!(!ran.err.contains("different whole numbers"), "{}", ran.err);
    assert!(ran.out.contains("40 classes"), "{}", ran.out);
}

#[test]
fn wrappers_are_said_in_the_table_and_in_json() {
    let place = Place::new();
    place.line("synth xor --rows 300 --features 80 --seed 3 --output d.csv").done();
    let wrap = "--wrap turf:keep=10 --wrap vls:size=40,rounds=3";
    let table = place.line(&format!("rank d.csv --target class {wrap} --top 2")).done();
    assert!(
        table.replace("\n  ", " ").contains(
            "method vls:size=40,rounds=3,take=best of turf:drop=0.1,keep=10 of relieff (default"
        ),
        "{table}"
    );
    let json = place.line(&format!("rank d.csv --target class {wrap} --format json")).done();
    let all: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(all["wrappers"][0]["name"], "turf");
    assert_eq!(all["wrappers"][1]["options"]["rounds"], 3);
    let message = place.line("rank d.csv --target class --wrap truf").refused();
    assert!(message.contains("did you mean `turf`?"), "{message}");
    assert!(place.line("methods").done().contains("turf:drop=0.1,keep=50"));
}

/// Column c has the weight 2.8e-17, sums that cancel but for rounding: it is shown as 0 and is not above 0; files have it
/// unchanged.
#[test]
fn weights_that_are_rounding_errors_are_shown_as_zero() {
    let place = Place::new();
    place.file(
        "t.csv",
        "a,b,c,d,e,f,y\n\
     0.9,0.0,0.6,0.7,0.9,0.0,0\n\
     0.3,0.7,0.7,0.4,1.0,0.2,1\n\
     0.0,0.8,0.7,0.5,0.1,0.3,0\n\
     0.5,0.0,0.6,0.2,0.9,0.5,1\n\
     0.6,0.6,0.4,1.0,0.4,0.7,0\n\
     0.2,1.0,0.4,1.0,0.5,0.2,1\n\
     0.7,0.3,0.7,0.9,0.6,0.0,0\n\
     0.9,0.0,0.3,0.2,0.3,0.4,1\n\
     0.8,0.5,0.3,0.5,1.0,0.8,0\n\
     0.7,0.6,0.7,0.1,1.0,0.9,1\n\
     0.5,0.8,0.2,0.3,0.6,0.3,0\n\
     0.0,0.0,0.7,0.4,0.9,1.0,1\n\
     0.1,0.8,0.1,0.2,0.6,0.9,0\n\
     0.5,0.9,0.2,0.1,0.1,0.7,1\n\
     0.2,0.3,0.5,0.6,0.6,0.7,0\n\
     0.3,1.0,0.4,0.2,0.9,0.8,1\n",
    );
    let line = "rank t.csv --target y --method relief --quiet";
    let table = place.line(line).done();
    let row = table.lines().find(|row| row.split_whitespace().nth(1) == Some("c")).unwrap();
    assert_eq!(row.split_whitespace().nth(3), Some("0"), "{table}");
    let csv = place.line(&format!("{line} --format csv")).done();
    let row = csv.lines().find(|row| row.split(',').nth(1) == Some("c")).unwrap();
    let weight: f64 = row.split(',').nth(2).unwrap().parse().unwrap();
    assert!(weight > 0.0 && weight < 1e-16, "{csv}");
    place.line(&format!("{line} --report page.html")).done();
    assert!(!place.read("page.html").contains("e-17") && !place.read("page.html").contains("e−17"));
    let kept = place.line("select t.csv --target y --method relief --above 0 --quiet").done();
    let head = kept.lines().next().unwrap();
    assert!(!head.split(',').any(|name| name == "c") && head.split(',').count() > 1, "{head}");
}
