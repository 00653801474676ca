//! One fit on many machines: a plan, tasks that need nothing of each other, and a merge.
//!
//! A [`Plan`] cuts a fit into stages, and every stage into parts. Where the radius is the mean distance of
//! all pairs, [`Stage::Measure`] measures it, a part being some pairs of blocks of rows;
//! [`Stage::Search`] finds the neighbors of some rows among all; [`Stage::Sums`] weighs some columns, with
//! all rows and all neighbors. [`Plan::work`] does a part of a stage, from the results of the stage before;
//! [`Plan::merge`] makes the fit of the last one's.
//!
//! Plans and results are bytes that know their version, and results know their plan: other versions, other
//! plans, changed data and damaged bytes are refused. Who carries the bytes is no matter of this module. A
//! part can be done again, or twice at once: it gives the same bytes. Weights are those of
//! [`MethodInfo::fit`](crate::methods::MethodInfo::fit), to the bit, for any number of parts.

mod cut;
mod plan;
mod print;
mod stage;
mod tasks;
mod wire;

pub use cut::Cut;
pub use plan::Plan;
pub use stage::{Stage, StagePlan};
