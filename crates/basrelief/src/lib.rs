//! RELIEF-family feature weighting for tabular, gene-expression and SNP data.
//!
//! A Relief method looks at every row's nearest rows of the same class (*hits*) and of other
//! classes (*misses*): a feature is good if it differs between a row and its misses and agrees
//! between a row and its hits. Because the neighbors are near in all features at once, features
//! that matter only together are found too.
//!
//! Every method is composed of five steps: [`data`] (tables and targets), [`neighbors`] (who is
//! near), [`margins`] (what is added up), a solver, and [`maps`] (the result). [`methods`] lists
//! them all.
//!
//! ```
//! use basrelief::data::{Classes, Table, Target};
//! use basrelief::methods::{Problem, ReliefF};
//! use basrelief::Run;
//!
//! // The class is whether `a` and `b` are on the same side of 0; `c` is noise.
//! let rows = [
//!     [0.9, 0.8, 0.1], [-0.7, -0.9, 0.5], [0.8, 0.7, -0.9], [-0.8, -0.6, -0.2],
//!     [0.7, -0.8, 0.4], [-0.9, 0.9, -0.6], [0.6, -0.7, -0.3], [-0.6, 0.6, 0.8],
//! ];
//! let table = Table::from_row_major(rows.as_flattened(), 8, &["a", "b", "c"])?;
//! let target = Target::Classes(Classes::from_labels(&["s", "s", "s", "s", "d", "d", "d", "d"]));
//!
//! let mut relieff = ReliefF::default();
//! relieff.nearest.n_neighbors = 1;
//! let fitted = relieff.fit(&Problem::new(&table, &target)?, &Run::new(None)?)?;
//!
//! let weights = fitted.map.weights();
//! assert!(weights[0] > weights[2] && weights[1] > weights[2]);
//! # Ok::<(), basrelief::Error>(())
//! ```

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
mod packed;
pub mod pairs;
mod random;
pub mod report;
pub mod run;
pub mod solve;
mod thresholds;
pub mod warning;
pub mod wording;

pub use checksum::Checksum;
pub use error::{DataError, Error, Result};
pub use front_end::{Audience, FrontEnd};
pub use memory::{Memory, VARIABLE as MEMORY_VARIABLE};
pub use report::{Elimination, Fitted, Plan, Report};
pub use run::{CancelFlag, Progress, Run, SIMD_VARIABLE, Threads, available_threads, derived_seed};
pub use warning::Warning;
