//! The arguments, built from the registries: a new method or option appears by itself.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;

use basrelief::data::synth::GENERATORS;
use basrelief::data::{BlockScale, ClassPriors, GroupWeight};
use basrelief::distribute::Stage;
use basrelief::front_end::Parameter;
use basrelief::inference::{Correction, Draws, MOST_PERMUTATIONS, Sided};
use basrelief::maps::RankBy;
use basrelief::methods::WRAPPERS;
use basrelief::methods::{MAP_METHODS, METHODS, MapMethodInfo, OptionInfo, weightings};
use basrelief::neighbors::Metric;
use basrelief::wording::{quoted, setting};
use basrelief::{Audience, CancelFlag, Error, FrontEnd, Result, Run};
use basrelief_papers::PROTOCOLS;
use basrelief_report::{FigureFormat, FigureStyle};
use basrelief_study::{BlockPlan, GroupColumn, RowRoles};
use clap::builder::{PossibleValuesParser, ValueParser};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use crate::cohort::{PREFIXES, cohort_args, prefix_args, relative_args, relatives};
use crate::covariates::covariate_args;
use crate::exit;
use crate::plan_text::PlanFormat;
use crate::progress;

const METHOD_OPTIONS: &str = "Options of the methods";
const BLOCKS: &str = "Blocks of features";
const COLUMNS: &str = "Columns";
const FILE: &str = "The data file";
const OUTPUT: &str = "Output";
const RESAMPLES: &str = "Resamples";
const ROWS: &str = "Groups of rows";
const SIGNIFICANCE: &str = "Significance";
const PAIRS: &str = "Pairs";
const SETS: &str = "Sets";
const REPORT: &str = "Report";

/// The word that stands for all experiments.
pub(crate) const EVERYTHING: &str = "all";

/// The values of `--input-format`.
pub(crate) const INPUT_FORMATS: [(&str, basrelief_io::Format); 11] = [
    ("csv", basrelief_io::Format::Csv),
    ("tsv", basrelief_io::Format::Tsv),
    ("arff", basrelief_io::Format::Arff),
    ("parquet", basrelief_io::Format::Parquet),
    ("npy", basrelief_io::Format::Npy),
    ("npz", basrelief_io::Format::Npz),
    ("gct", basrelief_io::Format::Gct),
    ("series-matrix", basrelief_io::Format::SeriesMatrix),
    ("xlsx", basrelief_io::Format::Xlsx),
    ("mtx", basrelief_io::Format::MatrixMarket),
    ("libsvm", basrelief_io::Format::Libsvm),
];

/// The options that messages may mention: those of the verb, and of the method that was chosen. `command` is the command
/// line that parsed `matches`.
pub(crate) fn audience(command: &Command, matches: &ArgMatches) -> Audience {
    let (mut verb, mut matches) = (command, matches);
    while let Some((name, inner)) = matches.subcommand()
        && let Some(command) = verb.find_subcommand(name)
    {
        (verb, matches) = (command, inner);
    }
    let method = matches.try_get_one::<String>("method").ok().flatten();
    verb_audience(verb, method.map(String::as_str))
}

/// The readers of the messages of `verb`, for `method` where one was chosen.
fn verb_audience(verb: &Command, method: Option<&str>) -> Audience {
    let all = || FIT_METHODS.iter().chain(PLANNED_OR_RANKED.iter());
    let chosen = method.unwrap_or(if verb.get_name() == "fit" { "lfe" } else { "relieff" });
    let own = all().find(|(name, _)| *name == chosen).map(|(_, options)| options);
    let exists = |flag: &str| match own {
        Some(own) => own.iter().any(|option| option.flag == flag),
        None => true,
    };
    let parameter = |arg: &Arg| {
        let flag = arg.get_long().filter(|flag| *flag != "help")?;
        let of_method = arg.get_help_heading() == Some(METHOD_OPTIONS);
        let given = Parameter { name: flag.to_string(), around: "{}".to_string() };
        (!of_method || exists(flag)).then(|| (flag.to_string(), given))
    };
    let lists_methods = verb.get_arguments().any(|arg| arg.get_id() == "methods");
    let front_end = if lists_methods { FrontEnd::MethodList } else { FrontEnd::CommandLine };
    Audience::from(front_end).with_settings(verb.get_arguments().filter_map(parameter))
}

pub(crate) fn completions() -> Command {
    Command::new("completions")
        .about("Prints the completion script of a shell")
        .after_help(
            "Example:\n  basrelief completions bash > ~/.local/share/bash-completion/completions/basrelief",
        )
        .arg(
            Arg::new("shell")
                .value_name("SHELL")
                .required(true)
                .value_parser(value_parser!(clap_complete::Shell))
                .help("The shell"),
        )
}

pub(crate) fn man() -> Command {
    Command::new("man")
        .about("Prints a manual page for `man`")
        .after_help("Example:\n  basrelief man rank | man -l -")
        .arg(Arg::new("verb").value_name("VERB").help("A verb [default: the whole program]"))
        .arg(path_arg("output", "DIR", "Write the pages of all verbs to this folder"))
}

pub(crate) fn demo() -> Command {
    Command::new("demo")
        .about("Shows what Relief finds on two generated data sets")
        .arg(path_arg(
            "output",
            "DIR",
            "Also write the data sets and their rankings to this folder",
        ))
        .args(run_args())
        .mut_arg("seed", |seed| seed.default_value("2"))
}

pub(crate) fn methods() -> Command {
    Command::new("methods")
        .about("Lists the methods, or describes one")
        .arg(Arg::new("name").value_name("METHOD").help("A method or wrapper [default: list all]"))
        .arg(format_arg(&["table", "json", "markdown"]))
        .arg(path_arg("output", "FILE", "Write to FILE instead of standard output"))
}

pub(crate) fn rank() -> Command {
    Command::new("rank")
        .about("Ranks the features of a table by their relevance to the target")
        .after_help(
            "Examples:\n  basrelief rank heart.csv --target disease\n  \
             basrelief rank snps.csv.gz --target case --genotype all --neighbors 100\n  \
             basrelief rank cars.csv --target mpg --format json --output r.json\n  \
             basrelief rank cohort.bed --pheno traits.txt --pheno-name height --chr 1-22\n  \
             basrelief rank snps.csv --target case --permutations 1000 --within center\n  \
             basrelief rank heart.csv --target disease --resamples 100\n  \
             basrelief rank snps.csv --target case --permutations 1000 --report report.html",
        )
        .args(weighing_args(&RANK_METHODS, &all_wrappers()))
        .args(covariate_args())
        .args(test_args())
        .args(group_args())
        .args(weight_args())
        .args(block_args())
        .arg(intervals_arg())
        .args(resample_args())
        .mut_arg("fraction", |fraction| fraction.requires("resamples"))
        .args(column_args())
        .args(file_args())
        .args([
            top_arg(),
            rank_arg(),
            redundancy_arg(
                "Also select the first N features (--top, or 20) without redundant ones: not correlated by more than R with one \
                 selected before, or with a weight reduced by their redundancy (relief)",
            )
            .help_heading(OUTPUT),
            format_arg(&["table", "json", "csv"]).help_heading(OUTPUT),
            path_arg("output", "FILE", "Write to FILE instead of standard output")
                .help_heading(OUTPUT),
            explain_arg(),
        ])
        .args(report_args())
        .args(run_args())
}

pub(crate) fn pairs() -> Command {
    let command = Command::new("pairs")
        .about("Tests all pairs of the top features for interaction")
        .after_help(
            "Examples:\n  basrelief pairs cohort.bed --top 1000\n  \
             basrelief pairs cohort.bed --from ranking.json --top 10000 --format csv --output pairs.csv\n  \
             basrelief pairs snps.csv --target case --split 0.5 --seed 1\n  \
             basrelief pairs snps.csv --target case --permutations 1000 --permute-all\n  \
             basrelief pairs cohort.bed --covar cohort.eigenvec --covar-name PC1-PC4",
        )
        .args(weighing_args(&RANK_METHODS, &all_wrappers()))
        .args(covariate_args())
        .mut_arg("covar", |covar| {
            covar.help(
                "Covariates of a cohort: a header line, then lines of FID, IID and values; both models of each test \
                 contain them",
            )
        })
        .mut_arg("residuals", |residuals| residuals.hide(true))
        .mut_arg("caliper", |caliper| {
            caliper.conflicts_with("from").help(
                "For the ranking, compare only matched rows: numeric covariates differ by at most SD standard deviations, and \
                 categories are equal",
            )
        })
        .mut_arg("covar-distance", |distance| {
            distance
                .conflicts_with("from")
                .help("For the ranking, include the covariates in the distances, like features")
        })
        .mut_arg("method", |method| method.conflicts_with("from"))
        .mut_arg("wrap", |wrap| wrap.conflicts_with("from"))
        .args(pair_args())
        .args(group_args())
        .mut_arg("group-weight", |weight| weight.conflicts_with("from"))
        .args(column_args())
        .args(file_args())
        .args([
            format_arg(&["table", "json", "csv"]).help_heading(OUTPUT),
            path_arg("output", "FILE", "Write to FILE instead of standard output")
                .help_heading(OUTPUT),
        ])
        .args(report_args())
        .args(run_args());
    // With a ranking from a file, the options of a ranking have no effect.
    let of_methods = RANK_METHODS.iter().flat_map(|(_, options)| options);
    of_methods.fold(command, |command, option| {
        command.mut_arg(option.flag, |arg| arg.conflicts_with("from"))
    })
}

pub(crate) fn sets() -> Command {
    Command::new("sets")
        .about("Ranks sets of features, such as genes, pathways or chromosomes")
        .after_help(
            "Examples:\n  basrelief sets cohort.bed --sets genes.txt --permutations 1000\n  \
             basrelief sets cohort.bed --by-chromosome\n  \
             basrelief sets expression.csv --target case --sets pathways.txt --format csv --output sets.csv\n\n\
             Each set is ranked separately: distances use the features of the set only.",
        )
        .args(weighing_args(&RANK_METHODS, &all_wrappers()))
        .args(covariate_args())
        .args(
            [
                path_arg(
                    "sets",
                    "FILE",
                    "Lines of CHROM START END SET (the format of PLINK's --make-set), or of SET NAME",
                ),
                Arg::new("by-chromosome")
                    .long("by-chromosome")
                    .action(ArgAction::SetTrue)
                    .conflicts_with("sets")
                    .help("Use each chromosome as a set"),
                permutations_arg("Permute the target N times and compare the largest weight of each set"),
                within_arg(),
            ]
            .map(|arg| arg.help_heading(SETS)),
        )
        .args(group_args())
        .args(column_args())
        .args(file_args())
        .args([
            count_arg("top", "Show the best N sets [default: all; in a table 20]")
                .help_heading(OUTPUT),
            format_arg(&["table", "json", "csv"]).help_heading(OUTPUT),
            path_arg("output", "FILE", "Write to FILE instead of standard output")
                .help_heading(OUTPUT),
        ])
        .args(report_args())
        .args(run_args())
}

/// The options of the tests of pairs.
fn pair_args() -> [Arg; 7] {
    let count = |name: &'static str, default: &'static str, help: &'static str| {
        let arg = Arg::new(name).long(name).value_name("N").help(help);
        arg.value_parser(ValueParser::new(at_least_one)).default_value(default)
    };
    [
        path_arg(
            "from",
            "FILE",
            "Use the ranking that `basrelief rank` wrote to this JSON or CSV file, instead of computing one",
        ),
        count("top", "100", "Test all pairs of the N best features"),
        count("pairs", "20", "Report the N strongest pairs"),
        Arg::new("split")
            .long("split")
            .value_name("F")
            .value_parser(ValueParser::new(finite))
            .conflicts_with("from")
            .help("Rank by this share of the rows (stratified by class) and test on the others"),
        permutations_arg("Permute the target N times and adjust p-values by the strongest pair of each permutation (max-T)"),
        within_arg(),
        Arg::new("permute-all")
            .long("permute-all")
            .action(ArgAction::SetTrue)
            .requires("permutations")
            .conflicts_with_all(["from", "split"])
            .help("Repeat the ranking for each permutation: p-values are then valid although the same rows chose the features"),
    ]
    .map(|arg| arg.help_heading(PAIRS))
}

pub(crate) fn plan() -> Command {
    let in_parts = WRAPPERS.iter().filter(|wrapper| wrapper.has_rounds());
    let wrappers_in_parts: Vec<&str> = in_parts.map(|wrapper| wrapper.name).collect();
    Command::new("plan")
        .about("Divides a ranking or a map into parts: a job")
        .after_help(
            "Examples:\n  basrelief plan snps.npz --target case --neighbors 100 --parts 64 --output job\n  \
             basrelief run job --part 17      (each part, on any machine that sees the folder)\n  \
             basrelief merge job\n\n  \
             basrelief plan wine.csv --target class --method lfe --form direct --scale range --parts 8 \
             --output map\n  \
             basrelief run map\n  \
             basrelief merge map --model lfe.basrelief",
        )
        .args(weighing_args(&PLAN_METHODS, &wrappers_in_parts))
        .args(covariate_args())
        .args(test_args().into_iter().filter(|arg| arg.get_id() != "resume"))
        .mut_arg("permutations", |permutations| {
            permutations
                .value_name("N")
                .help("Permute the target N times: p-values")
        })
        .mut_arg("correction", |correction| {
            // A correction that cannot be computed in parts is refused with the reason.
            correction.hide_possible_values(true).help(
                "The error rate to control: of any false feature (max-t), the share of false features \
                 (fdr, storey), or of each feature separately (none) [default: max-t]",
            )
        })
        .args(group_args())
        .args(weight_args())
        .args(column_args())
        .args(file_args())
        .args([
            Arg::new("parts")
                .long("parts")
                .value_name("N")
                .required(true)
                .value_parser(ValueParser::new(at_least_one))
                .help("Largest number of parts of a stage")
                .help_heading(OUTPUT),
            Arg::new("block_rows")
                .long("block-rows")
                .value_name("ROWS")
                .value_parser(ValueParser::new(at_least_one))
                .help("Rows of a block, rounded up to a multiple of 256 [default: chosen from the data]")
                .help_heading(OUTPUT),
            path_arg("output", "DIR", "The folder of the job: new or empty, and visible to all machines")
                .required(true)
                .help_heading(OUTPUT),
            plan_format_arg().help_heading(OUTPUT),
        ])
        .args(run_args())
}

pub(crate) fn quality() -> Command {
    Command::new("quality")
        .about("Reports and filters the quality of variants and people")
        .after_help(
            "Examples:\n  basrelief quality cohort.bed\n  \
             basrelief quality cohort.bed --format csv --output variants.csv\n  \
             basrelief quality cohort.bed --mind 0.1 --geno 0.05 --hwe 1e-6 --maf 0.01 --ld-prune 50:5:0.2 \
             --write-snplist kept.txt\n\n\
             Counts are made after the filters. Frequencies are those of founders. Hardy-Weinberg tests use \
             founders, and only the controls where there are cases and controls.",
        )
        .arg(data_arg().help(
            "The cohort: a .bed file (with .bim and .fam), a .pgen file (with .pvar and .psam), a .ped file (with .map), a \
             .tped file (with .tfam) or a VCF",
        ))
        .args(cohort_args())
        .args(relative_args().map(|arg| arg.help_heading(OUTPUT)))
        .mut_arg("king-cutoff", |arg| {
            arg.help(
                "Report the pairs of people with a larger kinship coefficient (KING-robust), and write only these to \
                 --king-table",
            )
        })
        .mut_arg("relatives", |arg| {
            arg.help("exclude: after the filters, exclude people until no such pair remains [default: group]")
        })
        .args([
            path_arg(
                "king-table",
                "FILE",
                "Write the kinship coefficients of all pairs of people, as plink2 --make-king-table does",
            )
            .help_heading(OUTPUT),
            Arg::new("people")
                .long("people")
                .action(ArgAction::SetTrue)
                .help("List people instead of variants, in tables and in CSV")
                .help_heading(OUTPUT),
            count_arg("top", "Show the first N variants or people [default: all; in a table 20]")
                .help_heading(OUTPUT),
            path_arg(
                "write-snplist",
                "FILE",
                "Write the names of the retained variants, one per line, for --extract",
            )
            .help_heading(OUTPUT),
            format_arg(&["table", "json", "csv"]).help_heading(OUTPUT),
            path_arg("output", "FILE", "Write to FILE instead of standard output")
                .help_heading(OUTPUT),
        ])
        .args(report_args())
        .args(run_args().into_iter().filter(|arg| arg.get_id() != "seed"))
}

pub(crate) fn run_parts() -> Command {
    Command::new("run")
        .about("Computes parts of a job")
        .after_help(
            "Examples:\n  basrelief run job --stage search --part 17\n  \
             basrelief run job      (all missing parts, of all iterations)\n\n\
             Parts of a stage are independent: run them in any order, in parallel, or again. A stage \
             needs all parts of the previous stage. --stage and --part refer to the last iteration \
             that was planned.",
        )
        .arg(job_arg())
        .args([
            Arg::new("stage")
                .long("stage")
                .value_name("STAGE")
                .value_parser(PossibleValuesParser::new(Stage::ALL.map(Stage::name)))
                .help("The stage [default: the first with missing parts; without --part all stages]"),
            Arg::new("part")
                .long("part")
                .value_name("I")
                .value_parser(ValueParser::new(at_least_one))
                .help("The part, counted from 1 [default: all missing parts]"),
            Arg::new("list")
                .long("list")
                .action(ArgAction::SetTrue)
                .conflicts_with_all(["stage", "part"])
                .help("List the stages and the missing parts of the current iteration, and compute nothing"),
            plan_format_arg().requires("list"),
            moved_arg(),
        ])
        .args(run_args().into_iter().filter(|arg| arg.get_id() != "seed"))
}

pub(crate) fn merge() -> Command {
    Command::new("merge")
        .about("Combines the parts of a finished job into the ranking or map")
        .after_help(
            "Examples:\n  basrelief merge job --format json --output ranking.json\n  \
             basrelief merge map --model lfe.basrelief\n\n\
             An iterative method, such as turf, needs several iterations. After each but the last, merge \
             plans the next one and reports on standard error which parts to run.",
        )
        .arg(job_arg())
        .args([
            top_arg(),
            path_arg("model", "FILE", "Save the model of a map to FILE").help_heading(OUTPUT),
            path_arg("figure", "FILE", "Draw the rows by the first two components of a map to FILE, an .svg, .pdf or .png")
                .help_heading(OUTPUT),
            width_arg().requires("figure"),
            format_arg(&["table", "json", "csv"]).help_heading(OUTPUT),
            path_arg("output", "FILE", "Write to FILE instead of standard output")
                .help_heading(OUTPUT),
            moved_arg(),
        ])
        .args(report_args())
        .args(run_args().into_iter().filter(|arg| arg.get_id() != "seed"))
}

fn plan_format_arg() -> Arg {
    Arg::new("format")
        .long("format")
        .value_name("FORMAT")
        .value_parser(PossibleValuesParser::new(PlanFormat::NAMES))
        .help("Format of the list of stages; lines: the lines of version 0.1 [default: table]")
}

/// The folder of a plan and its parts.
fn job_arg() -> Arg {
    Arg::new("job")
        .value_name("JOB")
        .required(true)
        .value_parser(value_parser!(PathBuf))
        .help("The folder that `basrelief plan` made")
}

/// The path of the data on this machine.
fn moved_arg() -> Arg {
    path_arg("data", "FILE", "The path of the data on this machine, if it differs")
}

/// The number of features of a ranking that are shown.
fn top_arg() -> Arg {
    count_arg("top", "Show the N best features [default: all; in a table 20 if there are over 30]")
        .help_heading(OUTPUT)
}

/// The report page of a verb.
fn report_args() -> [Arg; 4] {
    let switch = |name: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).requires("report")
    };
    [
        path_arg("report", "FILE", "Also write a report page with figures: one HTML file"),
        path_arg("report-json", "FILE", "Write all numbers of the page as JSON")
            .requires("report"),
        switch("open").help("Open the page in the browser"),
        switch("no-time").help(
            "Omit date, times and threads from the page: the same data, options and version then give \
             the same bytes",
        ),
    ]
    .map(|arg| arg.help_heading(REPORT))
}

/// Intervals of the weights.
fn intervals_arg() -> Arg {
    Arg::new("intervals")
        .long("intervals")
        .action(ArgAction::SetTrue)
        .help(
            "Add 95 % intervals of the expected weights at this number of rows, for relieff, rrelieff, surf and multisurf; with --group, \
             groups are the sampled units",
        )
        .help_heading(SIGNIFICANCE)
}

/// Rankings of parts of the rows.
fn resample_args() -> [Arg; 2] {
    [
        Arg::new("resamples")
            .long("resamples")
            .value_name("N")
            .value_parser(value_parser!(usize))
            .help("Number of random subsets of the rows, each ranked separately"),
        Arg::new("fraction")
            .long("fraction")
            .value_name("F")
            .value_parser(ValueParser::new(finite))
            .default_value("0.5")
            .help("Share of the rows in a subset (stratified by class)"),
    ]
    .map(|arg| arg.help_heading(RESAMPLES))
}

/// Reports the plan of the work.
fn explain_arg() -> Arg {
    Arg::new("explain")
        .long("explain")
        .action(ArgAction::SetTrue)
        .help(
            "Report on standard error how neighbors were searched and differences summed, and why",
        )
        .help_heading(OUTPUT)
}

pub(crate) fn select() -> Command {
    Command::new("select")
        .about("Writes a table with the best features and the target")
        .after_help(
            "Examples:\n  basrelief select genes.csv --target tumor --top 20 --output reduced.csv\n  \
             basrelief select snps.parquet --target case --method multisurf --above 0.01 \
             --output reduced.parquet\n  \
             basrelief select snps.csv --target case --permutations 1000 --significant\n  \
             basrelief select genes.csv --target tumor --top 20 --redundancy correlation:0.95",
        )
        .args(weighing_args(&RANK_METHODS, &all_wrappers()))
        .args(covariate_args())
        .args(test_args())
        .args(group_args())
        .args(weight_args())
        .args(block_args())
        .args(column_args())
        .args(file_args())
        .args([
            count_arg("top", "Keep the N best features")
                .required_unless_present_any(["above", "significant"])
                .conflicts_with_all(["above", "significant"])
                .help_heading(OUTPUT),
            Arg::new("significant")
                .long("significant")
                .action(ArgAction::SetTrue)
                .requires("permutations")
                .conflicts_with("above")
                .help("Keep the significant features")
                .help_heading(OUTPUT),
            Arg::new("above")
                .long("above")
                .value_name("WEIGHT")
                .value_parser(ValueParser::new(finite))
                .help("Keep the features with a weight above this number")
                .help_heading(OUTPUT),
            redundancy_arg(
                "Exclude redundant features: those correlated by more than R with one selected before (correlation:0.95), or \
                 reduce each weight by its redundancy (relief) [default: none]",
            )
            .help_heading(OUTPUT),
            rank_arg(),
            table_output(),
        ])
        .args(run_args())
}

pub(crate) fn stability() -> Command {
    Command::new("stability")
        .about("Reports how stable a selection is on random subsets of the rows")
        .after_help(
            "Examples:\n  basrelief stability genes.csv --target tumor --top 20\n  \
             basrelief stability snps.csv.gz --target case --genotype all --method multisurf --resamples 200 \
             --output stability.json\n\n\
             The time is about that of ranking half of the rows, times the number of resamples.",
        )
        .args(weighing_args(&RANK_METHODS, &all_wrappers()))
        .args(covariate_args())
        .args(
            [
                Arg::new("top").long("top").value_name("N").value_parser(ValueParser::new(at_least_one)).help(
                    "Number of features that a resample selects [default: 20, or half of the features if \
                     there are fewer than 40]",
                ),
                redundancy_arg("How each resample excludes redundant features, as in `select` [default: none]"),
            ]
            .map(|arg| arg.help_heading(RESAMPLES)),
        )
        .args(resample_args())
        .args(group_args())
        .args(weight_args())
        .args(block_args())
        .mut_arg("resamples", |resamples| resamples.default_value("100"))
        .args(column_args())
        .args(file_args())
        .args([
            rank_arg(),
            format_arg(&["table", "json", "csv"]).help_heading(OUTPUT),
            path_arg("output", "FILE", "Write to FILE instead of standard output")
                .help_heading(OUTPUT),
        ])
        .args(report_args())
        .args(run_args())
}

fn all_wrappers() -> Vec<&'static str> {
    WRAPPERS.iter().map(|wrapper| wrapper.name).collect()
}

/// The data, the method and its options, for the verbs that rank.
fn weighing_args(methods: &MethodOptions, wrappers: &[&str]) -> Vec<Arg> {
    let names: Vec<&str> = methods.iter().map(|(name, _)| *name).collect();
    let [target, time, event, target_tree, unlabeled] = target_args();
    let mut args = vec![
        data_arg(),
        target,
        time,
        event,
        target_tree,
        unlabeled,
        method_arg(
            &names,
            "relieff, rrelieff where the target is a number, or survival-relief for survival times",
        ),
        Arg::new("wrap")
            .long("wrap")
            .value_name("WRAPPER[:OPTION=VALUE,...]")
            .action(ArgAction::Append)
            .help(format!(
                "Wrap the method, for example in turf:drop=0.1,keep=50. The option may be repeated; the first \
                 wrapper is the innermost. One of {} (see `basrelief methods`)",
                wrappers.join(", ")
            )),
    ];
    args.extend(method_option_args(methods));
    args.extend(cohort_args());
    args
}

/// The options of permutation tests, for `rank` and `select`.
fn test_args() -> [Arg; 6] {
    let corrections = Correction::ALL.map(|(name, _)| name);
    [
        Arg::new("permutations").long("permutations").value_name("N|adaptive|adaptive:MOST").help(
            "Permute the target N times: p-values. adaptive: as many permutations as each feature \
             needs, at most 1000000",
        ),
        within_arg(),
        Arg::new("alpha")
            .long("alpha")
            .value_name("LEVEL")
            .value_parser(ValueParser::new(finite))
            .requires("permutations")
            .help("The error rate, above 0 and below 1 [default: 0.05]"),
        Arg::new("correction")
            .long("correction")
            .value_name("CORRECTION")
            .value_parser(PossibleValuesParser::new(corrections))
            .requires("permutations")
            .help(
                "The error rate to control: of any false feature (max-t, studentized, min-p), the share of false \
                 features (fdr, storey), or of each feature separately (none) [default: max-t; \
                 adaptive: fdr]",
            ),
        Arg::new("sided")
            .long("sided")
            .value_name("SIDES")
            .value_parser(PossibleValuesParser::new(Sided::ALL.map(|(name, _)| name)))
            .requires("permutations")
            .help(
                "Which weights are evidence: large ones (one), or large and small ones, by their absolute values \
                 (two) [default: one]",
            ),
        path_arg("resume", "DIR", "Save the progress of the test in this folder, and continue from it")
            .requires("permutations"),
    ]
    .map(|arg| arg.help_heading(SIGNIFICANCE))
}

/// Groups of rows that are not independent.
fn group_args() -> [Arg; 4] {
    let [group, weight] = [
        Arg::new("group").long("group").value_name("COLUMN").help(
            "Rows with the same value of this column are not independent (subject, donor; fid for the families of a \
             cohort): they are never neighbors, and permutations and splits keep them together. The column is not a \
             feature",
        ),
        Arg::new("group-weight")
            .long("group-weight")
            .value_name("WEIGHT")
            .value_parser(PossibleValuesParser::new(GroupWeight::NAMES))
            .help("All groups count equally, or all rows [default: group]"),
    ]
    .map(|arg| arg.help_heading(ROWS));
    let [cutoff, relatives] = relative_args();
    [group, weight, cutoff, relatives]
}

/// Weights of rows, and priors of classes.
fn weight_args() -> [Arg; 2] {
    let priors = Arg::new("priors").long("priors").value_name("PRIORS").help_heading(ROWS).help(
        "Prior probabilities of the classes: data (their proportions), uniform, or CLASS=P,... such as \
         case=0.01,control=0.99 for the prevalences in the population [default: data]",
    );
    [row_weight_arg(), priors]
}

fn row_weight_arg() -> Arg {
    Arg::new("row-weight").long("row-weight").value_name("COLUMN").help_heading(ROWS).help(
        "A row of weight W in this column counts as W rows: it takes W of the places among nearest neighbors, and \
         counts W times in means and sums. Rows of weight 0 are excluded. The column is not a feature",
    )
}

/// Blocks of features.
fn block_args() -> [Arg; 2] {
    [
        Arg::new("blocks").long("blocks").value_name("FILE|prefix:SEPARATOR").help(
            "Blocks of features, each of which counts as one feature in distances: a table with the columns block and \
             column, or prefix:_ for the columns with the same text before the first _",
        ),
        Arg::new("block-scale")
            .long("block-scale")
            .value_name("SCALE")
            .value_parser(PossibleValuesParser::new(BlockScale::NAMES))
            .help(
                "Divide the sum of the differences of a block by its number of features (size), by its variance over pairs \
                 of rows, or by its largest value (max) [default: size]",
            ),
    ]
    .map(|arg| arg.help_heading(BLOCKS))
}

/// The blocks of features that the arguments specify.
///
/// # Errors
/// A scale without blocks.
pub(crate) fn blocks(matches: &ArgMatches) -> Result<Option<BlockPlan>> {
    let text = |name: &str| matches.try_get_one::<String>(name).ok().flatten();
    match (text("blocks"), text("block-scale")) {
        (Some(blocks), scale) => {
            let scale = scale.map_or(Ok(BlockScale::default()), |scale| scale.parse())?;
            Ok(Some(BlockPlan::from_text(blocks, scale)))
        }
        (None, None) => Ok(None),
        (None, Some(_)) => Err(Error::option(
            "block_scale",
            "there are no blocks of features",
            format!("specify the blocks with {}", setting("blocks", None)),
        )),
    }
}

/// The roles of rows that the arguments specify.
pub(crate) fn row_roles(matches: &ArgMatches) -> Result<RowRoles> {
    let text = |name: &str| matches.try_get_one::<String>(name).ok().flatten().cloned();
    Ok(RowRoles {
        within: text("within"),
        group: group_column(matches)?,
        weight: text("row-weight"),
        priors: text("priors").map_or(Ok(None), |text| ClassPriors::parse(&text))?,
    })
}

/// The groups that the arguments specify.
fn group_column(matches: &ArgMatches) -> Result<Option<GroupColumn>> {
    let text = |name: &str| matches.try_get_one::<String>(name).ok().flatten().map(String::as_str);
    GroupColumn::stated(text("group"), relatives(matches)?, text("group-weight"))
}

/// Strata of permutations.
fn within_arg() -> Arg {
    Arg::new("within").long("within").value_name("COLUMN").requires("permutations").help(
        "Permute within the groups of rows that this column defines (batch, center). The column is not a feature",
    )
}

pub(crate) fn fit() -> Command {
    let names: Vec<&str> = map_methods().map(|info| info.name).collect();
    Command::new("fit")
        .about("Learns a map from the features to new coordinates and saves it")
        .after_help(
            "Examples:\n  basrelief fit wine.csv --target class --method lfe --components 2 \
             --scale standard --model wine.basrelief\n  \
             basrelief fit genes.csv.gz --method pca --components 10 --drop id --model pca.basrelief",
        )
        .arg(data_arg())
        .arg(target_arg().help("The column of classes; unsupervised methods need none"))
        .arg(unlabeled_arg())
        .arg(method_arg(&names, "lfe").default_value("lfe").hide_default_value(true))
        .args(method_option_args(&FIT_METHODS))
        .args(column_args())
        .args(cohort_args())
        .args(file_args())
        .args([
            path_arg("model", "FILE", "Save the model to FILE").required(true).help_heading(OUTPUT),
            path_arg("figure", "FILE", "Draw the rows by the first two components to FILE, an .svg, .pdf or .png")
                .help_heading(OUTPUT),
            width_arg().requires("figure"),
            format_arg(&["table", "json"]).help_heading(OUTPUT),
            path_arg("output", "FILE", "Write the result to FILE instead of standard output")
                .help_heading(OUTPUT),
        ])
        .args(report_args())
        .args(run_args())
}

pub(crate) fn evaluate() -> Command {
    let valued =
        |name: &'static str, value: &'static str, default: &'static str, help: &'static str| {
            Arg::new(name).long(name).value_name(value).default_value(default).help(help)
        };
    let choice = |name: &'static str, words: &'static [&'static str], help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_parser(PossibleValuesParser::new(words))
            .default_value(words[0])
            .help(help)
    };
    let count = |name: &'static str, default: &'static str, help: &'static str| {
        valued(name, "N", default, help).value_parser(ValueParser::new(at_least_one))
    };
    const EVALUATION: &str = "Evaluation";
    Command::new("evaluate")
        .about("Compares methods by the cross-validated error of k-NN")
        .after_help(
            "Examples:\n  basrelief evaluate wine.csv --target class\n  \
             basrelief evaluate wine.csv --target class --methods 'euclidean,relieff:neighbors=5|10|20,lfe,nca' \
             --output wine-evaluation\n\n\
             A method is written METHOD or METHOD:OPTION=VALUE,OPTION=VALUE|VALUE. Inner cross-validation on the \
             training rows chooses among alternatives (|), the number of features or components, and the \
             number of neighbors. With --output, an interrupted run continues where it ended.",
        )
        .arg(data_arg())
        .args(target_args().into_iter().take(3))
        .args(
            [
                Arg::new("methods").long("methods").value_name("METHOD,METHOD:OPTION=VALUE|VALUE,...").help(
                    "The methods to compare: those of `rank` and `fit`, euclidean (unweighted features), \
                     dann-local [default: euclidean,relieff,multisurf,lda,lfe; for a numeric target \
                     euclidean,rrelieff,multisurf,pca; for survival times euclidean,survival-relief,multisurf,pca]",
                ),
                valued("folds", "N|loo", "10", "Number of folds, or leave-one-out"),
                count("repeats", "1", "Number of repeats of the cross-validation"),
                Arg::new("protocol").long("protocol").value_name("halves:N").help(
                    "N random halves instead of cross-validation, with the splits of `reproduce hm13`",
                ),
                count("inner-folds", "5", "Number of folds of the inner cross-validation, which chooses options"),
                valued("k", "K,K,...", "1,3,5,9,15,25", "Candidate numbers of neighbors"),
                valued(
                    "dimensions",
                    "spread|every|all|N,N,...",
                    "spread",
                    "Candidate numbers of features or components; spread: 1 to 10, then in steps of a fifth",
                ),
                choice("metric", &Metric::NAMES, "The distance of k-NN; canberra uses raw numbers, whatever the scale")
                    .default_value(Metric::Euclidean.name()),
                choice("scale", &["standard", "range", "none"], "Scaling of the features, computed on the training rows"),
                choice(
                    "weights",
                    &["distance", "ranking"],
                    "The use of feature weights: in the distance, or for a ranking of features that then count equally",
                ),
                redundancy_arg(
                    "How the features of a weighting are selected, as in `select`; at most the first 1000 are used [default: none]",
                ),
                permutations_arg("Permute the target N times: a p-value for each loss"),
                within_arg(),
            ]
            .map(|arg| arg.help_heading(EVALUATION)),
        )
        .args(group_args())
        .arg(row_weight_arg())
        .args(column_args())
        .args(cohort_args())
        .args(file_args())
        .args([
            Arg::new("format")
                .long("format")
                .value_name("FORMAT")
                .value_parser(PossibleValuesParser::new(["table", "json", "csv"]))
                .default_value("table")
                .help("Format of the output")
                .help_heading(OUTPUT),
            path_arg("output", "DIR", "Also write results, a figure and finished cells to this folder")
                .help_heading(OUTPUT),
        ])
        .args(figure_args().map(|arg| arg.requires("output")))
        .args(report_args())
        .args(run_args())
}

pub(crate) fn export() -> Command {
    Command::new("export")
        .about("Writes a saved linear map as a matrix, for other programs")
        .after_help(
            "Example:\n  basrelief export wine.basrelief --output wine.npy\n\n\
             writes the matrix to wine.npy, and to wine.json the offset, the names, and how categories and \
             missing values are encoded.",
        )
        .arg(model_arg())
        .arg(
            path_arg("output", "FILE", "Write the matrix to FILE (.npy) and its description to a .json file")
                .required(true)
                .help_heading(OUTPUT),
        )
        .args(run_args())
}

/// The model that a verb reads.
fn model_arg() -> Arg {
    Arg::new("model")
        .value_name("MODEL")
        .required(true)
        .value_parser(value_parser!(PathBuf))
        .help("The model that `basrelief fit` saved")
}

pub(crate) fn transform() -> Command {
    Command::new("transform")
        .about("Maps the rows of a table with a saved model")
        .after_help(
            "Examples:\n  basrelief transform wine.basrelief wine.csv --keep class --output 2d.csv\n  \
             basrelief transform wine.basrelief new.parquet --output new.npy",
        )
        .arg(model_arg())
        .arg(data_arg())
        .args(prefix_args())
        .args(file_args())
        .args([
            list_arg("keep", "Columns of DATA to copy to the output, unchanged"),
            table_output(),
        ])
        .args(run_args())
}

/// A whole number of at least 1.
fn count_arg(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .value_name("N")
        .value_parser(ValueParser::new(at_least_one))
        .help(help)
}

/// A number of permutations whose results are all stored.
fn permutations_arg(help: &'static str) -> Arg {
    count_arg("permutations", help).value_parser(ValueParser::new(permutations))
}

/// The number by which features are ranked.
fn rank_arg() -> Arg {
    Arg::new("rank")
        .long("rank")
        .value_name("BY")
        .value_parser(PossibleValuesParser::new(RankBy::ALL.map(|(name, _)| name)))
        .help(
            "Rank by the weight, or by its absolute value with two-sided p-values: interactions of many features have large \
             weights of either sign [default: weight]",
        )
        .help_heading(OUTPUT)
}

/// What a selection does about redundant features.
fn redundancy_arg(help: &'static str) -> Arg {
    Arg::new("redundancy").long("redundancy").value_name("none|correlation:R|relief").help(help)
}

/// The table that a verb reads.
fn data_arg() -> Arg {
    Arg::new("data")
        .value_name("DATA")
        .required_unless_present_any(PREFIXES)
        .value_parser(value_parser!(PathBuf))
        .help(
            "A table: CSV, TSV (also .gz), ARFF, GCT, a series matrix of GEO, .xlsx, Parquet, .npy or .npz, or `-` for \
             standard input (with --input-format); or a cohort: .bed (with .bim and .fam), .pgen (with .pvar and .psam), .ped (with \
             .map), .tped (with .tfam) or .vcf",
        )
}

/// The target column, or the columns of survival times.
fn target_args() -> [Arg; 5] {
    let column = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name("COLUMN").help(help)
    };
    [
        target_arg(),
        column(
            "time",
            "The column of survival times, in place of a target: the time of the event, or of the end of the observation. \
             Of a cohort, a column of --pheno",
        )
        .conflicts_with_all(["target", "target-type"])
        .requires("event"),
        column(
            "event",
            "The column that is 1 where the event occurred at this time, and 0 where the time is censored. Of a cohort, a \
             column of --covar, or of --pheno without it",
        )
        .requires("time"),
        path_arg(
            "target-tree",
            "FILE",
            "A hierarchy of the labels of the target: a table with the columns label and parent. Rows are compared by all \
             labels and their ancestors",
        )
        .conflicts_with("time"),
        unlabeled_arg().conflicts_with("time"),
    ]
}

fn unlabeled_arg() -> Arg {
    Arg::new("unlabeled").long("unlabeled").value_name("VALUE|missing").help(
        "The target value of rows whose label is unknown (missing: rows without a target). Methods for classes and maps \
         use these rows only to scale the features; for other methods they can be neighbors, but their pairs do not count",
    )
}

fn target_arg() -> Arg {
    Arg::new("target")
        .long("target")
        .value_name("COLUMN[,...]")
        .help("The target column, or several; a PLINK fileset needs none")
}

fn method_arg(names: &[&str], default: &str) -> Arg {
    let names = names.join(", ");
    Arg::new("method")
        .long("method")
        .value_name("METHOD")
        .help(format!("One of {names} (see `basrelief methods`) [default: {default}]"))
}

fn list_arg(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .value_name("COLUMNS")
        .help(help)
        .action(ArgAction::Append)
        .help_heading(COLUMNS)
}

/// The kinds of the columns.
fn column_args() -> [Arg; 6] {
    [
        list_arg("categorical", "Columns to treat as categories: names, or `all`"),
        list_arg(
            "ordinal",
            "Columns to treat as ordered levels: COLUMN=LOW<MID<HIGH; or a name, or `all`, for the \
             numeric order of the values",
        ),
        list_arg("genotype", "Columns to treat as genotypes (0, 1, 2): names, or `all`"),
        list_arg("numeric", "Columns to treat as numbers: names, or `all`"),
        list_arg("drop", "Columns to exclude"),
        Arg::new("target-type")
            .long("target-type")
            .value_name("TYPE")
            .value_parser(PossibleValuesParser::new(["auto", "classes", "real"]))
            .default_value("auto")
            .help("How to read the target: as classes or as numbers")
            .help_heading(COLUMNS),
    ]
}

/// The output file of a table.
fn table_output() -> Arg {
    path_arg(
        "output",
        "FILE",
        "Write to FILE, as CSV (also .gz), Parquet or .npy according to its ending, instead of CSV to \
         standard output",
    )
    .help_heading(OUTPUT)
}

/// The format of the data file.
fn file_args() -> [Arg; 9] {
    [
        list_arg("na", "Texts that mean a missing value, in addition to the usual ones; a number in all its spellings (-99 is also -99.0); for a cohort, in phenotypes and covariates")
            .value_name("TEXTS")
            .allow_hyphen_values(true)
            .help_heading(FILE),
        Arg::new("coerce")
            .long("coerce")
            .action(ArgAction::SetTrue)
            .help("Treat cells of numeric columns that are not numbers as missing")
            .help_heading(FILE),
        Arg::new("delimiter")
            .long("delimiter")
            .value_name("CHARACTER")
            .value_parser(ValueParser::new(delimiter))
            .help("The separator of cells in a text file; `tab` for tabs [default: detected]")
            .help_heading(FILE),
        Arg::new("input-format")
            .long("input-format")
            .value_name("FORMAT")
            .value_parser(PossibleValuesParser::new(INPUT_FORMATS.map(|(name, _)| name)))
            .help("Format of DATA [default: by its ending]")
            .help_heading(FILE),
        Arg::new("no-header")
            .long("no-header")
            .action(ArgAction::SetTrue)
            .help("The first line contains data; columns are named column_1, column_2, …")
            .help_heading(FILE),
        Arg::new("transpose")
            .long("transpose")
            .action(ArgAction::SetTrue)
            .help(
                "Features are rows and samples are columns, as in most tables of gene expression: the first column contains \
                 the names of the features. GCT files and series matrices need no option",
            )
            .help_heading(FILE),
        Arg::new("sheet")
            .long("sheet")
            .value_name("NAME")
            .help("The worksheet of an .xlsx file [default: the only one]")
            .help_heading(FILE),
        path_arg(
            "names",
            "FILE",
            "The names of the columns of an .mtx or .svm file, one per line [default: x1, x2, …]",
        )
        .help_heading(FILE),
        path_arg(
            "target-file",
            "FILE",
            "The target of an .mtx file, one value per line; it replaces the targets of an .svm file",
        )
        .help_heading(FILE),
    ]
}

pub(crate) fn reproduce() -> Command {
    let protocols = PROTOCOLS.iter().map(|info| {
        Command::new(info.name)
            .visible_aliases(info.aliases)
            .about(info.purpose)
            .after_help(format!("Source: {}", info.source))
            .args(reproduction_args(format!("A quick version: {}", info.quick)))
            .arg(
                path_arg("output", "DIR", "Folder for figures, numbers and the summary")
                    .default_value(info.name),
            )
            .args(figure_args())
            .args(info.adds.then(added_args).into_iter().flatten())
            .args(info.options.iter().copied().map(option_with_default))
            // The numbers of the page are in the folder.
            .args(report_args().into_iter().filter(|arg| arg.get_id() != "report-json"))
            .args(run_args())
    });
    let all = Command::new(EVERYTHING)
        .about("All experiments, one after the other; those without their data sets are skipped")
        .args(reproduction_args("A quick version of each".to_string()))
        .arg(
            path_arg("output", "DIR", "Folder with one folder for each")
                .default_value("reproduction"),
        )
        .args(figure_args())
        .args(report_args().into_iter().filter(|arg| arg.get_id() != "report-json"))
        .args(run_args());
    Command::new("reproduce")
        .about("Repeats a paper's experiment and reports which claims hold")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand_value_name("PAPER")
        .subcommand_help_heading("Papers")
        .subcommands(protocols)
        .subcommand(all)
}

/// Data sets that the user adds to those of a paper.
fn added_args() -> [Arg; 2] {
    [
        path_arg(
            "add",
            "FILE",
            "Add a data set of yours, of numbers and classes, as rows of the tables; repeatable",
        )
        .action(ArgAction::Append)
        .requires("target"),
        target_arg()
            .required(false)
            .requires("add")
            .help("The column with the classes of the added data sets"),
    ]
}

fn reproduction_args(quick: String) -> [Arg; 2] {
    [
        path_arg(
            "data",
            "DIR",
            "Folder with the papers' data sets [default: the folder in BASRELIEF_DATA]",
        ),
        Arg::new("quick").long("quick").action(ArgAction::SetTrue).help(quick),
    ]
}

pub(crate) fn synth() -> Command {
    let kinds = GENERATORS.iter().map(|info| {
        Command::new(info.name)
            .about(info.purpose)
            .after_help(format!("Source: {}", info.source))
            .arg(path_arg(
                "output",
                "FILE",
                "The file to write: .csv, .csv.gz, .parquet or .npy, or .bed (with .bim and .fam) for a cohort \
                     [default: CSV to standard output]",
            ))
            .arg(path_arg("truth", "FILE", "Also write the truth about the data as JSON"))
            .args(info.options().into_iter().map(option_with_default))
            // Repeated people of a cohort would have the same genotypes.
            .args((info.name != "cohort").then(|| {
                count_arg(
                    "rows-per-subject",
                    "Repeat every row N times as rows of one subject, with noise in numbers and a column `subject`",
                )
            }))
            .args(run_args())
    });
    Command::new("synth")
        .about("Generates a data set with a known truth")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand_value_name("KIND")
        .subcommand_help_heading("Kinds")
        .subcommands(kinds)
}

/// The options of every verb that computes.
fn run_args() -> [Arg; 4] {
    [
        Arg::new("seed")
            .long("seed")
            .value_name("S")
            .value_parser(value_parser!(u64))
            .default_value("0")
            .help("Seed of all random choices"),
        Arg::new("threads")
            .long("threads")
            .value_name("N")
            .value_parser(value_parser!(usize))
            .help("Number of threads; the result does not depend on it [default: one per core]"),
        Arg::new("memory").long("memory").value_name("SIZE").help(
            "Memory limit, for example 500M or 8G. Data larger than a quarter of it are stored in a \
                 file in $TMPDIR or /var/tmp. The result does not depend on it [default: the available \
                 memory]",
        ),
        Arg::new("quiet")
            .long("quiet")
            .short('q')
            .action(ArgAction::SetTrue)
            .help("No warnings, notes or progress on standard error"),
    ]
}

fn format_arg(formats: &'static [&'static str]) -> Arg {
    Arg::new("format")
        .long("format")
        .value_name("FORMAT")
        .value_parser(PossibleValuesParser::new(formats))
        .help("Format of the output [default: from the ending of --output (.json, .csv), otherwise table]")
}

fn path_arg(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value).value_parser(value_parser!(PathBuf)).help(help)
}

/// The format and the width of the figures in a folder.
fn figure_args() -> [Arg; 2] {
    let format = Arg::new("figure-format")
        .long("figure-format")
        .value_name("FORMAT")
        .value_parser(PossibleValuesParser::new(FigureFormat::NAMES))
        .help("Write the figures as svg, pdf or png [default: svg]")
        .help_heading(OUTPUT);
    [format, width_arg()]
}

fn width_arg() -> Arg {
    Arg::new("width")
        .long("width")
        .value_name("PIXELS")
        .value_parser(value_parser!(u32).range(1..))
        .help("Width of a figure in pixels; a PDF has 96 per inch")
        .help_heading(OUTPUT)
}

/// The figures that the arguments specify; a file's name may state another format.
///
/// # Errors
/// A format that this build does not write; a width that is too large.
pub(crate) fn figure_style(matches: &ArgMatches) -> Result<FigureStyle> {
    let name = matches.try_get_one::<String>("figure-format").ok().flatten();
    let format = name.map(|name| FigureFormat::from_name(name)).transpose()?.unwrap_or_default();
    let style = FigureStyle { format, width: matches.get_one::<u32>("width").copied() };
    style.check()?;
    Ok(style)
}

/// An option of a method or generator; its value is checked by the registry, not by clap.
fn option_arg(option: &OptionInfo, help: String) -> Arg {
    Arg::new(option.flag)
        .long(option.flag)
        .value_name(option.kind.grammar())
        .allow_hyphen_values(true)
        .aliases((option.flag == "standardize").then_some("standardise"))
        .help(help)
}

/// An option with its default, for an option of one generator or experiment.
fn option_with_default(option: &'static OptionInfo) -> Arg {
    option_arg(option, format!("{} [default: {}]", option.help, option.default))
}

/// The values of some options on the command line, by flag.
pub(crate) fn given(
    options: impl IntoIterator<Item = &'static OptionInfo>,
    matches: &ArgMatches,
) -> Vec<(&'static str, &str)> {
    let value = |option: &OptionInfo| matches.get_one::<String>(option.flag).map(String::as_str);
    options.into_iter().filter_map(|option| Some((option.flag, value(option)?))).collect()
}

/// The methods that a verb offers, with their options.
pub(crate) type MethodOptions = LazyLock<Vec<(&'static str, Vec<&'static OptionInfo>)>>;

/// The methods of `rank`.
pub(crate) static RANK_METHODS: MethodOptions =
    LazyLock::new(|| METHODS.iter().map(|info| (info.name, info.options.to_vec())).collect());

/// The methods of `plan`: those that can be computed in parts.
static PLAN_METHODS: MethodOptions = LazyLock::new(|| {
    let weighings = METHODS.iter().filter(|info| info.in_parts());
    let weighings = weighings.map(|info| (info.name, info.options.to_vec()));
    let maps = MAP_METHODS.iter().filter(|info| info.in_parts());
    weighings.chain(maps.map(|info| (info.name, info.all_options()))).collect()
});

/// The methods of all verbs that rank, or that plan a ranking or a map.
pub(crate) static PLANNED_OR_RANKED: MethodOptions =
    LazyLock::new(|| RANK_METHODS.iter().chain(PLAN_METHODS.iter()).cloned().collect());

/// The methods of `fit`.
pub(crate) static FIT_METHODS: MethodOptions =
    LazyLock::new(|| map_methods().map(|info| (info.name, info.all_options())).collect());

/// The methods that learn a map, and those whose weights define one.
fn map_methods() -> impl Iterator<Item = &'static MapMethodInfo> {
    MAP_METHODS.iter().copied().chain(weightings())
}

/// One argument for each option of the methods.
fn method_option_args(methods: &MethodOptions) -> Vec<Arg> {
    let mut args: Vec<Arg> = Vec::new();
    for option in methods.iter().flat_map(|(_, options)| options) {
        if !args.iter().any(|arg| arg.get_id() == option.flag) {
            let help = format!("{} {}", option.help, defaults_and_methods(option.flag, methods));
            args.push(option_arg(option, help).help_heading(METHOD_OPTIONS));
        }
    }
    args
}

/// The methods that have the option `flag`, each with its own form of the option.
fn methods_with(flag: &str, all: &MethodOptions) -> Vec<(&'static str, &'static OptionInfo)> {
    all.iter()
        .filter_map(|(name, options)| {
            let option = options.iter().find(|option| option.flag == flag)?;
            Some((*name, *option))
        })
        .collect()
}

/// `[default: 10; relief-margin 1] [for relieff, relief-margin]`.
fn defaults_and_methods(flag: &str, all: &MethodOptions) -> String {
    let methods_with_option = methods_with(flag, all);
    let common = methods_with_option.first().map_or("", |(_, option)| option.default);
    let others: String = methods_with_option
        .iter()
        .filter(|(_, option)| option.default != common)
        .map(|(name, option)| format!("; {name} {}", option.default))
        .collect();
    let names = if methods_with_option.len() == all.len() {
        "all methods".to_string()
    } else {
        methods_with_option.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
    };
    format!("[default: {common}{others}] [for {names}]")
}

/// The options on the command line, by flag, for a method with the options `own`; `methods` are all that the
/// verb offers.
///
/// # Errors
/// A flag that the method does not take.
pub(crate) fn method_options(
    method: &str,
    own: &[&'static OptionInfo],
    methods: &MethodOptions,
    matches: &ArgMatches,
) -> Result<Vec<(&'static str, String)>> {
    let mut given: Vec<(&'static str, String)> = Vec::new();
    for option in methods.iter().flat_map(|(_, options)| options) {
        if given.iter().any(|(flag, _)| *flag == option.flag) {
            continue;
        }
        // Verbs that share this function have different sets of options.
        let text = matches.try_get_one::<String>(option.flag).ok().flatten();
        if let Some(text) = text {
            if !own.iter().any(|own| own.flag == option.flag) {
                let own: Vec<_> = own.iter().map(|own| setting(own.name, None)).collect();
                return Err(Error::option(
                    option.name,
                    format!("{method} does not take it"),
                    format!("{method} takes {}{}", own.join(", "), takers(methods, option)),
                ));
            }
            given.push((option.flag, text.clone()));
        }
    }
    Ok(given)
}

/// The methods that have an option, for the message of a method that does not.
fn takers(methods: &MethodOptions, option: &OptionInfo) -> String {
    let mut names: Vec<&str> = Vec::new();
    // A method may be in the list as a ranking and as a plan.
    for (name, _) in methods_with(option.flag, methods) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    format!("; {} is for {}", setting(option.name, None), names.join(", "))
}

/// Time that the work may take to stop after Ctrl-C.
const GRACE: Duration = Duration::from_millis(800);

/// The run that the arguments describe. The first Ctrl-C stops the work at its next block, a second one ends the
/// process at once. The process also ends if the work has not stopped after [`GRACE`].
pub(crate) fn start_run(matches: &ArgMatches) -> Result<Run> {
    let cancel = CancelFlag::new();
    let flag = cancel.clone();
    let handler = ctrlc::set_handler(move || {
        if flag.is_cancelled() {
            exit::at_once();
        }
        flag.cancel();
        std::thread::spawn(|| {
            std::thread::sleep(GRACE);
            exit::interrupted();
        });
    });
    if let Err(cause) = handler {
        return Err(Error::Internal(format!("Ctrl-C cannot be caught: {cause}")));
    }
    let mut run = Run::new(matches.get_one::<usize>("threads").copied())?;
    if let Some(text) = matches.get_one::<String>("memory") {
        let memory = run.memory().clone().with_text(text);
        let wrong = |problem| Error::option("memory", problem, "give bytes, as in 500M or 8G");
        run = run.with_memory(memory.map_err(wrong)?);
    }
    // The parts of a plan use its seed.
    let seed = matches.try_get_one::<u64>("seed").ok().flatten();
    let run = run.with_seed(seed.copied().unwrap_or(0)).with_cancel(cancel);
    Ok(match progress::on_stderr(quiet(matches)) {
        Some(progress) => run.with_progress(progress),
        None => run,
    })
}

/// Whether messages are suppressed.
pub(crate) fn quiet(matches: &ArgMatches) -> bool {
    matches.get_flag("quiet")
}

/// Whether files that exist are replaced: with `--force`, or where the environment variable `BASRELIEF_FORCE` is 1.
///
/// # Errors
/// The variable has another value than 0 or 1.
pub(crate) fn replaces(matches: &ArgMatches) -> Result<bool> {
    if matches.try_get_one::<bool>("force").ok().flatten() == Some(&true) {
        return Ok(true);
    }
    match std::env::var_os(FORCE).as_deref().map(|value| value.to_string_lossy()) {
        None => Ok(false),
        Some(value) if value.is_empty() || value == "0" => Ok(false),
        Some(value) if value == "1" => Ok(true),
        Some(value) => Err(Error::data(
            format!("the environment variable {FORCE} is {}", quoted(&value)),
            "set it to 1 to replace files that exist, or to 0",
        )),
    }
}

/// The environment variable that stands for `--force`.
const FORCE: &str = "BASRELIEF_FORCE";

/// Replaces files that exist.
pub(crate) fn force_arg() -> Arg {
    Arg::new("force").long("force").action(ArgAction::SetTrue).help(
        "Replace output files that exist; BASRELIEF_FORCE=1 in the environment does the same. Inputs are never replaced",
    )
    .help_heading(OUTPUT)
}

/// A path argument, if given.
pub(crate) fn path<'m>(matches: &'m ArgMatches, name: &str) -> Option<&'m Path> {
    matches.get_one::<PathBuf>(name).map(PathBuf::as_path)
}

fn at_least_one(text: &str) -> std::result::Result<usize, String> {
    match text.parse() {
        Ok(count) if count > 0 => Ok(count),
        _ => Err("give a whole number of at least 1".to_string()),
    }
}

fn permutations(text: &str) -> std::result::Result<usize, String> {
    let count = at_least_one(text)?;
    match Draws::Fixed(count as u64).check_count() {
        Ok(()) => Ok(count),
        Err(_) => Err(format!("give a whole number of at most {MOST_PERMUTATIONS}")),
    }
}

fn finite(text: &str) -> std::result::Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| "give a number".to_string())
}

fn delimiter(text: &str) -> std::result::Result<u8, String> {
    match text.as_bytes() {
        _ if text == "tab" || text == "\\t" => Ok(b'\t'),
        &[byte] if byte.is_ascii() && !b"\"\r\n".contains(&byte) => Ok(byte),
        _ => Err("give one character, or `tab`".to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verbs::command;
    use basrelief::front_end;
    use basrelief::wording::ways;

    #[test]
    fn the_arguments_are_consistent() {
        command().debug_assert();
    }

    #[test]
    fn every_option_of_every_method_and_generator_is_an_argument() {
        let command = command();
        let rank = command.find_subcommand("rank").unwrap();
        for option in METHODS.iter().flat_map(|info| info.options) {
            assert!(rank.get_arguments().any(|arg| arg.get_long() == Some(option.flag)));
        }
        let fit = command.find_subcommand("fit").unwrap();
        for option in map_methods().flat_map(MapMethodInfo::all_options) {
            assert!(fit.get_arguments().any(|arg| arg.get_long() == Some(option.flag)));
        }
        let synth = command.find_subcommand("synth").unwrap();
        for info in GENERATORS {
            let kind = synth.find_subcommand(info.name).unwrap();
            for option in info.options() {
                assert!(kind.get_arguments().any(|arg| arg.get_long() == Some(option.flag)));
            }
        }
    }

    /// All verbs, nested ones included.
    fn verbs() -> Vec<Command> {
        fn add(command: &Command, to: &mut Vec<Command>) {
            for verb in command.get_subcommands() {
                to.push(verb.clone());
                add(verb, to);
            }
        }
        let mut all = Vec::new();
        add(&command(), &mut all);
        all
    }

    /// The options in a text.
    fn flags(text: &str) -> impl Iterator<Item = &str> {
        let words = text.split([' ', ',', ';', '`', '(', ')']);
        words.filter_map(|word| word.strip_prefix("--"))
    }

    #[test]
    fn advice_names_options_that_the_verb_and_the_method_have() {
        let mut mentioned = 0;
        for verb in verbs() {
            let methods = METHODS.iter().map(|info| (info.name, info.options.to_vec()));
            let maps = map_methods().map(|info| (info.name, info.all_options()));
            let all: Vec<(&str, Vec<&OptionInfo>)> = methods.chain(maps).collect();
            for &(method, _) in &all {
                // A weighting is a map, too, with more options.
                let named = all.iter().filter(|(name, _)| *name == method);
                let own: Vec<&OptionInfo> = named.flat_map(|(_, own)| own.clone()).collect();
                let audience = verb_audience(&verb, Some(method));
                for name in front_end::settings() {
                    let advice = ways(&[setting(name, Some("1")).as_ref(), "nothing else"]);
                    let spelled = audience.spell(&advice.into());
                    for flag in flags(&spelled) {
                        let arg = verb.get_arguments().find(|arg| arg.get_long() == Some(flag));
                        let arg = arg
                            .unwrap_or_else(|| panic!("{}: --{flag} for {name}", verb.get_name()));
                        assert!(
                            arg.get_help_heading() != Some(METHOD_OPTIONS)
                                || own.iter().any(|option| option.flag == flag),
                            "{} {method}: --{flag}",
                            verb.get_name()
                        );
                        mentioned += 1;
                    }
                }
            }
        }
        assert!(mentioned > 1000, "{mentioned}");
    }

    #[test]
    fn help_lists_the_methods_and_wrappers_that_a_verb_takes() {
        let command = command();
        let help = |verb: &str, flag: &str| {
            let verb = command.find_subcommand(verb).unwrap();
            let arg = verb.get_arguments().find(|arg| arg.get_long() == Some(flag)).unwrap();
            arg.get_help().unwrap().to_string()
        };
        for info in METHODS {
            let name = format!(" {},", info.name);
            assert!(
                help("rank", "method").contains(&name)
                    || help("rank", "method").contains(&format!(" {} (", info.name))
            );
            let listed = help("plan", "method").replace(" (see", ", (see").contains(&name);
            assert_eq!(listed, info.in_parts(), "{}", info.name);
        }
        for wrapper in WRAPPERS {
            let listed = help("plan", "wrap").contains(&format!("{} (see", wrapper.name))
                || help("plan", "wrap").contains(&format!("{},", wrapper.name));
            assert_eq!(listed, wrapper.has_rounds(), "{}", wrapper.name);
        }
        let compat = help("rank", "compat");
        assert!(compat.ends_with("[for surf, surf*, multisurf, multisurf*]"), "{compat}");
        assert!(!help("plan", "permutations").contains("adaptive"));
    }

    #[test]
    fn delimiters() {
        assert_eq!(delimiter(";"), Ok(b';'));
        assert_eq!(delimiter("tab"), Ok(b'\t'));
        assert!(delimiter("ab").is_err());
        assert!(delimiter("é").is_err());
        assert!(delimiter("").is_err());
    }
}
