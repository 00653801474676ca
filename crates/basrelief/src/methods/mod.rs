//! The methods: one short file each, composed from the five steps, and the registry that lists
//! them for the command line, Python, the documentation and the tests.

mod mdm;
mod myopic;
pub mod options;
mod problem;
pub mod registry;
mod relief;
mod relief_e;
mod relief_margin;
mod relieff;
mod rrelieff;
mod shared;

pub use mdm::Mdm;
pub use myopic::Myopic;
pub use options::{OptionInfo, OptionKind, OptionValue, Settings};
pub use problem::Problem;
pub use registry::{METHODS, MethodInfo, Task, method};
pub use relief::Relief;
pub use relief_e::ReliefE;
pub use relief_margin::ReliefMargin;
pub use relieff::ReliefF;
pub use rrelieff::RReliefF;
pub use shared::NearestSettings;
