//! The R package `basrelief`: what its functions ask of the library.
//!
//! A data frame becomes a [`RawTable`](basrelief::data::RawTable), as a file does, so that columns, roles and targets
//! are read by the rules of all other front ends. The arguments of a call arrive as [`Arguments`], the settings of a
//! [`Study`](basrelief_study::Study) by name, and an [`Answer`] goes back. `bindings.rs`, with the feature `r`, is the
//! only file that knows R; everything else is compiled and tested without it.

// The bindings export C functions by macros of `savvy`, which are unsafe by nature.
#![cfg_attr(not(feature = "r"), forbid(unsafe_code))]
// An error ends the call, so its size does not matter.
#![allow(clippy::result_large_err)]

mod answer;
mod arguments;
#[cfg(feature = "r")]
mod bindings;
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
pub use frame::{FrameColumn, FrameValues, raw_table};
pub use map::{learn, summary, transform};
pub use rank::rank;
pub use registry::methods;
