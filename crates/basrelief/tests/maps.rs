//! Maps: textbook versions, properties of all methods, and input that cannot be used.

#[path = "maps/common.rs"]
mod common;
#[path = "maps/encoded.rs"]
mod encoded;
#[path = "maps/kernels.rs"]
mod kernels;
#[path = "maps/linear.rs"]
mod linear;
#[path = "maps/lmnn.rs"]
mod lmnn;
#[path = "maps/magnitudes.rs"]
mod magnitudes;
#[path = "maps/pairs.rs"]
mod pairs;
#[path = "maps/properties.rs"]
mod properties;
#[path = "maps/soft.rs"]
mod soft;
