//! Warnings: a result was computed all the same, but the user should know something about it.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::wording::{self, Library};

/// Something the user should know about a result that was computed all the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    code: Cow<'static, str>,
    message: String,
}

impl Warning {
    /// A warning with a stable code (for programs) and a message (for people), which may mention
    /// options and methods ([`crate::wording`]).
    pub fn new(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into() }
    }

    /// Stable short code, for example `constant-features`.
    pub fn code(&self) -> &str {
        &self.code
    }

    /// The message with its mentions as they are ([`crate::wording`]), to be a part of another.
    pub fn marked(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&wording::spell(&self.message, &Library))
    }
}
