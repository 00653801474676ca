//! Reports of basrelief's results, from plain data to text. Pages are self-contained HTML files; figures are SVG.

#![forbid(unsafe_code)]

mod charts;
mod columns;
mod course;
pub mod data;
pub mod figures;
mod manhattan;
mod mosaics;
mod page;
mod ranking;
mod sections;
mod text;

pub use ranking::RankingReport;
pub use sections::{Block, Section, SectionsReport, Table};
