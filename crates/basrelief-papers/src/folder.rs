//! A folder for the results of one protocol with one set of options.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use basrelief::{Error, Result};
use basrelief_io::{AtomicFile, check_writable};
use serde_json::Value;

use crate::Results;

/// What the results come from; by it a folder is known again.
const RECORD: &str = "options.json";

/// A folder that may be written to.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    record: String,
    is_new: bool,
}

impl Folder {
    /// Makes the folder, or checks that it is empty or holds results of the same record.
    ///
    /// # Errors
    /// It holds other results or other files, or cannot be made or written to.
    pub(crate) fn open(path: &Path, record: &Value) -> Result<Self> {
        let refuse = |action: &str, cause: String| Error::File {
            path: path.to_path_buf(),
            action: action.to_string(),
            cause,
            help: "name another folder with --output".to_string(),
        };
        let is_new = !path.exists();
        if is_new {
            fs::create_dir_all(path)
                .map_err(|cause| refuse("make the folder", cause.to_string()))?;
        }
        let folder = Self { path: path.to_path_buf(), record: format!("{record:#}\n"), is_new };
        let mut entries =
            fs::read_dir(path).map_err(|cause| refuse("read it as a folder", cause.to_string()))?;
        if entries.next().is_some() {
            let found = fs::read_to_string(path.join(RECORD)).map_err(|_| {
                refuse("write results to it", format!("it holds files, but no {RECORD}"))
            })?;
            let found: Value = serde_json::from_str(&found)
                .map_err(|cause| refuse("read its options", format!("{RECORD}: {cause}")))?;
            if let Some(difference) = difference(&found, record) {
                return Err(refuse(
                    "write results to it",
                    format!("it holds results of other options ({difference})"),
                ));
            }
        }
        check_writable(&path.join(RECORD))?;
        Ok(folder)
    }

    /// Writes everything, the record first: an interrupted folder is known again.
    ///
    /// # Errors
    /// A file could not be written.
    pub(crate) fn write(mut self, results: &Results) -> Result<()> {
        self.is_new = false;
        self.write_file(RECORD, &self.record)?;
        for (name, content) in &results.files {
            self.write_file(name, content)?;
        }
        self.write_file("summary.txt", &results.summary)
    }

    fn write_file(&self, name: &str, content: &str) -> Result<()> {
        let path = self.path.join(name);
        let mut file = AtomicFile::create(&path)?;
        file.write_all(content.as_bytes()).map_err(|cause| Error::File {
            path,
            action: "write it".to_string(),
            cause: cause.to_string(),
            help: "is the disk full?".to_string(),
        })?;
        file.commit()
    }
}

impl Drop for Folder {
    // Work that failed or was interrupted leaves no empty folder behind.
    fn drop(&mut self) {
        if self.is_new {
            // Fails where there is something in it, which then is not ours.
            let _ = fs::remove_dir(&self.path);
        }
    }
}

/// The first field in which two records differ: `seed 0, not 1`.
fn difference(found: &Value, wanted: &Value) -> Option<String> {
    let (Value::Object(found), Value::Object(wanted)) = (found, wanted) else {
        return (found != wanted).then(|| format!("{found}, not {wanted}"));
    };
    let keys = wanted.keys().chain(found.keys());
    keys.filter(|key| found.get(*key) != wanted.get(*key)).find_map(|key| {
        match (found.get(key), wanted.get(key)) {
            (Some(found @ Value::Object(_)), Some(wanted @ Value::Object(_))) => {
                difference(found, wanted)
            }
            (found, wanted) => {
                let text = |value: Option<&Value>| value.map_or("none".into(), Value::to_string);
                Some(format!("{key} {}, not {}", text(found), text(wanted)))
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn record(seed: u64, rows: u64) -> Value {
        json!({"protocol": "x", "seed": seed, "options": {"rows": rows}})
    }

    fn results() -> Results {
        Results { summary: "done\n".into(), files: vec![("a.csv", "1\n".into())] }
    }

    #[test]
    fn the_same_options_replace_and_others_are_refused() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("new/x");
        Folder::open(&path, &record(1, 100)).unwrap().write(&results()).unwrap();
        Folder::open(&path, &record(1, 100)).unwrap().write(&results()).unwrap();
        for (other, words) in [
            (record(2, 100), "(seed 1, not 2)"),
            (record(1, 50), "(rows 100, not 50)"),
            (json!({"protocol": "x", "seed": 1}), "(options {\"rows\":100}, not none)"),
        ] {
            let error = Folder::open(&path, &other).unwrap_err().to_string();
            assert!(error.contains(words) && error.contains("--output"), "{error}");
        }
        let mut names: Vec<_> =
            fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["a.csv", "options.json", "summary.txt"]);
    }

    #[test]
    fn other_files_are_not_touched_and_failure_leaves_nothing() {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("thesis.txt"), "all my work").unwrap();
        let error = Folder::open(place.path(), &record(1, 1)).unwrap_err().to_string();
        assert!(error.contains("it holds files, but no options.json"), "{error}");
        fs::write(place.path().join(RECORD), "{").unwrap();
        assert!(Folder::open(place.path(), &record(1, 1)).is_err());
        assert!(Folder::open(&place.path().join("thesis.txt"), &record(1, 1)).is_err());

        let path = place.path().join("made");
        drop(Folder::open(&path, &record(1, 1)).unwrap());
        assert!(!path.exists());
    }
}
