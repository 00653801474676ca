//! How features are weighed: what rankings tell and tests repeat.

use basrelief::methods::wrappers::Wrapper;
use basrelief::methods::{MethodInfo, Settings};
use serde_json::{Value, json};

/// A method with its options and the wrappers around it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Recipe<'a> {
    pub(crate) info: &'static MethodInfo,
    pub(crate) settings: &'a Settings,
    pub(crate) wrappers: &'a [Wrapper],
}

impl Recipe<'_> {
    /// The wrappers in JSON.
    pub(crate) fn wrappers_json(&self) -> Vec<Value> {
        let json = |wrapper: &Wrapper| json!({"name": wrapper.info().name, "options": wrapper.settings().to_json()});
        self.wrappers.iter().map(json).collect()
    }
}
