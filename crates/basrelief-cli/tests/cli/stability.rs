//! `stability`: what it prints, in every format, and what it refuses.

use serde_json::Value;

use crate::{Place, small_table};

fn place() -> Place {
    let place = Place::new();
    place.file("data.csv", small_table());
    place
}

fn json(place: &Place, line: &str) -> Value {
    serde_json::from_str(&place.line(&format!("{line} --format json")).done()).unwrap()
}

#[test]
fn the_first_line_answers_and_the_table_follows() {
    let outcome = place().line("stability data.csv --target class --resamples 30 --top 1");
    assert_eq!(outcome.code, Some(0), "{}", outcome.err);
    let lines: Vec<&str> = outcome.out.lines().collect();
    // x1 parts the classes, whatever rows there are.
    assert_eq!(
        lines[0],
        "stability 1.000 (95 % interval 1.000 to 1.000): stable, mostly the same features"
    );
    assert_eq!(lines[1], "");
    assert_eq!(lines[2], "data.csv: 40 rows, 3 features (2 numeric, 1 categorical)");
    assert_eq!(lines[4], "method relieff (default options)");
    assert_eq!(lines[5], "30 resamples of 20 rows, each selects 1 of 3 features");
    assert_eq!(lines[7], "                            median  95 % of");
    assert_eq!(lines[8], "rank  feature  kind           rank  ranks    selected");
    assert!(lines[9].starts_with("   1  x1       numeric           1  1 to 1    100.0 %  │████"));
    assert!(lines[10].ends_with("0.0 %  │"), "{}", lines[10]);
    assert_eq!(lines[12], "");
    assert_eq!(lines[13], "features       1      2");
    assert!(lines[14].starts_with("stability  1.000  "), "{}", lines[14]);
    assert!(lines[15].starts_with("the selection is most stable with 1 feature: 1.000 (95 %"));
    assert_eq!(lines.len(), 17);
    assert!(lines.iter().all(|line| line.chars().count() <= 80), "{}", outcome.out);
    assert!(outcome.err.trim_end().lines().last().unwrap().contains("ranked 30 times in "));
}

#[test]
fn json_and_csv_hold_all_numbers_and_the_seed_decides_them() {
    let place = Place::new();
    place.line("synth xor --rows 200 --features 12 --output x.csv").done();
    let line = "stability x.csv --target class --top 3 --resamples 40 --fraction 0.6 --seed 4";
    let first = json(&place, &format!("{line} --threads 1"));
    assert_eq!(
        first["resampling"],
        serde_json::json!({"resamples": 40, "fraction": 0.6, "rows": 120, "top": 3})
    );
    let stability = &first["stability"];
    let value = stability["value"].as_f64().unwrap();
    let error = stability["standard_error"].as_f64().unwrap();
    let least = stability["interval"][0].as_f64().unwrap();
    assert!((value - 1.959_963_984_540_054 * error - least).abs() < 1e-12, "{stability}");
    assert!(value < stability["interval"][1].as_f64().unwrap(), "{stability}");
    let features = first["features"].as_array().unwrap();
    let total: f64 = features.iter().map(|one| one["frequency"].as_f64().unwrap()).sum();
    assert!((total - 3.0).abs() < 1e-12, "{total}");
    let mut best = [features[0]["name"].as_str().unwrap(), features[1]["name"].as_str().unwrap()];
    best.sort_unstable();
    assert_eq!(best, ["P1", "P2"]);

    let mut again = json(&place, &format!("{line} --threads 2"));
    (again["threads"], again["seconds"]) = (first["threads"].clone(), first["seconds"].clone());
    assert_eq!(first, again);
    assert_ne!(first["features"], json(&place, &line.replace("seed 4", "seed 5"))["features"]);

    let outcome = place.line(&format!("{line} --output x-steady.csv"));
    assert_eq!((outcome.code, outcome.out.as_str()), (Some(0), ""), "{}", outcome.err);
    assert!(outcome.err.contains("wrote x-steady.csv"), "{}", outcome.err);
    assert!(outcome.err.contains(&format!("stability {value:.3} (95 %")), "{}", outcome.err);
    let csv = place.read("x-steady.csv");
    let mut rows = csv.lines();
    assert_eq!(
        rows.next(),
        Some("rank,feature,frequency,median_rank,least_rank,greatest_rank,mean_weight,kind")
    );
    for ((rank, row), feature) in (1..).zip(rows).zip(features) {
        let cells: Vec<&str> = row.split(',').collect();
        assert_eq!(cells[0], rank.to_string());
        assert_eq!(feature["rank"], rank);
        assert_eq!(cells[1], feature["name"]);
        assert_eq!(cells[2].parse::<f64>().unwrap(), feature["frequency"].as_f64().unwrap());
        assert_eq!(cells[3], feature["median_rank"].to_string());
        assert_eq!(cells[4], feature["rank_interval"][0].to_string());
        assert_eq!(cells[5], feature["rank_interval"][1].to_string());
        assert_eq!(cells[6].parse::<f64>().unwrap(), feature["mean_weight"].as_f64().unwrap());
        assert_eq!(cells[7], feature["kind"]);
    }
}

#[test]
fn the_curve_is_the_stability_of_every_number_and_selections_are_listed() {
    let place = Place::new();
    place.line("synth xor --rows 150 --features 40 --output x.csv").done();
    let line = "stability x.csv --target class --resamples 25 --seed 3";
    let found = json(&place, &format!("{line} --top 7"));
    let curve = found["curve"].as_array().unwrap();
    let numbers: Vec<u64> = curve.iter().map(|at| at["features"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30, 39]);
    assert_eq!(curve[6]["stability"], found["stability"]);
    for number in [1, 20, 39] {
        let other = json(&place, &format!("{line} --top {number}"));
        let at = curve.iter().find(|at| at["features"] == number).unwrap();
        assert_eq!(at["stability"], other["stability"], "{number}");
    }
    let value = |at: &Value| at["stability"]["value"].as_f64().unwrap();
    let best = curve.iter().find(|at| at["features"] == found["most_stable_features"]).unwrap();
    assert!(curve.iter().all(|at| value(at) <= value(best)), "{best}");

    // The frequencies are those of the lists.
    let selections = found["selections"].as_array().unwrap();
    assert_eq!(selections.len(), 25);
    assert!(selections.iter().all(|one| one.as_array().unwrap().len() == 7));
    for feature in found["features"].as_array().unwrap() {
        let times =
            selections.iter().filter(|one| one.as_array().unwrap().contains(&feature["name"]));
        let frequency = feature["frequency"].as_f64().unwrap();
        assert_eq!(times.count(), (25.0 * frequency).round() as usize, "{feature}");
    }

    let told = place.line(&format!("{line} --top 7 --report page.html")).done();
    let words = format!("most stable with {} feature", found["most_stable_features"]);
    assert!(told.contains(&words), "{told}");
    assert!(told.lines().all(|line| line.chars().count() <= 80), "{told}");
    let page = place.read("page.html");
    assert!(page.contains("How many features</h2>") && page.contains(&words), "{words}");
    assert!(page.contains("95 % interval by number of features"));
}

#[test]
fn it_takes_what_rank_takes() {
    let place = place();
    let line = "stability data.csv --target class --resamples 5 --method multisurf --wrap turf:keep=2 --drop x2";
    let found = json(&place, line);
    assert_eq!(found["method"], "multisurf");
    assert_eq!(found["wrappers"][0]["options"]["keep"], 2);
    // Half of two features.
    assert_eq!(found["resampling"]["top"], 1);
    let numbers: String = (0..60).map(|row| format!("{row},{},{row}.5\n", row * 7 % 11)).collect();
    place.file("numbers.csv", format!("a,b,y\n{numbers}"));
    let outcome = place.line("stability numbers.csv --target y --resamples 10");
    assert!(outcome.err.contains("using rrelieff"), "{}", outcome.err);
    let told = outcome.done();
    assert!(told.contains("target y: a number from 0.5 to 59.5"), "{told}");
    assert!(told.contains("10 resamples of 30 rows, each selects 1 of 2 features"), "{told}");
}

#[test]
fn a_class_of_one_row_is_in_every_resample() {
    let place = place();
    place.file("rare.csv", small_table() + "1,2,red,maybe\n");
    let outcome = place.line("stability rare.csv --target class --resamples 5");
    let words = "warning: every resample contains the only row of these classes: maybe";
    assert!(outcome.err.contains(words), "{}", outcome.err);
    assert!(outcome.done().contains("5 resamples of 21 rows"));
}

#[test]
fn noise_is_told_from_a_steady_selection() {
    let place = Place::new();
    let rows: String = (0..60_u64)
        .map(|row| {
            let noise: Vec<String> =
                (1..9).map(|column| (row * row * column * 7919 % 101).to_string()).collect();
            format!("{},{}\n", noise.join(","), ["a", "b"][row as usize * 31 % 17 % 2])
        })
        .collect();
    place.file("noise.csv", format!("a,b,c,d,e,f,g,h,class\n{rows}"));
    let found = json(&place, "stability noise.csv --target class --top 3");
    assert!(found["stability"]["value"].as_f64().unwrap() < 0.75, "{}", found["stability"]);
}

#[test]
fn what_cannot_be_resampled_is_refused() {
    let place = place();
    place.file("one.csv", small_table().replace(",yes", ",no"));
    for (line, words) in [
        (
            "stability data.csv --target class --resamples 1",
            "option --resamples: 1 is too few to compare",
        ),
        ("stability data.csv --target class --resamples 1000000", "give at most 100000"),
        (
            "stability data.csv --target class --fraction 1",
            "option --fraction: 1 is not a fraction of the rows",
        ),
        (
            "stability data.csv --target class --fraction 0.999",
            "every resample would contain all 40 rows",
        ),
        (
            "stability data.csv --target class --top 3",
            "option --top: selecting 3 of 3 features is not a selection",
        ),
        ("stability data.csv --target class --drop x1,x2", "the table has one feature"),
        (
            "stability one.csv --target class",
            "one.csv, column `class`: the target is the same in every row",
        ),
        ("stability data.csv --target class --method releiff", "did you mean `relieff`?"),
        ("stability data.csv --target class --output data.csv", "data.csv is the data file itself"),
    ] {
        let message = place.line(line).refused();
        assert!(message.contains(words), "{line}: {message}");
    }
    let message = place.line("stability data.csv --target class --top 0").refused();
    assert!(message.contains("at least 1"), "{message}");
    assert_eq!(place.names(), ["data.csv", "one.csv"]);
}

#[cfg(unix)]
#[test]
fn the_page_shows_what_the_program_prints() {
    crate::assert_examples("stability.md", 2);
}

#[test]
fn rank_tells_the_ranks_of_the_same_resamples() {
    let place = Place::new();
    place.line("synth xor --rows 200 --features 12 --output x.csv").done();
    let options = "x.csv --target class --resamples 40 --fraction 0.6 --seed 4";
    let steady = json(&place, &format!("stability {options}"));
    let of_resamples = |name: &str| {
        let features = steady["features"].as_array().unwrap();
        features.iter().find(|feature| feature["name"] == *name).unwrap().clone()
    };
    let ranked = json(
        &place,
        &format!("rank {options} --permutations 99 --report r.html --report-json r.json"),
    );
    assert_eq!(ranked["resampling"]["resamples"], 40);
    assert_eq!(ranked["resampling"]["fraction"], 0.6);
    assert_eq!(ranked["resampling"]["rows"], 120);
    let plain = json(&place, "rank x.csv --target class --seed 4");
    for (feature, alone) in
        ranked["features"].as_array().unwrap().iter().zip(plain["features"].as_array().unwrap())
    {
        let of_resamples = of_resamples(feature["name"].as_str().unwrap());
        assert_eq!(feature["median_rank"], of_resamples["median_rank"]);
        assert_eq!(feature["rank_interval"], of_resamples["rank_interval"]);
        // The ranking itself is that of all rows.
        assert_eq!(feature["weight"], alone["weight"]);
        assert_eq!(alone.get("rank_interval"), None);
    }

    let csv = place.line(&format!("rank {options} --format csv")).done();
    assert!(csv.starts_with("rank,feature,weight,kind,median_rank,least_rank,greatest_rank\n"));
    for (row, feature) in csv.lines().skip(1).zip(ranked["features"].as_array().unwrap()) {
        let interval = &feature["rank_interval"];
        let end = format!(",{},{},{}", feature["median_rank"], interval[0], interval[1]);
        assert!(row.ends_with(&end), "{row}");
    }
    let table = place.line(&format!("rank {options}"));
    let first = &ranked["features"][0];
    let ranks = format!("{} to {}", first["rank_interval"][0], first["rank_interval"][1]);
    assert!(table.out.contains("95 % of ranks") && table.out.contains(&ranks), "{}", table.out);
    assert!(
        table.out.ends_with("\n\n95 % of ranks: in 40 resamples of 120 rows\n"),
        "{}",
        table.out
    );
    assert!(table.err.contains("resamples ranked in "), "{}", table.err);
    let page = place.read("r.html");
    assert!(page.contains("quantile of the ranks in 40 resamples of 120 rows"));
    let behind: Value = serde_json::from_str(&place.read("r.json")).unwrap();
    assert_eq!(behind["features"], ranked["features"]);

    let refused = place.line("rank x.csv --target class --fraction 0.6").refused();
    assert!(refused.contains("--resamples"), "{refused}");
    let refused = place.line("rank x.csv --target class --resamples 1").refused();
    assert!(refused.contains("--resamples") && refused.contains("100 are usual"), "{refused}");
}
