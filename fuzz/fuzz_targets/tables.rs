//! Any table in text or of NumPy is read or refused.
#![no_main]

mod files;

use basrelief_io::{ReadOptions, read_table};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let names = [
        "table.csv",
        "table.tsv",
        "table.arff",
        "table.npy",
        "table.npz",
        "table.csv.gz",
        "table.gct",
        "table_series_matrix.txt",
        "table.xlsx",
    ];
    // The first byte says what the rest is.
    let Some((which, bytes)) = bytes.split_first() else { return };
    let data = files::write(bytes, &[names[usize::from(*which) % names.len()]]);
    let _ = read_table(&data, &ReadOptions::default(), &files::RUN);
    let options = ReadOptions { transpose: true, ..ReadOptions::default() };
    let _ = read_table(&data, &options, &files::RUN);
});
