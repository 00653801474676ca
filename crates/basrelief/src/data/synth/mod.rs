//! Generated data sets with a known truth.
