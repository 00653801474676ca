//! The command line as a user meets it: the real program, its outputs, messages and exit codes.

mod advice;
mod bad_input;
mod blocks;
mod cohorts;
mod covariates;
mod docs;
mod evaluate;
mod files;
mod groups;
mod hostile;
mod interrupt;
mod intervals;
mod kept;
mod kind_cases;
mod kinds;
mod levels;
mod made_cohorts;
mod maps;
mod messages;
mod odd_cells;
mod pairs;
mod parts;
mod ped;
mod plink;
mod plink2;
mod profiles;
mod quality;
mod ranking;
mod relatives;
mod repeated_rows;
mod report;
mod reproduce;
mod samples;
mod selection;
mod sets;
mod significance;
mod sparse;
mod stability;
mod streams;
mod survival;
mod targets;
mod vcf;
mod verbs;
mod weights;

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
pub(crate) struct Place(TempDir, Replacing);

/// Whether the program replaces files in a test without `--force`.
enum Replacing {
    Yes,
    No,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().unwrap(), Replacing::Yes)
    }

    /// The same directory, where files that exist are not replaced.
    pub(crate) fn carefully(self) -> Self {
        Self(self.0, Replacing::No)
    }

    /// A directory where files that exist are not replaced, as on a user's machine.
    pub(crate) fn of_user() -> Self {
        Self(TempDir::new().unwrap(), Replacing::No)
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
        let mut command = command_in(self.0.path(), args);
        match self.1 {
            Replacing::Yes => command.env("BASRELIEF_FORCE", "1"),
            Replacing::No => command.env_remove("BASRELIEF_FORCE"),
        };
        command
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

/// Messages in one line each. Only those of clap are wrapped where standard error is not a terminal.
fn joined(messages: &str) -> String {
    let from_clap = ["For more information, try '--help'", "Usage: "];
    let from_clap = from_clap.iter().any(|words| messages.contains(words));
    assert!(from_clap || !messages.contains("\n  "), "a wrapped message: {messages}");
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

/// Whether a program to compare with is installed; prints a note if it is not.
pub(crate) fn is_there(program: &str) -> bool {
    let is_there = Command::new(program).arg("--version").output().is_ok();
    if !is_there {
        println!("skipped: {program} is not installed");
    }
    is_there
}

/// Runs a program with the words of a line in a place; it must succeed.
pub(crate) fn run_in(place: &Place, program: &str, line: &str) {
    let words = line.split_whitespace();
    let done = Command::new(program).args(words).current_dir(place.path("")).output().unwrap();
    let told = String::from_utf8_lossy(&done.stdout);
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{program} {line}: {told}{errors}");
}

/// That a page of `docs` shows what its commands give, one block of them after the other in the same place; it has at
/// least so many. With `UPDATE_DOCS` the page is written. The commands are for a Unix shell.
#[cfg(unix)]
fn assert_examples(page: &str, least: usize) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(page);
    let text = std::fs::read_to_string(&file).unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_basrelief")).parent().unwrap();
    let place = Place::new();
    let mut written = String::new();
    let mut rest = text.as_str();
    let mut count = 0;
    while let Some((before, after)) = rest.split_once("```sh\n") {
        let (commands, after) = after.split_once("```\n").unwrap();
        let output = Command::new("sh")
            .args(["-e", "-c", commands])
            .current_dir(place.path(""))
            .env("PATH", format!("{}:{}", program.display(), std::env::var("PATH").unwrap()))
            .output()
            .unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{commands}: {errors}");
        written.push_str(&format!("{before}```sh\n{commands}```\n"));
        rest = after;
        if let Some(shown) = after.strip_prefix("```text\n") {
            let (_, after) = shown.split_once("```\n").unwrap();
            let shown = String::from_utf8(output.stdout).unwrap();
            written.push_str(&format!("```text\n{shown}```\n"));
            rest = after;
        }
        count += 1;
    }
    written.push_str(rest);
    assert!(count >= least, "{page} has its examples");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&file, written).unwrap();
    } else {
        let hint = "UPDATE_DOCS=1 cargo test -p basrelief-cli --test cli shows mends it";
        assert_eq!(text, written, "docs/{page}: {hint}");
    }
}
