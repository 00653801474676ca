//! The names of the files that belong to one cohort.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Returns the file of variants of a `.pgen` file: `.pvar`, or `.pvar.zst` if only that exists.
pub(crate) fn variants_beside(pgen: &Path) -> PathBuf {
    existing(pgen, ["pvar", "pvar.zst"])
}

/// Returns a file next to a `.ped` or `.tped` file, which may be compressed itself: with the extension `ending`, or
/// compressed by gzip if only that exists.
pub(crate) fn text_beside(data: &Path, ending: &str) -> PathBuf {
    existing(&uncompressed(data), [ending, &format!("{ending}.gz")])
}

/// Returns the file with the first extension, or with the second if only that exists.
fn existing(data: &Path, endings: [&str; 2]) -> PathBuf {
    let [plain, compressed] = endings.map(|ending| beside(data, ending));
    if !plain.exists() && compressed.exists() { compressed } else { plain }
}

/// Returns the name of a file without the extension `.gz`.
pub(crate) fn uncompressed(data: &Path) -> PathBuf {
    let is_compressed = data.extension().is_some_and(|own| own.eq_ignore_ascii_case("gz"));
    if is_compressed { data.with_extension("") } else { data.to_path_buf() }
}

/// The extensions of genotype files, with which the names of the other files are made.
const GENOTYPES: [&str; 4] = ["bed", "pgen", "ped", "tped"];

/// Returns the file of the same cohort with another extension: `cohort.fam` for `cohort.bed`, and also for `cohort`.
pub(crate) fn beside(data: &Path, ending: &str) -> PathBuf {
    let is_data = |own: &OsStr| GENOTYPES.iter().any(|known| own.eq_ignore_ascii_case(known));
    if data.extension().is_some_and(is_data) {
        return data.with_extension(ending);
    }
    let mut name = data.as_os_str().to_os_string();
    name.push(".");
    name.push(ending);
    name.into()
}
