//! Options, described as data. Each is declared once; the command line, Python, the documentation and the
//! methods read the declaration, so that names, defaults and ranges stay consistent.

use std::fmt;

use serde_json::{Map, Value};

use crate::error::{Error, Result, nearest_name};
use crate::wording::{self, Mention};

/// One option of a method.
#[derive(Debug, Clone, Copy)]
pub struct OptionInfo {
    /// Name in Python, in JSON and in messages: `n_neighbors`.
    pub name: &'static str,
    /// Name on the command line, without dashes: `neighbors`.
    pub flag: &'static str,
    /// The values that it accepts.
    pub kind: OptionKind,
    /// The default, as a user would write it.
    pub default: &'static str,
    /// The effect of the option, in one line.
    pub help: &'static str,
}

/// The values that an option accepts.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum OptionKind {
    /// A whole number of at least `least`.
    Count {
        /// The smallest allowed value.
        least: u64,
    },
    /// A whole number of at least `least`, or a list of such numbers.
    Counts {
        /// The smallest allowed value.
        least: u64,
    },
    /// A whole number of at least 1, or `all`.
    CountOrAll,
    /// A real number from `least` to `most`, inclusive.
    Number {
        /// The smallest allowed value.
        least: f64,
        /// The largest allowed value.
        most: f64,
    },
    /// A real number above 0.
    Positive,
    /// One of a few words.
    Choice(&'static [&'static str]),
    /// One of a few words; other methods accept more words for this option.
    ChoiceOfFewer {
        /// The words.
        words: &'static [&'static str],
        /// Additional words, each with the methods that accept it.
        elsewhere: &'static [(&'static str, &'static str)],
    },
    /// A text with its own grammar.
    Text {
        /// The grammar, as shown to users: `none|T_EQUAL:T_DIFFERENT`.
        grammar: &'static str,
        /// Checks a text; the error is the reason for refusing it.
        check: fn(&str) -> std::result::Result<(), String>,
    },
}

impl OptionKind {
    /// The methods that accept a word which this option does not accept, separated by commas.
    fn elsewhere(&self, word: &str) -> Option<&'static str> {
        let OptionKind::ChoiceOfFewer { elsewhere, .. } = self else { return None };
        elsewhere.iter().find(|(other, _)| *other == word).map(|(_, methods)| *methods)
    }

    /// The accepted values, as shown to users: `uniform|rank[:SIGMA]`, `all|M`, `K`.
    pub fn grammar(&self) -> String {
        match self {
            OptionKind::Count { .. } => "N".to_string(),
            OptionKind::Counts { .. } => "N[,N...]".to_string(),
            OptionKind::CountOrAll => "all|N".to_string(),
            OptionKind::Number { .. } | OptionKind::Positive => "X".to_string(),
            OptionKind::Choice(words) | OptionKind::ChoiceOfFewer { words, .. } => words.join("|"),
            OptionKind::Text { grammar, .. } => (*grammar).to_string(),
        }
    }
}

/// The value of an option.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum OptionValue {
    /// A whole number.
    Count(u64),
    /// Two or more different whole numbers, ascending.
    Counts(Vec<u64>),
    /// A real number.
    Number(f64),
    /// The word `all`.
    All,
    /// A word, or a text with its own grammar.
    Text(String),
}

impl fmt::Display for OptionValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionValue::Count(count) => write!(f, "{count}"),
            OptionValue::Counts(counts) => {
                let texts: Vec<String> = counts.iter().map(u64::to_string).collect();
                f.write_str(&texts.join(","))
            }
            OptionValue::Number(number) => write!(f, "{number}"),
            OptionValue::All => f.write_str("all"),
            OptionValue::Text(text) => f.write_str(text),
        }
    }
}

impl OptionInfo {
    /// Reads and checks a value that the user wrote.
    ///
    /// # Errors
    /// The option does not accept the value.
    pub fn parse(&self, text: &str) -> Result<OptionValue> {
        let refuse = |problem: String| {
            let elsewhere = self.kind.elsewhere(text);
            let elsewhere =
                elsewhere.map_or_else(String::new, |methods| format!("; {methods} take `{text}`"));
            let values = self.describe_values();
            let help = format!("it takes {values} (default {}){elsewhere}", self.default);
            Error::option(self.name, problem, help)
        };
        let number = |text: &str, least: u64| match text.parse::<u64>() {
            Ok(value) if value >= least => Ok(value),
            Ok(value) => Err(refuse(format!("{value} is less than {least}"))),
            Err(_) => Err(refuse(format!("`{text}` is not a whole number"))),
        };
        let count = |least: u64| number(text, least).map(OptionValue::Count);
        match self.kind {
            OptionKind::Count { least } => count(least),
            OptionKind::Counts { least } => {
                // Python joins the numbers of a list by colons.
                let parts = text.split([',', ':']);
                let mut counts =
                    parts.map(|part| number(part.trim(), least)).collect::<Result<Vec<u64>>>()?;
                counts.sort_unstable();
                if let Some(pair) = counts.windows(2).find(|pair| pair[0] == pair[1]) {
                    return Err(refuse(format!("{} is listed twice", pair[0])));
                }
                Ok(match counts.as_slice() {
                    [count] => OptionValue::Count(*count),
                    _ => OptionValue::Counts(counts),
                })
            }
            OptionKind::CountOrAll if text == "all" => Ok(OptionValue::All),
            OptionKind::CountOrAll => count(1),
            OptionKind::Number { least, most } => match text.parse::<f64>() {
                Ok(value) if (least..=most).contains(&value) => Ok(OptionValue::Number(value)),
                Ok(value) => Err(refuse(format!("{value} is not between {least} and {most}"))),
                Err(_) => Err(refuse(format!("`{text}` is not a number"))),
            },
            OptionKind::Positive => match text.parse::<f64>() {
                Ok(value) if value > 0.0 && value.is_finite() => Ok(OptionValue::Number(value)),
                Ok(value) => Err(refuse(format!("{value} is not above 0 and finite"))),
                Err(_) => Err(refuse(format!("`{text}` is not a number"))),
            },
            OptionKind::Choice(words) | OptionKind::ChoiceOfFewer { words, .. }
                if words.contains(&text) =>
            {
                Ok(OptionValue::Text(text.to_string()))
            }
            OptionKind::Choice(words) | OptionKind::ChoiceOfFewer { words, .. } => {
                let near = nearest_name(text, words.iter().copied())
                    .map_or_else(String::new, |word| format!(", did you mean `{word}`?"));
                Err(refuse(format!("`{text}` is not one of its values{near}")))
            }
            OptionKind::Text { check, .. } => match check(text) {
                Ok(()) => Ok(OptionValue::Text(text.to_string())),
                Err(reason) => Err(refuse(reason)),
            },
        }
    }

    fn describe_values(&self) -> String {
        match self.kind {
            OptionKind::Count { least } => format!("a whole number of at least {least}"),
            OptionKind::Counts { least } => {
                format!("a whole number of at least {least}, or a list of them")
            }
            OptionKind::CountOrAll => "`all` or a whole number of at least 1".to_string(),
            OptionKind::Number { least, most } => format!("a number from {least} to {most}"),
            OptionKind::Positive => "a number above 0".to_string(),
            OptionKind::Choice(_) | OptionKind::ChoiceOfFewer { .. } | OptionKind::Text { .. } => {
                self.kind.grammar()
            }
        }
    }
}

/// A method's options, fully resolved: every option has a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings(Vec<(&'static str, OptionValue)>);

impl Settings {
    /// Resolves the options that the user specified (pairs of option name or flag, and text) against
    /// the options of a method. All other options get their defaults.
    ///
    /// # Errors
    /// An option that the method does not have, a repeated option, or a value out of range.
    pub fn resolve<N: AsRef<str>, V: AsRef<str>>(
        method: &str,
        options: &[&'static OptionInfo],
        given: &[(N, V)],
    ) -> Result<Self> {
        let mention = |option: &OptionInfo| wording::setting(option.name, None);
        Self::resolve_mentioned(method, options, mention, given)
    }

    /// Like [`Self::resolve`], with a function that creates the mention of an option in messages.
    pub(crate) fn resolve_mentioned<N: AsRef<str>, V: AsRef<str>>(
        method: &str,
        options: &[&'static OptionInfo],
        mention: impl Fn(&OptionInfo) -> Mention,
        given: &[(N, V)],
    ) -> Result<Self> {
        let mut values: Vec<(&'static str, Option<OptionValue>)> =
            options.iter().map(|option| (option.name, None)).collect();
        for (name, text) in given {
            let name = name.as_ref();
            let place = options
                .iter()
                .position(|option| option.name == name || option.flag == name)
                .ok_or_else(|| {
                    let takes: Vec<Mention> =
                        options.iter().map(|option| mention(option)).collect();
                    let method = wording::method(method);
                    Error::option(
                        name,
                        format!("{method} does not take it"),
                        format!("{method} takes {}", takes.join(", ")),
                    )
                })?;
            if values[place].1.is_some() {
                let name = options[place].name;
                return Err(Error::option(name, "it is given twice", "give it once"));
            }
            values[place].1 = Some(options[place].parse(text.as_ref())?);
        }
        let resolved = options
            .iter()
            .zip(values)
            .map(|(option, (name, value))| match value {
                Some(value) => Ok((name, value)),
                None => option.parse(option.default).map(|value| (name, value)),
            })
            .collect::<Result<Vec<_>>>()?;
        Ok(Self(resolved))
    }

    /// All options with their names, in the method's order.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &OptionValue)> {
        self.0.iter().map(|(name, value)| (*name, value))
    }

    /// The options as a JSON object; counts and numbers are numbers, everything else is text.
    pub fn to_json(&self) -> Map<String, Value> {
        self.iter()
            .map(|(name, value)| {
                let value = match value {
                    OptionValue::Count(count) => Value::from(*count),
                    OptionValue::Counts(counts) => Value::from(counts.clone()),
                    OptionValue::Number(number) => Value::from(*number),
                    other => Value::from(other.to_string()),
                };
                (name.to_string(), value)
            })
            .collect()
    }

    /// The value of an option.
    ///
    /// # Errors
    /// [`Error::Internal`] if the method did not declare the option.
    pub fn get(&self, option: &OptionInfo) -> Result<&OptionValue> {
        self.0
            .iter()
            .find(|(name, _)| *name == option.name)
            .map(|(_, value)| value)
            .ok_or_else(|| Error::Internal(format!("option {} was not declared", option.name)))
    }

    /// A whole number.
    ///
    /// # Errors
    /// [`Error::Internal`] if the option is not a declared [`OptionKind::Count`].
    pub fn count(&self, option: &OptionInfo) -> Result<usize> {
        match self.get(option)? {
            OptionValue::Count(count) => Ok(usize::try_from(*count).unwrap_or(usize::MAX)),
            other => Err(Error::Internal(format!("option {} is {other}", option.name))),
        }
    }

    /// A real number.
    ///
    /// # Errors
    /// [`Error::Internal`] if the option is not a declared [`OptionKind::Number`] or
    /// [`OptionKind::Positive`].
    pub fn number(&self, option: &OptionInfo) -> Result<f64> {
        match self.get(option)? {
            OptionValue::Number(number) => Ok(*number),
            other => Err(Error::Internal(format!("option {} is {other}", option.name))),
        }
    }

    /// A word or text.
    ///
    /// # Errors
    /// [`Error::Internal`] if the option is not a declared choice or text.
    pub fn text(&self, option: &OptionInfo) -> Result<&str> {
        match self.get(option)? {
            OptionValue::Text(text) => Ok(text),
            other => Err(Error::Internal(format!("option {} is {other}", option.name))),
        }
    }

    /// The value of an option, converted to a type.
    ///
    /// # Errors
    /// [`Error::Internal`] if the option was not declared, or has values of another type.
    pub(crate) fn read<T: FromOption>(&self, option: &OptionInfo) -> Result<T> {
        let value = self.get(option)?;
        T::from_option(value)
            .ok_or_else(|| Error::Internal(format!("option {} is {value}", option.name)))
    }

    /// The value of a text option, read by `parse`.
    ///
    /// # Errors
    /// [`Error::Internal`] if the option was not declared as a text that `parse` can read.
    pub(crate) fn parse<T>(
        &self,
        option: &OptionInfo,
        parse: impl FnOnce(&str) -> std::result::Result<T, String>,
    ) -> Result<T> {
        parse(self.text(option)?).map_err(|reason| {
            Error::Internal(format!("option {} was not checked: {reason}", option.name))
        })
    }

    /// These settings, completed with the defaults of the missing `options`.
    ///
    /// # Errors
    /// An option does not accept its own default, which is a mistake in the declaration.
    pub(crate) fn completed(&self, options: &[&'static OptionInfo]) -> Result<Self> {
        let mut all = self.clone();
        for option in options {
            if self.get(option).is_err() {
                all.0.push((option.name, option.parse(option.default)?));
            }
        }
        Ok(all)
    }
}

/// A type to which the value of an option can be converted.
pub(crate) trait FromOption: Sized {
    /// Converts the value; `None` if it is of another kind.
    fn from_option(value: &OptionValue) -> Option<Self>;
}

impl FromOption for usize {
    fn from_option(value: &OptionValue) -> Option<Self> {
        match value {
            OptionValue::Count(count) => Some(usize::try_from(*count).unwrap_or(usize::MAX)),
            _ => None,
        }
    }
}

/// A list of one or more numbers, ascending.
impl FromOption for Vec<usize> {
    fn from_option(value: &OptionValue) -> Option<Self> {
        let number = |count: &u64| usize::try_from(*count).unwrap_or(usize::MAX);
        match value {
            OptionValue::Counts(counts) => Some(counts.iter().map(number).collect()),
            count => usize::from_option(count).map(|count| vec![count]),
        }
    }
}

/// `None` means all.
impl FromOption for Option<usize> {
    fn from_option(value: &OptionValue) -> Option<Self> {
        match value {
            OptionValue::All => Some(None),
            count => usize::from_option(count).map(Some),
        }
    }
}

impl FromOption for f64 {
    fn from_option(value: &OptionValue) -> Option<Self> {
        match value {
            OptionValue::Number(number) => Some(*number),
            _ => None,
        }
    }
}

/// Declares the words for the values of an enum, in the order shown to users:
/// `choices! { Form { Auto = "auto", Direct = "direct" } }`. An option of that type accepts these
/// words (`OptionKind::Choice(Form::WORDS)`), and the enum is read from them.
macro_rules! choices {
    ($type:ident { $($variant:ident = $word:literal),+ $(,)? }) => {
        impl $type {
            /// The words for the values, in the order shown to users.
            pub(crate) const WORDS: &'static [&'static str] = &[$($word),+];
        }

        impl $crate::options::FromOption for $type {
            fn from_option(value: &$crate::options::OptionValue) -> Option<Self> {
                match value {
                    $crate::options::OptionValue::Text(text) => match text.as_str() {
                        $($word => Some(Self::$variant),)+
                        _ => None,
                    },
                    _ => None,
                }
            }
        }
    };
}
pub(crate) use choices;

/// A type that can be created from resolved options.
pub(crate) trait FromSettings: Sized {
    /// Reads the options.
    ///
    /// # Errors
    /// [`Error::Internal`]: an option was not declared, or not checked.
    fn from_settings(settings: &Settings) -> Result<Self>;

    /// Creates the value for the defaults of `options`.
    ///
    /// # Panics
    /// An option does not accept its own default. The tests cover all defaults.
    fn from_defaults(options: &[&'static OptionInfo]) -> Self {
        Settings::resolve::<&str, &str>("defaults", options, &[])
            .and_then(|settings| Self::from_settings(&settings))
            .unwrap_or_else(|error| panic!("an option refuses its default: {error}"))
    }
}
