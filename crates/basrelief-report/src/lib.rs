//! Reports of basrelief's results, from plain data to text. Pages are self-contained HTML files; figures are SVG, or with
//! the feature `figures` also PDF and PNG.

#![forbid(unsafe_code)]

mod charts;
mod columns;
mod course;
pub mod data;
mod figure_files;
pub mod figures;
mod manhattan;
mod mosaics;
mod page;
mod ranking;
mod sections;
mod table_files;
mod text;

pub use figure_files::{FigureFormat, FigureStyle};
pub use ranking::RankingReport;
pub use sections::{Block, Section, SectionsReport, Table};
pub use table_files::csv_cell;
