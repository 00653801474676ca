//! Files that would take all memory, and files that are damaged: an error each, never an abort.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::Place;

#[test]
fn a_line_of_too_many_fields_is_refused() {
    let place = Place::new();
    place.file("d.csv", vec![b','; 20_000_000]);
    let message = place.line("rank d.csv --target class").refused();
    assert!(message.contains("line 1: more than 16777216 fields in a line"), "{message}");
}

#[test]
fn a_header_that_does_not_fit_the_memory_is_refused() {
    let place = Place::new();
    place.file("d.csv", vec![b','; 2_000_000]);
    let message = place.line("rank d.csv --target class --memory 100M").refused();
    assert!(
        message
            .contains("option --memory: the table needs up to 1.2 GB, but only 0.1 GB may be used")
    );
}

#[test]
fn rows_without_number_are_refused_before_they_fill_the_memory() {
    let place = Place::new();
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(b"a,b,class\n").unwrap();
    let block = "1,0,x\n0,1,y\n".repeat(50_000);
    for _ in 0..30 {
        encoder.write_all(block.as_bytes()).unwrap();
    }
    place.file("d.csv.gz", encoder.finish().unwrap());
    // Three million rows: the table fits, the lists of neighbors do not.
    let message = place.line("rank d.csv.gz --target class --memory 1G").refused();
    assert!(message.contains("the search of neighbors needs up to"), "{message}");
    assert!(message.contains("GB, but only 1.1 GB may be used"), "{message}");
    assert!(message.contains("--samples"), "{message}");
}

#[cfg(feature = "parquet")]
#[test]
fn a_damaged_parquet_file_is_an_error_with_or_without_backtraces() {
    let place = Place::new();
    place.line("synth xor --rows 300 --features 6 --output x.parquet").done();
    let whole = std::fs::read(place.path("x.parquet")).unwrap();
    let mut refused = 0;
    for start in (4..whole.len() - 8).step_by(whole.len() / 40) {
        let mut bytes = whole.clone();
        bytes[start..start + 4].fill(0xff);
        place.file("d.parquet", bytes);
        let args = ["rank", "d.parquet", "--target", "class"];
        let output = place.command(&args).env("RUST_BACKTRACE", "1").output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(!err.contains("panicked"), "{err}");
        assert!(matches!(output.status.code(), Some(0 | 2)), "{start}: {err}");
        refused += usize::from(output.status.code() == Some(2));
    }
    assert!(refused > 0);
}
