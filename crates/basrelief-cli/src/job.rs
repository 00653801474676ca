//! The folder of a ranking that is computed in parts: its plan, and the parts' results.

use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use basrelief::data::{Table, Target};
use basrelief::distribute::{Plan, Stage, StagePlan};
use basrelief::wording::{clean_path, setting};
use basrelief::{Error, Result, Run, Warning};
use basrelief_io::AtomicFile;
use clap::ArgMatches;
use serde_json::{Value, json};

use crate::args;
use crate::input::Input;
use crate::rank::Weighing;
use crate::text::counted;

/// The plan's file.
const PLAN: &str = "plan.json";

/// Numbers of missing parts that a message names.
const NAMED: usize = 12;

/// A folder with a plan, and with the results that there are.
pub(crate) struct Job {
    folder: PathBuf,
    pub(crate) plan: Plan,
    /// The data as the user named them, and where they are.
    named: String,
    data: PathBuf,
    /// The arguments of the plan.
    matches: ArgMatches,
}

/// A folder for a plan; it is removed again where none is written to it.
pub(crate) struct NewJob<'p> {
    folder: &'p Path,
    is_new: bool,
}

impl Drop for NewJob<'_> {
    fn drop(&mut self) {
        if self.is_new {
            // Only an empty folder can be removed so.
            let _ = fs::remove_dir(self.folder);
        }
    }
}

/// The data of a job, read again.
pub(crate) struct JobData {
    pub(crate) table: Table<'static>,
    pub(crate) target: Target,
    pub(crate) warnings: Vec<Warning>,
}

impl<'p> NewJob<'p> {
    /// Makes the folder, or checks that it is empty, before the work of planning.
    ///
    /// # Errors
    /// It holds files, or cannot be made or written to.
    pub(crate) fn prepare(folder: &'p Path) -> Result<Self> {
        let refuse = |action: &str, cause: String| {
            let help = format!("name a new or empty folder with {}", setting("output", None));
            Err(file_error(folder, action, cause, &help))
        };
        let is_new = !folder.exists();
        if let Err(cause) = fs::create_dir_all(folder) {
            return refuse("make the folder", cause.to_string());
        }
        let job = Self { folder, is_new };
        match fs::read_dir(folder).map(|mut entries| entries.next().is_some()) {
            Ok(false) => basrelief_io::check_writable(&folder.join(PLAN)).map(|()| job),
            Ok(true) if folder.join(PLAN).exists() => {
                refuse("put a plan there", "it holds one already".to_string())
            }
            Ok(true) => refuse("put a plan there", "it holds files".to_string()),
            Err(cause) => refuse("read it as a folder", cause.to_string()),
        }
    }

    /// Writes a plan, with what is needed to read the data again.
    ///
    /// # Errors
    /// Arguments that are no text; the plan cannot be written.
    pub(crate) fn write(
        self,
        plan: &Plan,
        input: &Input<'_>,
        arguments: &[OsString],
    ) -> Result<()> {
        let texts: Option<Vec<&str>> = arguments.iter().map(|argument| argument.to_str()).collect();
        let texts = texts.ok_or_else(|| {
            Error::data("an argument is not in Unicode", "give the files other names")
        })?;
        let data = fs::canonicalize(input.path()).ok();
        let data = data.as_deref().and_then(Path::to_str);
        let data = data.ok_or_else(|| {
            let help = "give the file or its folder another name";
            file_error(input.path(), "note where it is", "its name is not in Unicode".into(), help)
        })?;
        let plan: Value = serde_json::from_slice(&plan.to_bytes())
            .map_err(|cause| Error::Internal(format!("a plan is no JSON: {cause}")))?;
        let all = json!({ "arguments": texts, "data": data, "plan": plan });
        write_bytes(&self.path(), format!("{all:#}\n").as_bytes())
    }

    /// The plan's file.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.join(PLAN)
    }
}

impl Job {
    /// Opens the folder that the arguments name.
    ///
    /// # Errors
    /// It holds no plan, or one of another version.
    pub(crate) fn open(matches: &ArgMatches) -> Result<Self> {
        let folder = args::path(matches, "job")
            .ok_or_else(|| Error::Internal("the job argument is missing".to_string()))?;
        let path = folder.join(PLAN);
        let no_plan = |cause: String| {
            let help = "name a folder that `basrelief plan` made";
            file_error(&path, "read the plan of this job", cause, help)
        };
        let bytes = fs::read(&path).map_err(|cause| no_plan(cause.to_string()))?;
        let all: Value =
            serde_json::from_slice(&bytes).map_err(|cause| no_plan(cause.to_string()))?;
        let plan = Plan::from_bytes(all["plan"].to_string().as_bytes())
            .map_err(|error| error.in_file(&path))?;
        let arguments = all["arguments"].as_array().and_then(|texts| {
            texts.iter().map(|text| text.as_str()).collect::<Option<Vec<&str>>>()
        });
        let arguments = arguments.ok_or_else(|| no_plan("it has no arguments".to_string()))?;
        let given = args::command().try_get_matches_from(arguments);
        let given = given.ok().and_then(|mut given| given.remove_subcommand());
        let Some((_, given)) = given.filter(|(verb, _)| verb == "plan") else {
            return Err(no_plan("its arguments are not those of a plan".to_string()));
        };
        let planned = all["data"].as_str().ok_or_else(|| no_plan("it names no data".into()))?;
        let data = args::path(matches, "data").unwrap_or(Path::new(planned)).to_path_buf();
        let named = Input::from_args(&given)?.path().to_string_lossy().into_owned();
        Ok(Self { folder: folder.to_path_buf(), plan, named, data, matches: given })
    }

    /// The data as the user named them for the plan.
    pub(crate) fn named(&self) -> &str {
        &self.named
    }

    /// Where the data are.
    pub(crate) fn data(&self) -> &Path {
        &self.data
    }

    /// How the features are weighed.
    ///
    /// # Errors
    /// None, the plan having been made of them.
    pub(crate) fn weighing(&self) -> Result<Weighing<'_>> {
        Weighing::from_args(&self.matches)
    }

    /// Reads the data.
    ///
    /// # Errors
    /// As of [`Weighing::read`].
    pub(crate) fn read(&self, weighing: &mut Weighing<'_>, run: &Run) -> Result<JobData> {
        let input = Input::from_args(&self.matches)?;
        let (table, target, _, warnings) = weighing.read(&input.at(&self.data), run)?;
        Ok(JobData { table, target, warnings })
    }

    /// The file of a part's result.
    pub(crate) fn path(&self, stage: Stage, part: usize) -> PathBuf {
        self.folder.join(format!("{}-{}.part", stage.name(), part + 1))
    }

    /// The parts of a stage whose result is not there.
    pub(crate) fn missing(&self, stage: Stage) -> Vec<usize> {
        let parts = self.plan.cut(stage).map_or(0, |cut| cut.parts());
        (0..parts).filter(|&part| !self.path(stage, part).is_file()).collect()
    }

    /// Refuses what needs all parts of a stage where some are missing: of it, or of an earlier one.
    ///
    /// # Errors
    /// The missing parts are named.
    pub(crate) fn demand(&self, stage: Stage, action: &str) -> Result<()> {
        for &StagePlan { stage, cut, .. } in
            self.plan.stages().iter().filter(|own| own.stage <= stage)
        {
            let missing = self.missing(stage);
            let Some(first) = missing.first() else { continue };
            let named: Vec<String> =
                missing.iter().take(NAMED).map(|part| (part + 1).to_string()).collect();
            let more = match missing.len().saturating_sub(NAMED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let (name, folder) = (stage.name(), clean_path(&self.folder));
            return Err(file_error(
                &self.folder,
                action,
                format!(
                    "{} of {} of stage {name} are missing: {}{more}",
                    missing.len(),
                    counted(cut.parts(), "part"),
                    named.join(", ")
                ),
                &format!("run them: basrelief run {folder} --stage {name} --part {}", first + 1),
            ));
        }
        Ok(())
    }

    /// Whether the result of a part is there, whole and of this plan; one that is not will be replaced.
    pub(crate) fn is_done(&self, stage: Stage, part: usize) -> bool {
        let bytes = fs::read(self.path(stage, part));
        bytes.is_ok_and(|bytes| self.plan.check(stage, part, &bytes).is_ok())
    }

    /// The results of all parts of a stage, as they are asked for.
    pub(crate) fn results(&self, stage: Option<Stage>) -> impl Iterator<Item = Result<Vec<u8>>> {
        let parts = stage.and_then(|stage| Some((stage, self.plan.cut(stage)?.parts())));
        let of_stage =
            parts.into_iter().flat_map(|(stage, parts)| (0..parts).map(move |part| (stage, part)));
        of_stage.map(|(stage, part)| {
            let path = self.path(stage, part);
            let bytes = fs::read(&path).map_err(|cause| {
                let help = format!("run part {} of stage {} again", part + 1, stage.name());
                file_error(&path, "read the result of a part", cause.to_string(), &help)
            })?;
            // The file is named in what may be wrong with it.
            self.plan.check(stage, part, &bytes).map_err(|error| error.in_file(&path))?;
            Ok(bytes)
        })
    }

    /// Writes the result of a part, whole or not at all.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn keep(&self, stage: Stage, part: usize, bytes: &[u8]) -> Result<()> {
        write_bytes(&self.path(stage, part), bytes)
    }
}

fn write_bytes(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(bytes).map_err(|cause| {
        file_error(path, "write it", cause.to_string(), "check the space left on the disk")
    })?;
    file.commit()
}

fn file_error(path: &Path, action: &str, cause: String, help: &str) -> Error {
    Error::File {
        path: path.to_path_buf(),
        action: action.to_string(),
        cause,
        help: help.to_string(),
    }
}
