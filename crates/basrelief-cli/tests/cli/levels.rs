//! `BASRELIEF_SIMD`: the level is chosen once per process, so a fit at each is a process of its own.

use basrelief_kernels::{Level, VARIABLE};
use serde_json::Value;

use crate::{Outcome, Place};

/// Runs a line with the variable set.
fn forced(place: &Place, level: &str, line: &str) -> Outcome {
    let mut command = place.command(&line.split_whitespace().collect::<Vec<_>>());
    let output = command.env(VARIABLE, level).output().unwrap();
    Outcome {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Numbers that no decimal grid holds, from row and column.
fn number(row: usize, column: usize) -> f64 {
    ((row * 31 + column * 17 + 1) as f64).sqrt().fract()
}

/// Rows of `cells` by column, and a class that depends on the first columns and on chance.
fn table(rows: usize, columns: usize, cell: impl Fn(usize, usize) -> String) -> String {
    let mut text: String = (0..columns).map(|column| format!("f{column},")).collect();
    text.push_str("class\n");
    for row in 0..rows {
        for column in 0..columns {
            text.push_str(&cell(row, column));
            text.push(',');
        }
        let class = number(row, 0) + number(row, 1) + 0.3 * number(row, columns) > 1.1;
        text.push_str(if class { "yes\n" } else { "no\n" });
    }
    text
}

/// A file, its text and the kinds of its columns. There is more than one block of rows with a rest,
/// an odd number of features, several words of genotypes with a rest.
fn tables() -> [(&'static str, String, &'static [&'static str]); 3] {
    let genotype = |row: usize, column: usize| (number(row, column) * 3.0) as u8;
    let mixed = |row: usize, column: usize| {
        if (row * 7 + column * 5).is_multiple_of(11) {
            return String::new();
        }
        match column % 3 {
            0 => number(row, column).to_string(),
            1 => ["red", "green", "blue"][genotype(row, column) as usize].to_string(),
            _ => genotype(row, column).to_string(),
        }
    };
    [
        (
            "numbers.csv",
            table(141, 131, |row, column| number(row, column).to_string()),
            &["numeric"],
        ),
        (
            "snps.csv",
            table(139, 333, |row, column| genotype(row, column).to_string()),
            &["genotype"],
        ),
        ("mixed.csv", table(137, 29, mixed), &["numeric", "categorical", "genotype"]),
    ]
}

#[test]
fn weights_are_the_same_to_the_bit_at_every_level() {
    let place = Place::new();
    for (name, text, kinds) in tables() {
        place.file(name, text);
        for method in ["relieff", "relieff --metric euclidean", "multisurf"] {
            let line = format!("rank {name} --target class --format json --method {method}");
            let weights = |level: &str| {
                let json: Value =
                    serde_json::from_str(&forced(&place, level, &line).done()).unwrap();
                serde_json::to_string_pretty(&json["features"]).unwrap()
            };
            let portable = weights("portable");
            for kind in kinds {
                assert!(portable.contains(&format!("\"{kind}\"")), "no {kind} in {portable}");
            }
            let others = Level::ALL.into_iter().skip(1).filter(|level| level.is_available());
            for level in others.map(Level::name).chain([""]) {
                assert_eq!(weights(level), portable, "`{level}`: {line}");
            }
        }
    }
}

/// Large-margin nearest neighbors seek pairs in single precision, fused or not, and lose none.
#[test]
fn a_map_is_the_same_to_the_bit_at_every_level() {
    let place = Place::new();
    place.file("numbers.csv", table(641, 5, |row, column| number(row, column).to_string()));
    let fit = |level: &str| {
        let model = format!("map-{level}.basrelief");
        let line = format!(
            "fit numbers.csv --target class --method lmnn --components 2 --scale standard --quiet \
             --model {model}"
        );
        forced(&place, level, &line).done();
        std::fs::read(place.path(&model)).unwrap()
    };
    let portable = fit("portable");
    for level in Level::ALL.into_iter().skip(1).filter(|level| level.is_available()) {
        assert!(fit(level.name()) == portable, "{}", level.name());
    }
}

/// The call must be refused with a message that names the variable and what to do.
fn refused(level: &str, problem: &str) {
    let place = Place::new();
    place.file("data.csv", crate::small_table());
    let line = "rank data.csv --target class --output out.csv";
    let message = forced(&place, level, line).refused();
    for word in [VARIABLE, problem, "portable"] {
        assert!(message.contains(word), "no `{word}` in: {message}");
    }
    assert!(message.starts_with("error: "), "{message}");
    assert_eq!(message.replace("\n  ", " ").lines().count(), 1, "{message}");
    assert_eq!(place.names(), ["data.csv"]);
}

#[test]
fn an_unknown_level_is_refused() {
    refused("AVX2", "`AVX2` is not an instruction set");
}

/// A machine that has all of them has nothing to refuse here.
#[test]
fn a_level_that_the_machine_lacks_is_refused() {
    for level in Level::ALL.into_iter().filter(|level| !level.is_available()) {
        refused(level.name(), &format!("this machine does not support `{}`", level.name()));
    }
}
