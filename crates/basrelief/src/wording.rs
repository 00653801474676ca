//! The wording of messages, with the names of options and methods in the user's front end.
//!
//! The same message may be shown to users of the command line (`--target-type classes`), of Python
//! (`target_type="classes"`) and of this library. It is therefore written once with *mentions*
//! ([`setting`], [`method`], [`either`]), which every front end spells in its own way
//! ([`FrontEnd`](crate::FrontEnd)). A finished message is a [`Text`]. The command line and Python spell it when they
//! show it; its [`Display`](std::fmt::Display) uses the names of this library.
//!
//! ```
//! use basrelief::wording::{Text, setting};
//! use basrelief::{Audience, FrontEnd};
//!
//! let text = Text::from(format!("use {}", setting("target_type", Some("classes"))));
//! assert_eq!(text.to_string(), "use `target_type=classes`");
//! assert_eq!(Audience::from(FrontEnd::CommandLine).spell(&text), "use --target-type classes");
//! assert_eq!(Audience::from(FrontEnd::Python).spell(&text), "use target_type=\"classes\"");
//! ```
//!
//! Mentions are marked by characters that Unicode reserves for internal use in programs and that no other text
//! contains. A front end may specify which settings exist for the reader of a message
//! ([`Audience`](crate::Audience)); [`ways`] then mentions no others. Spelling also cleans the rest of the message
//! ([`clean`]), so that names and values from files cannot move the cursor of a terminal or reverse the order of a
//! line.

use std::borrow::{Borrow, Cow};
use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// Begins a mention. Its kind follows, and then its parts.
const OPEN: char = '\u{fdd0}';
/// Separates the parts of a mention.
const NEXT: char = '\u{fdd1}';
/// Ends a mention.
const CLOSE: char = '\u{fdd2}';
/// A line end that the message itself contains.
const LINE: char = '\u{fdd3}';

const SETTING: &str = "setting";
const SUBJECT: &str = "subject";
const METHOD: &str = "method";
const EITHER: &str = "either";
const WAYS: &str = "ways";
const FIRST: &str = "first";

/// A line end in a message. Other line ends are treated as part of the user's text and replaced.
pub const LINE_END: Mention = Mention(Cow::Borrowed("\u{fdd3}"));

/// A message, or a part of one, that may mention settings and methods.
///
/// [`fmt::Display`] and [`fmt::Debug`] use the names of this library; other front ends use their own
/// ([`Audience::spell`](crate::Audience::spell)). A text is created from a string into which [`Mention`]s were
/// formatted. It keeps its mentions when it is serialized, so that another program can spell them.
#[derive(Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Text(String);

impl Text {
    /// Whether the text is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Appends a text.
    pub fn push(&mut self, more: impl Into<Text>) {
        self.0.push_str(&more.into().0);
    }

    /// The text as a part of another text, so that [`format!`] keeps its mentions.
    pub fn mention(&self) -> Mention {
        Mention(Cow::Owned(self.0.clone()))
    }

    /// The text with the marks of its mentions.
    pub(crate) fn marked(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&spell(&self.0, &Library))
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&spell(&self.0, &Library), f)
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self(text.to_string())
    }
}

impl From<&String> for Text {
    fn from(text: &String) -> Self {
        Self(text.clone())
    }
}

impl From<Mention> for Text {
    fn from(mention: Mention) -> Self {
        Self(mention.0.into_owned())
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, words: &str) -> bool {
        spell(&self.0, &Library) == words
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, words: &&str) -> bool {
        self == *words
    }
}

/// A mention of a setting or method, or a text with mentions, for use in a message.
///
/// [`fmt::Display`] writes it with its marks, so that [`format!`] includes them in the string for a [`Text`]. To
/// show a mention alone, convert it to a [`Text`].
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Mention(Cow<'static, str>);

impl fmt::Display for Mention {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Mention {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&spell(&self.0, &Library), f)
    }
}

impl AsRef<str> for Mention {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for Mention {
    fn borrow(&self) -> &str {
        &self.0
    }
}

/// A mention of a setting, optionally with a value.
///
/// `name` is the name of an option of a method (`n_neighbors`) or wrapper (`turf:keep`), or of another
/// setting (`target_type`, `drop`, `threads`, …); see [`is_known`](crate::front_end::is_known).
pub fn setting(name: &str, value: Option<&str>) -> Mention {
    match value {
        None => mention(SETTING, &[name]),
        Some(value) => mention(SETTING, &[name, value]),
    }
}

/// A mention of the setting with the error, as the subject of a message: `option --neighbors`.
pub(crate) fn subject(name: &str) -> Mention {
    // A name for several settings already consists of mentions.
    if name.contains(OPEN) { made(format!("option {name}")) } else { mention(SUBJECT, &[name]) }
}

/// A mention of a method or wrapper: `rrelieff`, or `RReliefF` in Python.
pub fn method(name: &str) -> Mention {
    mention(METHOD, &[name])
}

/// A text that differs between front ends by more than a name: the words for the command line, for
/// Python and for this library. All three may contain mentions.
pub fn either(
    command_line: impl AsRef<str>,
    python: impl AsRef<str>,
    library: impl AsRef<str>,
) -> Mention {
    alternatives(EITHER, &[command_line.as_ref(), python.as_ref(), library.as_ref()])
}

/// A list of ways to solve a problem: `correct the cell, or use --coerce`. A way is omitted if it
/// mentions a setting that does not exist for the reader, so at least one way must mention no setting.
pub fn ways<W: AsRef<str>>(ways: &[W]) -> Mention {
    alternatives(WAYS, ways)
}

/// The first of several ways whose settings all exist for the reader of the message. The last way must
/// mention no setting.
pub(crate) fn first_way<W: AsRef<str>>(ways: &[W]) -> Mention {
    alternatives(FIRST, ways)
}

fn alternatives<W: AsRef<str>>(kind: &str, ways: &[W]) -> Mention {
    let parts: Vec<&str> = ways.iter().map(AsRef::as_ref).collect();
    made(format!("{OPEN}{kind}{NEXT}{}{CLOSE}", parts.join(&NEXT.to_string())))
}

fn made(marked: String) -> Mention {
    Mention(Cow::Owned(marked))
}

/// The advice to exclude a column, as an imperative: `leave it out with --drop id`.
pub fn leave_out(column: &str) -> Mention {
    let with_option = format!("leave it out with {}", setting("drop", Some(column)));
    let command_line = first_way(&[with_option.as_str(), "leave it out"]);
    either(command_line, "leave it out of X", "leave it out")
}

/// The advice if a disk does not have enough space for arrays that do not fit in memory.
pub fn room_on_disk() -> Text {
    let memory = setting("memory", None);
    Text(format!(
        "free space on that disk, set the environment variable TMPDIR to a folder on another disk, \
         or allow more memory with {memory}"
    ))
}

/// Quotes a name from the user's data, and removes marks so that it cannot act as a mention.
pub fn quoted(name: &str) -> String {
    format!("`{}`", clean(name))
}

/// Formats a count with commas: `1,999,000`.
pub fn thousands(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a number of bytes with a suitable unit: `120 kB`, `15 MB`, `12.5 GB`.
pub fn amount(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{} kB", bytes.div_ceil(1000)),
        1_000_000..10_000_000_000 => format!("{} MB", bytes.div_ceil(1_000_000)),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

/// Returns 0 if the absolute value is at most 1e-10 times the largest of its kind, which is in the range of
/// rounding errors; otherwise returns the value.
pub fn without_noise(value: f64, greatest: f64) -> f64 {
    if value.abs() <= 1e-10 * greatest.abs() { 0.0 } else { value }
}

fn mention(kind: &str, parts: &[&str]) -> Mention {
    let mut text = format!("{OPEN}{kind}");
    for part in parts {
        text.push(NEXT);
        text.push_str(&clean(part));
    }
    text.push(CLOSE);
    made(text)
}

/// Makes text from a user safe to show. `U+FFFD` replaces control characters (which include line ends
/// and the start of escape sequences), characters that change the direction of a line, and characters
/// that are not valid in text.
pub fn clean(text: &str) -> Cow<'_, str> {
    cleaned(text, is_harmful)
}

/// Makes a document with text from a user safe to show and valid as XML, like [`clean`], but retains line feeds
/// and tabs.
pub fn clean_document(text: &str) -> Cow<'_, str> {
    cleaned(text, |c| is_harmful(c) && !matches!(c, '\n' | '\t'))
}

fn cleaned(text: &str, is_replaced: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_replaced) {
        return Cow::Borrowed(text);
    }
    let clean = |c| if is_replaced(c) { char::REPLACEMENT_CHARACTER } else { c };
    Cow::Owned(text.chars().map(clean).collect())
}

/// Makes a path safe to show.
pub fn clean_path(path: &Path) -> String {
    clean(&path.to_string_lossy()).into_owned()
}

fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(c,
            // Line and paragraph separators.
            '\u{2028}' | '\u{2029}'
            // Marks, embeddings, overrides and isolates of text direction.
            | '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            // Tags, which are invisible.
            | '\u{e0000}'..='\u{e007f}'
            // Characters for internal use in programs, which include the marks above.
            | '\u{fdd0}'..='\u{fdef}')
        || u32::from(c) & 0xfffe == 0xfffe
}

/// Whether the name is that of an environment variable.
pub(crate) fn is_variable(name: &str) -> bool {
    name.starts_with("BASRELIEF_")
}

/// The spelling of mentions in a front end.
pub(crate) trait Speller {
    /// Whether the setting exists for the reader of the message.
    fn takes(&self, name: &str) -> bool;

    /// Spells a setting, optionally with a value.
    fn setting(&self, name: &str, value: Option<&str>) -> String;

    /// Spells the setting with the error, as the subject of a message.
    fn subject(&self, name: &str) -> String;

    /// Spells a method or wrapper.
    fn method<'n>(&self, name: &'n str) -> &'n str;

    /// Chooses among the texts for the command line, for Python and for this library.
    fn choose<'t>(&self, command_line: &'t str, python: &'t str, library: &'t str) -> &'t str;
}

/// Spells the mentions in a message, and cleans the rest.
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
            // The mention is incomplete.
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
        [WAYS, ref ways @ ..] => join_ways(&possible(ways, speller), speller),
        [FIRST, ref ways @ ..] => {
            possible(ways, speller).first().map_or_else(String::new, |way| spell(way, speller))
        }
        _ => char::REPLACEMENT_CHARACTER.to_string(),
    }
}

/// The ways whose settings all exist, or all ways if there is none, which is a mistake in the message.
fn possible<'t>(ways: &[&'t str], speller: &impl Speller) -> Vec<&'t str> {
    let possible: Vec<&str> =
        ways.iter().copied().filter(|way| is_possible(way, speller)).collect();
    debug_assert!(!possible.is_empty(), "no way is possible here: {ways:?}");
    if possible.is_empty() { ways.to_vec() } else { possible }
}

/// Whether all settings that a text mentions exist for its reader.
fn is_possible(text: &str, speller: &impl Speller) -> bool {
    let mut rest = text;
    while let Some(start) = rest.find(OPEN) {
        let Some((parts, after)) = read_mention(&rest[start..]) else { return true };
        let own = match *parts {
            [SETTING, name, ..] => speller.takes(name),
            [EITHER, command_line, python, library] => {
                is_possible(speller.choose(command_line, python, library), speller)
            }
            [WAYS | FIRST, ref ways @ ..] => ways.iter().any(|way| is_possible(way, speller)),
            _ => true,
        };
        if !own {
            return false;
        }
        rest = after;
    }
    true
}

fn join_ways(ways: &[&str], speller: &impl Speller) -> String {
    let ways: Vec<String> = ways.iter().map(|way| spell(way, speller)).collect();
    match ways.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{}, or {last}", others.join(", ")),
        None => String::new(),
    }
}

/// The spelling of this library: `target_type=classes`.
pub(crate) struct Library;

impl Speller for Library {
    fn takes(&self, _name: &str) -> bool {
        true
    }

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

/// The parts of the mention at the start of a text, and the rest of the text.
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
    fn rounding_noise_is_zero() {
        let shown = [1.0, -0.5, 1e-9, -2.8e-14, 0.0].map(|value| without_noise(value, 1.0));
        assert_eq!(shown, [1.0, -0.5, 1e-9, 0.0, 0.0]);
        assert_eq!(without_noise(3e-20, 1e-19), 3e-20);
        assert_eq!(without_noise(0.0, 0.0), 0.0);
    }

    #[test]
    fn what_users_wrote_is_cleaned_and_is_no_mention() {
        let forged = format!("\u{1b}[31m\r\n\u{202e}{}\u{85}", setting("seed", None));
        let column = crate::DataError::new("wrong", "mend it").in_column(forged.as_str());
        let message = crate::Error::from(column).to_string();
        assert!(!message.contains(is_harmful), "{message:?}");
        assert!(message.contains("\u{fffd}[31m") && !message.contains("`seed`"), "{message:?}");
        // A text that ends inside a mention.
        let cut: String = setting("seed", None).as_ref().chars().take(5).collect();
        assert_eq!(spell(&cut, &Library), "\u{fffd}sett");
        assert_eq!(clean("naïve 日本 \u{e000}"), "naïve 日本 \u{e000}");
        assert_eq!(spell(&format!("a{LINE_END}b\nc"), &Library), "a\nb\u{fffd}c");
    }
}
