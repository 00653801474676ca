//! Studies with basrelief: the specification of an analysis as one value, and its outcome in every format.
//!
//! A [`Study`] specifies the data and how they are read, the roles of columns, the method, and the tests of its
//! weights. [`Study::rank`] runs it. Its [`Outcome`] is written as a table for a terminal, as JSON, as CSV, or as a
//! page. The command line, the Python package and programs in Rust use the same types, so that they read data by the
//! same rules and write the same results.
//!
//! The crate does not depend on a front end. The [`Audience`](basrelief::Audience) of a study is the reader of its
//! messages, which mention only settings that this reader has.

#![forbid(unsafe_code)]

pub mod blocks;
pub mod cohort;
pub mod covariates;
pub mod encoding;
pub mod evaluation;
pub mod file_names;
mod glossary;
mod intervals;
pub mod learned_map;
mod listed_pairs;
pub mod loci;
pub mod outcome;
pub mod pages;
pub mod pair_listing;
pub mod pairs_page;
pub mod permutation_test;
mod profile;
pub mod quality;
pub mod ranking;
pub mod ranking_page;
pub mod recipe;
pub mod relatives;
pub mod resampling;
pub mod selection;
pub mod sets;
pub mod source;
pub mod stability;
pub mod study;
pub mod subject;
pub mod text;

pub use blocks::{BlockPlan, BlockSource, WeighedBlocks};
pub use cohort::CohortChoice;
pub use covariates::CovariateUse;
pub use evaluation::Comparison;
pub use file_names::FileNames;
pub use learned_map::LearnedMap;
pub use outcome::{MethodChoice, Outcome, Selections, Stored};
pub use pages::{Page, PageFile, PageOptions};
pub use permutation_test::{RoleColumns, TestPlan, Tested};
pub use ranking::Ranking;
pub use ranking_page::ranking_page;
pub use recipe::Recipe;
pub use relatives::{RELATIVES, Related};
pub use resampling::Resampled;
pub use selection::{Selected, SelectionPlan, Wanted};
pub use source::{Data, FAMILIES, GroupColumn, RowRoles, Source};
pub use stability::{Kept, Steadiness};
pub use study::{Method, Study};
pub use subject::Subject;
pub use text::Notes;
