//! What each format may look like.

use std::io::Write;

use basrelief::data::{ColumnKind, KindOverrides, Values, build_table};
use basrelief::{Memory, Run};
use basrelief_io::{Format, ReadOptions, read_table};
use npyz::WriterBuilder;
use proptest::prelude::*;
use proptest::{collection, sample};

use super::{Sample, bgzip, gzip, missing, names, numbers, rows, texts};

#[test]
fn delimiters_are_sniffed_or_given() {
    for (name, text) in [
        ("a.csv", "a,b c\n1,x\n2,y\n"),
        ("a.csv", "a;b c\n1;x\n2;y\n"),
        ("a.txt", "a\tb c\r\n1\tx\r\n2\ty\r\n"),
        ("a.csv", "a|b c\r1|x\r2|y"),
        ("a.txt", "a  \"b c\"\n1   x\n 2 y \n"),
        ("a.tsv", "\u{feff}a\t\"b c\"\n\n1\t x \n2\t\"y\"\n"),
        ("a.csv", "\n\u{20}\n\"a\",\"b c\"\n1, \"x\"\n2,y\n\n"),
    ] {
        for sample in
            [Sample::new(name, text), Sample::new(&format!("{name}.gz"), gzip(text.as_bytes()))]
        {
            let table = sample.read().unwrap();
            assert_eq!(names(&table), ["a", "b c"], "{text:?}");
            assert_eq!(numbers(&table.columns[0]), [1.0, 2.0]);
            assert_eq!(texts(&table.columns[1]), [Some("x"), Some("y")]);
        }
    }
    let options = ReadOptions { delimiter: Some(b':'), ..ReadOptions::default() };
    let table = Sample::new("a.csv", "a:b\n1:2\n").read_with(&options).unwrap();
    assert_eq!(names(&table), ["a", "b"]);
}

#[test]
fn gzip_may_have_many_members_and_any_name() {
    let bytes = [gzip(b"a,b\n1,2\n"), gzip(b"3,4\n")].concat();
    for name in ["a.csv.gz", "a.csv"] {
        let table = Sample::new(name, &bytes).read().unwrap();
        assert_eq!(numbers(&table.columns[0]), [1.0, 3.0]);
    }
}

/// More blocks than are decompressed at a time, on one thread and on several.
#[test]
fn blocked_gzip_is_decompressed_in_order() {
    let rows: String = (0..5000).map(|row| format!("{row},{}\n", row % 7)).collect();
    let text = format!("a,b\n{rows}");
    for length in [97, 5000, 60_000] {
        let mut bytes = bgzip(text.as_bytes(), length);
        // Files that are put together have an empty block in the middle.
        bytes.extend(bgzip(b"5000,2\n", length));
        let sample = Sample::new("a.csv.gz", bytes);
        for threads in [1, 2] {
            let run = Run::new(Some(threads)).unwrap();
            let table = read_table(&sample.path, &ReadOptions::default(), &run).unwrap();
            let wanted: Vec<f64> = (0..=5000).map(f64::from).collect();
            assert_eq!(numbers(&table.columns[0]), wanted, "{length}");
        }
    }
}

#[test]
fn files_without_a_header_get_names() {
    let options = ReadOptions { has_header: false, ..ReadOptions::default() };
    let table = Sample::new("a.csv", "1,x\n2,y\n").read_with(&options).unwrap();
    assert_eq!(names(&table), ["column_1", "column_2"]);
    assert_eq!(numbers(&table.columns[0]), [1.0, 2.0]);
    let table = Sample::new("a.csv", ",b\n1,2\n").read().unwrap();
    assert_eq!(names(&table), ["column_1", "b"]);
}

#[test]
fn late_text_keeps_the_exact_cells() {
    let text = "a,b,c,t\n1.0,1,?,1\n,2,,1.0\n2.50,3,NA,1\nhigh,4,N/A,2\nlow,5,?,2\n";
    let options = ReadOptions {
        keep_text: vec!["t".to_string()],
        kinds: KindOverrides { categorical: vec!["b".to_string()], ..KindOverrides::default() },
        ..ReadOptions::default()
    };
    let table = Sample::new("a.csv", text).read_with(&options).unwrap();
    assert_eq!(
        texts(&table.columns[0]),
        [Some("1.0"), None, Some("2.50"), Some("high"), Some("low")]
    );
    assert_eq!(texts(&table.columns[1])[0], Some("1"));
    assert_eq!(missing(&table.columns[2]), 5);
    assert_eq!(texts(&table.columns[3]), [Some("1"), Some("1.0"), Some("1"), Some("2"), Some("2")]);
    assert!(table.columns.iter().all(|column| rows(column) == 5));
}

/// The white space inside of quotes tells values of ARFF apart, also after the columns have become a table.
#[test]
fn quoted_values_of_arff_keep_their_white_space() {
    let text = "@attribute tag string\n@data\n' x'\n'x'\n'x '\nx\n";
    let table = Sample::new("a.arff", text).read().unwrap();
    let (table, _) = build_table(table, &KindOverrides::default(), &[]).unwrap();
    let Values::Categorical(tags) = table.columns()[0].values() else { panic!("no categories") };
    assert_eq!(tags.levels(), [" x", "x", "x "]);
    assert_eq!(tags.codes(), [0, 1, 2, 1]);
}

#[test]
fn arff_is_read_dense_and_sparse() {
    let dense = "% comment\n@RELATION 'a b'\n\n@Attribute 'sepal length' REAL\n\
        @attribute color {red, 'dark blue', \"?\"}\n@attribute n integer\n@attribute s string\n\
        @attribute d string\n@DATA\n% comment\n1.5,'dark blue',3,'it\\'s, so',2001-02-03\n\
        ?,red,?,?,?\n2\tred\t1\tx\t\"y z\"\n";
    for sample in [Sample::new("a.arff", dense), Sample::new("a.arff.gz", gzip(dense.as_bytes()))] {
        let table = sample.read().unwrap();
        assert_eq!(names(&table), ["sepal length", "color", "n", "s", "d"]);
        assert_eq!(numbers(&table.columns[0])[0], 1.5);
        assert_eq!(missing(&table.columns[0]), 1);
        assert_eq!(texts(&table.columns[1]), [Some("dark blue"), Some("red"), Some("red")]);
        assert_eq!(table.columns[1].declared, Some(ColumnKind::Categorical));
        assert_eq!(numbers(&table.columns[2])[2], 1.0);
        assert_eq!(texts(&table.columns[3]), [Some("it's, so"), None, Some("x")]);
        assert_eq!(texts(&table.columns[4])[2], Some("y z"));
    }
    let sparse = "@attribute a real\n@attribute c {no,yes}\n@attribute b real\n@attribute s string\n\
        @data\n{0 1.5, 3 'a, b'}\n{ 1 yes , 2 -3 }\n{}\n";
    let options = ReadOptions { keep_text: vec!["b".to_string()], ..ReadOptions::default() };
    let table = Sample::new("a.arff", sparse).read_with(&options).unwrap();
    assert_eq!(numbers(&table.columns[0]), [1.5, 0.0, 0.0]);
    assert_eq!(texts(&table.columns[1]), [Some("no"), Some("yes"), Some("no")]);
    assert_eq!(texts(&table.columns[2]), [Some("0"), Some("-3"), Some("0")]);
    assert_eq!(texts(&table.columns[3]), [Some("a, b"), None, None]);
}

/// A `.npy` of these elements.
pub(crate) fn npy<T: npyz::AutoSerialize + Copy>(
    values: &[T],
    shape: &[u64],
    order: npyz::Order,
) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = npyz::WriteOptions::new()
        .default_dtype()
        .shape(shape)
        .order(order)
        .writer(&mut bytes)
        .begin_nd()
        .unwrap();
    writer.extend(values.iter().copied()).unwrap();
    writer.finish().unwrap();
    bytes
}

/// A `.npy` of texts of at most nine characters.
pub(crate) fn npy_texts(values: &[&str]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = npyz::WriteOptions::<str>::new()
        .dtype(npyz::DType::Plain("<U9".parse().unwrap()))
        .shape(&[values.len() as u64])
        .writer(&mut bytes)
        .begin_nd()
        .unwrap();
    for value in values {
        writer.push(*value).unwrap();
    }
    writer.finish().unwrap();
    bytes
}

pub(crate) fn npz(arrays: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in arrays {
        let options = zip::write::SimpleFileOptions::default()
            .compression_method(zip::CompressionMethod::Deflated);
        zip.start_file(format!("{name}.npy"), options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn npy_has_any_order_and_number_type() {
    use npyz::Order::{C, Fortran};
    let check = |bytes: Vec<u8>| {
        let table = Sample::new("a.npy", bytes).read().unwrap();
        assert_eq!(names(&table), ["x1", "x2", "x3"]);
        let columns: Vec<Vec<f64>> = table.columns.iter().map(numbers).collect();
        assert_eq!(columns, [[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]);
    };
    check(npy(&[1.0_f64, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 3], C));
    check(npy(&[1.0_f64, 4.0, 2.0, 5.0, 3.0, 6.0], &[2, 3], Fortran));
    check(npy(&[1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 3], C));
    check(npy(&[1_i64, 2, 3, 4, 5, 6], &[2, 3], C));
    check(npy(&[1_i16, 4, 2, 5, 3, 6], &[2, 3], Fortran));
    check(npy(&[1_u8, 2, 3, 4, 5, 6], &[2, 3], C));
    let numbers_of = |kind: &str, bytes: Vec<u8>| {
        let header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': (2, 3), }}\n");
        let length = (header.len() as u16).to_le_bytes();
        [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), &bytes].concat()
    };
    let values = [1, 2, 3, 4, 5, 6];
    check(numbers_of(">f4", values.iter().flat_map(|&v| (v as f32).to_be_bytes()).collect()));
    check(numbers_of(">i8", values.iter().flat_map(|&v| i64::from(v).to_be_bytes()).collect()));
    check(numbers_of("<u4", values.iter().flat_map(|&v| (v as u32).to_le_bytes()).collect()));
    let table = Sample::new("a.npy", npy(&[true, false], &[2, 1], C)).read().unwrap();
    assert_eq!(numbers(&table.columns[0]), [1.0, 0.0]);
    let table = Sample::new("a.npy", npy(&[f64::NAN, 1.0], &[1, 2], C)).read().unwrap();
    assert_eq!(missing(&table.columns[0]), 1);
    let message = Sample::new("a.npy", npy(&[1.0, f64::INFINITY], &[2, 1], C)).message();
    super::assert_says(&message, &["row 2, column `x1`: infinite value"]);
    let message = Sample::new("a.npy", npy(&[1.0], &[1], C)).message();
    super::assert_says(&message, &["one dimension"]);
}

#[test]
fn npy_of_every_type_is_read_alike_narrow_wide_and_in_parts() {
    const ROWS: usize = 70;
    // Columns of genotypes, and one of which the last is no genotype.
    let value = |row: usize, column: usize| match (row, column) {
        (69, 2) => 3_i8,
        _ => ((row * 5 + column * row / 3) % 3) as i8,
    };
    let bytes = |kind: &str, width: usize, one: &dyn Fn(i8) -> Vec<u8>| {
        let header = format!(
            "{{'descr': '{kind}', 'fortran_order': False, 'shape': ({ROWS}, {width}), }}\n"
        );
        let length = (header.len() as u16).to_le_bytes();
        let values =
            (0..ROWS).flat_map(|row| (0..width).flat_map(move |column| one(value(row, column))));
        [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), &values.collect::<Vec<u8>>()]
            .concat()
    };
    type Bytes = fn(i8) -> Vec<u8>;
    let kinds: [(&str, Bytes); 12] = [
        ("|i1", |v| v.to_le_bytes().into()),
        ("<i2", |v| i16::from(v).to_le_bytes().into()),
        (">i4", |v| i32::from(v).to_be_bytes().into()),
        ("<i8", |v| i64::from(v).to_le_bytes().into()),
        ("|u1", |v| (v as u8).to_le_bytes().into()),
        (">u2", |v| (v as u16).to_be_bytes().into()),
        ("<u4", |v| (v as u32).to_le_bytes().into()),
        ("<u8", |v| (v as u64).to_le_bytes().into()),
        ("<f4", |v| f32::from(v).to_le_bytes().into()),
        (">f4", |v| f32::from(v).to_be_bytes().into()),
        ("<f8", |v| f64::from(v).to_le_bytes().into()),
        // Any byte but 0 is true.
        ("|b1", |v| v.to_le_bytes().into()),
    ];
    for (kind, one) in kinds {
        for width in [3, 9] {
            let sample = Sample::new("a.npy", bytes(kind, width, &one));
            for memory in [u64::MAX, 0] {
                let run = super::run().with_memory(Memory::new(memory, std::env::temp_dir()));
                let table = read_table(&sample.path, &ReadOptions::default(), &run).unwrap();
                for (column, found) in table.columns.iter().enumerate() {
                    let number = |row: usize| match (kind, value(row, column)) {
                        ("|b1", value) => f64::from(u8::from(value != 0)),
                        (_, value) => f64::from(value),
                    };
                    let wanted: Vec<f64> = (0..ROWS).map(number).collect();
                    assert_eq!(numbers(found), wanted, "{kind} {width} {memory}");
                }
            }
        }
    }
}

/// Numbers in file order, of which every third column is of genotypes; the last of either kind has a
/// gap.
fn matrix(rows: usize, width: usize, by_column: bool) -> Vec<f64> {
    let value = |row: usize, column: usize| match column % 3 {
        _ if row == 3 && column + 2 >= width => f64::NAN,
        0 => ((row * 5 + column) % 3) as f64,
        _ => (row as f64 + 0.25) * (column as f64 - 4.0),
    };
    let (lines, length) = if by_column { (width, rows) } else { (rows, width) };
    let places = (0..lines).flat_map(|line| (0..length).map(move |place| (line, place)));
    places
        .map(|(line, place)| if by_column { value(place, line) } else { value(line, place) })
        .collect()
}

#[test]
fn npy_larger_than_memory_is_read_all_the_same() {
    use npyz::Order::{C, Fortran};
    let (rows, width) = (150, 130);
    let shape = [rows as u64, width as u64];
    let single = |values: Vec<f64>| -> Vec<f32> { values.into_iter().map(|v| v as f32).collect() };
    let small = |values: &[f64]| -> Vec<i8> { values.iter().map(|&v| v as i8).collect() };
    for bytes in [
        npy(&matrix(rows, width, false), &shape, C),
        npy(&matrix(rows, width, true), &shape, Fortran),
        npy(&single(matrix(rows, width, false)), &shape, C),
        npy(&small(&matrix(rows, width, true)), &shape, Fortran),
    ] {
        let sample = Sample::new("a.npy", bytes);
        let read = |run: Run| {
            let table = read_table(&sample.path, &ReadOptions::default(), &run).unwrap();
            let bits = |values: Vec<f64>| values.into_iter().map(f64::to_bits).collect::<Vec<_>>();
            table.columns.iter().map(|column| bits(numbers(column))).collect::<Vec<_>>()
        };
        let expected = read(super::run());
        // All in files; genotypes in memory and the others not.
        for memory in [0, 1 << 16] {
            let memory = Memory::new(memory, std::env::temp_dir());
            assert_eq!(read(super::run().with_memory(memory)), expected);
        }
    }
    // More elements than are read at once.
    let (rows, width) = (5000, 70);
    let bytes = |by_column: bool, order| {
        npy(&small(&matrix(rows, width, by_column)), &[rows as u64, width as u64], order)
    };
    for bytes in [bytes(false, C), bytes(true, Fortran)] {
        let sample = Sample::new("a.npy", bytes);
        let read = |memory: Memory| {
            let run = super::run().with_memory(memory);
            let table = read_table(&sample.path, &ReadOptions::default(), &run).unwrap();
            table.columns.iter().map(numbers).collect::<Vec<_>>()
        };
        let expected = read(Memory::new(u64::MAX, ""));
        let last = small(&matrix(rows, width, false))[4999 * width + 68];
        assert_eq!(expected[68][4999], f64::from(last));
        for memory in [0, 1 << 19] {
            assert_eq!(read(Memory::new(memory, std::env::temp_dir())), expected);
        }
    }
    let (rows, width) = (150, 130);
    let cut = &npy(&matrix(rows, width, false), &shape, C)[..100_000];
    let sample = Sample::new("a.npy", cut);
    let run = super::run().with_memory(Memory::new(0, std::env::temp_dir()));
    let message = read_table(&sample.path, &ReadOptions::default(), &run).unwrap_err().to_string();
    super::assert_says(&message, &["file is too short"]);
}

#[test]
fn npz_has_x_y_and_perhaps_names() {
    use npyz::Order::C;
    let x = || npy(&[1.0_f64, 2.0, 3.0, 4.0], &[2, 2], C);
    let table = Sample::new("a.npz", npz(&[("X", x()), ("y", npy(&[7_i32, 8], &[2], C))]));
    let table = table.read().unwrap();
    assert_eq!(names(&table), ["x1", "x2", "target"]);
    assert_eq!(numbers(&table.columns[2]), [7.0, 8.0]);
    let arrays = [
        ("y", npy_texts(&["case", "control"])),
        ("feature_names", npy_texts(&["p", "q"])),
        ("X", x()),
    ];
    let table = Sample::new("a.npz", npz(&arrays)).read().unwrap();
    assert_eq!(names(&table), ["p", "q", "target"]);
    assert_eq!(texts(&table.columns[2]), [Some("case"), Some("control")]);

    let says = |arrays: &[(&str, Vec<u8>)], parts: &[&str]| {
        super::assert_says(&Sample::new("a.npz", npz(arrays)).message(), parts);
    };
    says(&[("X", x()), ("y", npy(&[7_i32], &[1], C))], &["y has 1 values, but X has 2 rows"]);
    says(&[("y", npy(&[7_i32], &[1], C))], &["no array of two dimensions", "the arrays are: y"]);
    says(&[("X", x()), ("Z", x())], &["more than one array"]);
    says(&[("X", x()), ("feature_names", npy_texts(&["p"]))], &["1 feature_names for 2 columns"]);
}

#[cfg(feature = "parquet")]
pub(crate) mod parquet_file {
    use std::sync::Arc;

    use arrow_array::types::Int32Type;
    use arrow_array::{
        ArrayRef, BooleanArray, DictionaryArray, Float32Array, Float64Array, Int64Array,
        LargeStringArray, RecordBatch, StringArray, StringViewArray,
    };
    use parquet::arrow::ArrowWriter;

    pub(crate) fn write(columns: Vec<(&str, ArrayRef)>) -> Vec<u8> {
        let batch = RecordBatch::try_from_iter_with_nullable(
            columns.into_iter().map(|(name, array)| (name, array, true)),
        )
        .unwrap();
        let mut bytes = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        bytes
    }

    pub(crate) fn sample() -> Vec<u8> {
        let dictionary: DictionaryArray<Int32Type> =
            [Some("u"), None, Some("u")].into_iter().collect();
        write(vec![
            ("f64", Arc::new(Float64Array::from(vec![Some(0.5), None, Some(1.5)]))),
            ("f32", Arc::new(Float32Array::from(vec![1.0, 2.0, 3.0]))),
            ("i64", Arc::new(Int64Array::from(vec![1, 2, 3]))),
            ("bool", Arc::new(BooleanArray::from(vec![Some(true), Some(false), None]))),
            ("text", Arc::new(StringArray::from(vec![Some("a"), None, Some("b")]))),
            ("large", Arc::new(LargeStringArray::from(vec!["a", "b", "a"]))),
            ("view", Arc::new(StringViewArray::from(vec!["a", "b", "a"]))),
            ("dictionary", Arc::new(dictionary)),
        ])
    }
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_types_become_numbers_or_categories() {
    use std::sync::Arc;

    use arrow_array::types::Float64Type;
    use arrow_array::{ArrayRef, Date32Array, Float64Array, ListArray};

    let table = Sample::new("a.parquet", parquet_file::sample()).read().unwrap();
    let [f64, f32, i64, bool, text, large, view, dictionary] = table.columns.as_slice() else {
        panic!("{:?}", names(&table))
    };
    assert_eq!((numbers(f64)[0], missing(f64)), (0.5, 1));
    assert_eq!(numbers(f32), [1.0, 2.0, 3.0]);
    assert_eq!(numbers(i64), [1.0, 2.0, 3.0]);
    assert_eq!(texts(bool), [Some("True"), Some("False"), None]);
    assert_eq!(texts(text), [Some("a"), None, Some("b")]);
    assert_eq!(texts(large), [Some("a"), Some("b"), Some("a")]);
    assert_eq!(texts(view), [Some("a"), Some("b"), Some("a")]);
    assert_eq!(texts(dictionary), [Some("u"), None, Some("u")]);
    assert_eq!(dictionary.declared, Some(ColumnKind::Categorical));
    assert_eq!(text.declared, None);

    let list = ListArray::from_iter_primitive::<Float64Type, _, _>([Some(vec![Some(1.0)])]);
    let one = |array: ArrayRef| Sample::new("a.parquet", parquet_file::write(vec![("v", array)]));
    let message = one(Arc::new(list)).message();
    super::assert_says(&message, &["column `v`", "List", "not supported", "exclude it"]);
    let message = one(Arc::new(Date32Array::from(vec![1]))).message();
    super::assert_says(&message, &["column `v`", "Date32", "not supported"]);
    // A column that is left out anyway may be of any type.
    let both = parquet_file::write(vec![
        ("day", Arc::new(Date32Array::from(vec![1, 2])) as ArrayRef),
        ("x", Arc::new(Float64Array::from(vec![0.5, 1.5]))),
    ]);
    let skip = ReadOptions { skip: vec!["day".to_string()], ..ReadOptions::default() };
    let table = Sample::new("a.parquet", both).read_with(&skip).unwrap();
    assert_eq!((missing(&table.columns[0]), numbers(&table.columns[1])), (2, vec![0.5, 1.5]));
    let message = one(Arc::new(Float64Array::from(vec![0.0, f64::INFINITY]))).message();
    super::assert_says(&message, &["row 2, column `v`: infinite value"]);
    let message = one(Arc::new(Float64Array::from(Vec::<f64>::new()))).message();
    super::assert_says(&message, &["has no rows"]);
}

#[test]
fn a_stated_format_wins_over_the_extension() {
    let options = ReadOptions { format: Some(Format::Tsv), ..ReadOptions::default() };
    let table = Sample::new("a.csv", "a,b\tc\n1\t2\n").read_with(&options).unwrap();
    assert_eq!(names(&table), ["a,b", "c"]);
}

/// Columns of mostly genotypes with an odd value at some row, or of anything.
fn mixed_columns() -> impl Strategy<Value = Vec<Vec<f64>>> {
    (1..60_usize, 1..6_usize).prop_flat_map(|(rows, width)| {
        let genotypes = sample::select(vec![0.0, 1.0, 2.0, f64::NAN]);
        let other = sample::select(vec![0.0, -0.0, 2.5, -1.0, 3.0, 1e300, 0.1]);
        let odd = (other.clone(), 0..rows);
        let mostly = (collection::vec(genotypes, rows), odd).prop_map(|(mut values, odd)| {
            values[odd.1] = odd.0;
            values
        });
        collection::vec(prop_oneof![mostly, collection::vec(other, rows)], width)
    })
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| if value.is_nan() { 0 } else { value.to_bits() + 1 }).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn numbers_come_as_they_were_written(columns in mixed_columns()) {
        let (rows, width) = (columns[0].len(), columns.len());
        let cell = |at: usize| columns[at % width][at / width];
        let by_rows: Vec<f64> = (0..rows * width).map(cell).collect();
        let names: Vec<String> = (1..=width).map(|number| format!("x{number}")).collect();
        let mut text = format!("{}\n", names.join(","));
        for row in by_rows.chunks(width) {
            let cells: Vec<String> = row
                .iter()
                .map(|value| if value.is_nan() { "?".to_string() } else { value.to_string() })
                .collect();
            text.push_str(&format!("{}\n", cells.join(",")));
        }
        let shape = [rows as u64, width as u64];
        let single: Vec<f32> = by_rows.iter().map(|&value| value as f32).collect();
        for (sample, precise) in [
            (Sample::new("a.csv", text), true),
            (Sample::new("a.npy", npy(&by_rows, &shape, npyz::Order::C)), true),
            (Sample::new("a.npy", npy(&columns.concat(), &shape, npyz::Order::Fortran)), true),
            (Sample::new("a.npy", npy(&single, &shape, npyz::Order::C)), false),
        ] {
            let table = match sample.read() {
                Ok(table) => table,
                // 1e300 is infinite in single precision.
                Err(error) => {
                    prop_assert!(!precise && error.to_string().contains("infinite value"));
                    continue;
                }
            };
            for (column, values) in table.columns.iter().zip(&columns) {
                let rounded: Vec<f64> = values.iter().map(|&v| f64::from(v as f32)).collect();
                prop_assert_eq!(bits(&numbers(column)), bits(if precise { values } else { &rounded }));
            }
        }
    }
}

#[test]
fn arrays_of_more_than_one_block_are_whole() {
    let (rows, width) = (900_u64, 401_u64);
    let value =
        |row: u64, column: u64| ((row * 7 + column * 13) % if column == 3 { 201 } else { 3 }) as u8;
    let by_rows: Vec<u8> = (0..rows * width).map(|at| value(at / width, at % width)).collect();
    let table = Sample::new("a.npy", npy(&by_rows, &[rows, width], npyz::Order::C)).read().unwrap();
    for (column, index) in table.columns.iter().zip(0..) {
        let expected: Vec<f64> = (0..rows).map(|row| f64::from(value(row, index))).collect();
        assert_eq!(numbers(column), expected, "{index}");
    }
}
