//! Any `.bed`, `.bim` and `.fam` file is read or refused.
#![no_main]

mod files;

use basrelief_genetics::CohortOptions;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let data = files::write(bytes, &["cohort.bed", "cohort.bim", "cohort.fam"]);
    let options = CohortOptions { all_chromosomes: true, ..CohortOptions::default() };
    files::read_cohort(&data, &options);
});
