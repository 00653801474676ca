//! `--report`: the page that is written, when it is refused, and that it is the same every time. What is
//! on it is tested in the crate `basrelief-report`, and in a browser (`python/tests/test_report_browser.py`).

use crate::{Place, small_table};

/// The command that a page shows, as it is copied.
fn command_of(html: &str) -> String {
    let (_, rest) = html.split_once("<code>basrelief ").unwrap();
    let command = rest.split_once("</code>").unwrap().0;
    command.replace("<span class=\"word\">", "").replace("</span>", "")
}

/// A place with a table.
fn place() -> Place {
    let place = Place::new();
    place.file("d.csv", small_table());
    place
}

#[test]
fn the_page_says_what_was_found_and_what_repeats_it() {
    let place = place();
    let done = place.run(&[
        "rank",
        "d.csv",
        "--target",
        "class",
        "--permutations",
        "99",
        "--drop",
        "it's",
        "--report",
        "my report.html",
    ]);
    let message = done.refused();
    assert!(message.contains("there is no such column"), "{message}");
    let args = "rank d.csv --target class --permutations 99 --report r.html --report-json r.json";
    let done = place.line(args);
    assert!(done.err.contains("wrote r.html") && done.err.contains("wrote r.json"), "{}", done.err);
    let html = place.read("r.html");
    assert_eq!(
        command_of(&html),
        "rank d.csv --target class --permutations 99 --report r.html --report-json r.json"
    );
    for text in [
        "<dt>Rows</dt><dd><bdi>40</bdi></dd>",
        "With 99 permutations no p-value can be below 0.0100, which is 1/(99 + 1).",
        " s for the weights, ",
        " s for those of permuted targets, on ",
        "3 (2 numeric, 1 categorical)",
        "99 permutations of the target; adjusted p (max-T) ≤ 0.05",
    ] {
        assert!(html.contains(text), "{text}");
    }
    assert_eq!(html.matches("<code>basrelief").count(), 1);
    let json: serde_json::Value = serde_json::from_str(&place.read("r.json")).unwrap();
    assert_eq!(json["features"][0]["name"], "x1");
    assert_eq!(
        json["report"]["answer"],
        "1 of 3 features is associated with class (adjusted p (max-T) ≤ 0.05): x1."
    );
    assert_eq!(json["report"]["missing"], serde_json::json!([0.0, 0.0, 0.0]));
}

#[test]
fn the_command_is_quoted_for_a_shell() {
    let place = Place::new();
    place.file("my $data.csv", small_table());
    let args =
        ["rank", "my $data.csv", "--target", "class", "--drop", "x2", "--report", "it's.html"];
    place.run(&args).done();
    let html = place.read("it's.html");
    let command =
        command_of(&html).replace("&#39;", "'").replace("&#34;", "\"").replace("&#38;", "&");
    // A shell reads the words that were given.
    let output = std::process::Command::new("sh")
        .args(["-c", &format!("printf '%s\\n' {command}")])
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), args.join("\n") + "\n");
}

#[test]
fn without_times_pages_have_the_same_bytes_for_any_number_of_threads() {
    let place = place();
    for threads in ["1", "3"] {
        let line = "rank d.csv --target class --permutations 99 --no-time --report r.html --report-json r.json --force";
        place.run(&line.split(' ').chain(["--threads", threads]).collect::<Vec<_>>()).done();
        for name in ["r.html", "r.json"] {
            let text = place.read(name).replace(&format!("--threads {threads}"), "");
            let text = text.replace(&format!("--threads</span> {threads}"), "");
            if threads == "1" {
                place.file(&format!("first-{name}"), text);
            } else {
                assert!(text == place.read(&format!("first-{name}")), "{name}");
            }
        }
    }
    let html = place.read("r.html");
    assert!(!html.contains("<dt>Time</dt>"));
    place.line("rank d.csv --target class --report timed.html").done();
    assert!(place.read("timed.html").contains("<dt>Time</dt>"));
}

#[test]
fn odd_places_for_a_page_are_refused_before_the_data_are_read() {
    let place = place();
    place.file("old.html", "mine");
    place.file("old.json", "mine");
    let rank = "rank no-such.csv --target class";
    for (args, wanted) in [
        (
            "--report r.pdf",
            "the ending of its name is not .html or .htm; pages are HTML: give a name as report.html; a browser prints the page to PDF",
        ),
        ("--report r", "the ending of its name is not .html or .htm"),
        ("--report no-such/r.html", "there is no folder no-such"),
        ("--report old.html", "the file exists; name another file, or replace it with --force"),
        ("--report r.html --report-json old.json", "the file exists"),
        ("--report r.html --report-json r.txt", "the ending of its name is not .json"),
        ("--report r.html --output r.html --format json", "r.html is also written by --output"),
        ("--report-json r.json", "--report <FILE>"),
        ("--open", "--report <FILE>"),
    ] {
        let message = place.line(&format!("{rank} {args}")).refused();
        assert!(message.contains(wanted), "{args}: {message}");
    }
    assert_eq!(place.names(), ["d.csv", "old.html", "old.json"]);
    assert_eq!(place.read("old.html"), "mine");
    place.line("rank d.csv --target class --report old.html --force").done();
    assert!(place.read("old.html").starts_with("<!DOCTYPE html>"));
}

#[test]
fn odd_tables_have_a_page_too() {
    let place = Place::new();
    let table = |cell: &dyn Fn(usize) -> String, target: &dyn Fn(usize) -> String| {
        let mut text = String::from("a,A,class\n");
        for row in 0..200 {
            text.push_str(&format!("{},{},{}\n", cell(row), row % 3, target(row)));
        }
        text
    };
    let parity = |row: usize| ["u", "v"][row % 2].to_string();
    // Names alike up to case; weights that are all equal; one feature; many classes; many numbers.
    place.file("constant.csv", table(&|_| "1".to_string(), &parity));
    place.file("classes.csv", table(&|row| row.to_string(), &|row| format!("c{}", row % 40)));
    place.file("numbers.csv", table(&|row| row.to_string(), &|row| format!("{}.5", row * row)));
    for (args, wanted) in [
        ("constant.csv --drop A", "The only feature, "),
        ("constant.csv", "All 2 features have the same weight, 0: nothing tells them apart."),
        ("classes.csv", ">33 other classes</bdi> <span class=\"quiet\">165 rows</span>"),
        ("numbers.csv", "Histogram of class from 0.5 to 3.96e4"),
    ] {
        place.line(&format!("rank {args} --target class --report r.html --force")).done();
        let html = place.read("r.html");
        assert!(html.contains(wanted), "{args}");
        assert!(!html.contains("NaN"), "{args}");
    }
}

/// The opener is a program of the system; here it is one that writes what it is given.
#[cfg(target_os = "linux")]
#[test]
fn the_page_opens_when_asked_and_only_then() {
    use std::os::unix::fs::PermissionsExt;

    let place = place();
    place.file("xdg-open", "#!/bin/sh\necho \"$1\" > opened\n");
    let opener = place.path("xdg-open");
    std::fs::set_permissions(&opener, std::fs::Permissions::from_mode(0o755)).unwrap();
    let call = |line: &str, path: &str| {
        let args: Vec<&str> = line.split(' ').collect();
        place.command(&args).env("PATH", path).output().unwrap()
    };
    let here = format!("{}:/bin:/usr/bin", place.path("").display());
    let line = "rank d.csv --target class --force --report r.html";
    assert!(call(line, &here).status.success());
    assert!(!place.path("opened").exists());
    assert!(call(&format!("{line} --open"), &here).status.success());
    assert_eq!(place.read("opened"), "r.html\n");
    // Without such a program the page is written all the same.
    let missing = call(&format!("{line} --open"), "/no-such");
    assert_eq!(missing.status.code(), Some(2));
    let message = String::from_utf8(missing.stderr).unwrap();
    assert!(message.contains("open it in a browser"), "{message}");
}

#[test]
fn every_verb_with_a_page_answers_on_it() {
    let place = place();
    let page = |line: &str| {
        place.line(&format!("{line} --report r.html --force")).done();
        place.read("r.html")
    };
    let html =
        page("evaluate d.csv --target class --methods euclidean,relieff --folds 3 --drop color");
    assert!(html.contains(" the smallest error, "), "{html}");
    assert_eq!(html.matches("<circle class=\"f0\"").count(), 2);
    assert!(html.contains("<td class=\"num\">2.0 features</td>"), "{html}");
    assert!(html.contains("<h2 id=\"part-3-head\">What was chosen</h2>"));
    let html = page("fit d.csv --target class --method lfe --drop color --model m.basrelief");
    assert!(
        html.contains("<bdi class=\"name\">lfe</bdi> maps 2 features to 2 components."),
        "{html}"
    );
    assert!(html.contains("Before: the first two principal components"));
    assert!(html.contains("Both axes have the same scale."));
    let kept: Vec<&str> = html.split(" %</td></tr>").collect();
    assert!(kept.len() == 3 && kept[1].ends_with(">100.0"), "{html}");
    let html = page(
        "reproduce pb06 --quick --rows 30 --most-relevant 2 --data-sets 2 --neighbors 3 --output pb06",
    );
    assert!(html.contains("of the paper&#39;s claims"), "{html}");
    for text in [
        "<th class=\"group\" scope=\"rowgroup\" colspan=\"3\">RandomRBF: drelieff is worse than both others.</th>",
        "<th scope=\"col\" class=\"num\">pdrelieff - relieff</th>",
    ] {
        assert!(html.contains(text), "{text}: {html}");
    }
    assert!(!html.contains("<pre class=\"lines\""), "{html}");
    assert_eq!(html.matches("<img src=\"data:image/svg+xml;base64,").count(), 2);
    let html = page("stability d.csv --target class --top 1 --resamples 20");
    let answer = "The selection has stability 1.000 (95 % interval 1.000 to 1.000): stable, mostly the same features.";
    assert!(html.contains(answer), "{html}");
    assert_eq!(html.matches("<circle class=\"f0\"").count(), 3);
    // The page is no result of the experiment, whose folder holds nothing else.
    let message = place.line("evaluate d.csv --target class --report no-such/r.html").refused();
    assert!(message.contains("there is no folder no-such"), "{message}");
    let line = "fit d.csv --target class --drop color --model m.html --report m.html --force";
    let message = place.line(line).refused();
    assert!(message.contains("m.html is also written by --model"), "{message}");
}

/// A method that guesses is no tie with one that knows.
#[test]
fn an_evaluation_names_what_is_worse_and_what_cannot_be_told_apart() {
    let place = Place::new();
    // The leading principal component is what n and m share, which is noise.
    let mut text = String::from("x,n,m,class\n");
    for row in 0..120_usize {
        let n = (row * 7919 + 13) % 997;
        let (m, class) = (n + row % 3, ["a", "b"][row % 2]);
        text.push_str(&format!("{}.{},{n},{m},{class}\n", row % 2, row % 7));
    }
    place.file("d.csv", text);
    let page = |methods: &str| {
        let line = format!("evaluate d.csv --target class --methods {methods} --folds 10");
        place.line(&format!("{line} --report r.html --force")).done();
        let html = place.read("r.html");
        let (_, rest) = html.split_once("<p class=\"answer\">").unwrap();
        let answer = rest.split_once("</p>").unwrap().0;
        (answer.replace("<bdi class=\"name\">", "").replace("</bdi>", ""), html)
    };
    let (answer, html) = page("relieff,lda,pca:components=1");
    assert!(answer.starts_with("relieff and lda have the smallest error, both 0.00 %"), "{answer}");
    assert!(answer.contains(" Significantly worse: pca:components=1 (p ≤ 0.05)."), "{answer}");
    for text in [">1.0 components<", " features<"] {
        assert!(html.contains(text), "{text}: {html}");
    }
    let (answer, _) = page("lda");
    assert_eq!(answer, "lda has an error of 0.00 % (standard error 0.00 %).");
}

#[test]
fn pages_of_every_verb_can_be_repeated_to_the_byte() {
    let place = place();
    for line in [
        "evaluate d.csv --target class --methods euclidean,relieff --folds 3 --drop color",
        "fit d.csv --target class --method lfe --drop color --model m.basrelief",
        "stability d.csv --target class --top 1 --resamples 20",
    ] {
        let line = format!("{line} --no-time --report r.html --report-json r.json --force");
        place.line(&line).done();
        let first = [place.read("r.html"), place.read("r.json")];
        place.line(&line).done();
        assert!(first == [place.read("r.html"), place.read("r.json")], "{line}");
    }
}

/// Features that act together, and one that stands for another, are named.
#[test]
fn the_page_says_what_acts_together_and_what_is_the_same() {
    let place = Place::new();
    let mut text = String::from("a,b,copy,n1,class\n");
    for row in 0..400_usize {
        let (a, b, n) = (row / 2 % 2, row / 4 % 2, row * 7 % 13);
        text.push_str(&format!("v{a},w{b},u{b},{n},{}\n", ["no", "yes"][a ^ b]));
    }
    place.file("xor.csv", text);
    let line = "rank xor.csv --target class --permutations 99 --report r.html --report-json r.json";
    place.line(line).done();
    let json: serde_json::Value = serde_json::from_str(&place.read("r.json")).unwrap();
    let pairs = json["report"]["interactions"]["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 6);
    let strength = |one: &str, other: &str| {
        let is_it = |pair: &&serde_json::Value| {
            let names = pair["features"].as_array().unwrap();
            names.contains(&one.into()) && names.contains(&other.into())
        };
        pairs.iter().find(is_it).unwrap()["strength"].as_f64().unwrap()
    };
    // One bit, less a little bias.
    assert!((strength("a", "b") - 1.0).abs() < 0.02);
    assert!(strength("b", "copy") < 0.02);
    assert_eq!(json["report"]["redundancy"]["groups"], serde_json::json!([["b", "copy"]]));
    let html = place.read("r.html");
    for text in [
        "Which of them act together",
        "<caption><bdi>a</bdi> down",
        "<li><bdi>b</bdi>, <bdi>copy</bdi></li>",
    ] {
        assert!(html.contains(text), "{text}");
    }
    assert_eq!(
        json["report"]["profiles"][0]["spread"]["levels"][0]["rows_by_class"],
        serde_json::json!([100, 100])
    );
}

#[test]
fn the_page_says_how_the_weights_came_about_where_that_was_in_rounds() {
    let place = Place::new();
    place.line("synth xor --rows 150 --features 40 --output x.csv").done();
    for (options, wanted) in [
        ("--wrap turf:drop=0.5,keep=5", "turf weighed the features 4 times"),
        ("--method irelief", "change of the weights in every iteration"),
    ] {
        let line = format!(
            "rank x.csv --target class {options} --report r.html --report-json r.json --force"
        );
        place.line(&line).done();
        assert!(place.read("r.html").contains(wanted), "{options}");
        let behind: serde_json::Value = serde_json::from_str(&place.read("r.json")).unwrap();
        let course = &behind["report"]["course"];
        if options.contains("turf") {
            assert_eq!(course["features"], serde_json::json!([40, 20, 10, 5]));
            let ranks = course["ranks"].as_array().unwrap();
            assert_eq!(ranks.len(), 5);
            for (kept, best) in ranks.iter().zip(behind["features"].as_array().unwrap()) {
                assert_eq!(kept["feature"], best["name"]);
                assert_eq!(kept["ranks"].as_array().unwrap().last().unwrap(), &best["rank"]);
            }
        } else {
            let changes = course["changes"].as_array().unwrap();
            assert_eq!(changes.len() as u64, behind["iterations"].as_u64().unwrap());
            assert_eq!(changes.last().unwrap(), &behind["last_change"]);
        }
    }
    // A wrapper around it hides the rounds of each of its fits.
    place.line("rank x.csv --target class --method irelief --wrap vls:size=10,rounds=2 --report r.html --force").done();
    assert!(!place.read("r.html").contains("How the weights came about"));
}
