//! The arguments, built from the registries: a new method or option appears by itself.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;

use basrelief::data::synth::GENERATORS;
use basrelief::distribute::Stage;
use basrelief::front_end::Parameter;
use basrelief::inference::{Correction, Draws, MOST_PERMUTATIONS};
use basrelief::methods::WRAPPERS;
use basrelief::methods::{MAP_METHODS, METHODS, MapMethodInfo, OptionInfo, weightings};
use basrelief::neighbors::Metric;
use basrelief::wording::setting;
use basrelief::{Audience, CancelFlag, Error, FrontEnd, Result, Run};
use basrelief_papers::PROTOCOLS;
use basrelief_report::{FigureFormat, FigureStyle};
use clap::builder::{PossibleValuesParser, ValueParser};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use crate::cohort::{cohort_args, prefix_args};
use crate::covariates::covariate_args;
use crate::exit;
use crate::progress;

const METHOD_OPTIONS: &str = "Options of the methods";
const COLUMNS: &str = "Columns";
const FILE: &str = "The data file";
const OUTPUT: &str = "Output";
const RESAMPLES: &str = "Resamples";
const SIGNIFICANCE: &str = "Significance";
const PAIRS: &str = "Pairs";
const SETS: &str = "Sets";
const REPORT: &str = "Report";

/// What stands for every experiment.
pub(crate) const EVERYTHING: &str = "all";

/// What `--input-format` takes.
pub(crate) const INPUT_FORMATS: [(&str, basrelief_io::Format); 6] = [
    ("csv", basrelief_io::Format::Csv),
    ("tsv", basrelief_io::Format::Tsv),
    ("arff", basrelief_io::Format::Arff),
    ("parquet", basrelief_io::Format::Parquet),
    ("npy", basrelief_io::Format::Npy),
    ("npz", basrelief_io::Format::Npz),
];

/// The whole command line.
pub(crate) fn command() -> Command {
    Command::new("basrelief")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Ranks and maps the features of a table with the Relief family")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .after_help(
            "Start with: basrelief demo\nThen:       basrelief rank data.csv --target COLUMN",
        )
        .propagate_version(true)
        .subcommands([
            completions(),
            demo(),
            evaluate(),
            export(),
            fit(),
            man(),
            merge(),
            methods(),
            pairs(),
            plan(),
            quality(),
            rank(),
            reproduce(),
            run_parts(),
            select(),
            sets(),
            stability(),
            synth(),
            transform(),
        ])
        .mut_subcommands(with_negative_numbers)
}

/// Who reads the messages of a verb: its options exist, and of the options of the methods those of the
/// method that was chosen.
pub(crate) fn audience(matches: &ArgMatches) -> Audience {
    let (mut verb, mut matches) = (&command(), matches);
    while let Some((name, inner)) = matches.subcommand()
        && let Some(command) = verb.find_subcommand(name)
    {
        (verb, matches) = (command, inner);
    }
    let method = matches.try_get_one::<String>("method").ok().flatten();
    verb_audience(verb, method.map(String::as_str))
}

/// The same for a verb, with a method where one was chosen.
fn verb_audience(verb: &Command, method: Option<&str>) -> Audience {
    let all = || FIT_METHODS.iter().chain(PLANNED_OR_RANKED.iter());
    let chosen = method.unwrap_or(if verb.get_name() == "fit" { "lfe" } else { "relieff" });
    let own = all().find(|(name, _)| *name == chosen).map(|(_, options)| options);
    let exists = |flag: &str| match own {
        Some(own) => own.iter().any(|option| option.flag == flag),
        None => true,
    };
    let parameter = |arg: &Arg| {
        let flag = arg.get_long()?;
        let of_method = arg.get_help_heading() == Some(METHOD_OPTIONS);
        let given = Parameter { name: flag.to_string(), around: "{}".to_string() };
        (!of_method || exists(flag)).then(|| (flag.to_string(), given))
    };
    let lists_methods = verb.get_arguments().any(|arg| arg.get_id() == "methods");
    let front_end = if lists_methods { FrontEnd::MethodList } else { FrontEnd::CommandLine };
    Audience::from(front_end).with_settings(verb.get_arguments().filter_map(parameter))
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

fn completions() -> Command {
    Command::new("completions")
        .about("Prints the script that completes the arguments in a shell")
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

fn man() -> Command {
    Command::new("man")
        .about("Prints the manual page of the program or of a verb, for `man`")
        .after_help("Example:\n  basrelief man rank | man -l -")
        .arg(Arg::new("verb").value_name("VERB").help("A verb [default: the whole program]"))
        .arg(path_arg("output", "DIR", "Write the pages of all verbs to this folder"))
}

fn demo() -> Command {
    Command::new("demo")
        .about("Shows on two generated data sets what Relief is good for; needs no file")
        .arg(path_arg("output", "DIR", "Also write the data sets and their rankings here"))
        .args(run_args())
        .mut_arg("seed", |seed| seed.default_value("2"))
}

fn methods() -> Command {
    Command::new("methods")
        .about("Lists the methods, to choose one; or tells all about one")
        .arg(Arg::new("name").value_name("METHOD").help("A method or wrapper [default: list all]"))
        .arg(format_arg(&["table", "json", "markdown"]))
        .arg(path_arg("output", "FILE", "Write to FILE instead of standard output"))
}

fn rank() -> Command {
    Command::new("rank")
        .about("Ranks the features of a table by how much they tell about the target")
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
        .args(resample_args())
        .mut_arg("fraction", |fraction| fraction.requires("resamples"))
        .args(column_args())
        .args(file_args())
        .args([
            top_arg(),
            format_arg(&["table", "json", "csv"]).help_heading(OUTPUT),
            path_arg("output", "FILE", "Write to FILE instead of standard output")
                .help_heading(OUTPUT),
            explain_arg(),
        ])
        .args(report_args())
        .args(run_args())
}

fn pairs() -> Command {
    let command = Command::new("pairs")
        .about("Tests which features act together: every two of the best, for a list with p-values")
        .after_help(
            "Examples:\n  basrelief pairs cohort.bed --top 1000\n  \
             basrelief pairs cohort.bed --from ranking.json --top 10000 --format csv --output pairs.csv\n  \
             basrelief pairs snps.csv --target case --split 0.5 --seed 1\n  \
             basrelief pairs snps.csv --target case --permutations 1000 --permute-all",
        )
        .args(weighing_args(&RANK_METHODS, &all_wrappers()))
        .args(covariate_args())
        .mut_arg("method", |method| method.conflicts_with("from"))
        .mut_arg("wrap", |wrap| wrap.conflicts_with("from"))
        .args(pair_args())
        .args(column_args())
        .args(file_args())
        .args([
            format_arg(&["table", "json", "csv"]).help_heading(OUTPUT),
            path_arg("output", "FILE", "Write to FILE instead of standard output")
                .help_heading(OUTPUT),
        ])
        .args(report_args())
        .args(run_args());
    // Without a ranking to be made, its options would say nothing.
    let of_methods = RANK_METHODS.iter().flat_map(|(_, options)| options);
    of_methods.fold(command, |command, option| {
        command.mut_arg(option.flag, |arg| arg.conflicts_with("from"))
    })
}

fn sets() -> Command {
    Command::new("sets")
        .about("Ranks sets of features, as genes, pathways or chromosomes, and the features within each")
        .after_help(
            "Examples:\n  basrelief sets cohort.bed --sets genes.txt --permutations 1000\n  \
             basrelief sets cohort.bed --by-chromosome\n  \
             basrelief sets expression.csv --target case --sets pathways.txt --format csv --output sets.csv\n\n\
             Every set is a space of its own: neighbors are sought by its features alone.",
        )
        .args(weighing_args(&RANK_METHODS, &all_wrappers()))
        .args(covariate_args())
        .args(
            [
                path_arg(
                    "sets",
                    "FILE",
                    "Lines of CHROM START END SET (as of PLINK's --make-set), or of SET NAME",
                ),
                Arg::new("by-chromosome")
                    .long("by-chromosome")
                    .action(ArgAction::SetTrue)
                    .conflicts_with("sets")
                    .help("Take every chromosome for a set"),
                permutations_arg("Compare the best weight of every set with those of so many permutations of the target"),
                within_arg(),
            ]
            .map(|arg| arg.help_heading(SETS)),
        )
        .args(column_args())
        .args(file_args())
        .args([
            count_arg("top", "Show the best N sets [default: all; in a table 20]")
                .help_heading(OUTPUT),
            format_arg(&["table", "json", "csv"]).help_heading(OUTPUT),
            path_arg("output", "FILE", "Write to FILE instead of standard output")
                .help_heading(OUTPUT),
        ])
        .args(run_args())
}

/// Which pairs are tested, and how.
fn pair_args() -> [Arg; 7] {
    let count = |name: &'static str, default: &'static str, help: &'static str| {
        let arg = Arg::new(name).long(name).value_name("N").help(help);
        arg.value_parser(ValueParser::new(at_least_one)).default_value(default)
    };
    [
        path_arg(
            "from",
            "FILE",
            "Take the best features of a ranking that `basrelief rank` wrote as JSON or CSV, instead of ranking",
        ),
        count("top", "100", "Test every two of the N best features"),
        count("pairs", "20", "Report the N strongest pairs"),
        Arg::new("split")
            .long("split")
            .value_name("F")
            .value_parser(ValueParser::new(finite))
            .conflicts_with("from")
            .help("Rank by this share of the rows, of every class alike, and test by the others"),
        permutations_arg("Compare the pairs with the strongest of so many permutations of the target (max-T)"),
        within_arg(),
        Arg::new("permute-all")
            .long("permute-all")
            .action(ArgAction::SetTrue)
            .requires("permutations")
            .conflicts_with_all(["from", "split"])
            .help("Rank anew for every permutation: p-values are right though the same rows chose the features"),
    ]
    .map(|arg| arg.help_heading(PAIRS))
}

fn plan() -> Command {
    let in_parts = WRAPPERS.iter().filter(|wrapper| wrapper.has_rounds());
    let wrappers_in_parts: Vec<&str> = in_parts.map(|wrapper| wrapper.name).collect();
    Command::new("plan")
        .about("Cuts a ranking or a map into parts for several machines, or for a batch queue")
        .after_help(
            "Examples:\n  basrelief plan snps.npz --target case --neighbors 100 --parts 64 --output job\n  \
             basrelief run job --part 17      (every part, on any machine that sees the folder)\n  \
             basrelief merge job\n\n  \
             basrelief plan wine.csv --target class --method lfe --form direct --scale range --parts 8 \
             --output map\n  \
             basrelief run map\n  \
             basrelief merge map --model lfe.basrelief",
        )
        .args(weighing_args(&PLAN_METHODS, &wrappers_in_parts))
        .args(test_args().into_iter().filter(|arg| arg.get_id() != "resume"))
        .mut_arg("permutations", |permutations| {
            permutations
                .value_name("N")
                .help("Compare the weights with those of so many permutations of the target")
        })
        .mut_arg("correction", |correction| {
            // A correction that no part can do is refused with the reason.
            correction.hide_possible_values(true).help(
                "What the error rate is of: any false feature (max-t), the share of false features \
                 (fdr, storey), or each feature by itself (none) [default: max-t]",
            )
        })
        .args(column_args())
        .args(file_args())
        .args([
            Arg::new("parts")
                .long("parts")
                .value_name("N")
                .required(true)
                .value_parser(ValueParser::new(at_least_one))
                .help("Parts of every stage, at most")
                .help_heading(OUTPUT),
            Arg::new("block_rows")
                .long("block-rows")
                .value_name("ROWS")
                .value_parser(ValueParser::new(at_least_one))
                .help("Rows of a block, rounded up to a multiple of 256; by default as the data suggest")
                .help_heading(OUTPUT),
            path_arg("output", "DIR", "The job: a new or empty folder, which all machines see")
                .required(true)
                .help_heading(OUTPUT),
        ])
        .args(run_args())
}

fn quality() -> Command {
    Command::new("quality")
        .about("Counts genotypes of a cohort of PLINK: frequencies, missing ones, Hardy-Weinberg tests")
        .after_help(
            "Examples:\n  basrelief quality cohort.bed\n  \
             basrelief quality cohort.bed --format csv --output variants.csv\n  \
             basrelief quality cohort.bed --mind 0.1 --geno 0.05 --hwe 1e-6 --maf 0.01 --ld-prune 50:5:0.2 \
             --write-snplist kept.txt\n\n\
             What is counted is what the filters leave. Frequencies are those of founders; tested are founders, of \
             cases and controls the controls.",
        )
        .arg(data_arg().help("The cohort: a .bed file, with .bim and .fam beside it, a .pgen file, with .pvar and .psam, or a VCF"))
        .args(cohort_args())
        .args([
            Arg::new("people")
                .long("people")
                .action(ArgAction::SetTrue)
                .help("Tell of people instead of variants, in a table and in CSV")
                .help_heading(OUTPUT),
            count_arg("top", "Show the first N variants or people [default: all; in a table 20]")
                .help_heading(OUTPUT),
            path_arg(
                "write-snplist",
                "FILE",
                "Write the names of the variants that are left, a line each, for --extract",
            )
            .help_heading(OUTPUT),
            format_arg(&["table", "json", "csv"]).help_heading(OUTPUT),
            path_arg("output", "FILE", "Write to FILE instead of standard output")
                .help_heading(OUTPUT),
        ])
        .args(run_args().into_iter().filter(|arg| arg.get_id() != "seed"))
}

fn run_parts() -> Command {
    Command::new("run")
        .about("Computes parts of a ranking or a map that `basrelief plan` has cut")
        .after_help(
            "Examples:\n  basrelief run job --stage search --part 17\n  \
             basrelief run job      (all parts that are missing, of all rounds)\n\n\
             Parts of a stage need nothing of each other: any order, several at once, again. A stage \
             needs all parts of the one before. A stage or a part that is named is of the round at \
             hand, which is the last that was planned.",
        )
        .arg(job_arg())
        .args([
            Arg::new("stage")
                .long("stage")
                .value_name("STAGE")
                .value_parser(PossibleValuesParser::new(Stage::ALL.map(Stage::name)))
                .help("The stage [default: the first that lacks parts; without --part all of them]"),
            Arg::new("part")
                .long("part")
                .value_name("I")
                .value_parser(ValueParser::new(at_least_one))
                .help("The part, from 1 on [default: all parts that are missing]"),
            moved_arg(),
        ])
        .args(run_args().into_iter().filter(|arg| arg.get_id() != "seed"))
}

fn merge() -> Command {
    Command::new("merge")
        .about("Makes the ranking or the map of a job whose parts are all computed")
        .after_help(
            "Examples:\n  basrelief merge job --format json --output ranking.json\n  \
             basrelief merge map --model lfe.basrelief\n\n\
             Where a ranking takes several rounds, as inside turf, the merge of a round that is not the \
             last plans the next one, and says on standard error which parts to run.",
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

/// The folder of a plan and its parts.
fn job_arg() -> Arg {
    Arg::new("job")
        .value_name("JOB")
        .required(true)
        .value_parser(value_parser!(PathBuf))
        .help("The folder that `basrelief plan` made")
}

/// Where the data are on this machine.
fn moved_arg() -> Arg {
    path_arg("data", "FILE", "The data, where this machine has them in another place")
}

/// How many features of a ranking are shown.
fn top_arg() -> Arg {
    count_arg("top", "Show the N best features [default: all; in a table 20 if there are over 30]")
        .help_heading(OUTPUT)
}

/// A page to look at, of what a verb found.
fn report_args() -> [Arg; 5] {
    let switch = |name: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).requires("report")
    };
    [
        path_arg("report", "FILE", "Also write a page to look at, with figures: one HTML file"),
        path_arg("report-json", "FILE", "Write all that stands behind the page, as JSON")
            .requires("report"),
        switch("open").help("Open the page in the browser"),
        switch("force").help("Replace the page, and its JSON, where they exist"),
        switch("no-time").help(
            "Leave times and threads out of the page: the same data, options and version give the \
             same bytes",
        ),
    ]
    .map(|arg| arg.help_heading(REPORT))
}

/// Rankings of parts of the rows.
fn resample_args() -> [Arg; 2] {
    [
        Arg::new("resamples")
            .long("resamples")
            .value_name("N")
            .value_parser(value_parser!(usize))
            .help("How often rows are drawn, without replacement, and the features ranked by them"),
        Arg::new("fraction")
            .long("fraction")
            .value_name("F")
            .value_parser(ValueParser::new(finite))
            .default_value("0.5")
            .help("Share of the rows that a resample takes, of every class alike"),
    ]
    .map(|arg| arg.help_heading(RESAMPLES))
}

/// Says how the work was planned.
fn explain_arg() -> Arg {
    Arg::new("explain")
        .long("explain")
        .action(ArgAction::SetTrue)
        .help(
            "Say on standard error how neighbors were sought and differences added up, and why so",
        )
        .help_heading(OUTPUT)
}

fn select() -> Command {
    Command::new("select")
        .about("Writes the table with its best features and the target, cells as they were")
        .after_help(
            "Examples:\n  basrelief select genes.csv --target tumor --top 20 --output reduced.csv\n  \
             basrelief select snps.parquet --target case --method multisurf --above 0.01 \
             --output reduced.parquet\n  \
             basrelief select snps.csv --target case --permutations 1000 --significant",
        )
        .args(weighing_args(&RANK_METHODS, &all_wrappers()))
        .args(covariate_args())
        .args(test_args())
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
                .help("Keep the features whose weight is greater than chance gives")
                .help_heading(OUTPUT),
            Arg::new("above")
                .long("above")
                .value_name("WEIGHT")
                .value_parser(ValueParser::new(finite))
                .help("Keep the features whose weight is above this one")
                .help_heading(OUTPUT),
            table_output(),
        ])
        .args(run_args())
}

fn stability() -> Command {
    Command::new("stability")
        .about("Says how steady a selection is when rows are left out at random")
        .after_help(
            "Examples:\n  basrelief stability genes.csv --target tumor --top 20\n  \
             basrelief stability snps.csv.gz --target case --genotype all --method multisurf --resamples 200 \
             --output steady.json\n\n\
             It takes about as long as ranking half of the rows, times the number of resamples.",
        )
        .args(weighing_args(&RANK_METHODS, &all_wrappers()))
        .args(covariate_args())
        .args(
            [
                Arg::new("top").long("top").value_name("N").value_parser(ValueParser::new(at_least_one)).help(
                    "Features that a resample selects, those of greatest weight [default: 20, or half of the \
                     features where they are fewer than 40]",
                ),
            ]
            .map(|arg| arg.help_heading(RESAMPLES)),
        )
        .args(resample_args())
        .mut_arg("resamples", |resamples| resamples.default_value("100"))
        .args(column_args())
        .args(file_args())
        .args([
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

/// What `rank`, `select` and `stability` weigh and how.
fn weighing_args(methods: &MethodOptions, wrappers: &[&str]) -> Vec<Arg> {
    let names: Vec<&str> = methods.iter().map(|(name, _)| *name).collect();
    let mut args = vec![
        data_arg(),
        target_arg(),
        method_arg(&names, "relieff, or rrelieff where the target is a number"),
        Arg::new("wrap")
            .long("wrap")
            .value_name("WRAPPER[:OPTION=VALUE,...]")
            .action(ArgAction::Append)
            .help(format!(
                "Wrap the method, as in turf:drop=0.1,keep=50; several times: the first is \
                 next to the method. There are {} (see `basrelief methods`)",
                wrappers.join(", ")
            )),
    ];
    args.extend(method_option_args(methods));
    args.extend(cohort_args());
    args
}

/// Whether weights are greater than chance gives: what `rank` and `select` take.
fn test_args() -> [Arg; 5] {
    let corrections = Correction::ALL.map(|(name, _)| name);
    [
        Arg::new("permutations").long("permutations").value_name("N|adaptive|adaptive:MOST").help(
            "Compare the weights with those of so many permutations of the target; adaptive: as many \
             as each feature needs, at most 1000000",
        ),
        within_arg(),
        Arg::new("alpha")
            .long("alpha")
            .value_name("LEVEL")
            .value_parser(ValueParser::new(finite))
            .requires("permutations")
            .help("Error rate that is kept, above 0 and below 1 [default: 0.05]"),
        Arg::new("correction")
            .long("correction")
            .value_name("CORRECTION")
            .value_parser(PossibleValuesParser::new(corrections))
            .requires("permutations")
            .help(
                "What the error rate is of: any false feature (max-t, min-p), the share of false \
                 features (fdr, storey), or each feature by itself (none) [default: max-t; \
                 adaptive: fdr]",
            ),
        path_arg("resume", "DIR", "Remember in this folder how far the test is, and go on from it")
            .requires("permutations"),
    ]
    .map(|arg| arg.help_heading(SIGNIFICANCE))
}

/// Strata of permutations.
fn within_arg() -> Arg {
    Arg::new("within").long("within").value_name("COLUMN").requires("permutations").help(
        "Permute inside the groups of rows that this column names (batch, center); no feature",
    )
}

fn fit() -> Command {
    let names: Vec<&str> = map_methods().map(|info| info.name).collect();
    Command::new("fit")
        .about("Learns a map of the features, new coordinates for rows, and saves it as a model")
        .after_help(
            "Examples:\n  basrelief fit wine.csv --target class --method lfe --components 2 \
             --scale standard --model wine.basrelief\n  \
             basrelief fit genes.csv.gz --method pca --components 10 --drop id --model pca.basrelief",
        )
        .arg(data_arg())
        .arg(target_arg().help("The column with the classes; methods without classes need none"))
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
            path_arg("output", "FILE", "Write what was found to FILE instead of standard output")
                .help_heading(OUTPUT),
        ])
        .args(report_args())
        .args(run_args())
}

fn evaluate() -> Command {
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
        .about("Says by cross-validation which method helps k-NN most on a table")
        .after_help(
            "Examples:\n  basrelief evaluate wine.csv --target class\n  \
             basrelief evaluate wine.csv --target class --methods 'euclidean,relieff:neighbors=5|10|20,lfe,nca' \
             --output wine-evaluation\n\n\
             A method is written METHOD or METHOD:OPTION=VALUE,OPTION=VALUE|VALUE; cross-validation inside the \
             rows learned from chooses among alternatives (|), numbers of features or components and of \
             neighbors. With --output, a run that was interrupted goes on where it ended.",
        )
        .arg(data_arg())
        .arg(target_arg())
        .args(
            [
                Arg::new("methods").long("methods").value_name("METHOD,METHOD:OPTION=VALUE|VALUE,...").help(
                    "What to compare: methods of `rank` and `fit`, euclidean (the features as they are), \
                     dann-local [default: euclidean,relieff,multisurf,lda,lfe; for a number \
                     euclidean,rrelieff,multisurf,pca]",
                ),
                valued("folds", "N|loo", "10", "Parts of the cross-validation, or leave-one-out"),
                count("repeats", "1", "How often rows are dealt into parts anew"),
                Arg::new("protocol").long("protocol").value_name("halves:N").help(
                    "N random halves instead of cross-validation, as `reproduce hm13` makes them",
                ),
                count("inner-folds", "5", "Parts of the cross-validation by which options are chosen"),
                valued("k", "K,K,...", "1,3,5,9,15,25", "Numbers of neighbors to choose from"),
                valued(
                    "dimensions",
                    "spread|every|all|N,N,...",
                    "spread",
                    "Numbers of features or components to choose from; spread: 1 to 10, then in steps of a fifth",
                ),
                choice("metric", &Metric::NAMES, "The distance of k-NN; canberra takes numbers as they are, whatever the scale")
                    .default_value(Metric::Euclidean.name()),
                choice("scale", &["standard", "range", "none"], "Units of the features, by the rows learned from"),
                choice(
                    "weights",
                    &["distance", "ranking"],
                    "What weights of features do: weigh the distance, or order features that then count alike",
                ),
                permutations_arg("Repeat it with so many permutations of the target: a p-value of every loss"),
                within_arg(),
            ]
            .map(|arg| arg.help_heading(EVALUATION)),
        )
        .args(column_args())
        .args(cohort_args())
        .args(file_args())
        .args([
            Arg::new("format")
                .long("format")
                .value_name("FORMAT")
                .value_parser(PossibleValuesParser::new(["table", "json", "csv"]))
                .default_value("table")
                .help("How to print the result")
                .help_heading(OUTPUT),
            path_arg("output", "DIR", "Also write numbers, a figure and finished cells to this folder")
                .help_heading(OUTPUT),
        ])
        .args(figure_args().map(|arg| arg.requires("output")))
        .args(report_args())
        .args(run_args())
}

fn export() -> Command {
    Command::new("export")
        .about("Writes a saved linear map as a plain matrix, for other programs")
        .after_help(
            "Example:\n  basrelief export wine.basrelief --output wine.npy\n\n\
             writes the matrix to wine.npy, and what is needed to apply it (offset, names, and how \
             categories and missing values become numbers) to wine.json.",
        )
        .arg(model_arg())
        .arg(
            path_arg("output", "FILE", "Write the matrix to FILE, a .npy, and the rest to .json")
                .required(true)
                .help_heading(OUTPUT),
        )
        .args(run_args())
}

/// A model that a verb reads.
fn model_arg() -> Arg {
    Arg::new("model")
        .value_name("MODEL")
        .required(true)
        .value_parser(value_parser!(PathBuf))
        .help("The model, as `basrelief fit` saved it")
}

fn transform() -> Command {
    Command::new("transform")
        .about("Maps the rows of a table by a saved model")
        .after_help(
            "Examples:\n  basrelief transform wine.basrelief wine.csv --keep class --output 2d.csv\n  \
             basrelief transform wine.basrelief new.parquet --output new.npy",
        )
        .arg(model_arg())
        .arg(data_arg())
        .args(prefix_args())
        .args(file_args())
        .args([
            list_arg("keep", "Columns of DATA to write beside the components, unchanged"),
            table_output(),
        ])
        .args(run_args())
}

/// A number that is 1 at least.
fn count_arg(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .value_name("N")
        .value_parser(ValueParser::new(at_least_one))
        .help(help)
}

/// A number of permutations, all of which are kept.
fn permutations_arg(help: &'static str) -> Arg {
    count_arg("permutations", help).value_parser(ValueParser::new(permutations))
}

/// The table that a verb reads.
fn data_arg() -> Arg {
    Arg::new("data")
        .value_name("DATA")
        .required_unless_present_any(["bfile", "pfile"])
        .value_parser(value_parser!(PathBuf))
        .help(
            "The table: CSV, TSV (also .gz), ARFF, Parquet, .npy or .npz, `-` is standard input \
             (with --input-format); or a cohort: .bed of PLINK, with .bim and .fam beside it, .pgen, with .pvar and .psam, or .vcf",
        )
}

fn target_arg() -> Arg {
    Arg::new("target")
        .long("target")
        .value_name("COLUMN")
        .help("The column that the features shall explain; a cohort of PLINK needs none")
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

/// Which columns are what.
fn column_args() -> [Arg; 6] {
    [
        list_arg("categorical", "Columns to take as categories: names, or `all`"),
        list_arg(
            "ordinal",
            "Columns to take as levels in an order: COLUMN=LOW<MID<HIGH, or a name, or `all`, for the \
             numeric order of the values",
        ),
        list_arg("genotype", "Columns to take as genotypes (0, 1, 2): names, or `all`"),
        list_arg("numeric", "Columns to take as numbers: names, or `all`"),
        list_arg("drop", "Columns to leave out"),
        Arg::new("target-type")
            .long("target-type")
            .value_name("TYPE")
            .value_parser(PossibleValuesParser::new(["auto", "classes", "real"]))
            .default_value("auto")
            .help("How to read the target [default: auto]")
            .help_heading(COLUMNS),
    ]
}

/// Where a table goes.
fn table_output() -> Arg {
    path_arg(
        "output",
        "FILE",
        "Write to FILE, as CSV (also .gz), Parquet or .npy by its ending, instead of CSV to \
         standard output",
    )
    .help_heading(OUTPUT)
}

/// How the data file is written.
fn file_args() -> [Arg; 5] {
    [
        list_arg("na", "Texts that stand for missing values, besides the usual ones; of a cohort in phenotypes and covariates")
            .value_name("TEXTS")
            .allow_hyphen_values(true)
            .help_heading(FILE),
        Arg::new("coerce")
            .long("coerce")
            .action(ArgAction::SetTrue)
            .help("Cells that are no numbers, in columns of numbers, count as missing")
            .help_heading(FILE),
        Arg::new("delimiter")
            .long("delimiter")
            .value_name("CHARACTER")
            .value_parser(ValueParser::new(delimiter))
            .help("What separates the cells of a text file; `tab` for tabs [default: found out]")
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
            .help("The first line holds data; columns are called column_1, column_2, …")
            .help_heading(FILE),
    ]
}

fn reproduce() -> Command {
    let protocols = PROTOCOLS.iter().map(|info| {
        Command::new(info.name)
            .visible_aliases(info.aliases)
            .about(info.purpose)
            .after_help(format!("Source: {}", info.source))
            .args(reproduction_args(format!("A part that ends soon: {}", info.quick)))
            .arg(
                path_arg("output", "DIR", "Folder for figures, numbers and the summary")
                    .default_value(info.name),
            )
            .args(figure_args())
            .args(info.adds.then(added_args).into_iter().flatten())
            .args(info.options.iter().copied().map(option_with_default))
            // What stands behind it is in the folder.
            .args(report_args().into_iter().filter(|arg| arg.get_id() != "report-json"))
            .args(run_args())
    });
    let all = Command::new(EVERYTHING)
        .about("All of them, one after the other; what lacks its data sets is left out")
        .args(reproduction_args("A part of each that ends soon".to_string()))
        .arg(path_arg("output", "DIR", "Folder for a folder of each").default_value("reproduction"))
        .args(figure_args())
        .args(report_args().into_iter().filter(|arg| arg.get_id() != "report-json"))
        .args(run_args());
    Command::new("reproduce")
        .about("Repeats the experiment of a paper and says what of it holds")
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
            "Folder with the papers' data sets [default: the one that BASRELIEF_DATA names]",
        ),
        Arg::new("quick").long("quick").action(ArgAction::SetTrue).help(quick),
    ]
}

fn synth() -> Command {
    let kinds = GENERATORS.iter().map(|info| {
        Command::new(info.name)
            .about(info.purpose)
            .after_help(format!("Source: {}", info.source))
            .arg(path_arg(
                "output",
                "FILE",
                "The file to write: .csv, .csv.gz, .parquet or .npy, or .bed of a cohort, with .bim and .fam \
                     beside it [default: CSV to standard output]",
            ))
            .arg(path_arg("truth", "FILE", "Also write what is known of the data, as JSON"))
            .args(info.options().into_iter().map(option_with_default))
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

/// What every verb that computes takes.
fn run_args() -> [Arg; 4] {
    [
        Arg::new("seed")
            .long("seed")
            .value_name("S")
            .value_parser(value_parser!(u64))
            .default_value("0")
            .help("Seed of every random choice"),
        Arg::new("threads")
            .long("threads")
            .value_name("N")
            .value_parser(value_parser!(usize))
            .help("Threads to use; the result does not depend on it [default: one per core]"),
        Arg::new("memory").long("memory").value_name("SIZE").help(
            "Memory to use, as in 500M or 8G: what is larger than a quarter of it goes to a \
                 file in $TMPDIR or /var/tmp; the result does not depend on it [default: what is \
                 available]",
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
        .help("How to write the result [default: by the ending of --output (.json, .csv), else table]")
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
        .help(help)
}

/// The same with its default, where it belongs to one thing only.
fn option_with_default(option: &'static OptionInfo) -> Arg {
    option_arg(option, format!("{} [default: {}]", option.help, option.default))
}

/// The values given on the command line for some options, by flag.
pub(crate) fn given(
    options: impl IntoIterator<Item = &'static OptionInfo>,
    matches: &ArgMatches,
) -> Vec<(&'static str, &str)> {
    let value = |option: &OptionInfo| matches.get_one::<String>(option.flag).map(String::as_str);
    options.into_iter().filter_map(|option| Some((option.flag, value(option)?))).collect()
}

/// Methods with their options, as a verb offers them.
pub(crate) type MethodOptions = LazyLock<Vec<(&'static str, Vec<&'static OptionInfo>)>>;

/// What `rank` offers.
pub(crate) static RANK_METHODS: MethodOptions =
    LazyLock::new(|| METHODS.iter().map(|info| (info.name, info.options.to_vec())).collect());

/// What `plan` offers: the methods that can be computed in parts.
static PLAN_METHODS: MethodOptions = LazyLock::new(|| {
    let weighings = METHODS.iter().filter(|info| info.in_parts());
    let weighings = weighings.map(|info| (info.name, info.options.to_vec()));
    let maps = MAP_METHODS.iter().filter(|info| info.in_parts());
    weighings.chain(maps.map(|info| (info.name, info.all_options()))).collect()
});

/// What any verb that ranks, or plans a ranking or a map, offers.
pub(crate) static PLANNED_OR_RANKED: MethodOptions =
    LazyLock::new(|| RANK_METHODS.iter().chain(PLAN_METHODS.iter()).cloned().collect());

/// What `fit` offers.
pub(crate) static FIT_METHODS: MethodOptions =
    LazyLock::new(|| map_methods().map(|info| (info.name, info.all_options())).collect());

/// The methods that learn a map, and those whose weights make one.
fn map_methods() -> impl Iterator<Item = &'static MapMethodInfo> {
    MAP_METHODS.iter().copied().chain(weightings())
}

/// One argument per flag that any of the methods takes.
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

/// The methods that take an option, by its flag, and the option as each has it.
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

/// The options given on the command line, by flag, for a method with options of its own among
/// all that the verb offers.
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
        // What several verbs share is asked for all options that one of them has.
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

/// The methods that take an option, for the message of one that does not.
fn takers(methods: &MethodOptions, option: &OptionInfo) -> String {
    let names: Vec<&str> =
        methods_with(option.flag, methods).into_iter().map(|(name, _)| name).collect();
    format!("; {} is for {}", setting(option.name, None), names.join(", "))
}

/// How long the work may take to stop after Ctrl-C.
const GRACE: Duration = Duration::from_millis(800);

/// The run that the arguments ask for, which the user can interrupt: the first Ctrl-C stops the
/// work at its next block, a second one stops the process at once. Work that has not stopped after
/// [`GRACE`] is left undone: the process ends.
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
    // Parts of a plan have its seed.
    let seed = matches.try_get_one::<u64>("seed").ok().flatten();
    let run = run.with_seed(seed.copied().unwrap_or(0)).with_cancel(cancel);
    Ok(match progress::on_stderr(quiet(matches)) {
        Some(progress) => run.with_progress(progress),
        None => run,
    })
}

/// Whether the user wants no messages.
pub(crate) fn quiet(matches: &ArgMatches) -> bool {
    matches.get_flag("quiet")
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

    /// Every verb, those inside others too.
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

    /// Options that a text mentions.
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
