//! Is it real? What weights come out where there is nothing to find, and how steady a selection is.
//!
//! [`Permutations`] of the target are the null hypothesis; a [`PermutationTest`] compares weights with those
//! that a method gives to permuted targets, and corrects for the number of features.
//!
//! [`resampled_rankings`] ranks the features on many parts of the rows, and [`nogueira`] says how alike the
//! selections are; beside [`permuted_copies`] of the features, how often chance alone selects one.
//!
//! [`weigh_sets`] weighs features set by set, as the variants of genes, and tests the sets.

mod multiple_testing;
mod permutation_test;
mod permutations;
mod permuted_copies;
mod resampling;
mod set_weights;
mod stability;
mod strata;

pub use multiple_testing::{benjamini_hochberg, storey};
pub use permutation_test::{
    Correction, Draws, EXCEEDANCES, Exceedances, NoStore, PermutationTest, Significance, TestStore,
};
pub use permutations::{Permutations, check_p_values};
pub use permuted_copies::permuted_copies;
pub use resampling::{ResampledFeature, ResampledRankings, Resampling, resampled_rankings};
pub use set_weights::{SetTest, WeighedSet, weigh_sets};
pub use stability::{Stability, nogueira};
pub use strata::strata;
