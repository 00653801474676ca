//! Maps: properties, known answers and independent naive versions, a module per subject.

#[path = "maps/kernels.rs"]
mod kernels;
