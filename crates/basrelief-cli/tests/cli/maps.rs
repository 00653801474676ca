//! `fit` and `transform`: models, their accounts, and mapped tables.

use std::fmt::Write;

use serde_json::Value;

use crate::{Place, small_table};

/// Numbers only: what map methods take.
fn numbers() -> String {
    let mut text = "id,x1,x2,x3,class\n".to_string();
    for row in 0..40 {
        let class = row % 2;
        let x1 = (row * 7 % 20) + if class == 0 { 30 } else { 0 };
        text.push_str(&format!("{row},{x1}.5,{},{}.25,{class}\n", row * 13 % 17, row * 5 % 23));
    }
    text
}

fn fitted() -> Place {
    let place = Place::new();
    place.file("data.csv", numbers());
    let line = "fit data.csv --target class --drop id --components 2 --scale standard \
                --model m.basrelief";
    place.line(line).done();
    place
}

#[test]
fn a_fit_is_told_and_its_model_maps_rows() {
    let place = Place::new();
    place.file("data.csv", numbers());
    let line = "fit data.csv --target class --drop id --method lfe --components 2 \
                --scale standard --model m.basrelief";
    let outcome = place.line(line);
    assert!(outcome.err.contains("wrote m.basrelief"), "{}", outcome.err);
    let told = outcome.done();
    for words in [
        "data.csv: 40 rows, 3 features (3 numeric)",
        "target class: 2 classes (0: 20, 1: 20)",
        "method lfe (components = 2, scale = standard, other options at their defaults)",
        "rank 3, discriminant power ",
        "component  eigenvalue  ",
        " x1",
    ] {
        assert!(told.contains(words), "no `{words}` in:\n{told}");
    }
    let csv = place.line("transform m.basrelief data.csv --keep class,id").done();
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("lfe_1,lfe_2,class,id"));
    assert_eq!(csv.lines().count(), 41);
    // The first component parts the classes.
    let first = |class: &str| {
        csv.lines()
            .skip(1)
            .map(|line| line.split(',').collect::<Vec<_>>())
            .filter(|cells| cells[2] == class)
            .map(|cells| cells[0].parse::<f64>().unwrap())
            .collect::<Vec<f64>>()
    };
    assert!(first("0").iter().all(|a| first("1").iter().all(|b| a > b)));
    assert_eq!(place.names(), ["data.csv", "m.basrelief"]);
}

#[test]
fn the_account_in_json_is_complete() {
    let place = Place::new();
    place.file("data.csv", numbers());
    let line = "fit data.csv --target class --drop id --method klfe --neighbors 2 --components 2 \
                --format json --model m.basrelief";
    let json: Value = serde_json::from_str(&place.line(line).done()).unwrap();
    assert_eq!(json["method"], "klfe");
    assert_eq!(json["options"]["kernel"], "rbf");
    assert_eq!(json["options"]["n_neighbors"], 2);
    assert_eq!(json["options"]["basis"], "kpca");
    assert!(json["kernel"].as_str().unwrap().starts_with("rbf:rho="), "{json}");
    assert_eq!(json["data"]["classes"]["1"], 20);
    assert_eq!(json["rank"], 39);
    let components = json["components"].as_array().unwrap();
    assert_eq!(components.len(), 2);
    let power = json["discriminant_power"].as_f64().unwrap();
    let first = components[0]["eigenvalue"].as_f64().unwrap();
    let loss = components[0]["discriminant_loss"].as_f64().unwrap();
    assert!((power - first - loss).abs() < 1e-9 * power);
    // The width that was found, given as a number, makes the same model but for the option.
    let kernel = json["kernel"].as_str().unwrap();
    let line = format!(
        "fit data.csv --target class --drop id --method klfe --neighbors 2 \
                        --components 2 --kernel {kernel} --model n.basrelief"
    );
    place.line(&line).done();
    let map = |model: &str| place.line(&format!("transform {model} data.csv")).done();
    assert_eq!(map("m.basrelief"), map("n.basrelief"));
}

#[test]
fn methods_without_classes_need_no_target() {
    let place = Place::new();
    place.file("data.csv", numbers());
    let told = place.line("fit data.csv --method pca --drop id,class --model m").done();
    assert!(told.contains("3 components, rank 3") && !told.contains("target"), "{told}");
    let message = place.line("fit data.csv --method lfe --model n").refused();
    assert!(message.contains("option --target: lfe needs classes"), "{message}");
    assert_eq!(place.names(), ["data.csv", "m"]);
}

/// A model's columns are numbers, also where a file alone would say otherwise.
#[test]
fn a_models_columns_are_read_as_numbers() {
    let place = Place::new();
    let mut declared =
        "@relation r\n@attribute x {0,1,2}\n@attribute y real\n@attribute z {a,b}\n@data\n"
            .to_string();
    let mut plain = "x,y,z\n".to_string();
    for row in 0..12 {
        let line =
            format!("{},{}.5,{}\n", row % 3, row * 5 % 7, if row % 2 == 0 { "a" } else { "b" });
        declared.push_str(&line);
        plain.push_str(&line);
    }
    place.file("declared.arff", &declared);
    place.file("plain.csv", &plain);
    let fit = "fit declared.arff --method pca --drop z --model m";
    place.line(&format!("{fit} --numeric x")).done();
    let mapped = |file: &str| place.line(&format!("transform m {file} --keep z")).done();
    assert_eq!(mapped("declared.arff"), mapped("plain.csv"));
    assert_eq!(mapped("plain.csv").lines().next(), Some("pca_1,pca_2,z"));
    // The value that is no number is told with its place.
    place.file("text.csv", "x,y,z\n0,1.5,a\n1,low,b\n");
    let message = place.line("transform m text.csv").refused();
    for words in ["text.csv", "line 3", "column `y`", "`low`"] {
        assert!(message.contains(words), "no `{words}` in {message}");
    }
    place.file(
        "letters.arff",
        declared.replace("x {0,1,2}", "x {0,1,2,b}").replace("0,2.5", "b,2.5"),
    );
    let message = place.line("transform m letters.arff").refused();
    for words in ["letters.arff", "`x`", "`b`"] {
        assert!(message.contains(words), "no `{words}` in {message}");
    }
}

#[test]
fn every_format_holds_the_same_numbers() {
    let place = fitted();
    place.line("transform m.basrelief data.csv --keep class --output z.csv").done();
    let from = |line: &str| {
        place.line(line).done();
        place.read("back.csv")
    };
    for name in ["z.csv.gz", "z.parquet"] {
        place.line(&format!("transform m.basrelief data.csv --keep class --output {name}")).done();
        // The mapped table as the data of another map, which must come out the same.
        let fit = |data: &str| {
            place
                .line(&format!("fit {data} --method pca --drop class --model p --format json"))
                .done();
            from(&format!("transform p {data} --keep class --output back.csv"))
        };
        assert_eq!(fit(name), fit("z.csv"), "{name}");
    }
    place.line("transform m.basrelief data.csv --output z.npy").done();
    let bytes = std::fs::read(place.path("z.npy")).unwrap();
    assert_eq!((&bytes[1..6], bytes.len() % 64), (&b"NUMPY"[..], 0));
}

#[test]
fn what_cannot_be_mapped_is_told() {
    let place = fitted();
    let before = place.names();
    place.file("other.csv", "x1,x_2,y\n1,2,3\n");
    place.file("gap.csv", "x1,x2,x3\n1,,3\n");
    place.file("text.csv", "x1,x2,x3\n1,a,3\n");
    place.file("junk.basrelief", "not a model");
    for (line, words) in [
        (
            "transform m.basrelief other.csv --output z.csv",
            &[
                "other.csv",
                "2 of the 3 columns",
                "x2, x3",
                "columns unknown to the map: x_2, y",
                "columns unknown to the map: x_2",
            ][..],
        ),
        ("transform m.basrelief text.csv --output z.csv", &["text.csv", "line 2", "x2", "`a`"]),
        ("transform junk.basrelief data.csv --output z.csv", &["junk.basrelief", "as a model"]),
        ("transform none.basrelief data.csv --output z.csv", &["none.basrelief"]),
        ("transform m.basrelief data.csv --output z.xlsx", &["z.xlsx", ".parquet and .npy"]),
        ("transform m.basrelief data.csv --output data.csv", &["--output", "data file itself"]),
        ("transform m.basrelief data.csv --keep clas --output z.csv", &["did you mean `class`?"]),
        ("fit data.csv --target class --method lmn --model z", &["did you mean `lmnn`?"]),
        ("fit data.csv --target class --method rrelieff --model z", &["`basrelief rank`"]),
        ("rank data.csv --target class --method lfe", &["`basrelief fit`"]),
        ("fit data.csv --target class --method pca --neighbors 3 --model z", &["--neighbors"]),
        ("fit data.csv --target class --kernel rbf:rho=0 --model z", &["--kernel", "above 0"]),
        ("fit data.csv --target class --model data.csv", &["--model", "data file itself"]),
        (
            "fit data.csv --target class --model z --output z",
            &["--model", "z is also written by --output"],
        ),
        (
            "fit data.csv --target class --model z --output ./z",
            &["--model", "also written by --output"],
        ),
    ] {
        let message = place.line(line).refused();
        for word in words {
            assert!(message.contains(word), "{line}: no `{word}` in {message}");
        }
    }
    for name in ["z", "z.csv", "z.xlsx"] {
        assert!(!place.names().iter().any(|own| own == name), "{name}");
    }
    assert!(before.iter().all(|name| place.names().contains(name)));
}

/// The matrix and the offset of an export give what `transform` gives.
#[test]
fn an_exported_matrix_maps_rows_as_the_model_does() {
    let place = fitted();
    let outcome = place.line("export m.basrelief --output map.npy");
    assert!(outcome.err.contains("wrote map.npy: 2 x 3"), "{}", outcome.err);
    outcome.done();
    let told: Value = serde_json::from_str(&place.read("map.json")).unwrap();
    assert_eq!(told["features"], serde_json::json!(["x1", "x2", "x3"]));
    assert_eq!((&told["method"], &told["matrix"]), (&"lfe".into(), &"map.npy".into()));
    assert_eq!(told.get("encoding"), None);
    let bytes = std::fs::read(place.path("map.npy")).unwrap();
    let header = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let in_columns = String::from_utf8_lossy(&bytes[..header]).contains("'fortran_order': True");
    let entries: Vec<f64> = bytes[header..]
        .chunks_exact(8)
        .map(|number| f64::from_le_bytes(number.try_into().unwrap()))
        .collect();
    let entry = |i: usize, j: usize| entries[if in_columns { j * 2 + i } else { i * 3 + j }];
    let mapped = place.line("transform m.basrelief data.csv").done();
    let data = numbers_of(&numbers());
    for (row, line) in mapped.lines().skip(1).enumerate() {
        for (i, value) in line.split(',').enumerate() {
            let value: f64 = value.parse().unwrap();
            let sum: f64 = (0..3).map(|j| entry(i, j) * data[row][j + 1]).sum();
            let found = sum + told["offset"][i].as_f64().unwrap();
            assert!((found - value).abs() < 1e-9 * (1.0 + sum.abs()), "{row} {i}: {found} {value}");
        }
    }
    place.file("mixed.csv", small_table());
    place.line("fit mixed.csv --target class --method lda --model e.basrelief").done();
    place.line("export e.basrelief --output e.npy").done();
    let told: Value = serde_json::from_str(&place.read("e.json")).unwrap();
    assert_eq!(told["encoding"]["columns"].as_array().unwrap().len(), 3);
    assert_eq!(told["features"][2], "color=blue");
    place.line("fit data.csv --target class --method klfe --model k.basrelief").done();
    let before = place.names();
    for (line, words) in [
        ("export k.basrelief --output k.npy", &["kernel map", "basrelief transform"][..]),
        ("export m.basrelief --output m.csv", &["m.csv", ".npy"]),
        ("export none --output m.npy", &["none", "open it for reading"]),
        ("export m.basrelief --output no/such/m.npy", &["no/such/m.npy"]),
    ] {
        let message = place.line(line).refused();
        for word in words {
            assert!(message.contains(word), "{line}: no `{word}` in {message}");
        }
    }
    assert_eq!(place.names(), before, "nothing is left");
}

#[cfg(unix)]
#[test]
fn the_page_of_tables_shows_what_its_commands_give() {
    crate::assert_examples("tables.md", 3);
}

/// The cells of a table of numbers.
fn numbers_of(text: &str) -> Vec<Vec<f64>> {
    let cells = |line: &str| line.split(',').map(|cell| cell.parse().unwrap()).collect();
    text.lines().skip(1).map(cells).collect()
}

/// Categories and missing values: what a ranking takes, a map takes.
#[test]
fn tables_are_mapped_as_they_are() {
    let place = Place::new();
    let table = small_table().replacen("30,", ",", 2).replacen("red", "", 1);
    place.file("data.csv", &table);
    let fit = "fit data.csv --target class --method lda --scale standard --model m.basrelief";
    let told = place.line(fit).done();
    for words in [
        "3 features (2 numeric, 1 categorical)",
        "categories: one column per category (a mismatch counts as 1): color (3)",
        "missing values: replaced by the mean, with an indicator column: x1 (",
        "color=blue",
    ] {
        assert!(told.contains(words), "no `{words}` in:\n{told}");
    }
    let json: Value =
        serde_json::from_str(&place.line(&format!("{fit} --format json")).done()).unwrap();
    let columns = json["encoding"]["columns"].as_array().unwrap();
    assert_eq!((&columns[1]["column"], &columns[1]["becomes"]), (&"color".into(), &4.into()));
    assert_eq!(columns[1]["levels"], serde_json::json!(["blue", "green", "red"]));
    assert_eq!(columns.len(), 2, "x2 stays as it is");
    // The page tells it, and shows the rows.
    place.line(&format!("{fit} --report page.html")).done();
    let page = std::fs::read_to_string(place.path("page.html")).unwrap();
    for words in ["with an indicator column: x1", "color=blue"] {
        assert!(page.contains(words), "no `{words}`");
    }
    let mapped = place.line("transform m.basrelief data.csv --keep class").done();
    let rows: Vec<(f64, &str)> = mapped
        .lines()
        .skip(1)
        .map(|line| line.split_once(',').unwrap())
        .map(|(value, class)| (value.parse().unwrap(), class))
        .collect();
    let mean = |class: &str| {
        let own: Vec<f64> = rows.iter().filter(|row| row.1 == class).map(|row| row.0).collect();
        own.iter().sum::<f64>() / own.len() as f64
    };
    assert!((mean("yes") - mean("no")).abs() > 1.0, "{mapped}");
    // Rows alone are as rows among others, and a file of numbers alone keeps its categories.
    let alone: String = table.lines().take(4).map(|line| format!("{line}\n")).collect();
    place.file("alone.csv", alone);
    let first: String = mapped.lines().take(4).map(|line| format!("{line}\n")).collect();
    assert_eq!(place.line("transform m.basrelief alone.csv --keep class").done(), first);
    place.file("new.csv", "x1,x2,color\n20,,7\n,3,red\n");
    let outcome = place.line("transform m.basrelief new.csv");
    for words in ["replaced by the mean: `x2` (1)", "column `color`: 1 row has a category", "`7`"] {
        assert!(outcome.err.contains(words), "no `{words}` in {}", outcome.err);
    }
    assert_eq!(outcome.done().lines().count(), 3);
    place.file("numbers.arff", "@relation r\n@attribute x1 real\n@attribute x2 {a,b}\n@attribute color {red}\n@data\n1,a,red\n");
    let message = place.line("transform m.basrelief numbers.arff").refused();
    assert!(message.contains("`x2`") && message.contains("`a`"), "{message}");
}

#[test]
fn a_figure_shows_the_rows_by_class() {
    let place = Place::new();
    place.line("synth twonorm --rows 60 --output data.csv").done();
    let fit = "fit data.csv --target class --method lda --model m.basrelief --figure map.svg";
    place.line(fit).done();
    let svg = std::fs::read_to_string(place.path("map.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains(">lda 1<") && svg.contains(">-1<"), "{svg}");
    let refused = place.line(&fit.replace("map.svg", "./m.basrelief")).refused();
    assert!(refused.contains("also written by --model"), "{refused}");
}

#[test]
fn a_figure_of_many_rows_shows_1500_of_them_and_states_so() {
    let place = Place::new();
    let mut text = String::from("a,b,class\n");
    for row in 0..2000 {
        let class = if row % 4 == 0 { "few" } else { "many" };
        let _ = writeln!(text, "{}.5,{}.5,{class}", row % 41 + 3 * (row % 4), row % 53);
    }
    place.file("data.csv", &text);
    place.line("fit data.csv --target class --method lda --model m --figure map.svg").done();
    let drawn = std::fs::read_to_string(place.path("map.svg")).unwrap();
    assert!(drawn.contains("lda (1500 of 2000 rows)"), "{drawn}");
    let shapes = drawn.matches("<circle").count() + drawn.matches("<path").count();
    assert!((1500..1600).contains(&shapes), "{shapes}");
}

#[test]
fn figures_are_svg_pdf_or_png_in_a_width() {
    let place = Place::new();
    place.line("synth twonorm --rows 60 --output data.csv").done();
    let fit = |rest: &str| {
        place.line(&format!("fit data.csv --target class --method lda --model m.basrelief {rest}"))
    };
    let bytes = |name: &str| std::fs::read(place.path(name)).unwrap();
    for name in ["map.pdf", "map.PNG", "map.svg"] {
        fit(&format!("--figure {name} --width 480")).done();
    }
    assert!(bytes("map.pdf").starts_with(b"%PDF-"));
    // 480 pixels of 96 per inch are 360 points.
    assert!(String::from_utf8_lossy(&bytes("map.pdf")).contains("/MediaBox [0 0 360 "));
    assert_eq!(bytes("map.PNG")[..8], *b"\x89PNG\r\n\x1a\n");
    assert_eq!(bytes("map.PNG")[16..20], 480_u32.to_be_bytes());
    assert!(place.read("map.svg").contains(" width=\"480\""));

    // The same files on a machine without fonts.
    for name in ["map.pdf", "map.PNG"] {
        let line = "fit data.csv --target class --method lda --model m.basrelief --width 480";
        let mut args: Vec<&str> = line.split(' ').collect();
        let again = format!("again-{name}");
        args.extend(["--figure", &again]);
        let mut command = place.command(&args);
        for variable in ["HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "FONTCONFIG_PATH"] {
            command.env(variable, place.path("nowhere"));
        }
        command.env("FONTCONFIG_FILE", place.path("nowhere/fonts.conf"));
        assert!(command.output().unwrap().status.success());
        assert!(bytes(&again) == bytes(name), "{name} depends on fonts");
    }

    let advice =
        "figures are written as SVG, PDF or PNG; use a file name ending in .svg, .pdf or .png";
    for name in ["map.jpg", "map"] {
        let message = fit(&format!("--figure {name}")).refused();
        let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(message.contains(advice), "{message}");
    }
    for width in ["0", "-3", "wide", "1.5", "100000"] {
        let message = fit(&format!("--figure map.png --width {width}")).refused();
        assert!(message.contains("width"), "{message}");
    }
    assert!(fit("--width 30").refused().contains("--figure"));
}

/// As `cases/20`: finite values whose squares overflow, and the advice of the message.
#[test]
fn values_whose_squares_overflow_are_refused_and_scaled() {
    let place = Place::new();
    let mut text = "a,b,y\n".to_string();
    for row in 0..40 {
        let b = if row == 7 { "1.79e308".to_string() } else { format!("{}.5", row * 13 % 17) };
        text.push_str(&format!("{},{b},{}\n", row * 7 % 20, row % 2));
    }
    place.file("big.csv", text);
    for info in basrelief::methods::MAP_METHODS {
        let line = format!("fit big.csv --target y --method {} --model m.basrelief", info.name);
        let outcome = place.line(&line);
        assert_eq!(outcome.code, Some(2), "{}: {}", info.name, outcome.err);
        assert!(outcome.err.contains("column `b`"), "{}: {}", info.name, outcome.err);
        assert!(outcome.err.contains("--scale standard"), "{}: {}", info.name, outcome.err);
        place.line(&format!("{line} --scale standard")).done();
    }
}

#[test]
fn a_row_alone_is_transformed_as_in_its_table() {
    let place = fitted();
    let whole = place.line("transform m.basrelief data.csv").done();
    let text = numbers();
    let lines: Vec<&str> = text.lines().collect();
    for row in [1, 2, 17, 40] {
        place.file("one.csv", format!("{}\n{}\n", lines[0], lines[row]));
        let alone = place.line("transform m.basrelief one.csv").done();
        assert_eq!(alone.lines().nth(1), whole.lines().nth(row));
    }
}

#[test]
fn a_row_whose_coordinates_overflow_is_named() {
    let place = fitted();
    place.file("far.csv", "id,x1,x2,x3\n1,2,3,4\n2,1.7e308,-1.7e308,3\n");
    let outcome = place.line("transform m.basrelief far.csv --output out.csv");
    if outcome.code != Some(0) {
        assert_eq!(outcome.code, Some(2), "{}", outcome.err);
        assert!(
            outcome.err.contains("far.csv") && outcome.err.contains("row 2"),
            "{}",
            outcome.err
        );
        assert!(!place.names().contains(&"out.csv".to_string()));
    } else {
        assert!(!std::fs::read_to_string(place.path("out.csv")).unwrap().contains("inf"));
    }
}
