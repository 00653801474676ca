//! A folder for the results of one computation with one set of options.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use basrelief::checksum::{sealed, unsealed};
use basrelief::error::Cause;
use basrelief::evaluate::{Cell, Checkpoints};
use basrelief::wording::setting;
use basrelief::{Checksum, Error, Result};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::check_writable;
use crate::own_file::{lock_folder, read_own_file, write_own_file};
use crate::write::{is_temporary, remove_abandoned, write_failed};

/// The file with the options of the results, which identifies a folder.
const RECORD: &str = "options.json";

/// The file with the finished cells of an evaluation, one per line.
const CELLS: &str = "cells.jsonl";

/// The file with the state of a permutation test.
const TEST: &str = "permutations.json";

/// The files of a [`ResultsFolder`] that are read back.
pub const RESULTS_FOLDER_FILES: [&str; 3] = [RECORD, CELLS, TEST];

/// A folder for results. It must be new or empty, or contain results for the same options.
///
/// It stores every finished cell of an evaluation, and the state of a permutation test, so interrupted work continues
/// where it stopped. Every file that is read back has a checksum of its contents and of the options. Only one process
/// at a time may use a folder.
#[derive(Debug)]
pub struct ResultsFolder {
    path: PathBuf,
    record: String,
    /// The open folder, which is locked.
    _lock: Option<File>,
    is_new: bool,
    checkpoints: Mutex<Cells>,
    test: Mutex<Option<Value>>,
}

#[derive(Debug, Default)]
struct Cells {
    known: HashMap<String, Cell>,
    /// The open file to which cells are appended; `None` before the first one.
    file: Option<File>,
}

impl ResultsFolder {
    /// Creates the folder, or checks that it is empty or contains results for the same record of options.
    ///
    /// # Errors
    /// The folder contains other results (the error reports the first difference) or other files, or cannot be created
    /// or written to.
    pub fn open(path: &Path, record: &Value) -> Result<Self> {
        Self::open_for(path, record, "output")
    }

    /// Opens a folder as [`open`](Self::open) does. Errors refer to the setting `named_by` instead of `output`.
    ///
    /// # Errors
    /// The errors of [`open`](Self::open).
    pub fn open_for(path: &Path, record: &Value, named_by: &str) -> Result<Self> {
        let refuse =
            |path: &Path, action: &str, cause: Cause| refuse(path, action, cause, named_by);
        let is_new = !path.exists();
        if is_new {
            fs::create_dir_all(path)
                .map_err(|cause| refuse(path, "create the folder", cause.into()))?;
        }
        let lock =
            lock_folder(path).map_err(|cause| refuse(path, "write results to it", cause.into()))?;
        let mut folder = Self {
            path: path.to_path_buf(),
            record: format!("{record:#}\n"),
            _lock: lock,
            is_new,
            checkpoints: Mutex::default(),
            test: Mutex::default(),
        };
        remove_abandoned(path);
        let mut entries = fs::read_dir(path)
            .map_err(|cause| refuse(path, "read it as a folder", cause.into()))?;
        if entries.any(|entry| !entry.is_ok_and(|entry| is_temporary(&entry.file_name()))) {
            folder.read(record, named_by)?;
        }
        check_writable(&path.join(RECORD))?;
        Ok(folder)
    }

    /// Reads the content of the folder, which must be results for the same record of options.
    fn read(&mut self, record: &Value, named_by: &str) -> Result<()> {
        let path = &self.path;
        let refuse = |action: &str, cause: String| refuse(path, action, cause, named_by);
        if !path.join(RECORD).exists() {
            let cause = format!("it contains files, but no {RECORD}");
            return Err(refuse("write results to it", cause));
        }
        let text = read_own_file(&path.join(RECORD))
            .map_err(|cause| refuse("read its options", format!("{RECORD}: {cause}")))?;
        let found = unsealed(&text, "")
            .map_err(|cause| refuse("read its options", format!("{RECORD}: {cause}")))?;
        if let Some(difference) = difference(&found, record) {
            let cause = format!("it contains results for other options ({difference})");
            return Err(refuse("write results to it", cause));
        }
        let known = read_cells(path, &self.context(), named_by)?;
        self.checkpoints = Mutex::new(Cells { known, file: None });
        let test = path.join(TEST);
        if test.exists() {
            let unread = |cause: String| refuse("continue from it", format!("{TEST}: {cause}"));
            let text = read_own_file(&test).map_err(unread)?;
            let state = unsealed(&text, &self.context());
            self.test = Mutex::new(Some(state.map_err(|cause| unread(cause.to_string()))?));
        }
        Ok(())
    }

    /// The checksum of the record, which ties the files of the folder to it.
    fn context(&self) -> String {
        Checksum::from_bytes(self.record.as_bytes()).to_string()
    }

    /// The number of cells that were finished before.
    pub fn finished(&self) -> usize {
        self.checkpoints.lock().unwrap_or_else(PoisonError::into_inner).known.len()
    }

    /// Writes files. The record comes first, so that an interrupted folder can be identified.
    ///
    /// # Errors
    /// A file could not be written.
    pub fn write<N: AsRef<str>, C: AsRef<[u8]>>(
        mut self,
        files: impl IntoIterator<Item = (N, C)>,
    ) -> Result<()> {
        self.is_new = false;
        self.write_record()?;
        for (name, content) in files {
            self.write_file(name.as_ref(), &content)?;
        }
        Ok(())
    }

    fn write_record(&self) -> Result<()> {
        self.write_file(RECORD, &sealed(&self.record, ""))
    }

    fn write_file(&self, name: &str, content: &(impl AsRef<[u8]> + ?Sized)) -> Result<()> {
        write_own_file(&self.path.join(name), content.as_ref())
    }

    fn line(&self, name: &str, cell: &Cell) -> String {
        sealed(&json!({"cell": name, "found": cell}).to_string(), &self.context())
    }
}

impl Checkpoints for ResultsFolder {
    fn find(&self, name: &str) -> Option<Cell> {
        self.checkpoints.lock().unwrap_or_else(PoisonError::into_inner).known.get(name).cloned()
    }

    fn keep(&self, name: &str, cell: &Cell) -> Result<()> {
        let mut checkpoints = self.checkpoints.lock().unwrap_or_else(PoisonError::into_inner);
        let path = self.path.join(CELLS);
        if checkpoints.file.is_none() {
            self.write_record()?;
            // This removes an incomplete line of a killed run.
            let known = checkpoints.known.iter();
            let whole: String = known.map(|(name, cell)| self.line(name, cell)).collect();
            self.write_file(CELLS, &whole)?;
            let opened = OpenOptions::new().append(true).open(&path);
            checkpoints.file = Some(opened.map_err(|cause| write_failed(&path, cause))?);
        }
        if let Some(file) = &mut checkpoints.file {
            let text = self.line(name, cell);
            file.write_all(text.as_bytes()).map_err(|cause| write_failed(&path, cause))?;
        }
        checkpoints.known.insert(name.to_string(), cell.clone());
        Ok(())
    }
}

impl basrelief::inference::TestStore for ResultsFolder {
    fn find(&self) -> Option<Value> {
        self.test.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn keep(&self, state: &Value) -> Result<()> {
        let mut test = self.test.lock().unwrap_or_else(PoisonError::into_inner);
        // The record comes first, so that an interrupted folder can be identified.
        if test.is_none() {
            self.write_record()?;
        }
        self.write_file(TEST, &sealed(&state.to_string(), &self.context()))?;
        *test = Some(state.clone());
        Ok(())
    }
}

/// Reads the finished cells of a folder. The last line may be incomplete if a run was killed.
fn read_cells(folder: &Path, context: &str, named_by: &str) -> Result<HashMap<String, Cell>> {
    let refuse = |cause: String| {
        let cause = format!("{CELLS}: {cause}");
        refuse(folder, "read its finished cells", cause, named_by)
    };
    let path = folder.join(CELLS);
    let text = match path.exists() {
        true => read_own_file(&path).map_err(refuse)?,
        false => String::new(),
    };
    let mut known = HashMap::new();
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        let cell = unsealed(line, context).ok().and_then(|value| {
            Some((value["cell"].as_str()?.to_string(), Cell::deserialize(&value["found"]).ok()?))
        });
        match cell {
            Some((name, cell)) => {
                known.insert(name, cell);
            }
            None if is_start(line) => {}
            None => {
                return Err(refuse(format!(
                    "line {number} is damaged, or belongs to other options"
                )));
            }
        }
    }
    Ok(known)
}

/// Whether a line is a truncated JSON object.
fn is_start(line: &str) -> bool {
    let cause = serde_json::from_str::<Value>(line).err();
    // Only the line feed may be missing.
    !line.ends_with('\n') && cause.is_none_or(|cause| cause.is_eof()) && line.trim_end() == line
}

fn refuse(path: &Path, action: &str, cause: impl Into<Cause>, named_by: &str) -> Error {
    Error::File {
        path: path.to_path_buf(),
        action: action.to_string(),
        cause: cause.into(),
        help: format!("name another folder with {}", setting(named_by, None)).into(),
    }
}

impl Drop for ResultsFolder {
    // Work that failed or was interrupted does not leave an empty folder.
    fn drop(&mut self) {
        if self.is_new {
            // Fails if the folder is not empty, as intended.
            let _ = fs::remove_dir(&self.path);
        }
    }
}

/// Returns the first field in which two records differ, for example `seed 0, not 1`.
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
    use basrelief::FrontEnd;

    fn record(seed: u64, rows: u64) -> Value {
        json!({"protocol": "x", "seed": seed, "options": {"rows": rows}})
    }

    const FILES: [(&str, &str); 2] = [("a.csv", "1\n"), ("summary.txt", "done\n")];

    #[test]
    fn the_same_options_replace_and_others_are_refused() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("new/x");
        ResultsFolder::open(&path, &record(1, 100)).unwrap().write(FILES).unwrap();
        ResultsFolder::open(&path, &record(1, 100)).unwrap().write(FILES).unwrap();
        for (other, words) in [
            (record(2, 100), "(seed 1, not 2)"),
            (record(1, 50), "(rows 100, not 50)"),
            (json!({"protocol": "x", "seed": 1}), "(options {\"rows\":100}, not none)"),
        ] {
            let error = ResultsFolder::open(&path, &other).unwrap_err();
            let error = error.message(FrontEnd::CommandLine);
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
        let error = ResultsFolder::open(place.path(), &record(1, 1)).unwrap_err().to_string();
        assert!(error.contains("it contains files, but no options.json"), "{error}");
        fs::write(place.path().join(RECORD), "{").unwrap();
        assert!(ResultsFolder::open(place.path(), &record(1, 1)).is_err());
        assert!(ResultsFolder::open(&place.path().join("thesis.txt"), &record(1, 1)).is_err());

        let path = place.path().join("made");
        drop(ResultsFolder::open(&path, &record(1, 1)).unwrap());
        assert!(!path.exists());
    }

    #[test]
    fn a_test_is_remembered_and_known_by_its_record() {
        use basrelief::inference::TestStore;

        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("x");
        let open = |seed| ResultsFolder::open_for(&path, &record(seed, 1), "resume");
        let folder = open(1).unwrap();
        assert_eq!(TestStore::find(&folder), None);
        drop(folder);
        assert!(!path.exists(), "nothing was kept");
        for done in [1.0, 0.1 + 0.2] {
            TestStore::keep(&open(1).unwrap(), &json!({"largest": [done]})).unwrap();
            assert_eq!(TestStore::find(&open(1).unwrap()), Some(json!({"largest": [done]})));
        }
        let error = open(2).unwrap_err().to_string();
        assert!(error.contains("(seed 1, not 2)") && error.contains("resume"), "{error}");
        fs::write(path.join(TEST), "{").unwrap();
        let error = open(1).unwrap_err().to_string();
        assert!(error.contains("permutations.json: "), "{error}");
    }

    #[test]
    fn finished_cells_are_remembered_and_a_torn_line_is_not() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("x");
        let failed = |text: &str| Cell::Failed(text.to_string());
        let folder = ResultsFolder::open(&path, &record(1, 1)).unwrap();
        folder.keep("lfe/0", &failed("one")).unwrap();
        folder.keep("lfe/1", &failed("two")).unwrap();
        drop(folder);
        let cells = path.join(CELLS);
        let text = fs::read_to_string(&cells).unwrap();
        fs::write(&cells, &text[..text.len() - 9]).unwrap();

        assert!(ResultsFolder::open(&path, &record(2, 1)).is_err());
        let folder = ResultsFolder::open(&path, &record(1, 1)).unwrap();
        assert_eq!(folder.finished(), 1);
        assert_eq!(folder.find("lfe/0"), Some(failed("one")));
        assert_eq!(folder.find("lfe/1"), None);
        folder.keep("lfe/1", &failed("again")).unwrap();
        drop(folder);
        let folder = ResultsFolder::open(&path, &record(1, 1)).unwrap();
        assert_eq!(folder.find("lfe/0"), Some(failed("one")));
        assert_eq!(folder.find("lfe/1"), Some(failed("again")));
        drop(folder);

        fs::write(&cells, "nonsense\n{}\n").unwrap();
        let error = ResultsFolder::open(&path, &record(1, 1)).unwrap_err().to_string();
        assert!(error.contains("line 1 is damaged"), "{error}");
    }
}
