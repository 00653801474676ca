//! The cases of `tests/kinds.json`, which all front ends read, as tables, targets, covariates and phenotypes of the
//! command line.

use serde_json::Value;

use crate::{Outcome, Place};

/// Column by column: a name and its cells.
type Columns<'c> = [(&'c str, Vec<String>)];

struct Cases(Value);

impl Cases {
    fn read() -> Self {
        Self(serde_json::from_str(include_str!("../../../../tests/kinds.json")).unwrap())
    }

    fn of(&self, what: &str) -> Vec<&Value> {
        self.0[what].as_array().unwrap().iter().collect()
    }

    fn rows(&self) -> usize {
        self.0["rows"].as_u64().unwrap() as usize
    }

    fn cells(&self, case: &Value) -> Vec<String> {
        let cycle = case["cells"].as_array().unwrap();
        let cell = |row: usize| {
            let own = &case["at"][(row + 1).to_string()];
            own.as_str().or(cycle[row % cycle.len()].as_str()).unwrap().to_string()
        };
        (0..self.rows()).map(cell).collect()
    }

    /// A number that says nothing, and a class of two.
    fn others(&self) -> [(&'static str, Vec<String>); 2] {
        let number = (0..self.rows()).map(|row| format!("{}.5", row * 13 % 17)).collect();
        let class = (0..self.rows()).map(|row| ["no", "yes"][row / 2 % 2].to_string()).collect();
        [("number_", number), ("class_", class)]
    }
}

fn csv(columns: &Columns<'_>) -> String {
    let quoted = |cell: &str| format!("\"{}\"", cell.replace('"', "\"\""));
    let line = |cells: Vec<String>| cells.join(",") + "\n";
    let mut text = line(columns.iter().map(|(name, _)| quoted(name)).collect());
    for row in 0..columns[0].1.len() {
        text += &line(columns.iter().map(|(_, cells)| quoted(&cells[row])).collect());
    }
    text
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap()
}

fn is_refused(case: &Value) -> bool {
    case["expect"].get("refused").is_some()
}

fn json(outcome: Outcome) -> Value {
    serde_json::from_str(&outcome.done()).unwrap()
}

/// That a message names the problem, the value and its line; `head` lines stand above the first row.
fn check_refusal(case: &Value, message: &str, column: &str, head: u64) {
    let expected = &case["expect"];
    let mut parts = vec![text(expected, "refused").to_string(), column.to_string()];
    if let Some(row) = expected["row"].as_u64() {
        parts.extend([format!("`{}`", text(expected, "value")), format!("line {}", row + head)]);
    }
    for part in parts {
        assert!(message.contains(&part), "{}: no `{part}` in {message}", text(case, "name"));
    }
}

#[test]
fn columns_of_a_table_are_read_as_documented() {
    let (cases, place) = (Cases::read(), Place::new());
    let (refused, read): (Vec<&Value>, Vec<&Value>) =
        cases.of("columns").into_iter().partition(|case| is_refused(case));
    let mut columns: Vec<_> =
        read.iter().map(|case| (text(case, "name"), cases.cells(case))).collect();
    columns.extend(cases.others());
    place.file("d.csv", csv(&columns));
    let ranked = json(place.line("rank d.csv --target class_ --format json"));
    let features = ranked["features"].as_array().unwrap();
    let warnings = ranked["warnings"].to_string();
    let fit = "fit d.csv --target class_ --method euclidean --model m.basrelief --format json";
    let fitted = json(place.line(fit));
    let encoded = fitted["encoding"]["columns"].as_array().unwrap();
    for case in read {
        let (name, expected) = (text(case, "name"), &case["expect"]);
        let feature = features.iter().find(|one| one["name"] == name).unwrap();
        assert_eq!(feature["kind"], expected["kind"], "{name}");
        if let Some(words) = case["warns"].as_str() {
            assert!(warnings.contains(words), "{name}: no `{words}` in {warnings}");
        }
        // Complete numbers have no entry.
        let complete = serde_json::json!({"missing": 0});
        let column = encoded.iter().find(|one| one["column"] == name).unwrap_or(&complete);
        assert_eq!(column["missing"], expected["missing"], "{name}");
        let sorted = |levels: &Value| {
            let mut levels = levels.as_array().cloned().unwrap_or_default();
            levels.sort_by_key(Value::to_string);
            levels
        };
        assert_eq!(sorted(&column["levels"]), sorted(&expected["levels"]), "{name}");
    }
    for case in refused {
        let [number, class] = cases.others();
        place.file("d.csv", csv(&[(text(case, "name"), cases.cells(case)), number, class]));
        let column = format!("column `{}`", text(case, "name"));
        let message = place.line("rank d.csv --target class_").refused();
        check_refusal(case, &message, &column, 1);
    }
}

#[test]
fn targets_are_read_as_documented() {
    let (cases, place) = (Cases::read(), Place::new());
    for case in cases.of("targets") {
        let (name, expected) = (text(case, "name"), &case["expect"]);
        let [number, _] = cases.others();
        place.file("d.csv", csv(&[number, (name, cases.cells(case))]));
        let ranked = place.line(&format!("rank d.csv --target {name} --format json"));
        if is_refused(case) {
            check_refusal(case, &ranked.refused(), "", 1);
            continue;
        }
        let data = &json(ranked)["data"];
        let missing = expected["missing"].as_array().map_or(0, Vec::len);
        assert_eq!(data["rows"], cases.rows() - missing, "{name}");
        check_target(name, data, expected);
    }
}

/// Compares a target in JSON with the expected classes in their order, or with the expected ends of its range.
fn check_target(name: &str, data: &Value, expected: &Value) {
    match expected["classes"].as_array() {
        Some(classes) => {
            let found: Vec<&str> =
                data["classes"].as_object().unwrap().keys().map(String::as_str).collect();
            assert_eq!(&found, classes, "{name}");
        }
        None => {
            let ends = ["least", "greatest"].map(|end| data["target"][end].as_f64());
            let wanted = [0, 1].map(|end| expected["real"][end].as_f64());
            assert_eq!(ends, wanted, "{name}");
        }
    }
}

/// Covariates are numbers where features are genotypes; a covariate of one value is refused.
fn covariate_kind(case: &Value) -> Option<&str> {
    let expected = &case["expect"];
    let is_one_value = expected["missing"] == 24
        || expected["levels"].as_array().is_some_and(|levels| levels.len() == 1);
    (!is_one_value).then_some(match text(expected, "kind") {
        "genotype" => "numeric",
        kind => kind,
    })
}

#[test]
fn covariates_of_a_table_are_read_as_documented() {
    let (cases, place) = (Cases::read(), Place::new());
    for case in cases.of("columns") {
        let name = text(case, "name");
        let [number, class] = cases.others();
        place.file("d.csv", csv(&[(name, cases.cells(case)), number, class]));
        let line = "rank d.csv --target class_ --covar-distance --drop-missing-covar --format json";
        let ranked = place.line(&format!("{line} --covar-name {name}"));
        if is_refused(case) {
            check_refusal(case, &ranked.refused(), &format!("column `{name}`"), 1);
        } else if let Some(kind) = covariate_kind(case) {
            assert_eq!(json(ranked)["data"]["covariates"]["kinds"][0], kind, "{name}");
        } else {
            ranked.refused();
        }
    }
}

/// The IDs of a cohort of as many people as there are rows.
fn cohort(cases: &Cases, place: &Place) -> Vec<String> {
    let rows = cases.rows();
    let line = format!("synth cohort --rows {rows} --variants 200 --seed 3 --output c.bed");
    place.line(&line).done();
    let ids = |line: &str| line.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
    place.read("c.fam").lines().map(ids).collect()
}

#[test]
fn covariates_of_a_file_are_read_as_documented() {
    let (cases, place) = (Cases::read(), Place::new());
    let people = cohort(&cases, &place);
    for case in cases.of("columns") {
        let (name, cells) = (text(case, "name"), cases.cells(case));
        // Fields are separated by spaces.
        if cells.iter().any(|cell| cell.is_empty() || cell.contains(char::is_whitespace)) {
            continue;
        }
        let lines = people.iter().zip(&cells).map(|(ids, cell)| format!("{ids} {cell}\n"));
        place.file("c.cov", format!("FID IID {name}\n{}", lines.collect::<String>()));
        let line = "rank c.bed --covar c.cov --covar-distance --drop-missing-covar --format json";
        let ranked = place.line(line);
        if is_refused(case) {
            let message = ranked.refused();
            assert!(message.contains("c.cov"), "{message}");
            check_refusal(case, &message, &format!("column `{name}`"), 1);
        } else if let Some(kind) = covariate_kind(case) {
            assert_eq!(json(ranked)["data"]["covariates"]["kinds"][0], kind, "{name}");
        } else {
            ranked.refused();
        }
    }
}

#[test]
fn phenotypes_are_read_as_documented() {
    let (cases, place) = (Cases::read(), Place::new());
    let people = cohort(&cases, &place);
    for case in cases.of("phenotypes") {
        let (name, expected) = (text(case, "name"), &case["expect"]);
        let lines = people.iter().zip(cases.cells(case));
        let lines = lines.map(|(ids, cell)| format!("{ids} {cell}\n")).collect::<String>();
        place.file("c.phe", format!("FID IID {name}\n{lines}"));
        let mut line = "rank c.bed --pheno c.phe --format json".to_string();
        if let Some(kind) = case["target_type"].as_str() {
            line += &format!(" --target-type {kind}");
        }
        let ranked = place.line(&line);
        if is_refused(case) {
            check_refusal(case, &ranked.refused(), "c.phe", 1);
            continue;
        }
        let data = &json(ranked)["data"];
        let missing = expected["missing"].as_u64().unwrap_or(0);
        assert_eq!(data["rows"], cases.rows() as u64 - missing, "{name}");
        check_target(name, data, expected);
    }
}
