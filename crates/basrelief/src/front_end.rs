//! Spells the mentions in messages ([`crate::wording`]) for the command line, Python and this library,
//! and knows which settings exist for the reader of a message ([`Audience`]).

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::data::synth::GENERATORS;
use crate::error::Error;
use crate::evaluate::ADAPTIVE_OPTIONS;
use crate::methods::{MAP_METHODS, METHODS, WRAPPERS};
use crate::options::OptionInfo;
use crate::warning::Warning;
use crate::wording::{self, Library, Speller, Text, is_variable};

/// The front end whose user reads a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FrontEnd {
    /// The command line: `--target-type classes`.
    CommandLine,
    /// The command line, where methods are written as `METHOD:OPTION=VALUE`, as in `evaluate --methods`:
    /// `max-iter=200`.
    MethodList,
    /// The Python package: `target_type="classes"`.
    Python,
    /// The R package: `target_type = "classes"`.
    R,
    /// This library: `target_type=classes`.
    Library,
}

/// A front end, and the settings that exist for the reader of a message: those of one verb of the command
/// line, or of one estimator or function in Python.
///
/// The advice in messages mentions no other settings ([`wording::ways`]).
#[derive(Debug, Clone)]
pub struct Audience {
    front_end: FrontEnd,
    settings: Option<BTreeMap<String, Parameter>>,
    words: BTreeMap<String, String>,
}

/// How the reader of a message specifies a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// The name of the parameter: `target_type`, or `targetType` on Spark.
    pub name: String,
    /// The surrounding expression, with `{}` for the setting: `TuRF(ReliefF({}))`, or just `{}`.
    pub around: String,
}

/// How a setting is specified in a front end.
#[derive(Debug, Clone, Copy)]
enum Way {
    /// An option with a value.
    Option(&'static str),
    /// An option without a value.
    Switch(&'static str),
    /// An option with a list of columns.
    Columns(&'static str),
    /// Something other than an option, in words: a text without a value, and one with `{}` for the value.
    Words(&'static str, &'static str),
    /// The front end does not have the setting.
    Never,
}

/// A setting that is not an option of a method.
#[derive(Debug)]
struct Place {
    name: &'static str,
    command_line: Way,
    python: Way,
}

/// A setting that is an option with a value in both front ends.
const fn both(name: &'static str, command_line: &'static str, python: &'static str) -> Place {
    Place { name, command_line: Way::Option(command_line), python: Way::Option(python) }
}

/// A setting of the command line, and the words for its closest counterpart in Python.
const fn here(name: &'static str, command_line: Way, words: &'static str) -> Place {
    Place { name, command_line, python: Way::Words(words, words) }
}

/// A setting of a single function in R.
const fn only_in_r(name: &'static str) -> Place {
    Place { name, command_line: Way::Never, python: Way::Never }
}

/// All settings that are not options of a method.
static PLACES: &[Place] = &[
    both("target", "target", "y"),
    both("target_type", "target-type", "target_type"),
    both("time", "time", "y"),
    both("event", "event", "y"),
    both("target_tree", "target-tree", "target_tree"),
    both("unlabeled", "unlabeled", "unlabeled"),
    both("seed", "seed", "random_state"),
    both("threads", "threads", "n_jobs"),
    both("k", "k", "n_neighbors"),
    both("weights", "weights", "weights"),
    both("resamples", "resamples", "n_resamples"),
    both("fraction", "fraction", "fraction"),
    here("intervals", Way::Switch("intervals"), "intervals=True"),
    both("permutations", "permutations", "n_permutations"),
    both("within", "within", "strata"),
    both("group", "group", "groups"),
    both("group_weight", "group-weight", "group_weight"),
    both("row_weight", "row-weight", "sample_weight"),
    both("priors", "priors", "priors"),
    both("rows_per_subject", "rows-per-subject", "rows_per_subject"),
    both("alpha", "alpha", "alpha"),
    both("correction", "correction", "correction"),
    both("sided", "sided", "sided"),
    Place {
        name: "categorical",
        command_line: Way::Columns("categorical"),
        python: Way::Columns("categorical_features"),
    },
    Place {
        name: "ordinal",
        command_line: Way::Columns("ordinal"),
        python: Way::Columns("ordinal_features"),
    },
    Place {
        name: "genotype",
        command_line: Way::Columns("genotype"),
        python: Way::Columns("genotype_features"),
    },
    Place { name: "numeric", command_line: Way::Columns("numeric"), python: Way::Never },
    Place {
        name: "drop",
        command_line: Way::Columns("drop"),
        python: Way::Words("X without the column", "X without the column `{}`"),
    },
    Place {
        name: "na",
        command_line: Way::Option("na"),
        python: Way::Words("None or NaN in their place", "None or NaN in place of {}"),
    },
    Place {
        name: "coerce",
        command_line: Way::Switch("coerce"),
        python: Way::Words(
            "pandas.to_numeric(column, errors=\"coerce\")",
            "pandas.to_numeric({}, errors=\"coerce\")",
        ),
    },
    Place {
        name: "memory",
        command_line: Way::Option("memory"),
        python: Way::Words(
            "the environment variable BASRELIEF_MEMORY",
            "BASRELIEF_MEMORY={} in the environment",
        ),
    },
    Place {
        name: "search",
        command_line: Way::Words("the neighbor search", "the search {}"),
        python: Way::Words("the neighbor search", "the search {}"),
    },
    Place {
        name: "start",
        command_line: Way::Words("the matrix of the start", "the matrix {}"),
        python: Way::Words("the matrix of the start", "the matrix {}"),
    },
    here("no_header", Way::Switch("no-header"), "a table without its first row"),
    Place {
        name: "transpose",
        command_line: Way::Switch("transpose"),
        python: Way::Words("transpose=True", "transpose={}"),
    },
    both("sheet", "sheet", "sheet"),
    here("names", Way::Option("names"), "a file of names"),
    here("target_file", Way::Option("target-file"), "a file of targets"),
    here("delimiter", Way::Option("delimiter"), "another delimiter"),
    here("input_format", Way::Option("input-format"), "another data format"),
    here("method", Way::Option("method"), "the method"),
    here("wrap", Way::Option("wrap"), "a wrapper"),
    here("sets", Way::Option("sets"), "sets of features"),
    here("by_chromosome", Way::Switch("by-chromosome"), "a set per chromosome"),
    here("covar", Way::Option("covar"), "a table of covariates"),
    here("covar_name", Way::Option("covar-name"), "columns of covariates"),
    here("residuals", Way::Switch("residuals"), "the residuals of the target"),
    here("caliper", Way::Option("caliper"), "a caliper"),
    here("covar_distance", Way::Switch("covar-distance"), "covariates in distances"),
    here(
        "drop_missing_covar",
        Way::Switch("drop-missing-covar"),
        "the rows whose covariates are known",
    ),
    both("redundancy", "redundancy", "redundancy"),
    both("rank", "rank", "rank_by"),
    both("blocks", "blocks", "blocks"),
    both("block_scale", "block-scale", "block_scale"),
    here("resume", Way::Option("resume"), "a folder to resume from"),
    here("parts", Way::Option("parts"), "the number of parts"),
    here("block_rows", Way::Option("block-rows"), "the rows of a block"),
    Place {
        name: "block_columns",
        command_line: Way::Words("the columns of a block", "blocks of {} columns"),
        python: Way::Words("the columns of a block", "blocks of {} columns"),
    },
    here("stage", Way::Option("stage"), "the stage"),
    here("part", Way::Option("part"), "the part"),
    here("significant", Way::Switch("significant"), "the features that are significant"),
    here("output", Way::Option("output"), "the output"),
    here("format", Way::Option("format"), "the output's format"),
    here("model", Way::Option("model"), "the model's file"),
    here("figure", Way::Option("figure"), "the figure's file"),
    here("report", Way::Option("report"), "the page's file"),
    here("report_json", Way::Option("report-json"), "the file of the data behind the page"),
    here("force", Way::Switch("force"), "force=True"),
    here("truth", Way::Option("truth"), "the truth's file"),
    here("top", Way::Option("top"), "the number of features"),
    here("from", Way::Option("from"), "the ranking"),
    both("pairs", "pairs", "n_pairs"),
    here("split", Way::Option("split"), "the fraction of the rows used for the ranking"),
    here("permute_all", Way::Switch("permute-all"), "a ranking for every permutation"),
    both("bfile", "bfile", "path"),
    both("pfile", "pfile", "path"),
    both("pheno", "pheno", "pheno"),
    both("pheno_name", "pheno-name", "pheno_name"),
    both("keep_people", "keep", "keep"),
    both("remove_people", "remove", "remove"),
    both("extract", "extract", "extract"),
    both("exclude", "exclude", "exclude"),
    both("chr", "chr", "chromosomes"),
    Place {
        name: "all_chromosomes",
        command_line: Way::Switch("all-chromosomes"),
        python: Way::Words("all_chromosomes=True", "all_chromosomes=True"),
    },
    both("chr_set", "chr-set", "chr_set"),
    Place {
        name: "one_is_case",
        command_line: Way::Switch("1"),
        python: Way::Words("one_is_case=True", "one_is_case=True"),
    },
    both("na_values", "na", "na_values"),
    both("mind", "mind", "mind"),
    both("geno", "geno", "geno"),
    both("hwe", "hwe", "hwe"),
    both("maf", "maf", "maf"),
    both("ld_prune", "ld-prune", "ld_prune"),
    here("king_cutoff", Way::Option("king-cutoff"), "a cutoff of kinship coefficients"),
    here("king_table", Way::Option("king-table"), "the file of kinship coefficients"),
    here("relatives", Way::Option("relatives"), "the treatment of relatives"),
    here("write_snplist", Way::Option("write-snplist"), "the file of the retained variants"),
    here("people", Way::Switch("people"), "the people"),
    here("keep_columns", Way::Columns("keep"), "the columns to keep"),
    here("data", Way::Option("data"), "the folder of data sets"),
    here("quick", Way::Switch("quick"), "the quick form"),
    here("methods", Way::Option("methods"), "the methods to compare"),
    here("folds", Way::Option("folds"), "the number of folds"),
    here("repeats", Way::Option("repeats"), "the number of repeats"),
    here("inner_folds", Way::Option("inner-folds"), "the number of inner folds"),
    here("dimensions", Way::Option("dimensions"), "the numbers of dimensions"),
    here("verb", Way::Words("VERB", "VERB {}"), "the verb"),
    here("kind", Way::Words("the kind of data set", "{}"), "the kind of data set"),
    here("protocol", Way::Option("protocol"), "the protocol of the splits"),
    here("experiment", Way::Words("the experiment", "{}"), "the experiment"),
    here("add", Way::Option("add"), "a data set to add"),
    here("width", Way::Option("width"), "the width of a figure"),
    here("figure_format", Way::Option("figure-format"), "the format of figures"),
    only_in_r("estimator"),
    only_in_r("costMatrix"),
    only_in_r("kNearestEqual"),
    only_in_r("kNearestExpRank"),
    only_in_r("quotientExpRankDistance"),
    only_in_r("numAttrProportionEqual"),
    only_in_r("numAttrProportionDifferent"),
];

/// The settings of the R package that are not spelled as in Python. Of the others, those that Python describes in words
/// have the same words, and the rest does not exist.
static IN_R: &[(&str, Way)] = &[
    ("target", Way::Words("the left side of the formula", "the formula {} ~ .")),
    ("target_type", Way::Option("target_type")),
    ("time", Way::Words("Surv(time, event)", "Surv({}, event)")),
    ("event", Way::Words("Surv(time, event)", "Surv(time, {})")),
    ("seed", Way::Option("seed")),
    ("threads", Way::Option("threads")),
    ("k", Way::Option("k")),
    ("n_neighbors", Way::Option("k")),
    ("intervals", Way::Switch("intervals")),
    ("permutations", Way::Option("permutations")),
    ("within", Way::Option("strata")),
    ("group", Way::Option("groups")),
    ("group_weight", Way::Option("group_weight")),
    ("row_weight", Way::Option("weights")),
    ("priors", Way::Option("priors")),
    ("alpha", Way::Option("alpha")),
    ("correction", Way::Option("correction")),
    ("sided", Way::Option("sided")),
    ("categorical", Way::Columns("categorical")),
    ("ordinal", Way::Columns("ordinal")),
    ("genotype", Way::Columns("genotype")),
    ("numeric", Way::Columns("numeric")),
    ("drop", Way::Words("data without the column", "data without the column `{}`")),
    ("na", Way::Words("NA in their place", "NA in place of {}")),
    ("coerce", Way::Words("as.numeric(column)", "as.numeric({})")),
    ("transpose", Way::Words("t(data)", "t(data)")),
    ("method", Way::Option("method")),
    ("wrap", Way::Option("wrap")),
    ("covar", Way::Option("covariates")),
    ("covar_name", Way::Option("covariates")),
    ("residuals", Way::Switch("residuals")),
    ("caliper", Way::Option("caliper")),
    ("covar_distance", Way::Switch("covariate_distance")),
    ("drop_missing_covar", Way::Switch("drop_missing_covariates")),
    ("rank", Way::Option("rank_by")),
    ("blocks", Way::Option("blocks")),
    ("block_scale", Way::Option("block_scale")),
    ("report", Way::Option("report")),
    ("force", Way::Switch("force")),
    ("bfile", Way::Option("path")),
    ("pfile", Way::Option("path")),
    ("pheno", Way::Option("pheno")),
    ("pheno_name", Way::Option("pheno_name")),
    ("keep_people", Way::Option("keep")),
    ("remove_people", Way::Option("remove")),
    ("extract", Way::Option("extract")),
    ("exclude", Way::Option("exclude")),
    ("chr", Way::Option("chr")),
    ("chr_set", Way::Option("chr_set")),
    ("all_chromosomes", Way::Switch("all_chromosomes")),
    ("one_is_case", Way::Switch("one_is_case")),
    ("na_values", Way::Option("na")),
    ("mind", Way::Option("mind")),
    ("geno", Way::Option("geno")),
    ("hwe", Way::Option("hwe")),
    ("maf", Way::Option("maf")),
    ("ld_prune", Way::Option("ld_prune")),
    ("king_cutoff", Way::Option("king_cutoff")),
    ("relatives", Way::Option("relatives")),
];

/// The names of all settings that [`wording::setting`] knows, except those of wrappers. A name that
/// several methods share occurs several times.
pub fn settings() -> impl Iterator<Item = &'static str> {
    let methods = METHODS.iter().flat_map(|info| info.options.iter().copied());
    let maps = MAP_METHODS.iter().flat_map(|info| info.all_options());
    let generators = GENERATORS.iter().flat_map(|info| info.options());
    let options = methods.chain(maps).chain(generators).map(|option| option.name);
    PLACES.iter().map(|place| place.name).chain(options)
}

/// Whether [`wording::setting`] knows the name.
pub fn is_known(name: &str) -> bool {
    match name.split_once(':') {
        Some((wrapper, option)) => WRAPPERS
            .iter()
            .any(|info| info.name == wrapper && info.options.iter().any(|own| own.name == option)),
        None => place(name).is_some() || is_variable(name) || flag(name).is_some(),
    }
}

/// The class or expression that creates a method or wrapper in Python.
pub(crate) fn python_class(method: &str) -> Option<&'static str> {
    let weighs = METHODS.iter().map(|info| (info.name, info.class));
    let maps = MAP_METHODS.iter().map(|info| (info.name, info.class));
    let wrappers = WRAPPERS.iter().map(|info| (info.name, info.class));
    weighs.chain(maps).chain(wrappers).find(|(name, _)| *name == method).map(|(_, class)| class)
}

fn place(name: &str) -> Option<&'static Place> {
    PLACES.iter().find(|place| place.name == name)
}

/// The flag of an option of a method or generator.
fn flag(name: &str) -> Option<&'static str> {
    let of_all = |all: &[&'static OptionInfo]| {
        all.iter().find(|info| info.name == name).map(|info| info.flag)
    };
    METHODS
        .iter()
        .find_map(|info| of_all(info.options))
        .or_else(|| MAP_METHODS.iter().find_map(|info| of_all(&info.all_options())))
        .or_else(|| GENERATORS.iter().find_map(|info| of_all(&info.options())))
        .or_else(|| of_all(ADAPTIVE_OPTIONS))
}

impl Error {
    /// The message for an audience. It mentions only options that exist there, and contains no control
    /// sequences for terminals.
    pub fn message(&self, audience: impl Into<Audience>) -> String {
        audience.into().spell(&self.text())
    }
}

impl Warning {
    /// The message for an audience: what happened, and its consequences.
    pub fn message(&self, audience: impl Into<Audience>) -> String {
        audience.into().spell(self.text())
    }
}

impl From<FrontEnd> for Audience {
    /// A front end where every setting exists.
    fn from(front_end: FrontEnd) -> Self {
        Self { front_end, settings: None, words: BTreeMap::new() }
    }
}

impl From<&Audience> for Audience {
    fn from(audience: &Audience) -> Self {
        audience.clone()
    }
}

impl Audience {
    /// Restricts the settings to these, by their names in the front end: `target-type` or `target_type`.
    #[must_use]
    pub fn with_settings(self, settings: impl IntoIterator<Item = (String, Parameter)>) -> Self {
        Self { settings: Some(settings.into_iter().collect()), ..self }
    }

    /// Sets the expressions that replace some settings, by [`wording::setting`]'s names, with `{}` for
    /// a value: `y.astype(str)` for `target_type`.
    #[must_use]
    pub fn with_words(self, words: impl IntoIterator<Item = (String, String)>) -> Self {
        Self { words: words.into_iter().collect(), ..self }
    }

    /// The front end.
    pub fn front_end(&self) -> FrontEnd {
        self.front_end
    }

    /// Spells the mentions in a message, and cleans the rest.
    pub fn spell(&self, text: &Text) -> String {
        match self.front_end {
            FrontEnd::Library => wording::spell(text.marked(), &Library),
            _ => wording::spell(text.marked(), self),
        }
    }

    /// The name of a setting in the front end and its parameter; `None` if it is not a parameter.
    fn parameter(&self, name: &str) -> Option<(&str, &Parameter)> {
        let own = self.front_end.own_name(name)?;
        self.settings.as_ref()?.get_key_value(own).map(|(own, given)| (own.as_str(), given))
    }
}

impl Speller for Audience {
    fn takes(&self, name: &str) -> bool {
        let name =
            if name.contains(':') && self.front_end != FrontEnd::Python { "wrap" } else { name };
        if is_variable(name) || self.words.contains_key(name) {
            return true;
        }
        match self.front_end.way(name) {
            Some(Way::Words(..)) => true,
            Some(Way::Never) => false,
            None if self.front_end == FrontEnd::MethodList => true,
            _ => self.settings.is_none() || self.parameter(name).is_some() || name.contains(':'),
        }
    }

    fn setting(&self, name: &str, value: Option<&str>) -> String {
        debug_assert!(is_known(name), "no setting is called {name}");
        if let Some(words) = self.words.get(name) {
            return match value {
                Some(value) => words.replace("{}", &python_text(value)),
                None => words.replace("{}", "..."),
            };
        }
        let spelled = self.front_end.setting(name, value);
        let Some((own, given)) = self.parameter(name) else { return spelled };
        let renamed = match spelled.strip_prefix(own) {
            Some(rest) => format!("{}{rest}", given.name),
            None => spelled,
        };
        if value.is_none() { renamed } else { given.around.replacen("{}", &renamed, 1) }
    }

    fn subject(&self, name: &str) -> String {
        match self.parameter(name) {
            Some((own, given)) if self.front_end == FrontEnd::Python && own != given.name => {
                format!("option {}", given.name)
            }
            _ => self.front_end.subject(name),
        }
    }

    fn method<'n>(&self, name: &'n str) -> &'n str {
        self.front_end.method(name)
    }

    fn choose<'t>(&self, command_line: &'t str, python: &'t str, library: &'t str) -> &'t str {
        match self.front_end {
            FrontEnd::CommandLine | FrontEnd::MethodList => command_line,
            FrontEnd::Python => python,
            FrontEnd::R | FrontEnd::Library => library,
        }
    }
}

impl FrontEnd {
    /// Spells the mentions in a message, and cleans the rest.
    pub fn spell(self, text: &Text) -> String {
        Audience::from(self).spell(text)
    }

    /// The name of the option for a setting in this front end, without dashes; `None` if the setting is not
    /// an option here.
    fn own_name(self, name: &str) -> Option<&str> {
        match (self.way(name), self) {
            (Some(Way::Option(own) | Way::Switch(own) | Way::Columns(own)), _) => Some(own),
            (Some(Way::Words(..) | Way::Never), _) => None,
            (None, FrontEnd::CommandLine) => flag(name),
            (None, FrontEnd::MethodList) => None,
            (None, FrontEnd::Python | FrontEnd::R | FrontEnd::Library) => Some(name),
        }
    }

    fn method(self, name: &str) -> &str {
        match self {
            FrontEnd::Python => python_class(name).unwrap_or(name),
            _ => name,
        }
    }

    /// The setting with the error, as the subject of the message.
    fn subject(self, name: &str) -> String {
        match self.way(name) {
            _ if is_variable(name) => format!("environment variable {name}"),
            Some(Way::Words(words, _)) => words.to_string(),
            _ => format!("option {}", self.setting(name, None)),
        }
    }

    fn setting(self, name: &str, value: Option<&str>) -> String {
        if is_variable(name) {
            return value.map_or(name.to_string(), |value| format!("{name}={value}"));
        }
        if let Some((wrapper, option)) = name.split_once(':') {
            let flag = self.option_of_wrapper(wrapper, option);
            return match (self, value) {
                (FrontEnd::Python, None) => format!("{flag} of {}", self.method(wrapper)),
                (FrontEnd::Python, Some(value)) => {
                    format!("{}({flag}={})", self.method(wrapper), python_value(value))
                }
                (FrontEnd::R, None) => format!("{flag} of {wrapper}"),
                (FrontEnd::R, Some(value)) => format!("wrap = \"{wrapper}:{flag}={value}\""),
                (_, None) => format!("--wrap {wrapper}:{flag}"),
                (_, Some(value)) => format!("--wrap {wrapper}:{flag}={}", shell_word(value)),
            };
        }
        match (self.way(name), value) {
            (Some(Way::Words(words, _)), None) => words.to_string(),
            (Some(Way::Words(_, words)), Some(value)) => words.replace("{}", value),
            (Some(Way::Switch(own)), _) if self == FrontEnd::R => format!("{own} = TRUE"),
            (Some(Way::Switch(own)), _) => format!("--{own}"),
            (Some(Way::Option(own) | Way::Columns(own)), None)
                if matches!(self, FrontEnd::Python | FrontEnd::R) =>
            {
                own.to_string()
            }
            (Some(Way::Option(own)), Some(value)) if self == FrontEnd::R => {
                format!("{own} = {}", r_value(value))
            }
            (Some(Way::Columns(own)), Some(value)) if self == FrontEnd::R => {
                format!("{own} = {}", r_columns(value))
            }
            (Some(Way::Option(own)), Some(value)) if self == FrontEnd::Python => {
                format!("{own}={}", python_value(value))
            }
            (Some(Way::Columns(own)), Some(value)) if self == FrontEnd::Python => {
                format!("{own}={}", python_columns(own, value))
            }
            (Some(Way::Option(own) | Way::Columns(own)), None) => format!("--{own}"),
            (Some(Way::Option(own)), Some(value)) => format!("--{own} {}", shell_word(value)),
            (Some(Way::Columns(own)), Some(value)) => {
                format!("--{own} {}", shell_word(&list_entry(value)))
            }
            (None | Some(Way::Never), value) => self.option_of_method(name, value),
        }
    }

    fn option_of_method(self, name: &str, value: Option<&str>) -> String {
        // Options of experiments are in a separate registry, whose flags follow the same rule.
        let flag = || flag(name).map_or_else(|| name.replace('_', "-"), str::to_string);
        match (self, value) {
            (FrontEnd::Python | FrontEnd::R, None) => name.to_string(),
            (FrontEnd::Python, Some(value)) => format!("{name}={}", python_value(value)),
            (FrontEnd::R, Some(value)) => format!("{name} = {}", r_value(value)),
            (FrontEnd::MethodList, None) => flag(),
            (FrontEnd::MethodList, Some(value)) => format!("{}={value}", flag()),
            (_, None) => format!("--{}", flag()),
            (_, Some(value)) => format!("--{} {}", flag(), shell_word(value)),
        }
    }

    fn option_of_wrapper<'n>(self, wrapper: &str, option: &'n str) -> &'n str {
        let info = WRAPPERS.iter().find(|info| info.name == wrapper);
        let known = info.and_then(|info| info.options.iter().find(|own| own.name == option));
        match self {
            FrontEnd::CommandLine | FrontEnd::MethodList | FrontEnd::R => {
                known.map_or(option, |known| known.flag)
            }
            FrontEnd::Python | FrontEnd::Library => option,
        }
    }

    fn way(self, name: &str) -> Option<Way> {
        if self == FrontEnd::R
            && let Some((_, way)) = IN_R.iter().find(|(own, _)| *own == name)
        {
            return Some(*way);
        }
        let place = place(name)?;
        match self {
            FrontEnd::CommandLine | FrontEnd::MethodList => Some(place.command_line),
            FrontEnd::Python => Some(place.python),
            FrontEnd::R => match place.python {
                words @ Way::Words(..) => Some(words),
                _ => Some(Way::Never),
            },
            FrontEnd::Library => None,
        }
    }
}

/// A name as an entry of a list on the command line, quoted as in CSV if necessary.
fn list_entry(name: &str) -> Cow<'_, str> {
    if name.contains([',', '"']) || name.trim() != name {
        Cow::Owned(format!("\"{}\"", name.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(name)
    }
}

/// A word of a shell command, quoted if necessary.
fn shell_word(word: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_alphanumeric() || "_-./:=,+%@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        Cow::Borrowed(word)
    } else {
        Cow::Owned(format!("'{}'", word.replace('\'', "'\\''")))
    }
}

/// A value in Python: numbers and constants unchanged, any other value as a string.
fn python_value(value: &str) -> String {
    let plain = value.parse::<f64>().is_ok_and(f64::is_finite);
    if plain || matches!(value, "None" | "True" | "False") {
        value.to_string()
    } else {
        python_text(value)
    }
}

/// A list of columns in Python; for ordinal columns with an order, a dict of their levels.
fn python_columns(own: &str, value: &str) -> String {
    match value.split_once('=') {
        _ if value == "all" => python_text(value),
        Some((name, order)) if own == "ordinal_features" => {
            let levels: Vec<String> = order.split('<').map(python_text).collect();
            format!("{{{}: [{}]}}", python_text(name), levels.join(", "))
        }
        _ => format!("[{}]", python_text(value)),
    }
}

/// A value in R: numbers and constants unchanged, any other value as a string.
fn r_value(value: &str) -> String {
    match value {
        "True" => "TRUE".to_string(),
        "False" => "FALSE".to_string(),
        "None" => "NULL".to_string(),
        other => python_value(other),
    }
}

/// A column in R; for an ordinal column with an order, a list of its levels.
fn r_columns(value: &str) -> String {
    match value.split_once('=') {
        Some((name, order)) => {
            let levels: Vec<String> = order.split('<').map(python_text).collect();
            format!("list({} = c({}))", python_text(name), levels.join(", "))
        }
        None => python_text(value),
    }
}

/// A text in quotation marks, in Python and in R.
fn python_text(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wording::{either, first_way, leave_out, method, setting, subject, ways};

    fn all(text: impl Into<Text>) -> [String; 4] {
        let text = text.into();
        [FrontEnd::CommandLine, FrontEnd::MethodList, FrontEnd::Python, FrontEnd::Library]
            .map(|front_end| front_end.spell(&text))
    }

    #[test]
    fn every_front_end_spells_settings_its_own_way() {
        assert_eq!(
            all(setting("target_type", Some("classes"))),
            [
                "--target-type classes",
                "--target-type classes",
                "target_type=\"classes\"",
                "`target_type=classes`"
            ]
        );
        assert_eq!(
            all(setting("n_neighbors", Some("5"))),
            ["--neighbors 5", "neighbors=5", "n_neighbors=5", "`n_neighbors=5`"]
        );
        assert_eq!(all(setting("C", None)), ["--margin-weight", "margin-weight", "C", "`C`"]);
        assert_eq!(
            all(setting("categorical", Some("a"))),
            [
                "--categorical a",
                "--categorical a",
                "categorical_features=[\"a\"]",
                "`categorical=a`"
            ]
        );
        assert_eq!(
            all(setting("turf:keep", Some("20"))),
            ["--wrap turf:keep=20", "--wrap turf:keep=20", "TuRF(keep=20)", "`turf:keep=20`"]
        );
        assert_eq!(all(setting("no_header", None))[0], "--no-header");
        assert_eq!(
            FrontEnd::Python.spell(&setting("memory", None).into()),
            "the environment variable BASRELIEF_MEMORY"
        );
        assert_eq!(FrontEnd::Python.spell(&leave_out("id").into()), "leave it out of X");
    }

    #[test]
    fn r_spells_settings_as_arguments() {
        let r = |text: wording::Mention| FrontEnd::R.spell(&text.into());
        assert_eq!(r(setting("target_type", Some("classes"))), "target_type = \"classes\"");
        assert_eq!(r(setting("n_neighbors", Some("5"))), "k = 5");
        assert_eq!(r(setting("within", None)), "strata");
        assert_eq!(r(setting("residuals", None)), "residuals = TRUE");
        assert_eq!(r(setting("turf:keep", Some("20"))), "wrap = \"turf:keep=20\"");
        assert_eq!(
            r(setting("ordinal", Some("grade=low<high"))),
            "ordinal = list(\"grade\" = c(\"low\", \"high\"))"
        );
        assert_eq!(r(subject("row_weight")), "option weights");
        // What Python describes in words has the same words; what R does not have is not advised.
        assert_eq!(r(setting("delimiter", None)), "another delimiter");
        let ways = ways(&[
            format!("use {}", setting("unlabeled", Some("missing"))),
            "leave the rows out".to_string(),
        ]);
        assert_eq!(r(ways), "leave the rows out");
    }

    #[test]
    fn settings_of_r_exist() {
        IN_R.iter().for_each(|(name, _)| assert!(is_known(name), "{name}"));
    }

    /// A Python audience with these parameters, each with its surrounding expression.
    fn python(parameters: &[(&str, &str, &str)]) -> Audience {
        let given = parameters.iter().map(|&(setting, name, around)| {
            let parameter = Parameter { name: name.to_string(), around: around.to_string() };
            (setting.to_string(), parameter)
        });
        Audience::from(FrontEnd::Python).with_settings(given)
    }

    #[test]
    fn advice_mentions_no_setting_that_the_reader_lacks() {
        let advice = Text::from(ways(&[
            format!("use {}", setting("coerce", None)),
            format!("use {}", setting("categorical", Some("a"))),
            format!("use {}", setting("n_samples", Some("9"))),
            "correct it".to_string(),
        ]));
        let bare = python(&[]);
        let coerce = "use pandas.to_numeric(column, errors=\"coerce\")";
        assert_eq!(bare.spell(&advice), format!("{coerce}, or correct it"));
        assert_eq!(
            all(setting("ordinal", Some("grade=low<high"))),
            [
                "--ordinal 'grade=low<high'",
                "--ordinal 'grade=low<high'",
                "ordinal_features={\"grade\": [\"low\", \"high\"]}",
                "`ordinal=grade=low<high`"
            ]
        );
        let selector = python(&[("categorical_features", "categorical_features", "{}")]);
        let spelled = selector.spell(&advice);
        assert_eq!(spelled, format!("{coerce}, use categorical_features=[\"a\"], or correct it"));
        // Inside other estimators, and with another name.
        let inside = python(&[
            ("categorical_features", "categorical_features", "TuRF(ReliefF({}))"),
            ("n_samples", "numSamples", "{}"),
        ]);
        let spelled = inside.spell(&advice);
        assert!(spelled.contains("use TuRF(ReliefF(categorical_features=[\"a\"]))"), "{spelled}");
        assert!(spelled.contains("use numSamples=9"), "{spelled}");
        let subject = inside.spell(&subject("n_samples").into());
        assert_eq!(subject, "option numSamples");
        let words = [("categorical".to_string(), "X.astype({{}: \"category\"})".to_string())];
        let spelled = bare.with_words(words).spell(&setting("categorical", Some("a")).into());
        assert_eq!(spelled, "X.astype({\"a\": \"category\"})");
        // All ways, or the first possible one.
        assert_eq!(all(ways(&["a", "b", "c"])), ["a, b, or c"; 4]);
        let first = first_way(&[setting("n_samples", None).as_ref(), "fewer rows"]).into();
        assert_eq!(python(&[]).spell(&first), "fewer rows");
        assert_eq!(FrontEnd::Python.spell(&first), "n_samples");
    }

    #[test]
    fn names_are_quoted_for_a_shell_and_for_a_list() {
        let spelled = |name| FrontEnd::CommandLine.spell(&setting("drop", Some(name)).into());
        assert_eq!(spelled("größe"), "--drop größe");
        assert_eq!(spelled("my id"), "--drop 'my id'");
        assert_eq!(spelled("a,b"), "--drop '\"a,b\"'");
        assert_eq!(spelled("it's"), "--drop 'it'\\''s'");
    }

    #[test]
    fn methods_are_classes_in_python() {
        assert_eq!(all(method("rrelieff")), ["rrelieff", "rrelieff", "RReliefF", "rrelieff"]);
    }

    #[test]
    fn subjects_of_errors() {
        assert_eq!(
            all(subject("n_neighbors")),
            ["option --neighbors", "option neighbors", "option n_neighbors", "option n_neighbors"]
        );
        assert_eq!(all(subject("turf:keep"))[0], "option --wrap turf:keep");
        assert_eq!(all(subject("turf:keep"))[2], "option keep of TuRF");
        assert_eq!(all(subject("BASRELIEF_MEMORY"))[0], "environment variable BASRELIEF_MEMORY");
        let both = format!("{} and {}", setting("drop", None), setting("numeric", None));
        assert_eq!(all(subject(&both))[0], "option --drop and --numeric");
    }

    #[test]
    fn mentions_may_stand_in_others() {
        let text = format!("a, {}!", either(setting("seed", Some("1")), "b", "c"));
        assert_eq!(all(text), ["a, --seed 1!", "a, --seed 1!", "a, b!", "a, c!"]);
    }

    #[test]
    fn a_name_is_one_flag_whatever_has_it() {
        let methods = METHODS.iter().flat_map(|info| info.options.iter().copied());
        let learners = MAP_METHODS.iter().flat_map(|info| info.all_options());
        let generators = GENERATORS.iter().flat_map(|info| info.options());
        for info in methods.chain(learners).chain(generators) {
            assert_eq!(flag(info.name), Some(info.flag));
            let other = place(info.name).map(|place| place.command_line);
            assert!(
                other.is_none() || matches!(other, Some(Way::Option(own)) if own == info.flag),
                "{} is two settings",
                info.name
            );
        }
    }
}
