//! `reproduce`: folders, figures and numbers.

use std::path::PathBuf;

use crate::Place;

const TINY: &str =
    "reproduce pb06 --quick --rows 30 --most-relevant 2 --data-sets 2 --neighbors 3 --quiet";

const FILES: [&str; 8] = [
    "figure7.csv",
    "figure7.svg",
    "figure8.csv",
    "figure8.svg",
    "options.json",
    "summary-1.csv",
    "summary.tex",
    "summary.txt",
];

fn names(place: &Place, folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(place.path(folder)).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_tiny_grid_gives_finite_numbers_figures_and_the_same_bits_for_any_threads() {
    let place = Place::new();
    let summary = place.line(&format!("{TINY} --threads 1")).done();
    assert_eq!(names(&place, "pb06"), FILES);
    assert_eq!(place.read("pb06/summary.txt"), summary);
    for word in ["RandomRBF: drelieff is worse", "pdrelieff - relieff", "non-monotonic: 2 pairs"] {
        assert!(summary.contains(word), "{word}: {summary}");
    }
    place.line(&format!("{TINY} --threads 2 --output two")).done();
    for name in FILES {
        assert!(
            place.read(&format!("pb06/{name}")) == place.read(&format!("two/{name}")),
            "{name} depends on the number of threads"
        );
    }

    let text = place.read("pb06/figure7.csv");
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    let header = "problem,attributes,method,separability,standard_error,pairs,data_sets";
    assert_eq!(rows[0].join(","), header);
    // 2 to 6 attributes for three methods; one relevant attribute of NonMonotonic is left out.
    assert_eq!(rows.len() - 1, 5 * (3 * 5) + 3 * 4);
    for row in &rows[1..] {
        let number = |place: usize| row[place].parse::<f64>().unwrap();
        assert!((-2.0..=2.0).contains(&number(3)) && (0.0..4.0).contains(&number(4)), "{row:?}");
        assert_eq!(number(6), 2.0 * number(5), "{row:?}");
    }

    // Figure 8 adds Figure 7 up.
    let accumulated = place.read("pb06/figure8.csv");
    let mut sum = 0.0;
    for (row, line) in rows[1..].iter().zip(accumulated.lines().skip(1)).take(5) {
        sum += row[3].parse::<f64>().unwrap();
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(cells[..3], row[..3]);
        assert!((cells[3].parse::<f64>().unwrap() - sum).abs() < 1e-12, "{line}");
    }

    for figure in ["figure7.svg", "figure8.svg"] {
        let svg = place.read(&format!("pb06/{figure}"));
        for word in ["RandomRBF", "attributes (relevant", "separability", "pdrelieff"] {
            assert!(svg.contains(word), "{figure}: {word}");
        }
        // Three curves in six panels; triangles are paths too: one at each of 29 points, one in the legend.
        assert_eq!(svg.matches("<path d=").count(), 18 + 29 + 1, "{figure}");
        assert_eq!(svg.matches("<circle").count(), 29 + 1, "{figure}");
    }
}

#[test]
fn a_folder_of_other_options_or_other_files_is_refused() {
    let place = Place::new();
    place.line(TINY).done();
    place.line(TINY).done();
    let message = place.line(&format!("{TINY} --seed 5")).refused();
    assert!(message.contains("(seed 0, not 5)"), "{message}");
    let message = place.line("reproduce pb06").refused();
    assert!(message.contains("other options (quick true, not false)"), "{message}");
    assert_eq!(names(&place, "pb06"), FILES);
    place.file("thesis.txt", "all my work");
    let message = place.run(&["reproduce", "pb06", "--output", "."]).refused();
    assert!(message.contains("it contains files, but no options.json"), "{message}");
}

#[test]
fn mistakes_are_named() {
    let place = Place::new();
    let message = place.line("reproduce pb6").refused();
    assert!(message.contains("'pb06'"), "{message}");
    let message = place.line("reproduce pb06 --data-sets 1").refused();
    assert!(message.contains("option --data-sets: 1 is less than 2"), "{message}");
    assert!(place.names().is_empty());
}

#[test]
fn kernel_schemes_on_a_tiny_swiss_roll_have_the_same_bits_for_any_threads() {
    let place = Place::new();
    let tiny = "reproduce w11-fig6 --quick --runs 2 --train 30 --test 20 --quiet";
    let summary = place.line(&format!("{tiny} --threads 1")).done();
    for word in ["Swiss roll", "KLFE", "30 training rows", "With one feature KLFE is good"] {
        assert!(summary.contains(word), "{word}: {summary}");
    }
    place.line(&format!("{tiny} --threads 2 --output two")).done();
    let files = ["errors.csv", "figure.svg", "summary.txt"];
    for name in files {
        assert!(
            place.read(&format!("w11-fig6/{name}")) == place.read(&format!("two/{name}")),
            "{name} depends on the number of threads"
        );
    }
    // Sixteen numbers of features for three schemes, all errors shares of 20 rows.
    let text = place.read("w11-fig6/errors.csv");
    assert_eq!(text.lines().count() - 1, 16 * 3);
    for line in text.lines().skip(1) {
        let error: f64 = line.split(',').nth(3).unwrap().parse().unwrap();
        assert!((0.0..=100.0).contains(&error) && (error * 0.4).fract().abs() < 1e-9, "{line}");
    }
}

#[test]
fn figures_and_tables_have_the_format_that_is_asked_for() {
    let place = Place::new();
    place.line(&format!("{TINY} --figure-format pdf --width 400")).done();
    let figure = std::fs::read(place.path("pb06/figure7.pdf")).unwrap();
    assert!(figure.starts_with(b"%PDF-"));
    assert!(String::from_utf8_lossy(&figure).contains("/MediaBox [0 0 300 "));
    assert!(!names(&place, "pb06").contains(&"figure7.svg".to_string()));
    for (line, words) in [
        ("--figure-format bmp", "figure-format"),
        ("--width 0", "width"),
        ("--add d.csv --target y", "--add"),
    ] {
        let message = place.line(&format!("{TINY} {line}")).refused();
        assert!(message.contains(words), "{line}: {message}");
    }
}

#[test]
fn a_data_set_of_the_user_is_measured_as_those_of_the_paper() {
    let Some(folder) = data_folder() else { return };
    let place = Place::new();
    std::fs::create_dir(place.path("data")).unwrap();
    let iris = std::fs::read_to_string(folder.join("iris.csv")).unwrap();
    place.file("data/iris.csv", &iris);
    place.file("my, flowers.csv", iris.replacen("target", "kind", 1));
    let args = |add: &[&'static str]| {
        let line = "reproduce hm13 --quick --runs 3 --data data --quiet --target kind --seed 4";
        line.split(' ').chain(add.iter().copied()).collect::<Vec<_>>()
    };
    let summary = place.run(&args(&["--add", "my, flowers.csv"])).done();
    assert!(
        summary.contains("Added: my, flowers.csv, 150 rows, 4 features, 3 classes."),
        "{summary}"
    );
    let row = summary.lines().find(|line| line.starts_with("my, flowers.csv  MDM")).unwrap();
    assert!(row.ends_with("added"), "{row}");
    // The same rows and the same splits as the paper's set: the same errors and ranks.
    let runs = place.read("hm13/runs.csv");
    let of = |name: &str| -> Vec<String> {
        runs.lines().filter(|line| line.contains(name)).map(|line| line.replace(name, "")).collect()
    };
    assert_eq!(of("Iris").len(), 2 * 6 * 3);
    assert_eq!(of("Iris"), of("\"my, flowers.csv\""));
    assert!(place.read("hm13/table1.csv").contains("\"my, flowers.csv\",Euclidean,"));
    assert!(place.read("hm13/summary.tex").contains("my, flowers.csv & MDM & "));

    // `evaluate` draws the same halves.
    let line = "evaluate data/iris.csv --target target --methods euclidean --protocol halves:3 --k 3 \
                --scale none --seed 4 --format csv";
    let csv = place.line(line).done();
    let losses: Vec<f64> =
        csv.lines().skip(1).map(|row| row.split(',').nth(2).unwrap().parse().unwrap()).collect();
    let errors: Vec<f64> = (runs.lines().filter(|row| row.starts_with("1,Iris,Euclidean,")))
        .map(|row| row.split(',').nth(4).unwrap().parse().unwrap())
        .collect();
    assert_eq!(errors, losses.iter().map(|loss| 100.0 * loss).collect::<Vec<f64>>());

    // Only the user's data.
    let line = "reproduce hm13 --quick --runs 2 --quiet --target kind --output own --data own-data";
    std::fs::create_dir(place.path("own-data")).unwrap();
    let mut own: Vec<&str> = line.split(' ').collect();
    own.extend(["--add", "my, flowers.csv"]);
    assert!(place.run(&own).done().contains("my, flowers.csv"));

    place.file("gaps.csv", "a,kind\n1,x\n,y\n2,x\n3,y\n");
    place.file("words.csv", "a,kind\nblue,x\nred,y\nred,x\nred,y\n");
    place.file("rare.csv", "a,kind\n1,x\n2,y\n3,x\n");
    place.file("no-target.csv", "a,b\n1,x\n2,y\n");
    for (file, words) in [
        ("nowhere.csv", "nowhere.csv: cannot open"),
        ("gaps.csv", "column `a` has 1 missing values"),
        ("words.csv", "words.csv"),
        ("rare.csv", "class `y` has fewer than two rows"),
        ("no-target.csv", "`kind`"),
    ] {
        let message = place.run(&args(&["--add", file, "--output", "refused"])).refused();
        assert!(message.contains(words), "{file}: {message}");
        assert!(!place.path("refused").exists(), "{file} is refused before the folder is made");
    }
    let twice = ["--add", "my, flowers.csv", "--add", "./my, flowers.csv", "--output", "refused"];
    assert!(place.run(&args(&twice)).refused().contains("two data sets are called"));
    assert!(place.line("reproduce hm13 --add iris.csv").refused().contains("--target"));
}

/// The folder with the papers' data sets, if it is there.
fn data_folder() -> Option<PathBuf> {
    let folder = std::env::var_os("BASRELIEF_DATA").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
        PathBuf::from,
    );
    if folder.join("iris.csv").is_file() {
        return Some(folder);
    }
    println!("SKIPPED: no ../shared/data beside the workspace and BASRELIEF_DATA is not set");
    None
}

#[test]
fn metrics_on_the_small_sets_give_rates_maps_and_changes() {
    let Some(folder) = data_folder() else { return };
    let place = Place::new();
    let run = |line: &str| {
        let mut words: Vec<&str> = line.split_whitespace().collect();
        words.extend(["--data", folder.to_str().unwrap(), "--quiet"]);
        place.run(&words).done()
    };
    let summary = run("reproduce c10-fig4 --quick --runs 1");
    assert!(summary.contains("GI-RELIEF has the best or second best rate"), "{summary}");
    let best = place.read("c10-fig4/best.csv");
    // Twelve methods on five sets.
    assert_eq!(best.lines().count() - 1, 60, "{best}");
    for line in best.lines().skip(1) {
        let rate: f64 = line.split(',').nth(2).unwrap().parse().unwrap();
        assert!((40.0..=100.0).contains(&rate), "{line}");
    }

    // The page of an experiment whose paper has pictures only.
    run("reproduce c10-fig1 --quick --report page.html");
    let html = place.read("page.html");
    assert!(
        html.contains("Leave-one-out rate of the nearest neighbor in percent</caption>"),
        "{html}"
    );

    let summary = run("reproduce c10-fig3 --quick");
    assert!(summary.contains("With a width larger by 1000, it converges"), "{summary}");
    let changes = place.read("c10-fig3/changes.csv");
    assert!(changes.lines().any(|line| line.starts_with("iris,1000,1,")), "{changes}");
}

#[test]
fn hm13_gives_both_tables_on_its_page_and_goes_on_without_sets_that_are_not_there() {
    let Some(folder) = data_folder() else { return };
    let place = Place::new();
    std::fs::create_dir(place.path("data")).unwrap();
    place.file("data/iris.csv", std::fs::read(folder.join("iris.csv")).unwrap());
    let line = "reproduce hm13-table2 --quick --runs 2 --data data --quiet --threads";
    let summary = place.line(&format!("{line} 1 --output one --report page.html")).done();
    let html = place.read("page.html");
    for text in [
        "class=\"num\">paper <span class=\"word\">(sd)</span></th>",
        "(paired t-tests, 2 splits of 1 of 4 data sets).",
        "Hocke &#38; Martinetz 2013, section 3",
        "<td>MDM</td><td class=\"num\">2.93 (1.97)</td>",
        "<p>pima_diabetes is omitted",
        "MDM is almost the same in both tables</th>",
    ] {
        assert!(html.contains(text), "{text}: {html}");
    }
    assert!(summary.contains("pima_diabetes is omitted"), "{summary}");
    assert!(summary.contains("MDM is almost the same in both tables\n   holds"), "{summary}");
    assert!(summary.contains(" (paired t-test, 2 splits: p = "), "{summary}");
    assert!(!html.contains(", 0 are undecided") && !html.contains(">equal<"), "{html}");
    place.line(&format!("{line} 2 --output two")).done();
    for name in ["table1.csv", "table2.csv", "runs.csv", "summary.txt"] {
        assert_eq!(
            place.read(&format!("one/{name}")),
            place.read(&format!("two/{name}")),
            "{name}"
        );
    }
    let runs = place.read("one/runs.csv");
    // 2 tables of 1 set, 6 methods and 2 runs.
    assert_eq!(runs.lines().count() - 1, 2 * 6 * 2);
    for row in runs.lines().skip(1) {
        let cells: Vec<&str> = row.split(',').collect();
        let (error, rank): (f64, f64) = (cells[4].parse().unwrap(), cells[5].parse().unwrap());
        // 75 rows are tested.
        let wrong = error * 0.75;
        assert!((wrong - wrong.round()).abs() < 1e-9 && error < 20.0, "{row}");
        assert!((1.0..=4.0).contains(&rank), "{row}");
    }
}

#[test]
fn ranks_of_all_algorithms_on_few_features_have_the_same_bits_for_any_threads() {
    let place = Place::new();
    let tiny = "reproduce rba-2026 --quick --rows 60 --data-sets 2 --most-features 100 --quiet";
    let summary = place.line(&format!("{tiny} --threads 1")).done();
    for words in [
        "XOR of 4 of 20 features, frequency 0.5: 2 data sets.",
        "2-way interaction: power in % (median rank), by the number of features:",
        "undecided      MultiSWRFDB*: ",
        "with absolute ranking in",
    ] {
        assert!(summary.contains(words), "{words}: {summary}");
    }
    // No data set has 100,000 features.
    assert!(!summary.contains("TuRF"), "{summary}");
    place.line(&format!("{tiny} --threads 2 --output two")).done();
    for name in ["power.csv", "power.svg", "summary.txt", "summary.tex"] {
        assert!(
            place.read(&format!("rba-2026/{name}")) == place.read(&format!("two/{name}")),
            "{name} depends on the number of threads"
        );
    }
    let text = place.read("rba-2026/power.csv");
    // Eight kinds of data sets, 16 algorithms, two rankings.
    assert_eq!(text.lines().count() - 1, 8 * 16 * 2);
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |place: usize| cells[place].parse::<f64>().unwrap();
        assert_eq!(cells[5], "2", "{line}");
        assert!((0.0..=1.0).contains(&number(6)) && number(6) <= number(7), "{line}");
        let (predictive, features) = (number(1), number(2));
        assert!((1.0..=features).contains(&number(8)), "{line}");
        // Perfect ranks are 1 to n.
        assert!(number(6) < 1.0 || number(8) == (predictive + 1.0) / 2.0, "{line}");
    }
    let message = place.line("reproduce rba-2026 --most-features 10").refused();
    assert!(message.contains("10 is less than 20"), "{message}");
}
