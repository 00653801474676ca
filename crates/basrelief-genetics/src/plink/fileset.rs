//! The names of the files that belong to one cohort.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Returns the file of variants of a `.pgen` file: `.pvar`, or `.pvar.zst` if only that exists.
pub(crate) fn variants_beside(pgen: &Path) -> PathBuf {
    let (plain, compressed) = (beside(pgen, "pvar"), beside(pgen, "pvar.zst"));
    if !plain.exists() && compressed.exists() { compressed } else { plain }
}

/// Returns the file of the same cohort with another extension: `cohort.fam` for `cohort.bed`, and also for `cohort`.
pub(crate) fn beside(data: &Path, ending: &str) -> PathBuf {
    let is_data = |own: &OsStr| ["bed", "pgen"].iter().any(|known| own.eq_ignore_ascii_case(known));
    if data.extension().is_some_and(is_data) {
        return data.with_extension(ending);
    }
    let mut name = data.as_os_str().to_os_string();
    name.push(".");
    name.push(ending);
    name.into()
}
