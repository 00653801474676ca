//! No input makes a reader panic, and our splitting of records agrees with the `csv` crate.

use proptest::prelude::*;

use super::{Sample, bgzip, formats, gzip, names, rows, transposed, xlsx};
use basrelief_io::ReadOptions;

/// Reads under every text format; all that is asked for is an answer.
fn read_all(bytes: &[u8]) {
    let transposed = ReadOptions { transpose: true, ..ReadOptions::default() };
    for name in [
        "a.csv",
        "a.tsv",
        "a.txt",
        "a.arff",
        "a.gct",
        "a_series_matrix.txt",
        "a.xlsx",
        "a.csv.gz",
        "a.npy",
        "a.npz",
        "a.parquet",
    ] {
        for options in [&ReadOptions::default(), &transposed] {
            if let Ok(table) = Sample::new(name, bytes).read_with(options) {
                let first = rows(&table.columns[0]);
                let mut all =
                    table.columns.iter().chain(&table.annotations).chain(&table.row_names);
                assert!(first > 0 && all.all(|column| rows(column) == first));
            }
        }
    }
}

/// The bytes with some of them replaced, and perhaps cut.
fn mutated(bytes: Vec<u8>) -> impl Strategy<Value = Vec<u8>> {
    let length = bytes.len();
    let changes = prop::collection::vec((0..length, any::<u8>()), 0..6);
    (changes, prop::option::of(0..length)).prop_map(move |(changes, cut)| {
        let mut bytes = bytes.clone();
        for (at, byte) in changes {
            bytes[at] = byte;
        }
        bytes.truncate(cut.unwrap_or(length));
        bytes
    })
}

const ARFF: &str = "@relation r\n@attribute a real\n@attribute 'b c' {x,'y z'}\n\
    @attribute s string\n@data\n1,x,\"t\"\n{0 2,1 'y z'}\n?,?,?\n";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn arbitrary_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        read_all(&bytes);
    }

    #[test]
    fn likely_texts(text in "[a-c01.,;\t|\"'\r\n {}@%?\\\\-]{0,120}") {
        read_all(text.as_bytes());
        read_all(format!("@attribute a real\n@attribute b {{a,b}}\n@data\n{text}").as_bytes());
    }

    #[test]
    fn damaged_text_files(
        arff in mutated(ARFF.as_bytes().to_vec()),
        zipped in mutated(gzip(b"a,b\n1,x\n2,y\n")),
        blocked in mutated(bgzip(b"a,b\n1,x\n2,y\n", 5)),
    ) {
        let _ = Sample::new("a.arff", arff).read();
        let _ = Sample::new("a.csv.gz", zipped).read();
        let _ = Sample::new("a.csv.gz", blocked).read();
    }

    #[test]
    fn damaged_tables_of_samples_in_columns(
        gct in mutated(transposed::GCT.as_bytes().to_vec()),
        series in mutated(transposed::SERIES.as_bytes().to_vec()),
        workbook in mutated(xlsx::workbook(&[("a", xlsx::SHEET)])),
    ) {
        let _ = Sample::new("a.gct", gct).read();
        let _ = Sample::new("a_series_matrix.txt", series).read();
        let _ = Sample::new("a.xlsx", workbook).read();
    }

    #[test]
    fn damaged_arrays(
        npy in mutated(formats::npy(&[1.0_f64, 2.0, 3.0, 4.0], &[2, 2], npyz::Order::C)),
        npz in mutated(formats::npz(&[
            ("X", formats::npy(&[1.0_f64, 2.0, 3.0, 4.0], &[2, 2], npyz::Order::C)),
            ("y", formats::npy_texts(&["a", "b"])),
        ])),
    ) {
        let _ = Sample::new("a.npy", npy).read();
        let _ = Sample::new("a.npz", npz).read();
    }

    #[test]
    fn records_are_those_of_the_csv_crate(text in "[ab,\"\r\n]{1,40}") {
        // The crate reads an unclosed quote as closed; we refuse it.
        let text = format!("h,{text}");
        let mut oracle = ::csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .from_reader(text.as_bytes());
        let records: Vec<Vec<String>> = oracle
            .records()
            .map(|record| record.unwrap().iter().map(ToString::to_string).collect())
            .collect();
        let options = ReadOptions {
            has_header: false,
            delimiter: Some(b','),
            kinds: basrelief::data::KindOverrides {
                all: Some(basrelief::data::ColumnKind::Categorical),
                ..Default::default()
            },
            ..Default::default()
        };
        match Sample::new("a.csv", &text).read_with(&options) {
            Ok(table) => {
                prop_assert!(records.iter().all(|record| record.len() == names(&table).len()));
                for (index, column) in table.columns.iter().enumerate() {
                    let cells = super::texts(column);
                    let expected: Vec<Option<&str>> = records
                        .iter()
                        .map(|record| Some(record[index].trim()).filter(|cell| !cell.is_empty()))
                        .collect();
                    prop_assert_eq!(cells, expected);
                }
            }
            Err(error) => {
                let message = error.to_string();
                let ragged = records.iter().any(|record| record.len() != records[0].len());
                prop_assert!(message.contains("never closed") || ragged, "{}", message);
            }
        }
    }
}

#[cfg(feature = "parquet")]
proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn damaged_parquet(bytes in mutated(formats::parquet_file::sample())) {
        let _ = Sample::new("a.parquet", bytes).read();
    }
}
