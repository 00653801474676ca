//! RELIEF-family feature weighting for tabular, gene-expression and SNP data.

#![forbid(unsafe_code)]

pub mod data;
pub mod error;
pub mod maps;
pub mod margins;
pub mod methods;
pub mod neighbors;
mod random;
pub mod report;
pub mod run;

pub use error::{DataError, Error, Result};
pub use report::{Fitted, Report, Warning};
pub use run::{CancelFlag, Progress, Run};
