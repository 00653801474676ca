//! Warnings of rows that are not independent, and of features that never differ between neighbors.

use crate::Place;

const PATIENTS: usize = 20;
const ROWS: usize = 5 * PATIENTS;

fn any(row: usize, column: usize) -> usize {
    ((row * 7919 + column * 104_729 + 13).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) % 1000
}

/// Five rows of each patient, every other patient a case; `name` is what the column of patients is called.
fn of_patients(name: &str) -> String {
    let row = |row: usize| {
        let patient = row % PATIENTS;
        let class = ["case", "control"][patient % 2];
        let (a, width) = (any(row, 1), any(row, 2));
        format!("P{patient},{},{a},{width},{class}\n", ["north", "south"][row / 50])
    };
    format!("{name},site,a,width,class\n{}", (0..ROWS).map(row).collect::<String>())
}

fn told(name: &str) -> String {
    format!(
        "warning: rows with the same `{name}` look like repeated measurements; p-values assume independent rows"
    )
}

/// The column is told of as a feature by its name, and by whatever name where it is no feature, in every format.
#[test]
fn rows_of_patients_are_reported() {
    let place = Place::new();
    place.file("named.csv", of_patients("Patient ID"));
    place.file("other.csv", of_patients("who"));
    let outcome = place.run(&["rank", "named.csv", "--target", "class"]);
    assert!(outcome.err.contains(&told("Patient ID")), "{}", outcome.err);
    for line in [
        "rank other.csv --target class --drop who",
        "rank other.csv --target class --drop who --permutations 20",
        "select other.csv --target class --drop who --top 1",
        "pairs other.csv --target class --drop who",
        "rank other.csv --target class --covar-name who --covar-distance",
    ] {
        let outcome = place.line(line);
        assert!(outcome.err.contains(&told("who")), "{line}: {}", outcome.err);
        outcome.done();
    }
    let json = place.line("rank other.csv --target class --drop who --format json --quiet").done();
    assert!(json.contains("repeated-rows"), "{json}");
    for line in [
        "rank other.csv --target class",
        "rank other.csv --target class --drop site,width",
        "rank other.csv --target class --within site --permutations 20",
    ] {
        let outcome = place.line(line);
        assert!(!outcome.err.contains("repeated measurements"), "{line}: {}", outcome.err);
        outcome.done();
    }
    // The same in ARFF, whose strings are texts, and in Parquet.
    let rows: Vec<String> = of_patients("who").lines().skip(1).map(str::to_string).collect();
    let head = "@relation r\n@attribute who string\n@attribute site {north,south}\n@attribute a numeric\n\
                @attribute width numeric\n@attribute class {case,control}\n@data\n";
    place.file("other.arff", format!("{head}{}\n", rows.join("\n")));
    place.line("select other.csv --target class --top 4 --output other.parquet --quiet").done();
    for file in ["other.arff", "other.parquet"] {
        let outcome = place.line(&format!("rank {file} --target class --drop who"));
        assert!(outcome.err.contains(&told("who")), "{file}: {}", outcome.err);
        outcome.done();
    }
}

/// A dropped column may hold anything, bytes that are no text too; of many, those that identify rows are looked at.
#[test]
fn dropped_columns_may_hold_anything() {
    let place = Place::new();
    let odd: Vec<u8> = of_patients("who")
        .into_bytes()
        .into_iter()
        .map(|byte| if byte == b'P' { 0xff } else { byte })
        .collect();
    place.file("odd.csv", odd);
    let outcome = place.line("rank odd.csv --target class --drop who");
    assert!(outcome.err.contains(&told("who")), "{}", outcome.err);
    outcome.done();
    let names: Vec<String> = (0..80).map(|column| format!("x{column}")).collect();
    let zeros = ",0".repeat(80);
    let lines = of_patients("patient");
    let mut lines = lines.lines();
    let head = format!("{},{}\n", lines.next().unwrap(), names.join(","));
    let rows: String = lines.map(|line| format!("{line}{zeros}\n")).collect();
    place.file("wide.csv", head + &rows);
    let line = format!("rank wide.csv --target class --drop {},patient", names.join(","));
    assert!(place.line(&line).err.contains(&told("patient")));
}

/// Two siblings a family, both cases or both controls.
#[test]
fn families_of_a_cohort_are_reported() {
    let place = Place::new();
    place.line("synth cohort --rows 40 --variants 140 --output cohort.bed --quiet").done();
    let family = |pairs: bool| -> String {
        (0..40)
            .map(|person| {
                let family = if pairs { person / 2 } else { person };
                format!("f{family} i{person} 0 0 0 {}\n", 1 + family % 2)
            })
            .collect()
    };
    for (pairs, are_told) in [(true, true), (false, false)] {
        place.file("cohort.fam", family(pairs));
        let outcome = place.line("rank cohort.bed");
        assert_eq!(
            outcome.err.contains("the same `family ID` look like repeated measurements"),
            are_told,
            "{}",
            outcome.err
        );
        outcome.done();
    }
}

/// Rows of one sex are nearer to each other than to any of the other sex, so that the weight of `sex` is 0 although
/// most cases are of one sex: that is explained, with p-values and on pages too.
#[test]
fn a_feature_that_never_differs_between_neighbors_is_explained() {
    let place = Place::new();
    let row = |row: usize| {
        let sex = ["f", "m"][row % 2];
        let class = if any(row, 4) < 300 + 400 * (row % 2) { "case" } else { "control" };
        format!("{sex},{},{},{class}\n", any(row, 5), any(row, 6))
    };
    place.file("data.csv", format!("sex,a,b,class\n{}", (0..200).map(row).collect::<String>()));
    let why = "1 feature never differs between neighbors, so that its weight is 0 (p = 1)";
    for options in ["", "--permutations 20"] {
        let outcome = place.line(&format!("rank data.csv --target class {options}"));
        let is_told = outcome.err.contains(why) && outcome.err.contains(": sex");
        assert!(is_told, "{options}: {}", outcome.err);
        outcome.done();
    }
    place.line("rank data.csv --target class --quiet --report page.html").done();
    assert!(place.read("page.html").contains("never differs between neighbors"));
    // What the warning names helps: with more neighbors than rows of a class and sex, the sexes meet.
    let more = place.line("rank data.csv --target class --neighbors 60");
    assert!(!more.err.contains("never differs"), "{}", more.err);
}
