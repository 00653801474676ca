//! Every error by its message.

use std::path::Path;

use basrelief::data::{KindOverrides, build_table};
use basrelief::{CancelFlag, Error, Run};
use basrelief_io::{Format, ReadOptions, read_table};

use super::{BGZIP_END, Sample, assert_says, bgzip, gzip, run};

fn stated(categorical: &[&str], genotype: &[&str], numeric: &[&str]) -> ReadOptions {
    let owned = |names: &[&str]| names.iter().map(ToString::to_string).collect();
    ReadOptions {
        kinds: KindOverrides {
            categorical: owned(categorical),
            genotype: owned(genotype),
            numeric: owned(numeric),
            ..KindOverrides::default()
        },
        ..ReadOptions::default()
    }
}

#[test]
fn a_missing_file_suggests_a_near_name() {
    let sample = Sample::new("genes.csv", "a,b\n1,2\n");
    let error = read_table(&sample.folder.path().join("gnes.csv"), &ReadOptions::default(), &run());
    let message = error.unwrap_err().to_string();
    assert_says(&message, &["gnes.csv", "there is no such file", "did you mean `genes.csv`?"]);
    let error = read_table(Path::new("no/where/x.csv"), &ReadOptions::default(), &run());
    assert_says(&error.unwrap_err().to_string(), &["there is no folder no/where"]);
    let error = read_table(sample.folder.path(), &ReadOptions::default(), &run());
    assert_says(&error.unwrap_err().to_string(), &["it is a folder", "give a file inside"]);
    let error = read_table(Path::new(""), &ReadOptions::default(), &run());
    assert_says(&error.unwrap_err().to_string(), &["the name is empty"]);
}

#[test]
fn unknown_extensions_list_the_known_ones() {
    let message = Sample::new("a.xlsm", "a,b\n1,2\n").message();
    assert_says(&message, &[".xlsm is unknown", ".csv", ".parquet", "specify the format"]);
    let options = ReadOptions { format: Some(Format::Csv), ..ReadOptions::default() };
    assert!(Sample::new("a.xlsm", "a,b\n1,2\n").read_with(&options).is_ok());
}

#[test]
fn files_without_data_are_told_apart() {
    assert_says(&Sample::new("a.csv", "").message(), &["empty (0 bytes)"]);
    assert_says(&Sample::new("a.csv", "\n  \r\n\n").message(), &["only blank lines"]);
    assert_says(&Sample::new("a.csv.gz", gzip(b"")).message(), &["only blank lines"]);
    assert_says(&Sample::new("a.csv", "a,b\n").message(), &["no data rows after the header"]);
    assert_says(&Sample::new("a.arff", "\n").message(), &["there is no @attribute"]);
    let arff = "@relation r\n@attribute a real\n";
    assert_says(&Sample::new("a.arff", arff).message(), &["no @data line"]);
    assert_says(&Sample::new("a.arff", format!("{arff}@data\n")).message(), &["no rows after"]);
}

#[test]
fn the_first_error_in_the_file_is_the_one_reported() {
    let good = "1,2,3\n".repeat(20);
    for (lines, says) in [
        ("1,2,inf\ninf,2,3\n", ["line 22", "`c`"]),
        ("1,-inf,inf\ninf,2,3\n", ["line 22", "`b`"]),
        ("1,2,inf\n1,2\n", ["line 22", "`c`"]),
        ("1,2\n1,2,inf\n", ["line 22", "2 fields"]),
        ("1,inf,3\n1,\"2\n", ["line 22", "`b`"]),
        ("1,2,3\n1,inf,3", ["line 23", "`b`"]),
    ] {
        let sample = Sample::new("a.csv", format!("a,b,c\n{good}{lines}"));
        assert_says(&sample.message_with(&stated(&[], &[], &["a", "b", "c"])), &says);
    }
}

#[test]
fn comment_lines_are_named_as_the_cause() {
    let remedy = "grep -v '^#'";
    for (text, says) in [
        ("# made by a program\na,b\n1,2\n", ["line 2", "the header begins with `#`"]),
        ("# one\n# two; three\na;b\n1;2\n", ["line 2", "the line begins with `#`"]),
        ("a,b\n1,2\n# half time\n3,4\n", ["line 3", "the line begins with `#`"]),
    ] {
        let message = Sample::new("a.csv", text).message();
        assert_says(&message, &says);
        assert_says(&message, &[remedy]);
        // The advice: the same lines without comments.
        let rest: String = text.split_inclusive('\n').filter(|l| !l.starts_with('#')).collect();
        assert_eq!(Sample::new("a.csv", rest).read().unwrap().columns.len(), 2);
    }
    // A header may begin with the mark, as that of a VCF.
    let columns = Sample::new("a.csv", "#id,b\n1,2\n").read().unwrap().columns;
    assert_eq!(columns[0].name, "#id");
}

#[test]
fn the_line_that_states_the_delimiter_is_named_as_the_cause() {
    for first in ["sep=;", "SEP=;", "\"sep=;\"", "sep=,", "\u{feff}sep=;"] {
        let message = Sample::new("a.csv", format!("{first}\r\na;b\r\n1;2\r\n")).message();
        assert_says(
            &message,
            &["line 1", "declares the delimiter for spreadsheets", "delete the line"],
        );
    }
    assert_eq!(Sample::new("a.csv", "a;b\r\n1;2\r\n").read().unwrap().columns.len(), 2);
    // A name is no such line.
    assert!(Sample::new("a.csv", "sep=x,b\n1,2\n").read().is_ok());
}

#[test]
fn ragged_rows_name_line_and_counts() {
    let message = Sample::new("a.csv", "a,b,c\n1,2,3\n\n1,2\n").message();
    assert_says(&message, &["line 4: 2 fields, but the header has 3", "delimiter is `,`"]);
    let message = Sample::new("a.csv", "a,b\nr1,1,2\n").message();
    assert_says(&message, &["line 2: 3 fields", "row name without a header field"]);
    let message = Sample::new("a.arff", "@attribute a real\n@attribute b real\n@data\n1\n");
    assert_says(&message.message(), &["line 4", "1 values, but 2 attributes are declared"]);
    let message = Sample::new("a.arff", "@attribute a real\n@data\n1, {5}\n").message();
    assert_says(&message, &["instance weights"]);
}

#[test]
fn duplicate_names_give_both_positions() {
    let message = Sample::new("a.csv", "a,b,a\n1,2,3\n").message();
    assert_says(&message, &["line 1, column `a`", "columns 1 and 3", "rename", "no_header"]);
    let message = Sample::new("a.arff", "@attribute a real\n@attribute a real\n@data\n1,2\n");
    assert_says(&message.message(), &["column `a`", "columns 1 and 2"]);
}

#[test]
fn wrong_encodings_are_located() {
    let message = Sample::new("a.csv", b"a,b\n1,x\n2,caf\xe9\n").message();
    assert_says(
        &message,
        &["line 3, column `b`", "not UTF-8", "byte 8 of", "caf\u{fffd}", "iconv"],
    );
    let message = Sample::new("a.csv", b"a,caf\xe9\n1,2\n").message();
    assert_says(&message, &["line 1, column `column_2`", "not UTF-8"]);
    let message = Sample::new("a.csv", b"\xff\xfea\0,\0b\0\n\0").message();
    assert_says(&message, &["UTF-16", "iconv -f UTF-16"]);
    assert_says(&Sample::new("a.csv", b"PK\x03\x04\0\0\0a").message(), &["NUL bytes"]);
    let message = Sample::new("a.arff", b"@attribute a string\n@data\ncaf\xe9\n").message();
    assert_says(&message, &["line 3", "not UTF-8 (byte 4 of the line)"]);
}

#[test]
fn infinite_values_are_refused() {
    for value in ["inf", "-Infinity", "1e999"] {
        let text = format!("a,b\n1,2\n2,{value}\n");
        let table = Sample::new("a.csv", text).read().unwrap();
        let message = build_table(table, &KindOverrides::default(), &[]).unwrap_err().to_string();
        let cell = format!("`{value}` (line 3)");
        assert_says(&message, &["a.csv", "column `b`", "infinite value", &cell]);
        let arff = format!("@attribute a real\n@data\n{value}\n");
        assert_says(&Sample::new("a.arff", arff).message(), &["line 3", "infinite value"]);
    }
}

#[test]
fn cells_must_fit_their_stated_kind() {
    let sample = Sample::new("a.csv", "a,b\n1,2\nhigh,3\n");
    let message = sample.message_with(&stated(&[], &[], &["a"]));
    assert_says(&message, &["line 3, column `a`: text in a column declared numeric", "`high`"]);
    let message = sample.message_with(&stated(&[], &["b"], &[]));
    assert_says(&message, &["line 3, column `b`: the value is not a genotype (found `3`)"]);
    let message = sample.message_with(&stated(&[], &["a"], &[]));
    assert_says(&message, &["text in a column declared genotype"]);
    assert!(sample.read_with(&stated(&["a"], &[], &["b"])).is_ok());
}

#[test]
fn a_decimal_comma_does_not_become_a_category() {
    let sample = Sample::new("a.csv", "a;b\n1;2\n1,5;3\n");
    let message = sample.message();
    assert_says(&message, &["line 3, column `a`: the number has a decimal comma", "`1,5`"]);
    assert!(sample.read_with(&stated(&["a"], &[], &[])).is_ok());
}

#[test]
fn unknown_columns_suggest_the_nearest() {
    let keep = ReadOptions { keep_text: vec!["taget".to_string()], ..ReadOptions::default() };
    for sample in [
        Sample::new("a.csv", "a,target\n1,2\n"),
        Sample::new("a.arff", "@attribute a real\n@attribute target real\n@data\n1,2\n"),
    ] {
        let message = sample.message_with(&keep);
        assert_says(&message, &["column `taget`", "no such column", "did you mean `target`?"]);
        assert_says(&sample.message_with(&stated(&["zz"], &[], &[])), &["2 columns are a, target"]);
    }
}

#[test]
fn quotes_and_fields_have_limits() {
    let message = Sample::new("a.csv", "a,b\n1,2\n3,\"x\n4,5\n").message();
    assert_says(&message, &["line 3, column `b`", "a quote opens here and is never closed"]);
    let long = "7".repeat(10_000_000);
    let message = Sample::new("a.csv", format!("a,b\n1,{long}\n")).message();
    assert_says(&message, &["line 2, column `b`", "more than 1048576 characters", "`7777"]);
    assert!(message.len() < 500, "{}", message.len());
    let message = Sample::new("a.arff", "@attribute a string\n@data\n'x\n").message();
    assert_says(&message, &["line 3", "never closed"]);
    let options = ReadOptions { delimiter: Some(b'"'), ..ReadOptions::default() };
    let error = Sample::new("a.csv", "a,b\n1,2\n").read_with(&options).unwrap_err();
    assert_says(&error.to_string(), &["option delimiter"]);
}

#[test]
fn damaged_gzip_is_reported() {
    let whole = gzip("a,b\n1,2\n".repeat(1000).as_bytes());
    let message = Sample::new("a.csv.gz", &whole[..whole.len() / 2]).message();
    assert_says(&message, &["cannot decompress it", "truncated"]);
    let mut flipped = whole.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 0xff;
    assert_says(&Sample::new("a.csv.gz", flipped).message(), &["a.csv.gz"]);
    assert_says(&Sample::new("a.csv.gz", "a,b\n1,2\n").message(), &["cannot decompress it"]);
}

#[test]
fn damaged_blocked_gzip_is_reported() {
    let text = "a,b\n1,2\n".repeat(1000);
    let whole = bgzip(text.as_bytes(), 4000);
    let message = |bytes: &[u8]| Sample::new("a.csv.gz", bytes).message();
    assert_says(&message(&whole[..whole.len() - 40]), &["cannot decompress it", "truncated"]);
    // Between two blocks, where everything that is there can be decompressed.
    let without_end = &whole[..whole.len() - BGZIP_END.len()];
    assert_says(&message(without_end), &["the empty block at the end", "truncated"]);
    let mixed = [without_end, &gzip(b"1,2\n")].concat();
    assert_says(&message(&mixed), &["a part of the file is not blocked gzip"]);
    // The first block states the size of the first two, or less than its header.
    let size = u16::from_le_bytes([whole[21], whole[22]]) + 1;
    let second = &whole[usize::from(size)..];
    let both = size + u16::from_le_bytes([second[21], second[22]]);
    for stated in [both, 5] {
        let mut wrong = whole.clone();
        wrong[21..23].copy_from_slice(&stated.to_le_bytes());
        assert_says(&message(&wrong), &["does not have the size that it states"]);
    }
    let mut flipped = whole.clone();
    flipped[30] ^= 0xff;
    assert_says(&message(&flipped), &["cannot decompress it"]);
}

#[test]
fn faults_of_arff_are_located() {
    let cases: [(&str, &[&str]); 9] = [
        (
            "@attribute c {red,blue}\n@data\nred\nbleu\n",
            &["line 4, column `c`", "not declared", "`bleu`", "did you mean `blue`?"],
        ),
        ("@attribute c {a,a}\n@data\na\n", &["line 1, column `c`", "declared twice"]),
        ("@attribute c {a,b\n@data\na\n", &["line 1, column `c`", "closing brace"]),
        ("@attribute c relational\n", &["line 1, column `c`", "relational", "flatten"]),
        (
            "@attribute c complex\n",
            &["line 1, column `c`", "type of the attribute is unknown", "`complex`"],
        ),
        ("hello\n", &["line 1", "neither @relation"]),
        ("@attribute a real\n@data\n{0 1\n", &["line 3", "closing brace"]),
        ("@attribute a real\n@data\n{7 1}\n", &["line 3", "`7`", "from 0 to 0"]),
        ("@attribute a real\n@data\n{0 1, 0 2}\n", &["line 3", "occurs twice"]),
    ];
    for (text, parts) in cases {
        assert_says(&Sample::new("a.arff", text).message(), parts);
    }
    let message = Sample::new("a.arff", "@attribute a real\n@data\n1\nx\n").message_with(&stated(
        &[],
        &[],
        &["a"],
    ));
    assert_says(&message, &["line 4, column `a`", "declared numeric"]);
    // A file that says numeric means it.
    let message = Sample::new("a.arff", "@attribute a real\n@data\n1\nx\n").message();
    assert_says(&message, &["line 4, column `a`", "declared numeric", "`x`"]);
}

#[test]
fn other_formats_never_panic_on_foreign_bytes() {
    for name in ["a.npy", "a.npz", "a.parquet"] {
        let message = Sample::new(name, "this is no such file, but long enough").message();
        assert_says(&message, &["cannot read it as", "damaged"]);
        assert_says(&Sample::new(name, "x").message(), &["cannot read it as"]);
    }
    // A header that would exhaust the stack of a recursive parser, and one that lies about size.
    let npy = |header: &str| {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend_from_slice(&(header.len() as u16).to_le_bytes());
        bytes.extend_from_slice(header.as_bytes());
        bytes
    };
    assert_says(&Sample::new("a.npy", npy(&"(".repeat(60_000))).message(), &["`{` was expected"]);
    let header = format!("{{'descr': {}", "[".repeat(60_000));
    assert_says(&Sample::new("a.npy", npy(&header)).message(), &["a list does not end"]);
    let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (999999999999, 9), }\n";
    assert_says(&Sample::new("a.npy", npy(header)).message(), &["file is too short"]);
    let header = "{'descr': '|O', 'fortran_order': False, 'shape': (1, 1), }\n";
    assert_says(&Sample::new("a.npy", npy(header)).message(), &["Python objects"]);
    let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1, 1), }\n";
    assert_says(&Sample::new("a.npy", npy(header)).message(), &["3 dimensions"]);
    let header = "{'descr': '<c16', 'fortran_order': False, 'shape': (1, 1), }\n";
    let bytes = [npy(header), vec![0; 16]].concat();
    assert_says(&Sample::new("a.npy", bytes).message(), &["'<c16'", "float64"]);
}

#[cfg(not(feature = "parquet"))]
#[test]
fn without_the_feature_parquet_says_how_to_build() {
    let message = Sample::new("a.parquet", "PAR1").message();
    assert_says(&message, &["without Parquet", "--features parquet"]);
}

#[test]
fn a_cancelled_run_stops() {
    let sample = Sample::new("a.csv", "a,b\n1,2\n");
    let flag = CancelFlag::new();
    flag.cancel();
    let run = Run::new(Some(1)).unwrap().with_cancel(flag);
    let result = read_table(&sample.path, &ReadOptions::default(), &run);
    assert!(matches!(result, Err(Error::Cancelled)));
}

/// Raises the flag as soon as the first bytes are reported.
struct StopAtFirst(CancelFlag);

impl basrelief::Progress for StopAtFirst {
    fn start(&self, _stage: &str, _total: u64) {}
    fn advance(&self, _units: u64) {
        self.0.cancel();
    }
    fn finish(&self) {}
}

#[test]
fn cancelling_while_reading_is_no_read_error() {
    let text = format!("a,b\n{}", "1,2\n".repeat(200_000));
    for sample in [Sample::new("a.csv", &text), Sample::new("a.csv.gz", gzip(text.as_bytes()))] {
        let flag = CancelFlag::new();
        let run = Run::new(Some(1))
            .unwrap()
            .with_cancel(flag.clone())
            .with_progress(std::sync::Arc::new(StopAtFirst(flag)));
        let result = read_table(&sample.path, &ReadOptions::default(), &run);
        assert!(matches!(result, Err(Error::Cancelled)), "{result:?}");
    }
}
