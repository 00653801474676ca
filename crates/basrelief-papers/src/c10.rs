//! The experiments of Chang 2010, section 4: generalized I-RELIEF compared with ten other metrics.
//!
//! The paper shows its numbers only in figures. Its conclusions are checked claim by claim. It does not mention
//! scaling, and no scaling is applied here.
//!
//! If there are fewer rows than features, maps are learned in the span of the rows. This corresponds to the paper's
//! principal components with all components retained (and to its linearized form of GI-RELIEF). The rows of the
//! prostate set are transformed once to coordinates of their span, which does not change any distance. Only I-RELIEF,
//! which weights single features, uses the original features.
//!
//! The paper leaves some details open. I-RELIEF uses squared differences and no outlier term, as in section 2.2 of the
//! paper. The width of its kernel is the mean squared distance to the seventh neighbor under equal weights. All other
//! options have our default values. The rings come from our generator, with 665 new rows for each run. GCM and AR are
//! not available.

mod maps;
mod methods;
mod rates;
mod sets;
mod times;

pub(crate) use maps::{FIGURE1, FIGURE3};
pub(crate) use rates::FIGURE4;
pub(crate) use times::FIGURE5;
