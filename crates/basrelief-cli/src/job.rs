//! The folder of a job, which computes a ranking or a map in parts: the plan, and the results of the parts. If a
//! ranking takes several iterations (rounds), each iteration after the first has a subfolder.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use basrelief::checksum::{sealed, unsealed};
use basrelief::distribute::{Plan, Rounds, Stage, StagePlan, Turn};
use basrelief::error::Cause;
use basrelief::maps::FeatureRanking;
use basrelief::wording::{clean_path, setting};
use basrelief::{Error, Fitted, Result, Run};
use basrelief_io::{
    is_temporary, lock_folder, read_own_bytes, read_own_file, remove_abandoned, write_own_file,
};
use basrelief_study::Source;
use basrelief_study::text::counted;
use clap::ArgMatches;
use serde_json::{Value, json};

use crate::args;
use crate::exit::note;
use crate::files::Files;
use crate::plan_text::PlanText;
use crate::purpose::{Purpose, Read};
use crate::verbs;

/// The name of the plan file.
const PLAN: &str = "plan.json";

/// The largest number of missing parts that a message lists.
const NAMED: usize = 12;

/// A folder with a plan and the results so far.
pub(crate) struct Job {
    folder: PathBuf,
    /// The current iteration, which is the last one planned.
    pub(crate) rounds: Rounds,
    pub(crate) plan: Plan,
    /// The path of the data as the user named it.
    named: String,
    /// The path of the data on this machine.
    data: PathBuf,
    /// The arguments of the plan.
    matches: ArgMatches,
}

/// A folder for a new plan. It is removed again if no plan is written to it.
pub(crate) struct NewJob<'p> {
    folder: &'p Path,
    is_new: bool,
    /// The open folder. It holds the lock.
    _lock: Option<File>,
}

impl Drop for NewJob<'_> {
    fn drop(&mut self) {
        if self.is_new {
            // This removes only empty folders.
            let _ = fs::remove_dir(self.folder);
        }
    }
}

impl<'p> NewJob<'p> {
    /// Creates the folder, or checks that it is empty, before the plan is computed.
    ///
    /// # Errors
    /// The folder contains files, cannot be created, or is not writable.
    pub(crate) fn prepare(folder: &'p Path) -> Result<Self> {
        let refuse = |action: &str, cause: Cause| {
            let help = format!("name a new or empty folder with {}", setting("output", None));
            Err(file_error(folder, action, cause, &help))
        };
        let is_new = !folder.exists();
        if let Err(cause) = fs::create_dir_all(folder) {
            return refuse("create the folder", cause.into());
        }
        let lock = match lock_folder(folder) {
            Ok(lock) => lock,
            Err(cause) => return refuse("write a plan to it", cause.into()),
        };
        let job = Self { folder, is_new, _lock: lock };
        remove_abandoned(folder);
        let is_file = |entry: std::io::Result<fs::DirEntry>| {
            !entry.is_ok_and(|entry| is_temporary(&entry.file_name()))
        };
        match fs::read_dir(folder).map(|mut entries| entries.any(is_file)) {
            Ok(false) => basrelief_io::check_writable(&folder.join(PLAN)).map(|()| job),
            Ok(true) if folder.join(PLAN).exists() => {
                refuse("write a plan to it", "it already contains a plan".into())
            }
            Ok(true) => refuse("write a plan to it", "it is not empty".into()),
            Err(cause) => refuse("read it as a folder", cause.into()),
        }
    }

    /// Writes a plan, with everything that is needed to read the data again.
    ///
    /// # Errors
    /// An argument is not valid Unicode; the plan cannot be written.
    pub(crate) fn write(
        self,
        (rounds, plan): (&Rounds, &Plan),
        source: &Source,
        arguments: &[OsString],
    ) -> Result<()> {
        let texts: Option<Vec<&str>> = arguments.iter().map(|argument| argument.to_str()).collect();
        let texts = texts
            .ok_or_else(|| Error::data("an argument is not valid Unicode", "rename the files"))?;
        // Links are not followed: the other files of a cohort are in the folder of the link.
        let data = std::path::absolute(source.name()).ok();
        let data = data.as_deref().and_then(Path::to_str);
        let data = data.ok_or_else(|| {
            let help = "rename the file or its folder";
            file_error(source.name(), "store its path", "its path is not valid Unicode", help)
        })?;
        let mut all = json!({ "arguments": texts, "data": data });
        add_round(&mut all, rounds, plan);
        write_plan(&self.path(), &all)
    }

    /// The path of the plan file.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.join(PLAN)
    }
}

impl Job {
    /// Opens the folder that the arguments name.
    ///
    /// # Errors
    /// The folder does not contain a plan, or the plan is of another version.
    pub(crate) fn open(matches: &ArgMatches) -> Result<Self> {
        let folder = args::path(matches, "job")
            .ok_or_else(|| Error::Internal("the job argument is missing".to_string()))?;
        let path = folder.join(PLAN);
        let no_plan = |cause: String| {
            let help = "name a folder that `basrelief plan` made";
            file_error(&path, "read the plan of this job", cause, help)
        };
        remove_abandoned(folder);
        let all = read_plan(&path, no_plan)?;
        let arguments = all["arguments"].as_array().and_then(|texts| {
            texts.iter().map(|text| text.as_str()).collect::<Option<Vec<&str>>>()
        });
        let (rounds, plan) = round_of(&all).map_err(|error| error.in_file(&path))?;
        let arguments = arguments.ok_or_else(|| no_plan("it has no arguments".to_string()))?;
        let words: Vec<OsString> = arguments.into_iter().map(OsString::from).collect();
        let given = verbs::command_for(&words).try_get_matches_from(words);
        let given = given.ok().and_then(|mut given| given.remove_subcommand());
        let Some((_, given)) = given.filter(|(verb, _)| verb == "plan") else {
            return Err(no_plan("its arguments are not arguments of `basrelief plan`".to_string()));
        };
        let purpose = Purpose::from_args(&given)?;
        let goes_round = purpose.is_wrapped() || plan.weighing() == Stage::Margins;
        if goes_round == rounds.is_once() {
            return Err(no_plan("its iteration does not match its arguments".to_string()));
        }
        if purpose.is_map() != plan.makes_map() {
            return Err(no_plan("its method does not match its arguments".to_string()));
        }
        let planned =
            all["data"].as_str().ok_or_else(|| no_plan("it does not name the data".into()))?;
        let data = args::path(matches, "data").unwrap_or(Path::new(planned)).to_path_buf();
        let named = purpose.source().name().to_string_lossy().into_owned();
        let job = Self { folder: folder.to_path_buf(), rounds, plan, named, data, matches: given };
        job.at_last_round()
    }

    /// Moves the job to the last iteration that was planned.
    fn at_last_round(self) -> Result<Self> {
        let is_there = |number: &usize| self.folder_of(*number).join(PLAN).is_file();
        let rounds = if self.rounds.is_once() { 1 } else { self.rounds.at_most() };
        let Some(last) = (2..=rounds).take_while(is_there).last() else { return Ok(self) };
        remove_abandoned(&self.folder_of(last));
        let path = self.folder_of(last).join(PLAN);
        let no_plan = |cause: String| {
            let round = clean_path(&self.folder_of(last));
            let help = format!("remove the folder {round} and merge the previous iteration again");
            file_error(&path, &format!("read the plan of iteration {last}"), cause, &help)
        };
        let all = read_plan(&path, no_plan)?;
        let (rounds, plan) = round_of(&all).map_err(|error| error.in_file(&path))?;
        if rounds.number() != last {
            return Err(no_plan(format!("it is the plan of iteration {}", rounds.number())));
        }
        Ok(Self { rounds, plan, ..self })
    }

    /// The folder of an iteration.
    fn folder_of(&self, round: usize) -> PathBuf {
        match round {
            1 => self.folder.clone(),
            _ => self.folder.join(format!("round-{round}")),
        }
    }

    /// The result of the job, or its next iteration, after all parts of the current iteration are computed.
    ///
    /// # Errors
    /// The data have changed; a result is missing or damaged.
    pub(crate) fn after(&self, data: &Read, run: &Run) -> Result<Turn<Fitted<FeatureRanking>>> {
        let mut results = self.results(Some(self.plan.weighing()));
        let after = self.rounds.after(&self.plan, &data.data.problem()?, &mut results, run);
        after.map_err(|error| error.in_file(&self.data))
    }

    /// Plans the next iteration and makes it the current one.
    ///
    /// # Errors
    /// The data have changed; the plan cannot be written.
    pub(crate) fn go_on(&mut self, rounds: Rounds, data: &Read, run: &Run) -> Result<()> {
        let parts = self.matches.get_one::<usize>("parts").copied().unwrap_or(1);
        let block_rows = self.matches.get_one::<usize>("block_rows").copied();
        let plan = rounds.plan(&data.data.problem()?, parts, block_rows, run);
        let plan = plan.map_err(|error| error.in_file(&self.data))?;
        run.check()?;
        let folder = self.folder_of(rounds.number());
        fs::create_dir_all(&folder).map_err(|cause| {
            let help = "all machines must be able to write to the folder of the job";
            file_error(&folder, "create the folder", cause, help)
        })?;
        let mut all = json!({});
        add_round(&mut all, &rounds, &plan);
        write_plan(&folder.join(PLAN), &all)?;
        (self.rounds, self.plan) = (rounds, plan);
        Ok(())
    }

    /// The text of the plan of the current iteration.
    pub(crate) fn plan_text(&self) -> PlanText<'_> {
        PlanText { rounds: &self.rounds, plan: &self.plan, folder: &self.folder }
    }

    /// Refuses outputs that would destroy the data of the plan, or files of the job.
    ///
    /// # Errors
    /// The errors of [`Files::check`].
    pub(crate) fn check_files(&self, files: &mut Files) -> Result<()> {
        files.add_read(&self.matches, Some(&self.data));
        files.add_job(&self.folder, |name| {
            name == PLAN || Path::new(name).extension().is_some_and(|ending| ending == "part")
        });
        files.check()
    }

    /// The path of the data as the user named it for the plan.
    pub(crate) fn named(&self) -> &str {
        &self.named
    }

    /// The path of the data on this machine.
    pub(crate) fn data(&self) -> &Path {
        &self.data
    }

    /// The purpose of the job.
    ///
    /// # Errors
    /// None: the plan was made from the same arguments.
    pub(crate) fn purpose(&self) -> Result<Purpose> {
        Purpose::from_args(&self.matches)
    }

    /// Reads the data.
    ///
    /// # Errors
    /// The errors of [`Purpose::read`].
    pub(crate) fn read(&self, purpose: &Purpose, run: &Run) -> Result<Read> {
        let source = Source { path: self.data.clone(), ..purpose.source().clone() };
        purpose.read(&source, &note(args::quiet(&self.matches)), run)
    }

    /// The path of the result of a part.
    pub(crate) fn path(&self, stage: Stage, part: usize) -> PathBuf {
        let folder = self.folder_of(self.rounds.number());
        folder.join(format!("{}-{}.part", stage.name(), part + 1))
    }

    /// The parts of a stage without a result.
    pub(crate) fn missing(&self, stage: Stage) -> Vec<usize> {
        let parts = self.plan.cut(stage).map_or(0, |cut| cut.parts());
        (0..parts).filter(|&part| !self.path(stage, part).is_file()).collect()
    }

    /// Checks that all parts of a stage and of the earlier stages are computed, which `action` requires.
    ///
    /// # Errors
    /// Some parts are missing; the message lists them.
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
            let of_round = match self.rounds.number() {
                _ if self.rounds.is_once() => String::new(),
                number => format!(" of iteration {number}"),
            };
            return Err(file_error(
                &self.folder,
                action,
                format!(
                    "{} of {} of stage {name}{of_round} are missing: {}{more}",
                    missing.len(),
                    counted(cut.parts(), "part"),
                    named.join(", ")
                ),
                &format!("run them: basrelief run {folder} --stage {name} --part {}", first + 1),
            ));
        }
        Ok(())
    }

    /// Whether the result of a part exists, is complete, and belongs to this plan. Any other result will be replaced.
    pub(crate) fn is_done(&self, stage: Stage, part: usize) -> bool {
        let bytes = read_own_bytes(&self.path(stage, part));
        bytes.is_ok_and(|bytes| self.plan.check(stage, part, &bytes).is_ok())
    }

    /// The results of all parts of a stage. Each is read when the iterator reaches it.
    pub(crate) fn results(&self, stage: Option<Stage>) -> impl Iterator<Item = Result<Vec<u8>>> {
        let parts = stage.and_then(|stage| Some((stage, self.plan.cut(stage)?.parts())));
        let of_stage =
            parts.into_iter().flat_map(|(stage, parts)| (0..parts).map(move |part| (stage, part)));
        of_stage.map(|(stage, part)| {
            let path = self.path(stage, part);
            let bytes = read_own_bytes(&path).map_err(|cause| {
                let help = format!("run part {} of stage {} again", part + 1, stage.name());
                file_error(&path, "read the result of a part", cause, &help)
            })?;
            // Errors name the file.
            self.plan.check(stage, part, &bytes).map_err(|error| error.in_file(&path))?;
            Ok(bytes)
        })
    }

    /// Writes the result of a part atomically.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn keep(&self, stage: Stage, part: usize, bytes: &[u8]) -> Result<()> {
        write_own_file(&self.path(stage, part), bytes)
    }
}

/// Adds an iteration and its plan to the content of a plan file.
fn add_round(all: &mut Value, rounds: &Rounds, plan: &Plan) {
    all["plan"] = plan.to_json();
    if !rounds.is_once() {
        let digits: String = rounds.to_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        all["round"] = digits.into();
    }
}

/// The iteration and its plan from the content of a plan file.
fn round_of(all: &Value) -> Result<(Rounds, Plan)> {
    let plan = Plan::from_json(&all["plan"])?;
    let rounds = match all["round"].as_str() {
        None => Rounds::once(&plan),
        Some(digits) => {
            let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
            let byte =
                |pair: &[u8; 2]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
            let bytes: Option<Vec<u8>> = pairs.iter().map(byte).collect();
            // Invalid digits are read as an empty record, which is reported as damaged.
            Rounds::from_bytes(&bytes.filter(|_| rest.is_empty()).unwrap_or_default())?
        }
    };
    Ok((rounds, plan))
}

/// Reads a plan file; `no_plan` makes an error of the reason why it is not a plan.
fn read_plan(path: &Path, no_plan: impl Fn(String) -> Error) -> Result<Value> {
    let text = read_own_file(path).map_err(&no_plan)?;
    let all: Value = serde_json::from_str(&text).map_err(|cause| no_plan(cause.to_string()))?;
    // The version is checked first, because another version may have another checksum.
    Plan::check_version(&all["plan"]).map_err(|error| error.in_file(path))?;
    unsealed(&text, PLAN).map_err(|cause| no_plan(cause.to_string()))
}

fn write_plan(path: &Path, all: &Value) -> Result<()> {
    write_own_file(path, sealed(&format!("{all:#}"), PLAN).as_bytes())
}

fn file_error(path: &Path, action: &str, cause: impl Into<Cause>, help: &str) -> Error {
    Error::File {
        path: path.to_path_buf(),
        action: action.to_string(),
        cause: cause.into(),
        help: help.into(),
    }
}
