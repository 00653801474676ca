//! Linear maps: properties and independent versions.

#[path = "maps/soft.rs"]
mod soft;
