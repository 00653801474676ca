//! Tables of samples: features in rows, and properties of samples in other files.

use serde_json::Value;

use crate::Place;

/// A table of 40 samples and 20 features, plain and with features in rows, and their classes in another order.
fn place() -> Place {
    let place = Place::new();
    place.line("synth twonorm --rows 40 --output plain.csv").done();
    let text = place.read("plain.csv");
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    let target = rows[0].len() - 1;
    let mut turned = String::from("gene");
    (1..rows.len()).for_each(|row| turned.push_str(&format!("\ts{row}")));
    turned.push('\n');
    for (column, name) in rows[0][..target].iter().enumerate() {
        turned.push_str(name);
        rows[1..].iter().for_each(|row| turned.push_str(&format!("\t{}", row[column])));
        turned.push('\n');
    }
    let mut classes = String::from("sample,class,batch\n");
    for row in (1..rows.len()).rev() {
        classes.push_str(&format!("s{row},{},b{}\n", rows[row][target], row % 2));
    }
    classes.push_str("other,x,b1\n");
    place.file("turned.tsv", turned);
    place.file("classes.csv", classes);
    place
}

/// The weights by name.
fn weights(text: &str) -> Vec<(String, f64)> {
    let found: Value = serde_json::from_str(text).unwrap();
    let features = found["features"].as_array().unwrap().iter();
    let mut all: Vec<(String, f64)> = features
        .map(|own| (own["name"].as_str().unwrap().to_string(), own["weight"].as_f64().unwrap()))
        .collect();
    all.sort_by(|a, b| a.0.cmp(&b.0));
    all
}

#[test]
fn features_in_rows_have_the_weights_of_features_in_columns() {
    let place = place();
    let plain = place.line("rank plain.csv --target class --format json").done();
    let line = "rank turned.tsv --transpose --pheno classes.csv --target class --format json";
    let run = place.line(line);
    assert!(
        run.err.contains("contains all 40 samples of the table; 1 of its samples"),
        "{}",
        run.err
    );
    assert_eq!(weights(&run.done()), weights(&plain));
    // Other properties are no features, but strata if they are named.
    let test = format!("{line} --permutations 19 --within batch");
    let found: Value = serde_json::from_str(&place.line(&test).done()).unwrap();
    assert!(found["features"].as_array().unwrap().iter().all(|own| own["name"] != "batch"));
    for verb in ["describe", "evaluate", "stability", "pairs"] {
        if verb == "describe" {
            continue;
        }
        let more = if verb == "stability" { " --resamples 5" } else { "" };
        let line =
            format!("{verb} turned.tsv --transpose --pheno classes.csv --target class{more}");
        place.line(&format!("{line} --format json")).done();
    }
    let line = "select turned.tsv --transpose --pheno classes.csv --target class --top 2";
    let selected = place.line(line).done();
    let header = selected.lines().next().unwrap();
    assert!(header.starts_with("sample,") && header.ends_with(",class"), "{header}");
    assert!(selected.lines().nth(1).unwrap().starts_with("s1,"), "{selected}");
}

#[test]
fn tables_that_must_be_transposed_are_recognized() {
    let place = place();
    let message = place.line("rank turned.tsv --pheno classes.csv --target class").refused();
    for words in ["classes.csv", "columns of the table and not rows", "--transpose"] {
        assert!(message.contains(words), "no `{words}` in {message}");
    }
    let mut own = place.read("turned.tsv");
    own.push_str("group");
    (0..40).for_each(|sample| own.push_str(if sample % 2 == 0 { "\ta" } else { "\tb" }));
    place.file("own.tsv", format!("{own}\n"));
    let message = place.line("rank own.tsv --target group").refused();
    assert!(
        message.contains("it is a row of the table") && message.contains("--transpose"),
        "{message}"
    );
    place.line("rank own.tsv --target group --transpose").done();
    let genes: String =
        (0..30).map(|gene| format!("G{gene},{},{}\n", gene % 7, gene % 3)).collect();
    place.file("genes.csv", format!("gene_id,a,b\n{genes}"));
    let run = place.line("rank genes.csv --target b");
    assert!(
        run.err.contains("if rows are features and columns samples, add --transpose"),
        "{}",
        run.err
    );
    let message = place.line("rank plain.csv --pheno classes.csv --pheno-name class").refused();
    assert!(message.contains("--target"), "{message}");
    let message =
        place.line("rank turned.tsv --transpose --pheno classes.csv --target clas").refused();
    assert!(message.contains("did you mean `class`"), "{message}");
    place.line("synth cohort --rows 60 --variants 200 --output c.bed").done();
    let message = place.line("rank c.bed --transpose").refused();
    assert!(message.contains("applies only to tables"), "{message}");
}

#[cfg(unix)]
#[test]
fn the_page_on_samples_shows_what_its_commands_give() {
    crate::assert_examples("samples.md", 3);
}
