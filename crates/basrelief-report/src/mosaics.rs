//! Tables of two features, cell by cell.

use crate::charts::CellView;
use crate::data::PairCell;
use crate::page::Name;
use crate::text::shortened;

/// Characters of a level.
const LEVEL: usize = 20;

/// A table of two features; `templates/mosaics.html` shows it.
#[derive(Debug)]
pub(crate) struct Mosaic {
    pub(crate) names: (Name, Name),
    pub(crate) facts: String,
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<(String, Vec<CellView>)>,
}

impl Mosaic {
    /// From the levels of the first and of the second feature, and a row of cells for each level of the first.
    pub(crate) fn new(
        names: (&str, &str),
        facts: String,
        levels: &(Vec<String>, Vec<String>),
        cells: &[Vec<PairCell>],
        classes: &[String],
    ) -> Self {
        let means = cells.iter().flatten().filter_map(|cell| match cell {
            PairCell::Mean(rows, mean) if *rows > 0 => Some(*mean),
            _ => None,
        });
        let range = means.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), mean| {
            (least.min(mean), most.max(mean))
        });
        let rows = levels.0.iter().zip(cells).map(|(level, cells)| {
            let cells = cells.iter().map(|cell| CellView::new(cell, classes, range));
            (shortened(level, LEVEL), cells.collect())
        });
        Self {
            names: (Name::new(names.0), Name::new(names.1)),
            facts,
            columns: levels.1.iter().map(|level| shortened(level, LEVEL)).collect(),
            rows: rows.collect(),
        }
    }
}
