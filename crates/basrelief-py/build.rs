//! Tells the extension module which profile it is compiled with, for benchmarks to report.

use std::path::Path;

fn main() {
    // OUT_DIR is `target/[TRIPLE/]PROFILE/build/CRATE-HASH/out`; PROFILE of the environment knows only
    // `debug` and `release`.
    let folder = std::env::var("OUT_DIR").unwrap_or_default();
    let profile = Path::new(&folder).ancestors().nth(3).and_then(Path::file_name);
    let profile = profile.map_or("unknown".into(), |name| name.to_string_lossy());
    println!("cargo::rustc-env=BASRELIEF_PROFILE={profile}");
    println!("cargo::rerun-if-changed=build.rs");
}
