//! Cells that are not numbers in columns of numbers: refused by name, and the ways out.

use serde_json::Value;

use crate::Place;

/// 60 rows of a number that tells the class, one that does not, and the class.
fn table(change: impl Fn(usize) -> Option<&'static str>) -> String {
    let mut text = "dose,noise,class\n".to_string();
    for row in 0..60 {
        let dose = change(row)
            .map_or_else(|| format!("{}.5", row % 2 * 40 + row * 7 % 20), ToString::to_string);
        text.push_str(&format!("{dose},{},{}\n", row * 13 % 17, ["a", "b"][row % 2]));
    }
    text
}

fn weights(place: &Place, line: &str) -> Vec<(String, f64)> {
    let json: Value = serde_json::from_str(&place.line(line).done()).unwrap();
    let features = json["features"].as_array().unwrap();
    let weight = |one: &Value| (one["name"].to_string(), one["weight"].as_f64().unwrap());
    features.iter().map(weight).collect()
}

#[test]
fn usual_spellings_are_missing_values() {
    let place = Place::new();
    place.file("empty.csv", table(|row| (row == 31).then_some("")));
    let expected = weights(&place, "rank empty.csv --target class --format json");
    for spelling in ["n/a", "null", "None", "#N/A", "-", "NA", "?", ".", "<NA>"] {
        let table = match spelling {
            "n/a" => table(|row| (row == 31).then_some("n/a")),
            "null" => table(|row| (row == 31).then_some("null")),
            "None" => table(|row| (row == 31).then_some("None")),
            "#N/A" => table(|row| (row == 31).then_some("#N/A")),
            "-" => table(|row| (row == 31).then_some("-")),
            "NA" => table(|row| (row == 31).then_some("NA")),
            "?" => table(|row| (row == 31).then_some("?")),
            "." => table(|row| (row == 31).then_some(".")),
            _ => table(|row| (row == 31).then_some("<NA>")),
        };
        place.file("d.csv", table);
        let found = weights(&place, "rank d.csv --target class --format json");
        assert_eq!(found, expected, "{spelling}");
    }
}

#[test]
fn odd_cells_are_refused_by_line_and_mended_by_each_way_out() {
    let place = Place::new();
    let odd = |row: usize| match row {
        4 => Some("12 kg"),
        31 | 32 => Some("0.12O"),
        40 => Some("about 3"),
        _ => None,
    };
    place.file("d.csv", table(odd));
    let message = place.line("rank d.csv --target class").refused();
    for part in [
        "d.csv, column `dose`: 4 of 60 non-missing cells are not numbers: `12 kg` (line 6), `0.12O` \
         (line 33), `about 3` (line 42)",
        "--coerce",
        "--na",
        "--categorical dose",
    ] {
        assert!(message.contains(part), "no `{part}` in {message}");
    }
    place.file("empty.csv", table(|row| odd(row).map(|_| "")));
    let expected = weights(&place, "rank empty.csv --target class --format json");
    let na = ["rank", "d.csv", "--target", "class", "--format", "json", "--na", "12 kg,0.12O"];
    let named = [&na[..], &["--na", "about 3"]].concat();
    let json: Value = serde_json::from_str(&place.run(&named).done()).unwrap();
    assert_eq!(json["features"][0]["weight"].as_f64().unwrap(), expected[0].1);
    let refused = place.run(&na).refused();
    assert!(
        refused.contains("1 of 57 non-missing cells is not a number: `about 3` (line 42)"),
        "{refused}"
    );
    for way in ["--coerce", "--coerce --numeric dose"] {
        let ran = place.line(&format!("rank d.csv --target class --format json {way}"));
        assert!(
            ran.err.contains("column `dose`: 4 cells are not numbers and are treated as missing")
        );
        let json: Value = serde_json::from_str(&ran.done()).unwrap();
        assert_eq!(json["features"][0]["weight"].as_f64().unwrap(), expected[0].1);
    }
    let table = place.line("rank d.csv --target class --categorical dose").done();
    assert!(table.contains("1 numeric, 1 categorical"), "{table}");
}

#[test]
fn a_number_that_stands_for_a_missing_value_can_be_named() {
    let place = Place::new();
    place.file("empty.csv", table(|row| (row % 9 == 0).then_some("")));
    place.file("d.csv", table(|row| (row % 9 == 0).then_some("-99")));
    assert_eq!(
        weights(&place, "rank d.csv --target class --format json --na -99"),
        weights(&place, "rank empty.csv --target class --format json")
    );
}

#[test]
fn a_target_of_numbers_with_an_odd_cell_is_refused() {
    let place = Place::new();
    let rows: String = (0..40)
        .map(|row| {
            format!("{row},{}\n", if row == 7 { "12 kg".into() } else { format!("{row}.5") })
        })
        .collect();
    place.file("d.csv", format!("a,mass\n{rows}"));
    let message = place.line("rank d.csv --target mass").refused();
    assert!(
        message.contains("1 of 40 non-missing cells is not a number: `12 kg` (line 9)"),
        "{message}"
    );
    let ran = place.line("rank d.csv --target mass --coerce");
    assert!(ran.err.contains("1 of 40 rows have no value in `mass`"), "{}", ran.err);
    ran.done();
}

#[test]
fn an_order_of_words_is_not_coerced_away() {
    let place = Place::new();
    let words = ["low", "mid", "high"];
    let rows: String =
        (0..24).map(|row| format!("{},{},{}\n", words[row % 3], row * 5 % 11, row % 2)).collect();
    place.file("d.csv", format!("pain,x,class\n{rows}"));
    for coerce in ["", " --coerce"] {
        let line = format!("rank d.csv --target class --neighbors 2 --ordinal pain{coerce}");
        let message = place.line(&line).refused();
        assert!(message.contains("column `pain`") && message.contains("`low`"), "{message}");
        assert!(message.contains("low<mid<high") && !message.contains("use --coerce"), "{message}");
    }
    place.line("rank d.csv --target class --neighbors 2 --ordinal pain=low<mid<high").done();
}

#[test]
fn names_in_lists_are_quoted_as_in_csv() {
    let place = Place::new();
    place.file("d.csv", "\"a,b\",\"say \"\"x\"\"\",c,class\n1,2,3,u\n2,1,5,v\n3,4,4,u\n5,2,1,v\n");
    let drop = ["--drop", "\"a,b\",\"say \"\"x\"\"\""];
    let table = place.run(&[&["rank", "d.csv", "--target", "class"], &drop[..]].concat()).done();
    assert!(table.contains("4 rows, 1 feature"), "{table}");
    let message = place.line("rank d.csv --target class --drop a,b").refused();
    assert!(message.contains("there is no such column"), "{message}");
}

#[test]
fn declared_numbers_of_arff_are_coerced_too() {
    let place = Place::new();
    let rows: String = (0..20)
        .map(|row| {
            format!(
                "{},{}\n",
                if row == 3 { "x".into() } else { row.to_string() },
                ["a", "b"][row % 2]
            )
        })
        .collect();
    place.file(
        "d.arff",
        format!("@relation d\n@attribute n numeric\n@attribute c {{a,b}}\n@data\n{rows}"),
    );
    place.line("rank d.arff --target c").refused();
    for way in ["--coerce", "--na x"] {
        let table = place.line(&format!("rank d.arff --target c {way}")).done();
        assert!(table.contains("1 value missing"), "{table}");
    }
}
