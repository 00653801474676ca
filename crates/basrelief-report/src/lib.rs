//! Figures of basrelief's results: plain numbers in, SVG text out.

#![forbid(unsafe_code)]

pub mod figures;
