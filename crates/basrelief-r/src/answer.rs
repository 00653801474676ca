//! Named values, which a call returns as a list in R.

use basrelief::{FrontEnd, Warning};

/// A value of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// `NULL`.
    Absent,
    /// Numbers; NaN is `NA`.
    Numbers(Vec<f64>),
    /// Whole numbers.
    Integers(Vec<i32>),
    /// Texts; `None` is `NA`.
    Texts(Vec<Option<String>>),
    /// Truth values.
    Switches(Vec<bool>),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A list.
    List(Answer),
}

impl Value {
    /// Texts without missing values.
    pub fn texts<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self::Texts(texts.into_iter().map(|text| Some(text.into())).collect())
    }

    /// One text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::texts([text])
    }

    /// Counts, or numbers of rows and columns.
    pub fn counts(counts: impl IntoIterator<Item = usize>) -> Self {
        Self::Integers(
            counts.into_iter().map(|count| count.try_into().unwrap_or(i32::MAX)).collect(),
        )
    }

    /// A value that may be absent.
    pub fn maybe(value: Option<Self>) -> Self {
        value.unwrap_or(Self::Absent)
    }
}

/// Named values, in their order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer(pub Vec<(String, Value)>);

impl Answer {
    /// Adds a value.
    #[must_use]
    pub fn with(mut self, name: &str, value: Value) -> Self {
        self.0.push((name.to_string(), value));
        self
    }

    /// Adds warnings, as R's user reads them: notes about effects that were requested are left out.
    #[must_use]
    pub fn with_warnings(self, warnings: &[Warning]) -> Self {
        let own = warnings.iter().filter(|warning| !warning.is_requested());
        self.with("warnings", Value::texts(own.map(|warning| warning.message(FrontEnd::R))))
    }

    /// The value of a name, if there is one.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(own, _)| own == name).map(|(_, value)| value)
    }
}
