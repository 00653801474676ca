//! A folder for the results of one piece of work with one set of options.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use basrelief::evaluate::{Cell, Checkpoints};
use basrelief::wording::setting;
use basrelief::{Error, Result};
use serde_json::{Value, json};

use crate::{AtomicFile, check_writable};

/// What the results come from; by it a folder is known again.
const RECORD: &str = "options.json";

/// Finished cells of an evaluation, a line each.
const CELLS: &str = "cells.jsonl";

/// How far a permutation test is.
const TEST: &str = "permutations.json";

/// A folder that may be written to: it is new or empty, or holds results of the same options.
///
/// Of an evaluation it remembers every cell as soon as it is finished, and of a permutation test how far it
/// is, so that work which was killed goes on where it ended.
#[derive(Debug)]
pub struct ResultsFolder {
    path: PathBuf,
    record: String,
    is_new: bool,
    checkpoints: Mutex<Cells>,
    test: Mutex<Option<Value>>,
}

#[derive(Debug, Default)]
struct Cells {
    known: HashMap<String, Cell>,
    /// Where the next one goes, once there is one.
    file: Option<File>,
}

impl ResultsFolder {
    /// Makes the folder, or checks that it is empty or holds results of the same record.
    ///
    /// # Errors
    /// It holds other results (the first difference is told) or other files, or cannot be made or
    /// written to.
    pub fn open(path: &Path, record: &Value) -> Result<Self> {
        Self::open_for(path, record, "output")
    }

    /// The same for a folder that another setting names, of which errors tell.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_for(path: &Path, record: &Value, named_by: &str) -> Result<Self> {
        let refuse =
            |path: &Path, action: &str, cause: String| refuse(path, action, cause, named_by);
        let is_new = !path.exists();
        if is_new {
            fs::create_dir_all(path)
                .map_err(|cause| refuse(path, "make the folder", cause.to_string()))?;
        }
        let record_text = format!("{record:#}\n");
        let mut folder = Self {
            path: path.to_path_buf(),
            record: record_text,
            is_new,
            checkpoints: Mutex::default(),
            test: Mutex::default(),
        };
        let mut entries = fs::read_dir(path)
            .map_err(|cause| refuse(path, "read it as a folder", cause.to_string()))?;
        if entries.next().is_some() {
            let found = fs::read_to_string(path.join(RECORD)).map_err(|_| {
                refuse(path, "write results to it", format!("it holds files, but no {RECORD}"))
            })?;
            let found: Value = serde_json::from_str(&found)
                .map_err(|cause| refuse(path, "read its options", format!("{RECORD}: {cause}")))?;
            if let Some(difference) = difference(&found, record) {
                return Err(refuse(
                    path,
                    "write results to it",
                    format!("it holds results of other options ({difference})"),
                ));
            }
            let known = read_cells(path, named_by)?;
            folder.checkpoints = Mutex::new(Cells { known, file: None });
            let test = path.join(TEST);
            if test.exists() {
                let unread =
                    |cause: String| refuse(path, "go on from it", format!("{TEST}: {cause}"));
                let text = fs::read_to_string(&test).map_err(|cause| unread(cause.to_string()))?;
                let state =
                    serde_json::from_str(&text).map_err(|cause| unread(cause.to_string()))?;
                folder.test = Mutex::new(Some(state));
            }
        }
        check_writable(&path.join(RECORD))?;
        Ok(folder)
    }

    /// Cells that were finished before.
    pub fn finished(&self) -> usize {
        self.checkpoints.lock().unwrap_or_else(PoisonError::into_inner).known.len()
    }

    /// Writes files, the record first: an interrupted folder is known again.
    ///
    /// # Errors
    /// A file could not be written.
    pub fn write<'f>(mut self, files: impl IntoIterator<Item = (&'f str, &'f str)>) -> Result<()> {
        self.is_new = false;
        self.write_file(RECORD, &self.record)?;
        for (name, content) in files {
            self.write_file(name, content)?;
        }
        Ok(())
    }

    fn write_file(&self, name: &str, content: &str) -> Result<()> {
        let path = self.path.join(name);
        let mut file = AtomicFile::create(&path)?;
        file.write_all(content.as_bytes()).map_err(|cause| unwritten(&path, cause))?;
        file.commit()
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
            self.write_file(RECORD, &self.record)?;
            // What a killed run left of a line is written anew.
            if path.exists() {
                let whole: String =
                    checkpoints.known.iter().map(|(name, cell)| line(name, cell)).collect();
                self.write_file(CELLS, &whole)?;
            }
            let opened = OpenOptions::new().create(true).append(true).open(&path);
            checkpoints.file = Some(opened.map_err(|cause| unwritten(&path, cause))?);
        }
        if let Some(file) = &mut checkpoints.file {
            let text = line(name, cell);
            file.write_all(text.as_bytes()).map_err(|cause| unwritten(&path, cause))?;
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
        // The record first: an interrupted folder is known again.
        if test.is_none() {
            self.write_file(RECORD, &self.record)?;
        }
        self.write_file(TEST, &format!("{state}\n"))?;
        *test = Some(state.clone());
        Ok(())
    }
}

fn line(name: &str, cell: &Cell) -> String {
    format!("{}\n", json!({"cell": name, "found": cell.to_json()}))
}

/// The finished cells of a folder; the last line may be what a killed run left of one.
fn read_cells(folder: &Path, named_by: &str) -> Result<HashMap<String, Cell>> {
    let refuse = |action: &str, cause: String| refuse(folder, action, cause, named_by);
    let path = folder.join(CELLS);
    let mut text = String::new();
    if path.exists() {
        File::open(&path)
            .and_then(|mut file| file.read_to_string(&mut text))
            .map_err(|cause| refuse("read its finished cells", format!("{CELLS}: {cause}")))?;
    }
    let mut known = HashMap::new();
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        let cell = serde_json::from_str::<Value>(line).ok().and_then(|value| {
            Some((value["cell"].as_str()?.to_string(), Cell::from_json(&value["found"])?))
        });
        match cell {
            Some((name, cell)) => {
                known.insert(name, cell);
            }
            None if !line.ends_with('\n') => {}
            None => {
                let cause = format!("{CELLS}: line {number} is damaged");
                return Err(refuse("read its finished cells", cause));
            }
        }
    }
    Ok(known)
}

/// A number of bytes (FNV-1a), by which contents are known again; it is no protection against intent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint(u64);

impl Default for Fingerprint {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fingerprint {
    /// Takes more bytes into account.
    pub fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

impl std::fmt::Display for Fingerprint {
    /// Sixteen hexadecimal digits.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// What tells one version of a file from another: a number of its bytes (FNV-1a), in hexadecimal.
///
/// # Errors
/// It cannot be read.
pub fn fingerprint(path: &Path) -> Result<String> {
    let unreadable = |cause: std::io::Error| Error::File {
        path: path.to_path_buf(),
        action: "read it".to_string(),
        cause: cause.to_string(),
        help: "is it still there?".to_string(),
    };
    let mut file = BufReader::new(File::open(path).map_err(unreadable)?);
    let mut print = Fingerprint::default();
    let mut bytes = [0; 1 << 16];
    loop {
        let count = file.read(&mut bytes).map_err(unreadable)?;
        if count == 0 {
            return Ok(print.to_string());
        }
        print.add(&bytes[..count]);
    }
}

fn refuse(path: &Path, action: &str, cause: String, named_by: &str) -> Error {
    Error::File {
        path: path.to_path_buf(),
        action: action.to_string(),
        cause,
        help: format!("name another folder with {}", setting(named_by, None)),
    }
}

fn unwritten(path: &Path, cause: std::io::Error) -> Error {
    Error::File {
        path: path.to_path_buf(),
        action: "write it".to_string(),
        cause: cause.to_string(),
        help: "is the disk full?".to_string(),
    }
}

impl Drop for ResultsFolder {
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
        assert!(error.contains("it holds files, but no options.json"), "{error}");
        fs::write(place.path().join(RECORD), "{").unwrap();
        assert!(ResultsFolder::open(place.path(), &record(1, 1)).is_err());
        assert!(ResultsFolder::open(&place.path().join("thesis.txt"), &record(1, 1)).is_err());

        let path = place.path().join("made");
        drop(ResultsFolder::open(&path, &record(1, 1)).unwrap());
        assert!(!path.exists());
    }

    #[test]
    fn fingerprints_are_those_of_fnv() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a");
        fs::write(&path, "a").unwrap();
        // The published number of the letter.
        assert_eq!(fingerprint(&path).unwrap(), "af63dc4c8601ec8c");
        assert!(fingerprint(&place.path().join("none")).is_err());
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

        fs::write(&cells, "nonsense\n{}\n").unwrap();
        let error = ResultsFolder::open(&path, &record(1, 1)).unwrap_err().to_string();
        assert!(error.contains("line 1 is damaged"), "{error}");
    }
}
