//! Files with features in rows: plain matrices, GCT and series matrices; and properties of samples in files of their own.

use basrelief::data::{RawTable, RawValues};
use basrelief_io::{ReadOptions, copy_columns, read_table};
use proptest::prelude::*;

use super::{Sample, assert_says, gzip, names, numbers, run, texts};

/// A GCT 1.3 file with a property of the rows and two of the columns.
pub(crate) const GCT: &str = "#1.3\n2\t3\t1\t2\nid\tsymbol\ts1\ts2\ts3\ntissue\tna\tliver\tlung\tliver\n\
    age\tna\t40\t51\tNA\ng1\tTP53\t1.5\t2\t3\ng2\tBRCA1\t0\tNA\t1\n";

/// A series matrix with characteristics whose keys differ between samples.
pub(crate) const SERIES: &str = "!Series_title\t\"A study\"\n!Sample_title\t\"one\"\t\"two\"\n\
    !Sample_geo_accession\t\"GSM1\"\t\"GSM2\"\n\
    !Sample_characteristics_ch1\t\"tissue: liver\"\t\"tissue: lung\"\n\
    !Sample_characteristics_ch1\t\"age: 40\"\t\"Sex: male\"\n\
    !series_matrix_table_begin\n\"ID_REF\"\t\"GSM1\"\t\"GSM2\"\n\"1007_s_at\"\t7.25\t8\n\"1053_at\"\t\t5.5\n\
    !series_matrix_table_end\n";

fn transposed() -> ReadOptions {
    ReadOptions { transpose: true, ..ReadOptions::default() }
}

fn samples(table: &RawTable) -> Vec<Option<&str>> {
    texts(table.row_names.as_ref().unwrap())
}

#[test]
fn features_may_be_rows() {
    for text in [
        "gene,s1,s2,s3\nA,1,2,NA\nB,x,1.0,y\n",
        // R writes no name above those of the rows.
        "\"s1\" \"s2\" \"s3\"\n\"A\" 1 2 NA\n\"B\" \"x\" 1.0 \"y\"\n",
        "\ts1\ts2\ts3\nA\t1\t2\t\nB\tx\t1.0\ty\n",
    ] {
        for sample in [Sample::new("a.txt", text), Sample::new("a.txt.gz", gzip(text.as_bytes()))] {
            let table = sample.read_with(&transposed()).unwrap();
            assert_eq!(names(&table), ["A", "B"], "{text}");
            assert_eq!(samples(&table), [Some("s1"), Some("s2"), Some("s3")]);
            let numbers = numbers(&table.columns[0]);
            assert_eq!(numbers[..2], [1.0, 2.0]);
            assert!(numbers[2].is_nan());
            // The number before a text keeps its spelling.
            assert_eq!(texts(&table.columns[1]), [Some("x"), Some("1.0"), Some("y")]);
        }
    }
}

#[test]
fn repeated_features_are_kept_apart() {
    let table = Sample::new("a.csv", "g,s1,s2\nA,1,2\nA,3,4\nA.2,5,6\nA,7,8\n,9,1\n");
    let table = table.read_with(&transposed()).unwrap();
    assert_eq!(names(&table), ["A", "A.3", "A.2", "A.4", "column_5"]);
    assert_eq!(numbers(&table.columns[3]), [7.0, 8.0]);
    let message = table.warnings[0].to_string();
    assert_says(&message, &["2 features have the name", "the second `A` is called `A.3`"]);
}

#[test]
fn gct_files_have_properties_of_samples() {
    for sample in [Sample::new("a.gct", GCT), Sample::new("a.gct.gz", gzip(GCT.as_bytes()))] {
        let table = sample.read().unwrap();
        assert_eq!(names(&table), ["g1", "g2"]);
        assert_eq!(numbers(&table.columns[0]), [1.5, 2.0, 3.0]);
        assert_eq!(samples(&table), [Some("s1"), Some("s2"), Some("s3")]);
        let [tissue, age] = &table.annotations[..] else { panic!("two properties") };
        assert_eq!((tissue.name.as_str(), age.name.as_str()), ("tissue", "age"));
        assert_eq!(texts(tissue), [Some("liver"), Some("lung"), Some("liver")]);
        assert_eq!(numbers(age)[..2], [40.0, 51.0]);
    }
    let older = "#1.2\n1\t2\nName\tDescription\ts1\ts2\ng1\tna\t1\t2\n";
    let table = Sample::new("a.gct", older).read().unwrap();
    assert_eq!((names(&table), numbers(&table.columns[0])), (vec!["g1"], vec![1.0, 2.0]));
    for (text, parts) in [
        ("#1.4\n1\t1\nN\tD\ts\ng\td\t1\n", &["line 1", "#1.2"][..]),
        ("#1.2\n1 2\nN\tD\ts\ng\td\t1\n", &["line 2", "2 whole numbers"]),
        ("#1.2\n2\t1\nN\tD\ts\ng\td\t1\n", &["line 2", "states 2 rows, but there are 1"]),
        ("#1.2\n1\t2\nN\tD\ts\ng\td\t1\n", &["line 3", "line 2 states 2 columns", "there are 1"]),
        ("#1.2\n1\t1\nN\tD\ts\ng\td\t1\t2\n", &["line 4", "4 fields", "3"]),
        ("#1.3\n1\t1\t9\t0\nid\ts\ng\t1\n", &["line 3", "there are 0"]),
        ("#1.3\n1\t1\t0\t1\nid\ts\n", &["ends before the properties"]),
        ("#1.2\n1\t2\nN\tD\ts\ts\ng\td\t1\t2\n", &["line 3", "columns 3 and 4 have this name"]),
        ("#1.2\n", &["ends before the numbers"]),
    ] {
        assert_says(&Sample::new("a.gct", text).message(), parts);
    }
}

#[test]
fn series_matrices_have_characteristics_of_samples() {
    let name = "GSE1_series_matrix.txt";
    let zipped = Sample::new(&format!("{name}.gz"), gzip(SERIES.as_bytes()));
    for sample in [Sample::new(name, SERIES), zipped] {
        let table = sample.read().unwrap();
        assert_eq!(names(&table), ["1007_s_at", "1053_at"]);
        assert_eq!(samples(&table), [Some("GSM1"), Some("GSM2")]);
        assert_eq!(numbers(&table.columns[0]), [7.25, 8.0]);
        let known: Vec<&str> = table.annotations.iter().map(|own| own.name.as_str()).collect();
        assert_eq!(known, ["title", "geo_accession", "tissue", "age", "Sex"]);
        assert_eq!(texts(&table.annotations[2]), [Some("liver"), Some("lung")]);
        assert_eq!(numbers(&table.annotations[3])[0], 40.0);
        assert_eq!(texts(&table.annotations[4]), [None, Some("male")]);
        let chosen = table.with_annotations(["tissue"]).unwrap();
        assert_eq!(names(&chosen), ["1007_s_at", "1053_at", "tissue"]);
    }
    let lines: Vec<&str> = SERIES.lines().collect();
    let without = |line: usize| {
        let kept = lines.iter().enumerate().filter(|(place, _)| *place != line);
        kept.map(|(_, line)| format!("{line}\n")).collect::<String>()
    };
    assert_says(&Sample::new(name, without(9)).message(), &["series_matrix_table_end", "download"]);
    let empty = SERIES.replace("\"1007_s_at\"\t7.25\t8\n\"1053_at\"\t\t5.5\n", "");
    assert_says(&Sample::new(name, &empty).message(), &["table of the series is empty", "pheno"]);
    // It describes the samples of another table.
    let series = Sample::new(name, &empty);
    let counts = Sample::new("counts.csv", "gene,GSM2,GSM1\nA,3,4\n");
    let with = ReadOptions { phenotypes: Some(series.path.clone()), ..transposed() };
    let table = counts.read_with(&with).unwrap().with_annotations(["tissue"]).unwrap();
    assert_eq!(names(&table), ["A", "tissue"]);
    assert_eq!(texts(&table.columns[1]), [Some("lung"), Some("liver")]);
    assert_says(
        &Sample::new(name, without(5)).message(),
        &["ends before the line `!series_matrix_table_begin`"],
    );
    let more = SERIES.replace("\"one\"", "\"one\"\t\"more\"");
    assert_says(&Sample::new(name, more).message(), &["`title` has 3 values", "2 samples"]);
}

#[test]
fn bad_matrices_are_refused() {
    for (text, parts) in [
        ("gene,s1,s2\n", &["no line after the names"][..]),
        ("gene,s1,s2\nA,1\n", &["line 2", "2 fields, but the line of the names has 3"]),
        ("gene,s1,s2\nA,1,2\nB,1,2,3\n", &["line 3", "4 fields", "3"]),
        ("gene,s1,s1\nA,1,2\n", &["line 1", "columns 2 and 3 have this name", "s1"]),
        ("gene\nA\n", &["contains no sample"]),
        ("gene,s1\nA,1e999\nB,\n", &[]),
    ] {
        let sample = Sample::new("a.csv", text);
        if parts.is_empty() {
            // Whether it is a number or a text is decided later.
            sample.read_with(&transposed()).unwrap();
        } else {
            assert_says(&sample.message_with(&transposed()), parts);
        }
    }
    let says = |name: &str, options: &ReadOptions| {
        Sample::new(name, "a,b\n1,2\n").read_with(options).unwrap_err().to_string()
    };
    assert_says(&says("a.arff", &transposed()), &["text files and workbooks"]);
    let headless = ReadOptions { has_header: false, ..transposed() };
    assert_says(&says("a.csv", &headless), &["samples in columns need names"]);
    let of_sheet = ReadOptions { sheet: Some("x".to_string()), ..ReadOptions::default() };
    assert_says(&says("a.csv", &of_sheet), &["not a workbook"]);
}

#[test]
fn phenotypes_are_in_a_file_of_their_own() {
    let data = Sample::new("genes.csv", "sample,g1,g2\n01,1,2\n02,3,4\n3,5,6\n");
    let with = |name: &str, text: &str| {
        std::fs::write(data.folder.path().join(name), text).unwrap();
        ReadOptions {
            phenotypes: Some(data.folder.path().join(name)),
            keep_text: vec!["class".to_string()],
            ..ReadOptions::default()
        }
    };
    let table = data.read_with(&with("p.csv", "id,class\n02,1.0\n01,2\n9,3\n")).unwrap();
    assert_eq!(names(&table), ["g1", "g2"]);
    // Names are texts: 01 is not 1, and classes keep their spelling.
    assert_eq!(samples(&table), [Some("01"), Some("02"), Some("3")]);
    assert_eq!(texts(&table.annotations[0]), [Some("2"), Some("1.0"), None]);
    assert_says(&table.warnings[0].to_string(), &["2 of the 3 samples", "1 of its samples"]);
    let plink = with("p.pheno", "FID IID class\nf 3 a\nf 01 b\nf 02 a\n");
    let table = data.read_with(&plink).unwrap();
    assert_eq!(texts(&table.annotations[0]), [Some("b"), Some("a"), Some("a")]);
    assert_eq!(table.annotations.len(), 1);
    let alone = Sample::new("alone.csv", "sample\n01\n02\n");
    let message = alone.message_with(&with("p.csv", "id,class\n02,1\n01,2\n"));
    assert_says(&message, &["only the names of the samples"]);
    let own = ReadOptions { transpose: true, ..with("r.csv", "id,class\nz,x\n") };
    let message = data.read_with(&own).unwrap_err().to_string();
    assert_says(&message, &["no sample of the table is in it", "the table has g1, g2"]);
    let message = data.read_with(&with("q.csv", "id,class\ng1,x\n")).unwrap_err().to_string();
    assert_says(&message, &["columns of the table and not rows", "transpose"]);
}

#[test]
fn selected_columns_of_transposed_tables_have_names_of_samples() {
    let data = Sample::new("a.gct", GCT);
    let output = data.folder.path().join("out.csv");
    let names = ["g2", "tissue"].into_iter().collect();
    copy_columns(&data.path, &ReadOptions::default(), &names, &output, &run()).unwrap();
    let text = std::fs::read_to_string(&output).unwrap();
    assert_eq!(text, "sample,g2,tissue\ns1,0,liver\ns2,,lung\ns3,1,liver\n");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A table and its transpose have the same columns.
    #[test]
    fn transposed_tables_are_the_tables(
        cells in prop::collection::vec(
            prop::collection::vec(prop::sample::select(vec!["1", "2.5", "-0", "NA", "", "x", "y z", "1e-3"]), 4),
            1..7,
        ),
    ) {
        let plain: String = std::iter::once("s,a,b,c,d\n".to_string())
            .chain(cells.iter().zip(0..).map(|(row, place)| format!("n{place},{}\n", row.join(","))))
            .collect();
        let line = |(place, name): (usize, &str)| {
            let own: Vec<&str> = cells.iter().map(|row| row[place]).collect();
            format!("{name},{}\n", own.join(","))
        };
        let head: String = (0..cells.len()).map(|place| format!(",n{place}")).collect();
        let turned: String =
            std::iter::once(format!("{head}\n")).chain(["a", "b", "c", "d"].into_iter().enumerate().map(line)).collect();
        let own = ReadOptions { has_row_names: true, ..ReadOptions::default() };
        let plain = Sample::new("a.csv", plain).read_with(&own).unwrap();
        let turned = Sample::new("a.csv", turned).read_with(&transposed()).unwrap();
        prop_assert_eq!(samples(&plain), samples(&turned));
        for (one, other) in plain.columns.iter().zip(&turned.columns) {
            prop_assert_eq!(&one.name, &other.name);
            match (&one.values, &other.values) {
                (RawValues::Numbers(one), RawValues::Numbers(other)) => {
                    let bits = |numbers: &basrelief::data::CompactNumbers| -> Vec<u64> {
                        numbers.iter().map(f64::to_bits).collect()
                    };
                    prop_assert_eq!(bits(one), bits(other));
                }
                _ => prop_assert_eq!(texts(one), texts(other)),
            }
        }
    }
}

/// A cancelled run stops, and too little memory is reported.
#[test]
fn reading_stops() {
    let wide: String = (0..10_000).map(|column| format!("\ts{column}")).collect();
    let cells = "\t1.5".repeat(10_000);
    let text: String = std::iter::once(format!("g{wide}\n"))
        .chain((0..4000).map(|row| format!("g{row}{cells}\n")))
        .collect();
    let data = Sample::new("a.tsv", text);
    let flag = basrelief::CancelFlag::new();
    flag.cancel();
    let run = run().with_cancel(flag);
    assert!(matches!(
        read_table(&data.path, &transposed(), &run),
        Err(basrelief::Error::Cancelled)
    ));
    let small = basrelief::Run::new(Some(1))
        .unwrap()
        .with_memory(basrelief::Memory::new(8 << 20, std::env::temp_dir()));
    let message = read_table(&data.path, &transposed(), &small).map(drop).unwrap_err().to_string();
    assert_says(&message, &["memory"]);
}
