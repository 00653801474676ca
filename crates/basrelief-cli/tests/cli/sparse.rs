//! Sparse tables from Matrix Market and LIBSVM files.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

use crate::Place;

const ROWS: usize = 40;
const COLUMNS: usize = 9;

/// The value of a cell; 0 has no entry.
fn cell(row: usize, column: usize) -> f64 {
    let hash = (row * 37 + column * 11 + row * column * 5) % 23;
    match hash {
        _ if column == 8 => (row % 2 * 2) as f64,
        0 => 2.5,
        1 | 2 => 1.0,
        3 if column == 4 => -1.25,
        _ => 0.0,
    }
}

fn class(row: usize) -> &'static str {
    if cell(row, 1) + cell(row, 8) > 0.5 { "yes" } else { "no" }
}

/// The same table as CSV, as Matrix Market with its classes and names, and as LIBSVM with classes 1 and 0.
fn tables(place: &Place) {
    let names: Vec<String> = (1..=COLUMNS).map(|column| format!("x{column}")).collect();
    let mut csv = format!("{},target\n", names.join(","));
    let (mut entries, mut svm) = (Vec::new(), String::from("# a comment\n"));
    for row in 0..ROWS {
        let line: Vec<String> = (0..COLUMNS).map(|column| cell(row, column).to_string()).collect();
        csv += &format!("{},{}\n", line.join(","), class(row));
        svm += if class(row) == "yes" { "+1" } else { "0" };
        for column in (0..COLUMNS).filter(|&column| cell(row, column) != 0.0) {
            entries.push(format!("{} {} {}\n", row + 1, column + 1, cell(row, column)));
            svm += &format!(" {}:{}", column + 1, cell(row, column));
        }
        svm += " # row\n";
    }
    // In any order, and with comments.
    entries.reverse();
    let mtx = format!(
        "%%MatrixMarket matrix coordinate real general\n% a comment\n{ROWS} {COLUMNS} {}\n{}",
        entries.len(),
        entries.concat()
    );
    let classes: Vec<&str> = (0..ROWS).map(class).collect();
    place.file("table.csv", csv);
    place.file("table.mtx", &mtx);
    place.file("table.svm", &svm);
    place.file("classes.txt", classes.join("\n"));
    place.file("names.txt", "a\tgene a\nb\nc\nd\ne\nf\ng\nh\ni\n");
    for (name, text) in [("zipped.mtx.gz", &mtx), ("zipped.svm.gz", &svm)] {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text.as_bytes()).unwrap();
        place.file(name, encoder.finish().unwrap());
    }
}

/// The weights of a ranking, by feature.
fn weights(place: &Place, line: &str) -> Vec<(String, f64)> {
    let found: Value =
        serde_json::from_str(&place.line(&format!("{line} --format json")).done()).unwrap();
    let features = found["features"].as_array().unwrap().iter();
    let mut all: Vec<(String, f64)> = features
        .map(|own| (own["name"].as_str().unwrap().to_string(), own["weight"].as_f64().unwrap()))
        .collect();
    all.sort_by(|a, b| a.0.cmp(&b.0));
    all
}

#[test]
fn every_form_of_a_table_has_the_same_weights() {
    let place = Place::new();
    tables(&place);
    let wanted = weights(&place, "rank table.csv --target target --numeric all");
    assert_eq!(wanted.len(), COLUMNS);
    for data in [
        "table.mtx --target-file classes.txt",
        "zipped.mtx.gz --target-file classes.txt --target target",
        "table.svm",
        "zipped.svm.gz --target target",
    ] {
        let found = weights(&place, &format!("rank {data}"));
        for ((name, found), (own, wanted)) in found.iter().zip(&wanted) {
            assert!(
                name == own && (found - wanted).abs() < 1e-12,
                "{data}: {name} {found} {wanted}"
            );
        }
    }
    // Names of columns, and a column as the target.
    let named = weights(&place, "rank table.mtx --target-file classes.txt --names names.txt");
    assert!(named.iter().zip(&wanted).all(|(own, wanted)| (own.1 - wanted.1).abs() < 1e-12));
    assert_eq!(named[0].0, "a");
    let of_column = weights(&place, "rank table.mtx --target x9");
    assert_eq!(of_column.len(), COLUMNS - 1);
    let text = place.line("rank table.mtx --target-file classes.txt --explain");
    assert!(
        (text.err.clone() + &text.out).contains("entries of sparse columns"),
        "{}{}",
        text.out,
        text.err
    );
}

#[test]
fn symmetric_patterns_and_transposed_tables() {
    let place = Place::new();
    place.file(
        "sym.mtx",
        "%%MatrixMarket matrix coordinate pattern symmetric\n4 4 4\n1 1\n3 1\n4 2\n4 3\n",
    );
    place.file("full.csv", "x1,x2,x3,x4,y\n1,0,1,0,a\n0,0,0,1,b\n1,0,0,1,a\n0,1,1,0,b\n");
    place.file(
        "skew.mtx",
        "%%MatrixMarket matrix coordinate integer skew-symmetric\n4 4 2\n3 1 2\n4 2 -3\n",
    );
    place.file("skewed.csv", "x1,x2,x3,x4,y\n0,0,-2,0,a\n0,0,0,3,b\n2,0,0,0,a\n0,-3,0,0,b\n");
    place.file(
        "wide.mtx",
        "%%MatrixMarket matrix coordinate real general\n2 4 3\n1 1 0.5\n2 3 4\n1 4 1\n",
    );
    place.file("long.csv", "x1,x2,y\n0.5,0,a\n0,0,b\n0,4,a\n1,0,b\n");
    place.file("y.txt", "a\nb\na\nb\n");
    for (sparse, dense) in
        [("sym.mtx", "full.csv"), ("skew.mtx", "skewed.csv"), ("wide.mtx --transpose", "long.csv")]
    {
        let line = format!("rank {sparse} --target-file y.txt --method relieff --neighbors 1");
        let found = weights(&place, &line);
        let line = format!("rank {dense} --target y --method relieff --neighbors 1 --numeric all");
        assert_eq!(found, weights(&place, &line), "{sparse}");
    }
}

#[test]
fn groups_of_libsvm_files_can_be_named() {
    let place = Place::new();
    let lines: Vec<String> = (0..24)
        .map(|row| {
            format!("{} qid:{} 1:{} 3:{}", row % 2, row / 4, row * 7 % 5 + 1, row * 3 % 4 + 1)
        })
        .collect();
    place.file("ranks.svm", lines.join("\n"));
    let plain = weights(&place, "rank ranks.svm");
    let grouped = weights(&place, "rank ranks.svm --group qid");
    assert_eq!(plain.len(), 3);
    assert_ne!(plain, grouped);
}

#[test]
fn kinds_tests_selections_pairs_and_reports_work() {
    let place = Place::new();
    tables(&place);
    let wanted = place.line("rank table.csv --target target --numeric all --permutations 20 --seed 3 --top 3 --format csv");
    let found = place.line(
        "rank table.mtx --target-file classes.txt --permutations 20 --seed 3 --top 3 --format csv",
    );
    assert_eq!(wanted.done().lines().count(), found.done().lines().count());
    let genotypes = weights(&place, "rank table.mtx --target-file classes.txt --genotype x9");
    assert_eq!(genotypes.len(), COLUMNS);
    place.line("rank table.svm --report page.html").done();
    assert!(place.names().contains(&"page.html".to_string()));
    place.line("stability table.svm --resamples 5 --top 2").done();
    place.line("select table.svm --top 2 --output chosen.csv").done();
    place.line("pairs table.svm --top 3").done();
    let message = place.line("plan table.svm --parts 2 --output job").refused();
    assert!(message.contains("a fit in parts does not support sparse tables"), "{message}");
}

/// A call that must be refused with all `words`, and write nothing.
fn refused(name: &str, content: &str, line: &str, words: &[&str]) {
    let place = Place::new();
    place.file(name, content);
    place.file("y.txt", "a\nb\na\n");
    let before = place.names();
    let output = if line.starts_with("rank") { " --output out.csv" } else { "" };
    let message = place.line(&format!("{line}{output}")).refused();
    assert_eq!(place.names(), before, "{message}");
    for word in words {
        assert!(message.contains(word), "no `{word}` in: {message}");
    }
}

#[test]
fn bad_matrix_market_files() {
    const HEADER: &str = "%%MatrixMarket matrix coordinate real general";
    for (content, words) in [
        (
            "1 1 1\n1 1 1\n".to_string(),
            &["t.mtx", "line 1", "not that of a Matrix Market file"][..],
        ),
        (
            "%%MatrixMarket matrix array real general\n2 1\n1\n2\n".into(),
            &["line 1", "not sparse", ".npy"],
        ),
        (
            "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 2\n".into(),
            &["line 1", "complex"],
        ),
        (
            "%%MatrixMarket matrix coordinate complex hermitian\n1 1 1\n1 1 1 2\n".into(),
            &["line 1", "complex"],
        ),
        (
            "%%MatrixMarket matrix coordinate real symmetric\n3 2 1\n1 1 1\n".into(),
            &["line 2", "symmetric matrix of 3 rows has 2"],
        ),
        (HEADER.into(), &["no line with the size"]),
        (format!("{HEADER}\n3 2\n"), &["line 2", "not three whole numbers", "3 2"]),
        (format!("{HEADER}\n3 0 0\n"), &["line 2", "0 columns"]),
        (
            format!("{HEADER}\n3 5000000000 0\n"),
            &["line 2", "5000000000 columns cannot be read", "4294967295"],
        ),
        (format!("{HEADER}\n3 2 2\n1 1 1\n"), &["1 entries", "says 2", "truncated"]),
        (format!("{HEADER}\n3 2 1\n1 1 1\n1 2 1\n"), &["2 entries", "says 1"]),
        (
            format!("{HEADER}\n3 2 1\n4 1 1\n"),
            &["line 3", "row is beyond the last one, which is 3", "`4`"],
        ),
        (
            format!("{HEADER}\n3 2 1\n1 3 1\n"),
            &["line 3", "column is beyond the last one, which is 2"],
        ),
        (format!("{HEADER}\n3 2 1\n0 1 1\n"), &["line 3", "index 0", "count from 1"]),
        (format!("{HEADER}\n3 2 1\n1.5 1 1\n"), &["line 3", "not a whole number", "`1.5`"]),
        (format!("{HEADER}\n3 2 1\n1 1 x\n"), &["line 3", "not a number", "`x`"]),
        (format!("{HEADER}\n3 2 1\n1 1 inf\n"), &["line 3", "infinite"]),
        (format!("{HEADER}\n3 2 1\n1 1\n"), &["line 3", "not an entry"]),
        (format!("{HEADER}\n3 2 1\n1 1 1 1\n"), &["line 3", "not an entry"]),
        (format!("{HEADER}\n3 2 2\n1 2 1\n1 2 3\n"), &["row 1", "`x2`", "two entries"]),
    ] {
        refused("t.mtx", &content, "rank t.mtx --target-file y.txt", words);
    }
    // A NaN is missing, and an explicit 0 is no entry.
    let place = Place::new();
    place.file("t.mtx", format!("{HEADER}\n4 2 4\n1 1 nan\n2 1 0\n3 1 2\n4 2 1\n"));
    place.file("y.txt", "a\nb\na\nb\n");
    let outcome = place.line("rank t.mtx --target-file y.txt --method relieff --neighbors 1");
    assert!(outcome.err.contains("1 value") || outcome.code == Some(0), "{}", outcome.err);
}

#[test]
fn bad_libsvm_files() {
    for (content, words) in [
        ("1:2 2:3\n", &["t.svm", "line 1", "does not begin with one target", "`1:2`"][..]),
        ("1,2 1:3\n", &["line 1", "one target"]),
        ("a 1:3\n", &["line 1", "not a number", "`a`"]),
        ("1 1:3\n0 x\n", &["line 2", "INDEX:VALUE", "`x`"]),
        ("1 0:3\n", &["line 1", "index 0", "count from 1"]),
        ("1 -1:3\n", &["line 1", "not a whole number"]),
        ("1 2:3 1:4\n", &["line 1", "do not ascend", "`1:4`"]),
        ("1 2:3 2:4\n", &["line 1", "do not ascend"]),
        ("1 2:abc\n", &["line 1", "`x2`", "not a number"]),
        ("1 2:\n", &["line 1", "`x2`", "not a number"]),
        ("1 5000000000:1\n", &["line 1", "beyond the last one, which is 4294967295"]),
        ("# nothing\n", &["no entries"]),
        ("1\n0\n", &["no entries"]),
    ] {
        refused("t.svm", content, "rank t.svm", words);
    }
}

#[test]
fn files_of_names_and_targets_must_fit() {
    let mtx = "%%MatrixMarket matrix coordinate pattern general\n3 2 2\n1 1\n2 2\n";
    for (line, words) in [
        ("rank t.mtx", &["target", "not given"][..]),
        ("rank t.mtx --target x7", &["x7", "no such column"]),
        ("rank t.mtx --target-file y.txt --names y.txt", &["y.txt", "3 names for 2 columns"]),
        ("rank t.mtx --target-file t.mtx", &["t.mtx", "4 values for 3 rows"]),
        ("rank t.mtx --target-file none.txt", &["none.txt", "no such file"]),
        (
            "fit t.mtx --target-file y.txt --method lfda --model map.basrelief",
            &["maps do not support sparse tables"],
        ),
        (
            "rank t.mtx --target-file y.txt --method irelief",
            &["does not support sparse tables", "multisurf"],
        ),
        (
            "rank t.mtx --target-file y.txt --method relieff --metric chebyshev",
            &["Chebyshev", "no form for sparse"],
        ),
    ] {
        refused("t.mtx", mtx, line, words);
    }
    refused(
        "t.csv",
        "a,y\n1,2\n",
        "rank t.csv --target y --names y.txt",
        &["--names", "sparse matrices"],
    );
    refused(
        "t.csv",
        "a,y\n1,2\n",
        "rank t.csv --target-file y.txt",
        &["--target-file", "sparse matrices"],
    );
    refused("t.svm", "1 1:2\n0 2:3\n", "rank t.svm --transpose", &["--transpose", "samples"]);
}
