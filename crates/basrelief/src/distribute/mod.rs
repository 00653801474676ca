//! One fit on many machines: a plan, tasks that need nothing of each other, and a merge.
//!
//! A [`Plan`] cuts a fit into stages, and every stage into parts. Rows lie in blocks, whose size follows from
//! the data. [`Stage::Measure`] and [`Stage::Radii`] measure the distances that a radius is made of, where
//! there is one; [`Stage::Search`] finds, for pairs of blocks, who is near to whom; [`Stage::Lists`] puts
//! together what all blocks tell of the rows of one; [`Stage::Sums`] weighs some columns, with all rows
//! and all neighbors; of a method that learns a map [`Stage::Scatter`] takes pairs of blocks of columns in its
//! place. Where the weights are tested, [`Stage::Permute`] weighs all columns under some
//! permutations of the target.
//!
//! Where all parts can read the table, [`Plan::work`] does a part of a stage, from the results of the stage
//! before, and [`Plan::merge`] makes the fit of the last one's. Where a part is given only the rows and
//! columns that it needs, a [`Draft`] makes cells of the columns, and the plan of what is known of them.
//!
//! Some fits are loops of plans: [`Rounds`] is what is known between two of them. `turf` plans the columns left
//! anew. A method that goes round has one stage, [`Stage::Margins`], in every iteration.
//!
//! Plans and results are bytes that know their version, and results know their plan: other versions, other
//! plans, changed data and damaged bytes are refused. Who carries the bytes is no matter of this module. A
//! part can be done again, or twice at once: it gives the same bytes. Weights are those of
//! [`MethodInfo::fit`](crate::methods::MethodInfo::fit), to the bit, for any number of parts and any size of
//! blocks.

mod cell;
mod cut;
mod draft;
mod panels;
mod parted_method;
mod permute;
mod plan;
mod print;
mod rounds;
mod scatter;
mod stage;
mod tasks;
mod wire;

pub use cut::Cut;
pub use draft::{Draft, Layout, PairResult};
pub use parted_method::PartedMethod;
pub use plan::Plan;
pub use rounds::{Rounds, Turn};
pub use stage::{Stage, StagePlan};
