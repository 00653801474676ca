//! Is it real? What weights come out where there is nothing to find, and how steady a selection is.
//!
//! A [`Permutations`] says how the target is permuted.

mod permutations;

pub use permutations::Permutations;
