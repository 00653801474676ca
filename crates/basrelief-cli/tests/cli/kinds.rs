//! Kinds of columns and targets that nobody declares: one rule for tables, targets and covariates, and the
//! ways out that its messages name.

use serde_json::Value;

use crate::Place;

/// 60 rows of a column, a number that says nothing, and a class of two.
fn table(name: &str, cell: impl Fn(usize) -> String) -> String {
    let mut text = format!("{name},b,cls\n");
    for row in 0..60 {
        let cell = cell(row).replace('"', "\"\"");
        text.push_str(&format!("\"{cell}\",{}.5,{}\n", row * 13 % 17, ["no", "yes"][row % 2]));
    }
    text
}

/// A number of the row that tells the class.
fn income(row: usize) -> usize {
    1000 + row % 2 * 900 + row * 7 % 40 * 10
}

fn kind_of(place: &Place, line: &str) -> (String, String) {
    let ran = place.line(line);
    let err = ran.err.clone();
    let json: Value = serde_json::from_str(&ran.done()).unwrap();
    let features = json["features"].as_array().unwrap();
    let first = features.iter().find(|one| one["name"] == "income").unwrap();
    (first["kind"].as_str().unwrap().to_string(), err)
}

#[test]
fn decorated_numbers_and_dates_are_refused_by_line_with_ways_out_that_work() {
    let place = Place::new();
    let day = |row: usize| (row * 7 % 28 + 1, row * 5 % 12 + 1);
    type Cell = fn(usize, (usize, usize)) -> String;
    let cases: [(&str, Cell); 14] = [
        ("with a unit", |row, _| format!("{} kg", income(row))),
        ("with a unit", |row, _| format!("{}.5 kmpl", income(row))),
        ("with a currency", |row, _| format!("${}", income(row))),
        ("with a currency", |row, _| format!("{} EUR", income(row))),
        ("with a percent sign", |row, _| format!("{}%", income(row) / 10)),
        ("with a thousands separator or decimal comma", |row, _| {
            format!("1,{}", 100 + income(row) % 900)
        }),
        ("with a thousands separator or decimal comma", |row, _| format!("{},5", income(row))),
        ("with a thousands separator or decimal comma", |row, _| {
            format!("1\u{202f}{}", 100 + income(row) % 900)
        }),
        ("with a minus sign that is not `-`", |row, _| format!("\u{2212}{}", income(row))),
        ("with a comparison sign", |row, _| {
            let sign = if row % 4 == 0 { "<" } else { "" };
            format!("{sign}{}", income(row))
        }),
        ("dates or times", |row, (day, month)| format!("20{:02}-{month:02}-{day:02}", row % 30)),
        ("dates or times", |_, (day, month)| format!("{day}.{month}.1999")),
        ("dates or times", |_, (day, month)| format!("{month}/{day}/99 12:30")),
        ("dates or times", |row, _| format!("{:02}:{:02}", row % 24, row)),
    ];
    for (what, cell) in cases {
        place.file("d.csv", table("income", |row| cell(row, day(row))));
        let message = place.line("rank d.csv --target cls").refused();
        let first = cell(0, day(0));
        for part in [what, "d.csv, column `income`", &format!("`{first}` (line 2)"), "rewrite them"]
        {
            assert!(message.replace("\n  ", " ").contains(part), "no `{part}` in {message}");
        }
        // A declared kind wins.
        assert!(message.contains("--categorical income"), "{message}");
        let (kind, _) =
            kind_of(&place, "rank d.csv --target cls --categorical income --format json");
        assert_eq!(kind, "categorical");
        // What is dropped need not make sense.
        place.line("rank d.csv --target cls --drop income").done();
        // As a target such values would become as many classes as there are values.
        let message = place.line("rank d.csv --target income").refused();
        assert!(message.contains("--target-type classes"), "{message}");
    }
    // Rewritten, and declared missing.
    place.file("d.csv", table("income", |row| income(row).to_string()));
    assert_eq!(kind_of(&place, "rank d.csv --target cls --format json").0, "numeric");
    let limit = |row: usize| {
        if row.is_multiple_of(4) { "<500".to_string() } else { income(row).to_string() }
    };
    place.file("d.csv", table("income", limit));
    place.line("rank d.csv --target cls").refused();
    let named = ["rank", "d.csv", "--target", "cls", "--format", "json", "--na", "<500"];
    let json: Value = serde_json::from_str(&place.run(&named).done()).unwrap();
    assert_eq!(json["features"][0]["name"], "income");
}

#[test]
fn names_that_contain_numbers_stay_categories() {
    let place = Place::new();
    for levels in [
        ["1st", "2nd", "3rd"],
        ["1a", "1b", "2a"],
        ["18-24", "25-34", "65+"],
        ["A1", "A2", "B1"],
        ["chr1", "chr2", "chrX"],
        ["4wd", "fwd", "rwd"],
        ["a", "b", "12 kg"],
    ] {
        place.file("d.csv", table("income", |row| levels[row % 3].to_string()));
        let (kind, _) = kind_of(&place, "rank d.csv --target cls --format json");
        assert_eq!(kind, "categorical", "{levels:?}");
    }
    // Two bins may be classes.
    let bins = |row: usize| [">50K", "<=50K"][row % 2].to_string();
    place.file("d.csv", table("income", bins));
    assert!(place.line("rank d.csv --target income").done().contains("2 classes"));
}

#[test]
fn whole_numbers_beyond_two_to_the_53_are_refused_unless_they_are_exact() {
    let place = Place::new();
    let big =
        |step: u64| move |row: usize| ((1_u64 << 53) + 1 + step * row as u64 * 7 % 640).to_string();
    place.file("d.csv", table("income", big(1)));
    let message = place.line("rank d.csv --target cls").refused();
    assert!(message.contains("beyond 2^53"), "{message}");
    assert!(message.replace("\n  ", " ").contains("`9007199254740993` (line 2)"), "{message}");
    for declared in ["--numeric income", "--numeric all"] {
        place.line(&format!("rank d.csv --target cls {declared}")).refused();
    }
    place.line("rank d.csv --target cls --categorical income").done();
    place.line("rank d.csv --target cls --drop income").done();
    place.line("rank d.csv --target income").refused();
    let exact = |row: usize| ((1_u64 << 53) + 2 * (row as u64 * 7 % 60)).to_string();
    place.file("d.csv", table("income", exact));
    assert_eq!(kind_of(&place, "rank d.csv --target cls --format json").0, "numeric");
}

#[test]
fn guesses_are_reported() {
    let place = Place::new();
    let report = |name: &str, cell: &dyn Fn(usize) -> String| {
        place.file("d.csv", table(name, cell));
        place.line("rank d.csv --target cls").err.replace("\n  ", " ")
    };
    let code = |code: &'static str| {
        move |row: usize| {
            if row.is_multiple_of(6) { code.to_string() } else { (row % 3).to_string() }
        }
    };
    let told = report("income", &code("9"));
    assert!(told.contains("9 lies far from all other values") && told.contains("--na 9"), "{told}");
    place.line("rank d.csv --target cls --na 9").done();
    // The advice applies to all spellings of the number.
    let told = report("income", &code("-9.0"));
    assert!(told.contains("-9 lies far") && told.contains("--na -9"), "{told}");
    let outcome = place.line("rank d.csv --target cls --na -9");
    assert_eq!(
        (outcome.code, outcome.err.contains("lies far")),
        (Some(0), false),
        "{}",
        outcome.err
    );
    let told = report("income", &code("./."));
    assert!(told.contains("`./.` in 10 of 60 cells") && told.contains("--na"), "{told}");
    let told = report("income", &|row| ["low", "mid", "high"][row % 3].to_string());
    assert!(told.contains("`income` (low < mid < high)"), "{told}");
    let told = report("income", &|row| row.to_string());
    assert!(
        told.contains("column `income` counts upward") && told.contains("--drop income"),
        "{told}"
    );
    let told = report("", &|row| format!("{}", 100 + row));
    assert!(told.contains("column `column_1` counts upward"), "{told}");
    let told = report("", &|row| format!("{}", row * 7 % 60));
    assert!(told.contains("the first column has no name"), "{told}");
}

#[test]
fn a_target_without_two_rows_of_a_class_is_refused_and_labels_that_differ_in_capitals_are_reported()
{
    let place = Place::new();
    place.file("d.csv", table("gene", |row| format!("g{row}")));
    let message = place.line("rank d.csv --target gene").refused();
    for part in ["no class of the target has two rows", "identifies the rows", "transpose"] {
        assert!(message.replace("\n  ", " ").contains(part), "no `{part}` in {message}");
    }
    let message = place.line("fit d.csv --target gene --method lfe --model m.basrelief").refused();
    assert!(message.contains("no class of the target has two rows"), "{message}");
    place.file("d.csv", table("status", |row| ["Case", "case", "control"][row % 3].to_string()));
    let told = place.line("rank d.csv --target status").err.replace("\n  ", " ");
    assert!(told.contains("differ only in capitals or spaces"), "{told}");
    assert!(told.contains("`Case` and `case`"), "{told}");
}

#[test]
fn dates_that_arff_declares_are_refused() {
    let place = Place::new();
    let rows: String = (0..20)
        .map(|row| format!("\"2024-01-{:02}\",{row}.5,{}\n", row + 1, ["x", "y"][row % 2]))
        .collect();
    let head = "@relation r\n@attribute seen date \"yyyy-MM-dd\"\n@attribute n numeric\n@attribute cls {x,y}\n";
    place.file("d.arff", format!("{head}@data\n{rows}"));
    let message = place.line("rank d.arff --target cls").refused();
    assert!(message.contains("line 2") && message.contains("--drop seen"), "{message}");
    place.line("rank d.arff --target cls --drop seen").done();
    place.line("rank d.arff --target cls --categorical seen").done();
}

#[test]
fn covariates_are_read_by_the_same_rule() {
    let place = Place::new();
    place.line("synth cohort --rows 60 --variants 200 --seed 3 --output c.bed").done();
    let fam = place.read("c.fam");
    let covariates = |cell: &dyn Fn(usize) -> String| {
        let people = fam.lines().enumerate().map(|(row, line)| {
            let mut fields = line.split_whitespace();
            let (family, person) = (fields.next().unwrap(), fields.next().unwrap());
            format!("{family} {person} {}\n", cell(row))
        });
        place.file("c.cov", format!("FID IID PC1\n{}", people.collect::<String>()));
    };
    let rank = "rank c.bed --covar c.cov --caliper 0.9";
    let clean = |row: usize| format!("0.{}", row * 37 % 91 + 1);
    covariates(&clean);
    place.line(rank).done();
    covariates(&|row| if row == 7 { "0.O3".to_string() } else { clean(row) });
    let message = place.line(rank).refused().replace("\n  ", " ");
    for part in
        ["c.cov, column `PC1`: 1 of 60 non-missing cells is not a number", "`0.O3` (line 9)"]
    {
        assert!(message.contains(part), "no `{part}` in {message}");
    }
    place.line(&format!("{rank} --na 0.O3 --drop-missing-covar")).done();
    covariates(&|row| ["1kg", "2kg"][row % 2].to_string());
    place.line(rank).refused();
    place.line(&format!("{rank} --categorical PC1")).done();
    covariates(&|row| clean(row).replace('.', ","));
    let message = place.line(rank).refused();
    assert!(message.contains("decimal comma"), "{message}");
    let message = place.line("rank c.bed --covar c.cov --residuals").refused();
    assert!(message.contains("decimal comma"), "{message}");
    // Codes 0, 1 and 2 are numbers, not genotypes, and words are categories.
    covariates(&|row| (row % 3).to_string());
    place.line(rank).done();
    covariates(&|row| ["batch1", "batch2"][row % 2].to_string());
    place.line(rank).done();
}

/// The grade tells the class, and `top` is nobody's.
fn grades(place: &Place) {
    let grade = |row: usize| ["low", "high", "mid", "high"][row % 4].to_string();
    place.file("d.csv", table("income", grade));
}

const IN_ORDER: [&str; 2] = ["--ordinal", "income=low<mid<high<top"];

#[test]
fn levels_in_an_order_are_ordinal_in_every_verb() {
    let place = Place::new();
    grades(&place);
    let ran = |verb: &str| {
        let mut words: Vec<&str> = verb.split(' ').collect();
        words.extend(IN_ORDER);
        place.run(&words)
    };
    let weight = |text: &str| {
        let json: Value = serde_json::from_str(text).unwrap();
        let features = json["features"].as_array().unwrap().clone();
        let own = features.into_iter().find(|one| one["name"] == "income").unwrap();
        (own["kind"].as_str().unwrap().to_string(), own["weight"].as_f64().unwrap())
    };
    let json = "rank d.csv --target cls --drop b --format json";
    let ordered = ran(json);
    assert!(!ordered.err.contains("order"), "{}", ordered.err);
    let (kind, of_order) = weight(&ordered.done());
    // Rows of a class are equal in half of the pairs, or are low and mid: nearest hits are equal. Nearest misses of
    // `no` are a step apart where they are mid, two where they are low.
    assert_eq!(kind, "ordinal");
    let (_, of_categories) = weight(&place.line(json).done());
    assert_eq!(of_categories, 1.0);
    let misses = 0.5 * (1.0 / 3.0) + 0.25 * (1.0 / 3.0) + 0.25 * (2.0 / 3.0);
    assert!((of_order - misses).abs() < 1e-12, "{of_order} {misses}");
    let told = ran("rank d.csv --target cls");
    assert!(told.done().contains("1 numeric, 1 ordinal"));
    // Without a reason to doubt the kind, nothing is said of an order.
    assert!(place.line(json).err.contains("use --ordinal 'income=low<mid<high'"));
    ran("pairs d.csv --target cls").done();
    ran("evaluate d.csv --target cls --methods euclidean,relieff --folds 3").done();
    ran("rank d.csv --target cls --report page.html").done();
    assert!(place.read("page.html").contains("ordinal"));
    // A map keeps the order.
    let fitted =
        ran("fit d.csv --target cls --method lfe --components 1 --model m.basrelief").done();
    assert!(fitted.contains("by the position in the order: income (4)"), "{fitted}");
    let mapped = place.line("transform m.basrelief d.csv").done();
    place.file("new.csv", "income,b\ntop,0.5\nlow,3\n");
    assert_eq!(place.line("transform m.basrelief new.csv").done().lines().count(), 3);
    assert_eq!(mapped.lines().count(), 61);
    place.file("new.csv", "income,b\ntop,0.5\nbest,3\n");
    let message = place.line("transform m.basrelief new.csv").refused();
    assert!(message.contains("row 2, column `income`: not in the order"), "{message}");
    // So does a fit in parts.
    ran("plan d.csv --target cls --parts 2 --output job").done();
    place.line("run job").done();
    let merged = place.line("merge job --format csv").done();
    assert_eq!(merged, ran("rank d.csv --target cls --format csv").done());
}

#[test]
fn orders_are_checked() {
    let place = Place::new();
    grades(&place);
    let refused = |stated: &[&str]| {
        let words = [&["rank", "d.csv", "--target", "cls"], stated].concat();
        place.run(&words).refused().replace("\n  ", " ")
    };
    let message = refused(&["--ordinal", "income=low<mit<high"]);
    let wanted = "d.csv, row 3, column `income`: not in the order low < mit < high (found `mid`); did you mean `mit`?";
    assert!(message.contains(wanted), "{message}");
    let message = refused(&["--ordinal", "income=low<mid<low"]);
    assert!(message.contains("option --ordinal: `low` occurs twice in the order"), "{message}");
    let message = refused(&["--ordinal", "incom=low<mid<high"]);
    assert!(message.contains("`incom`") && message.contains("`income`"), "{message}");
    for other in ["--categorical", "--numeric", "--genotype"] {
        let message = refused(&["--ordinal", "income=low<mid<high", other, "income"]);
        assert!(
            message.contains("`income` is given twice; give every column one kind"),
            "{message}"
        );
    }
    let message = refused(&["--ordinal", "all", "--categorical", "all"]);
    assert!(message.contains("`all` is given twice"), "{message}");
    let message = refused(&["--ordinal", "income"]);
    assert!(
        message.contains("an ordinal column without an order contains a text (found `low`)"),
        "{message}"
    );
    assert!(message.contains("--ordinal 'income=low<high<mid'"), "{message}");
}

#[test]
fn numbers_are_ordinal_in_their_order_which_is_reported() {
    let place = Place::new();
    place.file("d.csv", table("income", |row| [10, 1, 2, 1][row % 4].to_string()));
    let line = "rank d.csv --target cls --ordinal income --format json";
    let (kind, err) = kind_of(&place, line);
    assert_eq!(kind, "ordinal");
    let err = err.replace("\n  ", " ");
    assert!(err.contains("in the numeric order of the values: `income` (1 < 2 < 10)"), "{err}");
    let arff = "@relation r\n@attribute income {1,2,3,10}\n@attribute cls {no,yes}\n@data\n";
    let rows: String =
        (0..40).map(|row| format!("{},{}\n", [1, 3][row % 2], ["no", "yes"][row % 2])).collect();
    place.file("d.arff", format!("{arff}{rows}"));
    let (_, err) = kind_of(&place, "rank d.arff --target cls --ordinal income --format json");
    assert!(err.replace("\n  ", " ").contains("`income` (1 < 2 < 3 < 10)"), "{err}");
}
