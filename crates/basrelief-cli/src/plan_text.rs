//! The text of a job's plan: a table with commands, JSON, or the lines of earlier versions.

use std::path::Path;

use basrelief::distribute::{Cut, Plan, Rounds, Stage, StagePlan};
use basrelief::wording::{amount, clean_path, thousands};
use basrelief_study::text::{counted, duration};
use clap::ArgMatches;
use serde_json::{Value, json};

/// The form of a plan's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PlanFormat {
    Table,
    Json,
    /// One command a line with the number of parts; remains for one release.
    Lines,
}

impl PlanFormat {
    /// The names that `--format` takes.
    pub(crate) const NAMES: [&str; 3] = ["table", "json", "lines"];

    /// The value of `--format`.
    pub(crate) fn from_args(matches: &ArgMatches) -> Self {
        match matches.get_one::<String>("format").map(String::as_str) {
            Some("json") => Self::Json,
            Some("lines") => Self::Lines,
            _ => Self::Table,
        }
    }
}

/// A plan, its iteration, and the folder of the job.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlanText<'a> {
    pub(crate) rounds: &'a Rounds,
    pub(crate) plan: &'a Plan,
    pub(crate) folder: &'a Path,
}

impl PlanText<'_> {
    /// The whole text. `missing` gives the parts of a stage without a result, where a job has started.
    pub(crate) fn text(self, format: PlanFormat, missing: impl Fn(Stage) -> Vec<usize>) -> String {
        match format {
            PlanFormat::Table => format!("{}\n{}", self.stages(&missing), self.commands()),
            PlanFormat::Json => format!("{:#}\n", self.json(&missing)),
            PlanFormat::Lines => self.lines(),
        }
    }

    /// The iteration and the commands, for a merge that planned the next iteration.
    pub(crate) fn next(self) -> String {
        format!("{}{}", self.iteration(), self.commands())
    }

    /// The stages with their parts, and the estimated time of all.
    fn stages(self, missing: impl Fn(Stage) -> Vec<usize>) -> String {
        let rows = thousands(self.plan.block_rows() as u64);
        let mut text = format!(
            "{}blocks of {rows} rows\n\nstage     parts  missing  items per part{:>25}   memory*\n",
            self.iteration(),
            "results"
        );
        for own in self.plan.stages() {
            text.push_str(&format!(
                "{:<8} {:>6}  {:>7}  {:<30} {:>8}  {:>8}\n",
                own.stage.name(),
                thousands(own.cut.parts() as u64),
                thousands(missing(own.stage).len() as u64),
                items(own.stage, own.cut),
                amount(own.result_bytes),
                amount(own.memory_bytes)
            ));
        }
        let seconds: f64 = self.plan.stages().iter().map(|own| self.plan.seconds(own.stage)).sum();
        let parts = self.plan.stages().iter().map(|own| own.cut.parts()).max().unwrap_or(1);
        text.push_str(&format!(
            "* of a part, in addition to the data\nestimated time: {} on one core; {} if each part has a core; plus reading the data\n",
            duration(seconds.max(0.1)),
            duration((seconds / parts as f64).max(0.1)),
        ));
        text
    }

    /// Commands that run as they are: all parts of every stage, and the merge.
    fn commands(self) -> String {
        let runs =
            self.plan.stages().iter().map(|own| self.run(own.stage)).map(|words| quoted(&words));
        let merge = std::iter::once(quoted(&self.merge()));
        runs.chain(merge).map(|line| line + "\n").collect()
    }

    fn run(self, stage: Stage) -> Vec<String> {
        let folder = self.folder.to_string_lossy();
        ["basrelief", "run", &folder, "--stage", stage.name()].map(str::to_string).into()
    }

    fn merge(self) -> Vec<String> {
        let folder = self.folder.to_string_lossy().into_owned();
        let model = format!("{}.basrelief", folder.trim_end_matches('/'));
        let mut words = vec!["basrelief".to_string(), "merge".to_string(), folder];
        if self.plan.makes_map() {
            words.extend(["--model".to_string(), model]);
        }
        words
    }

    /// Which iteration the plan is for; empty where there is one.
    pub(crate) fn iteration(self) -> String {
        if self.rounds.is_once() {
            return String::new();
        }
        format!(
            "iteration {} of {}{}: {}\n",
            thousands(self.rounds.number() as u64),
            if self.rounds.may_end_before() { "up to " } else { "" },
            thousands(self.rounds.at_most() as u64),
            counted(self.rounds.columns().len(), "column")
        )
    }

    fn json(self, missing: impl Fn(Stage) -> Vec<usize>) -> Value {
        let stage = |&StagePlan { stage, cut, result_bytes, memory_bytes }: &StagePlan| {
            let missing: Vec<usize> = missing(stage).into_iter().map(|part| part + 1).collect();
            json!({
                "stage": stage.name(),
                "parts": cut.parts(),
                "missing": missing,
                "items": cut.items(),
                "items_per_part": cut.most(),
                "item": item(stage),
                "result_bytes": result_bytes,
                "memory_bytes_per_part": memory_bytes,
                "estimated_core_seconds": self.plan.seconds(stage),
                "command": self.run(stage),
            })
        };
        let stages: Vec<Value> = self.plan.stages().iter().map(stage).collect();
        json!({
            "job": self.folder.to_string_lossy(),
            "method": self.plan.method().name(),
            "iteration": self.rounds.number(),
            "iterations": self.rounds.at_most(),
            "columns": self.rounds.columns().len(),
            "rows_per_block": self.plan.block_rows(),
            "stages": stages,
            "merge": self.merge(),
        })
    }

    /// The lines that earlier versions printed: `--part 1 to N` gives the number of parts.
    fn lines(self) -> String {
        let folder = clean_path(self.folder);
        let of_stage = |own: &StagePlan| {
            let (stage, parts) = (own.stage.name(), own.cut.parts());
            format!("basrelief run {folder} --stage {stage} --part 1 to {parts}\n")
        };
        let runs: String = self.plan.stages().iter().map(of_stage).collect();
        let model = if self.plan.makes_map() { " --model FILE" } else { "" };
        format!("{runs}basrelief merge {folder}{model}\n")
    }
}

/// The words of a command, quoted for a shell.
pub(crate) fn quoted(words: &[String]) -> String {
    // Only a zero byte cannot be quoted, and no argument contains one.
    let quote = |word: &String| {
        shlex::try_quote(word).map_or_else(|_| word.clone(), |word| word.into_owned())
    };
    words.iter().map(quote).collect::<Vec<_>>().join(" ")
}

/// The items that the parts of a stage share.
fn item(stage: Stage) -> &'static str {
    match stage {
        Stage::Measure | Stage::Radii | Stage::Search => "pairs of blocks",
        Stage::Lists | Stage::Margins => "blocks",
        Stage::Sums => "columns",
        Stage::Scatter => "pairs of blocks of columns",
        Stage::Permute => "permutations",
    }
}

fn items(stage: Stage, cut: Cut) -> String {
    let (all, most) = (thousands(cut.items() as u64), thousands(cut.most() as u64));
    format!("{most} of {all} {}", item(stage))
}
