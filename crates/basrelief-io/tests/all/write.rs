//! Writing, and reading back.

use std::io::Write;
use std::path::Path;

use basrelief::data::{Categories, Classes, Column, MISSING_CODE, Table, Target};
use basrelief::{CancelFlag, Error, Run};
use basrelief_io::{AtomicFile, ReadOptions, check_writable, read_table, write_csv, write_csv_to};
use proptest::prelude::*;

use super::{assert_says, entries, missing, names, numbers, run, texts};

fn sample() -> (Table<'static>, Target) {
    let table = Table::new(vec![
        Column::from_values("x, y", vec![0.1 + 0.2, f64::NAN, -1e300]).unwrap(),
        Column::categorical("c", Categories::from_texts([Some("a \"b\"\nc"), None, Some("d,e")])),
        Column::genotype("g", vec![0, 2, 3].into()).unwrap(),
    ])
    .unwrap();
    (table, Target::Classes(Classes::from_labels(&["u", "v", "u"])))
}

#[test]
fn what_is_written_reads_back() {
    let (table, target) = sample();
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.csv", "a.csv.gz"] {
        let path = folder.path().join(name);
        for _ in 0..2 {
            // The second time over the first file.
            write_csv(&path, &table, Some(("class", &target)), &run()).unwrap();
        }
        let back = read_table(&path, &ReadOptions::default(), &run()).unwrap();
        assert_eq!(names(&back), ["x, y", "c", "g", "class"]);
        assert_eq!(numbers(&back.columns[0])[0], 0.1 + 0.2);
        assert_eq!(numbers(&back.columns[0])[2], -1e300);
        assert_eq!(texts(&back.columns[1]), [Some("a \"b\"\nc"), None, Some("d,e")]);
        assert_eq!(numbers(&back.columns[2])[..2], [0.0, 2.0]);
        assert_eq!(missing(&back.columns[2]), 1);
        assert_eq!(texts(&back.columns[3]), [Some("u"), Some("v"), Some("u")]);
    }
    assert_eq!(entries(folder.path()), ["a.csv", "a.csv.gz"]);
    let mut out = Vec::new();
    write_csv_to(&mut out, &table, None, &run()).unwrap();
    assert!(out.starts_with(b"\"x, y\",c,g\n"), "{}", String::from_utf8_lossy(&out));
}

#[test]
fn nothing_half_written_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    let mut file = AtomicFile::create(&path).unwrap();
    file.write_all(b"half").unwrap();
    assert_eq!(entries(folder.path()).len(), 1);
    assert!(!path.exists());
    drop(file);
    assert!(entries(folder.path()).is_empty());

    std::fs::write(&path, "old").unwrap();
    let flag = CancelFlag::new();
    flag.cancel();
    let cancelled = Run::new(Some(1)).unwrap().with_cancel(flag);
    let (table, target) = sample();
    let result = write_csv(&path, &table, Some(("t", &target)), &cancelled);
    assert!(matches!(result, Err(Error::Cancelled)));
    assert_eq!(std::fs::read(&path).unwrap(), b"old");
    assert_eq!(entries(folder.path()), ["a.csv"]);

    let wrong = Target::Classes(Classes::from_labels(&["u"]));
    let error = write_csv(&path, &table, Some(("t", &wrong)), &run()).unwrap_err();
    assert_says(&error.to_string(), &["column `t`", "1 target values for 3 rows"]);
}

#[test]
fn places_that_cannot_be_written_are_refused_before_the_work() {
    let folder = tempfile::tempdir().unwrap();
    let says = |path: &Path, parts: &[&str]| {
        let error = check_writable(path).unwrap_err();
        assert!(matches!(error, Error::File { .. }));
        assert_says(&error.to_string(), parts);
    };
    says(Path::new(""), &["the name is empty"]);
    says(folder.path(), &["it is a folder"]);
    says(&folder.path().join("no/x.csv"), &["there is no folder", "create the folder"]);
    let file = folder.path().join("x.csv");
    check_writable(&file).unwrap();
    assert!(entries(folder.path()).is_empty(), "the check leaves no trace");
    std::fs::write(&file, "old").unwrap();
    check_writable(&file).unwrap();
    assert_eq!(std::fs::read(&file).unwrap(), b"old");
    says(&file.join("y.csv"), &["there is no folder"]);
    let mut permissions = std::fs::metadata(&file).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&file, permissions).unwrap();
    says(&file, &["write-protected"]);
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_devices_are_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let (real, link) = (folder.path().join("real.csv"), folder.path().join("link.csv"));
    std::fs::write(&real, "old").unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    let (table, _) = sample();
    write_csv(&link, &table, None, &run()).unwrap();
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(std::fs::read(&real).unwrap().starts_with(b"\"x, y\""));
    write_csv(Path::new("/dev/null"), &table, None, &run()).unwrap();
    assert!(!std::fs::metadata("/dev/null").unwrap().is_file());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_table_reads_back(
        values in prop::collection::vec(prop::option::of(prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO), 1..20),
        level in prop::collection::vec("[a-z][ -~\n]{0,8}[a-z\"]", 3),
        name in "[a-z\",;\n][a-z\",;\n]{0,6}q",
        codes in prop::collection::vec(0_u32..4, 20),
    ) {
        let rows = values.len();
        let numbers_in: Vec<f64> = values.iter().map(|value| value.unwrap_or(f64::NAN)).collect();
        let mut levels = level;
        levels.dedup();
        prop_assume!(levels.iter().collect::<std::collections::HashSet<_>>().len() == levels.len());
        prop_assume!(!levels.iter().any(|level| level.parse::<f64>().is_ok()));
        let codes: Vec<u32> = codes[..rows].iter()
            .map(|&code| if (code as usize) < levels.len() { code } else { MISSING_CODE })
            .collect();
        let cells: Vec<Option<&str>> =
            codes.iter().map(|&code| levels.get(code as usize).map(String::as_str)).collect();
        let table = Table::new(vec![
            Column::from_values(name.clone(), numbers_in.clone()).unwrap(),
            Column::categorical("c", Categories::from_texts(cells.iter().copied())),
        ]).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        let target = Target::real(vec![0.5; rows]).unwrap();
        write_csv(&path, &table, Some(("T", &target)), &run()).unwrap();
        let options = ReadOptions { delimiter: Some(b','), ..ReadOptions::default() };
        let back = read_table(&path, &options, &run()).unwrap();
        prop_assert_eq!(&back.columns[0].name, &name.trim());
        for (one, other) in numbers(&back.columns[0]).iter().zip(&numbers_in) {
            prop_assert!(one.to_bits() == other.to_bits() || (one.is_nan() && other.is_nan()));
        }
        if cells.iter().any(Option::is_some) {
            prop_assert_eq!(texts(&back.columns[1]), cells);
        }
    }
}
