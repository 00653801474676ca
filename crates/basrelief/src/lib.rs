#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod algebra;
pub mod checksum;
mod csr;
pub mod data;
pub mod differences;
pub mod distribute;
pub mod error;
pub mod evaluate;
pub mod front_end;
pub mod inference;
pub mod knn;
pub mod maps;
pub mod margins;
mod memory;
pub mod methods;
pub mod neighbors;
mod objectives;
pub mod options;
mod order;
mod packed;
pub mod pairs;
mod parallel;
mod random;
pub mod report;
pub mod run;
pub mod sealed;
pub mod selection;
pub mod solve;
mod thresholds;
pub mod warning;
pub mod wording;

pub use checksum::Checksum;
pub use error::{DataError, Error, Result};
pub use front_end::{Audience, FrontEnd};
pub use memory::Memory;
pub use report::{Elimination, Fitted, NeighborProfile, Plan, Report};
pub use run::{CancelFlag, Progress, Run, Stage, Threads, derived_seed};
pub use warning::Warning;
