//! Standard input and output, the reduced table, and what shells and `man` read.

use std::io::Write;
use std::process::Stdio;

use crate::{Place, small_table};

/// Runs a line with a text as its standard input.
fn piped(place: &Place, line: &str, input: &[u8]) -> (Option<i32>, String, String) {
    let args: Vec<&str> = line.split_whitespace().collect();
    let mut child = place
        .command(&args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // The program may refuse its arguments without reading.
    let _ = stdin.write_all(input);
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_dash_is_standard_input_and_synth_writes_to_standard_output() {
    let place = Place::new();
    let generated = place.line("synth xor --rows 200 --features 12").done();
    place.line("synth xor --rows 200 --features 12 --output x.csv").done();
    assert_eq!(generated, place.read("x.csv"));
    let expected = place.line("rank x.csv --target class --format csv").done();
    let line = "rank - --target class --format csv --input-format csv";
    assert_eq!(piped(&place, line, generated.as_bytes()).1, expected);
    place.line("synth xor --rows 200 --features 12 --output x.npy").done();
    let bytes = std::fs::read(place.path("x.npy")).unwrap();
    let line = "rank - --target x13 --format csv --input-format npy";
    assert_eq!(piped(&place, line, &bytes).1.lines().count(), 13);
    let (code, _, err) = piped(&place, "rank - --target class", generated.as_bytes());
    assert_eq!(code, Some(2));
    assert!(err.contains("--input-format"), "{err}");
    let line = "rank - --target klass --input-format csv";
    let (code, _, err) = piped(&place, line, generated.as_bytes());
    assert_eq!(code, Some(2));
    assert!(err.starts_with("error: standard input, column `klass`: there is no"), "{err}");
    let (code, _, err) = piped(&place, "rank - --target class --input-format csv", b"");
    assert_eq!(code, Some(2));
    assert!(err.contains("empty (0 bytes)"), "{err}");
}

#[test]
fn select_keeps_the_best_columns_with_cells_as_they_were() {
    let place = Place::new();
    let mut text = "id,\"a, b\",x,noise,class\n".to_string();
    for row in 0..40 {
        let gap = if row == 5 { "NA" } else { "01.50" };
        let x = if row % 2 == 0 { format!("{row}.50") } else { format!("{}.0e1", row + 70) };
        let quoted = ["\"u, v\"", "w"][row % 2];
        text.push_str(&format!("r{row},{quoted},{x},{gap},k{}\n", row % 2));
    }
    place.file("d.csv", &text);
    let line = "select d.csv --target class --drop id --top 2";
    let reduced = place.line(line).done();
    let whole = |line: &str| {
        let mut reader = csv::Reader::from_reader(line.as_bytes());
        let head: Vec<String> = reader.headers().unwrap().iter().map(str::to_string).collect();
        let rows: Vec<Vec<String>> =
            reader.records().map(|row| row.unwrap().iter().map(str::to_string).collect()).collect();
        (head, rows)
    };
    let ((head, rows), (_, all)) = (whole(&reduced), whole(&text));
    assert_eq!(head, ["a, b", "x", "class"]);
    let expected: Vec<Vec<String>> =
        all.iter().map(|row| [1, 2, 4].map(|column: usize| row[column].clone()).to_vec()).collect();
    assert_eq!(rows, expected);
    // To files of every ending, which rank alike.
    for file in ["r.csv", "r.csv.gz", "r.parquet"] {
        let outcome = place.line(&format!("{line} --output {file}"));
        assert!(outcome.err.contains(&format!("wrote {file}: 2 features of 3: ")));
        assert_eq!(outcome.done(), "");
        let ranked = place.line(&format!("rank {file} --target class --format csv")).done();
        assert_eq!(ranked.lines().count(), 3, "{file}");
    }
    let again = "select r.parquet --target class --top 1 --output s.parquet";
    place.line(again).done();
    assert!(place.line("rank s.parquet --target class").done().contains("1 feature"));
    let above = place.line("select d.csv --target class --drop id --above 0.5").done();
    assert!(above.starts_with("\"a, b\",") && !above.contains("noise"), "{above}");
    let message = place.line("select d.csv --target class --drop id --above 7").refused();
    assert!(message.contains("no feature has a weight above") && message.contains("largest"));
    let message = place.line("select d.csv --target class").refused();
    assert!(message.contains("--top"), "{message}");
    let message = place.line("select d.csv --target class --top 1 --output d.csv").refused();
    assert!(message.contains("is the data file itself"), "{message}");
}

#[test]
fn select_writes_rows_without_a_target_too() {
    let place = Place::new();
    place.file("d.csv", "a,b,y\n1,4,u\n2,3,\n3,2,v\n4,1,u\n5,0,v\n");
    let reduced = place.line("select d.csv --target y --top 1 --neighbors 1").done();
    assert_eq!(reduced.lines().count(), 6, "{reduced}");
}

#[test]
fn completions_manual_pages_and_versions() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let script = place.line(&format!("completions {shell}")).done();
        assert!(script.contains("basrelief") && script.contains("neighbors"), "{shell}");
    }
    place.line("completions tcsh").refused();
    assert!(place.line("man").done().contains(".SH"));
    let page = place.line("man rank").done();
    assert!(page.contains("basrelief-rank") && page.contains("neighbors"), "{page}");
    place.line("man rnak").refused();
    place.line("man --output pages").done();
    assert!(place.path("pages/basrelief-synth-xor.1").is_file());
    for verb in ["", "rank ", "synth xor ", "reproduce pb06 "] {
        let version = place.line(&format!("{verb}--version")).done();
        assert!(version.trim_end().ends_with(env!("CARGO_PKG_VERSION")), "{version}");
    }
}

#[test]
fn endings_that_tell_no_format_are_refused_before_any_work() {
    let place = Place::new();
    place.file("d.csv", small_table());
    let message = place.line("rank d.csv --target class --output r.parquet").refused();
    assert!(message.contains("r.parquet") && message.contains(".json, .csv and .txt"), "{message}");
    let fit = "fit d.csv --target class --drop color --model m.basrelief";
    let message = place.line(&format!("{fit} --output r.csv")).refused();
    assert!(message.contains("does not specify a format"), "{message}");
    let message = place.line(&format!("{fit} --figure x.gif")).refused();
    assert!(message.contains("figures are written as SVG, PDF or PNG"), "{message}");
    assert_eq!(place.names(), ["d.csv"]);
    place.line("rank d.csv --target class --output r.parquet --format json").done();
}

#[test]
fn a_kind_of_all_columns_leaves_the_target_alone() {
    let place = Place::new();
    place.file("d.csv", "a,b,class\n0,4,u\n1,3,v\n2,2,u\n0,1,v\n");
    for kind in ["numeric", "categorical"] {
        let table = place.line(&format!("rank d.csv --target class --{kind} all")).done();
        assert!(table.contains(&format!("2 features (2 {kind})")), "{table}");
    }
    let table = place.line("rank d.csv --target class --genotype all --drop b").done();
    assert!(table.contains("1 feature (1 genotype)"), "{table}");
}

#[test]
fn a_negative_number_is_a_wrong_value() {
    let place = Place::new();
    place.file("d.csv", small_table());
    let message = place.line("rank d.csv --target class --seed -1").refused();
    assert!(message.contains("invalid value '-1' for '--seed <S>'"), "{message}");
    assert!(!message.contains("tip:"), "{message}");
}

#[test]
fn only_a_name_that_is_like_it_is_suggested() {
    let place = Place::new();
    place.file("vote.csv", small_table());
    let message = place.line("rank nope.csv --target class").refused();
    assert!(!message.contains("vote.csv"), "{message}");
    let message = place.line("rank votes.csv --target class").refused();
    assert!(message.contains("did you mean `vote.csv`?"), "{message}");
}

#[test]
fn everything_fits_80_columns_and_bars_follow_the_locale() {
    let place = Place::new();
    let wide = |row: usize| format!("{},{},{}", row * 7 % 11, row * 5 % 13, row % 9);
    let rows: String = (0..90).map(|row| format!("{}\n", wide(row))).collect();
    let name = "a-file-with-a-name-that-is-rather-long-for-a-terminal.csv";
    place.file(name, format!("first,second,class_of_the_row\n{rows}"));
    let args = ["rank", name, "--target", "class_of_the_row"];
    for (locale, ascii) in [("C", true), ("en_US.ISO-8859-1", true), ("C.UTF-8", false)] {
        let output = place.command(&args).env("LC_ALL", locale).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(text.is_ascii(), ascii, "{locale}: {text}");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
}
