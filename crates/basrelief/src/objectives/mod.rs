//! Objectives that sum over pairs or triples of rows under a map, streamed by blocks of rows.

pub(crate) mod lmnn_hinges;
pub(crate) mod row_lines;
pub(crate) mod soft_neighbors;
mod soft_pairs;
pub(crate) mod soft_regression;
