//! Is it real? What weights come out where there is nothing to find, and how steady a selection is.
//!
//! [`Permutations`] of the target are the null hypothesis; a [`PermutationTest`] compares weights with those
//! that a method gives to permuted targets, and corrects for the number of features.

mod multiple_testing;
mod permutation_test;
mod permutations;
mod strata;

pub use multiple_testing::{benjamini_hochberg, storey};
pub use permutation_test::{
    Correction, Draws, EXCEEDANCES, NoStore, PermutationTest, Significance, TestStore,
};
pub use permutations::Permutations;
pub use strata::strata;
