//! The kind of target that a method supports.

use crate::data::{Target, TargetKind};

/// The kind of target that a method supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Task {
    /// Exactly two classes.
    TwoClasses,
    /// Two or more classes.
    Classes,
    /// A numeric target.
    Regression,
    /// Survival times.
    Survival,
    /// Two or more classes, a numeric target, or survival times.
    Any,
}

impl Task {
    /// `two classes`, `classes`, `regression`, `survival` or `classes or regression`.
    pub fn name(self) -> &'static str {
        match self {
            Task::TwoClasses => "two classes",
            Task::Classes => "classes",
            Task::Regression => "regression",
            Task::Survival => "survival",
            Task::Any => "classes or regression",
        }
    }

    /// Whether a method of this task accepts a target.
    pub(crate) fn accepts(self, target: &Target) -> bool {
        match self {
            Task::TwoClasses => target.as_classes().is_some_and(|classes| classes.len() == 2),
            Task::Classes => target.as_classes().is_some(),
            Task::Regression => target.as_numbers().is_some() || target.as_multi().is_some(),
            Task::Survival => target.as_survival().is_some(),
            Task::Any => true,
        }
    }

    /// What a method of this task needs, in messages.
    pub fn needs(self) -> &'static str {
        match self {
            Task::TwoClasses => "exactly two classes",
            Task::Classes => "classes",
            Task::Regression => "a numeric target",
            Task::Survival => "survival times",
            Task::Any => "a target",
        }
    }

    /// How a target is read if the user does not specify its kind.
    pub fn target_kind(self) -> TargetKind {
        match self {
            Task::TwoClasses | Task::Classes => TargetKind::PreferClasses,
            Task::Regression => TargetKind::PreferReal,
            Task::Survival | Task::Any => TargetKind::Auto,
        }
    }
}
