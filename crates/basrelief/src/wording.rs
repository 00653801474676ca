//! The words of messages: how options and methods are called where the user is.
//!
//! The same mistake is told to a user of the command line (`--target-type classes`), of Python
//! (`target_type="classes"`) and of this library. A message is therefore written once with *mentions*
//! ([`setting`], [`method`], [`either`]), and every front end spells them its own way
//! ([`FrontEnd::spell`]): the command line and Python when they show a message, [`std::fmt::Display`] of
//! [`crate::Error`] and [`crate::Warning`] as the library does.
//!
//! A mention is marked by characters that Unicode keeps for the inside of programs and that no text
//! holds. Spelling also cleans the rest ([`clean`]): names and values from files cannot move the cursor of
//! a terminal, nor turn the order of a line around.

use std::borrow::Cow;
use std::path::Path;

use crate::data::synth::GENERATORS;
use crate::evaluate::ADAPTIVE_OPTIONS;
use crate::methods::{MAP_METHODS, METHODS, WRAPPERS};
use crate::options::OptionInfo;

/// Who reads a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FrontEnd {
    /// The user of the program: `--target-type classes`.
    CommandLine,
    /// The same, where methods are written `METHOD:OPTION=VALUE`, as `evaluate --methods` takes them:
    /// `max-iter=200`.
    MethodList,
    /// The user of the Python package: `target_type="classes"`.
    Python,
    /// The user of this library: `target_type=classes`.
    Library,
}

/// Begins a mention: its kind, then its parts.
const OPEN: char = '\u{fdd0}';
/// Stands between the parts of a mention.
const NEXT: char = '\u{fdd1}';
/// Ends a mention.
const CLOSE: char = '\u{fdd2}';
/// A line end of ours.
const LINE: char = '\u{fdd3}';

const SETTING: &str = "setting";
const SUBJECT: &str = "subject";
const METHOD: &str = "method";
const EITHER: &str = "either";

/// A line end in a message; others are taken for a part of the user's text and cleaned away.
pub const LINE_END: &str = "\u{fdd3}";

/// How a front end takes a setting.
#[derive(Debug, Clone, Copy)]
enum Way {
    /// An option with a value.
    Option(&'static str),
    /// An option without one.
    Switch(&'static str),
    /// An option with a list of columns.
    Columns(&'static str),
    /// Something else, said in words: without a value, and with one in place of `{}`.
    Words(&'static str, &'static str),
}

/// A setting that is no method's option.
#[derive(Debug)]
struct Place {
    name: &'static str,
    command_line: Way,
    python: Way,
}

/// A setting that is an option of both front ends.
const fn both(name: &'static str, command_line: &'static str, python: &'static str) -> Place {
    Place { name, command_line: Way::Option(command_line), python: Way::Option(python) }
}

/// A setting of the command line, and what comes nearest to it in Python.
const fn here(name: &'static str, command_line: Way, words: &'static str) -> Place {
    Place { name, command_line, python: Way::Words(words, words) }
}

/// Every setting that is no method's option.
static PLACES: &[Place] = &[
    both("target", "target", "y"),
    both("target_type", "target-type", "target_type"),
    both("seed", "seed", "random_state"),
    both("threads", "threads", "n_jobs"),
    both("k", "k", "n_neighbors"),
    both("weights", "weights", "weights"),
    Place {
        name: "categorical",
        command_line: Way::Columns("categorical"),
        python: Way::Columns("categorical_features"),
    },
    Place {
        name: "genotype",
        command_line: Way::Columns("genotype"),
        python: Way::Columns("genotype_features"),
    },
    Place {
        name: "numeric",
        command_line: Way::Columns("numeric"),
        python: Way::Words("columns of numbers", "numbers in the column `{}`"),
    },
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
        command_line: Way::Words("the search of neighbours", "the search {}"),
        python: Way::Words("the search of neighbours", "the search {}"),
    },
    here("no_header", Way::Switch("no-header"), "a table without its first row"),
    here("delimiter", Way::Option("delimiter"), "another delimiter"),
    here("input_format", Way::Option("input-format"), "another format of the data"),
    here("method", Way::Option("method"), "the method"),
    here("wrap", Way::Option("wrap"), "a wrapper"),
    here("output", Way::Option("output"), "the output"),
    here("format", Way::Option("format"), "the output's format"),
    here("model", Way::Option("model"), "the model's file"),
    here("figure", Way::Option("figure"), "the figure's file"),
    here("truth", Way::Option("truth"), "the truth's file"),
    here("top", Way::Option("top"), "the number of features"),
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
    here("protocol", Way::Words("the experiment", "{}"), "the experiment"),
];

/// A mention of a setting, without a value or with one.
///
/// `name` is that of a method's option (`n_neighbors`), of a wrapper's (`turf:keep`), or of another
/// setting (`target_type`, `drop`, `threads`, …): see [`is_known`].
pub fn setting(name: &str, value: Option<&str>) -> String {
    debug_assert!(is_known(name), "no setting is called {name}");
    match value {
        None => mention(SETTING, &[name]),
        Some(value) => mention(SETTING, &[name, value]),
    }
}

/// The setting as that of which an error tells: `option --neighbors`.
pub(crate) fn subject(name: &str) -> String {
    // Whoever mentions several at once has marked them already.
    if name.contains(OPEN) { format!("option {name}") } else { mention(SUBJECT, &[name]) }
}

/// A mention of a method or wrapper: `rrelieff`, in Python `RReliefF`.
pub fn method(name: &str) -> String {
    mention(METHOD, &[name])
}

/// How a method is chosen: `rank --method rrelieff`, in Python `RReliefF`.
pub fn choose_method(name: &str) -> String {
    let ranks = METHODS.iter().any(|info| info.name == name);
    let verb = if ranks { "rank" } else { "fit" };
    either(&format!("{verb} --method {name}"), &method(name), &method(name))
}

/// What differs by more than a name: the words for the command line, for Python and for users of the
/// library, all of which may hold mentions.
pub fn either(command_line: &str, python: &str, library: &str) -> String {
    format!("{OPEN}{EITHER}{NEXT}{command_line}{NEXT}{python}{NEXT}{library}{CLOSE}")
}

/// The advice to leave a column out, as a clause without a subject: `leave it out with --drop id`.
pub fn leave_out(column: &str) -> String {
    either(
        &format!("leave it out with {}", setting("drop", Some(column))),
        "leave it out of X",
        "leave it out",
    )
}

/// Several names from the user's data, quoted, such that none can be taken for a mention.
pub fn quoted(name: &str) -> String {
    format!("`{}`", clean(name))
}

fn mention(kind: &str, parts: &[&str]) -> String {
    let mut text = format!("{OPEN}{kind}");
    for part in parts {
        text.push(NEXT);
        text.push_str(&clean(part));
    }
    text.push(CLOSE);
    text
}

/// Text from a user, safe to show: control characters (escape sequences begin with one, line ends are
/// some), what turns the order of a line around, and what no text holds become `U+FFFD`.
pub fn clean(text: &str) -> Cow<'_, str> {
    if !text.contains(is_harmful) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(
        text.chars().map(|c| if is_harmful(c) { char::REPLACEMENT_CHARACTER } else { c }).collect(),
    )
}

/// A path, safe to show.
pub fn clean_path(path: &Path) -> String {
    clean(&path.to_string_lossy()).into_owned()
}

fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(c,
            // Ends of lines and paragraphs.
            '\u{2028}' | '\u{2029}'
            // Marks, embeddings, overrides and isolates of a direction.
            | '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            // Tags, which nothing shows.
            | '\u{e0000}'..='\u{e007f}'
            // Characters of a program's inside, ours among them.
            | '\u{fdd0}'..='\u{fdef}')
        || u32::from(c) & 0xfffe == 0xfffe
}

/// Whether [`setting`] knows the name.
pub fn is_known(name: &str) -> bool {
    match name.split_once(':') {
        Some((wrapper, option)) => WRAPPERS
            .iter()
            .any(|info| info.name == wrapper && info.options.iter().any(|own| own.name == option)),
        None => place(name).is_some() || is_variable(name) || flag(name).is_some(),
    }
}

/// The class or expression that makes a method or wrapper in Python.
pub fn python_class(method: &str) -> Option<&'static str> {
    let weighs = METHODS.iter().map(|info| (info.name, info.class));
    let maps = MAP_METHODS.iter().map(|info| (info.name, info.class));
    let wrappers = WRAPPERS.iter().map(|info| (info.name, info.class));
    weighs.chain(maps).chain(wrappers).find(|(name, _)| *name == method).map(|(_, class)| class)
}

fn place(name: &str) -> Option<&'static Place> {
    PLACES.iter().find(|place| place.name == name)
}

/// Whether the name is that of a variable of the environment.
fn is_variable(name: &str) -> bool {
    name.starts_with("BASRELIEF_")
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

impl FrontEnd {
    /// Spells the mentions in a message, and cleans what is not a mention.
    pub fn spell(self, text: &str) -> String {
        let mut spelled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find([OPEN, LINE]) {
            spelled.push_str(&clean(&rest[..start]));
            rest = &rest[start..];
            if let Some(after) = rest.strip_prefix(LINE) {
                spelled.push('\n');
                rest = after;
            } else if let Some((parts, after)) = read_mention(rest) {
                spelled.push_str(&self.spell_mention(&parts));
                rest = after;
            } else {
                // Cut off somewhere: nothing to spell.
                spelled.push(char::REPLACEMENT_CHARACTER);
                rest = &rest[OPEN.len_utf8()..];
            }
        }
        spelled.push_str(&clean(rest));
        spelled
    }

    fn spell_mention(self, parts: &[&str]) -> String {
        match *parts {
            [SETTING, name] => self.setting(name, None),
            [SETTING, name, value] => self.setting(name, Some(value)),
            [SUBJECT, name] => self.subject(name),
            [METHOD, name] => self.method(name).to_string(),
            [EITHER, command_line, python, library] => self.spell(match self {
                FrontEnd::CommandLine | FrontEnd::MethodList => command_line,
                FrontEnd::Python => python,
                FrontEnd::Library => library,
            }),
            _ => char::REPLACEMENT_CHARACTER.to_string(),
        }
    }

    fn method(self, name: &str) -> &str {
        match self {
            FrontEnd::Python => python_class(name).unwrap_or(name),
            _ => name,
        }
    }

    /// The setting that an error is about.
    fn subject(self, name: &str) -> String {
        match self.way(name) {
            _ if is_variable(name) => format!("environment variable {name}"),
            Some(Way::Words(words, _)) => words.to_string(),
            _ if self == FrontEnd::Library => format!("option {name}"),
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
                (FrontEnd::Library, None) => format!("`{name}`"),
                (FrontEnd::Library, Some(value)) => format!("`{name}={value}`"),
                (_, None) => format!("--wrap {wrapper}:{flag}"),
                (_, Some(value)) => format!("--wrap {wrapper}:{flag}={}", shell_word(value)),
            };
        }
        if self == FrontEnd::Library {
            return match value {
                None => format!("`{name}`"),
                Some(value) => format!("`{name}={value}`"),
            };
        }
        match (self.way(name), value) {
            (Some(Way::Words(words, _)), None) => words.to_string(),
            (Some(Way::Words(_, words)), Some(value)) => words.replace("{}", value),
            (Some(Way::Switch(own)), _) => format!("--{own}"),
            (Some(Way::Option(own) | Way::Columns(own)), None) if self == FrontEnd::Python => {
                own.to_string()
            }
            (Some(Way::Option(own)), Some(value)) if self == FrontEnd::Python => {
                format!("{own}={}", python_value(value))
            }
            (Some(Way::Columns(own)), Some(value)) if self == FrontEnd::Python => {
                if value == "all" {
                    format!("{own}=\"all\"")
                } else {
                    format!("{own}=[{}]", python_text(value))
                }
            }
            (Some(Way::Option(own) | Way::Columns(own)), None) => format!("--{own}"),
            (Some(Way::Option(own)), Some(value)) => format!("--{own} {}", shell_word(value)),
            (Some(Way::Columns(own)), Some(value)) => {
                format!("--{own} {}", shell_word(&list_entry(value)))
            }
            (None, value) => self.option_of_method(name, value),
        }
    }

    fn option_of_method(self, name: &str, value: Option<&str>) -> String {
        // Options of experiments are in a registry of theirs, by the same rule.
        let flag = || flag(name).map_or_else(|| name.replace('_', "-"), str::to_string);
        match (self, value) {
            (FrontEnd::Python, None) => name.to_string(),
            (FrontEnd::Python, Some(value)) => format!("{name}={}", python_value(value)),
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
            FrontEnd::CommandLine | FrontEnd::MethodList => {
                known.map_or(option, |known| known.flag)
            }
            FrontEnd::Python | FrontEnd::Library => option,
        }
    }

    fn way(self, name: &str) -> Option<Way> {
        let place = place(name)?;
        match self {
            FrontEnd::CommandLine | FrontEnd::MethodList => Some(place.command_line),
            FrontEnd::Python => Some(place.python),
            FrontEnd::Library => None,
        }
    }
}

/// The parts of the mention that a text begins with, and what follows it.
fn read_mention(text: &str) -> Option<(Vec<&str>, &str)> {
    let inside = text.strip_prefix(OPEN)?;
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    for (place, c) in inside.char_indices() {
        match c {
            OPEN => depth += 1,
            CLOSE if depth > 0 => depth -= 1,
            NEXT | CLOSE if depth == 0 => {
                parts.push(&inside[start..place]);
                start = place + c.len_utf8();
                if c == CLOSE {
                    return Some((parts, &inside[start..]));
                }
            }
            _ => {}
        }
    }
    None
}

/// A name as an entry of a list of the command line: quoted as in CSV where it needs it.
fn list_entry(name: &str) -> Cow<'_, str> {
    if name.contains([',', '"']) || name.trim() != name {
        Cow::Owned(format!("\"{}\"", name.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(name)
    }
}

/// A word as a shell takes it.
fn shell_word(word: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_alphanumeric() || "_-./:=,+%@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        Cow::Borrowed(word)
    } else {
        Cow::Owned(format!("'{}'", word.replace('\'', "'\\''")))
    }
}

/// A value in Python: numbers and constants as they are, all else a text.
fn python_value(value: &str) -> String {
    let plain = value.parse::<f64>().is_ok_and(f64::is_finite);
    if plain || matches!(value, "None" | "True" | "False") {
        value.to_string()
    } else {
        python_text(value)
    }
}

fn python_text(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> [String; 4] {
        [FrontEnd::CommandLine, FrontEnd::MethodList, FrontEnd::Python, FrontEnd::Library]
            .map(|front_end| front_end.spell(text))
    }

    #[test]
    fn every_front_end_spells_settings_its_own_way() {
        assert_eq!(
            all(&setting("target_type", Some("classes"))),
            [
                "--target-type classes",
                "--target-type classes",
                "target_type=\"classes\"",
                "`target_type=classes`"
            ]
        );
        assert_eq!(
            all(&setting("n_neighbors", Some("5"))),
            ["--neighbors 5", "neighbors=5", "n_neighbors=5", "`n_neighbors=5`"]
        );
        assert_eq!(all(&setting("C", None)), ["--margin-weight", "margin-weight", "C", "`C`"]);
        assert_eq!(
            all(&setting("categorical", Some("a"))),
            [
                "--categorical a",
                "--categorical a",
                "categorical_features=[\"a\"]",
                "`categorical=a`"
            ]
        );
        assert_eq!(
            all(&setting("turf:keep", Some("20"))),
            ["--wrap turf:keep=20", "--wrap turf:keep=20", "TuRF(keep=20)", "`turf:keep=20`"]
        );
        assert_eq!(all(&setting("no_header", None))[0], "--no-header");
        assert_eq!(
            FrontEnd::Python.spell(&setting("memory", None)),
            "the environment variable BASRELIEF_MEMORY"
        );
        assert_eq!(FrontEnd::Python.spell(&leave_out("id")), "leave it out of X");
    }

    #[test]
    fn names_are_quoted_for_a_shell_and_for_a_list() {
        let spelled = |name| FrontEnd::CommandLine.spell(&setting("drop", Some(name)));
        assert_eq!(spelled("größe"), "--drop größe");
        assert_eq!(spelled("my id"), "--drop 'my id'");
        assert_eq!(spelled("a,b"), "--drop '\"a,b\"'");
        assert_eq!(spelled("it's"), "--drop 'it'\\''s'");
    }

    #[test]
    fn methods_are_classes_in_python() {
        assert_eq!(all(&method("rrelieff")), ["rrelieff", "rrelieff", "RReliefF", "rrelieff"]);
        assert_eq!(all(&choose_method("rrelieff"))[0], "rank --method rrelieff");
        assert_eq!(all(&choose_method("pca"))[0], "fit --method pca");
        assert_eq!(all(&choose_method("rrelieff"))[2], "RReliefF");
    }

    #[test]
    fn subjects_of_errors() {
        assert_eq!(
            all(&subject("n_neighbors")),
            ["option --neighbors", "option neighbors", "option n_neighbors", "option n_neighbors"]
        );
        assert_eq!(all(&subject("turf:keep"))[0], "option --wrap turf:keep");
        assert_eq!(all(&subject("turf:keep"))[2], "option keep of TuRF");
        assert_eq!(all(&subject("BASRELIEF_MEMORY"))[0], "environment variable BASRELIEF_MEMORY");
        let both = format!("{} and {}", setting("drop", None), setting("numeric", None));
        assert_eq!(all(&subject(&both))[0], "option --drop and --numeric");
    }

    #[test]
    fn mentions_may_stand_in_others() {
        let text = format!("a, {}!", either(&setting("seed", Some("1")), "b", "c"));
        assert_eq!(all(&text), ["a, --seed 1!", "a, --seed 1!", "a, b!", "a, c!"]);
    }

    #[test]
    fn what_users_wrote_is_cleaned_and_is_no_mention() {
        let forged = format!("\u{1b}[31m\r\n\u{202e}{}\u{85}", setting("seed", None));
        let column = crate::DataError::new("wrong", "mend it").in_column(forged.as_str());
        let message = crate::Error::from(column).to_string();
        assert!(!message.contains(is_harmful), "{message:?}");
        assert!(message.contains("\u{fffd}[31m") && !message.contains("`seed`"), "{message:?}");
        // Cut in the middle of a mention.
        let cut: String = setting("seed", None).chars().take(5).collect();
        assert_eq!(FrontEnd::CommandLine.spell(&cut), "\u{fffd}sett");
        assert_eq!(clean("naïve 日本 \u{e000}"), "naïve 日本 \u{e000}");
        assert_eq!(FrontEnd::Library.spell(&format!("a{LINE_END}b\nc")), "a\nb\u{fffd}c");
    }

    #[test]
    fn a_name_is_one_flag_whatever_has_it() {
        let methods = METHODS.iter().flat_map(|info| info.options.iter().copied());
        let map_methods = MAP_METHODS.iter().flat_map(|info| info.all_options());
        let generators = GENERATORS.iter().flat_map(|info| info.options());
        for info in methods.chain(map_methods).chain(generators) {
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
