//! Any VCF is read or refused: plain, or compressed where the input begins so.
#![no_main]

mod files;

use basrelief_genetics::CohortOptions;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // The name says that it is compressed, and so do the first bytes.
    let name = if bytes.first() == Some(&0x1f) { "cohort.vcf.gz" } else { "cohort.vcf" };
    let data = files::write(bytes, &[name]);
    let options = CohortOptions { all_chromosomes: true, ..CohortOptions::default() };
    files::read_cohort(&data, &options);
});
