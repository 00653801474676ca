//! The arguments of a call from R.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;

use basrelief::{Error, Result, Run};

/// The arguments of a call: each is a list of texts, and one that is `NULL` is not there. Numbers are written with all
/// digits, truth values as `TRUE` and `FALSE`. The names of the elements of an argument, if it has any, are the argument
/// with `.names` after its name.
#[derive(Debug, Clone, Default)]
pub struct Arguments(BTreeMap<String, Vec<String>>);

impl FromIterator<(String, Vec<String>)> for Arguments {
    fn from_iter<I: IntoIterator<Item = (String, Vec<String>)>>(arguments: I) -> Self {
        Self(arguments.into_iter().collect())
    }
}

impl Arguments {
    /// All elements of an argument; none if it is absent.
    pub fn list(&self, name: &str) -> &[String] {
        self.0.get(name).map_or(&[], Vec::as_slice)
    }

    /// Whether the argument is there.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// The first element of an argument.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.list(name).first().map(String::as_str)
    }

    /// The first element as a path.
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        self.text(name).map(PathBuf::from)
    }

    /// Whether the argument is `TRUE`.
    pub fn switch(&self, name: &str) -> bool {
        self.text(name) == Some("TRUE")
    }

    /// The elements of an argument with their names.
    pub fn named(&self, name: &str) -> Vec<(String, String)> {
        let names = self.list(&format!("{name}.names"));
        names.iter().cloned().zip(self.list(name).iter().cloned()).collect()
    }

    /// The elements of an argument, those of one name together, in the order of the names.
    pub fn grouped(&self, name: &str) -> Vec<(String, Vec<String>)> {
        let mut groups: Vec<(String, Vec<String>)> = Vec::new();
        for (group, element) in self.named(name) {
            match groups.iter_mut().find(|(own, _)| *own == group) {
                Some((_, elements)) => elements.push(element),
                None => groups.push((group, vec![element])),
            }
        }
        groups
    }

    /// The first element as a number; `setting` is the name of the setting in messages.
    ///
    /// # Errors
    /// It is not a number of this type.
    pub fn number<T: FromStr>(&self, name: &str, setting: &'static str) -> Result<Option<T>> {
        let Some(text) = self.text(name) else { return Ok(None) };
        let number = text.parse();
        number.map(Some).map_err(|_| {
            Error::option(setting, format!("`{text}` is not such a number"), "use another number")
        })
    }

    /// The environment of the computation.
    ///
    /// # Errors
    /// A seed or a number of threads that is not a whole number; the errors of [`Run::new`].
    pub fn run(&self) -> Result<Run> {
        let run = Run::new(self.number("threads", "threads")?)?;
        Ok(run.with_seed(self.number("seed", "seed")?.unwrap_or_default()))
    }
}
