//! The command line as a user meets it: the real program, its outputs, messages and exit codes.

mod bad_input;
mod docs;
mod evaluate;
mod hostile;
mod interrupt;
mod levels;
mod maps;
mod messages;
mod odd_cells;
mod parts;
mod ranking;
mod report;
mod reproduce;
mod significance;
mod stability;
mod streams;
mod verbs;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// What a call left behind.
pub(crate) struct Outcome {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Outcome {
    /// Standard output of a call that must have worked.
    pub(crate) fn done(self) -> String {
        assert_eq!(self.code, Some(0), "{}", self.err);
        self.out
    }

    /// Standard error of a call that must have been refused as the user's mistake.
    pub(crate) fn refused(self) -> String {
        assert_eq!(self.code, Some(2), "{}{}", self.out, self.err);
        assert_eq!(self.out, "", "results beside an error");
        self.err
    }
}

/// A directory of one test's files.
pub(crate) struct Place(TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Names of all files, hidden and temporary ones included.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The program, to be started in this directory.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        command_in(self.0.path(), args)
    }

    /// Runs the program in this directory.
    pub(crate) fn run(&self, args: &[&str]) -> Outcome {
        let output = self.command(args).output().unwrap();
        Outcome {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: joined(&String::from_utf8(output.stderr).unwrap()),
        }
    }

    /// Runs a line of plain words.
    pub(crate) fn line(&self, line: &str) -> Outcome {
        self.run(&line.split_whitespace().collect::<Vec<_>>())
    }
}

/// Messages with their broken lines whole again, none of which is longer than 80 places.
fn joined(messages: &str) -> String {
    // What clap says of arguments is as wide as it is.
    let from_clap = messages.contains("For more information, try '--help'");
    for line in messages.lines().filter(|line| !line.starts_with("  ") && !from_clap) {
        let word = line.split(' ').map(str::len).max().unwrap_or(0);
        assert!(line.chars().count() <= 80 || word > 60, "a long line: {line}");
    }
    messages.replace("\n  ", " ")
}

fn command_in(directory: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_basrelief"));
    command.args(args).current_dir(directory).env_remove("RUST_BACKTRACE").stdin(Stdio::null());
    command
}

/// A table of 40 rows: two numbers, a category, and classes that `x1` separates.
pub(crate) fn small_table() -> String {
    let mut text = "x1,x2,color,class\n".to_string();
    for row in 0..40 {
        let class = if row % 2 == 0 { "yes" } else { "no" };
        let x1 = (row * 7 % 20) + if row % 2 == 0 { 30 } else { 0 };
        let color = ["red", "green", "blue"][row * 5 % 3];
        text.push_str(&format!("{x1},{},{color},{class}\n", row * 13 % 17));
    }
    text
}
