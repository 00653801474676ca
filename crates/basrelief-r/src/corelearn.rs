//! Weights by the rules of CORElearn.

use basrelief::data::RawTable;
use basrelief::{Error, Result, Run};

use crate::answer::Answer;
use crate::arguments::Arguments;

/// Placeholder until merge.
pub fn attr_eval(_table: RawTable, _arguments: &Arguments, _run: &Run) -> Result<Answer> {
    Err(Error::Internal("not merged".to_string()))
}
