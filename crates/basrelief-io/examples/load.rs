//! Loads the files named on the command line and prints what they hold and how long it took:
//! `cargo run --release -p basrelief-io --example load -- FILE...`

use std::path::Path;
use std::time::Instant;

use basrelief::data::RawValues;
use basrelief_io::{ReadOptions, read_table};

fn main() -> basrelief::Result<()> {
    let run = basrelief::Run::new(Some(1))?;
    for file in std::env::args().skip(1) {
        let start = Instant::now();
        let table = read_table(Path::new(&file), &ReadOptions::default(), &run)?;
        let seconds = start.elapsed().as_secs_f64();
        let rows = table.columns.first().map_or(0, |column| match &column.values {
            RawValues::Numbers(values) => values.len(),
            RawValues::Text(values) => values.codes().len(),
        });
        println!("{file}: {rows} rows x {} columns in {seconds:.3} s", table.columns.len());
    }
    Ok(())
}
