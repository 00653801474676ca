//! The files that a command reads and writes. This module refuses, for all verbs, outputs that would destroy an input
//! or another output.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use basrelief::data::BlockScale;
use basrelief::wording::{clean_path, setting};
use basrelief::{Error, Result};
use basrelief_genetics::{CohortOptions, cohort_outputs, is_bed, is_cohort};
use basrelief_io::{RESULTS_FOLDER_FILES, STANDARD_INPUT, check_replaceable};
use basrelief_study::blocks::{BlockPlan, BlockSource};
use basrelief_study::evaluation::FILES;
use clap::ArgMatches;

use crate::args;
use crate::cohort::data_path;
use crate::export;

/// Arguments that name a file to read, besides the data and the model.
const READ: [&str; 11] = [
    "pheno",
    "keep-people",
    "remove-people",
    "extract",
    "exclude",
    "covar",
    "from",
    "sets",
    "target-tree",
    "names",
    "target-file",
];

/// Arguments that name a file to write, besides `output` and the model.
pub(crate) const WRITTEN: [&str; 6] =
    ["report", "report-json", "figure", "write-snplist", "king-table", "truth"];

/// Verbs whose `--output` is a folder: a second run continues in it, or they check its files themselves.
const FOLDERS: [&str; 5] = ["evaluate", "reproduce", "plan", "demo", "man"];

/// Verbs whose model is an input.
const READ_MODELS: [&str; 2] = ["export", "transform"];

/// The role of a file that is read.
#[derive(Debug, Clone, Copy)]
enum Source {
    Data,
    Model,
    /// A plan or the result of a part.
    Job,
    /// The file of an argument.
    Argument(&'static str),
}

/// Refuses outputs of a verb that would destroy an input, another output, or a file that exists.
///
/// # Errors
/// The errors of [`Files::check`]; an output exists, and `--force` was not given.
pub(crate) fn check(verb: &str, matches: &ArgMatches) -> Result<()> {
    let mut inner = matches;
    while let Some((_, own)) = inner.subcommand() {
        inner = own;
    }
    let files = Files::from_args(verb, inner);
    files.check()?;
    // A merge first compares its outputs with the files of the job.
    if verb == "merge" { Ok(()) } else { files.check_existing(verb, inner) }
}

/// The files of a command.
#[derive(Debug, Default)]
pub(crate) struct Files {
    read: Vec<(Source, PathBuf)>,
    written: Vec<(&'static str, PathBuf)>,
}

impl Files {
    /// From the arguments of a verb.
    pub(crate) fn from_args(verb: &str, matches: &ArgMatches) -> Self {
        let mut files = Self::default();
        // The experiments of papers read a folder, and data sets of the user.
        if verb == "reproduce" {
            let added = matches.try_get_many::<PathBuf>("add").ok().flatten().unwrap_or_default();
            files.read.extend(added.map(|file| (Source::Argument("add"), file.clone())));
        } else {
            files.add_read(matches, data_path(matches));
        }
        if let Some(output) = path(matches, "output") {
            let own = outputs(verb, output).into_iter().map(|path| ("output", path));
            files.written.extend(own);
        }
        if let Some(model) = path(matches, "model") {
            match READ_MODELS.contains(&verb) {
                true => files.read.push((Source::Model, model.to_path_buf())),
                false => files.written.push(("model", model.to_path_buf())),
            }
        }
        for name in WRITTEN {
            files.written.extend(path(matches, name).map(|path| (name, path.to_path_buf())));
        }
        if let Some(folder) = path(matches, "resume") {
            let own = RESULTS_FOLDER_FILES.map(|name| ("resume", folder.join(name)));
            files.written.extend(own);
        }
        files
    }

    /// Adds the data and the files of the arguments that are read with them.
    pub(crate) fn add_read(&mut self, matches: &ArgMatches, data: Option<&Path>) {
        for data in data.iter().flat_map(|data| data_files(data)) {
            self.read.push((Source::Data, data));
        }
        for name in READ {
            let named = path(matches, name).map(|path| (Source::Argument(name), path.into()));
            self.read.extend(named);
        }
        let blocks = matches.try_get_one::<String>("blocks").ok().flatten();
        let blocks = blocks.map(|text| BlockPlan::from_text(text, BlockScale::default()).source);
        if let Some(BlockSource::File(file)) = blocks {
            self.read.push((Source::Argument("blocks"), file));
        }
    }

    /// Adds the files of a job that an output would replace; `is_own` decides by the name whether a file belongs to
    /// the job.
    pub(crate) fn add_job(&mut self, job: &Path, is_own: impl Fn(&OsStr) -> bool) {
        let Ok(job) = fs::canonicalize(job) else { return };
        for (_, path) in &self.written {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let folder = fs::canonicalize(folder.unwrap_or(Path::new(".")));
            let is_inside = folder.is_ok_and(|folder| folder.starts_with(&job));
            if is_inside && path.file_name().is_some_and(&is_own) {
                self.read.push((Source::Job, path.clone()));
            }
        }
    }

    /// Refuses an output that is a file which the command reads, or that two options name.
    ///
    /// # Errors
    /// An output is also an input or another output; the message names the options of both files.
    pub(crate) fn check(&self) -> Result<()> {
        let read: Vec<_> = self.read.iter().map(|(source, path)| (source, place(path))).collect();
        let mut written: Vec<(&str, Place)> = Vec::new();
        for (name, path) in &self.written {
            let Some(own) = place(path) else { continue };
            let refuse = |what: String| {
                let problem = format!("{} is {what}", clean_path(path));
                Err(Error::option(option(name), problem, "name another file"))
            };
            let is_own = |other: &Option<Place>| other.as_ref() == Some(&own);
            if let Some((source, _)) = read.iter().find(|(_, other)| is_own(other)) {
                return refuse(match source {
                    Source::Data => "the data file itself".to_string(),
                    Source::Model => "the model file itself".to_string(),
                    Source::Job => "a file of the job".to_string(),
                    Source::Argument(name) => {
                        format!("also read by {}", setting(&option(name), None))
                    }
                });
            }
            if let Some((other, _)) = written.iter().find(|(_, other)| *other == own) {
                return refuse(format!("also written by {}", setting(&option(other), None)));
            }
            written.push((name, own));
        }
        self.check_standard_output()
    }

    /// Refuses an output that exists, unless the user allows to replace it.
    ///
    /// # Errors
    /// An output exists; the errors of [`args::replaces`].
    pub(crate) fn check_existing(&self, verb: &str, matches: &ArgMatches) -> Result<()> {
        let replace = args::replaces(matches)?;
        let is_folder =
            |name: &str| name == "resume" || name == "output" && FOLDERS.contains(&verb);
        let files = self.written.iter().filter(|(name, _)| !is_folder(name));
        files.map(|(_, path)| path).try_for_each(|path| check_replaceable(path, replace))
    }

    /// Refuses a standard output that the shell redirects to a file of the command.
    fn check_standard_output(&self) -> Result<()> {
        let standard = Path::new("/dev/stdout");
        let Some(own) =
            fs::metadata(standard).ok().filter(fs::Metadata::is_file).and_then(|_| place(standard))
        else {
            return Ok(());
        };
        let is_device = |path: &Path| path.starts_with("/dev") || path.starts_with("/proc");
        let written = self.written.iter().map(|(_, path)| path).filter(|path| !is_device(path));
        let mut all = self.read.iter().map(|(_, path)| path).chain(written);
        match all.find(|path| place(path).as_ref() == Some(&own)) {
            Some(path) => Err(Error::File {
                path: path.clone(),
                action: "use it".to_string(),
                cause: "standard output is written to the same file".into(),
                help: "send standard output to another file".into(),
            }),
            None => Ok(()),
        }
    }
}

/// The name of an argument in messages.
fn option(name: &str) -> String {
    name.replace('-', "_")
}

fn path<'m>(matches: &'m ArgMatches, name: &str) -> Option<&'m Path> {
    matches.try_get_one::<PathBuf>(name).ok().flatten().map(PathBuf::as_path)
}

/// The files of the data; several for a cohort.
fn data_files(data: &Path) -> Vec<PathBuf> {
    if data == Path::new(STANDARD_INPUT) {
        return vec![PathBuf::from("/dev/stdin")];
    }
    match is_cohort(data) {
        true => CohortOptions::default().files(data),
        false => vec![data.to_path_buf()],
    }
}

/// The files that a verb writes for `--output`.
fn outputs(verb: &str, output: &Path) -> Vec<PathBuf> {
    match verb {
        "synth" if is_bed(output) => cohort_outputs(output).into(),
        "export" => vec![output.to_path_buf(), export::description_file(output)],
        "evaluate" => {
            let names = RESULTS_FOLDER_FILES.into_iter().chain(FILES);
            names.map(|name| output.join(name)).collect()
        }
        _ => vec![output.to_path_buf()],
    }
}

/// Identifies the file that a path leads to.
#[derive(Debug, PartialEq, Eq)]
enum Place {
    /// Device and inode, which all names of a file have in common.
    #[cfg(unix)]
    Inode(u64, u64),
    Path(PathBuf),
}

/// Identifies the file that a path leads to; `None` for devices, which several processes can read and write at once.
fn place(path: &Path) -> Option<Place> {
    #[cfg(unix)]
    if let Ok(metadata) = fs::metadata(path) {
        use std::os::unix::fs::{FileTypeExt, MetadataExt};

        let is_device = metadata.file_type().is_char_device();
        return (!is_device).then(|| Place::Inode(metadata.dev(), metadata.ino()));
    }
    let whole = fs::canonicalize(path).ok().or_else(|| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?;
        Some(folder.join(path.file_name()?))
    });
    whole.map(Place::Path)
}

#[cfg(test)]
mod tests {
    use clap::Command;

    use super::*;
    use crate::cohort::PREFIXES;

    /// Arguments that [`Files`] handles besides `READ` and `WRITTEN`, and the folder of a job, whose plan names the
    /// data.
    const OTHERS: [&str; 6] = ["data", "add", "model", "output", "resume", "job"];

    fn assert_known(command: &Command) {
        for arg in command.get_arguments() {
            let name = arg.get_id().as_str();
            let is_path = arg.get_value_parser().type_id() == std::any::TypeId::of::<PathBuf>();
            let is_known = OTHERS
                .iter()
                .chain(&PREFIXES)
                .chain(&READ)
                .chain(&WRITTEN)
                .any(|known| *known == name);
            assert!(!is_path || is_known, "{}: {name}", command.get_name());
        }
        command.get_subcommands().for_each(assert_known);
    }

    #[test]
    fn every_file_of_the_command_line_is_known() {
        assert_known(&crate::verbs::command());
    }
}
