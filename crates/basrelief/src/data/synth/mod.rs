//! Generated data sets with a known truth. There is one file per kind, and a registry that lists the kinds
//! for the command line, Python and the tests.

mod banana;
mod cohort;
mod concentric_rings;
mod genome;
mod info;
mod linkage;
mod majority;
mod mixed;
mod modulo;
mod noise;
mod non_monotonic;
mod normals;
mod options;
mod random;
mod rbf;
mod rdg1;
pub mod registry;
mod repeated;
mod surfaces;
mod survival;
mod truth;
mod waveform;
mod xor;

pub use info::{Ancestry, Generated, GeneratorInfo};
pub use noise::with_noise;
pub use registry::{GENERATORS, generator};
pub use repeated::repeated;
pub use truth::Truth;
