//! `--report`: the page that is written, when it is refused, and that it is the same every time. What is
//! on it is tested in the crate `basrelief-report`, and in a browser (`python/tests/test_report_browser.py`).

use crate::{Place, small_table};

/// The command that a page shows, as it is copied.
fn command_of(html: &str) -> String {
    let (_, rest) = html.split_once("<code>basrelief ").unwrap();
    let command = rest.split_once("</code>").unwrap().0;
    command.replace("<span class=\"word\">", "").replace("</span>", "")
}

/// A sentence of a page without the elements that mark names and numbers.
fn without_marks(sentence: &str) -> String {
    let marks = ["<bdi class=\"name\">", "</bdi>", "<span class=\"whole\">", "</span>"];
    marks.iter().fold(sentence.to_string(), |text, mark| text.replace(mark, ""))
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
        "With 99 permutations no p-value can be below <span class=\"whole\">0.0100</span>",
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
        "1 of 3 features is significantly associated with class (adjusted p (max-T) ≤ 0.05): x1."
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
    let place = place().carefully();
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
        ("constant.csv", "All 2 features have the same weight, 0."),
        ("classes.csv", ">33 other classes</bdi> <span class=\"quiet\">165 rows</span>"),
        ("numbers.csv", "Histogram of class from 0.5 to 39,600"),
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
    assert!(html.contains("<td class=\"num\">2 features</td>"), "{html}");
    assert!(html.contains("<h2 id=\"part-3-head\">Selected options</h2>"));
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
    assert!(without_marks(&html).contains(answer), "{html}");
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
        (without_marks(answer), html)
    };
    let (answer, html) = page("relieff,lda,pca:components=1");
    assert!(answer.starts_with("relieff and lda have the smallest error, both 0.00 %"), "{answer}");
    assert!(answer.contains(" Significantly worse: pca:components=1 (p ≤ 0.05)."), "{answer}");
    for text in [">1 components<", " features<"] {
        assert!(html.contains(text), "{text}: {html}");
    }
    let (answer, _) = page("lda");
    assert_eq!(answer, "lda has an error of 0.00 % (standard error 0.00 %).");
}

#[cfg(unix)]
#[test]
fn the_commands_of_the_page_on_reports_run() {
    crate::assert_examples("report.md", 2);
}

#[test]
fn pages_name_files_without_the_folders_of_the_user() {
    let place = place();
    std::fs::create_dir(place.path("study")).unwrap();
    place.file("study/d.csv", small_table());
    let full = |name: &str| place.path(name).display().to_string();
    let (data, report) = (full("study/d.csv"), full("r.html"));
    let args = ["rank", &data, "--target", "class", "--report", &report, "--report-json", "r.json"];
    place.run(&args).done();
    let html = place.read("r.html");
    let folder = full("").trim_end_matches('/').to_string();
    assert!(!html.contains(&folder), "{html}");
    assert!(html.contains("<dt>Data</dt><dd><bdi>d.csv</bdi>"), "{html}");
    let command = "rank d.csv --target class --report r.html --report-json r.json";
    assert_eq!(command_of(&html), command);
    // A page for programs has the full name.
    assert!(place.read("r.json").contains(&data));
    // Two files of the same name have the shortest distinguishing tails.
    let copy = full("d.csv");
    place
        .run(&["pairs", &data, "--target", "class", "--from", "none.csv", "--report", "p.html"])
        .refused();
    let output = format!("--output={copy}");
    let line = [
        "rank", &data, "--target", "class", "--format", "csv", &output, "--report", &report,
        "--force",
    ];
    place.run(&line).done();
    let html = place.read("r.html");
    assert!(html.contains("<dt>Data</dt><dd><bdi>study/d.csv</bdi>"), "{html}");
    assert!(!html.contains(&folder), "{html}");
}

#[test]
fn pages_cite_papers_and_have_a_date_unless_they_are_to_be_repeated() {
    let place = place();
    place.line("rank d.csv --target class --wrap turf:keep=2 --report r.html").done();
    let html = place.read("r.html");
    let (_, date) = html.split_once("<dt>Date</dt><dd><bdi>").unwrap();
    assert!(
        date[..10].bytes().all(|byte| byte.is_ascii_digit() || byte == b'-'),
        "{}",
        &date[..10]
    );
    for text in [
        "<h2 id=\"cite-head\">How to cite</h2>",
        "SNP data. Version ",
        "I. Kononenko. Estimating attributes: analysis and extensions of RELIEF. ECML 1994, 171-182.",
        "J. H. Moore and B. C. White.",
        "<summary>Glossary</summary>",
        "<dt>null threshold</dt>",
    ] {
        assert!(html.contains(text), "{text}");
    }
    place.line("rank d.csv --target class --report r.html --no-time --force").done();
    assert!(!place.read("r.html").contains("<dt>Date</dt>"));
}

/// A cohort with a covariate, and its page.
#[test]
fn pages_of_cohorts_show_positions_and_the_counts_of_an_adjusted_target() {
    let place = Place::new();
    let line = "synth cohort --rows 120 --variants 140 --populations 2 --fst 0.05 --confounding 0.2 --seed 3 --output c.bed";
    place.line(line).done();
    place.line("rank c.bed --covar c.cov --residuals --report r.html --report-json r.json").done();
    let (html, json) = (place.read("r.html"), place.read("r.json"));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let first = &json["features"][0];
    let cell = format!(
        "<td>{}</td><td class=\"num\">{}</td><td>{}</td>",
        first["chrom"].as_str().unwrap(),
        first["pos"],
        first["a1"].as_str().unwrap()
    );
    for text in [
        cell.as_str(),
        "The best 50 of 140 features",
        ", A1 ",
        "Target: <bdi title=\"phenotype, adjusted for PC1 (residuals)\">",
        "Before the adjustment: <bdi title=\"phenotype\">",
        "<bdi title=\"case\">case</bdi> <span class=\"quiet\">",
        "x=\"198\" y=\"170\">phenotype, adjusted for PC1 (residuals)</text>",
    ] {
        assert!(html.contains(text), "{text}: {html}");
    }
    place.line("pairs c.bed --covar c.cov --top 6 --report p.html").done();
    assert!(place.read("p.html").contains("in both models of each test"));
}

/// With few permutations a q-value cannot be small, even if the feature is significant by max-T.
#[test]
fn q_values_that_permutations_cannot_resolve_are_explained() {
    let place = Place::new();
    place.line("synth xor --rows 300 --features 300 --output x.csv").done();
    let line = "rank x.csv --target class --neighbors 50 --permutations 20 --report r.html --report-json r.json --force";
    let text = place.line(line).done();
    let json: serde_json::Value = serde_json::from_str(&place.read("r.json")).unwrap();
    let features = json["features"].as_array().unwrap();
    let smallest = json["permutation_test"]["smallest_attainable_q"].as_f64().unwrap();
    // m p / k for the k features that no permutation exceeds, or less with those that few exceed.
    let p = |rank: usize| features[rank]["p_value"].as_f64().unwrap();
    let mut all: Vec<f64> = (0..300).map(p).collect();
    all.sort_by(f64::total_cmp);
    assert_eq!(all[0], 1.0 / 21.0);
    let wanted = (1..=300).map(|rank| 300.0 * all[rank - 1] / rank as f64).fold(1.0, f64::min);
    assert!((smallest - wanted).abs() < 1e-12, "{smallest} {wanted}");
    assert!(smallest > 0.05);
    let note = "with 20 permutations and 300 features";
    assert!(text.lines().last().unwrap().contains(note), "{text}");
    assert!(place.read("r.html").contains(note));
    // With enough permutations there is no note.
    place.line("synth xor --rows 300 --features 20 --output x.csv").done();
    let text = place.line(&line.replace("permutations 20", "permutations 999")).done();
    assert!(!text.contains("q cannot be below"), "{text}");
}

#[test]
fn the_quality_of_a_cohort_and_sets_have_pages() {
    let place = Place::new();
    place.line("synth cohort --rows 120 --variants 140 --seed 3 --output c.bed").done();
    let report = "--report r.html --report-json r.json --force --no-time";
    place.line(&format!("quality c.bed --maf 0.1 --geno 0.05 {report}")).done();
    let (html, json) = (place.read("r.html"), place.read("r.json"));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let exclusions = json["exclusions"].as_array().unwrap();
    let filters: Vec<&str> = exclusions.iter().map(|one| one["filter"].as_str().unwrap()).collect();
    assert_eq!(filters, ["geno", "maf"]);
    let excluded = exclusions[1]["excluded"].as_u64().unwrap();
    assert!(excluded > 0);
    assert_eq!(json["data"]["variants"].as_u64().unwrap(), 140 - excluded);
    for text in [
        format!("The filters excluded {excluded} variants and 0 people."),
        format!(
            "<bdi>--maf 0.1</bdi></th><td class=\"num\">140 variants</td><td class=\"num\">{excluded}</td>"
        ),
        "aria-label=\"Histogram of minor allele frequency of ".to_string(),
        "Hardy-Weinberg p-values</h3>".to_string(),
        "Missing genotypes of people</h3>".to_string(),
    ] {
        assert!(html.contains(&text), "{text}: {html}");
    }
    place.line(&format!("quality c.bed --maf 0.1 --geno 0.05 {report}")).done();
    assert_eq!(place.read("r.html"), html);

    place.line(&format!("sets c.bed --by-chromosome --permutations 20 {report}")).done();
    let html = place.read("r.html");
    let json: serde_json::Value = serde_json::from_str(&place.read("r.json")).unwrap();
    let sets = json["sets"].as_array().unwrap();
    for text in [
        &format!("All {} sets", sets.len()) as &str,
        "adjusted p <span class=\"word\">(min-P)</span>",
        &format!("{} (rank 1; ", sets[0]["set"].as_str().unwrap()),
        &format!("<bdi>{}</bdi>", sets[0]["features"][0]["name"].as_str().unwrap()),
        "CHROM:POS A1",
        "How to cite",
    ] {
        assert!(html.contains(text), "{text}: {html}");
    }
    let place = place.carefully();
    let message = place.line("quality c.bed --report r.html").refused();
    assert!(message.contains("the file exists"), "{message}");
    let message = place.line("sets c.bed --by-chromosome --report r.pdf").refused();
    assert!(message.contains("the ending of its name"), "{message}");
}

#[test]
fn many_numbers_of_features_have_a_logarithmic_axis() {
    let place = Place::new();
    place.line("synth xor --rows 90 --features 150 --output wide.csv").done();
    let page = |line: &str| {
        place.line(&format!("{line} --report r.html --force")).done();
        place.read("r.html")
    };
    let html = page("evaluate wide.csv --target class --methods relieff,euclidean --folds 2");
    assert!(html.contains("The horizontal axis is logarithmic."), "{html}");
    assert!(html.contains(">150 features</td>"), "{html}");
    let html = page("stability wide.csv --target class --resamples 5");
    assert!(html.contains("The axis of the ranks is logarithmic."), "{html}");
    assert!(html.contains(">10</text>") && html.contains(">100</text>"), "{html}");
    place.line("synth xor --rows 90 --features 20 --output few.csv").done();
    let html = page("stability few.csv --target class --resamples 5");
    assert!(!html.contains("logarithmic"), "{html}");
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
        "<h2 id=\"pairs-head\">Interactions</h2>",
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
        ("--wrap turf:drop=0.5,keep=5", "turf scored the features 4 times"),
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
    assert!(!place.read("r.html").contains("<h2 id=\"course-head\">"));
}
