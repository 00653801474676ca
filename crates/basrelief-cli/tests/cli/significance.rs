//! `--permutations`: p-values in all formats, what is refused, and tests that go on.

use std::process::{Command, Stdio};

use serde_json::Value;

use crate::{Place, small_table};

fn place() -> Place {
    let place = Place::new();
    place.file("data.csv", small_table());
    place
}

const LINE: &str = "rank data.csv --target class --neighbors 5 --permutations 99";

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// JSON without seconds and threads.
fn timeless(text: &str) -> Value {
    let mut all = json(text);
    for name in ["seconds", "threads"] {
        all[name] = Value::Null;
    }
    all["permutation_test"]["seconds"] = Value::Null;
    all
}

#[test]
fn the_table_has_p_values_and_says_what_is_significant() {
    let outcome = place().line(LINE);
    assert_eq!(outcome.code, Some(0), "{}", outcome.err);
    let lines: Vec<&str> = outcome.out.lines().collect();
    assert_eq!(lines[4], "rank  feature  kind         weight    p       adjusted (max-T)  q (FDR)");
    assert!(lines[5].starts_with("   1  x1       numeric      +0."), "{}", lines[5]);
    assert!(lines[5].contains("  0.0100  0.0100            0.0300  "), "{}", lines[5]);
    assert!(lines[5].contains("│██"), "{}", lines[5]);
    assert!(lines[6].contains('┊'), "{}", outcome.out);
    assert_eq!(lines[9], "1 of 3 features is significant: adjusted p (max-T) <= 0.05: x1");
    assert!(
        lines[10].starts_with("null threshold (95 % quantile of the maximum weight): 0."),
        "{}",
        lines[10]
    );
    assert!(lines[10].ends_with(" (┊)"), "{}", lines[10]);
    assert_eq!(lines.len(), 11);
    assert!(lines.iter().all(|line| line.chars().count() <= 80), "{}", outcome.out);
    let messages: Vec<&str> = outcome.err.lines().collect();
    // A slow machine gives an estimate, too.
    let begin = "99 permutations; neighbors are searched once";
    assert!(messages[0].starts_with(begin), "{}", outcome.err);
    assert!(messages[1].starts_with("ranked in ") && messages[1].contains(", tested in "));
    assert_eq!(place().line(&format!("{LINE} --quiet")).err, "");
}

#[test]
fn wide_tables_keep_to_the_width_and_to_ascii() {
    let place = Place::new();
    let mut text = "a name that is so long that no table has room for it,b,class\n".to_string();
    for row in 0..40 {
        text.push_str(&format!("w{},{},{}\n", row % 5, -row * row, row % 2));
    }
    place.file("data.csv", text);
    for more in ["", "--correction min-p --format table", "--permutations adaptive:200"] {
        let line = "rank data.csv --target class --method relieff --permutations 99";
        let line = match more.starts_with("--permutations") {
            true => line.replace("--permutations 99", more),
            false => format!("{line} {more}"),
        };
        let mut command = place.command(&line.split_whitespace().collect::<Vec<_>>());
        let output = command.env("LC_ALL", "C").output().unwrap();
        let shown = String::from_utf8(output.stdout).unwrap();
        assert!(shown.is_ascii(), "{shown}");
        assert!(shown.lines().all(|line| line.len() <= 80), "{shown}");
        let has_adjusted = shown.contains(" adjusted");
        assert_eq!(has_adjusted, !line.contains("adaptive"), "{shown}");
    }
}

#[test]
fn json_and_csv_only_grow() {
    let place = place();
    let all = json(&place.line(&format!("{LINE} --format json")).done());
    let keys: Vec<&String> = all.as_object().unwrap().keys().collect();
    assert_eq!(keys.last().unwrap().as_str(), "permutation_test");
    let best = all["features"][0].as_object().unwrap();
    let names: Vec<&str> = best.keys().map(String::as_str).collect();
    let wanted = ["name", "kind", "weight", "rank", "p_value", "adjusted_p_value", "q_value"];
    assert_eq!(names[..7], wanted);
    assert_eq!(names[7..], ["selected", "permutations"]);
    assert_eq!(best["p_value"], 0.01);
    assert_eq!(best["adjusted_p_value"], 0.01);
    assert_eq!((&best["selected"], &best["permutations"]), (&true.into(), &99.into()));
    let test = all["permutation_test"].as_object().unwrap();
    let names: Vec<&str> = test.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "permutations",
            "adaptive",
            "within",
            "group",
            "scheme",
            "alpha",
            "correction",
            "chance_weight",
            "refit_reason",
            "seconds",
            "smallest_attainable_q",
            "sided"
        ]
    );
    assert_eq!((&test["correction"], &test["refit_reason"]), (&"max-t".into(), &Value::Null));

    let csv = place.line(&format!("{LINE} --format csv")).done();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(
        lines[0],
        "rank,feature,weight,kind,p_value,adjusted_p_value,q_value,selected,permutations"
    );
    assert!(lines[1].ends_with(",numeric,0.01,0.01,0.03,true,99"), "{}", lines[1]);
    // The weights are those without a test.
    let plain = place.line("rank data.csv --target class --neighbors 5 --format csv").done();
    for (plain, tested) in plain.lines().zip(&lines) {
        assert!(tested.starts_with(plain), "{tested} and {plain}");
    }

    let line = LINE.replace("99", "adaptive:300");
    let adaptive = json(&place.line(&format!("{line} --format json")).done());
    assert_eq!(adaptive["permutation_test"]["adaptive"], true);
    assert_eq!(adaptive["permutation_test"]["correction"], "fdr");
    assert_eq!(adaptive["permutation_test"]["chance_weight"], Value::Null);
    for feature in adaptive["features"].as_array().unwrap() {
        assert_eq!(feature["adjusted_p_value"], Value::Null);
        let drawn = feature["permutations"].as_u64().unwrap();
        assert!((10..=300).contains(&drawn), "{feature}");
    }
    assert_eq!(adaptive["features"][0]["permutations"], 300);
    let csv = place.line(&format!("{line} --format csv")).done();
    assert!(csv.lines().nth(1).unwrap().contains(",,"), "{csv}");
}

/// Two equal classes, `alone` that differs between them, and two columns that do not, with negative weights.
fn lowered() -> String {
    let mut text = "alone,drawn,noise,class\n".to_string();
    for row in 0..60 {
        let class = row % 2;
        let alone = 3 * class + row * 7 % 5;
        let drawn = [0, 9][row / 2 % 2];
        text.push_str(&format!("{alone},{drawn},{},{class}\n", row * 13 % 11));
    }
    text
}

/// Two features have a strong effect, so that the weights of the others are lower than in permutations.
#[test]
fn two_sided_findings_below_0_are_reported() {
    let place = Place::new();
    place.line("synth xor --rows 600 --features 8 --seed 5 --output cases.csv").done();
    let rank = "rank cases.csv --target class --permutations 199 --correction studentized";
    let two = place.line(&format!("{rank} --sided two"));
    assert!(two.err.contains("have weights below 0, and 2 above"), "{}", two.err);
    assert!(!place.line(rank).err.contains("below 0"));
}

#[test]
fn two_sided_tests_count_small_weights() {
    let place = Place::new();
    place.file("data.csv", lowered());
    let line = "rank data.csv --target class --neighbors 10 --permutations 199 --format json";
    let one = json(&place.line(line).done());
    assert_eq!(one["permutation_test"]["sided"], "one");
    assert_eq!(
        timeless(&place.line(&format!("{line} --sided one")).done()),
        timeless(&one.to_string())
    );
    let two = json(&place.line(&format!("{line} --sided two")).done());
    assert_eq!(two["permutation_test"]["sided"], "two");
    let of = |all: &Value, key: &str| -> Vec<f64> {
        all["features"].as_array().unwrap().iter().map(|one| one[key].as_f64().unwrap()).collect()
    };
    // The order is that of the weights.
    assert_eq!(of(&one, "weight"), of(&two, "weight"));
    let threshold = |all: &Value| all["permutation_test"]["chance_weight"].as_f64().unwrap();
    assert!(threshold(&two) >= threshold(&one));
    for feature in two["features"].as_array().unwrap() {
        let exceeds = feature["weight"].as_f64().unwrap().abs() > threshold(&two);
        assert_eq!(feature["selected"], exceeds, "{feature}");
    }
    assert!(of(&one, "weight").iter().any(|&weight| weight < 0.0));
    for ((weight, one), two) in
        of(&one, "weight").iter().zip(of(&one, "p_value")).zip(of(&two, "p_value"))
    {
        if *weight < 0.0 {
            assert!(two < one, "{weight}: {two}, {one}")
        } else {
            assert!(two >= one)
        }
    }
    // All formats state it.
    let table = place.line("rank data.csv --target class --permutations 199 --sided two").done();
    assert!(table.contains("significant: two-sided adjusted p (max-T) <= 0.05"), "{table}");
    assert!(table.contains("quantile of the maximum absolute weight): 0."), "{table}");
    let studentized = format!("{line} --sided two --correction studentized");
    let found = json(&place.line(&studentized).done());
    assert_eq!(of(&found, "p_value"), of(&two, "p_value"));
    let report = "rank data.csv --target class --permutations 199 --sided two --report r.html";
    place.line(report).done();
    let page = std::fs::read_to_string(place.path("r.html")).unwrap();
    assert!(page.contains("two-sided adjusted p (max-T) ≤ 0.05"));
    assert!(page.contains("of the largest absolute weight under permutations"));
    assert!(page.contains("larger absolute weights are significant"));
    let message = place.line(&format!("{line} --sided both")).refused();
    assert!(message.contains("one") && message.contains("two"), "{message}");
    let message = place.line("rank data.csv --target class --sided two").refused();
    assert!(message.contains("--permutations"), "{message}");
}

#[test]
fn threads_and_stops_change_nothing() {
    let place = place();
    for method in ["relieff", "rrelieff --target x2", "drelieff", "multisurf --wrap turf:keep=1"] {
        let class = if method.contains("--target") { "" } else { "--target class" };
        let line = format!(
            "rank data.csv {class} --format json --seed 4 --permutations 150 --method {method}"
        );
        let one = place.line(&format!("{line} --threads 1")).done();
        let two = place.line(&format!("{line} --threads 2")).done();
        assert_eq!(timeless(&one), timeless(&two), "{method}");
        let fits = json(&one)["permutation_test"]["refit_reason"].is_string();
        assert_eq!(fits, method.contains("drelieff") || method.contains("wrap"), "{method}");
    }
}

#[test]
fn a_test_goes_on_from_its_folder() {
    let place = place();
    let line = "rank data.csv --target class --format json --method drelieff --resume kept";
    let whole = line.replace(" --resume kept", " --permutations 200");
    let whole = timeless(&place.line(&whole).done());
    // A shorter test is the first part of a longer one.
    let first = place.line(&format!("{line} --permutations 60"));
    assert!(first.err.contains("each needs a full refit"), "{}", first.err);
    assert!(first.err.contains("60 fits of about "), "{}", first.err);
    assert_eq!(json(&first.done())["features"][0]["permutations"], 60);
    let second = place.line(&format!("{line} --permutations 200"));
    assert!(second.err.contains("200 permutations (60 already done)"), "{}", second.err);
    assert_eq!(timeless(&second.done()), whole);
    let third = place.line(&format!("{line} --permutations 200"));
    assert_eq!(timeless(&third.done()), whole);
    for (other, part) in [
        ("--seed 1 --permutations 200", "seed 0, not 1"),
        ("--drop x2 --permutations 200", "data "),
        ("--permutations adaptive", "permutations \"fixed\", not \"adaptive\""),
        ("--permutations 100", "belongs to another test, or contains more permutations"),
        ("--permutations 200 --sided two", "permutations \"fixed\", not \"fixed, two-sided\""),
    ] {
        let message = place.line(&format!("{line} {other}")).refused();
        assert!(message.contains(part) && message.contains("--resume"), "{message}");
    }
    let message = place.line(&format!("{line} --permutations 200 --correction min-p")).refused();
    assert!(message.contains("cannot be continued"), "{message}");
    place.file("kept/permutations.json", "{");
    let message = place.line(&format!("{line} --permutations 200")).refused();
    assert!(message.contains("permutations.json") && message.contains("--resume"), "{message}");
}

/// A test that is stopped by Ctrl-C in its midst.
#[cfg(unix)]
#[test]
fn a_stopped_test_goes_on() {
    let place = Place::new();
    place.line("synth twonorm --rows 400 --noise 5 --output data.csv --quiet").done();
    let line = "rank data.csv --target class --method drelieff --format json --threads 2 --permutations 120";
    let words: Vec<&str> = line.split_whitespace().chain(["--resume", "kept"]).collect();
    let child =
        place.command(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let kept = place.path("kept/permutations.json");
    while !kept.exists() {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr).replace("\n  ", " ");
    assert_eq!(output.status.code(), Some(130), "{message}");
    assert!(message.contains("finished permutations are saved"), "{message}");
    let done = json(&std::fs::read_to_string(&kept).unwrap())["done"].as_u64().unwrap();
    assert!((1..120).contains(&done), "{done}");
    let rest = place.line(&format!("{line} --resume kept"));
    assert!(rest.err.contains(&format!("({done} already done)")), "{}", rest.err);
    assert_eq!(timeless(&rest.done()), timeless(&place.line(line).done()));
}

/// A group decides both the class and the first column, which tells nothing of the class inside of the
/// groups.
fn confounded() -> String {
    let mut text = "x,noise,batch,center,code,class\n".to_string();
    for row in 0..120 {
        let batch = row % 2;
        // Nine of ten rows of a batch are of its class.
        let class = if row / 2 % 10 == 0 { 1 - batch } else { batch };
        let (x, noise) = (10 * batch + row * 7 % 8, row * 13 % 11);
        let center = if row < 60 { "n" } else { "s" };
        text.push_str(&format!("{x},{noise},b{batch},{center},{},{class}\n", row * 37 % 120));
    }
    text
}

#[test]
fn strata_take_away_what_is_theirs() {
    let place = Place::new();
    place.file("data.csv", confounded());
    let line = "rank data.csv --target class --drop center,code --format json --permutations 199";
    let p =
        |text: &str, name: &str| {
            let all = json(text);
            let features = all["features"].as_array().unwrap();
            assert!(features.iter().all(|feature| !all["permutation_test"]["within"].is_string()
                || feature["name"] != "batch"));
            let found = features.iter().find(|feature| feature["name"] == name).unwrap();
            found["p_value"].as_f64().unwrap()
        };
    let plain = place.line(line).done();
    assert_eq!(p(&plain, "x"), 0.005);
    let within = place.line(&format!("{line} --within batch")).done();
    assert!(p(&within, "x") > 0.05, "{within}");
    assert_eq!(json(&within)["permutation_test"]["within"], "batch");
    assert_eq!(json(&within)["data"]["features"], 2);

    // What all columns are is said of the features.
    let numeric = place.line(&format!("{line} --within batch --numeric all")).done();
    assert_eq!(timeless(&numeric)["features"], timeless(&within)["features"]);

    // Groups of one class are named.
    let mut some = confounded();
    some = some.replace(",b0,n,", ",alone,n,").replace(",b0,s,", ",b1,s,");
    let rows: Vec<String> = some
        .lines()
        .enumerate()
        .map(|(number, line)| match line.contains(",alone,") && number > 0 {
            true => format!("{}0", &line[..line.len() - 1]),
            false => line.to_string(),
        })
        .collect();
    place.file("some.csv", rows.join("\n"));
    let line = "rank some.csv --target class --permutations 19 --drop center,code --within batch";
    let outcome = place.line(line);
    assert_eq!(outcome.code, Some(0), "{}", outcome.err);
    assert!(outcome.err.contains("does not vary in 1 of 2 strata"), "{}", outcome.err);
    assert!(outcome.err.contains(": alone"), "{}", outcome.err);
}

#[test]
fn what_cannot_find_anything_is_refused() {
    let place = Place::new();
    place.file("data.csv", confounded());
    place.file("gap.csv", confounded().replacen(",b1,", ",,", 1));
    place.file("same.csv", "x,class\n1,a\n2,a\n3,a\n");
    place.file("short.csv", "x,y,g,class\n1,2,a,k\n2,1,a,k\n3,5,b,l\n4,4,b,l\n");
    place.file("real.csv", "x,y\n1,2.5\n2,2.5\n3,2.5\n4,2.5\n");
    for (line, part) in [
        ("data.csv --target class --permutations 0", "give at least 19"),
        ("data.csv --target class --permutations 18", "give at least 19"),
        ("data.csv --target class --permutations 98 --alpha 0.01", "give at least 99"),
        ("data.csv --target class --permutations 50 --correction min-p", "give at least 99"),
        ("data.csv --target class --permutations few", "`few` is not a number of permutations"),
        ("data.csv --target class --permutations -5", "`-5` is not a number of permutations"),
        ("data.csv --target class --permutations adaptive:x", "option --permutations"),
        ("data.csv --target class --permutations 99 --alpha 2", "option --alpha"),
        ("data.csv --target class --permutations 99 --alpha 0", "option --alpha"),
        ("data.csv --target class --permutations 99 --alpha x", "--alpha"),
        ("data.csv --target class --permutations 99 --correction bonferroni", "storey"),
        (
            "data.csv --target class --permutations adaptive --correction max-t",
            "needs all permutations of all features",
        ),
        ("data.csv --target class --within batch", "--permutations"),
        ("data.csv --target class --alpha 0.1", "--permutations"),
        ("data.csv --target class --correction fdr", "--permutations"),
        ("data.csv --target class --resume kept", "--permutations"),
        ("data.csv --target class --permutations 99 --within class", "`class` is the target"),
        (
            "data.csv --target class --permutations 99 --within batch --drop batch",
            "`batch` is excluded",
        ),
        ("data.csv --target class --permutations 99 --within bach", "did you mean `batch`?"),
        (
            "data.csv --target class --permutations 99 --within code",
            "column `code`: 120 distinct numbers are too many for groups of rows",
        ),
        ("gap.csv --target class --permutations 99 --within batch", "gap.csv, row 2"),
        (
            "data.csv --target class --permutations 99 --within code --categorical code",
            "does not vary within any stratum",
        ),
        ("short.csv --target class --permutations 99 --within g", "within any stratum"),
        ("same.csv --target class --permutations 99", "the same in every row"),
        ("real.csv --target y --target-type real --permutations 99", "the same in every row"),
        ("data.csv --target class --permutations 99 --resume data.csv", "--resume"),
    ] {
        let message = place.line(&format!("rank {line} --output r.json")).refused();
        assert!(message.contains(part), "{line}: no `{part}` in {message}");
        assert!(!place.path("r.json").exists() && !place.path("kept").exists(), "{line}");
    }
    // The group's numbers are said to be groups.
    let line = "rank data.csv --target class --permutations 99 --within code";
    let message = place.line(line).refused();
    assert!(message.contains("--categorical code"), "{message}");
}

#[test]
fn select_keeps_what_is_significant() {
    let place = place();
    let line = "select data.csv --target class --neighbors 5";
    let outcome = place.line(&format!("{line} --permutations 99 --significant"));
    assert_eq!(outcome.out.lines().next(), Some("x1,class"), "{}", outcome.err);
    assert_eq!(outcome.out.lines().count(), 41);
    assert!(outcome.err.contains("1 feature of 3: x1"), "{}", outcome.err);
    for (more, part) in [
        ("--significant", "--permutations"),
        ("--permutations 99 --top 2", "--significant"),
        ("--permutations 99 --significant --top 2", "cannot be used with"),
        ("--permutations 99 --significant --above 0", "cannot be used with"),
        (
            "--drop x1 --permutations 99 --significant",
            "no feature is significant: adjusted p (max-T) <= 0.05",
        ),
    ] {
        let message = place.line(&format!("{line} {more}")).refused();
        assert!(message.contains(part), "{more}: {message}");
    }
}

#[test]
fn evaluations_have_p_values() {
    let place = place();
    let line = "evaluate data.csv --target class --drop color --folds 4 --inner-folds 3 --k 1,3 \
                --methods euclidean,relieff --permutations 19";
    let outcome = place.line(line);
    assert!(outcome.out.contains("  p (chance)\n"), "{}", outcome.out);
    assert!(outcome.out.contains("  0.0500\n"), "{}", outcome.out);
    assert!(outcome.err.contains("permuting the target 19 times"), "{}", outcome.err);
    assert!(outcome.err.contains("19 evaluations of about "), "{}", outcome.err);
    let all = json(&place.line(&format!("{line} --format json --threads 1")).done());
    assert_eq!(all["options"]["permutations"], 19);
    for method in all["methods"].as_array().unwrap() {
        assert_eq!(method["permutation_p_value"], 0.05, "{method}");
    }
    let csv = place.line(&format!("{line} --format csv")).done();
    assert!(csv.starts_with(
        "method,split,loss,dimensions,neighbors,options,fit_seconds,permutation_p_value\n"
    ));
    assert!(csv.lines().skip(1).all(|line| line.ends_with(",0.05")), "{csv}");

    // Noise is no better than chance; the folder goes on with more permutations.
    let noise = line.replace("--drop color", "--drop color,x1 --within half");
    let table = small_table();
    let mut rows = table.lines().enumerate().map(|(number, row)| match number {
        0 => format!("half,{row}"),
        number => format!("{},{row}", ["a", "b"][number / 21]),
    });
    place.file("data.csv", format!("{}\n", rows.by_ref().collect::<Vec<_>>().join("\n")));
    let p = |text: &str| json(text)["methods"][0]["permutation_p_value"].as_f64().unwrap();
    let first = place.line(&format!("{noise} --format json --output kept")).done();
    assert!(p(&first) > 0.05, "{first}");
    let more = noise.replace("--permutations 19", "--permutations 29");
    let second = place.line(&format!("{more} --format json --output kept"));
    assert!(second.err.contains("160 cells finished before"), "{}", second.err);
    assert_eq!(p(&second.done()), p(&place.line(&format!("{more} --format json")).done()));

    for (more, part) in [
        ("--permutations 0", "--permutations"),
        ("--permutations 19 --within class", "`class` is the target"),
        ("--within x1", "--permutations"),
    ] {
        let message = place.line(&format!("evaluate data.csv --target class {more}")).refused();
        assert!(message.contains(part), "{more}: {message}");
    }
}

#[cfg(unix)]
#[test]
fn the_page_shows_what_its_commands_give() {
    crate::assert_examples("significance.md", 3);
}
