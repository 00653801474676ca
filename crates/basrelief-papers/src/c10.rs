//! The experiments of Chang 2010, section 4: generalized I-RELIEF beside ten other metrics.
//!
//! The paper shows its numbers in pictures only. What it concludes from them is checked claim by
//! claim. It mentions no scaling, and nothing is scaled here.
//!
//! Where there are fewer rows than features, maps are learned in the span of the rows: these are the
//! paper's principal components, none of them left out (and its linearized form of GI-RELIEF). The
//! rows of the prostate set are written in coordinates of their common span once, which changes no
//! distance. I-RELIEF alone weighs single features, and sees these.
//!
//! The paper leaves some details open. I-RELIEF has squared differences and no outlier term, as in
//! the paper's section 2.2, ten iterations, and a kernel as wide as the mean squared distance to the
//! seventh neighbor under equal weights. All other options are our defaults. The rings come from our
//! generator, 665 new rows for every run. GCM and AR are not available.

mod maps;
mod methods;
mod rates;
mod sets;
mod times;

pub(crate) use maps::{FIGURE1, FIGURE3};
pub(crate) use rates::FIGURE4;
pub(crate) use times::FIGURE5;
