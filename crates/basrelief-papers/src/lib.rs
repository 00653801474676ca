//! Protocols: the experiments of the papers behind basrelief, one file per experiment, and a
//! registry that lists them for the command line and the tests.
//!
//! A protocol computes; where its results go is [`reproduce`]'s matter: a folder that holds the
//! results of one protocol with one set of options, and nothing else.

#![forbid(unsafe_code)]
// An error ends the experiment, so that its size never matters.
#![allow(clippy::result_large_err)]

mod c10;
mod claims;
mod data;
mod hm13;
mod pb06;
mod published;
pub mod registry;
mod statistics;
mod sw08;
mod w11;

pub use data::{DATA_VARIABLE, DataFolder, DataSet};
pub use registry::{PROTOCOLS, ProtocolInfo, protocol};
pub use registry::{Results, reproduce};
