//! What the targets of the readers share: an input becomes files, which are read as a user's are.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use basrelief::Run;
use basrelief_genetics::{Cohort, CohortOptions, CohortQuality};

/// What stands between the files of an input.
const BETWEEN: &[u8] = b"\xfe\xfe\xfe";

/// One run for all inputs, as its threads take longer to start than most inputs to read.
pub static RUN: LazyLock<Run> = LazyLock::new(|| Run::new(Some(1)).expect("a run"));

/// The folder of this process, in memory where the machine has such a disk.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let shared = Path::new("/dev/shm");
    let base = if shared.is_dir() { shared.to_path_buf() } else { std::env::temp_dir() };
    let folder = base.join(format!("basrelief-fuzz-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    folder
});

/// Writes the files of an input, one after the other by these names, and gives the path of the first. What the input
/// lacks is empty.
pub fn write(bytes: &[u8], names: &[&str]) -> PathBuf {
    let mut rest = Some(bytes);
    for name in names {
        let (file, others) = cut(rest.unwrap_or_default());
        rest = others;
        fs::write(FOLDER.join(name), file).expect("a file");
    }
    FOLDER.join(names[0])
}

/// The bytes before the next mark, and those behind it.
fn cut(bytes: &[u8]) -> (&[u8], Option<&[u8]>) {
    match bytes.windows(BETWEEN.len()).position(|window| window == BETWEEN) {
        Some(place) => (&bytes[..place], Some(&bytes[place + BETWEEN.len()..])),
        None => (bytes, None),
    }
}

/// The path of a file that was written.
#[allow(dead_code)]
pub fn path(name: &str) -> PathBuf {
    FOLDER.join(name)
}

/// Opens a cohort, reads all genotypes and counts them: all that is asked for is an answer, the same twice.
#[allow(dead_code)]
pub fn read_cohort(data: &Path, options: &CohortOptions) {
    let Ok(cohort) = Cohort::open(data, options, &RUN) else { return };
    let people: Vec<u32> = (0..cohort.samples().len() as u32).collect();
    let variants: Vec<u32> = (0..cohort.loci().len() as u32).collect();
    let read = || cohort.genotypes(&people, &variants, &RUN);
    let (Ok(found), Ok(again)) = (read(), read()) else { return };
    assert_eq!(found.len(), variants.len());
    assert!(found.iter().zip(&again).all(|(one, other)| one.to_vec() == other.to_vec()));
    let quality = CohortQuality::of(&cohort, &RUN).expect("what was read can be counted");
    let counted: u32 = quality.variants.iter().map(|variant| variant.all.missing).sum();
    assert_eq!(counted, quality.missing.iter().sum::<u32>());
    let _ = cohort.covariate_table(&basrelief::data::KindOverrides::default());
    let _ = cohort.with_known_phenotypes();
}
