//! Generated data sets with a known truth: one file per kind, and a registry that lists them for
//! the command line, Python and the tests.

mod majority;
mod mixed;
mod modulo;
mod normals;
mod options;
mod random;
pub mod registry;
mod truth;
mod waveform;
mod xor;

pub use registry::{GENERATORS, Generated, GeneratorInfo, generator};
pub use truth::Truth;
