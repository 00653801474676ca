//! Differences between two values of a feature and between two rows, and the expected differences
//! to missing values.

mod bit_code;
mod canberra;
mod constant;
mod correction;
mod difference;
mod dosage;
mod expected;
mod fold;
mod grid;
mod maximum;
mod metric;
mod mismatch;
mod number;
mod number_range;
mod options;
mod ordinal;
mod ramp;
mod rule;
mod space;
mod units;

pub(crate) use bit_code::{BitCode, MOST_PLANES};
pub(crate) use correction::{CodedValue, CorrectionRule};
pub(crate) use difference::Form;
pub(crate) use expected::MissingTable;
pub(crate) use fold::{Fold, SumOf};
pub use metric::Metric;
pub(crate) use number_range::NumberRange;
pub use options::{GenotypeDiff, MissingPolicy, SpaceOptions};
pub use ramp::Ramp;
pub(crate) use rule::Rule;
pub use space::Space;
pub(crate) use space::{Feature, ScaledBuffers, give_range, widest_range};
pub(crate) use units::{Units, code_missing, round, with_corrections};
