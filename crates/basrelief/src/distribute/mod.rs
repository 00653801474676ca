//! One fit on many machines: a plan, independent tasks, and a merge.
//!
//! A [`Plan`] cuts a fit into stages, and every stage into parts. Rows lie in blocks, whose size follows from
//! the data. [`Stage::Measure`] and [`Stage::Radii`] measure the distances that determine a radius, if the
//! method has one. [`Stage::Search`] finds neighbor candidates between two blocks. [`Stage::Lists`] merges
//! the candidates of the rows of a block. [`Stage::Sums`] computes the weights of some columns, with all rows
//! and all neighbors; for a method that learns a map, [`Stage::Scatter`] takes pairs of blocks of columns
//! instead. Where the weights are tested, [`Stage::Permute`] computes all weights under some permutations of
//! the target.
//!
//! Where all parts can read the table, [`Plan::work`] computes a part of a stage from the results of the stage
//! before it, and [`Rounds::after`] returns the fit from those of the last stage. Where a part is given only the
//! rows and columns that it requires, a [`Draft`] makes cells of the columns, and the plan from facts about
//! them. Where parts can read some rows of the table, these need no cells.
//!
//! Some fits are loops of plans: [`Rounds`] is the state between two of them. `turf` plans the remaining
//! columns again. An iterative method has one stage, [`Stage::Margins`], in every iteration.
//!
//! Plans and results are bytes that contain their version, and results contain the number of their plan:
//! other versions, other plans, changed data and damaged bytes are refused. This module does not depend on the
//! transport of the bytes. A part can be computed again, or twice at once: it gives the same bytes. Weights
//! are those of [`MethodInfo::fit`](crate::methods::MethodInfo::fit), to the bit, for any number of parts and
//! any size of blocks.
//!
//! Groups, weights and covariates of rows and priors of classes are those of the [`Problem`](crate::methods::Problem); a
//! draft carries them, except residuals of classes. A plan contains their fingerprints, so that a part with other roles is
//! refused. Covariates that count in distances are columns of the search, but not of the sums.

mod cell;
mod cut;
mod draft;
mod draft_roles;
mod fit_spec;
mod messages;
mod panels;
mod permute;
mod plan;
mod rounds;
mod scatter;
mod stage;
mod tasks;
mod wire;

pub use cut::Cut;
pub use draft::{BlockRows, Draft, Layout, PairResult, TableBlocks};
pub use fit_spec::PartedMethod;
pub use plan::Plan;
pub use rounds::{Rounds, Turn};
pub use stage::{Stage, StagePlan};
