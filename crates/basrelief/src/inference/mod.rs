//! Is it real? What weights come out where there is nothing to find, and how steady a selection is.
//!
//! A [`Permutations`] says how the target is permuted. [`resampled_rankings`] ranks the features on many
//! parts of the rows, and [`nogueira`] says how alike the selections are; beside [`permuted_copies`] of the
//! features, how often chance alone selects one.

mod permutations;
mod permuted_copies;
mod resampling;
mod stability;

pub use permutations::Permutations;
pub use permuted_copies::permuted_copies;
pub use resampling::{ResampledFeature, ResampledRankings, Resampling, resampled_rankings};
pub use stability::{Stability, nogueira};
