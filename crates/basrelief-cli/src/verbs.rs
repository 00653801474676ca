//! The verbs by task, and their help: `-h` is one page with the usual options, `--help` lists everything.

use std::ffi::OsString;

use clap::{Arg, ArgAction, Command};

use crate::args::{self, force_arg};
use crate::files::WRITTEN;

/// A verb of the command line.
struct Verb {
    name: &'static str,
    build: fn() -> Command,
    /// The options that `-h` lists, with short descriptions; all options where this is empty.
    usual: &'static [(&'static str, &'static str)],
}

const DATA: (&str, &str) =
    ("data", "CSV, TSV, ARFF, Parquet, .npy or .npz; .bed, .pgen, .ped or .vcf");
const TARGET: (&str, &str) = ("target", "The target column");
const METHOD: (&str, &str) = ("method", "The method; `basrelief methods` lists all");
const NEIGHBORS: (&str, &str) = ("neighbors", "Number of neighbors");
const TEST: (&str, &str) = ("permutations", "Permute the target N times: p-values");
const GROUP: (&str, &str) = ("group", "Column of subjects: rows that are not independent");
const WITHIN: (&str, &str) = ("within", "Permute within the groups of this column");
const CATEGORICAL: (&str, &str) = ("categorical", "Columns of categories: names, or `all`");
const DROP: (&str, &str) = ("drop", "Columns to exclude");
const FORMATS: (&str, &str) = ("format", "table, json or csv");
const OUTPUT_FILE: (&str, &str) = ("output", "Write to FILE instead of standard output");
const PAGE: (&str, &str) = ("report", "Also write an HTML page with figures");
const REPLACE: (&str, &str) = ("force", "Replace files that exist");
const SEED: (&str, &str) = ("seed", "Seed of random choices");
const THREADS: (&str, &str) = ("threads", "Number of threads");
const SILENT: (&str, &str) = ("quiet", "No messages on standard error");

/// The verbs by task, in the order in which `basrelief --help` lists them.
const TASKS: [(&str, &[Verb]); 5] = [
    (
        "Rank features",
        &[
            Verb {
                name: "rank",
                build: args::rank,
                usual: &[
                    DATA,
                    TARGET,
                    METHOD,
                    NEIGHBORS,
                    TEST,
                    CATEGORICAL,
                    GROUP,
                    DROP,
                    ("top", "Show the N best features"),
                    FORMATS,
                    OUTPUT_FILE,
                    PAGE,
                    REPLACE,
                ],
            },
            Verb {
                name: "select",
                build: args::select,
                usual: &[
                    DATA,
                    TARGET,
                    METHOD,
                    NEIGHBORS,
                    CATEGORICAL,
                    DROP,
                    ("top", "Keep the N best features"),
                    ("above", "Keep the features with a larger weight"),
                    TEST,
                    ("significant", "Keep the significant features"),
                    ("output", "Write to FILE: .csv, .csv.gz, .parquet or .npy"),
                    REPLACE,
                    THREADS,
                ],
            },
            Verb {
                name: "stability",
                build: args::stability,
                usual: &[
                    DATA,
                    TARGET,
                    METHOD,
                    NEIGHBORS,
                    GROUP,
                    DROP,
                    ("top", "Number of features that a resample selects"),
                    ("resamples", "Number of resamples"),
                    FORMATS,
                    OUTPUT_FILE,
                    PAGE,
                    REPLACE,
                    SEED,
                ],
            },
            Verb {
                name: "pairs",
                build: args::pairs,
                usual: &[
                    DATA,
                    TARGET,
                    METHOD,
                    ("from", "Take the features of a ranking instead"),
                    ("top", "Test all pairs of the N best features"),
                    ("pairs", "Report the N strongest pairs"),
                    ("split", "Rank by this share of the rows, test by the others"),
                    TEST,
                    FORMATS,
                    OUTPUT_FILE,
                    PAGE,
                    REPLACE,
                    THREADS,
                ],
            },
            Verb {
                name: "sets",
                build: args::sets,
                usual: &[
                    DATA,
                    TARGET,
                    METHOD,
                    ("sets", "Lines of CHROM START END SET, or of SET NAME"),
                    ("by-chromosome", "One set for each chromosome"),
                    TEST,
                    WITHIN,
                    DROP,
                    ("top", "Show the N best sets"),
                    FORMATS,
                    OUTPUT_FILE,
                    REPLACE,
                    THREADS,
                ],
            },
        ],
    ),
    (
        "Learn maps and compare methods",
        &[
            Verb {
                name: "fit",
                build: args::fit,
                usual: &[
                    DATA,
                    TARGET,
                    METHOD,
                    ("components", "Number of components"),
                    ("scale", "Units of the features"),
                    CATEGORICAL,
                    DROP,
                    ("model", "Save the model to FILE"),
                    ("figure", "Draw the rows by two components to FILE"),
                    PAGE,
                    REPLACE,
                    THREADS,
                ],
            },
            Verb {
                name: "transform",
                build: args::transform,
                usual: &[
                    ("model", "A model that `basrelief fit` saved"),
                    DATA,
                    ("keep", "Columns to copy to the output"),
                    ("output", "Write to FILE: .csv, .csv.gz, .parquet or .npy"),
                    REPLACE,
                    THREADS,
                    SILENT,
                ],
            },
            Verb { name: "export", build: args::export, usual: &[] },
            Verb {
                name: "evaluate",
                build: args::evaluate,
                usual: &[
                    DATA,
                    TARGET,
                    ("methods", "The methods to compare, with options"),
                    ("folds", "Folds of the cross-validation, or loo"),
                    ("repeats", "Number of repeats"),
                    ("dimensions", "Numbers of features to choose from"),
                    GROUP,
                    TEST,
                    FORMATS,
                    ("output", "Folder for numbers and figures"),
                    PAGE,
                    REPLACE,
                    SEED,
                ],
            },
        ],
    ),
    (
        "Check genotypes",
        &[Verb {
            name: "quality",
            build: args::quality,
            usual: &[
                ("data", "The cohort: .bed, .pgen, .ped, .tped or .vcf"),
                ("people", "List people instead of variants"),
                ("maf", "Exclude variants with rarer alleles"),
                ("geno", "Exclude variants with more missing genotypes"),
                ("mind", "Exclude people with more missing genotypes"),
                ("hwe", "Exclude variants with a smaller p-value"),
                ("ld-prune", "Exclude correlated variants, as PLINK does"),
                ("write-snplist", "Write the names of the retained variants"),
                FORMATS,
                OUTPUT_FILE,
                REPLACE,
                THREADS,
            ],
        }],
    ),
    (
        "Use several machines",
        &[
            Verb {
                name: "plan",
                build: args::plan,
                usual: &[
                    DATA,
                    TARGET,
                    METHOD,
                    NEIGHBORS,
                    ("wrap", "Wrap the method, for example in turf"),
                    TEST,
                    CATEGORICAL,
                    DROP,
                    ("parts", "Largest number of parts of a stage"),
                    ("output", "Folder of the job: new or empty"),
                    ("format", "table, json or lines"),
                    SEED,
                    THREADS,
                ],
            },
            Verb {
                name: "run",
                build: args::run_parts,
                usual: &[
                    ("job", "The folder that `basrelief plan` made"),
                    ("stage", "The stage"),
                    ("part", "The part, counted from 1"),
                    ("list", "List the stages and their missing parts"),
                    ("format", "table, json or lines, for --list"),
                    ("data", "The path of the data on this machine"),
                    THREADS,
                    SILENT,
                ],
            },
            Verb {
                name: "merge",
                build: args::merge,
                usual: &[
                    ("job", "The folder that `basrelief plan` made"),
                    ("top", "Show the N best features"),
                    ("model", "Save the model of a map to FILE"),
                    ("figure", "Draw the rows by two components to FILE"),
                    FORMATS,
                    OUTPUT_FILE,
                    PAGE,
                    REPLACE,
                    THREADS,
                    SILENT,
                ],
            },
        ],
    ),
    (
        "Try it out",
        &[
            Verb { name: "demo", build: args::demo, usual: &[] },
            Verb { name: "methods", build: args::methods, usual: &[] },
            Verb { name: "synth", build: args::synth, usual: &[] },
            Verb { name: "reproduce", build: args::reproduce, usual: &[] },
            Verb { name: "completions", build: args::completions, usual: &[] },
            Verb { name: "man", build: args::man, usual: &[] },
        ],
    ),
];

/// The whole command line.
pub(crate) fn command() -> Command {
    let command = with_verbs(verbs().map(Verb::command));
    let list = verb_list(&command);
    command
        .help_template(
            "{about}\n\n{usage-heading} {usage}\n\n{before-help}Options:\n{options}{after-help}",
        )
        .before_help(list)
}

/// The part of the command line that `arguments` need: a verb that is named is the only one that is built, because
/// building all of them takes a third of the time that the program needs to start.
pub(crate) fn command_for(arguments: &[OsString]) -> Command {
    let is_short = arguments.iter().any(|argument| argument == "-h");
    match verbs().find(|verb| arguments.get(1).is_some_and(|name| name == verb.name)) {
        Some(verb) => {
            let command = verb.command();
            with_verbs([if is_short { summary(command, verb) } else { command }])
        }
        None => command(),
    }
}

impl Verb {
    fn command(&self) -> Command {
        let command = with_negative_numbers(with_force((self.build)()));
        with_short_help(command, self.usual)
    }
}

fn verbs() -> impl Iterator<Item = &'static Verb> {
    TASKS.iter().flat_map(|(_, verbs)| *verbs)
}

fn with_verbs(verbs: impl IntoIterator<Item = Command>) -> Command {
    Command::new("basrelief")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Ranks and maps the features of a table with the Relief family")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .propagate_version(true)
        .subcommands(verbs)
        .after_help(
            "Start with:     basrelief demo\n\
             Then:           basrelief rank data.csv --target COLUMN\n\
             Usual options:  basrelief VERB -h\n\
             All options:    basrelief VERB --help",
        )
}

/// The verbs that `command` has, by task, with what each does.
fn verb_list(command: &Command) -> String {
    let mut list = String::new();
    for (task, verbs) in &TASKS {
        list.push_str(&format!("{task}:\n"));
        let found = verbs.iter().filter_map(|verb| command.find_subcommand(verb.name));
        for verb in found {
            let about = verb.get_about().map(ToString::to_string).unwrap_or_default();
            list.push_str(&format!("  {:<12} {about}\n", verb.get_name()));
        }
        list.push('\n');
    }
    list.trim_end().to_string()
}

/// A verb whose `-h` lists the usual options and one example, and whose `--help` lists everything.
fn with_short_help(command: Command, usual: &[(&str, &str)]) -> Command {
    if usual.is_empty() {
        return command;
    }
    let examples = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let first = examples.lines().nth(1).unwrap_or_default().trim();
    let short =
        format!("Example:      {first}\nAll options:  basrelief {} --help", command.get_name());
    let command = command.after_help(short).after_long_help(examples);
    command.mut_args(|arg| {
        let is_usual = usual.iter().any(|(name, _)| arg.get_id() == *name);
        arg.hide_short_help(!is_usual)
    })
}

/// A verb as its `-h` describes it: one list of options, each in one line.
fn summary(command: Command, verb: &Verb) -> Command {
    let command = command.mut_args(|arg| match arg.is_positional() {
        true => arg,
        false => {
            let takes_value = arg.get_action().takes_values();
            arg.help_heading(None::<&str>).hide_possible_values(takes_value)
        }
    });
    verb.usual.iter().fold(command, |command, &(name, text)| {
        command.mut_arg(name, |arg| {
            let arg = arg.help(text);
            match arg.get_value_names() {
                Some([value]) if value.contains('|') => arg.value_name("VALUE"),
                _ => arg,
            }
        })
    })
}

/// Every verb that writes a file named by the user can replace it. The folder of a plan is always a new one.
fn with_force(command: Command) -> Command {
    let is_file = |arg: &Arg| {
        let name = arg.get_id().as_str();
        name == "output" || WRITTEN.contains(&name)
    };
    let writes = command.get_arguments().any(is_file) && command.get_name() != "plan";
    let command = if writes { command.arg(force_arg()) } else { command };
    command.mut_subcommands(with_force)
}

/// `--seed -1` is a wrong number, not an unknown option.
fn with_negative_numbers(command: Command) -> Command {
    let takes_values = |arg: &Arg| {
        !arg.is_positional() && !matches!(arg.get_action(), ArgAction::SetTrue | ArgAction::Help)
    };
    command
        .mut_args(|arg| if takes_values(&arg) { arg.allow_negative_numbers(true) } else { arg })
        .mut_subcommands(with_negative_numbers)
}
