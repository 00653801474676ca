//! Any file of phenotypes, covariates, people and variants beside a cohort is read or refused.
#![no_main]

mod files;

use std::fs;
use std::sync::LazyLock;

use basrelief_genetics::{CohortOptions, CovariateFile, PhenotypeFile};
use libfuzzer_sys::fuzz_target;

/// A sound cohort: four people, and four variants.
static COHORT: LazyLock<()> = LazyLock::new(|| {
    let bed = [0x6c, 0x1b, 1, 0b11_10_01_00, 0b00_01_10_11, 0b11_11_00_00, 0b10_10_01_00];
    let bim = "1 a 0 5 A C\n1 b 0 6 A C\n1 . 0 7 A C\nX c 0 8 A C\n";
    let fam = "f1 p1 0 0 1 1\nf1 p2 0 0 2 2\nf2 p3 p1 p2 1 2\nf3 p1 0 0 0 -9\n";
    fs::write(files::path("cohort.bed"), bed).expect("a file");
    fs::write(files::path("cohort.bim"), bim).expect("a file");
    fs::write(files::path("cohort.fam"), fam).expect("a file");
});

fuzz_target!(|bytes: &[u8]| {
    LazyLock::force(&COHORT);
    // The first byte says which of the files are given.
    let Some((which, bytes)) = bytes.split_first() else { return };
    let names = ["traits.txt", "keep.txt", "remove.txt", "extract.txt", "exclude.txt", "covar.txt"];
    files::write(bytes, &names);
    let list = |place: usize| (which >> place & 1 == 1).then(|| files::path(names[place]));
    let phenotype = list(0).map(|path| PhenotypeFile {
        path,
        name: (which >> 5 & 1 == 1).then(|| "height".to_string()),
    });
    let covariates = (which >> 7 & 1 == 1)
        .then(|| CovariateFile { path: files::path(names[5]), names: Vec::new() });
    let options = CohortOptions {
        phenotype,
        covariates,
        keep: list(1),
        remove: list(2),
        extract: list(3),
        exclude: list(4),
        all_chromosomes: which >> 6 & 1 == 1,
        ..CohortOptions::default()
    };
    files::read_cohort(&files::path("cohort.bed"), &options);
});
