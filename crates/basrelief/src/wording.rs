//! The words of messages: how options and methods are called where the user is.
//!
//! The same mistake is told to a user of the command line (`--target-type classes`), of Python
//! (`target_type="classes"`) and of this library. A message is therefore written once with *mentions*
//! ([`setting`], [`method`], [`either`]), and every front end spells them its own way
//! ([`FrontEnd`](crate::FrontEnd)): the command line and Python when they show a message,
//! [`std::fmt::Display`] of [`crate::Error`] and [`crate::Warning`] as the library does.
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
/// setting (`target_type`, `drop`, `threads`, …): see [`is_known`](crate::front_end::is_known).
pub fn setting(name: &str, value: Option<&str>) -> String {
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
pub(crate) fn is_variable(name: &str) -> bool {
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
    fn subject(&self, name: &str) -> String;

    /// A method or wrapper.
    fn method<'n>(&self, name: &'n str) -> &'n str;

    /// One of three texts: for the command line, for Python, and for users of the library.
    fn choose<'t>(&self, command_line: &'t str, python: &'t str, library: &'t str) -> &'t str;
}

/// Spells the mentions in a message, and cleans what is not a mention.
pub(crate) fn spell(text: &str, speller: &impl Speller) -> String {
    let mut spelled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find([OPEN, LINE]) {
        spelled.push_str(&clean(&rest[..start]));
        rest = &rest[start..];
        if let Some(after) = rest.strip_prefix(LINE) {
            spelled.push('\n');
            rest = after;
        } else if let Some((parts, after)) = read_mention(rest) {
            spelled.push_str(&spell_mention(&parts, speller));
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

fn spell_mention(parts: &[&str], speller: &impl Speller) -> String {
    match *parts {
        [SETTING, name] => speller.setting(name, None),
        [SETTING, name, value] => speller.setting(name, Some(value)),
        [SUBJECT, name] => speller.subject(name),
        [METHOD, name] => speller.method(name).to_string(),
        [EITHER, command_line, python, library] => {
            spell(speller.choose(command_line, python, library), speller)
        }
        _ => char::REPLACEMENT_CHARACTER.to_string(),
    }
}

/// The words of this library: `target_type=classes`.
pub(crate) struct Library;

impl Speller for Library {
    fn setting(&self, name: &str, value: Option<&str>) -> String {
        match value {
            Some(value) if is_variable(name) => format!("{name}={value}"),
            None if is_variable(name) => name.to_string(),
            Some(value) => format!("`{name}={value}`"),
            None => format!("`{name}`"),
        }
    }

    fn subject(&self, name: &str) -> String {
        if is_variable(name) {
            format!("environment variable {name}")
        } else {
            format!("option {name}")
        }
    }

    fn method<'n>(&self, name: &'n str) -> &'n str {
        name
    }

    fn choose<'t>(&self, _command_line: &'t str, _python: &'t str, library: &'t str) -> &'t str {
        library
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_users_wrote_is_cleaned_and_is_no_mention() {
        let forged = format!("\u{1b}[31m\r\n\u{202e}{}\u{85}", setting("seed", None));
        let column = crate::DataError::new("wrong", "mend it").in_column(forged.as_str());
        let message = crate::Error::from(column).to_string();
        assert!(!message.contains(is_harmful), "{message:?}");
        assert!(message.contains("\u{fffd}[31m") && !message.contains("`seed`"), "{message:?}");
        // Cut in the middle of a mention.
        let cut: String = setting("seed", None).chars().take(5).collect();
        assert_eq!(spell(&cut, &Library), "\u{fffd}sett");
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
