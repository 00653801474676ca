//! Protocols, which reproduce the experiments of the papers behind basrelief.
//!
//! | module | content |
//! |---|---|
//! | `pb06`, `sw08`, `c10`, `w11`, `hm13`, `rba26` | the experiments of a paper |
//! | `registry` | the list of protocols, for the command line and the tests |
//! | `protocol` | the input and the results of an experiment |
//! | `reproduce` | runs a protocol and writes its results to a folder |
//! | `data` | the data sets and their sources |
//! | `curves` | error or success rates by the number of features, for each method on a data set |
//! | `published` | comparison of our numbers with those of a paper |
//! | `claims` | the claims of a paper and whether they hold |
//! | `statistics` | means with their standard errors |
//!
//! A protocol only computes results; [`reproduce()`] writes the files. A folder contains the results of one protocol
//! with one set of options, and nothing else.

#![forbid(unsafe_code)]
// An error ends the experiment, so its size does not matter.
#![allow(clippy::result_large_err)]

mod c10;
mod claims;
mod curves;
mod data;
mod hm13;
mod pb06;
mod protocol;
mod published;
mod rba26;
mod registry;
mod reproduce;
mod statistics;
mod sw08;
mod w11;

pub use claims::{Claim, Finding, Verdict};
pub use data::{AddedSet, DATA_VARIABLE, DataFolder, DataSet};
pub use protocol::{ProtocolInfo, Results};
pub use registry::{PROTOCOLS, protocol};
pub use reproduce::reproduce;
