//! Real files, if they are there: rows, columns and missing cells as their manifest has them.

use std::path::PathBuf;

use basrelief_io::{ReadOptions, read_table};

use super::{missing, numbers, rows, run, texts};

/// `BASRELIEF_DATA`, or `../shared/data` beside the workspace.
fn data_folder() -> Option<PathBuf> {
    let folder = match std::env::var_os("BASRELIEF_DATA") {
        Some(folder) => PathBuf::from(folder),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
    };
    folder.join("manifest.csv").is_file().then_some(folder)
}

#[test]
fn all_shared_files_load_as_their_manifest_says() {
    let Some(folder) = data_folder() else {
        println!("SKIPPED: no ../shared/data beside the workspace and BASRELIEF_DATA is not set");
        return;
    };
    let run = run();
    // Numbers of classes, but `regression` for a few.
    let options = ReadOptions { keep_text: vec!["classes".to_string()], ..ReadOptions::default() };
    let manifest = read_table(&folder.join("manifest.csv"), &options, &run).unwrap();
    let column = |name: &str| {
        manifest.columns.iter().find(|column| column.name == name).expect("a manifest column")
    };
    let (files, counts) = (texts(column("file")), numbers(column("rows")));
    let (features, gaps) = (numbers(column("features")), numbers(column("missing_cells")));
    let text_features = numbers(column("text_features"));
    let options = ReadOptions { keep_text: vec!["target".to_string()], ..ReadOptions::default() };
    for (index, file) in files.iter().enumerate() {
        let file = file.expect("a file name");
        let table = read_table(&folder.join(file), &options, &run).unwrap();
        let (target, rest) = table.columns.split_last().expect("columns");
        assert_eq!(target.name, "target", "{file}");
        assert_eq!(rest.len() as f64, features[index], "{file}");
        assert!(table.columns.iter().all(|column| rows(column) as f64 == counts[index]), "{file}");
        assert_eq!(rest.iter().map(missing).sum::<usize>() as f64, gaps[index], "{file}");
        let text = |column: &&basrelief::data::RawColumn| {
            matches!(column.values, basrelief::data::RawValues::Text(_))
        };
        assert_eq!(rest.iter().filter(text).count() as f64, text_features[index], "{file}");
    }
    println!("{} files", files.len());
}
