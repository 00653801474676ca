//! The experiments of Sun & Wu 2008, section 5.1: does LFE help k-NN among irrelevant features, and
//! what does it cost?
//!
//! Six sets, twenty runs. Each run parts the rows at random into the paper's numbers for learning and
//! testing, and appends ten new columns of Gaussian noise. 10-fold cross-validation inside the
//! training rows chooses the number of neighbors M of RELIEF-F and LFE, the k of k-NN, and the number
//! of features of DANN and LFE. NCA is learned for several numbers of features, and the least mean
//! error counts, as in the paper.
//!
//! The paper leaves some details open. The noise has mean 0 and variance 1, the unit of most of the
//! sets. Distances are Manhattan throughout (in RELIEF-F, LFE and k-NN), as in its section 2, and
//! differences count in the units of the data. RELIEF-F's weights weigh the distance; those below 0
//! count as 0. DANN is not sphered: sphered it is far worse than the paper's. M is one of 1 to 30, k one
//! of the odd numbers to 49. NCA's k is chosen by 3-fold cross-validation, as NCA is learned so often.

mod errors;
mod metrics;

mod sets;
mod times;

pub(crate) use errors::TABLE2;
pub(crate) use metrics::FIGURE3;
pub(crate) use times::TABLE3;
