//! The methods: one short file each, composed from the five steps, and the registry that lists
//! them for the command line, Python, the documentation and the tests.

pub mod options;
mod problem;
pub mod registry;
mod relieff;

pub use options::{OptionInfo, OptionKind, OptionValue, Settings};
pub use problem::Problem;
pub use registry::{METHODS, MethodInfo, Task, method};
pub use relieff::ReliefF;
