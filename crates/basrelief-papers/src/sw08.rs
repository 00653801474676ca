//! The experiments of Sun & Wu 2008, section 5.1: does LFE improve k-NN in the presence of irrelevant features, and
//! what does it cost?
//!
//! There are six sets and twenty runs. Each run splits the rows at random into training and test rows, with the paper's
//! numbers, and appends ten new columns of Gaussian noise. 10-fold cross-validation within the training rows chooses
//! the number of neighbors M of RELIEF-F and LFE, the k of k-NN, and the number of features of DANN and LFE. NCA is
//! learned for several numbers of features, and the smallest mean error is reported, as in the paper.
//!
//! The paper leaves some details open. The noise has mean 0 and variance 1, which is the scale of most of the sets. All
//! distances are Manhattan distances (in RELIEF-F, LFE and k-NN), as in its section 2, and differences are in the
//! units of the data. RELIEF-F's weights are used in the distance, with negative weights set to 0. DANN does not use
//! sphering, because with sphering it is much worse than in the paper. M is chosen from values from 1 to 30, and k
//! from the odd numbers up to 49. NCA's k is chosen by 3-fold cross-validation, because NCA is learned very often.

mod errors;
mod metrics;

mod sets;
mod times;

pub(crate) use errors::TABLE2;
pub(crate) use metrics::FIGURE3;
pub(crate) use times::TABLE3;
