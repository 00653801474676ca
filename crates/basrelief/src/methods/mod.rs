//! The methods: one short file each, composed from the five steps, and the registry that lists
//! them for the command line, Python, the documentation and the tests.

mod drelieff;
mod irelief;
mod lmba;
mod myopic;
pub mod options;
mod pdrelieff;
mod problem;
pub mod registry;
mod relief;
mod relief_e;
mod relief_margin;
mod relieff;
mod rrelieff;
mod shared;
mod simba;

pub use drelieff::DReliefF;
pub use irelief::IRelief;
pub use lmba::Lmba;
pub use myopic::Myopic;
pub use options::{OptionInfo, OptionKind, OptionValue, Settings};
pub use pdrelieff::PDReliefF;
pub use problem::Problem;
pub use registry::{METHODS, MethodInfo, Task, method};
pub use relief::Relief;
pub use relief_e::ReliefE;
pub use relief_margin::ReliefMargin;
pub use relieff::ReliefF;
pub use rrelieff::RReliefF;
pub use shared::NearestSettings;
pub use simba::{Simba, Utility};
