//! A method with its options and the wrappers around it, in words and in JSON.

use basrelief::Run;
use basrelief::methods::wrappers::Wrapper;
use basrelief::methods::{MethodInfo, Settings};
use serde_json::{Value, json};

use crate::subject::stated_options;

/// A method with its options and the wrappers around it.
#[derive(Debug, Clone, Copy)]
pub struct Recipe<'a> {
    /// The method.
    pub info: &'static MethodInfo,
    /// Its options.
    pub settings: &'a Settings,
    /// The wrappers around it, the innermost first.
    pub wrappers: &'a [Wrapper],
}

impl Recipe<'_> {
    /// The method in words, with the options that differ from their defaults.
    pub fn line(&self, run: &Run) -> String {
        let mut name = self.info.name.to_string();
        for wrapper in self.wrappers {
            name = format!("{wrapper} of {name}");
        }
        format!("method {name} {}", stated_options(self.info.options, self.settings, run))
    }

    /// The wrappers in JSON, the innermost first.
    pub fn wrappers_json(&self) -> Vec<Value> {
        let json = |wrapper: &Wrapper| json!({"name": wrapper.info().name, "options": wrapper.settings().to_json()});
        self.wrappers.iter().map(json).collect()
    }
}
