//! ReliefF.

use super::options::*;
use super::{MethodInfo, Problem, Settings, Task};
use crate::error::{Error, Result};
use crate::maps::FeatureWeights;
use crate::report::Fitted;
use crate::run::Run;

/// ReliefF.
#[derive(Debug, Clone, Default)]
pub struct ReliefF {}

/// Registry entry.
pub(crate) static INFO: MethodInfo = MethodInfo {
    name: "relieff",
    task: Task::Classes,
    purpose: "the standard: features that tell near rows of different classes apart",
    source: "Kononenko 1994",
    options: &[
        &N_NEIGHBORS,
        &N_SAMPLES,
        &NEIGHBOR_WEIGHTS,
        &METRIC,
        &TIES,
        &MISSING,
        &RAMP,
        &GENOTYPE_DIFF,
    ],
    fit: |_problem, _settings, _run| Err(Error::Internal("not built yet".to_string())),
};
