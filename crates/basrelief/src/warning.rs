//! Warnings: a result was computed, but the user should know something about it.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::wording::Text;

/// Something that the user should know about a computed result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    code: Cow<'static, str>,
    message: Text,
    #[serde(default)]
    is_requested: bool,
}

impl Warning {
    /// Creates a warning with a stable code for programs and a message for people. The message may mention
    /// options and methods ([`crate::wording`]).
    pub fn new(code: impl Into<Cow<'static, str>>, message: impl Into<Text>) -> Self {
        Self { code: code.into(), message: message.into(), is_requested: false }
    }

    /// A note about the effect of an option that the user gave, such as the rows that a filter excluded. Front ends
    /// report it as a note, not as a warning.
    pub fn requested(code: impl Into<Cow<'static, str>>, message: impl Into<Text>) -> Self {
        Self { is_requested: true, ..Self::new(code, message) }
    }

    /// Whether the user asked for what the message reports.
    pub fn is_requested(&self) -> bool {
        self.is_requested
    }

    /// The stable short code, for example `constant-features`.
    pub fn code(&self) -> &str {
        &self.code
    }

    /// The code of version 0.1, if it differs.
    pub fn former_code(&self) -> Option<&'static str> {
        (self.code == "few-neighbors").then_some("few-neighbours")
    }

    /// The message, which every front end spells in its own way ([`crate::Audience::spell`]).
    pub fn text(&self) -> &Text {
        &self.message
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message.fmt(f)
    }
}
