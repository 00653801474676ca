//! Permutation tests of weights, and the stability of selections.
//!
//! [`Permutations`] of the target represent the null hypothesis. A [`PermutationTest`] compares weights with those
//! under permuted targets, and corrects for the number of features.
//!
//! [`resampled_rankings`] ranks the features on many samples of the rows, and [`ResampledRankings::stability`]
//! measures how similar the selections are. With [`permuted_copies`] of the features, the rankings also show how
//! often a feature is selected by chance alone.
//!
//! [`weigh_sets`] computes weights set by set, for example of the variants of each gene, and tests the sets.
//!
//! [`WeightIntervals`] show how much weights would vary between samples of as many rows.
//!
//! This example measures the stability of a selection; the [front page](crate#select-features) has an example of
//! p-values:
//!
//! ```
//! use basrelief::Run;
//! use basrelief::data::synth::generator;
//! use basrelief::inference::{Resampling, resampled_rankings};
//! use basrelief::maps::RankBy;
//! use basrelief::methods::{Problem, method};
//! use basrelief::selection::RedundancyRule;
//!
//! let run = Run::new(None)?.with_seed(3);
//! let kind = generator("xor")?;
//! let data = kind.generate(&kind.settings(&[("rows", "200")])?, &run)?;
//!
//! let relieff = method("relieff")?;
//! let settings = relieff.settings(&[("n_neighbors", "20")])?;
//! let problem = Problem::new(&data.table, &data.target)?;
//! let (redundancy, rank_by) = (RedundancyRule::None, RankBy::Weight);
//! let resampling = Resampling { resamples: 20, fraction: 0.5, top: 2, redundancy, rank_by };
//! let found = resampled_rankings(relieff, &settings, &[], &problem, &resampling, &run)?;
//!
//! // The selection frequency of the feature that is selected most often, and the stability of the selections.
//! let first = found.order()[0];
//! assert!(found.features[first].frequency > 0.5);
//! assert!(found.stability()?.value <= 1.0);
//! # Ok::<(), basrelief::Error>(())
//! ```

mod exchanges;
mod given_covariates;
mod intervals;
mod multiple_testing;
mod permutation_test;
mod permutations;
mod permuted_copies;
mod resampling;
mod set_weights;
mod stability;

pub use exchanges::Scheme;
pub use intervals::WeightIntervals;
#[cfg(test)]
pub(crate) use multiple_testing::benjamini_hochberg;
pub use multiple_testing::storey;
pub use permutation_test::{
    Correction, Draws, Exceedances, MOST_PERMUTATIONS, NoStore, PermutationTest, Sided,
    Significance, TestStore,
};
pub use permutations::Permutations;
pub use permuted_copies::permuted_copies;
pub use resampling::{ResampledFeature, ResampledRankings, Resampling, resampled_rankings};
pub use set_weights::{SetTest, WeighedSet, weigh_sets};
pub use stability::Stability;
