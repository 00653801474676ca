//! The R package `basrelief`: what its functions ask of the library.
//!
//! A data frame becomes a [`RawTable`](basrelief::data::RawTable), as a file does, so that columns, roles and targets
//! are read by the rules of all other front ends. The arguments of a call arrive as [`Arguments`], the settings of a
//! [`Study`](basrelief_study::Study) by name, and an [`Answer`] goes back. The crate
//! `basrelief-r-bindings` converts between these values and those of R; this one is tested without R.

#![forbid(unsafe_code)]
// An error ends the call, so its size does not matter.
#![allow(clippy::result_large_err)]

mod answer;
mod arguments;
mod cohort;
mod corelearn;
mod frame;
mod map;
mod rank;
mod registry;
mod study;

pub use answer::{Answer, Value};
pub use arguments::Arguments;
pub use cohort::people;
pub use corelearn::attr_eval;
pub use frame::{FrameColumn, FrameValues, LevelKind, raw_table};
pub use map::{learn, summary, transform};
pub use rank::rank;
pub use registry::methods;
