//! Any `.ped` and `.map` file, and any `.tped` and `.tfam` file, is read or refused.
#![no_main]

mod files;

use basrelief_genetics::CohortOptions;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // The first byte chooses the format.
    let Some((first, bytes)) = bytes.split_first() else { return };
    let names =
        if first % 2 == 0 { ["cohort.ped", "cohort.map"] } else { ["cohort.tped", "cohort.tfam"] };
    let data = files::write(bytes, &names);
    let options = CohortOptions { all_chromosomes: true, ..CohortOptions::default() };
    files::read_cohort(&data, &options);
});
