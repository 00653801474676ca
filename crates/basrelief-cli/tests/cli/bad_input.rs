//! Bad input: a clear message that names file, line, column and value; exit code 2; nothing
//! written.

use crate::{Place, small_table};

/// Ranks `content` with `extra` arguments and an output file; the call must be refused, the file
/// must not appear, and the message must hold all `words`.
fn refused(content: impl AsRef<[u8]>, extra: &str, words: &[&str]) -> String {
    let place = Place::new();
    place.file("data.csv", content);
    let line = format!("rank data.csv --target class --output out.json {extra}");
    let message = place.line(&line).refused();
    assert_eq!(place.names(), ["data.csv"], "{message}");
    for word in words {
        assert!(message.contains(word), "no `{word}` in: {message}");
    }
    assert!(message.starts_with("error: "), "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
    assert!(message.len() < 1000, "a flood: {} bytes", message.len());
    message
}

/// Ranks `content`; the call must work and warn with all `words`.
fn warned(content: &str, extra: &str, words: &[&str]) -> (String, String) {
    let place = Place::new();
    place.file("data.csv", content);
    let outcome = place.line(&format!("rank data.csv --target class --format csv {extra}"));
    assert_eq!(outcome.code, Some(0), "{}", outcome.err);
    for word in words {
        assert!(outcome.err.contains(word), "no `{word}` in: {}", outcome.err);
    }
    (outcome.out, outcome.err)
}

#[test]
fn a_missing_file() {
    let place = Place::new();
    let message = place.line("rank none.csv --target class --output out.csv").refused();
    assert!(message.contains("none.csv") && message.to_lowercase().contains("no such file"));
    assert!(place.names().is_empty());
}

#[test]
fn a_directory() {
    let place = Place::new();
    std::fs::create_dir(place.path("data.csv")).unwrap();
    let message = place.line("rank data.csv --target class").refused();
    assert!(message.contains("data.csv") && message.contains("folder"), "{message}");
}

#[test]
fn an_empty_file() {
    refused("", "", &["data.csv", "empty"]);
}

#[test]
fn a_header_only() {
    refused("a,b,class\n", "", &["data.csv", "row"]);
}

#[test]
fn ragged_rows() {
    refused("a,b,class\n1,2,x\n3,4,y\n5,6\n", "", &["data.csv", "line 4", "3"]);
    refused("a,b,class\n1,2,x\n3,4,y,9\n5,6,x\n", "", &["data.csv", "line 3", "4"]);
}

#[test]
fn an_unknown_target_suggests_the_nearest_name() {
    let place = Place::new();
    place.file("data.csv", small_table());
    let message = place.line("rank data.csv --target Clas").refused();
    assert!(message.contains("data.csv, column `Clas`"), "{message}");
    assert!(message.contains("did you mean `class`?"), "{message}");
}

#[test]
fn unknown_columns_in_other_lists_suggest_the_nearest_name() {
    for flag in ["--drop", "--categorical", "--genotype", "--numeric"] {
        refused(small_table(), &format!("{flag} colr"), &["`color`", "did you mean `color`?"]);
    }
}

#[test]
fn a_target_of_one_class() {
    refused("a,class\n1,x\n2,x\n3,x\n", "", &["data.csv", "class"]);
}

/// Rows with a real target.
fn real_target() -> String {
    let rows: String = (0..30).map(|row| format!("{},{}.25\n", row * 7 % 11, row)).collect();
    format!("a,class\n{rows}")
}

#[test]
fn a_real_target_under_a_method_for_classes_names_rrelieff() {
    refused(
        real_target(),
        "--method relieff",
        &[
            "data.csv",
            "the target is numeric",
            "relieff needs classes",
            "use rrelieff",
            "--target-type",
        ],
    );
}

#[test]
fn classes_under_a_method_for_numbers_name_relieff() {
    refused(small_table(), "--method rrelieff", &["2 classes", "numeric target", "use relieff"]);
}

#[test]
fn three_classes_under_a_method_for_two() {
    let rows: String =
        (0..30).map(|row| format!("{},{}\n", row * 7 % 11, ["x", "y", "z"][row % 3])).collect();
    refused(
        format!("a,class\n{rows}"),
        "--method relief",
        &["data.csv", "3 classes", "two", "relieff"],
    );
}

#[test]
fn no_neighbors() {
    refused(
        small_table(),
        "--neighbors 0",
        &["option --neighbors", "0 is less than 1", "default 10"],
    );
    refused(small_table(), "--neighbors ten", &["--neighbors", "`ten` is not a whole number"]);
}

#[test]
fn more_neighbors_than_rows_of_a_class_warns() {
    let (all, message) = warned(&small_table(), "--neighbors 1000", &["warning: "]);
    assert!(message.contains("1000"), "{message}");
    let (same, _) = warned(&small_table(), "--neighbors 19", &[]);
    // 19 other rows of the own class, 20 of the other: not the same statistic, but both rank.
    assert_eq!(all.lines().count(), same.lines().count());
}

#[test]
fn no_samples_or_more_than_rows() {
    refused(small_table(), "--samples 0", &["option --samples", "0 is less than 1"]);
    refused(small_table(), "--samples 41", &["--samples", "41", "40"]);
}

#[test]
fn an_infinite_value() {
    refused("a,b,class\n1,2,x\ninf,4,y\n", "", &["data.csv", "line 3", "`a`", "inf"]);
    refused("a,b,class\n1,2,x\n5,-1e999,y\n", "", &["data.csv", "line 3", "`b`", "-1e999"]);
}

#[test]
fn text_in_a_column_declared_numeric() {
    refused(
        "a,b,class\n1,2,x\n3,high,y\n4,5,x\n",
        "--numeric b",
        &["data.csv", "column `b`", "declared numeric", "`high`", "line 3"],
    );
}

#[test]
fn a_number_in_a_column_declared_genotype() {
    refused("a,b,class\n1,2,x\n3,0,y\n4,1,x\n", "--genotype a", &["data.csv", "column `a`", "`3`"]);
}

#[test]
fn a_column_of_missing_values_weighs_0_and_is_named() {
    let rows: String =
        (0..40).map(|row| format!("{},,{}\n", row * 7 % 20, ["x", "y"][row % 2])).collect();
    let (out, _) =
        warned(&format!("a,gap,class\n{rows}"), "", &["warning: ", "only missing values", "gap"]);
    assert!(out.lines().any(|line| line.contains(",gap,0.0,")), "{out}");
}

#[test]
fn a_header_name_twice() {
    refused("a,b,a,class\n1,2,3,x\n4,5,6,y\n", "", &["data.csv", "`a`", "1", "3"]);
}

#[test]
fn bytes_that_are_not_utf_8() {
    refused(b"a,b,class\n1,2,x\n3,caf\xe9,y\n", "", &["data.csv", "line 3", "UTF-8"]);
}

#[test]
fn a_field_of_ten_million_characters() {
    let long = "x".repeat(10_000_000);
    refused(
        format!("a,b,class\n1,2,x\n{long},4,y\n"),
        "--numeric a",
        &["data.csv", "line 3", "`a`", "`xxx"],
    );
}

#[test]
fn an_output_that_cannot_be_written_is_refused_before_the_work() {
    let place = Place::new();
    // The data file does not exist: a check after the work would complain about that instead.
    let message = place.line("rank none.csv --target class --output no/such/out.csv").refused();
    assert!(message.contains("no/such/out.csv"), "{message}");
    place.file("plain", "");
    let message = place.line("rank none.csv --target class --output plain/out.csv").refused();
    assert!(message.contains("plain/out.csv"), "{message}");
    std::fs::create_dir(place.path("folder")).unwrap();
    let message = place.line("rank none.csv --target class --output folder").refused();
    assert!(message.contains("folder"), "{message}");
    assert_eq!(place.names(), ["folder", "plain"]);
}

#[test]
fn the_data_file_is_not_overwritten() {
    let place = Place::new();
    place.file("data.csv", small_table());
    let message = place.line("rank data.csv --target class --output ./data.csv").refused();
    assert!(message.contains("--output"), "{message}");
    assert_eq!(place.read("data.csv"), small_table());
}

#[test]
fn no_threads() {
    refused(small_table(), "--threads 0", &["option --threads", "0 threads"]);
}

#[test]
fn too_many_threads() {
    refused(small_table(), "--threads 100000000", &["option --threads", "at most 4096"]);
}

#[test]
fn extreme_options_that_are_no_mistake() {
    warned(&small_table(), "--neighbors 18446744073709551615", &["all of which were used"]);
    let (narrow, _) = warned(&small_table(), "--neighbor-weights rank:0.001", &[]);
    let (nearest, _) = warned(&small_table(), "--neighbors 1", &[]);
    assert_eq!(narrow, nearest);
}

#[test]
fn an_unknown_method_suggests_the_nearest() {
    refused(small_table(), "--method reliefff", &["option --method", "did you mean `relieff`?"]);
}

#[test]
fn an_option_of_another_method_names_those_it_takes() {
    refused(
        small_table(),
        "--bins 5",
        &["option --bins: relieff does not take it", "--neighbors", "--genotype-diff"],
    );
}

#[test]
fn a_column_of_two_kinds() {
    refused(small_table(), "--categorical x1 --numeric x1", &["`x1` is given twice"]);
    refused(small_table(), "--categorical all --genotype all", &["`all` is given twice"]);
}

#[test]
fn mistakes_that_clap_finds() {
    let place = Place::new();
    place.file("data.csv", small_table());
    for line in [
        "",
        "rank",
        "rank data.csv",
        "rank data.csv --target class --top 0",
        "rank data.csv --target class --format yaml",
        "rank data.csv --target class --delimiter ab",
        "rank data.csv --target class --seed -1",
        "rank data.csv --target class --neigbors 3",
        "sink data.csv",
        "synth",
        "synth xro --output x.csv",
        "synth majority --output x.csv --heritability 0.2",
    ] {
        let message = place.line(line).refused();
        assert!(message.contains("Usage") || message.starts_with("error: "), "{line}: {message}");
    }
    assert_eq!(place.names(), ["data.csv"]);
}
