//! Protocols: the experiments of the papers behind basrelief, to be run again.
//!
//! | module | what it holds |
//! |---|---|
//! | `pb06`, `sw08`, `c10`, `w11`, `hm13` | a paper's experiments |
//! | `registry` | the list of them, for the command line and the tests |
//! | `protocol` | what an experiment is given and what it returns |
//! | `reproduce` | runs one and writes its results into a folder |
//! | `data` | the data sets and where they come from |
//! | `curves` | error or success rates by the number of features, for every method on a data set |
//! | `published` | our numbers beside a paper's numbers |
//! | `claims` | the claims of a paper and whether they hold |
//! | `statistics` | means with their errors |
//!
//! A protocol only computes; [`reproduce()`] writes the files. A folder holds the results of one
//! protocol with one set of options, and nothing else.

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
