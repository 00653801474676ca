//! Several targets (`--target a,b`), hierarchies of labels (`--target-tree`) and unlabeled rows (`--unlabeled`).

use std::fmt::Write as _;

use serde_json::Value;

use crate::Place;

/// A table of 120 rows: x1 determines the label a, x2 the label b, and their sum the number c; c is unknown in some rows.
fn place() -> Place {
    let place = Place::new();
    let mut text = String::from("x1,x2,x3,x4,x5,a,b,c,status\n");
    for row in 0..120_u32 {
        let x: Vec<u32> =
            (1..6).map(|own| (row * row * (7 + own) + row * 31 * own) % 101).collect();
        let (a, b) = (u32::from(x[0] > 50), u32::from(x[1] > 50));
        let c = if row % 10 == 3 { String::new() } else { (x[0] + x[1]).to_string() };
        let status = if row % 4 == 1 { "-1".to_string() } else { a.to_string() };
        let x: Vec<String> = x.iter().map(u32::to_string).collect();
        writeln!(text, "{},{a},{b},{c},{status}", x.join(",")).unwrap();
    }
    place.file("d.csv", &text);
    place
}

/// The features of a ranking, best first.
fn best(text: &str) -> Vec<String> {
    let found: Value = serde_json::from_str(text).unwrap();
    let features = found["features"].as_array().unwrap().iter();
    features.map(|feature| feature["name"].as_str().unwrap().to_string()).collect()
}

#[test]
fn several_targets_are_ranked_selected_and_shown() {
    let place = place();
    let rank = "rank d.csv --target a,b,c --drop status --permutations 99 --seed 2";
    let run = place.line(&format!("{rank} --format json --output r.json --report r.html"));
    assert!(run.err.contains("several targets: using rrelieff"), "{}", run.err);
    run.done();
    let text = place.read("r.json");
    let mut first = best(&text)[..2].to_vec();
    first.sort_unstable();
    assert_eq!(first, ["x1", "x2"]);
    let found: Value = serde_json::from_str(&text).unwrap();
    let targets = &found["data"]["targets"];
    assert_eq!(targets[2]["column"], "c");
    assert_eq!(targets[2]["rows"], 108);
    assert_eq!(found["data"]["unlabeled_rows"], 0);
    let page = place.read("r.html");
    assert!(page.contains("a,b,c"), "the name of the targets");
    let shown = place.line(rank).done();
    assert!(shown.contains("3 targets: a (0 to 1), b (0 to 1), c ("), "{shown}");
    assert!(shown.contains("in 108 rows"), "{shown}");
    place.line("select d.csv --target a,b,c --drop status --top 2 --output s.csv").done();
    let header = place.read("s.csv").lines().next().unwrap().to_string();
    assert_eq!(header, "x1,x2,a,b,c");
    // Distances between sets of labels.
    let mut weights = Vec::new();
    for distance in ["mean", "hamming", "jaccard", "f1", "cosine"] {
        let line = format!(
            "rank d.csv --target a,b --drop c,status --target-distance {distance} --format json"
        );
        let text = place.line(&line).done();
        assert!(["x1", "x2"].contains(&best(&text)[0].as_str()), "{distance}");
        weights.push(serde_json::from_str::<Value>(&text).unwrap()["features"].clone());
    }
    assert_eq!(weights[0], weights[1]);
    assert_ne!(weights[1], weights[2]);
    assert_ne!(weights[2], weights[3]);
    place.line("rank d.csv --target a,b,c --drop status --method multisurf").done();
    // Parts of a job give the same bytes.
    let fit = "--target a,b,c --drop status --permutations 39 --seed 3";
    place.line(&format!("plan d.csv {fit} --parts 3 --output job")).done();
    for stage in ["search", "lists", "sums", "permute"] {
        place.line(&format!("run job --stage {stage}")).done();
    }
    let merged = place.line("merge job --format csv").done();
    assert_eq!(merged, place.line(&format!("rank d.csv {fit} --format csv")).done());
    place.line("stability d.csv --target a,b,c --drop status --resamples 5").done();
}

#[test]
fn a_column_with_a_comma_in_its_name_wins_over_a_list() {
    let place = Place::new();
    place.file("d.csv", "x,a,b,\"a,b\"\n1,0,3,5\n2,1,4,7\n4,1,5,11\n7,0,9,12\n9,1,1,20\n");
    let found = place.line("rank d.csv --target a,b --target-type real --format json").done();
    let found: Value = serde_json::from_str(&found).unwrap();
    assert_eq!(found["data"]["target"]["greatest"], 20.0);
    assert_eq!(found["data"]["features"], 3);
}

#[test]
fn unlabeled_rows_remain_neighbors() {
    let place = place();
    let rank = "rank d.csv --target status --drop a,b,c --method rrelieff";
    let run = place.line(&format!("{rank} --unlabeled -1 --format json"));
    let text = run.done();
    assert_eq!(best(&text)[0], "x1");
    let found: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(found["data"]["rows"], 120);
    assert_eq!(found["data"]["unlabeled_rows"], 30);
    // Without the option, -1 is a number like others.
    let plain: Value =
        serde_json::from_str(&place.line(&format!("{rank} --format json")).done()).unwrap();
    assert_eq!(plain["data"]["target"]["least"], -1.0);
    let missing = "rank d.csv --target c --drop a,b,status --unlabeled missing";
    let shown = place.line(missing).done();
    assert!(shown.contains("12 unlabeled rows"), "{shown}");
    let shown = place.line("rank d.csv --target c --drop a,b,status").done();
    assert!(shown.contains("108 rows"), "{shown}");
}

/// The table of [`place`] without the other targets, twice: as `labeled.csv` without the rows whose status is unknown, and as
/// `all.csv`, where each of these rows repeats the features of a labeled one. Columns with other roles are added.
fn labeled_and_all(place: &Place) {
    let mut last = String::new();
    let (mut labeled, mut all) = (String::new(), String::new());
    for (row, line) in place.read("d.csv").lines().enumerate() {
        let fields: Vec<&str> = line.split(',').collect();
        let (own, status) = (fields[..5].join(","), fields[8]);
        let role =
            |name: &str, number: usize| if row == 0 { name.into() } else { number.to_string() };
        let roles = format!("{},{}", role("g", row / 3), role("w", 1 + row % 2));
        if status == "-1" {
            writeln!(all, "{last},{status},{roles}").unwrap();
        } else {
            writeln!(all, "{own},{status},{roles}").unwrap();
            writeln!(labeled, "{own},{status},{roles}").unwrap();
            last = own;
        }
    }
    place.file("labeled.csv", labeled);
    place.file("all.csv", all);
}

/// A method for classes is computed from the labeled rows, with their roles.
#[test]
fn relieff_uses_labeled_rows() {
    let place = place();
    labeled_and_all(&place);
    for options in [
        "--method relief-e --drop g,w",
        "--method relieff --drop g,w --permutations 19 --seed 3",
        "--method relieff --group g --drop w --permutations 19",
        "--method relieff --row-weight w --drop g",
        "--method relieff --priors uniform --drop g,w --wrap turf",
        "--method relieff --covar-name w --caliper 0.5 --drop g",
        "--method relieff --drop g --permutations 19 --within w",
    ] {
        let line = |file: &str, rest: &str| {
            let line = format!("rank {file} --target status {options} --format csv {rest}");
            place.line(&line).done()
        };
        assert_eq!(line("all.csv", "--unlabeled -1"), line("labeled.csv", ""), "{options}");
    }
    let rank = "rank all.csv --target status --drop g,w --method relieff --unlabeled -1";
    let shown = place.line(&format!("{rank} --report r.html")).done();
    assert!(shown.contains("all.csv: 120 rows"), "{shown}");
    assert!(shown.contains("2 classes (0: 42, 1: 48), 30 unlabeled rows"), "{shown}");
    let found: Value =
        serde_json::from_str(&place.line(&format!("{rank} --format json")).done()).unwrap();
    assert_eq!(
        (&found["data"]["rows"], &found["data"]["unlabeled_rows"]),
        (&120.into(), &30.into())
    );
    place
        .line(
            &rank.replace("rank", "stability").replace("--unlabeled", "--resamples 7 --unlabeled"),
        )
        .done();
    let select = "select all.csv --target status --drop g,w --method relieff --unlabeled -1";
    place.line(&format!("{select} --top 2 --output s.csv")).done();
    let selected = place.read("s.csv");
    assert_eq!(selected.lines().count(), 121, "all rows are written");
}

/// The ranges of the features are those of all rows, also in a job whose parts read the data themselves.
#[test]
fn unlabeled_rows_determine_ranges() {
    let place = place();
    let mut wide = place.read("d.csv");
    wide.push_str("900,0,0,0,-300,0,0,1,-1\n");
    place.file("wide.csv", wide);
    let fit = "--target status --drop a,b,c --method relieff --unlabeled -1";
    let ranked = |file: &str| place.line(&format!("rank {file} {fit} --format csv")).done();
    assert_ne!(ranked("wide.csv"), ranked("d.csv"));
    place.line(&format!("plan wide.csv {fit} --parts 3 --output job")).done();
    for stage in ["search", "lists", "sums"] {
        place.line(&format!("run job --stage {stage}")).done();
    }
    assert_eq!(place.line("merge job --format csv").done(), ranked("wide.csv"));
}

#[test]
fn maps_are_learned_from_labeled_rows() {
    let place = place();
    labeled_and_all(&place);
    let fit = "--target status --drop g,w --method lfe --scale range";
    place.line(&format!("fit labeled.csv {fit} --model labeled.model")).done();
    let line = format!(
        "fit all.csv {fit} --unlabeled -1 --model all.model --figure all.svg --report m.html"
    );
    let shown = place.line(&line).done();
    assert!(shown.contains("30 unlabeled rows"), "{shown}");
    assert!(
        place.read("all.svg").contains("unlabeled") && place.read("m.html").contains("unlabeled")
    );
    let numbers = |model: &str| -> Vec<f64> {
        let text = place.line(&format!("transform {model} all.csv")).done();
        let cells = text.lines().skip(1).flat_map(|line| line.split(','));
        cells.filter_map(|cell| cell.parse().ok()).collect()
    };
    let (all, labeled) = (numbers("all.model"), numbers("labeled.model"));
    assert_eq!((all.len(), all.len() % 120), (labeled.len(), 0));
    // The origins differ, and the distances are the same.
    let width = all.len() / 120;
    for (at, (own, other)) in all.iter().zip(&labeled).enumerate() {
        let (first, of_labeled) = (all[at % width], labeled[at % width]);
        assert!(((own - first) - (other - of_labeled)).abs() < 1e-9, "{own} {other}");
    }
}

#[test]
fn labels_in_a_hierarchy() {
    let place = place();
    let tree = "label,parent\nlow,\nhigh,\nlow-a,low\nlow-b,low\nhigh-a,high\nhigh-b,high\n";
    place.file("tree.csv", tree);
    let mut text = String::new();
    for (row, line) in place.read("d.csv").lines().enumerate() {
        let fields: Vec<&str> = line.split(',').collect();
        let group = match (row, fields[5], fields[6]) {
            (0, ..) => "group".to_string(),
            (_, a, b) => format!(
                "{}-{}",
                if a == "1" { "high" } else { "low" },
                if b == "1" { "a" } else { "b" }
            ),
        };
        writeln!(text, "{},{group}", fields[..5].join(",")).unwrap();
    }
    place.file("g.csv", &text);
    let rank = "rank g.csv --target group --target-tree tree.csv";
    let run = place.line(&format!("{rank} --format json"));
    assert!(run.err.contains("labels in a hierarchy: using rrelieff"), "{}", run.err);
    let text = run.done();
    // The upper level has more weight.
    assert_eq!(best(&text)[..2], ["x1", "x2"]);
    let shown = place.line(rank).done();
    assert!(shown.contains("6 labels in a hierarchy"), "{shown}");
    for (tree, words) in [
        ("label,parent\na,b\nb,a\n", "is its own ancestor"),
        ("label,parent\nlow-a,low\n", "is not in the hierarchy"),
        ("label,parent\na,b\na,c\n", "has the parents"),
        ("name,parent\na,b\n", "the hierarchy has no column `label`"),
    ] {
        place.file("bad.csv", tree);
        let refused = place.line(&rank.replace("tree.csv", "bad.csv")).refused();
        assert!(refused.contains(words), "{refused}");
    }
    let refused = place.line(&format!("{rank} --target-distance jaccard")).refused();
    assert!(refused.contains("remove --target-distance"), "{refused}");
}

#[test]
fn what_several_targets_do_not_have_is_refused() {
    let place = place();
    for (line, words) in [
        ("rank d.csv --target a,b --method relieff", "use rrelieff or multisurf"),
        ("rank d.csv --target a,zz", "zz"),
        ("rank d.csv --target a,a", "listed twice"),
        ("rank d.csv --target a,b --within b --permutations 19", "one of the targets"),
        ("rank d.csv --target a,b --drop b", "cannot be dropped"),
        ("rank d.csv --target a,c --target-distance jaccard", "use --target-distance mean"),
        (
            "rank d.csv --target a --target-distance jaccard --method rrelieff",
            "there is one target",
        ),
        ("rank d.csv --target a,b --method rrelieff --intervals", "remove --intervals"),
        ("rank d.csv --target a,b --covar-name x5 --residuals", "one at a time"),
        ("rank d.csv --target status --unlabeled 7", "use --unlabeled missing"),
        ("rank d.csv --target status --unlabeled 7 --method relieff", "use --unlabeled missing"),
        (
            "rank d.csv --target a,c --unlabeled missing --method relieff",
            "use rrelieff or multisurf",
        ),
        ("rank d.csv --target c --unlabeled missing --method relieff", "use rrelieff"),
        ("rank d.csv --target c --unlabeled missing --priors uniform", "remove the option"),
        ("rank d.csv --time c --event a --unlabeled missing", "--unlabeled"),
        ("evaluate d.csv --target status --unlabeled -1", "--unlabeled"),
        ("fit d.csv --target a,b --model m", "several targets"),
        (
            "plan d.csv --target status --unlabeled -1 --method lfe --form direct --parts 2 --output j",
            "exclude the rows whose target is unknown",
        ),
        ("fit d.csv --target c --unlabeled missing --model m", "the target is numeric"),
        (
            "fit d.csv --target c --unlabeled 999 --method mlkr --model m",
            "no row has the target `999`",
        ),
        ("evaluate d.csv --target a,b", "one target at a time"),
        ("rank d.csv --target a,b --drop c --method multisurf --compat skrebate", "has no rule"),
    ] {
        let refused = place.line(line).refused();
        assert!(refused.contains(words), "{line}: {refused}");
    }
    place.file("list.csv", "label,parent\n0,\n1,\n");
    for option in ["target-tree", "blocks"] {
        let line = format!("rank d.csv --target a --{option} list.csv --output list.csv");
        let refused = place.line(&line).refused();
        assert!(refused.contains(&format!("list.csv is also read by --{option}")), "{refused}");
    }
    place.file("k.csv", "x,a,b\n1,0,2\n2,1,2\n3,0,2\n");
    let refused = place.line("rank k.csv --target a,b").refused();
    assert!(refused.contains("in every row") && refused.contains('b'), "{refused}");
}
