//! Is it real? What weights come out where there is nothing to find, and how steady a selection is.
//!
//! [`Permutations`] of the target are the null hypothesis; a [`PermutationTest`] compares weights with those
//! that a method gives to permuted targets, and corrects for the number of features.
//!
//! [`resampled_rankings`] ranks the features on many parts of the rows, and [`ResampledRankings::stability`] says how alike the
//! selections are; beside [`permuted_copies`] of the features, how often chance alone selects one.
//!
//! [`weigh_sets`] weighs features set by set, as the variants of genes, and tests the sets.
//!
//! How stable a selection is; the [front page](crate#select-features) has an example of p-values:
//!
//! ```
//! use basrelief::Run;
//! use basrelief::data::synth::generator;
//! use basrelief::inference::{Resampling, resampled_rankings};
//! use basrelief::methods::{Problem, method};
//!
//! let run = Run::new(None)?.with_seed(3);
//! let kind = generator("xor")?;
//! let data = kind.generate(&kind.settings(&[("rows", "200")])?, &run)?;
//!
//! let relieff = method("relieff")?;
//! let settings = relieff.settings(&[("n_neighbors", "20")])?;
//! let problem = Problem::new(&data.table, &data.target)?;
//! let resampling = Resampling { resamples: 20, fraction: 0.5, top: 2 };
//! let found = resampled_rankings(relieff, &settings, &[], &problem, &resampling, &run)?;
//!
//! // The share of the resamples that select the feature which is selected most often, and how alike selections are.
//! let first = found.order()[0];
//! assert!(found.features[first].frequency > 0.5);
//! assert!(found.stability()?.value <= 1.0);
//! # Ok::<(), basrelief::Error>(())
//! ```

mod multiple_testing;
mod permutation_test;
mod permutations;
mod permuted_copies;
mod resampling;
mod set_weights;
mod stability;
mod strata;

#[cfg(test)]
pub(crate) use multiple_testing::benjamini_hochberg;
pub use multiple_testing::storey;
pub use permutation_test::{
    Correction, Draws, Exceedances, MOST_PERMUTATIONS, NoStore, PermutationTest, Significance,
    TestStore,
};
pub use permutations::{Permutations, check_p_values};
pub use permuted_copies::permuted_copies;
pub use resampling::{ResampledFeature, ResampledRankings, Resampling, resampled_rankings};
pub use set_weights::{SetTest, WeighedSet, weigh_sets};
pub use stability::Stability;
pub use strata::strata;
