//! How two values of a feature differ, how two rows do, and which difference a missing value is expected to have.

mod bit_code;
mod correction;
mod expected;
mod grid;
mod options;
mod space;
mod units;

pub(crate) use bit_code::{BitCode, MOST_PLANES};
pub(crate) use correction::{CodedValue, CorrectionRule};
pub(crate) use expected::MissingTable;
pub use options::{GenotypeDiff, Metric, MissingPolicy, Ramp, SpaceOptions};
pub use space::Space;
pub(crate) use space::{Feature, Rule, ScaledBuffers, give_range, widest_range};
pub(crate) use units::{Units, code_missing, round, with_corrections};
